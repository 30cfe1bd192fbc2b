package builds_test

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

var (
	otherOrganization = domain.OrganizationRef{Slug: "other-inc"}
	otherAdmin        = authz.TokenActor(authz.REST, running.OtherToken, netip.MustParseAddr("127.0.0.1"))
)

// createBuild creates a build of a new pipeline with these steps.
func createBuild(s *running.Server, by authz.Actor, in domain.OrganizationRef, cluster, steps string) domain.BuildID {
	s.T.Helper()
	input := domain.PipelineInput{Name: domain.Some("p" + domain.NewID[string]()), Repository: domain.Some("https://example.com/acme/web.git"), ClusterID: domain.Some(cluster),
		Configuration: domain.Some("steps: " + steps)}
	input.DefaultBranch = domain.Some("main")
	p, err := s.Service.CreatePipeline(s.T.Context(), by, in, core.Value(input))
	if err != nil {
		s.T.Fatal(err)
	}
	b, err := s.Builds.CreateBuild(s.T.Context(), by, domain.PipelineRef{Organization: in, Slug: p.Slug}, domain.SourceAPI,
		core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}))
	if err != nil {
		s.T.Fatal(err)
	}
	return b.ID
}

// createCanceledBuild is createdBuild for a build that is canceled, and so finished.
func createCanceledBuild(s *running.Server, by authz.Actor, in domain.OrganizationRef, cluster string) domain.BuildID {
	s.T.Helper()
	id := createBuild(s, by, in, cluster, "[{command: make}]")
	number := s.Text(`SELECT CAST(number AS TEXT) FROM builds WHERE id = $1`, id)
	slug := s.Text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, id)
	if _, err := s.Builds.CancelBuild(s.T.Context(), by, domain.BuildRef{Pipeline: domain.PipelineRef{Organization: in, Slug: slug}, Number: 1}); err != nil || number != "1" {
		s.T.Fatal(number, err)
	}
	return id
}

// ageBuild lets a build have been made, and ended if it has, so long ago.
func ageBuild(s *running.Server, id domain.BuildID, d time.Duration) {
	s.T.Helper()
	s.Exec(`UPDATE builds SET created_at = created_at - $1, finished_at = finished_at - $1 WHERE id = $2`, d.Microseconds(), id)
}

func setRetention(s *running.Server, slug string, days any) {
	s.T.Helper()
	s.Exec(`UPDATE organizations SET build_retention_days = $1 WHERE slug = $2`, days, slug)
}

func deleteOldBuilds(s *running.Server) {
	s.T.Helper()
	if err := s.Builds.DeleteOldBuilds(s.T.Context(), running.Operator); err != nil {
		s.T.Fatal(err)
	}
	if err := s.Artifacts.DeleteBlobs(s.T.Context(), running.Operator); err != nil {
		s.T.Fatal(err)
	}
}

func hasBuild(s *running.Server, id domain.BuildID) bool {
	s.T.Helper()
	return s.Text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE id = $1`, id) == "1"
}

// storeArtifact uploads a file of the job, and returns the key of its content.
func storeArtifact(j *running.Job, content string) string {
	j.Agent.S.T.Helper()
	ctx, token := j.Agent.S.T.Context(), authz.AgentActor(authz.JobToken, j.Token, netip.MustParseAddr("127.0.0.1"))
	sum := sha1.Sum([]byte(content))
	told, err := j.Agent.S.Artifacts.CreateArtifacts(ctx, token, j.ID, artifacts.ArtifactBatch{ID: domain.NewID[string](),
		Artifacts: []domain.ArtifactInput{{Path: "a.txt", FileSize: int64(len(content)), SHA1Sum: hex.EncodeToString(sum[:]), ContentType: "text/plain"}}})
	if err != nil {
		j.Agent.S.T.Fatal(err)
	}
	upload, err := j.Agent.S.Artifacts.OpenUpload(ctx, authz.Actor{}, told.Ticket, "a.txt")
	if err == nil {
		_, err = j.Agent.S.Artifacts.StoreUpload(ctx, authz.Actor{}, upload, strings.NewReader(content))
	}
	if err == nil {
		err = j.Agent.S.Artifacts.UpdateArtifacts(ctx, token, j.ID, []artifacts.ArtifactChange{{ID: string(told.IDs[0]), State: domain.ArtifactFinished}})
	}
	if err != nil {
		j.Agent.S.T.Fatal(err)
	}
	return "artifacts/" + j.Agent.S.Text(`SELECT organization_id FROM jobs WHERE id = $1`, j.ID) + "/" + string(told.IDs[0])
}

// tablesOfBuilds have rows that belong to a build, or to a job of it.
var tablesOfBuilds = map[string]string{
	"build_steps": "build_id", "jobs": "build_id", "annotations": "build_id", "artifacts": "build_id",
	"artifact_uploads": "job_id", "job_events": "job_id", "job_log_chunks": "job_id",
}

// TestBuildsAreKeptAsLongAsTheOrganizationSays has finished builds on both sides of the day, and builds that are not over.
func TestBuildsAreKeptAsLongAsTheOrganizationSays(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		const day = 24 * time.Hour
		type keptBuild struct {
			id    domain.BuildID
			job   *running.Job
			blobs []string
		}
		finished := func(age time.Duration, isPacked bool) keptBuild {
			j := s.StartNewJob()
			j.Chunk(1, 0, "text").Want(t, 200)
			j.Send("POST", "/annotations", `{"body":"hello","context":"default"}`).Want(t, 200)
			testkit.Exec(t, s.DB, `INSERT INTO job_events (id, job_id, type, at) VALUES ($1, $2, 'STACK_NOTIFICATION', 1)`, domain.NewID[string](), j.ID)
			b := keptBuild{job: j, blobs: []string{storeArtifact(j, "content")}, id: domain.BuildID(s.Text(`SELECT build_id FROM jobs WHERE id = $1`, j.ID))}
			j.Finish(0).Want(t, 200)
			if isPacked {
				s.Pack()
				b.blobs = append(b.blobs, j.Key())
			}
			ageBuild(s, b.id, age)
			return b
		}
		rows := func(b keptBuild, table string) string {
			of := map[string]string{"build_id": string(b.id), "job_id": b.job.ID}[tablesOfBuilds[table]]
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM `+table+` WHERE `+tablesOfBuilds[table]+` = $1`, of)
		}
		old, young, unpacked := finished(30*day+time.Hour, true), finished(30*day-time.Hour, true), finished(31*day, false)
		blocked, runningJob := createBuild(s, running.Admin, running.Organization, running.Cluster, "[{block: Stop}]"), s.StartNewJob()
		runningID := domain.BuildID(s.Text(`SELECT build_id FROM jobs WHERE id = $1`, runningJob.ID))
		ageBuild(s, blocked, 400*day)
		ageBuild(s, runningID, 400*day)
		other, otherOld := createCanceledBuild(s, otherAdmin, otherOrganization, running.OtherCluster), createCanceledBuild(s, otherAdmin, otherOrganization, running.OtherCluster)
		ageBuild(s, other, 100*day)
		ageBuild(s, otherOld, 366*day)
		all := []domain.BuildID{old.id, young.id, unpacked.id, blocked, runningID, other, otherOld}
		wantLeft := func(when string, want ...domain.BuildID) {
			t.Helper()
			kept := map[domain.BuildID]bool{}
			for _, id := range want {
				kept[id] = true
			}
			for i, id := range all {
				if hasBuild(s, id) != kept[id] {
					t.Errorf("%s: build %d is there: %v", when, i, !kept[id])
				}
			}
		}
		wantBlobs := func(b keptBuild, wanted bool) {
			t.Helper()
			for _, key := range b.blobs {
				if _, err := s.Blobs.Stat(t.Context(), key); wanted != (err == nil) || !wanted && !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("%s: %v", key, err)
				}
			}
		}
		if s.Text(`SELECT state FROM builds WHERE id = $1`, blocked) != "blocked" || rows(unpacked, "job_log_chunks") != "1" {
			t.Fatal("the builds are not as this test wants them")
		}

		deleteOldBuilds(s)
		wantLeft("without a setting", all...)
		wantBlobs(old, true)

		setRetention(s, "acme-inc", 30)
		for table := range tablesOfBuilds {
			if n := rows(old, table); n == "0" && table != "job_log_chunks" {
				t.Errorf("%s has nothing of the build", table)
			}
		}
		deleteOldBuilds(s)
		wantLeft("after 30 days", young.id, blocked, runningID, other, otherOld)
		for table := range tablesOfBuilds {
			if rows(old, table) != "0" || rows(unpacked, table) != "0" {
				t.Errorf("%s has rows that are left", table)
			}
			if rows(young, table) == "0" && table != "job_log_chunks" {
				t.Errorf("%s lost rows of a build that is kept", table)
			}
		}
		wantBlobs(old, false)
		wantBlobs(unpacked, false)
		wantBlobs(young, true)
		if got := young.job.Read(0, -1); got != "text" {
			t.Errorf("the log of the build that is kept is %q", got)
		}
		runningJob.Finish(0) // goes on as if nothing had happened

		setRetention(s, "other-inc", 365)
		deleteOldBuilds(s)
		wantLeft("after a year elsewhere", young.id, blocked, runningID, other)

		setRetention(s, "other-inc", nil)
		ageBuild(s, other, 400*day)
		ageBuild(s, young.id, day)
		deleteOldBuilds(s)
		wantLeft("a day later", blocked, runningID, other)
	})
}

// TestManyOldBuildsAreDeletedInOneRun has more than are deleted together, and some with many jobs.
func TestManyOldBuildsAreDeletedInOneRun(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		var made []domain.BuildID
		for range 25 {
			id := createCanceledBuild(s, running.Admin, running.Organization, running.Cluster)
			ageBuild(s, id, 40*24*time.Hour)
			made = append(made, id)
		}
		s.Exec(`UPDATE builds SET jobs_made = 300 WHERE id IN ($1, $2, $3)`, made[0], made[1], made[2])
		s.Exec(`UPDATE builds SET jobs_made = 501 WHERE id IN ($1, $2)`, made[3], made[24])
		setRetention(s, "acme-inc", 30)
		deleteOldBuilds(s)
		if left := s.Text(`SELECT CAST(count(*) AS TEXT) FROM builds`); left != "0" {
			t.Errorf("%s builds are left", left)
		}
	})
}

// TestAgentsThatAreAwayAreDeleted has agents of a job each, as those are that run in a container.
func TestAgentsThatAreAwayAreDeleted(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{PackLogs: true}, func(t *testing.T, s *running.Server) {
		const day = 24 * time.Hour
		agent := func(state string, away, built time.Duration) (id string) {
			j := s.StartNewJob()
			j.Finish(0).Want(t, 200)
			id = s.Text(`SELECT agent_id FROM job_runs WHERE job_id = $1`, j.ID)
			ageBuild(s, domain.BuildID(s.Text(`SELECT build_id FROM jobs WHERE id = $1`, j.ID)), built)
			s.Exec(`UPDATE agents SET state = $1, disconnected_at = created_at - $2 WHERE id = $3`, state, away.Microseconds(), id)
			return id
		}
		kept := map[string]string{
			"that ran a job which is kept": agent("disconnected", 40*day, day), "that left lately": agent("disconnected", 29*day, 40*day), "that is there": agent("connected", 40*day, 40*day),
		}
		gone := map[string]string{"that left": agent("disconnected", 31*day, 40*day), "that was stopped": agent("stopped", 31*day, 40*day), "that was lost": agent("lost", 31*day, 40*day)}
		setRetention(s, "acme-inc", 30)
		deleteOldBuilds(s)
		count := func(id string) string { return s.Text(`SELECT CAST(count(*) AS TEXT) FROM agents WHERE id = $1`, id) }
		for what, id := range kept {
			if count(id) != "1" {
				t.Errorf("an agent %s is deleted", what)
			}
		}
		for what, id := range gone {
			if count(id) != "0" {
				t.Errorf("an agent %s is kept", what)
			}
		}
	})
}
