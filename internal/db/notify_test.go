package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// listener runs Listen, and keeps what it hears.
type listener struct {
	ready chan struct{}
	heard chan string
	ended chan error
	stop  context.CancelFunc
}

func startListening(t *testing.T, d *db.DB, channel string) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &listener{ready: make(chan struct{}, 1), heard: make(chan string, 1000), ended: make(chan error, 1), stop: cancel}
	go func() {
		l.ended <- d.Listen(ctx, channel, func() { l.ready <- struct{}{} }, func(payload string) { l.heard <- payload })
	}()
	return l
}

// within returns what comes next, and fails the test if nothing does.
func within[T any](t *testing.T, what string, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(30 * time.Second):
		t.Fatalf("there was no %s", what)
	}
	return value
}

func notify(t *testing.T, d *db.DB, channel string, payloads ...string) {
	t.Helper()
	if err := d.Notify(t.Context(), channel, payloads); err != nil {
		t.Fatal(err)
	}
}

func TestListeningEndsWithItsContext(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		notify(t, d, "things", "nobody hears this")
		l := startListening(t, d, "things")
		if d.Engine() == "postgres" {
			within(t, "connection", l.ready)
		}
		l.stop()
		if err := within(t, "end", l.ended); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestNotificationsReachOtherProcessesInOrder(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "postgres")
	here, there := opened(t, options), opened(t, options)
	own, other, elsewhere := startListening(t, here, "my things"), startListening(t, there, "my things"), startListening(t, there, "other")
	for _, l := range []*listener{own, other, elsewhere} {
		within(t, "connection", l.ready)
	}
	sent := []string{"", "a b", `"quoted" 'text' \ $1`, "ä€𝄞", strings.Repeat("x", db.MaxPayload)}
	notify(t, here, "my things", sent...)
	for _, want := range sent {
		if got := within(t, "notification", other.heard); got != want {
			t.Errorf("%q is heard, %q was sent", got, want)
		}
	}
	// Who sends does not hear it, and nobody does on another channel: the next thing they hear is sent after it.
	notify(t, there, "my things", "back")
	notify(t, here, "other", "elsewhere")
	if got := within(t, "notification", own.heard); got != "back" {
		t.Errorf("the sender hears %q", got)
	}
	if got := within(t, "notification", elsewhere.heard); got != "elsewhere" {
		t.Errorf("on another channel is heard %q", got)
	}
	if err := here.Notify(t.Context(), "my things", []string{strings.Repeat("x", 9000)}); err == nil {
		t.Error("a payload that is too long was taken")
	}
}

func TestAListeningConnectionThatBreaksIsNoticed(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(*testkit.PostgresProxy){
		"dropped":       (*testkit.PostgresProxy).Drop,
		"silent":        (*testkit.PostgresProxy).Silence,
		"not delivered": func(p *testkit.PostgresProxy) { p.LoseNotifications(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
			d := opened(t, db.Options{URL: proxy.URL, ListenCheck: 500 * time.Millisecond})
			l := startListening(t, d, "things")
			within(t, "connection", l.ready)
			breakIt(proxy)
			if err := within(t, "end", l.ended); !errors.Is(err, db.ErrUnavailable) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAQuietConnectionGoesOnListening(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "postgres")
	proxy := testkit.NewPostgresProxy(t, options.URL)
	d := opened(t, db.Options{URL: proxy.URL, ListenCheck: 250 * time.Millisecond})
	l := startListening(t, d, "things")
	within(t, "connection", l.ready)
	checks := proxy.Sent("pg_notify")
	eventually(t, "it is tried several times", func() bool { return proxy.Sent("pg_notify") > checks+3 })
	notify(t, opened(t, options), "things", "heard")
	if got := within(t, "notification", l.heard); got != "heard" {
		t.Errorf("%q is heard", got)
	}
}

func TestADatabaseThatDoesNotDeliverIsFoundOut(t *testing.T) {
	t.Parallel()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	d := opened(t, db.Options{URL: proxy.URL, ListenCheck: 500 * time.Millisecond})
	proxy.LoseNotifications(true)
	l := startListening(t, d, "things")
	if err := within(t, "end", l.ended); !errors.Is(err, db.ErrNoNotify) {
		t.Errorf("error %v", err)
	}
	if len(l.ready) != 0 {
		t.Error("it was said to be ready")
	}
}

func TestNotifyConnectsAgain(t *testing.T) {
	t.Parallel()
	d, proxy := openThroughProxy(t, "")
	for i := range 3 {
		notify(t, d, "things", fmt.Sprint(i))
		proxy.Drop()
		eventually(t, "a notification is taken", func() bool { return d.Notify(t.Context(), "things", []string{"again"}) == nil })
	}
}
