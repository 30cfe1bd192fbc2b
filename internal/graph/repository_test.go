package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const pipelinesPath = "/v2/organizations/acme-inc/pipelines"

// providerSettingsDocument is what a Terraform provider asks when it reads the settings of a pipeline's repository.
const providerSettingsDocument = `query ($id: ID!) { node(id: $id) { ... on Pipeline { id repository { provider { __typename
  ... on RepositoryProviderGithub { settings { ...GitHub } }
  ... on RepositoryProviderGithubEnterprise { settings { buildBranches buildPullRequestEdited triggerMode issueCommentMatchMode filterCondition } }
  ... on RepositoryProviderBitbucket { settings { buildBranches buildPullRequests buildTags canceldeletedbranchbuilds: cancelDeletedBranchBuilds filterCondition filterEnabled
    ignoreDefaultBranchPullRequests publishCommitStatus publishCommitStatusPerStep pullRequestBranchFilterConfiguration pullRequestBranchFilterEnabled
    skipbuildsforexistingcommits: skipBuildsForExistingCommits skipPullRequestBuildsForExistingCommits } }
  ... on RepositoryProviderBitbucketServer { settings { buildBranches buildPullRequests buildTags filterCondition filterEnabled } }
  ... on RepositoryProviderGitlab { settings { filterCondition filterEnabled } }
  ... on RepositoryProviderGitlabCommunity { settings { filterCondition filterEnabled } }
  ... on RepositoryProviderGitlabEnterprise { settings { filterCondition filterEnabled } }
  ... on RepositoryProviderBeanstalk { settings { filterCondition filterEnabled } }
  ... on RepositoryProviderCodebase { settings { filterCondition filterEnabled } }
  ... on RepositoryProviderCursorOrigin { settings { buildBranches buildPullRequests buildTags filterCondition filterEnabled publishCommitStatus } }
  ... on RepositoryProviderUnknown { settings { filterCondition filterEnabled } }
} } } } }
fragment GitHub on RepositoryProviderGitHubSettings { buildBranches buildCheckRunCompleted buildCreateEvent buildDeploymentStatusCreated
  buildPullRequestConvertedToDraft buildPullRequestDequeued buildPullRequestReopened buildPullRequestReviewCommentCreated buildPullRequestReviewRequested
  buildPullRequestReviewDismissed buildPullRequestReviewSubmitted buildReleaseCreated buildReleasePublished buildReleaseReleased buildIssueCommentCreated
  buildMergeGroupChecksRequested buildPullRequestBaseBranchChanged buildPullRequestForks buildPullRequestLabelsChanged buildPullRequestMergeCommits
  buildPullRequestReadyForReview buildPullRequests buildTags cancelDeletedBranchBuilds cancelWhenMergeGroupDestroyed filterCondition filterEnabled
  ignoreDefaultBranchPullRequests issueCommentCommandWord issueCommentMatchMode prefixPullRequestForkBranchNames publishBlockedAsPending publishCommitStatus
  publishCommitStatusPerStep pullRequestBranchFilterConfiguration pullRequestBranchFilterEnabled reviewCommentCommandWord reviewCommentMatchMode
  separatePullRequestStatuses skipBuildsForExistingCommits skipPullRequestBuildsForExistingCommits triggerMode useMergeGroupBaseCommitForGitDiffBase
  useStepKeyAsCommitStatus buildPullRequestEdited buildPullRequestStacks githubWebhooksDisabled githubWorkflowAccessTokensEnabled
  preventCustomStatusesFromUsingBuildkitePrefix skipBuildsForClosedPullRequests }`

func TestRepositoryProviders(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		providerOf := func(token, id, document string) item {
			t.Helper()
			return dig(t, wantData(t, s.GraphQL(token, document, fields{"id": id})), "node", "repository", "provider").(item)
		}
		for repository, want := range map[string]item{
			"git@github.com:acme/web.git":             {"__typename": "RepositoryProviderGithub", "name": "GitHub", "url": "https://github.com/acme/web"},
			"https://gitlab.com/acme/deep/web.git":    {"__typename": "RepositoryProviderGitlab", "name": "GitLab", "url": "https://gitlab.com/acme/deep/web"},
			"ssh://git@bitbucket.org/acme/web.git":    {"__typename": "RepositoryProviderBitbucket", "name": "Bitbucket", "url": "https://bitbucket.org/acme/web"},
			"git@example.com:acme/web.git":            {"__typename": "RepositoryProviderUnknown", "name": "Unknown", "url": nil},
			"https://github.com.example.com/acme/web": {"__typename": "RepositoryProviderUnknown", "name": "Unknown", "url": nil},
		} {
			made := s.Post(testkit.AdminToken, pipelinesPath, fields{"name": want["name"].(string) + repository[:8], "repository": repository}).Want(t, 201)
			id := made.Text("graphql_id")
			const document = `query ($id: ID!) { node(id: $id) { ... on Pipeline { repository { provider { __typename name url webhookUrl } } } } }`
			want["webhookUrl"] = made.Object()["provider"].(map[string]any)["webhook_url"]
			wantEqual(t, providerOf(testkit.AdminToken, id, document), want)
			want["webhookUrl"] = nil // for who may not change the pipeline
			wantEqual(t, providerOf(testkit.MemberToken, id, document), want)
			wantEqual(t, providerOf(testkit.AdminToken, id, providerSettingsDocument)["__typename"], want["__typename"])
		}
	})
}

func TestRepositoryProviderSettingsAreTheStoredOnes(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		made := s.Post(testkit.AdminToken, pipelinesPath, fields{"name": "Web", "repository": "git@github.com:acme/web.git"}).Want(t, 201)
		path := pipelinesPath + "/" + made.Text("slug")
		settings := func() item {
			t.Helper()
			return dig(t, wantData(t, s.GraphQL(testkit.AdminToken, providerSettingsDocument, fields{"id": made.Text("graphql_id")})), "node", "repository", "provider", "settings").(item)
		}
		defaults := settings()
		for name, want := range (item{"buildBranches": true, "buildPullRequests": true, "publishCommitStatus": true, "skipPullRequestBuildsForExistingCommits": true, "buildTags": false,
			"triggerMode": "code", "issueCommentMatchMode": "EXACT", "issueCommentCommandWord": "/bk", "filterCondition": nil, "filterEnabled": false}) {
			if defaults[name] != want {
				t.Errorf("%s is %v unless it is given, not %v", name, defaults[name], want)
			}
		}
		// Every setting that GraphQL shows is the one that REST stores.
		given, want := fields{}, item{}
		for name, value := range defaults {
			setting := snakeCase(name)
			switch {
			case setting == "trigger_mode":
				given[setting], want[name] = "fork", "fork"
			case strings.HasSuffix(setting, "_match_mode"):
				given[setting], want[name] = "contains", "CONTAINS"
			case value == true || value == false:
				given[setting], want[name] = value == false, value == false
			default:
				given[setting], want[name] = "x "+setting, "x "+setting
			}
		}
		s.Patch(testkit.AdminToken, path, fields{"provider_settings": given}).Want(t, 200)
		wantEqual(t, settings(), want)
		s.Patch(testkit.AdminToken, path, fields{"provider_settings": fields{"trigger_mode": "", "issue_comment_match_mode": ""}}).Want(t, 200)
		want["triggerMode"], want["issueCommentMatchMode"] = "", "EXACT"
		wantEqual(t, settings(), want)
	})
}

func TestPipelineUpdateMakesTheSlugOfTheName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		made := s.Post(testkit.AdminToken, pipelinesPath, fields{"name": "TesT --- PipeLine - x", "slug": "custom", "repository": "r"}).Want(t, 201)
		update := func(input fields) any {
			t.Helper()
			input["id"] = made.Text("graphql_id")
			return dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($input: PipelineUpdateInput!) { pipelineUpdate(input: $input) { pipeline { slug } } }`, fields{"input": input})),
				"pipelineUpdate", "pipeline", "slug")
		}
		wantEqual(t, update(fields{"description": "No name, no slug"}), "custom")
		wantEqual(t, update(fields{"name": "TesT --- PipeLine - x"}), "test-pipeline-x")
		wantEqual(t, update(fields{"name": "TesT --- PipeLine - x", "slug": "chosen"}), "chosen")
		// The slug of the same name that another pipeline has is no reason to refuse the change.
		s.Post(testkit.AdminToken, pipelinesPath, fields{"name": "Test Pipeline x", "repository": "r"}).Want(t, 201)
		wantEqual(t, update(fields{"name": "TesT --- PipeLine - x", "description": "y"}), "chosen")
		wantError(t, s.GraphQL(testkit.AdminToken, `mutation ($input: PipelineUpdateInput!) { pipelineUpdate(input: $input) { clientMutationId } }`,
			fields{"input": fields{"id": made.Text("graphql_id"), "name": "Test Pipeline X"}}), "Validation failed: Slug has already been taken", "pipelineUpdate")
	})
}

// TestAQueueOfMacsIsUpdatedWithAnEmptyImage sends what a Terraform provider does.
func TestAQueueOfMacsIsUpdatedWithAnEmptyImage(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		macos := fields{"macos": fields{"xcodeVersion": "14.3.1", "macosVersion": "SEQUOIA"}}
		organization := domain.GraphQLID("Organization", dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { uuid } }`, nil)), "organization", "uuid").(string))
		created := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($input: ClusterQueueCreateInput!) { clusterQueueCreate(input: $input) { clusterQueue { id } } }`, fields{"input": fields{
			"organizationId": organization, "clusterId": domain.GraphQLID("Cluster", testkit.MaintainedID), "key": "macs",
			"hostedAgents": fields{"instanceShape": "MACOS_ARM64_M4_6X28", "platformSettings": macos}}})), "clusterQueueCreate", "clusterQueue", "id")
		updated := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($input: ClusterQueueUpdateInput!) { clusterQueueUpdate(input: $input) { clusterQueue { description
			hostedAgents { platformSettings { linux { agentImageRef } macos { xcodeVersion macosVersion } } } } } }`, fields{"input": fields{
			"organizationId": organization, "id": created, "description": "x",
			"hostedAgents": fields{"instanceShape": "MACOS_ARM64_M4_6X28", "agentImageRef": "", "platformSettings": macos}}})), "clusterQueueUpdate", "clusterQueue").(item)
		wantEqual(t, updated["description"], "x")
		wantEqual(t, dig(t, updated, "hostedAgents", "platformSettings", "macos"), item{"xcodeVersion": "14.3.1", "macosVersion": "SEQUOIA"})
	})
}

// TestARepositorysPasswordIsHidden reads the address of a repository that has a password in it: only who may change the pipeline sees that.
func TestARepositorysPasswordIsHidden(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const address = "https://user:hunter2@example.com/acme/web.git"
		made := s.Post(testkit.AdminToken, pipelinesPath, fields{"name": "Web", "repository": address}).Want(t, 201)
		const document = `query ($id: ID!) { node(id: $id) { ... on Pipeline { repository { url } } } }`
		read := func(token string) any {
			t.Helper()
			return dig(t, wantData(t, s.GraphQL(token, document, fields{"id": made.Text("graphql_id")})), "node", "repository", "url")
		}
		wantEqual(t, read(testkit.AdminToken), address)
		shown, _ := read(testkit.MemberToken).(string)
		if strings.Contains(shown, "hunter2") || !strings.HasSuffix(shown, "@example.com/acme/web.git") {
			t.Errorf("a member sees %q", shown)
		}
		wantEqual(t, s.Get(testkit.MemberToken, pipelinesPath+"/"+made.Text("slug")).Want(t, 200).Text("repository"), shown)
	})
}
