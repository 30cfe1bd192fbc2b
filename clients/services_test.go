package clients_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/buildkite/go-buildkite/v4"
)

// send sends a request that the client has no method for.
func send[T any](t *testing.T, client *buildkite.Client, method, path string, body any) (T, *buildkite.Response, error) {
	t.Helper()
	var answer T
	request, err := client.NewRequest(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request, &answer)
	return answer, response, err
}

// webhooks has the client create a webhook at a repository host.
func webhooks(t *testing.T, client *buildkite.Client) {
	made := make(chan string, 1)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			made <- r.URL.Path
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, `{"login": "ada", "id": 12}`)
	}))
	t.Cleanup(host.Close)
	must[map[string]any](t, 201)(send[map[string]any](t, client, http.MethodPost, "v2/organizations/acme-inc/repository_connections",
		map[string]any{"type": "github_enterprise", "host": map[string]any{"url": host.URL}, "token": "good-token"}))
	must[buildkite.Pipeline](t, 201)(client.Pipelines.Create(t.Context(), org, buildkite.CreatePipeline{Name: "Hosted", Repository: host.URL + "/acme/web.git", DefaultBranch: "main", Configuration: "steps: [wait]"}))
	done(t, 201)(client.Pipelines.AddWebhook(t.Context(), org, "hosted"))
	same(t, "where the webhook was created", <-made, "/api/v3/repos/acme/web/hooks")
	read := must[buildkite.Pipeline](t, 200)(client.Pipelines.Get(t.Context(), org, "hosted"))
	same(t, "the provider", read.Provider.ID, "github_enterprise")
}

// services has the client check and parse what a webhook is sent.
func services(t *testing.T, client *buildkite.Client) {
	const secret = "the-secret-of-the-webhook"
	events, failures := make(chan any, 10), make(chan error, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		payload, err := buildkite.ValidatePayload(r, []byte(secret))
		if err != nil {
			failures <- err
			return
		}
		event, err := buildkite.ParseWebHook(buildkite.WebHookType(r), payload)
		if err != nil {
			failures <- err
			return
		}
		events <- event
	}))
	t.Cleanup(hook.Close)
	const path = "v2/organizations/acme-inc/services"
	service := must[map[string]any](t, 201)(send[map[string]any](t, client, http.MethodPost, path, map[string]any{"provider": "webhook",
		"settings": map[string]any{"url": hook.URL, "token": secret, "token_mode": "signature", "events": []string{"build.scheduled", "build.finished"}}}))
	id, _ := service["id"].(string)
	next := func() any {
		t.Helper()
		select {
		case event := <-events:
			return event
		case err := <-failures:
			t.Fatal(err)
		case <-time.After(30 * time.Second):
			t.Fatal("no event came")
		}
		return nil
	}
	if _, isPing := next().(*buildkite.PingEvent); !isPing {
		t.Error("the first event is no ping")
	}
	must[buildkite.Build](t, 201)(client.Builds.Create(t.Context(), org, "app", buildkite.CreateBuild{Commit: "HEAD", Branch: "main", Message: "Told"}))
	scheduled, ok := next().(*buildkite.BuildScheduledEvent)
	if !ok || scheduled.Build.Message != "Told" || scheduled.Pipeline.Slug != "app" || scheduled.Sender.Name != "Admin" {
		t.Errorf("the event is %+v", scheduled)
	}
	finished, ok := next().(*buildkite.BuildFinishedEvent)
	if !ok || finished.Build.Number != scheduled.Build.Number || finished.Build.State == "" {
		t.Errorf("the event is %+v", finished)
	}
	for method, status := range map[string]int{http.MethodGet: 200, http.MethodPatch: 200} {
		must[map[string]any](t, status)(send[map[string]any](t, client, method, path+"/"+id, map[string]any{}))
	}
	for _, change := range []string{"disable", "enable"} {
		changed := must[map[string]any](t, 200)(send[map[string]any](t, client, http.MethodPut, path+"/"+id+"/"+change, nil))
		same(t, "enabled", changed["enabled"], any(change == "enable"))
	}
	_, response, err := send[map[string]any](t, client, http.MethodDelete, path+"/"+id, nil)
	done(t, 204)(response, ignoreEnd(err))
}

// ignoreEnd leaves out that an answer without a body has none.
func ignoreEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
