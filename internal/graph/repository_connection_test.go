package graph_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// newLimitedHost starts a repository host that takes every token, and says how many requests it takes.
func newLimitedHost(t *testing.T) string {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4958", "X-RateLimit-Used": "42", "X-RateLimit-Reset": "1784181600"} {
			w.Header().Set(name, value)
		}
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, `{"login": "ada", "username": "ada", "id": 12}`)
	}))
	t.Cleanup(host.Close)
	return host.URL
}

func TestOrganizationRepositoryProviders(t *testing.T) {
	t.Parallel()
	hosts := map[string]string{}
	for _, kind := range []string{"github_enterprise", "gitlab_self_managed", "bitbucket_server", "gitea"} {
		hosts[kind] = newLimitedHost(t)
	}
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const document = `{ organization(slug: "acme-inc") { repositoryProviders { __typename name
			... on OrganizationRepositoryProviderGitHub { id }
			... on OrganizationRepositoryProviderGitHubEnterpriseServer { id url rateLimit { mostRecent { limit remaining used resetAt } } }
			... on OrganizationRepositoryProviderGitLab { id url }
			... on OrganizationRepositoryProviderBitbucketServer { id url }
			... on OrganizationRepositoryProviderGitea { id url } } } }`
		list := func(token string) []any {
			t.Helper()
			return dig(t, wantData(t, s.GraphQL(token, document, nil)), "organization", "repositoryProviders").([]any)
		}
		if found := list(testkit.AdminToken); len(found) != 0 {
			t.Errorf("before one is made: %v", found)
		}
		for _, kind := range []string{"github_enterprise", "gitlab_self_managed", "bitbucket_server", "gitea"} {
			made := s.Post(testkit.AdminToken, acme+"/repository_connections", fields{"type": kind, "host": fields{"url": hosts[kind]}, "display_name": "Our " + kind, "token": "good-token"}).Want(t, 201)
			if limit, _ := made.Object()["rate_limit"].(item); limit["limit"] != 5000.0 || limit["remaining"] != 4958.0 || limit["used"] != 42.0 || limit["reset_at"] != "2026-07-16T06:00:00.000Z" {
				t.Errorf("REST says that %s takes %v", kind, made.Object()["rate_limit"])
			}
		}
		found := list(testkit.AdminToken)
		wantNames := []item{
			{"__typename": "OrganizationRepositoryProviderGitHubEnterpriseServer", "name": "Our github_enterprise", "url": hosts["github_enterprise"],
				"rateLimit": item{"mostRecent": item{"limit": 5000.0, "remaining": 4958.0, "used": 42.0, "resetAt": "2026-07-16T06:00:00.000Z"}}},
			{"__typename": "OrganizationRepositoryProviderGitLab", "name": "Our gitlab_self_managed", "url": hosts["gitlab_self_managed"]},
			{"__typename": "OrganizationRepositoryProviderBitbucketServer", "name": "Our bitbucket_server", "url": hosts["bitbucket_server"]},
			{"__typename": "OrganizationRepositoryProviderGitea", "name": "Our gitea", "url": hosts["gitea"]},
		}
		if len(found) != len(wantNames) {
			t.Fatalf("the connections are %v", found)
		}
		const node = `query ($id: ID!) { node(id: $id) { __typename id } }`
		for i, want := range wantNames {
			got := found[i].(item)
			id := got["id"]
			delete(got, "id")
			wantEqual(t, got, want)
			wantEqual(t, dig(t, wantData(t, s.GraphQL(testkit.AdminToken, node, fields{"id": id})), "node"), item{"__typename": want["__typename"], "id": id})
			for _, token := range []string{testkit.MemberToken, testkit.OutsiderToken} {
				wantEqual(t, wantData(t, s.GraphQL(token, node, fields{"id": id}))["node"], nil)
			}
		}
		if found := list(testkit.MemberToken); len(found) != 0 {
			t.Errorf("a member sees %v", found)
		}
	})
}

// TestRepositoryProvidersOfConnections reads the providers of repositories at hosts that an organization is connected with, over GraphQL and REST.
func TestRepositoryProvidersOfConnections(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]item{
		"github_enterprise":   {"__typename": "RepositoryProviderGithubEnterprise", "name": "GitHub Enterprise"},
		"gitlab_self_managed": {"__typename": "RepositoryProviderGitlab", "name": "GitLab"},
		"bitbucket_server":    {"__typename": "RepositoryProviderBitbucketServer", "name": "Bitbucket Server"},
		"gitea":               {"__typename": "RepositoryProviderUnknown", "name": "Gitea"},
	} {
		host := newLimitedHost(t)
		testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
			s.Post(testkit.AdminToken, acme+"/repository_connections", fields{"type": kind, "host": fields{"url": host}, "token": "good-token"}).Want(t, 201)
			made := s.Post(testkit.AdminToken, pipelinesPath, fields{"name": "Web " + kind, "repository": host + "/acme/web.git"}).Want(t, 201)
			id := made.Text("graphql_id")
			read := func(token, document string) item {
				t.Helper()
				return dig(t, wantData(t, s.GraphQL(token, document, fields{"id": id})), "node", "repository", "provider").(item)
			}
			const document = `query ($id: ID!) { node(id: $id) { ... on Pipeline { repository { provider { __typename name url webhookUrl } } } } }`
			want := maps.Clone(want)
			want["url"], want["webhookUrl"] = host+"/acme/web", dig(t, made.Object(), "provider", "webhook_url")
			if kind == "bitbucket_server" {
				want["url"] = host + "/projects/acme/repos/web"
			}
			wantEqual(t, read(testkit.AdminToken, document), want)
			wantEqual(t, read(testkit.AdminToken, providerSettingsDocument)["__typename"], want["__typename"])
			rest := func(provider any) {
				t.Helper()
				if dig(t, provider, "id") != strings.TrimSuffix(kind, "_self_managed") || dig(t, provider, "settings", "repository") != "acme/web" || dig(t, provider, "settings", "build_pull_requests") != true {
					t.Errorf("REST shows the provider %v", provider)
				}
			}
			rest(made.Object()["provider"])
			shown := s.Get(testkit.AdminToken, pipelinesPath+"/"+made.Text("slug")).Want(t, 200).Object()["provider"].(item)
			rest(shown)
			// What a client read it may send back.
			changed := s.Patch(testkit.AdminToken, pipelinesPath+"/"+made.Text("slug"), fields{"provider_settings": shown["settings"], "description": "y"}).Want(t, 200)
			rest(changed.Object()["provider"])

			if kind != "github_enterprise" {
				return
			}
			const webhook = `query ($id: ID!) { node(id: $id) { ... on Pipeline { repository { provider { ... on RepositoryProviderGithubEnterprise { webhook { __typename externalId url } settings { buildPullRequestForks } } } } } } }`
			wantEqual(t, read(testkit.AdminToken, webhook), item{"webhook": nil, "settings": item{"buildPullRequestForks": false}})
			s.Patch(testkit.AdminToken, pipelinesPath+"/"+made.Text("slug"), fields{"provider_settings": fields{"build_pull_request_forks": true}}).Want(t, 200)
			s.Post(testkit.AdminToken, pipelinesPath+"/"+made.Text("slug")+"/webhook", nil).Want(t, 201)
			wantEqual(t, read(testkit.AdminToken, webhook), item{"webhook": item{"__typename": "RepositoryProviderGithubEnterpriseWebhook", "externalId": "12", "url": want["webhookUrl"]},
				"settings": item{"buildPullRequestForks": true}})
			wantEqual(t, read(testkit.MemberToken, webhook)["webhook"], nil)
		})
	}
}
