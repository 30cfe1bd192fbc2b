package flow

// FindCycle returns a step that waits for itself, by way of others, its parents or what is uploaded, or "". A build
// without such steps always ends.
func FindCycle(all []*Step, edges []*Edge) string {
	children, waitsFor := map[string][]string{}, map[string][]*Edge{}
	for _, s := range all {
		children[s.Parent] = append(children[s.Parent], s.ID)
	}
	for _, e := range edges {
		waitsFor[e.Step] = append(waitsFor[e.Step], e)
	}
	// A step as a whole is over when its jobs and its children are; its jobs begin when what it waits for is over.
	type part struct {
		step  string
		whole bool
	}
	const visiting, visited = 1, 2
	state := map[part]int{}
	var visit func(part) string
	visit = func(p part) (found string) {
		switch state[p] {
		case visiting:
			return p.step
		case visited:
			return ""
		}
		state[p] = visiting
		var next []part
		if p.whole {
			next = append(next, part{p.step, false})
			for _, child := range children[p.step] {
				next = append(next, part{child, true})
			}
		} else {
			for _, e := range waitsFor[p.step] {
				if e.On != "" {
					next = append(next, part{e.On, !e.OwnOnly})
				}
			}
		}
		for _, n := range next {
			if found := visit(n); found != "" {
				return found
			}
		}
		state[p] = visited
		return ""
	}
	for _, s := range all {
		if found := visit(part{s.ID, true}); found != "" {
			return found
		}
	}
	return ""
}
