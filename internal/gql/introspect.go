package gql

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// introType is a __Type.
type introType struct {
	kind, name, description, url string
	fields, inputs, values       []*introPart // nil where the kind has none
	interfaces, possible         []*introType
	of                           *introType
}

// introPart is a __Field, an __InputValue, an __EnumValue or a __Directive.
type introPart struct {
	name, description string
	typ               *introType
	args              []*introPart
	value             *ast.Value
	deprecated        bool
	reason            string
	repeatable        bool
	locations         []ast.DirectiveLocation
}

type introspection struct {
	schema *ast.Schema
	types  map[string]*introType
}

// bindIntrospection binds the fields of the schema's own types as an application's are bound.
func bindIntrospection(b *Builder, s *Schema) {
	application := maps.Clone(b.fields)
	in := introspection{s.ast, map[string]*introType{}}
	for name := range s.ast.Types {
		in.types[name] = &introType{}
	}
	for name, def := range s.ast.Types {
		in.describe(in.types[name], def)
	}
	in.bindSchema(b)
	bindTypes(b)
	bindParts(b)
	for name, f := range b.fields {
		f.engine = application[name] == nil
	}
}

func (in *introspection) describe(t *introType, def *ast.Definition) {
	t.kind, t.name, t.description = string(def.Kind), def.Name, def.Description
	if d := def.Directives.ForName("specifiedBy"); d != nil {
		t.url = d.Arguments.ForName("url").Value.Raw
	}
	switch def.Kind {
	case ast.Object, ast.Interface:
		t.interfaces, t.fields = []*introType{}, []*introPart{}
		for _, name := range def.Interfaces {
			t.interfaces = append(t.interfaces, in.types[name])
		}
		for _, f := range def.Fields {
			if !strings.HasPrefix(f.Name, "__") {
				part := in.newPart(f.Name, f.Description, f.Type, nil, f.Directives)
				part.args = in.newArguments(f.Arguments)
				t.fields = append(t.fields, part)
			}
		}
	case ast.InputObject:
		for _, f := range def.Fields {
			t.inputs = append(t.inputs, in.newPart(f.Name, f.Description, f.Type, f.DefaultValue, f.Directives))
		}
	case ast.Enum:
		for _, v := range def.EnumValues {
			t.values = append(t.values, in.newPart(v.Name, v.Description, nil, nil, v.Directives))
		}
	}
	if def.IsAbstractType() {
		t.possible = []*introType{}
		for _, object := range in.schema.GetPossibleTypes(def) {
			if object.Kind == ast.Object {
				t.possible = append(t.possible, in.types[object.Name])
			}
		}
	}
}

func (in *introspection) newPart(name, description string, t *ast.Type, value *ast.Value,
	directives ast.DirectiveList) *introPart {
	part := &introPart{name: name, description: description, value: value}
	if t != nil {
		part.typ = in.typeOf(t)
	}
	if d := directives.ForName("deprecated"); d != nil {
		part.deprecated, part.reason = true, "No longer supported"
		if reason := d.Arguments.ForName("reason"); reason != nil {
			part.reason = reason.Value.Raw
		}
	}
	return part
}

func (in *introspection) newArguments(defs ast.ArgumentDefinitionList) []*introPart {
	args := make([]*introPart, 0, len(defs))
	for _, def := range defs {
		args = append(args, in.newPart(def.Name, def.Description, def.Type, def.DefaultValue, def.Directives))
	}
	return args
}

func (in *introspection) typeOf(t *ast.Type) *introType {
	switch {
	case t.NonNull:
		inner := *t
		inner.NonNull = false
		return &introType{kind: "NON_NULL", of: in.typeOf(&inner)}
	case t.Elem != nil:
		return &introType{kind: "LIST", of: in.typeOf(t.Elem)}
	}
	return in.types[t.NamedType]
}

func (in *introspection) bindSchema(b *Builder) {
	var types []*introType
	for _, name := range slices.Sorted(maps.Keys(in.types)) {
		types = append(types, in.types[name])
	}
	var directives []*introPart
	for _, name := range slices.Sorted(maps.Keys(in.schema.Directives)) {
		d := in.schema.Directives[name]
		directives = append(directives, &introPart{name: d.Name, description: d.Description,
			args: in.newArguments(d.Arguments), repeatable: d.IsRepeatable, locations: d.Locations})
	}
	DeclareObject[*ast.Schema](b, "__Schema")
	query := in.schema.Query.Name
	BindEachObject(b, query+".__schema", func(context.Context, Root, Args) (*ast.Schema, error) { return in.schema, nil })
	BindEachObject(b, query+".__type", func(_ context.Context, _ Root, args Args) (*introType, error) {
		return in.types[args.String("name")], nil
	})
	bindOptionalText(b, "__Schema.description", func(s *ast.Schema) string { return s.Description })
	bindPartList(b, "__Schema.types", func(*ast.Schema, Args) []*introType { return types })
	bindPartList(b, "__Schema.directives", func(*ast.Schema, Args) []*introPart { return directives })
	for name, root := range map[string]*ast.Definition{"queryType": in.schema.Query, "mutationType": in.schema.Mutation,
		"subscriptionType": nil} {
		BindEachObject(b, "__Schema."+name, func(context.Context, *ast.Schema, Args) (*introType, error) {
			if root == nil {
				return nil, nil
			}
			return in.types[root.Name], nil
		})
	}
}

func bindTypes(b *Builder) {
	type typ = *introType
	DeclareObject[typ](b, "__Type")
	bindOptionalText(b, "__Type.kind", func(t typ) string { return t.kind })
	bindOptionalText(b, "__Type.name", func(t typ) string { return t.name })
	bindOptionalText(b, "__Type.description", func(t typ) string { return t.description })
	bindOptionalText(b, "__Type.specifiedByURL", func(t typ) string { return t.url })
	bindPartList(b, "__Type.fields", func(t typ, args Args) []*introPart { return withoutDeprecated(t.fields, args) })
	bindPartList(b, "__Type.inputFields", func(t typ, args Args) []*introPart { return withoutDeprecated(t.inputs, args) })
	bindPartList(b, "__Type.enumValues", func(t typ, args Args) []*introPart { return withoutDeprecated(t.values, args) })
	bindPartList(b, "__Type.interfaces", func(t typ, _ Args) []typ { return t.interfaces })
	bindPartList(b, "__Type.possibleTypes", func(t typ, _ Args) []typ { return t.possible })
	BindEachObject(b, "__Type.ofType", func(_ context.Context, t typ, _ Args) (typ, error) { return t.of, nil })
}

func bindParts(b *Builder) {
	type part = *introPart
	for _, object := range []string{"__Field", "__InputValue", "__EnumValue", "__Directive"} {
		DeclareObject[part](b, object)
		bindOptionalText(b, object+".name", func(p part) string { return p.name })
		bindOptionalText(b, object+".description", func(p part) string { return p.description })
	}
	for _, object := range []string{"__Field", "__InputValue", "__EnumValue"} {
		BindLeaf(b, object+".isDeprecated", func(dst []byte, p part) []byte { return AppendBool(dst, p.deprecated) })
		bindOptionalText(b, object+".deprecationReason", func(p part) string { return p.reason })
	}
	for _, object := range []string{"__Field", "__Directive"} {
		bindPartList(b, object+".args", func(p part, args Args) []part { return withoutDeprecated(p.args, args) })
	}
	for _, object := range []string{"__Field", "__InputValue"} {
		BindEachObject(b, object+".type", func(_ context.Context, p part, _ Args) (*introType, error) { return p.typ, nil })
	}
	bindOptionalText(b, "__InputValue.defaultValue", func(p part) string {
		if p.value == nil {
			return ""
		}
		return p.value.String()
	})
	BindLeaf(b, "__Directive.isRepeatable", func(dst []byte, p part) []byte { return AppendBool(dst, p.repeatable) })
	locations := ListOf(func(dst []byte, l ast.DirectiveLocation) []byte { return AppendString(dst, string(l)) })
	BindLeaf(b, "__Directive.locations", func(dst []byte, p part) []byte { return locations(dst, p.locations) })
}

// bindOptionalText binds a string that is null when it is empty.
func bindOptionalText[P any](b *Builder, field string, get func(P) string) {
	BindLeaf(b, field, func(dst []byte, p P) []byte {
		if s := get(p); s != "" {
			return AppendString(dst, s)
		}
		return AppendNull(dst)
	})
}

func bindPartList[P, C any](b *Builder, field string, get func(P, Args) []C) {
	BindObjects(b, field, func(_ context.Context, parents []P, args Args) ([][]C, error) {
		lists := make([][]C, len(parents))
		for i, p := range parents {
			lists[i] = get(p, args)
		}
		return lists, nil
	})
}

// withoutDeprecated leaves out what is deprecated, unless args ask for it.
func withoutDeprecated(all []*introPart, args Args) []*introPart {
	if args.Bool("includeDeprecated") || all == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(p *introPart) bool { return p.deprecated })
}
