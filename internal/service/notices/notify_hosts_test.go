package notices_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"penstock/internal/testkit"
)

// answerForPagerDuty lets the ear answer for PagerDuty, whose address nobody can choose.
func (e *ear) answerForPagerDuty(next http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == "events.pagerduty.com" && r.URL.Scheme == "https" {
			here, err := url.Parse(e.host.URL + "/pagerduty" + r.URL.Path)
			if err != nil {
				return nil, err
			}
			r = r.Clone(r.Context())
			r.URL, r.Host = here, here.Host
		}
		return next.RoundTrip(r)
	})
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip sends a request.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestAChangeEventIsSentToPagerDuty(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		e.configure(`
notify: [{pagerduty_change_event: "the-integration-key-of-32-letters"}]
steps: [{block: Go on}]
`)
		job := e.newBuild("Fix it\nand more")
		e.Put(testkit.AdminToken, buildsPath+"/1/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
		e.awaitBodies(1)
		var sent struct {
			RoutingKey string `json:"routing_key"`
			Payload    struct {
				Summary, Timestamp, Source string
				CustomDetails              map[string]string `json:"custom_details"`
			}
			Links []struct{ Href, Text string }
		}
		err := json.Unmarshal([]byte(e.bodies[0]), &sent)
		if err != nil || e.heard[0].URL.Path != "/pagerduty/v2/change/enqueue" || sent.RoutingKey != "the-integration-key-of-32-letters" || sent.Payload.Summary != "told #1: passed" || sent.Payload.Source != "told" ||
			sent.Payload.CustomDetails["message"] != "Fix it" || sent.Payload.CustomDetails["branch"] != "main" || sent.Payload.Timestamp == "" || len(sent.Links) != 1 || sent.Links[0].Href != e.URL+"/acme-inc/told/builds/1" {
			t.Errorf("%v: %s %s", err, e.heard[0].URL, e.bodies[0])
		}
		if len(e.outbox()) != 1 {
			t.Errorf("the outbox has %v", e.outbox())
		}
	})
}

// TestAChatForSomePipelinesIsNotForOthers notifies through a service that is for other pipelines, and then for this one.
func TestAChatForSomePipelinesIsNotForOthers(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		other := e.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": "other", "repository": "r", "cluster_id": testkit.MaintainedID}).Want(t, http.StatusCreated).Text("id")
		own := e.Get(testkit.AdminToken, pipelinePath).Want(t, http.StatusOK).Text("id")
		service := e.listen(map[string]any{"provider": "slack", "scope": "some_projects", "scope_uuids": []string{other}, "settings": map[string]any{"url": e.host.URL + "/chat", "channel": "#secret"},
			"build_states": map[string]any{"build_passed": false, "build_fixed": false, "build_failed": false}})
		e.configure("notify: [{slack: '#secret'}]\nsteps: [{block: Go on}]")
		pass := func() {
			t.Helper()
			build := e.Post(testkit.AdminToken, buildsPath, `{"commit": "HEAD", "branch": "main"}`).Want(t, http.StatusCreated)
			job := build.Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
			e.Put(testkit.AdminToken, build.Text("url")[len(e.URL):]+"/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
		}
		pass()
		e.awaitOutbox("Slack #secret: build finished", "failed The notification service for the channel #secret is for other pipelines")
		if len(e.bodies) != 0 {
			t.Errorf("said %q", e.bodies)
		}
		e.Patch(testkit.AdminToken, servicesPath+"/"+service, map[string]any{"scope": "some_projects", "scope_uuids": []string{own}}).Want(t, http.StatusOK)
		pass()
		e.awaitBodies(1)
	})
}
