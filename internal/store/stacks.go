package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

var stackRows = tableOf("stacks", "st", func(c *columns, s *domain.Stack) {
	mapText(c, "id", &s.ID)
	mapText(c, "organization_id", &s.OrganizationID)
	mapText(c, "key", &s.Key)
	mapTime(c, "created_at", &s.CreatedAt)
	c.changing()
	mapText(c, "cluster_id", &s.ClusterID)
	mapText(c, "queue_id", &s.QueueID)
	mapText(c, "type", &s.Type)
	mapJSON(c, "metadata", &s.Metadata)
	mapTime(c, "connected_at", &s.ConnectedAt)
	mapNullTime(c, "disconnected_at", &s.DisconnectedAt)
})

// Stack returns the stack of an organization that has the key.
func (tx Tx) Stack(organization domain.OrganizationID, key string) (domain.Stack, bool, error) {
	return selectOne(tx, stackRows.read, `SELECT `+stackRows.columns+
		` FROM stacks st WHERE st.organization_id = $1 AND st.key = $2`, organization, key)
}

// StacksOfQueue returns the stacks of a queue, by key.
func (tx Tx) StacksOfQueue(queue domain.QueueID, limit int) ([]domain.Stack, error) {
	return selectAll(tx, stackRows.read, `SELECT `+stackRows.columns+
		` FROM stacks st WHERE st.queue_id = $1 ORDER BY st.key LIMIT $2`, queue, limit)
}

// SaveStack stores a stack, new or changed. One that another request made meanwhile is changed.
func (tx Tx) SaveStack(s domain.Stack) (domain.Stack, error) {
	metadata, err := jsonOf(&s.Metadata).stored("metadata")
	if err != nil {
		return s, err
	}
	err = tx.exec(`INSERT INTO stacks (id, organization_id, key, created_at, cluster_id, queue_id, type, metadata,
		connected_at, disconnected_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL) ON CONFLICT (organization_id, key) DO UPDATE
		SET cluster_id = excluded.cluster_id,
		queue_id = excluded.queue_id, type = excluded.type, metadata = excluded.metadata,
		connected_at = excluded.connected_at, disconnected_at = NULL`,
		s.ID, s.OrganizationID, s.Key, db.Micros(s.CreatedAt), s.ClusterID, s.QueueID, s.Type, metadata,
		db.Micros(s.ConnectedAt))
	if err != nil {
		return s, err
	}
	saved, _, err := tx.Stack(s.OrganizationID, s.Key)
	return saved, err
}

// TouchStack stores when a stack was heard.
func (tx Tx) TouchStack(id domain.StackID, at time.Time) error {
	return tx.exec(`UPDATE stacks SET connected_at = $2 WHERE id = $1`, id, db.Micros(at))
}

// DisconnectStack stores that a stack has ended.
func (tx Tx) DisconnectStack(id domain.StackID, at time.Time) error {
	return tx.exec(`UPDATE stacks SET disconnected_at = $2 WHERE id = $1`, id, db.Micros(at))
}

// WaitingJob is a job that waits for an agent, as a stack sees it.
type WaitingJob struct {
	ID           domain.JobID
	Priority     int64
	AgentRules   []string
	ScheduledAt  time.Time
	PipelineSlug string
	PipelineID   domain.PipelineID
	BuildNumber  int64
	BuildBranch  string
	BuildID      domain.BuildID
	StepKey      *string
}

var waitingJob = selecting(func(c *columns, j *WaitingJob) {
	mapText(c, "rj.job_id", &j.ID)
	mapInt(c, "-rj.place", &j.Priority)
	mapJSON(c, "rj.agent_rules", &j.AgentRules)
	mapTime(c, "rj.scheduled_at", &j.ScheduledAt)
	mapText(c, "p.slug", &j.PipelineSlug)
	mapText(c, "p.id", &j.PipelineID)
	mapInt(c, "b.number", &j.BuildNumber)
	mapText(c, "b.branch", &j.BuildBranch)
	mapText(c, "b.id", &j.BuildID)
	mapNullText(c, "bs.step_key", &j.StepKey)
})

// waitingJobs reads along ready_jobs_oldest.
var waitingJobs = `SELECT ` + waitingJob.columns + ` FROM ready_jobs rj JOIN jobs j ON j.id = rj.job_id
	JOIN builds b ON b.id = j.build_id
	JOIN pipelines p ON p.id = j.pipeline_id LEFT JOIN build_steps bs ON bs.id = j.step_id
	WHERE rj.queue_id = $1 AND (rj.scheduled_at, rj.job_id) > ($2, $3) ORDER BY rj.scheduled_at, rj.job_id LIMIT $4`

// WaitingJobs returns jobs of a queue that wait for an agent, the oldest first, behind the one that was scheduled at a
// time and has an id.
func (tx Tx) WaitingJobs(queue domain.QueueID, afterTime time.Time, afterID domain.JobID,
	limit int) ([]WaitingJob, error) {
	after := int64(-1)
	if !afterTime.IsZero() {
		after = db.Micros(afterTime)
	}
	return selectAll(tx, waitingJob.read, waitingJobs, queue, after, afterID, limit)
}

// ReservableJob is a job that a stack may reserve, or has reserved.
type ReservableJob struct {
	ID       domain.JobID
	BuildID  domain.BuildID
	Reserved bool
}

// LockReservableJobs returns those of the jobs that wait for an agent in a queue of the cluster from which jobs are
// handed out, or that the stack has reserved. Nobody else changes them until the transaction ends; those that somebody
// else changes now are left out.
func (tx Tx) LockReservableJobs(cluster domain.ClusterID, stack domain.StackID, ids []domain.JobID) (
	found []ReservableJob, err error) {
	err = eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT jr.job_id, jr.build_id, jr.state FROM job_runs jr
			JOIN cluster_queues q ON q.id = jr.queue_id
			WHERE ? AND q.cluster_id = ? AND (jr.state = 'scheduled' AND q.dispatch_paused_at IS NULL OR jr.state = 'reserved'
			AND jr.reserved_by = ?) ORDER BY jr.job_id`,
			oneOf(`jr.job_id`, some), cluster, stack))
		return tx.Query(sql+tx.andLockFreeOf("jr"), func(r *db.Row) error {
			found = append(found, ReservableJob{ID: domain.JobID(r.Text()), BuildID: domain.BuildID(r.Text()),
				Reserved: flow.JobState(r.Text()) == flow.Reserved})
			return nil
		}, a.values...)
	})
	return found, err
}

// ReserveJobs stores that a stack has reserved jobs, which are locked.
func (tx Tx) ReserveJobs(stack domain.StackID, ids []domain.JobID, until time.Time) error {
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{string(id), string(flow.Reserved), string(flow.Reserved), string(stack), db.Micros(until)}
	}
	if err := tx.UpdateSet(tx.Later, db.RowSet{Table: "job_runs", Columns: []string{"job_id", "state", "list_state",
		"reserved_by", "reserved_until"}, Rows: rows}); err != nil {
		return err
	}
	return tx.deleteReady(ids)
}

// JobsPastReservation returns jobs whose stack has not started them in time.
func (tx Tx) JobsPastReservation(now time.Time, limit int) ([]domain.JobID, error) {
	return all(tx, scanID[domain.JobID], jobsPastReservation, db.Micros(now), limit)
}

var jobsPastReservation = `SELECT job_id FROM job_runs WHERE reserved_until IS NOT NULL AND reserved_until <= $1` +
	ifDue(EndReservations, "job_runs.job_id", "$1") + ` ORDER BY reserved_until LIMIT $2`

// JobStatesInCluster returns the states of those of the jobs that are of a cluster.
func (tx Tx) JobStatesInCluster(cluster domain.ClusterID, ids []domain.JobID) (map[domain.JobID]flow.JobState, error) {
	states := map[domain.JobID]flow.JobState{}
	err := eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		sql := a.write(
			clauseOf(`SELECT jr.job_id, jr.state FROM job_runs jr JOIN jobs j ON j.id = jr.job_id WHERE ? AND j.cluster_id = ?`,
				oneOf(`jr.job_id`, some), cluster))
		return tx.Query(sql, func(r *db.Row) error {
			id := domain.JobID(r.Text())
			states[id] = flow.JobState(r.Text())
			return nil
		}, a.values...)
	})
	return states, err
}

// CountNotifications returns how many notifications of stacks jobs have.
func (tx Tx) CountNotifications(ids []domain.JobID) (map[domain.JobID]int, error) {
	counts := map[domain.JobID]int{}
	err := eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		sql := a.write(
			clauseOf(`SELECT job_id, count(*) FROM job_events WHERE ? AND type = 'STACK_NOTIFICATION' GROUP BY job_id`,
				oneOf(`job_id`, some)))
		return tx.Query(sql, func(r *db.Row) error {
			id := domain.JobID(r.Text())
			counts[id] = int(r.Int())
			return nil
		}, a.values...)
	})
	return counts, err
}

// StackNotifications returns what stacks said of a job last, the newest first.
func (tx Tx) StackNotifications(job domain.JobID, limit int) ([]domain.JobEvent, error) {
	return all(tx, func(r *db.Row) domain.JobEvent {
		detail := r.Text()
		return domain.JobEvent{JobID: job, Type: flow.EventStackNotification, Detail: &detail, At: r.Time()}
	}, `SELECT detail, at FROM job_events WHERE job_id = $1 AND type = 'STACK_NOTIFICATION' AND detail IS NOT NULL
		ORDER BY at DESC, id DESC LIMIT $2`, job, limit)
}
