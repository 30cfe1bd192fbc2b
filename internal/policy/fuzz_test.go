package policy_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"penstock/internal/policy"
)

// maxWork is how long the slowest input may take.
var maxWork = 50 * time.Millisecond

// maxAttempts is how often an input must take longer than that to count as slow: the collector's work may
// be charged to any one of them.
const maxAttempts = 10

// wantInTime fails the test if work always takes longer than maxWork.
func wantInTime(t *testing.T, work func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var took time.Duration
	for range maxAttempts {
		start := threadTime()
		work()
		if took = threadTime() - start; took <= maxWork {
			return
		}
	}
	t.Errorf("took %v in the end", took)
}

// Parse never panics, returns either a policy or faults, and normalizes to a text that is its own
// normal form.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add(policy.Default().Normal())
	f.Fuzz(func(t *testing.T, document []byte) {
		var parsed *policy.Policy
		var faults policy.Faults
		wantInTime(t, func() { parsed, faults = policy.Parse(document) })
		if (parsed == nil) != (len(faults) > 0) {
			t.Fatalf("a policy: %t, faults: %q", parsed != nil, faults)
		}
		if parsed == nil {
			for _, fault := range faults {
				if text := fault.String(); len(text) > 2000 || bytes.ContainsAny([]byte(text), "\x00\n\x1b") {
					t.Fatalf("the fault %q is not fit to show", text)
				}
			}
			return
		}
		normal := parsed.Normal()
		again, faults := policy.Parse(normal)
		if faults != nil {
			t.Fatalf("the normal form %s has faults: %s", normal, faults)
		}
		if !bytes.Equal(again.Normal(), normal) {
			t.Fatalf("the normal form %s becomes %s", normal, again.Normal())
		}
		for _, action := range []policy.Action{policy.Save, policy.Restore} {
			wantInTime(t, func() { checkDecision(t, policy.Decide(parsed, action, longClaims())) })
		}
	})
}

// Conditions never panic, neither compiled nor evaluated, and take bounded time for both.
func FuzzCondition(f *testing.F) {
	for _, test := range hostileConditions {
		f.Add(test.condition)
	}
	f.Fuzz(func(t *testing.T, condition string) {
		document := []byte(`{"save":{"scopes":{"branch":true}},"restore":{"scopes":[{},{"branch":"main","build":"$current"}]},"rules":[` +
			conditionalPolicy("deny", condition) + `,` + conditionalPolicy("allow", condition) + `]}`)
		var parsed *policy.Policy
		wantInTime(t, func() { parsed, _ = policy.Parse(document) })
		if parsed == nil {
			return
		}
		for _, claims := range []policy.Claims{testClaims(), longClaims()} {
			for _, action := range []policy.Action{policy.Save, policy.Restore} {
				wantInTime(t, func() {
					decision := policy.Decide(parsed, action, claims)
					checkDecision(t, decision)
					if decision.Allowed {
						t.Errorf("the same condition denied first, and yet: %s", decision)
					}
				})
			}
		}
	})
}

// ParseClaims never panics, and accepts only claims that are valid.
func FuzzParseClaims(f *testing.F) {
	f.Add([]byte(claimsDocument))
	f.Fuzz(func(t *testing.T, document []byte) {
		var claims policy.Claims
		var faults policy.Faults
		wantInTime(t, func() { claims, faults = policy.ParseClaims(document) })
		if valid := claims.Validate() == nil; valid != (faults == nil) {
			t.Fatalf("valid: %t, faults: %q", valid, faults)
		}
	})
}

// checkDecision checks that a decision follows from what it says led to it.
func checkDecision(t *testing.T, decision policy.Decision) {
	t.Helper()
	if decision.Allowed && (decision.Entry == nil || decision.Rule == nil || decision.Rule.Effect != policy.Allow) {
		t.Errorf("allowed without an entry and an allow rule: %+v", decision)
	}
	if len(decision.Further) > 0 && !decision.Allowed || len(decision.AllowedEntries()) > policy.MaxAllowedEntries {
		t.Errorf("%d further entries: %+v", len(decision.Further), decision)
	}
	for _, trial := range decision.Further {
		if rule := trial.Rule(); !trial.Allowed || rule == nil || rule.Effect != policy.Allow {
			t.Errorf("a further entry is not allowed: %+v", trial)
		}
	}
	for i, trial := range decision.Trials {
		last := i == len(decision.Trials)-1
		if trial.Allowed && (!last || !decision.Allowed) {
			t.Errorf("the allowed entry %d did not decide: %+v", i, decision)
		}
		for j, step := range trial.Steps {
			decides := step.Outcome == policy.Matched || step.Outcome == policy.ConditionFailed && step.Rule.Effect == policy.Deny
			if decides && j != len(trial.Steps)-1 {
				t.Errorf("rule %d decided, and others followed: %+v", step.Rule.Index, trial)
			}
			if (step.Err != nil) != (step.Outcome == policy.ConditionFailed) {
				t.Errorf("the outcome is %s with the error %v", step.Outcome, step.Err)
			}
		}
	}
	if decision.String() == "" {
		t.Error("the decision has no text")
	}
}
