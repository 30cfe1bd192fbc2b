package builds

import (
	"cmp"
	"context"
	"errors"
	"maps"
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

// Upload is a definition that a job adds to its build.
type Upload struct {
	ID       string // that the agent chose; the same again is the same upload
	Document []byte
	Replace  bool // jobs that have not started make room for it
}

// UploadPipeline adds steps to the build of a running job. The same upload again has the same outcome.
//
// Returns Invalid, with a message for the author of the definition, if the build cannot take it.
func (s *Service) UploadPipeline(ctx context.Context, actor authz.Actor, jobID string,
	u Upload) (made domain.StepUpload, err error) {
	if err := core.RequireCredential(actor, authz.JobToken); err != nil {
		return made, err
	}
	id := core.LookupID[domain.UploadID](u.ID)
	if id == "" {
		return made, domain.InvalidError("`uuid` is invalid: it must be a UUID")
	}
	var parsed *steps.Pipeline
	fault := s.core.Processors.Use(ctx, jobID, func() (err error) {
		parsed, err = steps.NewWork(ctx).Parse(u.Document)
		return err
	})
	if fault != nil && !isFault(fault) {
		return made, fault
	}
	p := &uploadPlan{parsed: parsed, fault: fault}
	for attempt := range planningAttempts {
		made, err = s.tryUpload(ctx, attempt, actor, jobID, id, u, p)
		if !errors.Is(err, errPlanStale) {
			return made, err
		}
	}
	return made, errStillChanging
}

// uploadPlan is an upload with the steps that were planned for it, and what they were planned for.
type uploadPlan struct {
	parsed *steps.Pipeline
	fault  error      // why the upload is refused; nil: it is not
	plan   *flow.Plan // nil: there is none, since the build did not take uploads

	build    domain.Build
	place    flow.Uploader
	sight    sight
	replaced map[domain.StepID]bool // of which nothing is left
}

// tryUpload plans an upload and stores it, if what it was planned for is still true.
func (s *Service) tryUpload(ctx context.Context, attempt int, actor authz.Actor, jobID string, id domain.UploadID,
	u Upload, p *uploadPlan) (made domain.StepUpload, err error) {
	end, err := s.turns.await(ctx, attempt, string(p.build.ID))
	if err != nil {
		return made, err
	}
	defer end()
	if p.fault == nil {
		if err := s.planUpload(ctx, actor, jobID, id, u.Replace, p); err != nil {
			return made, err
		}
	}
	var refused error
	err = s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		made, refused, err = s.storeUpload(tx, e, actor, jobID, id, u, p)
		return err
	})
	if err == nil {
		err = refused
	}
	return made, err
}

// storeUpload stores what comes of an upload, and why it was refused.
func (s *Service) storeUpload(tx store.Tx, e *core.Effects, actor authz.Actor, jobID string, id domain.UploadID,
	u Upload,
	p *uploadPlan) (made domain.StepUpload, refused, err error) {
	job, err := core.RequireLiveJob(tx, actor, jobID)
	if err != nil {
		return made, nil, err
	}
	c, err := openBuild(tx, job.BuildID, "", e)
	if err != nil {
		return made, nil, err
	}
	known, found, err := tx.StepUpload(id)
	switch {
	case err != nil:
		return made, nil, err
	case found && known.JobID != job.ID:
		return made, nil, core.ErrOtherJob
	case found:
		return known, refusalOf(known), nil
	}
	made = domain.StepUpload{ID: id, BuildID: job.BuildID, JobID: job.ID, CreatedAt: c.now, Replaces: u.Replace,
		Document: string(u.Document)}
	count, size, err := tx.UploadStats(job.BuildID)
	if err != nil {
		return made, nil, err
	}
	why := p.fault
	if why == nil && size+int64(len(u.Document)) > domain.MaxUploadsSize {
		why = errUploadsTooLarge
	}
	if why == nil {
		why = c.applyUpload(job.ID, p, u.Replace)
	}
	if why != nil && !isFault(why) {
		return made, nil, why
	}
	if why != nil { // nothing of it is stored but that it was refused
		made.Message, refused = why.Error(), domain.InvalidError(why.Error())
		if count >= domain.MaxKeptUploads {
			return made, refused, nil
		}
		made.Shorten()
		return made, refused, tx.InsertStepUpload(made)
	}
	made.Applied = true
	for _, s := range c.steps {
		if s.isNew {
			s.now.UploadID = &id
		}
	}
	if err := c.save(); err != nil {
		return made, nil, err
	}
	return made, nil, tx.InsertStepUpload(made)
}

func isFault(err error) bool {
	_, is := errors.AsType[steps.Fault](err)
	return is
}

func refusalOf(u domain.StepUpload) error {
	if u.Applied {
		return nil
	}
	return domain.InvalidError(u.Message)
}

// StepUploadOf returns what came of an upload of the caller's job.
func (s *Service) StepUploadOf(ctx context.Context, actor authz.Actor, jobID,
	id string) (u domain.StepUpload, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		job, err := core.RequireLiveJob(tx, actor, jobID)
		if err != nil {
			return err
		}
		var found bool
		if u, found, err = tx.StepUpload(core.LookupID[domain.UploadID](id)); err == nil && (!found || u.JobID != job.ID) {
			err = domain.Missing("upload")
		}
		return err
	})
	return u, err
}

// errUploadsTooLarge is the fault of an upload for which a build has no room.
const errUploadsTooLarge = steps.Fault("`steps` is invalid: all uploads of the build would have more than 64 MiB")

// errBuildOver is the fault of an upload to a build that does not run.
const errBuildOver = steps.Fault("You can only change the pipeline of a running build")

// acceptsUploads reports whether a job can add steps to its build.
func acceptsUploads(b *domain.Build, uploader flow.JobState) bool {
	return uploader == flow.Running && !b.Fate.Canceled && !b.State.HasEnded()
}

// planUpload reads what an upload depends on and plans its steps.
func (s *Service) planUpload(ctx context.Context, actor authz.Actor, jobID string, id domain.UploadID, replace bool,
	p *uploadPlan) error {
	in := flow.UploadInput{Pipeline: p.parsed, Uploader: &p.place, Keys: map[string]string{}, Work: steps.NewWork(ctx)}
	p.plan = nil
	isWanted := false
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		job, err := core.RequireLiveJob(tx, actor, jobID)
		if err != nil {
			return err
		}
		if _, known, err := tx.StepUpload(id); err != nil || known {
			return err
		}
		if p.build, _, err = tx.Build(job.BuildID); err != nil || !acceptsUploads(&p.build, job.State) {
			return err
		}
		isWanted = true
		return p.read(tx, job, replace, &in)
	})
	if err != nil || !isWanted {
		return err
	}
	in.Jobs, in.Uploads, in.Branch = int(p.build.JobsMade), int(p.build.Uploads), p.build.Branch
	in.Variables = p.sight.variables(&p.build)
	err = s.core.Processors.Use(ctx, p.build.OrganizationID, func() (err error) {
		p.plan, err = flow.PlanUpload(in)
		return err
	})
	if isFault(err) {
		p.fault, err = err, nil
	}
	return err
}

// read reads what the upload of a job is planned for.
func (p *uploadPlan) read(tx store.Tx, job domain.Job, replace bool, in *flow.UploadInput) (err error) {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	in.NewID = newIDs(now.Truncate(time.Millisecond))
	if p.place, err = placeOf(tx, job.StepID); err != nil {
		return err
	}
	if p.sight, err = readSight(tx, p.build.ID); err != nil {
		return err
	}
	var all []domain.Step
	if replace || flow.NeedsBuild(p.parsed) {
		if all, err = tx.StepsOf(p.build.ID); err != nil {
			return err
		}
	}
	if replace {
		states, err := tx.JobStatesOf(p.build.ID)
		if err != nil {
			return err
		}
		p.replaced = findReplaced(all, states)
	}
	keys, err := tx.StepKeys(p.build.ID)
	if err != nil {
		return err
	}
	in.Keys = p.freeKeys(keys)
	return readForCycles(tx, p.build.ID, all, in)
}

// placeOf returns the place of a job that uploads, by its step.
func placeOf(tx store.Tx, id domain.StepID) (place flow.Uploader, err error) {
	step, _, err := tx.Step(id)
	if err != nil {
		return place, err
	}
	place = flow.Uploader{Step: string(step.ID), Position: step.Position}
	if step.GroupID == nil {
		return place, nil
	}
	group, _, err := tx.Step(*step.GroupID)
	place.Group = &flow.UploaderGroup{ID: string(group.ID), Key: text(group.Key), Label: group.Label}
	return place, err
}

// freeKeys returns the steps that keep their keys, by these.
func (p *uploadPlan) freeKeys(keys []store.StepKey) map[string]string {
	kept := make(map[string]string, len(keys))
	for _, key := range keys {
		if !p.replaced[key.ID] {
			kept[key.Key] = string(key.ID)
		}
	}
	return kept
}

// readForCycles loads for a plan the steps of the build and the dependencies that are open, if it needs them.
func readForCycles(tx store.Tx, build domain.BuildID, all []domain.Step, in *flow.UploadInput) error {
	if !flow.NeedsBuild(in.Pipeline) {
		return nil
	}
	for i := range all {
		in.Steps = append(in.Steps, &all[i].Counters)
	}
	dependencies, err := tx.DependenciesOf(build)
	for _, d := range dependencies {
		if d.Edge.State == flow.EdgeOpen || d.Edge.State == flow.EdgeHeld {
			edge := flow.PlannedEdge{Edge: d.Edge}
			if d.Edge.On == "" {
				edge.OnKey = text(d.OnKey)
			}
			in.OpenEdges = append(in.OpenEdges, edge)
		}
	}
	return err
}

// applyUpload adds the planned steps of an upload to the build. A steps.Fault says why it cannot, and errPlanStale that
// they were planned for something else.
func (c *change) applyUpload(uploader domain.JobID, p *uploadPlan, replace bool) error {
	j, err := c.job(uploader)
	if err != nil {
		return err
	}
	if !acceptsUploads(&c.build, j.now.State) {
		return errBuildOver
	}
	if fits, err := c.fitsPlan(p); err != nil || !fits {
		return cmp.Or(err, errPlanStale)
	}
	if err := p.plan.CheckLimits(int(c.build.JobsMade), int(c.build.Uploads), true); err != nil {
		return err
	}
	if replace {
		if err := c.removeUnstarted(j, p.replaced); err != nil {
			return err
		}
	}
	p.plan.MoveTo(p.place.Position, int(c.build.Uploads))
	if err := c.addPlan(p.plan, j); err != nil {
		return err
	}
	c.build.Uploads++
	if len(p.parsed.Env) > 0 {
		merged := maps.Clone(c.build.UploadEnv)
		if merged == nil {
			merged = map[string]string{}
		}
		maps.Copy(merged, p.parsed.Env)
		c.build.UploadEnv = merged
	}
	if c.build.Notifications, err = addNotifications(c.build.Notifications, p.parsed); err != nil {
		return err
	}
	return c.err
}

// fitsPlan reports whether what an upload was planned for is still true of the build, apart from its limits and from
// what the upload replaces.
func (c *change) fitsPlan(p *uploadPlan) (bool, error) {
	if p.plan == nil || !p.sight.isSame(p.plan, &c.build) {
		return false, nil
	}
	// Only uploads add steps and dependencies, and name groups.
	if c.build.Uploads != p.build.Uploads && (p.place.Group != nil || flow.NeedsBuild(p.parsed)) {
		return false, nil
	}
	if c.build.Uploads == p.build.Uploads || len(p.plan.SeenKeys) == 0 {
		return true, nil
	}
	keys, err := c.tx.StepKeys(c.build.ID)
	if err != nil {
		return false, err
	}
	kept := p.freeKeys(keys)
	for key, seen := range p.plan.SeenKeys {
		if kept[key] != seen {
			return false, nil
		}
	}
	return true, nil
}

// addPlan adds planned steps with their jobs and dependencies.
func (c *change) addPlan(plan *flow.Plan, uploader *jobChange) error {
	found, err := c.findForJobs(plan)
	if err != nil {
		return err
	}
	queuedAt := c.build.CreatedAt
	if uploader != nil {
		queuedAt = uploader.now.QueuedAt
	}
	index := int64(0)
	for i := range plan.Steps {
		p := &plan.Steps[i]
		row := domain.Step{ID: domain.StepID(p.ID), BuildID: c.build.ID, ParentID: optionalID[domain.StepID](p.Parent),
			GroupID: optionalID[domain.StepID](p.GroupID),
			Kind:    p.Kind, Key: optional(p.Key), Label: p.Label, Notify: cmp.Or(string(p.Definition.Notify), "[]"),
			Position: p.Position, Source: string(p.Definition.Source), Definition: p.Definition}
		row.Definition.Source, row.Definition.If, row.Definition.Steps = nil, nil, nil
		row.Counters = flow.Step{ID: p.ID, Parent: p.Parent, Kind: p.Kind}
		c.steps[p.ID] = &stepChange{before: row, now: row, isNew: true}
		c.edgesOn[p.ID] = []*flow.Edge{}
		c.jobsOf[p.ID] = []*flow.Job{}
		for k := range p.Jobs {
			job := c.newJob(p, &p.Jobs[k], found)
			job.QueuedAt, job.ScheduledAt, job.UploadIndex = queuedAt, &queuedAt, index
			index++
			kept := c.addJob(job, true)
			c.jobsOf[p.ID] = append(c.jobsOf[p.ID], &kept.node)
		}
		c.build.JobsMade += int64(len(p.Jobs))
	}
	if plan.GroupKey != "" && uploader != nil {
		if step := c.stepRow(uploader.now.StepID); step.GroupID != nil {
			group := c.stepRow(*step.GroupID)
			group.Key = &plan.GroupKey
			c.fail(c.tx.SetStepKey(group.ID, plan.GroupKey))
		}
	}
	edges := make([][]*flow.Edge, len(plan.Steps))
	for i := range plan.Steps {
		for _, planned := range plan.Steps[i].Edges {
			kept := c.addEdge(domain.StepDependency{ID: domain.NewIDAt[string](c.now), BuildID: c.build.ID,
				OnKey: optional(planned.OnKey), Edge: planned.Edge}, true)
			edges[i] = append(edges[i], kept)
			if kept.On != "" {
				c.EdgesOn(kept.On)
				c.edgesOn[kept.On] = append(c.edgesOn[kept.On], kept)
			}
		}
	}
	for i := range plan.Steps {
		id := plan.Steps[i].ID
		c.machine.Add(&c.steps[id].now.Counters, c.jobsOf[id], edges[i])
	}
	c.resolveKeys(plan.Keys)
	c.propagate()
	return c.err
}

// resolveKeys connects dependencies on a key to the new step that has it.
func (c *change) resolveKeys(keys map[string]string) {
	if len(keys) == 0 {
		return
	}
	for _, e := range c.EdgesOnNothing() {
		if step, ok := keys[text(c.edges[e].now.OnKey)]; ok {
			c.edgesOn[step] = append(c.EdgesOn(step), e)
			c.machine.Join(e, c.Step(step))
		}
	}
}

func optionalID[T ~string](id string) *T {
	if id == "" {
		return nil
	}
	typed := T(id)
	return &typed
}

// foundForJobs is what new jobs need of what they are not.
type foundForJobs struct {
	limits store.TimeoutLimits
	queues map[string]domain.QueueID // by their keys; "" is that of the default queue
	groups map[string]domain.ConcurrencyGroupID
}

// findForJobs finds the queues that the jobs of a plan are for, and their concurrency groups.
func (c *change) findForJobs(plan *flow.Plan) (found foundForJobs, err error) {
	var queues, groups []string
	for i := range plan.Steps {
		for k := range plan.Steps[i].Jobs {
			if d := &plan.Steps[i].Jobs[k].Definition; plan.Steps[i].Kind == steps.Command {
				queue, _ := splitRules(d.Agents)
				queues = append(queues, text(queue))
				if d.ConcurrencyGroup != "" {
					groups = append(groups, d.ConcurrencyGroup)
				}
			}
		}
	}
	if found.limits, err = c.tx.TimeoutLimits(c.build.PipelineID); err != nil {
		return found, err
	}
	if c.build.ClusterID != nil {
		if found.queues, err = c.tx.QueuesOf(*c.build.ClusterID, queues); err != nil {
			return found, err
		}
	}
	found.groups, err = c.tx.EnsureConcurrencyGroups(c.build.OrganizationID, groups)
	return found, err
}

// newJob returns a job as it is stored.
func (c *change) newJob(p *flow.PlannedStep, planned *flow.PlannedJob, found foundForJobs) domain.Job {
	d := &planned.Definition
	j := domain.Job{
		ID: domain.JobID(planned.ID), OrganizationID: c.build.OrganizationID, PipelineID: c.build.PipelineID,
		BuildID: c.build.ID, StepID: domain.StepID(p.ID),
		ClusterID: c.build.ClusterID, Kind: p.Kind, Command: d.Command, AgentRules: d.Agents, Position: p.Position,
		Matrix:   planned.Matrix,
		SoftFail: planned.SoftFail, ParallelIndex: int64(planned.ParallelIndex), ParallelTotal: int64(planned.ParallelTotal),
		CreatedAt: c.now,
		State:     planned.State, BrokenReason: optional(planned.BrokenReason),
	}
	j.SetLabel(d.Label)
	if j.State == flow.Broken {
		j.Outcome, j.FinishedAt = flow.Neutral, &c.now
	}
	if d.Priority != nil {
		j.Priority = int64(*d.Priority)
	}
	if p.Kind != steps.Command {
		return j
	}
	j.Timeout = found.limits.Of(int64(d.TimeoutInMinutes))
	j.QueueKey, j.RulesKey = splitRules(j.AgentRules)
	j.QueueID = optionalID[domain.QueueID](string(found.queues[text(j.QueueKey)]))
	if d.ConcurrencyGroup != "" {
		group := found.groups[d.ConcurrencyGroup]
		j.ConcurrencyGroupID, j.ConcurrencyLimit, j.ConcurrencyMethod = &group, int64(d.Concurrency), d.ConcurrencyMethod
	}
	return j
}

// splitRules returns the key of the queue that an agent's rules name, and what the others are known by; "" if there are
// none.
func splitRules(rules []string) (queue *string, others string) {
	var rest []string
	for _, rule := range rules {
		if key, isQueue := strings.CutPrefix(rule, "queue="); isQueue {
			queue = &key
		} else {
			rest = append(rest, rule)
		}
	}
	if len(rest) == 0 {
		return queue, ""
	}
	slices.Sort(rest)
	return queue, domain.HashToken(strings.Join(rest, "\n"))
}

// isReplaceable reports whether a job makes room for an upload that replaces what has not started.
func isReplaceable(state flow.JobState) bool {
	return !state.HasStarted() && !state.HasEnded() && state != flow.Accepted && state != flow.Assigned
}

// removeUnstarted removes the jobs that have not started, for a definition that replaces them. It returns
// errPlanStale if others than the expected steps have nothing left.
func (c *change) removeUnstarted(uploader *jobChange, expected map[domain.StepID]bool) error {
	open, err := c.loadAll()
	if err != nil {
		return err
	}
	if !maps.Equal(c.findReplaced(), expected) {
		return errPlanStale
	}
	for _, j := range open {
		if j != uploader && isReplaceable(j.node.State) {
			c.move(j, flow.Skipped, flow.Neutral, "")
			j.now.BrokenReason = optional(domain.ReplacedReason)
		}
	}
	c.propagate()
	c.fail(c.tx.ClearStepKeys(sortedKeys(expected)))
	return c.err
}

// findReplaced is the function of that name for the build, which is loaded.
func (c *change) findReplaced() map[domain.StepID]bool {
	all := make([]domain.Step, 0, len(c.steps))
	states := map[domain.StepID][]flow.JobState{}
	for id, s := range c.steps {
		all = append(all, s.now)
		for _, j := range c.jobsOf[id] {
			states[s.now.ID] = append(states[s.now.ID], j.State)
		}
	}
	return findReplaced(all, states)
}

// findReplaced returns the steps of which nothing is left once jobs have made room for an upload, and the groups: their
// keys are free.
func findReplaced(all []domain.Step, states map[domain.StepID][]flow.JobState) map[domain.StepID]bool {
	replaced, isKept := map[domain.StepID]bool{}, map[domain.StepID]bool{}
	isLeft := func(state flow.JobState) bool { return state != flow.Skipped && !isReplaceable(state) }
	for id, of := range states {
		if slices.ContainsFunc(of, isReplaceable) && !slices.ContainsFunc(of, isLeft) {
			replaced[id] = true
		}
	}
	for _, s := range all {
		if s.GroupID != nil && !replaced[s.ID] {
			isKept[*s.GroupID] = true
		}
	}
	for _, s := range all {
		if s.GroupID != nil && !isKept[*s.GroupID] {
			replaced[*s.GroupID] = true
		}
	}
	return replaced
}
