package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// everything asks for every field of every type that an organization leads to.
const everything = `{
  viewer { id user { id uuid name email createdAt bot machineUser hasPassword avatar { url } }
    emails { count nodes { id uuid address primary verified } edges { cursor } pageInfo { startCursor } }
    organizations(first: 2) { count edges { cursor node { slug } } nodes { name } pageInfo { hasNextPage hasPreviousPage } }
    permissions { totpConfigure { allowed code message } } }
  organization(slug: "acme-inc") {
    id uuid name slug createdAt public isTeamsEnabled iconUrl allowedApiIpAddresses revokeInactiveTokensAfter activeUsersCount
    settings { allowedApiIpAddresses auditRetentionDays buildRetentionDays clusterWrites defaultBranch defaultCluster { name } defaultTimeoutInMinutes maintainersCanDestroyCacheRegistries
      maximumTimeoutInMinutes membersCanCreatePipelines membersCanCreatePublicPipelines publicPipelinesEnabledAt publicPipelinesEnabledBy { name }
      restrictUserApiTokenCreation revokeInactiveTokensAfterDays scheduledJobExpiryInMinutes }
    permissions { auditEventsView { allowed } organizationBillingUpdate { allowed } organizationMemberUpdate { allowed } organizationMemberView { allowed }
      organizationMemberViewSensitive { allowed } organizationUpdate { allowed } pipelineCreate { allowed } pipelineCreateWithoutTeams { allowed }
      pipelineView { allowed } teamAdmin { allowed } teamCreate { allowed } teamEnabledChange { allowed } teamView { allowed } }
    apiAccessTokens(first: 3) { count pageInfo { endCursor } nodes { id uuid createdAt description expiresAt ipAddress lastAccessedAt scopes owner { name } } }
    cluster(id: "` + testkit.MaintainedID + `") { name }
    clusters(first: 5) { count pageInfo { hasNextPage } edges { cursor } nodes {
      id uuid name description emoji color createdAt hostedGitMirrorEnabled hostedContainerCacheEnabled defaultCacheRegistry { slug } createdBy { name } defaultQueue { key } organization { slug }
      queues(first: 5) { count nodes { id uuid key description retryAgentAffinity dispatchPaused dispatchPausedAt dispatchPausedNote dispatchPausedBy { name }
        hosted hostedAgents { instanceShape { name architecture machineType size vcpu memory } platformSettings { linux { agentImageRef } macos { macosVersion xcodeVersion } } }
        createdAt createdBy { name } cluster { name } } }
      maintainers(first: 5) { count nodes { id uuid can_add_pipelines can_manage can_see_tokens cluster { name } actor { __typename ... on Team { name } ... on OrganizationMember { user { name } } } } }
      agentTokens(first: 5) { count nodes { id uuid createdAt description allowedIpAddresses expiresAt token createdBy { name } cluster { name } } }
      cacheRegistries(first: 5) { count nodes { id uuid name slug description emoji color policy default createdAt updatedAt cluster { name } } } } }
    members(first: 5) { count nodes { id uuid role createdAt lastSeenAt createdBy { name } user { name } organization { slug }
      permissions { organizationMemberDelete { allowed } organizationMemberUpdate { allowed } }
      teams(first: 5) { count nodes { id uuid role createdAt createdBy { name } user { name } team { slug } organizationMember { id }
        permissions { teamMemberDelete { allowed } teamMemberUpdate { allowed } } } } } }
    pipelines(first: 5) { count nodes { id uuid name slug url description emoji color archived archivedAt archivedBy { name } createdAt createdBy { name }
      allowRebuilds branchConfiguration cancelIntermediateBuilds cancelIntermediateBuildsBranchFilter defaultBranch defaultTimeoutInMinutes
      maximumTimeoutInMinutes skipIntermediateBuilds skipIntermediateBuildsBranchFilter nextBuildNumber favorite public visibility
      repository { url } steps { yaml } tags { label } cluster { name } organization { slug }
      permissions { pipelineDelete { allowed } pipelineFavorite { allowed } pipelineUpdate { allowed } }
      teams(first: 5) { count nodes { id uuid accessLevel createdAt createdBy { name } team { slug } pipeline { slug }
        permissions { teamPipelineDelete { allowed } teamPipelineUpdate { allowed } } } } } }
    teams(first: 5) { count nodes { id uuid name slug description privacy isDefaultTeam defaultMemberRole membersCanCreatePipelines membersCanDeletePipelines
      createdAt createdBy { name } organization { slug }
      permissions { pipelineView { allowed } teamDelete { allowed } teamMemberCreate { allowed } teamPipelineCreate { allowed } teamUpdate { allowed } }
      members(first: 5) { count nodes { role } } pipelines(first: 5) { count nodes { accessLevel } } } }
    portals(first: 5) { count nodes { id uuid name slug description query allowedIpAddresses createdAt createdBy { name } organization { slug }
      tokens(first: 5) { count nodes { id uuid description expiresAt createdAt createdBy { name } } }
      secrets(first: 2) { count nodes { id uuid description createdAt createdBy { name } } } } }
    auditEvents(first: 20) { count nodes { id uuid type occurredAt data actor { id uuid name type node { ... on User { name } } }
      subject { id uuid name type node { __typename } }
      context { __typename ... on AuditAPIContext { requestApiAccessTokenUuid requestIpAddress requestUserAgent } ... on AuditWebContext { sessionCreatedAt } } } }
  }
}`

func TestEveryFieldCanBeRead(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		fillOrganization(t, s)
		for _, token := range []string{testkit.AdminToken, testkit.MemberToken, testkit.MaintainerToken, testkit.TeammateToken} {
			answer := s.GraphQL(token, everything, nil)
			if answer.Status != 200 || strings.Contains(string(answer.Body), `"errors"`) {
				t.Errorf("%s", answer)
			}
		}
	})
}

// fillOrganization makes one of each thing through REST.
func fillOrganization(t *testing.T, s *testkit.Server) {
	t.Helper()
	organization := "/v2/organizations/acme-inc"
	pipeline := s.Post(testkit.AdminToken, organization+"/pipelines", map[string]any{"name": "Web", "repository": "git@example.com:acme/web.git", "tags": []string{"a", "b"},
		"cluster_id": testkit.MaintainedID, "team_uuids": []string{testkit.TeamID}, "configuration": "steps: []"}).Object()
	s.Post(testkit.AdminToken, organization+"/pipelines", map[string]any{"name": "Old", "repository": "r"})
	s.Post(testkit.AdminToken, organization+"/pipelines/old/archive", nil)
	s.Post(testkit.MaintainerToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), map[string]any{"description": "Agents"})
	queue := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "queues"), map[string]any{"key": "hosted",
		"hosted_agents": map[string]any{"instance_shape": "MACOS_ARM64_M4_6X28"}}).Object()
	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "queues", queue["id"].(string), "pause_dispatch"), map[string]any{"note": "moving"})
	s.Post(testkit.AdminToken, organization+"/portals", map[string]any{"name": "Reads", "query": "{ __typename }"}).Want(t, 201)
	if pipeline["id"] == nil {
		t.Fatal("the pipeline was not made")
	}
}
