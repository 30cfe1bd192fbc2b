package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"penstock/internal/flow"
	"penstock/internal/steps"
)

// world is a build in memory, and a slow, obvious reading of the same rules beside it.
type world struct {
	random *rand.Rand
	steps  []*flow.Step
	byID   map[string]*flow.Step
	on     map[string][]*flow.Edge
	edges  []*flow.Edge
	jobs   map[string][]*flow.Job // newest attempts by step
	counts flow.Counts

	slowJobs  map[string]flow.Job // by id
	slowEdges map[*flow.Edge]flow.EdgeState
	retries   int
	asked     int // how many parts of the graph the machine asked for
}

func newWorld(seed uint64) *world {
	return &world{
		random: rand.New(rand.NewPCG(seed, 1)), byID: map[string]*flow.Step{}, on: map[string][]*flow.Edge{}, jobs: map[string][]*flow.Job{},
		slowJobs: map[string]flow.Job{}, slowEdges: map[*flow.Edge]flow.EdgeState{},
	}
}

func (w *world) Step(id string) *flow.Step { w.asked++; return w.byID[id] }

func (w *world) EdgesOn(step string) []*flow.Edge { w.asked++; return w.on[step] }

func (w *world) JobsOf(step string) []*flow.Job { w.asked++; return w.jobs[step] }

func (w *world) EdgesOnNothing() (open []*flow.Edge) {
	for _, e := range w.edges {
		if e.On == "" && e.State == flow.EdgeOpen {
			open = append(open, e)
		}
	}
	return open
}

func (w *world) machine() *flow.Machine { return &flow.Machine{Graph: w, Counts: &w.counts} }

// grow adds steps below a parent, which wait for earlier steps that are not their ancestors.
func (w *world) grow(m *flow.Machine, parent string, number int) {
	kinds := []steps.Kind{steps.Command, steps.Command, steps.Command, steps.Wait, steps.Block, steps.Input, steps.Trigger, steps.Group}
	earlier := slices.Clone(w.steps)
	for range number {
		s := &flow.Step{ID: fmt.Sprintf("s%d", len(w.steps)), Parent: parent, Kind: kinds[w.random.IntN(len(kinds))]}
		var edges []*flow.Edge
		if parent != "" && w.byID[parent].Kind != steps.Group {
			edges = append(edges, &flow.Edge{Step: s.ID, On: parent, OwnOnly: true})
		}
		for range w.random.IntN(3) {
			if len(earlier) == 0 {
				break
			}
			e := &flow.Edge{Step: s.ID, On: earlier[w.random.IntN(len(earlier))].ID, AllowFailure: w.random.IntN(4) == 0}
			if flow.FindCycle(append(slices.Clone(w.steps), s), append(slices.Clone(w.edges), append(slices.Clone(edges), e)...)) == "" {
				edges = append(edges, e)
			}
		}
		if w.random.IntN(20) == 0 {
			edges = append(edges, &flow.Edge{Step: s.ID})
		}
		var jobs []*flow.Job
		if s.Kind == steps.Group {
			edges = nil
		} else {
			for i := range 1 + w.random.IntN(3) {
				j := &flow.Job{ID: fmt.Sprintf("%s.%d", s.ID, i), Step: s.ID, State: flow.Pending, InConcurrencyGroup: s.Kind == steps.Command && w.random.IntN(4) == 0}
				if w.random.IntN(10) == 0 {
					j.State = flow.Broken
				}
				jobs = append(jobs, j)
				if s.Kind != steps.Command {
					break
				}
			}
		}
		w.steps = append(w.steps, s)
		w.byID[s.ID] = s
		w.jobs[s.ID] = jobs
		w.edges = append(w.edges, edges...)
		for _, e := range edges {
			if e.On != "" {
				w.on[e.On] = append(w.on[e.On], e)
			}
		}
		for _, j := range jobs {
			w.slowJobs[j.ID] = *j
		}
		m.Add(s, jobs, edges)
		earlier = append(earlier, s)
		if s.Kind == steps.Group {
			w.grow(m, s.ID, 1+w.random.IntN(3))
		}
	}
}

// slowResult is what a step has come to, by looking at all jobs.
func (w *world) slowResult(id string, ownOnly bool) (over, failed, canceled bool) {
	over = true
	for _, known := range w.jobs[id] {
		j := w.slowJobs[known.ID]
		switch j.State {
		case flow.Canceled, flow.Expired:
			canceled = canceled || j.Outcome != flow.SoftFailed
		case flow.WaitingFailed, flow.BlockedFailed:
			failed = true
		case flow.Finished, flow.TimedOut:
			failed = failed || j.Outcome == flow.HardFailed || j.Outcome == flow.Errored
		case flow.Skipped, flow.Broken, flow.Unblocked:
		default:
			over = false
		}
	}
	for _, s := range w.steps {
		if s.Parent == id && !ownOnly {
			childOver, childFailed, childCanceled := w.slowResult(s.ID, false)
			over, failed, canceled = over && childOver, failed || childFailed, canceled || childCanceled
		}
	}
	return over, failed, canceled
}

// slowPass looks at everything once, and says whether anything changed.
func (w *world) slowPass() (changed bool) {
	for _, e := range w.edges {
		if e.On == "" {
			continue
		}
		over, failed, canceled := w.slowResult(e.On, e.OwnOnly)
		state := flow.EdgeOpen
		switch {
		case over && (canceled || failed && !e.AllowFailure):
			state = flow.EdgeFailed
		case over:
			state = flow.EdgeSatisfied
		case w.byID[e.On].Kind == steps.Block && w.slowJobs[w.jobs[e.On][0].ID].State == flow.Blocked:
			state = flow.EdgeHeld
		}
		w.slowEdges[e] = state
	}
	for _, s := range w.steps {
		open, held, failed := 0, 0, 0
		for _, e := range w.edges {
			if e.Step == s.ID {
				switch w.slowEdges[e] {
				case flow.EdgeFailed:
					failed++
				case flow.EdgeHeld:
					held++
				case flow.EdgeSatisfied:
				default:
					open++
				}
			}
		}
		manual := s.Kind == steps.Block || s.Kind == steps.Input
		for _, known := range w.jobs[s.ID] {
			j := w.slowJobs[known.ID]
			before := j
			switch {
			case !slices.Contains([]flow.JobState{flow.Pending, flow.Waiting, flow.WaitingFailed, flow.Blocked, flow.BlockedFailed}, j.State),
				manual && j.State == flow.Blocked:
				continue
			case failed > 0 && held > 0:
				j.State, j.Outcome = flow.BlockedFailed, flow.HardFailed
			case failed > 0:
				j.State, j.Outcome = flow.WaitingFailed, flow.HardFailed
			case held > 0 && !manual:
				j.State, j.Outcome = flow.Blocked, ""
			case open+held > 0:
				j.State, j.Outcome = flow.Waiting, ""
			case manual:
				j.State, j.Outcome = flow.Blocked, ""
			case s.Kind == steps.Wait:
				j.State, j.Outcome = flow.Finished, flow.Passed
			case s.Kind == steps.Trigger:
				j.State, j.Outcome = flow.Running, ""
			case j.InConcurrencyGroup:
				j.State, j.Outcome = flow.Limiting, ""
			default:
				j.State, j.Outcome = flow.Scheduled, ""
			}
			w.slowJobs[j.ID] = j
			changed = changed || j != before
		}
	}
	return changed
}

// slowSettle looks at everything until nothing changes.
func (w *world) slowSettle(t *testing.T) {
	t.Helper()
	for range 10_000 {
		if w.slowPass() {
			continue
		}
		c := w.slowCounts()
		if c.Moving > 0 || c.Held > 0 || c.Waiting == 0 {
			return
		}
		vain := false
		for _, e := range w.edges {
			if e.On == "" && w.slowEdges[e] == "" {
				w.slowEdges[e] = flow.EdgeFailed
				vain = true
			}
		}
		if !vain {
			t.Fatalf("jobs wait for nothing%s", w)
		}
	}
	t.Fatal("the slow reading does not end")
}

func (w *world) slowCounts() (c flow.Counts) {
	for _, s := range w.steps {
		for _, known := range w.jobs[s.ID] {
			j := w.slowJobs[known.ID]
			c.Jobs++
			switch j.State {
			case flow.Limiting, flow.Limited, flow.Scheduled, flow.Reserved, flow.Assigned, flow.Accepted, flow.Running, flow.Canceling, flow.TimingOut:
				c.Moving++
			case flow.Blocked:
				switch s.Kind {
				case steps.Input:
					c.Moving++
				case steps.Block:
					c.Held++
				default:
					c.Waiting++
				}
			case flow.Pending, flow.Waiting:
				c.Waiting++
			case flow.Skipped, flow.Broken:
				c.NotRun++
			}
			if s.Kind != steps.Wait && slices.Contains([]flow.JobState{flow.Running, flow.Finished, flow.Canceling, flow.TimingOut, flow.TimedOut}, j.State) {
				c.Started++
			}
			if j.State.HasEnded() && (j.Outcome == flow.HardFailed || j.Outcome == flow.Errored) {
				c.HardFailed++
			}
		}
	}
	return c
}

// check compares what the machine made with the slow reading.
func (w *world) check(t *testing.T, m *flow.Machine) {
	t.Helper()
	w.slowSettle(t)
	for _, s := range w.steps {
		for _, j := range w.jobs[s.ID] {
			if slow := w.slowJobs[j.ID]; slow.State != j.State || slow.Outcome != j.Outcome {
				t.Fatalf("%s (%s) is %s %s, and %s %s by the slow reading%s", j.ID, s.Kind, j.State, j.Outcome, slow.State, slow.Outcome, w)
			}
		}
	}
	for _, c := range m.Changes {
		if len(flow.Events(c.From, c.To)) == 0 {
			t.Fatalf("%s became %s, and was %s", c.Job.ID, c.To, c.From)
		}
	}
	m.Changes = nil
	if slow := w.slowCounts(); slow != w.counts {
		t.Fatalf("the counts are %+v, and %+v by the slow reading", w.counts, slow)
	}
}

// String shows all of a build.
func (w *world) String() (text string) {
	for _, s := range w.steps {
		text += fmt.Sprintf("\n%+v", *s)
		for _, j := range w.jobs[s.ID] {
			text += fmt.Sprintf("\n  %+v, slowly %+v", *j, w.slowJobs[j.ID])
		}
		for _, e := range w.edges {
			if e.Step == s.ID {
				text += fmt.Sprintf("\n  waits for %+v, slowly %s", *e, w.slowEdges[e])
			}
		}
	}
	return text + fmt.Sprintf("\n%+v", w.counts)
}

// move changes a job in both.
func (w *world) move(t *testing.T, m *flow.Machine, j *flow.Job, to flow.JobState, outcome flow.Outcome) {
	t.Helper()
	m.Move(j, to, outcome)
	slow := w.slowJobs[j.ID]
	slow.State, slow.Outcome = to, outcome
	w.slowJobs[j.ID] = slow
}

// act does something that people or agents could do, and says whether there was anything to do.
func (w *world) act(t *testing.T, m *flow.Machine) bool {
	t.Helper()
	var movable []*flow.Job
	for _, s := range w.steps {
		for _, j := range w.jobs[s.ID] {
			manual := s.Kind == steps.Block || s.Kind == steps.Input
			if !j.State.HasEnded() && j.State != flow.Waiting && j.State != flow.Pending && (j.State != flow.Blocked || manual) {
				movable = append(movable, j)
			}
			if j.State.HasEnded() && j.Outcome == flow.HardFailed && s.Kind == steps.Command && j.State == flow.Finished && w.retries < 10 && w.random.IntN(5) == 0 {
				w.retries++
				attempt := &flow.Job{ID: fmt.Sprintf("%s'%d", j.ID, w.retries), Step: j.Step, State: flow.Pending}
				w.jobs[s.ID][slices.Index(w.jobs[s.ID], j)] = attempt
				delete(w.slowJobs, j.ID)
				w.slowJobs[attempt.ID] = *attempt
				m.Retry(j, attempt)
				return true
			}
		}
	}
	if len(movable) == 0 {
		return false
	}
	j := movable[w.random.IntN(len(movable))]
	s := w.byID[j.Step]
	outcomes := []flow.Outcome{flow.Passed, flow.Passed, flow.Passed, flow.SoftFailed, flow.HardFailed}
	switch {
	case w.random.IntN(25) == 0 && j.State != flow.Running:
		w.move(t, m, j, flow.Canceled, []flow.Outcome{flow.Errored, flow.SoftFailed}[w.random.IntN(2)])
	case s.Kind == steps.Block || s.Kind == steps.Input:
		w.move(t, m, j, flow.Unblocked, flow.Passed)
	case j.State == flow.Limiting:
		w.move(t, m, j, flow.Limited, "")
	case j.State == flow.Limited:
		w.move(t, m, j, flow.Scheduled, "")
	case j.State == flow.Scheduled:
		w.move(t, m, j, flow.Assigned, "")
	case j.State == flow.Assigned:
		w.move(t, m, j, []flow.JobState{flow.Accepted, flow.Accepted, flow.Scheduled}[w.random.IntN(3)], "")
	case j.State == flow.Accepted:
		w.move(t, m, j, flow.Running, "")
	case s.Kind == steps.Command && len(w.steps) < 60 && w.random.IntN(5) == 0:
		w.grow(m, s.ID, 1+w.random.IntN(4))
	default:
		w.move(t, m, j, flow.Finished, outcomes[w.random.IntN(len(outcomes))])
	}
	return true
}

// Whatever happens to a build, in whatever order: every job is where a slow, obvious reading of the rules has it, no job starts before what it waits
// for, and the build ends.
func TestMachineAgreesWithASlowReading(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		w := newWorld(seed)
		m := w.machine()
		w.grow(m, "", 1+w.random.IntN(12))
		m.Propagate()
		w.check(t, m)
		events := 0
		for w.act(t, m) {
			m.Propagate()
			w.check(t, m)
			if t.Failed() {
				t.Fatalf("seed %d, event %d", seed, events)
			}
			if events++; events > 5000 {
				t.Fatalf("seed %d: the build does not end", seed)
			}
		}
		if state := flow.StateOf(flow.Fate{Created: true}, w.counts); !state.HasEnded() {
			t.Fatalf("seed %d: nothing is left to do, and the build is %s: %+v", seed, state, w.counts)
		}
	}
}

func TestFindCycle(t *testing.T) {
	t.Parallel()
	a, b, c := &flow.Step{ID: "a"}, &flow.Step{ID: "b"}, &flow.Step{ID: "c", Parent: "a"}
	all := []*flow.Step{a, b, c}
	for name, test := range map[string]struct {
		edges []*flow.Edge
		want  bool
	}{
		"none":                              {nil, false},
		"in a row":                          {[]*flow.Edge{{Step: "b", On: "a"}}, false},
		"a child waits for its uploader":    {[]*flow.Edge{{Step: "c", On: "a", OwnOnly: true}}, false},
		"a child waits for its group":       {[]*flow.Edge{{Step: "c", On: "a"}}, true},
		"each other":                        {[]*flow.Edge{{Step: "a", On: "b"}, {Step: "b", On: "a"}}, true},
		"a child waits for who waits for a": {[]*flow.Edge{{Step: "b", On: "a"}, {Step: "c", On: "b"}}, true},
		"a key that nobody has":             {[]*flow.Edge{{Step: "b"}}, false},
	} {
		if got := flow.FindCycle(all, test.edges); (got != "") != test.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// A job is never in two places, and what has ended stays so unless it is tried again.
func TestTransitions(t *testing.T) {
	t.Parallel()
	for _, from := range flow.JobStates {
		leads := 0
		for _, to := range flow.JobStates {
			if len(flow.Events(from, to)) > 0 {
				leads++
				if from == to {
					t.Errorf("%s leads to itself", from)
				}
				if to.HasAgent() && !from.HasAgent() && from != flow.Scheduled && from != flow.Reserved && to != flow.Running {
					t.Errorf("an agent gets a job that is %s", from)
				}
			}
		}
		isFinal := from.HasEnded() && from != flow.WaitingFailed && from != flow.BlockedFailed && from != flow.Unblocked
		if isFinal != (leads == 0) {
			t.Errorf("%s leads to %d states", from, leads)
		}
	}
}

// Never do more jobs of a group hold a slot than its limit allows, and while some wait, one goes.
func TestConcurrencyGroups(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 2))
		limit := 1 + random.IntN(3)
		method := []steps.ConcurrencyMethod{steps.Ordered, steps.Eager}[random.IntN(2)]
		var group []flow.Queued
		for i := range 1 + random.IntN(12) {
			group = append(group, flow.Queued{ID: fmt.Sprint(i), Since: int64(random.IntN(5)), Position: i, Priority: random.IntN(3), Limit: limit, Method: method})
		}
		for len(group) > 0 {
			released := flow.Release(group)
			holders := 0
			for i := range group {
				group[i].Holds = group[i].Holds || slices.Contains(released, group[i].ID)
				if group[i].Holds {
					holders++
				}
			}
			if holders > limit {
				t.Fatalf("seed %d: %d hold a slot of %d", seed, holders, limit)
			}
			if holders == 0 {
				t.Fatalf("seed %d: nobody goes, and %d wait", seed, len(group))
			}
			i := slices.IndexFunc(group, func(q flow.Queued) bool { return q.Holds })
			group = slices.Delete(group, i, i+1)
		}
	}
}

func TestOrderedJobsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	group := []flow.Queued{
		{ID: "late", Since: 3, Limit: 1, Method: steps.Ordered},
		{ID: "first", Since: 1, Limit: 1, Method: steps.Ordered},
		{ID: "wide", Since: 2, Limit: 2, Method: steps.Ordered},
	}
	if got := flow.Release(group); !slices.Equal(got, []string{"first", "wide"}) {
		t.Errorf("got %v", got)
	}
	group[1].Holds = true
	if got := flow.Release(group); !slices.Equal(got, []string{"wide"}) {
		t.Errorf("got %v", got)
	}
	gate := []flow.Queued{
		{ID: "leave", Build: "one", Since: 1, Position: 1, Limit: 1, Method: steps.Ordered, Waits: true},
		{ID: "enter", Build: "two", Since: 2, Limit: 1, Method: steps.Ordered},
	}
	if got := flow.Release(gate); len(got) != 0 {
		t.Errorf("got %v although another build is inside", got)
	}
	gate[1].Build = "one" // what leave may wait for
	if got := flow.Release(gate); !slices.Equal(got, []string{"enter"}) {
		t.Errorf("got %v", got)
	}
	eager := []flow.Queued{
		{ID: "waiting", Build: "one", Limit: 1, Method: steps.Eager, Waits: true},
		{ID: "low", Since: 1, Limit: 1, Method: steps.Eager}, {ID: "high", Since: 2, Priority: 9, Limit: 1, Method: steps.Eager},
	}
	if got := flow.Release(eager); !slices.Equal(got, []string{"high"}) {
		t.Errorf("got %v", got)
	}
}

func TestStateOfABuild(t *testing.T) {
	t.Parallel()
	created := flow.Fate{Created: true}
	for _, test := range []struct {
		fate   flow.Fate
		counts flow.Counts
		want   flow.BuildState
	}{
		{flow.Fate{}, flow.Counts{}, flow.BuildCreating},
		{flow.Fate{Created: true, Skipped: true}, flow.Counts{Jobs: 1}, flow.BuildSkipped},
		{flow.Fate{Created: true, Canceled: true}, flow.Counts{Jobs: 1, Moving: 1}, flow.BuildCanceling},
		{flow.Fate{Created: true, Canceled: true}, flow.Counts{Jobs: 1}, flow.BuildCanceled},
		{created, flow.Counts{Jobs: 2, NotRun: 2}, flow.BuildNotRun},
		{created, flow.Counts{Jobs: 2, Moving: 1, Waiting: 1}, flow.BuildScheduled},
		{created, flow.Counts{Jobs: 2, Held: 1, Waiting: 1}, flow.BuildBlocked},
		{created, flow.Counts{Jobs: 2, Moving: 1, Started: 1}, flow.BuildRunning},
		{created, flow.Counts{Jobs: 2, Moving: 1, Started: 2, HardFailed: 1}, flow.BuildFailing},
		{created, flow.Counts{Jobs: 2, Held: 1, Started: 1, HardFailed: 1}, flow.BuildBlocked},
		{created, flow.Counts{Jobs: 1, Started: 1, HardFailed: 1}, flow.BuildFailed},
		{created, flow.Counts{Jobs: 1, Started: 1}, flow.BuildPassed},
	} {
		if got := flow.StateOf(test.fate, test.counts); got != test.want {
			t.Errorf("%+v %+v is %s, want %s", test.fate, test.counts, got, test.want)
		}
	}
}

func TestAgents(t *testing.T) {
	t.Parallel()
	state := flow.AgentNeverConnected
	for _, step := range []struct {
		cause flow.AgentCause
		want  flow.AgentState
	}{
		{flow.AgentConnects, flow.AgentConnected}, {flow.AgentIsSilent, flow.AgentLost}, {flow.AgentIsHeard, flow.AgentConnected},
		{flow.AgentIsStopped, flow.AgentStopping}, {flow.AgentIsHeard, flow.AgentStopping}, {flow.AgentDisconnects, flow.AgentStopped},
		{flow.AgentDisconnects, flow.AgentStopped},
	} {
		next, err := state.Next(step.cause)
		if err != nil || next != step.want {
			t.Fatalf("an agent that is %s becomes %s when it %s: %v", state, next, step.cause, err)
		}
		state = next
	}
	if _, err := state.Next(flow.AgentConnects); err == nil {
		t.Error("a stopped agent connects again")
	}
	for _, test := range []struct {
		tags, rules []string
		want        bool
	}{
		{[]string{"queue=linux"}, []string{"queue=linux"}, true}, {[]string{"queue=linux"}, nil, true}, {nil, []string{"a=b"}, false},
		{[]string{"a=1", "a=2"}, []string{"a=2"}, true}, {[]string{"a=1"}, []string{"a=*"}, true}, {[]string{"a=1"}, []string{"a"}, true},
		{[]string{"a=12"}, []string{"a=1*"}, false},
	} {
		if got := flow.MeetsRules(test.tags, test.rules); got != test.want {
			t.Errorf("%v meet %v: %t", test.tags, test.rules, got)
		}
	}
}

// A graph may know the edges of steps that are still to be added: they count once.
func TestEdgesCountFromWhenTheirStepIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	m := w.machine()
	up, below := &flow.Step{ID: "up", Kind: steps.Command}, &flow.Step{ID: "below", Parent: "up", Kind: steps.Command}
	failed := &flow.Job{ID: "1", Step: "up", State: flow.Finished, Outcome: flow.HardFailed}
	e := &flow.Edge{Step: "below", On: "up", OwnOnly: true}
	w.byID = map[string]*flow.Step{"up": up, "below": below}
	w.jobs = map[string][]*flow.Job{"up": {failed}, "below": {{ID: "2", Step: "below", State: flow.Pending}}}
	w.on["up"] = []*flow.Edge{e}
	m.Add(up, w.jobs["up"], nil)
	m.Add(below, w.jobs["below"], []*flow.Edge{e})
	m.Propagate()
	if state := w.jobs["below"][0].State; below.FailedEdges != 1 || below.OpenEdges != 0 || state != flow.WaitingFailed {
		t.Errorf("it is %s: %+v", state, below)
	}
	attempt := &flow.Job{ID: "3", Step: "up", State: flow.Pending}
	w.jobs["up"][0] = attempt
	m.Retry(failed, attempt)
	m.Propagate()
	m.Move(attempt, flow.Finished, flow.Passed)
	m.Propagate()
	if state := w.jobs["below"][0].State; state != flow.Scheduled {
		t.Errorf("it is %s: %+v", state, below)
	}
}

// A build of thousands of jobs advances by what changed.
func TestMachineLooksOnlyAtWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	m := w.machine()
	const number = 4000
	for i := range number {
		s := &flow.Step{ID: fmt.Sprintf("s%d", i), Kind: steps.Command}
		j := &flow.Job{ID: s.ID, Step: s.ID, State: flow.Pending}
		w.steps = append(w.steps, s)
		w.byID[s.ID] = s
		w.jobs[s.ID] = []*flow.Job{j}
		var edges []*flow.Edge
		if i > 0 {
			edges = []*flow.Edge{{Step: s.ID, On: fmt.Sprintf("s%d", i-1)}}
			w.on[edges[0].On] = edges
		}
		m.Add(s, w.jobs[s.ID], edges)
	}
	m.Propagate()
	for _, s := range w.steps {
		w.asked = 0
		m.Move(w.jobs[s.ID][0], flow.Finished, flow.Passed)
		m.Propagate()
		if w.asked > 30 {
			t.Fatalf("a change asked for %d parts", w.asked)
		}
	}
	if state := flow.StateOf(flow.Fate{Created: true}, w.counts); state != flow.BuildPassed {
		t.Errorf("the build is %s", state)
	}
}
