package service

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// MaxPage is how many items a part of a connection has at most, and unless another number is asked for.
const MaxPage = 500

// ConnectionPart is the part of a connection that is asked for: the first or the last items that lie between two cursors.
type ConnectionPart struct {
	First, Last   *int64
	After, Before string // cursors; "" for none
}

func (p ConnectionPart) check() error {
	for _, n := range []struct {
		name  string
		value *int64
	}{{"first", p.First}, {"last", p.Last}} {
		if n.value != nil && (*n.value < 0 || *n.value > MaxPage) {
			return domain.NewError(domain.Malformed, "`"+n.name+"` must be a number from 0 to "+strconv.Itoa(MaxPage))
		}
	}
	return nil
}

// Connection is a list below one parent, of which a part was asked for. It is read when something of it is asked for, together
// with its siblings: those that the same question made. The zero Connection is empty.
type Connection[T any] struct {
	reading *Reading
	source  *connectionSource[T]
	parent  string
	part    ConnectionPart

	read            bool
	items           []T
	err             error
	after, before   []any // the cursors' positions
	more, moreAhead bool  // what was asked for was more than the part holds: behind it, before it
	next, previous  *bool // whether the list goes on beyond the cursors; nil: not known yet
	count           *int64
}

// connectionSource is what siblings have in common.
type connectionSource[T any] struct {
	name     string // with the order and the filter: a cursor of another list is refused
	list     store.List[T]
	sight    store.Sight
	position func(T) []any
	siblings []*Connection[T]
	count    func(parents []string) ([]int64, error) // how long each parent's list is
}

// connect makes the connections below some parents, one for each of them; nil for a parent that is "".
func connect[T any, P ~string](r *Reading, name string, list store.List[T], position func(T) []any, parents []P, part ConnectionPart) ([]*Connection[T], error) {
	if err := part.check(); err != nil {
		return nil, err
	}
	source := &connectionSource[T]{name: name, list: list, sight: r.sight(), position: position}
	source.count = func(parents []string) ([]int64, error) { return store.Count(r.tx, list, source.sight, parents) }
	connections := make([]*Connection[T], len(parents))
	perParent := make(map[P]*Connection[T], len(parents))
	for i, parent := range parents {
		if parent == "" {
			continue
		}
		c := perParent[parent]
		if c == nil {
			c = &Connection[T]{reading: r, source: source, parent: string(parent), part: part}
			if c.after, c.err = source.decode(c.parent, part.After); c.err == nil {
				c.before, c.err = source.decode(c.parent, part.Before)
			}
			perParent[parent] = c
			source.siblings = append(source.siblings, c)
		}
		connections[i] = c
	}
	return connections, nil
}

// Err returns why the list cannot be read: one of the cursors is not its own.
func (c *Connection[T]) Err() error { return c.err }

// Items returns the part that was asked for.
func (c *Connection[T]) Items() ([]T, error) {
	if c.source != nil && !c.read {
		c.source.read()
	}
	return c.items, c.err
}

// read reads the part of each sibling, in one statement.
func (s *connectionSource[T]) read() {
	var reading []*Connection[T]
	for _, c := range s.siblings {
		c.read = true
		if c.err == nil {
			reading = append(reading, c)
		}
	}
	if len(reading) == 0 {
		return
	}
	part := reading[0].part
	limit, fromEnd := int64(MaxPage), part.First == nil && part.Last != nil
	if part.First != nil {
		limit = *part.First
	} else if fromEnd {
		limit = *part.Last
	}
	// One more tells whether the list goes on. Cursors are one list's own, so that with one there is one parent.
	pages, err := store.Page(reading[0].reading.tx, s.list, s.sight, parentsOf(reading),
		store.Part{After: reading[0].after, Before: reading[0].before, Limit: limit + 1, FromEnd: fromEnd})
	for i, c := range reading {
		if c.err = err; err == nil {
			c.take(pages[i], limit, fromEnd)
		}
	}
}

func parentsOf[T any](connections []*Connection[T]) []string {
	parents := make([]string, len(connections))
	for i, c := range connections {
		parents[i] = c.parent
	}
	return parents
}

func (c *Connection[T]) take(items []T, limit int64, fromEnd bool) {
	switch over := int64(len(items)) > limit; {
	case over && fromEnd:
		items, c.moreAhead = items[1:], true
	case over:
		items, c.more = items[:limit], true
	}
	if last := c.part.Last; !fromEnd && last != nil && int64(len(items)) > *last {
		items, c.moreAhead = items[int64(len(items))-*last:], true
	}
	c.items = items
}

// Count returns how long the whole list is.
func (c *Connection[T]) Count() (int64, error) {
	if c.source == nil {
		return 0, nil
	}
	if c.count == nil {
		if err := c.source.countAll(); err != nil {
			return 0, err
		}
	}
	return *c.count, nil
}

func (s *connectionSource[T]) countAll() error {
	counts, err := s.count(parentsOf(s.siblings))
	if err != nil {
		return err
	}
	for i, c := range s.siblings {
		c.count = &counts[i]
	}
	return nil
}

// Cursor returns the position of an item of the list.
func (c *Connection[T]) Cursor(item T) string {
	return domain.EncodeCursor(c.source.cursorName(c.parent), c.source.encode(item))
}

// StartCursor returns the cursor of the part's first item; nil if it has none.
func (c *Connection[T]) StartCursor() *string { return c.cursorAt(0) }

// EndCursor returns the cursor of the part's last item; nil if it has none.
func (c *Connection[T]) EndCursor() *string { return c.cursorAt(len(c.items) - 1) }

func (c *Connection[T]) cursorAt(i int) *string {
	if i < 0 || i >= len(c.items) {
		return nil
	}
	cursor := c.Cursor(c.items[i])
	return &cursor
}

// HasNextPage reports whether the list goes on behind the part.
func (c *Connection[T]) HasNextPage() (bool, error) {
	if _, err := c.Items(); err != nil || c.more || c.before == nil {
		return c.more, err
	}
	return c.reaches(&c.next, c.before, false)
}

// reaches reports, and keeps in known, whether anything of the list lies at or beyond a position.
func (c *Connection[T]) reaches(known **bool, position []any, ahead bool) (bool, error) {
	if *known == nil {
		found, err := store.Reaches(c.reading.tx, c.source.list, c.source.sight, c.parent, position, ahead)
		if err != nil {
			return false, err
		}
		*known = &found
	}
	return **known, nil
}

// HasPreviousPage reports whether something of the list comes before the part.
func (c *Connection[T]) HasPreviousPage() (bool, error) {
	if _, err := c.Items(); err != nil || c.moreAhead || c.after == nil {
		return c.moreAhead, err
	}
	return c.reaches(&c.previous, c.after, true)
}

func (s *connectionSource[T]) cursorName(parent string) string { return s.name + " of " + parent }

// encode returns the values of an item's keys as text.
func (s *connectionSource[T]) encode(item T) string {
	values := s.position(item)
	texts := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case int64:
			texts[i] = strconv.FormatInt(v, 10)
		case string:
			texts[i] = v
		}
	}
	text, _ := json.Marshal(texts) // texts can always be
	return string(text)
}

// decode returns the values that a cursor of a parent's list stands for; nil for no cursor.
func (s *connectionSource[T]) decode(parent, cursor string) ([]any, error) {
	if cursor == "" {
		return nil, nil
	}
	text, err := domain.DecodeCursor(s.cursorName(parent), cursor)
	if err != nil {
		return nil, err
	}
	var texts []string
	keys := s.list.Keys()
	if err := json.Unmarshal([]byte(text), &texts); err != nil || len(texts) != len(keys) {
		return nil, domain.ErrBadCursor
	}
	values := make([]any, len(keys))
	for i, key := range keys {
		if !domain.ValidText(texts[i]) { // escaped, it was
			return nil, domain.ErrBadCursor
		}
		values[i] = texts[i]
		if key.Number {
			if values[i], err = strconv.ParseInt(texts[i], 10, 64); err != nil {
				return nil, domain.ErrBadCursor
			}
		}
	}
	return values, nil
}
