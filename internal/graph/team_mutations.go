package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

func bindTeamMutations(b *gql.Builder) {
	mutation(b, "teamCreate", "TeamCreatePayload", func(c change) (*payload, error) {
		made, err := c.service.CreateTeam(c.ctx, c.actor, c.organization("organizationID"), core.Value(teamInput(c.input)))
		return &payload{changedTeam: &made, organization: made.OrganizationID}, err
	})
	organizationField(b, "TeamCreatePayload.organization")
	bindNewEdge(b, "TeamCreatePayload.teamEdge", func(p *payload) *domain.TeamView { return p.changedTeam },
		func(r *read.Snapshot, p *payload) (*read.Connection[*domain.TeamView], error) {
			organizations, err := r.Organizations([]domain.OrganizationID{p.organization})
			if err != nil {
				return nil, err
			}
			connections, err := r.TeamsOf(organizations, domain.TeamFilter{}, domain.ByName, read.ConnectionPart{})
			return firstOf(connections, err)
		})

	mutation(b, "teamUpdate", "TeamUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.service.UpdateTeam(c.ctx, c.actor, c.team("id"), core.Value(teamInput(c.input)), nil)
		return &payload{changedTeam: &changed}, err
	})
	bindPart(b, "TeamUpdatePayload.team", func(p *payload) *domain.TeamView { return p.changedTeam })

	mutation(b, "teamDelete", "TeamDeletePayload", func(c change) (*payload, error) {
		deleted, err := c.service.DeleteTeam(c.ctx, c.actor, c.team("id"), nil)
		return &payload{deleted: c.input.String("id"), organization: deleted.OrganizationID}, err
	})
	deletedField(b, "TeamDeletePayload.deletedTeamID")
	organizationField(b, "TeamDeletePayload.organization")
	bindTeamMemberMutations(b)
	bindTeamPipelineMutations(b)
}

func teamInput(input gql.Args) domain.TeamInput {
	return domain.TeamInput{
		Name:                        optional[string](input, "name"),
		Description:                 optional[string](input, "description"),
		Privacy:                     optionalEnum(input, "privacy"),
		IsDefaultTeam:               optional[bool](input, "isDefaultTeam"),
		DefaultMemberRole:           optionalEnum(input, "defaultMemberRole"),
		MembersCanCreatePipelines:   optional[bool](input, "membersCanCreatePipelines"),
		MembersCanDeletePipelines:   optional[bool](input, "membersCanDeletePipelines"),
		MembersCanCreateSuites:      optional[bool](input, "membersCanCreateSuites"),
		MembersCanCreateRegistries:  optional[bool](input, "membersCanCreateRegistries"),
		MembersCanDestroyRegistries: optional[bool](input, "membersCanDestroyRegistries"),
		MembersCanDestroyPackages:   optional[bool](input, "membersCanDestroyPackages"),
	}
}

func bindTeamMemberMutations(b *gql.Builder) {
	mutation(b, "teamMemberCreate", "TeamMemberCreatePayload", func(c change) (*payload, error) {
		user, userErr := optionalID(c.input, "userID", "User", "user")
		made, err := c.service.AddTeamMember(c.ctx, c.actor, c.team("teamID"),
			core.Sent(domain.TeamMemberInput{UserID: user, Role: optionalEnum(c.input, "role")}, userErr))
		return &payload{teamMember: &made, team: made.TeamID}, err
	})
	teamField(b, "TeamMemberCreatePayload.team")
	bindNewEdge(b, "TeamMemberCreatePayload.teamMemberEdge", func(p *payload) *domain.TeamMemberView {
		return p.teamMember
	},
		func(r *read.Snapshot, p *payload) (*read.Connection[*domain.TeamMemberView], error) {
			teams, err := r.Teams([]domain.TeamID{p.team})
			if err != nil {
				return nil, err
			}
			connections, err := r.MembersOfTeams(teams, nil, "", domain.RecentlyCreated, read.ConnectionPart{})
			return firstOf(connections, err)
		})

	mutation(b, "teamMemberUpdate", "TeamMemberUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.service.UpdateTeamMember(c.ctx, c.actor, c.teamOfMember(), "",
			core.Value(domain.TeamMemberInput{Role: optionalEnum(c.input, "role")}), nil)
		return &payload{teamMember: &changed}, err
	})
	bindPart(b, "TeamMemberUpdatePayload.teamMember", func(p *payload) *domain.TeamMemberView { return p.teamMember })

	mutation(b, "teamMemberDelete", "TeamMemberDeletePayload", func(c change) (*payload, error) {
		removed, err := c.service.RemoveTeamMember(c.ctx, c.actor, c.teamOfMember(), "", nil)
		return &payload{deleted: c.input.String("id"), team: removed.TeamID}, err
	})
	deletedField(b, "TeamMemberDeletePayload.deletedTeamMemberID")
	teamField(b, "TeamMemberDeletePayload.team")
}

func (c change) teamOfMember() domain.TeamRef {
	return c.teamOf("TeamMember", domain.TeamMemberThing)
}

func bindTeamPipelineMutations(b *gql.Builder) {
	mutation(b, "teamPipelineCreate", "TeamPipelineCreatePayload", func(c change) (*payload, error) {
		pipeline, pipelineErr := optionalID(c.input, "pipelineID", "Pipeline", "pipeline")
		made, err := c.service.AddTeamPipeline(c.ctx, c.actor, c.team("teamID"),
			core.Sent(domain.TeamPipelineInput{PipelineID: pipeline, AccessLevel: optionalEnum(c.input, "accessLevel")},
				pipelineErr))
		return &payload{teamPipeline: &made, team: made.TeamID}, err
	})
	teamField(b, "TeamPipelineCreatePayload.team")
	teamPipelineField(b, "TeamPipelineCreatePayload.teamPipeline")
	bindReference(b, "TeamPipelineCreatePayload.pipeline", func(p *payload) domain.PipelineID {
		return p.teamPipeline.PipelineID
	}, (*read.Snapshot).Pipelines)
	bindNewEdge(b, "TeamPipelineCreatePayload.teamPipelineEdge", func(p *payload) *domain.TeamPipelineView {
		return p.teamPipeline
	},
		func(r *read.Snapshot, p *payload) (*read.Connection[*domain.TeamPipelineView], error) {
			teams, err := r.Teams([]domain.TeamID{p.team})
			if err != nil {
				return nil, err
			}
			connections, err := r.PipelinesOfTeams(teams, "", domain.RecentlyCreated, read.ConnectionPart{})
			return firstOf(connections, err)
		})

	mutation(b, "teamPipelineUpdate", "TeamPipelineUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.service.UpdateTeamPipeline(c.ctx, c.actor, c.teamOfPipeline(), "",
			core.Value(domain.TeamPipelineInput{AccessLevel: optionalEnum(c.input, "accessLevel")}), nil)
		return &payload{teamPipeline: &changed}, err
	})
	teamPipelineField(b, "TeamPipelineUpdatePayload.teamPipeline")

	mutation(b, "teamPipelineDelete", "TeamPipelineDeletePayload", func(c change) (*payload, error) {
		removed, err := c.service.RemoveTeamPipeline(c.ctx, c.actor, c.teamOfPipeline(), "", nil)
		return &payload{deleted: c.input.String("id"), team: removed.TeamID}, err
	})
	deletedField(b, "TeamPipelineDeletePayload.deletedTeamPipelineID")
	teamField(b, "TeamPipelineDeletePayload.team")
}

func teamPipelineField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) *domain.TeamPipelineView { return p.teamPipeline })
}

func (c change) teamOfPipeline() domain.TeamRef {
	return c.teamOf("TeamPipeline", domain.TeamPipelineThing)
}
