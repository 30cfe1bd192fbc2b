package store

import (
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	maintainerColumns = `x.id, x.cluster_id, xu.id, xu.name, xu.email, xu.created_at, xt.id, xt.name, xt.slug`
	maintainerTables  = `LEFT JOIN users xu ON xu.id = x.user_id LEFT JOIN teams xt ON xt.id = x.team_id`
)

// maintainerSeen is the condition under which a caller sees a maintainer: a secret team is seen by its members and
// administrators. The arguments are SQL: whether the caller is an administrator, and their id.
func maintainerSeen(admin, user string) string {
	return `(x.team_id IS NULL OR xt.privacy = 'visible' OR ` + admin + `
		OR EXISTS (SELECT 1 FROM team_members xm WHERE xm.team_id = x.team_id AND xm.user_id = ` + user + `))`
}

func scanMaintainer(r *db.Row) domain.Maintainer {
	m := domain.Maintainer{ID: domain.MaintainerID(r.Text()), ClusterID: domain.ClusterID(r.Text()), User: scanNullUser(r)}
	if !r.Null() {
		m.Team = &domain.MaintainerTeam{ID: domain.TeamID(r.Text()), Name: r.Text(), Slug: r.Text()}
	}
	return m
}

// Maintainers returns a page of the maintainers of a cluster that the caller may see, in the order in which they were added.
func (tx Tx) Maintainers(caller *authz.Identity, cluster domain.ClusterID, page domain.Page) (domain.Paged[domain.Maintainer], error) {
	return paged(tx, scanMaintainer, listing{
		columns: maintainerColumns, tables: `cluster_maintainers x ` + maintainerTables,
		where: `x.cluster_id = $1 AND ` + maintainerSeen("$2", "$3"), order: `x.id`,
	}, page, cluster, caller.Admin(), caller.User.ID)
}

// Maintainer returns one maintainer of a cluster, if the caller may see it.
func (tx Tx) Maintainer(caller *authz.Identity, cluster domain.ClusterID, id domain.MaintainerID) (domain.Maintainer, bool, error) {
	return one(tx, scanMaintainer, `SELECT `+maintainerColumns+` FROM cluster_maintainers x `+maintainerTables+`
		WHERE x.cluster_id = $1 AND x.id = $2 AND `+maintainerSeen("$3", "$4"), cluster, id, caller.Admin(), caller.User.ID)
}

// MaintainersCount returns how many maintainers a cluster has.
func (tx Tx) MaintainersCount(cluster domain.ClusterID) (int, error) {
	n, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM cluster_maintainers WHERE cluster_id = $1`, cluster)
	return int(n), err
}

// InsertMaintainer makes a member or a team of the organization a maintainer of the cluster. It returns
// an Invalid error if they are not of the organization, or are a maintainer already.
func (tx Tx) InsertMaintainer(c domain.Cluster, grant domain.MaintainerGrant, by domain.UserID, at time.Time) (domain.Maintainer, error) {
	member, reason := `SELECT 1 FROM organization_members WHERE organization_id = $1 AND user_id = $2`, domain.NoSuchMaintainerUser
	var who any = grant.User
	if grant.Team != nil {
		member, reason = `SELECT 1 FROM teams WHERE organization_id = $1 AND id = $2`, domain.NoSuchMaintainerTeam
		who = grant.Team
	}
	_, found, err := one(tx, (*db.Row).Int, member, c.OrganizationID, who)
	if err != nil {
		return domain.Maintainer{}, err
	}
	if !found {
		return domain.Maintainer{}, domain.Faults{{Field: "maintainers", Reason: reason}}.Err()
	}
	id := domain.NewID[domain.MaintainerID]()
	if err := tx.exec(`INSERT INTO cluster_maintainers (id, organization_id, cluster_id, user_id, team_id, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, id, c.OrganizationID, c.ID, grant.User, grant.Team, db.Micros(at), nullUser(by)); err != nil {
		// They may have left the organization, or the team was deleted, at this very moment.
		return domain.Maintainer{}, dangling(taken(err, "maintainers", domain.RepeatedMaintainer), "maintainers", reason)
	}
	if err := tx.exec(`UPDATE clusters SET maintained = TRUE WHERE id = $1`, c.ID); err != nil {
		return domain.Maintainer{}, err
	}
	m, _, err := one(tx, scanMaintainer, `SELECT `+maintainerColumns+` FROM cluster_maintainers x `+maintainerTables+` WHERE x.id = $1`, id)
	return m, err
}

// DeleteMaintainer takes a maintainer away.
func (tx Tx) DeleteMaintainer(cluster domain.ClusterID, id domain.MaintainerID) error {
	return tx.exec(`DELETE FROM cluster_maintainers WHERE cluster_id = $1 AND id = $2`, cluster, id)
}
