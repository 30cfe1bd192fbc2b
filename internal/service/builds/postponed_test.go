package builds_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
)

// damage makes a job's row unreadable.
const damage = `UPDATE job_runs SET upload_env = '{broken' WHERE job_id = $1`

// overdue lets the time of all running jobs be over, the bad one's first.
func (s *logServer) overdue(bad string) {
	s.t.Helper()
	s.exec(`UPDATE job_runs SET deadline = CASE WHEN job_id = $1 THEN 1 ELSE 2 END WHERE state = 'running'`, bad)
}

func (s *logServer) postponed() []domain.PostponedItem {
	s.t.Helper()
	items, err := s.management().PostponedItems(s.t.Context(), logOperator)
	if err != nil {
		s.t.Fatal(err)
	}
	return items
}

func (s *logServer) release(kind, id string) int64 {
	s.t.Helper()
	n, err := s.management().ReleaseItems(s.t.Context(), logOperator, kind, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *logServer) stateOf(job string) string {
	s.t.Helper()
	return s.text(`SELECT state FROM job_runs WHERE job_id = $1`, job)
}

// secondJob starts a job with another agent.
func (s *logServer) secondJob() *loggedJob {
	s.t.Helper()
	s.connectAgent()
	return s.start()
}

func TestOneUnreadableJobKeepsNoOtherFromItsEnd(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		var log bytes.Buffer
		s.core.Logger = slog.New(slog.NewTextHandler(&log, nil))
		bad, good := s.start(), s.secondJob()
		s.exec(damage, bad.id)
		s.overdue(bad.id)
		for range 3 {
			if err := s.builds.TimeOutJobs(t.Context(), logOperator); err != nil {
				t.Fatal(err)
			}
		}
		if state := s.stateOf(good.id); state != "timing_out" {
			t.Errorf("the healthy job is %s", state)
		}
		items := s.postponed()
		if len(items) != 1 || items[0].ID != bad.id || items[0].Kind != "time_out_jobs" || items[0].Attempts != 1 ||
			items[0].SetAsideAt != nil || !strings.Contains(items[0].LastError, "upload_env") {
			t.Fatalf("postponed are %+v", items)
		}
		if n := strings.Count(log.String(), bad.id); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
		// Mended and released, it is done, and nothing of it is left.
		s.exec(`UPDATE job_runs SET upload_env = '{}' WHERE job_id = $1`, bad.id)
		if n := s.release("", bad.id); n != 1 {
			t.Errorf("%d were released", n)
		}
		if err := s.builds.TimeOutJobs(t.Context(), logOperator); err != nil || s.stateOf(bad.id) != "timing_out" || len(s.postponed()) > 0 {
			t.Errorf("%v: the mended job is %s, postponed are %v", err, s.stateOf(bad.id), s.postponed())
		}
	})
}

// TestManyUnreadableJobsStarveNoOther has more of them than one round looks at.
func TestManyUnreadableJobsStarveNoOther(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		good := s.start()
		const bad = 100
		id := s.createdBuild(logAdmin, logOrganization, logCluster, "[{command: make, parallelism: "+strconv.Itoa(bad)+"}]")
		s.exec(`UPDATE job_runs SET state = 'running', list_state = 'with_agent', upload_env = '{broken' WHERE build_id = $1`, id)
		s.exec(`UPDATE job_runs SET deadline = CASE WHEN build_id = $1 THEN 1 ELSE 2 END WHERE state = 'running'`, id)
		if err := s.builds.TimeOutJobs(t.Context(), logOperator); err != nil {
			t.Fatal(err)
		}
		if state := s.stateOf(good.id); state != "timing_out" || len(s.postponed()) != bad {
			t.Errorf("the healthy job is %s, %d are postponed", state, len(s.postponed()))
		}
		before := s.db.Statements()
		if err := s.builds.TimeOutJobs(t.Context(), logOperator); err != nil {
			t.Fatal(err)
		}
		if n := s.db.Statements() - before; n > 3 {
			t.Errorf("%d statements while all of them wait", n)
		}
	})
}

func TestAnUnreadableJobKeepsNoAgentFromBeingLost(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		s.builds.SetReady(time.Now().Add(-time.Hour))
		bad, good := s.start(), s.secondJob()
		s.exec(damage, bad.id)
		s.saveHeartbeats(s.builds)
		s.silence(190 * time.Second)
		good.wantLost(s.builds, true)
		if items := s.postponed(); len(items) != 1 || items[0].Kind != "lose_agents" {
			t.Errorf("postponed are %+v", items)
		}
	})
}

// runTasks runs tasks until something holds.
func (s *logServer) runTasks(what string, holds func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { _ = s.builds.RunTasks(ctx, logOperator) })
	defer ended.Wait()
	defer cancel()
	for start := time.Now(); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			s.t.Fatal(what + ": not within 30 seconds")
		}
	}
}

func TestTasksOfUnknownKindsAreLeftToOthers(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		child := s.createdBuild(logAdmin, logOrganization, logCluster, "[{command: make}]")
		slug := s.text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, child)
		for i := range 150 { // more than are read at once
			s.exec(`INSERT INTO build_tasks (id, kind, build_id, due_at, attempts) VALUES ($1, 'of a later release', $2, 0, 0)`, strconv.Itoa(i), child)
		}
		parent := s.createdBuild(logAdmin, logOrganization, logCluster, "[{trigger: "+slug+"}]")
		s.runTasks("the build is triggered", func() bool {
			return s.text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE build_id = $1 AND triggered_build_id IS NOT NULL`, parent) == "1"
		})
		before := s.db.Statements()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.builds.RunTasks(second, logOperator); err != nil {
			t.Fatal(err)
		}
		if n := s.db.Statements() - before; n > 20 {
			t.Errorf("%d statements in a second without work", n)
		}
		if left := s.text(`SELECT CAST(count(*) AS TEXT) FROM build_tasks WHERE kind = 'of a later release'`); left != "150" {
			t.Errorf("%s are left", left)
		}
	})
}

func TestATaskThatAlwaysFailsIsSetAsideUntilItIsReleased(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		child := s.createdBuild(logAdmin, logOrganization, logCluster, "[{command: make}]")
		slug := s.text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, child)
		parent := s.createdBuild(logAdmin, logOrganization, logCluster, "[{trigger: "+slug+"}]")
		s.exec(`UPDATE job_runs SET upload_env = '{broken' WHERE build_id = $1`, parent)
		for attempt := 1; attempt <= domain.MaxItemAttempts; attempt++ {
			s.runTasks("the task fails", func() bool {
				items := s.postponed()
				return len(items) == 1 && items[0].Attempts == int64(attempt)
			})
			if attempt < domain.MaxItemAttempts {
				s.exec(`UPDATE postponed_items SET due_at = 0`)
			}
		}
		item := s.postponed()[0]
		if item.Kind != "run_build_tasks" || item.SetAsideAt == nil {
			t.Fatalf("the task is %+v", item)
		}
		counts, err := s.management().WatchPostponedItems(t.Context(), logOperator)
		if err != nil || counts["run_build_tasks"] != 1 {
			t.Errorf("%v are set aside: %v", counts, err)
		}
		s.exec(`UPDATE job_runs SET upload_env = '{}' WHERE build_id = $1`, parent)
		before := s.db.Statements()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.builds.RunTasks(second, logOperator); err != nil || s.db.Statements()-before > 20 {
			t.Errorf("%v, and %d statements while it is set aside", err, s.db.Statements()-before)
		}
		if n := s.release("run_build_tasks", ""); n != 1 {
			t.Errorf("%d were released", n)
		}
		s.runTasks("the build is triggered", func() bool {
			return s.text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE build_id = $1 AND triggered_build_id IS NOT NULL`, parent) == "1" &&
				len(s.postponed()) == 0
		})
	})
}

// refusingStore refuses to store one object, or any.
type refusingStore struct {
	blob.Store
	refuses func(key string) bool
}

func (r *refusingStore) Put(ctx context.Context, key string, content io.Reader, size int64) (int64, error) {
	if r.refuses(key) {
		return 0, errors.New("no such bucket")
	}
	return r.Store.Put(ctx, key, content, size)
}

func (r *refusingStore) Get(ctx context.Context, key string, from, length int64) (*blob.Content, error) {
	if r.refuses(key) {
		return nil, errors.New("no such bucket")
	}
	return r.Store.Get(ctx, key, from, length)
}

func TestOneReportOfTestsThatCannotBeReadKeepsNoOtherFromIt(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		j := s.start()
		for _, id := range []string{"0190a000-0000-7000-8000-0000000000a1", "0190a000-0000-7000-8000-0000000000a2", "0190a000-0000-7000-8000-0000000000a3"} {
			a := domain.Artifact{ID: domain.ArtifactID(id), OrganizationID: domain.OrganizationID(s.text(`SELECT organization_id FROM jobs WHERE id = $1`, j.id))}
			const report = `<testsuite><testcase name="adds"/></testsuite>`
			if _, err := s.blobs.Put(t.Context(), a.Key(), strings.NewReader(report), int64(len(report))); err != nil {
				t.Fatal(err)
			}
			s.exec(`INSERT INTO test_reports (id, organization_id, build_id, job_id, path, state, reason, tests, failed, skipped, took, cases, created_at)
				SELECT $1, organization_id, build_id, id, 'junit.xml', 'waiting', '', 0, 0, 0, 0, '[]', created_at FROM jobs WHERE id = $2`, id, j.id)
		}
		read := func() string {
			return s.text(`SELECT CAST(sum(tests) AS TEXT) FROM test_reports WHERE state = 'read'`)
		}
		bad := &refusingStore{s.blobs, func(key string) bool { return strings.Contains(key, "0000000000a1") }}
		if err := artifacts.New(artifacts.Options{Core: s.core, Blobs: bad}).ReadTestReports(t.Context(), logOperator); err != nil {
			t.Error(err)
		}
		if items := s.postponed(); len(items) != 1 || items[0].Kind != "read_test_reports" || read() != "2" {
			t.Errorf("postponed are %+v, %s tests are read", items, read())
		}
		s.release("", "")
		if err := s.artifacts.ReadTestReports(t.Context(), logOperator); err != nil || read() != "3" || len(s.postponed()) > 0 {
			t.Errorf("%v, %s tests are read, postponed are %v", err, read(), s.postponed())
		}
	})
}

func TestOneLogThatCannotBePackedKeepsNoOtherFromIt(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		var jobs []*loggedJob
		for range 6 {
			j := s.start()
			j.chunk(1, 0, "text").want(200)
			j.finish(0)
			jobs = append(jobs, j)
		}
		inBlobs := func() string {
			return s.text(`SELECT CAST(count(*) AS TEXT) FROM job_logs WHERE place = 'blob'`)
		}
		// A store that is away is no log's fault.
		away := &refusingStore{s.blobs, func(string) bool { return true }}
		if err := logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: away}).PackLogs(t.Context(), logOperator); err == nil || len(s.postponed()) > 0 {
			t.Errorf("%v, postponed are %v", err, s.postponed())
		}
		bad := &refusingStore{s.blobs, func(key string) bool { return strings.Contains(key, jobs[0].id) }}
		if err := logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: bad}).PackLogs(t.Context(), logOperator); err != nil {
			t.Error(err)
		}
		if items := s.postponed(); len(items) != 1 || items[0].ID != jobs[0].id || items[0].Kind != "pack_logs" || inBlobs() != "5" {
			t.Errorf("postponed are %+v, %s are packed", items, inBlobs())
		}
		s.release("", "")
		s.pack()
		if inBlobs() != "6" || len(s.postponed()) > 0 {
			t.Errorf("%s are packed, postponed are %v", inBlobs(), s.postponed())
		}
	})
}

func TestItemsThatPanicKeepNoOtherFromBeingDone(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		work := core.Items[string]{Kind: "tests", ID: core.SameID[string], Batch: 10, Do: func(_ context.Context, some []string) error {
			for _, item := range some {
				if item == "bad" {
					panic("out of cheese")
				}
			}
			return nil
		}}
		done, err := work.Run(t.Context(), s.core, []string{"a", "bad", "b"})
		items := s.postponed()
		if done != 2 || err != nil || len(items) != 1 || items[0].ID != "bad" || items[0].LastError != "panic: out of cheese" {
			t.Errorf("%d are done, %v, postponed are %+v", done, err, items)
		}
		// Items that were due long ago and that no loop finds any more are forgotten.
		s.exec(`UPDATE postponed_items SET due_at = 1`)
		if _, err := s.management().WatchPostponedItems(t.Context(), logOperator); err != nil || len(s.postponed()) > 0 {
			t.Errorf("%v, postponed are %v", err, s.postponed())
		}
	})
}

// TestOldBuildsThatWaitForSomebodyCostNewOnesNothing has a branch with many blocked builds, which are not to be skipped.
func TestOldBuildsThatWaitForSomebodyCostNewOnesNothing(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		first := s.createdBuild(logAdmin, logOrganization, logCluster, "[{block: Release}]")
		slug := s.text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, first)
		s.exec(`UPDATE pipelines SET skip_queued_branch_builds = TRUE WHERE slug = $1`, slug)
		create := func() domain.BuildID {
			t.Helper()
			b, err := s.builds.CreateBuild(t.Context(), logAdmin, domain.PipelineRef{Organization: logOrganization, Slug: slug}, domain.SourceAPI,
				core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}))
			if err != nil {
				t.Fatal(err)
			}
			return b.ID
		}
		const blocked = 300
		for range blocked - 1 {
			create()
		}
		s.exec(`DELETE FROM build_tasks`)
		create()
		asked := int64(0)
		before := s.db.Statements()
		s.runTasks("the task is done", func() bool {
			asked++
			return s.text(`SELECT CAST(count(*) AS TEXT) FROM build_tasks`) == "0"
		})
		if n := s.db.Statements() - before - asked; n > 100 {
			t.Errorf("%d statements", n)
		}
		if state := s.text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE state = 'blocked'`); state != strconv.Itoa(blocked+1) {
			t.Errorf("%s builds are blocked", state)
		}
	})
}
