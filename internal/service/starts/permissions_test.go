package starts_test

import (
	"context"
	"net/http"
	"net/netip"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/starts"
	"penstock/internal/testkit"
)

// permissionActors are the columns of the matrix: nobody; tokens with all scopes of a member, who created the pipeline, of a maintainer of its cluster, of
// an administrator, and of an administrator of another organization; tokens of the administrator that may only read and only write clusters, and one without
// organizations; an operator's command.
const permissionActors = "nobody member maintainer admin outsider readsClusters writesClusters ungranted operator"

// The rows.
const (
	//                nobody member maintainer admin outsider readsClusters writesClusters ungranted operator
	membersRead    = "anon   ok     ok         ok    none     scope         scope          none      anon"
	managersRead   = "anon   ok     deny       ok    none     scope         scope          none      anon"
	managersWrite  = "anon   ok     deny       ok    none     scope         scope          none      anon"
	adminsWrite    = "anon   deny   deny       ok    none     scope         scope          none      anon"
	everyone       = "ok     ok     ok         ok    ok       ok            ok             ok        ok"
	operatorsAlone = "deny   deny   deny       deny  deny     deny          deny           deny      ok"
)

var permissionOutcomes = map[string]struct {
	code    domain.Code
	message string // its beginning
}{
	"ok":    {0, ""},
	"anon":  {domain.Unauthenticated, "Authentication required"},
	"none":  {domain.NotFound, "No organization found"},
	"scope": {domain.Forbidden, "Your access token doesn't have the "},
	"deny":  {domain.Forbidden, "Forbidden"},
}

// target is what the calls are about.
type target struct {
	pipeline domain.PipelineRef
	rule     string
	schedule domain.PipelineScheduleRef
	trigger  domain.PipelineTriggerRef
	address  domain.Secret // the token of the trigger
	template string
}

type permissionCase struct {
	outcomes string
	call     func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error
}

var page = domain.Page{Number: 1, Size: 10}

func ruleInput(description string) core.Input[domain.RuleInput] {
	return core.Value(domain.RuleInput{Type: domain.Some(string(domain.ArtifactsReadRule)), Description: domain.Some(description), Value: domain.Some(domain.RuleValue{
		SourcePipeline: domain.Some("target"), TargetPipeline: domain.Some("target"), Conditions: domain.Some([]string{"source.build.message != '" + description + "'"}),
	})})
}

var permissionCases = map[string]permissionCase{
	"Rules": {membersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, _ target) error {
		_, err := s.Rules(ctx, a, organization, page)
		return err
	}},
	"Rule": {membersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.Rule(ctx, a, organization, at.rule)
		return err
	}},
	"CreateRule": {adminsWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, _ target) error {
		_, err := s.CreateRule(ctx, a, organization, ruleInput("new"))
		return err
	}},
	"UpdateRule": {adminsWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.UpdateRule(ctx, a, organization, at.rule, ruleInput("changed"), nil)
		return err
	}},
	"DeleteRule": {adminsWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.DeleteRule(ctx, a, organization, at.rule, nil)
		return err
	}},
	"PipelineSchedules": {membersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.PipelineSchedules(ctx, a, at.pipeline, page)
		return err
	}},
	"PipelineSchedule": {membersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.PipelineSchedule(ctx, a, at.schedule)
		return err
	}},
	"CreatePipelineSchedule": {managersWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.CreatePipelineSchedule(ctx, a, at.pipeline, core.Value(domain.PipelineScheduleInput{Cronline: domain.Some("@daily")}))
		return err
	}},
	"UpdatePipelineSchedule": {managersWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.UpdatePipelineSchedule(ctx, a, at.schedule, core.Value(domain.PipelineScheduleInput{Label: domain.Some("Changed")}), nil)
		return err
	}},
	"DeletePipelineSchedule": {managersWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.DeletePipelineSchedule(ctx, a, at.schedule, nil)
		return err
	}},
	"CreateScheduledBuilds": {operatorsAlone, func(ctx context.Context, s *starts.Service, a authz.Actor, _ target) error {
		return s.CreateScheduledBuilds(ctx, a)
	}},
	"PipelineTriggers": {managersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.PipelineTriggers(ctx, a, at.pipeline, domain.CursorPage{Size: 10})
		return err
	}},
	"PipelineTrigger": {managersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.PipelineTrigger(ctx, a, at.trigger)
		return err
	}},
	"CreatePipelineTrigger": {managersWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, _, err := s.CreatePipelineTrigger(ctx, a, at.pipeline, triggerInput())
		return err
	}},
	"UpdatePipelineTrigger": {managersWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.UpdatePipelineTrigger(ctx, a, at.trigger, core.Value(domain.PipelineTriggerInput{Label: domain.Some("Changed")}), nil)
		return err
	}},
	"DeletePipelineTrigger": {managersWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		return s.DeletePipelineTrigger(ctx, a, at.trigger, nil)
	}},
	"DeliverToTrigger": {everyone, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.DeliverToTrigger(ctx, a, at.address, http.Header{}, []byte(`{}`))
		return err
	}},
	"PipelineTemplates": {membersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, _ target) error {
		_, err := s.PipelineTemplates(ctx, a, organization, page)
		return err
	}},
	"PipelineTemplate": {membersRead, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.PipelineTemplate(ctx, a, organization, at.template)
		return err
	}},
	"CreatePipelineTemplate": {adminsWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, _ target) error {
		_, err := s.CreatePipelineTemplate(ctx, a, organization, core.Value(domain.PipelineTemplateInput{Name: domain.Some("New"), Configuration: domain.Some("steps: [wait]")}))
		return err
	}},
	"UpdatePipelineTemplate": {adminsWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		_, err := s.UpdatePipelineTemplate(ctx, a, organization, at.template, core.Value(domain.PipelineTemplateInput{Name: domain.Some("Changed")}), nil)
		return err
	}},
	"DeletePipelineTemplate": {adminsWrite, func(ctx context.Context, s *starts.Service, a authz.Actor, at target) error {
		return s.DeletePipelineTemplate(ctx, a, organization, at.template, nil)
	}},
}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	methods := map[string]bool{}
	for method := range reflect.TypeFor[*starts.Service]().Methods() {
		methods[method.Name] = true
		if _, found := permissionCases[method.Name]; !found && !slices.Contains(hostMethods, method.Name) {
			t.Errorf("%s has no cases", method.Name)
		}
	}
	for name := range permissionCases {
		if !methods[name] {
			t.Errorf("there is no method %s", name)
		}
	}
}

// TestPermissionMatrix calls each method as each actor. A refusal changes nothing.
func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	eachWorld(t, 1, func(t *testing.T, w *world) {
		service := w.nodes[0]
		from := func(token string) authz.Actor {
			return authz.TokenActor(authz.REST, token, netip.MustParseAddr("192.0.2.1"))
		}
		actors := map[string]authz.Actor{"nobody": {}, "member": from(testkit.MemberToken), "maintainer": from(testkit.MaintainerToken), "admin": admin, "outsider": from(testkit.OutsiderToken),
			"readsClusters": from(testkit.ReadOnlyToken), "writesClusters": from(testkit.WriteOnlyToken), "ungranted": from(testkit.UngrantedToken), "operator": authz.OperatorActor()}
		for name, c := range permissionCases {
			outcomes := strings.Fields(c.outcomes)
			for i, actor := range strings.Fields(permissionActors) {
				at := w.target()
				before := w.everything()
				err := c.call(t.Context(), service, actors[actor], at)
				want := permissionOutcomes[outcomes[i]]
				if domain.CodeOf(err) != want.code || (err == nil) != (outcomes[i] == "ok") || err != nil && !strings.HasPrefix(err.Error(), want.message) {
					t.Errorf("%s by %s: %v, not %s", name, actor, err, outcomes[i])
				}
				if err != nil && !slices.Equal(before, w.everything()) {
					t.Errorf("%s by %s is refused and changes something", name, actor)
				}
			}
		}
	})
}

// target makes what the calls are about, anew.
func (w *world) target() target {
	w.t.Helper()
	const pipelines = "/v2/organizations/acme-inc/pipelines"
	w.s.Do(testkit.Request{Method: "DELETE", Path: pipelines + "/target", Token: testkit.AdminToken})
	w.s.Post(testkit.MemberToken, pipelines, `{"name": "Target", "repository": "x", "configuration": "steps: [{command: make}]"}`).Want(w.t, 201)
	at := target{pipeline: domain.PipelineRef{Organization: organization, Slug: "target"}}
	rule, err := w.nodes[0].CreateRule(w.t.Context(), admin, organization, ruleInput("target"))
	if err != nil {
		w.t.Fatal(err)
	}
	at.rule = string(rule.ID)
	at.schedule = domain.PipelineScheduleRef{Pipeline: at.pipeline, ID: string(w.schedule("target", "@daily").ID)}
	trigger, address, err := w.nodes[0].CreatePipelineTrigger(w.t.Context(), admin, at.pipeline, triggerInput())
	if err != nil {
		w.t.Fatal(err)
	}
	at.trigger, at.address = domain.PipelineTriggerRef{Pipeline: at.pipeline, ID: string(trigger.ID)}, domain.Secret(path.Base(address.Reveal()))
	at.template = w.s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipeline-templates", `{"name": "Target", "configuration": "steps: [wait]", "available": true}`).Want(w.t, 201).Text("uuid")
	return at
}

func triggerInput() core.Input[domain.PipelineTriggerInput] {
	return core.Value(domain.PipelineTriggerInput{Type: domain.Some("webhook"), Label: domain.Some("Deploy")})
}

// everything returns all rules, schedules, triggers and templates.
func (w *world) everything() (all []string) {
	w.t.Helper()
	for _, path := range []string{"/rules?per_page=100", "/pipeline-templates?per_page=100", "/pipelines/target/schedules", "/pipelines/target/triggers"} {
		all = append(all, string(w.s.Get(testkit.AdminToken, "/v2/organizations/acme-inc"+path).Want(w.t, 200).Body))
	}
	return all
}

// TestTemplatesThatAreNotAvailable are for administrators: others do not see them, and cannot assign them.
func TestTemplatesThatAreNotAvailable(t *testing.T) {
	t.Parallel()
	eachWorld(t, 1, func(t *testing.T, w *world) {
		at := w.target()
		templates, pipeline := "/v2/organizations/acme-inc/pipeline-templates", "/v2/organizations/acme-inc/pipelines/target"
		w.s.Patch(testkit.AdminToken, templates+"/"+at.template, `{"available": false}`).Want(t, 200)
		w.s.Get(testkit.MemberToken, templates+"/"+at.template).WantMessage(t, 404, "No pipeline template found")
		if got := w.s.Get(testkit.MemberToken, templates).Want(t, 200).List(); len(got) != 0 {
			t.Errorf("a member sees %v", got)
		}
		assign := `{"pipeline_template_uuid": "` + at.template + `"}`
		w.s.Patch(testkit.MemberToken, pipeline, assign).WantMessage(t, 422, "Validation failed: No pipeline template found")
		w.s.Patch(testkit.AdminToken, pipeline, assign).Want(t, 200)
		// It stays while it is not named.
		w.s.Patch(testkit.MemberToken, pipeline, `{"description": "x"}`).Want(t, 200)
		if got := w.s.Get(testkit.MemberToken, pipeline).Text("pipeline_template_uuid"); got != at.template {
			t.Errorf("the template is %q", got)
		}
	})
}
