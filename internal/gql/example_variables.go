package gql

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"
)

// maxExampleDepth is how many input objects inside each other an example has.
const maxExampleDepth = 4

// ExampleVariables returns variables with which an operation of a document could be run, as a JSON object: a value of
// its type for each, or its default. Texts are those that texts has for a variable's or field's name. It is empty if
// there is no such operation.
func (e *Executor) ExampleVariables(query, operation string, texts map[string]string) string {
	d, _ := e.cachedDocument(context.Background(), query)
	if d == nil {
		return ""
	}
	i := slices.IndexFunc(d.parsed.Operations, func(op *ast.OperationDefinition) bool { return op.Name == operation })
	if i < 0 {
		return ""
	}
	w := exampleWriter{types: e.schema.ast.Types, texts: texts}
	w.add("{")
	for i, v := range d.parsed.Operations[i].VariableDefinitions {
		w.writeName(i, v.Variable)
		if v.DefaultValue == nil || !w.writeDefault(v.DefaultValue) {
			w.writeType(v.Variable, v.Type, 0)
		}
	}
	w.add("}")
	return w.json.String()
}

// exampleWriter writes values as JSON.
type exampleWriter struct {
	json  strings.Builder
	types map[string]*ast.Definition
	texts map[string]string
}

func (w *exampleWriter) add(json string) { _, _ = w.json.WriteString(json) }

func (w *exampleWriter) writeName(i int, name string) {
	if i > 0 {
		w.add(", ")
	}
	w.writeText(name)
	w.add(": ")
}

func (w *exampleWriter) writeText(text string) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		quoted = []byte(`""`) // it is not UTF-8
	}
	w.add(string(quoted))
}

// writeDefault writes a default that is a number, a text, a truth value or null.
func (w *exampleWriter) writeDefault(v *ast.Value) bool {
	switch v.Kind {
	case ast.IntValue, ast.FloatValue, ast.BooleanValue, ast.NullValue:
		w.add(v.Raw)
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		w.writeText(v.Raw)
	default:
		return false
	}
	return true
}

func (w *exampleWriter) writeType(name string, t *ast.Type, depth int) {
	if t.Elem != nil {
		w.add("[")
		w.writeType(name, t.Elem, depth)
		w.add("]")
		return
	}
	definition := w.types[t.NamedType]
	switch {
	case definition == nil || depth > maxExampleDepth:
		w.add("null")
	case definition.Kind == ast.InputObject:
		w.add("{")
		written := 0
		for _, field := range definition.Fields {
			if field.Type.NonNull && field.DefaultValue == nil {
				w.writeName(written, field.Name)
				w.writeType(field.Name, field.Type, depth+1)
				written++
			}
		}
		w.add("}")
	case definition.Kind == ast.Enum && len(definition.EnumValues) > 0:
		w.writeText(definition.EnumValues[0].Name)
	case t.NamedType == "Int":
		w.add("10")
	case t.NamedType == "Float":
		w.add("1.5")
	case t.NamedType == "Boolean":
		w.add("true")
	default:
		text, known := w.texts[name]
		if !known {
			text = "…"
		}
		w.writeText(text)
	}
}
