package builds

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/domain/builds"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// maxPosition bounds how deep uploads may be nested: positions are keys of an index.
const maxPosition = 2_000 // bytes

// Upload is a definition that a job adds to its build.
type Upload struct {
	ID       string // that the agent chose; the same again is the same upload
	Document []byte
	Replace  bool // jobs that have not started make room for it
}

// UploadPipeline adds steps to the build of a running job. The same upload again has the same outcome.
//
// Returns Invalid, with a message for the author of the definition, if the build cannot take it.
func (s *Service) UploadPipeline(ctx context.Context, actor authz.Actor, jobID string, u Upload) (made domain.StepUpload, err error) {
	if err := checkKind(actor, authz.JobToken); err != nil {
		return made, err
	}
	id := lookupID[domain.UploadID](u.ID)
	if id == "" {
		return made, invalid("`uuid` is invalid: it must be a UUID")
	}
	parsed, fault := steps.Parse(u.Document) // before the transaction, since it takes time
	if fault != nil && !isFault(fault) {
		return made, fault
	}
	var refused error
	err = s.write(ctx, func(tx store.Tx, e *effects) error {
		refused = nil
		job, err := s.ownLiveJob(tx, actor, jobID)
		if err != nil {
			return err
		}
		c, err := openBuild(tx, job.BuildID, "", e)
		if err != nil {
			return err
		}
		known, found, err := tx.StepUpload(id)
		if err != nil {
			return err
		}
		if found {
			if made = known; known.JobID != job.ID {
				return errOtherJob
			}
			refused = refusalOf(known)
			return nil
		}
		made = domain.StepUpload{ID: id, BuildID: job.BuildID, JobID: job.ID, CreatedAt: c.now, Replaces: u.Replace, Document: string(u.Document)}
		count, size, err := tx.UploadFigures(job.BuildID)
		if err != nil {
			return err
		}
		why := fault
		if why == nil && size+int64(len(u.Document)) > domain.MaxUploadsSize {
			why = errUploadsTooLarge
		}
		if why == nil {
			why = c.applyUpload(job.ID, parsed, u.Replace)
		}
		if why != nil && !isFault(why) {
			return why
		}
		if why != nil { // nothing of it is stored but that it was refused
			made.Message, refused = why.Error(), invalid(why.Error())
			if count >= domain.MaxKeptUploads {
				return nil
			}
			made.Shorten()
			return tx.InsertStepUpload(made)
		}
		made.Applied = true
		for _, s := range c.steps {
			if s.isNew {
				s.now.UploadID = &id
			}
		}
		if err := c.save(); err != nil {
			return err
		}
		return tx.InsertStepUpload(made)
	})
	if err == nil {
		err = refused
	}
	return made, err
}

func isFault(err error) bool {
	_, is := errors.AsType[steps.Fault](err)
	return is
}

func refusalOf(u domain.StepUpload) error {
	if u.Applied {
		return nil
	}
	return invalid(u.Message)
}

// StepUploadOf returns what came of an upload of the job whose token the actor has.
func (s *Service) StepUploadOf(ctx context.Context, actor authz.Actor, jobID, id string) (u domain.StepUpload, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		job, err := s.ownLiveJob(tx, actor, jobID)
		if err != nil {
			return err
		}
		var found bool
		if u, found, err = tx.StepUpload(lookupID[domain.UploadID](id)); err == nil && (!found || u.JobID != job.ID) {
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

// applyUpload adds the steps of an upload to the build. A steps.Fault says why it cannot.
func (c *change) applyUpload(uploader domain.JobID, p *steps.Pipeline, replace bool) error {
	j, err := c.job(uploader)
	if err != nil {
		return err
	}
	if j.now.State != builds.Running || c.build.Fate.Canceled || c.build.State.HasEnded() {
		return errBuildOver
	}
	step := c.stepRow(j.now.StepID)
	place := &builds.Uploader{Step: string(step.ID), Position: step.Position}
	if len(step.Position) > maxPosition {
		return steps.Fault("`pipeline` is invalid: uploads are nested too deep")
	}
	if step.GroupID != nil {
		group := c.stepRow(*step.GroupID)
		place.Group = &builds.UploaderGroup{ID: string(group.ID), Key: text(group.Key), Label: group.Label}
	}
	if replace {
		if err := c.removeUnstarted(j); err != nil {
			return err
		}
	}
	if err := c.addSteps(p, place, j); err != nil {
		return err
	}
	c.build.Uploads++
	if len(p.Env) > 0 {
		merged := maps.Clone(c.build.UploadEnv)
		if merged == nil {
			merged = map[string]string{}
		}
		maps.Copy(merged, p.Env)
		c.build.UploadEnv = merged
	}
	return c.err
}

// addSteps adds the steps of a definition to the build, behind the job that uploads it; nil: it is the pipeline's own.
func (c *change) addSteps(p *steps.Pipeline, place *builds.Uploader, uploader *jobChange) error {
	in := builds.UploadInput{Pipeline: p, Uploader: place, Keys: map[string]string{}, Jobs: int(c.build.JobsMade), Uploads: int(c.build.Uploads),
		Branch: c.build.Branch, NewID: func() string { return domain.NewIDAt[string](c.now) }}
	if uploader != nil {
		keys, err := c.tx.StepKeys(c.build.ID)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if !c.replaced[key.ID] {
				in.Keys[key.Key] = string(key.ID)
			}
		}
		if err := c.loadForPlan(&in); err != nil {
			return err
		}
	}
	variables, err := c.conditionVariables()
	if err != nil {
		return err
	}
	in.Variables = variables
	plan, err := builds.PlanUpload(in)
	if err != nil {
		return err
	}
	for _, id := range sortedKeys(c.replaced) {
		c.fail(c.tx.SetStepKey(id, ""))
	}
	return c.addPlan(plan, uploader)
}

// loadForPlan gives a plan the steps of the build and the dependencies that are open.
func (c *change) loadForPlan(in *builds.UploadInput) error {
	if !builds.NeedsBuild(in.Pipeline) {
		return nil
	}
	all, err := c.tx.StepsOf(c.build.ID)
	if err != nil {
		return err
	}
	for _, s := range all {
		if _, loaded := c.steps[string(s.ID)]; !loaded {
			c.steps[string(s.ID)] = &stepChange{before: s, now: s}
		}
		in.Steps = append(in.Steps, &c.steps[string(s.ID)].now.Figures)
	}
	dependencies, err := c.tx.DependenciesOf(c.build.ID)
	if err != nil {
		return err
	}
	for _, d := range dependencies {
		if d.Edge.State == builds.EdgeOpen || d.Edge.State == builds.EdgeHeld {
			edge := builds.PlannedEdge{Edge: d.Edge}
			if d.Edge.On == "" {
				edge.OnKey = text(d.OnKey)
			}
			in.OpenEdges = append(in.OpenEdges, edge)
		}
	}
	return nil
}

// addPlan adds planned steps with their jobs and dependencies.
func (c *change) addPlan(plan *builds.Plan, uploader *jobChange) error {
	queues := map[string]*domain.QueueID{}
	limits, err := c.tx.TimeoutLimits(c.build.PipelineID)
	if err != nil {
		return err
	}
	queuedAt := c.build.CreatedAt
	priority := 0
	if uploader != nil {
		queuedAt = uploader.now.QueuedAt
	}
	index := int64(0)
	for i := range plan.Steps {
		p := &plan.Steps[i]
		row := domain.Step{ID: domain.StepID(p.ID), BuildID: c.build.ID, ParentID: optionalID[domain.StepID](p.Parent), GroupID: optionalID[domain.StepID](p.GroupID),
			Kind: p.Kind, Key: optional(p.Key), Label: p.Label, Notify: cmp.Or(string(p.Definition.Notify), "[]"), Position: p.Position, Source: string(p.Definition.Source), Definition: p.Definition}
		row.Definition.Source, row.Definition.If, row.Definition.Steps = nil, nil, nil
		row.Figures = builds.Step{ID: p.ID, Parent: p.Parent, Kind: p.Kind}
		c.steps[p.ID] = &stepChange{before: row, now: row, isNew: true}
		c.edgesOn[p.ID] = []*builds.Edge{}
		c.jobsOf[p.ID] = []*builds.Job{}
		for k := range p.Jobs {
			job, err := c.newJob(p, &p.Jobs[k], limits, queues, priority)
			if err != nil {
				return err
			}
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
	edges := make([][]*builds.Edge, len(plan.Steps))
	for i := range plan.Steps {
		for _, planned := range plan.Steps[i].Edges {
			kept := c.addEdge(domain.StepDependency{ID: domain.NewIDAt[string](c.now), BuildID: c.build.ID, OnKey: optional(planned.OnKey), Edge: planned.Edge}, true)
			edges[i] = append(edges[i], kept)
			if kept.On != "" {
				c.EdgesOn(kept.On)
				c.edgesOn[kept.On] = append(c.edgesOn[kept.On], kept)
			}
		}
	}
	for i := range plan.Steps {
		id := plan.Steps[i].ID
		c.machine.Add(&c.steps[id].now.Figures, c.jobsOf[id], edges[i])
	}
	c.joinKeys(plan.Keys)
	c.propagate()
	return c.err
}

// joinKeys lets those wait for the new steps who wait for their keys.
func (c *change) joinKeys(keys map[string]string) {
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

// newJob returns a job as it is stored.
func (c *change) newJob(p *builds.PlannedStep, planned *builds.PlannedJob, limits store.TimeoutLimits, queues map[string]*domain.QueueID, priority int) (domain.Job, error) {
	d := &planned.Definition
	j := domain.Job{
		ID: domain.JobID(planned.ID), OrganizationID: c.build.OrganizationID, PipelineID: c.build.PipelineID, BuildID: c.build.ID, StepID: domain.StepID(p.ID),
		ClusterID: c.build.ClusterID, Kind: p.Kind, Command: d.Command, AgentRules: d.Agents, Position: p.Position, Matrix: planned.Matrix,
		SoftFail: planned.SoftFail, ParallelIndex: int64(planned.ParallelIndex), ParallelTotal: int64(planned.ParallelTotal), CreatedAt: c.now,
		State: planned.State, BrokenReason: optional(planned.BrokenReason), Priority: int64(priority),
	}
	j.SetLabel(d.Label)
	if j.State == builds.Broken {
		j.Outcome, j.FinishedAt = builds.Neutral, &c.now
	}
	if d.Priority != nil {
		j.Priority = int64(*d.Priority)
	}
	if p.Kind != steps.Command {
		return j, nil
	}
	j.Timeout = limits.Of(int64(d.TimeoutInMinutes))
	if err := c.chooseQueue(&j, queues); err != nil {
		return j, err
	}
	if d.ConcurrencyGroup != "" {
		group, err := c.tx.EnsureConcurrencyGroup(c.build.OrganizationID, d.ConcurrencyGroup)
		if err != nil {
			return j, err
		}
		j.ConcurrencyGroupID, j.ConcurrencyLimit, j.ConcurrencyMethod = &group, int64(d.Concurrency), d.ConcurrencyMethod
	}
	return j, nil
}

// chooseQueue finds the queue that a job's rules name, and what its other rules are known by.
func (c *change) chooseQueue(j *domain.Job, queues map[string]*domain.QueueID) error {
	var others []string
	for _, rule := range j.AgentRules {
		if key, isQueue := strings.CutPrefix(rule, "queue="); isQueue {
			j.QueueKey = &key
		} else {
			others = append(others, rule)
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		j.RulesKey = domain.HashToken(strings.Join(others, "\n"))
	}
	if j.ClusterID == nil {
		return nil
	}
	known, ok := queues[text(j.QueueKey)]
	if !ok {
		id, found, err := c.tx.QueueOf(*j.ClusterID, j.QueueKey)
		if err != nil {
			return err
		}
		if found {
			known = &id
		}
		queues[text(j.QueueKey)] = known
	}
	j.QueueID = known
	return nil
}

// removeUnstarted takes the jobs away that have not started, for a definition that replaces them.
func (c *change) removeUnstarted(uploader *jobChange) error {
	open, err := c.loadAll()
	if err != nil {
		return err
	}
	reduced := map[domain.StepID]bool{}
	for _, j := range open {
		if j != uploader && !j.node.State.HasStarted() && !j.node.State.HasEnded() && j.node.State != builds.Accepted && j.node.State != builds.Assigned {
			c.move(j, builds.Skipped, builds.Neutral, "")
			j.now.BrokenReason = optional(domain.ReplacedReason)
			reduced[j.now.StepID] = true
		}
	}
	c.propagate()
	return c.findReplaced(reduced)
}

// findReplaced notes which steps have nothing left of those whose jobs were taken away, and which groups: their keys are free.
func (c *change) findReplaced(reduced map[domain.StepID]bool) error {
	c.replaced = map[domain.StepID]bool{}
	isOther := func(j *builds.Job) bool { return j.State != builds.Skipped }
	for id := range reduced {
		c.replaced[id] = !slices.ContainsFunc(c.JobsOf(string(id)), isOther)
	}
	all, err := c.tx.StepsOf(c.build.ID)
	if err != nil {
		return err
	}
	groups := map[domain.StepID]bool{}
	for _, s := range all {
		if s.GroupID != nil {
			isFirst := !hasKey(groups, *s.GroupID)
			groups[*s.GroupID] = c.replaced[s.ID] && (isFirst || groups[*s.GroupID])
		}
	}
	maps.Copy(c.replaced, groups)
	maps.DeleteFunc(c.replaced, func(_ domain.StepID, is bool) bool { return !is })
	return c.err
}

func hasKey[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// conditionVariables returns what conditions of steps see.
func (c *change) conditionVariables() (steps.Variables, error) {
	x, err := c.tx.JobContext(c.build.ID)
	if err != nil {
		return steps.Variables{}, err
	}
	b := &c.build
	values := map[string]any{
		"build.author.name": orNil(b.Author.Name), "build.author.email": orNil(b.Author.Email), "build.author.id": nil, "build.author.teams": []string{},
		"build.branch": b.Branch, "build.commit": b.Commit, "build.id": string(b.ID), "build.message": orNil(b.Message), "build.number": int(b.Number),
		"build.source": string(b.Source), "build.state": string(builds.StateOf(b.Fate, b.Counts)), "build.tag": orNil(b.Tag),
		"build.creator.id": orNil(string(x.Creator.ID)), "build.creator.name": orNil(x.Creator.Name), "build.creator.email": orNil(x.Creator.Email),
		"build.creator.teams": []string{},
		"pipeline.id":         string(x.PipelineID), "pipeline.slug": x.PipelineSlug, "pipeline.default_branch": orNil(x.DefaultBranch), "pipeline.repository": x.Repository,
		"organization.id": string(x.OrganizationID), "organization.slug": x.OrganizationSlug,
	}
	if x.Creator.ID != "" {
		teams, err := c.tx.VisibleTeamsOfUser(x.OrganizationID, x.Creator.ID)
		if err != nil {
			return steps.Variables{}, err
		}
		values["build.creator.teams"] = teams
	}
	if e := b.Event; e != nil {
		values["build.source_event"], values["build.source_action"] = orNil(e.Name), orNil(e.Action)
		if e.MergeQueue != nil {
			values["build.merge_queue.base_branch"], values["build.merge_queue.base_commit"] = e.MergeQueue.BaseBranch, e.MergeQueue.BaseCommit
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
	maps.Copy(env, buildVariables("", *b, x))
	return steps.Variables{Values: values, Env: env}, nil
}

// orNil is nil for an empty text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
