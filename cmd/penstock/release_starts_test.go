package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// releaseWebhookSecret signs what a repository host delivers.
const releaseWebhookSecret = "a-good-secret"

// startRepositoryHost starts a repository host that has every repository and accepts every token, but takes no status of a commit.
func startRepositoryHost(t *testing.T) string {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/statuses/"):
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, `{"login": "ada", "id": 12, "full_name": "acme/web", "html_url": "https://git.example.com/acme/web", "clone_url": "https://git.example.com/acme/web.git"}`)
	}))
	t.Cleanup(host.Close)
	return host.URL
}

// makeStartData makes what starts builds and whom builds notify: a pull request builds a pipeline, whose status waits to be sent.
func makeStartData(p *process, host string) {
	p.t.Helper()
	const organization = "/v2/organizations/acme-inc"
	post := func(path, content string) {
		sendOwn[any](p, http.MethodPost, organization+path, content, http.StatusCreated)
	}
	post("/repository_connections", `{"type": "gitea", "host": {"url": "`+host+`"}, "token": "forge-token", "webhook_secret": "`+releaseWebhookSecret+`"}`)
	hosted := sendOwn[struct {
		Provider struct {
			WebhookURL string `json:"webhook_url"`
		}
	}](p, http.MethodPost, organization+"/pipelines", `{"name": "Hosted", "repository": "`+host+`/acme/web.git", "cluster_id": "`+releaseCluster+`",
		"configuration": "steps: [wait]", "provider_settings": {"build_pull_requests": true, "publish_commit_status": true}}`, http.StatusCreated)
	post("/pipelines/hosted/webhook", "")
	deliverPullRequest(p, hosted.Provider.WebhookURL)

	post("/rules", `{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "web", "target_pipeline": "hosted"}}`)
	post("/pipelines/web/schedules", `{"label": "Nightly", "cronline": "@daily", "branch": "main", "env": {"NIGHT": "1"}}`)
	post("/pipelines/web/triggers", `{"type": "github", "label": "Deploy", "verification": {"strategy": "hmac", "secret": "`+releaseWebhookSecret+`"}}`)
	post("/pipeline-templates", `{"name": "Go", "configuration": "steps: [wait]", "available": true}`)
	post("/services", `{"provider": "webhook", "description": "Chat", "settings": {"url": "https://example.com/hook", "events": ["build.finished"]}}`)
	sendOwn[any](p, http.MethodPut, organization+"/banner", `{"message": "Maintenance on Sunday"}`, http.StatusOK)

	own := sendOwn[struct {
		Data struct{ Organization struct{ ID string } }
	}](p, http.MethodPost, "/v1", `{"query": "{ organization(slug: \"acme-inc\") { id } }"}`, http.StatusOK)
	sendOwn[any](p, http.MethodPost, "/v1", `{"query": "mutation { agentTokenCreate(input: {organizationID: \"`+own.Data.Organization.ID+`\", description: \"Old fleet\"}) { tokenValue } }"}`, http.StatusOK)
	token := sendOwn[struct{ Token string }](p, http.MethodPost, clusters+"/"+releaseCluster+"/tokens", `{"description": "Stack"}`, http.StatusCreated).Token
	if status, body := p.send(http.MethodPost, "/v3/stacks/register", `{"key": "kubernetes", "type": "kubernetes", "queue_key": "builders", "metadata": {"zone": "a"}}`,
		"Authorization", "Token "+token); status != http.StatusCreated {
		p.t.Fatalf("a stack: %d %s", status, body)
	}
}

// deliverPullRequest delivers a pull request as a repository host does, and waits for the status of its build.
func deliverPullRequest(p *process, webhook string) {
	p.t.Helper()
	const repository = `{"id": 1, "name": "web", "full_name": "acme/web", "clone_url": "https://git.example.com/acme/web.git", "owner": {"login": "acme"}}`
	const event = `{"action": "opened", "number": 7, "repository": ` + repository + `, "sender": {"login": "ada"},
		"pull_request": {"number": 7, "title": "A pull request", "state": "open", "labels": [], "user": {"login": "ada"},
			"head": {"ref": "feature/x", "sha": "1111111111111111111111111111111111111111", "repo": ` + repository + `},
			"base": {"ref": "main", "sha": "2222222222222222222222222222222222222222", "repo": ` + repository + `}}}`
	address, err := url.Parse(webhook)
	if err != nil {
		p.t.Fatal(err)
	}
	sum := hmac.New(sha256.New, []byte(releaseWebhookSecret))
	_, _ = io.WriteString(sum, event) // a hash takes everything
	if status, body := p.send(http.MethodPost, address.Path, event, "X-Gitea-Event", "pull_request", "X-Gitea-Delivery", "1",
		"X-Gitea-Signature", hex.EncodeToString(sum.Sum(nil))); status/100 != 2 {
		p.t.Fatalf("a delivery: %d %s", status, body)
	}
	eventually(p.t, "a build of the pull request", func() bool {
		_, answer := p.get(releasePipelines+"/hosted/builds", testToken)
		return strings.Contains(answer, "1111111111111111111111111111111111111111")
	})
}

// addUnseenStartRows adds what takes long, or a fault, to come about.
func addUnseenStartRows(t *testing.T, d *db.DB) {
	t.Helper()
	testkit.Exec(t, d, `INSERT INTO nodes (id, since, seen_at) VALUES ('a node', 0, 0) ON CONFLICT DO NOTHING`)
	testkit.Change(t, d, `INSERT INTO postponed_items (kind, item_id, attempts, due_at, failed_at, last_error, set_aside_at) VALUES ('time_out', 'an item', 12, 0, 0, 'it is damaged', 1)`)
	testkit.Change(t, d, `INSERT INTO test_reports (id, organization_id, build_id, job_id, path, state, reason, tests, failed, skipped, took, cases, created_at)
		SELECT 'a report', organization_id, build_id, id, 'junit.xml', 'read', '', 1, 0, 0, 1000, '[]', created_at FROM jobs ORDER BY id LIMIT 1`)
	testkit.Change(t, d, `INSERT INTO saved_views (organization_id, user_id, name, query, created_at) SELECT organization_id, user_id, 'Main', 'branch=main', 0 FROM organization_members`)
	testkit.Change(t, d, `INSERT INTO scheduled_builds (build_id, schedule_id) SELECT b.id, s.id FROM builds b CROSS JOIN pipeline_schedules s WHERE b.state = 'blocked'`)
}
