// Package gql is a small GraphQL executor that resolves breadth first.
//
// A schema is written in GraphQL's own language and bound to Go functions, field by field. A field of objects receives
// all the parents of its level at once and returns all their children, so that a level of an answer costs one call,
// however wide it is: there is no query per node and no data loader. A leaf field appends its JSON straight to the
// answer.
//
//	b := gql.NewBuilder(sdl)
//	gql.DeclareObject[*Author](b, "Author")
//	gql.BindLeaf(b, "Author.name", func(dst []byte, a *Author) []byte { return gql.AppendString(dst, a.Name) })
//	gql.BindObjects(b, "Author.books",
//		func(ctx context.Context, authors []*Author, args gql.Args) ([][]*Book, error) { … })
//	schema, err := b.Build()
//	executor := gql.NewExecutor(schema, gql.Options{})
//	result := executor.Execute(ctx, gql.Request{Query: `{ author(name: "Bob") { books { title } } }`})
//
// Build refuses a schema with a field that is not bound, or is bound to the wrong Go type.
//
// A request is answered in two steps. First its objects are resolved, level by level: every field is called once with
// all the live parents that reach it by the same way. Then the answer is written depth first into one buffer, where a
// null that its type does not allow cuts the buffer back to the nearest ancestor that may be null. Mutations do both,
// one top-level field after the other.
//
// Documents are parsed, validated and planned once and then kept, within a budget of memory. What a document may cost
// is limited before any work is done on it that grows faster than its length.
//
// The semantics are those of the October 2021 edition of the specification, without subscriptions. The package imports
// gqlparser, which parses and validates, and knows nothing of any application.
package gql
