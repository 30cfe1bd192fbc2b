package flow

import "penstock/internal/steps"

// JobEnd is how an attempt at a job ended, and what its step says about that.
type JobEnd struct {
	State JobState // Finished, TimedOut, Canceled or Expired
	steps.Ended
	Promised      int // the exit status that it promised; 0: none
	SoftFail      steps.SoftFail
	Retry         steps.Retry
	Retries       []int64 // how often each of the rules has run the job again; shorter: 0 for the rest
	BuildCanceled bool
}

// Decision is what follows from the end of a job.
type Decision struct {
	ExitStatus int // to record
	Outcome    Outcome
	RetryRule  int // the rule that runs the job again; -1: none
}

// SoftFailed says whether the job failed, and its build does not.
func (d Decision) SoftFailed() bool { return d.Outcome == SoftFailed }

// OutcomeOfCancel returns the outcome of a job that is canceled, whether it ran or not. One that may fail softly
// whatever its exit status is does so, unless the whole build is canceled.
func OutcomeOfCancel(soft steps.SoftFail, buildCanceled bool) Outcome {
	if soft.All && !buildCanceled {
		return SoftFailed
	}
	return Errored
}

// DecideEnd decides what follows from the end of a job. A promise is a floor: a job that promised to fail is not better
// than that. To know what a promise means for a build, ask for the end that it promises.
func DecideEnd(e JobEnd) Decision {
	d := Decision{ExitStatus: e.ExitStatus, RetryRule: -1}
	if e.State == Canceled || e.State == Expired {
		d.Outcome = Errored
		if e.State == Canceled {
			d.Outcome = OutcomeOfCancel(e.SoftFail, e.BuildCanceled)
		}
		return d
	}
	if e.Promised != 0 && (d.ExitStatus == 0 || e.SoftFail.Matches(d.ExitStatus)) {
		d.ExitStatus = e.Promised
	}
	switch {
	case d.ExitStatus == 0:
		d.Outcome = Passed
		return d
	case e.SoftFail.Matches(d.ExitStatus):
		d.Outcome = SoftFailed
	case e.State == TimedOut:
		d.Outcome = Errored
	default:
		d.Outcome = HardFailed
	}
	ended := e.Ended
	ended.ExitStatus = d.ExitStatus
	rule := e.Retry.FindRule(ended)
	if rule < 0 || e.BuildCanceled {
		return d
	}
	made := int64(0)
	if rule < len(e.Retries) {
		made = e.Retries[rule]
	}
	if made < int64(e.Retry.Automatic[rule].Limit) {
		d.RetryRule = rule
	}
	return d
}
