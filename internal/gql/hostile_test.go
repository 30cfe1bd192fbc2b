package gql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"penstock/internal/gql"
)

// hostileDocuments documents, each near the limit of length. Names say what would grow faster than the document.
func hostileDocuments() map[string]string {
	var chain, bomb, bombDeep, operations, conflicts strings.Builder
	chain.WriteString("{ ...F0 }\n")
	for i := range 8000 {
		fmt.Fprintf(&chain, "fragment F%d on Query{...F%d}\n", i, i+1)
	}
	chain.WriteString("fragment F8000 on Query{__typename}")
	bomb.WriteString("{ ...B0 }\n")
	for i := range 60 {
		fmt.Fprintf(&bomb, "fragment B%d on Query{...B%d ...B%d}\n", i, i+1, i+1)
	}
	bomb.WriteString("fragment B60 on Query{__typename}")
	bombDeep.WriteString("{ organization(slug: \"a\") { ...D0 } }\n")
	for i := range 60 {
		fmt.Fprintf(&bombDeep, "fragment D%d on Organization{a: id ...D%d b: slug ...D%d}\n", i, i+1, i+1)
	}
	bombDeep.WriteString("fragment D60 on Organization{id}")
	for i := range 3000 {
		fmt.Fprintf(&operations, "query Q%d{...F}\n", i)
	}
	operations.WriteString("fragment F on Query{" + strings.Repeat("__typename ", 9000) + "}")
	conflicts.WriteString("{")
	for i := range 3000 {
		fmt.Fprintf(&conflicts, "organization(slug:\"a\"){a%d:id pipelines{b%d:count}}", i%7, i%11)
	}
	conflicts.WriteString("}")
	numbered := func(format string, n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, format, i)
		}
		return s.String()
	}
	return map[string]string{
		"chain of fragments":        chain.String(),
		"fragment bomb":             bomb.String(),
		"fragment bomb of fields":   bombDeep.String(),
		"cycle":                     "{...A} fragment A on Query{...B} fragment B on Query{...C} fragment C on Query{...A}",
		"cycle through fields":      `{organization(slug:"a"){...A}} fragment A on Organization{pipelines{nodes{owner{...A}}}}`,
		"operations times fragment": operations.String(),
		"one name, many fields":     `{` + strings.Repeat("__typename ", 9900) + `}`,
		"one name, many objects":    conflicts.String(),
		"many aliases":              `{organization(slug:"a"){` + numbered("a%d:id ", 9900) + `}}`,
		"too many aliases":          `{organization(slug:"a"){` + numbered("a%d:id ", 20000) + `}}`,
		"unknown fields":            `{organization(slug:"a"){` + numbered("organisation%d ", 9900) + `}}`,
		"one long unknown name":     `{` + strings.Repeat("x", 250_000) + `}`,
		"unknown fields, suggested": `{organization(slug:"a"){` + numbered("pipelin%d ", 150) + `}}`,
		"many variables":            `query(` + numbered("$v%d:String ", 9000) + `){organization(slug:[` + numbered("$v%d ", 9000) + `]){id}}`,
		"variables used often":      `query(` + numbered("$v%d:String ", 190) + `){organization(slug:[` + strings.Repeat("$v189 ", 30_000) + `]){id}}`,
		"long list":                 `{organization(slug:[` + strings.Repeat("1 ", 120_000) + `]){id}}`,
		"long list within bounds":   `{organization(slug:[` + strings.Repeat("1 ", 48_000) + `]){id}}`,
		"deep list":                 `{organization(slug:` + strings.Repeat("[", 900) + strings.Repeat("1 ", 40_000) + strings.Repeat("]", 900) + `){id}}`,
		"deeper list":               `{organization(slug:` + strings.Repeat("[", 120_000) + strings.Repeat("]", 120_000) + `){id}}`,
		"deep object":               `{organization(slug:` + strings.Repeat("{a:", 900) + `1` + strings.Repeat("}", 900) + `){id}}`,
		"deep fields":               strings.Repeat("{organization", 900) + strings.Repeat("}", 900),
		"deep introspection":        `{__schema{types` + strings.Repeat("{ofType", 900) + "{name}" + strings.Repeat("}", 900) + `}}`,
		"wide introspection":        `{__schema{types{` + numbered("a%d:fields{name}", 3000) + `}}}`,
		"many directives":           `{__typename` + strings.Repeat(" @skip(if:false)", 15_000) + `}`,
		"many inline fragments":     `{` + strings.Repeat("...{", 900) + "__typename" + strings.Repeat("}", 900) + `}`,
		"many unused fragments":     "{__typename}" + numbered("fragment F%d on Query{__typename}", 7000),
		"many arguments":            `{organization(` + numbered("a%d:1 ", 20_000) + `){id}}`,
		"same argument":             `{organization(` + strings.Repeat("slug:1 ", 30_000) + `){id}}`,
		"comments":                  "{__typename}" + strings.Repeat("#\n", 120_000),
		"one byte too many":         "{__typename}" + strings.Repeat(" ", 256<<10),
		"open braces":               strings.Repeat("{", 250_000),
		"strings":                   `{organization(slug:"` + strings.Repeat(`\u0000`, 40_000) + `"){id}}`,
		"replacement characters":    `{organization(slug:"` + strings.Repeat(`\ufffd`, 40_000) + `"){id}}`,
		"texts that need a look":    `{organization(slug:[` + strings.Repeat(`"\ufffd"`, 30_000) + `]){id}}`,
	}
}

// Each level of fields multiplies the object types that can occur.
func TestFanOutOverTypesCostsLittle(t *testing.T) {
	t.Parallel()
	sdl := "type Query { peer: Peer } interface Peer { peer: Peer id: ID }\n"
	var document strings.Builder
	for i := range 12 {
		sdl += fmt.Sprintf("type T%d implements Peer { peer: Peer id: ID own: ID }\n", i)
	}
	b := gql.NewBuilder(sdl)
	gql.DeclareAbstract(b, "Peer", func(int) string { return "T0" })
	gql.BindEachObject(b, "Query.peer", func(context.Context, gql.Root, gql.Args) (int, error) { return 1, nil })
	for i := range 12 {
		name := fmt.Sprintf("T%d", i)
		gql.DeclareObject[int](b, name)
		gql.BindEachObject(b, name+".peer", func(context.Context, int, gql.Args) (int, error) { return 1, nil })
		gql.BindLeaf(b, name+".id", func(dst []byte, n int) []byte { return gql.AppendInt(dst, int64(n)) })
		gql.BindLeaf(b, name+".own", func(dst []byte, n int) []byte { return gql.AppendInt(dst, int64(n)) })
	}
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for range 14 {
		document.WriteString("{ peer ")
	}
	document.WriteString("{ id }" + strings.Repeat("}", 14))
	split := "{ id }"
	for range 14 {
		level := "{ peer " + split
		for i := range 12 {
			level += fmt.Sprintf("... on T%d { peer { id } }", i)
		}
		split = level + "}"
	}
	split = "{ peer " + split + "}"
	executor := gql.NewExecutor(schema, gql.Options{MaxDepth: 20})
	for _, query := range []string{document.String(), split} {
		start := time.Now()
		result := executor.Execute(t.Context(), gql.Request{Query: query})
		if took := time.Since(start); took > 2*time.Second || len(result.Errors) == 0 {
			t.Errorf("took %v: %s", took, result.Body)
		} else {
			t.Logf("%d bytes: %v, %s", len(query), took, result.Body)
		}
	}
}

// A document with many conditions has as many plans as they have values.
func TestPlansOfOneDocumentAreBounded(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(pageSchema(t, 3), gql.Options{CacheBytes: 96 << 10})
	for i := range 300 {
		variables := map[string]any{}
		query := "query ("
		for bit := range 10 {
			query += fmt.Sprintf("$v%d: Boolean! ", bit)
			variables[fmt.Sprintf("v%d", bit)] = i>>bit&1 == 1
		}
		query += ") { t: __typename "
		for bit := range 10 {
			query += fmt.Sprintf("a%d: __typename @include(if: $v%d) ", bit, bit)
		}
		result := executor.Execute(t.Context(), gql.Request{Query: query + "}", Variables: variables})
		if want := strings.Count(fmt.Sprintf("%b", i), "1") + 1; strings.Count(string(result.Body), `"Query"`) != want {
			t.Errorf("%b: %s", i, result.Body)
		}
	}
	if plans := executor.KeptPlans(); plans == 0 || plans > 8 {
		t.Errorf("%d plans are kept", plans)
	}
}

// No document may cost much more than its length. The bound is generous, since a test machine may be busy; what it catches
// takes seconds, or does not end.
func TestHostileDocumentsCostLittle(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(pageSchema(t, 3), gql.Options{})
	for name, document := range hostileDocuments() {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			result := executor.Execute(t.Context(), gql.Request{Query: document})
			took := time.Since(start)
			t.Logf("%d bytes: %v, %d bytes of answer", len(document), took, len(result.Body))
			if took > 2*time.Second {
				t.Errorf("took %v", took)
			}
			if len(result.Body) > 8<<20 {
				t.Errorf("the answer has %d bytes", len(result.Body))
			}
		})
	}
}
