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
	"penstock/internal/testkit/running"
)

// damage makes a job's row unreadable.
const damage = `UPDATE job_runs SET upload_env = '{broken' WHERE job_id = $1`

// overdue lets the time of all running jobs be over, the bad one's first.
func overdue(s *running.Server, bad string) {
	s.T.Helper()
	s.Exec(`UPDATE job_runs SET deadline = CASE WHEN job_id = $1 THEN 1 ELSE 2 END WHERE state = 'running'`, bad)
}

func postponedItems(s *running.Server) []domain.PostponedItem {
	s.T.Helper()
	items, err := s.Service.PostponedItems(s.T.Context(), running.Operator)
	if err != nil {
		s.T.Fatal(err)
	}
	return items
}

func releaseItems(s *running.Server, kind, id string) int64 {
	s.T.Helper()
	n, err := s.Service.ReleaseItems(s.T.Context(), running.Operator, kind, id)
	if err != nil {
		s.T.Fatal(err)
	}
	return n
}

func TestOneUnreadableJobKeepsNoOtherFromItsEnd(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		var log bytes.Buffer
		s.Core.Logger = slog.New(slog.NewTextHandler(&log, nil))
		bad, good := s.StartNewJob(), s.StartNewJob()
		s.Exec(damage, bad.ID)
		overdue(s, bad.ID)
		for range 3 {
			if err := s.Builds.TimeOutJobs(t.Context(), running.Operator); err != nil {
				t.Fatal(err)
			}
		}
		if state := s.JobState(good.ID); state != "timing_out" {
			t.Errorf("the healthy job is %s", state)
		}
		items := postponedItems(s)
		if len(items) != 1 || items[0].ID != bad.ID || items[0].Kind != "time_out_jobs" || items[0].Attempts != 1 ||
			items[0].SetAsideAt != nil || !strings.Contains(items[0].LastError, "upload_env") {
			t.Fatalf("postponed are %+v", items)
		}
		if n := strings.Count(log.String(), bad.ID); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
		// Mended and released, it is done, and nothing of it is left.
		s.Exec(`UPDATE job_runs SET upload_env = '{}' WHERE job_id = $1`, bad.ID)
		if n := releaseItems(s, "", bad.ID); n != 1 {
			t.Errorf("%d were released", n)
		}
		if err := s.Builds.TimeOutJobs(t.Context(), running.Operator); err != nil || s.JobState(bad.ID) != "timing_out" || len(postponedItems(s)) > 0 {
			t.Errorf("%v: the mended job is %s, postponed are %v", err, s.JobState(bad.ID), postponedItems(s))
		}
	})
}

// TestManyUnreadableJobsStarveNoOther has more of them than one round looks at.
func TestManyUnreadableJobsStarveNoOther(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		good := s.StartNewJob()
		const bad = 100
		id := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{command: make, parallelism: "+strconv.Itoa(bad)+"}]")
		s.Exec(`UPDATE job_runs SET state = 'running', list_state = 'with_agent', upload_env = '{broken' WHERE build_id = $1`, id)
		s.Exec(`UPDATE job_runs SET deadline = CASE WHEN build_id = $1 THEN 1 ELSE 2 END WHERE state = 'running'`, id)
		if err := s.Builds.TimeOutJobs(t.Context(), running.Operator); err != nil {
			t.Fatal(err)
		}
		if state := s.JobState(good.ID); state != "timing_out" || len(postponedItems(s)) != bad {
			t.Errorf("the healthy job is %s, %d are postponed", state, len(postponedItems(s)))
		}
		before := s.DB.Statements()
		if err := s.Builds.TimeOutJobs(t.Context(), running.Operator); err != nil {
			t.Fatal(err)
		}
		if n := s.DB.Statements() - before; n > 3 {
			t.Errorf("%d statements while all of them wait", n)
		}
	})
}

// runTasks runs tasks until something holds.
func runTasks(s *running.Server, what string, holds func() bool) {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.T.Context())
	var ended sync.WaitGroup
	ended.Go(func() { _ = s.Builds.RunTasks(ctx, running.Operator) })
	defer ended.Wait()
	defer cancel()
	for start := time.Now(); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			s.T.Fatal(what + ": not within 30 seconds")
		}
	}
}

func TestTasksOfUnknownKindsAreLeftToOthers(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		child := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{command: make}]")
		slug := s.Text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, child)
		for i := range 150 { // more than are read at once
			s.Exec(`INSERT INTO build_tasks (id, kind, build_id, due_at, attempts) VALUES ($1, 'of a later release', $2, 0, 0)`, strconv.Itoa(i), child)
		}
		parent := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{trigger: "+slug+"}]")
		runTasks(s, "the build is triggered", func() bool {
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE build_id = $1 AND triggered_build_id IS NOT NULL`, parent) == "1"
		})
		before := s.DB.Statements()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Builds.RunTasks(second, running.Operator); err != nil {
			t.Fatal(err)
		}
		if n := s.DB.Statements() - before; n > 20 {
			t.Errorf("%d statements in a second without work", n)
		}
		if left := s.Text(`SELECT CAST(count(*) AS TEXT) FROM build_tasks WHERE kind = 'of a later release'`); left != "150" {
			t.Errorf("%s are left", left)
		}
	})
}

func TestATaskThatAlwaysFailsIsSetAsideUntilItIsReleased(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		child := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{command: make}]")
		slug := s.Text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, child)
		parent := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{trigger: "+slug+"}]")
		s.Exec(`UPDATE job_runs SET upload_env = '{broken' WHERE build_id = $1`, parent)
		for attempt := 1; attempt <= domain.MaxItemAttempts; attempt++ {
			runTasks(s, "the task fails", func() bool {
				items := postponedItems(s)
				return len(items) == 1 && items[0].Attempts == int64(attempt)
			})
			if attempt < domain.MaxItemAttempts {
				s.Exec(`UPDATE postponed_items SET due_at = 0`)
			}
		}
		item := postponedItems(s)[0]
		if item.Kind != "run_build_tasks" || item.SetAsideAt == nil {
			t.Fatalf("the task is %+v", item)
		}
		counts, err := s.Service.WatchPostponedItems(t.Context(), running.Operator)
		if err != nil || counts["run_build_tasks"] != 1 {
			t.Errorf("%v are set aside: %v", counts, err)
		}
		s.Exec(`UPDATE job_runs SET upload_env = '{}' WHERE build_id = $1`, parent)
		before := s.DB.Statements()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Builds.RunTasks(second, running.Operator); err != nil || s.DB.Statements()-before > 20 {
			t.Errorf("%v, and %d statements while it is set aside", err, s.DB.Statements()-before)
		}
		if n := releaseItems(s, "run_build_tasks", ""); n != 1 {
			t.Errorf("%d were released", n)
		}
		runTasks(s, "the build is triggered", func() bool {
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE build_id = $1 AND triggered_build_id IS NOT NULL`, parent) == "1" &&
				len(postponedItems(s)) == 0
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
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		for _, id := range []string{"0190a000-0000-7000-8000-0000000000a1", "0190a000-0000-7000-8000-0000000000a2", "0190a000-0000-7000-8000-0000000000a3"} {
			a := domain.Artifact{ID: domain.ArtifactID(id), OrganizationID: domain.OrganizationID(s.Text(`SELECT organization_id FROM jobs WHERE id = $1`, j.ID))}
			const report = `<testsuite><testcase name="adds"/></testsuite>`
			if _, err := s.Blobs.Put(t.Context(), a.Key(), strings.NewReader(report), int64(len(report))); err != nil {
				t.Fatal(err)
			}
			s.Exec(`INSERT INTO test_reports (id, organization_id, build_id, job_id, path, state, reason, tests, failed, skipped, took, cases, created_at)
				SELECT $1, organization_id, build_id, id, 'junit.xml', 'waiting', '', 0, 0, 0, 0, '[]', created_at FROM jobs WHERE id = $2`, id, j.ID)
		}
		read := func() string {
			return s.Text(`SELECT CAST(sum(tests) AS TEXT) FROM test_reports WHERE state = 'read'`)
		}
		bad := &refusingStore{s.Blobs, func(key string) bool { return strings.Contains(key, "0000000000a1") }}
		if err := artifacts.New(artifacts.Options{Core: s.Core, Blobs: bad}).ReadTestReports(t.Context(), running.Operator); err != nil {
			t.Error(err)
		}
		if items := postponedItems(s); len(items) != 1 || items[0].Kind != "read_test_reports" || read() != "2" {
			t.Errorf("postponed are %+v, %s tests are read", items, read())
		}
		releaseItems(s, "", "")
		if err := s.Artifacts.ReadTestReports(t.Context(), running.Operator); err != nil || read() != "3" || len(postponedItems(s)) > 0 {
			t.Errorf("%v, %s tests are read, postponed are %v", err, read(), postponedItems(s))
		}
	})
}

func TestOneLogThatCannotBePackedKeepsNoOtherFromIt(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		var jobs []*running.Job
		for range 6 {
			j := s.StartNewJob()
			j.Chunk(1, 0, "text").Want(t, 200)
			j.Finish(0).Want(t, 200)
			jobs = append(jobs, j)
		}
		inBlobs := func() string {
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM job_logs WHERE place = 'blob'`)
		}
		// A store that is away is no log's fault.
		away := &refusingStore{s.Blobs, func(string) bool { return true }}
		if err := logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: away}).PackLogs(t.Context(), running.Operator); err == nil || len(postponedItems(s)) > 0 {
			t.Errorf("%v, postponed are %v", err, postponedItems(s))
		}
		bad := &refusingStore{s.Blobs, func(key string) bool { return strings.Contains(key, jobs[0].ID) }}
		if err := logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: bad}).PackLogs(t.Context(), running.Operator); err != nil {
			t.Error(err)
		}
		if items := postponedItems(s); len(items) != 1 || items[0].ID != jobs[0].ID || items[0].Kind != "pack_logs" || inBlobs() != "5" {
			t.Errorf("postponed are %+v, %s are packed", items, inBlobs())
		}
		releaseItems(s, "", "")
		s.Pack()
		if inBlobs() != "6" || len(postponedItems(s)) > 0 {
			t.Errorf("%s are packed, postponed are %v", inBlobs(), postponedItems(s))
		}
	})
}

func TestItemsThatPanicKeepNoOtherFromBeingDone(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		work := core.Items[string]{Kind: "tests", ID: core.SameID[string], Batch: 10, Do: func(_ context.Context, some []string) error {
			for _, item := range some {
				if item == "bad" {
					panic("out of cheese")
				}
			}
			return nil
		}}
		done, err := work.Run(t.Context(), s.Core, []string{"a", "bad", "b"})
		items := postponedItems(s)
		if done != 2 || err != nil || len(items) != 1 || items[0].ID != "bad" || items[0].LastError != "panic: out of cheese" {
			t.Errorf("%d are done, %v, postponed are %+v", done, err, items)
		}
		// Items that were due long ago and that no loop finds any more are forgotten.
		s.Exec(`UPDATE postponed_items SET due_at = 1`)
		if _, err := s.Service.WatchPostponedItems(t.Context(), running.Operator); err != nil || len(postponedItems(s)) > 0 {
			t.Errorf("%v, postponed are %v", err, postponedItems(s))
		}
	})
}

// TestOldBuildsThatWaitForSomebodyCostNewOnesNothing has a branch with many blocked builds, which are not to be skipped.
func TestOldBuildsThatWaitForSomebodyCostNewOnesNothing(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		first := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{block: Release}]")
		slug := s.Text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, first)
		s.Exec(`UPDATE pipelines SET skip_queued_branch_builds = TRUE WHERE slug = $1`, slug)
		create := func() domain.BuildID {
			t.Helper()
			b, err := s.Builds.CreateBuild(t.Context(), running.Admin, domain.PipelineRef{Organization: running.Organization, Slug: slug}, domain.SourceAPI,
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
		s.Exec(`DELETE FROM build_tasks`)
		create()
		asked := int64(0)
		before := s.DB.Statements()
		runTasks(s, "the task is done", func() bool {
			asked++
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM build_tasks`) == "0"
		})
		if n := s.DB.Statements() - before - asked; n > 100 {
			t.Errorf("%d statements", n)
		}
		if state := s.Text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE state = 'blocked'`); state != strconv.Itoa(blocked+1) {
			t.Errorf("%s builds are blocked", state)
		}
	})
}
