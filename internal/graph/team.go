package graph

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

func connectTeams(r *read.Snapshot, organizations []organization, args gql.Args) (
	[]*read.Connection[*domain.TeamView], error) {
	filter := domain.TeamFilter{Search: args.String("search"), Privacy: listArg(args, "privacy",
		lowerEnum[domain.TeamPrivacy])}
	var err error
	if selector, state := gql.Arg[string](args, "user"); state == gql.Given {
		id := parseSelector[domain.UserID]("User", selector)
		if id == "" {
			if id, err = r.UserIDByEmail(organizations, selector); err != nil {
				return nil, err
			}
		}
		filter.User = &id
	}
	filter.Pipeline, filter.PipelineSlug, err = selectorArg(args, "pipeline", "Pipeline",
		func(organization, slug string) (domain.PipelineID, error) {
			p, err := r.PipelineBySlug(organization, slug)
			if err != nil || p == nil {
				return "", err
			}
			return p.ID, nil
		})
	if err != nil {
		return nil, err
	}
	return r.TeamsOf(organizations, filter, orderArg(args, domain.ByName), connectionPart(args))
}

func bindTeams(b *gql.Builder) {
	type team = *domain.TeamView
	gql.DeclareObject[team](b, "Team")
	bindIDs(b, "Team", func(t team) domain.TeamID { return t.ID })
	bindText(b, "Team.name", func(t team) string { return t.Name })
	bindText(b, "Team.slug", func(t team) string { return t.Slug })
	bindNullableText(b, "Team.description", func(t team) *string { return t.Description })
	bindText(b, "Team.privacy", func(t team) string { return upperEnum(t.Privacy) })
	bindBool(b, "Team.isDefaultTeam", func(t team) bool { return t.IsDefaultTeam })
	bindText(b, "Team.defaultMemberRole", func(t team) string { return upperEnum(t.DefaultMemberRole) })
	bindBool(b, "Team.membersCanCreatePipelines", func(t team) bool { return t.MembersCanCreatePipelines })
	bindBool(b, "Team.membersCanDeletePipelines", func(t team) bool { return t.MembersCanDeletePipelines })
	bindBool(b, "Team.membersCanCreateSuites", func(t team) bool { return t.MembersCanCreateSuites })
	bindBool(b, "Team.membersCanCreateRegistries", func(t team) bool { return t.MembersCanCreateRegistries })
	bindBool(b, "Team.membersCanDestroyRegistries", func(t team) bool { return t.MembersCanDestroyRegistries })
	bindBool(b, "Team.membersCanDestroyPackages", func(t team) bool { return t.MembersCanDestroyPackages })
	bindTime(b, "Team.createdAt", func(t team) time.Time { return t.CreatedAt })
	bindPart(b, "Team.createdBy", func(t team) *domain.User { return t.CreatedBy })
	bindReference(b, "Team.organization", func(t team) domain.OrganizationID {
		return t.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindConnectionField(b, "Team.members", func(r *read.Snapshot, teams []team, args gql.Args) (
		[]*read.Connection[*domain.TeamMemberView], error) {
		return r.MembersOfTeams(teams, listArg(args, "role", lowerEnum[domain.TeamRole]), args.String("search"),
			orderArg(args, domain.RecentlyCreated), connectionPart(args))
	})
	bindConnectionField(b, "Team.pipelines", func(r *read.Snapshot, teams []team, args gql.Args) (
		[]*read.Connection[*domain.TeamPipelineView], error) {
		return r.PipelinesOfTeams(teams, args.String("search"), orderArg(args, domain.RecentlyCreated), connectionPart(args))
	})
	bindPermissions(b, "Team", "TeamPermissions", map[string]func(*read.Snapshot, []team) ([]bool, error){
		"pipelineView":       permitOnTeams(authz.ReadPipeline),
		"teamDelete":         permitOnTeams(authz.DeleteTeam),
		"teamMemberCreate":   permitOnTeams(authz.WriteTeamMember),
		"teamPipelineCreate": (*read.Snapshot).TeamPipelineCreatePermitted,
		"teamUpdate":         permitOnTeams(authz.UpdateTeam),
	})
	bindConnection[team](b, "Team")
	bindTeamMembers(b)
	bindTeamPipelines(b)
}

func permitOnTeams(action authz.Action) func(*read.Snapshot, []*domain.TeamView) ([]bool, error) {
	return func(r *read.Snapshot, teams []*domain.TeamView) ([]bool, error) {
		return r.TeamPermitted(teams, action)
	}
}

func bindTeamMembers(b *gql.Builder) {
	type member = *domain.TeamMemberView
	gql.DeclareObject[member](b, "TeamMember")
	bindIDs(b, "TeamMember", func(m member) domain.TeamMemberID { return m.ID })
	bindText(b, "TeamMember.role", func(m member) string { return upperEnum(m.Role) })
	bindTime(b, "TeamMember.createdAt", func(m member) time.Time { return m.CreatedAt })
	bindPart(b, "TeamMember.createdBy", func(m member) *domain.User { return m.CreatedBy })
	bindPart(b, "TeamMember.user", func(m member) *domain.User { return &m.User })
	bindReference(b, "TeamMember.team", func(m member) domain.TeamID { return m.TeamID }, (*read.Snapshot).Teams)
	gql.BindObject(b, "TeamMember.organizationMember", func(ctx context.Context, members []member,
		_ gql.Args) ([]*domain.MemberView, error) {
		keys := make([]domain.MembershipKey, len(members))
		for i, m := range members {
			keys[i] = domain.MembershipKey{Organization: m.OrganizationID, User: m.UserID}
		}
		return readingOf(ctx).MembersOf(keys)
	})
	bindPermissions(b, "TeamMember", "TeamMemberPermissions", map[string]func(*read.Snapshot, []member) ([]bool, error){
		"teamMemberDelete": (*read.Snapshot).TeamMemberPermitted, "teamMemberUpdate": (*read.Snapshot).TeamMemberPermitted,
	})
	bindConnection[member](b, "TeamMember")
}

func bindTeamPipelines(b *gql.Builder) {
	type access = *domain.TeamPipelineView
	gql.DeclareObject[access](b, "TeamPipeline")
	bindIDs(b, "TeamPipeline", func(p access) domain.TeamPipelineID { return p.ID })
	bindText(b, "TeamPipeline.accessLevel", func(p access) string { return upperEnum(p.AccessLevel) })
	bindTime(b, "TeamPipeline.createdAt", func(p access) time.Time { return p.CreatedAt })
	bindPart(b, "TeamPipeline.createdBy", func(p access) *domain.User { return p.CreatedBy })
	bindReference(b, "TeamPipeline.team", func(p access) domain.TeamID { return p.TeamID }, (*read.Snapshot).Teams)
	bindReference(b, "TeamPipeline.pipeline", func(p access) domain.PipelineID {
		return p.PipelineID
	}, (*read.Snapshot).Pipelines)
	bindPermissions(b, "TeamPipeline", "TeamPipelinePermissions", map[string]func(*read.Snapshot, []access) ([]bool,
		error){
		"teamPipelineDelete": (*read.Snapshot).TeamPipelinePermitted,
		"teamPipelineUpdate": (*read.Snapshot).TeamPipelinePermitted,
	})
	bindConnection[access](b, "TeamPipeline")
}
