package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/policy"
)

// hostile is conditions that are made to take long: to parse, to check, to compile or to evaluate.
// The outcome is the rule's, or the beginning of the fault that refuses the condition. What they
// cost is measured by BenchmarkHostile.
var hostile = []struct{ name, condition, outcome string }{
	// Text that takes long to parse.
	{"parentheses", times("(", 1000) + "true" + times(")", 1000), "must have at most 600 words and signs"},
	{"nested parentheses", times("(", 51) + "true" + times(")", 51), "does not compile: expression recursion limit exceeded: 50"},
	{"many nested parentheses", joined(times("(", 24)+"true"+times(")", 24), "||", 11), "matched"},
	{"unclosed parentheses", times("(", 600), "does not compile"},
	{"unclosed lists", times("[", 600), "does not compile"},
	{"unclosed maps", times("{1:", 200), "does not compile"},
	{"unclosed calls", times("a(", 300), "does not compile"},
	{"unclosed objects", times("a{b:", 150), "does not compile"},
	{"closed before opened", times(")(", 300), "does not compile"},
	{"ternaries", times("true?true:", 140) + "true", "does not compile"},
	{"nested ternaries", times("true?(", 45) + "true" + times("):true", 45), "matched"},
	{"negations", times("!", 598) + "true", "matched"},
	{"minuses", times("-", 594) + "1 == 1", "matched"},
	{"a long sum", joined("1", "+", 290) + " == 1", "does not compile"},
	{"a long disjunction", joined("false", "||", 200), "false"},
	{"a long mixture", joined("false||true&&true", "&&", 66), "matched"},
	{"selections", "entry" + times(".a", 290), "does not compile"},
	{"member calls", "entry" + times(".a()", 140), "does not compile"},
	{"comparisons in a row", joined("1", "<", 290), "does not compile"},
	{"operators only", times("&&", 300), "does not compile"},
	{"question marks", times("?:", 300), "does not compile"},
	{"quotes", times(`"`, 2047), "does not compile"},
	{"backslashes", `"` + times(`\`, 590), "does not compile"},
	{"characters that CEL does not know", times("é", 300), "does not compile"},
	{"line breaks", "true" + times("\n", 2000), "matched"},
	{"comments", times("//\n", 290) + "true", "matched"},
	{"a large integer", times("9", 2000) + " == 1", "does not compile: invalid int literal"},
	{"a large float", times("9", 2000) + ".0 == 1.0", "does not compile: invalid double literal"},
	{"a large exponent", "1e99999999 == 1.0", "does not compile: invalid double literal"},
	{"a large literal", `"` + times("a", 2000) + `" == ""`, "false"},
	{"a large list", "1 in " + numbers(290), "matched"},

	// Trees that take long to check: the checker copies all its type variables at each step.
	{"empty lists", "[" + joined("[]", ",", 190) + "] == []", "must have at most 50 lists and maps"},
	{"empty maps", "{" + joined("{}:{}", ",", 90) + "} == {}", "must have at most 50 lists and maps"},
	{"nested lists", times("[", 48) + times("]", 48) + " == []", "must nest lists and maps at most 4 deep"},
	{"nested maps", times("{1:", 45) + "1" + times("}", 45) + " == {}", "must nest lists and maps at most 4 deep"},
	{"nested empty loops", times("[].all(x,", 45) + "true" + times(")", 45), "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"nested loops", times("[1].map(x,", 4) + "x" + times(")", 4) + " == []", "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"chained loops", "[1]" + times(".map(x,x)", 45) + " == []", "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"three loops", "[1].all(x, [1].all(y, [1].all(z, true)))", "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"many loops", joined("[1].exists_one(x,[1].exists_one(y,x==y))", "||", 5), "matched"},
	{"more loops", joined("[1].exists_one(x,[1].exists_one(y,x==y))", "||", 13), "must have at most 50 operators and calls besides && and ||"},
	{"too many loops", joined("[1].all(x,x==1)", "||", 36), "does not compile: expression count exceeds limit of 500"},
	{"many comparisons", joined("1==1", "||", 50), "matched"},
	{"more comparisons", joined("1==1", "||", 51), "must have at most 50 operators and calls besides && and ||"},
	{"many conversions", joined("string(1)==''", "||", 25), "false"},
	{"many sizes", joined("size([])<1", "||", 25), "matched"},
	{"many indexes", joined("[1][0]<1", "||", 25), "false"},
	{"many ternaries", joined("(true?true:true)", "||", 50), "matched"},
	{"many type errors", joined("1<true", "||", 50), "does not compile: found no matching overload"},
	{"many unknown attributes", joined("entry.x", "||", 99), "names an unknown attribute entry.x"},
	{"many unknown names", joined("google.protobuf.Duratoin", "||", 75), "does not compile: undeclared reference"},
	{"many presence tests", joined("has(entry.branch)", "||", 72), "matched"},

	// Patterns that take long to compile.
	{"repetition", `claims.build_branch.matches("a{1000}")`, "has a pattern that compiles to over 200 instructions"},
	{"nested repetition", `claims.build_branch.matches("((a{10}){10}){10}")`, "has a pattern that compiles to over 200 instructions"},
	{"repetition beyond Go's limit", `claims.build_branch.matches("(((a{100}){100}){100}){100}")`, "has an invalid pattern"},
	{"repetition with a range", `claims.build_branch.matches("(a{0,200}b{1,90})*")`, "has a pattern that compiles to over 200 instructions"},
	{"nested groups", `claims.build_branch.matches("` + times("(", 250) + times(")*", 100) + `")`, "has an invalid pattern"},
	{"a long pattern", `claims.build_branch.matches("` + times("a", 513) + `")`, "has a pattern of over 512 bytes"},
	{"ranges that ignore case", `claims.build_branch.matches("(?i)` + times("[\u0100-\U0001ffff]", 40) + `")`, "has a pattern that ignores case and is not plain ASCII"},
	{"escaped ranges that ignore case", `claims.build_branch.matches("(?i)` + times(`[\\x{100}-\\x{1ffff}]`, 20) + `")`, "has a pattern that ignores case and is not plain ASCII"},
	{"late flags", `claims.build_branch.matches("a(?si:` + times("[\u0100-\U0001ffff]", 40) + `)")`, "has a pattern that ignores case and is not plain ASCII"},
	{"classes that ignore case", `claims.build_branch.matches("(?i)\\pL")`, "has a pattern that ignores case and is not plain ASCII"},
	{"many Unicode classes", `claims.build_branch.matches("` + times(`\\pL`, 9) + `")`, "has patterns with over 8 Unicode classes"},
	{"many Unicode classes apart", joined(`claims.build_branch.matches("\\pL")`, "||", 9), "has patterns with over 8 Unicode classes"},
	{"many patterns", joined(`"a".matches("((a|b)*c?){20}")`, "||", 26), "matched"},

	// Patterns that take long to match. The subject is 4096 times the letter x.
	{"a large pattern", `claims.build_branch.matches("` + times("(x+x+)+", 22) + `y")`, "failed: a text of 4096 bytes is too long for this pattern"},
	{"a small pattern", `claims.build_branch.matches("(x+x+)+y")`, "false"},
	{"a global call", `matches(claims.build_branch, "` + times("(x+x+)+", 22) + `y")`, "failed: a text of 4096 bytes is too long for this pattern"},
	{"a long subject", `(claims.build_branch + "x").matches("x")`, "failed: matches takes a text of at most 4096 bytes"},
	{"matching in a loop", numbers(250) + `.all(x, !claims.build_branch.matches("(x+x+)+y"))`, "failed: the condition takes too much work"},
	{"matching twice in a loop", numbers(100) + `.all(x, ` + numbers(100) + `.all(y, !claims.build_commit.matches("(x*)*y")))`, "failed: the condition takes too much work"},

	// Conditions that take long to evaluate.
	{"two loops", numbers(130) + ".all(x, " + numbers(130) + ".all(y, x == y))", "failed: the condition takes too much work"},
	{"two loops over a constant", numbers(130) + ".all(x, " + numbers(130) + ".all(y, true))", "failed: the condition takes too much work"},
	{"two loops over a set", numbers(120) + ".all(x, " + numbers(120) + ".all(y, y in [1,2,3]))", "failed: the condition takes too much work"},
	{"two loops over a ternary", numbers(120) + ".all(x, " + numbers(120) + ".all(y, x == y ? true : false))", "failed: the condition takes too much work"},
	{"two loops over an error", numbers(120) + ".exists(x, " + numbers(120) + ".exists(y, y/0 == x))", "failed: the condition takes too much work"},
	{"two loops over an attribute", numbers(120) + ".all(x, " + numbers(120) + ".all(y, has(entry.branch)))", "failed: the condition takes too much work"},
	{"two loops that find nothing", numbers(120) + ".exists(x, " + numbers(120) + ".exists(y, x != y))", "failed: the condition takes too much work"},
	{"two loops that build", numbers(100) + ".map(x, " + numbers(100) + ".map(y, [x, y])) == []", "failed: the condition takes too much work"},
	{"two loops that filter", numbers(120) + ".filter(x, " + numbers(120) + ".exists_one(y, x == y)) == []", "failed: the condition takes too much work"},
	{"doubling text", `["` + times("a", 1000) + `"].map(x, ` + joined("x", "+", 22) + `).all(y, ` + joined("y", "+", 22) + ` == y)`, "failed: the condition takes too much work"},
	{"doubling a list", `[` + numbers(40) + `].map(x, ` + joined("x", "+", 22) + `).all(y, ` + joined("y", "+", 22) + ` == y)`, "failed: the condition takes too much work"},
	{"searching a doubled list", `[` + numbers(40) + `].map(x, ` + joined("x", "+", 40) + `).all(y, ` + numbers(90) + `.all(i, !(2 in y)))`, "failed: the condition takes too much work"},
	{"indexing a doubled list", `[` + numbers(40) + `].map(x, ` + joined("x", "+", 40) + `).all(y, ` + numbers(90) + `.all(i, y[i] == 1))`, "failed: the condition takes too much work"},
	{"the size of a doubled list", `[` + numbers(40) + `].map(x, ` + joined("x", "+", 40) + `).all(y, ` + numbers(90) + `.all(i, size(y) == 1600))`, "failed: the condition takes too much work"},
	{"the size of long text", `["` + times("a", 1000) + `"].map(x, ` + joined("x", "+", 18) + `).all(y, ` + numbers(100) + `.all(i, size(y) > 0))`, "failed: the condition takes too much work"},
	{"searching long text", `["` + times("a", 1000) + `"].map(x, ` + joined("x", "+", 18) + `).all(y, ` + numbers(60) + `.all(i, !y.contains("` + times("a", 40) + `b")))`, "failed: the condition takes too much work"},
	{"converting long text", `["` + times("9", 1000) + `"].map(x, ` + joined("x", "+", 16) + `).all(y, ` + numbers(90) + `.all(i, int(y) == 1 || true))`, "failed: the condition takes too much work"},
	{"comparing nested lists", `[[[` + numbers(90) + `]]].all(x, ` + numbers(90) + `.all(y, x == x && x == x))`, "failed: the condition takes too much work"},
	{"comparing maps", numbers(90) + `.map(x, {1:1,2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9}).all(m, ` + numbers(60) + `.all(q, m == m))`, "failed: the condition takes too much work"},
}

func times(text string, n int) string { return strings.Repeat(text, n) }

func joined(text, separator string, n int) string {
	return strings.TrimSuffix(strings.Repeat(text+separator, n), separator)
}

// longJob is a job whose branch is as long as a claim may be.
func longJob() policy.Claims {
	claims := job()
	claims.BuildBranch = times("x", policy.MaxClaimBytes)
	claims.BuildCommit = times("x", 40)
	return claims
}

func TestHostileConditions(t *testing.T) {
	t.Parallel()
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if len(test.condition) > policy.MaxConditionBytes {
				t.Fatalf("%d bytes: it is refused for its length", len(test.condition))
			}
			parsed, faults := policy.Parse([]byte(`{"save":{"scopes":{"branch":true}},"rules":[{"effect":"allow","action":"save","when":` + quoted(test.condition) + `}]}`))
			if faults != nil {
				if got := faults[0].Message; !strings.HasPrefix(got, test.outcome) {
					t.Errorf("refused: %s\nwant %s", got, test.outcome)
				}
				return
			}
			step := policy.Decide(parsed, policy.Save, longJob()).Trials[0].Steps[0]
			if got := outcome(step); got != test.outcome {
				t.Errorf("%s\nwant %s", got, test.outcome)
			}
		})
	}
}

// BenchmarkHostile measures what it takes to refuse a hostile condition, or to compile and evaluate
// it. Each run has another text, so that none is remembered.
func BenchmarkHostile(b *testing.B) {
	claims := longJob()
	for _, test := range hostile {
		b.Run(strings.ReplaceAll(test.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				condition := test.condition + fmt.Sprintf("//%d", i%1_000_000)
				if parsed, faults := policy.Parse([]byte(when(condition))); faults == nil {
					policy.Decide(parsed, policy.Save, claims)
				}
			}
		})
	}
}

// A policy full of different hostile conditions is bounded as a whole.
func TestHostilePolicy(t *testing.T) {
	t.Parallel()
	if _, faults := policy.Parse([]byte(hostilePolicy(0))); len(faults) != 1 || faults[0].Path != "rules" {
		t.Fatalf("got %s", faults)
	}
}

// hostilePolicy is a policy of about 64 KiB with the conditions that take longest to compile.
func hostilePolicy(seed int) string {
	var rules []string
	for i := range 60 {
		condition := fmt.Sprintf("%d==%d||", seed, i) + joined("string(1)==''", "||", 24)
		rules = append(rules, conditional("allow", condition))
	}
	return `{"rules":[` + strings.Join(rules, ",") + `]}`
}

func BenchmarkHostilePolicy(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		policy.Parse([]byte(hostilePolicy(i)))
	}
}
