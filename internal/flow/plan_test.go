package flow_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/flow"
	"penstock/internal/steps"
)

func parsePipeline(t *testing.T, configuration string) *steps.Pipeline {
	t.Helper()
	document, err := steps.FromYAML(configuration, steps.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := steps.NewWork(t.Context()).Parse(document)
	if err != nil {
		t.Fatalf("%s: %v", configuration, err)
	}
	return p
}

// numberIDs returns a function that makes ids such as p3.
func numberIDs(prefix string) func() string {
	made := 0
	return func() string {
		made++
		return fmt.Sprintf("%s%d", prefix, made)
	}
}

func planSteps(t *testing.T, in flow.UploadInput, configuration string) *flow.Plan {
	t.Helper()
	in.Pipeline = parsePipeline(t, configuration)
	if in.NewID == nil {
		in.NewID = numberIDs("p")
	}
	in.Work = steps.NewWork(t.Context())
	plan, err := flow.PlanUpload(in)
	if err != nil {
		t.Fatalf("%s: %v", configuration, err)
	}
	return plan
}

func refuseSteps(t *testing.T, in flow.UploadInput, configuration, want string) {
	t.Helper()
	in.Pipeline = parsePipeline(t, configuration)
	refusePlan(t, in, want)
}

func refusePlan(t *testing.T, in flow.UploadInput, want string) {
	t.Helper()
	in.NewID, in.Work = numberIDs("p"), steps.NewWork(t.Context())
	_, err := flow.PlanUpload(in)
	if _, isFault := errors.AsType[steps.Fault](err); !isFault || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// nameStep returns what tests call a step: its key, its label, or its kind and its index.
func nameStep(s *flow.PlannedStep) string {
	switch {
	case s.Key != "":
		return s.Key
	case s.Label != "":
		return s.Label
	default:
		return fmt.Sprintf("%s%d", s.Kind, s.Index)
	}
}

// describeEdges returns what each step of a plan waits for: "!" stands for a step's own jobs, "?" for a failure that is allowed, "@" for a key.
func describeEdges(plan *flow.Plan) map[string]string {
	names := map[string]string{}
	for i := range plan.Steps {
		names[plan.Steps[i].ID] = nameStep(&plan.Steps[i])
	}
	described := map[string]string{}
	for i := range plan.Steps {
		var all []string
		for _, e := range plan.Steps[i].Edges {
			text := e.On
			if names[e.On] != "" {
				text = names[e.On]
			}
			if e.OnKey != "" {
				text = "@" + e.OnKey
			}
			if e.OwnOnly {
				text += "!"
			}
			if e.AllowFailure {
				text += "?"
			}
			all = append(all, text)
		}
		slices.Sort(all)
		described[nameStep(&plan.Steps[i])] = strings.Join(all, " ")
	}
	return described
}

func TestPlannedDependencies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		uploaded bool
		steps    string // <a> is a command with that key
		want     string // what those wait for that wait
	}{
		"no wait":      {false, `<a>, <b>`, ""},
		"uploaded":     {true, `<a>, wait, <b>`, "a: u!; wait1: a u!; b: u! wait1"},
		"wait":         {false, `<a>, <b>, wait, <c>`, "wait2: a b; c: wait2"},
		"block":        {false, `<a>, {block: b, key: b}, <c>`, "b: a; c: b"},
		"nearest wait": {false, `<a>, wait, <b>, wait, <c>`, "wait1: a; b: wait1; wait3: b wait1; c: wait3"},
		"continue":     {false, `<a>, {wait: ~, key: w, continue_on_failure: true}, <b>`, "w: a?; b: w"},
		"both waits":   {false, `<a>, {wait: ~, key: v, continue_on_failure: true}, <b>, {wait: ~, key: w}`, "v: a?; b: v; w: a b v"},
		"other order":  {false, `<a>, {wait: ~, key: v}, <b>, {wait: ~, key: w, continue_on_failure: true}`, "v: a; b: v; w: b? v"},
		"broken wait":  {false, `<a>, {wait: ~, key: v}, <b>, {wait: ~, key: w, if: "false"}, <c>`, "v: a; b: v; c: v"},
		"input":        {false, `<a>, {input: i, key: i}, <b>, {wait: ~, key: w}`, "w: a b"},
		"explicit": {
			true, `<a>, {wait: ~, key: w}, {command: x, key: b, depends_on: a}, {command: x, key: c, depends_on: ~}, {command: x, key: d, depends_on: []}`,
			"a: u!; w: a u!; b: a",
		},
		"later key": {false, `{command: x, key: a, depends_on: [b, z]}, <b>`, "a: @z b"},
		"allow failure": {
			false, `<a>, {command: x, key: b, depends_on: [{step: a, allow_failure: true}, z]}, {command: x, key: c, depends_on: [a, z], allow_dependency_failure: true}`,
			"b: @z a?; c: @z? a?",
		},
		"twice":         {false, `<a>, {command: x, key: b, depends_on: [{step: a, allow_failure: true}, a, a]}`, "b: a"},
		"explicit wait": {false, `<a>, <b>, {wait: ~, key: v, depends_on: a}, <c>, {wait: ~, key: w}`, "v: a; c: v; w: a b c v"},
		"group": {
			false, `{group: G, key: g, steps: [<a>, {wait: ~, key: v}, <b>]}, {wait: ~, key: w}, {command: x, key: c, depends_on: g}`,
			"v: a; b: v; w: g; c: g",
		},
		"group behind": {
			true, `<a>, {wait: ~, key: w}, {group: G, key: g, steps: [<b>, {wait: ~, key: v, continue_on_failure: true}, <c>]}`,
			"a: u!; w: a u!; b: u! w; v: b? u! w; c: u! v w",
		},
		"group depends": {
			true, `<a>, {wait: ~, key: w}, {group: G, key: g, depends_on: a, steps: [<b>, {command: x, key: c, depends_on: b}]}`,
			"a: u!; w: a u!; b: a; c: a b",
		},
		"group input": {
			false, `{group: G, key: g, steps: [<a>, {input: I, key: i}]}, {wait: ~, key: w}, {command: x, key: c, depends_on: g}`,
			"w: a; c: g",
		},
		"wait, block":  {false, `<a>, wait, {block: B, key: b}, <c>`, "b: a; c: b"},
		"block, wait":  {false, `<a>, {block: B, key: b}, {wait: ~, continue_on_failure: true}, <c>`, "b: a; c: b"},
		"named wait":   {false, `<a>, {block: B, key: b}, {wait: ~, key: w}, <c>, {command: x, key: d, depends_on: w}`, "b: a; w: b; c: b; d: w"},
		"broken block": {false, `<a>, {wait: ~, key: w}, {block: B, key: b, if: "false"}, <c>`, "w: a; c: w"},
		"uploader":     {true, `{command: x, key: a, depends_on: upload}`, "a: u!"},
	} {
		in := flow.UploadInput{}
		if test.uploaded {
			in.Uploader = &flow.Uploader{Step: "u", Position: "0000"}
			in.Keys = map[string]string{"upload": "u"}
		}
		want := map[string]string{}
		for one := range strings.SplitSeq(test.want, "; ") {
			if step, waitsFor, ok := strings.Cut(one, ": "); ok {
				want[step] = waitsFor
			}
		}
		commands := strings.NewReplacer("<", "{command: x, key: ", ">", "}")
		got := describeEdges(planSteps(t, in, commands.Replace("steps: ["+test.steps+"]")))
		maps.DeleteFunc(got, func(_, waitsFor string) bool { return waitsFor == "" })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestPlannedJobs(t *testing.T) {
	t.Parallel()
	in := flow.UploadInput{Branch: "main", Variables: steps.Variables{Values: map[string]any{"build.branch": "main"}}}
	plan := planSteps(t, in, `
steps:
  - {command: x, key: plain}
  - {command: x, key: parallel, parallelism: 2}
  - {command: x, key: false, if: build.branch == "other"}
  - {command: x, key: true, if: build.branch == "main", skip: ""}
  - {command: x, key: branch, branches: "!main"}
  - {command: x, key: skipped, skip: true}
  - {command: x, key: reason, skip: too slow}
  - {command: "echo {{matrix}}", label: "on {{matrix}}", key: matrix, matrix: {setup: [a, b], adjustments: [{with: b, skip: no b}]}}
  - {group: G, key: g, skip: later, steps: [{command: x, key: g1}, {wait: ~, key: g2}, {command: x, key: g3, branches: other}]}
  - {group: H, key: h, if: build.branch == null, steps: [{command: x, key: h1}]}
`)
	got := map[string][]string{}
	for _, s := range plan.Steps {
		for _, j := range s.Jobs {
			text := fmt.Sprintf("%s %s", j.State, j.BrokenReason)
			if j.ParallelTotal > 0 {
				text += fmt.Sprintf("%d/%d", j.ParallelIndex, j.ParallelTotal)
			}
			if j.Matrix != nil {
				text += fmt.Sprintf(" %v %s, %s", j.Matrix[""], j.Definition.Command, j.Definition.Label)
			}
			got[s.Key] = append(got[s.Key], text)
		}
	}
	want := map[string][]string{
		"plain": {"pending "}, "parallel": {"pending 0/2", "pending 1/2"}, "false": {"broken conditional_failed"}, "true": {"pending "},
		"branch": {"broken branch_mismatch"}, "skipped": {"broken skipped"}, "reason": {"broken too slow"},
		"matrix": {"pending  a echo a, on a", "broken no b b echo b, on b"},
		"g1":     {"broken later"}, "g2": {"broken later"}, "g3": {"broken branch_mismatch"}, "h1": {"broken conditional_failed"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	ids := map[string]bool{}
	for i, s := range plan.Steps {
		if s.Index != i || ids[s.ID] || s.Key != "" && plan.Keys[s.Key] != s.ID {
			t.Errorf("%+v is at %d", s, i)
		}
		ids[s.ID] = true
		for _, j := range s.Jobs {
			if ids[j.ID] {
				t.Errorf("the id %s is there twice", j.ID)
			}
			ids[j.ID] = true
		}
	}
}

func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	up := &flow.Uploader{Step: "u", Position: "0000"}
	refuseSteps(t, flow.UploadInput{Keys: map[string]string{"a": "s"}}, `steps: [{command: x, key: a}]`,
		`The key "a" has already been used by another step in this build`)
	refuseSteps(t, flow.UploadInput{Jobs: 3999}, `steps: [{command: x}, {command: x}]`, "`steps` is invalid: the build would have more than 4000 jobs")
	refuseSteps(t, flow.UploadInput{Uploader: up, Uploads: 500}, `steps: []`, "`pipeline` is invalid: a build takes at most 500 uploads")
	for _, configuration := range []string{
		`steps: [{command: x, key: a, depends_on: a}]`,
		`steps: [{command: x, key: a, depends_on: b}, {command: x, key: b, depends_on: a}]`,
		`steps: [{command: x, key: a, depends_on: b}, wait, {command: x, key: b}]`,
		`steps: [{group: G, key: g, steps: [{command: x, key: b, depends_on: g}]}]`,
		`steps: [{group: G, key: g, depends_on: b, steps: [{command: x, key: b}]}]`,
		`steps: [{group: G, key: g, depends_on: g, steps: [{command: x, key: b}]}]`,
	} {
		refuseSteps(t, flow.UploadInput{}, configuration, "would wait for itself")
	}
	// A step of the build waits for a key, or for all that is uploaded.
	before := []*flow.Step{{ID: "u", Kind: steps.Command}, {ID: "s", Kind: steps.Command}}
	in := flow.UploadInput{
		Uploader: up, Steps: before, Keys: map[string]string{"s": "s"},
		OpenEdges: []flow.PlannedEdge{{Edge: flow.Edge{Step: "s"}, OnKey: "later"}},
	}
	refuseSteps(t, in, `steps: [{command: x, key: later, depends_on: s}]`, "would wait for itself")
	planSteps(t, in, `steps: [{command: x, key: other, depends_on: s}]`)
	in.OpenEdges = []flow.PlannedEdge{{Edge: flow.Edge{Step: "s", On: "u"}}}
	refuseSteps(t, in, `steps: [{command: x, label: last, depends_on: s}]`, `the step "`)
	in.OpenEdges[0].OwnOnly = true
	planSteps(t, in, `steps: [{command: x, depends_on: s}]`)

	var many, keys []string
	for i := range 300 {
		many = append(many, fmt.Sprintf(`{"command": "x", "key": "k%d"}`, i))
		keys = append(keys, fmt.Sprintf(`"k%d"`, i))
	}
	for range 180 {
		many = append(many, `{"command": "x", "depends_on": [`+strings.Join(keys, ", ")+`]}`)
	}
	large, err := steps.NewWork(t.Context()).Parse([]byte(`{"steps": [` + strings.Join(many, ", ") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	refusePlan(t, flow.UploadInput{Pipeline: large}, "`depends_on` is invalid: the steps of an upload have at most 50000 dependencies together")
	long := strings.Repeat("v", 120)
	refuseSteps(t, flow.UploadInput{}, `steps: [{command: x, matrix: [`+long+`], concurrency: 1, concurrency_group: "{{matrix}}{{matrix}}"}]`, "`concurrency_group` is invalid")
	refuseSteps(t, flow.UploadInput{}, `{agents: {queue: "{{matrix.os}}"}, steps: [{command: x, matrix: [a]}]}`, "`matrix` is invalid: there is no dimension")
	values := make([]string, 25)
	for i := range values {
		values[i] = fmt.Sprint(i) + long
	}
	refuseSteps(t, flow.UploadInput{}, `steps: [{command: "`+strings.Repeat("{{matrix}}", 8_000)+`", matrix: [`+strings.Join(values, ", ")+`]}]`,
		"`matrix` is invalid: the jobs that it makes have more than")
}

func TestGroupsMergeWithTheUploaders(t *testing.T) {
	t.Parallel()
	in := flow.UploadInput{
		Uploader: &flow.Uploader{Step: "u", Position: "0301", Group: &flow.UploaderGroup{ID: "g", Label: "Tests"}},
		Steps:    []*flow.Step{{ID: "g", Kind: steps.Group}, {ID: "u", Parent: "g", Kind: steps.Command}, {ID: "v", Parent: "g", Kind: steps.Command}},
		Keys:     map[string]string{"beside": "v"},
	}
	plan := planSteps(t, in, `
steps:
  - {command: x, key: a}
  - {group: Tests, key: tests, skip: "", steps: [{command: x, key: b}, {wait: ~, key: v}, {command: x, key: c}]}
  - {wait: ~, key: w}
  - {group: Tests, key: other, steps: [{command: x, key: d}]}
`)
	if plan.GroupKey != "tests" || plan.Keys["tests"] != "g" {
		t.Errorf("the group gets the key %q, and it is of %q", plan.GroupKey, plan.Keys["tests"])
	}
	places := map[string]string{}
	for _, s := range plan.Steps {
		places[s.Key] = s.Parent + " " + s.GroupID
	}
	other := plan.Keys["other"]
	want := map[string]string{"a": "u ", "b": "u g", "v": "u g", "c": "u g", "w": "u ", "other": "u ", "d": other + " " + other}
	if !reflect.DeepEqual(places, want) {
		t.Errorf("got %v, want %v", places, want)
	}
	wantEdges := map[string]string{"a": "u!", "b": "u!", "v": "b u!", "c": "u! v", "w": "a b c u! v", "other": "", "d": "u! w"}
	if got := describeEdges(plan); !reflect.DeepEqual(got, wantEdges) {
		t.Errorf("got %v, want %v", got, wantEdges)
	}
	in.Uploader.Group.Key, in.Keys["tests"] = "tests", "g"
	if plan := planSteps(t, in, `steps: [{group: Tests, key: tests, steps: [{command: x}]}]`); len(plan.Steps) != 1 || plan.GroupKey != "" || len(plan.Keys) != 0 {
		t.Errorf("got %+v", plan)
	}
	refuseSteps(t, in, `steps: [{group: Tests, key: mine, steps: [{command: x}]}]`, "`key` is invalid: the group \"Tests\" has the key \"tests\" already")
	refuseSteps(t, in, `steps: [{group: Other, key: tests, steps: [{command: x}]}]`, "already been used")
	// A step of the group cannot wait for it. One that is uploaded beside it waits for the others in it.
	refuseSteps(t, in, `steps: [{group: Tests, steps: [{command: x, key: k, depends_on: tests}]}]`, "would wait for itself")
	refuseSteps(t, in, `steps: [{group: Tests, depends_on: tests, steps: [{command: x, key: k}]}]`, "would wait for itself")
	if got := describeEdges(planSteps(t, in, `steps: [{command: x, key: k, depends_on: tests}]`)); got["k"] != "u! v" {
		t.Errorf("got %v", got)
	}
}

// The steps of a build sort as people read them: what a job uploads stands behind it, its later uploads before its earlier ones.
func TestPositions(t *testing.T) {
	t.Parallel()
	type placed struct{ key, position string }
	var all []placed
	byKey := map[string]flow.PlannedStep{}
	upload := func(number int, by, configuration string) {
		in := flow.UploadInput{Uploads: number}
		if by != "" {
			in.Uploader = &flow.Uploader{Step: by, Position: byKey[by].Position}
		}
		for _, s := range planSteps(t, in, configuration).Steps {
			all = append(all, placed{s.Key, s.Position})
			byKey[s.Key] = s
		}
	}
	upload(0, "", `steps: [{command: x, key: a}, {group: G, key: g, steps: [{command: x, key: g1}, {command: x, key: g2}]}, {command: x, key: z}]`)
	upload(0, "a", `steps: [{command: x, key: a1}, {command: x, key: a2}]`)
	upload(1, "g1", `steps: [{command: x, key: g11}, {group: H, key: g12, steps: [{command: x, key: g13}]}, {command: x, key: g14}]`)
	upload(2, "a", `steps: [{command: x, key: b1}, {command: x, key: b2}]`)
	upload(10, "a", `steps: [{command: x, key: c1}]`)
	upload(499, "a1", `steps: [{command: x, key: d1}]`)
	slices.SortFunc(all, func(a, b placed) int { return strings.Compare(a.position, b.position) })
	var keys []string
	for _, p := range all {
		keys = append(keys, p.key)
	}
	deep := flow.UploadInput{Uploader: &flow.Uploader{Step: "u", Position: strings.Repeat("0", 1996)}, Uploads: 499}
	planSteps(t, deep, `steps: [{command: x}]`)
	refuseSteps(t, deep, `steps: [{group: G, steps: [{command: x}]}]`, "`pipeline` is invalid: too many jobs in a row")
	if got, want := strings.Join(keys, " "), "a c1 b1 b2 a1 d1 a2 g g1 g11 g12 g13 g14 g2 z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// addPlan adds planned steps to a build, with other edges in the place of the plan's if there are any.
func (w *world) addPlan(m *flow.Machine, plan *flow.Plan, others map[string][]*flow.Edge) {
	type part struct {
		s     *flow.Step
		jobs  []*flow.Job
		edges []*flow.Edge
	}
	var parts []part
	for i := range plan.Steps {
		s, jobs, edges := plan.Steps[i].Parts()
		if others != nil {
			edges = others[s.ID]
		}
		parts = append(parts, part{s, jobs, edges})
		w.steps = append(w.steps, s)
		w.byID[s.ID], w.jobs[s.ID] = s, jobs
		w.edges = append(w.edges, edges...)
		for _, e := range edges {
			if e.On != "" {
				w.on[e.On] = append(w.on[e.On], e)
			}
		}
		for _, j := range jobs {
			w.slowJobs[j.ID] = *j
		}
	}
	for _, p := range parts {
		m.Add(p.s, p.jobs, p.edges)
	}
}

// play runs a build of a configuration: what a step's key says in ends happens to its jobs, and others pass.
func play(t *testing.T, configuration string, ends map[string]flow.Outcome) (states map[string]string, state flow.BuildState) {
	t.Helper()
	plan := planSteps(t, flow.UploadInput{}, configuration)
	w := newWorld(1)
	m := w.machine()
	w.addPlan(m, plan, nil)
	m.Propagate()
	w.check(t, m)
	for moved := true; moved; {
		moved = false
		for i := range plan.Steps {
			for _, j := range w.jobs[plan.Steps[i].ID] {
				if j.State != flow.Scheduled {
					continue
				}
				moved = true
				for _, to := range []flow.JobState{flow.Assigned, flow.Accepted, flow.Running} {
					w.move(t, m, j, to, "")
				}
				outcome := flow.Passed
				if ends[plan.Steps[i].Key] != "" {
					outcome = ends[plan.Steps[i].Key]
				}
				w.move(t, m, j, flow.Finished, outcome)
				m.Propagate()
				w.check(t, m)
			}
		}
	}
	states = map[string]string{}
	for i := range plan.Steps {
		for _, j := range w.jobs[plan.Steps[i].ID] {
			if plan.Steps[i].Key != "" {
				states[plan.Steps[i].Key] = string(j.State)
			}
		}
	}
	return states, flow.StateOf(flow.Fate{Created: true}, w.counts)
}

func TestPlannedBuilds(t *testing.T) {
	t.Parallel()
	failed := map[string]flow.Outcome{"a": flow.HardFailed}
	for name, test := range map[string]struct {
		configuration string
		ends          map[string]flow.Outcome
		state         flow.BuildState
		want          map[string]string
	}{
		"a plain wait": {
			`steps: [{command: x, key: a}, {command: x, key: b}, wait, {command: x, key: c}]`, failed, flow.BuildFailed,
			map[string]string{"a": "finished", "b": "finished", "c": "waiting_failed"},
		},
		"a wait that continues": {
			`steps: [{command: x, key: a}, {command: x, key: b}, {wait: ~, continue_on_failure: true}, {command: x, key: c}]`, failed, flow.BuildFailed,
			map[string]string{"a": "finished", "b": "finished", "c": "finished"},
		},
		"a plain wait behind one that continues": {
			`steps: [{command: x, key: a}, {wait: ~, continue_on_failure: true}, {command: x, key: b}, wait, {command: x, key: c}]`, failed, flow.BuildFailed,
			map[string]string{"a": "finished", "b": "finished", "c": "waiting_failed"},
		},
		"a wait that continues behind a plain one": {
			`steps: [{command: x, key: a}, wait, {command: x, key: b}, {wait: ~, continue_on_failure: true}, {command: x, key: c}]`, failed, flow.BuildFailed,
			map[string]string{"a": "finished", "b": "waiting_failed", "c": "waiting_failed"},
		},
		"a diamond": {
			`steps: [{command: x, key: d, depends_on: [b, c]}, {command: x, key: b, depends_on: a, if: "false"}, {command: x, key: c, depends_on: a}, {command: x, key: a}]`,
			nil, flow.BuildPassed,
			map[string]string{"a": "finished", "b": "broken", "c": "finished", "d": "finished"},
		},
		"a key that never appears": {
			`steps: [{command: x, key: a}, {command: x, key: b, depends_on: z}, {command: x, key: c, depends_on: [{step: b, allow_failure: true}]}]`, nil, flow.BuildFailed,
			map[string]string{"a": "finished", "b": "waiting_failed", "c": "finished"},
		},
		"all that is left depends on a block": {
			`steps: [{command: x, key: a}, {block: B, key: b}, {command: x, key: c, depends_on: b}, {trigger: t, key: d, depends_on: b}, {wait: ~, key: w, depends_on: b},
				{command: x, key: e, depends_on: [c, d]}, {input: I, key: i, depends_on: b}, {group: G, key: g, depends_on: b, steps: [{command: x, key: f}]}]`, nil, flow.BuildBlocked,
			map[string]string{"a": "finished", "b": "blocked", "c": "blocked", "d": "blocked", "w": "blocked", "e": "waiting", "i": "waiting", "f": "blocked"},
		},
		"a block before all else, on which all depends": {
			`steps: [{block: B, key: b, depends_on: []}, {command: x, key: c, depends_on: b}, {block: C, key: d, depends_on: b}]`, nil, flow.BuildBlocked,
			map[string]string{"b": "blocked", "c": "blocked", "d": "waiting"},
		},
		"a block in a group, on which all depends, after a failure": {
			`steps: [{command: x, key: a}, {group: G, key: g, steps: [{block: B, key: b}]}, {command: x, key: c, depends_on: g}, {command: x, key: d, depends_on: [a, b]}]`,
			failed, flow.BuildBlocked, map[string]string{"a": "finished", "b": "blocked", "c": "waiting", "d": "blocked_failed"},
		},
		"a group": {
			`steps: [{group: G, key: g, steps: [{command: x, key: a}, {command: x, key: b}]}, {command: x, key: c, depends_on: g}, {command: x, key: d, depends_on: g, allow_dependency_failure: true}]`,
			failed, flow.BuildFailed,
			map[string]string{"a": "finished", "b": "finished", "c": "waiting_failed", "d": "finished"},
		},
	} {
		got, state := play(t, test.configuration, test.ends)
		if !reflect.DeepEqual(got, test.want) || state != test.state {
			t.Errorf("%s: %s, %v, want %s, %v", name, state, got, test.state, test.want)
		}
	}
}

// randomSteps makes the steps of a random definition, some of which depend on earlier ones.
func randomSteps(random *rand.Rand, prefix string, inGroup bool, keys *[]string) string {
	var all []string
	for i := range 1 + random.IntN(9) {
		key := fmt.Sprintf("%s-%d", prefix, i)
		common := ""
		if random.IntN(3) > 0 {
			common += fmt.Sprintf(`, "key": %q`, key)
		}
		if random.IntN(8) == 0 {
			common += `, "if": "false"`
		}
		if random.IntN(8) == 0 {
			common += `, "allow_dependency_failure": true`
		}
		if len(*keys) > 0 && random.IntN(6) == 0 {
			common += fmt.Sprintf(`, "depends_on": [%q, {"step": %q, "allow_failure": true}]`, (*keys)[random.IntN(len(*keys))], (*keys)[random.IntN(len(*keys))])
		}
		if strings.Contains(common, `"key"`) {
			*keys = append(*keys, key)
		}
		switch n := random.IntN(12); {
		case n < 4:
			all = append(all, fmt.Sprintf(`{"command": "x", "parallelism": %d%s}`, 1+random.IntN(2), common))
		case n < 6:
			all = append(all, `{"wait": null`+common+`}`)
		case n < 8:
			all = append(all, `{"wait": null, "continue_on_failure": true`+common+`}`)
		case n == 8:
			all = append(all, `{"block": "x"`+common+`}`)
		case n == 9:
			all = append(all, `{"input": "x"`+common+`}`)
		case n == 10 && !inGroup:
			all = append(all, fmt.Sprintf(`{"group": "G%d", "steps": [%s]%s}`, random.IntN(2), randomSteps(random, key, true, keys), common))
		default:
			all = append(all, `"wait"`)
		}
	}
	return strings.Join(all, ", ")
}

// slowPlan is an obvious reading of the same rules: it gives every step all that it waits for.
type slowPlan struct {
	plan  *flow.Plan
	in    flow.UploadInput
	edges map[string][]*flow.Edge
	place int // in the plan
}

type slowItem struct {
	definition *steps.Step
	id         string // "": it is not in the plan
	isBroken   bool
	children   []slowItem
}

func (p *slowPlan) isNext(definition *steps.Step) bool {
	return p.place < len(p.plan.Steps) && string(p.plan.Steps[p.place].Definition.Source) == string(definition.Source) && p.plan.Steps[p.place].Key == definition.Key
}

// match finds the steps of the plan that the steps of a definition have become.
func (p *slowPlan) match(t *testing.T, definitions []steps.Step, group *steps.Step) (items []slowItem) {
	t.Helper()
	isFalse := func(s *steps.Step) bool { return s != nil && s.If != nil }
	for i := range definitions {
		it := slowItem{definition: &definitions[i], isBroken: isFalse(&definitions[i]) || isFalse(group)}
		nextTo := func(j int) bool {
			return j >= 0 && j < len(definitions) && definitions[j].Kind == steps.Block && !isFalse(&definitions[j]) && !isFalse(group)
		}
		isLeftOut := it.definition.Kind == steps.Wait && it.definition.Key == "" && (nextTo(i-1) || nextTo(i+1))
		up := p.in.Uploader
		merges := it.definition.Kind == steps.Group && up != nil && up.Group != nil && up.Group.Label == it.definition.Label &&
			!slices.ContainsFunc(definitions[:i], func(s steps.Step) bool { return s.Kind == steps.Group })
		if !isLeftOut && !merges {
			if !p.isNext(it.definition) {
				t.Fatalf("%s is not at %d of the plan", it.definition.Source, p.place)
			}
			it.id = p.plan.Steps[p.place].ID
			p.place++
		}
		if it.definition.Kind == steps.Group {
			it.children = p.match(t, it.definition.Steps, it.definition)
		}
		items = append(items, it)
	}
	return items
}

// leaves returns a step, or those of a group that cannot be waited for as a whole.
func (it slowItem) leaves() (leaves []slowItem) {
	hasInput := slices.ContainsFunc(it.children, func(child slowItem) bool { return child.definition.Kind == steps.Input })
	if it.definition.Kind != steps.Group || it.id != "" && !hasInput {
		return []slowItem{it}
	}
	for _, child := range it.children {
		leaves = append(leaves, child.leaves()...)
	}
	return leaves
}

func isBarrierKind(s *steps.Step) bool { return s.Kind == steps.Wait || s.Kind == steps.Block }

func (p *slowPlan) isBarrier(level []slowItem, i int) bool {
	isBlock := func(j int) bool {
		return j >= 0 && j < len(level) && level[j].definition.Kind == steps.Block && !level[j].isBroken
	}
	s := level[i].definition
	return isBarrierKind(s) && !level[i].isBroken && (s.Kind == steps.Block || !isBlock(i-1) && !isBlock(i+1))
}

// expand returns the edges that stand for one on a step which the uploaded ones can be below.
func (p *slowPlan) expand(on string, isOwnGroup bool) (edges []flow.Edge) {
	find := func(id string) *flow.Step {
		if i := slices.IndexFunc(p.in.Steps, func(s *flow.Step) bool { return s.ID == id }); i >= 0 {
			return p.in.Steps[i]
		}
		return nil
	}
	isAncestor := false
	if p.in.Uploader != nil {
		for s := find(p.in.Uploader.Step); s != nil; s = find(s.Parent) {
			isAncestor = isAncestor || s.ID == on
		}
	}
	if !isAncestor || isOwnGroup || find(on).Kind != steps.Group {
		return []flow.Edge{{On: on, OwnOnly: isAncestor}}
	}
	for _, s := range p.in.Steps {
		if s.Parent == on {
			edges = append(edges, p.expand(s.ID, false)...)
		}
	}
	return edges
}

func (p *slowPlan) connect(level []slowItem, always, implied []flow.Edge) {
	for i, it := range level {
		s := it.definition
		var own []flow.Edge
		if s.ExplicitDependencies {
			for _, d := range s.DependsOn {
				on := p.plan.Keys[d.Step]
				if on == "" {
					on = p.in.Keys[d.Step]
				}
				isOwnGroup := slices.ContainsFunc(p.plan.Steps, func(s flow.PlannedStep) bool { return s.ID == it.id && s.GroupID == on })
				for _, e := range p.expand(on, isOwnGroup) {
					e.AllowFailure = d.AllowFailure || s.AllowDependencyFailure || s.ContinueOnFailure
					own = append(own, e)
				}
			}
		} else {
			own = slices.Clone(implied)
			for j := i - 1; j >= 0; j-- {
				if !isBarrierKind(s) && !p.isBarrier(level, j) {
					continue
				}
				for _, leaf := range level[j].leaves() {
					if leaf.id != "" && leaf.definition.Kind != steps.Input {
						own = append(own, flow.Edge{On: leaf.id, AllowFailure: s.ContinueOnFailure && !p.isBarrier(level, j)})
					}
				}
				if !isBarrierKind(s) {
					break
				}
			}
		}
		if s.Kind == steps.Group {
			if s.ExplicitDependencies {
				p.connect(it.children, own, nil)
			} else {
				p.connect(it.children, nil, own)
			}
			continue
		}
		for _, e := range append(slices.Clone(always), own...) {
			e.Step = it.id
			p.edges[it.id] = append(p.edges[it.id], &e)
		}
	}
}

// Planned builds do what they do by an obvious reading of the rules, in which every wait waits for every step before it.
func TestPlansAgreeWithASlowReading(t *testing.T) {
	t.Parallel()
	played, refused, uploads := 0, 0, 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 3))
		fast, slow := newWorld(seed), newWorld(seed)
		machines := []*flow.Machine{fast.machine(), slow.machine()}
		var known []string
		in := flow.UploadInput{Keys: map[string]string{}, NewID: numberIDs("p")}
		planned := map[string]*flow.PlannedStep{}
		upload := func(up *flow.Uploader) {
			document := `{"steps": [` + randomSteps(random, fmt.Sprintf("k%d", in.Uploads), false, &known) + `]}`
			definition, err := steps.NewWork(t.Context()).Parse([]byte(document))
			if err != nil {
				t.Fatal(err, document)
			}
			in.Pipeline, in.Uploader, in.Steps, in.OpenEdges = definition, up, fast.steps, nil
			for _, e := range fast.edges {
				if e.State != flow.EdgeSatisfied {
					in.OpenEdges = append(in.OpenEdges, flow.PlannedEdge{Edge: *e})
				}
			}
			in.Work = steps.NewWork(t.Context())
			plan, err := flow.PlanUpload(in)
			in.Uploads++
			if err != nil {
				if !strings.Contains(err.Error(), "wait for itself") && !strings.Contains(err.Error(), "has the key") {
					t.Fatal(err, document)
				}
				refused++
				return
			}
			s := slowPlan{plan: plan, in: in, edges: map[string][]*flow.Edge{}}
			level := s.match(t, definition.Steps, nil)
			var implied []flow.Edge
			if up != nil {
				implied = []flow.Edge{{On: up.Step, OwnOnly: true}}
			}
			s.connect(level, nil, implied)
			delete(s.edges, "") // of waits that are left out
			for i := range plan.Steps {
				planned[plan.Steps[i].ID] = &plan.Steps[i]
				if s.edges[plan.Steps[i].ID] == nil {
					s.edges[plan.Steps[i].ID] = []*flow.Edge{}
				}
			}
			for key, id := range plan.Keys {
				in.Keys[key] = id
			}
			fast.addPlan(machines[0], plan, nil)
			slow.addPlan(machines[1], plan, s.edges)
		}
		upload(nil)
		for events := 0; ; events++ {
			var movable [][2]*flow.Job
			for _, m := range machines {
				m.Propagate()
			}
			for _, s := range fast.steps {
				for i, j := range fast.jobs[s.ID] {
					other := slow.jobs[s.ID][i]
					if foldHeld(s, j.State) != foldHeld(s, other.State) {
						t.Fatalf("seed %d, event %d: %s (%s) is %s, and %s by the slow reading%s\nslowly%s", seed, events, j.ID, planned[s.ID].Definition.Source, j.State, other.State, fast, slow)
					}
					if j.State == flow.Scheduled || j.State == flow.Blocked && (s.Kind == steps.Block || s.Kind == steps.Input) {
						movable = append(movable, [2]*flow.Job{j, other})
					}
				}
			}
			if len(movable) == 0 {
				break
			}
			played++
			pair := movable[random.IntN(len(movable))]
			s := planned[pair[0].Step]
			to, outcome := flow.Finished, []flow.Outcome{flow.Passed, flow.Passed, flow.Passed, flow.SoftFailed, flow.HardFailed}[random.IntN(5)]
			switch {
			case random.IntN(15) == 0:
				to, outcome = flow.Canceled, flow.Errored
			case s.Kind == steps.Block || s.Kind == steps.Input:
				to, outcome = flow.Unblocked, flow.Passed
			case in.Uploads < 4 && random.IntN(4) == 0:
				uploads++
				up := &flow.Uploader{Step: s.ID, Position: s.Position}
				if s.GroupID != "" {
					up.Group = &flow.UploaderGroup{ID: s.GroupID, Key: planned[s.GroupID].Key, Label: planned[s.GroupID].Label}
				}
				if up.Group != nil && up.Group.Key == "" {
					up.Group = nil // the world does not give it a key later
				}
				upload(up)
			}
			for i, m := range machines {
				m.Move(pair[i], to, outcome)
			}
		}
	}
	if played < 10_000 || refused == 0 || uploads == 0 {
		t.Errorf("%d events, %d refused uploads and %d uploads are too few", played, refused, uploads)
	}
}

// foldHeld returns a state without the difference between those who wait for a block itself and those who wait for who waits for it.
func foldHeld(s *flow.Step, state flow.JobState) flow.JobState {
	switch {
	case state == flow.Blocked && s.Kind != steps.Block && s.Kind != steps.Input:
		return flow.Waiting
	case state == flow.BlockedFailed:
		return flow.WaitingFailed
	default:
		return state
	}
}

// The number of edges grows with the number of steps.
func TestPlansHaveFewEdges(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{`"wait"`, `{"wait": null, "continue_on_failure": true}`, `{"wait": null}, {"wait": null, "continue_on_failure": true}`} {
		document := `{"steps": [` + strings.TrimSuffix(strings.Repeat(`{"command": "x"}, `+wait+`, `, 160), ", ") + `]}`
		definition, err := steps.NewWork(t.Context()).Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := flow.PlanUpload(flow.UploadInput{Pipeline: definition, NewID: numberIDs("p"), Work: steps.NewWork(t.Context())})
		if err != nil {
			t.Fatal(err)
		}
		edges := 0
		for _, s := range plan.Steps {
			edges += len(s.Edges)
		}
		if edges > 3*len(plan.Steps) {
			t.Errorf("%d steps have %d edges", len(plan.Steps), edges)
		}
	}
}

// No document, and nothing that a build has already, makes planning panic.
func FuzzPlanUpload(f *testing.F) {
	f.Add(`{"steps": [{"command": "x", "key": "a", "depends_on": "b"}, "wait", {"group": "G", "key": "b", "steps": ["block", "wait", {"command": "x", "depends_on": ["a", "u"]}]}]}`, uint8(3))
	f.Add(`{"steps": [{"command": "{{matrix.a}}", "matrix": {"setup": {"a": [1, 2]}}}, {"group": "G", "steps": [{"input": "x"}]}]}`, uint8(7))
	f.Fuzz(func(t *testing.T, document string, shape uint8) {
		definition, err := steps.NewWork(t.Context()).Parse([]byte(document))
		if err != nil {
			return
		}
		in := flow.UploadInput{Pipeline: definition, NewID: numberIDs("p"), Jobs: int(shape) * 20, Uploads: int(shape)}
		if shape&1 > 0 {
			in.Uploader = &flow.Uploader{Step: "u", Position: "0000"}
			in.Keys = map[string]string{"u": "u", "b": "s"}
		}
		if shape&2 > 0 {
			in.Steps = []*flow.Step{{ID: "g", Kind: steps.Group}, {ID: "u", Parent: "g", Kind: steps.Command}, {ID: "s", Kind: steps.Command}}
			in.OpenEdges = []flow.PlannedEdge{{Edge: flow.Edge{Step: "s"}, OnKey: "a"}}
		}
		if shape&4 > 0 && in.Uploader != nil {
			in.Uploader.Group = &flow.UploaderGroup{ID: "g", Label: "G"}
		}
		in.Work = steps.NewWork(t.Context())
		plan, err := flow.PlanUpload(in)
		if _, isFault := errors.AsType[steps.Fault](err); err != nil && !isFault {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for i := 1; i < len(plan.Steps); i++ {
			if plan.Steps[i-1].Position >= plan.Steps[i].Position {
				t.Errorf("%q stands before %q", plan.Steps[i-1].Position, plan.Steps[i].Position)
			}
		}
	})
}
