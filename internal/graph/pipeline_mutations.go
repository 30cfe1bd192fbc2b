package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

func bindPipelineMutations(b *gql.Builder) {
	mutation(b, "pipelineCreate", "PipelineCreatePayload", func(c change) (*payload, error) {
		made, err := c.service.CreatePipeline(c.ctx, c.actor, c.organization("organizationId"),
			core.Sent(newPipelineInput(c.input)))
		return &payload{pipeline: &made, organization: made.OrganizationID}, err
	})
	pipelineField(b, "PipelineCreatePayload.pipeline")
	organizationField(b, "PipelineCreatePayload.organization")
	bindReference(b, "PipelineCreatePayload.cluster", func(p *payload) domain.ClusterID {
		return valueOrEmpty(p.pipeline.ClusterID)
	}, (*read.Snapshot).Clusters)
	bindNewEdge(b, "PipelineCreatePayload.pipelineEdge", func(p *payload) pipeline { return p.pipeline },
		func(r *read.Snapshot, p *payload) (*read.Connection[pipeline], error) {
			organizations, err := r.Organizations([]domain.OrganizationID{p.organization})
			if err != nil {
				return nil, err
			}
			connections, err := r.PipelinesOf(organizations, domain.PipelineFilter{Archived: new(bool)}, domain.RecentlyCreated,
				false, read.ConnectionPart{})
			return firstOf(connections, err)
		})

	changingPipeline(b, "pipelineUpdate", "PipelineUpdatePayload",
		func(c change, ref domain.PipelineRef) (domain.PipelineView, error) {
			return c.service.UpdatePipeline(c.ctx, c.actor, ref, core.Sent(pipelineInput(c.input)), nil)
		})
	changingPipeline(b, "pipelineArchive", "PipelineArchivePayload",
		func(c change, ref domain.PipelineRef) (domain.PipelineView, error) {
			return c.service.ArchivePipeline(c.ctx, c.actor, ref)
		})
	changingPipeline(b, "pipelineUnarchive", "PipelineUnarchivePayload",
		func(c change, ref domain.PipelineRef) (domain.PipelineView, error) {
			return c.service.UnarchivePipeline(c.ctx, c.actor, ref)
		})
	changingPipeline(b, "pipelineFavorite", "PipelineFavoritePayload",
		func(c change, ref domain.PipelineRef) (domain.PipelineView, error) {
			return c.service.FavoritePipeline(c.ctx, c.actor, ref, c.input.Bool("favorite"))
		})

	mutation(b, "pipelineDelete", "PipelineDeletePayload", func(c change) (*payload, error) {
		deleted, err := c.service.DeletePipeline(c.ctx, c.actor, c.pipeline(), nil)
		return &payload{deleted: c.input.String("id"), organization: deleted.OrganizationID}, err
	})
	deletedField(b, "PipelineDeletePayload.deletedPipelineID")
	organizationField(b, "PipelineDeletePayload.organization")
}

// changingPipeline binds a mutation that changes a pipeline, and has it in its payload.
func changingPipeline(b *gql.Builder, name, payloadType string,
	run func(change, domain.PipelineRef) (domain.PipelineView, error)) {
	mutation(b, name, payloadType, func(c change) (*payload, error) {
		changed, err := run(c, c.pipeline())
		return &payload{pipeline: &changed}, err
	})
	pipelineField(b, payloadType+".pipeline")
}

func pipelineField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) pipeline { return p.pipeline })
}

// pipelineTeams reads which teams are to have access to a new pipeline. Null for the access is as if it were absent.
func pipelineTeams(input gql.Args) (teams domain.Optional[[]domain.PipelineTeamInput], err error) {
	given := optional[[]any](input, "teams")
	teams.Given, teams.Null = given.Given, given.Null
	for _, v := range given.Value {
		team := v.(gql.Args)
		id, err := optionalID(team, "id", "Team", "team")
		if err != nil {
			return teams, err
		}
		access := domain.PipelineManageBuildAndRead
		if level := team.Enum("accessLevel"); level != "" {
			access = lowerEnum[domain.PipelineAccessLevel](level)
		}
		teams.Value = append(teams.Value, domain.PipelineTeamInput{ID: id.Value, AccessLevel: access})
	}
	return teams, nil
}

// newPipelineInput is pipelineInput for a new pipeline, with its teams.
func newPipelineInput(input gql.Args) (domain.PipelineInput, error) {
	in, err := pipelineInput(input)
	if err != nil {
		return in, err
	}
	in.Teams, err = pipelineTeams(input)
	return in, err
}

func pipelineInput(input gql.Args) (domain.PipelineInput, error) {
	cluster, err := optionalID(input, "clusterId", "Cluster", "cluster")
	template := optional[string](input, "pipelineTemplateId")
	if err == nil && template.Value != "" {
		template, err = optionalID(input, "pipelineTemplateId", "PipelineTemplate", "pipeline template")
	}
	in := domain.PipelineInput{
		Name:               optional[string](input, "name"),
		ClusterID:          cluster,
		PipelineTemplateID: template,
		Visibility:         optionalEnum(input, "visibility"),
		LookInput:          readLook(input),
		CloneMirrorURL:     optional[string](input, "cloneMirrorUrl"),
		Slug:               optional[string](input, "slug"),
		SlugOfName:         true,
		NextBuildNumber:    optional[int64](input, "nextBuildNumber"),
		Archived:           optional[bool](input, "archived"),
	}
	readSettings(input, domain.PipelineSettings, &in)
	in.Repository = member(input, "repository", "url")
	in.Configuration = member(input, "steps", "yaml")
	tags := optional[[]any](input, "tags")
	in.Tags = domain.Optional[[]string]{Given: tags.Given, Null: tags.Null}
	for _, tag := range tags.Value {
		in.Tags.Value = append(in.Tags.Value, tag.(gql.Args).String("label"))
	}
	return in, err
}

// member reads the one member of an input's object.
func member(input gql.Args, object, name string) domain.Optional[string] {
	given := optional[gql.Args](input, object)
	if !given.HasValue() {
		return domain.Optional[string]{Given: given.Given, Null: given.Null}
	}
	return optional[string](given.Value, name)
}
