package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

// runningJob is a job that an agent runs.
type runningJob struct {
	s     *site
	actor authz.Actor
	id    string
	path  string // of its page
	sent  int64  // bytes of its log
	sum   int64  // of pieces
}

// startJob makes a build with one job, and has an agent start it.
func (s *site) startJob(t *testing.T) *runningJob {
	t.Helper()
	s.withReleases(t, "steps: [{label: Test, command: make test, agents: {queue: default}}]")
	build := s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Mend the pump"})
	j := &runningJob{s: s, id: s.jobOf(t, build, "Test")}
	j.path = build + "/jobs/" + j.id
	address := netip.MustParseAddr("127.0.0.1")
	_, token, err := s.Service.CreateAgentToken(t.Context(), s.adminToken(), domain.ClusterRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: testkit.MaintainedID},
		core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Agents.RegisterAgent(t.Context(), authz.AgentActor(authz.AgentToken, token.Reveal(), address), agents.Registration{Name: "runner", MetaData: []string{"queue=default"}})
	if err != nil {
		t.Fatal(err)
	}
	session := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), address)
	if err := s.Agents.ConnectAgent(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	taken, err := s.Builds.AcquireJob(t.Context(), session, j.id)
	if err != nil {
		t.Fatal(err)
	}
	j.actor = authz.AgentActor(authz.JobToken, taken.Token.Reveal(), address)
	if err := s.Builds.StartJob(t.Context(), j.actor, j.id); err != nil {
		t.Fatal(err)
	}
	return j
}

// write adds to the job's log.
func (j *runningJob) write(t *testing.T, text string) {
	t.Helper()
	for len(text) > 0 {
		part := text[:min(len(text), domain.MaxChunkSize)]
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is one
		_, _ = io.WriteString(w, part)
		_ = w.Close()
		j.sum++
		err := j.s.Logs.AddLogChunk(t.Context(), j.actor, j.id, logs.LogChunk{Sequence: j.sum, Offset: j.sent, Size: int64(len(part)), Content: packed.Bytes()})
		if err != nil {
			t.Fatal(err)
		}
		j.sent += int64(len(part))
		text = text[len(part):]
	}
}

func (j *runningJob) finish(t *testing.T) {
	t.Helper()
	if err := j.s.Builds.FinishJob(t.Context(), j.actor, j.id, builds.Finish{}); err != nil {
		t.Fatal(err)
	}
}

// numberedLines returns lines that say their numbers, from one to another.
func numberedLines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		b.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	return b.String()
}

const million = 1_000_000

// countLines returns how many lines of the log a page has.
func countLines(page *answer) int {
	return strings.Count(page.Body, `class="line"`) + strings.Count(page.Body, `class="line `)
}

func TestAJobWithAMillionLinesIsShownInParts(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		j := s.startJob(t)
		text := numberedLines(1, 9) + "--- Build\n" + numberedLines(11, 499_999) + "+++ Test\n" + numberedLines(500_001, million)
		j.write(t, text)
		b := s.signedIn("admin@example.com")
		const mostBytes = 200 << 10
		for _, page := range []struct {
			query string
			lines int
			has   []string
		}{
			{"", 509, []string{"1,000,000 lines", ">line 9<", ">line 1000000<", `href="?line=999101#L999101"`, "Show earlier lines (499,500)", "Show 499,989 lines"}},
			{"?line=900000", 509, []string{">line 899900<", ">line 900000<", ">line 900399<", "Show later lines (99,601)", `href="?line=900400#L900400"`}},
			{"?line=300000", 1009, []string{">line 300000<", ">line 1000000<"}},
			{"?line=11", 1009, []string{">line 11<", "Show later lines (499,489)", `href="?line=511#L511"`}},
			{"?search=LINE+1000000", 509, []string{"1 line with", ">1000000</a> <code>line 1000000</code>"}},
			{"?search=nothing", 509, []string{"No line has"}},
		} {
			answer := b.get(j.path+page.query).want(t, http.StatusOK, page.has...)
			if n := countLines(answer); n != page.lines || len(answer.Body) > mostBytes {
				t.Errorf("the page %q has %d lines, not %d, and %d bytes", page.query, n, page.lines, len(answer.Body))
			}
		}
		part := b.get(j.path+"/log?from=700001&count=1000000").want(t, http.StatusOK, ">line 700001<", ">line 701000<")
		if n := countLines(part); n != 1_000 {
			t.Errorf("a part has %d lines", n)
		}
		size := strconv.FormatInt(j.sent, 10)
		known := map[string]string{"Penstock-Known-Log": size}
		b.send(http.MethodGet, j.path, nil, known).want(t, http.StatusNoContent)
		j.write(t, "line 1000001\n")
		b.get(j.path+"/log?from=1000001").want(t, http.StatusOK, ">line 1000001<")
		b.send(http.MethodGet, j.path, nil, known).want(t, http.StatusOK, "1,000,001 lines", ">line 1000001<")
		j.finish(t)
		if raw := b.get(j.path + "/log.txt"); raw.Body != text+"line 1000001\n" {
			t.Errorf("the raw log has %d bytes", len(raw.Body))
		}
	})
}

// TestTheLineThatIsAskedForIsShown asks for a line before groups that are open too.
func TestTheLineThatIsAskedForIsShown(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		j := s.startJob(t)
		for range 10 {
			j.write(t, "+++ Group\n"+numberedLines(1, 999))
		}
		b := s.signedIn("admin@example.com")
		page := b.get(j.path+"?line=1500").want(t, http.StatusOK, `id="L1500"`, `id="L10000"`)
		if n := countLines(page); n != 2_000 {
			t.Errorf("the page has %d lines", n)
		}
	})
}

// longLogInBrowser reads through a log of a million lines, while it grows and afterwards.
func longLogInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	j := s.startJob(t)
	j.write(t, "--- Build\n"+numberedLines(2, 10)+"+++ Test\n"+numberedLines(12, million))
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(j.path + "?line=900000#L900000")
	if target := chromium.Eval[string](tab, `document.querySelector(":target .t").textContent`); target != "line 900000" {
		t.Errorf("the target is %s", target)
	}
	// shown is what the group shows: its first and last line and how many, which are all of those between, and what its links say.
	const shown = `(() => { const group = document.getElementById("G11"), lines = [...group.querySelectorAll(".line")];
		return [lines[0].id, lines.at(-1).id, lines.length, ...[...group.querySelectorAll("[data-load]")].map((link) => link.textContent)].join(" ") })()`
	load := func(kind string) {
		t.Helper()
		chromium.Eval[bool](tab, `(async () => { const group = document.getElementById("G11"); group.querySelector('[data-more="`+kind+`"] [data-load]').click();
			while (group.hasAttribute("aria-busy")) await new Promise((done) => setTimeout(done, 10)); return true })()`)
	}
	until := func(condition string) {
		t.Helper()
		chromium.Eval[bool](tab, `(async () => { while (!(`+condition+`)) await new Promise((done) => setTimeout(done, 20)); return true })()`)
	}
	want := func(what, text string) {
		t.Helper()
		if got := chromium.Eval[string](tab, shown); got != text {
			t.Errorf("%s: the group shows %s, not %s", what, got, text)
		}
	}
	want("at first", "L899900 L900399 500 Show earlier lines (899,888) Show later lines (99,601)")
	load("after")
	want("with lines after", "L899900 L901398 1499 Show earlier lines (899,888) Show later lines (98,602)")
	for range 9 {
		load("after")
	}
	want("further on", "L907390 L910389 3000 Show earlier lines (907,378) Show later lines (89,611)")
	nodes := chromium.Eval[int](tab, `document.querySelectorAll("*").length`)
	for range 10 {
		load("before")
	}
	want("back again", "L897390 L900389 3000 Show earlier lines (897,378) Show later lines (99,611)")
	if now := chromium.Eval[int](tab, `document.querySelectorAll("*").length`); now > nodes+10 || now > 20_000 {
		t.Errorf("the page had %d elements, and has %d", nodes, now)
	}
	chromium.Eval[bool](tab, `(document.querySelector("#G1 > summary").click(), true)`)
	until(`document.getElementById("L2") !== null`)

	j.write(t, numberedLines(million+1, million+2_000))
	until(`document.querySelector('#G11 [data-more="after"]').textContent.startsWith("Show later lines (101,620)")`) // what is read stays
	tab.Open(j.path)
	until(`document.getElementById("L1002000") !== null`)
	chromium.Eval[bool](tab, `(document.querySelector("[data-follow]").click(), true)`)
	j.write(t, numberedLines(million+2_001, million+6_000)+"not yet")
	until(`document.getElementById("L1006001")?.querySelector(".t").textContent === "not yet"`)
	until(`!document.querySelector('#G11 [aria-busy], #G11 [data-more="after"]')`)
	want("while it grows", "L1005002 L1006001 1000 Show earlier lines (1,004,990)")
	j.write(t, " but now\n")
	until(`document.getElementById("L1006001").querySelector(".t").textContent === "not yet but now"`)
	j.finish(t)
}

// growingLogInBrowser looks at a log while it grows: lines come wherever the reader is, and Follow only scrolls.
func growingLogInBrowser(t *testing.T, b *chromium.Browser) {
	s := newBrowserSite(t)
	j := s.startJob(t)
	j.write(t, "+++ Test\n"+numberedLines(2, 279))
	tab := s.tabOf(t, b, "admin@example.com")
	tab.Open(j.path)
	until := func(what, condition string) {
		t.Helper()
		ended := chromium.Eval[bool](tab, `(async () => { for (let i = 0; i < 1500; i++) { if (`+condition+`) return true; await new Promise((done) => setTimeout(done, 20)) } return false })()`)
		if !ended {
			t.Fatalf("%s: %s", what, chromium.Eval[string](tab, `document.getElementById("log").innerText.slice(-300)`))
		}
	}
	line := func(number int) string { return `document.getElementById("L` + strconv.Itoa(number) + `")` }
	// seen is whether the end of a line is on the screen.
	seen := func(number int) string {
		return line(number) + ` && ` + line(number) + `.getBoundingClientRect().bottom <= innerHeight + 1 && ` + line(number) + `.getBoundingClientRect().top >= 0`
	}
	press := func() {
		chromium.Eval[bool](tab, `(document.querySelector("[data-follow]").click(), true)`)
	}
	chromium.Eval[bool](tab, `(scrollTo(0, 0), true)`)
	for i := 280; i <= 300; i += 10 { // the reader is at the top
		j.write(t, numberedLines(i, i+9))
		until("a reader at the top", line(i+9)+` && scrollY === 0`)
	}
	press()
	until("the end, once Follow is pressed", seen(309))
	for i := 310; i <= 360; i += 10 {
		j.write(t, numberedLines(i, i+9))
		until("the end, while it is followed", seen(i+9))
	}
	chromium.Eval[bool](tab, `(dispatchEvent(new WheelEvent("wheel", { deltaY: -100 })), scrollTo(0, 0), true)`)
	j.write(t, numberedLines(370, 379))
	until("a reader who has scrolled back", line(379)+` && scrollY === 0 && document.querySelector("[data-follow]").getAttribute("aria-pressed") === "false"`)

	// A new group begins, and more comes at once than a page has.
	j.write(t, "--- Next\n"+numberedLines(381, 400))
	until("a new group", line(400)+` && scrollY === 0 && document.getElementById("G1").open`)
	press()
	until("the end of the new group", seen(400))
	j.write(t, numberedLines(401, 5_400))
	until("the end after much at once", seen(5_400))
	chromium.Eval[bool](tab, `(dispatchEvent(new KeyboardEvent("keydown", { key: "Home" })), scrollTo(0, 0), true)`)
	j.write(t, numberedLines(5_401, 5_500))
	until("a reader at the top again", line(5_500)+` && scrollY === 0`)
	if n := chromium.Eval[int](tab, `document.querySelectorAll(".line").length`); n > 3_100 {
		t.Errorf("the page has %d lines", n)
	}

	// Groups begin below what is read: it stays, and the page does not grow.
	j.write(t, numberedLines(5_501, 8_000))
	until("a page of as many lines as it can have", `document.querySelectorAll(".line").length >= 3000`)
	before := chromium.Eval[string](tab, `(window.first = document.querySelector("#log .line:not([hidden])"), first.id + " " + first.getBoundingClientRect().top)`)
	for i := range 8 {
		from := 8_001 + i*60
		j.write(t, "+++ Part\n"+numberedLines(from+1, from+59))
		until("a group that begins elsewhere", `document.getElementById("G`+strconv.Itoa(from)+`") && scrollY === 0`)
	}
	if after := chromium.Eval[string](tab, `(first.isConnected ? "" : "gone: ") + first.id + " " + first.getBoundingClientRect().top`); after != before {
		t.Errorf("what is read was at %s, and is at %s", before, after)
	}
	if n := chromium.Eval[int](tab, `document.querySelectorAll(".line").length`); n > 3_100 {
		t.Errorf("with groups below, the page has %d lines", n)
	}
	j.finish(t)
	until("the job has ended", `!document.querySelector("[data-grows]")`)
}
