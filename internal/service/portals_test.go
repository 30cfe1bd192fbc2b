package service_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

var portalAddress = netip.MustParseAddr("192.0.2.1")

// madePortal is a portal with a token and a secret, and an administrator of its organization.
type madePortal struct {
	t     *testing.T
	s     *testkit.Server
	admin authz.Actor
	ref   domain.PortalRef
	id    domain.PortalID
	token authz.Actor
	grant domain.PortalGrant

	secret domain.PortalSecretID
}

func makePortal(t *testing.T, s *testkit.Server, organization, admin, name string) *madePortal {
	t.Helper()
	p := &madePortal{t: t, s: s, admin: s.PermissionToken(t, admin, organization, "")}
	portal, value, err := s.Service.CreatePortal(t.Context(), p.admin, organization,
		core.Value(domain.PortalInput{Name: domain.Some(name), Query: domain.Some("{ " + name + ": __typename }")}))
	p.must(err)
	p.ref, p.id = domain.PortalRef{Organization: domain.OrganizationRef{Slug: organization}, Slug: portal.Slug}, portal.ID
	p.token = authz.PortalActor(value.Reveal(), portalAddress)
	secret, secretValue, err := s.Service.CreatePortalSecret(t.Context(), p.admin, p.ref, core.Value(domain.PortalSecretInput{Description: domain.Some("CD")}))
	p.must(err)
	p.secret = secret.ID
	p.grant = domain.PortalGrant{GrantType: domain.Some("client_credentials"), ClientID: string(portal.ID), Secret: secretValue}
	return p
}

func (p *madePortal) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// change applies input to the portal.
func (p *madePortal) change(in domain.PortalInput) {
	p.t.Helper()
	_, err := p.s.Service.UpdatePortal(p.t.Context(), p.admin, p.ref, core.Value(in), nil)
	p.must(err)
}

// ephemeral makes an ephemeral token and returns who uses it, and when it expires.
func (p *madePortal) ephemeral() (authz.Actor, time.Time) {
	p.t.Helper()
	value, expires, err := p.s.Service.CreateEphemeralPortalToken(p.t.Context(), portalVisitor(), p.ref, p.grant)
	p.must(err)
	return authz.PortalActor(value.Reveal(), portalAddress), expires
}

// runs checks that who uses the portal gets its document, or is refused.
func (p *madePortal) runs(actor authz.Actor, want error) {
	p.t.Helper()
	document, err := p.s.Service.PortalDocument(p.t.Context(), actor, p.ref)
	if errorText(err) != errorText(want) || domain.CodeOf(err) != domain.CodeOf(want) || (err == nil) != (document.ID == p.id && document.Query != "") {
		p.t.Errorf("%v and %v, want %v", document, err, want)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func portalVisitor() authz.Actor { return authz.Actor{Surface: authz.Portal, Address: portalAddress} }

var errPortalAddress = domain.NewError(domain.Forbidden, "Your IP address is not allowed")

func TestAPortalsDocumentIsForItsOwnTokens(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		p, other := makePortal(t, s, testkit.Organization, "admin@example.com", "first"), makePortal(t, s, testkit.Organization, "admin@example.com", "other")
		foreign := makePortal(t, s, testkit.ElsewhereSlug, "outsider@example.com", "first")
		document, err := s.Service.PortalDocument(t.Context(), p.token, p.ref)
		if want := (domain.PortalDocument{ID: p.id, Organization: "acme-inc", Slug: "first", Query: "{ first: __typename }"}); err != nil || document != want {
			t.Errorf("%+v, %v", document, err)
		}
		otherEphemeral, _ := other.ephemeral()
		sessionLike := authz.Actor{Surface: authz.Portal, Credential: authz.Credential{Kind: authz.Session, Hash: p.token.Credential.Hash}}
		for what, actor := range map[string]authz.Actor{
			"nobody": {}, "a visitor": portalVisitor(), "an administrator": p.admin, "an operator": authz.OperatorActor(),
			"an API token in its place": authz.PortalActor(testkit.AdminToken, portalAddress), "another kind": sessionLike,
			"another portal": other.token, "another portal's ephemeral token": otherEphemeral, "another organization's portal": foreign.token,
			"a secret": authz.PortalActor(p.grant.Secret.Reveal(), portalAddress), "nothing": authz.PortalActor("", portalAddress),
		} {
			if _, err := s.Service.PortalDocument(t.Context(), actor, p.ref); domain.CodeOf(err) != domain.Unauthenticated || err.Error() != core.ErrUnauthenticated.Error() {
				t.Errorf("%s: %v", what, err)
			}
		}
		for _, ref := range []domain.PortalRef{
			{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "missing"}, {Organization: domain.OrganizationRef{Slug: "nowhere"}, Slug: "first"}, {Organization: domain.OrganizationRef{Slug: "elsewhere"}, Slug: "first"},
			{Organization: domain.OrganizationRef{Slug: "acme-inc"}}, {Organization: domain.OrganizationRef{Slug: "\x00"}, Slug: "\xff"},
		} {
			if _, err := s.Service.PortalDocument(t.Context(), p.token, ref); domain.CodeOf(err) != domain.Unauthenticated {
				t.Errorf("%v: %v", ref, err)
			}
		}
		// Its changes are seen at once, and so is its end.
		p.change(domain.PortalInput{Query: domain.Some("{ changed: __typename }"), Name: domain.Some("renamed")})
		if document, err := s.Service.PortalDocument(t.Context(), p.token, p.ref); err != nil || document.Query != "{ changed: __typename }" {
			t.Errorf("%+v, %v", document, err)
		}
		documents, err := s.Service.PortalDocuments(t.Context(), authz.OperatorActor())
		p.must(err)
		if want := []domain.PortalDocument{
			{ID: p.id, Organization: "acme-inc", Slug: "first", Query: "{ changed: __typename }"}, {ID: other.id, Organization: "acme-inc", Slug: "other", Query: "{ other: __typename }"},
			{ID: foreign.id, Organization: "elsewhere", Slug: "first", Query: "{ first: __typename }"},
		}; !slices.Equal(documents, want) {
			t.Errorf("all documents are %v", documents)
		}
		p.must(s.Service.DeletePortal(t.Context(), p.admin, p.ref, nil))
		p.runs(p.token, core.ErrUnauthenticated)
		other.runs(other.token, nil)
	})
}

func TestAddressesOfAPortalAndItsOrganizationAreEnforced(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		p := makePortal(t, s, testkit.Organization, "admin@example.com", "first")
		check := func(want error) {
			t.Helper()
			p.runs(p.token, want)
			_, _, err := s.Service.CreateEphemeralPortalToken(t.Context(), portalVisitor(), p.ref, p.grant)
			if errorText(err) != errorText(want) {
				t.Errorf("an ephemeral token: %v, want %v", err, want)
			}
			if _, err := s.Service.Clusters(t.Context(), p.token, testkit.Organization, onePage); errorText(err) != errorText(want) {
				t.Errorf("as the portal: %v, want %v", err, want)
			}
		}
		check(nil)
		p.change(domain.PortalInput{AllowedIPAddresses: domain.Some("198.51.100.0/24")})
		check(errPortalAddress)
		p.change(domain.PortalInput{AllowedIPAddresses: domain.Some("198.51.100.0/24 192.0.2.0/24")})
		check(nil)
		p.change(domain.PortalInput{AllowedIPAddresses: domain.Null[string]()})
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '198.51.100.0/24' WHERE slug = 'acme-inc'`)
		check(errPortalAddress)
		// A stranger does not learn that there is such a list.
		wrong := p.grant
		wrong.Secret = "x"
		if _, _, err := s.Service.CreateEphemeralPortalToken(t.Context(), portalVisitor(), p.ref, wrong); domain.CodeOf(err) != domain.Unauthenticated {
			t.Error(err)
		}
		p.runs(authz.PortalActor("x", portalAddress), core.ErrUnauthenticated)
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '192.0.2.1' WHERE slug = 'acme-inc'`)
		check(nil)
	})
}

func TestEphemeralPortalTokens(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		ctx := t.Context()
		p, other := makePortal(t, s, testkit.Organization, "admin@example.com", "first"), makePortal(t, s, testkit.Organization, "admin@example.com", "other")
		foreign := makePortal(t, s, testkit.ElsewhereSlug, "outsider@example.com", "first")
		now := s.Clock.Now()
		for in, want := range map[domain.Optional[int64]]int64{
			{}: 60, domain.Null[int64](): 60, domain.Some[int64](1): 1, domain.Some[int64](60): 60,
			domain.Some[int64](0): 0, domain.Some[int64](-1): 0, domain.Some[int64](61): 0, domain.Some[int64](1 << 62): 0,
		} {
			grant := p.grant
			grant.ExpiresIn = in
			value, expires, err := s.Service.CreateEphemeralPortalToken(ctx, portalVisitor(), p.ref, grant)
			switch {
			case want == 0:
				if errorText(err) != "Validation failed: Expires in must be a number of minutes from 1 to 60" || value != "" || !expires.IsZero() {
					t.Errorf("%v: %v", in, err)
				}
			case err != nil || !expires.Equal(now.Add(time.Duration(want)*time.Minute)):
				t.Errorf("%v: %v, %v", in, expires, err)
			default:
				if !testkit.IsToken(domain.PortalTokenKind, value.Reveal()) {
					t.Errorf("%v is no portal token", value.Reveal())
				}
			}
		}
		// Whatever is wrong, the refusal is the same.
		for what, change := range map[string]func(*domain.PortalRef, *domain.PortalGrant){
			"no secret":               func(_ *domain.PortalRef, g *domain.PortalGrant) { g.Secret = "" },
			"a wrong secret":          func(_ *domain.PortalRef, g *domain.PortalGrant) { g.Secret += "x" },
			"another portal's secret": func(_ *domain.PortalRef, g *domain.PortalGrant) { g.Secret = other.grant.Secret },
			"another portal's id":     func(_ *domain.PortalRef, g *domain.PortalGrant) { g.ClientID = string(other.id) },
			"no id":                   func(_ *domain.PortalRef, g *domain.PortalGrant) { g.ClientID = "" },
			"a malformed id":          func(_ *domain.PortalRef, g *domain.PortalGrant) { g.ClientID = "\x00" },
			"a slug for an id":        func(_ *domain.PortalRef, g *domain.PortalGrant) { g.ClientID = "first" },
			"another portal":          func(r *domain.PortalRef, _ *domain.PortalGrant) { *r = other.ref },
			"another organization":    func(r *domain.PortalRef, _ *domain.PortalGrant) { *r = foreign.ref },
			"no portal":               func(r *domain.PortalRef, _ *domain.PortalGrant) { r.Slug = "missing" },
			"no organization":         func(r *domain.PortalRef, _ *domain.PortalGrant) { r.Organization = domain.OrganizationRef{Slug: ""} },
			"much besides": func(_ *domain.PortalRef, g *domain.PortalGrant) {
				*g = domain.PortalGrant{Secret: "x", ExpiresIn: domain.Some[int64](-1)}
			},
		} {
			ref, grant := p.ref, p.grant
			change(&ref, &grant)
			before := s.DB.Statements()
			_, _, err := s.Service.CreateEphemeralPortalToken(ctx, portalVisitor(), ref, grant)
			if err == nil || domain.CodeOf(err) != domain.Unauthenticated || err.Error() != core.ErrUnauthenticated.Error() {
				t.Errorf("%s: %v", what, err)
			}
			if n := s.DB.Statements() - before; n != 1 {
				t.Errorf("%s took %d statements", what, n)
			}
		}
		for _, grantType := range []domain.Optional[string]{{}, domain.Null[string](), domain.Some("password")} {
			grant := p.grant
			grant.GrantType = grantType
			if _, _, err := s.Service.CreateEphemeralPortalToken(ctx, portalVisitor(), p.ref, grant); errorText(err) != "Validation failed: Grant type must be client_credentials, or device_code with a code" {
				t.Error(err)
			}
		}

		// It runs its own portal until it expires, and is not listed.
		actor, expires := p.ephemeral()
		p.runs(actor, nil)
		other.runs(actor, core.ErrUnauthenticated)
		if list, err := s.Service.PortalTokens(ctx, p.admin, p.ref, onePage); err != nil || list.Total != 1 || len(list.Items) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
		s.Clock.Advance(expires.Sub(s.Clock.Now()) - time.Millisecond)
		p.runs(actor, nil)
		s.Clock.Advance(time.Millisecond)
		p.runs(actor, core.ErrUnauthenticated)
		if n, err := s.Service.PrunePortalTokens(ctx, authz.OperatorActor()); err != nil || n != 5 {
			t.Errorf("%d tokens were deleted: %v", n, err)
		}
		p.runs(p.token, nil)
	})
}

func TestTheEndOfAPortalsTokenOrSecretEndsWhatCameOfIt(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		ctx := t.Context()
		p := makePortal(t, s, testkit.Organization, "admin@example.com", "first")
		second := *p
		_, value, err := s.Service.CreatePortalSecret(ctx, p.admin, p.ref, core.Value(domain.PortalSecretInput{}))
		p.must(err)
		second.grant.Secret = value
		ended, _ := p.ephemeral()
		kept, _ := second.ephemeral()
		dropped, _ := second.ephemeral()

		// An ephemeral token can be ended by itself, by the id that its event has.
		events, err := s.Service.AuditEvents(ctx, p.admin, testkit.Organization, domain.AuditFilter{Types: []domain.AuditEventType{domain.PortalTokenCreated}}, domain.CursorPage{Size: 1})
		p.must(err)
		event := events.Items[0]
		if event.Actor != (domain.AuditActor{Type: domain.PortalAuditActor, ID: string(p.id), Name: "first"}) || event.Context.Surface != "portal" ||
			event.Context.Address != "192.0.2.1" || event.Subject.Type != domain.PortalTokenSubject || !strings.Contains(event.Data, `"secret_id":`) {
			t.Errorf("the event is %+v", event)
		}
		p.must(s.Service.DeletePortalToken(ctx, p.admin, p.ref, event.Subject.ID, nil))
		p.runs(dropped, core.ErrUnauthenticated)

		p.must(s.Service.DeletePortalSecret(ctx, p.admin, p.ref, string(p.secret), nil))
		p.runs(ended, core.ErrUnauthenticated)
		p.runs(kept, nil)
		p.runs(p.token, nil)
		if _, _, err := s.Service.CreateEphemeralPortalToken(ctx, portalVisitor(), p.ref, p.grant); domain.CodeOf(err) != domain.Unauthenticated {
			t.Error(err)
		}
		tokens, err := s.Service.PortalTokens(ctx, p.admin, p.ref, onePage)
		p.must(err)
		p.must(s.Service.DeletePortalToken(ctx, p.admin, p.ref, string(tokens.Items[0].ID), nil))
		p.runs(p.token, core.ErrUnauthenticated)
		if _, err := s.Service.Clusters(ctx, p.token, testkit.Organization, onePage); domain.CodeOf(err) != domain.Unauthenticated {
			t.Error(err)
		}
		p.runs(kept, nil)
		p.must(s.Service.DeletePortal(ctx, p.admin, p.ref, nil))
		p.runs(kept, core.ErrUnauthenticated)
		if n := countOf(t, s.DB, `SELECT (SELECT count(*) FROM portal_tokens) + (SELECT count(*) FROM portal_secrets)`); n != 0 {
			t.Errorf("%d tokens and secrets are left", n)
		}
	})
}

func countOf(t testing.TB, d *db.DB, query string) (n int64) {
	t.Helper()
	if err := d.Read(context.Background(), func(tx *db.Tx) error {
		_, err := tx.One(query, func(r *db.Row) { n = r.Int() })
		return err
	}); err != nil {
		t.Error(err)
	}
	return n
}

// whileHeld runs the calls at once. Where transactions run beside each other, what hold does is committed only once as many of
// them wait for it as there are calls.
func whileHeld(t *testing.T, s *testkit.Server, hold func(*db.Tx) error, calls ...func()) {
	t.Helper()
	var all sync.WaitGroup
	start := sync.OnceFunc(func() { // a write may run twice
		for _, call := range calls {
			all.Go(call)
		}
	})
	err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		if err := hold(tx); err != nil {
			return err
		}
		start()
		if s.DB.Engine() == "sqlite" {
			return nil
		}
		deadline := time.Now().Add(time.Minute)
		for countOf(t, s.DB, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) < int64(len(calls)) {
			if time.Now().After(deadline) {
				return errors.New("not all calls wait")
			}
		}
		return nil
	})
	all.Wait()
	if err != nil {
		t.Fatal(err)
	}
}

func TestASecretThatIsBeingDeletedMakesNoToken(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		p := makePortal(t, s, testkit.Organization, "admin@example.com", "first")
		var err error
		whileHeld(t, s, func(tx *db.Tx) error {
			_, err := tx.Exec(`DELETE FROM portal_secrets`)
			return err
		}, func() {
			_, _, err = s.Service.CreateEphemeralPortalToken(t.Context(), portalVisitor(), p.ref, p.grant)
		})
		if domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("made with a secret that is gone: %v", err)
		}
	})
}

// TestAPortalActsAsItselfInItsOrganizationOnly has a portal make things there, and try to elsewhere.
func TestAPortalActsAsItselfInItsOrganizationOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		ctx := t.Context()
		p := makePortal(t, s, testkit.Organization, "admin@example.com", "first")
		cluster, err := s.Service.CreateCluster(ctx, p.token, domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.ClusterInput{Name: domain.Some("Made")}))
		p.must(err)
		queue, err := s.Service.PauseQueue(ctx, p.token, testkit.Maintained(), testkit.QueueID, core.Value(domain.Optional[string]{}))
		p.must(err)
		if cluster.CreatedBy == nil || cluster.CreatedBy.ID != testkit.AdminID || queue.PausedBy != nil {
			t.Errorf("made by %v, paused by %v", cluster.CreatedBy, queue.PausedBy)
		}
		events, err := s.Service.AuditEvents(ctx, p.admin, testkit.Organization, domain.AuditFilter{Actors: []string{string(p.id)}}, domain.CursorPage{Size: 10})
		p.must(err)
		if len(events.Items) != 2 {
			t.Fatalf("%d events are the portal's", len(events.Items))
		}
		for _, event := range events.Items {
			if event.Actor.Type != domain.PortalAuditActor || event.Actor.Name != "first" || event.Context.TokenID != "" {
				t.Errorf("%+v", event)
			}
		}
		if _, err := s.Service.Clusters(ctx, p.token, testkit.ElsewhereSlug, onePage); errorText(err) != "No organization found" {
			t.Error(err)
		}
		if _, err := s.Service.Cluster(ctx, p.token, domain.ClusterRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, ID: testkit.ElsewhereID}); errorText(err) != "No cluster found" {
			t.Error(err)
		}
	})
}

// TestAPortalLeavesAnAdministrator has a portal, which is nobody's self, demote and remove members.
func TestAPortalLeavesAnAdministrator(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		ctx := t.Context()
		p := makePortal(t, s, testkit.Organization, "admin@example.com", "first")
		setRole := func(user, role string) error {
			_, err := s.Service.UpdateMember(ctx, p.token, domain.OrganizationRef{Slug: testkit.Organization}, user, core.Value(domain.MemberInput{Role: domain.Some(role)}), nil)
			return err
		}
		remove := func(user string) error {
			_, err := s.Service.RemoveMember(ctx, p.token, domain.OrganizationRef{Slug: testkit.Organization}, user, nil)
			return err
		}
		refused := func() {
			t.Helper()
			if err := setRole(testkit.AdminID, "member"); errorText(err) != "Validation failed: An organization must have an administrator" {
				t.Error(err)
			}
			if err := remove(testkit.AdminID); errorText(err) != "An organization must have an administrator" || domain.CodeOf(err) != domain.Invalid {
				t.Error(err)
			}
		}
		refused()
		p.must(setRole(testkit.AdminID, "admin")) // that is no change
		p.must(remove(testkit.TeammateID))
		p.must(setRole(testkit.MemberID, "admin"))
		p.must(setRole(testkit.AdminID, "member"))
		p.must(setRole(testkit.AdminID, "admin"))
		p.must(remove(testkit.MemberID))
		refused()

		// Two at once leave one.
		attacks := []func(user string) error{func(user string) error { return setRole(user, "member") }, remove}
		for round := range 8 {
			if err := setRole(testkit.MaintainerID, "admin"); domain.CodeOf(err) == domain.NotFound {
				p.must(s.Service.AddMember(ctx, authz.OperatorActor(), testkit.Organization, "maintainer@example.com", domain.RoleAdmin))
			} else {
				p.must(err)
			}
			if err := setRole(testkit.AdminID, "admin"); domain.CodeOf(err) == domain.NotFound {
				p.must(s.Service.AddMember(ctx, authz.OperatorActor(), testkit.Organization, "admin@example.com", domain.RoleAdmin))
			} else {
				p.must(err)
			}
			var first, second error
			whileHeld(t, s, func(tx *db.Tx) error {
				_, err := tx.Exec(`UPDATE organization_members SET role = role`)
				return err
			}, func() { first = attacks[round%2](testkit.AdminID) }, func() { second = attacks[round/2%2](testkit.MaintainerID) })
			if (first == nil) == (second == nil) || !strings.HasSuffix(errorText(first)+errorText(second), "An organization must have an administrator") {
				t.Fatalf("%v and %v", first, second)
			}
			if n := countOf(t, s.DB, `SELECT count(*) FROM organization_members m JOIN organizations o ON o.id = m.organization_id
				WHERE o.slug = 'acme-inc' AND m.role = 'admin'`); n != 1 {
				t.Fatalf("%d administrators are left", n)
			}
		}
	})
}
