package graph_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/testkit"
)

// counterparts are the types and inputs in which GraphQL has what a schema of REST's description has. A member is called the same there,
// but for its case: see graphQLName.
var counterparts = map[string]string{
	"AdministeredOrganization": "Organization",
	"AgentToken":               "ClusterToken",
	"PipelineSchedule":         "PipelineSchedule",
	"PipelineScheduleBody":     "PipelineScheduleCreateInput",
	"OrganizationBanner":       "OrganizationBanner",
	"OrganizationBannerBody":   "OrganizationBannerUpsertInput",
	"PipelineTemplate":         "PipelineTemplate",
	"PipelineTemplateBody":     "PipelineTemplateCreateInput",
	"Rule":                     "Rule",
	"AgentTokenBody":           "ClusterAgentTokenCreateInput",
	"Annotation":               "Annotation",
	"AnnotationBody":           "BuildAnnotateInput",
	"ApiSettings":              "OrganizationSettings",
	"ApiSettingsBody":          "OrganizationUpdateInput",
	"Artifact":                 "Artifact",
	"AuditActor":               "AuditActor",
	"AuditContext":             "AuditAPIContext",
	"AuditEvent":               "AuditEvent",
	"AuditSubject":             "AuditSubject",
	"Author":                   "UnregisteredUser",
	"AuthorBody":               "BuildAuthorInput",
	"Build":                    "Build",
	"BuildBody":                "BuildCreateInput",
	"BuildLink":                "Build",
	"BuiltPipeline":            "Pipeline",
	"Job":                      "JobTypeCommand",
	"JobAgent":                 "Agent",
	"JobPriority":              "JobPriority",
	"JobStep":                  "StepCommand",
	"PullRequest":              "PullRequest",
	"Retried":                  "Build",
	"RetryFailedBody":          "BuildRetryFailedJobsInput",
	"RetrySource":              "JobTypeCommand",
	"TriggeredBuild":           "Build",
	"CacheRegistry":            "CacheRegistry",
	"CacheRegistryCreateBody":  "CacheRegistryCreateInput",
	"CacheRegistryUpdateBody":  "CacheRegistryUpdateInput",
	"Cluster":                  "Cluster",
	"ClusterSecret":            "Secret",
	"ClusterCreateBody":        "ClusterCreateInput",
	"ClusterUpdateBody":        "ClusterUpdateInput",
	"HostedAgents":             "HostedAgentQueueSettings",
	"HostedAgentsBody":         "HostedAgentsQueueSettingsCreateInput",
	"InstanceShape":            "HostedAgentInstanceShape",
	"Invitation":               "OrganizationInvitation",
	"InvitationBody":           "OrganizationInvitationCreateInput",
	"InvitationTeamBody":       "OrganizationInvitationTeamAssignmentInput",
	"InvitedTeam":              "Team",
	"LinuxSettings":            "HostedAgentLinuxSettings",
	"LinuxSettingsBody":        "HostedAgentsLinuxPlatformSettingsInput",
	"MacOSSettings":            "HostedAgentMacOSSettingsType",
	"MacOSSettingsBody":        "HostedAgentsMacosPlatformSettingsInput",
	"Maintainer":               "ClusterPermission",
	"MaintainerBody":           "ClusterPermissionCreateInput",
	"ManagedCluster":           "Cluster",
	"Member":                   "User",
	"MemberBody":               "OrganizationMemberUpdateInput",
	"NewAgentToken":            "ClusterToken",
	"NewInvitation":            "OrganizationInvitation",
	"NewTeamMemberBody":        "TeamMemberCreateInput",
	"NewTeamPipelineBody":      "TeamPipelineCreateInput",
	"Organization":             "Organization",
	"OrganizationBody":         "OrganizationUpdateInput",
	"OrganizationSettings":     "OrganizationSettings",
	"OrganizationSettingsBody": "OrganizationUpdateInput",
	"PauseBody":                "ClusterQueuePauseDispatchInput",
	"Pipeline":                 "Pipeline",
	"PipelineBody":             "PipelineCreateInput",
	"PipelineSettings":         "OrganizationSettings",
	"PipelineSettingsBody":     "OrganizationUpdateInput",
	"PlatformSettings":         "HostedAgentPlatformSettings",
	"PlatformSettingsBody":     "HostedAgentsPlatformSettingsInput",
	"Portal":                   "Portal",
	"PortalSecret":             "PortalSecret",
	"PortalToken":              "PortalToken",
	"Queue":                    "ClusterQueue",
	"QueueBody":                "ClusterQueueCreateInput",
	"QueueFigures":             "ClusterQueueMetrics",
	"QueueWait":                "ClusterQueueWaitTime",
	"Team":                     "Team",
	"TeamBody":                 "TeamCreateInput",
	"TeamMember":               "TeamMember",
	"TeamMemberBody":           "TeamMemberUpdateInput",
	"TeamPipeline":             "TeamPipeline",
	"TeamPipelineBody":         "TeamPipelineUpdateInput",
	"Usage":                    "Organization",
	"User":                     "User",
}

// otherNames are what GraphQL calls members that it calls otherwise, with the type if that is another.
var otherNames = map[string]string{
	"AdministeredOrganization.settings": "settings",
	"AgentToken.cluster_url":            "cluster",
	"Annotation.body_html":              "AnnotationBody.html",
	"Artifact.job_id":                   "job",
	"Artifact.file_size":                "size",
	"ApiSettings.allowed_ip_addresses":  "allowedApiIpAddresses", "ApiSettingsBody.allowed_ip_addresses": "allowedApiIpAddresses",
	"Cluster.default_queue_id": "defaultQueue", "ManagedCluster.default_queue_id": "defaultQueue",
	"ManagedCluster.default_cache_registry_uuid": "defaultCacheRegistry", "ClusterUpdateBody.default_cache_registry_uuid": "defaultCacheRegistryId",
	"InstanceShape.cpu":   "vcpu",
	"Invitation.sso_mode": "OrganizationInvitationSSOType.mode", "InvitationBody.sso_mode": "OrganizationInvitationSSOInput.mode", "InvitationTeamBody.id": "id",
	"MaintainerBody.user": "userId", "MaintainerBody.team": "teamId",
	"Member.membership_graphql_id": "OrganizationMember.id", "Member.membership_id": "OrganizationMember.uuid", "Member.role": "OrganizationMember.role",
	"Member.created_at": "OrganizationMember.createdAt", "Member.last_seen_at": "OrganizationMember.lastSeenAt",
	"NewAgentToken.token":    "ClusterAgentTokenCreatePayload.tokenValue",
	"NewInvitation.sso_mode": "OrganizationInvitationSSOType.mode", "NewInvitation.invitation_url": "OrganizationInvitationCreatePayload.invitationUrls",
	"NewTeamMemberBody.user_id":               "userID",
	"NewTeamPipelineBody.pipeline_id":         "pipelineID",
	"OrganizationSettings.default_cluster_id": "defaultCluster", "PipelineSettings.default_cluster_id": "defaultCluster",
	"PauseBody.dispatch_paused_note": "note",
	"Pipeline.cluster_id":            "cluster",
	"Pipeline.provider":              "Repository.provider", "BuiltPipeline.provider": "Repository.provider", "Job.script_path": "command",
	"Pipeline.configuration":                    "PipelineSteps.yaml",
	"Pipeline.skip_queued_branch_builds":        "skipIntermediateBuilds",
	"Pipeline.skip_queued_branch_builds_filter": "skipIntermediateBuildsBranchFilter", "Pipeline.cancel_running_branch_builds": "cancelIntermediateBuilds",
	"Pipeline.cancel_running_branch_builds_filter": "cancelIntermediateBuildsBranchFilter", "Pipeline.default_command_step_timeout": "defaultTimeoutInMinutes",
	"Pipeline.maximum_command_step_timeout":     "maximumTimeoutInMinutes",
	"PipelineSettings.public_pipeline_creation": "publicPipelinesEnabledAt",
	"TeamMember.team_id":                        "team", "TeamMember.user_id": "user", "TeamMember.user_name": "user", "TeamMember.user_email": "user", "TeamMember.team_name": "team",
	"TeamPipeline.team_id": "team", "TeamPipeline.pipeline_id": "pipeline",
	"AuditContext.request_ip": "requestIpAddress", "AuditContext.address": "requestIpAddress", "AuditContext.user_agent": "requestUserAgent", "AuditContext.token_uuid": "requestApiAccessTokenUuid",
	"User.avatar_url": "avatar", "Member.avatar_url": "avatar",
	"Team.default": "isDefaultTeam", "TeamBody.default": "isDefaultTeam",
	"PipelineBody.cluster_id": "clusterId", "PipelineBody.configuration": "steps", "PipelineBody.team_uuids": "teams",
	"Pipeline.pipeline_template_uuid": "pipelineTemplate", "PipelineBody.pipeline_template_uuid": "pipelineTemplateId",
	"Portal.organization_uuid": "organization",
	"Build.author":             "createdBy", "Build.blocked": "blockedState", "Build.creator": "createdBy",
	"Retried.author": "createdBy", "Retried.blocked": "blockedState", "Retried.creator": "createdBy", "Retried.retried_jobs_count": "BuildRetryFailedJobsPayload.retriedJobsCount",
	"PullRequest.id":           "id",
	"BuiltPipeline.cluster_id": "cluster", "BuiltPipeline.skip_queued_branch_builds": "skipIntermediateBuilds", "BuiltPipeline.skip_queued_branch_builds_filter": "skipIntermediateBuildsBranchFilter",
	"BuiltPipeline.cancel_running_branch_builds": "cancelIntermediateBuilds", "BuiltPipeline.cancel_running_branch_builds_filter": "cancelIntermediateBuildsBranchFilter",
	"Job.name": "label", "Job.step_key": "StepCommand.key", "Job.artifact_paths": "automaticArtifactUploadPaths", "Job.cluster_id": "cluster", "Job.cluster_queue_id": "clusterQueue",
	"Job.retried_in_job_id": "JobEventRetried.retriedInJob", "Job.async": "JobTypeTrigger.async", "Job.triggered_build": "JobTypeTrigger.triggered",
	"Job.unblockable": "JobTypeBlock.isUnblockable", "Job.unblocked_at": "JobTypeBlock.unblockedAt", "Job.unblocked_by": "JobTypeBlock.unblockedBy",
	"RetrySource.job_id":        "retrySource",
	"JobAgent.cluster_queue_id": "clusterQueue", "JobAgent.queue": "clusterQueue", "JobAgent.os_id": "operatingSystem", "JobAgent.cluster_id": "clusterQueue",
}

// Reasons for GraphQL to have nothing for a part of REST.
const (
	ofREST        = "it is about REST: its answers, pages, limits or tokens"
	byREST        = "what lets a portal do more is done with a token that has write_portals, and GraphQL does not look at that scope"
	partOfParent  = "its members are fields of the parent"
	secretsByREST = "what changes secrets is done with a token that has write_secrets: clients of GraphQL know no mutation"
	unserved      = "it is never enabled here"
	countsOfLists = "lists of builds and jobs have counts"
	inSteps       = "clients of GraphQL write it into the steps"
	unknown       = "clients of GraphQL know no name for it"
)

// schemasWithoutGraphQL are schemas of REST's description that GraphQL has no type for, and why.
var schemasWithoutGraphQL = map[string]string{
	"RuleBody": "the value is a JSON text", "RuleValueBody": "the value is a JSON text", "ScheduledPipeline": partOfParent,
	"AccessToken": ofREST, "AccessTokenUser": ofREST, "AuditEventCursor": ofREST, "CacheRegistryCursor": ofREST, "CursorLinks": ofREST, "Error": ofREST, "InvitationCursor": ofREST, "Limit": ofREST,
	"Download": ofREST, "Log": unknown, "Emoji": unknown, "Meta": ofREST, "Root": ofREST, "LimitUse": ofREST, "RateLimit": ofREST, "RateLimitScopes": ofREST,
	"ClusterSecretBody": secretsByREST, "ClusterSecretValueBody": secretsByREST, "SecretOwner": partOfParent,
	"NewPortal": byREST, "NewPortalSecret": byREST, "NewPortalToken": byREST, "PortalBody": byREST, "PortalSecretBody": byREST, "PortalTokenBody": byREST,
	"StepUploadCursor": ofREST, "JobCursor": ofREST, "PauseAgentBody": byREST, "StopAgentBody": byREST, "ReprioritizeBody": byREST,
	"UnblockBody": "fields are a JSON text", "StepUpload": byREST, "FullStepUpload": byREST, "JobEnv": "JobTypeCommand.env has it", "Agent": "JobAgent is compared",
	"PipelineSteps": "steps are a YAML text",
	"CachePolicy":   "a policy is a JSON text", "CachePolicyBody": "a policy is a JSON text",
	"ClusterMaintainers": partOfParent, "MaintainerActor": partOfParent, "Enabler": partOfParent, "Feature": partOfParent,
	"ApiSettingsFeatures": "every feature is there", "BuildExportsSettings": unserved, "QueueMetrics": unserved,
	"PullRequestID": "GraphQL creates no builds of pull requests", "JobMatrix": "a matrix is a JSON text", "TriggeredFrom": "GraphQL has the job that created the build",
	"BuiltProvider": "Repository.provider has it", "MergeQueue": unserved, "JobCounts": "lists of jobs have counts",
	"Connection": "the types of Organization.repositoryProviders have what clients of GraphQL know of it", "FullConnection": unknown, "HostLimit": "GitHubRateLimit has it", "ConnectionBody": unknown, "ConnectionHost": unknown, "ConnectionHostBody": unknown, "ServiceAccount": unknown, "HostRepository": unknown,
	"NotificationService": unknown, "NotificationServiceBody": unknown, "NotificationServiceCursor": ofREST, "BuildStates": unknown, "BuildStatesBody": unknown,
	"ServiceProvider": unknown, "ServiceSettings": unknown, "ServiceSettingsBody": unknown,
	"PipelineTrigger": unknown, "PipelineTriggerBody": unknown, "NewPipelineTrigger": unknown, "PipelineTriggerCursor": ofREST, "TriggerBuild": unknown, "TriggerBuildBody": unknown,
	"TriggerFilterBody": unknown, "TriggerVerification": unknown, "TriggerVerificationBody": unknown,
	"PipelineWebhook": "RepositoryProviderWebhook has what clients of GraphQL know of it",
	"Provider":        "Repository.provider has it", "ProviderSettings": "the types of Repository.provider have them",
}

// membersWithoutGraphQL are members of REST's bodies and answers that GraphQL has nothing for, and why.
var membersWithoutGraphQL = map[string]string{
	"OrganizationBanner.created_at": unknown, "OrganizationBanner.updated_at": unknown,
	"Job.detail": unknown, "PipelineTemplateBody.configuration": "it is a text there", "Rule.conditions": "the document has them",
	"Rule.created_at": unknown, "Rule.organization_uuid": "its organization is its parent", "Rule.source_uuid": "Rule.source has it", "Rule.target_uuid": "Rule.target has it",
	"Annotation.job_id": unknown, "Artifact.dirname": "it is a part of the path", "Artifact.filename": "it is a part of the path",
	"Build.job_state_counts": "lists of jobs have counts", "Retried.job_state_counts": "lists of jobs have counts",
	"Build.merge_queue": unserved, "Retried.merge_queue": unserved, "Build.tag": unknown, "Retried.tag": unknown,
	"BuildBody.clean_checkout": unknown, "BuildBody.ignore_pipeline_branch_filters": unknown, "BuildBody.pull_request_base_branch": unknown, "BuildBody.pull_request_id": unknown,
	"BuildBody.pull_request_labels": unknown, "BuildBody.pull_request_repository": unknown, "BuildBody.tag": unknown,
	"ClusterSecret.policy": unknown, "ClusterSecret.created_by": unknown, "ClusterSecret.updated_by": unknown, "ClusterSecret.last_read_at": unknown,
	"JobAgent.arch": unknown, "JobAgent.creator": unknown, "JobAgent.last_job_finished_at": unknown,
	"Job.concurrency_wait_time_ms": "events have the times", "Job.group_key": unknown, "Job.type": "it is the name of the job's type", "JobStep.signature": unknown,
	"PullRequest.base": unknown, "PullRequest.repository": unknown,
	"PipelineBody.provider_settings": "clients of GraphQL know no input for it",
	"Member.sso_mode":                "GraphQL does not serve how members sign in", "MemberBody.sso_mode": "GraphQL does not serve how members sign in",
	"Pipeline.env": inSteps, "PipelineBody.env": inSteps,
	"Pipeline.scheduled_builds_count":                countsOfLists,
	"Pipeline.running_builds_count":                  countsOfLists,
	"Pipeline.scheduled_jobs_count":                  countsOfLists,
	"Pipeline.running_jobs_count":                    countsOfLists,
	"Pipeline.waiting_jobs_count":                    countsOfLists,
	"Artifact.glob_path":                             "it is always null",
	"Artifact.original_path":                         "it is always null",
	"ApiSettings.features":                           "every feature is there",
	"AuditContext.surface":                           "the context's type tells it",
	"AuditContext.type":                              "it is the name of the context's type",
	"OrganizationBody.settings":                      "its members are members of the input",
	"PipelineSettings.advanced_queue_metrics":        unserved,
	"PipelineSettings.build_exports":                 unserved,
	"PipelineSettings.hosted_agents_terminal_access": unserved,
}

// TestGraphQLHasWhatRESTHas compares the surfaces, member by member.
func TestGraphQLHasWhatRESTHas(t *testing.T) {
	t.Parallel()
	s := testkit.NewServer(t, testkit.OpenDB(t, "sqlite"), testkit.ServerOptions{})
	var description struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(s.Get("", "/v2/openapi.json").Want(t, 200).Body, &description); err != nil || len(description.Components.Schemas) < 50 {
		t.Fatalf("the description has %d schemas: %v", len(description.Components.Schemas), err)
	}
	excused := map[string]bool{}
	for name, schema := range description.Components.Schemas {
		typeName, served := counterparts[name], schemasWithoutGraphQL[name] == ""
		if excused[name] = !served; served == (typeName == "") {
			t.Errorf("GraphQL's counterpart of %s is %q; a schema has either one, or a reason for none", name, typeName)
		}
		if typeName == "" {
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(schema.Properties)) {
			place := name + "." + member
			fields := graphQLNames(typeName, place, member)
			found := slices.ContainsFunc(fields, func(field string) bool { return hasField(loadedSchema(), field) })
			if excused[place] = !found; !found && membersWithoutGraphQL[place] == "" && !isAddress(member) {
				t.Errorf("GraphQL has nothing for %s: none of %v", place, fields)
			}
		}
	}
	for _, reasons := range []map[string]string{schemasWithoutGraphQL, membersWithoutGraphQL} {
		for place := range reasons {
			if !excused[place] {
				t.Errorf("%s needs no excuse", place)
			}
		}
	}
}

// isAddress reports whether a member is an address in REST or in the web interface, which GraphQL's clients do not follow.
func isAddress(member string) bool { return member == "url" || strings.HasSuffix(member, "_url") }

// graphQLNames returns the fields of which one has what a member of REST has.
func graphQLNames(typeName, place, member string) []string {
	if name, ok := otherNames[place]; ok {
		if strings.Contains(name, ".") {
			return []string{name}
		}
		return []string{typeName + "." + name}
	}
	if name, ok := otherNames["Pipeline."+member]; ok && strings.HasPrefix(typeName, "Pipeline") && strings.HasSuffix(typeName, "Input") {
		return []string{typeName + "." + name}
	}
	switch member {
	case "id", "uuid":
		return []string{typeName + ".uuid"}
	case "graphql_id":
		return []string{typeName + ".id"}
	}
	name := regexp.MustCompile(`_[a-z]`).ReplaceAllStringFunc(member, func(s string) string { return strings.ToUpper(s[1:]) })
	return []string{typeName + "." + name}
}

// hasField reports whether the schema has a field or a member of an input.
func hasField(schema *ast.Schema, place string) bool {
	typeName, field, _ := strings.Cut(place, ".")
	d := schema.Types[typeName]
	return d != nil && d.Fields.ForName(field) != nil
}
