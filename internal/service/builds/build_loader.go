package builds

import (
	"errors"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// buildLoader reads rows of a build that is locked. The machine, which asks for most of them, sees no errors: it
// goes on with nothing, and whoever stores the change returns the first error.
type buildLoader struct {
	tx      store.Tx
	buildID domain.BuildID
	err     error
}

// fail records the first error of loading something.
func (l *buildLoader) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

func (l *buildLoader) loadStep(id string) domain.Step {
	s, found, err := l.tx.Step(domain.StepID(id))
	if err == nil && !found {
		err = errors.New("a step that others name is missing: " + id)
	}
	if err != nil {
		l.fail(err)
		s = domain.Step{ID: domain.StepID(id), Counters: flow.Step{ID: id}}
	}
	return s
}

// loadDependenciesOn returns who waits for a step.
func (l *buildLoader) loadDependenciesOn(step string) []domain.StepDependency {
	all, err := l.tx.DependenciesOn([]domain.StepID{domain.StepID(step)})
	l.fail(err)
	return all
}

// loadDependenciesOnNothing returns who waits for keys that no step has.
func (l *buildLoader) loadDependenciesOnNothing() []domain.StepDependency {
	all, err := l.tx.DependenciesOnNothing(l.buildID)
	l.fail(err)
	return all
}

// loadNewestJobs returns the newest attempts at a step's jobs.
func (l *buildLoader) loadNewestJobs(step string) []domain.Job {
	all, err := l.tx.NewestJobsOfSteps([]domain.StepID{domain.StepID(step)})
	l.fail(err)
	return all
}

// loadJob returns a job of the build. It returns NotFound if the build has none with that id.
func (l *buildLoader) loadJob(id domain.JobID) (domain.Job, error) {
	j, found, err := l.tx.JobForUpdate(id)
	if err == nil && (!found || j.BuildID != l.buildID) {
		err = core.ErrNoJob
	}
	return j, err
}
