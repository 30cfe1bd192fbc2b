package graph

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type artifact = *domain.ArtifactView

func bindArtifacts(b *gql.Builder) {
	gql.DeclareObject[artifact](b, "Artifact")
	bindIDs(b, "Artifact", func(a artifact) domain.ArtifactID { return a.ID })
	gql.BindColumn(b, "Artifact.downloadURL", func(ctx context.Context, artifacts []artifact, _ gql.Args) ([]string,
		error) {
		return requestOf(ctx).artifacts.ArtifactAddresses(ctx, artifacts)
	}, gql.AppendString)
	bindNullableTime(b, "Artifact.expiresAt", func(a artifact) *time.Time { return a.ExpiresAt })
	bindText(b, "Artifact.mimeType", func(a artifact) string { return a.MimeType() })
	bindText(b, "Artifact.path", func(a artifact) string { return a.Path })
	bindText(b, "Artifact.sha1sum", func(a artifact) string { return a.SHA1Sum })
	bindNullableText(b, "Artifact.sha256sum", func(a artifact) *string { return nullIfEmpty(a.SHA256Sum) })
	bindInt(b, "Artifact.size", func(a artifact) int64 { return a.FileSize })
	bindText(b, "Artifact.state", func(a artifact) domain.ArtifactState { return a.State })
	bindReference(b, "Artifact.job", func(a artifact) domain.JobID { return a.JobID }, (*read.Snapshot).Jobs)
	bindConnection[artifact](b, "Artifact")
	bindConnectionField(b, "JobTypeCommand.artifacts", func(r *read.Snapshot, jobs []job, args gql.Args) (
		[]*read.Connection[artifact], error) {
		return r.ArtifactsOfJobs(jobs, artifactFilter(args), connectionPart(args))
	})
	mutation(b, "artifactDelete", "ArtifactDeletePayload", func(c change) (*payload, error) {
		of := c.thing("id", "Artifact", domain.ArtifactThing)
		deleted, err := c.artifacts.DeleteArtifact(c.ctx, c.actor,
			domain.ArtifactRef{Job: domain.JobRef{Organization: domain.OrganizationRef{Of: of}}, ID: of.ID}, nil)
		if err != nil {
			return nil, err
		}
		return &payload{deleted: domain.GraphQLID("Artifact", string(deleted.ID)), artifact: deleted}, nil
	})
	deletedField(b, "ArtifactDeletePayload.deletedArtifactId")
	bindPart(b, "ArtifactDeletePayload.artifact", func(p *payload) artifact { return p.artifact })
}

// artifactFilter reads by what artifacts are chosen.
func artifactFilter(args gql.Args) domain.ArtifactFilter {
	filter := domain.ArtifactFilter{Path: optional[string](args, "path").Ptr()}
	if state := optionalEnum(args, "state"); state.HasValue() {
		filter.States = []domain.ArtifactState{domain.ArtifactState(state.Value)}
	}
	return filter
}
