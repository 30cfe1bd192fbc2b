package graph_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// wantError checks that an answer has one error, with that path, and nothing of the list.
func wantError(t *testing.T, a *testkit.Answer, message string, path ...string) {
	t.Helper()
	failures, _ := a.Object()["errors"].([]any)
	if a.Status != 200 || len(failures) != 1 || a.Message() != message {
		t.Errorf("want the error %q: %s\nfor %v", message, a, a.Request.Body)
		return
	}
	var at []string
	steps, _ := failures[0].(item)["path"].([]any)
	for _, step := range steps {
		at = append(at, fmt.Sprint(step))
	}
	if !slices.Equal(at, path) {
		t.Errorf("want the error at %v: %s", path, a)
	}
}

const badCursor = "The cursor is not valid. Follow the links of a list to get one"

// TestPages asks every connection of the schema for parts by all of the arguments together, and for parts that there are not.
func TestPages(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildCrowd(t, s)
		all := lists(t, s)
		cursors := map[string]string{}
		for _, l := range all {
			whole := l.ask(t, s, "", nil)
			cursors[l.field] = whole.cursors[0]
			l.node = "" // the rest needs no more
			if len(whole.items) > 8 {
				l.wantParts(t, s, whole)
			}
			l.wantNumbers(t, s, whole)
		}
		for _, l := range all {
			l.node = ""
			l.wantOwnCursors(t, s, cursors)
		}
	})
}

func (l *list) wantParts(t *testing.T, s *testkit.Server, whole page) {
	t.Helper()
	n := len(whole.items)
	for _, c := range []struct {
		variables map[string]any
		from, to  int
	}{
		{map[string]any{"first": 7, "last": 3}, 4, 7},
		{map[string]any{"first": 3, "last": 7}, 0, 3},
		{map[string]any{"first": n, "last": n}, 0, n},
		{map[string]any{"after": whole.cursors[1], "before": whole.cursors[5]}, 2, 5},
		{map[string]any{"after": whole.cursors[1], "before": whole.cursors[5], "first": 2}, 2, 4},
		{map[string]any{"after": whole.cursors[1], "before": whole.cursors[5], "last": 2}, 3, 5},
		{map[string]any{"after": whole.cursors[1], "before": whole.cursors[5], "first": 2, "last": 1}, 3, 4},
		{map[string]any{"after": whole.cursors[1], "before": whole.cursors[5], "first": 3, "last": 3}, 2, 5},
		{map[string]any{"after": whole.cursors[3], "last": 2}, n - 2, n},
		{map[string]any{"before": whole.cursors[4], "first": 2}, 0, 2},
		{map[string]any{"after": "", "before": "", "first": 2}, 0, 2},
		{map[string]any{"after": nil, "before": nil, "first": nil, "last": nil}, 0, n},
	} {
		p := l.ask(t, s, "", c.variables)
		if !slices.Equal(uuidsOf(p.items), uuidsOf(whole.items[c.from:c.to])) || p.count != n || p.hasPrevious != (c.from > 0) || p.hasNext != (c.to < n) {
			t.Errorf("%s: %v is %v (of %d, previous %v, next %v), want %v", l.field, c.variables, uuidsOf(p.items), p.count, p.hasPrevious, p.hasNext, uuidsOf(whole.items[c.from:c.to]))
		}
	}
	for _, crossed := range [][2]int{{5, 1}, {3, 3}} {
		p := l.ask(t, s, "", map[string]any{"after": whole.cursors[crossed[0]], "before": whole.cursors[crossed[1]]})
		if len(p.items) != 0 || !p.hasNext || !p.hasPrevious || p.count != n {
			t.Errorf("%s: between %v is %v", l.field, crossed, p)
		}
	}
}

func (l *list) wantNumbers(t *testing.T, s *testkit.Server, whole page) {
	t.Helper()
	n := len(whole.items)
	for _, c := range []struct {
		variables         map[string]any
		items             int
		previous, further bool
	}{
		{map[string]any{"first": 0}, 0, false, true},
		{map[string]any{"last": 0}, 0, true, false},
		{map[string]any{"first": 0, "after": whole.cursors[n-1]}, 0, true, false},
		{map[string]any{"last": 0, "before": whole.cursors[0]}, 0, false, true},
		{map[string]any{"after": whole.cursors[n-1]}, 0, true, false},
		{map[string]any{"before": whole.cursors[0]}, 0, false, true},
		{map[string]any{"first": 500}, n, false, false},
		{map[string]any{"last": 500}, n, false, false},
	} {
		if p := l.ask(t, s, "", c.variables); len(p.items) != c.items || p.hasPrevious != c.previous || p.hasNext != c.further || p.count != n {
			t.Errorf("%s: %v is %d items (of %d, previous %v, next %v)", l.field, c.variables, len(p.items), p.count, p.hasPrevious, p.hasNext)
		}
	}
	for _, c := range []struct {
		variables map[string]any
		message   string
	}{
		{map[string]any{"first": -1}, "`first` must be a number from 0 to 500"},
		{map[string]any{"first": 501}, "`first` must be a number from 0 to 500"},
		{map[string]any{"last": -2147483648}, "`last` must be a number from 0 to 500"},
		{map[string]any{"last": 501}, "`last` must be a number from 0 to 500"},
		{map[string]any{"first": 1, "last": 501}, "`last` must be a number from 0 to 500"},
	} {
		wantError(t, s.GraphQL(l.token, l.document(l.within, ""), c.variables), c.message, append(slices.Clone(l.path), "list")...)
	}
}

// wantOwnCursors checks that the list takes no cursors but its own, whole and unchanged, in its own order and filter and below its own parent.
func (l *list) wantOwnCursors(t *testing.T, s *testkit.Server, cursors map[string]string) {
	t.Helper()
	own := cursors[l.field]
	try := func(token, within, arguments, side, cursor string) {
		t.Helper()
		wantError(t, s.GraphQL(token, l.document(within, arguments), map[string]any{"first": 1, side: cursor}), badCursor, append(slices.Clone(l.path), "list")...)
	}
	for _, cursor := range []string{"junk", "MQ==", "!", own + "=", own + "A", own[1:], own[:len(own)-2], strings.ToLower(own), strings.Repeat("A", 100_000), "\u0000", "é"} {
		try(l.token, l.within, "", "after", cursor)
		try(l.token, l.within, "", "before", cursor)
	}
	for field, cursor := range cursors {
		if field != l.field {
			try(l.token, l.within, "", "after", cursor)
		}
	}
	if l.other != "" {
		try(travellerToken, l.other, "", "after", own)
		try(travellerToken, l.other, "", "before", own)
	}
	for _, f := range l.filters {
		if f.argument != "" && !strings.Contains(f.argument, "null") && !unfiltered[f.argument] {
			try(l.token, l.within, f.argument, "before", own)
		}
	}
	if argument := connectionFields(t)[l.field].Arguments.ForName("order"); argument != nil {
		for _, order := range enumValues(t, argument.Type.Name()) {
			if order != l.order {
				try(l.token, l.within, "order: "+order, "after", own)
			}
		}
	}
}

// unfiltered are arguments that are as good as none.
var unfiltered = map[string]bool{"verified: true": true, "verified: false": true, "archived: false": true, "clustered: true": true, `search: ""`: true}

// A cursor is no secret: who knows how it is made can make one. It is then no more than a position.
func TestForgedCursors(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		l := list{field: "Organization.clusters", token: testkit.AdminToken, within: `organization(slug: "acme-inc") { %s }`, path: []string{"organization"}}
		byName, byTime := l.ask(t, s, "", nil).cursors[0], l.ask(t, s, "order: RECENTLY_CREATED", nil).cursors[0]
		if named := l.ask(t, s, "", map[string]any{"after": testkit.ForgeCursor(t, byName, `["a","b"]`)}); len(named.items) != 1 {
			t.Errorf("a position that could be one gives %v", named)
		}
		for _, position := range []string{`["a\u0000","b"]`, `["a"]`, `["a","b","c"]`, `[]`, `{}`, `null`, ``, `["a",1]`, `["\ud800","b"]`, "[\"a\",\"\xff\"]"} {
			wantError(t, s.GraphQL(l.token, l.document(l.within, ""), map[string]any{"after": testkit.ForgeCursor(t, byName, position)}), badCursor, "organization", "list")
		}
		for _, position := range []string{`["a","b"]`, `["1e3","b"]`, `["9223372036854775808","b"]`, `["","b"]`} {
			wantError(t, s.GraphQL(l.token, l.document(l.within, "order: RECENTLY_CREATED"), map[string]any{"after": testkit.ForgeCursor(t, byTime, position)}), badCursor, "organization", "list")
		}
		for _, position := range []string{`["9223372036854775807","b"]`, `["-9223372036854775808",""]`, `["-9223372036854775808","` + strings.Repeat("é", 50_000) + `"]`} {
			wantData(t, s.GraphQL(l.token, l.document(l.within, "order: RECENTLY_CREATED"), map[string]any{"after": testkit.ForgeCursor(t, byTime, position)}))
		}
	})
}

// TestPagesAreStable changes lists while they are being read.
func TestPagesAreStable(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildCrowd(t, s)
		for _, l := range lists(t, s) {
			if l.remove == nil {
				continue
			}
			before := l.ask(t, s, "", nil)
			gone, renamed := map[string]bool{}, ""
			drop := func(i item) {
				t.Helper()
				if textAt(i, "uuid") == testkit.MaintainedID || textAt(i, "slug") == "default" || slices.Contains([]string{testkit.AdminID, testkit.MemberID, testkit.MaintainerID}, textAt(i, "user.uuid")) ||
					l.field == "Organization.apiAccessTokens" && !slices.Contains(crowdNames, textAt(i, "description")) {
					return // it is needed, or cannot be deleted
				}
				if a := l.remove(i); a.Status >= 300 || a.Object()["errors"] != nil {
					t.Fatalf("%s: %s", l.field, a)
				}
				gone[textAt(i, "uuid")] = true
			}
			page := l.ask(t, s, "", map[string]any{"first": 3})
			read := uuidsOf(page.items)
			for step := 0; page.hasNext; step++ {
				// The item at the cursor goes, the one after it too, and one that was read long ago; another gets another name.
				last := before.items[slices.Index(uuidsOf(before.items), textAt(page.items[len(page.items)-1], "uuid"))]
				cursor := page.cursors[len(page.cursors)-1]
				if step == 0 {
					drop(last)
					drop(before.items[slices.Index(uuidsOf(before.items), textAt(last, "uuid"))+1])
				}
				if step == 1 {
					drop(before.items[1])
					if l.rename != nil {
						renamed = textAt(last, "uuid")
						if a := l.rename(last); a.Status >= 300 || a.Object()["errors"] != nil {
							t.Fatalf("%s: %s", l.field, a)
						}
					}
				}
				if page = l.ask(t, s, "", map[string]any{"first": 3, "after": cursor}); !page.hasPrevious {
					t.Errorf("%s: nothing comes before a page in the middle", l.field)
				}
				read = append(read, uuidsOf(page.items)...)
			}
			seen := map[string]int{}
			for _, id := range read {
				seen[id]++
			}
			for _, i := range before.items {
				id := textAt(i, "uuid")
				again := id == renamed && l.order != "RECENTLY_CREATED" // its name now comes later in the list
				if !gone[id] && seen[id] != 1 && (!again || seen[id] != 2) {
					t.Errorf("%s: %s was read %d times", l.field, id, seen[id])
				}
			}
			if after := l.ask(t, s, "", nil); after.count != len(before.items)-len(gone) || len(after.items) != after.count {
				t.Errorf("%s has %d items and counts %d, want %d", l.field, len(after.items), after.count, len(before.items)-len(gone))
			}
			l.wantNeighboursGone(t, s, drop)
		}
	})
}

// TestPagesAreStableWhileListsGrow adds items before and behind the page that was read last.
func TestPagesAreStableWhileListsGrow(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildCrowd(t, s)
		for _, l := range lists(t, s) {
			var behind int // how many of the new items come after the page
			switch l.field {
			case "Organization.clusters":
				behind = 1
			case "Organization.pipelines":
			default:
				continue
			}
			before := l.ask(t, s, "", nil)
			page := l.ask(t, s, "", map[string]any{"first": 4})
			_, kind, _ := strings.Cut(l.field, ".")
			for _, name := range []string{"! one", "🚀🚀 two"} {
				s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/"+kind, map[string]any{"name": name, "repository": "r"}).Want(t, 201)
			}
			rest := l.ask(t, s, "", map[string]any{"after": page.cursors[3]})
			old := uuidsOf(before.items[4:])
			if got := uuidsOf(rest.items); len(got) != len(old)+behind || !slices.Equal(slices.DeleteFunc(got, func(id string) bool { return !slices.Contains(old, id) }), old) {
				t.Errorf("%s goes on with %v, want %v and %d new", l.field, uuidsOf(rest.items), old, behind)
			}
			if again := l.ask(t, s, "", map[string]any{"before": page.cursors[0]}); len(again.items) != 2-behind {
				t.Errorf("%s now begins with %v", l.field, uuidsOf(again.items))
			}
		}
	})
}

// wantNeighboursGone checks that a page that becomes an end of the list says so, whatever was beyond it before.
func (l *list) wantNeighboursGone(t *testing.T, s *testkit.Server, drop func(item)) {
	t.Helper()
	whole := l.ask(t, s, "", nil)
	n := len(whole.items)
	if slices.Contains([]string{"Organization.members", "Organization.clusters", "Organization.apiAccessTokens", "Cluster.cacheRegistries", "Team.members"}, l.field) {
		return // not all of them can go
	}
	first := map[string]any{"after": whole.cursors[0], "first": 1}
	last := map[string]any{"before": whole.cursors[n-1], "last": 1}
	if !l.ask(t, s, "", first).hasPrevious || !l.ask(t, s, "", last).hasNext {
		t.Errorf("%s: the neighbours are there", l.field)
	}
	drop(whole.items[0])
	drop(whole.items[n-1])
	if p, q := l.ask(t, s, "", first), l.ask(t, s, "", last); p.hasPrevious || q.hasNext || textAt(p.items[0], "uuid") != textAt(whole.items[1], "uuid") || textAt(q.items[0], "uuid") != textAt(whole.items[n-2], "uuid") {
		t.Errorf("%s: the neighbours are gone", l.field)
	}
}

// TestNestedConnections compares connections below many parents, some of them the same, with each asked alone.
func TestNestedConnections(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildCrowd(t, s)
		const page = ` { count pageInfo { startCursor endCursor hasNextPage hasPreviousPage } edges { cursor node { id } } }`
		for _, c := range []struct {
			within, typeName string
			path, lists      []string
		}{
			{"viewer { organizations(first: 20) { nodes { uuid %s } } }", "Organization", []string{"viewer", "organizations", "nodes"}, []string{
				`clusters(first: 1)`, `clusters(last: 1, order: RECENTLY_CREATED)`, `pipelines(first: 1)`, `pipelines(first: 1, order: NAME_WITH_FAVORITES_FIRST)`, `pipelines(team: "platform")`,
				`pipelines(team: "acme-inc/platform", first: 3)`, `pipelines(search: "a", last: 2, order: NAME)`, `teams(first: 1)`, `teams(user: "admin@example.com")`,
				`teams(user: "teammate@example.com", first: 3)`, `teams(pipeline: "web")`, `teams(pipeline: "number-3")`, `teams(pipeline: "number-1/web")`, `members(first: 2, order: NAME)`, `members(team: "platform")`,
				`members(team: "number-2/platform")`, `members(team: "number-2")`, `apiAccessTokens(last: 2)`, `auditEvents(first: 2)`, `auditEvents(type: [TEAM_CREATED], last: 1)`,
			}},
			{`organization(slug: "acme-inc") { clusters(first: 20) { nodes { uuid %s } } }`, "Cluster", []string{"organization", "clusters", "nodes"}, []string{
				`queues(first: 3)`, `queues(last: 2, order: RECENTLY_CREATED)`, `agentTokens(first: 5)`, `agentTokens(last: 5)`, `cacheRegistries(first: 2)`, `cacheRegistries(last: 1)`,
			}},
			{`organization(slug: "acme-inc") { teams(first: 20) { nodes { uuid %s } } }`, "Team", []string{"organization", "teams", "nodes"}, []string{
				`members(first: 1)`, `members(last: 2, order: NAME)`, `members(role: [MAINTAINER])`, `pipelines(first: 2)`, `pipelines(last: 1, order: NAME)`, `pipelines(search: "a")`,
			}},
			{`organization(slug: "acme-inc") { pipelines(first: 20) { nodes { uuid %s } } }`, "Pipeline", []string{"organization", "pipelines", "nodes"}, []string{
				`teams(first: 2)`, `teams(last: 2, order: NAME)`, `teams(search: "a", first: 1)`,
			}},
			{`organization(slug: "acme-inc") { members(first: 20) { nodes { uuid %s } } }`, "OrganizationMember", []string{"organization", "members", "nodes"}, []string{
				`teams(first: 2)`, `teams(last: 2, order: NAME)`,
			}},
		} {
			for _, list := range c.lists {
				l := `l: ` + list + page
				parents := dig(t, wantData(t, s.GraphQL(travellerToken, "{ "+fmt.Sprintf(c.within, l)+" }", nil)), c.path...).([]any)
				if len(parents) < 10 {
					t.Fatalf("%s has only %d parents", c.within, len(parents))
				}
				for _, parent := range parents {
					alone := wantData(t, s.GraphQL(travellerToken, `query ($id: ID!) { node(id: $id) { ... on `+c.typeName+` { uuid `+l+` } } }`,
						map[string]any{"id": domain.GraphQLID(c.typeName, textAt(parent.(item), "uuid"))}))
					if !reflect.DeepEqual(alone["node"], parent) {
						t.Errorf("%s of a %s is\n%v below many parents, and\n%v alone", list, c.typeName, parent, alone["node"])
					}
				}
			}
		}
		// The same parent again and again, with a cursor.
		l := list{field: "Organization.clusters", token: testkit.AdminToken, within: `organization(slug: "acme-inc") { %s }`, path: []string{"organization"}}
		cursor := l.ask(t, s, "", nil).cursors[3]
		alone := wantData(t, s.GraphQL(testkit.AdminToken, `query ($after: String!) { organization(slug: "acme-inc") { clusters(first: 2, after: $after)`+page+` } }`, map[string]any{"after": cursor}))
		again := wantData(t, s.GraphQL(testkit.AdminToken, `query ($after: String!) { organization(slug: "acme-inc") { teams(first: 20) { nodes { organization { clusters(first: 2, after: $after)`+page+` } } } } }`, map[string]any{"after": cursor}))
		for _, team := range dig(t, again, "organization", "teams", "nodes").([]any) {
			if !reflect.DeepEqual(team.(item)["organization"], alone["organization"]) {
				t.Errorf("below a team it is %v, want %v", team, alone)
			}
		}
		// A team of another organization has no members here, whoever belongs to both.
		foreign := wantData(t, s.GraphQL(travellerToken, `{ organization(slug: "acme-inc") { members(team: "number-2/platform") { count nodes { id } } } }`, nil))
		if dig(t, foreign, "organization", "members", "count") != 0.0 {
			t.Errorf("it has %v", foreign)
		}
		// A cluster belongs to one organization.
		clusters := wantData(t, s.GraphQL(travellerToken, `{ viewer { organizations(first: 20) { nodes { slug cluster(id: "`+testkit.MaintainedID+`") { name } } } } }`, nil))
		for _, o := range dig(t, clusters, "viewer", "organizations", "nodes").([]any) {
			if found := o.(item)["cluster"] != nil; found != (textAt(o.(item), "slug") == "acme-inc") {
				t.Errorf("the cluster is below %v", o)
			}
		}
		// A cursor is good below one parent only; the others say so, each for itself.
		mixed := s.GraphQL(travellerToken, `query ($after: String!) { viewer { organizations { nodes { slug clusters(first: 2, after: $after) { count } } } } }`, map[string]any{"after": cursor})
		good := 0
		for _, node := range dig(t, mixed.Object(), "data", "viewer", "organizations", "nodes").([]any) {
			if node.(item)["clusters"] != nil {
				good++
			}
		}
		if failures := mixed.Object()["errors"].([]any); good != 1 || len(failures) != len(crowdNames) {
			t.Errorf("one of the lists knows the cursor, %d do and %d fail: %s", good, len(failures), mixed)
		}
	})
}

// TestLongLists reads lists that are longer than a page, and levels that are wider than a statement takes values.
func TestLongLists(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const organizations, each = 33, 500
		buildWide(t, s, organizations, each)
		first := wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "wide-0") { pipelines { count nodes { id } pageInfo { hasNextPage } } } }`, nil))
		if nodes := dig(t, first, "organization", "pipelines", "nodes").([]any); len(nodes) != each {
			t.Errorf("a page has %d items", len(nodes))
		}
		err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO pipelines (id, organization_id, slug, name, name_key, repository, created_at)
				SELECT 'more', organization_id, 'more', 'more', 'more', 'r', 0 FROM pipelines WHERE id = '0-0'`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, arguments := range []string{"", "(first: 500)", "(last: 500)"} {
			p := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "wide-0") { pipelines`+arguments+` { nodes { id } pageInfo { hasNextPage hasPreviousPage } } } }`, nil)), "organization", "pipelines").(item)
			if info := p["pageInfo"].(item); len(p["nodes"].([]any)) != 500 || info["hasNextPage"] != (arguments != "(last: 500)") || info["hasPreviousPage"] != (arguments == "(last: 500)") {
				t.Errorf("pipelines%s has %d items and is %v", arguments, len(p["nodes"].([]any)), info)
			}
		}
		for _, selection := range []string{`favorite teams(first: 1) { count }`, `teams(first: 1) { nodes { id } }`, `permissions { pipelineUpdate { allowed } }`} {
			answer := wantData(t, s.GraphQL(testkit.AdminToken, `{ viewer { organizations(last: 33) { nodes { pipelines { nodes { `+selection+` } } } } } }`, nil))
			pipelines := 0
			for _, o := range dig(t, answer, "viewer", "organizations", "nodes").([]any) {
				pipelines += len(dig(t, o, "pipelines", "nodes").([]any))
			}
			if pipelines != organizations*each {
				t.Errorf("%d pipelines were read", pipelines)
			}
		}
	})
}

// buildWide makes organizations wide-0, wide-1, …, that the administrator belongs to and their token reaches, each with pipelines.
func buildWide(t *testing.T, s *testkit.Server, organizations, each int) {
	t.Helper()
	var declared []map[string]any
	for n := range organizations {
		declared = append(declared, map[string]any{"slug": fmt.Sprintf("wide-%d", n), "name": fmt.Sprintf("Wide %d", n), "members": []map[string]any{{"user": "admin@example.com", "role": "admin"}}})
	}
	bootstrapObject(t, s, map[string]any{"organizations": declared})
	err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		for _, sql := range []string{
			`INSERT INTO api_token_organizations (token_id, organization_id, user_id) SELECT t.id, o.id, t.user_id FROM api_tokens t, organizations o
				WHERE t.hash = '` + domain.HashToken(testkit.AdminToken) + `' AND o.slug LIKE 'wide-%'`,
			fmt.Sprintf(`INSERT INTO pipelines (id, organization_id, slug, name, name_key, repository, created_at)
				WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)
				SELECT substr(o.slug, 6) || '-' || n, o.id, 'p' || n, 'P' || n, 'p' || n, 'r', n FROM organizations o, numbers WHERE o.slug LIKE 'wide-%%'`, each-1),
			fmt.Sprintf(`INSERT INTO organization_counts (organization_id, shard, clusters, pipelines, archived_pipelines) SELECT id, 0, 0, %d, 0 FROM organizations WHERE slug LIKE 'wide-%%'`, each),
		} {
			if _, err := tx.Exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
