package web

import (
	"fmt"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

const inConnection = inOrganization + "/repositories/{connection}"

var repositoryConnectionRoutes = []route{
	{path: inOrganization + "/repositories", get: showConnections},
	{path: inOrganization + "/repositories/new", get: newConnection, post: newConnection},
	{path: inConnection + "/edit", get: editConnection, post: editConnection},
	{path: inConnection + "/try", post: tryConnection},
	{path: inConnection + "/delete", get: deleteConnection, post: deleteConnection},
	{path: inOrganization + "/outbox", get: showNotices},
	{path: inOrganization + "/outbox/{notice}/resend", post: resendNotice},
}

type connectionsView struct {
	Connections []connectionRow
	List        listFrame
	New         string
	Outbox      string
}

type connectionRow struct {
	domain.RepositoryConnection
	To string
}

func (c *call) connectionsPage(template, title string, view any) page {
	crumbs := []crumb{{Label: "Repository hosts"}}
	if title != "Repository hosts" {
		crumbs = []crumb{{Label: "Repository hosts", To: c.organizationLink("repositories")}, {Label: title}}
	}
	return page{template: template, Title: title, Section: "repositories", Crumbs: crumbs, View: view}
}

func showConnections(c *call) (*reply, error) {
	found, err := c.Starts.RepositoryConnections(c.ctx(), c.actor(), c.organizationRef())
	if err != nil {
		return nil, err
	}
	view := connectionsView{New: c.organizationLink("repositories", "new"), Outbox: c.organizationLink("outbox"),
		List: c.newList("host", "hosts", int64(len(found)), len(found))}
	for _, connection := range found {
		view.Connections = append(view.Connections, connectionRow{connection, c.organizationLink("repositories",
			string(connection.ID))})
	}
	view.List.Empty = emptyState{"No repository hosts yet", "Connect a host such as GitHub, GitLab or Gitea: pushes " +
		"start builds, and commits show how these went.", "Connect a host", view.New}
	return c.show(c.connectionsPage("repository_connections", "Repository hosts", view)), nil
}

// providerNames are what people call the kinds of hosts.
var providerNames = []option{
	{Value: "gitea", Label: "Gitea or Forgejo"}, {Value: "github", Label: "GitHub"}, {Value: "github_enterprise",
		Label: "GitHub Enterprise Server"},
	{Value: "gitlab", Label: "GitLab"}, {Value: "bitbucket", Label: "Bitbucket"},
	{Value: "bitbucket_server", Label: "Bitbucket Server"},
}

const (
	connectionTokenName   = "token"
	connectionWebhookName = "webhook_secret"
)

// connectionFields are where a connection is described; its secrets are never shown again.
func connectionFields(url, name string, isNew bool) []field {
	token := field{Name: connectionTokenName, Label: "Access token", Kind: "password", Autocomplete: "off",
		Required: isNew,
		Help: "A token of an account that can publish commit statuses and create webhooks. It is stored encrypted, and " +
			"nobody can see it again."}
	secret := field{Name: connectionWebhookName, Label: "Webhook secret", Kind: "password", Autocomplete: "off",
		Help: "If set, only deliveries that the host signed with it are accepted. At least 8 characters."}
	if !isNew {
		token.Help, secret.Help = "Leave empty to keep the one that is stored.", "Leave empty to keep the one that is stored."
	}
	return []field{
		{Name: "host", Label: "URL", Value: url, Placeholder: "https://git.example.com",
			Help: "Where people find the host. Leave empty for github.com, gitlab.com and bitbucket.org."},
		{Name: "display_name", Label: "Name", Value: name, Help: "Shown in lists. If empty, the URL is."},
		token, secret,
	}
}

// connectionInput returns what was typed about a connection. An empty secret is none, or stays as it is.
func connectionInput(f *form) domain.ConnectionInput {
	in := domain.ConnectionInput{URL: f.typedInput("host"), DisplayName: f.typedInput("display_name")}
	if token := f.popSecret(connectionTokenName); token != "" {
		in.Token = domain.Some(token)
	}
	if secret := f.popSecret(connectionWebhookName); secret != "" {
		in.WebhookSecret = domain.Some(secret)
	}
	return in
}

func newConnection(c *call) (*reply, error) {
	if err := c.require(authz.WriteConnection); err != nil {
		return nil, err
	}
	f := c.newForm("Connect", append([]field{{Name: "type", Label: "Host", Kind: "select", Options: providerNames}},
		connectionFields("", "", true)...)...)
	f.Cancel = c.organizationLink("repositories")
	if c.isPost() {
		in := connectionInput(f)
		in.Type = f.typedInput("type")
		if in.Type.Value == string(domain.GitLab) && in.URL.Value != "" {
			in.Type.Value = domain.GitLabSelfManaged
		}
		made, err := c.Starts.CreateRepositoryConnection(c.ctx(), c.actor(), c.organizationRef(), inputOf(in))
		if err == nil {
			return c.redirect(f.Cancel, "Connected with "+made.DisplayName+"."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.connectionsPage("form", "Connect a host",
		formView{Intro: "Before anything is stored, the host is asked whether it accepts the token.", Form: f})), nil
}

func (c *call) namedConnection() (domain.RepositoryConnection, error) {
	return c.Starts.RepositoryConnection(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("connection"))
}

func editConnection(c *call) (*reply, error) {
	connection, err := c.namedConnection()
	if err != nil {
		return nil, err
	}
	f := c.newForm("Save", connectionFields(connection.URL, connection.DisplayName, false)...)
	f.Cancel = c.organizationLink("repositories")
	if c.isPost() {
		_, err := c.Starts.UpdateRepositoryConnection(c.ctx(), c.actor(), c.organizationRef(), string(connection.ID),
			inputOf(connectionInput(f)), nil)
		if err == nil {
			return c.redirect(f.Cancel, "Connection saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.connectionsPage("form", "Edit "+connection.DisplayName, formView{Form: f})), nil
}

func tryConnection(c *call) (*reply, error) {
	connection, err := c.namedConnection()
	if err != nil {
		return nil, err
	}
	login, err := c.Starts.TryRepositoryConnection(c.ctx(), c.actor(), c.organizationRef(), string(connection.ID))
	message := connection.DisplayName + " takes the token."
	switch {
	case domain.CodeOf(err) == domain.Invalid:
		message = err.Error()
	case err != nil:
		return nil, err
	case login != "":
		message = fmt.Sprintf("%s takes the token of %s.", connection.DisplayName, login)
	}
	return c.redirect(c.organizationLink("repositories"), message), nil
}

func deleteConnection(c *call) (*reply, error) {
	connection, err := c.namedConnection()
	if err != nil {
		return nil, err
	}
	p := c.connectionsPage("", "Remove", nil)
	return c.confirm(confirmation{
		Title: "Remove the connection with " + connection.DisplayName + "?",
		Text: "Its token is deleted. Builds publish no statuses there any more. Webhooks that exist go on delivering, " +
			"unsigned.",
		Button:  "Remove connection",
		Cancel:  c.organizationLink("repositories"),
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error {
		return c.Starts.DeleteRepositoryConnection(c.ctx(), c.actor(), c.organizationRef(), string(connection.ID), nil)
	}, c.organizationLink("repositories"), "Connection removed.")
}

type noticesView struct {
	Notices []noticeRow
	List    listFrame
}

type noticeRow struct {
	*domain.NoticeView
	Words  string // for its state
	Build  string // the address of its build; empty: none
	Resend string // the address that sends it again; empty: it can't be
}

// noticeWords are what people call the states of notices.
var noticeWords = map[domain.NoticeState]string{
	domain.NoticeNew: "waiting", domain.NoticeWaiting: "waiting", domain.NoticeSent: "sent", domain.NoticeFailed: "failed",
	domain.NoticeReplaced: "replaced by a newer one",
	domain.NoticeUnwanted: "not sent",
}

func showNotices(c *call) (*reply, error) {
	found, err := c.Notices.Notices(c.ctx(), c.actor(), c.organizationRef(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := noticesView{List: c.newList("notice", "notices", found.Total, len(found.Items))}
	for _, n := range found.Items {
		view.Notices = append(view.Notices, c.showNotice(n))
	}
	view.List.Empty = emptyState{Title: "Nothing was sent yet", Text: "What builds publish to repository hosts is " +
		"listed here for seven days, with the answers."}
	return c.show(c.connectionsPage("notices", "Outbox", view)), nil
}

func (c *call) showNotice(n *domain.NoticeView) noticeRow {
	row := noticeRow{NoticeView: n, Words: noticeWords[n.State]}
	if n.PipelineSlug != "" {
		row.Build = c.linkToBuild(c.organization(), n.PipelineSlug, n.BuildNumber)
	}
	if n.State == domain.NoticeSent || n.State == domain.NoticeFailed {
		row.Resend = c.organizationLink("outbox", string(n.ID), "resend")
	}
	return row
}

func resendNotice(c *call) (*reply, error) {
	_, err := c.Notices.ResendNotice(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("notice"))
	if err != nil && domain.CodeOf(err) != domain.Invalid {
		return nil, err
	}
	message := "It will be sent again."
	if err != nil {
		message = err.Error()
	}
	return c.redirect(c.organizationLink("outbox"), message), nil
}
