package web

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"penstock/internal/domain"
)

// page is what a handler shows: a template of templates/pages, with what it shows and what the frame around it says.
type page struct {
	template string // the file's name, without .html
	Title    string
	Topic    string  // what the page is about, for the title of the browser's tab; empty: as the crumbs say
	Section  string  // the entry of the side navigation that is the current one
	Crumbs   []crumb // the way to the page, below the organization
	Tabs     []tab
	Plain    bool       // without navigation: for who is not signed in yet
	Reloads  int        // after how many seconds the page is to be loaded again where there is no JavaScript; 0: not
	View     any        // the template's own
	State    stateWords // of what the page is about, which the browser's tab shows; zero: none

	HasSecret bool // shows a value that is, or may be, a secret
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
	Nav       []navGroup
}

// About is the name of what the page is about, where the title does not say so: that of the step above it on the way to
// it.
func (f frame) About() string {
	if f.Topic != "" {
		return f.Topic
	}
	n := len(f.Crumbs)
	if n < 2 || f.Crumbs[n-2].Label == f.Title || strings.Contains(f.Title, f.Crumbs[n-2].Label) {
		return ""
	}
	return f.Crumbs[n-2].Label
}

// FullTitle is the title of the browser's tab: what the page shows, then what that belongs to. Nothing is said twice.
func (f frame) FullTitle() string {
	parts := []string{f.State.Label, f.Tab(), f.Title, f.About()}
	if f.Account != nil && f.Account.Current != nil {
		parts = append(parts, f.Account.Current.Name)
	}
	var said []string
	for part := range strings.SplitSeq(strings.Join(append(parts, "Penstock"), " · "), " · ") {
		if part != "" && !slices.ContainsFunc(said, func(other string) bool { return strings.EqualFold(other, part) }) {
			said = append(said, part)
		}
	}
	return strings.Join(said, " · ")
}

// Icon is the file of the browser tab's icon, which shows the state of what the page is about.
func (f frame) Icon() string {
	switch f.State.Class {
	case goodState, badState, activeState:
		return "icon-" + f.State.Class + ".svg"
	case softState, blockedState:
		return "icon-blocked.svg"
	case waitingState, quietState:
		return "icon-waiting.svg"
	}
	return "icon.svg"
}

// Tab is the label of the tab that is shown, where the title does not say so; empty for the first.
func (f frame) Tab() string {
	for i, t := range f.Tabs {
		if t.Current && i > 0 && !strings.Contains(strings.ToLower(f.Title), strings.ToLower(t.Label)) {
			return t.Label
		}
	}
	return ""
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

// renderReply writes the page of an answer in its frame, or a fragment of it.
func (c *call) renderReply(w io.Writer, answer *reply) error {
	p := answer.page
	parse := c.templates[p.template]
	if parse == nil {
		return fmt.Errorf("there is no template %s", p.template)
	}
	if answer.fragment != "" {
		return parse().ExecuteTemplate(w, answer.fragment, p.View)
	}
	f := frame{page: p, Account: c.account, FormToken: c.formToken(), Flash: c.popFlash(), Theme: c.theme(),
		Here: c.currentPath(), Nav: c.navigation(p.Section)}
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
		"at":    func(localPath string) string { return s.prefix + localPath }, // the address of a path of ours
		"asset": s.assetURL,
		"icons": func() map[string]string { return iconPaths },
		"emoji": newEmoji,
		// the address that an invitation's link opens
		"invitation": func(link string) string { return s.BaseURL + domain.InvitationPath + link },
		"emojis":     func() []emoji { return offeredEmoji },
		"iso":        func(t time.Time) string { return t.UTC().Format(domain.TimestampLayout) },
		"utc":        func(t time.Time) string { return t.UTC().Format("Jan 2, 2006, 15:04:05 UTC") },
		"when":       func(t time.Time) string { return describeTime(t, s.Now()) },
		"day":        describeDay,
		"daysAgo":    func(day string) string { return describeDaysAgo(day, s.Now()) },

		"buildLink": s.buildLink,
		"linkToBuild": func(organization, pipeline string, number int64) string {
			return s.linkToBuild(organization, pipeline, number)
		},
		"buildState": describeBuildState,
		"firstLine":  func(text string) string { return replaceEmoji(firstLine(text)) },
		"text":       textOrEmpty,
		"minutes":    minutesOrNone,
		"count":      countNoun,
		"number":     formatNumber,
		"average":    describeAverage,
		"device":     describeDevice,
		"join":       strings.Join,
		"minute":     func(t time.Time) string { return t.UTC().Format("Jan 2, 15:04 UTC") },
		"short":      func(t time.Time) string { return t.UTC().Format("15:04:05") },

		"pair":      func(item, frame any) itemInFrame { return itemInFrame{item, frame} },
		"event":     describeEvent,
		"surface":   describeSurface,
		"typeWords": func(t any) string { return describeAuditType(fmt.Sprint(t)) },
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

// minutesOrNone returns a number of minutes, or 0 for none.
func minutesOrNone(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// countNoun returns a number with its noun: 1 queue, 2 queues.
func countNoun(n any, one, many string) string {
	if fmt.Sprint(n) == "1" {
		return "1 " + one
	}
	return formatNumber(n) + " " + many
}

// formatNumber returns a whole number with its thousands set apart: 79,513.
func formatNumber(n any) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// describeTime returns how long ago a time was, or how far ahead it is; one that is more than a month away is a day.
func describeTime(t, now time.Time) string {
	past := now.Sub(t)
	away := past.Abs()
	var words string
	switch {
	case away < time.Minute:
		words = "less than a minute"
	case away < time.Hour:
		words = countNoun(int(away.Minutes()), "minute", "minutes")
	case away < 24*time.Hour:
		words = countNoun(int(away.Hours()), "hour", "hours")
	case away < 31*24*time.Hour:
		words = countNoun(int(away.Hours()/24), "day", "days")
	default:
		return t.UTC().Format("Jan 2, 2006")
	}
	switch {
	case past < 0:
		return "in " + words
	case away < time.Minute:
		return "just now"
	default:
		return words + " ago"
	}
}

// describeDaysAgo returns how long ago a day of domain.DateLayout was; one that is more than a month ago is written
// out.
func describeDaysAgo(day string, now time.Time) string {
	t, err := time.Parse(domain.DateLayout, day)
	if err != nil {
		return day
	}
	switch days := int(now.UTC().Sub(t).Hours() / 24); {
	case days < 0 || days > 30:
		return describeDay(day)
	case days == 0:
		return "today"
	case days == 1:
		return "yesterday"
	default:
		return countNoun(days, "day", "days") + " ago"
	}
}

// describeDay writes a day of domain.DateLayout for readers.
func describeDay(day string) string {
	t, err := time.Parse(domain.DateLayout, day)
	if err != nil {
		return day
	}
	return t.Format("Jan 2, 2006")
}
