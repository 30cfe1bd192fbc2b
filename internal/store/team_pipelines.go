package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	teamPipelines = tableOf("team_pipelines", "tp", func(c *columns, p *domain.TeamPipeline) {
		mapText(c, "id", &p.ID)
		mapText(c, "organization_id", &p.OrganizationID)
		mapText(c, "team_id", &p.TeamID)
		mapText(c, "pipeline_id", &p.PipelineID)
		mapTime(c, "created_at", &p.CreatedAt)
		c.changing()
		mapText(c, "access_level", &p.AccessLevel)
	})

	teamPipelineView = selecting(func(c *columns, v *domain.TeamPipelineView) {
		teamPipelines.visit(c, &v.TeamPipeline)
		mapText(c, "te.name", &v.TeamName)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapText(c, "p.slug", &v.PipelineSlug)
		mapText(c, "p.name", &v.PipelineName)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// TeamPipelineRows are the accesses of teams to pipelines.
	TeamPipelineRows = Rows[*domain.TeamPipelineView]{
		items: pointersTo(teamPipelineView), tables: teamPipelineTables, joins: teamPipelineJoins,
		id:           textKey(`tp.id`, func(p *domain.TeamPipelineView) string { return string(p.ID) }),
		organization: `tp.organization_id`, visible: visibleTeams,
	}
)

const (
	teamPipelineTables = `team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id`
	teamPipelineJoins  = `JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by`
)

var gainedAccess = timeKey(`tp.created_at`, func(p *domain.TeamPipelineView) time.Time { return p.CreatedAt })

// TeamPipelinesOf lists what teams have access to.
func TeamPipelinesOf(search string, order domain.Order) List[*domain.TeamPipelineView] {
	l := newList(TeamPipelineRows, "team pipelines", `tp.team_id`, `teams`, order, search)
	l.sort(order, textKey(`p.name_key`, func(p *domain.TeamPipelineView) string { return domain.SortKey(p.PipelineName) }),
		gainedAccess)
	l.whereNamed(`p.name_key`, search)
	return l
}

// TeamsOfPipelines lists the teams that have access to pipelines.
func TeamsOfPipelines(search string, order domain.Order) List[*domain.TeamPipelineView] {
	l := newList(TeamPipelineRows, "teams of a pipeline", `tp.pipeline_id`, `pipelines`, order, search)
	l.sort(order, textKey(`te.name_key`, func(p *domain.TeamPipelineView) string { return domain.SortKey(p.TeamName) }),
		gainedAccess)
	l.whereNamed(`te.name_key`, search)
	return l
}

// TeamPipeline returns a team's access to a pipeline.
func (tx Tx) TeamPipeline(team domain.TeamID, pipeline domain.PipelineID) (domain.TeamPipelineView, bool, error) {
	return selectOne(tx, teamPipelineView.read,
		`SELECT `+teamPipelineView.columns+` FROM `+teamPipelineTables+` `+teamPipelineJoins+`
		WHERE tp.team_id = $1 AND tp.pipeline_id = $2`, team, pipeline)
}

// TeamPipelineByID returns an access of a team to a pipeline.
func (tx Tx) TeamPipelineByID(team domain.TeamID, id domain.TeamPipelineID) (domain.TeamPipelineView, bool, error) {
	return selectOne(tx, teamPipelineView.read,
		`SELECT `+teamPipelineView.columns+` FROM `+teamPipelineTables+` `+teamPipelineJoins+`
		WHERE tp.team_id = $1 AND tp.id = $2`, team, id)
}

// InsertTeamPipeline grants a team, which the transaction has locked, access to a pipeline. It returns an Invalid error
// if the pipeline is none of the organization's, or the team has access already.
func (tx Tx) InsertTeamPipeline(p domain.TeamPipeline, by domain.UserID) error {
	const field = "pipeline_id"
	err := teamPipelines.insert(tx.exec, p, setUser("created_by", by))
	return dangling(taken(err, field, domain.RepeatedTeamPipeline), field, domain.NoSuchTeamPipeline)
}

// ManagesPipeline reports whether an organization has a pipeline, and whether a member created it or is in a team with
// manage access to it.
func (tx Tx) ManagesPipeline(organization domain.OrganizationID, id domain.PipelineID, member domain.UserID) (
	manages, found bool, err error) {
	err = tx.run(clauseOf(`SELECT ? FROM pipelines p JOIN organization_members m ON m.organization_id = p.organization_id
		AND m.user_id = ?
		WHERE p.organization_id = ?
		AND p.id = ?`, managesPipeline(clauseOf(`m.user_id`)), member, organization, id), func(r *db.Row) error {
		manages, found = r.Bool(), true
		return nil
	})
	return manages, found, err
}

// UpdateTeamPipeline stores the access's changed state.
func (tx Tx) UpdateTeamPipeline(p domain.TeamPipeline) error { return teamPipelines.update(tx.exec, p) }

// DeleteTeamPipeline takes a team's access to a pipeline away.
func (tx Tx) DeleteTeamPipeline(id domain.TeamPipelineID) error {
	return tx.exec(`DELETE FROM team_pipelines WHERE id = $1`, id)
}
