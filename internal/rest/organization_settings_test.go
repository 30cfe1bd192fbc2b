package rest_test

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const organizationPath = "/v2/organizations/" + testkit.Organization

func TestOrganizationSettingsAreShownToAdministratorsOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		shown := s.Get(testkit.AdminToken, organizationPath).Want(t, 200).Object()
		wantExactly(t, shown["settings"], `{"cluster_writes": "members", "maintainers_can_destroy_cache_registries": true, "members_can_create_pipelines": true,
			"default_cluster_id": null, "allowed_api_ip_addresses": "", "revoke_inactive_tokens_after_days": 0, "audit_retention_days": 0,
			"restrict_user_api_token_creation": false, "members_can_create_public_pipelines": false, "default_branch": null, "default_timeout_in_minutes": null,
			"maximum_timeout_in_minutes": null, "scheduled_job_expiry_in_minutes": null, "build_retention_days": null}`)
		delete(shown, "settings")
		for _, token := range []string{testkit.MemberToken, testkit.MaintainerToken} {
			wantExactly(t, s.Get(token, organizationPath).Want(t, 200).Object(), string(asJSON(t, shown)))
		}
		wantExactly(t, s.Get(testkit.AdminToken, "/v2/organizations").Want(t, 200).List()[0], string(asJSON(t, shown)))
	})
}

func TestUpdateOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		want := s.Get(testkit.AdminToken, organizationPath).Want(t, 200).Object()
		settings := want["settings"].(map[string]any)
		for _, change := range []struct {
			body  string
			apply func()
		}{
			{`{"name": " Acme & Co ", "slug": "other", "unknown": 1}`, func() { want["name"] = "Acme & Co" }}, // the slug stays
			{`{"settings": {"cluster_writes": "managers"}}`, func() { settings["cluster_writes"] = "managers" }},
			{`{"settings": {"maintainers_can_destroy_cache_registries": false}}`, func() { settings["maintainers_can_destroy_cache_registries"] = false }},
			{`{"settings": {"members_can_create_pipelines": false}}`, func() { settings["members_can_create_pipelines"] = false }},
			{`{"settings": {"default_cluster_id": "` + strings.ToUpper(testkit.MaintainedID) + `"}}`, func() { settings["default_cluster_id"] = testkit.MaintainedID }},
			{`{"settings": {"default_cluster_id": null}}`, func() { settings["default_cluster_id"] = nil }},
			{`{"settings": {"allowed_api_ip_addresses": " 127.0.0.0/8   ::1 "}}`, func() { settings["allowed_api_ip_addresses"] = "127.0.0.0/8 ::1" }},
			{`{"settings": {"allowed_api_ip_addresses": null}}`, func() { settings["allowed_api_ip_addresses"] = "" }},
			{`{"settings": {"revoke_inactive_tokens_after_days": 36500}}`, func() { settings["revoke_inactive_tokens_after_days"] = 36500.0 }},
			{`{"settings": {"audit_retention_days": 1}}`, func() { settings["audit_retention_days"] = 1.0 }},
			{`{"name": "Acme Inc", "settings": {"audit_retention_days": 0, "cluster_writes": "members"}}`, func() {
				want["name"], settings["audit_retention_days"], settings["cluster_writes"] = "Acme Inc", 0.0, "members"
			}},
			{`{"settings": {"restrict_user_api_token_creation": true, "members_can_create_public_pipelines": true, "default_branch": "trunk"}}`, func() {
				settings["restrict_user_api_token_creation"], settings["members_can_create_public_pipelines"], settings["default_branch"] = true, true, "trunk"
			}},
			{`{"settings": {"default_timeout_in_minutes": 1, "maximum_timeout_in_minutes": 2, "scheduled_job_expiry_in_minutes": 3}}`, func() {
				settings["default_timeout_in_minutes"], settings["maximum_timeout_in_minutes"], settings["scheduled_job_expiry_in_minutes"] = 1.0, 2.0, 3.0
			}},
			{`{"settings": {"build_retention_days": 30}}`, func() { settings["build_retention_days"] = 30.0 }},
			{`{"settings": {"build_retention_days": 365}}`, func() { settings["build_retention_days"] = 365.0 }},
			{`{"settings": {"build_retention_days": null}}`, func() { settings["build_retention_days"] = nil }},
			{`{}`, func() {}},
			{`{"settings": null}`, func() {}},
		} {
			change.apply()
			wantExactly(t, s.Patch(testkit.AdminToken, organizationPath, change.body).Want(t, 200).Object(), string(asJSON(t, want)))
			wantExactly(t, s.Get(testkit.AdminToken, organizationPath).Want(t, 200).Object(), string(asJSON(t, want)))
		}
	})
}

func TestOrganizationSettingsTakeEffectAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		set := func(settings string) {
			t.Helper()
			s.Patch(testkit.AdminToken, organizationPath, `{"settings": `+settings+`}`).Want(t, 200)
		}
		newPipeline := `{"name": "Web", "repository": "git@example.com:acme/web.git"}`
		set(`{"cluster_writes": "managers", "members_can_create_pipelines": false, "maintainers_can_destroy_cache_registries": false}`)
		s.Post(testkit.MemberToken, clustersPath, `{"name": "New"}`).WantMessage(t, 403, "Forbidden")
		s.Post(testkit.MemberToken, organizationPath+"/pipelines", newPipeline).WantMessage(t, 403, "Forbidden")
		s.Delete(testkit.MaintainerToken, testkit.ClusterPath(testkit.MaintainedID, "cache-registries", testkit.RegistryID)).WantMessage(t, 403, "Forbidden")
		set(`{"cluster_writes": "members", "members_can_create_pipelines": true, "maintainers_can_destroy_cache_registries": true}`)
		s.Post(testkit.MemberToken, clustersPath, `{"name": "New"}`).Want(t, 201)
		s.Post(testkit.MemberToken, organizationPath+"/pipelines", newPipeline).Want(t, 201)
		s.Delete(testkit.MaintainerToken, testkit.ClusterPath(testkit.MaintainedID, "cache-registries", testkit.RegistryID)).Want(t, 204)
		set(`{"default_cluster_id": "` + testkit.MaintainedID + `"}`)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).
			WantMessage(t, 422, "Cluster can't be deleted while it is the organization's default cluster for new pipelines")
		set(`{"default_cluster_id": null}`)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 204)
		set(`{"allowed_api_ip_addresses": "127.0.0.1"}`)
		if answer := surfaceServed(surfaceAPI(s, nil), "GET", organizationPath, "", "192.0.2.1:1", "Authorization", "Bearer "+testkit.AdminToken); answer.Code != 403 {
			t.Errorf("from another address: %d %s", answer.Code, answer.Body)
		}
	})
}

// TestMakingAClusterTheDefaultWhileItIsDeleted lets both orders happen.
func TestMakingAClusterTheDefaultWhileItIsDeleted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for range rounds {
			cluster := createdCluster(t, s)
			wantEither(t, atOnce(s,
				testkit.Request{Method: "PATCH", Path: organizationPath, Body: `{"settings": {"default_cluster_id": "` + cluster + `"}}`},
				testkit.Request{Method: "DELETE", Path: testkit.ClusterPath(cluster)},
			), []int{200, 422}, []int{422, 204})
			s.Patch(testkit.AdminToken, organizationPath, `{"settings": {"default_cluster_id": null}}`).Want(t, 200)
		}
	})
}

func TestOrganizationSettingsAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const retention = "settings.build_retention_days must be a number of days from 30 to 365, or null"
		const days, cluster = " must be a number of days from 0 to 36500", "settings.default_cluster_id must be the UUID of a cluster in this organization"
		wantUnchanged(t, s, organizationPath, func() {
			for body, reason := range map[string]string{
				`{"name": " "}`:    "Name can't be blank",
				`{"name": null}`:   "Name can't be blank",
				`{"settings": []}`: "settings must be an object",
				`{"settings": {"cluster_writes": "nobody"}}`:                                                                         "Cluster writes must be members or managers",
				`{"settings": {"cluster_writes": null}}`:                                                                             "Cluster writes must be members or managers",
				`{"settings": {"maintainers_can_destroy_cache_registries": null}}`:                                                   "settings.maintainers_can_destroy_cache_registries must be true or false",
				`{"settings": {"members_can_create_pipelines": "no"}}`:                                                               "settings.members_can_create_pipelines must be true or false",
				`{"settings": {"default_cluster_id": "` + testkit.ElsewhereID + `"}}`:                                                cluster,
				`{"settings": {"default_cluster_id": "Maintained"}}`:                                                                 cluster,
				`{"settings": {"default_cluster_id": ""}}`:                                                                           cluster,
				`{"settings": {"allowed_api_ip_addresses": "10/8"}}`:                                                                 `Allowed API IP addresses are not valid: "10/8" is not a CIDR address`,
				`{"settings": {"allowed_api_ip_addresses": "10.0.0.0/8 192.0.2.1"}}`:                                                 "Allowed API IP addresses must include your own: 127.0.0.1",
				`{"settings": {"allowed_api_ip_addresses": "127.0.0.1` + strings.Repeat(" 10.0.0.1", 1200) + `"}}`:                   "Allowed API IP addresses is too long (maximum is 10000 characters)",
				`{"settings": {"revoke_inactive_tokens_after_days": -1}}`:                                                            "settings.revoke_inactive_tokens_after_days" + days,
				`{"settings": {"revoke_inactive_tokens_after_days": null}}`:                                                          "settings.revoke_inactive_tokens_after_days" + days,
				`{"settings": {"build_retention_days": 29}}`:                                                                         retention,
				`{"settings": {"build_retention_days": 366}}`:                                                                        retention,
				`{"settings": {"build_retention_days": 0}}`:                                                                          retention,
				`{"settings": {"build_retention_days": "x"}}`:                                                                        "settings.build_retention_days must be a whole number",
				`{"settings": {"audit_retention_days": 36501}}`:                                                                      "settings.audit_retention_days" + days,
				`{"settings": {"audit_retention_days": 1.5}}`:                                                                        "settings.audit_retention_days must be a whole number",
				`{"settings": {"audit_retention_days": "1"}}`:                                                                        "settings.audit_retention_days must be a whole number",
				`{"settings": {"audit_retention_days": 99999999999999999999}}`:                                                       "settings.audit_retention_days must be a whole number",
				`{"name": "Good", "settings": {"cluster_writes": "members", "audit_retention_days": -1, "default_cluster_id": "x"}}`: cluster + ", settings.audit_retention_days" + days,
			} {
				s.Patch(testkit.AdminToken, organizationPath, body).WantMessage(t, 422, "Validation failed: "+reason)
			}
			s.Patch(testkit.MemberToken, organizationPath, `{"name": 1}`).WantMessage(t, 403, "Forbidden")
		})
	})
}

func TestTokensThatAreNotUsedForTooLongLoseTheOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const day = 24 * time.Hour
		s.Bootstrap(`organizations: [{slug: patient, name: Patient, members: [{user: member@example.com, role: admin}]}]`)
		two := func(in *domain.APITokenInput) { in.Organizations = append(in.Organizations, "patient") }
		unused, used, late := surfaceTokenOf(t, s, "member@example.com", two), surfaceTokenOf(t, s, "member@example.com", two), surfaceTokenOf(t, s, "member@example.com", two)
		admin := surfaceTokenOf(t, s, "admin@example.com", nil)
		store := func() {
			t.Helper()
			if err := s.Service.StoreTokenUses(t.Context(), authz.OperatorActor()); err != nil {
				t.Fatal(err)
			}
		}
		limit := func(days string) {
			t.Helper()
			s.Patch(admin, organizationPath, `{"settings": {"revoke_inactive_tokens_after_days": `+days+`}}`).Want(t, 200)
		}
		reaches := func(token, organizations string) {
			t.Helper()
			wantExactly(t, testkit.Column(s.Get(token, "/v2/organizations").Want(t, 200).List(), "slug"), organizations)
			answer := s.Get(token, clustersPath)
			if strings.Contains(organizations, "acme-inc") {
				answer.Want(t, 200)
			} else {
				answer.WantMessage(t, 404, "No organization found")
			}
			s.Get(token, "/v2/organizations/patient").Want(t, 200)
		}
		limit("30")
		s.Clock.Advance(20 * day)
		s.Get(used, "/v2/user").Want(t, 200)
		s.Get(admin, "/v2/user").Want(t, 200)
		store()
		s.Clock.Advance(10*day - time.Millisecond)
		reaches(late, `["acme-inc", "patient"]`)
		s.Clock.Advance(time.Millisecond)
		reaches(used, `["acme-inc", "patient"]`)
		reaches(unused, `["patient"]`)

		// The setting decides until the use is stored; from then on the organization is lost, however it was used.
		limit("0")
		reaches(unused, `["acme-inc", "patient"]`)
		limit("30")
		s.Get(unused, "/v2/user").Want(t, 200)
		store()
		reaches(unused, `["patient"]`)
		reaches(used, `["acme-inc", "patient"]`)
		reaches(late, `["acme-inc", "patient"]`) // stored late, used in time
		limit("0")
		reaches(unused, `["patient"]`)

		events := s.Get(admin, organizationPath+"/audit_events?type=API_ACCESS_TOKEN_ORGANIZATION_ACCESS_REVOKED").Want(t, 200).List()
		if len(events) != 1 || events[0]["actor"].(map[string]any)["type"] != "OPERATOR" {
			t.Errorf("the events are %v", events)
		}
	})
}
