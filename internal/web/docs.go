package web

import (
	"cmp"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"penstock/docs"
	"penstock/internal/domain"
	"penstock/internal/markdown"
)

var docsRoutes = []route{
	{path: "/docs", get: showDocs, open: true},
	{path: "/docs/rest", get: showRESTDocs, open: true},
	{path: "/docs/rest/{tag}", get: showRESTTag, open: true},
	{path: "/docs/search", get: searchDocs, open: true},
	{path: "/docs/graphql", get: showGraphQLDocs, open: true},
	{path: "/docs/graphql/schema", get: showSchema, open: true},
	{path: "/docs/graphql/schema/{type}", get: showSchemaType, open: true},
	{path: "/docs/{page}", get: showDocument, open: true},
}

// document is a document of the product, as pages show it.
type document struct {
	Title    string
	Body     template.HTML
	Contents []crumb // its headings
}

// documents reads the documents once, with this installation's base URL in their examples.
func (s *Site) documents() map[string]document {
	s.documentsOnce.Do(func() {
		s.documentsRead = map[string]document{}
		entries, err := docs.Files.ReadDir(".")
		if err != nil {
			panic(err) // they are part of the binary
		}
		for _, entry := range entries {
			name, isDocument := strings.CutSuffix(entry.Name(), ".md")
			if !isDocument {
				continue
			}
			source, err := docs.Files.ReadFile(entry.Name())
			if err != nil {
				panic(err)
			}
			s.documentsRead[name] = s.newDocument(strings.ReplaceAll(string(source), docs.Base, s.BaseURL))
		}
	})
	return s.documentsRead
}

var (
	docLink      = regexp.MustCompile(`href="([\w-]+)\.md(#[\w-]+)?"`)
	docPicture   = regexp.MustCompile(`src="([\w-]+\.svg)"`)
	docElsewhere = regexp.MustCompile(`<a href="(https?:)`)
	docHeading   = regexp.MustCompile(`<h2 id="([^"]+)">(.*?)</h2>`)
	docTag       = regexp.MustCompile(`<[^>]*>`)
	docAdapting  = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<th></th>", "<td></td>", "\n</code></pre>",
		"</code></pre>", "</table>", "</table></div>")
	docTable = regexp.MustCompile(`<table>`)
)

// newDocument reads a text whose first line is its title. It is one of ours: nothing in it comes from users.
func (s *Site) newDocument(source string) document {
	title, body, _ := strings.Cut(source, "\n")
	d := document{Title: strings.TrimPrefix(title, "# "), Body: s.fromMarkdown(body)}
	for _, found := range docHeading.FindAllStringSubmatch(string(d.Body), -1) {
		d.Contents = append(d.Contents, crumb{docTag.ReplaceAllString(found[2], ""), "#" + found[1]})
	}
	return d
}

// fromMarkdown turns Markdown of ours into HTML. HTML in it is left out.
func (s *Site) fromMarkdown(source string) template.HTML {
	tables := 0
	html := docLink.ReplaceAllString(docAdapting.Replace(markdown.RenderDocument(source)), `href="`+s.link("docs")+
		`/$1$2"`)
	html = docPicture.ReplaceAllStringFunc(html,
		func(source string) string { return `src="` + s.assetURL(source[5:len(source)-1]) + `"` })
	html = docTable.ReplaceAllStringFunc(html, func(string) string {
		tables++
		return `<div class="scroll" tabindex="0" role="region" aria-label="Table ` + strconv.Itoa(tables) + `"><table>`
	})
	html = docElsewhere.ReplaceAllString(html, `<a rel="external noreferrer" href="$1`)
	return template.HTML(html) //nolint:gosec // the text is part of the program
}

// documentation is what is read once, when it is first asked for.
type documentation struct {
	documentsOnce sync.Once
	documentsRead map[string]document
	referenceOnce sync.Once
	referenceRead *reference
	schemaOnce    sync.Once
	schemaRead    []definition
}

// docsFrame is a page of the documentation, with the tabs of all. Current is the last segment of the tab's path.
func (c *call) docsFrame(template, title, current string, view any) page {
	p := page{template: template, Title: title, Topic: "Documentation", View: view}
	for _, t := range []struct{ path, label string }{
		{"", "Guides"}, {"concepts", "Concepts"}, {"rest", "REST"}, {"graphql", "GraphQL"}, {"policies", "Cache policies"},
		{"operations", "Operations"},
	} {
		to := c.link("docs")
		if t.path != "" {
			to = c.link("docs", t.path)
		}
		p.Tabs = append(p.Tabs, tab{Label: t.label, To: to, Current: t.path == current || t.path == "" &&
			slices.Contains(guideNames, current)})
	}
	return p
}

// guideNames are the documents that the start page lists, and documentNames all of them.
var (
	guideNames = []string{"first-build", "pipelines", "builds", "schedules", "rules", "templates", "agents", "clusters",
		"secrets", "cache-registries", "teams", "organizations", "portals", "repositories", "notifications", "bootstrap"}
	documentNames = append([]string{"concepts", "graphql", "policies", "operations", "authentication"}, guideNames...)
)

type docsStartView struct {
	BaseURL        string
	Guides         []crumb
	Authentication template.HTML
}

func showDocs(c *call) (*reply, error) {
	view := docsStartView{BaseURL: c.BaseURL}
	for _, name := range guideNames {
		view.Guides = append(view.Guides, crumb{c.documents()[name].Title, c.link("docs", name)})
	}
	body := strings.NewReplacer("<h2", "<h3", "</h2", "</h3").Replace(string(c.documents()["authentication"].Body))
	view.Authentication = template.HTML(body) //nolint:gosec // the text is part of the program
	return c.show(c.docsFrame("docs", "Documentation", "", view)), nil
}

// maxDocHits is how many things of a kind a search of the documentation shows.
const maxDocHits = 20

// searchDocs finds documents by what they say, REST operations by their paths and summaries, and GraphQL types by their
// names.
func searchDocs(c *call) (*reply, error) {
	view := searchView{Query: strings.TrimSpace(c.query("q"))}
	if text := strings.ToLower(view.Query); text != "" {
		for _, group := range []searchGroup{
			{"Guides", c.findDocuments(text)}, {"REST", c.findOperations(text)}, {"GraphQL", c.findTypes(text)},
		} {
			if group.Hits = group.Hits[:min(len(group.Hits), maxDocHits)]; len(group.Hits) > 0 {
				view.Groups = append(view.Groups, group)
			}
		}
	}
	return c.show(c.docsFrame("docs_search", "Search the documentation", "search", view)), nil
}

var (
	docSection = regexp.MustCompile(`<h[23] id="([^"]+)">`)
	docCell    = regexp.MustCompile(`</t[dh]>`)
)

// findDocuments returns the documents that have a text, each with the words around it: first those that are called so,
// then those with a heading that has the text, which the hit leads to, and then those that mention it, by how often
// they do.
func (c *call) findDocuments(text string) []searchHit {
	type rankedHit struct {
		searchHit
		rank int
	}
	var found []rankedHit
	for _, name := range documentNames {
		d := c.documents()[name]
		hit := rankedHit{searchHit: searchHit{Name: d.Title, To: c.link("docs", name)}}
		body := string(d.Body)
		places := append([][]int{{0, 0, 0, 0}}, docSection.FindAllStringSubmatchIndex(body, -1)...)
		best := 0
		for i, place := range places {
			end := len(body)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			heading, rest, _ := strings.Cut(body[place[0]:end], "</h")
			if i == 0 {
				heading, rest = "", body[place[0]:end]
			} else if len(rest) > 2 {
				rest = rest[2:] // after 2> or 3>
			}
			heading, rest = plainText(heading), plainText(rest)
			mentions := min(strings.Count(strings.ToLower(rest), text), 10)
			rank := mentions
			if strings.Contains(strings.ToLower(heading), text) {
				rank += 100
			}
			hit.rank += mentions
			if rank <= best {
				continue
			}
			best = rank
			hit.Detail = wordsAround(rest, text)
			if rank >= 100 {
				hit.Name, hit.To = d.Title+": "+heading, c.link("docs", name)+"#"+body[place[2]:place[3]]
			}
		}
		hit.rank += best / 100 * 1000
		if strings.Contains(strings.ToLower(d.Title), text) {
			hit.Name, hit.To = d.Title, c.link("docs", name)
			hit.rank += 10_000
		}
		if hit.rank > 0 {
			found = append(found, hit)
		}
	}
	slices.SortStableFunc(found, func(a, b rankedHit) int { return cmp.Compare(b.rank, a.rank) })
	hits := make([]searchHit, len(found))
	for i := range found {
		hits[i] = found[i].searchHit
	}
	return hits
}

// plainText returns what HTML of ours says, in one line.
func plainText(source string) string {
	source = docCell.ReplaceAllString(source, " – ")
	return strings.Join(strings.Fields(html.UnescapeString(docTag.ReplaceAllString(source, ""))), " ")
}

// wordsAround returns whole words of a text around another one, or its beginning if it does not have that.
func wordsAround(plain, text string) string {
	const before, after = 60, 110
	at := max(0, strings.Index(strings.ToLower(plain), text))
	from, to := max(0, min(at, len(plain))-before), min(len(plain), at+after) // lower case may be longer or shorter
	around := strings.ToValidUTF8(plain[from:to], "")
	if _, rest, found := strings.Cut(around, " "); found && from > 0 {
		around = "… " + rest
	}
	if i := strings.LastIndexByte(around, ' '); i > 0 && to < len(plain) {
		around = around[:i] + " …"
	}
	return around
}

func (c *call) findOperations(text string) (hits []searchHit) {
	r := c.reference()
	if r == nil {
		return nil
	}
	for _, tag := range r.Tags {
		for _, o := range tag.Operations {
			if strings.Contains(strings.ToLower(o.Method+" "+o.Path+" "+o.Summary+" "+tag.Name), text) {
				hits = append(hits, searchHit{Name: o.Method + " " + o.Path, Detail: o.Summary,
					To: c.link("docs", "rest", tag.Slug) + "#" + o.ID})
			}
		}
	}
	return hits
}

func (c *call) findTypes(text string) (hits []searchHit) {
	for _, d := range c.schema() {
		if strings.Contains(strings.ToLower(d.Name), text) {
			hits = append(hits, searchHit{Name: d.Name, Detail: d.Description, To: c.link("docs", "graphql", "schema", d.Name)})
		}
	}
	return hits
}

type docsPageView struct {
	document
	Schema        string // address of the GraphQL schema; empty: it is not about that, or there is none
	Guides        []tab
	Before, After *tab // guides; nil: none
}

// newDocsPage returns the view of a document, with the list of guides.
func (c *call) newDocsPage(name string) docsPageView {
	view := docsPageView{document: c.documents()[name]}
	for _, guide := range guideNames {
		view.Guides = append(view.Guides, tab{Label: c.documents()[guide].Title, To: c.link("docs", guide),
			Current: guide == name})
	}
	if at := slices.Index(guideNames, name); at >= 0 {
		if at > 0 {
			view.Before = &view.Guides[at-1]
		}
		if at+1 < len(guideNames) {
			view.After = &view.Guides[at+1]
		}
	}
	return view
}

// showDocument shows the document that the address names.
func showDocument(c *call) (*reply, error) {
	name := c.R.PathValue("page")
	d, ok := c.documents()[name]
	if !ok {
		return nil, errNoSuchDocument
	}
	return c.show(c.docsFrame("docs_page", d.Title, name, c.newDocsPage(name))), nil
}

func showGraphQLDocs(c *call) (*reply, error) {
	view := c.newDocsPage("graphql")
	if len(c.schema()) > 0 {
		view.Schema = c.link("docs", "graphql", "schema")
	}
	return c.show(c.docsFrame("docs_page", view.Title, "graphql", view)), nil
}

var errNoSuchDocument = domain.NewError(domain.NotFound, "This page of the documentation doesn't exist.")
