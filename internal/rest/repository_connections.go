package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/provider"
	"penstock/internal/service/core"
)

const inConnection = inOrganization + "/repository_connections/{id}"

func (a *API) repositoryConnectionEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/repository_connections", Operation: "listRepositoryConnections",
			Summary: "Lists an organization's connections with repository hosts, the oldest first. Administrators only.",
			Scope:   domain.ScopeReadConnections, Answer: []connectionAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				connections, err := a.Starts.RepositoryConnections(c.Context(), c.Actor(), organizationRef(c))
				shown := make([]connectionAnswer, len(connections))
				for i, connection := range connections {
					shown[i] = a.showConnection(c.Path("org"), connection)
				}
				return shown, err
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/repository_connections", Operation: "createRepositoryConnection",
			Summary: "Connects an organization with a repository host, once the host has taken the token. Administrators only.",
			Scope:   domain.ScopeWriteOrganizations, Body: connectionBody{}, Answer: fullConnectionAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				made, err := a.Starts.CreateRepositoryConnection(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, connectionBody.input))
				return a.showFullConnection(c.Path("org"), made), err
			},
		},
		{
			Method: http.MethodGet, Path: inConnection, Operation: "getRepositoryConnection",
			Summary: "Gets a connection with a repository host. Administrators only.",
			Scope:   domain.ScopeReadConnections, Answer: fullConnectionAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				found, err := a.Starts.RepositoryConnection(c.Context(), c.Actor(), organizationRef(c), c.Path("id"))
				return a.showFullConnection(c.Path("org"), found), err
			},
		},
		{
			Method: http.MethodPatch, Path: inConnection, Operation: "updateRepositoryConnection",
			Summary: "Changes a connection with a repository host, once the host has taken the token. Administrators only.",
			Scope:   domain.ScopeWriteOrganizations, Body: connectionBody{}, Answer: fullConnectionAnswer{},
			Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusConflict, http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				changed, err := a.Starts.UpdateRepositoryConnection(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					readBody(c, connectionBody.input), a.requireConnection(c))
				return a.showFullConnection(c.Path("org"), changed), err
			},
		},
		{
			Method: http.MethodDelete, Path: inConnection, Operation: "deleteRepositoryConnection",
			Summary: "Ends a connection with a repository host. Builds publish nothing there any more. Administrators only.",
			Scope:   domain.ScopeWriteOrganizations, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Starts.DeleteRepositoryConnection(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					a.requireConnection(c))
			},
		},
		{
			Method: http.MethodGet, Path: inConnection + "/repositories", Operation: "listConnectionRepositories",
			Summary: "Lists repositories that the token of a connection sees, at most 100. Administrators only.",
			Scope:   domain.ScopeReadConnections, Answer: []hostRepositoryAnswer{}, Status: http.StatusOK,
			Errors: []int{http.StatusUnprocessableEntity},
			Query: []endpoint.QueryParameter{{Name: "repository", Doc: "Only the repository with this full name, such as " +
				"acme/web."}},
			Handle: func(c *endpoint.Call) (any, error) {
				query, err := c.Query()
				if err != nil {
					return nil, err
				}
				found, err := a.Starts.ConnectionRepositories(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					query.Get("repository"))
				shown := make([]hostRepositoryAnswer, len(found))
				for i, r := range found {
					shown[i] = showHostRepository(r)
				}
				return shown, err
			},
		},
		{
			Method: http.MethodPost, Path: inPipeline + "/webhook", Operation: "createPipelineWebhook",
			Summary: "Creates a webhook at the host of a pipeline's repository, with the token of the organization's " +
				"connection with the host. One that was created so before is replaced.",
			Scope: domain.ScopeWritePipelines, Answer: pipelineWebhookAnswer{}, Status: http.StatusCreated,
			Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				made, err := a.Starts.CreatePipelineWebhook(c.Context(), c.Actor(), pipelineRef(c))
				return pipelineWebhookAnswer{ID: made.ExternalID, Repository: made.Repository,
					CreatedAt: endpoint.Timestamp(made.CreatedAt)}, err
			},
		},
	}
}

// requireConnection returns the precondition that a connection is still as the caller has read it.
func (a *API) requireConnection(c *endpoint.Call) *core.Precondition[domain.RepositoryConnection] {
	return requireMatch(c, func(connection domain.RepositoryConnection) fullConnectionAnswer {
		return a.showFullConnection(c.Path("org"), connection)
	})
}

type connectionHostBody struct {
	URL domain.Optional[string] `json:"url" doc:"Where people find the host, such as https://git.example.com. Not needed for github, gitlab and bitbucket."`
}

type connectionBody struct {
	Type          domain.Optional[string]             `json:"type" required:"create" enum:"github,github_enterprise,gitlab,gitlab_self_managed,bitbucket,bitbucket_server,gitea" doc:"What kind of host it is. gitea is for Gitea and Forgejo. It can't be changed."`
	Host          domain.Optional[connectionHostBody] `json:"host" doc:"The host."`
	DisplayName   domain.Optional[string]             `json:"display_name" doc:"What people call the connection. By default the URL of the host."`
	Token         domain.Optional[string]             `json:"token" required:"create" doc:"An access token of an account at the host, which may publish commit statuses and, if webhooks are to be created, manage those of repositories. It is stored encrypted and never shown."`
	WebhookSecret domain.Optional[string]             `json:"webhook_secret" doc:"The secret that the host signs deliveries with, 8 to 255 characters: deliveries without a signature are refused then. Null for none. It is stored encrypted and never shown."`
}

func (b connectionBody) input() domain.ConnectionInput {
	return domain.ConnectionInput{Type: b.Type, URL: b.Host.Value.URL, DisplayName: b.DisplayName,
		Token: asSecret(b.Token), WebhookSecret: asSecret(b.WebhookSecret)}
}

type connectionAnswer struct {
	ID          domain.ConnectionID `json:"id" format:"uuid" doc:"The connection's UUID."`
	Type        string              `json:"type" doc:"What kind of host it is."`
	DisplayName string              `json:"display_name" doc:"What people call the connection."`
	URL         string              `json:"url" format:"uri" doc:"The connection in this API."`
}

type fullConnectionAnswer struct {
	ID             domain.ConnectionID   `json:"id" format:"uuid" doc:"The connection's UUID."`
	Type           string                `json:"type" doc:"What kind of host it is."`
	DisplayName    string                `json:"display_name" doc:"What people call the connection."`
	URL            string                `json:"url" format:"uri" doc:"The connection in this API."`
	ServiceAccount *serviceAccountAnswer `json:"service_account" doc:"Whose token it is. Null if the host does not say."`
	Host           connectionHostAnswer  `json:"host" doc:"The host."`
	RateLimit      *hostLimitAnswer      `json:"rate_limit" doc:"How many requests the host takes, as it said last. Null if it did not say."`
}

type hostLimitAnswer struct {
	Limit     int64              `json:"limit" doc:"How many requests the host takes until the limit is reset."`
	Used      int64              `json:"used" doc:"How many of them were sent."`
	Remaining int64              `json:"remaining" doc:"How many of them are left."`
	ResetAt   endpoint.Timestamp `json:"reset_at" doc:"When the limit is reset."`
}

type serviceAccountAnswer struct {
	Login string `json:"login" doc:"The account's name at the host."`
}

type connectionHostAnswer struct {
	Type string `json:"type" doc:"What kind of host it is."`
	URL  string `json:"url" format:"uri" doc:"Where people find the host."`
}

func (a *API) showConnection(organization string, c domain.RepositoryConnection) connectionAnswer {
	return connectionAnswer{ID: c.ID, Type: c.Type(), DisplayName: c.DisplayName, URL: a.BaseURL + "/v2/organizations/" +
		organization + "/repository_connections/" + string(c.ID)}
}

func (a *API) showFullConnection(organization string, c domain.RepositoryConnection) fullConnectionAnswer {
	short := a.showConnection(organization, c)
	full := fullConnectionAnswer{ID: short.ID, Type: short.Type, DisplayName: short.DisplayName, URL: short.URL,
		Host: connectionHostAnswer{Type: string(c.Kind), URL: c.URL}}
	if c.Login != "" {
		full.ServiceAccount = &serviceAccountAnswer{c.Login}
	}
	if l := c.RateLimit; l != nil {
		full.RateLimit = &hostLimitAnswer{l.Limit, l.Used, l.Remaining, endpoint.Timestamp(l.ResetAt)}
	}
	return full
}

type hostRepositoryAnswer struct {
	FullName      string  `json:"full_name" doc:"What the repository is called at the host, such as acme/web."`
	HTMLURL       string  `json:"html_url" format:"uri" doc:"The repository's page."`
	CloneURL      string  `json:"clone_url" doc:"Where the repository is cloned from."`
	DefaultBranch *string `json:"default_branch" doc:"The repository's default branch. Null if it has none."`
}

func showHostRepository(r provider.Repository) hostRepositoryAnswer {
	return hostRepositoryAnswer{FullName: r.FullName, HTMLURL: r.HTMLURL, CloneURL: r.CloneURL,
		DefaultBranch: nullIfEmpty(r.DefaultBranch)}
}

type pipelineWebhookAnswer struct {
	ID         string             `json:"id" doc:"The webhook's id at the host."`
	Repository string             `json:"repository" doc:"What the repository is called at the host, such as acme/web."`
	CreatedAt  endpoint.Timestamp `json:"created_at" doc:"When the webhook was created."`
}
