package gql

import (
	"reflect"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// checkOverlaps checks that fields with the same response name can be merged.
//
// The specification compares fields in pairs. This does the same in two passes over groups of them, which see a field
// once in nearly every document: one checks that all fields of a name have the same shape, the other that those which
// can meet in one object are the same field with the same arguments.
func (e *Executor) checkOverlaps(d *document) *Error {
	o := overlap{types: e.schema.ast.Types, document: d, budget: 20 * e.options.MaxFields}
	for _, op := range d.parsed.Operations {
		for _, meeting := range []bool{false, true} {
			if err := o.check([]*ast.Field{{SelectionSet: op.SelectionSet, Definition: e.schema.rootField(op)}}, meeting); err !=
				nil {
				return err
			}
		}
	}
	return nil
}

// rootField is a field of the operation's root type.
func (s *Schema) rootField(op *ast.OperationDefinition) *ast.FieldDefinition {
	def := s.ast.Query
	if op.Operation == ast.Mutation {
		def = s.ast.Mutation
	}
	return &ast.FieldDefinition{Type: ast.NamedType(def.Name, nil)}
}

type overlap struct {
	types    map[string]*ast.Definition
	document *document
	budget   int // of fields to look at
}

// sameNameFields is the fields of one response name: those selected on interfaces and unions, and those on each object
// type.
type sameNameFields struct {
	all, abstract []*ast.Field
	objects       []string
	byObject      map[string][]*ast.Field
}

// check looks at what is selected on the values of fields: with meeting at the fields that can meet in one object,
// otherwise at the shapes of all.
func (o *overlap) check(fields []*ast.Field, meeting bool) *Error {
	names := o.collect(fields)
	if o.budget < 0 {
		return &Error{Message: "The document has too many overlapping fields."}
	}
	for _, n := range names {
		groups := [][]*ast.Field{n.all}
		if meeting && len(n.objects) > 0 {
			groups = groups[:0]
			for _, object := range n.objects {
				groups = append(groups, append(n.byObject[object], n.abstract...))
			}
		}
		for _, group := range groups {
			o.budget -= len(group)
			for _, f := range group[1:] {
				if reason := o.findConflict(group[0], f, meeting); reason != "" {
					return errorAt(f.Position,
						`Fields "%s" conflict because %s. Use different aliases on the fields to fetch both if this was intentional.`,
						f.Alias, reason)
				}
			}
			if err := o.check(group, meeting); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *overlap) collect(fields []*ast.Field) (names []*sameNameFields) {
	byName := map[string]*sameNameFields{}
	seen := map[string]bool{}
	var walk func(set ast.SelectionSet, parent string)
	walk = func(set ast.SelectionSet, parent string) {
		for _, selection := range set {
			switch selection := selection.(type) {
			case *ast.Field:
				o.budget--
				n := byName[selection.Alias]
				if n == nil {
					n = &sameNameFields{}
					byName[selection.Alias] = n
					names = append(names, n)
				}
				n.add(selection, o.types[parent])
			case *ast.InlineFragment:
				on := selection.TypeCondition
				if on == "" {
					on = parent
				}
				walk(selection.SelectionSet, on)
			case *ast.FragmentSpread:
				if f := o.document.fragments[selection.Name]; !seen[f.Name] {
					seen[f.Name] = true
					walk(f.SelectionSet, f.TypeCondition)
				}
			}
		}
	}
	for _, f := range fields {
		walk(f.SelectionSet, f.Definition.Type.Name())
	}
	return names
}

func (n *sameNameFields) add(f *ast.Field, parent *ast.Definition) {
	n.all = append(n.all, f)
	if parent.Kind != ast.Object {
		n.abstract = append(n.abstract, f)
		return
	}
	if n.byObject == nil {
		n.byObject = map[string][]*ast.Field{}
	}
	if n.byObject[parent.Name] == nil {
		n.objects = append(n.objects, parent.Name)
	}
	n.byObject[parent.Name] = append(n.byObject[parent.Name], f)
}

func (o *overlap) findConflict(a, b *ast.Field, meeting bool) string {
	switch {
	case !meeting && !o.sameShape(a.Definition.Type, b.Definition.Type):
		return `they return conflicting types "` + a.Definition.Type.String() + `" and "` + b.Definition.Type.String() + `"`
	case meeting && a.Name != b.Name:
		return `"` + a.Name + `" and "` + b.Name + `" are different fields`
	case meeting && !sameArguments(a.Arguments, b.Arguments):
		return "they have differing arguments"
	}
	return ""
}

func (o *overlap) sameShape(a, b *ast.Type) bool {
	if a.NonNull != b.NonNull || (a.Elem == nil) != (b.Elem == nil) {
		return false
	}
	if a.Elem != nil {
		return o.sameShape(a.Elem, b.Elem)
	}
	return a.NamedType == b.NamedType || o.types[a.NamedType].IsCompositeType() && o.types[b.NamedType].IsCompositeType()
}

// sameArguments compares literals; the order of arguments and of an object's fields does not matter.
func sameArguments(a, b ast.ArgumentList) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(arg *ast.Argument) bool {
		other := b.ForName(arg.Name)
		return other == nil || !reflect.DeepEqual(readLiteral(arg.Value, nil, true), readLiteral(other.Value, nil, true))
	})
}
