// Package graphql is a typed client of the GraphQL API that github.com/Khan/genqlient makes of operations.graphql and the published
// schema, as those who use the API do.
package graphql

//go:generate go tool genqlient
