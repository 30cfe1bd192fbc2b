package steps_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/steps"
)

// checked returns what is wrong with a configuration.
func checked(configuration string) string {
	err := steps.CheckYAML(configuration)
	if err == nil {
		return ""
	}
	return strings.TrimPrefix(err.Error(), "Configuration ")
}

func TestCheckConfiguration(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x]\n"
	for i := 1; i < 100; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1, i-1)
	}
	for configuration, want := range map[string]string{
		"":                                "",
		"steps:\n  - command: \"make\"\n": "",
		"\ufeffsteps: []\r\n":             "",
		"a: 1\n---\nb: 2\n...\n":          "",
		"a: 1\na: 2\n":                    "", // which of them counts is for those who run it
		"a: !!int x\nb: !custom y\n<<: z": "",
		bomb:                              "", // aliases are not followed
		"a: &a [*a]":                      "",
		strings.Repeat("[", 100) + strings.Repeat("]", 100): "",

		"a: [\n":                           "is not valid YAML: line 2, column 1: did not find expected node content",
		"a: b\n c: d\n":                    "is not valid YAML: line 2, column 3: mapping values are not allowed in this context",
		"- a\nb: c\n":                      "is not valid YAML: line 2, column 1: did not find expected '-' indicator",
		"a: 'b\n\nc":                       "is not valid YAML: line 3, column 2: found unexpected end of stream",
		"a:\n\t- b":                        "is not valid YAML: line 2, column 1: found character that cannot start any token",
		"ü: *b":                            "is not valid YAML: line 1, column 4: unknown anchor 'b' referenced",
		"a: !b!c d":                        "is not valid YAML: line 1, column 4: found undefined tag handle",
		"%YAML 3.0\n---\na":                "is not valid YAML: line 1, column 1: found incompatible YAML document",
		"a: b\nüü: \x1b[0m":                "is not valid YAML: line 2, column 5: control characters are not allowed",
		"\uffff":                           "is not valid YAML: line 1, column 1: control characters are not allowed",
		"a\x00":                            "must be valid UTF-8 without NUL",
		"a\xff":                            "must be valid UTF-8 without NUL",
		strings.Repeat("[", 101):           "is not valid YAML: line 1, column 101: exceeded max depth of 100",
		strings.Repeat("- ", 101) + "a":    "is not valid YAML: line 1, column 201: exceeded max depth of 100",
		strings.Repeat(" ", 256<<10+1):     "is too long (maximum is 256 KiB)",
		"{" + strings.Repeat("a,", 20_000): "has too many values (maximum is about 20,000)",
		strings.Repeat("- ", 20_001):       "has too many values (maximum is about 20,000)",
		strings.Repeat("\n", 20_001):       "has too many values (maximum is about 20,000)",
		strings.Repeat("%TAG !a! b\n", 21) + "---\na": "has too many %TAG directives (maximum is 20)",
	} {
		if got := checked(configuration); got != want {
			t.Errorf("%.100q (%d bytes): %q, want %q", configuration, len(configuration), got, want)
		}
	}
}

// FuzzCheckConfiguration holds that no text makes the check panic, and that it says where the fault is.
func FuzzCheckConfiguration(f *testing.F) {
	for _, seed := range []string{
		"steps:\n  - label: \":go: build\"\n    command: |\n      make\n    agents: {queue: default}\n  - wait: ~\n",
		"a: &a [*a]\n<<: *a\n", "%TAG !a! b\n--- !a!c\n? d\n: >-\n e\n", "a: [\n", "\ufeff{a: 'b', \"c\": d", "- - ? - a\n# b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, configuration string) {
		reason, found := strings.CutPrefix(checked(configuration), "is not valid YAML: ")
		if !found {
			return
		}
		var line, column int
		if _, err := fmt.Sscanf(reason, "line %d, column %d: ", &line, &column); err != nil || line < 1 || column < 1 || line > len(configuration)+1 {
			t.Errorf("%q: %s", configuration, reason)
		}
	})
}

func TestOutlines(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	number := func(n int64) *int64 { return &n }
	outline, err := steps.ReadOutline(`
env: {A: b}
steps:
  - label: Test $WHAT
    commands: [make, make test]
    artifacts: [a, b]
    branches: [main, "release/*"]
    agents: {queue: mac, os: "*"}
    env: {A: 1}
    timeout: "10"
    parallelism: $N
    concurrency: 2
  - wait
  - {block: ~, label: Deploy}
  - {input: Who, name: Other}
  - {trigger: deploy, branches: main}
  - group: Tests
    steps: [{name: Inner, command: x, if: nonsense, unknown: 1}, manual]
  - {label: Variables may say what it is, type: $KIND}
`)
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, outline, &steps.Outline{HasMore: true, Steps: []steps.OutlinedStep{
		{
			Kind: steps.Command, Label: text("Test $WHAT"), Command: text("make\nmake test"), ArtifactPaths: text("a;b"), Branches: text("main release/*"),
			Agents: []string{"os=*", "queue=mac"}, Env: map[string]string{"A": "1"}, Timeout: number(10), Concurrency: number(2),
		},
		{Kind: steps.Wait},
		{Kind: steps.Block, Label: text("Deploy")},
		{Kind: steps.Input, Label: text("Who")},
		{Kind: steps.Trigger, Trigger: text("deploy"), Branches: text("main")},
		{Kind: steps.Group, Label: text("Tests"), Steps: []steps.OutlinedStep{
			{Kind: steps.Command, Label: text("Inner"), Command: text("x")},
			{Kind: steps.Block},
		}},
		{Kind: steps.Command, Label: text("Variables may say what it is")},
	}})
	for _, configuration := range []string{"", "# nothing", "just text", "steps: ~", "steps: []", "[]", "---\nsteps: []\n---\na: b"} {
		outline, err := steps.ReadOutline(configuration)
		if err != nil || len(outline.Steps) > 0 || outline.HasMore {
			t.Errorf("%q: %+v, %v", configuration, outline, err)
		}
	}
	if outline, err := steps.ReadOutline("- wait\n- command: x"); err != nil || len(outline.Steps) != 2 || outline.HasMore {
		t.Errorf("%+v, %v", outline, err)
	}
	for configuration, want := range map[string]string{
		"steps: {a: b}":                                      "Configuration steps must be a list",
		"steps:\n  - wait\n  - comand: x\n":                  "Configuration has a step that can't run: line 3, column 5: Step is missing a type `{\"comand\":\"x\"}`",
		"- group: A\n  steps: [{command: $X}, {label: y}]\n": "Configuration has a step that can't run: line 2, column 26: Step is missing a type `{\"label\":\"y\"}`",
		"steps: [{command: x, parallelism: none}]":           "`parallelism` is invalid: it is a whole number of at least 1",
		"steps: a":                "Configuration steps must be a list",
		"steps: [[a]]":            "Configuration steps[0] must be a mapping, wait, block or input",
		"steps: [wait, 1]":        "Configuration steps[1] must be a mapping, wait, block or input",
		"steps: [make]":           "Configuration steps[0] must be a mapping, wait, block or input",
		"steps: [{group: g}]":     "The `steps` property is required for a group",
		"env: [a]\nsteps: [wait]": "Configuration is not a pipeline: ",
		"steps: [wait":            "Configuration is not valid YAML: line 2, column 1: ",
		"steps: [{group: g, steps: [{group: h, steps: [wait]}]}]": "Configuration steps[0].steps[0] must not be a group in a group",
		"steps: [{group: g, steps: [[a]]}]":                       "Configuration steps[0].steps[0] must be a mapping, wait, block or input",
		"steps: &s [{group: g, steps: *s}]":                       "Configuration has an anchor that contains itself: \"s\"",
	} {
		if _, err := steps.ReadOutline(configuration); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", configuration, err, want)
		}
	}
}

// What can be built can be shown, with as many steps.
func FuzzOutlines(f *testing.F) {
	f.Add("steps:\n  - &a {command: x, env: {A: 1}}\n  - {<<: *a, label: b}\n  - group: c\n    steps: [wait, *a]\n")
	f.Add("- wait\n- {plugins: {a: ~}}\n- {type: script, timeout: 1}\n- {block: b, fields: [{text: t, key: k}]}\n")
	f.Fuzz(func(t *testing.T, configuration string) {
		document, err := steps.FromYAML(configuration, steps.Environment{})
		if err != nil {
			_, _ = steps.ReadOutline(configuration) // it must not panic
			return
		}
		p, err := work(t).Parse(document)
		if err != nil {
			_, _ = steps.ReadOutline(configuration)
			return
		}
		outline, err := steps.ReadOutline(configuration)
		if err != nil || len(outline.Steps) != len(p.Steps) {
			t.Errorf("%+v, %v of %s", outline, err, document)
		}
	})
}
