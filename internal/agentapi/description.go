package agentapi

import (
	"strings"

	"penstock/internal/endpoint"
	"penstock/internal/endpoint/openapi"
)

//go:generate env PENSTOCK_UPDATE=1 go test -count=1 -run TestOpenAPIIsCurrent .

// describe returns the description of the API.
func (a *API) describe(endpoints []endpoint.Endpoint) *openapi.Document {
	return openapi.Describe(openapi.API{
		Title:        "Penstock agent API",
		Version:      a.Version,
		Introduction: introduction,
		BaseURL:      a.BaseURL,
		Security: openapi.SecurityScheme{Type: "http", Scheme: strings.ToLower(scheme),
			Description: "An agent token, the access token of an agent, or the token of a job. Each operation says which."},
		MaxBody:        smallBody,
		Lenient:        true,
		Endpoints:      endpoints,
		Areas:          areas,
		PathParameters: pathParameters,
		SchemaDocs:     schemaDocs,
		WrittenSchemas: map[string]*openapi.Schema{"Number": numberSchema, "PipelineDocument": pipelineDocumentSchema},
		Texts:          texts,
		LimitAnswer:    stackLimitAnswer{},
	})
}

// introduction is what a reader of the description sees first. It is Markdown.
const introduction = `The API that agents and their jobs call. It is the one that ` + "`buildkite-agent`" + ` speaks.

**Authentication.** Requests carry a token: ` + "`Authorization: Token <token>`" + `.
An agent registers with an agent token and gets an access token for its other calls. Each job that it accepts has a
token of its own.

**Bodies and answers** are JSON, unless an operation says otherwise. A body may have any Content-Type and may be left
out. It is at most 64 KiB long, unless an operation says otherwise. Members that an operation does not know are ignored.

**Errors** are JSON objects with a ` + "`message`" + `, also for a path that does not exist (404) and for a method
that a path does not have (405). What is answered with 500 or more can be sent again.

**Streams.** The messages of a stream are protocol buffers, by the Connect protocol or by gRPC, at the root of the host.
Errors there are those of the protocol.
`

// areas are the parts of the API, by which its operations are grouped.
var areas = []openapi.Area{
	{Path: root, Name: "Agents", Doc: "An agent registers, connects, and asks what to do until it disconnects."},
	{Path: StreamPath, Name: "Agents"},
	{Path: root + "/openapi.json", Name: "API", Doc: "The API itself."},
	{Path: root + "/jobs", Name: "Jobs", Doc: "An agent accepts a job, starts it and finishes it."},
	{Path: inJob + "/data", Name: "Meta-data", Doc: "Texts that jobs of a build share, by their keys."},
	{Path: inBuild + "/data", Name: "Meta-data"},
	{Path: inJob + "/annotations", Name: "Annotations", Doc: "Notes on a build or on a job, in Markdown."},
	{Path: inJob + "/chunks", Name: "Logs", Doc: "What a job writes, piece by piece."},
	{Path: inJob + "/header_times", Name: "Logs"},
	{Path: inJob + "/artifacts", Name: "Artifacts", Doc: "Files that a job uploads. They are announced, uploaded, and " +
		"then said to be there."},
	{Path: inBuild + "/artifacts", Name: "Artifacts"},
	{Path: root + "/artifacts", Name: "Artifacts"},
	{Path: inJob + "/secrets", Name: "Secrets", Doc: "What a job may know and prove."},
	{Path: inJob + "/oidc", Name: "Secrets"},
	{Path: root + "/steps", Name: "Steps", Doc: "A job reads, changes and cancels steps of its build."},
	{Path: root + "/builds", Name: "Builds", Doc: "What a job does with its build."},
	{Path: root + "/cache_registries", Name: "Caches", Doc: "A job saves and restores entries. Their content is with a " +
		"store that agents manage."},
	{Path: root + "/stacks", Name: "Stacks", Doc: "A stack is a program that starts an agent for each job."},
}

var pathParameters = []*openapi.Parameter{
	openapi.DescribePathParameter("id", "", "The UUID of what the path is about. Of a step, its key will do too."),
	openapi.DescribePathParameter("upload", "", "The UUID that the upload was sent with."),
	openapi.DescribePathParameter("context", "", "The annotation's context."),
	openapi.DescribePathParameter("number", "", "The number of the part, from 1 on."),
	openapi.DescribePathParameter("registry", "", "The registry's slug; ~ for the cluster's default one."),
	openapi.DescribePathParameter("key", "", "The stack's key."),
}

// texts are those that the descriptions of other APIs have in other words.
var texts = map[string]string{
	"BadRequest":           "The body is not a JSON object, is not valid UTF-8, or has a member of the wrong type.",
	"Forbidden":            "The token is for something else, or the caller's address is not allowed.",
	"UnsupportedMediaType": "The body's Content-Type is not the one that is described.",
	"TooManyRequests":      "The stack has made too many requests in this second.",
	"RateLimit-Scope":      "The name of the limit on the stack's requests.",
	"RateLimit-Limit":      "How many requests of this kind the stack may make a second.",
}

// stackLimitAnswer describes an endpoint.LimitAnswer as stacks get it.
type stackLimitAnswer struct {
	Scope   string `json:"scope" doc:"Which limit was exceeded."`
	Limit   int    `json:"limit" doc:"Requests allowed a second."`
	Current int    `json:"current" doc:"Requests made in this second."`
	Reset   int    `json:"reset" doc:"Seconds until requests are served again."`
	Message string `json:"message" doc:"How many requests are allowed."`
}

var (
	numberSchema = &openapi.Schema{Type: openapi.Types{"integer", "string"},
		Description: "A whole number, as a number or as a text."}
	pipelineDocumentSchema = &openapi.Schema{Type: openapi.Types{"object", "array"},
		Description: "Steps, as the configuration of a pipeline has them."}
)

// schemaDocs says what the schemas are, by their names.
var schemaDocs = map[string]string{
	"AgentFigures":        "How many agents there are.",
	"AgentMetrics":        "How many agents there are, in all and for each queue.",
	"AgentToken":          "An agent token, without its value.",
	"AnnotationBody":      "An annotation to create or replace.",
	"ArtifactBody":        "An artifact that is to be uploaded.",
	"ArtifactChangeBody":  "What became of an artifact.",
	"ArtifactChangesBody": "What became of artifacts.",
	"ArtifactPartBody":    "A part that was uploaded.",
	"ArtifactsBody":       "Artifacts that are to be uploaded.",
	"CacheAddressBody":    "What names an entry of a cache registry.",
	"CacheBlob":           "Content of an entry, which is with the store that agents use.",
	"CacheBlobBody":       "Content of an entry, which is with the store that agents use.",
	"CacheCommit":         "That an entry is there.",
	"CacheCommitBody":     "Which entry is saved.",
	"CacheDigest":         "What names content.",
	"CacheDigestBody":     "What names content.",
	"CacheEntry":          "An entry of a cache registry.",
	"CacheKeyPart":        "A part of an entry's key.",
	"CacheKeyPartBody":    "A part of an entry's key.",
	"CacheRegistry":       "A registry in which jobs save and restore entries.",
	"CacheSave":           "An entry that is being saved.",
	"CacheSaveBody":       "An entry to save.",
	"CancelStepBody":      "How to cancel a step.",
	"Canceled":            "What was canceled.",
	"CreatedArtifacts":    "Artifacts that were announced, and how to upload them.",
	"Empty":               "An empty object.",
	"Error":               "What went wrong.",
	"Exists":              "Whether there is a value.",
	"ExportStepBody":      "What to show of a step.",
	"FinishBody":          "How a job ended.",
	"FinishStackJobBody":  "Why a job ends that has no agent.",
	"FoundArtifact":       "An artifact.",
	"HeaderTimesBody":     "When the groups of a log began.",
	"Heartbeat":           "That a heartbeat came.",
	"HeartbeatBody":       "A heartbeat.",
	"Identity":            "A token that says which job this is.",
	"IdentityBody":        "What a token is to say of a job, and to whom.",
	"Job":                 "A job for the agent that runs it.",
	"JobBody":             "Changes to a job.",
	"JobFigures":          "How many jobs there are.",
	"JobMetrics":          "How many jobs there are, in all and for each queue.",
	"JobReference":        "A job.",
	"JobState":            "The state of a job.",
	"JobStates":           "The states of jobs.",
	"JobStatesBody":       "Jobs whose states are asked for.",
	"MetaData":            "A value of a build's meta-data.",
	"MetaDataBatchBody":   "Values of a build's meta-data.",
	"MetaDataBody":        "A value of a build's meta-data.",
	"MetaDataKeyBody":     "A key of a build's meta-data.",
	"Metrics":             "How busy a cluster or a queue is.",
	"MetricsCluster":      "A cluster.",
	"MetricsOrganization": "An organization.",
	"NotificationBody":    "What a stack says of a job.",
	"NotificationFault":   "What is wrong with some notifications.",
	"Notifications":       "What became of notifications.",
	"NotificationsBody":   "What a stack says of jobs.",
	"Output":              "What an attribute of a step is.",
	"PauseAgentBody":      "Why an agent is paused, and for how long.",
	"Ping":                "What an agent is to do.",
	"PromiseBody":         "How a job will end.",
	"Registration":        "An agent that has registered.",
	"RegistrationBody":    "An agent that registers.",
	"Reservation":         "Which jobs are reserved.",
	"ReservationBody":     "Jobs to reserve.",
	"RestoredCache":       "An entry of a cache registry that is to be restored.",
	"Secret":              "A secret with its value.",
	"Stack":               "A stack.",
	"StackBody":           "A stack that registers.",
	"StackCommand":        "A job for which a stack starts an agent.",
	"StackJob":            "A job that waits for an agent.",
	"StackJobBuild":       "The build of a job.",
	"StackJobPipeline":    "The pipeline of a job.",
	"StackJobStep":        "The step of a job.",
	"StackJobs":           "Jobs that wait for an agent.",
	"StackLimit":          "That a stack has made too many requests.",
	"StackPage":           "Where a list goes on.",
	"StackQueue":          "The queue of a stack.",
	"StepBody":            "A change of a step.",
	"StopAgentBody":       "How to stop an agent.",
	"Upload":              "What came of an upload of steps.",
	"UploadAction":        "A request that uploads an artifact, or a part of one.",
	"UploadInstructions":  "How to upload artifacts.",
	"UploadPipelineBody":  "Steps to add to a build.",
}
