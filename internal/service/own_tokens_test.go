package service_test

import (
	"fmt"
	"slices"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

func TestOwnTokensAreReadTogether(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		member := s.PermissionSession(t, "member@example.com")
		testkit.Change(t, s.DB, `DELETE FROM api_tokens WHERE user_id = $1`, testkit.MemberID)
		testkit.Change(t, s.DB, `INSERT INTO organization_members (id, organization_id, user_id, role, created_at)
			SELECT 'm', id, $1, 'member', 0 FROM organizations WHERE slug = 'elsewhere'`, testkit.MemberID)
		granted := [][]string{{"acme-inc", "elsewhere"}, nil, {"elsewhere"}, {"acme-inc"}}
		read := func(many int) int64 {
			t.Helper()
			for i := range many {
				in := domain.APITokenInput{Description: fmt.Sprint(i), Organizations: granted[i%len(granted)]}
				if _, _, err := s.Service.CreateOwnToken(t.Context(), member, in); err != nil {
					t.Fatal(err)
				}
			}
			before := s.DB.Statements()
			tokens, err := s.Service.OwnTokens(t.Context(), member, domain.Page{Number: 1, Size: 100})
			if err != nil {
				t.Fatal(err)
			}
			for i, token := range tokens.Items[:many] {
				if want := granted[(many-1-i)%len(granted)]; !slices.Equal(token.Organizations, want) {
					t.Errorf("token %s is granted %v, want %v", token.Description, token.Organizations, want)
				}
			}
			return s.DB.Statements() - before
		}
		if few, many := read(1), read(8); many != few {
			t.Errorf("a token takes %d statements, many take %d", few, many)
		}
	})
}

// TestOnlyAdministratorsMakeTokensWhereSoChosen makes tokens for organizations of which one is restricted.
func TestOnlyAdministratorsMakeTokensWhereSoChosen(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		admin, member, outsider := s.PermissionSession(t, "admin@example.com"), s.PermissionSession(t, "member@example.com"), s.PermissionSession(t, "outsider@example.com")
		restrict := func(restricted bool) {
			t.Helper()
			if _, err := s.Service.UpdateOrganizationSettings(t.Context(), admin, domain.OrganizationRef{Slug: testkit.Organization},
				core.Value(domain.OrganizationPatch{RestrictUserAPITokenCreation: domain.Some(restricted)}), nil); err != nil {
				t.Fatal(err)
			}
		}
		create := func(by authz.Actor, organizations ...string) string {
			t.Helper()
			_, _, err := s.Service.CreateOwnToken(t.Context(), by, domain.APITokenInput{Description: "d", Organizations: organizations})
			if err != nil {
				return err.Error()
			}
			return ""
		}
		const refusal = "Validation failed: Only administrators of acme-inc may create API access tokens for it"
		for _, restricted := range []bool{true, false} {
			restrict(restricted)
			want := map[bool]string{true: refusal}[restricted]
			if got := create(member, "acme-inc"); got != want {
				t.Errorf("a member, restricted %t: %q", restricted, got)
			}
			if got := create(admin, "acme-inc"); got != "" {
				t.Errorf("an administrator: %s", got)
			}
			if got := create(member); got != "" { // for no organization
				t.Errorf("for none: %s", got)
			}
			// Whoever is no member is told no more than before.
			if got := create(outsider, "acme-inc", "elsewhere"); got != "Validation failed: "+domain.NotAMember("outsider@example.com", "acme-inc") {
				t.Errorf("an outsider: %s", got)
			}
		}
		restrict(true) // what is there stays
		if _, err := s.Service.Clusters(t.Context(), authz.TokenActor(authz.REST, testkit.MemberToken, home), testkit.Organization, onePage); err != nil {
			t.Error(err)
		}
	})
}
