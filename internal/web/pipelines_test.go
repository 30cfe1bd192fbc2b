package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// pagesFixture is what a site has besides testkit.Fixture.
const pagesFixture = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    pipelines:
      - {id: ` + pipelineID + `, name: Web, repository: "git@example.com:acme/web.git", cluster: Maintained}
`

const (
	pipelineID = "0190a000-0000-7000-8000-000000000061"
	acme       = "/organizations/acme-inc"
	web1       = acme + "/pipelines/web"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/pipelines":                                {path: acme + "/pipelines", says: "git@example.com:acme/web.git"},
	inOrganizationPath + "/new-pipeline":                             {path: acme + "/new-pipeline", says: "Environment variables"},
	inOrganizationPath + "/pipelines/{pipeline}":                     {path: web1, says: "No builds yet"},
	inOrganizationPath + "/pipelines/{pipeline}/about":               {path: web1 + "/about", says: "no steps yet"},
	inOrganizationPath + "/pipelines/{pipeline}/settings":            {path: web1 + "/settings", says: "Archive and delete"},
	inOrganizationPath + "/pipelines/{pipeline}/archive":             {path: web1 + "/archive", says: "Archive the pipeline"},
	inOrganizationPath + "/pipelines/{pipeline}/delete":              {path: web1 + "/delete", says: "Delete the pipeline"},
	inOrganizationPath + "/pipelines/{pipeline}/teams":               {path: web1 + "/teams", says: "No team has access yet"},
	inOrganizationPath + "/pipelines/{pipeline}/teams/add":           {path: web1 + "/teams/add", says: "Platform"},
	inOrganizationPath + "/pipelines/{pipeline}/teams/{team}/remove": {path: web1 + "/teams/" + testkit.TeamID + "/remove", says: "Remove access to"},
})

// everyPipelineField are names and values of a form with a value in every field.
var everyPipelineField = []string{
	"name", "Web App", "description", "The shop", "repository", "https://example.com/acme/shop.git", "cluster_id", testkit.MaintainedID,
	"visibility", "public", "emoji", ":rocket:", "color", "#A9CCE3", "tags", "ruby\r\nfront end\r\n", "configuration", "steps:\r\n  - command: make\r\n",
	"default_branch", "trunk", "branch_configuration", "trunk release/*", "skip_queued_branch_builds", "on", "skip_queued_branch_builds_filter", "!trunk",
	"cancel_running_branch_builds", "on", "cancel_running_branch_builds_filter", "feature/*", "default_command_step_timeout", "10",
	"maximum_command_step_timeout", "60", "scheduled_job_expiry_in_minutes", "90", "env", "A=1\r\nB=x=y\r\nC=\"two\\nlines\"\r\n", "team_uuids", testkit.TeamID,
}

func TestPipelineIsCreatedWithEveryField(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.submit(acme+"/new-pipeline", everyPipelineField...).wantRedirect(t, acme+"/pipelines/web-app")
		b.get(acme+"/pipelines/web-app").want(t, http.StatusOK, "Pipeline created.", "Web App", "The shop")
		b.get(acme+"/pipelines/web-app/about").want(t, http.StatusOK, "https://example.com/acme/shop.git", "Public", "trunk",
			"Queued builds of its branch are skipped, running ones are canceled", "Not allowed", "10 min default, 60 min maximum",
			"Expire after 90 min", "front end", "- command: make", "🚀")
		b.get(acme+"/pipelines/web-app/teams").want(t, http.StatusOK, "Platform", "Manage, build and read")
		s.Patch(testkit.AdminToken, "/v2"+acme+"/pipelines/web-app", `{"default_command_step_timeout": 0, "scheduled_job_expiry_in_minutes": 0}`).
			Want(t, http.StatusOK)
		b.get(acme+"/pipelines/web-app/about").want(t, http.StatusOK, "No default, 60 min maximum", "Expire at the organization")

		p := s.Get(testkit.AdminToken, "/v2"+acme+"/pipelines/web-app").Want(t, http.StatusOK).Object()
		env, _ := p["env"].(map[string]any)
		if env["A"] != "1" || env["B"] != "x=y" || env["C"] != "two\nlines" || len(env) != 3 {
			t.Errorf("env is %v", env)
		}
		if p["configuration"] != "steps:\n  - command: make\n" || p["allow_rebuilds"] != false || p["branch_configuration"] != "trunk release/*" {
			t.Errorf("the pipeline is %v", p)
		}

		// What the settings show, sent as it is, changes nothing.
		before := s.Get(testkit.AdminToken, "/v2"+acme+"/pipelines/web-app").Body
		settings := b.get(acme+"/pipelines/web-app/settings").want(t, http.StatusOK, "C=&#34;two\\nlines&#34;", "ruby\nfront end")
		b.resubmit(settings, acme+"/pipelines/web-app/settings").wantRedirect(t, acme+"/pipelines/web-app/settings")
		if after := s.Get(testkit.AdminToken, "/v2"+acme+"/pipelines/web-app").Body; string(after) != string(before) {
			t.Errorf("saving changed the pipeline: %s, then %s", before, after)
		}
		b.resubmit(settings, acme+"/pipelines/web-app/settings", "name", "New", "next_build_number", "7").wantRedirect(t, acme+"/pipelines/new/settings")
		b.get(acme+"/pipelines/new/about").want(t, http.StatusOK, "#7") // a name that an address could be taken for
	})
}

func TestPagesOfAFormerSlugLeadToThePresentOne(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		s.Patch(testkit.AdminToken, "/v2"+web1, `{"configuration": "steps: [{command: make}]"}`).Want(t, http.StatusOK)
		s.Post(testkit.AdminToken, "/v2"+web1+"/builds", `{"commit": "HEAD", "branch": "main"}`).Want(t, http.StatusCreated)
		s.Patch(testkit.AdminToken, "/v2"+web1, `{"slug": "shop"}`).Want(t, http.StatusOK)
		const now = acme + "/pipelines/shop"
		for old, present := range map[string]string{
			web1: now, web1 + "/about": now + "/about", web1 + "/settings": now + "/settings", web1 + "?branch=a%2Fb": now + "?branch=a%2Fb",
			"/acme-inc/web/builds/1": "/acme-inc/shop/builds/1", web1 + "/builds/1": now + "/builds/1",
		} {
			b.get(old).wantRedirect(t, present)
			b.get(present).want(t, http.StatusOK)
		}
		b.get(acme+"/pipelines/none").want(t, http.StatusNotFound)
		s.Post(testkit.AdminToken, "/v2"+acme+"/pipelines", `{"name": "Other", "slug": "web", "repository": "r"}`).Want(t, http.StatusCreated)
		b.get(web1).want(t, http.StatusOK, "Other")
	})
}

func TestPipelineList(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.submit(acme+"/new-pipeline", "name", "Mobile", "repository", "https://example.com/PHONE.git", "visibility", "private").wantRedirect(t, acme+"/pipelines/mobile")
		for query, want := range map[string][2]bool{ // Web, Mobile
			"":                              {true, true},
			"?search=WEB":                   {true, false},
			"?search=phone":                 {false, true},
			"?search=nothing":               {false, false},
			"?search=100%25":                {false, false},
			"?order=RECENTLY_CREATED":       {true, true},
			"?order=NAME&search=acme/web.g": {true, false},
			"?archived=1":                   {false, false},
		} {
			body := b.get(acme+"/pipelines"+query).want(t, http.StatusOK).Body
			if got := [2]bool{strings.Contains(body, ">Web</a>"), strings.Contains(body, ">Mobile</a>")}; got != want {
				t.Errorf("%s shows %v, want %v", query, got, want)
			}
		}
		b.submitTo(acme+"/pipelines/mobile", acme+"/pipelines/mobile/archive").wantRedirect(t, acme+"/pipelines/mobile")
		b.get(acme+"/pipelines/mobile").want(t, http.StatusOK, "Pipeline archived.", "archived")
		b.get(acme+"/pipelines?archived=1").want(t, http.StatusOK, ">Mobile</a>", `<span class="count">1</span>`)
		if body := b.get(acme + "/pipelines").Body; strings.Contains(body, ">Mobile</a>") {
			t.Error("an archived pipeline is listed with the others")
		}
		b.submitTo(acme+"/pipelines/mobile", acme+"/pipelines/mobile/archive").want(t, http.StatusUnprocessableEntity, domain.PipelineAlreadyArchived)
		b.submitTo(acme+"/pipelines/mobile", acme+"/pipelines/mobile/unarchive").wantRedirect(t, acme+"/pipelines/mobile")
		b.submitTo(acme+"/pipelines/mobile", acme+"/pipelines/mobile/unarchive").want(t, http.StatusUnprocessableEntity, domain.PipelineNotArchived)

		b.submitTo(acme+"/pipelines/mobile", acme+"/pipelines/mobile/favorite", "favorite", "on").wantRedirect(t, acme+"/pipelines/mobile")
		b.get(acme+"/pipelines").want(t, http.StatusOK, "Favorite")
		b.submitTo(acme+"/pipelines/mobile", acme+"/pipelines/mobile/favorite").wantRedirect(t, acme+"/pipelines/mobile")

		a := b.get(acme+"/pipelines/mobile/delete").want(t, http.StatusOK, "schedules and other settings", "Type “Mobile” to confirm")
		if strings.Contains(a.Body, "0 teams") || strings.Contains(a.Body, "logs, artifacts") {
			t.Errorf("what there is none of is deleted: %s", a.Body)
		}
		s.createBuildAs(t, s.adminToken(), "mobile")
		b.get(acme+"/pipelines/mobile/delete").want(t, http.StatusOK, "1 build with its logs, artifacts and annotations")
		b.submit(acme+"/pipelines/mobile/delete", "confirm_name", "mobil").want(t, http.StatusUnprocessableEntity, "The name must be “Mobile”")
		b.submit(acme+"/pipelines/mobile/delete", "confirm_name", "Mobile ").wantRedirect(t, acme+"/pipelines")
		b.get(acme+"/pipelines/mobile").want(t, http.StatusNotFound, "No pipeline found")
	})
}

func TestPipelineFaultsStandBesideTheirFields(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		a := b.submit(acme+"/new-pipeline", "name", " ", "repository", "", "visibility", "secret", "configuration", "steps:\n  - command: \"make\n", "env", "A=1\nnonsense\nB=\"x",
			"default_command_step_timeout", "soon", "maximum_command_step_timeout", "-1", "color", "red", "emoji", "rocket", "cluster_id", testkit.ElsewhereID,
			"team_uuids", testkit.ElsewhereID, "tags", strings.Repeat("x", 101), "description", "kept")
		a.want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", "Repository can&#39;t be blank", "Visibility must be", "line 3, column 1", "▲",
			"Line 2 of the environment variables", "Line 3 of the environment variables", "Default timeout must be a whole number", "must be a number of minutes", "Color", "Emoji",
			"Cluster must be", "Teams must be", "Tag", "\nkept</textarea>", "nonsense", `value="soon"`, `value="-1"`, `aria-invalid="true"`)
		checkMarkup(t, a)
		b.submit(acme+"/new-pipeline", "name", "WEB", "repository", "x", "visibility", "private").want(t, http.StatusUnprocessableEntity, "Name has already been taken", `id="field-name-error"`)
		b.submit(acme+"/new-pipeline", "name", "Typo", "repository", "x", "visibility", "private", "configuration", "steps:\n  - wait\n  - comand: make\n").
			want(t, http.StatusUnprocessableEntity, "has a step that can&#39;t run: line 3, column 5", "missing a type", "▲")
		b.get(acme+"/new-pipeline").want(t, http.StatusOK, ".buildkite/pipeline.yml", acme+"/new-pipeline?example=hello")
		b.get(acme+"/new-pipeline?example=hello").want(t, http.StatusOK, `value="Hello"`, "skip: true", "Say hello")
	})
}

func TestStepsAreCheckedWhileOneTypes(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		check := func(configuration string) *answer {
			t.Helper()
			return b.submitTo(acme+"/new-pipeline", acme+"/check-steps", "configuration", configuration)
		}
		for _, a := range []*answer{b.get(acme + "/new-pipeline"), check("steps: []")} {
			a.want(t, http.StatusOK, `id="steps-check"`, `hx-post="`+acme+`/check-steps"`, `from:#field-configuration`)
			checkMarkup(t, a)
		}
		check("steps:\n  - command: make\n").want(t, http.StatusOK, "These steps have no faults.")
		check("steps:\n  - wait\n  - comand: make\n").want(t, http.StatusOK, "has a step that can&#39;t run: line 3, column 5", "▲", "comand: make")
		check(strings.Repeat("#", 256<<10+1)).want(t, http.StatusOK, "maximum is 256 KiB")
		if body := check(" ").want(t, http.StatusOK).Body; strings.Contains(body, "no faults") {
			t.Error("nothing was typed, and it has no faults")
		}
		s.signedIn("outsider@example.com").submitTo("/account", acme+"/check-steps", "configuration", "steps: []").want(t, http.StatusNotFound)
	})
}

func TestWhoMayChangePipelines(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		overview := member.get(web1+"/about").want(t, http.StatusOK, "git@example.com:acme/web.git").Body
		if strings.Contains(overview, web1+"/settings") {
			t.Error("settings are offered to a plain member")
		}
		for _, path := range []string{"/settings", "/archive", "/delete", "/teams/add", "/teams/" + testkit.TeamID + "/remove"} {
			member.get(web1+path).want(t, http.StatusForbidden, "You need access to manage this pipeline")
			member.submitTo(web1, web1+path, "name", "Mine", "team_id", testkit.TeamID).want(t, http.StatusForbidden)
		}
		for _, path := range []string{"/unarchive", "/teams/" + testkit.TeamID} {
			status := member.submitTo(web1, web1+path, "access_level", "read_only").Status
			if status != http.StatusForbidden && status != http.StatusNotFound {
				t.Errorf("%s is %d", path, status)
			}
		}
		s.signedIn("outsider@example.com").get(web1).want(t, http.StatusNotFound)

		// Who makes one may change it, and so may the members of a team with manage access.
		member.submit(acme+"/new-pipeline", "name", "Mine", "repository", "x", "visibility", "private").wantRedirect(t, acme+"/pipelines/mine")
		member.get(acme+"/pipelines/mine/settings").want(t, http.StatusOK)
		teammate := s.signedIn("teammate@example.com")
		teammate.get(web1+"/settings").want(t, http.StatusForbidden)
		admin.submit(web1+"/teams/add", "team_id", testkit.TeamID, "access_level", "manage_build_and_read").wantRedirect(t, web1+"/teams/add")
		admin.submit(web1+"/teams/add", "team_id", testkit.TeamID, "access_level", "read_only").want(t, http.StatusUnprocessableEntity, domain.RepeatedTeamPipeline)
		teammate.get(web1+"/settings").want(t, http.StatusOK)
		admin.submitTo(web1+"/teams", web1+"/teams/"+testkit.TeamID, "access_level", "everything").want(t, http.StatusUnprocessableEntity, "Access level must be")
		admin.submitTo(web1+"/teams", web1+"/teams/"+testkit.TeamID, "access_level", "read_only").wantRedirect(t, web1+"/teams")
		teammate.get(web1+"/settings").want(t, http.StatusForbidden)
		admin.submit(web1+"/teams/"+testkit.TeamID+"/remove").wantRedirect(t, web1+"/teams")
		admin.get(web1+"/teams").want(t, http.StatusOK, "No team has access yet")

		_, err := s.Service.UpdateOrganization(t.Context(), s.actorOf("admin@example.com"), domain.OrganizationRef{Slug: "acme-inc"},
			core.Value(domain.OrganizationPatch{MembersCanCreatePipelines: domain.Some(false)}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if body := member.get(acme + "/pipelines").Body; strings.Contains(body, "New pipeline") {
			t.Error("a new pipeline is offered to who may not make one")
		}
		member.get(acme+"/new-pipeline").want(t, http.StatusForbidden)
		member.submitTo(acme+"/pipelines", acme+"/new-pipeline", "name", "X", "repository", "x").want(t, http.StatusForbidden)
		admin.get(acme+"/new-pipeline").want(t, http.StatusOK)
	})
}

// TestNoPageShowsTheRepositorysPassword shows a member all pages of a pipeline whose repository has a password in its address.
func TestNoPageShowsTheRepositorysPassword(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.Post(testkit.AdminToken, "/v2"+acme+"/pipelines", map[string]any{"name": "Secretive", "slug": "secretive", "repository": "https://user:hunter2@example.com/acme/web.git",
			"cluster_id": testkit.MaintainedID, "configuration": "steps: [{command: x, label: Test}]"}).Want(t, http.StatusCreated)
		s.buildOf("/v2"+acme+"/pipelines/secretive", "main", "One")
		pipeline := acme + "/pipelines/secretive"
		job := s.Get(testkit.AdminToken, "/v2"+pipeline+"/builds/1").Want(t, http.StatusOK).Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		for _, page := range []string{acme + "/pipelines", pipeline, pipeline + "/about", pipeline + "/settings", pipeline + "/teams", pipeline + "/schedules", pipeline + "/triggers", pipeline + "/deliveries",
			pipeline + "/builds/new", pipeline + "/builds/1", pipeline + "/builds/1/jobs/" + job, acme + "/builds", acme + "/search?query=secretive"} {
			admin.get(page).want(t, http.StatusOK)
			if body := member.get(page).Body; strings.Contains(body, "hunter2") {
				t.Errorf("%s shows the password to a member", page)
			}
		}
		member.get(pipeline+"/about").want(t, http.StatusOK, "example.com/acme/web.git")
		admin.get(pipeline+"/settings").want(t, http.StatusOK, "user:hunter2@example.com")
	})
}

func TestPipelinesSayHowTheirBuildsWent(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		shop := s.pipelineWith("Shop", "shop", `steps: [{command: make}]`)
		b.get(acme+"/pipelines").want(t, http.StatusOK, `data-label="Reliability"><span class="muted">–</span>`, `data-label="Speed"><span class="muted">–</span>`)
		for range 5 {
			s.buildOf(shop, "main", "One")
		}
		s.buildOf(shop, "feature", "Two")
		testkit.Exec(t, s.DB, `UPDATE builds SET state = 'passed', started_at = created_at, finished_at = created_at + 200000000 WHERE number <= 3`)
		testkit.Exec(t, s.DB, `UPDATE builds SET state = 'failed', started_at = created_at, finished_at = created_at + 900000000 WHERE number = 4 OR number = 6`)
		const four = "In the last four weeks, "
		checkMarkup(t, b.get(acme+"/pipelines").want(t, http.StatusOK, `data-label="Reliability">60%</td>`, `data-label="Speed">3m 20s</td>`, `class="outcomes"`, "share of builds that passed in the last four weeks"))
		b.get(acme+"/pipelines/shop").want(t, http.StatusOK, "The last 6 builds: the tallest bar is 15m 0s. "+four+"60% of the builds passed, in 3m 20s on average.")
		s.Patch(testkit.AdminToken, shop, `{"default_branch": "main"}`).Want(t, http.StatusOK)
		b.get(acme+"/pipelines").want(t, http.StatusOK, `data-label="Reliability">75%</td>`)
		b.get(acme+"/pipelines/shop?branch=feature").want(t, http.StatusOK, four+"75% of the builds of main passed")
		testkit.Exec(t, s.DB, `UPDATE builds SET created_at = created_at - 2505600000000`)
		b.get(acme+"/pipelines").want(t, http.StatusOK, `data-label="Reliability"><span class="muted">–</span>`)
		if a := b.get(acme+"/pipelines/shop").want(t, http.StatusOK, "The last 6 builds"); strings.Contains(a.Body, four) {
			t.Error("builds of more than four weeks ago count")
		}
	})
}

func TestFiguresOfManyBuildsAreReadNowAndThen(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		shop := s.pipelineWith("Shop", "shop", `steps: [{command: make}]`)
		ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: "shop"}
		for range 500 {
			_, err := s.Builds.CreateBuild(t.Context(), s.adminToken(), ref, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main"}))
			s.must(err)
		}
		set := func(state string) {
			testkit.Exec(t, s.DB, `UPDATE builds SET state = $1, started_at = created_at, finished_at = created_at + 60000000`, state)
		}
		shows := func(figure string) {
			t.Helper()
			b.get(acme+"/pipelines").want(t, http.StatusOK, `data-label="Reliability">`+figure+`</td>`)
		}
		set("passed")
		shows("100%")
		set("failed")
		shows("100%") // they were read just now
		s.Patch(testkit.AdminToken, shop, `{"default_branch": "main"}`).Want(t, http.StatusOK)
		shows("0%")
		set("passed")
		s.Clock.Advance(6 * time.Minute)
		shows("100%")
	})
}

// TestPipelineListReadsAllRowsAtOnce counts the statements of a list of few rows, and of many.
func TestPipelineListReadsAllRowsAtOnce(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		statements := func() int64 {
			t.Helper()
			b.get(acme+"/pipelines").want(t, http.StatusOK) // who asks is known then
			before := s.DB.Statements()
			b.get(acme+"/pipelines").want(t, http.StatusOK)
			return s.DB.Statements() - before
		}
		add := func(number int) {
			slug := fmt.Sprintf("many-%d", number)
			s.buildOf(s.pipelineWith(slug, slug, `steps: [{command: make}]`), "main", "One")
		}
		add(0)
		few := statements()
		for i := range 25 {
			add(i + 1)
		}
		if many := statements(); many > few {
			t.Errorf("a list of 27 pipelines takes %d statements, one of two %d", many, few)
		}
	})
}
