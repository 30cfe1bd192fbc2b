package store

import (
	"errors"
	"fmt"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// lockKind is a kind of row that transactions lock.
type lockKind int

// The kinds in the order in which a transaction may lock them; rows of one kind are locked in the order of their ids.
// Transactions that keep to it cannot deadlock. The methods stand in the same order, those of builds in
// locks_builds.go, those of caches in locks_caches.go.
const (
	userLock lockKind = iota + 1
	portalLock
	clusterLock
	templateLock
	pipelineLock
	teamLock
	billingLock // which organizations are billed together: one row for all
	organizationLock
	usageLock // what is counted in an organization
	gitMirrorLock
	buildLock
	jobLock // of a build that is locked, in any order: see takeJob
	jobLogLock
	artifactLock
	concurrencyGroupLock
	agentLock
	cacheRegistryLock
	cacheUploadLock
	ruleLock
)

var lockNames = [...]string{
	userLock: "user", portalLock: "portal", clusterLock: "cluster", templateLock: "pipeline template",
	pipelineLock: "pipeline", teamLock: "team", billingLock: "billing",
	organizationLock: "organization", usageLock: "usage", gitMirrorLock: "git mirror",
	buildLock: "build", jobLock: "job", jobLogLock: "log", artifactLock: "artifact",
	concurrencyGroupLock: "concurrency group", agentLock: "agent",
	cacheRegistryLock: "cache registry", cacheUploadLock: "cache upload", ruleLock: "rule",
}

// ErrLockOrder means that a transaction asked for a lock that comes before one that it has. Nothing was stored.
var ErrLockOrder = errors.New("locks are taken out of order")

var errLockInRead = errors.New("a transaction that only reads takes no locks")

// lock is a row that is locked.
type lock struct {
	kind lockKind
	id   string
}

// lockOrder holds a transaction to the order of locks.
type lockOrder struct {
	last lock
	held map[lock]bool
}

// acquire records that the transaction locks a row. It returns ErrLockOrder if the row comes before one that is locked;
// one that the transaction has locked or made already may be locked again.
func (o *lockOrder) acquire(kind lockKind, id string) error {
	if o == nil {
		return errLockInRead
	}
	next := lock{kind, id}
	if o.held[next] {
		return nil
	}
	if kind < o.last.kind || kind == o.last.kind && id < o.last.id {
		return fmt.Errorf("%w: %s %s after %s %s", ErrLockOrder, lockNames[kind], id, lockNames[o.last.kind], o.last.id)
	}
	o.hold(next)
	o.last = next
	return nil
}

// hold records that nobody else can lock a row, since the transaction has locked or made it.
func (o *lockOrder) hold(l lock) {
	if o.held == nil {
		o.held = make(map[lock]bool)
	}
	o.held[l] = true
}

// made records that the transaction has made a row, which it may lock at any time.
func (o *lockOrder) made(kind lockKind, id string) { o.hold(lock{kind, id}) }

// lockRow takes a lock and reports whether a statement, which selects the row, finds it.
func (tx Tx) lockRow(kind lockKind, id string, sql string, args ...any) (bool, error) {
	if err := tx.locks.acquire(kind, id); err != nil {
		return false, err
	}
	return tx.has(sql+tx.ForUpdate(), args...)
}

// andLockFree ends a SELECT, which then leaves out the rows that others have locked, and locks the rest. It waits for
// nobody, so it has no place in the order.
func (tx Tx) andLockFree() string { return tx.SkipLocked() }

// andLockFreeOf is andLockFree for the rows of one of the tables that are joined, by its alias.
func (tx Tx) andLockFreeOf(alias string) string {
	if tx.SkipLocked() == "" {
		return ""
	}
	return tx.ForUpdateOf(alias) + " SKIP LOCKED"
}

// LockUser prevents others from changing a user until the transaction ends, and returns what they may now.
func (tx Tx) LockUser(id domain.UserID) (UserState, error) {
	if err := tx.locks.acquire(userLock, string(id)); err != nil {
		return UserState{}, err
	}
	state, _, err := selectOne(tx, userState.read, `SELECT `+userState.columns+` FROM users u WHERE u.id = $1`+
		tx.ForUpdate(), id)
	return state, err
}

// LockUserPassword prevents others from changing a user until the transaction ends, and reports whether their password
// is still that, and they are not disabled.
func (tx Tx) LockUserPassword(u UserPassword) (bool, error) {
	return tx.lockRow(userLock, string(u.User.ID),
		`SELECT 1 FROM users WHERE id = $1 AND COALESCE(password_hash, '') = $2 AND disabled_at IS NULL`, u.User.ID, u.Hash)
}

// LockPortal prevents others from changing the portal, its tokens or its secrets until the transaction ends.
func (tx Tx) LockPortal(id domain.PortalID) error {
	_, err := tx.lockRow(portalLock, string(id), `SELECT 1 FROM portals WHERE id = $1`, id)
	return err
}

// LockCluster prevents others from changing the cluster, or anything that belongs to it, until the
// transaction ends, and returns it as it is now.
func (tx Tx) LockCluster(id domain.ClusterID) (domain.Cluster, bool, error) {
	if err := tx.locks.acquire(clusterLock, string(id)); err != nil {
		return domain.Cluster{}, false, err
	}
	return selectOne(tx, clusters.read, `SELECT `+clusters.columns+` FROM clusters c WHERE c.id = $1`+tx.ForUpdate(), id)
}

// LockClusterOf is LockCluster for a cluster that has to be an organization's.
func (tx Tx) LockClusterOf(organization domain.OrganizationID, id domain.ClusterID) (domain.Cluster, bool, error) {
	if err := tx.locks.acquire(clusterLock, string(id)); err != nil {
		return domain.Cluster{}, false, err
	}
	return selectOne(tx, clusters.read, `SELECT `+clusters.columns+
		` FROM clusters c WHERE c.id = $1 AND c.organization_id = $2`+tx.ForUpdate(), id, organization)
}

// LockPipeline prevents others from changing the pipeline until the transaction ends, and deletions of its cluster from
// missing what becomes of it.
func (tx Tx) LockPipeline(id domain.PipelineID) error {
	_, err := tx.lockRow(pipelineLock, string(id), `SELECT 1 FROM pipelines WHERE id = $1`, id)
	return err
}

// RemoveArchivedPipelines takes the archived pipelines out of a cluster that is to be deleted. One that is being
// unarchived is waited for. It locks several pipelines in no order, which nothing else does.
func (tx Tx) RemoveArchivedPipelines(id domain.ClusterID) error {
	if err := tx.locks.acquire(pipelineLock, ""); err != nil {
		return err
	}
	return tx.exec(`UPDATE pipelines SET cluster_id = NULL WHERE cluster_id = $1 AND archived_at IS NOT NULL`, id)
}

// LockTeam prevents others from changing the team, its members or its pipelines until the transaction ends. It returns
// NotFound if the team is gone.
func (tx Tx) LockTeam(id domain.TeamID) error {
	found, err := tx.lockRow(teamLock, string(id), `SELECT 1 FROM teams WHERE id = $1`, id)
	if err == nil && !found {
		err = domain.Missing("team")
	}
	return err
}

// LockTeamFor prevents others from deleting a team that the caller may see, and reports whether there is one.
func (tx Tx) LockTeamFor(caller *authz.Identity, id domain.TeamID) (bool, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT 1 FROM teams te WHERE te.id = ? AND te.organization_id = ? AND ?`, id,
		caller.Organization.ID, visibleTeams(ViewerOf(caller))))
	return tx.lockRow(teamLock, string(id), sql, a.values...)
}

// LockDefaultTeams prevents others from deleting the default teams of organizations until the transaction ends, and
// returns them.
func (tx Tx) LockDefaultTeams(organizations ...domain.OrganizationID) ([]domain.Team, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT `+teams.columns+` FROM teams te WHERE ? AND te.is_default_team ORDER BY te.id`,
		oneOf(`te.organization_id`, organizations)))
	defaults, err := selectAll(tx, teams.read, sql+tx.ForUpdate(), a.values...)
	for _, team := range defaults {
		if err == nil {
			err = tx.locks.acquire(teamLock, string(team.ID))
		}
	}
	return defaults, err
}

// LockTeams prevents others from deleting teams of an organization, and its default teams, until the transaction ends,
// and returns them.
func (tx Tx) LockTeams(organization domain.OrganizationID, ids []domain.TeamID) ([]domain.Team, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT `+teams.columns+
		` FROM teams te WHERE te.organization_id = ? AND (te.is_default_team OR ?) ORDER BY te.id`,
		organization, oneOf(`te.id`, ids)))
	locked, err := selectAll(tx, teams.read, sql+tx.ForUpdate(), a.values...)
	for _, team := range locked {
		if err == nil {
			err = tx.locks.acquire(teamLock, string(team.ID))
		}
	}
	return locked, err
}

// LockBilling prevents others from changing how organizations are billed until the transaction ends.
func (tx Tx) LockBilling() error {
	if err := tx.locks.acquire(billingLock, ""); err != nil {
		return err
	}
	return tx.exec(
		`INSERT INTO usage_state (id, kept_since) VALUES (1, '') ON CONFLICT (id) DO UPDATE SET id = usage_state.id`)
}

// LockOrganization prevents others from changing the organization and its members until the transaction ends.
func (tx Tx) LockOrganization(id domain.OrganizationID) error {
	_, err := tx.lockRow(organizationLock, string(id), `SELECT 1 FROM organizations WHERE id = $1`, id)
	return err
}

// LockUsage prevents others from counting the organization's activity until the transaction ends.
func (tx Tx) LockUsage(organization domain.OrganizationID) error {
	if err := tx.locks.acquire(usageLock, string(organization)); err != nil {
		return err
	}
	return tx.exec(`INSERT INTO usage_locks (organization_id) VALUES ($1)
		ON CONFLICT (organization_id) DO UPDATE SET organization_id = usage_locks.organization_id`, organization)
}

// LockGitMirrorLease prevents others from taking over the lease until the transaction ends, and reports whether they
// have not yet.
func (tx Tx) LockGitMirrorLease(id domain.ClusterID, lease string) (bool, error) {
	return tx.lockRow(gitMirrorLock, string(id), `SELECT 1 FROM git_mirror_syncs WHERE cluster_id = $1 AND lease = $2`, id,
		lease)
}
