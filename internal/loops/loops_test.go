package loops_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/loops"
	"penstock/internal/testkit"
)

func quiet() loops.Options { return loops.Options{Logger: slog.New(slog.DiscardHandler)} }

func TestJobsRunAtOnceAndThenAfterEachPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		running := loops.Start(quiet(), []loops.Loop{{Name: "tick", Every: time.Second, Run: func(context.Context) error {
			at = append(at, time.Since(start))
			return nil
		}}})
		<-time.After(2500 * time.Millisecond)
		running.Stop(t.Context())
		if len(at) != 3 || at[0] != 0 || at[2] != 2*time.Second {
			t.Errorf("ran at %v, want 0, 1 and 2 s", at)
		}
		<-time.After(time.Minute)
		if len(at) != 3 {
			t.Error("ran after Stop")
		}
	})
}

func TestASlowJobDoesNotHoldUpTheOthersAndIsBrokenOffAtStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ticks int
		var ended error
		running := loops.Start(quiet(), []loops.Loop{
			{Name: "slow", Every: time.Second, Run: func(ctx context.Context) error {
				<-ctx.Done()
				ended = ctx.Err()
				return ended
			}},
			{Name: "tick", Every: time.Second, Run: func(context.Context) error { ticks++; return nil }},
		})
		<-time.After(10500 * time.Millisecond)
		running.Stop(t.Context())
		if ticks != 11 || !errors.Is(ended, context.Canceled) {
			t.Errorf("%d ticks, slow ended with %v; want 11, canceled", ticks, ended)
		}
	})
}

func TestStopLetsAJobFinishThatMustNotLoseAnythingAndRunsItOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var finished []error
		running := loops.Start(quiet(), []loops.Loop{{Name: "flush", Every: time.Second, Last: true, Run: func(ctx context.Context) error {
			select {
			case <-time.After(3 * time.Second):
			case <-ctx.Done():
			}
			finished = append(finished, ctx.Err())
			return ctx.Err()
		}}})
		synctest.Wait()
		running.Stop(t.Context())
		if len(finished) != 2 || finished[0] != nil || finished[1] != nil {
			t.Errorf("runs ended with %v, want two without error", finished)
		}
	})
}

func TestStopWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		running := loops.Start(quiet(), []loops.Loop{{Name: "stuck", Every: time.Second, Last: true, Run: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		running.Stop(ctx)
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("Stop took %v", took)
		}
	})
}

func TestTheCauseOfAnErrorIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		running := loops.Start(loops.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
			[]loops.Loop{{Name: "broken", Every: time.Second, Last: true, Run: func(context.Context) error {
				return domain.UnavailableError("Please retry.", time.Second, errors.New("disk full"))
			}}})
		synctest.Wait()
		running.Stop(t.Context())
		if n := strings.Count(log.String(), `error="Please retry. (disk full)"`); n != 2 { // of a run, and of the last one
			t.Errorf("logged:\n%s", log.String())
		}
	})
}

func TestAnErrorIsLoggedWhenItChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		outcomes := []error{errors.New("down"), errors.New("down"), errors.New("disk full"), nil, nil, errors.New("down")}
		var observed []error
		o := loops.Options{
			Logger:  slog.New(slog.NewTextHandler(&log, nil)),
			Observe: func(_ string, err error) { observed = append(observed, err) },
		}
		running := loops.Start(o, []loops.Loop{{Name: "flaky", Every: time.Second, Run: func(context.Context) error {
			return outcomes[min(len(observed), len(outcomes)-1)]
		}}})
		<-time.After(7500 * time.Millisecond)
		running.Stop(t.Context())
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		want := []string{"error=down", `error="disk full"`, "works again", "error=down"}
		if len(lines) != len(want) {
			t.Fatalf("logged:\n%s\nwant %v", log.String(), want)
		}
		for i := range want {
			if !strings.Contains(lines[i], want[i]) || !strings.Contains(lines[i], "loop=flaky") {
				t.Errorf("line %d is %q, want %s of flaky", i, lines[i], want[i])
			}
		}
		if len(observed) != 8 || observed[0] == nil || observed[3] != nil {
			t.Errorf("observed %v", observed)
		}
	})
}

func TestAPanicIsAnErrorAndTheJobGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		runs := 0
		running := loops.Start(loops.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
			[]loops.Loop{{Name: "broken", Every: time.Second, Run: func(context.Context) error {
				runs++
				panic("out of cheese")
			}}})
		<-time.After(3500 * time.Millisecond)
		running.Stop(t.Context())
		if runs != 4 || strings.Count(log.String(), "out of cheese") != 1 || !strings.Contains(log.String(), "stack=") {
			t.Errorf("%d runs, logged:\n%s", runs, log.String())
		}
	})
}

func TestAuditEventsThatAreNotKeptAreDeletedEveryHour(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		if err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE organizations SET audit_retention_days = 1`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(25 * time.Hour)
		all := loops.ForService(s.Service, false, nil, nil)
		i := slices.IndexFunc(all, func(j loops.Loop) bool { return j.Name == "prune_audit_events" })
		if i < 0 || all[i].Every != time.Hour {
			t.Fatalf("the loops are %+v", all)
		}
		if err := all[i].Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if list := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events").Want(t, 200).List(); len(list) > 0 {
			t.Errorf("%d events are left", len(list))
		}
	})
}

func TestExpiredPortalTokensAreDeletedEveryHour(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const portals = "/v2/organizations/acme-inc/portals"
		s.Post(testkit.AdminToken, portals, `{"name": "First", "query": "{ viewer { id } }"}`).Want(t, 201)
		s.Post(testkit.AdminToken, portals+"/first/tokens", `{"expires_at": "2026-05-03T05:17:55.867Z"}`).Want(t, 201)
		all := loops.ForService(s.Service, false, nil, nil)
		i := slices.IndexFunc(all, func(j loops.Loop) bool { return j.Name == "prune_portal_tokens" })
		if i < 0 || all[i].Every != time.Hour {
			t.Fatalf("the loops are %+v", all)
		}
		for _, want := range []int64{2, 1} {
			if err := all[i].Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var left int64
			if err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
				_, err := tx.One(`SELECT count(*) FROM portal_tokens`, func(r *db.Row) { left = r.Int() })
				return err
			}); err != nil || left != want {
				t.Errorf("%d tokens are left, want %d: %v", left, want, err)
			}
			s.Clock.Advance(time.Hour)
		}
	})
}

// TestInactiveTokensAreRevokedEveryHour lets tokens be unused for as long as their organization allows, and longer, by the database's clock.
func TestInactiveTokensAreRevokedEveryHour(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		all := loops.ForService(s.Service, false, nil, nil)
		i := slices.IndexFunc(all, func(j loops.Loop) bool { return j.Name == "revoke_inactive_tokens" })
		if i < 0 || all[i].Every != time.Hour {
			t.Fatalf("the loops are %+v", all)
		}
		var now time.Time
		if err := s.DB.Read(t.Context(), func(tx *db.Tx) (err error) {
			now, err = tx.Now()
			return err
		}); err != nil {
			t.Fatal(err)
		}
		const days = 30
		unused := func(token string, ago time.Duration, more string) {
			t.Helper()
			testkit.Change(t, s.DB, `UPDATE api_tokens SET last_used_at = $1`+more+` WHERE hash = $2`, db.Micros(now.Add(-ago)), domain.HashToken(token))
		}
		testkit.Exec(t, s.DB, `UPDATE api_tokens SET created_at = 0`)
		unused(testkit.AdminToken, 0, "")
		unused(testkit.MemberToken, days*24*time.Hour+time.Hour, "")
		unused(testkit.MaintainerToken, days*24*time.Hour-time.Hour, "")
		unused(testkit.TeammateToken, days*24*time.Hour+time.Hour, ", revoked_at = 1")
		unused(testkit.ReadOnlyToken, days*24*time.Hour+time.Hour, ", expires_at = 1")
		granted := func(token string) (n int64) {
			t.Helper()
			if err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
				_, err := tx.One(`SELECT count(*) FROM api_token_organizations g JOIN api_tokens t ON t.id = g.token_id WHERE t.hash = $1`,
					func(r *db.Row) { n = r.Int() }, domain.HashToken(token))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return n
		}
		run := func() {
			t.Helper()
			if err := all[i].Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		run() // no organization says so
		if granted(testkit.MemberToken) != 1 {
			t.Fatal("a token has lost an organization that lets tokens be unused")
		}
		testkit.Change(t, s.DB, `UPDATE organizations SET revoke_inactive_tokens_after_days = $1 WHERE slug = 'acme-inc'`, days)
		run()
		run() // nothing is left to do
		for token, want := range map[string]int64{testkit.AdminToken: 1, testkit.MemberToken: 0, testkit.MaintainerToken: 1, testkit.TeammateToken: 1, testkit.ReadOnlyToken: 1, testkit.OutsiderToken: 1} {
			if n := granted(token); n != want {
				t.Errorf("%s has %d organizations, want %d", token, n, want)
			}
		}
		testkit.Change(t, s.DB, `UPDATE organizations SET revoke_inactive_tokens_after_days = 0 WHERE slug = 'acme-inc'`)
		s.Get(testkit.MemberToken, "/v2/organizations/acme-inc").Want(t, 404) // it is lost for good
		events := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?type=API_ACCESS_TOKEN_ORGANIZATION_ACCESS_REVOKED").Want(t, 200).List()
		revoked := 0
		for _, e := range events {
			if e["actor"].(map[string]any)["type"] == "OPERATOR" {
				revoked++
			}
		}
		if len(events) == 0 || revoked != len(events) {
			t.Errorf("the events are %v", events)
		}
	})
}
