package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

// Viewer is who reads: a user or a portal. What they may not see is left out in SQL.
type Viewer struct {
	User   domain.UserID
	Portal domain.PortalID
}

// ViewerOf returns a caller as a viewer.
func ViewerOf(caller *authz.Identity) Viewer {
	if caller.User.ID != "" {
		return Viewer{User: caller.User.ID}
	}
	return Viewer{Portal: caller.Portal.ID}
}

// administers is the condition that the viewer administers the organization in a column.
func (v Viewer) administers(organization string) clause {
	if v.Portal != "" {
		return clauseOf(organization+` = (SELECT organization_id FROM portals WHERE id = ?)`, v.Portal)
	}
	return clauseOf(organization+
		` IN (SELECT organization_id FROM organization_members WHERE user_id = ? AND role = 'admin')`, v.User)
}

// Rows says how things of a kind are read, in lists and by their ids.
type Rows[T any] struct {
	items   items[T]
	viewed  *viewedColumn[T]    // one more column, which depends on the viewer; nil: none
	tables  string              // what conditions and orders may name
	joins   string              // what only the columns need
	id      Key[T]              // distinguishes one from the others
	visible func(Viewer) clause // which of them the viewer sees; nil: all

	organization string // the column of the organization that one belongs to
	owners       string // the join that this column needs
	perParent    bool   // the tables' key is the parent with the id, not the id alone
	counted      string // those of the tables that are counted where there are no conditions; "": all
}

// viewedColumn is a column whose value depends on the viewer.
type viewedColumn[T any] struct {
	sql  func(Viewer) clause
	read func(*columns, T)
}

// items is what a SELECT reads of each item.
type items[T any] struct {
	columns string
	read    func(*columns) T
}

func pointersTo[V any](selected selection[V]) items[*V] {
	return items[*V]{selected.columns, func(c *columns) *V {
		v := new(V)
		selected.read(c, v)
		return v
	}}
}

// scan reads the current row.
func (rows Rows[T]) scan(c *columns) T {
	item := rows.items.read(c)
	if rows.viewed != nil {
		rows.viewed.read(c, item)
	}
	return item
}

// Key is what a list is ordered by: a column, and the value that an item has in it, which is a text or a number.
type Key[T any] struct {
	column   clause
	value    func(T) any
	isNumber bool
}

func textKey[T any](column string, value func(T) string) Key[T] {
	return Key[T]{column: clauseOf(column), value: func(item T) any { return value(item) }}
}

func timeKey[T any](column string, value func(T) time.Time) Key[T] {
	return Key[T]{column: clauseOf(column), value: func(item T) any { return db.Micros(value(item)) }, isNumber: true}
}

// List is a list of things below each of some parents. It alone knows which columns order it, what its cursors hold,
// who sees what of it, and how long it is. It can be asked by key, for several parents at once, or by offset.
type List[T any] struct {
	rows       Rows[T]
	name       func() string // with the order and the filter: a cursor of another list is refused
	parent     string        // the column that has the parent's id
	parents    string        // the parents' table
	keys       []Key[T]      // together they are unique
	descending bool
	conditions []clause
	scans      bool // a condition may have to look at all of the list
	sparse     []sparseCondition
	// how long each parent's list is, where that is known; otherwise nil
	totals     func(parents []string) ([]int64, error)
	changes    *int64 // how often the list of the one parent has changed, where that is known
	countLimit int64  // how far a parent's list is counted; 0: to its end
}

// newList returns the list of all that there is below a parent. The choices are the order and the filter: what the list
// differs by from others of that name.
func newList[T any](rows Rows[T], name, parent, parents string, choices ...any) List[T] {
	fullName := sync.OnceValue(func() string { // only cursors need it
		text := name
		for _, choice := range choices {
			// an empty list chooses nothing, nil chooses all
			chosen, err := json.Marshal(choice, json.FormatNilSliceAsNull(true))
			if err != nil {
				chosen = []byte(err.Error())
			}
			text += " " + string(chosen)
		}
		return text
	})
	return List[T]{rows: rows, name: fullName, parent: parent, parents: parents}
}

// sortBy orders the list by keys, and by ids where these are equal.
func (l *List[T]) sortBy(keys ...Key[T]) { l.keys = slices.Concat(keys, []Key[T]{l.rows.id}) }

// sort orders the list by name, or by when things were made, the newest first.
func (l *List[T]) sort(order domain.Order, name, created Key[T]) {
	if order == domain.RecentlyCreated {
		l.sortBy(created)
		l.descending = true
		return
	}
	l.sortBy(name)
}

// where restricts the list to what fulfils a condition.
func (l *List[T]) where(condition clause) {
	l.conditions = append(l.conditions, condition)
	l.scans = true
}

// whereIndexed is where for a condition that an index serves.
func (l *List[T]) whereIndexed(condition clause) { l.conditions = append(l.conditions, condition) }

// sparseCondition is a condition on rows of another table, which an index finds. If they are few, what they belong to
// is looked up; otherwise the list is read in its order, until enough of it is found.
type sparseCondition struct {
	at   int    // its place in the list's conditions, where it is written for many rows
	rows clause // selects the ids of the list's things from the other table
}

// fewRows is how many rows are few enough to be looked up one by one, and sorted.
const fewRows = 1_000

// whereSparse restricts the list to what fulfils a condition, which is the same as to be among what rows selects.
func (l *List[T]) whereSparse(condition, rows clause) {
	l.sparse = append(l.sparse, sparseCondition{len(l.conditions), rows})
	l.where(condition)
}

// withSparse returns the list with its sparse conditions written as their number of rows demands.
func (l List[T]) withSparse(tx Tx) (List[T], error) {
	if len(l.sparse) == 0 {
		return l, nil
	}
	sparse, isShort := l.sparse, false
	l.sparse, l.conditions = nil, slices.Clone(l.conditions)
	for _, s := range sparse {
		var a arguments
		found := int64(0)
		sql := `SELECT count(*) FROM (` + a.write(s.rows) + ` LIMIT ` + strconv.Itoa(fewRows+1) + `) found`
		if _, err := tx.One(sql, func(r *db.Row) { found = r.Int() }, a.values...); err != nil {
			return l, err
		}
		if found <= fewRows {
			l.conditions[s.at], isShort = clauseOf(l.rows.id.column.text+` IN (?)`, s.rows), true
		}
	}
	if isShort {
		l.parent = `COALESCE(` + l.parent + `, '')` // or SQLite would look at all that the parent has
		l = l.sortedAfterwards()
	}
	return l, nil
}

// onlyFirst returns the list with the first n items of a parent's alone.
func (l List[T]) onlyFirst(tx Tx, viewer Viewer, parent string, n int64) (List[T], error) {
	l, err := l.withSparse(tx)
	if err != nil {
		return l, err
	}
	var a arguments
	last, err := l.query(tx, l.pageSQL(&a, viewer, parent, Range{Limit: 1}, n-1), a.values, false)
	if err != nil || len(last) == 0 {
		return l, err
	}
	l.conditions = append(slices.Clone(l.conditions), l.between(nil, l.positionOf(last[0]), "=")...)
	return l, nil
}

// sortedAfterwards returns the list for few items: they are found by its conditions and then sorted, since to find them
// in the list's order may mean to look at all of it.
func (l List[T]) sortedAfterwards() List[T] {
	if !l.keys[0].isNumber {
		return l
	}
	l.keys = slices.Clone(l.keys)
	l.keys[0].column = clauseOf(`? + 0`, l.keys[0].column)
	return l
}

// scanPrice is how many statements it is worth to look at all of a list, where what a transaction reads is limited.
const scanPrice = 5

// whereIf restricts the list to what fulfils the condition that a filter's value makes; all, if there is none.
func whereIf[T, V any](l *List[T], value *V, condition func(V) clause) {
	if value != nil {
		l.where(condition(*value))
	}
}

// whereOneOf restricts the list to what has one of the values in a column; all, if the values are nil.
func whereOneOf[T any, V ~string](l *List[T], column string, values []V) {
	if values != nil {
		l.where(oneOf(column, values))
	}
}

// whereNamed restricts the list to what has the text in its name, in any case; all, if that is "".
func (l *List[T]) whereNamed(nameKey, part string) {
	if part != "" {
		l.where(contains(nameKey, domain.SortKey(part)))
	}
}

// WithTotals returns the list, of which is known how long it is below each parent.
func (l List[T]) WithTotals(totals func(parents []string) ([]int64, error)) List[T] {
	l.totals = totals
	return l
}

// WithTotal is WithTotals for one parent.
func (l List[T]) WithTotal(total int64) List[T] {
	return l.WithTotals(func([]string) ([]int64, error) { return []int64{total}, nil })
}

// WithChanges is WithTotal for a list of which is known too how often what it has, or its order, was changed.
func (l List[T]) WithChanges(total, changes int64) List[T] {
	l.changes = &changes
	return l.WithTotal(total)
}

// Position is a place in a list: a value for each key. It stays good when the item there is renamed or deleted.
type Position []any

// Range is a part of a list: the first, or the last, items that lie between two positions. A nil position is the list's
// beginning or end.
type Range struct {
	After, Before Position
	Limit         int64
	FromEnd       bool
}

func (l List[T]) positionOf(item T) Position {
	position := make(Position, len(l.keys))
	for i, key := range l.keys {
		position[i] = key.value(item)
	}
	return position
}

// Cursor returns the position of an item of a parent's list, as an opaque text.
func (l List[T]) Cursor(parent string, item T) string {
	texts := make([]string, len(l.keys))
	for i, key := range l.keys {
		texts[i] = fmt.Sprint(key.value(item))
	}
	return l.encode(parent, texts)
}

func (l List[T]) encode(parent string, texts []string) string {
	text, _ := json.Marshal(texts) // texts can always be
	return domain.EncodeCursor(l.name()+" of "+parent, string(text))
}

// Position returns the position that a cursor of a parent's list stands for; nil for none.
//
// Returns Malformed for a cursor that is not the list's own.
func (l List[T]) Position(parent, cursor string) (Position, error) {
	if cursor == "" {
		return nil, nil
	}
	position, err := l.decode(parent, cursor)
	if err == nil && position == nil {
		err = domain.ErrBadCursor
	}
	return position, err
}

// decode is Position for cursors among which is that of the end, which has no values.
func (l List[T]) decode(parent, cursor string) (Position, error) {
	text, err := domain.DecodeCursor(l.name()+" of "+parent, cursor)
	if err != nil {
		return nil, err
	}
	var texts []string
	if err := json.Unmarshal([]byte(text), &texts); err != nil {
		return nil, domain.ErrBadCursor
	}
	if len(texts) == 0 {
		return nil, nil
	}
	if len(texts) != len(l.keys) {
		return nil, domain.ErrBadCursor
	}
	position := make(Position, len(l.keys))
	for i, key := range l.keys {
		if !domain.ValidText(texts[i]) { // escaped, it was
			return nil, domain.ErrBadCursor
		}
		position[i] = texts[i]
		if key.isNumber {
			if position[i], err = strconv.ParseInt(texts[i], 10, 64); err != nil {
				return nil, domain.ErrBadCursor
			}
		}
	}
	return position, nil
}

// Read returns, for each parent, a part of its list, in the list's order.
func (l List[T]) Read(tx Tx, viewer Viewer, parents []string, part Range) (pages [][]T, err error) {
	if l, err = l.withSparse(tx); err != nil {
		return nil, err
	}
	if l.scans {
		if err := tx.Charge(scanPrice - 1); err != nil {
			return nil, err
		}
	}
	err = eachChunk(parents, func(some []string) error {
		if len(some) == 1 {
			items, err := l.readOne(tx, viewer, some[0], part)
			pages = append(pages, items)
			return err
		}
		found, err := l.readEach(tx, viewer, some, part)
		pages = append(pages, found...)
		return err
	})
	return pages, err
}

func (l List[T]) readOne(tx Tx, viewer Viewer, parent string, part Range) ([]T, error) {
	var a arguments
	sql := l.rangeSQL(&a, viewer, parent, part)
	return db.ReadRows(tx.Tx, sql, a.values, func() ([]T, error) { return l.query(tx, sql, a.values, part.FromEnd) })
}

// query runs a statement that yields items. Those of a backwards one are put in the list's order.
func (l List[T]) query(tx Tx, sql string, args []any, backwards bool) (items []T, err error) {
	var c columns
	err = tx.Query(sql, func(r *db.Row) error {
		c.row = r
		items = append(items, l.rows.scan(&c))
		return c.err
	}, args...)
	if backwards {
		slices.Reverse(items)
	}
	return items, err
}

// readEach reads the lists of several parents in one statement, whose rows begin with the parent and their place.
func (l List[T]) readEach(tx Tx, viewer Viewer, parents []string, part Range) ([][]T, error) {
	var a arguments
	sql := l.rangesSQL(&a, viewer, parents, part, tx.HasLateral())
	pages := make([][]T, len(parents))
	indexes := indexOf(parents)
	var c columns
	err := tx.Query(sql, func(r *db.Row) error {
		c.row = r
		i := indexes[r.Text()]
		r.Skip(1)
		pages[i] = append(pages[i], l.rows.scan(&c))
		return c.err
	}, a.values...)
	if part.FromEnd {
		for i := range pages {
			slices.Reverse(pages[i])
		}
	}
	return pages, err
}

func indexOf(values []string) map[string]int {
	indexes := make(map[string]int, len(values))
	for i, value := range values {
		indexes[value] = i
	}
	return indexes
}

// maxCounted is how far lists are counted of which an installation has a million items.
const maxCounted = 10_000

// countUpToMaximum makes Count stop behind maxCounted: one more says that the list is longer.
func (l *List[T]) countUpToMaximum() { l.countLimit = maxCounted + 1 }

// BoundCount returns what is said of a list's length, and whether the list is longer than that.
func (l List[T]) BoundCount(counted int64) (count int64, isBounded bool) {
	if l.countLimit > 0 && counted >= l.countLimit {
		return l.countLimit - 1, true
	}
	return counted, false
}

// Count returns how long each parent's list is. Where counting stops early, BoundCount says what that means.
func (l List[T]) Count(tx Tx, viewer Viewer, parents []string) ([]int64, error) {
	if l.totals != nil {
		return l.totals(parents)
	}
	if err := tx.Charge(scanPrice - 1); err != nil {
		return nil, err
	}
	l, err := l.withSparse(tx)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(parents))
	indexes := indexOf(parents)
	err = eachChunk(parents, func(some []string) error {
		var a arguments
		return tx.Query(l.countSQL(&a, viewer, some), func(r *db.Row) error {
			counts[indexes[r.Text()]] = r.Int()
			return nil
		}, a.values...)
	})
	return counts, err
}

// Reaches reports whether anything of a parent's list lies at a position or beyond: behind it, or before it.
func (l List[T]) Reaches(tx Tx, viewer Viewer, parent string, position Position, before bool) (bool, error) {
	l, err := l.withSparse(tx)
	if err != nil {
		return false, err
	}
	var a arguments
	return tx.has(l.reachesSQL(&a, viewer, parent, position, before), a.values...)
}

// ReadPage returns a numbered page of a parent's list, and how long all of it is.
func (l List[T]) ReadPage(tx Tx, viewer Viewer, parent string, page domain.Page) (paged domain.Paged[T], err error) {
	count := func() error {
		counts, err := l.Count(tx, viewer, []string{parent})
		if err == nil {
			paged.Total = counts[0]
		}
		return err
	}
	if page.Offset() == 0 && l.totals == nil && !l.scans {
		err = tx.Together(count, l.readFirst(tx, viewer, parent, page.Size, &paged))
		return paged, err
	}
	if err := count(); err != nil {
		return paged, err
	}
	size := min(page.Size, paged.Total-page.Offset())
	if size <= 0 {
		return paged, nil
	}
	// What comes before the page is passed over one by one, so it is begun at the nearest place whose rank is known.
	start := l.nearestFence(tx, parent, paged.Total, page.Offset())
	part, passed := Range{After: start.position, Limit: size}, page.Offset()-start.rank
	if behind := paged.Total - page.Offset() - size; behind < passed {
		part, passed = Range{Limit: size, FromEnd: true}, behind
	}
	var a arguments
	paged.Items, err = l.query(tx, l.pageSQL(&a, viewer, parent, part, passed), a.values, part.FromEnd)
	if err == nil && int64(len(paged.Items)) == size && page.Offset() > 0 {
		l.addFence(tx, parent, paged.Total, fence{page.Offset() + size, l.positionOf(paged.Items[size-1])})
	}
	return paged, err
}

// readFirst returns a function that reads the first items of a parent's list, without knowing how long that is: a list
// that scans would look for more than it has, to its end.
func (l List[T]) readFirst(tx Tx, viewer Viewer, parent string, limit int64, paged *domain.Paged[T]) func() error {
	return func() (err error) {
		var a arguments
		paged.Items, err = l.query(tx, l.pageSQL(&a, viewer, parent, Range{Limit: limit}, 0), a.values, false)
		return err
	}
}

// nearestFence returns a fence before the rank in a parent's list. Its beginning is one.
func (l List[T]) nearestFence(tx Tx, parent string, total, rank int64) fence {
	if rank == 0 || l.changes == nil || tx.fences == nil {
		return fence{}
	}
	return tx.fences.nearest(fencedKey{l.name(), parent}, fencedState{total, *l.changes}, rank)
}

func (l List[T]) addFence(tx Tx, parent string, total int64, added fence) {
	if l.changes != nil && tx.fences != nil {
		tx.fences.add(fencedKey{l.name(), parent}, fencedState{total, *l.changes}, added)
	}
}

// ReadShallowPage is ReadPage for a list that may be very long: only that many of its items can be read, and what comes
// long after the page is not counted.
//
// Returns Malformed for a page that lies deeper.
func (l List[T]) ReadShallowPage(tx Tx, viewer Viewer, parent string, page domain.Page, depth int64) (
	paged domain.Paged[T], err error) {
	if page.Offset() >= depth {
		return paged, domain.ErrTooDeep
	}
	if l, err = l.withSparse(tx); err != nil {
		return paged, err
	}
	count := func() error { return l.countAround(tx, viewer, []string{parent}, page, depth, &paged) }
	if page.Offset() == 0 && !l.scans {
		err = tx.Together(count, l.readFirst(tx, viewer, parent, min(page.Size, depth), &paged))
		return paged, err
	}
	if err := count(); err != nil {
		return paged, err
	}
	size := min(page.Size, paged.Total-page.Offset())
	if size <= 0 {
		return paged, nil
	}
	if l.scans && paged.Total <= fewRows {
		l = l.sortedAfterwards()
	}
	var a arguments
	paged.Items, err = l.query(tx, l.pageSQL(&a, viewer, parent, Range{Limit: size}, page.Offset()), a.values, false)
	return paged, err
}

// countAround counts how long the lists of some parents are together, as far as they are counted: no deeper than
// depth, and no farther than maxCounted behind a page.
func (l List[T]) countAround(tx Tx, viewer Viewer, parents []string, page domain.Page, depth int64,
	paged *domain.Paged[T]) error {
	if err := tx.Charge(scanPrice - 1); err != nil {
		return err
	}
	end := min(page.Offset()+page.Size+maxCounted, depth)
	var a arguments
	_, err := tx.One(l.countUpToSQL(&a, viewer, parents, end+1), func(r *db.Row) { paged.Total = r.Int() }, a.values...)
	if paged.Total > end {
		paged.Total, paged.IsLonger = end, true
	}
	return err
}

// ReadMergedPage is ReadShallowPage for the lists of several parents, as one list in the same order.
func (l List[T]) ReadMergedPage(tx Tx, viewer Viewer, parents []string, page domain.Page, depth int64) (
	paged domain.Paged[T], err error) {
	if page.Offset() >= depth {
		return paged, domain.ErrTooDeep
	}
	if len(parents) == 0 {
		return paged, nil
	}
	if l, err = l.withSparse(tx); err != nil {
		return paged, err
	}
	err = l.countAround(tx, viewer, parents, page, depth, &paged)
	if err != nil || page.Offset() >= paged.Total {
		return paged, err
	}
	lists, err := l.Read(tx, viewer, parents, Range{Limit: page.Offset() + page.Size})
	if err != nil {
		return paged, err
	}
	merged := slices.Concat(lists...)
	slices.SortFunc(merged, l.compareItems)
	paged.Items = merged[min(page.Offset(), int64(len(merged))):min(page.Offset()+page.Size, int64(len(merged)))]
	return paged, nil
}

// compareItems compares the places of two items in the list.
func (l List[T]) compareItems(a, b T) int {
	return l.comparePositions(l.positionOf(a), l.positionOf(b))
}

// comparePositions compares two places in the list.
func (l List[T]) comparePositions(a, b Position) (order int) {
	for i, key := range l.keys {
		if key.isNumber {
			x, _ := a[i].(int64)
			y, _ := b[i].(int64)
			order = cmp.Compare(x, y)
		} else {
			x, _ := a[i].(string)
			y, _ := b[i].(string)
			order = cmp.Compare(x, y)
		}
		if order != 0 {
			break
		}
	}
	if l.descending {
		return -order
	}
	return order
}

// ReadCursorPage returns the part of a parent's list that lies after or before a cursor, and the cursors of what lies
// around it.
//
// Returns Malformed for a cursor that is not the list's own, or two of them.
func (l List[T]) ReadCursorPage(tx Tx, viewer Viewer, parent string, page domain.CursorPage) (
	paged domain.CursorPaged[T], err error) {
	if page.After != nil && page.Before != nil {
		return paged, domain.NewError(domain.Malformed, "after and before can't be given together")
	}
	part := Range{Limit: page.Size + 1, FromEnd: page.Before != nil} // one more shows whether the list goes on
	switch {
	case page.After != nil:
		part.After, err = l.decode(parent, *page.After)
	case page.Before != nil:
		part.Before, err = l.decode(parent, *page.Before)
	}
	if err != nil {
		return paged, err
	}
	cursor, before, after := part.After, false, false
	if part.FromEnd {
		cursor = part.Before
	}
	if err := tx.Together(
		func() (err error) {
			paged.Items, err = l.readOne(tx, viewer, parent, part)
			return err
		},
		func() error {
			if cursor == nil {
				return nil
			}
			reaches, err := l.Reaches(tx, viewer, parent, cursor, !part.FromEnd)
			before, after = reaches && !part.FromEnd, reaches && part.FromEnd
			return err
		}); err != nil {
		return paged, err
	}
	switch more := int64(len(paged.Items)) > page.Size; {
	case more && part.FromEnd:
		paged.Items, before = paged.Items[1:], true
	case more:
		paged.Items, after = paged.Items[:page.Size], true
	}
	if before {
		paged.Prev = l.cursorAt(parent, paged.Items, 0)
	}
	if after {
		paged.Next = l.cursorAt(parent, paged.Items, len(paged.Items)-1)
	}
	return paged, nil
}

// cursorAt returns the cursor of one of the items. Around a page without items lies all of the list.
func (l List[T]) cursorAt(parent string, items []T, i int) string {
	if len(items) == 0 {
		return l.encode(parent, []string{})
	}
	return l.Cursor(parent, items[i])
}

// Found is a thing and whose it is.
type Found[T any] struct {
	Organization domain.OrganizationID
	ID           string
	Thing        T
}

// Find returns those of the things with these ids that the viewer sees, in any order.
func (rows Rows[T]) Find(tx Tx, viewer Viewer, ids []string) (things []Found[T], err error) {
	err = eachChunk(ids, func(some []string) error {
		var a arguments
		var c columns
		return tx.Query(rows.findSQL(&a, viewer, some), func(r *db.Row) error {
			c.row = r
			found := Found[T]{Organization: domain.OrganizationID(r.Text()), Thing: rows.scan(&c)}
			found.ID, _ = rows.id.value(found.Thing).(string)
			things = append(things, found)
			return c.err
		}, a.values...)
	})
	return things, err
}
