package service_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

func TestADisabledUserCanDoNothing(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		operator, visitor := authz.OperatorActor(), authz.VisitorActor(home)
		testkit.Change(t, s.DB, `UPDATE organization_members SET role = 'admin' WHERE user_id = $1`, testkit.MemberID)
		if err := s.Service.SetPassword(t.Context(), operator, "member@example.com", rightPassword); err != nil {
			t.Fatal(err)
		}
		session := s.PermissionSession(t, "member@example.com")
		portal := s.Post(testkit.MemberToken, "/v2/organizations/acme-inc/portals", map[string]any{"name": "Theirs", "query": "{ __typename }"}).Want(t, http.StatusCreated)

		// What was admitted a moment ago is refused at once.
		s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/clusters").Want(t, http.StatusOK)
		s.GraphQL(testkit.MemberToken, "{ viewer { id } }", nil).Want(t, http.StatusOK)
		portals, err := s.Service.DisableUser(t.Context(), operator, " Member@Example.com")
		if err != nil || len(portals) != 1 || portals[0].Slug != "theirs" || portals[0].Organization != "acme-inc" {
			t.Errorf("they may know %v, %v", portals, err)
		}
		for _, path := range []string{"/v2/user", "/v2/access-token", "/v2/organizations", "/v2/organizations/acme-inc/clusters"} {
			s.Get(testkit.MemberToken, path).Want(t, http.StatusUnauthorized)
		}
		s.GraphQL(testkit.MemberToken, "{ viewer { id } }", nil).Want(t, http.StatusUnauthorized)
		_, err = s.Service.Account(t.Context(), session, "acme-inc")
		wantCode(t, "the session", err, domain.Unauthenticated)
		_, err = signIn(t, s, visitor, "member@example.com", rightPassword)
		wantCode(t, "the password", err, domain.Invalid)
		if err.Error() != domain.WrongSignIn {
			t.Errorf("who does not know the password learns %q", err)
		}
		_, err = s.Service.SignInWithOIDC(t.Context(), visitor, domain.VerifiedClaims{Email: "member@example.com", EmailVerified: true})
		wantCode(t, "single sign-on", err, domain.Forbidden)

		// The portal belongs to the organization.
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/portal/organizations/acme-inc/portals/theirs", Token: portal.Text("token"), Body: "{}"}).Want(t, http.StatusOK)
		// Others see the user as before.
		s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+testkit.MemberID).Want(t, http.StatusOK)

		if _, err := s.Service.DisableUser(t.Context(), operator, "member@example.com"); err != nil {
			t.Errorf("disabling again: %v", err)
		}
		wantCode(t, "enabling", s.Service.EnableUser(t.Context(), operator, "member@example.com"), 0)
		s.Get(testkit.MemberToken, "/v2/user").Want(t, http.StatusOK)
		_, err = s.Service.Account(t.Context(), session, "acme-inc")
		wantCode(t, "the session from before", err, domain.Unauthenticated)
		_, err = signIn(t, s, visitor, "member@example.com", rightPassword)
		wantCode(t, "the password again", err, 0)

		for _, email := range []string{"nobody@example.com", "", "a\x00\xff"} {
			_, err := s.Service.DisableUser(t.Context(), operator, email)
			wantCode(t, "nobody", err, domain.NotFound)
			wantCode(t, "nobody", s.Service.EnableUser(t.Context(), operator, email), domain.NotFound)
		}
		events := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?type=USER_UPDATED").Want(t, http.StatusOK)
		if text := events.String(); strings.Count(text, `"type":"OPERATOR"`) != 2 || strings.Count(text, `"disabled":true`) != 2 {
			t.Errorf("the events are %s", text)
		}
	})
}

func TestTheLastAdministratorIsNotDisabled(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		operator := authz.OperatorActor()
		_, err := s.Service.DisableUser(t.Context(), operator, "admin@example.com")
		wantCode(t, "the last one", err, domain.Invalid)
		if !strings.Contains(err.Error(), "last administrator of acme-inc") {
			t.Error(err)
		}
		s.Get(testkit.AdminToken, "/v2/user").Want(t, http.StatusOK)

		// One who is disabled does not count, neither for this nor for the organization's own changes.
		testkit.Change(t, s.DB, `UPDATE organization_members SET role = 'admin' WHERE user_id IN ($1, $2)`, testkit.MemberID, testkit.MaintainerID)
		disable := func(email string) error {
			_, err := s.Service.DisableUser(t.Context(), operator, email)
			return err
		}
		wantCode(t, "one of three", disable("member@example.com"), 0)
		wantCode(t, "one of two", disable("maintainer@example.com"), 0)
		wantCode(t, "the one that is left", disable("admin@example.com"), domain.Invalid)
		wantCode(t, "one comes back", s.Service.EnableUser(t.Context(), operator, "member@example.com"), 0)

		// Two at once leave one.
		var wait sync.WaitGroup
		var errs [2]error
		for i, email := range []string{"member@example.com", "admin@example.com"} {
			wait.Go(func() { errs[i] = disable(email) })
		}
		wait.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("of two administrators at once: %v", errs)
		}
	})
}

func TestPeopleOfADomainJoinBySingleSignOn(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{Service: func(o *service.Options) {
			o.Joining = domain.SSOJoining{Domains: []string{"Corp.example"}, Organization: "acme-inc", Role: domain.RoleMember}
		}})
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/teams", map[string]any{"name": "Everybody", "is_default_team": true}).Want(t, http.StatusCreated)
		visitor := authz.VisitorActor(home)
		join := func(claims domain.VerifiedClaims) error {
			_, err := s.Service.SignInWithOIDC(t.Context(), visitor, claims)
			return err
		}
		for _, email := range []string{"a@other.example", "a@sub.corp.example", "a@corp.example.other", "corp.example", "@corp.example", "a b@corp.example", ""} {
			wantCode(t, email, join(domain.VerifiedClaims{Email: email, EmailVerified: true}), domain.Forbidden)
		}
		wantCode(t, "unverified", join(domain.VerifiedClaims{Email: "new@corp.example"}), domain.Forbidden)

		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if err := join(domain.VerifiedClaims{Email: "New@corp.example", EmailVerified: true, Name: "New One"}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		members := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/members?per_page=100").Want(t, http.StatusOK)
		var joined map[string]any
		for _, m := range members.List() {
			if m["email"] == "New@corp.example" {
				joined = m
			}
		}
		if joined == nil || joined["name"] != "New One" || joined["role"] != "member" {
			t.Fatalf("the members are %s", members)
		}
		id, _ := joined["id"].(string)
		if n := countOf(t, s.DB, `SELECT count(*) FROM team_members WHERE user_id = '`+id+`'`); n != 1 {
			t.Errorf("they are in %d teams", n)
		}
		if n := countOf(t, s.DB, `SELECT count(*) FROM audit_events WHERE type = 'ORGANIZATION_MEMBER_CREATED' AND actor_id = '`+id+`'`); n != 1 {
			t.Errorf("%d events", n)
		}

		// Who was removed does not come back by signing in.
		s.Delete(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+id).Want(t, http.StatusNoContent)
		wantCode(t, "signing in again", join(domain.VerifiedClaims{Email: "new@corp.example", EmailVerified: true}), 0)
		s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+id).Want(t, http.StatusNotFound)
		// Nor does anybody who was a user before join.
		if _, err := s.Service.CreateUser(t.Context(), authz.OperatorActor(), domain.UserInput{Email: "old@corp.example", Name: "Old"}); err != nil {
			t.Fatal(err)
		}
		wantCode(t, "an old user", join(domain.VerifiedClaims{Email: "old@corp.example", EmailVerified: true}), 0)
		if n := countOf(t, s.DB, `SELECT count(*) FROM organization_members m JOIN users u ON u.id = m.user_id WHERE u.email = 'old@corp.example'`); n != 0 {
			t.Error("an old user has joined")
		}
	})
}

func TestMembersKeepTheirSSOMode(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := "/v2/organizations/acme-inc/members/" + testkit.MemberID
		if mode := s.Get(testkit.AdminToken, path).Want(t, http.StatusOK).Text("sso_mode"); mode != "optional" {
			t.Errorf("at first it is %q", mode)
		}
		s.Patch(testkit.AdminToken, path, map[string]any{"sso_mode": "sometimes"}).WantMessage(t, 422, "Validation failed: SSO mode must be required or optional")
		if mode := s.Patch(testkit.AdminToken, path, map[string]any{"sso_mode": "required"}).Want(t, http.StatusOK).Text("sso_mode"); mode != "required" {
			t.Errorf("then it is %q", mode)
		}
		_, err := s.Service.UpdateMember(t.Context(), authz.TokenActor(authz.REST, testkit.AdminToken, home), domain.OrganizationRef{Slug: "acme-inc"}, testkit.MemberID,
			core.Value(domain.MemberInput{Role: domain.Some("member")}), nil)
		wantCode(t, "another change", err, 0)
		if mode := s.Get(testkit.AdminToken, path).Text("sso_mode"); mode != "required" {
			t.Errorf("another change leaves %q", mode)
		}
	})
}
