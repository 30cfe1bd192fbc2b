package steps_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"penstock/internal/steps"
)

// work returns work that a test does.
func work(t *testing.T) *steps.Work {
	t.Helper()
	return steps.NewWork(t.Context())
}

// parse reads a configuration as an agent would upload it.
func parse(t *testing.T, configuration string) (*steps.Pipeline, error) {
	t.Helper()
	document, err := steps.FromYAML(configuration, steps.Environment{"BRANCH": "main"})
	if err != nil {
		return nil, err
	}
	return work(t).Parse(document)
}

func mustParse(t *testing.T, configuration string) *steps.Pipeline {
	t.Helper()
	p, err := parse(t, configuration)
	if err != nil {
		t.Fatalf("%s: %v", configuration, err)
	}
	return p
}

// first returns the first step of a configuration.
func first(t *testing.T, configuration string) steps.Step {
	t.Helper()
	return mustParse(t, configuration).Steps[0]
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	p := mustParse(t, `
steps:
  - command: make
  - wait
  - wait: ~
    continue_on_failure: true
  - block: Release
    key: release
  - input: Who
    fields: [{text: Name, key: name}]
  - trigger: deploy
    label: Deploy
  - group: Tests
    steps: [{command: a}, {command: b}]
  - plugins: [docker#v1]
`)
	var kinds []steps.Kind
	for _, s := range p.Steps {
		kinds = append(kinds, s.Kind)
	}
	wantEqual(t, kinds, []steps.Kind{steps.Command, steps.Wait, steps.Wait, steps.Block, steps.Input, steps.Trigger, steps.Group, steps.Command})
	wantEqual(t, p.Steps[2].ContinueOnFailure, true)
	wantEqual(t, p.Steps[3].Label, "Release")
	wantEqual(t, p.Steps[3].BlockedState, "passed")
	wantEqual(t, p.Steps[5].Build, steps.TriggeredBuild{Message: "Deploy", Commit: "HEAD"})
	wantEqual(t, len(p.Steps[6].Steps), 2)
	wantEqual(t, p.Steps[6].Label, "Tests")
}

// Steps come as agents normalize them, and stay as they came: signatures are made over their parts.
func TestSourceIsUnchanged(t *testing.T) {
	t.Parallel()
	const source = `{"label":"x","command":"a\nb",  "env":{"B":"2","A":"1"},"plugins":[{"github.com/o/p-buildkite-plugin#v1":null}],` +
		`"matrix":["1","2"],"signature":{"algorithm":"ES256","signed_fields":["command"],"value":"v"}}`
	p, err := work(t).Parse([]byte(`{"steps":[` + source + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, string(p.Steps[0].Source), source)
}

func TestSoftFail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]steps.SoftFail{
		"true":                                   {All: true},
		"false":                                  {},
		`[{exit_status: "*"}]`:                   {All: true},
		`[{exit_status: 2}, {exit_status: "*"}]`: {All: true, Statuses: []int{2}},
		`[{exit_status: "2"}]`:                   {Statuses: []int{2}},
	} {
		wantEqual(t, first(t, "steps: [{command: c, soft_fail: "+text+"}]").SoftFail, want)
	}
}

func TestCommandAttributes(t *testing.T) {
	t.Parallel()
	s := first(t, `
agents: {queue: small}
priority: 2
image: alpine
steps:
  - label: Build on ${BRANCH}
    identifier: build
    command: [make, make test]
    artifact_paths: [a/*, b/*]
    env: {A: 1, B: true, C: "x"}
    depends_on: [lint, {step: slow, allow_failure: true}]
    allow_dependency_failure: true
    branches: "main !wip/*"
    concurrency: 2
    concurrency_group: deploy
    concurrency_method: eager
    cancel_on_build_failing: true
    soft_fail: [{exit_status: 3}, {exit_status: 4}]
    timeout_in_minutes: 5
    retry:
      automatic: [{exit_status: -1, limit: 1}, {signal: SIGKILL, signal_reason: none}]
      manual: {allowed: false, reason: Never}
    skip: Not now
`)
	wantEqual(t, s.Label, "Build on main")
	wantEqual(t, s.Key, "build")
	wantEqual(t, s.Command, "make\nmake test")
	wantEqual(t, s.ArtifactPaths, "a/*;b/*")
	wantEqual(t, s.Env, map[string]string{"A": "1", "B": "true", "C": "x"})
	wantEqual(t, s.Agents, []string{"queue=small"})
	wantEqual(t, *s.Priority, 2)
	wantEqual(t, s.Image, "alpine")
	wantEqual(t, s.ExplicitDependencies, true)
	wantEqual(t, s.DependsOn, []steps.Dependency{{Step: "lint"}, {Step: "slow", AllowFailure: true}})
	wantEqual(t, s.Branches, []string{"main", "!wip/*"})
	wantEqual(t, s.Concurrency, 2)
	wantEqual(t, s.ConcurrencyMethod, steps.Eager)
	wantEqual(t, s.SoftFail, steps.SoftFail{Statuses: []int{3, 4}})
	wantEqual(t, s.TimeoutInMinutes, 5)
	wantEqual(t, s.Retry, steps.Retry{
		Automatic: []steps.RetryRule{{ExitStatuses: []int{-1}, Limit: 1}, {Signals: []string{"kill"}, SignalReasons: []string{"none"}, Limit: 2}},
		Manual:    steps.ManualRetry{Forbidden: true, Reason: "Never"},
	})
	wantEqual(t, s.Skip, "Not now")
}

func TestDependenciesThatAreNone(t *testing.T) {
	t.Parallel()
	for source, explicit := range map[string]bool{`{"command":"a"}`: false, `{"command":"a","depends_on":null}`: true, `{"command":"a","depends_on":[]}`: true} {
		p, err := work(t).Parse([]byte(`{"steps":[` + source + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if s := p.Steps[0]; s.ExplicitDependencies != explicit || len(s.DependsOn) != 0 {
			t.Errorf("%s: %v %v", source, s.ExplicitDependencies, s.DependsOn)
		}
	}
}

// Secrets and checkout at the top are every command step's, which wins where it has its own.
func TestInheritedSecretsAndCheckout(t *testing.T) {
	t.Parallel()
	p := mustParse(t, `
secrets: [API_KEY, OTHER]
checkout: {submodules: false, depth: 3}
steps:
  - command: a
    secrets: {API_KEY: mine}
    checkout: {depth: 1}
  - wait
`)
	var source struct {
		Secrets  []map[string]string
		Checkout map[string]any
	}
	if err := json.Unmarshal(p.Steps[0].Source, &source); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, source.Secrets, []map[string]string{{"key": "mine", "environment_variable": "API_KEY"}, {"key": "OTHER", "environment_variable": "OTHER"}})
	wantEqual(t, source.Checkout, map[string]any{"submodules": false, "depth": 1.0})
	wantEqual(t, *p.Steps[0].Checkout.Depth, 1)
	wantEqual(t, *p.Steps[0].Checkout.Submodules, false)
}

// The key with which an agent gets the code is one of the step's secrets to it.
func TestTheKeyOfACheckoutIsASecret(t *testing.T) {
	t.Parallel()
	p, err := work(t).Parse([]byte(`{"secrets":[{"key":"A","environment_variable":"A"}],"checkout":{"ssh_secret":"DEPLOY"},"steps":[{"command":"a"},` +
		`{"command":"b","secrets":[{"key":"OWN","environment_variable":"BUILDKITE_GIT_SSH_KEY"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`"secrets":[{"key":"A","environment_variable":"A"},{"environment_variable":"BUILDKITE_GIT_SSH_KEY","key":"DEPLOY"}]`,
		`"secrets":[{"key":"OWN","environment_variable":"BUILDKITE_GIT_SSH_KEY"},{"key":"A","environment_variable":"A"}]`,
	} {
		if got := string(p.Steps[i].Source); !strings.Contains(got, want) {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}

// A signature does not fit a step to which something was added.
func TestSignedStepsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	const signed = `{"command":"a", "checkout" : {"ssh_secret":"K"},"signature":{"algorithm":"EdDSA","signed_fields":["command"],"value":"x"}}`
	p, err := work(t).Parse([]byte(`{"secrets":[{"key":"A"}],"checkout":{"skip":true},"steps":[` + signed + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(p.Steps[0].Source); got != signed || p.Steps[0].Checkout.Skip == nil {
		t.Errorf("%s", got)
	}
}

// Agents cannot read a step whose secrets are null.
func TestNullSecretsAreLeftOut(t *testing.T) {
	t.Parallel()
	p, err := work(t).Parse([]byte(`{"steps":[{"command":"a","secrets":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	wantEqual(t, string(p.Steps[0].Source), `{"command":"a"}`)
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	s := first(t, `
steps:
  - command: "make {{matrix.os}} {{ matrix.arch }}"
    label: "{{matrix.os}}"
    agents: {os: "{{matrix.os}}"}
    env: {ARCH: "{{matrix.arch}}"}
    plugins: [{"docker#v1": {image: "{{matrix.os}}", port: 12345678901234567890}}]
    matrix:
      setup: {os: [linux, mac], arch: [a, b]}
      adjustments:
        - {with: {os: mac, arch: b}, skip: true}
        - {with: {os: bsd, arch: z}, soft_fail: true}
`)
	jobs := s.Jobs()
	var all []string
	for _, job := range jobs {
		filled, err := s.Fill(job.Matrix)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s|%s|%s|%s|%t", filled.Command, filled.Agents[0], filled.Env["ARCH"], job.Skip, job.SoftFail.All))
		if !strings.Contains(string(filled.Plugins), `"image":"`+job.Matrix["os"]+`","port":12345678901234567890`) {
			t.Errorf("plugins are %s", filled.Plugins)
		}
	}
	wantEqual(t, all, []string{
		"make linux a|os=linux|a||false", "make mac a|os=mac|a||false", "make linux b|os=linux|b||false", "make mac b|os=mac|b|skipped|false",
		"make bsd z|os=bsd|z||true",
	})
}

func TestParallelism(t *testing.T) {
	t.Parallel()
	s := first(t, "steps: [{command: a, parallelism: 3}]")
	jobs := s.Jobs()
	wantEqual(t, len(jobs), 3)
	wantEqual(t, jobs[2].ParallelIndex, 2)
	wantEqual(t, jobs[2].ParallelTotal, 3)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for configuration, want := range map[string]string{
		"steps: [{command: a, agent: {queue: x}}]":                                   "`agent` is not a valid property on the `command` step, perhaps you meant `agents`?",
		"steps: [{command: a, nonsense: 1}]":                                         "`nonsense` is not a valid property on the `command` step. Please check the documentation to get a full list of supported properties.",
		`steps: [{command: x, depends_on: ["a", ""]}]`:                               "`depends_on` is invalid: a key is empty",
		"steps: [{name: foo}]":                                                       "Step is missing a type `{\"name\":\"foo\"}`",
		"steps: [{command: a, key: k}, {command: b, key: k}]":                        "The key \"k\" has already been used by another step in this build",
		"steps: [{command: a, parallelism: 501}]":                                    "The number of jobs in this upload exceeds your organization limit of 500.",
		"steps: [{command: a, parallelism: 2000000000}]":                             "The number of jobs in this upload exceeds your organization limit of 500.",
		"steps: [{group: x, steps: [{command: a, parallelism: 500}]}]":               "The number of jobs in this upload exceeds your organization limit of 500.",
		"steps: [{group: x}]":                                                        "The `steps` property is required for a group",
		"steps: [{group: x, steps: []}]":                                             "The `steps` property is required for a group",
		"steps: [{group: x, steps: [{group: y, steps: [{command: a}]}]}]":            "`group` is invalid: a group cannot have groups in it",
		"steps: [{command: a, if: 'build.branch == \"x\"', branches: main}]":         "`if` is invalid: it cannot stand beside `branches`",
		"steps: [{command: a, if: build.pull_request}]":                              "`if` is invalid: `build.pull_request` is not a variable",
		"steps: [{command: a, if: 'build.branch =='}]":                               "`if` is invalid: a value is expected, not the end",
		"steps: [{command: a, if: 'build.branch =~ \"x\"'}]":                         "`if` is invalid: a regular expression is expected after `=~`, not `x`",
		"steps: [{command: a, concurrency: 1}]":                                      "`concurrency` is invalid: it needs `concurrency_group`",
		"steps: [{command: a, concurrency_group: x}]":                                "`concurrency_group` is invalid: it needs `concurrency`",
		"steps: [{command: a, concurrency: 0, concurrency_group: x}]":                "`concurrency` is invalid: it is a whole number of at least 1",
		"steps: [{command: a, key: 0190a1b2-0000-7000-8000-000000000001}]":           "`key` is invalid: it looks like a UUID",
		"steps: [{command: a, key: a b}]":                                            "`key` is invalid: it may have letters, digits, and `_-:${}.,` only",
		"steps: [{command: a, matrix: [x], parallelism: 2}]":                         "`matrix` is invalid: it cannot stand beside `parallelism`",
		"steps: [{command: '{{matrix.x}}', matrix: [x]}]":                            "`matrix` is invalid: there is no dimension for {{matrix.x}}",
		"steps: [{command: a, matrix: {setup: {a: [x]}, adjustments: [{with: x}]}}]": "`matrix` is invalid: `with` of an adjustment has a value for each dimension",
		"steps: [{command: a, timeout_in_minutes: 0}]":                               "`timeout_in_minutes` is invalid: it is a whole number of at least 1",
		"steps: [{command: a, retry: {automatic: [{limit: 11}]}}]":                   "`retry` is invalid: `limit` is at most 10",
		"steps: [{command: a, retry: {automatic: [{signal_reason: x}]}}]":            "`retry` is invalid: \"x\" is not a signal reason",
		"steps: [{command: a, skip: " + strings.Repeat("x", 71) + "}]":               "`skip` is invalid: it is true, false, or a reason of at most 70 characters",
		"steps: [{block: x, blocked_state: maybe}]":                                  "`blocked_state` is invalid: it is passed, failed or running",
		"steps: [{block: x, fields: [{text: a, key: 'a b'}]}]":                       "`fields` is invalid: a key has letters, digits, and `/_-`, and every field needs one",
		"steps: [{input: x, fields: [{select: a, key: a}]}]":                         "`fields` is invalid: \"a\" needs `options`",
		"steps: [{wait: ~, command: a, continue_on_failure: true}]":                  "`continue_on_failure` is not a valid property on the `command` step. Please check the documentation to get a full list of supported properties.",
		"steps: [{trigger: x, build: {comit: y}}]":                                   "`build` is invalid: `comit` is not a property of it",
		"steps: [{command: a, notify: [{slack: x, if: step.nothing}]}]":              "`if` is invalid: `step.nothing` is not a variable",
		"steps: nothing": "Configuration steps must be a list",
		"a: b":           "",
	} {
		_, err := parse(t, configuration)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", configuration, err)
			}
			continue
		}
		if fault, ok := errors.AsType[steps.Fault](err); !ok || string(fault) != want {
			t.Errorf("%s: got %v, want %s", configuration, err, want)
		}
	}
}

// A configuration that is larger than it looks is refused before it is read.
func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	if _, err := parse(t, bomb+"steps: [{command: a}]"); err == nil || !strings.Contains(err.Error(), "where its aliases are followed") {
		t.Errorf("got %v", err)
	}
	if _, err := parse(t, strings.Repeat("[", 10_000)); err == nil {
		t.Error("a deep document is accepted")
	}
}

func TestBranches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		patterns, branch string
		want             bool
	}{
		{"", "main", true}, {"main", "main", true}, {"main", "maint", false}, {"main dev", "dev", true},
		{"feature/*", "feature/a/b", true}, {"*", "x", true}, {"*-release", "v1-release", true}, {"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false},
		{"!main", "main", false}, {"!main", "dev", true}, {"* !wip/*", "wip/x", false}, {"* !wip/*", "x", true}, {"main !main", "main", false},
		{"a*a", "a", false}, {"a*a", "aa", true},
	} {
		if got := steps.MatchBranches(strings.Fields(test.patterns), test.branch); got != test.want {
			t.Errorf("%q of %q is %t", test.branch, test.patterns, got)
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	v := steps.Variables{
		Values: map[string]any{
			"build.branch": "feature/login", "build.tag": nil, "build.number": 17, "build.pull_request.draft": false,
			"build.creator.teams": []string{"platform", "web"}, "build.message": "Fix [SKIP]",
		},
		Env: map[string]string{"DEPLOY": "yes"},
	}
	for source, want := range map[string]bool{
		`build.branch == "feature/login"`: true, `build.branch != 'main'`: true, `build.tag == null`: true, `build.tag != null`: false,
		`build.number == 17`: true, `build.number == "17"`: false, `build.branch =~ /^feature\//`: true, `build.branch !~ /^FEATURE/`: true,
		`build.branch =~ /^FEATURE/i`: true, `build.tag =~ /x/`: false, `build.tag !~ /x/`: true, `build.creator.teams includes "web"`: true,
		`build.creator.teams includes "ops"`: false, `build.env("DEPLOY") == "yes"`: true, `build.env("NONE") == null`: true,
		`!build.pull_request.draft`: true, `!(build.number == 17)`: false, `build.number == 1 || build.number == 17 && build.tag == null`: true,
		"build.branch == 'x' // a comment\n || true": true, `build.message =~ /\[skip\]/i`: true, `true && false || true`: true, `null`: false,
	} {
		c, err := work(t).ParseCondition(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
		} else if got, err := c.Eval(&steps.Evaluation{Variables: v, Work: work(t)}); got != want || err != nil {
			t.Errorf("%s is %t, %v", source, got, err)
		}
	}
	for _, source := range []string{"", "build.nothing", "true true", "(true", "build.branch =~ /(/", `build.env(x)`, strings.Repeat("!", 500) + "true", "'open", "a # b", strings.Repeat("x", 3000)} {
		if c, err := work(t).ParseCondition(source); err == nil {
			t.Errorf("%q is accepted: %v", source, c)
		}
	}
}

func TestRetryRules(t *testing.T) {
	t.Parallel()
	retry := first(t, `
steps:
  - command: a
    retry:
      automatic:
        - {exit_status: [1, 2], limit: 1}
        - {exit_status: "*", signal: none}
        - {exit_status: -1, signal_reason: agent_stop}
        - {signal: term}
`).Retry
	for _, test := range []struct {
		ended steps.Ended
		want  int
	}{
		{steps.Ended{ExitStatus: 2}, 0}, {steps.Ended{ExitStatus: 7}, 1}, {steps.Ended{ExitStatus: 0}, -1}, {steps.Ended{ExitStatus: -1}, -1},
		{steps.Ended{ExitStatus: -1, SignalReason: "agent_stop"}, 2}, {steps.Ended{ExitStatus: -1, Signal: "SIGTERM"}, 3},
	} {
		if got := retry.FindRule(test.ended); got != test.want {
			t.Errorf("%+v fits %d, want %d", test.ended, got, test.want)
		}
	}
	// A rule that writes its defaults out is the rule without them.
	for _, rule := range []string{`{exit_status: "*", signal: "*", signal_reason: "*"}`, `{signal: "*"}`, `{signal_reason: "*"}`, `{signal: [none, "*"]}`} {
		retry := first(t, "steps: [{command: a, retry: {automatic: ["+rule+"]}}]").Retry
		for _, ended := range []steps.Ended{{ExitStatus: 1}, {ExitStatus: 1, Signal: "SIGKILL"}, {ExitStatus: 1, SignalReason: "cancel"}} {
			if retry.FindRule(ended) != 0 {
				t.Errorf("%+v does not fit %s", ended, rule)
			}
		}
	}
}

// Whatever a document says, reading it ends, with a fault or with steps that can be made jobs of.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"steps":["wait",{"command":"a","matrix":{"setup":{"x":["1"]},"adjustments":[{"with":{"x":"2"},"skip":true}]}}]}`,
		`{"steps":[{"group":"g","steps":[{"block":"b","fields":[{"select":"s","key":"k","options":[{"label":"l","value":"v"}]}]}]}],"secrets":[{"key":"a"}]}`,
		`{"steps":[{"trigger":"t","build":{"env":{"a":1}}},{"command":{"command":"x"}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		p, err := work(t).Parse(document)
		if _, ok := errors.AsType[steps.Fault](err); err != nil && !ok {
			t.Fatalf("%T: %v", err, err)
		}
		if err != nil {
			return
		}
		for _, s := range p.Steps {
			for _, job := range s.Jobs() {
				if _, err := s.Fill(job.Matrix); err != nil {
					t.Fatalf("%s: %v", document, err)
				}
			}
		}
	})
}

func FuzzCondition(f *testing.F) {
	for _, seed := range []string{`build.branch == "a" && !(build.tag =~ /x/i)`, `build.env("A") != null // c`, `a includes 'b'`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		w := work(t)
		if c, err := w.ParseCondition(source); err == nil {
			_, _ = c.Eval(&steps.Evaluation{Work: w})
		}
	})
}

func FuzzFromYAML(f *testing.F) {
	f.Add("steps: [{command: a}]")
	f.Add("a: &a {command: x}\nsteps:\n  - <<: *a\n    label: ${X:-y}\n")
	f.Fuzz(func(t *testing.T, configuration string) {
		document, err := steps.FromYAML(configuration, steps.Environment{})
		if err == nil {
			_, err = work(t).Parse(document)
		}
		if _, ok := errors.AsType[steps.Fault](err); err != nil && !ok {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
