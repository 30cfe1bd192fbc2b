package scenarios

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"testing"

	"penstock/internal/config"
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
