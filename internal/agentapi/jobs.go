package agentapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/builds"
)

// How agents are asked to send logs. A piece of 0 bytes would never end a job.
const (
	chunkSize     = 256 << 10 // bytes
	chunkInterval = 1         // seconds
)

func (a *API) jobEndpoints() []endpoint.Endpoint {
	unprocessable := []int{http.StatusUnprocessableEntity}
	return []endpoint.Endpoint{
		{
			Method: http.MethodPut, Path: inJob + "/accept", Operation: "acceptJob",
			Summary: "Accepts a job that the agent was assigned.", Needs: needsSession,
			Answer: jobAnswer{}, Status: http.StatusOK, Errors: unprocessable,
			Handle: func(c *endpoint.Call) (any, error) {
				return showJob(a.Builds.AcceptJob(c.Context(), c.Actor(), c.PathText("id")))
			},
		},
		{
			Method: http.MethodPut, Path: inJob + "/acquire", Operation: "acquireJob",
			Summary: "Takes a job that waits, whatever the agent's tags are.", Needs: needsSession,
			Answer: jobAnswer{}, Status: http.StatusOK,
			Errors: []int{http.StatusUnprocessableEntity, http.StatusLocked},
			Handle: func(c *endpoint.Call) (any, error) {
				return showJob(a.Builds.AcquireJob(c.Context(), c.Actor(), c.PathText("id")))
			},
		},
		{
			Method: http.MethodPut, Path: inJob + "/start", Operation: "startJob",
			Summary: "Says that a job has begun.", Needs: needsJob,
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: unprocessable,
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Builds.StartJob(c.Context(), c.Actor(), c.PathText("id"))
			},
		},
		{
			Method: http.MethodGet, Path: inJob, Operation: "getJobState",
			Summary: "Shows the state of a job: one that is canceling is to be stopped.", Needs: needsJob,
			Answer: jobStateAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				state, err := a.Builds.JobState(c.Context(), c.Actor(), c.PathText("id"))
				return jobStateAnswer{c.PathText("id"), string(state)}, err
			},
		},
		{
			Method: http.MethodPut, Path: inJob, Operation: "updateJob",
			Summary: "Changes how long a job may take.", Needs: needsJob,
			Body: jobBody{}, Answer: jobReference{}, Status: http.StatusOK, Handle: a.updateJob,
		},
		{
			Method: http.MethodPut, Path: inJob + "/finish", Operation: "finishJob",
			Summary: "Says how a job ended.", Needs: needsJob,
			Body: finishBody{}, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.finish,
		},
		{
			Method: http.MethodPut, Path: inJob + "/promise_failure", Operation: "promiseFailure",
			Summary: "Says that a job which still runs will fail.", Needs: needsJob,
			Body: promiseBody{}, Status: http.StatusNoContent, Handle: a.promiseFailure,
		},
		{
			Method: http.MethodPost, Path: inJob + "/pipelines", Operation: "uploadPipeline",
			Summary: "Adds steps to the build of a job, behind the job.", Needs: needsJob,
			Body: uploadPipelineBody{}, MaxBody: uploadBody, Answer: emptyAnswer{}, Status: http.StatusOK,
			Handle: a.uploadPipeline,
		},
		{
			Method: http.MethodGet, Path: inJob + "/pipelines/{upload}", Operation: "getPipelineUpload",
			Summary: "Shows what came of an upload of steps.", Needs: needsJob,
			Answer: uploadAnswer{}, Status: http.StatusOK, Handle: a.showUpload,
		},
		{
			Method: http.MethodPost, Path: inJob + "/repository_access_token", Operation: "getRepositoryAccessToken",
			Summary: "Is not offered: there is no token for a repository.", Open: true,
			Answer: endpoint.ErrorAnswer{}, Status: http.StatusNotFound,
			Handle: func(*endpoint.Call) (any, error) { return nil, errNotFound },
		},
	}
}

// jobAnswer is a job as the agent that runs it needs it.
type jobAnswer struct {
	ID                 string            `json:"id" format:"uuid" doc:"The job's UUID."`
	State              string            `json:"state" doc:"The job's state."`
	Env                map[string]string `json:"env" doc:"Its environment variables."`
	Step               json.RawMessage   `json:"step" nullable:"true" doc:"Its step, as it was uploaded."`
	MatrixPermutation  map[string]string `json:"matrix_permutation,omitzero" doc:"The values of the step's matrix that it is for. Absent without a matrix."`
	ChunksMaxSizeBytes int64             `json:"chunks_max_size_bytes" doc:"How many bytes a piece of its log may have."`
	ChunksInterval     int64             `json:"chunks_interval_seconds" doc:"How many seconds to wait between two pieces."`
	LogMaxSizeBytes    int64             `json:"log_max_size_bytes" doc:"How many bytes its log may have."`
	Token              string            `json:"token" doc:"The job's token, for all calls about the job."`
	RunnableAt         string            `json:"runnable_at,omitzero" format:"date-time" doc:"Since when it could run."`
	Priority           int64             `json:"priority" doc:"Its priority."`
}

func showJob(j builds.JobForAgent, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	answer := jobAnswer{
		ID: string(j.Job.ID), State: string(j.Job.State), Env: j.Env, Step: json.RawMessage(j.Step.Source),
		ChunksMaxSizeBytes: chunkSize, ChunksInterval: chunkInterval, LogMaxSizeBytes: domain.MaxLogSize,
		Token: j.Token.Reveal(), Priority: j.Job.Priority,
	}
	if len(j.Job.Matrix) > 0 {
		answer.MatrixPermutation = j.Job.Matrix
	}
	if j.Job.RunnableAt != nil {
		answer.RunnableAt = j.Job.RunnableAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return answer, nil
}

type jobStateAnswer struct {
	ID    string `json:"id" format:"uuid" doc:"The job's UUID."`
	State string `json:"state" doc:"The job's state."`
}

type jobBody struct {
	Timeout          json.RawMessage `json:"timeout" schema:"Number" doc:"An older name of timeout_in_minutes."`
	TimeoutInMinutes json.RawMessage `json:"timeout_in_minutes" schema:"Number" doc:"How many minutes the job may take."`
}

func (a *API) updateJob(c *endpoint.Call) (any, error) {
	var in jobBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	given := in.TimeoutInMinutes
	if given == nil {
		given = in.Timeout
	}
	minutes, err := strconv.ParseInt(strings.Trim(string(given), `"`), 10, 32)
	if err != nil {
		return nil, domain.NewError(domain.Invalid, "`timeout_in_minutes` is invalid: it must be a whole number")
	}
	id := c.PathText("id")
	return jobReference{id}, a.Builds.SetJobTimeout(c.Context(), c.Actor(), id, minutes)
}

type finishBody struct {
	ExitStatus        string `json:"exit_status" required:"true" doc:"How its command ended: a whole number, as a text."`
	Signal            string `json:"signal" doc:"The signal that ended it, such as SIGTERM."`
	SignalReason      string `json:"signal_reason" doc:"Why it was sent."`
	ChunksFailedCount int64  `json:"chunks_failed_count" doc:"How many pieces of its log were lost."`
	IgnoreAgent       bool   `json:"ignore_agent_in_dispatches" doc:"Whether the agent is to be given no more jobs."`
}

func (a *API) finish(c *endpoint.Call) (any, error) {
	var in finishBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	status, err := strconv.ParseInt(in.ExitStatus, 10, 32)
	if err != nil {
		return nil, errExitStatus
	}
	return nil, a.Builds.FinishJob(c.Context(), c.Actor(), c.PathText("id"), builds.Finish{ExitStatus: status,
		Signal:       in.Signal,
		SignalReason: in.SignalReason, ChunksFailedCount: in.ChunksFailedCount, IgnoreAgent: in.IgnoreAgent})
}

var errExitStatus = domain.NewError(domain.Invalid, "`exit_status` is invalid: it must be a whole number")

type promiseBody struct {
	ExitStatus json.Number `json:"exit_status" required:"true" schema:"Number" doc:"How it will end."`
}

func (a *API) promiseFailure(c *endpoint.Call) (any, error) {
	var in promiseBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	status, err := strconv.ParseInt(string(in.ExitStatus), 10, 32)
	if err != nil {
		return nil, errExitStatus
	}
	return nil, a.Builds.PromiseFailure(c.Context(), c.Actor(), c.PathText("id"), status)
}

type uploadPipelineBody struct {
	UUID     string          `json:"uuid" required:"true" format:"uuid" doc:"What names the upload: the same one again changes nothing."`
	Pipeline json.RawMessage `json:"pipeline" required:"true" schema:"PipelineDocument" doc:"The steps, as a pipeline's configuration has them."`
	Replace  bool            `json:"replace" doc:"Whether they take the place of all that has not started."`
}

func (a *API) uploadPipeline(c *endpoint.Call) (any, error) {
	var in uploadPipelineBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	_, err := a.Builds.UploadPipeline(c.Context(), c.Actor(), c.PathText("id"),
		builds.Upload{ID: in.UUID, Document: in.Pipeline, Replace: in.Replace})
	return nil, err
}

type uploadAnswer struct {
	State   string `json:"state" enum:"applied,rejected" doc:"Whether the steps were added."`
	Message string `json:"message" doc:"Why not. Empty if they were."`
}

func (a *API) showUpload(c *endpoint.Call) (any, error) {
	u, err := a.Builds.StepUploadOf(c.Context(), c.Actor(), c.PathText("id"), c.PathText("upload"))
	if err != nil {
		return nil, err
	}
	state := "rejected"
	if u.Applied {
		state = "applied"
	}
	return uploadAnswer{state, u.Message}, nil
}
