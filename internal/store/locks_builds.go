package store

import (
	"fmt"
	"slices"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// LockBuild prevents others from changing the build, or which states its jobs are in, until the transaction ends, and
// returns it. Jobs are assigned to agents without it: see JobForUpdate.
func (tx Tx) LockBuild(id domain.BuildID) (domain.Build, bool, error) {
	if err := tx.locks.acquire(buildLock, string(id)); err != nil {
		return domain.Build{}, false, err
	}
	return selectOne(tx, buildRows.read, `SELECT `+buildRows.columns+` FROM builds b WHERE b.id = $1`+tx.ForUpdate(), id)
}

// LockBuilds locks builds, whose ids are sorted, and returns those that there are. With skipLocked, those are left out
// that somebody else has locked.
func (tx Tx) LockBuilds(ids []domain.BuildID, skipLocked bool) (found []domain.Build, err error) {
	if len(ids) == 1 && !skipLocked {
		b, ok, err := tx.LockBuild(ids[0])
		if !ok {
			return nil, err
		}
		return []domain.Build{b}, err
	}
	how := tx.ForUpdate()
	if skipLocked {
		how = tx.andLockFree()
	}
	err = eachChunk(ids, func(some []domain.BuildID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+buildRows.columns+` FROM builds b WHERE ? ORDER BY b.id`, oneOf(`b.id`, some)))
		rows, err := selectAll(tx, buildRows.read, sql+how, a.values...)
		for i := range rows {
			if err == nil {
				err = tx.locks.acquire(buildLock, string(rows[i].ID))
			}
		}
		found = append(found, rows...)
		return err
	})
	return found, err
}

// acquireJob records that the transaction locks a job. Who locks several jobs of a build has locked the build, so that
// their order does not matter; without that, a transaction locks one job only.
func (o *lockOrder) acquireJob(build domain.BuildID, job domain.JobID) error {
	if o == nil {
		return errLockInRead
	}
	next := lock{jobLock, string(job)}
	switch {
	case o.held[next]:
		return nil
	case !o.held[lock{buildLock, string(build)}] && o.last.kind == jobLock:
		return fmt.Errorf("%w: job %s after another one, and without its build", ErrLockOrder, job)
	case o.last.kind == jobLock: // in any order
		o.hold(next)
		return nil
	}
	return o.acquire(jobLock, string(job))
}

// JobForUpdate returns a job that nobody else changes until the transaction ends.
func (tx Tx) JobForUpdate(id domain.JobID) (domain.Job, bool, error) {
	j, found, err := selectOne(tx, wholeJob.read, `SELECT `+wholeJob.columns+` FROM `+jobTables+` WHERE j.id = $1`+
		tx.ForUpdateOf("jr"), id)
	if err == nil && found {
		err = tx.locks.acquireJob(j.BuildID, j.ID)
	}
	return j, found, err
}

// JobsForUpdate is JobForUpdate for several jobs, in the order of their ids.
func (tx Tx) JobsForUpdate(ids []domain.JobID) (jobs []domain.Job, err error) {
	err = eachChunk(ids, func(some []domain.JobID) error {
		found, err := tx.lockJobs(oneOf(`j.id`, some), `j.id`)
		jobs = append(jobs, found...)
		return err
	})
	return jobs, err
}

// lockJobs returns the jobs for which a condition holds, which nobody else changes until the transaction ends.
func (tx Tx) lockJobs(condition clause, order string) ([]domain.Job, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT `+wholeJob.columns+` FROM `+jobTables+` WHERE ? ORDER BY `+order, condition))
	jobs, err := selectAll(tx, wholeJob.read, sql+tx.ForUpdateOf("jr"), a.values...)
	for i := range jobs {
		if err == nil {
			err = tx.locks.acquireJob(jobs[i].BuildID, jobs[i].ID)
		}
	}
	return jobs, err
}

// NewestJobsOfSteps returns the newest attempts at the jobs of steps, which nobody else changes until the transaction
// ends.
func (tx Tx) NewestJobsOfSteps(steps []domain.StepID) (jobs []domain.Job, err error) {
	err = eachChunk(steps, func(some []domain.StepID) error {
		found, err := tx.lockJobs(clauseOf(`? AND jr.retried_by_id IS NULL`, oneOf(`j.step_id`, some)), `j.id`)
		jobs = append(jobs, found...)
		return err
	})
	return jobs, err
}

// NewestJobsOfBuild returns the newest attempts of a build in their order, which nobody else changes until the
// transaction ends.
func (tx Tx) NewestJobsOfBuild(build domain.BuildID) ([]domain.Job, error) {
	return tx.lockJobs(clauseOf(`j.build_id = ? AND jr.retried_by_id IS NULL`, build), `j.position, j.upload_index, j.id`)
}

// OpenJobsOfBuild returns the newest attempts of a build that have not ended, which nobody else changes until the
// transaction ends.
func (tx Tx) OpenJobsOfBuild(build domain.BuildID) ([]domain.Job, error) {
	return tx.lockJobs(clauseOf(`j.build_id = ? AND jr.retried_by_id IS NULL
		AND jr.state NOT IN ('waiting_failed', 'blocked_failed', 'unblocked',
		'unblocked_failed', 'finished', 'canceled', 'timed_out', 'expired', 'skipped',
		'broken')`, build), `j.position, j.upload_index, j.id`)
}

// LockReadyJobs returns those of the jobs that still wait for an agent, with their builds, which nobody else changes
// until the transaction ends. Those that somebody else changes now are left out.
func (tx Tx) LockReadyJobs(ids []domain.JobID) (map[domain.JobID]domain.BuildID, error) {
	ready := map[domain.JobID]domain.BuildID{}
	err := eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		sql := a.write(
			clauseOf(`SELECT jr.job_id, jr.build_id FROM job_runs jr WHERE ? AND jr.state = 'scheduled' ORDER BY jr.job_id`,
				oneOf(`jr.job_id`, some)))
		return tx.Query(sql+tx.andLockFree(), func(r *db.Row) error {
			id := domain.JobID(r.Text())
			ready[id] = domain.BuildID(r.Text())
			return nil
		}, a.values...)
	})
	return ready, err
}

// JobWithStep is a job with its step.
type JobWithStep struct {
	Job  domain.Job
	Step domain.Step
}

var jobWithStep = selecting(func(c *columns, j *JobWithStep) {
	visitJob(c, &j.Job)
	stepRows.visit(c, &j.Step)
})

// JobsWithSteps returns jobs by their ids, which nobody else changes until the transaction ends, with their steps.
// Their builds are locked.
func (tx Tx) JobsWithSteps(ids []domain.JobID) (jobs []JobWithStep, err error) {
	err = eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+jobWithStep.columns+` FROM `+jobTables+
			` JOIN build_steps bs ON bs.id = j.step_id WHERE ? ORDER BY j.id`, oneOf(`j.id`, some)))
		found, err := selectAll(tx, jobWithStep.read, sql+tx.ForUpdateOf("jr"), a.values...)
		for i := range found {
			if err == nil {
				err = tx.locks.acquireJob(found[i].Job.BuildID, found[i].Job.ID)
			}
		}
		jobs = append(jobs, found...)
		return err
	})
	return jobs, err
}

// JobToAccept is a job with its step and its build.
type JobToAccept struct {
	JobWithStep
	Build domain.Build
}

var jobToAccept = selecting(func(c *columns, j *JobToAccept) {
	visitJob(c, &j.Job)
	stepRows.visit(c, &j.Step)
	buildRows.visit(c, &j.Build)
})

// LockJobsToAccept returns jobs by their ids, which nobody else changes until the transaction ends, with their steps
// and builds. With skipLocked, those are left out that somebody else has locked; without, it is for one job.
func (tx Tx) LockJobsToAccept(ids []domain.JobID, skipLocked bool) (jobs []JobToAccept, err error) {
	err = eachChunk(ids, func(some []domain.JobID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+jobToAccept.columns+` FROM `+jobTables+` JOIN build_steps bs ON bs.id = j.step_id
			JOIN builds b ON b.id = j.build_id
			WHERE ? ORDER BY j.id`, oneOf(`j.id`, some)))
		how := tx.ForUpdateOf("jr")
		if skipLocked {
			how = tx.andLockFreeOf("jr")
		}
		found, err := selectAll(tx, jobToAccept.read, sql+how, a.values...)
		for i := range found {
			if err == nil && !skipLocked {
				err = tx.locks.acquireJob(found[i].Job.BuildID, found[i].Job.ID)
			}
		}
		jobs = append(jobs, found...)
		return err
	})
	return jobs, err
}

// LockJobLog is JobLog for a log that nobody else changes until the transaction ends.
func (tx Tx) LockJobLog(id domain.JobID) (JobLog, bool, error) {
	if err := tx.locks.acquire(jobLogLock, string(id)); err != nil {
		return JobLog{}, false, err
	}
	if _, err := tx.has(`SELECT job_id FROM job_logs WHERE job_id = $1`+tx.ForUpdate(), id); err != nil {
		return JobLog{}, false, err
	}
	return tx.JobLog(id)
}

// ArtifactsForUpdate returns artifacts by their ids, in the order of these, which nobody else changes until the
// transaction ends.
func (tx Tx) ArtifactsForUpdate(ids []domain.ArtifactID) ([]domain.Artifact, error) {
	found, err := tx.artifacts(slices.Sorted(slices.Values(ids)), tx.ForUpdate())
	for i := range found {
		if err == nil {
			err = tx.locks.acquire(artifactLock, string(found[i].ID))
		}
	}
	return found, err
}

// LockConcurrencyGroup prevents others from deciding which jobs of a group may go until the transaction ends.
func (tx Tx) LockConcurrencyGroup(id domain.ConcurrencyGroupID) error {
	_, err := tx.lockRow(concurrencyGroupLock, string(id), `SELECT 1 FROM concurrency_groups WHERE id = $1`, id)
	return err
}

// LockIdleAgents returns those of the agents that have no job, which nobody else changes until the transaction ends.
func (tx Tx) LockIdleAgents(ids []domain.AgentID) (map[domain.AgentID]bool, error) {
	idle := map[domain.AgentID]bool{}
	err := eachChunk(ids, func(some []domain.AgentID) error {
		var a arguments
		sql := a.write(
			clauseOf(`SELECT a.id FROM agents a WHERE ? AND a.job_id IS NULL AND a.state = 'connected' ORDER BY a.id`,
				oneOf(`a.id`, some)))
		found, err := all(tx, scanID[domain.AgentID], sql+tx.ForUpdate(), a.values...)
		for _, id := range found {
			if err == nil {
				err = tx.locks.acquire(agentLock, string(id))
			}
			idle[id] = true
		}
		return err
	})
	return idle, err
}

// AgentForUpdate returns an agent that nobody else changes until the transaction ends.
func (tx Tx) AgentForUpdate(id domain.AgentID) (domain.Agent, bool, error) {
	if err := tx.locks.acquire(agentLock, string(id)); err != nil {
		return domain.Agent{}, false, err
	}
	return selectOne(tx, agentRows.read, `SELECT `+agentRows.columns+` FROM agents a WHERE a.id = $1`+tx.ForUpdate(), id)
}
