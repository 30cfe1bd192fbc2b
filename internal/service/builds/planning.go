package builds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// Reading a definition and planning its steps takes as long as those who wrote it like, within bounds, so that it is
// done before the transaction that stores the steps. That one finds whether what they were planned for is still true,
// and if it is not, all is done again.

const planningAttempts = 10

var (
	errPlanStale     = errors.New("what the steps were planned for has changed")
	errNumberTaken   = fmt.Errorf("%w: another build has the number", errPlanStale)
	errStillChanging = domain.NewError(domain.Unavailable,
		"The build or its pipeline is being changed too often. Please try again.")
)

var turnSeed = maphash.MakeSeed()

// planningTurns lets those take turns in this process whose plan was not true any more, so that each is right the next
// time.
type planningTurns [64]chan struct{}

func newPlanningTurns() (turns planningTurns) {
	for i := range turns {
		turns[i] = make(chan struct{}, 1)
	}
	return turns
}

// await returns when it is one's turn to plan for a build or a pipeline. The first attempt needs none.
func (t *planningTurns) await(ctx context.Context, attempt int, id string) (end func(), err error) {
	if attempt == 0 {
		return func() {}, nil
	}
	turn := t[maphash.String(turnSeed, id)%uint64(len(t))]
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newBuild is a build that is to be created.
type newBuild struct {
	domain.BuildInput
	source       domain.BuildSource
	creator      domain.UserID
	rebuiltFrom  *domain.BuildID
	triggerJob   *domain.JobID
	triggerDepth int64
	origin       *domain.BuildOrigin // nil: it is its own

	commitResolved bool // a checkout of the build that it repeats has reported the commit
}

// at returns the build as it is created, without its number.
func (n *newBuild) at(p domain.Pipeline, now time.Time) domain.Build {
	return domain.Build{
		ID: domain.NewIDAt[domain.BuildID](now), OrganizationID: p.OrganizationID, PipelineID: p.ID, ClusterID: p.ClusterID,
		Source: n.source, Message: n.Message, Commit: n.Commit, Branch: n.Branch, Tag: n.Tag, Env: n.Env, Author: n.Author,
		CleanCheckout: n.CleanCheckout, IgnoreBranches: n.IgnorePipelineBranchFilters, PullRequest: n.PullRequest,
		RebuiltFromID: n.rebuiltFrom, TriggeredFromID: n.triggerJob, TriggerDepth: n.triggerDepth, Origin: n.origin,
		CommitResolved: n.commitResolved, Event: n.Event, Publishing: p.PublishingOf(n.PullRequest != nil),
		CreatedAt: now, ScheduledAt: &now, State: flow.BuildScheduled, Fate: flow.Fate{Created: true},
	}
}

// plannedBuild is a new build with the steps that its pipeline's configuration has for it.
type plannedBuild struct {
	newBuild
	pipeline domain.Pipeline
	build    domain.Build
	sight    sight

	hasNumber bool // nobody else gets it
	plan      *flow.Plan
	refusal   error // why there can't be such a build; nil: it was planned
}

// readForPlan reads what a new build is planned for. It is nothing but a refusal if the pipeline does not take the
// build.
func readForPlan(tx store.Tx, pipeline domain.Pipeline, n newBuild) (p *plannedBuild, err error) {
	p = &plannedBuild{newBuild: n, pipeline: pipeline, refusal: refuseBuild(pipeline, &n)}
	if p.refusal != nil {
		return p, nil //nolint:nilerr // a refusal is part of the plan
	}
	now, err := tx.Now()
	if err != nil {
		return nil, err
	}
	p.build = n.at(pipeline, now.Truncate(time.Millisecond))
	p.build.Number = pipeline.NextBuildNumber
	if p.sight.context, err = tx.NewBuildContext(p.build, n.creator); err != nil {
		return nil, err
	}
	_, p.sight.context.HasResolvedCommit = n.MetaData[commitKey]
	p.sight.teams, err = teamsOfCreator(tx, p.sight.context)
	return p, err
}

// refuseBuild returns why a pipeline does not take a build, whatever its configuration is.
func refuseBuild(p domain.Pipeline, n *newBuild) error {
	switch {
	case n.rebuiltFrom != nil && !p.AllowRebuilds:
		return domain.InvalidError("Rebuilds are disabled for this pipeline")
	case p.ArchivedAt != nil:
		return domain.InvalidError(archivedPipeline)
	}
	filter := text(p.BranchConfiguration)
	isUnfiltered := filter == "" || n.PullRequest != nil || n.IgnorePipelineBranchFilters
	if isUnfiltered || steps.MatchBranches(strings.Fields(filter), n.Branch) {
		return nil
	}
	return domain.Faults{{Field: "branch", Reason: branchNotBuilt}}.Err()
}

// planSteps plans the steps of the pipeline's configuration.
func (s *Service) planSteps(ctx context.Context, p *plannedBuild) error {
	if p.refusal != nil {
		return nil //nolint:nilerr // a refusal is part of the plan
	}
	err := s.core.Processors.Use(ctx, p.pipeline.OrganizationID, func() error {
		return p.tryPlanSteps(steps.NewWork(ctx))
	})
	if isFault(err) {
		p.refusal, err = domain.InvalidError(err.Error()), nil
	}
	return err
}

func (p *plannedBuild) tryPlanSteps(work *steps.Work) error {
	env := steps.Environment{}
	variables := buildVariables("", p.build, p.sight.context)
	for _, name := range editorVariables {
		env["BUILDKITE_"+name] = variables["BUILDKITE_"+name]
	}
	document, err := steps.FromYAML(cmp.Or(p.pipeline.Configuration, defaultConfiguration), env)
	if err != nil {
		return err
	}
	parsed, err := work.Parse(document)
	if err != nil {
		return err
	}
	if len(parsed.Env) > 0 {
		p.build.UploadEnv = parsed.Env
	}
	p.build.Notifications, _ = addNotifications(nil, parsed)
	p.plan, err = flow.PlanUpload(flow.UploadInput{
		Pipeline: parsed, Branch: p.build.Branch, NewID: newIDs(p.build.CreatedAt),
		Variables: p.sight.variables(&p.build), Work: work,
	})
	return err
}

// addNotifications returns whom a build notifies, with what an upload adds.
func addNotifications(before *domain.Notifications, parsed *steps.Pipeline) (*domain.Notifications, error) {
	if len(parsed.Notify) == 0 && !hasNotify(parsed.Steps) {
		return before, nil
	}
	var now domain.Notifications
	if before != nil {
		now = *before
	}
	now.Build = slices.Concat(now.Build, parsed.Notify)
	now.Steps = now.Steps || hasNotify(parsed.Steps)
	if len(now.Build) > steps.MaxNotifications {
		return before, steps.Fault(fmt.Sprintf("`notify` is invalid: all uploads of the build have more than %d entries",
			steps.MaxNotifications))
	}
	return &now, nil
}

func hasNotify(all []steps.Step) bool {
	return slices.ContainsFunc(all, func(s steps.Step) bool { return len(s.Notify) > 0 || hasNotify(s.Steps) })
}

// newIDs returns what makes ids of things that are made at a time.
func newIDs(at time.Time) func() string { return func() string { return domain.NewIDAt[string](at) } }

// withPlan creates a build: read finds what it is planned for, and create stores it as it was planned, or fails with
// errPlanStale.
func (s *Service) withPlan(ctx context.Context, read func() (*plannedBuild, error),
	create func(*plannedBuild) error) error {
	var last planning
	for attempt := range planningAttempts {
		end, err := s.turns.await(ctx, attempt, string(last.pipeline))
		if err != nil {
			return err
		}
		err = s.tryPlan(ctx, &last, read, create)
		end()
		if !errors.Is(err, errPlanStale) {
			return err
		}
	}
	return errStillChanging
}

// planning is what is known of a build after an attempt to create it.
type planning struct {
	pipeline domain.PipelineID
	number   int64 // that nobody else gets; 0: none
}

func (s *Service) tryPlan(ctx context.Context, last *planning, read func() (*plannedBuild, error),
	create func(*plannedBuild) error) error {
	p, err := read()
	if err != nil {
		return err
	}
	last.pipeline = p.pipeline.ID
	if last.number > 0 {
		p.build.Number, p.hasNumber = last.number, true
	}
	if err := s.planSteps(ctx, p); err != nil {
		return err
	}
	err = create(p)
	if errors.Is(err, errNumberTaken) { // on which the steps depend
		if err := s.assignNumber(ctx, last); err != nil {
			return err
		}
	}
	return err
}

// assignNumber takes a number for the next attempt.
func (s *Service) assignNumber(ctx context.Context, last *planning) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) (err error) {
		if err := tx.LockPipeline(last.pipeline); err != nil {
			return err
		}
		last.number, err = tx.NextBuildNumber(last.pipeline)
		return err
	})
}

// createBuild stores a planned build of a pipeline that is locked. It returns errPlanStale if it was planned for
// something else.
func (s *Service) createBuild(tx store.Tx, e *core.Effects, locked domain.Pipeline, p *plannedBuild) (
	domain.Build, error) {
	locked.NextBuildNumber = p.pipeline.NextBuildNumber // which every build changes
	if !reflect.DeepEqual(locked, p.pipeline) {
		return domain.Build{}, errPlanStale
	}
	if p.refusal != nil {
		return domain.Build{}, p.refusal
	}
	now, err := tx.Now()
	if err != nil {
		return domain.Build{}, err
	}
	now = now.Truncate(time.Millisecond)
	b := p.build
	b.CreatedAt, b.ScheduledAt = now, &now
	if !p.hasNumber {
		if b.Number, err = tx.NextBuildNumber(b.PipelineID); err != nil {
			return b, err
		}
	}
	if b.Number != p.build.Number && !p.sight.isSame(p.plan, &b) {
		return b, errNumberTaken
	}
	if err := tx.InsertBuild(b, p.creator); err != nil {
		return b, err
	}
	e.Pipelines[b.PipelineID] = b.OrganizationID
	if err := tx.SetMetaData(b.ID, p.MetaData); err != nil {
		return b, err
	}
	c := changeOf(tx, b, now, p.creator, e)
	c.isNew = true
	if err := c.addPlan(p.plan, nil); err != nil {
		return b, err
	}
	if locked.SkipQueuedBranchBuilds || locked.CancelRunningBranchBuilds {
		c.addTask(store.Task{Kind: store.TaskSupersede, Build: b.ID})
	}
	err = c.save()
	return c.build, err
}

// defaultConfiguration is that of a pipeline that has none: its repository has the steps.
const defaultConfiguration = `steps: [{label: ":pipeline: Upload", command: "buildkite-agent pipeline upload"}]`

// editorVariables are what a pipeline's configuration can name.
var editorVariables = []string{
	"BRANCH", "TAG", "MESSAGE", "COMMIT", "SOURCE", "REPO", "ORGANIZATION_SLUG",
	"PIPELINE_SLUG", "PIPELINE_NAME", "PIPELINE_ID", "PIPELINE_DEFAULT_BRANCH", "TRIGGERED_FROM_BUILD_PIPELINE_SLUG",
	"PULL_REQUEST", "PULL_REQUEST_BASE_BRANCH", "PULL_REQUEST_REPO",
}

// sight is what conditions of a build's steps see besides the build.
type sight struct {
	context store.JobContext
	teams   []string // of the build's creator
}

// readSight reads what conditions of a build's steps see besides the build.
func readSight(tx store.Tx, build domain.BuildID) (s sight, err error) {
	if s.context, err = tx.JobContext(build); err != nil {
		return s, err
	}
	s.teams, err = teamsOfCreator(tx, s.context)
	return s, err
}

// readVariables returns what conditions see of a build.
func readVariables(tx store.Tx, b *domain.Build) (steps.Variables, error) {
	sight, err := readSight(tx, b.ID)
	return sight.variables(b), err
}

// VariablesOf returns what conditions see of a build. Operators only.
func (s *Service) VariablesOf(ctx context.Context, actor authz.Actor, build domain.BuildID) (
	v steps.Variables, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return v, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		b, found, err := tx.Build(build)
		if err != nil {
			return err
		}
		if !found {
			return domain.Missing("build")
		}
		v, err = readVariables(tx, &b)
		return err
	})
	return v, err
}

// teamsOfCreator returns the visible teams that the creator of a build is in.
func teamsOfCreator(tx store.Tx, x store.JobContext) ([]string, error) {
	if x.Creator.ID == "" {
		return []string{}, nil
	}
	return tx.VisibleTeamsOfUser(x.OrganizationID, x.Creator.ID)
}

// isSame reports whether what the conditions of a plan have asked for is as it was then.
func (s *sight) isSame(p *flow.Plan, b *domain.Build) bool {
	if len(p.SeenVariables) == 0 {
		return true
	}
	now := s.variables(b)
	for name, seen := range p.SeenVariables {
		if !steps.SameValue(now.Find(name), seen) {
			return false
		}
	}
	return true
}

// variables returns what conditions of steps see.
func (s *sight) variables(b *domain.Build) steps.Variables {
	x := &s.context
	values := map[string]any{
		"build.author.name":       orNil(b.Author.Name),
		"build.author.email":      orNil(b.Author.Email),
		"build.author.id":         nil,
		"build.author.teams":      []string{},
		"build.branch":            b.Branch,
		"build.commit":            b.Commit,
		"build.id":                string(b.ID),
		"build.message":           orNil(b.Message),
		"build.number":            int(b.Number),
		"build.source":            string(b.Source),
		"build.state":             string(flow.StateOf(b.Fate, b.Counts)),
		"build.tag":               orNil(b.Tag),
		"build.creator.id":        orNil(string(x.Creator.ID)),
		"build.creator.name":      orNil(x.Creator.Name),
		"build.creator.email":     orNil(x.Creator.Email),
		"build.creator.teams":     s.teams,
		"pipeline.id":             string(x.PipelineID),
		"pipeline.slug":           x.PipelineSlug,
		"pipeline.default_branch": orNil(x.DefaultBranch),
		"pipeline.repository":     x.Repository,
		"organization.id":         string(x.OrganizationID),
		"organization.slug":       x.OrganizationSlug,
	}
	if e := b.Event; e != nil {
		values["build.source_event"], values["build.source_action"] = orNil(e.Name), orNil(e.Action)
		if e.MergeQueue != nil {
			values["build.merge_queue.base_branch"] = e.MergeQueue.BaseBranch
			values["build.merge_queue.base_commit"] = e.MergeQueue.BaseCommit
		}
	}
	if p := b.PullRequest; p != nil {
		values["build.pull_request.id"] = p.ID
		values["build.pull_request.base_branch"] = orNil(p.Base)
		values["build.pull_request.repository"] = orNil(p.Repository)
		values["build.pull_request.repository.fork"] = p.Repository != "" && p.Repository != x.Repository
		values["build.pull_request.draft"] = p.Draft
		values["build.pull_request.labels"] = p.Labels
		values["build.pull_request.label"] = nil
	}
	env := map[string]string{}
	for _, layer := range []map[string]string{x.PipelineEnv, b.Env, b.UploadEnv} {
		maps.Copy(env, layer)
	}
	maps.Copy(env, buildVariables("", *b, *x))
	return steps.Variables{Values: values, Env: env}
}

// orNil is nil for an empty text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
