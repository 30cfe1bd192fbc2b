package agentapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/testkit"
)

// meanwhile makes a change between two transactions of a call: after the call has read, and before it writes. SQLite has one writer, which the
// change holds until the call waits for it. On PostgreSQL the change locks rows that the call waits for; if it waits for none, the change comes first.
func (w *world) meanwhile(lock, change string, call func()) {
	w.t.Helper()
	if w.db.Engine() == "postgres" && lock == "" {
		testkit.Change(w.t, w.db, change)
		call()
		return
	}
	ended := make(chan struct{})
	err := w.db.Write(context.Background(), func(tx *db.Tx) error {
		begun := w.db.Writes()
		isWaiting := func() bool { return w.db.Writes() > begun }
		if w.db.Engine() == "postgres" {
			if err := tx.Query(lock, func(*db.Row) error { return nil }); err != nil {
				return err
			}
			isWaiting = func() bool {
				return w.text(`SELECT CAST(count(*) AS TEXT) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) != "0"
			}
		}
		go func() {
			defer close(ended)
			call()
		}()
		until(w.t, "the call waits", isWaiting)
		_, err := tx.Exec(change)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	<-ended
}

// An agent that is heard after it was found silent is not lost.
func TestAnAgentThatIsHeardMeanwhileIsNotLost(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.buildOf("steps: [{command: c, label: a}]")
		a := w.newAgent()
		j := a.takeLabel("a")
		if err := w.agents.SaveHeartbeats(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		testkit.Change(t, w.db, `UPDATE agent_heartbeats SET seen_at = seen_at - 190000000`)
		w.meanwhile("", `UPDATE agent_heartbeats SET seen_at = seen_at + 190000000`, w.lapse)
		w.wantJob(j.id, "running")
		j.finish(0).Want(t, http.StatusOK)
		w.wantBuild(b, "passed")
	})
}

// A task that another server has done is not done again.
func TestATaskThatAnotherServerHasDoneIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		child := w.pipeline("steps: [{command: c, label: a}]")
		w.buildOf("steps: [{trigger: " + child + "}]")
		w.meanwhile(`SELECT 1 FROM build_tasks FOR UPDATE`, `DELETE FROM build_tasks WHERE kind = 'trigger'`, func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			if err := w.builds.RunTasks(ctx, authz.OperatorActor()); err != nil {
				t.Error(err)
			}
		})
		if made := w.read(1, `SELECT b.id FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE p.slug = $1`, child); len(made) != 0 {
			t.Errorf("%d builds were triggered", len(made))
		}
	})
}

// A job whose token was replaced after it was looked up is not changed. On SQLite nothing comes in between.
func TestATokenThatIsReplacedMeanwhileChangesNothing(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		b := w.buildOf("steps: [{command: c, label: a}]")
		j := w.newAgent().accept()
		w.meanwhile(`SELECT 1 FROM builds FOR UPDATE`, `UPDATE job_runs SET token_hash = 'another'`, func() { j.start().Want(t, http.StatusUnauthorized) })
		w.wantJob(j.id, "accepted")
		w.wantBuild(b, "scheduled")
	})
}

// A token is not good while its job waits for an agent.
func TestATokenIsNotGoodWhileItsJobWaits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.buildOf("steps: [{command: c, label: a}]")
		j := w.newAgent().take()
		testkit.Change(t, w.db, `UPDATE job_runs SET state = 'scheduled'`)
		j.send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
		j.finish(0).Want(t, http.StatusUnauthorized)
		j.send(http.MethodPost, "/data/set", map[string]string{"key": "k", "value": "v"}).Want(t, http.StatusUnauthorized)
		j.send(http.MethodPost, "/chunks?sequence=1&offset=0&size=1", "x").Want(t, http.StatusUnauthorized)
	})
}

// Heartbeats that could not be stored are stored the next time.
func TestHeartbeatsThatCouldNotBeStoredAreNotForgotten(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		store := func(ctx context.Context) error { return w.agents.SaveHeartbeats(ctx, authz.OperatorActor()) }
		if err := store(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Change(t, w.db, `UPDATE agent_heartbeats SET seen_at = 1`)
		a.post("heartbeat", map[string]string{}).Want(t, http.StatusOK)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := store(canceled); err == nil {
			t.Fatal("it was stored")
		}
		if err := store(t.Context()); err != nil {
			t.Fatal(err)
		}
		if seen := w.text(`SELECT CAST(seen_at AS TEXT) FROM agent_heartbeats WHERE agent_id = $1`, a.id); seen == "1" {
			t.Error("the heartbeat is forgotten")
		}
	})
}

// What a registry's policy does not allow any more is not saved.
func TestACacheEntryIsNotSavedThatThePolicyDeniesMeanwhile(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.setPolicy("default", `{"save": {"scopes": {"branch": true}}, "rules": [{"effect": "allow", "action": "save"}]}`)
		w.buildOf("steps: [{command: c, label: a}]")
		j := w.newAgent().take()
		j.storeCache("~", "k", "c").Want(t, http.StatusOK)
		w.meanwhile("", `UPDATE cache_registries SET policy = NULL`, func() { j.storeCache("~", "k2", "c").Want(t, http.StatusForbidden) })
		if rows := w.read(1, `SELECT id FROM cache_uploads`); len(rows) != 1 {
			t.Errorf("%d uploads are begun", len(rows))
		}
	})
}
