package web

import "strings"

// navEntry is an entry of an organization's navigation.
type navEntry struct {
	Section string // of the pages that it leads to
	Label   string
	Icon    string // its name in iconPaths
	group   string // the title of the group that it stands in; empty: the first, which has none
	path    string // below the organization's; a page with that path must exist for the entry to be shown
	admins  bool   // is shown to administrators only, since others may not see the page
	To      string
	Current bool
}

// navGroup is a part of an organization's navigation.
type navGroup struct {
	Title   string // empty: it has none
	Entries []navEntry
}

// navigation is all of it, group by group.
var navigation = []navEntry{
	{Section: "overview", Label: "Overview", Icon: "home", path: ""},
	{Section: "pipelines", Label: "Pipelines", Icon: "pipeline", path: "pipelines"},
	{Section: "builds", Label: "Builds", Icon: "build", path: "builds"},
	{Section: "clusters", Label: "Clusters", Icon: "cluster", path: "clusters"},
	{Section: "agents", Label: "Agents", Icon: "agent", path: "agents"},
	{Section: "teams", Label: "Teams", Icon: "team", path: "teams", group: "People"},
	{Section: "members", Label: "Members", Icon: "person", path: "members", group: "People"},
	{Section: "graphql", Label: "GraphQL", Icon: "graph", path: "graphql", group: "API"},
	{Section: "portals", Label: "Portals", Icon: "portal", path: "portals", group: "API"},
	{Section: "tokens", Label: "API access tokens", Icon: "key", path: "tokens", admins: true, group: "API"},
	{Section: "templates", Label: "Templates", Icon: "template", path: "pipeline-templates", admins: true,
		group: "Organization"},
	{Section: "rules", Label: "Rules", Icon: "rule", path: "rules", admins: true, group: "Organization"},
	{Section: "repositories", Label: "Repository hosts", Icon: "pipeline", path: "repositories", admins: true,
		group: "Organization"},
	{Section: "services", Label: "Notifications", Icon: "bell", path: "services", admins: true, group: "Organization"},
	{Section: "usage", Label: "Usage", Icon: "chart", path: "usage", group: "Organization"},
	{Section: "audit", Label: "Audit log", Icon: "log", path: "audit", admins: true, group: "Organization"},
	{Section: "settings", Label: "Settings", Icon: "settings", path: "settings", admins: true, group: "Organization"},
}

// iconPaths are the icons of the navigation, each a path in a square of 24.
var iconPaths = map[string]string{
	"home":     "M4 11l8-7 8 7M6 9.5V20h4.5v-6h3v6H18V9.5",
	"pipeline": "M4 6h6v4H4zM14 14h6v4h-6zM7 10v3a3 3 0 0 0 3 3h4",
	"build":    "M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3z",
	"cluster":  "M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.01M7.5 16.5h.01",
	"agent":    "M5 8h14v11H5zM12 8V4M9 13h.01M15 13h.01M2.5 12v3M21.5 12v3",
	"team": "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.3a3.5 3.5 0 0 1 " +
		"0 6.4M18 14.5c2.1.9 3.5 2.9 3.5 5.5",
	"person":   "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c0-4 3.4-6.5 7.5-6.5s7.5 2.5 7.5 6.5",
	"bell":     "M6 17h12l-1.5-2.5V10a4.5 4.5 0 0 0-9 0v4.5zM10.5 20h3",
	"chart":    "M4 20h16M7 16v-4M12 16V5M17 16V9",
	"log":      "M6 3.5h12v17H6zM9 8h6M9 12h6M9 16h3",
	"key":      "M14.5 13.5a4.5 4.5 0 1 0-4-2.5L4 17.5V20h3v-2h2v-2h2l1.5-2.8a4.5 4.5 0 0 0 2 .3zM15.5 8.5h.01",
	"portal":   "M5 20V11a7 7 0 0 1 14 0v9M3 20h18M12 9v7M9 13l3 3 3-3",
	"graph":    "M12 4l7 4v8l-7 4-7-4V8zM12 4l7 12H5z",
	"rule":     "M5 5h5v5H5zM14 14h5v5h-5zM10 7.5h4a2.5 2.5 0 0 1 2.5 2.5v4",
	"template": "M5 4h14v5H5zM5 12h6v8H5zM14 12h5v8h-5z",
	"settings": "M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4",
	"search":   "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20",
	"menu":     "M4 6.5h16M4 12h16M4 17.5h16",
}

// navigation returns the navigation of the organization that the page is about.
func (c *call) navigation(section string) (groups []navGroup) {
	if c.account == nil || c.account.Current == nil {
		return nil
	}
	for _, e := range navigation {
		if e.admins && !c.account.Current.Administered() || !c.hasPage(e.path) {
			continue
		}
		e.Current = e.Section == section
		e.To = c.link("organizations", c.account.Current.Slug)
		if e.path != "" {
			e.To = c.link("organizations", c.account.Current.Slug, e.path)
		}
		if len(groups) == 0 || groups[len(groups)-1].Title != e.group {
			groups = append(groups, navGroup{Title: e.group})
		}
		last := &groups[len(groups)-1]
		last.Entries = append(last.Entries, e)
	}
	return groups
}

// hasPage reports whether an organization has a page at that path.
func (s *Site) hasPage(path string) bool {
	pattern := inOrganization
	if path != "" {
		pattern += "/" + path
	}
	return s.pages[pattern]
}

// sectionLink returns the address of a page of the organization, or "" if there is no such page.
func (c *call) sectionLink(path string) string {
	if !c.hasPage(path) {
		return ""
	}
	return c.organizationLink(strings.Split(path, "/")...)
}
