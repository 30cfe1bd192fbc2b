package rest_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestPipelineSlugsAreChosen(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web Shop", `"slug": "shop"`)
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"name": "Web Shop", "slug": "shop"}`)
		createdPipeline(t, s, "Web Shop") // its name's slug is free
		const taken = "Validation failed: Slug has already been taken"
		s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Other", "repository": "r", "slug": "shop"}`).WantMessage(t, 422, taken)
		s.Patch(testkit.AdminToken, path, `{"slug": "web-shop"}`).WantMessage(t, 422, taken)
		for _, bad := range []string{"", "Shop", "-shop", "shop-", "a--b", "a b", "ü", "a/b", strings.Repeat("a", 101)} {
			s.Patch(testkit.AdminToken, path, fmt.Sprintf(`{"slug": %q}`, bad)).
				WantMessage(t, 422, "Validation failed: Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside")
		}
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"slug": "store"}`).Want(t, 200), `{"name": "Web Shop", "slug": "store"}`)
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"slug": "store"}`) // by its former slug
		path = pipelinesPath + "/store"
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"name": "Web Shop"}`).Want(t, 200), `{"slug": "store"}`) // the same name makes none
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"name": "Sweets", "slug": "store"}`).Want(t, 200), `{"name": "Sweets", "slug": "store"}`)
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"slug": null}`).Want(t, 200), `{"slug": "sweets"}`)
		wantMembers(t, s.Patch(testkit.AdminToken, pipelinesPath+"/sweets", `{"name": "Toys"}`).Want(t, 200), `{"slug": "toys"}`)
		wantMembers(t, s.Patch(testkit.AdminToken, pipelinesPath+"/toys", `{"name": "***", "slug": "stars"}`).Want(t, 200), `{"slug": "stars"}`)
		s.Patch(testkit.AdminToken, pipelinesPath+"/stars", `{"slug": null}`).Want(t, 422) // the name leaves nothing
	})
}

func TestProviderSettingsAreKept(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web", `"provider_settings": {"trigger_mode": "code", "build_tags": true, "new_setting": "x"}`)
		settings := func(answer *testkit.Answer) any {
			return answer.Object()["provider"].(map[string]any)["settings"]
		}
		wantExactly(t, settings(s.Get(testkit.AdminToken, path).Want(t, 200)), `{"trigger_mode": "code", "build_tags": true, "new_setting": "x"}`)
		// What is left out stays, null takes away.
		wantExactly(t, settings(s.Patch(testkit.AdminToken, path, `{"provider_settings": {"build_tags": false, "new_setting": null, "filter_condition": "build.branch == 'main'"}}`).Want(t, 200)),
			`{"trigger_mode": "code", "build_tags": false, "filter_condition": "build.branch == 'main'"}`)
		wantUnchanged(t, s, path, func() {
			for settings, message := range map[string]string{
				`[]`:                            "Provider settings must be an object of texts, true and false",
				`"text"`:                        "Provider settings must be an object of texts, true and false",
				`{"build_tags": "yes"}`:         "provider_settings.build_tags must be true or false",
				`{"filter_enabled": "yes"}`:     "provider_settings.filter_enabled must be true or false",
				`{"filter_condition": true}`:    "provider_settings.filter_condition must be a string",
				`{"trigger_mode": "sometimes"}`: "provider_settings.trigger_mode must be one of code, deployment, fork, none",
				`{"new_setting": {"a": []}}`:    "provider_settings.new_setting must be a string, true or false",
				`{"new_setting": 1}`:            "provider_settings.new_setting must be a string, true or false",
				`{"a\u0000b": true}`:            "Provider settings must have names of 1 to 100 of a-z, 0-9 and _",
				`{"new_setting": "\u0000"}`:     "provider_settings.new_setting must be valid UTF-8 without NUL",
				`{"new_setting": "` + strings.Repeat("x", 10_001) + `"}`: "provider_settings.new_setting is too long (maximum is 10000 characters)",
				`{"new_setting": "` + strings.Repeat("x", 65_536) + `"}`: "Provider settings are too long (maximum is 64 KiB)",
				`{"repository": "acme/other"}`:                           "Provider settings can't change the repository",
			} {
				s.Patch(testkit.AdminToken, path, `{"provider_settings": `+settings+`}`).WantMessage(t, 422, "Validation failed: "+message)
			}
			var many []string
			for i := range 101 {
				many = append(many, fmt.Sprintf(`"s%d": true`, i))
			}
			s.Patch(testkit.AdminToken, path, `{"provider_settings": {`+strings.Join(many, ", ")+`}}`).WantMessage(t, 422, "Validation failed: Provider settings are too many (maximum is 100)")
		})
		wantExactly(t, settings(s.Patch(testkit.AdminToken, path, `{"provider_settings": null}`).Want(t, 200)), `{}`)
		// A client may send back what it read, also while it changes the repository.
		s.Patch(testkit.AdminToken, path, `{"repository": "https://github.com/acme/web.git"}`).Want(t, 200)
		moved := s.Patch(testkit.AdminToken, path, `{"repository": "https://gitlab.com/acme/shop.git", "provider_settings": {"repository": "acme/web"}}`).Want(t, 200)
		wantMembers(t, moved, `{"provider": {"id": "gitlab", "webhook_url": "WEBHOOK", "settings":
			{"repository": "acme/shop", "build_branches": true, "build_pull_requests": true, "build_tags": false, "publish_commit_status": true}}}`,
			"WEBHOOK", moved.Object()["provider"].(map[string]any)["webhook_url"].(string))
	})
}

func TestTimeoutsOfZeroAreKept(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const zero, none = `{"default_command_step_timeout": 0, "maximum_command_step_timeout": 0}`, `{"default_command_step_timeout": null, "maximum_command_step_timeout": null}`
		path := createdPipeline(t, s, "Web", strings.Trim(zero, "{}"))
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), zero)
		wantMembers(t, s.Patch(testkit.AdminToken, path, none).Want(t, 200), none)
		wantMembers(t, s.Patch(testkit.AdminToken, path, zero).Want(t, 200), zero)
	})
}

func TestTeamsOfANewPipelineHaveTheAccessThatIsGiven(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		other := createdID(t, s, teamsPath, `{"name": "Other"}`)
		path := createdPipeline(t, s, "Web", `"teams": {"`+testkit.TeamID+`": "build_and_read", "`+other+`": "read_only"}`)
		for team, level := range map[string]string{testkit.TeamID: "build_and_read", other: "read_only"} {
			wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, teamsPath+"/"+team+"/pipelines").Want(t, 200).List(), "access_level"), `["`+level+`"]`)
		}
		create := func(teams string) *testkit.Answer {
			return s.Post(testkit.AdminToken, pipelinesPath, `{"name": "New", "repository": "r", "teams": `+teams+`}`)
		}
		create(`{"`+testkit.TeamID+`": "all"}`).WantMessage(t, 422, "Validation failed: teams must have an access level of read_only, build_and_read or manage_build_and_read")
		create(`{"`+unknownUUID+`": "read_only"}`).WantMessage(t, 422, "Validation failed: team_uuids must be the UUIDs of teams in this organization")
		create(`["`+testkit.TeamID+`"]`).WantMessage(t, 422, "Validation failed: teams must be an object")
		create(`{"`+testkit.TeamID+`": 1}`).WantMessage(t, 422, "Validation failed: teams."+testkit.TeamID+" must be a string")
		wantUnchanged(t, s, path, func() {
			for _, teams := range []string{`"teams": {"` + testkit.TeamID + `": "read_only"}`, `"team_uuids": []`} {
				s.Patch(testkit.AdminToken, path, `{`+teams+`}`).WantMessage(t, 422, "Validation failed: teams can only be given for a new pipeline")
			}
			s.Patch(testkit.AdminToken, path, `{"teams": null, "team_uuids": null}`).Want(t, 200)
		})
	})
}

func TestCloneMirrorURL(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web", `"clone_mirror_url": " git@mirror.example.com:acme/web.git "`)
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"clone_mirror_url": "git@mirror.example.com:acme/web.git"}`)
		for _, good := range []string{"https://mirror.example.com/web", "ssh://git@mirror.example.com/web", "git://mirror.example.com/web", "HTTP://[::1]:8080/web", "mirror:web"} {
			wantMembers(t, s.Patch(testkit.AdminToken, path, fmt.Sprintf(`{"clone_mirror_url": %q}`, good)).Want(t, 200), fmt.Sprintf(`{"clone_mirror_url": %q}`, good))
		}
		for _, bad := range []string{"https://me@example.com/web", "https://me:secret@example.com/web", "ssh://me:secret@example.com/web", "me:secret@example.com:web", "https://example.com/?token=x", "https://example.com/#x"} {
			s.Patch(testkit.AdminToken, path, fmt.Sprintf(`{"clone_mirror_url": %q}`, bad)).
				WantMessage(t, 422, "Validation failed: Clone mirror URL must have no credentials, no ? and no #")
		}
		for _, bad := range []string{"file:///srv/mirrors/web", "FILE://localhost/srv/web", "file:/srv/web/../x:y", "/srv/mirrors/web", "/srv:web", "./web:x", "../web", "web", "web:", ":web", "https://", "https:///web",
			"https://example.com", "ext::sh -c id", "ext::x", "--upload-pack=id", "-oProxyCommand=id:web", "ssh://-oProxyCommand=id/web", "fd::17", "s3://bucket/web", "://x/y"} {
			a := s.Patch(testkit.AdminToken, path, fmt.Sprintf(`{"clone_mirror_url": %q}`, bad)).Want(t, 422)
			if !strings.HasPrefix(a.Message(), "Validation failed: Clone mirror URL must name a repository on a server") {
				t.Errorf("%s is refused with %s", bad, a.Message())
			}
		}
		s.Patch(testkit.AdminToken, path, `{"clone_mirror_url": "https://example.com/a\nb"}`).WantMessage(t, 422, "Validation failed: Clone mirror URL can't contain line breaks or control characters")
		for _, none := range []string{`""`, `null`} {
			s.Patch(testkit.AdminToken, path, `{"clone_mirror_url": "mirror:web"}`).Want(t, 200)
			wantMembers(t, s.Patch(testkit.AdminToken, path, `{"clone_mirror_url": `+none+`}`).Want(t, 200), `{"clone_mirror_url": null}`)
		}
		s.Patch(testkit.AdminToken, path, `{"pipeline_template_uuid": "`+unknownUUID+`"}`).WantMessage(t, 422, "Validation failed: No pipeline template found")
	})
}

// TestAddressesAndBranchesOfPipelinesAreOnOneLine sends line breaks and control characters in what becomes arguments and variables of jobs.
func TestAddressesAndBranchesOfPipelinesAreOnOneLine(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdPipeline(t, s, "Web", `"default_branch": "main"`)
		for field, label := range map[string]string{
			"repository": "Repository", "default_branch": "Default branch", "branch_configuration": "Branch configuration",
			"skip_queued_branch_builds_filter": "Skip queued branch builds filter", "cancel_running_branch_builds_filter": "Cancel running branch builds filter",
		} {
			fault := "Validation failed: " + label + " can't contain line breaks or control characters"
			for _, char := range []string{`\n`, `\r`, `\t`, `\u0001`, `\u007f`, `\u0085`, `\u2028`, `\u2029`} {
				text := `"` + field + `": "a` + char + `b"`
				wantUnchanged(t, s, path, func() { s.Patch(testkit.AdminToken, path, `{`+text+`}`).WantMessage(t, 422, fault) })
				body := `{"name": "New", "repository": "r", ` + text + `}`
				if field == "repository" {
					body = `{"name": "New", ` + text + `}`
				}
				s.Post(testkit.AdminToken, pipelinesPath, body).WantMessage(t, 422, fault)
			}
			// One that was stored before may stay, and be sent back.
			testkit.Change(t, s.DB, `UPDATE pipelines SET `+field+` = $1 WHERE slug = 'web'`, "a\nb")
			wantMembers(t, s.Patch(testkit.AdminToken, path, `{"`+field+`": "a\nb", "description": "of `+field+`"}`).Want(t, 200), `{"`+field+`": "a\nb", "description": "of `+field+`"}`)
			wantMembers(t, s.Patch(testkit.AdminToken, path, `{"description": null}`).Want(t, 200), `{"`+field+`": "a\nb"}`)
			s.Patch(testkit.AdminToken, path, `{"`+field+`": "a\nc"}`).WantMessage(t, 422, fault)
			s.Patch(testkit.AdminToken, path, `{"`+field+`": "plain"}`).Want(t, 200)
		}
		s.Patch(testkit.AdminToken, path, `{"provider_settings": {"pull_request_branch_filter_configuration": "a\nb"}}`).
			WantMessage(t, 422, "Validation failed: provider_settings.pull_request_branch_filter_configuration can't contain line breaks or control characters")
		s.Patch(testkit.AdminToken, organizationPath+"/pipeline-settings", `{"default_branch": "a\nb"}`).
			WantMessage(t, 422, "Validation failed: Default branch can't contain line breaks or control characters")
	})
}

// TestWebhookURLsAreForThoseWhoMayChangeThePipeline looks who sees the address that whoever knows it can deliver to.
func TestWebhookURLsAreForThoseWhoMayChangeThePipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const readsOnly = "token-that-only-reads-pipelines"
		s.Bootstrap(`tokens: [{user: admin@example.com, token: ` + readsOnly + `, description: R, organizations: [acme-inc], scopes: [read_pipelines]}]`)
		path := createdPipeline(t, s, "Web", `"teams": {"`+testkit.TeamID+`": "manage_build_and_read"}`)
		createdPipeline(t, s, "Not theirs")
		for token, want := range map[string][2]bool{ // of this one, and of the other
			testkit.AdminToken: {true, true}, testkit.TeammateToken: {true, false}, testkit.MemberToken: {}, readsOnly: {},
		} {
			shown := func(pipeline map[string]any) bool {
				return strings.HasPrefix(pipeline["provider"].(map[string]any)["webhook_url"].(string), s.URL+"/deliver/")
			}
			if got := shown(s.Get(token, path).Want(t, 200).Object()); got != want[0] {
				t.Errorf("%s sees it: %t", token, got)
			}
			for _, pipeline := range s.Get(token, pipelinesPath).Want(t, 200).List() {
				wanted := want[0]
				if pipeline["slug"] != "web" {
					wanted = want[1]
				}
				if got := shown(pipeline); got != wanted {
					t.Errorf("%s sees that of %s in the list: %t", token, pipeline["slug"], got)
				}
			}
		}
	})
}

func TestTheServerChoosesAMacOSVersionOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := "/v2/organizations/acme-inc/clusters/" + testkit.MaintainedID + "/queues"
		version := func(answer *testkit.Answer) any {
			return answer.Object()["hosted_agents"].(map[string]any)["platform_settings"].(map[string]any)["macos"].(map[string]any)["macos_version"]
		}
		body := func(version string) string {
			return `{"hosted_agents": {"instance_shape": "MACOS_ARM64_M4_6X28", "platform_settings": {"macos": {"macos_version": ` + version + `}}}}`
		}
		made := s.Post(testkit.AdminToken, queues, `{"key": "mac", `+body("null")[1:]).Want(t, 201)
		if got := version(made); got != "SEQUOIA" {
			t.Errorf("the version is %v", got)
		}
		path := queues + "/" + made.Text("id")
		for given, want := range map[string]string{`"SONOMA"`: "SONOMA"} {
			if got := version(s.Patch(testkit.AdminToken, path, body(given)).Want(t, 200)); got != want {
				t.Errorf("the version is %v, want %s", got, want)
			}
		}
		if got := version(s.Patch(testkit.AdminToken, path, body("null")).Want(t, 200)); got != "SONOMA" {
			t.Errorf("null changed the version to %v", got)
		}
	})
}

func TestStepsAndConfigurationAreShownForEachOther(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		// A list is kept as it is given, and a configuration is made of it.
		const list = `[{"type": "script", "name": "Build", "command": "make", "branch_configuration": "main", "env": {"A": "1"}, "timeout_in_minutes": 10,
			"agent_query_rules": ["queue=mac"], "plugins": {"docker#v1": {"image": "go"}}}, {"type": "waiter"}, {"type": "manual", "label": "Deploy"},
			{"type": "trigger", "label": "Ship", "trigger_project_slug": "deploy", "trigger_branch": "main", "trigger_async": true}, "wait"]`
		path := createdPipeline(t, s, "Listed", `"steps": `+list)
		made := s.Get(testkit.AdminToken, path).Want(t, 200)
		wantExactly(t, made.Object()["steps"], list)
		wantExactly(t, made.Object()["configuration"], strconv.Quote(`steps:
- agents:
  - queue=mac
  branches: main
  command: make
  env:
    A: '1'
  label: Build
  plugins:
    docker#v1:
      image: go
  timeout_in_minutes: 10
- wait: null
- block: Deploy
- async: true
  build:
    branch: main
  label: Ship
  trigger: deploy
- wait
`))
		// A configuration is kept as it is given, and its steps are shown as clients know them.
		const configuration = "env: {CI: yes}\nsteps:\n- &first\n  label: Build\n  command: [make, make test]\n  agents: {queue: mac}\n  artifact_paths: [a, b]\n" +
			"- wait\n- block: Deploy\n- trigger: deploy\n- group: Tests\n  steps: [{<<: *first, label: Again}]\n"
		changed := s.Patch(testkit.AdminToken, path, map[string]any{"configuration": configuration}).Want(t, 200)
		const build = `"type": "script", "command": "make\nmake test", "artifact_paths": "a;b", "branch_configuration": null, "env": {}, "timeout_in_minutes": null,
			"agent_query_rules": ["queue=mac"], "concurrency": null, "parallelism": null`
		wantExactly(t, changed.Object()["configuration"], strconv.Quote(configuration))
		wantExactly(t, changed.Object()["steps"], `[{"name": "Build", `+build+`}, {"type": "waiter"}, {"type": "manual", "label": "Deploy"},
			{"type": "trigger", "label": null, "pipeline": "deploy", "branch_configuration": null}, {"type": "group", "name": "Tests", "steps": [{"name": "Again", `+build+`}]}]`)
		wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object()["steps"], string(mustJSON(t, changed.Object()["steps"])))
		wantUnchanged(t, s, path, func() {
			s.Patch(testkit.AdminToken, path, `{"steps": ["wait"]}`).WantMessage(t, 422, "Validation failed: Steps can't replace a configuration that has more than steps: give a configuration")
			s.Patch(testkit.AdminToken, path, `{"steps": ["wait"], "configuration": "steps: []"}`).Want(t, 422)
		})
		other := createdPipeline(t, s, "Other", `"configuration": "steps: [wait]"`)
		wantUnchanged(t, s, other, func() {
			for body, message := range map[string]string{
				`"steps": ["wait"], "configuration": "steps: []"`: "Steps and configuration can't both be given",
				`"steps": [1]`:      "steps[0] must be an object or a string",
				`"steps": ["make"]`: "Configuration steps[0] must be a mapping, wait, block or input",
				`"steps": {}`:       "steps must be an array",
				`"steps": [{"command": "` + strings.Repeat("x", 256<<10) + `"}]`:             "Steps are too long (maximum is 256 KiB)",
				`"configuration": "steps: {a: b}"`:                                           "Configuration steps must be a list",
				`"configuration": "steps: [[a]]"`:                                            "Configuration steps[0] must be a mapping, wait, block or input",
				`"configuration": "steps: &s [{group: g, steps: *s}]"`:                       "Configuration has an anchor that contains itself: \"s\"",
				`"configuration": "steps: [{group: g, steps: [{group: h, steps: [wait]}]}]"`: "Configuration steps[0].steps[0] must not be a group in a group",
				`"configuration": "steps: [{group: g}]"`:                                     "The `steps` property is required for a group",
			} {
				s.Patch(testkit.AdminToken, other, `{`+body+`}`).WantMessage(t, 422, "Validation failed: "+message)
			}
		})
		wantMembers(t, s.Patch(testkit.AdminToken, other, `{"steps": null}`).Want(t, 200), `{"configuration": "", "steps": []}`)
		// What an earlier release stored has no list: it is made when it is read.
		testkit.Change(t, s.DB, `UPDATE pipelines SET configuration = 'steps: [wait]', steps = ''`)
		wantExactly(t, s.Get(testkit.AdminToken, other).Want(t, 200).Object()["steps"], `[{"type": "waiter"}]`)
	})
}

// TestAliasesInStepsAreBounded gives a small configuration that stands for millions of steps.
func TestAliasesInStepsAreBounded(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		text := "a: &a [" + strings.Repeat("{command: x},", 1000) + "]\nsteps: [" + strings.Repeat("{group: g, steps: *a},", 1000) + "]"
		s.Post(testkit.AdminToken, pipelinesPath, map[string]any{"name": "Bomb", "repository": "r", "configuration": text}).
			WantMessage(t, 422, "Validation failed: Configuration has too many steps and values, where its aliases are followed (maximum is about 20,000)")
		// Few steps, each with a long text that stands there once.
		text = "x: &x {command: \"" + strings.Repeat("y", 200_000) + "\"}\nsteps: [" + strings.Repeat("*x,", 10) + "]"
		s.Post(testkit.AdminToken, pipelinesPath, map[string]any{"name": "Texts", "repository": "r", "configuration": text}).
			WantMessage(t, 422, "Validation failed: Configuration has more than 1 MiB of texts, where its aliases are followed")
	})
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
