package gql

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"
)

// step is one part of a path: a response name, or a place in a list.
type step struct {
	key   string // "" for a place
	index int
}

// maxGuess is how much room is made for an answer because the last one had that size.
const maxGuess = 1 << 20

// execute runs the plan and writes what it finds.
func (r *run) execute(ctx context.Context, dst []byte) *Result {
	start := len(dst)
	dst = slices.Grow(dst, int(min(r.plan.answer.Load(), maxGuess)))
	r.limit = start + r.executor.options.MaxAnswer
	r.ctx = ctx
	r.path = make([]step, 0, 16)
	dst = append(dst, `{"data":`...)
	data, ok := len(dst), false
	switch {
	case r.plan.root.fail != nil:
		r.errs = []*Error{errorAt(nil, "%s", r.plan.root.fail)}
	case r.plan.mutation:
		dst, ok = r.runMutation(ctx, dst)
	default:
		dst, ok = r.runQuery(ctx, dst)
	}
	if !ok {
		dst = AppendNull(dst[:data])
	}
	if r.abort != nil {
		r.errs = append(r.errs, r.abort)
	}
	if r.unshown {
		r.errs = append(r.errs, &Error{Message: "There are more errors, which are not shown"})
	}
	if len(r.errs) > 0 {
		dst = appendErrors(append(dst, ','), r.errs)
	}
	dst = append(dst, '}')
	r.plan.answer.Store(int64(len(dst) - start))
	r.result.Body, r.result.Errors, r.result.HasData = dst, r.errs, true
	return r.result
}

func (r *run) runQuery(ctx context.Context, dst []byte) ([]byte, bool) {
	root := r.plan.root
	err := r.runAround(ctx, root.resolves, func(ctx context.Context) {
		r.reset()
		r.queue = append(r.queue, root)
		r.resolveQueue(ctx)
	})
	if err != nil {
		r.reset()
		for _, f := range root.active {
			r.fields[f.slot].err = err
		}
	}
	r.result.Actual = r.actual
	if r.abort != nil {
		return dst, false
	}
	return r.writeObject(dst, root, 0)
}

// runMutation resolves, completes and writes one field after the other.
func (r *run) runMutation(ctx context.Context, dst []byte) (_ []byte, ok bool) {
	dst = append(dst, '{')
	for i, f := range r.plan.root.fields {
		r.reset()
		if f.slot >= 0 {
			r.resolve(ctx, f, r.levels[r.plan.root.id])
			resolved := r.fields[f.slot]
			err := r.runAround(ctx, resolved.err == nil && f.resolvesBelow(), func(ctx context.Context) {
				r.reset()
				r.fields[f.slot] = resolved
				r.placeChildren(f)
				r.resolveQueue(ctx)
			})
			if err != nil {
				r.fields[f.slot].err = err
			}
			r.result.Actual += r.actual
		}
		only := *r.plan.root
		only.fields = only.fields[i : i+1]
		if dst, ok = r.writeMembers(dst, &only, 0); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// writeObject writes one object of a selection. It is not ok if the object must be null; what was written is then of no
// use.
func (r *run) writeObject(dst []byte, sel *selection, i int) (_ []byte, ok bool) {
	if dst, ok = r.writeMembers(append(dst, '{'), sel, i); !ok {
		return dst, false
	}
	return append(dst, '}'), true
}

func (r *run) writeMembers(dst []byte, sel *selection, i int) (_ []byte, ok bool) {
	for k := 0; k < len(sel.fields); {
		if f := sel.fields[k]; f.isLeaf {
			dst, k, ok = r.writeLeaves(dst, sel, i, k)
		} else {
			dst, ok = r.writeField(append(dst, f.prefix...), f, i)
			k++
		}
		if !ok {
			return dst, false
		}
	}
	return dst, true
}

// writeLeaves writes the leaves from the k-th field on, up to the first field that is not one. After a panic it stops
// behind that field.
func (r *run) writeLeaves(dst []byte, sel *selection, i, k int) (out []byte, next int, ok bool) {
	out, next, ok = dst, k, true
	defer func() {
		if v := recover(); v != nil {
			out, ok = r.writeFailed(out, sel.fields[next], r.executor.reportPanic(r.ctx, v))
			next++
		}
	}()
	parents := r.levels[sel.id].values
	for ; ok && next < len(sel.fields) && sel.fields[next].isLeaf; next++ {
		f := sel.fields[next]
		if out = append(out, f.prefix...); !r.goesOn(out) {
			return out, next, false
		}
		if f.fieldType == nil {
			out = append(out, f.constant...)
			continue
		}
		values, err := parents, error(nil)
		if f.slot >= 0 {
			s := &r.fields[f.slot]
			values, err = s.values, s.errorOf(i)
		}
		if err != nil {
			out, ok = r.writeFailed(out, f, err)
		} else {
			out, ok = r.checkLeaf(len(out), f.leaf(out, values, i), f)
		}
	}
	return out, next, ok
}

// checkInterval is after how many members of objects and lists it is looked whether the request's time is over.
const checkInterval = 1024

// goesOn reports whether there is room for more in the answer, and time. It is asked for every member of an object or a
// list.
func (r *run) goesOn(dst []byte) bool {
	r.written++
	switch {
	case r.abort != nil:
	case len(dst)+r.errorBytes > r.limit:
		r.abort = &Error{Message: "The answer is too large"}
	case r.written%checkInterval == 0 && r.ctx.Err() != nil:
		r.abort = &Error{Message: ErrStopped.Error(), Err: ErrStopped}
	}
	return r.abort == nil
}

// checkLeaf looks at the leaf that was written from start on.
func (r *run) checkLeaf(start int, dst []byte, f *planField) ([]byte, bool) {
	switch {
	case !r.goesOn(dst):
		return dst, false
	case len(dst) <= start:
		return r.writeFailed(dst[:start], f, internalf("%s.%s wrote nothing", f.of.def.Name, f.def.Name))
	case string(dst[start:]) == "null":
		if f.def.Type.NonNull {
			return r.writeFailed(dst[:start], f, f.nullError())
		}
	case f.isStrict && bytes.Contains(dst[start:], []byte("null")):
		defer func(depth int) { r.path = r.path[:depth] }(len(r.path))
		r.path = append(r.path, step{key: f.key})
		return r.finishList(dst[:start], jsontext.NewDecoder(bytes.NewReader(bytes.Clone(dst[start:]))), f, f.def.Type)
	}
	return dst, true
}

// writeField writes the value of a field of objects.
func (r *run) writeField(dst []byte, f *planField, i int) (out []byte, ok bool) {
	s := &r.fields[f.slot]
	if err := s.errorOf(i); err != nil {
		return r.writeFailed(dst, f, err)
	}
	r.path = append(r.path, step{key: f.key})
	out, ok = r.writeValue(dst, f, s, f.def.Type, i)
	r.path = r.path[:len(r.path)-1]
	return out, ok
}

// writeValue writes the object or list at a place of a field's children. It is not ok if that is null and t is not.
func (r *run) writeValue(dst []byte, f *planField, s *fieldState, t *ast.Type, at int) (_ []byte, ok bool) {
	start := len(dst)
	if t.Elem != nil {
		list := s.lists[at]
		if list.start < 0 {
			return r.writeNull(dst, f, t)
		}
		dst, ok = r.writeList(dst, f, s, t.Elem, list)
	} else {
		k, group := at, 0
		if s.index != nil {
			k, group = int(s.index[at]), int(s.group[at])
		}
		switch {
		case s.faults[at] != nil:
			r.report(f, s.faults[at])
		case k < 0:
			return r.writeNull(dst, f, t)
		case f.children[group].fail != nil:
			r.report(f, f.children[group].fail)
		default:
			dst, ok = r.writeObject(dst, f.children[group], k)
		}
	}
	if ok {
		return dst, true
	}
	return r.writeLost(dst[:start], t)
}

func (r *run) writeList(dst []byte, f *planField, s *fieldState, t *ast.Type, list span) (_ []byte, ok bool) {
	dst = append(dst, '[')
	r.path = append(r.path, step{})
	top := len(r.path) - 1
	for k := list.start; k < list.end; k++ {
		if k > list.start {
			dst = append(dst, ',')
		}
		r.path[top].index = int(k - list.start)
		if ok = r.goesOn(dst); ok {
			dst, ok = r.writeValue(dst, f, s, t, int(k))
		}
		if !ok {
			r.path = r.path[:top]
			return dst, false
		}
	}
	r.path = r.path[:top]
	return append(dst, ']'), true
}

// finishList copies a written list of leaves from in to out and handles nulls where the type allows none.
func (r *run) finishList(out []byte, in *jsontext.Decoder, f *planField, t *ast.Type) ([]byte, bool) {
	start := len(out)
	if t.Elem == nil || in.PeekKind() != '[' {
		value, err := in.ReadValue()
		if err != nil {
			panic(err)
		}
		if value.Kind() == 'n' {
			return r.writeNull(out, f, t)
		}
		return append(out, value...), true
	}
	_, _ = in.ReadToken()
	out, whole := append(out, '['), true
	r.path = append(r.path, step{})
	top := len(r.path) - 1
	for ; in.PeekKind() != ']' && in.PeekKind() != 0; r.path[top].index++ {
		if !whole {
			_ = in.SkipValue()
			continue
		}
		if r.path[top].index > 0 {
			out = append(out, ',')
		}
		out, whole = r.finishList(out, in, f, t.Elem)
	}
	_, _ = in.ReadToken()
	r.path = r.path[:top]
	if whole {
		return append(out, ']'), true
	}
	return r.writeLost(out[:start], t)
}

func (f *planField) nullError() error {
	return &ownError{"Cannot return null for non-nullable field " + f.of.def.Name + "." + f.def.Name + "."}
}

// writeNull writes null for a value of type t, or reports that it may not be.
func (r *run) writeNull(dst []byte, f *planField, t *ast.Type) ([]byte, bool) {
	if t.NonNull {
		r.report(f, f.nullError())
	}
	return r.writeLost(dst, t)
}

// writeLost writes null where a value was lost to an error that is reported, unless its type allows none.
func (r *run) writeLost(dst []byte, t *ast.Type) ([]byte, bool) {
	if t.NonNull || r.abort != nil {
		return dst, false
	}
	return AppendNull(dst), true
}

// writeFailed reports a field's error and writes null for it.
func (r *run) writeFailed(dst []byte, f *planField, err error) ([]byte, bool) {
	r.path = append(r.path, step{key: f.key})
	r.report(f, err)
	r.path = r.path[:len(r.path)-1]
	return r.writeLost(dst, f.def.Type)
}

const (
	maxLocations = 5
	// errorMargin is about what an error takes in the answer besides its message and the names in its path.
	errorMargin = 500
)

// report adds an error at the path where the writer is, as long as there are not too many and the answer has room for
// it.
func (r *run) report(f *planField, err error) {
	if len(r.errs) >= maxErrors {
		r.unshown = true
		return
	}
	e := &Error{Message: truncateMessage(r.messageOf(err)), Err: err}
	r.errorBytes += errorMargin + len(e.Message)
	for _, step := range r.path {
		r.errorBytes += len(step.key)
	}
	if r.errorBytes > r.executor.options.MaxAnswer {
		r.abort = &Error{Message: "The answer is too large"}
		return
	}
	e.Path = make([]any, len(r.path))
	for i, step := range r.path {
		if step.key != "" {
			e.Path[i] = step.key
		} else {
			e.Path[i] = step.index
		}
	}
	for _, node := range f.nodes[:min(len(f.nodes), maxLocations)] {
		e.Locations = append(e.Locations, Location{node.Position.Line, node.Position.Column})
	}
	r.errs = append(r.errs, e)
}

// messageOf is what is shown of an error.
func (r *run) messageOf(err error) string {
	var internal *internalError
	var own *ownError
	switch {
	case errors.As(err, &internal):
		return internalText
	case errors.As(err, &own) || errors.Is(err, ErrStopped) || r.executor.options.Present == nil:
		return err.Error()
	}
	return r.executor.options.Present(r.ctx, err)
}
