package builds_test

import (
	"testing"

	"penstock/internal/domain/builds"
	"penstock/internal/steps"
)

func TestDecideEnd(t *testing.T) {
	t.Parallel()
	all, three := steps.SoftFail{All: true}, steps.SoftFail{Statuses: []int{3}}
	any2 := steps.Retry{Automatic: []steps.RetryRule{{AnyFailure: true, Limit: 2}}}
	rules := steps.Retry{Automatic: []steps.RetryRule{{ExitStatuses: []int{1}, Limit: 1}, {AnyFailure: true, Limit: 5}, {ExitStatuses: []int{-1}, Limit: 2}}}
	anything := steps.Retry{Automatic: []steps.RetryRule{{SignalReasons: []string{"none"}, Limit: 2}}}
	writtenOut := steps.Retry{Automatic: []steps.RetryRule{{AnyFailure: true, Signals: []string{"*"}, SignalReasons: []string{"*"}, Limit: 2}}}
	stopped := steps.Retry{Automatic: []steps.RetryRule{{SignalReasons: []string{"agent_stop"}, Limit: 2}}}
	ended := func(status int) steps.Ended { return steps.Ended{ExitStatus: status} }
	for name, test := range map[string]struct {
		end     builds.JobEnd
		status  int
		outcome builds.Outcome
		rule    int
	}{
		"passed":               {builds.JobEnd{State: builds.Finished, Retry: anything}, 0, builds.Passed, -1},
		"failed":               {builds.JobEnd{State: builds.Finished, Ended: ended(7)}, 7, builds.HardFailed, -1},
		"soft":                 {builds.JobEnd{State: builds.Finished, Ended: ended(3), SoftFail: three}, 3, builds.SoftFailed, -1},
		"not soft":             {builds.JobEnd{State: builds.Finished, Ended: ended(4), SoftFail: three}, 4, builds.HardFailed, -1},
		"lost, soft":           {builds.JobEnd{State: builds.Finished, Ended: ended(-1), SoftFail: all}, -1, builds.SoftFailed, -1},
		"lost, any":            {builds.JobEnd{State: builds.Finished, Ended: ended(-1), Retry: any2}, -1, builds.HardFailed, -1},
		"lost, named":          {builds.JobEnd{State: builds.Finished, Ended: ended(-1), Retry: rules}, -1, builds.HardFailed, 2},
		"timed out, exit 0":    {builds.JobEnd{State: builds.TimedOut, Retry: any2}, 0, builds.Passed, -1},
		"timed out":            {builds.JobEnd{State: builds.TimedOut, Ended: ended(255), Retry: any2}, 255, builds.Errored, 0},
		"timed out, soft":      {builds.JobEnd{State: builds.TimedOut, Ended: ended(255), SoftFail: all}, 255, builds.SoftFailed, -1},
		"canceled":             {builds.JobEnd{State: builds.Canceled, Ended: ended(1), Retry: any2}, 1, builds.Errored, -1},
		"canceled, soft":       {builds.JobEnd{State: builds.Canceled, Ended: ended(-1), Retry: any2, SoftFail: all}, -1, builds.SoftFailed, -1},
		"canceled, soft for 3": {builds.JobEnd{State: builds.Canceled, Ended: ended(3), SoftFail: three}, 3, builds.Errored, -1},
		"canceled with build":  {builds.JobEnd{State: builds.Canceled, Ended: ended(1), SoftFail: all, BuildCanceled: true}, 1, builds.Errored, -1},
		"expired, soft":        {builds.JobEnd{State: builds.Expired, SoftFail: all}, 0, builds.Errored, -1},
		"any, written out":     {builds.JobEnd{State: builds.Finished, Ended: ended(1), Retry: writtenOut}, 1, builds.HardFailed, 0},
		"any, with a signal": {
			builds.JobEnd{State: builds.Finished, Ended: steps.Ended{ExitStatus: 143, Signal: "SIGTERM", SignalReason: "agent_stop"}, Retry: writtenOut},
			143, builds.HardFailed, 0,
		},
		"canceled, exit 0":       {builds.JobEnd{State: builds.Canceled}, 0, builds.Errored, -1},
		"expired":                {builds.JobEnd{State: builds.Expired, Retry: anything}, 0, builds.Errored, -1},
		"canceled build":         {builds.JobEnd{State: builds.Finished, Ended: ended(1), Retry: any2, BuildCanceled: true}, 1, builds.HardFailed, -1},
		"again":                  {builds.JobEnd{State: builds.Finished, Ended: ended(1), Retry: any2, Retries: []int64{1}}, 1, builds.HardFailed, 0},
		"often enough":           {builds.JobEnd{State: builds.Finished, Ended: ended(1), Retry: any2, Retries: []int64{2}}, 1, builds.HardFailed, -1},
		"the first rule decides": {builds.JobEnd{State: builds.Finished, Ended: ended(1), Retry: rules, Retries: []int64{1}}, 1, builds.HardFailed, -1},
		"each rule counts":       {builds.JobEnd{State: builds.Finished, Ended: ended(2), Retry: rules, Retries: []int64{1}}, 2, builds.HardFailed, 1},
		"soft, again":            {builds.JobEnd{State: builds.Finished, Ended: ended(3), SoftFail: three, Retry: any2}, 3, builds.SoftFailed, 0},
		"promised, passes":       {builds.JobEnd{State: builds.Finished, Promised: 4, SoftFail: three}, 4, builds.HardFailed, -1},
		"promised, soft":         {builds.JobEnd{State: builds.Finished, Ended: ended(3), Promised: 4, SoftFail: three}, 4, builds.HardFailed, -1},
		"promised, other":        {builds.JobEnd{State: builds.Finished, Ended: ended(5), Promised: 4, SoftFail: three}, 5, builds.HardFailed, -1},
		"promised softly":        {builds.JobEnd{State: builds.Finished, Promised: 3, SoftFail: three}, 3, builds.SoftFailed, -1},
		"promised, then retried": {builds.JobEnd{State: builds.Finished, Promised: 1, Retry: rules}, 1, builds.HardFailed, 0},
		"by signal": {
			builds.JobEnd{State: builds.Finished, Ended: steps.Ended{ExitStatus: -1, Signal: "SIGTERM", SignalReason: "agent_stop"}, Retry: stopped},
			-1, builds.HardFailed, 0,
		},
	} {
		want := builds.Decision{ExitStatus: test.status, Outcome: test.outcome, RetryRule: test.rule}
		if got := builds.DecideEnd(test.end); got != want || got.SoftFailed() != (got.Outcome == builds.SoftFailed) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}
