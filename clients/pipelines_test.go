package clients_test

import (
	"strings"
	"testing"

	"github.com/buildkite/go-buildkite/v4"
)

// TestPublicGoClientPipelines drives pipelines with github.com/buildkite/go-buildkite.
func TestPublicGoClientPipelines(t *testing.T) {
	client, err := buildkite.NewOpts(buildkite.WithBaseURL(startServer(t)), buildkite.WithTokenAuth(pipelineToken))
	if err != nil {
		t.Fatal(err)
	}
	cluster := newCluster(t, client)
	created := must[buildkite.Pipeline](t, 201)(client.Pipelines.Create(t.Context(), org, buildkite.CreatePipeline{
		Name: "Web Shop", Repository: "git@github.com:acme/web.git", ClusterID: cluster.ID, Configuration: "steps:\n  - command: make\n",
		DefaultBranch: "main", Description: "Sells things", Env: map[string]string{"CI": "true"}, DefaultCommandStepTimeout: 30, MaximumCommandStepTimeout: 60,
		BranchConfiguration: "main", SkipQueuedBranchBuilds: true, SkipQueuedBranchBuildsFilter: "!main", CancelRunningBranchBuilds: true,
		CancelRunningBranchBuildsFilter: "!main", TeamUuids: []string{teamID}, Visibility: "public", Tags: []string{"shop"},
		ProviderSettings: &buildkite.GitHubSettings{TriggerMode: "code"},
	}))
	read := must[buildkite.Pipeline](t, 200)(client.Pipelines.Get(t.Context(), org, created.Slug))
	for _, p := range []buildkite.Pipeline{created, read} {
		same(t, "the name", p.Name, "Web Shop")
		same(t, "the slug", p.Slug, "web-shop")
		same(t, "the repository", p.Repository, "git@github.com:acme/web.git")
		same(t, "the cluster", p.ClusterID, cluster.ID)
		same(t, "the configuration", p.Configuration, "steps:\n  - command: make\n")
		same(t, "the default branch", p.DefaultBranch, "main")
		same(t, "the description", p.Description, "Sells things")
		same(t, "the environment", p.Env["CI"], any("true"))
		same(t, "the default timeout", p.DefaultCommandStepTimeout, 30)
		same(t, "the maximum timeout", p.MaximumCommandStepTimeout, 60)
		same(t, "the branches", p.BranchConfiguration, "main")
		same(t, "skipping", p.SkipQueuedBranchBuilds, true)
		same(t, "where", p.SkipQueuedBranchBuildsFilter, "!main")
		same(t, "cancelling", p.CancelRunningBranchBuilds, true)
		same(t, "where", p.CancelRunningBranchBuildsFilter, "!main")
		same(t, "the visibility", p.Visibility, "public")
		same(t, "the tags", strings.Join(p.Tags, " "), "shop")
		same(t, "the provider", p.Provider.ID, "github")
		same(t, "the repository there", p.Provider.Settings.(*buildkite.GitHubSettings).Repository, "acme/web")
		same(t, "the global id", p.GraphQLID, created.GraphQLID)
		if p.CreatedAt == nil || p.CreatedAt.IsZero() || p.ArchivedAt != nil {
			t.Errorf("created at %v, archived at %v", p.CreatedAt, p.ArchivedAt)
		}
	}

	updated := must[buildkite.Pipeline](t, 200)(client.Pipelines.Update(t.Context(), org, created.Slug, buildkite.UpdatePipeline{Name: "Shop", Tags: []string{"a", "b"}}))
	same(t, "the new slug", updated.Slug, "shop")
	same(t, "the description", updated.Description, "Sells things")
	same(t, "skipping", updated.SkipQueuedBranchBuilds, false) // which the client always sends
	same(t, "the slug under its former one", must[buildkite.Pipeline](t, 200)(client.Pipelines.Get(t.Context(), org, created.Slug)).Slug, "shop")
	_, _, err = client.Pipelines.Get(t.Context(), org, "nothing")
	refused(t, err, 404, "No pipeline found")
	_, _, err = client.Pipelines.Update(t.Context(), org, "shop", buildkite.UpdatePipeline{Configuration: "steps:\n  - a\n b\n"})
	refused(t, err, 422, "Validation failed: Configuration is not valid YAML: line 3, column 2: did not find expected key")

	must[buildkite.Pipeline](t, 201)(client.Pipelines.Create(t.Context(), org, buildkite.CreatePipeline{Name: "Other", Repository: "https://example.com/other"}))
	for options, want := range map[buildkite.PipelineListOptions]string{
		{}:                               "other shop",
		{Name: "SHO"}:                    "shop",
		{Repository: "example.com"}:      "other",
		{Name: "o", Repository: "acme/"}: "shop",
		{ListOptions: buildkite.ListOptions{Page: 2, PerPage: 1}}: "shop",
	} {
		var slugs []string
		for _, p := range must[[]buildkite.Pipeline](t, 200)(client.Pipelines.List(t.Context(), org, &options)) {
			slugs = append(slugs, p.Slug)
		}
		same(t, "the list", strings.Join(slugs, " "), want)
	}

	done(t, 200)(client.Pipelines.Archive(t.Context(), org, "shop"))
	_, err = client.Pipelines.Archive(t.Context(), org, "shop")
	refused(t, err, 422, "Pipeline is already archived")
	if p := must[buildkite.Pipeline](t, 200)(client.Pipelines.Get(t.Context(), org, "shop")); p.ArchivedAt == nil {
		t.Error("it is not archived")
	}
	done(t, 200)(client.Pipelines.Unarchive(t.Context(), org, "shop"))
	done(t, 204)(client.Pipelines.Delete(t.Context(), org, "shop"))
}
