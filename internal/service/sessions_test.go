package service_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

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

// withCheapPassword is withPassword for who guesses a hundred times: the password's hash takes as little work as one may.
func withCheapPassword(t *testing.T, s *testkit.Server, email string) {
	t.Helper()
	withPassword(t, s, email)
	salt := []byte("salt of tests")
	sum := argon2.IDKey([]byte(rightPassword.Reveal()), salt, 1, 8, 1, 32)
	encode := base64.RawStdEncoding.EncodeToString
	testkit.Change(t, s.DB, `UPDATE users SET password_hash = $1 WHERE email = $2`, fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version, encode(salt), encode(sum)), email)
}

func signIn(t *testing.T, s *testkit.Server, from authz.Actor, email string, password domain.Secret) (authz.Actor, error) {
	t.Helper()
	signedIn, err := s.Service.SignIn(t.Context(), from, domain.SignInInput{Email: email, Password: password})
	return authz.SessionActor(signedIn.Session.Reveal(), from.Address), err
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
		for _, row := range testkit.PermissionRows(t, s.DB) {
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
		// A user who does not exist is treated the same.
		for _, email := range []string{"user@example.com", "nobody@example.com"} {
			for range 10 {
				_, err := signIn(t, s, from(0), email, "wrong")
				wantCode(t, "a wrong password", err, domain.Invalid)
			}
			_, err := signIn(t, s, from(0), email, rightPassword)
			wantCode(t, "the eleventh attempt for "+email, err, domain.RateLimited)
			if e, ok := errors.AsType[*domain.Error](err); !ok || e.RetryAfter <= 0 || e.RetryAfter > 15*time.Minute {
				t.Errorf("%v says nothing of when to retry", err)
			}
		}
		_, err := signIn(t, s, from(1), "user@example.com", rightPassword)
		wantCode(t, "from elsewhere", err, 0)
		s.Clock.Advance(15 * time.Minute)
		_, err = signIn(t, s, from(0), "user@example.com", rightPassword)
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

// TestNobodyLocksOutAnother has strangers fail for a user, from the user's own address and from so many that all unknown browsers are
// refused. The user's own browser is not.
func TestNobodyLocksOutAnother(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		withCheapPassword(t, s, "user@example.com")
		withCheapPassword(t, s, "other@example.com")
		try := func(from netip.Addr, email string, password domain.Secret, browser domain.BrowserMarks) (domain.SignedIn, error) {
			return s.Service.SignIn(t.Context(), authz.VisitorActor(from), domain.SignInInput{Email: email, Password: password, Browser: browser})
		}
		first, err := try(home, "user@example.com", rightPassword, "")
		wantCode(t, "the first time", err, 0)
		both, err := try(home, "other@example.com", rightPassword, first.Browser)
		wantCode(t, "another user of the browser", err, 0)

		for i := range 100 {
			from := home
			if i >= 10 {
				from = netip.AddrFrom4([4]byte{198, 51, 100, byte(i)})
			}
			_, err := try(from, "user@example.com", "wrong", "")
			wantCode(t, "a stranger's guess", err, domain.Invalid)
		}
		elsewhere := netip.MustParseAddr("203.0.113.1")
		_, err = try(elsewhere, "user@example.com", rightPassword, "")
		wantCode(t, "an unknown browser after a hundred failures", err, domain.RateLimited)
		_, err = try(elsewhere, "other@example.com", rightPassword, "")
		wantCode(t, "another user", err, 0)
		for name, marks := range map[string]domain.BrowserMarks{"the browser": first.Browser, "the browser of two": both.Browser} {
			again, err := try(home, "user@example.com", rightPassword, marks)
			wantCode(t, name, err, 0)
			if again.Browser != marks {
				t.Errorf("%s was marked again", name)
			}
		}
		stranger, _ := try(elsewhere, "other@example.com", rightPassword, "")
		name, proof, _ := strings.Cut(string(first.Browser), "-")
		for what, forged := range map[string]domain.BrowserMarks{
			"another user's browser": stranger.Browser, "another name": domain.BrowserMarks(name[1:] + name[:1] + "0-" + proof), "another proof": domain.BrowserMarks(name + "-" + strings.Repeat("0", 64)),
			"no proof": domain.BrowserMarks(name), "nonsense": "..-.-",
		} {
			_, err := try(home, "user@example.com", rightPassword, forged)
			wantCode(t, what, err, domain.RateLimited)
		}

		// A browser that is known has a limit too, which is its own.
		for range 10 {
			_, err := try(home, "other@example.com", "wrong", both.Browser)
			wantCode(t, "a guess at a known browser", err, domain.Invalid)
		}
		_, err = try(home, "other@example.com", rightPassword, both.Browser)
		wantCode(t, "the eleventh", err, domain.RateLimited)
		_, err = try(home, "user@example.com", rightPassword, both.Browser)
		wantCode(t, "its other user", err, 0)

		// A new password makes the user's browsers unknown.
		wantCode(t, "a new password", s.Service.UpdateOwnPassword(t.Context(), authz.SessionActor(first.Session.Reveal(), home),
			domain.PasswordInput{Current: rightPassword, New: "another password"}), 0)
		_, err = try(home, "user@example.com", "another password", first.Browser)
		wantCode(t, "after it", err, domain.RateLimited)
	})
}

// TestFailedSignInsAreLogged: operators see from where and for whom, and nothing that was typed.
func TestFailedSignInsAreLogged(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		var log bytes.Buffer
		s := testkit.NewServer(t, d, testkit.ServerOptions{Core: func(o *core.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }})
		withPassword(t, s, "user@example.com")
		wantLog := func(what string, want ...string) {
			t.Helper()
			for _, text := range want {
				if !strings.Contains(log.String(), text) {
					t.Errorf("%s: no %s in %q", what, text, &log)
				}
			}
			for _, secret := range []string{"user@example.com", "hunter2", string(rightPassword)} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("%s: %s is in the log", what, secret)
				}
			}
			log.Reset()
		}
		visitor := authz.VisitorActor(home)
		_, _ = signIn(t, s, visitor, "user@example.com", rightPassword)
		if log.Len() > 0 {
			t.Errorf("a sign-in is logged as %s", &log)
		}
		for range 10 {
			_, _ = signIn(t, s, visitor, " USER@example.com", "hunter2")
		}
		wantLog("a failure", `level=WARN msg="sign-in failed"`, "address=192.0.2.1", "user=0", "email_sha256="+domain.HashToken("user@example.com"))
		_, _ = signIn(t, s, visitor, "user@example.com", "hunter2")
		wantLog("too many", "sign-in refused: too many failures", "address=192.0.2.1", "user=0")
		_, _ = signIn(t, s, visitor, "hunter2", "hunter2")
		wantLog("no such user", "sign-in failed", "email_sha256=")
		ended, err := s.Service.BeginOIDC(t.Context(), visitor)
		wantCode(t, "single sign-on", err, 0)
		ended(authz.ErrForbidden)
		wantLog("single sign-on", "sign-in failed", "address=192.0.2.1")
	})
}

// TestBrowsersKnowFewUsers: what a browser keeps is bounded.
func TestBrowsersKnowFewUsers(t *testing.T) {
	t.Parallel()
	var marks domain.BrowserMarks
	for i := range 10 {
		marks = marks.With(domain.UserID(fmt.Sprint(i)), "hash")
	}
	if len(marks) > 400 {
		t.Errorf("%d bytes", len(marks))
	}
	for i := range 10 {
		if known := marks.Known(domain.UserID(fmt.Sprint(i)), "hash") != ""; known != (i >= 6) {
			t.Errorf("user %d is known: %v", i, known)
		}
	}
	if marks.Known("9", "") != "" || marks.With("nobody", "") != marks {
		t.Error("who has no password is known")
	}
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
		here, there, other := s.PermissionSession(t, "admin@example.com"), s.PermissionSession(t, "admin@example.com"), s.PermissionSession(t, "member@example.com")
		sessions, err := s.Service.Sessions(t.Context(), here, onePage)
		if err != nil || sessions.Total != 2 || len(sessions.Items) != 2 || sessions.Items[0].Current == sessions.Items[1].Current {
			t.Errorf("%+v, %v", sessions, err)
		}
		wantCode(t, "signing out", s.Service.SignOut(t.Context(), there), 0)
		_, err = s.Service.User(t.Context(), there)
		wantCode(t, "signed out", err, domain.Unauthenticated)
		s.PermissionSession(t, "admin@example.com")
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
		admin, member := s.PermissionSession(t, "admin@example.com"), s.PermissionSession(t, "member@example.com")
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
