package web

import (
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/policy"
	"penstock/internal/service/core"
)

type registryPolicyView struct {
	oneRegistry
	Form     *form  // the policy, what a job asks for, and what is known of it
	Text     string // of the policy
	Examples []policyExample
	Findings policyFindings
	Unsaved  bool // it is not what is stored
	Decision *policyDecision
}

// What the buttons of the policy's form ask for. Any other request, sent while the user types, only checks the text.
const (
	testPolicy = "test"
	savePolicy = "save"
)

func editRegistryPolicy(c *call) (*reply, error) {
	one, err := c.findRegistry()
	if err != nil {
		return nil, err
	}
	view := registryPolicyView{oneRegistry: one, Examples: c.policyExamples()}
	stored := policyText(*one.Registry)
	fields := func(r domain.CacheRegistryView) []field {
		return append([]field{{Name: "policy", Label: "Policy", Kind: "textarea", Value: policyText(r)}},
			claimFields(c.organization())...)
	}
	view.Form = c.editForm("Save policy", fields(*one.Registry)...)
	if example := policyExamples[c.query("example")]; example.Text != "" && !c.isPost() {
		view.Form.fieldNamed("policy").Value = example.Text
	}
	view.Text = view.Form.typed("policy")
	view.Findings, view.Unsaved = findPolicyFaults(view.Text), view.Text != stored
	switch c.R.PostForm.Get("do") {
	case savePolicy:
		err := c.savePolicy(one, view.Text, expectUnchanged(view.Form, fields))
		if err == nil {
			return c.redirect(c.clusterLink("registries", string(one.Registry.ID), "policy"), "Policy saved."), nil
		}
		if len(view.Findings.Faults) > 0 && domain.CodeOf(err) == domain.Invalid {
			view.Form.addFault("policy", "The policy wasn't saved: fix the problems below, then save again")
		} else if err := view.Form.addError(err); err != nil {
			return nil, err
		}
	case testPolicy:
		view.Decision = view.decide()
	}
	return c.showForm(view.Form, one.page(c, "registry_policy", "Policy", "policy", view)), nil
}

// policyText is a registry's policy, as it is edited.
func policyText(r domain.CacheRegistryView) string {
	if r.Policy == nil {
		return ""
	}
	return layOutJSON(*r.Policy)
}

// Claims are the fields of the job that the policy is tried on.
func (v registryPolicyView) Claims() []field { return v.Form.Fields[1:] }

// savePolicy stores a policy. An empty text stores no policy, which denies everything.
func (c *call) savePolicy(one oneRegistry, text string, expected *core.Precondition[domain.CacheRegistryView]) error {
	input := domain.CacheRegistryInput{Policy: domain.Null[[]byte]()}
	if strings.TrimSpace(text) != "" {
		input.Policy = domain.Some([]byte(text))
	}
	_, err := c.Service.UpdateCacheRegistry(c.ctx(), c.actor(), c.cluster(), string(one.Registry.ID), inputOf(input),
		expected)
	return err
}

// decide tries the policy that was typed on the job that was described; nil if either has faults.
func (v *registryPolicyView) decide() *policyDecision {
	claims, faults := v.Form.typedClaims()
	for _, fault := range faults {
		v.Form.addFault(fault.Path, v.Form.fieldNamed(fault.Path).Label+" "+fault.Message)
	}
	action, known := policy.ParseAction(v.Form.typed("asks"))
	if !known {
		v.Form.addFault("asks", "Choose what the job wants to do")
	}
	if len(v.Findings.Faults) > 0 {
		v.Form.addFault("policy", "The policy can't be tested. Fix the problems first")
	}
	if len(v.Form.Problems) > 0 {
		return nil
	}
	draft := v.Registry.CacheRegistry
	draft.Policy = nil
	if v.Findings.parsed != nil {
		normal := string(v.Findings.parsed.Normal())
		draft.Policy = &normal
	}
	return newPolicyDecision(draft.Decide(action, claims), v.Findings.parsed.Describe().Rules)
}

// claimFields are the fields of what a job asks for and what is known of it, with a job as there are many.
func claimFields(organization string) []field {
	return []field{
		{Name: "asks", Label: "The job wants to", Kind: "radio", Value: string(policy.Restore),
			Options: []option{{Value: string(policy.Save), Label: "Save"}, {Value: string(policy.Restore), Label: "Restore"}}},
		{Name: "organization_slug", Label: "Organization", Value: organization},
		{Name: "pipeline_slug", Label: "Pipeline", Value: "web"},
		{Name: "build_branch", Label: "Branch", Value: "main", Help: "Of a triggered build: the branch of its origin, the " +
			"first build of the chain"},
		{Name: "build_tag", Label: "Tag", Help: "Empty: null"},
		{Name: "build_number", Label: "Build number", Kind: "number", Value: "17"},
		{Name: "build_commit", Label: "Commit", Value: "5c1c7d0a54e1f2b8c9d3e6f7a8b9c0d1e2f3a4b5"},
		{Name: "build_source", Label: "Build source", Value: "webhook"},
		{Name: "step_key", Label: "Step key", Help: "Empty: null"},
		{Name: "runner_environment", Label: "Runner environment", Value: "self-hosted"},
		{Name: "job_id", Label: "Job", Value: "0192f1a0-7c1e-7000-8000-000000000001"},
		{Name: "agent_id", Label: "Agent", Value: "0192f1a0-7c1e-7000-8000-000000000002"},
	}
}

// typedClaims returns what was typed about a job, and what is wrong with it.
func (f *form) typedClaims() (policy.Claims, policy.Faults) {
	number, _ := strconv.ParseInt(f.typed("build_number"), 10, 64) // 0 is refused as what is no number
	claims := policy.Claims{
		OrganizationSlug: f.typed("organization_slug"), PipelineSlug: f.typed("pipeline_slug"), BuildNumber: number,
		BuildBranch: f.typed("build_branch"),
		BuildTag:    f.typedOrNull("build_tag").Ptr(), BuildCommit: f.typed("build_commit"),
		StepKey: f.typedOrNull("step_key").Ptr(), JobID: f.typed("job_id"),
		AgentID: f.typed("agent_id"), BuildSource: f.typed("build_source"), RunnerEnvironment: f.typed("runner_environment"),
	}
	return claims, claims.Validate()
}

// policyExample is a policy to start from.
type policyExample struct{ Name, Text, To string }

var policyExamples = map[string]policyExample{
	"share": {Name: "Share everything", Text: layOutJSON(string(policy.Default().Normal()))},
	"branches": {Name: "Each branch its own, with main to fall back on", Text: `{
  "save": {"scopes": {"pipeline": true, "branch": true}},
  "restore": {
    "scopes": [
      {"pipeline": "$current", "branch": "$current"},
      {"pipeline": "$current", "branch": "main"}
    ]
  },
  "rules": [
    {"name": "everybody", "effect": "allow", "action": ["save", "restore"]}
  ]
}`},
	"main": {Name: "Only main saves", Text: `{
  "save": {"scopes": {"pipeline": true}},
  "restore": {"scopes": [{"pipeline": "$current"}]},
  "rules": [
    {"name": "main saves", "effect": "allow", "action": ["save"], "when": "claims.build_branch == \"main\" && claims.build_source == \"webhook\""},
    {"name": "everybody restores", "effect": "allow", "action": ["restore"]}
  ]
}`},
}

func (c *call) policyExamples() (examples []policyExample) {
	for _, name := range []string{"share", "branches", "main"} {
		example := policyExamples[name]
		example.To = c.withQuery(map[string]string{"example": name})
		examples = append(examples, example)
	}
	return examples
}
