package agentapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

// defaultStackPage is how many jobs a stack is shown that does not say how many it wants.
const defaultStackPage = 100

func (a *API) stackEndpoints() []endpoint {
	limits := &stackLimits{}
	limited := func(scope string, perSecond int, handle func(*call) (any, error)) func(*call) (any, error) {
		return func(c *call) (any, error) {
			if !limits.admit(c, scope, perSecond) {
				return answered{}, nil
			}
			return handle(c)
		}
	}
	return []endpoint{
		{method: http.MethodPost, path: "stacks/register", handle: limited("register", 10, registerStack)},
		{method: http.MethodPost, path: "stacks/{key}/deregister", handle: limited("deregister", 10, deregisterStack)},
		{method: http.MethodGet, path: "stacks/{key}/scheduled-jobs", handle: limited("scheduled_jobs", 10,
			listScheduledJobs)},
		{method: http.MethodPut, path: "stacks/{key}/scheduled-jobs/batch-reserve", maxBody: mediumBody,
			handle: limited("batch_reserve", 10, reserveJobs)},
		{method: http.MethodPost, path: "stacks/{key}/jobs/get-states", maxBody: mediumBody, handle: limited("job_states", 20,
			showJobStates)},
		{method: http.MethodGet, path: "stacks/{key}/jobs/{id}", handle: limited("job", 1_000, showStackJob)},
		{method: http.MethodPost, path: "stacks/{key}/jobs/{id}/finish", handle: limited("finish", 100, finishStackJob)},
		{method: http.MethodPost, path: "stacks/{key}/notifications", maxBody: mediumBody, handle: limited("notifications",
			200, notifyOfJobs)},
	}
}

// stackLimits counts the requests of each stack in the present second, at this server.
type stackLimits struct {
	mutex  sync.Mutex
	second int64
	counts map[string]int
}

// admit reports whether a stack may make one more request of a kind in this second. If not, it has answered with 429.
func (l *stackLimits) admit(c *call, scope string, limit int) bool {
	now := time.Now()
	l.mutex.Lock()
	if second := now.Unix(); second != l.second || l.counts == nil {
		l.second, l.counts = second, map[string]int{}
	}
	key := scope + " " + c.actor().Credential.Hash + " " + c.id("key")
	l.counts[key]++
	current := l.counts[key]
	l.mutex.Unlock()
	const reset = 1 // seconds
	c.Header.Set("RateLimit-Scope", scope)
	c.Header.Set("RateLimit-Limit", strconv.Itoa(limit))
	c.Header.Set("RateLimit-Remaining", strconv.Itoa(max(0, limit-current)))
	c.Header.Set("RateLimit-Reset", strconv.Itoa(reset))
	if current <= limit {
		return true
	}
	c.Header.Set("Retry-After", strconv.Itoa(reset))
	body, _ := json.Marshal(map[string]any{"message": "Too many requests of this stack: " + strconv.Itoa(limit) +
		" a second are allowed here", "scope": scope,
		"limit": limit, "current": current, "reset": reset}) // of texts and numbers
	c.WriteJSON(http.StatusTooManyRequests, body)
	return false
}

func registerStack(c *call) (any, error) {
	var in struct {
		Key      string            `json:"key"`
		Type     string            `json:"type"`
		QueueKey string            `json:"queue_key"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	stack, isNew, err := c.api.Builds.RegisterStack(c.Context(), c.actor(), domain.StackInput{Key: in.Key, Type: in.Type,
		QueueKey: in.QueueKey, Metadata: in.Metadata})
	if err != nil {
		return nil, err
	}
	if isNew {
		c.status = http.StatusCreated
	}
	metadata := stack.Metadata
	if metadata == nil {
		metadata = map[string]string{}
	}
	return map[string]any{
		"id": stack.ID, "organization_uuid": stack.OrganizationID, "key": stack.Key, "type": stack.Type,
		"cluster_queue_key": stack.QueueKey, "metadata": metadata,
		"last_connected_on": stack.ConnectedAt.UTC().Format(domain.TimestampLayout), "state": stack.State(stack.Now),
	}, nil
}

func deregisterStack(c *call) (any, error) {
	c.status = http.StatusNoContent
	return nil, c.api.Builds.DeregisterStack(c.Context(), c.actor(), c.id("key"))
}

type stackJobAnswer struct {
	ID              domain.JobID `json:"id"`
	Priority        int64        `json:"priority"`
	AgentQueryRules []string     `json:"agent_query_rules"`
	ScheduledAt     string       `json:"scheduled_at"`
	Pipeline        struct {
		Slug string            `json:"slug"`
		UUID domain.PipelineID `json:"uuid"`
	} `json:"pipeline"`
	Build struct {
		Number int64          `json:"number"`
		Branch string         `json:"branch"`
		UUID   domain.BuildID `json:"uuid"`
	} `json:"build"`
	Step struct {
		Key *string `json:"key"`
	} `json:"step"`
}

func listScheduledJobs(c *call) (any, error) {
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
	found, err := c.api.Builds.ScheduledJobsOfStack(c.Context(), c.actor(), c.id("key"), query.Get("queue_key"), limit,
		after)
	if err != nil {
		return nil, err
	}
	jobs := make([]stackJobAnswer, len(found.Jobs))
	end := ""
	for i, j := range found.Jobs {
		shown := stackJobAnswer{ID: j.ID, Priority: j.Priority, AgentQueryRules: j.AgentRules,
			ScheduledAt: j.ScheduledAt.UTC().Format(domain.TimestampLayout)}
		if shown.AgentQueryRules == nil {
			shown.AgentQueryRules = []string{}
		}
		shown.Pipeline.Slug, shown.Pipeline.UUID = j.PipelineSlug, j.PipelineID
		shown.Build.Number, shown.Build.Branch, shown.Build.UUID = j.BuildNumber, j.BuildBranch, j.BuildID
		shown.Step.Key = j.StepKey
		jobs[i], end = shown, stackCursor(j)
	}
	return map[string]any{
		"jobs": jobs, "page_info": map[string]any{"has_next_page": found.HasMore, "end_cursor": end},
		"cluster_queue": map[string]any{"id": found.Queue, "dispatch_paused": found.Paused, "paused": found.Paused},
	}, nil
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

func reserveJobs(c *call) (any, error) {
	var in struct {
		JobUUIDs []string `json:"job_uuids"`
		Expiry   *int64   `json:"reservation_expiry_seconds"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	period := domain.ReservationTime
	if in.Expiry != nil {
		period = time.Duration(max(0, min(*in.Expiry, 1<<20))) * time.Second
	}
	reserved, err := c.api.Builds.ReserveJobs(c.Context(), c.actor(), c.id("key"), in.JobUUIDs, period)
	if err != nil {
		return nil, err
	}
	answer := map[string][]string{"reserved": {}, "not_reserved": {}}
	for _, id := range in.JobUUIDs {
		list := "not_reserved"
		if reserved[strings.ToLower(id)] {
			list = "reserved"
		}
		answer[list] = append(answer[list], id)
	}
	return answer, nil
}

func showJobStates(c *call) (any, error) {
	var in struct {
		JobUUIDs []string `json:"job_uuids"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	states, err := c.api.Builds.JobStatesOfStack(c.Context(), c.actor(), c.id("key"), in.JobUUIDs)
	return map[string]any{"states": states}, err
}

func showStackJob(c *call) (any, error) {
	j, err := c.api.Builds.JobOfStack(c.Context(), c.actor(), c.id("key"), c.id("id"))
	return map[string]any{"id": j.ID, "env": j.Env, "command": j.Command}, err
}

func finishStackJob(c *call) (any, error) {
	in := struct {
		ExitStatus int64  `json:"exit_status"`
		Detail     string `json:"detail"`
	}{ExitStatus: -1}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Builds.FinishStackJob(c.Context(), c.actor(), c.id("key"), c.id("id"), in.ExitStatus, in.Detail)
}

func notifyOfJobs(c *call) (any, error) {
	var in struct {
		Notifications []struct {
			JobUUID   string     `json:"job_uuid"`
			Detail    string     `json:"detail"`
			Timestamp *time.Time `json:"timestamp"`
		} `json:"notifications"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	given := make([]domain.StackNotification, len(in.Notifications))
	for i, n := range in.Notifications {
		given[i] = domain.StackNotification{Job: n.JobUUID, Detail: n.Detail, At: n.Timestamp}
	}
	faults, err := c.api.Builds.NotifyOfJobs(c.Context(), c.actor(), c.id("key"), given)
	if err != nil {
		return nil, err
	}
	type fault struct {
		Error   string `json:"error"`
		Indexes []int  `json:"indexes"`
	}
	shown := []fault{}
	for _, f := range faults {
		shown = append(shown, fault(f))
	}
	return map[string]any{"errors": shown}, nil
}
