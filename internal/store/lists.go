package store

import (
	"slices"
	"strconv"
	"strings"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// Sight is whose eyes rows are read with: a user's or a portal's.
type Sight struct {
	User   domain.UserID
	Portal domain.PortalID
}

// administers returns the condition that who looks administers the organization in a column.
func (s Sight) administers(a *arguments, organization string) string {
	if s.Portal != "" {
		return organization + ` = (SELECT organization_id FROM portals WHERE id = ` + a.add(s.Portal) + `)`
	}
	return organization + ` IN (SELECT sa.organization_id FROM organization_members sa WHERE sa.user_id = ` + a.add(s.User) + ` AND sa.role = 'admin')`
}

// arguments collects the arguments of a statement while its text is written.
type arguments struct{ values []any }

// add returns the parameter that stands for v.
func (a *arguments) add(v any) string {
	a.values = append(a.values, v)
	return "$" + strconv.Itoa(len(a.values))
}

// equal returns the condition that a column has the text. What cannot be stored, no column has.
func equal(a *arguments, column, text string) string {
	if !domain.ValidText(text) {
		return "FALSE"
	}
	return column + " = " + a.add(text)
}

// like returns the condition that a column has the text in it, in any case: the column's values are folded.
func like(a *arguments, column, text string) string {
	if !domain.ValidText(text) {
		return "FALSE"
	}
	return column + " LIKE " + a.add("%"+likeEscapes.Replace(text)+"%") + ` ESCAPE '\'`
}

// maxIn is how many values a statement is given to look for at most, so that a page's fit. SQLite prepares a statement in a time
// that grows with the square of their number: 3 ms for these, 3 s for 16,384.
const maxIn = 512

// in returns the condition that a column has one of the values. Few different texts come out, whatever their number: the last
// value is repeated.
func in[T ~string](a *arguments, column string, values []T) string {
	if len(values) == 0 {
		return "FALSE"
	}
	size := 1
	for size < len(values) {
		size *= 2
	}
	from := len(a.values) + 1
	for i := range size {
		a.values = append(a.values, values[min(i, len(values)-1)])
	}
	return column + " IN (" + db.InList(from, size) + ")"
}

// condition writes a part of a WHERE clause.
type condition func(*arguments) string

// Rows says how things of a kind are read: the columns that scan reads, the tables that conditions and orders may name, and
// the joins that only the columns need.
type Rows[T any] struct {
	columns func(*arguments, Sight) string
	tables  string
	joins   string
	counted string // those of the tables that tell how many there are where no condition chooses; empty: all
	id      string
	owner   string                         // the column of the organization that one belongs to
	keyed   bool                           // by the owner and the id together, not by the id alone
	owned   string                         // the join that the owner's column needs
	seen    func(*arguments, Sight) string // which of them are seen; nil: all
	scan    func(*db.Row) T
}

// plain returns columns that do not depend on who looks.
func plain(columns string) func(*arguments, Sight) string {
	return func(*arguments, Sight) string { return columns }
}

func (rows Rows[T]) where(a *arguments, sight Sight, conditions ...condition) string {
	var texts []string
	if rows.seen != nil {
		texts = append(texts, rows.seen(a, sight))
	}
	for _, c := range conditions {
		texts = append(texts, c(a))
	}
	return " WHERE " + strings.Join(texts, " AND ")
}

// Found is a thing and whose it is.
type Found[T any] struct {
	Organization domain.OrganizationID
	Thing        T
}

// Find returns those of the things with these ids that are seen, in any order.
func Find[T any, ID ~string](tx Tx, rows Rows[T], sight Sight, ids []ID) ([]Found[T], error) {
	var things []Found[T]
	err := inParts(ids, func(some []ID) error {
		var a arguments
		columns := rows.columns(&a, sight)
		where := rows.where(&a, sight, func(a *arguments) string { return in(a, rows.id, some) })
		found, err := all(tx, func(r *db.Row) Found[T] {
			return Found[T]{Organization: domain.OrganizationID(r.Text()), Thing: rows.scan(r)}
		}, `SELECT `+rows.owner+`, `+columns+` FROM `+rows.tables+` `+rows.joins+` `+rows.owned+where, a.values...)
		things = append(things, found...)
		return err
	})
	return things, err
}

// List is a list of things below each of some parents.
type List[T any] struct {
	Rows       Rows[T]
	parent     string // the column that has the parent's id
	parents    string // the parents' table
	keys       []Key  // by which it is ordered: together they are unique
	descending bool
	indexed    bool // an index has the parent and then the keys, and no other is better for the conditions
	conditions []condition
}

// Key is what a list is ordered by.
type Key struct {
	column condition
	Number bool // not text
}

func text(column string) Key { return Key{column: func(*arguments) string { return column }} }

func number(column string) Key {
	return Key{column: func(*arguments) string { return column }, Number: true}
}

// Part is a part of a list: the first, or the last, that lie between two positions, each a value for each key. A nil position
// is the list's beginning or end.
type Part struct {
	After, Before []any
	Limit         int64
	FromEnd       bool
}

// Keys returns what the list is ordered by.
func (l List[T]) Keys() []Key { return l.keys }

// between returns the conditions that a part's positions make. A list's order may run downwards.
func (l List[T]) between(after, before []any, inclusive string) []condition {
	beyond, short := " >"+inclusive+" ", " <"+inclusive+" "
	if l.descending {
		beyond, short = short, beyond
	}
	var conditions []condition
	add := func(compare string, position []any) {
		if position == nil {
			return
		}
		conditions = append(conditions, func(a *arguments) string {
			columns, values := make([]string, len(l.keys)), make([]string, len(l.keys))
			for i, key := range l.keys {
				columns[i], values[i] = key.column(a), a.add(position[i])
			}
			return "(" + strings.Join(columns, ", ") + ")" + compare + "(" + strings.Join(values, ", ") + ")"
		})
	}
	add(beyond, after)
	add(short, before)
	return conditions
}

func (l List[T]) order(a *arguments, backwards bool) string {
	direction := ""
	if l.descending != backwards {
		direction = " DESC"
	}
	columns := make([]string, len(l.keys))
	for i, key := range l.keys {
		columns[i] = key.column(a) + direction
	}
	return strings.Join(columns, ", ")
}

// Page returns, for each parent, a part of its list, in the list's order.
func Page[T any, P ~string](tx Tx, l List[T], sight Sight, parents []P, part Part) (pages [][]T, err error) {
	err = inParts(parents, func(some []P) error {
		found, err := page(tx, l, sight, some, part)
		pages = append(pages, found...)
		return err
	})
	return pages, err
}

// page is Page for as many parents as one statement takes.
func page[T any, P ~string](tx Tx, l List[T], sight Sight, parents []P, part Part) ([][]T, error) {
	var a arguments
	var sql string
	if len(parents) == 1 {
		below := func(a *arguments) string { return l.parent + " = " + a.add(parents[0]) }
		sql = l.part(&a, sight, `0, 0, `+l.Rows.columns(&a, sight), l.Rows.joins, below, part)
	} else {
		statement := l.bounded
		if tx.HasLateral() {
			statement = l.lateral
		}
		sql = statement(&a, sight, `(SELECT id AS parent_ FROM `+l.parents+` WHERE `+in(&a, "id", parents)+`) parents`, part)
	}
	return readPages(tx, l, parents, part, sql, a.values)
}

// readPages runs a statement whose rows begin with their parent, if there are several, and one more column.
func readPages[T any, P ~string](tx Tx, l List[T], parents []P, part Part, sql string, args []any) ([][]T, error) {
	pages := make([][]T, len(parents))
	at := make(map[string]int, len(parents))
	for i, parent := range parents {
		at[string(parent)] = i
	}
	err := tx.Query(sql, func(r *db.Row) error {
		i := 0
		if len(parents) > 1 {
			i = at[r.Text()]
		} else {
			r.Skip(1)
		}
		r.Skip(1)
		if int64(len(pages[i])) < part.Limit {
			pages[i] = append(pages[i], l.Rows.scan(r))
		}
		return nil
	}, args...)
	if part.FromEnd {
		for i := range pages {
			slices.Reverse(pages[i])
		}
	}
	return pages, err
}

// part returns the statement that reads a part of one parent's list.
func (l List[T]) part(a *arguments, sight Sight, columns, joins string, below condition, part Part) string {
	where := l.Rows.where(a, sight, slices.Concat([]condition{below}, l.conditions, l.between(part.After, part.Before, ""))...)
	return `SELECT ` + columns + ` FROM ` + l.Rows.tables + ` ` + joins + where + ` ORDER BY ` + l.order(a, part.FromEnd) + limit(part.Limit)
}

// Two statements that read a part of the list of each parent_ and as good as nothing else, by the parent and then in the list's
// order. The columns of the rows are the third and those that follow.

// lateral is for PostgreSQL: SQLite has nothing like it.
func (l List[T]) lateral(a *arguments, sight Sight, parents string, part Part) string {
	columns := `ROW_NUMBER() OVER (ORDER BY ` + l.order(a, part.FromEnd) + `) AS place_, ` + l.Rows.columns(a, sight)
	return `SELECT * FROM ` + parents + ` CROSS JOIN LATERAL (` + l.part(a, sight, columns, l.Rows.joins, l.belowParent, part) + `) part ORDER BY parent_, place_`
}

// bounded is for SQLite, which ranks slowly and keeps to the order in which tables are cross-joined.
func (l List[T]) bounded(a *arguments, sight Sight, parents string, part Part) string {
	where := l.amongIDs
	if l.indexed {
		where = l.upToLast
	}
	return `SELECT parent_, 0, ` + l.Rows.columns(a, sight) + ` FROM ` + parents + ` CROSS JOIN ` + l.Rows.tables + ` ` + l.Rows.joins +
		where(a, sight, part) + ` ORDER BY parent_, ` + l.order(a, part.FromEnd)
}

// amongIDs chooses what has the ids of a parent's part. The + keeps SQLite from going through all that the parent has instead, and
// finding the ids for each.
func (l List[T]) amongIDs(a *arguments, sight Sight, part Part) string {
	below := `+` + l.parent
	if l.Rows.keyed {
		below = l.parent
	}
	return ` WHERE ` + below + ` = parent_ AND ` + l.Rows.id + ` IN (` + l.part(a, sight, l.Rows.id, ``, l.belowParent, part) + `)`
}

// upToLast chooses a parent's rows up to the value that the last of the part has of the first key. There may be more that have that
// value than the part should have. Only an index makes this worth it: without one, the value would be found for each row.
func (l List[T]) upToLast(a *arguments, sight Sight, part Part) string {
	last, compare := `max`, ` <= `
	if l.descending != part.FromEnd {
		last, compare = `min`, ` >= `
	}
	bound := func(a *arguments) string {
		key := l.keys[0].column(a)
		return key + compare + `(SELECT ` + last + `(key_) FROM (` + l.part(a, sight, key+` AS key_`, ``, l.belowParent, part) + `))`
	}
	return l.Rows.where(a, sight, slices.Concat([]condition{l.belowParent, bound}, l.conditions, l.between(part.After, part.Before, ""))...)
}

func (l List[T]) belowParent(*arguments) string { return l.parent + ` = parent_` }

// Count returns how long each parent's list is.
func Count[T any, P ~string](tx Tx, l List[T], sight Sight, parents []P) ([]int64, error) {
	counts := make([]int64, len(parents))
	at := make(map[string]int, len(parents))
	for i, parent := range parents {
		at[string(parent)] = i
	}
	err := inParts(parents, func(some []P) error {
		var a arguments
		where := l.Rows.where(&a, sight, slices.Concat([]condition{func(a *arguments) string { return in(a, l.parent, some) }}, l.conditions)...)
		tables := l.Rows.tables
		if l.Rows.counted != "" && len(l.conditions) == 0 {
			tables = l.Rows.counted
		}
		return tx.Query(`SELECT `+l.parent+`, count(*) FROM `+tables+where+` GROUP BY `+l.parent, func(r *db.Row) error {
			counts[at[r.Text()]] = r.Int()
			return nil
		}, a.values...)
	})
	return counts, err
}

// Reaches reports whether anything of a parent's list lies at or beyond a position: after it, or before it.
func Reaches[T any, P ~string](tx Tx, l List[T], sight Sight, parent P, position []any, before bool) (bool, error) {
	var a arguments
	after, until := position, []any(nil)
	if before {
		after, until = until, after
	}
	conditions := slices.Concat([]condition{func(a *arguments) string { return l.parent + " = " + a.add(parent) }},
		l.conditions, l.between(after, until, "="))
	return tx.has(`SELECT 1 FROM `+l.Rows.tables+l.Rows.where(&a, sight, conditions...)+` LIMIT 1`, a.values...)
}
