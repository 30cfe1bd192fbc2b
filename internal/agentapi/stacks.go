package agentapi

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/httpcall"
	"penstock/internal/service/builds"
)

// defaultStackPage is how many jobs a stack is shown that does not say how many it wants.
const defaultStackPage = 100

func (a *API) stackEndpoints() []endpoint.Endpoint {
	const inStack = root + "/stacks/{key}"
	limited := []int{http.StatusTooManyRequests}
	return []endpoint.Endpoint{
		{
			Method: http.MethodPost, Path: root + "/stacks/register", Operation: "registerStack",
			Summary: "Registers a stack, a program that starts agents for jobs.", Needs: needsAgentToken,
			Body: stackBody{}, Answer: stackAnswer{}, Status: http.StatusOK, OtherStatus: http.StatusCreated,
			Errors: []int{http.StatusTooManyRequests, http.StatusNotFound},
			Handle: limitStacks("register", 10, a.registerStack),
		},
		{
			Method: http.MethodPost, Path: inStack + "/deregister", Operation: "deregisterStack",
			Summary: "Says that a stack goes away.", Needs: needsAgentToken,
			Status: http.StatusNoContent, Errors: limited,
			Handle: limitStacks("deregister", 10, func(c *endpoint.Call) (any, error) {
				return nil, a.Builds.DeregisterStack(c.Context(), c.Actor(), c.PathText("key"))
			}),
		},
		{
			Method: http.MethodGet, Path: inStack + "/scheduled-jobs", Operation: "listScheduledJobs",
			Summary: "Lists the jobs of a queue that wait for an agent and that no stack has reserved.", Needs: needsAgentToken,
			Query: []endpoint.QueryParameter{
				{Name: "queue_key", Doc: "The queue's key."},
				{Name: "limit", Doc: "How many jobs to list; 100 unless it is given."},
				{Name: "after", Doc: "The `end_cursor` of the jobs before."},
			},
			Answer: stackJobsAnswer{}, Status: http.StatusOK,
			Errors: []int{http.StatusTooManyRequests, http.StatusUnprocessableEntity},
			Handle: limitStacks("scheduled_jobs", 10, a.listScheduledJobs),
		},
		{
			Method: http.MethodPut, Path: inStack + "/scheduled-jobs/batch-reserve", Operation: "reserveJobs",
			Summary: "Reserves jobs, so that they go to no other agent.", Needs: needsAgentToken,
			Body: reservationBody{}, MaxBody: mediumBody, Answer: reservationAnswer{}, Status: http.StatusOK, Errors: limited,
			Handle: limitStacks("batch_reserve", 10, a.reserveJobs),
		},
		{
			Method: http.MethodPost, Path: inStack + "/jobs/get-states", Operation: "getJobStates",
			Summary: "Shows the states of jobs.", Needs: needsAgentToken,
			Body: jobStatesBody{}, MaxBody: mediumBody, Answer: jobStatesAnswer{}, Status: http.StatusOK, Errors: limited,
			Handle: limitStacks("job_states", 20, a.showJobStates),
		},
		{
			Method: http.MethodGet, Path: inStack + "/jobs/{id}", Operation: "getStackJob",
			Summary: "Shows a job that has not ended, for a stack to start an agent for it.", Needs: needsAgentToken,
			Answer: stackCommandAnswer{}, Status: http.StatusOK, Errors: limited,
			Handle: limitStacks("job", 1_000, a.showStackJob),
		},
		{
			Method: http.MethodPost, Path: inStack + "/jobs/{id}/finish", Operation: "finishStackJob",
			Summary: "Ends a job for which a stack can start no agent.", Needs: needsAgentToken,
			Body: finishStackJobBody{}, Answer: emptyAnswer{}, Status: http.StatusOK, Errors: limited,
			Handle: limitStacks("finish", 100, a.finishStackJob),
		},
		{
			Method: http.MethodPost, Path: inStack + "/notifications", Operation: "notifyOfJobs",
			Summary: "Says how it goes with agents that a stack starts for jobs.", Needs: needsAgentToken,
			Body: notificationsBody{}, MaxBody: mediumBody, Answer: notificationsAnswer{}, Status: http.StatusOK,
			Errors: limited,
			Handle: limitStacks("notifications", 200, a.notifyOfJobs),
		},
	}
}

// limitStacks refuses requests of a stack beyond so many a second, which each server counts for itself.
func limitStacks(scope string, perSecond int, handle func(*endpoint.Call) (any, error),
) func(*endpoint.Call) (any, error) {
	limit := httpcall.NewLimiter(scope, "RateLimit-", perSecond, time.Second)
	return func(c *endpoint.Call) (any, error) {
		use := limit.Add(c.Actor().Credential.Hash+" "+c.PathText("key"), 1, time.Now())
		limit.Show(use, c.Header)
		if use.Current > use.Limit {
			return nil, use.RefuseWith("Too many requests of this stack: " + strconv.Itoa(perSecond) +
				" a second are allowed here")
		}
		return handle(c)
	}
}

type stackBody struct {
	Key      string            `json:"key" required:"true" doc:"What names the stack in its cluster."`
	Type     string            `json:"type" doc:"What kind of a stack it is."`
	QueueKey string            `json:"queue_key" doc:"The key of its queue; _default for the default one."`
	Metadata map[string]string `json:"metadata" doc:"What it says of itself."`
}

type stackAnswer struct {
	ID               domain.StackID        `json:"id" format:"uuid" doc:"The stack's UUID."`
	OrganizationUUID domain.OrganizationID `json:"organization_uuid" format:"uuid" doc:"The organization's UUID."`
	Key              string                `json:"key" doc:"What names it in its cluster."`
	Type             string                `json:"type" doc:"What kind of a stack it is."`
	QueueKey         string                `json:"cluster_queue_key" doc:"The key of its queue."`
	Metadata         map[string]string     `json:"metadata" doc:"What it says of itself."`
	LastConnectedOn  string                `json:"last_connected_on" format:"date-time" doc:"When it was last heard of."`
	State            string                `json:"state" doc:"Whether it is connected."`
}

func (a *API) registerStack(c *endpoint.Call) (any, error) {
	var in stackBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	stack, isNew, err := a.Builds.RegisterStack(c.Context(), c.Actor(), domain.StackInput{Key: in.Key, Type: in.Type,
		QueueKey: in.QueueKey, Metadata: in.Metadata})
	if err != nil {
		return nil, err
	}
	if isNew {
		c.SetStatus(http.StatusCreated)
	}
	metadata := stack.Metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return stackAnswer{
		ID: stack.ID, OrganizationUUID: stack.OrganizationID, Key: stack.Key, Type: stack.Type, QueueKey: stack.QueueKey,
		Metadata: metadata, LastConnectedOn: stack.ConnectedAt.UTC().Format(domain.TimestampLayout),
		State: stack.State(stack.Now),
	}, nil
}

type stackJobsAnswer struct {
	Jobs     []stackJobAnswer `json:"jobs" doc:"The jobs, those that have waited longest first."`
	PageInfo stackPageAnswer  `json:"page_info" doc:"Where the other jobs are."`
	Queue    stackQueueAnswer `json:"cluster_queue" doc:"The queue."`
}

type stackPageAnswer struct {
	HasNextPage bool   `json:"has_next_page" doc:"Whether there are more jobs."`
	EndCursor   string `json:"end_cursor" doc:"What to ask for them with. Empty if there are no jobs."`
}

type stackQueueAnswer struct {
	ID             domain.QueueID `json:"id" format:"uuid" doc:"The queue's UUID."`
	DispatchPaused bool           `json:"dispatch_paused" doc:"Whether it is paused."`
	Paused         bool           `json:"paused" doc:"Whether it is paused."`
}

type stackJobAnswer struct {
	ID              domain.JobID     `json:"id" format:"uuid" doc:"The job's UUID."`
	Priority        int64            `json:"priority" doc:"Its priority."`
	AgentQueryRules []string         `json:"agent_query_rules" doc:"The tags that its agent must have."`
	ScheduledAt     string           `json:"scheduled_at" format:"date-time" doc:"Since when it waits."`
	Pipeline        stackJobPipeline `json:"pipeline" doc:"Its pipeline."`
	Build           stackJobBuild    `json:"build" doc:"Its build."`
	Step            stackJobStep     `json:"step" doc:"Its step."`
}

type stackJobPipeline struct {
	Slug string            `json:"slug" doc:"The pipeline's slug."`
	UUID domain.PipelineID `json:"uuid" format:"uuid" doc:"The pipeline's UUID."`
}

type stackJobBuild struct {
	Number int64          `json:"number" doc:"The build's number."`
	Branch string         `json:"branch" doc:"The branch that it is of."`
	UUID   domain.BuildID `json:"uuid" format:"uuid" doc:"The build's UUID."`
}

type stackJobStep struct {
	Key *string `json:"key" doc:"The step's key."`
}

func (a *API) listScheduledJobs(c *endpoint.Call) (any, error) {
	query := c.R.URL.Query()
	limit := defaultStackPage
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, domain.NewError(domain.Invalid, "`limit` must be a whole number")
		}
		limit = n
	}
	after, err := readStackCursor(query.Get("after"))
	if err != nil {
		return nil, err
	}
	found, err := a.Builds.ScheduledJobsOfStack(c.Context(), c.Actor(), c.PathText("key"), query.Get("queue_key"), limit,
		after)
	if err != nil {
		return nil, err
	}
	jobs := make([]stackJobAnswer, len(found.Jobs))
	end := ""
	for i, j := range found.Jobs {
		shown := stackJobAnswer{ID: j.ID, Priority: j.Priority, AgentQueryRules: j.AgentRules,
			ScheduledAt: j.ScheduledAt.UTC().Format(domain.TimestampLayout),
			Pipeline:    stackJobPipeline{j.PipelineSlug, j.PipelineID},
			Build:       stackJobBuild{j.BuildNumber, j.BuildBranch, j.BuildID},
			Step:        stackJobStep{j.StepKey},
		}
		if shown.AgentQueryRules == nil {
			shown.AgentQueryRules = []string{}
		}
		jobs[i], end = shown, stackCursor(j)
	}
	return stackJobsAnswer{Jobs: jobs, PageInfo: stackPageAnswer{found.HasMore, end},
		Queue: stackQueueAnswer{ID: found.Queue, DispatchPaused: found.Paused, Paused: found.Paused}}, nil
}

// stackCursor names a job in the list of those that wait.
func stackCursor(j builds.WaitingJob) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(j.ScheduledAt.UnixMicro(), 10) + " " +
		string(j.ID)))
}

func readStackCursor(text string) (after builds.WaitingJob, err error) {
	if text == "" {
		return after, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	micros, id, _ := strings.Cut(string(decoded), " ")
	at, numberErr := strconv.ParseInt(micros, 10, 64)
	job, ok := domain.ParseID[domain.JobID](id)
	if err != nil || numberErr != nil || !ok || at <= 0 {
		return after, domain.NewError(domain.Invalid, "`after` must be an `end_cursor` of this list")
	}
	return builds.WaitingJob{ScheduledAt: time.UnixMicro(at), ID: job}, nil
}

type reservationBody struct {
	JobUUIDs []string `json:"job_uuids" required:"true" doc:"The UUIDs of the jobs."`
	Expiry   *int64   `json:"reservation_expiry_seconds" doc:"For how many seconds; 900 unless it is given."`
}

type reservationAnswer struct {
	Reserved    []string `json:"reserved" doc:"The jobs that the stack has reserved."`
	NotReserved []string `json:"not_reserved" doc:"The others."`
}

func (a *API) reserveJobs(c *endpoint.Call) (any, error) {
	var in reservationBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	period := domain.ReservationTime
	if in.Expiry != nil {
		period = time.Duration(max(0, min(*in.Expiry, 1<<20))) * time.Second
	}
	reserved, err := a.Builds.ReserveJobs(c.Context(), c.Actor(), c.PathText("key"), in.JobUUIDs, period)
	if err != nil {
		return nil, err
	}
	answer := reservationAnswer{Reserved: []string{}, NotReserved: []string{}}
	for _, id := range in.JobUUIDs {
		list := &answer.NotReserved
		if reserved[strings.ToLower(id)] {
			list = &answer.Reserved
		}
		*list = append(*list, id)
	}
	return answer, nil
}

type jobStatesBody struct {
	JobUUIDs []string `json:"job_uuids" required:"true" doc:"The UUIDs of the jobs."`
}

type jobStatesAnswer struct {
	States map[domain.JobID]string `json:"states" doc:"The states of those that there are, by their UUIDs."`
}

func (a *API) showJobStates(c *endpoint.Call) (any, error) {
	var in jobStatesBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	states, err := a.Builds.JobStatesOfStack(c.Context(), c.Actor(), c.PathText("key"), in.JobUUIDs)
	shown := make(map[domain.JobID]string, len(states))
	for id, state := range states {
		shown[id] = string(state)
	}
	return jobStatesAnswer{shown}, err
}

type stackCommandAnswer struct {
	ID      domain.JobID      `json:"id" format:"uuid" doc:"The job's UUID."`
	Env     map[string]string `json:"env" doc:"Its environment variables."`
	Command string            `json:"command" doc:"Its command."`
}

func (a *API) showStackJob(c *endpoint.Call) (any, error) {
	j, err := a.Builds.JobOfStack(c.Context(), c.Actor(), c.PathText("key"), c.PathText("id"))
	return stackCommandAnswer{ID: j.ID, Env: j.Env, Command: j.Command}, err
}

type finishStackJobBody struct {
	ExitStatus int64  `json:"exit_status" doc:"How the job ends; -1 unless it is given."`
	Detail     string `json:"detail" doc:"Why no agent can be started."`
}

func (a *API) finishStackJob(c *endpoint.Call) (any, error) {
	in := finishStackJobBody{ExitStatus: -1}
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Builds.FinishStackJob(c.Context(), c.Actor(), c.PathText("key"), c.PathText("id"), in.ExitStatus,
		in.Detail)
}

type notificationsBody struct {
	Notifications []notificationBody `json:"notifications" required:"true" doc:"What there is to say of jobs."`
}

type notificationBody struct {
	JobUUID   string     `json:"job_uuid" required:"true" doc:"The UUID of the job that it is about."`
	Detail    string     `json:"detail" required:"true" doc:"What there is to say."`
	Timestamp *time.Time `json:"timestamp" doc:"Since when it is so; now unless it is given."`
}

type notificationsAnswer struct {
	Errors []notificationFault `json:"errors" doc:"What is wrong with some of them. The others are stored."`
}

type notificationFault struct {
	Error   string `json:"error" doc:"What is wrong."`
	Indexes []int  `json:"indexes" doc:"Of which, by their places in the list, from 0 on."`
}

func (a *API) notifyOfJobs(c *endpoint.Call) (any, error) {
	var in notificationsBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	given := make([]domain.StackNotification, len(in.Notifications))
	for i, n := range in.Notifications {
		given[i] = domain.StackNotification{Job: n.JobUUID, Detail: n.Detail, At: n.Timestamp}
	}
	faults, err := a.Builds.NotifyOfJobs(c.Context(), c.Actor(), c.PathText("key"), given)
	if err != nil {
		return nil, err
	}
	shown := []notificationFault{}
	for _, f := range faults {
		shown = append(shown, notificationFault(f))
	}
	return notificationsAnswer{shown}, nil
}
