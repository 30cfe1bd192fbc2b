package agentapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"penstock/internal/endpoint/openapi/check"
)

// served returns the description, with a version and a base URL that do not depend on the build or the machine.
func served(t *testing.T) check.Description {
	t.Helper()
	return check.Served(t, New(Options{BaseURL: "http://localhost:8080", Version: "0.0.0"}), root+"/openapi.json")
}

func TestOpenAPIIsCurrent(t *testing.T) {
	t.Parallel()
	served(t).IsCurrent(t, "../../docs/openapi-agents.json")
}

func TestOpenAPIDescribesEveryEndpoint(t *testing.T) {
	t.Parallel()
	served(t).HasEndpoints(t, New(Options{}).endpoints())
}

func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	served(t).IsValid(t)
}

func TestOpenAPIExplainsEverything(t *testing.T) {
	t.Parallel()
	served(t).ExplainsEverything(t, schemaDocs)
}

// TestOpenAPISchemas compiles every schema and holds some bodies against theirs.
func TestOpenAPISchemas(t *testing.T) {
	t.Parallel()
	compile := served(t).Compile(t)
	for _, test := range []struct {
		at, value string
		valid     bool
	}{
		{check.BodyAt(inJob+"/finish", "put"), `{"exit_status": "0", "more": 1}`, true},
		{check.BodyAt(inJob+"/finish", "put"), `{"exit_status": 0}`, false},
		{check.BodyAt(inJob+"/finish", "put"), `{}`, false},
		{check.BodyAt(inJob+"/promise_failure", "put"), `{"exit_status": 1}`, true},
		{check.BodyAt(inJob, "put"), `{"timeout_in_minutes": "5"}`, true},
		{check.BodyAt(inJob, "put"), `{"timeout_in_minutes": [5]}`, false},
		{check.BodyAt(inJob+"/pipelines", "post"), `{"uuid": "0190a000-0000-7000-8000-000000000001", "pipeline": {"steps": []}}`, true},
		{check.BodyAt(root+"/pause", "post"), `{"note": null, "timeout_in_minutes": 5}`, true},
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

// TestBodiesAreReadAsDescribed sends every member of every body with a value of another type, which is refused by its name before the service is asked.
func TestBodiesAreReadAsDescribed(t *testing.T) {
	t.Parallel()
	api := New(Options{})
	parameter, members := regexp.MustCompile(`\{\w+\}`), 0
	for _, e := range api.endpoints() {
		if e.Body == nil {
			continue
		}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(e.Body)) {
			name, wrong := field.Tag.Get("json"), `[]`
			switch {
			case field.Type.Kind() == reflect.Interface, field.Type == reflect.TypeFor[json.RawMessage]():
				continue // which may be anything
			case field.Type.Kind() == reflect.Slice:
				wrong = `{}`
			}
			members++
			answer := httptest.NewRecorder()
			api.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), e.Method, parameter.ReplaceAllString(e.Path, "x"),
				strings.NewReader(`{"`+name+`": `+wrong+`}`)))
			if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "`"+name+"` has the wrong type") {
				t.Errorf("%s %s with %s in %s: %d %s", e.Method, e.Path, wrong, name, answer.Code, answer.Body)
			}
		}
	}
	if members < 60 {
		t.Errorf("there are only %d members", members)
	}
}

// TestEveryEndpointSaysWhoCallsIt: tokens of agents have no scopes that would say it.
func TestEveryEndpointSaysWhoCallsIt(t *testing.T) {
	t.Parallel()
	for _, e := range New(Options{}).endpoints() {
		if e.Needs == "" && !e.Open {
			t.Errorf("%s %s does not say which token it needs", e.Method, e.Path)
		}
	}
}
