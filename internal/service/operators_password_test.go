package service_test

import (
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestSetPassword(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		operator, visitor := authz.OperatorActor(), authz.VisitorActor(home)
		// The administrator was made without a password.
		if err := s.Service.SetPassword(t.Context(), operator, " Admin@Example.com", rightPassword); err != nil {
			t.Fatal(err)
		}
		session, err := signIn(t, s, visitor, "admin@example.com", rightPassword)
		wantCode(t, "the first password", err, 0)

		for what, password := range map[string]domain.Secret{"none": "", "short": "1234567", "long": domain.Secret(strings.Repeat("x", 1025))} {
			wantCode(t, what, s.Service.SetPassword(t.Context(), operator, "admin@example.com", password), domain.Invalid)
		}
		for _, email := range []string{"nobody@example.com", "", "a\x00\xff"} {
			wantCode(t, "nobody", s.Service.SetPassword(t.Context(), operator, email, rightPassword), domain.NotFound)
		}
		_, err = s.Service.User(t.Context(), session)
		wantCode(t, "what is refused signs nobody out", err, 0)

		other := s.PermissionSession(t, "member@example.com")
		if err := s.Service.SetPassword(t.Context(), operator, "admin@example.com", "another one"); err != nil {
			t.Fatal(err)
		}
		_, err = s.Service.User(t.Context(), session)
		wantCode(t, "the session from before", err, domain.Unauthenticated)
		_, err = s.Service.User(t.Context(), other)
		wantCode(t, "another user's", err, 0)
		_, err = signIn(t, s, visitor, "admin@example.com", rightPassword)
		wantCode(t, "the old password", err, domain.Invalid)
		_, err = signIn(t, s, visitor, "admin@example.com", "another one")
		wantCode(t, "the new one", err, 0)

		events := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?type=USER_PASSWORD_RESET").Want(t, 200)
		if text := events.String(); strings.Count(text, `"type":"OPERATOR"`) != 2 || strings.Contains(text, "another one") || strings.Contains(text, "argon2") {
			t.Errorf("the events are %s", text)
		}
	})
}
