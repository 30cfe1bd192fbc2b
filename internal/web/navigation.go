package web

import "strings"

// navEntry is an entry of an organization's navigation.
type navEntry struct {
	Section string // of the pages that it leads to
	Label   string
	path    string // below the organization's; a page with that path must exist for the entry to be shown
	admins  bool   // is shown to administrators only, since others may not see the page
	To      string
	Current bool
}

var navigation = []navEntry{
	{Section: "overview", Label: "Overview", path: ""},
	{Section: "pipelines", Label: "Pipelines", path: "pipelines"},
	{Section: "clusters", Label: "Clusters", path: "clusters"},
	{Section: "teams", Label: "Teams", path: "teams"},
	{Section: "members", Label: "Members", path: "members"},
	{Section: "usage", Label: "Usage", path: "usage"},
	{Section: "audit", Label: "Audit log", path: "audit", admins: true},
	{Section: "tokens", Label: "API tokens", path: "tokens", admins: true},
	{Section: "portals", Label: "Portals", path: "portals"},
	{Section: "graphql", Label: "GraphQL", path: "graphql"},
	{Section: "settings", Label: "Settings", path: "settings", admins: true},
}

// navigation returns the navigation of the organization that the page is about.
func (c *call) navigation(section string) (entries []navEntry) {
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
		entries = append(entries, e)
	}
	return entries
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
