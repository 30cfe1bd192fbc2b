package agentapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

// How agents are told to send logs. A piece of 0 bytes would never end a job.
const (
	chunkSize     = 256 << 10 // bytes
	chunkInterval = 1         // seconds
)

func (a *API) jobEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodPut, path: "jobs/{id}/accept", handle: func(c *call) (any, error) {
			return showJob(c.api.Builds.AcceptJob(c.Context(), c.actor(), c.id("id")))
		}},
		{method: http.MethodPut, path: "jobs/{id}/acquire", handle: func(c *call) (any, error) {
			return showJob(c.api.Builds.AcquireJob(c.Context(), c.actor(), c.id("id")))
		}},
		{method: http.MethodPut, path: "jobs/{id}/start", handle: func(c *call) (any, error) {
			return nil, c.api.Builds.StartJob(c.Context(), c.actor(), c.id("id"))
		}},
		{method: http.MethodGet, path: "jobs/{id}", handle: func(c *call) (any, error) {
			state, err := c.api.Builds.JobState(c.Context(), c.actor(), c.id("id"))
			return map[string]any{"id": c.id("id"), "state": state}, err
		}},
		{method: http.MethodPut, path: "jobs/{id}", handle: updateJob},
		{method: http.MethodPut, path: "jobs/{id}/finish", handle: finish},
		{method: http.MethodPut, path: "jobs/{id}/promise_failure", handle: promiseFailure},
		{method: http.MethodPost, path: "jobs/{id}/pipelines", maxBody: uploadBody, handle: uploadPipeline},
		{method: http.MethodGet, path: "jobs/{id}/pipelines/{upload}", handle: showUpload},
		{method: http.MethodPost, path: "jobs/{id}/repository_access_token", handle: func(*call) (any, error) {
			return nil, errNotFound
		}},
	}
}

// jobAnswer is a job as the agent that runs it needs it.
type jobAnswer struct {
	ID                 string            `json:"id"`
	State              string            `json:"state"`
	Env                map[string]string `json:"env"`
	Step               json.RawMessage   `json:"step"`
	MatrixPermutation  map[string]string `json:"matrix_permutation,omitempty"`
	ChunksMaxSizeBytes int64             `json:"chunks_max_size_bytes"`
	ChunksInterval     int64             `json:"chunks_interval_seconds"`
	LogMaxSizeBytes    int64             `json:"log_max_size_bytes"`
	Token              string            `json:"token"`
	RunnableAt         string            `json:"runnable_at,omitempty"`
	Priority           int64             `json:"priority"`
}

func showJob(j builds.JobForAgent, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	answer := jobAnswer{
		ID: string(j.Job.ID), State: string(j.Job.State), Env: j.Env, Step: json.RawMessage(j.Step.Source),
		MatrixPermutation:  j.Job.Matrix,
		ChunksMaxSizeBytes: chunkSize, ChunksInterval: chunkInterval, LogMaxSizeBytes: domain.MaxLogSize,
		Token: j.Token.Reveal(), Priority: j.Job.Priority,
	}
	if j.Job.RunnableAt != nil {
		answer.RunnableAt = j.Job.RunnableAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return answer, nil
}

func updateJob(c *call) (any, error) {
	var in struct {
		Timeout          json.RawMessage `json:"timeout"`
		TimeoutInMinutes json.RawMessage `json:"timeout_in_minutes"`
	}
	if err := c.decode(&in); err != nil {
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
	return map[string]string{"id": c.id("id")}, c.api.Builds.SetJobTimeout(c.Context(), c.actor(), c.id("id"), minutes)
}

func finish(c *call) (any, error) {
	var in struct {
		ExitStatus        string `json:"exit_status"`
		Signal            string `json:"signal"`
		SignalReason      string `json:"signal_reason"`
		ChunksFailedCount int64  `json:"chunks_failed_count"`
		IgnoreAgent       bool   `json:"ignore_agent_in_dispatches"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	status, err := strconv.ParseInt(in.ExitStatus, 10, 32)
	if err != nil {
		return nil, domain.NewError(domain.Invalid, "`exit_status` is invalid: it must be a whole number")
	}
	return nil, c.api.Builds.FinishJob(c.Context(), c.actor(), c.id("id"), builds.Finish{ExitStatus: status,
		Signal:       in.Signal,
		SignalReason: in.SignalReason, ChunksFailedCount: in.ChunksFailedCount, IgnoreAgent: in.IgnoreAgent})
}

func promiseFailure(c *call) (any, error) {
	var in struct {
		ExitStatus json.Number `json:"exit_status"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	status, err := strconv.ParseInt(string(in.ExitStatus), 10, 32)
	if err != nil {
		return nil, domain.NewError(domain.Invalid, "`exit_status` is invalid: it must be a whole number")
	}
	c.status = http.StatusNoContent
	return nil, c.api.Builds.PromiseFailure(c.Context(), c.actor(), c.id("id"), status)
}

func uploadPipeline(c *call) (any, error) {
	var in struct {
		UUID     string          `json:"uuid"`
		Pipeline json.RawMessage `json:"pipeline"`
		Replace  bool            `json:"replace"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	_, err := c.api.Builds.UploadPipeline(c.Context(), c.actor(), c.id("id"),
		builds.Upload{ID: in.UUID, Document: in.Pipeline, Replace: in.Replace})
	return nil, err
}

func showUpload(c *call) (any, error) {
	u, err := c.api.Builds.StepUploadOf(c.Context(), c.actor(), c.id("id"), c.id("upload"))
	if err != nil {
		return nil, err
	}
	state := "rejected"
	if u.Applied {
		state = "applied"
	}
	return map[string]string{"state": state, "message": u.Message}, nil
}
