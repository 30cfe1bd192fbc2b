package bootstrap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Place is where in a bootstrap file something is.
type Place struct {
	Line int
	Path string // such as organizations[0].members[1]
}

// Key returns the place of one of the keys of what is at p, on p's line.
func (p Place) Key(name string) Place { return Place{p.Line, p.Path + "." + name} }

// Item returns the place of an item of the list under one of the keys of what is at p, on p's line.
func (p Place) Item(name string, index int) Place { return p.Key(fmt.Sprintf("%s[%d]", name, index)) }

// Fault returns that something is wrong at p.
func (p Place) Fault(reason string) Fault { return Fault{Line: p.Line, Path: p.Path, Reason: reason} }

// Fault is one thing that is wrong with a bootstrap file.
type Fault struct {
	Line   int    // 0: the file as a whole
	Path   string // as in Place; empty: the file as a whole
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
