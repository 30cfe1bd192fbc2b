package rest

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/flow"
	service "penstock/internal/service/builds"
)

const (
	jobsOfBuild = inBuild + "/jobs"
	jobInBuild  = jobsOfBuild + "/{id}"
	jobAlone    = inOrganization + "/jobs/{id}"
)

func (a *API) jobEndpoints() []endpoint.Endpoint {
	list := endpoint.Endpoint{
		Method: http.MethodGet, Path: jobsOfBuild, Operation: "listBuildJobs", Summary: "Lists a build's jobs, in the " +
			"order of their steps.",
		Scope: domain.ScopeReadBuilds, Answer: endpoint.CursorAnswer[jobAnswer]{}, List: endpoint.CursorList,
		Status: http.StatusOK,
		Query: []endpoint.QueryParameter{
			{Name: "state[]", Doc: "Only jobs in this state. Can be given several times."},
			{Name: "step_key", Doc: "Only jobs of the step with this key."},
			{Name: "group_key", Doc: "Only jobs of the group with this key."},
			{Name: "include_retried_jobs", Doc: "false to leave out attempts that were retried."},
		},
		Handle: func(c *endpoint.Call) (any, error) {
			filter, filterErr := readJobFilter(c)
			return endpoint.AnswerCursorPage(c, func(page domain.CursorPage) (domain.CursorPaged[*domain.JobView], error) {
				jobs, err := a.Builds.Jobs(c.Context(), c.Actor(), buildRef(c), filter, page)
				return jobs, cmp.Or(err, filterErr)
			}, a.showJob)
		},
	}
	return append(append([]endpoint.Endpoint{list}, a.oneJobEndpoints(jobInBuild, "BuildJob")...),
		a.oneJobEndpoints(jobAlone, "Job")...)
}

// oneJobEndpoints are about a job that a path names, in operations whose names end with a noun.
func (a *API) oneJobEndpoints(path, noun string) []endpoint.Endpoint {
	endpoints := []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: path, Operation: "get" + noun, Summary: "Gets a job.",
			Scope: domain.ScopeReadBuilds, Answer: jobAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Builds.Job(c.Context(), c.Actor(), jobRef(c))
				return a.showJob(&v), err
			},
		},
		{
			Method: http.MethodPut, Path: path + "/retry", Operation: "retry" + noun,
			Summary: "Runs a job again that failed, timed out or was canceled. Returns the new job.",
			Scope:   domain.ScopeWriteBuilds, Answer: jobAnswer{}, Status: http.StatusOK, Errors: []int{http.StatusBadRequest,
				http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				j, err := a.Builds.RetryJob(c.Context(), c.Actor(), jobRef(c))
				return a.answerChangedJob(c, j, err)
			},
		},
		{
			Method: http.MethodPut, Path: path + "/reprioritize", Operation: "reprioritize" + noun,
			Summary: "Lets a job that waits be handed out before others, or after them.",
			Scope:   domain.ScopeWriteBuilds, Body: reprioritizeBody{}, Answer: jobAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				j, err := a.Builds.ReprioritizeJob(c.Context(), c.Actor(), jobRef(c), readBody(c,
					func(b reprioritizeBody) domain.Optional[int64] { return b.Priority }))
				return a.answerChangedJob(c, j, err)
			},
		},
		{
			Method: http.MethodPut, Path: path + "/unblock", Operation: "unblock" + noun,
			Summary: "Lets a build go on that waits for a person. What is filled in becomes meta-data of the build.",
			Scope:   domain.ScopeWriteBuilds, Body: unblockBody{}, OptionalBody: true, Answer: jobAnswer{},
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				input, bodyErr := endpoint.ReadBody(c, unblockBody.input)
				if bodyErr != nil { // whether the caller may ask at all comes first
					_, err := a.Builds.ChangedJob(c.Context(), c.Actor(), jobRef(c))
					return a.answerChangedJob(c, domain.Job{}, cmp.Or(err, bodyErr))
				}
				j, err := a.Builds.UnblockJob(c.Context(), c.Actor(), jobRef(c), input)
				return a.answerChangedJob(c, j, err)
			},
		},
	}
	for _, name := range []struct{ suffix, operation string }{{"/env", "getEnvOf"}, {"/env.txt", "getEnvTextOf"}} {
		endpoints = append(endpoints, endpoint.Endpoint{
			Method: http.MethodGet, Path: path + name.suffix, Operation: name.operation + noun,
			Summary: "Gets the environment variables that a job's agent is given.",
			Scope:   domain.ScopeReadJobEnv, Answer: jobEnvAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				env, err := a.Builds.JobEnv(c.Context(), c.Actor(), jobRef(c))
				return jobEnvAnswer{env}, err
			},
		})
	}
	return endpoints
}

// answerChangedJob answers with a job that was changed or made.
func (a *API) answerChangedJob(c *endpoint.Call, j domain.Job, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	v, err := a.Builds.ChangedJob(c.Context(), c.Actor(), domain.JobRef{Organization: organizationRef(c),
		ID: string(j.ID)})
	return a.showJob(&v), err
}

func jobRef(c *endpoint.Call) domain.JobRef {
	ref := domain.JobRef{Organization: organizationRef(c), ID: c.Path("id")}
	if c.Path("pipeline") != "" {
		build := buildRef(c)
		ref.Build = &build
	}
	return ref
}

// readJobFilter reads which jobs the request asks for.
func readJobFilter(c *endpoint.Call) (filter domain.JobFilter, err error) {
	query, err := c.Query()
	if err != nil {
		return filter, err
	}
	states, err := readList(query, "state")
	if err == nil {
		err = domain.CheckShownStates("state", states)
	}
	if err != nil {
		return filter, err
	}
	filter = domain.JobFilter{ShownStates: states, StepKey: nullIfEmpty(query.Get("step_key")),
		GroupKey: nullIfEmpty(query.Get("group_key"))}
	filter.NewestOnly = query.Has("include_retried_jobs") && !isTrue(query, "include_retried_jobs")
	return filter, nil
}

type reprioritizeBody struct {
	Priority domain.Optional[int64] `json:"priority" required:"true" doc:"The new priority, a number of 32 bits. Jobs with a higher one are handed out first."`
}

type unblockBody struct {
	Fields    domain.Optional[map[string]endpoint.Texts] `json:"fields" doc:"What is filled in, by the keys of the step's fields. Several options are given as an array, or as a string with line breaks between."`
	Unblocker domain.Optional[string]                    `json:"unblocker" doc:"The UUID of the member to name as the unblocker. Null for the caller."`
}

func (b unblockBody) input() service.UnblockInput {
	fields := make(map[string]string, len(b.Fields.Value))
	for key, texts := range b.Fields.Value {
		fields[key] = strings.Join(texts, "\n")
	}
	return service.UnblockInput{Fields: fields, Unblocker: b.Unblocker.Ptr()}
}

type jobEnvAnswer struct {
	Env sortedTexts `json:"env" doc:"The variables. Empty for jobs that no agent runs."`
}

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
	State                 string                `json:"state" doc:"The state of the job."`
	BuildURL              string                `json:"build_url" format:"uri" doc:"The build in this API."`
	WebURL                string                `json:"web_url" format:"uri" doc:"The job in the web interface."`
	LogURL                string                `json:"log_url" format:"uri" doc:"The job's log in this API."`
	RawLogURL             string                `json:"raw_log_url" format:"uri" doc:"The same, as plain text."`
	ArtifactsURL          string                `json:"artifacts_url" format:"uri" doc:"The job's artifacts in this API."`
	Command               *string               `json:"command" doc:"What the agent runs. Null for other types, and for a long one in a list that would be too large otherwise."`
	ScriptPath            *string               `json:"script_path" doc:"The same as command."`
	SoftFailed            bool                  `json:"soft_failed" doc:"Whether the job failed without failing its build."`
	ExitStatus            *int64                `json:"exit_status" doc:"How the command ended. Null while it has not."`
	Signal                *string               `json:"signal" doc:"The signal that ended the command."`
	SignalReason          *string               `json:"signal_reason" doc:"Why that was sent."`
	BrokenReason          *string               `json:"broken_reason" doc:"Why the job is not run."`
	Detail                *string               `json:"detail" doc:"What a person should know of the job's state, where it does not say so: why a trigger created no build, or that no agent can take the job, since its queue does not exist. Null if there is nothing to say."`
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
	RetriedBy             *userAnswer           `json:"retried_by" doc:"Who wanted it. Null for a rule, or if they are gone."`
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

// Shorten leaves out a command that is long.
func (j *jobAnswer) Shorten() {
	if j.Command != nil && len(*j.Command) > maxListedTexts {
		j.Command, j.ScriptPath = nil, nil
	}
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
var jobTypes = map[domain.JobType]string{domain.CommandJob: "script", domain.WaitJob: "waiter",
	domain.BlockJob: "manual", domain.TriggerJob: "trigger"}

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
		Detail:               v.ExplainState(),
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
		RetriedBy:            a.showUser(v.RetriedBy),
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
		answer.Command, answer.ScriptPath = &v.Command, &v.Command
		answer.ArtifactPaths = nullIfEmpty(step.Definition.ArtifactPaths)
	case domain.BlockJob:
		unblockable := v.State == flow.Blocked
		answer.Unblockable, answer.UnblockURL = &unblockable, url+"/unblock"
		answer.UnblockedBy, answer.UnblockedAt = a.showUser(v.UnblockedBy), endpoint.NullTimestamp(v.UnblockedAt)
	case domain.TriggerJob:
		answer.Async = &step.Definition.Async
		if b := v.TriggeredBuild; b != nil {
			answer.TriggeredBuild = &triggeredBuildAnswer{b.ID, b.Number, a.buildURL(b.OrganizationSlug, b.PipelineSlug,
				b.Number),
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
