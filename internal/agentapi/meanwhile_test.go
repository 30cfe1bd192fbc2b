package agentapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// meanwhile makes a change between two transactions of a call: after the call has read, and before it writes. SQLite has one writer, which the
// change holds until the call waits for it. On PostgreSQL the change locks rows that the call waits for; if it waits for none, the change comes first.
func meanwhile(w *running.Server, lock, change string, call func()) {
	w.T.Helper()
	if w.DB.Engine() == "postgres" && lock == "" {
		testkit.Change(w.T, w.DB, change)
		call()
		return
	}
	ended := make(chan struct{})
	err := w.DB.Write(context.Background(), func(tx *db.Tx) error {
		begun := w.DB.Writes()
		isWaiting := func() bool { return w.DB.Writes() > begun }
		if w.DB.Engine() == "postgres" {
			if err := tx.Query(lock, func(*db.Row) error { return nil }); err != nil {
				return err
			}
			isWaiting = func() bool {
				return w.Text(`SELECT CAST(count(*) AS TEXT) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) != "0"
			}
		}
		go func() {
			defer close(ended)
			call()
		}()
		running.Until(w.T, "the call waits", isWaiting)
		_, err := tx.Exec(change)
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	<-ended
}

// An agent that is heard after it was found silent is not lost.
func TestAnAgentThatIsHeardMeanwhileIsNotLost(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		b := w.BuildOf("steps: [{command: c, label: a}]")
		a := w.NewAgent()
		j := a.StartJobWith("a")
		w.AdvanceWatching(190 * time.Second)
		meanwhile(w, "", `UPDATE agent_heartbeats SET seen_at = seen_at + 190000000`, w.EndOverdue)
		w.WantJob(j.ID, "running")
		j.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(b, "passed")
	})
}

// A task that another server has done is not done again.
func TestATaskThatAnotherServerHasDoneIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		child := w.Pipeline("steps: [{command: c, label: a}]")
		w.BuildOf("steps: [{trigger: " + child + "}]")
		meanwhile(w, `SELECT 1 FROM build_tasks FOR UPDATE`, `DELETE FROM build_tasks WHERE kind = 'trigger'`, func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			if err := w.Builds.RunTasks(ctx, authz.OperatorActor()); err != nil {
				t.Error(err)
			}
		})
		if made := w.Read(1, `SELECT b.id FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE p.slug = $1`, child); len(made) != 0 {
			t.Errorf("%d builds were triggered", len(made))
		}
	})
}

// A job whose token was replaced after it was looked up is not changed. On SQLite nothing comes in between.
func TestATokenThatIsReplacedMeanwhileChangesNothing(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		b := w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().AcceptJob()
		meanwhile(w, `SELECT 1 FROM builds FOR UPDATE`, `UPDATE job_runs SET token_hash = 'another'`, func() { j.Start().Want(t, http.StatusUnauthorized) })
		w.WantJob(j.ID, "accepted")
		w.WantBuild(b, "scheduled")
	})
}

// A token is not good while its job waits for an agent.
func TestATokenIsNotGoodWhileItsJobWaits(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJob()
		testkit.Change(t, w.DB, `UPDATE job_runs SET state = 'scheduled'`)
		j.Send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
		j.Finish(0).Want(t, http.StatusUnauthorized)
		j.Send(http.MethodPost, "/data/set", map[string]string{"key": "k", "value": "v"}).Want(t, http.StatusUnauthorized)
		j.Send(http.MethodPost, "/chunks?sequence=1&offset=0&size=1", "x").Want(t, http.StatusUnauthorized)
	})
}

// Heartbeats that could not be stored are stored the next time.
func TestHeartbeatsThatCouldNotBeStoredAreNotForgotten(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		store := func(ctx context.Context) error { return w.Agents.SaveHeartbeats(ctx, authz.OperatorActor()) }
		if err := store(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Change(t, w.DB, `UPDATE agent_heartbeats SET seen_at = 1`)
		a.Post("heartbeat", map[string]string{}).Want(t, http.StatusOK)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := store(canceled); err == nil {
			t.Fatal("it was stored")
		}
		if err := store(t.Context()); err != nil {
			t.Fatal(err)
		}
		if seen := w.Text(`SELECT CAST(seen_at AS TEXT) FROM agent_heartbeats WHERE agent_id = $1`, a.ID); seen == "1" {
			t.Error("the heartbeat is forgotten")
		}
	})
}

// What a registry's policy does not allow any more is not saved.
func TestACacheEntryIsNotSavedThatThePolicyDeniesMeanwhile(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		setPolicy(w, "default", `{"save": {"scopes": {"branch": true}}, "rules": [{"effect": "allow", "action": "save"}]}`)
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJob()
		storeCache(j, "~", "k", "c").Want(t, http.StatusOK)
		meanwhile(w, "", `UPDATE cache_registries SET policy = NULL`, func() { storeCache(j, "~", "k2", "c").Want(t, http.StatusForbidden) })
		if rows := w.Read(1, `SELECT id FROM cache_uploads`); len(rows) != 1 {
			t.Errorf("%d uploads are begun", len(rows))
		}
	})
}
