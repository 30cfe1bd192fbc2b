package service_test

import (
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// tokenUsed returns when and from where the member's token was last used, as it is stored.
func tokenUsed(t *testing.T, s *testkit.Server) (at *time.Time, from string) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT last_used_at, last_used_address FROM api_tokens WHERE hash = $1`, func(r *db.Row) { at, from = r.NullTime(), r.Text() },
			domain.HashToken(testkit.MemberToken))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return at, from
}

func TestLastUseIsRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		use := func(from string) {
			t.Helper()
			actor := authz.TokenActor(authz.REST, testkit.MemberToken, netip.MustParseAddr(from))
			if _, err := s.Service.Clusters(t.Context(), actor, testkit.Organization, domain.Page{Number: 1, Size: 1}); err != nil {
				t.Fatal(err)
			}
		}
		want := func(what string, at time.Time, from string) {
			t.Helper()
			if err := s.Service.StoreTokenUses(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
			if got, address := tokenUsed(t, s); got == nil || !got.Equal(at) || address != from {
				t.Errorf("%s: used %v from %s, not %v from %s", what, got, address, at, from)
			}
		}
		if at, _ := tokenUsed(t, s); at != nil {
			t.Fatalf("a token that was never used was used %v", at)
		}
		first := s.Clock.Now()
		use("192.0.2.1")
		want("the first use", first, "192.0.2.1")
		want("without another", first, "192.0.2.1")

		s.Clock.Advance(time.Minute - time.Millisecond)
		use("192.0.2.2")
		want("within the minute", first, "192.0.2.1")

		s.Clock.Advance(time.Millisecond)
		use("192.0.2.3")
		want("after a minute", first.Add(time.Minute), "192.0.2.3")

		// Of several uses before they are stored, the last one counts.
		s.Clock.Advance(2 * time.Minute)
		use("192.0.2.4")
		s.Clock.Advance(time.Minute)
		use("2001:db8::5")
		want("the last of several", s.Clock.Now(), "2001:db8::5")

		// A node that learned of it later does not turn it back.
		other := service.New(service.Options{Core: core.New(core.Options{DB: s.DB, Now: func() time.Time { return s.Clock.Now().Add(-90 * time.Second) }})})
		surely := s.Clock.Now()
		testkit.Change(t, s.DB, `UPDATE api_tokens SET last_used_at = NULL WHERE hash = $1`, domain.HashToken(testkit.MemberToken))
		actor := authz.TokenActor(authz.REST, testkit.MemberToken, netip.MustParseAddr("192.0.2.9"))
		if _, err := other.User(t.Context(), actor); err != nil {
			t.Fatal(err)
		}
		use("192.0.2.6")
		want("with an older one to come", surely, "192.0.2.6")
		if err := other.StoreTokenUses(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		want("after the older one", surely, "192.0.2.6")

		// What is refused for its token is no use of it; what is refused otherwise is.
		s.Clock.Advance(time.Hour)
		if _, err := s.Service.Clusters(t.Context(), actor, "nowhere", domain.Page{Number: 1, Size: 1}); domain.CodeOf(err) != domain.NotFound {
			t.Fatal(err)
		}
		want("for a 404", s.Clock.Now(), "192.0.2.9")
		last := s.Clock.Now()
		s.Clock.Advance(time.Hour)
		testkit.Change(t, s.DB, `UPDATE api_tokens SET allowed_ip_addresses = '198.51.100.0/24' WHERE hash = $1`, domain.HashToken(testkit.MemberToken))
		if _, err := s.Service.User(t.Context(), actor); domain.CodeOf(err) != domain.Forbidden {
			t.Fatal(err)
		}
		testkit.Change(t, s.DB, `UPDATE api_tokens SET revoked_at = 1 WHERE hash = $1`, domain.HashToken(testkit.MemberToken))
		if _, err := s.Service.User(t.Context(), actor); domain.CodeOf(err) != domain.Unauthenticated {
			t.Fatal(err)
		}
		want("from elsewhere, and revoked", last, "192.0.2.9")
	})
}

func TestTokenIsGrantedOnlyOrganizationsOfItsUser(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		count := func() (n int64) {
			t.Helper()
			err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
				_, err := tx.One(`SELECT (SELECT count(*) FROM api_tokens) + (SELECT count(*) FROM api_token_organizations)`, func(r *db.Row) { n = r.Int() })
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		create := func(email string, organizations ...string) error {
			_, _, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), domain.APITokenInput{
				User: email, Description: "CI", Organizations: organizations, Scopes: []string{"read_organizations"},
			})
			return err
		}
		before := count()
		for _, c := range []struct {
			email         string
			organizations []string
			names         string
		}{
			{"member@example.com", []string{"elsewhere"}, "elsewhere"},
			{"member@example.com", []string{"acme-inc", "elsewhere"}, "elsewhere"},
			{"outsider@example.com", []string{"acme-inc"}, "acme-inc"},
			{"member@example.com", []string{"nowhere"}, "nowhere"},
			{"member@example.com", []string{""}, ""},
			{"member@example.com", []string{"ACME-INC"}, "ACME-INC"},
			{"nobody@example.com", []string{"acme-inc"}, "nobody@example.com"},
		} {
			if err := create(c.email, c.organizations...); domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), c.names) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if after := count(); after != before {
			t.Errorf("refused tokens left %d rows", after-before)
		}
		for _, organizations := range [][]string{{}, {"acme-inc"}, {"acme-inc", "acme-inc"}} {
			if err := create("member@example.com", organizations...); err != nil {
				t.Errorf("%v: %v", organizations, err)
			}
		}

		// Who leaves while their token is being made does not keep it: afterwards they are no member, or it is not granted.
		var all sync.WaitGroup
		all.Go(func() { _ = create("maintainer@example.com", "acme-inc") })
		all.Go(func() {
			testkit.Change(t, s.DB, `DELETE FROM organization_members WHERE user_id = $1`, testkit.MaintainerID)
		})
		all.Wait()
		if err := create("maintainer@example.com", "acme-inc"); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("after leaving: %v", err)
		}
		var kept int64
		err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
			_, err := tx.One(`SELECT count(*) FROM api_token_organizations WHERE user_id = $1`, func(r *db.Row) { kept = r.Int() }, testkit.MaintainerID)
			return err
		})
		if err != nil || kept != 0 {
			t.Errorf("%d grants are left: %v", kept, err)
		}
	})
}

func TestUnknownScopeIsRefusedAtCreation(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		create := func(scopes ...string) (domain.APIToken, error) {
			token, _, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), domain.APITokenInput{User: "member@example.com", Description: "CI", Scopes: scopes})
			return token, err
		}
		for _, scope := range []string{"", " ", "read_everything", "READ_CLUSTERS", "Read_Clusters", "read_clusters ", "read_clusters write_clusters", "*", "admin"} {
			if _, err := create("read_clusters", scope); domain.CodeOf(err) != domain.Invalid || !strings.HasPrefix(err.Error(), "Validation failed: Scope ") {
				t.Errorf("%q: %v", scope, err)
			}
		}
		var every []string
		for _, scope := range domain.AllScopes {
			every = append(every, string(scope))
		}
		token, err := create(every...)
		if err != nil || token.Scopes.String() != strings.Join(every, " ") {
			t.Errorf("all scopes: %v %v", token.Scopes, err)
		}
	})
}
