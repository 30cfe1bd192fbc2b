package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	teamPipelineColumns = `tp.id, tp.organization_id, tp.team_id, tp.pipeline_id, tp.access_level, tp.created_at, o.slug, p.slug, p.name, ` + creatorColumns
	teamPipelineJoins   = `JOIN pipelines p ON p.id = tp.pipeline_id JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by`
)

func scanTeamPipeline(r *db.Row) domain.TeamPipelineView {
	return domain.TeamPipelineView{
		TeamPipeline: domain.TeamPipeline{
			ID:             domain.TeamPipelineID(r.Text()),
			OrganizationID: domain.OrganizationID(r.Text()),
			TeamID:         domain.TeamID(r.Text()),
			PipelineID:     domain.PipelineID(r.Text()),
			AccessLevel:    domain.PipelineAccessLevel(r.Text()),
			CreatedAt:      r.Time(),
		},
		OrganizationSlug: r.Text(),
		PipelineSlug:     r.Text(),
		PipelineName:     r.Text(),
		CreatedBy:        scanNullUser(r),
	}
}

// TeamPipelines returns a page of the pipelines that a team has access to, by name.
func (tx Tx) TeamPipelines(team domain.TeamID, page domain.Page) (domain.Paged[domain.TeamPipelineView], error) {
	return paged(tx, scanTeamPipeline, listing{
		columns: teamPipelineColumns, tables: `team_pipelines tp`, joins: teamPipelineJoins, where: `tp.team_id = $1`, order: `p.name_key, p.id`,
	}, page, team)
}

// TeamPipeline returns a team's access to a pipeline.
func (tx Tx) TeamPipeline(team domain.TeamID, pipeline domain.PipelineID) (domain.TeamPipelineView, bool, error) {
	return one(tx, scanTeamPipeline, `SELECT `+teamPipelineColumns+` FROM team_pipelines tp `+teamPipelineJoins+`
		WHERE tp.team_id = $1 AND tp.pipeline_id = $2`, team, pipeline)
}

// InsertTeamPipeline gives a team, which the transaction has locked, access to a pipeline. It returns an Invalid error if the
// pipeline is none of the organization's, or the team has access already.
func (tx Tx) InsertTeamPipeline(p domain.TeamPipeline, by domain.UserID) error {
	const field = "pipeline_id"
	err := tx.exec(`INSERT INTO team_pipelines (id, organization_id, team_id, pipeline_id, access_level, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		p.ID, p.OrganizationID, p.TeamID, p.PipelineID, p.AccessLevel, db.Micros(p.CreatedAt), nullUser(by))
	return dangling(taken(err, field, domain.RepeatedTeamPipeline), field, domain.NoSuchTeamPipeline)
}

// ManagesPipeline reports whether an organization has a pipeline, and whether a member created it or is in a team with manage
// access to it.
func (tx Tx) ManagesPipeline(organization domain.OrganizationID, id domain.PipelineID, member domain.UserID) (manages, found bool, err error) {
	return one(tx, (*db.Row).Bool, `SELECT `+managesPipeline(`t.user_id`)+` FROM pipelines p
		JOIN organization_members t ON t.organization_id = p.organization_id AND t.user_id = $3
		WHERE p.organization_id = $1 AND p.id = $2`, organization, id, member)
}

// UpdateTeamPipeline stores the access's changed state.
func (tx Tx) UpdateTeamPipeline(p domain.TeamPipeline) error {
	return tx.exec(`UPDATE team_pipelines SET access_level = $2 WHERE id = $1`, p.ID, p.AccessLevel)
}

// DeleteTeamPipeline takes a team's access to a pipeline away.
func (tx Tx) DeleteTeamPipeline(id domain.TeamPipelineID) error {
	return tx.exec(`DELETE FROM team_pipelines WHERE id = $1`, id)
}
