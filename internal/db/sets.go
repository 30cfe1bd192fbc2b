package db

import (
	"fmt"
	"strings"
)

// RowSet is rows of a table that are written together: on PostgreSQL by one statement whose parameters are the columns,
// each an array, so that the number of rows changes neither its text nor its round trips; on SQLite by a statement a
// row, which is prepared once.
type RowSet struct {
	Table   string
	Columns []string
	Rows    [][]any // each with a value a column: a text, a whole number, a bool, bytes or nil

	OnConflict string // ends an INSERT, such as "ON CONFLICT DO NOTHING"
	Appended   string // the column of an UPDATE whose values, no nulls, come behind what the rows have and a comma
}

// Execution runs a statement that writes: now, as Tx.Exec does, or together with the next one, as Tx.Later does.
type Execution func(sql string, args ...any) error

// InsertSet stores new rows.
func (tx *Tx) InsertSet(exec Execution, set RowSet) error {
	return tx.execSet(exec, set, insertSetText, func(columns []string) string {
		return "INSERT INTO " + set.Table + " (" + strings.Join(columns, ", ") + ")" +
			" VALUES (" + InList(1, len(columns)) + ") " + set.OnConflict
	})
}

// InArray returns the condition that a column has one of the texts of an array, which is the argument of a parameter.
// It is "" where an argument can be no array.
func (tx *Tx) InArray(column, parameter string) string {
	if !tx.db.engine.dialect().hasArrays {
		return ""
	}
	return column + " = ANY (CAST(" + parameter + " AS text[]))"
}

// UpdateSet changes rows, each of which is found by the set's first column. Rows that are not there stay so.
func (tx *Tx) UpdateSet(exec Execution, set RowSet) error {
	return tx.execSet(exec, set, updateSetText, func(columns []string) string {
		assignments := make([]string, len(columns)-1)
		for i, name := range columns[1:] {
			assignments[i] = set.assignment(name, fmt.Sprintf("$%d", i+2))
		}
		return "UPDATE " + set.Table + " SET " + strings.Join(assignments, ", ") + " WHERE " + columns[0] + " = $1"
	})
}

// assignment is a column with its new value in an UPDATE.
func (set RowSet) assignment(column, value string) string {
	if column == set.Appended {
		value = "COALESCE(" + set.Table + "." + column + " || ',', '') || " + value
	}
	return column + " = " + value
}

// execSet runs the text for the whole set, or that for a row with each of them.
func (tx *Tx) execSet(exec Execution, set RowSet, ofSet func(RowSet, []arrayColumn) string,
	ofRow func(columns []string) string) error {
	if len(set.Rows) == 0 {
		return nil
	}
	for _, row := range set.Rows {
		if len(row) != len(set.Columns) {
			return fmt.Errorf("a row for table %s has %d values for %d columns", set.Table, len(row), len(set.Columns))
		}
	}
	if !tx.db.engine.dialect().hasArrays || len(set.Rows) == 1 {
		sql := ofRow(set.Columns)
		for _, row := range set.Rows {
			if err := exec(sql, row...); err != nil {
				return err
			}
		}
		return nil
	}
	arrays, args, err := arraysOf(set)
	if err != nil {
		return err
	}
	return exec(ofSet(set, arrays), args...)
}

// arrayColumn is a column of a set on PostgreSQL.
type arrayColumn struct {
	name, kind string // kind is "" if all values are null
}

// insertSetText is the statement that inserts a set whose columns are arrays.
func insertSetText(set RowSet, columns []arrayColumn) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = c.value()
	}
	return "INSERT INTO " + set.Table + " (" + strings.Join(set.Columns, ", ") + ") SELECT " + strings.Join(values, ", ") +
		" FROM " + unnest(columns) + " " + set.OnConflict
}

// updateSetText is the statement that updates a set whose columns are arrays.
func updateSetText(set RowSet, columns []arrayColumn) string {
	assignments := make([]string, len(columns)-1)
	for i, c := range columns[1:] {
		assignments[i] = set.assignment(c.name, c.value())
	}
	return "UPDATE " + set.Table + " SET " + strings.Join(assignments, ", ") + " FROM " + unnest(columns) +
		" WHERE " + set.Table + "." + columns[0].name + " = " + columns[0].value()
}

// value is the column's value in a row of the set.
func (c arrayColumn) value() string {
	if c.kind == "" {
		return "NULL" // of the type of the column that it is written to
	}
	return "given." + c.name
}

// unnest returns the rows of the arrays, each of which is a parameter.
func unnest(columns []arrayColumn) string {
	var arrays, names []string
	for _, c := range columns {
		if c.kind != "" {
			arrays = append(arrays, fmt.Sprintf("CAST($%d AS %s[])", len(arrays)+1, c.kind))
			names = append(names, c.name)
		}
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS given (" + strings.Join(names, ", ") + ")"
}

// arraysOf returns the columns of a set, and the arrays of those that have a value.
func arraysOf(set RowSet) (columns []arrayColumn, args []any, err error) {
	for i, name := range set.Columns {
		values := make([]any, len(set.Rows))
		for k, row := range set.Rows {
			if values[k], err = plainValue(row[i]); err != nil {
				return nil, nil, fmt.Errorf("column %s: %w", name, err)
			}
		}
		kind, array, err := arrayOf(values)
		if err != nil {
			return nil, nil, fmt.Errorf("column %s: %w", name, err)
		}
		columns = append(columns, arrayColumn{name, kind})
		if kind != "" {
			args = append(args, array)
		}
	}
	if len(args) == 0 {
		return nil, nil, fmt.Errorf("the rows for table %s have no values", set.Table)
	}
	return columns, args, nil
}

// arrayOf returns plain values as an array, and the type that PostgreSQL has for them; "" if all are null.
func arrayOf(values []any) (kind string, array any, err error) {
	for _, value := range values {
		switch value.(type) {
		case string:
			array, err = typedArray[string](values)
			return "text", array, err
		case int64:
			array, err = typedArray[int64](values)
			return "bigint", array, err
		case bool:
			array, err = typedArray[bool](values)
			return "boolean", array, err
		case []byte:
			array, err = typedArray[[]byte](values)
			return "bytea", array, err
		}
	}
	return "", nil, nil
}

// typedArray returns the values as pointers, of which nil is null.
func typedArray[T any](values []any) ([]*T, error) {
	array := make([]*T, len(values))
	for i, value := range values {
		if value == nil {
			continue
		}
		typed, ok := value.(T)
		if !ok {
			return nil, fmt.Errorf("the values are of several types: %T and %T", value, typed)
		}
		array[i] = &typed
	}
	return array, nil
}
