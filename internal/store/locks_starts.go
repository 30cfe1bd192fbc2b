package store

import "penstock/internal/domain"

// LockRule prevents others from changing a rule until the transaction ends.
func (tx Tx) LockRule(id domain.RuleID) error {
	_, err := tx.lockRow(ruleLock, string(id), `SELECT 1 FROM rules WHERE id = $1`, id)
	return err
}

// LockPipelineTemplate prevents others from changing a template, or letting pipelines follow it, until the transaction
// ends, and returns it as it is now.
func (tx Tx) LockPipelineTemplate(organization domain.OrganizationID, id domain.PipelineTemplateID) (
	domain.PipelineTemplate, bool, error) {
	if err := tx.locks.acquire(templateLock, string(id)); err != nil {
		return domain.PipelineTemplate{}, false, err
	}
	return selectOne(tx, pipelineTemplates.read, `SELECT `+pipelineTemplates.columns+` FROM pipeline_templates pl
		WHERE pl.organization_id = $1 AND pl.id = $2`+tx.ForUpdate(), organization, id)
}

// updateFollowers copies a template's configuration to the pipelines that follow it. It locks several pipelines in no
// order.
func (tx Tx) updateFollowers(t domain.PipelineTemplate) error {
	if err := tx.locks.acquire(pipelineLock, ""); err != nil {
		return err
	}
	return tx.exec(`UPDATE pipelines SET configuration = $1, steps = $2 WHERE template_id = $3`, t.Configuration, t.Steps,
		t.ID)
}
