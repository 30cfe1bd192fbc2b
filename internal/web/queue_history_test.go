package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"penstock/internal/authz"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

// withHistory lets the queue have had a busy day.
func (s *site) withHistory(t *testing.T) {
	t.Helper()
	if err := s.Builds.SampleQueues(t.Context(), authz.OperatorActor()); err != nil {
		t.Fatal(err)
	}
	// Sixty intervals before the one that was counted, with a peak in the middle.
	testkit.Exec(t, s.DB, `INSERT INTO queue_samples (queue_id, began_at, samples, waiting, running, idle, started, median_wait, long_wait)
		WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
		SELECT qs.queue_id, qs.began_at - n.i * $1, 4, (60 - n.i) * n.i / 20, 48 - (n.i % 12), n.i % 12, 5, (60 - n.i) * n.i * 100000, (60 - n.i) * n.i * 300000
		FROM queue_samples qs JOIN n ON TRUE WHERE qs.queue_id = $2`, (15 * time.Minute).Microseconds(), testkit.QueueID)
}

func TestQueueShowsItsLastDay(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		member := s.signedIn("member@example.com")
		if a := member.get(theQueue).want(t, http.StatusOK, "No jobs in the last 24 hours."); strings.Contains(a.Body, `class="plot`) {
			t.Errorf("there are plots of nothing: %s", a.Body)
		}
		s.withHistory(t)
		a := member.get(theQueue).want(t, http.StatusOK, "Last 24 hours", `<title id="history-jobs-title">Jobs</title>`, "history-waits", "history-agents", "Show as a table", "24h ago",
			"waiting: up to 11.3; running: up to 12.", "95th percentile: up to 4m 30s; median: up to 1m 30s.", `<path class="curve first" d="M`)
		checkMarkup(t, a)
		if strings.Contains(a.Body, "No jobs in the last 24 hours") || strings.Count(a.Body, `<th scope="row"><time`) != 60 {
			t.Errorf("the table has %d rows: %s", strings.Count(a.Body, `<th scope="row"><time`), a.Body)
		}
		s.signedIn("outsider@example.com").get(theQueue).want(t, http.StatusNotFound)
	})
}

func TestQueueShowsOtherSpansOfTime(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		member := s.signedIn("member@example.com")
		member.get(theQueue+"?span=hour").want(t, http.StatusOK, "No jobs in the last hour.")
		s.withHistory(t)
		for query, want := range map[string]struct {
			title, begins, says string
			rows                [2]int // from and to: the time decides where steps begin
		}{
			"?span=hour":  {"Last hour", "1h ago", "averages over 15 minutes", [2]int{3, 4}},
			"":            {"Last 24 hours", "24h ago", "averages over 15 minutes", [2]int{60, 61}},
			"?span=week":  {"Last 7 days", "7d ago", "averages over 2 hours", [2]int{8, 9}},
			"?span=month": {"Last 30 days", "30d ago", "averages over 8 hours", [2]int{2, 3}},
			"?span=<b>":   {"Last 24 hours", "24h ago", "averages over 15 minutes", [2]int{60, 61}},
		} {
			a := member.get(theQueue+query).want(t, http.StatusOK, `<h2 id="history-title">`+want.title+"</h2>", ">"+want.begins+"</text>", want.says, theQueue+`?span=month#queue-history"`)
			checkMarkup(t, a)
			if rows := strings.Count(a.Body, `<th scope="row"><time`); rows < want.rows[0] || rows > want.rows[1] {
				t.Errorf("%s has %d rows", query, rows)
			}
			if n := strings.Count(a.Body, `#queue-history" aria-current="true"`); n != 1 {
				t.Errorf("%s has %d spans that are shown", query, n)
			}
		}
	})
}

// TestPlotsSayTheirValues points at a chart, and moves along it with keys.
func TestPlotsSayTheirValues(t *testing.T) {
	t.Parallel()
	s := newBrowserSite(t)
	s.withHistory(t)
	tab := s.tabOf(t, chromium.Start(t, chromium.DejaVu), "member@example.com")
	tab.Open(theQueue)
	const plot = `document.querySelectorAll(".plot")[0]`
	said := func(want string) {
		t.Helper()
		words := chromium.Eval[[]string](tab, `[`+plot+`.querySelector("output").textContent, `+plot+`.querySelector("input").ariaValueText, `+plot+`.querySelector(".pointed").textContent]`)
		for _, w := range words {
			if !strings.HasPrefix(w, want) {
				t.Errorf("the chart says %q, want %q", words, want)
			}
		}
	}
	said("15m ago: ")
	chromium.Eval[chromedp.Void](tab, plot+`.querySelector("input").focus()`)
	tab.Do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	said("45m ago: waiting ")
	tab.Do(chromedp.KeyEvent(kb.Home))
	said("15h 15m ago: ")
	chromium.Eval[chromedp.Void](tab, plot+`.querySelectorAll(".slot")[57].dispatchEvent(new PointerEvent("pointerover", {bubbles: true}))`)
	said("1h ago: waiting ")
}

// TestPlotsInABrowser looks at the charts as people with narrow, wide, light and dark screens do.
func TestPlotsInABrowser(t *testing.T) {
	t.Parallel()
	s := newBrowserSite(t)
	s.withHistory(t)
	script := axe(t)
	tab := s.tabOf(t, chromium.Start(t, chromium.DejaVu), "admin@example.com")
	for _, path := range []string{theQueue, acme + "/usage"} {
		for _, look := range []string{"light", "dark"} {
			for _, width := range []int64{375, 768, 1280} {
				tab.Prefer(look)
				tab.Do(chromedp.EmulateViewport(width, 900))
				tab.Open(path)
				if over := chromium.Eval[float64](tab, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s is %v pixels wider than a screen of %d", path, over, width)
				}
				chromium.Eval[chromedp.Void](tab, `document.querySelectorAll("main details").forEach((d) => (d.open = true))`)
				chromium.Eval[chromedp.Void](tab, script)
				for _, fault := range chromium.Eval[[]string](tab, fmt.Sprintf(axeFaults, axeRules)) {
					t.Errorf("%s, %s, on a screen of %d: %s", path, look, width, fault)
				}
				if shown := tab.Shown(); path == theQueue && strings.Contains(shown, " UTC") {
					t.Errorf("times are not in the reader's zone: %s", shown)
				}
				smallest := chromium.Eval[float64](tab, `Math.min(...[...document.querySelectorAll(".plot svg text")].map((e) => e.getBoundingClientRect().height))`)
				if smallest < 10 {
					t.Errorf("%s on a screen of %d has text that is %v pixels high", path, width, smallest)
				}
			}
		}
	}
}
