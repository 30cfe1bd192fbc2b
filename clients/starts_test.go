package clients_test

import (
	"testing"

	"github.com/buildkite/go-buildkite/v4"
)

// TestPublicGoClientStarts drives rules, schedules, templates, webhooks and what notification services are sent with github.com/buildkite/go-buildkite.
func TestPublicGoClientStarts(t *testing.T) {
	client, err := buildkite.NewOpts(buildkite.WithBaseURL(startServer(t)), buildkite.WithTokenAuth(startsToken))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"App", "Deploy"} {
		must[buildkite.Pipeline](t, 201)(client.Pipelines.Create(t.Context(), org, buildkite.CreatePipeline{Name: name, Repository: "https://example.com/" + name, DefaultBranch: "main",
			Configuration: "steps: [wait]"}))
	}
	t.Run("rules", func(t *testing.T) { rules(t, client) })
	t.Run("schedules", func(t *testing.T) { schedules(t, client) })
	t.Run("templates", func(t *testing.T) { templates(t, client) })
	t.Run("webhooks", func(t *testing.T) { webhooks(t, client) })
	t.Run("services", func(t *testing.T) { services(t, client) })
}

func rules(t *testing.T, client *buildkite.Client) {
	created := must[buildkite.Rule](t, 201)(client.Rules.Create(t.Context(), org, buildkite.RuleCreate{Type: "pipeline.trigger_build.pipeline",
		Value: buildkite.RuleValue{SourcePipeline: "app", TargetPipeline: "deploy"}}))
	same(t, "the action", created.Action, "trigger_build")
	same(t, "the effect", created.Effect, "allow")
	same(t, "the creator", created.CreatedBy.Email, "admin@example.com")
	read := must[buildkite.Rule](t, 200)(client.Rules.Get(t.Context(), org, created.UUID))
	same(t, "the source", read.SourceUUID, created.SourceUUID)
	list := must[[]buildkite.Rule](t, 200)(client.Rules.List(t.Context(), org, nil))
	same(t, "the number of rules", len(list), 1)
	_, _, err := client.Rules.Create(t.Context(), org, buildkite.RuleCreate{Type: "pipeline.x.pipeline", Value: buildkite.RuleValue{SourcePipeline: "app", TargetPipeline: "deploy"}})
	refused(t, err, 422, "Rule type is unknown")
	done(t, 204)(client.Rules.Delete(t.Context(), org, created.UUID))
	_, _, err = client.Rules.Get(t.Context(), org, created.UUID)
	refused(t, err, 404, "No rule found")
}

func schedules(t *testing.T, client *buildkite.Client) {
	created := must[buildkite.PipelineSchedule](t, 201)(client.PipelineSchedules.Create(t.Context(), org, "app", buildkite.CreatePipelineSchedule{Cronline: "@daily", Label: "Nightly",
		Env: map[string]string{"A": "1"}}))
	same(t, "the branch", created.Branch, "main")
	same(t, "the commit", created.Commit, "HEAD")
	same(t, "the environment", created.Env["A"], "1")
	same(t, "enabled", created.Enabled, true)
	if created.NextBuildAt == nil || created.NextBuildAt.IsZero() {
		t.Error("there is no next build")
	}
	updated := must[buildkite.PipelineSchedule](t, 200)(client.PipelineSchedules.Update(t.Context(), org, "app", created.ID, buildkite.UpdatePipelineSchedule{Cronline: "@hourly"}))
	same(t, "the line", updated.Cronline, "@hourly")
	same(t, "the label", updated.Label, "Nightly")
	read := must[buildkite.PipelineSchedule](t, 200)(client.PipelineSchedules.Get(t.Context(), org, "app", created.ID))
	same(t, "the pipeline", read.Pipeline.Slug, "app")
	list := must[[]buildkite.PipelineSchedule](t, 200)(client.PipelineSchedules.List(t.Context(), org, "app", nil))
	same(t, "the number of schedules", len(list), 1)
	_, _, err := client.PipelineSchedules.Create(t.Context(), org, "app", buildkite.CreatePipelineSchedule{Cronline: "* * * * *"})
	refused(t, err, 422, "Validation failed: Cronline is not valid: builds can't be less than 10 minutes apart")
	done(t, 204)(client.PipelineSchedules.Delete(t.Context(), org, "app", created.ID))
}

func templates(t *testing.T, client *buildkite.Client) {
	created := must[buildkite.PipelineTemplate](t, 201)(client.PipelineTemplates.Create(t.Context(), org, buildkite.PipelineTemplateCreateUpdate{Name: "Build", Configuration: "steps: [{command: make}]"}))
	same(t, "available", created.Available, false)
	updated := must[buildkite.PipelineTemplate](t, 200)(client.PipelineTemplates.Update(t.Context(), org, created.UUID, buildkite.PipelineTemplateCreateUpdate{Description: "Shared", Available: true}))
	same(t, "available", updated.Available, true)
	same(t, "the name", updated.Name, "Build")
	read := must[buildkite.PipelineTemplate](t, 200)(client.PipelineTemplates.Get(t.Context(), org, created.UUID))
	same(t, "the description", read.Description, "Shared")
	list := must[[]buildkite.PipelineTemplate](t, 200)(client.PipelineTemplates.List(t.Context(), org, nil))
	same(t, "the number of templates", len(list), 1)
	done(t, 204)(client.PipelineTemplates.Delete(t.Context(), org, created.UUID))
}
