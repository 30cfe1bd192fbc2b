package rest

// These tests cannot use internal/testkit, which imports this package.

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"penstock/internal/endpoint/openapi/check"
	"penstock/internal/policy"
)

// served returns the description, with a version and a base URL that do not depend on the build or the machine.
func served(t *testing.T) check.Description {
	t.Helper()
	return check.Served(t, New(Options{BaseURL: "http://localhost:8080", Version: "0.0.0"}), "/v2/openapi.json")
}

func TestOpenAPIIsCurrent(t *testing.T) {
	t.Parallel()
	served(t).IsCurrent(t, "../../docs/openapi.json")
}

func TestOpenAPINeedsNoToken(t *testing.T) {
	t.Parallel()
	document := served(t).Document
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
	first := served(t).Text
	for range 3 {
		if string(served(t).Text) != string(first) {
			t.Fatal("two descriptions differ")
		}
	}
}

func TestOpenAPIDescribesEveryEndpoint(t *testing.T) {
	t.Parallel()
	description := served(t)
	for path := range description.Document["paths"].(map[string]any) {
		if path != "/v2" && !strings.HasPrefix(path, "/v2/") {
			t.Errorf("%s does not begin with /v2", path)
		}
	}
	description.HasEndpoints(t, New(Options{}).endpoints())
}

func TestOpenAPIIsValid(t *testing.T) {
	t.Parallel()
	served(t).IsValid(t)
}

func TestOpenAPIExplainsEverything(t *testing.T) {
	t.Parallel()
	served(t).ExplainsEverything(t, schemaDocs)
}

// TestOpenAPISchemas compiles every schema and holds some bodies and policies against theirs.
func TestOpenAPISchemas(t *testing.T) {
	t.Parallel()
	compile, body := served(t).Compile(t), check.BodyAt
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
