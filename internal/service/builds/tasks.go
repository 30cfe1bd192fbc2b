package builds

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

const (
	tasksAtOnce  = 100
	taskInterval = time.Second
)

// RunTasks does what follows from changes, as soon as there is something, until ctx is done.
func (s *Service) RunTasks(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	for {
		done, err := s.runDueTasks(ctx)
		if err != nil || done == 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-s.core.TaskAdded:
			case <-time.After(taskInterval):
				if err != nil {
					return err
				}
			}
		}
	}
}

// runDueTasks does the tasks that are due, and returns how many are done.
func (s *Service) runDueTasks(ctx context.Context) (done int, err error) {
	due, err := core.FindItems(ctx, s.core, func(tx store.Tx, now time.Time) ([]store.Task, error) {
		return tx.DueTasks(db.Micros(now), tasksAtOnce)
	})
	if err != nil {
		return 0, err
	}
	return core.Items[store.Task]{Kind: store.RunBuildTasks, ID: func(t store.Task) string { return t.ID },
		Do: core.OneByOne(s.runTask)}.Run(ctx, s.core, due)
}

func (s *Service) runTask(ctx context.Context, task store.Task) error {
	switch task.Kind {
	case store.TaskTrigger:
		return s.runTrigger(ctx, task)
	case store.TaskTellParent:
		return s.finishTriggerJob(ctx, task)
	case store.TaskSupersede:
		return s.supersede(ctx, task)
	case store.TaskBranchDeleted:
		return s.cancelDeletedBranch(ctx, task)
	}
	return errors.New("this release knows no task of the kind " + task.Kind)
}

// inTask runs fn in a transaction that ends the task, unless another node has done so.
func (s *Service) inTask(ctx context.Context, task store.Task, fn func(tx store.Tx, e *core.Effects) error) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		mine, err := tx.DeleteTask(task.ID)
		if err != nil || !mine {
			return err
		}
		return fn(tx, e)
	})
}

// runTrigger creates the build that a trigger job is for. A trigger that is refused fails its job.
func (s *Service) runTrigger(ctx context.Context, task store.Task) error {
	return core.RepeatForRules(func() error {
		verdict, err := s.judgeTrigger(ctx, task)
		if err != nil {
			return err
		}
		return s.runJudgedTrigger(ctx, task, verdict)
	})
}

func (s *Service) runJudgedTrigger(ctx context.Context, task store.Task, verdict domain.RuleVerdict) error {
	var refused error
	read := func() (*plannedBuild, error) { return s.readTriggered(ctx, task, verdict) }
	err := s.withPlan(ctx, read, func(p *plannedBuild) error {
		return s.inTask(ctx, task, func(tx store.Tx, e *core.Effects) error {
			refused = nil
			child, err := s.createTriggered(tx, e, task, verdict, p)
			if isRefusal(err) {
				refused = err
				return err // so that nothing of the child is stored
			}
			if err != nil || child == nil {
				return err
			}
			tell := store.Task{ID: domain.NewID[string](), Kind: store.TaskTellParent, Build: child.ID, Job: task.Job}
			return tx.InsertTask(tell, 0)
		})
	})
	if refused == nil {
		return err
	}
	return s.inTask(ctx, task, func(tx store.Tx, e *core.Effects) error {
		c, j, err := openTrigger(tx, e, task.Job)
		if err != nil || j == nil {
			return err
		}
		reason := refused.Error()
		j.now.Detail = &reason
		c.end(j, ended{status: 1})
		return c.save()
	})
}

// isRefusal reports whether an error says why something cannot be, rather than that it failed.
func isRefusal(err error) bool {
	code := domain.CodeOf(err)
	return code != 0 && code != domain.Unavailable && code != domain.UnknownOutcome
}

// triggered is the build that a trigger job wants.
type triggered struct {
	newBuild
	parent domain.Build
	target domain.Pipeline
}

// readTriggered reads what the build of a trigger job is planned for. If there is to be none, the transaction that
// creates it finds why.
func (s *Service) readTriggered(ctx context.Context, task store.Task, verdict domain.RuleVerdict) (
	p *plannedBuild, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		p = &plannedBuild{refusal: errPlanStale}
		t, err := s.findTriggered(tx, task, verdict, false)
		if err != nil || t == nil {
			if isRefusal(err) {
				err = nil
			}
			return err
		}
		p, err = readForPlan(tx, t.target, t.newBuild)
		return err
	})
	return p, err
}

// createTriggered creates the build of a trigger job as it was planned; nil if the job does not want one any more.
func (s *Service) createTriggered(tx store.Tx, e *core.Effects, task store.Task, verdict domain.RuleVerdict,
	p *plannedBuild) (*domain.Build, error) {
	t, err := s.findTriggered(tx, task, verdict, true)
	if err != nil || t == nil {
		return nil, err
	}
	if t.parent.TriggerDepth+1 > domain.MaxTriggerDepth {
		return nil, domain.InvalidError("Builds trigger each other too deep")
	}
	if counted, err := tx.CountTriggered(t.parent.ID, domain.MaxTriggered); err != nil {
		return nil, err
	} else if !counted {
		return nil, domain.InvalidError("More than " + strconv.Itoa(domain.MaxTriggered) +
			" builds would follow from one build")
	}
	if !reflect.DeepEqual(t.newBuild, p.newBuild) {
		return nil, errPlanStale
	}
	child, err := s.createBuild(tx, e, t.target, p)
	if err != nil {
		return nil, err
	}
	return &child, tx.SetTriggeredBuild(*t.triggerJob, child.ID)
}

// findTriggered returns the build that a trigger job wants; nil if it does not want one any more. With lock, nobody
// changes the pipeline that it is of until the transaction ends.
func (s *Service) findTriggered(tx store.Tx, task store.Task, verdict domain.RuleVerdict,
	lock bool) (*triggered, error) {
	parent, _, err := tx.Build(task.Build)
	if err != nil {
		return nil, err
	}
	job, found, err := tx.Job(task.Job)
	if err != nil || !found || job.State != flow.Running || job.TriggeredBuildID != nil {
		return nil, err
	}
	step, _, err := tx.Step(job.StepID)
	if err != nil {
		return nil, err
	}
	target, err := s.triggerTarget(tx, parent, step.Definition.Trigger, verdict, lock)
	if err != nil {
		return nil, err
	}
	creator, err := tx.BuildCreator(parent.ID)
	if err != nil {
		return nil, err
	}
	n := newBuild{source: domain.SourceTrigger, creator: creator, triggerJob: &job.ID, triggerDepth: parent.TriggerDepth +
		1,
		origin: originOfTriggered(parent, verdict)}
	n.BuildInput = triggeredInput(step.Definition.Build, job, parent, target)
	var faults domain.Faults
	n.Check(&faults)
	return &triggered{n, parent, target}, faults.Err()
}

// triggeredInput returns the build that a trigger job asks for.
func triggeredInput(t steps.TriggeredBuild, job domain.Job, parent domain.Build,
	target domain.Pipeline) domain.BuildInput {
	return domain.BuildInput{Commit: cmp.Or(t.Commit, "HEAD"), Branch: cmp.Or(t.Branch, text(target.DefaultBranch),
		"main"),
		Message: cmp.Or(t.Message, job.Label, parent.Message), Env: t.Env, MetaData: t.MetaData, Author: parent.Author}
}

// originOfTriggered returns the origin of a build that the parent's job creates: its branch decides what the build may
// do, as the step chooses the build's own branch and commit. A rule of an administrator that allows it lets the build
// count as its own branch.
func originOfTriggered(parent domain.Build, verdict domain.RuleVerdict) *domain.BuildOrigin {
	if verdict.Allows {
		return nil
	}
	return parent.OriginOfTriggered()
}

// triggerTarget returns the pipeline that a build may trigger: if there are rules for it, one must allow it; otherwise
// who created the build can build the pipeline, or a team can build both, in one cluster.
func (s *Service) triggerTarget(tx store.Tx, parent domain.Build, slug string, verdict domain.RuleVerdict,
	lock bool) (domain.Pipeline, error) {
	id, found, err := tx.PipelineIDBySlug(parent.OrganizationID, slug)
	if err != nil {
		return domain.Pipeline{}, err
	}
	if !found {
		return domain.Pipeline{}, domain.InvalidError("There is no pipeline " + slug)
	}
	if lock {
		if err := tx.LockPipeline(id); err != nil {
			return domain.Pipeline{}, err
		}
	}
	target, may, err := tx.TriggerTarget(id, parent)
	if err != nil {
		return target, err
	}
	if err := core.CheckVerdict(tx, domain.TriggerBuildRule, parent.PipelineID, id, verdict); err != nil {
		return target, err
	}
	switch {
	case verdict.Allows:
	case text(target.ClusterID) != text(parent.ClusterID):
		return target, domain.InvalidError("The pipeline " + slug + " is in another cluster, and no rule " +
			"pipeline.trigger_build.pipeline allows to trigger it")
	case !may:
		return target, domain.InvalidError("The creator of this build may not build the pipeline " + slug +
			", no team may build both, and no rule pipeline.trigger_build.pipeline allows it")
	}
	return target, nil
}

// openTrigger opens the build of a trigger job that runs; nil if it does not.
func openTrigger(tx store.Tx, e *core.Effects, id domain.JobID) (*change, *jobChange, error) {
	build, found, err := tx.BuildOfJob(id)
	if err != nil || !found {
		return nil, nil, err
	}
	c, err := openBuild(tx, build, "", e)
	if err != nil {
		return nil, nil, err
	}
	j, err := c.job(id)
	if err != nil || j.now.State != flow.Running || j.now.Kind != steps.Trigger {
		return nil, nil, err
	}
	return c, j, nil
}

// finishTriggerJob ends the trigger job of a build: when the build has ended, or at once if the job does not wait.
func (s *Service) finishTriggerJob(ctx context.Context, task store.Task) error {
	return s.inTask(ctx, task, func(tx store.Tx, e *core.Effects) error {
		c, j, err := openTrigger(tx, e, task.Job)
		if err != nil || j == nil {
			return err
		}
		child, found, err := tx.Build(task.Build)
		if err != nil {
			return err
		}
		async := c.stepRow(j.now.StepID).Definition.Async
		switch {
		case async || !found || child.State == flow.BuildPassed || child.State == flow.BuildNotRun:
			c.end(j, ended{})
		case child.State == flow.BuildSkipped || child.State == flow.BuildCanceled && text(child.CancelReason) == newerBuild:
			c.skip(j)
		case child.State.HasEnded():
			c.end(j, ended{status: 1})
		default:
			return nil
		}
		return c.save()
	})
}

// skip ends a job that a newer build makes needless.
func (c *change) skip(j *jobChange) {
	if !j.node.State.HasEnded() {
		c.move(j, flow.Skipped, flow.Neutral, "")
	}
	c.propagate()
}

// supersede skips or cancels the older builds of a branch, as the pipeline of a new one says.
func (s *Service) supersede(ctx context.Context, task store.Task) error {
	var b domain.Build
	var p domain.Pipeline
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		if b, _, err = tx.Build(task.Build); err == nil {
			p, _, err = tx.PipelineByID(b.PipelineID)
		}
		return err
	})
	if err != nil {
		return err
	}
	which := store.OlderBuilds{Pipeline: p.ID, Branch: b.Branch, Number: b.Number,
		Queued:  p.SkipQueuedBranchBuilds && includesBranch(p.SkipQueuedBranchBuildsFilter, b.Branch),
		Running: p.CancelRunningBranchBuilds && includesBranch(p.CancelRunningBranchBuildsFilter, b.Branch)}
	var older []domain.BuildID
	err = s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		older, err = tx.OlderBuilds(which)
		return err
	})
	if err != nil {
		return err
	}
	var failures []error
	for _, id := range older {
		failures = append(failures, s.supersedeBuild(ctx, id, which))
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	return s.inTask(ctx, task, func(store.Tx, *core.Effects) error { return nil })
}

// cancelDeletedBranch cancels a build whose branch was deleted.
func (s *Service) cancelDeletedBranch(ctx context.Context, task store.Task) error {
	return s.inTask(ctx, task, func(tx store.Tx, e *core.Effects) error {
		c, err := openBuild(tx, task.Build, "", e)
		if domain.CodeOf(err) == domain.NotFound {
			return nil
		}
		if err != nil || c.build.State.HasEnded() {
			return err
		}
		if err := c.cancelAll("The branch was deleted"); err != nil {
			return err
		}
		return c.save()
	})
}

// includesBranch reports whether a filter of branches lets a branch through; none lets all through.
func includesBranch(filter *string, branch string) bool {
	return text(filter) == "" || steps.MatchBranches(strings.Fields(*filter), branch)
}

// supersedeBuild skips or cancels a build for a newer one of its branch. One that is gone needs neither.
func (s *Service) supersedeBuild(ctx context.Context, id domain.BuildID, which store.OlderBuilds) error {
	err := s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		c, err := openBuild(tx, id, "", e)
		if err != nil {
			return err
		}
		return c.supersede(which)
	})
	if domain.CodeOf(err) == domain.NotFound {
		return nil
	}
	return err
}

// newerBuild is why a build was canceled for a newer one.
const newerBuild = "A newer build of the branch was created"

// supersede skips or cancels a build, if it is one of those that a newer one of its branch supersedes.
func (c *change) supersede(which store.OlderBuilds) error {
	state, hasStarted := c.build.State, c.build.Counts.Started > 0
	switch {
	case state.HasEnded() || c.build.Fate.Canceled:
		return nil
	case which.Queued && !hasStarted && (state == flow.BuildScheduled || state == flow.BuildCreating):
		open, err := c.loadAll()
		if err != nil {
			return err
		}
		c.build.Fate.Skipped = true
		for _, j := range open {
			if !j.node.State.HasEnded() {
				c.move(j, flow.Skipped, flow.Neutral, "")
			}
		}
		c.propagate()
	case which.Running && (hasStarted || state == flow.BuildBlocked):
		if err := c.cancelAll(newerBuild); err != nil {
			return err
		}
	default:
		return nil
	}
	return c.save()
}
