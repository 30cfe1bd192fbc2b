package graph

import (
	"context"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
)

type (
	// repository is what a pipeline builds.
	repository struct {
		pipeline pipeline
		url      string // without credentials for those who may not change the pipeline
	}
	// repositoryProvider is the service that hosts a repository.
	repositoryProvider struct {
		pipeline pipeline
		known    *domain.Provider // nil: it is not a known one
	}
	// providerSettings are a pipeline's settings for such a service.
	providerSettings struct{ pipeline pipeline }
)

// providerTypes are the types of services, and of the settings for them.
var providerTypes = map[string]string{
	"RepositoryProviderBeanstalk":        "RepositoryProviderBeanstalkSettings",
	"RepositoryProviderBitbucket":        "RepositoryProviderBitbucketSettings",
	"RepositoryProviderBitbucketServer":  "RepositoryProviderBitbucketServerSettings",
	"RepositoryProviderCodebase":         "RepositoryProviderCodebaseSettings",
	"RepositoryProviderCursorOrigin":     "RepositoryProviderCursorOriginSettings",
	"RepositoryProviderGithub":           "RepositoryProviderGitHubSettings",
	"RepositoryProviderGithubEnterprise": "RepositoryProviderGitHubEnterpriseSettings",
	"RepositoryProviderGitlab":           "RepositoryProviderGitlabSettings",
	"RepositoryProviderGitlabCommunity":  "RepositoryProviderGitlabSettings",
	"RepositoryProviderGitlabEnterprise": "RepositoryProviderGitlabSettings",
	"RepositoryProviderUnknown":          "RepositoryProviderUnknownSettings",
}

// knownProviders are the services that are known, by connections or by addresses, with what they are called.
var knownProviders = map[string]struct{ typeName, name string }{
	"github":            {"RepositoryProviderGithub", "GitHub"},
	"github_enterprise": {"RepositoryProviderGithubEnterprise", "GitHub Enterprise"},
	"gitlab":            {"RepositoryProviderGitlab", "GitLab"},
	"bitbucket":         {"RepositoryProviderBitbucket", "Bitbucket"},
	"bitbucket_server":  {"RepositoryProviderBitbucketServer", "Bitbucket Server"},
	"gitea":             {"RepositoryProviderUnknown", "Gitea"},
}

// Names of the flags that settings have, as REST calls them.
var (
	pushFlags      = []string{"build_branches", "build_pull_requests", "build_tags"}
	bitbucketFlags = append([]string{
		"cancel_deleted_branch_builds", "ignore_default_branch_pull_requests", "publish_commit_status",
		"publish_commit_status_per_step",
		"pull_request_branch_filter_enabled", "skip_builds_for_existing_commits",
		"skip_pull_request_builds_for_existing_commits",
	}, pushFlags...)
	githubFlags = append([]string{
		"build_check_run_completed", "build_create_event", "build_deployment_status_created", "build_issue_comment_created",
		"build_merge_group_checks_requested", "build_pull_request_base_branch_changed",
		"build_pull_request_converted_to_draft",
		"build_pull_request_dequeued", "build_pull_request_edited", "build_pull_request_forks",
		"build_pull_request_labels_changed",
		"build_pull_request_merge_commits", "build_pull_request_ready_for_review", "build_pull_request_reopened",
		"build_pull_request_review_comment_created", "build_pull_request_review_dismissed",
		"build_pull_request_review_requested",
		"build_pull_request_review_submitted", "build_pull_request_stacks", "build_release_created",
		"build_release_published",
		"build_release_released", "cancel_when_merge_group_destroyed", "github_webhooks_disabled",
		"github_workflow_access_tokens_enabled",
		"prefix_pull_request_fork_branch_names", "prevent_custom_statuses_from_using_buildkite_prefix",
		"publish_blocked_as_pending",
		"separate_pull_request_statuses", "skip_builds_for_closed_pull_requests",
		"use_merge_group_base_commit_for_git_diff_base",
		"use_step_key_as_commit_status",
	}, bitbucketFlags...)
	flagsOfSettings = map[string][]string{
		"RepositoryProviderBitbucketServerSettings":  pushFlags,
		"RepositoryProviderBitbucketSettings":        bitbucketFlags,
		"RepositoryProviderCursorOriginSettings":     append([]string{"publish_commit_status"}, pushFlags...),
		"RepositoryProviderGitHubEnterpriseSettings": githubFlags,
		"RepositoryProviderGitHubSettings":           githubFlags,
	}
)

func bindRepositories(b *gql.Builder, baseURL string) {
	gql.DeclareObject[*repository](b, "Repository")
	gql.BindObject(b, "Pipeline.repository", func(ctx context.Context, pipelines []pipeline, _ gql.Args) ([]*repository,
		error) {
		permitted, err := readingOf(ctx).PipelinePermitted(pipelines, authz.WritePipeline)
		if err != nil {
			return nil, err
		}
		repositories := make([]*repository, len(pipelines))
		for i, p := range pipelines {
			repositories[i] = &repository{p, p.RedactedRepository()}
			if permitted[i] {
				repositories[i].url = p.Repository
			}
		}
		return repositories, nil
	})
	bindText(b, "Repository.url", func(r *repository) string { return r.url })
	bindPart(b, "Repository.provider", func(r *repository) *repositoryProvider {
		return &repositoryProvider{r.pipeline, r.pipeline.Provider()}
	})
	gql.DeclareAbstract(b, "RepositoryProvider", (*repositoryProvider).typeName)
	gql.DeclareAbstract(b, "RepositoryProviderSettings", func(s *providerSettings) string {
		return providerTypes[(&repositoryProvider{s.pipeline, s.pipeline.Provider()}).typeName()]
	})
	bound := map[string]bool{} // settings that several services share
	for typeName, settings := range providerTypes {
		gql.DeclareObject[*repositoryProvider](b, typeName)
		bindText(b, typeName+".name", (*repositoryProvider).name)
		bindNullableText(b, typeName+".url", (*repositoryProvider).url)
		bindWebhookURL(b, typeName+".webhookUrl", baseURL, func(p *repositoryProvider) pipeline { return p.pipeline })
		bindPart(b, typeName+".settings", func(p *repositoryProvider) *providerSettings {
			return &providerSettings{p.pipeline}
		})
		if !bound[settings] {
			bound[settings] = true
			bindProviderSettings(b, settings)
		}
	}
	for _, typeName := range []string{"RepositoryProviderGithub", "RepositoryProviderGithubEnterprise"} {
		gql.BindObject(b, typeName+".webhook", func(ctx context.Context, providers []*repositoryProvider,
			_ gql.Args) ([]*pipelineWebhook, error) {
			pipelines := make([]pipeline, len(providers))
			for i, p := range providers {
				pipelines[i] = p.pipeline
			}
			made, err := readingOf(ctx).WebhooksOf(pipelines)
			webhooks := make([]*pipelineWebhook, len(providers))
			for i, w := range made {
				if w != nil {
					webhooks[i] = &pipelineWebhook{*w, pipelines[i], baseURL + "/deliver/" + pipelines[i].WebhookToken.Reveal()}
				}
			}
			return webhooks, err
		})
	}
}

func bindProviderSettings(b *gql.Builder, typeName string) {
	gql.DeclareObject[*providerSettings](b, typeName)
	bindFlag := func(name string) {
		bindBool(b, typeName+"."+camelCase(name), func(s *providerSettings) bool { return s.pipeline.ProviderFlag(name) })
	}
	bindSetting := func(name string, show func(string) string) {
		bindNullableText(b, typeName+"."+camelCase(name), func(s *providerSettings) *string {
			text := s.pipeline.ProviderText(name)
			if text == nil {
				return nil
			}
			shown := show(*text)
			return &shown
		})
	}
	asGiven := func(text string) string { return text }
	bindFlag("filter_enabled")
	bindSetting("filter_condition", asGiven)
	flags := flagsOfSettings[typeName]
	for _, name := range flags {
		bindFlag(name)
	}
	if len(flags) >= len(bitbucketFlags) {
		bindSetting("pull_request_branch_filter_configuration", asGiven)
	}
	if len(flags) < len(githubFlags) {
		return
	}
	for _, name := range []string{"issue_comment_command_word", "review_comment_command_word", "trigger_mode"} {
		bindSetting(name, asGiven)
	}
	for _, name := range []string{"issue_comment_match_mode", "review_comment_match_mode"} {
		bindSetting(name, strings.ToUpper)
	}
}

// camelCase returns what a name of REST is called here.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

func (p *repositoryProvider) typeName() string {
	if p.known == nil {
		return "RepositoryProviderUnknown"
	}
	return knownProviders[p.known.ID].typeName
}

func (p *repositoryProvider) name() string {
	if p.known == nil {
		return "Unknown"
	}
	return knownProviders[p.known.ID].name
}

func (p *repositoryProvider) url() *string {
	if p.known == nil {
		return nil
	}
	return &p.known.URL
}
