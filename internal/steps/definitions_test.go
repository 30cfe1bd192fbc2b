package steps_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"penstock/internal/steps"
)

// wantFaults checks that each configuration is refused with that text.
func wantFaults(t *testing.T, faults map[string]string) {
	t.Helper()
	for configuration, want := range faults {
		_, err := parse(t, configuration)
		if fault, ok := errors.AsType[steps.Fault](err); !ok || string(fault) != want {
			t.Errorf("%.150s: got %v, want %s", configuration, err, want)
		}
	}
}

func list(n int, format string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ", ")
}

func TestLimitsOfMatrices(t *testing.T) {
	t.Parallel()
	step := func(matrix string) string { return "steps: [{command: a, matrix: " + matrix + "}]" }
	wantEqual(t, len(mustParse(t, step("["+list(25, "%d")+"]")).Steps[0].Matrix.Permutations), 25)
	wantEqual(t, len(mustParse(t, step("{setup: {a: ["+list(25, "%d")+"], b: [x, y]}}")).Steps[0].Matrix.Permutations), 50)
	wantFaults(t, map[string]string{
		step("[" + list(26, "%d") + "]"):                                              "`matrix` is invalid: a dimension has more than 25 elements",
		step("{setup: {a: [" + list(17, "%d") + "], b: [x, y, z]}}"):                  "`matrix` is invalid: it makes more than 50 jobs",
		step("{setup: {" + list(7, "d%d: [x]") + "}}"):                                "`matrix` is invalid: it has one to 6 dimensions",
		step("{setup: {}}"):                                                           "`matrix` is invalid: it has one to 6 dimensions",
		step("{setup: {'a b': [x]}}"):                                                 "`matrix` is invalid: \"a b\" is not the name of a dimension: it may have letters, digits, `_`, `-` and `.`",
		step("[" + strings.Repeat("x", 129) + "]"):                                    "`matrix` is invalid: an element is longer than 128 bytes",
		step("{setup: [x], adjustments: [" + list(13, "{with: y%d}") + "]}"):          "`matrix` is invalid: it has more than 12 adjustments",
		step("{setup: [x], adjustments: [{with: y, key: z}]}"):                        "`matrix` is invalid: `key` is not a property of an adjustment",
		step("{setup: [x], adjustments: [{skip: true}]}"):                             "`matrix` is invalid: `with` of an adjustment has a value for each dimension",
		step("{setup: {a: [x], b: [y]}, adjustments: [{with: {a: x}}]}"):              "`matrix` is invalid: `with` of an adjustment has a value for each dimension",
		step("{setup: [x], adjustments: [{with: " + strings.Repeat("y", 129) + "}]}"): "`matrix` is invalid: an element is longer than 128 bytes",
		"steps: [{command: '{{matrix}}', matrix: {setup: {a: [x]}}}]":                 "`matrix` is invalid: there is no dimension for {{matrix}}",
	})
}

// An adjustment changes a combination that there is, or adds one.
func TestAdjustmentsOfMatrices(t *testing.T) {
	t.Parallel()
	s := first(t, `
steps:
  - command: "{{matrix}}"
    skip: false
    soft_fail: true
    matrix: {setup: [a, b], adjustments: [{with: a, skip: Not this}, {with: c, soft_fail: [{exit_status: 2}]}, {with: b, skip: false}]}
`)
	var got []string
	for _, j := range s.Jobs() {
		filled, err := s.Fill(j.Matrix)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %q %t %v", filled.Command, j.Skip, j.SoftFail.All, j.SoftFail.Statuses))
	}
	wantEqual(t, got, []string{`a "Not this" true []`, `b "" true []`, `c "" false [2]`})
	skipped := first(t, "steps: [{command: a, skip: All of it, matrix: [x, y]}]")
	for _, j := range skipped.Jobs() {
		wantEqual(t, j.Skip, "All of it")
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	p := mustParse(t, `
steps:
  - group: Tests
    key: tests
    if: build.tag == null
    depends_on: build
    allow_dependency_failure: true
    skip: Later
    notify: [{slack: x}]
    steps: [{command: a, key: a}, wait, {block: Go}, {input: What, fields: [{text: t, key: k}]}, {trigger: other}]
  - {group: ~, label: Labelled, steps: [{command: b}]}
`)
	g := p.Steps[0]
	wantEqual(t, []any{g.Label, g.Key, g.If.String(), g.DependsOn, g.AllowDependencyFailure, g.Skip, string(g.Notify), len(g.Steps)},
		[]any{"Tests", "tests", "build.tag == null", []steps.Dependency{{Step: "build"}}, true, "Later", `[{"slack":"x"}]`, 5})
	wantEqual(t, p.Steps[1].Label, "Labelled")
	wantFaults(t, map[string]string{
		"steps: [{group: g, steps: [{command: a, key: k}]}, {command: b, key: k}]": "The key \"k\" has already been used by another step in this build",
		"steps: [{group: g, key: k, steps: [{command: a, key: k}]}]":               "The key \"k\" has already been used by another step in this build",
		"steps: [{group: g, branches: main, steps: [{command: a}]}]":               "`branches` is not a valid property on the `group` step. Please check the documentation to get a full list of supported properties.",
		"steps: [{group: g, steps: [{command: a, nothing: 1}]}]":                   "`nothing` is not a valid property on the `command` step. Please check the documentation to get a full list of supported properties.",
	})
}

func TestLimitsOfDefinitions(t *testing.T) {
	t.Parallel()
	const tooMany = "The number of jobs in this upload exceeds your organization limit of 500."
	for _, configuration := range []string{
		"steps: [" + list(500, "{command: c%d}") + "]",
		"steps: [{command: a, parallelism: 250}, {command: b, parallelism: 250}]",
		"steps: [{group: g, steps: [{command: a, parallelism: 499}]}]", // a group counts as one
		"steps: [{command: a, key: " + strings.Repeat("k", 100) + "}]",
		"steps: [{command: a, skip: " + strings.Repeat("ü", 70) + "}]",
		"steps: [{command: a, concurrency: 1, concurrency_group: " + strings.Repeat("ü", 200) + "}]",
		"steps: [{block: b, allowed_teams: [" + list(100, "t%d") + "]}]",
	} {
		mustParse(t, configuration)
	}
	wantFaults(t, map[string]string{
		"steps: [" + list(501, "{command: c%d}") + "]":                                                tooMany,
		"steps: [{command: a, parallelism: 250}, {command: b, parallelism: 251}]":                     tooMany,
		"steps: [{group: g, steps: [{command: a, parallelism: 500}]}]":                                tooMany,
		strings.Repeat("- {command: c, matrix: {setup: {a: ["+list(25, "%d")+"], b: [x, y]}}}\n", 11): tooMany,
		"steps: [{command: a, key: " + strings.Repeat("k", 101) + "}]":                                "`key` is invalid: it is longer than 100 characters",
		"steps: [{command: a, skip: " + strings.Repeat("ü", 71) + "}]":                                "`skip` is invalid: it is true, false, or a reason of at most 70 characters",
		"steps: [{command: a, concurrency: 1, concurrency_group: " + strings.Repeat("ü", 201) + "}]":  "`concurrency_group` is invalid: it is longer than 200 characters",
		"steps: [{block: b, allowed_teams: [" + list(101, "t%d") + "]}]":                              "`allowed_teams` is invalid: there are more than 100",
		"steps: [{block: b, fields: [{text: a, key: k}, {text: b, key: k}]}]":                         "`fields` is invalid: the key \"k\" stands twice",
		"steps: [{block: b, fields: [{text: a, select: b, key: k}]}]":                                 "`fields` is invalid: \"k\" needs either `text` or `select`",
		"steps: [{block: b, fields: [{text: a, key: k, format: '('}]}]":                               "`fields` is invalid: `format` of \"k\": the regular expression /(/ is not valid",
		"steps: [{block: b, fields: [{text: a, key: k, size: 1}]}]":                                   "`fields` is invalid: `size` is not a property of a field",
	})
	for document, want := range map[string]string{
		``:                                 "The pipeline is not a JSON object",
		`[]`:                               "The pipeline is not a JSON object",
		`null`:                             "The pipeline is not a JSON object",
		`{}`:                               "The `steps` property is required",
		`{"steps":{}}`:                     "`steps` is invalid: it has the wrong type",
		`{"steps":[1]}`:                    "Step is missing a type `1`",
		`{"steps":["command"]}`:            "Step is missing a type `\"command\"`",
		`{"steps":[{"command":"\u0000"}]}`: "The pipeline has a NUL character, which no text may have",
		`{"steps":[{"command":"` + strings.Repeat("x", 1<<20) + `"}]}`: "A step is larger than 1048576 bytes",
	} {
		if _, err := work(t).Parse([]byte(document)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %.200v, want %s", document, err, want)
		}
	}
	if _, err := work(t).Parse([]byte(`{"steps":[{"command":"\\u0000"}]}`)); err != nil {
		t.Errorf("a backslash before u0000: %v", err)
	}
}

func TestInterpolation(t *testing.T) {
	t.Parallel()
	env := steps.Environment{"BRANCH": "main", "EMPTY": "", "LONG": "abcdef"}
	for text, want := range map[string]string{
		"$BRANCH": "main", "${BRANCH}": "main", "a${BRANCH}b": "amainb", "$BRANCHES": "", "${NONE}": "", "$EMPTY": "",
		"${NONE:-other}": "other", "${EMPTY:-other}": "other", "${EMPTY-other}": "", "${NONE-other}": "other", "${BRANCH:-other}": "main",
		"${LONG:0:3}": "abc", "${LONG:2}": "cdef", "$$BRANCH": "$BRANCH", `\$BRANCH`: "$BRANCH", "$${BRANCH}": "${BRANCH}", "100%": "100%",
	} {
		document, err := steps.FromYAML("steps: [{command: "+quoted(text)+"}]", env)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p, err := work(t).Parse(document)
		if err != nil || p.Steps[0].Command != want {
			t.Errorf("%s: %q, %v, want %q", text, p.Steps[0].Command, err, want)
		}
	}
	p := mustParse(t, `
env: {FIRST: $BRANCH, "SECOND_$BRANCH": "${FIRST}!", BRANCH: own}
steps:
  - {command: "$FIRST $BRANCH", label: "$FIRST", env: {X: $FIRST}, agents: {queue: $FIRST}, plugins: [{"docker#$FIRST": {image: $FIRST}}]}
  - {group: $FIRST, steps: [{command: $FIRST, branches: $FIRST}, {command: b, if: "build.branch == '$FIRST'"}]}
`)
	wantEqual(t, p.Env, map[string]string{"FIRST": "main", "SECOND_main": "main!", "BRANCH": "own"})
	s := p.Steps[0]
	wantEqual(t, []any{s.Command, s.Label, s.Env["X"], s.Agents[0]}, []any{"main own", "main", "main", "queue=main"})
	if !strings.Contains(string(s.Plugins), "docker") || !strings.Contains(string(s.Plugins), `"image":"main"`) {
		t.Errorf("%s", s.Plugins)
	}
	inner := p.Steps[1].Steps
	wantEqual(t, []any{p.Steps[1].Label, inner[0].Command, inner[0].Branches, inner[1].If.String()}, []any{"main", "main", []string{"main"}, "build.branch == 'main'"})
	for _, text := range []string{"${NONE?is needed}", "${", "${a b}"} {
		_, err := steps.FromYAML("steps: [{command: "+quoted(text)+"}]", env)
		if err == nil || !strings.HasPrefix(err.Error(), "Configuration has variables that cannot be filled in: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
