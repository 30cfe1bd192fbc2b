package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/flow"
	service "penstock/internal/service/builds"
	"penstock/internal/service/core"
)

const (
	buildsOfPipeline = inPipeline + "/builds"
	inBuild          = buildsOfPipeline + "/{number}"
)

func (a *API) buildEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: "/v2/builds", Operation: "listAllBuilds",
			Summary: "Lists the builds of all organizations that the token reaches, the newest first.",
			Scope:   domain.ScopeReadBuilds, Answer: []buildAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: buildQuery,
			Handle: func(c *endpoint.Call) (any, error) {
				return a.answerBuilds(c, func(filter domain.BuildFilter, parts service.BuildParts, page domain.Page) (
					domain.Paged[*domain.BuildView], error) {
					return a.Builds.Builds(c.Context(), c.Actor(), filter, parts, page)
				})
			},
		},
		{
			Method: http.MethodGet, Path: inOrganization + "/builds", Operation: "listOrganizationBuilds",
			Summary: "Lists an organization's builds, the newest first.",
			Scope:   domain.ScopeReadBuilds, Answer: []buildAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: buildQuery,
			Handle: func(c *endpoint.Call) (any, error) {
				return a.answerBuilds(c, func(filter domain.BuildFilter, parts service.BuildParts, page domain.Page) (
					domain.Paged[*domain.BuildView], error) {
					return a.Builds.OrganizationBuilds(c.Context(), c.Actor(), organizationRef(c), filter, parts, page)
				})
			},
		},
		{
			Method: http.MethodGet, Path: buildsOfPipeline, Operation: "listPipelineBuilds",
			Summary: "Lists a pipeline's builds, the newest first.",
			Scope:   domain.ScopeReadBuilds, Answer: []buildAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: buildQuery,
			Handle: func(c *endpoint.Call) (any, error) {
				return a.answerBuilds(c, func(filter domain.BuildFilter, parts service.BuildParts, page domain.Page) (
					domain.Paged[*domain.BuildView], error) {
					return a.Builds.PipelineBuilds(c.Context(), c.Actor(), pipelineRef(c), filter, parts, page)
				})
			},
		},
		{
			Method: http.MethodPost, Path: buildsOfPipeline, Operation: "createBuild", Summary: "Creates a build of a pipeline.",
			Scope: domain.ScopeWriteBuilds, Body: buildBody{}, Answer: buildAnswer{}, Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				b, err := a.Builds.CreateBuild(c.Context(), c.Actor(), pipelineRef(c), domain.SourceAPI, readBuildBody(c))
				return a.showBuild(&b), err
			},
		},
		{
			Method: http.MethodGet, Path: inBuild, Operation: "getBuild", Summary: "Gets a build with its jobs.",
			Scope: domain.ScopeReadBuilds, Answer: buildAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusBadRequest},
			Query: []endpoint.QueryParameter{
				{Name: "job_states[]", Doc: "Only jobs in this state. Can be given several times."},
				{Name: "include_retried_jobs", Doc: "true to show attempts at jobs that were retried, too."},
				{Name: "exclude_jobs", Doc: "true to leave out the jobs."},
				{Name: "exclude_pipeline", Doc: "true to leave out the pipeline."},
			},
			Handle: a.answerBuild,
		},
		{
			Method: http.MethodPut, Path: inBuild + "/cancel", Operation: "cancelBuild",
			Summary: "Cancels the jobs of a build that have not ended.",
			Scope:   domain.ScopeWriteBuilds, Answer: buildAnswer{}, Status: http.StatusOK,
			Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				b, err := a.Builds.CancelBuild(c.Context(), c.Actor(), buildRef(c))
				return a.answerChangedBuild(c, b, err)
			},
		},
		{
			Method: http.MethodPut, Path: inBuild + "/rebuild", Operation: "rebuildBuild", Summary: "Runs a build again, as a " +
				"new build, and returns that.",
			Scope: domain.ScopeWriteBuilds, Answer: buildAnswer{}, Status: http.StatusOK,
			Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				b, err := a.Builds.RebuildBuild(c.Context(), c.Actor(), buildRef(c), domain.SourceAPI)
				return a.answerChangedBuild(c, b, err)
			},
		},
		{
			Method: http.MethodPut, Path: inBuild + "/retry_failed_jobs", Operation: "retryFailedJobs",
			Summary: "Retries the jobs of a build that failed.",
			Scope:   domain.ScopeWriteBuilds, Body: retryFailedBody{}, OptionalBody: true, Answer: retriedAnswer{},
			Status: http.StatusAccepted,
			Query:  []endpoint.QueryParameter{{Name: "states", Doc: "The same as in the body, where there is none."}},
			Handle: func(c *endpoint.Call) (any, error) {
				b, retried, err := a.Builds.RetryFailedJobs(c.Context(), c.Actor(), buildRef(c), readRetryStates(c))
				if err != nil {
					return nil, err
				}
				v, err := a.Builds.ChangedBuild(c.Context(), c.Actor(), domain.BuildRef{ID: b.ID})
				return retriedAnswer{a.showBuild(&v), int64(retried)}, err
			},
		},
	}
}

// buildQuery is by what builds are chosen, and what is shown of them.
var buildQuery = []endpoint.QueryParameter{
	{Name: "branch[]", Doc: "Only builds of this branch, in which * stands for any text. Can be given several times."},
	{Name: "commit[]", Doc: "Only builds of this commit. Can be given several times."},
	{Name: "created_from", Doc: "Only builds that were created at this time or later, in ISO 8601."},
	{Name: "created_to", Doc: "Only builds that were created before this time, in ISO 8601."},
	{Name: "finished_from", Doc: "Only builds that finished at this time or later, in ISO 8601."},
	{Name: "creator", Doc: "Only builds that the user with this UUID created."},
	{Name: "state[]", Doc: "Only builds in this state; finished stands for passed, failed, blocked and canceled. Can be " +
		"given several times."},
	{Name: "meta_data[key]", Doc: "Only builds with this value under the key. Can be given for several keys."},
	{Name: "include_retried_jobs", Doc: "true to show attempts at jobs that were retried, too."},
	{Name: "exclude_jobs", Doc: "true to leave out the jobs. Pages with many jobs are refused."},
	{Name: "exclude_pipeline", Doc: "true to leave out the pipelines."},
}

// answerBuilds answers with a page of a list of builds.
func (a *API) answerBuilds(c *endpoint.Call, list func(domain.BuildFilter, service.BuildParts, domain.Page) (
	domain.Paged[*domain.BuildView], error)) (any, error) {
	query, queryErr := c.Query()
	filter, err := readBuildFilter(query)
	if queryErr == nil {
		queryErr = err
	}
	parts := service.BuildParts{MetaData: true}
	if !isTrue(query, "exclude_jobs") {
		parts.Jobs = &domain.JobFilter{NewestOnly: !isTrue(query, "include_retried_jobs")}
	}
	if queryErr != nil { // whether the caller may ask at all comes first
		filter, parts = domain.BuildFilter{}, service.BuildParts{}
	}
	show := a.showBuild
	if isTrue(query, "exclude_pipeline") {
		show = a.showBuildAlone
	}
	return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[*domain.BuildView], error) {
		paged, err := list(filter, parts, page)
		if err == nil {
			err = queryErr
		}
		return paged, err
	}, show)
}

// answerBuild answers with the build that the request's path names.
func (a *API) answerBuild(c *endpoint.Call) (any, error) {
	query, queryErr := c.Query()
	states, err := readList(query, "job_states")
	if err == nil {
		err = domain.CheckShownStates("job_states", states)
	}
	if queryErr == nil {
		queryErr = err
	}
	parts := service.BuildParts{Counts: true, MetaData: true}
	if queryErr == nil && !isTrue(query, "exclude_jobs") {
		parts.Jobs = &domain.JobFilter{NewestOnly: !isTrue(query, "include_retried_jobs"), ShownStates: states}
	}
	v, err := a.Builds.Build(c.Context(), c.Actor(), buildRef(c), parts)
	if err == nil {
		err = queryErr
	}
	if isTrue(query, "exclude_pipeline") {
		return a.showBuildAlone(&v), err
	}
	return a.showBuild(&v), err
}

// answerChangedBuild answers with a build that was changed or made.
func (a *API) answerChangedBuild(c *endpoint.Call, b domain.Build, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	v, err := a.Builds.ChangedBuild(c.Context(), c.Actor(), domain.BuildRef{ID: b.ID})
	return a.showBuild(&v), err
}

// buildRef names the build that the path names: by its number, or by its UUID.
func buildRef(c *endpoint.Call) domain.BuildRef {
	if id, ok := domain.ParseID[domain.BuildID](c.Path("number")); ok {
		return domain.BuildRef{Pipeline: pipelineRef(c), UUID: id}
	}
	number, err := strconv.ParseUint(c.Path("number"), 10, 63) // no sign
	if err != nil {
		number = 0 // which no build has
	}
	return domain.BuildRef{Pipeline: pipelineRef(c), Number: int64(number)}
}

// maxQueryValues is how many values a parameter of a query may have.
const maxQueryValues = 100

// readList returns the values of a parameter that can be given several times, with [] behind its name or without.
func readList(query url.Values, name string) ([]string, error) {
	values := slices.Concat(query[name], query[name+"[]"])
	values = slices.DeleteFunc(values, func(value string) bool { return value == "" })
	if len(values) > maxQueryValues {
		return nil, domain.NewError(domain.Malformed, name+" can have at most "+strconv.Itoa(maxQueryValues)+" values")
	}
	return values, nil
}

func isTrue(query url.Values, name string) bool {
	value := query.Get(name)
	return value == "true" || value == "1"
}

// readTimes reads parameters of a query that are times.
func readTimes(query url.Values, times map[string]**time.Time) error {
	for name, target := range times {
		if query.Get(name) == "" {
			continue
		}
		at, ok := domain.ParseTimestamp(query.Get(name))
		if !ok {
			return domain.NewError(domain.Malformed, name+" must be an ISO 8601 time such as 2026-01-31T12:00:00Z")
		}
		*target = &at
	}
	return nil
}

// readBuildFilter reads which builds the request asks for.
func readBuildFilter(query url.Values) (filter domain.BuildFilter, err error) {
	if filter.Branches, err = readList(query, "branch"); err != nil {
		return filter, err
	}
	if filter.Commits, err = readList(query, "commit"); err != nil {
		return filter, err
	}
	states, err := readList(query, "state")
	if err != nil {
		return filter, err
	}
	if filter.ShownStates, err = domain.ParseBuildStates(states); err != nil {
		return filter, err
	}
	if creator := query.Get("creator"); creator != "" {
		id, ok := domain.ParseID[domain.UserID](creator)
		if !ok {
			return filter, domain.NewError(domain.Malformed, "creator must be the UUID of a user")
		}
		filter.Creator = &id
	}
	for name, values := range query {
		key, isMetaData := strings.CutPrefix(name, "meta_data[")
		if key, closed := strings.CutSuffix(key, "]"); isMetaData && closed {
			if filter.MetaData == nil {
				filter.MetaData = map[string]string{}
			}
			filter.MetaData[key] = values[0]
		}
	}
	if len(filter.MetaData) > maxQueryValues {
		return filter, domain.NewError(domain.Malformed, "meta_data can have at most "+strconv.Itoa(maxQueryValues)+" keys")
	}
	return filter, readTimes(query, map[string]**time.Time{
		"created_from": &filter.CreatedFrom, "created_to": &filter.CreatedTo, "finished_from": &filter.FinishedFrom,
	})
}

type buildBody struct {
	Commit                      domain.Optional[string]            `json:"commit" required:"create" doc:"The commit, branch or other name in the repository that is built, such as HEAD."`
	Branch                      domain.Optional[string]            `json:"branch" required:"create" doc:"The branch that the commit is on."`
	Message                     domain.Optional[string]            `json:"message" doc:"What the build is for, at most 64 KiB."`
	Tag                         domain.Optional[string]            `json:"tag" doc:"The tag that is built."`
	Author                      domain.Optional[authorBody]        `json:"author" doc:"Who wrote the commit."`
	Env                         domain.Optional[map[string]string] `json:"env" doc:"At most 200 environment variables for the build's jobs, of 64 KiB in all. Every member can read it, so keep secrets elsewhere."`
	MetaData                    domain.Optional[map[string]string] `json:"meta_data" doc:"At most 1,000 values that the build begins with, by their keys."`
	CleanCheckout               domain.Optional[bool]              `json:"clean_checkout" doc:"Whether agents remove the checkout and clone again."`
	IgnorePipelineBranchFilters domain.Optional[bool]              `json:"ignore_pipeline_branch_filters" doc:"Whether to build a branch that the pipeline's filter leaves out."`
	PullRequestID               domain.Optional[jsontext.Value]    `json:"pull_request_id" schema:"PullRequestID" doc:"The number of the pull request that is built."`
	PullRequestBaseBranch       domain.Optional[string]            `json:"pull_request_base_branch" doc:"The branch to merge the pull request into."`
	PullRequestRepository       domain.Optional[string]            `json:"pull_request_repository" doc:"The repository that the pull request is from."`
	PullRequestLabels           domain.Optional[[]string]          `json:"pull_request_labels" doc:"The labels of the pull request."`
}

type authorBody struct {
	Name  domain.Optional[string] `json:"name" doc:"Their name."`
	Email domain.Optional[string] `json:"email" doc:"Their email address."`
}

// readBuildBody reads what build is to be created.
func readBuildBody(c *endpoint.Call) core.Input[domain.BuildInput] {
	body, err := endpoint.ReadBody(c, func(b buildBody) buildBody { return b })
	var faults domain.Faults
	in := body.input(&faults)
	if other := faults.AddError(err); other != nil {
		return core.Sent(in, other)
	}
	return core.Sent(in, faults.Err())
}

func (b buildBody) input(faults *domain.Faults) domain.BuildInput {
	in := domain.BuildInput{
		Commit: b.Commit.Value, Branch: b.Branch.Value, Message: b.Message.Value, Tag: b.Tag.Value,
		Author: domain.Author{Name: b.Author.Value.Name.Value, Email: b.Author.Value.Email.Value},
		Env:    b.Env.Value, MetaData: b.MetaData.Value,
		CleanCheckout: b.CleanCheckout.Value, IgnorePipelineBranchFilters: b.IgnorePipelineBranchFilters.Value,
	}
	if !b.PullRequestID.HasValue() {
		return in
	}
	in.PullRequest = &domain.PullRequest{Base: b.PullRequestBaseBranch.Value, Repository: b.PullRequestRepository.Value,
		Labels: b.PullRequestLabels.Value}
	switch value := b.PullRequestID.Value; value.Kind() {
	case '0':
		in.PullRequest.ID = string(value)
	case '"':
		id, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			faults.Add("pull_request_id", "pull_request_id must be valid UTF-8 text")
		}
		in.PullRequest.ID = string(id)
	default:
		faults.Add("pull_request_id", "pull_request_id must be a number or a string")
	}
	if in.PullRequest.ID == "" {
		in.PullRequest = nil
	}
	return in
}

type retryFailedBody struct {
	States domain.Optional[string] `json:"states" doc:"Which jobs to retry, by their states, separated by commas: canceled, expired, failed, soft_failed, timed_out. By default, those that failed, timed out or expired."`
}

func readRetryStates(c *endpoint.Call) core.Input[[]string] {
	return core.Sent(endpoint.ReadBody(c, func(b retryFailedBody) (states []string) {
		text := b.States.Value
		if query, err := c.Query(); err == nil && text == "" {
			text = strings.Join(query["states"], ",")
		}
		for state := range strings.SplitSeq(text, ",") {
			if state = strings.TrimSpace(state); state != "" {
				states = append(states, state)
			}
		}
		return states
	}))
}

type buildAnswer struct {
	ID            domain.BuildID       `json:"id" format:"uuid" doc:"The build's UUID."`
	GraphQLID     string               `json:"graphql_id" doc:"The build's ID in the GraphQL API."`
	URL           string               `json:"url" format:"uri" doc:"The build in this API."`
	WebURL        string               `json:"web_url" format:"uri" doc:"The build in the web interface."`
	Number        int64                `json:"number" doc:"The build's number. Unique in the pipeline."`
	State         string               `json:"state" enum:"creating,scheduled,running,failing,passed,failed,canceling,canceled,skipped,not_run" doc:"The state of the build. While it waits for a person, the step's blocked_state."`
	Blocked       bool                 `json:"blocked" doc:"Whether the build waits for a person."`
	CancelReason  *string              `json:"cancel_reason" doc:"Why the build was canceled, if it was not by a person."`
	Message       string               `json:"message" doc:"What the build is for. Its beginning, for a long one in a list that would be too large otherwise."`
	Commit        string               `json:"commit" doc:"The commit that is built, or its name until it is known."`
	Branch        string               `json:"branch" doc:"The branch that is built."`
	Tag           *string              `json:"tag" doc:"The tag that is built. Null for none."`
	Env           sortedTexts          `json:"env" doc:"Environment variables that the build was created with. Empty for many in a list that would be too large otherwise."`
	Source        domain.BuildSource   `json:"source" enum:"webhook,api,ui,trigger_job,schedule" doc:"What the build came from."`
	Author        *authorAnswer        `json:"author" doc:"Who wrote the commit. Null if that is not known."`
	Creator       *userAnswer          `json:"creator" doc:"Who created the build. Null for nobody, or if they are gone."`
	CreatedAt     endpoint.Timestamp   `json:"created_at" doc:"When the build was created."`
	ScheduledAt   *endpoint.Timestamp  `json:"scheduled_at" doc:"When the build was ready to run."`
	StartedAt     *endpoint.Timestamp  `json:"started_at" doc:"When the first of its jobs started."`
	FailingAt     *endpoint.Timestamp  `json:"failing_at" doc:"When it was known that the build will fail."`
	FinishedAt    *endpoint.Timestamp  `json:"finished_at" doc:"When the last of its jobs ended. Null while it has not."`
	MetaData      sortedTexts          `json:"meta_data" doc:"Values that jobs and people stored, by their keys. Empty for many in a list that would be too large otherwise."`
	PullRequest   *pullRequestAnswer   `json:"pull_request" doc:"The pull request that is built. Null for none."`
	MergeQueue    *mergeQueueAnswer    `json:"merge_queue" doc:"The merge queue that the build is for. Null if it is for none."`
	RebuiltFrom   *buildLinkAnswer     `json:"rebuilt_from" doc:"The build that this one is like. Null for none."`
	TriggeredFrom *triggeredFromAnswer `json:"triggered_from" doc:"The build whose job created this one. Null for none."`
	JobCounts     *jobCountsAnswer     `json:"job_state_counts,omitzero" doc:"How many jobs are in which state, without attempts that were retried. Not in lists."`
	Jobs          *[]jobAnswer         `json:"jobs,omitzero" doc:"The jobs, in the order of their steps. Absent if they are left out."`
	Pipeline      *builtPipelineAnswer `json:"pipeline,omitzero" doc:"The pipeline. Absent if it is left out."`
}

// maxListedTexts is how many bytes of its environment, its meta-data and its message a build shows in a list that would
// be too large otherwise.
const maxListedTexts = 8 << 10

// Shorten leaves out an environment and meta-data that are large, and the end of a long message.
func (b *buildAnswer) Shorten() {
	if b.Env.size() > maxListedTexts {
		b.Env = sortedTexts{}
	}
	if b.MetaData.size() > maxListedTexts {
		b.MetaData = sortedTexts{}
	}
	b.Message = strings.ToValidUTF8(b.Message[:min(len(b.Message), maxListedTexts)], "")
	if b.Jobs != nil {
		for i := range *b.Jobs {
			(*b.Jobs)[i].Shorten()
		}
	}
}

type authorAnswer struct {
	Name  string `json:"name" doc:"Their name."`
	Email string `json:"email" doc:"Their email address."`
}

type pullRequestAnswer struct {
	ID         string `json:"id" doc:"Its number."`
	Base       string `json:"base" doc:"The branch to merge it into."`
	Repository string `json:"repository" doc:"The repository that it is from."`
}

type mergeQueueAnswer struct {
	BaseBranch string `json:"base_branch" doc:"The branch that is merged into."`
	BaseCommit string `json:"base_commit" doc:"The commit that is merged into."`
}

type buildLinkAnswer struct {
	ID     domain.BuildID `json:"id" format:"uuid" doc:"The build's UUID."`
	Number int64          `json:"number" doc:"The build's number."`
	URL    string         `json:"url" format:"uri" doc:"The build in this API."`
}

type triggeredFromAnswer struct {
	BuildID      domain.BuildID `json:"build_id" format:"uuid" doc:"The build's UUID."`
	BuildNumber  int64          `json:"build_number" doc:"The build's number."`
	PipelineSlug string         `json:"build_pipeline_slug" doc:"The slug of its pipeline."`
}

type jobCountsAnswer struct {
	Total  int64        `json:"total" doc:"All jobs."`
	States sortedCounts `json:"states" doc:"The numbers, by the states that there are jobs in."`
}

type retriedAnswer struct {
	buildAnswer      `json:",inline"`
	RetriedJobsCount int64 `json:"retried_jobs_count" doc:"How many jobs are retried."`
}

// pipelineURL returns the address of a pipeline in this API.
func (a *API) pipelineURL(organization, slug string) string {
	return a.BaseURL + "/v2/organizations/" + organization + "/pipelines/" + slug
}

// buildURL returns the address of a build in this API.
func (a *API) buildURL(organization, pipeline string, number int64) string {
	return a.pipelineURL(organization, pipeline) + "/builds/" + strconv.FormatInt(number, 10)
}

// buildWebURL returns the address of a build in the web interface.
func (a *API) buildWebURL(organization, pipeline string, number int64) string {
	return a.BaseURL + domain.BuildPath(organization, pipeline, number)
}

// showBuild returns a build with its pipeline.
func (a *API) showBuild(v *domain.BuildView) buildAnswer {
	answer := a.showBuildAlone(v)
	answer.Pipeline = a.showBuiltPipeline(v.Pipeline)
	return answer
}

// showBuildAlone returns a build without its pipeline.
func (a *API) showBuildAlone(v *domain.BuildView) buildAnswer {
	answer := buildAnswer{
		ID:           v.ID,
		GraphQLID:    domain.GraphQLID("Build", v.ID),
		URL:          a.buildURL(v.OrganizationSlug, v.Pipeline.Slug, v.Number),
		WebURL:       a.buildWebURL(v.OrganizationSlug, v.Pipeline.Slug, v.Number),
		Number:       v.Number,
		State:        v.ShownState(),
		Blocked:      v.State == flow.BuildBlocked,
		CancelReason: v.CancelReason,
		Message:      v.Message,
		Commit:       v.Commit,
		Branch:       v.Branch,
		Tag:          nullIfEmpty(v.Tag),
		Env:          v.Env,
		Source:       v.Source,
		Creator:      a.showUser(v.Creator),
		CreatedAt:    endpoint.Timestamp(v.CreatedAt),
		ScheduledAt:  endpoint.NullTimestamp(v.ScheduledAt),
		StartedAt:    endpoint.NullTimestamp(v.StartedAt),
		FailingAt:    endpoint.NullTimestamp(v.FailingAt),
		FinishedAt:   endpoint.NullTimestamp(v.FinishedAt),
		MetaData:     v.MetaData,
	}
	if v.Author != (domain.Author{}) {
		answer.Author = &authorAnswer{v.Author.Name, v.Author.Email}
	}
	if e := v.Event; e != nil && e.MergeQueue != nil {
		answer.MergeQueue = &mergeQueueAnswer{e.MergeQueue.BaseBranch, e.MergeQueue.BaseCommit}
	}
	if p := v.PullRequest; p != nil {
		answer.PullRequest = &pullRequestAnswer{p.ID, p.Base, p.Repository}
	}
	if from := v.RebuiltFrom; from != nil {
		answer.RebuiltFrom = &buildLinkAnswer{from.ID, from.Number, a.buildURL(from.OrganizationSlug, from.PipelineSlug,
			from.Number)}
	}
	if from := v.TriggeredFrom; from != nil {
		answer.TriggeredFrom = &triggeredFromAnswer{from.ID, from.Number, from.PipelineSlug}
	}
	if v.JobCounts != nil {
		answer.JobCounts = &jobCountsAnswer{States: v.JobCounts}
		for _, n := range v.JobCounts {
			answer.JobCounts.Total += n
		}
	}
	if v.Jobs != nil {
		jobs := make([]jobAnswer, len(v.Jobs))
		for i, j := range v.Jobs {
			jobs[i] = a.showJob(j)
		}
		answer.Jobs = &jobs
	}
	return answer
}
