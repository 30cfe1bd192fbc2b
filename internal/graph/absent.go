package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
)

// Types that clients' documents name and of which nothing exists here: documents that ask for them are valid, and find none.
type (
	pipelineTemplate struct{}
	rule             struct{}
	suite            struct{}
	teamSuite        struct{}
)

func bindAbsentTypes(b *gql.Builder) {
	gql.DeclareObject[*pipelineTemplate](b, "PipelineTemplate")
	bindAbsentValues[*pipelineTemplate](b, "PipelineTemplate", "available", "configuration", "createdAt", "description", "id", "name", "updatedAt", "uuid")
	bindAbsentObject[*pipelineTemplate, *domain.User](b, "PipelineTemplate.createdBy")
	bindAbsentObject[*pipelineTemplate, *domain.User](b, "PipelineTemplate.updatedBy")

	gql.DeclareObject[*rule](b, "Rule")
	gql.DeclareAbstract(b, "RuleSource", typeNameOf)
	gql.DeclareAbstract(b, "RuleTarget", typeNameOf)
	bindAbsentValues[*rule](b, "Rule", "action", "description", "document", "effect", "id", "sourceType", "targetType", "type", "uuid")
	bindAbsentObject[*rule, *domain.User](b, "Rule.createdBy")
	bindAbsentObject[*rule, organization](b, "Rule.organization")
	bindAbsentObject[*rule, any](b, "Rule.source")
	bindAbsentObject[*rule, any](b, "Rule.target")

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
