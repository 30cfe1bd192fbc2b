package rest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// describedOperation is what the description of the API says of an operation's input.
type describedOperation struct {
	Parameters  []describedParameter `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema describedSchema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type describedParameter struct {
	Ref  string `json:"$ref"`
	Name string `json:"name"`
	In   string `json:"in"`
}

type describedSchema struct {
	Ref        string                     `json:"$ref"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// describedInput returns the members of the body and the query parameters of each operation, by its method and path.
func describedInput(t *testing.T) (members, parameters map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Schemas    map[string]json.RawMessage    `json:"schemas"`
			Parameters map[string]describedParameter `json:"parameters"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	members, parameters = map[string][]string{}, map[string][]string{}
	for path, item := range document.Paths {
		for method, source := range item {
			if method == "parameters" {
				continue
			}
			var operation describedOperation
			if err := json.Unmarshal(source, &operation); err != nil {
				t.Fatal(err)
			}
			key := strings.ToUpper(method) + " " + path
			schema := operation.RequestBody.Content["application/json"].Schema
			if name, isReference := strings.CutPrefix(schema.Ref, "#/components/schemas/"); isReference {
				if err := json.Unmarshal(document.Components.Schemas[name], &schema); err != nil {
					t.Fatal(err)
				}
			}
			for member := range schema.Properties {
				members[key] = append(members[key], member)
			}
			slices.Sort(members[key])
			for _, p := range operation.Parameters {
				if name, isReference := strings.CutPrefix(p.Ref, "#/components/parameters/"); isReference {
					p = document.Components.Parameters[name]
				}
				if p.In == "query" {
					parameters[key] = append(parameters[key], p.Name)
				}
			}
		}
	}
	return members, parameters
}

// hostileValues are JSON values that some member of some body may be wrong about.
var hostileValues = []string{
	`null`, `-1`, `0`, `1.5`, `1e400`, `2147483648`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`, `true`,
	`""`, `" "`, `"\u0000"`, `"\ud800"`, "\"\xff\"", `"\u202e\u0085\u2028\r\n\t"`, `"` + strings.Repeat("x", 70_000) + `"`, `"` + strings.Repeat("💥", 300) + `"`,
	`"2026-13-45T99:99:99Z"`, `"0000-00-00"`, `"-292277022399-01-01T00:00:00Z"`, `"99999999999999999999999"`, `"*"`, `"'; --"`, `"../../etc/passwd"`, `"javascript:alert(1)"`,
	`[]`, `[null]`, `[[]]`, `[{}]`, `[""]`, `["\u0000"]`, `[1e400]`, strings.Repeat("[", 500) + strings.Repeat("]", 500), `[` + strings.Repeat(`"x",`, 20_000) + `"x"]`,
	`{}`, `{"": ""}`, `{"a": null}`, `{"a": [null]}`, `{"a": {"a": 1}}`, `{"\u0000": "\u0000"}`, `{"a": "\u0000"}`, "{\"a\xff\": \"\xff\"}", `{"a": 1e400, "b": -0, "c": 1.5}`,
	`{"` + strings.Repeat("k", 70_000) + `": "v"}`, strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500),
	`{"id": {}, "name": [], "email": 1, "base": {}, "repository": [], "labels": {}, "username": true}`,
	`{"id": "\u0000", "name": "\u0000", "email": "\u0000", "base": "\u0000", "repository": "\u0000", "labels": ["\u0000"]}`,
	`[{"user": "\u0000"}, {"team": 1}, {"id": "\u0000", "role": "\u0000"}]`, `[{"command": "\u0000", "label": "\u0000", "key": "\u0000", "env": {"\u0000": "\u0000"}}]`,
	`[{"command": "c", "parallelism": 1000000000, "priority": 1e400, "timeout_in_minutes": 9223372036854775807, "concurrency": -1, "concurrency_group": "g"}]`,
	`[{"command": "c", "matrix": {"setup": {"a": {}}}}]`, `[{"wait": null, "if": "((((("}]`, `[{"block": {}, "fields": [{"text": 1}]}]`, `[{"trigger": []}]`, `[{"group": "g", "steps": {}}]`,
}

// TestHostileValuesAreNoFaultsOfTheServer sends every value as every member of every body that the API describes. Server.Do fails for each answer that is a fault
// of the server, is no JSON, has no message, or is not as described.
func TestHostileValuesAreNoFaultsOfTheServer(t *testing.T) {
	t.Parallel()
	members, _ := describedInput(t)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var sample testkit.Sample
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return len(members[e.String()]) > 0 }) {
			if e.method == http.MethodPut && len(members["PATCH "+e.path]) > 0 {
				continue // PATCH does the same
			}
			path, good := e.target(t, s), map[string]json.RawMessage{}
			if e.body != "" {
				if err := json.Unmarshal([]byte(e.body), &good); err != nil {
					t.Fatal(err)
				}
			}
			for _, member := range members[e.String()] {
				for _, value := range hostileValues {
					if !sample.Has() {
						continue
					}
					var others strings.Builder
					for name, text := range good {
						if name != member {
							others.WriteString(`"` + name + `": ` + string(text) + `, `)
						}
					}
					answer := s.Do(testkit.Request{Method: e.method, Path: path, Token: testkit.AdminToken, Body: "{" + others.String() + `"` + member + `": ` + value + "}"})
					if answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusForbidden || answer.Status == http.StatusUnauthorized {
						t.Fatalf("%s with %s: %.80s is answered with %s", e, member, value, answer)
					}
					if answer.Status < 300 && e.method != http.MethodPost || answer.Status == http.StatusNotFound {
						path = e.target(t, s) // it may have another name now
					}
				}
			}
		}
	})
}

// TestHostileParametersAreNoFaultsOfTheServer sends every value as every parameter that the API describes.
func TestHostileParametersAreNoFaultsOfTheServer(t *testing.T) {
	t.Parallel()
	_, parameters := describedInput(t)
	values := []string{"", " ", "\x00", "\xff", "\xed\xa0\x80", "-1", "0", "1.5", "1e400", "9223372036854775808", "99999999999999999999999", "*", "%", "_", `\`, "'", "true", "[]", "{}", "null", "a,b", "a\nb",
		"2026-13-45T99:99:99Z", "-292277022399-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999+23:59", "0190a000-0000-7000-8000-000000000000", strings.Repeat("x", 10_000), strings.Repeat("*", 5_000),
		strings.Repeat("💥", 1_000)}
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var sample testkit.Sample
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.method == http.MethodGet && len(parameters[e.String()]) > 0 }) {
			path := e.target(t, s)
			for _, name := range parameters[e.String()] {
				for _, value := range values {
					for _, query := range []string{
						url.QueryEscape(name) + "=" + url.QueryEscape(value),
						url.QueryEscape(name) + "=" + url.QueryEscape(value) + "&" + url.QueryEscape(name) + "=" + url.QueryEscape(value),
						url.QueryEscape(strings.TrimSuffix(name, "[]")+"["+value+"]") + "=x",
					} {
						if !sample.Has() {
							continue
						}
						if answer := s.Get(testkit.AdminToken, path+"?"+query); answer.Status >= http.StatusInternalServerError {
							t.Errorf("%s?%.200s is answered with %s", e, query, answer)
						}
					}
				}
			}
		}
	})
}
