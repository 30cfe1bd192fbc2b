package rest_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

const (
	pipelinesPath = "/v2/organizations/" + testkit.Organization + "/pipelines"
	repository    = "git@example.com:acme/web.git"
)

// createdPipeline makes a pipeline as the administrator, with these properties besides, and returns its path.
func createdPipeline(t testing.TB, s *testkit.Server, name string, properties ...string) string {
	t.Helper()
	properties = append(properties, fmt.Sprintf(`"name": %q`, name), `"repository": "`+repository+`"`)
	made := s.Post(testkit.AdminToken, pipelinesPath, "{"+strings.Join(properties, ", ")+"}").Want(t, 201)
	return pipelinesPath + "/" + made.Text("slug")
}

// pipelineElsewhere makes a pipeline in another organization.
func pipelineElsewhere(t testing.TB, s *testkit.Server, name string) {
	t.Helper()
	s.Post(testkit.OutsiderToken, "/v2/organizations/"+testkit.ElsewhereSlug+"/pipelines",
		fmt.Sprintf(`{"name": %q, "repository": "r"}`, name)).Want(t, 201)
}

func TestPipelineFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Do(testkit.Request{Method: "PUT", Path: publicPipelinesPath, Token: testkit.AdminToken}).Want(t, 200)
		made := s.Post(testkit.MemberToken, pipelinesPath, `{
			"name": " Web Shop ",
			"description": "Sells things",
			"repository": "git@github.com:acme/web.git",
			"cluster_id": "`+testkit.MaintainedID+`",
			"configuration": "steps:\n  - command: make\n",
			"default_branch": "main",
			"branch_configuration": "main release/*",
			"visibility": "public",
			"tags": ["shop", ":rocket:"],
			"emoji": ":shopping_trolley:",
			"color": "#00FF00",
			"env": {"Z": "1", "A": "ü", "M": ""},
			"skip_queued_branch_builds": true,
			"skip_queued_branch_builds_filter": "!main",
			"cancel_running_branch_builds": true,
			"cancel_running_branch_builds_filter": "feature/*",
			"default_command_step_timeout": 30,
			"maximum_command_step_timeout": 60,
			"scheduled_job_expiry_in_minutes": 90,
			"allow_rebuilds": false
		}`).Want(t, 201)
		id := made.Text("id")
		want := strings.NewReplacer("BASE", s.URL, "PIPELINE", id, "GLOBAL", globalID("Pipeline", id), "CLUSTER", testkit.MaintainedID,
			"MEMBER", testkit.MemberID, "USER", globalID("User", testkit.MemberID),
			"WEBHOOK", made.Object()["provider"].(map[string]any)["webhook_url"].(string), "BADGE", made.Text("badge_url")).Replace(`{
			"id": "PIPELINE",
			"graphql_id": "GLOBAL",
			"url": "BASE/v2/organizations/acme-inc/pipelines/web-shop",
			"web_url": "BASE/organizations/acme-inc/pipelines/web-shop",
			"name": "Web Shop",
			"slug": "web-shop",
			"description": "Sells things",
			"repository": "git@github.com:acme/web.git",
			"cluster_id": "CLUSTER",
			"cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER",
			"configuration": "steps:\n  - command: make\n",
			"steps": [{"type": "script", "name": null, "command": "make", "artifact_paths": null, "branch_configuration": null, "env": {}, "timeout_in_minutes": null,
				"agent_query_rules": [], "concurrency": null, "parallelism": null}],
			"default_branch": "main",
			"branch_configuration": "main release/*",
			"visibility": "public",
			"tags": ["shop", ":rocket:"],
			"emoji": ":shopping_trolley:",
			"color": "#00FF00",
			"env": {"A": "ü", "M": "", "Z": "1"},
			"skip_queued_branch_builds": true,
			"skip_queued_branch_builds_filter": "!main",
			"cancel_running_branch_builds": true,
			"cancel_running_branch_builds_filter": "feature/*",
			"default_command_step_timeout": 30,
			"maximum_command_step_timeout": 60,
			"scheduled_job_expiry_in_minutes": 90,
			"allow_rebuilds": false,
			"provider": {"id": "github", "webhook_url": "WEBHOOK", "settings": {"repository": "acme/web", "build_pull_request_forks": false,
				"build_pull_requests": true, "build_tags": false, "publish_commit_status": true, "publish_commit_status_per_step": false, "trigger_mode": "code"}},
			"clone_mirror_url": null,
			"pipeline_template_uuid": null,
			"builds_url": "BASE/v2/organizations/acme-inc/pipelines/web-shop/builds",
			"badge_url": "BADGE",
			"scheduled_builds_count": 0, "running_builds_count": 0, "scheduled_jobs_count": 0, "running_jobs_count": 0, "waiting_jobs_count": 0,
			"created_at": "2026-05-03T04:17:55.867Z",
			"created_by": {"id": "MEMBER", "graphql_id": "USER", "name": "Member", "email": "member@example.com",
				"avatar_url": "BASE/avatars/MEMBER.svg", "created_at": "2026-05-03T04:17:55.867Z"},
			"archived_at": null,
			"archived_by": null
		}`)
		wantExactly(t, made.Object(), want)
		wantExactly(t, s.Get(testkit.AdminToken, pipelinesPath+"/web-shop").Want(t, 200).Object(), want)
		wantExactly(t, s.Get(testkit.AdminToken, pipelinesPath).Want(t, 200).List(), "["+want+"]")
	})
}

func TestNewPipelineDefaults(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const defaults = `{"description": null, "cluster_id": null, "cluster_url": null, "configuration": "", "default_branch": null,
			"branch_configuration": null, "visibility": "private", "tags": [], "emoji": null, "color": null, "env": {},
			"skip_queued_branch_builds": false, "skip_queued_branch_builds_filter": null,
			"cancel_running_branch_builds": false, "cancel_running_branch_builds_filter": null,
			"default_command_step_timeout": null, "maximum_command_step_timeout": null, "allow_rebuilds": true,
			"clone_mirror_url": null, "pipeline_template_uuid": null, "archived_at": null}`
		absent := s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Absent", "repository": "`+repository+`"}`).Want(t, 201)
		wantMembers(t, absent, defaults)
		// Null is as if absent, and so is what the public client sends for nothing.
		null := s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Null", "repository": "`+repository+`", "description": null, "cluster_id": null,
			"configuration": null, "default_branch": null, "branch_configuration": null, "visibility": null, "tags": null, "emoji": null, "color": null,
			"env": null, "skip_queued_branch_builds": null, "skip_queued_branch_builds_filter": null, "cancel_running_branch_builds": null,
			"cancel_running_branch_builds_filter": null, "default_command_step_timeout": null, "maximum_command_step_timeout": null,
			"allow_rebuilds": null, "team_uuids": null, "teams": null, "slug": null, "clone_mirror_url": null, "pipeline_template_uuid": null, "provider_settings": null}`).Want(t, 201)
		wantMembers(t, null, defaults)
		wantMembers(t, s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Empty", "repository": "`+repository+`", "cluster_id": "",
			"tags": [], "env": {}, "team_uuids": [], "teams": {}, "clone_mirror_url": "", "pipeline_template_uuid": "", "provider_settings": {}}`).Want(t, 201), defaults)
		wantMembers(t, s.Get(testkit.AdminToken, pipelinesPath+"/absent"), defaults)
		wantTrueCounters(t, s)
	})
}

func TestPipelineFieldsAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web")
		for property, reason := range map[string]string{
			`"name": ""`: "Name can't be blank",
			`"name": "` + strings.Repeat("x", 256) + `"`: "Name is too long (maximum is 255 characters)",
			`"name": "!!"`:      "Name must contain a letter or digit, for its slug",
			`"name": 1`:         "name must be a string",
			`"name": "a\u0000"`: "Name must be valid UTF-8 without NUL",
			`"repository": " "`: "Repository can't be blank",
			`"repository": "` + strings.Repeat("x", 2001) + `"`:     "Repository is too long (maximum is 2000 characters)",
			`"description": "` + strings.Repeat("x", 10_001) + `"`:  "Description is too long (maximum is 10000 characters)",
			`"default_branch": "` + strings.Repeat("x", 256) + `"`:  "Default branch is too long (maximum is 255 characters)",
			`"branch_configuration": "\u0000"`:                      "Branch configuration must be valid UTF-8 without NUL",
			`"visibility": "secret"`:                                "Visibility must be private or public",
			`"tags": ["a", " "]`:                                    "Tags can't be blank",
			`"tags": ["a", 1]`:                                      "tags[1] must be a string",
			`"tags": "a"`:                                           "tags must be an array",
			`"tags": ["` + strings.Repeat("x", 101) + `"]`:          "Tag is too long (maximum is 100 characters)",
			`"tags": [` + strings.Repeat(`"a",`, 50) + `"a"]`:       "Tags are too many (maximum is 50)",
			`"emoji": "rocket"`:                                     "Emoji must be a name between colons, such as :rocket:",
			`"color": "green"`:                                      "Color must be # and 3 or 6 hexadecimal digits",
			`"env": []`:                                             "env must be an object",
			`"env": {"A": 1}`:                                       "env.A must be a string",
			`"env": {"A B": ""}`:                                    "Env must have names of 1 to 255 characters without spaces and =",
			`"env": {"": ""}`:                                       "Env must have names of 1 to 255 characters without spaces and =",
			`"env": {"A": "\u0000"}`:                                "Env A must be valid UTF-8 without NUL",
			`"env": {"A": "` + strings.Repeat("x", 10_001) + `"}`:   "Env A is too long (maximum is 10000 characters)",
			`"env": {` + pipelineVariables(201) + `}`:               "Env has too many variables (maximum is 200)",
			`"env": {` + largeVariables(64<<10+1) + `}`:             "Env is too large (maximum is 65536 bytes of names and values)",
			`"skip_queued_branch_builds": "yes"`:                    "skip_queued_branch_builds must be true or false",
			`"default_command_step_timeout": -1`:                    "Default command step timeout must be a number of minutes from 0 to 525600",
			`"default_command_step_timeout": 1.5`:                   "default_command_step_timeout must be a whole number",
			`"maximum_command_step_timeout": 525601`:                "Maximum command step timeout must be a number of minutes from 0 to 525600",
			`"skip_queued_branch_builds_filter": 1, "color": "red"`: "skip_queued_branch_builds_filter must be a string, Color must be # and 3 or 6 hexadecimal digits",
		} {
			complete := property
			if !strings.Contains(property, `"name"`) {
				complete += `, "name": "New"`
			}
			if !strings.Contains(property, `"repository"`) {
				complete += `, "repository": "r"`
			}
			s.Post(testkit.AdminToken, pipelinesPath, "{"+complete+"}").WantMessage(t, 422, "Validation failed: "+reason)
			wantUnchanged(t, s, path, func() {
				s.Patch(testkit.AdminToken, path, "{"+property+"}").WantMessage(t, 422, "Validation failed: "+reason)
			})
		}
		s.Post(testkit.AdminToken, pipelinesPath, `{}`).WantMessage(t, 422, "Validation failed: Name can't be blank, Repository can't be blank")
		for property, reason := range map[string]string{
			`"name": null`: "Name can't be blank", `"repository": null`: "Repository can't be blank", `"visibility": null`: "Visibility must be private or public",
			`"allow_rebuilds": null`: "allow_rebuilds must be true or false",
		} {
			s.Patch(testkit.AdminToken, path, "{"+property+"}").WantMessage(t, 422, "Validation failed: "+reason)
		}
		s.Do(testkit.Request{Method: "PATCH", Path: path, Token: testkit.AdminToken, Body: "{\"env\": {\"\xff\": \"\"}}"}).
			WantMessage(t, 422, "Validation failed: env must be valid UTF-8 text")
		if n := len(s.Get(testkit.AdminToken, pipelinesPath).List()); n != 1 {
			t.Errorf("%d pipelines", n)
		}
	})
}

// largeVariables returns variables of so many bytes in all.
func largeVariables(size int) string {
	var members []string
	for i := 0; size > 0; i++ {
		value := min(size-2, 9_000)
		members = append(members, fmt.Sprintf(`"%c_": "%s"`, 'A'+i, strings.Repeat("x", value)))
		size -= value + 2
	}
	return strings.Join(members, ", ")
}

// TestALargeEnvironmentFromBeforeStays has a pipeline whose variables were stored when they had no bound.
func TestALargeEnvironmentFromBeforeStays(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web")
		s.Patch(testkit.AdminToken, path, `{"env": {`+largeVariables(64<<10)+`}}`).Want(t, 200)
		large := "{" + largeVariables(100<<10) + "}"
		testkit.Exec(t, s.DB, `UPDATE pipelines SET env = $1`, large)
		if env := s.Get(testkit.AdminToken, path).Object()["env"].(map[string]any); len(env) != 12 {
			t.Errorf("%d variables are shown", len(env))
		}
		s.Patch(testkit.AdminToken, path, `{"description": "New"}`).Want(t, 200)
		s.Patch(testkit.AdminToken, path, `{"env": `+large+`}`).Want(t, 200)
		s.Patch(testkit.AdminToken, path, `{"env": {`+largeVariables(99<<10)+`}}`).Want(t, 422)
	})
}

func pipelineVariables(n int) string {
	variables := make([]string, n)
	for i := range variables {
		variables[i] = fmt.Sprintf(`"V%d": ""`, i)
	}
	return strings.Join(variables, ", ")
}

func TestConfigurationMustBeYAML(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web", `"configuration": "steps: []"`)
		body := func(configuration string) map[string]any {
			return map[string]any{"name": "New", "repository": "r", "configuration": configuration}
		}
		for configuration, reason := range map[string]string{
			"steps:\n  - command: x\n    - y: z\n": "is not valid YAML: line 3, column 5: did not find expected key",
			"a: \"\\q\"":                           "is not valid YAML: line 1, column 5: found unknown escape character",
			"é: *nowhere":                          "is not valid YAML: line 1, column 4: unknown anchor 'nowhere' referenced",
			"a: b\n\nc: \u0001":                    "is not valid YAML: line 3, column 4: control characters are not allowed",
			"a: 1\n---\nb: ]\n":                    "is not valid YAML: line 3, column 4: did not find expected node content",
			"\x00":                                 "must be valid UTF-8 without NUL",
			strings.Repeat("#", 256<<10+1):         "is too long (maximum is 256 KiB)",
			strings.Repeat("[", 200):               "is not valid YAML: line 1, column 101: exceeded max depth of 100",
			"{" + strings.Repeat("a,", 20_001):     "has too many values (maximum is about 20,000)",
		} {
			s.Post(testkit.AdminToken, pipelinesPath, body(configuration)).WantMessage(t, 422, "Validation failed: Configuration "+reason)
			wantUnchanged(t, s, path, func() {
				s.Patch(testkit.AdminToken, path, body(configuration)).WantMessage(t, 422, "Validation failed: Configuration "+reason)
			})
		}
		for _, configuration := range []string{"", "# nothing\n", "---\nsteps:\r\n- wait\r\n", "a: &a [1]\nb: *a\n", strings.Repeat("#", 256<<10)} {
			if got := s.Patch(testkit.AdminToken, path, map[string]any{"configuration": configuration}).Want(t, 200); got.Text("configuration") != configuration {
				t.Errorf("%.80q became %.80q", configuration, got.Text("configuration"))
			}
		}
		// A stranger to the pipeline learns nothing of what is wrong with it.
		s.Patch(testkit.MemberToken, path, body("]")).WantMessage(t, 403, "Forbidden")
	})
}

func TestPipelineSlugFollowsTheName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Straße & Smørrebrød")
		id := s.Get(testkit.AdminToken, pipelinesPath+"/strasse-smorrebrod").Want(t, 200).Text("id")
		renamed := s.Patch(testkit.AdminToken, path, `{"name": "Other"}`).Want(t, 200)
		if renamed.Text("slug") != "other" || renamed.Text("id") != id || !strings.HasSuffix(renamed.Text("url"), "/pipelines/other") {
			t.Errorf("%s", renamed)
		}
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"slug": "other"}`) // by its former slug
		s.Get(testkit.AdminToken, renamed.Text("url")).Want(t, 200)
		// The former slug is free for another.
		wantMembers(t, s.Get(testkit.AdminToken, createdPipeline(t, s, "Straße & Smørrebrød")).Want(t, 200), `{"slug": "strasse-smorrebrod"}`)

		// A slug that an operator chose stays until the name is another.
		s.Bootstrap("organizations: [{slug: acme-inc, name: Acme Inc, pipelines: [{name: Chosen, slug: by-the-operator, repository: r}]}]")
		chosen := pipelinesPath + "/by-the-operator"
		s.Patch(testkit.AdminToken, chosen, `{"name": "Chosen", "description": "d"}`).Want(t, 200)
		s.Patch(testkit.AdminToken, chosen, `{"name": "Chosen again"}`).Want(t, 200)
		s.Get(testkit.AdminToken, pipelinesPath+"/chosen-again").Want(t, 200)
	})
}

func TestPipelineSlugIsUniqueInItsOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const taken = "Validation failed: Slug has already been taken"
		createdPipeline(t, s, "Web Shop")
		other := createdPipeline(t, s, "Other")
		s.Post(testkit.AdminToken, pipelinesPath, `{"name": "web-shop", "repository": "r"}`).WantMessage(t, 422, taken)
		wantUnchanged(t, s, other, func() {
			s.Patch(testkit.AdminToken, other, `{"name": "Web, Shop", "description": "d"}`).WantMessage(t, 422, taken)
		})
		pipelineElsewhere(t, s, "Web Shop")
		// An archived one keeps its slug; a deleted one does not.
		s.Post(testkit.AdminToken, pipelinesPath+"/web-shop/archive", nil).Want(t, 200)
		s.Patch(testkit.AdminToken, other, `{"name": "Web Shop"}`).WantMessage(t, 422, taken)
		s.Delete(testkit.AdminToken, pipelinesPath+"/web-shop").Want(t, 204)
		s.Patch(testkit.AdminToken, other, `{"name": "Web Shop"}`).Want(t, 200)
		wantTrueCounters(t, s)
	})
}

func TestUpdatePipelineLeavesOmittedFieldsAlone(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web", `"description": "d"`, `"cluster_id": "`+testkit.MaintainedID+`"`, `"configuration": "a: b"`,
			`"default_branch": "main"`, `"branch_configuration": "b"`, `"visibility": "public"`, `"tags": ["t"]`, `"emoji": ":e:"`, `"color": "#000"`,
			`"env": {"A": "b"}`, `"skip_queued_branch_builds": true`, `"skip_queued_branch_builds_filter": "f"`, `"cancel_running_branch_builds": true`,
			`"cancel_running_branch_builds_filter": "g"`, `"default_command_step_timeout": 1`, `"maximum_command_step_timeout": 2`, `"allow_rebuilds": false`)
		wantUnchanged(t, s, path, func() {
			s.Patch(testkit.AdminToken, path, `{}`).Want(t, 200)
			s.Patch(testkit.AdminToken, path, `{"name": "Web", "unknown": 1}`).Want(t, 200)
		})
		s.Patch(testkit.TeammateToken, path, `{}`).WantMessage(t, 403, "Forbidden")
		const given = `{"description": "", "default_branch": "", "branch_configuration": "", "emoji": "", "color": "", "tags": ["u", "v"], "env": {"B": "c"},
			"skip_queued_branch_builds": false, "skip_queued_branch_builds_filter": "", "cancel_running_branch_builds": false,
			"cancel_running_branch_builds_filter": "", "default_command_step_timeout": 3, "maximum_command_step_timeout": 4, "allow_rebuilds": true,
			"visibility": "private", "repository": "other", "configuration": "c: d"}`
		wantMembers(t, s.Patch(testkit.AdminToken, path, given).Want(t, 200), given)
		const nulls = `{"description": null, "default_branch": null, "branch_configuration": null, "emoji": null, "color": null, "tags": null, "env": null,
			"skip_queued_branch_builds_filter": null, "cancel_running_branch_builds_filter": null, "default_command_step_timeout": null,
			"maximum_command_step_timeout": null, "configuration": null}`
		cleared := s.Patch(testkit.AdminToken, path, nulls).Want(t, 200)
		wantMembers(t, cleared, strings.NewReplacer(`"tags": null`, `"tags": []`, `"env": null`, `"env": {}`, `"configuration": null`, `"configuration": ""`).Replace(nulls))
		wantMembers(t, s.Get(testkit.AdminToken, path), string(cleared.Body))
	})
}

const badCluster = "Validation failed: cluster_id must be the UUID of a cluster in this organization"

func TestPipelineBelongsToAClusterOfItsOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		other := createdCluster(t, s)
		deleted := createdCluster(t, s)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(deleted)).Want(t, 204)
		path := createdPipeline(t, s, "Web", `"cluster_id": "`+strings.ToUpper(testkit.MaintainedID)+`"`)
		for _, bad := range []string{testkit.ElsewhereID, unknownUUID, deleted, "Maintained", " "} {
			body := `{"name": "New", "repository": "r", "cluster_id": "` + bad + `"}`
			s.Post(testkit.AdminToken, pipelinesPath, body).WantMessage(t, 422, badCluster)
			wantUnchanged(t, s, path, func() { s.Patch(testkit.AdminToken, path, body).WantMessage(t, 422, badCluster) })
		}
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"cluster_id": "`+other+`"}`).Want(t, 200), `{"cluster_id": "`+other+`"}`)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(other)).WantMessage(t, 422, "Cluster can't be deleted while pipelines are assigned to it")
		for _, none := range []string{"null", `""`} {
			s.Patch(testkit.AdminToken, path, `{"cluster_id": "`+other+`"}`).Want(t, 200)
			wantMembers(t, s.Patch(testkit.AdminToken, path, `{"cluster_id": `+none+`}`).Want(t, 200), `{"cluster_id": null, "cluster_url": null}`)
		}
		s.Delete(testkit.AdminToken, testkit.ClusterPath(other)).Want(t, 204)
	})
}

func TestDefaultClusterIsGivenToNewPipelines(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		other := createdCluster(t, s)
		testkit.Change(t, s.DB, `UPDATE organizations SET default_cluster_id = $1 WHERE slug = 'acme-inc'`, testkit.MaintainedID)
		for name, given := range map[string]string{"absent": "", "null": `, "cluster_id": null`, "empty": `, "cluster_id": ""`} {
			made := s.Post(testkit.AdminToken, pipelinesPath, `{"name": "`+name+`", "repository": "r"`+given+`}`).Want(t, 201)
			if made.Text("cluster_id") != testkit.MaintainedID {
				t.Errorf("%s: %s", name, made)
			}
		}
		path := createdPipeline(t, s, "Chosen", `"cluster_id": "`+other+`"`)
		wantMembers(t, s.Get(testkit.AdminToken, path), `{"cluster_id": "`+other+`"}`)
		// Only new ones.
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"cluster_id": null}`), `{"cluster_id": null}`)
	})
}

func TestPipelinesAreOrderedByNameInPages(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, name := range []string{"b", "Ä", "C", "a 1", "Z", "B 2", "ä 2"} {
			createdPipeline(t, s, name)
		}
		s.Post(testkit.AdminToken, pipelinesPath+"/c/archive", nil).Want(t, 200)
		pipelineElsewhere(t, s, "Elsewhere")
		want := []any{"a 1", "b", "B 2", "C", "Z", "Ä", "ä 2"}
		if got := testkit.Column(s.Get(testkit.MemberToken, pipelinesPath).Want(t, 200).List(), "name"); !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
		var got []any
		for page := 1; page <= 4; page++ {
			answer := s.Get(testkit.MemberToken, fmt.Sprintf("%s?per_page=2&page=%d", pipelinesPath, page)).Want(t, 200)
			got = append(got, testkit.Column(answer.List(), "name")...)
			if last := strings.Contains(answer.Header.Get("Link"), `page=4&per_page=2>; rel="last"`); last != (page < 4) {
				t.Errorf("page %d: %s", page, answer.Header.Get("Link"))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
		if list := s.Get(testkit.MemberToken, pipelinesPath+"?page=5&per_page=2").Want(t, 200); string(list.Body) != "[]" {
			t.Errorf("%s", list)
		}
	})
}

func TestPipelinesAreFilteredByNameAndRepository(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for name, address := range map[string]string{
			"Web Shop":     "git@GitHub.com:acme/Web.git",
			"Webhooks":     "https://example.com/acme/hooks",
			"Straße":       "https://example.com/acme/stra\u00dfe_x",
			"100% Natural": "https://example.com/a%20b",
			"snake_case":   `C:\repositories\snake`,
		} {
			s.Post(testkit.AdminToken, pipelinesPath, map[string]any{"name": name, "repository": address}).Want(t, 201)
		}
		pipelineElsewhere(t, s, "Web")
		for _, c := range []struct {
			name, repository string
			want             []any
		}{
			{"web", "", []any{"Web Shop", "Webhooks"}},
			{"WEB S", "", []any{"Web Shop"}},
			{"STRASSE", "", []any{"Straße"}},
			{"ｗｅｂ", "", []any{"Web Shop", "Webhooks"}},
			{"0%", "", []any{"100% Natural"}},
			{"%", "", []any{"100% Natural"}},
			{"_", "", []any{"snake_case"}},
			{`\`, "", nil},
			{"w_b", "", nil},
			{"web%", "", nil},
			{"nothing", "", nil},
			{"", "github.com:ACME", []any{"Web Shop"}},
			{"", "a%20b", []any{"100% Natural"}},
			{"", `c:\R`, []any{"snake_case"}},
			{"", "e_X", []any{"Straße"}},
			{"", "EXAMPLE", []any{"100% Natural", "Straße", "Webhooks"}},
			{"web", "example", []any{"Webhooks"}},
			{"shop", "example", nil},
			{"we\x00b", "", nil},
			{"\xff", "", nil},
			{"", "\xff", nil},
			{"", "\x00", nil},
			{strings.Repeat("w", 10_000), "", nil},
			{"", strings.Repeat("%", 60_000), nil},
			{"", "", []any{"100% Natural", "snake_case", "Straße", "Web Shop", "Webhooks"}},
		} {
			query := url.Values{"name": {c.name}, "repository": {c.repository}}.Encode()
			if got := testkit.Column(s.Get(testkit.MemberToken, pipelinesPath+"?"+query).Want(t, 200).List(), "name"); !slices.Equal(got, c.want) {
				t.Errorf("%.80q %.80q: %v, want %v", c.name, c.repository, got, c.want)
			}
		}
		// The pages are those of what was chosen.
		first := s.Get(testkit.MemberToken, pipelinesPath+"?name=web&per_page=1").Want(t, 200)
		if link := first.Header.Get("Link"); !strings.Contains(link, `pipelines?name=web&page=2&per_page=1>; rel="next"`) ||
			!strings.Contains(link, `page=2&per_page=1>; rel="last"`) {
			t.Errorf("%s", link)
		}
		second := s.Get(testkit.MemberToken, pipelinesPath+"?name=web&per_page=1&page=2").Want(t, 200)
		if got := testkit.Column(second.List(), "name"); !slices.Equal(got, []any{"Webhooks"}) || strings.Contains(second.Header.Get("Link"), `"next"`) {
			t.Errorf("%v %s", got, second.Header.Get("Link"))
		}
		s.Get(testkit.MemberToken, pipelinesPath+"?name=%zz").Want(t, 400)
	})
}

func TestArchiveAndUnarchivePipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web")
		unarchived := s.Get(testkit.AdminToken, path)
		s.Post(testkit.AdminToken, path+"/unarchive", nil).WantMessage(t, 422, "Pipeline is not archived")
		s.Clock.Advance(1_000_000_000)
		archived := s.Post(testkit.AdminToken, path+"/archive", nil).Want(t, 200)
		wantMembers(t, archived, `{"archived_at": "2026-05-03T04:17:56.867Z", "slug": "web"}`)
		if by, _ := archived.Object()["archived_by"].(map[string]any); by["id"] != testkit.AdminID {
			t.Errorf("%s", archived)
		}
		s.Post(testkit.AdminToken, path+"/archive", nil).WantMessage(t, 422, "Pipeline is already archived")
		// It can still be read and changed.
		changed := s.Patch(testkit.AdminToken, path, `{"description": "d"}`).Want(t, 200)
		wantMembers(t, changed, `{"archived_at": "2026-05-03T04:17:56.867Z", "description": "d"}`)
		s.Patch(testkit.AdminToken, path, `{"description": null}`).Want(t, 200)
		if back := s.Post(testkit.AdminToken, path+"/unarchive", nil).Want(t, 200); string(back.Body) != string(unarchived.Body) {
			t.Errorf("%s\nis not\n%s", back.Body, unarchived.Body)
		}
		s.Post(testkit.AdminToken, path+"/unarchive", nil).WantMessage(t, 422, "Pipeline is not archived")
	})
}

func TestDeletePipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web", `"team_uuids": ["`+testkit.TeamID+`"]`)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		for _, request := range []testkit.Request{
			{Method: "GET", Path: path}, {Method: "DELETE", Path: path}, {Method: "PATCH", Path: path, Body: "{}"}, {Method: "POST", Path: path + "/archive"},
		} {
			request.Token = testkit.AdminToken
			s.Do(request).WantMessage(t, 404, "No pipeline found")
		}
		if n := storedNumber(t, s, `SELECT count(*) FROM team_pipelines`); n != 0 {
			t.Errorf("%d teams still have access", n)
		}
		wantTrueCounters(t, s)
	})
}

func TestMembersCanCreatePipelinesSetting(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Post(testkit.MemberToken, pipelinesPath, `{"name": "First", "repository": "r"}`).Want(t, 201)
		testkit.Change(t, s.DB, `UPDATE organizations SET members_can_create_pipelines = $1 WHERE slug = 'acme-inc'`, false)
		s.Post(testkit.MemberToken, pipelinesPath, `{"name": "Second", "repository": "r"}`).WantMessage(t, 403, "Forbidden")
		s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Third", "repository": "r"}`).Want(t, 201)
		// Who made one may still change it.
		s.Patch(testkit.MemberToken, pipelinesPath+"/first", `{"description": "d"}`).Want(t, 200)
	})
}

func TestWhoMayChangeAPipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		changes := func(token, path string, status int) {
			t.Helper()
			s.Patch(token, path, `{"description": "d"}`).Want(t, status)
			s.Post(token, path+"/archive", nil).Want(t, status)
			if status != 200 {
				s.Post(token, path+"/unarchive", nil).Want(t, status)
				s.Delete(token, path).Want(t, status)
				return
			}
			s.Post(token, path+"/unarchive", nil).Want(t, 200)
		}
		made := s.Post(testkit.MemberToken, pipelinesPath, `{"name": "Made by a member", "repository": "r", "cluster_id": "`+testkit.MaintainedID+`"}`).Want(t, 201)
		path := pipelinesPath + "/" + made.Text("slug")
		changes(testkit.AdminToken, path, 200)
		changes(testkit.MemberToken, path, 200)
		for _, token := range []string{testkit.MaintainerToken, testkit.TeammateToken} { // maintaining its cluster is no reason
			s.Get(token, path).Want(t, 200)
			changes(token, path, 403)
		}
		s.Get(testkit.OutsiderToken, path).WantMessage(t, 404, "No organization found")

		managed := createdPipeline(t, s, "Managed", `"team_uuids": ["`+testkit.TeamID+`"]`)
		changes(testkit.TeammateToken, managed, 200)
		changes(testkit.MemberToken, managed, 403)
		for _, level := range []string{"read_only", "build_and_read"} {
			testkit.Change(t, s.DB, `UPDATE team_pipelines SET access_level = $1`, level)
			changes(testkit.TeammateToken, managed, 403)
		}
		testkit.Change(t, s.DB, `UPDATE team_pipelines SET access_level = 'manage_build_and_read'`)
		s.Delete(testkit.TeammateToken, managed).Want(t, 204)
		s.Delete(testkit.MemberToken, path).Want(t, 204)
	})
}

func TestTeamsOfANewPipelineMustBeOnesOfTheOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const elsewhere, secret = "0190a000-0000-7000-8000-000000000061", "0190a000-0000-7000-8000-000000000062"
		s.Bootstrap(`organizations:
  - {slug: elsewhere, name: Elsewhere, teams: [{id: ` + elsewhere + `, name: Strangers}]}
  - {slug: acme-inc, name: Acme Inc, teams: [{id: ` + secret + `, name: Secret, members: [{user: teammate@example.com}]}]}
`)
		testkit.Change(t, s.DB, `UPDATE teams SET privacy = 'secret' WHERE id = $1`, secret)
		create := func(token, name string, teams ...string) *testkit.Answer {
			return s.Post(token, pipelinesPath, map[string]any{"name": name, "repository": "r", "team_uuids": teams})
		}
		const refused = "Validation failed: team_uuids must be the UUIDs of teams in this organization"
		for _, bad := range []string{elsewhere, unknownUUID, "platform", ""} {
			create(testkit.AdminToken, "New", testkit.TeamID, bad).WantMessage(t, 422, refused)
		}
		s.Post(testkit.AdminToken, pipelinesPath, `{"name": "New", "repository": "r", "team_uuids": ["`+testkit.TeamID+`", 1]}`).
			WantMessage(t, 422, "Validation failed: team_uuids[1] must be a string")
		create(testkit.MemberToken, "New", secret).WantMessage(t, 422, refused) // who does not see it learns nothing of it
		create(testkit.AdminToken, "New", slices.Repeat([]string{testkit.TeamID}, 101)...).WantMessage(t, 422, "Validation failed: Teams are too many (maximum is 100)")
		if n := storedNumber(t, s, `SELECT count(*) FROM pipelines`); n != 0 {
			t.Errorf("%d pipelines", n)
		}
		create(testkit.TeammateToken, "Of a member", secret).Want(t, 201)
		create(testkit.AdminToken, "Of an administrator", secret, testkit.TeamID, strings.ToUpper(testkit.TeamID)).Want(t, 201)
		if n := storedNumber(t, s, `SELECT count(*) FROM team_pipelines WHERE access_level = 'manage_build_and_read'`); n != 3 {
			t.Errorf("%d teams manage a pipeline", n)
		}
	})
}

func TestPipelineAuditEvents(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const secret = "hunter2hunter2"
		made := s.Post(testkit.AdminToken, pipelinesPath, map[string]any{
			"name": "Web", "repository": "https://robot:" + secret + "@example.com/acme/web.git", "env": map[string]string{"PASSWORD": secret},
			"configuration": "env: {PASSWORD: " + secret + "}", "team_uuids": []string{testkit.TeamID},
		}).Want(t, 201)
		path := pipelinesPath + "/web"
		events := func() []map[string]any {
			t.Helper()
			return s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?per_page=100&subject_uuid="+made.Text("id")).Want(t, 200).List()
		}
		created := events()[0]
		after := created["data"].(map[string]any)["after"].(map[string]any)
		if len(events()) != 1 || created["type"] != "PIPELINE_CREATED" || after["repository"] != "https://example.com/acme/web.git" ||
			string(asJSON(t, after["env"])) != `["PASSWORD"]` || string(asJSON(t, after["teams"])) != `["`+testkit.TeamID+`"]` {
			t.Errorf("%s", asJSON(t, events()))
		}
		for _, step := range []struct{ method, path, body, event string }{
			{"PATCH", path, `{"visibility": "public"}`, "PIPELINE_VISIBILITY_CHANGED"},
			{"PATCH", path, `{"visibility": "public"}`, ""},
			{"PATCH", path, `{"visibility": "private", "description": "d"}`, "PIPELINE_UPDATED"},
			{"PATCH", path, `{"tags": [], "env": {"PASSWORD": "` + secret + `"}}`, ""},
			{"PATCH", path, `{"env": {"PASSWORD": "` + secret + secret + `"}}`, "PIPELINE_UPDATED"}, // though only the name is shown
			{"PATCH", path, `{"repository": "https://` + secret + `@example.com/acme/web.git"}`, "PIPELINE_UPDATED"},
			{"PATCH", path, `{"configuration": "a: b"}`, "PIPELINE_UPDATED"},
			{"PATCH", path, `{"name": ""}`, ""},
			{"POST", path + "/archive", "", "PIPELINE_UPDATED"},
			{"POST", path + "/archive", "", ""},
			{"POST", path + "/unarchive", "", "PIPELINE_UPDATED"},
			{"DELETE", path, "", "PIPELINE_DELETED"},
		} {
			before := len(events())
			request := testkit.Request{Method: step.method, Path: step.path, Token: testkit.AdminToken}
			if step.body != "" {
				request.Body = step.body
			}
			s.Do(request)
			now := events()
			switch {
			case step.event == "" && len(now) != before:
				t.Errorf("%s left %s", step.body, asJSON(t, now[0]))
			case step.event != "" && (len(now) != before+1 || now[0]["type"] != step.event):
				t.Errorf("%s %s left %s", step.method, step.body, asJSON(t, now[0]))
			}
		}
		if text := string(asJSON(t, events())); strings.Contains(text, secret) {
			t.Errorf("a secret is in %s", text)
		}
	})
}

func TestOfPipelinesWithOneSlugAtOnceOneIsMade(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		other := createdPipeline(t, s, "Other")
		requests := slices.Repeat([]testkit.Request{{Method: "POST", Path: pipelinesPath, Body: `{"name": "Same", "repository": "r"}`}}, 7)
		requests = append(requests, testkit.Request{Method: "PATCH", Path: other, Body: `{"name": "Same"}`})
		won := 0
		for _, answer := range atOnce(s, requests...) {
			if answer.Status < 300 {
				won++
			} else {
				answer.WantMessage(t, 422, "Validation failed: Slug has already been taken")
			}
		}
		if won != 1 {
			t.Errorf("%d won", won)
		}
		wantTrueCounters(t, s)
	})
}

// Either the cluster is gone and the pipeline was refused it, or the deletion was refused.
func TestClusterIsNotDeletedUnderAPipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web")
		for round := range rounds {
			for _, assign := range []struct {
				method, path, body string
				status             int
			}{
				{"PATCH", path, `{"cluster_id": "CLUSTER"}`, 200},
				{"POST", pipelinesPath, `{"cluster_id": "CLUSTER", "name": "Round ROUND", "repository": "r"}`, 201},
			} {
				cluster := createdCluster(t, s)
				body := strings.NewReplacer("CLUSTER", cluster, "ROUND", fmt.Sprint(round)).Replace(assign.body)
				answers := atOnce(s, testkit.Request{Method: "DELETE", Path: testkit.ClusterPath(cluster)},
					testkit.Request{Method: assign.method, Path: assign.path, Body: body})
				wantEither(t, answers, []int{204, 422}, []int{422, assign.status})
				if answers[1].Status == 422 {
					answers[1].WantMessage(t, 422, badCluster)
				}
				assigned := storedNumber(t, s, `SELECT count(*) FROM pipelines WHERE cluster_id = $1`, cluster) == 1
				if assigned != (answers[1].Status == assign.status) {
					t.Errorf("a pipeline has the cluster: %v; %v", assigned, answers)
				}
				s.Patch(testkit.AdminToken, path, `{"cluster_id": null}`).Want(t, 200)
			}
		}
	})
}

// A deletion that comes while a pipeline of the cluster is being unarchived waits for the outcome.
func TestClusterIsNotDeletedUnderAnUnarchivedPipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := createdCluster(t, s)
		path := createdPipeline(t, s, "Web", `"cluster_id": "`+cluster+`"`)
		s.Post(testkit.AdminToken, path+"/archive", nil).Want(t, 200)
		deletion := make(chan *testkit.Answer, 1)
		err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(`UPDATE pipelines SET archived_at = NULL`); err != nil {
				return err
			}
			go func() { deletion <- s.Delete(testkit.AdminToken, testkit.ClusterPath(cluster)) }()
			// SQLite has one writer, which this is: the deletion waits for it.
			for s.DB.Engine() == "postgres" && len(deletion) == 0 &&
				storedNumber(t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 0 {
				continue
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		(<-deletion).WantMessage(t, 422, "Cluster can't be deleted while pipelines are assigned to it")
		wantMembers(t, s.Get(testkit.AdminToken, path), `{"cluster_id": "`+cluster+`", "archived_at": null}`)
	})
}
