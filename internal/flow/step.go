package flow

import "penstock/internal/steps"

// StepState is where a step stands, for who asks about it.
type StepState string

// The states of steps.
const (
	StepIgnored  StepState = "ignored"
	StepWaiting  StepState = "waiting_for_dependencies"
	StepReady    StepState = "ready"
	StepRunning  StepState = "running"
	StepFailing  StepState = "failing"
	StepFinished StepState = "finished"
)

// StateOfStep returns the state and the outcome of a step by the newest attempts at its jobs.
func StateOfStep(kind steps.Kind, jobs []*Job) (StepState, Outcome) {
	var open, waiting, started, notRun int
	worst := Neutral
	for _, j := range jobs {
		switch {
		case j.State == Skipped || j.State == Broken:
			notRun++
			continue
		case j.State == Pending || j.State == Waiting || j.State == Blocked && kind != steps.Block && kind != steps.Input:
			waiting++
			open++
		case !j.State.HasEnded():
			open++
		}
		if j.State.HasStarted() || j.State.HasEnded() {
			started++
		}
		if rank(j.Outcome) > rank(worst) && (j.State.HasEnded() || j.Promised) {
			worst = j.Outcome
		}
		if j.Promised {
			worst = HardFailed
		}
	}
	switch {
	case notRun == len(jobs):
		return StepIgnored, Neutral
	case open == 0:
		return StepFinished, worst
	case waiting == open && started == 0:
		return StepWaiting, Neutral
	case started == 0:
		return StepReady, Neutral
	case worst == HardFailed || worst == Errored:
		return StepFailing, worst
	default:
		return StepRunning, Neutral
	}
}

// rank orders outcomes: the worst of a step's jobs is the step's.
func rank(o Outcome) int {
	switch o {
	case Passed:
		return 1
	case SoftFailed:
		return 2
	case HardFailed:
		return 3
	case Errored:
		return 4
	default:
		return 0
	}
}
