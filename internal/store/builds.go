package store

import (
	"maps"
	"slices"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

var buildRows = tableOf("builds", "b", func(c *columns, b *domain.Build) {
	mapText(c, "id", &b.ID)
	mapText(c, "organization_id", &b.OrganizationID)
	mapText(c, "pipeline_id", &b.PipelineID)
	mapNullText(c, "cluster_id", &b.ClusterID)
	mapInt(c, "number", &b.Number)
	mapText(c, "source", &b.Source)
	mapText(c, "branch", &b.Branch)
	mapText(c, "tag", &b.Tag)
	mapJSON(c, "env", &b.Env)
	mapBool(c, "clean_checkout", &b.CleanCheckout)
	mapBool(c, "ignore_branches", &b.IgnoreBranches)
	mapJSON(c, "pull_request", &b.PullRequest)
	mapNullText(c, "rebuilt_from_id", &b.RebuiltFromID)
	mapNullText(c, "triggered_from_id", &b.TriggeredFromID)
	mapInt(c, "trigger_depth", &b.TriggerDepth)
	mapBuildOrigin(c, &b.Origin)
	mapJSON(c, "event", &b.Event)
	mapJSON(c, "publishing", &b.Publishing)
	mapTime(c, "created_at", &b.CreatedAt)
	c.changing()
	mapText(c, "message", &b.Message)
	mapText(c, "author_name", &b.Author.Name)
	mapText(c, "author_email", &b.Author.Email)
	mapText(c, "commit_sha", &b.Commit)
	mapBool(c, "commit_resolved", &b.CommitResolved)
	mapText(c, "state", &b.State)
	mapText(c, "blocked_state", &b.BlockedState)
	mapBool(c, "is_created", &b.Fate.Created)
	mapBool(c, "is_skipped", &b.Fate.Skipped)
	mapBool(c, "is_canceled", &b.Fate.Canceled)
	mapNullText(c, "cancel_reason", &b.CancelReason)
	mapNullTime(c, "scheduled_at", &b.ScheduledAt)
	mapNullTime(c, "started_at", &b.StartedAt)
	mapNullTime(c, "failing_at", &b.FailingAt)
	mapNullTime(c, "finished_at", &b.FinishedAt)
	mapJSON(c, "upload_env", &b.UploadEnv)
	mapJSON(c, "notifications", &b.Notifications)
	mapInt(c, "uploads", &b.Uploads)
	mapInt(c, "jobs_made", &b.JobsMade)
	mapCount(c, "jobs_count", &b.Counts.Jobs)
	mapCount(c, "jobs_moving", &b.Counts.Moving)
	mapCount(c, "jobs_held", &b.Counts.Held)
	mapCount(c, "jobs_waiting", &b.Counts.Waiting)
	mapCount(c, "jobs_started", &b.Counts.Started)
	mapCount(c, "jobs_hard_failed", &b.Counts.HardFailed)
	mapCount(c, "jobs_not_run", &b.Counts.NotRun)
})

// mapBuildOrigin is the origin of a build that a job created.
func mapBuildOrigin(c *columns, field **domain.BuildOrigin) {
	var origin domain.BuildOrigin
	switch {
	case c.row == nil && *field == nil:
		for _, name := range []string{"origin_branch", "origin_tag", "origin_build_id"} {
			c.add(name, cell{})
		}
		return
	case c.row == nil:
		origin = **field
	case c.row.Null():
		c.row.Skip(3)
		return
	default:
		*field = &origin
	}
	mapText(c, "origin_branch", &origin.Branch)
	mapText(c, "origin_tag", &origin.Tag)
	mapText(c, "origin_build_id", &origin.BuildID)
}

// InsertBuild stores a new build.
func (tx Tx) InsertBuild(b domain.Build, creator domain.UserID) error {
	tx.locks.made(buildLock, string(b.ID))
	return buildRows.insert(tx.exec, b, setUser("creator_id", creator))
}

// UpdateBuild stores what has changed about a build that is locked.
func (tx Tx) UpdateBuild(before, now *domain.Build) error {
	return buildRows.updateChanged(tx.Later, before, now)
}

// BuildRowChanges are rows of builds that are written together, and what follows for others.
type BuildRowChanges struct {
	NewSteps        []domain.Step
	NewJobs         []domain.Job
	NewDependencies []domain.StepDependency
	Steps           []StepChange
	Jobs            []JobChange
	Dependencies    []DependencyChange
	Builds          []BuildChange
	Events          []domain.JobEvent
	Waits           []QueueWait
	Releases        []AgentRelease
	Tasks           []Task
	TasksDue        int64
}

// StepChange is a step before and after a change.
type StepChange struct{ Before, Now *domain.Step }

// DependencyChange is a dependency before and after a change.
type DependencyChange struct{ Before, Now *domain.StepDependency }

// BuildChange is a build before and after a change.
type BuildChange struct{ Before, Now *domain.Build }

// StoreBuildRows stores changes of builds that are locked: each kind of row in one go.
func (tx Tx) StoreBuildRows(rows BuildRowChanges) error {
	steps, dependencies, changed := make([]rowChange[domain.Step], len(rows.Steps)),
		make([]rowChange[domain.StepDependency], len(rows.Dependencies)), make([]rowChange[domain.Build], len(rows.Builds))
	for i, c := range rows.Steps {
		steps[i] = rowChange[domain.Step]{before: c.Before, now: c.Now}
	}
	for i, c := range rows.Dependencies {
		dependencies[i] = rowChange[domain.StepDependency]{before: c.Before, now: c.Now}
	}
	for i, c := range rows.Builds {
		changed[i] = rowChange[domain.Build]{before: c.Before, now: c.Now}
	}
	events := newEventsOf(rows.Events)
	for _, store := range []func() error{
		func() error { return stepRows.insertAll(tx, rows.NewSteps) },
		func() error { return tx.insertJobs(rows.NewJobs, events) },
		func() error { return dependencyRows.insertAll(tx, rows.NewDependencies) },
		func() error { return tx.updateJobs(rows.Jobs, events) },
		func() error { return tx.ReleaseAgents(rows.Releases) },
		func() error { return stepRows.updateAll(tx, steps) },
		func() error { return dependencyRows.updateAll(tx, dependencies) },
		func() error { return tx.insertEvents(events) },
		func() error { return tx.InsertQueueWaits(rows.Waits) },
		func() error { return tx.InsertTasks(rows.Tasks, rows.TasksDue) },
		func() error { return buildRows.updateAll(tx, changed) },
	} {
		if err := store(); err != nil {
			return err
		}
	}
	return nil
}

// SetBuildCanceler records who canceled a build.
func (tx Tx) SetBuildCanceler(id domain.BuildID, user domain.UserID) error {
	return tx.Later(`UPDATE builds SET canceled_by = $1 WHERE id = $2`, user, id)
}

// Build returns a build.
func (tx Tx) Build(id domain.BuildID) (domain.Build, bool, error) {
	return selectOne(tx, buildRows.read, `SELECT `+buildRows.columns+` FROM builds b WHERE b.id = $1`, id)
}

// BuildIDByNumber returns the id of a pipeline's build.
func (tx Tx) BuildIDByNumber(pipeline domain.PipelineID, number int64) (domain.BuildID, bool, error) {
	return one(tx, scanID[domain.BuildID], `SELECT id FROM builds WHERE pipeline_id = $1 AND number = $2`, pipeline,
		number)
}

// NextBuildNumber returns the number of a pipeline's next build. The transaction has locked the pipeline.
func (tx Tx) NextBuildNumber(pipeline domain.PipelineID) (number int64, err error) {
	_, err = tx.One(
		`UPDATE pipelines SET next_build_number = next_build_number + 1 WHERE id = $1 RETURNING next_build_number - 1`,
		func(r *db.Row) { number = r.Int() }, pipeline)
	return number, err
}

// OlderBuilds are the builds of a branch that are older than one of a number and not over.
type OlderBuilds struct {
	Pipeline domain.PipelineID
	Branch   string
	Number   int64
	Queued   bool // those of which nothing has started
	Running  bool // those of which something has, and those that wait for a person
}

// OlderBuilds returns the builds that a newer one of their branch may supersede.
func (tx Tx) OlderBuilds(o OlderBuilds) ([]domain.BuildID, error) {
	return all(tx, scanID[domain.BuildID], olderBuilds, o.Pipeline, o.Branch, o.Number, o.Queued, o.Running)
}

const olderBuilds = `SELECT id FROM builds WHERE pipeline_id = $1 AND branch = $2 AND number < $3
	AND finished_at IS NULL
	AND NOT is_canceled AND (jobs_started = 0 AND state IN ('creating', 'scheduled') AND $4
		OR (jobs_started > 0 OR state = 'blocked') AND $5) ORDER BY id`

var stepRows = tableOf("build_steps", "bs", func(c *columns, s *domain.Step) {
	mapText(c, "id", &s.ID)
	mapText(c, "build_id", &s.BuildID)
	mapNullText(c, "parent_id", &s.ParentID)
	mapNullText(c, "group_id", &s.GroupID)
	mapText(c, "kind", &s.Kind)
	mapNullText(c, "step_key", &s.Key)
	mapText(c, "position", &s.Position)
	mapText(c, "source", &s.Source)
	mapJSON(c, "definition", &s.Definition)
	mapNullText(c, "upload_id", &s.UploadID)
	c.changing()
	mapText(c, "label", &s.Label)
	mapText(c, "notify", &s.Notify)
	mapJSON(c, "updates", &s.Updates)
	mapCount(c, "open_jobs", &s.Counters.OpenJobs)
	mapCount(c, "failed_jobs", &s.Counters.FailedJobs)
	mapCount(c, "canceled_jobs", &s.Counters.CanceledJobs)
	mapCount(c, "open_children", &s.Counters.OpenChildren)
	mapCount(c, "failed_children", &s.Counters.FailedChildren)
	mapCount(c, "canceled_children", &s.Counters.CanceledChildren)
	mapCount(c, "open_edges", &s.Counters.OpenEdges)
	mapCount(c, "held_edges", &s.Counters.HeldEdges)
	mapCount(c, "failed_edges", &s.Counters.FailedEdges)
	if c.row != nil { // the figures name the step, as the machine knows it
		s.Counters.ID, s.Counters.Kind = string(s.ID), s.Kind
		if s.ParentID != nil {
			s.Counters.Parent = string(*s.ParentID)
		}
	}
})

// UpdateStep stores what has changed about a step of a build that is locked.
func (tx Tx) UpdateStep(before, now *domain.Step) error {
	return stepRows.updateChanged(tx.Later, before, now)
}

// Step returns a step.
func (tx Tx) Step(id domain.StepID) (domain.Step, bool, error) {
	return selectOne(tx, stepRows.read, `SELECT `+stepRows.columns+` FROM build_steps bs WHERE bs.id = $1`, id)
}

// Steps returns steps by their ids.
func (tx Tx) Steps(ids []domain.StepID) (found []domain.Step, err error) {
	err = eachChunk(ids, func(some []domain.StepID) error {
		var a arguments
		rows, err := selectAll(tx, stepRows.read, a.write(clauseOf(`SELECT `+stepRows.columns+` FROM build_steps bs WHERE ?`,
			oneOf(`bs.id`, some))), a.values...)
		found = append(found, rows...)
		return err
	})
	return found, err
}

// StepsOfGroup returns which steps a group of a build has.
func (tx Tx) StepsOfGroup(build domain.BuildID, group domain.StepID) ([]domain.StepID, error) {
	return all(tx, scanID[domain.StepID], `SELECT id FROM build_steps WHERE build_id = $1 AND group_id = $2 ORDER BY id`,
		build, group)
}

// StepsOf returns the steps of a build in their order.
func (tx Tx) StepsOf(build domain.BuildID) ([]domain.Step, error) {
	return selectAll(tx, stepRows.read, `SELECT `+stepRows.columns+
		` FROM build_steps bs WHERE bs.build_id = $1 ORDER BY bs.position`, build)
}

// StepKey is a step that has a key.
type StepKey struct {
	Key     string
	ID      domain.StepID
	IsGroup bool
}

// StepKeys returns the keys that steps of a build have.
func (tx Tx) StepKeys(build domain.BuildID) ([]StepKey, error) {
	return all(tx, func(r *db.Row) StepKey {
		return StepKey{r.Text(), domain.StepID(r.Text()), r.Text() == "group"}
	}, `SELECT step_key, id, kind FROM build_steps WHERE build_id = $1 AND step_key IS NOT NULL`, build)
}

var dependencyRows = tableOf("step_dependencies", "sd", func(c *columns, d *domain.StepDependency) {
	mapText(c, "id", &d.ID)
	mapText(c, "build_id", &d.BuildID)
	mapText(c, "step_id", &d.Edge.Step)
	mapBool(c, "own_only", &d.Edge.OwnOnly)
	mapBool(c, "allow_failure", &d.Edge.AllowFailure)
	mapNullText(c, "on_key", &d.OnKey)
	c.changing()
	mapStep(c, "on_step_id", &d.Edge.On)
	mapText(c, "state", &d.Edge.State)
})

// mapStep is a column that has a step's id, or null for "".
func mapStep(c *columns, name string, field *string) {
	if c.row != nil {
		*field = c.row.Text()
		return
	}
	if *field == "" {
		c.add(name, cell{})
		return
	}
	c.add(name, textOf(*field))
}

// DependenciesOn returns who waits for steps.
func (tx Tx) DependenciesOn(steps []domain.StepID) (found []domain.StepDependency, err error) {
	err = eachChunk(steps, func(some []domain.StepID) error {
		var a arguments
		sql := a.write(clauseOf(`SELECT `+dependencyRows.columns+` FROM step_dependencies sd WHERE ? ORDER BY sd.id`,
			oneOf(`sd.on_step_id`, some)))
		rows, err := selectAll(tx, dependencyRows.read, sql, a.values...)
		found = append(found, rows...)
		return err
	})
	return found, err
}

// DependenciesOnNothing returns who waits, in a build, for a key that no step has.
func (tx Tx) DependenciesOnNothing(build domain.BuildID) ([]domain.StepDependency, error) {
	return selectAll(tx, dependencyRows.read, `SELECT `+dependencyRows.columns+` FROM step_dependencies sd
		WHERE sd.build_id = $1 AND sd.on_step_id IS NULL AND sd.state = $2 ORDER BY sd.id`, build, flow.EdgeOpen)
}

// DependenciesOf returns all dependencies between the steps of a build.
func (tx Tx) DependenciesOf(build domain.BuildID) ([]domain.StepDependency, error) {
	return selectAll(tx, dependencyRows.read, `SELECT `+dependencyRows.columns+
		` FROM step_dependencies sd WHERE sd.build_id = $1 ORDER BY sd.id`, build)
}

var uploadRows = tableOf("step_uploads", "su", func(c *columns, u *domain.StepUpload) {
	mapText(c, "id", &u.ID)
	mapText(c, "build_id", &u.BuildID)
	mapText(c, "job_id", &u.JobID)
	mapTime(c, "created_at", &u.CreatedAt)
	mapBool(c, "is_applied", &u.Applied)
	mapBool(c, "replaces", &u.Replaces)
	mapText(c, "message", &u.Message)
	mapText(c, "document", &u.Document)
})

// InsertStepUpload stores what came of an upload.
func (tx Tx) InsertStepUpload(u domain.StepUpload) error { return uploadRows.insert(tx.exec, u) }

// UploadStats returns how many uploads of a build are stored, and how many bytes they have.
func (tx Tx) UploadStats(build domain.BuildID) (count, size int64, err error) {
	_, err = tx.One(
		`SELECT count(*), COALESCE(CAST(sum(octet_length(document)) AS BIGINT), 0) FROM step_uploads WHERE build_id = $1`,
		func(r *db.Row) { count, size = r.Int(), r.Int() }, build)
	return count, size, err
}

// StepUpload returns an upload.
func (tx Tx) StepUpload(id domain.UploadID) (domain.StepUpload, bool, error) {
	return selectOne(tx, uploadRows.read, `SELECT `+uploadRows.columns+` FROM step_uploads su WHERE su.id = $1`, id)
}

// Task is something that follows from a change and is done in a transaction of its own.
type Task struct {
	ID    string
	Kind  string
	Build domain.BuildID
	Job   domain.JobID // "": none
}

// The kinds of tasks.
const (
	TaskTrigger    = "trigger"     // create the build that a trigger job is for
	TaskTellParent = "tell parent" // end the trigger job that waits for a build
	TaskSupersede  = "supersede"   // skip or cancel older builds of the branch

	TaskBranchDeleted = "branch_deleted" // cancel the build
)

// InsertTasks stores tasks, which are due at a time.
func (tx Tx) InsertTasks(tasks []Task, due int64) error {
	for _, t := range tasks {
		if err := tx.InsertTask(t, due); err != nil {
			return err
		}
	}
	return nil
}

// InsertTask stores a task, which is due at once.
func (tx Tx) InsertTask(t Task, due int64) error {
	return tx.Later(
		`INSERT INTO build_tasks (id, kind, build_id, job_id, due_at, attempts) VALUES ($1, $2, $3, $4, $5, 0)`,
		t.ID, t.Kind, t.Build, orNull(t.Job), due)
}

// DueTasks returns some tasks that are due, the oldest first. Those of other kinds are for servers of a newer release.
func (tx Tx) DueTasks(now int64, limit int) ([]Task, error) {
	return all(tx, func(r *db.Row) Task {
		return Task{r.Text(), r.Text(), domain.BuildID(r.Text()), domain.JobID(r.Text())}
	}, dueTasks, now, limit)
}

var dueTasks = `SELECT id, kind, build_id, job_id FROM build_tasks
	WHERE due_at <= $1 AND kind
	IN ('` + TaskTrigger + `', '` + TaskTellParent + `', '` + TaskSupersede + `', '` + TaskBranchDeleted + `')` +
	ifDue(RunBuildTasks, "build_tasks.id", "$1") + ` ORDER BY due_at, id LIMIT $2`

// DeleteTask removes a task that is done, and reports whether nobody else had.
func (tx Tx) DeleteTask(id string) (bool, error) {
	changed, err := tx.Exec(`DELETE FROM build_tasks WHERE id = $1`, id)
	return changed > 0, err
}

// SetMetaData stores values of a build by their keys.
func (tx Tx) SetMetaData(build domain.BuildID, values map[string]string) error {
	rows := make([][]any, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) { // so that two who do this do not wait for each other
		rows = append(rows, []any{build, key, values[key]})
	}
	return tx.InsertSet(tx.Later, db.RowSet{
		Table: "build_meta_data", Columns: []string{"build_id", "key", "value"}, Rows: rows,
		OnConflict: "ON CONFLICT (build_id, key) DO UPDATE SET value = excluded.value",
	})
}

// MetaDataStats returns how many values a build has, and how many bytes they have with their keys.
func (tx Tx) MetaDataStats(build domain.BuildID) (count, size int64, err error) {
	_, err = tx.One(
		`SELECT count(*), COALESCE(CAST(sum(octet_length(key) + octet_length(value)) AS BIGINT), 0) FROM build_meta_data
			WHERE build_id = $1`,
		func(r *db.Row) { count, size = r.Int(), r.Int() }, build)
	return count, size, err
}

// MetaData returns the value that a build has under a key.
func (tx Tx) MetaData(build domain.BuildID, key string) (string, bool, error) {
	return one(tx, scanID[string], `SELECT value FROM build_meta_data WHERE build_id = $1 AND key = $2`, build, key)
}

// MetaDataKeys returns the keys under which a build has values.
func (tx Tx) MetaDataKeys(build domain.BuildID) ([]string, error) {
	return all(tx, scanID[string], `SELECT key FROM build_meta_data WHERE build_id = $1 ORDER BY key`, build)
}

// SetStepKey sets the key of a step that had none.
func (tx Tx) SetStepKey(id domain.StepID, key string) error {
	return tx.Later(`UPDATE build_steps SET step_key = $1 WHERE id = $2`, key, id)
}

// ClearStepKeys takes the keys of steps away.
func (tx Tx) ClearStepKeys(ids []domain.StepID) error {
	cleared := db.RowSet{Table: "build_steps", Columns: []string{"id", "step_key"}}
	for _, id := range ids {
		cleared.Rows = append(cleared.Rows, []any{id, nil})
	}
	return tx.UpdateSet(tx.Later, cleared)
}

// orNull is null for "".
func orNull[S ~string](value S) any {
	if value == "" {
		return nil
	}
	return string(value)
}

// BuildCreator returns who created a build; "" for nobody.
func (tx Tx) BuildCreator(id domain.BuildID) (domain.UserID, error) {
	creator, _, err := one(tx, scanID[domain.UserID], `SELECT creator_id FROM builds WHERE id = $1`, id)
	return creator, err
}

// SetTriggeredBuild records which build a trigger job has created.
func (tx Tx) SetTriggeredBuild(job domain.JobID, build domain.BuildID) error {
	return tx.exec(`UPDATE job_runs SET triggered_build_id = $1 WHERE job_id = $2`, build, job)
}

// PipelineByID returns a pipeline.
func (tx Tx) PipelineByID(id domain.PipelineID) (domain.Pipeline, bool, error) {
	return selectOne(tx, pipelines.read, `SELECT `+pipelines.columns+` FROM pipelines p WHERE p.id = $1`, id)
}

// TriggerTarget returns a pipeline, and whether a build may trigger it: who created the build administers the
// organization or can build the pipeline, or a team can build both.
func (tx Tx) TriggerTarget(id domain.PipelineID, parent domain.Build) (p domain.Pipeline, may bool, err error) {
	p, _, err = tx.PipelineByID(id)
	if err != nil {
		return p, false, err
	}
	creator, err := tx.BuildCreator(parent.ID)
	if err != nil {
		return p, false, err
	}
	var a arguments
	sql := a.write(clauseOf(`SELECT 1 FROM pipelines p WHERE p.id = ? AND (? OR EXISTS (SELECT 1
		FROM organization_members m
		WHERE m.organization_id = p.organization_id AND m.user_id = ? AND m.role = 'admin') OR EXISTS (SELECT 1
		FROM team_pipelines a JOIN team_pipelines b ON b.team_id = a.team_id
		WHERE a.pipeline_id = p.id AND b.pipeline_id = ? AND a.access_level <> 'read_only'
		AND b.access_level <> 'read_only'))`,
		id, buildsPipeline(creator), creator, parent.PipelineID))
	may, err = tx.has(sql, a.values...)
	return p, may, err
}

// FirstOfChain returns the first of the builds that triggered each other, down to this one.
func (tx Tx) FirstOfChain(id domain.BuildID) (domain.BuildID, error) {
	for range domain.MaxTriggerDepth {
		above, found, err := one(tx, scanID[domain.BuildID],
			`SELECT j.build_id FROM builds b JOIN jobs j ON j.id = b.triggered_from_id WHERE b.id = $1`, id)
		if err != nil || !found {
			return id, err
		}
		id = above
	}
	return id, nil
}

// CountTriggered counts a build that follows from another one, at the first of those that triggered each other. It
// reports false, and counts nothing, if the limit is reached.
func (tx Tx) CountTriggered(parent domain.BuildID, limit int64) (bool, error) {
	first, err := tx.FirstOfChain(parent)
	if err != nil {
		return false, err
	}
	if _, _, err := tx.LockBuild(first); err != nil {
		return false, err
	}
	changed, err := tx.Exec(
		`UPDATE builds SET builds_triggered = builds_triggered + 1 WHERE id = $1 AND builds_triggered < $2`, first, limit)
	return changed > 0, err
}

// StepByKey returns the step of a build that has a key.
func (tx Tx) StepByKey(build domain.BuildID, key string) (domain.Step, bool, error) {
	return selectOne(tx, stepRows.read, `SELECT `+stepRows.columns+
		` FROM build_steps bs WHERE bs.build_id = $1 AND bs.step_key = $2`, build, key)
}
