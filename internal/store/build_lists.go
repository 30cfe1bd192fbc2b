package store

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/steps"
)

// JobsOfOrganizations lists the jobs of organizations.
func JobsOfOrganizations(search domain.JobSearch, order domain.Order) List[*domain.JobView] {
	if search.States == nil {
		return jobsBelow("jobs of an organization", `j.organization_id`, `organizations`, search, order)
	}
	l := jobsBelow("jobs of an organization", `jr.organization_id`, `organizations`, search, order)
	if order != domain.RecentlyAssigned {
		created := `jr.created_at`
		if areOpen(search.States) {
			created += ` + 0`
		}
		l.sortBy(timeKey(created, func(j *domain.JobView) time.Time { return j.CreatedAt }))
	}
	return l
}

// areOpen reports whether jobs in these states are not over. An organization has few of those, and they are found by
// their states. SQLite does not know that they are few: it would read all jobs of the organization in the order of the
// list, or all of the queue, if it could.
func areOpen(states []flow.JobState) bool {
	return len(states) > 0 && !slices.ContainsFunc(states, flow.JobState.HasEnded)
}

// JobsOfPipelines lists the jobs of pipelines.
func JobsOfPipelines(search domain.JobSearch, order domain.Order) List[*domain.JobView] {
	return jobsBelow("jobs of a pipeline", `j.pipeline_id`, `pipelines`, search, order)
}

// JobsOfAgents lists the jobs that agents have run, or run.
func JobsOfAgents(search domain.JobSearch, order domain.Order) List[*domain.JobView] {
	return jobsBelow("jobs of an agent", `jr.agent_id`, `agents`, search, order)
}

// JobsSearchedInBuilds lists the jobs of builds, like the lists above. Those that were made together are in the order
// of their steps, the last first.
func JobsSearchedInBuilds(search domain.JobSearch, order domain.Order) List[*domain.JobView] {
	l := jobsBelow("found jobs of a build", `j.build_id`, `builds`, search, order)
	l.keys = slices.Concat(l.keys[:1], []Key[*domain.JobView]{
		textKey(`j.position`, func(j *domain.JobView) string { return j.Position }),
		{column: clauseOf(`j.upload_index`), isNumber: true, value: func(j *domain.JobView) any { return j.UploadIndex }},
	}, l.keys[1:])
	return l
}

// jobsBelow lists the jobs that have a parent's id in a column: those that were made last, or that an agent was given
// last, first.
func jobsBelow(name, parent, parents string, search domain.JobSearch, order domain.Order) List[*domain.JobView] {
	l := newList(JobRows, name, parent, parents, search, order)
	if !areOpen(search.States) {
		l.countUpToMaximum()
	}
	l.where(jobIsShown())
	l.sortBy(timeKey(`j.created_at`, func(j *domain.JobView) time.Time { return j.CreatedAt }))
	if order == domain.RecentlyAssigned {
		l.scans = true
		l.sortBy(Key[*domain.JobView]{column: clauseOf(`COALESCE(jr.assigned_at, 0)`), isNumber: true,
			value: func(j *domain.JobView) any {
				if j.AssignedAt == nil {
					return int64(0)
				}
				return db.Micros(*j.AssignedAt)
			}})
	}
	l.descending = true
	searchJobs(&l, search)
	return l
}

func searchJobs(l *List[*domain.JobView], search domain.JobSearch) {
	whereStates(l, search.States)
	if search.Types != nil {
		whereOneOf(l, `j.kind`, kindsOf(search.Types))
	}
	queue := `jr.queue_id`
	if areOpen(search.States) {
		queue = `COALESCE(jr.queue_id, '')`
	}
	whereOneOf(l, queue, search.Queues)
	if search.StepKeys != nil {
		l.where(clauseOf(`j.step_id IN (SELECT bs.id FROM build_steps bs WHERE bs.build_id = j.build_id AND ?)`,
			oneOfTexts(`bs.step_key`, search.StepKeys)))
	}
	if search.Groups != nil {
		l.where(clauseOf(
			`j.concurrency_group_id IN (SELECT cg.id FROM concurrency_groups cg WHERE cg.organization_id = j.organization_id
				AND ?)`,
			oneOfTexts(`cg.name`, search.Groups)))
	}
	if search.Priorities != nil {
		l.where(oneOfNumbers(`jr.priority`, search.Priorities))
	}
	for _, rule := range search.AgentRules {
		l.where(listHas(`j.agent_rules`, rule))
	}
	whereIf(l, search.Cluster, func(id domain.ClusterID) clause { return clauseOf(`j.cluster_id = ?`, id) })
	if search.Unclustered {
		l.where(clauseOf(`j.cluster_id IS NULL`))
	}
	whereIf(l, search.Passed, func(passed bool) clause {
		if passed {
			return shownIn([]string{"passed"})
		}
		return clauseOf(`NOT ?`, shownIn([]string{"passed"}))
	})
	whereIf(l, search.CreatedFrom, func(from time.Time) clause { return clauseOf(`j.created_at >= ?`, db.Micros(from)) })
	whereIf(l, search.CreatedTo, func(to time.Time) clause { return clauseOf(`j.created_at < ?`, db.Micros(to)) })
	whereIf(l, search.FinishedFrom, func(from time.Time) clause {
		return clauseOf(`jr.finished_at >= ?`, db.Micros(from))
	})
}

// whereStates chooses the jobs in some states, which an index finds by their list states.
func whereStates(l *List[*domain.JobView], states []flow.JobState) {
	if states == nil {
		return
	}
	if len(states) == 0 {
		l.where(noRows)
		return
	}
	listed := map[string]bool{}
	for _, state := range states {
		listed[listState(string(state))] = true
	}
	whereOneOf(l, `jr.list_state`, slices.Sorted(maps.Keys(listed)))
	if listed[listedWithAgent] {
		whereOneOf(l, `jr.state`, states)
	}
}

// kindsOf returns the kinds of steps whose jobs are of the types.
func kindsOf(types []domain.JobType) []steps.Kind {
	kinds := []steps.Kind{}
	for _, kind := range []steps.Kind{steps.Command, steps.Wait, steps.Block, steps.Input, steps.Trigger} {
		if slices.Contains(types, (&domain.Job{Kind: kind}).Type()) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// oneOfTexts is oneOf for texts of callers. What cannot be stored, no column has.
func oneOfTexts(column string, values []string) clause {
	return oneOf(column, slices.DeleteFunc(slices.Clone(values),
		func(value string) bool { return !domain.ValidText(value) }))
}

// oneOfNumbers is oneOf for numbers.
func oneOfNumbers(column string, values []int64) clause {
	if len(values) == 0 {
		return noRows
	}
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = value
	}
	return clauseOf(column+` IN (`+strings.Repeat(`?, `, len(values)-1)+`?)`, args...)
}

// listHas is the condition that a column, which is a JSON list of texts, has the text. A quote inside of a text is
// escaped, so that only a text of its own begins behind a bracket or a comma.
func listHas(column, text string) clause {
	quoted, err := json.Marshal(text)
	if err != nil || !domain.ValidText(text) {
		return noRows
	}
	return clauseOf(`(replace(`+column+`, ?, '') <> `+column+` OR replace(`+column+`, ?, '') <> `+column+`)`,
		"["+string(quoted), ","+string(quoted))
}

// ConnectedAgents lists the agents of organizations that are connected, the newest first. Now is when they are paused,
// or not.
func ConnectedAgents(search domain.AgentSearch, now time.Time) List[*domain.AgentView] {
	l := newList(AgentRows, "connected agents", `a.organization_id`, `organizations`, search)
	l.sortBy(timeKey(`a.created_at`, func(a *domain.AgentView) time.Time { return a.CreatedAt }))
	l.descending = true
	l.whereIndexed(clauseOf(`a.state IN ('connected', 'stopping')`))
	if search.Text != "" {
		l.where(contains(`lower(a.name)`, strings.ToLower(search.Text)))
	}
	whereOneOf(&l, `a.queue_id`, search.Queues)
	whereIf(&l, search.Cluster, func(id domain.ClusterID) clause { return clauseOf(`a.cluster_id = ?`, id) })
	if search.Unclustered {
		l.where(noRows)
	}
	for _, tag := range search.Tags {
		l.where(listHas(`a.meta_data`, tag))
	}
	whereIf(&l, search.Running, func(running bool) clause {
		return yesOrNot(running, clauseOf(`a.job_id IS NOT NULL`))
	})
	whereIf(&l, search.Paused, func(paused bool) clause {
		return yesOrNot(paused,
			clauseOf(`(a.paused_at IS NOT NULL AND (a.paused_timeout IS NULL OR a.paused_at + a.paused_timeout * 60000000 > ?))`,
				db.Micros(now)))
	})
	return l
}

func yesOrNot(yes bool, condition clause) clause {
	if yes {
		return condition
	}
	return clauseOf(`NOT ?`, condition)
}

var (
	metaDataItem = selecting(func(c *columns, m *domain.MetaDataItem) {
		mapText(c, "md.build_id", &m.BuildID)
		mapText(c, "md.key", &m.Key)
		mapText(c, "md.value", &m.Value)
	})

	metaDataRows = Rows[*domain.MetaDataItem]{
		items: pointersTo(metaDataItem), tables: `build_meta_data md`,
		id:           textKey(`md.key`, func(m *domain.MetaDataItem) string { return m.Key }),
		organization: `ob.organization_id`, owners: `JOIN builds ob ON ob.id = md.build_id`, perParent: true,
	}

	dependencyView = selecting(func(c *columns, d *domain.DependencyView) {
		mapText(c, "sd.id", &d.ID)
		mapNullText(c, "COALESCE(ks.step_key, sd.on_key)", &d.Key)
		mapBool(c, "sd.allow_failure", &d.AllowFailure)
	})

	dependencyViewRows = Rows[*domain.DependencyView]{
		items: pointersTo(dependencyView), tables: `step_dependencies sd`,
		joins:        `LEFT JOIN build_steps ks ON ks.id = sd.on_step_id`,
		id:           textKey(`sd.id`, func(d *domain.DependencyView) string { return d.ID }),
		organization: `ob.organization_id`, owners: `JOIN builds ob ON ob.id = sd.build_id`,
	}
)

// MetaDataOf lists the meta-data of builds, by key.
func MetaDataOf() List[*domain.MetaDataItem] {
	l := newList(metaDataRows, "meta-data", `md.build_id`, `builds`)
	l.sortBy()
	return l
}

// DependenciesOfSteps lists what steps wait for.
func DependenciesOfSteps() List[*domain.DependencyView] {
	l := newList(dependencyViewRows, "dependencies of a step", `sd.step_id`, `build_steps`)
	l.sortBy()
	return l
}

// RetriersOf returns which users ran jobs again, by the attempts before.
func (tx Tx) RetriersOf(jobs []domain.JobID) (map[domain.JobID]domain.UserID, error) {
	retriers := map[domain.JobID]domain.UserID{}
	err := eachChunk(jobs, func(some []domain.JobID) error {
		return tx.run(clauseOf(`SELECT job_id, user_id FROM job_events WHERE ? AND type = 'RETRIED' AND user_id IS NOT NULL`,
			oneOf(`job_id`, some)), func(r *db.Row) error {
			job := domain.JobID(r.Text())
			retriers[job] = domain.UserID(r.Text())
			return nil
		})
	})
	return retriers, err
}
