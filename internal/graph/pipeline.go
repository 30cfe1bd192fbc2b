package graph

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type pipeline = *domain.PipelineView

func pipelinesOf(ctx context.Context, organizations []organization, args gql.Args) ([]*read.Connection[pipeline], error) {
	r := readingOf(ctx)
	archived := args.Bool("archived")
	filter := domain.PipelineFilter{
		Archived:    &archived,
		Unclustered: args.Has("clustered") && !args.Null("clustered") && !args.Bool("clustered"),
		Name:        args.String("search"),
		Favorite:    optional[bool](args, "favorite").Ptr(),
		Tags:        enums(args, "tags", same[string]),
		CreatedFrom: timeArg(args, "createdAtFrom"),
		CreatedTo:   timeArg(args, "createdAtTo"),
	}
	if selector, state := gql.Arg[string](args, "cluster"); state == gql.Given {
		id := selected[domain.ClusterID]("Cluster", selector)
		filter.Cluster = &id
	}
	if repository := args.Object("repository"); repository != nil {
		url := repository.String("url")
		filter.Repository = &url
	}
	var err error
	if filter.Team, filter.TeamSlug, err = teamArg(r, args); err != nil {
		return nil, err
	}
	namesOnly := selectsOnly(ctx, "id", "uuid", "name", "slug", "createdAt", "organization")
	return r.PipelinesOf(organizations, filter, orderArg(args, domain.RecentlyCreated), namesOnly, partOf(args))
}

func bindPipelines(b *gql.Builder, baseURL string) {
	gql.Object[pipeline](b, "Pipeline")
	ids(b, "Pipeline", func(p pipeline) domain.PipelineID { return p.ID })
	text(b, "Pipeline.name", func(p pipeline) string { return p.Name })
	text(b, "Pipeline.slug", func(p pipeline) string { return p.Slug })
	text(b, "Pipeline.url", func(p pipeline) string {
		return baseURL + "/organizations/" + p.OrganizationSlug + "/pipelines/" + p.Slug
	})
	nullableText(b, "Pipeline.description", func(p pipeline) *string { return p.Description })
	nullableText(b, "Pipeline.emoji", func(p pipeline) *string { return p.Emoji })
	nullableText(b, "Pipeline.color", func(p pipeline) *string { return p.Color })
	nullableText(b, "Pipeline.defaultBranch", func(p pipeline) *string { return p.DefaultBranch })
	nullableText(b, "Pipeline.branchConfiguration", func(p pipeline) *string { return p.BranchConfiguration })
	flag(b, "Pipeline.skipIntermediateBuilds", func(p pipeline) bool { return p.SkipQueuedBranchBuilds })
	nullableText(b, "Pipeline.skipIntermediateBuildsBranchFilter", func(p pipeline) *string { return p.SkipQueuedBranchBuildsFilter })
	flag(b, "Pipeline.cancelIntermediateBuilds", func(p pipeline) bool { return p.CancelRunningBranchBuilds })
	nullableText(b, "Pipeline.cancelIntermediateBuildsBranchFilter", func(p pipeline) *string { return p.CancelRunningBranchBuildsFilter })
	nullableNumber(b, "Pipeline.defaultTimeoutInMinutes", func(p pipeline) *int64 { return p.DefaultCommandStepTimeout })
	nullableNumber(b, "Pipeline.maximumTimeoutInMinutes", func(p pipeline) *int64 { return p.MaximumCommandStepTimeout })
	flag(b, "Pipeline.allowRebuilds", func(p pipeline) bool { return p.AllowRebuilds })
	number(b, "Pipeline.nextBuildNumber", func(p pipeline) int64 { return p.NextBuildNumber })
	text(b, "Pipeline.visibility", func(p pipeline) string { return upper(p.Visibility) })
	flag(b, "Pipeline.public", func(p pipeline) bool { return p.Visibility == domain.PipelinePublic })
	flag(b, "Pipeline.archived", func(p pipeline) bool { return p.ArchivedAt != nil })
	nullableInstant(b, "Pipeline.archivedAt", func(p pipeline) *time.Time { return p.ArchivedAt })
	instant(b, "Pipeline.createdAt", func(p pipeline) time.Time { return p.CreatedAt })
	part(b, "Pipeline.archivedBy", func(p pipeline) *domain.User { return p.ArchivedBy })
	part(b, "Pipeline.createdBy", func(p pipeline) *domain.User { return p.CreatedBy })
	referred(b, "Pipeline.cluster", func(p pipeline) domain.ClusterID { return orNone(p.ClusterID) }, (*read.Snapshot).Clusters)
	referred(b, "Pipeline.organization", func(p pipeline) domain.OrganizationID { return p.OrganizationID }, (*read.Snapshot).Organizations)
	flags(b, "Pipeline.favorite", (*read.Snapshot).Favorites)
	connected(b, "Pipeline.teams", func(r *read.Snapshot, pipelines []pipeline, args gql.Args) ([]*read.Connection[*domain.TeamPipelineView], error) {
		return r.TeamsOfPipelines(pipelines, args.String("search"), orderArg(args, domain.RecentlyCreated), partOf(args))
	})
	permissionsOf(b, "Pipeline", "PipelinePermissions", map[string]func(*read.Snapshot, []pipeline) ([]bool, error){
		"pipelineDelete":   overPipelines(authz.WritePipeline),
		"pipelineFavorite": overPipelines(authz.FavoritePipeline),
		"pipelineUpdate":   overPipelines(authz.WritePipeline),
	})
	bindPipelineParts(b)
	bindConnection[pipeline](b, "Pipeline")
}

func overPipelines(action authz.Action) func(*read.Snapshot, []pipeline) ([]bool, error) {
	return func(r *read.Snapshot, pipelines []pipeline) ([]bool, error) {
		return r.PipelinePermitted(pipelines, action)
	}
}

func bindPipelineParts(b *gql.Builder) {
	type (
		repository struct{ url string }
		steps      struct{ yaml string }
		tag        struct{ label string }
	)
	gql.Object[*repository](b, "Repository")
	text(b, "Repository.url", func(r *repository) string { return r.url })
	part(b, "Pipeline.repository", func(p pipeline) *repository { return &repository{p.Repository} })
	gql.Object[*steps](b, "PipelineSteps")
	text(b, "PipelineSteps.yaml", func(s *steps) string { return s.yaml })
	part(b, "Pipeline.steps", func(p pipeline) *steps { return &steps{p.Configuration} })
	gql.Object[*tag](b, "PipelineTag")
	text(b, "PipelineTag.label", func(t *tag) string { return t.label })
	gql.Many(b, "Pipeline.tags", func(_ context.Context, pipelines []pipeline, _ gql.Args) ([][]*tag, error) {
		all := make([][]*tag, len(pipelines))
		for i, p := range pipelines {
			all[i] = make([]*tag, len(p.Tags))
			for j, label := range p.Tags {
				all[i][j] = &tag{label}
			}
		}
		return all, nil
	})
}
