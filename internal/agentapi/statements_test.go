package agentapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestStatementsOfAJob counts the statements of each call of an agent that is alone. A call that needs one more fails it.
func TestStatementsOfAJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: one, parallelism: 3}, wait, {command: two}]")
		a := w.newAgent()
		a.run("", 0) // so that what is read once in a process has been read
		a.wantStatements(t, map[string]int64{"ping": 9, "accept": 7, "start": 7, "finish": 9})
		a.wantStatements(t, map[string]int64{"ping": 9, "accept": 7, "start": 7, "finish": 23}) // which ends a step, and lets two others go on
	})
}

// wantStatements runs a job, and compares how many statements its calls took with the most that they may.
func (a *fakeAgent) wantStatements(t *testing.T, most map[string]int64) {
	t.Helper()
	count := func(call string, fn func()) {
		before := a.w.db.Statements()
		fn()
		if n := a.w.db.Statements() - before; n > most[call] {
			t.Errorf("%s takes %d statements, and %d were enough before", call, n, most[call])
		}
	}
	j := &takenJob{agent: a}
	count("ping", func() { j.id = a.ping() })
	count("accept", func() { j.token = a.sendAccept(j.id).Want(t, http.StatusOK).Text("token") })
	count("start", func() { j.start().Want(t, http.StatusOK) })
	count("finish", func() { j.finish(0).Want(t, http.StatusOK) })
}

// TestAgentsShareStatements proves that jobs that are run at once take fewer statements each: on PostgreSQL, where a set of rows is one statement, a
// dozen at most.
func TestAgentsShareStatements(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const agents, jobs = 16, 160
		w.buildOf(fmt.Sprintf("steps: [{command: one, parallelism: %d}]", jobs))
		all := make([]*fakeAgent, agents)
		for i := range all {
			all[i] = w.newAgent()
		}
		before := w.db.Statements()
		var running sync.WaitGroup
		for _, a := range all {
			running.Go(func() {
				for id := a.ping(); id != ""; id = a.ping() {
					j := &takenJob{agent: a, id: id, token: a.sendAccept(id).Want(t, http.StatusOK).Text("token")}
					j.start().Want(t, http.StatusOK)
					j.finish(0).Want(t, http.StatusOK)
				}
			})
		}
		running.Wait()
		most := map[string]int64{"sqlite": 24, "postgres": 16}[w.db.Engine()]
		if n := (w.db.Statements() - before) / jobs; n > most {
			t.Errorf("a job takes %d statements, and %d were enough before", n, most)
		}
	})
}

// TestAJobThatNobodyCanRunMakesNoPingWrite proves that an agent which may not run what waits costs no write.
func TestAJobThatNobodyCanRunMakesNoPingWrite(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: one, agents: {gpu: yes}}]")
		a := w.newAgent()
		a.wantIdle()
		writes, statements := w.db.Writes(), w.db.Statements()
		for range 10 {
			a.wantIdle()
		}
		if n := w.db.Writes() - writes; n > 0 {
			t.Errorf("10 pings made %d writes", n)
		}
		if n := w.db.Statements() - statements; n > 20 {
			t.Errorf("10 pings took %d statements", n)
		}
	})
}

// TestABuildIsCanceledInSets proves that canceling many jobs takes few statements on PostgreSQL, and one for each row on SQLite.
func TestABuildIsCanceledInSets(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		const jobs = 200
		steps := strings.Repeat("  - {command: make}\n", jobs)
		b := w.buildOf("steps:\n" + steps)
		before := w.db.Statements()
		w.cancel(b)
		most := map[string]int64{"sqlite": 3*jobs + 12, "postgres": 15}[w.db.Engine()]
		if n := w.db.Statements() - before; n > most {
			t.Errorf("it took %d statements, and %d were enough before", n, most)
		}
		w.wantBuild(b, "canceled")
	})
}
