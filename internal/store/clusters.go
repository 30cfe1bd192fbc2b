package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	clusters = tableOf("clusters", "c", func(c *columns, v *domain.Cluster) {
		mapText(c, "id", &v.ID)
		mapText(c, "organization_id", &v.OrganizationID)
		mapTime(c, "created_at", &v.CreatedAt)
		c.changing()
		mapText(c, "name", &v.Name)
		c.writeKey("name_key", domain.SortKey, v.Name)
		mapLook(c, &v.Look)
		mapNullText(c, "default_queue_id", &v.DefaultQueueID)
		mapText(c, "default_cache_registry_id", &v.DefaultCacheRegistryID)
		mapSettings(c, domain.SettingsOfClusters, v)
		mapInt(c, "queues_count", &v.QueuesCount)
		mapInt(c, "hosted_queues_count", &v.HostedQueuesCount)
	})

	clusterView = selecting(func(c *columns, v *domain.ClusterView) {
		clusters.visit(c, &v.Cluster)
		mapBool(c, "c.maintained", &v.HadMaintainers)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapText(c, "o.slug", &v.OrganizationSlug)
	})

	// ClusterRows are the clusters of organizations, without their maintainers.
	ClusterRows = Rows[*domain.ClusterView]{
		items: pointersTo(clusterView),
		viewed: &viewedColumn[*domain.ClusterView]{
			sql:  func(v Viewer) clause { return maintainsCluster(v.User) },
			read: func(c *columns, v *domain.ClusterView) { mapBool(c, "maintained", &v.Maintained) },
		},
		tables:       `clusters c`,
		joins:        `JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by`,
		id:           textKey(`c.id`, func(c *domain.ClusterView) string { return string(c.ID) }),
		organization: `c.organization_id`,
	}
)

// maintainsCluster reports whether a user maintains the cluster c. Few clusters ever had a maintainer, and CASE does
// not look further.
func maintainsCluster(user domain.UserID) clause {
	return clauseOf(`CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id
		AND k.user_id = ?)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = ?
		WHERE k.cluster_id = c.id)
		ELSE FALSE END`, user, user)
}

var clusterName = textKey(`c.name_key`, func(c *domain.ClusterView) string { return domain.SortKey(c.Name) })

// ClustersOf lists the clusters of organizations whose names have a text in them, in any case.
func ClustersOf(search string, order domain.Order) List[*domain.ClusterView] {
	l := newList(ClusterRows, "clusters", `c.organization_id`, `organizations`, order, search)
	l.sort(order, clusterName, timeKey(`c.created_at`, func(c *domain.ClusterView) time.Time { return c.CreatedAt }))
	l.whereNamed(`c.name_key`, search)
	return l
}

// ClustersMaintainedBy lists the clusters of organizations that a user maintains in person, by name.
func ClustersMaintainedBy(user domain.UserID) List[*domain.ClusterView] {
	l := newList(ClusterRows, "clusters maintained by", `c.organization_id`, `organizations`, user)
	l.sortBy(clusterName)
	l.where(clauseOf(`EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id AND k.user_id = ?)`, user))
	return l
}

// InCluster is what a request about a cluster depends on.
type InCluster struct {
	authz.Identity
	Facts   authz.Facts
	Cluster domain.ClusterView // zero when the organization has no such cluster
}

// selectInCluster finds the cluster by its id, or by that of a thing of the kind, which belongs to it.
var selectInCluster = map[domain.ThingKind]*request[InCluster]{
	"":                        inCluster(`$3`),
	domain.QueueThing:         inCluster(`(SELECT cluster_id FROM cluster_queues WHERE id = $3)`),
	domain.AgentTokenThing:    inCluster(`(SELECT cluster_id FROM cluster_agent_tokens WHERE id = $3)`),
	domain.CacheRegistryThing: inCluster(`(SELECT cluster_id FROM cache_registries WHERE id = $3)`),
}

func inCluster(id string) *request[InCluster] {
	return requestFor(func(in *InCluster) *authz.Identity { return &in.Identity }, func(c *columns, in *InCluster) {
		clusterView.read(c, &in.Cluster)
	}, `LEFT JOIN clusters c ON c.id = `+id+` AND c.organization_id = o.id LEFT JOIN users cb ON cb.id = c.created_by`)
}

// InCluster returns the identity that a credential proves together with a cluster of its organization, and those of the
// cluster's maintainers that the credential's user may see.
func (tx Tx) InCluster(c authz.Credential, ref domain.ClusterRef) (InCluster, bool, error) {
	in, found, err := tx.InClusterRow(c, ref)
	if err == nil && in.Cluster.HadMaintainers {
		err = in.readMaintainers(tx)
	}
	return in, found, err
}

// InClusterRow is InCluster by a single statement: without the maintainers, if there are any.
func (tx Tx) InClusterRow(c authz.Credential, ref domain.ClusterRef) (InCluster, bool, error) {
	return selectInCluster[ref.Of.Kind].run(tx, c, ref.Organization, cmp.Or(ref.Of.ID, ref.ID))
}

// readMaintainers also finds out whether the caller is one of the maintainers, which they may be through a team.
func (in *InCluster) readMaintainers(tx Tx) error {
	viewer := ViewerOf(&in.Identity)
	var c columns
	err := tx.run(clauseOf(`SELECT COALESCE(mt.user_id = ?, FALSE) OR EXISTS (SELECT 1 FROM team_members k
		WHERE k.team_id = mt.team_id AND k.user_id = ?),
		?, `+maintainerView.columns+` FROM `+maintainerTables+` `+maintainerJoins+` WHERE mt.cluster_id = ?`,
		viewer.User, viewer.User, visibleMaintainers(viewer), in.Cluster.ID), func(r *db.Row) error {
		c.row = r
		if r.Bool() {
			in.Facts.Maintainer = true
		}
		if r.Bool() {
			var m domain.Maintainer
			maintainerView.read(&c, &m)
			in.Cluster.Maintainers = append(in.Cluster.Maintainers, m)
		}
		return c.err
	})
	sortMaintainers(in.Cluster.Maintainers)
	return err
}

// AddMaintainers reads those of the clusters' maintainers that the viewer sees.
func (tx Tx) AddMaintainers(viewer Viewer, clusters []domain.ClusterView) error {
	perID := map[domain.ClusterID]*domain.ClusterView{}
	var ids []domain.ClusterID
	for i := range clusters {
		if clusters[i].HadMaintainers {
			perID[clusters[i].ID] = &clusters[i]
			ids = append(ids, clusters[i].ID)
		}
	}
	return eachChunk(ids, func(some []domain.ClusterID) error {
		var found []*domain.Maintainer
		err := readPointers(tx, maintainerView, clauseOf(`SELECT `+maintainerView.columns+` FROM `+
			maintainerTables+` `+maintainerJoins+`
			WHERE ? AND ? ORDER BY mt.id`, oneOf(`mt.cluster_id`, some), visibleMaintainers(viewer)), &found)
		for _, m := range found {
			c := perID[m.ClusterID]
			c.Maintainers = append(c.Maintainers, *m)
		}
		return err
	})
}

func sortMaintainers(m []domain.Maintainer) {
	slices.SortFunc(m, func(a, b domain.Maintainer) int { return strings.Compare(string(a.ID), string(b.ID)) })
}

// ClusterIDByName returns the id of a cluster of the organization with that slug; of several with the name,
// the oldest.
func (tx Tx) ClusterIDByName(organization, name string) (domain.ClusterID, bool, error) {
	return one(tx, scanID[domain.ClusterID], `SELECT c.id FROM clusters c JOIN organizations o ON o.id = c.organization_id
		WHERE o.slug = $1 AND c.name_key = $2 AND c.name = $3 ORDER BY c.created_at, c.id
		LIMIT 1`, organization, domain.SortKey(name), name)
}

// HasCluster reports whether an organization has a cluster.
func (tx Tx) HasCluster(organization domain.OrganizationID, id domain.ClusterID) (bool, error) {
	return tx.has(`SELECT 1 FROM clusters WHERE organization_id = $1 AND id = $2`, organization, id)
}

// InsertCluster stores a new cluster with its default registry.
func (tx Tx) InsertCluster(c domain.Cluster, registry domain.CacheRegistry, by domain.UserID) error {
	tx.locks.made(clusterLock, string(c.ID))
	if err := clusters.insert(tx.exec, c, setUser("created_by", by)); err != nil {
		return err
	}
	if err := cacheRegistries.insert(tx.exec, registry, setUser("created_by", by)); err != nil {
		return err
	}
	return tx.addToCounts(c.OrganizationID, domain.OrganizationCounts{Clusters: 1, ClusterChanges: 1})
}

// UpdateCluster stores the cluster's changed state. Before is what it was until now.
func (tx Tx) UpdateCluster(c, before domain.Cluster) error {
	if err := clusters.update(tx.exec, c); err != nil || c.Name == before.Name {
		return err
	}
	return tx.addToCounts(c.OrganizationID, domain.OrganizationCounts{ClusterChanges: 1})
}

// DeleteCluster deletes a cluster with all that belongs to it.
func (tx Tx) DeleteCluster(c domain.Cluster) error {
	if err := tx.exec(`DELETE FROM clusters WHERE id = $1`, c.ID); err != nil {
		return err
	}
	return tx.addToCounts(c.OrganizationID, domain.OrganizationCounts{Clusters: -1, ClusterChanges: 1})
}

// ClusterHasPipelines reports whether unarchived pipelines are assigned to the cluster.
func (tx Tx) ClusterHasPipelines(id domain.ClusterID) (bool, error) {
	return tx.has(`SELECT 1 FROM pipelines WHERE cluster_id = $1 AND archived_at IS NULL LIMIT 1`, id)
}

// IsDefaultCluster reports whether new pipelines of the cluster's organization go to it.
func (tx Tx) IsDefaultCluster(c domain.Cluster) (bool, error) {
	return tx.has(`SELECT 1 FROM organizations WHERE id = $1 AND default_cluster_id = $2`, c.OrganizationID, c.ID)
}
