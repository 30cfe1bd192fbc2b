package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

const (
	apiSettingsPath      = organizationPath + "/api-settings"
	pipelineSettingsPath = organizationPath + "/pipeline-settings"
	publicPipelinesPath  = pipelineSettingsPath + "/public-pipelines"
)

func TestAPISettings(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		show := func(addresses, days, restricted string) string {
			return `{"url": "` + s.URL + apiSettingsPath + `", "allowed_ip_addresses": ` + addresses + `, "revoke_inactive_tokens_after_days": ` + days + `,
				"restrict_user_api_token_creation": ` + restricted + `, "features": {"api_ip_allow_list": true, "inactive_api_token_revocation": true}}`
		}
		wantExactly(t, s.Get(testkit.AdminToken, apiSettingsPath).Want(t, 200).Object(), show("null", "null", "false"))
		for _, change := range []struct{ body, want string }{
			{`{"allowed_ip_addresses": " 127.0.0.0/8  ::1 "}`, show(`"127.0.0.0/8 ::1"`, "null", "false")},
			{`{"revoke_inactive_tokens_after_days": 30}`, show(`"127.0.0.0/8 ::1"`, "30", "false")},
			{`{"restrict_user_api_token_creation": true}`, show(`"127.0.0.0/8 ::1"`, "30", "true")},
			{`{"revoke_inactive_tokens_after_days": 365}`, show(`"127.0.0.0/8 ::1"`, "365", "true")},
			{`{}`, show(`"127.0.0.0/8 ::1"`, "365", "true")},
			{`{"allowed_ip_addresses": null, "revoke_inactive_tokens_after_days": null, "restrict_user_api_token_creation": false}`, show("null", "null", "false")},
		} {
			wantExactly(t, s.Patch(testkit.AdminToken, apiSettingsPath, change.body).Want(t, 200).Object(), change.want)
			wantExactly(t, s.Get(testkit.AdminToken, apiSettingsPath).Want(t, 200).Object(), change.want)
		}
		// A name that is not known is refused: it may be that of the same setting elsewhere.
		for path, body := range map[string]string{
			apiSettingsPath: `{"allowed_api_ip_addresses": "127.0.0.0/8"}`, pipelineSettingsPath: `{"unknown": 1}`, organizationPath: `{"settings": {"allowed_ip_addresses": "127.0.0.0/8"}}`,
		} {
			answer := s.Patch(testkit.AdminToken, path, body).Want(t, 422)
			if !strings.HasSuffix(answer.Text("message"), " is not a field that can be set") {
				t.Errorf("%s: %s", path, answer)
			}
		}
		// They are the settings that the organization has under another name.
		s.Patch(testkit.AdminToken, organizationPath, `{"settings": {"allowed_api_ip_addresses": "127.0.0.1", "revoke_inactive_tokens_after_days": 45}}`).Want(t, 200)
		wantExactly(t, s.Get(testkit.AdminToken, apiSettingsPath).Want(t, 200).Object(), show(`"127.0.0.1"`, "45", "false"))
		if answer := surfaceServed(surfaceAPI(s, nil), "GET", apiSettingsPath, "", "192.0.2.1:1", "Authorization", "Bearer "+testkit.AdminToken); answer.Code != 403 {
			t.Errorf("from another address: %d %s", answer.Code, answer.Body)
		}
		s.Patch(testkit.AdminToken, apiSettingsPath, `{"restrict_user_api_token_creation": true}`).Want(t, 200)
		events := s.Get(testkit.AdminToken, organizationPath+"/audit_events?per_page=1").Want(t, 200).List()
		if events[0]["type"] != "ORGANIZATION_SECURITY_SETTINGS_UPDATED" {
			t.Errorf("the event is %v", events[0])
		}
	})
}

func TestSettingsAreValidatedAllAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const period, cluster = "revoke_inactive_tokens_after_days must be 30, 60, 90, 180, 365 or null", "default_cluster_id must be the UUID of a cluster in this organization"
		minutes := func(name string) string {
			return name + "_in_minutes must be a number of minutes from 0 to 525600, or null"
		}
		for path, faults := range map[string]map[string]string{
			apiSettingsPath: {
				`{"allowed_ip_addresses": "10/8"}`:            `Allowed API IP addresses are not valid: "10/8" is not a CIDR address`,
				`{"allowed_ip_addresses": "192.0.2.1"}`:       "Allowed API IP addresses must include your own: 127.0.0.1",
				`{"allowed_ip_addresses": ["127.0.0.1"]}`:     "allowed_ip_addresses must be a string",
				`{"revoke_inactive_tokens_after_days": 0}`:    period,
				`{"revoke_inactive_tokens_after_days": 31}`:   period,
				`{"revoke_inactive_tokens_after_days": "30"}`: "revoke_inactive_tokens_after_days must be a whole number",
				`{"restrict_user_api_token_creation": null}`:  "restrict_user_api_token_creation must be true or false",
				`{"restrict_user_api_token_creation": "yes"}`: "restrict_user_api_token_creation must be true or false",
				`{"allowed_ip_addresses": "x", "revoke_inactive_tokens_after_days": 1, "restrict_user_api_token_creation": null}`: `Allowed API IP addresses are not valid: "x" is not a CIDR address, ` + period + `, restrict_user_api_token_creation must be true or false`,
			},
			pipelineSettingsPath: {
				`{"default_branch": "` + strings.Repeat("b", 256) + `"}`:                                               "Default branch is too long (maximum is 255 characters)",
				`{"default_branch": 1}`:                                                                                "default_branch must be a string",
				`{"default_cluster_id": "` + testkit.ElsewhereID + `"}`:                                                cluster,
				`{"default_cluster_id": "Maintained"}`:                                                                 cluster,
				`{"default_timeout_in_minutes": -1}`:                                                                   minutes("default_timeout"),
				`{"maximum_timeout_in_minutes": 525601}`:                                                               minutes("maximum_timeout"),
				`{"scheduled_job_expiry_in_minutes": 1.5}`:                                                             "scheduled_job_expiry_in_minutes must be a whole number",
				`{"default_timeout_in_minutes": 61, "maximum_timeout_in_minutes": 60}`:                                 "default_timeout_in_minutes must not be more than maximum_timeout_in_minutes",
				`{"default_cluster_id": "x", "default_timeout_in_minutes": -1, "scheduled_job_expiry_in_minutes": -1}`: cluster + ", " + minutes("default_timeout") + ", " + minutes("scheduled_job_expiry"),
			},
		} {
			wantUnchanged(t, s, path, func() {
				for body, reason := range faults {
					s.Patch(testkit.AdminToken, path, body).WantMessage(t, 422, "Validation failed: "+reason)
				}
			})
		}
	})
}

func TestSettingsAreForAdministrators(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, r := range []struct{ method, path, scope string }{
			{"GET", apiSettingsPath, "read_organization_settings"}, {"PATCH", apiSettingsPath, "write_organization_settings"},
			{"GET", pipelineSettingsPath, "read_organization_settings"}, {"PATCH", pipelineSettingsPath, "write_organization_settings"},
			{"PUT", publicPipelinesPath, "write_organization_settings"}, {"DELETE", publicPipelinesPath, "write_organization_settings"},
		} {
			body := map[bool]any{true: map[string]any{}}[r.method == "PATCH"]
			for _, token := range []string{testkit.MemberToken, testkit.MaintainerToken} {
				s.Do(testkit.Request{Method: r.method, Path: r.path, Token: token, Body: body}).WantMessage(t, 403, "Forbidden")
			}
			s.Do(testkit.Request{Method: r.method, Path: r.path, Token: testkit.OutsiderToken, Body: body}).WantMessage(t, 404, "No organization found")
			s.Do(testkit.Request{Method: r.method, Path: r.path, Token: testkit.ReadOnlyToken, Body: body}).
				WantMessage(t, 403, "Your access token doesn't have the "+r.scope+" scope")
		}
	})
}

func TestPipelineSettings(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		disabled := map[string]any{"enabled": false, "enabled_at": nil, "enabled_by": nil}
		want := map[string]any{
			"url": s.URL + pipelineSettingsPath, "default_branch": nil, "default_cluster_id": nil, "default_timeout_in_minutes": nil, "maximum_timeout_in_minutes": nil,
			"scheduled_job_expiry_in_minutes": nil, "public_pipeline_creation": disabled, "hosted_agents_terminal_access": disabled,
			"advanced_queue_metrics": map[string]any{"enabled": false, "enabled_at": nil, "enabled_by": nil, "disable_supported": false},
			"build_exports":          map[string]any{"available": false, "enabled": false, "location": nil, "strategy_id": nil, "supported_strategies": []any{}},
		}
		wantShown := func(answer *testkit.Answer) {
			t.Helper()
			wantExactly(t, answer.Want(t, 200).Object(), string(asJSON(t, want)))
			wantExactly(t, s.Get(testkit.AdminToken, pipelineSettingsPath).Want(t, 200).Object(), string(asJSON(t, want)))
		}
		wantShown(s.Get(testkit.AdminToken, pipelineSettingsPath))
		for _, change := range []map[string]any{
			{"default_branch": "trunk"}, {"default_cluster_id": testkit.MaintainedID}, {"maximum_timeout_in_minutes": 120.0}, {"default_timeout_in_minutes": 60.0},
			{"scheduled_job_expiry_in_minutes": 1440.0}, {"default_timeout_in_minutes": 0.0}, {"maximum_timeout_in_minutes": 0.0, "default_timeout_in_minutes": 5.0},
			{"default_branch": nil, "default_cluster_id": nil, "maximum_timeout_in_minutes": nil, "default_timeout_in_minutes": nil, "scheduled_job_expiry_in_minutes": nil}, {},
		} {
			for name, value := range change {
				want[name] = value
			}
			wantShown(s.Patch(testkit.AdminToken, pipelineSettingsPath, change))
		}
		s.Patch(testkit.AdminToken, pipelineSettingsPath, `{"default_branch": " "}`).Want(t, 200) // none
		wantShown(s.Get(testkit.AdminToken, pipelineSettingsPath))

		since := s.Clock.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		want["public_pipeline_creation"] = map[string]any{"enabled": true, "enabled_at": since, "enabled_by": map[string]any{"id": testkit.AdminID, "name": "Admin"}}
		enabled := s.Do(testkit.Request{Method: http.MethodPut, Path: publicPipelinesPath, Token: testkit.AdminToken})
		wantShown(enabled)
		s.Clock.Advance(1000000000)
		wantShown(s.Do(testkit.Request{Method: http.MethodPut, Path: publicPipelinesPath, Token: testkit.AdminToken})) // it stays as it was enabled
		stale := testkit.Request{Method: http.MethodDelete, Path: publicPipelinesPath, Token: testkit.AdminToken, Header: map[string]string{"If-Match": `"stale"`}}
		s.Do(stale).Want(t, 412)
		stale.Header = map[string]string{"If-Match": enabled.Header.Get("ETag")}
		s.Do(stale).Want(t, 204)
		want["public_pipeline_creation"] = disabled
		s.Delete(testkit.AdminToken, publicPipelinesPath).Want(t, 204) // which changes nothing
		wantShown(s.Get(testkit.AdminToken, pipelineSettingsPath))
		events := testkit.Column(s.Get(testkit.AdminToken, organizationPath+"/audit_events?per_page=3").Want(t, 200).List(), "type")
		wantExactly(t, events, `["ORGANIZATION_SECURITY_SETTINGS_UPDATED", "ORGANIZATION_SECURITY_SETTINGS_UPDATED", "ORGANIZATION_UPDATED"]`)
	})
}

func TestNewPipelinesBeginWithTheOrganizationsSettings(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Patch(testkit.AdminToken, pipelineSettingsPath, map[string]any{"default_branch": "trunk", "default_timeout_in_minutes": 10, "maximum_timeout_in_minutes": 60}).Want(t, 200)
		create := func(more map[string]any) *testkit.Answer {
			body := map[string]any{"name": "P", "repository": "r"}
			for name, value := range more {
				body[name] = value
			}
			return s.Post(testkit.MemberToken, organizationPath+"/pipelines", body)
		}
		shown := func(answer *testkit.Answer) []any {
			o := answer.Object()
			return []any{o["default_branch"], o["default_command_step_timeout"], o["maximum_command_step_timeout"]}
		}
		wantExactly(t, shown(create(nil).Want(t, 201)), `["trunk", 10, 60]`)
		wantExactly(t, shown(create(map[string]any{"name": "Null", "default_branch": nil, "default_command_step_timeout": nil, "maximum_command_step_timeout": nil}).Want(t, 201)), `["trunk", 10, 60]`)
		wantExactly(t, shown(create(map[string]any{"name": "Own", "default_branch": "main", "default_command_step_timeout": 20, "maximum_command_step_timeout": 30}).Want(t, 201)), `["main", 20, 30]`)
		const tooLong = "Validation failed: Default command step timeout must be at most the organization's 60 minutes, Maximum command step timeout must be at most the organization's 60 minutes"
		create(map[string]any{"name": "Long", "default_command_step_timeout": 61, "maximum_command_step_timeout": 61}).WantMessage(t, 422, tooLong)
		s.Patch(testkit.MemberToken, organizationPath+"/pipelines/own", map[string]any{"default_command_step_timeout": 61, "maximum_command_step_timeout": 61}).WantMessage(t, 422, tooLong)
		wantExactly(t, shown(s.Patch(testkit.MemberToken, organizationPath+"/pipelines/own", map[string]any{"maximum_command_step_timeout": 60}).Want(t, 200)), `["main", 20, 60]`)

		// What is there already stays, and can be changed otherwise.
		s.Patch(testkit.AdminToken, pipelineSettingsPath, map[string]any{"default_timeout_in_minutes": nil, "maximum_timeout_in_minutes": 5}).Want(t, 200)
		wantExactly(t, shown(s.Patch(testkit.MemberToken, organizationPath+"/pipelines/own", map[string]any{"description": "D"}).Want(t, 200)), `["main", 20, 60]`)
		s.Patch(testkit.AdminToken, pipelineSettingsPath, map[string]any{"default_branch": nil, "maximum_timeout_in_minutes": 0}).Want(t, 200)
		wantExactly(t, shown(create(map[string]any{"name": "Free", "maximum_command_step_timeout": 1000}).Want(t, 201)), `[null, null, 1000]`)
	})
}

func TestMembersMakePublicPipelinesIfTheyMay(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipelines := organizationPath + "/pipelines"
		public := func(name string) map[string]any {
			return map[string]any{"name": name, "repository": "r", "visibility": "public"}
		}
		s.Post(testkit.MemberToken, pipelines, public("A")).WantMessage(t, 403, "Forbidden")
		s.Post(testkit.AdminToken, pipelines, public("By an administrator")).Want(t, 201)
		s.Post(testkit.MemberToken, pipelines, map[string]any{"name": "B", "repository": "r", "visibility": "private"}).Want(t, 201)
		s.Patch(testkit.MemberToken, pipelines+"/b", `{"visibility": "public"}`).WantMessage(t, 403, "Forbidden")
		s.Do(testkit.Request{Method: http.MethodPut, Path: publicPipelinesPath, Token: testkit.AdminToken}).Want(t, 200)
		s.Post(testkit.MemberToken, pipelines, public("A")).Want(t, 201)
		s.Patch(testkit.MemberToken, pipelines+"/b", `{"visibility": "public"}`).Want(t, 200)
		s.Delete(testkit.AdminToken, publicPipelinesPath).Want(t, 204)
		s.Patch(testkit.MemberToken, pipelines+"/b", `{"visibility": "public", "description": "It stays public"}`).Want(t, 200)
		s.Patch(testkit.MemberToken, pipelines+"/b", `{"visibility": "private"}`).Want(t, 200)
	})
}

func TestNetworkRangesAreNone(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID, "network_ranges")
		for _, token := range []string{testkit.AdminToken, testkit.MaintainerToken, testkit.TeammateToken} {
			if answer := s.Get(token, path).Want(t, 200); !slices.Equal(answer.Body, []byte("[]")) {
				t.Errorf("%s", answer)
			}
		}
		s.Get(testkit.MemberToken, path).WantMessage(t, 403, "Forbidden")
		s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.ElsewhereID, "network_ranges")).WantMessage(t, 404, "No cluster found")
	})
}
