package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// All times here are the database's: the clocks of nodes may differ.

// LeaseGitMirror marks the cluster's git mirror as being sent to the hosted-agent service, by the holder
// of lease for the given time. It reports false if someone else's lease is still good.
func (tx Tx) LeaseGitMirror(id domain.ClusterID, lease string, duration time.Duration) (bool, error) {
	if err := tx.locks.acquire(gitMirrorLock, string(id)); err != nil {
		return false, err
	}
	now, err := tx.Now()
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO git_mirror_syncs (cluster_id, lease, leased_until, attempts, next_attempt_at)
		VALUES ($1, $2, $4, 0, $3)
		ON CONFLICT (cluster_id) DO UPDATE SET lease = excluded.lease, leased_until = excluded.leased_until
		WHERE git_mirror_syncs.leased_until <= $3`, id, lease, db.Micros(now), db.Micros(now.Add(duration)))
	return n > 0, err
}

// GitMirrorIsLeased reports whether someone's lease is still good.
func (tx Tx) GitMirrorIsLeased(id domain.ClusterID) (bool, error) {
	now, err := tx.Now()
	if err != nil {
		return false, err
	}
	return tx.has(`SELECT 1 FROM git_mirror_syncs WHERE cluster_id = $1 AND leased_until > $2`, id, db.Micros(now))
}

// MarkGitMirror asks for the cluster's git mirror setting to be sent to the hosted-agent service.
func (tx Tx) MarkGitMirror(id domain.ClusterID) error {
	return tx.exec(`INSERT INTO git_mirror_syncs (cluster_id, lease, leased_until, attempts, next_attempt_at)
		VALUES ($1, '', 0, 0, 0)
		ON CONFLICT (cluster_id) DO NOTHING`, id)
}

// ConfirmGitMirror records that the hosted-agent service has the stored setting, unless the lease was lost: then others
// have sent the service a setting meanwhile, nobody knows which came last, and ours is sent again.
func (tx Tx) ConfirmGitMirror(id domain.ClusterID, lease string) error {
	n, err := tx.Exec(`DELETE FROM git_mirror_syncs WHERE cluster_id = $1 AND lease = $2`, id, lease)
	if err != nil || n > 0 {
		return err
	}
	return tx.contestGitMirror(id)
}

// contestGitMirror has the stored setting sent to the service again, after whoever holds a lease now has sent theirs,
// which they cannot confirm.
func (tx Tx) contestGitMirror(id domain.ClusterID) error {
	return tx.exec(`INSERT INTO git_mirror_syncs (cluster_id, lease, leased_until, attempts, next_attempt_at)
		VALUES ($1, '', 0, 0, 0)
		ON CONFLICT (cluster_id) DO UPDATE SET lease = ''`, id)
}

// ReleaseGitMirror ends a lease whose call's outcome is unknown; the setting is sent again after a pause, also if
// the lease was lost.
func (tx Tx) ReleaseGitMirror(id domain.ClusterID, lease string, pause time.Duration) error {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	n, err := tx.Exec(`UPDATE git_mirror_syncs SET lease = '', leased_until = 0, attempts = attempts + 1,
		next_attempt_at = $3
		WHERE cluster_id = $1 AND lease = $2`, id, lease, db.Micros(now.Add(pause)))
	if err != nil || n > 0 {
		return err
	}
	return tx.contestGitMirror(id)
}

// GitMirrorSync is a cluster whose git mirror setting the hosted-agent service may not have.
type GitMirrorSync struct {
	ClusterID domain.ClusterID
	Attempts  int64
}

// DueGitMirrorSyncs returns those that no one is working on and whose time has come.
func (tx Tx) DueGitMirrorSyncs(limit int) ([]GitMirrorSync, error) {
	now, err := tx.Now()
	if err != nil {
		return nil, err
	}
	return all(tx, func(r *db.Row) GitMirrorSync {
		return GitMirrorSync{ClusterID: domain.ClusterID(r.Text()), Attempts: r.Int()}
	}, `SELECT cluster_id, attempts FROM git_mirror_syncs WHERE leased_until <= $1 AND next_attempt_at <= $1`+
		ifDue(SyncGitMirrors, "git_mirror_syncs.cluster_id", "$1")+`
		ORDER BY next_attempt_at, cluster_id LIMIT $2`, db.Micros(now), limit)
}

// StoredGitMirror returns the setting as it is stored; a cluster that is gone has it off.
func (tx Tx) StoredGitMirror(id domain.ClusterID) (bool, error) {
	enabled, _, err := one(tx, (*db.Row).Bool, `SELECT hosted_git_mirror_enabled FROM clusters WHERE id = $1`, id)
	return enabled, err
}
