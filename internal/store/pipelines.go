package store

import (
	"slices"
	"strconv"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

var (
	pipelines = tableOf("pipelines", "p", func(c *columns, p *domain.Pipeline) {
		mapText(c, "id", &p.ID)
		mapText(c, "organization_id", &p.OrganizationID)
		mapTime(c, "created_at", &p.CreatedAt)
		mapText(c, "badge_token", &p.BadgeToken)
		mapText(c, "webhook_token", &p.WebhookToken)
		c.changing()
		mapText(c, "slug", &p.Slug)
		mapText(c, "name", &p.Name)
		c.writeKey("name_key", domain.SortKey, p.Name)
		mapText(c, "repository", &p.Repository)
		mapNullText(c, "cluster_id", &p.ClusterID)
		mapText(c, "configuration", &p.Configuration)
		mapText(c, "steps", &p.Steps)
		mapText(c, "visibility", &p.Visibility)
		mapJSON(c, "tags", &p.Tags)
		mapLook(c, &p.Look)
		mapJSON(c, "env", &p.Env)
		mapSettings(c, domain.PipelineSettings, p)
		mapJSON(c, "provider_settings", &p.ProviderSettings)
		mapNullText(c, "clone_mirror_url", &p.CloneMirrorURL)
		mapNullText(c, "template_id", &p.TemplateID)
		mapInt(c, "next_build_number", &p.NextBuildNumber)
		mapNullTime(c, "archived_at", &p.ArchivedAt)
		mapNullText(c, "connection_id", &p.ConnectionID)
	})

	pipelineView = selecting(func(c *columns, v *domain.PipelineView) {
		pipelines.visit(c, &v.Pipeline)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "ab", &v.ArchivedBy)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapText(c, "COALESCE(rc.kind, '')", &v.Host.Kind)
		mapText(c, "COALESCE(rc.url, '')", &v.Host.URL)
	})

	// pipelineNames is no more of a pipeline than what it is called and when it was made: an index has it.
	pipelineNames = selecting(func(c *columns, v *domain.PipelineView) {
		mapText(c, "p.id", &v.ID)
		mapText(c, "p.organization_id", &v.OrganizationID)
		mapText(c, "p.slug", &v.Slug)
		mapText(c, "p.name", &v.Name)
		mapTime(c, "p.created_at", &v.CreatedAt)
	})

	// PipelineRows are the pipelines of organizations.
	PipelineRows = Rows[*domain.PipelineView]{
		items: pointersTo(pipelineView), tables: `pipelines p`,
		joins:        `JOIN organizations o ON o.id = p.organization_id ` + pipelineParts,
		id:           textKey(`p.id`, func(p *domain.PipelineView) string { return string(p.ID) }),
		organization: `p.organization_id`,
	}
)

// pipelineParts has what is shown along with a pipeline.
const pipelineParts = `LEFT JOIN users cb ON cb.id = p.created_by LEFT JOIN users ab ON ab.id = p.archived_by
	LEFT JOIN repository_connections rc ON rc.id = p.connection_id`

// managesPipeline is the condition that a user, whose id the argument is, manages a pipeline p: they made it, or a team
// of theirs has manage access to it.
func managesPipeline(user any) clause {
	return clauseOf(`(p.created_by = ? OR EXISTS (SELECT 1 FROM team_pipelines tp
		JOIN team_members tm ON tm.team_id = tp.team_id AND tm.user_id = ?
		WHERE tp.pipeline_id = p.id AND tp.access_level = '`+string(domain.PipelineManageBuildAndRead)+`'))`, user, user)
}

// buildsPipeline is the condition that a user, whose id the argument is, may build a pipeline p: they made it, a team
// of theirs may build it, or no team has access to it, so that every member may.
func buildsPipeline(user any) clause {
	return clauseOf(`(p.created_by = ? OR NOT EXISTS (SELECT 1 FROM team_pipelines np WHERE np.pipeline_id = p.id)
		OR EXISTS (SELECT 1 FROM team_pipelines bp
		JOIN team_members bm ON bm.team_id = bp.team_id AND bm.user_id = ?
		WHERE bp.pipeline_id = p.id AND bp.access_level
		IN ('`+string(domain.PipelineManageBuildAndRead)+`', '`+string(domain.PipelineBuildAndRead)+`')))`, user, user)
}

// isFavorite is the condition that a pipeline p is a favorite of the viewer.
func isFavorite(v Viewer) clause {
	return clauseOf(`EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = ? AND f.pipeline_id = p.id)`, v.User)
}

// PipelinesOf lists the pipelines of organizations; with namesOnly it reads no more of them than what they are called.
// Favorites are the viewer's, and what is asked about teams is answered for those that they see.
func PipelinesOf(filter domain.PipelineFilter, order domain.Order, viewer Viewer,
	namesOnly bool) List[*domain.PipelineView] {
	l := newList(PipelineRows, "pipelines", `p.organization_id`, `organizations`, order, filter)
	if namesOnly {
		l.rows.items, l.rows.joins = pointersTo(pipelineNames), ``
	}
	l.sort(order,
		textKey(`p.name_key`, func(p *domain.PipelineView) string { return domain.SortKey(p.Name) }),
		timeKey(`p.created_at`, func(p *domain.PipelineView) time.Time { return p.CreatedAt }))
	if order == domain.FavoritesFirst {
		sortFavoritesFirst(&l, viewer)
	}
	choosePipelines(&l, filter, viewer)
	return l
}

// sortFavoritesFirst puts the viewer's favorites before all else, and reads which they are: cursors have to know.
func sortFavoritesFirst(l *List[*domain.PipelineView], viewer Viewer) {
	l.rows.viewed = &viewedColumn[*domain.PipelineView]{sql: isFavorite, read: func(c *columns, p *domain.PipelineView) {
		p.Favorite = new(bool)
		mapBool(c, "favorite", p.Favorite)
	}}
	first := Key[*domain.PipelineView]{column: clauseOf(`CASE WHEN ? THEN 0 ELSE 1 END`, isFavorite(viewer)),
		isNumber: true,
		value: func(p *domain.PipelineView) any {
			if p.Favorite != nil && *p.Favorite {
				return int64(0)
			}
			return int64(1)
		}}
	l.keys = append([]Key[*domain.PipelineView]{first}, l.keys...)
}

func choosePipelines(l *List[*domain.PipelineView], filter domain.PipelineFilter, viewer Viewer) {
	if filter.MatchesNothing() {
		l.where(noRows)
		return
	}
	if archived := filter.Archived; archived != nil {
		if *archived {
			l.whereIndexed(clauseOf(`p.archived_at IS NOT NULL`))
		} else {
			l.whereIndexed(clauseOf(`p.archived_at IS NULL`))
		}
	}
	l.whereNamed(`p.name_key`, filter.Name)
	if filter.RepositoryPart != "" {
		l.where(contains(`lower(p.repository)`, domain.LowerASCII(filter.RepositoryPart)))
	}
	if filter.Text != "" {
		l.where(clauseOf(`(? OR ?)`, contains(`p.name_key`, domain.SortKey(filter.Text)), contains(`lower(p.repository)`,
			domain.LowerASCII(filter.Text))))
	}
	if filter.Unclustered {
		l.where(clauseOf(`p.cluster_id IS NULL`))
	}
	whereIf(l, filter.Cluster, func(id domain.ClusterID) clause { return clauseOf(`p.cluster_id = ?`, id) })
	whereIf(l, filter.Repository, func(url string) clause { return equals(`p.repository`, url) })
	whereIf(l, filter.Favorite, func(wanted bool) clause { return clauseOf(`? = ?`, isFavorite(viewer), wanted) })
	whereIf(l, filter.Team, func(id domain.TeamID) clause {
		return clauseOf(`EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = ?)`, id)
	})
	whereIf(l, filter.TeamSlug, func(slug string) clause {
		return clauseOf(
			`EXISTS (SELECT 1 FROM team_pipelines f JOIN teams te ON te.id = f.team_id WHERE f.pipeline_id = p.id AND ? AND ?)`,
			equals(`te.slug`, slug), visibleTeams(viewer))
	})
	whereIf(l, filter.NotTeam, func(id domain.TeamID) clause {
		return clauseOf(`NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = ?)`, id)
	})
	if tags := slices.Compact(slices.Sorted(slices.Values(filter.Tags))); len(tags) > 0 {
		l.where(hasTags(tags))
	}
	whereIf(l, filter.CreatedFrom, func(from time.Time) clause { return clauseOf(`p.created_at >= ?`, db.Micros(from)) })
	whereIf(l, filter.CreatedTo, func(to time.Time) clause { return clauseOf(`p.created_at < ?`, db.Micros(to)) })
}

// hasTags is the condition that a pipeline p has all of the tags, which are all different.
func hasTags(tags []string) clause {
	if slices.ContainsFunc(tags, func(tag string) bool { return !domain.ValidText(tag) }) {
		return noRows
	}
	return clauseOf(`(SELECT count(*) FROM pipeline_tags f WHERE f.pipeline_id = p.id AND ?) = ?`, oneOf(`f.tag`, tags),
		len(tags))
}

// InPipeline is what a request about a pipeline depends on.
type InPipeline struct {
	authz.Identity
	Facts    authz.Facts
	Pipeline domain.PipelineView // zero when the organization has no such pipeline
}

var selectInPipelineBySlug, selectInPipelineByID = inPipelineBy(`p.slug`), inPipelineBy(`p.id`)

func inPipelineBy(column string) *request[InPipeline] {
	manages := new(arguments).write(managesPipeline(clauseOf(callingUser)))
	builds := new(arguments).write(buildsPipeline(clauseOf(callingUser)))
	return requestFor(func(in *InPipeline) *authz.Identity { return &in.Identity }, func(c *columns, in *InPipeline) {
		mapBool(c, manages, &in.Facts.ManagesPipeline)
		mapBool(c, builds, &in.Facts.BuildsPipeline)
		pipelineView.read(c, &in.Pipeline)
	}, `LEFT JOIN pipelines p ON p.organization_id = o.id AND `+column+` = $3 `+pipelineParts)
}

// InPipeline returns the identity that a credential proves together with the pipeline of its organization that has the
// id, or, if that is "", the slug, or had it before.
func (tx Tx) InPipeline(c authz.Credential, organization domain.OrganizationRef, slug string, id domain.PipelineID) (
	InPipeline, bool, error) {
	if id != "" {
		return selectInPipelineByID.run(tx, c, organization, id)
	}
	in, found, err := selectInPipelineBySlug.run(tx, c, organization, slug)
	if err != nil || in.Pipeline.ID != "" || in.Organization.ID == "" {
		return in, found, err
	}
	id, isFormer, err := tx.pipelineIDByFormerSlug(in.Organization.ID, slug)
	if err != nil || !isFormer {
		return in, found, err
	}
	return selectInPipelineByID.run(tx, c, organization, id)
}

// PipelineIDBySlug returns the id of the organization's pipeline that has the slug, or had it before.
func (tx Tx) PipelineIDBySlug(organization domain.OrganizationID, slug string) (domain.PipelineID, bool, error) {
	id, found, err := one(tx, scanID[domain.PipelineID],
		`SELECT id FROM pipelines WHERE organization_id = $1 AND slug = $2`, organization, slug)
	if err != nil || found {
		return id, found, err
	}
	return tx.pipelineIDByFormerSlug(organization, slug)
}

func (tx Tx) pipelineIDByFormerSlug(organization domain.OrganizationID, slug string) (domain.PipelineID, bool, error) {
	return one(tx, scanID[domain.PipelineID],
		`SELECT pipeline_id FROM former_pipeline_slugs WHERE organization_id = $1 AND slug = $2`, organization, slug)
}

// removeFormerSlug ends what a pipeline's new slug found until now.
func (tx Tx) removeFormerSlug(p domain.Pipeline) error {
	return tx.exec(`DELETE FROM former_pipeline_slugs WHERE organization_id = $1 AND slug = $2`, p.OrganizationID, p.Slug)
}

// recordFormerSlug lets a slug that a pipeline had find it from now on.
func (tx Tx) recordFormerSlug(p domain.Pipeline, former string) error {
	return tx.exec(`INSERT INTO former_pipeline_slugs (organization_id, slug, pipeline_id) VALUES ($1, $2, $3)
		ON CONFLICT (organization_id, slug) DO UPDATE SET pipeline_id = excluded.pipeline_id`, p.OrganizationID, former, p.ID)
}

// countActivity counts the builds of pipelines that wait and run, and their command jobs that have not ended. It reads
// no other builds: not those that are over, nor those that are blocked, of which there may be any number.
func countActivity(ids []domain.PipelineID) clause {
	const underWay = `b.state IN ('creating', 'scheduled', 'running', 'failing', 'canceling')`
	return clauseOf(`SELECT b.pipeline_id, 'build ' || b.state, count(*) FROM builds b WHERE ?
		AND `+underWay+` GROUP BY b.pipeline_id, b.state
		UNION ALL SELECT b.pipeline_id, 'job ' || jr.list_state, count(*) FROM builds b
		JOIN jobs j ON j.build_id = b.id AND j.kind = 'command' JOIN job_runs jr ON jr.job_id = j.id
		WHERE ? AND `+underWay+` AND jr.list_state IN ('waiting', 'blocked', 'limiting', 'limited', 'scheduled', 'reserved',
			'with_agent')
		GROUP BY b.pipeline_id, jr.list_state`, oneOf(`b.pipeline_id`, ids), oneOf(`b.pipeline_id`, ids))
}

// PipelineActivity returns how many builds and jobs of the pipelines have not ended.
func (tx Tx) PipelineActivity(ids []domain.PipelineID) (map[domain.PipelineID]domain.PipelineActivity, error) {
	found := make(map[domain.PipelineID]domain.PipelineActivity, len(ids))
	err := eachChunk(ids, func(some []domain.PipelineID) error {
		return tx.run(countActivity(some), func(r *db.Row) error {
			id := domain.PipelineID(r.Text())
			activity := found[id]
			addActivity(&activity, r.Text(), r.Int())
			found[id] = activity
			return nil
		})
	})
	return found, err
}

// addActivity adds a number of builds or jobs in a state.
func addActivity(to *domain.PipelineActivity, state string, number int64) {
	switch state {
	case "build creating", "build scheduled":
		to.ScheduledBuilds += number
	case "build running", "build failing", "build canceling":
		to.RunningBuilds += number
	case "job scheduled", "job reserved":
		to.ScheduledJobs += number
	case "job with_agent":
		to.RunningJobs += number
	default:
		to.WaitingJobs += number
	}
}

// ManagedPipelines returns which of the pipelines a user manages.
func (tx Tx) ManagedPipelines(user domain.UserID, ids []domain.PipelineID) (map[domain.PipelineID]bool, error) {
	return whichOf(tx, ids, func(some []domain.PipelineID) clause {
		return clauseOf(`SELECT p.id FROM pipelines p WHERE ? AND ?`, oneOf(`p.id`, some), managesPipeline(user))
	})
}

// BuildablePipelines returns which of the pipelines a user may build.
func (tx Tx) BuildablePipelines(user domain.UserID, ids []domain.PipelineID) (map[domain.PipelineID]bool, error) {
	return whichOf(tx, ids, func(some []domain.PipelineID) clause {
		return clauseOf(`SELECT p.id FROM pipelines p WHERE ? AND ?`, oneOf(`p.id`, some), buildsPipeline(user))
	})
}

// FavoritePipelines returns which of the pipelines a user marked as favorites.
func (tx Tx) FavoritePipelines(user domain.UserID, ids []domain.PipelineID) (map[domain.PipelineID]bool, error) {
	return whichOf(tx, ids, func(some []domain.PipelineID) clause {
		return clauseOf(`SELECT pipeline_id FROM pipeline_favorites WHERE user_id = ? AND ?`, user,
			oneOf(`pipeline_id`, some))
	})
}

// SetFavorite marks a pipeline as a member's favorite, or takes the mark away.
func (tx Tx) SetFavorite(p domain.Pipeline, user domain.UserID, favorite bool) error {
	if favorite {
		return tx.exec(
			`INSERT INTO pipeline_favorites (pipeline_id, organization_id, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			p.ID, p.OrganizationID, user)
	}
	return tx.exec(`DELETE FROM pipeline_favorites WHERE pipeline_id = $1 AND user_id = $2`, p.ID, user)
}

// HasPipeline reports whether an organization has a pipeline with that slug now.
func (tx Tx) HasPipeline(organization domain.OrganizationID, slug string) (bool, error) {
	return tx.has(`SELECT 1 FROM pipelines WHERE organization_id = $1 AND slug = $2`, organization, slug)
}

// LastOutcome returns the state of the last build that passed or failed of the pipeline whose badge has the token: of a
// branch, or if that is "", of the pipeline's default branch. It is "" if there is none.
func (tx Tx) LastOutcome(badgeToken, branch string) (
	build domain.BuildID, state flow.BuildState, found bool, err error) {
	var pipeline domain.PipelineID
	found, err = tx.One(
		`SELECT id, COALESCE(default_branch, '') FROM pipelines WHERE badge_token = $1 AND badge_token <> ''`,
		func(r *db.Row) {
			pipeline = domain.PipelineID(r.Text())
			if byDefault := r.Text(); branch == "" {
				branch = byDefault
			}
		}, badgeToken)
	if err != nil || !found {
		return "", "", false, err
	}
	read := func(r *db.Row) { build, state = domain.BuildID(r.Text()), flow.BuildState(r.Text()) }
	const shown = `SELECT id, CASE WHEN state = 'blocked' THEN blocked_state ELSE state END FROM builds
		WHERE pipeline_id = $1`
	const newest = ` AND (state IN ('passed', 'failed', 'failing') OR state = 'blocked' AND blocked_state
		IN ('passed', 'failed')) ORDER BY number DESC LIMIT 1`
	if branch == "" {
		_, err = tx.One(shown+newest, read, pipeline)
		return build, state, true, err
	}
	_, err = tx.One(shown+` AND branch = $2`+newest, read, pipeline, branch)
	return build, state, true, err
}

// StepOutcome returns how the steps of a build with that label or key have ended: passed if all did, failed if one did,
// "" if neither.
func (tx Tx) StepOutcome(build domain.BuildID, name string) (state flow.BuildState, err error) {
	_, err = tx.One(
		`SELECT count(*), COALESCE(CAST(sum(failed_jobs) AS BIGINT), 0), COALESCE(CAST(sum(open_jobs + canceled_jobs)
			AS BIGINT), 0) FROM build_steps WHERE build_id = $1 AND (label = $2 OR step_key = $2)`, func(r *db.Row) {
			switch all, failed, others := r.Int(), r.Int(), r.Int(); {
			case failed > 0:
				state = flow.BuildFailed
			case all > 0 && others == 0:
				state = flow.BuildPassed
			}
		}, build, name)
	return state, err
}

// InsertPipeline stores a new pipeline; the transaction has locked its cluster. It returns an Invalid error if its slug
// is taken, and otherwise where its repository is.
func (tx Tx) InsertPipeline(p domain.Pipeline, by domain.UserID) (host domain.RepositoryHost, err error) {
	if p.ConnectionID, host, err = tx.findConnection(p); err != nil {
		return host, err
	}
	if err := pipelines.insert(tx.exec, p, setUser("created_by", by)); err != nil {
		return host, taken(err, "slug", domain.SlugTaken)
	}
	if err := tx.removeFormerSlug(p); err != nil {
		return host, err
	}
	if err := tx.insertTags(p); err != nil {
		return host, err
	}
	return host, tx.addToCounts(p.OrganizationID, domain.OrganizationCounts{Pipelines: 1, PipelineChanges: 1})
}

// insertTags stores the tags once more, so that pipelines are found by them.
func (tx Tx) insertTags(p domain.Pipeline) error {
	if len(p.Tags) == 0 {
		return nil
	}
	args := []any{p.ID}
	for _, tag := range p.Tags {
		args = append(args, tag)
	}
	rows := `($1, $2)`
	for i := 3; i <= len(args); i++ {
		rows += `, ($1, $` + strconv.Itoa(i) + `)`
	}
	return tx.exec(`INSERT INTO pipeline_tags (pipeline_id, tag) VALUES `+rows+` ON CONFLICT DO NOTHING`, args...)
}

// UpdatePipeline stores the pipeline's changed state; the transaction has locked the cluster that it is newly assigned
// to. Before is what it was until now. It returns an Invalid error if its new slug is taken.
func (tx Tx) UpdatePipeline(p *domain.PipelineView, before domain.Pipeline) (err error) {
	if p.ConnectionID, p.Host, err = tx.findConnection(p.Pipeline); err != nil {
		return err
	}
	var archivedBy domain.UserID
	if p.ArchivedBy != nil {
		archivedBy = p.ArchivedBy.ID
	}
	if err := pipelines.update(tx.exec, p.Pipeline, setUser("archived_by", archivedBy)); err != nil {
		return taken(err, "slug", domain.SlugTaken)
	}
	if p.Slug != before.Slug {
		if err := tx.recordFormerSlug(p.Pipeline, before.Slug); err != nil {
			return err
		}
		if err := tx.removeFormerSlug(p.Pipeline); err != nil {
			return err
		}
	}
	if err := tx.exec(`DELETE FROM pipeline_tags WHERE pipeline_id = $1`, p.ID); err != nil {
		return err
	}
	if err := tx.insertTags(p.Pipeline); err != nil {
		return err
	}
	isArchived, wasArchived := p.ArchivedAt != nil, before.ArchivedAt != nil
	if isArchived == wasArchived && p.Name == before.Name {
		return nil
	}
	change := domain.OrganizationCounts{PipelineChanges: 1}
	switch {
	case isArchived && !wasArchived:
		change.ArchivedPipelines = 1
	case wasArchived && !isArchived:
		change.ArchivedPipelines = -1
	}
	return tx.addToCounts(p.OrganizationID, change)
}

// DeletePipeline deletes a pipeline with its teams' access to it, and its builds.
func (tx Tx) DeletePipeline(p domain.Pipeline) error {
	err := tx.deleteBlobsOf(clauseOf(`j.pipeline_id = ?`, p.ID),
		clauseOf(`ar.build_id IN (SELECT id FROM builds WHERE pipeline_id = ?)`, p.ID))
	if err != nil {
		return err
	}
	if err := tx.exec(`DELETE FROM pipelines WHERE id = $1`, p.ID); err != nil {
		return err
	}
	change := domain.OrganizationCounts{Pipelines: -1, PipelineChanges: 1}
	if p.ArchivedAt != nil {
		change.ArchivedPipelines = -1
	}
	return tx.addToCounts(p.OrganizationID, change)
}

// PipelineMetrics returns how the builds of pipelines went that were created since a time: those of the default branch,
// if there is one.
func (tx Tx) PipelineMetrics(ids []domain.PipelineID, since time.Time) (
	map[domain.PipelineID]domain.PipelineMetrics, error) {
	found := make(map[domain.PipelineID]domain.PipelineMetrics, len(ids))
	err := eachChunk(ids, func(some []domain.PipelineID) error {
		return tx.run(clauseOf(pipelineMetrics, db.Micros(since), oneOf(`p.id`, some)), func(r *db.Row) error {
			id := domain.PipelineID(r.Text())
			m := domain.PipelineMetrics{Builds: r.Int(), Passed: r.Int(), Failed: r.Int()}
			if took := r.Int(); m.Passed > 0 {
				m.Mean = time.Duration(took/m.Passed) * time.Microsecond
			}
			found[id] = m
			return nil
		})
	})
	return found, err
}

const pipelineMetrics = `SELECT p.id, count(*), COUNT(CASE WHEN b.state = 'passed' THEN 1 END), COUNT(CASE
	WHEN b.state = 'failed' THEN 1 END),
	CAST(COALESCE(SUM(CASE WHEN b.state = 'passed' THEN b.finished_at - COALESCE(b.started_at, b.finished_at)
	END), 0) AS BIGINT)
	FROM pipelines p JOIN builds b ON b.pipeline_id = p.id AND b.created_at >= ? AND (COALESCE(p.default_branch, '') = ''
	OR b.branch = p.default_branch)
	WHERE ? GROUP BY p.id`
