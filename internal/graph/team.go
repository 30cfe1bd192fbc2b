package graph

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

func teamsOf(r *read.Snapshot, organizations []organization, args gql.Args) ([]*read.Connection[*domain.TeamView], error) {
	filter := domain.TeamFilter{Search: args.String("search"), Privacy: enums(args, "privacy", lower[domain.TeamPrivacy])}
	var err error
	if selector, state := gql.Arg[string](args, "user"); state == gql.Given {
		id := selected[domain.UserID]("User", selector)
		if id == "" {
			if id, err = r.UserIDByEmail(organizations, selector); err != nil {
				return nil, err
			}
		}
		filter.User = &id
	}
	filter.Pipeline, filter.PipelineSlug, err = selectedIn(args, "pipeline", "Pipeline", func(organization, slug string) (domain.PipelineID, error) {
		p, err := r.PipelineBySlug(organization, slug)
		if err != nil || p == nil {
			return "", err
		}
		return p.ID, nil
	})
	if err != nil {
		return nil, err
	}
	return r.TeamsOf(organizations, filter, orderArg(args, domain.ByName), partOf(args))
}

func bindTeams(b *gql.Builder) {
	type team = *domain.TeamView
	gql.Object[team](b, "Team")
	ids(b, "Team", func(t team) domain.TeamID { return t.ID })
	text(b, "Team.name", func(t team) string { return t.Name })
	text(b, "Team.slug", func(t team) string { return t.Slug })
	nullableText(b, "Team.description", func(t team) *string { return t.Description })
	text(b, "Team.privacy", func(t team) string { return upper(t.Privacy) })
	flag(b, "Team.isDefaultTeam", func(t team) bool { return t.IsDefaultTeam })
	text(b, "Team.defaultMemberRole", func(t team) string { return upper(t.DefaultMemberRole) })
	flag(b, "Team.membersCanCreatePipelines", func(t team) bool { return t.MembersCanCreatePipelines })
	flag(b, "Team.membersCanDeletePipelines", func(t team) bool { return t.MembersCanDeletePipelines })
	instant(b, "Team.createdAt", func(t team) time.Time { return t.CreatedAt })
	part(b, "Team.createdBy", func(t team) *domain.User { return t.CreatedBy })
	referred(b, "Team.organization", func(t team) domain.OrganizationID { return t.OrganizationID }, (*read.Snapshot).Organizations)
	connected(b, "Team.members", func(r *read.Snapshot, teams []team, args gql.Args) ([]*read.Connection[*domain.TeamMemberView], error) {
		return r.MembersOfTeams(teams, enums(args, "role", lower[domain.TeamRole]), args.String("search"), orderArg(args, domain.RecentlyCreated), partOf(args))
	})
	connected(b, "Team.pipelines", func(r *read.Snapshot, teams []team, args gql.Args) ([]*read.Connection[*domain.TeamPipelineView], error) {
		return r.PipelinesOfTeams(teams, args.String("search"), orderArg(args, domain.RecentlyCreated), partOf(args))
	})
	permissionsOf(b, "Team", "TeamPermissions", map[string]func(*read.Snapshot, []team) ([]bool, error){
		"pipelineView":       overTeams(authz.ReadPipeline),
		"teamDelete":         overTeams(authz.DeleteTeam),
		"teamMemberCreate":   overTeams(authz.WriteTeamMember),
		"teamPipelineCreate": (*read.Snapshot).TeamPipelineCreatePermitted,
		"teamUpdate":         overTeams(authz.UpdateTeam),
	})
	bindConnection[team](b, "Team")
	bindTeamMembers(b)
	bindTeamPipelines(b)
}

func overTeams(action authz.Action) func(*read.Snapshot, []*domain.TeamView) ([]bool, error) {
	return func(r *read.Snapshot, teams []*domain.TeamView) ([]bool, error) {
		return r.TeamPermitted(teams, action)
	}
}

func bindTeamMembers(b *gql.Builder) {
	type member = *domain.TeamMemberView
	gql.Object[member](b, "TeamMember")
	ids(b, "TeamMember", func(m member) domain.TeamMemberID { return m.ID })
	text(b, "TeamMember.role", func(m member) string { return upper(m.Role) })
	instant(b, "TeamMember.createdAt", func(m member) time.Time { return m.CreatedAt })
	part(b, "TeamMember.createdBy", func(m member) *domain.User { return m.CreatedBy })
	part(b, "TeamMember.user", func(m member) *domain.User { return &m.User })
	referred(b, "TeamMember.team", func(m member) domain.TeamID { return m.TeamID }, (*read.Snapshot).Teams)
	gql.One(b, "TeamMember.organizationMember", func(ctx context.Context, members []member, _ gql.Args) ([]*domain.MemberView, error) {
		keys := make([]domain.MembershipKey, len(members))
		for i, m := range members {
			keys[i] = domain.MembershipKey{Organization: m.OrganizationID, User: m.UserID}
		}
		return readingOf(ctx).MembersOf(keys)
	})
	permissionsOf(b, "TeamMember", "TeamMemberPermissions", map[string]func(*read.Snapshot, []member) ([]bool, error){
		"teamMemberDelete": (*read.Snapshot).TeamMemberPermitted, "teamMemberUpdate": (*read.Snapshot).TeamMemberPermitted,
	})
	bindConnection[member](b, "TeamMember")
}

func bindTeamPipelines(b *gql.Builder) {
	type access = *domain.TeamPipelineView
	gql.Object[access](b, "TeamPipeline")
	ids(b, "TeamPipeline", func(p access) domain.TeamPipelineID { return p.ID })
	text(b, "TeamPipeline.accessLevel", func(p access) string { return upper(p.AccessLevel) })
	instant(b, "TeamPipeline.createdAt", func(p access) time.Time { return p.CreatedAt })
	part(b, "TeamPipeline.createdBy", func(p access) *domain.User { return p.CreatedBy })
	referred(b, "TeamPipeline.team", func(p access) domain.TeamID { return p.TeamID }, (*read.Snapshot).Teams)
	referred(b, "TeamPipeline.pipeline", func(p access) domain.PipelineID { return p.PipelineID }, (*read.Snapshot).Pipelines)
	permissionsOf(b, "TeamPipeline", "TeamPipelinePermissions", map[string]func(*read.Snapshot, []access) ([]bool, error){
		"teamPipelineDelete": (*read.Snapshot).TeamPipelinePermitted, "teamPipelineUpdate": (*read.Snapshot).TeamPipelinePermitted,
	})
	bindConnection[access](b, "TeamPipeline")
}
