package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/builds"
	"penstock/internal/service/read"
)

// The addresses of builds are those that the platform's clients print.
const (
	inBuilds = "/{organization}/{pipeline}/builds"
	inBuild  = inBuilds + "/{number}"
)

var buildRoutes = []route{
	{path: inBuilds, get: redirectToPipeline},
	{path: inBuilds + "/new", get: newBuild, post: newBuild},
	{path: inBuild, get: showBuild},
	{path: inBuild + "/cancel", get: cancelBuild, post: cancelBuild},
	{path: inBuild + "/rebuild", post: rebuildBuild},
	{path: inBuild + "/retry", post: retryFailedJobs},
	{path: inBuild + "/events", get: streamBuild},
	{path: inPipeline + "/events", get: streamPipelineBuilds},
}

// isBelowBuilds reports whether a path is that of an organization's slug, a pipeline's slug and builds.
func isBelowBuilds(path string) bool {
	segments := strings.SplitN(path, "/", 5)
	return len(segments) > 3 && segments[3] == "builds"
}

// pipelineOfBuild names the pipeline that the page is about.
func (c *call) pipelineOfBuild() domain.PipelineRef {
	return domain.PipelineRef{Organization: c.organizationRef(), Slug: c.R.PathValue("pipeline")}
}

// build names the build that the page is about; one whose number cannot be read is no build's.
func (c *call) build() domain.BuildRef {
	number, err := strconv.ParseInt(c.R.PathValue("number"), 10, 64)
	if err != nil || number < 1 {
		number = -1
	}
	return domain.BuildRef{Pipeline: c.pipelineOfBuild(), Number: number}
}

// buildsLink returns the address of a page of builds of the pipeline that the page is about.
func (c *call) buildsLink(segments ...string) string {
	return c.linkToBuilds(c.organization(), c.R.PathValue("pipeline"), segments...)
}

// linkToBuild returns the address of a build, with what is below it.
func (s *Site) linkToBuild(organization, pipeline string, number int64, below ...string) string {
	return s.linkToBuilds(organization, pipeline, append([]string{strconv.FormatInt(number, 10)}, below...)...)
}

// linkToBuilds returns the address of a page of a pipeline's builds.
func (s *Site) linkToBuilds(organization, pipeline string, below ...string) string {
	path := []string{organization, pipeline, "builds"}
	if domain.IsReservedSlug(organization) {
		path = []string{"organizations", organization, "pipelines", pipeline, "builds"}
	}
	return s.link(append(path, below...)...)
}

func redirectToPipeline(c *call) (*reply, error) {
	return c.redirect(c.organizationLink("pipelines", c.R.PathValue("pipeline")), ""), nil
}

// pipelineBuildsView is the page of a pipeline: its builds.
type pipelineBuildsView struct {
	onePipeline
	buildsFrame
	Outcomes []outcome // of the latest builds, the oldest first
	Figures  *domain.PipelineMetrics
	New      string // empty: the user may create none
	Badge    string
}

// OutcomesInWords says what the bars of the latest builds stand for, and how builds went lately.
func (v pipelineBuildsView) OutcomesInWords() string {
	var words []string
	if len(v.Outcomes) > 1 {
		longest := slices.MaxFunc(v.Outcomes, func(a, b outcome) int { return cmp.Compare(a.Ran.Length, b.Ran.Length) })
		words = append(words, fmt.Sprintf("The last %d builds: the tallest bar is %s.", len(v.Outcomes), longest.Ran))
	}
	if reliability := v.Figures.Reliability(); reliability != nil {
		words = append(words, v.describeFigures(*reliability))
	}
	return strings.Join(words, " ")
}

func (v pipelineBuildsView) describeFigures(reliability string) string {
	which := "builds"
	if branch := textOrEmpty(v.Pipeline.DefaultBranch); branch != "" {
		which = "builds of " + branch
	}
	words := fmt.Sprintf("In the last four weeks, %s of the %s passed", reliability, which)
	if speed := v.Figures.Speed(); speed != nil {
		words += ", in " + *speed + " on average"
	}
	return words + "."
}

// ShowPipelines says that all builds are of the pipeline that the page is about.
func (pipelineBuildsView) ShowPipelines() bool { return false }

// buildRow is a build as lists show it.
type buildRow struct {
	*domain.BuildView
	To    string
	State stateWords
	Ran   duration
}

// Title is the first line of the build's message.
func (b buildRow) Title() string { return replaceEmoji(firstLine(b.Message)) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// ShortCommit is the commit as people write it.
func (b buildRow) ShortCommit() string {
	if len(b.Commit) == 40 {
		return b.Commit[:10]
	}
	return b.Commit
}

// outcome is a build in the bar of recent outcomes.
type outcome struct {
	buildRow
	Height int // from 1 to 5: how long it took among the others
}

// buildsFrame is a list of builds with its filters.
type buildsFrame struct {
	Builds []buildRow
	List   listFrame
	Branch string
	State  string
	Text   string // in messages
	By     string // me, or the id of a user
	From   string // the first day, as domain.DateLayout
	To     string // the last day
	Slug   string // of the pipeline
	Events string // address of the stream of changes

	Mine   string // address of the user's own builds, with the other filters
	Anyone string // address of everybody's builds, with the other filters
}

// Filtered reports whether some builds are left out.
func (f buildsFrame) Filtered() bool { return f.Branch+f.State+f.Text+f.By+f.From+f.To+f.Slug != "" }

// Searched is how many builds are searched for a message.
func (buildsFrame) Searched() int64 { return domain.MaxSearchedBuilds }

// States are those that builds can be filtered by.
func (buildsFrame) States() []option { return buildFilters }

// newBuildsFrame returns the list that the address asks for, without its builds, and which builds those are.
func (c *call) newBuildsFrame(events string) (frame buildsFrame, filter domain.BuildFilter) {
	frame = buildsFrame{Branch: c.query("branch"), Events: events}
	if frame.Branch != "" {
		filter.Branches = []string{frame.Branch}
	}
	if state := c.query("state"); state != "" && slices.ContainsFunc(buildFilters,
		func(o option) bool { return o.Value == state }) {
		frame.State, filter.States = state, []flow.BuildState{flow.BuildState(state)}
		if filter.States[0] == flow.BuildFailed { // those too that wait for a person
			filter.States, filter.ShownStates = nil, filter.States
		}
	}
	if frame.Text = c.query("message"); frame.Text != "" {
		filter.Text = frame.Text
	}
	c.filterByCreator(&frame, &filter)
	frame.From, filter.CreatedFrom = c.requestedDay("from", 0)
	frame.To, filter.CreatedTo = c.requestedDay("to", 1)
	return frame, filter
}

// filterByCreator leaves the builds of the user whom the address names: me, or an id.
func (c *call) filterByCreator(frame *buildsFrame, filter *domain.BuildFilter) {
	frame.Mine = c.withQuery(map[string]string{"by": "me", "page": ""})
	frame.Anyone = c.withQuery(map[string]string{"by": "", "page": ""})
	by := c.query("by")
	if by == "me" {
		frame.By, filter.Creator = by, &c.account.User.ID
	} else if id, ok := domain.ParseID[domain.UserID](by); ok {
		frame.By, filter.Creator = by, &id
	}
}

// requestedDay returns the day that the address names so, and when it begins in UTC, or so many days after; one that
// can't be read is none.
func (c *call) requestedDay(name string, after int) (string, *time.Time) {
	day, err := time.Parse(domain.DateLayout, c.query(name))
	if err != nil {
		return "", nil
	}
	at := day.AddDate(0, 0, after)
	return day.Format(domain.DateLayout), &at
}

// buildFilters are the states that builds can be filtered by.
var buildFilters = []option{
	{Value: "", Label: "All states"}, {Value: "running", Label: "Running"}, {Value: "scheduled", Label: "Scheduled"},
	{Value: "blocked", Label: "Blocked"},
	{Value: "passed", Label: "Passed"}, {Value: "failed", Label: "Failed"}, {Value: "failing", Label: "Failing"},
	{Value: "canceled", Label: "Canceled"},
	{Value: "skipped", Label: "Skipped"}, {Value: "not_run", Label: "Not run"},
}

// outcomesShown is how many builds the bar of recent outcomes has.
const outcomesShown = 30

func showPipeline(c *call) (*reply, error) {
	var view pipelineBuildsView
	var mayBuild []bool
	var err error
	view.onePipeline, err = c.findPipeline(func(r *read.Snapshot, _ *read.Organization, p *domain.PipelineView) (
		err error) {
		this := []*domain.PipelineView{p}
		if mayBuild, err = r.PipelinePermitted(this, authz.WriteBuild); err != nil {
			return err
		}
		figures, err := c.readFigures(r, this)
		if err == nil {
			view.Figures = figures[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var filter domain.BuildFilter
	view.buildsFrame, filter = c.newBuildsFrame(c.pipelineLink(view.Pipeline) + "/events")
	recent, err := c.Builds.PipelineBuilds(c.ctx(), c.actor(), pipelineRef(view.Pipeline),
		domain.BuildFilter{Branches: filter.Branches}, builds.BuildParts{}, domain.Page{Number: 1, Size: outcomesShown})
	if err != nil {
		return nil, err
	}
	view.Outcomes = c.outcomesOf(recent.Items)
	found := recent
	if view.Filtered() || c.requestedPage().Number > 1 {
		if found, err = c.Builds.PipelineBuilds(c.ctx(), c.actor(), pipelineRef(view.Pipeline), filter, builds.BuildParts{},
			c.requestedPage()); err != nil {
			return nil, err
		}
	}
	view.Builds = c.buildRows(found.Items)
	view.List = c.newBuildList(found)
	if mayBuild[0] && view.Pipeline.ArchivedAt == nil {
		view.New = c.buildsLink("new")
	}
	view.Badge = c.prefix + "/badges/" + view.Pipeline.BadgeToken + ".svg"
	switch {
	case view.Filtered():
		view.List.Empty = emptyState{Title: "No builds found", Text: "No builds match these filters.",
			Action: "Show all builds", To: c.pipelineLink(view.Pipeline)}
	default:
		view.List.Empty = emptyState{"No builds yet", "A build runs the pipeline's steps for a commit.", "New build",
			view.New}
	}
	p := c.pipelinePage(view.onePipeline, "pipeline_builds", view.Pipeline.Name, "", view)
	p.Reloads = 10
	return c.show(p), nil
}

func (c *call) buildRows(found []*domain.BuildView) []buildRow {
	rows := make([]buildRow, len(found))
	for i, b := range found {
		rows[i] = c.buildRow(b)
	}
	return rows
}

func (c *call) buildRow(b *domain.BuildView) buildRow {
	return buildRow{b, c.linkToBuild(b.OrganizationSlug, b.Pipeline.Slug, b.Number), describeBuildState(b),
		durationOf(b.StartedAt, b.FinishedAt, c.Now())}
}

func (c *call) outcomesOf(found []*domain.BuildView) (all []outcome) {
	longest := time.Second
	for _, row := range c.buildRows(found) {
		all = append(all, outcome{row, 1})
		longest = max(longest, row.Ran.Length)
	}
	for i := range all {
		all[i].Height = 1 + int(4*all[i].Ran.Length/longest)
	}
	slices.Reverse(all)
	return all
}

func newBuild(c *call) (*reply, error) {
	p, err := c.buildablePipeline()
	if err != nil {
		return nil, err
	}
	branch := textOrEmpty(p.DefaultBranch)
	if branch == "" {
		branch = "main"
	}
	f := c.newForm("Create build",
		field{Name: "message", Label: "Message", Autofocus: true, Help: "What the build is for. Leave empty to use the " +
			"commit's message."},
		field{Name: "branch", Label: "Branch", Required: true, Code: true, Value: branch},
		field{Name: "commit", Label: "Commit", Required: true, Code: true, Value: "HEAD",
			Help: "HEAD is the branch's latest commit."},
		field{Name: "env", Label: "Environment variables", Kind: "textarea", Rows: 4, Code: true, Placeholder: "NAME=value",
			Help: "One per line."},
		field{Name: "clean_checkout", Label: "Start with a clean checkout", Kind: "checkbox"})
	f.Cancel = c.pipelineLink(p)
	if c.isPost() {
		var faults domain.Faults
		input := domain.BuildInput{Message: f.typed("message"), Branch: strings.TrimSpace(f.typed("branch")),
			Commit: strings.TrimSpace(f.typed("commit")),
			Env:    readEnv(f.typed("env"), &faults), CleanCheckout: f.isChecked("clean_checkout")}
		err := faults.Err()
		if err == nil {
			var made domain.BuildView
			if made, err = c.Builds.CreateBuild(c.ctx(), c.actor(), pipelineRef(p), domain.SourceUI, inputOf(input)); err ==
				nil {
				return c.redirect(c.linkToBuild(made.OrganizationSlug, made.Pipeline.Slug, made.Number), ""), nil
			}
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New build", Section: "pipelines",
		Crumbs: c.pipelineCrumbs(p, "New build"), View: formView{Form: f}}), nil
}

// buildablePipeline finds the pipeline that the page is about, for who may build it.
func (c *call) buildablePipeline() (p *domain.PipelineView, err error) {
	mayBuild := []bool{false}
	one, err := c.findPipeline(func(r *read.Snapshot, _ *read.Organization, p *domain.PipelineView) (err error) {
		mayBuild, err = r.PipelinePermitted([]*domain.PipelineView{p}, authz.WriteBuild)
		return err
	})
	return one.Pipeline, requirePermission(err, mayBuild[0])
}

// buildView is the page of a build.
type buildView struct {
	Build       buildRow
	InAll       duration // from the first job to the end, if the build has been resumed since; zero otherwise
	Sections    []stepSection
	More        int // steps that are not shown
	Everything  string
	FailedOnly  string // address of the page with failed jobs alone; empty: none failed
	AllJobs     string // address of the page with all jobs, if failed ones alone are shown
	Failed      int    // jobs that can be retried
	MayBuild    bool   // the user may cancel, retry and rebuild
	Source      string
	MetaData    []pairOfTexts
	Env         []pairOfTexts
	Annotations []annotationView
	Artifacts   artifactsView
	Tests       testsView
	Notices     []noticeRow
	Unsent      int // notices that could not be sent

	Shown    string // timeline, graph, or empty for the list of steps
	Views    []buildViewLink
	Timeline *timelineView
	Graph    *graphView
}

// buildViewLink leads to one of the ways in which the page shows a build's jobs.
type buildViewLink struct {
	Label, To, Key string
	Current        bool
}

// buildViews are the ways to show a build's jobs.
var buildViews = []buildViewLink{{Label: "Steps"}, {Label: "Timeline", To: "timeline", Key: "i"},
	{Label: "Graph", To: "graph", Key: "g"}}

// maxStepsDrawn is how many steps a timeline or a graph is made of at most.
const maxStepsDrawn = 2_000

// showAs makes the view the one that the address asks for.
func (c *call) showAs(view *buildView, of *builds.BuildPage) {
	for _, v := range buildViews {
		v.Current, v.To = v.To == view.Shown, c.withQuery(map[string]string{"view": v.To, "show": "", "zoom": "",
			"steps": ""})
		view.Views = append(view.Views, v)
	}
	if view.Shown == "" {
		return
	}
	plan, left := newBuildPlan(&of.Build, of.Dependencies)
	if view.Shown == "graph" {
		graph := c.newGraph(&of.Build, plan, left)
		view.Graph = &graph
		return
	}
	timeline := c.newTimeline(&of.Build, plan)
	view.Timeline = &timeline
}

// pairOfTexts is a value with its name.
type pairOfTexts struct{ Name, Value string }

func sortedPairs(values map[string]string) (pairs []pairOfTexts) {
	for name, value := range values {
		pairs = append(pairs, pairOfTexts{name, value})
	}
	slices.SortFunc(pairs, func(a, b pairOfTexts) int { return strings.Compare(a.Name, b.Name) })
	return pairs
}

// maxStepsShown is how many steps a build's page shows at once.
const maxStepsShown = 200

// maxJobsOfStep is how many parallel jobs of a step it shows at once.
const maxJobsOfStep = 50

// readBuild reads the build that the page is about, and whether the user may change it.
func (c *call) readBuild(parts builds.BuildParts) (b domain.BuildView, mayBuild bool, err error) {
	if b, err = c.Builds.Build(c.ctx(), c.actor(), c.build(), parts); err != nil {
		return b, false, err
	}
	if err := c.requireCurrentSlug(&b.Pipeline); err != nil {
		return b, false, err
	}
	err = c.readOrganization(func(r *read.Snapshot, _ *read.Organization) error {
		may, err := r.PipelinePermitted([]*domain.PipelineView{&b.Pipeline}, authz.WriteBuild)
		mayBuild = err == nil && may[0]
		return err
	})
	return b, mayBuild, err
}

func showBuild(c *call) (*reply, error) {
	limits := builds.PageLimits{Steps: maxStepsShown, Annotations: annotationsShown, Artifacts: artifactsShown}
	if c.query("steps") == "all" {
		limits.Steps = 0
	}
	shown := c.query("view")
	if shown == "timeline" || shown == "graph" {
		limits.Steps, limits.Dependencies = maxStepsDrawn, true
	} else {
		shown = ""
	}
	read, err := c.Builds.BuildPage(c.ctx(), c.actor(), c.build(), limits)
	if err != nil {
		return nil, err
	}
	b, mayBuild := read.Build, read.MayBuild
	if err := c.requireCurrentSlug(&b.Pipeline); err != nil {
		return nil, err
	}
	view := buildView{Build: c.buildRow(&b), MayBuild: mayBuild, Source: describeSource(b.Source),
		MetaData: sortedPairs(b.MetaData), Env: sortedPairs(b.Env)}
	view.InAll, view.Shown = c.durationInAll(&b), shown
	c.showAs(&view, &read)
	hasFailed := slices.ContainsFunc(read.Failed, isFailedJob)
	if c.query("show") == "failed" && hasFailed {
		b.Jobs = slices.DeleteFunc(slices.Clone(read.Failed), func(j *domain.JobView) bool { return !isFailedJob(j) })
		read.StepsLeft, view.AllJobs = 0, c.withQuery(map[string]string{"show": ""})
	} else if hasFailed && len(b.Jobs) > 1 && shown == "" {
		view.FailedOnly = c.withQuery(map[string]string{"show": "failed"})
	}
	if shown == "" {
		view.Sections = c.arrangeSteps(&b, mayBuild)
	}
	if limits.Steps > 0 {
		view.Sections = limitJobs(view.Sections)
		view.More, view.Everything = int(read.StepsLeft), c.withQuery(map[string]string{"steps": "all"})
	}
	if view.Annotations, err = showAnnotations(read.Annotations, nil); err != nil {
		return nil, err
	}
	if shown == "" {
		view.Tests = c.showTests(&read, "")
	}
	if shown != "" { // a drawing leaves the rest to the list of steps
		view.MetaData, view.Env, read.Artifacts, read.Notices = nil, nil, domain.Paged[*domain.ArtifactView]{}, nil
	}
	if view.Artifacts, err = c.showArtifacts(read.Artifacts, b.Jobs, nil); err != nil {
		return nil, err
	}
	for _, n := range read.Notices {
		view.Notices = append(view.Notices, noticeRow{NoticeView: &domain.NoticeView{Notice: n}, Words: noticeWords[n.State]})
		if n.State == domain.NoticeFailed {
			view.Unsent++
		}
	}
	for _, j := range read.Failed {
		if mayBuild && isRetryable(&b, j) && j.ShownState() != "passed" && !j.SoftFailed {
			view.Failed++
		}
	}
	p := page{template: "build", Title: "Build #" + strconv.FormatInt(b.Number, 10), Section: "pipelines", View: view,
		State: view.Build.State, Crumbs: c.buildCrumbs(&b, ""), HasSecret: len(view.Env) > 0}
	if !b.State.HasEnded() {
		p.Reloads = 5
	}
	return c.show(p), nil
}

// isFailedJob reports whether a job counts as failed: it has, and was not tried again.
func isFailedJob(j *domain.JobView) bool {
	class := describeJobState(&j.Job).Class
	return (class == badState || class == softState) && j.RetriedByID == nil
}

// durationInAll returns how long a build has taken since its first job started, if it was resumed after that: its own
// start is then that of the retry.
func (c *call) durationInAll(b *domain.BuildView) duration {
	first := b.StartedAt
	for _, j := range b.Jobs {
		if j.StartedAt != nil && first != nil && j.StartedAt.Before(*first) {
			first = j.StartedAt
		}
	}
	if first == nil || b.StartedAt.Sub(*first) < time.Second {
		return duration{}
	}
	return durationOf(first, b.FinishedAt, c.Now())
}

// buildCrumbs is the way to a build, or to a page below it.
func (c *call) buildCrumbs(b *domain.BuildView, last string) []crumb {
	crumbs := []crumb{{"Pipelines", c.organizationLink("pipelines")}, {b.Pipeline.Name, c.pipelineLink(&b.Pipeline)}}
	name := "#" + strconv.FormatInt(b.Number, 10)
	if last == "" {
		return append(crumbs, crumb{Label: name})
	}
	return append(crumbs, crumb{name, c.buildsLink(c.R.PathValue("number"))}, crumb{Label: last})
}

func cancelBuild(c *call) (*reply, error) {
	b, mayBuild, err := c.readBuild(builds.BuildParts{})
	if err := requirePermission(err, mayBuild); err != nil {
		return nil, err
	}
	to := c.buildsLink(c.R.PathValue("number"))
	return c.confirm(confirmation{
		Title: "Cancel build #" + strconv.FormatInt(b.Number, 10) + "?",
		Text: "Running jobs are stopped, and waiting ones don't run. You can rebuild a canceled build, but you can't " +
			"retry its jobs.",
		Button: "Cancel build", Cancel: to, Keep: "Keep running", Section: "pipelines", Crumbs: c.buildCrumbs(&b, "Cancel"),
	}, func() error {
		_, err := c.Builds.CancelBuild(c.ctx(), c.actor(), c.build())
		return err
	}, to, "Build canceled.")
}

func rebuildBuild(c *call) (*reply, error) {
	made, err := c.Builds.RebuildBuild(c.ctx(), c.actor(), c.build(), domain.SourceUI)
	if err != nil {
		return nil, err
	}
	return c.redirect(c.buildsLink(strconv.FormatInt(made.Number, 10)), "Rebuilt from #"+c.R.PathValue("number")+"."), nil
}

func retryFailedJobs(c *call) (*reply, error) {
	_, retried, err := c.Builds.RetryFailedJobs(c.ctx(), c.actor(), c.build(), inputOf([]string(nil)))
	if err != nil {
		return nil, err
	}
	message := "Retrying " + countNoun(retried, "job", "jobs") + "."
	if retried == 0 {
		message = "No job can be retried."
	}
	return c.redirect(c.buildsLink(c.R.PathValue("number")), message), nil
}
