package flow

import (
	"slices"

	"penstock/internal/steps"
)

// planEdges finds what each step waits for.
func (p *planner) planEdges() error {
	var uploader []PlannedEdge
	if p.in.Uploader != nil {
		uploader = []PlannedEdge{{Edge: Edge{On: p.in.Uploader.Step, OwnOnly: true}}}
	}
	return p.planLevel(p.top, nil, uploader)
}

// planLevel finds what the steps of a level wait for. All of them wait for what is given; those that name nothing wait
// for what is implied and for what stands before them.
func (p *planner) planLevel(level []item, given, implied []PlannedEdge) error {
	for i, it := range level {
		edges := slices.Clone(given)
		var named []PlannedEdge
		if it.definition.ExplicitDependencies {
			var err error
			if named, err = p.findNamed(it); err != nil {
				return err
			}
			edges = append(edges, named...)
		} else {
			edges = append(append(edges, implied...), p.findBefore(level, i)...)
		}
		if it.definition.Kind == steps.Group {
			// A group has no jobs that could wait: its steps do. What it names holds for all of them.
			givenBelow, impliedBelow := edges, []PlannedEdge(nil)
			if !it.definition.ExplicitDependencies {
				givenBelow, impliedBelow = nil, edges
			}
			if err := p.planLevel(it.children, givenBelow, impliedBelow); err != nil {
				return err
			}
			continue
		}
		s := &p.plan.Steps[it.planned]
		if s.isBroken() {
			continue // it ended before it could wait
		}
		s.Edges = mergeEdges(s.ID, edges)
		if p.edges += len(s.Edges); p.edges > maxDependencies {
			return faultf("`depends_on` is invalid: the steps of an upload have at most %d dependencies together",
				maxDependencies)
		}
	}
	return nil
}

// mergeEdges returns the edges of a step, each once. Of two, the one that allows no failure counts.
func mergeEdges(step string, edges []PlannedEdge) (merged []PlannedEdge) {
	type target struct {
		on, key string
		ownOnly bool
	}
	places := map[target]int{}
	for _, e := range edges {
		e.Step = step
		place, isThere := places[target{e.On, e.OnKey, e.OwnOnly}]
		if !isThere {
			places[target{e.On, e.OnKey, e.OwnOnly}] = len(merged)
			merged = append(merged, e)
			continue
		}
		merged[place].AllowFailure = merged[place].AllowFailure && e.AllowFailure
	}
	return merged
}

// findNamed returns what a step waits for by its depends_on.
func (p *planner) findNamed(it item) (edges []PlannedEdge, err error) {
	s := it.definition
	for _, dependency := range s.DependsOn {
		if err := p.in.Work.Spend(1); err != nil {
			return nil, err
		}
		e := PlannedEdge{Edge: Edge{AllowFailure: dependency.AllowFailure || s.AllowDependencyFailure || s.ContinueOnFailure}}
		e.On = p.plan.Keys[dependency.Step]
		if e.On == "" {
			e.On = p.findKey(dependency.Step)
		}
		if e.On == "" {
			e.OnKey = dependency.Step
		}
		if e.On == "" || p.findGroup(it) == e.On {
			edges = append(edges, e)
			continue
		}
		own, err := p.leaveOutOwnUpload(e)
		if err != nil {
			return nil, err
		}
		edges = append(edges, own...)
	}
	return edges, nil
}

// findGroup returns the group that a step is in, or that a group merges with, or "".
func (p *planner) findGroup(it item) string {
	if it.planned < 0 {
		return p.in.Uploader.Group.ID
	}
	return p.plan.Steps[it.planned].GroupID
}

// leaveOutOwnUpload returns an edge without what this upload adds to the step that it is on: an uploader, or its group.
// To wait for that would be to wait for oneself.
func (p *planner) leaveOutOwnUpload(e PlannedEdge) (edges []PlannedEdge, err error) {
	p.findAncestors()
	s, isAncestor := p.ancestors[e.On]
	switch {
	case !isAncestor:
		return []PlannedEdge{e}, nil
	case s == nil || s.Kind != steps.Group:
		e.OwnOnly = true
		return []PlannedEdge{e}, nil
	}
	if err := p.in.Work.Spend(len(p.in.Steps)); err != nil {
		return nil, err
	}
	for _, child := range p.in.Steps {
		if child.Parent == s.ID {
			e.On = child.ID
			below, err := p.leaveOutOwnUpload(e)
			if err != nil {
				return nil, err
			}
			edges = append(edges, below...)
		}
	}
	return edges, nil
}

// findAncestors finds the uploader's step, what it is in, who uploaded that, and so on.
func (p *planner) findAncestors() {
	if p.ancestors != nil {
		return
	}
	p.ancestors = map[string]*Step{}
	if p.in.Uploader == nil {
		return
	}
	byID := make(map[string]*Step, len(p.in.Steps))
	for _, s := range p.in.Steps {
		byID[s.ID] = s
	}
	for id := p.in.Uploader.Step; id != ""; {
		p.ancestors[id] = byID[id]
		if byID[id] == nil {
			return
		}
		id = byID[id].Parent
	}
}

// isBarrier says whether the steps behind one wait for it.
func (p *planner) isBarrier(it item) bool {
	return (it.definition.Kind == steps.Wait || it.definition.Kind == steps.Block) && !it.isIgnored &&
		!p.plan.Steps[it.planned].isBroken()
}

// findBefore returns what a step waits for that stands before it on its level: the nearest wait or block or, if it is
// one itself, all steps.
//
// A wait that continues on failure does not continue behind a wait or block that failed, so it needs only the nearest
// of them and what stands behind that: it has waited for the rest. Other waits, and blocks, must know of failures, so
// they go back to the nearest that does not continue on them. What is tried again after that one has passed holds
// nobody up.
func (p *planner) findBefore(level []item, i int) (edges []PlannedEdge) {
	s := level[i].definition
	waitsForAll := s.Kind == steps.Wait || s.Kind == steps.Block
	for j := i - 1; j >= 0; j-- {
		before := level[j]
		isBarrier := p.isBarrier(before)
		if !waitsForAll && !isBarrier {
			continue
		}
		for _, on := range p.findTargets(before) {
			edges = append(edges, PlannedEdge{Edge: Edge{On: on, AllowFailure: s.ContinueOnFailure && !isBarrier}})
		}
		hasWaitedForRest := isBarrier && !before.definition.ExplicitDependencies &&
			(s.ContinueOnFailure || !before.definition.ContinueOnFailure)
		if !waitsForAll || hasWaitedForRest {
			break
		}
	}
	return edges
}

// findTargets returns the steps that one waits for who waits for a step of a level without naming it. Nobody waits for
// an input so.
func (p *planner) findTargets(it item) (on []string) {
	isInput := func(it item) bool { return it.definition.Kind == steps.Input }
	switch {
	case isInput(it):
	case it.planned >= 0 && !slices.ContainsFunc(it.children, isInput):
		on = []string{p.plan.Steps[it.planned].ID}
	default:
		for _, child := range it.children {
			on = append(on, p.findTargets(child)...)
		}
	}
	return on
}

// refuseCycles returns a fault if a step of the build would wait for itself.
func (p *planner) refuseCycles() error {
	var all []*Step // the new ones first, as one of them is what to change
	var edges []*Edge
	for _, open := range p.in.OpenEdges {
		if open.On == "" {
			open.On = p.plan.Keys[open.OnKey]
		}
		edges = append(edges, &open.Edge)
	}
	for i := range p.plan.Steps {
		s, _, waitsFor := p.plan.Steps[i].Parts()
		all = append(all, s)
		edges = append(edges, waitsFor...)
	}
	found := FindCycle(append(all, p.in.Steps...), edges)
	if found == "" {
		return nil
	}
	for _, s := range p.plan.Steps {
		if s.ID == found && s.Key == "" {
			return faultf("`depends_on` is invalid: the step %q would wait for itself", s.Label)
		}
	}
	for _, keys := range []map[string]string{p.plan.Keys, p.in.Keys} {
		for key, id := range keys {
			if id == found {
				return faultf("`depends_on` is invalid: the step %q would wait for itself", key)
			}
		}
	}
	return faultf("`depends_on` is invalid: a step of the build would wait for itself")
}
