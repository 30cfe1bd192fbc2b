package service

import (
	"penstock/internal/bootstrap"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// newlyDeclared is an organization that was never applied before.
type newlyDeclared struct {
	*bootstrap.Organization
	stored domain.Organization
	made   bool // by this attempt, rather than there already
}

func (b *bootstrapping) organizations() error {
	return each(b.file.Organizations, func(o *bootstrap.Organization) error {
		return b.item(organizationItem, o.Slug, o.At, func() (bool, error) {
			stored, exists, err := b.tx.OrganizationBySlug(o.Slug)
			if err == nil && !exists {
				stored, err = b.makeOrganization(o)
			}
			if err != nil {
				return false, err
			}
			b.newly = append(b.newly, newlyDeclared{o, stored, !exists})
			return !exists, nil
		})
	})
}

// makeOrganization makes an organization without what may refer to later items: its billing parent and its
// default cluster, which belong to its event nonetheless.
func (b *bootstrapping) makeOrganization(o *bootstrap.Organization) (made domain.Organization, err error) {
	made = domain.NewOrganization(o.Slug, o.Name, b.now)
	if made.ID, err = chosenID(b, o.At, o.ID); err != nil {
		return made, err
	}
	made.Plan = o.Subscription.Plan
	if !o.Subscription.Anchor.IsZero() {
		made.BillingAnchor = o.Subscription.Anchor.Format(domain.DateLayout)
	}
	given, settings := o.Settings, &made.Settings
	if given.ClusterWrites.Given {
		settings.ClusterWrites = given.ClusterWrites.Value
	}
	if given.MaintainersCanDestroyCacheRegistries.Given {
		settings.MaintainersCanDestroyCacheRegistries = given.MaintainersCanDestroyCacheRegistries.Value
	}
	if given.MembersCanCreatePipelines.Given {
		settings.MembersCanCreatePipelines = given.MembersCanCreatePipelines.Value
	}
	settings.AllowedAPIIPAddresses = given.AllowedAPIIPAddresses.Value
	settings.RevokeInactiveTokensAfterDays = given.RevokeInactiveTokensAfterDays.Value
	settings.AuditRetentionDays = given.AuditRetentionDays.Value
	if err := b.tx.InsertOrganization(made); err != nil {
		return made, err
	}
	return made, b.record(made.ID, domain.OrganizationCreated, core.OrganizationSubject(made), core.FactsOfOrganization(made))
}

func (b *bootstrapping) billingParents() error {
	return each(b.newly, func(o *newlyDeclared) error {
		if o.BillingParent == "" {
			return nil
		}
		at := o.At.Key("billing_parent")
		return b.note(at, needed(b.billingParent(at, o)))
	})
}

func (b *bootstrapping) billingParent(at bootstrap.Place, o *newlyDeclared) error {
	if _, err := b.organization(at, o.BillingParent); err != nil || !o.made {
		return err
	}
	var faults domain.Faults
	if err := setBillingParent(b.tx, &o.stored, o.BillingParent, &faults); err != nil {
		return err
	}
	if len(faults) > 0 {
		return refuse(at, faults[0].Reason)
	}
	return b.tx.UpdateBilling(o.stored) // a new organization has no activity yet that could be counted
}

func (b *bootstrapping) defaultClusters() error {
	return each(b.newly, func(o *newlyDeclared) error {
		if !o.Settings.DefaultCluster.HasValue() {
			return nil
		}
		at := o.At.Key("settings").Key("default_cluster")
		cluster, err := b.clusterID(at, o.Slug, o.Settings.DefaultCluster.Value)
		if err == nil && o.made {
			err = b.tx.SetDefaultCluster(o.stored.ID, &cluster)
		}
		return b.note(at, needed(err))
	})
}

func (b *bootstrapping) pipelines(o *bootstrap.Organization) error {
	return each(o.Pipelines, func(p *bootstrap.Pipeline) error {
		return b.item(pipelineItem, itemKey(o.Slug, p.Slug), p.At, func() (bool, error) { return b.pipeline(o, p) })
	})
}

func (b *bootstrapping) pipeline(o *bootstrap.Organization, p *bootstrap.Pipeline) (made bool, err error) {
	organization, err := b.organization(p.At, o.Slug)
	if err != nil {
		return false, err
	}
	pipeline := domain.NewPipeline(p.Input(), organization, b.now, new(domain.Faults))
	if p.Cluster != "" {
		cluster, err := b.lockCluster(p.At.Key("cluster"), o.Slug, p.Cluster)
		if err != nil {
			return false, err
		}
		pipeline.ClusterID = &cluster.ID
	}
	exists, err := b.tx.HasPipeline(organization, p.Slug)
	if err != nil || exists {
		return false, err
	}
	if pipeline.ID, err = chosenID(b, p.At, p.ID); err != nil {
		return false, err
	}
	by, err := b.creator(o)
	if err != nil {
		return false, err
	}
	if err := b.tx.InsertPipeline(pipeline, by); err != nil {
		return false, err
	}
	return true, b.record(organization, domain.PipelineCreated, core.PipelineSubject(pipeline), core.FactsOfPipeline(pipeline))
}
