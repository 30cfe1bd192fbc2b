package service_test

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestAdministratorsListTheLiveTokensOfTheirOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", "outsider@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		made := func(description string, change func(*domain.APITokenInput)) domain.APITokenID {
			t.Helper()
			s.Clock.Advance(time.Millisecond)
			in := domain.APITokenInput{User: "outsider@example.com", Description: description, Organizations: []string{"acme-inc", "elsewhere"}, Scopes: []string{"read_user"}}
			if change != nil {
				change(&in)
			}
			token, _, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), in)
			if err != nil {
				t.Fatal(err)
			}
			return token.ID
		}
		first := made("first", nil)
		made("elsewhere only", func(in *domain.APITokenInput) { in.Organizations = []string{"elsewhere"} })
		expiry := s.Clock.Now().Add(time.Hour)
		made("expires", func(in *domain.APITokenInput) { in.ExpiresAt = &expiry })
		revoked := made("revoked", nil)
		if err := s.Service.RevokeAPIToken(t.Context(), authz.OperatorActor(), string(revoked)); err != nil {
			t.Fatal(err)
		}
		admin := s.PermissionToken(t, "admin@example.com", "acme-inc", "")
		list := func(page domain.Page) domain.Paged[domain.OrganizationToken] {
			t.Helper()
			tokens, err := s.Service.OrganizationTokens(t.Context(), admin, "acme-inc", page)
			if err != nil {
				t.Fatal(err)
			}
			return tokens
		}
		descriptions := func(page domain.Page) string {
			var found []string
			for _, token := range list(page).Items {
				found = append(found, token.Description)
			}
			return strings.Join(found, ", ")
		}
		const fixture = "all, all, all, all, reads, writes, "
		if got := descriptions(domain.Page{Number: 1, Size: 100}); got != fixture+"first, expires, a test's" {
			t.Errorf("got %s", got)
		}
		if page := list(domain.Page{Number: 4, Size: 2}); page.Total != 9 || len(page.Items) != 2 || page.Items[0].ID != first || page.Items[0].User.Email != "outsider@example.com" {
			t.Errorf("got %+v", page)
		}
		s.Clock.Advance(time.Hour)
		if got := descriptions(domain.Page{Number: 1, Size: 100}); got != fixture+"first, a test's" {
			t.Errorf("got %s", got)
		}
		// Those that were not used for too long do not reach it.
		testkit.Change(t, s.DB, `UPDATE organizations SET revoke_inactive_tokens_after_days = 1`)
		s.Clock.Advance(24 * time.Hour)
		admin = s.PermissionToken(t, "admin@example.com", "acme-inc", "")
		if page := list(onePage); page.Total != 1 || len(page.Items) != 1 {
			t.Errorf("got %+v", page)
		}
	})
}

func TestAdministratorsRevokeATokenForTheirOrganizationOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", "outsider@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		both := s.PermissionToken(t, "outsider@example.com", "acme-inc elsewhere", "")
		admin := s.PermissionToken(t, "admin@example.com", "acme-inc", "")
		token, _, err := s.Service.AccessToken(t.Context(), both)
		if err != nil {
			t.Fatal(err)
		}
		revoke := func(id string) error {
			return s.Service.RevokeOrganizationToken(t.Context(), admin, domain.OrganizationRef{Slug: "acme-inc"}, id)
		}
		if err := revoke(strings.ToUpper(string(token.ID))); err != nil {
			t.Fatal(err)
		}
		_, err = s.Service.Clusters(t.Context(), both, "acme-inc", onePage)
		refused(t, "using it here", err, domain.NotFound, "No organization found")
		if _, err := s.Service.Clusters(t.Context(), both, "elsewhere", onePage); err != nil {
			t.Errorf("using it elsewhere: %v", err)
		}
		elsewhere, _, err := s.Service.AccessToken(t.Context(), s.PermissionToken(t, "outsider@example.com", "elsewhere", ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{string(token.ID), string(elsewhere.ID), "0190a1b2-0000-7000-8000-00000000000d", "x", "\x00"} {
			refused(t, "revoking "+id, revoke(id), domain.NotFound, "No API access token found")
		}
		events, err := s.Service.AuditEvents(t.Context(), admin, "acme-inc", domain.AuditFilter{Types: []domain.AuditEventType{domain.APIAccessTokenAccessRevoked}}, domain.CursorPage{Size: 10})
		if err != nil || len(events.Items) != 1 || events.Items[0].Subject.ID != string(token.ID) || events.Items[0].Actor.ID != testkit.AdminID {
			t.Errorf("the events are %+v, %v", events.Items, err)
		}
	})
}
