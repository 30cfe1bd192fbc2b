package graph_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// newRepositoryHost starts a repository host that takes every token, and returns its address.
func newRepositoryHost(t *testing.T) string {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, `{"login": "ada", "id": 12}`)
	}))
	t.Cleanup(host.Close)
	return host.URL
}

func TestPipelineWebhookMutations(t *testing.T) {
	t.Parallel()
	host := newRepositoryHost(t)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := s.Post(testkit.AdminToken, acme+"/pipelines", fields{"name": "hosted", "repository": host + "/acme/web.git", "cluster_id": testkit.MaintainedID}).Want(t, 201).Text("graphql_id")
		const create = `mutation ($p: ID!) { pipelineCreateWebhook(input: {id: $p}) { pipelineID pipeline { id webhookURL } webhook { __typename externalId url provider { name } } } }`
		input := fields{"p": pipeline}
		wantError(t, s.GraphQL(testkit.AdminToken, create, input), "The repository "+host+"/acme/web.git is at no host that the organization is connected with", "pipelineCreateWebhook")
		s.Post(testkit.AdminToken, acme+"/repository_connections", fields{"type": "gitea", "host": fields{"url": host}, "token": "good-token"}).Want(t, 201)
		wantError(t, s.GraphQL(testkit.MemberToken, create, input), "Forbidden", "pipelineCreateWebhook")
		wantError(t, s.GraphQL(testkit.OutsiderToken, create, input), "No pipeline found", "pipelineCreateWebhook")
		payload := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, create, input)), "pipelineCreateWebhook").(item)
		address, _ := dig(t, payload, "webhook", "url").(string)
		if payload["pipelineID"] != pipeline || dig(t, payload, "webhook", "externalId") != "12" || dig(t, payload, "webhook", "__typename") != "RepositoryProviderGithubEnterpriseWebhook" ||
			dig(t, payload, "webhook", "provider", "name") != "Gitea" || dig(t, payload, "pipeline", "webhookURL") != address || !strings.HasPrefix(address, s.URL+"/deliver/") {
			t.Errorf("the webhook is %v", payload)
		}

		const rotate = `mutation ($p: ID!) { pipelineRotateWebhookURL(input: {id: $p}) { pipeline { webhookURL } } }`
		wantError(t, s.GraphQL(testkit.MemberToken, rotate, input), "Forbidden", "pipelineRotateWebhookURL")
		if rotated := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, rotate, input)), "pipelineRotateWebhookURL", "pipeline", "webhookURL"); rotated == address || rotated == nil {
			t.Errorf("the address is %v", rotated)
		}

		const remove = `mutation ($p: ID!, $r: String) { pipelineDeleteWebhook(input: {id: $p, repository: $r}) { deletedWebhookExternalId pipeline { id } } }`
		wantError(t, s.GraphQL(testkit.MemberToken, remove, input), "Forbidden", "pipelineDeleteWebhook")
		wantError(t, s.GraphQL(testkit.AdminToken, remove, fields{"p": pipeline, "r": "acme/other"}), "No webhook found", "pipelineDeleteWebhook")
		deleted := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, remove, fields{"p": pipeline, "r": "acme/web"})), "pipelineDeleteWebhook")
		if dig(t, deleted, "deletedWebhookExternalId") != "12" || dig(t, deleted, "pipeline", "id") != pipeline {
			t.Errorf("deleted %v", deleted)
		}
		wantError(t, s.GraphQL(testkit.AdminToken, remove, input), "No webhook found", "pipelineDeleteWebhook")
	})
}
