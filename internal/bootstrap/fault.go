package bootstrap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a bootstrap file.
type Fault struct {
	Line   int    // 0: the file as a whole
	Path   string // what is wrong, such as organizations[0].members[1]; empty: the file as a whole
	Reason string // never shows a password or a token
}

// Error says everything that is wrong with a bootstrap file.
type Error struct {
	File   string
	Faults []Fault
}

// Error returns a line of text a fault, in the order of the file's lines, each with the file and the line:
//
//	bootstrap.yaml:12: organizations[0].members[1]: unknown key "rol" (allowed: user, role)
func (e *Error) Error() string {
	faults := slices.SortedStableFunc(slices.Values(e.Faults), func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	lines := make([]string, len(faults))
	for i, f := range faults {
		place := e.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", e.File, f.Line)
		}
		if f.Path != "" {
			place += ": " + f.Path
		}
		lines[i] = place + ": " + f.Reason
	}
	return strings.Join(lines, "\n")
}
