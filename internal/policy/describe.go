package policy

import "strings"

// Description is a policy in words, for people who read it.
type Description struct {
	Save    string   // what saved entries are kept apart by
	Restore []string // the entries that a job may ask for, the best first
	Rules   []RuleDescription
}

// RuleDescription is a rule as its author wrote it.
type RuleDescription struct {
	Rule
	Actions []Action
	When    string // empty: always
}

// Describe returns the policy in words. A nil policy has none.
func (p *Policy) Describe() (d Description) {
	if p == nil {
		return d
	}
	d.Save = "Saved entries are shared by all jobs"
	if kept := p.saveScopeNames(); len(kept) > 0 {
		d.Save = "Saved entries are kept apart by " + joinWithAnd(kept)
	}
	for _, member := range p.restore {
		d.Restore = append(d.Restore, member.describe())
	}
	for i := range p.rules {
		r := &p.rules[i]
		described := RuleDescription{Rule: Rule{Index: i, Name: r.name, Effect: r.effect}}
		for _, action := range []Action{Save, Restore} {
			if r.on.includes(action) {
				described.Actions = append(described.Actions, action)
			}
		}
		if r.when != nil {
			described.When = r.when.text
		}
		d.Rules = append(d.Rules, described)
	}
	return d
}

// Warnings says what the policy decides otherwise than its author may think. A nil policy has none.
func (p *Policy) Warnings() (warnings []string) {
	if p == nil {
		return nil
	}
	for i := range p.rules {
		r := &p.rules[i]
		if r.when == nil || !strings.Contains(r.when.text, "build_branch") || strings.Contains(r.when.text, "build_source") {
			continue
		}
		rule := Rule{Index: i, Name: r.name, Effect: r.effect}
		warnings = append(warnings, rule.String()+" decides by the branch alone, whoever created the build: everybody who "+
			"may build the pipeline can build any commit under the "+
			"name of any branch. Compare claims.build_source too")
	}
	return warnings
}

// saveScopeNames is the scopes that saved entries get.
func (p *Policy) saveScopeNames() (names []string) {
	for _, s := range p.save {
		if s.on {
			names = append(names, string(s.scope))
		}
	}
	return names
}

func (m restoreMember) describe() string {
	if len(m) == 0 {
		return "entries that are shared by all jobs"
	}
	parts := make([]string, len(m))
	for i, s := range m {
		if parts[i] = "the job's " + string(s.scope); s.value != currentScope {
			parts[i] = "the " + string(s.scope) + " " + toOneLine(s.value)
		}
	}
	return "entries of " + strings.Join(parts, " and ")
}
