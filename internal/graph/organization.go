package graph

import (
	"context"
	"errors"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type organization = *read.Organization

func bindOrganizations(b *gql.Builder) {
	gql.DeclareObject[organization](b, "Organization")
	bindIDs(b, "Organization", func(o organization) domain.OrganizationID { return o.ID })
	bindText(b, "Organization.name", func(o organization) string { return o.Name })
	bindText(b, "Organization.slug", func(o organization) string { return o.Slug })
	bindTime(b, "Organization.createdAt", func(o organization) time.Time { return o.CreatedAt })
	bindBool(b, "Organization.public", func(organization) bool { return false })
	bindBool(b, "Organization.membersRequireTwoFactorAuthentication", func(organization) bool { return false })
	bindBool(b, "Organization.isTeamsEnabled", func(organization) bool { return true })
	bindNullableText(b, "Organization.iconUrl", func(organization) *string { return nil })
	bindNullableText(b, "Organization.allowedApiIpAddresses", func(o organization) *string {
		if !o.Administered() {
			return nil
		}
		return &o.Settings.AllowedAPIIPAddresses
	})
	bindNullableText(b, "Organization.revokeInactiveTokensAfter", func(o organization) *string {
		period, known := inactivePeriods[o.Settings.RevokeInactiveTokensAfterDays]
		if !o.Administered() || !known {
			return nil
		}
		return &period
	})
	bindPart(b, "Organization.settings", func(o organization) *organizationSettings {
		if !o.Administered() {
			return nil
		}
		return &organizationSettings{o.Settings}
	})
	bindOrganizationSettings(b)
	gql.BindColumn(b, "Organization.activeUsersCount", func(ctx context.Context, organizations []organization,
		_ gql.Args) ([]int64, error) {
		users, errs := readingOf(ctx).ActiveUsers(organizations)
		if errors.Join(errs...) != nil {
			return users, gql.Errors(errs)
		}
		return users, nil
	}, gql.AppendInt)
	bindOrganizationLists(b)
	bindPermissions(b, "Organization", "OrganizationPermissions", map[string]func(*read.Snapshot, []organization) ([]bool,
		error){
		"agentTokenCreate":                permitInOrganizations(authz.WriteUnclusteredToken),
		"agentTokenView":                  permitInOrganizations(authz.ReadUnclusteredToken),
		"agentView":                       permitInOrganizations(authz.ReadAgent),
		"auditEventsView":                 permitInOrganizations(authz.ReadAuditEvent),
		"organizationBillingUpdate":       permitNobody[organization],
		"organizationInvitationCreate":    permitInOrganizations(authz.WriteInvitation),
		"organizationMemberUpdate":        permitInOrganizations(authz.WriteMember),
		"organizationMemberView":          permitInOrganizations(authz.ReadMember),
		"organizationMemberViewSensitive": permitInOrganizations(authz.WriteMember),
		"organizationUpdate":              permitInOrganizations(authz.UpdateOrganization),
		"pipelineCreate":                  permitInOrganizations(authz.CreatePipeline),
		"pipelineCreateWithoutTeams":      permitInOrganizations(authz.CreatePipeline),
		"pipelineView":                    permitInOrganizations(authz.ReadPipeline),
		"teamAdmin":                       permitInOrganizations(authz.DeleteTeam),
		"teamCreate":                      permitInOrganizations(authz.CreateTeam),
		"teamEnabledChange":               permitNobody[organization],
		"teamView":                        permitInOrganizations(authz.ReadMember),
	})
	bindConnectionOf(b, "Organization", func(ctx context.Context, memberships []*domain.Membership) ([]organization,
		error) {
		return readingOf(ctx).Admitted(memberships)
	})
	bindOrganizationMembers(b)
}

func permitInOrganizations(action authz.Action) func(*read.Snapshot, []organization) ([]bool, error) {
	return func(r *read.Snapshot, organizations []organization) ([]bool, error) {
		return r.OrganizationPermitted(organizations, action)
	}
}

// inactivePeriods has the days that the schema has a name for.
var inactivePeriods = map[int64]string{0: "NEVER", 30: "DAYS_30", 60: "DAYS_60", 90: "DAYS_90", 180: "DAYS_180",
	365: "DAYS_365"}

func bindOrganizationLists(b *gql.Builder) {
	gql.BindObject(b, "Organization.cluster", func(ctx context.Context, organizations []organization, args gql.Args) (
		[]*domain.ClusterView, error) {
		clusters := make([]*domain.ClusterView, len(organizations))
		found, err := findByID(args.String("id"), readingOf(ctx).Clusters)
		for i, o := range organizations {
			if found != nil && found.OrganizationID == o.ID {
				clusters[i] = found
			}
		}
		return clusters, err
	})
	bindConnectionField(b, "Organization.clusters", func(r *read.Snapshot, os []organization, args gql.Args) (
		[]*read.Connection[*domain.ClusterView], error) {
		return r.ClustersOf(os, orderArg(args, domain.ByName), connectionPart(args))
	})
	gql.BindObject(b, "Organization.pipelines", withChecks(connectPipelines))
	bindConnectionField(b, "Organization.teams", connectTeams)
	bindConnectionField(b, "Organization.members", connectMembers)
	bindConnectionField(b, "Organization.apiAccessTokens", func(r *read.Snapshot, os []organization, args gql.Args) (
		[]*read.Connection[*domain.OrganizationToken], error) {
		return r.TokensOf(os, domain.TokenFilter{}, connectionPart(args))
	})
	bindConnectionField(b, "Organization.portals", func(r *read.Snapshot, os []organization, args gql.Args) (
		[]*read.Connection[*domain.PortalView], error) {
		return r.PortalsOf(os, args.String("search"), orderArg(args, domain.ByName), connectionPart(args))
	})
	bindConnectionField(b, "Organization.auditEvents", connectAuditEvents)
}

func connectMembers(r *read.Snapshot, organizations []organization, args gql.Args) (
	[]*read.Connection[*domain.MemberView], error) {
	filter := domain.MemberFilter{Search: args.String("search")}
	if email, state := gql.Arg[string](args, "email"); state == gql.Given {
		filter.Email = &email
	}
	filter.Roles = listArg(args, "role", lowerEnum[domain.Role])
	filter.InactiveSince = timeArg(args, "inactiveSince")
	var err error
	if filter.Team, filter.TeamSlug, err = teamArg(r, args); err != nil {
		return nil, err
	}
	return r.MembersOfOrganizations(organizations, filter, orderArg(args, domain.RecentlyCreated), connectionPart(args))
}

func bindOrganizationMembers(b *gql.Builder) {
	type member = *domain.MemberView
	gql.DeclareObject[member](b, "OrganizationMember")
	bindIDs(b, "OrganizationMember", func(m member) domain.MemberID { return m.ID })
	bindTime(b, "OrganizationMember.createdAt", func(m member) time.Time { return m.CreatedAt })
	gql.BindLeaf(b, "OrganizationMember.lastSeenAt", func(dst []byte, m member) []byte {
		if m.LastSeenOn == nil {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, *m.LastSeenOn+"T00:00:00.000Z")
	})
	bindText(b, "OrganizationMember.role", func(m member) string { return upperEnum(m.Role) })
	gql.DeclareObject[domain.SSOMode](b, "OrganizationMemberSSO")
	bindPart(b, "OrganizationMember.sso", func(m member) domain.SSOMode { return m.SSOMode })
	bindText(b, "OrganizationMemberSSO.mode", upperEnum[domain.SSOMode])
	bindPart(b, "OrganizationMember.createdBy", func(m member) *domain.User { return m.CreatedBy })
	bindPart(b, "OrganizationMember.user", func(m member) *domain.User { return &m.User })
	bindReference(b, "OrganizationMember.organization", func(m member) domain.OrganizationID {
		return m.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindConnectionField(b, "OrganizationMember.teams", func(r *read.Snapshot, members []member, args gql.Args) (
		[]*read.Connection[*domain.TeamMemberView], error) {
		return r.TeamsOfMembers(members, orderArg(args, domain.RecentlyCreated), connectionPart(args))
	})
	bindPermissions(b, "OrganizationMember", "OrganizationMemberPermissions", map[string]func(*read.Snapshot,
		[]member) ([]bool, error){
		"organizationMemberDelete": permitOnMembers, "organizationMemberUpdate": permitOnMembers,
	})
	bindConnection[member](b, "OrganizationMember")
}

func permitOnMembers(r *read.Snapshot, members []*domain.MemberView) ([]bool, error) {
	return r.MemberPermitted(members, authz.WriteMember)
}

// organizationSettings are those of an organization that the caller administers.
type organizationSettings struct{ domain.OrganizationSettings }

func bindOrganizationSettings(b *gql.Builder) {
	type settings = *organizationSettings
	gql.DeclareObject[settings](b, "OrganizationSettings")
	bindText(b, "OrganizationSettings.clusterWrites", func(s settings) string { return upperEnum(s.ClusterWrites) })
	bindBool(b, "OrganizationSettings.maintainersCanDestroyCacheRegistries",
		func(s settings) bool { return s.MaintainersCanDestroyCacheRegistries })
	bindBool(b, "OrganizationSettings.membersCanCreatePipelines",
		func(s settings) bool { return s.MembersCanCreatePipelines })
	bindReference(b, "OrganizationSettings.defaultCluster", func(s settings) domain.ClusterID {
		return valueOrEmpty(s.DefaultClusterID)
	}, (*read.Snapshot).Clusters)
	bindText(b, "OrganizationSettings.allowedApiIpAddresses", func(s settings) string { return s.AllowedAPIIPAddresses })
	bindInt(b, "OrganizationSettings.revokeInactiveTokensAfterDays",
		func(s settings) int64 { return s.RevokeInactiveTokensAfterDays })
	bindInt(b, "OrganizationSettings.auditRetentionDays", func(s settings) int64 { return s.AuditRetentionDays })
	bindBool(b, "OrganizationSettings.restrictUserApiTokenCreation",
		func(s settings) bool { return s.RestrictUserAPITokenCreation })
	bindNullableText(b, "OrganizationSettings.defaultBranch", func(s settings) *string { return s.DefaultBranch })
	bindNullableInt(b, "OrganizationSettings.defaultTimeoutInMinutes",
		func(s settings) *int64 { return s.DefaultTimeoutInMinutes })
	bindNullableInt(b, "OrganizationSettings.maximumTimeoutInMinutes",
		func(s settings) *int64 { return s.MaximumTimeoutInMinutes })
	bindNullableInt(b, "OrganizationSettings.scheduledJobExpiryInMinutes",
		func(s settings) *int64 { return s.ScheduledJobExpiryInMinutes })
	bindNullableInt(b, "OrganizationSettings.buildRetentionDays", func(s settings) *int64 { return s.BuildRetentionDays })
	bindBool(b, "OrganizationSettings.membersCanCreatePublicPipelines",
		func(s settings) bool { return s.PublicPipelinesEnabledAt != nil })
	bindNullableTime(b, "OrganizationSettings.publicPipelinesEnabledAt",
		func(s settings) *time.Time { return s.PublicPipelinesEnabledAt })
	bindReference(b, "OrganizationSettings.publicPipelinesEnabledBy", func(s settings) domain.UserID {
		return valueOrEmpty(s.PublicPipelinesEnabledBy)
	}, (*read.Snapshot).Users)
}
