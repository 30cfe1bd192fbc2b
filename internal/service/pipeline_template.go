package service

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// lockTemplateOf finds the template that an input names, which nobody changes until the transaction ends. One that is not available is for administrators; to
// others there is none.
func lockTemplateOf(tx store.Tx, id *authz.Identity, given *domain.PipelineInput) error {
	if given.PipelineTemplateID.Value == "" {
		return nil
	}
	template, found, err := tx.LockPipelineTemplate(id.Organization.ID, core.LookupID[domain.PipelineTemplateID](given.PipelineTemplateID.Value))
	if given.Template = nil; err == nil && found && (template.Available || id.Admin()) {
		given.Template = &template
	}
	return err
}
