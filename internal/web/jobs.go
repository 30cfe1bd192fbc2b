package web

import (
	"cmp"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

const inJob = inBuild + "/jobs/{job}"

var jobRoutes = []route{
	{path: inJob, get: showJob},
	{path: inJob + "/log", get: showLogLines},
	{path: inJob + "/log.txt", get: downloadLog},
	{path: inJob + "/retry", post: retryJob},
	{path: inJob + "/cancel", post: cancelJob},
	{path: inJob + "/unblock", get: unblockJob, post: unblockJob},
}

// job names the job that the page is about.
func (c *call) job() domain.JobRef {
	build := c.build()
	return domain.JobRef{Organization: c.organizationRef(), Build: &build, ID: c.R.PathValue("job")}
}

// jobAnchor returns the address of a job in its build's page.
func (c *call) jobAnchor(id string) string { return c.buildsLink(c.R.PathValue("number")) + "#" + id }

func retryJob(c *call) (*reply, error) {
	made, err := c.Builds.RetryJob(c.ctx(), c.actor(), c.job())
	if err != nil {
		return nil, err
	}
	return c.redirect(c.jobAnchor(string(made.ID)), "Job retried."), nil
}

func cancelJob(c *call) (*reply, error) {
	j, err := c.Builds.CancelJob(c.ctx(), c.actor(), c.job())
	if err != nil {
		return nil, err
	}
	return c.redirect(c.jobAnchor(string(j.ID)), "Job canceled."), nil
}

// unblockField begins the names of what a step asks for.
const unblockField = "unblock_"

// unblockFields are what a step asks for, as fields of a form.
func unblockFields(j *domain.JobView) (fields []field) {
	if j.Step == nil {
		return nil
	}
	for _, asked := range j.Step.Definition.Fields {
		f := field{Name: unblockField + asked.Key, Label: cmp.Or(asked.Text+asked.Select, asked.Key), Help: asked.Hint,
			Required: asked.Required,
			Value:    strings.Join(asked.Default, "\n"), Autofocus: len(fields) == 0}
		for _, o := range asked.Options {
			f.Options = append(f.Options, option{Value: o.Value, Label: cmp.Or(o.Label, o.Value)})
		}
		switch {
		case asked.Select == "":
		case asked.Multiple:
			f.Kind, f.Values = "checkboxes", asked.Default
		default:
			f.Kind = "select"
			if !asked.Required || len(asked.Default) == 0 {
				f.Options = append([]option{{Label: "–"}}, f.Options...)
			}
		}
		fields = append(fields, f)
	}
	return fields
}

func unblockJob(c *call) (*reply, error) {
	b, _, err := c.readBuild(builds.BuildParts{})
	if err != nil {
		return nil, err
	}
	j, err := c.Builds.Job(c.ctx(), c.actor(), c.job())
	if err == nil && j.Type() != domain.BlockJob {
		err = domain.Missing("block step")
	}
	if err != nil {
		return nil, err
	}
	submit := "Continue"
	if j.Step != nil && j.Step.Definition.Submit != "" {
		submit = j.Step.Definition.Submit
	}
	f := c.newForm(submit, unblockFields(&j)...)
	f.Cancel = c.jobAnchor(string(j.ID))
	if c.isPost() {
		given := map[string]string{}
		for _, fd := range f.Fields {
			value := f.typed(fd.Name)
			if fd.Kind == "checkboxes" {
				value = strings.Join(f.checkedValues(fd.Name), "\n")
			}
			given[strings.TrimPrefix(fd.Name, unblockField)] = value
		}
		_, err := c.Builds.UnblockJob(c.ctx(), c.actor(), c.job(), builds.UnblockInput{Fields: given})
		if err == nil {
			return c.redirect(f.Cancel, "Job unblocked."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	intro := ""
	if j.Step != nil {
		intro = j.Step.Definition.Prompt
	}
	return c.showForm(f, page{template: "form", Title: labelOfJob(&j), Section: "pipelines",
		Crumbs: c.buildCrumbs(&b, labelOfJob(&j)), View: formView{Intro: intro, Form: f}}), nil
}
