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
)

var (
	otherOrganization = domain.OrganizationRef{Slug: "other-inc"}
	otherAdmin        = authz.TokenActor(authz.REST, otherToken, netip.MustParseAddr("127.0.0.1"))
)

// createdBuild creates a build of a new pipeline with these steps.
func (s *logServer) createdBuild(by authz.Actor, in domain.OrganizationRef, cluster, steps string) domain.BuildID {
	s.t.Helper()
	input := domain.PipelineInput{Name: domain.Some("p" + domain.NewID[string]()), Repository: domain.Some("https://example.com/acme/web.git"), ClusterID: domain.Some(cluster),
		Configuration: domain.Some("steps: " + steps), DefaultBranch: domain.Some("main")}
	p, err := s.management().CreatePipeline(s.t.Context(), by, in, core.Value(input))
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := s.builds.CreateBuild(s.t.Context(), by, domain.PipelineRef{Organization: in, Slug: p.Slug}, domain.SourceAPI,
		core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}))
	if err != nil {
		s.t.Fatal(err)
	}
	return b.ID
}

// canceledBuild is createdBuild for a build that is canceled, and so finished.
func (s *logServer) canceledBuild(by authz.Actor, in domain.OrganizationRef, cluster string) domain.BuildID {
	s.t.Helper()
	id := s.createdBuild(by, in, cluster, "[{command: make}]")
	number := s.text(`SELECT CAST(number AS TEXT) FROM builds WHERE id = $1`, id)
	slug := s.text(`SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = $1`, id)
	if _, err := s.builds.CancelBuild(s.t.Context(), by, domain.BuildRef{Pipeline: domain.PipelineRef{Organization: in, Slug: slug}, Number: 1}); err != nil || number != "1" {
		s.t.Fatal(number, err)
	}
	return id
}

// age lets a build have been made, and ended if it has, so long ago.
func (s *logServer) age(id domain.BuildID, d time.Duration) {
	s.t.Helper()
	s.exec(`UPDATE builds SET created_at = created_at - $1, finished_at = finished_at - $1 WHERE id = $2`, d.Microseconds(), id)
}

func (s *logServer) setRetention(slug string, days any) {
	s.t.Helper()
	s.exec(`UPDATE organizations SET build_retention_days = $1 WHERE slug = $2`, days, slug)
}

func (s *logServer) deleteOldBuilds() {
	s.t.Helper()
	if err := s.builds.DeleteOldBuilds(s.t.Context(), logOperator); err != nil {
		s.t.Fatal(err)
	}
	if err := s.artifacts.DeleteBlobs(s.t.Context(), logOperator); err != nil {
		s.t.Fatal(err)
	}
}

func (s *logServer) hasBuild(id domain.BuildID) bool {
	s.t.Helper()
	return s.text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE id = $1`, id) == "1"
}

// storeArtifact uploads a file of the job, and returns the key of its content.
func (j *loggedJob) storeArtifact(content string) string {
	j.s.t.Helper()
	ctx, token := j.s.t.Context(), authz.AgentActor(authz.JobToken, j.token, netip.MustParseAddr("127.0.0.1"))
	sum := sha1.Sum([]byte(content))
	told, err := j.s.artifacts.CreateArtifacts(ctx, token, j.id, artifacts.ArtifactBatch{ID: domain.NewID[string](),
		Artifacts: []domain.ArtifactInput{{Path: "a.txt", FileSize: int64(len(content)), SHA1Sum: hex.EncodeToString(sum[:]), ContentType: "text/plain"}}})
	if err != nil {
		j.s.t.Fatal(err)
	}
	upload, err := j.s.artifacts.OpenUpload(ctx, authz.Actor{}, told.Ticket, "a.txt")
	if err == nil {
		_, err = j.s.artifacts.StoreUpload(ctx, authz.Actor{}, upload, strings.NewReader(content))
	}
	if err == nil {
		err = j.s.artifacts.UpdateArtifacts(ctx, token, j.id, []artifacts.ArtifactChange{{ID: string(told.IDs[0]), State: domain.ArtifactFinished}})
	}
	if err != nil {
		j.s.t.Fatal(err)
	}
	return "artifacts/" + j.s.text(`SELECT organization_id FROM jobs WHERE id = $1`, j.id) + "/" + string(told.IDs[0])
}

// tablesOfBuilds have rows that belong to a build, or to a job of it.
var tablesOfBuilds = map[string]string{
	"build_steps": "build_id", "jobs": "build_id", "annotations": "build_id", "artifacts": "build_id",
	"artifact_uploads": "job_id", "job_events": "job_id", "job_log_chunks": "job_id",
}

// TestBuildsAreKeptAsLongAsTheOrganizationSays has finished builds on both sides of the day, and builds that are not over.
func TestBuildsAreKeptAsLongAsTheOrganizationSays(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		const day = 24 * time.Hour
		type keptBuild struct {
			id    domain.BuildID
			job   *loggedJob
			blobs []string
		}
		finished := func(age time.Duration, isPacked bool) keptBuild {
			j := s.start()
			j.chunk(1, 0, "text").want(200)
			j.call("POST", "annotations", `{"body":"hello","context":"default"}`).want(200)
			b := keptBuild{job: j, blobs: []string{j.storeArtifact("content")}, id: domain.BuildID(s.text(`SELECT build_id FROM jobs WHERE id = $1`, j.id))}
			j.finish(0)
			if isPacked {
				s.pack()
				b.blobs = append(b.blobs, j.key())
			}
			s.age(b.id, age)
			return b
		}
		rows := func(b keptBuild, table string) string {
			of := map[string]string{"build_id": string(b.id), "job_id": b.job.id}[tablesOfBuilds[table]]
			return s.text(`SELECT CAST(count(*) AS TEXT) FROM `+table+` WHERE `+tablesOfBuilds[table]+` = $1`, of)
		}
		old, young, unpacked := finished(30*day+time.Hour, true), finished(30*day-time.Hour, true), finished(31*day, false)
		blocked, running := s.createdBuild(logAdmin, logOrganization, logCluster, "[{block: Stop}]"), s.start()
		runningID := domain.BuildID(s.text(`SELECT build_id FROM jobs WHERE id = $1`, running.id))
		s.age(blocked, 400*day)
		s.age(runningID, 400*day)
		other, otherOld := s.canceledBuild(otherAdmin, otherOrganization, otherCluster), s.canceledBuild(otherAdmin, otherOrganization, otherCluster)
		s.age(other, 100*day)
		s.age(otherOld, 366*day)
		all := []domain.BuildID{old.id, young.id, unpacked.id, blocked, runningID, other, otherOld}
		wantLeft := func(when string, want ...domain.BuildID) {
			t.Helper()
			kept := map[domain.BuildID]bool{}
			for _, id := range want {
				kept[id] = true
			}
			for i, id := range all {
				if s.hasBuild(id) != kept[id] {
					t.Errorf("%s: build %d is there: %v", when, i, !kept[id])
				}
			}
		}
		wantBlobs := func(b keptBuild, wanted bool) {
			t.Helper()
			for _, key := range b.blobs {
				if _, err := s.blobs.Stat(t.Context(), key); wanted != (err == nil) || !wanted && !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("%s: %v", key, err)
				}
			}
		}
		if s.text(`SELECT state FROM builds WHERE id = $1`, blocked) != "blocked" || rows(unpacked, "job_log_chunks") != "1" {
			t.Fatal("the builds are not as this test wants them")
		}

		s.deleteOldBuilds()
		wantLeft("without a setting", all...)
		wantBlobs(old, true)

		s.setRetention("acme-inc", 30)
		for table := range tablesOfBuilds {
			if n := rows(old, table); n == "0" && table != "job_log_chunks" {
				t.Errorf("%s has nothing of the build", table)
			}
		}
		s.deleteOldBuilds()
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
		if got := young.job.read(0, -1); got != "text" {
			t.Errorf("the log of the build that is kept is %q", got)
		}
		running.finish(0) // goes on as if nothing had happened

		s.setRetention("other-inc", 365)
		s.deleteOldBuilds()
		wantLeft("after a year elsewhere", young.id, blocked, runningID, other)

		s.setRetention("other-inc", nil)
		s.age(other, 400*day)
		s.age(young.id, day)
		s.deleteOldBuilds()
		wantLeft("a day later", blocked, runningID, other)
	})
}

// TestManyOldBuildsAreDeletedInOneRun has more than are deleted together, and some with many jobs.
func TestManyOldBuildsAreDeletedInOneRun(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		var made []domain.BuildID
		for range 25 {
			id := s.canceledBuild(logAdmin, logOrganization, logCluster)
			s.age(id, 40*24*time.Hour)
			made = append(made, id)
		}
		s.exec(`UPDATE builds SET jobs_made = 300 WHERE id IN ($1, $2, $3)`, made[0], made[1], made[2])
		s.exec(`UPDATE builds SET jobs_made = 501 WHERE id IN ($1, $2)`, made[3], made[24])
		s.setRetention("acme-inc", 30)
		s.deleteOldBuilds()
		if left := s.text(`SELECT CAST(count(*) AS TEXT) FROM builds`); left != "0" {
			t.Errorf("%s builds are left", left)
		}
	})
}

// TestAgentsThatAreAwayAreDeleted has agents of a job each, as those are that run in a container.
func TestAgentsThatAreAwayAreDeleted(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		const day = 24 * time.Hour
		agent := func(state string, away, built time.Duration) (id string) {
			s.connectAgent()
			j := s.start()
			j.finish(0)
			id = s.text(`SELECT agent_id FROM job_runs WHERE job_id = $1`, j.id)
			s.age(domain.BuildID(s.text(`SELECT build_id FROM jobs WHERE id = $1`, j.id)), built)
			s.exec(`UPDATE agents SET state = $1, disconnected_at = created_at - $2 WHERE id = $3`, state, away.Microseconds(), id)
			return id
		}
		kept := map[string]string{
			"that ran a job which is kept": agent("disconnected", 40*day, day), "that left lately": agent("disconnected", 29*day, 40*day), "that is there": agent("connected", 40*day, 40*day),
		}
		gone := map[string]string{"that left": agent("disconnected", 31*day, 40*day), "that was stopped": agent("stopped", 31*day, 40*day), "that was lost": agent("lost", 31*day, 40*day)}
		s.setRetention("acme-inc", 30)
		s.deleteOldBuilds()
		count := func(id string) string { return s.text(`SELECT CAST(count(*) AS TEXT) FROM agents WHERE id = $1`, id) }
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
