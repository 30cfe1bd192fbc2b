package service_test

import (
	"context"
	"errors"
	"fmt"
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

const rightPassword = domain.Secret("correct horse")

var home = netip.MustParseAddr("192.0.2.1")

// withPassword makes a user who can sign in, and belongs to no organization.
func withPassword(t *testing.T, s *testkit.Server, email string) {
	t.Helper()
	if _, err := s.Service.CreateUser(t.Context(), authz.OperatorActor(), domain.UserInput{Email: email, Name: "User", Password: rightPassword}); err != nil {
		t.Fatal(err)
	}
}

func signIn(t *testing.T, s *testkit.Server, from authz.Actor, email string, password domain.Secret) (authz.Actor, error) {
	t.Helper()
	value, err := s.Service.SignIn(t.Context(), from, domain.SignInInput{Email: email, Password: password})
	return authz.SessionActor(value.Reveal(), from.Address), err
}

func wantCode(t *testing.T, what string, err error, want domain.Code) {
	t.Helper()
	if domain.CodeOf(err) != want || want == 0 && err != nil {
		t.Errorf("%s: %v, want code %d", what, err, want)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		withPassword(t, s, "user@example.com")
		visitor := authz.VisitorActor(home)
		first, err := signIn(t, s, visitor, " User@Example.com", rightPassword)
		wantCode(t, "the right password", err, 0)
		user, err := s.Service.User(t.Context(), first)
		if err != nil || user.Email != "user@example.com" {
			t.Errorf("the session is %s's, %v", user.Email, err)
		}

		// Whether there is such a user does not show.
		_, wrong := signIn(t, s, visitor, "user@example.com", "wrong")
		_, unknown := signIn(t, s, visitor, "nobody@example.com", rightPassword)
		_, without := signIn(t, s, visitor, "admin@example.com", "")
		_, unreadable := signIn(t, s, visitor, "a\x00\xff", rightPassword)
		for name, err := range map[string]error{"wrong": wrong, "unknown": unknown, "without a password": without, "unreadable": unreadable} {
			if domain.CodeOf(err) != domain.Invalid || err.Error() != domain.WrongSignIn {
				t.Errorf("%s: %v", name, err)
			}
		}

		// A session that the browser had, perhaps given to it by somebody else, is worth nothing afterwards.
		second, err := signIn(t, s, first, "user@example.com", rightPassword)
		wantCode(t, "signing in again", err, 0)
		if second.Credential == first.Credential {
			t.Error("the session kept its value")
		}
		_, err = s.Service.User(t.Context(), first)
		wantCode(t, "the session from before", err, domain.Unauthenticated)

		s.Clock.Advance(domain.SessionLifetime - time.Second)
		_, err = s.Service.User(t.Context(), second)
		wantCode(t, "just before its end", err, 0)
		s.Clock.Advance(time.Second)
		_, err = s.Service.User(t.Context(), second)
		wantCode(t, "at its end", err, domain.Unauthenticated)
		if n, err := s.Service.PruneSessions(t.Context(), authz.OperatorActor()); n != 1 || err != nil {
			t.Errorf("%d sessions pruned, %v", n, err)
		}
	})
}

func TestSessionValuesAreNotStored(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		value, err := s.Service.SignInWithOIDC(t.Context(), authz.VisitorActor(home), domain.VerifiedClaims{Email: "admin@example.com", EmailVerified: true})
		if err != nil || len(value) != 43 {
			t.Fatal(len(value), err)
		}
		for _, row := range permissionDump(t, s.DB) {
			if strings.Contains(row, value.Reveal()) {
				t.Errorf("the value is in %s", row)
			}
		}
	})
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		withPassword(t, s, "user@example.com")
		from := func(i int) authz.Actor { return authz.VisitorActor(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)})) }
		// Each from another address; a user who does not exist is treated the same.
		for _, email := range []string{"user@example.com", "nobody@example.com"} {
			for i := range 10 {
				_, err := signIn(t, s, from(i), email, "wrong")
				wantCode(t, "a wrong password", err, domain.Invalid)
			}
			_, err := signIn(t, s, from(11), email, rightPassword)
			wantCode(t, "the eleventh attempt for "+email, err, domain.RateLimited)
			if e, ok := errors.AsType[*domain.Error](err); !ok || e.RetryAfter <= 0 || e.RetryAfter > 15*time.Minute {
				t.Errorf("%v says nothing of when to retry", err)
			}
		}
		s.Clock.Advance(15 * time.Minute)
		_, err := signIn(t, s, from(0), "user@example.com", rightPassword)
		wantCode(t, "after the window", err, 0)
		for range 9 {
			_, err := signIn(t, s, from(0), "user@example.com", "wrong")
			wantCode(t, "a wrong password", err, domain.Invalid)
		}
		_, err = signIn(t, s, from(0), "user@example.com", rightPassword)
		wantCode(t, "the right one", err, 0)
		_, err = signIn(t, s, from(0), "user@example.com", "wrong")
		wantCode(t, "a success forgets the failures", err, domain.Invalid)
	})
}

// TestOverloadIsNoFailureToSignIn: an attempt that found out nothing of the password, here because the caller left, counts for nothing.
func TestOverloadIsNoFailureToSignIn(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		withPassword(t, s, "user@example.com")
		signedIn, err := signIn(t, s, authz.VisitorActor(home), "user@example.com", rightPassword)
		wantCode(t, "the right password", err, 0)
		gone, leave := context.WithCancel(t.Context())
		leave()
		for range 10 {
			if _, err := s.Service.SignIn(gone, authz.VisitorActor(home), domain.SignInInput{Email: "user@example.com", Password: rightPassword}); !errors.Is(err, context.Canceled) {
				t.Fatalf("a caller who left is told %v", err)
			}
		}
		_, err = signIn(t, s, authz.VisitorActor(home), "user@example.com", rightPassword)
		wantCode(t, "the right password, afterwards", err, 0)

		for range 10 {
			err := s.Service.UpdateOwnPassword(t.Context(), signedIn, domain.PasswordInput{Current: "wrong", New: "another password"})
			wantCode(t, "a wrong current password", err, domain.Invalid)
		}
		err = s.Service.UpdateOwnPassword(t.Context(), signedIn, domain.PasswordInput{Current: rightPassword, New: "another password"})
		wantCode(t, "the eleventh attempt", err, domain.RateLimited)
	})
}

func TestSignInWithOIDC(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		visitor := authz.VisitorActor(home)
		for _, c := range []struct {
			claims domain.VerifiedClaims
			want   domain.Code
		}{
			{domain.VerifiedClaims{Email: "ADMIN@example.com", EmailVerified: true}, 0},
			{domain.VerifiedClaims{Email: "admin@example.com"}, domain.Forbidden},
			{domain.VerifiedClaims{Email: "nobody@example.com", EmailVerified: true}, domain.Forbidden},
			{domain.VerifiedClaims{Email: "", EmailVerified: true}, domain.Forbidden},
			{domain.VerifiedClaims{Email: "admin@example.com\x00", EmailVerified: true}, domain.Forbidden},
		} {
			_, err := s.Service.SignInWithOIDC(t.Context(), visitor, c.claims)
			wantCode(t, fmt.Sprint(c.claims), err, c.want)
		}
	})
}

func TestSessionsOfAUser(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		here, there, other := permissionSession(t, s, "admin@example.com"), permissionSession(t, s, "admin@example.com"), permissionSession(t, s, "member@example.com")
		sessions, err := s.Service.Sessions(t.Context(), here, onePage)
		if err != nil || sessions.Total != 2 || len(sessions.Items) != 2 || sessions.Items[0].Current == sessions.Items[1].Current {
			t.Errorf("%+v, %v", sessions, err)
		}
		wantCode(t, "signing out", s.Service.SignOut(t.Context(), there), 0)
		_, err = s.Service.User(t.Context(), there)
		wantCode(t, "signed out", err, domain.Unauthenticated)
		permissionSession(t, s, "admin@example.com")
		wantCode(t, "signing out everywhere", s.Service.SignOutEverywhere(t.Context(), here), 0)
		_, err = s.Service.User(t.Context(), here)
		wantCode(t, "signed out everywhere", err, domain.Unauthenticated)
		_, err = s.Service.User(t.Context(), other)
		wantCode(t, "another user", err, 0)
	})
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		withPassword(t, s, "user@example.com")
		visitor := authz.VisitorActor(home)
		here, _ := signIn(t, s, visitor, "user@example.com", rightPassword)
		there, _ := signIn(t, s, visitor, "user@example.com", rightPassword)
		for _, c := range []struct{ current, next domain.Secret }{{"wrong", "another one"}, {"", "another one"}, {rightPassword, "short"}, {rightPassword, ""}} {
			err := s.Service.UpdateOwnPassword(t.Context(), here, domain.PasswordInput{Current: c.current, New: c.next})
			wantCode(t, "a bad change", err, domain.Invalid)
		}
		_, err := s.Service.User(t.Context(), there)
		wantCode(t, "a bad change signs nobody out", err, 0)
		wantCode(t, "the change", s.Service.UpdateOwnPassword(t.Context(), here, domain.PasswordInput{Current: rightPassword, New: "another one"}), 0)
		_, err = s.Service.User(t.Context(), here)
		wantCode(t, "this browser", err, 0)
		_, err = s.Service.User(t.Context(), there)
		wantCode(t, "the other browser", err, domain.Unauthenticated)
		_, err = signIn(t, s, visitor, "user@example.com", rightPassword)
		wantCode(t, "the old password", err, domain.Invalid)
		_, err = signIn(t, s, visitor, "user@example.com", "another one")
		wantCode(t, "the new password", err, 0)
	})
}

func TestOwnTokens(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		admin, member := permissionSession(t, s, "admin@example.com"), permissionSession(t, s, "member@example.com")
		made, value, err := s.Service.CreateOwnToken(t.Context(), member, domain.APITokenInput{
			User: "admin@example.com", Value: "chosen-by-the-caller-itself", Description: "mine",
			Organizations: []string{testkit.Organization}, Scopes: []string{"read_user"},
		})
		if err != nil || value == "chosen-by-the-caller-itself" {
			t.Fatalf("%v, or the caller chose the value", err)
		}
		user, err := s.Service.User(t.Context(), authz.TokenActor(authz.REST, value.Reveal(), home))
		if err != nil || user.Email != "member@example.com" {
			t.Errorf("the token is %s's, %v", user.Email, err)
		}
		// An organization of others looks like one that does not exist.
		for _, slug := range []string{testkit.ElsewhereSlug, "nowhere", "Not a slug"} {
			_, _, err := s.Service.CreateOwnToken(t.Context(), member, domain.APITokenInput{Description: "d", Organizations: []string{slug}})
			if domain.CodeOf(err) != domain.Invalid || err.Error() != "Validation failed: "+domain.NotAMember("member@example.com", slug) {
				t.Errorf("%s: %v", slug, err)
			}
		}
		tokens, err := s.Service.OwnTokens(t.Context(), member, onePage)
		if err != nil || tokens.Total != 2 || tokens.Items[0].ID != made.ID || len(tokens.Items[0].Organizations) != 1 {
			t.Errorf("%+v, %v", tokens, err)
		}
		wantCode(t, "another's token", s.Service.RevokeOwnToken(t.Context(), admin, string(made.ID)), domain.NotFound)
		wantCode(t, "no token", s.Service.RevokeOwnToken(t.Context(), member, "x"), domain.NotFound)
		wantCode(t, "one's own", s.Service.RevokeOwnToken(t.Context(), member, string(made.ID)), 0)
		wantCode(t, "again", s.Service.RevokeOwnToken(t.Context(), member, string(made.ID)), domain.NotFound)
		_, err = s.Service.User(t.Context(), authz.TokenActor(authz.REST, value.Reveal(), home))
		wantCode(t, "the revoked token", err, domain.Unauthenticated)
	})
}

func setupInput(link domain.Secret) domain.SetupInput {
	return domain.SetupInput{Link: link, Name: "First", Email: "first@example.com", Password: rightPassword, OrganizationName: "Acme, Inc."}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		clock := testkit.NewClock()
		s := service.New(service.Options{Core: core.New(core.Options{DB: d, Now: clock.Now})})
		ctx, operator, visitor := t.Context(), authz.OperatorActor(), authz.VisitorActor(home)
		open := func() domain.Secret {
			t.Helper()
			link, err := s.OpenSetup(ctx, operator)
			if err != nil {
				t.Fatal(err)
			}
			return link
		}
		expired := open()
		clock.Advance(domain.SetupLifetime)
		_, err := s.CompleteSetup(ctx, visitor, setupInput(expired))
		wantCode(t, "a link that is too old", err, domain.NotFound)

		// Each node that starts makes a link.
		one, other := open(), open()
		wantCode(t, "a link", s.CheckSetup(ctx, visitor, one), 0)
		bad := setupInput(one)
		bad.Email, bad.Password, bad.OrganizationName, bad.Name = "nonsense", "short", "", ""
		_, err = s.CompleteSetup(ctx, visitor, bad)
		if e, ok := errors.AsType[*domain.Error](err); !ok || len(e.Fields) != 5 {
			t.Errorf("%v does not name what is wrong", err)
		}

		// Several at once, with both links: one wins.
		sessions, errs := make([]domain.Secret, 6), make([]error, 6)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				in := setupInput(one)
				if i%2 == 1 {
					in.Link = other
				}
				in.Email = fmt.Sprintf("first%d@example.com", i)
				in.OrganizationSlug = fmt.Sprintf("acme-%d", i)
				sessions[i], errs[i] = s.CompleteSetup(ctx, visitor, in)
			})
		}
		all.Wait()
		won := -1
		for i, err := range errs {
			if err == nil && won >= 0 {
				t.Errorf("%d and %d won", won, i)
			}
			if err == nil {
				won = i
			} else {
				wantCode(t, "one that lost", err, domain.NotFound)
			}
		}
		if won < 0 {
			t.Fatal("nobody won")
		}
		account, err := s.Account(ctx, authz.SessionActor(sessions[won].Reveal(), home), fmt.Sprintf("acme-%d", won))
		if err != nil || account.OrganizationsTotal != 1 || !account.Current.Administered() {
			t.Errorf("%+v, %v", account, err)
		}
		events, err := s.AuditEvents(ctx, authz.SessionActor(sessions[won].Reveal(), home), account.Current.Slug, domain.AuditFilter{}, domain.CursorPage{Size: 10})
		if err != nil || len(events.Items) != 1 || events.Items[0].Type != domain.OrganizationCreated || events.Items[0].Actor.ID != string(account.User.ID) {
			t.Errorf("%+v, %v", events, err)
		}
		for _, link := range []domain.Secret{one, other} {
			wantCode(t, "a link afterwards", s.CheckSetup(ctx, visitor, link), domain.NotFound)
		}
		if link := open(); link != "" {
			t.Error("an installation with users has a link")
		}
	})
}

// A link does not survive users who were made by other means.
func TestSetupEndsWithTheFirstUser(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := service.New(service.Options{Core: core.New(core.Options{DB: d})})
		link, err := s.OpenSetup(t.Context(), authz.OperatorActor())
		if err != nil || link == "" {
			t.Fatal(err)
		}
		if _, err := s.CreateUser(t.Context(), authz.OperatorActor(), domain.UserInput{Email: "a@example.com", Name: "A"}); err != nil {
			t.Fatal(err)
		}
		_, err = s.CompleteSetup(t.Context(), authz.VisitorActor(home), setupInput(link))
		wantCode(t, "after a user was made", err, domain.NotFound)
	})
}
