package policy

import (
	"container/list"
	"sync"
)

// compiledConditions remembers compiled conditions, because compiling one takes a hundred times as long as
// evaluating it and policies are parsed wherever they are used.
var compiledConditions = newConditionCache(1024)

// conditionCache keeps the conditions that were used last, up to a number, by their text. It is safe
// for concurrent use.
type conditionCache struct {
	capacity int

	mu     sync.Mutex
	recent *list.List // of *condition, the last used first
	byText map[string]*list.Element
}

func newConditionCache(capacity int) *conditionCache {
	return &conditionCache{capacity: capacity, recent: list.New(), byText: make(map[string]*list.Element, capacity)}
}

// compile returns the condition that text is, or what is wrong with it. What is wrong is not
// remembered.
func (c *conditionCache) compile(text string) (*condition, []string) {
	if known := c.get(text); known != nil {
		return known, nil
	}
	// Compiling happens outside the lock; two callers may do the same work.
	compiled, problems := compileCondition(text)
	if problems == nil {
		c.put(compiled)
	}
	return compiled, problems
}

func (c *conditionCache) get(text string) *condition {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, known := c.byText[text]
	if !known {
		return nil
	}
	c.recent.MoveToFront(element)
	return element.Value.(*condition)
}

func (c *conditionCache) put(compiled *condition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.byText[compiled.text]; known {
		return
	}
	c.byText[compiled.text] = c.recent.PushFront(compiled)
	if c.recent.Len() > c.capacity {
		oldest := c.recent.Remove(c.recent.Back()).(*condition)
		delete(c.byText, oldest.text)
	}
}

// parsedPolicies remembers policies, because one with many rules takes longer to read than to decide.
var parsedPolicies = policyCache{byText: map[string]*Policy{}}

// maxParsedPolicies is how many policies are remembered. All are forgotten when there are more.
const maxParsedPolicies = 128

// policyCache keeps policies by their text. It is safe for concurrent use.
type policyCache struct {
	mu     sync.RWMutex
	byText map[string]*Policy
}

// ParseStored is Parse for a text that is read again and again. What is wrong with one is not remembered.
func ParseStored(document string) (*Policy, Faults) {
	c := &parsedPolicies
	c.mu.RLock()
	known := c.byText[document]
	c.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	parsed, faults := Parse([]byte(document))
	if faults != nil {
		return nil, faults
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byText) >= maxParsedPolicies {
		clear(c.byText)
	}
	c.byText[document] = parsed
	return parsed, nil
}
