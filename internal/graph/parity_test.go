package graph_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"penstock/internal/backup"
	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/testkit"
)

// TestMutationsDoWhatRESTDoes makes every change of parityTables on two servers with equal data, through REST on one and through
// GraphQL on the other. Both must say the same, be left with the same, and have the same audit events.
func TestMutationsDoWhatRESTDoes(t *testing.T) {
	t.Parallel()
	for subject, changes := range parityTables {
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			for _, engine := range []string{"sqlite", "postgres"} {
				t.Run(engine, func(t *testing.T) {
					t.Parallel()
					p := newPair(t, engine)
					for _, c := range changes(p) {
						t.Run(c.mutation, func(t *testing.T) { p.run(t, c) })
					}
				})
			}
		})
	}
}

// withoutREST are the mutations that REST has nothing for, or has in another shape, and the tests that they have instead.
var withoutREST = map[string]string{
	"organizationInvitationCreate":     "TestInvitationMutations",
	"organizationInvitationResend":     "TestInvitationMutations",
	"organizationInvitationRevoke":     "TestInvitationMutations",
	"pipelineFavorite":                 "TestFavoritesAreTheCallersAlone",
	"organizationApiAccessTokenRevoke": "TestAnOrganizationIsTakenFromAToken",
	"jobTypeCommandCancel":             "TestJobMutations",
	"ruleCreate":                       "TestRuleMutations", // whose value is a text here
	"ruleUpdate":                       "TestRuleMutations",
	"ruleDelete":                       "TestRuleMutations",
	"pipelineScheduleCreate":           "TestPipelineScheduleMutations", // whose environment is lines here
	"pipelineScheduleUpdate":           "TestPipelineScheduleMutations",
	"pipelineCreateWebhook":            "TestPipelineWebhookMutations",
	"pipelineDeleteWebhook":            "TestPipelineWebhookMutations",
	"pipelineRotateWebhookURL":         "TestPipelineWebhookMutations",
	"pipelineScheduleDelete":           "TestPipelineScheduleMutations",
	"pipelineTemplateCreate":           "TestPipelineTemplateMutations",
	"pipelineTemplateUpdate":           "TestPipelineTemplateMutations",
	"pipelineTemplateDelete":           "TestPipelineTemplateMutations",
	"agentTokenCreate":                 "TestUnclusteredTokens",
	"agentTokenRevoke":                 "TestUnclusteredTokens",
	"organizationBannerUpsert":         "TestOrganizationBanners",
	"organizationBannerDelete":         "TestOrganizationBanners",
	"artifactDelete":                   "TestArtifactsOverGraphQL", // whose path in REST names the job
}

// membersWithoutREST are optional members of inputs that REST has nothing for, and the tests that they have instead.
var membersWithoutREST = map[string]string{
	"PipelineCreateInput.nextBuildNumber":       "TestTheNextBuildNumberOnlyRises",
	"PipelineUpdateInput.nextBuildNumber":       "TestTheNextBuildNumberOnlyRises",
	"PipelineUpdateInput.archived":              "TestPipelineUpdateArchives",
	"TeamCreateInput.membersCanDeletePipelines": "TestMembersCanDeletePipelines",
	"TeamUpdateInput.membersCanDeletePipelines": "TestMembersCanDeletePipelines",
	"TeamPipelineDeleteInput.force":             "TestForceChangesNothing",
}

// TestEveryMutationIsCompared fails for a mutation that parityTables has no changes for, and for an optional member of its input that
// they have no value for.
func TestEveryMutationIsCompared(t *testing.T) {
	t.Parallel()
	p := newPair(t, "sqlite")
	compared := map[string]parityChange{}
	for _, changes := range parityTables {
		for _, c := range changes(p) {
			compared[c.mutation] = c
		}
	}
	schema := loadedSchema()
	for _, mutation := range schema.Mutation.Fields {
		if strings.HasPrefix(mutation.Name, "__") {
			continue
		}
		c, found := compared[mutation.Name]
		if found == (withoutREST[mutation.Name] != "") {
			t.Errorf("%s is compared: %t", mutation.Name, found)
		}
		delete(compared, mutation.Name)
		if !found {
			continue
		}
		input := schema.Types[mutation.Arguments.ForName("input").Type.Name()]
		for _, member := range input.Fields {
			switch {
			case member.Name == "clientMutationId" || membersWithoutREST[input.Name+"."+member.Name] != "":
			case member.Type.NonNull:
				if _, given := c.base[member.Name]; !given {
					t.Errorf("%s has no %s", mutation.Name, member.Name)
				}
			default:
				if value, null := c.tries(member.Name); !value || !null || c.body[member.Name] == nil {
					t.Errorf("%s is not compared with a value and null for %s", mutation.Name, member.Name)
				}
			}
		}
	}
	for name := range compared {
		t.Errorf("there is no mutation %s", name)
	}
}

// fields are members of an input or a body.
type fields = map[string]any

// parityChange is a mutation, the request that does the same, and what is tried with both.
type parityChange struct {
	mutation string
	request  string                       // its method, and its path below the organization; {member} is the UUID in that member of the input
	base     fields                       // the least input
	body     map[string]func(fields, any) // put members of the input into the body
	values   fields                       // values for optional members: each is tried, and null too
	state    []string                     // paths below the organization that show the change
	prepare  func(*testing.T, *testkit.Server)
	cases    []parityCase
}

// parityCase is one thing to try.
type parityCase struct {
	by       string // the token; the administrator's if empty
	set      fields // besides the change's base; removed takes a member away
	path     string // instead of the change's
	before   func(*testing.T, *testkit.Server)
	refusal  string // what both say; "": it is done
	unseen   string // what GraphQL says instead: REST says more, to those who see what is around it
	anything bool   // any refusal is right, if both say the same
}

type removed struct{}

// onServer is a value of an input that each server has another one for, such as the id of a build.
type onServer func(*testing.T, *testkit.Server) string

// inputOn returns an input for one of the servers.
func inputOn(t *testing.T, s *testkit.Server, input fields) fields {
	own := maps.Clone(input)
	for member, value := range input {
		if find, differs := value.(onServer); differs {
			own[member] = find(t, s)
		}
	}
	return own
}

// tries reports whether the change is made with a value for a member of the input, and with null.
func (c parityChange) tries(member string) (value, null bool) {
	value = c.values[member] != nil
	null = value
	for _, try := range c.cases {
		if given, ok := try.set[member]; ok {
			value, null = value || given != nil, null || given == nil
		}
	}
	return value, null
}

// Ways to put a member of an input into a body.

func asMember(name string) func(fields, any) { return func(body fields, v any) { body[name] = v } }

func asLowerCase(name string) func(fields, any) {
	return func(body fields, v any) {
		if text, ok := v.(string); ok {
			v = strings.ToLower(text)
		}
		body[name] = v
	}
}

func asUUID(name string) func(fields, any) {
	return func(body fields, v any) {
		if id, ok := v.(string); ok {
			v = uuidOf(id)
		}
		body[name] = v
	}
}

// asInner puts the one member of an object.
func asInner(name, member string) func(fields, any) {
	return func(body fields, v any) {
		if object, ok := v.(fields); ok {
			v = object[member]
		}
		body[name] = v
	}
}

// asEach puts the one member of each object of a list.
func asEach(name, member string, convert func(string) string) func(fields, any) {
	return func(body fields, v any) {
		if list, ok := v.([]fields); ok {
			texts := []string{}
			for _, object := range list {
				texts = append(texts, convert(object[member].(string)))
			}
			v = texts
		}
		body[name] = v
	}
}

func asJSON(name string) func(fields, any) {
	return func(body fields, v any) {
		if text, ok := v.(string); ok {
			v = jsontext.Value(text)
		}
		body[name] = v
	}
}

// asChangedJSON is asJSON for a member that null leaves as it is, and the text null clears.
func asChangedJSON(name string) func(fields, any) {
	return func(body fields, v any) {
		if v != nil {
			asJSON(name)(body, v)
		}
	}
}

func sameText(text string) string { return text }

// uuidOf returns the UUID in a global id; what is none has none.
func uuidOf(id string) string {
	if _, uuid, ok := domain.ParseGraphQLID(id); ok {
		return uuid
	}
	return "none"
}

// pair is two servers with equal data.
type pair struct {
	rest, graph *testkit.Server
	seen        map[*testkit.Server]map[string]string // the UUIDs of each, with names that are the same on both

	organization, elsewhere                                 string // global ids
	agentToken, membership, ownMembership, elsewhereMember  string
	teamMember, teamPipeline, hiddenMember, defaultRegistry string
	maintainer                                              string // a UUID
}

// What parityFixture has besides testkit.Fixture.
const (
	spareClusterID    = "0190c000-0000-7000-8000-000000000001" // with a hosted queue, and no pipelines
	hostedQueueID     = "0190c000-0000-7000-8000-000000000002"
	linuxQueueID      = "0190c000-0000-7000-8000-000000000003"
	webID             = "0190c000-0000-7000-8000-000000000011" // in the cluster Maintained; the team platform manages it
	oldID             = "0190c000-0000-7000-8000-000000000012" // archived
	looseID           = "0190c000-0000-7000-8000-000000000013" // in no cluster
	spareTeamID       = "0190c000-0000-7000-8000-000000000021" // the member maintains it
	hiddenTeamID      = "0190c000-0000-7000-8000-000000000022" // secret
	foreignTeamID     = "0190c000-0000-7000-8000-000000000031"
	foreignPipelineID = "0190c000-0000-7000-8000-000000000032"
	foreignQueueID    = "0190c000-0000-7000-8000-000000000033"
	noSuchID          = "0190c000-0000-7000-8000-0000000000ff"
)

const parityFixture = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    teams:
      - {id: ` + spareTeamID + `, name: Spare, slug: spare, members: [{user: member@example.com, role: maintainer}]}
      - {id: ` + hiddenTeamID + `, name: Hidden, slug: hidden, members: [{user: teammate@example.com, role: member}]}
    clusters:
      - {id: ` + spareClusterID + `, name: Spare, queues: [{id: ` + hostedQueueID + `, key: hosted, hosted_agents: {instance_shape: MACOS_ARM64_M4_6X28}}, {id: ` + linuxQueueID + `, key: linux, hosted_agents: {instance_shape: LINUX_AMD64_2X4}}]}
    pipelines:
      - {id: ` + webID + `, name: Web, repository: "git@example.com:acme/web.git", cluster: Maintained}
      - {id: ` + oldID + `, name: Old, repository: r}
      - {id: ` + looseID + `, name: Loose, repository: r}
  - slug: elsewhere
    name: Elsewhere
    teams: [{id: ` + foreignTeamID + `, name: Theirs, slug: theirs, members: [{user: outsider@example.com, role: maintainer}]}]
    clusters: [{name: More, queues: [{id: ` + foreignQueueID + `, key: default}]}]
    pipelines: [{id: ` + foreignPipelineID + `, name: Theirs, repository: r}]
`

func newPair(t *testing.T, engine string) *pair {
	t.Helper()
	first, second := testkit.OpenDB(t, engine), testkit.OpenDB(t, engine)
	p := &pair{rest: testkit.NewServer(t, first, testkit.ServerOptions{Bootstrap: parityFixture}), seen: map[*testkit.Server]map[string]string{}}
	p.agentToken, p.teamPipeline = parityFill(t, p.rest)
	p.organization = p.rest.Get(testkit.AdminToken, acme).Text("graphql_id")
	p.elsewhere = p.rest.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere").Text("graphql_id")
	p.membership = p.rest.Get(testkit.AdminToken, acme+"/members/"+testkit.MemberID).Text("membership_graphql_id")
	p.ownMembership = p.rest.Get(testkit.AdminToken, acme+"/members/"+testkit.AdminID).Text("membership_graphql_id")
	p.elsewhereMember = p.rest.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/members/"+testkit.OutsiderID).Text("membership_graphql_id")
	p.teamMember = p.rest.Get(testkit.AdminToken, acme+"/teams/"+testkit.TeamID+"/members/"+testkit.TeammateID).Text("graphql_id")
	p.hiddenMember = p.rest.Get(testkit.AdminToken, acme+"/teams/"+hiddenTeamID+"/members/"+testkit.TeammateID).Text("graphql_id")

	p.defaultRegistry = domain.GraphQLID("CacheRegistry", p.rest.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Text("default_cache_registry_uuid"))

	for _, m := range p.rest.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "maintainers")).List() {
		if m["actor"].(fields)["type"] == "user" {
			p.maintainer = m["id"].(string)
		}
	}

	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), first, &file); err != nil {
		t.Fatal(err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file.Bytes())), nil }
	if _, err := backup.Restore(t.Context(), second, open, true); err != nil {
		t.Fatal(err)
	}
	p.graph = testkit.NewServer(t, second, testkit.ServerOptions{}) // whose fixture is there already
	p.compare(t, "everything", allPaths)
	return p
}

const acme = "/v2/organizations/" + testkit.Organization

// parityFill makes what a bootstrap file cannot, and returns the global ids of a token and of a team's access.
func parityFill(t *testing.T, s *testkit.Server) (agentToken, teamPipeline string) {
	t.Helper()
	s.Post(testkit.AdminToken, acme+"/pipelines/old/archive", nil).Want(t, 200)
	s.Patch(testkit.AdminToken, acme+"/teams/"+hiddenTeamID, fields{"privacy": "secret"}).Want(t, 200)
	agents := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), fields{"description": "Agents"}).Want(t, 201)
	access := s.Post(testkit.AdminToken, acme+"/teams/"+testkit.TeamID+"/pipelines", fields{"pipeline_id": webID, "access_level": "manage_build_and_read"}).Want(t, 201)
	return agents.Text("graphql_id"), access.Text("graphql_id")
}

// run tries each of the values, and null instead of it, and then the cases.
func (p *pair) run(t *testing.T, c parityChange) {
	if c.prepare != nil {
		c.prepare(t, p.rest)
		c.prepare(t, p.graph)
	}
	var tries []parityCase
	for _, member := range slices.Sorted(maps.Keys(c.values)) {
		tries = append(tries, parityCase{set: fields{member: c.values[member]}}, parityCase{set: fields{member: nil}, anything: true})
	}
	for _, try := range append(tries, c.cases...) {
		p.try(t, c, try)
	}
	p.compare(t, c.mutation+" everywhere", allPaths)
}

// try makes one change on both servers and compares what comes of it.
func (p *pair) try(t *testing.T, c parityChange, try parityCase) {
	t.Helper()
	if try.before != nil {
		try.before(t, p.rest)
		try.before(t, p.graph)
	}
	if try.by == "" {
		try.by = testkit.AdminToken
	}
	input := maps.Clone(c.base)
	for member, value := range try.set {
		if input[member] = value; value == (removed{}) {
			delete(input, member)
		}
	}
	restInput, input := inputOn(t, p.rest, input), inputOn(t, p.graph, input)
	what := fmt.Sprintf("%s %v by %s", c.mutation, input, try.by)

	answer := p.rest.Do(p.request(c, try, restInput))
	document := `mutation($input: ` + inputType(c.mutation) + `) { ` + c.mutation + `(input: $input) { clientMutationId } }`
	result := p.graph.GraphQL(try.by, document, fields{"input": input})
	refusal, graphRefusal := "", result.Message()
	if answer.Status >= 400 {
		refusal = answer.Message()
	}
	if !try.anything && refusal != try.refusal {
		t.Errorf("%s: REST says %q, want %q", what, refusal, try.refusal)
	}
	if try.unseen != "" {
		refusal = try.unseen
	}
	if graphRefusal != refusal || result.Status != http.StatusOK {
		t.Errorf("%s: GraphQL says %q, want %q: %s", what, graphRefusal, refusal, result)
	}
	p.compare(t, what, func(*testkit.Server) []string {
		paths := []string{acme + "/audit_events?per_page=3"}
		for _, path := range c.state {
			paths = append(paths, acme+path)
		}
		return paths
	})
}

// request returns what is asked of REST.
func (p *pair) request(c parityChange, try parityCase, input fields) testkit.Request {
	method, path, _ := strings.Cut(c.request, " ")
	if try.path != "" {
		path = try.path
	}
	organization := testkit.Organization
	for _, name := range []string{"organizationId", "organizationID"} {
		switch id, given := input[name]; {
		case given && id == p.elsewhere:
			organization = testkit.ElsewhereSlug
		case given && id != p.organization:
			organization = "missing"
		}
	}
	body := fields{}
	for member, value := range input {
		if put := c.body[member]; put != nil {
			put(body, value)
		}
		if id, ok := value.(string); ok {
			path = strings.ReplaceAll(path, "{"+member+"}", uuidOf(id))
		}
	}
	request := testkit.Request{Method: method, Path: "/v2/organizations/" + organization + path, Token: try.by, Body: body}
	if c.body == nil {
		request.Body = nil
	}
	return request
}

var loadedSchema = sync.OnceValue(func() *ast.Schema { return gqlparser.MustLoadSchema(&ast.Source{Input: graph.Schema()}) })

func inputType(mutation string) string {
	return loadedSchema().Mutation.Fields.ForName(mutation).Arguments.ForName("input").Type.String()
}

// allPaths returns the paths of all that an organization has.
func allPaths(s *testkit.Server) []string {
	paths := []string{acme, acme + "/clusters?per_page=100", acme + "/pipelines?per_page=100", acme + "/teams?per_page=100", acme + "/members", "/v2/organizations/elsewhere"}
	for _, cluster := range s.Get(testkit.AdminToken, acme+"/clusters?per_page=100").List() {
		path := testkit.ClusterPath(cluster["id"].(string))
		paths = append(paths, path, path+"/queues?per_page=100", path+"/tokens?per_page=100", path+"/maintainers", path+"/cache-registries?per_page=100")
	}
	for _, team := range s.Get(testkit.AdminToken, acme+"/teams?per_page=100").List() {
		path := acme + "/teams/" + team["id"].(string)
		paths = append(paths, path+"/members", path+"/pipelines")
	}
	return append(paths, acme+"/audit_events?per_page=100")
}

// compare reads the paths on both servers, which must have the same.
func (p *pair) compare(t *testing.T, what string, paths func(*testkit.Server) []string) {
	t.Helper()
	have, want := p.read(p.graph, paths), p.read(p.rest, paths)
	if len(have) != len(want) {
		t.Fatalf("%s: GraphQL leaves %d lists, REST %d", what, len(have), len(want))
	}
	for i, one := range want {
		if have[i] != one {
			same := 0
			for same < min(len(one), len(have[i])) && one[same] == have[i][same] {
				same++
			}
			t.Fatalf("%s: after %s\nGraphQL leaves %.200s\nREST leaves    %.200s", what, one[max(0, same-200):same], have[i][same:], one[same:])
		}
	}
}

var (
	uuidPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	linkPattern = regexp.MustCompile(`(URL/(badges|deliver)/)\w+`) // to a pipeline, with a token of its own
	timePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT[\d:.]+Z$`)
)

// read returns what a server has at the paths, without what differs between equal servers.
func (p *pair) read(s *testkit.Server, paths func(*testkit.Server) []string) (texts []string) {
	if p.seen[s] == nil {
		p.seen[s] = map[string]string{}
	}
	name := func(uuid string) string {
		if p.seen[s][uuid] == "" {
			p.seen[s][uuid] = fmt.Sprintf("uuid-%d", len(p.seen[s]))
		}
		return p.seen[s][uuid]
	}
	var neutral func(any) any
	ofDatabase := false // the times of builds and agents are
	neutral = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = neutral(v[i])
			}
		case fields:
			for _, member := range slices.Sorted(maps.Keys(v)) { // so that ids are named in the same order
				v[member] = neutral(v[member])
			}
			if s == p.graph && v["surface"] == "graphql" {
				v["surface"] = "rest"
			}
			delete(v, "links") // whose cursors name ids
		case string:
			if plain, err := base64.StdEncoding.DecodeString(v); err == nil && bytes.Contains(plain, []byte("---")) {
				v = string(plain)
			}
			if ofDatabase && timePattern.MatchString(v) {
				return "TIME"
			}
			return uuidPattern.ReplaceAllStringFunc(linkPattern.ReplaceAllString(strings.ReplaceAll(v, s.URL, "URL"), "$1"), name)
		}
		return v
	}
	for _, path := range paths(s) {
		token := testkit.AdminToken
		if strings.HasPrefix(path, "/v2/organizations/elsewhere") {
			token = testkit.OutsiderToken
		}
		ofDatabase = strings.Contains(path, "/builds") || strings.Contains(path, "/agents")
		answer := s.Get(token, path)
		var body any
		if err := json.Unmarshal(answer.Body, &body); err != nil {
			body = err.Error()
		}
		text, err := json.Marshal(neutral(body), json.Deterministic(true))
		if err != nil {
			text = []byte(err.Error())
		}
		texts = append(texts, fmt.Sprintf("%s %d %s", uuidPattern.ReplaceAllStringFunc(path, name), answer.Status, text))
	}
	return texts
}
