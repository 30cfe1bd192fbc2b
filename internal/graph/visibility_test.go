package graph_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

// The people and things of an estate, besides those of testkit.Fixture.
const (
	secretTeamID   = "0190c000-0000-7000-8000-000000000001" // its only member is the maintainer
	leaverID       = "0190c000-0000-7000-8000-000000000002" // was a member
	homeID         = "0190c000-0000-7000-8000-000000000003" // an organization of the leaver's, and the traveller's
	nobodyID       = "0190c000-0000-7000-8000-00000000ffff"
	leaverToken    = "token-of-one-who-left-it"
	homebodyToken  = "token-that-reaches-the-home" // the administrator's, which was not granted acme-inc
	groundedToken  = "token-of-the-grounded-admin" // the administrator's, which was granted no organization
	strangersToken = "token-nobody-was-ever-given"
)

const estate = `
users:
  - {id: ` + leaverID + `, email: leaver@example.com, name: Leaver}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: leaver@example.com, role: admin}]
    teams: [{id: ` + secretTeamID + `, name: Conspiracy, slug: conspiracy, members: [{user: maintainer@example.com}]}]
    pipelines:
      - {name: Hidden, slug: hidden, repository: r, cluster: Maintained}
      - {name: Old, slug: old, repository: r}
  - slug: home
    id: ` + homeID + `
    name: Home
    members: [{user: leaver@example.com, role: admin}, {user: admin@example.com, role: admin}]
tokens:
  - {user: leaver@example.com, token: ` + leaverToken + `, description: d, graphql: true, organizations: [acme-inc, home], scopes: [read_clusters]}
  - {user: admin@example.com, token: ` + homebodyToken + `, description: d, graphql: true, organizations: [home], scopes: [read_clusters]}
  - {user: admin@example.com, token: ` + groundedToken + `, description: d, graphql: true, organizations: [], scopes: [read_clusters]}
`

// thing is something of acme-inc.
type thing struct{ kind, typeName, id string }

func (x thing) globalID() string { return domain.GraphQLID(x.typeName, x.id) }

// buildEstate fills acme-inc with one of each thing, and returns them. The leaver leaves.
func buildEstate(t *testing.T, s *testkit.Server) []thing {
	t.Helper()
	s.Bootstrap(estate)
	s.Patch(testkit.AdminToken, teamPath(secretTeamID), map[string]any{"privacy": "secret"}).Want(t, 200)
	s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/old/archive", nil).Want(t, 200)
	only := func(sql string) string {
		t.Helper()
		for id := range column(t, s, sql) {
			return id
		}
		t.Fatalf("nothing: %s", sql)
		return ""
	}
	hidden := only(`SELECT id, id FROM pipelines WHERE slug = 'hidden'`)
	for _, team := range []string{secretTeamID, testkit.TeamID} {
		s.Post(testkit.AdminToken, teamPath(team, "pipelines"), map[string]any{"pipeline_id": hidden, "access_level": "read_only"}).Want(t, 201)
	}
	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), map[string]any{"description": "Agents"}).Want(t, 201)
	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "secrets"), map[string]any{"key": "SECRET", "value": "x"}).Want(t, 201)
	s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals", map[string]any{"name": "Portal", "query": "{ __typename }"}).Want(t, 201)
	s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/invitations", map[string]any{"emails": []string{"guest@example.com"}}).Want(t, 201)
	s.Post(testkit.AdminToken, acme+"/rules", fields{"type": "pipeline.trigger_build.pipeline", "value": fields{"source_pipeline": "hidden", "target_pipeline": "hidden"}}).Want(t, 201)
	s.Post(testkit.AdminToken, acme+"/pipelines/hidden/schedules", fields{"label": "Secret", "cronline": "@daily"}).Want(t, 201)
	s.Post(testkit.AdminToken, acme+"/pipeline-templates", fields{"name": "Secret", "configuration": "steps: [wait]"}).Want(t, 201)
	wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($o: ID!) { agentTokenCreate(input: {organizationID: $o}) { tokenValue } organizationBannerUpsert(input: {organizationId: $o, message: "Hello"}) { banner { id } } }`,
		fields{"o": globalID(t, s, testkit.Organization)}))
	for _, kind := range domain.ProviderKinds { // as if each host had taken a token
		testkit.Exec(t, s.DB, `INSERT INTO repository_connections (id, organization_id, kind, url, display_name, login, created_at, updated_at)
			SELECT $1, id, $2, $3, $2, '', 0, 0 FROM organizations WHERE slug = 'acme-inc'`, string(domain.NewID[domain.ConnectionID]()), string(kind), "https://"+string(kind)+".example.com")
	}
	builtThings := buildThings(t, s)
	s.Post(leaverToken, "/v2/organizations/acme-inc/clusters", nil)
	s.Delete(testkit.AdminToken, "/v2/organizations/acme-inc/members/"+leaverID).Want(t, 204)
	return append([]thing{
		{"organization", "Organization", only(`SELECT id, id FROM organizations WHERE slug = 'acme-inc'`)},
		{"cluster", "Cluster", testkit.MaintainedID},
		{"queue", "ClusterQueue", testkit.QueueID},
		{"agent token", "ClusterToken", only(`SELECT id, id FROM cluster_agent_tokens`)},
		{"secret", "Secret", only(`SELECT id, id FROM cluster_secrets`)},
		{"registry", "CacheRegistry", testkit.RegistryID},
		{"pipeline", "Pipeline", hidden},
		{"archived pipeline", "Pipeline", only(`SELECT id, id FROM pipelines WHERE slug = 'old'`)},
		{"team", "Team", testkit.TeamID},
		{"secret team", "Team", secretTeamID},
		{"team's member", "TeamMember", only(`SELECT id, id FROM team_members WHERE team_id = '` + testkit.TeamID + `'`)},
		{"secret team's member", "TeamMember", only(`SELECT id, id FROM team_members WHERE team_id = '` + secretTeamID + `'`)},
		{"team's pipeline", "TeamPipeline", only(`SELECT id, id FROM team_pipelines WHERE team_id = '` + testkit.TeamID + `'`)},
		{"secret team's pipeline", "TeamPipeline", only(`SELECT id, id FROM team_pipelines WHERE team_id = '` + secretTeamID + `'`)},
		{"member", "OrganizationMember", only(`SELECT id, id FROM organization_members WHERE user_id = '` + testkit.TeammateID + `'`)},
		{"user", "User", testkit.TeammateID},
		{"token", "APIAccessToken", only(`SELECT id, id FROM api_tokens WHERE user_id = '` + testkit.TeammateID + `'`)},
		{"event", "AuditEvent", only(`SELECT id, id FROM audit_events WHERE type = 'TEAM_UPDATED'`)},
		{"viewer", "Viewer", testkit.TeammateID},
		{"address", "Email", testkit.TeammateID},
		{"portal", "Portal", only(`SELECT id, id FROM portals`)},
		{"rule", "Rule", only(`SELECT id, id FROM rules`)},
		{"figure", "PipelineMetric/speed", hidden},
		{"schedule", "PipelineSchedule", only(`SELECT id, id FROM pipeline_schedules`)},
		{"unclustered token", "AgentToken", only(`SELECT id, id FROM unclustered_tokens`)},
		{"GitHub", "OrganizationRepositoryProviderGitHub", only(`SELECT id, id FROM repository_connections WHERE kind = 'github'`)},
		{"GitHub Enterprise", "OrganizationRepositoryProviderGitHubEnterpriseServer", only(`SELECT id, id FROM repository_connections WHERE kind = 'github_enterprise'`)},
		{"GitLab", "OrganizationRepositoryProviderGitLab", only(`SELECT id, id FROM repository_connections WHERE kind = 'gitlab'`)},
		{"Bitbucket", "OrganizationRepositoryProviderBitbucket", only(`SELECT id, id FROM repository_connections WHERE kind = 'bitbucket'`)},
		{"Bitbucket Server", "OrganizationRepositoryProviderBitbucketServer", only(`SELECT id, id FROM repository_connections WHERE kind = 'bitbucket_server'`)},
		{"Gitea", "OrganizationRepositoryProviderGitea", only(`SELECT id, id FROM repository_connections WHERE kind = 'gitea'`)},
		{"banner", "OrganizationBanner", only(`SELECT id, id FROM organization_banners`)},
		{"template", "PipelineTemplate", only(`SELECT id, id FROM pipeline_templates`)},
		{"invitation", "OrganizationInvitation", only(`SELECT id, id FROM invitations`)},
		{"maintainer", "ClusterPermission", only(`SELECT id, id FROM cluster_maintainers WHERE user_id IS NOT NULL`)},
		{"stranger", "User", testkit.OutsiderID},
		{"stranger's organization", "Organization", only(`SELECT id, id FROM organizations WHERE slug = 'elsewhere'`)},
		{"stranger's cluster", "Cluster", testkit.ElsewhereID},
		{"who left", "User", leaverID},
	}, builtThings...)
}

// buildThings makes a build of the pipeline hidden, with jobs of every type to which everything happened that has a type of its own.
func buildThings(t *testing.T, s *testkit.Server) (things []thing) {
	t.Helper()
	s.Patch(testkit.AdminToken, acme+"/pipelines/hidden", fields{"configuration": `
steps:
  - {key: one, command: "true", retry: {automatic: [{exit_status: 1, limit: 1}]}}
  - {key: two, command: "true"}
  - wait
  - {command: "true"}
  - {block: Go}
  - {trigger: hidden}`}).Want(t, 200)
	agent := newRunner(t, s, agentTokenFor(t, s), "Secretive")
	build := newBuild(t, s, "hidden", nil).Text("id")
	agent.take().finish(builds.Finish{ExitStatus: 1})
	second := agent.take()
	artifact := second.upload("secret.txt", "content")
	second.finish(builds.Finish{})
	annotation := s.Post(testkit.AdminToken, buildPath("hidden", 1)+"/annotations", fields{"body": "secret"}).Want(t, 201).Text("id")
	agent.take().finish(builds.Finish{})
	s.Put(testkit.AdminToken, buildPath("hidden", 1)+"/cancel", nil).Want(t, 200)
	for _, event := range []string{"TIMED_OUT", "STACK_ERRORED", "STACK_NOTIFICATION"} {
		testkit.Exec(t, s.DB, `INSERT INTO job_events (id, job_id, type, at) SELECT $1, min(job_id), $2, 1 FROM job_events`, domain.NewID[string](), event)
	}
	things = []thing{{"build", "Build", build}, {"agent", "Agent", agent.id}, {"annotation", "Annotation", annotation}, {"artifact", "Artifact", artifact}}
	for kind, typeName := range map[string]string{"command": "JobTypeCommand", "wait": "JobTypeWait", "block": "JobTypeBlock", "trigger": "JobTypeTrigger"} {
		things = append(things, thing{kind + " job", typeName, column(t, s, `SELECT kind, min(id) FROM jobs GROUP BY kind`)[kind]})
	}
	var jobs []string
	for _, job := range column(t, s, `SELECT id, id FROM jobs`) {
		jobs = append(jobs, job)
	}
	events := map[string]string{}
	for _, e := range testkit.JobEvents(t, s.DB, jobs...) {
		events[string(e.Type)] = e.ID
	}
	for event, typeName := range map[string]string{"ASSIGNED": "JobEventAssigned", "CANCELED": "JobEventCanceled", "FINISHED": "JobEventFinished", "RETRIED": "JobEventRetried",
		"TIMED_OUT": "JobEventTimedOut", "STACK_ERRORED": "JobEventStackError", "STACK_NOTIFICATION": "JobEventStackNotification", "STARTED": "JobEventGeneric"} {
		things = append(things, thing{"event " + event, typeName, events[event]})
	}
	return things
}

// memberSees is what every member of acme-inc sees.
var memberSees = []string{"organization", "cluster", "queue", "pipeline", "archived pipeline", "team", "team's member", "team's pipeline", "member", "user",
	"build", "agent", "annotation", "artifact", "command job", "wait job", "block job", "trigger job", "event ASSIGNED", "event CANCELED", "event FINISHED", "event RETRIED", "event TIMED_OUT", "event STACK_ERRORED",
	"event STACK_NOTIFICATION", "event STARTED", "figure", "rule", "schedule", "banner"}

// visibleThings has what each caller sees.
func visibleThings() map[string][]string {
	strangers := []string{"stranger", "stranger's organization", "stranger's cluster"}
	return map[string][]string{
		testkit.AdminToken:      slices.Concat(memberSees, []string{"agent token", "secret", "registry", "secret team", "secret team's member", "secret team's pipeline", "token", "event", "portal", "invitation", "template", "unclustered token", "GitHub", "GitHub Enterprise", "GitLab", "Bitbucket", "Bitbucket Server", "Gitea"}),
		testkit.MemberToken:     memberSees,
		testkit.MaintainerToken: slices.Concat(memberSees, []string{"agent token", "secret", "registry", "secret team", "secret team's member", "secret team's pipeline"}),
		testkit.TeammateToken:   slices.Concat(memberSees, []string{"agent token", "secret", "registry", "token", "viewer", "address"}),
		testkit.OutsiderToken:   strangers,
		leaverToken:             {"who left"},
		homebodyToken:           {"who left"}, // who belongs to that organization too
		groundedToken:           nil,
	}
}

// TestNodesAreSeenByThoseWhoMay asks for each thing as each caller. What they do not see is as what does not exist.
func TestNodesAreSeenByThoseWhoMay(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		things := buildEstate(t, s)
		unseen := nodeTypes(t)
		for token, sees := range visibleThings() {
			for _, x := range things {
				ask := func(id string) *testkit.Answer {
					return s.GraphQL(token, `query ($id: ID!) { node(id: $id) { __typename id } }`, map[string]any{"id": id})
				}
				answer := ask(x.globalID())
				if slices.Contains(sees, x.kind) {
					if node := dig(t, wantData(t, answer), "node"); textAt(node.(item), "id") != x.globalID() || textAt(node.(item), "__typename") != x.nodeType() {
						t.Errorf("%s sees no %s: %s", token, x.kind, answer)
					}
					delete(unseen, x.nodeType())
					continue
				}
				wantSame(t, token+" asks for the "+x.kind, answer, ask(domain.GraphQLID(x.typeName, nobodyID)))
			}
		}
		for _, typeName := range []string{"Suite", "TeamSuite"} { // there are none yet
			answer := s.GraphQL(testkit.AdminToken, `query ($id: ID!) { node(id: $id) { __typename id } }`, map[string]any{"id": domain.GraphQLID(typeName, nobodyID)})
			if node := dig(t, wantData(t, answer), "node"); node != nil {
				t.Errorf("there is a %s: %v", typeName, node)
			}
			delete(unseen, typeName)
		}
		for typeName := range unseen {
			t.Errorf("nobody sees a %s", typeName)
		}
	})
}

// nodeType returns the name of the thing's type: of those that several names lead to, the id has what distinguishes them behind it.
func (x thing) nodeType() string {
	name, _, _ := strings.Cut(x.typeName, "/")
	return name
}

// nodeTypes returns the types of the schema that are nodes.
func nodeTypes(t *testing.T) map[string]bool {
	t.Helper()
	types := map[string]bool{}
	for _, d := range parsedSchema(t) {
		if slices.Contains(d.Interfaces, "Node") {
			types[d.Name] = true
		}
	}
	return types
}

// TestMalformedIDsAreNull asks for nodes that cannot be.
func TestMalformedIDsAreNull(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildEstate(t, s)
		whole := domain.GraphQLID("Cluster", testkit.MaintainedID)
		encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
		for _, id := range []string{"", "junk", testkit.MaintainedID, "Cluster---" + testkit.MaintainedID, whole + "=", whole[:len(whole)-4], " " + whole, whole + "\n", strings.ToLower(whole),
			encode("Cluster---"), encode("---" + testkit.MaintainedID), encode("Cluster--" + testkit.MaintainedID), encode("Cluster---" + testkit.MaintainedID + "---x"), encode("cluster---" + testkit.MaintainedID),
			encode("Team---" + testkit.MaintainedID), encode("Query---" + testkit.MaintainedID), encode("Node---" + testkit.MaintainedID), encode("Portal---" + testkit.MaintainedID), encode("Cluster---{" + testkit.MaintainedID + "}"),
			encode("Cluster---urn:uuid:" + testkit.MaintainedID), encode("Cluster---\x00"), encode("Cluster---' OR 1 = 1"), base64.RawURLEncoding.EncodeToString([]byte("Cluster---"+testkit.MaintainedID)) + "_", strings.Repeat("A", 100_000)} {
			answer := s.GraphQL(testkit.AdminToken, `query ($id: ID!) { node(id: $id) { id } }`, map[string]any{"id": id})
			if answer.Status != 200 || string(answer.Body) != `{"data":{"node":null}}` {
				t.Errorf("%.100q: %s", id, answer)
			}
		}
		for id, found := range map[any]bool{whole: true, domain.GraphQLID("Cluster", strings.ToUpper(testkit.MaintainedID)): true, 12: false} {
			answer := s.GraphQL(testkit.AdminToken, `query ($id: ID!) { node(id: $id) { __typename id ... on Cluster { name } ... on Team { slug } } }`, map[string]any{"id": id})
			if node := dig(t, wantData(t, answer), "node"); (node != nil) != found {
				t.Errorf("%v: %s", id, answer)
			}
		}
	})
}

// wantSame checks that two answers cannot be told apart.
func wantSame(t *testing.T, what string, a, b *testkit.Answer) {
	t.Helper()
	for _, answer := range []*testkit.Answer{a, b} {
		answer.Header.Del("X-Request-Id")
		answer.Header.Del("Date")
	}
	if a.Status != b.Status || !bytes.Equal(a.Body, b.Body) || fmt.Sprint(a.Header) != fmt.Sprint(b.Header) {
		t.Errorf("%s: the invisible\n%s %v\ndiffers from the absent\n%s %v", what, a, a.Header, b, b.Header)
	}
}

// way is how to ask for something, or about it.
type way struct {
	document  string
	invisible string
	absent    string
}

// waysToRead leads to the things of acme-inc by all ways but node. Home is an organization that the caller reaches; "" if it is acme-inc itself.
func waysToRead(things []thing, home string) (all []way) {
	perKind := map[string]thing{}
	for _, x := range things {
		perKind[x.kind] = x
	}
	root := func(document, invisible, absent string) {
		all = append(all, way{`query ($x: ID!) { ` + document + ` }`, invisible, absent})
	}
	if home == "" {
		home = "acme-inc"
	} else {
		for _, slug := range []string{"acme-inc", "ACME-INC", " acme-inc"} {
			root(`organization(slug: $x) { id activeUsersCount clusters { count } }`, slug, "nothing-inc")
		}
		root(`organization(uuid: $x) { id name }`, perKind["organization"].id, nobodyID)
		root(`organization(slug: "`+home+`", uuid: $x) { id }`, perKind["organization"].id, nobodyID)
		root(`pipeline(slug: $x) { id teams { count } }`, "acme-inc/hidden", "acme-inc/nothing")
		root(`pipeline(slug: $x) { id }`, "acme-inc/hidden", "nothing/hidden")
		root(`pipeline(uuid: $x) { id }`, perKind["pipeline"].id, nobodyID)
		root(`build(slug: $x) { id jobs { count } }`, "acme-inc/hidden/1", "acme-inc/nothing/1")
		root(`build(slug: $x) { id }`, "acme-inc/hidden/1", "acme-inc/hidden/2")
		root(`build(uuid: $x) { id }`, perKind["build"].id, nobodyID)
		root(`artifact(uuid: $x) { id downloadURL }`, perKind["artifact"].id, nobodyID)
		root(`rule(uuid: $x) { id document }`, perKind["rule"].id, nobodyID)
		root(`pipelineSchedule(slug: $x) { id }`, "acme-inc/hidden/"+perKind["schedule"].id, "acme-inc/hidden/"+nobodyID)
		root(`pipelineSchedule(slug: $x) { id }`, home+"/hidden/"+perKind["schedule"].id, home+"/hidden/"+nobodyID)
		root(`job(uuid: $x) { __typename }`, perKind["command job"].id, nobodyID)
		root(`agent(slug: $x) { id }`, "acme-inc/"+perKind["agent"].id, "acme-inc/"+nobodyID)
		root(`agent(slug: $x) { id }`, home+"/"+perKind["agent"].id, home+"/"+nobodyID)
		root(`team(slug: $x) { id members { count } }`, "acme-inc/platform", "acme-inc/nothing")
		root(`organizationMember(slug: $x) { id user { email } }`, "acme-inc/"+perKind["member"].id, "acme-inc/"+nobodyID)
		root(`organizationMember(slug: $x) { id user { email } }`, home+"/"+perKind["member"].id, home+"/"+nobodyID)
	}
	root(`organizationInvitation(slug: $x) { id email }`, "acme-inc/"+perKind["invitation"].id, "acme-inc/"+nobodyID)
	root(`pipelineTemplate(uuid: $x) { id configuration }`, perKind["template"].id, nobodyID)
	root(`auditEvent(uuid: $x) { id data }`, perKind["event"].id, nobodyID)
	root(`team(slug: $x) { id members { count } }`, "acme-inc/conspiracy", "acme-inc/nothing")
	below := func(document, typeName, invisible, absent string, more ...string) {
		for _, pair := range append([][2]string{{invisible, absent}, {domain.GraphQLID(typeName, invisible), domain.GraphQLID(typeName, absent)}}, pairs(more)...) {
			all = append(all, way{`query ($x: ` + map[bool]string{true: "ID!", false: typeName + "Selector!"}[strings.Contains(document, "ID")] + `) { organization(slug: "` + home + `") { ` + strings.ReplaceAll(document, "ID", "") + ` } }`, pair[0], pair[1]})
		}
	}
	// Of another organization, or of a team that keeps to itself.
	below(`pipelines(team: $x) { count nodes { id } }`, "Team", secretTeamID, nobodyID, "conspiracy", "nothing", "acme-inc/conspiracy", "acme-inc/nothing", "acme-inc/conspiracy", "nothing/conspiracy")
	below(`members(team: $x) { count nodes { id } pageInfo { endCursor } }`, "Team", secretTeamID, nobodyID, "conspiracy", "nothing", "acme-inc/conspiracy", "acme-inc/nothing")
	below(`auditEvents(subjectID: [$x]) { count }`, "Team", secretTeamID, nobodyID)
	below(`auditEvents(actorID: [$x]) { count }`, "User", testkit.MaintainerID, nobodyID)
	if home != "acme-inc" {
		below(`clusterID(id: $x) { id name }`, "Cluster", testkit.MaintainedID, nobodyID)
		below(`pipelines(clusterID: $x) { count nodes { id } }`, "Cluster", testkit.MaintainedID, nobodyID)
		below(`jobs(clusterID: $x) { count nodes { __typename } }`, "Cluster", testkit.MaintainedID, nobodyID)
		below(`jobs(clusterQueueID: [$x]) { count nodes { __typename } }`, "ClusterQueue", testkit.QueueID, nobodyID)
		below(`agents(clusterID: $x) { count nodes { id } }`, "Cluster", testkit.MaintainedID, nobodyID)
		below(`agents(clusterQueueID: [$x]) { count nodes { id } }`, "ClusterQueue", testkit.QueueID, nobodyID)
		below(`teams(user: $x) { count nodes { id } }`, "User", testkit.TeammateID, nobodyID, "teammate@example.com", "nobody@example.com")
		below(`teams(pipeline: $x) { count nodes { id } }`, "Pipeline", perKind["pipeline"].id, nobodyID, "hidden", "nothing", "acme-inc/hidden", "acme-inc/nothing")
		below(`members(team: $x) { count nodes { id } }`, "Team", testkit.TeamID, nobodyID, "acme-inc/platform", "acme-inc/nothing")
		below(`pipelines(team: $x) { count nodes { id } }`, "Team", testkit.TeamID, nobodyID, "acme-inc/platform", "acme-inc/nothing")
	}
	return all
}

func pairs(values []string) (all [][2]string) {
	for pair := range slices.Chunk(values, 2) {
		all = append(all, [2]string{pair[0], pair[1]})
	}
	return all
}

// wantBlind checks that by none of the ways the caller can tell what they do not see from what does not exist.
func wantBlind(t *testing.T, s *testkit.Server, token string, all []way) {
	t.Helper()
	for _, w := range all {
		invisible, absent := s.GraphQL(token, w.document, map[string]any{"x": w.invisible}), s.GraphQL(token, w.document, map[string]any{"x": w.absent})
		if absent.Object()["errors"] != nil && !strings.Contains(w.document, "mutation") {
			t.Errorf("%s: %s", w.document, absent)
		}
		wantSame(t, token+" asks "+w.document, invisible, absent)
	}
}

// mutationWays try to change what the caller does not see.
func mutationWays(things []thing) (all []way) {
	inputs := map[string]string{
		"cluster": "clusterUpdate(input: {organizationId: \"%s\", id: $x, name: \"X\"}) { cluster { id } }", "queue": "clusterQueueDelete(input: {organizationId: \"%s\", id: $x}) { clientMutationId }",
		"pipeline": "pipelineUpdate(input: {id: $x, name: \"X\"}) { pipeline { id } }", "secret team": "teamDelete(input: {id: $x}) { deletedTeamID }",
		"secret team's member": "teamMemberDelete(input: {id: $x}) { deletedTeamMemberID }", "secret team's pipeline": "teamPipelineDelete(input: {id: $x}) { deletedTeamPipelineID }",
		"member": "organizationMemberDelete(input: {id: $x}) { deletedOrganizationMemberID }", "registry": "cacheRegistryDelete(input: {organizationId: \"%s\", id: $x}) { clientMutationId }",
		"build": "buildCancel(input: {id: $x}) { build { id } }", "command job": "jobTypeCommandRetry(input: {id: $x}) { jobTypeCommand { id } }",
		"annotation": "annotationDelete(input: {id: $x}) { deletedAnnotationId }", "artifact": "artifactDelete(input: {id: $x}) { deletedArtifactId }",
		"block job":   "jobTypeBlockUnblock(input: {id: $x}) { jobTypeBlock { id } }",
		"invitation":  "organizationInvitationRevoke(input: {id: $x}) { organizationInvitation { email } }",
		"agent token": "clusterAgentTokenRevoke(input: {organizationId: \"%s\", id: $x}) { clientMutationId }",
	}
	for _, x := range things {
		if input := inputs[x.kind]; input != "" {
			for _, organization := range []string{things[0].globalID(), domain.GraphQLID("Organization", homeID)} {
				if strings.Contains(input, "%s") {
					input = fmt.Sprintf(input, organization)
				}
				all = append(all, way{`mutation ($x: ID!) { ` + input + ` }`, x.globalID(), domain.GraphQLID(x.typeName, nobodyID)})
			}
		}
	}
	return all
}

// TestStrangersAreBlind asks for the things of acme-inc, by every way, as those who have no part in it.
func TestStrangersAreBlind(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		things := buildEstate(t, s)
		for token, home := range map[string]string{testkit.OutsiderToken: "elsewhere", leaverToken: "home", homebodyToken: "home", groundedToken: "home"} {
			wantBlind(t, s, token, append(waysToRead(things, home), mutationWays(things)...))
			for _, secret := range []string{"viewer { organizations { count nodes { slug } edges { cursor } } }", `organization(slug: "` + home + `") { members { nodes { user { email } } } auditEvents { nodes { data subject { name node { __typename } } } } }`} {
				if answer := s.GraphQL(token, "{ "+secret+" }", nil); strings.Contains(string(answer.Body), "acme") || strings.Contains(string(answer.Body), "teammate@") {
					t.Errorf("%s sees something of acme-inc: %s", token, answer)
				}
			}
		}
		for _, token := range []string{testkit.MemberToken, testkit.TeammateToken} {
			wantBlind(t, s, token, waysToRead(things, ""))
		}
	})
}

// TestSecretTeamsLeaveNoTrace counts and lists what would show that a secret team exists.
func TestSecretTeamsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildEstate(t, s)
		maintainer := column(t, s, `SELECT user_id, id FROM organization_members WHERE user_id = '`+testkit.MaintainerID+`'`)[testkit.MaintainerID]
		for token, more := range map[string]int{testkit.AdminToken: 1, testkit.MaintainerToken: 1, testkit.MemberToken: 0, testkit.TeammateToken: 0} {
			const page = ` { count nodes { id } edges { cursor } pageInfo { hasNextPage } }`
			answer := s.GraphQL(token, `{
				organization(slug: "acme-inc") { all: teams`+page+` secret: teams(privacy: [SECRET])`+page+` found: teams(search: "conspi")`+page+` ofUser: teams(user: "maintainer@example.com")`+page+`
					with: teams(pipeline: "hidden")`+page+` first: teams(first: 1)`+page+` }
				pipeline(slug: "acme-inc/hidden") { all: teams`+page+` found: teams(search: "conspi")`+page+` first: teams(first: 1)`+page+` }
				organizationMember(slug: "acme-inc/`+maintainer+`") { ofMember: teams`+page+` } }`, nil)
			data := wantData(t, answer)
			for path, want := range map[string]int{"organization.all": 1 + more, "organization.secret": more, "organization.found": more, "organization.ofUser": more, "organization.with": 1 + more,
				"pipeline.all": 1 + more, "pipeline.found": more, "organizationMember.ofMember": more} {
				list := dig(t, data, strings.Split(path, ".")...).(item)
				if int(list["count"].(float64)) != want || len(list["nodes"].([]any)) != want || len(list["edges"].([]any)) != want {
					t.Errorf("%s: %s has %v items, want %d", token, path, list["count"], want)
				}
			}
			for _, path := range []string{"organization", "pipeline"} {
				if next := dig(t, data, path, "first", "pageInfo", "hasNextPage"); next != (more > 0) {
					t.Errorf("%s: %s says that there is a next team: %v", token, path, next)
				}
			}
			if seen := strings.Contains(string(answer.Body), global("Team", secretTeamID)); seen != (more > 0) {
				t.Errorf("%s: the secret team's id is there: %v", token, seen)
			}
		}
	})
}

// TestMembersSeeNoManagersThings reads below a cluster and an organization what only managers and administrators see.
func TestMembersSeeNoManagersThings(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildEstate(t, s)
		const managed = `"clusters":{"nodes":[{"agentTokens":{"count":2},"cacheRegistries":{"count":2},"hostedGitMirrorEnabled":false,"hostedContainerCacheEnabled":false,"defaultCacheRegistry":{"slug":"default","default":true},"maintainers":{"count":2}}]}}`
		const unmanaged = `"clusters":{"nodes":[{"agentTokens":null,"cacheRegistries":null,"hostedGitMirrorEnabled":null,"hostedContainerCacheEnabled":null,"defaultCacheRegistry":null,"maintainers":{"count":2}}]}}`
		const administered = `{"allowedApiIpAddresses":"","revokeInactiveTokensAfter":"NEVER","auditEvents":{"edges":[{"node":{"type":"ORGANIZATION_CREATED"}}]},"apiAccessTokens":{"edges":[{"node":{"description":"all"}}]},"portals":{"nodes":[{"slug":"portal","tokens":{"count":1}}]},"settings":{"clusterWrites":"MEMBERS"},`
		const unadministered = `{"allowedApiIpAddresses":null,"revokeInactiveTokensAfter":null,"auditEvents":null,"apiAccessTokens":{"edges":[]},"portals":null,"settings":null,`
		for token, want := range map[string]string{
			testkit.AdminToken:      administered + managed,
			testkit.MaintainerToken: unadministered + managed,
			testkit.TeammateToken:   unadministered + managed,
			testkit.MemberToken:     unadministered + unmanaged,
		} {
			answer := s.GraphQL(token, `{ organization(slug: "acme-inc") { allowedApiIpAddresses revokeInactiveTokensAfter auditEvents(type: [ORGANIZATION_CREATED]) { edges { node { type } } } apiAccessTokens(first: 1) { edges { node { description } } }
				portals { nodes { slug tokens { count } } } settings { clusterWrites }
				clusters { nodes { agentTokens { count } cacheRegistries { count } hostedGitMirrorEnabled hostedContainerCacheEnabled defaultCacheRegistry { slug default } maintainers { count } } } } }`, nil)
			if string(answer.Body) != `{"data":{"organization":`+want+`}}` {
				t.Errorf("%s: %s", token, answer)
			}
		}
		// Bad cursors and filters do not make what is not theirs an error either.
		answer := s.GraphQL(testkit.MemberToken, `{ organization(slug: "acme-inc") { auditEvents(after: "junk", subject: ["junk"]) { count } apiAccessTokens(after: "junk") { count nodes { id } } cluster(id: "`+testkit.MaintainedID+`") { agentTokens(before: "junk") { count } cacheRegistries(after: "junk") { count } } } }`, nil)
		if string(answer.Body) != `{"data":{"organization":{"auditEvents":null,"apiAccessTokens":{"count":0,"nodes":[]},"cluster":{"agentTokens":null,"cacheRegistries":null}}}}` {
			t.Errorf("%s", answer)
		}
	})
}

// TestBarredOrganizations asks for the things of an organization that the caller belongs to, but may not use.
func TestBarredOrganizations(t *testing.T) {
	t.Parallel()
	for name, bar := range map[string]func(*testing.T, *testkit.Server){
		"address": func(t *testing.T, s *testkit.Server) {
			testkit.Exec(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '192.0.2.0/24' WHERE slug = 'acme-inc'`)
		},
		"inactive": func(t *testing.T, s *testkit.Server) {
			testkit.Exec(t, s.DB, `UPDATE organizations SET revoke_inactive_tokens_after_days = 30 WHERE slug = 'acme-inc'`)
			testkit.Exec(t, s.DB, `UPDATE api_tokens SET last_used_at = $1, created_at = $1`, db.Micros(s.Clock.Now().AddDate(0, 0, -30)))
		},
		"ungranted": func(t *testing.T, s *testkit.Server) { testkit.Exec(t, s.DB, `DELETE FROM api_token_organizations`) },
		"left": func(t *testing.T, s *testkit.Server) {
			testkit.Exec(t, s.DB, `DELETE FROM organization_members WHERE organization_id = (SELECT id FROM organizations WHERE slug = 'acme-inc')`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
				things := buildEstate(t, s)
				bar(t, s)
				token := testkit.AdminToken
				for _, x := range things {
					ask := func(id string) *testkit.Answer {
						return s.GraphQL(token, `query ($id: ID!) { node(id: $id) { __typename id } }`, map[string]any{"id": id})
					}
					wantSame(t, x.kind, ask(x.globalID()), ask(domain.GraphQLID(x.typeName, nobodyID)))
				}
				wantBlind(t, s, token, append(waysToRead(things, "home"), mutationWays(things)...))
				answer := s.GraphQL(token, `{ viewer { user { name } organizations { count nodes { slug } edges { cursor } pageInfo { hasNextPage } } } }`, nil)
				if want := `{"data":{"viewer":{"user":{"name":"Admin"},"organizations":{"count":0,"nodes":[],"edges":[],"pageInfo":{"hasNextPage":false}}}}}`; string(answer.Body) != want {
					t.Errorf("%s", answer)
				}
			})
		})
	}
}

// TestBadCredentials shows that nothing is answered to who does not prove who they are, or may not use GraphQL.
func TestBadCredentials(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildEstate(t, s)
		unauthenticated := "Authentication required. Please supply a valid API Access Token: " + s.URL + "/docs#authentication"
		s.Delete(testkit.TeammateToken, "/v2/access-token").Want(t, 204)
		testkit.Exec(t, s.DB, `UPDATE api_tokens SET expires_at = $1 WHERE hash = $2`, db.Micros(s.Clock.Now()), domain.HashToken(testkit.MaintainerToken))
		testkit.Exec(t, s.DB, `UPDATE api_tokens SET allowed_ip_addresses = '192.0.2.0/24' WHERE hash = $1`, domain.HashToken(homebodyToken))
		for _, c := range []struct {
			token, message string
			status         int
		}{
			{"", unauthenticated, 401},
			{strangersToken, unauthenticated, 401},
			{testkit.TeammateToken, unauthenticated, 401},   // revoked
			{testkit.MaintainerToken, unauthenticated, 401}, // expired
			{homebodyToken, "Your IP address is not allowed", 403},
			{testkit.ReadOnlyToken, "Your access token doesn't have the graphql scope", 403},
		} {
			for _, query := range []string{everything, `{ viewer { id } }`, `{ __typename }`, `{ __schema { queryType { name } } }`, `mutation { pipelineDelete(input: {id: "x"}) { clientMutationId } }`, `{ nonsense }`} {
				answer := s.GraphQL(c.token, query, nil).WantMessage(t, c.status, c.message)
				if len(answer.Object()) != 1 || (answer.Header.Get("WWW-Authenticate") == "Bearer") != (c.status == http.StatusUnauthorized) {
					t.Errorf("%s %v", answer, answer.Header)
				}
			}
		}
		for _, scope := range []string{"Token", "Basic", "bearerx"} {
			answer := s.Do(testkit.Request{Method: http.MethodPost, Path: "/v1", Header: map[string]string{"Authorization": scope + " " + testkit.AdminToken}, Body: map[string]any{"query": "{ __typename }"}})
			answer.WantMessage(t, 401, unauthenticated)
		}
	})
}
