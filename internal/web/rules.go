package web

import (
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

const inRule = inOrganization + "/rules/{rule}"

var ruleRoutes = []route{
	{path: inOrganization + "/rules", get: showRules},
	{path: inOrganization + "/rules/new", get: newRule, post: newRule},
	{path: inRule + "/edit", get: editRule, post: editRule},
	{path: inRule + "/delete", get: deleteRule, post: deleteRule},
}

type rulesView struct {
	Rules []ruleRow
	List  listFrame
	New   string
}

type ruleRow struct {
	*domain.RuleView
	To string // address of the rule, for what can be done with it
}

// Says is what the rule lets builds do, in words.
func (r ruleRow) Says() string { return ruleWords[r.Type] }

var ruleWords = map[domain.RuleType]string{
	domain.TriggerBuildRule:  "may trigger builds of",
	domain.ArtifactsReadRule: "may read artifacts of",
}

func showRules(c *call) (*reply, error) {
	if err := c.require(authz.WriteRule); err != nil {
		return nil, err
	}
	view := rulesView{New: c.organizationLink("rules", "new")}
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.RulesOf([]*read.Organization{o}, domain.RuleFilter{}, c.requestedPart())
		if err != nil {
			return err
		}
		rules, list, err := readList(c, "rule", "rules", found[0])
		view.Rules, view.List = nil, list
		for _, rule := range rules {
			view.Rules = append(view.Rules, ruleRow{rule, c.organizationLink("rules", string(rule.ID))})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Empty = emptyState{"No rules yet", "A rule lets builds of one pipeline trigger builds of another, or read " +
		"its artifacts, across clusters and teams.", "New rule", view.New}
	return c.show(page{template: "rules", Title: "Rules", Section: "rules", Crumbs: []crumb{{Label: "Rules"}},
		View: view}), nil
}

func ruleFields(r domain.RuleView) []field {
	return []field{
		{Name: "source_pipeline", Label: "Pipeline that may do it", Noun: "The pipeline that may do it", Required: true,
			Code: true, Value: r.SourceSlug, Placeholder: "app", Help: "Its slug or UUID."},
		{Name: "target_pipeline", Label: "Pipeline it may be done with", Noun: "The pipeline it may be done with",
			Required: true, Code: true, Value: r.TargetSlug, Placeholder: "deploy", Help: "Its slug or UUID."},
		{Name: "conditions", Label: "Conditions", Kind: "textarea", Rows: 4, Code: true, Value: strings.Join(r.Conditions,
			"\n"), Placeholder: "source.build.branch == \"main\"",
			Help: "One on each line. All must hold, or builds are refused even if they were allowed without the rule. Leave " +
				"empty to always allow."},
		{Name: "description", Label: "Description", Value: textOrEmpty(r.Description), Help: "What it is for."},
	}
}

func (f *form) ruleInput() domain.RuleInput {
	var conditions []string
	for line := range strings.Lines(f.typed("conditions")) {
		if line = strings.TrimSpace(line); line != "" {
			conditions = append(conditions, line)
		}
	}
	return domain.RuleInput{Type: f.typedInput("type"), Description: f.typedOrNull("description"),
		Value: domain.Some(domain.RuleValue{
			SourcePipeline: domain.Some(strings.TrimSpace(f.typed("source_pipeline"))),
			TargetPipeline: domain.Some(strings.TrimSpace(f.typed("target_pipeline"))),
			Conditions:     domain.Some(conditions),
		})}
}

func newRule(c *call) (*reply, error) {
	if err := c.require(authz.WriteRule); err != nil {
		return nil, err
	}
	kind := field{Name: "type", Label: "What the rule allows", Noun: "This choice", Kind: "radio",
		Value: string(domain.TriggerBuildRule), Options: []option{
			{string(domain.TriggerBuildRule), "Triggering builds", "Trigger steps of one pipeline create builds of the other."},
			{string(domain.ArtifactsReadRule), "Reading artifacts", "Jobs of one pipeline search and download artifacts of " +
				"the other's builds."},
		}}
	f := c.newForm("Create rule", append([]field{kind}, ruleFields(domain.RuleView{})...)...)
	f.Cancel, f.Guarded = c.organizationLink("rules"), true
	if c.isPost() {
		_, err := c.Starts.CreateRule(c.ctx(), c.actor(), c.organizationRef(), inputOf(f.ruleInput()))
		if err == nil {
			return c.redirect(f.Cancel, "Rule created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.rulePage("New rule", f)), nil
}

func (c *call) rulePage(title string, f *form) page {
	return page{template: "form", Title: title, Section: "rules", Crumbs: []crumb{{"Rules", c.organizationLink("rules")},
		{Label: title}}, View: formView{Form: f}}
}

// namedRule returns the rule that the address names, to who may change it.
func (c *call) namedRule() (domain.RuleView, error) {
	if err := c.require(authz.WriteRule); err != nil {
		return domain.RuleView{}, err
	}
	return c.Starts.Rule(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("rule"))
}

func editRule(c *call) (*reply, error) {
	rule, err := c.namedRule()
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save rule", ruleFields(rule)...)
	f.Cancel, f.Guarded = c.organizationLink("rules"), true
	if c.isPost() {
		_, err := c.Starts.UpdateRule(c.ctx(), c.actor(), c.organizationRef(), string(rule.ID), inputOf(f.ruleInput()),
			expectUnchanged(f, ruleFields))
		if err == nil {
			return c.redirect(f.Cancel, "Rule saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.rulePage("Edit rule", f)), nil
}

func deleteRule(c *call) (*reply, error) {
	rule, err := c.namedRule()
	if err != nil {
		return nil, err
	}
	rules := c.organizationLink("rules")
	return c.confirm(confirmation{
		Title:  "Delete this rule?",
		Text:   "Builds of " + rule.SourceName + " are then allowed only what they are without it. This can't be undone.",
		Button: "Delete rule", Cancel: rules, Section: "rules", Crumbs: []crumb{{"Rules", rules}, {Label: "Delete"}},
	}, func() error {
		_, err := c.Starts.DeleteRule(c.ctx(), c.actor(), c.organizationRef(), string(rule.ID), nil)
		return err
	}, rules, "Rule deleted.")
}
