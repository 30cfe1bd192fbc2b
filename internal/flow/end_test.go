package flow_test

import (
	"testing"

	"penstock/internal/flow"
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
		end     flow.JobEnd
		status  int
		outcome flow.Outcome
		rule    int
	}{
		"passed":               {flow.JobEnd{State: flow.Finished, Retry: anything}, 0, flow.Passed, -1},
		"failed":               {flow.JobEnd{State: flow.Finished, Ended: ended(7)}, 7, flow.HardFailed, -1},
		"soft":                 {flow.JobEnd{State: flow.Finished, Ended: ended(3), SoftFail: three}, 3, flow.SoftFailed, -1},
		"not soft":             {flow.JobEnd{State: flow.Finished, Ended: ended(4), SoftFail: three}, 4, flow.HardFailed, -1},
		"lost, soft":           {flow.JobEnd{State: flow.Finished, Ended: ended(-1), SoftFail: all}, -1, flow.SoftFailed, -1},
		"lost, any":            {flow.JobEnd{State: flow.Finished, Ended: ended(-1), Retry: any2}, -1, flow.HardFailed, -1},
		"lost, named":          {flow.JobEnd{State: flow.Finished, Ended: ended(-1), Retry: rules}, -1, flow.HardFailed, 2},
		"timed out, exit 0":    {flow.JobEnd{State: flow.TimedOut, Retry: any2}, 0, flow.Passed, -1},
		"timed out":            {flow.JobEnd{State: flow.TimedOut, Ended: ended(255), Retry: any2}, 255, flow.Errored, 0},
		"timed out, soft":      {flow.JobEnd{State: flow.TimedOut, Ended: ended(255), SoftFail: all}, 255, flow.SoftFailed, -1},
		"canceled":             {flow.JobEnd{State: flow.Canceled, Ended: ended(1), Retry: any2}, 1, flow.Errored, -1},
		"canceled, soft":       {flow.JobEnd{State: flow.Canceled, Ended: ended(-1), Retry: any2, SoftFail: all}, -1, flow.SoftFailed, -1},
		"canceled, soft for 3": {flow.JobEnd{State: flow.Canceled, Ended: ended(3), SoftFail: three}, 3, flow.Errored, -1},
		"canceled with build":  {flow.JobEnd{State: flow.Canceled, Ended: ended(1), SoftFail: all, BuildCanceled: true}, 1, flow.Errored, -1},
		"expired, soft":        {flow.JobEnd{State: flow.Expired, SoftFail: all}, 0, flow.Errored, -1},
		"any, written out":     {flow.JobEnd{State: flow.Finished, Ended: ended(1), Retry: writtenOut}, 1, flow.HardFailed, 0},
		"any, with a signal": {
			flow.JobEnd{State: flow.Finished, Ended: steps.Ended{ExitStatus: 143, Signal: "SIGTERM", SignalReason: "agent_stop"}, Retry: writtenOut},
			143, flow.HardFailed, 0,
		},
		"canceled, exit 0":       {flow.JobEnd{State: flow.Canceled}, 0, flow.Errored, -1},
		"expired":                {flow.JobEnd{State: flow.Expired, Retry: anything}, 0, flow.Errored, -1},
		"canceled build":         {flow.JobEnd{State: flow.Finished, Ended: ended(1), Retry: any2, BuildCanceled: true}, 1, flow.HardFailed, -1},
		"again":                  {flow.JobEnd{State: flow.Finished, Ended: ended(1), Retry: any2, Retries: []int64{1}}, 1, flow.HardFailed, 0},
		"often enough":           {flow.JobEnd{State: flow.Finished, Ended: ended(1), Retry: any2, Retries: []int64{2}}, 1, flow.HardFailed, -1},
		"the first rule decides": {flow.JobEnd{State: flow.Finished, Ended: ended(1), Retry: rules, Retries: []int64{1}}, 1, flow.HardFailed, -1},
		"each rule counts":       {flow.JobEnd{State: flow.Finished, Ended: ended(2), Retry: rules, Retries: []int64{1}}, 2, flow.HardFailed, 1},
		"soft, again":            {flow.JobEnd{State: flow.Finished, Ended: ended(3), SoftFail: three, Retry: any2}, 3, flow.SoftFailed, 0},
		"promised, passes":       {flow.JobEnd{State: flow.Finished, Promised: 4, SoftFail: three}, 4, flow.HardFailed, -1},
		"promised, soft":         {flow.JobEnd{State: flow.Finished, Ended: ended(3), Promised: 4, SoftFail: three}, 4, flow.HardFailed, -1},
		"promised, other":        {flow.JobEnd{State: flow.Finished, Ended: ended(5), Promised: 4, SoftFail: three}, 5, flow.HardFailed, -1},
		"promised softly":        {flow.JobEnd{State: flow.Finished, Promised: 3, SoftFail: three}, 3, flow.SoftFailed, -1},
		"promised, then retried": {flow.JobEnd{State: flow.Finished, Promised: 1, Retry: rules}, 1, flow.HardFailed, 0},
		"by signal": {
			flow.JobEnd{State: flow.Finished, Ended: steps.Ended{ExitStatus: -1, Signal: "SIGTERM", SignalReason: "agent_stop"}, Retry: stopped},
			-1, flow.HardFailed, 0,
		},
	} {
		want := flow.Decision{ExitStatus: test.status, Outcome: test.outcome, RetryRule: test.rule}
		if got := flow.DecideEnd(test.end); got != want || got.SoftFailed() != (got.Outcome == flow.SoftFailed) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}
