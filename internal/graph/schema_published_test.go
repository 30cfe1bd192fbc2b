package graph_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/graph"
	"penstock/internal/testkit"
	"penstock/internal/testkit/node"
)

// TestPublishedSchemaIsCurrent compares the published copy of the schema with the one that is served. With PENSTOCK_UPDATE=1 it
// writes the copy instead.
func TestPublishedSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	const file = "../../docs/schema.graphql"
	want, err := graph.PublishedSchema()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("PENSTOCK_UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/schema.graphql is not the schema that is served; go generate ./internal/graph writes it")
	}
}

// TestPublishedSchemaIsTheSchema compares the names in both.
func TestPublishedSchemaIsTheSchema(t *testing.T) {
	t.Parallel()
	published, err := graph.PublishedSchema()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: published})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, d := range definitions(schema) {
		for _, line := range namesOf(d) {
			lines[line] = true
		}
	}
	for _, d := range parsedSchema(t) {
		for _, line := range namesOf(d) {
			if !lines[line] {
				t.Errorf("%s is not published", line)
			}
			delete(lines, line)
		}
	}
	for line := range lines {
		t.Errorf("%s is published only", line)
	}
}

// TestIntrospectionIsThePublishedSchema compares the schema that a client builds from introspection with the published one.
func TestIntrospectionIsThePublishedSchema(t *testing.T) {
	t.Parallel()
	published, err := graph.PublishedSchema()
	if err != nil {
		t.Fatal(err)
	}
	server := testkit.NewServer(t, testkit.OpenDB(t, "sqlite"), testkit.ServerOptions{})
	client := node.Command(t, "testdata/graphql-http", "introspection.mjs")
	client.Env = append(os.Environ(), "AUDIT_URL="+server.URL+"/v1", "AUDIT_TOKEN="+testkit.AdminToken)
	client.Stdin = strings.NewReader(published)
	out, err := client.Output()
	if err != nil {
		t.Fatal(err)
	}
	var schemas struct{ Served, Published string }
	if err := json.Unmarshal(out, &schemas); err != nil {
		t.Fatal(err)
	}
	if schemas.Served != schemas.Published {
		t.Errorf("introspection has\n%s\npublished is\n%s", schemas.Served, schemas.Published)
	}
}
