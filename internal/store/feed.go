package store

import "penstock/internal/domain"

var feedProject = selecting(func(c *columns, p *domain.FeedProject) {
	mapText(c, "f.name", &p.Name)
	mapText(c, "f.slug", &p.Slug)
	mapBool(c, "f.is_building", &p.IsBuilding)
	mapInt(c, "COALESCE(lb.number, 0)", &p.LastNumber)
	mapText(c, "lb.state", &p.LastState)
	mapNullTime(c, "lb.finished_at", &p.LastAt)
})

// Feed returns how an organization's pipelines go that are not archived, or one of them, by name; with a branch, its
// builds alone count.
func (tx Tx) Feed(organization domain.OrganizationID, pipeline domain.PipelineID, branch string, limit int64) (
	[]domain.FeedProject, error) {
	counts, which := clauseOf(`b.pipeline_id = p.id`), clauseOf(`p.organization_id = ? AND p.archived_at IS NULL`,
		organization)
	if branch != "" {
		counts = clauseOf(`b.pipeline_id = p.id AND b.branch = ?`, branch)
	}
	if pipeline != "" {
		which = clauseOf(`p.id = ?`, pipeline)
	}
	var a arguments
	sql := a.write(clauseOf(`SELECT `+feedProject.columns+` FROM (SELECT p.id, p.name, p.slug,
			EXISTS (SELECT 1 FROM builds b WHERE ? AND b.finished_at IS NULL AND b.state
			IN ('running', 'failing', 'canceling')) AS is_building,
			(SELECT b.id FROM builds b WHERE ? AND b.state IN ('passed', 'failed', 'canceled') ORDER BY b.number DESC
			LIMIT 1) AS last_id
			FROM pipelines p WHERE ? ORDER BY p.name, p.id LIMIT ?) f
		LEFT JOIN builds lb ON lb.id = f.last_id ORDER BY f.name, f.id`, counts, counts, which, limit))
	return selectAll(tx, feedProject.read, sql, a.values...)
}
