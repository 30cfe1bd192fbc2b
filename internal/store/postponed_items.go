package store

import (
	"math"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// ItemKind is a kind of work that loops do item by item.
type ItemKind string

// The kinds of work, whose items are named by the id of the row that they are about unless it says otherwise.
const (
	TimeOutJobs          ItemKind = "time_out_jobs"
	RequeueJobs          ItemKind = "requeue_jobs"
	EndReservations      ItemKind = "end_reservations"
	EndGraces            ItemKind = "end_graces"
	ExpireJobs           ItemKind = "expire_jobs"
	ReleaseGroups        ItemKind = "release_groups"
	LoseAgents           ItemKind = "lose_agents"
	RunBuildTasks        ItemKind = "run_build_tasks"
	PackLogs             ItemKind = "pack_logs"
	ReadTestReports      ItemKind = "read_test_reports"
	GiveUpArtifacts      ItemKind = "give_up_artifacts"
	ExpireArtifacts      ItemKind = "expire_artifacts"
	DeleteBlobs          ItemKind = "delete_blobs" // by their keys
	DeleteOldBuilds      ItemKind = "delete_old_builds"
	DeleteOldAgents      ItemKind = "delete_old_agents"
	SweepCaches          ItemKind = "sweep_caches"
	SyncGitMirrors       ItemKind = "sync_git_mirrors"
	MailInvitations      ItemKind = "mail_invitations"
	RevokeInactiveTokens ItemKind = "revoke_inactive_tokens" // by token/organization

	CreateScheduledBuilds ItemKind = "create_scheduled_builds"
)

// ifDue ends the condition of a statement that finds items, in the column item, for a kind of work: those that were
// postponed are left out until they are due. Now is the placeholder of the database's time.
func ifDue(kind ItemKind, item, now string) string {
	return ` AND NOT EXISTS (SELECT 1 FROM postponed_items pi WHERE pi.kind = '` + string(kind) + `'
		AND pi.item_id = ` + item + ` AND pi.due_at > ` + now + `)`
}

// never is when an item is due that is set aside.
const never = math.MaxInt64

var postponedItem = selecting(func(c *columns, i *domain.PostponedItem) {
	mapText(c, "pi.kind", &i.Kind)
	mapText(c, "pi.item_id", &i.ID)
	mapInt(c, "pi.attempts", &i.Attempts)
	mapTime(c, "pi.due_at", &i.DueAt)
	mapTime(c, "pi.failed_at", &i.FailedAt)
	mapText(c, "pi.last_error", &i.LastError)
	mapNullTime(c, "pi.set_aside_at", &i.SetAsideAt)
})

// PostponeItem counts that work on an item failed at a time. It reports false, and counts nothing, if another server
// has just done so.
func (tx Tx) PostponeItem(kind ItemKind, id, reason string, now time.Time) (item domain.PostponedItem, counted bool,
	err error) {
	item, found, err := selectOne(tx, postponedItem.read, `SELECT `+postponedItem.columns+` FROM postponed_items pi
		WHERE pi.kind = $1 AND pi.item_id = $2`, string(kind), id)
	if err != nil || found && (item.SetAsideAt != nil || item.DueAt.After(now)) {
		return item, false, err
	}
	item.Kind, item.ID = string(kind), id
	item.Fail(now, reason)
	due := db.Micros(item.DueAt)
	if item.SetAsideAt != nil {
		due = never
	}
	return item, true, tx.exec(`INSERT INTO postponed_items
			(kind, item_id, attempts, due_at, failed_at, last_error, set_aside_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (kind, item_id) DO UPDATE SET attempts = excluded.attempts,
			due_at = excluded.due_at, failed_at = excluded.failed_at, last_error = excluded.last_error,
			set_aside_at = excluded.set_aside_at`,
		item.Kind, id, item.Attempts, due, db.Micros(item.FailedAt), reason, db.NullMicros(item.SetAsideAt))
}

// TriedItems returns the items of a kind of work that have failed and are tried again.
func (tx Tx) TriedItems(kind ItemKind) ([]string, error) {
	return all(tx, scanID[string], `SELECT item_id FROM postponed_items WHERE kind = $1 AND set_aside_at IS NULL`,
		string(kind))
}

// ForgetItem removes an item with which nothing is wrong any more.
func (tx Tx) ForgetItem(kind ItemKind, id string) error {
	return tx.exec(`DELETE FROM postponed_items WHERE kind = $1 AND item_id = $2`, string(kind), id)
}

// PostponedItems returns all items that wait to be tried again, or for an operator, those that failed first first.
func (tx Tx) PostponedItems() ([]domain.PostponedItem, error) {
	return selectAll(tx, postponedItem.read, `SELECT `+postponedItem.columns+` FROM postponed_items pi
		ORDER BY pi.failed_at, pi.kind, pi.item_id`)
}

// ReleaseItems lets items be tried again at once, as if they had never failed, and returns how many: those of a kind
// with an id, where "" is any.
func (tx Tx) ReleaseItems(kind, id string, now time.Time) (int64, error) {
	return tx.Exec(`UPDATE postponed_items SET attempts = 0, due_at = $3, set_aside_at = NULL
		WHERE ($1 = '' OR kind = $1) AND ($2 = '' OR item_id = $2)`, kind, id, db.Micros(now))
}

// CountSetAside returns how many items are set aside, per kind of work.
func (tx Tx) CountSetAside() (map[string]int64, error) {
	counts := map[string]int64{}
	sql := `SELECT kind, count(*) FROM postponed_items WHERE set_aside_at IS NOT NULL GROUP BY kind`
	return counts, tx.Query(sql, func(r *db.Row) error {
		kind := r.Text()
		counts[kind] = r.Int()
		return nil
	})
}

const oldItems = ` FROM postponed_items WHERE set_aside_at IS NULL AND due_at < $1 OR set_aside_at < $2`

// HasOldItems reports whether PruneItems would forget something.
func (tx Tx) HasOldItems(dueBefore, setAsideBefore time.Time) (bool, error) {
	return tx.has(`SELECT 1`+oldItems+` LIMIT 1`, db.Micros(dueBefore), db.Micros(setAsideBefore))
}

// PruneItems forgets items that were due before a time and that no loop has found since, and those that were set aside
// before another one: if those are still there, they are tried again.
func (tx Tx) PruneItems(dueBefore, setAsideBefore time.Time) error {
	return tx.exec(`DELETE`+oldItems, db.Micros(dueBefore), db.Micros(setAsideBefore))
}
