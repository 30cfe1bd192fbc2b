package apply

import (
	"slices"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
)

// lockOwners locks what is there already and may get new items: clusters, and the default teams, which new members
// join. The items themselves come in the order of the file, which is not that of locks.
func (b *bootstrapping) lockOwners() error {
	var organizations []domain.OrganizationID
	var clusters []domain.ClusterID
	for _, o := range b.file.Organizations {
		stored, found, err := b.tx.OrganizationBySlug(o.Slug)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		organizations = append(organizations, stored.ID)
		for name := range namedClusters(o) {
			id, found, err := b.tx.ClusterIDByName(o.Slug, name)
			if err != nil {
				return err
			}
			if found {
				clusters = append(clusters, id)
			}
		}
	}
	slices.Sort(clusters)
	for _, id := range clusters {
		if _, _, err := b.tx.LockCluster(id); err != nil {
			return err
		}
	}
	_, err := b.tx.LockDefaultTeams(organizations...)
	return err
}

// namedClusters returns the names of the clusters that an organization's items belong to.
func namedClusters(o *bootstrap.Organization) map[string]bool {
	names := make(map[string]bool)
	for _, c := range o.Clusters {
		names[c.Name] = true
	}
	for _, p := range o.Pipelines {
		if p.Cluster != "" {
			names[p.Cluster] = true
		}
	}
	return names
}

// lockUsage locks what is counted in the organizations that activity is declared of.
func (b *bootstrapping) lockUsage() error {
	var organizations []domain.OrganizationID
	for _, a := range b.file.Activity {
		stored, found, err := b.tx.OrganizationBySlug(a.Organization)
		if err != nil {
			return err
		}
		if found {
			organizations = append(organizations, stored.ID)
		}
	}
	slices.Sort(organizations)
	for _, id := range slices.Compact(organizations) {
		if err := b.tx.LockUsage(id); err != nil {
			return err
		}
	}
	return nil
}
