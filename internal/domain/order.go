package domain

// Order is the order of a list.
type Order int

// The orders. A list that has no names is ordered by what comes nearest: queues by their keys.
const (
	ByName      Order = iota
	ByRelevance       // as ByName
	RecentlyCreated
	FirstCreated
	FavoritesFirst   // pipelines only: the favorites of who asks, then the others, each by name
	RecentlyAssigned // jobs only: those that an agent was given last
	ByPriority       // annotations only: those with the highest priority, and of these the newest
)
