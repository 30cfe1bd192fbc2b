package starts_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/starts"
	"penstock/internal/testkit"
)

var (
	admin        = authz.TokenActor(authz.REST, testkit.AdminToken, netip.MustParseAddr("192.0.2.1"))
	organization = domain.OrganizationRef{Slug: testkit.Organization}
)

// clock is what nodes go by.
type clock struct {
	mutex sync.Mutex
	at    time.Time
}

func (c *clock) now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.at = at
}

// world is an organization with a pipeline, and nodes that create its scheduled builds.
type world struct {
	t     *testing.T
	s     *testkit.Server
	clock *clock
	nodes []*starts.Service
}

func eachWorld(t *testing.T, nodes int, fn func(t *testing.T, w *world)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		w := &world{t: t, s: testkit.NewServer(t, d, testkit.ServerOptions{}), clock: &clock{at: time.Date(2026, 3, 28, 23, 55, 0, 0, time.UTC)}}
		for range nodes {
			w.nodes = append(w.nodes, starts.New(starts.Options{Core: w.s.Core(), Clock: w.clock.now}))
		}
		w.pipeline("web")
		fn(t, w)
	})
}

func (w *world) pipeline(name string) string {
	w.t.Helper()
	return w.s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": name, "repository": "git@example.com:acme/web.git",
		"cluster_id": testkit.MaintainedID, "default_branch": "trunk", "configuration": "steps: [{command: \"true\"}]"}).Want(w.t, 201).Text("slug")
}

func (w *world) schedule(slug, cronline string, change ...func(*domain.PipelineScheduleInput)) domain.PipelineScheduleView {
	w.t.Helper()
	in := domain.PipelineScheduleInput{Label: domain.Some("Nightly"), Cronline: domain.Some(cronline)}
	for _, fn := range change {
		fn(&in)
	}
	made, err := w.nodes[0].CreatePipelineSchedule(w.t.Context(), admin, domain.PipelineRef{Organization: organization, Slug: slug}, core.Value(in))
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// run lets all nodes create what is due, at the same time.
func (w *world) run() {
	w.t.Helper()
	var ended sync.WaitGroup
	for _, node := range w.nodes {
		for range 2 {
			ended.Go(func() {
				if err := node.CreateScheduledBuilds(context.Background(), authz.OperatorActor()); err != nil {
					w.t.Error(err)
				}
			})
		}
	}
	ended.Wait()
}

func (w *world) builds(slug string) []map[string]any {
	w.t.Helper()
	return w.s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/"+slug+"/builds?per_page=100").Want(w.t, 200).List()
}

func (w *world) now(s domain.PipelineScheduleView) domain.PipelineScheduleView {
	w.t.Helper()
	found, err := w.nodes[0].PipelineSchedule(w.t.Context(), admin, domain.PipelineScheduleRef{Pipeline: domain.PipelineRef{Organization: organization, Slug: s.PipelineSlug}, ID: string(s.ID)})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// TestThreeNodesCreateOneBuildEach lets three nodes create builds of a schedule of every ten minutes, and of one in the hour that a change of the clock
// skips.
func TestThreeNodesCreateOneBuildEach(t *testing.T) {
	t.Parallel()
	eachWorld(t, 3, func(t *testing.T, w *world) {
		w.pipeline("night")
		w.schedule("web", "*/10 * * * * Europe/Berlin")
		w.schedule("night", "30 2 * * * Europe/Berlin") // which does not come on March 29
		start := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
		for minute := 0; minute < 150; minute += 5 {
			w.clock.set(start.Add(time.Duration(minute) * time.Minute))
			w.run()
		}
		if got := len(w.builds("web")); got != 15 {
			t.Errorf("%d builds were created in 150 minutes", got)
		}
		if got := len(w.builds("night")); got != 1 {
			t.Errorf("%d builds were created in the night of the change", got)
		}
	})
}

func TestScheduledBuilds(t *testing.T) {
	t.Parallel()
	eachWorld(t, 1, func(t *testing.T, w *world) {
		s := w.schedule("web", "@hourly", func(in *domain.PipelineScheduleInput) {
			in.Env, in.Message, in.Commit = domain.Some(map[string]string{"LEVEL": "3"}), domain.Some("Every hour"), domain.Some("abc123")
		})
		if want := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC); !s.NextBuildAt.Equal(want) {
			t.Errorf("the next build is at %s", s.NextBuildAt)
		}
		w.run()
		if got := w.builds("web"); len(got) != 0 {
			t.Errorf("builds were created too early: %v", got)
		}
		// After downtime, only the last time that was missed counts.
		w.clock.set(time.Date(2026, 3, 30, 12, 34, 0, 0, time.UTC))
		w.run()
		w.run()
		builds := w.builds("web")
		if len(builds) != 1 {
			t.Fatalf("%d builds were created", len(builds))
		}
		b := builds[0]
		for name, want := range map[string]any{"source": "schedule", "branch": "trunk", "commit": "abc123", "message": "Every hour"} {
			if b[name] != want {
				t.Errorf("%s is %v, not %v", name, b[name], want)
			}
		}
		if creator := b["creator"].(map[string]any)["email"]; creator != "admin@example.com" {
			t.Errorf("the creator is %v", creator)
		}
		if env := b["env"].(map[string]any)["LEVEL"]; env != "3" {
			t.Errorf("the environment has %v", env)
		}
		if next := w.now(s).NextBuildAt; !next.Equal(time.Date(2026, 3, 30, 13, 0, 0, 0, time.UTC)) {
			t.Errorf("the next build is at %s", next)
		}
	})
}

// TestAScheduleThatFailsSaysWhy lets schedules fail beside one that works.
func TestAScheduleThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	eachWorld(t, 2, func(t *testing.T, w *world) {
		w.pipeline("old")
		w.pipeline("filtered")
		w.pipeline("mine")
		archived, filtered, lost, good := w.schedule("old", "@hourly"), w.schedule("filtered", "@hourly"), w.schedule("mine", "@hourly"), w.schedule("web", "@hourly")
		const pipelines = "/v2/organizations/acme-inc/pipelines/"
		w.s.Post(testkit.AdminToken, pipelines+"old/archive", nil).Want(t, 200)
		w.s.Patch(testkit.AdminToken, pipelines+"filtered", `{"branch_configuration": "release/*"}`).Want(t, 200)
		testkit.Exec(t, w.s.DB, `UPDATE pipeline_schedules SET owner_id = (SELECT id FROM users WHERE email = 'outsider@example.com') WHERE id = '`+string(lost.ID)+`'`)
		w.clock.set(time.Date(2026, 3, 29, 0, 1, 0, 0, time.UTC))
		w.run()
		for schedule, want := range map[*domain.PipelineScheduleView]string{&archived: "archived pipeline", &filtered: "branch filter", &lost: "may not build the pipeline any more"} {
			got := w.now(*schedule)
			if got.FailedMessage == nil || !strings.Contains(*got.FailedMessage, want) || got.FailedAt == nil || !got.NextBuildAt.Equal(time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)) {
				t.Errorf("the schedule failed with %v at %v, next %v; want %s", got.FailedMessage, got.FailedAt, got.NextBuildAt, want)
			}
		}
		if got := w.now(good); got.FailedMessage != nil || len(w.builds("web")) != 1 {
			t.Errorf("the good schedule failed: %v", got.FailedMessage)
		}
		// The next one that works clears it, and so does saving it, in the name of who saves.
		w.s.Post(testkit.AdminToken, pipelines+"old/unarchive", nil).Want(t, 200)
		w.s.Patch(testkit.AdminToken, pipelines+"mine/schedules/"+string(lost.ID), `{"message": "Mine"}`).Want(t, 200)
		w.clock.set(time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC))
		w.run()
		for _, schedule := range []domain.PipelineScheduleView{archived, lost} {
			if got := w.now(schedule); got.FailedMessage != nil || got.FailedAt != nil {
				t.Errorf("it still says %s", *got.FailedMessage)
			}
		}
		// One that is off creates nothing.
		w.s.Patch(testkit.AdminToken, pipelines+"web/schedules/"+string(good.ID), `{"enabled": false}`).Want(t, 200)
		w.clock.set(time.Date(2026, 3, 29, 2, 0, 0, 0, time.UTC))
		w.run()
		if got := len(w.builds("web")); got != 2 {
			t.Errorf("there are %d builds", got)
		}
	})
}

func TestOneUnreadableScheduleKeepsNoOtherFromItsBuild(t *testing.T) {
	t.Parallel()
	eachWorld(t, 1, func(t *testing.T, w *world) {
		bad := w.schedule(w.pipeline("bad"), "*/10 * * * *")
		w.schedule("web", "*/10 * * * *")
		testkit.Change(t, w.s.DB, `UPDATE pipeline_schedules SET env = '{broken', next_build_at = 1 WHERE id = $1`, bad.ID)
		w.clock.set(time.Date(2026, 3, 29, 0, 10, 0, 0, time.UTC))
		w.run()
		if got := len(w.builds("web")); got != 1 {
			t.Errorf("%d builds of the healthy schedule were created", got)
		}
		items, err := w.s.Service.PostponedItems(t.Context(), authz.OperatorActor())
		if err != nil || len(items) != 1 || items[0].ID != string(bad.ID) || items[0].Kind != "create_scheduled_builds" {
			t.Errorf("%v, postponed are %+v", err, items)
		}
	})
}
