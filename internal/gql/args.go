package gql

// Args are a field's arguments, or an input object's fields, after coercion: defaults are filled in, and a name that
// was neither given nor has a default is absent. A nested input object is Args, a list []any, an Int int64, a Float
// float64, a Boolean bool; ID, String and enum values are strings; a custom scalar is what its parse function returned.
//
// Args may be shared between requests and must not be changed.
type Args map[string]any

// State distinguishes an absent argument from null and from a value.
type State int

// The states of an argument.
const (
	Absent State = iota
	Null
	Given
)

// Arg returns an argument as a T. It is the zero T unless the state is Given; an argument that is not a T panics.
func Arg[T any](args Args, name string) (value T, state State) {
	v, ok := args[name]
	switch {
	case !ok:
		return value, Absent
	case v == nil:
		return value, Null
	}
	return v.(T), Given
}

// Has reports whether the argument was given or has a default, be it null.
func (a Args) Has(name string) bool {
	_, ok := a[name]
	return ok
}

// Null reports whether the argument was given as null.
func (a Args) Null(name string) bool {
	v, ok := a[name]
	return ok && v == nil
}

// String returns a String or ID argument, "" when it is absent or null.
func (a Args) String(name string) string { return valueOr[string](a, name) }

// Enum returns an enum argument, "" when it is absent or null.
func (a Args) Enum(name string) string { return valueOr[string](a, name) }

// Int returns an Int argument, 0 when it is absent or null.
func (a Args) Int(name string) int64 { return valueOr[int64](a, name) }

// Float returns a Float argument, 0 when it is absent or null.
func (a Args) Float(name string) float64 { return valueOr[float64](a, name) }

// Bool returns a Boolean argument, false when it is absent or null.
func (a Args) Bool(name string) bool { return valueOr[bool](a, name) }

// Object returns an input object, nil when it is absent or null.
func (a Args) Object(name string) Args { return valueOr[Args](a, name) }

// List returns a list, nil when it is absent or null.
func (a Args) List(name string) []any { return valueOr[[]any](a, name) }

func valueOr[T any](a Args, name string) T {
	v, _ := Arg[T](a, name)
	return v
}
