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

func connectPipelines(ctx context.Context, organizations []organization, args gql.Args) (
	[]*read.Connection[pipeline], error) {
	r := readingOf(ctx)
	archived := args.Bool("archived")
	filter := domain.PipelineFilter{
		Archived:    &archived,
		Unclustered: args.Has("clustered") && !args.Null("clustered") && !args.Bool("clustered"),
		Name:        args.String("search"),
		Favorite:    optional[bool](args, "favorite").Ptr(),
		Tags:        listArg(args, "tags", sameEnum[string]),
		CreatedFrom: timeArg(args, "createdAtFrom"),
		CreatedTo:   timeArg(args, "createdAtTo"),
	}
	if selector, state := gql.Arg[string](args, "cluster"); state == gql.Given {
		id := parseSelector[domain.ClusterID]("Cluster", selector)
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
	return r.PipelinesOf(organizations, filter, orderArg(args, domain.RecentlyCreated), namesOnly, connectionPart(args))
}

func bindPipelines(b *gql.Builder, baseURL string) {
	gql.DeclareObject[pipeline](b, "Pipeline")
	bindIDs(b, "Pipeline", func(p pipeline) domain.PipelineID { return p.ID })
	bindText(b, "Pipeline.name", func(p pipeline) string { return p.Name })
	bindText(b, "Pipeline.slug", func(p pipeline) string { return p.Slug })
	bindText(b, "Pipeline.url", func(p pipeline) string {
		return baseURL + "/organizations/" + p.OrganizationSlug + "/pipelines/" + p.Slug
	})
	bindText(b, "Pipeline.badgeURL", func(p pipeline) string { return baseURL + "/badges/" + p.BadgeToken + ".svg" })
	bindWebhookURL(b, "Pipeline.webhookURL", baseURL, func(p pipeline) pipeline { return p })
	bindNullableText(b, "Pipeline.cloneMirrorUrl", func(p pipeline) *string { return p.CloneMirrorURL })
	bindLook(b, "Pipeline", func(p pipeline) *domain.Look { return &p.Look })
	bindSettings(b, "Pipeline", domain.PipelineSettings, func(p pipeline) *domain.Pipeline { return &p.Pipeline })
	bindInt(b, "Pipeline.nextBuildNumber", func(p pipeline) int64 { return p.NextBuildNumber })
	bindText(b, "Pipeline.visibility", func(p pipeline) string { return upperEnum(p.Visibility) })
	bindBool(b, "Pipeline.public", func(p pipeline) bool { return p.Visibility == domain.PipelinePublic })
	bindBool(b, "Pipeline.archived", func(p pipeline) bool { return p.ArchivedAt != nil })
	bindNullableTime(b, "Pipeline.archivedAt", func(p pipeline) *time.Time { return p.ArchivedAt })
	bindTime(b, "Pipeline.createdAt", func(p pipeline) time.Time { return p.CreatedAt })
	bindPart(b, "Pipeline.archivedBy", func(p pipeline) *domain.User { return p.ArchivedBy })
	bindPart(b, "Pipeline.createdBy", func(p pipeline) *domain.User { return p.CreatedBy })
	bindReference(b, "Pipeline.cluster", func(p pipeline) domain.ClusterID {
		return valueOrEmpty(p.ClusterID)
	}, (*read.Snapshot).Clusters)
	bindReference(b, "Pipeline.organization", func(p pipeline) domain.OrganizationID {
		return p.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindBools(b, "Pipeline.favorite", (*read.Snapshot).Favorites)
	bindConnectionField(b, "Pipeline.teams", func(r *read.Snapshot, pipelines []pipeline, args gql.Args) (
		[]*read.Connection[*domain.TeamPipelineView], error) {
		return r.TeamsOfPipelines(pipelines, args.String("search"), orderArg(args, domain.RecentlyCreated),
			connectionPart(args))
	})
	bindPermissions(b, "Pipeline", "PipelinePermissions", map[string]func(*read.Snapshot, []pipeline) ([]bool, error){
		"buildCreate":            permitOnPipelines(authz.WriteBuild),
		"pipelineDelete":         permitOnPipelines(authz.WritePipeline),
		"pipelineFavorite":       permitOnPipelines(authz.FavoritePipeline),
		"pipelineScheduleCreate": permitOnPipelines(authz.WritePipeline),
		"pipelineUpdate":         permitOnPipelines(authz.WritePipeline),
	})
	bindPipelineParts(b)
	bindPipelineMetrics(b, baseURL)
	bindRepositories(b, baseURL)
	bindRepositoryConnections(b)
	bindPipelineWebhooks(b, baseURL)
	bindConnection[pipeline](b, "Pipeline")
}

// bindWebhookURL binds the address that whoever knows it can deliver to, which is shown to those who may change the
// pipeline.
func bindWebhookURL[P any](b *gql.Builder, field, baseURL string, pipelineOf func(P) pipeline) {
	gql.BindColumn(b, field, func(ctx context.Context, parents []P, _ gql.Args) ([]*string, error) {
		pipelines := make([]pipeline, len(parents))
		for i, parent := range parents {
			pipelines[i] = pipelineOf(parent)
		}
		permitted, err := readingOf(ctx).PipelinePermitted(pipelines, authz.WritePipeline)
		if err != nil {
			return nil, err
		}
		urls := make([]*string, len(pipelines))
		for i, p := range pipelines {
			if permitted[i] {
				url := baseURL + "/deliver/" + p.WebhookToken.Reveal()
				urls[i] = &url
			}
		}
		return urls, nil
	}, appendNullable)
}

func permitOnPipelines(action authz.Action) func(*read.Snapshot, []pipeline) ([]bool, error) {
	return func(r *read.Snapshot, pipelines []pipeline) ([]bool, error) {
		return r.PipelinePermitted(pipelines, action)
	}
}

func bindPipelineParts(b *gql.Builder) {
	type (
		steps struct{ yaml string }
		tag   struct{ label string }
	)
	gql.DeclareObject[*steps](b, "PipelineSteps")
	bindText(b, "PipelineSteps.yaml", func(s *steps) string { return s.yaml })
	bindPart(b, "Pipeline.steps", func(p pipeline) *steps { return &steps{p.Configuration} })
	gql.DeclareObject[*tag](b, "PipelineTag")
	bindText(b, "PipelineTag.label", func(t *tag) string { return t.label })
	gql.BindObjects(b, "Pipeline.tags", func(_ context.Context, pipelines []pipeline, _ gql.Args) ([][]*tag, error) {
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
