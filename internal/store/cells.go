package store

import (
	"fmt"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
)

// cell is the value of a column. Texts and numbers are not put into an interface, which would allocate: most values are
// only compared with what the row had before.
type cell struct {
	kind   cellKind
	number int64
	text   string
	other  any
}

type cellKind int

const (
	nullCell cellKind = iota
	numberCell
	boolCell // its number is 1 for true
	textCell
	jsonCell  // its other points to what is written as JSON, only where it is stored
	otherCell // a value as statements take it
)

func numberOf(n int64) cell     { return cell{kind: numberCell, number: n} }
func textOf(text string) cell   { return cell{kind: textCell, text: text} }
func jsonOf(pointer any) cell   { return cell{kind: jsonCell, other: pointer} }
func otherValue(value any) cell { return cell{kind: otherCell, other: value} }
func timeOf(t time.Time) cell   { return numberOf(db.Micros(t)) }

func boolOf(value bool) cell {
	if value {
		return cell{kind: boolCell, number: 1}
	}
	return cell{kind: boolCell}
}

// isSame reports whether two values of a column are stored the same.
func (c cell) isSame(other cell) bool {
	if c.kind != other.kind {
		return false
	}
	switch c.kind {
	case jsonCell:
		return reflect.DeepEqual(c.other, other.other)
	case otherCell:
		return c.other == other.other
	default:
		return c.number == other.number && c.text == other.text
	}
}

// stored returns the value as it is stored in a column with this name.
func (c cell) stored(name string) (any, error) {
	switch c.kind {
	case nullCell:
		return nil, nil
	case numberCell:
		return c.number, nil
	case boolCell:
		return c.number == 1, nil
	case textCell:
		return c.text, nil
	case jsonCell:
		text, err := json.Marshal(c.other, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", name, err)
		}
		return string(text), nil
	default:
		return c.other, nil
	}
}
