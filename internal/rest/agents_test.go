package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

const agentsPath = organizationPath + "/agents"

func TestAgentFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}]")
		createdBuild(t, s, pipeline)
		shown := s.Get(testkit.MemberToken, agentsPath+"/"+agent.ID).Want(t, 200)
		wantMembers(t, shown, `{"id": "ID", "graphql_id": "GLOBAL", "url": "BASE/v2/organizations/acme-inc/agents/ID", "web_url": "BASE/organizations/acme-inc/agents/ID", "name": "Runner",
			"connection_state": "connected", "hostname": "host-Runner", "ip_address": "192.0.2.7", "version": "3.138.1", "os_id": "linux", "arch": "amd64", "queue": "default",
			"priority": 3, "meta_data": ["queue=default", "os=linux"], "paused": false, "job": null, "last_job_finished_at": null}`,
			"ID", agent.ID, "GLOBAL", globalID("Agent", agent.ID), "BASE", s.URL)
		running := agent.take()
		busy := s.Get(testkit.MemberToken, agentsPath+"/"+agent.ID).Want(t, 200)
		job, _ := busy.Object()["job"].(map[string]any)
		if job["id"] != running.ID || job["state"] != "running" || job["agent"] != nil {
			t.Errorf("the job of a busy agent is %v", job)
		}
		list := s.Get(testkit.MemberToken, agentsPath).Want(t, 200)
		if got, want := asJSON(t, list.List()), asJSON(t, []any{busy.Object()}); string(got) != string(want) {
			t.Errorf("the list shows %s, not %s", got, want)
		}
		running.finish(0)
		idle := s.Get(testkit.MemberToken, agentsPath+"/"+agent.ID).Want(t, 200)
		if idle.Object()["job"] != nil || idle.Text("last_job_finished_at") == "" {
			t.Errorf("%s", idle)
		}
		for _, id := range []string{"x", testkit.QueueID} {
			s.Get(testkit.MemberToken, agentsPath+"/"+id).WantMessage(t, 404, "No agent found")
		}
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/agents/"+agent.ID).WantMessage(t, 404, "No agent found")
		s.Put(testkit.OutsiderToken, "/v2/organizations/elsewhere/agents/"+agent.ID+"/stop", nil).WantMessage(t, 404, "No agent found")
		s.Get(testkit.OutsiderToken, agentsPath+"/"+agent.ID).WantMessage(t, 404, "No organization found")
	})
}

func TestAgentsAreChosen(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		gone := newRunner(t, s, "Gone")
		for i := range 4 {
			newRunner(t, s, fmt.Sprintf("A%d", i))
		}
		s.Put(testkit.AdminToken, agentsPath+"/"+gone.ID+"/stop", nil).Want(t, 204)
		names := func(query string) string {
			t.Helper()
			return column(s.Get(testkit.MemberToken, agentsPath+query).Want(t, 200).List(), "name")
		}
		if got := names(""); got != "[A3 A2 A1 A0 Gone]" {
			t.Errorf("the agents are %s", got)
		}
		if err := s.Agents.DisconnectAgent(t.Context(), gone.session); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"": "[A3 A2 A1 A0]", "?name=A1": "[A1]", "?name=a1": "[]", "?name=A": "[]", "?hostname=host-A2": "[A2]", "?version=3.138.1": "[A3 A2 A1 A0]", "?version=3": "[]",
			"?cluster_queue_id=" + testkit.QueueID: "[A3 A2 A1 A0]", "?cluster_queue_id=" + testkit.TeamID: "[]", "?name=A1&hostname=host-A2": "[]", "?name=%00": "[]",
			"?per_page=3": "[A3 A2 A1]", "?per_page=3&page=2": "[A0]", "?page=3": "[]",
		} {
			if got := names(query); got != want {
				t.Errorf("%s lists %s, not %s", query, got, want)
			}
		}
		if links := fmt.Sprint(pageLinks(t, s.Get(testkit.MemberToken, agentsPath+"?per_page=3&version=3.138.1"))); links != "map[last:2 next:2]" {
			t.Errorf("the links are %s", links)
		}
		s.Get(testkit.MemberToken, agentsPath+"?cluster_queue_id=x").WantMessage(t, 400, "cluster_queue_id must be the UUID of a queue")
		s.Get(testkit.MemberToken, agentsPath+"?page=0").Want(t, 400)
		wantMembers(t, s.Get(testkit.MemberToken, agentsPath+"/"+gone.ID).Want(t, 200), `{"connection_state": "stopped"}`) // by itself it is still shown
	})
}

func TestStopAnAgent(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}]", `"default_branch": "main"`)
		for body, state := range map[string]string{`{"force": true}`: "canceling", `{}`: "canceling", `{"force": false}`: "running"} {
			agent := newRunner(t, s, "Runner")
			build := pathOf(s, createdBuild(t, s, pipeline))
			running := agent.take()
			s.Put(testkit.AdminToken, agentsPath+"/"+agent.ID+"/stop", body).Want(t, 204)
			wantMembers(t, s.Get(testkit.AdminToken, agentsPath+"/"+agent.ID).Want(t, 200), `{"connection_state": "stopping"}`)
			wantMembers(t, s.Get(testkit.AdminToken, build+"/jobs/"+running.ID).Want(t, 200), `{"state": "`+state+`"}`)
			running.finish(0)
			ping, err := s.Builds.PingAgent(t.Context(), agent.session)
			if err != nil || ping.Action != builds.ActionDisconnect {
				t.Errorf("an agent that is to stop is told %+v, %v", ping, err)
			}
			if err := s.Agents.DisconnectAgent(t.Context(), agent.session); err != nil {
				t.Fatal(err)
			}
			s.Put(testkit.AdminToken, agentsPath+"/"+agent.ID+"/stop", nil).WantMessage(t, 400, "Can only stop connected agents")
		}
	})
}

func TestPauseAnAgent(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		path := agentsPath + "/" + agent.ID
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}]")
		createdBuild(t, s, pipeline)
		s.Put(testkit.AdminToken, path+"/resume", nil).WantMessage(t, 422, "Agent is not paused")
		for body, message := range map[string]string{
			`{"timeout_in_minutes": 0}`:                     "Validation failed: Timeout in minutes must be from 1 to 1440",
			`{"timeout_in_minutes": 1441}`:                  "Validation failed: Timeout in minutes must be from 1 to 1440",
			`{"note": "` + strings.Repeat("x", 1001) + `"}`: "Validation failed: Note is too long (maximum is 1000 characters)",
			`{"note": "` + strings.Repeat("ü", 501) + `"}`:  "Validation failed: Note is too long (maximum is 1000 bytes)",
			`{"note": "a\u0000"}`:                           "Validation failed: Note must be valid UTF-8 without NUL",
		} {
			s.Put(testkit.AdminToken, path+"/pause", body).WantMessage(t, 422, message)
		}
		s.Put(testkit.MaintainerToken, path+"/pause", `{"note": "Disk full", "timeout_in_minutes": 60}`).Want(t, 204)
		shown := s.Get(testkit.MemberToken, path).Want(t, 200)
		wantMembers(t, shown, `{"paused": true, "paused_note": "Disk full", "paused_timeout_in_minutes": 60, "connection_state": "connected"}`)
		if by := shown.Object()["paused_by"].(map[string]any)["id"]; by != testkit.MaintainerID || shown.Text("paused_at") == "" {
			t.Errorf("%s", shown)
		}
		s.Put(testkit.AdminToken, path+"/pause", nil).WantMessage(t, 422, "Agent is already paused")
		if ping, err := s.Builds.PingAgent(t.Context(), agent.session); err != nil || ping.Action != builds.ActionPause || ping.Message != "This agent is paused: Disk full" {
			t.Errorf("a paused agent is told %+v, %v", ping, err)
		}
		s.Put(testkit.TeammateToken, path+"/resume", nil).Want(t, 204)
		wantMembers(t, s.Get(testkit.MemberToken, path).Want(t, 200), `{"paused": false, "paused_at": null, "paused_by": null, "paused_note": null, "paused_timeout_in_minutes": null}`)
		agent.take().finish(0)
		s.Put(testkit.AdminToken, path+"/pause", `{}`).Want(t, 204)
		wantMembers(t, s.Get(testkit.MemberToken, path).Want(t, 200), `{"paused": true, "paused_note": null, "paused_timeout_in_minutes": 5}`)
		if err := s.Agents.DisconnectAgent(t.Context(), agent.session); err != nil {
			t.Fatal(err)
		}
		s.Put(testkit.AdminToken, path+"/pause", nil).WantMessage(t, 422, "Only connected agents may be paused")
	})
}

// TestWhoMayManageAgents moves the maintainers to another cluster.
func TestWhoMayManageAgents(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		path := agentsPath + "/" + agent.ID
		for _, action := range []string{"stop", "pause", "resume"} {
			s.Put(testkit.MemberToken, path+"/"+action, nil).WantMessage(t, 403, "Forbidden")
			s.Put(testkit.ReadOnlyToken, path+"/"+action, nil).WantMessage(t, 403, "Your access token doesn't have the write_agents scope")
		}
		surfaceMade(t, s, organizationPath+"/clusters", `{"name": "Other", "maintainers": [{"user": "`+testkit.MaintainerID+`"}, {"team": "`+testkit.TeamID+`"}]}`)
		testkit.Change(t, s.DB, `DELETE FROM cluster_maintainers WHERE cluster_id = $1`, testkit.MaintainedID)
		for _, token := range []string{testkit.MaintainerToken, testkit.TeammateToken} {
			for _, action := range []string{"stop", "pause", "resume"} {
				s.Put(token, path+"/"+action, nil).WantMessage(t, 403, "Forbidden")
			}
		}
		if n := storedNumber(t, s, `SELECT count(*) FROM agents WHERE state = 'connected' AND paused_at IS NULL`); n != 1 {
			t.Errorf("the agent has changed: %d", n)
		}
		s.Put(testkit.AdminToken, path+"/pause", nil).Want(t, 204)
	})
}
