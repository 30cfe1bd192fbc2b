package notices_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

const pipelinePath = "/v2/organizations/acme-inc/pipelines/told"

// configure sets the steps of the pipeline, in YAML.
func (e *ear) configure(configuration string) {
	e.t.Helper()
	e.Patch(testkit.AdminToken, pipelinePath, map[string]any{"configuration": strings.ReplaceAll(configuration, "$HOST", e.host.URL)}).Want(e.t, http.StatusOK)
}

// newBuild creates a build, and returns its first job.
func (e *ear) newBuild(message string) (job string) {
	e.t.Helper()
	build := e.Post(testkit.AdminToken, buildsPath, map[string]any{"commit": "HEAD", "branch": "main", "message": message}).Want(e.t, http.StatusCreated)
	return build.Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
}

// connect connects an agent to the default queue, and returns what runs the next job to its end.
func (e *ear) connect() (run func(exit int64, before ...func(job string, token authz.Actor))) {
	e.t.Helper()
	address := netip.MustParseAddr("192.0.2.7")
	cluster := testkit.ClusterPath(testkit.MaintainedID)
	e.Patch(testkit.AdminToken, cluster, map[string]any{"default_queue_id": testkit.QueueID}).Want(e.t, http.StatusOK)
	token := e.Post(testkit.AdminToken, cluster+"/tokens", `{"description": "CI"}`).Want(e.t, http.StatusCreated).Text("token")
	made, err := e.Agents.RegisterAgent(e.t.Context(), authz.AgentActor(authz.AgentToken, token, address), agents.Registration{Name: "runner"})
	if err != nil {
		e.t.Fatal(err)
	}
	session := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), address)
	if err := e.Agents.ConnectAgent(e.t.Context(), session); err != nil {
		e.t.Fatal(err)
	}
	return func(exit int64, before ...func(job string, token authz.Actor)) {
		e.t.Helper()
		ping, err := e.Builds.PingAgent(e.t.Context(), session)
		if err != nil || ping.Job == "" {
			e.t.Fatalf("there is no job: %+v, %v", ping, err)
		}
		accepted, err := e.Builds.AcceptJob(e.t.Context(), session, string(ping.Job))
		if err != nil {
			e.t.Fatal(err)
		}
		job := authz.AgentActor(authz.JobToken, accepted.Token.Reveal(), address)
		if err := e.Builds.StartJob(e.t.Context(), job, string(ping.Job)); err != nil {
			e.t.Fatal(err)
		}
		for _, do := range before {
			do(string(ping.Job), job)
		}
		if err := e.Builds.FinishJob(e.t.Context(), job, string(ping.Job), builds.Finish{ExitStatus: exit}); err != nil {
			e.t.Fatal(err)
		}
	}
}

// outbox returns what became of the notices, by what they say.
func (e *ear) outbox() map[string]string {
	e.t.Helper()
	paged, err := e.Notices.Notices(e.t.Context(), authz.TokenActor(authz.REST, testkit.AdminToken, netip.MustParseAddr("192.0.2.1")),
		domain.OrganizationRef{Slug: "acme-inc"}, domain.Page{Number: 1, Size: 100})
	if err != nil {
		e.t.Fatal(err)
	}
	found := map[string]string{}
	for _, n := range paged.Items {
		if found[n.Summary] == "" { // the newest comes first
			found[n.Summary] = string(n.State) + " " + n.Answer
		}
	}
	return found
}

// awaitOutbox waits until a notice is in a state.
func (e *ear) awaitOutbox(summary, state string) {
	e.t.Helper()
	e.await(1, func() int {
		if strings.HasPrefix(e.outbox()[summary], state) {
			return 1
		}
		return 0
	})
}

func TestNotificationsOfBuilds(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		e.listen(map[string]any{"provider": "slack", "settings": map[string]any{"url": e.host.URL + "/chat", "channel": "#Builds"},
			"build_states": map[string]any{"build_passed": false, "build_fixed": false, "build_failed": false, "build_blocked": false}})
		e.configure(`
notify:
  - webhook: $HOST/hook?secret=1
  - slack: {channels: ["acme#builds", "#nowhere"], message: "<Hello>"}
  - email: team@example.com
    if: build.state == "passed" && pipeline.started_passing == false
  - email: failed@example.com
    if: build.state == "failed"
  - basecamp_campfire: $HOST/campfire
    if: build.state == "blocked"
  - github_commit_status: {context: lint}
steps: [{block: Go on, blocked_state: passed}]
`)
		job := e.newBuild("A <b>")
		e.awaitOutbox("Campfire at "+strings.TrimPrefix(e.host.URL, "http://")+": build blocked", "sent")
		e.Put(testkit.AdminToken, buildsPath+"/1/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
		e.awaitOutbox("Email to team@example.com: build finished", "sent Mailed to team@example.com")
		e.awaitOutbox("Email to failed@example.com: build finished", `unwanted Its condition does not hold: build.state == "failed"`)
		e.awaitOutbox("Slack #nowhere: build finished", "failed No enabled notification service of the kind slack is for the channel #nowhere")
		e.awaitOutbox("Slack acme#builds: build finished", "sent")
		e.awaitOutbox("Commit status lint: build finished", "failed The commit of the build is not known")
		e.awaitOutbox("Webhook to "+strings.TrimPrefix(e.host.URL, "http://")+": build finished", "sent")
		e.mutex.Lock()
		defer e.mutex.Unlock()
		var events []string
		for i, r := range e.heard {
			switch r.URL.Path {
			case "/hook":
				events = append(events, r.Header.Get("X-Buildkite-Event"))
				var body struct{ Build struct{ Number int } }
				if err := json.Unmarshal([]byte(e.bodies[i]), &body); err != nil || body.Build.Number != 1 {
					t.Errorf("%v: %s", err, e.bodies[i])
				}
			case "/chat":
				if !strings.Contains(e.bodies[i], `"channel":"#Builds"`) || !strings.Contains(e.bodies[i], `&lt;Hello&gt;\n`) || !strings.Contains(e.bodies[i], "|told #1> passed") {
					t.Errorf("said %s", e.bodies[i])
				}
			case "/campfire":
				if !strings.Contains(e.bodies[i], `told #1</a> is blocked: A &lt;b&gt;`) {
					t.Errorf("said %s", e.bodies[i])
				}
			}
		}
		if want := []string{"build.scheduled", "build.blocked", "build.finished"}; !slices.Equal(events, want) {
			t.Errorf("the webhook heard %q", events)
		}
		for summary := range e.outbox() {
			if strings.Contains(summary, "secret") {
				t.Errorf("a secret is shown: %s", summary)
			}
		}
	})
}

func TestNotificationsOfSteps(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		run := e.connect()
		e.configure(`
steps:
  - group: Checks
    key: checks
    notify: [{webhook: $HOST/group}]
    steps:
      - {label: Test, key: test, command: x, parallelism: 2, notify: [{webhook: $HOST/failed, if: step.outcome == "hard_failed"}, {webhook: $HOST/passed, if: step.outcome == "passed"}]}
`)
		e.newBuild("Steps")
		run(0)
		if bodies := len(e.bodies); bodies != 0 {
			t.Errorf("%d came before the step had finished", bodies)
		}
		run(1)
		e.awaitBodies(2)
		e.mutex.Lock()
		for i, r := range e.heard {
			want := map[string]string{"/group": `"key":"checks","label":"Checks","outcome":"hard_failed"`, "/failed": `"key":"test","label":"Test","outcome":"hard_failed"`}[r.URL.Path]
			if want == "" || !strings.Contains(e.bodies[i], want) || r.Header.Get("X-Buildkite-Event") != "step.finished" {
				t.Errorf("%s: %s: %.300s", r.URL.Path, r.Header.Get("X-Buildkite-Event"), e.bodies[i])
			}
		}
		e.mutex.Unlock()

		// Uploads add notifications, and jobs change those of steps.
		e.configure(`steps: [{key: one, command: x}]`)
		e.newBuild("Uploads")
		run(0, func(job string, token authz.Actor) {
			upload := builds.Upload{ID: domain.NewID[string](), Document: []byte(`{"steps": ["wait"], "notify": [{"webhook": "` + e.host.URL + `/uploaded"}]}`)}
			if _, err := e.Builds.UploadPipeline(t.Context(), token, job, upload); err != nil {
				t.Fatal(err)
			}
			if err := e.Builds.UpdateStep(t.Context(), token, "one", builds.StepUpdate{Attribute: "notify", Value: `[{"webhook": "` + e.host.URL + `/updated"}]`}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				upload.ID = domain.NewID[string]()
				upload.Document = []byte(`{"steps": ["wait"], "notify": [` + strings.Repeat(`"github_check",`, 29) + `"github_check"]}`)
				_, _ = e.Builds.UploadPipeline(t.Context(), token, job, upload)
			}
			if found, err := e.Builds.StepUploadOf(t.Context(), token, job, upload.ID); err != nil || !strings.Contains(found.Message, "more than 50 entries") {
				t.Errorf("too many were taken: %+v, %v", found, err)
			}
		})
		e.awaitBodies(4)
		var paths []string
		e.mutex.Lock()
		for _, r := range e.heard[2:] {
			paths = append(paths, r.URL.Path)
		}
		e.mutex.Unlock()
		slices.Sort(paths)
		if want := []string{"/updated", "/uploaded"}; !slices.Equal(paths, want) {
			t.Errorf("heard at %q", paths)
		}
	})
}

func TestCreatorsAreMailedAsTheyChose(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		run := e.connect()
		e.configure(`steps: [{command: x}]`)
		from := netip.MustParseAddr("192.0.2.1")
		value, err := e.Service.SignInWithOIDC(t.Context(), authz.VisitorActor(from), domain.VerifiedClaims{Email: "admin@example.com", EmailVerified: true})
		if err != nil {
			t.Fatal(err)
		}
		session := authz.SessionActor(value.Reveal(), from)
		subjects := func() (all []string) {
			e.mutex.Lock()
			defer e.mutex.Unlock()
			for _, m := range e.mails {
				all = append(all, m.To+": "+m.Subject)
			}
			return all
		}
		for i, step := range []struct {
			choice domain.BuildMails
			exit   int64
			mail   string
		}{
			{"", 0, ""}, {"", 1, "failed"}, {"", 0, "passed again"}, {domain.AllBuildMails, 0, "passed"}, {domain.NoBuildMails, 1, ""},
		} {
			if step.choice != "" {
				if err := e.Service.UpdateOwnBuildMails(t.Context(), session, step.choice); err != nil {
					t.Fatal(err)
				}
				if err := e.Notices.LoadListeners(t.Context(), authz.OperatorActor()); err != nil {
					t.Fatal(err)
				}
			}
			before := len(subjects())
			e.newBuild("Mailed")
			run(step.exit)
			if step.mail == "" {
				continue
			}
			e.await(before+1, func() int { return len(e.mails) })
			all := subjects()
			if want := "admin@example.com: told #" + string(rune('1'+i)) + " " + step.mail + " (main)"; all[len(all)-1] != want {
				t.Errorf("mailed %q, not %q", all, want)
			}
		}
		e.awaitOutbox("Mail to who created it: failed", "unwanted Who created the build does not want the mail")
		if all := subjects(); len(all) != 3 {
			t.Errorf("mailed %q", all)
		}
		if err := e.Service.UpdateOwnBuildMails(t.Context(), session, "sometimes"); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("an unknown choice: %v", err)
		}
	})
}

func TestABlockThatCountsAsRunningIsNotFinished(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		run := e.connect()
		e.listen(map[string]any{"provider": "webhook", "settings": map[string]any{"url": e.host.URL, "events": []string{"build.finished", "job.activated", "job.promised_exit_status"}}})
		e.configure(`steps: [{block: Go on, blocked_state: running}, {command: x}]`)
		job := e.newBuild("Blocked")
		e.Put(testkit.AdminToken, buildsPath+"/1/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
		run(7, func(job string, token authz.Actor) {
			if err := e.Builds.PromiseFailure(t.Context(), token, job, 7); err != nil {
				t.Fatal(err)
			}
		})
		e.awaitBodies(4)
		if got, want := e.events(), []string{"ping", "job.activated", "job.promised_exit_status", "build.finished"}; !slices.Equal(got, want) {
			t.Errorf("heard %q", got)
		}
	})
}
