package store

import (
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/domain/builds"
	"penstock/internal/steps"
)

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
	c.changing()
	mapText(c, "label", &j.Label)
	mapInt(c, "parallel_total", &j.ParallelTotal)
	mapNullText(c, "queue_id", &j.QueueID)
	mapText(c, "state", &j.State)
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
	mapJSON(c, "header_times", &j.HeaderTimes)
	mapInt(c, "log_size", &j.LogSize)
	mapText(c, "log_place", &j.LogPlace)
	mapInt(c, "chunks_failed_count", &j.ChunksFailedCount)
	mapBool(c, "acquired", &j.Acquired)
})

// InsertJob stores a new job.
func (tx Tx) InsertJob(j domain.Job) error { return jobRows.insert(tx.Later, j) }

// UpdateJob stores what has changed about a job that was read for update. Users is who did it, by column: canceled_by, unblocked_by.
func (tx Tx) UpdateJob(before, now *domain.Job, users map[string]domain.UserID) error {
	var also []column
	for _, name := range []string{"canceled_by", "unblocked_by"} {
		if user, ok := users[name]; ok {
			also = append(also, setUser(name, user))
		}
	}
	return jobRows.updateChanged(tx.Later, before, now, also...)
}

// GiveJob is UpdateJob for a job that is given to an agent. It returns db.ErrUnique if the agent has another one.
func (tx Tx) GiveJob(before, now *domain.Job) error {
	return jobRows.updateChanged(tx.exec, before, now)
}

// Job returns a job.
func (tx Tx) Job(id domain.JobID) (domain.Job, bool, error) {
	return selectOne(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.id = $1`, id)
}

// BuildOfJob returns the build that a job belongs to.
func (tx Tx) BuildOfJob(id domain.JobID) (domain.BuildID, bool, error) {
	return one(tx, scanID[domain.BuildID], `SELECT build_id FROM jobs WHERE id = $1`, id)
}

// JobsOfBuild returns the jobs of a build in their order, attempts that were retried among them.
func (tx Tx) JobsOfBuild(build domain.BuildID) ([]domain.Job, error) {
	return selectAll(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.build_id = $1 ORDER BY j.position, j.upload_index, j.id`, build)
}

// InsertJobEvent stores what happened to a job.
func (tx Tx) InsertJobEvent(e domain.JobEvent) error {
	return insertInto(tx.Later, "job_events", set("id", e.ID), set("job_id", e.JobID), set("type", string(e.Type)), set("at", db.Micros(e.At)),
		setPointer("agent_id", e.AgentID), setPointer("user_id", e.UserID))
}

// setPointer is a column that has a text, or null.
func setPointer[S ~string](name string, value *S) column {
	if value == nil {
		return set(name, nil)
	}
	return set(name, string(*value))
}

// EnsureConcurrencyGroup returns the id of an organization's concurrency group.
func (tx Tx) EnsureConcurrencyGroup(organization domain.OrganizationID, name string) (domain.ConcurrencyGroupID, error) {
	find := func() (domain.ConcurrencyGroupID, bool, error) {
		return one(tx, scanID[domain.ConcurrencyGroupID], `SELECT id FROM concurrency_groups WHERE organization_id = $1 AND name = $2`, organization, name)
	}
	id, found, err := find()
	if found || err != nil {
		return id, err
	}
	err = tx.exec(`INSERT INTO concurrency_groups (id, organization_id, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		domain.NewID[domain.ConcurrencyGroupID](), organization, name)
	if err != nil {
		return "", err
	}
	id, _, err = find()
	return id, err
}

// ConcurrencyGroupName returns the name of a concurrency group.
func (tx Tx) ConcurrencyGroupName(id domain.ConcurrencyGroupID) (string, bool, error) {
	return one(tx, scanID[string], `SELECT name FROM concurrency_groups WHERE id = $1`, id)
}

// QueuedInGroup returns the jobs of a concurrency group that wait for a slot or hold one, and those that wait for other steps and keep their place.
// Behind a block that waits for a person nobody does.
func (tx Tx) QueuedInGroup(id domain.ConcurrencyGroupID) ([]builds.Queued, error) {
	return all(tx, func(r *db.Row) builds.Queued {
		q := builds.Queued{ID: r.Text(), Since: r.Int(), Position: int(r.Int()), Priority: int(r.Int()), Limit: int(r.Int()),
			Method: steps.ConcurrencyMethod(r.Text()), Build: r.Text()}
		state := builds.JobState(r.Text())
		q.Holds, q.Waits = state.HoldsSlot(), state == builds.Waiting
		return q
	}, `SELECT j.id, j.queued_at, j.upload_index, j.priority, j.concurrency_limit, j.concurrency_method, j.build_id, j.state FROM jobs j WHERE j.concurrency_group_id = $1
		AND j.state IN ('waiting', 'limiting', 'limited', 'scheduled', 'reserved', 'assigned', 'accepted', 'running', 'canceling', 'timing_out')
		AND NOT (j.state = 'waiting' AND EXISTS (SELECT 1 FROM jobs m WHERE m.build_id = j.build_id AND m.state = 'blocked' AND (m.kind = 'block' AND m.position < j.position
			OR m.kind = 'input' AND EXISTS (SELECT 1 FROM step_dependencies sd WHERE sd.step_id = j.step_id AND sd.on_step_id = m.step_id))))`, id)
}

// LimitedJobs returns those of the jobs that still wait for a slot, which nobody else changes until the transaction ends. Those that somebody
// else changes now are left out.
func (tx Tx) LimitedJobs(ids []string) (jobs []domain.Job, err error) {
	err = eachChunk(ids, func(some []string) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+jobRows.columns+` FROM jobs j WHERE ? AND j.state IN ('limiting', 'limited') ORDER BY j.id`, oneOf(`j.id`, some)))
		found, err := selectAll(tx, jobRows.read, sql+tx.SkipLocked(), a.values...)
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

// ScheduledRuleSets returns which rules the scheduled jobs of a queue have. It looks at one job for each.
func (tx Tx) ScheduledRuleSets(queue domain.QueueID) ([]RuleSet, error) {
	return selectAll(tx, func(c *columns, s *RuleSet) {
		mapText(c, "rules_key", &s.Key)
		mapJSON(c, "agent_rules", &s.Rules)
	}, scheduledRuleSets, queue)
}

const scheduledRuleSets = `WITH RECURSIVE keys (rules_key) AS (
		SELECT min(rules_key) FROM jobs WHERE queue_id = $1 AND state = 'scheduled'
		UNION ALL SELECT (SELECT min(j.rules_key) FROM jobs j WHERE j.queue_id = $1 AND j.state = 'scheduled' AND j.rules_key > k.rules_key) FROM keys k WHERE k.rules_key IS NOT NULL
	) SELECT k.rules_key, (SELECT j.agent_rules FROM jobs j WHERE j.queue_id = $1 AND j.state = 'scheduled' AND j.rules_key = k.rules_key LIMIT 1)
	FROM keys k WHERE k.rules_key IS NOT NULL`

// ScheduledJob is what a scheduled job is chosen by.
type ScheduledJob struct {
	ID               domain.JobID
	BuildID          domain.BuildID
	Priority         int64
	ScheduledAt      time.Time
	UploadIndex      int64
	RunnableAt       *time.Time
	RetryAvoidsAgent *domain.AgentID
}

var scheduledJob = selecting(func(c *columns, j *ScheduledJob) {
	mapText(c, "j.id", &j.ID)
	mapText(c, "j.build_id", &j.BuildID)
	mapInt(c, "j.priority", &j.Priority)
	mapTime(c, "j.scheduled_at", &j.ScheduledAt)
	mapInt(c, "j.upload_index", &j.UploadIndex)
	mapNullTime(c, "j.runnable_at", &j.RunnableAt)
	mapNullText(c, "j.retry_avoids_agent", &j.RetryAvoidsAgent)
})

var firstScheduled = `SELECT ` + scheduledJob.columns + ` FROM jobs j WHERE j.queue_id = $1 AND j.state = 'scheduled' AND j.rules_key = $2
	ORDER BY j.priority DESC, j.scheduled_at, j.upload_index, j.id LIMIT $3`

// FirstScheduled returns the first few scheduled jobs of a queue with the same rules, in the order in which they are to be handed out. Those that
// somebody else is just being given are left out.
func (tx Tx) FirstScheduled(queue domain.QueueID, rulesKey string, limit int) ([]ScheduledJob, error) {
	return selectAll(tx, scheduledJob.read, firstScheduled+tx.SkipLocked(), queue, rulesKey, limit)
}

// JobWithAgent returns the job that an agent has.
func (tx Tx) JobWithAgent(agent domain.AgentID) (domain.Job, bool, error) {
	return selectOne(tx, jobRows.read, selectJobWithAgent, agent)
}

var selectJobWithAgent = `SELECT ` + jobRows.columns + ` FROM jobs j WHERE j.agent_id = $1 AND j.state IN ('assigned', 'accepted', 'running', 'canceling', 'timing_out')`

// TokenJob is what a call with a job's token depends on.
type TokenJob struct {
	ID         domain.JobID
	BuildID    domain.BuildID
	State      builds.JobState
	TokenUntil *time.Time
}

var tokenJob = selecting(func(c *columns, j *TokenJob) {
	mapText(c, "j.id", &j.ID)
	mapText(c, "j.build_id", &j.BuildID)
	mapText(c, "j.state", &j.State)
	mapNullTime(c, "j.token_until", &j.TokenUntil)
})

// TokenJob returns the job that a token is for, as far as a call depends on it.
func (tx Tx) TokenJob(hash string) (TokenJob, bool, error) {
	return selectOne(tx, tokenJob.read, selectTokenJob, hash)
}

var selectTokenJob = `SELECT ` + tokenJob.columns + ` FROM jobs j WHERE j.token_hash = $1`

// JobByToken returns the job that a token is for.
func (tx Tx) JobByToken(hash string) (domain.Job, bool, error) {
	return selectOne(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.token_hash = $1`, hash)
}

// JobsPastDeadline returns running jobs whose time is over.
func (tx Tx) JobsPastDeadline(now time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsPastDeadline, db.Micros(now), limit)
}

const jobsPastDeadline = `SELECT id FROM jobs WHERE state = 'running' AND deadline IS NOT NULL AND deadline <= $1 ORDER BY deadline LIMIT $2`

// JobsNotTaken returns jobs that were assigned, or accepted, that long ago and not taken further.
func (tx Tx) JobsNotTaken(assignedBefore, acceptedBefore time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsNotTaken, db.Micros(assignedBefore), db.Micros(acceptedBefore), limit)
}

// jobsNotTaken names the states as the index does: SQLite uses it only then.
const jobsNotTaken = `SELECT id FROM jobs WHERE state IN ('assigned', 'accepted')
	AND (state = 'assigned' AND assigned_at <= $1 OR state = 'accepted' AND accepted_at <= $2) LIMIT $3`

// JobsPastGrace returns jobs that were canceled by force, and whose time to end by themselves is over.
func (tx Tx) JobsPastGrace(now time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsPastGrace, db.Micros(now), limit)
}

const jobsPastGrace = `SELECT id FROM jobs WHERE cancel_grace_until IS NOT NULL AND cancel_grace_until <= $1 LIMIT $2`

// ExpiredJobs returns jobs that wait for an agent for longer than their organization allows, or than a time that goes for all.
func (tx Tx) ExpiredJobs(now, before time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], expiredJobs, db.Micros(before), db.Micros(now), limit)
}

const expiredJobs = `SELECT j.id FROM jobs j JOIN organizations o ON o.id = j.organization_id WHERE j.state IN ('scheduled', 'limited', 'limiting', 'reserved')
	AND (j.created_at <= $1 OR o.scheduled_job_expiry_in_minutes IS NOT NULL AND j.created_at <= $2 - o.scheduled_job_expiry_in_minutes * 60000000) LIMIT $3`

// WaitingGroups returns the concurrency groups in which jobs wait for a slot.
func (tx Tx) WaitingGroups() ([]domain.ConcurrencyGroupID, error) {
	return all(tx, scanID[domain.ConcurrencyGroupID], waitingGroups)
}

// waitingGroups names the states as the index of waiting jobs does: SQLite uses it only then.
const waitingGroups = `SELECT DISTINCT concurrency_group_id FROM jobs WHERE state IN ('scheduled', 'limited', 'limiting', 'reserved')
	AND state IN ('limiting', 'limited') AND concurrency_group_id IS NOT NULL`

// QueueOf returns the queue of a cluster that a job with that key is for; nil is the default queue. Hosted says whether hosted agents run its jobs.
func (tx Tx) QueueOf(cluster domain.ClusterID, key *string) (id domain.QueueID, found bool, err error) {
	if key == nil {
		return one(tx, scanID[domain.QueueID], `SELECT default_queue_id FROM clusters WHERE id = $1 AND default_queue_id IS NOT NULL`, cluster)
	}
	return one(tx, scanID[domain.QueueID], `SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = $2`, cluster, strings.TrimSpace(*key))
}

// AssignJob stores that a job, which was read for update, is assigned to an agent.
func (tx Tx) AssignJob(id domain.JobID, agent domain.AgentID, at time.Time) error {
	return tx.exec(`UPDATE jobs SET state = 'assigned', agent_id = $1, assigned_at = $2 WHERE id = $3`, agent, db.Micros(at), id)
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
	return selectAll(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.step_id = $1 ORDER BY j.id`, step)
}
