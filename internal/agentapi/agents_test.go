package agentapi_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		body := registration("os=linux", "os=debian")
		body["os"] = "PRETTY_NAME=\"Debian\"\n" + strings.Repeat("NAME=Debian\n", 200)
		body["unknown"] = map[string]any{"member": 1}
		made := w.register(w.token, body).Want(t, http.StatusOK).Object()
		for _, interval := range []string{"ping_interval", "job_status_interval", "heartbeat_interval"} {
			if seconds, _ := made[interval].(float64); seconds < 1 {
				t.Errorf("%s is %v: agents panic", interval, made[interval])
			}
		}
		if tags := made["meta_data"].([]any); !slices.Equal(tags, []any{"queue=default", "os=linux", "os=debian"}) {
			t.Errorf("the tags are %v", tags)
		}
		if token, _ := made["access_token"].(string); !testkit.IsToken(domain.SessionTokenKind, token) {
			t.Errorf("the session's token is %v", made["access_token"])
		}
		if made["id"] == "" || made["name"] == "" {
			t.Errorf("no id or name: %v", made)
		}
	})
}

func TestNamesOfAgents(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for name, want := range map[string]string{
			"":                       `^vm-[0-9a-z]{6}$`,
			"runner-1":               `^runner-1$`,
			"%hostname-%pid":         `^vm-100$`,
			"a-%random-%hostname":    `^a-[0-9a-z]{6}-vm$`,
			"%%hostname %spawn %pid": `^%vm %spawn 100$`,
		} {
			body := registration()
			body["name"] = name
			if got := w.register(w.token, body).Want(t, http.StatusOK).Text("name"); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%q became %q", name, got)
			}
		}
		body := registration()
		body["hostname"], body["name"] = "%random%pid", "%hostname"
		if got := w.register(w.token, body).Want(t, http.StatusOK).Text("name"); got != "%random%pid" {
			t.Errorf("what an agent calls its host was expanded: %q", got)
		}
	})
}

func TestQueuesOfAgents(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		testkit.Change(t, w.db, `UPDATE cluster_queues SET instance_shape = 'LINUX_AMD64_2X4' WHERE cluster_id = $1 AND key = 'other'`, clusterID)
		for _, test := range []struct {
			tags    []string
			message string
		}{
			{[]string{"queue=none"}, `Queue "none" does not exist in the cluster "Main"`},
			{[]string{"queue="}, `Queue "" does not exist in the cluster "Main"`},
			{[]string{"queue=default", "queue=other"}, "An agent can have one queue tag only"},
			{[]string{"queue=other"}, `Queue "other" is for hosted agents`},
		} {
			w.register(w.token, registration(test.tags...)).WantMessage(t, http.StatusUnprocessableEntity, test.message)
		}
		w.register(w.token, registration("queue=default")).Want(t, http.StatusOK)
		testkit.Change(t, w.db, `UPDATE clusters SET default_queue_id = NULL WHERE id = $1`, clusterID)
		w.register(w.token, registration()).WantMessage(t, http.StatusUnprocessableEntity, `The cluster "Main" has no default queue: start the agent with a queue tag`)
		w.register(w.token, registration("queue=default")).Want(t, http.StatusOK)
	})
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for member, value := range map[string]any{
			"name": strings.Repeat("n", 1001), "priority": "first", "hostname": "a\x00b", "meta_data": slices.Repeat([]string{"a=b"}, 201), "features": []string{"\x00"},
		} {
			body := registration()
			body[member] = value
			w.register(w.token, body).Want(t, http.StatusUnprocessableEntity)
		}
		for member, value := range map[string]any{"name": 1, "meta_data": "queue=default", "pid": "x", "script_eval_enabled": "yes"} {
			body := registration()
			body[member] = value
			w.register(w.token, body).Want(t, http.StatusBadRequest)
		}
		for _, priority := range []string{"", "0", "-5", "100"} {
			body := registration()
			body["priority"] = priority
			w.register(w.token, body).Want(t, http.StatusOK)
		}
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM agents`); n != "4" {
			t.Errorf("%s agents", n)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		const sent = "2026-11-16T00:54:13.007399765Z"
		answer := a.post("heartbeat", map[string]string{"sent_at": sent}).Want(t, http.StatusOK)
		received, err := time.Parse(time.RFC3339Nano, answer.Text("received_at"))
		if answer.Text("sent_at") != sent || err != nil || time.Since(received) > time.Minute {
			t.Errorf("%s", answer)
		}
		a.post("heartbeat", nil).Want(t, http.StatusOK)
	})
}

func TestTokenAndMetrics(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		token := w.send(http.MethodGet, "token", w.token, nil).Want(t, http.StatusOK).Object()
		for member, want := range map[string]any{"description": "agents", "token_type": "cluster", "organization_slug": "acme-inc", "cluster_uuid": clusterID,
			"cluster_name": "Main", "organization_queue_key": "default"} {
			if token[member] != want {
				t.Errorf("%s is %v", member, token[member])
			}
		}
		w.buildOf("steps: [{command: a, label: a}, {command: b, label: b}, wait, {command: c, label: c}]")
		w.newAgent()
		w.newAgent("queue=other")
		w.newAgent().take()
		metrics := w.send(http.MethodGet, "metrics", w.token, nil).Want(t, http.StatusOK)
		want := `{"agents":{"idle":2,"busy":1,"total":3,"queues":{"default":{"idle":1,"busy":1,"total":2},"other":{"idle":1,"busy":0,"total":1}}},` +
			`"jobs":{"scheduled":1,"running":1,"waiting":1,"total":3,"queues":{"default":{"scheduled":1,"running":1,"waiting":1,"total":3},"other":{"scheduled":0,"running":0,"waiting":0,"total":0}}},` +
			`"organization":{"slug":"acme-inc"},"cluster":{"name":"Main"}}`
		if strings.TrimSpace(string(metrics.Body)) != want {
			t.Errorf("the metrics are\n%s, not\n%s", metrics.Body, want)
		}
		ofQueue := w.send(http.MethodGet, "metrics/queue?name=other", w.token, nil).Want(t, http.StatusOK)
		want = `{"agents":{"idle":1,"busy":0,"total":1},"jobs":{"scheduled":0,"running":0,"waiting":0,"total":0},"organization":{"slug":"acme-inc"},"cluster":{"name":"Main"}}`
		if strings.TrimSpace(string(ofQueue.Body)) != want {
			t.Errorf("the metrics of a queue are\n%s, not\n%s", ofQueue.Body, want)
		}
		for _, answer := range []*testkit.Answer{metrics, ofQueue} {
			if answer.Header.Get("Poll-Duration") != "10" {
				t.Errorf("the programs are to wait for %q seconds", answer.Header.Get("Poll-Duration"))
			}
		}
		w.send(http.MethodGet, "metrics/queue?name=none", w.token, nil).Want(t, http.StatusNotFound)
	})
}

func TestAgentsComeAndGo(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		state := func(a *fakeAgent) string { return w.text(`SELECT state FROM agents WHERE id = $1`, a.id) }
		want := func(a *fakeAgent, wanted string) {
			t.Helper()
			if got := state(a); got != wanted {
				t.Errorf("the agent is %s, not %s", got, wanted)
			}
		}
		made := w.register(w.token, registration())
		a := &fakeAgent{w: w, id: made.Text("id"), session: made.Text("access_token")}
		want(a, "never_connected")
		a.post("connect", nil).Want(t, http.StatusOK)
		a.post("connect", nil).Want(t, http.StatusOK)
		want(a, "connected")
		a.wantIdle()
		a.post("disconnect", nil).Want(t, http.StatusOK)
		want(a, "disconnected")
		a.post("disconnect", nil).Want(t, http.StatusUnauthorized) // its session is over
		w.send(http.MethodGet, "ping", a.session, nil).Want(t, http.StatusUnauthorized)

		b := w.newAgent()
		b.post("stop", map[string]any{}).Want(t, http.StatusOK)
		want(b, "stopping")
		b.post("stop", map[string]any{}).Want(t, http.StatusOK)
		b.wantAction("disconnect")
		b.post("connect", nil).Want(t, http.StatusOK)
		want(b, "stopping")
		b.post("disconnect", nil).Want(t, http.StatusOK)
		want(b, "stopped")
	})
}

func TestAnAgentThatStopsGetsNoJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		build := w.buildOf("steps: [{command: a, label: a}, {command: b, label: b}]")
		a := w.newAgent()
		j := a.takeLabel("a")
		a.post("stop", map[string]any{}).Want(t, http.StatusOK)
		a.wantAction("disconnect")
		j.finish(0).Want(t, http.StatusOK) // the job goes on
		a.wantAction("disconnect")
		w.wantStates(build, "a=finished b=scheduled")

		b := w.newAgent()
		running := b.takeLabel("b")
		b.post("stop", map[string]any{"force": true}).Want(t, http.StatusOK)
		if state := running.send(http.MethodGet, "", nil).Text("state"); state != "canceling" {
			t.Errorf("a job whose agent is stopped by force is %s", state)
		}
		running.finish(-1).Want(t, http.StatusOK)
		w.wantJob(running.id, "canceled")
	})
}

func TestAJobStopsAndPausesItsAgent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: a, label: a}, {command: b, label: b}]")
		a := w.newAgent()
		j := a.takeLabel("a")
		call := func(path string, body any) *testkit.Answer {
			t.Helper()
			return w.send(http.MethodPost, path, j.token, body)
		}
		call("resume", nil).WantMessage(t, http.StatusUnprocessableEntity, "Agent is not paused")
		call("pause", map[string]any{"note": "a look", "timeout_in_minutes": 0}).Want(t, http.StatusUnprocessableEntity)
		call("pause", map[string]any{"note": strings.Repeat("n", 2000)}).Want(t, http.StatusUnprocessableEntity)
		call("pause", map[string]any{"note": "a\x00b"}).Want(t, http.StatusUnprocessableEntity)
		call("pause", map[string]any{"note": "a look", "timeout_in_minutes": 7}).Want(t, http.StatusOK)
		call("pause", map[string]any{"note": "a look"}).WantMessage(t, http.StatusUnprocessableEntity, "Agent is already paused")
		if message := a.wantAction("pause").Text("message"); !strings.Contains(message, "a look") {
			t.Errorf("the message is %q", message)
		}
		call("resume", nil).Want(t, http.StatusOK)
		call("pause", nil).Want(t, http.StatusOK)
		if minutes := w.text(`SELECT CAST(paused_timeout AS TEXT) FROM agents WHERE id = $1`, a.id); minutes != "5" {
			t.Errorf("an agent is paused for %s minutes", minutes)
		}
		j.finish(0).Want(t, http.StatusOK)
		a.wantAction("pause")
		testkit.Change(t, w.db, `UPDATE agents SET paused_at = paused_at - 300000000 WHERE id = $1`, a.id) // its time is over
		b := a.takeLabel("b")
		w.send(http.MethodPost, "stop", b.token, map[string]any{"force": false}).Want(t, http.StatusOK)
		a.wantAction("disconnect")
		w.send(http.MethodPost, "pause", b.token, nil).WantMessage(t, http.StatusUnprocessableEntity, "Only connected agents may be paused")
	})
}

func TestWhoGetsWhichJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf(`steps:
  - {command: c, label: plain}
  - {command: c, label: linux, agents: {os: linux}}
  - {command: c, label: anywhere, agents: {os: "*"}}
  - {command: c, label: both, agents: {os: linux, gpu: "true"}}
  - {command: c, label: other, agents: {queue: other}}
  - {command: c, label: nowhere, agents: {queue: missing}}
`)
		for _, test := range []struct {
			tags []string
			want []string
		}{
			{[]string{"os=windows"}, []string{"plain", "anywhere"}},
			{[]string{"os=lin"}, nil},
			{[]string{"os=windows", "os=linux"}, []string{"linux"}},
			{[]string{"os=linux", "gpu=false"}, nil},
			{[]string{"gpu=true", "os=linux"}, []string{"both"}},
			{[]string{"queue=other"}, []string{"other"}},
		} {
			a := w.newAgent(test.tags...)
			for _, label := range test.want {
				a.run(label, 0)
			}
			a.wantIdle()
		}
	})
}

func TestOrderOfJobs(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: c, label: first}, {command: c, label: second}]")
		w.buildOf("steps: [{command: c, label: urgent, priority: 5}, {command: c, label: last, priority: -1}, {command: c, label: third, agents: {os: linux}}]")
		a := w.newAgent("os=linux")
		for _, label := range []string{"urgent", "first", "second", "third", "last"} {
			a.run(label, 0)
		}
		a.wantIdle()
	})
}

func TestNothingIsHandedOutOfAPausedQueue(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: c, label: a}]")
		queue := w.text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, clusterID)
		if _, err := w.service.PauseQueue(t.Context(), admin, clusterRef(clusterID), queue, core.Value(domain.Optional[string]{})); err != nil {
			t.Fatal(err)
		}
		a := w.newAgent()
		a.wantIdle()
		if _, err := w.service.ResumeQueue(t.Context(), admin, clusterRef(clusterID), queue); err != nil {
			t.Fatal(err)
		}
		a.run("a", 0)
		ignored := registration()
		ignored["ignore_in_dispatches"] = true
		w.buildOf("steps: [{command: c, label: b}]")
		w.newAgentWith(ignored).wantIdle()
		a.run("b", 0)
	})
}

func TestLostAgents(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		build := w.buildOf("steps: [{command: c, label: a, retry: {automatic: {exit_status: -1, limit: 1}}}, {command: c, label: b}]")
		lost, idle := w.newAgent(), w.newAgent()
		j := lost.takeLabel("a")
		taken := idle.accept()
		save := func() {
			t.Helper()
			if err := w.agents.SaveHeartbeats(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
		}
		save()
		w.lapse()
		w.wantJob(j.id, "running")
		testkit.Change(t, w.db, `UPDATE agent_heartbeats SET seen_at = seen_at - 190000000`)
		idle.post("heartbeat", nil).Want(t, http.StatusOK)
		w.lapse()
		w.wantJob(j.id, "finished")
		if first := w.jobs(build)[0]; first.Exit != "-1" || w.events(j.id) != "SCHEDULED ASSIGNED ACCEPTED STARTED AGENT_LOST RETRIED" {
			t.Errorf("%v: %s", first, w.events(j.id))
		}
		w.wantStates(build, "a=finished a=scheduled b=accepted")
		if state := w.text(`SELECT state FROM agents WHERE id = $1`, lost.id); state != "lost" {
			t.Errorf("the agent is %s", state)
		}
		// It comes back without its job: a 401 lets it kill that.
		j.send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
		lost.post("heartbeat", nil).Want(t, http.StatusOK)
		if state := w.text(`SELECT state FROM agents WHERE id = $1`, lost.id); state != "connected" {
			t.Errorf("the agent that came back is %s", state)
		}
		j.finish(0).Want(t, http.StatusOK) // what it says of the job changes nothing
		if first := w.jobs(build)[0]; first.Exit != "-1" {
			t.Errorf("%v", first)
		}
		taken.start().Want(t, http.StatusOK)

		// One that was lost with an accepted job.
		testkit.Exec(t, w.db, `UPDATE agents SET offered_job_id = NULL`)
		again := lost.accept()
		save()
		testkit.Change(t, w.db, `UPDATE agent_heartbeats SET seen_at = seen_at - 190000000 WHERE agent_id = $1`, lost.id)
		w.lapse()
		w.wantJob(again.id, "scheduled")
		again.start().Want(t, http.StatusUnauthorized)
		lost.ping()
		if state := w.text(`SELECT state FROM agents WHERE id = $1`, lost.id); state != "connected" {
			t.Errorf("the agent that pings again is %s", state)
		}
		// After a day it has to register anew.
		save()
		testkit.Change(t, w.db, `UPDATE agents SET state = 'lost', lost_at = $1 WHERE id = $2`, db24h(), lost.id)
		lost.post("heartbeat", nil).Want(t, http.StatusUnauthorized)
		lost.post("disconnect", nil).Want(t, http.StatusOK)
	})
}

// db24h is a time more than a day ago, as it is stored.
func db24h() int64 { return time.Now().Add(-24*time.Hour - time.Minute).UnixMicro() }

func TestServerThatJustStartedLosesNoAgent(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: c, label: a}]")
		j := w.newAgent().take()
		testkit.Change(t, w.db, `UPDATE agents SET created_at = created_at - 600000000`)
		w.agents.SetReady(time.Now().Add(-2 * time.Minute))
		if err := w.agents.SaveHeartbeats(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		testkit.Change(t, w.db, `UPDATE agent_heartbeats SET seen_at = seen_at - 600000000`)
		w.lapse()
		w.wantJob(j.id, "running")
	})
}

func TestDisconnectEndsTheJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		build := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}, {command: c, label: c}, {command: c, label: d}]")
		a, b, c, d := w.newAgent(), w.newAgent(), w.newAgent(), w.newAgent()
		running := a.takeLabel("a")
		b.accept()
		c.ping()
		stopped := d.takeLabel("d")
		d.post("stop", nil).Want(t, http.StatusOK)
		for _, agent := range []*fakeAgent{a, b, c, d} {
			agent.post("disconnect", nil).Want(t, http.StatusOK)
		}
		w.wantStates(build, "a=finished b=scheduled c=scheduled d=finished")
		if events := w.events(running.id); !strings.HasSuffix(events, "AGENT_DISCONNECTED") {
			t.Error(events)
		}
		if events := w.events(stopped.id); !strings.HasSuffix(events, "AGENT_STOPPED") {
			t.Error(events)
		}
		if events := w.events(w.job(build, "b").ID); !strings.HasSuffix(events, "ACCEPTED_EXPIRED") {
			t.Error(events)
		}
		running.send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
	})
}
