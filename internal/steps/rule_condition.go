package steps

import "strings"

// The variables that conditions of rules between pipelines may name: those of the build that asks as source.build, and what it asks for as target.
var (
	TriggerRuleVariables = append(prefixBuildVariables("source."), "target.trigger.branch", "target.trigger.commit", "target.trigger.message")

	ArtifactRuleVariables = append(append(prefixBuildVariables("source."), prefixBuildVariables("target.")...), "source.request.query")
)

// prefixBuildVariables returns the variables of a build behind a prefix.
func prefixBuildVariables(prefix string) []string {
	var names []string
	for _, name := range VariableNames {
		if strings.HasPrefix(name, "build.") {
			names = append(names, prefix+name)
		}
	}
	return names
}

// ParseRuleCondition reads a condition of a rule, which may name these variables.
func (w *Work) ParseRuleCondition(source string, names []string) (*Condition, error) {
	return w.parseCondition(source, names)
}

// AddPrefixed adds the variables of a build behind a prefix.
func (v *Variables) AddPrefixed(prefix string, of Variables) {
	for name, value := range of.Values {
		if strings.HasPrefix(name, "build.") {
			v.Values[prefix+name] = value
		}
	}
	for name, value := range of.Env {
		v.Env[prefix+name] = value
	}
}
