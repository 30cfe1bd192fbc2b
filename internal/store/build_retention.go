package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// OrganizationsThatDeleteBuilds returns the organizations that keep their finished builds for a number of days only.
func (tx Tx) OrganizationsThatDeleteBuilds() ([]domain.OrganizationID, error) {
	return all(tx, scanID[domain.OrganizationID], `SELECT id FROM organizations WHERE build_retention_days IS NOT NULL ORDER BY id`)
}

// DeleteOldBuilds deletes builds of an organization that ended longer ago than it keeps them, the oldest first, and returns their ids: at most a
// number of builds, which have at most a number of jobs unless it is one build alone. More says whether others may be left. Builds that somebody
// changes at the moment are left out.
func (tx Tx) DeleteOldBuilds(organization domain.OrganizationID, now time.Time, limit, jobs int64) (deleted []domain.BuildID, more bool, err error) {
	days, found, err := one(tx, (*db.Row).Int, `SELECT build_retention_days FROM organizations WHERE id = $1 AND build_retention_days IS NOT NULL`, organization)
	if err != nil || !found {
		return nil, false, err
	}
	type oldBuild struct {
		id   domain.BuildID
		jobs int64
	}
	old, err := all(tx, func(r *db.Row) oldBuild { return oldBuild{domain.BuildID(r.Text()), r.Int()} },
		oldBuilds+tx.SkipLocked(), organization, db.Micros(now.AddDate(0, 0, -int(days))), limit)
	if err != nil || len(old) == 0 {
		return nil, false, err
	}
	for _, b := range old {
		if jobs -= b.jobs; jobs < 0 && len(deleted) > 0 {
			break
		}
		deleted = append(deleted, b.id)
	}
	more = len(deleted) < len(old) || int64(len(old)) == limit
	if err := tx.deleteBlobsOf(oneOf(`j.build_id`, deleted), oneOf(`ar.build_id`, deleted)); err != nil {
		return nil, false, err
	}
	var a arguments
	return deleted, more, tx.exec(`DELETE FROM builds WHERE `+a.write(oneOf(`id`, deleted)), a.values...)
}

const oldBuilds = `SELECT id, jobs_made FROM builds WHERE organization_id = $1 AND finished_at IS NOT NULL AND finished_at <= $2 ORDER BY finished_at LIMIT $3`

// OldAgents returns some agents that have been away since before a time, and that ran no job that is kept.
func (tx Tx) OldAgents(before time.Time, limit int64) ([]domain.AgentID, error) {
	return all(tx, scanID[domain.AgentID], oldAgents, db.Micros(before), limit)
}

const oldAgents = `SELECT a.id FROM agents a WHERE a.state IN ('disconnected', 'stopped', 'lost')
	AND COALESCE(a.disconnected_at, a.stopped_at, a.lost_at, a.created_at) <= $1 AND NOT EXISTS (SELECT 1 FROM job_runs jr WHERE jr.agent_id = a.id) LIMIT $2`

// DeleteAgents deletes agents that are away.
func (tx Tx) DeleteAgents(ids []domain.AgentID) error {
	var a, h arguments
	if err := tx.exec(`DELETE FROM agents WHERE `+a.write(oneOf(`id`, ids))+` AND state IN ('disconnected', 'stopped', 'lost')`, a.values...); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM agent_heartbeats WHERE `+h.write(oneOf(`agent_id`, ids))+` AND NOT EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id)`, h.values...)
}
