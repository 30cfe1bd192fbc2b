package gql_test

import (
	"testing"

	"penstock/internal/gql"
)

func TestExampleVariables(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{})
	const document = `query All($n: Int = 3, $f: Float, $filter: Filter) { echo(filter: $filter, n: $n, f: $f) }
		query One($name: String!, $size: Size = LARGE, $other: Size, $names: [ID!], $text: String = "a\"b") {
			cat(name: $name, size: $size) { name } again: cat(name: $name, size: $other) { name } cats(filter: {ids: $names, name: $text}) { name }
		}`
	for operation, want := range map[string]string{
		"All":     `{"n": 3, "f": 1.5, "filter": {}}`,
		"One":     `{"name": "Tom", "size": "LARGE", "other": "SMALL", "names": ["…"], "text": "a\"b"}`,
		"Missing": "",
	} {
		if got := executor.ExampleVariables(document, operation, map[string]string{"name": "Tom"}); got != want {
			t.Errorf("%s is given %s, want %s", operation, got, want)
		}
	}
	if got := executor.ExampleVariables("query {", "", nil); got != "" {
		t.Errorf("a document that can't be read is given %s", got)
	}
}
