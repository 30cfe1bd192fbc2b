package rest_test

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/testkit"
)

func TestQueueLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := testkit.ClusterPath(testkit.MaintainedID, "queues")
		queue := s.Post(testkit.MaintainerToken, queues, `{"key": "macos", "description": "Apple things"}`).Want(t, 201)
		path := queues + "/" + queue.Text("id")
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), string(queue.Body))
		list := s.Get(testkit.MemberToken, queues).Want(t, 200).List()
		wantExactly(t, testkit.Column(list, "key"), `["default", "macos"]`)
		wantExactly(t, list[1], string(queue.Body))

		wantMembers(t, s.Put(testkit.TeammateToken, path, `{"description": "Put"}`).Want(t, 200), `{"description": "Put", "key": "macos"}`)
		wantMembers(t, s.Get(testkit.MemberToken, path), `{"description": "Put"}`)
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"description": null}`).Want(t, 200), `{"description": null, "key": "macos"}`)
		wantMembers(t, s.Get(testkit.MemberToken, path), `{"description": null}`)

		s.Delete(testkit.MaintainerToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No cluster queue found")
		s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No cluster queue found")
		wantExactly(t, testkit.Column(s.Get(testkit.MemberToken, queues).List(), "key"), `["default"]`)
		wantTrueCounters(t, s)
	})
}

func TestQueueOfAnotherClusterIsNotFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		foreign := testkit.ClusterPath(createdCluster(t, s), "queues", testkit.QueueID)
		own := testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID)
		wantUnchanged(t, s, own, func() {
			for _, request := range []testkit.Request{
				{Method: "GET", Path: foreign},
				{Method: "PUT", Path: foreign, Body: `{"description": "Taken over"}`},
				{Method: "POST", Path: foreign + "/pause_dispatch"},
				{Method: "POST", Path: foreign + "/resume_dispatch"},
				{Method: "DELETE", Path: foreign},
			} {
				request.Token = testkit.AdminToken
				s.Do(request).WantMessage(t, 404, "No cluster queue found")
			}
		})
	})
}

func TestQueueFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := testkit.ClusterPath(testkit.MaintainedID, "queues")
		queue := s.Post(testkit.MaintainerToken, queues, `{"key": "deploy", "description": "For deployments"}`).Want(t, 201)
		pairs := []string{
			"GLOBAL", globalID("ClusterQueue", queue.Text("id")), "ID", queue.Text("id"), "BASE", s.URL, "CLUSTER", testkit.MaintainedID,
			"CREATOR", string(s.Get(testkit.MaintainerToken, "/v2/user").Body), "PAUSER", string(s.Get(testkit.AdminToken, "/v2/user").Body),
		}
		const same = `
			"id": "ID",
			"graphql_id": "GLOBAL",
			"key": "deploy",
			"description": "For deployments",
			"url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER/queues/ID",
			"web_url": "BASE/organizations/acme-inc/clusters/CLUSTER/queues/ID",
			"cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER",
			"retry_agent_affinity": "prefer-warmest",
			"hosted": false,
			"hosted_agents": null,
			"created_at": "2026-05-03T04:17:55.867Z",
			"created_by": CREATOR`
		wantExactly(t, queue.Object(), `{`+same+`,
			"dispatch_paused": false, "dispatch_paused_by": null, "dispatch_paused_at": null, "dispatch_paused_note": null}`, pairs...)
		s.Clock.Advance(time.Second)
		s.Post(testkit.AdminToken, queues+"/"+queue.Text("id")+"/pause_dispatch", `{"dispatch_paused_note": "Flaky"}`).Want(t, 200)
		wantExactly(t, s.Get(testkit.MemberToken, queues+"/"+queue.Text("id")).Object(), `{`+same+`,
			"dispatch_paused": true, "dispatch_paused_by": PAUSER, "dispatch_paused_at": "2026-05-03T04:17:56.867Z", "dispatch_paused_note": "Flaky"}`, pairs...)
	})
}

func TestQueueRetryAgentAffinity(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := testkit.ClusterPath(testkit.MaintainedID, "queues")
		for body, want := range map[string]string{
			`{"key": "absent"}`:                                                "prefer-warmest",
			`{"key": "null", "retry_agent_affinity": null}`:                    "prefer-warmest",
			`{"key": "warmest", "retry_agent_affinity": "prefer-warmest"}`:     "prefer-warmest",
			`{"key": "different", "retry_agent_affinity": "prefer-different"}`: "prefer-different",
		} {
			wantMembers(t, s.Post(testkit.AdminToken, queues, body).Want(t, 201), `{"retry_agent_affinity": "`+want+`"}`)
		}
		path := queues + "/" + testkit.QueueID
		for _, affinity := range []string{`{"retry_agent_affinity": "prefer-different"}`, `{"retry_agent_affinity": "prefer-warmest"}`} {
			wantMembers(t, s.Patch(testkit.AdminToken, path, affinity).Want(t, 200), affinity)
			wantMembers(t, s.Get(testkit.AdminToken, path), affinity)
		}
		wantUnchanged(t, s, path, func() {
			for _, affinity := range []string{`"prefer-coldest"`, `"PREFER_WARMEST"`, `""`, `null`, `7`} {
				s.Patch(testkit.AdminToken, path, `{"description": "Changed", "retry_agent_affinity": `+affinity+`}`).Want(t, 422)
			}
		})
		s.Post(testkit.AdminToken, queues, `{"key": "refused", "retry_agent_affinity": "prefer-coldest"}`).
			WantMessage(t, 422, "Validation failed: Retry agent affinity must be prefer-warmest or prefer-different")
	})
}

func TestHostedQueue(t *testing.T) {
	t.Parallel()
	const (
		linux = `{"instance_shape": {"name": "LINUX_AMD64_2X4", "machine_type": "linux", "architecture": "amd64", "cpu": 2, "memory": 4},
			"platform_settings": {"linux": {"agent_image_ref": null}}}`
		largeLinux = `{"instance_shape": {"name": "LINUX_ARM64_16X64", "machine_type": "linux", "architecture": "arm64", "cpu": 16, "memory": 64},
			"platform_settings": {"linux": {"agent_image_ref": "example.com/agents:1"}}}`
		macOS = `{"instance_shape": {"name": "MACOS_ARM64_M4_6X28", "machine_type": "macos", "architecture": "arm64", "cpu": 6, "memory": 28},
			"platform_settings": {"macos": {"macos_version": "SEQUOIA", "xcode_version": "16.4"}}}`
	)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := testkit.ClusterPath(testkit.MaintainedID, "queues")
		for _, hosted := range []struct{ given, shown string }{
			{`"hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}`, linux},
			{`"hosted_agents": {"instanceShape": "LINUX_AMD64_2X4"}`, linux},
			{`"hostedAgents": {"instance_shape": "LINUX_AMD64_2X4"}`, linux},
			{`"hostedAgents": {"instanceShape": "LINUX_AMD64_2X4"}`, linux},
			{`"hosted_agents": {"instance_shape": "LINUX_ARM64_16X64",
				"platform_settings": {"linux": {"agent_image_ref": "example.com/agents:1"}}}`, largeLinux},
			{`"hosted_agents": {"instance_shape": "MACOS_ARM64_M4_6X28",
				"platform_settings": {"macos": {"macos_version": "SEQUOIA", "xcode_version": "16.4"}}}`, macOS},
			{`"hostedAgents": {"instanceShape": "MACOS_ARM64_M4_6X28",
				"platformSettings": {"macos": {"macosVersion": "SEQUOIA", "xcodeVersion": "16.4"}}}`, macOS},
		} {
			queue := s.Post(testkit.AdminToken, queues, `{"key": "hosted", `+hosted.given+`}`).Want(t, 201)
			wantMembers(t, queue, `{"hosted": true, "hosted_agents": `+hosted.shown+`}`)
			path := queues + "/" + queue.Text("id")
			wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object(), string(queue.Body))
			s.Delete(testkit.AdminToken, path).Want(t, 204)
		}

		path := queues + "/" + createdID(t, s, queues, hostedQueue)
		s.Patch(testkit.AdminToken, path, `{"hosted_agents": {"instance_shape": "LINUX_ARM64_16X64",
			"platform_settings": {"linux": {"agent_image_ref": "example.com/agents:1"}}}}`).Want(t, 200)
		wantMembers(t, s.Get(testkit.AdminToken, path), `{"hosted": true, "hosted_agents": `+largeLinux+`}`)
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"description": "Changed"}`).Want(t, 200), `{"hosted_agents": `+largeLinux+`}`)
		wantUnchanged(t, s, path, func() {
			// What the machines can't have need not be cleared, and can't be set.
			s.Patch(testkit.AdminToken, path, `{"hosted_agents": {"platform_settings": {"macos": {"macos_version": null, "xcode_version": null}}}}`).Want(t, 200)
			s.Patch(testkit.AdminToken, path, `{"hosted_agents": {"platform_settings": {"macos": {"xcode_version": "16.4"}}}}`).
				WantMessage(t, 422, "Validation failed: xcode_version can only be set on macos queues")
			s.Patch(testkit.AdminToken, path, `{"hosted_agents": null}`).Want(t, 422)
			s.Patch(testkit.AdminToken, path, `{"hosted_agents": {"instance_shape": "MACOS_ARM64_M4_6X28"}}`).Want(t, 422)
		})
		plain := queues + "/" + testkit.QueueID
		wantUnchanged(t, s, plain, func() {
			s.Patch(testkit.AdminToken, plain, `{"hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`).Want(t, 422)
		})
		for _, hosted := range []string{`{}`, `{"instance_shape": null}`, `{"instance_shape": "LINUX_AMD64_3X5"}`, `{"instance_shape": ""}`, `"LINUX_AMD64_2X4"`, `true`} {
			s.Post(testkit.AdminToken, queues, `{"key": "refused", "hosted_agents": `+hosted+`}`).Want(t, 422)
		}
		wantMembers(t, s.Post(testkit.AdminToken, queues, `{"key": "null", "hosted_agents": null}`).Want(t, 201), `{"hosted": false, "hosted_agents": null}`)
	})
}

func TestQueueKeyIsValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := testkit.ClusterPath(testkit.MaintainedID, "queues")
		const blank, strange = "Key can't be blank", "Key can only contain letters, digits, - and _"
		for _, bad := range []struct{ body, reason string }{
			{`{}`, blank},
			{`{"key": null}`, blank},
			{`{"key": ""}`, blank},
			{`{"key": " "}`, strange},
			{`{"key": "two words"}`, strange},
			{`{"key": "dotted.key"}`, strange},
			{`{"key": "queue=key"}`, strange},
			{`{"key": "line\n"}`, strange},
			{`{"key": "clé"}`, strange},
			{`{"key": "` + strings.Repeat("k", 101) + `"}`, "Key is too long (maximum is 100 characters)"},
			{`{"key": 7}`, "key must be a string"},
		} {
			s.Post(testkit.AdminToken, queues, bad.body).WantMessage(t, 422, "Validation failed: "+bad.reason)
		}
		for _, key := range []string{"a", "0", "-", "_", "Linux-x86_64", strings.Repeat("k", 100)} {
			wantMembers(t, s.Post(testkit.AdminToken, queues, `{"key": "`+key+`"}`).Want(t, 201), `{"key": "`+key+`"}`)
		}
		wantTrueCounters(t, s)
	})
}

func TestQueueKeyIsUniqueInItsCluster(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		queues := testkit.ClusterPath(testkit.MaintainedID, "queues")
		s.Post(testkit.AdminToken, queues, `{"key": "default"}`).WantMessage(t, 422, "Validation failed: Key has already been taken")
		createdQueue(t, s, createdCluster(t, s), "default")
		s.Delete(testkit.AdminToken, queues+"/"+testkit.QueueID).Want(t, 204)
		createdQueue(t, s, testkit.MaintainedID, "default")
		wantTrueCounters(t, s)
	})
}

func TestQueueKeyCannotBeChanged(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID)
		wantUnchanged(t, s, path, func() {
			for _, key := range []string{`"other"`, `"Default"`, `""`, `null`} {
				s.Put(testkit.AdminToken, path, `{"description": "Changed", "key": `+key+`}`).WantMessage(t, 422, "Validation failed: Key can't be changed")
			}
			s.Put(testkit.AdminToken, path, `{"description": "Changed", "key": 7}`).Want(t, 422)
		})
		same := `{"description": "Changed", "key": "default"}`
		wantMembers(t, s.Put(testkit.AdminToken, path, same).Want(t, 200), same)
	})
}

func TestPauseAndResumeDispatch(t *testing.T) {
	t.Parallel()
	const resumed = `{"dispatch_paused": false, "dispatch_paused_by": null, "dispatch_paused_at": null, "dispatch_paused_note": null}`
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID)
		by := string(s.Get(testkit.MaintainerToken, "/v2/user").Body)
		for _, pause := range []struct {
			body any
			note string
		}{
			{nil, `null`},
			{`{}`, `null`},
			{`{"dispatch_paused_note": "Upgrading"}`, `"Upgrading"`},
			{`{"note": "Upgrading"}`, `"Upgrading"`},
			{`{"dispatch_paused_note": null}`, `null`},
		} {
			paused := `{"dispatch_paused": true, "dispatch_paused_by": ` + by + `, "dispatch_paused_at": "2026-05-03T04:17:55.867Z", "dispatch_paused_note": ` + pause.note + `}`
			wantMembers(t, s.Post(testkit.MaintainerToken, path+"/pause_dispatch", pause.body).Want(t, 200), paused)
			wantUnchanged(t, s, path, func() {
				s.Post(testkit.AdminToken, path+"/pause_dispatch", `{"note": "Again"}`).WantMessage(t, 422, "Cluster queue is already paused")
			})
			wantMembers(t, s.Get(testkit.MemberToken, path), paused)
			wantMembers(t, s.Put(testkit.AdminToken, path, `{"description": "Paused"}`).Want(t, 200), paused)

			wantMembers(t, s.Post(testkit.TeammateToken, path+"/resume_dispatch", nil).Want(t, 200), resumed)
			wantMembers(t, s.Get(testkit.MemberToken, path), resumed)
			s.Post(testkit.AdminToken, path+"/resume_dispatch", nil).WantMessage(t, 422, "Cluster queue is not paused")
		}
		for _, note := range []string{`7`, `"\u0000"`, `"` + strings.Repeat("n", 10_001) + `"`} {
			s.Post(testkit.AdminToken, path+"/pause_dispatch", `{"note": `+note+`}`).Want(t, 422)
		}
		wantMembers(t, s.Get(testkit.MemberToken, path), resumed)
	})
}

// An empty body is none, whatever media type it is said to have: clients name one for every POST.
func TestPauseAndResumeNeedNoBody(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID)
		for _, media := range []string{"", "application/json", "application/x-www-form-urlencoded"} {
			for _, action := range []string{"/pause_dispatch", "/resume_dispatch"} {
				s.Do(testkit.Request{
					Method: "POST", Path: path + action, Token: testkit.AdminToken, Header: map[string]string{"Content-Type": media},
				}).Want(t, 200)
			}
		}
	})
}
