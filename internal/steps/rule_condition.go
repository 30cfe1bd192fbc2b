package steps

import "strings"

// The variables that conditions of rules between pipelines may name: those of the build that asks and its pipeline as
// source.build and source.pipeline, and what it asks for as target.
var (
	TriggerRuleVariables = append(prefixBuildVariables("source."), "target.trigger.branch", "target.trigger.commit",
		"target.trigger.message")

	ArtifactRuleVariables = append(append(prefixBuildVariables("source."), prefixBuildVariables("target.")...),
		"source.request.query")
)

// isOfBuild reports whether a variable is one of a build or of its pipeline.
func isOfBuild(name string) bool {
	return strings.HasPrefix(name, "build.") || strings.HasPrefix(name, "pipeline.")
}

// prefixBuildVariables returns the variables of a build and its pipeline behind a prefix.
func prefixBuildVariables(prefix string) []string {
	var names []string
	for _, name := range VariableNames {
		if isOfBuild(name) {
			names = append(names, prefix+name)
		}
	}
	return names
}

// ParseRuleCondition reads a condition of a rule, which may name these variables.
func (w *Work) ParseRuleCondition(source string, names []string) (*Condition, error) {
	return w.parseCondition(source, names)
}

// AddPrefixed adds the variables of a build and its pipeline behind a prefix.
func (v *Variables) AddPrefixed(prefix string, of Variables) {
	for name, value := range of.Values {
		if isOfBuild(name) {
			v.Values[prefix+name] = value
		}
	}
	for name, value := range of.Env {
		v.Env[prefix+name] = value
	}
}
