package scenarios

import (
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit/agent"
	"penstock/internal/testkit/chromium"
)

// person is somebody who looks at an installation in a browser.
type person struct {
	*chromium.Tab
	s *installation
	t *testing.T
}

// visit opens a tab in which the administrator is signed in.
func (s *installation) visit(t *testing.T, b *chromium.Browser) person {
	t.Helper()
	svc := service.New(service.Options{Core: core.New(core.Options{DB: s.open()})})
	value, err := svc.SignInWithOIDC(t.Context(), authz.VisitorActor(netip.MustParseAddr("192.0.2.1")), domain.VerifiedClaims{Email: "admin@example.com", EmailVerified: true})
	if err != nil {
		t.Fatal(err)
	}
	tab := b.Tab(t, s.url())
	tab.SetCookie("penstock_session", value.Reveal())
	return person{tab, s, t}
}

// pageOf is the page of a pipeline, by its path in the API.
func pageOf(pipeline string) string { return strings.TrimPrefix(pipeline, "/v2") }

// create creates a build of a pipeline, and is then at its page.
func (p person) create(pipeline, message string) {
	p.t.Helper()
	p.Open(pageOf(pipeline))
	p.Press("New build")
	p.Type("message", message)
	p.Press("Create build")
	p.Want(message, "#1")
}

// flagFile returns the path of a file that a job waits for, and what makes it.
func flagFile(t *testing.T) (path string, raise func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "flag")
	return path, func() {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
}

// TestBuildsInTheBrowser does in a real browser, beside a real agent, what people do with builds.
func TestBuildsInTheBrowser(t *testing.T) {
	t.Parallel()
	b := chromium.Start(t, chromium.DejaVu)
	for name, part := range map[string]struct {
		do     func(*testing.T, person)
		engine string
		nodes  int // people look at the first, and agents are connected to the last
	}{
		"first build":       {firstBuildInBrowser, "postgres", 2},
		"failure and retry": {failureInBrowser, "sqlite", 1},
		"growing log":       {growingLogInBrowser, "postgres", 2},
		"unblock":           {unblockInBrowser, "sqlite", 1},
		"cancel":            {cancelInBrowser, "sqlite", 1},
		"without scripts":   {buildWithoutScripts, "sqlite", 1},
		"agents":            {agentsInBrowser, "sqlite", 1},
		"restart":           {restartInBrowser, "sqlite", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, part.engine, part.nodes)
			s.startAgent(agent.Options{Endpoint: s.endpoint(part.nodes - 1), Tags: []string{"queue=default"}})
			part.do(t, s.visit(t, b))
		})
	}
}

// wantNarrow checks that the page fits a phone.
func (p person) wantNarrow() {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(390, 800))
	if width := chromium.Eval[int](p.Tab, `document.documentElement.scrollWidth`); width > 390 {
		p.t.Errorf("%s is %d px wide on a screen of 390", p.Path(), width)
	}
	p.Do(chromedp.EmulateViewport(1200, 900))
}

func firstBuildInBrowser(t *testing.T, p person) {
	pipeline := p.s.createPipeline(`steps: [{label: ":wave: Greet", command: "echo --- Greeting; printf 'hello \\033[32mgreen\\033[0m world\\n'; echo noted > notes.txt; buildkite-agent artifact upload notes.txt; buildkite-agent annotate 'All is **good**' --style success"}, wait, {group: Checks, steps: [{label: Twice, command: "true", parallelism: 2}]}]`)
	p.Open(pageOf(pipeline))
	p.Want("No builds yet")
	p.create(pipeline, "The first one")
	p.WaitFor(".build-head", "Passed") // without being loaded again
	p.Want("👋 Greet", "Checks", "in ")
	p.wantNarrow()
	p.Want("All is good", "notes.txt")
	p.Press("👋 Greet")
	p.Want("Passed", "Greeting", "hello green world")
	if color := chromium.Eval[string](p.Tab, `getComputedStyle(document.querySelector(".term-fg32")).color`); color == chromium.Eval[string](p.Tab, `getComputedStyle(document.querySelector("#log")).color`) {
		t.Error("green is not green")
	}
	p.wantNarrow()
	p.Type("search", "WORLD")
	p.Press("Search")
	p.WaitFor(".log-found", "hello green world")
	p.Open(pageOf(pipeline))
	p.Want("The first one", "Passed")
	p.wantNarrow()
}

func failureInBrowser(t *testing.T, p person) {
	flag, raise := flagFile(t)
	pipeline := p.s.createPipeline(`steps: [{label: Prepare, command: "true"}, wait, {label: Test, command: "echo --- Setting up; echo quiet; echo +++ Tests; echo expected 3, got 4; test -e ` + flag + `"}, wait, {label: Deploy, command: "true"}]`)
	p.create(pipeline, "A mistake")
	p.WaitFor(".build-head", "Failed")
	p.Want("exit status 1", "a step it depends on didn't pass")
	p.Press("Test")
	p.Want("exit status 1", "expected 3, got 4")
	raise()
	p.Press("Retry")
	p.Want("Job retried.")
	p.WaitFor(".build-head", "Passed")
	p.Want("1 earlier attempt")
	p.Open(pageOf(pipeline))
	p.Want("A mistake", "Passed")
}

func growingLogInBrowser(t *testing.T, p person) {
	flag, raise := flagFile(t)
	pipeline := p.s.createPipeline(`steps: [{label: Slow, command: "echo +++ Begin; echo first words; while [ ! -e ` + flag + ` ]; do sleep 0.2; done; echo --- More; seq 1 3000; echo last words"}]`)
	p.create(pipeline, "A long one")
	p.WaitFor(".job", "Running")
	p.Press("Slow")
	p.WaitFor("#log", "first words")
	p.WaitFor("#job", "Running")
	raise()
	p.WaitFor("#log", "last words")
	p.WaitFor("#job", "Passed")
	if shown := chromium.Eval[int](p.Tab, `document.querySelectorAll(".line").length`); shown > 2000 {
		t.Errorf("%d lines are shown", shown)
	}
	p.Do(chromedp.Click(chromedp.CSS(`[data-more="before"] a[data-load]`)))
	p.WaitFor("#log", "\n2000\n")
	number := chromium.Eval[string](p.Tab, `[...document.querySelectorAll(".line")].find(e => e.querySelector(".t").textContent === "1700").id`)
	path := strings.Split(p.Path(), "?")[0]
	p.Open(path + "?line=" + number[1:] + "#" + number)
	if !chromium.Eval[bool](p.Tab, `document.querySelector("#`+number+` .t").textContent === "1700"`) {
		t.Error("the link to a line leads elsewhere")
	}
}

func unblockInBrowser(_ *testing.T, p person) {
	pipeline := p.s.createPipeline(`steps: [{block: "Ship it?", prompt: "Think first", fields: [{text: Version, key: version}]}, {label: Ship, command: "true"}]`)
	p.create(pipeline, "A release")
	p.Want("Waiting to be unblocked", "Think first")
	p.Press("Unblock Ship it?")
	p.Type("unblock_version", "1.2.3")
	p.Press("Continue")
	p.Want("Job unblocked.", "by Admin")
	p.WaitFor(".build-head", "Passed")
	p.Do(chromedp.Click(chromedp.CSS("#meta-data > summary")))
	p.WaitFor("#meta-data", "1.2.3")
}

func cancelInBrowser(_ *testing.T, p person) {
	pipeline := p.s.createPipeline(`steps: [{label: Endless, command: "sleep 600"}]`)
	p.create(pipeline, "A waste")
	p.WaitFor(".job", "Running")
	p.Press("Cancel…")
	p.Press("Cancel build")
	p.Want("Build canceled.")
	p.WaitFor(".build-head", "Canceled")
	p.Press("Rebuild")
	p.Want("rebuilt from", "#2")
}

func buildWithoutScripts(t *testing.T, p person) {
	p.AllowScripts(false)
	p.Do(chromedp.EmulateViewport(390, 800))
	pipeline := p.s.createPipeline(`steps: [{block: "Ship it?"}, {label: Ship, command: "echo shipped"}]`)
	p.create(pipeline, "By hand")
	p.Press("Unblock Ship it?")
	p.Press("Continue")
	build := strings.Split(p.Path(), "#")[0]
	eventually(t, "the page that loads itself again shows that the build has passed", func() bool {
		shown, err := p.Try(`!!document.body?.innerText.includes("Passed")`) // which fails while it loads
		return err == nil && shown
	})
	p.Open(build)
	p.Press("Ship")
	p.Want("shipped", "Raw log")
	if status := p.Press("Raw log"); status != http.StatusOK {
		t.Errorf("the raw log is %d", status)
	}
}

func agentsInBrowser(t *testing.T, p person) {
	eventually(t, "the agent is connected", func() bool {
		p.Open("/organizations/acme-inc/agents")
		return strings.Contains(p.Shown(), "Idle")
	})
	p.wantNarrow()
	p.Press("runner-1")
	p.Press("Pause")
	p.Type("note", "New disks")
	p.Press("Pause agent")
	p.Want("Agent paused.", "New disks")
	pipeline := p.s.createPipeline(`steps: [{label: Waits, command: "true"}]`)
	p.create(pipeline, "For later")
	p.Open("/organizations/acme-inc/clusters/" + clusterID + "/queues/" + queueID)
	p.Want("Jobs waiting", "Waits", "Waiting for an agent", "--tags queue=default")
	p.wantNarrow()
	p.Open("/organizations/acme-inc/agents")
	p.Press("Resume runner-1")
	p.Want("Agent resumed.")
	p.Open("/acme-inc/" + filepath.Base(pipeline) + "/builds/1")
	p.WaitFor(".build-head", "Passed")
	p.Open("/organizations/acme-inc/agents")
	p.Press("Stop… runner-1")
	p.Press("Stop agent")
	p.Want("The agent is stopping.")
	eventually(t, "the agent has stopped", func() bool {
		p.Open(p.Path())
		return strings.Contains(p.Shown(), "Stopped")
	})
}

// restartInBrowser looks at a build while its server is restarted.
func restartInBrowser(t *testing.T, p person) {
	flag, raise := flagFile(t)
	pipeline := p.s.createPipeline(`steps: [{label: Slow, command: "while [ ! -e ` + flag + ` ]; do sleep 0.2; done"}]`)
	p.create(pipeline, "Through a restart")
	p.WaitFor(".job", "Running")
	p.MayFail(p.Path() + "/events")
	p.mayLackIcon()
	n := p.s.nodes[0]
	n.stop()
	cfg := n.cfg
	cfg.Listen, cfg.Bootstrap = strings.TrimPrefix(n.url, "http://"), ""
	p.s.nodes[0] = startNode(t, cfg)
	raise()
	p.WaitFor(".build-head", "Passed")
	p.mayLackIcon()
}

// mayLackIcon says that the server may be gone before the browser has the icon of the page.
func (p person) mayLackIcon() {
	p.MayFail(chromium.Eval[string](p.Tab, `new URL(document.querySelector("link[rel~=icon]").href).pathname`))
}
