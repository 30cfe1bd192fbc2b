package web

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

// clusterChoices returns all of the organization's clusters, by name.
func clusterChoices(r *read.Snapshot, o *read.Organization) (choices []option, err error) {
	size := int64(read.MaxPage)
	part := read.ConnectionPart{First: &size}
	for {
		found, err := r.ClustersOf([]*read.Organization{o}, domain.ByName, part)
		if err != nil {
			return nil, err
		}
		clusters, err := found[0].Items()
		if err != nil {
			return nil, err
		}
		for _, cluster := range clusters {
			choices = append(choices, option{Value: string(cluster.ID), Label: cluster.Name})
		}
		more, err := found[0].HasNextPage()
		if err != nil || !more {
			return choices, err
		}
		part.After = *found[0].EndCursor()
	}
}

// teamChoices returns the organization's teams that the user sees, by name.
func teamChoices(r *read.Snapshot, o *read.Organization) ([]option, error) {
	size := int64(100) // as many as a new pipeline can be given to
	found, err := r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{}, domain.ByName, read.ConnectionPart{First: &size})
	if err != nil {
		return nil, err
	}
	teams, err := found[0].Items()
	var choices []option
	for _, team := range teams {
		choices = append(choices, option{Value: string(team.ID), Label: team.Name})
	}
	return choices, err
}

// pipelineFields are the fields of a pipeline's form, with the pipeline's values; those of a new one are the defaults.
func pipelineFields(p domain.Pipeline, clusters, templates []option) []field {
	cluster := ""
	if p.ClusterID != nil {
		cluster = string(*p.ClusterID)
		clusters = withOption(clusters, cluster, "Current cluster")
	}
	fields := []field{
		{Name: "name", Label: "Name", Required: true, Value: p.Name, Help: "Also used in the pipeline's URL."},
		{Name: "description", Label: "Description", Kind: "textarea", Rows: 2, Value: textOrEmpty(p.Description)},
		{Name: "repository", Label: "Repository", Required: true, Code: true, Value: p.Repository,
			Placeholder: "git@example.com:acme/web.git",
			Help:        "Jobs and their logs may show this, so don't include passwords."},
		{Name: "cluster_id", Label: "Cluster", Kind: "select", Options: clusters, Value: cluster,
			Help: "Where its jobs run."},
		{Name: "visibility", Label: "Visibility", Kind: "radio", Value: string(p.Visibility), Options: []option{
			{string(domain.PipelinePrivate), "Private", "Only members of the organization can see it."},
			{string(domain.PipelinePublic), "Public", "Meant for everyone. For now, only members of the organization can " +
				"see it."},
		}},
		emojiField(p.Emoji),
		colorField(p.Color),
		{Name: "tags", Label: "Tags", Kind: "textarea", Rows: 2, Value: strings.Join(p.Tags, "\n"), Help: "One per line."},
		templateField(p.TemplateID, templates),
		{Name: "configuration", Label: "Configuration", Kind: "textarea", Rows: 14, Code: true, Language: "yaml",
			Value:       p.Configuration,
			Placeholder: "steps:\n  - command: make test",
			Help: "YAML, up to 256 KiB. Leave empty to run the steps in .buildkite/pipeline.yml of the repository: " +
				"agents must be able to clone it."},
	}
	fields = append(fields, settingFields(domain.PipelineSettings, &p)...)
	return append(fields,
		field{Name: "next_build_number", Label: "Next build number", Kind: "number",
			Value: strconv.FormatInt(p.NextBuildNumber, 10), Help: "You can only raise it."},
		field{Name: "env", Label: "Environment variables", Kind: "textarea", Rows: 4, Code: true, Value: formatEnv(p.Env),
			Placeholder: "RAILS_ENV=test",
			Help: "NAME=value, one per line. Write values with line breaks as JSON strings. Members can see them in " +
				"the environment of jobs, so don't include secrets."},
	)
}

// pipelineInput reads the form.
func (f *form) pipelineInput() core.Input[domain.PipelineInput] {
	var faults domain.Faults
	in := domain.PipelineInput{
		Name:          f.typedInput("name"),
		Repository:    f.typedInput("repository"),
		ClusterID:     f.typedInput("cluster_id"),
		Configuration: f.typedInput("configuration"),
		Visibility:    f.typedInput("visibility"),
		LookInput:     f.typedLook(&faults),
		Tags:          domain.Some(splitTags(f.typed("tags"))),
		Env:           domain.Some(readEnv(f.typed("env"), &faults)),
	}
	readSettings(f, domain.PipelineSettings, &in, &faults)
	if in.PipelineTemplateID = f.typedInput("pipeline_template_uuid"); in.PipelineTemplateID.Value != "" {
		in.Configuration = domain.Optional[string]{} // the template's
	}
	if f.fieldNamed("next_build_number") != nil {
		in.NextBuildNumber = f.typedNumber("next_build_number", &faults)
	}
	if f.fieldNamed("team_uuids") != nil {
		in.Teams = domain.Some([]domain.PipelineTeamInput{})
		for _, id := range f.checkedValues("team_uuids") {
			in.Teams.Value = append(in.Teams.Value, domain.PipelineTeamInput{ID: id,
				AccessLevel: domain.PipelineManageBuildAndRead})
		}
	}
	return core.Sent(in, faults.Err())
}

// splitTags returns the tags of a text with one a line.
func splitTags(text string) (found []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			found = append(found, line)
		}
	}
	return found
}

// formatEnv writes environment variables as NAME=value, one a line. A value that this can't hold is written as a JSON
// string.
func formatEnv(env map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if value != strings.TrimSpace(value) || strings.ContainsAny(value, "\r\n") || strings.HasPrefix(value, `"`) {
			quoted, _ := json.Marshal(value) // it is text
			value = string(quoted)
		}
		fmt.Fprintf(&b, "%s=%s\n", name, value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// readEnv reads what envText writes.
func readEnv(text string, faults *domain.Faults) map[string]string {
	env := map[string]string{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if strings.HasPrefix(value, `"`) && json.Unmarshal([]byte(value), &value) != nil {
			found = false
		}
		if !found {
			faults.Add("env", fmt.Sprintf("Line %d of the environment variables must be NAME=value", number))
			continue
		}
		env[name] = value
	}
	return env
}

// pipelineFormView is a pipeline's form, in groups.
type pipelineFormView struct {
	onePipeline // zero for a new one
	Form        *form
	Groups      []fieldGroup
	Example     string // address of the form with an example filled in; empty: none is offered
}

// fieldGroup is a part of a form that belongs together.
type fieldGroup struct {
	Title, Text string
	Fields      []field
	Check       *stepsCheck // of the group with the steps
	Folded      bool        // it is shown when one asks for it
}

// Open reports whether a folded group is shown at once, since something is wrong in it.
func (g fieldGroup) Open() bool {
	return slices.ContainsFunc(g.Fields, func(fd field) bool { return len(fd.Errors) > 0 })
}

// group returns a part of the form.
func (f *form) group(title, text string, names ...string) fieldGroup {
	g := fieldGroup{Title: title, Text: text}
	for _, name := range names {
		if fd := f.fieldNamed(name); fd != nil {
			g.Fields = append(g.Fields, *fd)
		}
	}
	return g
}

// buildFields returns the names of the fields about a pipeline's builds.
func buildFields() (names []string) {
	for _, s := range domain.PipelineSettings {
		names = append(names, s.Name)
	}
	return append(names, "next_build_number")
}

func (c *call) newPipelineFormView(one onePipeline, f *form) pipelineFormView {
	steps := f.group("Steps", "What each build runs.", "pipeline_template_uuid", "configuration")
	steps.Check = c.newStepsCheck(f)
	if one.Pipeline == nil { // what a new one needs, and the rest for those who want it
		groups := []fieldGroup{f.group("Pipeline", "", "name", "repository", "cluster_id", "team_uuids"), steps,
			f.group("Builds", "branches, skipping and canceling, timeouts", buildFields()...),
			f.group("Environment", "variables for every build", "env"),
			f.group("Appearance", "description, visibility, emoji, color, tags", "description", "visibility", "emoji", "color",
				"tags")}
		for i := range groups {
			groups[i].Folded = i >= 2
		}
		return pipelineFormView{Form: f, Groups: groups}
	}
	return pipelineFormView{onePipeline: one, Form: f, Groups: []fieldGroup{
		f.group("Pipeline", "", "name", "description", "repository", "cluster_id", "visibility"),
		steps,
		f.group("Builds", "", buildFields()...),
		f.group("Environment", "", "env"),
		f.group("Appearance", "", "emoji", "color", "tags"),
	}}
}

// stepsCheck is what is wrong with steps that somebody types.
type stepsCheck struct {
	Path    string // address of the page that checks others
	Checked bool   // they were checked alone; a form says itself what is wrong
	Reason  string
	Excerpt string // the place that can't be read; empty: none
}

// newStepsCheck returns the check of the steps of a form.
func (c *call) newStepsCheck(f *form) *stepsCheck {
	check := stepsCheck{Path: c.organizationLink("check-steps")}
	for _, reason := range f.fieldNamed("configuration").Errors {
		check.Excerpt = excerptAround(f.typed("configuration"), reason)
	}
	return &check
}

// checkSteps shows what is wrong with steps: forms ask for it while one types.
func checkSteps(c *call) (*reply, error) {
	text := c.R.PostForm.Get("configuration")
	check := stepsCheck{Path: c.organizationLink("check-steps"), Checked: strings.TrimSpace(text) != ""}
	var err error
	if check.Reason, err = c.Service.CheckConfiguration(c.ctx(), c.actor(), c.organizationRef(), text); err != nil {
		return nil, err
	}
	check.Excerpt = excerptAround(text, check.Reason)
	return c.show(page{template: "steps_check", Title: "Check of steps", Section: "pipelines",
		Crumbs: []crumb{{Label: "Check of steps"}}, View: check}), nil
}

var faultPlace = regexp.MustCompile(`line (\d+), column (\d+)`)

// excerptAround returns the lines around the place that a fault names, with a mark below it, or "" if it names none.
func excerptAround(text, reason string) string {
	found := faultPlace.FindStringSubmatch(reason)
	if found == nil {
		return ""
	}
	line, _ := strconv.Atoi(found[1])
	column, _ := strconv.Atoi(found[2])
	all := strings.Split(text, "\n")
	if line < 1 || line > len(all) {
		return ""
	}
	const around, width = 2, 100
	var b strings.Builder
	for n := max(1, line-around); n <= min(len(all), line+around); n++ {
		shown := []rune(strings.ReplaceAll(all[n-1], "\t", " "))
		fmt.Fprintf(&b, "%5d │ %s\n", n, string(shown[:min(len(shown), width)]))
		if n == line && column >= 1 && column <= width {
			b.WriteString("      │ " + strings.Repeat(" ", column-1) + "▲\n")
		}
	}
	return b.String()
}

// moveSlugFault puts the fault of a slug beside the name that it is made of.
func moveSlugFault(err error) error {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		for i := range e.Fields {
			if e.Fields[i].Field == "slug" {
				e.Fields[i].Field = "name"
				if after, found := strings.CutPrefix(e.Fields[i].Reason, "Slug "); found {
					e.Fields[i].Reason = "Name " + after
				}
			}
		}
	}
	return err
}

func newPipeline(c *call) (*reply, error) {
	if err := c.require(authz.CreatePipeline); err != nil {
		return nil, err
	}
	var clusters, templates, teams []option
	var fallback *domain.ClusterID
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) (err error) {
		if clusters, err = clusterChoices(r, o); err != nil {
			return err
		}
		fallback = o.Settings.DefaultClusterID
		if templates, err = templateChoices(r, o); err != nil {
			return err
		}
		teams, err = teamChoices(r, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	blank := domain.BlankPipeline()
	blank.ClusterID = fallback
	if fallback == nil {
		if len(clusters) == 1 { // where else would its jobs run
			blank.ClusterID = new(domain.ClusterID(clusters[0].Value))
		}
		clusters = append([]option{{Label: "None"}}, clusters...)
	}
	fields := slices.DeleteFunc(pipelineFields(blank, clusters, templates),
		func(fd field) bool { return fd.Name == "next_build_number" })
	if len(teams) > 0 {
		fields = append(fields, field{Name: "team_uuids", Label: "Teams", Kind: "checkboxes", Options: teams,
			Help: "Their members can manage this pipeline."})
	}
	fields[0].Autofocus = true
	if c.query("example") != "" {
		fillExample(fields)
	}
	f := c.newForm("Create pipeline", fields...)
	f.Cancel = c.organizationLink("pipelines")
	if c.isPost() {
		p, err := c.Service.CreatePipeline(c.ctx(), c.actor(), c.organizationRef(), f.pipelineInput())
		if err == nil {
			return c.redirect(c.pipelineLink(&p), "Pipeline created."), nil
		}
		if err := f.addError(moveSlugFault(err)); err != nil {
			return nil, err
		}
	}
	view := c.newPipelineFormView(onePipeline{}, f)
	if !c.isPost() && c.query("example") == "" {
		view.Example = c.withQuery(map[string]string{"example": "hello"})
	}
	return c.showForm(f, page{template: "pipeline_form", Title: "New pipeline", Section: "pipelines",
		Crumbs: []crumb{{"Pipelines", c.organizationLink("pipelines")}, {Label: "New pipeline"}}, View: view}), nil
}

// fillExample fills in a pipeline that runs without a repository.
func fillExample(fields []field) {
	example := map[string]string{
		"name": "Hello", "repository": "https://example.com/hello.git",
		"configuration": "# Without a checkout, the repository doesn't have to exist.\ncheckout:\n  skip: true\nsteps:\n  " +
			"- label: \":wave: Say hello\"\n    command: echo \"Hello from $$BUILDKITE_AGENT_NAME\"\n",
	}
	for i := range fields {
		if value, given := example[fields[i].Name]; given {
			fields[i].Value = value
		}
	}
}

func editPipeline(c *call) (*reply, error) {
	var clusters, templates []option
	one, err := c.findPipeline(func(r *read.Snapshot, o *read.Organization, _ *domain.PipelineView) (err error) {
		if clusters, err = clusterChoices(r, o); err != nil {
			return err
		}
		templates, err = templateChoices(r, o)
		return err
	})
	if err := requirePermission(err, one.Managed); err != nil {
		return nil, err
	}
	f := c.editForm("Save settings", pipelineFields(one.Pipeline.Pipeline, append([]option{{Label: "None"}}, clusters...),
		templates)...)
	if c.isPost() {
		p, err := c.Service.UpdatePipeline(c.ctx(), c.actor(), pipelineRef(one.Pipeline), f.pipelineInput(),
			expectUnchanged(f, func(now domain.PipelineView) []field { return pipelineFields(now.Pipeline, nil, nil) }))
		if err == nil {
			return c.redirect(c.pipelineLink(&p, "settings"), "Settings saved."), nil
		}
		if err := f.addError(moveSlugFault(err)); err != nil {
			return nil, err
		}
	}
	p := c.pipelinePage(one, "pipeline_form", "Settings", "settings", c.newPipelineFormView(one, f))
	p.HasSecret = f.typed("env") != ""
	return c.showForm(f, p), nil
}
