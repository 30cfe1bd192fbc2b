package clients_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/buildkite/go-buildkite/v5"
)

// methods calls the client's methods by their names, so that none is forgotten.
type methods struct {
	*site
	client *buildkite.Client
	called map[string]bool
}

// notServed are services and methods that nothing here answers, with the reason.
var notServed = map[string]string{
	"BuildTests": "test suites", "FlakyTests": "test suites", "TeamSuites": "test suites", "TestRuns": "test suites",
	"TestSuites": "test suites", "Tests": "test suites",
	"PackagesService": "package registries", "PackageRegistriesService": "package registries", "PackageRegistryTokensService": "package registries",
	"Agents.Create": "documented nowhere", "Agents.Delete": "documented nowhere",
}

// call calls a method, such as Clusters.Get, and returns its value. It does nothing if the client has no such method: later versions have more.
func (m *methods) call(name string, args ...any) any {
	m.t.Helper()
	service, method, _ := strings.Cut(name, ".")
	field := reflect.ValueOf(m.client).Elem().FieldByName(service)
	if !field.IsValid() {
		return nil
	}
	function := field.MethodByName(method)
	if !function.IsValid() {
		return nil
	}
	m.called[name] = true
	in := []reflect.Value{reflect.ValueOf(m.t.Context())}
	for i, arg := range args {
		if arg == nil {
			in = append(in, reflect.Zero(function.Type().In(i+1)))
		} else {
			in = append(in, reflect.ValueOf(arg))
		}
	}
	out := function.Call(in)
	if err, failed := out[len(out)-1].Interface().(error); failed {
		m.t.Errorf("%s: %v", name, err)
	}
	return out[0].Interface()
}

// create calls a method that makes something and returns its id.
func (m *methods) create(name string, args ...any) string {
	m.t.Helper()
	id := member(m.t, m.call(name, args...), "id")
	if id == "" {
		m.t.Fatalf("%s answered no id", name)
	}
	return id
}

// member returns a member of a value as text.
func member(t *testing.T, value any, names ...string) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var found any
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		members, _ := found.(map[string]any)
		found = members[name]
	}
	word, _ := found.(string)
	return word
}

// want calls a method and fails the test unless its answer has the text.
func (m *methods) want(text, name string, args ...any) {
	m.t.Helper()
	value := m.call(name, args...)
	if value == nil {
		return
	}
	answer, err := json.Marshal(value)
	if err != nil {
		m.t.Fatal(err)
	}
	if !strings.Contains(string(answer), text) {
		m.t.Errorf("%s answered %s without %q", name, answer, text)
	}
}

// TestEveryMethod calls every method of the newer public Go client that is about something served here.
func TestEveryMethod(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	client, err := buildkite.NewOpts(buildkite.WithBaseURL(s.server), buildkite.WithTokenAuth(programToken))
	if err != nil {
		t.Fatal(err)
	}
	m := &methods{site: s, client: client, called: map[string]bool{}}
	m.organization()
	m.clusters()
	m.teams()
	m.pipelines()
	m.starts()
	m.buildsOfSite()
	m.jobsOfSite()
	m.agents()
	m.call("AccessTokens.Revoke")
	if _, _, err := client.User.CurrentUser(context.WithoutCancel(t.Context())); err == nil {
		t.Error("the revoked token is accepted")
	}
	m.wantEveryMethod()
}

func (m *methods) wantEveryMethod() {
	m.t.Helper()
	served := 0
	services := reflect.ValueOf(m.client).Elem()
	for i := range services.NumField() {
		service := services.Type().Field(i)
		if !service.IsExported() || !strings.HasSuffix(service.Type.String(), "Service") || notServed[service.Name] != "" {
			continue
		}
		for j := range service.Type.NumMethod() {
			served++
			name := service.Name + "." + service.Type.Method(j).Name
			if m.called[name] == (notServed[name] != "") {
				m.t.Errorf("%s: called: %t", name, m.called[name])
			}
		}
	}
	m.t.Logf("%d of %d methods are called", len(m.called), served)
}

func (m *methods) organization() {
	m.want("admin@example.com", "User.CurrentUser")
	m.want("read_builds", "AccessTokens.Get")
	m.want("acme-inc", "Organizations.List", nil)
	m.want("Acme Inc", "Organizations.Get", org)
	m.want("webhook_ips", "Meta.Get")
	m.want("rest", "RateLimit.Get", org)
	m.want("rocket", "Emojis.List", org)
	m.want(otherID, "Members.List", org, nil)
	m.want("member@example.com", "Members.Get", org, otherID)
}

func (m *methods) clusters() {
	cluster := m.create("Clusters.Create", org, buildkite.ClusterCreate{Name: "More"})
	m.want("More", "Clusters.List", org, nil)
	m.want("Others", "Clusters.Update", org, cluster, buildkite.ClusterUpdate{Name: buildkite.Some("Others")})
	m.want("Others", "Clusters.Get", org, cluster)

	queue := m.create("ClusterQueues.Create", org, cluster, buildkite.ClusterQueueCreate{Key: "linux"})
	m.want("linux", "ClusterQueues.List", org, cluster, nil)
	m.want("Machines", "ClusterQueues.Update", org, cluster, queue, buildkite.ClusterQueueUpdate{Description: buildkite.Some("Machines")})
	m.want("Until noon", "ClusterQueues.Pause", org, cluster, queue, buildkite.ClusterQueuePause{Note: "Until noon"})
	m.call("ClusterQueues.Resume", org, cluster, queue)
	m.want("linux", "ClusterQueues.Get", org, cluster, queue)
	m.call("ClusterQueues.Delete", org, cluster, queue)

	token := m.create("ClusterTokens.Create", org, cluster, buildkite.ClusterTokenCreate{Description: "Agents"})
	m.want("Agents", "ClusterTokens.List", org, cluster, nil)
	m.want("Fewer", "ClusterTokens.Update", org, cluster, token, buildkite.ClusterTokenUpdate{Description: buildkite.Some("Fewer")})
	m.want("Fewer", "ClusterTokens.Get", org, cluster, token)
	m.call("ClusterTokens.Delete", org, cluster, token)

	secret := m.create("ClusterSecrets.Create", org, cluster, buildkite.ClusterSecretCreate{Key: "A_SECRET", Value: "hidden"})
	m.want("A_SECRET", "ClusterSecrets.List", org, cluster, nil)
	m.want("One", "ClusterSecrets.Update", org, cluster, secret, buildkite.ClusterSecretUpdate{Description: buildkite.Some("One")})
	m.call("ClusterSecrets.UpdateValue", org, cluster, secret, buildkite.ClusterSecretValueUpdate{Value: "other"})
	m.want("One", "ClusterSecrets.Get", org, cluster, secret)
	m.call("ClusterSecrets.Delete", org, cluster, secret)

	maintainer := m.create("ClusterMaintainers.Create", org, cluster, buildkite.ClusterMaintainer{TeamID: teamID})
	m.want(teamID, "ClusterMaintainers.List", org, cluster, nil)
	m.want(teamID, "ClusterMaintainers.Get", org, cluster, maintainer)
	m.call("ClusterMaintainers.Delete", org, cluster, maintainer)
	m.call("Clusters.Delete", org, cluster)
}

func (m *methods) teams() {
	team := m.create("Teams.CreateTeam", org, buildkite.CreateTeam{Name: "Readers", Privacy: "visible", DefaultMemberRole: "member"})
	m.want("Readers", "Teams.List", org, nil)
	m.want("Writers", "Teams.UpdateTeam", org, team, buildkite.UpdateTeam{Name: buildkite.Some("Writers")})
	m.want("Writers", "Teams.GetTeam", org, team)

	m.call("TeamMember.CreateTeamMember", org, team, buildkite.CreateTeamMember{UserID: otherID, Role: "member"})
	m.want(otherID, "TeamMember.ListTeamMembers", org, team, nil)
	m.want("maintainer", "TeamMember.UpdateTeamMember", org, team, otherID, "maintainer")
	m.want("maintainer", "TeamMember.GetTeamMember", org, team, otherID)
	m.call("TeamMember.DeleteTeamMember", org, team, otherID)

	pipeline := member(m.t, m.send(http.MethodGet, "pipelines/web", nil), "id")
	m.call("TeamPipelines.Create", org, team, buildkite.CreateTeamPipelines{PipelineID: pipeline, AccessLevel: "read_only"})
	m.want(pipeline, "TeamPipelines.List", org, team, nil)
	m.want("build_and_read", "TeamPipelines.Update", org, team, pipeline, buildkite.UpdateTeamPipelines{AccessLevel: buildkite.Some("build_and_read")})
	m.want("build_and_read", "TeamPipelines.Get", org, team, pipeline)
	m.call("TeamPipelines.Delete", org, team, pipeline)
	m.call("Teams.DeleteTeam", org, team)
}

func (m *methods) pipelines() {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		_, _ = io.WriteString(w, `{"login": "ada", "id": 12}`)
	}))
	m.t.Cleanup(host.Close)
	m.send(http.MethodPost, "repository_connections", map[string]any{"type": "github_enterprise", "host": map[string]any{"url": host.URL}, "token": "good-token"})
	m.create("Pipelines.Create", org, buildkite.CreatePipeline{
		Name: "Docs", Repository: host.URL + "/acme/docs.git", ClusterID: m.cluster, DefaultBranch: "main", Configuration: "steps: [wait]",
	})
	m.want("docs", "Pipelines.List", org, nil)
	m.want("Pages", "Pipelines.Update", org, "docs", buildkite.UpdatePipeline{Description: buildkite.Some("Pages")})
	m.call("Pipelines.AddWebhook", org, "docs")
	m.call("Pipelines.Archive", org, "docs")
	m.call("Pipelines.Unarchive", org, "docs")
	m.want("Pages", "Pipelines.Get", org, "docs")
}

func (m *methods) starts() {
	schedule := m.create("PipelineSchedules.Create", org, "docs", buildkite.CreatePipelineSchedule{Cronline: "@daily", Label: "Every night", Branch: "main"})
	m.want("Every night", "PipelineSchedules.List", org, "docs", nil)
	m.want("Every day", "PipelineSchedules.Update", org, "docs", schedule, buildkite.UpdatePipelineSchedule{Label: buildkite.Some("Every day")})
	m.want("Every day", "PipelineSchedules.Get", org, "docs", schedule)
	m.call("PipelineSchedules.Delete", org, "docs", schedule)

	rule := member(m.t, m.call("Rules.Create", org, buildkite.RuleCreate{
		Type: "pipeline.trigger_build.pipeline", Value: buildkite.RuleValue{SourcePipeline: "docs", TargetPipeline: "web"},
	}), "uuid")
	m.want(rule, "Rules.List", org, nil)
	m.want("pipeline.trigger_build.pipeline", "Rules.Get", org, rule)
	m.call("Rules.Delete", org, rule)

	template := member(m.t, m.call("PipelineTemplates.Create", org, buildkite.PipelineTemplateCreate{Name: "Go", Configuration: "steps: [wait]"}), "uuid")
	m.want(template, "PipelineTemplates.List", org, nil)
	m.want("Go code", "PipelineTemplates.Update", org, template, buildkite.PipelineTemplateUpdate{Name: buildkite.Some("Go code")})
	m.want("Go code", "PipelineTemplates.Get", org, template)
	m.call("PipelineTemplates.Delete", org, template)
	m.call("Pipelines.Delete", org, "docs")
}

func (m *methods) buildsOfSite() {
	m.want("First", "Builds.List", nil)
	m.want("First", "Builds.ListByOrg", org, nil)
	m.want("First", "Builds.ListByPipeline", org, "web", nil)
	m.want("First", "Builds.Get", org, "web", "1", nil)

	annotation := m.create("Annotations.Create", org, "web", "1", buildkite.AnnotationCreate{Body: "By a client", Style: "info", Context: "client"})
	m.want("By a client", "Annotations.ListByBuild", org, "web", "1", nil)
	m.call("Annotations.Delete", org, "web", "1", annotation)
	annotation = m.create("Annotations.CreateForJob", org, "web", "1", m.passed, buildkite.AnnotationCreate{Body: "Of a job", Style: "info", Context: "client"})
	m.want("Of a job", "Annotations.ListByJob", org, "web", "1", m.passed, nil)
	m.call("Annotations.DeleteForJob", org, "web", "1", m.passed, annotation)

	m.want("out.txt", "Artifacts.ListByBuild", org, "web", "1", nil)
	m.want("out.txt", "Artifacts.ListByJob", org, "web", "1", m.passed, nil)
	artifact := m.call("Artifacts.Get", org, "web", "1", m.passed, m.artifact)
	var content strings.Builder
	m.call("Artifacts.DownloadArtifactByURL", member(m.t, artifact, "download_url"), &content)
	same(m.t, "the artifact's content", content.String(), "content\n")
	m.call("Artifacts.Delete", org, "web", "1", m.passed, m.artifact)

	m.want("echo uploaded", "StepUploads.Get", org, "web", "1",
		m.send(http.MethodGet, "pipelines/web/builds/1/step-uploads", nil)["items"].([]any)[0].(map[string]any)["uuid"].(string))
	m.want(m.passed, "StepUploads.ListByBuild", org, "web", "1", nil)
}

func (m *methods) jobsOfSite() {
	m.want(m.passed, "Jobs.ListByBuild", org, "web", "1", nil)
	m.want(m.passed, "Jobs.GetJob", org, "web", "1", m.passed)
	m.want(m.passed, "Jobs.GetJobByOrg", org, m.passed)
	m.want("BUILDKITE_BRANCH", "Jobs.GetJobEnvironmentVariables", org, "web", "1", m.passed)
	m.want("hello from the agent", "Jobs.GetJobLog", org, "web", "1", m.passed)
	m.want("true", "Jobs.JobLogExists", org, "web", "1", m.passed)
	m.call("Jobs.DeleteJobLog", org, "web", "1", m.passed)
	m.call("Jobs.RetryJob", org, "web", "1", m.failed)
	m.want("unblocked", "Jobs.UnblockJob", org, "web", "1", m.gate, &buildkite.JobUnblockOptions{})
	m.send(http.MethodPost, "clusters/"+m.cluster+"/queues/"+m.queue+"/pause_dispatch", map[string]any{})
	m.want("By a client", "Builds.Create", org, "web", buildkite.CreateBuild{Commit: "HEAD", Branch: "main", Message: "By a client"})
	number, job := m.newBuild()
	m.want(job, "Jobs.ReprioritizeJob", org, "web", number, job, &buildkite.JobReprioritizationOptions{Priority: 5})
	m.call("Builds.Cancel", org, "web", number)
	m.call("Builds.Rebuild", org, "web", number)
}

func (m *methods) agents() {
	m.want("machine", "Agents.List", org, nil)
	m.call("Agents.Pause", org, m.agent, &buildkite.AgentPauseOptions{Note: "Until noon"})
	m.want("Until noon", "Agents.Get", org, m.agent)
	m.call("Agents.Resume", org, m.agent)
	m.call("Agents.Stop", org, m.agent, true)
}
