// Package gqlgen serves the comparison's data with code that github.com/99designs/gqlgen generates.
package gqlgen

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/bench/peers/data"
)

type resolver struct{ source data.Source }

func (r resolver) Query() QueryResolver { return r }

func (r resolver) Organization(ctx context.Context, slug *string) (*data.Organization, error) {
	return r.source.Organization(ctx, *slug)
}

// New returns the handler. It keeps documents that it has parsed and validated.
func New(source data.Source) http.Handler {
	h := handler.New(NewExecutableSchema(Config{Resolvers: resolver{source}}))
	h.AddTransport(transport.POST{})
	h.SetQueryCache(lru.New[*ast.QueryDocument](1000))
	return h
}
