package agentapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/testkit"

	"net/netip"
)

func expire(t *testing.T, w *world) {
	t.Helper()
	if err := w.builds.ExpireJobs(t.Context(), authz.OperatorActor()); err != nil {
		t.Fatal(err)
	}
}

// TestEachTokenIsGoodForItsOwnCalls sends every call with every kind of token but its own.
func TestEachTokenIsGoodForItsOwnCalls(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		j := w.newAgent().take()
		kinds := map[string]string{"agent token": w.token, "session": j.agent.session, "job": j.token, "none": "", "unknown agent token": string(domain.AgentTokenKind) + "x",
			"unknown session": string(domain.SessionTokenKind) + "x", "unknown job": string(domain.JobTokenKind) + "x", "REST's": adminToken}
		build := w.text(`SELECT build_id FROM jobs WHERE id = $1`, j.id)
		for _, call := range []struct {
			method, path, by string
		}{
			{"POST", "register", "agent token"},
			{"GET", "token", "agent token"},
			{"GET", "metrics", "agent token"},
			{"GET", "metrics/queue?name=default", "agent token"},
			{"POST", "connect", "session"},
			{"GET", "ping", "session"},
			{"POST", "heartbeat", "session"},
			{"POST", "disconnect", "session"},
			{"PUT", "jobs/" + j.id + "/accept", "session"},
			{"PUT", "jobs/" + j.id + "/acquire", "session"},
			{"POST", "stop", "session, job"},
			{"POST", "pause", "job"},
			{"POST", "resume", "job"},
			{"PUT", "jobs/" + j.id + "/start", "job"},
			{"GET", "jobs/" + j.id, "job"},
			{"POST", "jobs/" + j.id + "/data/keys", "job"},
			{"POST", "builds/" + build + "/data/keys", "job"},
			{"POST", "builds/" + build + "/cancel", "job"},
			{"POST", "jobs/" + j.id + "/data/get", "job"},
			{"POST", "jobs/" + j.id + "/data/exists", "job"},
			{"POST", "steps/x/cancel", "job"},
			{"POST", "steps/x/export", "job"},
			{"PUT", "steps/x", "job"},
			{"DELETE", "jobs/" + j.id + "/annotations/x", "job"},
			{"POST", "jobs/" + j.id + "/annotations", "job"},
			{"POST", "jobs/" + j.id + "/data/set", "job"},
			{"GET", "jobs/" + j.id + "/secrets?key=S", "job"},
			{"POST", "jobs/" + j.id + "/oidc/tokens", "job"},
			{"POST", "jobs/" + j.id + "/data/set-batch", "job"},
			{"GET", "jobs/" + j.id + "/pipelines/" + domain.NewID[string](), "job"},
			{"GET", "cache_registries/~", "job"},
			{"POST", "cache_registries/~/peek", "job"},
			{"PUT", "cache_registries/~/store", "job"},
			{"PUT", "cache_registries/~/commit", "job"},
			{"POST", "cache_registries/~/retrieve", "job"},
			{"POST", "cache_registries/default/expire", "job"},
		} {
			before := testkit.Rows(t, w.db)
			for kind, value := range kinds {
				if strings.Contains(", "+call.by+",", ", "+kind+",") {
					continue
				}
				var body any
				if call.path == "register" {
					body = registration()
				}
				w.send(call.method, call.path, value, body).Want(t, http.StatusUnauthorized)
			}
			if after := testkit.Rows(t, w.db); len(after) != len(before) {
				t.Errorf("%s %s changed something", call.method, call.path)
			}
		}
		for kind, value := range kinds {
			if kind == "job" {
				continue
			}
			w.send("PUT", "jobs/"+j.id+"/finish", value, map[string]string{"exit_status": "0"}).Want(t, http.StatusUnauthorized)
			w.send("PUT", "jobs/"+j.id+"/promise_failure", value, map[string]int{"exit_status": 1}).Want(t, http.StatusUnauthorized)
			w.send("PUT", "jobs/"+j.id, value, map[string]int{"timeout": 1}).Want(t, http.StatusUnauthorized)
			w.send("POST", "jobs/"+j.id+"/pipelines", value, map[string]any{"uuid": domain.NewID[string](), "pipeline": map[string]any{"steps": []string{"wait"}}}).Want(t, http.StatusUnauthorized)
		}
		w.wantJob(j.id, "running")
		w.send("GET", "ping", j.agent.session, nil, "Authorization", "Bearer "+j.agent.session).Want(t, http.StatusUnauthorized)
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
			eachWorld(t, func(t *testing.T, w *world) {
				w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
				a, b := w.newAgent(), w.newAgent()
				id := a.ping()
				testkit.Change(t, w.db, change)
				w.register(w.token, registration()).Want(t, http.StatusUnauthorized)
				w.send("GET", "token", w.token, nil).Want(t, http.StatusUnauthorized)
				w.send("GET", "metrics", w.token, nil).Want(t, http.StatusUnauthorized)
				for _, agent := range []*fakeAgent{a, b} {
					w.send("GET", "ping", agent.session, nil).Want(t, http.StatusUnauthorized)
					agent.post("heartbeat", nil).Want(t, http.StatusUnauthorized)
					agent.post("connect", nil).Want(t, http.StatusUnauthorized)
					agent.post("stop", nil).Want(t, http.StatusUnauthorized)
				}
				a.sendAccept(id).Want(t, http.StatusUnauthorized)
				a.post("disconnect", nil).Want(t, http.StatusOK) // it may leave
				w.wantJob(id, "scheduled")
			})
		})
	}
}

func TestTokensThatAreGoodForSomeAddresses(t *testing.T) {
	t.Parallel()
	trusted := options{settings: httpcall.Settings{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}
	eachWorldWith(t, trusted, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: c, label: a}]")
		w.token = w.newAgentToken(clusterID, domain.AgentTokenInput{AllowedIPAddresses: domain.Some("127.0.0.0/8 10.0.0.0/8")})
		from := func(address, method, path, token string, body any) *testkit.Answer {
			t.Helper()
			return w.send(method, path, token, body, "X-Forwarded-For", address)
		}
		from("192.0.2.1", "POST", "register", w.token, registration()).WantMessage(t, http.StatusForbidden, "Your IP address is not allowed to use this agent token")
		from("10.2.3.4", "POST", "register", w.token, registration()).Want(t, http.StatusOK)
		a := w.newAgent()
		from("10.2.3.4", "GET", "ping", a.session, nil).Want(t, http.StatusOK)
		for _, call := range [][2]string{{"GET", "ping"}, {"POST", "heartbeat"}, {"POST", "connect"}, {"PUT", "jobs/" + a.ping() + "/accept"}} {
			from("192.0.2.1", call[0], call[1], a.session, nil).Want(t, http.StatusForbidden)
		}
		testkit.Change(t, w.db, `UPDATE cluster_agent_tokens SET allowed_ip_addresses = '10.0.0.0/8'`)
		w.send("GET", "ping", a.session, nil).Want(t, http.StatusForbidden)
		a.post("heartbeat", nil).Want(t, http.StatusForbidden)
	})
}

func TestTokensOfJobsThatHaveEnded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		build := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b, key: b}]")
		a := w.newAgent()
		j := a.takeLabel("a")
		id := domain.NewID[string]()
		j.uploadAs(id, `{"steps":[{"command":"c","label":"c"}]}`, false).Want(t, http.StatusOK)
		batch := func(id string) map[string]any {
			return map[string]any{"id": id, "artifacts": []any{map[string]any{"path": "a", "file_size": 1}}, "upload_destination": "s3://bucket"}
		}
		known, unknown := domain.NewID[string](), domain.NewID[string]()
		first := w.send("POST", "jobs/"+j.id+"/artifacts", j.token, batch(known)).Want(t, http.StatusOK)
		chunk := func(sequence int) *testkit.Answer {
			t.Helper()
			return w.send("POST", fmt.Sprintf("jobs/%s/chunks?sequence=%d&offset=%d&size=1", j.id, sequence, sequence-1), j.token, compressed(t, "x"), "Content-Type", "text/plain")
		}
		chunk(1).Want(t, http.StatusOK)
		j.finish(0).Want(t, http.StatusOK)
		// A piece of the log that was sent before can be repeated, and no other can be sent.
		chunk(1).Want(t, http.StatusOK)
		chunk(2).WantMessage(t, http.StatusUnauthorized, "The job has ended: it can't add to its log")
		if rows := w.text(`SELECT CAST(count(*) AS TEXT) FROM job_log_chunks WHERE job_id = $1`, j.id); rows != "1" {
			t.Errorf("%s pieces of the log are stored", rows)
		}
		// A batch that was announced before can be repeated for ten minutes, and no other can be announced.
		if again := w.send("POST", "jobs/"+j.id+"/artifacts", j.token, batch(known)).Want(t, http.StatusOK); string(again.Body) != string(first.Body) {
			t.Errorf("the batch again: %s, not %s", again.Body, first.Body)
		}
		w.send("POST", "jobs/"+j.id+"/artifacts", j.token, batch(unknown)).WantMessage(t, http.StatusUnauthorized, "The job has ended: it can't upload more artifacts")
		rows := w.states(build)
		refused := func() {
			t.Helper()
			for _, call := range []struct {
				method, path string
				body         any
			}{
				{"GET", "jobs/" + j.id, nil},
				{"POST", "stop", nil},
				{"POST", "pause", nil},
				{"POST", "resume", nil},
				{"PUT", "jobs/" + j.id, map[string]int{"timeout": 5}},
				{"PUT", "jobs/" + j.id + "/promise_failure", map[string]int{"exit_status": 1}},
				{"POST", "jobs/" + j.id + "/pipelines", map[string]any{"uuid": id, "pipeline": map[string]any{"steps": []string{"wait"}}}},
				{"GET", "jobs/" + j.id + "/pipelines/" + id, nil},
				{"POST", "jobs/" + j.id + "/data/set", map[string]string{"key": "k", "value": "v"}},
				{"POST", "jobs/" + j.id + "/data/get", map[string]string{"key": "k"}},
				{"POST", "jobs/" + j.id + "/annotations", map[string]string{"body": "b"}},
				{"POST", "steps/b/cancel", nil},
				{"PUT", "steps/b", map[string]string{"attribute": "label", "value": "x"}},
				{"POST", "steps/b/export", nil},
				{"POST", "builds/" + string(build.ID) + "/cancel", nil},
			} {
				w.send(call.method, call.path, j.token, call.body).Want(t, http.StatusUnauthorized)
			}
		}
		refused()
		j.finish(0).Want(t, http.StatusOK) // ten minutes for repeats
		j.start().Want(t, http.StatusUnprocessableEntity)
		testkit.Change(t, w.db, `UPDATE job_runs SET token_until = token_until - 601000000 WHERE job_id = $1`, j.id)
		refused()
		j.finish(0).Want(t, http.StatusUnauthorized)
		chunk(1).Want(t, http.StatusUnauthorized)
		j.start().Want(t, http.StatusUnauthorized)
		if now := w.states(build); now != rows {
			t.Errorf("%s became %s", rows, now)
		}
	})
}

func TestAJobReachesNoOtherJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		own := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b, key: b}]")
		other := w.buildOf("steps: [{command: c, label: x, key: x}]")
		elsewhere := w.build(w.pipeline("steps: [{command: c, label: y, key: y}]", func(in *domain.PipelineInput) { in.ClusterID = domain.Some(elsewhereID) }))
		j, neighbour := w.newAgent().takeLabel("a"), w.newAgent().takeLabel("b")
		for _, id := range []string{neighbour.id, w.job(other, "x").ID, w.job(elsewhere, "y").ID, domain.NewID[string](), "x"} {
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
				w.send(call.method, "jobs/"+id+call.below, j.token, call.body).WantMessage(t, http.StatusForbidden, "This token is for another job")
			}
		}
		w.send("POST", "builds/"+string(other.ID)+"/cancel", j.token, nil).Want(t, http.StatusNotFound)
		w.send("POST", "steps/x/cancel", j.token, map[string]string{"build_id": string(other.ID)}).Want(t, http.StatusNotFound)
		w.send("POST", "steps/x/cancel", j.token, nil).Want(t, http.StatusNotFound)
		step := w.text(`SELECT id FROM build_steps WHERE build_id = $1`, other.ID)
		w.send("POST", "steps/"+step+"/export", j.token, nil).Want(t, http.StatusNotFound)
		w.send("PUT", "steps/"+step, j.token, map[string]string{"attribute": "label", "value": "x"}).Want(t, http.StatusNotFound)
		// Meta-data is shared by the jobs of a cluster, with nobody else.
		set := func(job string) *testkit.Answer {
			t.Helper()
			return w.send("POST", "jobs/"+job+"/data/set", j.token, map[string]string{"key": "k", "value": "v"})
		}
		set(w.job(other, "x").ID).Want(t, http.StatusOK)
		set(w.job(elsewhere, "y").ID).Want(t, http.StatusNotFound)
		set(domain.NewID[string]()).Want(t, http.StatusNotFound)
		w.send("POST", "builds/"+string(elsewhere.ID)+"/data/keys", j.token, nil).Want(t, http.StatusNotFound)
		w.send("POST", "builds/"+string(other.ID)+"/data/get", j.token, map[string]string{"key": "k"}).Want(t, http.StatusOK)
		w.send("POST", "jobs/"+w.job(elsewhere, "y").ID+"/annotations", j.token, map[string]string{"body": "b"}).Want(t, http.StatusNotFound)
		w.wantStates(own, "a=running b=running")
		w.wantStates(elsewhere, "y=scheduled")
	})
}

func TestCancelByForceTakesTheToken(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		build := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b, key: b}]")
		a, b := w.newAgent().takeLabel("a"), w.newAgent().takeLabel("b")
		cancel := func(grace int64) *testkit.Answer {
			t.Helper()
			return w.send("POST", "steps/b/cancel", a.token, map[string]any{"build_id": string(build.ID), "force": true, "force_grace_period": grace})
		}
		cancel(-1).Want(t, http.StatusUnprocessableEntity)
		cancel(1<<40).Want(t, http.StatusUnprocessableEntity)
		if id := cancel(60).Want(t, http.StatusOK).Text("uuid"); id != w.text(`SELECT step_id FROM jobs WHERE id = $1`, b.id) {
			t.Errorf("the answer has %s", id)
		}
		w.lapse()
		if state := b.send("GET", "", nil).Text("state"); state != "canceling" {
			t.Errorf("the job is %s", state)
		}
		testkit.Change(t, w.db, `UPDATE job_runs SET cancel_grace_until = $1 WHERE job_id = $2`, time.Now().Add(-time.Second).UnixMicro(), b.id)
		w.lapse()
		b.send("GET", "", nil).Want(t, http.StatusUnauthorized)
		b.finish(0).Want(t, http.StatusUnauthorized)
		w.wantStates(build, "a=running b=canceled")
		a.finish(0).Want(t, http.StatusOK)
		w.wantBuild(build, "failed")
	})
}
