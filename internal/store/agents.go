package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

var agentRows = tableOf("agents", "a", func(c *columns, a *domain.Agent) {
	mapText(c, "id", &a.ID)
	mapText(c, "organization_id", &a.OrganizationID)
	mapText(c, "cluster_id", &a.ClusterID)
	mapNullText(c, "queue_id", &a.QueueID)
	mapNullText(c, "token_id", &a.TokenID)
	mapNullText(c, "unclustered_token_id", &a.UnclusteredTokenID)
	mapText(c, "name", &a.Name)
	mapText(c, "hostname", &a.Hostname)
	mapText(c, "os", &a.OS)
	mapText(c, "arch", &a.Arch)
	mapText(c, "version", &a.Version)
	mapText(c, "build", &a.Build)
	mapInt(c, "pid", &a.PID)
	mapText(c, "machine_id", &a.MachineID)
	mapText(c, "user_agent", &a.UserAgent)
	mapText(c, "ip_address", &a.IPAddress)
	mapNullInt(c, "priority", &a.Priority)
	mapJSON(c, "meta_data", &a.MetaData)
	mapJSON(c, "features", &a.Features)
	mapBool(c, "script_eval_enabled", &a.ScriptEvalEnabled)
	mapTime(c, "created_at", &a.CreatedAt)
	c.changing()
	mapBool(c, "ignore_in_dispatches", &a.IgnoreInDispatches)
	mapNullText(c, "session_hash", &a.SessionHash)
	mapText(c, "state", &a.State)
	mapNullTime(c, "connected_at", &a.ConnectedAt)
	mapNullTime(c, "disconnected_at", &a.DisconnectedAt)
	mapNullTime(c, "lost_at", &a.LostAt)
	mapNullTime(c, "stopped_at", &a.StoppedAt)
	mapBool(c, "force_stop", &a.ForceStop)
	mapNullTime(c, "paused_at", &a.PausedAt)
	mapNullText(c, "paused_note", &a.PausedNote)
	mapNullInt(c, "paused_timeout", &a.PausedTimeout)
	mapNullTime(c, "last_job_finished_at", &a.LastJobFinishedAt)
	mapNullTime(c, "last_passed_at", &a.LastPassedAt)
	mapNullText(c, "offered_job_id", &a.OfferedJobID)
	mapInt(c, "offers", &a.Offers)
	mapNullText(c, "job_id", &a.JobID)
	mapBool(c, "missed_offer", &a.MissedOffer)
})

// InsertAgent stores a new agent.
func (tx Tx) InsertAgent(a domain.Agent) error { return agentRows.insert(tx.exec, a) }

// UpdateAgent stores what has changed about an agent that was read for update. Users is who did it, by column:
// stopped_by, paused_by.
func (tx Tx) UpdateAgent(before, now *domain.Agent, users map[string]domain.UserID) error {
	var also []column
	for _, name := range []string{"stopped_by", "paused_by"} {
		if user, ok := users[name]; ok {
			also = append(also, setUser(name, user))
		}
	}
	return agentRows.updateChanged(tx.exec, before, now, also...)
}

// Agent returns an agent.
func (tx Tx) Agent(id domain.AgentID) (domain.Agent, bool, error) {
	return selectOne(tx, agentRows.read, `SELECT `+agentRows.columns+` FROM agents a WHERE a.id = $1`, id)
}

// AgentRelease is an agent that has no job any more. At is when that ended; nil: it did not begin with it.
type AgentRelease struct {
	Agent  domain.AgentID
	Job    domain.JobID
	At     *time.Time
	Passed bool
	Missed bool // it did not accept the job
}

// ReleaseAgents stores that agents have no job any more, and when it ended and passed.
func (tx Tx) ReleaseAgents(all []AgentRelease) error {
	var missed, requeued, failed, passed [][]any
	for _, r := range all {
		id := string(r.Agent)
		switch {
		case r.Missed:
			missed = append(missed, []any{id, nil, true})
		case r.At == nil:
			requeued = append(requeued, []any{id, nil})
		case r.Passed:
			passed = append(passed, []any{id, nil, db.Micros(*r.At), db.Micros(*r.At)})
		default:
			failed = append(failed, []any{id, nil, db.Micros(*r.At)})
		}
	}
	for _, set := range []db.RowSet{
		{Table: "agents", Columns: []string{"id", "job_id", "missed_offer"}, Rows: missed},
		{Table: "agents", Columns: []string{"id", "job_id"}, Rows: requeued},
		{Table: "agents", Columns: []string{"id", "job_id", "last_job_finished_at"}, Rows: failed},
		{Table: "agents", Columns: []string{"id", "job_id", "last_job_finished_at", "last_passed_at"}, Rows: passed},
	} {
		if err := tx.UpdateSet(tx.Later, set); err != nil {
			return err
		}
	}
	return nil
}

// ForgiveAgents stores that agents have accepted a job again.
func (tx Tx) ForgiveAgents(agents []domain.AgentID) error {
	rows := make([][]any, len(agents))
	for i, id := range agents {
		rows[i] = []any{string(id), false}
	}
	return tx.UpdateSet(tx.Later, db.RowSet{Table: "agents", Columns: []string{"id", "missed_offer"}, Rows: rows})
}

// StoreAgentOffer stores which job an agent was offered last, and how many times running.
func (tx Tx) StoreAgentOffer(id domain.AgentID, job domain.JobID, offers int64) error {
	return tx.Later(`UPDATE agents SET offered_job_id = $1, offers = $2 WHERE id = $3`, job, offers, id)
}

// AgentSession is what an agent's request depends on.
type AgentSession struct {
	Agent            domain.AgentID
	Organization     domain.OrganizationID
	Cluster          domain.ClusterID
	Queue            *domain.QueueID
	State            flow.AgentState
	ForceStop        bool
	LostAt           *time.Time
	PausedAt         *time.Time
	PausedTimeout    *int64
	PausedNote       *string
	IgnoreInDispatch bool
	HasToken         bool // the token with which it registered was not revoked
	TokenExpiresAt   *time.Time
	AllowedAddresses *string
	QueuePaused      bool
	QueueHosted      bool
	HasJob           bool // assigned to it or further
	HasScheduled     bool // its queue has a job that waits for an agent; only PingSessions reads it
	Name             string
	Tags             []string
	Priority         *int64
	LastPassedAt     *time.Time
	OfferedJobID     *domain.JobID
	Offers           int64
	MissedOffer      bool          // it did not accept the job that it was offered last
	JobID            *domain.JobID // that it has
	SessionHash      string
}

var agentSession = selecting(func(c *columns, s *AgentSession) {
	mapText(c, "a.id", &s.Agent)
	mapText(c, "a.organization_id", &s.Organization)
	mapText(c, "a.cluster_id", &s.Cluster)
	mapNullText(c, "a.queue_id", &s.Queue)
	mapText(c, "a.state", &s.State)
	mapBool(c, "a.force_stop", &s.ForceStop)
	mapNullTime(c, "a.lost_at", &s.LostAt)
	mapNullTime(c, "a.paused_at", &s.PausedAt)
	mapNullInt(c, "a.paused_timeout", &s.PausedTimeout)
	mapNullText(c, "a.paused_note", &s.PausedNote)
	mapBool(c, "a.ignore_in_dispatches", &s.IgnoreInDispatch)
	mapBool(c, "at.id IS NOT NULL OR ut.id IS NOT NULL AND ut.revoked_at IS NULL", &s.HasToken)
	mapNullTime(c, "at.expires_at", &s.TokenExpiresAt)
	mapNullText(c, "at.allowed_ip_addresses", &s.AllowedAddresses)
	mapBool(c, "q.dispatch_paused_at IS NOT NULL", &s.QueuePaused)
	mapBool(c, "q.instance_shape IS NOT NULL", &s.QueueHosted)
	mapBool(c, "a.job_id IS NOT NULL", &s.HasJob)
	mapText(c, "a.name", &s.Name)
	mapJSON(c, "a.meta_data", &s.Tags)
	mapNullInt(c, "a.priority", &s.Priority)
	mapNullTime(c, "a.last_passed_at", &s.LastPassedAt)
	mapNullText(c, "a.offered_job_id", &s.OfferedJobID)
	mapInt(c, "a.offers", &s.Offers)
	mapBool(c, "a.missed_offer", &s.MissedOffer)
	mapNullText(c, "a.job_id", &s.JobID)
	mapText(c, "a.session_hash", &s.SessionHash)
})

var pingSession = selecting(func(c *columns, s *AgentSession) {
	agentSession.read(c, s)
	mapBool(c, "EXISTS (SELECT 1 FROM ready_jobs rj WHERE rj.queue_id = a.queue_id)", &s.HasScheduled)
})

const agentSessionTables = ` FROM agents a LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
	LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id LEFT JOIN cluster_queues q ON q.id = a.queue_id`

// AgentSession returns the agent that a session's token is for.
func (tx Tx) AgentSession(hash string) (AgentSession, bool, error) {
	return selectOne(tx, agentSession.read, selectAgentSession, hash)
}

// AgentSessions is AgentSession for several tokens at once. It returns the agents by their tokens' hashes.
func (tx Tx) AgentSessions(hashes []string) (map[string]AgentSession, error) {
	return tx.sessions(agentSession, hashes)
}

// PingSessions is AgentSessions with whether jobs wait for the agents.
func (tx Tx) PingSessions(hashes []string) (map[string]AgentSession, error) {
	return tx.sessions(pingSession, hashes)
}

func (tx Tx) sessions(selected selection[AgentSession], hashes []string) (map[string]AgentSession, error) {
	found := make(map[string]AgentSession, len(hashes))
	err := eachChunk(hashes, func(some []string) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+selected.columns+agentSessionTables+` WHERE ?`,
			oneOfMany(tx, `a.session_hash`, some)))
		sessions, err := selectAll(tx, selected.read, sql, a.values...)
		for _, session := range sessions {
			found[session.SessionHash] = session
		}
		return err
	})
	return found, err
}

var selectAgentSession = `SELECT ` + agentSession.columns + agentSessionTables + ` WHERE a.session_hash = $1`

// RegistrationToken is what a registering agent's request depends on.
type RegistrationToken struct {
	Token            domain.AgentToken
	UnclusteredID    *domain.UnclusteredTokenID // instead of the token's id, if it is of no cluster
	OrganizationID   domain.OrganizationID
	OrganizationSlug string
	ClusterName      string
	DefaultQueueID   *domain.QueueID
	DefaultQueueKey  *string
}

var registrationToken = selecting(func(c *columns, t *RegistrationToken) {
	agentTokens.visit(c, &t.Token)
	mapText(c, "o.id", &t.OrganizationID)
	mapText(c, "o.slug", &t.OrganizationSlug)
	mapText(c, "c.name", &t.ClusterName)
	mapNullText(c, "q.id", &t.DefaultQueueID)
	mapNullText(c, "q.key", &t.DefaultQueueKey)
})

// RegistrationToken returns the agent token with that hash: one of a cluster, or one of no cluster as one of its
// organization's default cluster.
func (tx Tx) RegistrationToken(hash string) (RegistrationToken, bool, error) {
	token, found, err := selectOne(tx, registrationToken.read,
		`SELECT `+registrationToken.columns+` FROM cluster_agent_tokens at
		JOIN clusters c ON c.id = at.cluster_id JOIN organizations o ON o.id = c.organization_id
		LEFT JOIN cluster_queues q ON q.id = c.default_queue_id WHERE at.hash = $1`, hash)
	if err != nil || found {
		return token, found, err
	}
	return tx.unclusteredRegistration(hash)
}

// AgentQueue is a queue that an agent wants to take jobs from.
type AgentQueue struct {
	ID     domain.QueueID
	Key    string
	Hosted bool
}

// AgentQueue returns a cluster's queue by its key.
func (tx Tx) AgentQueue(cluster domain.ClusterID, key string) (AgentQueue, bool, error) {
	return one(tx, func(r *db.Row) AgentQueue { return AgentQueue{domain.QueueID(r.Text()), r.Text(), r.Bool()} },
		`SELECT id, key, instance_shape IS NOT NULL FROM cluster_queues WHERE cluster_id = $1 AND key = $2`, cluster, key)
}

// QueueByID is AgentQueue for a queue's id.
func (tx Tx) QueueByID(id domain.QueueID) (AgentQueue, bool, error) {
	return one(tx, func(r *db.Row) AgentQueue { return AgentQueue{domain.QueueID(r.Text()), r.Text(), r.Bool()} },
		`SELECT id, key, instance_shape IS NOT NULL FROM cluster_queues WHERE id = $1`, id)
}

// IsQueuePaused reports whether no jobs of a queue are to be handed out.
func (tx Tx) IsQueuePaused(id domain.QueueID) (bool, error) {
	return tx.has(`SELECT 1 FROM cluster_queues WHERE id = $1 AND dispatch_paused_at IS NOT NULL`, id)
}

// PrefersDifferentAgents reports whether another agent than that of the attempt before is preferred for the retries of
// a queue's jobs.
func (tx Tx) PrefersDifferentAgents(id domain.QueueID) (bool, error) {
	return tx.has(`SELECT 1 FROM cluster_queues WHERE id = $1 AND retry_agent_affinity = $2`, id,
		domain.PreferDifferent)
}

// CountConnectedAgents returns how many agents are connected to the whole installation.
func (tx Tx) CountConnectedAgents() (n int64, err error) {
	_, err = tx.One(countConnectedAgents, func(r *db.Row) { n = r.Int() })
	return n, err
}

const countConnectedAgents = `SELECT count(*) FROM agents WHERE state IN ('never_connected', 'connected', 'stopping')`

// QueueStats are the figures of a queue, for who runs more or fewer agents by them.
type QueueStats struct {
	Key                                string
	Idle, Busy                         int64
	Scheduled, Running, Waiting, Total int64
}

// ClusterStats returns the figures of a cluster's queues.
func (tx Tx) ClusterStats(cluster domain.ClusterID) ([]QueueStats, error) {
	return all(tx, func(r *db.Row) QueueStats {
		q := QueueStats{Key: r.Text(), Idle: r.Int(), Busy: r.Int(), Scheduled: r.Int(), Waiting: r.Int()}
		q.Running = q.Busy // an agent has one job at a time
		return q
	}, clusterStats, cluster)
}

// What a queue has now, as columns.
const (
	countIdleAgents = `(SELECT count(*) FROM agents a WHERE a.queue_id = q.id AND a.state IN ('connected', 'stopping')
		AND a.job_id IS NULL)`
	countBusyAgents = `(SELECT count(*) FROM agents a WHERE a.queue_id = q.id AND a.state IN ('connected', 'stopping')
		AND a.job_id IS NOT NULL)`
	countScheduledJobs = `((SELECT count(*) FROM ready_jobs rj WHERE rj.queue_id = q.id)
		+ (SELECT count(*) FROM job_runs jr WHERE jr.queue_id = q.id AND jr.finished_at IS NULL
		AND jr.list_state = 'reserved'))`
	countHeldJobs = `(SELECT count(*) FROM job_runs jr WHERE jr.queue_id = q.id AND jr.finished_at IS NULL
		AND jr.list_state IN ('waiting', 'blocked', 'limiting', 'limited'))`
)

const clusterStats = `SELECT q.key, ` + countIdleAgents + `, ` + countBusyAgents + `, ` +
	countScheduledJobs + `, ` + countHeldJobs + `
	FROM cluster_queues q WHERE q.cluster_id = $1 ORDER BY q.key`

// IgnoreAgent lets an agent be given no more jobs.
func (tx Tx) IgnoreAgent(id domain.AgentID) error {
	return tx.Later(`UPDATE agents SET ignore_in_dispatches = TRUE WHERE id = $1`, id)
}

// HasOtherIdleAgent reports whether a queue has an agent besides one that could take a job.
func (tx Tx) HasOtherIdleAgent(queue domain.QueueID, agent domain.AgentID) (bool, error) {
	return tx.has(`SELECT 1 FROM agents a WHERE a.queue_id = $1 AND a.state = 'connected' AND a.id <> $2
		AND a.paused_at IS NULL AND NOT a.ignore_in_dispatches
		AND a.job_id IS NULL LIMIT 1`, queue, agent)
}
