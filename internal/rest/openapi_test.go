package rest

// These tests cannot use internal/testkit, which imports this package.

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

	"penstock/internal/policy"
)

// served returns the description as the API serves it, indented, with a version and a base URL that do not
// depend on the build or the machine.
func served(t *testing.T) []byte {
	t.Helper()
	api := New(Options{BaseURL: "http://localhost:8080", Version: "0.0.0"})
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/openapi.json", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("GET /v2/openapi.json: %d %s", answer.Code, answer.Body)
	}
	document := jsontext.Value(answer.Body.Bytes())
	if err := document.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	return append(lonelyReference.ReplaceAll(document, []byte(`{$1}`)), '\n')
}

// lonelyReference is an object that is nothing but a reference. On one line, they halve the file.
var lonelyReference = regexp.MustCompile(`\{\s*("\$ref": "[^"]*")\s*\}`)

// servedObject returns the description, parsed.
func servedObject(t *testing.T) map[string]any {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(served(t), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// TestOpenAPIIsCurrent compares the committed copy of the description with the one that is served. With
// PENSTOCK_UPDATE=1 it writes the copy instead.
func TestOpenAPIIsCurrent(t *testing.T) {
	t.Parallel()
	const file = "../../docs/openapi.json"
	want := served(t)
	if os.Getenv("PENSTOCK_UPDATE") == "1" {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("docs/openapi.json is not what the API serves; go generate ./internal/rest writes it")
	}
}

func TestOpenAPINeedsNoToken(t *testing.T) {
	t.Parallel()
	document := servedObject(t)
	if version, _ := document["openapi"].(string); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("openapi is %q", version)
	}
	servers := document["servers"].([]any)
	if got := servers[0].(map[string]any)["url"]; got != "http://localhost:8080" {
		t.Errorf("the server's URL is %v, not the base URL", got)
	}
}

func TestOpenAPIIsDeterministic(t *testing.T) {
	t.Parallel()
	first := served(t)
	for range 3 {
		if string(served(t)) != string(first) {
			t.Fatal("two descriptions differ")
		}
	}
}

func TestOpenAPIDescribesEveryEndpoint(t *testing.T) {
	t.Parallel()
	paths := servedObject(t)["paths"].(map[string]any)
	described := 0
	for path, item := range paths {
		if path != "/v2" && !strings.HasPrefix(path, "/v2/") {
			t.Errorf("%s does not begin with /v2", path)
		}
		for method := range item.(map[string]any) {
			if method != "parameters" {
				described++
			}
		}
	}
	for _, e := range New(Options{}).endpoints() {
		for _, method := range e.Methods() {
			described--
			item, _ := paths[e.Path].(map[string]any)
			operation, ok := item[strings.ToLower(method)].(map[string]any)
			if !ok {
				t.Errorf("%s %s is not described", method, e.Path)
				continue
			}
			responses := operation["responses"].(map[string]any)
			for _, status := range append(e.Errors, e.Status) {
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

// TestOpenAPIIsValid checks what OpenAPI asks for beyond the schemas.
func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	document := servedObject(t)
	tags, operations, references := map[any]bool{}, map[any]bool{}, map[string]bool{}
	for _, tag := range document["tags"].([]any) {
		tags[tag.(map[string]any)["name"]] = false
	}
	walk(document, "#", func(at string, node map[string]any) {
		if to, ok := node["$ref"].(string); ok {
			references[to] = true
			if resolve(document, to) == nil {
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
	for path, item := range document["paths"].(map[string]any) {
		var names []string
		given, _ := item.(map[string]any)["parameters"].([]any)
		for _, parameter := range given {
			described := resolve(document, parameter.(map[string]any)["$ref"].(string))
			names = append(names, "{"+described["name"].(string)+"}")
		}
		if want := pathParameter.FindAllString(path, -1); !slices.Equal(names, want) {
			t.Errorf("%s has the parameters %v", path, names)
		}
	}
	for kind, components := range document["components"].(map[string]any) {
		for name := range components.(map[string]any) {
			if at := "#/components/" + kind + "/" + name; kind != "securitySchemes" && !references[at] {
				t.Errorf("nothing refers to %s", at)
			}
		}
	}
}

// TestOpenAPIExplainsEverything checks that whatever a reader can ask about has a description.
func TestOpenAPIExplainsEverything(t *testing.T) {
	t.Parallel()
	document := servedObject(t)
	explained := func(at string, described map[string]any) {
		for name, node := range described {
			if text, _ := node.(map[string]any)["description"].(string); !strings.HasSuffix(strings.TrimSpace(text), ".") {
				t.Errorf("%s/%s needs a description, a sentence, not %q", at, name, text)
			}
		}
	}
	for kind, components := range document["components"].(map[string]any) {
		explained(kind, components.(map[string]any))
	}
	walk(document, "#", func(at string, node map[string]any) {
		if properties, ok := node["properties"].(map[string]any); ok && node["type"] == "object" {
			explained(at, properties)
		}
	})
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	for name := range schemaDocs {
		if schemas[name] == nil {
			t.Errorf("schemaDocs has %s, which is no schema", name)
		}
	}
}

// TestOpenAPISchemas compiles every schema and holds some bodies and policies against theirs.
func TestOpenAPISchemas(t *testing.T) {
	t.Parallel()
	const address = "https://example.com/openapi.json"
	document := servedObject(t)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(address, document); err != nil {
		t.Fatal(err)
	}
	compile := func(at string) *jsonschema.Schema {
		schema, err := compiler.Compile(address + (&url.URL{Fragment: strings.TrimPrefix(at, "#")}).String())
		if err != nil {
			t.Fatal(err)
		}
		return schema
	}
	for _, name := range slices.Sorted(maps.Keys(document["components"].(map[string]any)["schemas"].(map[string]any))) {
		compile("#/components/schemas/" + name)
	}
	walk(document, "#", func(at string, node map[string]any) {
		if _, ok := node["schema"]; ok {
			compile(at + "/schema")
		}
	})

	body := func(path, method string) string {
		return "#/paths/" + pointerEscaper.Replace(path) + "/" + method + "/requestBody/content/application~1json/schema"
	}
	const id = `"0190a000-0000-7000-8000-000000000001"`
	for _, test := range []struct {
		at, value string
		valid     bool
	}{
		{body(inOrganization+"/clusters", "post"), `{"name": "a", "color": null, "maintainers": [{"user": ` + id + `}], "more": 1}`, true},
		{body(inOrganization+"/clusters", "post"), `{"description": "a"}`, false},
		{body(inOrganization+"/clusters", "post"), `{"name": "a", "color": "red"}`, false},
		{body(inCluster, "patch"), `{"default_queue_id": null}`, true},
		{body(inCluster, "patch"), `{"default_cache_registry_uuid": null}`, false},
		{body(inCluster, "patch"), `{"name": null}`, false},
		{body(inCluster+"/maintainers", "post"), `{"user": ` + id + `, "team": ` + id + `}`, false},
		{body(inCluster+"/maintainers", "post"), `{}`, false},
		{body(inCluster+"/queues", "post"), `{"key": "a", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`, true},
		{body(inCluster+"/queues", "post"), `{"description": "a"}`, false},
		{body(inQueue, "put"), `{"description": "a"}`, true},
		{body(inQueue, "put"), `{"retry_agent_affinity": "prefer-coldest"}`, false},
		{body(inCluster+"/cache-registries", "post"), `{"name": "a", "policy": {"rules": [{"effect": "deny", "action": "save", "when": null}]}}`, true},
		{body(inCluster+"/cache-registries", "post"), `{"name": "a", "slug": "a"}`, false},
		{body(inCluster+"/cache-registries", "post"), `{"name": "a", "policy": {"restore": {"scopes": [{"branch": "$other"}]}}}`, false},
		{body(inRegistry, "patch"), `{"policy": null}`, true},
		{"#/components/schemas/CachePolicy", string(policy.Default().Normal()), true},
		{"#/components/schemas/CachePolicy", `{}`, false},
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(test.value))
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(test.at).Validate(value); (err == nil) != test.valid {
			t.Errorf("%s: %s: %v", test.at, test.value, err)
		}
	}
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
func resolve(document map[string]any, reference string) map[string]any {
	node := document
	for _, name := range strings.Split(strings.TrimPrefix(reference, "#/"), "/") {
		node, _ = node[name].(map[string]any)
	}
	return node
}
