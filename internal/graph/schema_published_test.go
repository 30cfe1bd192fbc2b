package graph_test

import (
	"os"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/graph"
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
