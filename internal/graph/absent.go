package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
)

// Types that clients' documents name and of which nothing exists here: documents that ask for them are valid, and find
// none.
type (
	suite     struct{}
	teamSuite struct{}
)

func bindAbsentTypes(b *gql.Builder) {
	gql.DeclareObject[*suite](b, "Suite")
	bindAbsentValues[*suite](b, "Suite", "createdAt", "defaultBranch", "id", "name", "slug", "url", "uuid")
	bindAbsentObject[*suite, organization](b, "Suite.organization")

	gql.DeclareObject[*teamSuite](b, "TeamSuite")
	bindAbsentValues[*teamSuite](b, "TeamSuite", "accessLevel", "createdAt", "id", "uuid")
	bindAbsentObject[*teamSuite, *domain.User](b, "TeamSuite.createdBy")
	bindAbsentObject[*teamSuite, *suite](b, "TeamSuite.suite")
	bindAbsentObject[*teamSuite, *domain.TeamView](b, "TeamSuite.team")
}

// bindAbsentValues binds fields that are never asked for a value.
func bindAbsentValues[P any](b *gql.Builder, typeName string, fields ...string) {
	for _, field := range fields {
		gql.BindLeaf(b, typeName+"."+field, func(dst []byte, _ P) []byte { return gql.AppendNull(dst) })
	}
}

// bindAbsentObject binds a field that is never asked for an object.
func bindAbsentObject[P, C any](b *gql.Builder, field string) {
	bindPart(b, field, func(P) (none C) { return none })
}
