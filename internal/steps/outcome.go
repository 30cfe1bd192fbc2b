package steps

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SoftFail says which failures of a job do not fail its build.
type SoftFail struct {
	All      bool
	Statuses []int // exit statuses
}

// Matches says whether a job that ended with that exit status, which is not 0, fails softly.
func (s SoftFail) Matches(status int) bool { return s.All || slices.Contains(s.Statuses, status) }

func (m *members) softFail(name string) (s SoftFail) {
	if !m.of.has(name) {
		return s
	}
	var all []object
	if err := json.Unmarshal(m.of[name], &all); err != nil {
		s.All = m.flag(name)
		return s
	}
	for _, o := range all {
		in := members{of: o}
		switch text := in.text("exit_status"); {
		case in.fault != nil || text == "":
			m.refuse(name, "it is true, false, or a list of objects with `exit_status`")
		case text == "*":
			s.All = true
		default:
			if status := in.number("exit_status", minInt); status != nil {
				s.Statuses = append(s.Statuses, *status)
			}
			m.adopt(in.fault)
		}
	}
	return s
}

// Retry says how a job may be run again.
type Retry struct {
	Automatic []RetryRule
	Manual    ManualRetry
}

// ManualRetry says whether people may run a job again.
type ManualRetry struct {
	Forbidden      bool
	Reason         string
	PermitOnPassed bool
}

// RetryRule runs a job again by itself. A job has to fit all that the rule names.
type RetryRule struct {
	ExitStatuses  []int // none: any
	AnyFailure    bool  // the exit status is one of 1 to 255
	Signals       []string
	SignalReasons []string
	Limit         int
}

// Ended is how a job ended.
type Ended struct {
	ExitStatus   int
	Signal       string // "": none
	SignalReason string // "": none
}

// FindRule returns the first rule that a job fits, or -1.
func (r Retry) FindRule(e Ended) int {
	return slices.IndexFunc(r.Automatic, func(rule RetryRule) bool { return rule.matches(e) })
}

func (r RetryRule) matches(e Ended) bool {
	status := slices.Contains(r.ExitStatuses, e.ExitStatus) || r.AnyFailure && e.ExitStatus >= 1 && e.ExitStatus <= 255 ||
		len(r.ExitStatuses) == 0 && !r.AnyFailure
	return status && matchesWord(r.Signals, bareSignal(e.Signal)) && matchesWord(r.SignalReasons, e.SignalReason)
}

// matchesWord says whether a word is one of those that a rule names. "none" is no word. "*" is the default: any word,
// and none.
func matchesWord(wanted []string, word string) bool {
	return len(wanted) == 0 || slices.Contains(wanted, "*") || slices.Contains(wanted, cmp.Or(word, "none"))
}

// bareSignal returns a signal's name in small letters, without SIG.
func bareSignal(name string) string { return strings.TrimPrefix(strings.ToLower(name), "sig") }

const (
	defaultRetryLimit = 2
	maxRetryLimit     = 10
)

var signalReasons = []string{
	"none", "cancel", "agent_stop", "agent_refused", "agent_incompatible", "process_run_error", "signature_rejected",
	"stack_error", "*",
}

func (m *members) retry(name string) (r Retry) {
	var o object
	m.read(name, &o)
	in := members{of: o}
	for key := range o {
		if key != "automatic" && key != "manual" {
			in.refuse(name, fmt.Sprintf("`%s` is not a property of it", key))
		}
	}
	if o.has("automatic") {
		r.Automatic = in.retryRules(o["automatic"])
	}
	if o.has("manual") {
		r.Manual = in.manualRetry(o["manual"])
	}
	m.adopt(in.fault)
	return r
}

func (m *members) retryRules(raw json.RawMessage) (rules []RetryRule) {
	switch text, _ := scalar(raw); text {
	case "true":
		return []RetryRule{{AnyFailure: true, Limit: defaultRetryLimit}}
	case "false":
		return nil
	}
	var all []object
	if json.Unmarshal(raw, &all) != nil {
		var one object
		if json.Unmarshal(raw, &one) != nil {
			m.refuse("retry", "`automatic` is true, false, a rule or a list of rules")
			return nil
		}
		all = []object{one}
	}
	for _, o := range all {
		rules = append(rules, m.retryRule(o))
	}
	return rules
}

func (m *members) retryRule(o object) (rule RetryRule) {
	in := members{of: o}
	for key := range o {
		if !slices.Contains([]string{"exit_status", "signal", "signal_reason", "limit"}, key) {
			in.refuse("retry", fmt.Sprintf("`%s` is not a property of a rule", key))
		}
	}
	for _, text := range in.list("exit_status") {
		if text == "*" {
			rule.AnyFailure = true
			continue
		}
		status, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			in.refuse("retry", fmt.Sprintf("%q is not an exit status", text))
		}
		rule.ExitStatuses = append(rule.ExitStatuses, int(status))
	}
	for _, signal := range in.list("signal") {
		rule.Signals = append(rule.Signals, bareSignal(signal))
	}
	rule.SignalReasons = in.list("signal_reason")
	for _, reason := range rule.SignalReasons {
		if !slices.Contains(signalReasons, reason) {
			in.refuse("retry", fmt.Sprintf("%q is not a signal reason", reason))
		}
	}
	rule.Limit = defaultRetryLimit
	if limit := in.number("limit", 0); limit != nil {
		rule.Limit = *limit
	}
	if rule.Limit > maxRetryLimit {
		in.refuse("retry", fmt.Sprintf("`limit` is at most %d", maxRetryLimit))
	}
	m.adopt(in.fault)
	return rule
}

func (m *members) manualRetry(raw json.RawMessage) (r ManualRetry) {
	switch text, _ := scalar(raw); text {
	case "true":
		return r
	case "false":
		r.Forbidden = true
		return r
	}
	var o object
	if json.Unmarshal(raw, &o) != nil {
		m.refuse("retry", "`manual` is true, false, or an object with `allowed`, `reason` and `permit_on_passed`")
	}
	in := members{of: o}
	r.Forbidden = o.has("allowed") && !in.flag("allowed")
	r.Reason = in.text("reason")
	r.PermitOnPassed = in.flag("permit_on_passed")
	m.adopt(in.fault)
	return r
}
