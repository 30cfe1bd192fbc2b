package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// takesBody reports whether an operation takes a body, and needsBody whether it must have one.
func takesBody(e surfaceEndpoint) bool { return e.body != "" }

func needsBody(e surfaceEndpoint) bool {
	for _, optional := range []string{"/pause_dispatch", "/retry_failed_jobs", "/unblock", "/stop", "/pause"} {
		if strings.HasSuffix(e.path, optional) {
			return false
		}
	}
	return takesBody(e) && !strings.HasPrefix(e.path, surfacePortal+"/")
}

func TestBodyMustBeAJSONObject(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(takesBody) {
			path := e.target(t, s)
			for _, body := range []string{
				"{", "}", "nonsense", "null", "true", "1", `"text"`, "[]", "[" + e.body + "]", `"{}"`, // no JSON, or no object
				e.body + "}", e.body + e.body, e.body + " x", e.body[:len(e.body)-1], // not just one
				`{name: "a"}`, `{'name': 'a'}`, `{"name": "a",}`, `{"name": NaN}`, `{"name": 'a'}`, `{"name": "a" /* why */}`, "name: a", // nearly JSON
				`{"name": "a", "name": "b"}`, `{"x": {"y": 1, "y": 2}}`, `{"na\u006de": "a", "name": "b"}`, // which is meant?
				"\ufeff" + e.body, "{\"name\": \"a\nb\"}", `{"name": "\x"}`, `{"name": "\u12"}`, "{\"\x00\": 1}\x00",
				" ", "\n", "\x00", "\xff",
			} {
				s.Do(testkit.Request{Method: e.method, Path: path, Token: testkit.AdminToken, Body: body}).Want(t, 400)
			}
			if !needsBody(e) {
				continue
			}
			s.Do(testkit.Request{Method: e.method, Path: path, Token: testkit.AdminToken}).Want(t, 400)
			s.Do(testkit.Request{Method: e.method, Path: path, Token: testkit.AdminToken, Body: ""}).Want(t, 400)
		}
	})
}

func TestContentTypeMustBeJSON(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(takesBody) {
			send := func(contentType, path string) *testkit.Answer {
				request := e.request(testkit.AdminToken, path)
				request.Header = map[string]string{"Content-Type": contentType} // "" sends none
				return s.Do(request)
			}
			path := e.target(t, s)
			for _, contentType := range []string{
				"", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/octet-stream",
				"application/jsonp", "application/json-patch+json", "application/vnd.api+json", "application/json, text/plain", "application", "json", "*/*", ";",
			} {
				send(contentType, path).WantMessage(t, 415, "The Content-Type must be application/json")
			}
			for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"} {
				send(contentType, e.target(t, s)).Want(t, e.status)
			}
		}
	})
}

// bodyMembers are the members of each kind of body, by the type that they must have.
var bodyMembers = map[string]map[string]string{
	"POST " + surfaceClusters: {
		"name": "a string", "description": "a string", "emoji": "a string", "color": "a string", "maintainers": "an array",
		"maintainers[0]": "an object", "maintainers[0].user": "a string", "maintainers[0].team": "a string",
	},
	"PUT " + surfaceCluster: {
		"name": "a string", "description": "a string", "emoji": "a string", "color": "a string", "default_queue_id": "a string",
		"default_cache_registry_uuid": "a string", "hosted_git_mirror_enabled": "true or false", "hosted_container_cache_enabled": "true or false",
	},
	"POST " + surfaceCluster + "/queues": {
		"key": "a string", "description": "a string", "retry_agent_affinity": "a string",
		"hosted_agents": "an object", "hosted_agents.instance_shape": "a string", "hostedAgents": "an object", "hostedAgents.instanceShape": "a string",
		"hosted_agents.platform_settings": "an object", "hosted_agents.platform_settings.linux": "an object",
		"hosted_agents.platform_settings.linux.agent_image_ref": "a string", "hosted_agents.platform_settings.macos.xcode_version": "a string",
	},
	"PUT " + surfaceQueue:                      {"key": "a string", "description": "a string", "retry_agent_affinity": "a string", "hosted_agents": "an object"},
	"POST " + surfaceQueue + "/pause_dispatch": {"note": "a string", "dispatch_paused_note": "a string"},
	"POST " + surfaceCluster + "/tokens":       {"description": "a string", "allowed_ip_addresses": "a string", "expires_at": "a string"},
	"PUT " + surfaceToken:                      {"description": "a string", "allowed_ip_addresses": "a string", "expires_at": "a string"},
	"POST " + surfaceCluster + "/secrets":      {"key": "a string", "value": "a string", "description": "a string", "policy": "a string"},
	"PUT " + surfaceSecret:                     {"key": "a string", "value": "a string", "description": "a string", "policy": "a string"},
	"PUT " + surfaceSecret + "/value":          {"value": "a string"},
	"POST " + surfaceCluster + "/maintainers":  {"user": "a string", "team": "a string"},
	"POST " + surfaceCluster + "/cache-registries": {
		"name": "a string", "description": "a string", "emoji": "a string", "color": "a string",
	},
	"PATCH " + surfaceRegistry: {"name": "a string", "description": "a string", "emoji": "a string", "color": "a string"},
	"POST " + surfacePipelines: pipelineMembers,
	"PATCH " + surfacePipeline: pipelineMembers,
	"POST " + surfaceBuilds: {
		"commit": "a string", "branch": "a string", "message": "a string", "tag": "a string", "author": "an object", "author.name": "a string",
		"author.email": "a string", "env": "an object", "env.A": "a string", "meta_data": "an object", "meta_data.A": "a string",
		"clean_checkout": "true or false", "ignore_pipeline_branch_filters": "true or false",
	},
	"PUT " + surfaceBuild + "/retry_failed_jobs": {"states": "a string"},
	"PUT " + surfaceBuildJob + "/reprioritize":   {"priority": "a whole number"},
	"PUT " + surfaceJob + "/reprioritize":        {"priority": "a whole number"},
	"PUT " + surfaceBuildJob + "/unblock":        {"fields": "an object", "unblocker": "a string"},
	"PUT " + surfaceJob + "/unblock":             {"fields": "an object", "unblocker": "a string"},
	"POST " + surfaceBuild + "/annotations":      annotationMembers,
	"POST " + surfaceBuildJob + "/annotations":   annotationMembers,
	"POST " + surfaceJob + "/annotations":        annotationMembers,
	"PUT " + surfaceAgent + "/stop":              {"force": "true or false"},
	"PUT " + surfaceAgent + "/pause":             {"note": "a string", "timeout_in_minutes": "a whole number"},
	"PATCH " + surfaceOrganization: {
		"name": "a string", "settings": "an object", "settings.cluster_writes": "a string", "settings.maintainers_can_destroy_cache_registries": "true or false",
		"settings.members_can_create_pipelines": "true or false", "settings.default_cluster_id": "a string", "settings.allowed_api_ip_addresses": "a string",
		"settings.revoke_inactive_tokens_after_days": "a whole number", "settings.audit_retention_days": "a whole number",
		"settings.build_retention_days": "a whole number",
	},
	"PATCH " + surfaceOrganization + "/api-settings": {
		"allowed_ip_addresses": "a string", "revoke_inactive_tokens_after_days": "a whole number", "restrict_user_api_token_creation": "true or false",
	},
	"PATCH " + surfaceOrganization + "/pipeline-settings": {
		"default_branch": "a string", "default_cluster_id": "a string", "default_timeout_in_minutes": "a whole number",
		"maximum_timeout_in_minutes": "a whole number", "scheduled_job_expiry_in_minutes": "a whole number",
	},
	"PATCH " + surfaceMember:             {"role": "a string"},
	"POST " + surfaceTeams:               teamMembers,
	"PATCH " + surfaceTeam:               teamMembers,
	"POST " + surfaceTeam + "/members":   {"user_id": "a string", "role": "a string"},
	"PATCH " + surfaceTeamMember:         {"role": "a string"},
	"POST " + surfaceTeam + "/pipelines": {"pipeline_id": "a string", "access_level": "a string"},
	"PATCH " + surfaceTeamPipeline:       {"access_level": "a string"},
	"POST " + surfacePortals:             portalMembers,
	"PUT " + surfacePortal:               portalMembers,
	"POST " + surfaceInvitations: {
		"emails": "an array", "emails[0]": "a string", "role": "a string", "sso_mode": "a string", "teams": "an array", "teams[0]": "an object",
		"teams[0].id": "a string", "teams[0].role": "a string",
	},
	"POST " + surfaceRules: {
		"type": "a string", "rule": "a string", "description": "a string", "value": "an object", "value.source_pipeline": "a string",
		"value.target_pipeline": "a string", "value.conditions": "an array", "value.conditions[0]": "a string",
	},
	"POST " + surfaceTemplates:   templateMembers,
	"PATCH " + surfaceTemplate:   templateMembers,
	"POST " + surfaceSchedules:   scheduleMembers,
	"PUT " + surfaceSchedule:     scheduleMembers,
	"PUT " + surfaceBanner:       {"message": "a string"},
	"POST " + surfaceServices:    serviceMembers,
	"PATCH " + surfaceService:    serviceMembers,
	"POST " + surfaceConnections: connectionMembers,
	"POST " + surfaceTriggers:    triggerMembers,
	"PATCH " + surfaceTrigger:    triggerMembers,
	"PATCH " + surfaceConnection: connectionMembers,

	"POST " + surfacePortal + "/tokens":  {"description": "a string", "expires_at": "a string"},
	"POST " + surfacePortal + "/secrets": {"description": "a string"},
}

var annotationMembers = map[string]string{"body": "a string", "context": "a string", "style": "a string", "priority": "a whole number", "append": "true or false"}

var (
	templateMembers = map[string]string{"name": "a string", "description": "a string", "configuration": "a string", "available": "true or false"}
	scheduleMembers = map[string]string{
		"label": "a string", "cronline": "a string", "message": "a string", "commit": "a string", "branch": "a string", "env": "an object", "env.A": "a string",
		"enabled": "true or false",
	}
)

var triggerMembers = map[string]string{
	"type": "a string", "label": "a string", "enabled": "true or false", "build": "an object", "build.message": "a string", "build.commit": "a string", "build.branch": "a string",
	"build.environment": "an object", "build.environment.A": "a string", "filter": "an object", "filter.expression": "a string", "verification": "an object",
	"verification.strategy": "a string", "verification.secret": "a string",
}

var connectionMembers = map[string]string{
	"type": "a string", "host": "an object", "host.url": "a string", "display_name": "a string", "token": "a string", "webhook_secret": "a string",
}

var serviceMembers = map[string]string{
	"provider": "a string", "description": "a string", "scope": "a string", "scope_uuids": "an array", "scope_uuids[0]": "a string", "branch_configuration": "a string",
	"build_states": "an object", "build_states.build_passed": "true or false", "build_states.build_fixed": "true or false", "build_states.build_failed": "true or false",
	"build_states.build_blocked": "true or false", "build_states.build_canceled": "true or false", "build_states.build_failing": "true or false",
	"build_states.job_activated": "true or false", "settings": "an object", "settings.url": "a string", "settings.token": "a string", "settings.token_mode": "a string",
	"settings.events": "an array", "settings.events[0]": "a string", "settings.tls_verify": "true or false", "settings.version": "a whole number",
	"settings.channel": "a string", "settings.theme": "a string", "settings.addresses": "an array", "settings.addresses[0]": "a string",
}

var portalMembers = map[string]string{"name": "a string", "description": "a string", "query": "a string", "allowed_ip_addresses": "a string"}

var teamMembers = map[string]string{
	"name": "a string", "description": "a string", "privacy": "a string", "is_default_team": "true or false", "default": "true or false",
	"default_member_role": "a string", "members_can_create_pipelines": "true or false",
}

var pipelineMembers = map[string]string{
	"name": "a string", "description": "a string", "repository": "a string", "cluster_id": "a string", "configuration": "a string",
	"default_branch": "a string", "branch_configuration": "a string", "visibility": "a string", "tags": "an array", "tags[0]": "a string",
	"emoji": "a string", "color": "a string", "env": "an object", "env.A": "a string",
	"skip_queued_branch_builds": "true or false", "skip_queued_branch_builds_filter": "a string",
	"cancel_running_branch_builds": "true or false", "cancel_running_branch_builds_filter": "a string", "allow_rebuilds": "true or false",
}

// bodyWith returns a body in which the member at a path such as a.b[0] has the given JSON.
func bodyWith(path, value string) string {
	parts := strings.Split(strings.ReplaceAll(path, "[0]", ".[0]"), ".")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "[0]" {
			value = "[" + value + "]"
		} else {
			value = `{"` + parts[i] + `": ` + value + `}`
		}
	}
	return value
}

// eachMember calls fn for each member of each kind of body.
func eachMember(t *testing.T, s *testkit.Server, fn func(send func(body string) *testkit.Answer, member, kind string)) {
	t.Helper()
	for _, e := range endpointsWith(takesBody) {
		method := e.method
		if _, ok := bodyMembers[e.String()]; !ok {
			method = "PUT" // PATCH does the same
		}
		members := bodyMembers[method+" "+e.path]
		if members == nil {
			t.Errorf("%s has no members here", e)
		}
		path := e.target(t, s)
		for member, kind := range members {
			fn(func(body string) *testkit.Answer {
				return s.Do(testkit.Request{Method: e.method, Path: path, Token: testkit.AdminToken, Body: body})
			}, member, kind)
		}
	}
}

func TestWrongJSONTypesAreInvalid(t *testing.T) {
	t.Parallel()
	values := map[string][]string{
		"a string":       {`"text"`},
		"true or false":  {"true", "false"},
		"an array":       {"[]"},
		"an object":      {"{}"},
		"a whole number": {"0"},
		"":               {"-1.5e3", "123456789012345678901234567890"},
	}
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		eachMember(t, s, func(send func(string) *testkit.Answer, member, kind string) {
			for other, samples := range values {
				if other == kind {
					continue
				}
				for _, sample := range samples {
					answer := send(bodyWith(member, sample)).Want(t, 422)
					reasons, ok := strings.CutPrefix(answer.Message(), "Validation failed: ")
					if !ok || !strings.Contains(", "+reasons+", ", ", "+member+" must be "+kind+", ") {
						t.Errorf("%s as %s: %s", member, sample, answer)
					}
				}
			}
		})
	})
}

func TestTextWithNULOrInvalidUTF8IsInvalid(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		eachMember(t, s, func(send func(string) *testkit.Answer, member, kind string) {
			if kind != "a string" {
				return
			}
			for _, value := range []string{`"a\u0000b"`, "\"a\xffb\"", "\"\xc3\"", "\"\xed\xa0\x80\"", `"\ud800"`, `"\udc00\ud800"`, "\"\xf8\x88\x80\x80\x80\""} {
				send(bodyWith(member, value)).Want(t, 422)
			}
		})
		// A NUL that is written as such, and text that is not UTF-8 in a member that does not matter.
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		s.Put(testkit.AdminToken, cluster, "{\"name\": \"a\x00b\"}").Want(t, 400)
		s.Put(testkit.AdminToken, cluster, "{\"unknown\": \"a\xffb\", \"\xff\": 1}").Want(t, 200)
		// Every other character is text.
		const text = "a\u2028\ufffd\U0001f680\u0301\u202e\u001f"
		if got := s.Put(testkit.AdminToken, cluster, map[string]string{"description": text}).Want(t, 200).Text("description"); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
		// Neither gets into a message.
		registries := cluster + "/cache-registries"
		s.Post(testkit.AdminToken, registries, "{\"name\": \"a\", \"un\xffknown\": 1}").WantMessage(t, 422, "Validation failed: un\ufffdknown is not a field that can be set")
		s.Post(testkit.AdminToken, registries, "{\"name\": \"a\", \"\xff\": 1, \"\xff\": 2}").WantMessage(t, 400, "The body has a member twice: /\ufffd")
		s.Post(testkit.AdminToken, registries, "{\"name\": \"a\", \"policy\": {\"\xff\": 1}}").Want(t, 422)
		s.Post(testkit.AdminToken, registries, "{\"name\": \"a\", \"policy\": {\"restore\": {\"scopes\": [{\"branch\": \"a\xff\"}]}}}").Want(t, 422)
		s.Post(testkit.AdminToken, registries, `{"name": "a", "policy": {"restore": {"scopes": [{"branch": "a\u0000"}]}}}`).Want(t, 422)
		s.Post(testkit.AdminToken, registries, `{"name": "a", "policy": {"rules": [{"name": "a\u0000", "effect": "allow", "action": "save"}]}}`).Want(t, 422)
	})
}

func TestSeveralReasonsAreJoined(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		clusters, cluster := "/v2/organizations/acme-inc/clusters", testkit.ClusterPath(testkit.MaintainedID)
		const emoji, color = "Emoji must be a name between colons, such as :rocket:", "Color must be # and 3 or 6 hexadecimal digits"
		s.Post(testkit.AdminToken, clusters, `{"name": " ", "emoji": "rocket", "color": "red"}`).
			WantMessage(t, 422, "Validation failed: Name can't be blank, "+emoji+", "+color)
		s.Put(testkit.AdminToken, cluster, `{"name": "", "emoji": "rocket", "color": "red"}`).
			WantMessage(t, 422, "Validation failed: Name can't be blank, "+emoji+", "+color)
		// What is wrong with the JSON and what is wrong with the values is told together, each once.
		s.Post(testkit.AdminToken, clusters, `{"name": 1, "description": [], "color": "red"}`).
			WantMessage(t, 422, "Validation failed: name must be a string, description must be a string, "+color)
		s.Post(testkit.AdminToken, cluster+"/cache-registries", `{"nam": "a", "slug": "a", "color": "red"}`).
			WantMessage(t, 422, "Validation failed: nam is not a field that can be set, slug is not a field that can be set, Name can't be blank, "+color)
		s.Post(testkit.AdminToken, cluster+"/queues", `{"key": "a b", "retry_agent_affinity": "coldest"}`).
			WantMessage(t, 422, "Validation failed: Key can only contain letters, digits, - and _, Retry agent affinity must be prefer-warmest or prefer-different")
		s.Post(testkit.AdminToken, cluster+"/tokens", `{"allowed_ip_addresses": "x", "expires_at": "tomorrow"}`).
			WantMessage(t, 422, `Validation failed: Description can't be blank, Expires at must be an ISO 8601 time such as 2027-01-31T12:00:00Z, `+
				`Allowed IP addresses are not valid: "x" is not a CIDR address`)
	})
}

// nullSettings clears every setting that a hosted queue of any kind can have.
const nullSettings = `{"linux": {"agent_image_ref": null}, "macos": {"macos_version": null, "xcode_version": null}}`

func TestNullOnCreateIsAbsent(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		clusters, cluster := "/v2/organizations/acme-inc/clusters", testkit.ClusterPath(testkit.MaintainedID)
		for _, c := range []struct{ path, absent, null string }{
			{clusters, `{"name": "a"}`, `{"name": "a", "description": null, "emoji": null, "color": null, "maintainers": null}`},
			{cluster + "/queues", `{"key": "a"}`, `{"key": "b", "description": null, "retry_agent_affinity": null, "hosted_agents": null, "hostedAgents": null}`},
			{cluster + "/queues", `{"key": "c", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`,
				`{"key": "d", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4", "platform_settings": null}}`},
			{cluster + "/queues", `{"key": "e", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`,
				`{"key": "f", "hosted_agents": null, "hostedAgents": {"instance_shape": null, "instanceShape": "LINUX_AMD64_2X4"}}`},
			{cluster + "/queues", `{"key": "g", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`,
				`{"key": "h", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4", "platform_settings": ` + nullSettings + `}}`},
			{cluster + "/queues", `{"key": "i", "hosted_agents": {"instance_shape": "MACOS_ARM64_M4_6X28"}}`,
				`{"key": "j", "hosted_agents": {"instance_shape": "MACOS_ARM64_M4_6X28", "platform_settings": ` + nullSettings + `}}`},
			{cluster + "/tokens", `{"description": "a"}`, `{"description": "a", "allowed_ip_addresses": null, "expires_at": null}`},
			{cluster + "/maintainers", `{"user": "` + testkit.AdminID + `"}`, `{"user": "` + testkit.MemberID + `", "team": null}`},
			{cluster + "/cache-registries", `{"name": "a"}`, `{"name": "b", "description": null, "emoji": null, "color": null, "policy": null}`},
		} {
			absent := s.Post(testkit.AdminToken, c.path, c.absent).Want(t, 201).Object()
			null := s.Post(testkit.AdminToken, c.path, c.null).Want(t, 201).Object()
			for _, member := range []string{
				"description", "emoji", "color", "maintainers", "retry_agent_affinity", "hosted", "hosted_agents", "allowed_ip_addresses", "expires_at", "policy",
			} {
				if a, n := fmt.Sprint(absent[member]), fmt.Sprint(null[member]); a != n {
					t.Errorf("%s: %s is %s when absent, and %s when null", c.path, member, a, n)
				}
			}
		}
		// Null for a required one is absent too.
		s.Post(testkit.AdminToken, clusters, `{"name": null}`).WantMessage(t, 422, "Validation failed: Name can't be blank")
		s.Post(testkit.AdminToken, cluster+"/queues", `{"key": null}`).WantMessage(t, 422, "Validation failed: Key can't be blank")
		s.Post(testkit.AdminToken, cluster+"/tokens", `{"description": null}`).WantMessage(t, 422, "Validation failed: Description can't be blank")
		s.Post(testkit.AdminToken, cluster+"/cache-registries", `{"name": null}`).WantMessage(t, 422, "Validation failed: Name can't be blank")
	})
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const unknown = `"unknown": {"name": [1, null]}, "id": 1, "Name": 2, "NAME": 3, "created_at": false, "": 0`
		for _, e := range endpointsWith(takesBody) {
			if strings.Contains(e.path, "cache-registries") || strings.HasSuffix(e.path, "-settings") || strings.HasPrefix(e.path, surfaceTriggers) {
				continue // they are refused
			}
			path := e.target(t, s)
			answer := s.Do(testkit.Request{Method: e.method, Path: path, Token: testkit.AdminToken, Body: strings.Replace(e.body, "{", "{"+unknown+", ", 1)})
			if answer.Want(t, e.status).Object()["unknown"] != nil || answer.Object()["id"] == float64(1) {
				t.Errorf("%s", answer)
			}
		}
	})
}
