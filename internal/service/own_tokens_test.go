package service_test

import (
	"fmt"
	"slices"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestOwnTokensAreReadTogether(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		member := permissionSession(t, s, "member@example.com")
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
