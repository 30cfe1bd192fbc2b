package rest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestClusterOfAnotherOrganizationIsNotFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		foreign := testkit.ClusterPath(testkit.ElsewhereID)
		for _, request := range []testkit.Request{
			{Method: "GET", Path: foreign},
			{Method: "PUT", Path: foreign, Body: `{"name": "Taken over"}`},
			{Method: "DELETE", Path: foreign},
			{Method: "GET", Path: foreign + "/queues"},
			{Method: "POST", Path: foreign + "/queues", Body: `{"key": "foreign"}`},
		} {
			request.Token = testkit.AdminToken
			s.Do(request).WantMessage(t, 404, "No cluster found")
		}
		own := "/v2/organizations/" + testkit.ElsewhereSlug + "/clusters/" + testkit.ElsewhereID
		wantMembers(t, s.Get(testkit.OutsiderToken, own).Want(t, 200), `{"name": "Elsewhere"}`)
		wantExactly(t, s.Get(testkit.OutsiderToken, own+"/queues").Want(t, 200).List(), `[]`)
	})
}

func TestClusterFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		s.Put(testkit.AdminToken, path, `{
			"description": "A place for safely testing our pipelines",
			"emoji": ":toolbox:",
			"color": "#A9CCE3",
			"default_queue_id": "`+testkit.QueueID+`",
			"default_cache_registry_uuid": "`+testkit.RegistryID+`"
		}`).Want(t, 200)
		cluster := s.Get(testkit.MaintainerToken, path).Want(t, 200).Object()
		wantExactly(t, cluster, `{
			"id": "ID",
			"graphql_id": "GRAPHQL",
			"default_queue_id": "QUEUE",
			"name": "Maintained",
			"description": "A place for safely testing our pipelines",
			"emoji": ":toolbox:",
			"color": "#A9CCE3",
			"maintainers": MAINTAINERS,
			"url": "BASE/v2/organizations/acme-inc/clusters/ID",
			"web_url": "BASE/organizations/acme-inc/clusters/ID",
			"queues_url": "BASE/v2/organizations/acme-inc/clusters/ID/queues",
			"default_queue_url": "BASE/v2/organizations/acme-inc/clusters/ID/queues/QUEUE",
			"created_at": "2026-05-03T04:17:55.867Z",
			"created_by": CREATOR,
			"hosted_git_mirror_enabled": false,
			"hosted_container_cache_enabled": false,
			"default_cache_registry_uuid": "REGISTRY",
			"default_cache_registry_url": "BASE/v2/organizations/acme-inc/clusters/ID/cache-registries/REGISTRY"
		}`, "BASE", s.URL, "GRAPHQL", globalID("Cluster", testkit.MaintainedID), "ID", testkit.MaintainedID,
			"QUEUE", testkit.QueueID, "REGISTRY", testkit.RegistryID,
			"MAINTAINERS", string(asJSON(t, cluster["maintainers"])), // TestClusterMaintainersAreGroupedByUsersAndTeams
			"CREATOR", string(s.Get(testkit.AdminToken, "/v2/user").Body))
	})
}

func TestClusterMaintainersAreGroupedByUsersAndTeams(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		grants := map[string]string{} // by actor
		for _, grant := range s.Get(testkit.MemberToken, testkit.ClusterPath(testkit.MaintainedID, "maintainers")).Want(t, 200).List() {
			actor, _ := grant["actor"].(map[string]any)
			grants[fmt.Sprint(actor["id"])] = fmt.Sprint(grant["id"])
		}
		cluster := s.Get(testkit.MemberToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 200).Object()
		wantExactly(t, cluster["maintainers"], `{
			"users": [{"id": "USERGRANT", "actor": {
				"id": "USER", "graphql_id": "USERGLOBAL", "name": "Maintainer", "email": "maintainer@example.com", "type": "user"
			}}],
			"teams": [{"id": "TEAMGRANT", "actor": {
				"id": "TEAM", "graphql_id": "TEAMGLOBAL", "name": "Platform", "slug": "platform", "type": "team"
			}}]
		}`, "USERGRANT", grants[testkit.MaintainerID], "TEAMGRANT", grants[testkit.TeamID],
			"USERGLOBAL", globalID("User", testkit.MaintainerID), "TEAMGLOBAL", globalID("Team", testkit.TeamID),
			"USER", testkit.MaintainerID, "TEAM", testkit.TeamID)
		list := s.Get(testkit.MemberToken, clustersPath).Want(t, 200).List()
		if len(list) != 1 {
			t.Fatalf("%d clusters", len(list))
		}
		wantExactly(t, list[0]["maintainers"], string(asJSON(t, cluster["maintainers"])))
	})
}

func TestClusterCreatorIsTheCaller(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := s.Post(testkit.MemberToken, clustersPath, `{"name": "Mine"}`).Want(t, 201)
		creator := cluster.Object()["created_by"]
		wantExactly(t, creator, `{
			"id": "ID", "graphql_id": "GLOBAL", "name": "Member", "email": "member@example.com",
			"avatar_url": "BASE/avatars/ID.svg", "created_at": "2026-05-03T04:17:55.867Z"
		}`, "BASE", s.URL, "GLOBAL", globalID("User", testkit.MemberID), "ID", testkit.MemberID)
		shown := s.Get(testkit.AdminToken, testkit.ClusterPath(cluster.Text("id"))).Want(t, 200).Object()
		wantExactly(t, shown["created_by"], string(asJSON(t, creator)))
	})
}

func TestNewClusterHasNoQueueAndNoMaintainers(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh"}`).Want(t, 201)
		path := testkit.ClusterPath(cluster.Text("id"))
		for _, answer := range []*testkit.Answer{cluster, s.Get(testkit.AdminToken, path)} {
			wantMembers(t, answer, `{"default_queue_id": null, "default_queue_url": null, "maintainers": {"users": [], "teams": []}}`)
		}
		wantExactly(t, s.Get(testkit.AdminToken, path+"/queues").Want(t, 200).List(), `[]`)
		wantExactly(t, s.Get(testkit.AdminToken, path+"/maintainers").Want(t, 200).List(), `[]`)
	})
}

func TestNewClusterHasADefaultCacheRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := createdCluster(t, s)
		registries := s.Get(testkit.AdminToken, testkit.ClusterPath(cluster, "cache-registries")).Want(t, 200).List()
		wantExactly(t, testkit.Column(registries, "uuid"), `["UUID"]`, "UUID", defaultRegistry(t, s, cluster))
		path := testkit.ClusterPath(cluster, "cache-registries", defaultRegistry(t, s, cluster))
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{
			"name": "Default",
			"slug": "default",
			"default": true,
			"policy": {
				"save": {"scopes": {}},
				"restore": {"scopes": [{}]},
				"rules": [{"effect": "allow", "action": ["save"]}, {"effect": "allow", "action": ["restore"]}]
			}
		}`)
	})
}

func TestClusterManagementFieldsAreShownToManagersOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		for token, shown := range map[string]bool{
			testkit.AdminToken: true, testkit.MaintainerToken: true, testkit.TeammateToken: true, testkit.MemberToken: false,
		} {
			for _, answer := range []*testkit.Answer{
				s.Get(token, path), s.Put(token, path, `{"emoji": ":eyes:"}`), s.Patch(token, path, `{"emoji": ":ears:"}`),
			} {
				answer.Want(t, 200)
				for _, field := range managementFields {
					if _, there := answer.Object()[field]; there != shown {
						t.Errorf("%s with %s is there: %t", field, token, there)
					}
				}
			}
		}
	})
}

func TestListAndCreateOmitClusterManagementFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		clusters := []map[string]any{s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh"}`).Want(t, 201).Object()}
		clusters = append(clusters, s.Get(testkit.AdminToken, clustersPath).Want(t, 200).List()...)
		if len(clusters) != 3 {
			t.Fatalf("%d clusters", len(clusters))
		}
		for _, cluster := range clusters {
			for _, field := range managementFields {
				if _, there := cluster[field]; there {
					t.Errorf("%s is there: %s", field, asJSON(t, cluster))
				}
			}
		}
	})
}

func TestCreateCluster(t *testing.T) {
	t.Parallel()
	versionSeven := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := s.Post(testkit.MemberToken, clustersPath,
			`{"name": " Open Source ", "description": "For everyone", "emoji": ":wave::skin-tone-3:", "color": "#aBc"}`).Want(t, 201)
		wantMembers(t, cluster, `{"name": "Open Source", "description": "For everyone", "emoji": ":wave::skin-tone-3:", "color": "#aBc"}`)
		if id := cluster.Text("id"); !versionSeven.MatchString(id) {
			t.Errorf("%q is not a UUID of version 7", id)
		}
		shown := s.Get(testkit.MemberToken, testkit.ClusterPath(cluster.Text("id"))).Want(t, 200).Object()
		wantExactly(t, shown, string(cluster.Body))
		list := s.Get(testkit.MemberToken, clustersPath).Want(t, 200).List()
		wantExactly(t, list[len(list)-1], string(cluster.Body))
	})
}

func TestCreateClusterWithMaintainers(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := s.Post(testkit.MemberToken, clustersPath,
			`{"name": "Shared", "maintainers": [{"user": "`+testkit.MaintainerID+`"}, {"team": "`+testkit.TeamID+`"}]}`).Want(t, 201)
		shown := s.Get(testkit.AdminToken, testkit.ClusterPath(cluster.Text("id"))).Want(t, 200)
		wantExactly(t, shown.Object()["maintainers"], string(asJSON(t, cluster.Object()["maintainers"])))
		queues := testkit.ClusterPath(cluster.Text("id"), "queues")
		s.Post(testkit.MaintainerToken, queues, `{"key": "by-the-maintainer"}`).Want(t, 201)
		s.Post(testkit.TeammateToken, queues, `{"key": "by-the-team"}`).Want(t, 201)
		s.Post(testkit.MemberToken, queues, `{"key": "by-the-creator"}`).WantMessage(t, 403, "Forbidden")
	})
}

func TestCreateClusterIgnoresUpdateOnlyFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, fields := range []string{
			`"hosted_git_mirror_enabled": true, "hosted_container_cache_enabled": true, "default_cache_registry_uuid": "` + testkit.RegistryID + `"`,
			`"hosted_git_mirror_enabled": "yes", "hosted_container_cache_enabled": null, "default_cache_registry_uuid": null`,
		} {
			cluster := createdID(t, s, clustersPath, `{"name": "Fresh", `+fields+`}`)
			shown := s.Get(testkit.AdminToken, testkit.ClusterPath(cluster)).Want(t, 200)
			wantMembers(t, shown, `{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": false}`)
			registry := testkit.ClusterPath(cluster, "cache-registries", shown.Text("default_cache_registry_uuid"))
			wantMembers(t, s.Get(testkit.AdminToken, registry).Want(t, 200), `{"slug": "default", "default": true}`)
		}
	})
}

func TestFailedCreationLeavesNoClusterAndNoRegistry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		// The maintainer is refused only after the cluster and its registry were written.
		s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh", "maintainers": [{"user": "`+testkit.OutsiderID+`"}]}`).Want(t, 422)
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "name"), `["Maintained"]`)
		if n := storedNumber(t, s, `SELECT count(*) FROM clusters`); n != 2 {
			t.Errorf("%d clusters", n)
		}
		if n := storedNumber(t, s, `SELECT count(*) FROM cache_registries`); n != 3 {
			t.Errorf("%d registries", n)
		}
		wantTrueCounters(t, s)
	})
}

func TestUpdateClusterByPutAndPatch(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, method := range []string{"PUT", "PATCH"} {
			path := testkit.ClusterPath(createdCluster(t, s))
			for _, change := range []string{`{"name": "Renamed"}`, `{"description": "Changed"}`, `{"emoji": ":rocket:"}`, `{"color": "#00FF7f"}`} {
				answer := s.Do(testkit.Request{Method: method, Path: path, Token: testkit.MemberToken, Body: change}).Want(t, 200)
				wantMembers(t, answer, change)
				wantExactly(t, s.Get(testkit.MemberToken, path).Object(), string(answer.Body))
			}
			wantMembers(t, s.Get(testkit.MemberToken, path), `{"name": "Renamed", "description": "Changed", "emoji": ":rocket:", "color": "#00FF7f"}`)
		}
	})
}

func TestUpdateClusterLeavesOmittedFieldsAlone(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := createdHostedCluster(t, s)
		path := testkit.ClusterPath(cluster)
		queue := createdQueue(t, s, cluster, "default")
		registry := s.Post(testkit.AdminToken, path+"/cache-registries", `{"name": "Other"}`).Want(t, 201).Text("uuid")
		s.Put(testkit.AdminToken, path, `{"name": "All", "description": "set", "emoji": ":star:", "color": "#123", "default_queue_id": "`+queue+`",
			"default_cache_registry_uuid": "`+registry+`", "hosted_git_mirror_enabled": true, "hosted_container_cache_enabled": true}`).Want(t, 200)
		before := s.Get(testkit.AdminToken, path).Want(t, 200).Object()
		for _, method := range []string{"PUT", "PATCH"} {
			for _, member := range []string{"", "name", "description", "emoji", "color", "default_queue_id",
				"default_cache_registry_uuid", "hosted_git_mirror_enabled", "hosted_container_cache_enabled"} {
				body := map[string]any{}
				if member != "" {
					body[member] = before[member]
				}
				answer := s.Do(testkit.Request{Method: method, Path: path, Token: testkit.AdminToken, Body: body}).Want(t, 200)
				wantExactly(t, answer.Object(), string(asJSON(t, before)))
			}
			wantExactly(t, s.Get(testkit.AdminToken, path).Object(), string(asJSON(t, before)))
		}
	})
}

func TestClusterFieldsAreValidated(t *testing.T) {
	t.Parallel()
	const (
		badEmoji = "Emoji must be a name between colons, such as :rocket:"
		badColor = "Color must be # and 3 or 6 hexadecimal digits"
	)
	refused := []struct{ member, reason string }{
		{`"name": ""`, "Name can't be blank"},
		{`"name": " \t\n"`, "Name can't be blank"},
		{`"name": null`, "Name can't be blank"},
		{`"name": "` + strings.Repeat("é", 256) + `"`, "Name is too long (maximum is 255 characters)"},
		{`"name": 7`, "name must be a string"},
		{`"name": ["Fresh"]`, "name must be a string"},
		{`"description": 7`, "description must be a string"},
		{`"emoji": "rocket"`, badEmoji},
		{`"emoji": ":rocket"`, badEmoji},
		{`"emoji": "::"`, badEmoji},
		{`"emoji": ":two words:"`, badEmoji},
		{`"emoji": ":wave::skin-tone-7:"`, badEmoji},
		{`"emoji": {}`, "emoji must be a string"},
		{`"color": "A9CCE3"`, badColor},
		{`"color": "#A9CC"`, badColor},
		{`"color": "#A9CCE3FF"`, badColor},
		{`"color": "#GGGGGG"`, badColor},
		{`"color": "red"`, badColor},
		{`"color": false`, "color must be a string"},
	}
	accepted := []string{
		`{"name": "` + strings.Repeat("é", 255) + `"}`,
		`{"name": "x", "emoji": ":rocket:"}`, `{"name": "x", "emoji": ":+1:"}`, `{"name": "x", "emoji": ":wave::skin-tone-3:"}`,
		`{"name": "x", "color": "#abc"}`, `{"name": "x", "color": "#A9CCE3"}`,
	}
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, cluster, func() {
			for _, bad := range refused {
				message := "Validation failed: " + bad.reason
				create := `{` + bad.member + `}`
				if !strings.HasPrefix(bad.member, `"name"`) {
					create = `{"name": "Fresh", ` + bad.member + `}`
				}
				s.Post(testkit.AdminToken, clustersPath, create).WantMessage(t, 422, message)
				s.Patch(testkit.AdminToken, cluster, `{`+bad.member+`}`).WantMessage(t, 422, message)
			}
			s.Post(testkit.AdminToken, clustersPath, `{}`).WantMessage(t, 422, "Validation failed: Name can't be blank")
		})
		if n := len(s.Get(testkit.AdminToken, clustersPath).List()); n != 1 {
			t.Errorf("%d clusters", n)
		}
		for _, body := range accepted {
			wantMembers(t, s.Post(testkit.AdminToken, clustersPath, body).Want(t, 201), body)
			wantMembers(t, s.Patch(testkit.AdminToken, cluster, body).Want(t, 200), body)
		}
	})
}

func TestClustersMayShareAName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		first := createdID(t, s, clustersPath, `{"name": "Maintained"}`)
		s.Put(testkit.AdminToken, testkit.ClusterPath(createdCluster(t, s)), `{"name": "Maintained"}`).Want(t, 200)
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "name"), `["Maintained", "Maintained", "Maintained"]`)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(first)).Want(t, 204)
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "name"), `["Maintained", "Maintained"]`)
	})
}

func TestNullAndEmptyTextsOfClusters(t *testing.T) {
	t.Parallel()
	const (
		null  = `{"description": null, "emoji": null, "color": null}`
		empty = `{"description": "", "emoji": "", "color": ""}`
		given = `{"description": "Given", "emoji": ":star:", "color": "#123456"}`
	)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(createdCluster(t, s))
		wantMembers(t, s.Get(testkit.AdminToken, path), null)
		for _, texts := range []string{empty, null, given, empty, given, null} {
			wantMembers(t, s.Put(testkit.AdminToken, path, texts).Want(t, 200), texts)
			wantMembers(t, s.Get(testkit.AdminToken, path), texts)
		}
		texts := strings.Replace(empty, "{", `{"name": "Empty", `, 1)
		wantMembers(t, s.Post(testkit.AdminToken, clustersPath, texts).Want(t, 201), texts)
	})
}

func TestDefaultQueueCanBeSetAndCleared(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		for _, queue := range []string{testkit.QueueID, createdQueue(t, s, testkit.MaintainedID, "other")} {
			s.Patch(testkit.MemberToken, path, `{"default_queue_id": "`+queue+`"}`).Want(t, 200)
			wantMembers(t, s.Get(testkit.MemberToken, path), `{"default_queue_id": "QUEUE", "default_queue_url": "URL/queues/QUEUE"}`,
				"URL", s.URL+path, "QUEUE", queue)
		}
		s.Patch(testkit.MemberToken, path, `{"default_queue_id": null}`).Want(t, 200)
		wantMembers(t, s.Get(testkit.MemberToken, path), `{"default_queue_id": null, "default_queue_url": null}`)
	})
}

func TestDefaultQueueMustBeOneOfTheCluster(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		s.Patch(testkit.AdminToken, path, `{"default_queue_id": "`+testkit.QueueID+`"}`).Want(t, 200)
		foreign := createdQueue(t, s, createdCluster(t, s), "default")
		deleted := createdQueue(t, s, testkit.MaintainedID, "deleted")
		s.Delete(testkit.AdminToken, path+"/queues/"+deleted).Want(t, 204)
		wantUnchanged(t, s, path, func() {
			for _, queue := range []string{foreign, deleted, unknownUUID, testkit.RegistryID, "default", ""} {
				s.Put(testkit.AdminToken, path, `{"name": "Changed", "default_queue_id": "`+queue+`"}`).
					WantMessage(t, 422, "Validation failed: default_queue_id must be the UUID of a queue in this cluster")
			}
			s.Put(testkit.AdminToken, path, `{"name": "Changed", "default_queue_id": 7}`).Want(t, 422)
		})
	})
}

func TestDeletingTheDefaultQueueClearsIt(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		s.Patch(testkit.AdminToken, path, `{"default_queue_id": "`+testkit.QueueID+`"}`).Want(t, 200)
		other := createdQueue(t, s, testkit.MaintainedID, "other")
		wantUnchanged(t, s, path, func() { s.Delete(testkit.AdminToken, path+"/queues/"+other).Want(t, 204) })
		s.Delete(testkit.AdminToken, path+"/queues/"+testkit.QueueID).Want(t, 204)
		wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"default_queue_id": null, "default_queue_url": null}`)
	})
}

func TestDefaultCacheRegistryMovesWithTheClusterUpdate(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		first := defaultRegistry(t, s, testkit.MaintainedID)
		for _, move := range []struct{ from, to, token string }{
			{first, testkit.RegistryID, testkit.AdminToken},
			{testkit.RegistryID, first, testkit.MaintainerToken},
			{first, testkit.RegistryID, testkit.TeammateToken},
		} {
			answer := s.Put(move.token, path, `{"default_cache_registry_uuid": "`+move.to+`"}`).Want(t, 200)
			wantMembers(t, answer, `{"default_cache_registry_uuid": "UUID", "default_cache_registry_url": "URL/cache-registries/UUID"}`,
				"URL", s.URL+path, "UUID", move.to)
			wantMembers(t, s.Get(testkit.AdminToken, path+"/cache-registries/"+move.to), `{"default": true}`)
			wantMembers(t, s.Get(testkit.AdminToken, path+"/cache-registries/"+move.from), `{"default": false}`)
		}
	})
}

func TestDefaultCacheRegistryMustBeOneOfTheCluster(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		foreign := defaultRegistry(t, s, createdCluster(t, s))
		deleted := s.Post(testkit.AdminToken, path+"/cache-registries", `{"name": "Deleted"}`).Want(t, 201).Text("uuid")
		s.Delete(testkit.AdminToken, path+"/cache-registries/"+deleted).Want(t, 204)
		wantUnchanged(t, s, path, func() {
			for _, registry := range []string{`"ruby-gems"`, `null`, `"` + deleted + `"`, `"` + foreign + `"`, `"` + unknownUUID + `"`, `""`} {
				s.Put(testkit.AdminToken, path, `{"name": "Changed", "default_cache_registry_uuid": `+registry+`}`).
					WantMessage(t, 422, "default_cache_registry_uuid must be the UUID of a cache registry in this cluster")
			}
			s.Put(testkit.AdminToken, path, `{"name": "Changed", "default_cache_registry_uuid": 7}`).Want(t, 422)
		})
	})
}

func TestDefaultCacheRegistryNeedsAManager(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, path, func() {
			// Neither a registry that would do nor one that would not may be told from the answer, nor the present one.
			for _, registry := range []string{
				`"` + testkit.RegistryID + `"`, `"` + defaultRegistry(t, s, testkit.MaintainedID) + `"`, `"` + unknownUUID + `"`, `null`, `7`,
			} {
				s.Put(testkit.MemberToken, path, `{"name": "Changed", "default_cache_registry_uuid": `+registry+`}`).WantMessage(t, 403, "Forbidden")
			}
		})
		s.Put(testkit.MemberToken, path, `{"name": "Changed"}`).Want(t, 200)
	})
}

func TestHostedFieldsMustBeBooleans(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, path := range []string{testkit.ClusterPath(testkit.MaintainedID), testkit.ClusterPath(createdHostedCluster(t, s))} {
			wantUnchanged(t, s, path, func() {
				for _, field := range []string{"hosted_git_mirror_enabled", "hosted_container_cache_enabled"} {
					for _, value := range []string{`null`, `"true"`, `"false"`, `""`, `0`, `1`, `[true]`, `{}`} {
						s.Put(testkit.AdminToken, path, `{"name": "Changed", "`+field+`": `+value+`}`).
							WantMessage(t, 422, "Validation failed: "+field+" must be true or false")
					}
				}
			})
		}
	})
}

func TestHostedFieldsCannotBeChangedOnOtherClusters(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, path, func() {
			for _, field := range []string{"hosted_git_mirror_enabled", "hosted_container_cache_enabled"} {
				s.Put(testkit.AdminToken, path, `{"name": "Changed", "`+field+`": true}`).
					WantMessage(t, 422, field+" can only be changed on hosted clusters")
			}
		})
	})
}

func TestPresentValueOfAHostedFieldIsAccepted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		body := `{"name": "Changed", "hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": false}`
		wantMembers(t, s.Put(testkit.AdminToken, path, body).Want(t, 200), body)
	})
}

func TestHostedFieldsCanBeChangedOnHostedClusters(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(createdHostedCluster(t, s))
		for _, settings := range []string{
			`{"hosted_git_mirror_enabled": true, "hosted_container_cache_enabled": false}`,
			`{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": true}`,
			`{"hosted_git_mirror_enabled": true, "hosted_container_cache_enabled": true}`,
			`{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": false}`,
		} {
			wantMembers(t, s.Put(testkit.AdminToken, path, settings).Want(t, 200), settings)
			wantMembers(t, s.Get(testkit.AdminToken, path), settings)
		}
	})
}

func TestFirstHostedQueueTurnsTheContainerCacheOn(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(createdCluster(t, s))
		createdID(t, s, path+"/queues", `{"key": "plain"}`)
		wantMembers(t, s.Get(testkit.AdminToken, path), `{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": false}`)
		createdID(t, s, path+"/queues", hostedQueue)
		wantMembers(t, s.Get(testkit.AdminToken, path), `{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": true}`)
		s.Put(testkit.AdminToken, path, `{"hosted_container_cache_enabled": false}`).Want(t, 200)
		createdID(t, s, path+"/queues", strings.Replace(hostedQueue, `"hosted"`, `"second"`, 1))
		wantMembers(t, s.Get(testkit.AdminToken, path), `{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": false}`)
	})
}

func TestLastHostedQueueTakesTheHostedFieldsAlong(t *testing.T) {
	t.Parallel()
	const on, off = `{"hosted_git_mirror_enabled": true, "hosted_container_cache_enabled": true}`,
		`{"hosted_git_mirror_enabled": false, "hosted_container_cache_enabled": false}`
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(createdCluster(t, s))
		plain := createdID(t, s, path+"/queues", `{"key": "plain"}`)
		first := createdID(t, s, path+"/queues", hostedQueue)
		second := createdID(t, s, path+"/queues", strings.Replace(hostedQueue, `"hosted"`, `"second"`, 1))
		s.Put(testkit.AdminToken, path, on).Want(t, 200)
		for _, queue := range []string{plain, first} {
			s.Delete(testkit.AdminToken, path+"/queues/"+queue).Want(t, 204)
			wantMembers(t, s.Get(testkit.AdminToken, path), on)
		}
		s.Delete(testkit.AdminToken, path+"/queues/"+second).Want(t, 204)
		wantMembers(t, s.Get(testkit.AdminToken, path), off)
		s.Put(testkit.AdminToken, path, `{"hosted_container_cache_enabled": true}`).
			WantMessage(t, 422, "hosted_container_cache_enabled can only be changed on hosted clusters")
	})
}

func TestDeleteClusterTakesEverythingBelowItAlong(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		createdID(t, s, path+"/queues", hostedQueue)
		s.Put(testkit.AdminToken, path, `{"default_queue_id": "`+testkit.QueueID+`"}`).Want(t, 200)
		createdID(t, s, path+"/tokens", `{"description": "Agents"}`)
		kept := createdHostedCluster(t, s)
		parts := []string{"cluster_queues", "cluster_agent_tokens", "cluster_maintainers", "cache_registries"}
		of := func(part string) int64 {
			return storedNumber(t, s, `SELECT count(*) FROM `+part+` WHERE cluster_id = $1`, testkit.MaintainedID)
		}
		for _, part := range parts {
			if of(part) == 0 {
				t.Fatalf("the cluster has no %s to lose", part)
			}
		}
		wantUnchanged(t, s, testkit.ClusterPath(kept), func() {
			s.Delete(testkit.MemberToken, path).Want(t, 204)
		})
		for _, part := range parts {
			if n := of(part); n != 0 {
				t.Errorf("%d %s are left", n, part)
			}
		}
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No cluster found")
		s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No cluster found")
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "id"), `["`+kept+`"]`)
		wantTrueCounters(t, s)
	})
}

const pipelineOfMaintained = `
organizations:
  - slug: acme-inc
    name: Acme Inc
    pipelines: [{name: Web, repository: "git@example.com:acme/web.git", cluster: Maintained}]
`

func TestClusterWithPipelinesCannotBeDeleted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(pipelineOfMaintained)
		path := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, path, func() {
			s.Delete(testkit.AdminToken, path).WantMessage(t, 422, "Cluster can't be deleted while pipelines are assigned to it")
		})
		s.Get(testkit.AdminToken, path+"/queues/"+testkit.QueueID).Want(t, 200)
	})
}

func TestArchivedPipelinesLoseTheirDeletedCluster(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(pipelineOfMaintained)
		testkit.Change(t, s.DB, `UPDATE pipelines SET archived_at = created_at`)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 204)
		if n := storedNumber(t, s, `SELECT count(*) FROM pipelines WHERE slug = 'web' AND cluster_id IS NULL`); n != 1 {
			t.Error("the pipeline is gone, or still has the cluster")
		}
	})
}

func TestDefaultClusterCannotBeDeleted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`
organizations:
  - slug: standard
    name: Standard
    settings: {default_cluster: Usual}
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + unknownUUID + `, name: Usual}, {name: Unusual}]
tokens:
  - {user: admin@example.com, token: token-for-the-standard, organizations: [standard], scopes: [read_clusters, write_clusters]}
`)
		clusters := "/v2/organizations/standard/clusters"
		s.Delete("token-for-the-standard", clusters+"/"+unknownUUID).
			WantMessage(t, 422, "Cluster can't be deleted while it is the organization's default cluster for new pipelines")
		list := s.Get("token-for-the-standard", clusters).Want(t, 200).List()
		wantExactly(t, testkit.Column(list, "name"), `["Unusual", "Usual"]`)
		s.Delete("token-for-the-standard", fmt.Sprint(list[0]["url"])).Want(t, 204)
	})
}

func TestManagersOfACluster(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, caller := range []struct {
			token            string
			maintained, free int // what making a queue is answered with, in a cluster with maintainers and in one without
		}{
			{testkit.AdminToken, 201, 201},
			{testkit.MaintainerToken, 201, 403},
			{testkit.TeammateToken, 201, 403},
			{testkit.MemberToken, 403, 403},
		} {
			s.Post(caller.token, testkit.ClusterPath(testkit.MaintainedID, "queues"), `{"key": "`+caller.token+`"}`).Want(t, caller.maintained)
			s.Post(caller.token, testkit.ClusterPath(createdCluster(t, s), "queues"), `{"key": "free"}`).Want(t, caller.free)
		}
		testkit.Change(t, s.DB, `DELETE FROM team_members WHERE user_id = $1`, testkit.TeammateID)
		s.Post(testkit.TeammateToken, testkit.ClusterPath(testkit.MaintainedID, "queues"), `{"key": "late"}`).WantMessage(t, 403, "Forbidden")
	})
}

func TestMaintainersMustBelongToTheOrganization(t *testing.T) {
	t.Parallel()
	const foreignTeam = "0190a000-0000-7000-8000-000000000012"
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`
organizations:
  - slug: elsewhere
    name: Elsewhere
    teams: [{id: ` + foreignTeam + `, name: Foreign}]
`)
		path := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, path, func() {
			for _, maintainer := range []string{
				`{"user": "` + testkit.OutsiderID + `"}`, `{"user": "` + unknownUUID + `"}`, `{"user": "` + testkit.TeamID + `"}`, `{"user": "admin@example.com"}`,
				`{"team": "` + foreignTeam + `"}`, `{"team": "` + unknownUUID + `"}`, `{"team": "` + testkit.MemberID + `"}`, `{"team": "platform"}`,
			} {
				reason := "Validation failed: Maintainers must be members of the organization"
				if strings.HasPrefix(maintainer, `{"team"`) {
					reason = "Validation failed: Maintainers must be teams of the organization"
				}
				s.Post(testkit.AdminToken, path+"/maintainers", maintainer).WantMessage(t, 422, reason)
				s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh", "maintainers": [{"user": "`+testkit.MemberID+`"}, `+maintainer+`]}`).
					WantMessage(t, 422, reason)
			}
		})
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "name"), `["Maintained"]`)
	})
}

func TestMaintainerHasExactlyOneKey(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, path, func() {
			for _, maintainer := range []string{
				`{}`, `{"user": null}`, `{"user": "` + testkit.MemberID + `", "team": "` + testkit.TeamID + `"}`,
			} {
				reason := "Validation failed: Maintainers must each have exactly one key, user or team"
				s.Post(testkit.AdminToken, path+"/maintainers", maintainer).WantMessage(t, 422, reason)
				s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh", "maintainers": [`+maintainer+`]}`).WantMessage(t, 422, reason)
			}
			for _, maintainers := range []string{`"` + testkit.MemberID + `"`, `{"user": "` + testkit.MemberID + `"}`, `["` + testkit.MemberID + `"]`, `[null]`, `[{"user": 7}]`} {
				s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh", "maintainers": `+maintainers+`}`).Want(t, 422)
			}
		})
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "name"), `["Maintained"]`)
	})
}

func TestWhatIsWrongWithMaintainersIsToldOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for maintainers, reason := range map[string]string{
			`[{"user": 5}]`: "maintainers[0].user must be a string",
			`[{"user": "` + testkit.MemberID + `"}, {"team": []}]`: "maintainers[1].team must be a string",
			`[{"user": "nobody"}, {"user": "nobody else"}]`:        "Maintainers must be members of the organization",
			`[{"team": "none"}, {}, {"team": "another"}, {}]`:      "Maintainers must be teams of the organization, Maintainers must each have exactly one key, user or team",
			`[` + strings.Repeat("{},", 100) + `{}]`:               "Maintainers are too many (maximum is 100)",
			`[` + strings.Repeat("{},", 1000) + `{}]`:              "maintainers must have at most 1000 items",
		} {
			s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh", "maintainers": `+maintainers+`}`).WantMessage(t, 422, "Validation failed: "+reason)
		}
		for maintainer, reason := range map[string]string{
			`{"user": 5}`:               "user must be a string",
			`{"team": {}}`:              "team must be a string",
			`{"user": 5, "team": true}`: "user must be a string, team must be a string",
		} {
			s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "maintainers"), maintainer).WantMessage(t, 422, "Validation failed: "+reason)
		}
	})
}

func TestClusterWritesSetting(t *testing.T) {
	t.Parallel()
	organization := func(setting string) string {
		return strings.ReplaceAll(`
organizations:
  - slug: SETTING-write
    name: SETTING write
    settings: {cluster_writes: SETTING}
    members: [{user: admin@example.com, role: admin}, {user: maintainer@example.com}, {user: teammate@example.com}, {user: member@example.com}]
    teams: [{name: Keepers, members: [{user: teammate@example.com}]}]
tokens:
  - {user: admin@example.com, token: SETTING-token-of-the-admin, organizations: [SETTING-write], scopes: [read_clusters, write_clusters]}
  - {user: maintainer@example.com, token: SETTING-token-of-maintainer, organizations: [SETTING-write], scopes: [read_clusters, write_clusters]}
  - {user: teammate@example.com, token: SETTING-token-of-teammate, organizations: [SETTING-write], scopes: [read_clusters, write_clusters]}
  - {user: member@example.com, token: SETTING-token-of-member, organizations: [SETTING-write], scopes: [read_clusters, write_clusters]}
`, "SETTING", setting)
	}
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for setting, managersOnly := range map[string]bool{"members": false, "managers": true} {
			s.Bootstrap(organization(setting))
			clusters := "/v2/organizations/" + setting + "-write/clusters"
			want := func(allowed bool, status int) int {
				if allowed || !managersOnly {
					return status
				}
				return 403
			}
			for _, caller := range []struct {
				name           string
				admin, manager bool
			}{{"the-admin", true, true}, {"maintainer", false, true}, {"teammate", false, true}, {"member", false, false}} {
				s.Bootstrap(fmt.Sprintf(`
organizations:
  - slug: %s-write
    name: Made already
    clusters: [{name: For %s, maintainers: [{user: maintainer@example.com}, {team: keepers}]}]
`, setting, caller.name))
				token := setting + "-token-of-" + caller.name
				list := s.Get(token, clusters).Want(t, 200).List()
				cluster := fmt.Sprint(list[slices.Index(testkit.Column(list, "name"), any("For "+caller.name))]["url"])
				s.Post(token, clusters, `{"name": "Created"}`).Want(t, want(caller.admin, 201))
				s.Put(token, cluster, `{"description": "Changed"}`).Want(t, want(caller.manager, 200))
				s.Delete(token, cluster).Want(t, want(caller.manager, 204))
			}
		}
	})
}
