package scenarios

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/config"
	"penstock/internal/testkit"
	"penstock/internal/testkit/agent"
	"penstock/internal/testkit/forge"
)

// TestAPushIsBuiltAndItsCommitShowsHowItWent has a real Gitea: a push makes a build, an agent checks it out, and the commit shows how it went.
func TestAPushIsBuiltAndItsCommitShowsHowItWent(t *testing.T) {
	t.Parallel()
	host := forge.Start(t)
	for i, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := start(t, engine, 1, func(c *config.Config) { c.OutboundAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
			s.startAgent(agent.Options{})
			name := fmt.Sprint("web-", i)
			address := host.CreateRepository(name)
			s.connect(host)
			pipeline := s.pipelineOf(name, address)
			s.ask(http.MethodPost, pipeline+"/webhook", `{}`, http.StatusCreated, nil)

			work := host.Clone(address)
			commit := work.Commit("pass", "", "Let it pass")
			work.Git("push", "--quiet", "origin", "main")
			s.awaitBuild(pipeline, commit, "main", "passed")
			eventually(t, "the commit is shown as passed", func() bool { return hasStatus(host, name, commit, "success") })

			work.Git("checkout", "--quiet", "-b", "broken")
			work.Git("rm", "--quiet", "pass")
			broken := work.Commit("other", "", "Let it fail")
			work.Git("push", "--quiet", "origin", "broken")
			s.awaitBuild(pipeline, broken, "broken", "failed")
			eventually(t, "the commit is shown as failed", func() bool { return hasStatus(host, name, broken, "failure") })
			if built := s.buildsOf(pipeline); len(built) != 2 {
				t.Errorf("a new branch, which comes twice, made %d builds in all: %v", len(built), built)
			}

			number := host.CreatePullRequest(name, "broken", "main", "A pull request")
			mended := work.Commit("pass", "", "Mend it")
			work.Git("push", "--quiet", "origin", "broken")
			b := s.awaitBuild(pipeline, mended, "broken", "passed")
			if b.PullRequest == nil || b.PullRequest.ID != fmt.Sprint(number) || b.PullRequest.Base != "main" {
				t.Errorf("the build of the pull request's push: %+v", b)
			}
		})
	}
}

// TestForksTagsAndMailsOfAForge pushes a tag, deletes a branch, offers a fork under each setting, forges a delivery, and reads the mails that a pipeline asks for.
func TestForksTagsAndMailsOfAForge(t *testing.T) {
	t.Parallel()
	host := forge.Start(t)
	bob := host.CreateUser("bob")
	for i, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			mails := testkit.StartMailServer(t, testkit.MailServerOptions{NoTLS: true})
			s := start(t, engine, 1, func(c *config.Config) {
				c.OutboundAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
				c.SMTPAddress, c.SMTPTLS, c.SMTPFrom = mails.Address, config.SMTPNoTLS, "penstock@example.com"
			})
			s.startAgent(agent.Options{})
			name := fmt.Sprint("many-", i)
			address := host.CreateRepository(name)
			s.connect(host)
			pipeline := s.pipelineOf(name, address)
			set := func(settings string) {
				t.Helper()
				s.ask(http.MethodPatch, pipeline, `{"provider_settings": `+settings+`}`, http.StatusOK, nil)
			}
			s.ask(http.MethodPatch, pipeline, `{"configuration": "notify: [{email: team@example.com, if: build.branch == \"main\"}]\nsteps: [{label: look, command: test -e pass}]"}`, http.StatusOK, nil)
			set(`{"build_tags": true}`)
			s.ask(http.MethodPost, pipeline+"/webhook", `{}`, http.StatusCreated, nil)

			work := host.Clone(address)
			commit := work.Commit("pass", "", "Let it pass")
			work.Git("push", "--quiet", "origin", "main")
			s.awaitBuild(pipeline, commit, "main", "passed")
			select {
			case m := <-mails.Arrived():
				if !strings.HasPrefix(m.Subject(), name+" #1: passed") || !strings.HasSuffix(m.Subject(), " (main)") || m.To[0] != "team@example.com" || !strings.Contains(m.Text, "Let it pass") || !strings.Contains(m.HTML, `<a href="`+s.url()+`/acme-inc/`+name+`/builds/1">`) {
					t.Errorf("the mail is %s", m.Raw)
				}
			case <-time.After(time.Minute):
				t.Fatal("no mail came")
			}

			work.Git("tag", "v1")
			work.Git("push", "--quiet", "origin", "v1")
			s.awaitBuild(pipeline, commit, "v1", "passed")
			outcomes := func() []string { return s.texts(`SELECT outcome FROM deliveries ORDER BY id`) }
			await := func(outcome string) {
				t.Helper()
				eventually(t, outcome, func() bool {
					return slices.ContainsFunc(outcomes(), func(o string) bool { return strings.Contains(o, outcome) })
				})
			}
			work.Git("push", "--quiet", "origin", "main:passing")
			s.awaitBuild(pipeline, commit, "passing", "passed")
			work.Git("push", "--quiet", "origin", ":passing")
			await("deleted")

			forked := bob.Clone(bob.Fork(host.User, name))
			forked.Git("fetch", "--quiet", "origin", "main")
			forked.Git("checkout", "--quiet", "-b", "feature", "FETCH_HEAD")
			first := forked.Commit("more", "", "From a fork")
			forked.Git("push", "--quiet", "origin", "feature")
			bob.OfferFork(host.User, name, "feature")
			await("fork")
			for _, b := range s.buildsOf(pipeline) {
				if b.Commit == first {
					t.Errorf("a fork was built without leave: %+v", b)
				}
			}
			set(`{"build_pull_request_forks": true}`)
			second := forked.Commit("more", "again", "From a fork again")
			forked.Git("push", "--quiet", "origin", "feature")
			b := s.awaitBuild(pipeline, second, "bob:feature", "passed") // which an agent has fetched by the pull request's ref
			if b.PullRequest == nil || b.PullRequest.Base != "main" {
				t.Errorf("the build of the fork: %+v", b)
			}
			set(`{"prefix_pull_request_fork_branch_names": false}`)
			third := forked.Commit("more", "once more", "Without a prefix")
			forked.Git("push", "--quiet", "origin", "feature")
			s.awaitBuild(pipeline, third, "feature", "passed")

			built := len(s.buildsOf(pipeline))
			var shown struct {
				Provider struct {
					WebhookURL string `json:"webhook_url"`
				} `json:"provider"`
			}
			s.ask(http.MethodGet, pipeline, "", http.StatusOK, &shown)
			answer := testkit.Send(t, http.MethodPost, shown.Provider.WebhookURL, `{"ref": "refs/heads/main", "after": "`+third+`"}`, "Content-Type", "application/json", "X-Gitea-Event", "push",
				"X-Gitea-Delivery", "forged", "X-Gitea-Signature", strings.Repeat("0", 64))
			if answer.Status < 400 || answer.Status >= 500 {
				t.Errorf("a forged delivery: %d %s", answer.Status, answer.Body)
			}
			await("refused: signature")
			if now := len(s.buildsOf(pipeline)); now != built {
				t.Errorf("a forged delivery made a build: %d instead of %d", now, built)
			}
		})
	}
}

// connect connects the organization with a Gitea.
func (s *installation) connect(host *forge.Forge) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"type": "gitea", "host": map[string]any{"url": host.URL}, "display_name": "Forge", "token": host.Token, "webhook_secret": "the-secret-of-webhooks"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.ask(http.MethodPost, acme+"/repository_connections", string(body), http.StatusCreated, nil)
}

// pipelineOf makes a pipeline of a repository whose job passes if there is a file pass, and returns its path.
func (s *installation) pipelineOf(name, address string) string {
	s.t.Helper()
	configuration := "steps: [{label: look, command: test -e pass}]"
	body, err := json.Marshal(map[string]any{"name": name, "repository": address, "cluster_id": clusterID, "configuration": configuration, "default_branch": "main"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.ask(http.MethodPost, acme+"/pipelines", string(body), http.StatusCreated, nil)
	return acme + "/pipelines/" + name
}

type forgeBuild struct {
	Number      int64  `json:"number"`
	State       string `json:"state"`
	Commit      string `json:"commit"`
	Branch      string `json:"branch"`
	Source      string `json:"source"`
	PullRequest *struct {
		ID   string `json:"id"`
		Base string `json:"base"`
	} `json:"pull_request"`
}

func (s *installation) buildsOf(pipeline string) (found []forgeBuild) {
	s.t.Helper()
	s.ask(http.MethodGet, pipeline+"/builds", "", http.StatusOK, &found)
	return found
}

// awaitBuild waits until a commit of a branch has a build in a state that a webhook made.
func (s *installation) awaitBuild(pipeline, commit, branch, state string) (b forgeBuild) {
	s.t.Helper()
	eventually(s.t, "a build of "+branch+" "+state, func() bool {
		for _, b = range s.buildsOf(pipeline) {
			if b.Commit == commit && b.Branch == branch && b.State == state && b.Source == "webhook" {
				return true
			}
		}
		return false
	})
	return b
}

func hasStatus(host *forge.Forge, repository, commit, state string) bool {
	for _, status := range host.Statuses(repository, commit) {
		if status.Context == "buildkite/"+repository && status.State == state && status.TargetURL != "" {
			return true
		}
	}
	return false
}
