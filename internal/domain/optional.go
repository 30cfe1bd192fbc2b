package domain

// Optional is an input that may be absent, null or a value. The zero value is absent.
type Optional[T any] struct {
	Value T
	Given bool // present, as null or as a value
	Null  bool // present as null
}

// Some returns a given value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Given: true} }

// Null returns a given null.
func Null[T any]() Optional[T] { return Optional[T]{Given: true, Null: true} }

// HasValue reports whether a value other than null was given.
func (o Optional[T]) HasValue() bool { return o.Given && !o.Null }

// UnlessNull returns o, or an absent input if it is null: what null means to a new thing.
func (o Optional[T]) UnlessNull() Optional[T] {
	if o.Null {
		return Optional[T]{}
	}
	return o
}

// Ptr returns a pointer to the value, or nil if it is absent or null.
func (o Optional[T]) Ptr() *T {
	if !o.HasValue() {
		return nil
	}
	return &o.Value
}

// ApplyTo sets target to the value if one was given and to nil if null was given.
func (o Optional[T]) ApplyTo(target **T) {
	if o.Given {
		*target = o.Ptr()
	}
}
