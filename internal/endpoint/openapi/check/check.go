// Package check holds the description of an API to what readers and generators of clients need of it. It is for tests.
package check

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"penstock/internal/endpoint"
)

// Description is the description that an API serves.
type Description struct {
	Text     []byte         // indented
	Document map[string]any // the same, parsed
}

// Served returns the description that the API serves at path.
func Served(t *testing.T, api http.Handler, path string) Description {
	t.Helper()
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, answer.Code, answer.Body)
	}
	text := jsontext.Value(answer.Body.Bytes())
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	d := Description{Text: append(lonelyReference.ReplaceAll(text, []byte(`{$1}`)), '\n')}
	if err := json.Unmarshal(d.Text, &d.Document); err != nil {
		t.Fatal(err)
	}
	return d
}

// lonelyReference is an object that is nothing but a reference. On one line, they halve the file.
var lonelyReference = regexp.MustCompile(`\{\s*("\$ref": "[^"]*")\s*\}`)

// IsCurrent compares the committed copy of the description with the one that is served. With PENSTOCK_UPDATE=1 it
// writes the copy instead.
func (d Description) IsCurrent(t *testing.T, file string) {
	t.Helper()
	if os.Getenv("PENSTOCK_UPDATE") == "1" {
		if err := os.WriteFile(file, d.Text, 0o644); err != nil { //nolint:gosec // all may read it
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(d.Text) {
		t.Errorf("%s is not what the API serves: `go generate ./...` writes it", file)
	}
}

// HasEndpoints checks that every endpoint is described with its statuses, and nothing else is.
func (d Description) HasEndpoints(t *testing.T, endpoints []endpoint.Endpoint) {
	t.Helper()
	paths := d.Document["paths"].(map[string]any)
	described := 0
	for _, item := range paths {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				described++
			}
		}
	}
	for i := range endpoints {
		e := &endpoints[i]
		for _, method := range e.Methods() {
			described--
			item, _ := paths[e.Path].(map[string]any)
			operation, ok := item[strings.ToLower(method)].(map[string]any)
			if !ok {
				t.Errorf("%s %s is not described", method, e.Path)
				continue
			}
			responses := operation["responses"].(map[string]any)
			for _, status := range append(slices.Clone(e.Errors), e.Status) {
				if responses[strconv.Itoa(status)] == nil {
					t.Errorf("%s %s: status %d is not described", method, e.Path, status)
				}
			}
			if _, needsToken := responses["401"]; needsToken == e.Open || len(operation["security"].([]any)) == 0 != e.Open {
				t.Errorf("%s %s: whether it needs a token is wrong", method, e.Path)
			}
		}
	}
	if described != 0 {
		t.Errorf("%d operations more are described than there are", described)
	}
}

// IsValid checks what OpenAPI asks for beyond the schemas.
func (d Description) IsValid(t *testing.T) {
	t.Helper()
	tags, operations, references := map[any]bool{}, map[any]bool{}, map[string]bool{}
	for _, tag := range d.Document["tags"].([]any) {
		tags[tag.(map[string]any)["name"]] = false
	}
	walk(d.Document, "#", func(at string, node map[string]any) {
		if to, ok := node["$ref"].(string); ok {
			references[to] = true
			if d.resolve(to) == nil {
				t.Errorf("%s refers to %s, which is not there", at, to)
			}
		}
		if id, ok := node["operationId"]; ok {
			if operations[id] {
				t.Errorf("two operations are called %v", id)
			}
			operations[id] = true
			for _, tag := range node["tags"].([]any) {
				if _, ok := tags[tag]; !ok {
					t.Errorf("%v has the tag %v, which is not there", id, tag)
				}
				tags[tag] = true
			}
		}
	})
	for tag, used := range tags {
		if !used {
			t.Errorf("no operation has the tag %v", tag)
		}
	}
	for path, item := range d.Document["paths"].(map[string]any) {
		var names []string
		given, _ := item.(map[string]any)["parameters"].([]any)
		for _, parameter := range given {
			described := d.resolve(parameter.(map[string]any)["$ref"].(string))
			names = append(names, "{"+described["name"].(string)+"}")
		}
		if want := pathParameter.FindAllString(path, -1); !slices.Equal(names, want) {
			t.Errorf("%s has the parameters %v", path, names)
		}
	}
	for kind, components := range d.Document["components"].(map[string]any) {
		for name := range components.(map[string]any) {
			if at := "#/components/" + kind + "/" + name; kind != "securitySchemes" && !references[at] {
				t.Errorf("nothing refers to %s", at)
			}
		}
	}
}

// ExplainsEverything checks that whatever a reader can ask about has a description, and that every schema of schemaDocs
// is there.
func (d Description) ExplainsEverything(t *testing.T, schemaDocs map[string]string) {
	t.Helper()
	isSentence := func(text any) bool {
		said, _ := text.(string)
		return strings.HasSuffix(strings.TrimSpace(said), ".")
	}
	explained := func(at string, described map[string]any, where string) {
		for name, node := range described {
			if text, _ := node.(map[string]any)["description"].(string); !isSentence(text) {
				t.Errorf("%s/%s needs a description, a sentence with a full stop, not %q: write it in %s", at, name, text, where)
			}
		}
	}
	for kind, components := range d.Document["components"].(map[string]any) {
		where := "description.go"
		if kind == "schemas" {
			where = "schemaDocs of description.go"
		}
		explained(kind, components.(map[string]any), where)
	}
	walk(d.Document, "#", func(at string, node map[string]any) {
		if properties, ok := node["properties"].(map[string]any); ok && node["type"] == "object" {
			explained(at, properties, "the doc tag of its field")
		}
		if id, ok := node["operationId"]; ok && (!isSentence(node["summary"]) || !isSentence(node["description"])) {
			t.Errorf("%v needs a summary and a description, sentences, not %q and %q", id, node["summary"], node["description"])
		}
	})
	schemas := d.Document["components"].(map[string]any)["schemas"].(map[string]any)
	for name := range schemaDocs {
		if schemas[name] == nil {
			t.Errorf("schemaDocs of description.go has %s, which is no schema: remove it", name)
		}
	}
}

// Compile compiles every schema, and returns what compiles the one at an address.
func (d Description) Compile(t *testing.T) (compile func(at string) *jsonschema.Schema) {
	t.Helper()
	const address = "https://example.com/openapi.json" // it is not fetched
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(address, d.Document); err != nil {
		t.Fatal(err)
	}
	compile = func(at string) *jsonschema.Schema {
		schema, err := compiler.Compile(address + (&url.URL{Fragment: strings.TrimPrefix(at, "#")}).String())
		if err != nil {
			t.Fatal(err)
		}
		return schema
	}
	schemas := d.Document["components"].(map[string]any)["schemas"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		compile("#/components/schemas/" + name)
	}
	walk(d.Document, "#", func(at string, node map[string]any) {
		if _, ok := node["schema"]; ok {
			compile(at + "/schema")
		}
	})
	return compile
}

// BodyAt returns the address of the schema of an operation's JSON body. The method is in lower case.
func BodyAt(path, method string) string {
	return "#/paths/" + pointerEscaper.Replace(path) + "/" + method + "/requestBody/content/application~1json/schema"
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// walk calls visit with every object below node, and with where it is.
func walk(node any, at string, visit func(at string, node map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(at, node)
		for name, value := range node {
			walk(value, at+"/"+pointerEscaper.Replace(name), visit)
		}
	case []any:
		for i, value := range node {
			walk(value, at+"/"+strconv.Itoa(i), visit)
		}
	}
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// resolve returns the component that a reference leads to, or nil.
func (d Description) resolve(reference string) map[string]any {
	node := d.Document
	for _, name := range strings.Split(strings.TrimPrefix(reference, "#/"), "/") {
		node, _ = node[name].(map[string]any)
	}
	return node
}
