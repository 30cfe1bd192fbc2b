package store

import "penstock/internal/domain"

// JobForUpdate returns a job that nobody else changes until the transaction ends.
func (tx Tx) JobForUpdate(id domain.JobID) (domain.Job, bool, error) {
	return selectOne(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.id = $1`+tx.ForUpdate(), id)
}

// NewestJobsOfStep returns the newest attempts at a step's jobs, which nobody else changes until the transaction ends.
func (tx Tx) NewestJobsOfStep(step domain.StepID) ([]domain.Job, error) {
	return selectAll(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.step_id = $1 AND j.retried_by_id IS NULL ORDER BY j.id`+tx.ForUpdate(), step)
}

// OpenJobsOfBuild returns the newest attempts of a build that have not ended, which nobody else changes until the transaction ends.
func (tx Tx) OpenJobsOfBuild(build domain.BuildID) ([]domain.Job, error) {
	return selectAll(tx, jobRows.read, `SELECT `+jobRows.columns+` FROM jobs j WHERE j.build_id = $1 AND j.retried_by_id IS NULL
		AND j.state NOT IN ('waiting_failed', 'blocked_failed', 'unblocked', 'unblocked_failed', 'finished', 'canceled', 'timed_out', 'expired', 'skipped', 'broken')
		ORDER BY j.position, j.upload_index, j.id`+tx.ForUpdate(), build)
}

// AgentForUpdate returns an agent that nobody else changes until the transaction ends.
func (tx Tx) AgentForUpdate(id domain.AgentID) (domain.Agent, bool, error) {
	return selectOne(tx, agentRows.read, `SELECT `+agentRows.columns+` FROM agents a WHERE a.id = $1`+tx.ForUpdate(), id)
}

// LockJobLog is JobLog for a log that nobody else changes until the transaction ends.
func (tx Tx) LockJobLog(id domain.JobID) (JobLog, bool, error) {
	return selectOne(tx, jobLog.read, `SELECT `+jobLog.columns+` FROM jobs j WHERE j.id = $1`+tx.ForUpdate(), id)
}

// LockJobLogByToken is JobLogByToken for a log that nobody else changes until the transaction ends.
func (tx Tx) LockJobLogByToken(hash string) (JobLog, bool, error) {
	return selectOne(tx, jobLog.read, `SELECT `+jobLog.columns+` FROM jobs j WHERE j.token_hash = $1`+tx.ForUpdate(), hash)
}

// ArtifactsForUpdate returns artifacts by their ids, in the order of these, which nobody else changes until the transaction ends.
func (tx Tx) ArtifactsForUpdate(ids []domain.ArtifactID) ([]domain.Artifact, error) {
	return tx.artifacts(ids, tx.ForUpdate())
}
