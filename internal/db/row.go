package db

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"
)

// Row is the current row of a query. Each method reads the next column, so that the functions that
// read a row's parts can be put one after the other in the order of the SELECT list.
type Row struct {
	next   int
	stmt   *sqlite.Stmt
	values [][]byte
	fields []pgconn.FieldDescription
}

// Text reads a TEXT column; null is "".
func (r *Row) Text() string {
	i := r.advance()
	if r.stmt != nil {
		return r.stmt.ColumnText(i)
	}
	return string(r.values[i])
}

// NullText reads a TEXT column that may be null.
func (r *Row) NullText() *string {
	if r.isNull() {
		r.next++
		return nil
	}
	s := r.Text()
	return &s
}

// Int reads a BIGINT column; null is 0.
func (r *Row) Int() int64 {
	i := r.advance()
	if r.stmt != nil {
		return r.stmt.ColumnInt64(i)
	}
	return postgresInt(r.values[i], r.fields[i])
}

// Bool reads a BOOLEAN column; null is false.
func (r *Row) Bool() bool {
	i := r.advance()
	if r.stmt != nil {
		return r.stmt.ColumnBool(i)
	}
	v := r.values[i]
	return len(v) == 1 && (v[0] == 1 || v[0] == 't')
}

// Time reads a column of microseconds; null is the zero time.
func (r *Row) Time() time.Time {
	if r.isNull() {
		r.next++
		return time.Time{}
	}
	return time.UnixMicro(r.Int()).UTC()
}

// NullTime reads a column of microseconds that may be null.
func (r *Row) NullTime() *time.Time {
	if r.isNull() {
		r.next++
		return nil
	}
	t := r.Time()
	return &t
}

// Skip passes over n columns.
func (r *Row) Skip(n int) { r.next += n }

// Null reports whether the next column is null, without reading it.
func (r *Row) Null() bool { return r.isNull() }

func (r *Row) advance() int {
	i := r.next
	r.next++
	return i
}

func (r *Row) isNull() bool {
	if r.stmt != nil {
		return r.stmt.ColumnIsNull(r.next)
	}
	return r.values[r.next] == nil
}

func postgresInt(v []byte, f pgconn.FieldDescription) int64 {
	if v == nil {
		return 0
	}
	if f.Format == 0 {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			panic(fmt.Sprintf("column %s is not an integer", f.Name))
		}
		return n
	}
	switch len(v) {
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	}
	panic(fmt.Sprintf("column %s is not an integer", f.Name))
}
