package builds

import (
	"maps"
	"slices"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// save stores what has changed, and what follows for the state of the build and for the jobs that wait for a slot.
func (c *change) save() error { return saveAll(c.tx, []*change{c}) }

// saveAll is save for several builds at once, in as few statements as for one.
func saveAll(tx store.Tx, all []*change) error {
	groups := map[domain.ConcurrencyGroupID]*change{}
	for _, c := range all {
		if err := c.finish(); err != nil {
			return err
		}
		for group := range c.groups {
			groups[group] = c
		}
	}
	if err := storeAll(tx, all); err != nil {
		return err
	}
	for _, group := range sortedKeys(groups) {
		if err := releaseGroup(tx, group, groups[group].now, groups[group].effects); err != nil {
			return err
		}
	}
	return nil
}

// finish does what follows for the build, and collects who learns of it. It returns an error if something could not be
// loaded.
func (c *change) finish() error {
	c.cancelIfFailing()
	c.updateState()
	c.fail(c.publishEvents())
	c.effects.Builds[c.build.ID] = true
	if c.build.State != c.before.State {
		c.effects.Pipelines[c.build.PipelineID] = c.build.OrganizationID
	}
	if c.changesFleet() {
		c.effects.Fleets[c.build.OrganizationID] = true
	}
	return c.err
}

// storeAll stores the rows that have changed: new ones first, then those of jobs, agents, steps and builds, each kind
// in one go.
func storeAll(tx store.Tx, all []*change) error {
	var rows store.BuildRowChanges
	for _, c := range all {
		for _, id := range sortedKeys(c.steps) {
			if s := c.steps[id]; s.isNew {
				rows.NewSteps = append(rows.NewSteps, s.now)
			} else {
				rows.Steps = append(rows.Steps, store.StepChange{Before: &s.before, Now: &s.now})
			}
		}
		for _, id := range sortedKeys(c.jobs) {
			if j := c.jobs[id]; j.isNew {
				rows.NewJobs = append(rows.NewJobs, j.now)
			} else {
				rows.Jobs = append(rows.Jobs, store.JobChange{Before: &j.before, Now: &j.now, Users: j.users})
			}
		}
		for _, e := range c.edges {
			if e.isNew {
				rows.NewDependencies = append(rows.NewDependencies, e.now)
			} else {
				rows.Dependencies = append(rows.Dependencies, store.DependencyChange{Before: &e.before, Now: &e.now})
			}
		}
		rows.Builds = append(rows.Builds, store.BuildChange{Before: &c.before, Now: &c.build})
		rows.Events = append(rows.Events, c.events...)
		rows.Waits = append(rows.Waits, c.waits...)
		rows.Releases = append(rows.Releases, c.releases...)
		rows.Tasks = append(rows.Tasks, c.tasks...)
		rows.TasksDue = db.Micros(c.now)
	}
	return tx.StoreBuildRows(rows)
}

// publishEvents writes notices of what changed in the build, for those who subscribe to it.
func (c *change) publishEvents() error {
	if c.effects.Events == nil || c.err != nil {
		return c.err
	}
	changed := core.BuildChange{Before: &c.before, Now: &c.build, IsNew: c.isNew, At: c.now}
	for _, id := range sortedKeys(c.jobs) {
		j := c.jobs[id]
		changed.Jobs = append(changed.Jobs, core.JobChange{Before: &j.before, Now: &j.now, IsNew: j.isNew})
	}
	noticed, err := c.effects.Events.BuildChanged(c.tx, changed)
	c.effects.HasNotice = c.effects.HasNotice || noticed
	return err
}

// changesFleet says whether an agent has come to a job or from one, or a job waits for an agent or ceases to.
func (c *change) changesFleet() bool {
	for _, j := range c.jobs {
		if j.now.QueueID != nil && (j.isNew || j.before.State != j.now.State) {
			return true
		}
	}
	return false
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
