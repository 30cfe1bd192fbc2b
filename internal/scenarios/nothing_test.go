package scenarios

import (
	"regexp"
	"strings"
	"testing"

	"penstock/internal/config"
	"penstock/internal/testkit/agent"
	"penstock/internal/testkit/chromium"
)

var setupLink = regexp.MustCompile(`url="?http://[^"\s/]+(/setup\?link=[0-9A-Za-z]+)`)

// TestFromNothingToAGreenBuild goes from an empty installation to a build that passes, in a browser alone and with a real agent.
func TestFromNothingToAGreenBuild(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Listen, cfg.Data = "127.0.0.1:0", t.TempDir()
	n := startNode(t, cfg)
	link := setupLink.FindStringSubmatch(n.log.String())
	if link == nil {
		t.Fatalf("no link was written: %s", n.log.String())
	}
	tab := chromium.Start(t, chromium.DejaVu).Tab(t, n.url)
	fill := func(fields ...string) {
		t.Helper()
		for i := 0; i < len(fields); i += 2 {
			tab.Type(fields[i], fields[i+1])
		}
	}
	tab.Open(link[1])
	fill("name", "Ada", "email", "ada@example.com", "password", "a long password", "organization_name", "Acme Inc")
	tab.Press("Set up Penstock")
	tab.Want("Get started")

	tab.Press("Clusters")
	tab.Press("New cluster")
	fill("name", "Runners")
	tab.Press("Create cluster")
	cluster := tab.Path()
	tab.Open(cluster + "/queues")
	tab.Press("New queue")
	fill("key", "default")
	tab.Press("Create queue")
	tab.Open(cluster + "/tokens/new")
	fill("description", "My first agent")
	tab.Press("Create agent token")
	tab.Want("buildkite-agent start")
	agent.StartAs(t, chromium.Eval[string](tab, `document.querySelector(".copyable code").textContent`))

	tab.Open("/organizations/acme-inc/new-pipeline")
	fill("name", "Hello", "repository", "https://example.com/hello.git", "configuration", "checkout: {skip: true}\nsteps: [{label: Say hello, command: echo Hello from $$BUILDKITE_AGENT_NAME}]")
	tab.Press("Create pipeline")
	tab.Press("New build")
	fill("message", "My first build")
	tab.Press("Create build")
	tab.WaitFor(".build-head", "Passed")
	tab.Press("Say hello")
	tab.Want("Hello from ", "Passed")
	tab.Open("/organizations/acme-inc")
	tab.Want("My first build", "Passed")
	if done := strings.Count(tab.Shown(), "(done)"); done != 6 {
		t.Errorf("%d of the 6 steps to a first build are done: %s", done, tab.Shown())
	}
}
