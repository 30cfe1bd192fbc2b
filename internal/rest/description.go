package rest

import (
	"strings"

	"penstock/internal/endpoint"
	"penstock/internal/endpoint/openapi"
)

//go:generate env PENSTOCK_UPDATE=1 go test -count=1 -run TestOpenAPIIsCurrent .

// describe returns the description of the API.
func (a *API) describe(endpoints []endpoint.Endpoint) *openapi.Document {
	return openapi.Describe(openapi.API{
		Title:        "Penstock REST API",
		Version:      a.Version,
		Introduction: introduction,
		BaseURL:      a.BaseURL,
		Security: openapi.SecurityScheme{Type: "http", Scheme: strings.ToLower(scheme),
			Description: "An API access token. Each operation says which scope it needs."},
		MaxBody:        maxBody,
		Endpoints:      endpoints,
		Areas:          areas,
		PathParameters: pathParameters,
		SchemaDocs:     schemaDocs,
		WrittenSchemas: map[string]*openapi.Schema{"CachePolicy": cachePolicySchema, "CachePolicyBody": cachePolicyBodySchema,
			"ProviderSettings": providerSettingsSchema, "PipelineSteps": pipelineStepsSchema,
			"PullRequestID": pullRequestIDSchema, "JobMatrix": jobMatrixSchema},
	})
}

// introduction is what a reader of the description sees first. It is Markdown.
const introduction = `The REST API of Penstock, a self-hosted control plane for build pipelines.

**Authentication.** Requests carry an API access token: ` + "`Authorization: Bearer <token>`" + `. A token reaches the organizations
that it was granted, as long as its user is a member of them.

**Bodies and answers** are JSON. A body needs ` + "`Content-Type: application/json`" + ` and is at most 1 MiB long, that of an annotation 4 MiB. Members that an
operation does not know are ignored, except where its body allows no others. Ids are UUIDs. Times are UTC with
milliseconds: ` + "`2026-05-03T04:17:55.867Z`" + `. HEAD is answered wherever GET is.

**Errors** are JSON objects with a ` + "`message`" + `, also for a path that does not exist (404) and for a method that a path does not
have (405, with ` + "`Allow`" + `). What is checked, in this order: the token, the organization, the token's scope, the things that
the path names and the permission on them, and the body last.

**Lists** come in pages. Follow the URLs of the ` + "`Link`" + ` header, or of ` + "`links`" + ` in the answer, to get to the others.

**Changes** can be made conditional: an ` + "`If-Match`" + ` header with the ` + "`ETag`" + ` of what was read refuses the change with 412 if
someone else has changed it since. ` + "`If-None-Match`" + ` saves reading again what is still the same.
`

// areas are the parts of the API, by which its operations are grouped.
var areas = []openapi.Area{
	{Path: "/v2", Name: "API", Doc: "The API itself."},
	{Path: "/v2/user", Name: "User", Doc: "The user that a token acts as."},
	{Path: "/v2/access-token", Name: "Access token", Doc: "The token that a request is made with."},
	{Path: "/v2/organizations", Name: "Organizations", Doc: "Organizations have members, and everything else belongs " +
		"to one."},
	{Path: inOrganization + "/clusters", Name: "Clusters", Doc: "A cluster is an isolated set of agents and pipelines " +
		"within an organization."},
	{Path: inCluster + "/queues", Name: "Queues", Doc: "Agents of a cluster take jobs from its queues."},
	{Path: inCluster + "/tokens", Name: "Agent tokens", Doc: "Agents connect to a cluster with one of its tokens. Only " +
		"those who may manage the cluster see them."},
	{Path: inCluster + "/secrets", Name: "Secrets", Doc: "Jobs of a cluster read its secrets. Their values are " +
		"never shown."},
	{Path: inCluster + "/maintainers", Name: "Maintainers", Doc: "Maintainers of a cluster are users and teams who may " +
		"manage it, besides the organization's administrators."},
	{Path: inCluster + "/cache-registries", Name: "Cache registries", Doc: "Jobs of a cluster save and restore cache " +
		"entries in its registries. " +
		"Only those who may manage the cluster see them. Public preview."},
	{Path: inOrganization + "/pipelines", Name: "Pipelines", Doc: "A pipeline is what an organization builds from a " +
		"repository."},
	{Path: buildsOfPipeline, Name: "Builds", Doc: "A build is one run of a pipeline. Its steps become jobs."},
	{Path: "/v2/builds", Name: "Builds"},
	{Path: inOrganization + "/builds", Name: "Builds"},
	{Path: jobsOfBuild, Name: "Jobs", Doc: "A job is an attempt to run a step of a build."},
	{Path: inOrganization + "/jobs", Name: "Jobs"},
	{Path: inBuild + "/artifacts", Name: "Artifacts", Doc: "An artifact is a file that a job has uploaded."},
	{Path: jobsOfBuild + "/{id}/artifacts", Name: "Artifacts"},
	{Path: inOrganization + "/jobs/{id}/artifacts", Name: "Artifacts"},
	{Path: inBuild + "/annotations", Name: "Annotations", Doc: "An annotation is a note on a build or on a job, in " +
		"Markdown."},
	{Path: jobsOfBuild + "/{id}/annotations", Name: "Annotations"},
	{Path: inOrganization + "/jobs/{id}/annotations", Name: "Annotations"},
	{Path: stepUploads, Name: "Step uploads", Doc: "A step upload is a definition that a job added to its build."},
	{Path: inOrganization + "/agents", Name: "Agents", Doc: "Agents run the jobs of a cluster."},
	{Path: inOrganization + "/members", Name: "Members", Doc: "Users who belong to an organization."},
	{Path: inOrganization + "/invitations", Name: "Invitations", Doc: "An invitation asks somebody to become a member " +
		"of an organization. Only administrators see them."},
	{Path: inOrganization + "/teams", Name: "Teams", Doc: "A team is a group of an organization's members. It can " +
		"maintain clusters, and have access to pipelines."},
	{Path: inTeam + "/members", Name: "Team members", Doc: "Users who belong to a team."},
	{Path: inTeam + "/pipelines", Name: "Team pipelines", Doc: "Pipelines that a team has access to."},
	{Path: inOrganization + "/portals", Name: "Portals", Doc: "A portal gives those with one of its tokens GraphQL " +
		"access that is restricted to the operations of one stored document. " +
		"Only administrators see portals."},
	{Path: inPortal + "/tokens", Name: "Portal tokens", Doc: "A portal is used with one of its tokens. Several can live " +
		"at once, so that one can take another's place."},
	{Path: inPortal + "/secrets", Name: "Portal secrets", Doc: "With a secret of a portal, ephemeral tokens of the " +
		"portal can be made."},
	{Path: inOrganization + "/services", Name: "Notification services", Doc: "A notification service is told how builds " +
		"go: a webhook, a chat, or people by mail."},
	{Path: inOrganization + "/repository_connections", Name: "Repository connections",
		Doc: "A connection with a host of repositories, by which builds publish how commits fare, and webhooks are created."},
	{Path: inOrganization + "/audit_events", Name: "Audit events", Doc: "Every change of configuration leaves an audit " +
		"event. Only administrators see them."},
}

var pathParameters = []*openapi.Parameter{
	openapi.DescribePathParameter("org", "", "The organization's slug."),
	openapi.DescribePathParameter("cluster", "uuid", "The cluster's UUID."),
	openapi.DescribePathParameter("pipeline", "", "The pipeline's slug."),
	openapi.DescribePathParameter("number", "", "The build's number."),
	openapi.DescribePathParameter("artifact", "uuid", "The artifact's UUID."),
	openapi.DescribePathParameter("annotation", "uuid", "The annotation's UUID."),
	openapi.DescribePathParameter("team", "uuid", "The team's UUID."),
	openapi.DescribePathParameter("portal", "", "The portal's slug."),
	openapi.DescribePathParameter("uuid", "uuid", "The item's UUID, as the list of such items has it."),
	openapi.DescribePathParameter("id", "uuid", "The item's UUID, as the list of such items has it."),
}

// schemaDocs says what the schemas are, by their names.
var schemaDocs = map[string]string{
	"AccessToken":               "An API access token, without its value.",
	"AccessTokenUser":           "The user that a token acts as.",
	"AdministeredOrganization":  "An organization, as its administrators see it; others see less.",
	"AgentToken":                "A token that agents connect to a cluster with, without its value.",
	"AgentTokenBody":            "An agent token to create, or changes to one.",
	"Annotation":                "A text that is shown with a build, or with one of its jobs.",
	"AnnotationBody":            "An annotation to create or replace.",
	"ApiSettings":               "An organization's API settings.",
	"ApiSettingsBody":           "Changes to an organization's API settings.",
	"ApiSettingsFeatures":       "Which of the settings an organization can use.",
	"Artifact":                  "A file that a job has made.",
	"AuditActor":                "Who made a change.",
	"AuditContext":              "How the request that made a change came.",
	"AuditEvent":                "A record of a change.",
	"AuditEventCursor":          "A part of a list of audit events.",
	"AuditSubject":              "What was changed.",
	"Author":                    "Who wrote a commit.",
	"AuthorBody":                "Who wrote a commit.",
	"Build":                     "A build.",
	"BuildBody":                 "A new build.",
	"BuildLink":                 "Another build.",
	"BuiltPipeline":             "A pipeline, as its builds show it: without its steps and its environment.",
	"BuiltProvider":             "The service that hosts a repository, as builds show it.",
	"HostLimit":                 "How many requests a repository host takes of a connection.",
	"PipelineSchedule":          "A schedule, which creates builds of a pipeline.",
	"PipelineScheduleBody":      "A schedule to create, or changes to one.",
	"OrganizationBanner":        "What an organization says on top of its pages.",
	"OrganizationBannerBody":    "What an organization is to say on top of its pages.",
	"ScheduledPipeline":         "The pipeline that a schedule or a trigger belongs to.",
	"PipelineTrigger":           "A trigger: an address that starts builds of a pipeline.",
	"PipelineTriggerBody":       "A trigger to create, or changes to one.",
	"NewPipelineTrigger":        "A new trigger, with its address.",
	"TriggerBuild":              "What the builds of a trigger are.",
	"TriggerBuildBody":          "What the builds of a trigger are to be.",
	"TriggerFilterBody":         "A filter, which is not offered.",
	"TriggerVerification":       "How deliveries to a trigger prove where they come from.",
	"TriggerVerificationBody":   "How deliveries to a trigger are to prove where they come from.",
	"PipelineTemplate":          "A pipeline template: steps that pipelines can follow.",
	"PipelineTemplateBody":      "A pipeline template to create, or changes to one.",
	"Rule":                      "A rule, which lets builds of one pipeline do something with another.",
	"RuleBody":                  "A rule to create.",
	"RuleValueBody":             "Which pipelines a rule is about, and when it holds.",
	"ClusterSecret":             "A secret of a cluster, without its value.",
	"ClusterSecretBody":         "A secret to create, or changes to one.",
	"ClusterSecretValueBody":    "The new value of a secret.",
	"NotificationService":       "A notification service: whom an organization tells how builds go.",
	"NotificationServiceBody":   "A notification service to create, or changes to one.",
	"PipelineTriggerCursor":     "A part of a list of triggers.",
	"NotificationServiceCursor": "A part of a list of notification services.",
	"BuildStates":               "What people are told of.",
	"BuildStatesBody":           "What people are to be told of. What is left out stays as it is.",
	"ServiceProvider":           "The kind of a notification service.",
	"ServiceSettings":           "The settings of a notification service: those that its provider has.",
	"ServiceSettingsBody":       "The settings of a notification service: those that its provider has.",
	"Connection":                "A connection with a repository host.",
	"ConnectionBody":            "A connection to create, or changes to one.",
	"ConnectionHost":            "A host of repositories.",
	"ConnectionHostBody":        "A host of repositories.",
	"FullConnection":            "A connection with a repository host, and whose token it has.",
	"HostRepository":            "A repository at a host.",
	"PipelineWebhook":           "A webhook at the host of a repository.",
	"ServiceAccount":            "An account at a repository host.",
	"Download":                  "Where the content of an artifact is.",
	"Job":                       "A job of a build.",
	"JobAgent":                  "An agent, as its jobs show it.",
	"JobCounts":                 "How many jobs of a build are in which state.",
	"JobPriority":               "How important a job is.",
	"JobStep":                   "A job's step.",
	"MergeQueue":                "What a build of a merge queue is for.",
	"PullRequest":               "A pull request.",
	"Retried":                   "A build of which jobs are retried, and how many.",
	"RetryFailedBody":           "Which jobs to retry.",
	"RetrySource":               "An attempt at a job that was retried.",
	"SecretOwner":               "The organization that a secret belongs to.",
	"TriggeredBuild":            "A build that a job created.",
	"TriggeredFrom":             "The build whose job created another one.",
	"Agent":                     "An agent with the job that it has.",
	"FullStepUpload":            "A step upload with what was uploaded.",
	"JobCursor":                 "A part of a list of jobs.",
	"JobEnv":                    "The environment variables of a job.",
	"PauseAgentBody":            "Why an agent is paused, and for how long.",
	"ReprioritizeBody":          "The new priority of a job.",
	"StepUpload":                "A definition that a job added to its build.",
	"StepUploadCursor":          "A part of a list of step uploads.",
	"StopAgentBody":             "How to stop an agent.",
	"UnblockBody":               "What a person fills in to let a build go on.",
	"BuildExportsSettings":      "Where builds are exported to: nowhere.",
	"Invitation":                "An invitation to an organization.",
	"InvitationBody":            "Whom to invite, and to what.",
	"InvitationCursor":          "A part of a list of invitations.",
	"InvitationTeamBody":        "A team that the invited person joins.",
	"InvitedTeam":               "A team that the invited person joins.",
	"NewInvitation":             "An invitation, with the link by which it is accepted.",
	"CacheRegistry":             "A registry in which jobs save and restore cache entries.",
	"CacheRegistryCreateBody":   "A new cache registry.",
	"CacheRegistryCursor":       "A part of a list of cache registries.",
	"CacheRegistryUpdateBody":   "What to change of a cache registry.",
	"Cluster":                   "A cluster, as lists and the answer to its creation show it.",
	"ClusterCreateBody":         "A new cluster.",
	"ClusterMaintainers":        "A cluster's maintainers.",
	"ClusterUpdateBody":         "What to change of a cluster.",
	"CursorLinks":               "The URLs of this part of a list and of its neighbours.",
	"Enabler":                   "Who enabled something.",
	"Error":                     "The body of every error, except for an exceeded rate limit.",
	"Feature":                   "Whether something is enabled, and by whom.",
	"HostedAgents":              "The machines that serve a queue with hosted agents.",
	"HostedAgentsBody":          "The machines that serve a queue.",
	"InstanceShape":             "A kind of machine.",
	"Limit":                     "The response to a request that exceeds a rate limit.",
	"LinuxSettings":             "What Linux machines run.",
	"LinuxSettingsBody":         "What Linux machines run.",
	"Log":                       "The log of a job.",
	"MacOSSettings":             "What macOS machines run.",
	"MacOSSettingsBody":         "What macOS machines run.",
	"Maintainer":                "A user or team that may manage a cluster.",
	"MaintainerActor":           "The user or team that a maintainer is.",
	"MaintainerBody":            "The new maintainer: either a user or a team.",
	"ManagedCluster":            "A cluster, as those who may manage it see it; others see less.",
	"Member":                    "A user who belongs to an organization.",
	"MemberBody":                "What to change of a member.",
	"Meta":                      "Facts about this installation.",
	"NewAgentToken":             "An agent token with its value.",
	"NewPortal":                 "A portal with the value of its first token.",
	"NewPortalSecret":           "A portal's secret with its value.",
	"NewPortalToken":            "A portal token with its value.",
	"NewTeamMemberBody":         "The new member of a team.",
	"NewTeamPipelineBody":       "The pipeline to give the team access to.",
	"Organization":              "An organization, as lists show it.",
	"OrganizationBody":          "What to change of an organization.",
	"OrganizationSettings":      "What an organization's administrators chose.",
	"OrganizationSettingsBody":  "What to change of an organization's settings.",
	"PauseBody":                 "Why a queue is paused.",
	"Pipeline":                  "A pipeline.",
	"PipelineBody":              "What to change of a pipeline.",
	"PipelineSettings":          "An organization's pipeline settings.",
	"PipelineSettingsBody":      "Changes to an organization's pipeline settings.",
	"PlatformSettings":          "What a queue's machines run: an object for their operating system.",
	"PlatformSettingsBody":      "What a queue's machines run. Only settings for their own operating system are allowed.",
	"Portal":                    "A GraphQL document whose operations can be run with a portal token.",
	"PortalBody":                "A portal to create, or changes to one.",
	"PortalSecret":              "A secret with which ephemeral tokens of a portal are made, without its value.",
	"PortalSecretBody":          "A new secret of a portal.",
	"PortalToken":               "A token that a portal is used with, without its value.",
	"PortalTokenBody":           "A new portal token.",
	"Provider":                  "The service that hosts a repository.",
	"Queue":                     "A queue of a cluster.",
	"QueueBody":                 "A queue to create, or changes to one.",
	"QueueFigures":              "How a queue is doing.",
	"QueueWait":                 "How long jobs had waited, in seconds. All are 0 if none started.",
	"QueueMetrics":              "Whether there are advanced metrics of queues: no.",
	"Root":                      "A sign of life.",
	"Team":                      "A group of an organization's members.",
	"TeamBody":                  "A team to create, or changes to one.",
	"TeamMember":                "A user who belongs to a team.",
	"TeamMemberBody":            "What to change of a team's member.",
	"TeamPipeline":              "A pipeline that a team has access to.",
	"Emoji":                     "An emoji that texts may have, as :name:.",
	"RateLimit":                 "How much of its rate limits an organization has used.",
	"RateLimitScopes":           "The rate limits of an organization.",
	"LimitUse":                  "How much of a rate limit is used.",
	"Usage":                     "How many users an organization is billed for.",
	"TeamPipelineBody":          "What to change of a team's access to a pipeline.",
	"User":                      "A user.",
}

// cachePolicySchema is the schema of a cache policy in its normalized form.
var cachePolicySchema = newPolicySchema("A cache policy in its normalized form.", []string{"save", "restore", "rules"},
	[]string{"scopes"}, stringSchema,
	policyActionsSchema)

// pipelineStepsSchema is the schema of a pipeline's steps as a list.
var pipelineStepsSchema = &openapi.Schema{
	Type: openapi.Types{"array"}, Description: "A pipeline's steps. Each is an object or, if it was given so, a string.",
	Items: &openapi.Schema{Type: openapi.Types{"object", "string"}},
}

// pullRequestIDSchema is the schema of the number of a pull request.
var pullRequestIDSchema = &openapi.Schema{Type: openapi.Types{"integer", "string", "null"},
	Description: "The number of a pull request, as a number or as a string."}

// jobMatrixSchema is the schema of the values of a matrix that a job is for.
var jobMatrixSchema = &openapi.Schema{
	Type: openapi.Types{"object", "string", "null"}, Description: "The values of a step's matrix that a job is for: by " +
		"their dimensions, or the value of a matrix without any. Null without a matrix.",
	AdditionalProperties: stringSchema,
}

// providerSettingsSchema is the schema of a pipeline's provider settings.
var providerSettingsSchema = &openapi.Schema{
	Type: openapi.Types{"object"}, Description: "Settings for the service that hosts a repository, by their names. At " +
		"most 100.",
	PropertyNames:        &openapi.Schema{Type: openapi.Types{"string"}, Pattern: "^[a-z][a-z0-9_]{0,99}$"},
	AdditionalProperties: &openapi.Schema{Type: openapi.Types{"string", "boolean", "null"}},
}

// cachePolicyBodySchema is the schema of a cache policy as it can be sent.
var cachePolicyBodySchema = newPolicySchema("A cache policy, at most 64 KiB long.", nil, nil, stringSchema.OrNull(),
	&openapi.Schema{AnyOf: []*openapi.Schema{policyActionsSchema.Items, policyActionsSchema}})

var (
	stringSchema        = &openapi.Schema{Type: openapi.Types{"string"}}
	policyActionsSchema = &openapi.Schema{Type: openapi.Types{"array"}, Items: newEnumSchema("save", "restore"),
		MinItems: 1, UniqueItems: true}
)

func newEnumSchema(values ...string) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"string"}, Enum: values}
}

// newObjectSchema returns the schema of an object with these properties and no others.
func newObjectSchema(doc string, required []string, properties openapi.Map[*openapi.Schema]) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"object"}, Description: doc, Properties: properties, Required: required,
		AdditionalProperties: false}
}

// newPolicySchema returns the schema of a cache policy: which members it and its scopes must have, what a text in it
// can be, and what the actions of a rule.
func newPolicySchema(doc string, required, requiredScopes []string, text, actions *openapi.Schema) *openapi.Schema {
	newScopesSchema := func(value *openapi.Schema) *openapi.Schema {
		return &openapi.Schema{Type: openapi.Types{"object"}, PropertyNames: newEnumSchema("branch", "build", "pipeline"),
			AdditionalProperties: value}
	}
	rule := newObjectSchema("A rule of the policy.", []string{"effect", "action"}, openapi.Map[*openapi.Schema]{
		{Name: "name", Value: text.WithDescription("What the rule is called.")},
		{Name: "effect", Value: newEnumSchema("allow", "deny").WithDescription("Whether the rule allows or denies.")},
		{Name: "action", Value: actions.WithDescription("What the rule allows or denies.")},
		{Name: "when", Value: text.WithDescription("A condition in CEL on entry and claims, at most 2 KB long. Without " +
			"one, the rule holds always.")},
	})
	save := newObjectSchema("What becomes of an entry that a job saves.", requiredScopes, openapi.Map[*openapi.Schema]{
		{Name: "scopes", Value: newScopesSchema(&openapi.Schema{Type: openapi.Types{"boolean"}}).
			WithDescription("By what the entry is kept apart from others: true for the job's own branch, build or pipeline.")},
	})
	restore := newObjectSchema("Which entries a job is offered to restore.", requiredScopes, openapi.Map[*openapi.Schema]{
		{Name: "scopes", Value: &openapi.Schema{
			Type: openapi.Types{"array"},
			Description: "Entries with these scopes, tried in this order. The value `$current` is the job's own branch, build " +
				"or pipeline.",
			Items: newScopesSchema(&openapi.Schema{Type: openapi.Types{"string"}, Pattern: `^([^$]|\$current$)`}),
		}},
	})
	return newObjectSchema(doc, required, openapi.Map[*openapi.Schema]{
		{Name: "save", Value: save},
		{Name: "restore", Value: restore},
		{Name: "rules", Value: &openapi.Schema{
			Type: openapi.Types{"array"},
			Description: "From the top, the first rule for an action whose condition is true decides. Without one, it is " +
				"denied.",
			Items:    rule,
			MaxItems: 100,
		}},
	})
}
