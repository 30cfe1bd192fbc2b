package gql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
)

const fieldBytes = 400 // about what a planned field takes in memory

// plan is an operation made ready to run: its fields merged, its fragments spread over the object types that can occur.
type plan struct {
	mutation bool
	root     *selection
	levels   int          // how many selections there are
	slots    int          // how many fields need a state
	dynamic  bool         // some arguments depend on variables
	cost     int64        // unless dynamic
	answer   atomic.Int64 // the size of the last answer
}

type planKey struct {
	operation *ast.OperationDefinition
	switches  string // the values of its Boolean variables, which @skip and @include may depend on
}

// selection is what is asked of the objects of one type that are reached by one way.
type selection struct {
	id       int
	of       *objectType
	fields   []*planField
	active   []*planField // those that are more than a leaf
	resolves bool         // some of them by the application
	fail     error        // it could not be collected
}

type planField struct {
	*fieldType        // nil for __typename
	key        string // the response name
	prefix     []byte // what stands before its value in the answer
	constant   []byte // __typename's value
	isLeaf     bool
	nodes      []*ast.Field // where the document selects it
	dynamic    bool         // its arguments depend on variables;
	args       Args         // if not, they are these
	argsErr    error
	slot       int          // of its state; -1: it needs none
	children   []*selection // on its type, or on each possible type
	isStrict   bool         // a list of leaves with elements that may not be null
}

// resolvesBelow reports whether the application is needed below the field.
func (f *planField) resolvesBelow() bool {
	return slices.ContainsFunc(f.children, func(child *selection) bool { return child.resolves })
}

type planner struct {
	schema   *Schema
	document *document
	vars     Args
	plan     *plan
	fields   int
	limit    int
}

// planOperation returns the plan of an operation, or makes it if none is cached.
func (e *Executor) planOperation(d *document, op *ast.OperationDefinition, vars Args) (*plan, *Error) {
	var switches []byte
	for _, def := range op.VariableDefinitions {
		if def.Type.NamedType == "Boolean" {
			switches = fmt.Append(switches, vars[def.Variable])
		}
	}
	key := planKey{op, string(switches)}
	if p := e.cache.plan(d, key); p != nil {
		return p, nil
	}
	maker := planner{schema: e.schema, document: d, vars: vars, limit: 5 * e.options.MaxFields,
		plan: &plan{mutation: op.Operation == ast.Mutation}}
	p := maker.plan
	p.root = maker.planSelection(e.schema.objects[e.schema.rootField(op).Type.NamedType],
		[]*ast.Field{{SelectionSet: op.SelectionSet}})
	if maker.fields > maker.limit {
		return nil, &Error{Message: "The document has too many fields once its fragments are spread over the types that " +
			"can occur."}
	}
	if !p.dynamic {
		p.cost = e.costOf(p.root, 0, nil)
	}
	e.cache.putPlan(d, key, p, fieldBytes*(maker.fields+4))
	return p, nil
}

// planSelection plans what nodes ask of an object type.
func (p *planner) planSelection(of *objectType, nodes []*ast.Field) *selection {
	sel := &selection{id: p.plan.levels, of: of}
	p.plan.levels++
	byKey := map[string]*planField{}
	spread := map[string]bool{}
	for _, node := range nodes {
		if sel.fail = p.collect(sel, node.SelectionSet, byKey, spread); sel.fail != nil {
			sel.fields = nil
			return sel
		}
	}
	for i, f := range sel.fields {
		f.slot, f.isLeaf = -1, f.fieldType == nil || f.leaf != nil
		f.prefix = append(AppendString(nil, f.key), ':')
		if i > 0 {
			f.prefix = append([]byte{','}, f.prefix...)
		}
		if f.fieldType == nil {
			f.constant = AppendString(nil, of.def.Name)
			continue
		}
		p.planBelow(f)
		if f.resolve != nil {
			f.slot = p.plan.slots
			p.plan.slots++
			sel.active = append(sel.active, f)
			sel.resolves = sel.resolves || !f.engine
		}
	}
	return sel
}

func (p *planner) collect(sel *selection, set ast.SelectionSet, byKey map[string]*planField,
	spread map[string]bool) error {
	for _, selection := range set {
		var directives ast.DirectiveList
		var inner ast.SelectionSet
		on := sel.of.def.Name
		switch selection := selection.(type) {
		case *ast.Field:
			directives = selection.Directives
		case *ast.InlineFragment:
			directives, inner = selection.Directives, selection.SelectionSet
			if selection.TypeCondition != "" {
				on = selection.TypeCondition
			}
		case *ast.FragmentSpread:
			f := p.document.fragments[selection.Name]
			directives, inner, on = selection.Directives, f.SelectionSet, f.TypeCondition
		}
		included, err := p.isIncluded(directives)
		if err != nil {
			return err
		}
		if !included || p.fields > p.limit {
			continue
		}
		if node, ok := selection.(*ast.Field); ok {
			p.fields++
			f := byKey[node.Alias]
			if f == nil {
				f = &planField{key: node.Alias, fieldType: sel.of.fields[node.Name]}
				byKey[node.Alias] = f
				sel.fields = append(sel.fields, f)
			}
			f.nodes = append(f.nodes, node)
			continue
		}
		if f, ok := selection.(*ast.FragmentSpread); ok {
			if spread[f.Name] {
				continue
			}
			spread[f.Name] = true
		}
		if sel.of.is[on] {
			if err := p.collect(sel, inner, byKey, spread); err != nil {
				return err
			}
		}
	}
	return nil
}

// isIncluded evaluates @skip and @include.
func (p *planner) isIncluded(directives ast.DirectiveList) (bool, error) {
	for _, d := range directives {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		args, err := p.schema.coerceArguments(d.Definition.Arguments, d.Arguments, p.vars)
		if err != nil || args.Bool("if") == (d.Name == "skip") {
			return false, err
		}
	}
	return true, nil
}

// planBelow plans a field's arguments and what lies below it.
func (p *planner) planBelow(f *planField) {
	given := f.nodes[0].Arguments
	f.dynamic = slices.ContainsFunc(given, func(arg *ast.Argument) bool { return usesVariables(arg.Value) })
	if f.dynamic {
		p.plan.dynamic = true
	} else {
		f.args, f.argsErr = p.schema.coerceArguments(f.def.Arguments, given, nil)
	}
	if f.result == nil {
		f.isStrict = hasStrictElements(f.def.Type)
		return
	}
	for _, of := range f.result.possible {
		f.children = append(f.children, p.planSelection(of, f.nodes))
	}
}

func hasStrictElements(t *ast.Type) bool {
	return t.Elem != nil && (t.Elem.NonNull || hasStrictElements(t.Elem))
}

// maxCost keeps sums and products of costs from overflowing.
const maxCost = 1 << 53

// costOf returns a selection's complexity. page is the page size if the selection is on a connection.
func (e *Executor) costOf(sel *selection, page int64, vars Args) (sum int64) {
	for _, f := range sel.active {
		if f.children == nil || f.engine {
			continue
		}
		size := page
		if f.children[0].of.connection {
			size = e.pageSize(f, vars)
		}
		var below int64
		for _, child := range f.children {
			below = max(below, e.costOf(child, size, vars))
		}
		switch {
		case f.isNodes():
			below = multiplyCosts(page, 1+below)
		case f.of.connection && f.def.Name == "edges":
			below = 1 + multiplyCosts(page, below)
		default:
			below++
		}
		sum = min(sum+below, maxCost)
	}
	return sum
}

func (f *planField) isNodes() bool { return f.of.connection && f.def.Name == "nodes" }

func multiplyCosts(a, b int64) int64 {
	if a > 0 && b > maxCost/a {
		return maxCost
	}
	return a * b
}

func (e *Executor) pageSize(f *planField, vars Args) int64 {
	args := f.args
	if f.dynamic {
		args, _ = e.schema.coerceArguments(f.def.Arguments, f.nodes[0].Arguments, vars)
	}
	first, hasFirst := args["first"].(int64)
	last, hasLast := args["last"].(int64)
	if !hasFirst && !hasLast {
		return e.options.DefaultPage
	}
	return max(first, last, 0)
}

// fieldContext is the context of a binding: it knows its field.
type fieldContext struct {
	context.Context
	field *planField
}

type fieldKey struct{}

func (c *fieldContext) Value(key any) any {
	if key == (fieldKey{}) {
		return c.field
	}
	return c.Context.Value(key)
}

// SelectsOnly reports whether a request asks for no other fields than names, and __typename, at the end of a dotted
// path as in "edges.node", on any type; the path "" is directly below the binding's own field. ctx is the one that the
// binding of objects or of a column received.
func SelectsOnly(ctx context.Context, path string, names ...string) bool {
	for _, f := range selectedFields(ctx, path) {
		for _, child := range f.children {
			for _, below := range child.fields {
				if below.fieldType != nil && !slices.Contains(names, below.def.Name) {
					return false
				}
			}
		}
	}
	return true
}

// Selects reports whether a request asks for one of the fields below the binding's own; see SelectsOnly.
func Selects(ctx context.Context, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return len(selectedFields(ctx, name)) > 0 })
}

func selectedFields(ctx context.Context, path string) []*planField {
	fields := []*planField{ctx.Value(fieldKey{}).(*planField)}
	for name := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		var found []*planField
		for _, f := range fields {
			for _, child := range f.children {
				for _, below := range child.fields {
					if below.fieldType != nil && below.def.Name == name {
						found = append(found, below)
					}
				}
			}
		}
		fields = found
	}
	return fields
}
