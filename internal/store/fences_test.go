package store

import (
	"fmt"
	"testing"
)

// TestFencesAreNearestUntilTheListChanges asks for fences that were added, and again once the list has changed.
func TestFencesAreNearestUntilTheListChanges(t *testing.T) {
	t.Parallel()
	var f fences
	key, state := fencedKey{"clusters", "acme"}, fencedState{total: 100, changes: 7}
	for _, rank := range []int64{60, 30, 90} {
		f.add(key, state, fence{rank, Position{fmt.Sprint("after ", rank)}})
	}
	for rank, want := range map[int64]string{29: "[]", 30: "[after 30]", 59: "[after 30]", 60: "[after 60]", 1000: "[after 90]"} {
		if got := fmt.Sprint(f.nearest(key, state, rank).position); got != want {
			t.Errorf("the nearest of %d is %s, not %s", rank, got, want)
		}
	}
	for name, other := range map[string]struct {
		key   fencedKey
		state fencedState
	}{
		"another list's":          {fencedKey{"pipelines", "acme"}, state},
		"another parent's":        {fencedKey{"clusters", "other"}, state},
		"those before a change":   {key, fencedState{total: 100, changes: 8}},
		"those of another length": {key, fencedState{total: 99, changes: 7}},
	} {
		if found := f.nearest(other.key, other.state, 50); found.position != nil || found.rank != 0 {
			t.Errorf("%s fences are found: %v", name, found)
		}
	}
	f.add(key, fencedState{total: 100, changes: 8}, fence{10, Position{"now"}})
	if found := f.nearest(key, state, 50); found.position != nil {
		t.Errorf("%v was not dropped", found)
	}
}

// TestFencesAreBounded adds more fences and lists than are remembered.
func TestFencesAreBounded(t *testing.T) {
	t.Parallel()
	var f fences
	const total = 10 * maxFences
	for list := range 3 * maxFencedLists {
		key := fencedKey{"clusters", fmt.Sprint(list)}
		for rank := range int64(100) {
			f.add(key, fencedState{total: total}, fence{rank: rank})
		}
		if n := len(f.lists[key].fences); n == 0 || n > 10 {
			t.Fatalf("%d fences among 100 items", n)
		}
	}
	if len(f.lists) > maxFencedLists {
		t.Errorf("%d lists", len(f.lists))
	}
	key := fencedKey{"clusters", "all"}
	for rank := int64(total); rank > 0; rank-- {
		f.add(key, fencedState{total: total}, fence{rank: rank})
	}
	if n := len(f.lists[key].fences); n < maxFences/2 || n > maxFences {
		t.Errorf("%d fences in a list of %d", n, total)
	}
}
