package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	maintainerTables = `cluster_maintainers mt LEFT JOIN teams mte ON mte.id = mt.team_id`
	maintainerJoins  = `LEFT JOIN users mu ON mu.id = mt.user_id`
)

var (
	maintainerTeams = tableOf("teams", "mte", func(c *columns, t *domain.MaintainerTeam) {
		mapText(c, "id", &t.ID)
		mapText(c, "name", &t.Name)
		mapText(c, "slug", &t.Slug)
	})

	maintainerView = selecting(func(c *columns, m *domain.Maintainer) {
		mapText(c, "mt.id", &m.ID)
		mapText(c, "mt.cluster_id", &m.ClusterID)
		mapOptionalUser(c, "mu", &m.User)
		mapOptional(c, maintainerTeams, &m.Team)
	})

	// MaintainerRows are the maintainers of clusters.
	MaintainerRows = Rows[*domain.Maintainer]{
		items: pointersTo(maintainerView), tables: maintainerTables, joins: maintainerJoins,
		id:           textKey(`mt.id`, func(m *domain.Maintainer) string { return string(m.ID) }),
		organization: `mt.organization_id`, visible: visibleMaintainers,
	}
)

// visibleMaintainers is the condition under which a maintainer is seen: a secret team by its members and
// administrators.
func visibleMaintainers(v Viewer) clause {
	return clauseOf(`(mt.team_id IS NULL OR mte.privacy = 'visible' OR ?
		OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = mt.team_id
		AND k.user_id = ?))`, v.administers(`mt.organization_id`), v.User)
}

// MaintainersOf lists the maintainers of clusters, in the order in which they were added.
func MaintainersOf() List[*domain.Maintainer] {
	l := newList(MaintainerRows, "maintainers", `mt.cluster_id`, `clusters`)
	l.sortBy()
	return l
}

// Maintainer returns one maintainer of a cluster, if the viewer may see it.
func (tx Tx) Maintainer(viewer Viewer, cluster domain.ClusterID, id domain.MaintainerID) (
	domain.Maintainer, bool, error) {
	var found []*domain.Maintainer
	err := readPointers(tx, maintainerView, clauseOf(`SELECT `+maintainerView.columns+` FROM `+
		maintainerTables+` `+maintainerJoins+`
		WHERE mt.cluster_id = ? AND mt.id = ? AND ?`, cluster, id, visibleMaintainers(viewer)), &found)
	if err != nil || len(found) == 0 {
		return domain.Maintainer{}, false, err
	}
	return *found[0], true, nil
}

// HasMaintainer reports whether the user or team of the grant maintains a cluster.
func (tx Tx) HasMaintainer(cluster domain.ClusterID, grant domain.MaintainerGrant) (bool, error) {
	if grant.Team != nil {
		return tx.has(`SELECT 1 FROM cluster_maintainers WHERE cluster_id = $1 AND team_id = $2`, cluster, grant.Team)
	}
	return tx.has(`SELECT 1 FROM cluster_maintainers WHERE cluster_id = $1 AND user_id = $2`, cluster, grant.User)
}

// MaintainersCount returns how many maintainers a cluster has.
func (tx Tx) MaintainersCount(cluster domain.ClusterID) (int, error) {
	n, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM cluster_maintainers WHERE cluster_id = $1`, cluster)
	return int(n), err
}

// InsertMaintainer makes a member or a team of the organization a maintainer of the cluster. It returns
// an Invalid error if they are not of the organization, or are a maintainer already.
func (tx Tx) InsertMaintainer(c domain.Cluster, grant domain.MaintainerGrant, by domain.UserID, at time.Time) (
	domain.Maintainer, error) {
	member, reason := `SELECT 1 FROM organization_members WHERE organization_id = $1 AND user_id = $2`,
		domain.NoSuchMaintainerUser
	var who any = grant.User
	if grant.Team != nil {
		member, reason = `SELECT 1 FROM teams WHERE organization_id = $1 AND id = $2`, domain.NoSuchMaintainerTeam
		who = grant.Team
	}
	found, err := tx.has(member, c.OrganizationID, who)
	if err != nil {
		return domain.Maintainer{}, err
	}
	if !found {
		return domain.Maintainer{}, domain.Faults{{Field: "maintainers", Reason: reason}}.Err()
	}
	id := domain.NewID[domain.MaintainerID]()
	err = insertInto(tx.exec, "cluster_maintainers", set("id", id), set("organization_id", c.OrganizationID),
		set("cluster_id", c.ID),
		set("user_id", grant.User), set("team_id", grant.Team), set("created_at", db.Micros(at)), setUser("created_by", by))
	if err != nil {
		// They may have left the organization, or the team was deleted, at this very moment.
		return domain.Maintainer{}, dangling(taken(err, "maintainers", domain.RepeatedMaintainer), "maintainers", reason)
	}
	if err := tx.exec(`UPDATE clusters SET maintained = TRUE WHERE id = $1`, c.ID); err != nil {
		return domain.Maintainer{}, err
	}
	m, _, err := selectOne(tx, maintainerView.read, `SELECT `+maintainerView.columns+` FROM `+maintainerTables+` `+
		maintainerJoins+` WHERE mt.id = $1`, id)
	return m, err
}

// DeleteMaintainer takes a maintainer away.
func (tx Tx) DeleteMaintainer(cluster domain.ClusterID, id domain.MaintainerID) error {
	return tx.exec(`DELETE FROM cluster_maintainers WHERE cluster_id = $1 AND id = $2`, cluster, id)
}
