package builds

import (
	"context"
	"slices"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// Refusals to create a build.
const (
	archivedPipeline = "Builds of an archived pipeline can't be created"
	branchNotBuilt   = "The pipeline's branch filter leaves this branch out"
)

// CreateBuild creates a build of a pipeline and schedules its first jobs.
//
// Returns Invalid with one FieldError a bad field, and for a configuration that is no pipeline.
func (s *Service) CreateBuild(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, source domain.BuildSource,
	input core.Input[domain.BuildInput]) (made domain.BuildView, err error) {
	err = s.withPlan(ctx, func() (*plannedBuild, error) {
		return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (*plannedBuild, error) {
			in, err := s.core.InPipeline(tx, actor, ref, authz.WriteBuild)
			if err != nil {
				return nil, err
			}
			n := newBuild{source: source, creator: in.CreatorID()}
			if n.BuildInput, err = readBuildInput(input); err != nil {
				return nil, err
			}
			return readForPlan(tx, in.Pipeline.Pipeline, n)
		})
	}, func(p *plannedBuild) error {
		made, err = core.CreateAndPublish(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (store.InPipeline, error) {
			return s.core.LockPipeline(tx, actor, ref, authz.WriteBuild)
		}, func(tx store.Tx, in store.InPipeline, e *core.Effects) (domain.BuildView, error) {
			b, err := s.createBuild(tx, e, in.Pipeline.Pipeline, p)
			if err != nil {
				return domain.BuildView{}, err
			}
			return readBuild(tx, b.ID, changedParts) // as a repeated request is to be answered too
		})
		return err
	})
	return made, err
}

// readBuildInput returns what a caller wants a build to be.
func readBuildInput(input core.Input[domain.BuildInput]) (domain.BuildInput, error) {
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err != nil {
		return given, err
	}
	given.Check(&faults)
	return given, faults.Err()
}

// changeBuild runs fn with a build that the actor may change, and stores what it changes.
func (s *Service) changeBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	fn func(c *change, in core.InBuild) error) (domain.Build, error) {
	return core.CreateAndPublish(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (core.InBuild,
		error) {
		return s.core.InBuild(tx, actor, ref, authz.WriteBuild)
	}, func(tx store.Tx, in core.InBuild, e *core.Effects) (domain.Build, error) {
		c, err := openBuild(tx, in.BuildID, in.CreatorID(), e)
		if err != nil {
			return domain.Build{}, err
		}
		if in, err = s.core.InBuild(tx, actor, ref, authz.WriteBuild); err != nil { // as it is now
			return domain.Build{}, err
		}
		if err := fn(c, in); err != nil {
			return domain.Build{}, err
		}
		err = c.save()
		return c.build, err
	})
}

// CancelBuild cancels all jobs of a build that have not ended.
//
// Returns Invalid if the build is over.
func (s *Service) CancelBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef) (domain.Build, error) {
	return s.changeBuild(ctx, actor, ref, func(c *change, in core.InBuild) error {
		if c.build.State.HasEnded() {
			return domain.InvalidError("Build can't be canceled because it has already finished")
		}
		if err := c.tx.SetBuildCanceler(c.build.ID, in.CreatorID()); err != nil {
			return err
		}
		return c.cancelAll("")
	})
}

// cancelAll cancels the build.
func (c *change) cancelAll(reason string) error {
	open, err := c.loadAll()
	if err != nil {
		return err
	}
	c.build.Fate.Canceled = true
	if reason != "" {
		c.build.CancelReason = &reason
	}
	for _, j := range open {
		c.cancel(j)
	}
	c.propagate()
	return c.err
}

// RebuildBuild creates a build like another one.
//
// Returns Invalid if the pipeline does not allow that.
func (s *Service) RebuildBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	source domain.BuildSource) (made domain.Build, err error) {
	err = s.withPlan(ctx, func() (*plannedBuild, error) {
		return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (*plannedBuild, error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.WriteBuild)
			if err != nil {
				return nil, err
			}
			b, _, err := tx.Build(in.BuildID)
			if err != nil {
				return nil, err
			}
			return readForPlan(tx, in.Pipeline.Pipeline, rebuildOf(b, source, in.CreatorID()))
		})
	}, func(p *plannedBuild) error {
		made, err = core.CreateAndPublish(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (core.InBuild,
			error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.WriteBuild)
			if err != nil {
				return in, err
			}
			if err := tx.LockPipeline(in.Pipeline.ID); err != nil {
				return in, err
			}
			return s.core.InBuild(tx, actor, ref, authz.WriteBuild)
		}, func(tx store.Tx, in core.InBuild, e *core.Effects) (domain.Build, error) {
			if in.BuildID != *p.rebuiltFrom {
				return domain.Build{}, errPlanStale
			}
			return s.createBuild(tx, e, in.Pipeline.Pipeline, p)
		})
		return err
	})
	return made, err
}

// rebuildOf is a build like another one.
func rebuildOf(b domain.Build, source domain.BuildSource, creator domain.UserID) newBuild {
	n := newBuild{source: source, creator: creator, rebuiltFrom: &b.ID, origin: b.Origin, commitResolved: b.CommitResolved}
	n.BuildInput = domain.BuildInput{
		Commit: b.Commit, Branch: b.Branch, Message: b.Message, Env: b.Env, Author: b.Author, PullRequest: b.PullRequest,
		Tag: b.Tag, Event: b.Event, CleanCheckout: b.CleanCheckout, IgnorePipelineBranchFilters: true,
	}
	return n
}

// Refusals to run a job again, or to unblock one.
var (
	errNotRetryable     = domain.NewError(domain.Malformed, "Only failed, timed out or canceled jobs can be retried")
	errCanceledRetry    = domain.NewError(domain.Invalid, "Jobs from canceled builds cannot be retried")
	errRetriedBefore    = domain.NewError(domain.Invalid, "Job has already been retried")
	errNotUnblockable   = domain.NewError(domain.Malformed, "This job type cannot be unblocked")
	errCanceledUnblock  = domain.NewError(domain.Invalid, "Jobs from canceled builds cannot be unblocked")
	errUnblockedBefore  = domain.NewError(domain.Invalid, "Job has already been unblocked")
	errTooManyJobs      = domain.NewError(domain.Invalid, "The build has too many jobs to retry one")
	errNotReprioritized = domain.NewError(domain.Invalid, "Only jobs that are waiting for an agent can be reprioritized")
)

// changeOneJob is changeBuild for one job of a build.
func (s *Service) changeOneJob(ctx context.Context, actor authz.Actor, ref domain.JobRef, action authz.Action,
	fn func(c *change, in core.InJob, j *jobChange) (*jobChange, error)) (domain.Job, error) {
	return core.CreateAndPublish(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) (core.InJob, error) {
		return s.core.InJob(tx, actor, ref, action)
	}, func(tx store.Tx, in core.InJob, e *core.Effects) (domain.Job, error) {
		c, err := openBuild(tx, in.BuildID, in.CreatorID(), e)
		if err != nil {
			return domain.Job{}, err
		}
		if in, err = s.core.InJob(tx, actor, ref, action); err != nil { // as it is now
			return domain.Job{}, err
		}
		j, err := c.job(in.JobID)
		if err != nil {
			return domain.Job{}, err
		}
		changed, err := fn(c, in, j)
		if err != nil {
			return domain.Job{}, err
		}
		if err := c.save(); err != nil {
			return domain.Job{}, err
		}
		return changed.now, nil
	})
}

// RetryJob runs a job again and returns the new one.
func (s *Service) RetryJob(ctx context.Context, actor authz.Actor, ref domain.JobRef) (domain.Job, error) {
	return s.changeOneJob(ctx, actor, ref, authz.WriteBuild, func(c *change, _ core.InJob, j *jobChange) (*jobChange,
		error) {
		if err := c.checkRetry(j); err != nil {
			return nil, err
		}
		attempt := c.retry(j, domain.RetryManual, -1)
		c.propagate()
		return attempt, c.err
	})
}

// checkRetry returns why people may not run a job again.
func (c *change) checkRetry(j *jobChange) error {
	manual := c.stepRow(j.now.StepID).Definition.Retry.Manual
	switch {
	case j.now.Kind != steps.Command:
		return errNotRetryable
	case c.build.Fate.Canceled:
		return errCanceledRetry
	case j.now.RetriedByID != nil:
		return errRetriedBefore
	case !j.now.State.HasEnded() || j.now.State == flow.Skipped || j.now.State == flow.Broken ||
		j.now.State == flow.WaitingFailed || j.now.State == flow.BlockedFailed:
		return errNotRetryable
	case j.now.Outcome == flow.Passed && !manual.PermitOnPassed:
		return errNotRetryable
	case manual.Forbidden:
		reason := manual.Reason
		if reason == "" {
			reason = "Its step does not allow that"
		}
		return domain.InvalidError("Job can't be retried: " + reason)
	case c.build.JobsMade >= domain.MaxJobsOfBuild:
		return errTooManyJobs
	}
	return nil
}

// retryStates are the states of jobs that can be retried together.
var retryStates = []string{"canceled", "expired", "failed", "soft_failed", "timed_out"}

// RetryFailedJobs runs all jobs again that are in some states, by their names; none: all that failed, timed out or
// expired.
func (s *Service) RetryFailedJobs(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	input core.Input[[]string]) (b domain.Build, retried int, err error) {
	b, err = s.changeBuild(ctx, actor, ref, func(c *change, _ core.InBuild) error {
		retried = 0
		states, err := readRetryStates(input)
		if err != nil {
			return err
		}
		if c.build.Fate.Canceled {
			return errCanceledRetry
		}
		all, err := c.tx.JobsOfBuild(c.build.ID)
		if err != nil {
			return err
		}
		for _, row := range all {
			if row.Kind != steps.Command || row.RetriedByID != nil || !slices.Contains(states, retryStateOf(&row)) {
				continue
			}
			j, err := c.job(row.ID)
			if err != nil {
				return err
			}
			if c.checkRetry(j) == nil {
				c.retry(j, domain.RetryManual, -1)
				retried++
			}
		}
		c.propagate()
		return c.err
	})
	return b, retried, err
}

const maxStateText = 1_000 // bytes

// readRetryStates returns the states of the jobs that are to be retried.
func readRetryStates(input core.Input[[]string]) ([]string, error) {
	var faults domain.Faults
	states, err := input.Read(&faults)
	if err != nil {
		return nil, err
	}
	for _, state := range states {
		domain.CheckText("states", "States", state, maxStateText, &faults)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	var unknown []string
	for _, state := range states {
		if !slices.Contains(retryStates, state) {
			unknown = append(unknown, state)
		}
	}
	switch {
	case len(unknown) > 0:
		return nil, domain.NewError(domain.Malformed, "Invalid states: "+strings.Join(unknown, ", ")+". Valid states are "+
			strings.Join(retryStates, ", "))
	case len(states) == 0:
		return []string{"failed", "timed_out", "expired"}, nil
	}
	return states, nil
}

func retryStateOf(j *domain.Job) string {
	switch {
	case j.SoftFailed:
		return "soft_failed"
	case j.State == flow.Finished && j.Outcome == flow.HardFailed:
		return "failed"
	case j.State == flow.Canceled || j.State == flow.Expired || j.State == flow.TimedOut && j.Outcome != flow.Passed:
		return string(j.State)
	}
	return ""
}

// CancelJob cancels a job that has not ended.
func (s *Service) CancelJob(ctx context.Context, actor authz.Actor, ref domain.JobRef) (domain.Job, error) {
	return s.changeOneJob(ctx, actor, ref, authz.WriteBuild, func(c *change, _ core.InJob, j *jobChange) (*jobChange,
		error) {
		if j.now.State.HasEnded() {
			return nil, domain.InvalidError("Job can't be canceled because it has already finished")
		}
		c.cancel(j)
		c.propagate()
		return j, c.err
	})
}

// ReprioritizeJob lets a job be handed out before others, or after them.
func (s *Service) ReprioritizeJob(ctx context.Context, actor authz.Actor, ref domain.JobRef,
	input core.Input[domain.Optional[int64]]) (domain.Job, error) {
	return s.changeOneJob(ctx, actor, ref, authz.WriteBuild, func(c *change, _ core.InJob, j *jobChange) (*jobChange,
		error) {
		var faults domain.Faults
		priority, err := input.Read(&faults)
		if err != nil {
			return nil, err
		}
		switch {
		case faults.Has("priority"):
		case !priority.HasValue():
			faults.Add("priority", "Priority can't be blank")
		case priority.Value < -1<<31 || priority.Value >= 1<<31:
			faults.Add("priority", "Priority must be a whole number from -2147483648 to 2147483647")
		}
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if j.now.Kind != steps.Command || j.now.State.HasEnded() || j.now.State.HasAgent() {
			return nil, errNotReprioritized
		}
		j.now.Priority = priority.Value
		if j.now.ConcurrencyGroupID != nil {
			c.groups[*j.now.ConcurrencyGroupID] = true
		}
		return j, nil
	})
}
