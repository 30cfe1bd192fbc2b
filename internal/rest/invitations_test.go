package rest_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const invitationsPath = "/v2/organizations/acme-inc/invitations"

var visitorAddress = netip.MustParseAddr("192.0.2.1")

type fields = map[string]any

// invite invites one address and returns its invitation and the value of its link.
func invite(t *testing.T, s *testkit.Server, email string, also fields) (invitation map[string]any, link domain.Secret) {
	t.Helper()
	body := fields{"emails": []string{email}}
	for name, value := range also {
		body[name] = value
	}
	made := s.Post(testkit.AdminToken, invitationsPath, body).Want(t, http.StatusCreated).List()
	if len(made) != 1 {
		t.Fatalf("%v", made)
	}
	address, _ := made[0]["invitation_url"].(string)
	value, found := strings.CutPrefix(address, s.URL+domain.InvitationPath)
	if !found {
		t.Fatalf("the link is %q", address)
	}
	return made[0], domain.Secret(value)
}

// acceptAsNew makes an account by a link.
func acceptAsNew(t *testing.T, s *testkit.Server, link domain.Secret) (domain.Secret, error) {
	t.Helper()
	session, _, err := s.Service.AcceptInvitationAsNew(t.Context(), authz.VisitorActor(visitorAddress),
		domain.AcceptInput{Link: link, Name: "New One", Password: "long enough"})
	return session, err
}

func wantErrorCode(t *testing.T, what string, err error, code domain.Code) {
	t.Helper()
	if domain.CodeOf(err) != code || err != nil && code == 0 {
		t.Errorf("%s: %v, want code %d", what, err, code)
	}
}

func TestInvitationFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		made, _ := invite(t, s, "New@example.com", fields{"role": "admin", "sso_mode": "optional", "teams": []fields{{"id": testkit.TeamID, "role": "maintainer"}}})
		id, _ := made["id"].(string)
		one := s.Get(testkit.AdminToken, invitationsPath+"/"+id).Want(t, http.StatusOK)
		wantExactly(t, one.Object(), `{"id": "ID", "graphql_id": "GID", "url": "BASE/v2/organizations/acme-inc/invitations/ID", "email": "New@example.com", "state": "pending",
			"role": "admin", "sso_mode": "optional", "teams": [{"id": "TEAM", "graphql_id": "TGID", "slug": "platform"}], "created_at": "CREATED",
			"created_by": {"id": "USER", "graphql_id": "UGID", "name": "Admin", "email": "admin@example.com", "avatar_url": "BASE/avatars/USER.svg", "created_at": "2026-05-03T04:17:55.867Z"},
			"accepted_at": null, "accepted_by": null, "revoked_at": null, "revoked_by": null, "expired_at": null}`,
			"TGID", globalID("Team", testkit.TeamID), "UGID", globalID("User", testkit.AdminID), "GID", globalID("OrganizationInvitation", id), "ID", id,
			"USER", testkit.AdminID, "TEAM", testkit.TeamID, "CREATED", one.Text("created_at"), "BASE", s.URL)
		made, _ = invite(t, s, "other@example.com", nil)
		if made["role"] != "member" || made["sso_mode"] != "required" || fmt.Sprint(made["teams"]) != "[]" {
			t.Errorf("by default: %v", made)
		}
		if text := s.Get(testkit.AdminToken, invitationsPath).Want(t, http.StatusOK).String(); strings.Contains(text, "invitation_url") {
			t.Error("a list shows links")
		}
		for _, bad := range []string{unknownUUID, "x", "%00"} {
			s.Get(testkit.AdminToken, invitationsPath+"/"+bad).WantMessage(t, http.StatusNotFound, "No organization invitation found")
			s.Delete(testkit.AdminToken, invitationsPath+"/"+bad).WantMessage(t, http.StatusNotFound, "No organization invitation found")
		}
	})
}

func TestInvitationsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		wantExactly(t, s.Get(testkit.AdminToken, invitationsPath).Want(t, http.StatusOK).List(), `[]`)
		for i := range 5 {
			invite(t, s, fmt.Sprintf("a%d@example.com", i), nil)
		}
		var seen []any
		for next := invitationsPath + "?per_page=2"; next != ""; {
			page := s.Get(testkit.AdminToken, next).Want(t, http.StatusOK)
			seen = append(seen, testkit.Column(page.List(), "email")...)
			next, _ = page.Object()["links"].(map[string]any)["next"].(string)
		}
		wantExactly(t, seen, `["a4@example.com", "a3@example.com", "a2@example.com", "a1@example.com", "a0@example.com"]`)
		revoked, _ := s.Get(testkit.AdminToken, invitationsPath).List()[0]["id"].(string)
		s.Delete(testkit.AdminToken, invitationsPath+"/"+revoked).Want(t, http.StatusNoContent)
		testkit.Change(t, s.DB, `UPDATE invitations SET expires_at = 1 WHERE email = 'a3@example.com'`)
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, invitationsPath).List(), "email"), `["a2@example.com", "a1@example.com", "a0@example.com"]`)
	})
}

func TestInvitationsAreMadeAllOrNone(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		many := make([]string, 101)
		for i := range many {
			many[i] = fmt.Sprintf("a%d@example.com", i)
		}
		foreign := s.Post(testkit.OutsiderToken, "/v2/organizations/elsewhere/teams", fields{"name": "Theirs"}).Want(t, http.StatusCreated).Text("id")
		team := fields{"id": testkit.TeamID}
		for message, body := range map[string]fields{
			`Emails can't be blank`:                               {"emails": []string{}},
			`Emails can have at most 100 addresses`:               {"emails": many},
			`"nobody" is not an email address`:                    {"emails": []string{"good@example.com", "nobody"}},
			`"a@example.com\r\nBcc: b@c" is not an email address`: {"emails": []string{"a@example.com\r\nBcc: b@c"}},
			`MEMBER@example.com is already a member`:              {"emails": []string{"good@example.com", "MEMBER@example.com"}},
			`Role must be admin or member`:                        {"emails": []string{"good@example.com"}, "role": "owner"},
			`SSO mode must be required or optional`:               {"emails": []string{"good@example.com"}, "sso_mode": "never"},
			`Teams can't name a team twice`:                       {"emails": []string{"good@example.com"}, "teams": []fields{team, team}},
			`Teams must be teams of the organization`:             {"emails": []string{"good@example.com"}, "teams": []fields{team, {"id": foreign}}},
			`Role must be maintainer or member`:                   {"emails": []string{"good@example.com"}, "teams": []fields{{"id": testkit.TeamID, "role": "x"}}},
		} {
			s.Post(testkit.AdminToken, invitationsPath, body).WantMessage(t, http.StatusUnprocessableEntity, "Validation failed: "+message)
		}
		wantExactly(t, s.Get(testkit.AdminToken, invitationsPath).List(), `[]`)

		// Case counts once, and whether somebody is a user elsewhere is not told.
		made := s.Post(testkit.AdminToken, invitationsPath, fields{"emails": []string{"A@example.com", " a@Example.com", "outsider@example.com"}}).Want(t, http.StatusCreated)
		wantExactly(t, testkit.Column(made.List(), "email"), `["A@example.com", "outsider@example.com"]`)
		if n := storedNumber(t, s, `SELECT count(*) FROM audit_events WHERE type = 'ORGANIZATION_INVITATION_CREATED'`); n != 2 {
			t.Errorf("%d events", n)
		}
		for _, value := range testkit.Column(made.List(), "invitation_url") {
			link := strings.TrimPrefix(value.(string), s.URL+domain.InvitationPath)
			for _, row := range testkit.Rows(t, s.DB) {
				if strings.Contains(row, link) {
					t.Errorf("a link's value is stored: %s", row)
				}
			}
		}
		// A request that comes again is told what it made, and not the link, which is not stored for it.
		request := testkit.Request{Method: http.MethodPost, Path: invitationsPath, Token: testkit.AdminToken, Body: fields{"emails": []string{"once@example.com"}},
			Header: map[string]string{"Idempotency-Key": "once"}}
		once := s.Do(request).Want(t, http.StatusCreated).List()[0]
		if again := s.Do(request).Want(t, http.StatusConflict); !strings.Contains(again.Message(), once["id"].(string)) {
			t.Errorf("%s", again)
		}
		for _, row := range testkit.Rows(t, s.DB) {
			if strings.Contains(row, strings.TrimPrefix(once["invitation_url"].(string), s.URL+domain.InvitationPath)) {
				t.Errorf("a link's value is stored: %s", row)
			}
		}
		s.Post(testkit.MemberToken, invitationsPath, fields{"emails": []string{"x@example.com"}}).Want(t, http.StatusForbidden)
		s.Get(testkit.MemberToken, invitationsPath).Want(t, http.StatusForbidden)
		s.Post(testkit.WriteOnlyToken, invitationsPath, fields{"emails": []string{"x@example.com"}}).Want(t, http.StatusForbidden)
	})
}

// TestAnOrganizationSendsSoManyInvitationsADay invites many people, and sends the invitations of some again.
func TestAnOrganizationSendsSoManyInvitationsADay(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		invite := func(from, count int) *testkit.Answer {
			emails := make([]string, count)
			for i := range emails {
				emails[i] = fmt.Sprintf("person-%d@example.com", from+i)
			}
			return s.Post(testkit.AdminToken, invitationsPath, map[string]any{"emails": emails})
		}
		for i := range 4 {
			invite(i*100, 100).Want(t, 201)
		}
		invite(400, 99).Want(t, 201)
		const refusal = "The organization can send at most 500 invitations within 24 hours. Please send the others later."
		invite(499, 2).WantMessage(t, 422, refusal)
		invite(499, 1).Want(t, 201)
		invite(500, 1).WantMessage(t, 422, refusal)
		testkit.Exec(t, s.DB, `UPDATE invitations SET created_at = created_at - 86400000000 WHERE email = 'person-0@example.com'`)
		last := invite(500, 1).Want(t, 201)
		invite(501, 1).WantMessage(t, 422, refusal)

		// What is sent again counts too, whoever it is sent to.
		testkit.Exec(t, s.DB, `UPDATE invitations SET created_at = created_at - 86400000000 WHERE email IN ('person-1@example.com', 'person-2@example.com', 'person-3@example.com')`)
		id := last.List()[0]["id"].(string)
		resend := func(want string) {
			t.Helper()
			_, err := s.Service.ResendInvitation(t.Context(), authz.TokenActor(authz.REST, testkit.AdminToken, visitorAddress), domain.OrganizationRef{Slug: "acme-inc"}, id)
			if got := fmt.Sprint(err); got != want {
				t.Errorf("it is sent again: %s, not %s", got, want)
			}
		}
		resend("<nil>")
		resend("<nil>")
		invite(501, 2).WantMessage(t, 422, refusal)
		resend("<nil>")
		resend(refusal)
		invite(501, 1).WantMessage(t, 422, refusal)
	})
}

func TestAnInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		everybody := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/teams", fields{"name": "Everybody", "is_default_team": true}).Want(t, http.StatusCreated).Text("id")
		made, link := invite(t, s, "new@example.com", fields{"role": "admin", "sso_mode": "optional", "teams": []fields{{"id": testkit.TeamID, "role": "maintainer"}}})
		path := invitationsPath + "/" + made["id"].(string)
		_, err := acceptAsNew(t, s, "nothing")
		wantErrorCode(t, "another link", err, domain.NotFound)
		_, _, err = s.Service.AcceptInvitationAsNew(t.Context(), authz.VisitorActor(visitorAddress), domain.AcceptInput{Link: link, Name: " ", Password: "short"})
		wantErrorCode(t, "a bad name and password", err, domain.Invalid)

		var wait sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wait.Go(func() { _, errs[i] = acceptAsNew(t, s, link) })
		}
		wait.Wait()
		accepted := 0
		for _, err := range errs {
			if err == nil {
				accepted++
			} else if code := domain.CodeOf(err); code != domain.NotFound && code != domain.Invalid {
				t.Errorf("at once: %v", err)
			}
		}
		if accepted != 1 {
			t.Fatalf("accepted %d times: %v", accepted, errs)
		}
		one := s.Get(testkit.AdminToken, path).Want(t, http.StatusOK)
		user, _ := one.Object()["accepted_by"].(map[string]any)
		if one.Text("state") != "accepted" || one.Text("accepted_at") == "" || user["email"] != "new@example.com" {
			t.Errorf("%s", one)
		}
		id, _ := user["id"].(string)
		wantMembers(t, s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+id).Want(t, http.StatusOK), `{"role": "admin", "sso_mode": "optional", "name": "New One"}`)
		wantMembers(t, s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/teams/"+testkit.TeamID+"/members/"+id).Want(t, http.StatusOK), `{"role": "maintainer"}`)
		s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/teams/"+everybody+"/members/"+id).Want(t, http.StatusOK)
		s.Delete(testkit.AdminToken, path).WantMessage(t, http.StatusUnprocessableEntity, domain.NotPending)
		for _, event := range []string{"ORGANIZATION_INVITATION_ACCEPTED", "ORGANIZATION_MEMBER_CREATED"} {
			if n := storedNumber(t, s, `SELECT count(*) FROM audit_events WHERE type = '`+event+`' AND actor_id = '`+id+`'`); n != 1 {
				t.Errorf("%d events %s", n, event)
			}
		}

		// Nobody takes over an account by an invitation of its address.
		_, link = invite(t, s, "outsider@example.com", nil)
		_, err = acceptAsNew(t, s, link)
		wantErrorCode(t, "an address that has an account", err, domain.Invalid)
		session, err := s.Service.SignInWithOIDC(t.Context(), authz.VisitorActor(visitorAddress), domain.VerifiedClaims{Email: "outsider@example.com", EmailVerified: true})
		if err != nil {
			t.Fatal(err)
		}
		outsider := authz.SessionActor(session.Reveal(), visitorAddress)
		_, err = s.Service.AcceptInvitation(t.Context(), authz.TokenActor(authz.REST, testkit.OutsiderToken, visitorAddress), link)
		wantErrorCode(t, "a token", err, domain.Forbidden)
		slug, err := s.Service.AcceptInvitation(t.Context(), outsider, link)
		if err != nil || slug != "acme-inc" {
			t.Errorf("%q, %v", slug, err)
		}
		_, link = invite(t, s, "more@example.com", nil)
		_, err = s.Service.AcceptInvitation(t.Context(), outsider, link)
		wantErrorCode(t, "a member", err, domain.Invalid)
	})
}

func TestInvitationsThatDoNotWork(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization := domain.OrganizationRef{Slug: "acme-inc"}
		admin := authz.TokenActor(authz.REST, testkit.AdminToken, visitorAddress)
		made, link := invite(t, s, "new@example.com", nil)
		id := made["id"].(string)
		testkit.Change(t, s.DB, `UPDATE invitations SET expires_at = created_at`)
		_, err := acceptAsNew(t, s, link)
		wantErrorCode(t, "an expired one", err, domain.NotFound)
		one := s.Get(testkit.AdminToken, invitationsPath+"/"+id)
		if one.Text("state") != "expired" || one.Text("expired_at") == "" {
			t.Errorf("%s", one)
		}
		s.Delete(testkit.AdminToken, invitationsPath+"/"+id).Want(t, http.StatusUnprocessableEntity)

		// Sent again, it works by its new link.
		sent, err := s.Service.ResendInvitation(t.Context(), admin, organization, id)
		wantErrorCode(t, "sending again", err, 0)
		_, err = acceptAsNew(t, s, link)
		wantErrorCode(t, "the old link", err, domain.NotFound)
		_, err = s.Service.InvitationOffer(t.Context(), authz.VisitorActor(visitorAddress), sent.Link)
		wantErrorCode(t, "the new link", err, 0)

		// Revoked while it is accepted: one of both.
		var wait sync.WaitGroup
		var accepted, revoked error
		wait.Go(func() { _, accepted = acceptAsNew(t, s, sent.Link) })
		wait.Go(func() { _, revoked = s.Service.RevokeInvitation(t.Context(), admin, organization, id, nil) })
		wait.Wait()
		if (accepted == nil) == (revoked == nil) {
			t.Errorf("accepted: %v, revoked: %v", accepted, revoked)
		}
		_, err = s.Service.ResendInvitation(t.Context(), admin, organization, id)
		wantErrorCode(t, "sending again what is settled", err, domain.Invalid)

		// A team that is deleted meanwhile is left out.
		team := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/teams", fields{"name": "Gone"}).Text("id")
		_, link = invite(t, s, "teamless@example.com", fields{"teams": []fields{{"id": team}}})
		s.Delete(testkit.AdminToken, "/v2/organizations/acme-inc/teams/"+team).Want(t, http.StatusNoContent)
		_, err = acceptAsNew(t, s, link)
		wantErrorCode(t, "without its team", err, 0)

		// Who may not invite any more leaves no way in.
		testkit.Change(t, s.DB, `UPDATE organization_members SET role = 'admin' WHERE user_id IN ($1, $2, $3)`, testkit.MemberID, testkit.MaintainerID, testkit.TeammateID)
		for token, end := range map[string]func(){
			testkit.MemberToken: func() {
				s.Delete(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+testkit.MemberID).Want(t, http.StatusNoContent)
			},
			testkit.MaintainerToken: func() {
				s.Patch(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+testkit.MaintainerID, fields{"role": "member"}).Want(t, http.StatusOK)
			},
			testkit.TeammateToken: func() {
				_, err := s.Service.DisableUser(t.Context(), authz.OperatorActor(), "teammate@example.com")
				wantErrorCode(t, "disabling", err, 0)
			},
		} {
			theirs := s.Post(token, invitationsPath, fields{"emails": []string{"back@example.com"}, "role": "admin"}).Want(t, http.StatusCreated).List()[0]
			end()
			_, err := acceptAsNew(t, s, domain.Secret(strings.TrimPrefix(theirs["invitation_url"].(string), s.URL+domain.InvitationPath)))
			wantErrorCode(t, "an invitation whose maker is gone", err, domain.NotFound)
			wantMembers(t, s.Get(testkit.AdminToken, invitationsPath+"/"+theirs["id"].(string)), `{"state": "revoked"}`)
		}
	})
}

func TestSingleSignOnEndsWhatAnUnprovedAccountHad(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		visitor := authz.VisitorActor(visitorAddress)
		_, link := invite(t, s, "victim@example.com", nil)
		session, err := acceptAsNew(t, s, link) // by who made the invitation, say
		wantErrorCode(t, "making the account", err, 0)
		first := authz.SessionActor(session.Reveal(), visitorAddress)
		_, token, err := s.Service.CreateOwnToken(t.Context(), first, domain.APITokenInput{Description: "Theirs", Organizations: []string{"acme-inc"}, Scopes: []string{"read_user"}})
		wantErrorCode(t, "a token", err, 0)
		s.Get(token.Reveal(), "/v2/user").Want(t, http.StatusOK)

		for range 2 { // the second time nothing ends
			session, err = s.Service.SignInWithOIDC(t.Context(), visitor, domain.VerifiedClaims{Email: "victim@example.com", EmailVerified: true})
			wantErrorCode(t, "single sign-on", err, 0)
		}
		_, err = s.Service.Account(t.Context(), first, "")
		wantErrorCode(t, "the session from before", err, domain.Unauthenticated)
		s.Get(token.Reveal(), "/v2/user").Want(t, http.StatusUnauthorized)
		_, err = s.Service.SignIn(t.Context(), visitor, domain.SignInInput{Email: "victim@example.com", Password: "long enough"})
		wantErrorCode(t, "the password from before", err, domain.Invalid)
		_, err = s.Service.Account(t.Context(), authz.SessionActor(session.Reveal(), visitorAddress), "acme-inc")
		wantErrorCode(t, "the new session", err, 0)
	})
}
