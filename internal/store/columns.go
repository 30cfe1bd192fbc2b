package store

import (
	"fmt"
	"reflect"
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
	value      any
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

func (c *columns) add(name string, value any) {
	c.named = append(c.named, column{name: c.prefix + name, value: value, use: c.use})
}

// writeKey is a column that is written and never read: the key that a text is sorted or found by.
func (c *columns) writeKey(name string, keyOf func(string) string, text string) {
	if c.row == nil {
		c.named = append(c.named, column{name: c.prefix + name, value: keyOf(text), use: c.use, writeOnly: true})
	}
}

// copyOf is a column that is written and never read: another table has the same value, and an index needs it here.
func (c *columns) copyOf(name string, value any) {
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
	c.add(name, string(*field))
}

// mapNullText is a TEXT column that may be null.
func mapNullText[S ~string](c *columns, name string, field **S) {
	switch {
	case c.row == nil && *field == nil:
		c.add(name, nil)
	case c.row == nil:
		c.add(name, string(**field))
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
	c.add(name, *field)
}

// mapInt is a BIGINT column.
func mapInt(c *columns, name string, field *int64) {
	if c.row != nil {
		*field = c.row.Int()
		return
	}
	c.add(name, *field)
}

// mapNullInt is a BIGINT column that may be null.
func mapNullInt(c *columns, name string, field **int64) {
	switch {
	case c.row == nil && *field == nil:
		c.add(name, nil)
	case c.row == nil:
		c.add(name, **field)
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
	c.add(name, int64(*field))
}

// mapTime is a column that has a time.
func mapTime(c *columns, name string, field *time.Time) {
	if c.row != nil {
		*field = c.row.Time()
		return
	}
	c.add(name, db.Micros(*field))
}

// mapNullTime is a column that may have a time.
func mapNullTime(c *columns, name string, field **time.Time) {
	if c.row != nil {
		*field = c.row.NullTime()
		return
	}
	c.add(name, db.NullMicros(*field))
}

// mapJSON is a TEXT column that has JSON. An empty list or object is read as nil.
func mapJSON[V any](c *columns, name string, field *V) {
	if c.row == nil {
		c.add(name, jsonValue{field})
		return
	}
	if value := c.row.Text(); len(value) > len("{}") {
		c.fail(name, json.Unmarshal([]byte(value), field))
	}
}

// jsonValue is the value of a column that has JSON: what it points to, which is written as JSON only where it is
// stored.
type jsonValue struct{ pointer any }

// stored returns the value of a column as it is stored.
func stored(c column) (any, error) {
	value, isJSON := c.value.(jsonValue)
	if !isJSON {
		return c.value, nil
	}
	text, err := json.Marshal(value.pointer, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", c.name, err)
	}
	return string(text), nil
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

// values returns the columns of a statement that writes a row, and what it writes besides.
func (t table[V]) values(v *V, isWritten func(columnUse) bool, also []column) ([]column, error) {
	var c columns
	t.fields(&c, v)
	written := make([]column, 0, len(c.named)+len(also))
	for _, column := range c.named {
		if isWritten(column.use) {
			var err error
			if column.value, err = stored(column); err != nil {
				return nil, err
			}
			written = append(written, column)
		}
	}
	return append(written, also...), nil
}

// execution runs a statement that writes: now, or together with the next one.
type execution func(sql string, args ...any) error

// insert stores a new row.
func (t table[V]) insert(exec execution, v V, also ...column) error {
	written, err := t.values(&v, columnUse.isInserted, also)
	if err != nil {
		return err
	}
	return insertInto(exec, t.name, written...)
}

// insertInto stores a new row that has these columns.
func insertInto(exec execution, table string, written ...column) error {
	var a arguments
	names, parameters := make([]string, len(written)), make([]string, len(written))
	for i, column := range written {
		names[i], parameters[i] = column.name, a.add(column.value)
	}
	return exec(`INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(parameters, ", ")+`)`,
		a.values...)
}

// update stores the changed state of a row, which is found by its id.
func (t table[V]) update(exec execution, v V, also ...column) error {
	written, err := t.values(&v, columnUse.isUpdated, also)
	if err != nil {
		return err
	}
	var a arguments
	set := make([]string, len(written))
	for i, column := range written {
		set[i] = column.name + ` = ` + a.add(column.value)
	}
	var c columns
	t.fields(&c, &v)
	return exec(`UPDATE `+t.name+` SET `+strings.Join(set, ", ")+` WHERE `+c.named[0].name+` = `+a.add(c.named[0].value),
		a.values...)
}

// insertAll stores new rows, with what each has besides.
func (t table[V]) insertAll(tx Tx, values []V, also ...func(*V) column) error {
	set := db.RowSet{Table: t.name, Rows: make([][]any, 0, len(values))}
	for i := range values {
		besides := make([]column, len(also))
		for k, columnOf := range also {
			besides[k] = columnOf(&values[i])
		}
		written, err := t.values(&values[i], columnUse.isInserted, besides)
		if err != nil {
			return err
		}
		row := make([]any, len(written))
		for k, column := range written {
			row[k] = column.value
		}
		set.Rows = append(set.Rows, row)
		if i == 0 {
			for _, column := range written {
				set.Columns = append(set.Columns, column.name)
			}
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
	for _, change := range changes {
		changed, err := t.changed(change)
		if err != nil {
			return err
		}
		if len(changed) == 1 { // its key alone
			continue
		}
		set := db.RowSet{Table: t.name}
		row := make([]any, len(changed))
		for i, column := range changed {
			set.Columns, row[i] = append(set.Columns, column.name), column.value
			if column.isAppended {
				set.Appended = column.name
			}
		}
		key := strings.Join(set.Columns, " ")
		if sets[key] == nil {
			sets[key] = &set
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

// changed returns the key of a row and the columns that have changed.
func (t table[V]) changed(change rowChange[V]) ([]column, error) {
	was, is := columns{named: make([]column, 0, t.width+1)}, columns{named: make([]column, 0, t.width+1)}
	t.fields(&was, change.before)
	t.fields(&is, change.now)
	changed := []column{is.named[0]}
	for i, column := range is.named {
		if !column.use.isUpdated() || isSame(was.named[i].value, column.value) {
			continue
		}
		var err error
		if column.value, err = stored(column); err != nil {
			return nil, err
		}
		changed = append(changed, column)
	}
	return append(changed, change.also...), nil
}

// updateChanged stores those columns of a row that have changed, by its key; nothing, if none have.
func (t table[V]) updateChanged(exec execution, before, now *V, also ...column) error {
	changed, err := t.changed(rowChange[V]{before, now, also})
	if err != nil || len(changed) == 1 {
		return err
	}
	var a arguments
	key := a.add(changed[0].value)
	set := make([]string, len(changed)-1)
	for i, column := range changed[1:] {
		set[i] = column.name + ` = ` + a.add(column.value)
	}
	return exec(`UPDATE `+t.name+` SET `+strings.Join(set, ", ")+` WHERE `+changed[0].name+` = `+key, a.values...)
}

// isSame reports whether two values of a column are stored the same.
func isSame(a, b any) bool {
	if value, isJSON := a.(jsonValue); isJSON {
		return reflect.DeepEqual(value.pointer, b.(jsonValue).pointer)
	}
	return a == b
}

// set is a column that the row's struct has no field for, with its value.
func set(name string, value any) column { return column{name: name, value: value} }

// appended is a column whose value is appended to what the row has in it.
func appended(name string, value string) column {
	return column{name: name, value: value, isAppended: true}
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
