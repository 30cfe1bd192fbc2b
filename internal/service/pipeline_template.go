package service

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// lockTemplateOf finds the template that an input names, which nobody changes until the transaction ends.
func lockTemplateOf(tx store.Tx, organization domain.OrganizationID, given *domain.PipelineInput) error {
	if given.PipelineTemplateID.Value == "" {
		return nil
	}
	template, found, err := tx.LockPipelineTemplate(organization,
		core.LookupID[domain.PipelineTemplateID](given.PipelineTemplateID.Value))
	if given.Template = nil; err == nil && found {
		given.Template = &template
	}
	return err
}

// checkTemplate records a fault if the template that an input names is not for the caller: one that is not available is
// for administrators, and to others there is none, but the one that the pipeline has.
func checkTemplate(id *authz.Identity, current *domain.PipelineTemplateID, given domain.PipelineInput,
	faults *domain.Faults) {
	if t := given.Template; t != nil && !t.Available && !id.Admin() && (current == nil || *current != t.ID) {
		faults.Add("pipeline_template_uuid", domain.NoPipelineTemplate)
	}
}
