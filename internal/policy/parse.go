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
	r.readObject("", policyMembers, func(name, path string) {
		switch name {
		case "save":
			r.readObject(path, scopesMember, func(_, path string) { policy.save = r.readSaveScopes(path) })
		case "restore":
			r.readObject(path, scopesMember, func(_, path string) { policy.restore = r.readRestoreScopes(path) })
		case "rules":
			policy.rules = r.readRules(path)
		}
	})
	if r.faults != nil {
		return nil, r.faults
	}
	policy.uses = policy.usedClaims()
	policy.normal = policy.appendNormal(nil)
	if len(policy.normal) > MaxDocumentBytes {
		return nil, Faults{{Message: "must be at most 64 KiB in normalized form"}}
	}
	return policy, nil
}

func (r *reader) readSaveScopes(path string) (scopes []saveScope) {
	r.readObject(path, scopeNames, func(name, path string) {
		scopes = append(scopes, saveScope{scope: scope(name), on: r.readBoolean(path)})
	})
	return scopes
}

func (r *reader) readRestoreScopes(path string) (members []restoreMember) {
	r.readArray(path, "must be a JSON array of scopes", func(_ int, path string) {
		var scopes restoreMember
		r.readObject(path, scopeNames, func(name, path string) {
			scopes = append(scopes, restoreScope{scope: scope(name), value: r.readScopeValue(path)})
		})
		members = append(members, scopes)
	})
	return members
}

func (r *reader) readScopeValue(path string) string {
	value, ok := r.readText(path, literalMessage)
	if ok && value != currentScope && (value == "" || value[0] == '$') {
		r.faults.add(path, "%s", literalMessage)
	}
	return value
}

func (r *reader) readRules(path string) (rules []rule) {
	length := r.readArray(path, "must be a JSON array of rules", func(index int, path string) {
		// Rules beyond the limit are one fault together, and are not worth compiling.
		if index >= MaxRules || r.faults.isFull() {
			r.skip()
			return
		}
		rules = append(rules, r.readRule(path))
	})
	if length > MaxRules {
		r.faults.add(path, "must have at most %d rules", MaxRules)
	}
	if r.words > maxPolicyWords {
		r.faults.add(path, "must have conditions of at most %d words and signs together", maxPolicyWords)
	}
	return rules
}

func (r *reader) readRule(path string) (rule rule) {
	present, ok := r.readObject(path, ruleMembers, func(name, path string) {
		if (name == "name" || name == "when") && r.readNull() {
			return
		}
		rule.members = append(rule.members, name)
		switch name {
		case "name":
			rule.name, _ = r.readText(path, "must be a string or null")
		case "effect":
			rule.effect = r.readEffect(path)
		case "action":
			rule.on = r.readActions(path)
		case "when":
			rule.when = r.readCondition(path)
		}
	})
	if !ok {
		return rule
	}
	if !slices.Contains(present, "effect") {
		r.faults.add(memberPath(path, "effect"), "%s", effectMessage)
	}
	if !slices.Contains(present, "action") {
		r.faults.add(memberPath(path, "action"), "%s", actionMessage)
	}
	return rule
}

func (r *reader) readEffect(path string) Effect {
	text, ok := r.readText(path, effectMessage)
	effect := Effect(text)
	if ok && effect != Allow && effect != Deny {
		r.faults.add(path, "%s", effectMessage)
	}
	return effect
}

// readActions reads one action, or a list of different ones.
func (r *reader) readActions(path string) (on actions) {
	if r.decoder.PeekKind() != '[' {
		on.add(r.readAction(path))
		return on
	}
	length := r.readArray(path, actionMessage, func(_ int, path string) {
		action := r.readAction(path)
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

func (r *reader) readAction(path string) Action {
	text, ok := r.readText(path, actionMessage)
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

func (r *reader) readCondition(path string) *condition {
	text, ok := r.readText(path, "must be a string or null")
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
	count := countWords(text)
	if count > maxConditionWords {
		r.faults.add(path, "must have at most %d words and signs", maxConditionWords)
		return nil
	}
	// Past the policy's limit, rules reports it, and nothing is compiled any more.
	if r.words += count; r.words > maxPolicyWords {
		return nil
	}
	compiled, problems := compileRemembered(text)
	for _, problem := range problems {
		r.faults.add(path, "%s", problem)
	}
	return compiled
}
