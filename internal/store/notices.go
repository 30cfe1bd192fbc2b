package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	notices = tableOf("notices", "nc", func(c *columns, n *domain.Notice) {
		mapText(c, "id", &n.ID)
		mapText(c, "organization_id", &n.OrganizationID)
		mapText(c, "kind", &n.Kind)
		mapText(c, "target", &n.Target)
		mapText(c, "lane", &n.Lane)
		mapBool(c, "newest_only", &n.NewestOnly)
		mapNullText(c, "build_id", &n.BuildID)
		mapText(c, "summary", &n.Summary)
		mapText(c, "body", &n.Body)
		mapTime(c, "created_at", &n.CreatedAt)
		c.changing()
		mapText(c, "state", &n.State)
		mapNullTime(c, "due_at", &n.DueAt)
		mapInt(c, "tries", &n.Tries)
		mapNullTime(c, "tried_at", &n.TriedAt)
		mapText(c, "answer", &n.Answer)
	})

	noticeView = selecting(func(c *columns, v *domain.NoticeView) {
		notices.visit(c, &v.Notice)
		mapText(c, "(SELECT p.slug FROM builds b JOIN pipelines p ON p.id = b.pipeline_id WHERE b.id = nc.build_id)",
			&v.PipelineSlug)
		mapInt(c, "COALESCE((SELECT b.number FROM builds b WHERE b.id = nc.build_id), 0)", &v.BuildNumber)
	})

	// NoticeRows are the notices of organizations, for those who administer them.
	NoticeRows = Rows[*domain.NoticeView]{
		items: pointersTo(noticeView), tables: `notices nc`,
		id:           textKey(`nc.id`, func(n *domain.NoticeView) string { return string(n.ID) }),
		visible:      func(v Viewer) clause { return v.administers(`nc.organization_id`) },
		organization: `nc.organization_id`,
	}

	noticeTargets = tableOf("notice_targets", "nt", func(c *columns, t *domain.NoticeTarget) {
		mapText(c, "id", &t.ID)
		c.changing()
		mapNullTime(c, "due_at", &t.DueAt)
		mapTime(c, "held_until", &t.HeldUntil)
		mapInt(c, "failures", &t.Failures)
		mapText(c, "lease", &t.Lease)
		mapTime(c, "lease_until", &t.LeaseUntil)
	})
)

// NoticesOf lists the notices of organizations, the newest first.
func NoticesOf() List[*domain.NoticeView] {
	l := newList(NoticeRows, "notices", `nc.organization_id`, `organizations`)
	l.sortBy()
	l.descending = true
	return l
}

// InsertNotice stores a new notice. Nothing else is touched, so that no two transactions wait for each other.
func (tx Tx) InsertNotice(n domain.Notice) error { return notices.insert(tx.Later, n) }

// Notice returns a notice of an organization.
func (tx Tx) Notice(organization domain.OrganizationID, id domain.NoticeID) (domain.Notice, bool, error) {
	return selectOne(tx, notices.read, `SELECT `+notices.columns+
		` FROM notices nc WHERE nc.organization_id = $1 AND nc.id = $2`, organization, id)
}

// NoticesTo returns the last notices of an organization for a target, the newest first.
func (tx Tx) NoticesTo(organization domain.OrganizationID, target string, limit int) ([]domain.NoticeView, error) {
	return selectAll(tx, noticeView.read, `SELECT `+noticeView.columns+
		` FROM notices nc WHERE nc.target = $2 AND nc.organization_id = $1 ORDER BY nc.id DESC LIMIT $3`, organization,
		target, limit)
}

// LastServiceNotices returns the last notice for each notification service of an organization that something was sent
// to.
func (tx Tx) LastServiceNotices(organization domain.OrganizationID) ([]domain.Notice, error) {
	return selectAll(tx, notices.read, `SELECT `+notices.columns+` FROM notices nc WHERE nc.id IN (
		SELECT (SELECT max(last.id) FROM notices last WHERE last.target = 'service ' || ns.id) FROM notification_services ns
		WHERE ns.organization_id = $1)`, organization)
}

// NotificationsOf returns the notices that the configuration of a build asked for, the newest first.
func (tx Tx) NotificationsOf(build domain.BuildID, limit int) ([]domain.Notice, error) {
	return selectAll(tx, notices.read, `SELECT `+notices.columns+
		` FROM notices nc WHERE nc.build_id = $1 AND nc.kind IN ($2, $3) ORDER BY nc.id DESC LIMIT $4`,
		build, domain.NoticeNotify, domain.NoticeNotifyMail, limit)
}

// NewNoticeTargets returns for whom there are new notices, in the order of their ids.
func (tx Tx) NewNoticeTargets(limit int) ([]string, error) {
	return all(tx, (*db.Row).Text, `SELECT DISTINCT target FROM notices WHERE state = 'new' ORDER BY target LIMIT $1`,
		limit)
}

// LockNoticeTarget locks a target, which is made if there is none. Whoever changes notices that are not new locks their
// target first.
func (tx Tx) LockNoticeTarget(id string) (domain.NoticeTarget, error) {
	err := tx.exec(`INSERT INTO notice_targets (id, due_at, held_until, failures, lease, lease_until)
		VALUES ($1, NULL, 0, 0, '', 0)
		ON CONFLICT (id) DO UPDATE SET failures = notice_targets.failures`, id)
	if err != nil {
		return domain.NoticeTarget{}, err
	}
	target, _, err := selectOne(tx, noticeTargets.read, `SELECT `+noticeTargets.columns+
		` FROM notice_targets nt WHERE nt.id = $1`, id)
	return target, err
}

// UpdateNoticeTarget stores the changed state of a target that is locked.
func (tx Tx) UpdateNoticeTarget(t domain.NoticeTarget) error { return noticeTargets.update(tx.exec, t) }

// NewNotices returns some new notices for a target, in order.
func (tx Tx) NewNotices(target string, limit int) ([]domain.Notice, error) {
	return selectAll(tx, notices.read, `SELECT `+notices.columns+
		` FROM notices nc WHERE nc.state = 'new' AND nc.target = $1 ORDER BY nc.id LIMIT $2`, target, limit)
}

// UpdateNotice stores the changed state of a notice whose target is locked.
func (tx Tx) UpdateNotice(n domain.Notice) error { return notices.update(tx.exec, n) }

// ReplaceNotices marks the notices of a lane that wait and are older than one as replaced.
func (tx Tx) ReplaceNotices(target, lane string, before domain.NoticeID) error {
	return tx.exec(
		`UPDATE notices SET state = 'replaced', due_at = NULL WHERE target = $1 AND lane = $2 AND state = 'waiting'
			AND id < $3`, target, lane, before)
}

// HasWaitingNotice reports whether a notice waits in a lane.
func (tx Tx) HasWaitingNotice(target, lane string) (bool, error) {
	return tx.has(`SELECT 1 FROM notices WHERE target = $1 AND lane = $2 AND state = 'waiting'`, target, lane)
}

// DueNotices returns some notices for a target that are to be sent by now, those that have waited longest first, and of
// each lane one.
func (tx Tx) DueNotices(target string, now time.Time, limit int) ([]domain.Notice, error) {
	return selectAll(tx, notices.read, `SELECT `+notices.columns+` FROM notices nc
		WHERE nc.target = $1 AND nc.state = 'waiting' AND nc.due_at <= $2 ORDER BY nc.due_at, nc.id
		LIMIT $3`, target, db.Micros(now), limit)
}

// ReleaseLane lets the first notice of a lane go that waits, if there is one.
func (tx Tx) ReleaseLane(target, lane string, now time.Time) error {
	return tx.exec(`UPDATE notices SET due_at = $3 WHERE due_at IS NULL AND id = (
		SELECT nc.id FROM notices nc WHERE nc.target = $1 AND nc.lane = $2 AND nc.state = 'waiting' ORDER BY nc.id
		LIMIT 1)`, target, lane, db.Micros(now))
}

// NextNoticeDue returns when the next notice for a target is to be sent; nil if none waits.
func (tx Tx) NextNoticeDue(target string) (due *time.Time, err error) {
	_, err = tx.One(
		`SELECT due_at FROM notices WHERE target = $1 AND state = 'waiting' AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
		func(r *db.Row) {
			at := r.Time()
			due = &at
		}, target)
	return due, err
}

// DueNoticeTargets returns some targets that nobody sends to, and that something is to be sent to by now.
func (tx Tx) DueNoticeTargets(now time.Time, limit int) ([]string, error) {
	return all(tx, (*db.Row).Text, `SELECT id FROM notice_targets
		WHERE due_at <= $1 AND held_until <= $1 AND lease_until <= $1 ORDER BY due_at, id LIMIT $2`, db.Micros(now), limit)
}

// LeaseNoticeTarget leases a target to whoever is to send to it, unless somebody else has it.
func (tx Tx) LeaseNoticeTarget(id, lease string, now, until time.Time) (bool, error) {
	changed, err := tx.Exec(`UPDATE notice_targets SET lease = $2, lease_until = $4
		WHERE id = $1 AND due_at <= $3 AND held_until <= $3
		AND lease_until <= $3`, id, lease, db.Micros(now), db.Micros(until))
	return changed > 0, err
}

// PruneNotices deletes what became of notices that are older than a time, and targets that nothing waits for.
func (tx Tx) PruneNotices(before time.Time, limit int64) (int64, error) {
	if err := tx.exec(`DELETE FROM notice_targets WHERE due_at IS NULL AND lease_until < $1 AND NOT EXISTS
		(SELECT 1 FROM notices nc WHERE nc.target = notice_targets.id
		AND nc.state = 'waiting')`, db.Micros(before)); err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM notices WHERE id IN (SELECT id FROM notices
		WHERE state IN ('sent', 'failed', 'replaced', 'unwanted') AND created_at < $1 ORDER BY created_at
		LIMIT $2)`, db.Micros(before), limit)
}
