package policy_test

import (
	"reflect"
	"slices"
	"testing"

	"penstock/internal/policy"
)

func TestPoliciesAreDescribed(t *testing.T) {
	t.Parallel()
	parsed, faults := policy.Parse([]byte(`{
		"save": {"scopes": {"pipeline": true, "branch": true, "build": false}},
		"restore": {"scopes": [{"pipeline": "$current", "branch": "main"}, {}]},
		"rules": [
			{"name": "main only", "effect": "deny", "action": ["restore", "save"], "when": "entry.branch != \"main\""},
			{"effect": "allow", "action": "restore"}
		]}`))
	if faults != nil {
		t.Fatal(faults)
	}
	want := policy.Description{
		Save:    "Saved entries are kept apart by pipeline and branch",
		Restore: []string{"entries of the job's pipeline and the branch main", "entries that are shared by all jobs"},
		Rules: []policy.RuleDescription{
			{policy.Rule{Index: 0, Name: "main only", Effect: policy.Deny}, []policy.Action{policy.Save, policy.Restore}, `entry.branch != "main"`},
			{policy.Rule{Index: 1, Effect: policy.Allow}, []policy.Action{policy.Restore}, ""},
		},
	}
	if got := parsed.Describe(); !reflect.DeepEqual(got, want) {
		t.Errorf("the policy is described as\n%+v, want\n%+v", got, want)
	}
	if got := policy.Default().Describe().Save; got != "Saved entries are shared by all jobs" {
		t.Errorf("the default policy says %q", got)
	}
	var none *policy.Policy
	if got := none.Describe(); !reflect.DeepEqual(got, policy.Description{}) {
		t.Errorf("no policy is described as %+v", got)
	}
}

func TestWarningsOfBranchesThatAnybodyCanName(t *testing.T) {
	t.Parallel()
	const about = " decides by the branch alone, whoever created the build: everybody who may build the pipeline can build any commit under the name of any branch. Compare claims.build_source too"
	for rules, want := range map[string][]string{
		`{"name": "main", "effect": "allow", "action": "save", "when": "claims.build_branch == \"main\""}`:                                        {`rule 1 "main"` + about},
		`{"effect": "allow", "action": "save", "when": "claims.build_branch == \"main\" && claims.build_source == \"webhook\""}`:                  nil,
		`{"effect": "deny", "action": "save", "when": "claims.build_branch != \"main\""}, {"effect": "allow", "action": "save"}`:                  {`rule 1` + about},
		`{"effect": "allow", "action": "save"}, {"effect": "allow", "action": "restore", "when": "claims.build_branch.startsWith(\"release/\")"}`: {`rule 2` + about},
	} {
		parsed, faults := policy.Parse([]byte(`{"rules": [` + rules + `]}`))
		if faults != nil {
			t.Fatal(faults)
		}
		if got := parsed.Warnings(); !slices.Equal(got, want) {
			t.Errorf("%s: %q", rules, got)
		}
	}
	if (*policy.Policy)(nil).Warnings() != nil {
		t.Error("no policy has warnings")
	}
}
