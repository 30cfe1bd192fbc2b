package store

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

// visitPipelineOf goes through what a build shows of its pipeline p: nothing that can be long.
func visitPipelineOf(c *columns, v *domain.PipelineView) {
	outer := c.prefix
	c.prefix = "p."
	mapText(c, "id", &v.ID)
	mapText(c, "organization_id", &v.OrganizationID)
	mapText(c, "slug", &v.Slug)
	mapText(c, "name", &v.Name)
	mapText(c, "repository", &v.Repository)
	mapNullText(c, "cluster_id", &v.ClusterID)
	mapText(c, "visibility", &v.Visibility)
	mapJSON(c, "tags", &v.Tags)
	mapLook(c, &v.Look)
	mapSettings(c, domain.BuildSettingsOfPipelines, &v.Pipeline)
	mapJSON(c, "provider_settings", &v.ProviderSettings)
	mapText(c, "badge_token", &v.BadgeToken)
	mapTime(c, "created_at", &v.CreatedAt)
	mapNullTime(c, "archived_at", &v.ArchivedAt)
	c.prefix = outer
	mapText(c, "o.slug", &v.OrganizationSlug)
}

// mapBuildLink is a build that may be absent, which is joined under the alias, with its pipeline, in the organization
// o.
func mapBuildLink(c *columns, build, pipeline string, field **domain.BuildLink) {
	var link domain.BuildLink
	if c.row != nil && c.row.Null() {
		c.row.Skip(4)
		return
	}
	mapText(c, build+".id", &link.ID)
	mapInt(c, build+".number", &link.Number)
	mapText(c, pipeline+".slug", &link.PipelineSlug)
	mapText(c, "o.slug", &link.OrganizationSlug)
	if c.row != nil {
		*field = &link
	}
}

var (
	buildView = selecting(func(c *columns, v *domain.BuildView) {
		buildRows.visit(c, &v.Build)
		visitPipelineOf(c, &v.Pipeline)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapOptionalUser(c, "cb", &v.Creator)
		mapOptionalUser(c, "xb", &v.CanceledBy)
		mapNullTime(c, "CASE WHEN b.is_canceled THEN (SELECT max(cj.canceled_at) FROM jobs bj JOIN job_runs cj ON "+
			"cj.job_id = bj.id WHERE bj.build_id = b.id) END", &v.CanceledAt)
		mapBuildLink(c, "rb", "rp", &v.RebuiltFrom)
		mapBuildLink(c, "tb", "tbp", &v.TriggeredFrom)
	})

	// buildKeys is no more of a build than by what it is listed.
	buildKeys = selecting(func(c *columns, v *domain.BuildView) {
		mapText(c, "b.id", &v.ID)
		mapText(c, "b.organization_id", &v.OrganizationID)
		mapTime(c, "b.created_at", &v.CreatedAt)
	})

	// BuildRows are the builds of organizations.
	BuildRows = Rows[*domain.BuildView]{
		items: pointersTo(buildView), tables: `builds b`, joins: buildJoins,
		id:           textKey(`b.id`, func(b *domain.BuildView) string { return string(b.ID) }),
		organization: `b.organization_id`,
	}

	jobView = selecting(func(c *columns, v *domain.JobView) {
		visitJob(c, &v.Job)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapText(c, "p.slug", &v.PipelineSlug)
		mapInt(c, "b.number", &v.BuildNumber)
		mapNullText(c, "bs.step_key", &v.StepKey)
		mapNullText(c, "gs.step_key", &v.GroupKey)
		mapNullText(c, "cg.name", &v.ConcurrencyGroup)
		mapNullTime(c, "CASE WHEN j.concurrency_group_id IS NOT NULL THEN (SELECT min(je.at) FROM job_events je WHERE "+
			"je.job_id = j.id AND je.type = 'LIMITED') END", &v.LimitedAt)
		mapOptionalUser(c, "xb", &v.CanceledBy)
		mapOptionalUser(c, "ub", &v.UnblockedBy)
		mapBuildLink(c, "tb", "tbp", &v.TriggeredBuild)
	})

	// JobRows are the jobs of builds.
	JobRows = Rows[*domain.JobView]{
		items: pointersTo(jobView), tables: jobTables, joins: jobJoins,
		id:           textKey(`j.id`, func(j *domain.JobView) string { return string(j.ID) }),
		organization: `j.organization_id`,
	}

	agentView = selecting(func(c *columns, v *domain.AgentView) {
		agentRows.visit(c, &v.Agent)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapNullText(c, "q.key", &v.QueueKey)
		mapOptionalUser(c, "cb", &v.Creator)
		mapOptionalUser(c, "sb", &v.StoppedBy)
		mapOptionalUser(c, "pb", &v.PausedBy)
		mapNullTime(c, "ah.seen_at", &v.HeardAt)
	})

	// AgentRows are the agents of organizations.
	AgentRows = Rows[*domain.AgentView]{
		items: pointersTo(agentView), tables: `agents a`, joins: agentJoins,
		id:           textKey(`a.id`, func(a *domain.AgentView) string { return string(a.ID) }),
		organization: `a.organization_id`,
	}

	stepUploadView = selecting(func(c *columns, v *domain.StepUploadView) {
		mapText(c, "su.id", &v.ID)
		mapText(c, "su.build_id", &v.BuildID)
		mapText(c, "su.job_id", &v.JobID)
		mapTime(c, "su.created_at", &v.CreatedAt)
		mapBool(c, "su.is_applied", &v.Applied)
		mapBool(c, "su.replaces", &v.Replaces)
		mapText(c, "su.message", &v.Message)
		mapInt(c, "octet_length(su.document)", &v.DocumentSize)
	})

	// StepUploadRows are the uploads of builds, without what was uploaded.
	StepUploadRows = Rows[*domain.StepUploadView]{
		items: pointersTo(stepUploadView), tables: `step_uploads su`,
		id:           textKey(`su.id`, func(u *domain.StepUploadView) string { return string(u.ID) }),
		organization: `ob.organization_id`, owners: `JOIN builds ob ON ob.id = su.build_id`,
	}
)

const (
	buildJoins = `JOIN organizations o ON o.id = b.organization_id JOIN pipelines p ON p.id = b.pipeline_id
		LEFT JOIN users cb ON cb.id = b.creator_id LEFT JOIN users xb ON xb.id = b.canceled_by
		LEFT JOIN builds rb ON rb.id = b.rebuilt_from_id LEFT JOIN pipelines rp ON rp.id = rb.pipeline_id
		LEFT JOIN jobs tj ON tj.id = b.triggered_from_id LEFT JOIN builds tb ON tb.id = tj.build_id
		LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id`
	jobJoins = `JOIN builds b ON b.id = j.build_id JOIN organizations o ON o.id = j.organization_id
		JOIN pipelines p ON p.id = j.pipeline_id
		LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN build_steps gs ON gs.id = bs.group_id
		LEFT JOIN concurrency_groups cg ON cg.id = j.concurrency_group_id
		LEFT JOIN users xb ON xb.id = jr.canceled_by LEFT JOIN users ub ON ub.id = jr.unblocked_by
		LEFT JOIN builds tb ON tb.id = jr.triggered_build_id LEFT JOIN pipelines tbp ON tbp.id = tb.pipeline_id`
	agentJoins = `JOIN organizations o ON o.id = a.organization_id LEFT JOIN cluster_queues q ON q.id = a.queue_id
		LEFT JOIN cluster_agent_tokens at ON at.id = a.token_id
		LEFT JOIN unclustered_tokens ut ON ut.id = a.unclustered_token_id
		LEFT JOIN users cb ON cb.id = coalesce(at.created_by, ut.created_by)
		LEFT JOIN users sb ON sb.id = a.stopped_by LEFT JOIN users pb ON pb.id = a.paused_by
		LEFT JOIN agent_heartbeats ah ON ah.agent_id = a.id`
)

// BuildLink returns what others show of a build; nil if it is gone.
func (tx Tx) BuildLink(id domain.BuildID) (*domain.BuildLink, error) {
	link, found, err := selectOne(tx, buildLink.read, `SELECT `+buildLink.columns+` FROM builds b
		JOIN pipelines p ON p.id = b.pipeline_id
		JOIN organizations o ON o.id = b.organization_id WHERE b.id = $1`, id)
	if !found {
		return nil, err
	}
	return link, err
}

var buildLink = selecting(func(c *columns, link **domain.BuildLink) { mapBuildLink(c, "b", "p", link) })

// BuildsOfOrganizations lists the builds of organizations, the newest first; with keysOnly it reads no more of them
// than by what they are listed.
func BuildsOfOrganizations(filter domain.BuildFilter, keysOnly bool) List[*domain.BuildView] {
	l := newList(BuildRows, "builds", `b.organization_id`, `organizations`, filter)
	if keysOnly {
		l.rows.items, l.rows.joins = pointersTo(buildKeys), ``
	}
	l.sortBy(timeKey(`b.created_at`, func(b *domain.BuildView) time.Time { return b.CreatedAt }))
	l.descending = true
	chooseBuilds(&l, filter, buildComparisons{branch: isRare, creator: isRare})
	return l
}

// BuildsOfPipelines lists the builds of pipelines, the newest first.
func BuildsOfPipelines(filter domain.BuildFilter) List[*domain.BuildView] {
	l := newList(BuildRows, "builds of a pipeline", `b.pipeline_id`, `pipelines`, filter)
	l.sortBy(Key[*domain.BuildView]{column: clauseOf(`b.number`), isNumber: true, value: func(b *domain.BuildView) any {
		return b.Number
	}})
	l.descending = true
	chooseBuilds(&l, filter, buildComparisons{branch: isRare, creator: equals})
	return l
}

// BuildsOfUsers lists the builds that users created in some organizations, the newest first.
func BuildsOfUsers(organizations []domain.OrganizationID, filter domain.BuildFilter) List[*domain.BuildView] {
	l := newList(BuildRows, "builds of a user", `b.creator_id`, `users`, organizations, filter)
	l.sortBy(timeKey(`b.created_at`, func(b *domain.BuildView) time.Time { return b.CreatedAt }))
	l.descending = true
	l.where(oneOf(`b.organization_id`, organizations))
	chooseBuilds(&l, filter, buildComparisons{branch: equals, creator: equals})
	return l
}

// SearchMessages returns a parent's list of builds with those alone whose message has the text in it, in any case.
func (tx Tx) SearchMessages(viewer Viewer, l List[*domain.BuildView], parent, text string) (
	List[*domain.BuildView], error) {
	l, err := l.onlyFirst(tx, viewer, parent, domain.MaxSearchedBuilds)
	if err != nil {
		return l, err
	}
	l.where(contains(`lower(b.message)`, domain.LowerASCII(text)))
	return l, nil
}

// buildComparisons say how columns of builds are compared with one value: by isRare, where an index has the builds with
// the value in the list's order.
type buildComparisons struct {
	branch, creator func(column, text string) clause
}

func chooseBuilds(l *List[*domain.BuildView], filter domain.BuildFilter, compare buildComparisons) {
	l.countUpToMaximum()
	switch {
	case len(filter.Branches) == 1 && !strings.Contains(filter.Branches[0], "*"):
		l.where(compare.branch(`b.branch`, filter.Branches[0]))
	case len(filter.Branches) > 0:
		l.where(anyOf(filter.Branches, func(pattern string) clause { return matchesPattern(`b.branch`, pattern) }))
	}
	if len(filter.Commits) > 0 {
		l.where(anyOf(filter.Commits, func(commit string) clause { return equals(`b.commit_sha`, commit) }))
	}
	whereIf(l, filter.CreatedFrom, func(from time.Time) clause { return clauseOf(`b.created_at >= ?`, db.Micros(from)) })
	whereIf(l, filter.CreatedTo, func(to time.Time) clause { return clauseOf(`b.created_at < ?`, db.Micros(to)) })
	whereIf(l, filter.FinishedFrom, func(from time.Time) clause { return clauseOf(`b.finished_at >= ?`, db.Micros(from)) })
	whereIf(l, filter.Pipeline, func(id domain.PipelineID) clause { return clauseOf(`b.pipeline_id = ?`, id) })
	whereIf(l, filter.Creator, func(id domain.UserID) clause { return compare.creator(`b.creator_id`, string(id)) })
	if filter.States != nil {
		l.where(buildStateIn(filter.States))
	}
	if filter.ShownStates != nil {
		l.where(buildShownIn(filter.ShownStates))
	}
	for _, key := range slices.Sorted(maps.Keys(filter.MetaData)) {
		whereMetaData(l, key+":"+filter.MetaData[key],
			clauseOf(`? AND ?`, equals(`md.key`, key), equals(`md.value`, filter.MetaData[key])))
	}
	for _, pair := range filter.Pairs {
		whereMetaData(l, pair, equals(`md.key || ':' || md.value`, pair))
	}
}

// whereMetaData restricts the list to the builds with meta-data md that fulfils a condition, and whose key and value
// are that pair.
func whereMetaData(l *List[*domain.BuildView], pair string, condition clause) {
	if !domain.ValidText(pair) {
		l.where(noRows)
		return
	}
	l.whereSparse(
		clauseOf(`EXISTS (SELECT 1 FROM build_meta_data md WHERE md.build_id = b.id AND ?)`, condition),
		clauseOf(`SELECT md.build_id FROM build_meta_data md WHERE `+indexedPair+` = ? AND ?`, firstCharacters(pair, 200),
			condition))
}

// indexedPair is what an index has of a pair: a value may be longer than an index can hold.
const indexedPair = `substr(md.key || ':' || md.value, 1, 200)`

func firstCharacters(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// buildShownIn is the condition that REST shows a build b in one of the states. One that waits for a person is shown as
// its blocked state, and found as blocked too.
func buildShownIn(states []flow.BuildState) clause {
	if slices.Contains(states, flow.BuildBlocked) || !slices.ContainsFunc(states, flow.BuildState.IsBlockedState) {
		return buildStateIn(states)
	}
	return clauseOf(`? AND (b.state <> ? OR ?)`, buildStateIn(append(slices.Clone(states), flow.BuildBlocked)),
		flow.BuildBlocked, oneOf(`b.blocked_state`, states))
}

// maxWrittenStates is how many states are written into a statement: each combination is a statement of its own.
const maxWrittenStates = 2

// buildStateIn is the condition that a build is in one of the states. Few states are written into the statement, since
// PostgreSQL then knows whether builds in them are rare.
func buildStateIn(states []flow.BuildState) clause {
	if len(states) == 0 || len(states) > maxWrittenStates {
		return oneOf(`b.state`, states)
	}
	written := make([]string, 0, maxWrittenStates)
	for _, state := range flow.BuildStates {
		if slices.Contains(states, state) {
			written = append(written, `'`+string(state)+`'`)
		}
	}
	if len(written) == 0 {
		return noRows
	}
	return clauseOf(`b.state IN (` + strings.Join(written, `, `) + `)`)
}

// anyOf is the condition that one of those holds which condition makes of the values.
func anyOf(values []string, condition func(string) clause) clause {
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = condition(value)
	}
	return clauseOf(`(`+strings.Repeat(`? OR `, len(values)-1)+`?)`, args...)
}

// matchesPattern is the condition that a column has a text in which * stands for any text.
func matchesPattern(column, pattern string) clause {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return equals(column, pattern)
	}
	if !domain.ValidText(pattern) {
		return noRows
	}
	// LIKE finds the order of the parts. On SQLite it takes no notice of case, so each part is compared too.
	condition := clauseOf(column+` LIKE ? ESCAPE '\'`, strings.ReplaceAll(likeEscapes.Replace(pattern), "*", "%"))
	also := func(text string, args ...any) {
		condition = clauseOf(`? AND `+text, append([]any{condition}, args...)...)
	}
	if first := parts[0]; first != "" {
		also(`substr(`+column+`, 1, length(?)) = ?`, first, first)
	}
	for _, part := range parts[1 : len(parts)-1] {
		if part != "" {
			also(`replace(`+column+`, ?, '') <> `+column, part)
		}
	}
	if last := parts[len(parts)-1]; last != "" {
		also(`substr(`+column+`, length(`+column+`) - length(?) + 1) = ?`, last, last)
	}
	return clauseOf(`(?)`, condition)
}

// JobsOfBuilds lists the jobs of builds in their order.
func JobsOfBuilds(filter domain.JobFilter) List[*domain.JobView] {
	l := newList(JobRows, "jobs of a build", `j.build_id`, `builds`, filter)
	l.sortBy(textKey(`j.position`, func(j *domain.JobView) string { return j.Position }),
		Key[*domain.JobView]{column: clauseOf(`j.upload_index`), isNumber: true, value: func(j *domain.JobView) any {
			return j.UploadIndex
		}})
	for _, condition := range jobConditions(filter) {
		l.where(condition)
	}
	return l
}

// jobIsShown is the condition that a job j was not taken away by an upload that replaces it.
func jobIsShown() clause {
	return clauseOf(`(jr.broken_reason IS NULL OR jr.broken_reason <> ?)`, domain.ReplacedReason)
}

// jobConditions are what holds for the jobs j that a filter chooses.
func jobConditions(filter domain.JobFilter) []clause {
	conditions := []clause{jobIsShown()}
	if filter.UpTo != nil {
		conditions = append(conditions, clauseOf(`j.position <= ?`, *filter.UpTo))
	}
	if filter.NewestOnly {
		conditions = append(conditions, clauseOf(`jr.retried_by_id IS NULL`))
	}
	if filter.ShownStates != nil {
		conditions = append(conditions, shownIn(filter.ShownStates))
	}
	for _, key := range []struct {
		value *string
		step  string
	}{{filter.StepKey, `bs.id`}, {filter.GroupKey, `bs.group_id`}} {
		if key.value != nil {
			conditions = append(conditions, clauseOf(`j.step_id IN (SELECT bs.id FROM build_steps bs
				JOIN build_steps ks ON ks.id = `+key.step+`
				WHERE bs.build_id = j.build_id AND ?)`, equals(`ks.step_key`, *key.value)))
		}
	}
	return conditions
}

// shownIn is the condition that REST shows a job j in one of the states.
func shownIn(names []string) clause {
	if len(names) == 0 {
		return noRows
	}
	const failed = `(jr.outcome = '` + string(flow.HardFailed) + `' OR jr.soft_failed)`
	return anyOf(names, func(name string) clause {
		switch name {
		case "passed":
			return clauseOf(`(jr.state = 'finished' AND NOT ` + failed + ` OR jr.state = 'timed_out' AND jr.outcome = 'passed')`)
		case "failed":
			return clauseOf(`(jr.state = 'finished' AND ` + failed + `)`)
		case "timed_out":
			return clauseOf(`(jr.state = 'timed_out' AND jr.outcome <> 'passed')`)
		case "scheduled":
			return clauseOf(`jr.state IN ('limiting', 'limited', 'scheduled')`)
		case "not_run":
			return clauseOf(`jr.state IN ('skipped', 'broken')`)
		}
		return equals(`jr.state`, name)
	})
}

// AgentsOf lists the agents of organizations that are connected, the newest first.
func AgentsOf(filter domain.AgentFilter) List[*domain.AgentView] {
	l := newList(AgentRows, "agents", `a.organization_id`, `organizations`, filter)
	l.sortBy(timeKey(`a.created_at`, func(a *domain.AgentView) time.Time { return a.CreatedAt }))
	l.descending = true
	l.whereIndexed(clauseOf(`a.state IN ('connected', 'stopping')`))
	whereIf(&l, filter.Name, func(name string) clause { return equals(`a.name`, name) })
	whereIf(&l, filter.Hostname, func(hostname string) clause { return equals(`a.hostname`, hostname) })
	whereIf(&l, filter.Version, func(version string) clause { return equals(`a.version`, version) })
	whereIf(&l, filter.Queue, func(id domain.QueueID) clause { return clauseOf(`a.queue_id = ?`, id) })
	if filter.Text != "" {
		l.where(contains(`lower(a.name)`, strings.ToLower(filter.Text)))
	}
	if filter.QueueKey != "" {
		l.where(clauseOf(`a.queue_id IN (SELECT id FROM cluster_queues WHERE ?)`, equals(`key`, filter.QueueKey)))
	}
	whereIf(&l, filter.Running, func(running bool) clause { return yesOrNot(running, clauseOf(`a.job_id IS NOT NULL`)) })
	return l
}

// StepUploadsOf lists the uploads of builds, the newest first.
func StepUploadsOf(filter domain.StepUploadFilter) List[*domain.StepUploadView] {
	l := newList(StepUploadRows, "step uploads", `su.build_id`, `builds`, filter)
	l.sortBy(timeKey(`su.created_at`, func(u *domain.StepUploadView) time.Time { return u.CreatedAt }))
	l.descending = true
	whereIf(&l, filter.Job, func(id domain.JobID) clause { return clauseOf(`su.job_id = ?`, id) })
	return l
}

// BuildView returns a build.
func (tx Tx) BuildView(id domain.BuildID) (*domain.BuildView, bool, error) {
	return findOne(tx, BuildRows, string(id))
}

// JobView returns a job.
func (tx Tx) JobView(id domain.JobID) (*domain.JobView, bool, error) {
	return findOne(tx, JobRows, string(id))
}

// AgentView returns an agent.
func (tx Tx) AgentView(id domain.AgentID) (*domain.AgentView, bool, error) {
	return findOne(tx, AgentRows, string(id))
}

// findOne returns the thing with that id, which everybody sees who may ask for it.
func findOne[T any](tx Tx, rows Rows[*T], id string) (*T, bool, error) {
	found, err := rows.Find(tx, Viewer{}, []string{id})
	if err != nil || len(found) == 0 {
		return new(T), false, err
	}
	return found[0].Thing, true, nil
}

// AddMetaData reads the meta-data of builds, in one statement.
func (tx Tx) AddMetaData(views []*domain.BuildView) error {
	perID := make(map[string]*domain.BuildView, len(views))
	for _, v := range views {
		v.MetaData, perID[string(v.ID)] = map[string]string{}, v
	}
	return eachChunk(slices.Collect(maps.Keys(perID)), func(some []string) error {
		return tx.run(clauseOf(`SELECT build_id, key, value FROM build_meta_data WHERE ?`, oneOf(`build_id`, some)),
			func(r *db.Row) error {
				v, key := perID[r.Text()], r.Text()
				v.MetaData[key] = r.Text()
				return nil
			})
	})
}

// AddJobs reads those of the builds' jobs that the filter chooses, with their steps and agents, in three statements.
func (tx Tx) AddJobs(views []*domain.BuildView, filter domain.JobFilter) error {
	perID := make(map[string]*domain.BuildView, len(views))
	for _, v := range views {
		v.Jobs, perID[string(v.ID)] = []*domain.JobView{}, v
	}
	var all []*domain.JobView
	err := eachChunk(slices.Collect(maps.Keys(perID)), func(some []string) error {
		var a arguments
		where := a.writeAll(append([]clause{oneOf(`j.build_id`, some)}, jobConditions(filter)...))
		var c columns
		return tx.Query(`SELECT `+jobView.columns+` FROM `+jobTables+` `+jobJoins+` WHERE `+where+
			` ORDER BY j.build_id, j.position, j.upload_index, j.id`,
			func(r *db.Row) error {
				c.row = r
				j := new(domain.JobView)
				jobView.read(&c, j)
				build := perID[string(j.BuildID)]
				build.Jobs, all = append(build.Jobs, j), append(all, j)
				return c.err
			}, a.values...)
	})
	if err != nil {
		return err
	}
	return tx.AddToJobs(all)
}

// AddJobCounts counts the newest attempts at the builds' jobs by the state that REST shows, in one statement.
func (tx Tx) AddJobCounts(views []*domain.BuildView) error {
	perID := make(map[string]*domain.BuildView, len(views))
	for _, v := range views {
		v.JobCounts, perID[string(v.ID)] = map[string]int64{}, v
	}
	return eachChunk(slices.Collect(maps.Keys(perID)), func(some []string) error {
		return tx.run(clauseOf(`SELECT j.build_id, jr.state, jr.outcome, jr.soft_failed, count(*)
			FROM `+jobTables+` WHERE ? AND jr.retried_by_id IS NULL AND ?
			GROUP BY j.build_id, jr.state, jr.outcome,
			jr.soft_failed`, oneOf(`j.build_id`, some), jobIsShown()), func(r *db.Row) error {
			v := perID[r.Text()]
			j := domain.Job{State: flow.JobState(r.Text()), Outcome: flow.Outcome(r.Text()), SoftFailed: r.Bool()}
			v.JobCounts[j.ShownState()] += r.Int()
			return nil
		})
	})
}

// AddToJobs reads the steps and the agents of jobs, in two statements, and who retried them, in a third if anybody did.
func (tx Tx) AddToJobs(jobs []*domain.JobView) error {
	steps, agents := map[string]bool{}, map[string]bool{}
	for _, j := range jobs {
		steps[string(j.StepID)] = true
		if j.AgentID != nil {
			agents[string(*j.AgentID)] = true
		}
	}
	var stepsByID map[domain.StepID]*domain.StepView
	var found []Found[*domain.AgentView]
	if err := tx.Together(
		func() (err error) {
			stepsByID, err = tx.StepViews(slices.Sorted(maps.Keys(steps)))
			return err
		},
		func() (err error) {
			found, err = AgentRows.Find(tx, Viewer{}, slices.Sorted(maps.Keys(agents)))
			return err
		},
		func() error { return tx.addRetriers(jobs) },
	); err != nil {
		return err
	}
	agentsByID := make(map[string]*domain.AgentView, len(found))
	for _, f := range found {
		agentsByID[f.ID] = f.Thing
	}
	for _, j := range jobs {
		j.Step = stepsByID[j.StepID]
		if j.AgentID != nil {
			j.Agent = agentsByID[string(*j.AgentID)]
		}
	}
	return nil
}

// addRetriers reads who ran jobs again.
func (tx Tx) addRetriers(jobs []*domain.JobView) error {
	var retried []domain.JobID
	for _, j := range jobs {
		if j.RetriedByID != nil {
			retried = append(retried, j.ID)
		}
	}
	retriers := map[domain.JobID]*domain.User{}
	err := eachChunk(retried, func(some []domain.JobID) error {
		var c columns
		return tx.run(clauseOf(`SELECT e.job_id, `+users.columns+
			` FROM job_events e JOIN users u ON u.id = e.user_id WHERE ? AND e.type = 'RETRIED'`,
			oneOf(`e.job_id`, some)), func(r *db.Row) error {
			job, user := domain.JobID(r.Text()), new(domain.User)
			c.row = r
			users.read(&c, user)
			retriers[job] = user
			return c.err
		})
	})
	for _, j := range jobs {
		j.RetriedBy = retriers[j.ID]
	}
	return err
}

// StepViews returns steps by their ids.
func (tx Tx) StepViews(ids []string) (map[domain.StepID]*domain.StepView, error) {
	views := make(map[domain.StepID]*domain.StepView, len(ids))
	err := eachChunk(ids, func(some []string) error {
		var c columns
		return tx.run(clauseOf(`SELECT `+stepRows.columns+` FROM build_steps bs WHERE ?`, oneOf(`bs.id`, some)),
			func(r *db.Row) error {
				v := new(domain.StepView)
				c.row = r
				stepRows.read(&c, &v.Step)
				v.Signature = signatureOf(v.Source)
				views[v.ID] = v
				return c.err
			})
	})
	return views, err
}

// signatureOf returns the signature of a step as it was uploaded; nil if it has none.
func signatureOf(source string) []byte {
	if !strings.Contains(source, `"signature"`) {
		return nil
	}
	var signed struct {
		Signature jsontext.Value `json:"signature"`
	}
	if json.Unmarshal([]byte(source), &signed) != nil || signed.Signature.Kind() != '{' {
		return nil
	}
	return signed.Signature
}

// AddAgentJobs reads the jobs that agents have, with their steps.
func (tx Tx) AddAgentJobs(agents []*domain.AgentView) error {
	perID := make(map[string]*domain.AgentView, len(agents))
	for _, a := range agents {
		perID[string(a.ID)] = a
	}
	var found []*domain.JobView
	err := eachChunk(slices.Collect(maps.Keys(perID)), func(some []string) error {
		return readPointers(tx, jobView, clauseOf(`SELECT `+jobView.columns+` FROM `+jobTables+
			` JOIN agents ja ON ja.job_id = j.id `+jobJoins+` WHERE ?`, oneOf(`ja.id`, some)), &found)
	})
	if err != nil {
		return err
	}
	var steps []string
	for _, j := range found {
		steps = append(steps, string(j.StepID))
		perID[string(*j.AgentID)].Job = j
	}
	views, err := tx.StepViews(steps)
	for _, j := range found {
		j.Step = views[j.StepID]
	}
	return err
}

// AddCreatedJobs reads which jobs came of uploads to a build.
func (tx Tx) AddCreatedJobs(build domain.BuildID, uploads []*domain.StepUploadView) error {
	perID := make(map[string]*domain.StepUploadView, len(uploads))
	for _, u := range uploads {
		perID[string(u.ID)] = u
	}
	return eachChunk(slices.Collect(maps.Keys(perID)), func(some []string) error {
		return tx.run(clauseOf(`SELECT bs.upload_id, j.id FROM build_steps bs JOIN jobs j ON j.step_id = bs.id
			WHERE bs.build_id = ? AND ? AND j.retry_source_id IS NULL
			ORDER BY j.position, j.upload_index, j.id`, build, oneOf(`bs.upload_id`, some)),
			func(r *db.Row) error {
				u := perID[r.Text()]
				u.CreatedJobs = append(u.CreatedJobs, domain.JobID(r.Text()))
				return nil
			})
	})
}
