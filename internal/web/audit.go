package web

import (
	"reflect"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

var auditRoutes = []route{
	{path: inOrganization + "/audit", get: showAuditEvents},
	{path: inOrganization + "/audit/{event}", get: showAuditEvent},
}

type auditView struct {
	Events   []auditRow
	List     listFrame
	Filter   *form
	Filtered bool
}

type auditRow struct {
	domain.AuditEvent
	To string
}

func showAuditEvents(c *call) (*reply, error) {
	if err := c.require(authz.ReadAuditEvent); err != nil {
		return nil, err
	}
	f := c.auditForm()
	view := auditView{Filter: f}
	filter, err := c.auditFilter(f)
	if err != nil {
		return nil, err
	}
	view.Filtered = !reflect.ValueOf(filter).IsZero()
	if len(f.Problems) == 0 {
		found, err := c.Service.AuditEvents(c.ctx(), c.actor(), c.organization(), filter, c.requestedCursorPage())
		if err != nil {
			return nil, err
		}
		for _, event := range found.Items {
			view.Events = append(view.Events, auditRow{event, c.organizationLink("audit", string(event.ID))})
		}
		view.List = c.newCursorList("event", "events", found.Prev, found.Next)
	}
	view.List.Empty = emptyState{Title: "Nothing was changed yet", Text: "Every change of the organization leaves an event here: who did what, when, and from where."}
	if view.Filtered || len(f.Problems) > 0 {
		view.List.Empty = emptyState{"No such events", "No event is as the filter asks for.", "Show all events", c.organizationLink("audit")}
	}
	return c.showForm(f, page{template: "audit", Title: "Audit log", Section: "audit", Crumbs: []crumb{{Label: "Audit log"}}, View: view}), nil
}

// auditForm is the form that chooses events, with what the address asks for.
func (c *call) auditForm() *form {
	types := []option{{Label: "Everything"}}
	for _, t := range domain.AuditEventTypes {
		types = append(types, option{Value: string(t), Label: describeAuditType(string(t))})
	}
	f := c.newForm("Filter",
		field{Name: "type", Label: "What", Kind: "select", Options: types},
		field{Name: "actor", Label: "By whom", Placeholder: "E-mail or UUID"},
		field{Name: "subject", Label: "To what", Placeholder: "UUID"},
		field{Name: "from", Label: "From", Kind: "date"},
		field{Name: "to", Label: "To", Kind: "date"})
	for i := range f.Fields {
		f.Fields[i].Value = strings.TrimSpace(c.query(f.Fields[i].Name))
	}
	return f
}

// describeAuditType returns an audit event's type, or a kind of subject, as words: Cluster queue created.
func describeAuditType(t string) string {
	words := strings.ToLower(strings.ReplaceAll(t, "_", " "))
	words = strings.ReplaceAll(words, "api ", "API ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// describeSurface returns the way by which a request came, as words.
func describeSurface(surface string) string {
	words := map[authz.Surface]string{
		authz.REST: "REST", authz.GraphQL: "GraphQL", authz.Portal: "Portal", authz.Web: "Web interface", authz.Operator: "Command line",
	}[authz.Surface(surface)]
	if words == "" {
		return surface
	}
	return words
}

// auditFilter reads the form. What is wrong with it is said beside its fields.
func (c *call) auditFilter(f *form) (filter domain.AuditFilter, err error) {
	if kind := domain.AuditEventType(f.typed("type")); kind != "" {
		filter.Types = []domain.AuditEventType{kind}
		if !kind.Known() {
			f.addFault("type", "There is no such type of event")
		}
	}
	if actor := f.typed("actor"); actor != "" {
		id, err := c.actorID(actor)
		if err != nil {
			return filter, err
		}
		if filter.Actors = []string{id}; id == "" {
			f.addFault("actor", "There is no member with that e-mail address, and it is no UUID")
		}
	}
	if subject := f.typed("subject"); subject != "" {
		id, ok := domain.ParseID[string](subject)
		if filter.Subjects = []string{id}; !ok {
			f.addFault("subject", "What was changed must be given by its UUID")
		}
	}
	filter.From = f.typedDay("from", 0)
	filter.To = f.typedDay("to", 1) // the day itself is included
	return filter, nil
}

// actorID returns the id of who is meant by an id or a member's e-mail address; "" if nobody is.
func (c *call) actorID(text string) (id string, err error) {
	if id, ok := domain.ParseID[string](text); ok {
		return id, nil
	}
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		user, err := r.UserIDByEmail([]*read.Organization{o}, text)
		id = string(user)
		return err
	})
	return id, err
}

// typedDay returns the midnight (UTC) with which the day in a field begins, or that many days later; nil if the field is empty.
func (f *form) typedDay(name string, later int) *time.Time {
	text := f.typed(name)
	if text == "" {
		return nil
	}
	day, err := time.Parse(domain.DateLayout, text)
	if err != nil {
		f.addFault(name, f.fieldNamed(name).Label+" must be a date such as 2026-01-31")
		return nil
	}
	day = day.AddDate(0, 0, later)
	return &day
}

type auditEventView struct {
	Event   domain.AuditEvent
	Changes []propertyChange
	Subject string // address of what was changed; empty: it is gone, or has no page
	Same    string // addresses of the log, filtered
	ByActor string // empty: the actor is no user
}

func showAuditEvent(c *call) (*reply, error) {
	event, err := c.Service.AuditEvent(c.ctx(), c.actor(), c.organization(), c.R.PathValue("event"))
	if err != nil {
		return nil, err
	}
	data := readAuditData(event.Data)
	log := c.organizationLink("audit")
	view := auditEventView{Event: event, Changes: data.changes(), Subject: c.subjectLink(event, data), Same: log + "?subject=" + event.Subject.ID}
	if event.Actor.ID != "" {
		view.ByActor = log + "?actor=" + event.Actor.ID
	}
	return c.show(page{template: "audit_event", Title: describeAuditType(string(event.Type)), Section: "audit",
		Crumbs: []crumb{{"Audit log", log}, {Label: event.OccurredAt.UTC().Format("2 Jan 2006, 15:04 UTC")}}, View: view}), nil
}

// subjectLink returns the address of what was changed, or "" if it is gone or has no page.
func (c *call) subjectLink(event domain.AuditEvent, data auditData) string {
	if data.After == nil {
		return ""
	}
	switch event.Subject.Type {
	case domain.ClusterSubject:
		return c.organizationLink("clusters", event.Subject.ID)
	case domain.TeamSubject:
		return c.organizationLink("teams", event.Subject.ID)
	case domain.PipelineSubject:
		return c.slugLink("pipelines", data)
	case domain.PortalSubject:
		return c.slugLink("portals", data)
	case domain.OrganizationMemberSubject:
		if user, ok := data.After["user"].(string); ok {
			return c.organizationLink("members", user)
		}
	case domain.OrganizationSubject, domain.OrganizationSecuritySubject:
		return c.organizationLink("settings")
	}
	return ""
}

func (c *call) slugLink(section string, data auditData) string {
	if slug, ok := data.After["slug"].(string); ok {
		return c.organizationLink(section, slug)
	}
	return ""
}
