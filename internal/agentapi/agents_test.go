package agentapi_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		body := running.Registration("os=linux", "os=debian")
		body["os"] = "PRETTY_NAME=\"Debian\"\n" + strings.Repeat("NAME=Debian\n", 200)
		body["unknown"] = map[string]any{"member": 1}
		made := w.Register(w.Token, body).Want(t, http.StatusOK).Object()
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
	running.Each(t, func(t *testing.T, w *running.Server) {
		for name, want := range map[string]string{
			"":                       `^vm-[0-9a-z]{6}$`,
			"runner-1":               `^runner-1$`,
			"%hostname-%pid":         `^vm-100$`,
			"a-%random-%hostname":    `^a-[0-9a-z]{6}-vm$`,
			"%%hostname %spawn %pid": `^%vm %spawn 100$`,
		} {
			body := running.Registration()
			body["name"] = name
			if got := w.Register(w.Token, body).Want(t, http.StatusOK).Text("name"); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("%q became %q", name, got)
			}
		}
		body := running.Registration()
		body["hostname"], body["name"] = "%random%pid", "%hostname"
		if got := w.Register(w.Token, body).Want(t, http.StatusOK).Text("name"); got != "%random%pid" {
			t.Errorf("what an agent calls its host was expanded: %q", got)
		}
	})
}

func TestQueuesOfAgents(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		testkit.Change(t, w.DB, `UPDATE cluster_queues SET instance_shape = 'LINUX_AMD64_2X4' WHERE cluster_id = $1 AND key = 'other'`, running.Cluster)
		for _, test := range []struct {
			tags    []string
			message string
		}{
			{[]string{"queue=none"}, `Queue "none" does not exist in the cluster "Main"`},
			{[]string{"queue="}, `Queue "" does not exist in the cluster "Main"`},
			{[]string{"queue=default", "queue=other"}, "An agent can have one queue tag only"},
			{[]string{"queue=other"}, `Queue "other" is for hosted agents`},
		} {
			w.Register(w.Token, running.Registration(test.tags...)).WantMessage(t, http.StatusUnprocessableEntity, test.message)
		}
		w.Register(w.Token, running.Registration("queue=default")).Want(t, http.StatusOK)
		testkit.Change(t, w.DB, `UPDATE clusters SET default_queue_id = NULL WHERE id = $1`, running.Cluster)
		w.Register(w.Token, running.Registration()).WantMessage(t, http.StatusUnprocessableEntity, `The cluster "Main" has no default queue: start the agent with a queue tag`)
		w.Register(w.Token, running.Registration("queue=default")).Want(t, http.StatusOK)
	})
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		for member, value := range map[string]any{
			"name": strings.Repeat("n", 1001), "priority": "first", "hostname": "a\x00b", "meta_data": slices.Repeat([]string{"a=b"}, 201), "features": []string{"\x00"},
		} {
			body := running.Registration()
			body[member] = value
			w.Register(w.Token, body).Want(t, http.StatusUnprocessableEntity)
		}
		for member, value := range map[string]any{"name": 1, "meta_data": "queue=default", "pid": "x", "script_eval_enabled": "yes"} {
			body := running.Registration()
			body[member] = value
			w.Register(w.Token, body).Want(t, http.StatusBadRequest)
		}
		for _, priority := range []string{"", "0", "-5", "100"} {
			body := running.Registration()
			body["priority"] = priority
			w.Register(w.Token, body).Want(t, http.StatusOK)
		}
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM agents`); n != "4" {
			t.Errorf("%s agents", n)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		const sent = "2026-11-16T00:54:13.007399765Z"
		answer := a.Post("heartbeat", map[string]string{"sent_at": sent}).Want(t, http.StatusOK)
		received, err := time.Parse(time.RFC3339Nano, answer.Text("received_at"))
		if answer.Text("sent_at") != sent || err != nil || time.Since(received) > time.Minute {
			t.Errorf("%s", answer)
		}
		a.Post("heartbeat", nil).Want(t, http.StatusOK)
	})
}

func TestTokenAndMetrics(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		token := w.Send(http.MethodGet, "token", w.Token, nil).Want(t, http.StatusOK).Object()
		for member, want := range map[string]any{"description": "agents", "token_type": "cluster", "organization_slug": "acme-inc", "cluster_uuid": running.Cluster,
			"cluster_name": "Main", "organization_queue_key": "default"} {
			if token[member] != want {
				t.Errorf("%s is %v", member, token[member])
			}
		}
		w.BuildOf("steps: [{command: a, label: a}, {command: b, label: b}, wait, {command: c, label: c}]")
		w.NewAgent()
		w.NewAgent("queue=other")
		w.NewAgent().StartJob()
		metrics := w.Send(http.MethodGet, "metrics", w.Token, nil).Want(t, http.StatusOK)
		want := `{"agents":{"idle":2,"busy":1,"total":3,"queues":{"default":{"idle":1,"busy":1,"total":2},"other":{"idle":1,"busy":0,"total":1}}},` +
			`"jobs":{"scheduled":1,"running":1,"waiting":1,"total":3,"queues":{"default":{"scheduled":1,"running":1,"waiting":1,"total":3},"other":{"scheduled":0,"running":0,"waiting":0,"total":0}}},` +
			`"organization":{"slug":"acme-inc"},"cluster":{"name":"Main"}}`
		if strings.TrimSpace(string(metrics.Body)) != want {
			t.Errorf("the metrics are\n%s, not\n%s", metrics.Body, want)
		}
		ofQueue := w.Send(http.MethodGet, "metrics/queue?name=other", w.Token, nil).Want(t, http.StatusOK)
		want = `{"agents":{"idle":1,"busy":0,"total":1},"jobs":{"scheduled":0,"running":0,"waiting":0,"total":0},"organization":{"slug":"acme-inc"},"cluster":{"name":"Main"}}`
		if strings.TrimSpace(string(ofQueue.Body)) != want {
			t.Errorf("the metrics of a queue are\n%s, not\n%s", ofQueue.Body, want)
		}
		for _, answer := range []*testkit.Answer{metrics, ofQueue} {
			if answer.Header.Get("Poll-Duration") != "10" {
				t.Errorf("the programs are to wait for %q seconds", answer.Header.Get("Poll-Duration"))
			}
		}
		w.Send(http.MethodGet, "metrics/queue?name=none", w.Token, nil).Want(t, http.StatusNotFound)
	})
}

func TestAgentsComeAndGo(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		state := func(a *running.Agent) string { return w.Text(`SELECT state FROM agents WHERE id = $1`, a.ID) }
		want := func(a *running.Agent, wanted string) {
			t.Helper()
			if got := state(a); got != wanted {
				t.Errorf("the agent is %s, not %s", got, wanted)
			}
		}
		made := w.Register(w.Token, running.Registration())
		a := &running.Agent{S: w, ID: made.Text("id"), Session: made.Text("access_token")}
		want(a, "never_connected")
		a.Post("connect", nil).Want(t, http.StatusOK)
		a.Post("connect", nil).Want(t, http.StatusOK)
		want(a, "connected")
		a.WantIdle()
		a.Post("disconnect", nil).Want(t, http.StatusOK)
		want(a, "disconnected")
		a.Post("disconnect", nil).Want(t, http.StatusUnauthorized) // its session is over
		w.Send(http.MethodGet, "ping", a.Session, nil).Want(t, http.StatusUnauthorized)

		b := w.NewAgent()
		b.Post("stop", map[string]any{}).Want(t, http.StatusOK)
		want(b, "stopping")
		b.Post("stop", map[string]any{}).Want(t, http.StatusOK)
		b.WantAction("disconnect")
		b.Post("connect", nil).Want(t, http.StatusOK)
		want(b, "stopping")
		b.Post("disconnect", nil).Want(t, http.StatusOK)
		want(b, "stopped")
	})
}

func TestAnAgentThatStopsGetsNoJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: a, label: a}, {command: b, label: b}]")
		a := w.NewAgent()
		j := a.StartJobWith("a")
		a.Post("stop", map[string]any{}).Want(t, http.StatusOK)
		a.WantAction("disconnect")
		j.Finish(0).Want(t, http.StatusOK) // the job goes on
		a.WantAction("disconnect")
		w.WantStates(build, "a=finished b=scheduled")

		b := w.NewAgent()
		current := b.StartJobWith("b")
		b.Post("stop", map[string]any{"force": true}).Want(t, http.StatusOK)
		if state := current.Send(http.MethodGet, "", nil).Text("state"); state != "canceling" {
			t.Errorf("a job whose agent is stopped by force is %s", state)
		}
		current.Finish(-1).Want(t, http.StatusOK)
		w.WantJob(current.ID, "canceled")
	})
}

func TestAJobStopsAndPausesItsAgent(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: a, label: a}, {command: b, label: b}]")
		a := w.NewAgent()
		j := a.StartJobWith("a")
		call := func(path string, body any) *testkit.Answer {
			t.Helper()
			return w.Send(http.MethodPost, path, j.Token, body)
		}
		call("resume", nil).WantMessage(t, http.StatusUnprocessableEntity, "Agent is not paused")
		call("pause", map[string]any{"note": "a look", "timeout_in_minutes": 0}).Want(t, http.StatusUnprocessableEntity)
		call("pause", map[string]any{"note": strings.Repeat("n", 2000)}).Want(t, http.StatusUnprocessableEntity)
		call("pause", map[string]any{"note": "a\x00b"}).Want(t, http.StatusUnprocessableEntity)
		call("pause", map[string]any{"note": "a look", "timeout_in_minutes": 7}).Want(t, http.StatusOK)
		call("pause", map[string]any{"note": "a look"}).WantMessage(t, http.StatusUnprocessableEntity, "Agent is already paused")
		if message := a.WantAction("pause").Text("message"); !strings.Contains(message, "a look") {
			t.Errorf("the message is %q", message)
		}
		call("resume", nil).Want(t, http.StatusOK)
		call("pause", nil).Want(t, http.StatusOK)
		if minutes := w.Text(`SELECT CAST(paused_timeout AS TEXT) FROM agents WHERE id = $1`, a.ID); minutes != "5" {
			t.Errorf("an agent is paused for %s minutes", minutes)
		}
		j.Finish(0).Want(t, http.StatusOK)
		a.WantAction("pause")
		w.Advance(5 * time.Minute) // its time is over
		b := a.StartJobWith("b")
		w.Send(http.MethodPost, "stop", b.Token, map[string]any{"force": false}).Want(t, http.StatusOK)
		a.WantAction("disconnect")
		w.Send(http.MethodPost, "pause", b.Token, nil).WantMessage(t, http.StatusUnprocessableEntity, "Only connected agents may be paused")
	})
}

func TestWhoGetsWhichJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf(`steps:
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
			a := w.NewAgent(test.tags...)
			for _, label := range test.want {
				a.RunJob(label, 0)
			}
			a.WantIdle()
		}
	})
}

func TestOrderOfJobs(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: first}, {command: c, label: second}]")
		w.BuildOf("steps: [{command: c, label: urgent, priority: 5}, {command: c, label: last, priority: -1}, {command: c, label: third, agents: {os: linux}}]")
		a := w.NewAgent("os=linux")
		for _, label := range []string{"urgent", "first", "second", "third", "last"} {
			a.RunJob(label, 0)
		}
		a.WantIdle()
	})
}

func TestNothingIsHandedOutOfAPausedQueue(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		queue := w.Text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, running.Cluster)
		if _, err := w.Service.PauseQueue(t.Context(), running.Admin, running.ClusterRef(running.Cluster), queue, core.Value(domain.Optional[string]{})); err != nil {
			t.Fatal(err)
		}
		a := w.NewAgent()
		a.WantIdle()
		if _, err := w.Service.ResumeQueue(t.Context(), running.Admin, running.ClusterRef(running.Cluster), queue); err != nil {
			t.Fatal(err)
		}
		a.RunJob("a", 0)
		ignored := running.Registration()
		ignored["ignore_in_dispatches"] = true
		w.BuildOf("steps: [{command: c, label: b}]")
		w.NewAgentWith(ignored).WantIdle()
		a.RunJob("b", 0)
	})
}

func TestLostAgents(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a, retry: {automatic: {exit_status: -1, limit: 1}}}, {command: c, label: b}]")
		lost, idle := w.NewAgent(), w.NewAgent()
		j := lost.StartJobWith("a")
		w.SaveHeartbeats()
		w.EndOverdue()
		w.WantJob(j.ID, "running")
		w.AdvanceWatching(190 * time.Second)
		taken := idle.AcceptJob()
		w.EndOverdue()
		w.WantJob(j.ID, "finished")
		if first := w.Jobs(build)[0]; first.Exit != "-1" || w.Events(j.ID) != "SCHEDULED ASSIGNED ACCEPTED STARTED AGENT_LOST RETRIED" {
			t.Errorf("%v: %s", first, w.Events(j.ID))
		}
		w.WantStates(build, "a=finished a=scheduled b=accepted")
		if state := w.Text(`SELECT state FROM agents WHERE id = $1`, lost.ID); state != "lost" {
			t.Errorf("the agent is %s", state)
		}
		// It comes back without its job: a 401 lets it kill that.
		j.Send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
		lost.Post("heartbeat", nil).Want(t, http.StatusOK)
		if state := w.Text(`SELECT state FROM agents WHERE id = $1`, lost.ID); state != "connected" {
			t.Errorf("the agent that came back is %s", state)
		}
		j.Finish(0).Want(t, http.StatusOK) // what it says of the job changes nothing
		if first := w.Jobs(build)[0]; first.Exit != "-1" {
			t.Errorf("%v", first)
		}
		taken.Start().Want(t, http.StatusOK)

		// One that was lost with an accepted job.
		testkit.Exec(t, w.DB, `UPDATE agents SET offered_job_id = NULL`)
		again := lost.AcceptJob()
		w.AdvanceWatching(190 * time.Second)
		w.EndOverdue()
		w.WantJob(again.ID, "scheduled")
		again.Start().Want(t, http.StatusUnauthorized)
		lost.Ping()
		if state := w.Text(`SELECT state FROM agents WHERE id = $1`, lost.ID); state != "connected" {
			t.Errorf("the agent that pings again is %s", state)
		}
		// After a day it has to register anew.
		w.AdvanceWatching(190 * time.Second)
		w.EndOverdue()
		w.Advance(domain.LostAgentReturns + time.Minute)
		lost.Post("heartbeat", nil).Want(t, http.StatusUnauthorized)
		lost.Post("disconnect", nil).Want(t, http.StatusOK)
	})
}

func TestServerThatJustStartedLosesNoAgent(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJob()
		w.SaveHeartbeats()
		w.Advance(10 * time.Minute)
		w.Agents.SetReady(w.Now().Add(-2 * time.Minute))
		w.EndOverdue()
		w.WantJob(j.ID, "running")
	})
}

func TestDisconnectEndsTheJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}, {command: c, label: c}, {command: c, label: d}]")
		a, b, c, d := w.NewAgent(), w.NewAgent(), w.NewAgent(), w.NewAgent()
		current := a.StartJobWith("a")
		b.AcceptJob()
		c.Ping()
		stopped := d.StartJobWith("d")
		d.Post("stop", nil).Want(t, http.StatusOK)
		for _, agent := range []*running.Agent{a, b, c, d} {
			agent.Post("disconnect", nil).Want(t, http.StatusOK)
		}
		w.WantStates(build, "a=finished b=scheduled c=scheduled d=finished")
		if events := w.Events(current.ID); !strings.HasSuffix(events, "AGENT_DISCONNECTED") {
			t.Error(events)
		}
		if events := w.Events(stopped.ID); !strings.HasSuffix(events, "AGENT_STOPPED") {
			t.Error(events)
		}
		if events := w.Events(w.Job(build, "b").ID); !strings.HasSuffix(events, "ACCEPTED_EXPIRED") {
			t.Error(events)
		}
		current.Send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
	})
}
