package policy_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"penstock/internal/policy"
)

// outcomeOf parses a policy with one allow rule and the condition, decides about a save by the
// ordinary job, and returns the outcome of the rule, with its error if it failed. The entry to be
// saved has the scopes pipeline and branch.
func outcomeOf(t *testing.T, condition string, claims policy.Claims) string {
	t.Helper()
	parsed, faults := policy.Parse([]byte(`{"save":{"scopes":{"pipeline":true,"branch":true}},"rules":[{"effect":"allow","action":"save","when":` + quoteJSON(condition) + `}]}`))
	if faults != nil {
		t.Fatalf("the condition %s has faults: %s", condition, faults)
	}
	step := policy.Decide(parsed, policy.Save, claims).Trials[0].Steps[0]
	return describeOutcome(step)
}

// describeOutcome names the outcome of a step briefly, with its error if it failed.
func describeOutcome(step policy.Step) string {
	short := strings.TrimPrefix(string(step.Outcome), "condition ")
	if step.Err != nil {
		return short + ": " + step.Err.Error()
	}
	return short
}

func TestConditionsEvaluate(t *testing.T) {
	t.Parallel()
	const null = "failed: a value is null, or of another type than the condition needs"
	tests := []struct{ condition, outcome string }{
		{`true`, "matched"},
		{`false`, "false"},
		{`entry.branch == "feature/x"`, "matched"},
		{`"feature/x" == entry.branch`, "matched"},
		{`entry.branch == "main"`, "false"},
		{`entry.branch != null`, "matched"},
		{`entry.branch == null`, "false"},
		{`entry.build == null`, "matched"},
		{`entry.build != null`, "false"},
		{`entry.build == "17"`, "false"},
		{`entry.build != "17"`, "matched"},
		{`entry.branch == claims.build_branch && entry.pipeline == claims.pipeline_slug`, "matched"},
		{`entry.build == string(claims.build_number)`, "false"},
		{`entry.branch.startsWith("feature/")`, "matched"},
		{`entry.branch.endsWith("/x") && entry.branch.contains("ture")`, "matched"},
		{`entry.branch.matches("^feature/[a-z]+$")`, "matched"},
		{`matches(entry.branch, "^main$")`, "false"},
		{`!entry.branch.matches("MAIN") && entry.branch.matches("(?i)FEATURE")`, "matched"},
		{`entry.build.startsWith("1")`, null},
		{`entry.build.matches("1")`, null},
		{`matches(entry.build, "1")`, null},
		{`size(entry.build) > 0`, null},
		{`entry.build < "2"`, null},
		{`entry.build + "x" == "x"`, null},
		// An error decides nothing where the rest decides alone.
		{`entry.build == null || entry.build.startsWith("1")`, "matched"},
		{`entry.build.startsWith("1") || entry.build == null`, "matched"},
		{`entry.build != null && entry.build.startsWith("1")`, "false"},
		{`entry.build != null ? entry.build == "17" : true`, "matched"},
		{`has(entry.branch)`, "matched"},
		{`has(entry.build)`, "false"},
		{`has(claims.step_key) && !has(claims.build_tag)`, "matched"},
		{`entry.branch in ["main", "feature/x"]`, "matched"},
		{`entry.build in ["17", null]`, "matched"},
		{`entry.branch in {"main": 1}`, "false"},
		{`entry != null && claims != null`, "matched"},
		{`entry == entry && claims == claims`, "matched"},
		{`[entry].exists(e, e.branch == "feature/x")`, "matched"},
		{`{"e": entry}.e.branch == "feature/x"`, "matched"},
		{`[claims][0].build_number == 17`, "matched"},
		{`claims.organization_slug == "acme-inc"`, "matched"},
		{`claims.pipeline_slug == "web"`, "matched"},
		{`claims.build_number == 17 && claims.build_number % 2 == 1 && claims.build_number > 3`, "matched"},
		{`claims.build_branch == "feature/x"`, "matched"},
		{`claims.build_tag == null`, "matched"},
		{`claims.build_tag.startsWith("v")`, null},
		{`claims.build_commit.size() == 40`, "matched"},
		{`claims.step_key == "test"`, "matched"},
		{`claims.job_id != claims.agent_id`, "matched"},
		{`claims.build_source in ["webhook", "schedule"]`, "matched"},
		{`claims.runner_environment == "self-hosted"`, "matched"},
		{`["feature/", "fix/"].exists(prefix, claims.build_branch.startsWith(prefix))`, "matched"},
		{`["a", "b"].all(x, x != claims.build_branch)`, "matched"},
		{`[1, 2, 3].exists_one(x, x > 2)`, "matched"},
		{`[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]`, "matched"},
		{`[[1, 2], [3]].all(xs, xs.all(x, x > 0))`, "matched"},
		{`int("17") == claims.build_number && double(1) < 1.5 && uint(1) == 1u && bool("true")`, "matched"},
		{`{"web": "main"}[claims.pipeline_slug] == "main"`, "matched"},
		{`{"api": "main"}[claims.pipeline_slug] == "main"`, "failed: no such key: web"},
		{`[1, "a"].all(x, x.startsWith("a"))`, null},
		{`[1][claims.build_number] == 1`, "failed: index out of bounds: 17"},
		{`claims.build_number / (claims.build_number - 17) == 1`, "failed: division by zero"},
		{`claims.build_number * 9223372036854775807 > 0`, "failed: integer overflow"},
		{`int(claims.build_branch) == 1`, "failed: type conversion error from 'string' to 'int'"},
		{"true // a comment\n&& true", "matched"},
	}
	for _, test := range tests {
		t.Run(test.condition, func(t *testing.T) {
			t.Parallel()
			if got := outcomeOf(t, test.condition, testClaims()); got != test.outcome {
				t.Errorf("%s: got %s, want %s", test.condition, got, test.outcome)
			}
		})
	}
}

func TestConditionsRefused(t *testing.T) {
	t.Parallel()
	const (
		entryHas  = "entry has pipeline, branch and build"
		claimsHas = "claims has organization_slug, pipeline_slug, build_number, build_branch, build_tag, build_commit, " +
			"step_key, job_id, agent_id, build_source and runner_environment"
	)
	tests := []struct {
		condition string
		faults    []string
	}{
		// Attributes, variables and functions that do not exist.
		{`entry.brnch == "main"`, []string{"names an unknown attribute entry.brnch; " + entryHas + " (at 1:6)"}},
		{`entry.Branch == "main"`, []string{"names an unknown attribute entry.Branch; " + entryHas + " (at 1:6)"}},
		{`claims.branch == "main"`, []string{"names an unknown attribute claims.branch; " + claimsHas + " (at 1:7)"}},
		{`has(claims.tag)`, []string{"names an unknown attribute claims.tag; " + claimsHas + " (at 1:4)"}},
		{`[entry].exists(e, e.brnch == "x")`, []string{"names an unknown attribute brnch; " + entryHas + "; " + claimsHas + " (at 1:20)"}},
		{`entry.a == "x" || entry.b == "y"`, []string{
			"names an unknown attribute entry.a; " + entryHas + " (at 1:6)",
			"names an unknown attribute entry.b; " + entryHas + " (at 1:24)",
		}},
		{`entyr.branch == "main"`, []string{"names an unknown variable entyr; there are entry and claims (at 1:1)"}},
		{`branch == "main"`, []string{"names an unknown variable branch; there are entry and claims (at 1:1)"}},
		{`claims.build_number == 1 &&` + "\n" + ` env.HOME == ""`, []string{"names an unknown variable env; there are entry and claims (at 2:2)"}},
		{`lower(entry.branch) == "main"`, []string{"calls an unknown function lower (at 1:6)"}},
		{`entry.branch.lowerAscii() == "main"`, []string{"calls an unknown function lowerAscii (at 1:24)"}},
		{`dyn(entry).brnch == "main"`, []string{"calls an unknown function dyn (at 1:4)"}},
		{`type(entry.branch) == string`, []string{
			"calls an unknown function type (at 1:5)",
			"names an unknown variable string; there are entry and claims (at 1:23)",
		}},
		{`timestamp("2026-01-01T00:00:00Z").getHours("Europe/Berlin") == 1`, []string{
			"calls an unknown function timestamp (at 1:10)",
			"calls an unknown function getHours (at 1:43)",
		}},
		{`duration("1s") == duration("1s")`, []string{"calls an unknown function duration (at 1:9)", "calls an unknown function duration (at 1:27)"}},
		{`bytes("a") == b"a"`, []string{"calls an unknown function bytes (at 1:6)"}},
		{`[entry, 1].exists(e, e.brnch == "x")`, []string{`must not select "brnch" from a value of mixed type (at 1:23)`}},
		{`[entry, 1][0]["brnch"] == "x"`, []string{"must not index a value of mixed type (at 1:14)"}},
		{`entry["branch"] == "x"`, []string{"does not compile: found no matching overload for '_[_]' applied to '(Entry, string)' (at 1:6)"}},
		{`Entry{branch: "main"} == entry`, []string{"must not build objects (at 1:6)"}},
		{`google.protobuf.Value{} == null`, []string{"does not compile: undeclared reference to 'google.protobuf.Value' (at 1:22)"}},
		// Types.
		{`entry.branch`, []string{"must be true or false, not string or null"}},
		{`claims.build_number`, []string{"must be true or false, not int"}},
		{`"true"`, []string{"must be true or false, not string"}},
		{`null`, []string{"must be true or false, not null"}},
		{`[true]`, []string{"must be true or false, not list(bool)"}},
		{`[true, 1][0]`, []string{"must be true or false, not dyn"}},
		{`entry`, []string{"must be true or false, not Entry"}},
		{`entry.branch == 1`, []string{"does not compile: found no matching overload for '_==_' applied to '(string or null, int)' (at 1:14)"}},
		{`entry.build == claims.build_number`, []string{"does not compile: found no matching overload for '_==_' applied to '(string or null, int)' (at 1:13)"}},
		{`claims.build_number == null`, []string{"does not compile: found no matching overload for '_==_' applied to '(int, null)' (at 1:21)"}},
		{`!entry.branch`, []string{"does not compile: found no matching overload for '!_' applied to '(string or null)' (at 1:1)"}},
		{`entry.branch && true`, []string{"does not compile: expected type 'bool' but found 'string or null' (at 1:6)"}},
		{`has(entry)`, []string{"does not compile: invalid argument to has() macro (at 1:5)"}},
		{`int("x") == 1`, []string{"does not compile: type conversion error from 'string' to 'int'"}},
		// Syntax: the first error only.
		{`entry.branch ==`, []string{"does not compile: Syntax error: mismatched input '<EOF>' (at 1:16)"}},
		{`entry.branch = "main"`, []string{"does not compile: Syntax error: token recognition error at: '= ' (at 1:14)"}},
		{`entry.branch == 'main`, []string{"does not compile: Syntax error: token recognition error at: ''main' (at 1:17)"}},
		{`(true`, []string{"does not compile: Syntax error: missing ')' at '<EOF>' (at 1:6)"}},
		{`true true`, []string{"does not compile: Syntax error: extraneous input 'true' expecting <EOF> (at 1:6)"}},
		{`entry.?branch == "x"`, []string{"does not compile: unsupported syntax '.?' (at 1:6)"}},
		{"true \x01", []string{"does not compile: Syntax error: token recognition error at: '\ufffd' (at 1:6)"}},
		// Patterns.
		{`entry.branch.matches(claims.build_branch)`, []string{"must use a literal as the pattern of matches (at 1:21)"}},
		{`matches(entry.branch, entry.pipeline)`, []string{"must use a literal as the pattern of matches (at 1:8)"}},
		{`entry.branch.matches("a" + "b")`, []string{"must use a literal as the pattern of matches (at 1:21)"}},
		{`["a"].exists(p, entry.branch.matches(p))`, []string{"must use a literal as the pattern of matches (at 1:37)"}},
		{`entry.branch.matches(true ? "a" : "b")`, []string{"must use a literal as the pattern of matches (at 1:21)"}},
		{`entry.branch.matches("(")`, []string{"has an invalid pattern: error parsing regexp: missing closing ): `(` (at 1:21)"}},
		{`entry.branch.matches("a") || entry.branch.matches("[") || entry.branch.matches("(?=x)")`, []string{
			"has an invalid pattern: error parsing regexp: missing closing ]: `[` (at 1:50)",
			"has an invalid pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=` (at 1:79)",
		}},
	}
	for _, test := range tests {
		t.Run(test.condition, func(t *testing.T) {
			t.Parallel()
			_, faults := policy.Parse([]byte(policyWhen(test.condition)))
			var want []string
			for _, fault := range test.faults {
				want = append(want, "rules[0].when "+fault)
			}
			expectFaults(t, faults, want)
		})
	}
}

// Many goroutines parse more conditions than are remembered, and decide with them.
func TestConditionsAreSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	shared, faults := policy.Parse([]byte(policyWhen(`claims.build_number > 3 && entry.branch == null`)))
	if faults != nil {
		t.Fatal(faults)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			claims := testClaims()
			for i := range 200 {
				claims.BuildNumber = int64(i + 1)
				if got := policy.Decide(shared, policy.Save, claims).Allowed; got != (i+1 > 3) {
					t.Errorf("worker %d: build %d: got %t", worker, i+1, got)
				}
				own, faults := policy.Parse([]byte(policyWhen(fmt.Sprintf("claims.build_number == %d", i*(worker%4)))))
				if faults != nil {
					t.Error(faults)
					return
				}
				if got := policy.Decide(own, policy.Save, claims).Allowed; got != (i+1 == i*(worker%4)) {
					t.Errorf("worker %d: condition %d: got %t", worker, i, got)
				}
			}
		})
	}
	group.Wait()
}

// The messages of faults are shown to users as they are: one line, of bounded length.
func TestFaultsOfConditionsAreOneLine(t *testing.T) {
	t.Parallel()
	for _, condition := range []string{
		"entry." + strings.Repeat("a", 2000),
		strings.Repeat("a", 2000) + ".b",
		strings.Repeat("a", 2000) + "(1)",
		"'" + strings.Repeat("a\n", 900),
		"true \x1b[31m",
		"entry.branch.matches('(" + strings.Repeat("a", 400) + "\\u001b')",
	} {
		_, faults := policy.Parse([]byte(policyWhen(condition)))
		if len(faults) == 0 {
			t.Errorf("%.40q has no faults", condition)
		}
		for _, fault := range faults {
			if text := fault.String(); len(text) > 600 || strings.ContainsAny(text, "\n\r\x1b\x00") {
				t.Errorf("%.40q has the fault %q", condition, text)
			}
		}
	}
}
