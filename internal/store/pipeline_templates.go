package store

import (
	"errors"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	pipelineTemplates = tableOf("pipeline_templates", "pl", func(c *columns, t *domain.PipelineTemplate) {
		mapText(c, "id", &t.ID)
		mapText(c, "organization_id", &t.OrganizationID)
		mapTime(c, "created_at", &t.CreatedAt)
		c.changing()
		mapText(c, "name", &t.Name)
		c.writeKey("name_key", domain.SortKey, t.Name)
		mapNullText(c, "description", &t.Description)
		mapText(c, "configuration", &t.Configuration)
		mapText(c, "steps", &t.Steps)
		mapBool(c, "available", &t.Available)
		mapTime(c, "updated_at", &t.UpdatedAt)
	})

	pipelineTemplateView = selecting(func(c *columns, v *domain.PipelineTemplateView) {
		pipelineTemplates.visit(c, &v.PipelineTemplate)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "ub", &v.UpdatedBy)
	})

	// PipelineTemplateRows are the templates of organizations that the viewer may use: administrators all, others those
	// that are available.
	PipelineTemplateRows = Rows[*domain.PipelineTemplateView]{
		items: pointersTo(pipelineTemplateView), tables: `pipeline_templates pl`, joins: pipelineTemplateJoins,
		id:           textKey(`pl.id`, func(t *domain.PipelineTemplateView) string { return string(t.ID) }),
		organization: `pl.organization_id`,
		visible:      func(v Viewer) clause { return clauseOf(`(pl.available OR ?)`, v.administers(`pl.organization_id`)) },
	}
)

const pipelineTemplateJoins = `JOIN organizations o ON o.id = pl.organization_id
	LEFT JOIN users cb ON cb.id = pl.created_by LEFT JOIN users ub ON ub.id = pl.updated_by`

// PipelineTemplatesOf lists the templates of organizations.
func PipelineTemplatesOf(order domain.Order) List[*domain.PipelineTemplateView] {
	l := newList(PipelineTemplateRows, "pipeline templates", `pl.organization_id`, `organizations`, order)
	l.sort(order,
		textKey(`pl.name_key`, func(t *domain.PipelineTemplateView) string { return domain.SortKey(t.Name) }),
		timeKey(`pl.created_at`, func(t *domain.PipelineTemplateView) time.Time { return t.CreatedAt }))
	return l
}

// PipelineTemplate returns one template of an organization that the viewer may use.
func (tx Tx) PipelineTemplate(viewer Viewer, organization domain.OrganizationID, id domain.PipelineTemplateID) (
	domain.PipelineTemplateView, bool, error) {
	var a arguments
	sql := a.write(clauseOf(`SELECT `+pipelineTemplateView.columns+` FROM pipeline_templates pl `+pipelineTemplateJoins+`
		WHERE pl.organization_id = ? AND pl.id = ? AND ?`, organization, id, PipelineTemplateRows.visible(viewer)))
	return selectOne(tx, pipelineTemplateView.read, sql, a.values...)
}

// InsertPipelineTemplate stores a new template.
func (tx Tx) InsertPipelineTemplate(t domain.PipelineTemplate, by domain.UserID) error {
	return pipelineTemplates.insert(tx.exec, t, setUser("created_by", by), setUser("updated_by", by))
}

// UpdatePipelineTemplate stores the template's changed state, and copies its configuration to the pipelines that follow
// it. The transaction has locked it.
func (tx Tx) UpdatePipelineTemplate(t domain.PipelineTemplate, by domain.UserID) error {
	if err := pipelineTemplates.update(tx.exec, t, setUser("updated_by", by)); err != nil {
		return err
	}
	return tx.updateFollowers(t)
}

// DeletePipelineTemplate deletes a template. It returns an Invalid error if pipelines follow it.
func (tx Tx) DeletePipelineTemplate(id domain.PipelineTemplateID) error {
	used, err := tx.has(`SELECT 1 FROM pipelines WHERE template_id = $1`, id)
	if err != nil {
		return err
	}
	if !used {
		err = tx.exec(`DELETE FROM pipeline_templates WHERE id = $1`, id)
	}
	if used || errors.Is(err, db.ErrForeignKey) {
		return domain.NewError(domain.Invalid, domain.TemplateInUse)
	}
	return err
}
