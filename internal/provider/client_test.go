package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/provider"
)

// fakeHost answers as a host would, and records what it gets.
type fakeHost struct {
	status int
	answer string
	header map[string]string
	got    []string
}

// RoundTrip stands in for the network.
func (h *fakeHost) RoundTrip(r *http.Request) (*http.Response, error) {
	line := r.Method + " " + r.URL.String()
	for _, name := range []string{"Authorization", "Private-Token"} {
		if value := r.Header.Get(name); value != "" {
			line += " [" + value + "]"
		}
	}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		line += " " + string(body)
	}
	h.got = append(h.got, line)
	answer := &http.Response{StatusCode: h.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(h.answer)), Request: r}
	for name, value := range h.header {
		answer.Header.Set(name, value)
	}
	return answer, nil
}

const commit = "1111111111111111111111111111111111111111"

var bases = map[domain.ProviderKind]string{
	domain.GitHub: "https://github.com", domain.GitHubEnterprise: "https://github.example.com", domain.GitLab: "https://gitlab.com",
	domain.Bitbucket: "https://bitbucket.org", domain.BitbucketServer: "https://bitbucket.example.com/ctx", domain.Gitea: "https://git.example.com/",
}

func clientOf(kind domain.ProviderKind, h http.RoundTripper) *provider.Client {
	return &provider.Client{Kind: kind, Base: bases[kind], Token: "t0ken", HTTP: &http.Client{Transport: h}}
}

func TestStatusesArePublishedAsEachHostTakesThem(t *testing.T) {
	t.Parallel()
	status := provider.Status{State: provider.Canceled, Context: "buildkite/web", URL: "https://ci.example.com/b/1", Description: "Build #1 was canceled"}
	hub := `{"state":"error","target_url":"https://ci.example.com/b/1","description":"Build #1 was canceled","context":"buildkite/web"}`
	for kind, want := range map[domain.ProviderKind]string{
		domain.GitHub:           "POST https://api.github.com/repos/acme/web/statuses/" + commit + " [Bearer t0ken] " + hub,
		domain.GitHubEnterprise: "POST https://github.example.com/api/v3/repos/acme/web/statuses/" + commit + " [Bearer t0ken] " + hub,
		domain.Gitea:            "POST https://git.example.com/api/v1/repos/acme/web/statuses/" + commit + " [token t0ken] " + hub,
		domain.GitLab: "POST https://gitlab.com/api/v4/projects/acme%2Fweb/statuses/" + commit +
			` [t0ken] {"state":"canceled","name":"buildkite/web","target_url":"https://ci.example.com/b/1","description":"Build #1 was canceled"}`,
		domain.Bitbucket: "POST https://api.bitbucket.org/2.0/repositories/acme/web/commit/" + commit +
			`/statuses/build [Bearer t0ken] {"key":"buildkite/web","state":"STOPPED","name":"buildkite/web","url":"https://ci.example.com/b/1","description":"Build #1 was canceled"}`,
		domain.BitbucketServer: "POST https://bitbucket.example.com/ctx/rest/build-status/1.0/commits/" + commit +
			` [Bearer t0ken] {"key":"buildkite/web","state":"FAILED","name":"buildkite/web","url":"https://ci.example.com/b/1","description":"Build #1 was canceled"}`,
	} {
		h := &fakeHost{status: http.StatusCreated, answer: `{}`}
		answer, err := clientOf(kind, h).PublishStatus(t.Context(), "acme/web", commit, status)
		if err != nil || answer != "201 Created" || len(h.got) != 1 || h.got[0] != want {
			t.Errorf("%s: %s, %v\n got %q\nwant %q", kind, answer, err, h.got, want)
		}
	}
}

func TestStatesAreSaidInTheWordsOfEachHost(t *testing.T) {
	t.Parallel()
	states := []provider.State{provider.Pending, provider.Running, provider.Success, provider.Failure, provider.Canceled}
	for kind, want := range map[domain.ProviderKind]string{
		domain.GitHub: "pending pending success failure error", domain.GitHubEnterprise: "pending pending success failure error",
		domain.Gitea: "pending pending success failure error", domain.GitLab: "pending running success failed canceled",
		domain.Bitbucket: "INPROGRESS INPROGRESS SUCCESSFUL FAILED STOPPED", domain.BitbucketServer: "INPROGRESS INPROGRESS SUCCESSFUL FAILED FAILED",
	} {
		var got []string
		for _, state := range states {
			h := &fakeHost{status: http.StatusCreated, answer: `{}`}
			if _, err := clientOf(kind, h).PublishStatus(t.Context(), "acme/web", commit, provider.Status{State: state}); err != nil {
				t.Fatal(err)
			}
			var body struct{ State string }
			_, text, _ := strings.Cut(h.got[0], "] ")
			if err := json.Unmarshal([]byte(text), &body, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
			got = append(got, body.State)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestWebhooksAreMadeAndDeleted(t *testing.T) {
	t.Parallel()
	for kind, want := range map[domain.ProviderKind]struct{ answer, id, made, deleted string }{
		domain.GitHub: {`{"id":12345678}`, "12345678", `POST https://api.github.com/repos/acme/web/hooks [Bearer t0ken] ` +
			`{"name":"web","active":true,"events":["push","pull_request","merge_group"],"config":{"url":"https://ci.example.com/deliver/x","content_type":"json","secret":"s3cret","insecure_ssl":"0"}}`,
			"DELETE https://api.github.com/repos/acme/web/hooks/12345678 [Bearer t0ken]"},
		domain.Gitea: {`{"id":1}`, "1", `POST https://git.example.com/api/v1/repos/acme/web/hooks [token t0ken] ` +
			`{"type":"gitea","active":true,"events":["create","delete","push","pull_request","pull_request_sync","pull_request_label"],"config":{"url":"https://ci.example.com/deliver/x","content_type":"json","secret":"s3cret"}}`,
			"DELETE https://git.example.com/api/v1/repos/acme/web/hooks/1 [token t0ken]"},
		domain.GitLab: {`{"id":7}`, "7", `POST https://gitlab.com/api/v4/projects/acme%2Fweb/hooks [t0ken] ` +
			`{"url":"https://ci.example.com/deliver/x","push_events":true,"tag_push_events":true,"merge_requests_events":true,"token":"s3cret","enable_ssl_verification":true}`,
			"DELETE https://gitlab.com/api/v4/projects/acme%2Fweb/hooks/7 [t0ken]"},
		domain.Bitbucket: {`{"uuid":"{a-b}"}`, "{a-b}", `POST https://api.bitbucket.org/2.0/repositories/acme/web/hooks [Bearer t0ken] ` +
			`{"description":"Penstock","url":"https://ci.example.com/deliver/x","active":true,"events":["repo:push","pullrequest:created","pullrequest:updated","pullrequest:fulfilled","pullrequest:rejected"],"secret":"s3cret"}`,
			"DELETE https://api.bitbucket.org/2.0/repositories/acme/web/hooks/%7Ba-b%7D [Bearer t0ken]"},
		domain.BitbucketServer: {`{"id":10}`, "10", `POST https://bitbucket.example.com/ctx/rest/api/1.0/projects/acme/repos/web/webhooks [Bearer t0ken] ` +
			`{"name":"Penstock","url":"https://ci.example.com/deliver/x","active":true,"events":["repo:refs_changed","pr:opened","pr:from_ref_updated","pr:merged","pr:declined","pr:deleted"],"configuration":{"secret":"s3cret"}}`,
			"DELETE https://bitbucket.example.com/ctx/rest/api/1.0/projects/acme/repos/web/webhooks/10 [Bearer t0ken]"},
	} {
		h := &fakeHost{status: http.StatusCreated, answer: want.answer}
		client := clientOf(kind, h)
		id, err := client.CreateWebhook(t.Context(), "acme/web", provider.Webhook{URL: "https://ci.example.com/deliver/x", Secret: "s3cret"})
		if err != nil || id != want.id {
			t.Errorf("%s: %q %v", kind, id, err)
		}
		h.status = http.StatusNotFound // one that is gone is as good as deleted
		if err := client.DeleteWebhook(t.Context(), "acme/web", id); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if len(h.got) != 2 || h.got[0] != want.made || h.got[1] != want.deleted {
			t.Errorf("%s:\n got %q\nwant %q\n     %q", kind, h.got, want.made, want.deleted)
		}
	}
}

func TestRefusalsAreExplained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host *fakeHost
		want string
		away bool
	}{
		{&fakeHost{status: 401, answer: `{"message":"Bad credentials"}`}, "401 Unauthorized: Bad credentials", false},
		{&fakeHost{status: 422, answer: `{"message":"No commit found for SHA: 1111"}`}, "422 Unprocessable Entity: No commit found for SHA: 1111", false},
		{&fakeHost{status: 404, answer: `{"error":{"message":"gone"}}`}, "404 Not Found: map[message:gone]", false},
		{&fakeHost{status: 500, answer: "<h1>Oops t0ken</h1>\n"}, "500 Internal Server Error: <h1>Oops [redacted]</h1>", true},
		{&fakeHost{status: 502, answer: strings.Repeat("x", 400)}, "502 Bad Gateway: " + strings.Repeat("x", 300) + "…", true},
		{&fakeHost{status: 429, answer: `{"message":"Slow down"}`, header: map[string]string{"Retry-After": "60"}}, "429 Too Many Requests: Slow down", true},
		{&fakeHost{status: 403, answer: `{"message":"Limited"}`, header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}}, "403 Forbidden: Limited", true},
		{&fakeHost{status: 200, answer: strings.Repeat(" ", 1<<20) + "{}"}, "200 OK: the answer is longer than 1 MiB", false},
	} {
		_, err := clientOf(domain.Gitea, c.host).PublishStatus(t.Context(), "acme/web", commit, provider.Status{})
		refused, ok := errors.AsType[*provider.Error](err)
		if !ok || refused.Error() != c.want || refused.IsAway() != c.away {
			t.Errorf("%v, want %s", err, c.want)
		}
		if c.host.header["Retry-After"] != "" && refused.After != time.Minute {
			t.Error(refused.After)
		}
	}
	_, err := clientOf(domain.Gitea, failing{}).Login(t.Context())
	if refused, ok := errors.AsType[*provider.Error](err); !ok || !refused.IsAway() || strings.Contains(refused.Error(), "t0ken") {
		t.Error(err)
	}
	slow, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := clientOf(domain.Gitea, waiting{}).Login(slow); err == nil || err.Error() != "no answer in time" {
		t.Error(err)
	}
}

type failing struct{}

func (failing) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("cannot reach it with %s", r.Header.Get("Authorization"))
}

type waiting struct{}

func (waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAccountsAndRepositoriesAreFound(t *testing.T) {
	t.Parallel()
	for kind, c := range map[domain.ProviderKind]struct{ answer, login string }{
		domain.GitHub: {`{"login":"ada"}`, "ada"}, domain.Gitea: {`{"login":"ada","username":"x"}`, "ada"}, domain.GitLab: {`{"username":"ada"}`, "ada"},
		domain.Bitbucket: {`{"display_name":"Ada"}`, "Ada"}, domain.BitbucketServer: {`{"version":"9"}`, ""},
	} {
		if login, err := clientOf(kind, &fakeHost{status: 200, answer: c.answer}).Login(t.Context()); err != nil || login != c.login {
			t.Errorf("%s: %q %v", kind, login, err)
		}
	}
	h := &fakeHost{status: 200, answer: `{"full_name":"acme/web","html_url":"h","clone_url":"c","default_branch":"main"}`}
	found, err := clientOf(domain.GitHub, h).FindRepository(t.Context(), "acme/web")
	if err != nil || found == nil || *found != (provider.Repository{FullName: "acme/web", HTMLURL: "h", CloneURL: "c", DefaultBranch: "main"}) {
		t.Error(found, err)
	}
	h.status, h.answer = 404, `{}`
	if found, err := clientOf(domain.GitHub, h).FindRepository(t.Context(), "acme/gone"); found != nil || err != nil {
		t.Error(found, err)
	}
	h.status, h.answer = 200, `[{"path_with_namespace":"acme/web","web_url":"h","http_url_to_repo":"c","default_branch":"main"}]`
	all, err := clientOf(domain.GitLab, h).ListRepositories(t.Context())
	if err != nil || len(all) != 1 || all[0] != (provider.Repository{FullName: "acme/web", HTMLURL: "h", CloneURL: "c", DefaultBranch: "main"}) {
		t.Error(all, err)
	}
	if _, err := clientOf(domain.Bitbucket, h).ListRepositories(t.Context()); !errors.Is(err, provider.ErrListsNone) {
		t.Error(err)
	}
}

func TestRateLimitsAreHeard(t *testing.T) {
	t.Parallel()
	const limit, remaining, used, reset = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Used", "X-RateLimit-Reset"
	at := time.Unix(1_784_181_600, 0).UTC()
	for _, c := range []struct {
		header map[string]string
		want   *domain.RateLimit
	}{
		{map[string]string{limit: "5000", remaining: "4958", used: "42", reset: "1784181600"}, &domain.RateLimit{Limit: 5000, Remaining: 4958, Used: 42, ResetAt: at}},
		{map[string]string{limit: "5000", remaining: "4990", reset: "1784181600"}, &domain.RateLimit{Limit: 5000, Remaining: 4990, Used: 10, ResetAt: at}},
		{nil, nil},
		{map[string]string{limit: "x", remaining: "1", reset: "1784181600"}, nil},
		{map[string]string{limit: "-1", remaining: "1", reset: "1784181600"}, nil},
		{map[string]string{limit: "5000", remaining: "99999999999", reset: "1784181600"}, nil},
		{map[string]string{limit: "5000", remaining: "1", reset: "999999999999999"}, nil},
	} {
		client := clientOf(domain.GitHub, &fakeHost{status: 200, answer: `{"login": "ada"}`, header: c.header})
		var heard *domain.RateLimit
		client.Limited = func(l domain.RateLimit) { heard = &l }
		if _, err := client.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		if (heard == nil) != (c.want == nil) || heard != nil && *heard != *c.want {
			t.Errorf("%v: heard %+v, want %+v", c.header, heard, c.want)
		}
	}
}
