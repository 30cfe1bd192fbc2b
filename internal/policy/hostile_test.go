package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/policy"
)

// hostileConditions is conditions that are made to take long: to parse, to check, to compile or to evaluate.
// The outcome is the rule's, or the beginning of the fault that refuses the condition. What they
// cost is measured by BenchmarkHostile.
var hostileConditions = []struct{ name, condition, outcome string }{
	// Text that takes long to parse.
	{"parentheses", repeatText("(", 1000) + "true" + repeatText(")", 1000), "must have at most 600 words and signs"},
	{"nested parentheses", repeatText("(", 51) + "true" + repeatText(")", 51), "does not compile: expression recursion limit exceeded: 50"},
	{"many nested parentheses", repeatJoined(repeatText("(", 24)+"true"+repeatText(")", 24), "||", 11), "matched"},
	{"unclosed parentheses", repeatText("(", 600), "does not compile"},
	{"unclosed lists", repeatText("[", 600), "does not compile"},
	{"unclosed maps", repeatText("{1:", 200), "does not compile"},
	{"unclosed calls", repeatText("a(", 300), "does not compile"},
	{"unclosed objects", repeatText("a{b:", 150), "does not compile"},
	{"closed before opened", repeatText(")(", 300), "does not compile"},
	{"ternaries", repeatText("true?true:", 140) + "true", "does not compile"},
	{"nested ternaries", repeatText("true?(", 45) + "true" + repeatText("):true", 45), "matched"},
	{"negations", repeatText("!", 598) + "true", "matched"},
	{"minuses", repeatText("-", 594) + "1 == 1", "matched"},
	{"a long sum", repeatJoined("1", "+", 290) + " == 1", "does not compile"},
	{"a long disjunction", repeatJoined("false", "||", 200), "false"},
	{"a long mixture", repeatJoined("false||true&&true", "&&", 66), "matched"},
	{"selections", "entry" + repeatText(".a", 290), "does not compile"},
	{"member calls", "entry" + repeatText(".a()", 140), "does not compile"},
	{"comparisons in a row", repeatJoined("1", "<", 290), "does not compile"},
	{"operators only", repeatText("&&", 300), "does not compile"},
	{"question marks", repeatText("?:", 300), "does not compile"},
	{"quotes", repeatText(`"`, 2047), "does not compile"},
	{"backslashes", `"` + repeatText(`\`, 590), "does not compile"},
	{"characters that CEL does not know", repeatText("é", 300), "does not compile"},
	{"line breaks", "true" + repeatText("\n", 2000), "matched"},
	{"comments", repeatText("//\n", 290) + "true", "matched"},
	{"a large integer", repeatText("9", 2000) + " == 1", "does not compile: invalid int literal"},
	{"a large float", repeatText("9", 2000) + ".0 == 1.0", "does not compile: invalid double literal"},
	{"a large exponent", "1e99999999 == 1.0", "does not compile: invalid double literal"},
	{"a large literal", `"` + repeatText("a", 2000) + `" == ""`, "false"},
	{"a large list", "1 in " + numberList(290), "matched"},

	// Trees that take long to check: the checker copies all its type variables at each step.
	{"empty lists", "[" + repeatJoined("[]", ",", 190) + "] == []", "must have at most 50 lists and maps"},
	{"empty maps", "{" + repeatJoined("{}:{}", ",", 90) + "} == {}", "must have at most 50 lists and maps"},
	{"nested lists", repeatText("[", 48) + repeatText("]", 48) + " == []", "must nest lists and maps at most 4 deep"},
	{"nested maps", repeatText("{1:", 45) + "1" + repeatText("}", 45) + " == {}", "must nest lists and maps at most 4 deep"},
	{"nested empty loops", repeatText("[].all(x,", 45) + "true" + repeatText(")", 45), "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"nested loops", repeatText("[1].map(x,", 4) + "x" + repeatText(")", 4) + " == []", "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"chained loops", "[1]" + repeatText(".map(x,x)", 45) + " == []", "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"three loops", "[1].all(x, [1].all(y, [1].all(z, true)))", "must nest all, exists, exists_one, filter and map at most 2 deep"},
	{"many loops", repeatJoined("[1].exists_one(x,[1].exists_one(y,x==y))", "||", 5), "matched"},
	{"more loops", repeatJoined("[1].exists_one(x,[1].exists_one(y,x==y))", "||", 13), "must have at most 50 operators and calls besides && and ||"},
	{"too many loops", repeatJoined("[1].all(x,x==1)", "||", 36), "does not compile: expression count exceeds limit of 500"},
	{"many comparisons", repeatJoined("1==1", "||", 50), "matched"},
	{"more comparisons", repeatJoined("1==1", "||", 51), "must have at most 50 operators and calls besides && and ||"},
	{"many conversions", repeatJoined("string(1)==''", "||", 25), "false"},
	{"many sizes", repeatJoined("size([])<1", "||", 25), "matched"},
	{"many indexes", repeatJoined("[1][0]<1", "||", 25), "false"},
	{"many ternaries", repeatJoined("(true?true:true)", "||", 50), "matched"},
	{"many type errors", repeatJoined("1<true", "||", 50), "does not compile: found no matching overload"},
	{"many unknown attributes", repeatJoined("entry.x", "||", 99), "names an unknown attribute entry.x"},
	{"many unknown names", repeatJoined("google.protobuf.Duratoin", "||", 75), "does not compile: undeclared reference"},
	{"many presence tests", repeatJoined("has(entry.branch)", "||", 72), "matched"},

	// Patterns that take long to compile.
	{"repetition", `claims.build_branch.matches("a{1000}")`, "has a pattern that compiles to over 200 instructions"},
	{"nested repetition", `claims.build_branch.matches("((a{10}){10}){10}")`, "has a pattern that compiles to over 200 instructions"},
	{"repetition beyond Go's limit", `claims.build_branch.matches("(((a{100}){100}){100}){100}")`, "has an invalid pattern"},
	{"repetition with a range", `claims.build_branch.matches("(a{0,200}b{1,90})*")`, "has a pattern that compiles to over 200 instructions"},
	{"nested groups", `claims.build_branch.matches("` + repeatText("(", 250) + repeatText(")*", 100) + `")`, "has an invalid pattern"},
	{"a long pattern", `claims.build_branch.matches("` + repeatText("a", 513) + `")`, "has a pattern of over 512 bytes"},
	{"ranges that ignore case", `claims.build_branch.matches("(?i)` + repeatText("[\u0100-\U0001ffff]", 40) + `")`, "has a pattern that ignores case and is not plain ASCII"},
	{"escaped ranges that ignore case", `claims.build_branch.matches("(?i)` + repeatText(`[\\x{100}-\\x{1ffff}]`, 20) + `")`, "has a pattern that ignores case and is not plain ASCII"},
	{"late flags", `claims.build_branch.matches("a(?si:` + repeatText("[\u0100-\U0001ffff]", 40) + `)")`, "has a pattern that ignores case and is not plain ASCII"},
	{"classes that ignore case", `claims.build_branch.matches("(?i)\\pL")`, "has a pattern that ignores case and is not plain ASCII"},
	{"many Unicode classes", `claims.build_branch.matches("` + repeatText(`\\pL`, 9) + `")`, "has patterns with over 8 Unicode classes"},
	{"many Unicode classes apart", repeatJoined(`claims.build_branch.matches("\\pL")`, "||", 9), "has patterns with over 8 Unicode classes"},
	{"many patterns", repeatJoined(`"a".matches("((a|b)*c?){20}")`, "||", 26), "matched"},

	// Patterns that take long to match. The subject is 4096 times the letter x.
	{"a large pattern", `claims.build_branch.matches("` + repeatText("(x+x+)+", 22) + `y")`, "failed: a text of 4096 bytes is too long for this pattern"},
	{"a small pattern", `claims.build_branch.matches("(x+x+)+y")`, "false"},
	{"a global call", `matches(claims.build_branch, "` + repeatText("(x+x+)+", 22) + `y")`, "failed: a text of 4096 bytes is too long for this pattern"},
	{"a long subject", `(claims.build_branch + "x").matches("x")`, "failed: matches takes a text of at most 4096 bytes"},
	{"matching in a loop", numberList(250) + `.all(x, !claims.build_branch.matches("(x+x+)+y"))`, "failed: the condition takes too much work"},
	{"matching twice in a loop", numberList(100) + `.all(x, ` + numberList(100) + `.all(y, !claims.build_commit.matches("(x*)*y")))`, "failed: the condition takes too much work"},

	// Conditions that take long to evaluate.
	{"two loops", numberList(130) + ".all(x, " + numberList(130) + ".all(y, x == y))", "failed: the condition takes too much work"},
	{"two loops over a constant", numberList(130) + ".all(x, " + numberList(130) + ".all(y, true))", "failed: the condition takes too much work"},
	{"two loops over a set", numberList(120) + ".all(x, " + numberList(120) + ".all(y, y in [1,2,3]))", "failed: the condition takes too much work"},
	{"two loops over a ternary", numberList(120) + ".all(x, " + numberList(120) + ".all(y, x == y ? true : false))", "failed: the condition takes too much work"},
	{"two loops over an error", numberList(120) + ".exists(x, " + numberList(120) + ".exists(y, y/0 == x))", "failed: the condition takes too much work"},
	{"two loops over an attribute", numberList(120) + ".all(x, " + numberList(120) + ".all(y, has(entry.branch)))", "failed: the condition takes too much work"},
	{"two loops that find nothing", numberList(120) + ".exists(x, " + numberList(120) + ".exists(y, x != y))", "failed: the condition takes too much work"},
	{"two loops that build", numberList(100) + ".map(x, " + numberList(100) + ".map(y, [x, y])) == []", "failed: the condition takes too much work"},
	{"two loops that filter", numberList(120) + ".filter(x, " + numberList(120) + ".exists_one(y, x == y)) == []", "failed: the condition takes too much work"},
	{"doubling text", `["` + repeatText("a", 1000) + `"].map(x, ` + repeatJoined("x", "+", 22) + `).all(y, ` + repeatJoined("y", "+", 22) + ` == y)`, "failed: the condition takes too much work"},
	{"doubling a list", `[` + numberList(40) + `].map(x, ` + repeatJoined("x", "+", 22) + `).all(y, ` + repeatJoined("y", "+", 22) + ` == y)`, "failed: the condition takes too much work"},
	{"searching a doubled list", `[` + numberList(40) + `].map(x, ` + repeatJoined("x", "+", 40) + `).all(y, ` + numberList(90) + `.all(i, !(2 in y)))`, "failed: the condition takes too much work"},
	{"indexing a doubled list", `[` + numberList(40) + `].map(x, ` + repeatJoined("x", "+", 40) + `).all(y, ` + numberList(90) + `.all(i, y[i] == 1))`, "failed: the condition takes too much work"},
	{"the size of a doubled list", `[` + numberList(40) + `].map(x, ` + repeatJoined("x", "+", 40) + `).all(y, ` + numberList(90) + `.all(i, size(y) == 1600))`, "failed: the condition takes too much work"},
	{"the size of long text", `["` + repeatText("a", 1000) + `"].map(x, ` + repeatJoined("x", "+", 18) + `).all(y, ` + numberList(100) + `.all(i, size(y) > 0))`, "failed: the condition takes too much work"},
	{"searching long text", `["` + repeatText("a", 1000) + `"].map(x, ` + repeatJoined("x", "+", 18) + `).all(y, ` + numberList(60) + `.all(i, !y.contains("` + repeatText("a", 40) + `b")))`, "failed: the condition takes too much work"},
	{"converting long text", `["` + repeatText("9", 1000) + `"].map(x, ` + repeatJoined("x", "+", 16) + `).all(y, ` + numberList(90) + `.all(i, int(y) == 1 || true))`, "failed: the condition takes too much work"},
	{"comparing nested lists", `[[[` + numberList(90) + `]]].all(x, ` + numberList(90) + `.all(y, x == x && x == x))`, "failed: the condition takes too much work"},
	{"comparing maps", numberList(90) + `.map(x, {1:1,2:2,3:3,4:4,5:5,6:6,7:7,8:8,9:9}).all(m, ` + numberList(60) + `.all(q, m == m))`, "failed: the condition takes too much work"},
}

func repeatText(text string, n int) string { return strings.Repeat(text, n) }

func repeatJoined(text, separator string, n int) string {
	return strings.TrimSuffix(strings.Repeat(text+separator, n), separator)
}

// longClaims is a job whose branch is as long as a claim may be.
func longClaims() policy.Claims {
	claims := testClaims()
	claims.BuildBranch = repeatText("x", policy.MaxClaimBytes)
	claims.BuildCommit = repeatText("x", 40)
	return claims
}

func TestHostileConditions(t *testing.T) {
	t.Parallel()
	for _, test := range hostileConditions {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if len(test.condition) > policy.MaxConditionBytes {
				t.Fatalf("%d bytes: it is refused for its length", len(test.condition))
			}
			parsed, faults := policy.Parse([]byte(`{"save":{"scopes":{"branch":true}},"rules":[{"effect":"allow","action":"save","when":` + quoteJSON(test.condition) + `}]}`))
			if faults != nil {
				if got := faults[0].Message; !strings.HasPrefix(got, test.outcome) {
					t.Errorf("refused: %s\nwant %s", got, test.outcome)
				}
				return
			}
			step := policy.Decide(parsed, policy.Save, longClaims()).Trials[0].Steps[0]
			if got := describeOutcome(step); got != test.outcome {
				t.Errorf("%s\nwant %s", got, test.outcome)
			}
		})
	}
}

// BenchmarkHostile measures what it takes to refuse a hostile condition, or to compile and evaluate
// it. Each run has another text, so that none is remembered.
func BenchmarkHostile(b *testing.B) {
	claims := longClaims()
	for _, test := range hostileConditions {
		b.Run(strings.ReplaceAll(test.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				condition := test.condition + fmt.Sprintf("//%d", i%1_000_000)
				if parsed, faults := policy.Parse([]byte(policyWhen(condition))); faults == nil {
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
		condition := fmt.Sprintf("%d==%d||", seed, i) + repeatJoined("string(1)==''", "||", 24)
		rules = append(rules, conditionalPolicy("allow", condition))
	}
	return `{"rules":[` + strings.Join(rules, ",") + `]}`
}

func BenchmarkHostilePolicy(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		policy.Parse([]byte(hostilePolicy(i)))
	}
}
