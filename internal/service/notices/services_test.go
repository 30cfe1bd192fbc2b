package notices_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const (
	servicesPath = "/v2/organizations/acme-inc/services"
	buildsPath   = "/v2/organizations/acme-inc/pipelines/told/builds"
)

// ear hears what notification services are sent.
type ear struct {
	*testkit.Server
	t    *testing.T
	host *httptest.Server

	mutex  sync.Mutex
	heard  []*http.Request
	bodies []string
	mails  []domain.Mail
	status int // 0: it is well
}

func eachEar(t *testing.T, fn func(t *testing.T, e *ear)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		e := &ear{t: t}
		e.host = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			e.mutex.Lock()
			defer e.mutex.Unlock()
			if e.status != 0 {
				w.WriteHeader(e.status)
				return
			}
			e.heard, e.bodies = append(e.heard, r), append(e.bodies, string(body))
		}))
		t.Cleanup(e.host.Close)
		e.Server = testkit.NewServer(t, d, testkit.ServerOptions{Transport: e.answerForPagerDuty, Mail: func(_ context.Context, m domain.Mail) error {
			e.mutex.Lock()
			defer e.mutex.Unlock()
			e.mails = append(e.mails, m)
			return nil
		}})
		e.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{
			"name": "told", "repository": "git@example.com:acme/told.git", "cluster_id": testkit.MaintainedID, "configuration": "steps: [{block: Go on, key: gate}]",
		}).Want(t, http.StatusCreated)
		ctx, cancel := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		sending.Go(func() { _ = e.Notices.SendNotices(ctx, authz.OperatorActor()) })
		t.Cleanup(func() {
			cancel()
			sending.Wait()
		})
		fn(t, e)
	})
}

func (e *ear) listen(body map[string]any) string {
	e.t.Helper()
	return e.Post(testkit.AdminToken, servicesPath, body).Want(e.t, http.StatusCreated).Text("id")
}

// await waits until that many requests or mails came.
func (e *ear) await(n int, count func() int) {
	e.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		e.mutex.Lock()
		got := count()
		e.mutex.Unlock()
		if got >= n {
			return
		}
		if time.Now().After(deadline) {
			e.t.Fatalf("%d came instead of %d: %q %v", got, n, e.bodies, e.mails)
		}
	}
}

func (e *ear) awaitBodies(n int) {
	e.t.Helper()
	e.await(n, func() int { return len(e.bodies) })
}

// events returns the events that came, in order.
func (e *ear) events() (names []string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, r := range e.heard {
		names = append(names, r.Header.Get("X-Buildkite-Event"))
	}
	return names
}

func TestWebhooksHearOfBuildsInOrder(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		e.listen(map[string]any{"provider": "webhook", "settings": map[string]any{
			"url": e.host.URL + "/hook", "token": "a-token", "token_mode": "signature",
			"events": []string{"build.scheduled", "build.running", "build.finished", "job.activated"},
		}})
		e.listen(map[string]any{"provider": "webhook", "branch_configuration": "release/*", "settings": map[string]any{"url": e.host.URL + "/other", "token": "shown"}})
		e.awaitBodies(2) // pings
		build := e.Post(testkit.AdminToken, buildsPath, `{"commit": "HEAD", "branch": "main", "message": "Hello"}`).Want(t, http.StatusCreated)
		job := build.Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
		e.Put(testkit.AdminToken, buildsPath+"/1/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
		e.awaitBodies(6)
		got := e.events()
		if want := []string{"ping", "ping", "build.scheduled", "build.finished", "job.activated", "build.finished"}; !slices.Equal(got, want) {
			t.Errorf("heard %q", got)
		}
		var first struct {
			Event string
			Build struct {
				Number  int
				State   string
				Blocked bool
				Message string
				Jobs    []any
			}
			Pipeline struct{ Slug string }
			Sender   struct{ Name string }
		}
		if err := json.Unmarshal([]byte(e.bodies[3]), &first); err != nil || first.Event != "build.finished" || first.Build.Number != 1 || !first.Build.Blocked ||
			first.Build.Message != "Hello" || first.Build.Jobs != nil || first.Pipeline.Slug != "told" || first.Sender.Name == "" {
			t.Errorf("%v: %s", err, e.bodies[3])
		}
		if !strings.Contains(e.bodies[4], `"job":{"id":"`+job+`"`) || !strings.Contains(e.bodies[5], `"state":"passed"`) {
			t.Errorf("heard %q", e.bodies[4:])
		}
		timestamp, signature, _ := strings.Cut(strings.TrimPrefix(e.heard[2].Header.Get("X-Buildkite-Signature"), "timestamp="), ",signature=")
		signed := hmac.New(sha256.New, []byte("a-token"))
		_, _ = io.WriteString(signed, timestamp+"."+e.bodies[2])
		if signature != hex.EncodeToString(signed.Sum(nil)) || e.heard[2].Header.Get("X-Buildkite-Token") != "" || e.heard[2].URL.Path != "/hook" {
			t.Errorf("the headers are %v", e.heard[2].Header)
		}
		if e.heard[0].URL.Path == e.heard[1].URL.Path {
			t.Errorf("the pings went to %s and %s", e.heard[0].URL, e.heard[1].URL)
		}
	})
}

func TestPeopleAreToldWhatTheyChose(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		slack := e.listen(map[string]any{"provider": "slack", "settings": map[string]any{"url": e.host.URL + "/chat/SECRET", "channel": "#builds", "theme": "emoji"},
			"build_states": map[string]any{"build_blocked": true, "build_passed": false}})
		if shown := e.Get(testkit.AdminToken, servicesPath+"/"+slack).Want(t, http.StatusOK); strings.Contains(string(shown.Body), "SECRET") {
			t.Errorf("the address is shown: %s", shown.Body)
		}
		e.listen(map[string]any{"provider": "email", "settings": map[string]any{"addresses": []string{"ada@example.com", "bo@example.com"}}})
		e.Post(testkit.AdminToken, buildsPath, `{"commit": "HEAD", "branch": "main", "message": "<b> & more"}`).Want(t, http.StatusCreated)
		e.awaitBodies(1)
		var said struct{ Text, Channel string }
		if err := json.Unmarshal([]byte(e.bodies[0]), &said); err != nil || said.Channel != "#builds" || !strings.Contains(said.Text, "|told #1> is blocked: &lt;b&gt; &amp; more\nmain, HEAD") {
			t.Errorf("%v: %s", err, e.bodies[0])
		}
		build := e.Get(testkit.AdminToken, buildsPath+"/1").Object()
		job := build["jobs"].([]any)[0].(map[string]any)["id"].(string)
		e.Put(testkit.AdminToken, buildsPath+"/1/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
		e.await(2, func() int { return len(e.mails) })
		if m := e.mails[0]; m.To != "ada@example.com" || m.Subject != "told #1 passed (main)" || !strings.Contains(m.Text, e.URL+"/acme-inc/told/builds/1") {
			t.Errorf("mailed %+v", m)
		}
		if len(e.bodies) != 1 {
			t.Errorf("said %q", e.bodies)
		}
	})
}

func TestNothingIsSentToAServiceThatIsDisabled(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		id := e.listen(map[string]any{"provider": "webhook", "settings": map[string]any{"url": e.host.URL}})
		e.awaitBodies(1)
		e.Put(testkit.AdminToken, servicesPath+"/"+id+"/disable", nil).Want(t, http.StatusOK)
		e.Post(testkit.AdminToken, buildsPath, `{"commit": "HEAD", "branch": "main"}`).Want(t, http.StatusCreated)
		e.Put(testkit.AdminToken, servicesPath+"/"+id+"/enable", nil).Want(t, http.StatusOK)
		e.Post(testkit.AdminToken, buildsPath, `{"commit": "HEAD", "branch": "main"}`).Want(t, http.StatusCreated)
		e.awaitBodies(2)
		if !strings.Contains(e.bodies[1], `"number":2`) {
			t.Errorf("heard %s", e.bodies[1])
		}
	})
}

func TestServicesThatCannotWorkAreRefused(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		for body, want := range map[string]string{
			`{"settings": {"url": "https://x"}}`:                                                                             "Provider must be webhook, slack or email",
			`{"provider": "datadog_pipeline_visibility"}`:                                                                    "Provider must be webhook, slack or email",
			`{"provider": "webhook"}`:                                                                                        "Settings url can't be blank",
			`{"provider": "webhook", "settings": {"url": "ftp://x"}}`:                                                        "Settings url must begin with https:// or http://, without a user name",
			`{"provider": "webhook", "settings": {"url": "https://x", "events": ["agent.bored"]}}`:                           "Settings events must be some of ping, build.scheduled",
			`{"provider": "webhook", "settings": {"url": "https://x", "tls_verify": false}}`:                                 "Settings tls_verify must be true",
			`{"provider": "webhook", "settings": {"url": "https://x", "channel": "#x"}}`:                                     "Settings channel is not one of webhook",
			`{"provider": "email", "settings": {"addresses": ["Ada <ada@example.com>"]}}`:                                    "Settings addresses must be email addresses",
			`{"provider": "webhook", "scope": "some_teams", "settings": {"url": "https://x"}}`:                               "Scope uuids can't be blank for the scope some_teams",
			`{"provider": "webhook", "scope": "some_projects", "scope_uuids": ["nobody"], "settings": {"url": "https://x"}}`: "Scope uuids must be of pipelines, teams or clusters",
		} {
			if message := e.Post(testkit.AdminToken, servicesPath, body).Want(t, http.StatusUnprocessableEntity).Message(); !strings.Contains(message, want) {
				t.Errorf("%s: %s", body, message)
			}
		}
	})
}
