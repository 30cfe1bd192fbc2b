package gql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"penstock/internal/gql"
)

// listSchema has n objects with a text each, a field that always fails, and one that must not.
func listSchema(t *testing.T, n int, text string) *gql.Schema {
	t.Helper()
	b := gql.NewBuilder(`type Query { all: [A] strict: [B] } type A { bad: Int text: String } type B { bad: Int! } type Mutation { change: A }`)
	gql.DeclareObject[int](b, "A")
	gql.DeclareObject[string](b, "B")
	gql.BindObjects(b, "Query.all", func(context.Context, []gql.Root, gql.Args) ([][]int, error) { return [][]int{make([]int, n)}, nil })
	gql.BindObjects(b, "Query.strict", func(context.Context, []gql.Root, gql.Args) ([][]string, error) {
		return [][]string{make([]string, n)}, nil
	})
	gql.BindEachObject(b, "Mutation.change", func(context.Context, gql.Root, gql.Args) (int, error) { return 1, nil })
	gql.BindColumn(b, "A.bad", func(context.Context, []int, gql.Args) ([]int64, error) { return nil, errBad }, gql.AppendInt)
	gql.BindColumn(b, "B.bad", func(context.Context, []string, gql.Args) ([]int64, error) { return nil, errBad }, gql.AppendInt)
	gql.BindLeaf(b, "A.text", func(dst []byte, _ int) []byte { return gql.AppendString(dst, text) })
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

var errBad = errors.New("bad")

func TestErrorsOfAnAnswerAreBounded(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(listSchema(t, 11_000, "x"), gql.Options{})
	for _, query := range []string{`{ all { bad } }`, `{ strict { bad } }`, `{ all { ` + strings.Repeat("bad ", 9_000) + ` } }`} {
		result := executor.Execute(t.Context(), gql.Request{Query: query})
		if len(result.Errors) != 101 || result.Errors[100].Message != "There are more errors, which are not shown" || len(result.Body) > 1<<20 {
			t.Errorf("%d errors, the last is %v, %d bytes", len(result.Errors), result.Errors[len(result.Errors)-1], len(result.Body))
		}
		if locations := len(result.Errors[0].Locations); locations == 0 || locations > 5 {
			t.Errorf("%d locations", locations)
		}
		if !strings.HasPrefix(string(result.Body), `{"data":{"`) {
			t.Errorf("the data is lost: %.100s", result.Body)
		}
	}
	// An alias stands in the path of each error below it.
	long := strings.Repeat("a", 200_000)
	result := gql.NewExecutor(listSchema(t, 10, "x"), gql.Options{MaxAnswer: 1 << 20}).Execute(t.Context(), gql.Request{Query: `{ ` + long + `: all { bad } }`})
	if last := result.Errors[len(result.Errors)-1]; last.Message != "The answer is too large" || len(result.Body) > 2<<20 {
		t.Errorf("%v, %d bytes", last, len(result.Body))
	}
}

// allocated returns how many bytes fn allocates. Tests that use it do not run beside others.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestAnAnswerIsGivenUpWhileItIsWritten asks for hundreds of megabytes.
func TestAnAnswerIsGivenUpWhileItIsWritten(t *testing.T) { //nolint:paralleltest // measures
	executor := gql.NewExecutor(listSchema(t, 5_000, strings.Repeat("x", 40_000)), gql.Options{MaxAnswer: 4 << 20})
	descriptions := strings.Builder{}
	for i := range 5_000 {
		fmt.Fprintf(&descriptions, "a%d:description ", i)
	}
	for name, query := range map[string]string{
		"names of types":       `{ all { ` + strings.ReplaceAll(descriptions.String(), "description", "__typename") + ` } }`,
		"texts":                `{ all { text } }`,
		"introspected texts":   `{ __schema { types { fields { ` + descriptions.String() + ` } } } }`,
		"a long response name": `{ all { ` + strings.Repeat("n", 100_000) + `: __typename } }`,
	} {
		var result *gql.Result
		bytes := allocated(func() { result = executor.Execute(t.Context(), gql.Request{Query: query}) })
		if string(result.Body) != `{"data":null,"errors":[{"message":"The answer is too large"}]}` {
			t.Errorf("%s: %.200s", name, result.Body)
		}
		if bytes > 150<<20 {
			t.Errorf("%s: %d MB were allocated", name, bytes>>20)
		}
	}
}

// TestWritingEndsWithTheRequest lets the request's time end while the first object is written.
func TestWritingEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := gql.NewBuilder(`type Query { all: [A] } type A { text: String }`)
	written := 0
	gql.DeclareObject[int](b, "A")
	gql.BindObjects(b, "Query.all", func(context.Context, []gql.Root, gql.Args) ([][]int, error) { return [][]int{make([]int, 50_000)}, nil })
	gql.BindLeaf(b, "A.text", func(dst []byte, _ int) []byte {
		cancel()
		written++
		return gql.AppendString(dst, "x")
	})
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	result := gql.NewExecutor(schema, gql.Options{}).Execute(ctx, gql.Request{Query: `{ all { text } }`})
	wantBody(t, result, `{"data":null,"errors":[{"message":"The request was canceled or took too long"}]}`)
	if !errors.Is(result.Errors[0], gql.ErrStopped) || written > 2000 {
		t.Errorf("%d objects were written after the end", written)
	}
}

// TestDocumentsAreCountedBeforeTheyAreParsed sends documents that would take tens of megabytes once they are parsed.
func TestDocumentsAreCountedBeforeTheyAreParsed(t *testing.T) { //nolint:paralleltest // measures
	executor := gql.NewExecutor(listSchema(t, 1, "x"), gql.Options{})
	for message, document := range map[string]string{
		"Query has more than 10000 fields, which is the limit":              `{ all { ` + strings.Repeat("text ", 50_000) + ` } }`,
		"The document has more than 60000 tokens, which is the limit":       `{ all(x: [` + strings.Repeat("1 ", 120_000) + `]) { text } }`,
		"The document has 262145 bytes, which exceeds the limit of 262144.": strings.Repeat("{", 256<<10+1),
	} {
		var result *gql.Result
		bytes := allocated(func() { result = executor.Execute(t.Context(), gql.Request{Query: document}) })
		if result.Errors[0].Message != message || bytes > 1<<20 {
			t.Errorf("%d bytes were allocated for %q, not %q", bytes, result.Errors[0].Message, message)
		}
	}
	// What is no field is not counted as one.
	executor = gql.NewExecutor(listSchema(t, 1, "x"), gql.Options{MaxFields: 3})
	result := executor.Execute(t.Context(), gql.Request{
		Query:     `query Q($a: Boolean! = true) { b: all @include(if: $a) { ... on A @skip(if: false) { text } ...F } } fragment F on A { c: text }`,
		Variables: map[string]any{"a": true},
	})
	wantBody(t, result, `{"data":{"b":[{"text":"x","c":"x"}]}}`)
}

// TestLargeDocumentsAreNotKept keeps a small document in the cache while large ones come by.
func TestLargeDocumentsAreNotKept(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(listSchema(t, 1, "x"), gql.Options{})
	executor.Execute(t.Context(), gql.Request{Query: `{ all { text } }`})
	for i := range 5 {
		executor.Execute(t.Context(), gql.Request{Query: fmt.Sprintf(`{ all { a%d: text } } #%s`, i, strings.Repeat("x", 240<<10))})
	}
	if kept := executor.Kept(); kept != 1 {
		t.Errorf("%d documents are kept", kept)
	}
}

func TestSomeErrorsEndTheRequest(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(listSchema(t, 3, "x"), gql.Options{EndsRequest: func(err error) bool { return errors.Is(err, errBad) }})
	result := executor.Execute(t.Context(), gql.Request{Query: `{ all { text bad } }`})
	wantBody(t, result, `{"data":null,"errors":[{"message":"bad"}]}`)
	if !errors.Is(result.Errors[0], errBad) {
		t.Error("the cause is lost")
	}
	// What a mutation did is done, and is told.
	result = executor.Execute(t.Context(), gql.Request{Query: `mutation { a: change { text bad } b: change { text } }`})
	wantBody(t, result, `{"data":{"a":{"text":"x","bad":null},"b":{"text":"x"}},"errors":[{"message":"bad","locations":[{"line":1,"column":29}],"path":["a","bad"]}]}`)
}
