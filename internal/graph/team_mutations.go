package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

func bindTeamMutations(b *gql.Builder) {
	mutation(b, "teamCreate", "TeamCreatePayload", func(c change) (*payload, error) {
		o, err := c.theOrganization("organizationID")
		if err != nil {
			return nil, err
		}
		made, err := c.service.CreateTeam(c.ctx, c.actor, o.Slug, core.Value(teamInput(c.input)))
		return &payload{changedTeam: &made, organization: o.ID}, err
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
		_, ref, err := c.theTeam("id")
		if err != nil {
			return nil, err
		}
		changed, err := c.service.UpdateTeam(c.ctx, c.actor, ref, core.Value(teamInput(c.input)), nil)
		return &payload{changedTeam: &changed}, err
	})
	bindPart(b, "TeamUpdatePayload.team", func(p *payload) *domain.TeamView { return p.changedTeam })

	mutation(b, "teamDelete", "TeamDeletePayload", func(c change) (*payload, error) {
		t, ref, err := c.theTeam("id")
		if err != nil {
			return nil, err
		}
		return &payload{deleted: c.input.String("id"), organization: t.OrganizationID}, c.service.DeleteTeam(c.ctx, c.actor, ref, nil)
	})
	deletedField(b, "TeamDeletePayload.deletedTeamID")
	organizationField(b, "TeamDeletePayload.organization")
	bindTeamMemberMutations(b)
	bindTeamPipelineMutations(b)
}

func teamInput(input gql.Args) domain.TeamInput {
	return domain.TeamInput{
		Name:                      optional[string](input, "name"),
		Description:               optional[string](input, "description"),
		Privacy:                   optionalEnum(input, "privacy"),
		IsDefaultTeam:             optional[bool](input, "isDefaultTeam"),
		DefaultMemberRole:         optionalEnum(input, "defaultMemberRole"),
		MembersCanCreatePipelines: optional[bool](input, "membersCanCreatePipelines"),
		MembersCanDeletePipelines: optional[bool](input, "membersCanDeletePipelines"),
	}
}

func bindTeamMemberMutations(b *gql.Builder) {
	mutation(b, "teamMemberCreate", "TeamMemberCreatePayload", func(c change) (*payload, error) {
		t, ref, err := c.theTeam("teamID")
		if err != nil {
			return nil, err
		}
		user, userErr := optionalID(c.input, "userID", "User", "user")
		made, err := c.service.AddTeamMember(c.ctx, c.actor, ref,
			core.Sent(domain.TeamMemberInput{UserID: user, Role: optionalEnum(c.input, "role")}, userErr))
		return &payload{teamMember: &made, team: t.ID}, err
	})
	teamField(b, "TeamMemberCreatePayload.team")
	bindNewEdge(b, "TeamMemberCreatePayload.teamMemberEdge", func(p *payload) *domain.TeamMemberView { return p.teamMember },
		func(r *read.Snapshot, p *payload) (*read.Connection[*domain.TeamMemberView], error) {
			teams, err := r.Teams([]domain.TeamID{p.team})
			if err != nil {
				return nil, err
			}
			connections, err := r.MembersOfTeams(teams, nil, "", domain.RecentlyCreated, read.ConnectionPart{})
			return firstOf(connections, err)
		})

	mutation(b, "teamMemberUpdate", "TeamMemberUpdatePayload", func(c change) (*payload, error) {
		m, ref, err := c.theTeamMember()
		if err != nil {
			return nil, err
		}
		changed, err := c.service.UpdateTeamMember(c.ctx, c.actor, ref, string(m.UserID),
			core.Value(domain.TeamMemberInput{Role: optionalEnum(c.input, "role")}), nil)
		return &payload{teamMember: &changed}, err
	})
	bindPart(b, "TeamMemberUpdatePayload.teamMember", func(p *payload) *domain.TeamMemberView { return p.teamMember })

	mutation(b, "teamMemberDelete", "TeamMemberDeletePayload", func(c change) (*payload, error) {
		m, ref, err := c.theTeamMember()
		if err != nil {
			return nil, err
		}
		return &payload{deleted: c.input.String("id"), team: m.TeamID}, c.service.RemoveTeamMember(c.ctx, c.actor, ref, string(m.UserID), nil)
	})
	deletedField(b, "TeamMemberDeletePayload.deletedTeamMemberID")
	teamField(b, "TeamMemberDeletePayload.team")
}

func (c change) theTeamMember() (*domain.TeamMemberView, domain.TeamRef, error) {
	m, err := the(c, "id", "TeamMember", "team member", (*read.Snapshot).TeamMembers)
	if err != nil {
		return nil, domain.TeamRef{}, err
	}
	return m, domain.TeamRef{Organization: m.OrganizationSlug, ID: string(m.TeamID)}, nil
}

func bindTeamPipelineMutations(b *gql.Builder) {
	mutation(b, "teamPipelineCreate", "TeamPipelineCreatePayload", func(c change) (*payload, error) {
		t, ref, err := c.theTeam("teamID")
		if err != nil {
			return nil, err
		}
		pipeline, pipelineErr := optionalID(c.input, "pipelineID", "Pipeline", "pipeline")
		made, err := c.service.AddTeamPipeline(c.ctx, c.actor, ref,
			core.Sent(domain.TeamPipelineInput{PipelineID: pipeline, AccessLevel: optionalEnum(c.input, "accessLevel")}, pipelineErr))
		return &payload{teamPipeline: &made, team: t.ID}, err
	})
	teamField(b, "TeamPipelineCreatePayload.team")
	teamPipelineField(b, "TeamPipelineCreatePayload.teamPipeline")
	bindReference(b, "TeamPipelineCreatePayload.pipeline", func(p *payload) domain.PipelineID { return p.teamPipeline.PipelineID }, (*read.Snapshot).Pipelines)
	bindNewEdge(b, "TeamPipelineCreatePayload.teamPipelineEdge", func(p *payload) *domain.TeamPipelineView { return p.teamPipeline },
		func(r *read.Snapshot, p *payload) (*read.Connection[*domain.TeamPipelineView], error) {
			teams, err := r.Teams([]domain.TeamID{p.team})
			if err != nil {
				return nil, err
			}
			connections, err := r.PipelinesOfTeams(teams, "", domain.RecentlyCreated, read.ConnectionPart{})
			return firstOf(connections, err)
		})

	mutation(b, "teamPipelineUpdate", "TeamPipelineUpdatePayload", func(c change) (*payload, error) {
		p, ref, err := c.theTeamPipeline()
		if err != nil {
			return nil, err
		}
		changed, err := c.service.UpdateTeamPipeline(c.ctx, c.actor, ref, string(p.PipelineID),
			core.Value(domain.TeamPipelineInput{AccessLevel: optionalEnum(c.input, "accessLevel")}), nil)
		return &payload{teamPipeline: &changed}, err
	})
	teamPipelineField(b, "TeamPipelineUpdatePayload.teamPipeline")

	mutation(b, "teamPipelineDelete", "TeamPipelineDeletePayload", func(c change) (*payload, error) {
		p, ref, err := c.theTeamPipeline()
		if err != nil {
			return nil, err
		}
		return &payload{deleted: c.input.String("id"), team: p.TeamID}, c.service.RemoveTeamPipeline(c.ctx, c.actor, ref, string(p.PipelineID), nil)
	})
	deletedField(b, "TeamPipelineDeletePayload.deletedTeamPipelineID")
	teamField(b, "TeamPipelineDeletePayload.team")
}

func teamPipelineField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) *domain.TeamPipelineView { return p.teamPipeline })
}

func (c change) theTeamPipeline() (*domain.TeamPipelineView, domain.TeamRef, error) {
	p, err := the(c, "id", "TeamPipeline", "team pipeline", (*read.Snapshot).TeamPipelines)
	if err != nil {
		return nil, domain.TeamRef{}, err
	}
	return p, domain.TeamRef{Organization: p.OrganizationSlug, ID: string(p.TeamID)}, nil
}
