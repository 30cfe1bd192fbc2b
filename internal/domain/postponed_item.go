package domain

import "time"

// PostponedItem is something that a loop could not do, and tries again later.
type PostponedItem struct {
	Kind       string // of the work: the name of its loop, mostly
	ID         string // of what the work is about
	Attempts   int64
	DueAt      time.Time // when it is tried again, unless it is set aside
	FailedAt   time.Time // for the first time
	LastError  string
	SetAsideAt *time.Time // nil: it is tried again
}

// How work is tried again that failed: after pauses that double, so many times in all, which takes about an hour.
const (
	MaxItemAttempts  = 12
	firstItemPause   = 5 * time.Second
	longestItemPause = 10 * time.Minute
)

// Fail counts an attempt that failed, and says when the next one is due, or sets the item aside.
func (i *PostponedItem) Fail(now time.Time, reason string) {
	if i.Attempts == 0 {
		i.FailedAt = now
	}
	i.Attempts++
	i.LastError = reason
	if i.Attempts >= MaxItemAttempts {
		i.SetAsideAt = &now
		return
	}
	i.DueAt = now.Add(min(firstItemPause<<(i.Attempts-1), longestItemPause))
}
