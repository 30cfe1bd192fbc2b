package store

import (
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
)

// clause is a part of a statement, with a ? for each of its arguments. An argument that is a clause itself stands in
// the place of its ?.
type clause struct {
	text string
	args []any
}

func clauseOf(text string, args ...any) clause { return clause{text, args} }

// noRows is the condition that no row fulfils.
var noRows = clauseOf(`FALSE`)

// equals is the condition that a column has the text. What cannot be stored, no column has.
func equals(column, text string) clause {
	if !domain.ValidText(text) {
		return noRows
	}
	return clauseOf(column+` = ?`, text)
}

// isRare is equals for a column whose index is the one to use. PostgreSQL takes a value for as frequent as values were
// when statistics were taken: if all rows had the same one then, any other index looks as good. A range whose ends it
// does not know it takes for a small part of the rows.
func isRare(column, text string) clause {
	if !domain.ValidText(text) {
		return noRows
	}
	return clauseOf(column+` = ? AND `+column+` >= ? AND `+column+` <= ?`, text, text, text)
}

var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// maxSearch is how many bytes of a text are searched for: LIKE compares each of them with each character of what is
// searched.
const maxSearch = 300

// searchPattern returns the pattern of LIKE for what has the text in it, or the beginning of a long one; "" if nothing
// has.
func searchPattern(text string) string {
	if !domain.ValidText(text) {
		return ""
	}
	if len(text) > maxSearch {
		text = strings.ToValidUTF8(text[:maxSearch], "")
	}
	return "%" + likeEscapes.Replace(text) + "%"
}

// contains is the condition that a column has the text in it. Both are folded where the case does not matter.
func contains(column, text string) clause {
	pattern := searchPattern(text)
	if pattern == "" {
		return noRows
	}
	return clauseOf(column+` LIKE ? ESCAPE '\'`, pattern)
}

// oneOf is the condition that a column has one of the values. The last value is repeated, so that few different texts
// come out, whatever the number of values: each text is prepared once.
func oneOf[S ~string](column string, values []S) clause {
	if len(values) == 0 {
		return noRows
	}
	size := 1
	for size < len(values) {
		size *= 2
	}
	args := make([]any, size)
	for i := range args {
		args[i] = string(values[min(i, len(values)-1)])
	}
	return clauseOf(column+` IN (`+strings.Repeat(`?, `, size-1)+`?)`, args...)
}

// oneOfMany is oneOf where many values are usual: on PostgreSQL they are an array, so that its plan is the same for one
// value as for many. With a parameter each, it would rather go through a table of a thousand rows than look 64 of them
// up.
func oneOfMany[S ~string](tx Tx, column string, values []S) clause {
	condition := tx.InArray(column, "?")
	if len(values) == 0 || condition == "" {
		return oneOf(column, values)
	}
	return clauseOf(condition, values)
}

// maxChunk is how many values a statement is given to look for at most. SQLite prepares a statement in a time that
// grows with the square of their number: 3 ms for these, 3 s for 16,384.
const maxChunk = 512

// eachChunk calls fn with the values, as many at a time as one statement takes.
func eachChunk[S ~string](values []S, fn func([]S) error) error {
	for chunk := range slices.Chunk(values, maxChunk) {
		if err := fn(chunk); err != nil {
			return err
		}
	}
	return nil
}

// arguments collects the arguments of a statement while its text is written.
type arguments struct{ values []any }

// add returns the parameter that stands for a value.
func (a *arguments) add(value any) string {
	a.values = append(a.values, value)
	return "$" + strconv.Itoa(len(a.values))
}

// write returns the text of a clause with numbered parameters.
func (a *arguments) write(c clause) string {
	if len(c.args) == 0 {
		return c.text
	}
	var text strings.Builder
	rest := c.text
	for _, arg := range c.args {
		before, after, _ := strings.Cut(rest, "?")
		text.WriteString(before)
		if inner, ok := arg.(clause); ok {
			text.WriteString(a.write(inner))
		} else {
			text.WriteString(a.add(arg))
		}
		rest = after
	}
	return text.String() + rest
}

// writeAll returns conditions that have to hold together.
func (a *arguments) writeAll(conditions []clause) string {
	texts := make([]string, len(conditions))
	for i, c := range conditions {
		texts[i] = a.write(c)
	}
	return strings.Join(texts, ` AND `)
}

// fill writes a template: each {name} in it becomes the text that parts has for the name.
func fill(template string, parts map[string]string) string {
	var text strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		text.WriteString(before)
		if !found {
			return text.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		text.WriteString(parts[name])
		template = after
	}
}
