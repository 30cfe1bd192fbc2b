package read

import (
	"cmp"
	"strconv"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// MaxPage is how many items a part of a connection has at most, and unless another number is asked for. Meta-data,
// which is short, may be more.
const (
	MaxPage         = 500
	MaxMetaDataPage = 10_000
)

// ConnectionPart is the part of a connection that is asked for: the first or the last items that lie between two
// cursors.
type ConnectionPart struct {
	First, Last   *int64
	After, Before string // cursors; "" for none

	max int64 // 0: MaxPage
}

// Check returns Malformed for a part that is larger than parts are.
func (p ConnectionPart) Check() error {
	for _, n := range []struct {
		name  string
		value *int64
	}{{"first", p.First}, {"last", p.Last}} {
		if most := cmp.Or(p.max, MaxPage); n.value != nil && (*n.value < 0 || *n.value > most) {
			return domain.NewError(domain.Malformed, "`"+n.name+"` must be a number from 0 to "+strconv.FormatInt(most, 10))
		}
	}
	return nil
}

// Connection is a list below one parent, of which a part was asked for. It is read when something of it is asked for,
// in one statement with its siblings, those that the same question made, and together with what is expected of other
// connections. The zero Connection is empty.
type Connection[T any] struct {
	source *connectionSource[T]
	parent string
	part   ConnectionPart

	items         []T
	err           error
	after, before store.Position // of the cursors; nil once it is known what lies beyond
	moreBefore    bool           // the list has items before the part
	moreAfter     bool           // the list has items behind the part
	count         int64
}

// connectionSource is what siblings have in common.
type connectionSource[T any] struct {
	snapshot *Snapshot
	list     list[T]
	siblings []*Connection[T]

	isRead, isCounted bool
	countErr          error
}

// list is the list that connections are parts of.
type list[T any] interface {
	Position(parent, cursor string) (store.Position, error)
	Cursor(parent string, item T) string
	Read(tx store.Tx, viewer store.Viewer, parents []string, part store.Range) ([][]T, error)
	Count(tx store.Tx, viewer store.Viewer, parents []string) ([]int64, error)
	BoundCount(counted int64) (count int64, isBounded bool)
	Reaches(tx store.Tx, viewer store.Viewer, parent string, position store.Position, before bool) (bool, error)
}

// connect makes the connections below some parents, one for each of them; nil for a parent that is "".
func connect[T any, P ~string](r *Snapshot, list list[T], parents []P, part ConnectionPart) (
	[]*Connection[T], error) {
	if err := part.Check(); err != nil {
		return nil, err
	}
	source := &connectionSource[T]{snapshot: r, list: list}
	connections := make([]*Connection[T], len(parents))
	perParent := make(map[P]*Connection[T], len(parents))
	for i, parent := range parents {
		if parent == "" {
			continue
		}
		c := perParent[parent]
		if c == nil {
			c = &Connection[T]{source: source, parent: string(parent), part: part}
			if c.after, c.err = list.Position(c.parent, part.After); c.err == nil {
				c.before, c.err = list.Position(c.parent, part.Before)
			}
			perParent[parent] = c
			source.siblings = append(source.siblings, c)
		}
		connections[i] = c
	}
	return connections, nil
}

// connectOne is connect for one parent.
func connectOne[T any](r *Snapshot, list list[T], parent string, part ConnectionPart) (*Connection[T], error) {
	connections, err := connect(r, list, []string{parent}, part)
	if err != nil {
		return nil, err
	}
	return connections[0], connections[0].err
}

// Err returns why the list cannot be read: one of the cursors is not its own.
func (c *Connection[T]) Err() error { return c.err }

// Expect says that the items, or the counts, of connections that one question made will be asked for.
func Expect[T any](connections []*Connection[T], items, counts bool) {
	for _, c := range connections {
		if c == nil || c.source == nil {
			continue
		}
		if items {
			c.source.snapshot.expect(c.source.read)
		}
		if counts {
			c.source.snapshot.expect(c.source.countAll)
		}
		return
	}
}

// expect has something read together with whatever is asked for next.
func (r *Snapshot) expect(read func()) {
	r.expected = append(r.expected, func() error {
		read()
		return nil // a list that cannot be read has the error itself
	})
}

// readWithExpected reads something together with what is expected.
func (r *Snapshot) readWithExpected(read func()) {
	r.expect(read)
	reading := r.expected
	r.expected = nil
	_ = r.tx.Together(reading...)
}

// Items returns the part that was asked for.
func (c *Connection[T]) Items() ([]T, error) {
	if c.source != nil && !c.source.isRead {
		c.source.snapshot.readWithExpected(c.source.read)
	}
	return c.items, c.err
}

// read reads the part of each sibling, in one statement, once.
func (s *connectionSource[T]) read() {
	if s.isRead {
		return
	}
	s.isRead = true
	var reading []*Connection[T]
	for _, c := range s.siblings {
		if c.err == nil {
			reading = append(reading, c)
		}
	}
	if len(reading) == 0 {
		return
	}
	// Cursors are one list's own, so that with one there is one parent.
	first := reading[0]
	limit, fromEnd := first.part.limit()
	pages, err := s.list.Read(s.snapshot.tx, s.snapshot.viewer(), parentsOf(reading),
		// one more shows whether the list goes on
		store.Range{After: first.after, Before: first.before, Limit: limit + 1, FromEnd: fromEnd})
	for i, c := range reading {
		if c.err = err; err == nil {
			c.setItems(pages[i], limit, fromEnd)
		}
	}
}

// limit returns how many items are read, and from which end of the list.
func (p ConnectionPart) limit() (limit int64, fromEnd bool) {
	switch {
	case p.First != nil:
		return *p.First, false
	case p.Last != nil:
		return *p.Last, true
	}
	return MaxPage, false
}

func parentsOf[T any](connections []*Connection[T]) []string {
	parents := make([]string, len(connections))
	for i, c := range connections {
		parents[i] = c.parent
	}
	return parents
}

// setItems sets the part that was asked for from the items that were read.
func (c *Connection[T]) setItems(items []T, limit int64, fromEnd bool) {
	switch over := int64(len(items)) > limit; {
	case over && fromEnd:
		items, c.moreBefore = items[1:], true
	case over:
		items, c.moreAfter = items[:limit], true
	}
	if last := c.part.Last; !fromEnd && last != nil && int64(len(items)) > *last {
		items, c.moreBefore = items[int64(len(items))-*last:], true
	}
	c.items = items
}

// Count returns how long the whole list is, as far as it is counted.
func (c *Connection[T]) Count() (int64, error) {
	count, _, err := c.boundedCount()
	return count, err
}

// CountIsBounded reports whether the list is longer than Count says.
func (c *Connection[T]) CountIsBounded() (bool, error) {
	_, isBounded, err := c.boundedCount()
	return isBounded, err
}

func (c *Connection[T]) boundedCount() (count int64, isBounded bool, err error) {
	if c.source == nil {
		return 0, false, nil
	}
	if !c.source.isCounted {
		c.source.snapshot.readWithExpected(c.source.countAll)
	}
	count, isBounded = c.source.list.BoundCount(c.count)
	return count, isBounded, c.source.countErr
}

// countAll counts the list of each sibling, in one statement, once.
func (s *connectionSource[T]) countAll() {
	if s.isCounted {
		return
	}
	s.isCounted = true
	var counts []int64
	if counts, s.countErr = s.list.Count(s.snapshot.tx, s.snapshot.viewer(), parentsOf(s.siblings)); s.countErr != nil {
		return
	}
	for i, c := range s.siblings {
		c.count = counts[i]
	}
}

// Cursor returns the position of an item of the list.
func (c *Connection[T]) Cursor(item T) string { return c.source.list.Cursor(c.parent, item) }

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
	if _, err := c.Items(); err != nil || c.moreAfter || c.before == nil {
		return c.moreAfter, err
	}
	err := c.lookBeyond(&c.moreAfter, &c.before, false)
	return c.moreAfter, err
}

// HasPreviousPage reports whether something of the list comes before the part.
func (c *Connection[T]) HasPreviousPage() (bool, error) {
	if _, err := c.Items(); err != nil || c.moreBefore || c.after == nil {
		return c.moreBefore, err
	}
	err := c.lookBeyond(&c.moreBefore, &c.after, true)
	return c.moreBefore, err
}

// lookBeyond finds out whether anything of the list lies at or beyond a position, once.
func (c *Connection[T]) lookBeyond(more *bool, position *store.Position, before bool) (err error) {
	r := c.source.snapshot
	*more, err = c.source.list.Reaches(r.tx, r.viewer(), c.parent, *position, before)
	if err == nil {
		*position = nil
	}
	return err
}
