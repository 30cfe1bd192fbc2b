package policy

import (
	"container/list"
	"strconv"
	"sync"
)

// What is remembered, because policies are parsed and asked wherever they are used: compiling a condition takes a
// hundred times as long as evaluating it, reading a policy with many rules longer than deciding, and deciding by a
// hundred conditions longer than all else that a job's call of a cache takes.
var (
	compiledConditions = newRecentCache[string, *condition](1024) // by their texts
	parsedPolicies     = newRecentCache[string, *Policy](128)     // by their texts
	decisions          = newRecentCache[decisionKey, Decision](256)
)

// recentCache has the values that were used last, up to a number. It is safe for concurrent use.
type recentCache[K comparable, V any] struct {
	capacity int

	mu     sync.Mutex
	recent *list.List // of recentValue, the last used first
	perKey map[K]*list.Element
}

type recentValue[K comparable, V any] struct {
	key   K
	value V
}

func newRecentCache[K comparable, V any](capacity int) *recentCache[K, V] {
	return &recentCache[K, V]{capacity: capacity, recent: list.New(), perKey: make(map[K]*list.Element, capacity)}
}

func (c *recentCache[K, V]) get(key K) (value V, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, found := c.perKey[key]
	if !found {
		return value, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(recentValue[K, V]).value, true
}

func (c *recentCache[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.perKey[key]; known {
		return
	}
	c.perKey[key] = c.recent.PushFront(recentValue[K, V]{key, value})
	if c.recent.Len() > c.capacity {
		oldest := c.recent.Remove(c.recent.Back()).(recentValue[K, V])
		delete(c.perKey, oldest.key)
	}
}

// find returns what is known of the key, or what compute returns, which runs outside of the lock: two callers may
// compute the same. What is not good is not remembered.
func (c *recentCache[K, V]) find(key K, compute func() (V, bool)) V {
	if known, found := c.get(key); found {
		return known
	}
	value, isGood := compute()
	if isGood {
		c.put(key, value)
	}
	return value
}

// compileRemembered is compileCondition for a text that is compiled again and again.
func compileRemembered(text string) (compiled *condition, problems []string) {
	compiled = compiledConditions.find(text, func() (*condition, bool) {
		compiled, problems = compileCondition(text)
		return compiled, problems == nil
	})
	return compiled, problems
}

// ParseStored is Parse for a text that is read again and again.
func ParseStored(document string) (policy *Policy, faults Faults) {
	policy = parsedPolicies.find(document, func() (*Policy, bool) {
		policy, faults = Parse([]byte(document))
		return policy, faults == nil
	})
	return policy, faults
}

// decisionKey is what a decision depends on.
type decisionKey struct {
	policy *Policy
	action Action
	claims string // the values of those that the policy uses
}

// maxKeyBytes is how long claims may be together whose decision is remembered.
const maxKeyBytes = 4 << 10

// keyOf returns what the decision about a job depends on; false if it is too long to be remembered by.
func (p *Policy) keyOf(action Action, job *Claims) (decisionKey, bool) {
	var values []byte
	for _, claim := range p.uses {
		values = claim.appendTo(values, job)
	}
	return decisionKey{p, action, string(values)}, len(values) <= maxKeyBytes
}

// appendTo appends the claim's value, so that no other values come to the same text.
func (c *claim) appendTo(to []byte, job *Claims) []byte {
	text := ""
	switch {
	case c.number != nil:
		return append(strconv.AppendInt(to, *c.number(job), 10), ' ')
	case c.text != nil:
		text = *c.text(job)
	case *c.nullable(job) == nil:
		return append(to, '-')
	default:
		text = **c.nullable(job)
	}
	to = append(strconv.AppendInt(to, int64(len(text)), 10), ':')
	return append(to, text...)
}
