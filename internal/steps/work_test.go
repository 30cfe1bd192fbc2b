package steps_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"penstock/internal/steps"
)

const tooMuchWork = "The steps take too much work to plan"

// quoted returns a text as YAML and JSON write it.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// hostilePatterns are expressions whose few bytes stand for many states, and the one below which is allowed.
var hostilePatterns = map[string]string{
	"repetitions":                 strings.Repeat("a{0,999}", 240) + "b",
	"nested repetitions":          "((a{0,30}){0,30})b",
	"alternatives":                strings.Repeat("(a|aa)+", 250) + "b$",
	"classes":                     strings.Repeat(`\pL`, 9),
	"a range without case":        `(?i)[a-\x{1e942}]`,
	"a range without case, later": `x(?i:[a-\x{1e942}])`,
}

func TestAnExpressionThatIsTooLargeIsRefusedWhereverItIsRead(t *testing.T) {
	t.Parallel()
	for name, pattern := range hostilePatterns {
		condition, format := quoted("build.message =~ /"+pattern+"/"), quoted(pattern)
		for place, configuration := range map[string]string{
			"if":        "steps: [{command: x, if: " + condition + "}]",
			"a group":   "steps: [{group: g, if: " + condition + ", steps: [{command: x}]}]",
			"in group":  "steps: [{group: g, steps: [{command: x, if: " + condition + "}]}]",
			"format":    "steps: [{block: b, fields: [{text: t, key: k, format: " + format + "}]}]",
			"a notify":  "steps: [{command: x, notify: [{slack: s, if: " + condition + "}]}]",
			"notify":    "notify: [{slack: s, if: " + condition + "}]\nsteps: [{command: x}]",
			"not first": "steps: [{command: x}, {command: x, if: " + condition + "}]",
		} {
			_, err := parse(t, configuration)
			if fault, ok := errors.AsType[steps.Fault](err); !ok || !strings.Contains(string(fault), "the regular expression /") {
				t.Errorf("%s in %s: %v", name, place, err)
			}
			_, err = steps.ReadOutline(configuration)
			if isSeen := !strings.Contains(place, "notify"); isSeen && (err == nil || !strings.Contains(err.Error(), "the regular expression /")) {
				t.Errorf("%s in %s, when it is stored: %v", name, place, err)
			}
		}
	}
}

func TestExpressionsOfAConditionAreBoundedTogether(t *testing.T) {
	t.Parallel()
	var parts []string
	for i := range 5 {
		parts = append(parts, fmt.Sprintf("build.tag =~ /a{%d}/", 300+i))
	}
	for n, isRefused := range map[int]bool{3: false, 4: true} {
		_, err := work(t).ParseCondition(strings.Join(parts[:n], " || "))
		if (err != nil) != isRefused || isRefused && !strings.Contains(err.Error(), "they compile to more than 1000 instructions together") {
			t.Errorf("%d expressions: %v", n, err)
		}
	}
}

// evaluate parses conditions and evaluates all of them with one message, as one definition.
func evaluate(t *testing.T, w *steps.Work, message string, conditions ...string) error {
	t.Helper()
	e := steps.Evaluation{Variables: steps.Variables{Values: map[string]any{"build.message": message}}, Work: w}
	for _, source := range conditions {
		c, err := w.ParseCondition(source)
		if err != nil {
			return err
		}
		if _, err := c.Eval(&e); err != nil {
			return err
		}
	}
	return nil
}

func TestTheWorkOfConditionsIsBoundedTogether(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64_000)
	if err := evaluate(t, work(t), long, `build.message =~ /\[skip ci\]/ || build.message =~ /^deploy/i`); err != nil {
		t.Errorf("a long message: %v", err)
	}
	if err := evaluate(t, work(t), long, `build.message =~ /`+strings.Repeat("(a|aa)+", 60)+`b$/`); err == nil || !strings.Contains(err.Error(), tooMuchWork) {
		t.Errorf("a long message and a large expression: %v", err)
	}
	var many, same []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("build.message =~ /(a|aa)+x%d$/", i))
		same = append(same, "build.message =~ /(a|aa)+x$/")
	}
	if err := evaluate(t, work(t), strings.Repeat("a", 100), many...); err != nil {
		t.Errorf("500 conditions of a short message: %v", err)
	}
	if err := evaluate(t, work(t), strings.Repeat("a", 20_000), many...); err == nil || !strings.Contains(err.Error(), tooMuchWork) {
		t.Errorf("500 conditions of a long message: %v", err)
	}
	if err := evaluate(t, work(t), strings.Repeat("a", 20_000), same...); err != nil {
		t.Errorf("500 times the same condition of a long message: %v", err)
	}
}

func TestComparisonsOfLargeTextsAreCounted(t *testing.T) {
	t.Parallel()
	w := work(t)
	large := strings.Repeat("x", 1<<20)
	e := steps.Evaluation{Variables: steps.Variables{Env: map[string]string{"A": large, "B": "a" + large[1:]}}, Work: w}
	c, err := w.ParseCondition(strings.Repeat(`build.env("A") == build.env("B") || `, 50) + "false")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err = c.Eval(&e); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), tooMuchWork) {
		t.Errorf("a thousand comparisons of 1 MiB: %v", err)
	}
}

func TestFormatsOfFieldsAreBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		format, value string
		matches       bool
	}{
		{"[a-z]+", "abc", true}, {"[a-z]+", "abc1", false}, {"a|b", "b", true}, {"a|b", "ab", false}, {`\d{4}-\d{2}`, "2026-07", true}, {"", "", true},
	} {
		if matches, err := work(t).MatchFormat(test.format, test.value); err != nil || matches != test.matches {
			t.Errorf("%q of %q: %t, %v", test.value, test.format, matches, err)
		}
	}
	if _, err := work(t).MatchFormat(strings.Repeat("(a|aa)+", 100)+"b", strings.Repeat("a", 20_000)); err == nil || !strings.Contains(err.Error(), tooMuchWork) {
		t.Errorf("a long value: %v", err)
	}
	if _, err := work(t).MatchFormat(hostilePatterns["repetitions"], "a"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("a large format: %v", err)
	}
	var fields []string
	for i := range 1000 {
		fields = append(fields, fmt.Sprintf(`{"text":"t","key":"k%d","format":"a{%d}"}`, i, 900-i%800))
	}
	_, err := work(t).Parse([]byte(`{"steps":[{"block":"b","fields":[` + strings.Join(fields, ",") + `]}]}`))
	if err == nil || !strings.Contains(err.Error(), tooMuchWork) {
		t.Errorf("a thousand formats: %v", err)
	}
}

func TestManyBranchPatternsAreBounded(t *testing.T) {
	t.Parallel()
	patterns := strings.Fields(strings.Repeat("a*b*c ", 200_000))
	w := work(t)
	var err error
	for range 20 {
		if _, err = w.MatchBranches(patterns, strings.Repeat("a", 200)); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), tooMuchWork) {
		t.Errorf("four million patterns: %v", err)
	}
	if fits, err := work(t).MatchBranches([]string{"main", "!wip/*"}, "main"); !fits || err != nil {
		t.Error(fits, err)
	}
}

func TestWorkEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := steps.NewWork(ctx)
	if _, err := w.Parse([]byte(`{"steps":[{"command":"x","if":"build.tag == null"}]}`)); err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err := w.Parse([]byte(`{"steps":[{"command":"x"}]}`))
	if _, isFault := errors.AsType[steps.Fault](err); isFault || !errors.Is(err, context.Canceled) {
		t.Errorf("parsing: %v", err)
	}
	if err := evaluate(t, steps.NewWork(ctx), "a", "build.message =~ /b/"); !errors.Is(err, context.Canceled) {
		t.Errorf("evaluating: %v", err)
	}
	if _, err := steps.NewWork(ctx).MatchFormat("a", "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a format: %v", err)
	}
	if err := steps.NewWork(ctx).CheckNotify([]byte(`[{"slack":"s","if":"build.tag =~ /a/"}]`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a notification: %v", err)
	}
}

// A variable can have others in it, each many times.
func TestWhatVariablesFillInIsBounded(t *testing.T) {
	t.Parallel()
	bomb := "env:\n  A0: " + strings.Repeat("x", 1000) + "\n"
	for i := range 9 {
		bomb += fmt.Sprintf("  A%d: %q\n", i+1, strings.Repeat(fmt.Sprintf("${A%d}", i), 100))
	}
	for name, configuration := range map[string]string{
		"variables of variables": bomb + "steps: [{command: a}]",
		"a long message":         `steps: [{command: "` + strings.Repeat("$MESSAGE ", 100) + `"}]`,
		"a part of it":           `steps: [{command: "` + strings.Repeat("${MESSAGE:0:1}", 100) + `"}]`,
	} {
		_, err := steps.FromYAML(configuration, steps.Environment{"MESSAGE": strings.Repeat("m", 64_000)})
		if err == nil || err.Error() != "Configuration has variables that fill in more than 4 MiB" {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	env := steps.Environment{"MESSAGE": "m"}
	document, err := steps.FromYAML("env: {OWN: $MESSAGE}\nsteps: [{command: \"$OWN ${NONE:-n} $$OWN\"}]", env)
	if err != nil || !strings.Contains(string(document), `"command":"m n $OWN"`) {
		t.Errorf("%s, %v", document, err)
	}
	if len(env) != 1 {
		t.Errorf("the caller's environment has become %v", env)
	}
}
