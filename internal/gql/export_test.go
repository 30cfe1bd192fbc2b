package gql

// Kept returns how many documents the cache holds.
func (e *Executor) Kept() int {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	return len(e.cache.young) + len(e.cache.old)
}

// KeptPlans returns how many plans they have.
func (e *Executor) KeptPlans() (plans int) {
	e.cache.mu.Lock()
	defer e.cache.mu.Unlock()
	for _, generation := range []map[string]*document{e.cache.young, e.cache.old} {
		for _, d := range generation {
			plans += len(d.plans)
		}
	}
	return plans
}
