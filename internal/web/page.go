package web

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"penstock/internal/domain"
)

// page is what a handler shows: a template of templates/pages, with what it shows and what the frame around it says.
type page struct {
	template string // the file's name, without .html
	Title    string
	Section  string  // the entry of the side navigation that is the current one
	Crumbs   []crumb // the way to the page, below the organization
	Tabs     []tab
	Plain    bool // without navigation: for who is not signed in yet
	View     any  // the template's own
}

// crumb is a step of the way to a page; the page itself has no address.
type crumb struct{ Label, To string }

// tab is one of several pages about the same thing.
type tab struct {
	Label, To string
	Count     any // nil: none is shown
	Current   bool
}

// frame is what a template sees.
type frame struct {
	page
	Account   *domain.Account
	FormToken string
	Flash     string
	Theme     string
	Here      string // the present address, to come back to
	Nav       []navEntry
}

// templates are the pages' templates, by name. Each is parsed when its page is first shown.
type templates map[string]func() *template.Template

//go:embed templates
var templateFiles embed.FS

// newTemplates returns the templates: each page together with all that is not a page.
func newTemplates(s *Site) templates {
	shared := sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(s.templateFuncs()).ParseFS(templateFiles, "templates/*.html"))
	})
	pages, err := fs.Glob(templateFiles, "templates/pages/*.html")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	all := templates{}
	for _, file := range pages {
		all[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValue(func() *template.Template {
			return template.Must(template.Must(shared().Clone()).ParseFS(templateFiles, file))
		})
	}
	return all
}

// render writes a page in its frame.
func (c *call) render(w io.Writer, p page) error {
	parse := c.templates[p.template]
	if parse == nil {
		return fmt.Errorf("there is no template %s", p.template)
	}
	f := frame{page: p, Account: c.account, FormToken: c.formToken(), Flash: c.takeFlash(), Theme: c.theme(), Here: c.currentPath(), Nav: c.navigation(p.Section)}
	return parse().ExecuteTemplate(w, "layout", f)
}

// templateFuncs are what templates can call.
func (s *Site) templateFuncs() template.FuncMap {
	return template.FuncMap{
		"link": func(segments ...any) string { // the address of a page, by the segments of its path
			texts := make([]string, len(segments))
			for i, segment := range segments {
				texts[i] = fmt.Sprint(segment)
			}
			return s.link(texts...)
		},
		"at":     func(localPath string) string { return s.prefix + localPath }, // the address of a path of ours
		"asset":  s.assetURL,
		"emoji":  newEmoji,
		"iso":    func(t time.Time) string { return t.UTC().Format(domain.TimestampLayout) },
		"utc":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"when":   func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
		"text":   textOrEmpty,
		"count":  countNoun,
		"device": describeDevice,
		"join":   strings.Join,

		"pair":       func(item, frame any) itemInFrame { return itemInFrame{item, frame} },
		"eventWords": describeEventType,
		"surface":    describeSurface,
		"typeWords":  func(t any) string { return describeAuditType(fmt.Sprint(t)) },
	}
}

// itemInFrame is an item of a list together with the frame, for a template that needs both.
type itemInFrame struct{ Item, Frame any }

// textOrEmpty returns a text that may be absent.
func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// countNoun returns a number with its noun: 1 queue, 2 queues.
func countNoun(n any, one, many string) string {
	if fmt.Sprint(n) == "1" {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// describeEventType returns what an audit event's type says was done: created the cluster.
func describeEventType(t domain.AuditEventType) string {
	words := strings.Split(strings.ToLower(string(t)), "_")
	if words[0] == "api" {
		words[0] = "API"
	}
	last := len(words) - 1
	return words[last] + " the " + strings.Join(words[:last], " ")
}
