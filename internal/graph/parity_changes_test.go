package graph_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// parityTables are the changes, by what they change. Each table has servers of its own.
var parityTables = map[string]func(*pair) []parityChange{
	"clusters":         clusterChanges,
	"maintainers":      maintainerChanges,
	"queues":           queueChanges,
	"agent tokens":     agentTokenChanges,
	"cache registries": cacheRegistryChanges,
	"pipelines":        pipelineChanges,
	"teams":            teamChanges,
	"team members":     teamMemberChanges,
	"team pipelines":   teamPipelineChanges,
	"organization":     organizationChanges,
	"builds":           buildChanges,
	"jobs":             jobChanges,
	"annotations":      annotationChanges,
	"agents":           agentChanges,
}

func global(typeName, uuid string) string { return domain.GraphQLID(typeName, uuid) }

// notIDs are given for an id of a type.
func notIDs(typeName string) []string {
	other := "Pipeline"
	if typeName == other {
		other = "Team"
	}
	return []string{"", "none", testkit.MaintainedID, global(other, noSuchID), global(typeName, "none"), global(strings.ToLower(typeName), noSuchID)}
}

// missingCases are cases with ids in a member of the input that name nothing.
func missingCases(member, typeName, thing string) (cases []parityCase) {
	for _, id := range append(notIDs(typeName), global(typeName, noSuchID)) {
		cases = append(cases, parityCase{set: fields{member: id}, refusal: "No " + thing + " found"})
	}
	return cases
}

// unknownCases are cases with ids in a member of the input that are not of the type. REST, which takes a UUID there, finds it not valid.
func unknownCases(member, typeName, thing, refusal string) (cases []parityCase) {
	for _, id := range notIDs(typeName) {
		cases = append(cases, parityCase{set: fields{member: id}, refusal: refusal, unseen: "No " + thing + " found"})
	}
	return cases
}

func withSettings(of fields) func(*testing.T, *testkit.Server) {
	return func(t *testing.T, s *testkit.Server) {
		t.Helper()
		s.Patch(testkit.AdminToken, acme, fields{"settings": of}).Want(t, 200)
	}
}

func concatenate[T any](lists ...[]T) (all []T) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

const forbidden = "Forbidden"

var longName = strings.Repeat("é", 256)

func clusterChanges(p *pair) []parityChange {
	looks := map[string]func(fields, any){"name": asMember("name"), "description": asMember("description"), "emoji": asMember("emoji"), "color": asMember("color")}
	state := []string{"/clusters", "/clusters/" + testkit.MaintainedID, "/clusters/" + spareClusterID}
	elsewhere := func(id string) []parityCase {
		return []parityCase{
			{set: fields{"organizationId": p.elsewhere}, refusal: "No organization found"},
			{set: fields{"organizationId": global("Organization", noSuchID)}, refusal: "No organization found"},
			{set: fields{"organizationId": id}, refusal: "No organization found"},
			{by: testkit.OutsiderToken, refusal: "No organization found"},
			{by: testkit.OutsiderToken, set: fields{"organizationId": p.elsewhere}, refusal: "No cluster found"},
		}
	}
	create := map[string]func(fields, any){"maintainers": asMaintainers("maintainers")}
	maps.Copy(create, looks)
	update := map[string]func(fields, any){"defaultQueueId": asUUID("default_queue_id"), "defaultCacheRegistryId": unlessNil(asUUID("default_cache_registry_uuid")),
		"hostedGitMirrorEnabled": unlessNil(asMember("hosted_git_mirror_enabled")), "hostedContainerCacheEnabled": unlessNil(asMember("hosted_container_cache_enabled"))}
	for member, put := range looks {
		update[member] = put
	}
	cluster, maintained := global("Cluster", spareClusterID), global("Cluster", testkit.MaintainedID)
	const noRegistry = "default_cache_registry_uuid must be the UUID of a cache registry in this cluster"
	return []parityChange{
		{
			mutation: "clusterCreate", request: "POST /clusters", body: create, state: state,
			base:   fields{"organizationId": p.organization, "name": "  New \n"},
			values: fields{"description": "D", "emoji": ":rocket:", "color": "#abc"},
			cases: concatenate([]parityCase{
				{set: fields{"name": "New"}}, // two may share a name
				{set: fields{"description": "", "emoji": "", "color": ""}},
				{set: fields{"maintainers": []fields{{"userId": global("User", testkit.MemberID)}, {"teamId": global("Team", testkit.TeamID)}}}},
				{set: fields{"maintainers": []fields{}}},
				{set: fields{"maintainers": nil}},
				{set: fields{"maintainers": []fields{{}}}, refusal: "Validation failed: Maintainers must each have exactly one key, user or team"},
				{set: fields{"maintainers": []fields{{"userId": global("User", testkit.OutsiderID)}}}, refusal: "Validation failed: Maintainers must be members of the organization"},
				{set: fields{"maintainers": []fields{{"teamId": global("Team", hiddenTeamID)}}}, by: testkit.MemberToken, refusal: "Validation failed: Maintainers must be teams of the organization"},
				{set: fields{"name": ""}, refusal: "Validation failed: Name can't be blank"},
				{set: fields{"name": "a\x00b"}, refusal: "Validation failed: Name must be valid UTF-8 without NUL"},
				{set: fields{"name": longName, "emoji": "rocket", "color": "red"}, anything: true},
				{by: testkit.MemberToken},
				{by: testkit.MemberToken, refusal: forbidden, before: withSettings(fields{"cluster_writes": "managers"})},
				{by: testkit.MaintainerToken, refusal: forbidden, before: withSettings(fields{"cluster_writes": "managers"})},
				{before: withSettings(fields{"cluster_writes": "members"})},
			}, elsewhere(p.membership)[:4]),
		},
		{
			mutation: "clusterUpdate", request: "PUT /clusters/{id}", body: update, state: state,
			base: fields{"organizationId": p.organization, "id": cluster},
			values: fields{"name": "Changed", "description": "D", "emoji": ":rocket::skin-tone-3:", "color": "#abcdef", "defaultQueueId": global("ClusterQueue", hostedQueueID),
				"hostedGitMirrorEnabled": true, "hostedContainerCacheEnabled": false},
			cases: concatenate([]parityCase{
				{set: fields{"id": maintained, "defaultCacheRegistryId": global("CacheRegistry", testkit.RegistryID)}},
				{set: fields{"id": maintained, "defaultCacheRegistryId": p.defaultRegistry}, by: testkit.MaintainerToken},
				{set: fields{"id": maintained, "defaultCacheRegistryId": p.defaultRegistry}, by: testkit.MemberToken, refusal: forbidden},
				{set: fields{"id": maintained, "defaultCacheRegistryId": nil}},
				{set: fields{"defaultCacheRegistryId": p.defaultRegistry}, refusal: noRegistry}, // of another cluster
				{set: fields{"id": maintained, "hostedGitMirrorEnabled": true}, refusal: "hosted_git_mirror_enabled can only be changed on hosted clusters"},
				{set: fields{"id": maintained, "hostedContainerCacheEnabled": true}, refusal: "hosted_container_cache_enabled can only be changed on hosted clusters"},
				{set: fields{"hostedContainerCacheEnabled": true}, by: testkit.MemberToken},
				{}, // nothing changes
				{set: fields{"description": "", "emoji": "", "color": ""}},
				{set: fields{"name": "Spare"}, by: testkit.MemberToken},
				{set: fields{"name": " ", "color": "#12345"}, anything: true},
				{set: fields{"description": strings.Repeat("d", 10_001)}, refusal: "Validation failed: Description is too long (maximum is 10000 characters)"},
				{set: fields{"defaultQueueId": global("ClusterQueue", testkit.QueueID)}, refusal: "Validation failed: default_queue_id must be the UUID of a queue in this cluster"},
				{set: fields{"defaultQueueId": global("ClusterQueue", foreignQueueID)}, refusal: "Validation failed: default_queue_id must be the UUID of a queue in this cluster"},
				{set: fields{"name": "X"}, by: testkit.MemberToken, refusal: forbidden, before: withSettings(fields{"cluster_writes": "managers"})},
				{set: fields{"id": global("Cluster", testkit.MaintainedID), "name": "Kept"}, by: testkit.MaintainerToken},
				{before: withSettings(fields{"cluster_writes": "members"})},
				{set: fields{"id": global("Cluster", testkit.ElsewhereID)}, refusal: "No cluster found"},
			}, missingCases("id", "Cluster", "cluster"),
				unknownCases("defaultQueueId", "ClusterQueue", "cluster queue", "Validation failed: default_queue_id must be the UUID of a queue in this cluster"),
				unknownCases("defaultCacheRegistryId", "CacheRegistry", "cache registry", noRegistry), elsewhere(cluster)),
		},
		{
			mutation: "clusterDelete", request: "DELETE /clusters/{id}", state: state,
			base: fields{"organizationId": p.organization, "id": cluster},
			cases: concatenate([]parityCase{
				{set: fields{"id": global("Cluster", testkit.MaintainedID)}, refusal: "Cluster can't be deleted while pipelines are assigned to it"},
				{refusal: "Cluster can't be deleted while it is the organization's default cluster for new pipelines", before: withSettings(fields{"default_cluster_id": spareClusterID})},
				{by: testkit.MemberToken, refusal: forbidden, before: withSettings(fields{"default_cluster_id": nil, "cluster_writes": "managers"})},
				{set: fields{"id": global("Cluster", testkit.ElsewhereID)}, refusal: "No cluster found"},
			}, missingCases("id", "Cluster", "cluster"), elsewhere(cluster), []parityCase{{}, {refusal: "No cluster found"}}),
		},
	}
}

// asMaintainers puts who is to maintain a cluster, by their UUIDs.
func asMaintainers(name string) func(fields, any) {
	return func(body fields, v any) {
		if list, ok := v.([]fields); ok {
			maintainers := []fields{}
			for _, given := range list {
				maintainer := fields{}
				for member, id := range given {
					asUUID(strings.TrimSuffix(member, "Id"))(maintainer, id)
				}
				maintainers = append(maintainers, maintainer)
			}
			v = maintainers
		}
		body[name] = v
	}
}

func maintainerChanges(p *pair) []parityChange {
	maintainers := "/clusters/" + testkit.MaintainedID + "/maintainers"
	state := []string{maintainers, "/clusters/" + testkit.MaintainedID, "/clusters"}
	base := fields{"organizationId": p.organization, "clusterId": global("Cluster", testkit.MaintainedID)}
	with := func(member, id string) fields {
		input := maps.Clone(base)
		input[member] = id
		return input
	}
	const noUser, noTeam = "Validation failed: Maintainers must be members of the organization", "Validation failed: Maintainers must be teams of the organization"
	strangers := concatenate([]parityCase{
		{by: testkit.MemberToken, refusal: forbidden},
		{by: testkit.OutsiderToken, refusal: "No organization found"},
		{set: fields{"organizationId": p.elsewhere}, refusal: "No organization found"},
		{set: fields{"clusterId": global("Cluster", testkit.ElsewhereID)}, refusal: "No cluster found"},
	}, missingCases("clusterId", "Cluster", "cluster"))
	return []parityChange{
		{
			mutation: "clusterPermissionCreate", request: "POST /clusters/{clusterId}/maintainers", state: state,
			body: map[string]func(fields, any){"userId": asUUID("user"), "teamId": asUUID("team")},
			base: base,
			cases: concatenate([]parityCase{
				{set: fields{"userId": global("User", testkit.MemberID)}},
				{set: fields{"userId": global("User", testkit.MemberID), "teamId": nil}, refusal: "Validation failed: Maintainer has already been added"},
				{set: fields{"teamId": global("Team", spareTeamID), "userId": nil}, by: testkit.MaintainerToken},
				{set: fields{"teamId": global("Team", hiddenTeamID)}, by: testkit.TeammateToken},
				{refusal: "Validation failed: Maintainers must each have exactly one key, user or team"},
				{set: fields{"userId": global("User", testkit.MemberID), "teamId": global("Team", spareTeamID)}, refusal: "Validation failed: Maintainers must each have exactly one key, user or team"},
				{set: fields{"userId": global("User", testkit.OutsiderID)}, refusal: noUser},
				{set: fields{"userId": global("User", noSuchID)}, refusal: noUser},
				{set: fields{"teamId": global("Team", foreignTeamID)}, refusal: noTeam},
			}, unknownCases("userId", "User", "user", noUser), unknownCases("teamId", "Team", "team", noTeam), strangers[1:], []parityCase{
				{by: testkit.MaintainerToken, set: fields{"clusterId": global("Cluster", spareClusterID)}, refusal: forbidden},
			}),
		},
		{
			mutation: "clusterPermissionDelete", request: "DELETE /clusters/{clusterId}/maintainers/{id}", state: state,
			base: with("id", global("ClusterPermission", p.maintainer)),
			cases: concatenate(missingCases("id", "ClusterPermission", "cluster maintainer"), []parityCase{
				{set: fields{"clusterId": global("Cluster", spareClusterID)}, refusal: "No cluster maintainer found"},
				{by: testkit.MaintainerToken, set: fields{"clusterId": global("Cluster", spareClusterID)}, refusal: forbidden},
			}, strangers[1:], []parityCase{{by: testkit.MaintainerToken}, {refusal: "No cluster maintainer found"}}),
		},
	}
}

func queueChanges(p *pair) []parityChange {
	queues := "/clusters/" + testkit.MaintainedID + "/queues"
	spare := "/clusters/" + spareClusterID + "/queues"
	state := []string{queues, spare, "/clusters/" + testkit.MaintainedID, "/clusters/" + spareClusterID}
	queue := global("ClusterQueue", testkit.QueueID)
	body := map[string]func(fields, any){
		"key": asMember("key"), "description": asMember("description"), "retryAgentAffinity": asMember("retry_agent_affinity"), "hostedAgents": asMember("hostedAgents"),
	}
	elsewhere := []parityCase{
		{set: fields{"organizationId": p.elsewhere}, refusal: "No organization found"},
		{by: testkit.OutsiderToken, refusal: "No organization found"},
		{by: testkit.MemberToken, refusal: forbidden},
	}
	// Hosted agents of the queues below the other cluster.
	hosted := func(queue string, agents fields) parityCase {
		return parityCase{set: fields{"id": global("ClusterQueue", queue), "hostedAgents": agents}, path: spare + "/{id}"}
	}
	return []parityChange{
		{
			mutation: "clusterQueueCreate", request: "POST /clusters/{clusterId}/queues", body: body, state: state,
			base: fields{"organizationId": p.organization, "clusterId": global("Cluster", testkit.MaintainedID), "key": "new"},
			// One key is taken once it is used: the cases say another.
			cases: concatenate([]parityCase{
				{},
				{refusal: "Validation failed: Key has already been taken"},
				{set: fields{"key": "described", "description": "D"}},
				{set: fields{"key": "undescribed", "description": nil}},
				{set: fields{"key": "different", "retryAgentAffinity": "prefer-different"}},
				{set: fields{"key": "warmest", "retryAgentAffinity": nil}},
				{set: fields{"key": "unknown", "retryAgentAffinity": "prefer-none"}, refusal: "Validation failed: Retry agent affinity must be prefer-warmest or prefer-different"},
				{set: fields{"key": "mac", "hostedAgents": fields{"instanceShape": "MACOS_ARM64_M4_12X56",
					"platformSettings": fields{"macos": fields{"macosVersion": "SEQUOIA", "xcodeVersion": "16.4"}}}}},
				{set: fields{"key": "linux", "hostedAgents": fields{"instanceShape": "LINUX_ARM64_2X4", "platformSettings": fields{"linux": fields{"agentImageRef": "image:1"}}}}},
				{set: fields{"key": "plain", "hostedAgents": fields{"instanceShape": "LINUX_ARM64_4X16", "platformSettings": nil}}},
				{set: fields{"key": "plainer", "hostedAgents": fields{"instanceShape": "LINUX_ARM64_8X32", "platformSettings": fields{"linux": nil, "macos": nil}}}},
				{set: fields{"key": "plainest", "hostedAgents": fields{"instanceShape": "MACOS_ARM64_M4_6X28",
					"platformSettings": fields{"macos": fields{"macosVersion": nil, "xcodeVersion": nil}}}}},
				{set: fields{"key": "own", "hostedAgents": nil}},
				{set: fields{"key": "wrong", "hostedAgents": fields{"instanceShape": "LINUX_ARM64_2X4", "platformSettings": fields{"macos": fields{"xcodeVersion": "16"}}}}, anything: true},
				{set: fields{"key": "a b"}, anything: true},
				{set: fields{"key": ""}, anything: true},
				{set: fields{"clusterId": global("Cluster", testkit.ElsewhereID)}, refusal: "No cluster found"},
				{set: fields{"key": "theirs"}, by: testkit.MaintainerToken},
				{set: fields{"key": "ours"}, by: testkit.TeammateToken},
			}, missingCases("clusterId", "Cluster", "cluster"), elsewhere),
		},
		{
			mutation: "clusterQueueUpdate", request: "PUT " + queues + "/{id}", body: body, state: state,
			base:   fields{"organizationId": p.organization, "id": queue},
			values: fields{"description": "D", "retryAgentAffinity": "prefer-different"},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"hostedAgents": fields{"instanceShape": "LINUX_AMD64_2X4"}}, refusal: "Validation failed: Hosted agents can't be added to or removed from a queue"},
				{set: fields{"hostedAgents": nil}},
				hosted(hostedQueueID, fields{"instanceShape": "MACOS_ARM64_M4_12X56"}),
				hosted(hostedQueueID, fields{"platformSettings": fields{"macos": fields{"macosVersion": "SONOMA", "xcodeVersion": "15"}}}),
				hosted(hostedQueueID, fields{"platformSettings": fields{"macos": fields{"xcodeVersion": "16"}}}),
				hosted(hostedQueueID, fields{"platformSettings": fields{"macos": fields{"macosVersion": nil}}}),
				hosted(hostedQueueID, fields{"platformSettings": nil}),
				hosted(hostedQueueID, fields{}),
				{set: fields{"id": global("ClusterQueue", hostedQueueID), "hostedAgents": nil}, path: spare + "/{id}", anything: true},
				{set: fields{"id": global("ClusterQueue", hostedQueueID), "hostedAgents": fields{"instanceShape": nil}}, path: spare + "/{id}", anything: true},
				{set: fields{"id": global("ClusterQueue", hostedQueueID), "hostedAgents": fields{"instanceShape": "LINUX_AMD64_2X4"}}, path: spare + "/{id}",
					refusal: "Validation failed: Instance shape can't change between linux and macos"},
				hosted(linuxQueueID, fields{"platformSettings": fields{"linux": fields{"agentImageRef": "image:2"}}}),
				hosted(linuxQueueID, fields{"platformSettings": fields{"linux": fields{"agentImageRef": nil}}}),
				{set: fields{"id": global("ClusterQueue", foreignQueueID)}, refusal: "No cluster queue found"},
				{set: fields{"description": "theirs"}, by: testkit.MaintainerToken},
			}, missingCases("id", "ClusterQueue", "cluster queue"), elsewhere),
		},
		{
			mutation: "clusterQueuePauseDispatch", request: "POST " + queues + "/{id}/pause_dispatch", body: map[string]func(fields, any){"note": asMember("note")}, state: state,
			base: fields{"id": queue},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken, refusal: forbidden},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No cluster queue found"},
				{set: fields{"note": strings.Repeat("n", 10_001)}, anything: true},
				{},
				{refusal: "Cluster queue is already paused"},
				{set: fields{"note": nil}, before: resumeQueue},
				{set: fields{"note": "Moving"}, before: resumeQueue},
				{set: fields{"id": global("ClusterQueue", foreignQueueID)}, refusal: "No cluster queue found"},
			}, missingCases("id", "ClusterQueue", "cluster queue")),
		},
		{
			mutation: "clusterQueueResumeDispatch", request: "POST " + queues + "/{id}/resume_dispatch", state: state,
			base: fields{"id": queue},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken, refusal: forbidden},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No cluster queue found"},
				{},
				{refusal: "Cluster queue is not paused"},
			}, missingCases("id", "ClusterQueue", "cluster queue")),
		},
		{
			mutation: "clusterQueueDelete", request: "DELETE " + queues + "/{id}", state: state,
			base: fields{"organizationId": p.organization, "id": queue},
			cases: concatenate(elsewhere, missingCases("id", "ClusterQueue", "cluster queue"), []parityCase{
				{set: fields{"id": global("ClusterQueue", foreignQueueID)}, refusal: "No cluster queue found"},
				{set: fields{"id": global("ClusterQueue", linuxQueueID)}, path: spare + "/{id}"},
				{set: fields{"id": global("ClusterQueue", hostedQueueID)}, path: spare + "/{id}"}, // the last hosted one
				{},
				{refusal: "No cluster queue found"},
			}),
		},
	}
}

func resumeQueue(t *testing.T, s *testkit.Server) {
	t.Helper()
	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID, "resume_dispatch"), nil).Want(t, 200)
}

func agentTokenChanges(p *pair) []parityChange {
	tokens := "/clusters/" + testkit.MaintainedID + "/tokens"
	body := map[string]func(fields, any){"description": asMember("description"), "allowedIpAddresses": asMember("allowed_ip_addresses"), "expiresAt": asMember("expires_at")}
	const none = "No cluster token found"
	return []parityChange{
		{
			mutation: "clusterAgentTokenCreate", request: "POST /clusters/{clusterId}/tokens", body: body, state: []string{tokens},
			base:   fields{"organizationId": p.organization, "clusterId": global("Cluster", testkit.MaintainedID), "description": "New"},
			values: fields{"allowedIpAddresses": "10.0.0.0/8 2001:db8::/32", "expiresAt": "2026-06-01T02:00:00.123456+02:00"},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"allowedIpAddresses": ""}},
				{set: fields{"description": " "}, refusal: "Validation failed: Description can't be blank"},
				{set: fields{"allowedIpAddresses": "10.0.0.0/33"}, refusal: `Validation failed: Allowed IP addresses are not valid: "10.0.0.0/33" is not a CIDR address`},
				{set: fields{"expiresAt": "2026-05-03T04:27:55.866Z"}, refusal: "Validation failed: Expires at must be at least 10 minutes from now"},
				{set: fields{"expiresAt": "2026-05-03T04:27:55.867Z"}},
				{set: fields{"expiresAt": "9999-12-31T23:59:59Z"}, anything: true},
				{by: testkit.MaintainerToken},
				{by: testkit.MemberToken, refusal: forbidden},
				{by: testkit.OutsiderToken, refusal: "No organization found"},
				{set: fields{"clusterId": global("Cluster", testkit.ElsewhereID)}, refusal: "No cluster found"},
			}, missingCases("clusterId", "Cluster", "cluster")),
		},
		{
			mutation: "clusterAgentTokenUpdate", request: "PUT " + tokens + "/{id}", body: body, state: []string{tokens},
			base:   fields{"organizationId": p.organization, "id": p.agentToken, "description": "Changed"},
			values: fields{"allowedIpAddresses": "192.0.2.1"},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"description": ""}, refusal: "Validation failed: Description can't be blank"},
				{set: fields{"allowedIpAddresses": "x"}, refusal: `Validation failed: Allowed IP addresses are not valid: "x" is not a CIDR address`},
				{by: testkit.MaintainerToken, set: fields{"description": "Theirs"}},
				{by: testkit.MemberToken, refusal: forbidden, unseen: none},
				{by: testkit.OutsiderToken, refusal: "No organization found"},
				{set: fields{"organizationId": p.elsewhere}, refusal: "No organization found"},
			}, missingCases("id", "ClusterToken", "cluster token")),
		},
		{
			mutation: "clusterAgentTokenRevoke", request: "DELETE " + tokens + "/{id}", state: []string{tokens},
			base: fields{"organizationId": p.organization, "id": p.agentToken},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken, refusal: forbidden, unseen: none},
				{by: testkit.OutsiderToken, refusal: "No organization found"},
			}, missingCases("id", "ClusterToken", "cluster token"), []parityCase{{}, {refusal: none}}),
		},
	}
}

func cacheRegistryChanges(p *pair) []parityChange {
	registries := "/clusters/" + testkit.MaintainedID + "/cache-registries"
	state := []string{registries, "/clusters/" + testkit.MaintainedID}
	registry := global("CacheRegistry", testkit.RegistryID)
	const none = "No cache registry found"
	body := map[string]func(fields, any){
		"name": asMember("name"), "description": asMember("description"), "emoji": asMember("emoji"), "color": asMember("color"), "policy": asJSON("policy"),
	}
	change := maps.Clone(body)
	change["policy"] = asChangedJSON("policy")
	policy := `{"rules": [{"effect": "allow", "action": "save", "name": null, "when": "claims.build_branch == 'main'"}]}`
	faults := []parityCase{
		{set: fields{"policy": `{"rules": [{"effect": "allow", "action": "keep"}]}`}, refusal: "Validation failed: Policy rules[0].action must be save or restore"},
		{set: fields{"policy": `[]`}, anything: true},
		{set: fields{"policy": `"text"`}, anything: true},
		{set: fields{"name": "***"}, refusal: "Validation failed: Name must contain a letter or digit, for its slug"},
		{set: fields{"name": " ", "color": "red"}, anything: true},
		{by: testkit.OutsiderToken, refusal: "No organization found"},
		{set: fields{"organizationId": p.elsewhere}, refusal: "No organization found"},
	}
	return []parityChange{
		{
			mutation: "cacheRegistryCreate", request: "POST /clusters/{clusterId}/cache-registries", body: body, state: state,
			base: fields{"organizationId": p.organization, "clusterId": global("Cluster", testkit.MaintainedID), "name": "New"},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"name": "NEW!"}, anything: true}, // the slug is taken
				{set: fields{"name": "A", "description": "D", "emoji": ":gem:", "color": "#fff", "policy": policy}},
				{set: fields{"name": "B", "description": nil, "emoji": nil, "color": nil, "policy": nil}},
				{set: fields{"name": "C", "description": "", "emoji": "", "color": "", "policy": "{}"}},
				{set: fields{"name": "D"}, by: testkit.TeammateToken},
				{set: fields{"name": "E"}, by: testkit.MemberToken, refusal: forbidden},
			}, faults, missingCases("clusterId", "Cluster", "cluster")),
		},
		{
			mutation: "cacheRegistryUpdate", request: "PATCH " + registries + "/{id}", body: change, state: state,
			base:   fields{"organizationId": p.organization, "id": registry},
			values: fields{"name": "Grüße", "description": "D", "emoji": ":gem:", "color": "#fff", "policy": policy},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"name": "Default"}, anything: true}, // the slug is taken
				{set: fields{"policy": "{}"}},
				{set: fields{"policy": nil}},
				{set: fields{"policy": "null"}},
				{set: fields{"description": "Theirs"}, by: testkit.TeammateToken},
				{by: testkit.MemberToken, refusal: forbidden, unseen: none},
			}, faults, missingCases("id", "CacheRegistry", "cache registry")),
		},
		{
			mutation: "cacheRegistryDelete", request: "DELETE " + registries + "/{id}", state: state,
			base: fields{"organizationId": p.organization, "id": registry},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken, refusal: forbidden, unseen: none},
				{by: testkit.OutsiderToken, refusal: "No organization found"},
				{by: testkit.MaintainerToken, refusal: forbidden, before: withSettings(fields{"maintainers_can_destroy_cache_registries": false})},
				{set: fields{"id": p.defaultRegistry}, refusal: "Unable to destroy cache registry. Cannot destroy default cache registry"},
			}, missingCases("id", "CacheRegistry", "cache registry"), []parityCase{{}, {refusal: none}}),
		},
	}
}

func pipelineChanges(p *pair) []parityChange {
	state := []string{"/pipelines?per_page=100", "/teams/" + testkit.TeamID + "/pipelines", "/teams/" + spareTeamID + "/pipelines"}
	const none = "No pipeline found"
	body := map[string]func(fields, any){
		"name": asMember("name"), "description": asMember("description"), "clusterId": asUUID("cluster_id"),
		"visibility": asLowerCase("visibility"), "emoji": asMember("emoji"), "color": asMember("color"),
		"repository": asInner("repository", "url"), "steps": asInner("configuration", "yaml"),
		"tags": asEach("tags", "label", sameText), "teams": asEach("team_uuids", "id", uuidOf),
		"slug": asMember("slug"), "cloneMirrorUrl": asMember("clone_mirror_url"), "pipelineTemplateId": asMember("pipeline_template_uuid"),
	}
	values := fields{
		"description": "D", "clusterId": global("Cluster", spareClusterID), "visibility": "PUBLIC", "emoji": ":rocket:", "color": "#123",
		"steps": fields{"yaml": "steps: [{command: make}]"}, "tags": []fields{{"label": "a"}, {"label": "b"}},
		"cloneMirrorUrl": "git@mirror.example.com:acme/web.git",
	}
	for i, s := range domain.PipelineSettings {
		body[s.GraphQL] = asMember(s.Name)
		switch {
		case s.Flag != nil:
			values[s.GraphQL] = !s.Default
		case s.Line != nil:
			values[s.GraphQL] = "main release/* !" + s.Name
		case s.Minutes != nil:
			values[s.GraphQL] = 10 + i
		}
	}
	faults := []parityCase{
		{set: fields{"name": ""}, refusal: "Validation failed: Name can't be blank"},
		{set: fields{"name": "***"}, refusal: "Validation failed: Name must contain a letter or digit, for its slug"},
		{set: fields{"repository": fields{"url": " "}}, refusal: "Validation failed: Repository can't be blank"},
		{set: fields{"defaultTimeoutInMinutes": -1, "maximumTimeoutInMinutes": 525_601}, anything: true},
		{set: fields{"defaultTimeoutInMinutes": 0}, anything: true},
		{set: fields{"tags": []fields{{"label": " "}}}, refusal: "Validation failed: Tags can't be blank"},
		{set: fields{"tags": []fields{}}, anything: true},
		{set: fields{"steps": fields{"yaml": "steps: ["}}, anything: true},
		{set: fields{"clusterId": global("Cluster", testkit.ElsewhereID)}, refusal: "Validation failed: cluster_id must be the UUID of a cluster in this organization"},
		{set: fields{"name": "Loose!"}, anything: true}, // the slug is taken
		{set: fields{"slug": "Not a slug"}, refusal: "Validation failed: Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside"},
		{set: fields{"slug": "web"}, anything: true}, // taken
		{set: fields{"cloneMirrorUrl": "https://me:secret@example.com/web"}, refusal: "Validation failed: Clone mirror URL must have no credentials, no ? and no #"},
		{set: fields{"pipelineTemplateId": global("PipelineTemplate", noSuchID)}, refusal: "Validation failed: No pipeline template found"},
	}
	unnamedCluster := unknownCases("clusterId", "Cluster", "cluster", "Validation failed: cluster_id must be the UUID of a cluster in this organization")
	strangers := func(path string) []parityCase {
		return concatenate([]parityCase{
			{by: testkit.OutsiderToken, refusal: "No organization found", unseen: none},
			{by: testkit.MaintainerToken, refusal: forbidden},
			{set: fields{"id": global("Pipeline", foreignPipelineID)}, path: "/pipelines/theirs" + path, refusal: none},
		}, casesElsewhere(missingCases("id", "Pipeline", "pipeline"), "/pipelines/missing"+path))
	}
	with, without := fields{"name": "With all"}, fields{"name": "With nulls"}
	for member, value := range values {
		with[member], without[member] = value, nil
	}
	changed := fields{"name": "Loose", "repository": fields{"url": "git@example.com:acme/other.git"}}
	maps.Copy(changed, values)
	create := parityChange{
		mutation: "pipelineCreate", request: "POST /pipelines", body: body, state: state,
		base: fields{"organizationId": p.organization, "name": "New", "repository": fields{"url": "git@example.com:acme/new.git"}, "defaultBranch": "main"}, // which is none with REST
		cases: concatenate([]parityCase{
			{},
			{set: with},
			{set: without},
			{anything: true}, // the slug is taken
			{set: fields{"name": "Teams", "teams": []fields{{"id": global("Team", testkit.TeamID)}, {"id": global("Team", spareTeamID)}}}},
			{set: fields{"name": "Own slug", "slug": "my-own"}},
			{set: fields{"name": "No slug", "slug": nil, "pipelineTemplateId": nil}},
			{set: fields{"name": "No teams", "teams": []fields{}}},
			{set: fields{"name": "Null teams", "teams": nil}},
			{set: fields{"name": "Secret team", "teams": []fields{{"id": global("Team", hiddenTeamID)}}}},
			{set: fields{"name": "Unseen team", "teams": []fields{{"id": global("Team", hiddenTeamID)}}}, by: testkit.MemberToken,
				refusal: "Validation failed: team_uuids must be the UUIDs of teams in this organization"},
			{set: fields{"name": "Foreign team", "teams": []fields{{"id": global("Team", foreignTeamID)}}}, refusal: "Validation failed: team_uuids must be the UUIDs of teams in this organization"},
			{set: fields{"name": "No team", "teams": []fields{{"id": spareTeamID}}}, anything: true, unseen: "No team found"},
			{set: fields{"name": "By a member"}, by: testkit.MemberToken},
			{set: fields{"name": "Default cluster"}, before: withSettings(fields{"default_cluster_id": spareClusterID})},
			{set: fields{"name": "Null cluster", "clusterId": nil}},
			{set: fields{"name": "Not by a member"}, by: testkit.MemberToken, refusal: forbidden, before: withSettings(fields{"members_can_create_pipelines": false})},
			{by: testkit.OutsiderToken, refusal: "No organization found"},
			{set: fields{"organizationId": p.elsewhere}, refusal: "No organization found"},
		}, faults, unnamedCluster),
	}
	update := parityChange{
		mutation: "pipelineUpdate", request: "PATCH /pipelines/loose", body: body, state: state,
		base: fields{"id": global("Pipeline", looseID)}, values: changed,
		cases: concatenate([]parityCase{
			{},
			{set: fields{"slug": "loose"}},
			{set: fields{"slug": nil, "cloneMirrorUrl": "", "pipelineTemplateId": nil}},
			{set: fields{"defaultTimeoutInMinutes": 0, "maximumTimeoutInMinutes": 0}},
			{set: fields{"visibility": "PRIVATE"}},
			{set: fields{"visibility": "PUBLIC"}}, // an event of its own kind
			{set: fields{"id": global("Pipeline", webID), "description": "Theirs"}, path: "/pipelines/web", by: testkit.TeammateToken},
		}, faults[:9], faults[10:], unnamedCluster, strangers(""), []parityCase{{set: fields{"name": "Free"}}, {set: fields{"name": "Loose"}, path: "/pipelines/free"}}),
	}
	return []parityChange{
		create, update,
		{
			mutation: "pipelineArchive", request: "POST /pipelines/loose/archive", state: state, base: fields{"id": global("Pipeline", looseID)},
			cases: concatenate(strangers("/archive"), []parityCase{{}, {refusal: "Pipeline is already archived"}}),
		},
		{
			mutation: "pipelineUnarchive", request: "POST /pipelines/loose/unarchive", state: state, base: fields{"id": global("Pipeline", looseID)},
			cases: concatenate(strangers("/unarchive"), []parityCase{{}, {refusal: "Pipeline is not archived"}}),
		},
		{
			mutation: "pipelineDelete", request: "DELETE /pipelines/loose", state: state, base: fields{"id": global("Pipeline", looseID)},
			cases: concatenate(strangers(""), []parityCase{
				{set: fields{"id": global("Pipeline", webID)}, path: "/pipelines/web", by: testkit.TeammateToken},
				{set: fields{"id": global("Pipeline", oldID)}, path: "/pipelines/old"},
				{}, {refusal: none},
			}),
		},
	}
}

func teamChanges(p *pair) []parityChange {
	state := []string{"/teams", "/teams/" + testkit.TeamID, "/teams/" + spareTeamID}
	team := global("Team", spareTeamID)
	body := map[string]func(fields, any){
		"name": asMember("name"), "description": asMember("description"), "privacy": asLowerCase("privacy"), "isDefaultTeam": asMember("is_default_team"),
		"defaultMemberRole": asLowerCase("default_member_role"), "membersCanCreatePipelines": asMember("members_can_create_pipelines"),
		"membersCanCreateSuites": asMember("members_can_create_suites"), "membersCanCreateRegistries": asMember("members_can_create_registries"),
		"membersCanDestroyRegistries": asMember("members_can_destroy_registries"), "membersCanDestroyPackages": asMember("members_can_destroy_packages"),
	}
	required := fields{"name": "New", "privacy": "VISIBLE", "isDefaultTeam": false, "defaultMemberRole": "MEMBER"}
	// The members' rights of a new team are none with REST, unless it says so.
	create, update := fields{"organizationID": p.organization, "membersCanCreatePipelines": true, "membersCanDeletePipelines": false,
		"membersCanCreateSuites": false, "membersCanCreateRegistries": false}, fields{"id": team}
	for member, value := range required {
		create[member], update[member] = value, value
	}
	delete(update, "privacy")
	update["name"] = "Spare"
	faults := []parityCase{
		{set: fields{"name": " "}, refusal: "Validation failed: Name can't be blank"},
		{set: fields{"name": "***"}, refusal: "Validation failed: Name must contain a letter or digit, for its slug"},
		{set: fields{"name": "Platform"}, refusal: "Validation failed: A team with the slug platform already exists in this organization"},
		{set: fields{"description": "\x00", "name": longName}, anything: true},
	}
	return []parityChange{
		{
			mutation: "teamCreate", request: "POST /teams", body: body, state: state, base: create,
			cases: concatenate([]parityCase{
				{},
				{anything: true}, // the slug is taken
				{set: fields{"name": "A", "privacy": "SECRET", "isDefaultTeam": true, "defaultMemberRole": "MAINTAINER", "description": "D", "membersCanCreatePipelines": false,
					"membersCanCreateSuites": true, "membersCanCreateRegistries": true, "membersCanDestroyRegistries": true, "membersCanDestroyPackages": true}},
				{set: fields{"name": "B", "description": nil, "membersCanCreatePipelines": nil,
					"membersCanCreateSuites": nil, "membersCanCreateRegistries": nil, "membersCanDestroyRegistries": nil, "membersCanDestroyPackages": nil}},
				{by: testkit.MemberToken, refusal: forbidden},
				{by: testkit.OutsiderToken, refusal: "No organization found"},
				{set: fields{"organizationID": p.elsewhere}, refusal: "No organization found"},
			}, faults),
		},
		{
			mutation: "teamUpdate", request: "PATCH /teams/{id}", body: body, state: state, base: update,
			values: fields{"description": "D", "privacy": "SECRET", "membersCanCreatePipelines": true,
				"membersCanCreateSuites": true, "membersCanCreateRegistries": true, "membersCanDestroyRegistries": true, "membersCanDestroyPackages": true},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"isDefaultTeam": true, "defaultMemberRole": "MAINTAINER"}},
				{set: fields{"description": "Theirs"}, by: testkit.MemberToken},
				{set: fields{"privacy": "VISIBLE"}},
				{by: testkit.TeammateToken, refusal: forbidden},
				{set: fields{"id": global("Team", hiddenTeamID)}, by: testkit.MemberToken, refusal: "No team found"},
				{set: fields{"id": global("Team", foreignTeamID)}, refusal: "No team found"},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No team found"},
			}, faults, missingCases("id", "Team", "team")),
		},
		{
			mutation: "teamDelete", request: "DELETE /teams/{id}", state: state, base: fields{"id": team},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken, refusal: forbidden},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No team found"},
				{set: fields{"id": global("Team", hiddenTeamID)}, by: testkit.MemberToken, refusal: "No team found"},
				{set: fields{"id": global("Team", foreignTeamID)}, refusal: "No team found"},
				{set: fields{"id": global("Team", testkit.TeamID)}}, // which maintains a cluster and manages a pipeline
			}, missingCases("id", "Team", "team"), []parityCase{{}, {refusal: "No team found"}}),
		},
	}
}

func teamMemberChanges(p *pair) []parityChange {
	members := "/teams/" + testkit.TeamID + "/members"
	state := []string{members, "/teams/" + spareTeamID + "/members"}
	const none = "No team member found"
	unseen := concatenate([]parityCase{
		{by: testkit.MemberToken, refusal: forbidden},
		{by: testkit.OutsiderToken, refusal: "No organization found", unseen: none},
		{set: fields{"id": p.hiddenMember}, path: "/teams/" + hiddenTeamID + "/members/" + testkit.TeammateID, by: testkit.MemberToken, refusal: "No team found", unseen: none},
	}, casesElsewhere(missingCases("id", "TeamMember", "team member"), members+"/"+noSuchID))
	return []parityChange{
		{
			mutation: "teamMemberCreate", request: "POST /teams/{teamID}/members", state: state,
			body: map[string]func(fields, any){"userID": asUUID("user_id"), "role": asLowerCase("role")},
			base: fields{"teamID": global("Team", testkit.TeamID), "userID": global("User", testkit.MemberID)},
			cases: concatenate([]parityCase{
				{},
				{refusal: "Validation failed: User is already a member of the team"},
				{set: fields{"userID": global("User", testkit.AdminID), "role": "MAINTAINER"}},
				{set: fields{"userID": global("User", testkit.MaintainerID), "role": nil}},
				{set: fields{"userID": global("User", testkit.OutsiderID)}, refusal: "Validation failed: User must be a member of the organization"},
				{set: fields{"userID": global("User", noSuchID)}, refusal: "Validation failed: User must be a member of the organization"},
				{set: fields{"teamID": global("Team", spareTeamID), "userID": global("User", testkit.TeammateID)}, by: testkit.MemberToken},
				{by: testkit.TeammateToken, refusal: forbidden},
				{set: fields{"teamID": global("Team", hiddenTeamID)}, by: testkit.MemberToken, refusal: "No team found"},
				{set: fields{"teamID": global("Team", foreignTeamID)}, refusal: "No team found"},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No team found"},
			}, unknownCases("userID", "User", "user", "Validation failed: User must be a member of the organization"), missingCases("teamID", "Team", "team")),
		},
		{
			mutation: "teamMemberUpdate", request: "PATCH " + members + "/" + testkit.TeammateID, state: state, body: map[string]func(fields, any){"role": asLowerCase("role")},
			base:  fields{"id": p.teamMember, "role": "MAINTAINER"},
			cases: concatenate([]parityCase{{}, {}, {set: fields{"role": "MEMBER"}}}, unseen),
		},
		{
			mutation: "teamMemberDelete", request: "DELETE " + members + "/" + testkit.TeammateID, state: state,
			base:  fields{"id": p.teamMember},
			cases: concatenate(unseen, []parityCase{{}, {refusal: none}}),
		},
	}
}

// casesElsewhere are the cases with another path.
func casesElsewhere(cases []parityCase, path string) []parityCase {
	for i := range cases {
		cases[i].path = path
	}
	return cases
}

func teamPipelineChanges(p *pair) []parityChange {
	pipelines := "/teams/" + testkit.TeamID + "/pipelines"
	state := []string{pipelines, "/teams/" + spareTeamID + "/pipelines"}
	const none = "No team pipeline found"
	unseen := concatenate([]parityCase{
		{by: testkit.MemberToken, refusal: forbidden},
		{by: testkit.OutsiderToken, refusal: "No organization found", unseen: none},
	}, casesElsewhere(missingCases("id", "TeamPipeline", "team pipeline"), pipelines+"/"+noSuchID))
	const noSuch = "Validation failed: Pipeline must be one of the organization"
	return []parityChange{
		{
			mutation: "teamPipelineCreate", request: "POST /teams/{teamID}/pipelines", state: state,
			body: map[string]func(fields, any){"pipelineID": asUUID("pipeline_id"), "accessLevel": asLowerCase("access_level")},
			base: fields{"teamID": global("Team", spareTeamID), "pipelineID": global("Pipeline", webID)},
			cases: concatenate([]parityCase{
				{},
				{anything: true}, // it has access already
				{set: fields{"pipelineID": global("Pipeline", looseID), "accessLevel": "BUILD_AND_READ"}},
				{set: fields{"pipelineID": global("Pipeline", oldID), "accessLevel": nil}},
				{set: fields{"pipelineID": global("Pipeline", foreignPipelineID)}, refusal: noSuch},
				{set: fields{"pipelineID": global("Pipeline", noSuchID)}, refusal: noSuch},
				{set: fields{"teamID": global("Team", hiddenTeamID)}, by: testkit.TeammateToken},
				{by: testkit.MaintainerToken, refusal: forbidden},
				{set: fields{"teamID": global("Team", hiddenTeamID)}, by: testkit.MemberToken, refusal: "No team found"},
				{set: fields{"teamID": global("Team", foreignTeamID)}, refusal: "No team found"},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No team found"},
			}, unknownCases("pipelineID", "Pipeline", "pipeline", noSuch), missingCases("teamID", "Team", "team")),
		},
		{
			mutation: "teamPipelineUpdate", request: "PATCH " + pipelines + "/" + webID, state: state, body: map[string]func(fields, any){"accessLevel": asLowerCase("access_level")},
			base:  fields{"id": p.teamPipeline, "accessLevel": "READ_ONLY"},
			cases: concatenate([]parityCase{{}, {}, {set: fields{"accessLevel": "MANAGE_BUILD_AND_READ"}}, {by: testkit.TeammateToken, set: fields{"accessLevel": "BUILD_AND_READ"}}}, unseen),
		},
		{
			mutation: "teamPipelineDelete", request: "DELETE " + pipelines + "/" + webID, state: state,
			base:  fields{"id": p.teamPipeline},
			cases: concatenate(unseen, []parityCase{{}, {refusal: none}}),
		},
	}
}

// inSettings puts a member into the settings of a body.
func inSettings(put func(fields, any)) func(fields, any) {
	return func(body fields, v any) {
		settings, ok := body["settings"].(fields)
		if !ok {
			settings = fields{}
			body["settings"] = settings
		}
		put(settings, v)
	}
}

// snakeCase returns what REST calls a member of an input.
func snakeCase(name string) string {
	return regexp.MustCompile(`[A-Z]`).ReplaceAllStringFunc(name, func(letter string) string { return "_" + strings.ToLower(letter) })
}

func organizationChanges(p *pair) []parityChange {
	state := []string{"", "/members", "/teams/" + spareTeamID + "/members"}
	const none = "No organization member found"
	strangers := concatenate([]parityCase{
		{by: testkit.MaintainerToken, refusal: forbidden},
		{by: testkit.OutsiderToken, refusal: "No organization found", unseen: none},
		{set: fields{"id": p.elsewhereMember}, path: "/members/" + testkit.OutsiderID, refusal: none},
	}, casesElsewhere(missingCases("id", "OrganizationMember", "organization member"), "/members/"+noSuchID))
	setting := func(name string, convert func(any) any) func(fields, any) {
		return func(body fields, v any) { body["settings"] = fields{name: convert(v)} }
	}
	periods := map[any]any{"NEVER": 0, "DAYS_30": 30, "DAYS_60": 60, "DAYS_90": 90, "DAYS_180": 180, "DAYS_365": 365}
	organizations := func(member string) []parityCase {
		return []parityCase{
			{by: testkit.MemberToken, refusal: forbidden},
			{by: testkit.OutsiderToken, refusal: "No organization found"},
			{set: fields{member: p.elsewhere}, refusal: "No organization found"},
			{set: fields{member: "none"}, refusal: "No organization found"},
		}
	}
	all := []parityCase{}
	for period := range periods {
		all = append(all, parityCase{set: fields{"revokeInactiveTokensAfter": period}})
	}
	update, values := map[string]func(fields, any){"name": asMember("name"), "defaultClusterId": inSettings(asUUID("default_cluster_id")), "clusterWrites": inSettings(asLowerCase("cluster_writes"))}, fields{
		"maintainersCanDestroyCacheRegistries": false, "membersCanCreatePipelines": false, "membersCanCreatePublicPipelines": true, "restrictUserApiTokenCreation": true,
		"allowedApiIpAddresses": "127.0.0.0/8", "revokeInactiveTokensAfterDays": 45, "auditRetentionDays": 365, "defaultBranch": "trunk",
		"maximumTimeoutInMinutes": 120, "defaultTimeoutInMinutes": 60, "scheduledJobExpiryInMinutes": 1440, "buildRetentionDays": 90,
	}
	for member := range values {
		update[member] = inSettings(asMember(snakeCase(member)))
	}
	maps.Copy(values, fields{"name": "Changed", "clusterWrites": "MANAGERS", "defaultClusterId": global("Cluster", spareClusterID)})
	return []parityChange{
		{
			mutation: "organizationUpdate", request: "PATCH ", state: concatenate(state, []string{"/api-settings", "/pipeline-settings"}), body: update,
			base: fields{"organizationId": p.organization}, values: values,
			cases: concatenate([]parityCase{
				{},
				{set: values},
				{set: fields{"defaultTimeoutInMinutes": 121}, anything: true},
				{set: fields{"defaultClusterId": global("Cluster", testkit.ElsewhereID)}, refusal: "Validation failed: settings.default_cluster_id must be the UUID of a cluster in this organization"},
				{set: fields{"name": "", "auditRetentionDays": -1, "scheduledJobExpiryInMinutes": -1, "buildRetentionDays": 29}, anything: true},
				{set: fields{"name": "Acme Inc", "clusterWrites": "MEMBERS", "defaultClusterId": nil, "allowedApiIpAddresses": nil, "membersCanCreatePublicPipelines": false}},
			}, unknownCases("defaultClusterId", "Cluster", "cluster", "Validation failed: settings.default_cluster_id must be the UUID of a cluster in this organization"), organizations("organizationId")),
		},
		{
			mutation: "organizationApiIpAllowlistUpdate", request: "PATCH ", state: state,
			body: map[string]func(fields, any){"ipAddresses": setting("allowed_api_ip_addresses", func(v any) any { return v })},
			base: fields{"organizationID": p.organization, "ipAddresses": "127.0.0.0/8 ::1"},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"ipAddresses": "127.0.0.0/8 x"}, anything: true},
				{set: fields{"ipAddresses": "192.0.2.0/24"}, anything: true}, // not the caller's own
				{set: fields{"ipAddresses": ""}},
			}, organizations("organizationID")),
		},
		{
			mutation: "organizationRevokeInactiveTokensAfterUpdate", request: "PATCH ", state: state,
			body:  map[string]func(fields, any){"revokeInactiveTokensAfter": setting("revoke_inactive_tokens_after_days", func(v any) any { return periods[v] })},
			base:  fields{"organizationId": p.organization, "revokeInactiveTokensAfter": "DAYS_30"},
			cases: concatenate(all, organizations("organizationId")),
		},
		{
			mutation: "organizationMemberUpdate", request: "PATCH /members/" + testkit.MemberID, state: state,
			body: map[string]func(fields, any){"role": asLowerCase("role"), "sso": func(body fields, v any) {
				if mode, given := v.(fields); given {
					v = mode["mode"]
				}
				asLowerCase("sso_mode")(body, v)
			}},
			base: fields{"id": p.membership}, values: fields{"role": "ADMIN", "sso": fields{"mode": "REQUIRED"}},
			cases: concatenate([]parityCase{
				{},
				{set: fields{"role": "MEMBER"}},
				{set: fields{"id": p.ownMembership, "role": "MEMBER"}, path: "/members/" + testkit.AdminID, anything: true},
				{set: fields{"id": p.ownMembership, "role": "ADMIN"}, path: "/members/" + testkit.AdminID, anything: true},
			}, strangers),
		},
		{
			mutation: "organizationMemberDelete", request: "DELETE /members/" + testkit.MemberID, state: state,
			base: fields{"id": p.membership},
			cases: concatenate(strangers, []parityCase{
				{set: fields{"id": p.ownMembership}, path: "/members/" + testkit.AdminID, anything: true},
				{}, {refusal: none},
			}),
		},
	}
}

// unlessNil is for a member whose null means to GraphQL that it was left out.
func unlessNil(set func(fields, any)) func(fields, any) {
	return func(body fields, value any) {
		if value != nil {
			set(body, value)
		}
	}
}
