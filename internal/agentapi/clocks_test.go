package agentapi_test

import (
	"net/http"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// Servers whose own clocks are days off judge what others have stored by the database's clock.
func TestServersNeedNotAgreeOnTheTime(t *testing.T) {
	t.Parallel()
	const days = 5 * 24 * time.Hour
	running.Each(t, func(t *testing.T, w *running.Server) {
		expiring := w.NewAgentToken(running.Cluster, domain.AgentTokenInput{ExpiresAt: domain.Some(time.Now().Add(time.Hour).Format(time.RFC3339))})
		setPolicy(w, "default", `{"save": {"scopes": {"branch": true}}, "restore": {"scopes": [{"branch": "$current"}]}, "rules": [{"effect": "allow", "action": ["save", "restore"]}]}`)
		w.BuildOf("steps: [{command: c, label: a, parallelism: 2}]")
		ended, current := w.NewAgent().StartJob(), w.NewAgent().StartJob()
		saveCache(current, "~", "k", "c")
		upload := storeCache(current, "~", "k2", "c").Want(t, http.StatusOK)
		ended.Finish(0).Want(t, http.StatusOK)
		current.Send(http.MethodPost, "/annotations", map[string]any{"body": "x"}).Want(t, http.StatusOK)
		paused := w.NewAgent()
		testkit.Change(t, w.DB, `UPDATE agents SET paused_at = $1, paused_timeout = 5 WHERE id = $2`, db.Micros(time.Now()), paused.ID)
		lost := w.NewAgent()
		testkit.Change(t, w.DB, `UPDATE agents SET state = 'lost', lost_at = $1 WHERE id = $2`, db.Micros(time.Now()), lost.ID)

		late := running.NewNode(t, w.DB, running.Options{Skew: days})
		late.Register(expiring, running.Registration()).Want(t, http.StatusOK)
		agentAt(late, paused).WantAction("pause")
		agentAt(late, lost).WantIdle()
		jobAt(late, ended).Finish(0).Want(t, http.StatusOK) // again, within its grace
		sendCache(jobAt(late, current), http.MethodPost, "~/retrieve", cacheRequest("k")).Want(t, http.StatusOK)
		commitCache(jobAt(late, current), "~", upload).Want(t, http.StatusOK)

		past := db.Micros(time.Now().Add(-time.Hour))
		testkit.Change(t, w.DB, `UPDATE cluster_agent_tokens SET expires_at = $1 WHERE expires_at IS NOT NULL`, past)
		testkit.Change(t, w.DB, `UPDATE agents SET paused_at = $1 WHERE id = $2`, past, paused.ID)
		testkit.Change(t, w.DB, `UPDATE agents SET state = 'lost', lost_at = $1 WHERE id = $2`, db.Micros(time.Now().Add(-domain.LostAgentReturns-time.Hour)), lost.ID)
		testkit.Change(t, w.DB, `UPDATE job_runs SET token_until = $1 WHERE job_id = $2`, past, ended.ID)
		testkit.Change(t, w.DB, `UPDATE cache_entries SET expires_at = $1`, past)
		early := running.NewNode(t, w.DB, running.Options{Skew: -days})
		early.Register(expiring, running.Registration()).Want(t, http.StatusUnauthorized)
		agentAt(early, paused).WantIdle()
		early.Send(http.MethodGet, "ping", lost.Session, nil).Want(t, http.StatusUnauthorized)
		jobAt(early, ended).Finish(0).Want(t, http.StatusUnauthorized)
		sendCache(jobAt(early, current), http.MethodPost, "~/retrieve", cacheRequest("k")).Want(t, http.StatusNotFound)
	})
}

// What servers with clocks of their own store is good for the others.
func TestWhatAServerStoresIsOfTheDatabasesTime(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Skew: -5 * 24 * time.Hour}, func(t *testing.T, w *running.Server) {
		setPolicy(w, "default", `{"save": {"scopes": {"branch": true}}, "restore": {"scopes": [{"branch": "$current"}]}, "rules": [{"effect": "allow", "action": ["save", "restore"]}]}`)
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJob()
		saveCache(j, "~", "k", "c")
		upload := storeCache(j, "~", "k2", "c").Want(t, http.StatusOK)
		other := running.NewNode(t, w.DB, running.Options{})
		sendCache(jobAt(other, j), http.MethodPost, "~/retrieve", cacheRequest("k")).Want(t, http.StatusOK)
		commitCache(jobAt(other, j), "~", upload).Want(t, http.StatusOK)
	})
}

// agentAt is an agent that calls another server.
func agentAt(w *running.Server, a *running.Agent) *running.Agent {
	return &running.Agent{S: w, ID: a.ID, Session: a.Session}
}

// jobAt is a job whose agent calls another server.
func jobAt(w *running.Server, j *running.Job) *running.Job {
	return &running.Job{Agent: agentAt(w, j.Agent), ID: j.ID, Token: j.Token, Answer: j.Answer}
}
