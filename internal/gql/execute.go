package gql

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Options are an Executor's limits and hooks. A limit that is 0 is the one that its comment names.
type Options struct {
	MaxDocument   int           // bytes of a document: 256 KiB
	MaxTokens     int           // of a document: 60,000
	MaxDepth      int           // levels of fields, introspection excepted: 15
	MaxFields     int           // fields of an operation after fragments are spread: 10,000
	MaxComplexity int64         // 50,000; see Result
	MaxMutations  int           // fields of a mutation: 50
	MaxAnswer     int           // bytes of an answer: 8 MiB
	DefaultPage   int64         // what a connection without first and last counts: 500
	CacheBytes    int           // memory for documents and plans, about: 32 MiB
	Timeout       time.Duration // of an execution: none

	// Around is called around the resolving of a query, and of what is selected on the result of each field of a
	// mutation, for instance to hold a transaction open. It is left out where there is nothing to resolve. It may call
	// run again: the last run counts. If it returns an error, the fields concerned fail with it.
	Around func(ctx context.Context, run func(context.Context) error) error

	// Present makes the message that is shown for an error of a binding. Without it the error's own text is shown.
	Present func(context.Context, error) string

	// EndsRequest reports whether an error of a binding leaves no use in going on with a query, for instance because a
	// limit is reached. The answer then has that error and no data. A mutation goes on: what it did is done.
	EndsRequest func(error) bool

	// Panicked is called with a panic in a binding, which fails the field.
	Panicked func(ctx context.Context, value any, stack []byte)
}

// Executor runs documents against a schema. It is safe for concurrent use.
type Executor struct {
	schema            *Schema
	options           Options
	rules, suggesting *rules.Rules
	cache             cache
}

// NewExecutor returns an Executor with an empty cache.
func NewExecutor(schema *Schema, options Options) *Executor {
	options.MaxDocument = cmp.Or(options.MaxDocument, 256<<10)
	options.MaxTokens = cmp.Or(options.MaxTokens, 60_000)
	options.MaxDepth = cmp.Or(options.MaxDepth, 15)
	options.MaxFields = cmp.Or(options.MaxFields, 10_000)
	options.MaxComplexity = cmp.Or(options.MaxComplexity, 50_000)
	options.MaxMutations = cmp.Or(options.MaxMutations, 50)
	options.MaxAnswer = cmp.Or(options.MaxAnswer, 8<<20)
	options.DefaultPage = cmp.Or(options.DefaultPage, 500)
	options.CacheBytes = cmp.Or(options.CacheBytes, 32<<20)
	return &Executor{
		schema:     schema,
		options:    options,
		rules:      ruleSet(schema, false),
		suggesting: ruleSet(schema, true),
		cache:      cache{budget: options.CacheBytes},
	}
}

// Request is what a client sends.
type Request struct {
	Query         string
	OperationName string
	Variables     map[string]any // as decoded from JSON
	Buffer        []byte         // the answer is appended to it
}

// Result is a request's answer.
//
// Complexity counts 0 for a leaf and 1 for an object or list of objects. What lies in a connection's edges or nodes
// counts as many times as the page may hold objects, by the arguments first and last. Introspection counts nothing.
type Result struct {
	Body      []byte   // the JSON text
	Errors    []*Error // those in Body, with their causes
	HasData   bool     // whether the operation ran; if not, Body has no data
	Operation string   // query or mutation, or "" if none was chosen
	Requested int64    // complexity of what was asked for
	Actual    int64    // complexity of what was found
}

// Operation is one of a document's operations.
type Operation struct {
	Name string // may be empty
	Kind string // query or mutation
}

// Check parses and validates a document without running it, and lists its operations.
func (e *Executor) Check(query string) (ops []Operation, errs []*Error) {
	d, errs := e.cachedDocument(context.Background(), query)
	if d != nil {
		for _, op := range d.parsed.Operations {
			ops = append(ops, Operation{op.Name, string(op.Operation)})
		}
	}
	return ops, errs
}

func (e *Executor) cachedDocument(ctx context.Context, query string) (d *document, errs []*Error) {
	defer func() {
		if v := recover(); v != nil {
			d, errs = nil, []*Error{{Message: internalText, Err: e.reportPanic(ctx, v)}}
		}
	}()
	if d = e.cache.get(query); d == nil {
		if d, errs = e.parseDocument(query); d != nil {
			e.cache.put(query, d)
		}
	}
	return d, errs
}

func (e *Executor) reportPanic(ctx context.Context, v any) error {
	if e.options.Panicked != nil {
		e.options.Panicked(ctx, v, debug.Stack())
	}
	return internalf("panic: %v", v)
}

// Execute answers a request. It always returns a whole answer; what went wrong is in it.
func (e *Executor) Execute(ctx context.Context, request Request) (result *Result) {
	result = &Result{}
	defer func() {
		if v := recover(); v != nil {
			*result = Result{}
			result.refuse(request.Buffer, &Error{Message: internalText, Err: e.reportPanic(ctx, v)})
		}
	}()
	d, errs := e.cachedDocument(ctx, request.Query)
	if d == nil {
		return result.refuse(request.Buffer, errs...)
	}
	op, err := d.chooseOperation(request.OperationName)
	if err != nil {
		return result.refuse(request.Buffer, err)
	}
	result.Operation = string(op.Operation)
	vars, errs := e.schema.coerceVariables(op, request.Variables)
	if len(errs) > 0 {
		return result.refuse(request.Buffer, errs...)
	}
	p, err := e.planOperation(d, op, vars)
	if err != nil {
		return result.refuse(request.Buffer, err)
	}
	r := run{executor: e, plan: p, vars: vars, result: result}
	if result.Requested = p.cost; p.dynamic {
		result.Requested = e.costOf(p.root, 0, vars)
	}
	if result.Requested > e.options.MaxComplexity {
		return result.refuse(request.Buffer, errorAt(nil, "Query has complexity of %d, which exceeds max complexity of %d",
			result.Requested, e.options.MaxComplexity))
	}
	if n := len(p.root.fields); p.mutation && n > e.options.MaxMutations {
		return result.refuse(request.Buffer, errorAt(op.Position, "The mutation has %d fields, which exceeds the limit of %d",
			n, e.options.MaxMutations))
	}
	if e.options.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.options.Timeout)
		defer cancel()
	}
	return r.execute(ctx, request.Buffer)
}

func (r *Result) refuse(buffer []byte, errs ...*Error) *Result {
	r.Errors = errs
	r.Body = append(appendErrors(append(buffer, '{'), errs), '}')
	return r
}

// run is one execution of a plan.
type run struct {
	executor *Executor
	plan     *plan
	vars     Args
	result   *Result

	levels       []level      // by selection
	fields       []fieldState // by slot
	queue        []*selection
	introspected int   // objects
	actual       int64 // complexity

	// while writing
	ctx        context.Context
	limit      int // bytes
	written    int // members of objects and lists
	path       []step
	errs       []*Error
	errorBytes int    // about what they take in the answer
	unshown    bool   // there were more errors
	abort      *Error // of the whole answer
}

// level is the objects that were found for a selection.
type level struct {
	values any // a boxed slice
	n      int
}

// fieldState is what a field's resolving returned.
type fieldState struct {
	args   Args   // if they depend on variables
	err    error  // of all parents
	errs   Errors // of each parent
	values any    // a column, or the children before they are placed
	lists  []span
	index  []int32       // of a child in its level; -1: null; no index: its own place
	group  []int32       // of a child among the possible types
	faults map[int]error // of children
}

// errorOf returns the error of one parent's field.
func (s *fieldState) errorOf(i int) error {
	if s.err == nil && s.errs != nil {
		return s.errs[i]
	}
	return s.err
}

func (r *run) reset() {
	r.levels, r.fields = make([]level, r.plan.levels), make([]fieldState, r.plan.slots)
	r.queue, r.introspected, r.actual, r.abort = r.queue[:0], 0, 0, nil
	r.levels[r.plan.root.id] = level{[]Root{{}}, 1}
}

func (r *run) argumentsOf(f *planField) (args Args, err error) {
	if !f.dynamic {
		return f.args, f.argsErr
	}
	s := &r.fields[f.slot]
	if s.args == nil {
		s.args, err = r.executor.schema.coerceArguments(f.def.Arguments, f.nodes[0].Arguments, r.vars)
	}
	return s.args, err
}

// runAround runs fn inside Options.Around, if that is needed.
func (r *run) runAround(ctx context.Context, needed bool, fn func(context.Context)) (err error) {
	if r.executor.options.Around == nil || !needed {
		fn(ctx)
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = r.executor.reportPanic(ctx, v)
		}
	}()
	err = internalf("Around did not run")
	if failed := r.executor.options.Around(ctx, func(ctx context.Context) error {
		fn(ctx)
		err = nil
		return nil
	}); failed != nil {
		err = failed
	}
	if err != nil && ctx.Err() != nil {
		return ErrStopped
	}
	return err
}

// resolveQueue resolves the levels that wait, and those below them.
func (r *run) resolveQueue(ctx context.Context) {
	for len(r.queue) > 0 {
		sel := r.queue[0]
		r.queue = r.queue[1:]
		for _, f := range sel.active {
			r.resolve(ctx, f, r.levels[sel.id])
			if r.abort != nil {
				return
			}
			r.placeChildren(f)
		}
	}
}

// resolve calls a field's binding with all parents.
func (r *run) resolve(ctx context.Context, f *planField, parents level) {
	s := &r.fields[f.slot]
	args, err := r.argumentsOf(f)
	if err != nil {
		s.err = err
		return
	}
	if ctx.Err() != nil {
		s.err = ErrStopped
		return
	}
	defer func() {
		if v := recover(); v != nil {
			s.err = r.executor.reportPanic(r.ctx, v)
		}
	}()
	values, n, err := f.resolve(&fieldContext{ctx, f}, parents.values, args)
	switch {
	case err != nil && ctx.Err() != nil:
		s.err = ErrStopped
	case err != nil && !errors.As(err, &s.errs):
		s.err = err
	case err != nil && len(s.errs) != parents.n || n != parents.n:
		s.err = internalf("%s.%s returned %d values and %d errors for %d parents", f.of.def.Name, f.def.Name, n, len(s.errs),
			parents.n)
	}
	s.values = values
	if ended := r.endingError(s); ended != nil && !r.plan.mutation {
		r.abort = &Error{Message: truncateMessage(r.messageOf(ended)), Err: ended}
	}
}

// endingError returns that of a field's errors which leaves no use in going on, if there is one.
func (r *run) endingError(s *fieldState) error {
	ends := r.executor.options.EndsRequest
	if ends == nil {
		return nil
	}
	for _, err := range s.errs {
		if err != nil && ends(err) {
			return err
		}
	}
	if s.err != nil && ends(s.err) {
		return s.err
	}
	return nil
}

// maxIntrospected is how many objects introspection may find for a request.
const maxIntrospected = 100_000

// placeChildren sorts a field's children into the levels of its selections.
func (r *run) placeChildren(f *planField) {
	s := &r.fields[f.slot]
	if f.child == nil || s.err != nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			s.err = r.executor.reportPanic(r.ctx, v)
		}
	}()
	values, failed := s.values, s.errs
	s.values = nil
	if f.flatten != nil {
		values, s.lists = f.flatten(values, failed)
		failed = nil
	}
	found := r.assignLevels(f, s, values, failed)
	if f.engine {
		if r.introspected += found; r.introspected > maxIntrospected {
			r.abort = &Error{Message: "Introspection asks for too much"}
			r.queue = nil
		}
		return
	}
	if f.flatten != nil && !f.isNodes() { // a list counts as one
		found = 0
		for _, list := range s.lists {
			if list.start >= 0 {
				found++
			}
		}
	}
	r.actual += int64(found)
}

// assignLevels puts each value that is not null into the level of its object type, and returns how many there are.
func (r *run) assignLevels(f *planField, s *fieldState, values any, failed []error) (found int) {
	of, possible := f.result.values, f.result.possible
	if f.result.typeName == nil && failed == nil && !of.anyNil(values) {
		n := of.length(values)
		r.fillLevel(f, 0, values, n)
		return n
	}
	s.index, s.group = make([]int32, of.length(values)), make([]int32, of.length(values))
	s.faults = map[int]error{}
	members := make([][]int32, len(possible))
	for i := range s.index {
		s.index[i] = -1
		value := of.at(values, i)
		if _, null := of.unbox(value); null || value == nil || failed != nil && failed[i] != nil {
			continue
		}
		k, null, err := f.objectTypeOf(values, i, value)
		switch {
		case err != nil:
			s.faults[i] = err
		case !null:
			s.group[i], s.index[i] = k, int32(len(members[k]))
			members[k] = append(members[k], int32(i))
			found++
		}
	}
	for k, from := range members {
		if len(from) > 0 {
			r.fillLevel(f, k, possible[k].values.gather(of.at, values, from), len(from))
		}
	}
	return found
}

// objectTypeOf returns which of the field's possible object types the i-th value has, and whether it is that type's
// null.
func (f *planField) objectTypeOf(values any, i int, value any) (k int32, null bool, err error) {
	if f.result.typeName != nil {
		name, known := f.result.typeName(values, i), false
		if k, known = f.result.index[name]; !known {
			return 0, false, internalf("%s.%s: %q is not a possible type", f.of.def.Name, f.def.Name, name)
		}
	}
	object := f.result.possible[k]
	ok, null := object.values.unbox(value)
	if !ok {
		return 0, false, internalf("%s.%s: a %T is no value of type %s", f.of.def.Name, f.def.Name, value, object.def.Name)
	}
	return k, null, nil
}

// fillLevel makes objects the level of a field's k-th selection, and lets that be resolved.
func (r *run) fillLevel(f *planField, k int, values any, n int) {
	sel := f.children[k]
	r.levels[sel.id] = level{values, n}
	if len(sel.active) > 0 {
		r.queue = append(r.queue, sel)
	}
}
