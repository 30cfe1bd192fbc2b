package policy

import (
	"slices"
	"strings"
)

// The member names of each object of a policy, in the order in which messages list them.
var (
	policyMembers  = []string{"save", "restore", "rules"}
	scopesMember   = []string{"scopes"}
	scopeNames     = []string{string(branchScope), string(buildScope), string(pipelineScope)}
	ruleMembers    = []string{"name", "effect", "action", "when"}
	actionMessage  = "must be save or restore"
	effectMessage  = "must be allow or deny"
	literalMessage = "must be $current or a literal, which is not empty and does not begin with $"
)

// Parse reads a policy, which must be one JSON object, and compiles its conditions.
//
// It returns either a policy and no faults, or nil and every fault of the document (past a hundred
// only that there are more). A document that is not well-formed JSON has that one fault.
func Parse(document []byte) (*Policy, Faults) {
	r, faults := newReader(document)
	if faults != nil {
		return nil, faults
	}
	policy := &Policy{}
	r.object("", policyMembers, func(name, path string) {
		switch name {
		case "save":
			r.object(path, scopesMember, func(_, path string) { policy.save = r.saveScopes(path) })
		case "restore":
			r.object(path, scopesMember, func(_, path string) { policy.restore = r.restoreScopes(path) })
		case "rules":
			policy.rules = r.rules(path)
		}
	})
	if r.faults != nil {
		return nil, r.faults
	}
	policy.normal = policy.appendNormal(nil)
	if len(policy.normal) > MaxDocumentBytes {
		return nil, Faults{{Message: "must be at most 64 KiB in normalized form"}}
	}
	return policy, nil
}

func (r *reader) saveScopes(path string) (scopes []saveScope) {
	r.object(path, scopeNames, func(name, path string) {
		scopes = append(scopes, saveScope{scope: scope(name), on: r.boolean(path)})
	})
	return scopes
}

func (r *reader) restoreScopes(path string) (members []restoreMember) {
	r.array(path, "must be a JSON array of scopes", func(_ int, path string) {
		var scopes restoreMember
		r.object(path, scopeNames, func(name, path string) {
			scopes = append(scopes, restoreScope{scope: scope(name), value: r.scopeValue(path)})
		})
		members = append(members, scopes)
	})
	return members
}

func (r *reader) scopeValue(path string) string {
	value, ok := r.text(path, literalMessage)
	if ok && value != current && (value == "" || value[0] == '$') {
		r.faults.add(path, "%s", literalMessage)
	}
	return value
}

func (r *reader) rules(path string) (rules []rule) {
	length := r.array(path, "must be a JSON array of rules", func(index int, path string) {
		// Rules beyond the limit are one fault together, and are not worth compiling.
		if index >= MaxRules || r.faults.full() {
			r.skip()
			return
		}
		rules = append(rules, r.rule(path))
	})
	if length > MaxRules {
		r.faults.add(path, "must have at most %d rules", MaxRules)
	}
	if r.words > maxPolicyWords {
		r.faults.add(path, "must have conditions of at most %d words and signs together", maxPolicyWords)
	}
	return rules
}

func (r *reader) rule(path string) (rule rule) {
	present, ok := r.object(path, ruleMembers, func(name, path string) {
		if (name == "name" || name == "when") && r.null() {
			return
		}
		rule.members = append(rule.members, name)
		switch name {
		case "name":
			rule.name, _ = r.text(path, "must be a string or null")
		case "effect":
			rule.effect = r.effect(path)
		case "action":
			rule.on = r.actions(path)
		case "when":
			rule.when = r.condition(path)
		}
	})
	if !ok {
		return rule
	}
	if !slices.Contains(present, "effect") {
		r.faults.add(member(path, "effect"), "%s", effectMessage)
	}
	if !slices.Contains(present, "action") {
		r.faults.add(member(path, "action"), "%s", actionMessage)
	}
	return rule
}

func (r *reader) effect(path string) Effect {
	text, ok := r.text(path, effectMessage)
	effect := Effect(text)
	if ok && effect != Allow && effect != Deny {
		r.faults.add(path, "%s", effectMessage)
	}
	return effect
}

// actions reads one action, or a list of different ones.
func (r *reader) actions(path string) (on actions) {
	if r.decoder.PeekKind() != '[' {
		on.add(r.action(path))
		return on
	}
	length := r.array(path, actionMessage, func(_ int, path string) {
		action := r.action(path)
		if action != "" && on.includes(action) {
			r.faults.add(path, "must not repeat %s", action)
		}
		on.add(action)
	})
	if length == 0 {
		r.faults.add(path, "must not be empty; name save or restore or both")
	}
	return on
}

func (r *reader) action(path string) Action {
	text, ok := r.text(path, actionMessage)
	if !ok {
		return ""
	}
	action, known := ParseAction(text)
	if !known {
		r.faults.add(path, "%s", actionMessage)
	}
	return action
}

func (a *actions) add(action Action) {
	switch action {
	case Save:
		a.save = true
	case Restore:
		a.restore = true
	}
}

func (r *reader) condition(path string) *condition {
	text, ok := r.text(path, "must be a string or null")
	switch {
	case !ok:
		return nil
	case len(text) > MaxConditionBytes:
		r.faults.add(path, "must be at most 2 KB")
		return nil
	case strings.TrimSpace(text) == "":
		r.faults.add(path, "must not be empty; leave it out to match always")
		return nil
	}
	count := words(text)
	if count > maxConditionWords {
		r.faults.add(path, "must have at most %d words and signs", maxConditionWords)
		return nil
	}
	// Past the policy's limit, rules reports it, and nothing is compiled any more.
	if r.words += count; r.words > maxPolicyWords {
		return nil
	}
	compiled, problems := conditions.compile(text)
	for _, problem := range problems {
		r.faults.add(path, "%s", problem)
	}
	return compiled
}
