// Package chromium drives a real browser in tests: Chromium, without a window. Only tests import it.
package chromium

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"penstock/internal/testkit/used"
)

// Browser is a running browser.
type Browser struct{ ctx context.Context }

// Start starts a browser that ends with the test. It reaches nothing but this machine, and shows all text in that font,
// whatever fonts the machine has. Where Chromium is missing it skips the test, or with CI=true fails it.
func Start(t testing.TB, font Font) *Browser {
	t.Helper()
	program, why := findChromium()
	if why != "" && os.Getenv("CI") == "true" {
		t.Fatalf("in CI Chromium is a must: %s", why)
	}
	if why != "" {
		t.Skipf("without Chromium: %s", why)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("lang", "en-GB"),
		chromedp.Env("FONTCONFIG_FILE="+font.configure(t)),
		chromedp.WindowSize(1280, 900))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root can't use
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	used.Record(t, "chromium")
	return &Browser{ctx}
}

func findChromium() (program, why string) {
	if why := os.Getenv("PENSTOCK_TEST_CHROMIUM_MISSING"); why != "" {
		return "", why
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		return "", err.Error()
	}
	return program, ""
}

// Tab is a tab of a browser, with cookies of its own. Its methods fail the test if something can't be done.
type Tab struct {
	t       testing.TB
	ctx     context.Context
	site    string
	console func() (chromedp.ConsoleMessage, error, bool)
	marks   int
	pages   map[string]bool // that were asked for
}

// timeout is how long an action may take.
const timeout = 30 * time.Second

// Tab opens a tab that shows a site. Anything its pages do wrong fails the test when it ends.
func (b *Browser) Tab(t testing.TB, site string) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	tab := &Tab{t: t, ctx: ctx, site: site, pages: map[string]bool{}}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(chromedp.Console(ctx))
	t.Cleanup(stop)
	tab.console = next
	t.Cleanup(func() { tab.Check("the last page") })
	return tab
}

// Run runs an action and returns its value.
func Run[T any](tab *Tab, action chromedp.Action[T]) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		tab.t.Fatalf("in the browser: %v", err)
	}
	return value
}

// Eval returns the value of a JavaScript expression; of a promise, what it resolves to.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	return Run(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Try evaluates an expression, which fails if the page goes away meanwhile.
func (tab *Tab) Try(expression string) (bool, error) {
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[bool](expression, chromedp.EvalAwaitPromise))
}

// Do runs actions.
func (tab *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	Run(tab, chromedp.Steps(actions...))
}

// Open shows the page with that path, and returns its status.
func (tab *Tab) Open(path string) int {
	tab.t.Helper()
	return tab.Follow(chromedp.Navigate(tab.site + path))
}

// Follow runs actions that lead to another page, waits for it, and returns its status.
func (tab *Tab) Follow(actions ...chromedp.Action[chromedp.Void]) int {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	response, err := chromedp.RunResponse(ctx, actions...)
	if err != nil {
		tab.t.Fatalf("no page was loaded: %v", err)
	}
	tab.pages[response.URL] = true
	return int(response.Status)
}

// Press runs Follow with a click on the link or button, or the field's label, that says so.
func (tab *Tab) Press(name string) int {
	tab.t.Helper()
	return tab.Follow(chromedp.Click(Named(name)))
}

// Named selects the visible link or button that says so.
func Named(name string) chromedp.JSPath {
	return chromedp.JSPath(`[...document.querySelectorAll("a, button:not([tabindex='-1']), summary, label")].find(e => ` +
		`e.textContent.replace(/\s+/g, " ").trim() === ` + strconv.Quote(name) + ` && e.checkVisibility())`)
}

// Type types into the field that has that name, in the place of what it has.
func (tab *Tab) Type(field, text string) {
	tab.t.Helper()
	element := `document.querySelector('[name="` + field + `"]')`
	tab.Do(chromedp.Evaluate[chromedp.Void](element+`.focus(), `+element+`.select()`), chromedp.KeyEvent(text))
}

// Path returns the path of the page, with its query.
func (tab *Tab) Path() string {
	tab.t.Helper()
	return Eval[string](tab, `location.pathname + location.search`)
}

// Shown returns the text that the page shows.
func (tab *Tab) Shown() string {
	tab.t.Helper()
	return Eval[string](tab, `document.body.innerText`)
}

// Want fails the test unless the page shows all of the texts.
func (tab *Tab) Want(texts ...string) {
	tab.t.Helper()
	shown := tab.Shown()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			tab.t.Errorf("%s does not show %q, but %.2000s", tab.Path(), text, shown)
		}
	}
}

// WaitFor waits until the element that a CSS selector names shows a text.
func (tab *Tab) WaitFor(selector, text string) {
	tab.t.Helper()
	Run(tab, chromedp.Poll[bool](fmt.Sprintf(`!!document.querySelector(%q)?.innerText.includes(%q)`, selector, text)))
}

// SetCookie sets a cookie of the tab for the site.
func (tab *Tab) SetCookie(name, value string) {
	tab.t.Helper()
	if _, err := chromedp.Call(tab.ctx, network.SetCookie, network.SetCookieParams{Name: name, Value: value,
		URL: tab.site + "/"}); err != nil {
		tab.t.Fatal(err)
	}
}

// MayFail says that requests for a path may fail, such as while a server is away.
func (tab *Tab) MayFail(path string) { tab.pages[tab.site+path] = true }

// AllowScripts says whether pages may run scripts.
func (tab *Tab) AllowScripts(allow bool) {
	tab.t.Helper()
	if _, err := chromedp.Call(tab.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{
		Value: !allow}); err != nil {
		tab.t.Fatal(err)
	}
}

// Prefer says which look the reader prefers: light or dark. What is shown changes at once.
func (tab *Tab) Prefer(look string) {
	tab.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look}, {Name: "prefers-reduced-motion",
		Value: "reduce"}}
	if _, err := chromedp.Call(tab.ctx, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		tab.t.Fatal(err)
	}
}

// Forget forgets what pages did wrong since Check was last called, for pages that are meant to.
func (tab *Tab) Forget() {
	tab.t.Helper()
	tab.marks++
	mark := "mark " + strconv.Itoa(tab.marks)
	Eval[chromedp.Void](tab, `console.debug("`+mark+`")`)
	for {
		m, err, ok := tab.console()
		if err != nil || !ok {
			tab.t.Errorf("the console can't be read: %v", err)
			return
		}
		if m.Type == chromedp.ConsoleDebug && m.Text == mark {
			return
		}
	}
}

// Check fails the test for what pages did wrong since it was last called: errors on the console, exceptions, what a
// content security policy forbids, and requests to other sites. That a page itself was answered with an error is not
// wrong.
func (tab *Tab) Check(page string) {
	tab.t.Helper()
	tab.marks++
	mark := "mark " + strconv.Itoa(tab.marks)
	Eval[chromedp.Void](tab, `console.debug("`+mark+`")`)
	for {
		m, err, ok := tab.console()
		if err != nil || !ok {
			tab.t.Errorf("%s: the console can't be read: %v", page, err)
			return
		}
		if m.Type == chromedp.ConsoleDebug && m.Text == mark {
			break
		}
		wrong := m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException || m.Source == "security"
		// browsers open it again
		endedStream := strings.HasSuffix(m.URL, "/events") && (strings.Contains(m.Text, "ERR_INCOMPLETE_CHUNKED_ENCODING") ||
			strings.Contains(m.Text, "status of 50"))
		if wrong && !endedStream && (m.Source != "network" || !tab.pages[m.URL]) {
			tab.t.Errorf("%s: the console says %s %s (%s)", page, m, m.URL, m.Source)
		}
	}
	for _, url := range Eval[[]string](tab, `performance.getEntriesByType("resource").map(e => e.name)`) {
		if !strings.HasPrefix(url, tab.site+"/") && !strings.HasPrefix(url, "data:") {
			tab.t.Errorf("%s asks for %s", page, url)
		}
	}
}
