package gql_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"penstock/internal/gql"
)

// FuzzPlan sends documents through parsing, validation, planning and running. Whatever they are, the answer is JSON and
// comes soon.
func FuzzPlan(f *testing.F) {
	for _, document := range []string{
		pageQuery, `{ cats { ...F friend { ... on Dog { name } } } } fragment F on Named { name }`, `query A($f: Filter = {ids: [1]}) { echo(filter: $f) }`,
		`mutation { rename(name: "Tom", to: "") { name @skip(if: true) lives } }`, `{ a: cat(name: "Tom", size: LARGE) { name } a: cat(name: "Tom", size: LARGE) { tags grid } }`,
		`{ __type(name: "Cat") { fields { type { ofType { name } } } } }`, `{ ...A } fragment A on Query { ...A }`, `{ animals { ... on Cat { x: name } ... on Dog { x: tricks } } }`,
		"\ufeff{ # 🐈\r\n cat(name: \"\"\"水\"\"\", size: LARGE) { name } b: cat(name: \"\\ufffd🐈\\ud83d\") { name } }",
	} {
		f.Add(document)
	}
	z := newZoo()
	executor := z.executor(f, gql.Options{MaxFields: 1000, MaxDocument: 16 << 10, Timeout: time.Millisecond, Panicked: func(_ context.Context, v any, stack []byte) {
		if v != "boom" {
			f.Errorf("panic: %v\n%s", v, stack)
		}
	}})
	f.Fuzz(func(t *testing.T, document string) {
		start := time.Now()
		result := executor.Execute(t.Context(), gql.Request{Query: document})
		if took := time.Since(start); took > time.Second {
			t.Errorf("took %v", took)
		}
		if !json.Valid(result.Body) || !result.HasData && len(result.Errors) == 0 {
			t.Errorf("answer %s", result.Body)
		}
	})
}
