package policy

import "slices"

// Normal returns the normalized JSON text of the policy: the members save, restore and rules in this
// order, always all three; actions as a list with save first; no null members; everything else and
// all orders as written. Parsing it returns a policy with the same normalized text.
//
// The normalized text of a nil policy is null. The caller owns the returned bytes.
func (p *Policy) Normal() []byte {
	if p == nil {
		return []byte("null")
	}
	return slices.Clone(p.normal)
}

func (p *Policy) appendNormal(to []byte) []byte {
	to = append(to, `{"save":{"scopes":{`...)
	for i, scope := range p.save {
		to = appendName(to, i, string(scope.scope))
		if scope.on {
			to = append(to, "true"...)
		} else {
			to = append(to, "false"...)
		}
	}
	to = append(to, `}},"restore":{"scopes":[`...)
	for i, member := range p.restore {
		to = appendComma(to, i)
		to = append(to, '{')
		for i, scope := range member {
			to = appendName(to, i, string(scope.scope))
			to = appendText(to, scope.value)
		}
		to = append(to, '}')
	}
	to = append(to, `]},"rules":[`...)
	for i := range p.rules {
		to = appendComma(to, i)
		to = p.rules[i].appendNormal(to)
	}
	return append(to, "]}"...)
}

func (r *rule) appendNormal(to []byte) []byte {
	to = append(to, '{')
	for i, name := range r.members {
		to = appendName(to, i, name)
		switch name {
		case "name":
			to = appendText(to, r.name)
		case "effect":
			to = appendText(to, string(r.effect))
		case "action":
			to = r.on.appendNormal(to)
		case "when":
			to = appendText(to, r.when.text)
		}
	}
	return append(to, '}')
}

func (a actions) appendNormal(to []byte) []byte {
	switch {
	case a.save && a.restore:
		return append(to, `["save","restore"]`...)
	case a.save:
		return append(to, `["save"]`...)
	default:
		return append(to, `["restore"]`...)
	}
}

// appendName writes the name of an object's member, with the comma before it unless it is the first.
func appendName(to []byte, index int, name string) []byte {
	to = appendComma(to, index)
	to = appendText(to, name)
	return append(to, ':')
}

func appendComma(to []byte, index int) []byte {
	if index == 0 {
		return to
	}
	return append(to, ',')
}
