package graph_test

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/testkit"
)

// permissionsOf returns the selection of all that a type says of permissions; "" if it has none.
func permissionsOf(typeName string) string {
	schema := loadedSchema()
	field := schema.Types[typeName].Fields.ForName("permissions")
	if field == nil {
		return ""
	}
	selection := "permissions {"
	for _, permission := range schema.Types[field.Type.Name()].Fields {
		selection += " " + permission.Name + " { allowed code message }"
	}
	return selection + " }"
}

// permittingFields returns the selections of those fields of a payload whose objects say what the caller may do with them, and the
// paths to the objects.
func permittingFields(payload *ast.Definition) (selections []string, paths [][]string) {
	schema := loadedSchema()
	for _, field := range payload.Fields {
		typ, path, format := schema.Types[field.Type.Name()], []string{field.Name}, "%"
		if node := typ.Fields.ForName("node"); node != nil {
			typ, path, format = schema.Types[node.Type.Name()], append(path, "node"), "node { % }"
		}
		if permissions := permissionsOf(typ.Name); permissions != "" {
			selections = append(selections, field.Name+" { "+strings.ReplaceAll(format, "%", "__typename id "+permissions)+" }")
			paths = append(paths, path)
		}
	}
	return selections, paths
}

// objectsAt returns the objects that a path leads to, through lists too.
func objectsAt(t *testing.T, value any, path []string) (objects []fields) {
	t.Helper()
	if several, ok := value.([]any); ok {
		for _, one := range several {
			objects = append(objects, objectsAt(t, one, path)...)
		}
		return objects
	}
	if len(path) == 0 {
		return []fields{value.(fields)}
	}
	return objectsAt(t, dig(t, value, path[0]), path[1:])
}

// TestPermissionsInPayloadsAreThoseOfTheCaller compares what payloads say of permissions with what is said of the same things when
// they are looked up. Whoever changed a thing may change it.
func TestPermissionsInPayloadsAreThoseOfTheCaller(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		text := func(path, member string) string { return s.Get(testkit.AdminToken, acme+path).Text(member) }
		web, team := global("Pipeline", webID), global("Team", spareTeamID)
		teammate := text("/teams/"+testkit.TeamID+"/members/"+testkit.TeammateID, "graphql_id")
		access := text("/teams/"+testkit.TeamID+"/pipelines/"+webID, "graphql_id")
		membership := text("/members/"+testkit.MemberID, "membership_graphql_id")
		invited := s.Post(testkit.AdminToken, acme+"/invitations", fields{"emails": []string{"guest@example.com"}}).Want(t, 201).List()[0]["graphql_id"]
		schedule := s.Post(testkit.AdminToken, acme+"/pipelines/web/schedules", fields{"cronline": "@daily"}).Want(t, 201).Text("graphql_id")
		host := newRepositoryHost(t)
		s.Post(testkit.AdminToken, acme+"/repository_connections", fields{"type": "gitea", "host": fields{"url": host}, "token": "good-token"}).Want(t, 201)
		hosted := s.Post(testkit.AdminToken, acme+"/pipelines", fields{"name": "hosted", "repository": host + "/acme/web.git"}).Want(t, 201).Text("graphql_id")
		runner := global("Agent", newRunner(t, s.Server, agentTokenFor(t, s.Server), "Runner").id)
		unclustered := dig(t, wantData(t, s.mutate(testkit.AdminToken, "agentTokenCreate", fields{"organizationID": s.id}, "agentTokenEdge { node { id } }")), "agentTokenCreate", "agentTokenEdge", "node", "id")
		with := func(input fields) fields {
			input["isDefaultTeam"], input["defaultMemberRole"] = false, "MEMBER"
			return input
		}
		unseen := map[string]bool{}
		for _, mutation := range loadedSchema().Mutation.Fields {
			if payload := loadedSchema().Types[mutation.Type.Name()]; payload != nil {
				if selections, _ := permittingFields(payload); len(selections) > 0 {
					unseen[mutation.Name] = true
				}
			}
		}
		for _, change := range []struct {
			by, mutation string
			input        fields
			allowed      string // of what was changed: a permission that the caller made use of
		}{
			{testkit.MaintainerToken, "agentPause", fields{"id": runner}, "agentPause"},
			{testkit.AdminToken, "agentResume", fields{"id": runner}, "agentResume"},
			{testkit.AdminToken, "agentStop", fields{"id": runner}, "agentStop"},
			{testkit.AdminToken, "agentTokenCreate", fields{"organizationID": s.id}, "agentTokenRevoke"},
			{testkit.AdminToken, "agentTokenRevoke", fields{"id": unclustered, "reason": "Lost"}, "agentTokenRevoke"},
			{testkit.AdminToken, "pipelineCreate", fields{"organizationId": s.id, "name": "New", "repository": fields{"url": "r"}}, "pipelineUpdate"},
			{testkit.MaintainerToken, "pipelineCreate", fields{"organizationId": s.id, "name": "Own", "repository": fields{"url": "r"}}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineUpdate", fields{"id": web, "description": "a"}, "pipelineUpdate"},
			{testkit.TeammateToken, "pipelineUpdate", fields{"id": web, "description": "b"}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineScheduleCreate", fields{"pipelineID": web, "cronline": "@weekly", "label": "Weekly"}, "pipelineScheduleUpdate"},
			{testkit.AdminToken, "pipelineScheduleUpdate", fields{"id": schedule, "label": "Daily"}, "pipelineScheduleUpdate"},
			{testkit.AdminToken, "pipelineScheduleDelete", fields{"id": schedule}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineCreateWebhook", fields{"id": hosted}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineRotateWebhookURL", fields{"id": hosted}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineDeleteWebhook", fields{"id": hosted}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineArchive", fields{"id": web}, "pipelineUpdate"},
			{testkit.TeammateToken, "pipelineUnarchive", fields{"id": web}, "pipelineUpdate"},
			{testkit.AdminToken, "pipelineFavorite", fields{"id": web, "favorite": true}, "pipelineFavorite"},
			{testkit.MemberToken, "pipelineFavorite", fields{"id": web, "favorite": true}, "pipelineFavorite"},
			{testkit.AdminToken, "teamCreate", with(fields{"organizationID": s.id, "name": "New", "privacy": "SECRET"}), "teamUpdate"},
			{testkit.AdminToken, "teamUpdate", with(fields{"id": team, "name": "Spare"}), "teamUpdate"},
			{testkit.MemberToken, "teamUpdate", with(fields{"id": team, "name": "Spare"}), "teamUpdate"},
			{testkit.MemberToken, "teamMemberCreate", fields{"teamID": team, "userID": global("User", testkit.MaintainerID)}, "teamMemberDelete"},
			{testkit.AdminToken, "teamMemberUpdate", fields{"id": teammate, "role": "MEMBER"}, "teamMemberUpdate"},
			{testkit.TeammateToken, "teamPipelineCreate", fields{"teamID": team, "pipelineID": web}, "teamPipelineUpdate"},
			{testkit.TeammateToken, "teamPipelineUpdate", fields{"id": access, "accessLevel": "MANAGE_BUILD_AND_READ"}, "teamPipelineUpdate"},
			{testkit.AdminToken, "teamPipelineUpdate", fields{"id": access, "accessLevel": "READ_ONLY"}, "teamPipelineUpdate"},
			{testkit.AdminToken, "teamPipelineDelete", fields{"id": access}, "teamPipelineCreate"},
			{testkit.AdminToken, "teamMemberDelete", fields{"id": teammate}, "teamMemberCreate"},
			{testkit.AdminToken, "teamDelete", fields{"id": team}, "teamAdmin"},
			{testkit.AdminToken, "pipelineDelete", fields{"id": web}, "pipelineCreate"},
			{testkit.AdminToken, "organizationMemberUpdate", fields{"id": membership, "role": "MEMBER"}, "organizationMemberUpdate"},
			{testkit.AdminToken, "organizationMemberDelete", fields{"id": membership}, "organizationMemberUpdate"},
			{testkit.AdminToken, "organizationInvitationCreate", fields{"organizationID": s.id, "emails": []string{"a@example.com", "b@example.com"}}, "organizationInvitationCreate"},
			{testkit.AdminToken, "organizationInvitationResend", fields{"id": invited}, "organizationInvitationResend"},
			{testkit.AdminToken, "organizationInvitationRevoke", fields{"id": invited}, "organizationInvitationCreate"},
			{testkit.AdminToken, "organizationApiIpAllowlistUpdate", fields{"organizationID": s.id, "ipAddresses": ""}, "organizationUpdate"},
			{testkit.AdminToken, "organizationUpdate", fields{"organizationId": s.id, "name": "Acme"}, "organizationUpdate"},
			{testkit.AdminToken, "organizationRevokeInactiveTokensAfterUpdate", fields{"organizationId": s.id, "revokeInactiveTokensAfter": "NEVER"}, "organizationUpdate"},
		} {
			delete(unseen, change.mutation)
			selections, paths := permittingFields(loadedSchema().Types[loadedSchema().Mutation.Fields.ForName(change.mutation).Type.Name()])
			payload := dig(t, wantData(t, s.mutate(change.by, change.mutation, change.input, strings.Join(selections, " "))), change.mutation)
			used := false
			for _, path := range paths {
				objects := objectsAt(t, payload, path)
				if len(objects) == 0 {
					t.Errorf("%s has nothing at %v", change.mutation, path)
				}
				for _, object := range objects {
					typeName := object["__typename"].(string)
					looked := wantData(t, s.GraphQL(change.by, `query ($id: ID!) { node(id: $id) { __typename id ... on `+typeName+` { `+permissionsOf(typeName)+` } } }`, fields{"id": object["id"]}))
					wantEqual(t, object, looked["node"])
					if permission, ok := dig(t, object, "permissions").(fields)[change.allowed].(fields); ok {
						used = used || permission["allowed"] == true
					}
				}
			}
			if !used {
				t.Errorf("%s by %s: %s is not allowed in %v", change.mutation, change.by, change.allowed, payload)
			}
		}
		for mutation := range unseen {
			t.Errorf("%s is not tried", mutation)
		}
	})
}

// TestTeamPipelineCreateIsForWhoManagesAPipeline asks it of every team that somebody sees, in two organizations.
func TestTeamPipelineCreateIsForWhoManagesAPipeline(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		const commuter = "token-of-a-commuter-to-elsewhere"
		bootstrapObject(t, s.Server, fields{
			"organizations": []fields{{"slug": "elsewhere", "name": "Elsewhere", "members": []fields{{"user": "teammate@example.com"}}}},
			"tokens": []fields{{"user": "teammate@example.com", "token": commuter, "description": "d", "graphql": true, "scopes": []string{},
				"organizations": []string{"acme-inc", "elsewhere"}}},
		})
		asked := func(token string) map[string]bool {
			t.Helper()
			permitted := map[string]bool{}
			data := wantData(t, s.GraphQL(token, `{ viewer { organizations(first: 5) { nodes { slug teams(first: 5) { nodes { permissions { teamPipelineCreate { allowed } } } } } } } }`, nil))
			for _, organization := range dig(t, data, "viewer", "organizations", "nodes").([]any) {
				slug := dig(t, organization, "slug").(string)
				for i, team := range dig(t, organization, "teams", "nodes").([]any) {
					allowed := dig(t, team, "permissions", "teamPipelineCreate", "allowed").(bool)
					if i > 0 && allowed != permitted[slug] {
						t.Errorf("with the teams of %s, %s may not do the same", slug, token)
					}
					permitted[slug] = allowed
				}
			}
			return permitted
		}
		add := func(token, pipeline string) *testkit.Answer {
			return s.mutate(token, "teamPipelineCreate", fields{"teamID": global("Team", spareTeamID), "pipelineID": global("Pipeline", pipeline)}, "clientMutationId")
		}
		wantEqual(t, asked(testkit.AdminToken), map[string]bool{"acme-inc": true})
		wantEqual(t, asked(testkit.MemberToken), map[string]bool{"acme-inc": false}) // who maintains the team
		wantError(t, add(testkit.MemberToken, webID), "Forbidden", "teamPipelineCreate")
		wantEqual(t, asked(commuter), map[string]bool{"acme-inc": true, "elsewhere": false}) // of a team that manages a pipeline
		wantData(t, add(commuter, webID))

		own := s.Post(testkit.MaintainerToken, acme+"/pipelines", fields{"name": "Own", "repository": "r"}).Want(t, 201).Text("id")
		wantEqual(t, asked(testkit.MaintainerToken), map[string]bool{"acme-inc": true}) // who made a pipeline
		wantData(t, add(testkit.MaintainerToken, own))
		s.Delete(testkit.AdminToken, acme+"/pipelines/own").Want(t, 204)
		wantEqual(t, asked(testkit.MaintainerToken), map[string]bool{"acme-inc": false})
	})
}

// TestPayloadsShowWhatTheCallerManages changes a cluster, and asks the payload for what only those who manage it see.
func TestPayloadsShowWhatTheCallerManages(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		managed := fields{"agentTokens": fields{"count": 1.0}, "cacheRegistries": fields{"count": 2.0}}
		for token, want := range map[string]fields{
			testkit.AdminToken: managed, testkit.MaintainerToken: managed, testkit.TeammateToken: managed,
			testkit.MemberToken: {"agentTokens": nil, "cacheRegistries": nil},
		} {
			input := fields{"organizationId": s.id, "id": global("Cluster", testkit.MaintainedID), "description": "by " + token}
			data := wantData(t, s.mutate(token, "clusterUpdate", input, "cluster { agentTokens { count } cacheRegistries { count } }"))
			wantEqual(t, dig(t, data, "clusterUpdate", "cluster"), want)
		}
	})
}
