package testkit_test

import (
	"os"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

const smallDescription = `{
	"paths": {
		"/things/{id}": {
			"parameters": [{"$ref": "#/components/parameters/id"}],
			"get": {"responses": {
				"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
				"404": {"$ref": "#/components/responses/NotFound"}
			}},
			"delete": {"responses": {"204": {}}}
		},
		"/things/default": {
			"get": {"responses": {"200": {"content": {"application/json": {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}}}}}}
		}
	},
	"components": {
		"responses": {"NotFound": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}},
		"schemas": {
			"Error": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"], "additionalProperties": false},
			"Thing": {
				"type": "object",
				"properties": {"id": {"type": "string", "format": "uuid"}, "at": {"type": ["string", "null"], "format": "date-time"}},
				"required": ["id"],
				"additionalProperties": false
			}
		}
	}
}`

func TestContractChecksAnswers(t *testing.T) {
	t.Parallel()
	contract, err := testkit.NewContract([]byte(smallDescription))
	if err != nil {
		t.Fatal(err)
	}
	const thing = `{"id": "0190a000-0000-7000-8000-000000000001"`
	for name, test := range map[string]struct {
		method, path string
		status       int
		body         string
		fault        string // "" for none
	}{
		"as described":            {"GET", "/things/1", 200, thing + `, "at": "2026-05-03T04:17:55.867Z"}`, ""},
		"null":                    {"GET", "/things/1?query=1", 200, thing + `, "at": null}`, ""},
		"an error":                {"GET", "/things/1", 404, `{"message": "No thing found"}`, ""},
		"no body":                 {"DELETE", "/things/1", 204, ``, ""},
		"the more exact path":     {"GET", "/things/default", 200, `[` + thing + `}]`, ""},
		"a property too many":     {"GET", "/things/1", 200, thing + `, "more": 1}`, "'more' not allowed"},
		"a property too few":      {"GET", "/things/1", 200, `{}`, "missing property 'id'"},
		"a wrong type":            {"GET", "/things/1", 200, thing + `, "at": 1}`, "at '/at'"},
		"a wrong format":          {"GET", "/things/1", 200, `{"id": "1"}`, "at '/id'"},
		"another error":           {"GET", "/things/1", 404, `{"error": "No thing found"}`, "'error' not allowed"},
		"no JSON":                 {"GET", "/things/1", 200, `<p>`, "is not JSON"},
		"two values":              {"GET", "/things/1", 200, thing + `} {}`, "is not JSON"},
		"no body where one is":    {"GET", "/things/1", 200, ``, "is not JSON"},
		"a body where none is":    {"DELETE", "/things/1", 204, `{}`, "without a body"},
		"an unknown status":       {"GET", "/things/1", 201, thing + `}`, "status 201 (Created) is not described"},
		"an unknown method":       {"PATCH", "/things/1", 200, thing + `}`, "PATCH /things/1 is not described"},
		"an unknown path":         {"GET", "/things/1/parts", 200, thing + `}`, "is not described"},
		"a path without its id":   {"GET", "/things/", 200, thing + `}`, "is not described"},
		"the less exact answer":   {"GET", "/things/default", 200, thing + `}`, "want array"},
		"a path with a slash too": {"GET", "/things/1/", 200, thing + `}`, "is not described"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := contract.Check(test.method, test.path, test.status, []byte(test.body))
			if test.fault == "" && err != nil {
				t.Error(err)
			}
			if test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Errorf("want an error that says %q, not %v", test.fault, err)
			}
		})
	}
}

func TestContractRefusesBrokenDescriptions(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"no JSON":              `{`,
		"a response not there": strings.Replace(smallDescription, `"responses": {"NotFound"`, `"responses": {"Missing"`, 1),
		"a schema not there":   strings.Replace(smallDescription, `"Thing": {`, `"Thought": {`, 1),
		"no schema":            strings.Replace(smallDescription, `"type": "string", "format": "uuid"`, `"type": "text"`, 1),
	} {
		if _, err := testkit.NewContract([]byte(document)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestContractReadsTheDescriptionOfTheAPI(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	contract, err := testkit.NewContract(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := contract.Check("GET", "/v2/meta", 200, []byte(`{"webhook_ips": ["127.0.0.1/32"]}`)); err != nil {
		t.Error(err)
	}
}
