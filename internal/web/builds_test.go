package web_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// releaseSteps are steps of all kinds.
const releaseSteps = `
steps:
  - {label: ":hammer: Compile", key: compile, command: make}
  - group: "Checks"
    steps:
      - {label: Test, key: test, command: make test, parallelism: 3}
      - label: "Lint {{matrix}}"
        command: make lint
        matrix: [go, web]
  - wait
  - {label: Only elsewhere, command: x, if: build.branch == "nowhere"}
  - block: Ship it?
    key: ship
    prompt: Read the notes first.
    submit: Ship
    depends_on: []
    fields:
      - {text: Release name, key: name, hint: "Such as 1.2", format: "[0-9.]+"}
      - select: Channel
        key: channel
        default: stable
        options: [{label: Stable, value: stable}, {label: Beta, value: beta}]
      - select: Regions
        key: regions
        multiple: true
        required: false
        options: [{label: North, value: north}, {label: South, value: south}]
  - {label: Deploy, command: make deploy, depends_on: ship}
`

const release = acme + "/pipelines/release"

// withReleases makes a pipeline with those steps.
func (s *site) withReleases(t *testing.T, steps string) {
	t.Helper()
	_, err := s.Service.CreatePipeline(t.Context(), s.adminToken(), domain.OrganizationRef{Slug: "acme-inc"}, core.Value(domain.PipelineInput{
		Name: domain.Some("Release"), Repository: domain.Some("git@example.com:acme/release.git"), ClusterID: domain.Some(testkit.MaintainedID), Configuration: domain.Some(steps),
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// withBuild makes a pipeline with releaseSteps, and a build of it, whose address it returns.
func (s *site) withBuild(t *testing.T) string {
	t.Helper()
	s.withReleases(t, releaseSteps)
	return s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Mend the pump\n\nIt leaked.", Env: map[string]string{"LEVEL": "3"}})
}

// createBuildAs makes a build of a pipeline for somebody.
func (s *site) createBuildAs(t *testing.T, actor authz.Actor, pipeline string) {
	t.Helper()
	ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: pipeline}
	if _, err := s.Builds.CreateBuild(t.Context(), actor, ref, domain.SourceUI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"})); err != nil {
		t.Fatal(err)
	}
}

func (s *site) createBuild(t *testing.T, input domain.BuildInput) string {
	t.Helper()
	ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "release"}
	b, err := s.Builds.CreateBuild(t.Context(), s.adminToken(), ref, domain.SourceAPI, core.Value(input))
	if err != nil {
		t.Fatal(err)
	}
	return "/acme-inc/release/builds/" + strconv.FormatInt(b.Number, 10)
}

// jobOf returns the id of the first job of a build with that label.
func (s *site) jobOf(t *testing.T, build, label string) string {
	t.Helper()
	number, err := strconv.ParseInt(build[strings.LastIndex(build, "/")+1:], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	ref := domain.BuildRef{Pipeline: domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "release"}, Number: number}
	b, err := s.Builds.Build(t.Context(), s.adminToken(), ref, builds.BuildParts{Jobs: &domain.JobFilter{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range b.Jobs {
		if strings.Contains(j.Label, label) {
			return string(j.ID)
		}
	}
	t.Fatalf("the build has no job %s", label)
	return ""
}

func TestParallelJobsAreNumberedOnce(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, `steps: [{label: "Part %N of %t", command: x, parallelism: 3}, {label: Whole, command: x, parallelism: 2}]`)
		shown := s.signedIn("admin@example.com").get(s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main"})).want(t, http.StatusOK, "Part 1 of 3", "Part 3 of 3", "Part … of 3", "Whole 1/2", "Whole 2/2")
		if strings.Contains(shown.Body, "of 3 1/3") || strings.Contains(shown.Body, "%N") {
			t.Errorf("a job is numbered twice, or not: %s", shown.Body)
		}
	})
}

var _ = addPages(buildPages)

var buildPages = map[string]pageCase{
	inOrganizationPath + "/agents":                                               {path: acme + "/agents", says: "No agents are connected"},
	inOrganizationPath + "/agents/events":                                        {path: "/organizations/nowhere/agents/events", says: "No organization found"},
	inOrganizationPath + "/builds":                                               {path: acme + "/builds", says: "No builds yet"},
	inOrganizationPath + "/builds/events":                                        {path: "/organizations/nowhere/builds/events", says: "No organization found"},
	inOrganizationPath + "/pipelines/{pipeline}/events":                          {path: acme + "/pipelines/nothing/events", says: "No pipeline found"},
	inOrganizationPath + "/agents/{agent}":                                       {path: acme + "/agents/x", says: "No agent found"},
	inOrganizationPath + "/agents/{agent}/pause":                                 {path: acme + "/agents/x/pause", says: "No agent found"},
	inOrganizationPath + "/agents/{agent}/stop":                                  {path: acme + "/agents/x/stop", says: "No agent found"},
	"/{organization}/{pipeline}/builds":                                          {path: "/acme-inc/web/builds", moved: web1},
	"/{organization}/{pipeline}/builds/new":                                      {path: "/acme-inc/web/builds/new", says: "Environment variables"},
	"/{organization}/{pipeline}/builds/{number}":                                 {path: "/acme-inc/web/builds/7", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/cancel":                          {path: "/acme-inc/web/builds/7/cancel", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/events":                          {path: "/acme-inc/web/builds/7/events", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}":                      {path: "/acme-inc/web/builds/7/jobs/x", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/log":                  {path: "/acme-inc/web/builds/7/jobs/x/log", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/log.txt":              {path: "/acme-inc/web/builds/7/jobs/x/log.txt", says: "No build found"},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/artifacts/{artifact}": {path: "/acme-inc/web/builds/7/jobs/x/artifacts/y", says: "No "},
	"/{organization}/{pipeline}/builds/{number}/jobs/{job}/unblock":              {path: "/acme-inc/web/builds/7/jobs/x/unblock", says: "No build found"},
}

// Pages of builds are below their organization's other pages too.
var _ = addPages(belowPipelines())

func belowPipelines() map[string]pageCase {
	cases := map[string]pageCase{}
	for pattern, c := range buildPages {
		if below, found := strings.CutPrefix(pattern, "/{organization}/{pipeline}"); found {
			c.path = strings.Replace(c.path, "/acme-inc/", "/organizations/acme-inc/pipelines/", 1)
			cases[inOrganizationPath+"/pipelines/{pipeline}"+below] = c
		}
	}
	return cases
}

// An organization whose slug other addresses begin with, from before that was refused, has its pages of builds elsewhere.
func TestBuildsOfAnOrganizationWithAReservedSlug(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, releaseSteps)
		testkit.Exec(t, s.DB, `UPDATE organizations SET slug = 'v2' WHERE slug = 'acme-inc'`)
		s.Bootstrap("organizations: [{slug: v2, name: Acme Inc}]") // which is there already
		b := s.signedIn("admin@example.com")
		const builds = "/organizations/v2/pipelines/release/builds"
		b.get("/organizations/v2/pipelines/release").want(t, http.StatusOK, builds+"/new")
		b.submit(builds+"/new", "message", "Mend the pump", "branch", "main", "commit", "HEAD").wantRedirect(t, builds+"/1")
		a := b.get(builds+"/1").want(t, http.StatusOK, "Mend the pump", builds+"/1/cancel", builds+"/1/events", builds+"/1/jobs/")
		checkMarkup(t, a)
		if strings.Contains(a.Body, `"/v2/`) {
			t.Errorf("a link leads to the API: %s", a.Body)
		}
		b.get("/organizations/v2").want(t, http.StatusOK, builds+"/1")
		b.get("/organizations/v2/builds").want(t, http.StatusOK, builds+"/1")
		b.get("/organizations/v2/search?q=pump").want(t, http.StatusOK, builds+"/1")
		b.submit(builds+"/1/cancel").wantRedirect(t, builds+"/1")
	})
}

func TestBuildIsCreatedShownAndListed(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, releaseSteps)
		b := s.signedIn("admin@example.com")
		b.get(release).want(t, http.StatusOK, "No builds yet", "/acme-inc/release/builds/new")
		b.submit("/acme-inc/release/builds/new", "message", "x", "branch", "", "commit", " ", "env", "nonsense").want(t, http.StatusUnprocessableEntity, "Line 1 of the environment variables")
		b.submit("/acme-inc/release/builds/new", "message", "x", "branch", "", "commit", " ").want(t, http.StatusUnprocessableEntity, "Branch can&#39;t be blank", "Commit can&#39;t be blank")
		b.submit("/acme-inc/release/builds/new", "message", "Mend the pump", "branch", "main", "commit", "HEAD", "env", "LEVEL=3").wantRedirect(t, "/acme-inc/release/builds/1")
		shown := b.get("/acme-inc/release/builds/1").want(t, http.StatusOK, "Mend the pump", "🔨 Compile", "Checks", "Test 1/3", "Test 3/3", "Lint web", "Waiting for an agent", "its condition is false",
			"Ship it?", "Waiting to be unblocked", "Read the notes first.", "LEVEL", "through the web interface", `http-equiv="refresh"`, "/acme-inc/release/builds/1/cancel")
		checkMarkup(t, shown)
		compile := s.jobOf(t, "/1", "Compile")
		if !strings.Contains(shown.Body, `id="`+compile+`"`) {
			t.Error("a job has no anchor")
		}

		s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "feature/<b>", Message: attack})
		for query, want := range map[string][2]bool{ // of the builds 1 and 2
			"": {true, true}, "?branch=main": {true, false}, "?branch=feature/*": {false, true}, "?branch=ma": {false, false}, "?state=scheduled": {true, true},
			"?state=passed": {false, false}, "?state=nonsense": {true, true}, "?page=2": {false, false},
		} {
			list := regexp.MustCompile(`(?s)<div id="list".*`).FindString(b.get(release+query).want(t, http.StatusOK).Body)
			if got := [2]bool{strings.Contains(list, `href="/acme-inc/release/builds/1"`), strings.Contains(list, `href="/acme-inc/release/builds/2"`)}; got != want {
				t.Errorf("%s shows %v, want %v", query, got, want)
			}
		}
		b.get(release).wantHarmless(t, 1)
		b.get("/acme-inc/release/builds/2").wantHarmless(t, 1)
		b.get("/acme-inc/release/builds").wantRedirect(t, release)
		b.get("/acme-inc/release/builds/3").want(t, http.StatusNotFound, "No build found")
		b.get("/acme-inc/release/builds/soon").want(t, http.StatusNotFound, "No build found")
		s.signedIn("outsider@example.com").get("/acme-inc/release/builds/1").want(t, http.StatusNotFound)
		s.browser().get("/acme-inc/release/builds/1").wantRedirect(t, "/sign-in?return_to=%2Facme-inc%2Frelease%2Fbuilds%2F1")
	})
}

func TestAnnotationsAreShownHarmless(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		build := s.withBuild(t)
		ref := domain.BuildRef{Pipeline: domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "release"}, Number: 1}
		for context, body := range map[string]string{"a": "All is **good** :rocket: `:rocket:`", "b": attack + "<script>alert(1)</script><style>*{display:none}</style><p onclick='x' style='color:red'>z</p>"} {
			if _, err := s.Builds.AnnotateBuild(t.Context(), s.adminToken(), ref, core.Value(domain.AnnotationInput{Body: body, Context: context, Style: "warning"})); err != nil {
				t.Fatal(err)
			}
		}
		shown := s.signedIn("member@example.com").get(build).want(t, http.StatusOK, "All is <strong>good</strong> 🚀 <code>:rocket:</code>", `class="annotation is-soft"`).Body
		for _, harm := range []string{"<script>alert", "onerror=", "onclick=", `"javascript:`, "<style", "style="} {
			if strings.Contains(shown, harm) {
				t.Errorf("an annotation brings %s", harm)
			}
		}
	})
}

func TestBuildIsUnblocked(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		build := s.withBuild(t)
		b := s.signedIn("admin@example.com")
		job := s.jobOf(t, build, "Ship")
		form := build + "/jobs/" + job + "/unblock"
		checkMarkup(t, b.get(form).want(t, http.StatusOK, "Ship it?", "Read the notes first.", "Release name", "Such as 1.2", "Stable", "North", ">Ship</button>"))
		b.submit(form, "unblock_name", "one", "unblock_channel", "stable").want(t, http.StatusUnprocessableEntity, "must match")
		b.submit(form, "unblock_name", "", "unblock_channel", "stable").want(t, http.StatusUnprocessableEntity, "Release name can&#39;t be blank")
		b.submit(form, "unblock_name", "1.2", "unblock_channel", "nightly").want(t, http.StatusUnprocessableEntity, "must be one of the options")
		b.submit(form, "unblock_name", "1.2", "unblock_channel", "beta", "unblock_regions", "north", "unblock_regions", "south").wantRedirect(t, build+"#"+job)
		b.get(build).want(t, http.StatusOK, "Job unblocked.", "Unblocked", "<pre>1.2</pre>", "<pre>beta</pre>", "<pre>north\nsouth</pre>")
		b.submit(form, "unblock_name", "1.2", "unblock_channel", "beta").want(t, http.StatusUnprocessableEntity, "already been unblocked")
		b.get(build+"/jobs/"+s.jobOf(t, build, "Compile")+"/unblock").want(t, http.StatusNotFound)
	})
}

func TestBuildIsCanceledAndBuiltAgain(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		build := s.withBuild(t)
		b := s.signedIn("admin@example.com")
		compile := s.jobOf(t, build, "Compile")
		b.submitTo(build, build+"/jobs/"+compile+"/retry").want(t, http.StatusBadRequest, "Only failed, timed out or canceled jobs")
		b.submitTo(build, build+"/retry").wantRedirect(t, build)
		b.get(build).want(t, http.StatusOK, "No job can be retried.")
		b.submitTo(build, build+"/jobs/"+compile+"/cancel").wantRedirect(t, build+"#"+compile)
		b.submitTo(build, build+"/jobs/"+compile+"/retry")
		b.get(build).want(t, http.StatusOK, "Job retried.", "1 earlier attempt")
		b.get(build+"/cancel").want(t, http.StatusOK, "Cancel build #1?", ">Keep running</a>")
		b.submit(build+"/cancel").wantRedirect(t, build)
		shown := b.get(build).want(t, http.StatusOK, "Build canceled.", "Canceled", "Rebuild").Body
		if strings.Contains(shown, "/unblock") || strings.Contains(shown, `http-equiv="refresh"`) {
			t.Error("a canceled build can be unblocked, or is expected to change")
		}
		b.submit(build+"/cancel").want(t, http.StatusUnprocessableEntity, "already finished")
		b.submitTo(build, build+"/rebuild").wantRedirect(t, "/acme-inc/release/builds/2")
		b.get("/acme-inc/release/builds/2").want(t, http.StatusOK, "Mend the pump", "rebuilt from", `href="/acme-inc/release/builds/1"`)
	})
}

func TestWhoMayBuild(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		build := s.withBuild(t)
		s.signedIn("admin@example.com").submit(release+"/teams/add", "team_id", testkit.TeamID, "access_level", "build_and_read").wantRedirect(t, release+"/teams/add")
		member := s.signedIn("member@example.com")
		shown := member.get(build).want(t, http.StatusOK, "Mend the pump").Body
		for _, offered := range []string{"/cancel", "/retry", "/rebuild", "/unblock"} {
			if strings.Contains(shown, offered) {
				t.Errorf("%s is offered to who may not build", offered)
			}
		}
		if strings.Contains(member.get(release).want(t, http.StatusOK).Body, "New build") {
			t.Error("a new build is offered to who may not build")
		}
		member.get("/acme-inc/release/builds/new").want(t, http.StatusForbidden)
		job := s.jobOf(t, build, "Ship")
		for _, path := range []string{"/cancel", "/retry", "/rebuild", "/jobs/" + job + "/unblock", "/jobs/" + job + "/retry", "/jobs/" + job + "/cancel"} {
			member.submitTo(build, build+path, "unblock_name", "1").want(t, http.StatusForbidden)
		}
		teammate := s.signedIn("teammate@example.com")
		teammate.submit(build+"/jobs/"+job+"/unblock", "unblock_name", "1", "unblock_channel", "beta").wantRedirect(t, build+"#"+job)
		teammate.submit(build+"/cancel").wantRedirect(t, build)
	})
}

// TestPagesSayAsWhatABuildCounts shows the origin of a triggered build whose branch is not its own.
func TestPagesSayAsWhatABuildCounts(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		pipeline := s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: x}]`)
		s.buildOf(pipeline, "evil", "One")
		s.buildOf(pipeline, "main", "Two")
		b := s.signedIn("admin@example.com")
		build := acme + "/pipelines/shop/builds/2"
		job := build + "/jobs/" + s.Get(testkit.AdminToken, pipeline+"/builds/2").Want(t, http.StatusOK).Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
		setOrigin := func(branch string) {
			t.Helper()
			testkit.Change(t, s.DB, `UPDATE builds SET origin_branch = $1, origin_tag = '', origin_build_id = (SELECT id FROM builds WHERE number = 1 AND branch = $1) WHERE number = 2`, branch)
		}
		for _, page := range []string{build, job} {
			setOrigin("main")
			if body := b.get(page).want(t, http.StatusOK).Body; strings.Contains(body, "Counts as") {
				t.Errorf("%s says as what a build of the same branch counts", page)
			}
			setOrigin("evil")
			b.get(page).want(t, http.StatusOK, "Counts as a build of branch <code>evil</code>", "its origin is <a href=", "shop #1")
			setOrigin("")
			b.get(page).want(t, http.StatusOK, "Counts as a build of no branch", "its origin is gone")
		}
		testkit.Change(t, s.DB, `UPDATE builds SET origin_branch = $1 WHERE number = 2`, attack)
		b.get(job).want(t, http.StatusOK).wantHarmless(t, 1)
	})
}

// The page of a build with many steps reads the jobs of the first ones, in one state of the database, and says how many are left.
func TestABuildsPageReadsOnlyWhatItShows(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		const steps, shown = 205, 200
		var text strings.Builder
		text.WriteString("steps:\n")
		for i := range steps {
			text.WriteString("  - {label: \"step-" + strconv.Itoa(i) + "-\", command: x}\n")
		}
		s.withReleases(t, text.String())
		address := s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Many"})
		testkit.Exec(t, s.DB, `UPDATE job_runs SET state = 'finished', outcome = 'hard_failed', exit_status = 1
			WHERE job_id IN (SELECT j.id FROM jobs j JOIN build_steps st ON st.id = j.step_id WHERE st.label IN ('step-3-', 'step-204-'))`)
		ref := domain.BuildRef{Pipeline: domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "release"}, Number: 1}
		before := s.DB.Statements()
		page, err := s.Builds.BuildPage(t.Context(), s.adminToken(), ref, builds.PageLimits{Steps: shown, Annotations: 10, Artifacts: 10})
		if err != nil || len(page.Build.Jobs) != shown || page.StepsLeft != steps-shown || len(page.Failed) != 2 || !page.MayBuild {
			t.Errorf("%d jobs are read, %d steps left, %d jobs failed, may build: %v: %v", len(page.Build.Jobs), page.StepsLeft, len(page.Failed), page.MayBuild, err)
		}
		if statements := s.DB.Statements() - before; statements > 20 {
			t.Errorf("it took %d statements", statements)
		}
		admin := s.signedIn("admin@example.com")
		short := admin.get(address).want(t, http.StatusOK, "Show 5 more steps", "step-0-", "step-199-", "Retry 2 failed jobs")
		if strings.Contains(short.Body, "step-200-") {
			t.Error("the page shows more than the first steps")
		}
		admin.get(address+"?steps=all").want(t, http.StatusOK, "step-204-")
	})
}

func TestRetriedBuildSaysHowLongItTookInAll(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		worker := s.connectWorker(s.agentToken(), "runner", "queue=default")
		build := s.buildOf(s.pipelineWith("Shop", "shop", `steps: [{label: Test, command: x}]`), "main", "Change the cart")
		job := worker.take()
		job.write("~~~ Preparing working directory\n$ git clone\nfatal: no such repository\n^^^ +++\n")
		job.finish(128)
		b := s.signedIn("admin@example.com")
		if a := b.get(build).want(t, http.StatusOK, "<title>Failed · Build #1", "icon-bad.svg"); strings.Contains(a.Body, "resumed") {
			t.Error("a build is resumed that was not")
		}
		b.get(build+"/jobs/"+job.ID).want(t, http.StatusOK, "couldn't check out the repository", "git@example.com:acme/shop.git")
		testkit.Change(t, s.DB, `UPDATE job_runs SET started_at = started_at - $1, finished_at = finished_at - $1`, (20 * time.Minute).Microseconds())
		b.submitTo(build, build+"/retry").wantRedirect(t, build)
		job = worker.take()
		job.write("~~~ Preparing working directory\n~~~ Running commands\nno\n")
		job.finish(1)
		b.get(build).want(t, http.StatusOK, `since it was resumed, <span class="duration">20m`, "in all")
		if a := b.get(build + "/jobs/" + job.ID); strings.Contains(a.Body, "check out the repository") {
			t.Error("a command that failed is a checkout that failed")
		}
	})
}

// TestALongListOfBuildsSaysThatItIsLonger has more builds than a page counts.
func TestALongListOfBuildsSaysThatItIsLonger(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, "steps: [{command: x}]")
		pipeline := ""
		err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
			_, err := tx.One(`SELECT id FROM pipelines WHERE slug = 'release'`, func(r *db.Row) { pipeline = r.Text() })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		testkit.AddBuilds(t, s.DB, pipeline, 1, 10_041, "main", testkit.AdminID)
		for _, path := range []string{"/organizations/acme-inc/builds", "/organizations/acme-inc/pipelines/release"} {
			shown := s.signedIn("admin@example.com").get(path).want(t, http.StatusOK, "1–30 of more than 10,030 builds", `rel="next"`)
			if strings.Contains(shown.Body, ">Last</a>") {
				t.Errorf("%s links to a last page, which it can't know", path)
			}
		}
	})
}
