package db

import "time"

// Row is the current row of a query. Each method reads the next column, so that the functions that
// read a row's parts can be put one after the other in the order of the SELECT list.
type Row struct {
	next    int
	columns columns
	texts   int // bytes of texts that were read
}

// columns are the values of an engine's current row.
type columns interface {
	isNull(i int) bool
	text(i int) string
	integer(i int) int64
	boolean(i int) bool
	bytes(i int) []byte // a copy
}

// Text reads a TEXT column; null is "".
func (r *Row) Text() string {
	text := r.columns.text(r.advance())
	r.texts += len(text)
	return text
}

// NullText reads a TEXT column that may be null.
func (r *Row) NullText() *string {
	if r.skipNull() {
		return nil
	}
	s := r.Text()
	return &s
}

// Bytes reads a column of bytes; null is empty.
func (r *Row) Bytes() []byte {
	if r.skipNull() {
		return []byte{}
	}
	value := r.columns.bytes(r.advance())
	r.texts += len(value)
	return value
}

// NullBytes reads a column of bytes that may be null, and is nil then.
func (r *Row) NullBytes() []byte {
	if r.skipNull() {
		return nil
	}
	return r.Bytes()
}

// Int reads a BIGINT column; null is 0.
func (r *Row) Int() int64 { return r.columns.integer(r.advance()) }

// Bool reads a BOOLEAN column; null is false.
func (r *Row) Bool() bool { return r.columns.boolean(r.advance()) }

// Time reads a column of microseconds; null is the zero time.
func (r *Row) Time() time.Time {
	if r.skipNull() {
		return time.Time{}
	}
	return time.UnixMicro(r.Int()).UTC()
}

// NullTime reads a column of microseconds that may be null.
func (r *Row) NullTime() *time.Time {
	if r.skipNull() {
		return nil
	}
	t := r.Time()
	return &t
}

// Skip passes over n columns.
func (r *Row) Skip(n int) { r.next += n }

// Null reports whether the next column is null, without reading it.
func (r *Row) Null() bool { return r.columns.isNull(r.next) }

func (r *Row) advance() int {
	r.next++
	return r.next - 1
}

// skipNull passes over the next column if it is null, and reports whether it was.
func (r *Row) skipNull() bool {
	if !r.Null() {
		return false
	}
	r.next++
	return true
}
