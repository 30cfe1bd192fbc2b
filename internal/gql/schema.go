package gql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
)

// Builder binds a schema to Go.
type Builder struct {
	sources   []*ast.Source
	types     map[string]*sliceType
	typeNames map[string]func(values any, i int) string // of abstract types
	scalars   map[string]func(any) (any, error)
	fields    map[string]*binding
	faults    []string
}

// NewBuilder begins with a schema in GraphQL's schema definition language; several texts are one schema.
func NewBuilder(sdl ...string) *Builder {
	b := &Builder{
		types:     map[string]*sliceType{},
		typeNames: map[string]func(any, int) string{},
		scalars:   map[string]func(any) (any, error){},
		fields:    map[string]*binding{},
	}
	for i, text := range sdl {
		b.sources = append(b.sources, &ast.Source{Name: fmt.Sprintf("schema %d", i+1), Input: text})
	}
	return b
}

// DeclareObject declares the Go type of an object type's values. The query and mutation types are Root and need no
// call.
func DeclareObject[T any](b *Builder, name string) { b.register(name, newSliceType[T]()) }

// DeclareAbstract declares the Go type of an interface's or union's values, and how to name the object type of one. A
// value is then converted to the object type's Go type by assertion.
//
// It is needed for those types that a field returns.
func DeclareAbstract[T any](b *Builder, name string, typeName func(T) string) {
	b.register(name, newSliceType[T]())
	b.typeNames[name] = func(values any, i int) string { return typeName(values.([]T)[i]) }
}

// DeclareScalar declares how a custom scalar's input is read. parse receives what a variable or a literal holds, which
// is a string, bool, int64, float64, []any or map[string]any and never null; its result becomes the argument, its error
// is shown to the caller. Without it any value is taken as it is.
func (b *Builder) DeclareScalar(name string, parse func(any) (any, error)) { b.scalars[name] = parse }

func (b *Builder) register(name string, as *sliceType) {
	if _, twice := b.types[name]; twice {
		b.faultf("type %s is registered twice", name)
	}
	b.types[name] = as
}

func (b *Builder) bind(field string, f *binding) {
	if _, twice := b.fields[field]; twice {
		b.faultf("%s is bound twice", field)
	}
	b.fields[field] = f
}

func (b *Builder) faultf(format string, args ...any) {
	b.faults = append(b.faults, fmt.Sprintf(format, args...))
}

// Schema is a schema whose every field is bound. It is safe for concurrent use.
type Schema struct {
	ast     *ast.Schema
	objects map[string]*objectType
	results map[string]*resultType
	scalars map[string]func(any) (any, error)
}

// String returns the schema in its definition language, in canonical form and without what the specification builds in.
func (s *Schema) String() string {
	var text strings.Builder
	formatter.NewFormatter(&text, formatter.WithIndent("  ")).FormatSchema(s.ast)
	return text.String()
}

type objectType struct {
	def        *ast.Definition
	values     *sliceType
	fields     map[string]*fieldType
	is         map[string]bool // the type conditions that it satisfies
	connection bool
}

// resultType is an object type, interface or union as the result of a field.
type resultType struct {
	values   *sliceType
	typeName func(values any, i int) string // nil for an object type
	possible []*objectType
	index    map[string]int32 // of possible, by name
}

type fieldType struct {
	*binding
	def    *ast.FieldDefinition
	of     *objectType
	result *resultType // nil for a leaf
}

// Build checks that every field of the schema is bound once, to functions of the right Go types. Its error names all
// that are not.
func (b *Builder) Build() (*Schema, error) {
	parsed, err := gqlparser.LoadSchema(b.sources...)
	if err != nil {
		return nil, err
	}
	if parsed.Query == nil {
		return nil, errors.New("the schema has no query type")
	}
	s := &Schema{ast: parsed, objects: map[string]*objectType{}, results: map[string]*resultType{}, scalars: b.scalars}
	trimPrelude(parsed)
	if parsed.Subscription != nil {
		b.faultf("subscriptions are not supported")
	}
	for _, root := range []*ast.Definition{parsed.Query, parsed.Mutation} {
		if root != nil {
			b.types[root.Name] = newSliceType[Root]()
		}
	}
	bindIntrospection(b, s)
	for _, def := range parsed.Types {
		if def.Kind == ast.Object {
			s.declare(b, def)
		}
	}
	for _, def := range parsed.Types {
		s.declareResult(b, def)
		s.checkDefaults(b, def)
	}
	bound := map[string]bool{}
	for _, object := range s.objects {
		for _, def := range object.def.Fields {
			name := object.def.Name + "." + def.Name
			bound[name] = true
			if f := b.fields[name]; f == nil {
				b.faultf("%s is not bound", name)
			} else {
				field := &fieldType{binding: f, def: def, of: object, result: s.results[def.Type.Name()]}
				object.fields[def.Name] = field
				b.check(field, name)
			}
		}
	}
	b.checkNames(parsed, bound)
	if len(b.faults) > 0 {
		slices.Sort(b.faults)
		return nil, errors.New("the schema is not bound: " + strings.Join(b.faults, "; "))
	}
	return s, nil
}

// trimPrelude takes out what gqlparser knows beyond the October 2021 edition and this engine does not do.
func trimPrelude(parsed *ast.Schema) {
	delete(parsed.Directives, "defer")
	delete(parsed.Directives, "oneOf")
	typ := parsed.Types["__Type"]
	typ.Fields = slices.DeleteFunc(typ.Fields, func(f *ast.FieldDefinition) bool { return f.Name == "isOneOf" })
	// A client that knows no such location refuses the whole schema.
	deprecated := parsed.Directives["deprecated"]
	deprecated.Locations = slices.DeleteFunc(deprecated.Locations, func(l ast.DirectiveLocation) bool {
		return l == ast.LocationDirectiveDefinition
	})
	locations := parsed.Types["__DirectiveLocation"]
	locations.EnumValues = slices.DeleteFunc(locations.EnumValues, func(v *ast.EnumValueDefinition) bool {
		return v.Name == string(ast.LocationDirectiveDefinition)
	})
}

func (s *Schema) declare(b *Builder, def *ast.Definition) {
	object := &objectType{def: def, values: b.types[def.Name], fields: map[string]*fieldType{},
		is: map[string]bool{def.Name: true}}
	for _, super := range s.ast.GetImplements(def) {
		object.is[super.Name] = true
	}
	object.connection = strings.HasSuffix(def.Name, "Connection") && (def.Fields.ForName("edges") != nil ||
		def.Fields.ForName("nodes") != nil)
	if object.values == nil {
		b.faultf("type %s is not registered", def.Name)
	}
	s.objects[def.Name] = object
}

func (s *Schema) declareResult(b *Builder, def *ast.Definition) {
	if !def.IsCompositeType() {
		return
	}
	result := &resultType{values: b.types[def.Name], typeName: b.typeNames[def.Name], index: map[string]int32{}}
	for _, object := range s.ast.GetPossibleTypes(def) {
		if object.Kind == ast.Object { // gqlparser counts the interfaces that implement this one, too
			result.index[object.Name] = int32(len(result.possible))
			result.possible = append(result.possible, s.objects[object.Name])
		}
	}
	s.results[def.Name] = result
}

// checkDefaults checks that the defaults of arguments and input fields are of their types.
func (s *Schema) checkDefaults(b *Builder, def *ast.Definition) {
	check := func(name string, t *ast.Type, v *ast.Value) {
		if v != nil {
			c := coercer{schema: s, wrong: func(_ any, _ *trail, message string) {
				b.faultf("%s has a wrong default: %s", name, message)
			}}
			c.coerce(t, readLiteral(v, nil, false), nil)
		}
	}
	for _, f := range def.Fields {
		check(def.Name+"."+f.Name, f.Type, f.DefaultValue)
		for _, arg := range f.Arguments {
			check(def.Name+"."+f.Name+"'s argument "+arg.Name, arg.Type, arg.DefaultValue)
		}
	}
}

// check compares a field's binding with its definition.
func (b *Builder) check(f *fieldType, name string) {
	typ := f.def.Type
	if f.of.values != nil && f.parent != f.of.values.goType {
		b.faultf("%s is bound to a parent %v, but %s is %v", name, f.parent, f.of.def.Name, f.of.values.goType)
	}
	switch {
	case f.result == nil && f.child != nil:
		b.faultf("%s is bound to objects, but is %v", name, typ)
	case f.resolve == nil && len(f.def.Arguments) > 0:
		b.faultf("%s has arguments, which Leaf does not take", name)
	case f.result == nil:
	case f.child == nil:
		b.faultf("%s is bound to leaves, but is %v", name, typ)
	case typ.Elem == nil && f.flatten != nil:
		b.faultf("%s is bound to lists, but is %v", name, typ)
	case typ.Elem != nil && (f.flatten == nil || typ.Elem.Elem != nil):
		b.faultf("%s is not bound to lists such as %v", name, typ)
	case f.result.values == nil:
		b.faultf("type %s is not registered", typ.Name())
	case f.child != f.result.values.goType:
		b.faultf("%s is bound to %v, but %s is %v", name, f.child, typ.Name(), f.result.values.goType)
	}
}

// checkNames finds what was bound and registered for nothing.
func (b *Builder) checkNames(parsed *ast.Schema, bound map[string]bool) {
	for name := range b.fields {
		if !bound[name] {
			b.faultf("%s is bound, but no object type has that field", name)
		}
	}
	for name := range b.types {
		if def := parsed.Types[name]; def == nil || !def.IsCompositeType() ||
			def.IsAbstractType() != (b.typeNames[name] != nil) {
			b.faultf("type %s is registered as what the schema does not have", name)
		}
	}
	for name := range b.scalars {
		if def := parsed.Types[name]; def == nil || def.Kind != ast.Scalar || def.BuiltIn {
			b.faultf("scalar %s is not a custom scalar of the schema", name)
		}
	}
}
