package gql_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/gql"
)

// engine is our side of the comparison: the reference's schema, bound to data by the rules of testdata/reference/run.mjs.
type engine struct {
	schema   *ast.Schema
	executor *gql.Executor
	objects  map[string]*object
	buffer   []byte // of the last answer
}

// object is what the data has for a type's value.
type object struct {
	objects map[string]*object
	fields  map[string]json.RawMessage
}

// robot is the Go type of one GraphQL type, where the others' is *object.
type robot struct{ *object }

// typed is what some interfaces and unions are bound to, others to *object.
type typed interface{ typeName() string }

func (o *object) typeName() (name string) {
	if o == nil {
		return "Human" // a nil of whatever type is null
	}
	_ = json.Unmarshal(o.fields["__typename"], &name)
	return name
}

func (o *object) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &o.fields) }

func newEngine(t *testing.T, sdl string) *engine {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: sdl})
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{schema: schema}
	b := gql.NewBuilder(sdl)
	for _, def := range schema.Types {
		switch {
		case def.BuiltIn:
		case def.Kind == ast.Interface || def.Kind == ast.Union:
			if boundToInterface(def.Name) {
				gql.DeclareAbstract(b, def.Name, typed.typeName)
			} else {
				gql.DeclareAbstract(b, def.Name, (*object).typeName)
			}
		case def.Kind != ast.Object:
		case def == schema.Query || def == schema.Mutation:
			bindFields(b, e, def, func(ctx context.Context, _ gql.Root) *object { return requestOf(ctx).roots[def.Name] })
		case def.Name == "Robot":
			gql.DeclareObject[*robot](b, def.Name)
			bindFields(b, e, def, func(_ context.Context, r *robot) *object { return r.object })
		default:
			gql.DeclareObject[*object](b, def.Name)
			bindFields(b, e, def, func(_ context.Context, o *object) *object { return o })
		}
	}
	bound, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	e.executor = gql.NewExecutor(bound, gql.Options{
		MaxDepth: math.MaxInt32, MaxFields: math.MaxInt32, MaxComplexity: math.MaxInt64,
		Around: func(ctx context.Context, run func(context.Context) error) error { return run(ctx) },
	})
	return e
}

func boundToInterface(name string) bool { return name == "Companion" || name == "Node" }

func (e *engine) use(t *testing.T, data []byte) {
	t.Helper()
	e.objects = nil
	unmarshal(t, data, &e.objects)
	for _, o := range e.objects {
		o.objects = e.objects
	}
}

// request is what one execution changes and where it begins.
type request struct {
	roots map[string]*object
	log   []string
}

type requestKey struct{}

func requestOf(ctx context.Context) *request { return ctx.Value(requestKey{}).(*request) }

func (e *engine) answer(t *testing.T, q question) (a answer) {
	t.Helper()
	var variables map[string]any
	if len(q.Variables) > 0 {
		unmarshal(t, q.Variables, &variables)
	}
	r := &request{roots: map[string]*object{"Query": e.objects["query"], "Mutation": e.objects["mutation"]}}
	result := e.executor.Execute(context.WithValue(t.Context(), requestKey{}, r),
		gql.Request{Query: q.Document, OperationName: q.OperationName, Variables: variables, Buffer: e.buffer[:0]})
	e.buffer = result.Body
	unmarshal(t, result.Body, &a)
	if result.HasData != (a.Data != nil) || len(result.Errors) != len(a.Errors) {
		t.Errorf("the result has data: %v, and %d errors; its body is %s", result.HasData, len(result.Errors), result.Body)
	}
	a.Log = r.log
	return a
}

// bindFields binds every field of a type, with each of the engine's ways to bind.
func bindFields[P any](b *gql.Builder, e *engine, def *ast.Definition, source func(context.Context, P) *object) {
	for i, field := range def.Fields {
		name := def.Name + "." + field.Name
		result := e.schema.Types[field.Type.Name()]
		switch {
		case field.Name == "__schema" || field.Name == "__type":
		case field.Name == "id" && len(field.Arguments) == 0: // in the data it never fails
			gql.BindLeaf(b, name, func(dst []byte, parent P) []byte {
				return appendLeaf(dst, field.Type, source(context.Background(), parent).fields["id"])
			})
		case result.IsLeafType():
			gql.BindColumn(b, name, perParent(def, field, source, func(_ *object, stored json.RawMessage) json.RawMessage { return stored }),
				func(dst []byte, stored json.RawMessage) []byte { return appendLeaf(dst, field.Type, stored) })
		case result == e.schema.Query:
			bindObjects(b, def, field, source, false, func(*object) gql.Root { return gql.Root{} })
		case result.Name == "Robot":
			bindObjects(b, def, field, source, false, asRobot)
		case boundToInterface(result.Name):
			bindObjects(b, def, field, source, i%2 == 0, func(o *object) typed {
				if o.typeName() == "Robot" {
					return asRobot(o)
				}
				return o
			})
		default:
			bindObjects(b, def, field, source, i%2 == 0, func(o *object) *object { return o })
		}
	}
}

func asRobot(o *object) *robot {
	if o == nil {
		return nil
	}
	return &robot{o}
}

func bindObjects[P, C any](b *gql.Builder, def *ast.Definition, field *ast.FieldDefinition, source func(context.Context, P) *object, each bool, child func(*object) C) {
	name := def.Name + "." + field.Name
	one := func(parent *object, stored json.RawMessage) C { return child(parent.object(stored)) }
	many := func(parent *object, stored json.RawMessage) []C {
		return mapItems(listItems(stored), func(item json.RawMessage) C { return one(parent, item) })
	}
	switch {
	case field.Type.Elem != nil:
		gql.BindObjects(b, name, perParent(def, field, source, many))
	case each:
		gql.BindEachObject(b, name, func(ctx context.Context, parent P, args gql.Args) (C, error) {
			from := source(ctx, parent)
			stored, err := resolveStored(ctx, def, field, from, args)
			if err != nil {
				return child(nil), err
			}
			return one(from, stored), nil
		})
	default:
		gql.BindObject(b, name, perParent(def, field, source, one))
	}
}

// perParent resolves a field for all parents of a level.
func perParent[P, V any](def *ast.Definition, field *ast.FieldDefinition, source func(context.Context, P) *object, value func(parent *object, stored json.RawMessage) V) func(context.Context, []P, gql.Args) ([]V, error) {
	return func(ctx context.Context, parents []P, args gql.Args) ([]V, error) {
		values := make([]V, len(parents))
		failed := make(gql.Errors, len(parents))
		for i, parent := range parents {
			from := source(ctx, parent)
			stored, err := resolveStored(ctx, def, field, from, args)
			if err != nil {
				failed[i] = err
				values[i] = values[max(i-1, 0)] // the value beside an error counts for nothing
				continue
			}
			values[i] = value(from, stored)
		}
		if slices.ContainsFunc(failed, func(err error) bool { return err != nil }) {
			return values, failed
		}
		return values, nil
	}
}

// resolveStored returns what the data has for a field. It and run.mjs's fieldResolver follow the same rules.
func resolveStored(ctx context.Context, def *ast.Definition, field *ast.FieldDefinition, from *object, args gql.Args) (json.RawMessage, error) {
	switch def.Name + "." + field.Name {
	case "Query.node":
		return json.Marshal(map[string]string{"$ref": args.String("id")})
	case "Log.items":
		return json.Marshal(append([]string{}, requestOf(ctx).log...))
	case "Log.length":
		return json.Marshal(len(requestOf(ctx).log))
	case "Log.log":
		return json.Marshal(from.fields)
	}
	switch def.Name {
	case "Inputs":
		text, err := marshalArguments(args)
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	case "Mutation":
		item := "null"
		if value, state := gql.Arg[string](args, "item"); state == gql.Given {
			item = value
		} else if state == gql.Absent {
			item = "undefined"
		}
		r := requestOf(ctx)
		r.log = append(r.log, field.Name+" "+item)
	}
	stored := from.fields[field.Name]
	var failure struct {
		Text string `json:"$error"`
	}
	if json.Unmarshal(stored, &failure) == nil && failure.Text != "" {
		return nil, errors.New(failure.Text)
	}
	if field.Type.Elem == nil || listItems(stored) == nil {
		return stored, nil
	}
	list := listItems(stored)
	if first, state := gql.Arg[int64](args, "first"); state == gql.Given {
		list = list[:min(max(first, 0), int64(len(list)))]
	}
	if args.Bool("reversed") {
		slices.Reverse(list)
	}
	return json.Marshal(list)
}

// marshalArguments writes arguments as JSON.stringify does, with sorted keys.
func marshalArguments(args gql.Args) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(args)
	return string(bytes.TrimSpace(text.Bytes())), err
}

// object returns the object that stored holds or names, nil for none.
func (o *object) object(stored json.RawMessage) *object {
	if isNull(stored) {
		return nil
	}
	value := object{objects: o.objects}
	if err := json.Unmarshal(stored, &value); err != nil {
		panic(err)
	}
	if ref, ok := value.fields["$ref"]; ok {
		var name string
		if err := json.Unmarshal(ref, &name); err != nil {
			panic(err)
		}
		return o.objects[name]
	}
	return &value
}

func isNull(stored json.RawMessage) bool { return len(stored) == 0 || string(stored) == "null" }

// listItems returns a list's items, nil for null.
func listItems(stored json.RawMessage) (list []json.RawMessage) {
	if !isNull(stored) {
		if err := json.Unmarshal(stored, &list); err != nil {
			panic(err)
		}
	}
	return list
}

func mapItems[V any](list []json.RawMessage, value func(json.RawMessage) V) []V {
	if list == nil {
		return nil
	}
	values := make([]V, len(list))
	for i, item := range list {
		values[i] = value(item)
	}
	return values
}

// appendLeaf writes a scalar or enum value, or a list of them.
func appendLeaf(dst []byte, typ *ast.Type, stored json.RawMessage) []byte {
	if isNull(stored) {
		return gql.AppendNull(dst)
	}
	if typ.Elem != nil {
		return gql.ListOf(func(dst []byte, item json.RawMessage) []byte { return appendLeaf(dst, typ.Elem, item) })(dst, listItems(stored))
	}
	switch typ.NamedType {
	case "Int":
		return gql.AppendInt(dst, decodeStored[int64](stored))
	case "Float":
		return gql.AppendFloat(dst, decodeStored[float64](stored))
	case "Boolean":
		return gql.AppendBool(dst, decodeStored[bool](stored))
	case "Any", "Plain":
		var compact bytes.Buffer
		if err := json.Compact(&compact, stored); err != nil {
			panic(err)
		}
		return append(dst, compact.Bytes()...)
	}
	return gql.AppendString(dst, decodeStored[string](stored))
}

func decodeStored[V any](stored json.RawMessage) (value V) {
	if err := json.Unmarshal(stored, &value); err != nil {
		panic(err)
	}
	return value
}
