package service_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/hosted"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// The cluster whose git mirror is switched, with its only hosted queue.
const (
	mirrorID      = "0190a000-0000-7000-8000-000000000061"
	mirrorQueueID = "0190a000-0000-7000-8000-000000000062"
	mirrorCluster = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    clusters:
      - {id: ` + mirrorID + `, name: Mirrored, queues: [{id: ` + mirrorQueueID + `, key: hosted, hosted_agents: {instance_shape: LINUX_AMD64_2X4}}]}
`
	mirrorOn  = `{"hosted_git_mirror_enabled": true}`
	mirrorOff = `{"hosted_git_mirror_enabled": false}`
)

var mirrorPath = testkit.ClusterPath(mirrorID)

// agentService is a hosted-agent service: it remembers what it is told, and misbehaves when told to.
type agentService struct {
	url    string
	mutex  sync.Mutex
	behave behaviour
	calls  []bool // the values sent
	has    bool   // the value that it works with
}

// behaviour is what the service does with a call. It returns the answer's status, or 0 to hang up.
type behaviour func(value bool, apply func()) (status int)

func obeys(_ bool, apply func()) int { apply(); return http.StatusNoContent }

func refuses(bool, func()) int { return http.StatusInternalServerError }

// appliesAndFails is a service that crashes, or a gateway that loses its answer.
func appliesAndFails(_ bool, apply func()) int { apply(); return http.StatusBadGateway }

func appliesAndHangsUp(_ bool, apply func()) int { apply(); return 0 }

func answers(status int) behaviour { return func(bool, func()) int { return status } }

// stalls applies the value and answers when it is too late.
func stalls(t *testing.T) behaviour {
	t.Helper()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return func(_ bool, apply func()) int { apply(); <-over; return http.StatusNoContent }
}

func newAgentService(t *testing.T) *agentService {
	t.Helper()
	a := &agentService{behave: obeys}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		value, err := strconv.ParseBool(strings.TrimSuffix(strings.TrimPrefix(string(body), `{"enabled": `), `}`))
		if err != nil || r.Method != http.MethodPut || r.URL.Path != "/clusters/"+mirrorID+"/git-mirror" {
			t.Errorf("unexpected call: %s %s %s", r.Method, r.URL.Path, body)
		}
		a.mutex.Lock()
		a.calls = append(a.calls, value)
		behave := a.behave
		a.mutex.Unlock()
		status := behave(value, func() {
			a.mutex.Lock()
			defer a.mutex.Unlock()
			a.has = value
		})
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	a.url = server.URL
	return a
}

func (a *agentService) will(b behaviour) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.behave = b
}

// hold makes the service apply the next calls but keep back their answers. It returns what waits for such a call, and
// what lets the answers go and the service obey again.
func (a *agentService) hold() (called, release func()) {
	arrived, released := make(chan struct{}), make(chan struct{})
	a.will(func(value bool, apply func()) int {
		apply()
		arrived <- struct{}{}
		<-released
		return http.StatusNoContent
	})
	return func() { <-arrived }, func() { a.will(obeys); close(released) }
}

// told returns the values sent since the last time, and the one that the service works with.
func (a *agentService) told() (calls []bool, has bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	calls, a.calls = a.calls, nil
	return calls, a.has
}

func (a *agentService) wantCalls(t *testing.T, values ...bool) {
	t.Helper()
	if calls, _ := a.told(); !slices.Equal(calls, values) {
		t.Errorf("the service was told %v, want %v", calls, values)
	}
}

// mirroring is a server with a hosted-agent service and the cluster mirrorID.
type mirroring struct {
	*testkit.Server
	agents *agentService
	crash  func() // takes the database away; only of twoNodes
}

func eachMirroring(t *testing.T, fn func(t *testing.T, s mirroring)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newMirroring(t, d, newAgentService(t))) })
}

func newMirroring(t *testing.T, d *db.DB, agents *agentService) mirroring {
	t.Helper()
	return mirroring{Server: testkit.NewServer(t, d, testkit.ServerOptions{HostedAgentsURL: agents.url, Bootstrap: mirrorCluster}), agents: agents}
}

func (s mirroring) put(body string) *testkit.Answer {
	return s.Put(testkit.AdminToken, mirrorPath, body)
}

// sync runs the background loop's step once and checks how many settings it confirmed.
func (s mirroring) sync(t *testing.T, confirmed int) {
	t.Helper()
	if n, err := s.Service.SyncGitMirrors(t.Context(), authz.OperatorActor()); n != confirmed || err != nil {
		t.Errorf("%d settings confirmed, want %d; error %v", n, confirmed, err)
	}
}

// passTime makes all that the database holds of syncs older.
func (s mirroring) passTime(t *testing.T, d time.Duration) {
	t.Helper()
	testkit.Exec(t, s.DB, `UPDATE git_mirror_syncs SET leased_until = leased_until - $1, next_attempt_at = next_attempt_at - $1`, d.Microseconds())
}

// syncTime returns a time of the cluster's sync, of the column's name.
func (s mirroring) syncTime(t *testing.T, column string) (at time.Time) {
	t.Helper()
	if err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT `+column+` FROM git_mirror_syncs WHERE cluster_id = $1`, func(r *db.Row) { at = r.Time() }, mirrorID)
		return err
	}); err != nil {
		t.Error(err)
	}
	return at
}

func (s mirroring) leaseLeft(t *testing.T) time.Duration {
	t.Helper()
	return s.syncTime(t, "leased_until").Sub(databaseTime(t, s.DB))
}

func databaseTime(t *testing.T, d *db.DB) (now time.Time) {
	t.Helper()
	if err := d.Read(t.Context(), func(tx *db.Tx) (err error) {
		now, err = tx.Now()
		return err
	}); err != nil {
		t.Error(err)
	}
	return now
}

// storedMirror returns the stored setting, false for a deleted cluster.
func storedMirror(t *testing.T, d *db.DB) (enabled bool) {
	t.Helper()
	if err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT hosted_git_mirror_enabled FROM clusters WHERE id = $1`, func(r *db.Row) { enabled = r.Bool() }, mirrorID)
		return err
	}); err != nil {
		t.Error(err)
	}
	return enabled
}

// wantAgreement checks that the service works with the stored value, that this is the wanted one, and whether that is
// known: if not, it is to be sent again.
func (s mirroring) wantAgreement(t *testing.T, value bool) {
	t.Helper()
	if has, stored := s.has(), storedMirror(t, s.DB); has != value || stored != value {
		t.Errorf("the service has %t, stored is %t, want %t", has, stored, value)
	}
	if s.pending(t) {
		t.Error("the service is still to be told")
	}
}

func (s mirroring) wantDisagreement(t *testing.T, has, stored bool) {
	t.Helper()
	if h, st := s.has(), storedMirror(t, s.DB); h != has || st != stored {
		t.Errorf("the service has %t, stored is %t; want %t and %t", h, st, has, stored)
	}
	if !s.pending(t) {
		t.Error("nobody will tell the service")
	}
}

func (s mirroring) has() bool {
	s.agents.mutex.Lock()
	defer s.agents.mutex.Unlock()
	return s.agents.has
}

// pending reports whether the service is to be told the stored value.
func (s mirroring) pending(t *testing.T) (pending bool) {
	t.Helper()
	if err := s.DB.Read(t.Context(), func(tx *db.Tx) (err error) {
		pending, err = tx.One(`SELECT 1 FROM git_mirror_syncs WHERE cluster_id = $1`, func(*db.Row) {}, mirrorID)
		return err
	}); err != nil {
		t.Error(err)
	}
	return pending
}

// wantUnstored checks that fn changes nothing that callers see of the cluster.
func (s mirroring) wantUnstored(t *testing.T, fn func()) {
	t.Helper()
	before := s.Get(testkit.AdminToken, mirrorPath).Want(t, 200)
	fn()
	if after := s.Get(testkit.AdminToken, mirrorPath).Want(t, 200); string(after.Body) != string(before.Body) {
		t.Errorf("the cluster was\n%s\nand is\n%s", before.Body, after.Body)
	}
}

func wantRetryLater(t *testing.T, a *testkit.Answer) {
	t.Helper()
	a.Want(t, 503)
	if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); seconds < 1 || err != nil {
		t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
	}
}

func TestGitMirrorChangeIsSentToTheHostedAgentService(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		for _, value := range []bool{true, false, true} {
			s.put(`{"hosted_git_mirror_enabled": `+strconv.FormatBool(value)+`}`).Want(t, 200)
			s.agents.wantCalls(t, value)
			s.wantAgreement(t, value)
		}
		for _, update := range []string{mirrorOn, `{}`, `{"name": "Renamed", "hosted_container_cache_enabled": false}`} {
			s.put(update).Want(t, 200)
			s.agents.wantCalls(t)
		}
		s.wantAgreement(t, true)
	})
}

func TestGitMirrorChangeIsLocalWithoutAService(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := mirroring{Server: testkit.NewServer(t, d, testkit.ServerOptions{Bootstrap: mirrorCluster}), agents: &agentService{}}
		s.put(mirrorOn).Want(t, 200)
		if !storedMirror(t, d) {
			t.Error("the change is not stored")
		}
		s.Delete(testkit.AdminToken, mirrorPath+"/queues/"+mirrorQueueID).Want(t, 204)
		s.wantAgreement(t, false)
		s.sync(t, 0)
	})
}

func TestRefusedUpdateIsNotSentToTheHostedAgentService(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		s.wantUnstored(t, func() {
			for _, bad := range []string{
				`"name": ""`, `"color": "red"`, `"default_queue_id": "` + testkit.QueueID + `"`,
				`"default_cache_registry_uuid": "` + testkit.RegistryID + `"`, `"hosted_container_cache_enabled": null`,
			} {
				s.put(`{"hosted_git_mirror_enabled": true, `+bad+`}`).Want(t, 422)
			}
			s.Put(testkit.MemberToken, mirrorPath, `{"hosted_git_mirror_enabled": true, "default_cache_registry_uuid": "`+testkit.RegistryID+`"}`).Want(t, 403)
			s.Do(testkit.Request{
				Method: "PUT", Path: mirrorPath, Token: testkit.AdminToken, Body: mirrorOn, Header: map[string]string{"If-Match": `"stale"`},
			}).Want(t, 412)
		})
		s.agents.wantCalls(t)
		s.wantAgreement(t, false)
	})
}

func TestFailedGitMirrorChangeStoresNothingAndCanBeRetried(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		registry := s.Post(testkit.AdminToken, mirrorPath+"/cache-registries", `{"name": "Other"}`).Want(t, 201).Text("uuid")
		fields := `, "name": "Changed", "description": "Changed", "emoji": ":eyes:", "color": "#123", "hosted_container_cache_enabled": false,
			"default_queue_id": "` + mirrorQueueID + `", "default_cache_registry_uuid": "` + registry + `"}`
		undo := `{"hosted_git_mirror_enabled": false, "name": "Mirrored", "description": null, "emoji": null, "color": null,
			"hosted_container_cache_enabled": true, "default_queue_id": null}`
		for what, failure := range map[string]behaviour{
			"refuses": refuses, "not found": answers(404), "redirect": answers(302), "conflict": answers(409), "overloaded": answers(503),
			"applies and fails": appliesAndFails, "applies and hangs up": appliesAndHangsUp, "stalls": stalls(t),
		} {
			for _, update := range []string{mirrorOn, strings.Replace(mirrorOn, "}", fields, 1)} {
				if what == "stalls" && update == mirrorOn {
					continue // one time-out takes long enough
				}
				s.agents.will(failure)
				s.wantUnstored(t, func() { wantRetryLater(t, s.put(update)) })
				s.agents.wantCalls(t, true)
				s.wantDisagreement(t, s.has(), false)

				s.agents.will(obeys)
				changed := s.put(update).Want(t, 200)
				s.agents.wantCalls(t, true)
				s.wantAgreement(t, true)
				if update != mirrorOn && (changed.Text("name") != "Changed" || changed.Text("default_cache_registry_uuid") != registry) {
					t.Errorf("not all is stored: %s", changed)
				}
				s.put(undo).Want(t, 200)
				s.agents.wantCalls(t, false)
			}
		}
	})
}

func TestUnknownOutcomeIsResentUntilConfirmed(t *testing.T) {
	t.Parallel()
	for what, failure := range map[string]behaviour{"applied and failed": appliesAndFails, "hung up": appliesAndHangsUp, "refused": refuses} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			eachMirroring(t, func(t *testing.T, s mirroring) {
				s.agents.will(failure)
				wantRetryLater(t, s.put(mirrorOn))
				applied := s.has()
				s.wantDisagreement(t, applied, false)
				s.agents.wantCalls(t, true)

				s.agents.will(refuses)
				for range 3 {
					s.sync(t, 0)
					s.agents.wantCalls(t, false)
					s.passTime(t, 30*time.Second)
				}
				s.wantDisagreement(t, applied, false)
				s.agents.will(obeys)
				s.sync(t, 1)
				s.agents.wantCalls(t, false)
				s.wantAgreement(t, false)

				s.passTime(t, time.Hour)
				s.sync(t, 0)
				s.agents.wantCalls(t)
			})
		})
	}
}

func TestResendsComeAtGrowingIntervalsUpToThirtySeconds(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		s.agents.will(refuses)
		wantRetryLater(t, s.put(mirrorOn))
		for _, seconds := range []int{2, 4, 8, 16, 30, 30, 30} {
			pause := time.Duration(seconds) * time.Second
			s.agents.told()
			before := databaseTime(t, s.DB)
			s.sync(t, 0)
			after := databaseTime(t, s.DB)
			s.agents.wantCalls(t, false)
			if next := s.syncTime(t, "next_attempt_at"); next.Before(before.Add(pause)) || next.After(after.Add(pause)) {
				t.Errorf("sent again after %s to %s, want %s", next.Sub(after), next.Sub(before), pause)
			}
			s.passTime(t, pause-time.Minute) // its time has not come, however slow the test is
			s.sync(t, 0)
			s.agents.wantCalls(t)
			s.passTime(t, time.Minute)
		}
	})
}

// twoNodes are two servers on one database, each with connections of its own, and one hosted-agent service.
func twoNodes(t *testing.T, fn func(t *testing.T, one, two mirroring)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			options := testkit.NewDatabase(t, engine)
			agents := newAgentService(t)
			var nodes [2]mirroring
			for i := range nodes {
				d, err := db.Open(t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				crash := sync.OnceFunc(func() {
					if err := d.Close(); err != nil {
						t.Error(err)
					}
				})
				t.Cleanup(crash)
				if _, err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				nodes[i] = newMirroring(t, d, agents)
				nodes[i].crash = crash
			}
			fn(t, nodes[0], nodes[1])
		})
	}
}

// While each call is on its way, the value that the call before it sent is the stored one: calls and commits take turns.
func TestGitMirrorChangesReachTheServiceInTheirOrder(t *testing.T) {
	t.Parallel()
	twoNodes(t, func(t *testing.T, one, two mirroring) {
		var mutex sync.Mutex
		previous := false
		one.agents.will(func(value bool, apply func()) int {
			mutex.Lock()
			defer mutex.Unlock()
			if stored := storedMirror(t, one.DB); stored != previous {
				t.Errorf("%t is sent while %t is stored, after %t was sent", value, stored, previous)
			}
			previous = value
			apply()
			return http.StatusNoContent
		})
		var updates sync.WaitGroup
		for _, node := range []mirroring{one, two} {
			for i := range 4 {
				updates.Go(func() {
					for j := range 5 {
						update := []string{mirrorOn, mirrorOff}[(i+j)%2]
						answer := node.put(update)
						for answer.Status == 503 { // it did not get its turn in time
							wantRetryLater(t, answer)
							answer = node.put(update)
						}
						answer.Want(t, 200)
					}
				})
			}
		}
		updates.Wait()
		calls, _ := one.agents.told()
		for i, value := range calls {
			if value != (i%2 == 0) {
				t.Fatalf("the service was told %v", calls)
			}
		}
		if len(calls) < 2 {
			t.Fatalf("the service was told %v: the test does not test", calls)
		}
		two.wantAgreement(t, calls[len(calls)-1])
	})
}

func TestGitMirrorAgreesAfterUpdatesOfAllKindsAtOnce(t *testing.T) {
	t.Parallel()
	twoNodes(t, func(t *testing.T, one, two mirroring) {
		var mutex sync.Mutex
		count := 0
		one.agents.will(func(value bool, apply func()) int {
			mutex.Lock()
			defer mutex.Unlock()
			count++
			return []behaviour{obeys, appliesAndFails, obeys, refuses, appliesAndHangsUp}[count%5](value, apply)
		})
		var work sync.WaitGroup
		for _, node := range []mirroring{one, two} {
			for i := range 3 {
				work.Go(func() {
					for j := range 6 {
						if a := node.put([]string{mirrorOn, mirrorOff}[(i+j)%2]); a.Status != 200 {
							wantRetryLater(t, a)
						}
					}
				})
			}
			work.Go(func() {
				for range 10 {
					if _, err := node.Service.SyncGitMirrors(t.Context(), authz.OperatorActor()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		one.agents.will(obeys)
		one.passTime(t, 30*time.Second)
		if _, err := one.Service.SyncGitMirrors(t.Context(), authz.OperatorActor()); err != nil {
			t.Error(err)
		}
		one.wantAgreement(t, storedMirror(t, two.DB))
	})
}

// A node that loses its database between the call and the commit leaves what a crashed one leaves.
func TestCrashBetweenCallAndCommitIsRepairedByAnotherNode(t *testing.T) {
	t.Parallel()
	twoNodes(t, func(t *testing.T, crashing, other mirroring) {
		other.agents.will(func(value bool, apply func()) int {
			crashing.crash()
			return obeys(value, apply)
		})
		if _, err := updateMirror(t.Context(), crashing, true); err == nil {
			t.Fatal("the update was stored without a database")
		}
		other.agents.will(obeys)
		other.agents.wantCalls(t, true)
		other.wantDisagreement(t, true, false)

		// As far as anyone can tell, the call may still be under way.
		if left := other.leaseLeft(t); left < hosted.CallTimeout/2 || left > 2*hosted.CallTimeout {
			t.Errorf("the lease is good for %s more", left)
		}
		other.sync(t, 0)
		other.agents.wantCalls(t)
		other.passTime(t, 2*hosted.CallTimeout)
		other.sync(t, 1)
		other.agents.wantCalls(t, false)
		other.wantAgreement(t, false)
		other.put(mirrorOn).Want(t, 200)
		other.wantAgreement(t, true)
	})
}

// A node that comes back after its lease was taken over must not store what the service no longer has.
func TestUpdateWhoseLeaseWasTakenOverIsRefused(t *testing.T) {
	t.Parallel()
	twoNodes(t, func(t *testing.T, slow, other mirroring) {
		called, release := slow.agents.hold()
		var update sync.WaitGroup
		slow.wantUnstored(t, func() {
			update.Go(func() { wantRetryLater(t, slow.put(`{"hosted_git_mirror_enabled": true, "name": "Late"}`)) })
			called()
			other.passTime(t, time.Minute)
			other.agents.will(obeys)
			other.sync(t, 1)
			release()
			update.Wait()
		})
		other.agents.wantCalls(t, true, false)
		// Nobody knows which of the two calls the service has heard last.
		other.wantDisagreement(t, false, false)
		other.passTime(t, time.Minute)
		other.sync(t, 1)
		other.agents.wantCalls(t, false)
		other.wantAgreement(t, false)
	})
}

// A call that reaches the service after the lease was taken over is made good.
func TestALateCallIsMadeGood(t *testing.T) {
	t.Parallel()
	twoNodes(t, func(t *testing.T, slow, other mirroring) {
		arrived, released := make(chan struct{}), make(chan struct{})
		slow.agents.will(func(_ bool, apply func()) int {
			arrived <- struct{}{}
			<-released
			apply()
			return http.StatusNoContent
		})
		var update sync.WaitGroup
		update.Go(func() { wantRetryLater(t, slow.put(mirrorOn)) })
		<-arrived
		other.passTime(t, time.Minute)
		other.agents.will(obeys)
		other.sync(t, 1)
		close(released)
		update.Wait()
		other.wantDisagreement(t, true, false)
		other.passTime(t, time.Minute)
		other.sync(t, 1)
		other.wantAgreement(t, false)
	})
}

// Who holds a lease is decided by the database's clock, not by the nodes'.
func TestANodeWhoseClockIsFastTakesNoLeaseOver(t *testing.T) {
	t.Parallel()
	twoNodes(t, func(t *testing.T, slow, fast mirroring) {
		called, release := slow.agents.hold()
		var update sync.WaitGroup
		update.Go(func() { slow.put(mirrorOn).Want(t, 200) })
		called()
		fast.Clock.Advance(time.Minute)
		fast.sync(t, 0)
		release()
		update.Wait()
		fast.agents.wantCalls(t, true)
		fast.wantAgreement(t, true)
	})
}

// updateMirror is the update itself, without a surface around it.
func updateMirror(ctx context.Context, s mirroring, enabled bool) (domain.ClusterView, error) {
	actor := authz.TokenActor(authz.REST, testkit.AdminToken, netip.MustParseAddr("127.0.0.1"))
	ref := domain.ClusterRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, ID: mirrorID}
	return s.Service.UpdateCluster(ctx, actor, ref, core.Value(domain.ClusterPatch{ClusterSettingsInput: domain.ClusterSettingsInput{HostedGitMirrorEnabled: domain.Some(enabled)}}), nil)
}

func TestGitMirrorChangeIsSeenThroughWhenTheCallerLeaves(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		s.agents.will(func(value bool, apply func()) int {
			leave()
			return obeys(value, apply)
		})
		if _, err := updateMirror(ctx, s, true); err != nil {
			t.Error(err)
		}
		s.agents.wantCalls(t, true)
		s.wantAgreement(t, true)
	})
}

func TestOtherChangesDoNotWaitForTheHostedAgentService(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		called, release := s.agents.hold()
		var update sync.WaitGroup
		update.Go(func() { s.put(`{"hosted_git_mirror_enabled": true, "description": "By the slow one"}`).Want(t, 200) })
		called()
		s.put(`{"name": "By the quick one"}`).Want(t, 200)
		s.Post(testkit.AdminToken, mirrorPath+"/queues", `{"key": "quick"}`).Want(t, 201)
		release()
		update.Wait()
		cluster := s.Get(testkit.AdminToken, mirrorPath)
		if cluster.Text("name") != "By the quick one" || cluster.Text("description") != "By the slow one" {
			t.Errorf("a change was lost: %s", cluster)
		}
		s.agents.wantCalls(t, true)
		s.wantAgreement(t, true)
	})
}

// It looks whether the other is done without taking part in the queue of those who write.
func TestGitMirrorChangeGivesUpWhileAnotherIsUnderWay(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var writes atomic.Int64
			options := testkit.NewDatabase(t, engine)
			options.Observe = func(w db.Wait) {
				if w.Kind == "write" {
					writes.Add(1)
				}
			}
			d, err := db.Open(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			if _, err := d.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := newMirroring(t, d, newAgentService(t))
			if err := d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(`INSERT INTO git_mirror_syncs (cluster_id, lease, leased_until, attempts, next_attempt_at) VALUES ($1, 'another', $2, 0, 0)`,
					mirrorID, db.Micros(databaseTime(t, d).Add(time.Hour)))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			s.wantUnstored(t, func() {
				before, start := writes.Load(), s.Clock.Now()
				answered := make(chan *testkit.Answer)
				go func() { answered <- s.put(`{"hosted_git_mirror_enabled": true, "name": "Changed"}`) }()
				var answer *testkit.Answer
				for ticks := time.Tick(10 * time.Millisecond); answer == nil; {
					select {
					case answer = <-answered:
					case <-ticks:
						s.Clock.Advance(100 * time.Millisecond)
					}
				}
				wantRetryLater(t, answer)
				if waited := s.Clock.Now().Sub(start); waited < 10*time.Second {
					t.Errorf("it gave up after %s", waited)
				}
				if n := writes.Load() - before; n != 1 {
					t.Errorf("it wrote %d times", n)
				}
			})
			s.agents.wantCalls(t)
			s.wantDisagreement(t, false, false)
		})
	}
}

// What happens between the call and the commit can make the update impossible. The service has been told then.
func TestUpdateRefusedAfterItsCallIsUndoneAtTheService(t *testing.T) {
	t.Parallel()
	for what, meanwhile := range map[string]struct {
		change func(t *testing.T, s mirroring)
		status int
	}{
		"the last hosted queue is deleted": {func(t *testing.T, s mirroring) {
			s.Delete(testkit.AdminToken, mirrorPath+"/queues/"+mirrorQueueID).Want(t, 204)
		}, 412}, // it takes the hosted settings along
		"the cluster is deleted": {func(t *testing.T, s mirroring) {
			s.Delete(testkit.AdminToken, mirrorPath).Want(t, 204)
		}, 404},
		"the cluster is changed": {func(t *testing.T, s mirroring) {
			s.Put(testkit.AdminToken, mirrorPath, `{"name": "Changed"}`).Want(t, 200)
		}, 412},
		"the token is revoked": {func(t *testing.T, s mirroring) {
			s.Delete(testkit.MemberToken, "/v2/access-token").Want(t, 204)
		}, 401},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			eachMirroring(t, func(t *testing.T, s mirroring) {
				seen := s.Get(testkit.MemberToken, mirrorPath).Want(t, 200).Header.Get("ETag")
				called, release := s.agents.hold()
				var update sync.WaitGroup
				update.Go(func() {
					s.Do(testkit.Request{
						Method: "PUT", Path: mirrorPath, Token: testkit.MemberToken, Body: mirrorOn, Header: map[string]string{"If-Match": seen},
					}).Want(t, meanwhile.status)
				})
				called()
				meanwhile.change(t, s)
				release()
				update.Wait()
				s.agents.wantCalls(t, true)
				s.wantDisagreement(t, true, false)
				s.sync(t, 1)
				s.agents.wantCalls(t, false)
				s.wantAgreement(t, false)
			})
		})
	}
}

func TestDeletionTurnsTheGitMirrorOffAtTheService(t *testing.T) {
	t.Parallel()
	for what, path := range map[string]string{"the last hosted queue": mirrorPath + "/queues/" + mirrorQueueID, "the cluster": mirrorPath} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			eachMirroring(t, func(t *testing.T, s mirroring) {
				s.put(mirrorOn).Want(t, 200)
				s.agents.wantCalls(t, true)
				s.Delete(testkit.AdminToken, path).Want(t, 204)
				s.wantDisagreement(t, true, false)
				s.agents.will(appliesAndFails)
				s.sync(t, 0)
				s.passTime(t, 30*time.Second)
				s.agents.will(obeys)
				s.sync(t, 1)
				s.agents.wantCalls(t, false, false)
				s.wantAgreement(t, false)
			})
		})
	}
}

func TestDeletionTellsTheServiceNothingIfTheGitMirrorIsOff(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		s.Post(testkit.AdminToken, mirrorPath+"/queues", `{"key": "second", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`).Want(t, 201)
		s.put(mirrorOn).Want(t, 200)
		s.Delete(testkit.AdminToken, mirrorPath+"/queues/"+mirrorQueueID).Want(t, 204)
		s.wantAgreement(t, true)
		s.put(mirrorOff).Want(t, 200)
		s.agents.wantCalls(t, true, false)
		s.Delete(testkit.AdminToken, mirrorPath).Want(t, 204)
		s.wantAgreement(t, false)
		s.sync(t, 0)
		s.agents.wantCalls(t)
	})
}

// The value that is re-sent can be overtaken by a deletion: then it is not confirmed.
func TestResendOvertakenByADeletionIsSentAgain(t *testing.T) {
	t.Parallel()
	eachMirroring(t, func(t *testing.T, s mirroring) {
		s.put(mirrorOn).Want(t, 200)
		s.agents.will(refuses)
		wantRetryLater(t, s.put(mirrorOff))
		s.agents.wantCalls(t, true, false)

		called, release := s.agents.hold()
		var resend sync.WaitGroup
		resend.Go(func() { s.sync(t, 0) })
		called()
		s.Delete(testkit.AdminToken, mirrorPath+"/queues/"+mirrorQueueID).Want(t, 204)
		release()
		resend.Wait()
		s.agents.wantCalls(t, true)
		s.wantDisagreement(t, true, false)
		s.passTime(t, 30*time.Second)
		s.sync(t, 1)
		s.agents.wantCalls(t, false)
		s.wantAgreement(t, false)
	})
}
