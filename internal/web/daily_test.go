package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

func TestBuildsAreFiltered(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, `steps: [{label: Test, command: x}]`)
		s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Mend the PUMP"})
		s.createBuildAs(t, s.actorOf("admin@example.com"), "web")
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		today := time.Now().UTC().Format(domain.DateLayout)
		for query, want := range map[string][2]bool{ // of the release, and of web
			"": {true, true}, "?message=pump": {true, false}, "?message=nothing": {false, false}, "?pipeline=web": {false, true}, "?pipeline=nowhere": {false, false},
			"?by=me": {true, true}, "?by=" + testkit.AdminID: {true, true}, "?by=nonsense": {true, true}, "?from=2100-01-01": {false, false}, "?to=2000-01-01": {false, false},
			"?from=nonsense": {true, true}, "?from=" + today[:4] + "-01-01&branch=main&message=PUMP": {true, false},
		} {
			list := regexp.MustCompile(`(?s)<div id="list".*`).FindString(admin.get(acme+"/builds"+query).want(t, http.StatusOK).Body)
			if got := [2]bool{strings.Contains(list, `href="/acme-inc/release/builds/1"`), strings.Contains(list, `href="/acme-inc/web/builds/1"`)}; got != want {
				t.Errorf("%s shows %v, want %v", query, got, want)
			}
		}
		member.get(acme+"/builds?by=me").want(t, http.StatusOK, "No builds found", `aria-current="true">My builds</a>`)
		admin.get(release+"?message="+"x").want(t, http.StatusOK, "No builds found", "Clear filters", "Only the newest 10,000 builds are searched for a message.")
		checkMarkup(t, admin.get(acme+"/builds?message=pump"))
	})
}

func TestJobsStandBesideTheLog(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner-one", "queue=default")
		build := s.buildOf(s.pipelineWith("Shop", "shop", `steps: [{label: One, command: x}, {label: Two, command: x}, {label: Three, command: x}, {label: Four, command: x}]`), "main", "Change the cart")
		ids := map[string]string{}
		for i, status := range []int64{0, 1, 0, 1} {
			job := worker.take()
			ids[[]string{"One", "Two", "Three", "Four"}[i]] = job.ID
			job.write("cart <b>Cart</b>\nnothing\n\x1b[31mcart\x1b[0m again\n")
			job.finish(status)
		}
		b := s.signedIn("admin@example.com")
		page := func(label string) string { return build + "/jobs/" + ids[label] }
		a := b.get(page("Two")).want(t, http.StatusOK, `2 failed`, `rel="next" href="`+page("Four")+`"`, `rel="prev" href="`+page("Four")+`"`, `href="`+page("Two")+`" aria-current="page"`)
		checkMarkup(t, a)
		listed := regexp.MustCompile(`(?s)<nav class="jobs-beside".*?</nav>`).FindString(a.Body)
		if strings.Index(listed, page("Four")) > strings.Index(listed, page("One")) {
			t.Error("those that failed are not the first")
		}
		b.get(page("Three")).want(t, http.StatusOK, `rel="next" href="`+page("Four")+`"`, `rel="prev" href="`+page("Two")+`"`)
		only := b.get(build+"?show=failed").want(t, http.StatusOK, ">Two</a>", ">Four</a>", "All jobs")
		if strings.Contains(only.Body, ">One</a>") {
			t.Error("a job that passed is shown with the failed ones alone")
		}
		b.get(build).want(t, http.StatusOK, ">One</a>", "?show=failed")

		found := b.get(page("Two")+"?search=CART").want(t, http.StatusOK, "2 lines with", "<mark>cart</mark> &lt;b&gt;<mark>Cart</mark>&lt;&#47;b&gt;", "<mark>cart</mark></span> again", `href="?search=CART&amp;line=1#L1"`)
		checkMarkup(t, found)
		b.get(page("Two")+"?search=cart&line=1").want(t, http.StatusOK, "1 of 2", `rel="next" href="?search=cart&amp;line=3#L3"`)
		b.get(page("Two")+"?search=cart&line=3").want(t, http.StatusOK, "2 of 2", `rel="prev" href="?search=cart&amp;line=1#L1"`)
		b.get(page("Two")+"?search=%3Cb").want(t, http.StatusOK, "<mark>&lt;b</mark>&gt;")
		b.get(page("Two")+"?search=%3C/b").want(t, http.StatusOK, "<mark>&lt;&#47;b</mark>&gt;")
		b.get(page("Two")+"/log?from=1&search=cart").want(t, http.StatusOK, "<mark>cart</mark>")
		b.get(page("Two")+"?search=c.rt&regexp=1").want(t, http.StatusOK, "2 lines with", "<mark>cart</mark>", "&lt;b&gt;<mark>Cart</mark>&lt;/b&gt;", `href="?search=c.rt&amp;regexp=1&amp;line=1#L1"`)
		b.get(page("Two")+"?search=^C&regexp=1&case=1").want(t, http.StatusOK, "No line has")
		b.get(page("Two")+"?search=Cart&case=1").want(t, http.StatusOK, "1 line with", "<mark>Cart</mark>")
		b.get(page("Two")+"?search=%3Cb&regexp=1").want(t, http.StatusOK, "<mark>&lt;b</mark>&gt;")
		b.get(page("Two")+"?search=x*&regexp=1").want(t, http.StatusOK)
		for _, bad := range []string{"(", "a{1000}{1000}", "(?i)[a-\\x{10ffff}]", "a**"} {
			b.get(page("Two")+"?regexp=1&search="+url.QueryEscape(bad)).want(t, http.StatusOK, "This is no regular expression")
		}
		b.get(page("Two")+"?line=1-2").want(t, http.StatusOK, `class="line picked" id="L1"`, `class="line picked" id="L2"`, `class="line" id="L3"`)
		b.get(page("Two")+"?line=2-1").want(t, http.StatusOK, `class="line picked" id="L2"`, `class="line" id="L1"`)

		s.connectWorker(s.agentToken(), "other")
		for query, want := range map[string][2]bool{"": {true, true}, "?search=RUNNER": {true, false}, "?state=busy": {false, false}, "?state=idle": {true, true}, "?queue=nowhere": {false, false}, "?queue=default&search=oth": {false, true}} {
			list := b.get(acme+"/agents"+query).want(t, http.StatusOK).Body
			if got := [2]bool{strings.Contains(list, ">runner-one</a>"), strings.Contains(list, ">other</a>")}; got != want {
				t.Errorf("%s shows %v, want %v", query, got, want)
			}
		}
	})
}

// TestFailuresOfManySteps goes from one failed job to the next in a build of more steps than a page shows.
func TestFailuresOfManySteps(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		const test, skipped = "  - {label: Test, command: x}\n", "  - {label: Not now, command: x, skip: true}\n"
		build := s.buildOf(s.pipelineWith("Shop", "shop", "steps:\n"+test+test+strings.Repeat(skipped, 200)+strings.Repeat(test, 5)), "main", "Change the cart")
		var pages []string
		for _, status := range []int64{0, 1, 0, 1, 1, 0, 1} {
			job := worker.take()
			pages = append(pages, build+"/jobs/"+job.ID)
			job.finish(status)
		}
		b := s.signedIn("member@example.com")
		for at, want := range map[int][2]int{0: {6, 1}, 1: {6, 3}, 3: {1, 4}, 4: {3, 6}, 6: {4, 1}} {
			b.get(pages[at]).want(t, http.StatusOK, "4 failed", `rel="prev" href="`+pages[want[0]]+`"`, `rel="next" href="`+pages[want[1]]+`"`, "All jobs of the build")
		}
		checkMarkup(t, b.get(pages[5]).want(t, http.StatusOK, `href="`+pages[5]+`" aria-current="page"`))
	})
}

// keysInBrowser goes about with keys alone.
func keysInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	worker := s.connectWorker(s.agentToken(), "runner", "queue=default")
	build := s.buildOf(s.pipelineWith("Shop", "shop", `steps: [{label: One, command: x}, {label: Two, command: x}]`), "main", "Change the cart")
	var pages []string
	for range 2 {
		job := worker.take()
		job.finish(1)
		pages = append(pages, build+"/jobs/"+job.ID)
	}
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(build)
	if title := chromium.Eval[string](tab, `document.title + " " + document.querySelector('link[rel="icon"]').href`); !strings.HasPrefix(title, "Failed · ") || !strings.Contains(title, "icon-bad.svg") {
		t.Errorf("the tab says %s", title)
	}
	tab.Do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"))
	tab.Follow(chromedp.KeyEvent(kb.Enter))
	if path := tab.Path(); path != pages[0] {
		t.Errorf("the keys lead to %s", path)
	}
	tab.Follow(chromedp.KeyEvent("n"))
	if path := tab.Path(); path != pages[1] {
		t.Errorf("the next failure is %s", path)
	}
	tab.Do(chromedp.KeyEvent("?"), chromedp.WaitVisible(chromedp.CSS("dialog .keys")))
	tab.Want("Next failed job", "Up to the build")
	tab.Do(chromedp.KeyEvent(kb.Escape), chromedp.WaitNotPresent(chromedp.CSS("dialog")))
	control := chromedp.KeyModifiers(chromedp.ModifierCtrl)
	tab.Do(chromedp.KeyEvent("k", control), chromedp.WaitVisible(chromedp.CSS("dialog [role=option]")), chromedp.KeyEvent("agents"))
	tab.WaitFor("dialog [role=listbox]", "Search for “agents”")
	tab.Follow(chromedp.KeyEvent(kb.Enter))
	if path := tab.Path(); path != acme+"/agents" {
		t.Errorf("the palette leads to %s", path)
	}
	tab.Check("keys")
}

// TestViewsOfBuildsAreSaved names a choice of builds, finds it again in another browser, and removes it.
func TestViewsOfBuildsAreSaved(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		list := acme + "/builds?branch=main&state=failed"
		checkMarkup(t, b.get(list).want(t, http.StatusOK, "Save view", `value="branch=main&amp;state=failed"`))
		save := func(from string, values ...string) *answer { return b.submitTo(from, acme+"/builds/views", values...) }
		save(list, "query", "branch=main&state=failed&page=3&evil=1", "name", " Broken  <b> main").wantRedirect(t, list)
		shown := b.get(list).want(t, http.StatusOK, "View saved.", "Broken &lt;b&gt; main", "Remove view", `href="`+acme+`/builds?branch=main&amp;state=failed" aria-current="true"`)
		checkMarkup(t, shown)
		s.signedIn("member@example.com").get(acme+"/builds").want(t, http.StatusOK, "Broken &lt;b&gt; main")
		if strings.Contains(s.signedIn("admin@example.com").get(acme+"/builds").want(t, http.StatusOK).Body, "Broken") {
			t.Error("somebody else sees the view")
		}
		for name, want := range map[string]string{"": "Name can&#39;t be blank", strings.Repeat("x", 41): "Name is too long", "a\x00b": "must be valid UTF-8"} {
			save(list, "query", "branch=other", "name", name).wantRedirect(t, acme+"/builds?branch=other")
			b.get(acme+"/builds").want(t, http.StatusOK, want)
		}
		save(list, "query", "", "name", "Nothing").wantRedirect(t, acme+"/builds?")
		b.get(acme+"/builds").want(t, http.StatusOK, "Filter can&#39;t be blank")
		save(list, "query", "branch=main", "name", "Broken <b> main").wantRedirect(t, acme+"/builds?branch=main")
		if body := b.get(acme+"/builds?branch=main").want(t, http.StatusOK).Body; strings.Count(body, ">Broken &lt;b&gt; main</a>") != 1 {
			t.Error("a view of the same name is not replaced")
		}
		save(list, "query", "branch=main", "name", "Broken <b> main", "remove", "1").wantRedirect(t, acme+"/builds?branch=main")
		save(list, "query", "branch=main", "name", "Broken <b> main", "remove", "1").want(t, http.StatusNotFound, "No saved view found")
		if strings.Contains(b.get(acme+"/builds").want(t, http.StatusOK).Body, "Broken") {
			t.Error("the view is still there")
		}
		for i := range 21 {
			save(list, "query", fmt.Sprint("branch=b", i), "name", fmt.Sprint("View ", i))
		}
		if n := strings.Count(b.get(acme+"/builds").want(t, http.StatusOK, "You can save 20 views").Body, ">View "); n != 20 {
			t.Errorf("%d views are saved", n)
		}
		s.signedIn("outsider@example.com").submitTo("/organizations", acme+"/builds/views", "query", "branch=x", "name", "x").want(t, http.StatusNotFound)
		s.signedIn("admin@example.com").submit(acme + "/members/" + testkit.MemberID + "/remove")
		if testkit.Exec(t, s.DB, `DELETE FROM saved_views`) != 0 {
			t.Error("views of somebody who has left are still stored")
		}
	})
}
