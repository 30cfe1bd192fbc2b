package starts_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// fakeHost is a Gitea that records what it gets.
type fakeHost struct {
	*httptest.Server
	mutex  sync.Mutex
	got    []string
	answer int // 0: as it should
}

func newFakeHost(t *testing.T) *fakeHost {
	t.Helper()
	h := &fakeHost{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mutex.Lock()
		defer h.mutex.Unlock()
		path := strings.TrimPrefix(r.URL.Path, "/api/v1")
		h.got = append(h.got, r.Method+" "+path+" "+string(body))
		switch {
		case h.answer != 0:
			w.WriteHeader(h.answer)
			_, _ = io.WriteString(w, `{"message": "no"}`)
		case r.Header.Get("Authorization") != "token good-token":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"message": "token is wrong"}`)
		case path == "/user":
			_, _ = io.WriteString(w, `{"login": "ada"}`)
		case path == "/repos/acme/web":
			_, _ = io.WriteString(w, `{"full_name": "acme/web", "html_url": "https://h", "clone_url": "https://c", "default_branch": "main"}`)
		case strings.HasPrefix(path, "/repos/acme/web/"):
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"id": 12}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"message": "not found"}`)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *fakeHost) setAnswer(status int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.answer = status
}

// statuses returns the states that were published for a commit, in order.
func (h *fakeHost) statuses(commit string) (states []string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, line := range h.got {
		if body, found := strings.CutPrefix(line, "POST /repos/acme/web/statuses/"+commit+" "); found {
			var status struct{ State, Context string }
			if err := json.Unmarshal([]byte(body), &status); err == nil {
				states = append(states, status.State+" "+status.Context)
			}
		}
	}
	return states
}

// site is a server with a pipeline whose repository is at a fake host.
type site struct {
	*testkit.Server
	t     *testing.T
	host  *fakeHost
	token domain.Secret // of the webhook
	made  int
}

const (
	pipelinePath    = "/v2/organizations/acme-inc/pipelines/web"
	connectionsPath = "/v2/organizations/acme-inc/repository_connections"
	shaA            = "1111111111111111111111111111111111111111"
	shaB            = "2222222222222222222222222222222222222222"
)

var web = domain.PipelineRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: "web"}

func eachHost(t *testing.T, fn func(t *testing.T, s *site)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := &site{Server: testkit.NewServer(t, d, testkit.ServerOptions{}), t: t, host: newFakeHost(t)}
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{
			"name": "web", "repository": s.host.URL + "/acme/web.git", "cluster_id": testkit.MaintainedID, "configuration": "steps: [{command: 'true', key: one}]",
		}).Want(t, http.StatusCreated)
		var token string
		testkit.ReadOne(t, d, `SELECT webhook_token FROM pipelines`, func(r *db.Row) { token = r.Text() })
		s.token = domain.Secret(token)
		fn(t, s)
	})
}

func (s *site) connect(members ...any) map[string]any {
	s.t.Helper()
	body := map[string]any{"type": "gitea", "host": map[string]any{"url": s.host.URL}, "token": "good-token"}
	for i := 0; i < len(members); i += 2 {
		body[members[i].(string)] = members[i+1]
	}
	return s.Post(testkit.AdminToken, connectionsPath, body).Want(s.t, http.StatusCreated).Object()
}

func (s *site) set(settings map[string]any) {
	s.t.Helper()
	s.Patch(testkit.AdminToken, pipelinePath, map[string]any{"provider_settings": settings}).Want(s.t, http.StatusOK)
}

// push returns a push of a commit to a ref.
func push(ref, before, after, message string) map[string]any {
	return map[string]any{"ref": ref, "before": before, "after": after, "repository": map[string]any{"full_name": "acme/web"}, "pusher": map[string]any{"email": "member@example.com"},
		"head_commit": map[string]any{"id": after, "message": message, "author": map[string]any{"name": "Ada", "email": "ada@example.com"}}}
}

// deliver delivers an event as Gitea does, with an id of its own unless one is given.
func (s *site) deliver(event string, body any, headers ...string) (string, error) {
	s.t.Helper()
	s.made++
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("X-Gitea-Event", event)
	header.Set("X-Gitea-Delivery", fmt.Sprint("delivery-", s.made))
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	done, err := s.Starts.Deliver(s.t.Context(), authz.Actor{}, s.token, header, text)
	return done.Outcome, err
}

func (s *site) want(outcome string, event string, body any, headers ...string) {
	s.t.Helper()
	if got, err := s.deliver(event, body, headers...); err != nil || got != outcome {
		s.t.Errorf("%q %v, want %q", got, err, outcome)
	}
}

// send sends notices until what is expected of the host holds.
func (s *site) send(holds func() bool, instead func() string) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { _ = s.Notices.SendNotices(ctx, authz.OperatorActor()) })
	testkit.Eventually(s.t, holds, instead)
	cancel()
	ended.Wait()
}

func TestConnectionsAreMadeChangedAndEnded(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		if list := s.Get(testkit.AdminToken, connectionsPath).Want(t, http.StatusOK).List(); len(list) != 0 {
			t.Error(list)
		}
		made := s.connect("display_name", "Our forge", "webhook_secret", "s3cret-of-webhooks")
		path := connectionsPath + "/" + made["id"].(string)
		found := s.Get(testkit.AdminToken, path).Want(t, http.StatusOK)
		for _, part := range []string{`"type":"gitea"`, `"display_name":"Our forge"`, `"service_account":{"login":"ada"}`, `"host":{"type":"gitea","url":"` + s.host.URL + `"}`} {
			if !strings.Contains(string(found.Body), part) {
				t.Errorf("no %s in %s", part, found)
			}
		}
		for _, row := range testkit.Rows(t, s.DB) {
			if strings.Contains(row, "good-token") || strings.Contains(row, "s3cret-of-webhooks") {
				t.Errorf("a secret is stored as it is: %s", row)
			}
		}
		if list := s.Get(testkit.AdminToken, connectionsPath).List(); len(list) != 1 || list[0]["id"] != made["id"] || strings.Contains(fmt.Sprint(list), "token") {
			t.Error(list)
		}
		s.Post(testkit.AdminToken, connectionsPath, map[string]any{"type": "gitea", "host": map[string]any{"url": s.host.URL + "/"}, "token": "good-token"}).
			WantMessage(t, 422, "Validation failed: Host is connected already: change that connection")
		s.Patch(testkit.AdminToken, path, map[string]any{"token": "bad"}).Want(t, 422)
		s.Patch(testkit.AdminToken, path, map[string]any{"type": "gitlab"}).Want(t, 422)
		if renamed := s.Patch(testkit.AdminToken, path, map[string]any{"display_name": "Forge"}).Want(t, 200); renamed.Text("display_name") != "Forge" {
			t.Error(renamed)
		}
		if list := s.Get(testkit.AdminToken, path+"/repositories?repository=acme/web").Want(t, 200).List(); len(list) != 1 || list[0]["default_branch"] != "main" {
			t.Error(list)
		}
		if list := s.Get(testkit.AdminToken, path+"/repositories?repository=acme/none").Want(t, 200).List(); len(list) != 0 {
			t.Error(list)
		}
		s.host.setAnswer(http.StatusBadGateway)
		s.Get(testkit.AdminToken, path+"/repositories").Want(t, 503)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No repository connection found")
		testkit.ReadOne(t, s.DB, `SELECT count(*) FROM connection_secrets`, func(r *db.Row) {
			if n := r.Int(); n != 0 {
				t.Errorf("%d secrets are left", n)
			}
		})
	})
}

func TestConnectionsThatCannotBeMade(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		for _, c := range []struct {
			body map[string]any
			want string
		}{
			{map[string]any{"type": "svn", "token": "x"}, "Type must be github, github_enterprise, gitlab, gitlab_self_managed, bitbucket, bitbucket_server or gitea"},
			{map[string]any{"type": "gitea", "token": "x"}, "Host must have the url of the gitea server"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": "ftp://x"}, "token": "x"}, "Host must have a url that begins with https:// or http://"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": "https://a:b@x"}, "token": "x"}, "Host must have a url that begins with https:// or http://"},
			{map[string]any{"type": "github", "host": map[string]any{"url": "https://example.com"}, "token": "x"}, "Host must be https://github.com for this type"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": s.host.URL}, "token": "a b"}, "Token must be"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": s.host.URL}}, "Token can't be blank"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": s.host.URL}, "token": "x", "webhook_secret": "short"}, "Webhook secret must be 8 to 255"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": s.host.URL}, "token": "wrong"}, "Token is refused by " + s.host.URL + ": 401 Unauthorized: token is [redacted]"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": "http://10.0.0.1"}, "token": "x"}, "this address is inside the network of the server"},
			{map[string]any{"type": "gitea", "host": map[string]any{"url": "http://169.254.169.254"}, "token": "x"}, "this address is inside the network of the server"},
		} {
			answer := s.Post(testkit.AdminToken, connectionsPath, c.body).Want(t, 422)
			if !strings.Contains(string(answer.Body), c.want) {
				t.Errorf("%v: %s, want %s", c.body, answer, c.want)
			}
		}
	})
}

func TestTheWebhookIsMadeAtTheHost(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.Post(testkit.AdminToken, pipelinePath+"/webhook", nil).WantMessage(t, 422, "The repository "+s.host.URL+"/acme/web.git is at no host that the organization is connected with")
		s.connect("webhook_secret", "s3cret-of-webhooks")
		made := s.Post(testkit.AdminToken, pipelinePath+"/webhook", nil).Want(t, 201)
		if made.Text("id") != "12" || made.Text("repository") != "acme/web" {
			t.Error(made)
		}
		want := `"url":"` + s.URL + "/deliver/" + s.token.Reveal() + `"`
		if last := s.host.got[len(s.host.got)-1]; !strings.HasPrefix(last, "POST /repos/acme/web/hooks ") || !strings.Contains(last, want) || !strings.Contains(last, `"secret":"s3cret-of-webhooks"`) {
			t.Error(last)
		}
		s.Post(testkit.AdminToken, pipelinePath+"/webhook", nil).Want(t, 201)
		if !slices.ContainsFunc(s.host.got, func(line string) bool { return strings.HasPrefix(line, "DELETE /repos/acme/web/hooks/12") }) {
			t.Errorf("the old webhook is left: %q", s.host.got)
		}
		s.host.setAnswer(http.StatusForbidden)
		if answer := s.Post(testkit.AdminToken, pipelinePath+"/webhook", nil).Want(t, 422); !strings.Contains(answer.Message(), "The token must belong to an administrator of the repository") {
			t.Error(answer)
		}
	})
}

func TestAPushIsBuiltAndItsCommitShowsHowItGoes(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.connect()
		s.want("built #1", "push", push("refs/heads/main", shaB, shaA, "Add a page"))
		build := s.Get(testkit.AdminToken, pipelinePath+"/builds/1").Want(t, 200)
		for _, part := range []string{`"source":"webhook"`, `"commit":"` + shaA + `"`, `"branch":"main"`, `"message":"Add a page"`, `"author":{`, `ada@example.com`, `member@example.com`} {
			if !strings.Contains(string(build.Body), part) {
				t.Errorf("no %s in %s", part, build)
			}
		}
		s.send(func() bool { return slices.Equal(s.host.statuses(shaA), []string{"pending buildkite/web"}) }, func() string { return fmt.Sprint(s.host.statuses(shaA)) })
		s.Put(testkit.AdminToken, pipelinePath+"/builds/1/cancel", nil).Want(t, 200)
		s.send(func() bool { return slices.Contains(s.host.statuses(shaA), "error buildkite/web") }, func() string { return fmt.Sprint(s.host.statuses(shaA)) })
	})
}

// TestABuildWithoutAHostWritesNoNotice shows that nothing is paid for what is not used.
func TestABuildWithoutAHostWritesNoNotice(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.want("built #1", "push", push("refs/heads/main", shaB, shaA, "Add a page"))
		s.connect()
		s.set(map[string]any{"publish_commit_status": false})
		s.want("built #2", "push", push("refs/heads/main", shaB, shaA, "Add a page"))
		testkit.ReadOne(t, s.DB, `SELECT count(*) FROM notices`, func(r *db.Row) {
			if n := r.Int(); n != 0 {
				t.Errorf("%d notices", n)
			}
		})
	})
}

func TestStatusesHaveTheContextThatIsSet(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.connect()
		s.set(map[string]any{"commit_status_context": "ci/ours", "separate_pull_request_statuses": true})
		request := map[string]any{"action": "opened", "repository": map[string]any{"full_name": "acme/web"}, "pull_request": map[string]any{"number": 7, "title": "A change", "state": "open",
			"head": map[string]any{"ref": "feature", "sha": shaA, "repo": map[string]any{"full_name": "acme/web"}}, "base": map[string]any{"ref": "main", "repo": map[string]any{"full_name": "acme/web"}}}}
		s.want("built #1", "pull_request", request)
		s.want("built #2", "push", push("refs/heads/main", shaA, shaB, "Add a page"))
		s.send(func() bool {
			return slices.Equal(s.host.statuses(shaA), []string{"pending ci/ours/pr"}) && slices.Equal(s.host.statuses(shaB), []string{"pending ci/ours"})
		}, func() string { return fmt.Sprint(s.host.statuses(shaA), s.host.statuses(shaB)) })
	})
}

// TestStepsWithKeysHaveStatusesOfTheirOwn publishes what the notify of a pipeline asks for, too.
func TestStepsWithKeysHaveStatusesOfTheirOwn(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.connect()
		s.set(map[string]any{"publish_commit_status_per_step": true})
		s.Patch(testkit.AdminToken, pipelinePath, map[string]any{"configuration": `
notify: [{github_commit_status: {context: ours}}, {github_check: {name: Check, output: {title: Fine}}}]
steps: [{group: Gate, key: gate, steps: [{block: Go on}]}, {group: Other, steps: [{block: Later}]}]`}).Want(t, 200)
		s.want("built #1", "push", push("refs/heads/main", shaB, shaA, "Add a page"))
		build := s.Get(testkit.AdminToken, pipelinePath+"/builds/1").Want(t, 200)
		for _, job := range build.Object()["jobs"].([]any) {
			s.Put(testkit.AdminToken, pipelinePath+"/builds/1/jobs/"+job.(map[string]any)["id"].(string)+"/unblock", nil).Want(t, 200)
		}
		want := []string{"success Check", "success buildkite/web", "success buildkite/web/gate", "success ours"}
		published := func() []string {
			all := slices.DeleteFunc(s.host.statuses(shaA), func(status string) bool { return !strings.HasPrefix(status, "success") })
			slices.Sort(all)
			return slices.Compact(all)
		}
		s.send(func() bool { return slices.Equal(published(), want) }, func() string { return fmt.Sprint(published()) })
	})
}

func TestDeliveriesAreKnownAgain(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		body := push("refs/heads/main", shaB, shaA, "Add a page")
		s.want("built #1", "push", body, "X-Gitea-Delivery", "same")
		s.want("ignored: it came before", "push", body, "X-Gitea-Delivery", "same")
		s.want("built #2", "push", body, "X-Gitea-Delivery", "other")
		// For as long as deliveries are kept.
		age := func(days int64) {
			t.Helper()
			s.DB.AdvanceClock(time.Duration(days) * 24 * time.Hour)
			if _, err := s.Starts.PruneDeliveries(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
		}
		age(6)
		s.want("ignored: it came before", "push", body, "X-Gitea-Delivery", "same")
		age(2)
		s.want("built #3", "push", body, "X-Gitea-Delivery", "same")
		s.want("ignored: it came before", "push", body, "X-Gitea-Delivery", "same")
	})
}

func TestANewBranchOfGiteaIsBuiltOnce(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		create := map[string]any{"ref": "x", "ref_type": "branch", "sha": shaA, "repository": map[string]any{"full_name": "acme/web"}}
		zero := strings.Repeat("0", 40)
		s.want("built #1", "create", create)
		s.want("ignored: this commit of the branch has a build", "push", push("refs/heads/x", zero, shaA, "Add"))
		create["ref"] = "y"
		s.want("built #2", "push", push("refs/heads/y", zero, shaA, "Add"))
		s.want("ignored: this commit of the branch has a build", "create", create)
		s.want("built #3", "push", push("refs/heads/y", shaB, shaA, "Back again"))
	})
}

func TestSignaturesAreRequiredWhereThereIsASecret(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.connect("webhook_secret", "s3cret-of-webhooks")
		body := push("refs/heads/main", shaB, shaA, "Add a page")
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, []byte("s3cret-of-webhooks"))
		mac.Write(text)
		for _, signature := range []string{"", hex.EncodeToString([]byte("forged"))} {
			if _, err := s.deliver("push", body, "X-Gitea-Signature", signature, "X-Gitea-Delivery", "same"); domain.CodeOf(err) != domain.Forbidden {
				t.Errorf("%q: %v", signature, err)
			}
		}
		s.want("built #1", "push", body, "X-Gitea-Signature", hex.EncodeToString(mac.Sum(nil)), "X-Gitea-Delivery", "same")
	})
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		if _, err := s.deliver("push", "no object"); domain.CodeOf(err) != domain.Malformed {
			t.Error(err)
		}
		if _, err := s.deliver("push", map[string]any{}, "X-Gitea-Event", ""); domain.CodeOf(err) != domain.Malformed {
			t.Error(err)
		}
		if _, err := s.Starts.Deliver(t.Context(), authz.Actor{}, "unknown", http.Header{}, nil); domain.CodeOf(err) != domain.NotFound {
			t.Error(err)
		}
		if _, err := s.Starts.Deliver(t.Context(), authz.Actor{}, s.token, http.Header{}, make([]byte, domain.MaxDelivery+1)); domain.CodeOf(err) != domain.Invalid {
			t.Error(err)
		}
		s.Patch(testkit.AdminToken, pipelinePath, map[string]any{"configuration": "steps: [{command: 'true', if: build.pull_request}]"})
	})
}

// runTasks does, until the test ends, what follows from changes in transactions of its own.
func (s *site) runTasks() {
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Builds.RunTasks(ctx, authz.OperatorActor()) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
}

func TestBuildsOfADeletedBranchAreCanceled(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		s.set(map[string]any{"cancel_deleted_branch_builds": true})
		s.want("built #1", "push", push("refs/heads/x", shaB, shaA, "Add"))
		s.want("built #2", "push", push("refs/heads/main", shaB, shaA, "Add"))
		s.want("canceled 1 builds of x", "delete", map[string]any{"ref": "x", "ref_type": "branch", "repository": map[string]any{"full_name": "acme/web"}})
		s.runTasks()
		for start := time.Now(); s.Get(testkit.AdminToken, pipelinePath+"/builds/1").Text("state") != "canceled"; <-time.After(20 * time.Millisecond) {
			if time.Since(start) > 30*time.Second {
				t.Fatal("the build of the deleted branch goes on")
			}
		}
		if state := s.Get(testkit.AdminToken, pipelinePath+"/builds/2").Text("state"); state != "scheduled" {
			t.Error(state)
		}
	})
}

func TestPushesToABranchWithAPullRequestAreItsBuilds(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		request := func(action, state string) map[string]any {
			repo := map[string]any{"full_name": "acme/web"}
			return map[string]any{"action": action, "repository": repo, "pull_request": map[string]any{"number": 7, "title": "A change", "state": state, "draft": true,
				"labels": []any{map[string]any{"name": "bug"}}, "head": map[string]any{"ref": "x", "sha": shaA, "repo": repo}, "base": map[string]any{"ref": "main", "repo": repo}}}
		}
		s.want("built #1", "pull_request", request("opened", "open"))
		s.want("built #2", "push", push("refs/heads/x", shaA, shaB, "More"))
		if body := string(s.Get(testkit.AdminToken, pipelinePath+"/builds/2").Body); !strings.Contains(body, `"pull_request":{"id":"7","base":"main"`) {
			t.Error(body)
		}
		s.want("ignored: the push of these commits is built", "pull_request", request("synchronized", "open"))
		s.want("ignored: the pull request is closed", "pull_request", request("closed", "closed"))
		s.want("built #3", "push", push("refs/heads/x", shaB, shaA, "After"))
		if body := string(s.Get(testkit.AdminToken, pipelinePath+"/builds/3").Body); !strings.Contains(body, `"pull_request":null`) {
			t.Error(body)
		}
	})
}

func TestDeliveriesAreListedAndBuiltAgain(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		admin := s.PermissionActors(t)["admin"]
		s.want("built #1", "push", push("refs/heads/main", shaB, shaA, "Add a page"))
		s.want("ignored: tags are not built", "push", push("refs/tags/v1", shaB, shaA, "Add a page"))
		if _, err := s.deliver("push", "broken"); err == nil {
			t.Error("a broken delivery is taken")
		}
		list, err := s.Starts.Deliveries(t.Context(), admin, web)
		if err != nil || len(list) != 3 {
			t.Fatal(list, err)
		}
		if list[0].Outcome != "refused: the body is not as this repository host sends it" || list[1].Outcome != "ignored: tags are not built" || list[2].Outcome != "built #1" || list[2].BuildNumber != 1 || list[2].Event != "push" {
			t.Errorf("%+v", list)
		}
		d, body, err := s.Starts.Delivery(t.Context(), admin, web, string(list[2].ID))
		if err != nil || d.ID != list[2].ID || !strings.Contains(body, "Add a page") {
			t.Error(d, body, err)
		}
		if done, err := s.Starts.RepeatDelivery(t.Context(), admin, web, string(list[2].ID)); err != nil || done.Outcome != "built #2" {
			t.Error(done, err)
		}
		if _, err := s.Starts.RepeatDelivery(t.Context(), admin, web, string(list[0].ID)); domain.CodeOf(err) != domain.Invalid {
			t.Error(err)
		}
		s.DB.AdvanceClock(domain.DeliveryRetention + time.Second)
		if deleted, err := s.Starts.PruneDeliveries(t.Context(), authz.OperatorActor()); err != nil || deleted != 4 {
			t.Error(deleted, err)
		}
	})
}

// hostMethods are the methods that TestPermissionsOfRepositoryHosts has cases for.
var hostMethods = []string{
	"RepositoryConnections", "RepositoryConnection", "CreateRepositoryConnection", "UpdateRepositoryConnection", "DeleteRepositoryConnection", "TryRepositoryConnection",
	"ConnectionRepositories", "Deliver", "Deliveries", "Delivery", "RepeatDelivery", "PruneDeliveries", "PipelineWebhook", "CreatePipelineWebhook", "DeletePipelineWebhook", "RotateWebhookURL",
}

func TestPermissionsOfRepositoryHosts(t *testing.T) {
	eachHost(t, func(t *testing.T, s *site) {
		id := s.connect()["id"].(string)
		s.want("built #1", "push", push("refs/heads/main", shaB, shaA, "Add a page"))
		list, err := s.Starts.Deliveries(t.Context(), s.PermissionActors(t)["admin"], web)
		if err != nil {
			t.Fatal(err)
		}
		other := newFakeHost(t)
		acme, delivery := web.Organization, string(list[0].ID)
		input := core.Value(domain.ConnectionInput{Type: domain.Some("gitea"), URL: domain.Some(s.host.URL), Token: domain.Some(domain.Secret("good-token"))})
		forget := func() { testkit.Exec(t, s.DB, `DELETE FROM repository_connections WHERE id <> $1`, id) }
		cases := []testkit.PermissionCase{
			{Method: "RepositoryConnections", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.RepositoryConnections(ctx, a, acme)
				return err
			}},
			{Method: "RepositoryConnection", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.RepositoryConnection(ctx, a, acme, id)
				return err
			}},
			{Method: "ConnectionRepositories", Outcomes: testkit.AdminsRead, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.ConnectionRepositories(ctx, a, acme, id, "acme/web")
				return err
			}},
			{Method: "UpdateRepositoryConnection", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.UpdateRepositoryConnection(ctx, a, acme, id, core.Value(domain.ConnectionInput{DisplayName: domain.Some("Forge")}), nil)
				return err
			}},
			{Method: "TryRepositoryConnection", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.TryRepositoryConnection(ctx, a, acme, id)
				return err
			}},
			{Method: "CreateRepositoryConnection", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				testkit.Change(t, s.DB, `UPDATE repository_connections SET url = 'https://elsewhere.example.com' WHERE id = $1`, id)
				defer forget()
				_, err := s.Starts.CreateRepositoryConnection(ctx, a, acme, input)
				return err
			}},
			{Method: "Deliver", Outcomes: testkit.Everyone, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.Deliver(ctx, a, s.token, http.Header{"X-Github-Event": {"ping"}}, []byte(`{}`))
				return err
			}},
			{Method: "PruneDeliveries", Outcomes: testkit.OperatorOnly, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.PruneDeliveries(ctx, a)
				return err
			}},
			{Method: "Deliveries", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.Deliveries(ctx, a, web)
				return err
			}},
			{Method: "Delivery", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, _, err := s.Starts.Delivery(ctx, a, web, delivery)
				return err
			}},
			{Method: "RepeatDelivery", Outcomes: membersWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.RepeatDelivery(ctx, a, web, delivery)
				return err
			}},
			{Method: "PipelineWebhook", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.PipelineWebhook(ctx, a, web)
				return err
			}},
			{Method: "CreatePipelineWebhook", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				testkit.Exec(t, s.DB, `UPDATE repository_connections SET url = $2 WHERE id = $1`, id, s.host.URL)
				_, err := s.Starts.CreatePipelineWebhook(ctx, a, web)
				return err
			}},
			{Method: "DeletePipelineWebhook", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				testkit.Exec(t, s.DB, `INSERT INTO pipeline_webhooks (pipeline_id, connection_id, repository, external_id, created_at)
					SELECT id, $1, 'acme/web', '12', 0 FROM pipelines WHERE slug = 'web' ON CONFLICT DO NOTHING`, id)
				_, err := s.Starts.DeletePipelineWebhook(ctx, a, web, "")
				return err
			}},
			{Method: "RotateWebhookURL", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				_, err := s.Starts.RotateWebhookURL(ctx, a, web)
				return err
			}},
			{Method: "DeleteRepositoryConnection", Outcomes: testkit.AdminsWrite, Call: func(ctx context.Context, a authz.Actor) error {
				made, err := s.Starts.CreateRepositoryConnection(ctx, s.PermissionActors(t)["admin"], acme, core.Value(domain.ConnectionInput{
					Type: domain.Some("gitea"), URL: domain.Some(other.URL), Token: domain.Some(domain.Secret("good-token"))}))
				if err != nil {
					t.Fatal(err)
				}
				defer forget()
				return s.Starts.DeleteRepositoryConnection(ctx, a, acme, string(made.ID), nil)
			}},
		}
		elsewhere := map[string]string{}
		for method := range permissionCases {
			elsewhere[method] = "TestPermissionMatrix has it"
		}
		s.CheckPermissions(t, s.Starts, elsewhere, cases, "Deliver") // its address is the secret
	})
}

// membersWrite is the row of what every member may do whose team, or nobody's, may build the pipeline.
const membersWrite = "anon   ok     ok    none     scope ok     anon     ok"
