package graph_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// internalWords matches what no caller may read: SQL, the engines' words, Go's types and traces.
var internalWords = regexp.MustCompile(`(?i)select .* from|sqlite|postgres|pgx|sqlstate|constraint|syntax error at|goroutine|panic|runtime error|\.go:|\*domain|service\.|map\[|interface \{|penstock/internal|nil pointer|context deadline`)

func repeatJoined(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostileRequest costs, or tries to cost, much more than it looks like.
type hostileRequest struct {
	query     string
	variables any
	message   string // "" if it is answered
}

func hostileRequests() map[string]hostileRequest {
	levels := func(n int) string {
		return `{ organization(slug: "acme-inc") { ` + strings.Repeat(`clusters(first: 1) { nodes { organization { `, n) + `id` + strings.Repeat(` } } }`, n) + ` } }`
	}
	var chain strings.Builder
	for i := range 40 {
		fmt.Fprintf(&chain, "fragment F%d on Organization { ...F%d ...F%d } ", i, i+1, i+1)
	}
	nested := any("x")
	for range 2000 {
		nested = []any{nested}
	}
	long := make([]string, 25_000)
	for i := range long {
		long[i] = nobodyID
	}
	list := `query ($x: [ID!]) { organization(slug: "acme-inc") { auditEvents(subject: $x) { count } } }`
	return map[string]hostileRequest{
		"as deep as may be":       {levels(4), nil, ""},
		"too deep":                {levels(5), nil, "Query has depth of 17, which exceeds max depth of 15"},
		"very deep":               {levels(2000), nil, "Syntax Error: exceeded maximum nesting depth"},
		"deep braces":             {strings.Repeat("{", 50_000), nil, "Syntax"},
		"deep lists":              {`{ organization(slug: ` + strings.Repeat("[", 50_000) + `) { id } }`, nil, "Syntax"},
		"braces":                  {strings.Repeat("{", 100_000), nil, "The document has more than 60000 tokens, which is the limit"},
		"aliases":                 {`{ organization(slug: "acme-inc") { ` + repeatJoined("a%d: name ", 9000) + ` } }`, nil, ""},
		"too many aliases":        {`{ organization(slug: "acme-inc") { ` + repeatJoined("a%d: name ", 15_000) + ` } }`, nil, "Query has more than 10000 fields, which is the limit"},
		"one field, many times":   {`{ organization(slug: "acme-inc") { ` + strings.Repeat("name ", 15_000) + ` } }`, nil, "Query has more than 10000 fields, which is the limit"},
		"a long document":         {`{ __typename ` + strings.Repeat(" ", 256<<10) + `}`, nil, "The document has 262158 bytes, which exceeds the limit of 262144."},
		"a long comment":          {`{ __typename } #` + strings.Repeat("x", 250<<10), nil, ""},
		"a fragment bomb":         {`{ organization(slug: "acme-inc") { ...F0 } } ` + chain.String() + `fragment F40 on Organization { name }`, nil, "Query has more than 10000 fields, which is the limit"},
		"a cycle":                 {`{ organization(slug: "acme-inc") { ...A } } fragment A on Organization { ...B } fragment B on Organization { ...A }`, nil, `Cannot spread fragment "A" within itself.`},
		"many variables":          {`query (` + repeatJoined("$v%d: Int ", 300) + `) { __typename }`, nil, "The operation has 300 variables, which exceeds the limit of 200."},
		"wide pages":              {`{ organization(slug: "acme-inc") { clusters { nodes { queues { nodes { cluster { queues { nodes { id } } } } } } } } }`, nil, "Query has complexity of 125751002, which exceeds max complexity of 50000"},
		"overflowing pages":       {`{ organization(slug: "acme-inc") { clusters(first: 2147483647) { nodes { queues(first: 2147483647) { nodes { cluster { queues(first: 2147483647) { nodes { id } } } } } } } } }`, nil, "Query has complexity of 9007199254740992, which exceeds max complexity of 50000"},
		"look-ups":                {`{ ` + repeatJoined(`a%d: organization(slug: "nothing") { id } `, 3000) + ` }`, nil, "Query needs more than 200 reads of the database"},
		"nodes":                   {`{ ` + repeatJoined(`a%d: node(id: "`+domain.GraphQLID("Team", nobodyID)+`") { id } `, 500) + ` }`, nil, "Query needs more than 200 reads of the database"},
		"counts":                  {`{ organization(slug: "acme-inc") { ` + repeatJoined(`a%d: teams { count } `, 2000) + ` } }`, nil, "Query needs more than 200 reads of the database"},
		"users":                   {`{ organization(slug: "acme-inc") { ` + repeatJoined(`a%d: activeUsersCount `, 4000) + ` } }`, nil, "Query needs more than 200 reads of the database"},
		"searches":                {`{ organization(slug: "acme-inc") { ` + repeatJoined(`a%[1]d: pipelines(first: 1, search: "zq%[1]d") { count } `, 3300) + ` } }`, nil, "Query needs more than 200 reads of the database"},
		"as many searches as may": {`{ organization(slug: "acme-inc") { ` + repeatJoined(`a%[1]d: pipelines(first: 1, search: "zq%[1]d") { count } `, 39) + ` } }`, nil, ""},
		"as many look-ups as may": {`{ ` + repeatJoined(`a%d: organization(slug: "nothing") { id } `, 199) + ` }`, nil, ""},
		"mutations":               {`mutation { ` + repeatJoined(`a%d: pipelineFavorite(input: {id: "x", favorite: true}) { clientMutationId } `, 51) + ` }`, nil, "The mutation has 51 fields, which exceeds the limit of 50"},
		"errors":                  {`{ organization(slug: "acme-inc") { clusters(first: 60) { nodes { organization { clusters(first: 60) { nodes { ` + strings.Repeat(`queues(after: "x") { count } `, 4900) + ` } } } } } } }`, nil, "The cursor is not valid"},
		"introspected texts":      {`{ __schema { types { ` + repeatJoined("a%d: description ", 5000) + ` } } }`, nil, "The answer is too large"},
		"unknown fields":          {`{ ` + repeatJoined("pipelin%d ", 9000) + ` }`, nil, "Cannot query field"},
		"many operations":         {repeatJoined("query Q%d { __typename } ", 5000), nil, "Must provide operation name if query contains multiple operations."},
		"introspection":           {`{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`, nil, "Maximum introspection depth exceeded"},
		"a long list":             {list, map[string]any{"x": long}, "`subject` must have at most 500 items"},
		"a long list of tags":     {`query ($x: [String!]) { organization(slug: "acme-inc") { pipelines(tags: $x) { count } } }`, map[string]any{"x": long}, "`tags` must have at most 500 items"},
		"as many tags as may be":  {`query ($x: [String!]) { organization(slug: "acme-inc") { pipelines(tags: $x) { count } } }`, map[string]any{"x": long[:500]}, ""},
		"as many items as may be": {list, map[string]any{"x": long[:500]}, ""},
		"nested variables":        {list, map[string]any{"x": nested}, "Variable"},
		"a long variable":         {`query ($x: String) { organization(slug: "acme-inc") { pipelines(search: $x) { count } } }`, map[string]any{"x": strings.Repeat("%_", 400_000)}, ""},
		"a long word":             {`{ organization(slug: "acme-inc") { ` + strings.Repeat("x", 200_000) + ` } }`, nil, "Cannot query field"},
	}
}

// TestHostileRequests sends each hostile request alone and then all at once, while somebody else goes on working.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		fillOrganization(t, s)
		requests := hostileRequests()
		for name, r := range requests {
			start := time.Now()
			answer := s.GraphQL(testkit.AdminToken, r.query, r.variables)
			// A hundred times what it takes, so that a busy machine does not fail it, and what grows out of proportion does.
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%s took %s", name, took)
			}
			message := answer.Message()
			if len(message) > 200 {
				message = message[:200]
			}
			if answer.Status != 200 || (r.message == "") != (answer.Object()["errors"] == nil) || !strings.HasPrefix(message, r.message) {
				t.Errorf("%s is answered with %d and %q", name, answer.Status, message)
			}
			if found := internalWords.FindString(answer.Message()); found != "" {
				t.Errorf("%s shows %q", name, found)
			}
		}
		var group sync.WaitGroup
		for _, r := range requests {
			group.Go(func() { s.GraphQL(testkit.AdminToken, r.query, r.variables) })
		}
		for range 20 {
			wantData(t, s.GraphQL(testkit.MemberToken, `{ viewer { user { name } } }`, nil))
			s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/clusters").Want(t, 200)
		}
		group.Wait()
	})
}

// TestReadingEndsAtItsLimit asks for the same large texts many times: what is over the limit is not read.
func TestReadingEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		type object = map[string]any
		var clusters []object
		for i := range 100 {
			clusters = append(clusters, object{"name": fmt.Sprintf("C%d", i), "description": strings.Repeat("x", 200)})
		}
		bootstrapObject(t, s, object{"organizations": []object{{"slug": "acme-inc", "name": "Acme Inc", "clusters": clusters}}})
		large := strings.Repeat("0123456789", 10_000)
		testkit.Exec(t, s.DB, `UPDATE clusters SET description = '`+large+`'`)                         // 10 MB in all
		wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { name } }`, nil)) // the day's first use is recorded
		for query, message := range map[string]string{
			`clusters(first: 60) { nodes { name } }`:                                         "",
			`clusters(first: 100) { nodes { description } }`:                                 "The answer is too large",
			repeatJoined(`a%d: clusters(first: 100) { nodes { name } } `, 60):                "Query reads more than 32 MiB, which is the limit. Ask for less at once",
			repeatJoined(`a%d: clusters(first: 100) { nodes { description } } `, 60):         "Query reads more than 32 MiB, which is the limit. Ask for less at once",
			repeatJoined(`a%d: clusters(first: 500) { edges { node { description } } } `, 4): "Query reads more than 32 MiB, which is the limit. Ask for less at once",
		} {
			before := s.DB.Statements()
			answer := s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { `+query+` } }`, nil)
			if answer.Status != 200 || answer.Message() != message || message != "" && !strings.HasPrefix(string(answer.Body), `{"data":null,`) {
				t.Errorf("%.60s: %.300s", query, answer)
			}
			most := map[string]int64{"sqlite": 8, "postgres": 11}[s.DB.Engine()] // which is asked for eight connections at once
			if n := s.DB.Statements() - before; n > most {
				t.Errorf("%.60s: %d statements", query, n)
			}
		}
		// A change is done and told even if what it selects is too much to read.
		id := domain.GraphQLID("Cluster", testkit.MaintainedID)
		answer := s.GraphQL(testkit.AdminToken, `mutation { clusterUpdate(input: {organizationId: "`+globalID(t, s, testkit.Organization)+`", id: "`+id+`", name: "Changed"}) {
			clientMutationId cluster { name organization { `+repeatJoined(`a%d: clusters(first: 100) { nodes { name } } `, 60)+` } } } }`, nil)
		if answer.Object()["data"] == nil || !strings.HasPrefix(answer.Message(), "Query reads more than 32 MiB") {
			t.Fatalf("%.300s", answer)
		}
		if name := dig(t, answer.Object(), "data", "clusterUpdate", "cluster", "name"); name != "Changed" {
			t.Errorf("the name is %s", name)
		}
	})
}

// TestStrangeTexts sends every argument that is a text, anywhere in a query, what no name is like.
func TestStrangeTexts(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildCrowd(t, s)
		texts := []string{"\x00", "a\x00b", "%", "_", `\`, `'`, `"`, `' OR '1' = '1`, `"; DROP TABLE users; --`, "$1", "\u202e", "💥", "\ufeff", "\uffff", strings.Repeat("a", 100_000),
			"/", "//", "acme-inc/", "/platform", "acme-inc/platform/x", "acme-inc/\x00", "\x00/platform", "\x00@example.com", "VGVhbS0tLQ==", domain.GraphQLID("Team", "\x00"), "-1", "NaN", "{}", "\n"}
		wholes := map[string]string{} // documents with the variable $x, and the types of that
		for _, d := range parsedSchema(t) {
			if d.Name == "Query" {
				for _, f := range d.Fields {
					for _, a := range f.Arguments {
						wholes[fmt.Sprintf(`%s(%s: $x) { __typename }`, f.Name, a.Name)] = a.Type.String()
					}
				}
			}
		}
		tried := map[string]bool{}
		for _, l := range lists(t, s) {
			_, field, _ := strings.Cut(l.field, ".")
			for _, a := range connectionFields(t)[l.field].Arguments {
				switch a.Type.Name() {
				case "String", "ID", "TeamSelector", "UserSelector", "PipelineSelector":
					if a.Name != "after" && a.Name != "before" {
						wholes[fmt.Sprintf(l.within, fmt.Sprintf(`%s(%s: $x, first: 1) { count nodes { __typename } }`, field, a.Name))] = a.Type.String()
					}
				case "PipelineRepositoryInput":
					wholes[fmt.Sprintf(l.within, fmt.Sprintf(`%s(%s: {url: $x}, first: 1) { count nodes { __typename } }`, field, a.Name))] = "String!"
				}
			}
		}
		wholes[`organization(slug: "acme-inc") { cluster(id: $x) { id } }`] = "ID!"
		for document, typeName := range wholes {
			tried[typeName] = true
			document = `query ($x: ` + typeName + `) { ` + document + ` }`
			for _, text := range texts {
				answer := s.GraphQL(travellerToken, document, map[string]any{"x": text})
				if answer.Status != 200 || answer.Object()["errors"] != nil {
					t.Errorf("%q in %s: %s", text[:min(len(text), 50)], document, answer)
				}
			}
		}
		if len(wholes) < 20 || len(tried) < 6 {
			t.Errorf("only %d arguments were tried, of %d types", len(wholes), len(tried))
		}
		for _, at := range []string{"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "1969-07-20T20:17:40+14:00", "2026-05-03T04:17:55.867Z", "2026-05-03", "2026-05-03T04:17:55"} {
			wantData(t, s.GraphQL(testkit.AdminToken, `query ($x: DateTime) { organization(slug: "acme-inc") { pipelines(createdAtFrom: $x) { count } members(inactiveSince: $x) { count } auditEvents(occurredAtTo: $x) { count } } }`, map[string]any{"x": at}))
		}
		for _, at := range []any{"", "yesterday", "2026-05", "2026-13-03T00:00:00Z", "10000-01-01T00:00:00Z", 1, true, "\x00"} {
			answer := s.GraphQL(testkit.AdminToken, `query ($x: DateTime) { organization(slug: "acme-inc") { pipelines(createdAtFrom: $x) { count } } }`, map[string]any{"x": at})
			if answer.Status != 200 || !strings.Contains(answer.Message(), "DateTime must be an ISO 8601 time") {
				t.Errorf("%v: %s", at, answer)
			}
		}
	})
}
