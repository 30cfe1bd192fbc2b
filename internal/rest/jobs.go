package rest

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/domain/builds"
	"penstock/internal/endpoint"
)

type jobAnswer struct {
	ID                    domain.JobID          `json:"id" format:"uuid" doc:"The job's UUID."`
	GraphQLID             string                `json:"graphql_id" doc:"The job's ID in the GraphQL API."`
	Type                  string                `json:"type" enum:"script,waiter,manual,trigger" doc:"Who runs the job: an agent, nobody, a person, or another build."`
	Name                  *string               `json:"name" doc:"The job's label. Null for none."`
	Label                 *string               `json:"label" doc:"The same."`
	StepKey               *string               `json:"step_key" doc:"The key of its step. Null for none."`
	GroupKey              *string               `json:"group_key" doc:"The key of the group that its step is in. Null for none."`
	Step                  jobStepAnswer         `json:"step" doc:"Its step."`
	Priority              jobPriorityAnswer     `json:"priority" doc:"Jobs with a higher one are handed out first."`
	AgentQueryRules       []string              `json:"agent_query_rules" doc:"What an agent needs to run the job, such as queue=linux."`
	State                 string                `json:"state" doc:"Where the job stands."`
	BuildURL              string                `json:"build_url" format:"uri" doc:"The build in this API."`
	WebURL                string                `json:"web_url" format:"uri" doc:"The job in the web interface."`
	LogURL                string                `json:"log_url" format:"uri" doc:"The job's log in this API."`
	RawLogURL             string                `json:"raw_log_url" format:"uri" doc:"The same, as plain text."`
	ArtifactsURL          string                `json:"artifacts_url" format:"uri" doc:"The job's artifacts in this API."`
	Command               *string               `json:"command" doc:"What the agent runs. Null for other types."`
	SoftFailed            bool                  `json:"soft_failed" doc:"Whether the job failed in a way that does not let its build fail."`
	ExitStatus            *int64                `json:"exit_status" doc:"How the command ended. Null while it has not."`
	Signal                *string               `json:"signal" doc:"The signal that ended the command."`
	SignalReason          *string               `json:"signal_reason" doc:"Why that was sent."`
	BrokenReason          *string               `json:"broken_reason" doc:"Why the job is not run."`
	PromisedExitStatus    *int64                `json:"promised_exit_status" doc:"The exit status that the running command said that it will have."`
	PromisedExitStatusAt  *endpoint.Timestamp   `json:"promised_exit_status_at" doc:"When it said so."`
	ArtifactPaths         *string               `json:"artifact_paths" doc:"Patterns of the files that the agent uploads, with semicolons between."`
	Agent                 *jobAgentAnswer       `json:"agent" doc:"The agent that runs the job, or ran it."`
	CreatedAt             endpoint.Timestamp    `json:"created_at" doc:"When the job was created."`
	ScheduledAt           *endpoint.Timestamp   `json:"scheduled_at" doc:"Since when its place in the queue counts."`
	RunnableAt            *endpoint.Timestamp   `json:"runnable_at" doc:"When an agent could first take it."`
	StartedAt             *endpoint.Timestamp   `json:"started_at" doc:"When it started."`
	FinishedAt            *endpoint.Timestamp   `json:"finished_at" doc:"When it ended. Null while it has not."`
	ExpiredAt             *endpoint.Timestamp   `json:"expired_at" doc:"When it had waited for too long."`
	Retried               bool                  `json:"retried" doc:"Whether there is another attempt after this one."`
	RetriedInJobID        *domain.JobID         `json:"retried_in_job_id" format:"uuid" doc:"That attempt."`
	RetriesCount          int64                 `json:"retries_count" doc:"How many attempts there were before this one."`
	RetrySource           *retrySourceAnswer    `json:"retry_source" doc:"The attempt before this one. Null for the first."`
	RetryType             *domain.RetryType     `json:"retry_type" enum:"automatic,manual" doc:"Whether a rule or a person wanted this attempt. Null for the first."`
	ParallelGroupIndex    *int64                `json:"parallel_group_index" doc:"Its place among the parallel jobs of its step, from 0. Null if it is the only one."`
	ParallelGroupTotal    *int64                `json:"parallel_group_total" doc:"How many those are."`
	Matrix                jsontext.Value        `json:"matrix" schema:"JobMatrix" doc:"Which values of its step's matrix it is for. Null without a matrix."`
	ClusterID             *domain.ClusterID     `json:"cluster_id" format:"uuid" doc:"The cluster whose agents can run it."`
	ClusterURL            *string               `json:"cluster_url" format:"uri" doc:"That cluster in this API."`
	ClusterQueueID        *domain.QueueID       `json:"cluster_queue_id" format:"uuid" doc:"The queue that it waits in."`
	ClusterQueueURL       *string               `json:"cluster_queue_url" format:"uri" doc:"That queue in this API."`
	ConcurrencyWaitTimeMS *int64                `json:"concurrency_wait_time_ms" doc:"How many milliseconds it waited for others of its concurrency group. Null if it did not, or still does."`
	Unblockable           *bool                 `json:"unblockable,omitzero" doc:"Only of manual jobs: whether a person can let the build go on now."`
	UnblockURL            string                `json:"unblock_url,omitzero" format:"uri" doc:"Only of manual jobs: where they do that in this API."`
	UnblockedBy           *userAnswer           `json:"unblocked_by,omitzero" doc:"Only of manual jobs: who did."`
	UnblockedAt           *endpoint.Timestamp   `json:"unblocked_at,omitzero" doc:"Only of manual jobs: when they did."`
	Async                 *bool                 `json:"async,omitzero" doc:"Only of triggers: whether nobody waits for the build that the job creates."`
	TriggeredBuild        *triggeredBuildAnswer `json:"triggered_build,omitzero" doc:"Only of triggers: the build that the job created."`
}

type jobStepAnswer struct {
	ID        domain.StepID  `json:"id" format:"uuid" doc:"The step's UUID."`
	Signature jsontext.Value `json:"signature" nullable:"true" doc:"The signature that the step was uploaded with. Null for none."`
}

type jobPriorityAnswer struct {
	Number int64 `json:"number" doc:"The number."`
}

type retrySourceAnswer struct {
	JobID     domain.JobID      `json:"job_id" format:"uuid" doc:"The attempt before."`
	RetryType *domain.RetryType `json:"retry_type" enum:"automatic,manual" doc:"Whether a rule or a person wanted another one."`
}

type triggeredBuildAnswer struct {
	ID     domain.BuildID `json:"id" format:"uuid" doc:"The build's UUID."`
	Number int64          `json:"number" doc:"The build's number."`
	URL    string         `json:"url" format:"uri" doc:"The build in this API."`
	WebURL string         `json:"web_url" format:"uri" doc:"The build in the web interface."`
}

// sortedCounts is an object of numbers, always written in the same order.
type sortedCounts map[string]int64

// MarshalJSONTo writes the object.
func (n sortedCounts) MarshalJSONTo(out *jsontext.Encoder) error {
	return json.MarshalEncode(out, map[string]int64(n), json.Deterministic(true))
}

// jobTypes are what the types of jobs are called in this API.
var jobTypes = map[domain.JobType]string{domain.CommandJob: "script", domain.WaitJob: "waiter", domain.BlockJob: "manual", domain.TriggerJob: "trigger"}

func (a *API) showJob(v *domain.JobView) jobAnswer {
	build := a.buildURL(v.OrganizationSlug, v.PipelineSlug, v.BuildNumber)
	url := build + "/jobs/" + string(v.ID)
	answer := jobAnswer{
		ID:                   v.ID,
		GraphQLID:            domain.GraphQLID(string(v.Type()), v.ID),
		Type:                 jobTypes[v.Type()],
		Name:                 nullIfEmpty(v.Label),
		Label:                nullIfEmpty(v.Label),
		StepKey:              v.StepKey,
		GroupKey:             v.GroupKey,
		Step:                 jobStepAnswer{ID: v.StepID, Signature: jsontext.Value("null")},
		Priority:             jobPriorityAnswer{v.Priority},
		AgentQueryRules:      v.AgentRules,
		State:                v.ShownState(),
		BuildURL:             build,
		WebURL:               a.buildWebURL(v.OrganizationSlug, v.PipelineSlug, v.BuildNumber) + "#" + string(v.ID),
		LogURL:               url + "/log",
		RawLogURL:            url + "/log.txt",
		ArtifactsURL:         url + "/artifacts",
		SoftFailed:           v.SoftFailed,
		ExitStatus:           v.ExitStatus,
		Signal:               v.Signal,
		SignalReason:         v.SignalReason,
		BrokenReason:         v.BrokenReason,
		PromisedExitStatus:   v.PromisedExitStatus,
		PromisedExitStatusAt: endpoint.NullTimestamp(v.PromisedAt),
		CreatedAt:            endpoint.Timestamp(v.CreatedAt),
		ScheduledAt:          endpoint.NullTimestamp(v.ScheduledAt),
		RunnableAt:           endpoint.NullTimestamp(v.RunnableAt),
		StartedAt:            endpoint.NullTimestamp(v.StartedAt),
		FinishedAt:           endpoint.NullTimestamp(v.FinishedAt),
		ExpiredAt:            endpoint.NullTimestamp(v.ExpiredAt),
		Retried:              v.RetriedByID != nil,
		RetriedInJobID:       v.RetriedByID,
		RetriesCount:         v.RetriesCount,
		RetryType:            v.RetryType,
		Matrix:               showMatrix(v.Matrix),
		ClusterID:            v.ClusterID,
		ClusterQueueID:       v.QueueID,
	}
	if v.Agent != nil {
		agent := a.showJobAgent(v.Agent)
		answer.Agent = &agent
	}
	if v.RetrySourceID != nil {
		answer.RetrySource = &retrySourceAnswer{*v.RetrySourceID, v.RetryType}
	}
	if v.ParallelTotal > 0 {
		answer.ParallelGroupIndex, answer.ParallelGroupTotal = &v.ParallelIndex, &v.ParallelTotal
	}
	if v.ClusterID != nil {
		cluster := a.clusterURL(v.OrganizationSlug, *v.ClusterID)
		answer.ClusterURL = &cluster
		if v.QueueID != nil {
			queue := cluster + "/queues/" + string(*v.QueueID)
			answer.ClusterQueueURL = &queue
		}
	}
	if wait := v.ConcurrencyWait(); wait != nil {
		milliseconds := wait.Milliseconds()
		answer.ConcurrencyWaitTimeMS = &milliseconds
	}
	a.addJobKind(&answer, v, url)
	return answer
}

// addJobKind adds what only jobs of a kind have.
func (a *API) addJobKind(answer *jobAnswer, v *domain.JobView, url string) {
	step := v.Step
	if step == nil {
		step = &domain.StepView{}
	}
	if step.Signature != nil {
		answer.Step.Signature = step.Signature
	}
	switch v.Type() {
	case domain.CommandJob:
		answer.Command, answer.ArtifactPaths = &v.Command, nullIfEmpty(step.Definition.ArtifactPaths)
	case domain.BlockJob:
		unblockable := v.State == builds.Blocked
		answer.Unblockable, answer.UnblockURL = &unblockable, url+"/unblock"
		answer.UnblockedBy, answer.UnblockedAt = a.showUser(v.UnblockedBy), endpoint.NullTimestamp(v.UnblockedAt)
	case domain.TriggerJob:
		answer.Async = &step.Definition.Async
		if b := v.TriggeredBuild; b != nil {
			answer.TriggeredBuild = &triggeredBuildAnswer{b.ID, b.Number, a.buildURL(b.OrganizationSlug, b.PipelineSlug, b.Number),
				a.buildWebURL(b.OrganizationSlug, b.PipelineSlug, b.Number)}
		}
	case domain.WaitJob:
	}
}

// showMatrix returns which values of a matrix a job is for: an object, or the value of a matrix that is a list.
func showMatrix(matrix map[string]string) jsontext.Value {
	shown := any(matrix)
	if len(matrix) == 0 {
		shown = nil
	} else if value, isList := matrix[""]; isList {
		shown = value
	}
	text, err := json.Marshal(shown, json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return text
}
