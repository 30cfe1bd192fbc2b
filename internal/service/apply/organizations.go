package apply

import (
	"cmp"
	"fmt"
	"slices"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

func (b *bootstrapping) applyUser(u *bootstrap.User) error {
	user := domain.NewUser(domain.UserInput{ID: u.ID, Email: u.Email, Name: u.Name, Password: u.Password}, b.now,
		&b.broken)
	return b.item(u.Path, newBootstrapItem(userItem, domain.EmailKey(u.Email)), func() (bool, error) {
		_, exists, err := b.tx.UserByEmail(u.Email)
		if err != nil || exists {
			return false, err
		}
		return true, b.insert(u.Path, user.ID, func() error { return b.tx.InsertUser(user, b.hashes[u.Email]) })
	})
}

// newOrganization is an organization that was never applied before.
type newOrganization struct {
	*bootstrap.Organization
	stored domain.Organization
	isMade bool // rather than there already
}

// applyOrganization leaves out what may refer to later items: the billing parent and the default cluster.
func (b *bootstrapping) applyOrganization(o *bootstrap.Organization) error {
	made := b.describeOrganization(o)
	return b.item(o.Path, newBootstrapItem(organizationItem, o.Slug), func() (bool, error) {
		stored, exists, err := b.tx.OrganizationBySlug(o.Slug)
		if err != nil {
			return false, err
		}
		if exists {
			b.organizations = append(b.organizations, newOrganization{o, stored, false})
			return false, nil
		}
		if domain.IsReservedSlug(o.Slug) {
			b.fault(o.Path+".slug", domain.ReservedSlug(o.Slug))
			return false, errRefused
		}
		if err := b.insert(o.Path, made.ID, func() error { return b.tx.InsertOrganization(made) }); err != nil {
			return false, err
		}
		b.organizations = append(b.organizations, newOrganization{o, made, true})
		return true, b.record(made.ID, domain.OrganizationCreated, core.OrganizationSubject(made),
			core.FactsOfOrganization(made))
	})
}

func (b *bootstrapping) describeOrganization(o *bootstrap.Organization) domain.Organization {
	made := domain.OrganizationInput{
		ID: o.ID, Slug: o.Slug, Name: o.Name, Plan: o.Subscription.Plan, BillingAnchor: o.Subscription.Anchor,
	}.Organization(b.now, &b.broken)
	made.Apply(domain.OrganizationPatch{
		ClusterWrites:                        optional(o.Settings.ClusterWrites),
		MaintainersCanDestroyCacheRegistries: optional(o.Settings.MaintainersCanDestroyCacheRegistries),
		MembersCanCreatePipelines:            optional(o.Settings.MembersCanCreatePipelines),
		RevokeInactiveTokensAfterDays:        optional(o.Settings.RevokeInactiveTokensAfterDays),
		AuditRetentionDays:                   optional(o.Settings.AuditRetentionDays),
		RestrictUserAPITokenCreation:         optional(o.Settings.RestrictUserAPITokenCreation),
		DefaultBranch:                        optional(o.Settings.DefaultBranch),
		DefaultTimeoutInMinutes:              optional(o.Settings.DefaultTimeoutInMinutes),
		MaximumTimeoutInMinutes:              optional(o.Settings.MaximumTimeoutInMinutes),
		ScheduledJobExpiryInMinutes:          optional(o.Settings.ScheduledJobExpiryInMinutes),
		BuildRetentionDays:                   optional(o.Settings.BuildRetentionDays),
		MembersCanCreatePublicPipelines:      optional(o.Settings.MembersCanCreatePublicPipelines),
	}, domain.OrganizationEditor{At: b.now}, &b.broken)
	addresses := domain.CheckAPIAddresses("settings.allowed_api_ip_addresses",
		optional(o.Settings.AllowedAPIIPAddresses).Value, &b.broken)
	made.Settings.AllowedAPIIPAddresses = addresses.String()
	return made
}

func optional[T any](given *T) domain.Optional[T] {
	if given == nil {
		return domain.Optional[T]{}
	}
	return domain.Some(*given)
}

func (b *bootstrapping) setBillingParent(o newOrganization) error {
	if o.BillingParent == "" {
		return nil
	}
	path := o.Path + ".billing_parent"
	if _, err := b.organization(path, o.BillingParent); err != nil || !o.isMade {
		return b.need(err)
	}
	var faults domain.Faults
	if err := core.SetBillingParent(b.tx, &o.stored, o.BillingParent, &faults); err != nil {
		return err
	}
	if len(faults) > 0 {
		b.fault(path, faults[0].Reason)
		return errRefused
	}
	return b.tx.UpdateBilling(o.stored) // a new organization has no activity yet that could be counted
}

func (b *bootstrapping) setDefaultCluster(o newOrganization) error {
	if o.Settings.DefaultCluster == "" {
		return nil
	}
	cluster, err := b.cluster(o.Path+".settings.default_cluster", o.Slug, o.Settings.DefaultCluster)
	if err != nil || !o.isMade {
		return b.need(err)
	}
	return b.tx.SetDefaultCluster(o.stored.ID, &cluster.ID)
}

// bootstrapOwner applies what belongs to an organization.
type bootstrapOwner struct {
	*bootstrapping
	id      domain.OrganizationID // empty: the organization is missing
	slug    string
	creator domain.UserID // the organization's first declared administrator; empty: nobody
}

func (b *bootstrapping) applyBelongings(o *bootstrap.Organization) error {
	stored, _, err := b.tx.OrganizationBySlug(o.Slug)
	if err != nil {
		return err
	}
	owner := bootstrapOwner{bootstrapping: b, id: stored.ID, slug: o.Slug}
	if i := slices.IndexFunc(o.Members, func(m *bootstrap.Member) bool { return m.Role == domain.RoleAdmin }); i >= 0 {
		admin, _, err := b.tx.UserByEmail(o.Members[i].User)
		if err != nil {
			return err
		}
		owner.creator = admin.ID
	}
	return runSteps(
		func() error { return each(o.Members, owner.applyMember) },
		func() error { return each(o.Teams, owner.applyTeam) },
		func() error { return each(o.Clusters, owner.applyCluster) },
		func() error { return each(o.Pipelines, owner.applyPipeline) },
	)
}

// item is that of bootstrapping for an item that has those names in the organization.
func (o *bootstrapOwner) item(path, kind string, names []string, apply func() (made bool, err error)) error {
	item := newBootstrapItem(kind, slices.Insert(names, 0, o.slug)...)
	return o.bootstrapping.item(path, item, func() (bool, error) {
		if err := o.expect(o.id != "", nil, path, organizationItem, o.slug); err != nil {
			return false, err
		}
		return apply()
	})
}

func (o *bootstrapOwner) applyMember(m *bootstrap.Member) error {
	member := domain.NewMember(o.id, "", cmp.Or(m.Role, domain.RoleMember), o.now, &o.broken)
	return o.item(m.Path, memberItem, []string{domain.EmailKey(m.User)}, func() (bool, error) {
		user, err := o.user(m.Path+".user", m.User)
		if err != nil {
			return false, err
		}
		exists, err := o.tx.IsMember(o.id, user.ID)
		if err != nil || exists {
			return false, err
		}
		member.UserID = user.ID
		return true, o.core.AddMember(o.tx, member, user, o.creator)
	})
}

func (o *bootstrapOwner) applyTeam(t *bootstrap.Team) error {
	o.checkSlug(t.Slug)
	team := domain.NewTeam(domain.TeamInput{Name: domain.Some(t.Name), Slug: t.Slug}, o.id, o.now, &o.broken)
	chooseID(&team.ID, t.ID, &o.broken)
	err := o.item(t.Path, teamItem, []string{team.Slug}, func() (bool, error) {
		_, exists, err := o.tx.TeamIDBySlug(o.slug, team.Slug)
		if err != nil || exists {
			return false, err
		}
		if err := o.insert(t.Path, team.ID, func() error { return o.tx.InsertTeam(team, o.creator) }); err != nil {
			return false, err
		}
		return true, o.record(o.id, domain.TeamCreated, core.TeamSubject(team), core.FactsOfTeam(team))
	})
	if err != nil {
		return err
	}
	return each(t.Members, func(m *bootstrap.TeamMember) error { return o.applyTeamMember(team.Slug, m) })
}

// checkSlug allows a slug that the file leaves out.
func (b *bootstrapping) checkSlug(slug string) {
	if slug != "" && !domain.ValidSlug(slug) {
		b.broken.Add("slug", domain.InvalidSlug)
	}
}

func (o *bootstrapOwner) applyTeamMember(team string, m *bootstrap.TeamMember) error {
	member := domain.TeamMember{ID: domain.NewID[domain.TeamMemberID](), OrganizationID: o.id, CreatedAt: o.now}
	member.Apply(domain.TeamMemberInput{Role: domain.Some(string(cmp.Or(m.Role, domain.TeamRoleMember)))}, &o.broken)
	return o.item(m.Path, teamMemberItem, []string{team, domain.EmailKey(m.User)}, func() (_ bool, err error) {
		if member.TeamID, err = o.team(m.Path, o.slug, team); err != nil {
			return false, err
		}
		if member.UserID, err = o.member(m.Path+".user", o.slug, m.User); err != nil {
			return false, err
		}
		exists, err := o.tx.IsTeamMember(member.TeamID, member.UserID)
		if err != nil || exists {
			return false, err
		}
		if err := o.tx.InsertTeamMember(member, o.creator); err != nil {
			return false, err
		}
		made, _, err := o.tx.TeamMember(member.TeamID, member.UserID)
		if err != nil {
			return false, err
		}
		return true, o.record(o.id, domain.TeamMemberCreated, core.TeamMemberSubject(made), core.FactsOfTeamMember(member))
	})
}

func (o *bootstrapOwner) applyPipeline(p *bootstrap.Pipeline) error {
	in := domain.PipelineInput{Name: domain.Some(p.Name), Repository: domain.Some(p.Repository)}
	if p.Slug != "" {
		in.Slug = domain.Some(p.Slug)
	}
	pipeline := domain.NewPipeline(in, o.id, o.now, &o.broken)
	chooseID(&pipeline.ID, p.ID, &o.broken)
	return o.item(p.Path, pipelineItem, []string{pipeline.Slug}, func() (bool, error) {
		if p.Cluster != "" {
			cluster, err := o.cluster(p.Path+".cluster", o.slug, p.Cluster)
			if err != nil {
				return false, err
			}
			pipeline.ClusterID = &cluster.ID
		}
		exists, err := o.tx.HasPipeline(o.id, pipeline.Slug)
		if err != nil || exists {
			return false, err
		}
		if err := o.insert(p.Path, pipeline.ID, func() error {
			_, err := o.tx.InsertPipeline(pipeline, o.creator)
			return err
		}); err != nil {
			return false, err
		}
		return true, o.record(o.id, domain.PipelineCreated, core.PipelineSubject(pipeline), core.FactsOfPipeline(pipeline))
	})
}

func (b *bootstrapping) applyToken(t *bootstrap.Token) error {
	token, _ := domain.NewAPIToken(domain.APITokenInput{
		Description: cmp.Or(t.Description, "none"), Scopes: t.Scopes, GraphQL: t.GraphQL, Value: t.Token,
	}, b.now, &b.broken)
	token.Description = t.Description // which the file may leave out
	hash := domain.HashToken(t.Token.Reveal())
	return b.item(t.Path, newBootstrapItem(tokenItem, hash), func() (bool, error) {
		user, err := b.user(t.Path+".user", t.User)
		if len(b.missing) > 0 {
			return false, err // skipped, whatever it is for
		}
		granted, errGranted := b.granted(t, err == nil)
		if err := together(err, errGranted); err != nil {
			return false, err
		}
		_, exists, err := b.tx.APITokenByHash(hash)
		if err != nil || exists {
			return false, err
		}
		if err := b.tx.InsertAPIToken(token, hash, user.ID, granted); err != nil {
			return false, err
		}
		return true, b.core.RecordTokenCreation(b.tx, core.OperatorIn(""), token, user.ID)
	})
}

// granted returns the organizations that a token is for. All must be there: without one it would be another token, and
// an operator who adds one for somebody who has left must know.
func (b *bootstrapping) granted(t *bootstrap.Token, userExists bool) (granted []domain.OrganizationID, err error) {
	for i, slug := range t.Organizations {
		path := fmt.Sprintf("%s.organizations[%d]", t.Path, i)
		organization, errOne := b.organization(path, slug)
		if errOne == nil && userExists {
			_, errOne = b.member(path, slug, t.User)
		}
		granted = append(granted, organization)
		err = together(err, b.need(errOne))
	}
	return granted, err
}

func (b *bootstrapping) applyActivity(a *bootstrap.Activity) error {
	item := newBootstrapItem(activityItem, a.Organization, domain.EmailKey(a.User), a.On.Format(domain.DateLayout))
	return b.item(a.Path, item, func() (bool, error) {
		organization, errOrganization := b.organization(a.Path+".organization", a.Organization)
		user, err := b.user(a.Path+".user", a.User)
		if err := together(errOrganization, err); err != nil {
			return false, err
		}
		return b.tx.InsertActivity(organization, user.ID, a.On)
	})
}
