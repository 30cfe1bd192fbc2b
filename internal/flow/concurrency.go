package flow

import (
	"cmp"
	"slices"

	"penstock/internal/steps"
)

// Queued is a job of a concurrency group: one that waits for a slot, or holds one, or keeps its place while it waits
// for other steps.
type Queued struct {
	ID       string
	Build    string
	Since    int64 // when its place in the line was taken
	Position int   // in its upload
	Priority int
	Limit    int
	Method   steps.ConcurrencyMethod
	Holds    bool // a slot
	Waits    bool // for other steps: it cannot go yet
	IsNew    bool // it has just come into the line
}

// Release returns the jobs of a group that may go now. An ordered job may go while fewer than its limit hold a slot or
// stand before it. One that waits for other steps stands before jobs of other builds only, as it may wait for those of
// its own. An eager job may go while fewer than its limit hold a slot, those with a higher priority first.
func Release(group []Queued) (released []string) {
	line := slices.Clone(group)
	slices.SortFunc(line, func(a, b Queued) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	holders := 0
	for _, q := range line {
		if q.Holds {
			holders++
		}
	}
	var eager []Queued
	ahead := 0
	waitingIn := map[string]int{} // those ahead that wait for other steps, per build
	for _, q := range line {
		switch {
		case q.Holds:
		case q.Waits && q.Method == steps.Eager:
		case q.Waits:
			ahead++
			waitingIn[q.Build]++
		case q.Method == steps.Eager:
			eager = append(eager, q)
		case holders+ahead-waitingIn[q.Build] < q.Limit:
			released = append(released, q.ID)
			holders++
		default:
			ahead++
		}
	}
	slices.SortStableFunc(eager, func(a, b Queued) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, q := range eager {
		if holders < q.Limit {
			released = append(released, q.ID)
			holders++
		}
	}
	return released
}
