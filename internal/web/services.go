package web

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

const inService = inOrganization + "/services/{service}"

var serviceRoutes = []route{
	{path: inOrganization + "/services", get: showServices},
	{path: inOrganization + "/services/new", get: newService, post: newService},
	{path: inService, get: showService},
	{path: inService + "/edit", get: editService, post: editService},
	{path: inService + "/try", post: tryService},
	{path: inService + "/enable", post: enableService},
	{path: inService + "/disable", post: disableService},
	{path: inService + "/delete", get: deleteService, post: deleteService},
}

// serviceWords are what people call kinds of notification services, and a new one of them.
var serviceWords = map[domain.ServiceProvider]struct{ name, of string }{
	domain.WebhookService: {"Webhook", "webhook"},
	domain.SlackService:   {"Chat", "chat"},
	domain.EmailService:   {"Mail", "mailing list"},
}

type servicesView struct {
	Services []serviceRow
	List     listFrame
	Kinds    []serviceKind
	Outbox   string
}

type serviceKind struct{ Label, To string }

type serviceRow struct {
	domain.NotificationServiceView
	Name  string
	Kind  string
	Where string // it sends to
	About string
	Last  *noticeRow // the last that was sent; nil: nothing was
	To    string
}

func (c *call) servicesPage(template, title string, view any) page {
	crumbs := []crumb{{Label: "Notifications"}}
	if title != "Notifications" {
		crumbs = []crumb{{Label: "Notifications", To: c.organizationLink("services")}, {Label: title}}
	}
	return page{template: template, Title: title, Section: "services", Crumbs: crumbs, View: view}
}

func (c *call) serviceRow(s domain.NotificationServiceView) serviceRow {
	row := serviceRow{NotificationServiceView: s, Name: serviceName(s), Kind: serviceWords[s.Provider].name,
		To: c.organizationLink("services", string(s.ID))}
	switch s.Provider {
	case domain.WebhookService:
		row.Where = s.Settings.URL
	case domain.SlackService:
		row.Where = s.Settings.Channel
	case domain.EmailService:
		row.Where = strings.Join(s.Settings.Addresses, ", ")
	}
	row.About = map[domain.ServiceScope]string{domain.AllBuilds: "All builds",
		domain.BuildsOfPipeline: "Builds of some pipelines", domain.BuildsOfTeams: "Builds of some teams",
		domain.BuildsOfClusters: "Builds of some clusters"}[s.Scope]
	if s.Branches != "" {
		row.About += ", branches " + s.Branches
	}
	return row
}

// serviceName is what people call a service.
func serviceName(s domain.NotificationServiceView) string {
	if s.Description != "" {
		return s.Description
	}
	return serviceWords[s.Provider].name
}

func showServices(c *call) (*reply, error) {
	if err := c.require(authz.WriteService); err != nil {
		return nil, err
	}
	found, err := c.Notices.NotificationServices(c.ctx(), c.actor(), c.organizationRef(),
		domain.CursorPage{Size: domain.MaxNotificationServices})
	if err != nil {
		return nil, err
	}
	last, err := c.Notices.LastServiceNotices(c.ctx(), c.actor(), c.organizationRef())
	if err != nil {
		return nil, err
	}
	view := servicesView{Outbox: c.organizationLink("outbox"), List: c.newList("service", "services",
		int64(len(found.Items)), len(found.Items))}
	for _, provider := range []domain.ServiceProvider{domain.WebhookService, domain.SlackService, domain.EmailService} {
		view.Kinds = append(view.Kinds, serviceKind{"New " + serviceWords[provider].of, c.organizationLink("services",
			"new") + "?kind=" + string(provider)})
	}
	for _, s := range found.Items {
		row := c.serviceRow(s)
		if n, sent := last[s.ID]; sent {
			row.Last = &noticeRow{NoticeView: &domain.NoticeView{Notice: n}, Words: noticeWords[n.State]}
		}
		view.Services = append(view.Services, row)
	}
	view.List.Empty = emptyState{Title: "No notification services yet", Text: "Send news of builds to a program, a chat " +
		"or a mailing list."}
	return c.show(c.servicesPage("services", "Notifications", view)), nil
}

type serviceView struct {
	Service serviceRow
	Tells   []string // events, or the states that people are notified of
	Notices []noticeRow
	List    listFrame
}

func showService(c *call) (*reply, error) {
	s, err := c.namedService()
	if err != nil {
		return nil, err
	}
	sent, err := c.Notices.ServiceNotices(c.ctx(), c.actor(), c.organizationRef(), string(s.ID))
	if err != nil {
		return nil, err
	}
	view := serviceView{Service: c.serviceRow(s), List: c.newList("notice", "notices", int64(len(sent)), len(sent)),
		Tells: s.Settings.Events}
	if s.Provider != domain.WebhookService {
		view.Tells = nil
		for _, state := range stateOptions {
			if slices.Contains(s.BuildStates, state.Value) {
				view.Tells = append(view.Tells, state.Label)
			}
		}
	}
	for i := range sent {
		view.Notices = append(view.Notices, c.showNotice(&sent[i]))
	}
	view.List.Empty = emptyState{Title: "Nothing was sent yet", Text: "Try it, or wait for a build. What is sent is " +
		"listed here for seven days, with the answers."}
	return c.show(c.servicesPage("service", view.Service.Name, view)), nil
}

// stateOptions are the states that people can be notified of.
var stateOptions = []option{
	{Value: domain.ToldPassed, Label: "A build passed"},
	{Value: domain.ToldFixed, Label: "A build passed after one that failed"},
	{Value: domain.ToldFailed, Label: "A build failed"},
	{Value: domain.ToldBlocked, Label: "A build waits for a person"}, {Value: domain.ToldCanceled,
		Label: "A build was canceled"}, {Value: domain.ToldFailing, Label: "A build will fail, though jobs still run"},
	{Value: domain.ToldActivated, Label: "Somebody unblocked a step"},
}

func eventOptions() (options []option) {
	for _, event := range domain.ServiceEvents {
		if event != domain.EventPing { // it is always sent
			options = append(options, option{Value: event, Label: event})
		}
	}
	return options
}

// serviceFields are where a notification service is described. Names are what the scope says, one on each line.
func serviceFields(s domain.NotificationServiceView, names string, isNew bool) []field {
	address := field{Name: "url", Label: "URL", Required: isNew, Code: true, Value: s.Settings.URL,
		Placeholder: "https://example.com/hook"}
	fields := []field{{Name: "description", Label: "Name", Value: s.Description, Help: "What it is for."}}
	switch s.Provider {
	case domain.WebhookService:
		token := field{Name: "token", Label: "Token", Kind: "password", Autocomplete: "off",
			Help: "Sent with each event, or used to sign it. Stored encrypted."}
		if !isNew {
			token.Help += " Leave empty to keep the one that is stored."
		}
		fields = append(fields, address, token,
			field{Name: "token_mode", Label: "Use of the token", Kind: "radio", Value: s.Settings.TokenMode, Options: []option{
				{domain.TokenInHeader, "Send it", "In the header X-Buildkite-Token."}, {domain.TokenInSignature, "Sign with it",
					"In the header X-Buildkite-Signature."}}},
			field{Name: "events", Label: "Events", Kind: "checkboxes", Options: eventOptions(), Values: s.Settings.Events})
	case domain.SlackService:
		address.Help = "An incoming webhook of Slack, Mattermost or Rocket.Chat. Stored encrypted. Nobody can see it again."
		if !isNew {
			address.Help = "Leave empty to keep the one that is stored."
		}
		fields = append(fields, address,
			field{Name: "channel", Label: "Channel", Value: s.Settings.Channel, Placeholder: "#builds",
				Help: "Pipelines name it to use this service in their notify."},
			field{Name: "theme", Label: "Messages", Kind: "radio", Value: s.Settings.Theme,
				Options: []option{{"text", "Text", ""}, {"emoji", "Begin with an emoji", ""}}})
	case domain.EmailService:
		fields = append(fields, field{Name: "addresses", Label: "Addresses", Kind: "textarea", Rows: 4, Required: true,
			Value: strings.Join(s.Settings.Addresses, "\n"), Help: "One on each line, at most 50."})
	}
	if s.Provider != domain.WebhookService {
		fields = append(fields, field{Name: "build_states", Label: "Notify when", Kind: "checkboxes", Options: stateOptions,
			Values: s.BuildStates})
	}
	return append(fields,
		field{Name: "scope", Label: "About", Kind: "radio", Value: string(s.Scope), Options: []option{
			{string(domain.AllBuilds), "All builds", ""}, {string(domain.BuildsOfPipeline), "Builds of some pipelines",
				"Name their slugs below."},
			{string(domain.BuildsOfTeams), "Builds of pipelines of some teams", "Name the teams' slugs below."},
			{string(domain.BuildsOfClusters), "Builds in some clusters", "Name the clusters below."}}},
		field{Name: "scope_uuids", Label: "Pipelines, teams or clusters", Kind: "textarea", Rows: 3, Code: true, Value: names,
			Help: "One on each line. Leave empty for all builds."},
		field{Name: "branch_configuration", Label: "Branches", Code: true, Value: s.Branches, Placeholder: "main release/*",
			Help: "Patterns of branches. Leave empty for all."})
}

// serviceInput returns what was typed about a notification service.
func (c *call) serviceInput(f *form, provider domain.ServiceProvider) (in domain.NotificationServiceInput, err error) {
	in = domain.NotificationServiceInput{Description: f.typedInput("description"),
		Branches: f.typedInput("branch_configuration"), Scope: f.typedInput("scope")}
	if address := strings.TrimSpace(f.typed("url")); address != "" {
		in.URL = domain.Some(address)
	}
	switch provider {
	case domain.WebhookService:
		if token := f.popSecret("token"); token != "" {
			in.Token = domain.Some(token.Reveal())
		}
		in.TokenMode, in.Events = f.typedInput("token_mode"), domain.Some(f.checkedValues("events"))
	case domain.SlackService:
		in.Channel, in.Theme = f.typedInput("channel"), f.typedInput("theme")
		f.popSecret("url")
	case domain.EmailService:
		in.Addresses = domain.Some(strings.Fields(f.typed("addresses")))
	}
	if provider != domain.WebhookService {
		in.BuildStates = map[string]domain.Optional[bool]{}
		for _, state := range domain.ServiceStates {
			in.BuildStates[state] = domain.Some(slices.Contains(f.checkedValues("build_states"), state))
		}
	}
	ids, err := c.scopeIDs(domain.ServiceScope(in.Scope.Value), f.typed("scope_uuids"))
	in.ScopeIDs = domain.Some(ids)
	return in, err
}

// scopeIDs returns the ids of pipelines, teams or clusters that somebody named, each on a line. What is not found stays
// as it was typed.
func (c *call) scopeIDs(scope domain.ServiceScope, typed string) (ids []string, err error) {
	if strings.TrimSpace(typed) == "" {
		return nil, nil
	}
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		ids = nil
		for line := range strings.Lines(typed) {
			name := strings.TrimSpace(line)
			if name == "" {
				continue
			}
			id, err := scopeID(r, o, scope, name)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

func scopeID(r *read.Snapshot, o *read.Organization, scope domain.ServiceScope, name string) (string, error) {
	switch scope {
	case domain.BuildsOfPipeline:
		if found, err := r.PipelineBySlug(o.Slug, name); err != nil || found != nil {
			return idOr(found, func(p *domain.PipelineView) string { return string(p.ID) }), err
		}
	case domain.BuildsOfTeams:
		if found, err := r.TeamBySlug(o.Slug, name); err != nil || found != nil {
			return idOr(found, func(t *domain.TeamView) string { return string(t.ID) }), err
		}
	case domain.BuildsOfClusters:
		found, err := r.ClustersNamed([]*read.Organization{o}, name, domain.ByName, read.ConnectionPart{})
		if err != nil {
			return "", err
		}
		named, err := found[0].Items()
		if err != nil {
			return "", err
		}
		for _, cluster := range named {
			if cluster.Name == name {
				return string(cluster.ID), nil
			}
		}
	}
	return name, nil
}

func idOr[T any](found *T, id func(*T) string) string {
	if found == nil {
		return ""
	}
	return id(found)
}

// scopeNames returns what the pipelines, teams or clusters of a service's scope are called, each on a line.
func (c *call) scopeNames(s domain.NotificationServiceView) (string, error) {
	names := slices.Clone(s.ScopeIDs)
	if len(names) == 0 {
		return "", nil
	}
	err := c.readOrganization(func(r *read.Snapshot, _ *read.Organization) error {
		switch s.Scope {
		case domain.BuildsOfPipeline:
			return nameAll(names, r.Pipelines, func(p *domain.PipelineView) string { return p.Slug })
		case domain.BuildsOfTeams:
			return nameAll(names, r.Teams, func(t *domain.TeamView) string { return t.Slug })
		case domain.BuildsOfClusters:
			return nameAll(names, r.Clusters, func(c *domain.ClusterView) string { return c.Name })
		}
		return nil
	})
	return strings.Join(names, "\n"), err
}

// nameAll puts names in the place of ids.
func nameAll[T any, ID ~string](ids []string, find func([]ID) ([]*T, error), name func(*T) string) error {
	typed := make([]ID, len(ids))
	for i, id := range ids {
		typed[i] = ID(id)
	}
	found, err := find(typed)
	for i, thing := range found {
		if thing != nil {
			ids[i] = name(thing)
		}
	}
	return err
}

// addServiceError is addError for a form whose fields are settings.
func (f *form) addServiceError(err error) error {
	if e, ok := errors.AsType[*domain.Error](err); ok && e.Code == domain.Invalid {
		faults := domain.Faults{}
		for _, fault := range e.Fields {
			if rest, found := strings.CutPrefix(fault.Reason, "Settings "); found && fault.Field == "settings" {
				name, _, _ := strings.Cut(rest, " ")
				fault.Field, fault.Reason = name, rest
			}
			faults.Add(fault.Field, fault.Reason)
		}
		if changed := faults.Err(); changed != nil {
			err = changed
		}
	}
	return f.addError(err)
}

func newService(c *call) (*reply, error) {
	if err := c.require(authz.WriteService); err != nil {
		return nil, err
	}
	provider := domain.ServiceProvider(cmp.Or(c.R.URL.Query().Get("kind"), string(domain.WebhookService)))
	words, known := serviceWords[provider]
	if !known {
		return nil, domain.Missing("kind of notification service")
	}
	begin := domain.NewServiceOf(provider)
	f := c.newForm("Create "+words.of, serviceFields(domain.NotificationServiceView{NotificationService: begin}, "",
		true)...)
	f.Cancel, f.Guarded = c.organizationLink("services"), true
	if c.isPost() {
		in, err := c.serviceInput(f, provider)
		if err != nil {
			return nil, err
		}
		in.Provider = domain.Some(string(provider))
		made, err := c.Notices.CreateNotificationService(c.ctx(), c.actor(), c.organizationRef(), inputOf(in))
		if err == nil {
			return c.redirect(c.organizationLink("services", string(made.ID)), words.name+" created."), nil
		}
		if err := f.addServiceError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.servicesPage("form", "New "+words.of, formView{Form: f})), nil
}

// namedService returns the notification service that the address names, to who may change it.
func (c *call) namedService() (domain.NotificationServiceView, error) {
	if err := c.require(authz.WriteService); err != nil {
		return domain.NotificationServiceView{}, err
	}
	return c.Notices.NotificationService(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("service"))
}

func editService(c *call) (*reply, error) {
	s, err := c.namedService()
	if err != nil {
		return nil, err
	}
	names, err := c.scopeNames(s)
	if err != nil {
		return nil, err
	}
	f := c.newForm("Save", serviceFields(s, names, false)...)
	f.Cancel, f.Guarded = c.organizationLink("services", string(s.ID)), true
	if c.isPost() {
		in, err := c.serviceInput(f, s.Provider)
		if err != nil {
			return nil, err
		}
		_, err = c.Notices.UpdateNotificationService(c.ctx(), c.actor(), c.organizationRef(), string(s.ID), inputOf(in), nil)
		if err == nil {
			return c.redirect(f.Cancel, "Saved."), nil
		}
		if err := f.addServiceError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.servicesPage("form", "Edit "+serviceName(s), formView{Form: f})), nil
}

func tryService(c *call) (*reply, error) {
	s, err := c.namedService()
	if err != nil {
		return nil, err
	}
	if err := c.Notices.TryNotificationService(c.ctx(), c.actor(), c.organizationRef(), string(s.ID)); err != nil {
		return nil, err
	}
	return c.redirect(c.organizationLink("services", string(s.ID)), "A test was sent. Reload the page to see the answer."),
		nil
}

func enableService(c *call) (*reply, error) { return c.setServiceEnabled(true, "Enabled.") }
func disableService(c *call) (*reply, error) {
	return c.setServiceEnabled(false, "Disabled: nothing is sent to it.")
}

func (c *call) setServiceEnabled(enabled bool, message string) (*reply, error) {
	s, err := c.namedService()
	if err != nil {
		return nil, err
	}
	if _, err := c.Notices.SetServiceEnabled(c.ctx(), c.actor(), c.organizationRef(), string(s.ID), enabled); err != nil {
		return nil, err
	}
	return c.redirect(c.organizationLink("services", string(s.ID)), message), nil
}

func deleteService(c *call) (*reply, error) {
	s, err := c.namedService()
	if err != nil {
		return nil, err
	}
	p := c.servicesPage("", "Remove", nil)
	return c.confirm(confirmation{
		Title: "Remove " + serviceName(s) + "?", Text: "Nothing is sent to it any more, not even what waits. This can't be " +
			"undone.", Button: "Remove",
		Cancel: c.organizationLink("services", string(s.ID)), Section: p.Section, Crumbs: p.Crumbs,
	}, func() error {
		return c.Notices.DeleteNotificationService(c.ctx(), c.actor(), c.organizationRef(), string(s.ID), nil)
	}, c.organizationLink("services"), serviceName(s)+" removed.")
}
