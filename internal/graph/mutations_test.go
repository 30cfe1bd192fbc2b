package graph_test

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// inOrganization is a server to change, and the global id of its organization.
type inOrganization struct {
	*testkit.Server
	id string
}

// eachChanged runs fn on a server of each engine with what parityFixture has.
func eachChanged(t *testing.T, fn func(t *testing.T, s inOrganization)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{Bootstrap: parityFixture})
		parityFill(t, s)
		fn(t, inOrganization{s, s.Get(testkit.AdminToken, acme).Text("graphql_id")})
	})
}

// mutate runs one mutation.
func (s inOrganization) mutate(token, mutation string, input fields, selection string) *testkit.Answer {
	return s.GraphQL(token, `mutation ($input: `+inputType(mutation)+`) { `+mutation+`(input: $input) { `+selection+` } }`, fields{"input": input})
}

// done runs one mutation that must succeed, and returns its payload.
func (s inOrganization) done(t *testing.T, mutation string, input fields, selection string) fields {
	t.Helper()
	payload, _ := wantData(t, s.mutate(testkit.AdminToken, mutation, input, selection))[mutation].(fields)
	return payload
}

// events returns how many audit events there are, and the newest.
func (s inOrganization) events(t *testing.T) (int, fields) {
	t.Helper()
	list := s.Get(testkit.AdminToken, acme+"/audit_events?per_page=100").Want(t, 200).List()
	return len(list), list[0]
}

func wantEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestClientMutationIDComesBack(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		for given, want := range map[any]any{"abc": "abc", "": "", nil: nil, removed{}: nil} {
			input := fields{"id": global("ClusterQueue", testkit.QueueID), "organizationId": s.id, "clientMutationId": given}
			if given == (removed{}) {
				delete(input, "clientMutationId")
			}
			wantEqual(t, s.done(t, "clusterQueueUpdate", input, "clientMutationId")["clientMutationId"], want)
		}
	})
}

// TestMutationsRunInTurn asks what each mutation of a document leaves: what those before it did, and not what those after it do.
func TestMutationsRunInTurn(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		queue := `{ clusterQueue { key cluster { queues { count nodes { key } } } } }`
		data := wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($o: ID!, $c: ID!, $q: ID!) {
			a: clusterQueueCreate(input: {organizationId: $o, clusterId: $c, key: "one"}) `+queue+`
			b: clusterQueuePauseDispatch(input: {id: $q}) { queue { dispatchPaused cluster { queues { count } } } }
			c: clusterQueueCreate(input: {organizationId: $o, clusterId: $c, key: "two"}) `+queue+`
			d: clusterQueueResumeDispatch(input: {id: $q}) { queue { dispatchPaused } }
			e: clusterQueueDelete(input: {organizationId: $o, id: $q}) { deletedClusterQueueId }
		}`, fields{"o": s.id, "c": global("Cluster", testkit.MaintainedID), "q": global("ClusterQueue", testkit.QueueID)}))
		wantEqual(t, dig(t, data, "a", "clusterQueue", "cluster", "queues"), fields{"count": 2.0, "nodes": []any{fields{"key": "default"}, fields{"key": "one"}}})
		wantEqual(t, dig(t, data, "b", "queue"), fields{"dispatchPaused": true, "cluster": fields{"queues": fields{"count": 2.0}}})
		wantEqual(t, dig(t, data, "c", "clusterQueue", "cluster", "queues", "count"), 3.0)
		wantEqual(t, dig(t, data, "d", "queue", "dispatchPaused"), false)
		wantEqual(t, dig(t, data, "e", "deletedClusterQueueId"), global("ClusterQueue", testkit.QueueID))
	})
}

// TestARefusedMutationLeavesTheOthers has one that is refused between two that are done.
func TestARefusedMutationLeavesTheOthers(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		before, _ := s.events(t)
		answer := s.GraphQL(testkit.AdminToken, `mutation ($o: ID!) {
			a: clusterCreate(input: {organizationId: $o, name: "A"}) { cluster { name } }
			b: clusterCreate(input: {organizationId: $o, name: ""}) { cluster { name } }
			c: clusterCreate(input: {organizationId: $o, name: "C"}) { cluster { name } }
		}`, fields{"o": s.id})
		wantError(t, answer, "Validation failed: Name can't be blank", "b")
		wantEqual(t, answer.Object()["data"], fields{"a": fields{"cluster": fields{"name": "A"}}, "b": nil, "c": fields{"cluster": fields{"name": "C"}}})
		wantEqual(t, testkit.Column(s.Get(testkit.AdminToken, acme+"/clusters").List(), "name"), []any{"A", "C", "Maintained", "Spare"})
		if after, _ := s.events(t); after != before+2 {
			t.Errorf("%d events were left", after-before)
		}
	})
}

// TestPayloadsHaveEdges uses the cursors of what was made to read on from it, in the lists' usual orders.
func TestPayloadsHaveEdges(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		s.Clock.Advance(1000)
		const edge = "{ cursor node { id } }"
		after := func(list, cursor string, variables fields) []any {
			t.Helper()
			variables["after"] = cursor
			data := wantData(t, s.GraphQL(testkit.AdminToken, `query ($id: ID!, $after: String) { node(id: $id) { `+list+` } }`, variables))
			for _, connection := range data["node"].(fields) {
				return dig(t, connection, "nodes").([]any)
			}
			return nil
		}
		made := s.done(t, "pipelineCreate", fields{"organizationId": s.id, "name": "New", "repository": fields{"url": "r"}, "clusterId": global("Cluster", spareClusterID)},
			"pipelineEdge "+edge+" pipeline { id } organization { pipelines(first: 1) { count edges { cursor } } } cluster { name }")
		wantEqual(t, dig(t, made, "pipelineEdge", "node", "id"), dig(t, made, "pipeline", "id"))
		wantEqual(t, dig(t, made, "cluster", "name"), "Spare")
		wantEqual(t, dig(t, made, "organization", "pipelines"), fields{"count": 3.0, "edges": []any{fields{"cursor": dig(t, made, "pipelineEdge", "cursor")}}})
		if rest := after("... on Organization { pipelines(after: $after) { nodes { slug } } }", dig(t, made, "pipelineEdge", "cursor").(string), fields{"id": s.id}); len(rest) != 2 {
			t.Errorf("after the new pipeline come %v", rest)
		}

		made = s.done(t, "teamCreate", fields{"organizationID": s.id, "name": "Midway", "privacy": "VISIBLE", "isDefaultTeam": false, "defaultMemberRole": "MEMBER"},
			"teamEdge { cursor node { slug privacy membersCanCreatePipelines membersCanDeletePipelines organization { teams { count } } } } organization { slug }")
		wantEqual(t, dig(t, made, "teamEdge", "node"), fields{"slug": "midway", "privacy": "VISIBLE", "membersCanCreatePipelines": true, "membersCanDeletePipelines": true,
			"organization": fields{"teams": fields{"count": 4.0}}})
		wantEqual(t, after("... on Organization { teams(after: $after) { nodes { slug } } }", dig(t, made, "teamEdge", "cursor").(string), fields{"id": s.id}),
			[]any{fields{"slug": "platform"}, fields{"slug": "spare"}})

		team := global("Team", testkit.TeamID)
		made = s.done(t, "teamMemberCreate", fields{"teamID": team, "userID": global("User", testkit.MemberID)},
			"team { slug members { count } } teamMemberEdge { cursor node { role user { name } } }")
		wantEqual(t, made["team"], fields{"slug": "platform", "members": fields{"count": 2.0}})
		wantEqual(t, dig(t, made, "teamMemberEdge", "node"), fields{"role": "MEMBER", "user": fields{"name": "Member"}})
		wantEqual(t, after("... on Team { members(after: $after) { nodes { user { name } } } }", dig(t, made, "teamMemberEdge", "cursor").(string), fields{"id": team}),
			[]any{fields{"user": fields{"name": "Teammate"}}})

		made = s.done(t, "teamPipelineCreate", fields{"teamID": team, "pipelineID": global("Pipeline", looseID)},
			"team { slug } pipeline { slug } teamPipeline { id } teamPipelineEdge { cursor node { id accessLevel team { slug } pipeline { slug } } }")
		wantEqual(t, dig(t, made, "teamPipelineEdge", "node"), fields{"id": dig(t, made, "teamPipeline", "id"), "accessLevel": "READ_ONLY", "team": fields{"slug": "platform"}, "pipeline": fields{"slug": "loose"}})
		wantEqual(t, after("... on Team { pipelines(after: $after) { nodes { pipeline { slug } } } }", dig(t, made, "teamPipelineEdge", "cursor").(string), fields{"id": team}),
			[]any{fields{"pipeline": fields{"slug": "web"}}})
	})
}

// TestPayloadsOfDeletions have what was deleted, and what is around it without it.
func TestPayloadsOfDeletions(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		membership := s.Get(testkit.AdminToken, acme+"/members/"+testkit.MemberID).Text("membership_graphql_id")
		teammate := s.Get(testkit.AdminToken, teamPath(testkit.TeamID, "members", testkit.TeammateID)).Text("graphql_id")
		access := s.Get(testkit.AdminToken, teamPath(testkit.TeamID, "pipelines", webID)).Text("graphql_id")
		for _, deletion := range []struct{ mutation, id, selection, want string }{
			{"pipelineDelete", global("Pipeline", oldID), "deletedPipelineID organization { pipelines(archived: true) { count } }", "map[deletedPipelineID:ID organization:map[pipelines:map[count:0]]]"},
			{"teamPipelineDelete", access, "deletedTeamPipelineID team { pipelines { count } }", "map[deletedTeamPipelineID:ID team:map[pipelines:map[count:0]]]"},
			{"teamMemberDelete", teammate, "deletedTeamMemberID team { members { count } }", "map[deletedTeamMemberID:ID team:map[members:map[count:0]]]"},
			{"teamDelete", global("Team", spareTeamID), "deletedTeamID organization { teams { count } }", "map[deletedTeamID:ID organization:map[teams:map[count:2]]]"},
			{"organizationMemberDelete", membership, "deletedOrganizationMemberID user { name } organization { members { count } }",
				"map[deletedOrganizationMemberID:ID organization:map[members:map[count:3]] user:map[name:Member]]"},
		} {
			payload := s.done(t, deletion.mutation, fields{"id": deletion.id}, deletion.selection)
			wantEqual(t, strings.ReplaceAll(fmt.Sprint(payload), deletion.id, "ID"), deletion.want)
			wantError(t, s.mutate(testkit.AdminToken, deletion.mutation, fields{"id": deletion.id}, "clientMutationId"), "No "+map[string]string{
				"pipelineDelete": "pipeline", "teamPipelineDelete": "team pipeline", "teamMemberDelete": "team member", "teamDelete": "team", "organizationMemberDelete": "organization member",
			}[deletion.mutation]+" found", deletion.mutation)
		}
	})
}

func TestPipelineCreateDefaults(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		const selection = `pipeline { slug defaultBranch allowRebuilds visibility public nextBuildNumber archived favorite description cluster { name } createdBy { name }
			skipIntermediateBuilds cancelIntermediateBuilds defaultTimeoutInMinutes steps { yaml } tags { label } repository { url } teams { count } }`
		least := fields{"organizationId": s.id, "name": "New", "repository": fields{"url": "r"}}
		want := fields{
			"slug": "new", "defaultBranch": "main", "allowRebuilds": true, "visibility": "PRIVATE", "public": false, "nextBuildNumber": 1.0, "archived": false, "favorite": false,
			"description": nil, "cluster": nil, "createdBy": fields{"name": "Admin"}, "skipIntermediateBuilds": false, "cancelIntermediateBuilds": false,
			"defaultTimeoutInMinutes": nil, "steps": fields{"yaml": ""}, "tags": []any{}, "repository": fields{"url": "r"}, "teams": fields{"count": 0.0},
		}
		wantEqual(t, s.done(t, "pipelineCreate", least, selection)["pipeline"], want)
		// Null is as if absent, but for the branch, which has a default.
		nulls := fields{"name": "Nulls", "defaultBranch": nil, "allowRebuilds": nil, "visibility": nil, "nextBuildNumber": nil, "teams": nil, "clusterId": nil, "tags": nil, "steps": nil}
		for member, value := range least {
			if member != "name" {
				nulls[member] = value
			}
		}
		want["slug"], want["defaultBranch"] = "nulls", nil
		wantEqual(t, s.done(t, "pipelineCreate", nulls, selection)["pipeline"], want)
	})
}

func TestTeamsOfANewPipelineHaveTheirAccess(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		create := func(name string, teams ...fields) *testkit.Answer {
			return s.mutate(testkit.AdminToken, "pipelineCreate", fields{"organizationId": s.id, "name": name, "repository": fields{"url": "r"}, "teams": teams},
				"pipeline { teams(order: NAME) { nodes { accessLevel team { slug } } } }")
		}
		access := func(level, team string) any { return fields{"accessLevel": level, "team": fields{"slug": team}} }
		platform, spare := global("Team", testkit.TeamID), global("Team", spareTeamID)
		wantEqual(t, dig(t, wantData(t, create("One", fields{"id": platform, "accessLevel": "READ_ONLY"}, fields{"id": spare, "accessLevel": "BUILD_AND_READ"})),
			"pipelineCreate", "pipeline", "teams", "nodes"), []any{access("READ_ONLY", "platform"), access("BUILD_AND_READ", "spare")})
		wantEqual(t, dig(t, wantData(t, create("Two", fields{"id": platform}, fields{"id": spare, "accessLevel": nil})),
			"pipelineCreate", "pipeline", "teams", "nodes"), []any{access("MANAGE_BUILD_AND_READ", "platform"), access("MANAGE_BUILD_AND_READ", "spare")})
		wantEqual(t, dig(t, wantData(t, create("Three", fields{"id": spare}, fields{"id": spare, "accessLevel": "READ_ONLY"})),
			"pipelineCreate", "pipeline", "teams", "nodes"), []any{access("READ_ONLY", "spare")})
		for _, id := range notIDs("Team") {
			wantError(t, create("Four", fields{"id": spare}, fields{"id": id}), "No team found", "pipelineCreate")
		}
		wantError(t, create("Five", fields{"id": global("Team", foreignTeamID)}), "Validation failed: team_uuids must be the UUIDs of teams in this organization", "pipelineCreate")
		s.Get(testkit.AdminToken, acme+"/pipelines/five").Want(t, 404)
	})
}

func TestTheNextBuildNumberOnlyRises(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		const refusal = "Validation failed: Next build number must not be less than it is, or more than 1000000000"
		made := s.done(t, "pipelineCreate", fields{"organizationId": s.id, "name": "New", "repository": fields{"url": "r"}, "nextBuildNumber": 10}, "pipeline { id nextBuildNumber }")
		wantEqual(t, dig(t, made, "pipeline", "nextBuildNumber"), 10.0)
		update := func(number any) *testkit.Answer {
			return s.mutate(testkit.AdminToken, "pipelineUpdate", fields{"id": dig(t, made, "pipeline", "id"), "nextBuildNumber": number}, "pipeline { nextBuildNumber }")
		}
		for _, number := range []any{9, 0, -1, 1_000_000_001, nil} {
			wantError(t, update(number), refusal, "pipelineUpdate")
		}
		for _, number := range []int{10, 11, 1_000_000_000} {
			wantEqual(t, dig(t, wantData(t, update(number)), "pipelineUpdate", "pipeline", "nextBuildNumber"), float64(number))
		}
		if _, event := s.events(t); fmt.Sprint(dig(t, event, "data", "before")) == fmt.Sprint(dig(t, event, "data", "after")) {
			t.Errorf("the event shows no change: %v", event)
		}
		wantError(t, s.mutate(testkit.AdminToken, "pipelineCreate", fields{"organizationId": s.id, "name": "Less", "repository": fields{"url": "r"}, "nextBuildNumber": 0}, "clientMutationId"),
			refusal, "pipelineCreate")
	})
}

func TestPipelineUpdateArchives(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		update := func(archived any) fields {
			t.Helper()
			return s.done(t, "pipelineUpdate", fields{"id": global("Pipeline", looseID), "archived": archived}, "pipeline { archived archivedAt archivedBy { name } }")["pipeline"].(fields)
		}
		not := fields{"archived": false, "archivedAt": nil, "archivedBy": nil}
		is := fields{"archived": true, "archivedAt": "2026-05-03T04:17:55.867Z", "archivedBy": fields{"name": "Admin"}}
		wantEqual(t, update(false), not)
		wantEqual(t, update(nil), not)
		wantEqual(t, update(true), is)
		s.Clock.Advance(1_000_000_000)
		wantEqual(t, update(true), is) // it stays when it was
		wantEqual(t, update(nil), is)
		if _, event := s.events(t); event["type"] != "PIPELINE_UPDATED" {
			t.Errorf("the event is %v", event)
		}
		wantError(t, s.mutate(testkit.AdminToken, "pipelineArchive", fields{"id": global("Pipeline", looseID)}, "clientMutationId"), "Pipeline is already archived", "pipelineArchive")
		wantEqual(t, update(false), not)
	})
}

func TestFavoritesAreTheCallersAlone(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		before, _ := s.events(t)
		mark := func(token string, favorite bool) {
			t.Helper()
			answer := s.mutate(token, "pipelineFavorite", fields{"id": global("Pipeline", looseID), "favorite": favorite},
				"pipeline { favorite organization { pipelines(favorite: true) { count } } }")
			count := 0.0
			if favorite {
				count = 1
			}
			wantEqual(t, dig(t, wantData(t, answer), "pipelineFavorite", "pipeline"), fields{"favorite": favorite, "organization": fields{"pipelines": fields{"count": count}}})
		}
		shown := func(token string) any {
			t.Helper()
			return dig(t, wantData(t, s.GraphQL(token, `{ pipeline(slug: "acme-inc/loose") { favorite } }`, nil)), "pipeline", "favorite")
		}
		mark(testkit.MemberToken, true)
		mark(testkit.MemberToken, true) // which it is
		wantEqual(t, []any{shown(testkit.MemberToken), shown(testkit.AdminToken)}, []any{true, false})
		mark(testkit.AdminToken, true)
		mark(testkit.MemberToken, false)
		mark(testkit.MemberToken, false)
		wantEqual(t, []any{shown(testkit.MemberToken), shown(testkit.AdminToken)}, []any{false, true})
		if after, _ := s.events(t); after != before {
			t.Errorf("%d events were left", after-before)
		}
		for _, id := range append(notIDs("Pipeline"), global("Pipeline", noSuchID), global("Pipeline", foreignPipelineID)) {
			wantError(t, s.mutate(testkit.AdminToken, "pipelineFavorite", fields{"id": id, "favorite": true}, "clientMutationId"), "No pipeline found", "pipelineFavorite")
		}
		wantError(t, s.mutate(testkit.OutsiderToken, "pipelineFavorite", fields{"id": global("Pipeline", looseID), "favorite": true}, "clientMutationId"), "No pipeline found", "pipelineFavorite")
	})
}

func TestMembersCanDeletePipelines(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		team := fields{"organizationID": s.id, "name": "New", "privacy": "VISIBLE", "isDefaultTeam": false, "defaultMemberRole": "MEMBER", "membersCanDeletePipelines": false}
		made := s.done(t, "teamCreate", team, "teamEdge { node { id membersCanDeletePipelines } }")
		wantEqual(t, dig(t, made, "teamEdge", "node", "membersCanDeletePipelines"), false)
		change := fields{"id": dig(t, made, "teamEdge", "node", "id"), "name": "New", "isDefaultTeam": false, "defaultMemberRole": "MEMBER"}
		for _, given := range []any{true, removed{}, false} {
			want := given
			if change["membersCanDeletePipelines"] = given; given == (removed{}) {
				delete(change, "membersCanDeletePipelines")
				want = true // as it was
			}
			wantEqual(t, dig(t, s.done(t, "teamUpdate", change, "team { membersCanDeletePipelines }"), "team", "membersCanDeletePipelines"), want)
		}
		change["membersCanDeletePipelines"] = nil
		wantError(t, s.mutate(testkit.AdminToken, "teamUpdate", change, "clientMutationId"), "Validation failed: members_can_delete_pipelines must be true or false", "teamUpdate")
	})
}

// TestForceChangesNothing ends a team's access with and without force: nothing stands in its way here.
func TestForceChangesNothing(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		for _, force := range []any{true, false, nil} {
			access := s.done(t, "teamPipelineCreate", fields{"teamID": global("Team", spareTeamID), "pipelineID": global("Pipeline", webID)}, "teamPipeline { id }")
			id := dig(t, access, "teamPipeline", "id")
			wantEqual(t, s.done(t, "teamPipelineDelete", fields{"id": id, "force": force}, "deletedTeamPipelineID")["deletedTeamPipelineID"], id)
		}
	})
}

func TestAgentTokenValuesAreShownOnce(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		made := s.done(t, "clusterAgentTokenCreate", fields{"organizationId": s.id, "clusterId": global("Cluster", testkit.MaintainedID), "description": "New"},
			"tokenValue clusterAgentToken { id token description cluster { agentTokens { count } } }")
		value, _ := made["tokenValue"].(string)
		if !testkit.IsToken(domain.AgentTokenKind, value) {
			t.Errorf("the value is %q", value)
		}
		wantEqual(t, dig(t, made, "clusterAgentToken", "token"), "")
		wantEqual(t, dig(t, made, "clusterAgentToken", "cluster", "agentTokens", "count"), 2.0)
		for _, answer := range []*testkit.Answer{
			s.GraphQL(testkit.AdminToken, everything, nil), s.Get(testkit.AdminToken, acme+"/audit_events"),
			s.GraphQL(testkit.AdminToken, `query ($id: ID!) { node(id: $id) { ... on ClusterToken { token description } } }`, fields{"id": dig(t, made, "clusterAgentToken", "id")}),
			s.mutate(testkit.AdminToken, "clusterAgentTokenUpdate", fields{"organizationId": s.id, "id": dig(t, made, "clusterAgentToken", "id"), "description": "Changed"},
				"clusterAgentToken { token description }"),
		} {
			answer.Want(t, 200)
			if value == "" || bytes.Contains(answer.Body, []byte(value)) || bytes.Contains(answer.Body, []byte(domain.HashToken(value))) {
				t.Errorf("the value is shown again: %s", answer)
			}
		}
	})
}

// TestNullKeepsAPolicy sends null for a policy, as the Terraform provider does where none is configured.
func TestNullKeepsAPolicy(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		update := func(policy any) any {
			t.Helper()
			return dig(t, s.done(t, "cacheRegistryUpdate", fields{"organizationId": s.id, "id": global("CacheRegistry", testkit.RegistryID), "name": "Renamed", "policy": policy},
				"cacheRegistry { policy }"), "cacheRegistry", "policy")
		}
		kept := update("{}")
		wantEqual(t, update(nil), kept)
		wantEqual(t, update(" null\n"), nil)
		wantEqual(t, update(nil), nil)
	})
}

// TestPolicyTextMustHoldJSON sends what REST cannot: a text that holds none.
func TestPolicyTextMustHoldJSON(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		for _, policy := range []string{"", " ", "{", `{"rules": []} x`, `{"a": 1, "a": 2}`, "nul"} {
			answer := s.mutate(testkit.AdminToken, "cacheRegistryUpdate", fields{"organizationId": s.id, "id": global("CacheRegistry", testkit.RegistryID), "policy": policy}, "clientMutationId")
			if !strings.HasPrefix(answer.Message(), "Validation failed: Policy ") {
				t.Errorf("%q: %s", policy, answer)
			}
		}
		answer := s.mutate(testkit.AdminToken, "cacheRegistryUpdate", fields{"organizationId": s.id, "id": global("CacheRegistry", testkit.RegistryID), "policy": fields{}}, "clientMutationId")
		if answer.Message() == "" || answer.Object()["data"] != nil {
			t.Errorf("an object for JSON: %s", answer)
		}
		changed := s.done(t, "cacheRegistryUpdate", fields{"organizationId": s.id, "id": global("CacheRegistry", testkit.RegistryID), "policy": "{}"}, "cacheRegistry { policy }")
		wantEqual(t, dig(t, changed, "cacheRegistry", "policy"), `{"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[]}`)
	})
}

func TestAnOrganizationIsTakenFromAToken(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		tokens := func() []any {
			t.Helper()
			return dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { apiAccessTokens { nodes { id description } } } }`, nil)),
				"organization", "apiAccessTokens", "nodes").([]any)
		}
		count := len(tokens())
		member := dig(t, wantData(t, s.GraphQL(testkit.MemberToken, `{ viewer { user { id } } }`, nil)), "viewer", "user", "id")
		wantEqual(t, member, global("User", testkit.MemberID))
		uuid := s.Get(testkit.MemberToken, "/v2/access-token").Text("uuid")
		revoke := func(by, organization, id string) *testkit.Answer {
			return s.mutate(by, "organizationApiAccessTokenRevoke", fields{"organizationId": organization, "apiAccessTokenId": id}, "revokedApiAccessTokenId")
		}
		const none = "No API access token found"
		outsiders := s.Get(testkit.OutsiderToken, "/v2/access-token").Text("uuid")
		for _, id := range append(notIDs("APIAccessToken"), global("APIAccessToken", noSuchID), global("APIAccessToken", outsiders)) {
			wantError(t, revoke(testkit.AdminToken, s.id, id), none, "organizationApiAccessTokenRevoke")
		}
		elsewhere := s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere").Text("graphql_id")
		wantError(t, revoke(testkit.AdminToken, elsewhere, global("APIAccessToken", uuid)), "No organization found", "organizationApiAccessTokenRevoke")
		wantError(t, revoke(testkit.OutsiderToken, elsewhere, global("APIAccessToken", uuid)), none, "organizationApiAccessTokenRevoke")
		wantError(t, revoke(testkit.MaintainerToken, s.id, global("APIAccessToken", uuid)), forbidden, "organizationApiAccessTokenRevoke")
		if len(tokens()) != count {
			t.Error("a token is gone")
		}
		before, _ := s.events(t)
		wantEqual(t, dig(t, wantData(t, revoke(testkit.AdminToken, s.id, global("APIAccessToken", uuid))), "organizationApiAccessTokenRevoke", "revokedApiAccessTokenId"), global("APIAccessToken", uuid))
		after, event := s.events(t)
		if after != before+1 || event["type"] != "API_ACCESS_TOKEN_ORGANIZATION_ACCESS_REVOKED" || dig(t, event, "subject", "uuid") != uuid || dig(t, event, "context", "surface") != "graphql" {
			t.Errorf("%d events, the last is %v", after-before, event)
		}
		wantError(t, revoke(testkit.AdminToken, s.id, global("APIAccessToken", uuid)), none, "organizationApiAccessTokenRevoke")
		s.Get(testkit.MemberToken, acme).WantMessage(t, 404, "No organization found")
		wantEqual(t, dig(t, wantData(t, s.GraphQL(testkit.MemberToken, `{ organization(slug: "acme-inc") { name } }`, nil)), "organization"), nil)
	})
}

// TestRefusedMutationsLeaveWhatRESTLeaves has both surfaces refuse the same: their databases are the same afterwards, activity included.
func TestRefusedMutationsLeaveWhatRESTLeaves(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, engine)
			before := testkit.Rows(t, p.rest.DB)
			wantEqual(t, testkit.Rows(t, p.graph.DB), before)
			refused := 0
			for _, changes := range parityTables {
				all := changes(p)
				if slices.ContainsFunc(all, func(c parityChange) bool { return c.prepare != nil }) {
					continue // what must be done first is another test's
				}
				for _, c := range all {
					for _, try := range c.cases {
						// So is what only a former success refuses.
						if try.by != "" && try.refusal != "" && try.before == nil {
							p.try(t, c, try)
							refused++
						}
					}
				}
			}
			if refused < 50 {
				t.Errorf("only %d were refused", refused)
			}
			after := testkit.Rows(t, p.rest.DB)
			left := rowsWithout(after, before)
			if more, less := rowsWithout(testkit.Rows(t, p.graph.DB), after), rowsWithout(after, testkit.Rows(t, p.graph.DB)); len(more)+len(less) > 0 {
				t.Errorf("GraphQL leaves %s, REST %s", more, less)
			}
			for _, row := range left {
				if !regexp.MustCompile(`^(activity_|usage_|organization_members )`).MatchString(row) { // the last has when a member was last seen
					t.Errorf("%s is left", row)
				}
			}
			if len(left) == 0 {
				t.Error("not even activity is left")
			}
		})
	}
}

func rowsWithout(rows, others []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(row string) bool { return slices.Contains(others, row) })
}

// TestNullForAnOrderIsTheUsualOne asks for every list that has orders, as clients do that send null for what they leave out.
func TestNullForAnOrderIsTheUsualOne(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		s.Clock.Advance(1_000_000_000)
		s.Post(testkit.AdminToken, acme+"/pipelines", fields{"name": "A", "repository": "r", "team_uuids": []string{testkit.TeamID}}).Want(t, 201)
		s.Post(testkit.AdminToken, teamPath(testkit.TeamID, "members"), fields{"user_id": testkit.AdminID}).Want(t, 201)
		s.Post(testkit.AdminToken, teamPath(spareTeamID, "pipelines"), fields{"pipeline_id": webID}).Want(t, 201)
		s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "queues"), fields{"key": "a"}).Want(t, 201)
		document := func(order string) string {
			return strings.ReplaceAll(`{ organization(slug: "acme-inc") {
				clusters(ORDER) { nodes { name queues(ORDER) { edges { cursor node { key } } } } }
				pipelines(ORDER) { edges { cursor node { name teams(ORDER) { nodes { team { name } } } } } }
				teams(ORDER) { edges { cursor node { name members(ORDER) { nodes { user { name } } } pipelines(ORDER) { nodes { pipeline { name } } } } } }
				members(ORDER) { edges { cursor node { user { name } teams(ORDER) { nodes { team { name } } } } } } } }`, "(ORDER)", "(first: 9"+order+")")
		}
		wantEqual(t, wantData(t, s.GraphQL(testkit.AdminToken, document(", order: null"), nil)), wantData(t, s.GraphQL(testkit.AdminToken, document(""), nil)))
	})
}

// TestANewClusterIsShownToItsManagers creates clusters as a member who is to maintain them, in person or through a team, or not at all.
func TestANewClusterIsShownToItsManagers(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		hidden := fields{"hostedGitMirrorEnabled": nil, "hostedContainerCacheEnabled": nil, "defaultCacheRegistry": nil}
		shown := fields{"hostedGitMirrorEnabled": false, "hostedContainerCacheEnabled": false, "defaultCacheRegistry": fields{"slug": "default", "default": true}}
		for _, c := range []struct {
			maintainers any
			token       string
			want        fields
			count       float64
		}{
			{nil, testkit.MemberToken, hidden, 0},
			{nil, testkit.AdminToken, shown, 0},
			{[]fields{{"userId": global("User", testkit.AdminID)}}, testkit.MemberToken, hidden, 1},
			{[]fields{{"userId": global("User", testkit.AdminID)}, {"userId": global("User", testkit.MemberID)}}, testkit.MemberToken, shown, 2},
			{[]fields{{"teamId": global("Team", testkit.TeamID)}}, testkit.TeammateToken, shown, 1},
		} {
			made := dig(t, wantData(t, s.mutate(c.token, "clusterCreate", fields{"organizationId": s.id, "name": "New", "maintainers": c.maintainers},
				"cluster { hostedGitMirrorEnabled hostedContainerCacheEnabled defaultCacheRegistry { slug default } maintainers(first: 3) { count } }")), "clusterCreate", "cluster").(fields)
			wantEqual(t, dig(t, made, "maintainers", "count"), c.count)
			delete(made, "maintainers")
			wantEqual(t, made, c.want)
		}
	})
}
