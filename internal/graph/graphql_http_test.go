package graph_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"penstock/internal/testkit"
	"penstock/internal/testkit/node"
)

// deviations are the audits of graphql-http that we fail, none of them a MUST, by the reason.
var deviations = map[string][]string{
	"the address answers POST only, other methods with 405": {
		"5A70", // MAY accept application/x-www-form-urlencoded formatted GET requests
		"D6D5", // MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/graphql-response+json
		"6A70", // MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting application/json
	},
	"a document that cannot be run is answered with 200 and errors, whatever the caller accepts": {
		"865D", // SHOULD use 4xx or 5xx status codes on document parsing failure when accepting application/graphql-response+json
		"556A", // SHOULD use 400 status code on document parsing failure when accepting application/graphql-response+json
		"51FE", // SHOULD use 4xx or 5xx status codes on document validation failure when accepting application/graphql-response+json
		"74FF", // SHOULD use 400 status code on document validation failure when accepting application/graphql-response+json
		"86EE", // SHOULD use a status code of 400 on variable coercion failure when accepting application/graphql-response+json
	},
	"application/graphql-response+json promises those status codes, so every answer is application/json": {
		"22EB", // SHOULD accept application/graphql-response+json and match the content-type
	},
	"a request is query, variables and operationName; what else it has is not looked at": {
		"58B0", // MAY use 400 status code on string {extensions} parameter
		"58B1", // MAY use 400 status code on number {extensions} parameter
		"58B2", // MAY use 400 status code on boolean {extensions} parameter
		"58B3", // MAY use 400 status code on array {extensions} parameter
	},
}

// TestGraphQLOverHTTP runs graphql-http's audits, which check the specification of GraphQL over HTTP.
func TestGraphQLOverHTTP(t *testing.T) {
	t.Parallel()
	server := testkit.NewServer(t, testkit.OpenDB(t, "sqlite"), testkit.ServerOptions{})
	audits := node.Command(t, "testdata/graphql-http", "run.mjs")
	audits.Env = append(os.Environ(), "AUDIT_URL="+server.URL+"/v1", "AUDIT_TOKEN="+testkit.AdminToken)
	out, err := audits.Output()
	if err != nil {
		t.Fatal(err)
	}
	deviates := map[string]bool{}
	for _, ids := range deviations {
		for _, id := range ids {
			deviates[id] = true
		}
	}
	seen := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var audit struct{ ID, Name, Status, Reason string }
		if err := json.Unmarshal(lines.Bytes(), &audit); err != nil {
			t.Fatalf("%v in %s", err, lines.Bytes())
		}
		seen[audit.ID] = true
		switch {
		case audit.Status != "ok" && !deviates[audit.ID]:
			t.Errorf("%s %s: %s", audit.ID, audit.Name, audit.Reason)
		case audit.Status == "ok" && deviates[audit.ID]:
			t.Errorf("%s %s: passes, so it is no deviation", audit.ID, audit.Name)
		}
	}
	for id := range deviates {
		if !seen[id] {
			t.Errorf("%s: there is no such audit", id)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d audits ran", len(seen))
	}
}
