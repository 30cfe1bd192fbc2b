package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// BuildRetention says for how many days an organization keeps finished builds.
type BuildRetention struct {
	Organization domain.OrganizationID
	Days         int64
}

// BuildRetentions returns the organizations that keep their finished builds for a number of days only.
func (tx Tx) BuildRetentions() ([]BuildRetention, error) {
	return all(tx, func(r *db.Row) BuildRetention { return BuildRetention{domain.OrganizationID(r.Text()), r.Int()} },
		`SELECT id, build_retention_days FROM organizations WHERE build_retention_days IS NOT NULL ORDER BY id`)
}

// OldBuilds returns some builds that ended longer ago than their organization keeps them, the oldest first.
func (tx Tx) OldBuilds(kept BuildRetention, now time.Time, limit int) ([]domain.BuildID, error) {
	return all(tx, scanID[domain.BuildID], oldBuilds,
		kept.Organization, db.Micros(now.AddDate(0, 0, -int(kept.Days))), limit, db.Micros(now))
}

var oldBuilds = `SELECT id FROM builds WHERE organization_id = $1 AND finished_at IS NOT NULL AND finished_at <= $2` +
	ifDue(DeleteOldBuilds, "builds.id", "$4") + ` ORDER BY finished_at LIMIT $3`

// DeleteOldBuild deletes a build, if it is still one of OldBuilds and nobody changes it at the moment.
func (tx Tx) DeleteOldBuild(id domain.BuildID, now time.Time) error {
	free, err := tx.has(`SELECT b.id FROM builds b WHERE b.id = $1`+tx.andLockFree(), id)
	if err != nil || !free {
		return err
	}
	old, err := tx.has(`SELECT 1 FROM builds b JOIN organizations o ON o.id = b.organization_id WHERE b.id = $1
		AND o.build_retention_days IS NOT NULL AND b.finished_at IS NOT NULL
		AND b.finished_at <= $2 - o.build_retention_days * 86400000000`, id, db.Micros(now))
	if err != nil || !old {
		return err
	}
	ids := []domain.BuildID{id}
	if err := tx.deleteBlobsOf(oneOf(`j.build_id`, ids), oneOf(`ar.build_id`, ids)); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM builds WHERE id = $1`, id)
}

// OldAgents returns some agents that have been away since before a time, and that ran no job that is kept.
func (tx Tx) OldAgents(now, before time.Time, limit int64) ([]domain.AgentID, error) {
	return all(tx, scanID[domain.AgentID], oldAgents, db.Micros(before), limit, db.Micros(now))
}

var oldAgents = `SELECT a.id FROM agents a WHERE a.state IN ('disconnected', 'stopped', 'lost')
	AND COALESCE(a.disconnected_at, a.stopped_at, a.lost_at, a.created_at) <= $1
	AND NOT EXISTS (SELECT 1 FROM job_runs jr
	WHERE jr.agent_id = a.id)` + ifDue(DeleteOldAgents, "a.id", "$3") + ` LIMIT $2`

// DeleteAgents deletes agents that are away.
func (tx Tx) DeleteAgents(ids []domain.AgentID) error {
	var a, h arguments
	if err := tx.exec(`DELETE FROM agents WHERE `+a.write(oneOf(`id`, ids))+
		` AND state IN ('disconnected', 'stopped', 'lost')`, a.values...); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM agent_heartbeats WHERE `+h.write(oneOf(`agent_id`, ids))+
		` AND NOT EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id)`, h.values...)
}
