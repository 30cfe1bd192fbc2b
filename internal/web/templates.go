package web

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

const inTemplate = inOrganization + "/pipeline-templates/{template}"

var templateRoutes = []route{
	{path: inOrganization + "/pipeline-templates", get: showTemplates},
	{path: inOrganization + "/pipeline-templates/new", get: newTemplate, post: newTemplate},
	{path: inTemplate, get: editTemplate, post: editTemplate},
	{path: inTemplate + "/delete", get: deleteTemplate, post: deleteTemplate},
}

type templatesView struct {
	Templates []*domain.PipelineTemplateView
	List      listFrame
	New       string
}

func showTemplates(c *call) (*reply, error) {
	if err := c.require(authz.WritePipelineTemplate); err != nil {
		return nil, err
	}
	view := templatesView{New: c.organizationLink("pipeline-templates", "new")}
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.PipelineTemplatesOf([]*read.Organization{o}, c.requestedOrder(nameOrders), c.requestedPart())
		if err == nil {
			view.Templates, view.List, err = readList(c, "template", "templates", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Orders = nameOrders
	view.List.Empty = emptyState{"No templates yet", "A template holds steps that many pipelines share. Changing it " +
		"changes them all.", "New template", view.New}
	return c.show(page{template: "pipeline_templates", Title: "Pipeline templates", Section: "templates",
		Crumbs: []crumb{{Label: "Templates"}}, View: view}), nil
}

func templateFields(t domain.PipelineTemplate) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: t.Name},
		{Name: "description", Label: "Description", Kind: "textarea", Rows: 2, Value: textOrEmpty(t.Description)},
		{Name: "configuration", Label: "Steps", Noun: "Configuration", Kind: "textarea", Rows: 14, Code: true,
			Language: "yaml", Required: true, Value: t.Configuration,
			Placeholder: "steps:\n  - command: make test", Help: "YAML, up to 256 KiB. Pipelines that use this template get " +
				"these steps."},
		{Name: "available", Label: "Let members assign it to pipelines", Kind: "checkbox", Value: checkboxValue(t.Available),
			Help: "Administrators always can."},
	}
}

func (f *form) templateInput() domain.PipelineTemplateInput {
	return domain.PipelineTemplateInput{Name: f.typedInput("name"), Description: f.typedOrNull("description"),
		Configuration: f.typedInput("configuration"),
		Available:     domain.Some(f.isChecked("available"))}
}

// templateFormView is a template's form.
type templateFormView struct {
	Template *domain.PipelineTemplateView // nil: a new one
	Form     *form
	Check    *stepsCheck
	Delete   string
}

func (c *call) showTemplateForm(title string, view templateFormView) *reply {
	view.Check = c.newStepsCheck(view.Form)
	crumbs := []crumb{{"Templates", c.organizationLink("pipeline-templates")}, {Label: title}}
	return c.showForm(view.Form, page{template: "pipeline_template_form", Title: title, Section: "templates",
		Crumbs: crumbs, View: view})
}

func newTemplate(c *call) (*reply, error) {
	if err := c.require(authz.WritePipelineTemplate); err != nil {
		return nil, err
	}
	f := c.newForm("Create template", templateFields(domain.PipelineTemplate{})...)
	f.Cancel, f.Fields[0].Autofocus = c.organizationLink("pipeline-templates"), true
	if c.isPost() {
		_, err := c.Starts.CreatePipelineTemplate(c.ctx(), c.actor(), c.organizationRef(), inputOf(f.templateInput()))
		if err == nil {
			return c.redirect(f.Cancel, "Template created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showTemplateForm("New template", templateFormView{Form: f}), nil
}

// namedTemplate returns the template that the address names, to who may change it.
func (c *call) namedTemplate() (domain.PipelineTemplateView, error) {
	if err := c.require(authz.WritePipelineTemplate); err != nil {
		return domain.PipelineTemplateView{}, err
	}
	return c.Starts.PipelineTemplate(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("template"))
}

func editTemplate(c *call) (*reply, error) {
	template, err := c.namedTemplate()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save template", templateFields(template.PipelineTemplate)...)
	f.Cancel = c.organizationLink("pipeline-templates")
	if c.isPost() {
		_, err := c.Starts.UpdatePipelineTemplate(c.ctx(), c.actor(), c.organizationRef(), string(template.ID),
			inputOf(f.templateInput()),
			expectUnchanged(f, func(now domain.PipelineTemplateView) []field { return templateFields(now.PipelineTemplate) }))
		if err == nil {
			return c.redirect(f.Cancel, "Template saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showTemplateForm(template.Name, templateFormView{Template: &template, Form: f,
		Delete: c.organizationLink("pipeline-templates", string(template.ID), "delete")}), nil
}

func deleteTemplate(c *call) (*reply, error) {
	template, err := c.namedTemplate()
	if err != nil {
		return nil, err
	}
	templates := c.organizationLink("pipeline-templates")
	return c.confirm(confirmation{
		Title:  "Delete the template “" + template.Name + "”?",
		Text:   "You can delete it only if no pipeline uses it. This can't be undone.",
		Button: "Delete template", Cancel: templates, Section: "templates", Crumbs: []crumb{{"Templates", templates},
			{Label: "Delete"}},
	}, func() error {
		return c.Starts.DeletePipelineTemplate(c.ctx(), c.actor(), c.organizationRef(), string(template.ID), nil)
	}, templates, "Template deleted.")
}

// maxTemplateChoices is how many templates a form offers.
const maxTemplateChoices = 200

// templateChoices returns the templates that the user can assign to a pipeline; nil if there are none.
func templateChoices(r *read.Snapshot, o *read.Organization) ([]option, error) {
	first := int64(maxTemplateChoices)
	found, err := r.PipelineTemplatesOf([]*read.Organization{o}, domain.ByName, read.ConnectionPart{First: &first})
	if err != nil {
		return nil, err
	}
	templates, err := found[0].Items()
	if err != nil || len(templates) == 0 {
		return nil, err
	}
	choices := []option{{Label: "None: the pipeline has its own steps"}}
	for _, t := range templates {
		choices = append(choices, option{Value: string(t.ID), Label: t.Name})
	}
	return choices, nil
}

// templateField chooses the template that a pipeline follows.
func templateField(current *domain.PipelineTemplateID, choices []option) field {
	value := ""
	if current != nil {
		value = string(*current)
		if choices == nil {
			choices = []option{{Label: "None: the pipeline has its own steps"}}
		}
		choices = withOption(choices, value, "Current template")
	}
	if choices == nil { // there are no templates
		return field{Name: "pipeline_template_uuid", Kind: "hidden"}
	}
	return field{Name: "pipeline_template_uuid", Label: "Template", Noun: "The template", Kind: "select", Options: choices,
		Value: value,
		Help:  "With a template, the pipeline runs the template's steps instead of those below."}
}
