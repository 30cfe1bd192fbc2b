package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// TestPipelineTriggers makes, lists, changes and deletes triggers. The address is shown once, variables' values and secrets never.
func TestPipelineTriggers(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const pipelines = "/v2/organizations/acme-inc/pipelines"
		s.Post(testkit.AdminToken, pipelines, `{"name": "Web", "repository": "git@example.com:acme/web.git", "default_branch": "trunk"}`).Want(t, 201)
		const triggers = pipelines + "/web/triggers"
		made := s.Post(testkit.AdminToken, triggers, `{"type": "github", "label": " Pull requests ", "build": {"environment": {"B": "hidden-b", "A": "hidden-a"}}, "filter": null,
			"verification": {"strategy": "hmac", "secret": "a-good-secret"}}`).Want(t, 201)
		address := made.Text("endpoint_url")
		token, found := strings.CutPrefix(address, s.URL+"/deliver/")
		if !found || !testkit.IsToken(domain.TriggerTokenKind, token) {
			t.Errorf("the address is %s", address)
		}
		hint := s.URL + "/deliver/pnt_XXXXXXXXXXXXXXXXXXXX" + token[len(token)-2:]
		one := triggers + "/" + made.Text("id")
		got := s.Get(testkit.AdminToken, one).Want(t, 200)
		build := got.Object()["build"].(map[string]any)
		verification := got.Object()["verification"].(map[string]any)
		if got.Text("label") != "Pull requests" || got.Text("type") != "github" || got.Object()["enabled"] != true || got.Text("endpoint_url_hint") != hint || got.Text("url") != s.URL+one ||
			build["message"] != nil || build["commit"] != "HEAD" || build["branch"] != "trunk" || len(build["environment_variables"].([]any)) != 2 || build["environment_variables"].([]any)[0] != "A" ||
			verification["strategy"] != "hmac" || verification["secret_hint"] != "XXXXXXXXXXXXXXXXXXXXet" || got.Object()["filter"] != nil ||
			got.Object()["created_by"].(map[string]any)["id"] != testkit.AdminID || got.Object()["updated_by"].(map[string]any)["id"] != testkit.AdminID {
			t.Errorf("the trigger is %s", got.Body)
		}
		second := s.Post(testkit.AdminToken, triggers, `{"type": "webhook", "label": "Deploy", "enabled": false}`).Want(t, 201)
		list := s.Get(testkit.AdminToken, triggers+"?per_page=1").Want(t, 200).Object()
		if items := list["items"].([]any); len(items) != 1 || items[0].(map[string]any)["id"] != second.Text("id") || list["links"].(map[string]any)["next"] == nil {
			t.Errorf("the list is %v", list)
		}
		all := s.Get(testkit.AdminToken, triggers).Want(t, 200)
		changed := s.Patch(testkit.AdminToken, one, `{"label": "Pushes", "build": {"branch": "release", "message": "Go"}}`).Want(t, 200)
		if build := changed.Object()["build"].(map[string]any); changed.Text("label") != "Pushes" || build["branch"] != "release" || build["message"] != "Go" || len(build["environment_variables"].([]any)) != 2 {
			t.Errorf("it is now %s", changed.Body)
		}
		changed = s.Patch(testkit.AdminToken, one, `{"build": {"branch": null, "message": null, "environment": {}}, "verification": null}`).Want(t, 200)
		if build := changed.Object()["build"].(map[string]any); build["branch"] != "trunk" || build["message"] != nil || len(build["environment_variables"].([]any)) != 0 || changed.Object()["verification"] != nil {
			t.Errorf("it is now %s", changed.Body)
		}
		events := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events").Want(t, 200)
		for _, answer := range []*testkit.Answer{got, all, changed, events} {
			for _, secret := range []string{token, "hidden-a", "a-good-secret"} {
				if strings.Contains(string(answer.Body), secret) {
					t.Errorf("%q is shown in %s", secret, answer.Body)
				}
			}
		}
		s.Delete(testkit.AdminToken, one).Want(t, 204)
		s.Get(testkit.AdminToken, one).WantMessage(t, 404, "No pipeline trigger found")
		s.Get(testkit.AdminToken, triggers+"?after=x").Want(t, http.StatusBadRequest)
	})
}

func TestPipelineTriggersThatCannotBeMade(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const pipelines = "/v2/organizations/acme-inc/pipelines"
		s.Post(testkit.AdminToken, pipelines, `{"name": "Web", "repository": "git@example.com:acme/web.git"}`).Want(t, 201)
		const triggers = pipelines + "/web/triggers"
		one := triggers + "/" + s.Post(testkit.AdminToken, triggers, `{"type": "github", "label": "L"}`).Want(t, 201).Text("id")
		for body, message := range map[string]string{
			`{"label": "L"}`:                                       "Type must be webhook or github",
			`{"type": "linear", "label": "L"}`:                     "Type can't be linear here: it must be webhook or github",
			`{"type": "webhook"}`:                                  "Label can't be blank",
			`{"type": "webhook", "label": " "}`:                    "Label can't be blank",
			`{"type": "webhook", "label": "L", "other": 1}`:        "",
			`{"type": "webhook", "label": "L", "build": {"o": 1}}`: "",
			`{"type": "webhook", "label": "L", "filter": {"expression": "webhook.payload.action == \"opened\""}}`:   "Filter is not offered",
			`{"type": "webhook", "label": "L", "verification": {"strategy": "hmac", "secret": "x"}}`:                "Verification is only for triggers of type github",
			`{"type": "github", "label": "L", "verification": {"strategy": "none", "secret": "x"}}`:                 "Strategy must be hmac",
			`{"type": "github", "label": "L", "verification": {"strategy": "hmac"}}`:                                "Secret can't be blank",
			`{"type": "github", "label": "L", "verification": {"strategy": "hmac", "secret": ""}}`:                  "Secret can't be blank",
			`{"type": "webhook", "label": "L", "build": {"environment": {"A B": "1"}}}`:                             "Environment must have names",
			`{"type": "webhook", "label": "L", "build": {"branch": "a\nb"}}`:                                        "Branch must not have line breaks",
			`{"type": "webhook", "label": "L", "build": {"commit": "` + strings.Repeat("x", 10_000) + `"}}`:         "Commit is too long",
			`{"type": "webhook", "label": "L", "build": {"message": "` + strings.Repeat("x", 65_537) + `"}}`:        "Message is too long",
			`{"type": "github", "label": "L", "verification": {"strategy": "hmac", "secret": "` + long(256) + `"}}`: "Secret must be valid text of at most 255 bytes",
			`{"type": "webhook", "label": "` + strings.Repeat("x", 256) + `"}`:                                      "Label is too long",
		} {
			if got := s.Post(testkit.AdminToken, triggers, body).Want(t, 422); !strings.Contains(got.Message(), message) {
				t.Errorf("%.200s: %s", body, got.Message())
			}
		}
		s.Patch(testkit.AdminToken, one, `{"type": "webhook"}`).WantMessage(t, 422, "Validation failed: Type can't be changed")
		s.Patch(testkit.AdminToken, one, `{"verification": {"strategy": "hmac"}}`).WantMessage(t, 422, "Validation failed: Secret can't be blank")
	})
}

func long(n int) string { return strings.Repeat("x", n) }
