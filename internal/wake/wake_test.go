package wake_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
	"penstock/internal/wake"
)

// logs keeps what is logged.
type logs struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.buffer.Write(p)
}

func (l *logs) count(text string) int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return strings.Count(l.buffer.String(), text)
}

// node is a Waker on a database.
type node struct {
	*wake.Waker
	logs *logs
}

func newNode(d *db.DB) *node {
	kept := &logs{}
	return &node{wake.New(d, slog.New(slog.NewTextHandler(kept, nil))), kept}
}

// start runs the node until the test ends.
func (n *node) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// startConnected starts the node, and returns once it hears the others: it then wakes all subscribers.
func (n *node) startConnected(t *testing.T) {
	t.Helper()
	connected := n.Subscribe("connected")
	defer connected.Close()
	n.start(t)
	wantWoken(t, connected)
}

func open(t *testing.T, o db.Options) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func wantWoken(t *testing.T, s *wake.Subscription) {
	t.Helper()
	select {
	case <-s.C:
	case <-time.After(30 * time.Second):
		t.Error("a subscriber was not woken")
	}
}

func wantAsleep(t *testing.T, s *wake.Subscription) {
	t.Helper()
	select {
	case <-s.C:
		t.Error("a subscriber was woken")
	default:
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatal(what + ": not within 30 seconds")
		}
	}
}

func TestPublishWakesTheSubscribersOfATopic(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		n := newNode(d)
		first, second, other := n.Subscribe("a"), n.Subscribe("a"), n.Subscribe("b")
		n.Publish("a")
		wantWoken(t, first)
		wantWoken(t, second)
		wantAsleep(t, other)

		// However often it is published, who has not looked yet is woken once.
		for range 100 {
			n.Publish("a")
		}
		wantWoken(t, first)
		wantAsleep(t, first)

		first.Close()
		first.Close()
		n.Publish("a")
		wantAsleep(t, first)
		wantWoken(t, second)
		second.Close()
		other.Close()
		n.Publish("a")
		wantAsleep(t, second)

		again := n.Subscribe("a")
		wantAsleep(t, again)
		n.Publish("a")
		wantWoken(t, again)
	})
}

func TestATopicHasManySubscribers(t *testing.T) {
	t.Parallel()
	n := newNode(testkit.OpenDB(t, "sqlite"))
	n.start(t)
	subscriptions := make([]*wake.Subscription, 10_000)
	for i := range subscriptions {
		subscriptions[i] = n.Subscribe("queue")
	}
	n.Publish("queue")
	for i, s := range subscriptions {
		wantWoken(t, s)
		if i%2 == 0 {
			s.Close()
		}
	}
	n.Publish("queue")
	for i, s := range subscriptions {
		if i%2 == 0 {
			wantAsleep(t, s)
		} else {
			wantWoken(t, s)
		}
	}
}

func TestSubscribersComeAndGoWhileOthersPublish(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		n := newNode(d)
		n.start(t)
		stay := n.Subscribe("0")
		var come, publish sync.WaitGroup
		stop := make(chan struct{})
		for i := range 4 {
			publish.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						n.Publish(fmt.Sprint(i % 2))
					}
				}
			})
			come.Go(func() {
				for j := range 100 {
					s := n.Subscribe(fmt.Sprint(j % 2))
					wantWoken(t, s)
					s.Close()
				}
			})
		}
		come.Wait()
		close(stop)
		publish.Wait()
		wantWoken(t, stay)
	})
}

// twoNodes returns two nodes on one database of PostgreSQL, the first of which is behind a proxy. They do not run.
func twoNodes(t *testing.T) (here, there *node, proxy *testkit.PostgresProxy) {
	t.Helper()
	options := testkit.NewDatabase(t, "postgres")
	proxy = testkit.NewPostgresProxy(t, options.URL)
	return newNode(open(t, db.Options{URL: proxy.URL, ListenCheck: 500 * time.Millisecond})), newNode(open(t, options)), proxy
}

func TestPublishWakesOtherNodes(t *testing.T) {
	t.Parallel()
	here, there, _ := twoNodes(t)
	here.startConnected(t)
	there.startConnected(t)
	asked, other := there.Subscribe("asked"), there.Subscribe("other")
	own, answered := here.Subscribe("asked"), here.Subscribe("answered")
	here.Publish("asked")
	wantWoken(t, own)
	wantWoken(t, asked)
	wantAsleep(t, other)
	// A node is not woken again by what it said itself, which comes before what the other one says then.
	there.Publish("answered")
	wantWoken(t, answered)
	wantAsleep(t, own)
}

func TestTopicsAreToldTogether(t *testing.T) {
	t.Parallel()
	here, there, proxy := twoNodes(t)
	there.startConnected(t)
	var subscriptions []*wake.Subscription
	for i := range 500 {
		subscriptions = append(subscriptions, there.Subscribe(fmt.Sprint(i)))
		here.Publish(fmt.Sprint(i))
		here.Publish(fmt.Sprint(i))
	}
	unpublished := there.Subscribe("unpublished")
	here.start(t)
	for _, s := range subscriptions {
		wantWoken(t, s)
	}
	if n := proxy.Sent("unnest"); n != 1 {
		t.Errorf("%d statements told of topics that were published at once", n)
	}
	wantAsleep(t, unpublished)
}

func TestWhatCannotBeToldWakesEverybody(t *testing.T) {
	t.Parallel()
	for name, publish := range map[string]func(*node){
		"a long topic": func(n *node) { n.Publish(strings.Repeat("x", 9000)) },
		"zero bytes":   func(n *node) { n.Publish("a\x00b") },
		"not UTF-8":    func(n *node) { n.Publish("\xff") },
		"many topics": func(n *node) {
			for i := range 10_100 {
				n.Publish(fmt.Sprint(i))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here, there, _ := twoNodes(t)
			there.startConnected(t)
			sleeper := there.Subscribe("sleeper")
			publish(here)
			here.start(t)
			wantWoken(t, sleeper)
		})
	}
}

func TestANodeThatWasCutOffWakesEverybodyWhenItIsBack(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*testkit.PostgresProxy){
		"dropped": (*testkit.PostgresProxy).Drop,
		"silent":  (*testkit.PostgresProxy).Silence,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here, there, proxy := twoNodes(t)
			here.startConnected(t)
			there.startConnected(t)
			missed, heard, told := here.Subscribe("missed"), here.Subscribe("heard"), there.Subscribe("told")
			here.Publish("told")
			wantWoken(t, told)
			cut(proxy)
			wantWoken(t, missed)
			wantWoken(t, heard)
			there.Publish("heard")
			wantWoken(t, heard)
			// What is published here while the connection that tells it is broken is told later.
			here.Publish("told")
			wantWoken(t, told)
			if n := here.logs.count("receiving changes from other servers does not work"); n == 0 {
				t.Error("nothing was logged")
			}
		})
	}
}

func TestADatabaseThatDoesNotDeliverIsLoggedOnce(t *testing.T) {
	t.Parallel()
	here, there, proxy := twoNodes(t)
	there.startConnected(t)
	proxy.LoseNotifications(true)
	local, waiting, told := here.Subscribe("local"), here.Subscribe("waiting"), there.Subscribe("told")
	here.start(t)
	eventually(t, "it has been tried twice", func() bool { return proxy.Sent("pg_notify(CAST($1 AS TEXT), CAST($2 AS TEXT))") >= 2 })
	if n := here.logs.count("receiving changes from other servers does not work"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	here.Publish("local")
	wantWoken(t, local)
	here.Publish("told")
	wantWoken(t, told)
	wantAsleep(t, waiting)
	proxy.LoseNotifications(false)
	wantWoken(t, waiting)
	eventually(t, "it is logged", func() bool { return here.logs.count("receiving changes from other servers works again") == 1 })
}
