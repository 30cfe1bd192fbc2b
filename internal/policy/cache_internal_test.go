package policy

import (
	"fmt"
	"strconv"
	"testing"
)

// What the cache remembers does not show in the package's behaviour, so this test looks inside.
func TestConditionCacheForgetsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	cache := newConditionCache(2)
	compile := func(text string) *condition {
		t.Helper()
		compiled, problems := cache.compile(text)
		if problems != nil {
			t.Fatal(problems)
		}
		return compiled
	}
	first, second := compile("1 == 1"), compile("2 == 2")
	if compile("1 == 1") != first || compile("2 == 2") != second {
		t.Error("a remembered condition was compiled again")
	}
	compile("1 == 1")
	compile("3 == 3") // forgets the second
	if compile("1 == 1") != first {
		t.Error("the condition used last was forgotten")
	}
	if compile("2 == 2") == second {
		t.Error("the condition used least was remembered")
	}
	for i := range 100 {
		compile(fmt.Sprintf("%d > 0", i))
	}
	if len(cache.byText) != 2 || cache.recent.Len() != 2 {
		t.Errorf("the cache holds %d texts and %d conditions", len(cache.byText), cache.recent.Len())
	}
}

func TestConditionCacheDoesNotRememberFaults(t *testing.T) {
	t.Parallel()
	cache := newConditionCache(2)
	if compiled, problems := cache.compile("entry.x"); compiled != nil || problems == nil {
		t.Errorf("got %v, %q", compiled, problems)
	}
	if len(cache.byText) != 0 {
		t.Errorf("the cache holds %d texts", len(cache.byText))
	}
}

func TestStoredPoliciesAreRemembered(t *testing.T) {
	t.Parallel()
	first, faults := ParseStored(unrestrictedPolicy)
	again, _ := ParseStored(unrestrictedPolicy)
	if first == nil || faults != nil || string(again.Normal()) != unrestrictedPolicy {
		t.Errorf("%v, then %v: %s", first, again, faults)
	}
	if parsed, faults := ParseStored(`{"rules":1}`); parsed != nil || faults == nil {
		t.Errorf("%v without faults", parsed)
	}
	for i := range 3 * maxParsedPolicies {
		if _, faults := ParseStored(`{"restore":{"scopes":[{"branch":"` + strconv.Itoa(i) + `"}]}}`); faults != nil {
			t.Fatal(faults)
		}
	}
	parsedPolicies.mu.RLock()
	defer parsedPolicies.mu.RUnlock()
	if n := len(parsedPolicies.byText); n > maxParsedPolicies {
		t.Errorf("%d policies are remembered", n)
	}
}
