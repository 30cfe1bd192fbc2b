// Package policy is the cache policy language: it parses a registry's policy, brings it into its
// one normalized form, decides with it whether a job may save or restore a cache entry, and explains
// that decision to an operator.
//
// Everything here is a pure function of its arguments: no clock, no I/O, no configuration. The only
// state is a bounded memory of policies, compiled conditions and decisions. Policies come from users, so every input is
// treated as hostile: nothing panics, and the work to refuse or to evaluate a text is bounded.
//
// The package may import the standard library, cel-go and go-json-experiment, and nothing of
// Penstock's.
package policy

import "sync"

// The limits of the language. Conditions have further ones, see condition.go.
const (
	// MaxDocumentBytes is how long a policy may be, as given and in normalized form. It holds for a
	// document of claims too.
	MaxDocumentBytes = 64 << 10
	// MaxRules is how many rules a policy may have.
	MaxRules = 100
	// MaxConditionBytes is how long the text of one condition may be.
	MaxConditionBytes = 2 << 10
)

// Action is what a job asks to do with a cache entry.
type Action string

// The actions there are.
const (
	Save    Action = "save"
	Restore Action = "restore"
)

// ParseAction returns the action that text names, and whether it names one.
func ParseAction(text string) (Action, bool) {
	switch action := Action(text); action {
	case Save, Restore:
		return action, true
	default:
		return "", false
	}
}

// Effect is what a rule does with a request it matches.
type Effect string

// The effects there are.
const (
	Allow Effect = "allow"
	Deny  Effect = "deny"
)

// Policy is a valid cache policy with its conditions compiled. It is immutable and safe for
// concurrent use. A nil *Policy stands for the null policy, which denies everything.
type Policy struct {
	save    []saveScope
	restore []restoreMember
	rules   []rule
	uses    []*claim // what its scopes and conditions may look at
	normal  []byte
}

// usedClaims returns the claims that a decision of the policy depends on.
func (p *Policy) usedClaims() (used []*claim) {
	names := map[string]bool{}
	for _, s := range p.save {
		names[s.scope.claimName()] = true
	}
	for _, member := range p.restore {
		for _, s := range member {
			names[s.scope.claimName()] = true
		}
	}
	for i := range p.rules {
		if when := p.rules[i].when; when != nil {
			for _, name := range when.claims {
				names[name] = true
			}
		}
	}
	for i := range claimTable {
		if names[claimTable[i].name] {
			used = append(used, &claimTable[i])
		}
	}
	return used
}

// saveScope says whether saved entries get a scope.
type saveScope struct {
	scope scope
	on    bool
}

// restoreMember is one member of restore.scopes: the scopes that an entry to restore must have.
type restoreMember []restoreScope

// restoreScope is the value an entry must have in a scope: a literal, or current for the job's own.
type restoreScope struct {
	scope scope
	value string
}

// currentScope is the scope value that is replaced by the job's own.
const currentScope = "$current"

type rule struct {
	members []string // the names of those that are not null, in the order in which they were written
	name    string
	effect  Effect
	on      actions
	when    *condition // nil when the rule has no condition
}

// actions is the set of actions that a rule includes.
type actions struct{ save, restore bool }

func (a actions) includes(action Action) bool {
	switch action {
	case Save:
		return a.save
	case Restore:
		return a.restore
	default:
		return false
	}
}

// unrestrictedPolicy is the normalized default policy.
const unrestrictedPolicy = `{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[` +
	`{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}`

// Default returns the default unrestricted policy, under which every job may save and restore
// unscoped entries.
func Default() *Policy { return defaultPolicy() }

var defaultPolicy = sync.OnceValue(func() *Policy {
	policy, faults := Parse([]byte(unrestrictedPolicy))
	if faults != nil {
		panic("policy: the default policy has faults: " + faults.String())
	}
	return policy
})
