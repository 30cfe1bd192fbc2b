package flow

import (
	"slices"

	"penstock/internal/steps"
)

// Step holds the counters of a step that its dependents depend on, so that no job has to be counted.
type Step struct {
	ID     string
	Parent string // the group that it is in, or the step whose job uploaded it; "": none
	Kind   steps.Kind

	OpenJobs         int // newest attempts that have not ended
	FailedJobs       int // newest attempts that ended in a hard failure
	CanceledJobs     int // newest attempts that were canceled or have expired
	OpenChildren     int // children that are not over, or have children that are not
	FailedChildren   int
	CanceledChildren int
	OpenEdges        int // what it still waits for
	HeldEdges        int // those of them that are blocks which wait for a person
	FailedEdges      int
}

// result is what a step has come to.
type result struct{ over, failed, canceled, held bool }

// own is the result of a step's jobs.
func (s *Step) own(held bool) result {
	return result{s.OpenJobs == 0, s.FailedJobs > 0, s.CanceledJobs > 0, held}
}

// whole is the result of a step with all of its children.
func (s *Step) whole(held bool) result {
	return result{s.OpenJobs == 0 && s.OpenChildren == 0, s.FailedJobs+s.FailedChildren > 0, s.CanceledJobs+
		s.CanceledChildren > 0, held}
}

// EdgeState is what has become of a dependency.
type EdgeState string

// The states of dependencies.
const (
	EdgeOpen      EdgeState = "open"
	EdgeHeld      EdgeState = "held" // open, and the step is a block that waits for a person
	EdgeSatisfied EdgeState = "satisfied"
	EdgeFailed    EdgeState = "failed"
)

// Edge says that a step waits for another one.
type Edge struct {
	Step         string
	On           string // "": for a step with a key that no step has yet
	OwnOnly      bool   // for its jobs alone, not for what they upload: so do the steps that they upload
	AllowFailure bool
	State        EdgeState // "": its step has not been added yet
}

// Job is the newest attempt at a job.
type Job struct {
	ID                 string
	Step               string
	State              JobState
	Outcome            Outcome // of one that has ended
	Promised           bool    // it runs, and has promised to fail hard
	InConcurrencyGroup bool
}

func (j *Job) failedHard() bool {
	switch {
	case !j.State.HasEnded():
		return j.Promised
	case j.State == WaitingFailed || j.State == BlockedFailed:
		return true
	default:
		return j.Outcome == HardFailed || j.Outcome == Errored
	}
}

// wasCanceled says whether nothing that waits for the job may go on. A job that was canceled and failed softly holds
// nothing up.
func (j *Job) wasCanceled() bool {
	return (j.State == Canceled || j.State == Expired) && j.Outcome != SoftFailed
}

// Graph loads the parts of a build that a change reaches. It always returns the same pointer for the same part: the
// machine changes it in place.
type Graph interface {
	Step(id string) *Step
	EdgesOn(step string) []*Edge // of those who wait for the step
	JobsOf(step string) []*Job   // newest attempts
	EdgesOnNothing() []*Edge     // open ones for keys that no step has; asked for only when nothing else can happen
}

// Counts are figures of a build's jobs, newest attempts only. The state of the build follows from them.
type Counts struct {
	Jobs       int
	Moving     int // on their way to an agent, or with one, or inputs that wait for a person
	Held       int // blocks that wait for a person
	Waiting    int
	Started    int
	HardFailed int
	NotRun     int // skipped or broken
}

// Machine changes a build: one job, and all that follows from it. It looks at what a change reaches, never at all of a
// build.
type Machine struct {
	Graph   Graph
	Counts  *Counts
	Changes []Change // in the order in which they were made

	unsettled []*Step
}

// Change is a change of a job.
type Change struct {
	Job      *Job
	From, To JobState
}

// Add adds a step with its jobs, which are pending or have ended already, and what it waits for. The graph knows them
// already. Steps that wait for each other are added before Propagate.
func (m *Machine) Add(s *Step, jobs []*Job, edges []*Edge) {
	m.change(s, func(s *Step) {
		s.OpenChildren++ // until it knows what it waits for, so that it is not over before it began
		for _, j := range jobs {
			m.count(s, j, 1)
		}
	})
	for _, e := range edges {
		m.open(s, e)
	}
	m.change(s, func(s *Step) { s.OpenChildren-- })
	m.unsettled = append(m.unsettled, s)
}

func (m *Machine) open(s *Step, e *Edge) {
	e.State = EdgeOpen
	s.OpenEdges++
	if e.On != "" {
		m.refresh(e, m.Graph.Step(e.On))
	}
}

// Join lets an edge wait for the step whose key it names, which has been uploaded now.
func (m *Machine) Join(e *Edge, on *Step) {
	e.On = on.ID
	m.refresh(e, on)
}

// Move changes a job, and Propagate does what follows.
func (m *Machine) Move(j *Job, to JobState, outcome Outcome) {
	m.Changes = append(m.Changes, Change{j, j.State, to})
	m.change(m.Graph.Step(j.Step), func(s *Step) {
		m.count(s, j, -1)
		j.State, j.Outcome = to, outcome
		if to.HasEnded() {
			j.Promised = false
		}
		m.count(s, j, 1)
	})
}

// Promise records that a running job will fail hard.
func (m *Machine) Promise(j *Job) {
	m.change(m.Graph.Step(j.Step), func(s *Step) {
		m.count(s, j, -1)
		j.Promised = true
		m.count(s, j, 1)
	})
}

// Retry puts a new attempt, which is pending, in the place of one that has ended. The graph knows the new one only.
func (m *Machine) Retry(old, attempt *Job) {
	s := m.Graph.Step(old.Step)
	m.change(s, func(s *Step) {
		m.count(s, old, -1)
		m.count(s, attempt, 1)
	})
	m.unsettled = append(m.unsettled, s)
}

// AddJobs adds pending jobs to a step, which the graph knows already.
func (m *Machine) AddJobs(s *Step, jobs []*Job) {
	m.change(s, func(s *Step) {
		for _, j := range jobs {
			m.count(s, j, 1)
		}
	})
	m.unsettled = append(m.unsettled, s)
}

// Propagate does all that follows from the changes so far: it releases jobs whose dependencies are satisfied, and fails
// those whose are not.
func (m *Machine) Propagate() {
	for {
		for len(m.unsettled) > 0 {
			s := m.unsettled[len(m.unsettled)-1]
			m.unsettled = m.unsettled[:len(m.unsettled)-1]
			for _, j := range m.Graph.JobsOf(s.ID) {
				if to, outcome, changes := s.resolve(j); changes {
					m.Move(j, to, outcome)
				}
			}
		}
		if m.Counts.Moving > 0 || m.Counts.Held > 0 || m.Counts.Waiting == 0 {
			return
		}
		// A dependency on a key that no step has fails.
		vain := m.Graph.EdgesOnNothing()
		if len(vain) == 0 {
			return
		}
		for _, e := range vain {
			m.set(e, EdgeFailed)
		}
	}
}

// resolve returns what becomes of a job that has not been released yet.
func (s *Step) resolve(j *Job) (to JobState, outcome Outcome, changes bool) {
	isManual := s.Kind == steps.Block || s.Kind == steps.Input
	switch j.State {
	case Pending, Waiting, WaitingFailed, BlockedFailed:
	case Blocked:
		if isManual { // it waits for a person
			return "", "", false
		}
	default:
		return "", "", false
	}
	switch {
	case s.FailedEdges > 0 && s.HeldEdges > 0:
		to, outcome = BlockedFailed, HardFailed
	case s.FailedEdges > 0:
		to, outcome = WaitingFailed, HardFailed
	case s.HeldEdges > 0 && !isManual:
		to = Blocked
	case s.OpenEdges > 0:
		to = Waiting
	case isManual:
		to = Blocked
	case s.Kind == steps.Wait:
		to, outcome = Finished, Passed
	case s.Kind == steps.Trigger:
		to = Running
	case j.InConcurrencyGroup:
		to = Limiting
	default:
		to = Scheduled
	}
	return to, outcome, to != j.State
}

// count adds a job to the figures of its step and of the build, or takes it away: sign is 1 or -1.
func (m *Machine) count(s *Step, j *Job, sign int) {
	c := m.Counts
	c.Jobs += sign
	switch {
	case slices.Contains(moving, j.State) || s.Kind == steps.Input && j.State == Blocked:
		c.Moving += sign
	case s.Kind == steps.Block && j.State == Blocked:
		c.Held += sign
	case !j.State.HasEnded():
		c.Waiting += sign
	}
	if !j.State.HasEnded() {
		s.OpenJobs += sign
	}
	if j.State.HasStarted() && s.Kind != steps.Wait {
		c.Started += sign
	}
	if j.failedHard() {
		c.HardFailed += sign
	}
	if j.State.HasEnded() && j.failedHard() && !j.wasCanceled() {
		s.FailedJobs += sign
	}
	if j.wasCanceled() {
		s.CanceledJobs += sign
	}
	if j.State == Skipped || j.State == Broken {
		c.NotRun += sign
	}
}

// change changes a step, and informs its parent and those who wait for it.
func (m *Machine) change(s *Step, apply func(*Step)) {
	own, whole := m.results(s)
	apply(s)
	ownNow, wholeNow := m.results(s)
	if own == ownNow && whole == wholeNow {
		return
	}
	for _, e := range m.Graph.EdgesOn(s.ID) {
		m.refresh(e, s)
	}
	if s.Parent != "" && whole != wholeNow {
		m.change(m.Graph.Step(s.Parent), func(parent *Step) {
			parent.OpenChildren += difference(!whole.over, !wholeNow.over)
			parent.FailedChildren += difference(whole.failed, wholeNow.failed)
			parent.CanceledChildren += difference(whole.canceled, wholeNow.canceled)
		})
	}
}

// difference is 1 for what has become true, and -1 for what is not true any more.
func difference(before, now bool) int {
	switch {
	case now && !before:
		return 1
	case before && !now:
		return -1
	default:
		return 0
	}
}

func (m *Machine) results(s *Step) (own, whole result) {
	held := s.Kind == steps.Block && slices.ContainsFunc(m.Graph.JobsOf(s.ID),
		func(j *Job) bool { return j.State == Blocked })
	return s.own(held), s.whole(held)
}

// refresh looks again at what a step has come to for one that waits for it.
func (m *Machine) refresh(e *Edge, on *Step) {
	own, whole := m.results(on)
	r := whole
	if e.OwnOnly {
		r = own
	}
	switch {
	case r.over && r.canceled:
		m.set(e, EdgeFailed)
	case r.over && r.failed && !e.AllowFailure:
		m.set(e, EdgeFailed)
	case r.over:
		m.set(e, EdgeSatisfied)
	case r.held:
		m.set(e, EdgeHeld)
	default:
		m.set(e, EdgeOpen)
	}
}

func (m *Machine) set(e *Edge, to EdgeState) {
	if e.State == to || e.State == "" { // its step has not been added yet
		return
	}
	s := m.Graph.Step(e.Step)
	isOpen := func(state EdgeState) bool { return state == EdgeOpen || state == EdgeHeld }
	s.OpenEdges += difference(isOpen(e.State), isOpen(to))
	s.HeldEdges += difference(e.State == EdgeHeld, to == EdgeHeld)
	s.FailedEdges += difference(e.State == EdgeFailed, to == EdgeFailed)
	e.State = to
	m.unsettled = append(m.unsettled, s)
}
