package store

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// columns goes through the columns of a table or of a SELECT. A function such as visitCluster names each column once,
// beside the field that has its value:
//
//	mapText(c, "name", &cluster.Name)
//
// The same function then names the columns of a statement, reads a row into the fields, and passes an INSERT or UPDATE
// their values. So no two columns can be swapped.
type columns struct {
	row    *db.Row // the row that is read; nil while columns are named
	named  []column
	prefix string // of the table whose columns are named, such as "c."
	use    columnUse
	err    error // a row or a value that cannot be read or written
}

// column is a column with the value that is stored in it.
type column struct {
	name       string
	value      cell
	use        columnUse
	writeOnly  bool
	isAppended bool // the value comes behind what the row has
}

// columnUse says which statements write a column.
type columnUse int

const (
	fixedColumn    columnUse = iota // INSERT sets it, and it never changes
	changingColumn                  // UPDATE sets it too
	readOnlyColumn                  // only statements of its own set it
)

func (u columnUse) isInserted() bool { return u != readOnlyColumn }
func (u columnUse) isUpdated() bool  { return u == changingColumn }

// changing begins the columns that UPDATE sets.
func (c *columns) changing() { c.use = changingColumn }

// readOnly begins the columns that only statements of their own set.
func (c *columns) readOnly() { c.use = readOnlyColumn }

func (c *columns) add(name string, value cell) {
	c.named = append(c.named, column{name: c.prefix + name, value: value, use: c.use})
}

// writeKey is a column that is written and never read: the key that a text is sorted or found by.
func (c *columns) writeKey(name string, keyOf func(string) string, text string) {
	if c.row == nil {
		c.named = append(c.named, column{name: c.prefix + name, value: textOf(keyOf(text)), use: c.use, writeOnly: true})
	}
}

// copyOf is a column that is written and never read: another table has the same value, and an index needs it here.
func (c *columns) copyOf(name string, value cell) {
	if c.row == nil {
		c.named = append(c.named, column{name: c.prefix + name, value: value, use: c.use, writeOnly: true})
	}
}

// mapText is a TEXT column. Null is read as "".
func mapText[S ~string](c *columns, name string, field *S) {
	if c.row != nil {
		*field = S(c.row.Text())
		return
	}
	c.add(name, textOf(string(*field)))
}

// mapNullText is a TEXT column that may be null.
func mapNullText[S ~string](c *columns, name string, field **S) {
	switch {
	case c.row == nil && *field == nil:
		c.add(name, cell{})
	case c.row == nil:
		c.add(name, textOf(string(**field)))
	case c.row.Null():
		c.row.Skip(1)
	default:
		value := S(c.row.Text())
		*field = &value
	}
}

// mapBool is a BOOLEAN column.
func mapBool(c *columns, name string, field *bool) {
	if c.row != nil {
		*field = c.row.Bool()
		return
	}
	c.add(name, boolOf(*field))
}

// mapInt is a BIGINT column.
func mapInt(c *columns, name string, field *int64) {
	if c.row != nil {
		*field = c.row.Int()
		return
	}
	c.add(name, numberOf(*field))
}

// mapNullInt is a BIGINT column that may be null.
func mapNullInt(c *columns, name string, field **int64) {
	switch {
	case c.row == nil && *field == nil:
		c.add(name, cell{})
	case c.row == nil:
		c.add(name, numberOf(**field))
	case c.row.Null():
		c.row.Skip(1)
	default:
		value := c.row.Int()
		*field = &value
	}
}

// mapCount is a BIGINT column that has a small number.
func mapCount(c *columns, name string, field *int) {
	if c.row != nil {
		*field = int(c.row.Int())
		return
	}
	c.add(name, numberOf(int64(*field)))
}

// mapTime is a column that has a time.
func mapTime(c *columns, name string, field *time.Time) {
	if c.row != nil {
		*field = c.row.Time()
		return
	}
	c.add(name, timeOf(*field))
}

// mapNullTime is a column that may have a time.
func mapNullTime(c *columns, name string, field **time.Time) {
	switch {
	case c.row != nil:
		*field = c.row.NullTime()
	case *field == nil:
		c.add(name, cell{})
	default:
		c.add(name, timeOf(**field))
	}
}

// mapJSON is a TEXT column that has JSON. An empty list or object is read as nil.
func mapJSON[V any](c *columns, name string, field *V) {
	if c.row == nil {
		c.add(name, jsonOf(field))
		return
	}
	if value := c.row.Text(); len(value) > len("{}") {
		c.fail(name, json.Unmarshal([]byte(value), field))
	}
}

func (c *columns) fail(name string, err error) {
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("column %s: %w", name, err)
	}
}

// mapLook goes through the columns of a look.
func mapLook(c *columns, look *domain.Look) {
	mapNullText(c, "description", &look.Description)
	mapNullText(c, "emoji", &look.Emoji)
	mapNullText(c, "color", &look.Color)
}

// mapSettings goes through the columns of settings.
func mapSettings[T, In any](c *columns, settings []domain.Setting[T, In], thing *T) {
	for i := range settings {
		switch s := &settings[i]; {
		case s.Flag != nil:
			mapBool(c, s.Name, s.Flag(thing))
		case s.Line != nil:
			mapNullText(c, s.Name, s.Line(thing))
		case s.Minutes != nil:
			mapNullInt(c, s.Name, s.Minutes(thing))
		case s.Choice != nil:
			mapText(c, s.Name, s.Choice(thing))
		}
	}
}

// mapOptionalUser is a user who may be absent, in the columns of the users table that is joined under the alias.
func mapOptionalUser(c *columns, alias string, field **domain.User) {
	mapOptional(c, users.as(alias), field)
}

// mapOptional is a row that may be absent, of a table that is joined. It is, if its first column is null.
func mapOptional[V any](c *columns, t table[V], field **V) {
	switch {
	case c.row == nil:
		t.visit(c, new(V))
	case c.row.Null():
		c.row.Skip(t.width)
	default:
		*field = new(V)
		t.visit(c, *field)
	}
}

// selection is what a SELECT reads: the text of its columns, and how a row of them is read.
type selection[V any] struct {
	columns string
	read    func(*columns, *V)
}

func selecting[V any](read func(*columns, *V)) selection[V] {
	var c columns
	read(&c, new(V))
	return selection[V]{strings.Join(readNames(c.named), ", "), read}
}

func readNames(named []column) (names []string) {
	for _, column := range named {
		if !column.writeOnly {
			names = append(names, column.name)
		}
	}
	return names
}

// table is a table whose rows are Vs. Its first column is its key.
type table[V any] struct {
	selection[V]
	name   string
	alias  string // by which statements know it
	width  int    // the number of columns that are read
	fields func(*columns, *V)
}

func tableOf[V any](name, alias string, fields func(*columns, *V)) table[V] {
	t := table[V]{name: name, alias: alias, fields: fields}
	t.selection = selecting(t.visit)
	var c columns
	fields(&c, new(V))
	t.width = len(readNames(c.named))
	return t
}

// as is the table under another alias.
func (t table[V]) as(alias string) table[V] {
	t.alias = alias
	return t
}

// visit goes through the table's columns as a part of a SELECT.
func (t table[V]) visit(c *columns, v *V) {
	outer, use := c.prefix, c.use
	c.prefix = t.alias + "."
	t.fields(c, v)
	c.prefix, c.use = outer, use
}

// written returns the columns of a statement that writes a row, and what it writes besides.
func (t table[V]) written(v *V, isWritten func(columnUse) bool, also []column) []column {
	var c columns
	t.fields(&c, v)
	written := make([]column, 0, len(c.named)+len(also))
	for _, column := range c.named {
		if isWritten(column.use) {
			written = append(written, column)
		}
	}
	return append(written, also...)
}

// namesAndValues returns the names of columns, and the values that are stored in them.
func namesAndValues(of []column) (names []string, values []any, err error) {
	names, values = make([]string, len(of)), make([]any, len(of))
	for i := range of {
		names[i] = of[i].name
		if values[i], err = of[i].value.stored(of[i].name); err != nil {
			return nil, nil, err
		}
	}
	return names, values, nil
}

// execution runs a statement that writes: now, or together with the next one.
type execution func(sql string, args ...any) error

// insert stores a new row.
func (t table[V]) insert(exec execution, v V, also ...column) error {
	return insertInto(exec, t.name, t.written(&v, columnUse.isInserted, also)...)
}

// insertInto stores a new row that has these columns.
func insertInto(exec execution, table string, written ...column) error {
	names, values, err := namesAndValues(written)
	if err != nil {
		return err
	}
	return exec(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+db.InList(1, len(values))+`)`, values...)
}

// update stores the changed state of a row, which is found by its key.
func (t table[V]) update(exec execution, v V, also ...column) error {
	var c columns
	t.fields(&c, &v)
	return t.updateRow(exec, append([]column{c.named[0]}, t.written(&v, columnUse.isUpdated, also)...))
}

// updateRow stores columns of a row, whose key comes first.
func (t table[V]) updateRow(exec execution, written []column) error {
	names, values, err := namesAndValues(written)
	if err != nil {
		return err
	}
	set := make([]string, len(names)-1)
	for i, name := range names[1:] {
		set[i] = name + ` = $` + strconv.Itoa(i+2)
	}
	return exec(`UPDATE `+t.name+` SET `+strings.Join(set, ", ")+` WHERE `+names[0]+` = $1`, values...)
}

// insertAll stores new rows, with what each has besides.
func (t table[V]) insertAll(tx Tx, values []V, also ...func(*V) column) error {
	set := db.RowSet{Table: t.name, Rows: make([][]any, len(values))}
	for i := range values {
		besides := make([]column, len(also))
		for k, columnOf := range also {
			besides[k] = columnOf(&values[i])
		}
		var err error
		set.Columns, set.Rows[i], err = namesAndValues(t.written(&values[i], columnUse.isInserted, besides))
		if err != nil {
			return err
		}
	}
	return tx.InsertSet(tx.Later, set)
}

// rowChange is a row before and after a change, and what is stored besides.
type rowChange[V any] struct {
	before, now *V
	also        []column
}

// updateAll stores those columns of rows that have changed. Rows in which the same columns have changed are written
// together.
func (t table[V]) updateAll(tx Tx, changes []rowChange[V]) error {
	sets := map[string]*db.RowSet{}
	var order []string
	var was, is columns
	for _, change := range changes {
		changed := t.changed(change, &was, &is)
		if len(changed) == 1 { // its key alone
			continue
		}
		names, row, err := namesAndValues(changed)
		if err != nil {
			return err
		}
		key := strings.Join(names, " ")
		if sets[key] == nil {
			sets[key] = &db.RowSet{Table: t.name, Columns: names, Appended: appendedOf(changed)}
			order = append(order, key)
		}
		sets[key].Rows = append(sets[key].Rows, row)
	}
	for _, key := range order {
		if err := tx.UpdateSet(tx.Later, *sets[key]); err != nil {
			return err
		}
	}
	return nil
}

// appendedOf returns the name of the column whose value is appended, "" if there is none.
func appendedOf(written []column) string {
	for _, column := range written {
		if column.isAppended {
			return column.name
		}
	}
	return ""
}

// changed returns the key of a row and the columns that have changed. It goes through the columns with was and is,
// which may be used again.
func (t table[V]) changed(change rowChange[V], was, is *columns) []column {
	was.named, was.use, is.named, is.use = was.named[:0], fixedColumn, is.named[:0], fixedColumn
	t.fields(was, change.before)
	t.fields(is, change.now)
	changed := []column{is.named[0]}
	for i := range is.named {
		if is.named[i].use.isUpdated() && !is.named[i].value.isSame(was.named[i].value) {
			changed = append(changed, is.named[i])
		}
	}
	return append(changed, change.also...)
}

// updateChanged stores those columns of a row that have changed, by its key; nothing, if none have.
func (t table[V]) updateChanged(exec execution, before, now *V, also ...column) error {
	changed := t.changed(rowChange[V]{before, now, also}, new(columns), new(columns))
	if len(changed) == 1 {
		return nil
	}
	return t.updateRow(exec, changed)
}

// set is a column that the row's struct has no field for, with its value.
func set(name string, value any) column { return column{name: name, value: otherValue(value)} }

// appended is a column whose value is appended to what the row has in it.
func appended(name string, value string) column {
	return column{name: name, value: textOf(value), isAppended: true}
}

// setUser is a column that has a user's id, or null for nobody.
func setUser(name string, id domain.UserID) column {
	if id == "" {
		return set(name, nil)
	}
	return set(name, id)
}

// selectOne runs a statement that yields at most one row.
func selectOne[V any](tx Tx, read func(*columns, *V), sql string, args ...any) (value V, found bool, err error) {
	var c columns
	err = tx.Query(sql, func(r *db.Row) error {
		if !found {
			c.row, found = r, true
			read(&c, &value)
		}
		return c.err
	}, args...)
	return value, found, err
}

// selectAll runs a statement and returns its rows.
func selectAll[V any](tx Tx, read func(*columns, *V), sql string, args ...any) (values []V, err error) {
	var c columns
	err = tx.Query(sql, func(r *db.Row) error {
		var value V
		c.row = r
		read(&c, &value)
		values = append(values, value)
		return c.err
	}, args...)
	return values, err
}

// readPointers runs a statement and appends its rows to values.
func readPointers[V any](tx Tx, selected selection[V], statement clause, values *[]*V) error {
	var c columns
	return tx.run(statement, func(r *db.Row) error {
		value := new(V)
		c.row = r
		selected.read(&c, value)
		*values = append(*values, value)
		return c.err
	})
}
