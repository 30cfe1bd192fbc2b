package web_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

const coloredSteps = `env:
  A: "b" # why
steps:
  - label: "tests"
    command: |
      make test
      echo key: value # 3
    timeout_in_minutes: 10
`

// TestCodeInBrowser writes and reads code in a real browser.
func TestCodeInBrowser(t *testing.T) {
	t.Parallel()
	browser := chromium.Start(t, chromium.DejaVu)
	for name, part := range map[string]func(*testing.T, *chromium.Browser){
		"editor": editorInBrowser, "portal": portalCodeInBrowser, "console on a phone": consoleOnPhone, "frame of the console": consoleFrame,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, browser)
		})
	}
}

// editorInBrowser edits a pipeline's steps: they have colors, the keyboard leaves the editor, and what is not saved is not lost unseen.
func editorInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	s.Post(testkit.AdminToken, "/v2"+acme+"/pipelines", map[string]any{
		"name": "Colored", "repository": "git@example.com:acme/web.git", "cluster_id": testkit.MaintainedID, "configuration": coloredSteps,
	}).Want(t, http.StatusCreated)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(acme + "/pipelines/colored/settings")
	painted := func(kind string) string {
		t.Helper()
		return chromium.Eval[string](tab, `[...document.querySelectorAll(".colors .code-`+kind+`")].map((e) => e.textContent).join("|")`)
	}
	for kind, want := range map[string]string{
		"key": "env|A|steps|label|command|timeout_in_minutes", "string": `"b"|"tests"`, "comment": "# why", "number": "10", "block": "|\n      make test\n      echo key: value # 3",
	} {
		if got := painted(kind); got != want {
			t.Errorf("%s: %q has the color, want %q", kind, got, want)
		}
	}
	const same = `document.querySelector(".colors").textContent === document.getElementById("field-configuration").value + "\n"`
	if !chromium.Eval[bool](tab, same) {
		t.Error("the colors lie under another text")
	}
	for _, look := range []string{"light", "dark"} {
		tab.Prefer(look)
		tab.Check("the editor in " + look)
	}

	// A new line begins where the one above does; Tab leaves.
	chromium.Eval[bool](tab, `((area) => { area.focus(); area.setSelectionRange(area.value.length - 1, area.value.length - 1); return true; })(document.getElementById("field-configuration"))`)
	tab.Do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent("key: x"))
	if value := chromium.Eval[string](tab, `document.getElementById("field-configuration").value`); !strings.HasSuffix(value, "    timeout_in_minutes: 10\n    key: x\n") {
		t.Errorf("it has %q", value)
	}
	if !chromium.Eval[bool](tab, same) || !strings.HasSuffix(painted("key"), "|key") {
		t.Error("the colors do not follow")
	}
	tab.Do(chromedp.KeyEvent(kb.Tab))
	if chromium.Eval[string](tab, `document.activeElement.id`) == "field-configuration" {
		t.Error("the tabulator does not leave the editor")
	}
	if !chromium.Eval[bool](tab, `!dispatchEvent(new Event("beforeunload", { cancelable: true }))`) {
		t.Error("what is not saved is lost without a word")
	}
}

// portalCodeInBrowser copies code, and chooses what to try.
func portalCodeInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	s.Post(testkit.AdminToken, "/v2"+acme+"/portals", map[string]any{"name": "Two", "query": "query A($slug: ID!) { organization(slug: $slug) { name } }\nquery B { viewer { id } }"}).
		Want(t, http.StatusCreated)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(acme + "/portals/two")
	if n := chromium.Eval[int](tab, `document.querySelectorAll(".copyable > button:not([hidden])").length`); n != 2 {
		t.Errorf("%d blocks of code have a button that copies them", n)
	}
	tab.Check("a portal")
	tab.Open(acme + "/portals/two/try")
	variables := func() string { return chromium.Eval[string](tab, `document.getElementById("field-variables").value`) }
	choose := func(operation string) {
		chromium.Eval[bool](tab, `((choice) => { choice.value = "`+operation+`"; return choice.dispatchEvent(new Event("change")); })(document.getElementById("field-operation_name"))`)
	}
	first := variables()
	choose("B")
	second := variables()
	choose("A")
	if !strings.Contains(first, `"slug": "acme-inc"`) || second != "{}" || variables() != first {
		t.Errorf("the variables are %s, then %s, then %s", first, second, variables())
	}
	tab.Press("Run")
	tab.Want("Acme Inc")
	tab.Open("/docs/policies")
	if !chromium.Eval[bool](tab, `document.querySelectorAll(".doc pre").length === document.querySelectorAll(".doc .copyable > button").length`) {
		t.Error("some code of the documentation can't be copied")
	}
}

// wantConsole says whether the site has GraphiQL, without which there is nothing to look at.
func wantConsole(t *testing.T, s *site) {
	t.Helper()
	if strings.Contains(s.signedIn("admin@example.com").get(consolePath).Body, "console.js") {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("in CI GraphiQL is a must: make assets fetches it")
	}
	t.Skip("without GraphiQL: make assets fetches it")
}

// consoleOnPhone has room for the query and its answer, one below the other.
func consoleOnPhone(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	wantConsole(t, s)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Do(chromedp.EmulateViewport(390, 800))
	tab.Open(consolePath)
	run := chromedp.CSS(".graphiql-execute-button")
	tab.Do(chromedp.WaitVisible(run), chromedp.Click(run))
	tab.WaitFor(".graphiql-response", `"name": "Maintained"`)
	for _, part := range []string{".graphiql-query-editor .CodeMirror-lines", ".graphiql-response .CodeMirror-lines"} {
		if width := chromium.Eval[float64](tab, `document.querySelector("`+part+`").getBoundingClientRect().width`); width < 200 {
			t.Errorf("%s is %v pixels wide", part, width)
		}
	}
	if !chromium.Eval[bool](tab, `document.documentElement.scrollWidth <= innerWidth`) {
		t.Error("the page is wider than the screen")
	}
}

// consoleFrame stays where the frame of other pages is.
func consoleFrame(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	wantConsole(t, s)
	tab := s.tabOf(t, b, "admin@example.com")
	for _, width := range []int64{1000, 1300, 1800} {
		tab.Do(chromedp.EmulateViewport(width, 900))
		var places [2]string
		for i, path := range []string{acme + "/clusters", consolePath} {
			tab.Open(path)
			places[i] = chromium.Eval[string](tab, `[".side", "main", ".brand", "h1"].map((part) => document.querySelector(part).getBoundingClientRect().left).join()`)
		}
		if places[0] != places[1] {
			t.Errorf("at %d pixels the frame is at %s, on other pages at %s", width, places[1], places[0])
		}
	}
}
