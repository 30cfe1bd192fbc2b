package graph

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type job = *domain.JobView

// jobTypes are the types of jobs by what lists are asked for.
var jobTypes = map[string]domain.JobType{"BLOCK": domain.BlockJob, "COMMAND": domain.CommandJob,
	"TRIGGER": domain.TriggerJob, "WAIT": domain.WaitJob}

// jobSearch reads by what jobs are chosen. Lists have not all of these arguments.
func jobSearch(args gql.Args) domain.JobSearch {
	search := domain.JobSearch{
		States:       listArg(args, "state", lowerEnum[flow.JobState]),
		Types:        listArg(args, "type", func(name string) domain.JobType { return jobTypes[name] }),
		AgentRules:   listArg(args, "agentQueryRules", sameEnum[string]),
		StepKeys:     listArg(args.Object("step"), "key", sameEnum[string]),
		Groups:       listArg(args.Object("concurrency"), "group", sameEnum[string]),
		Unclustered:  isGivenFalse(args, "clustered"),
		Passed:       optional[bool](args, "passed").Ptr(),
		CreatedFrom:  timeArg(args, "createdAtFrom"),
		CreatedTo:    timeArg(args, "createdAtTo"),
		FinishedFrom: timeArg(args, "finishedAt"),
	}
	search.Cluster, search.Queues = clusterArgs(args)
	switch priority := args["priority"].(type) {
	case int64:
		search.Priorities = []int64{priority}
	case gql.Args:
		if numbers, state := gql.Arg[[]any](priority, "number"); state == gql.Given {
			search.Priorities = []int64{}
			for _, number := range numbers {
				search.Priorities = append(search.Priorities, number.(int64))
			}
		}
	}
	return search
}

func isGivenFalse(args gql.Args, name string) bool {
	given, state := gql.Arg[bool](args, name)
	return state == gql.Given && !given
}

// clusterArgs reads the arguments cluster and clusterQueue, which are global ids or UUIDs. What is neither names
// nothing that exists.
func clusterArgs(args gql.Args) (cluster *domain.ClusterID, queues []domain.QueueID) {
	if selector, state := gql.Arg[string](args, "cluster"); state == gql.Given {
		id := parseSelector[domain.ClusterID]("Cluster", selector)
		cluster = &id
	}
	return cluster, listArg(args, "clusterQueue", func(selector string) domain.QueueID {
		return parseSelector[domain.QueueID]("ClusterQueue", selector)
	})
}

func bindJobs(b *gql.Builder, baseURL string) {
	gql.DeclareAbstract(b, "Job", func(j job) string { return string(j.Type()) })
	for typeName, stepType := range map[string]string{"JobTypeBlock": "StepInput", "JobTypeCommand": "StepCommand",
		"JobTypeTrigger": "StepTrigger", "JobTypeWait": "StepWait"} {
		bindJobType(b, typeName, stepType)
	}
	bindBool(b, "JobTypeBlock.isUnblockable", func(j job) bool { return j.State == flow.Blocked })
	bindNullableTime(b, "JobTypeBlock.unblockedAt", func(j job) *time.Time { return j.UnblockedAt })
	bindPart(b, "JobTypeBlock.unblockedBy", func(j job) *domain.User { return j.UnblockedBy })
	bindReference(b, "JobTypeTrigger.triggered", func(j job) domain.BuildID { return valueOrEmpty(j.TriggeredBuildID) },
		(*read.Snapshot).Builds)
	bindOfStep(b, "JobTypeTrigger.async", func(s *domain.StepView) bool { return s.Definition.Async }, gql.AppendBool)
	bindCommandJobs(b, baseURL)
	bindConnection[job](b, "Job")
	bindCountBound[job](b, "Job")
	bindConnectionField(b, "Organization.jobs", func(r *read.Snapshot, organizations []organization, args gql.Args) (
		[]*read.Connection[job], error) {
		return r.JobsOfOrganizations(organizations, jobSearch(args), orderArg(args, domain.RecentlyCreated),
			connectionPart(args))
	})
	bindConnectionField(b, "Pipeline.jobs", func(r *read.Snapshot, pipelines []pipeline, args gql.Args) (
		[]*read.Connection[job], error) {
		return r.JobsOfPipelines(pipelines, jobSearch(args), orderArg(args, domain.RecentlyCreated), connectionPart(args))
	})
	gql.BindEachObject(b, "Query.job", func(ctx context.Context, _ gql.Root, args gql.Args) (job, error) {
		return findByID(args.String("uuid"), readingOf(ctx).Jobs)
	})
	bindSteps(b)
	bindJobEvents(b)
}

// bindJobType binds what all types of jobs have.
func bindJobType(b *gql.Builder, typeName, stepType string) {
	gql.DeclareObject[job](b, typeName)
	bindIDs(b, typeName, func(j job) domain.JobID { return j.ID })
	bindNullableText(b, typeName+".label", func(j job) *string { return nullIfEmpty(j.Label) })
	bindText(b, typeName+".state", func(j job) string { return upperEnum(j.State) })
	bindBool(b, typeName+".retried", func(j job) bool { return j.RetriedByID != nil })
	bindInt(b, typeName+".retriesCount", func(j job) int64 { return j.RetriesCount })
	bindNullableText(b, typeName+".retryType", func(j job) *string {
		if j.RetryType == nil {
			return nil
		}
		name := upperEnum(*j.RetryType)
		return &name
	})
	bindReference(b, typeName+".retrySource",
		func(j job) domain.JobID { return valueOrEmpty(j.RetrySourceID) }, (*read.Snapshot).Jobs)
	bindReference(b, typeName+".build", func(j job) domain.BuildID { return j.BuildID }, (*read.Snapshot).Builds)
	gql.BindObject(b, typeName+".retriedBy", func(ctx context.Context, jobs []job, _ gql.Args) ([]*domain.User, error) {
		return readingOf(ctx).RetriersOf(jobs)
	})
	gql.BindObject(b, typeName+".step", func(ctx context.Context, jobs []job, _ gql.Args) ([]*domain.StepView, error) {
		return readingOf(ctx).StepsOfJobs(jobs)
	})
	gql.DeclareObject[*domain.StepView](b, stepType)
	bindText(b, stepType+".uuid", func(s *domain.StepView) domain.StepID { return s.ID })
	bindNullableText(b, stepType+".key", func(s *domain.StepView) *string { return s.Key })
	bindNullableText(b, stepType+".conditional", conditionOf)
	bindConnectionField(b, stepType+".dependencies", func(r *read.Snapshot, all []*domain.StepView, args gql.Args) (
		[]*read.Connection[*domain.DependencyView], error) {
		return r.DependenciesOf(all, connectionPart(args))
	})
}

// conditionOf returns the condition that a step was uploaded with; nil for none.
func conditionOf(s *domain.StepView) *string {
	var source struct {
		If string `json:"if"`
	}
	if json.Unmarshal([]byte(s.Source), &source) != nil {
		return nil // it is a text, such as wait
	}
	return nullIfEmpty(source.If)
}

func bindSteps(b *gql.Builder) {
	type dependency = *domain.DependencyView
	gql.DeclareObject[dependency](b, "Dependency")
	bindIDs(b, "Dependency", func(d dependency) string { return d.ID })
	bindNullableText(b, "Dependency.key", func(d dependency) *string { return d.Key })
	bindBool(b, "Dependency.allowFailure", func(d dependency) bool { return d.AllowFailure })
	bindConnection[dependency](b, "Dependency")
}

// bindOfStep binds a field of a job whose value its step has.
func bindOfStep[V any](b *gql.Builder, field string, get func(*domain.StepView) V, write func([]byte, V) []byte) {
	gql.BindColumn(b, field, func(ctx context.Context, jobs []job, _ gql.Args) ([]V, error) {
		found, err := readingOf(ctx).StepsOfJobs(jobs)
		values := make([]V, len(jobs))
		for i, s := range found {
			if s != nil {
				values[i] = get(s)
			}
		}
		return values, err
	}, write)
}

type (
	jobConcurrency struct {
		group string
		limit int64
	}
	jobPriority struct{ number int64 }
)

func bindCommandJobs(b *gql.Builder, baseURL string) {
	const command = "JobTypeCommand."
	gql.BindLeaf(b, command+"agentQueryRules", func(dst []byte, j job) []byte { return appendTexts(dst, j.AgentRules) })
	gql.BindColumn(b, command+"env", func(ctx context.Context, jobs []job, _ gql.Args) ([][]string, error) {
		return readingOf(ctx).EnvOfJobs(jobs)
	}, appendTexts)
	bindOfStep(b, command+"automaticArtifactUploadPaths", func(s *domain.StepView) *string {
		return nullIfEmpty(s.Definition.ArtifactPaths)
	}, appendNullable)
	bindNullableText(b, command+"brokenReason", func(j job) *string { return j.BrokenReason })
	bindText(b, command+"command", func(j job) string { return j.Command })
	bindNullableText(b, command+"exitStatus", func(j job) *string {
		if j.ExitStatus == nil {
			return nil
		}
		status := strconv.FormatInt(*j.ExitStatus, 10)
		return &status
	})
	bindNullableText(b, command+"matrix", matrixOf)
	bindNullableInt(b, command+"parallelGroupIndex", func(j job) *int64 { return ifParallel(j, &j.ParallelIndex) })
	bindNullableInt(b, command+"parallelGroupTotal", func(j job) *int64 { return ifParallel(j, &j.ParallelTotal) })
	bindBool(b, command+"passed", func(j job) bool { return j.ShownState() == "passed" })
	bindBool(b, command+"softFailed", func(j job) bool { return j.SoftFailed })
	bindNullableInt(b, command+"promisedExitStatus", func(j job) *int64 { return j.PromisedExitStatus })
	bindNullableText(b, command+"signal", func(j job) *string { return j.Signal })
	bindNullableText(b, command+"signalReason", func(j job) *string { return signalReason(j.SignalReason) })
	bindText(b, command+"url", func(j job) string {
		return buildURL(baseURL, j.OrganizationSlug, j.PipelineSlug, j.BuildNumber) + "#" + string(j.ID)
	})
	bindTime(b, command+"createdAt", func(j job) time.Time { return j.CreatedAt })
	for field, get := range map[string]func(job) *time.Time{
		"canceledAt":           func(j job) *time.Time { return j.CanceledAt },
		"expiredAt":            func(j job) *time.Time { return j.ExpiredAt },
		"finishedAt":           func(j job) *time.Time { return j.FinishedAt },
		"promisedExitStatusAt": func(j job) *time.Time { return j.PromisedAt },
		"runnableAt":           func(j job) *time.Time { return j.RunnableAt },
		"scheduledAt":          func(j job) *time.Time { return j.ScheduledAt },
		"startedAt":            func(j job) *time.Time { return j.StartedAt },
	} {
		bindNullableTime(b, command+field, get)
	}
	bindReference(b, command+"agent", func(j job) domain.AgentID {
		return valueOrEmpty(j.AgentID)
	}, (*read.Snapshot).Agents)
	bindReference(b, command+"cluster", func(j job) domain.ClusterID {
		return valueOrEmpty(j.ClusterID)
	}, (*read.Snapshot).Clusters)
	bindReference(b, command+"clusterQueue",
		func(j job) domain.QueueID { return valueOrEmpty(j.QueueID) }, (*read.Snapshot).Queues)
	bindReference(b, command+"pipeline", func(j job) domain.PipelineID { return j.PipelineID }, (*read.Snapshot).Pipelines)
	gql.DeclareObject[*jobConcurrency](b, "JobConcurrency")
	bindPart(b, command+"concurrency", func(j job) *jobConcurrency {
		if j.ConcurrencyGroup == nil {
			return nil
		}
		return &jobConcurrency{*j.ConcurrencyGroup, j.ConcurrencyLimit}
	})
	bindText(b, "JobConcurrency.group", func(c *jobConcurrency) string { return c.group })
	bindInt(b, "JobConcurrency.limit", func(c *jobConcurrency) int64 { return c.limit })
	gql.DeclareObject[*jobPriority](b, "JobPriority")
	bindPart(b, command+"priority", func(j job) *jobPriority { return &jobPriority{j.Priority} })
	bindInt(b, "JobPriority.number", func(p *jobPriority) int64 { return p.number })
	bindConnectionField(b, command+"events", func(r *read.Snapshot, jobs []job, args gql.Args) (
		[]*read.Connection[jobEvent], error) {
		return r.EventsOfJobs(jobs, connectionPart(args))
	})
	bindRetryRules(b)
}

func ifParallel(j job, n *int64) *int64 {
	if j.ParallelTotal == 0 {
		return nil
	}
	return n
}

// matrixOf returns which values of a matrix a job is for, in JSON: an object, or the value of a matrix that is a list.
func matrixOf(j job) *string {
	if len(j.Matrix) == 0 {
		return nil
	}
	shown := any(j.Matrix)
	if value, isList := j.Matrix[""]; isList {
		shown = value
	}
	text, err := json.Marshal(shown, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return nullIfEmpty(string(text))
}

// signalReasons are those that the schema has a name for.
var signalReasons = map[string]bool{"AGENT_INCOMPATIBLE": true, "AGENT_REFUSED": true, "AGENT_STOP": true,
	"CANCEL": true, "PROCESS_RUN_ERROR": true,
	"SIGNATURE_REJECTED": true, "STACK_ERROR": true}

// signalReason returns what the schema calls a reason; nil for one that it has no name for.
func signalReason(reason *string) *string {
	if reason == nil || !signalReasons[strings.ToUpper(*reason)] {
		return nil
	}
	name := strings.ToUpper(*reason)
	return &name
}

type (
	retryRules struct {
		automatic []*retryRule
		manual    bool
	}
	retryRule struct{ exitStatus, limit, signal, signalReason string }
)

// retryRulesOf returns when the jobs of a step are run again.
func retryRulesOf(s *domain.StepView) *retryRules {
	retry := s.Definition.Retry
	rules := &retryRules{manual: !retry.Manual.Forbidden, automatic: []*retryRule{}}
	for _, r := range retry.Automatic {
		var statuses []string
		for _, status := range r.ExitStatuses {
			statuses = append(statuses, strconv.Itoa(status))
		}
		if r.AnyFailure {
			statuses = append(statuses, "*")
		}
		rules.automatic = append(rules.automatic, &retryRule{wordsOrAny(statuses), strconv.Itoa(r.Limit),
			wordsOrAny(r.Signals), wordsOrAny(r.SignalReasons)})
	}
	return rules
}

func bindRetryRules(b *gql.Builder) {
	gql.DeclareObject[*retryRules](b, "JobRetryRules")
	gql.DeclareObject[*retryRule](b, "JobRetryRuleAutomatic")
	gql.BindObject(b, "JobTypeCommand.retryRules", func(ctx context.Context, jobs []job, _ gql.Args) ([]*retryRules,
		error) {
		found, err := readingOf(ctx).StepsOfJobs(jobs)
		all := make([]*retryRules, len(jobs))
		for i, s := range found {
			if s != nil {
				all[i] = retryRulesOf(s)
			}
		}
		return all, err
	})
	bindBool(b, "JobRetryRules.manual", func(r *retryRules) bool { return r.manual })
	gql.BindObjects(b, "JobRetryRules.automatic", func(_ context.Context, all []*retryRules, _ gql.Args) ([][]*retryRule,
		error) {
		lists := make([][]*retryRule, len(all))
		for i, r := range all {
			lists[i] = r.automatic
		}
		return lists, nil
	})
	bindText(b, "JobRetryRuleAutomatic.exitStatus", func(r *retryRule) string { return r.exitStatus })
	bindText(b, "JobRetryRuleAutomatic.limit", func(r *retryRule) string { return r.limit })
	bindText(b, "JobRetryRuleAutomatic.signal", func(r *retryRule) string { return r.signal })
	bindText(b, "JobRetryRuleAutomatic.signalReason", func(r *retryRule) string { return r.signalReason })
}

// wordsOrAny returns words with commas between; without words, all are meant.
func wordsOrAny(words []string) string {
	if len(words) == 0 {
		return "*"
	}
	return strings.Join(words, ",")
}

type jobEvent = *domain.JobEventView

// jobEventTypes are the types of those events that have more than others.
var jobEventTypes = map[flow.JobEvent]string{
	flow.EventAssigned: "JobEventAssigned", flow.EventCanceled: "JobEventCanceled", flow.EventFinished: "JobEventFinished",
	flow.EventRetried: "JobEventRetried", flow.EventTimedOut: "JobEventTimedOut",
	flow.EventStackErrored: "JobEventStackError", flow.EventStackNotification: "JobEventStackNotification",
}

func jobEventType(e jobEvent) string {
	if name, special := jobEventTypes[e.Type]; special {
		return name
	}
	return "JobEventGeneric"
}

// jobEventActor is who did something to a job.
type jobEventActor struct {
	kind string
	node nodeRef
}

// eventsOfAgents are what agents do to jobs.
var eventsOfAgents = map[flow.JobEvent]bool{flow.EventAccepted: true, flow.EventStarted: true, flow.EventFinished: true,
	flow.EventAgentDisconnected: true}

// eventsOfStacks are what stacks do to jobs.
var eventsOfStacks = map[flow.JobEvent]bool{flow.EventReserved: true, flow.EventStackErrored: true,
	flow.EventStackNotification: true}

func actorOf(e jobEvent) *jobEventActor {
	switch {
	case eventsOfStacks[e.Type]:
		return &jobEventActor{kind: "STACK"}
	case e.UserID != nil:
		return &jobEventActor{"USER", nodeRef{"User", string(*e.UserID)}}
	case e.Type == flow.EventAssigned:
		return &jobEventActor{kind: "DISPATCH"}
	case e.AgentID != nil && eventsOfAgents[e.Type]:
		return &jobEventActor{"AGENT", nodeRef{"Agent", string(*e.AgentID)}}
	}
	return &jobEventActor{kind: "SYSTEM"}
}

func bindJobEvents(b *gql.Builder) {
	gql.DeclareAbstract(b, "JobEvent", jobEventType)
	for _, typeName := range []string{"JobEventAssigned", "JobEventCanceled", "JobEventFinished", "JobEventGeneric",
		"JobEventRetried", "JobEventStackError",
		"JobEventStackNotification", "JobEventTimedOut"} {
		gql.DeclareObject[jobEvent](b, typeName)
		bindIDs(b, typeName, func(e jobEvent) string { return e.ID })
		bindText(b, typeName+".type", func(e jobEvent) flow.JobEvent { return e.Type })
		bindTime(b, typeName+".timestamp", func(e jobEvent) time.Time { return e.At })
		bindReference(b, typeName+".job", func(e jobEvent) domain.JobID { return e.JobID }, (*read.Snapshot).Jobs)
		bindPart(b, typeName+".actor", actorOf)
	}
	for _, typeName := range []string{"JobEventCanceled", "JobEventFinished", "JobEventTimedOut"} {
		bindInt(b, typeName+".exitStatus", func(e jobEvent) int64 {
			if e.ExitStatus == nil {
				return -1
			}
			return *e.ExitStatus
		})
		bindNullableText(b, typeName+".signal", func(e jobEvent) *string { return e.Signal })
		bindNullableText(b, typeName+".signalReason", func(e jobEvent) *string { return signalReason(e.SignalReason) })
	}
	bindReference(b, "JobEventAssigned.assignedAgent", func(e jobEvent) domain.AgentID {
		return valueOrEmpty(e.AgentID)
	}, (*read.Snapshot).Agents)
	bindReference(b, "JobEventRetried.retriedInJob", func(e jobEvent) domain.JobID {
		return valueOrEmpty(e.RetriedByID)
	}, (*read.Snapshot).Jobs)
	bindAbsentObject[jobEvent, *retryRule](b, "JobEventRetried.automaticRule")
	bindNullableText(b, "JobEventStackError.errorDetail", func(e jobEvent) *string { return e.JobDetail })
	bindNullableText(b, "JobEventStackNotification.message", func(e jobEvent) *string { return e.Detail })
	bindConnection[jobEvent](b, "JobEvent")

	gql.DeclareObject[*jobEventActor](b, "JobEventActor")
	gql.DeclareAbstract(b, "JobEventActorNodeUnion", typeNameOf)
	bindText(b, "JobEventActor.type", func(a *jobEventActor) string { return a.kind })
	bindNullableText(b, "JobEventActor.uuid", func(a *jobEventActor) *string { return nullIfEmpty(a.node.id) })
	gql.BindObject(b, "JobEventActor.node", func(ctx context.Context, actors []*jobEventActor, _ gql.Args) ([]any, error) {
		wanted := make([]nodeRef, len(actors))
		for i, a := range actors {
			wanted[i] = a.node
		}
		return findNodes(readingOf(ctx), wanted)
	})
}
