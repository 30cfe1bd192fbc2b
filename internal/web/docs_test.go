package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"penstock/docs"
	"penstock/internal/db"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

var _ = addPages(map[string]pageCase{
	"/docs":                       {path: "/docs", says: `<h2 id="authentication">`, email: "-"},
	"/docs/rest":                  {path: "/docs/rest", says: "/docs/rest/cache-registries#createCacheRegistry", email: "-"},
	"/docs/rest/{tag}":            {path: "/docs/rest/pipelines", says: "listPipelines", email: "-"},
	"/docs/graphql":               {path: "/docs/graphql", says: "RateLimit-Complexity-Requested", email: "-"},
	"/docs/graphql/schema":        {path: "/docs/graphql/schema", says: "ClusterConnection", email: "-"},
	"/docs/graphql/schema/{type}": {path: "/docs/graphql/schema/Cluster", says: "type Cluster implements Node", email: "-"},
	"/docs/{page}":                {path: "/docs/concepts", says: `<img src="/assets/`, email: "-"},
})

// A 401 leads to the documentation, which is there for whoever has no token yet.
func TestDocsAreWhere401Leads(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		message := s.Get("", "/v2/user").Want(t, http.StatusUnauthorized).Message()
		_, link, _ := strings.Cut(message, s.Server.URL)
		if link != "/docs#authentication" {
			t.Fatalf("%q leads to %q", message, link)
		}
		path, anchor, _ := strings.Cut(link, "#")
		s.browser().get(path).want(t, http.StatusOK, `id="`+anchor+`"`, s.URL+"/v2/organizations")
	})
}

// Every operation of the API is described, with all that it takes and answers.
func TestDocsDescribeEveryOperation(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		var description struct {
			Paths map[string]map[string]json.RawMessage
		}
		if err := json.Unmarshal(s.Get("", "/v2/openapi.json").Body, &description); err != nil {
			t.Fatal(err)
		}
		b := s.browser()
		index := b.get("/docs/rest").want(t, http.StatusOK)
		var reference strings.Builder
		for _, found := range regexp.MustCompile(`<h2 id="([a-z-]+)"><a href=`).FindAllStringSubmatch(index.Body, -1) {
			a := b.get("/docs/rest/"+found[1]).want(t, http.StatusOK)
			checkMarkup(t, a)
			if len(a.Body) > 100_000 {
				t.Errorf("%s has %d bytes", found[1], len(a.Body))
			}
			for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(a.Body, -1) {
				if !strings.Contains(a.Body, `id="`+link[1]+`"`) {
					t.Errorf("/docs/rest/%s leads to %s, which it does not have", found[1], link[1])
				}
			}
			reference.WriteString(a.Body)
		}
		operations := 0
		for path, item := range description.Paths {
			for method, raw := range item {
				if method == "parameters" {
					continue
				}
				var operation struct{ OperationID, Summary string }
				if err := json.Unmarshal(raw, &operation); err != nil {
					t.Fatal(err)
				}
				operations++
				if !strings.Contains(reference.String(), `<h2 id="`+operation.OperationID+`"><span class="method">`+strings.ToUpper(method)+`</span> <code>`+path+`</code>`) {
					t.Errorf("%s %s is not described", method, path)
				}
			}
		}
		if operations < 60 {
			t.Errorf("there are only %d operations", operations)
		}
		b.get("/docs/rest/nothing").want(t, http.StatusNotFound)
		b.get("/docs/nothing").want(t, http.StatusNotFound)
		b.get("/docs/graphql/schema/Nothing").want(t, http.StatusNotFound)
	})
}

func TestDocsWithoutDescriptions(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		b := newSite(t, d, func(o *web.Options) { o.OpenAPI, o.GraphQLSchema = nil, "" }).browser()
		for _, path := range []string{"/docs/rest", "/docs/rest/pipelines", "/docs/graphql/schema", "/docs/graphql/schema/Cluster"} {
			b.get(path).want(t, http.StatusNotFound)
		}
		if body := b.get("/docs/graphql").want(t, http.StatusOK).Body; strings.Contains(body, "/docs/graphql/schema") {
			t.Error("a schema is offered that is not there")
		}
	})
}

// Every document is shown, and leads only to pages and headings that there are.
func TestEveryDocumentIsShown(t *testing.T) {
	t.Parallel()
	entries, err := docs.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	eachSite(t, func(t *testing.T, s *site) {
		b := s.browser()
		pages := map[string]string{"/docs": b.get("/docs").want(t, http.StatusOK).Body}
		for _, entry := range entries {
			if name, ok := strings.CutSuffix(entry.Name(), ".md"); ok {
				a := b.get("/docs/"+name).want(t, http.StatusOK)
				checkMarkup(t, a)
				pages["/docs/"+name] = a.Body
			}
		}
		for path, body := range pages {
			if nameless := regexp.MustCompile(`<a href="/docs[^>]*></a>`).FindString(body); nameless != "" {
				t.Errorf("%s has a link without a text: %s", path, nameless)
			}
			for _, found := range regexp.MustCompile(`href="(/docs[^"#]*)(?:#([^"]+))?"`).FindAllStringSubmatch(body, -1) {
				target, ok := pages[found[1]]
				if !ok {
					target = b.get(found[1]).want(t, http.StatusOK).Body
				}
				if found[2] != "" && !strings.Contains(target, `id="`+found[2]+`"`) {
					t.Errorf("%s leads to %s#%s, which is not there", path, found[1], found[2])
				}
			}
			for _, found := range regexp.MustCompile(`<img src="([^"]*)"`).FindAllStringSubmatch(body, -1) {
				b.get(found[1]).want(t, http.StatusOK, "<svg")
			}
		}
	})
}

// The examples of GraphQL are good ones.
func TestDocsExamplesOfGraphQL(t *testing.T) {
	t.Parallel()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: graphQLSchema(t)})
	if err != nil {
		t.Fatal(err)
	}
	text, readErr := os.ReadFile("../../docs/graphql.md")
	if readErr != nil {
		t.Fatal(readErr)
	}
	examples := regexp.MustCompile("(?s)```graphql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(examples) < 2 {
		t.Errorf("there are %d examples", len(examples))
	}
	for _, example := range examples {
		if _, errs := gqlparser.LoadQueryWithRules(schema, example[1], rules.NewDefaultRules()); errs != nil {
			t.Errorf("%s: %v", example[1], errs)
		}
	}
}

// The flags that the documents name are those that there are.
func TestDocsNameFlagsThatExist(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	for _, pattern := range []string{"../config/*.go", "../../cmd/penstock/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(source)
		}
	}
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile("`--([a-z-]+)`").FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(sources.String(), `"`+found[1]+`"`) {
			t.Errorf("there is no flag --%s", found[1])
		}
	}
}

// TestDocsLeadBack shows the documentation in the frame of the organization that one came from.
func TestDocsLeadBack(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		const navigation = `<nav class="side" aria-label="Organization">`
		if a := b.get("/docs").want(t, http.StatusOK); strings.Contains(a.Body, navigation) {
			t.Errorf("the documentation has a frame of nowhere: %s", a.Body)
		}
		b.get(acme+"/clusters").want(t, http.StatusOK)
		for _, path := range []string{"/docs", "/docs/concepts", "/docs/search?q=queue"} {
			checkMarkup(t, b.get(path).want(t, http.StatusOK, navigation, `href="`+acme+`"`))
		}
		for _, slug := range []string{"elsewhere", "nowhere", "%22%3E"} { // which the user is no member of
			b.setCookie("penstock_organization", slug)
			if a := b.get("/docs").want(t, http.StatusOK, "Member"); strings.Contains(a.Body, navigation) || strings.Contains(a.Body, slug) {
				t.Errorf("the documentation is shown in %s: %s", slug, a.Body)
			}
		}
		visitor := s.browser()
		visitor.setCookie("penstock_organization", "acme-inc")
		if a := visitor.get("/docs").want(t, http.StatusOK); strings.Contains(a.Body, "Acme") {
			t.Error("visitors are shown the organization")
		}
	})
}

// TestDocsSearchRanks looks at what comes first: guides that are called so, then those with such a heading, which the hit leads to.
func TestDocsSearchRanks(t *testing.T) {
	t.Parallel()
	s := newSite(t, testkit.OpenDB(t, "sqlite"), nil)
	first := regexp.MustCompile(`(?s)<ul class="picks">.*?<a class="strong" href="([^"]+)">([^<]+)</a>`)
	for query, want := range map[string]string{"agents": "/docs/agents Agents", "SCHEDULES": "/docs/schedules Schedules", "get the agent": "/docs/agents#get-the-agent Agents: Get the agent"} {
		found := first.FindStringSubmatch(s.browser().get("/docs/search?q="+url.QueryEscape(query)).want(t, http.StatusOK).Body)
		if found == nil || found[1]+" "+found[2] != want {
			t.Errorf("%s finds %q first, want %s", query, found, want)
		}
	}
}

// TestGuidesAreListedBesideEach looks at the list of guides, and at what leads from one to the next.
func TestGuidesAreListedBesideEach(t *testing.T) {
	t.Parallel()
	s := newSite(t, testkit.OpenDB(t, "sqlite"), nil)
	a := s.browser().get("/docs/builds").want(t, http.StatusOK, `<a href="/docs/builds" aria-current="page">`, `rel="prev" href="/docs/pipelines"`, `rel="next" href="/docs/schedules"`, `<a href="/docs" aria-current="page">Guides</a>`)
	if strings.Contains(a.Body, "<th></th>") || strings.Contains(a.Body, "\n</code></pre>") || strings.Count(a.Body, `aria-label="Table 1"`) > 1 {
		t.Error("a table has a header that says nothing, or two have the same name, or code ends in an empty line")
	}
	checkMarkup(t, a)
	if a := s.browser().get("/docs/first-build").want(t, http.StatusOK, "In the browser"); strings.Contains(a.Body, `rel="prev"`) {
		t.Error("something comes before the first guide")
	}
}
