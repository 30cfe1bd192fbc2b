package store

import (
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/steps"
)

// A job is two rows: what never changes is in jobs j, and what does in job_runs jr.
const jobTables = `jobs j JOIN job_runs jr ON jr.job_id = j.id`

var jobRows = tableOf("jobs", "j", func(c *columns, j *domain.Job) {
	mapText(c, "id", &j.ID)
	mapText(c, "organization_id", &j.OrganizationID)
	mapText(c, "pipeline_id", &j.PipelineID)
	mapText(c, "build_id", &j.BuildID)
	mapText(c, "step_id", &j.StepID)
	mapNullText(c, "cluster_id", &j.ClusterID)
	mapNullText(c, "queue_key", &j.QueueKey)
	mapText(c, "kind", &j.Kind)
	mapText(c, "command", &j.Command)
	mapJSON(c, "agent_rules", &j.AgentRules)
	mapText(c, "rules_key", &j.RulesKey)
	mapText(c, "position", &j.Position)
	mapInt(c, "upload_index", &j.UploadIndex)
	mapJSON(c, "matrix", &j.Matrix)
	mapJSON(c, "soft_fail", &j.SoftFail)
	mapInt(c, "parallel_index", &j.ParallelIndex)
	mapInt(c, "retries_count", &j.RetriesCount)
	mapNullText(c, "retry_source_id", &j.RetrySourceID)
	mapNullText(c, "retry_type", &j.RetryType)
	mapJSON(c, "rule_uses", &j.RuleUses)
	mapNullText(c, "retry_avoids_agent", &j.RetryAvoidsAgent)
	mapNullText(c, "concurrency_group_id", &j.ConcurrencyGroupID)
	mapInt(c, "concurrency_limit", &j.ConcurrencyLimit)
	mapText(c, "concurrency_method", &j.ConcurrencyMethod)
	mapTime(c, "created_at", &j.CreatedAt)
	mapTime(c, "queued_at", &j.QueuedAt)
})

var runRows = tableOf("job_runs", "jr", func(c *columns, j *domain.Job) {
	c.copyOf("job_id", textOf(string(j.ID)))
	c.copyOf("organization_id", textOf(string(j.OrganizationID)))
	c.copyOf("build_id", textOf(string(j.BuildID)))
	c.copyOf("concurrency_group_id", otherValue(textOrNull(j.ConcurrencyGroupID)))
	c.copyOf("created_at", timeOf(j.CreatedAt))
	c.copyOf("queued_at", timeOf(j.QueuedAt))
	c.changing()
	mapText(c, "label", &j.Label)
	mapInt(c, "parallel_total", &j.ParallelTotal)
	mapNullText(c, "queue_id", &j.QueueID)
	mapText(c, "state", &j.State)
	c.writeKey("list_state", listState, string(j.State))
	mapText(c, "outcome", &j.Outcome)
	mapInt(c, "priority", &j.Priority)
	mapNullText(c, "agent_id", &j.AgentID)
	mapNullText(c, "token_hash", &j.TokenHash)
	mapNullTime(c, "token_until", &j.TokenUntil)
	mapNullInt(c, "exit_status", &j.ExitStatus)
	mapNullText(c, "signal", &j.Signal)
	mapNullText(c, "signal_reason", &j.SignalReason)
	mapNullInt(c, "promised_exit_status", &j.PromisedExitStatus)
	mapNullTime(c, "promised_at", &j.PromisedAt)
	mapBool(c, "promise_counts", &j.PromiseCounts)
	mapBool(c, "soft_failed", &j.SoftFailed)
	mapNullText(c, "broken_reason", &j.BrokenReason)
	mapNullText(c, "detail", &j.Detail)
	mapNullText(c, "reserved_by", &j.ReservedBy)
	mapNullTime(c, "reserved_until", &j.ReservedUntil)
	mapNullInt(c, "timeout", &j.Timeout)
	mapNullTime(c, "deadline", &j.Deadline)
	mapNullTime(c, "cancel_grace_until", &j.CancelGraceUntil)
	mapNullTime(c, "scheduled_at", &j.ScheduledAt)
	mapNullTime(c, "runnable_at", &j.RunnableAt)
	mapNullTime(c, "assigned_at", &j.AssignedAt)
	mapNullTime(c, "accepted_at", &j.AcceptedAt)
	mapNullTime(c, "started_at", &j.StartedAt)
	mapNullTime(c, "finished_at", &j.FinishedAt)
	mapNullTime(c, "canceled_at", &j.CanceledAt)
	mapNullTime(c, "expired_at", &j.ExpiredAt)
	mapNullText(c, "retried_by_id", &j.RetriedByID)
	mapNullTime(c, "unblocked_at", &j.UnblockedAt)
	mapNullText(c, "triggered_build_id", &j.TriggeredBuildID)
	mapJSON(c, "upload_env", &j.UploadEnv)
	mapInt(c, "chunks_failed_count", &j.ChunksFailedCount)
	mapBool(c, "acquired", &j.Acquired)
})

// visitJob goes through the columns of both rows of a job.
func visitJob(c *columns, j *domain.Job) {
	jobRows.visit(c, j)
	runRows.visit(c, j)
}

var wholeJob = selecting(visitJob)

// listedWithAgent is the state by which lists find the jobs that agents have. Within it a job changes its state without
// a change of any index.
const listedWithAgent = "with_agent"

// listState returns the state by which lists find a job.
func listState(state string) string {
	if flow.JobState(state).HasAgent() {
		return listedWithAgent
	}
	return state
}

// insertJobs stores new jobs, and what happened to them.
func (tx Tx) insertJobs(jobs []domain.Job, events newEvents) error {
	if err := jobRows.insertAll(tx, jobs); err != nil {
		return err
	}
	if err := runRows.insertAll(tx, jobs, func(j *domain.Job) column {
		if text, found := events.remove(j.ID); found {
			return set("events", text)
		}
		return set("events", nil)
	}); err != nil {
		return err
	}
	var ready []domain.Job
	for i := range jobs {
		if isReady(&jobs[i]) {
			ready = append(ready, jobs[i])
		}
	}
	return tx.insertReady(ready)
}

// JobChange is a job before and after a change, and who made it, by column: canceled_by, unblocked_by.
type JobChange struct {
	Before, Now *domain.Job
	Users       map[string]domain.UserID
}

// UpdateJobs stores what has changed about jobs that were read for update, and what happened to them.
func (tx Tx) UpdateJobs(changes []JobChange, events []domain.JobEvent) error {
	made := newEventsOf(events)
	if err := tx.updateJobs(changes, made); err != nil {
		return err
	}
	return tx.insertEvents(made)
}

func (tx Tx) updateJobs(changes []JobChange, events newEvents) error {
	rows := make([]rowChange[domain.Job], 0, len(changes))
	var ready []domain.Job
	var unready []domain.JobID
	for _, change := range changes {
		row := rowChange[domain.Job]{before: change.Before, now: change.Now}
		for _, name := range []string{"canceled_by", "unblocked_by"} {
			if user, ok := change.Users[name]; ok {
				row.also = append(row.also, setUser(name, user))
			}
		}
		if text, found := events.remove(change.Now.ID); found {
			row.also = append(row.also, appended("events", text))
		}
		rows = append(rows, row)
		was, is := readyPlace(change.Before), readyPlace(change.Now)
		if was != is && was != (readyRow{}) {
			unready = append(unready, change.Now.ID)
		}
		if was != is && is != (readyRow{}) {
			ready = append(ready, *change.Now)
		}
	}
	if err := runRows.updateAll(tx, rows); err != nil {
		return err
	}
	if err := tx.deleteReady(unready); err != nil {
		return err
	}
	return tx.insertReady(ready)
}

// readyRow is the place of a job among those that wait for an agent.
type readyRow struct {
	queue    domain.QueueID
	priority int64
	runnable time.Time
}

// isReady says whether a job waits for an agent.
func isReady(j *domain.Job) bool { return j.State == flow.Scheduled && j.QueueID != nil }

// readyPlace returns the place of a job among those that wait for an agent; zero: it does not.
func readyPlace(j *domain.Job) readyRow {
	if !isReady(j) {
		return readyRow{}
	}
	place := readyRow{queue: *j.QueueID, priority: j.Priority}
	if j.RunnableAt != nil {
		place.runnable = *j.RunnableAt
	}
	return place
}

var readyColumns = []string{"queue_id", "rules_key", "place", "scheduled_at", "upload_index", "job_id", "agent_rules",
	"runnable_at", "avoids_agent"}

// insertReady stores that jobs wait for an agent.
func (tx Tx) insertReady(jobs []domain.Job) error {
	rows := make([][]any, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		rules, err := jsonOf(&j.AgentRules).stored("agent_rules")
		if err != nil {
			return err
		}
		scheduled := j.CreatedAt
		if j.ScheduledAt != nil {
			scheduled = *j.ScheduledAt
		}
		rows[i] = []any{string(*j.QueueID), j.RulesKey, -j.Priority, db.Micros(scheduled), j.UploadIndex, string(j.ID), rules,
			db.NullMicros(j.RunnableAt), textOrNull(j.RetryAvoidsAgent)}
	}
	return tx.InsertSet(tx.Later, db.RowSet{Table: "ready_jobs", Columns: readyColumns, Rows: rows})
}

// deleteReady stores that jobs do not wait for an agent any more.
func (tx Tx) deleteReady(ids []domain.JobID) error {
	return eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		return tx.Later(`DELETE FROM ready_jobs WHERE `+a.write(oneOf(`job_id`, some)), a.values...)
	})
}

// Job returns a job.
func (tx Tx) Job(id domain.JobID) (domain.Job, bool, error) {
	return selectOne(tx, wholeJob.read, `SELECT `+wholeJob.columns+` FROM `+jobTables+` WHERE j.id = $1`, id)
}

// BuildOfJob returns the build that a job belongs to.
func (tx Tx) BuildOfJob(id domain.JobID) (domain.BuildID, bool, error) {
	return one(tx, scanID[domain.BuildID], `SELECT build_id FROM jobs WHERE id = $1`, id)
}

// JobsOfBuild returns the jobs of a build in their order, attempts that were retried among them.
func (tx Tx) JobsOfBuild(build domain.BuildID) ([]domain.Job, error) {
	return selectAll(tx, wholeJob.read, `SELECT `+wholeJob.columns+` FROM `+jobTables+`
		WHERE j.build_id = $1 ORDER BY j.position, j.upload_index, j.id`, build)
}

// textOrNull is the stored form of a text that may be absent.
func textOrNull[S ~string](value *S) any {
	if value == nil {
		return nil
	}
	return string(*value)
}

// QueuedInGroup returns the jobs of a concurrency group that wait for a slot or hold one, and those that wait for other
// steps and keep their place. Behind a block that waits for a person nobody does.
func (tx Tx) QueuedInGroup(id domain.ConcurrencyGroupID) ([]flow.Queued, error) {
	return all(tx, func(r *db.Row) flow.Queued {
		q := flow.Queued{ID: r.Text(), Since: r.Int(), Position: int(r.Int()), Priority: int(r.Int()), Limit: int(r.Int()),
			Method: steps.ConcurrencyMethod(r.Text()), Build: r.Text()}
		state := flow.JobState(r.Text())
		q.Holds, q.Waits, q.IsNew = state.HoldsSlot(), state == flow.Waiting, state == flow.Limiting
		return q
	}, queuedInGroup, id)
}

// queuedInGroup names the states as the index does: SQLite uses it only then.
const queuedInGroup = `SELECT j.id, j.queued_at, j.upload_index, jr.priority, j.concurrency_limit, j.concurrency_method,
	j.build_id, jr.state
	FROM job_runs jr JOIN jobs j ON j.id = jr.job_id WHERE jr.concurrency_group_id = $1
	AND jr.list_state IN ('waiting', 'limiting', 'limited', 'scheduled', 'reserved', 'with_agent')
	AND NOT (jr.state = 'waiting' AND EXISTS (SELECT 1 FROM jobs m JOIN job_runs mr ON mr.job_id = m.id
		WHERE m.build_id = j.build_id AND mr.state = 'blocked' AND (m.kind = 'block' AND m.position < j.position
		OR m.kind = 'input' AND EXISTS (SELECT 1 FROM step_dependencies sd WHERE sd.step_id = j.step_id
		AND sd.on_step_id = m.step_id))))`

// LimitedJobs returns those of the jobs that still wait for a slot, which nobody else changes until the transaction
// ends. Those that somebody else changes now are left out.
func (tx Tx) LimitedJobs(ids []string) (jobs []domain.Job, err error) {
	err = eachChunk(ids, func(some []string) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+wholeJob.columns+` FROM `+jobTables+` WHERE ?
			AND jr.state IN ('limiting', 'limited') ORDER BY j.id`, oneOf(`j.id`, some)))
		found, err := selectAll(tx, wholeJob.read, sql+tx.andLockFree(), a.values...)
		jobs = append(jobs, found...)
		return err
	})
	return jobs, err
}

// RuleSet is the rules of scheduled jobs of a queue.
type RuleSet struct {
	Key   string
	Rules []string
}

// ReadyRuleSets returns which rules the jobs of a queue have that wait for an agent. It looks at one job for each.
func (tx Tx) ReadyRuleSets(queue domain.QueueID) ([]RuleSet, error) {
	return selectAll(tx, func(c *columns, s *RuleSet) {
		mapText(c, "rules_key", &s.Key)
		mapJSON(c, "agent_rules", &s.Rules)
	}, readyRuleSets, queue)
}

// readyRuleSets steps from one key to the next. ORDER BY with LIMIT reads one entry of the key, where min() may read
// all.
const readyRuleSets = `WITH RECURSIVE keys (rules_key) AS (
		SELECT (SELECT rules_key FROM ready_jobs WHERE queue_id = $1 ORDER BY rules_key LIMIT 1)
		UNION ALL SELECT (SELECT rj.rules_key FROM ready_jobs rj WHERE rj.queue_id = $1 AND rj.rules_key > k.rules_key
		ORDER BY rj.rules_key LIMIT 1)
		FROM keys k WHERE k.rules_key IS NOT NULL
	) SELECT k.rules_key, (SELECT rj.agent_rules FROM ready_jobs rj WHERE rj.queue_id = $1 AND rj.rules_key = k.rules_key
		ORDER BY rj.place LIMIT 1) FROM keys k WHERE k.rules_key IS NOT NULL`

// ReadyJob is a job that waits for an agent, by what it is chosen.
type ReadyJob struct {
	ID          domain.JobID
	BuildID     domain.BuildID
	Place       int64 // the priority, with the other sign
	ScheduledAt int64
	UploadIndex int64
	RunnableAt  *time.Time
	AvoidsAgent *domain.AgentID
	RulesKey    string
}

var readyJob = selecting(func(c *columns, j *ReadyJob) {
	mapText(c, "rj.job_id", &j.ID)
	mapText(c, "jr.build_id", &j.BuildID)
	mapInt(c, "rj.place", &j.Place)
	mapInt(c, "rj.scheduled_at", &j.ScheduledAt)
	mapInt(c, "rj.upload_index", &j.UploadIndex)
	mapNullTime(c, "rj.runnable_at", &j.RunnableAt)
	mapNullText(c, "rj.avoids_agent", &j.AvoidsAgent)
	mapText(c, "rj.rules_key", &j.RulesKey)
})

// readyJobs adds to its limit: SQLite would plan the statement again for another value of a bare parameter.
var readyJobs = `SELECT ` + readyJob.columns + ` FROM ready_jobs rj JOIN job_runs jr ON jr.job_id = rj.job_id
	WHERE rj.queue_id = $1 AND rj.rules_key = $2 AND jr.state = 'scheduled'
	ORDER BY rj.place, rj.scheduled_at, rj.upload_index, rj.job_id LIMIT $3 + 0`

// ReadyJobs returns the first few jobs of a queue with the same rules that wait for an agent, in the order in which
// they are assigned.
func (tx Tx) ReadyJobs(queue domain.QueueID, rulesKey string, limit int) ([]ReadyJob, error) {
	return selectAll(tx, readyJob.read, readyJobs, queue, rulesKey, limit)
}

// Assignment is a job that is assigned to an agent, and how many times running the agent was offered it.
type Assignment struct {
	Job    domain.JobID
	Agent  domain.AgentID
	Offers int64
}

// AssignJobs stores that jobs are assigned to agents, after it was looked that they wait and that the agents have none:
// both rows are locked.
func (tx Tx) AssignJobs(all []Assignment, at time.Time) error {
	jobs, ids := make([][]any, len(all)), make([]domain.JobID, len(all))
	for i, a := range all {
		event := formatUsualEvent(domain.JobEvent{JobID: a.Job, Type: flow.EventAssigned, At: at, AgentID: &a.Agent})
		jobs[i] = []any{string(a.Job), string(flow.Assigned), listedWithAgent, string(a.Agent), db.Micros(at), event}
		ids[i] = a.Job
	}
	if err := tx.UpdateSet(tx.Later, db.RowSet{Table: "job_runs", Columns: []string{"job_id", "state", "list_state",
		"agent_id", "assigned_at", "events"}, Appended: "events", Rows: jobs}); err != nil {
		return err
	}
	if err := tx.AssignAgents(all); err != nil {
		return err
	}
	return tx.deleteReady(ids)
}

// AssignAgents stores which jobs agents have now, that had none: their rows are locked.
func (tx Tx) AssignAgents(all []Assignment) error {
	rows := make([][]any, len(all))
	for i, a := range all {
		rows[i] = []any{string(a.Agent), string(a.Job), string(a.Job), a.Offers}
	}
	return tx.UpdateSet(tx.Later, db.RowSet{Table: "agents", Columns: []string{"id", "job_id", "offered_job_id", "offers"},
		Rows: rows})
}

// JobWithAgent returns the job that an agent has.
func (tx Tx) JobWithAgent(agent domain.AgentID) (domain.Job, bool, error) {
	return selectOne(tx, wholeJob.read, selectJobWithAgent, agent)
}

var selectJobWithAgent = `SELECT ` + wholeJob.columns + ` FROM ` + jobTables +
	` JOIN agents a ON a.job_id = j.id WHERE a.id = $1`

// TokenJob is what a call with a job's token depends on.
type TokenJob struct {
	ID         domain.JobID
	BuildID    domain.BuildID
	State      flow.JobState
	TokenHash  string
	TokenUntil *time.Time
}

var tokenJob = selecting(func(c *columns, j *TokenJob) {
	mapText(c, "jr.job_id", &j.ID)
	mapText(c, "jr.build_id", &j.BuildID)
	mapText(c, "jr.state", &j.State)
	mapText(c, "jr.token_hash", &j.TokenHash)
	mapNullTime(c, "jr.token_until", &j.TokenUntil)
})

// TokenJob returns the job that a token is for, as far as a call depends on it.
func (tx Tx) TokenJob(hash string) (TokenJob, bool, error) {
	return selectOne(tx, tokenJob.read, selectTokenJob, hash)
}

var selectTokenJob = `SELECT ` + tokenJob.columns + ` FROM job_runs jr WHERE jr.token_hash = $1`

// TokenJobs is TokenJob for several tokens at once. It returns the jobs by their tokens' hashes.
func (tx Tx) TokenJobs(hashes []string) (map[string]TokenJob, error) {
	found := make(map[string]TokenJob, len(hashes))
	err := eachChunk(hashes, func(some []string) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+tokenJob.columns+` FROM job_runs jr WHERE ?`, oneOf(`jr.token_hash`, some)))
		jobs, err := selectAll(tx, tokenJob.read, sql, a.values...)
		for _, j := range jobs {
			found[j.TokenHash] = j
		}
		return err
	})
	return found, err
}

// JobByToken returns the job that a token is for.
func (tx Tx) JobByToken(hash string) (domain.Job, bool, error) {
	return selectOne(tx, wholeJob.read, `SELECT `+wholeJob.columns+` FROM `+jobTables+` WHERE jr.token_hash = $1`, hash)
}

// JobsPastDeadline returns running jobs whose time is over.
func (tx Tx) JobsPastDeadline(now time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsPastDeadline, db.Micros(now), limit)
}

var jobsPastDeadline = `SELECT job_id FROM job_runs WHERE deadline IS NOT NULL AND deadline <= $1
	AND state = 'running'` +
	ifDue(TimeOutJobs, "job_runs.job_id", "$1") + ` ORDER BY deadline LIMIT $2`

// JobsNotTaken returns jobs that were assigned, or accepted, that long ago and not taken further.
func (tx Tx) JobsNotTaken(now, assignedBefore, acceptedBefore time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsNotTaken,
		db.Micros(assignedBefore), db.Micros(acceptedBefore), limit, db.Micros(now))
}

// jobsNotTaken looks at the agents that are there: only those have jobs.
var jobsNotTaken = `SELECT jr.job_id FROM agents a JOIN job_runs jr ON jr.job_id = a.job_id
	WHERE a.state IN ('never_connected', 'connected', 'stopping')
	AND (jr.state = 'assigned' AND jr.assigned_at <= $1 OR jr.state = 'accepted' AND jr.accepted_at <= $2)` +
	ifDue(RequeueJobs, "jr.job_id", "$4") + ` LIMIT $3`

// JobsPastGrace returns jobs that were canceled by force, and whose time to end by themselves is over.
func (tx Tx) JobsPastGrace(now time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsPastGrace, db.Micros(now), limit)
}

var jobsPastGrace = `SELECT job_id FROM job_runs WHERE cancel_grace_until IS NOT NULL AND cancel_grace_until <= $1` +
	ifDue(EndGraces, "job_runs.job_id", "$1") + ` LIMIT $2`

// ExpiredJobs returns jobs that wait for an agent for longer than their pipeline or their organization allows, or than
// a time that goes for all.
func (tx Tx) ExpiredJobs(now, before time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], expiredJobs, db.Micros(before), db.Micros(now), limit)
}

// expiredJobs looks at the jobs that wait, by the indexes that have nothing else: CROSS JOIN lets SQLite begin with
// them. A scheduled job whose queue was deleted is not ready.
var expiredJobs = `SELECT jr.job_id FROM (SELECT rj.job_id FROM ready_jobs rj
		UNION ALL SELECT hr.job_id FROM job_runs hr WHERE hr.list_state IN ('limited', 'limiting', 'reserved')
		UNION ALL SELECT qr.job_id FROM job_runs qr WHERE qr.queue_id IS NULL AND qr.finished_at IS NULL
		AND qr.list_state = 'scheduled') w
	CROSS JOIN job_runs jr JOIN organizations o ON o.id = jr.organization_id
	JOIN jobs j ON j.id = jr.job_id JOIN pipelines p ON p.id = j.pipeline_id
	WHERE jr.job_id = w.job_id AND (jr.created_at <= $1
	OR o.scheduled_job_expiry_in_minutes IS NOT NULL
	AND jr.created_at <= $2 - o.scheduled_job_expiry_in_minutes * 60000000
	OR p.scheduled_job_expiry_in_minutes > 0
	AND jr.created_at <= $2 - p.scheduled_job_expiry_in_minutes * 60000000)` +
	ifDue(ExpireJobs, "jr.job_id", "$2") + ` LIMIT $3`

// GroupsWithRoom returns concurrency groups in which jobs wait for a slot that may be free, or have just begun to.
func (tx Tx) GroupsWithRoom(now time.Time) ([]domain.ConcurrencyGroupID, error) {
	return all(tx, scanID[domain.ConcurrencyGroupID], groupsWithRoom, db.Micros(now))
}

// groupsWithRoom names the states as the indexes do: SQLite uses those only then.
var groupsWithRoom = `SELECT g.id FROM (SELECT jr.concurrency_group_id AS id, MAX(j.concurrency_limit) AS slots,
		MAX(CASE WHEN jr.list_state = 'limiting' THEN 1 ELSE 0 END) AS begins FROM job_runs jr JOIN jobs j ON j.id = jr.job_id
		WHERE jr.list_state IN ('limited', 'limiting', 'reserved') AND jr.list_state IN ('limiting', 'limited')
		AND jr.concurrency_group_id IS NOT NULL GROUP BY jr.concurrency_group_id) g
	WHERE (g.begins = 1 OR g.slots > (SELECT count(*) FROM job_runs jr WHERE jr.concurrency_group_id = g.id
		AND jr.list_state IN ('waiting', 'limiting', 'limited', 'scheduled', 'reserved', 'with_agent')
		AND jr.list_state NOT IN ('waiting', 'limiting', 'limited')))` +
	ifDue(ReleaseGroups, "g.id", "$1") + ` ORDER BY g.id`

// QueueOf returns the queue of a cluster that a job with that key is for; nil is the default queue. Hosted says whether
// hosted agents run its jobs.
func (tx Tx) QueueOf(cluster domain.ClusterID, key *string) (id domain.QueueID, found bool, err error) {
	if key == nil {
		return one(tx, scanID[domain.QueueID],
			`SELECT default_queue_id FROM clusters WHERE id = $1 AND default_queue_id IS NOT NULL`, cluster)
	}
	return one(tx, scanID[domain.QueueID], `SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = $2`, cluster,
		strings.TrimSpace(*key))
}

// TimeoutLimits are how long jobs of a pipeline may run, in minutes; 0 is no limit.
type TimeoutLimits struct {
	PipelineDefault, PipelineMaximum         int64
	OrganizationDefault, OrganizationMaximum int64
}

// Of returns how long a job may run whose step says so many minutes, 0 for nothing; nil: as long as it likes.
func (l TimeoutLimits) Of(minutes int64) *int64 {
	for _, otherwise := range []int64{l.PipelineDefault, l.OrganizationDefault} {
		if minutes == 0 {
			minutes = otherwise
		}
	}
	return l.Cap(minutes)
}

// Cap returns the least of some minutes and the maxima; 0 is no limit, and nil is none at all.
func (l TimeoutLimits) Cap(minutes int64) *int64 {
	for _, most := range []int64{l.PipelineMaximum, l.OrganizationMaximum} {
		if most > 0 && (minutes == 0 || minutes > most) {
			minutes = most
		}
	}
	if minutes == 0 {
		return nil
	}
	return &minutes
}

// TimeoutLimits returns how long jobs of a pipeline may run.
func (tx Tx) TimeoutLimits(pipeline domain.PipelineID) (TimeoutLimits, error) {
	limits, _, err := one(tx, func(r *db.Row) TimeoutLimits { return TimeoutLimits{r.Int(), r.Int(), r.Int(), r.Int()} },
		`SELECT COALESCE(p.default_command_step_timeout, 0), COALESCE(p.maximum_command_step_timeout, 0),
			COALESCE(o.default_timeout_in_minutes, 0), COALESCE(o.maximum_timeout_in_minutes, 0)
			FROM pipelines p JOIN organizations o ON o.id = p.organization_id WHERE p.id = $1`, pipeline)
	return limits, err
}

// JobsOfStep returns all attempts at a step's jobs.
func (tx Tx) JobsOfStep(step domain.StepID) ([]domain.Job, error) {
	return selectAll(tx, wholeJob.read, `SELECT `+wholeJob.columns+` FROM `+jobTables+
		` WHERE j.step_id = $1 ORDER BY j.id`, step)
}
