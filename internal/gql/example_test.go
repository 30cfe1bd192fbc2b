package gql_test

import (
	"context"
	"fmt"

	"penstock/internal/gql"
)

type author struct{ name string }

type book struct{ title string }

// Two authors are found by one call, and the books of both by another.
func Example() {
	books := map[string][]*book{"Ann": {{"Rivers"}, {"Weirs"}}, "Bob": {{"Mills"}}}

	b := gql.NewBuilder(`
		type Query { authors: [Author!]! }
		type Author { name: String! books: [Book!]! }
		type Book { title: String! }
	`)
	gql.DeclareObject[*author](b, "Author")
	gql.DeclareObject[*book](b, "Book")
	gql.BindObjects(b, "Query.authors", func(context.Context, []gql.Root, gql.Args) ([][]*author, error) {
		return [][]*author{{{"Ann"}, {"Bob"}}}, nil
	})
	gql.BindLeaf(b, "Author.name", func(dst []byte, a *author) []byte { return gql.AppendString(dst, a.name) })
	gql.BindObjects(b, "Author.books", func(_ context.Context, authors []*author, _ gql.Args) ([][]*book, error) {
		fmt.Println("books of", len(authors), "authors")
		found := make([][]*book, len(authors))
		for i, a := range authors {
			found[i] = books[a.name]
		}
		return found, nil
	})
	gql.BindLeaf(b, "Book.title", func(dst []byte, b *book) []byte { return gql.AppendString(dst, b.title) })
	schema, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	executor := gql.NewExecutor(schema, gql.Options{})
	result := executor.Execute(context.Background(), gql.Request{Query: `{ authors { name books { title } } }`})
	fmt.Println(string(result.Body))
	// Output:
	// books of 2 authors
	// {"data":{"authors":[{"name":"Ann","books":[{"title":"Rivers"},{"title":"Weirs"}]},{"name":"Bob","books":[{"title":"Mills"}]}]}}
}
