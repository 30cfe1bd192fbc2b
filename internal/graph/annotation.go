package graph

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

type annotation = *domain.Annotation

// annotationBody is the text of an annotation.
type annotationBody domain.Annotation

func bindAnnotations(b *gql.Builder) {
	gql.DeclareObject[annotation](b, "Annotation")
	bindIDs(b, "Annotation", func(a annotation) domain.AnnotationID { return a.ID })
	bindText(b, "Annotation.context", func(a annotation) string { return a.Context })
	bindText(b, "Annotation.style", func(a annotation) string { return upperEnum(a.Style) })
	bindText(b, "Annotation.scope", func(a annotation) string { return upperEnum(a.Scope) })
	bindInt(b, "Annotation.priority", func(a annotation) int64 { return a.Priority })
	bindTime(b, "Annotation.createdAt", func(a annotation) time.Time { return a.CreatedAt })
	bindTime(b, "Annotation.updatedAt", func(a annotation) time.Time { return a.UpdatedAt })
	bindPart(b, "Annotation.body", func(a annotation) *annotationBody { return (*annotationBody)(a) })
	gql.DeclareObject[*annotationBody](b, "AnnotationBody")
	bindText(b, "AnnotationBody.text", func(body *annotationBody) string { return body.Body })
	bindText(b, "AnnotationBody.html", func(body *annotationBody) string { return annotation(body).ShownHTML() })
	bindConnection[annotation](b, "Annotation")
	gql.BindObject(b, "Build.annotations",
		withChecks(func(ctx context.Context, all []build, args gql.Args) ([]*read.Connection[annotation], error) {
			return readingOf(ctx).AnnotationsOfBuilds(all, annotationFilter(ctx, args), orderArg(args, domain.RecentlyCreated),
				connectionPart(args))
		}))
	gql.BindObject(b, "JobTypeCommand.annotations",
		withChecks(func(ctx context.Context, jobs []job, args gql.Args) ([]*read.Connection[annotation], error) {
			return readingOf(ctx).AnnotationsOfJobs(jobs, annotationFilter(ctx, args), orderArg(args, domain.RecentlyCreated),
				connectionPart(args))
		}))
}

// annotationFilter reads by what annotations are chosen. Bodies, which can be long, are read only if they are asked
// for.
func annotationFilter(ctx context.Context, args gql.Args) domain.AnnotationFilter {
	return domain.AnnotationFilter{
		Scopes:      listArg(args, "scope", lowerEnum[domain.AnnotationScope]),
		Styles:      listArg(args, "style", lowerEnum[string]),
		WithoutBody: selectsOnly(ctx, "context", "createdAt", "id", "priority", "scope", "style", "updatedAt", "uuid"),
	}
}

func bindAnnotationMutations(b *gql.Builder) {
	mutation(b, "buildAnnotate", "BuildAnnotatePayload", func(c change) (*payload, error) {
		made, err := c.builds.AnnotateBuild(c.ctx, c.actor, c.build("buildID"), core.Sent(annotationInput(c.input), nil))
		return &payload{annotation: &made, build: made.BuildID}, err
	})
	annotationField(b, "BuildAnnotatePayload.annotation")
	buildField(b, "BuildAnnotatePayload.build")
	bindNewEdge(b, "BuildAnnotatePayload.annotationEdge", func(p *payload) annotation {
		return p.annotation
	}, func(r *read.Snapshot, p *payload) (*read.Connection[annotation], error) {
		builds, err := r.Builds([]domain.BuildID{p.build})
		if err != nil || builds[0] == nil {
			return nil, err
		}
		return firstOf(r.AnnotationsOfBuilds(builds, domain.AnnotationFilter{}, domain.RecentlyCreated,
			read.ConnectionPart{}))
	})
	mutation(b, "jobAnnotate", "JobAnnotatePayload", func(c change) (*payload, error) {
		made, err := c.builds.AnnotateJob(c.ctx, c.actor, c.job("jobId", "JobTypeCommand"),
			core.Sent(annotationInput(c.input), nil))
		return &payload{annotation: &made, job: domain.JobID(made.ScopeID)}, err
	})
	annotationField(b, "JobAnnotatePayload.annotation")
	jobField(b, "JobAnnotatePayload.job")
	bindNewEdge(b, "JobAnnotatePayload.annotationEdge", func(p *payload) annotation {
		return p.annotation
	}, func(r *read.Snapshot, p *payload) (*read.Connection[annotation], error) {
		jobs, err := r.Jobs([]domain.JobID{p.job})
		if err != nil || jobs[0] == nil {
			return nil, err
		}
		return firstOf(r.AnnotationsOfJobs(jobs, domain.AnnotationFilter{}, domain.RecentlyCreated, read.ConnectionPart{}))
	})
	mutation(b, "annotationDelete", "AnnotationDeletePayload", func(c change) (*payload, error) {
		deleted, err := c.builds.DeleteAnnotation(c.ctx, c.actor,
			domain.AnnotationRef{ID: globalID[string]("Annotation", c.input.String("id"))})
		return &payload{deleted: domain.GraphQLID("Annotation", string(deleted.ID)), build: deleted.BuildID}, err
	})
	deletedField(b, "AnnotationDeletePayload.deletedAnnotationId")
	buildField(b, "AnnotationDeletePayload.build")
}

func annotationField(b *gql.Builder, field string) {
	bindPart(b, field, func(p *payload) annotation { return p.annotation })
}

// annotationInput reads what an annotation is made or changed with.
func annotationInput(input gql.Args) domain.AnnotationInput {
	priority := optional[int64](input, "priority")
	if priority.HasValue() && priority.Value == 0 {
		priority.Value = -1 // which is refused; 0 would leave it as it is
	}
	return domain.AnnotationInput{
		Body: input.String("body"), Context: input.String("context"), Style: optionalEnum(input, "style").Value,
		Append: optional[bool](input, "append").Value, Priority: priority.Value,
	}
}
