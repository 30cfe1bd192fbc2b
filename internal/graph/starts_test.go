package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// startPipelines makes the pipelines app and deploy, and returns their UUIDs and the organization's global ID.
func startPipelines(t *testing.T, s *testkit.Server) (app, deploy, organization string) {
	t.Helper()
	make := func(name string) string {
		return s.Post(testkit.AdminToken, acme+"/pipelines", fields{"name": name, "repository": "git@example.com:x.git", "cluster_id": testkit.MaintainedID, "default_branch": "main"}).Want(t, 201).Text("id")
	}
	return make("app"), make("deploy"), s.Get(testkit.AdminToken, acme).Text("graphql_id")
}

const ruleFields = `{ id uuid description document type sourceType targetType effect action source { ... on Pipeline { uuid slug } } target { ... on Pipeline { uuid } } createdBy { name } organization { slug } }`

func TestRuleMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		app, deploy, organization := startPipelines(t, s)
		const create = `mutation ($o: ID!, $type: String!, $d: String, $value: JSON!) { ruleCreate(input: {organizationId: $o, type: $type, description: $d, value: $value}) { rule ` + ruleFields + ` } }`
		value := `{"source_pipeline": "app", "target_pipeline": "` + deploy + `", "conditions": ["source.build.branch == 'main'"]}`
		input := fields{"o": organization, "type": "pipeline.trigger_build.pipeline", "d": "CD", "value": value}
		rule := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, create, input)), "ruleCreate", "rule").(item)
		document := `{"rule":"pipeline.trigger_build.pipeline","value":{"source_pipeline":"` + app + `","target_pipeline":"` + deploy + `","conditions":["source.build.branch == 'main'"]}}`
		for name, want := range map[string]any{"description": "CD", "document": document, "type": "pipeline.trigger_build.pipeline", "sourceType": "PIPELINE", "targetType": "PIPELINE",
			"effect": "ALLOW", "action": "TRIGGER_BUILD"} {
			if rule[name] != want {
				t.Errorf("%s is %v, not %v", name, rule[name], want)
			}
		}
		if rule["source"].(item)["slug"] != "app" || rule["target"].(item)["uuid"] != deploy || rule["createdBy"].(item)["name"] != "Admin" || rule["organization"].(item)["slug"] != "acme-inc" {
			t.Errorf("the rule is %v", rule)
		}
		refuse := func(token, message string, change fields) {
			t.Helper()
			with := fields{}
			for name, v := range input {
				with[name] = v
			}
			for name, v := range change {
				with[name] = v
			}
			wantError(t, s.GraphQL(token, create, with), message, "ruleCreate")
		}
		refuse(testkit.MemberToken, "Forbidden", nil)
		refuse(testkit.OutsiderToken, "No organization found", nil)
		refuse(testkit.AdminToken, "Rule type is unknown", fields{"type": "pipeline.x.pipeline"})
		refuse(testkit.AdminToken, "Rule is invalid: pipeline.trigger_build.pipeline: missing source_pipeline", fields{"value": `{"source_pipelin": "app", "target_pipeline": "deploy"}`})
		refuse(testkit.AdminToken, "Validation failed: Value must be a JSON object with the texts source_pipeline and target_pipeline, and may have a list of texts, conditions", fields{"value": `[1]`})
		refuse(testkit.AdminToken, "Validation failed: There is a rule of this type with the same pipelines and conditions", nil)

		const update = `mutation ($o: ID!, $id: ID!, $d: String, $value: JSON!) { ruleUpdate(input: {organizationId: $o, id: $id, description: $d, value: $value}) { rule ` + ruleFields + ` } }`
		changed := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, update, fields{"o": organization, "id": rule["id"], "value": `{"source_pipeline": "deploy", "target_pipeline": "app"}`})), "ruleUpdate", "rule").(item)
		if changed["description"] != nil || changed["source"].(item)["uuid"] != deploy || strings.Contains(changed["document"].(string), "conditions") {
			t.Errorf("the rule is %v", changed)
		}
		wantError(t, s.GraphQL(testkit.AdminToken, update, fields{"o": organization, "id": rule["id"], "value": `{"source_pipeline": "app", "target_pipeline": "app", "conditions": ["source.x"]}`}),
			"Rule is invalid: pipeline.trigger_build.pipeline: conditional is invalid: `source.x` is not a variable", "ruleUpdate")
		wantError(t, s.GraphQL(testkit.MemberToken, update, fields{"o": organization, "id": rule["id"], "value": value}), "Forbidden", "ruleUpdate")
		wantError(t, s.GraphQL(testkit.AdminToken, update, fields{"o": organization, "id": organization, "value": value}), "No rule found", "ruleUpdate")

		// Lists are chosen by action, source and target.
		s.Post(testkit.AdminToken, acme+"/rules", fields{"type": "pipeline.artifacts_read.pipeline", "value": fields{"source_pipeline": "app", "target_pipeline": "deploy"}}).Want(t, 201)
		for filter, want := range map[string]float64{"": 2, "(action: TRIGGER_BUILD)": 1, "(action: [ARTIFACTS_READ, TRIGGER_BUILD])": 2, "(action: [])": 0, "(sourceType: PIPELINE, order: RECENTLY_CREATED)": 2, "(targetType: [])": 0,
			`(sourceId: "` + global("Pipeline", app) + `")`: 1, `(targetId: "` + global("Pipeline", app) + `", action: TRIGGER_BUILD)`: 1, `(sourceId: "none")`: 0} {
			data := wantData(t, s.GraphQL(testkit.MemberToken, `{ organization(slug: "acme-inc") { rules`+filter+` { count edges { node { id } } } } }`, nil))
			if got := dig(t, data, "organization", "rules", "count"); got != want {
				t.Errorf("%s: %v rules, not %v", filter, got, want)
			}
		}
		found := wantData(t, s.GraphQL(testkit.MemberToken, `query ($id: ID!) { rule(uuid: $id) { id } }`, fields{"id": rule["uuid"]}))
		if dig(t, found, "rule", "id") != rule["id"] {
			t.Errorf("the rule is %v", found)
		}
		const remove = `mutation ($o: ID!, $id: ID!) { ruleDelete(input: {organizationId: $o, id: $id}) { deletedRuleId } }`
		wantError(t, s.GraphQL(testkit.MemberToken, remove, fields{"o": organization, "id": rule["id"]}), "Forbidden", "ruleDelete")
		if got := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, remove, fields{"o": organization, "id": rule["id"]})), "ruleDelete", "deletedRuleId"); got != rule["id"] {
			t.Errorf("deleted %v", got)
		}
		wantError(t, s.GraphQL(testkit.AdminToken, remove, fields{"o": organization, "id": rule["id"]}), "No rule found", "ruleDelete")
	})
}

const scheduleFields = `{ id uuid label cronline message commit branch env enabled nextBuildAt failedAt failedMessage createdAt createdBy { name } pipeline { id } builds(first: 1) { count }
	permissions { pipelineScheduleUpdate { allowed } pipelineScheduleDelete { allowed } } }`

func TestPipelineScheduleMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		app, _, _ := startPipelines(t, s)
		const create = `mutation ($p: ID!, $c: String, $env: String, $m: String) { pipelineScheduleCreate(input: {pipelineID: $p, label: "Nightly", cronline: $c, env: $env, message: $m, enabled: true}) {
			pipeline { id } pipelineScheduleEdge { cursor node ` + scheduleFields + ` } } }`
		input := fields{"p": global("Pipeline", app), "c": "0 * * * *", "env": "FOO=\"BAR=2f\"\nB=two words\n\nC=\"a\\\"b\\\\c\\n\"\n"}
		payload := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, create, input)), "pipelineScheduleCreate").(item)
		made := dig(t, payload, "pipelineScheduleEdge", "node").(item)
		if dig(t, payload, "pipeline", "id") != global("Pipeline", app) || made["message"] != nil || made["commit"] != "HEAD" || made["branch"] != "main" || made["enabled"] != true || made["nextBuildAt"] == nil {
			t.Errorf("the schedule is %v", made)
		}
		if env := made["env"].([]any); len(env) != 3 || env[0] != "B=two words" || env[1] != "C=a\"b\\c\n" || env[2] != "FOO=BAR=2f" {
			t.Errorf("the environment is %q", env)
		}
		wantError(t, s.GraphQL(testkit.MaintainerToken, create, input), "Forbidden", "pipelineScheduleCreate")
		wantError(t, s.GraphQL(testkit.OutsiderToken, create, input), "No pipeline found", "pipelineScheduleCreate")
		wantError(t, s.GraphQL(testkit.AdminToken, create, fields{"p": input["p"], "c": "* * * * *"}), "Validation failed: Cronline is not valid: builds can't be less than 10 minutes apart", "pipelineScheduleCreate")
		wantError(t, s.GraphQL(testkit.AdminToken, create, fields{"p": input["p"]}), "Validation failed: Cronline can't be blank", "pipelineScheduleCreate")
		wantError(t, s.GraphQL(testkit.AdminToken, create, fields{"p": input["p"], "c": "@daily", "env": "FOO"}), "Validation failed: Env must have lines such as NAME=value", "pipelineScheduleCreate")

		const update = `mutation ($input: PipelineScheduleUpdateInput!) { pipelineScheduleUpdate(input: $input) { pipelineSchedule ` + scheduleFields + ` } }`
		changed := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, update, fields{"input": fields{"id": made["id"], "cronline": "@daily", "env": "", "branch": "release", "enabled": false, "message": "M", "commit": "abc", "label": "L"}})),
			"pipelineScheduleUpdate", "pipelineSchedule").(item)
		if changed["cronline"] != "@daily" || len(changed["env"].([]any)) != 0 || changed["branch"] != "release" || changed["enabled"] != false || changed["nextBuildAt"] != nil || changed["message"] != "M" || changed["label"] != "L" {
			t.Errorf("the schedule is %v", changed)
		}
		wantError(t, s.GraphQL(testkit.MaintainerToken, update, fields{"input": fields{"id": made["id"]}}), "Forbidden", "pipelineScheduleUpdate")
		wantError(t, s.GraphQL(testkit.OutsiderToken, update, fields{"input": fields{"id": made["id"]}}), "No pipeline schedule found", "pipelineScheduleUpdate")

		slug := "acme-inc/app/" + made["uuid"].(string)
		data := wantData(t, s.GraphQL(testkit.MaintainerToken, `query ($s: ID!, $p: ID!) { pipelineSchedule(slug: $s) { id permissions { pipelineScheduleUpdate { allowed } } }
			pipeline(slug: "acme-inc/app") { schedules(first: 5) { count nodes { id } } permissions { pipelineScheduleCreate { allowed } } } wrong: pipelineSchedule(slug: $p) { id } }`,
			fields{"s": slug, "p": "acme-inc/deploy/" + made["uuid"].(string)}))
		if dig(t, data, "pipelineSchedule", "id") != made["id"] || dig(t, data, "pipelineSchedule", "permissions", "pipelineScheduleUpdate", "allowed") != false ||
			dig(t, data, "pipeline", "schedules", "count") != 1.0 || dig(t, data, "pipeline", "permissions", "pipelineScheduleCreate", "allowed") != false || data["wrong"] != nil {
			t.Errorf("a maintainer reads %v", data)
		}
		// A build that it has created names it.
		build := s.Post(testkit.AdminToken, acme+"/pipelines/app/builds", fields{"commit": "HEAD", "branch": "main"}).Want(t, 201).Text("id")
		testkit.Exec(t, s.DB, `UPDATE builds SET source = 'schedule'`)
		testkit.Exec(t, s.DB, `INSERT INTO scheduled_builds (build_id, schedule_id) VALUES ($1, $2)`, build, made["uuid"])
		data = wantData(t, s.GraphQL(testkit.AdminToken, `{ build(slug: "acme-inc/app/1") { source { name ... on BuildSourceSchedule { pipelineSchedule { id builds { nodes { number } } } } } } }`, nil))
		if dig(t, data, "build", "source", "pipelineSchedule", "id") != made["id"] {
			t.Errorf("the build is of %v", data)
		}
		const remove = `mutation ($id: ID!) { pipelineScheduleDelete(input: {id: $id}) { deletedPipelineScheduleID pipeline { id } } }`
		wantError(t, s.GraphQL(testkit.MaintainerToken, remove, fields{"id": made["id"]}), "Forbidden", "pipelineScheduleDelete")
		deleted := wantData(t, s.GraphQL(testkit.AdminToken, remove, fields{"id": made["id"]}))
		if dig(t, deleted, "pipelineScheduleDelete", "deletedPipelineScheduleID") != made["id"] || dig(t, deleted, "pipelineScheduleDelete", "pipeline", "id") != global("Pipeline", app) {
			t.Errorf("deleted %v", deleted)
		}
		wantError(t, s.GraphQL(testkit.AdminToken, remove, fields{"id": made["id"]}), "No pipeline schedule found", "pipelineScheduleDelete")
	})
}

const templateFields = `{ id uuid name description configuration available createdAt createdBy { name } updatedAt updatedBy { name } }`

func TestPipelineTemplateMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		app, _, organization := startPipelines(t, s)
		const create = `mutation ($o: ID!, $c: String!, $d: String, $a: Boolean) { pipelineTemplateCreate(input: {organizationId: $o, name: "Build", configuration: $c, description: $d, available: $a}) { pipelineTemplate ` + templateFields + ` } }`
		input := fields{"o": organization, "c": "steps: [{command: make}]"}
		made := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, create, input)), "pipelineTemplateCreate", "pipelineTemplate").(item)
		if made["available"] != false || made["description"] != nil || made["configuration"] != "steps: [{command: make}]" || made["updatedBy"].(item)["name"] != "Admin" {
			t.Errorf("the template is %v", made)
		}
		wantError(t, s.GraphQL(testkit.MemberToken, create, input), "Forbidden", "pipelineTemplateCreate")
		wantError(t, s.GraphQL(testkit.AdminToken, create, fields{"o": organization, "c": " "}), "Validation failed: Configuration can't be blank", "pipelineTemplateCreate")
		const update = `mutation ($o: ID!, $id: ID!, $c: String, $a: Boolean) { pipelineTemplateUpdate(input: {organizationId: $o, id: $id, configuration: $c, available: $a, description: "D", name: "Built"}) { pipelineTemplate ` + templateFields + ` } }`
		changed := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, update, fields{"o": organization, "id": made["id"], "a": true})), "pipelineTemplateUpdate", "pipelineTemplate").(item)
		if changed["available"] != true || changed["name"] != "Built" || changed["description"] != "D" || changed["configuration"] != made["configuration"] {
			t.Errorf("the template is %v", changed)
		}
		wantError(t, s.GraphQL(testkit.MemberToken, update, fields{"o": organization, "id": made["id"]}), "Forbidden", "pipelineTemplateUpdate")

		const assign = `mutation ($p: ID!, $t: ID, $yaml: String!) { pipelineUpdate(input: {id: $p, pipelineTemplateId: $t, steps: {yaml: $yaml}}) { pipeline { steps { yaml } pipelineTemplate { id } } } }`
		pipeline := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, assign, fields{"p": global("Pipeline", app), "t": made["id"], "yaml": ""})), "pipelineUpdate", "pipeline").(item)
		if dig(t, pipeline, "steps", "yaml") != made["configuration"] || dig(t, pipeline, "pipelineTemplate", "id") != made["id"] {
			t.Errorf("the pipeline is %v", pipeline)
		}
		wantError(t, s.GraphQL(testkit.AdminToken, assign, fields{"p": global("Pipeline", app), "t": made["id"], "yaml": "steps: [wait]"}),
			"Validation failed: Configuration can't be changed while the pipeline has a template", "pipelineUpdate")
		// A change of the template reaches the pipeline.
		wantData(t, s.GraphQL(testkit.AdminToken, update, fields{"o": organization, "id": made["id"], "c": "steps: [{command: test}]", "a": false}))
		data := wantData(t, s.GraphQL(testkit.AdminToken, `{ pipeline(slug: "acme-inc/app") { steps { yaml } } organization(slug: "acme-inc") { pipelineTemplates(order: RECENTLY_CREATED) { count edges { node { id } } } } }`, nil))
		if dig(t, data, "pipeline", "steps", "yaml") != "steps: [{command: test}]" || dig(t, data, "organization", "pipelineTemplates", "count") != 1.0 {
			t.Errorf("there is %v", data)
		}
		data = wantData(t, s.GraphQL(testkit.MemberToken, `query ($id: ID!) { pipelineTemplate(uuid: $id) { id } organization(slug: "acme-inc") { pipelineTemplates { count } } pipeline(slug: "acme-inc/app") { pipelineTemplate { id } } }`, fields{"id": made["uuid"]}))
		if data["pipelineTemplate"] != nil || dig(t, data, "organization", "pipelineTemplates", "count") != 0.0 || dig(t, data, "pipeline").(item)["pipelineTemplate"] != nil {
			t.Errorf("a member sees %v", data)
		}
		const remove = `mutation ($o: ID!, $id: ID!) { pipelineTemplateDelete(input: {organizationId: $o, id: $id}) { deletedPipelineTemplateId } }`
		wantError(t, s.GraphQL(testkit.AdminToken, remove, fields{"o": organization, "id": made["id"]}), "Pipeline template can't be deleted while it is assigned to pipelines", "pipelineTemplateDelete")
		wantData(t, s.GraphQL(testkit.AdminToken, assign, fields{"p": global("Pipeline", app), "t": "", "yaml": "steps: [wait]"}))
		wantError(t, s.GraphQL(testkit.MemberToken, remove, fields{"o": organization, "id": made["id"]}), "Forbidden", "pipelineTemplateDelete")
		if got := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, remove, fields{"o": organization, "id": made["id"]})), "pipelineTemplateDelete", "deletedPipelineTemplateId"); got != made["id"] {
			t.Errorf("deleted %v", got)
		}
		made2 := wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($o: ID!, $t: ID!) { pipelineCreate(input: {organizationId: $o, name: "From", repository: {url: "r"}, pipelineTemplateId: $t}) { pipelineTemplate { id } pipeline { steps { yaml } } } }`,
			fields{"o": organization, "t": dig(t, wantData(t, s.GraphQL(testkit.AdminToken, create, input)), "pipelineTemplateCreate", "pipelineTemplate", "id")}))
		if dig(t, made2, "pipelineCreate", "pipeline", "steps", "yaml") != "steps: [{command: make}]" {
			t.Errorf("made %v", made2)
		}
	})
}
