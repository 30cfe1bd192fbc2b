package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

const rulesPath = "/v2/organizations/acme-inc/rules"

// makePipelines makes pipelines of these names and returns their UUIDs.
func makePipelines(t *testing.T, s *testkit.Server, names ...string) (ids []string) {
	t.Helper()
	for _, name := range names {
		made := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines",
			map[string]any{"name": name, "repository": "git@example.com:acme/" + name + ".git", "cluster_id": testkit.MaintainedID, "configuration": "steps: [{command: \"true\"}]"}).Want(t, 201)
		ids = append(ids, made.Text("id"))
	}
	return ids
}

func TestRuleLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		ids := makePipelines(t, s, "app", "deploy")
		wantExactly(t, s.Get(testkit.MemberToken, rulesPath).Want(t, 200).List(), `[]`)
		made := s.Post(testkit.AdminToken, rulesPath, `{"type": "pipeline.trigger_build.pipeline", "description": "CD", "value": {"source_pipeline": "app", "target_pipeline": "`+ids[1]+`",
			"conditions": ["source.build.branch == 'main'", "source.build.commit == target.trigger.commit"]}}`).Want(t, 201)
		path := rulesPath + "/" + made.Text("uuid")
		shown := `{
			"uuid": "ID", "graphql_id": "GLOBAL", "organization_uuid": "OWNER", "url": "BASE` + path + `",
			"type": "pipeline.trigger_build.pipeline", "description": "CD",
			"source_type": "pipeline", "source_uuid": "SOURCE", "target_type": "pipeline", "target_uuid": "TARGET",
			"conditions": ["source.build.branch == 'main'", "source.build.commit == target.trigger.commit"],
			"effect": "allow", "action": "trigger_build",
			"created_at": "2026-05-03T04:17:55.867Z", "created_by": CREATOR
		}`
		pairs := []string{"GLOBAL", globalID("Rule", made.Text("uuid")), "ID", made.Text("uuid"), "BASE", s.URL, "SOURCE", ids[0], "TARGET", ids[1],
			"CREATOR", string(s.Get(testkit.AdminToken, "/v2/user").Body), "OWNER", s.Get(testkit.AdminToken, "/v2/organizations/acme-inc").Text("id")}
		wantExactly(t, made.Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), shown, pairs...)
		// As the documentation's other page writes it; the newest comes first.
		read := s.Post(testkit.AdminToken, rulesPath, `{"rule": "pipeline.artifacts_read.pipeline", "value": {"source_pipeline": "deploy", "target_pipeline": "app"}}`).Want(t, 201)
		wantMembers(t, read, `{"action": "artifacts_read", "conditions": [], "description": null}`)
		if got := testkit.Column(s.Get(testkit.AdminToken, rulesPath).Want(t, 200).List(), "action"); len(got) != 2 {
			t.Errorf("the rules are %v", got)
		}
		s.Get(testkit.AdminToken, rulesPath+"?page=2&per_page=1").Want(t, 200)
		s.Delete(testkit.MemberToken, path).Want(t, 403)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No rule found")
		s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No rule found")
		want := `["RULE_DELETED","RULE_CREATED"]`
		if got := string(asJSON(t, testkit.Column(auditEvents(t, s, "subject_uuid="+made.Text("uuid")), "type"))); got != want {
			t.Errorf("recorded: %s", got)
		}
		// A rule goes with its pipelines.
		s.Delete(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/app").Want(t, 204)
		s.Get(testkit.AdminToken, rulesPath+"/"+read.Text("uuid")).Want(t, 404)
	})
}

func TestRulesAreChecked(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		makePipelines(t, s, "app", "deploy")
		const trigger = "Rule is invalid: pipeline.trigger_build.pipeline: "
		for body, message := range map[string]string{
			`{"type": "pipeline.x.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "deploy"}}`:                                                                          "Rule type is unknown",
			`{"value": {"source_pipeline": "app", "target_pipeline": "deploy"}}`:                                                                                                         "Rule type is unknown",
			`{"type": "pipeline.trigger_build.pipeline", "value": {"target_pipeline": "deploy"}}`:                                                                                        trigger + "missing source_pipeline",
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": null}}`:                                                                  trigger + "missing target_pipeline",
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "nowhere", "target_pipeline": "deploy"}}`:                                                          trigger + `no pipeline found for source_pipeline "nowhere"`,
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "` + testkit.QueueID + `"}}`:                                             trigger + `no pipeline found for target_pipeline "` + testkit.QueueID + `"`,
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "deploy", "conditions": ["source.nonexistent_condition == 1"]}}`:         trigger + "conditional is invalid: `source.nonexistent_condition` is not a variable",
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "deploy", "conditions": ["target.build.branch == 'x'"]}}`:                trigger + "conditional is invalid: `target.build.branch` is not a variable",
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "deploy", "conditions": ["build.env('A') == 'x'"]}}`:                     trigger + "conditional is invalid: `build.env` is not a variable",
			`{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "deploy", "conditions": [` + strings.Repeat(`"true",`, 20) + `"true"]}}`: trigger + "more than 20 conditions",
		} {
			s.Post(testkit.AdminToken, rulesPath, body).WantMessage(t, 422, message)
		}
		s.Post(testkit.AdminToken, rulesPath, `{"type": "pipeline.trigger_build.pipeline", "value": "x"}`).Want(t, 422)
		s.Post(testkit.AdminToken, rulesPath, `{"type": "pipeline.trigger_build.pipeline"}`).Want(t, 422)
		const rule = `{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "app", "target_pipeline": "deploy", "conditions": ["source.build.env('A') == 'x'"]}}`
		s.Post(testkit.MemberToken, rulesPath, rule).Want(t, 403)
		s.Post(testkit.AdminToken, rulesPath, rule).Want(t, 201)
		s.Post(testkit.AdminToken, rulesPath, rule).WantMessage(t, 422, "Validation failed: There is a rule of this type with the same pipelines and conditions")
		for i := range 19 {
			s.Post(testkit.AdminToken, rulesPath, strings.Replace(rule, "'x'", "'"+strings.Repeat("y", i)+"'", 1)).Want(t, 201)
		}
		s.Post(testkit.AdminToken, rulesPath, strings.Replace(rule, "'x'", "'z'", 1)).
			WantMessage(t, 422, "There are too many rules of this type between the two pipelines (maximum is 20)")
	})
}
