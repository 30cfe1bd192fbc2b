package web

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/logs"
)

// jobView is the page of a job.
type jobView struct {
	Build  buildRow
	Job    jobRow
	Log    logView
	Beside jobsBeside
	Env    []pairOfTexts
	EnvTo  string // address of the page with the job's environment

	Notifications []domain.JobEvent // what a stack said of it while it starts an agent

	Caches      []registryDecision // what the policies of cache registries decided about it
	Annotations []annotationView
	Artifacts   artifactsView
	Tests       testsView
}

// logView is a job's log.
type logView struct {
	Groups  []logGroup
	Skipped int // groups that are not shown
	Lines   int64
	Size    int64
	Raw     string // address of all of it
	Path    string // of the page
	Grows   bool
	Missing string // why there is none

	CheckoutFailed bool // the job has ended before its command began
	Search         logSearch
	Found          []foundLine
	More           bool // found

	NextHit, PreviousHit string // addresses of lines; empty: none
	Hit                  int    // which of those that were found is shown, counted from 1; 0: none
}

// logGroup is a group of lines, which a header begins.
type logGroup struct {
	Title  string // empty: the lines before the first header
	Quiet  bool
	Number int64 // of its header, counted from 1
	At     logLine
	Open   bool
	First  int64 // line, counted from 1
	Last   int64
	Lines  []logLine
	Before int64 // lines of the group that come before those that are shown
	After  int64
	To     string // the page with this group open
	Took   string // how long it took; empty: it is not known
}

// tookGroup returns how long a group of lines took: to the next one, or to the end of the job.
func tookGroup(headers []logHeader, i int, j jobRow) string {
	end := j.FinishedAt
	if i+1 < len(headers) {
		end = &headers[i+1].at
	}
	if headers[i].at.IsZero() || end == nil || end.Before(headers[i].at) {
		return ""
	}
	return duration{Length: end.Sub(headers[i].at)}.String()
}

// has reports whether a line is the header of the group or in it.
func (g *logGroup) has(line int64) bool {
	return line >= max(1, min(g.Number, g.First)) && line <= g.Last
}

// PageBefore is a line whose page ends where the lines begin that are shown.
func (g logGroup) PageBefore() string {
	return lineLink(max(g.First, g.First+g.Before-linesOfGroup+linesBeforeOne))
}

// PageAfter is the line after those that are shown.
func (g logGroup) PageAfter() string { return lineLink(g.Last - g.After + 1) }

// FirstLine is the first line of the group.
func (g logGroup) FirstLine() string { return lineLink(g.First) }

// LastLine is the last line of the group.
func (g logGroup) LastLine() string { return lineLink(g.Last) }

// Count is how many lines the group has.
func (g logGroup) Count() int64 { return g.Last - g.First + 1 }

const (
	linesOfGroup   = 500 // that are shown at first, of an open group
	linesOfPage    = 2_000
	groupsOfPage   = 500
	linesOfPart    = 1_000
	bytesOfPage    = 2 << 20 // of lines as HTML, about
	linesBeforeOne = 100     // that is asked for
)

// knownLogHeader is the header with the size of the log that a browser has, of a page that it asks for again only if
// the log has grown.
const knownLogHeader = "Penstock-Known-Log"

func showJob(c *call) (*reply, error) {
	if known := c.R.Header.Get(knownLogHeader); known != "" {
		log, err := c.Logs.ReadLog(c.ctx(), c.actor(), c.job())
		if err == nil && !log.HasEnded && known == strconv.FormatInt(log.Size, 10) {
			return &reply{stream: func() { c.Write(http.StatusNoContent, "text/html; charset=utf-8", nil) }}, nil
		}
	}
	of, err := c.Builds.BuildPage(c.ctx(), c.actor(), c.build(), builds.PageLimits{Steps: maxStepsShown, Annotations: 1,
		Artifacts: 1})
	if err != nil {
		return nil, err
	}
	b, mayBuild := of.Build, of.MayBuild
	if err := c.requireCurrentSlug(&b.Pipeline); err != nil {
		return nil, err
	}
	j, err := c.Builds.Job(c.ctx(), c.actor(), c.job())
	if err == nil && j.Type() != domain.CommandJob {
		return c.redirect(c.jobAnchor(string(j.ID)), ""), nil
	}
	if err != nil {
		return nil, err
	}
	view := jobView{Build: c.buildRow(&b), Job: c.jobRow(&b, &j, mayBuild)}
	view.Beside, view.Tests = c.jobsBeside(&of, &j), c.showTests(&of, j.ID)
	view.EnvTo = view.Job.To + "?env=1#environment"
	if c.query("env") != "" {
		env, err := c.Builds.JobEnv(c.ctx(), c.actor(), c.job())
		if err != nil {
			return nil, err
		}
		view.Env, view.EnvTo = sortedPairs(env), ""
	}
	if !j.State.HasEnded() && j.StartedAt == nil {
		if view.Notifications, err = c.Builds.StackNotifications(c.ctx(), c.actor(), c.job()); err != nil {
			return nil, err
		}
	}
	if view.Log, err = c.readLog(view.Job); err != nil {
		return nil, err
	}
	decisions, err := c.Caches.CacheDecisions(c.ctx(), c.actor(), c.job())
	if err != nil {
		return nil, err
	}
	view.Caches = c.newRegistryDecisions(decisions)
	if view.Annotations, err = showAnnotations(c.Builds.JobAnnotations(c.ctx(), c.actor(), c.job(),
		domain.AnnotationFilter{OnlyHTML: true}, domain.Page{Number: 1, Size: annotationsShown})); err != nil {
		return nil, err
	}
	artifacts, err := c.Artifacts.JobArtifacts(c.ctx(), c.actor(), c.job(), domain.ArtifactFilter{},
		domain.Page{Number: 1, Size: artifactsShown})
	if view.Artifacts, err = c.showArtifacts(artifacts, nil, err); err != nil {
		return nil, err
	}
	view.Artifacts.OfJob = true
	p := page{template: "job", Title: view.Job.Label, Section: "pipelines", View: view, State: view.Job.State,
		Crumbs: c.buildCrumbs(&b, view.Job.Label), HasSecret: view.EnvTo == ""}
	if !j.State.HasEnded() {
		p.Reloads = 5
	}
	return c.show(p), nil
}

// openedLog is the log of the job that the page is about, with its index.
type openedLog struct {
	*logs.Log
	index  *logIndex
	source logSource
}

func (c *call) openLog() (*openedLog, error) {
	log, err := c.Logs.ReadLog(c.ctx(), c.actor(), c.job())
	if err != nil {
		return nil, err
	}
	o := &openedLog{Log: log, source: logSource{log.Settled, log.Open}}
	o.index, err = c.logs.of(domain.JobID(c.R.PathValue("job"))).read(c.ctx(), o.source)
	return o, err
}

// readLog returns what the page shows of the job's log.
func (c *call) readLog(j jobRow) (v logView, err error) {
	v = logView{Raw: j.To + "/log.txt", Path: j.To, Search: c.logSearch(), Grows: !j.JobView.State.HasEnded()}
	log, err := c.openLog()
	if domain.CodeOf(err) == domain.NotFound {
		v.Missing = err.Error()
		return v, nil
	}
	if err != nil {
		return v, err
	}
	x := log.index
	v.Lines, v.Size = x.lines(), log.Size
	v.CheckoutFailed = j.State.Class == badState && x.endsInCheckout()
	if v.Search.Text != "" && v.Search.Fault == "" {
		if v.Found, v.More, err = x.searchLines(c.ctx(), log.source, v.Search); err != nil {
			return v, err
		}
		for i, line := range v.Found {
			v.Found[i].To = v.Search.query() + "&" + lineLink(line.Number)[1:]
			v.Found[i].Current = line.Number == c.requestedLine()
		}
		v.chooseHits(c.requestedLine())
	}
	v.Groups = c.groupsOf(x, &v, j)
	if len(v.Groups) > groupsOfPage { // those that were opened are kept
		v.Skipped = len(v.Groups)
		v.Groups = slices.DeleteFunc(v.Groups,
			func(g logGroup) bool { return !g.Open && g.Number < v.Groups[v.Skipped-groupsOfPage].Number })
		v.Skipped -= len(v.Groups)
	}
	return v, c.renderGroups(log, v.Groups)
}

// endsInCheckout reports whether a log says that an agent prepared the working directory, and went on to nothing but
// hooks.
func (x *logIndex) endsInCheckout() bool {
	at := slices.IndexFunc(x.headers, func(h logHeader) bool {
		return strings.HasPrefix(h.title, "Preparing working directory")
	})
	return at >= 0 && !slices.ContainsFunc(x.headers[at+1:],
		func(h logHeader) bool { return !strings.HasSuffix(h.title, "hook") })
}

// renderGroups renders lines of groups that are open: first of the one that has the line that is asked for, and then
// from the end on, which matters most.
func (c *call) renderGroups(log *openedLog, groups []logGroup) error {
	asked, left, bytesLeft := c.requestedLine(), int64(linesOfPage), bytesOfPage
	order := make([]*logGroup, 0, len(groups)+1)
	if i := slices.IndexFunc(groups, func(g logGroup) bool { return g.has(asked) }); i >= 0 {
		order = append(order, &groups[i])
	}
	for i := range slices.Backward(groups) {
		order = append(order, &groups[i])
	}
	for _, g := range order {
		if !g.Open || g.Count() <= 0 || g.Lines != nil {
			continue
		}
		if left <= 0 || bytesLeft <= 0 {
			break
		}
		from := c.firstShown(g)
		var err error
		if g.Lines, err = log.index.renderLines(c.ctx(), log.source, from-1, min(linesOfGroup, left, g.Last-from+1),
			min(bytesLeft, maxRendered)); err != nil {
			return err
		}
		c.logSearch().mark(g.Lines)
		c.pick(g.Lines)
		g.Before, g.After = from-g.First, g.Last-from+1-int64(len(g.Lines))
		left -= int64(len(g.Lines))
		for _, line := range g.Lines {
			bytesLeft -= len(line.HTML)
		}
	}
	return nil
}

// chooseHits finds the lines before and after the one that is asked for, among those that were found.
func (v *logView) chooseHits(asked int64) {
	for i, line := range v.Found {
		switch {
		case line.Number < asked:
			v.PreviousHit = line.To
		case line.Number == asked:
			v.Hit = i + 1
		case v.NextHit == "":
			v.NextHit = line.To
		}
	}
}

// lineLink is the address of a line, from the page of its job.
func lineLink(number int64) string {
	n := strconv.FormatInt(number, 10)
	return "?line=" + n + "#L" + n
}

// requestedLine is the line that the address asks for, or the first of them; 0: none.
func (c *call) requestedLine() int64 {
	first, _ := c.requestedLines()
	return first
}

// requestedLines are the lines that the address asks for, such as 7 or 7-12; 0: none.
func (c *call) requestedLines() (first, last int64) {
	from, to, isRange := strings.Cut(c.query("line"), "-")
	first, err := strconv.ParseInt(from, 10, 64)
	if err != nil || first < 1 {
		return 0, 0
	}
	if last, err = strconv.ParseInt(to, 10, 64); !isRange || err != nil || last < first {
		last = first
	}
	return first, last
}

// pick marks the lines that the address asks for.
func (c *call) pick(lines []logLine) {
	first, last := c.requestedLines()
	for i := range lines {
		lines[i].Picked = first > 0 && lines[i].Number >= first && lines[i].Number <= last
	}
}

// firstShown returns the first line of an open group that is shown: the end of a long one, unless another line is asked
// for.
func (c *call) firstShown(g *logGroup) int64 {
	line := c.requestedLine()
	switch {
	case g.Count() <= linesOfGroup:
		return g.First
	case line == g.Number:
		return g.First
	case line >= g.First && line <= g.Last:
		return max(g.First, line-linesBeforeOne)
	}
	return g.Last - linesOfGroup + 1
}

// groupsOf returns the groups of a log, of which some are open.
func (c *call) groupsOf(x *logIndex, v *logView, j jobRow) (groups []logGroup) {
	end := v.Lines
	if len(x.headers) == 0 || x.headers[0].line > 0 {
		first := logGroup{Open: true, First: 1, Last: end}
		if len(x.headers) > 0 {
			first.Last = x.headers[0].line
		}
		groups = append(groups, first)
	}
	asked := c.requestedLine()
	for i, h := range x.headers {
		g := logGroup{Title: cmp.Or(strings.TrimSpace(h.title), "…"), Quiet: h.kind == '~', Number: h.line + 1,
			First: h.line + 2, Last: end, At: logLine{At: h.at}}
		if i+1 < len(x.headers) {
			g.Last = x.headers[i+1].line
		}
		g.Open = h.kind == '+' || i == len(x.headers)-1 || asked >= g.Number && asked <= g.Last
		g.To = lineLink(g.Number)
		g.Took = tookGroup(x.headers, i, j)
		groups = append(groups, g)
	}
	return groups
}

// showLogLines answers with some lines of a log alone, for the page that has others.
func showLogLines(c *call) (*reply, error) {
	log, err := c.openLog()
	if err != nil {
		return nil, err
	}
	x := log.index
	from, err := strconv.ParseInt(c.query("from"), 10, 64)
	if err != nil || from < 1 {
		from = 1
	}
	count, err := strconv.ParseInt(c.query("count"), 10, 64)
	if err != nil || count < 1 || count > linesOfPart {
		count = linesOfPart
	}
	lines, err := x.renderLines(c.ctx(), log.source, from-1, min(count, max(0, x.lines()-from+1)), maxRendered)
	if err != nil {
		return nil, err
	}
	c.logSearch().mark(lines)
	c.pick(lines)
	return &reply{status: http.StatusOK, page: page{template: "job", View: lines}, fragment: "log-lines"}, nil
}

// downloadLog answers with all of a log, as it is.
func downloadLog(c *call) (*reply, error) {
	log, err := c.Logs.ReadLog(c.ctx(), c.actor(), c.job())
	if err != nil {
		return nil, err
	}
	in, err := log.Open(c.ctx(), 0, log.Size)
	if err != nil {
		return nil, err
	}
	return &reply{stream: func() {
		defer func() { _ = in.Close() }()
		out, err := c.OpenAnswer()
		if err != nil {
			c.write(c.replyToError(err))
			return
		}
		c.Header.Set("Content-Type", "text/plain; charset=utf-8")
		c.Header.Set("Content-Length", strconv.FormatInt(log.Size, 10))
		c.Header.Set("Content-Disposition", `inline; filename="`+c.R.PathValue("job")+`.log"`)
		_, _ = io.Copy(out, in) // a caller who goes away is seen by what is missing
	}}, nil
}
