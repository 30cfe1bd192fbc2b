package notices_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/notices"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

// post is an outbox with a sender that records what it is given.
type post struct {
	*testkit.Server
	t            *testing.T
	core         *core.Core
	organization domain.OrganizationID
	admin        authz.Actor

	mutex    sync.Mutex
	received []string // summaries
	inFlight map[string]int
	most     int // in flight to one lane
	answer   func(ctx context.Context, n domain.Notice) error
	arrived  chan struct{}
}

func newPost(t *testing.T, d *db.DB) *post {
	t.Helper()
	p := &post{Server: testkit.NewServer(t, d, testkit.ServerOptions{}), t: t, inFlight: map[string]int{},
		arrived: make(chan struct{}, 100_000), answer: func(context.Context, domain.Notice) error { return nil }}
	p.core = core.New(core.Options{DB: d, Now: p.Clock.Now})
	p.admin = authz.TokenActor(authz.REST, testkit.AdminToken, netip.MustParseAddr("192.0.2.1"))
	organization, err := p.Service.Organization(t.Context(), p.admin, testkit.Organization)
	if err != nil {
		t.Fatal(err)
	}
	p.organization = organization.ID
	return p
}

// open returns a service that sends by p.
func (p *post) open() *notices.Service {
	return notices.New(notices.Options{Core: p.core, Senders: map[domain.NoticeKind]notices.Sender{"test": p.take}})
}

func (p *post) take(ctx context.Context, n domain.Notice) (string, error) {
	lane := n.Target + n.Lane
	p.mutex.Lock()
	p.inFlight[lane]++
	p.most = max(p.most, p.inFlight[lane])
	p.mutex.Unlock()
	err := p.answer(ctx, n)
	p.mutex.Lock()
	p.inFlight[lane]--
	if err == nil {
		p.received = append(p.received, n.Summary)
	}
	p.mutex.Unlock()
	p.arrived <- struct{}{}
	return "thanks", err
}

func (p *post) got() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.received)
}

// write writes notices in a transaction of their own.
func (p *post) write(all ...domain.Notice) {
	p.t.Helper()
	err := p.core.Store.Write(p.t.Context(), func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		for _, n := range all {
			n.ID, n.OrganizationID, n.Kind, n.State, n.CreatedAt, n.Body = domain.NewIDAt[domain.NoticeID](now), p.organization, "test", domain.NoticeNew, now, "{}"
			if err := tx.InsertNotice(n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// run sends notices until the test or the function that it returns ends that.
func (p *post) run(s *notices.Service) (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		for ctx.Err() == nil {
			if err := s.SendNotices(ctx, authz.OperatorActor()); err != nil {
				p.t.Error(err)
			}
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		ended.Wait()
	})
	p.t.Cleanup(stop)
	return stop
}

// await waits for so many tries.
func (p *post) await(tries int) {
	p.t.Helper()
	for range tries {
		select {
		case <-p.arrived:
		case <-time.After(time.Minute):
			p.t.Fatal("nothing was sent for a minute")
		}
	}
}

// states returns what became of notices, as "summary state tries answer", in order.
func (p *post) states() (states []string) {
	p.t.Helper()
	page, err := p.open().Notices(p.t.Context(), p.admin, domain.OrganizationRef{Slug: testkit.Organization}, domain.Page{Number: 1, Size: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, n := range slices.Backward(page.Items) {
		states = append(states, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", n.Summary, n.State, n.Tries, n.Answer)))
	}
	return states
}

// awaitStates waits until notices are in states.
func (p *post) awaitStates(want ...string) {
	p.t.Helper()
	var got []string
	testkit.Eventually(p.t, func() bool {
		got = p.states()
		return slices.Equal(got, want)
	}, func() string { return fmt.Sprintf("%q, want %q", got, want) })
}

// forward lets time pass for what waits.
func (p *post) forward(d time.Duration) {
	p.DB.AdvanceClock(d)
}

func each(t *testing.T, fn func(t *testing.T, p *post)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newPost(t, d)) })
}

func TestNoticesOfALaneAreSentInOrder(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		var want []string
		for i := range 30 {
			summary := fmt.Sprintf("%02d", i)
			want = append(want, summary)
			p.write(domain.Notice{Target: "one", Summary: summary})
		}
		p.run(p.open())
		p.run(p.open()) // another server
		p.await(30)
		if got := p.got(); !slices.Equal(got, want) || p.most != 1 {
			t.Errorf("%v, %d at once", got, p.most)
		}
	})
}

func TestANoticeIsTriedFiveTimesThenTheNextGoesOn(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		p.answer = func(_ context.Context, n domain.Notice) error {
			if n.Summary == "bad" {
				return errors.New("500 no")
			}
			return nil
		}
		p.write(domain.Notice{Target: "one", Summary: "bad"}, domain.Notice{Target: "one", Summary: "good"})
		p.run(p.open())
		for i, wait := range []time.Duration{0, 15 * time.Second, 2 * time.Minute, 10 * time.Minute, 45 * time.Minute} {
			if i > 0 {
				p.forward(wait)
			}
			p.await(1)
			if i < 4 {
				p.awaitStates(fmt.Sprintf("bad waiting %d 500 no", i+1), "good waiting 0")
			}
		}
		p.await(1)
		p.awaitStates("bad failed 5 500 no", "good sent 1 thanks")
	})
}

func TestOnlyTheNewestOfALaneIsSent(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		var notices []domain.Notice
		for i := range 5 {
			notices = append(notices, domain.Notice{Target: "host", Lane: "commit", NewestOnly: true, Summary: fmt.Sprint("state ", i)})
		}
		p.write(append(notices, domain.Notice{Target: "host", Lane: "other commit", NewestOnly: true, Summary: "other"})...)
		p.run(p.open())
		p.await(2)
		if got := p.got(); len(got) != 2 || !slices.Contains(got, "state 4") || !slices.Contains(got, "other") {
			t.Error(got)
		}
		p.awaitStates("state 0 replaced 0", "state 1 replaced 0", "state 2 replaced 0", "state 3 replaced 0", "state 4 sent 1 thanks", "other sent 1 thanks")
	})
}

func TestANewerStateIsSentAfterTheOneInFlight(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		begun, goOn := make(chan struct{}), make(chan struct{})
		p.answer = func(ctx context.Context, n domain.Notice) error {
			if n.Summary == "old" {
				close(begun)
				select {
				case <-goOn:
				case <-ctx.Done():
				}
			}
			return nil
		}
		p.write(domain.Notice{Target: "host", Lane: "commit", NewestOnly: true, Summary: "old"})
		p.run(p.open())
		<-begun
		p.write(domain.Notice{Target: "host", Lane: "commit", NewestOnly: true, Summary: "new"})
		p.run(p.open())
		p.awaitStates("old replaced 0", "new waiting 0")
		close(goOn)
		p.await(2)
		if got := p.got(); !slices.Equal(got, []string{"old", "new"}) || p.most != 1 {
			t.Error(got, p.most)
		}
	})
}

// TestADeadTargetDelaysNoOthers has 10,000 notices for targets that never answer.
func TestADeadTargetDelaysNoOthers(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		p.answer = func(ctx context.Context, n domain.Notice) error {
			if n.Target == "dead" {
				<-ctx.Done()
				return &notices.SendError{Reason: "no answer", Away: true}
			}
			return nil
		}
		waiting := make([]domain.Notice, 10_000)
		for i := range waiting {
			waiting[i] = domain.Notice{Target: "dead", Lane: fmt.Sprint(i % 2 * i), Summary: "never"} // half of them in one lane
		}
		p.write(waiting...)
		p.run(p.open())
		p.write(domain.Notice{Target: "living", Summary: "hello"})
		testkit.Eventually(t, func() bool { return len(p.got()) == 1 }, func() string { return "the living target got nothing" })
		for i := range 20 {
			p.write(domain.Notice{Target: fmt.Sprint("living ", i), Summary: "hello"})
		}
		testkit.Eventually(t, func() bool { return len(p.got()) == 21 }, func() string { return fmt.Sprint(len(p.got())) })
	})
}

// TestWhatAKilledServerHadTakenIsSentByAnother has a server that takes a target and is never heard of again.
func TestWhatAKilledServerHadTakenIsSentByAnother(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		begun := make(chan struct{})
		var once sync.Once
		p.answer = func(ctx context.Context, _ domain.Notice) error {
			first := false
			once.Do(func() { first = true })
			if first {
				close(begun)
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		p.write(domain.Notice{Target: "one", Summary: "hello"})
		stop := p.run(p.open())
		<-begun
		testkit.Change(t, p.DB, `UPDATE notice_targets SET lease = 'of a server that was killed'`)
		stop()
		p.await(1)
		p.awaitStates("hello waiting 0")
		testkit.Change(t, p.DB, `UPDATE notice_targets SET lease_until = 0`)
		p.run(p.open())
		p.await(1)
		p.awaitStates("hello sent 1 thanks")
	})
}

func TestWhatFailsInATransactionIsNotSent(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		broken := errors.New("broken off")
		err := p.core.Store.Write(t.Context(), func(tx store.Tx) error {
			n := domain.Notice{ID: domain.NewID[domain.NoticeID](), OrganizationID: p.organization, Kind: "test", Target: "one", Body: "{}", State: domain.NoticeNew, CreatedAt: time.Now()}
			if err := tx.InsertNotice(n); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) || len(p.states()) != 0 {
			t.Error(err, p.states())
		}
	})
}

func TestNoticesCanBeSentAgain(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		s, admin, acme := p.open(), p.admin, domain.OrganizationRef{Slug: testkit.Organization}
		p.write(domain.Notice{Target: "one", Summary: "hello"})
		first := func() string {
			page, err := s.Notices(t.Context(), admin, acme, domain.Page{Number: 1, Size: 1})
			if err != nil {
				t.Fatal(err)
			}
			return string(page.Items[0].ID)
		}
		if _, err := s.ResendNotice(t.Context(), admin, acme, first()); domain.CodeOf(err) != domain.Invalid {
			t.Error("a notice that waits is sent again:", err)
		}
		p.run(s)
		p.await(1)
		p.awaitStates("hello sent 1 thanks")
		if _, err := s.ResendNotice(t.Context(), admin, acme, first()); err != nil {
			t.Error(err)
		}
		p.await(1)
		p.awaitStates("hello sent 1 thanks", "hello sent 1 thanks")
	})
}

func TestOldNoticesAreDeleted(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		s := p.open()
		p.write(domain.Notice{Target: "one", Summary: "old"}, domain.Notice{Target: "two", Summary: "waits"})
		p.answer = func(_ context.Context, n domain.Notice) error {
			if n.Target == "two" {
				return errors.New("no")
			}
			return nil
		}
		stop := p.run(s)
		p.await(2)
		p.awaitStates("old sent 1 thanks", "waits waiting 1 no")
		stop()
		p.forward(8 * 24 * time.Hour)
		if deleted, err := s.PruneNotices(t.Context(), authz.OperatorActor()); err != nil || deleted != 1 {
			t.Error(deleted, err)
		}
		p.awaitStates("waits waiting 1 no")
		p.forward(time.Hour)
		p.run(s)
		p.awaitStates("waits failed 2 It had waited for too long")
	})
}

func TestPermissions(t *testing.T) {
	each(t, func(t *testing.T, p *post) {
		s, acme := p.open(), domain.OrganizationRef{Slug: testkit.Organization}
		p.write(domain.Notice{Target: "one", Summary: "hello"})
		stop := p.run(s)
		p.await(1)
		p.awaitStates("hello sent 1 thanks")
		stop()
		hook := domain.NotificationServiceInput{Provider: domain.Some("webhook"), URL: domain.Some("https://example.com/hook")}
		made, err := s.CreateNotificationService(t.Context(), p.admin, acme, core.Value(hook))
		if err != nil {
			t.Fatal(err)
		}
		service := string(made.ID)
		p.CheckPermissions(t, s, map[string]string{"BuildChanged": "part of the transaction that changes a build",
			"AgentChanged": "part of the transaction that changes an agent", "AgentBlocked": "part of a loop's transaction", "NotifiesOfBlocks": "says nothing of anybody"}, []testkit.PermissionCase{
			{Method: "Notices", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Notices(ctx, a, acme, domain.Page{Number: 1, Size: 10})
				return err
			}},
			{Method: "ResendNotice", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				var id string
				testkit.ReadOne(t, p.DB, `SELECT id FROM notices WHERE state = 'sent'`, func(r *db.Row) { id = r.Text() })
				_, err := s.ResendNotice(ctx, a, acme, id)
				return err
			}},
			{Method: "NotificationServices", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.NotificationServices(ctx, a, acme, domain.CursorPage{Size: 10})
				return err
			}},
			{Method: "NotificationService", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.NotificationService(ctx, a, acme, service)
				return err
			}},
			{Method: "CreateNotificationService", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.CreateNotificationService(ctx, a, acme, core.Value(hook))
				return err
			}},
			{Method: "UpdateNotificationService", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.UpdateNotificationService(ctx, a, acme, service, core.Value(domain.NotificationServiceInput{Description: domain.Some("Changed")}), nil)
				return err
			}},
			{Method: "SetServiceEnabled", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.SetServiceEnabled(ctx, a, acme, service, false)
				return err
			}},
			{Method: "ServiceNotices", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.ServiceNotices(ctx, a, acme, service)
				return err
			}},
			{Method: "LastServiceNotices", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.LastServiceNotices(ctx, a, acme)
				return err
			}},
			{Method: "TryNotificationService", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				return s.TryNotificationService(ctx, a, acme, service)
			}},
			{Method: "DeleteNotificationService", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				made, err := s.CreateNotificationService(ctx, p.admin, acme, core.Value(hook))
				if err != nil {
					t.Fatal(err)
				}
				return s.DeleteNotificationService(ctx, a, acme, string(made.ID), nil)
			}},
			{Method: "LoadListeners", Outcomes: testkit.OperatorOnly, Call: s.LoadListeners},
			{Method: "FollowServices", Outcomes: testkit.OperatorOnly, Call: func(ctx context.Context, a authz.Actor) error {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				return s.FollowServices(ctx, a)
			}},
			{Method: "SendNotices", Outcomes: testkit.OperatorOnly, Call: func(ctx context.Context, a authz.Actor) error {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return s.SendNotices(ctx, a)
			}},
			{Method: "PruneNotices", Outcomes: testkit.OperatorOnly, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.PruneNotices(ctx, a)
				return err
			}},
		})
	})
}
