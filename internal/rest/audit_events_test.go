package rest_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const auditPath = organizationPath + "/audit_events"

// auditEvents returns the events that a query chooses, the newest first.
func auditEvents(t testing.TB, s *testkit.Server, query string) []map[string]any {
	t.Helper()
	return s.Get(testkit.AdminToken, auditPath+"?per_page=100&"+query).Want(t, 200).List()
}

func TestAuditEventFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Clock.Advance(time.Second)
		request := testkit.Request{Method: "POST", Path: teamsPath, Token: testkit.AdminToken, Body: `{"name": "Fresh"}`,
			Header: map[string]string{"User-Agent": "a test/1.0 \xff"}}
		team := s.Do(request).Want(t, 201).Text("id")
		token := s.Get(testkit.AdminToken, "/v2/access-token").Want(t, 200).Text("uuid")
		facts := `{"name": "Fresh", "slug": "fresh", "description": DESCRIPTION, "privacy": "visible", "is_default_team": false,
			"default_member_role": "member", "members_can_create_pipelines": false, "members_can_delete_pipelines": false, "members_can_create_suites": false, "members_can_create_registries": false,
			"members_can_destroy_registries": false, "members_can_destroy_packages": false}`
		want := func(kind, data string) {
			t.Helper()
			event := auditEvents(t, s, "")[0]
			id := event["uuid"].(string)
			wantExactly(t, event, `{
				"uuid": "ID", "graphql_id": "GID", "type": "KIND", "occurred_at": "2026-05-03T04:17:56.867Z",
				"actor": {"type": "USER", "uuid": "ADMIN", "name": "Admin"}, "subject": {"type": "TEAM", "uuid": "TEAM-ID", "name": "Fresh"},
				"context": {"type": "APIContext", "surface": "rest", "request_ip": "127.0.0.1", "request_ip_address": "127.0.0.1", "request_user_agent": "a test/1.0 ?", "request_api_access_token_uuid": "TOKEN"},
				"data": DATA, "url": "BASE/v2/organizations/acme-inc/audit_events/ID"}`,
				"GID", globalID("AuditEvent", id), "TEAM-ID", team, "ID", id, "KIND", kind, "ADMIN", testkit.AdminID, "TOKEN", token, "BASE", s.URL, "DATA", data)
			wantExactly(t, s.Get(testkit.AdminToken, event["url"].(string)).Want(t, 200).Object(), string(asJSON(t, event)))
		}
		plain, described := strings.Replace(facts, "DESCRIPTION", "null", 1), strings.Replace(facts, "DESCRIPTION", `"x"`, 1)
		want("TEAM_CREATED", `{"after": `+plain+`}`)
		request.Method, request.Path, request.Body = "PATCH", teamsPath+"/"+team, `{"description": "x"}`
		s.Do(request).Want(t, 200)
		want("TEAM_UPDATED", `{"before": `+plain+`, "after": `+described+`}`)
		request.Method, request.Body = "DELETE", nil
		s.Do(request).Want(t, 204)
		want("TEAM_DELETED", `{"before": `+described+`}`)
	})
}

func TestAuditEventsOfOperators(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		operator := authz.OperatorActor()
		if err := s.Service.AddMember(t.Context(), operator, "acme-inc", "outsider@example.com", domain.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		token, _, err := s.Service.CreateAPIToken(t.Context(), operator, domain.APITokenInput{
			User: "outsider@example.com", Description: "Both", Organizations: []string{"acme-inc", "elsewhere"}, Scopes: []string{"read_user"},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing
			if err := s.Service.RevokeAPIToken(t.Context(), operator, string(token.ID)); err != nil {
				t.Fatal(err)
			}
		}
		for path, want := range map[string]string{
			auditPath: `["API_ACCESS_TOKEN_DELETED", "API_ACCESS_TOKEN_CREATED", "ORGANIZATION_MEMBER_CREATED"]`,
			"/v2/organizations/elsewhere/audit_events": `["API_ACCESS_TOKEN_DELETED", "API_ACCESS_TOKEN_CREATED", "API_ACCESS_TOKEN_CREATED"]`, // the last of the fixture
		} {
			reader := testkit.AdminToken
			if path != auditPath {
				reader = testkit.OutsiderToken
			}
			events := s.Get(reader, path+"?per_page=3").Want(t, 200).List()
			wantExactly(t, testkit.Column(events, "type"), want)
			for _, event := range events {
				wantExactly(t, event["actor"], `{"type": "OPERATOR", "uuid": null, "name": "Operator"}`)
				wantExactly(t, event["context"], `{"type": null, "surface": "operator", "request_ip": null, "request_ip_address": null, "request_user_agent": null, "request_api_access_token_uuid": null}`)
			}
			wantExactly(t, events[1]["subject"], `{"type": "API_ACCESS_TOKEN", "uuid": "`+string(token.ID)+`", "name": "Both"}`)
		}

		// Who revokes their own token does so in every organization that it was for.
		own := surfaceTokenOf(t, s, "outsider@example.com", func(in *domain.APITokenInput) { in.Organizations = []string{"acme-inc", "elsewhere"} })
		s.Delete(own, "/v2/access-token").Want(t, 204)
		for reader, path := range map[string]string{testkit.AdminToken: auditPath, testkit.OutsiderToken: "/v2/organizations/elsewhere/audit_events"} {
			event := s.Get(reader, path+"?per_page=1").Want(t, 200).List()[0]
			if event["type"] != "API_ACCESS_TOKEN_DELETED" || event["actor"].(map[string]any)["uuid"] != testkit.OutsiderID {
				t.Errorf("%s: %v", path, event)
			}
		}
	})
}

func TestAuditEventsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var want []any
		for i := range 9 {
			if i%3 == 0 { // some at the same time
				s.Clock.Advance(time.Millisecond)
			}
			want = append([]any{createdTeam(t, s, fmt.Sprint("Team ", i))}, want...)
		}
		subjects := func(a *testkit.Answer) (ids []any) {
			for _, event := range a.List() {
				ids = append(ids, event["subject"].(map[string]any)["uuid"])
			}
			return ids
		}
		page := s.Get(testkit.AdminToken, auditPath+"?type=TEAM_CREATED&per_page=4&occurred_at_from=2026-05-03T04:17:55.868Z").Want(t, 200)
		var got []any
		var sizes []int
		for {
			got, sizes = append(got, subjects(page)...), append(sizes, len(page.List()))
			if linksOf(page)["next"] == nil {
				break
			}
			page = follow(t, s, page, "next")
		}
		if !slices.Equal(got, want) || !slices.Equal(sizes, []int{4, 4, 1}) {
			t.Errorf("got %v in pages of %v, want %v", got, sizes, want)
		}
		if back := subjects(follow(t, s, page, "prev")); !slices.Equal(back, want[4:8]) {
			t.Errorf("before the last page come %v", back)
		}
		if first := subjects(follow(t, s, page, "first")); !slices.Equal(first, want[:4]) {
			t.Errorf("first come %v", first)
		}
		// A page stays where it is when new events come.
		second := linksOf(page)["prev"].(string)
		createdTeam(t, s, "Newest")
		if again := subjects(s.Get(testkit.AdminToken, second).Want(t, 200)); !slices.Equal(again, want[4:8]) {
			t.Errorf("after a new event: %v", again)
		}
	})
}

func TestAuditEventFilters(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Clock.Advance(time.Hour)
		team := createdTeam(t, s, "Fresh")
		s.Patch(testkit.AdminToken, teamsPath+"/"+team, `{"description": "x"}`).Want(t, 200)
		s.Clock.Advance(time.Hour)
		cluster := s.Post(testkit.MemberToken, clustersPath, `{"name": "Fresh"}`).Want(t, 201).Text("id")
		const from, middle = "occurred_at_from=2026-05-03T05:17:55.867Z", "2026-05-03T06:17:55.867Z"
		for query, want := range map[string]string{
			from:                        `["CLUSTER_CREATED", "TEAM_UPDATED", "TEAM_CREATED"]`,
			from + "&type=TEAM_UPDATED": `["TEAM_UPDATED"]`,
			from + "&type=TEAM_DELETED": `[]`,
			"subject_uuid=" + team:      `["TEAM_UPDATED", "TEAM_CREATED"]`,
			"subject_uuid=" + strings.ToUpper(cluster):                             `["CLUSTER_CREATED"]`,
			"actor=" + testkit.MemberID:                                            `["CLUSTER_CREATED"]`,
			"actor=" + testkit.AdminID:                                             `["TEAM_UPDATED", "TEAM_CREATED"]`,
			"actor=" + testkit.OutsiderID:                                          `[]`,
			"actor=" + testkit.AdminID + "&type=TEAM_CREATED&subject_uuid=" + team: `["TEAM_CREATED"]`,
			"occurred_at_from=" + middle:                                           `["CLUSTER_CREATED"]`, // inclusive
			"occurred_at_from=2026-05-03T08:17:55.867%2B02:00":                     `["CLUSTER_CREATED"]`,
			from + "&occurred_at_to=" + middle:                                     `["TEAM_UPDATED", "TEAM_CREATED"]`, // exclusive
			from + "&occurred_at_to=2026-05-03T06:17:55.868Z":                      `["CLUSTER_CREATED", "TEAM_UPDATED", "TEAM_CREATED"]`,
			"occurred_at_from=" + middle + "&occurred_at_to=" + middle:             `[]`,
			"occurred_at_from=2026-05-03T06:00":                                    `["CLUSTER_CREATED"]`,
			from + "&occurred_at_to=2026-05-03T06:17:55.867":                       `["TEAM_UPDATED", "TEAM_CREATED"]`,
			from + "&occurred_at_to=2026-05-04":                                    `["CLUSTER_CREATED", "TEAM_UPDATED", "TEAM_CREATED"]`,
			"occurred_at_from=2026-05-04":                                          `[]`,
		} {
			if got := string(asJSON(t, testkit.Column(auditEvents(t, s, query), "type"))); got != strings.ReplaceAll(want, " ", "") {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		for query, message := range map[string]string{
			"type=TEAM":              "type must be a type of audit event, such as CLUSTER_CREATED",
			"type=team_created":      "type must be a type of audit event, such as CLUSTER_CREATED",
			"type=%00":               "type must be a type of audit event, such as CLUSTER_CREATED",
			"actor=Admin":            "actor must be a UUID",
			"actor=":                 "actor must be a UUID",
			"subject_uuid=%FF":       "subject_uuid must be a UUID",
			"occurred_at_from=today": "occurred_at_from must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
			"occurred_at_to=2026":    "occurred_at_to must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
			"occurred_at_to=":        "occurred_at_to must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
		} {
			s.Get(testkit.AdminToken, auditPath+"?"+query).WantMessage(t, 400, message)
			s.Get(testkit.MemberToken, auditPath+"?"+query).WantMessage(t, 403, "Forbidden")
		}
		for _, extreme := range []string{"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"} {
			s.Get(testkit.AdminToken, auditPath+"?occurred_at_from="+extreme+"&occurred_at_to="+extreme).Want(t, 200)
		}
	})
}

func TestAuditEventsAreFilteredByEveryTypeOfTheSchema(t *testing.T) {
	t.Parallel()
	schema, err := os.ReadFile("../../docs/schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	_, members, _ := strings.Cut(string(schema), "enum AuditEventType {")
	members, _, _ = strings.Cut(members, "\n}")
	types := regexp.MustCompile(`(?m)^ *([A-Z_]+)$`).FindAllStringSubmatch(members, -1)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, name := range []string{"ORGANIZATION_DELETED", "API_ACCESS_TOKEN_UPDATED"} { // that nothing records
			if events := auditEvents(t, s, "type="+name); len(events) != 0 {
				t.Errorf("%s: %v", name, events)
			}
		}
		for _, name := range types {
			s.Get(testkit.AdminToken, auditPath+"?type="+name[1]).Want(t, 200)
		}
		if len(types) < len(domain.AuditEventTypes) {
			t.Errorf("the schema has only %d types", len(types))
		}
	})
}

func TestAuditEventFiltersAreCheckedInOrder(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for range 20 {
			s.Get(testkit.AdminToken, auditPath+"?subject_uuid=x&actor=x").WantMessage(t, 400, "actor must be a UUID")
			s.Get(testkit.AdminToken, auditPath+"?occurred_at_to=x&occurred_at_from=x").
				WantMessage(t, 400, "occurred_at_from must be an ISO 8601 time such as 2026-01-31T12:00:00Z")
		}
	})
}

func TestAuditEventCursorsAreForOneListOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		list := s.Get(testkit.AdminToken, auditPath+"?per_page=1").Want(t, 200)
		given := cursorIn(t, list, "next", "after")
		cursor := url.QueryEscape(given)
		s.Get(testkit.AdminToken, auditPath+"?after="+cursor).Want(t, 200)
		s.Get(testkit.AdminToken, auditPath+"?type=TEAM_CREATED&after="+cursor).Want(t, 400)
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/audit_events?after="+cursor).Want(t, 400)
		for _, position := range []string{"", "x", "1", "1 \x00", "1 \xff", `["x"]`, `["\u0000"]`, "[\"\xff\"]", `["x", "x"]`, `[]`, `null`, `[1]`} {
			forged := testkit.ForgeCursor(t, given, position)
			if status := s.Get(testkit.AdminToken, auditPath+"?after="+url.QueryEscape(forged)).Status; status != 200 && status != 400 {
				t.Errorf("a cursor with the position %q: %d", position, status)
			}
		}
	})
}

func TestAuditEventsAreForAdministratorsWithTheScope(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		event := auditPath + "/" + auditEvents(t, s, "")[0]["uuid"].(string)
		unscoped := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.Scopes = []string{"read_organizations", "write_organizations"} })
		for _, path := range []string{auditPath, event, auditPath + "/" + unknownUUID} {
			s.Get(testkit.OutsiderToken, path).WantMessage(t, 404, "No organization found")
			s.Get(unscoped, path).WantMessage(t, 403, "Your access token doesn't have the read_audit_events scope")
			for _, token := range []string{testkit.MemberToken, testkit.MaintainerToken, testkit.TeammateToken} {
				s.Get(token, path).WantMessage(t, 403, "Forbidden")
			}
		}
		// An event is one of its organization only.
		s.Get(testkit.OutsiderToken, strings.Replace(event, "acme-inc", "elsewhere", 1)).WantMessage(t, 404, "No audit event found")
		for _, id := range []string{unknownUUID, "x", "%00"} {
			s.Get(testkit.AdminToken, auditPath+"/"+id).WantMessage(t, 404, "No audit event found")
		}
	})
}

func TestAuditEventsCannotBeChanged(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := createdTeam(t, s, "Fresh")
		before := auditEvents(t, s, "")
		event := before[0]["url"].(string)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			for _, path := range []string{auditPath, event} {
				s.Do(testkit.Request{Method: method, Path: path, Token: testkit.AdminToken, Body: `{"type": "TEAM_DELETED"}`}).Want(t, 405)
			}
		}
		// Names in events are those of then, and nothing that is deleted takes its events along.
		s.Patch(testkit.AdminToken, teamsPath+"/"+team, `{"name": "Renamed"}`).Want(t, 200)
		s.Delete(testkit.AdminToken, teamsPath+"/"+team).Want(t, 204)
		testkit.Change(t, s.DB, `UPDATE users SET name = 'Renamed' WHERE id = $1`, testkit.AdminID)
		s.Delete(testkit.AdminToken, membersPath+"/"+testkit.MemberID).Want(t, 204)
		after := auditEvents(t, s, "")
		wantExactly(t, after[len(after)-len(before):], string(asJSON(t, before)))
	})
}

func TestAnUpdateThatChangesNothingLeavesNoEvent(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return (e.method == "PUT" || e.method == "PATCH") && !e.isOfBuilds() }) {
			path := e.target(t, s)
			e.call(s, testkit.AdminToken, path).Want(t, e.status)
			before := storedNumber(t, s, `SELECT count(*) FROM audit_events`)
			e.call(s, testkit.AdminToken, path).Want(t, e.status)
			wanted := int64(0)
			if strings.HasSuffix(e.path, "/value") { // is not compared with the one before, which is encrypted
				wanted = 1
			}
			if n := storedNumber(t, s, `SELECT count(*) FROM audit_events`) - before; n != wanted {
				t.Errorf("%s left %d events", e, n)
			}
		}
	})
}

func TestOrganizationChangesLeaveTheEventOfTheirKind(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for body, want := range map[string]string{
			`{"name": "Other"}`:                                                      "ORGANIZATION_UPDATED",
			`{"settings": {"cluster_writes": "managers"}}`:                           "ORGANIZATION_UPDATED",
			`{"settings": {"allowed_api_ip_addresses": "127.0.0.1"}}`:                "ORGANIZATION_SECURITY_SETTINGS_UPDATED",
			`{"settings": {"revoke_inactive_tokens_after_days": 5}}`:                 "ORGANIZATION_SECURITY_SETTINGS_UPDATED",
			`{"settings": {"build_retention_days": 90}}`:                             "ORGANIZATION_UPDATED",
			`{"settings": {"audit_retention_days": 5}}`:                              "ORGANIZATION_SECURITY_SETTINGS_UPDATED",
			`{"name": "Both", "settings": {"revoke_inactive_tokens_after_days": 6}}`: "ORGANIZATION_SECURITY_SETTINGS_UPDATED",
		} {
			before := len(auditEvents(t, s, ""))
			id := s.Patch(testkit.AdminToken, organizationPath, body).Want(t, 200).Text("id")
			events := auditEvents(t, s, "")
			if len(events) != before+1 || events[0]["type"] != want || events[0]["subject"].(map[string]any)["uuid"] != id {
				t.Errorf("%s left %d events, the last %v", body, len(events)-before, events[0])
			}
		}
	})
}

// TestAuditEventsHoldNoSecrets makes every secret that there is and looks for it, and for its hash, in all that is stored of events.
func TestAuditEventsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const password, declared = "a password of the web", "an-explicit-value-of-a-token"
		s.Bootstrap(`
users: [{email: new@example.com, name: New, password: ` + password + `}]
organizations: [{slug: acme-inc, name: Acme Inc, members: [{user: new@example.com, role: member}]}]
tokens: [{user: new@example.com, token: ` + declared + `, description: CI, organizations: [acme-inc], scopes: [read_user]}]`)
		secrets := []string{password, declared}
		agent := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), `{"description": "agents"}`).Want(t, 201)
		s.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens", agent.Text("id")), `{"description": "fewer agents"}`).Want(t, 200)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens", agent.Text("id"))).Want(t, 204)
		own, revoked := surfaceTokenOf(t, s, "member@example.com", nil), surfaceTokenOf(t, s, "member@example.com", nil)
		s.Delete(own, "/v2/access-token").Want(t, 204)
		if err := s.Service.RevokeAPIToken(t.Context(), authz.OperatorActor(), revoked); err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, agent.Text("token"), own, revoked, testkit.AdminToken)

		var stored strings.Builder
		events := 0
		err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
			return tx.Query(`SELECT actor_id, actor_name, subject_id, subject_name, context, data FROM audit_events`, func(r *db.Row) error {
				for range 6 {
					stored.WriteString(r.Text() + "\n")
				}
				events++
				return nil
			})
		})
		if err != nil || events < 20 {
			t.Fatalf("%d events: %v", events, err)
		}
		for _, secret := range secrets {
			if secret == "" {
				t.Error("a secret is empty")
			}
			for _, shape := range []string{secret, domain.HashToken(secret), "argon2"} {
				if strings.Contains(stored.String(), shape) {
					t.Errorf("the events hold %q", shape)
				}
			}
		}
	})
}

func TestAuditEventsAreKeptAsLongAsTheOrganizationSays(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const day = 24 * time.Hour
		prune := func(want int64) {
			t.Helper()
			if n, err := s.Service.PruneAuditEvents(t.Context(), authz.OperatorActor()); err != nil || n != want {
				t.Errorf("%d events were deleted, want %d: %v", n, want, err)
			}
		}
		old := int64(len(auditEvents(t, s, "")))
		elsewhere := storedNumber(t, s, `SELECT count(*) FROM audit_events`) - old
		s.Clock.Advance(10 * day)
		prune(0) // 0 days are for ever
		createdTeam(t, s, "Fresh")
		s.Patch(testkit.AdminToken, organizationPath, `{"settings": {"audit_retention_days": 10}}`).Want(t, 200)
		prune(0)
		s.Clock.Advance(time.Millisecond)
		prune(old)
		prune(0)
		wantExactly(t, testkit.Column(auditEvents(t, s, ""), "type"), `["ORGANIZATION_SECURITY_SETTINGS_UPDATED", "TEAM_CREATED"]`)
		s.Clock.Advance(10 * day)
		prune(2)
		if n := storedNumber(t, s, `SELECT count(*) FROM audit_events`); n != elsewhere {
			t.Errorf("%d events are left, want %d of the other organization", n, elsewhere)
		}
	})
}
