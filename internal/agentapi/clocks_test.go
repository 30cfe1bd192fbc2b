package agentapi_test

import (
	"net/http"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// Servers whose own clocks are days off judge what others have stored by the database's clock.
func TestServersNeedNotAgreeOnTheTime(t *testing.T) {
	t.Parallel()
	const days = 5 * 24 * time.Hour
	eachWorld(t, func(t *testing.T, w *world) {
		expiring := w.newAgentToken(clusterID, domain.AgentTokenInput{ExpiresAt: domain.Some(time.Now().Add(time.Hour).Format(time.RFC3339))})
		w.setPolicy("default", `{"save": {"scopes": {"branch": true}}, "restore": {"scopes": [{"branch": "$current"}]}, "rules": [{"effect": "allow", "action": ["save", "restore"]}]}`)
		w.buildOf("steps: [{command: c, label: a, parallelism: 2}]")
		ended, running := w.newAgent().take(), w.newAgent().take()
		running.saveCache("~", "k", "c")
		upload := running.storeCache("~", "k2", "c").Want(t, http.StatusOK)
		ended.finish(0).Want(t, http.StatusOK)
		running.send(http.MethodPost, "/annotations", map[string]any{"body": "x"}).Want(t, http.StatusOK)
		paused := w.newAgent()
		testkit.Change(t, w.db, `UPDATE agents SET paused_at = $1, paused_timeout = 5 WHERE id = $2`, db.Micros(time.Now()), paused.id)
		lost := w.newAgent()
		testkit.Change(t, w.db, `UPDATE agents SET state = 'lost', lost_at = $1 WHERE id = $2`, db.Micros(time.Now()), lost.id)

		late := newNode(t, w.db, options{skew: days})
		late.register(expiring, registration()).Want(t, http.StatusOK)
		late.at(paused).wantAction("pause")
		late.at(lost).wantIdle()
		late.jobOf(ended).finish(0).Want(t, http.StatusOK) // again, within its grace
		late.jobOf(running).cache(http.MethodPost, "~/retrieve", cacheRequest("k")).Want(t, http.StatusOK)
		late.jobOf(running).commitCache("~", upload).Want(t, http.StatusOK)

		past := db.Micros(time.Now().Add(-time.Hour))
		testkit.Change(t, w.db, `UPDATE cluster_agent_tokens SET expires_at = $1 WHERE expires_at IS NOT NULL`, past)
		testkit.Change(t, w.db, `UPDATE agents SET paused_at = $1 WHERE id = $2`, past, paused.id)
		testkit.Change(t, w.db, `UPDATE agents SET state = 'lost', lost_at = $1 WHERE id = $2`, db.Micros(time.Now().Add(-domain.LostAgentReturns-time.Hour)), lost.id)
		testkit.Change(t, w.db, `UPDATE job_runs SET token_until = $1 WHERE job_id = $2`, past, ended.id)
		testkit.Change(t, w.db, `UPDATE cache_entries SET expires_at = $1`, past)
		early := newNode(t, w.db, options{skew: -days})
		early.register(expiring, registration()).Want(t, http.StatusUnauthorized)
		early.at(paused).wantIdle()
		early.send(http.MethodGet, "ping", lost.session, nil).Want(t, http.StatusUnauthorized)
		early.jobOf(ended).finish(0).Want(t, http.StatusUnauthorized)
		early.jobOf(running).cache(http.MethodPost, "~/retrieve", cacheRequest("k")).Want(t, http.StatusNotFound)
	})
}

// What servers with clocks of their own store is good for the others.
func TestWhatAServerStoresIsOfTheDatabasesTime(t *testing.T) {
	t.Parallel()
	eachWorldWith(t, options{skew: -5 * 24 * time.Hour}, func(t *testing.T, w *world) {
		w.setPolicy("default", `{"save": {"scopes": {"branch": true}}, "restore": {"scopes": [{"branch": "$current"}]}, "rules": [{"effect": "allow", "action": ["save", "restore"]}]}`)
		w.buildOf("steps: [{command: c, label: a}]")
		j := w.newAgent().take()
		j.saveCache("~", "k", "c")
		upload := j.storeCache("~", "k2", "c").Want(t, http.StatusOK)
		other := newNode(t, w.db, options{})
		other.jobOf(j).cache(http.MethodPost, "~/retrieve", cacheRequest("k")).Want(t, http.StatusOK)
		other.jobOf(j).commitCache("~", upload).Want(t, http.StatusOK)
	})
}

// at is an agent that calls another server.
func (w *world) at(a *fakeAgent) *fakeAgent { return &fakeAgent{w, a.id, a.session} }

// jobOf is a job whose agent calls another server.
func (w *world) jobOf(j *takenJob) *takenJob {
	return &takenJob{w.at(j.agent), j.id, j.token, j.answer}
}
