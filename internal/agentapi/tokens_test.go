package agentapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func expire(t *testing.T, w *running.Server) {
	t.Helper()
	if err := w.Builds.ExpireJobs(t.Context(), authz.OperatorActor()); err != nil {
		t.Fatal(err)
	}
}

// tokenCall is a call, and the kinds of tokens that it can be made with.
type tokenCall struct{ method, path, by string }

// withoutToken are the calls that need none, and why; that of a stream has tests of its own.
var withoutToken = map[string]string{
	"GET /v3/openapi.json":                            "everybody may read it",
	"POST /agentedge.v1.AgentEdgeService/StreamPings": "TestStreamsThatAreRefused",
	"POST /v3/jobs/{id}/repository_access_token":      "nothing is there",
	"POST /v3/artifacts/upload":                       "its form has a ticket",
	"PUT /v3/artifacts/{id}/parts/{number}":           "its address has a ticket",
	"GET /v3/artifacts/{id}/download":                 "its address has a ticket",
	"HEAD /v3/artifacts/{id}/download":                "its address has a ticket",
}

// wantEveryCall fails for a call that the description has and that is not among calls.
func wantEveryCall(t *testing.T, w *running.Server, calls []tokenCall) {
	t.Helper()
	var description struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(w.Send(http.MethodGet, "openapi.json", "", nil).Body, &description); err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\\\{[a-z]+\\\}`)
	for path, methods := range description.Paths {
		pattern := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
		for name := range methods {
			method := strings.ToUpper(name)
			if method == "PARAMETERS" {
				continue
			}
			isTried := slices.ContainsFunc(calls, func(c tokenCall) bool {
				called, _, _ := strings.Cut(c.path, "?")
				return c.method == method && pattern.MatchString("/v3/"+called)
			})
			if !isTried && withoutToken[method+" "+path] == "" {
				t.Errorf("add %s %s to the calls that are tried with each token", method, path)
			}
		}
	}
}

// TestEachTokenIsGoodForItsOwnCalls sends every call with every kind of token but its own.
func TestEachTokenIsGoodForItsOwnCalls(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		j := w.NewAgent().StartJob()
		kinds := map[string]string{"agent token": w.Token, "session": j.Agent.Session, "job": j.Token, "none": "", "unknown agent token": string(domain.AgentTokenKind) + "x",
			"unknown session": string(domain.SessionTokenKind) + "x", "unknown job": string(domain.JobTokenKind) + "x", "REST's": running.AdminToken}
		build := w.Text(`SELECT build_id FROM jobs WHERE id = $1`, j.ID)
		calls := []tokenCall{
			{"POST", "register", "agent token"},
			{"GET", "token", "agent token"},
			{"GET", "metrics", "agent token"},
			{"GET", "metrics/queue?name=default", "agent token"},
			{"POST", "connect", "session"},
			{"GET", "ping", "session"},
			{"POST", "heartbeat", "session"},
			{"POST", "disconnect", "session"},
			{"PUT", "jobs/" + j.ID + "/accept", "session"},
			{"PUT", "jobs/" + j.ID + "/acquire", "session"},
			{"POST", "stop", "session, job"},
			{"POST", "pause", "job"},
			{"POST", "resume", "job"},
			{"PUT", "jobs/" + j.ID + "/start", "job"},
			{"GET", "jobs/" + j.ID, "job"},
			{"POST", "jobs/" + j.ID + "/data/keys", "job"},
			{"POST", "builds/" + build + "/data/keys", "job"},
			{"POST", "builds/" + build + "/cancel", "job"},
			{"POST", "jobs/" + j.ID + "/data/get", "job"},
			{"POST", "jobs/" + j.ID + "/data/exists", "job"},
			{"POST", "steps/x/cancel", "job"},
			{"POST", "steps/x/export", "job"},
			{"PUT", "steps/x", "job"},
			{"DELETE", "jobs/" + j.ID + "/annotations/x", "job"},
			{"POST", "jobs/" + j.ID + "/annotations", "job"},
			{"POST", "jobs/" + j.ID + "/data/set", "job"},
			{"GET", "jobs/" + j.ID + "/secrets?key=S", "job"},
			{"POST", "jobs/" + j.ID + "/oidc/tokens", "job"},
			{"POST", "jobs/" + j.ID + "/data/set-batch", "job"},
			{"GET", "jobs/" + j.ID + "/pipelines/" + domain.NewID[string](), "job"},
			{"GET", "cache_registries/~", "job"},
			{"POST", "cache_registries/~/peek", "job"},
			{"PUT", "cache_registries/~/store", "job"},
			{"PUT", "cache_registries/~/commit", "job"},
			{"POST", "cache_registries/~/retrieve", "job"},
			{"POST", "cache_registries/default/expire", "job"},
			{"PUT", "jobs/" + j.ID, "job"},
			{"PUT", "jobs/" + j.ID + "/finish", "job"},
			{"PUT", "jobs/" + j.ID + "/promise_failure", "job"},
			{"POST", "jobs/" + j.ID + "/pipelines", "job"},
			{"POST", "jobs/" + j.ID + "/chunks?sequence=1&offset=0&size=1", "job"},
			{"POST", "jobs/" + j.ID + "/header_times", "job"},
			{"POST", "jobs/" + j.ID + "/artifacts", "job"},
			{"PUT", "jobs/" + j.ID + "/artifacts", "job"},
			{"GET", "builds/" + build + "/artifacts/search?query=x", "job"},
			{"POST", "builds/" + build + "/data/get", "job"},
			{"POST", "builds/" + build + "/data/exists", "job"},
			{"POST", "stacks/register", "agent token"},
			{"POST", "stacks/x/deregister", "agent token"},
			{"GET", "stacks/x/scheduled-jobs?queue_key=default", "agent token"},
			{"PUT", "stacks/x/scheduled-jobs/batch-reserve", "agent token"},
			{"POST", "stacks/x/jobs/get-states", "agent token"},
			{"GET", "stacks/x/jobs/" + j.ID, "agent token"},
			{"POST", "stacks/x/jobs/" + j.ID + "/finish", "agent token"},
			{"POST", "stacks/x/notifications", "agent token"},
		}
		bodies := map[string]any{
			"register":                              running.Registration(),
			"jobs/" + j.ID:                          map[string]int{"timeout": 1},
			"jobs/" + j.ID + "/finish":              map[string]string{"exit_status": "0"},
			"stacks/x/scheduled-jobs/batch-reserve": map[string]any{"job_uuids": []string{j.ID}, "reservation_expiry_seconds": 60},
			"stacks/x/jobs/get-states":              map[string]any{"job_uuids": []string{j.ID}},
			"jobs/" + j.ID + "/promise_failure":     map[string]int{"exit_status": 1},
			"jobs/" + j.ID + "/pipelines":           map[string]any{"uuid": domain.NewID[string](), "pipeline": map[string]any{"steps": []string{"wait"}}},
		}
		wantEveryCall(t, w, calls)
		for _, call := range calls {
			before := testkit.Rows(t, w.DB)
			for kind, value := range kinds {
				if strings.Contains(", "+call.by+",", ", "+kind+",") {
					continue
				}
				w.Send(call.method, call.path, value, bodies[call.path]).Want(t, http.StatusUnauthorized)
			}
			if after := testkit.Rows(t, w.DB); len(after) != len(before) {
				t.Errorf("%s %s changed something", call.method, call.path)
			}
		}
		w.WantJob(j.ID, "running")
		w.Send("GET", "ping", j.Agent.Session, nil, "Authorization", "Bearer "+j.Agent.Session).Want(t, http.StatusUnauthorized)
	})
}

func TestRevokedAndExpiredAgentTokens(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"revoked": `DELETE FROM cluster_agent_tokens`,
		"expired": `UPDATE cluster_agent_tokens SET expires_at = 1000`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			running.Each(t, func(t *testing.T, w *running.Server) {
				w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
				a, b := w.NewAgent(), w.NewAgent()
				id := a.Ping()
				testkit.Change(t, w.DB, change)
				w.Register(w.Token, running.Registration()).Want(t, http.StatusUnauthorized)
				w.Send("GET", "token", w.Token, nil).Want(t, http.StatusUnauthorized)
				w.Send("GET", "metrics", w.Token, nil).Want(t, http.StatusUnauthorized)
				for _, agent := range []*running.Agent{a, b} {
					w.Send("GET", "ping", agent.Session, nil).Want(t, http.StatusUnauthorized)
					agent.Post("heartbeat", nil).Want(t, http.StatusUnauthorized)
					agent.Post("connect", nil).Want(t, http.StatusUnauthorized)
					agent.Post("stop", nil).Want(t, http.StatusUnauthorized)
				}
				a.SendAccept(id).Want(t, http.StatusUnauthorized)
				a.Post("disconnect", nil).Want(t, http.StatusOK) // it may leave
				w.WantJob(id, "scheduled")
			})
		})
	}
}

func TestTokensThatAreGoodForSomeAddresses(t *testing.T) {
	t.Parallel()
	trusted := running.Options{Settings: httpcall.Settings{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}
	running.EachWith(t, trusted, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		w.Token = w.NewAgentToken(running.Cluster, domain.AgentTokenInput{AllowedIPAddresses: domain.Some("127.0.0.0/8 10.0.0.0/8")})
		from := func(address, method, path, token string, body any) *testkit.Answer {
			t.Helper()
			return w.Send(method, path, token, body, "X-Forwarded-For", address)
		}
		from("192.0.2.1", "POST", "register", w.Token, running.Registration()).WantMessage(t, http.StatusForbidden, "Your IP address is not allowed to use this agent token")
		from("10.2.3.4", "POST", "register", w.Token, running.Registration()).Want(t, http.StatusOK)
		a := w.NewAgent()
		from("10.2.3.4", "GET", "ping", a.Session, nil).Want(t, http.StatusOK)
		for _, call := range [][2]string{{"GET", "ping"}, {"POST", "heartbeat"}, {"POST", "connect"}, {"PUT", "jobs/" + a.Ping() + "/accept"}} {
			from("192.0.2.1", call[0], call[1], a.Session, nil).Want(t, http.StatusForbidden)
		}
		testkit.Change(t, w.DB, `UPDATE cluster_agent_tokens SET allowed_ip_addresses = '10.0.0.0/8'`)
		w.Send("GET", "ping", a.Session, nil).Want(t, http.StatusForbidden)
		a.Post("heartbeat", nil).Want(t, http.StatusForbidden)
	})
}

func TestTokensOfJobsThatHaveEnded(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b, key: b}]")
		a := w.NewAgent()
		j := a.StartJobWith("a")
		id := domain.NewID[string]()
		j.UploadAs(id, `{"steps":[{"command":"c","label":"c"}]}`, false).Want(t, http.StatusOK)
		batch := func(id string) map[string]any {
			return map[string]any{"id": id, "artifacts": []any{map[string]any{"path": "a", "file_size": 1}}, "upload_destination": "s3://bucket"}
		}
		known, unknown := domain.NewID[string](), domain.NewID[string]()
		first := w.Send("POST", "jobs/"+j.ID+"/artifacts", j.Token, batch(known)).Want(t, http.StatusOK)
		chunk := func(sequence int) *testkit.Answer {
			t.Helper()
			return w.Send("POST", fmt.Sprintf("jobs/%s/chunks?sequence=%d&offset=%d&size=1", j.ID, sequence, sequence-1), j.Token, running.Compress("x"), "Content-Type", "text/plain")
		}
		chunk(1).Want(t, http.StatusOK)
		j.Finish(0).Want(t, http.StatusOK)
		// A piece of the log that was sent before can be repeated, and no other can be sent.
		chunk(1).Want(t, http.StatusOK)
		chunk(2).WantMessage(t, http.StatusUnauthorized, "The job has ended: it can't add to its log")
		if rows := w.Text(`SELECT CAST(count(*) AS TEXT) FROM job_log_chunks WHERE job_id = $1`, j.ID); rows != "1" {
			t.Errorf("%s pieces of the log are stored", rows)
		}
		// A batch that was announced before can be repeated for ten minutes, and no other can be announced.
		if again := w.Send("POST", "jobs/"+j.ID+"/artifacts", j.Token, batch(known)).Want(t, http.StatusOK); string(again.Body) != string(first.Body) {
			t.Errorf("the batch again: %s, not %s", again.Body, first.Body)
		}
		w.Send("POST", "jobs/"+j.ID+"/artifacts", j.Token, batch(unknown)).WantMessage(t, http.StatusUnauthorized, "The job has ended: it can't upload more artifacts")
		rows := w.States(build)
		refused := func() {
			t.Helper()
			for _, call := range []struct {
				method, path string
				body         any
			}{
				{"GET", "jobs/" + j.ID, nil},
				{"POST", "stop", nil},
				{"POST", "pause", nil},
				{"POST", "resume", nil},
				{"PUT", "jobs/" + j.ID, map[string]int{"timeout": 5}},
				{"PUT", "jobs/" + j.ID + "/promise_failure", map[string]int{"exit_status": 1}},
				{"POST", "jobs/" + j.ID + "/pipelines", map[string]any{"uuid": id, "pipeline": map[string]any{"steps": []string{"wait"}}}},
				{"GET", "jobs/" + j.ID + "/pipelines/" + id, nil},
				{"POST", "jobs/" + j.ID + "/data/set", map[string]string{"key": "k", "value": "v"}},
				{"POST", "jobs/" + j.ID + "/data/get", map[string]string{"key": "k"}},
				{"POST", "jobs/" + j.ID + "/annotations", map[string]string{"body": "b"}},
				{"POST", "steps/b/cancel", nil},
				{"PUT", "steps/b", map[string]string{"attribute": "label", "value": "x"}},
				{"POST", "steps/b/export", nil},
				{"POST", "builds/" + string(build.ID) + "/cancel", nil},
			} {
				w.Send(call.method, call.path, j.Token, call.body).Want(t, http.StatusUnauthorized)
			}
		}
		refused()
		j.Finish(0).Want(t, http.StatusOK) // ten minutes for repeats
		j.Start().Want(t, http.StatusUnprocessableEntity)
		testkit.Change(t, w.DB, `UPDATE job_runs SET token_until = token_until - 601000000 WHERE job_id = $1`, j.ID)
		refused()
		j.Finish(0).Want(t, http.StatusUnauthorized)
		chunk(1).Want(t, http.StatusUnauthorized)
		j.Start().Want(t, http.StatusUnauthorized)
		if now := w.States(build); now != rows {
			t.Errorf("%s became %s", rows, now)
		}
	})
}

func TestAJobReachesNoOtherJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		own := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b, key: b}]")
		other := w.BuildOf("steps: [{command: c, label: x, key: x}]")
		elsewhere := w.Build(w.Pipeline("steps: [{command: c, label: y, key: y}]", func(in *domain.PipelineInput) { in.ClusterID = domain.Some(running.SecondCluster) }))
		j, neighbour := w.NewAgent().StartJobWith("a"), w.NewAgent().StartJobWith("b")
		for _, id := range []string{neighbour.ID, w.Job(other, "x").ID, w.Job(elsewhere, "y").ID, domain.NewID[string](), "x"} {
			for _, call := range []struct {
				method, below string
				body          any
			}{
				{"GET", "", nil},
				{"PUT", "", map[string]int{"timeout": 5}},
				{"PUT", "/start", nil},
				{"PUT", "/finish", map[string]string{"exit_status": "0"}},
				{"PUT", "/promise_failure", map[string]int{"exit_status": 1}},
				{"POST", "/pipelines", map[string]any{"uuid": domain.NewID[string](), "pipeline": map[string]any{"steps": []string{"wait"}}}},
				{"GET", "/pipelines/" + domain.NewID[string](), nil},
			} {
				w.Send(call.method, "jobs/"+id+call.below, j.Token, call.body).WantMessage(t, http.StatusForbidden, "This token is for another job")
			}
		}
		w.Send("POST", "builds/"+string(other.ID)+"/cancel", j.Token, nil).Want(t, http.StatusNotFound)
		w.Send("POST", "steps/x/cancel", j.Token, map[string]string{"build_id": string(other.ID)}).Want(t, http.StatusNotFound)
		w.Send("POST", "steps/x/cancel", j.Token, nil).Want(t, http.StatusNotFound)
		step := w.Text(`SELECT id FROM build_steps WHERE build_id = $1`, other.ID)
		w.Send("POST", "steps/"+step+"/export", j.Token, nil).Want(t, http.StatusNotFound)
		w.Send("PUT", "steps/"+step, j.Token, map[string]string{"attribute": "label", "value": "x"}).Want(t, http.StatusNotFound)
		// Meta-data is shared by the jobs of a cluster, with nobody else.
		set := func(job string) *testkit.Answer {
			t.Helper()
			return w.Send("POST", "jobs/"+job+"/data/set", j.Token, map[string]string{"key": "k", "value": "v"})
		}
		set(w.Job(other, "x").ID).Want(t, http.StatusOK)
		set(w.Job(elsewhere, "y").ID).Want(t, http.StatusNotFound)
		set(domain.NewID[string]()).Want(t, http.StatusNotFound)
		w.Send("POST", "builds/"+string(elsewhere.ID)+"/data/keys", j.Token, nil).Want(t, http.StatusNotFound)
		w.Send("POST", "builds/"+string(other.ID)+"/data/get", j.Token, map[string]string{"key": "k"}).Want(t, http.StatusOK)
		w.Send("POST", "jobs/"+w.Job(elsewhere, "y").ID+"/annotations", j.Token, map[string]string{"body": "b"}).Want(t, http.StatusNotFound)
		w.WantStates(own, "a=running b=running")
		w.WantStates(elsewhere, "y=scheduled")
	})
}

func TestCancelByForceTakesTheToken(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b, key: b}]")
		a, b := w.NewAgent().StartJobWith("a"), w.NewAgent().StartJobWith("b")
		cancel := func(grace int64) *testkit.Answer {
			t.Helper()
			return w.Send("POST", "steps/b/cancel", a.Token, map[string]any{"build_id": string(build.ID), "force": true, "force_grace_period": grace})
		}
		cancel(-1).Want(t, http.StatusUnprocessableEntity)
		cancel(1<<40).Want(t, http.StatusUnprocessableEntity)
		if id := cancel(60).Want(t, http.StatusOK).Text("uuid"); id != w.Text(`SELECT step_id FROM jobs WHERE id = $1`, b.ID) {
			t.Errorf("the answer has %s", id)
		}
		w.EndOverdue()
		if state := b.Send("GET", "", nil).Text("state"); state != "canceling" {
			t.Errorf("the job is %s", state)
		}
		testkit.Change(t, w.DB, `UPDATE job_runs SET cancel_grace_until = $1 WHERE job_id = $2`, time.Now().Add(-time.Second).UnixMicro(), b.ID)
		w.EndOverdue()
		b.Send("GET", "", nil).Want(t, http.StatusUnauthorized)
		b.Finish(0).Want(t, http.StatusUnauthorized)
		w.WantStates(build, "a=running b=canceled")
		a.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(build, "failed")
	})
}
