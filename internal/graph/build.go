package graph

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type build = *domain.BuildView

// appendTexts writes a list of texts; nil is an empty one.
func appendTexts(dst []byte, texts []string) []byte {
	if texts == nil {
		texts = []string{}
	}
	return gql.ListOf(gql.AppendString)(dst, texts)
}

// nullIfEmpty returns nil for "".
func nullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// envLines returns environment variables as NAME=value, by name.
func envLines(env map[string]string) []string {
	lines := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	return lines
}

func bindBuilds(b *gql.Builder, baseURL string) {
	gql.DeclareObject[build](b, "Build")
	bindIDs(b, "Build", func(v build) domain.BuildID { return v.ID })
	bindInt(b, "Build.number", func(v build) int64 { return v.Number })
	bindText(b, "Build.state", func(v build) string { return upperEnum(v.State) })
	bindNullableText(b, "Build.blockedState", func(v build) *string {
		if v.State != flow.BuildBlocked {
			return nil
		}
		state := strings.ToUpper(v.BlockedState)
		return &state
	})
	bindText(b, "Build.branch", func(v build) string { return v.Branch })
	bindText(b, "Build.commit", func(v build) string { return v.Commit })
	bindText(b, "Build.message", func(v build) string { return v.Message })
	bindNullableText(b, "Build.cancelReason", func(v build) *string { return v.CancelReason })
	gql.BindLeaf(b, "Build.env", func(dst []byte, v build) []byte { return appendTexts(dst, envLines(v.Env)) })
	bindTime(b, "Build.createdAt", func(v build) time.Time { return v.CreatedAt })
	bindNullableTime(b, "Build.scheduledAt", func(v build) *time.Time { return v.ScheduledAt })
	bindNullableTime(b, "Build.startedAt", func(v build) *time.Time { return v.StartedAt })
	bindNullableTime(b, "Build.failingAt", func(v build) *time.Time { return v.FailingAt })
	bindNullableTime(b, "Build.finishedAt", func(v build) *time.Time { return v.FinishedAt })
	bindText(b, "Build.url", func(v build) string {
		return buildURL(baseURL, v.OrganizationSlug, v.Pipeline.Slug, v.Number)
	})
	bindNullableTime(b, "Build.canceledAt", func(v build) *time.Time { return v.CanceledAt })
	bindPart(b, "Build.canceledBy", func(v build) *domain.User { return v.CanceledBy })
	bindPart(b, "Build.pullRequest", func(v build) *domain.PullRequest { return v.PullRequest })
	bindReference(b, "Build.organization", func(v build) domain.OrganizationID {
		return v.OrganizationID
	}, (*read.Snapshot).Organizations)
	bindReference(b, "Build.pipeline", func(v build) domain.PipelineID { return v.PipelineID }, (*read.Snapshot).Pipelines)
	bindReference(b, "Build.rebuiltFrom", func(v build) domain.BuildID {
		return valueOrEmpty(v.RebuiltFromID)
	}, (*read.Snapshot).Builds)
	bindReference(b, "Build.triggeredFrom", func(v build) domain.JobID { return valueOrEmpty(v.TriggeredFromID) },
		(*read.Snapshot).Jobs)
	bindConnectionField(b, "Build.jobs", func(r *read.Snapshot, all []build, args gql.Args) ([]*read.Connection[job],
		error) {
		return r.JobsOfBuilds(all, jobSearch(args), orderArg(args, domain.RecentlyCreated), connectionPart(args))
	})
	bindConnectionField(b, "Build.metaData", func(r *read.Snapshot, all []build, args gql.Args) (
		[]*read.Connection[*domain.MetaDataItem], error) {
		return r.MetaDataOf(all, connectionPart(args))
	})
	bindConnection[build](b, "Build")
	bindCountBound[build](b, "Build")
	gql.DeclareObject[*domain.PullRequest](b, "PullRequest")
	bindText(b, "PullRequest.id", func(p *domain.PullRequest) string { return p.ID })
	gql.DeclareObject[*domain.MetaDataItem](b, "BuildMetaData")
	bindText(b, "BuildMetaData.key", func(m *domain.MetaDataItem) string { return m.Key })
	bindText(b, "BuildMetaData.value", func(m *domain.MetaDataItem) string { return m.Value })
	bindConnection[*domain.MetaDataItem](b, "BuildMetaData")
	bindBuildCreators(b, baseURL)
	bindBuildSources(b)
	bindConnectionField(b, "Pipeline.builds", func(r *read.Snapshot, pipelines []pipeline, args gql.Args) (
		[]*read.Connection[build], error) {
		return r.BuildsOfPipelines(pipelines, buildFilter(args), connectionPart(args))
	})
	bindConnectionField(b, "User.builds", func(r *read.Snapshot, users []*domain.User, args gql.Args) (
		[]*read.Connection[build], error) {
		return r.BuildsOfUsers(users, buildFilter(args), connectionPart(args))
	})
	gql.BindEachObject(b, "Viewer.builds", func(ctx context.Context, v *viewer, args gql.Args) (*read.Connection[build],
		error) {
		filter := domain.BuildFilter{States: listArg(args, "state", lowerEnum[flow.BuildState]),
			Pairs: listArg(args, "metaData", sameEnum[string])}
		if branch, state := gql.Arg[string](args, "branch"); state == gql.Given {
			filter.Branches = []string{branch}
		}
		connections, err := readingOf(ctx).BuildsOfUsers([]*domain.User{v.user}, filter, connectionPart(args))
		if err != nil {
			return nil, err
		}
		return connections[0], nil
	})
	gql.BindEachObject(b, "Query.build", func(ctx context.Context, _ gql.Root, args gql.Args) (build, error) {
		return findBuild(readingOf(ctx), args)
	})
}

// buildURL returns the address of a build in the web interface.
func buildURL(baseURL, organization, pipeline string, number int64) string {
	return baseURL + domain.BuildPath(organization, pipeline, number)
}

// findBuild returns the build that the arguments slug or uuid name.
func findBuild(r *read.Snapshot, args gql.Args) (build, error) {
	if args.Has("uuid") && !args.Null("uuid") {
		return findByID(args.String("uuid"), r.Builds)
	}
	names := strings.Split(args.String("slug"), "/")
	if len(names) != 3 {
		return nil, nil
	}
	number, err := strconv.ParseInt(names[2], 10, 64)
	if err != nil || number < 1 {
		return nil, nil //nolint:nilerr // no build has that number
	}
	return r.BuildByNumber(names[0], names[1], number)
}

func buildFilter(args gql.Args) domain.BuildFilter {
	return domain.BuildFilter{
		Branches:    listArg(args, "branch", sameEnum[string]),
		Commits:     listArg(args, "commit", sameEnum[string]),
		CreatedFrom: timeArg(args, "createdAtFrom"),
		CreatedTo:   timeArg(args, "createdAtTo"),
		States:      listArg(args, "state", lowerEnum[flow.BuildState]),
		Pairs:       listArg(args, "metaData", sameEnum[string]),
	}
}

// unregisteredUser is who wrote a commit and is no user.
type unregisteredUser struct{ domain.Author }

func bindBuildCreators(b *gql.Builder, baseURL string) {
	gql.DeclareAbstract(b, "BuildCreator", func(creator any) string {
		if _, is := creator.(*unregisteredUser); is {
			return "UnregisteredUser"
		}
		return "User"
	})
	bindPart(b, "Build.createdBy", func(v build) any {
		switch {
		case v.Creator != nil:
			return v.Creator
		case v.Author != (domain.Author{}):
			return &unregisteredUser{v.Author}
		}
		return nil
	})
	gql.DeclareObject[*unregisteredUser](b, "UnregisteredUser")
	bindNullableText(b, "UnregisteredUser.name", func(u *unregisteredUser) *string { return nullIfEmpty(u.Name) })
	bindNullableText(b, "UnregisteredUser.email", func(u *unregisteredUser) *string { return nullIfEmpty(u.Email) })
	bindPart(b, "UnregisteredUser.avatar", func(*unregisteredUser) *avatar {
		return &avatar{baseURL + "/avatars/" + nobody + ".svg"}
	})
}

// nobody is the id that no user has, and nothing else either.
const nobody = "00000000-0000-0000-0000-000000000000"

// buildSource is what created a build.
type buildSource struct {
	typeName, name string
	build          domain.BuildID
}

// buildSources are what the sources of builds are called here.
var buildSources = map[domain.BuildSource]*buildSource{
	domain.SourceAPI:      {typeName: "BuildSourceAPI", name: "API"},
	domain.SourceUI:       {typeName: "BuildSourceFrontend", name: "Frontend"},
	domain.SourceSchedule: {typeName: "BuildSourceSchedule", name: "Schedule"},
	domain.SourceTrigger:  {typeName: "BuildSourceTriggerJob", name: "Trigger Job"},
	domain.SourceWebhook:  {typeName: "BuildSourceWebhook", name: "Webhook"},
}

func bindBuildSources(b *gql.Builder) {
	gql.DeclareAbstract(b, "BuildSource", func(s *buildSource) string { return s.typeName })
	bindPart(b, "Build.source", func(v build) *buildSource {
		source := *buildSources[v.Source]
		source.build = v.ID
		return &source
	})
	gql.BindObject(b, "BuildSourceSchedule.pipelineSchedule", func(ctx context.Context, sources []*buildSource,
		_ gql.Args) ([]schedule, error) {
		ids := make([]domain.BuildID, len(sources))
		for i, s := range sources {
			ids[i] = s.build
		}
		return readingOf(ctx).SchedulesOfBuilds(ids)
	})
	for _, source := range buildSources {
		gql.DeclareObject[*buildSource](b, source.typeName)
		bindText(b, source.typeName+".name", func(s *buildSource) string { return s.name })
	}
	bindAbsentValues[*buildSource](b, "BuildSourceWebhook", "headers", "payload", "uuid")
}
