package domain

import (
	"strings"
	"time"
)

// PipelineTemplateID identifies a pipeline template.
type PipelineTemplateID string

// PipelineTemplate is a definition that pipelines follow.
type PipelineTemplate struct {
	ID             PipelineTemplateID
	OrganizationID OrganizationID
	Name           string
	Description    *string
	Configuration  string
	Steps          string // what is shown of it, a JSON list
	Available      bool   // to all members, not only to administrators
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Refusals about templates.
const (
	TemplateInUse   = "Pipeline template can't be deleted while it is assigned to pipelines"
	FollowsTemplate = "Configuration can't be changed while the pipeline has a template"
)

// PipelineTemplateInput is what a caller sends to make or change a template.
type PipelineTemplateInput struct {
	Name          Optional[string]
	Description   Optional[string]
	Configuration Optional[string]
	Available     Optional[bool]
	shownSteps    string
}

// ReadDefinition checks the configuration of the input, and records which steps are shown of it. As it takes long, it
// is to be done before a transaction that others wait for.
func (in *PipelineTemplateInput) ReadDefinition(faults *Faults) {
	if !in.Configuration.HasValue() || faults.Has("configuration") {
		return
	}
	if strings.TrimSpace(in.Configuration.Value) == "" {
		faults.Add("configuration", "Configuration can't be blank")
		return
	}
	shown, err := ShowSteps(in.Configuration.Value)
	if err != nil {
		faults.Add("configuration", err.Error())
	}
	in.shownSteps = shown
}

// NewPipelineTemplate returns the template that the input describes.
func NewPipelineTemplate(in PipelineTemplateInput, organization OrganizationID, now time.Time,
	faults *Faults) PipelineTemplate {
	t := PipelineTemplate{ID: NewID[PipelineTemplateID](), OrganizationID: organization, CreatedAt: now}
	in.Name.requireIn("name", "Name", faults)
	in.Configuration.requireIn("configuration", "Configuration", faults)
	in.Name, in.Configuration, in.Available = in.Name.UnlessNull(), in.Configuration.UnlessNull(),
		in.Available.UnlessNull()
	t.Apply(in, now, faults)
	return t
}

// Apply makes the changes of the input.
func (t *PipelineTemplate) Apply(in PipelineTemplateInput, now time.Time, faults *Faults) {
	if in.Name.Given {
		t.Name = CheckName("name", "Name", in.Name.Value, faults)
	}
	if in.Description.HasValue() {
		in.Description.Value = CheckText("description", "Description", in.Description.Value, maxDescription, faults)
	}
	in.Description.ApplyTo(&t.Description)
	if in.Configuration.Null {
		faults.Add("configuration", "Configuration can't be blank")
	} else if in.Configuration.Given {
		t.Configuration, t.Steps = in.Configuration.Value, in.shownSteps
	}
	applyFlag("available", in.Available, &t.Available, faults)
	t.UpdatedAt = now
}

// PipelineTemplateView is a template with what is shown along with it.
type PipelineTemplateView struct {
	PipelineTemplate
	OrganizationSlug string
	CreatedBy        *User
	UpdatedBy        *User
}

// applyTemplate lets the pipeline follow the template that the input names, or none.
func (p *Pipeline) applyTemplate(in PipelineInput, faults *Faults) {
	switch {
	case !in.PipelineTemplateID.Given:
	case in.PipelineTemplateID.Value == "":
		p.TemplateID = nil
	case in.Template == nil:
		faults.Add("pipeline_template_uuid", NoPipelineTemplate)
	default:
		p.TemplateID = &in.Template.ID
		p.Configuration, p.Steps = in.Template.Configuration, in.Template.Steps
	}
}

// applyDefinition sets the pipeline's configuration. One that follows a template has the template's.
func (p *Pipeline) applyDefinition(in PipelineInput, faults *Faults) {
	p.applyTemplate(in, faults)
	switch {
	case !in.Configuration.Given && !in.Steps.Given:
	case p.TemplateID == nil:
		p.Configuration, p.Steps = in.Configuration.Value, in.shownSteps
	case in.Configuration.Value != "" && in.Configuration.Value != p.Configuration:
		faults.Add("configuration", FollowsTemplate)
	}
}
