package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/policy"
)

// ordinaryPolicy is a policy of the usual size: entries by pipeline and branch, a fall-back to main.
const ordinaryPolicy = `{
	"save": {"scopes": {"pipeline": true, "branch": true}},
	"restore": {"scopes": [{"pipeline": "$current", "branch": "$current"}, {"pipeline": "$current", "branch": "main"}]},
	"rules": [
		{"name": "no tags", "effect": "deny", "action": "save", "when": "claims.build_tag != null"},
		{"name": "main", "effect": "allow", "action": ["save", "restore"], "when": "entry.branch == \"main\""},
		{"name": "features", "effect": "allow", "action": ["save", "restore"], "when": "claims.build_branch.startsWith(\"feature/\") && entry.branch in [claims.build_branch, \"main\"]"},
		{"name": "releases", "effect": "allow", "action": "restore", "when": "claims.build_branch.matches(\"^release/[0-9]+$\")"}
	]
}`

func BenchmarkParse(b *testing.B) {
	for _, document := range []struct{ name, text string }{
		{"default", string(policy.Default().Normal())},
		{"ordinary", ordinaryPolicy}, // with conditions that are remembered
	} {
		b.Run(document.name, func(b *testing.B) {
			b.ReportAllocs()
			text := []byte(document.text)
			for b.Loop() {
				if _, faults := policy.Parse(text); faults != nil {
					b.Fatal(faults)
				}
			}
		})
	}
}

// BenchmarkCompile parses a policy with one condition that was not seen before.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		condition := fmt.Sprintf(`claims.build_branch.startsWith("feature/") && entry.branch in [claims.build_branch, "main-%d"]`, i)
		if _, faults := policy.Parse([]byte(policyWhen(condition))); faults != nil {
			b.Fatal(faults)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	tagged := testClaims()
	tag := "v1"
	tagged.BuildTag = &tag
	other := testClaims()
	other.BuildBranch = "release/1"
	for _, test := range []struct {
		name    string
		policy  *policy.Policy
		action  policy.Action
		claims  policy.Claims
		allowed bool
	}{
		{"default", policy.Default(), policy.Save, testClaims(), true},
		{"first-rule", mustParse(b, ordinaryPolicy), policy.Save, tagged, false},
		{"third-rule", mustParse(b, ordinaryPolicy), policy.Save, testClaims(), true},
		{"pattern", mustParse(b, ordinaryPolicy), policy.Restore, other, true},
		{"null", nil, policy.Save, testClaims(), false},
		{"100-rules", mustParse(b, manyRules(100)), policy.Restore, testClaims(), true},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if decision := policy.Decide(test.policy, test.action, test.claims); decision.Allowed != test.allowed {
					b.Fatal(decision)
				}
			}
		})
	}
}

func BenchmarkExplain(b *testing.B) {
	b.ReportAllocs()
	decision := policy.Decide(mustParse(b, ordinaryPolicy), policy.Restore, testClaims())
	for b.Loop() {
		_ = decision.String()
	}
}

// manyRules returns a policy with so many rules about claims, the last of which allows what the others do not mention.
func manyRules(count int) string {
	var rules strings.Builder
	for i := range count - 1 {
		fmt.Fprintf(&rules, `{"effect":"deny","action":["save","restore"],"when":"claims.build_branch.startsWith(\"gone-%d/\")"},`, i)
	}
	return `{"save":{"scopes":{"branch":true}},"restore":{"scopes":[{"branch":"$current"},{"branch":"develop"}]},"rules":[` + rules.String() +
		`{"effect":"allow","action":["save","restore"]}]}`
}
