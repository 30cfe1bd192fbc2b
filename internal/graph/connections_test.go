package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

type item = map[string]any

// list is a connection of the schema, in a crowd.
type list struct {
	field   string // Type.field
	token   string // who asks
	within  string // the document's fields around it, with %s for the list
	other   string // the same field below another parent
	path    []string
	node    string // the fields of a node that the test needs, besides its uuid
	uuid    string // how the uuid is asked for, if not as uuid
	name    string // the path of what it is called by
	table   string // has created_at; the test does without if empty
	order   string // the order, unless an argument says otherwise
	filters []filter
	remove  func(item) *testkit.Answer // deletes one
	rename  func(item) *testkit.Answer
	compare func(order string) func(a, b item) int // of the list's own orders; nil: it has none
}

// filter is an argument, with what it leaves.
type filter struct {
	argument string
	keep     func(item) bool
}

// lists returns a list for each connection field of the schema.
func lists(t *testing.T, s *testkit.Server) []list {
	t.Helper()
	acme, elsewhere := `organization(slug: "acme-inc") { %s }`, `organization(slug: "number-1") { %s }`
	cluster := `organization(slug: "acme-inc") { cluster(id: "` + testkit.MaintainedID + `") { %s } }`
	otherCluster := `organization(slug: "acme-inc") { cluster(id: "` + crowdID(3, 1) + `") { %s } }`
	portal := `node(id: "` + domain.GraphQLID("Portal", column(t, s, `SELECT slug, id FROM portals`)[crowdedPortal]) + `") { ... on Portal { %s } }`
	memberships := column(t, s, `SELECT user_id, id FROM organization_members WHERE organization_id = (SELECT id FROM organizations WHERE slug = 'acme-inc')`)
	restDelete := func(path string) func(item) *testkit.Answer {
		return func(i item) *testkit.Answer {
			return s.Delete(testkit.AdminToken, fmt.Sprintf(path, textAt(i, "uuid")))
		}
	}
	restRename := func(path string) func(item) *testkit.Answer {
		return func(i item) *testkit.Answer {
			return s.Patch(testkit.AdminToken, fmt.Sprintf(path, textAt(i, "uuid")), map[string]any{"name": "renamed " + textAt(i, "uuid")})
		}
	}
	const organization, inCluster = "/v2/organizations/acme-inc", "/v2/organizations/acme-inc/clusters/" + testkit.MaintainedID
	created := seconds(t, s, "pipelines")[crowdID(5, 1)]
	live := func(keep func(item) bool) func(item) bool {
		return func(i item) bool { return i["archived"] == false && keep(i) }
	}
	occurred := seconds(t, s, "audit_events")
	middle := slices.Sorted(maps.Values(occurred))[len(occurred)/2]
	return []list{
		{field: "Viewer.emails", token: testkit.AdminToken, within: `viewer { %s }`, path: []string{"viewer"}, node: "address", filters: []filter{
			{`verified: true`, func(item) bool { return true }}, {`verified: false`, func(item) bool { return false }}}},
		{field: "Viewer.organizations", token: travellerToken, within: `viewer { %s }`, path: []string{"viewer"}, node: "name", name: "name", order: "NAME"},
		{field: "Organization.clusters", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, node: "name", name: "name", table: "clusters", order: "NAME",
			remove: restDelete(organization + "/clusters/%s"), rename: restRename(organization + "/clusters/%s")},
		{field: "Cluster.queues", token: testkit.MemberToken, within: cluster, other: otherCluster, path: []string{"organization", "cluster"}, node: "key", name: "key", table: "cluster_queues", order: "KEY",
			remove: restDelete(inCluster + "/queues/%s")},
		{field: "Cluster.agentTokens", token: testkit.MaintainerToken, within: cluster, other: otherCluster, path: []string{"organization", "cluster"}, table: "cluster_agent_tokens", order: "oldest",
			remove: restDelete(inCluster + "/tokens/%s")},
		{field: "Cluster.cacheRegistries", token: testkit.MaintainerToken, within: cluster, other: otherCluster, path: []string{"organization", "cluster"}, node: "slug", name: "slug", order: "KEY",
			remove: restDelete(inCluster + "/cache-registries/%s"), rename: restRename(inCluster + "/cache-registries/%s")},
		{field: "Cluster.maintainers", token: testkit.MemberToken, within: cluster, other: otherCluster, path: []string{"organization", "cluster"}, table: "cluster_maintainers", order: "oldest",
			remove: restDelete(inCluster + "/maintainers/%s")},
		{field: "Portal.tokens", token: testkit.AdminToken, within: portal, path: []string{"node"}, table: "portal_tokens", order: "oldest", node: "description",
			remove: restDelete(organization + "/portals/" + crowdedPortal + "/tokens/%s")},
		{field: "Portal.secrets", token: testkit.AdminToken, within: portal, path: []string{"node"}, table: "portal_secrets", order: "oldest"},
		{field: "Organization.portals", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "portals", order: "NAME", node: "name slug", name: "name",
			filters: []filter{
				{`search: "LPH"`, isNamed("name", "lph")},
				{`search: "0% off_"`, isNamed("name", "0% off_")},
			},
			remove: func(i item) *testkit.Answer {
				return s.Delete(testkit.AdminToken, organization+"/portals/"+textAt(i, "slug"))
			},
			rename: func(i item) *testkit.Answer {
				return s.Patch(testkit.AdminToken, organization+"/portals/"+textAt(i, "slug"), map[string]any{"name": "renamed " + textAt(i, "uuid")})
			}},
		{field: "Organization.rules", token: testkit.MemberToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "rules", order: "RECENTLY_CREATED",
			node: "action source { ... on Pipeline { uuid } } target { ... on Pipeline { uuid } }",
			filters: []filter{
				{`action: [TRIGGER_BUILD]`, func(i item) bool { return i["action"] == "TRIGGER_BUILD" }}, {`action: []`, func(item) bool { return false }},
				{`sourceType: [PIPELINE], targetType: PIPELINE, action: [TRIGGER_BUILD]`, func(i item) bool { return i["action"] == "TRIGGER_BUILD" }}, {`targetType: []`, func(item) bool { return false }},
				{`sourceId: "` + domain.GraphQLID("Pipeline", crowdID(5, 1)) + `"`, func(i item) bool { return textAt(i, "source.uuid") == crowdID(5, 1) }},
				{`targetId: "` + crowdID(5, 2) + `"`, func(i item) bool { return textAt(i, "target.uuid") == crowdID(5, 2) }},
			},
			remove: restDelete(organization + "/rules/%s")},
		{field: "Organization.pipelineTemplates", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "pipeline_templates", order: "NAME", node: "name", name: "name",
			remove: restDelete(organization + "/pipeline-templates/%s"), rename: restRename(organization + "/pipeline-templates/%s")},
		{field: "Organization.agentTokens", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "unclustered_tokens", order: "oldest", node: "revokedAt",
			filters: []filter{
				{`revoked: true`, func(i item) bool { return i["revokedAt"] != nil }}, {`revoked: false`, func(i item) bool { return i["revokedAt"] == nil }},
				{`revoked: null`, func(item) bool { return true }},
			}},
		{field: "Organization.banners", token: testkit.MemberToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "organization_banners", order: "oldest", node: "message"},
		{field: "Organization.invitations", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "invitations", order: "RECENTLY_CREATED", node: "email state", name: "email",
			filters: []filter{
				{`state: [PENDING]`, func(i item) bool { return i["state"] == "PENDING" }},
				{`state: [ACCEPTED]`, func(i item) bool { return i["state"] == "ACCEPTED" }},
				{`state: [EXPIRED, REVOKED, EXPIRED]`, func(i item) bool { return i["state"] == "EXPIRED" || i["state"] == "REVOKED" }},
				{`state: [ACCEPTED, EXPIRED, PENDING, REVOKED]`, func(item) bool { return true }},
				{`state: []`, func(item) bool { return false }},
			}},
		{field: "Organization.teams", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "teams", order: "NAME", name: "name",
			node: "name privacy members(first: 20) { nodes { user { email } } } pipelines(first: 20) { nodes { pipeline { slug } } }",
			filters: []filter{
				{`privacy: [SECRET]`, func(i item) bool { return i["privacy"] == "SECRET" }},
				{`privacy: [SECRET, VISIBLE, SECRET]`, func(item) bool { return true }},
				{`privacy: []`, func(item) bool { return false }},
				{`search: "LPH"`, isNamed("name", "lph")},
				{`search: "0% off_"`, isNamed("name", "0% off_")},
				{`search: "\\SLASH \""`, isNamed("name", `\slash "`)},
				{`search: "angstro\u0308m"`, isNamed("name", "angstro\u0308m")},
				{`user: "` + testkit.TeammateID + `"`, func(i item) bool { return hasThing(i, "members", "user", "email", "teammate@example.com") }},
				{`user: "TEAMMATE@example.com"`, func(i item) bool { return hasThing(i, "members", "user", "email", "teammate@example.com") }},
				{`user: "` + domain.GraphQLID("User", crowdID(1, 1)) + `"`, func(i item) bool { return hasThing(i, "members", "user", "email", "user-1@example.com") }},
				{`user: "nobody@example.com"`, func(item) bool { return false }},
				{`pipeline: "number-3"`, func(i item) bool { return hasThing(i, "pipelines", "pipeline", "slug", "number-3") }},
				{`pipeline: "acme-inc/number-2"`, func(i item) bool { return hasThing(i, "pipelines", "pipeline", "slug", "number-2") }},
				{`pipeline: "` + crowdID(5, 3) + `"`, func(i item) bool { return hasThing(i, "pipelines", "pipeline", "slug", "number-3") }},
				{`pipeline: "` + domain.GraphQLID("Pipeline", crowdID(5, 3)) + `"`, func(i item) bool { return hasThing(i, "pipelines", "pipeline", "slug", "number-3") }},
				{`pipeline: "nothing"`, func(item) bool { return false }},
			},
			remove: restDelete(organization + "/teams/%s"), rename: restRename(organization + "/teams/%s")},
		{field: "Organization.members", token: testkit.MemberToken, within: acme, path: []string{"organization"}, table: "organization_members", order: "RECENTLY_CREATED", name: "user.name",
			node: "role lastSeenAt user { uuid name email } teams(first: 20) { nodes { team { slug } } }",
			filters: []filter{
				{`role: [ADMIN]`, func(i item) bool { return i["role"] == "ADMIN" }},
				{`role: [MEMBER, ADMIN]`, func(item) bool { return true }},
				{`search: "ALPHA"`, isNamed("user.name", "alpha")},
				{`search: "ER-1"`, func(i item) bool { return strings.Contains(textAt(i, "user.email"), "er-1") }},
				{`email: "ADMIN@example.com"`, func(i item) bool { return textAt(i, "user.email") == "admin@example.com" }},
				{`email: "outsider@example.com"`, func(item) bool { return false }},
				{`inactiveSince: "2026-05-03T23:59:59Z"`, func(i item) bool { return i["lastSeenAt"] == nil }},
				{`inactiveSince: "2026-05-04T01:00:00+02:00"`, func(i item) bool { return i["lastSeenAt"] == nil }},
				{`inactiveSince: "2026-05-04T00:00:00Z"`, func(item) bool { return true }},
				{`team: "platform"`, func(i item) bool { return hasThing(i, "teams", "team", "slug", "platform") }},
				{`team: "acme-inc/number-2"`, func(i item) bool { return hasThing(i, "teams", "team", "slug", "number-2") }},
				{`team: "` + crowdedTeam + `"`, func(i item) bool { return hasThing(i, "teams", "team", "slug", "platform") }},
				{`team: "number-1"`, func(item) bool { return false }}, // a secret one
				{`team: "nothing"`, func(item) bool { return false }},
			},
			remove: func(i item) *testkit.Answer {
				return s.Delete(testkit.AdminToken, organization+"/members/"+textAt(i, "user.uuid"))
			}},
		{field: "Organization.apiAccessTokens", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "api_tokens", order: "oldest",
			remove: func(i item) *testkit.Answer {
				return s.GraphQL(testkit.AdminToken, `mutation ($id: ID!, $organization: ID!) { organizationApiAccessTokenRevoke(input: {organizationId: $organization, apiAccessTokenId: $id}) { clientMutationId } }`,
					map[string]any{"id": i["id"], "organization": globalID(t, s, "acme-inc")})
			}, node: "id description"},
		{field: "Organization.pipelines", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "pipelines", order: "RECENTLY_CREATED", name: "name",
			node: "name archived favorite createdAt cluster { uuid } repository { url } tags { label } teams(first: 20) { nodes { team { slug } } }",
			filters: []filter{
				{``, live(func(item) bool { return true })},
				{`archived: null`, live(func(item) bool { return true })},
				{`archived: false`, live(func(item) bool { return true })},
				{`archived: true`, func(i item) bool { return i["archived"] == true }},
				{`clustered: true`, live(func(item) bool { return true })},
				{`clustered: null`, live(func(item) bool { return true })},
				{`clustered: false`, live(func(i item) bool { return i["cluster"] == nil })},
				{`clustered: false, archived: true`, func(i item) bool { return i["archived"] == true && i["cluster"] == nil }},
				{`cluster: "` + testkit.MaintainedID + `"`, live(func(i item) bool { return i["cluster"] != nil })},
				{`cluster: "` + domain.GraphQLID("Cluster", testkit.MaintainedID) + `"`, live(func(i item) bool { return i["cluster"] != nil })},
				{`cluster: "` + crowdID(3, 1) + `"`, func(item) bool { return false }},
				{`cluster: "nothing"`, func(item) bool { return false }},
				{`search: "lPhA"`, live(isNamed("name", "alpha"))},
				{`search: "%"`, live(isNamed("name", "%"))},
				{`search: ""`, live(func(item) bool { return true })},
				{`favorite: true`, live(func(i item) bool { return i["favorite"] == true })},
				{`favorite: false`, live(func(i item) bool { return i["favorite"] == false })},
				{`tags: ["ü", "a"]`, live(func(i item) bool { return len(i["tags"].([]any)) > 0 })},
				{`tags: ["b\"%_\\"]`, live(func(i item) bool { return len(i["tags"].([]any)) > 0 })},
				{`tags: ["A"]`, func(item) bool { return false }},
				{`tags: ["a", "c"]`, func(item) bool { return false }},
				{`tags: []`, live(func(item) bool { return true })},
				{`repository: {url: "git@example.com:acme/1.git"}`, live(func(i item) bool { return textAt(i, "repository.url") == "git@example.com:acme/1.git" })},
				{`team: "number-2"`, live(func(i item) bool { return hasThing(i, "teams", "team", "slug", "number-2") })},
				{`team: "` + domain.GraphQLID("Team", crowdedTeam) + `"`, live(func(item) bool { return true })},
				{`team: "number-1/platform"`, func(item) bool { return false }},
				{`createdAtFrom: "` + rfc3339(created) + `"`, live(func(i item) bool { return textAt(i, "createdAt") >= rfc3339(created) })},
				{`createdAtTo: "` + rfc3339(created) + `"`, live(func(i item) bool { return textAt(i, "createdAt") < rfc3339(created) })},
			},
			remove: func(i item) *testkit.Answer {
				return s.GraphQL(testkit.AdminToken, `mutation ($id: ID!) { pipelineDelete(input: {id: $id}) { clientMutationId } }`,
					map[string]any{"id": domain.GraphQLID("Pipeline", textAt(i, "uuid"))})
			}, rename: func(i item) *testkit.Answer {
				return s.GraphQL(testkit.AdminToken, `mutation ($id: ID!, $name: String!) { pipelineUpdate(input: {id: $id, name: $name}) { clientMutationId } }`,
					map[string]any{"id": domain.GraphQLID("Pipeline", textAt(i, "uuid")), "name": "renamed " + textAt(i, "uuid")})
			}},
		{field: "Organization.auditEvents", token: testkit.AdminToken, within: acme, other: elsewhere, path: []string{"organization"}, table: "audit_events", order: "RECENTLY_OCCURRED",
			node: "type occurredAt actor { uuid type } subject { uuid type }",
			filters: []filter{
				{`type: [TEAM_PIPELINE_CREATED]`, func(i item) bool { return i["type"] == "TEAM_PIPELINE_CREATED" }},
				{`type: [TEAM_UPDATED, PIPELINE_UPDATED]`, func(i item) bool { return i["type"] == "TEAM_UPDATED" || i["type"] == "PIPELINE_UPDATED" }},
				{`actorType: [USER]`, func(i item) bool { return dig(t, i, "actor", "type") == "USER" }},
				{`actorType: [AGENT, API_APPLICATION]`, func(item) bool { return false }},
				{`actor: ["` + testkit.AdminID + `"]`, func(i item) bool { return textAt(i, "actor.uuid") == testkit.AdminID }},
				{`actor: ["` + domain.GraphQLID("User", testkit.MaintainerID) + `", "junk"]`, func(i item) bool { return textAt(i, "actor.uuid") == testkit.MaintainerID }},
				{`actor: ["junk", ""]`, func(item) bool { return false }},
				{`subjectType: [TEAM, CLUSTER]`, func(i item) bool {
					return textAt(i, "subject.type") == "TEAM" || textAt(i, "subject.type") == "CLUSTER"
				}},
				{`subject: ["` + domain.GraphQLID("Pipeline", crowdID(5, 1)) + `"]`, func(i item) bool { return textAt(i, "subject.uuid") == crowdID(5, 1) }},
				{`subjectUUID: ["` + crowdID(5, 1) + `"]`, func(i item) bool { return textAt(i, "subject.uuid") == crowdID(5, 1) }},
				{`subject: ["` + crowdID(5, 2) + `"], subjectUUID: ["` + crowdID(5, 1) + `"]`, func(i item) bool {
					return textAt(i, "subject.uuid") == crowdID(5, 1) || textAt(i, "subject.uuid") == crowdID(5, 2)
				}},
				{`subject: [], subjectUUID: ["junk"]`, func(item) bool { return false }},
				{`occurredAtFrom: "` + rfc3339(middle) + `"`, func(i item) bool { return textAt(i, "occurredAt") >= rfc3339(middle) }},
				{`occurredAtTo: "` + rfc3339(middle) + `"`, func(i item) bool { return textAt(i, "occurredAt") < rfc3339(middle) }},
			}},
		{field: "OrganizationMember.teams", token: testkit.AdminToken, within: `organizationMember(slug: "acme-inc/` + memberships[testkit.TeammateID] + `") { %s }`,
			other: `organizationMember(slug: "acme-inc/` + memberships[crowdID(1, 1)] + `") { %s }`,
			path:  []string{"organizationMember"}, node: "team { uuid name }", name: "team.name", table: "team_members", order: "RECENTLY_CREATED",
			remove: func(i item) *testkit.Answer {
				return s.Delete(testkit.AdminToken, teamPath(textAt(i, "team.uuid"), "members", testkit.TeammateID))
			}},
		{field: "Team.members", token: testkit.MemberToken, within: `team(slug: "acme-inc/platform") { %s }`, other: `team(slug: "acme-inc/number-2") { %s }`,
			path: []string{"team"}, node: "role user { uuid name }", name: "user.name", table: "team_members", order: "RECENTLY_CREATED",
			filters: []filter{
				{`role: [MAINTAINER]`, func(i item) bool { return i["role"] == "MAINTAINER" }},
				{`role: [MEMBER, MAINTAINER]`, func(item) bool { return true }},
				{`search: "OMEGA"`, func(item) bool { return false }},
				{`search: "Ω"`, isNamed("user.name", "ω")},
				{`search: "alp"`, isNamed("user.name", "alp")},
			},
			remove: func(i item) *testkit.Answer {
				return s.Delete(testkit.AdminToken, teamPath(crowdedTeam, "members", textAt(i, "user.uuid")))
			}},
		{field: "Team.pipelines", token: testkit.MemberToken, within: `team(slug: "acme-inc/platform") { %s }`, other: `team(slug: "acme-inc/number-2") { %s }`,
			path: []string{"team"}, node: "pipeline { uuid name }", name: "pipeline.name", table: "team_pipelines", order: "RECENTLY_CREATED",
			filters: []filter{{`search: "A"`, isNamed("pipeline.name", "a")}},
			remove: func(i item) *testkit.Answer {
				return s.Delete(testkit.AdminToken, teamPath(crowdedTeam, "pipelines", textAt(i, "pipeline.uuid")))
			}},
		{field: "Pipeline.teams", token: testkit.AdminToken, within: `pipeline(slug: "acme-inc/number-2") { %s }`, other: `pipeline(slug: "acme-inc/number-3") { %s }`,
			path: []string{"pipeline"}, node: "team { uuid name }", name: "team.name", table: "team_pipelines", order: "RECENTLY_CREATED",
			filters: []filter{{`search: "A"`, isNamed("team.name", "a")}},
			remove: func(i item) *testkit.Answer {
				return s.Delete(testkit.AdminToken, teamPath(textAt(i, "team.uuid"), "pipelines", crowdedPipeline))
			}},
	}
}

// textAt returns a text in an item, by a dotted path.
func textAt(i item, path string) string {
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		i, _ = i[key].(item)
	}
	value, _ := i[keys[len(keys)-1]].(string)
	return value
}

func isNamed(path, part string) func(item) bool {
	return func(i item) bool { return strings.Contains(domain.SortKey(textAt(i, path)), domain.SortKey(part)) }
}

// hasThing reports whether a node of a connection of the item has a value at connection.nodes[].thing.member.
func hasThing(i item, connection, thing, member, value string) bool {
	nodes, _ := i[connection].(item)["nodes"].([]any)
	return slices.ContainsFunc(nodes, func(node any) bool { return node.(item)[thing].(item)[member] == value })
}

func globalID(t *testing.T, s *testkit.Server, slug string) string {
	t.Helper()
	return domain.GraphQLID("Organization", column(t, s, `SELECT slug, id FROM organizations WHERE slug = $1`, slug)[slug])
}

// seconds returns when the rows of a table were made.
func seconds(t *testing.T, s *testkit.Server, table string) map[string]int64 {
	t.Helper()
	at := "created_at"
	if table == "audit_events" {
		at = "occurred_at"
	}
	return micros(t, s, `SELECT id, `+at+` FROM `+table)
}

// micros returns the times that a statement yields behind ids.
func micros(t *testing.T, s *testkit.Server, statement string) map[string]int64 {
	t.Helper()
	times := map[string]int64{}
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(statement, func(r *db.Row) error {
			times[r.Text()] = r.Int()
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return times
}

func rfc3339(micros int64) string { return time.UnixMicro(micros).UTC().Format(domain.TimestampLayout) }

// page is a part of a list, as it is answered.
type page struct {
	items       []item
	cursors     []string
	count       int
	hasNext     bool
	hasPrevious bool
}

// document asks for a part of the list. The arguments are those besides the cursors and numbers, which are variables.
func (l *list) document(within, arguments string) string {
	if arguments != "" {
		arguments = ", " + arguments
	}
	_, field, _ := strings.Cut(l.field, ".")
	uuid := cmp.Or(l.uuid, "uuid")
	return `query ($first: Int, $last: Int, $after: String, $before: String) { ` + fmt.Sprintf(within, `list: `+field+
		`(first: $first, last: $last, after: $after, before: $before`+arguments+`) { count pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
			edges { cursor node { `+uuid+` `+l.node+` } } nodes { `+uuid+` } }`) + ` }`
}

func (l *list) ask(t *testing.T, s *testkit.Server, arguments string, variables map[string]any) page {
	t.Helper()
	answer := s.GraphQL(l.token, l.document(l.within, arguments), variables)
	found, ok := dig(t, wantData(t, answer), append(l.path, "list")...).(item)
	if !ok {
		t.Fatalf("%s is null: %s", l.field, answer)
	}
	p := page{count: int(found["count"].(float64))}
	for _, e := range found["edges"].([]any) {
		p.items = append(p.items, e.(item)["node"].(item))
		p.cursors = append(p.cursors, e.(item)["cursor"].(string))
	}
	nodes := []string{}
	for _, node := range found["nodes"].([]any) {
		nodes = append(nodes, node.(item)["uuid"].(string))
	}
	if !slices.Equal(nodes, uuidsOf(p.items)) {
		t.Errorf("%s: nodes are not those of the edges: %s", l.field, answer)
	}
	info := found["pageInfo"].(item)
	p.hasNext, p.hasPrevious = info["hasNextPage"].(bool), info["hasPreviousPage"].(bool)
	var start, end any
	if len(p.cursors) > 0 {
		start, end = p.cursors[0], p.cursors[len(p.cursors)-1]
	}
	if info["startCursor"] != start || info["endCursor"] != end {
		t.Errorf("%s: the page's cursors are not those of its ends: %s", l.field, answer)
	}
	return p
}

func uuidsOf(items []item) []string {
	ids := make([]string, len(items))
	for i, one := range items {
		ids[i] = one["uuid"].(string)
	}
	return ids
}

// sorted returns items in an order.
func (l *list) sorted(t *testing.T, s *testkit.Server, items []item, order string) []item {
	t.Helper()
	if l.compare != nil {
		return slices.SortedFunc(slices.Values(items), l.compare(order))
	}
	times := map[string]int64{}
	if l.table != "" {
		times = seconds(t, s, l.table)
	}
	when := func(a, b item) int {
		return cmp.Or(cmp.Compare(times[textAt(a, "uuid")], times[textAt(b, "uuid")]), cmp.Compare(textAt(a, "uuid"), textAt(b, "uuid")))
	}
	name := func(a, b item) int {
		return cmp.Or(cmp.Compare(domain.SortKey(textAt(a, l.name)), domain.SortKey(textAt(b, l.name))), cmp.Compare(textAt(a, "uuid"), textAt(b, "uuid")))
	}
	compare, known := map[string]func(a, b item) int{
		"":                          when,
		"oldest":                    when,
		"RECENTLY_CREATED":          func(a, b item) int { return when(b, a) },
		"RECENTLY_OCCURRED":         func(a, b item) int { return when(b, a) },
		"NAME":                      name,
		"EMAIL":                     name,
		"RELEVANCE":                 name,
		"KEY":                       func(a, b item) int { return cmp.Compare(textAt(a, l.name), textAt(b, l.name)) },
		"NAME_WITH_FAVORITES_FIRST": func(a, b item) int { return cmp.Or(favorites(b)-favorites(a), name(a, b)) },
	}[order]
	if !known {
		t.Fatalf("nobody told the test what the order %s is", order)
	}
	return slices.SortedFunc(slices.Values(items), compare)
}

func favorites(i item) int {
	if i["favorite"] == true {
		return 1
	}
	return 0
}

// connectionFields returns the fields of the schema that are connections.
func connectionFields(t *testing.T) map[string]*ast.FieldDefinition {
	t.Helper()
	fields := map[string]*ast.FieldDefinition{}
	for _, d := range parsedSchema(t) {
		for _, f := range d.Fields {
			if strings.HasSuffix(f.Type.Name(), "Connection") {
				fields[d.Name+"."+f.Name] = f
			}
		}
	}
	return fields
}

func enumValues(t *testing.T, name string) (values []string) {
	t.Helper()
	for _, d := range parsedSchema(t) {
		if d.Name == name {
			for _, v := range d.EnumValues {
				values = append(values, v.Name)
			}
		}
	}
	return values
}

// TestConnections pages through every connection of the schema, with every order and every filter.
func TestConnections(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildCrowd(t, s)
		missing := connectionFields(t)
		try := func(l list) {
			l.check(t, s, missing[l.field])
			delete(missing, l.field)
		}
		for _, l := range lists(t, s) {
			try(l)
		}
		buildCrowdOfBuilds(t, s)
		for _, l := range buildLists(t, s) {
			try(l)
		}
		try(scheduledBuilds(t, s))
		delete(missing, "Pipeline.schedules") // of which there is no other page: TestPipelineScheduleMutations reads it
		delete(missing, "Pipeline.metrics")   // three figures: TestMetricsOfPipelines reads them
		wantTeamsOfInvitation(t, s)
		delete(missing, "OrganizationInvitation.teams")
		wantMetaData(t, s)
		delete(missing, "Build.metaData")
		wantWholeCounts(t, s)
		wantArtifacts(t, s)
		delete(missing, "JobTypeCommand.artifacts")
		wantDependenciesOfSteps(t, s)
		for _, typeName := range []string{"Step", "StepInput", "StepTrigger", "StepWait"} {
			delete(missing, typeName+".dependencies")
		}
		for field := range missing {
			t.Errorf("there is no case for %s", field)
		}
	})
}

// scheduledBuilds is the list of the builds of a schedule, which is said to have created those of its pipeline.
func scheduledBuilds(t *testing.T, s *testkit.Server) list {
	t.Helper()
	var slug string
	for slug = range column(t, s, `SELECT p.slug, p.id FROM pipelines p WHERE p.id = (SELECT pipeline_id FROM builds GROUP BY pipeline_id ORDER BY count(*) DESC LIMIT 1)`) {
		break
	}
	schedule := s.Post(testkit.AdminToken, acme+"/pipelines/"+slug+"/schedules", fields{"cronline": "@daily"}).Want(t, 201).Text("id")
	testkit.Exec(t, s.DB, `INSERT INTO scheduled_builds (build_id, schedule_id) SELECT b.id, sc.id FROM builds b JOIN pipeline_schedules sc ON sc.pipeline_id = b.pipeline_id`)
	within := `node(id: "` + domain.GraphQLID("PipelineSchedule", schedule) + `") { ... on PipelineSchedule { %s } }`
	return list{field: "PipelineSchedule.builds", token: testkit.MemberToken, within: within, path: []string{"node"}, node: "number", compare: func(string) func(a, b item) int {
		return func(a, b item) int { return strings.Compare(textAt(b, "uuid"), textAt(a, "uuid")) }
	}}
}

// check pages through the list, with every order and every filter.
func (l *list) check(t *testing.T, s *testkit.Server, field *ast.FieldDefinition) {
	t.Helper()
	universe := l.ask(t, s, "", nil).items
	if l.field == "Organization.pipelines" {
		universe = append(universe, l.ask(t, s, "archived: true", nil).items...)
	}
	if len(universe) < 10 && l.field != "Viewer.emails" && l.field != "Organization.banners" && l.field != "Portal.secrets" { // of which there are never more
		t.Fatalf("%s has only %d items", l.field, len(universe))
	}
	everything := func(item) bool { return true }
	if len(l.filters) > 0 && l.filters[0].argument == "" {
		everything = l.filters[0].keep
	}
	filters := append([]filter{{"", everything}}, l.filters...)
	for _, argument := range field.Arguments {
		switch argument.Name {
		case "first", "last", "after", "before":
			continue
		case "order":
			if l.order != argument.DefaultValue.Raw {
				t.Errorf("%s is in the order %s", l.field, argument.DefaultValue)
			}
			for _, order := range enumValues(t, argument.Type.Name()) {
				filters = append(filters, filter{"order: " + order, everything})
			}
		default:
			l.wantTried(t, argument.Name, universe)
		}
		l.wantPage(t, s, argument.Name+": null", l.sorted(t, s, slices.DeleteFunc(slices.Clone(universe), func(i item) bool { return !everything(i) }), l.order))
	}
	for _, f := range filters {
		order := l.order
		if named, is := strings.CutPrefix(f.argument, "order: "); is {
			order = named
		}
		want := l.sorted(t, s, slices.DeleteFunc(slices.Clone(universe), func(i item) bool { return !f.keep(i) }), order)
		l.pageThrough(t, s, f.argument, want)
	}
}

// wantTeamsOfInvitation reads OrganizationInvitation.teams, by slug. It has no argument but first, and its nodes have no uuid.
func wantTeamsOfInvitation(t *testing.T, s *testkit.Server) {
	t.Helper()
	id := domain.GraphQLID("OrganizationInvitation", column(t, s, `SELECT email, id FROM invitations`)[crowdedGuest])
	var want []string
	for n := range crowdNames {
		want = append(want, fmt.Sprintf("number-%d", n))
	}
	slices.Sort(want)
	for _, first := range []any{nil, 0, 1, 5, len(want), 500} {
		shown := len(want)
		if number, ok := first.(int); ok {
			shown = min(shown, number)
		}
		list := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `query ($id: ID!, $first: Int) { node(id: $id) { ... on OrganizationInvitation { teams(first: $first) { count
			pageInfo { startCursor endCursor hasNextPage hasPreviousPage } edges { cursor node { id team { slug } } } nodes { id role } } } } }`, item{"id": id, "first": first})), "node", "teams").(item)
		slugs, cursors, nodes, roles := []string{}, []any{nil}, list["nodes"].([]any), map[any]bool{}
		for i, e := range list["edges"].([]any) {
			node := e.(item)["node"].(item)
			slugs, cursors = append(slugs, textAt(node, "team.slug")), append(cursors, e.(item)["cursor"])
			if i >= len(nodes) || nodes[i].(item)["id"] != node["id"] {
				t.Errorf("OrganizationInvitation.teams: nodes are not those of the edges: %v", list)
			}
		}
		for _, node := range nodes {
			roles[node.(item)["role"]] = true
		}
		start, end := cursors[min(1, shown)], cursors[len(cursors)-1]
		info := item{"startCursor": start, "endCursor": end, "hasNextPage": shown < len(want), "hasPreviousPage": false}
		if !slices.Equal(slugs, want[:shown]) || len(nodes) != shown || list["count"] != float64(len(want)) || !reflect.DeepEqual(list["pageInfo"], any(info)) || first == nil && len(roles) != 2 {
			t.Errorf("OrganizationInvitation.teams(first: %v) is %v, want %v and %v", first, list, want[:shown], info)
		}
	}
	for _, first := range []int{-1, 501} {
		wantError(t, s.GraphQL(testkit.AdminToken, `query ($id: ID!, $first: Int) { node(id: $id) { ... on OrganizationInvitation { teams(first: $first) { count } } } }`, item{"id": id, "first": first}),
			"`first` must be a number from 0 to 500", "node", "teams")
	}
}

// wantTried checks that there is a filter with the argument that leaves some items, but not all.
func (l *list) wantTried(t *testing.T, argument string, universe []item) {
	t.Helper()
	for _, f := range l.filters {
		left := 0
		for _, i := range universe {
			if f.keep(i) {
				left++
			}
		}
		if strings.Contains(f.argument, argument+":") && left < len(universe) && (left > 0 || len(universe) == 1) {
			return
		}
	}
	if onlyArgument[l.field+"."+argument] {
		return
	}
	t.Errorf("nothing shows what %s(%s:) does", l.field, argument)
}

// wantPage checks that the list is what is wanted, on one page.
func (l *list) wantPage(t *testing.T, s *testkit.Server, arguments string, want []item) bool {
	t.Helper()
	whole := l.ask(t, s, arguments, nil)
	if !reflect.DeepEqual(whole.items, want) && len(want)+len(whole.items) > 0 || whole.count != len(want) || whole.hasNext || whole.hasPrevious {
		t.Errorf("%s(%s) is %v with count %d, want %v", l.field, arguments, uuidsOf(whole.items), whole.count, uuidsOf(want))
		return false
	}
	return true
}

// pageThrough reads the list forwards and backwards, in pages of odd sizes.
func (l *list) pageThrough(t *testing.T, s *testkit.Server, arguments string, want []item) {
	t.Helper()
	where := l.field + "(" + arguments + ")"
	n := len(want)
	sizes := []int{5}
	switch {
	case n > 30:
		sizes = []int{n/2 - 1}
	case arguments == "":
		sizes = []int{1, 3, n + 1}
	case strings.HasPrefix(arguments, "order:"):
		sizes = []int{3}
	}
	if !l.wantPage(t, s, arguments, want) {
		return
	}
	bare := *l
	bare.node = ""
	for _, size := range sizes {
		after, before := any(nil), any(nil)
		for at := 0; at == 0 || at < n; at += size {
			to := min(at+size, n)
			p := bare.ask(t, s, arguments, map[string]any{"first": size, "after": after})
			if !slices.Equal(uuidsOf(p.items), uuidsOf(want[at:to])) || p.count != n || p.hasPrevious != (at > 0) || p.hasNext != (to < n) {
				t.Fatalf("%s: first %d at %d is %v (of %d, previous %v, next %v), want %v", where, size, at, uuidsOf(p.items), p.count, p.hasPrevious, p.hasNext, uuidsOf(want[at:to]))
			}
			from := max(n-at-size, 0)
			q := bare.ask(t, s, arguments, map[string]any{"last": size, "before": before})
			if !slices.Equal(uuidsOf(q.items), uuidsOf(want[from:n-at])) || q.count != n || q.hasPrevious != (from > 0) || q.hasNext != (at > 0) {
				t.Fatalf("%s: last %d at %d is %v (of %d, previous %v, next %v), want %v", where, size, at, uuidsOf(q.items), q.count, q.hasPrevious, q.hasNext, uuidsOf(want[from:n-at]))
			}
			if n == 0 {
				break
			}
			after, before = p.cursors[len(p.cursors)-1], q.cursors[0]
		}
	}
}

// TestTagsAreMatchedWhole looks for tags, and for what only stands in the text that they are stored as.
func TestTagsAreMatchedWhole(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		tags := map[string][]string{
			"web":    {"a", "b", `x",`, `\`, "a,", ",b", "]c", "x["},
			"loose":  {",", `"`, `\"`, `","`, "%", "_", "ü", "a\tb", `\s`, `\q`},
			"only":   {`,`},
			"first":  {`,`, `a`},
			"last":   {"z", ","},
			"commas": {"a,", ",,", ",b"},
			"quotes": {`\\`, `x"`, `"x`, `\u00fc`, "é\n"},
			"none":   {},
		}
		wanted := []string{"", " ", "A", "c", "x", "z,", `",`, `,"`, `","a`, `a","b`, `"a"`, "[", "]", `["a"`, "a%", "z_", "%_", `\,`, `\\\`, "\x00", "ä"}
		for slug, own := range tags {
			if slug != "web" && slug != "loose" {
				s.Post(testkit.AdminToken, acme+"/pipelines", fields{"name": slug, "repository": "r"}).Want(t, 201)
			}
			s.Patch(testkit.AdminToken, acme+"/pipelines/"+slug, fields{"tags": own}).Want(t, 200)
			wanted = append(wanted, own...)
		}
		for _, tag := range wanted {
			var want []string
			for slug, own := range tags {
				if slices.Contains(own, tag) {
					want = append(want, slug)
				}
			}
			slices.Sort(want)
			data := wantData(t, s.GraphQL(testkit.AdminToken, `query ($tags: [String!]) { organization(slug: "acme-inc") { pipelines(tags: $tags, order: NAME) { nodes { slug } } } }`,
				fields{"tags": []string{tag}}))
			var got []string
			for _, node := range dig(t, data, "organization", "pipelines", "nodes").([]any) {
				got = append(got, dig(t, node, "slug").(string))
			}
			if !slices.Equal(got, want) {
				t.Errorf("the tag %q is found on %v, want %v", tag, got, want)
			}
		}
	})
}
