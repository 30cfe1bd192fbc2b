package service_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/apply"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// operatorsNow is what the clock shows in the tests of operators' operations.
var operatorsNow = time.Date(2026, 3, 14, 15, 9, 26, 535_000_000, time.UTC)

// operating is a service with an operator at it.
type operating struct {
	*service.Service
	core  *core.Core
	t     *testing.T
	db    *db.DB
	actor authz.Actor
}

func operatingOn(t *testing.T, d *db.DB) *operating {
	t.Helper()
	shared := core.New(core.Options{DB: d, Now: func() time.Time { return operatorsNow }})
	return &operating{Service: service.New(service.Options{Core: shared}), core: shared, t: t, db: d, actor: authz.OperatorActor()}
}

// applyFile makes what a bootstrap file declares exist.
func (s *operating) applyFile(ctx context.Context, actor authz.Actor, file *bootstrap.File) (apply.Result, error) {
	return apply.File(ctx, s.core, actor, file)
}

func eachOperating(t *testing.T, fn func(t *testing.T, s *operating)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, operatingOn(t, d)) })
}

func (s *operating) user(email string) domain.User {
	s.t.Helper()
	user, err := s.CreateUser(s.t.Context(), s.actor, domain.UserInput{Email: email, Name: "Somebody"})
	if err != nil {
		s.t.Fatal(err)
	}
	return user
}

func (s *operating) organization(in domain.OrganizationInput) domain.Organization {
	s.t.Helper()
	in.Name = "Some Organization"
	o, err := s.CreateOrganization(s.t.Context(), s.actor, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return o
}

func (s *operating) token(in domain.APITokenInput) (domain.APIToken, domain.Secret) {
	s.t.Helper()
	if in.Description == "" {
		in.Description = "a token"
	}
	token, value, err := s.CreateAPIToken(s.t.Context(), s.actor, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return token, value
}

// query returns the rows of a statement that yields one text column.
func (s *operating) query(sql string, args ...any) (rows []string) {
	s.t.Helper()
	err := s.db.Read(context.Background(), func(tx *db.Tx) error {
		return tx.Query(sql, func(r *db.Row) error {
			rows = append(rows, r.Text())
			return nil
		}, args...)
	})
	if err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// expect checks what a statement that yields one text column yields.
func (s *operating) expect(want string, sql string, args ...any) {
	s.t.Helper()
	if got := strings.Join(s.query(sql, args...), "\n"); got != want {
		s.t.Errorf("%s %v\n got %s\nwant %s", sql, args, got, want)
	}
}

func (s *operating) exec(sql string, args ...any) {
	s.t.Helper()
	testkit.Change(s.t, s.db, sql, args...)
}

func refused(t *testing.T, what string, err error, code domain.Code, message string) {
	t.Helper()
	if domain.CodeOf(err) != code || err.Error() != message {
		t.Errorf("%s: got %v (code %d), want %s", what, err, domain.CodeOf(err), message)
	}
}

func tokenActor(value domain.Secret) authz.Actor {
	return authz.TokenActor(authz.REST, value.Reveal(), netip.MustParseAddr("192.0.2.1"))
}

func TestOperatorsOperationsRefuseEveryoneElse(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.user("admin@example.com")
		s.organization(domain.OrganizationInput{Slug: "acme-inc", Admin: "admin@example.com"})
		_, value := s.token(domain.APITokenInput{User: "admin@example.com", Organizations: []string{"acme-inc"}, Scopes: []string{"write_organizations"}})
		before := s.contents()
		for name, actor := range map[string]authz.Actor{"nobody": {}, "a token": tokenActor(value)} {
			_, createUser := s.CreateUser(t.Context(), actor, domain.UserInput{Email: "a@example.com", Name: "A"})
			_, createOrganization := s.CreateOrganization(t.Context(), actor, domain.OrganizationInput{Slug: "a", Name: "A"})
			_, _, createToken := s.CreateAPIToken(t.Context(), actor, domain.APITokenInput{User: "admin@example.com", Description: "A"})
			tokens, listTokens := s.APITokens(t.Context(), actor, domain.APITokenFilter{})
			_, applyBootstrap := s.applyFile(t.Context(), actor, &bootstrap.File{Users: []*bootstrap.User{{Email: "a@example.com", Name: "A"}}})
			for operation, err := range map[string]error{
				"CreateUser":         createUser,
				"CreateOrganization": createOrganization,
				"AddMember":          s.AddMember(t.Context(), actor, "acme-inc", "admin@example.com", domain.RoleAdmin),
				"CreateAPIToken":     createToken,
				"APITokens":          listTokens,
				"RevokeAPIToken":     s.RevokeAPIToken(t.Context(), actor, value.Reveal()),
				"ApplyBootstrap":     applyBootstrap,
			} {
				refused(t, operation+" by "+name, err, domain.Forbidden, "Forbidden")
			}
			if tokens != nil {
				t.Errorf("%s sees tokens", name)
			}
		}
		s.unchangedSince(before)
	})
}

func TestCreateUser(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		const id = "0190a1b2-0000-7000-8000-00000000000a"
		user, err := s.CreateUser(t.Context(), s.actor, domain.UserInput{
			Email: " Admin@Example.com ", Name: " Admin ", Password: "correct horse", ID: strings.ToUpper(id),
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := (domain.User{ID: id, Email: "Admin@Example.com", Name: "Admin", CreatedAt: operatorsNow}); user != want {
			t.Errorf("got %+v, want %+v", user, want)
		}
		s.expect("admin@example.com admin", `SELECT email_key || ' ' || name_key FROM users`)
		if hash := s.query(`SELECT password_hash FROM users`)[0]; !domain.CheckPassword(hash, "correct horse") {
			t.Errorf("the password is stored as %s", hash)
		}
		s.user("other@example.com")
		s.expect("1", `SELECT CAST(count(*) AS TEXT) FROM users WHERE password_hash IS NULL`)

		for what, c := range map[string]struct {
			in   domain.UserInput
			want string
		}{
			"a taken e-mail":       {domain.UserInput{Email: "ADMIN@example.com", Name: "A"}, "Email has already been taken"},
			"a taken id":           {domain.UserInput{Email: "a@example.com", Name: "A", ID: id}, "ID has already been taken"},
			"an id that is none":   {domain.UserInput{Email: "a@example.com", Name: "A", ID: "1"}, "ID must be a UUID"},
			"a password too long":  {domain.UserInput{Email: "a@example.com", Name: "A", Password: domain.Secret(strings.Repeat("x", 1025))}, "Password is too long (maximum is 1024 characters)"},
			"nothing":              {domain.UserInput{}, "Email can't be blank, Name can't be blank"},
			"text with NUL":        {domain.UserInput{Email: "a@example.com", Name: "a\x00"}, "Name must be valid UTF-8 without NUL"},
			"an e-mail with NUL":   {domain.UserInput{Email: "a\x00@example.com", Name: "A"}, "Email must be an email address"},
			"an e-mail with bytes": {domain.UserInput{Email: "a\xff@example.com", Name: "A"}, "Email must be an email address"},
		} {
			_, err := s.CreateUser(t.Context(), s.actor, c.in)
			refused(t, what, err, domain.Invalid, "Validation failed: "+c.want)
		}
		s.expect("2", `SELECT CAST(count(*) AS TEXT) FROM users`)
	})
}

func TestCreateOrganization(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.user("admin@example.com")
		parent := s.organization(domain.OrganizationInput{Slug: "holding-co"})
		if parent.Plan != domain.PlanMonthly || parent.BillingAnchor != "2026-03-14" || parent.BillingParentID != nil {
			t.Errorf("by default: %+v", parent)
		}
		const id = "0190a1b2-0000-7000-8000-00000000000b"
		o, err := s.CreateOrganization(t.Context(), s.actor, domain.OrganizationInput{
			Slug: "acme-inc", Name: " Acme Inc ", ID: id, Plan: domain.PlanAnnual, BillingAnchor: "2026-01-31",
			BillingParent: "holding-co", Admin: "Admin@example.com",
		})
		if err != nil {
			t.Fatal(err)
		}
		if o.ID != id || o.Name != "Acme Inc" || *o.BillingParentID != parent.ID || o.Settings.ClusterWrites != domain.ClusterWritesMembers {
			t.Errorf("got %+v", o)
		}
		s.expect("Acme Inc annual 2026-01-31", `SELECT name || ' ' || plan || ' ' || billing_anchor FROM organizations WHERE id = $1`, o.ID)
		s.expect("admin@example.com admin", `SELECT u.email || ' ' || m.role FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1`, o.ID)

		for what, c := range map[string]struct {
			in   domain.OrganizationInput
			want string
		}{
			"a taken slug":           {domain.OrganizationInput{Slug: "acme-inc"}, "Slug has already been taken"},
			"a taken id":             {domain.OrganizationInput{Slug: "a", ID: id}, "ID has already been taken"},
			"reserved":               {domain.OrganizationInput{Slug: "v2", Name: "A"}, "Slug v2 is reserved: addresses of the server begin with it. Choose another one, such as v2-team"},
			"no slug":                {domain.OrganizationInput{Slug: "Acme Inc"}, "Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside"},
			"another plan":           {domain.OrganizationInput{Slug: "a", Plan: "weekly"}, "Plan must be monthly or annual"},
			"no date":                {domain.OrganizationInput{Slug: "a", BillingAnchor: "2026-02-30"}, "Billing anchor must be a date such as 2026-01-31"},
			"a parent that is none":  {domain.OrganizationInput{Slug: "a", BillingParent: "nobody"}, `There is no organization "nobody"`},
			"a parent that is no id": {domain.OrganizationInput{Slug: "a", BillingParent: "\x00"}, `There is no organization "\x00"`},
			"itself as parent":       {domain.OrganizationInput{Slug: "a", BillingParent: "a"}, "Billing parent must be another organization"},
			"a child as parent":      {domain.OrganizationInput{Slug: "a", BillingParent: "acme-inc"}, "Billing parent can't have a billing parent itself"},
			"an unknown admin":       {domain.OrganizationInput{Slug: "a", Admin: "nobody@example.com"}, `There is no user "nobody@example.com"`},
			"several":                {domain.OrganizationInput{Slug: "-", BillingParent: "nobody"}, `Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside, There is no organization "nobody"`},
		} {
			c.in.Name = "A"
			_, err := s.CreateOrganization(t.Context(), s.actor, c.in)
			refused(t, what, err, domain.Invalid, "Validation failed: "+c.want)
		}
		s.expect("2", `SELECT CAST(count(*) AS TEXT) FROM organizations`)
		s.expect("1", `SELECT CAST(count(*) AS TEXT) FROM organization_members`)
	})
}

func TestAddMember(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.user("Dev@example.com")
		s.organization(domain.OrganizationInput{Slug: "acme-inc"})
		if err := s.AddMember(t.Context(), s.actor, "acme-inc", "dev@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		s.expect("member", `SELECT role FROM organization_members`)
		for what, c := range map[string]struct {
			organization, email string
			role                domain.Role
			code                domain.Code
			want                string
		}{
			"once more":           {"acme-inc", "dev@example.com", domain.RoleAdmin, domain.Invalid, "Validation failed: Dev@example.com is already a member"},
			"to no organization":  {"nobody", "dev@example.com", domain.RoleAdmin, domain.NotFound, "No organization found"},
			"to no slug":          {"\x00", "dev@example.com", domain.RoleAdmin, domain.NotFound, "No organization found"},
			"nobody":              {"acme-inc", "nobody@example.com", domain.RoleAdmin, domain.Invalid, `Validation failed: There is no user "nobody@example.com"`},
			"no e-mail":           {"acme-inc", "\x00", domain.RoleAdmin, domain.Invalid, `Validation failed: There is no user "\x00"`},
			"in an unknown role":  {"acme-inc", "dev@example.com", "owner", domain.Invalid, "Validation failed: Role must be admin or member"},
			"in no role, nobody ": {"acme-inc", "", "", domain.Invalid, `Validation failed: There is no user "", Role must be admin or member`},
		} {
			refused(t, what, s.AddMember(t.Context(), s.actor, c.organization, c.email, c.role), c.code, c.want)
		}
		s.expect("member", `SELECT role FROM organization_members`)
	})
}

func TestCreateAPIToken(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.user("dev@example.com")
		s.organization(domain.OrganizationInput{Slug: "acme-inc", Admin: "dev@example.com"})
		s.organization(domain.OrganizationInput{Slug: "elsewhere"})
		expiry := operatorsNow.Add(time.Hour)
		token, value := s.token(domain.APITokenInput{
			User: "DEV@example.com", Description: " CI ", Organizations: []string{"acme-inc", "acme-inc"},
			Scopes: []string{"read_clusters", "read_user"}, GraphQL: true, AllowedIPAddresses: "192.0.2.0/24  2001:db8::/32", ExpiresAt: &expiry,
		})
		if !testkit.IsToken(domain.UserTokenKind, value.Reveal()) {
			t.Errorf("the value has another shape")
		}
		if token.Description != "CI" || token.Scopes.String() != "read_clusters read_user graphql" ||
			token.AllowedIPAddresses != "192.0.2.0/24 2001:db8::/32" || !token.ExpiresAt.Equal(expiry) {
			t.Errorf("got %+v", token)
		}
		s.expect(domain.HashToken(value.Reveal()), `SELECT hash FROM api_tokens`)
		if _, err := s.Clusters(t.Context(), tokenActor(value), "acme-inc", domain.Page{Number: 1, Size: 1}); err != nil {
			t.Errorf("using it: %v", err)
		}

		const own = "an-own-value-of-20-characters"
		_, chosen := s.token(domain.APITokenInput{User: "dev@example.com", Value: own, Scopes: []string{"graphql"}, GraphQL: true})
		if chosen != own {
			t.Errorf("the value is another than the one given")
		}
		s.expect("graphql", `SELECT scopes FROM api_tokens WHERE hash = $1`, domain.HashToken(own))

		for what, c := range map[string]struct {
			change func(*domain.APITokenInput)
			want   string
		}{
			"no description":           {func(in *domain.APITokenInput) { in.Description = " " }, "Description can't be blank"},
			"no user":                  {func(in *domain.APITokenInput) { in.User = "nobody@example.com" }, `There is no user "nobody@example.com"`},
			"no organization":          {func(in *domain.APITokenInput) { in.Organizations = []string{"acme-inc", "nobody"} }, `There is no organization "nobody"`},
			"someone else's":           {func(in *domain.APITokenInput) { in.Organizations = []string{"elsewhere"} }, `dev@example.com is not a member of organization "elsewhere"`},
			"no scope":                 {func(in *domain.APITokenInput) { in.Scopes = []string{"read_everything"} }, `Scope "read_everything" is unknown`},
			"no address":               {func(in *domain.APITokenInput) { in.AllowedIPAddresses = "10/8" }, `Allowed IP addresses are not valid: "10/8" is not a CIDR address`},
			"an expiry now":            {func(in *domain.APITokenInput) { in.ExpiresAt = &operatorsNow }, "Expires at must be in the future"},
			"a short value":            {func(in *domain.APITokenInput) { in.Value = "only-nineteen-chars" }, "Token must be 20 or more printable ASCII characters without spaces"},
			"a value with a space":     {func(in *domain.APITokenInput) { in.Value = "twenty characters of text" }, "Token must be 20 or more printable ASCII characters without spaces"},
			"a value that is no text":  {func(in *domain.APITokenInput) { in.Value = "twenty-characters-of-text\x00" }, "Token must be 20 or more printable ASCII characters without spaces"},
			"a taken value":            {func(in *domain.APITokenInput) { in.Value = own }, "Token has already been taken"},
			"a user and organizations": {func(in *domain.APITokenInput) { in.User, in.Organizations = "x", []string{"acme-inc"} }, `There is no user "x"`},
		} {
			in := domain.APITokenInput{User: "dev@example.com", Description: "CI"}
			c.change(&in)
			_, value, err := s.CreateAPIToken(t.Context(), s.actor, in)
			refused(t, what, err, domain.Invalid, "Validation failed: "+c.want)
			if value != "" {
				t.Errorf("%s: a value is returned", what)
			}
		}
		s.expect("2", `SELECT CAST(count(*) AS TEXT) FROM api_tokens`)
		s.expect("1", `SELECT CAST(count(*) AS TEXT) FROM api_token_organizations`)
	})
}

func TestAPITokens(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		admin, dev := s.user("admin@example.com"), s.user("dev@example.com")
		for _, slug := range []string{"zeta", "acme-inc"} {
			s.organization(domain.OrganizationInput{Slug: slug, Admin: "admin@example.com"})
		}
		if err := s.AddMember(t.Context(), s.actor, "acme-inc", "dev@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		s.token(domain.APITokenInput{User: "admin@example.com", Description: "both", Organizations: []string{"zeta", "acme-inc"}, Scopes: []string{"read_user"}})
		s.token(domain.APITokenInput{User: "admin@example.com", Description: "none"})
		revoked, _ := s.token(domain.APITokenInput{User: "dev@example.com", Description: "one", Organizations: []string{"acme-inc"}})
		if err := s.RevokeAPIToken(t.Context(), s.actor, string(revoked.ID)); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			filter domain.APITokenFilter
			want   string
		}{
			{domain.APITokenFilter{}, "both none one"},
			{domain.APITokenFilter{User: "ADMIN@example.com"}, "both none"},
			{domain.APITokenFilter{Organization: "acme-inc"}, "both one"},
			{domain.APITokenFilter{User: "admin@example.com", Organization: "zeta"}, "both"},
			{domain.APITokenFilter{User: "dev@example.com", Organization: "zeta"}, ""},
		} {
			tokens, err := s.APITokens(t.Context(), s.actor, c.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, token := range tokens {
				got = append(got, token.Description)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%+v: got %v, want %s", c.filter, got, c.want)
			}
		}
		all, err := s.APITokens(t.Context(), s.actor, domain.APITokenFilter{})
		if err != nil || len(all) != 3 {
			t.Fatal(all, err)
		}
		both, one := all[0], all[2]
		if !slices.Equal(both.Organizations, []string{"acme-inc", "zeta"}) || both.User != admin || !both.Scopes.Has("read_user") || both.RevokedAt != nil {
			t.Errorf("got %+v", both)
		}
		if !slices.Equal(one.Organizations, []string{"acme-inc"}) || one.User != dev || one.RevokedAt == nil || !one.RevokedAt.Equal(operatorsNow) {
			t.Errorf("got %+v", one)
		}
		if all[1].Organizations != nil {
			t.Errorf("got %+v", all[1])
		}
		for filter, want := range map[domain.APITokenFilter]string{
			{User: "nobody@example.com"}: "No user found",
			{User: "\x00"}:               "No user found",
			{Organization: "nobody"}:     "No organization found",
			{Organization: "\x00"}:       "No organization found",
		} {
			_, err := s.APITokens(t.Context(), s.actor, filter)
			refused(t, "a filter", err, domain.NotFound, want)
		}
	})
}

func TestRevokeAPIToken(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.user("dev@example.com")
		const looksLikeAnID = "0190a1b2-0000-7000-8000-00000000000c"
		byID, first := s.token(domain.APITokenInput{User: "dev@example.com", Scopes: []string{"read_user"}})
		_, second := s.token(domain.APITokenInput{User: "dev@example.com", Scopes: []string{"read_user"}})
		_, third := s.token(domain.APITokenInput{User: "dev@example.com", Scopes: []string{"read_user"}, Value: looksLikeAnID})
		_, kept := s.token(domain.APITokenInput{User: "dev@example.com", Scopes: []string{"read_user"}})
		for _, idOrValue := range []string{strings.ToUpper(string(byID.ID)), second.Reveal(), third.Reveal()} {
			if err := s.RevokeAPIToken(t.Context(), s.actor, idOrValue); err != nil {
				t.Error(err)
			}
		}
		for _, value := range []domain.Secret{first, second, third} {
			if _, err := s.User(t.Context(), tokenActor(value)); domain.CodeOf(err) != domain.Unauthenticated {
				t.Errorf("using a revoked token: %v", err)
			}
		}
		if _, err := s.User(t.Context(), tokenActor(kept)); err != nil {
			t.Errorf("using another token: %v", err)
		}

		s.exec(`UPDATE api_tokens SET revoked_at = 1 WHERE id = $1`, byID.ID)
		if err := s.RevokeAPIToken(t.Context(), s.actor, first.Reveal()); err != nil {
			t.Errorf("revoking it again: %v", err)
		}
		s.expect("1", `SELECT CAST(revoked_at AS TEXT) FROM api_tokens WHERE id = $1`, byID.ID)

		for _, unknown := range []string{"", "\x00", "an-unknown-value-of-20-characters", "0190a1b2-0000-7000-8000-00000000000d"} {
			refused(t, "an unknown token", s.RevokeAPIToken(t.Context(), s.actor, unknown), domain.NotFound, "No API access token found")
		}
	})
}
