package store

import (
	"cmp"
	"slices"
	"sync"
)

const (
	// maxFencedLists and maxFences bound what is remembered.
	maxFencedLists = 32
	maxFences      = 1_000
)

// fences remembers positions in long lists by their rank, so that a numbered page is read from the nearest one on
// instead of from the list's beginning. Pages that were read leave them behind.
type fences struct {
	mu    sync.Mutex
	lists map[fencedKey]*fencedList
}

// fencedKey is a list with its order and filter, and whose it is.
type fencedKey struct{ list, parent string }

// fencedState is what all fences of a list depend on: they are dropped when it changes.
type fencedState struct{ total, changes int64 }

type fencedList struct {
	state  fencedState
	fences []fence // by rank, at least spacing apart
}

// fence says that so many of the list's items lie at a position or before it.
type fence struct {
	rank     int64
	position Position
}

func (f fence) compare(rank int64) int { return cmp.Compare(f.rank, rank) }

// nearest returns the last fence that does not lie behind the rank. The zero fence is the list's beginning.
func (f *fences) nearest(key fencedKey, state fencedState, rank int64) fence {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.lists[key]
	if l == nil || l.state != state {
		return fence{}
	}
	i, found := slices.BinarySearchFunc(l.fences, rank, fence.compare)
	if found {
		return l.fences[i]
	}
	if i == 0 {
		return fence{}
	}
	return l.fences[i-1]
}

// add remembers a fence, unless the list has others close by.
func (f *fences) add(key fencedKey, state fencedState, added fence) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.lists[key]
	if l == nil || l.state != state {
		if l == nil && len(f.lists) >= maxFencedLists {
			f.dropAny()
		}
		if f.lists == nil {
			f.lists = map[fencedKey]*fencedList{}
		}
		l = &fencedList{state: state}
		f.lists[key] = l
	}
	spacing := state.total/maxFences + 1
	i, _ := slices.BinarySearchFunc(l.fences, added.rank, fence.compare)
	if i > 0 && added.rank-l.fences[i-1].rank < spacing || i < len(l.fences) && l.fences[i].rank-added.rank < spacing {
		return
	}
	l.fences = slices.Insert(l.fences, i, added)
}

// dropAny drops the fences of one list.
func (f *fences) dropAny() {
	for key := range f.lists {
		delete(f.lists, key)
		return
	}
}
