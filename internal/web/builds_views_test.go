package web_test

import (
	"fmt"
	"net/http"
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

// TestTimelineAndGraph looks at a build of which one job was retried, as bars and as a graph.
func TestTimelineAndGraph(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		pipeline := s.pipelineWith("Shop", "shop", `
steps:
  - {label: Compile, key: compile, command: make}
  - {label: Slow, command: x, key: slow, depends_on: compile, retry: {automatic: {limit: 1}}}
  - {label: "Quick <b>", command: y, depends_on: compile}
  - wait
  - {label: Pack, command: z}
  - {label: Elsewhere, command: z, if: "false"}
`)
		build := s.buildOf(pipeline, "main", "Mend the cart")
		at := time.Now()
		run := func(waits, runs time.Duration, status int64) {
			t.Helper()
			job := worker.take()
			job.finish(status)
			at = s.setJobTimes(job.ID, at, waits, runs)
		}
		b := s.signedIn("admin@example.com")
		checkMarkup(t, b.get(build+"?view=timeline").want(t, http.StatusOK, "Compile", `aria-current="true" data-key="i"`))
		run(2*time.Second, 10*time.Second, 0) // Compile
		run(time.Second, 40*time.Second, 1)   // Slow
		run(time.Second, 3*time.Second, 0)
		run(time.Second, 3*time.Second, 0)
		checkMarkup(t, b.get(build+"?view=timeline").want(t, http.StatusOK))
		run(time.Second, 20*time.Second, 0) // Pack
		shown := b.get(build+"?view=timeline").want(t, http.StatusOK, "Timeline", "Critical path", "attempt 1", "attempt 2", "ran 40s", "Ran 40s: failed", "Quick &lt;b&gt;", "on the critical path")
		checkMarkup(t, shown)
		rows := regexp.MustCompile(`(?s)<li class="is-[a-z]+( critical)?" id="row-.*?</li>`).FindAllString(shown.Body, -1)
		if len(rows) != 4 {
			t.Fatalf("the timeline has %d rows: %s", len(rows), shown.Body)
		}
		for _, row := range rows {
			critical := strings.Contains(row, " critical\"")
			if wanted := strings.Contains(row, ">Compile<") || strings.Contains(row, ">Pack<") || strings.Contains(row, ">Slow<"); critical != wanted {
				t.Errorf("on the critical path: %t, want %t: %s", critical, wanted, row)
			}
		}
		if slow := rows[1]; !strings.Contains(slow, ">Slow<") || strings.Count(slow, "<rect") < 4 {
			t.Errorf("the retried job is %s", slow)
		}
		graph := b.get(build+"?view=graph").want(t, http.StatusOK, "In words", "after Compile", "at the start", ">Quick &lt;b&gt;</text>", `viewBox="0 0 `, "after Wait")
		checkMarkup(t, graph)
		graph.wantHarmless(t, 0)
		if n := strings.Count(graph.Body, `class="edge`); n < 5 {
			t.Errorf("the graph has %d edges", n)
		}
		b.get(build+"?view=graph&zoom=50").want(t, http.StatusOK, `<div class="drawing" `)
		b.get(build+"?view=graph&zoom=5000").want(t, http.StatusOK, `<div class="drawing fit" `)
		if list := b.get(build+"?view=nonsense").want(t, http.StatusOK, "steps-of-build").Body; strings.Contains(list, "waterfall") {
			t.Error("a view that is none shows a timeline")
		}
		s.signedIn("outsider@example.com").get(build+"?view=graph").want(t, http.StatusNotFound)
	})
}

// setJobTimes says when a job that has ended began to wait, and how long it waited and ran. It returns when it ended.
func (s *site) setJobTimes(id string, from time.Time, waits, runs time.Duration) time.Time {
	s.t.Helper()
	started := from.Add(waits)
	testkit.Change(s.t, s.DB, `UPDATE job_runs SET runnable_at = $1, assigned_at = $2, accepted_at = $2, started_at = $2, finished_at = $3 WHERE job_id = $4`,
		from.UnixMicro(), started.UnixMicro(), started.Add(runs).UnixMicro(), id)
	return started.Add(runs)
}

// TestViewsOfAFailedBuild looks at a build of which steps were not run, whose agent's clock is behind.
func TestViewsOfAFailedBuild(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		build := s.buildOf(s.pipelineWith("Shop", "shop", `
steps:
  - {label: Compile, key: compile, command: make}
  - {label: "Test {{matrix}}", command: x, matrix: [Linux], depends_on: compile}
  - {label: Size, command: x, matrix: {setup: {of: [large]}}, depends_on: compile}
  - {block: Release}
  - {label: Deploy, command: z}
`), "main", "Mend the cart")
		at := time.Now().Add(-time.Hour)
		for i := range 3 {
			job := worker.take()
			status := int64(0)
			if i == 1 {
				status = 1
			}
			job.finish(status)
			at = s.setJobTimes(job.ID, at, 2*time.Second, 10*time.Second)
			testkit.Change(t, s.DB, `UPDATE job_runs SET assigned_at = started_at + 3600000000 WHERE job_id = $1`, job.ID)
		}
		b := s.signedIn("admin@example.com")
		shown := b.get(build+"?view=timeline").want(t, http.StatusOK, "waited 2s", "2 jobs didn't run", `<span class="muted">of: large</span>`)
		if strings.Contains(shown.Body, "waited 1h") || strings.Contains(shown.Body, `<span class="muted">Linux</span>`) {
			t.Errorf("the timeline is %s", shown.Body)
		}
		if n := strings.Count(shown.Body, `critical" id="row-`); n != 2 {
			t.Errorf("%d jobs are on the critical path: %s", n, shown.Body)
		}
		graph := b.get(build+"?view=graph").want(t, http.StatusOK, "Release", "Deploy")
		for _, words := range regexp.MustCompile(`>Release</a>[^<]*`).FindAllString(graph.Body, -1) {
			if strings.Contains(words, "Compile") {
				t.Errorf("a dependency is drawn that others imply: %s", words)
			}
		}
		if regexp.MustCompile(`class="node [^"]*critical"><title>Deploy`).MatchString(graph.Body) {
			t.Error("a job that did not run is on the critical path")
		}
	})
}

// TestTimelineLeavesOutLongIdleTimes waits for a person for days.
func TestTimelineLeavesOutLongIdleTimes(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner")
		pipeline := s.pipelineWith("Shop", "shop", `steps: [{label: A, command: x}, {block: Go, key: go}, {label: B, command: y}]`)
		build := s.buildOf(pipeline, "main", "Wait")
		job := worker.take()
		job.finish(0)
		at := s.setJobTimes(job.ID, time.Now().Add(-100*time.Hour), 0, 30*time.Second)
		testkit.Change(t, s.DB, `UPDATE builds SET created_at = $1`, at.Add(-time.Minute).UnixMicro())
		b := s.signedIn("admin@example.com")
		b.get(build+"?view=timeline").want(t, http.StatusOK, "for a person")
		block := s.jobIn(t, pipeline, 1, "Go")
		b.submit(build+"/jobs/"+block+"/unblock").wantRedirect(t, build+"#"+block)
		testkit.Change(t, s.DB, `UPDATE job_runs SET unblocked_at = $1 WHERE job_id = $2`, at.Add(50*time.Hour).UnixMicro(), block)
		job = worker.take()
		job.finish(0)
		s.setJobTimes(job.ID, at.Add(50*time.Hour), time.Second, 20*time.Second)
		b.get(build+"?view=timeline").want(t, http.StatusOK, "Nothing ran for 2d 2h", "waited 2d 2h for a person")
	})
}

// TestTimelineAndGraphOfALargeBuild has 500 jobs on 20 levels.
func TestTimelineAndGraphOfALargeBuild(t *testing.T) {
	t.Parallel()
	s := newSite(t, testkit.OpenDB(t, "sqlite"), nil)
	var steps strings.Builder
	steps.WriteString("steps:\n")
	for level := range 20 {
		for i := range 25 {
			fmt.Fprintf(&steps, "  - {label: \"Step %d.%d\", key: s%d-%d, command: x", level, i, level, i)
			if level > 0 {
				fmt.Fprintf(&steps, ", depends_on: [s%d-%d, s%d-%d]", level-1, i, level-1, (i*7+3)%25)
			}
			steps.WriteString("}\n")
		}
	}
	s.withReleases(t, steps.String())
	build := s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Large"})
	b := s.signedIn("admin@example.com")
	for _, view := range []string{"graph", "timeline"} {
		began := time.Now()
		page := b.get(build+"?view="+view).want(t, http.StatusOK, "Step 0.1")
		t.Logf("%s: %s, %d bytes", view, time.Since(began).Round(time.Millisecond), len(page.Body))
		if len(page.Body) > 600_000 {
			t.Errorf("%s has %d bytes", view, len(page.Body))
		}
	}
}

// logByHand picks lines of a log, copies them, and reads it on the full screen.
func logByHand(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	worker := s.connectWorker(s.agentToken(), "runner")
	build := s.buildOf(s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: x}]`), "main", "Log")
	job := worker.take()
	job.write("\x1b_bk;t=1790000000000\x07--- First\none\ntwo\nthree\n\x1b_bk;t=1790000005000\x07+++ Second\nfour\n")
	job.finish(0)
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(build + "/jobs/" + job.ID + "?line=2")
	tab.Want("5s", "one")
	click := func(id string, shift bool) {
		chromium.Eval[chromedp.Void](tab, fmt.Sprintf(`void document.querySelector("#%s .n").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true, shiftKey: %t}))`, id, shift))
	}
	click("L2", false)
	click("L4", true)
	if query := chromium.Eval[string](tab, `location.search + location.hash`); query != "?line=2-4#L2" {
		t.Errorf("the address of the range is %s", query)
	}
	if picked := chromium.Eval[string](tab, `[...document.querySelectorAll(".line.picked .t")].map((line) => line.textContent).join()`); picked != "one,two,three" {
		t.Errorf("%s are picked", picked)
	}
	tab.Open(chromium.Eval[string](tab, `location.pathname + location.search`))
	if picked := chromium.Eval[int](tab, `document.querySelectorAll(".line.picked").length`); picked != 3 {
		t.Errorf("%d lines are picked after the page was loaded again", picked)
	}
	copied := chromium.Eval[string](tab, `new Promise((done) => {
		Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => done(text) }, configurable: true });
		document.querySelector("[data-copy-lines]").click();
	})`)
	if copied != "one\ntwo\nthree" {
		t.Errorf("%q is copied", copied)
	}
	tab.Do(chromedp.KeyEvent("z"))
	if shown := chromium.Eval[bool](tab, `document.querySelector("header.top").checkVisibility()`); shown {
		t.Error("the header is shown beside the log that fills the screen")
	}
	tab.Do(chromedp.KeyEvent(kb.Escape))
	if shown := chromium.Eval[bool](tab, `document.querySelector("header.top").checkVisibility()`); !shown {
		t.Error("Escape does not end the full screen")
	}
	tab.Open(build + "/jobs/" + job.ID + "?search=t(wo%7Chree)&regexp=1&line=3")
	tab.Want("2 lines with")
	if marks := chromium.Eval[int](tab, `document.querySelectorAll(".log mark").length`); marks != 2 {
		t.Errorf("%d hits are marked", marks)
	}
}

// noticesInBrowser lets the browser notify who waits for a build, and remember that they want it.
func noticesInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	worker := s.connectWorker(s.agentToken(), "runner")
	pipeline := s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: x}]`)
	build := s.buildOf(pipeline, "main", "Wait for it")
	tab := s.tabOf(t, b, "admin@example.com")
	// Nobody can be asked here whether notifications are fine.
	const permitted = `void (window.said = [], document.hasFocus = () => false, window.Notification = class extends EventTarget {
		static permission = "default";
		static requestPermission = async () => (Notification.permission = "granted");
		constructor(title) { super(); said.push(title); }
	})`
	tab.Open(build)
	chromium.Eval[chromedp.Void](tab, permitted)
	chromium.Eval[chromedp.Void](tab, `void document.querySelector("[data-notify]").click()`)
	tab.Do(chromedp.WaitVisible(chromedp.CSS(`[data-notify][aria-pressed="true"]`)))
	worker.take().finish(1)
	tab.WaitFor(".build-head", "Failed")
	if said := chromium.Eval[string](tab, `new Promise((done) => { const wait = () => (said.length ? done(said.join("|")) : setTimeout(wait, 20)); wait(); })`); !strings.HasPrefix(said, "Failed · Build #1") || strings.Contains(said, "|") {
		t.Errorf("the notification says %q", said)
	}
	next := s.buildOf(pipeline, "main", "The next one")
	tab.Open(next)
	chromium.Eval[chromedp.Void](tab, permitted)
	chromium.Eval[chromedp.Void](tab, `void (Notification.permission = "granted")`)
	worker.take()
	tab.WaitFor(".build-head", "Running")
	tab.Do(chromedp.WaitVisible(chromedp.CSS(`[data-notify][aria-pressed="true"]`))) // the choice is remembered
	chromium.Eval[chromedp.Void](tab, `void document.querySelector("[data-notify]").click()`)
	tab.Do(chromedp.WaitVisible(chromedp.CSS(`[data-notify][aria-pressed="false"]`)))
}
