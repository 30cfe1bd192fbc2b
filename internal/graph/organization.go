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
	gql.Object[organization](b, "Organization")
	ids(b, "Organization", func(o organization) domain.OrganizationID { return o.ID })
	text(b, "Organization.name", func(o organization) string { return o.Name })
	text(b, "Organization.slug", func(o organization) string { return o.Slug })
	flag(b, "Organization.public", func(organization) bool { return false })
	flag(b, "Organization.isTeamsEnabled", func(organization) bool { return true })
	nullableText(b, "Organization.iconUrl", func(organization) *string { return nil })
	nullableText(b, "Organization.allowedApiIpAddresses", func(o organization) *string {
		if !o.Administered() {
			return nil
		}
		return &o.Settings.AllowedAPIIPAddresses
	})
	nullableText(b, "Organization.revokeInactiveTokensAfter", func(o organization) *string {
		period, known := inactivePeriods[o.Settings.RevokeInactiveTokensAfterDays]
		if !o.Administered() || !known {
			return nil
		}
		return &period
	})
	gql.Column(b, "Organization.activeUsersCount", func(ctx context.Context, organizations []organization, _ gql.Args) ([]int64, error) {
		users, errs := readingOf(ctx).ActiveUsers(organizations)
		if errors.Join(errs...) != nil {
			return users, gql.Errors(errs)
		}
		return users, nil
	}, gql.AppendInt)
	bindOrganizationLists(b)
	permissionsOf(b, "Organization", "OrganizationPermissions", map[string]func(*read.Snapshot, []organization) ([]bool, error){
		"auditEventsView":                 inOrganizations(authz.ReadAuditEvent),
		"organizationBillingUpdate":       never[organization],
		"organizationMemberUpdate":        inOrganizations(authz.WriteMember),
		"organizationMemberView":          inOrganizations(authz.ReadMember),
		"organizationMemberViewSensitive": inOrganizations(authz.WriteMember),
		"organizationUpdate":              inOrganizations(authz.UpdateOrganization),
		"pipelineCreate":                  inOrganizations(authz.CreatePipeline),
		"pipelineCreateWithoutTeams":      inOrganizations(authz.CreatePipeline),
		"pipelineView":                    inOrganizations(authz.ReadPipeline),
		"teamAdmin":                       inOrganizations(authz.DeleteTeam),
		"teamCreate":                      inOrganizations(authz.CreateTeam),
		"teamEnabledChange":               never[organization],
		"teamView":                        inOrganizations(authz.ReadMember),
	})
	bindConnectionOf(b, "Organization", func(ctx context.Context, memberships []*domain.Membership) ([]organization, error) {
		return readingOf(ctx).Admitted(memberships)
	})
	bindOrganizationMembers(b)
}

func inOrganizations(action authz.Action) func(*read.Snapshot, []organization) ([]bool, error) {
	return func(r *read.Snapshot, organizations []organization) ([]bool, error) {
		return r.OrganizationPermitted(organizations, action)
	}
}

// inactivePeriods has the days that the schema has a name for.
var inactivePeriods = map[int64]string{0: "NEVER", 30: "DAYS_30", 60: "DAYS_60", 90: "DAYS_90", 180: "DAYS_180", 365: "DAYS_365"}

func bindOrganizationLists(b *gql.Builder) {
	gql.One(b, "Organization.cluster", func(ctx context.Context, organizations []organization, args gql.Args) ([]*domain.ClusterView, error) {
		clusters := make([]*domain.ClusterView, len(organizations))
		found, err := byID(args.String("id"), readingOf(ctx).Clusters)
		for i, o := range organizations {
			if found != nil && found.OrganizationID == o.ID {
				clusters[i] = found
			}
		}
		return clusters, err
	})
	connected(b, "Organization.clusters", func(r *read.Snapshot, os []organization, args gql.Args) ([]*read.Connection[*domain.ClusterView], error) {
		return r.ClustersOf(os, orderArg(args, domain.ByName), partOf(args))
	})
	gql.One(b, "Organization.pipelines", sound(pipelinesOf))
	connected(b, "Organization.teams", teamsOf)
	connected(b, "Organization.members", membersOf)
	connected(b, "Organization.apiAccessTokens", func(r *read.Snapshot, os []organization, args gql.Args) ([]*read.Connection[*domain.OrganizationToken], error) {
		return r.TokensOf(os, domain.TokenFilter{}, partOf(args))
	})
	connected(b, "Organization.auditEvents", auditEventsOf)
}

func membersOf(r *read.Snapshot, organizations []organization, args gql.Args) ([]*read.Connection[*domain.MemberView], error) {
	filter := domain.MemberFilter{Search: args.String("search")}
	if email, state := gql.Arg[string](args, "email"); state == gql.Given {
		filter.Email = &email
	}
	filter.Roles = enums(args, "role", lower[domain.Role])
	filter.InactiveSince = timeArg(args, "inactiveSince")
	var err error
	if filter.Team, filter.TeamSlug, err = teamArg(r, args); err != nil {
		return nil, err
	}
	return r.MembersOfOrganizations(organizations, filter, orderArg(args, domain.RecentlyCreated), partOf(args))
}

func bindOrganizationMembers(b *gql.Builder) {
	type member = *domain.MemberView
	gql.Object[member](b, "OrganizationMember")
	ids(b, "OrganizationMember", func(m member) domain.MemberID { return m.ID })
	instant(b, "OrganizationMember.createdAt", func(m member) time.Time { return m.CreatedAt })
	gql.Leaf(b, "OrganizationMember.lastSeenAt", func(dst []byte, m member) []byte {
		if m.LastSeenOn == nil {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, *m.LastSeenOn+"T00:00:00.000Z")
	})
	text(b, "OrganizationMember.role", func(m member) string { return upper(m.Role) })
	part(b, "OrganizationMember.createdBy", func(m member) *domain.User { return m.CreatedBy })
	part(b, "OrganizationMember.user", func(m member) *domain.User { return &m.User })
	referred(b, "OrganizationMember.organization", func(m member) domain.OrganizationID { return m.OrganizationID }, (*read.Snapshot).Organizations)
	connected(b, "OrganizationMember.teams", func(r *read.Snapshot, members []member, args gql.Args) ([]*read.Connection[*domain.TeamMemberView], error) {
		return r.TeamsOfMembers(members, orderArg(args, domain.RecentlyCreated), partOf(args))
	})
	permissionsOf(b, "OrganizationMember", "OrganizationMemberPermissions", map[string]func(*read.Snapshot, []member) ([]bool, error){
		"organizationMemberDelete": overMembers, "organizationMemberUpdate": overMembers,
	})
	bindConnection[member](b, "OrganizationMember")
}

func overMembers(r *read.Snapshot, members []*domain.MemberView) ([]bool, error) {
	return r.MemberPermitted(members, authz.WriteMember)
}
