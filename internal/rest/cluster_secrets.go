package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inClusterSecret = inCluster + "/secrets/{id}"

func (a *API) clusterSecretEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inCluster + "/secrets", Operation: "listClusterSecrets",
			Summary: "Lists a cluster's secrets, by key, without their values. Managers of the cluster only.",
			Scope:   domain.ScopeReadSecrets, Answer: []clusterSecretAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.ClusterSecretView], error) {
					return a.Service.ClusterSecrets(c.Context(), c.Actor(), clusterRef(c), page)
				}, a.showClusterSecret)
			},
		},
		{
			Method: http.MethodPost, Path: inCluster + "/secrets", Operation: "createClusterSecret",
			Summary: "Creates a secret in a cluster. Its value is never shown.",
			Scope:   domain.ScopeWriteSecrets, Body: clusterSecretBody{}, Answer: clusterSecretAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				s, err := a.Service.CreateClusterSecret(c.Context(), c.Actor(), clusterRef(c), readBody(c, clusterSecretBody.input))
				return a.showClusterSecret(s), err
			},
		},
		{
			Method: http.MethodGet, Path: inClusterSecret, Operation: "getClusterSecret",
			Summary: "Gets a secret, without its value.",
			Scope:   domain.ScopeReadSecrets, Answer: clusterSecretAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				s, err := a.Service.ClusterSecret(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return a.showClusterSecret(s), err
			},
		},
		{
			Method: http.MethodPut, Alias: http.MethodPatch, Path: inClusterSecret, Operation: "updateClusterSecret",
			Summary: "Changes a secret's description and policy. Its key stays.",
			Scope:   domain.ScopeWriteSecrets, Body: clusterSecretBody{}, Answer: clusterSecretAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				s, err := a.Service.UpdateClusterSecret(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					readBody(c, clusterSecretBody.input), requireMatch(c, a.showClusterSecret))
				return a.showClusterSecret(s), err
			},
		},
		{
			Method: http.MethodPut, Path: inClusterSecret + "/value", Operation: "updateClusterSecretValue",
			Summary: "Sets a secret's value.",
			Scope:   domain.ScopeWriteSecrets, Body: clusterSecretValueBody{}, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.SetClusterSecretValue(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					readBody(c, clusterSecretValueBody.input), requireMatch(c, a.showClusterSecret))
				return nil, err
			},
		},
		{
			Method: http.MethodDelete, Path: inClusterSecret, Operation: "deleteClusterSecret",
			Summary: "Deletes a secret. Jobs can't read it any more.",
			Scope:   domain.ScopeWriteSecrets, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeleteClusterSecret(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					requireMatch(c, a.showClusterSecret))
			},
		},
	}
}

type clusterSecretBody struct {
	Key         domain.Optional[string] `json:"key" required:"create" pattern:"^[A-Za-z][A-Za-z0-9_]*$" doc:"Letters, digits and _, at most 255, a letter first; not beginning with buildkite or bk. Unique in the cluster, and can't be changed."`
	Value       domain.Optional[string] `json:"value" required:"create" doc:"1 to 8,192 bytes. It is stored encrypted and never shown. Changed by a request of its own."`
	Description domain.Optional[string] `json:"description" doc:"At most 10,000 characters. Null for none."`
	Policy      domain.Optional[string] `json:"policy" doc:"Which jobs may read the secret: a list of rules in YAML, each a map of claims with a value or a list of values. Null or empty for all jobs of the cluster."`
}

func (b clusterSecretBody) input() domain.ClusterSecretInput {
	return domain.ClusterSecretInput{Key: b.Key, Value: asSecret(b.Value), Description: b.Description, Policy: b.Policy}
}

type clusterSecretValueBody struct {
	Value domain.Optional[string] `json:"value" required:"true" doc:"1 to 8,192 bytes. It is stored encrypted and never shown."`
}

func (b clusterSecretValueBody) input() domain.Optional[domain.Secret] { return asSecret(b.Value) }

func asSecret(text domain.Optional[string]) domain.Optional[domain.Secret] {
	return domain.Optional[domain.Secret]{Value: domain.Secret(text.Value), Given: text.Given, Null: text.Null}
}

type clusterSecretAnswer struct {
	ID           domain.ClusterSecretID `json:"id" format:"uuid" doc:"The secret's UUID."`
	GraphQLID    string                 `json:"graphql_id" doc:"The secret's ID in the GraphQL API."`
	Key          string                 `json:"key" doc:"What jobs call the secret. Unique in the cluster."`
	Description  *string                `json:"description" doc:"What the secret is for."`
	Policy       *string                `json:"policy" doc:"Which jobs may read the secret, in YAML. Null for all jobs of the cluster."`
	URL          string                 `json:"url" format:"uri" doc:"The secret in this API."`
	ClusterURL   string                 `json:"cluster_url" format:"uri" doc:"The secret's cluster in this API."`
	CreatedAt    endpoint.Timestamp     `json:"created_at" doc:"When the secret was created."`
	CreatedBy    *userAnswer            `json:"created_by" doc:"Who created the secret. Null if they are gone."`
	UpdatedAt    endpoint.Timestamp     `json:"updated_at" doc:"When the secret or its value was changed last."`
	UpdatedBy    *userAnswer            `json:"updated_by" doc:"Who changed the secret or its value last. Null if they are gone."`
	LastReadAt   *endpoint.Timestamp    `json:"last_read_at" doc:"When a job read the secret's value last, to the minute. Null if none has."`
	Organization secretOwnerAnswer      `json:"organization" doc:"The organization that the secret belongs to."`
}

type secretOwnerAnswer struct {
	ID     domain.OrganizationID `json:"id" format:"uuid" doc:"The organization's UUID."`
	Slug   string                `json:"slug" doc:"The organization's slug."`
	URL    string                `json:"url" format:"uri" doc:"The organization in this API."`
	WebURL string                `json:"web_url" format:"uri" doc:"The organization in the web interface."`
}

func (a *API) showClusterSecret(s domain.ClusterSecretView) clusterSecretAnswer {
	cluster := a.clusterURL(s.OrganizationSlug, s.ClusterID)
	return clusterSecretAnswer{
		ID:          s.ID,
		GraphQLID:   domain.GraphQLID("Secret", s.ID),
		Key:         s.Key,
		Description: s.Description,
		Policy:      s.Policy,
		URL:         cluster + "/secrets/" + string(s.ID),
		ClusterURL:  cluster,
		CreatedAt:   endpoint.Timestamp(s.CreatedAt),
		CreatedBy:   a.showUser(s.CreatedBy),
		UpdatedAt:   endpoint.Timestamp(s.UpdatedAt),
		UpdatedBy:   a.showUser(s.UpdatedBy),
		LastReadAt:  endpoint.NullTimestamp(s.LastReadAt),
		Organization: secretOwnerAnswer{ID: s.OrganizationID, Slug: s.OrganizationSlug, URL: a.BaseURL +
			"/v2/organizations/" + s.OrganizationSlug,
			WebURL: a.BaseURL + "/organizations/" + s.OrganizationSlug},
	}
}
