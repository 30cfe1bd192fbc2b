package web_test

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"penstock/internal/authz"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
	"penstock/internal/testkit/node"
	"penstock/internal/web"
)

// TestEndToEnd does in a real browser what people do. Its parts share the browser, and have sites of their own.
func TestEndToEnd(t *testing.T) {
	t.Parallel()
	browser := chromium.Start(t, chromium.DejaVu)
	for name, part := range map[string]func(*testing.T, *chromium.Browser){
		"first run":         firstRun,
		"policy":            policyInBrowser,
		"default registry":  defaultRegistry,
		"usage":             usageInBrowser,
		"roles":             rolesInBrowser,
		"keyboard":          keyboardOnly,
		"console":           consoleInBrowser,
		"without scripts":   pagesWithoutScripts,
		"pages":             pagesInBrowser,
		"live search":       searchAsTyped,
		"steps as typed":    stepsAsTyped,
		"refusals":          refusalsInBrowser,
		"looks are kept":    looksAreKept,
		"scripts stay dead": hostileTextsInBrowser,
		"growing log":       growingLogInBrowser,
		"long log":          longLogInBrowser,
		"long names":        longNamesInBrowser,
		"many rows":         manyRowsInBrowser,
		"refused forms":     refusedFormsInBrowser,
		"broken server":     brokenServerInBrowser,
		"retry by keys":     retryByKeys,
		"builds by hand":    buildsByHand,
		"keys":              keysInBrowser,
		"reports":           reportsStayApart,
		"report of files":   reportOfFiles,
		"log by hand":       logByHand,
		"notices":           noticesInBrowser,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, browser)
		})
	}
	if testkit.IsThorough() {
		t.Run("pages in another font", func(t *testing.T) {
			t.Parallel()
			targetSizes(t, chromium.Start(t, chromium.Noto))
		})
	}
}

// newBrowserSite is a site with all that the server gives it.
func newBrowserSite(t *testing.T) *site {
	t.Helper()
	return newSite(t, testkit.OpenDB(t, "sqlite"), withGraphQL(t))
}

// tabOf opens a tab in which that user is signed in; "-": nobody.
func (s *site) tabOf(t *testing.T, b *chromium.Browser, email string) *chromium.Tab {
	t.Helper()
	tab := b.Tab(t, s.URL)
	if email != "-" {
		tab.SetCookie("penstock_session", s.signedIn(email).cookie("penstock_session"))
	}
	return tab
}

// firstRun goes from the link that a new installation prints to its first cluster.
func firstRun(t *testing.T, b *chromium.Browser) {
	shared := core.New(core.Options{DB: testkit.OpenDB(t, "sqlite")})
	svc := service.New(service.Options{Core: shared})
	listener := httptest.NewUnstartedServer(nil)
	url := "http://" + listener.Listener.Addr().String()
	listener.Config.Handler = withAvatars(web.New(web.Options{Service: svc, Reader: read.New(shared), BaseURL: url}))
	listener.Start()
	t.Cleanup(listener.Close)
	link, err := svc.OpenSetup(t.Context(), authz.OperatorActor())
	if err != nil {
		t.Fatal(err)
	}

	tab := b.Tab(t, url)
	tab.Open(web.SetupPath + link.Reveal())
	for _, field := range [][2]string{{"name", "Ada"}, {"email", "ada@example.com"}, {"password", "a long password"}, {"organization_name", "Acme Inc"}} {
		tab.Type(field[0], field[1])
	}
	tab.Press("Set up Penstock")
	tab.Want("Penstock is ready", "Acme Inc", "Get started")
	if path := tab.Path(); path != "/organizations/acme-inc" {
		t.Errorf("after the set-up one is at %s", path)
	}
	tab.Press("Clusters")
	tab.Want("No clusters yet")
	tab.Press("New cluster")
	tab.Type("name", "Open Source")
	tab.Type("emoji", ":rocket:")
	tab.Type("color", "#a9cce3")
	tab.Press("Create cluster")
	tab.Want("Cluster created.", "Open Source", "🚀")
	tab.Press("Clusters")
	tab.Want("Open Source", "1 cluster")
}

// stepsAsTyped completes the keys of steps, types steps that cannot run, and mends them.
func stepsAsTyped(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(acme + "/new-pipeline")
	value := func(want string) {
		t.Helper()
		if got := chromium.Eval[string](tab, `document.querySelector("[name=configuration]").value`); got != want {
			t.Errorf("the editor has %q, not %q", got, want)
		}
	}
	tab.Type("configuration", "ste")
	tab.WaitFor(".completions", "steps")
	tab.Do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent("\r  - comm"))
	value("steps: \n  - comm")
	tab.WaitFor(".completions", "commands")
	chromium.Eval[chromedp.Void](tab, axe(t))
	tab.Do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	for _, fault := range chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, axeRules)) {
		t.Errorf("with keys to choose from: %s", fault)
	}
	tab.Do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent("make lab"))
	value("steps: \n  - command: make lab")
	if chromium.Eval[bool](tab, `!!document.querySelector(".completions:not([hidden])")`) {
		t.Error("a value is completed")
	}
	tab.Do(chromedp.KeyEvent("\r    ke"), chromedp.WaitVisible(chromedp.CSS(".completions")), chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(chromedp.CSS(".completions")))
	tab.Do(chromedp.KeyEvent("\r"))
	value("steps: \n  - command: make lab\n      ke\n      ")
	tab.Check("completion")

	tab = s.tabOf(t, b, "admin@example.com") // the first would ask whether to leave what was typed
	tab.Open(acme + "/new-pipeline")
	tab.Type("configuration", "steps: [{comand: make}]")
	tab.WaitFor("#steps-check", "has a step that can't run")
	chromium.Eval[chromedp.Void](tab, `void ((text) => { text.value = "steps: [{command: make}]"; text.dispatchEvent(new Event("input", { bubbles: true })); })(document.getElementById("field-configuration"))`)
	tab.WaitFor("#steps-check", "no faults")
}

// policyInBrowser creates a registry, and edits and tests its policy.
func policyInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "maintainer@example.com")
	tab.Open(theCluster + "/registries")
	tab.Press("New cache registry")
	tab.Type("name", "Node modules")
	tab.Press("Create cache registry")
	tab.Want("Cache registry created.")
	tab.Press("Policy")

	// What is wrong is shown at its place, while one types.
	tab.Type("policy", `{"rules": [{"effect": "allow", "action": "save", "when": "claims.branch == 'x'"}]}`)
	tab.WaitFor("#findings", "unknown attribute claims.branch")
	tab.Want("Line 1, column 65")
	if marked := chromium.Eval[string](tab, `document.querySelector(".marks mark").textContent`); !strings.Contains(marked, "branch") {
		t.Errorf("%q is marked", marked)
	}
	tab.Type("policy", `{"rules": [{"effect": "allow", "action": "save", "when": "claims.build_branch == 'main'"}]}`)
	tab.WaitFor("#findings", "The policy is valid")

	// The tester says what it would decide, and why.
	tab.Do(chromedp.Click(chromium.Named("Save")))
	tab.Type("build_branch", "feature")
	tab.Press("Test")
	tab.Want("Denied", "its condition is false")
	tab.Type("build_branch", "main")
	tab.Press("Test")
	tab.Want("Allowed", "matches, and allows it")
	tab.Press("Save policy")
	tab.Want("Policy saved.")
	tab.Open(tab.Path())
	if shown := tab.Shown(); strings.Contains(shown, "Unsaved changes") {
		t.Errorf("it is not saved: %s", shown)
	}
	if value := chromium.Run(tab, chromedp.Value(chromedp.CSS("#field-policy"))); !strings.Contains(value, "claims.build_branch == 'main'") {
		t.Errorf("the policy is %s", value)
	}
}

// defaultRegistry makes another registry the default one, which then can't be deleted.
func defaultRegistry(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(theRegistry + "/settings")
	tab.Press("Make default")
	tab.Want("This is now the cluster's default cache registry.")
	tab.Open(theRegistry + "/delete")
	tab.Want("Make another one the default first.")
	before := testkit.Column(s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "cache-registries")).Want(t, http.StatusOK).List(), "uuid")
	if !slices.Contains(before, any(testkit.RegistryID)) {
		t.Errorf("it is gone: %v", before)
	}
}

// usageInBrowser compares the usage page with the API.
func usageInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	s.Bootstrap(usageHistory)
	tab := s.tabOf(t, b, "member@example.com")
	for _, organization := range []string{"yearly", "monthly"} {
		tab.Open("/organizations/" + organization + "/usage")
		shown := chromium.Eval[string](tab, `document.querySelector(".usage-figure strong").textContent`)
		api := s.Get("token-of-a-counted-member", "/v2/organizations/"+organization+"/usage").Want(t, http.StatusOK).Object()["active_users_count"]
		if shown != fmt.Sprint(api) {
			t.Errorf("%s: the page shows %s, and the API %v", organization, shown, api)
		}
	}
}

// rolesInBrowser looks at what a maintainer and a plain member see.
func rolesInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	for email, want := range map[string]struct {
		manages, administers bool
	}{
		"admin@example.com":      {true, true},
		"maintainer@example.com": {true, false},
		"member@example.com":     {false, false},
	} {
		tab := s.tabOf(t, b, email)
		tab.Open(theCluster)
		shown := chromium.Eval[[]string](tab, `[...document.querySelectorAll(".side a, .tabs a, main a")].map(e => e.textContent.trim())`)
		for entry, expected := range map[string]bool{"Clusters": true, "Audit log": want.administers, "Portals": true} {
			if slices.Contains(shown, entry) != expected {
				t.Errorf("%s sees %q: %v", email, entry, shown)
			}
		}
		for page, allowed := range map[string]bool{
			theCluster: true, theCluster + "/queues": true, theCluster + "/tokens": want.manages, theRegistry + "/policy": want.manages,
			acme + "/audit": want.administers, acme + "/settings": want.administers,
		} {
			status := tab.Open(page)
			if allowed && status != http.StatusOK || !allowed && status != http.StatusForbidden && status != http.StatusNotFound {
				t.Errorf("%s: %s is %d", email, page, status)
			}
		}
	}
}

// keyboardOnly signs in and creates a cluster without a mouse.
func keyboardOnly(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	s.withPassword("keys@example.com", "a long password")
	tab := s.tabOf(t, b, "-")
	press := func(keys string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(keys) }
	focused := func() string {
		t.Helper()
		return chromium.Eval[string](tab, `(document.activeElement?.innerText || document.activeElement?.name || "").trim()`)
	}
	// reach goes on with the tabulator until it is at what has that name or says so, and sees where it is.
	reach := func(name string) {
		t.Helper()
		for range 60 {
			if focused() == name {
				if !chromium.Eval[bool](tab, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
					t.Errorf("it can't be seen that %s has the focus", name)
				}
				return
			}
			tab.Do(press(kb.Tab))
		}
		t.Fatalf("%s: %q can't be reached", tab.Path(), name)
	}
	tab.Open(acme + "/clusters")
	if at := focused(); at != "email" {
		t.Errorf("sign-in begins at %q", at)
	}
	tab.Do(press("keys@example.com"), press(kb.Tab), press("a long password"))
	tab.Follow(press(kb.Enter))
	if path := tab.Path(); path != acme+"/clusters" {
		t.Errorf("after signing in one is at %s", path)
	}
	reach("Skip to content")
	reach("New cluster")
	tab.Follow(press(kb.Enter))
	if at := focused(); at != "name" {
		t.Errorf("the form begins at %q", at)
	}
	if status := tab.Follow(press(kb.Enter)); status != http.StatusUnprocessableEntity {
		t.Errorf("a cluster without a name is %d", status)
	}
	reach("name")
	tab.Do(press("By keys"))
	tab.Follow(press(kb.Enter))
	tab.Want("Cluster created.", "By keys")
	// Menus open, and Escape closes them.
	reach("With password")
	tab.Do(press(kb.Enter), chromedp.WaitVisible(chromium.Named("Sign out")), press(kb.Escape), chromedp.WaitReady(chromedp.CSS(".menu.user:not([open])")))
	if at := focused(); at != "With password" {
		t.Errorf("the closed menu leaves one at %q", at)
	}
	tab.Do(press(kb.Enter))
	reach("Sign out")
	tab.Follow(press(kb.Enter))
	tab.Want("You're signed out.")
}

// consoleInBrowser runs a query in GraphiQL.
func consoleInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	if !strings.Contains(s.signedIn("admin@example.com").get(consolePath).Body, "console.js") {
		if os.Getenv("CI") == "true" {
			t.Fatal("in CI GraphiQL is a must: make assets fetches it")
		}
		t.Skip("without GraphiQL: make assets fetches it")
	}
	tab := s.tabOf(t, b, "member@example.com")
	tab.Open(consolePath)
	run := chromedp.CSS(".graphiql-execute-button")
	tab.Do(chromedp.WaitVisible(run), chromedp.Click(run))
	tab.WaitFor(".graphiql-response", `"name": "Maintained"`)

	// It knows the schema, and what it opens looks as it should.
	tab.Do(chromedp.Click(chromedp.CSS(`[aria-label="Show Documentation Explorer"]`)))
	tab.WaitFor(".graphiql-doc-explorer", "A GraphQL schema provides a root type")
	for _, dialog := range []string{"Open short keys dialog", "Open settings dialog"} {
		tab.Do(chromedp.Click(chromedp.CSS(`[aria-label="`+dialog+`"]`)), chromedp.WaitVisible(chromedp.CSS(".graphiql-dialog")),
			chromedp.KeyEvent(kb.Escape), chromedp.WaitNotPresent(chromedp.CSS(".graphiql-dialog")))
	}
	control := chromedp.KeyModifiers(chromedp.ModifierCtrl)
	tab.Do(chromedp.Click(chromedp.CSS(".graphiql-query-editor .CodeMirror")), chromedp.KeyEvent("a", control), chromedp.KeyEvent("query Clusters { viewer { user { em"))
	tab.WaitFor(".CodeMirror-hints", "email")
	tab.Do(chromedp.KeyEvent("ail"), chromedp.KeyEvent(kb.Enter, control))
	tab.WaitFor(".graphiql-response", "member@example.com")

	// The keys that lead from one field to the next lead out of the editor too, in both ways.
	inEditor := `!!document.activeElement?.closest(".graphiql-query-editor .CodeMirror")`
	for _, leave := range []chromedp.Action[chromedp.Void]{chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))} {
		tab.Do(chromedp.Click(chromedp.CSS(".graphiql-query-editor .CodeMirror")))
		if !chromium.Eval[bool](tab, inEditor) {
			t.Fatal("a click does not lead into the editor")
		}
		before := chromium.Eval[string](tab, `document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.getValue()`)
		tab.Do(leave)
		if chromium.Eval[bool](tab, inEditor) {
			t.Error("the tabulator does not leave the editor")
		}
		if after := chromium.Eval[string](tab, `document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror.getValue()`); after != before {
			t.Errorf("the tabulator writes: %q, then %q", before, after)
		}
	}

	// Who signs out elsewhere is told so.
	if err := s.Service.SignOutEverywhere(t.Context(), s.actorOf("member@example.com")); err != nil {
		t.Fatal(err)
	}
	tab.Do(chromedp.Click(run))
	tab.WaitFor(".graphiql-response", "You may be signed out")
}

// searchAsTyped searches a list, which changes while one types.
func searchAsTyped(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(acme + "/clusters")
	if !chromium.Eval[bool](tab, `"htmx" in window`) {
		if os.Getenv("CI") == "true" {
			t.Fatal("in CI htmx is a must: make assets fetches it")
		}
		t.Skip("without htmx: make assets fetches it")
	}
	tab.Type("search", "nothing such")
	tab.Do(chromedp.WaitVisible(chromedp.CSS("#list .empty")))
	if path := tab.Path(); !strings.Contains(path, "search=nothing") {
		t.Errorf("the address is %s", path)
	}
	tab.Type("search", "maint")
	tab.Do(chromedp.WaitVisible(chromedp.CSS("#list table")))
}

// refusalsInBrowser looks at the pages of what is not there, and of what one may not do.
func refusalsInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "member@example.com")
	for path, want := range map[string]int{"/nothing": http.StatusNotFound, theCluster + "/tokens": http.StatusForbidden, "/organizations/elsewhere": http.StatusNotFound} {
		if status := tab.Open(path); status != want {
			t.Errorf("%s is %d, want %d", path, status, want)
		}
		tab.Check(path)
	}
}

// looksAreKept chooses the dark look.
func looksAreKept(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	tab := s.tabOf(t, b, "member@example.com")
	tab.Prefer("light")
	tab.Open(acme)
	ground := `getComputedStyle(document.body).backgroundColor`
	light := chromium.Eval[string](tab, ground)
	tab.Press("Use dark theme")
	tab.Open(acme + "/clusters")
	if dark := chromium.Eval[string](tab, ground); dark == light {
		t.Errorf("both looks are %s", dark)
	}
	tab.Press("Use light theme")
	if again := chromium.Eval[string](tab, ground); again != light {
		t.Errorf("the light look is %s, and was %s", again, light)
	}
}

// hostileTextsInBrowser looks at names that want to be scripts.
func hostileTextsInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	made := s.Post(testkit.AdminToken, "/v2"+acme+"/clusters", map[string]any{"name": attack, "description": attack}).Want(t, http.StatusCreated).Text("id")
	tab := s.tabOf(t, b, "admin@example.com")
	for _, path := range []string{acme, acme + "/clusters", acme + "/clusters/" + made, acme + "/clusters/" + made + "/settings", acme + "/clusters/" + made + "/delete", acme + "/audit"} {
		tab.Open(path)
		tab.Want("<script>alert(1)</script>")
		if n := chromium.Eval[int](tab, `document.querySelectorAll("script:not([src]), img[src=x], a[href^=javascript]").length`); n != 0 {
			t.Errorf("%s has %d elements of the attack", path, n)
		}
		tab.Check(path) // an alert would need a script that the policy forbids, which the console would say
	}
}

// axe returns what checks that a page is accessible.
func axe(t *testing.T) string {
	t.Helper()
	const dir = "testdata/axe"
	node.Install(t, dir)
	script, err := os.ReadFile(dir + "/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// axeFaults asks axe for serious faults, as lines. GraphiQL's tabs have a button in them, which is not for us to change. The numbers of a log's
// lines stand as close as the lines do: each line is one of many equal links.
const axeFaults = `axe.run({exclude: [".graphiql-tabs"]}, {resultTypes: ["violations"], runOnly: %s}).then(r => r.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.flatMap(v => v.nodes.filter(n => v.id !== "target-size" || !n.html.startsWith('<a class="n"')).map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + (v.id === "color-contrast" ? " " + n.any.map(c => c.message).join() : ""))))`

// axeRules are the rules that pages keep.
const axeRules = `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}`

// pagesInBrowser looks at every page: nothing on the console, nothing from other sites, and no serious fault that axe finds, in the light
// look and in the dark one.
func pagesInBrowser(t *testing.T, b *chromium.Browser) {
	script := axe(t)
	s := newBrowserSite(t)
	s.eachPage(t, b, func(tab *chromium.Tab, c pageCase) {
		tab.Prefer("light")
		tab.Open(c.path)
		wantMarkup(t, tab, c)
		chromium.Eval[chromedp.Void](tab, script)
		faults := chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, axeRules))
		tab.Prefer("dark")
		for _, fault := range chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, `["color-contrast"]`)) {
			faults = append(faults, "dark: "+fault)
		}
		for _, fault := range faults {
			t.Errorf("%s: %s", c.path, fault)
		}
		tab.Check(c.path)
	})
}

// targetSizes looks at every page for what is too small to be pressed.
func targetSizes(t *testing.T, b *chromium.Browser) {
	script := axe(t)
	s := newBrowserSite(t)
	s.eachPage(t, b, func(tab *chromium.Tab, c pageCase) {
		tab.Open(c.path)
		chromium.Eval[chromedp.Void](tab, script)
		for _, fault := range chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, `["target-size"]`)) {
			t.Errorf("%s: %s", c.path, fault)
		}
	})
}

// pagesWithoutScripts looks at every page with JavaScript off, on a phone: it is all there, and no page is wider than the screen.
func pagesWithoutScripts(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	s.eachPage(t, b, func(tab *chromium.Tab, c pageCase) {
		tab.AllowScripts(false)
		tab.Do(chromedp.EmulateViewport(phone, 800))
		tab.Open(c.path)
		wantMarkup(t, tab, c)
		wantNarrow(t, tab, c.path)
		tab.Check(c.path)
	})
}

// phone is how wide the screen of a small phone is, in px.
const phone = 375

// wantNarrow checks that a page is not wider than a phone's screen.
func wantNarrow(t *testing.T, tab *chromium.Tab, page string) {
	t.Helper()
	if width := chromium.Eval[int](tab, `document.documentElement.scrollWidth`); width > phone {
		t.Errorf("%s is %d px wide on a screen of %d", page, width, phone)
	}
}

// wantMarkup checks that the page has what it is to have.
func wantMarkup(t *testing.T, tab *chromium.Tab, c pageCase) {
	t.Helper()
	if markup := chromium.Eval[string](tab, `document.documentElement.outerHTML`); !strings.Contains(html.UnescapeString(markup), html.UnescapeString(c.says)) {
		t.Errorf("%s does not say %q: %.2000s", c.path, c.says, markup)
	}
}

// foundPages makes what the page table knows no address of, and finds its pages by the links to them.
func (s *site) foundPages(t *testing.T) (cases []pageCase) {
	t.Helper()
	portal := acme + "/portals/clusters"
	s.Post(testkit.AdminToken, "/v2"+acme+"/portals", map[string]any{"name": "Clusters", "query": `{ organization(slug: "acme-inc") { clusters(first: 5) { nodes { name } } } }`}).
		Want(t, http.StatusCreated)
	s.Post(testkit.AdminToken, "/v2"+portal+"/secrets", map[string]any{"description": "A program"}).Want(t, http.StatusCreated)
	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), map[string]any{"description": "Agents"}).Want(t, http.StatusCreated)
	s.Post(testkit.AdminToken, "/v2"+acme+"/teams/"+testkit.TeamID+"/pipelines", map[string]any{"pipeline_id": pipelineID}).Want(t, http.StatusCreated)
	admin := s.signedIn("admin@example.com")
	for _, below := range []string{"", "/try", "/tokens/new", "/secrets/new", "/settings", "/delete"} {
		cases = append(cases, pageCase{path: portal + below})
	}
	for _, link := range [][2]string{
		{"/account/tokens", "/revoke"}, {acme + "/tokens", "/revoke"}, {acme + "/audit", ""},
		{theCluster + "/tokens", "/edit"}, {theCluster + "/tokens", "/revoke"}, {theCluster + "/maintainers", "/remove"},
		{portal + "/tokens", "/delete"}, {portal + "/secrets", "/delete"}, {acme + "/teams/" + testkit.TeamID + "/pipelines", "/remove"},
	} {
		found := regexp.MustCompile(`href="(`+link[0]+`/[\w-]+`+link[1]+`)"`).FindAllStringSubmatch(admin.get(link[0]).Body, -1)
		if len(found) == 0 {
			t.Fatalf("%s has no link to %s", link[0], link[1])
		}
		cases = append(cases, pageCase{path: link[0]}, pageCase{path: found[len(found)-1][1]})
	}
	for i := range cases {
		admin.get(cases[i].path).want(t, http.StatusOK)
		cases[i].says = "<h1"
	}
	return cases
}

// eachPage visits all pages, in a tab for each user: first as the page table has them, many of them empty, then with something in them.
func (s *site) eachPage(t *testing.T, b *chromium.Browser, visit func(*chromium.Tab, pageCase)) {
	t.Helper()
	tabs := map[string]*chromium.Tab{}
	show := func(c pageCase) {
		email := cmp.Or(c.email, "admin@example.com")
		if tabs[email] == nil {
			tabs[email] = s.tabOf(t, b, email)
		}
		visit(tabs[email], c)
	}
	for _, pattern := range web.PagePatterns() {
		if c, ok := pageCases[pattern]; ok && c.moved == "" {
			show(c)
		}
	}
	for _, c := range append(s.foundPages(t), s.filledPages(t)...) {
		show(c)
	}
}
