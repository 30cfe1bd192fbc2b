package policy

import "strconv"

// Decision is the answer to whether a job may save or restore, with everything that led to it.
type Decision struct {
	Action  Action
	Allowed bool
	// Reason says in a few words why, such as `rule 1 "main only" denies it`.
	Reason string
	// Entry is the scopes that the decision is about: of the entry to save, or of the entry to
	// restore that is allowed. It is nil when there is no such one entry: the policy is null, it
	// offers nothing to restore, or it offers several entries and denies them all.
	Entry *Entry
	// Rule is the rule that decided about Entry, nil when none did.
	Rule *Rule
	// Trials is the entries that were tried, in order. The last is the allowed one, if one is.
	Trials []Trial
	// Further is what a restore may have instead where Entry has nothing: the entries of restore.scopes after it, in
	// order, that are allowed too. Each is different from the others.
	Further []Trial
}

// AllowedEntries returns the scopes of all entries that the decision allows, the best first, each once. It is empty
// when it denies.
func (d *Decision) AllowedEntries() []Entry {
	if !d.Allowed || d.Entry == nil {
		return nil
	}
	entries := append(make([]Entry, 0, 1+len(d.Further)), *d.Entry)
	for i := range d.Further {
		entries = append(entries, d.Further[i].Entry)
	}
	return entries
}

// MaxAllowedEntries is how many entries a decision allows at most. Members of restore.scopes after them do not count.
const MaxAllowedEntries = 100

// Trial is the decision about one entry.
type Trial struct {
	Entry   Entry
	Allowed bool
	// Steps is the rules that were considered, in order. If a rule decided, it is the last.
	Steps []Step

	unfinished bool // the decision took too much work
}

// Rule returns the rule that decided, or nil if none matched.
func (t *Trial) Rule() *Rule {
	if len(t.Steps) == 0 || !t.Steps[len(t.Steps)-1].decides() {
		return nil
	}
	return &t.Steps[len(t.Steps)-1].Rule
}

// Step is what one rule had to say about one entry.
type Step struct {
	Rule    Rule
	Outcome Outcome
	// Err is why the condition could not be evaluated, for the outcome ConditionFailed.
	Err error
}

// decides reports whether the rule ended the trial. A condition that fails does so in a deny rule.
func (s *Step) decides() bool {
	return s.Outcome == Matched || s.Outcome == ConditionFailed && s.Rule.Effect == Deny
}

// Rule names a rule of a policy.
type Rule struct {
	Index  int // from 0, as in the paths of faults
	Name   string
	Effect Effect
}

// String returns the rule's number, which counts from 1, and its name, such as `rule 1 "main only"`. Long
// names are cut short.
func (r Rule) String() string {
	number := "rule " + strconv.Itoa(r.Index+1)
	if r.Name == "" {
		return number
	}
	return number + " " + quote(r.Name)
}

// Outcome is how a rule compared with a request.
type Outcome string

// The outcomes there are.
const (
	OtherAction     Outcome = "other action"     // the rule's actions do not include the one asked
	ConditionFalse  Outcome = "condition false"  // the condition is false
	ConditionFailed Outcome = "condition failed" // the condition could not be evaluated
	Matched         Outcome = "matched"          // there is no condition, or it is true
)

const tooMuchWork = "the policy takes too much work to decide"

// maxDecisionCost is how much all rules on all entries may cost together, in the units of
// maxConditionCost. stepCost is for considering a rule, and evaluationCost for evaluating a
// condition at all.
const (
	maxDecisionCost = 30_000
	stepCost        = 1
	evaluationCost  = 8
)

// Decide reports whether a job with these claims may perform an action under a policy.
//
// For each entry, the rules are taken from the top, and the first that includes the action and whose condition is
// absent or true decides; if there is none, the entry is denied. A condition that fails, or takes too much work, makes
// an allow rule not match and a deny rule deny. A save is about the one entry that save.scopes names; a restore tries
// the entries of restore.scopes in turn, and the first that is allowed decides; the allowed ones after it are what to
// look for where it has nothing. A nil policy denies, and so does anything that cannot be decided: an unknown action,
// claims that are not valid, or more work than a decision may take.
func Decide(policy *Policy, action Action, claims Claims) Decision {
	denied := func(reason string) Decision { return Decision{Action: action, Reason: reason} }
	if _, known := ParseAction(string(action)); !known {
		return denied("the action must be save or restore")
	}
	if faults := claims.Validate(); faults != nil {
		return denied("the claims are not valid: " + faults.String())
	}
	if policy == nil {
		return denied("there is no policy")
	}
	key, isShort := policy.keyOf(action, &claims)
	return decisions.find(key, func() (Decision, bool) { return policy.decide(action, &claims), isShort })
}

// decide is Decide for what can be decided. The answer is shared: nobody may change it.
func (p *Policy) decide(action Action, claims *Claims) Decision {
	denied := func(reason string) Decision { return Decision{Action: action, Reason: reason} }
	trials, further, finished := p.tryEntries(action, claims)
	switch {
	case !finished:
		decision := denied(tooMuchWork)
		decision.Trials = trials
		return decision
	case len(trials) == 0:
		return denied("restore.scopes offers no entry")
	}
	last := &trials[len(trials)-1]
	decision := Decision{Action: action, Allowed: last.Allowed, Trials: trials, Further: further}
	if !last.Allowed && len(trials) > 1 {
		decision.Reason = "none of the entries that restore.scopes offers is allowed"
		return decision
	}
	decision.Entry, decision.Rule = &last.Entry, last.Rule()
	decision.Reason = last.Reason()
	return decision
}

// tryEntries decides about the policy's entries for the action until one is allowed, and then which of the others are.
// It returns false if the first takes more work than it may; others that do are not allowed.
func (p *Policy) tryEntries(action Action, job *Claims) (trials, further []Trial, finished bool) {
	d := decider{policy: p, action: action, subject: subject{claims: (*claimsValue)(job)}}
	if action == Save {
		trial, finished := d.tryEntry(p.entryToSave(job))
		return []Trial{trial}, nil, finished
	}
	if len(p.restore) > 1 {
		d.evaluated = make([]evaluation, len(p.rules))
	}
	isKnown := map[Entry]bool{}
	for _, member := range p.restore {
		entry := member.entryToRestore(job)
		isAllowed := len(trials) > 0 && trials[len(trials)-1].Allowed
		if isAllowed && (isKnown[entry] || len(isKnown) >= MaxAllowedEntries) {
			continue
		}
		trial, finished := d.tryEntry(entry)
		switch {
		case !isAllowed:
			trials = append(trials, trial)
			if !finished {
				return trials, nil, false
			}
		case !finished:
			return trials, further, true
		case trial.Allowed:
			further = append(further, trial)
		}
		if trial.Allowed {
			isKnown[entry] = true
		}
	}
	return trials, further, true
}

// entryToSave is the scopes that an entry saved by the job would get.
func (p *Policy) entryToSave(job *Claims) (entry Entry) {
	for _, scope := range p.save {
		if scope.on {
			entry.set(scope.scope, scope.scope.valueFor(job))
		}
	}
	return entry
}

// entryToRestore is the scopes that an entry must have for the job to restore it by this member.
func (m restoreMember) entryToRestore(job *Claims) (entry Entry) {
	for _, scope := range m {
		value := scope.value
		if value == currentScope {
			value = scope.scope.valueFor(job)
		}
		entry.set(scope.scope, value)
	}
	return entry
}

// decider is one decision being made.
type decider struct {
	policy    *Policy
	action    Action
	subject   subject
	cost      uint64
	evaluated []evaluation // of the rules whose conditions are the same for all entries; nil: there is one entry
}

// evaluation is what a condition came to.
type evaluation struct {
	known, holds bool
	cost         uint64
	err          error
}

// tryEntry decides about one entry. It returns false if the decision's cost has passed its limit.
func (d *decider) tryEntry(entry Entry) (trial Trial, finished bool) {
	trial.Entry = entry
	trial.Steps = make([]Step, 0, min(len(d.policy.rules), 8)) // most trials end early
	d.subject.entry = entryValue(entry)
	for index := range d.policy.rules {
		if d.cost += stepCost; d.cost > maxDecisionCost {
			trial.unfinished = true
			return trial, false
		}
		step := d.tryRule(index)
		trial.Steps = append(trial.Steps, step)
		if step.decides() {
			trial.Allowed = step.Rule.Effect == Allow
			break
		}
	}
	return trial, true
}

func (d *decider) tryRule(index int) Step {
	rule := &d.policy.rules[index]
	step := Step{Rule: Rule{Index: index, Name: rule.name, Effect: rule.effect}}
	switch {
	case !rule.on.includes(d.action):
		step.Outcome = OtherAction
	case rule.when == nil:
		step.Outcome = Matched
	default:
		e := d.evaluate(index)
		d.cost += evaluationCost + e.cost
		switch {
		case e.err != nil:
			step.Outcome, step.Err = ConditionFailed, e.err
		case e.holds:
			step.Outcome = Matched
		default:
			step.Outcome = ConditionFalse
		}
	}
	return step
}

// evaluate evaluates the condition of a rule. One that is the same for all entries is evaluated once, and costs as much
// each time.
func (d *decider) evaluate(index int) (e evaluation) {
	when := d.policy.rules[index].when
	if d.evaluated != nil && d.evaluated[index].known {
		return d.evaluated[index]
	}
	e.holds, e.cost, e.err = when.evaluate(&d.subject)
	if d.evaluated != nil && !when.usesEntry {
		e.known = true
		d.evaluated[index] = e
	}
	return e
}
