package gql_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Values that are tried for every type of argument, as literals and as variables.
var (
	literals = []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `2147483647`, `2147483648`, `-2147483648`, `-2147483649`, `9007199254740991`,
		`99999999999999999999`, `1.0`, `1.5`, `-1.5e3`, `1e20`, `""`, `"1"`, `"a"`, `"CALM"`, `"true"`, `"""block"""`,
		`CALM`, `calm`, `NOTHING`, `[]`, `[null]`, `[1]`, `[1, 2.5]`, `["a"]`, `[1, "a"]`, `[CALM]`, `[CALM, 1]`, `[[]]`, `[[1]]`,
		`[[1], 2]`, `[[[1]]]`, `[true]`, `[{}]`, `{}`, `{from: 1}`, `{from: null}`, `{to: null}`, `{to: "1"}`, `{from: 1, extra: 1}`,
		`{required: true}`, `{required: true, limit: null}`, `{required: null}`, `{required: true, moods: CALM}`,
		`{required: true, moods: [CALM, null]}`, `{required: true, range: {}}`, `{required: true, range: {from: null}}`,
		`{required: true, ranges: {to: 1}}`, `{required: true, matrix: 1}`, `{required: true, matrix: [[1], [2.5]]}`,
		`{required: true, not: {}}`, `{required: true, not: {required: false}}`, `[{required: true}, {required: false}]`,
		`{required: true, id: 1, any: {x: $y}}`, `{required: true, any: {x: [1, {y: Z}]}}`, `{required: 1}`, `{required: "true"}`,
	}
	variables = []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `2147483647`, `2147483648`, `-2147483648`, `-2147483649`,
		`1.0`, `1e2`, `1.5`, `-1.5e3`, `1e15`, `""`, `"1"`, `"1.5"`, `"a"`, `"CALM"`, `"calm"`, `"NOTHING"`, `"true"`,
		`[]`, `[null]`, `[1]`, `[1, 2.5]`, `["a"]`, `["1"]`, `[1, "a"]`, `["CALM"]`, `["calm"]`, `["CALM", 1]`, `["CALM", null]`,
		`[[]]`, `[[1]]`, `[[1], 2]`, `[[1], null]`, `[[null]]`, `[["1"]]`, `[[[1]]]`, `[true]`, `[{}]`, `{}`, `{"from": 1}`,
		`{"from": null}`, `{"from": "1"}`, `{"from": 1.5}`, `{"from": 1, "extra": 1}`, `{"to": null}`, `{"from": {}}`,
		`{"required": true}`, `{"required": true, "limit": null}`, `{"required": null}`, `{"required": true, "requiredDefault": 2}`,
		`{"required": true, "requiredDefault": null}`, `{"required": true, "moods": "CALM"}`, `{"required": true, "moods": ["CALM", null]}`,
		`{"required": true, "mood": "calm"}`, `{"required": true, "range": {}}`, `{"required": true, "range": {"from": null}}`,
		`{"required": true, "range": []}`, `{"required": true, "ranges": {"to": 1}}`, `{"required": true, "matrix": 1}`,
		`{"required": true, "matrix": [1, 2]}`, `{"required": true, "matrix": [[1], [2.5]]}`, `{"required": true, "not": {}}`,
		`{"required": true, "not": {"required": false}}`, `[{"required": true}, {"required": false}]`, `{"required": true, "id": 1}`,
		`{"required": true, "id": 1.5}`, `{"required": true, "any": {"b": [1.5], "a": null}}`, `{"required": 1}`, `{"required": "true"}`,
	}
)

// compareCoercion gives every argument of the type Inputs each literal, as it is and as a variable's default, and each
// value of a variable.
func compareCoercion(t *testing.T, sides *sides) {
	for _, field := range sides.ours.schema.Types["Inputs"].Fields {
		if field.Name == "many" {
			continue
		}
		typ, good := field.Arguments[0].Type, 0
		for _, literal := range literals {
			document := fmt.Sprintf(`{ inputs { %s(value: %s) } }`, field.Name, literal)
			if sides.compare(t, question{Document: document}) == answered {
				good++
			}
			document = fmt.Sprintf(`query ($v: %s = %s) { inputs { %s(value: $v) } }`, typ, literal, field.Name)
			sides.compare(t, question{Document: document})
		}
		for _, variable := range variables {
			document := fmt.Sprintf(`query ($v: %s) { inputs { %s(value: $v) } }`, typ, field.Name)
			if sides.compare(t, question{Document: document, Variables: json.RawMessage(`{"v": ` + variable + `}`)}) == answered {
				good++
			}
		}
		if good < 4 {
			t.Errorf("only %d values were good for %s", good, field.Name)
		}
	}
}

// comparePropagation puts null, an error and objects that fail at every place of a field of every shape, below an object
// that may be null and below one that may not.
func comparePropagation(t *testing.T, sides *sides, stored []byte) {
	for _, field := range sides.ours.schema.Types["Shapes"].Fields {
		selection, values := field.Name, []string{`null`}
		good := goodLeaf(field.Type.Name())
		if !sides.ours.schema.Types[field.Type.Name()].IsLeafType() {
			good = `{"__typename": "Dog", "must": 1, "mustCell": {"must": 2}, "name": "x"}`
			values = append(values,
				`{"__typename": "Dog", "must": null, "name": null, "mustCell": {"must": 2}}`,
				`{"__typename": "Dog", "must": {"$error": "failed"}, "name": {"$error": "failed"}, "mustCell": {"must": 2}}`,
				`{"__typename": "Dog", "must": 1, "mustCell": {"must": null}, "name": null}`)
			selection += ` { __typename ... on Named { name } }`
			if field.Type.Name() == "Cell" {
				selection = field.Name + ` { value must mustCell { must } }`
			}
		}
		for _, shape := range append(listShapes(field.Type, good, values), `{"$error": "failed"}`) {
			for _, parent := range []string{"shapes", "mustShapes"} {
				data := fmt.Sprintf(`{%q: {"__typename": "Shapes", %q: %s}}`, parent, field.Name, shape)
				sides.use(t, withOverrides(t, stored, data))
				got := sides.compare(t, question{Document: fmt.Sprintf(`{ text %s { %s } old }`, parent, selection)})
				if got == refused {
					t.Errorf("%s with %s was refused", field.Name, shape)
				}
			}
		}
	}
}

// listShapes returns values of a type, in each of which one part is one of the given values and the others are good.
func listShapes(typ *ast.Type, good string, values []string) []string {
	if typ.Elem == nil {
		return append([]string{good}, values...)
	}
	whole := listShapes(typ.Elem, good, nil)
	goodItem := whole[len(whole)-1]
	all := []string{`null`, `[]`}
	for i, item := range listShapes(typ.Elem, good, values) {
		list := slices.Insert([]string{goodItem, goodItem}, i%3, item)
		all = append(all, "["+strings.Join(list, ", ")+"]")
	}
	return all
}

func goodLeaf(name string) string {
	switch name {
	case "Int", "Float":
		return `1`
	case "Boolean":
		return `true`
	case "Mood":
		return `"CALM"`
	}
	return `"x"`
}

// compareIntrospection compares the query that tools send.
func compareIntrospection(t *testing.T, sides *sides) {
	for _, options := range []map[string]bool{
		{},
		{"descriptions": false},
		{"specifiedByUrl": true, "directiveIsRepeatable": true, "schemaDescription": true, "inputValueDeprecation": true},
	} {
		q := question{Document: sides.reference.ask(t, map[string]any{"introspection": options}).Document}
		want, got := sides.reference.ask(t, q), sides.ours.answer(t, q)
		if len(want.Errors)+len(got.Errors) > 0 {
			t.Fatalf("reference %s\nours %s", want, got)
		}
		wantLines, gotLines := introspectionLines(t, want.Data, newerThanSpec), introspectionLines(t, got.Data, nil)
		for _, line := range wantLines {
			if !slices.Contains(gotLines, line) {
				t.Errorf("%v: only the reference has %s", options, line)
			}
		}
		for _, line := range gotLines {
			if !slices.Contains(wantLines, line) {
				t.Errorf("%v: only ours has %s", options, line)
			}
		}
		// What a client makes of it.
		if want, got := sides.reference.clientSchema(t, want.Data), sides.reference.clientSchema(t, got.Data); got != want {
			t.Errorf("%v: to a client the reference is\n%s\nours is\n%s", options, want, got)
		}
	}
}

// newerThanSpec is what the reference implementation has from editions after October 2021.
var newerThanSpec = []string{
	".directives[oneOf]",
	".directives[deprecated].locations[DIRECTIVE_DEFINITION]",
	".types[__Schema].fields[directives].args[includeDeprecated]",
	".types[__Type].fields[isOneOf]",
	".types[__Directive].fields[isDeprecated]",
	".types[__Directive].fields[deprecationReason]",
	".types[__DirectiveLocation].enumValues[DIRECTIVE_DEFINITION]",
}

// coercedDefaults has the defaults that the reference implementation shows after coercion, and we as they were written.
var coercedDefaults = map[string]string{
	"3":                           "[3]",
	"{to:4}":                      "{from:0,to:4}",
	"{required:true,moods:ANGRY}": "{limit:10,required:true,requiredDefault:1.5,mood:CALM,moods:[ANGRY],range:{from:1}}",
}

var builtInDescription = regexp.MustCompile(`^\.(types\[(__.*|ID|String|Int|Float|Boolean)\]|directives\[(skip|include|deprecated|specifiedBy)\]).*\.description$`)

// introspectionLines returns what an introspection says, one line a fact, without some. The order of types and directives is left
// to implementations, as is the layout of default values, and how they describe what the specification builds in.
func introspectionLines(t *testing.T, data []byte, without []string) []string {
	t.Helper()
	var is struct {
		Schema map[string]any `json:"__schema"`
	}
	unmarshal(t, data, &is)
	var lines []string
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, below := range value {
				walk(path+"."+key, below)
			}
			return
		case []any:
			var order []string
			for _, item := range value {
				name := fmt.Sprint(item)
				if object, ok := item.(map[string]any); ok {
					name = fmt.Sprint(object["name"])
				}
				at := path + "[" + name + "]"
				if !slices.Contains(without, at) {
					order = append(order, name)
					walk(at, item)
				}
			}
			if path == ".types" || path == ".directives" {
				slices.Sort(order)
			}
			lines = append(lines, fmt.Sprintf("%s in order: %s", path, order))
			return
		case string:
			if strings.HasSuffix(path, ".defaultValue") {
				text := canonicalValue(t, value)
				lines = append(lines, fmt.Sprintf("%s: %s", path, cmp.Or(coercedDefaults[text], text)))
				return
			}
		}
		if !builtInDescription.MatchString(path) {
			lines = append(lines, fmt.Sprintf("%s: %#v", path, value))
		}
	}
	walk("", is.Schema)
	return lines
}

func canonicalValue(t *testing.T, text string) string {
	t.Helper()
	parsed, err := parser.ParseQuery(&ast.Source{Input: `{ f(v: ` + text + `) }`})
	if err != nil {
		t.Fatalf("default value %s: %v", text, err)
	}
	return parsed.Operations[0].SelectionSet[0].(*ast.Field).Arguments[0].Value.String()
}
