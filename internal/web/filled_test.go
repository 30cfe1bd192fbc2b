package web_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/logs"
	"penstock/internal/testkit"
)

// worker is an agent that does what a test says, in the cluster Maintained.
type worker struct {
	*site
	ID      string
	session authz.Actor
}

// must fails the test for an error.
func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// agentToken makes a token that agents of the cluster Maintained connect with. Jobs that name no queue go to its queue.
func (s *site) agentToken() authz.Actor {
	s.t.Helper()
	s.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID), map[string]any{"default_queue_id": testkit.QueueID}).Want(s.t, http.StatusOK)
	token := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), map[string]any{"description": "CI"}).Want(s.t, http.StatusCreated).Text("token")
	return authz.AgentActor(authz.AgentToken, token, netip.MustParseAddr("192.0.2.7"))
}

// connectWorker connects an agent that has that name, and tags.
func (s *site) connectWorker(token authz.Actor, name string, tags ...string) *worker {
	s.t.Helper()
	made, err := s.Agents.RegisterAgent(s.t.Context(), token, agents.Registration{Name: name, Hostname: "host-" + name, OS: "Debian 13", Arch: "amd64", Version: "3.138.1", Build: "1", PID: 7,
		Priority: "3", MetaData: tags})
	s.must(err)
	w := &worker{s, string(made.Agent.ID), authz.AgentActor(authz.AgentSession, made.Session.Reveal(), token.Address)}
	s.must(s.Agents.ConnectAgent(s.t.Context(), w.session))
	return w
}

// work is a job that an agent runs.
type work struct {
	*worker
	ID    string
	token authz.Actor
}

// take takes the next job, and starts it.
func (w *worker) take() work {
	w.t.Helper()
	ping, err := w.Builds.PingAgent(w.t.Context(), w.session)
	w.must(err)
	accepted, err := w.Builds.AcceptJob(w.t.Context(), w.session, string(ping.Job))
	w.must(err)
	j := work{w, string(ping.Job), authz.AgentActor(authz.JobToken, accepted.Token.Reveal(), w.session.Address)}
	w.must(w.Builds.StartJob(w.t.Context(), j.token, j.ID))
	return j
}

// write writes the job's log, in one piece.
func (j work) write(text string) {
	j.t.Helper()
	var packed bytes.Buffer
	out := gzip.NewWriter(&packed)
	_, err := io.WriteString(out, text)
	j.must(err)
	j.must(out.Close())
	j.must(j.Logs.AddLogChunk(j.t.Context(), j.token, j.ID, logs.LogChunk{Sequence: 1, Size: int64(len(text)), Content: packed.Bytes()}))
}

// upload stores files of the job that all have the same content.
func (j work) upload(content string, paths ...string) {
	j.t.Helper()
	batch := artifacts.ArtifactBatch{ID: domain.NewID[string]()}
	for _, path := range paths {
		batch.Artifacts = append(batch.Artifacts, domain.ArtifactInput{Path: path, FileSize: int64(len(content)), SHA1Sum: fmt.Sprintf("%x", sha1.Sum([]byte(content)))})
	}
	announced, err := j.Artifacts.CreateArtifacts(j.t.Context(), j.token, j.ID, batch)
	j.must(err)
	var done []artifacts.ArtifactChange
	for i, path := range paths {
		pending, err := j.Artifacts.OpenUpload(j.t.Context(), authz.Actor{}, announced.Ticket, path)
		j.must(err)
		_, err = j.Artifacts.StoreUpload(j.t.Context(), authz.Actor{}, pending, strings.NewReader(content))
		j.must(err)
		done = append(done, artifacts.ArtifactChange{ID: string(announced.IDs[i]), State: domain.ArtifactFinished})
	}
	j.must(j.Artifacts.UpdateArtifacts(j.t.Context(), j.token, j.ID, done))
}

// announce says that the job has files, which it does not upload.
func (j work) announce(paths ...string) {
	j.t.Helper()
	for some := range slices.Chunk(paths, 30) { // as many as agents announce at once
		batch := artifacts.ArtifactBatch{ID: domain.NewID[string]()}
		for _, path := range some {
			batch.Artifacts = append(batch.Artifacts, domain.ArtifactInput{Path: path, FileSize: 1, SHA1Sum: fmt.Sprintf("%x", sha1.Sum(nil))})
		}
		_, err := j.Artifacts.CreateArtifacts(j.t.Context(), j.token, j.ID, batch)
		j.must(err)
	}
}

// annotate adds an annotation of the build.
func (j work) annotate(style, body string) {
	j.t.Helper()
	j.must(j.Builds.Annotate(j.t.Context(), j.token, j.ID, domain.AnnotationInput{Body: body, Style: style, Context: domain.NewID[string]()}))
}

// finish ends the job.
func (j work) finish(status int64) {
	j.t.Helper()
	j.must(j.Builds.FinishJob(j.t.Context(), j.token, j.ID, builds.Finish{ExitStatus: status}))
}

// pipelineWith makes a pipeline of the cluster Maintained that has these steps, and returns its path in the API.
func (s *site) pipelineWith(name, slug, steps string) string {
	s.t.Helper()
	s.Post(testkit.AdminToken, "/v2"+acme+"/pipelines", map[string]any{"name": name, "slug": slug, "repository": "git@example.com:acme/" + slug + ".git",
		"cluster_id": testkit.MaintainedID, "configuration": steps}).Want(s.t, http.StatusCreated)
	return "/v2" + acme + "/pipelines/" + slug
}

// buildOf makes a build of a pipeline, and returns the path of its page.
func (s *site) buildOf(pipeline, branch, message string) string {
	s.t.Helper()
	made := s.Post(testkit.AdminToken, pipeline+"/builds", map[string]any{"commit": "HEAD", "branch": branch, "message": message, "env": map[string]any{"LEVEL": "3"}}).
		Want(s.t, http.StatusCreated)
	return fmt.Sprintf("/acme-inc/%s/builds/%v", pipeline[strings.LastIndex(pipeline, "/")+1:], made.Object()["number"])
}

// pixel is the smallest picture.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// colorfulLog has all that a log can have: groups, colors, links, pictures, a bar that moves, and what looks like markup.
const colorfulLog = "~~~ Preparing\nquiet\n--- :hammer: Compiling\n\x1b[32m✓\x1b[0m \x1b[1mdone\x1b[0m in \x1b[38;5;208m3\x1b[0m \x1b[38;2;90;160;255ms\x1b[0m \x1b[41;97m !\x1b[0m \x1b[90mdim\x1b[0m \x1b[7mturned\x1b[0m\n" +
	"\x1b]8;;https://example.com/report\x1b\\a link\x1b]8;;\x1b\\ and \x1b]1339;url=https://example.com/x;content=another\a\n10%\r50%\r100%\n" +
	"\x1b]1337;File=name=cGl4ZWw=;inline=1:" + pixel + "\a\n\x1b]1338;url=https://example.com/far.png;alt=far\a\n" +
	"+++ :x: Tests\n\x1b[31mFAIL\x1b[0m <b>cart</b> &amp;\n^^^ +++\nexpected 3, got 4\n"

// filledPages fills pages that are empty otherwise: builds in every state, a log, annotations, artifacts and agents in every state, invitations,
// secrets, cache entries. It returns them, and what each says.
func (s *site) filledPages(t *testing.T) (cases []pageCase) {
	t.Helper()
	add := func(path, says string) { cases = append(cases, pageCase{path: path, says: says}) }
	token := s.agentToken()
	busy := s.connectWorker(token, "runner-busy", "queue=default")
	shop := s.pipelineWith("Shop", "shop", `steps: [{label: ":test_tube: Test", key: test, command: make test}]`)

	passed := s.buildOf(shop, "main", "Speed up the cart")
	job := busy.take()
	job.write("all is well\n")
	job.finish(0)
	add(passed, "Passed")
	add(passed+"/jobs/"+job.ID, "all is well")

	failed := s.buildOf(shop, "feature/cart", "Change the cart\n\nMuch of it.")
	job = busy.take()
	job.write(colorfulLog)
	job.upload("x", "report.txt", "shots/one.png")
	for style, body := range map[string]string{"success": "All is **good**", "info": "See [the report](https://example.com)", "warning": "| a | b |\n|---|---|\n| 1 | 2 |", "error": "```\npanic\n```"} {
		job.annotate(style, body)
	}
	job.finish(1)
	add(failed, "Retry 1 failed job")
	add(failed+"?view=timeline", "Critical path")
	add(failed+"?view=graph", "In words")
	add(failed+"/jobs/"+job.ID, "expected 3, got 4")
	add(failed+"/jobs/"+job.ID+"?search=cart", "1 line with “cart”")

	canceled := s.buildOf(shop, "main", "Never mind")
	s.Put(testkit.AdminToken, shop+"/builds/3/cancel", nil).Want(t, http.StatusOK)
	add(canceled, "Canceled")

	asking := s.pipelineWith("Publish", "publish", releaseSteps)
	blocked := s.buildOf(asking, "main", "A release")
	for range 6 { // all jobs before the block
		busy.take().finish(0)
	}
	add(blocked, "Waiting to be unblocked")
	add(blocked+"/jobs/"+s.jobIn(t, asking, 1, "Ship it?")+"/unblock", "Read the notes first.")

	running := s.buildOf(shop, "main", "Under way")
	job = busy.take()
	job.write("--- Begin\nso far\n")
	add(running, "Running")
	add(running+"/cancel", "Cancel build")
	add(running+"/jobs/"+job.ID+"?env=1", "BUILDKITE_JOB_ID")
	waiting := s.buildOf(shop, "main", "In line")
	add(waiting, "Waiting for an agent")
	add(acme+"/pipelines/shop", "Under way")
	add(acme+"/pipelines/shop/about", "make test")
	add(acme, "Your builds")

	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "queues"), map[string]any{"key": "other"}).Want(t, http.StatusCreated)
	idle, paused, lost := s.connectWorker(token, "runner-idle", "queue=other"), s.connectWorker(token, "runner-paused", "queue=other", "os=linux"), s.connectWorker(token, "runner-lost", "queue=other")
	s.Put(testkit.AdminToken, "/v2"+acme+"/agents/"+paused.ID+"/pause", map[string]any{"note": "New disks", "timeout_in_minutes": 5}).Want(t, http.StatusNoContent)
	testkit.Exec(t, s.DB, `UPDATE agents SET state = 'lost', lost_at = $1 WHERE id = $2`, s.Clock.Now().UnixMicro(), lost.ID)
	add(acme+"/agents", "New disks")
	add(acme+"/agents/"+busy.ID, "Busy")
	add(acme+"/agents/"+idle.ID, "Idle")
	add(acme+"/agents/"+idle.ID+"/pause", "Pause agent")
	add(acme+"/agents/"+idle.ID+"/stop", "Stop agent")
	add(acme+"/agents/"+paused.ID, "Paused")
	add(acme+"/agents/"+lost.ID, "Lost")
	add(theCluster+"/queues/"+testkit.QueueID, "Waiting jobs")

	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "secrets"), map[string]any{"key": "DEPLOY_KEY", "value": "x", "description": "For releases", "policy": "- build_branch: main"}).
		Want(t, http.StatusCreated)
	add(theCluster+"/secrets", "DEPLOY_KEY")
	s.Post(testkit.AdminToken, "/v2"+acme+"/invitations", map[string]any{"emails": []string{"new@example.com"}}).Want(t, http.StatusCreated)
	add(acme+"/invitations", "new@example.com")
	entry := s.addCacheEntry("gems", 1234567)
	add(theRegistry+"/entries", "gems")
	add(theRegistry+"/entries/"+entry+"/delete", "Remove the cache entry")
	testkit.Exec(t, s.DB, `INSERT INTO cache_days (registry_id, day, hits, fallbacks, misses, saves, denials, entries, bytes) VALUES ($1, '2026-05-02', 6, 1, 3, 2, 5, 1, 1234567)`, testkit.RegistryID)
	add(theRegistry+"/activity", "70 %")
	admin := s.signedIn("admin@example.com")
	for _, link := range []struct{ from, to, says string }{
		{theCluster + "/secrets", "/edit", "Access policy"}, {theCluster + "/secrets", "/value", "Value"}, {theCluster + "/secrets", "/delete", "DEPLOY_KEY"},
		{acme + "/invitations", "/resend", "new@example.com"}, {acme + "/invitations", "/revoke", "new@example.com"},
	} {
		found := regexp.MustCompile(`href="(` + link.from + `/[\w-]+` + link.to + `)"`).FindStringSubmatch(admin.get(link.from).Body)
		if found == nil {
			t.Fatalf("%s has no link to %s", link.from, link.to)
		}
		add(found[1], link.says)
	}
	return cases
}

// jobIn returns the id of a job of a pipeline's build, by its label.
func (s *site) jobIn(t *testing.T, pipeline string, number int, label string) string {
	t.Helper()
	jobs, _ := s.Get(testkit.AdminToken, fmt.Sprintf("%s/builds/%d", pipeline, number)).Want(t, http.StatusOK).Object()["jobs"].([]any)
	for _, one := range jobs {
		if j := one.(map[string]any); j["name"] == label || j["label"] == label {
			return fmt.Sprint(j["id"])
		}
	}
	t.Fatalf("%s #%d has no job %s", pipeline, number, label)
	return ""
}

// TestFilledPagesAreShown looks at pages that have something to show.
func TestFilledPagesAreShown(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		for _, c := range s.filledPages(t) {
			a := b.get(c.path).want(t, http.StatusOK, c.says)
			if len(a.Body) > 60_000 {
				t.Errorf("%s has %d bytes", c.path, len(a.Body))
			}
			checkMarkup(t, a)
			checkHeaders(t, a)
		}
	})
}
