package store

import (
	"slices"
	"sort"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	clusterColumns = `c.id, c.organization_id, c.name, c.description, c.emoji, c.color, c.default_queue_id, c.default_cache_registry_id,
		c.hosted_git_mirror_enabled, c.hosted_container_cache_enabled, c.queues_count, c.hosted_queues_count, c.created_at`
	creatorColumns = `cb.id, cb.name, cb.email, cb.created_at`

	// Whether the token's user maintains the cluster. Few clusters ever had a maintainer, and CASE does not look further.
	maintains = `CASE WHEN c.maintained THEN EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id AND k.user_id = t.user_id)
		OR EXISTS (SELECT 1 FROM cluster_maintainers k JOIN team_members tm ON tm.team_id = k.team_id AND tm.user_id = t.user_id WHERE k.cluster_id = c.id)
		ELSE FALSE END`
)

func scanCluster(r *db.Row) domain.Cluster {
	return domain.Cluster{
		ID:                          domain.ClusterID(r.Text()),
		OrganizationID:              domain.OrganizationID(r.Text()),
		Name:                        r.Text(),
		Description:                 r.NullText(),
		Emoji:                       r.NullText(),
		Color:                       r.NullText(),
		DefaultQueueID:              nullID[domain.QueueID](r),
		DefaultCacheRegistryID:      domain.CacheRegistryID(r.Text()),
		HostedGitMirrorEnabled:      r.Bool(),
		HostedContainerCacheEnabled: r.Bool(),
		QueuesCount:                 r.Int(),
		HostedQueuesCount:           r.Int(),
		CreatedAt:                   r.Time(),
	}
}

// InCluster is what a request about a cluster depends on.
type InCluster struct {
	authz.Identity
	Facts   authz.Facts
	Cluster domain.ClusterView // zero when the organization has no such cluster

	maintained bool // the cluster has, or once had, maintainers: few do
}

func (in *InCluster) scanCluster(r *db.Row) {
	in.maintained = r.Bool()
	in.Cluster.Cluster = scanCluster(r)
	in.Cluster.CreatedBy = scanNullUser(r)
	in.Cluster.OrganizationSlug = in.Organization.Slug
}

const inClusterColumns = `c.maintained, ` + clusterColumns + `, ` + creatorColumns

var selectInCluster = perCredential(func(identity identitySQL) string {
	return `SELECT ` + identity.columns + `, ` + inClusterColumns + ` FROM ` + identity.tables + `
		LEFT JOIN clusters c ON c.id = $3 AND c.organization_id = o.id
		LEFT JOIN users cb ON cb.id = c.created_by WHERE t.hash = $1`
})

// InCluster returns the identity that a credential proves together with a cluster of its organization, and those of the cluster's
// maintainers that the credential's user may see.
func (tx Tx) InCluster(c authz.Credential, organization string, id domain.ClusterID) (in InCluster, found bool, err error) {
	found, err = tx.One(selectInCluster[c.Kind], func(r *db.Row) {
		in.Identity = scanIdentity(r, c)
		in.scanCluster(r)
	}, c.Hash, organization, id)
	if in.maintained && err == nil {
		err = in.readMaintainers(tx)
	}
	return in, found, err
}

func (in *InCluster) readMaintainers(tx Tx) error {
	err := tx.Query(`SELECT COALESCE(x.user_id = $3, FALSE) OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = x.team_id AND k.user_id = $3),
		`+maintainerSeen("$2", "$3")+`, `+maintainerColumns+` FROM cluster_maintainers x `+maintainerTables+` WHERE x.cluster_id = $1`, func(r *db.Row) error {
		if r.Bool() {
			in.Facts.Maintainer = true
		}
		if r.Bool() {
			in.Cluster.Maintainers = append(in.Cluster.Maintainers, scanMaintainer(r))
		}
		return nil
	}, in.Cluster.ID, in.Admin(), in.User.ID)
	sortMaintainers(in.Cluster.Maintainers)
	return err
}

// Clusters returns a page of an organization's clusters, by name, with those of their maintainers that the caller may see.
func (tx Tx) Clusters(caller *CountedIdentity, page domain.Page) ([]domain.ClusterView, error) {
	organization := caller.Organization
	direction, size, offset := nearer(page, caller.Counts.Clusters)
	if size <= 0 {
		return []domain.ClusterView{}, nil
	}
	const creators = ` LEFT JOIN users cb ON cb.id = c.created_by`
	part := ` WHERE c.organization_id = $1 ORDER BY c.name_key` + direction + `, c.id` + direction + limit(size) + ` OFFSET $2`
	ids := `(SELECT c.id FROM clusters c` + part + `) p`
	rows := `clusters c` + creators + part
	if offset > 0 {
		// What is passed over is passed over in an index; only the page's own rows are read.
		rows = ids + ` JOIN clusters c ON c.id = p.id` + creators
	}
	found := pageOfClusters{views: make([]domain.ClusterView, 0, page.Size), keys: make([]string, 0, page.Size)}
	var creator *domain.User // of the row before: often the same
	maintained := false
	err := tx.Query(`SELECT c.name_key, c.maintained, `+clusterColumns+`, `+creatorColumns+`
		FROM `+rows, func(r *db.Row) error {
		found.keys = append(found.keys, r.Text())
		maintained = r.Bool() || maintained
		cluster := scanCluster(r)
		creator = scanNullUserAfter(r, creator)
		found.views = append(found.views, domain.ClusterView{Cluster: cluster, CreatedBy: creator, OrganizationSlug: organization.Slug})
		return nil
	}, organization.ID, offset)
	if err != nil {
		return nil, err
	}
	sort.Sort(found)
	views := found.views
	if !maintained {
		return views, nil
	}
	maintainers, err := all(tx, scanMaintainer, `SELECT `+maintainerColumns+`
		FROM `+ids+` JOIN cluster_maintainers x ON x.cluster_id = p.id `+maintainerTables+` WHERE `+maintainerSeen("$3", "$4"),
		organization.ID, offset, caller.Admin(), caller.User.ID)
	if err != nil {
		return nil, err
	}
	sortMaintainers(maintainers)
	perCluster := make(map[domain.ClusterID][]domain.Maintainer)
	for _, m := range maintainers {
		perCluster[m.ClusterID] = append(perCluster[m.ClusterID], m)
	}
	for i := range views {
		views[i].Maintainers = perCluster[views[i].ID]
	}
	return views, nil
}

// pageOfClusters sorts by name, then id.
type pageOfClusters struct {
	views []domain.ClusterView
	keys  []string
}

func (p pageOfClusters) Len() int { return len(p.keys) }

func (p pageOfClusters) Less(i, j int) bool {
	return p.keys[i] < p.keys[j] || p.keys[i] == p.keys[j] && p.views[i].ID < p.views[j].ID
}

func (p pageOfClusters) Swap(i, j int) {
	p.keys[i], p.keys[j] = p.keys[j], p.keys[i]
	p.views[i], p.views[j] = p.views[j], p.views[i]
}

// InsertCluster stores a new cluster with its default registry.
func (tx Tx) InsertCluster(c domain.Cluster, registry domain.CacheRegistry, by domain.UserID) error {
	tx.locks.made(clusterLock, string(c.ID))
	if err := tx.exec(`INSERT INTO clusters (id, organization_id, name, name_key, description, emoji, color,
			default_queue_id, default_cache_registry_id, hosted_git_mirror_enabled, hosted_container_cache_enabled,
			queues_count, hosted_queues_count, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, $12, $13)`,
		c.ID, c.OrganizationID, c.Name, domain.SortKey(c.Name), c.Description, c.Emoji, c.Color,
		c.DefaultQueueID, c.DefaultCacheRegistryID, c.HostedGitMirrorEnabled, c.HostedContainerCacheEnabled,
		db.Micros(c.CreatedAt), nullUser(by)); err != nil {
		return err
	}
	if err := insertCacheRegistry(tx, registry, by); err != nil {
		return err
	}
	return tx.addToCounts(c.OrganizationID, domain.OrganizationCounts{Clusters: 1})
}

// UpdateCluster stores the cluster's changed state.
func (tx Tx) UpdateCluster(c domain.Cluster) error {
	return tx.exec(`UPDATE clusters SET name = $2, name_key = $3, description = $4, emoji = $5, color = $6,
			default_queue_id = $7, default_cache_registry_id = $8, hosted_git_mirror_enabled = $9, hosted_container_cache_enabled = $10,
			queues_count = $11, hosted_queues_count = $12
		WHERE id = $1`, c.ID, c.Name, domain.SortKey(c.Name), c.Description, c.Emoji, c.Color,
		c.DefaultQueueID, c.DefaultCacheRegistryID, c.HostedGitMirrorEnabled, c.HostedContainerCacheEnabled,
		c.QueuesCount, c.HostedQueuesCount)
}

// DeleteCluster deletes a cluster with all that belongs to it.
func (tx Tx) DeleteCluster(c domain.Cluster) error {
	if err := tx.exec(`DELETE FROM clusters WHERE id = $1`, c.ID); err != nil {
		return err
	}
	return tx.addToCounts(c.OrganizationID, domain.OrganizationCounts{Clusters: -1})
}

// ClusterHasPipelines reports whether unarchived pipelines are assigned to the cluster.
func (tx Tx) ClusterHasPipelines(id domain.ClusterID) (bool, error) {
	_, found, err := one(tx, (*db.Row).Int, `SELECT 1 FROM pipelines WHERE cluster_id = $1 AND archived_at IS NULL LIMIT 1`, id)
	return found, err
}

func nullUser(id domain.UserID) *domain.UserID {
	if id == "" {
		return nil
	}
	return &id
}

func sortMaintainers(m []domain.Maintainer) {
	slices.SortFunc(m, func(a, b domain.Maintainer) int { return strings.Compare(string(a.ID), string(b.ID)) })
}

// IsDefaultCluster reports whether new pipelines of the cluster's organization go to it.
func (tx Tx) IsDefaultCluster(c domain.Cluster) (bool, error) {
	_, found, err := one(tx, (*db.Row).Int, `SELECT 1 FROM organizations WHERE id = $1 AND default_cluster_id = $2`, c.OrganizationID, c.ID)
	return found, err
}
