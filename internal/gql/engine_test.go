package gql_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"penstock/internal/gql"
)

const zooSDL = `
scalar Date
enum Size { SMALL LARGE }
input Filter { name: String size: Size = SMALL ids: [ID!] born: Date nested: Filter }
interface Named { name: String! }
type Cat implements Named { name: String! lives: Int! friend: Animal tags: [String!] grid: [[Int!]] secret: String broken: String! }
type Dog implements Named { name: String! tricks: [String]! }
union Animal = Cat | Dog
type Query { cats(filter: Filter): [Cat!] cat(name: String!, size: Size): Cat animals: [Animal] named: [Named!]! echo(filter: Filter, n: Int = 7, f: Float): String slow: Cat }
type Mutation { rename(name: String!, to: String!): Cat mustRename(name: String!, to: String!): Cat! count: Int! }
`

type (
	cat struct {
		name   string
		friend any
		tags   []string
		grid   [][]int64
	}
	dog struct{ name string }
	zoo struct {
		cats   []*cat
		calls  []string // the fields resolved, with the number of parents
		events []string
	}
)

func (z *zoo) call(field string, parents int) {
	z.calls = append(z.calls, fmt.Sprintf("%s×%d", field, parents))
}

func (z *zoo) find(name string) (*cat, error) {
	for _, c := range z.cats {
		if c.name == name {
			return c, nil
		}
	}
	if name == "" {
		return nil, errors.New("a name is needed")
	}
	return nil, nil
}

func newZoo() *zoo {
	tom, felix := &cat{name: "Tom", tags: []string{"grey", "fast"}}, &cat{name: "Felix", grid: [][]int64{{1, 2}, nil, {3}}}
	tom.friend, felix.friend = felix, &dog{"Rex"}
	return &zoo{cats: []*cat{tom, felix, {name: "Solo", tags: []string{}}}}
}

func (z *zoo) builder() *gql.Builder {
	b := gql.NewBuilder(zooSDL)
	gql.DeclareObject[*cat](b, "Cat")
	gql.DeclareObject[*dog](b, "Dog")
	typeName := func(v any) string {
		return strings.ToUpper(reflect.TypeOf(v).Elem().Name()[:1]) + reflect.TypeOf(v).Elem().Name()[1:]
	}
	gql.DeclareAbstract(b, "Animal", typeName)
	gql.DeclareAbstract(b, "Named", typeName)
	b.DeclareScalar("Date", func(v any) (any, error) {
		text, _ := v.(string)
		return time.Parse(time.DateOnly, text)
	})
	gql.BindObjects(b, "Query.cats", func(_ context.Context, ps []gql.Root, args gql.Args) ([][]*cat, error) {
		z.call("cats", len(ps))
		return [][]*cat{z.cats}, nil
	})
	gql.BindEachObject(b, "Query.cat", func(_ context.Context, _ gql.Root, args gql.Args) (*cat, error) { return z.find(args.String("name")) })
	gql.BindEachObject(b, "Query.slow", func(ctx context.Context, _ gql.Root, _ gql.Args) (*cat, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	animals := func(_ context.Context, _ []gql.Root, _ gql.Args) ([][]any, error) {
		return [][]any{{z.cats[0], &dog{"Rex"}, z.cats[1]}}, nil
	}
	gql.BindObjects(b, "Query.animals", animals)
	gql.BindObjects(b, "Query.named", animals)
	gql.BindColumn(b, "Query.echo", func(_ context.Context, _ []gql.Root, args gql.Args) ([]string, error) {
		return []string{fmt.Sprint(map[string]any(args))}, nil
	}, gql.AppendString)
	rename := func(_ context.Context, _ gql.Root, args gql.Args) (*cat, error) {
		z.events = append(z.events, "rename "+args.String("to"))
		c, err := z.find(args.String("name"))
		if c != nil {
			c.name = args.String("to")
		}
		return c, err
	}
	gql.BindEachObject(b, "Mutation.rename", rename)
	gql.BindEachObject(b, "Mutation.mustRename", rename)
	gql.BindColumn(b, "Mutation.count", func(context.Context, []gql.Root, gql.Args) ([]int64, error) {
		return []int64{int64(len(z.events))}, nil
	}, gql.AppendInt)
	bindText(b, "Cat.name", func(c *cat) string { return c.name })
	gql.BindColumn(b, "Cat.lives", func(_ context.Context, cats []*cat, _ gql.Args) ([]int64, error) {
		z.call("lives", len(cats))
		z.events = append(z.events, "lives")
		return make([]int64, len(cats)), nil
	}, gql.AppendInt)
	gql.BindObject(b, "Cat.friend", func(_ context.Context, cats []*cat, _ gql.Args) ([]any, error) {
		z.call("friend", len(cats))
		friends := make([]any, len(cats))
		for i, c := range cats {
			friends[i] = c.friend
		}
		return friends, nil
	})
	gql.BindLeaf(b, "Cat.tags", func(dst []byte, c *cat) []byte {
		return gql.ListOf(func(dst []byte, tag string) []byte {
			if tag == "" {
				return gql.AppendNull(dst)
			}
			return gql.AppendString(dst, tag)
		})(dst, c.tags)
	})
	gql.BindLeaf(b, "Cat.grid", func(dst []byte, c *cat) []byte {
		return gql.ListOf(gql.ListOf(func(dst []byte, n int64) []byte {
			if n < 0 {
				return gql.AppendNull(dst)
			}
			return gql.AppendInt(dst, n)
		}))(dst, c.grid)
	})
	gql.BindColumn(b, "Cat.secret", func(_ context.Context, cats []*cat, _ gql.Args) ([]string, error) {
		failed := make(gql.Errors, len(cats))
		secrets := make([]string, len(cats))
		for i, c := range cats {
			if secrets[i] = c.name + "'s"; c.name == "Felix" {
				failed[i] = errors.New("hidden")
			}
		}
		return secrets, failed
	}, gql.AppendString)
	gql.BindLeaf(b, "Cat.broken", func(dst []byte, c *cat) []byte {
		if c.name == "Felix" {
			panic("boom")
		}
		return gql.AppendString(append(dst[:len(dst):len(dst)], c.name[:0]...), c.name)
	})
	bindText(b, "Dog.name", func(d *dog) string { return d.name })
	gql.BindLeaf(b, "Dog.tricks", func(dst []byte, _ *dog) []byte { return append(dst, `["sit",null]`...) })
	return b
}

func (z *zoo) executor(t testing.TB, options gql.Options) *gql.Executor {
	t.Helper()
	schema, err := z.builder().Build()
	if err != nil {
		t.Fatal(err)
	}
	return gql.NewExecutor(schema, options)
}

func wantBody(t *testing.T, result *gql.Result, want string) {
	t.Helper()
	if string(result.Body) != want {
		t.Errorf("got  %s\nwant %s", result.Body, want)
	}
}

func TestALevelIsResolvedByOneCall(t *testing.T) {
	t.Parallel()
	z := newZoo()
	result := z.executor(t, gql.Options{}).Execute(t.Context(), gql.Request{
		Query: `{ cats { name friend { ... on Cat { name lives friend { __typename ...on Dog { name tricks } } } } lives } }`,
	})
	wantBody(t, result, `{"data":{"cats":[`+
		`{"name":"Tom","friend":{"name":"Felix","lives":0,"friend":{"__typename":"Dog","name":"Rex","tricks":["sit",null]}},"lives":0},`+
		`{"name":"Felix","friend":{},"lives":0},{"name":"Solo","friend":null,"lives":0}]}}`)
	if want := []string{"cats×1", "friend×3", "lives×3", "lives×1", "friend×1"}; !reflect.DeepEqual(z.calls, want) {
		t.Errorf("calls %v, want %v", z.calls, want)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{})
	for _, test := range []struct {
		query, want string
		variables   map[string]any
	}{
		{query: `{ echo }`, want: `map[n:7]`},
		{query: `{ echo(n: null) }`, want: `map[n:<nil>]`},
		{query: `query ($n: Int) { echo(n: $n) }`, want: `map[n:7]`},
		{query: `query ($n: Int) { echo(n: $n) }`, variables: map[string]any{"n": nil}, want: `map[n:<nil>]`},
		{query: `query ($n: Int = 3) { echo(n: $n) }`, want: `map[n:3]`},
		{query: `{ echo(n: 1, f: 99999999999999999999) }`, want: `map[f:1e+20 n:1]`},
		{query: `{ echo(filter: {}) }`, want: `map[filter:map[size:SMALL] n:7]`},
		{query: `{ echo(filter: {ids: 4, nested: {size: LARGE}}) }`, want: `map[filter:map[ids:[4] nested:map[size:LARGE] size:SMALL] n:7]`},
		{query: `query ($f: Filter) { echo(filter: $f) }`, variables: map[string]any{"f": map[string]any{"ids": []any{"a", 1.0}, "born": "2021-10-26"}},
			want: `map[filter:map[born:2021-10-26 00:00:00 +0000 UTC ids:[a 1] size:SMALL] n:7]`},
		{query: `query ($a: String) { echo(filter: {name: $a, ids: ["x"]}) }`, want: `map[filter:map[ids:[x] size:SMALL] n:7]`},
	} {
		result := executor.Execute(t.Context(), gql.Request{Query: test.query, Variables: test.variables})
		wantBody(t, result, `{"data":{"echo":"`+test.want+`"}}`)
	}
}

func TestWrongInputIsRefused(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{})
	long := strings.Repeat("x", 10_000)
	for _, test := range []struct {
		query, want string
		variables   map[string]any
	}{
		{query: `{ echo(n: 3000000000) }`, want: `Int cannot represent value: 3000000000`},
		{query: `{ echo(n: 99999999999999999999) }`, want: `Int cannot represent value: 99999999999999999999`},
		{query: `{ echo(f: 1e400) }`, want: `Float cannot represent value: +Inf`},
		{query: `{ echo(n: 1.0) }`, want: `Int cannot represent value: 1`},
		{query: `{ echo(filter: {born: "today"}) }`, want: `Expected type "Date". parsing time`},
		{query: `{ echo(filter: {size: "LARGE"}) }`, want: `Enum "Size" cannot represent value: "LARGE".`},
		{query: `{ echo(filter: {colour: 1}) }`, want: `Field "colour" is not defined by type "Filter".`},
		{query: `query ($n: Int = "a") { echo(n: $n) }`, want: `Int cannot represent value: "a"`},
		{query: `query ($f: Filter!) { echo(filter: $f) }`, want: `Variable "$f" of required type "Filter!" was not provided.`},
		{query: `query ($f: Filter) { echo(filter: $f) }`, variables: map[string]any{"f": map[string]any{"nested": map[string]any{"ids": []any{"a", nil}}}},
			want: `Variable "$f" got invalid value null at "f.nested.ids[1]"; Expected non-nullable type "ID!" not to be null.`},
		{query: `query ($n: Int) { echo(n: $n) }`, variables: map[string]any{"n": long}, want: `Variable "$n" got invalid value "xxx`},
		{query: `query ($n: Int) { echo(n: $n) }`, variables: map[string]any{"n": 1.5}, want: `Int cannot represent value: 1.5`},
		{query: `{ a: echo(n: 1) a: echo(n: 2) }`, want: `Fields "a" conflict because they have differing arguments.`},
		{query: `{ cats { name: lives } named { name: __typename } animals { ... on Cat { x: name } ... on Dog { x: tricks } } }`, want: `Fields "x" conflict because they return conflicting types`},
		{query: `{ nope }`, want: `Cannot query field "nope" on type "Query".`},
		{query: `subscription { x }`, want: `does not support operation type`},
		{query: `{ cats(`, want: `Syntax Error: `},
		{query: ``, want: `Syntax Error: `},
		{query: `{ ...F } fragment F($x: Int) on Query { cats { name } }`, want: `Syntax Error: `},
		{query: `{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }`, want: `within itself`},
	} {
		result := executor.Execute(t.Context(), gql.Request{Query: test.query, Variables: test.variables})
		if result.HasData || len(result.Errors) == 0 || !strings.Contains(result.Errors[0].Message, test.want) || len(result.Body) > 5000 {
			t.Errorf("%s: got %s, want %s", test.query, result.Body, test.want)
		}
	}
}

func TestOperationIsChosenByName(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{})
	const two = `query A { a: __typename } mutation B { b: __typename }`
	for name, want := range map[string]string{
		"A": `{"data":{"a":"Query"}}`,
		"B": `{"data":{"b":"Mutation"}}`,
		"C": `{"errors":[{"message":"Unknown operation named \"C\"."}]}`,
		"":  `{"errors":[{"message":"Must provide operation name if query contains multiple operations."}]}`,
	} {
		wantBody(t, executor.Execute(t.Context(), gql.Request{Query: two, OperationName: name}), want)
	}
	wantBody(t, executor.Execute(t.Context(), gql.Request{Query: `query A { a: __typename }`}), `{"data":{"a":"Query"}}`)
	ops, errs := executor.Check(two)
	if want := []gql.Operation{{"A", "query"}, {"B", "mutation"}}; errs != nil || !reflect.DeepEqual(ops, want) {
		t.Errorf("operations %v, errors %v", ops, errs)
	}
	if ops, errs := executor.Check(`{ nope }`); ops != nil || len(errs) != 1 {
		t.Errorf("operations %v, errors %v", ops, errs)
	}
}

func TestSkipAndIncludeDecideOrderToo(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{})
	const query = `query ($x: Boolean!, $n: String!) { cat(name: $n) { name @include(if: $x) lives name } }`
	for value, want := range map[bool]string{true: `{"name":"Tom","lives":0}`, false: `{"lives":0,"name":"Tom"}`} {
		for range 2 { // planned, then kept
			result := executor.Execute(t.Context(), gql.Request{Query: query, Variables: map[string]any{"x": value, "n": "Tom"}})
			wantBody(t, result, `{"data":{"cat":`+want+`}}`)
		}
	}
}

func TestNullsInListsOfLeaves(t *testing.T) {
	t.Parallel()
	z := newZoo()
	z.cats = []*cat{{name: "A", tags: []string{"a", "", "b"}, grid: [][]int64{{1, -1}, nil, {2}}}, {name: "B", tags: []string{"null"}}}
	result := z.executor(t, gql.Options{}).Execute(t.Context(), gql.Request{Query: `{ cats { tags grid } }`})
	wantBody(t, result, `{"data":{"cats":[{"tags":null,"grid":[null,null,[2]]},{"tags":["null"],"grid":null}]},"errors":[`+
		`{"message":"Cannot return null for non-nullable field Cat.tags.","locations":[{"line":1,"column":10}],"path":["cats",0,"tags",1]},`+
		`{"message":"Cannot return null for non-nullable field Cat.grid.","locations":[{"line":1,"column":15}],"path":["cats",0,"grid",0,1]}]}`)
}

func TestErrorsOfSomeParents(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{Present: func(_ context.Context, err error) string { return "shown: " + err.Error() }})
	result := executor.Execute(t.Context(), gql.Request{Query: `{ cats { secret } cat(name: "") { name } }`})
	wantBody(t, result, `{"data":{"cats":[{"secret":"Tom's"},{"secret":null},{"secret":"Solo's"}],"cat":null},"errors":[`+
		`{"message":"shown: hidden","locations":[{"line":1,"column":10}],"path":["cats",1,"secret"]},`+
		`{"message":"shown: a name is needed","locations":[{"line":1,"column":19}],"path":["cat"]}]}`)
	if result.Errors[0].Err == nil || result.Errors[0].Err.Error() != "hidden" {
		t.Errorf("cause %v", result.Errors[0].Err)
	}
}

func TestPanicFailsItsFieldAlone(t *testing.T) {
	t.Parallel()
	var told []any
	executor := newZoo().executor(t, gql.Options{Panicked: func(_ context.Context, v any, stack []byte) {
		if len(stack) > 0 {
			told = append(told, v)
		}
	}, Present: func(context.Context, error) string { return "not for panics" }})
	result := executor.Execute(t.Context(), gql.Request{Query: `{ a: cat(name: "Tom") { broken name } b: cat(name: "Felix") { name broken } c: __typename }`})
	wantBody(t, result, `{"data":{"a":{"broken":"Tom","name":"Tom"},"b":null,"c":"Query"},"errors":[`+
		`{"message":"Internal error","locations":[{"line":1,"column":68}],"path":["b","broken"]}]}`)
	if !reflect.DeepEqual(told, []any{"boom"}) {
		t.Errorf("told of %v", told)
	}
}

func TestMutationsRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	z := newZoo()
	executor := z.executor(t, gql.Options{Around: func(ctx context.Context, run func(context.Context) error) error {
		z.events = append(z.events, "begin")
		defer func() { z.events = append(z.events, "end") }()
		return run(ctx)
	}})
	result := executor.Execute(t.Context(), gql.Request{Query: `mutation {
		a: rename(name: "Tom", to: "Tim") { name lives } b: rename(name: "Tim", to: "Jim") { name } c: rename(name: "Nobody", to: "x") { lives }
		count
		d: mustRename(name: "Nobody", to: "y") { name } e: rename(name: "Jim", to: "never") { name }
	}`})
	wantBody(t, result, `{"data":null,"errors":[{"message":"Cannot return null for non-nullable field Mutation.mustRename.","locations":[{"line":4,"column":3}],"path":["d"]}]}`)
	want := []string{"rename Tim", "begin", "lives", "end", "rename Jim", "rename x", "begin", "end", "rename y"}
	if !reflect.DeepEqual(z.events, want) {
		t.Errorf("events %v, want %v", z.events, want)
	}
	result = executor.Execute(t.Context(), gql.Request{Query: `mutation { a: rename(name: "Jim", to: "Tom") { name } b: rename(name: "Tom", to: "Tim") { name } count }`})
	wantBody(t, result, `{"data":{"a":{"name":"Tom"},"b":{"name":"Tim"},"count":11}}`)
}

func TestAroundMayRetryAndFail(t *testing.T) {
	t.Parallel()
	z := newZoo()
	var around func(context.Context, func(context.Context) error) error
	executor := z.executor(t, gql.Options{Around: func(ctx context.Context, run func(context.Context) error) error { return around(ctx, run) }})
	query := gql.Request{Query: `{ cats { name friend { __typename } } t: __typename }`}

	around = func(ctx context.Context, run func(context.Context) error) error {
		_ = run(ctx)
		z.cats = z.cats[2:]
		return run(ctx)
	}
	result := executor.Execute(t.Context(), query)
	wantBody(t, result, `{"data":{"cats":[{"name":"Solo","friend":null}],"t":"Query"}}`)
	if result.Actual != 1 {
		t.Errorf("actual complexity %d", result.Actual)
	}

	const failed = `{"data":{"cats":null,"t":"Query"},"errors":[{"message":"%s","locations":[{"line":1,"column":3}],"path":["cats"]}]}`
	around = func(ctx context.Context, run func(context.Context) error) error {
		_ = run(ctx)
		return errors.New("no commit")
	}
	wantBody(t, executor.Execute(t.Context(), query), fmt.Sprintf(failed, "no commit"))
	around = func(context.Context, func(context.Context) error) error { return nil }
	wantBody(t, executor.Execute(t.Context(), query), fmt.Sprintf(failed, "Internal error"))
	around = func(context.Context, func(context.Context) error) error { panic("around") }
	wantBody(t, executor.Execute(t.Context(), query), fmt.Sprintf(failed, "Internal error"))
	wantBody(t, executor.Execute(t.Context(), gql.Request{Query: `{ __typename __schema { queryType { name } } }`}), `{"data":{"__typename":"Query","__schema":{"queryType":{"name":"Query"}}}}`)

	around = func(context.Context, func(context.Context) error) error { return errors.New("no read") }
	wantBody(t, executor.Execute(t.Context(), gql.Request{Query: `mutation { rename(name: "Solo", to: "Duo") { name lives } }`}),
		`{"data":{"rename":null},"errors":[{"message":"no read","locations":[{"line":1,"column":12}],"path":["rename"]}]}`)
	if z.cats[0].name != "Duo" {
		t.Errorf("the mutation did not run")
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		z := newZoo()
		executor := z.executor(t, gql.Options{Timeout: time.Second, Present: func(context.Context, error) string { return "presented" }})
		result := executor.Execute(t.Context(), gql.Request{Query: `{ slow { name } cats { lives } t: __typename }`})
		wantBody(t, result, `{"data":{"slow":null,"cats":null,"t":"Query"},"errors":[`+
			`{"message":"The request was canceled or took too long","locations":[{"line":1,"column":3}],"path":["slow"]},`+
			`{"message":"The request was canceled or took too long","locations":[{"line":1,"column":17}],"path":["cats"]}]}`)
		if !errors.Is(result.Errors[1].Err, gql.ErrStopped) || len(z.calls) > 0 {
			t.Errorf("cause %v, calls %v", result.Errors[1].Err, z.calls)
		}
	})
}

func TestComplexity(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(pageSchema(t, 3), gql.Options{})
	for _, test := range []struct {
		query             string
		variables         map[string]any
		requested, actual int64
	}{
		{query: `{ organization(slug: "acme") { pipelines(first: 500) { edges { node { slug } } } } }`, requested: 503, actual: 6},
		{query: `{ organization(slug: "acme") { pipelines { edges { node { slug } } } } }`, requested: 503, actual: 6},
		{query: `{ organization(slug: "acme") { pipelines(first: null) { edges { cursor } } } }`, requested: 3, actual: 3},
		{query: `{ organization(slug: "acme") { pipelines(first: 2) { nodes { owner { id } } pageInfo { endCursor } } } }`, requested: 7, actual: 7},
		{query: `{ organization(slug: "acme") { pipelines(first: -2) { nodes { id } } } }`, requested: 2, actual: 2},
		{query: `query ($n: Int) { organization(slug: "acme") { pipelines(first: $n) { nodes { id } } } }`, variables: map[string]any{"n": 7.0}, requested: 9, actual: 5},
		{query: `query ($n: Int) { organization(slug: "acme") { pipelines(first: $n) { nodes { id } } } }`, requested: 502, actual: 5},
		{query: `{ organization(slug: "nobody") { pipelines { nodes { id } } } }`, requested: 502, actual: 0},
		{query: `{ __schema { types { fields { name } } } }`},
	} {
		result := executor.Execute(t.Context(), gql.Request{Query: test.query, Variables: test.variables})
		if len(result.Errors) > 0 || result.Requested != test.requested || result.Actual != test.actual {
			t.Errorf("%s: requested %d, actual %d, errors %v", test.query, result.Requested, result.Actual, result.Errors)
		}
	}
	const nested = `{ organization(slug: "acme") { pipelines(first: 500) { edges { node { owner { pipelines(first: %d) { edges { node { slug } } } } } } } } }`
	for _, test := range []struct{ first, cost int64 }{{499, 251503}, {1<<31 - 1, 3 + 500*(3+1<<31)}} {
		result := executor.Execute(t.Context(), gql.Request{Query: fmt.Sprintf(nested, test.first)})
		want := fmt.Sprintf(`{"errors":[{"message":"Query has complexity of %d, which exceeds max complexity of 50000"}]}`, test.cost)
		wantBody(t, result, want)
	}
	deep := `{ organization(slug: "acme") ` + strings.Repeat(`{ pipelines(first: 2147483647) { nodes { owner `, 4) + `{ id }` + strings.Repeat(` } } }`, 4) + ` }`
	result := executor.Execute(t.Context(), gql.Request{Query: deep})
	wantBody(t, result, `{"errors":[{"message":"Query has complexity of 9007199254740992, which exceeds max complexity of 50000"}]}`)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	schema := pageSchema(t, 3)
	const query = `{ organization(slug: "acme") { pipelines { nodes { id slug } } } __schema { types { ofType { ofType { ofType { ofType { name } } } } } } }`
	for want, options := range map[string]gql.Options{
		"": {MaxDepth: 4, MaxFields: 12, MaxDocument: len(query)},
		"Query has depth of 4, which exceeds max depth of 3":                                 {MaxDepth: 3},
		"Query has more than 11 fields, which is the limit":                                  {MaxFields: 11},
		fmt.Sprintf("The document has %d bytes, which exceeds the limit of 10.", len(query)): {MaxDocument: 10},
		"The answer is too large":                                                            {MaxAnswer: 40},
	} {
		result := gql.NewExecutor(schema, options).Execute(t.Context(), gql.Request{Query: query})
		got := ""
		if len(result.Errors) > 0 {
			got = result.Errors[0].Message
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestIntrospectionThatGrowsTooFarIsGivenUp(t *testing.T) {
	t.Parallel()
	var aliases strings.Builder
	for i := range 4900 {
		fmt.Fprintf(&aliases, "a%d: fields { name } ", i)
	}
	result := gql.NewExecutor(pageSchema(t, 3), gql.Options{}).Execute(t.Context(), gql.Request{Query: `{ __schema { types { ` + aliases.String() + ` } } }`})
	wantBody(t, result, `{"data":null,"errors":[{"message":"Introspection asks for too much"}]}`)
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(pageSchema(t, 3), gql.Options{CacheBytes: 20_000})
	for i := range 200 {
		for range 2 {
			result := executor.Execute(t.Context(), gql.Request{Query: fmt.Sprintf(`{ a%d: __typename }`, i)})
			wantBody(t, result, fmt.Sprintf(`{"data":{"a%d":"Query"}}`, i))
		}
	}
	if kept := executor.Kept(); kept == 0 || kept > 20_000/(60*20) {
		t.Errorf("%d documents are kept", kept)
	}
}

func TestRequestsRunAtOnce(t *testing.T) {
	t.Parallel()
	executor := gql.NewExecutor(pageSchema(t, 50), gql.Options{CacheBytes: 100 << 10})
	want := executor.Execute(t.Context(), gql.Request{Query: pageQuery, Variables: map[string]any{"org": "acme"}})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 50 {
				other := executor.Execute(t.Context(), gql.Request{Query: fmt.Sprintf("{ a%d: __typename }", (i*k)%20)})
				got := executor.Execute(t.Context(), gql.Request{Query: pageQuery, Variables: map[string]any{"org": "acme"}})
				if string(got.Body) != string(want.Body) || len(other.Errors) > 0 {
					t.Errorf("got %s and %s", got.Body, other.Body)
				}
			}
		})
	}
	all.Wait()
}

func TestSelectsOnly(t *testing.T) {
	t.Parallel()
	b := gql.NewBuilder(`type Query { a: A } type A { id: ID b: B } type B { name: String size: Int u: U } union U = A | B`)
	gql.DeclareObject[*cat](b, "A")
	gql.DeclareObject[*cat](b, "B")
	gql.DeclareAbstract(b, "U", func(*cat) string { return "A" })
	var got []bool
	gql.BindEachObject(b, "Query.a", func(ctx context.Context, _ gql.Root, _ gql.Args) (*cat, error) {
		got = append(got, gql.SelectsOnly(ctx, "", "b"), gql.SelectsOnly(ctx, "", "id", "name"),
			gql.SelectsOnly(ctx, "b", "name", "u"), gql.SelectsOnly(ctx, "b", "name"), gql.SelectsOnly(ctx, "b.size"))
		return nil, nil
	})
	none := func(_ context.Context, _ *cat, _ gql.Args) (*cat, error) { return nil, nil }
	gql.BindEachObject(b, "A.b", none)
	gql.BindEachObject(b, "B.u", none)
	for _, field := range []string{"A.id", "B.name", "B.size"} {
		gql.BindLeaf(b, field, func(dst []byte, _ *cat) []byte { return gql.AppendNull(dst) })
	}
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	result := gql.NewExecutor(schema, gql.Options{}).Execute(t.Context(), gql.Request{Query: `{ a { __typename x: b { called: name __typename ...F } } } fragment F on B { u { ... on B { name } } }`})
	wantBody(t, result, `{"data":{"a":null}}`)
	if want := []bool{true, false, true, false, true}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBuildNamesWhatIsNotBound(t *testing.T) {
	t.Parallel()
	b := gql.NewBuilder(`
		type Query { a: A node: N list: [A!] one: A nested: [[A]] tags: String n: Int arg(x: Int): Int ok: Int }
		type A { id: ID other: A } type B { id: ID } interface N { id: ID }
	`)
	gql.DeclareObject[*cat](b, "A")
	gql.DeclareObject[*cat](b, "A")
	gql.DeclareObject[*cat](b, "Nothing")
	gql.BindObject(b, "Query.a", func(_ context.Context, ps []gql.Root, _ gql.Args) ([]*dog, error) { return nil, nil })
	gql.BindObject(b, "Query.node", func(_ context.Context, ps []gql.Root, _ gql.Args) ([]any, error) { return nil, nil })
	gql.BindObject(b, "Query.list", func(_ context.Context, ps []gql.Root, _ gql.Args) ([]*cat, error) { return nil, nil })
	gql.BindObject(b, "Query.tags", func(_ context.Context, ps []gql.Root, _ gql.Args) ([]*cat, error) { return nil, nil })
	for _, field := range []string{"Query.one", "Query.nested"} {
		gql.BindObjects(b, field, func(_ context.Context, ps []gql.Root, _ gql.Args) ([][]*cat, error) { return nil, nil })
	}
	null := func(dst []byte, _ gql.Root) []byte { return gql.AppendNull(dst) }
	gql.BindLeaf(b, "Query.n", func(dst []byte, _ *cat) []byte { return dst })
	gql.BindLeaf(b, "Query.arg", null)
	gql.BindLeaf(b, "Query.ok", null)
	gql.BindLeaf(b, "Query.ok", null)
	gql.BindLeaf(b, "Query.nope", null)
	gql.BindLeaf(b, "A.other", func(dst []byte, _ *cat) []byte { return dst })
	b.DeclareScalar("Int", func(v any) (any, error) { return v, nil })
	_, err := b.Build()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"A.id is not bound", "A.other is bound to leaves, but is A", "B.id is not bound", "type B is not registered", "type A is registered twice", "type Nothing is registered",
		"Query.a is bound to *gql_test.dog, but A is *gql_test.cat", "type N is not registered", "Query.list is not bound to lists such as [A!]", "Query.one is bound to lists, but is A", "Query.nested is not bound to lists such as [[A]]",
		"Query.tags is bound to objects, but is String", "Query.n is bound to a parent *gql_test.cat, but Query is gql.Root", "Query.arg has arguments",
		"Query.ok is bound twice", "Query.nope is bound, but", "scalar Int is not a custom scalar",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	for sdl, want := range map[string]string{
		"type Query {": "schema 1", "type A { a: Int }": "no query type",
		"type Query { a(x: Int = \"one\"): Int }": `Query.a's argument x has a wrong default`, "type Query { a: Int } type Subscription { a: Int }": "subscriptions are not supported",
	} {
		if _, err := gql.NewBuilder(sdl).Build(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", sdl, err, want)
		}
	}
}

func TestABindingThatMiscountsIsAnInternalError(t *testing.T) {
	t.Parallel()
	b := gql.NewBuilder(`type Query { few: Int many: [A] errors: A wrote: Int nothing: Int! } type A { id: ID }`)
	gql.DeclareObject[*cat](b, "A")
	bindText(b, "A.id", func(c *cat) string { return c.name })
	gql.BindColumn(b, "Query.few", func(context.Context, []gql.Root, gql.Args) ([]int64, error) { return nil, nil }, gql.AppendInt)
	gql.BindObjects(b, "Query.many", func(context.Context, []gql.Root, gql.Args) ([][]*cat, error) { return make([][]*cat, 2), nil })
	gql.BindObject(b, "Query.errors", func(context.Context, []gql.Root, gql.Args) ([]*cat, error) {
		return make([]*cat, 1), gql.Errors{nil, nil}
	})
	gql.BindLeaf(b, "Query.wrote", func(dst []byte, _ gql.Root) []byte { return dst })
	gql.BindLeaf(b, "Query.nothing", func(dst []byte, _ gql.Root) []byte { return gql.AppendInt(dst, 1) })
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	result := gql.NewExecutor(schema, gql.Options{}).Execute(t.Context(), gql.Request{Query: `{ few many { id } errors { id } wrote nothing }`})
	if !strings.HasPrefix(string(result.Body), `{"data":{"few":null,"many":null,"errors":null,"wrote":null,"nothing":1},"errors":[`) || len(result.Errors) != 4 {
		t.Errorf("got %s", result.Body)
	}
	for _, err := range result.Errors {
		if err.Message != "Internal error" || err.Err == nil {
			t.Errorf("message %q, cause %v", err.Message, err.Err)
		}
	}
}

func TestSchemaIsPrinted(t *testing.T) {
	t.Parallel()
	schema, err := newZoo().builder().Build()
	if err != nil {
		t.Fatal(err)
	}
	text := schema.String()
	if !strings.Contains(text, "input Filter {\n  name: String\n  size: Size = SMALL\n") || strings.Contains(text, "__") || strings.Contains(text, "scalar Int") {
		t.Errorf("printed:\n%s", text)
	}
}

func TestStringsAreWrittenAsJavaScriptDoes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain": `"plain"`, "<&>\u2028\x7f": "\"<&>\u2028\x7f\"", "\"\\\b\f\n\r\t\x00\x1f": `"\"\\\b\f\n\r\t\u0000\u001f"`, "水\xff": "\"水\uFFFD\"",
	} {
		if got := string(gql.AppendString(nil, text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for number, want := range map[float64]string{0.1: "0.1", 1e21: "1e+21", 1e20: "100000000000000000000", 1e-7: "1e-7", -2: "-2"} {
		if got := string(gql.AppendFloat(nil, number)); got != want {
			t.Errorf("%v is %s, want %s", number, got, want)
		}
	}
}

func TestTheAnswerIsAppendedToTheBuffer(t *testing.T) {
	t.Parallel()
	executor := newZoo().executor(t, gql.Options{})
	for _, query := range []string{`{ __typename }`, `{ nope }`, `{ cat(name: "") { name } }`} {
		alone := executor.Execute(t.Context(), gql.Request{Query: query})
		behind := executor.Execute(t.Context(), gql.Request{Query: query, Buffer: []byte("before")})
		wantBody(t, behind, "before"+string(alone.Body))
	}
}
