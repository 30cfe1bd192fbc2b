package steps

import "strings"

// MatchBranches says whether a branch fits patterns: one of those without an exclamation mark, if there are any, and
// none of the others. An asterisk stands for any text.
func MatchBranches(patterns []string, branch string) bool {
	found, wanted := false, false
	for _, pattern := range patterns {
		refused, isNegative := strings.CutPrefix(pattern, "!")
		switch {
		case isNegative && matchWildcard(refused, branch):
			return false
		case !isNegative:
			wanted = true
			found = found || matchWildcard(pattern, branch)
		}
	}
	return found || !wanted
}

// matchWildcard takes as many steps as text and pattern have characters, not their product: each part between asterisks
// is looked for once.
func matchWildcard(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, last)
}
