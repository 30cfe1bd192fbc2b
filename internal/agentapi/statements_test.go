package agentapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// cost is how many statements a call takes at most and, on PostgreSQL, how many round trips.
type cost struct{ statements, trips int64 }

// TestStatementsOfAJob counts the statements of each call of an agent that is alone. A call that needs one more fails it.
func TestStatementsOfAJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: one, parallelism: 3}, wait, {command: two}]")
		a := w.NewAgent()
		a.RunJob("", 0) // so that what is read once in a process has been read
		wantStatements(t, a, map[string]cost{"ping": {8, 7}, "accept": {6, 7}, "start": {6, 5}, "finish": {8, 6}})
		wantStatements(t, a, map[string]cost{"ping": {8, 7}, "accept": {6, 7}, "start": {6, 5},
			"finish": {20, 11}}) // which ends a step, and lets two others go on
	})
}

// wantStatements runs a job, and compares what its calls took with the most that they may.
func wantStatements(t *testing.T, a *running.Agent, most map[string]cost) {
	t.Helper()
	count := func(call string, fn func()) {
		before := cost{a.S.DB.Statements(), a.S.DB.RoundTrips()}
		fn()
		took := cost{a.S.DB.Statements() - before.statements, a.S.DB.RoundTrips() - before.trips}
		if took.statements > most[call].statements || took.trips > most[call].trips {
			t.Errorf("%s takes %+v, and %+v were enough before", call, took, most[call])
		}
	}
	j := &running.Job{Agent: a}
	count("ping", func() { j.ID = a.Ping() })
	count("accept", func() { j.Token = a.SendAccept(j.ID).Want(t, http.StatusOK).Text("token") })
	count("start", func() { j.Start().Want(t, http.StatusOK) })
	count("finish", func() { j.Finish(0).Want(t, http.StatusOK) })
}

// TestAgentsShareStatements proves that jobs that are run at once take fewer statements each: on PostgreSQL, where a set of rows is one statement, a
// dozen at most.
func TestAgentsShareStatements(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		const agents, jobs = 16, 160
		w.BuildOf(fmt.Sprintf("steps: [{command: one, parallelism: %d}]", jobs))
		all := make([]*running.Agent, agents)
		for i := range all {
			all[i] = w.NewAgent()
		}
		before := w.DB.Statements()
		var running sync.WaitGroup
		for _, a := range all {
			running.Go(func() {
				for id := a.Ping(); id != ""; id = a.Ping() {
					j := a.Accept(id)
					j.Start().Want(t, http.StatusOK)
					j.Finish(0).Want(t, http.StatusOK)
				}
			})
		}
		running.Wait()
		most := map[string]int64{"sqlite": 18, "postgres": 12}[w.DB.Engine()]
		if n := (w.DB.Statements() - before) / jobs; n > most {
			t.Errorf("a job takes %d statements, and %d were enough before", n, most)
		}
	})
}

// TestAJobThatNobodyCanRunMakesNoPingWrite proves that an agent which may not run what waits costs no write.
func TestAJobThatNobodyCanRunMakesNoPingWrite(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: one, agents: {gpu: yes}}]")
		a := w.NewAgent()
		a.WantIdle()
		writes, statements := w.DB.Writes(), w.DB.Statements()
		for range 10 {
			a.WantIdle()
		}
		if n := w.DB.Writes() - writes; n > 0 {
			t.Errorf("10 pings made %d writes", n)
		}
		if n := w.DB.Statements() - statements; n > 20 {
			t.Errorf("10 pings took %d statements", n)
		}
	})
}

// TestABuildIsCanceledInSets proves that canceling many jobs takes few statements on PostgreSQL, and one for each row on SQLite.
func TestABuildIsCanceledInSets(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		const jobs = 200
		steps := strings.Repeat("  - {command: make}\n", jobs)
		b := w.BuildOf("steps:\n" + steps)
		before := w.DB.Statements()
		w.Cancel(b)
		most := map[string]int64{"sqlite": 3*jobs + 12, "postgres": 15}[w.DB.Engine()]
		if n := w.DB.Statements() - before; n > most {
			t.Errorf("it took %d statements, and %d were enough before", n, most)
		}
		w.WantBuild(b, "canceled")
	})
}

// TestABusyAgentIsAssignedNothingThatItMayNotHave changes what an agent may do after it has run a job, while another job waits for it.
func TestABusyAgentIsAssignedNothingThatItMayNotHave(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		idle := func(t *testing.T, answer *testkit.Answer) {
			if answer.Want(t, http.StatusOK); answer.Object()["job"] != nil {
				t.Errorf("the agent got a job: %s", answer)
			}
		}
		action := func(name string) func(*testing.T, *testkit.Answer) {
			return func(t *testing.T, answer *testkit.Answer) {
				if idle(t, answer); answer.Text("action") != name {
					t.Errorf("want the action %s: %s", name, answer)
				}
			}
		}
		refused := func(status int) func(*testing.T, *testkit.Answer) {
			return func(t *testing.T, answer *testkit.Answer) { answer.Want(t, status) }
		}
		for _, change := range []struct {
			sql, undo string // nothing to undo where only the agent changes
			want      func(*testing.T, *testkit.Answer)
		}{
			{sql: `UPDATE agents SET paused_at = 1 WHERE id = $1`, want: action("pause")},
			{sql: `UPDATE agents SET state = 'stopping' WHERE id = $1`, want: action("disconnect")},
			{sql: `UPDATE agents SET session_hash = NULL WHERE id = $1`, want: refused(http.StatusUnauthorized)},
			{sql: `UPDATE agents SET token_id = NULL WHERE id = $1`, want: refused(http.StatusUnauthorized)},
			{sql: `UPDATE agents SET meta_data = '["queue=default"]' WHERE id = $1`, want: idle},
			{`UPDATE cluster_queues SET dispatch_paused_at = 1 WHERE id = (SELECT queue_id FROM agents WHERE id = $1)`,
				`UPDATE cluster_queues SET dispatch_paused_at = NULL`, idle},
			{`UPDATE cluster_agent_tokens SET expires_at = 1 WHERE id = (SELECT token_id FROM agents WHERE id = $1)`,
				`UPDATE cluster_agent_tokens SET expires_at = NULL`, refused(http.StatusUnauthorized)},
			{`UPDATE cluster_agent_tokens SET allowed_ip_addresses = '192.0.2.1' WHERE id = (SELECT token_id FROM agents WHERE id = $1)`,
				`UPDATE cluster_agent_tokens SET allowed_ip_addresses = NULL`, refused(http.StatusForbidden)},
		} {
			a := w.NewAgent()
			build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b, agents: [ready=yes]}]")
			w.Exec(`UPDATE agents SET meta_data = '["queue=default", "ready=yes"]' WHERE id = $1`, a.ID)
			a.RunJob("a", 0)
			testkit.Change(t, w.DB, change.sql, a.ID)
			change.want(t, w.Send(http.MethodGet, "ping", a.Session, nil))
			w.WantStates(build, "a=finished b=scheduled")
			if change.undo != "" {
				testkit.Change(t, w.DB, change.undo)
			}
			w.Cancel(build)
		}
	})
}

// TestAJobWhoseVariablesCannotBeReadLeavesTheOthers accepts jobs at once, one of which belongs to a pipeline that can't be read: the variables of
// the others, which are read with its own, come all the same.
func TestAJobWhoseVariablesCannotBeReadLeavesTheOthers(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		const agents = 8
		all, jobs := make([]*running.Agent, agents), make([]string, agents)
		for i := range all {
			b := w.BuildOf("steps: [{command: one}]")
			all[i] = w.NewAgent()
			jobs[i] = all[i].Ping()
			if i == 0 {
				w.Exec(`UPDATE pipelines SET env = '{]}' WHERE id = $1`, b.PipelineID)
			}
		}
		var running sync.WaitGroup
		for i, a := range all {
			running.Go(func() {
				accepted, err := w.Builds.AcceptJob(t.Context(), a.Actor(), jobs[i])
				if isReadable := i > 0; (err == nil) != isReadable || isReadable && accepted.Env["BUILDKITE_JOB_ID"] != jobs[i] {
					t.Errorf("job %d has the variables of %q: %v", i, accepted.Env["BUILDKITE_JOB_ID"], err)
				}
			})
		}
		running.Wait()
	})
}
