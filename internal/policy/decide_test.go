package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/policy"
)

// testClaims is the claims of an ordinary job: build 17 of the branch feature/x of the pipeline web.
func testClaims() policy.Claims {
	key := "test"
	return policy.Claims{
		OrganizationSlug:  "acme-inc",
		PipelineSlug:      "web",
		BuildNumber:       17,
		BuildBranch:       "feature/x",
		BuildCommit:       "0123456789abcdef0123456789abcdef01234567",
		StepKey:           &key,
		JobID:             "0192f1a0-0000-7000-8000-000000000001",
		AgentID:           "0192f1a0-0000-7000-8000-000000000002",
		BuildSource:       "webhook",
		RunnerEnvironment: "self-hosted",
	}
}

func mustParse(t testing.TB, document string) *policy.Policy {
	t.Helper()
	parsed, faults := policy.Parse([]byte(document))
	if faults != nil {
		t.Fatalf("%.200s has faults: %s", document, faults)
	}
	return parsed
}

const (
	allowSave    = `{"effect":"allow","action":"save"}`
	allowRestore = `{"effect":"allow","action":"restore"}`
	allowBoth    = `{"effect":"allow","action":["save","restore"]}`
	denySave     = `{"effect":"deny","action":"save"}`
	denyRestore  = `{"effect":"deny","action":"restore"}`
)

// conditionalPolicy is a rule for both actions with a condition.
func conditionalPolicy(effect, condition string) string {
	return `{"effect":"` + effect + `","action":["restore","save"],"when":` + quoteJSON(condition) + `}`
}

// numberList is a list of n ones.
func numberList(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }

// scopedPolicy is a policy with the given members of save.scopes, elements of restore.scopes, and rules.
func scopedPolicy(save, restore string, rules ...string) string {
	return `{"save":{"scopes":{` + save + `}},"restore":{"scopes":[` + restore + `]},"rules":[` + strings.Join(rules, ",") + `]}`
}

func TestDecide(t *testing.T) {
	t.Parallel()
	const (
		failing = `entry.build.startsWith("1")` // build is not set in these policies
		none    = -1
	)
	endless := numberList(90) + `.all(x, ` + numberList(90) + `.all(y, x < 2))`
	tests := []struct {
		name, policy string
		action       policy.Action
		allowed      bool
		rule         int    // the index of the rule that decided, or none
		entry        string // empty when the decision is about no one entry
		outcomes     string // of each rule, by entry
	}{
		// The order of the rules, and what they include.
		{"no rules, save", `{}`, policy.Save, false, none, `{}`, ``},
		{"no rules, restore", scopedPolicy(``, `{}`), policy.Restore, false, none, `{}`, ``},
		{"other action only, save", scopedPolicy(``, `{}`, allowRestore), policy.Save, false, none, `{}`, `other action`},
		{"other action only, restore", scopedPolicy(``, `{}`, allowSave), policy.Restore, false, none, `{}`, `other action`},
		{"allowed", scopedPolicy(``, `{}`, allowSave), policy.Save, true, 0, `{}`, `matched`},
		{"allowed by a rule for both", scopedPolicy(``, `{}`, allowBoth), policy.Restore, true, 0, `{}`, `matched`},
		{"denied", scopedPolicy(``, `{}`, denySave), policy.Save, false, 0, `{}`, `matched`},
		{"the first match decides, allow", scopedPolicy(``, `{}`, allowSave, denySave), policy.Save, true, 0, `{}`, `matched`},
		{"the first match decides, deny", scopedPolicy(``, `{}`, denySave, allowSave), policy.Save, false, 0, `{}`, `matched`},
		{"rules for the other action are passed over", scopedPolicy(``, `{}`, denyRestore, denyRestore, allowSave), policy.Save, true, 2, `{}`, `other action, other action, matched`},

		// Conditions.
		{"true", scopedPolicy(``, `{}`, conditionalPolicy("allow", "true")), policy.Save, true, 0, `{}`, `matched`},
		{"false", scopedPolicy(``, `{}`, conditionalPolicy("allow", "false")), policy.Save, false, none, `{}`, `false`},
		{"false deny", scopedPolicy(``, `{}`, conditionalPolicy("deny", "false"), allowSave), policy.Save, true, 1, `{}`, `false, matched`},
		{"true deny", scopedPolicy(``, `{}`, conditionalPolicy("deny", "true"), allowSave), policy.Save, false, 0, `{}`, `matched`},
		{"a condition of another action is not evaluated", scopedPolicy(``, `{}`, `{"effect":"deny","action":"restore","when":`+quoteJSON(failing)+`}`, allowSave), policy.Save, true, 1, `{}`, `other action, matched`},
		{"failing allow", scopedPolicy(``, `{}`, conditionalPolicy("allow", failing)), policy.Save, false, none, `{}`, `failed`},
		{"failing allow, then allow", scopedPolicy(``, `{}`, conditionalPolicy("allow", failing), allowSave), policy.Save, true, 1, `{}`, `failed, matched`},
		{"failing deny", scopedPolicy(``, `{}`, conditionalPolicy("deny", failing), allowSave), policy.Save, false, 0, `{}`, `failed`},
		{"endless allow", scopedPolicy(``, `{}`, conditionalPolicy("allow", endless)), policy.Save, false, none, `{}`, `failed`},
		{"endless allow, then allow", scopedPolicy(``, `{}`, conditionalPolicy("allow", endless), allowSave), policy.Save, true, 1, `{}`, `failed, matched`},
		{"endless deny", scopedPolicy(``, `{}`, conditionalPolicy("deny", endless), allowSave), policy.Save, false, 0, `{}`, `failed`},

		// The entry to save.
		{"save unscoped", scopedPolicy(``, ``, allowSave), policy.Save, true, 0, `{}`, `matched`},
		{"save all scopes", scopedPolicy(`"build":true,"branch":true,"pipeline":true`, ``, allowSave), policy.Save, true, 0, `{"pipeline":"web","branch":"feature/x","build":"17"}`, `matched`},
		{"save some scopes", scopedPolicy(`"build":false,"branch":true`, ``, allowSave), policy.Save, true, 0, `{"branch":"feature/x"}`, `matched`},
		{"save sees its entry", scopedPolicy(`"branch":true`, `{}`, conditionalPolicy("allow", `entry.branch == "feature/x" && entry.pipeline == null && entry.build == null`)), policy.Save, true, 0, `{"branch":"feature/x"}`, `matched`},
		{"save does not see restore.scopes", scopedPolicy(``, `{"branch":"main"}`, conditionalPolicy("allow", `entry.branch == null`)), policy.Save, true, 0, `{}`, `matched`},

		// The entries to restore.
		{"restore without scopes", scopedPolicy(`"branch":true`, ``, allowRestore), policy.Restore, false, none, ``, ``},
		{"restore unscoped", scopedPolicy(`"branch":true`, `{}`, allowRestore), policy.Restore, true, 0, `{}`, `matched`},
		{"restore the current", scopedPolicy(``, `{"branch":"$current","build":"$current","pipeline":"$current"}`, allowRestore), policy.Restore, true, 0, `{"pipeline":"web","branch":"feature/x","build":"17"}`, `matched`},
		{"restore a literal", scopedPolicy(``, `{"branch":"main","pipeline":"$current"}`, allowRestore), policy.Restore, true, 0, `{"pipeline":"web","branch":"main"}`, `matched`},
		{"the first allowed entry decides", scopedPolicy(``, `{"branch":"$current"},{"branch":"main"},{}`, allowRestore), policy.Restore, true, 0, `{"branch":"feature/x"}`, `matched`},
		{
			"a later entry is allowed", scopedPolicy(``, `{"branch":"$current"},{"branch":"main"},{}`, conditionalPolicy("allow", `entry.branch == "main"`)),
			policy.Restore, true, 0, `{"branch":"main"}`, `false; matched`,
		},
		{
			"a denied entry does not deny the next", scopedPolicy(``, `{"branch":"$current"},{"branch":"main"}`, conditionalPolicy("deny", `entry.branch != "main"`), allowRestore),
			policy.Restore, true, 1, `{"branch":"main"}`, `matched; false, matched`,
		},
		{
			"a failing deny denies its entry only", scopedPolicy(``, `{"branch":"$current"},{"branch":"x","build":"2"}`, conditionalPolicy("deny", failing), allowRestore),
			policy.Restore, true, 1, `{"branch":"x","build":"2"}`, `failed; false, matched`,
		},
		{
			"what is said of claims holds for each entry", scopedPolicy(``, `{"branch":"$current"},{"branch":"main"}`,
				conditionalPolicy("deny", `claims.build_branch == "x"`), conditionalPolicy("allow", `entry.branch == "main"`)),
			policy.Restore, true, 1, `{"branch":"main"}`, `false, false; false, matched`,
		},
		{
			"no entry is allowed", scopedPolicy(``, `{"branch":"$current"},{"branch":"main"}`, conditionalPolicy("deny", `entry.branch == "main"`), conditionalPolicy("allow", `entry.branch == "x"`)),
			policy.Restore, false, none, ``, `false, false; matched`,
		},
		{"the only entry is denied", scopedPolicy(``, `{"branch":"$current"}`, denyRestore), policy.Restore, false, 0, `{"branch":"feature/x"}`, `matched`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			decision := policy.Decide(mustParse(t, test.policy), test.action, testClaims())
			if decision.Action != test.action || decision.Allowed != test.allowed {
				t.Errorf("%s: got allowed %t, want %t\n%s", decision.Action, decision.Allowed, test.allowed, decision)
			}
			if got := ruleOf(decision); got != test.rule {
				t.Errorf("got rule %d, want %d\n%s", got, test.rule, decision)
			}
			if got := entryOf(decision); got != test.entry {
				t.Errorf("got entry %s, want %s\n%s", got, test.entry, decision)
			}
			if got := outcomesOf(decision); got != test.outcomes {
				t.Errorf("got outcomes %s, want %s\n%s", got, test.outcomes, decision)
			}
		})
	}
}

func ruleOf(decision policy.Decision) int {
	if decision.Rule == nil {
		return -1
	}
	return decision.Rule.Index
}

func entryOf(decision policy.Decision) string {
	if decision.Entry == nil {
		return ""
	}
	return decision.Entry.String()
}

func outcomesOf(decision policy.Decision) string {
	var trials []string
	for _, trial := range decision.Trials {
		var outcomes []string
		for _, step := range trial.Steps {
			outcomes = append(outcomes, strings.TrimPrefix(string(step.Outcome), "condition "))
		}
		trials = append(trials, strings.Join(outcomes, ", "))
	}
	return strings.Join(trials, "; ")
}

func TestDecideWithoutTrials(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		decision   policy.Decision
	}{
		{"null policy, save", "save denied: there is no policy\n", policy.Decide(nil, policy.Save, testClaims())},
		{"null policy, restore", "restore denied: there is no policy\n", policy.Decide(nil, policy.Restore, testClaims())},
		{"unknown action", "delete denied: the action must be save or restore\n", policy.Decide(policy.Default(), "delete", testClaims())},
		{"no entry", "restore denied: restore.scopes offers no entry\n", policy.Decide(mustParse(t, `{}`), policy.Restore, testClaims())},
		{
			"claims that are not valid",
			"save denied: the claims are not valid: pipeline_slug must be a string that is not empty, build_number must be a whole number from 1\n",
			policy.Decide(policy.Default(), policy.Save, func() policy.Claims {
				claims := testClaims()
				claims.PipelineSlug, claims.BuildNumber = "", 0
				return claims
			}()),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.decision.Allowed || test.decision.Entry != nil || test.decision.Rule != nil || test.decision.Trials != nil {
				t.Errorf("got %+v", test.decision)
			}
			if got := test.decision.String(); got != test.text {
				t.Errorf("got %q, want %q", got, test.text)
			}
		})
	}
}

// A zero claim must not be taken for an unscoped entry.
func TestDecideDeniesZeroClaims(t *testing.T) {
	t.Parallel()
	if decision := policy.Decide(policy.Default(), policy.Save, policy.Claims{}); decision.Allowed {
		t.Fatal(decision)
	}
}

// Rules times entries is bounded as a whole, however cheap each is.
func TestDecideIsBounded(t *testing.T) {
	t.Parallel()
	many := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	entries := many("{}", 15_000)
	tests := []struct {
		name, policy string
		allowed      bool
	}{
		{"entries without rules", scopedPolicy(``, entries), false},
		{"rules for another action", scopedPolicy(``, entries, many(allowSave, 100)), false},
		{"cheap conditions", scopedPolicy(``, entries, many(conditionalPolicy("allow", "false"), 100)), false},
		{"dear conditions", scopedPolicy(``, many("{}", 100), many(conditionalPolicy("allow", `[1,2,3,4,5,6,7,8,9].exists(x, [1,2,3,4,5,6,7,8,9].exists(y, x*y == 82))`), 50)), false},
		{"the limit does not deny what is decided before it", scopedPolicy(``, entries, many(conditionalPolicy("allow", "false"), 99), allowRestore), true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			decision := policy.Decide(mustParse(t, test.policy), policy.Restore, testClaims())
			if decision.Allowed != test.allowed {
				t.Errorf("got allowed %t: %s", decision.Allowed, decision.Reason)
			}
			steps := 0
			for _, trial := range decision.Trials {
				steps += len(trial.Steps)
			}
			if steps > 30_000 {
				t.Errorf("took %d steps", steps)
			}
		})
	}
}

func TestDecisionText(t *testing.T) {
	t.Parallel()
	document := scopedPolicy(`"branch":true`, `{"branch":"$current"},{"branch":"main"}`,
		`{"name":"no\u001b[31m saves","effect":"deny","action":"save","when":"claims.build_tag.startsWith(\"v\")"}`,
		`{"name":"tags","effect":"allow","action":"restore","when":"claims.build_tag.startsWith(\"v\")"}`,
		`{"effect":"allow","action":"restore","when":"entry.branch == \"main\""}`,
	)
	tests := []struct {
		action policy.Action
		text   string
	}{
		{policy.Save, `
save denied: rule 1 "no\x1b[31m saves" denies it
  entry {"branch":"feature/x"} denied: rule 1 "no\x1b[31m saves" denies it
    rule 1 "no\x1b[31m saves" (deny): its condition failed, so it denies: a value is null, or of another type than the condition needs
`},
		{policy.Restore, `
restore allowed: rule 3 allows it
  entry {"branch":"feature/x"} denied: no rule matches
    rule 1 "no\x1b[31m saves" (deny): is not about restore
    rule 2 "tags" (allow): its condition failed, so it does not match: a value is null, or of another type than the condition needs
    rule 3 (allow): its condition is false
  entry {"branch":"main"} allowed: rule 3 allows it
    rule 1 "no\x1b[31m saves" (deny): is not about restore
    rule 2 "tags" (allow): its condition failed, so it does not match: a value is null, or of another type than the condition needs
    rule 3 (allow): matches
`},
	}
	for _, test := range tests {
		decision := policy.Decide(mustParse(t, document), test.action, testClaims())
		want := strings.TrimPrefix(test.text, "\n")
		if got := decision.String(); got != want {
			t.Errorf("String()\n got %s\nwant %s", got, want)
		}
		var written strings.Builder
		if err := decision.WriteText(&written); err != nil || written.String() != want {
			t.Errorf("WriteText wrote %q, %v", written.String(), err)
		}
	}
}

func TestParseAction(t *testing.T) {
	t.Parallel()
	for text, known := range map[string]bool{"save": true, "restore": true, "": false, "Save": false, "delete": false, "save ": false} {
		action, ok := policy.ParseAction(text)
		if ok != known || ok && string(action) != text || !ok && action != "" {
			t.Errorf("ParseAction(%q) = %q, %t", text, action, ok)
		}
	}
}

// A decision about very many entries has a text of bounded length that ends with the last.
func TestDecisionTextIsBounded(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 10_000)
	entries := strings.Repeat(`{"branch":"$current"},`, 2000) + `{"branch":"main"}`
	decision := policy.Decide(mustParse(t, scopedPolicy(``, entries, `{"name":"`+name+`","effect":"deny","action":"restore","when":"entry.branch != \"main\""}`, allowRestore)), policy.Restore, longClaims())
	text := decision.String()
	if !decision.Allowed || len(decision.Trials) != 2001 || decision.Trials[0].Steps[0].Rule.Name != name {
		t.Fatalf("allowed %t, %d trials", decision.Allowed, len(decision.Trials))
	}
	if len(text) > 64<<10 || !strings.Contains(text, "  and 1950 more entries, all denied\n  entry {\"branch\":\"main\"} allowed: rule 2 allows it\n") {
		t.Errorf("%d bytes: %s", len(text), text[max(0, len(text)-1000):])
	}
}

// What took too much work says so.
func TestDecisionTextOfTooMuchWork(t *testing.T) {
	t.Parallel()
	entries := strings.TrimSuffix(strings.Repeat("{},", 2000), ",")
	rules := strings.TrimSuffix(strings.Repeat(conditionalPolicy("allow", "false")+",", 20), ",")
	text := policy.Decide(mustParse(t, scopedPolicy(``, entries, rules)), policy.Restore, testClaims()).String()
	if first, _, _ := strings.Cut(text, "\n"); first != "restore denied: the policy takes too much work to decide" {
		t.Errorf("got %s", first)
	}
	if !strings.Contains(text, "  entry {} denied: the policy takes too much work to decide\n") {
		t.Error("the last entry does not say so")
	}
}

// Terminals must not obey what a branch is called.
func TestEntryTextIsJSON(t *testing.T) {
	t.Parallel()
	entry := policy.Entry{Pipeline: "a\"b", Branch: "\x1b[31m", Build: "1"}
	if got, want := fmt.Sprint(entry), `{"pipeline":"a\"b","branch":"\u001b[31m","build":"1"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFurtherEntries looks at what a restore may have besides the entry that decides.
func TestFurtherEntries(t *testing.T) {
	t.Parallel()
	scopes := `"restore":{"scopes":[{"branch":"secret"},{"branch":"$current"},{"branch":"secret"},{"branch":"main"},{"branch":"$current"},{},{"branch":"main"}]}`
	decision := policy.Decide(mustParse(t, `{`+scopes+`,"rules":[{"effect":"deny","action":"restore","when":"entry.branch == \"secret\""},{"effect":"allow","action":["save","restore"]}]}`),
		policy.Restore, testClaims())
	var entries []string
	for _, entry := range decision.AllowedEntries() {
		entries = append(entries, entry.String())
	}
	current := testClaims().BuildBranch
	if got, want := strings.Join(entries, " "), `{"branch":"`+current+`"} {"branch":"main"} {}`; got != want || len(decision.Trials) != 2 {
		t.Errorf("%s with %d trials, want %s", got, len(decision.Trials), want)
	}
	denied := policy.Decide(mustParse(t, `{`+scopes+`}`), policy.Restore, testClaims())
	if entries := denied.AllowedEntries(); entries != nil || denied.Further != nil {
		t.Errorf("denied, and %v may be restored", entries)
	}
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, `{"branch":"b%d"},`, i)
	}
	lots := policy.Decide(mustParse(t, `{"restore":{"scopes":[`+many.String()+`{}]},"rules":[{"effect":"allow","action":"restore"}]}`), policy.Restore, testClaims())
	if n := len(lots.AllowedEntries()); n != policy.MaxAllowedEntries {
		t.Errorf("%d entries", n)
	}
}
