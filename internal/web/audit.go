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
	HasDates bool
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
	view.HasDates = f.typed("from") != "" || f.typed("to") != ""
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
	view.List.Empty = emptyState{Title: "No activity yet", Text: "Every change is recorded here: who did what, when, " +
		"and from where."}
	if view.Filtered || len(f.Problems) > 0 {
		view.List.Empty = emptyState{"No matching events", "No events match these filters.", "Show all events",
			c.organizationLink("audit")}
	}
	return c.showForm(f, page{template: "audit", Title: "Audit log", Section: "audit",
		Crumbs: []crumb{{Label: "Audit log"}}, View: view}), nil
}

// auditForm is the form that chooses events, with what the address asks for.
func (c *call) auditForm() *form {
	types := []option{{Label: "All events"}}
	for _, t := range domain.AuditEventTypes {
		types = append(types, option{Value: string(t), Label: describeAuditType(string(t))})
	}
	f := c.newForm("Filter",
		field{Name: "type", Label: "Event", Kind: "select", Options: types},
		field{Name: "actor", Label: "Who", Placeholder: "Name or email"},
		field{Name: "subject", Label: "What", Placeholder: "Name or UUID"},
		field{Name: "from", Label: "From", Kind: "date"},
		field{Name: "to", Label: "To", Kind: "date"})
	for i := range f.Fields {
		f.Fields[i].Value = strings.TrimSpace(c.query(f.Fields[i].Name))
	}
	return f
}

// auditNouns are what pages call things otherwise than audit events do.
var auditNouns = strings.NewReplacer("api ", "API ", "cluster token", "agent token", "cluster queue", "queue",
	"cluster permission", "cluster maintainer",
	"organization member", "member", "organization invitation", "invitation", "updated", "changed")

// describeAuditType returns an audit event's type, or a kind of subject, as words: Queue created.
func describeAuditType(t string) string {
	words := auditNouns.Replace(strings.ToLower(strings.ReplaceAll(t, "_", " ")))
	return strings.ToUpper(words[:1]) + words[1:]
}

// eventSentence is what an audit event says was done, around the name of what it was done to: "added", May, "to a
// team".
type eventSentence struct{ Before, After string }

// eventSentences are those that are not made of the type: created the cluster.
var eventSentences = map[domain.AuditEventType]eventSentence{
	"API_ACCESS_TOKEN_CREATED":                     {Before: "created the API access token"},
	"API_ACCESS_TOKEN_DELETED":                     {Before: "revoked the API access token"},
	"API_ACCESS_TOKEN_ORGANIZATION_ACCESS_REVOKED": {Before: "revoked the access of the API access token"},
	"CLUSTER_PERMISSION_CREATED":                   {"made", "a cluster maintainer"},
	"CLUSTER_PERMISSION_DELETED":                   {"removed", "as a cluster maintainer"},
	"ORGANIZATION_INVITATION_ACCEPTED":             {Before: "accepted the invitation to"},
	"ORGANIZATION_INVITATION_CREATED":              {Before: "invited"},
	"ORGANIZATION_INVITATION_RESENT":               {Before: "resent the invitation to"},
	"ORGANIZATION_INVITATION_REVOKED":              {Before: "revoked the invitation to"},
	"ORGANIZATION_MEMBER_CREATED":                  {"added", "to the organization"},
	"ORGANIZATION_MEMBER_DELETED":                  {"removed", "from the organization"},
	"ORGANIZATION_MEMBER_UPDATED":                  {Before: "changed the role of"},
	"ORGANIZATION_SECURITY_SETTINGS_UPDATED":       {Before: "changed the security settings of"},
	"ORGANIZATION_BILLING_SETTING_UPDATED":         {Before: "changed the billing of"},
	"PIPELINE_VISIBILITY_CHANGED":                  {Before: "changed the visibility of"},
	"PIPELINE_WEBHOOK_URL_ROTATED":                 {Before: "changed the webhook's address of"},
	"NOTIFICATION_SERVICE_CREATED":                 {Before: "created the notification service"},
	"NOTIFICATION_SERVICE_DELETED":                 {Before: "deleted the notification service"},
	"NOTIFICATION_SERVICE_DISABLED":                {Before: "disabled the notification service"},
	"NOTIFICATION_SERVICE_ENABLED":                 {Before: "enabled the notification service"},
	"NOTIFICATION_SERVICE_UPDATED":                 {Before: "changed the notification service"},
	"SCM_REPOSITORY_HOST_CREATED":                  {Before: "connected the repository host"},
	"SCM_REPOSITORY_HOST_DESTROYED":                {Before: "removed the repository host"},
	"SCM_REPOSITORY_HOST_UPDATED":                  {Before: "changed the connection with the repository host"},
	"PORTAL_TOKEN_CODE_AUTHORIZED":                 {Before: "authorized a program to run a portal:"},
	"TEAM_MEMBER_CREATED":                          {"added", "to a team"},
	"TEAM_MEMBER_DELETED":                          {"removed", "from a team"},
	"TEAM_MEMBER_UPDATED":                          {Before: "changed the team role of"},
	"TEAM_PIPELINE_CREATED":                        {Before: "gave a team access to"},
	"TEAM_PIPELINE_DELETED":                        {Before: "removed a team's access to"},
	"TEAM_PIPELINE_UPDATED":                        {Before: "changed a team's access to"},
	"USER_PASSWORD_RESET":                          {Before: "reset the password of"},
	"USER_UPDATED":                                 {Before: "changed the profile of"},
}

// describeEvent returns what an audit event's type says was done.
func describeEvent(t domain.AuditEventType) eventSentence {
	if sentence, special := eventSentences[t]; special {
		return sentence
	}
	words := strings.Fields(auditNouns.Replace(strings.ToLower(strings.ReplaceAll(string(t), "_", " "))))
	last := len(words) - 1
	return eventSentence{Before: words[last] + " the " + strings.Join(words[:last], " ")}
}

// describeSurface returns the way by which a request came, as words.
func describeSurface(surface string) string {
	words := map[authz.Surface]string{
		authz.REST: "REST", authz.GraphQL: "GraphQL", authz.Portal: "Portal", authz.Web: "Web interface",
		authz.Operator: "Command line",
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
			f.addFault("type", "Choose a type of event from the list")
		}
	}
	if actor := f.typed("actor"); actor != "" {
		if filter.Actors, err = c.actorIDs(actor); err != nil {
			return filter, err
		}
		if len(filter.Actors) == 0 {
			f.addFault("actor", "No member has that name or email address, and it isn't a UUID")
		}
	}
	if subject := f.typed("subject"); subject != "" {
		if filter.Subjects, err = c.subjectIDs(subject); err != nil {
			return filter, err
		}
		if len(filter.Subjects) == 0 {
			f.addFault("subject", "Nothing has that name, and it isn't a UUID")
		}
	}
	filter.From = f.typedDay("from", 0)
	filter.To = f.typedDay("to", 1) // the day itself is included
	return filter, nil
}

// actorIDs returns the ids of who is meant by an id, or by a part of members' names or email addresses.
func (c *call) actorIDs(text string) (ids []string, err error) {
	if id, ok := domain.ParseID[string](text); ok {
		return []string{id}, nil
	}
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		most := int64(pageSize)
		found, err := c.findPeople(r, o, text, read.ConnectionPart{First: &most})
		ids = idsOf(found)
		return err
	})
	return ids, err
}

// subjectIDs returns the ids of what is meant by an id, or by a part of the name of clusters, pipelines, teams and
// members.
func (c *call) subjectIDs(text string) (ids []string, err error) {
	if id, ok := domain.ParseID[string](text); ok {
		return []string{id}, nil
	}
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := c.findEverywhere(r, o, text, pageSize)
		ids = nil
		for _, group := range found {
			ids = append(ids, idsOf(group.Hits)...)
		}
		return err
	})
	return ids, err
}

// idsOf returns the ids of what was found. Builds have none here: audit events are not about them.
func idsOf(hits []searchHit) (ids []string) {
	for _, hit := range hits {
		if hit.ID != "" {
			ids = append(ids, hit.ID)
		}
	}
	return ids
}

// typedDay returns the midnight (UTC) with which the day in a field begins, or that many days later; nil if the field
// is empty.
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
	view := auditEventView{Event: event, Changes: data.changes(), Subject: c.subjectLink(event, data), Same: log +
		"?subject=" + event.Subject.ID}
	if event.Actor.ID != "" {
		view.ByActor = log + "?actor=" + event.Actor.ID
	}
	return c.show(page{template: "audit_event", Title: describeAuditType(string(event.Type)), Section: "audit",
		Crumbs: []crumb{{"Audit log", log}, {Label: describeAuditType(string(event.Type))}}, View: view}), nil
}

// subjectLink returns the address of what was changed, or "" if it is gone or has no page.
func (c *call) subjectLink(event domain.AuditEvent, data auditData) string {
	if data.After == nil {
		return ""
	}
	switch event.Subject.Type {
	case domain.ClusterSubject:
		return c.organizationLink("clusters", event.Subject.ID)
	case domain.ClusterQueueSubject:
		return c.inClusterLink(data, "queues", event.Subject.ID)
	case domain.ClusterTokenSubject:
		return c.inClusterLink(data, "tokens")
	case domain.ClusterPermissionSubject:
		return c.inClusterLink(data, "maintainers")
	case domain.CacheRegistrySubject:
		return c.inClusterLink(data, "registries", event.Subject.ID)
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

// inClusterLink returns the address of a page of the cluster that an event's subject is in.
func (c *call) inClusterLink(data auditData, segments ...string) string {
	if cluster, ok := data.After["cluster_id"].(string); ok {
		return c.organizationLink(append([]string{"clusters", cluster}, segments...)...)
	}
	return ""
}

func (c *call) slugLink(section string, data auditData) string {
	if slug, ok := data.After["slug"].(string); ok {
		return c.organizationLink(section, slug)
	}
	return ""
}
