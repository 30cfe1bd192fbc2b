package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	pipelineSchedules = tableOf("pipeline_schedules", "sc", func(c *columns, s *domain.PipelineSchedule) {
		mapText(c, "id", &s.ID)
		mapText(c, "organization_id", &s.OrganizationID)
		mapText(c, "pipeline_id", &s.PipelineID)
		mapTime(c, "created_at", &s.CreatedAt)
		c.changing()
		mapText(c, "label", &s.Label)
		mapText(c, "cronline", &s.Cronline)
		mapNullText(c, "message", &s.Message)
		mapText(c, "commit_sha", &s.Commit)
		mapNullText(c, "branch", &s.Branch)
		mapJSON(c, "env", &s.Env)
		mapBool(c, "enabled", &s.Enabled)
		mapNullTime(c, "next_build_at", &s.NextBuildAt)
		mapNullText(c, "failed_message", &s.FailedMessage)
		mapNullTime(c, "failed_at", &s.FailedAt)
	})

	pipelineScheduleView = selecting(func(c *columns, v *domain.PipelineScheduleView) {
		pipelineSchedules.visit(c, &v.PipelineSchedule)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapText(c, "p.slug", &v.PipelineSlug)
		mapNullText(c, "p.default_branch", &v.DefaultBranch)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "sw", &v.Owner)
	})

	// PipelineScheduleRows are the schedules of pipelines.
	PipelineScheduleRows = Rows[*domain.PipelineScheduleView]{
		items: pointersTo(pipelineScheduleView), tables: `pipeline_schedules sc`, joins: pipelineScheduleJoins,
		id:           textKey(`sc.id`, func(s *domain.PipelineScheduleView) string { return string(s.ID) }),
		organization: `sc.organization_id`,
	}
)

const pipelineScheduleJoins = `JOIN organizations o ON o.id = sc.organization_id
	JOIN pipelines p ON p.id = sc.pipeline_id
	LEFT JOIN users cb ON cb.id = sc.created_by LEFT JOIN users sw ON sw.id = sc.owner_id`

// PipelineSchedulesOf lists the schedules of pipelines, the newest first.
func PipelineSchedulesOf() List[*domain.PipelineScheduleView] {
	l := newList(PipelineScheduleRows, "pipeline schedules", `sc.pipeline_id`, `pipelines`)
	l.sortBy(timeKey(`sc.created_at`, func(s *domain.PipelineScheduleView) time.Time { return s.CreatedAt }))
	l.descending = true
	return l
}

// BuildsOfSchedules lists the builds that schedules have created, the newest first.
func BuildsOfSchedules() List[*domain.BuildView] {
	l := newList(BuildRows, "builds of a schedule", `sb.schedule_id`, `pipeline_schedules`)
	l.rows.tables = `scheduled_builds sb JOIN builds b ON b.id = sb.build_id`
	l.sortBy()
	l.descending = true
	return l
}

// PipelineSchedule returns one schedule of a pipeline.
func (tx Tx) PipelineSchedule(pipeline domain.PipelineID, id domain.PipelineScheduleID) (
	domain.PipelineScheduleView, bool, error) {
	return selectOne(tx, pipelineScheduleView.read, `SELECT `+pipelineScheduleView.columns+` FROM pipeline_schedules sc
		`+pipelineScheduleJoins+`
		WHERE sc.pipeline_id = $1 AND sc.id = $2`, pipeline, id)
}

// PipelineOfSchedule returns the id of the pipeline that a schedule belongs to.
func (tx Tx) PipelineOfSchedule(id domain.PipelineScheduleID) (domain.PipelineID, error) {
	pipeline, _, err := one(tx, scanID[domain.PipelineID], `SELECT pipeline_id FROM pipeline_schedules WHERE id = $1`, id)
	return pipeline, err
}

// PipelineSchedulesCount returns how many schedules a pipeline has.
func (tx Tx) PipelineSchedulesCount(pipeline domain.PipelineID) (int64, error) {
	n, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM pipeline_schedules WHERE pipeline_id = $1`, pipeline)
	return n, err
}

// InsertPipelineSchedule stores a new schedule.
func (tx Tx) InsertPipelineSchedule(s domain.PipelineSchedule, by domain.UserID) error {
	return pipelineSchedules.insert(tx.exec, s, setUser("created_by", by), setUser("owner_id", by))
}

// UpdatePipelineSchedule stores the schedule's changed state, and who changed it.
func (tx Tx) UpdatePipelineSchedule(s domain.PipelineSchedule, by domain.UserID) error {
	return pipelineSchedules.update(tx.exec, s, setUser("owner_id", by))
}

// DeletePipelineSchedule deletes a schedule.
func (tx Tx) DeletePipelineSchedule(id domain.PipelineScheduleID) error {
	return tx.exec(`DELETE FROM pipeline_schedules WHERE id = $1`, id)
}

// DueSchedule is a schedule whose time has come.
type DueSchedule struct {
	ID       domain.PipelineScheduleID
	Pipeline domain.PipelineID
}

// DueSchedules returns schedules whose time has come by now, the longest due first. Clock is the database's time.
func (tx Tx) DueSchedules(clock, now time.Time, limit int) ([]DueSchedule, error) {
	return all(tx, func(r *db.Row) DueSchedule {
		return DueSchedule{domain.PipelineScheduleID(r.Text()), domain.PipelineID(r.Text())}
	}, `SELECT sc.id, sc.pipeline_id FROM pipeline_schedules sc WHERE sc.next_build_at <= $1
		AND sc.next_build_at IS NOT NULL`+
		ifDue(CreateScheduledBuilds, "sc.id", "$3")+` ORDER BY sc.next_build_at, sc.id LIMIT $2`,
		db.Micros(now), limit, db.Micros(clock))
}

// AdvanceSchedule sets when a schedule is due next, and what came of it now. It reports false, and changes nothing, if
// another node was first.
func (tx Tx) AdvanceSchedule(s domain.PipelineSchedule, next *time.Time, failed *string, now time.Time) (bool, error) {
	var at any
	if failed != nil {
		at = db.Micros(now)
	}
	changed, err := tx.Exec(
		`UPDATE pipeline_schedules SET next_build_at = $1, failed_message = $2, failed_at = $3 WHERE id = $4
			AND next_build_at = $5`,
		db.NullMicros(next), failed, at, s.ID, db.NullMicros(s.NextBuildAt))
	return changed == 1, err
}

// InsertScheduledBuild stores that a schedule has created a build.
func (tx Tx) InsertScheduledBuild(build domain.BuildID, schedule domain.PipelineScheduleID) error {
	return insertInto(tx.exec, "scheduled_builds", set("build_id", build), set("schedule_id", schedule))
}

// SchedulesOfBuilds returns which schedules have created builds.
func (tx Tx) SchedulesOfBuilds(ids []domain.BuildID) (map[domain.BuildID]domain.PipelineScheduleID, error) {
	found := map[domain.BuildID]domain.PipelineScheduleID{}
	err := eachChunk(ids, func(some []domain.BuildID) error {
		return tx.run(clauseOf(`SELECT build_id, schedule_id FROM scheduled_builds WHERE ?`, oneOf(`build_id`, some)),
			func(r *db.Row) error {
				build := domain.BuildID(r.Text())
				found[build] = domain.PipelineScheduleID(r.Text())
				return nil
			})
	})
	return found, err
}

// MayBuild reports whether a user is a member of a pipeline's organization who may build the pipeline.
func (tx Tx) MayBuild(user domain.UserID, pipeline domain.PipelineID) (bool, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT 1 FROM pipelines p JOIN organization_members m ON m.organization_id = p.organization_id
		AND m.user_id = ?
		JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL WHERE p.id = ? AND (m.role = 'admin' OR ? OR ?)`,
		user, pipeline, buildsPipeline(user), managesPipeline(user)))
	return tx.has(sql, a.values...)
}
