package gql

import (
	"context"
	"reflect"
	"slices"
)

// Root is the value of the query and mutation types, the parent of their fields.
type Root struct{}

// binding is a field's functions, with the Go types hidden: parents and children are boxed slices.
type binding struct {
	parent, child reflect.Type // child is nil for leaves

	// leaf appends the i-th value: of the column that resolve returned or, without resolve, of the parents.
	leaf    func(dst []byte, values any, i int) []byte
	resolve func(ctx context.Context, parents any, args Args) (children any, n int, err error)
	flatten flattener // nil unless the children are lists
	engine  bool      // of introspection
}

// BindLeaf binds a field of scalars or enum values to a function that appends the value's JSON to the answer. It is
// called while the answer is written, once for every parent.
//
// For a list, write the whole array, for instance with ListOf; the engine checks the nulls inside it.
func BindLeaf[P any](b *Builder, field string, write func(dst []byte, parent P) []byte) {
	b.bind(field, &binding{
		parent: reflect.TypeFor[P](),
		leaf:   func(dst []byte, parents any, i int) []byte { return write(dst, parents.([]P)[i]) },
	})
}

// BindColumn binds a leaf field whose values are found for all parents at once. resolve returns one value for each
// parent; write appends one of them.
func BindColumn[P, V any](b *Builder, field string, resolve func(ctx context.Context, parents []P, args Args) ([]V,
	error), write func(dst []byte, value V) []byte) {
	column := newResolvingBinding(resolve, nil, nil)
	column.leaf = func(dst []byte, column any, i int) []byte { return write(dst, column.([]V)[i]) }
	b.bind(field, column)
}

// BindObject binds a field of objects. resolve returns one child for each parent; nil is null.
func BindObject[P, C any](b *Builder, field string, resolve func(ctx context.Context, parents []P, args Args) ([]C,
	error)) {
	b.bind(field, newResolvingBinding(resolve, reflect.TypeFor[C](), nil))
}

// BindEachObject is BindObject for a field that gains nothing from seeing its parents together: a look-up, or a
// mutation.
func BindEachObject[P, C any](b *Builder, field string, resolve func(ctx context.Context, parent P, args Args) (C,
	error)) {
	BindObject(b, field, func(ctx context.Context, parents []P, args Args) ([]C, error) {
		children := make([]C, len(parents))
		var failed Errors
		for i, parent := range parents {
			child, err := resolve(ctx, parent, args)
			if err == nil {
				children[i] = child
				continue
			}
			if failed == nil {
				failed = make(Errors, len(parents))
			}
			failed[i] = err
		}
		if failed != nil {
			return children, failed
		}
		return children, nil
	})
}

// BindObjects binds a field of lists of objects. resolve returns one list for each parent; a nil list is null, and so
// is a nil element.
func BindObjects[P, C any](b *Builder, field string, resolve func(ctx context.Context, parents []P, args Args) ([][]C,
	error)) {
	b.bind(field, newResolvingBinding(resolve, reflect.TypeFor[C](), flattenLists[C]))
}

func newResolvingBinding[P, R any](resolve func(context.Context, []P, Args) ([]R, error), child reflect.Type,
	flatten flattener) *binding {
	return &binding{
		parent:  reflect.TypeFor[P](),
		child:   child,
		flatten: flatten,
		resolve: func(ctx context.Context, parents any, args Args) (any, int, error) {
			children, err := resolve(ctx, parents.([]P), args)
			return children, len(children), err
		},
	}
}

// span is a list's place in the slice that all lists of a level were joined to. A negative start is null.
type span struct{ start, end int32 }

type flattener func(lists any, failed []error) (joined any, spans []span)

// flattenLists joins a boxed [][]E to a []E. The lists of parents that failed count as null.
func flattenLists[E any](boxed any, failed []error) (any, []span) {
	lists := boxed.([][]E)
	spans := make([]span, len(lists))
	if len(lists) == 1 && lists[0] != nil && failed == nil {
		spans[0].end = int32(len(lists[0]))
		return lists[0], spans
	}
	total := 0
	for _, list := range lists {
		total += len(list)
	}
	joined := make([]E, 0, total)
	for i, list := range lists {
		if list == nil || failed != nil && failed[i] != nil {
			spans[i].start = -1
			continue
		}
		start := int32(len(joined))
		joined = append(joined, list...)
		spans[i] = span{start, int32(len(joined))}
	}
	return joined, spans
}

// sliceType has the functions that work on a []T whose T only the binding knows. The slice is passed as an any.
type sliceType struct {
	goType reflect.Type
	length func(values any) int
	anyNil func(values any) bool
	at     func(values any, i int) any
	unbox  func(value any) (ok, null bool)
	// gather makes a []T of some of values. They may be of another slice type, whose at is given, as long as unbox takes
	// each.
	gather func(at func(values any, i int) any, values any, from []int32) any
}

func newSliceType[T any]() *sliceType {
	goType := reflect.TypeFor[T]()
	null := nilTestOf[T](goType)
	return &sliceType{
		goType: goType,
		length: func(values any) int { return len(values.([]T)) },
		anyNil: func(values any) bool { return null != nil && slices.ContainsFunc(values.([]T), null) },
		at:     func(values any, i int) any { return values.([]T)[i] },
		unbox: func(value any) (ok, isNull bool) {
			v, ok := value.(T)
			return ok, ok && null != nil && null(v)
		},
		gather: func(at func(any, int) any, values any, from []int32) any {
			picked := make([]T, len(from))
			for i, k := range from {
				picked[i] = at(values, int(k)).(T)
			}
			return picked
		},
	}
}

// nilTestOf returns the test for nil of a Go type, or nil when the type has none.
func nilTestOf[T any](goType reflect.Type) func(T) bool {
	switch goType.Kind() {
	case reflect.Pointer, reflect.Interface:
		var zero T
		none := any(zero)
		return func(v T) bool { return any(v) == none }
	case reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return func(v T) bool { return reflect.ValueOf(v).IsNil() }
	}
	return nil
}
