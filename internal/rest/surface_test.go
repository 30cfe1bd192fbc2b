package rest_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/rest"
	"penstock/internal/testkit"
)

// surfaceEndpoint is an operation of the API: what its caller needs, and a request that succeeds.
type surfaceEndpoint struct {
	method, path string // the path as the API's description has it
	scope        string // that the token needs
	needs        surfaceNeed
	body         string // "": it takes none
	status       int
}

// surfaceNeed is what a caller of an operation must be.
type surfaceNeed int

const (
	needsNothing         surfaceNeed = iota
	needsToken                       // any live one
	needsMember                      // of the organization
	needsManager                     // of the cluster, or of the team
	needsPipelineManager             // who may change the pipeline that a team has access to
	needsAdmin                       // of the organization
)

const (
	surfaceOrganization = "/v2/organizations/{org}"
	surfaceClusters     = surfaceOrganization + "/clusters"
	surfaceCluster      = surfaceClusters + "/{cluster}"
	surfaceQueue        = surfaceCluster + "/queues/{id}"
	surfaceToken        = surfaceCluster + "/tokens/{id}"
	surfaceMaintainer   = surfaceCluster + "/maintainers/{id}"
	surfaceSecret       = surfaceCluster + "/secrets/{id}"
	surfaceRegistry     = surfaceCluster + "/cache-registries/{id}"
	surfacePipelines    = surfaceOrganization + "/pipelines"
	surfacePipeline     = surfacePipelines + "/{pipeline}"
	surfaceBuilds       = surfacePipeline + "/builds"
	surfaceBuild        = surfaceBuilds + "/{number}"
	surfaceBuildJob     = surfaceBuild + "/jobs/{id}"
	surfaceJob          = surfaceOrganization + "/jobs/{id}"
	surfaceUpload       = surfaceBuild + "/step-uploads/{id}"
	surfaceAgent        = surfaceOrganization + "/agents/{id}"
	surfaceRules        = surfaceOrganization + "/rules"
	surfaceRule         = surfaceRules + "/{uuid}"
	surfaceTemplates    = surfaceOrganization + "/pipeline-templates"
	surfaceTemplate     = surfaceTemplates + "/{uuid}"
	surfaceSchedules    = surfacePipeline + "/schedules"
	surfaceSchedule     = surfaceSchedules + "/{id}"
	surfaceTriggers     = surfacePipeline + "/triggers"
	surfaceTrigger      = surfaceTriggers + "/{id}"
	surfaceConnections  = surfaceOrganization + "/repository_connections"
	surfaceConnection   = surfaceConnections + "/{id}"
	surfaceBanner       = surfaceOrganization + "/banner"
	surfaceServices     = surfaceOrganization + "/services"
	surfaceService      = surfaceServices + "/{id}"
	surfaceMember       = surfaceOrganization + "/members/{id}"
	surfaceTeams        = surfaceOrganization + "/teams"
	surfaceTeam         = surfaceTeams + "/{team}"
	surfaceTeamMember   = surfaceTeam + "/members/{id}"
	surfaceTeamPipeline = surfaceTeam + "/pipelines/{id}"
	surfaceInvitations  = surfaceOrganization + "/invitations"
	surfaceInvitation   = surfaceInvitations + "/{id}"
	surfacePortals      = surfaceOrganization + "/portals"
	surfacePortal       = surfacePortals + "/{portal}"
	surfacePortalToken  = surfacePortal + "/tokens/{id}"
	surfacePortalSecret = surfacePortal + "/secrets/{id}"

	surfaceNewRule = `{"type": "pipeline.trigger_build.pipeline", "value": {"source_pipeline": "fresh", "target_pipeline": "fresh"}}`

	surfaceNewService = `{"provider": "webhook", "settings": {"url": "https://example.com/hook"}}`

	surfaceNewMaintainer = `{"user": "` + testkit.MemberID + `"}`

	// surfaceWrongTypes is a body that every operation which takes one refuses.
	surfaceWrongTypes = `{"name": 1, "key": 1, "description": 1, "value": 1, "note": 1, "user": 1, "role": 1, "access_level": 1,
		"restrict_user_api_token_creation": 1, "default_branch": 1, "commit": 1, "states": 1, "priority": "x", "fields": 1, "force": 1, "cronline": 1, "type": 1, "message": 1}`

	surfaceSharedPipeline = "0190a000-0000-7000-8000-000000000061" // which the maintainer and the teammate may change
)

// surfaceHost is a repository host that has every repository and takes every token.
var surfaceHost = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	_, _ = io.WriteString(w, map[bool]string{true: `[]`, false: `{"login": "ada", "id": 12, "full_name": "acme/web", "html_url": "https://git.example.com/acme/web", "clone_url": "https://git.example.com/acme/web.git"}`}[strings.HasSuffix(r.URL.Path, "/repos")])
}))

const surfaceNewTrigger = `{"type": "webhook", "label": "Deploy"}`

var surfaceNewConnection = `{"type": "gitea", "host": {"url": "` + surfaceHost.URL + `"}, "token": "forge-token"}`

var surface = []surfaceEndpoint{
	{"GET", "/v2", "", needsNothing, "", 200},
	{"GET", "/v2/meta", "", needsNothing, "", 200},
	{"GET", "/v2/openapi.json", "", needsNothing, "", 200},
	{"GET", "/v2/user", "read_user", needsToken, "", 200},
	{"GET", "/v2/access-token", "", needsToken, "", 200},
	{"DELETE", "/v2/access-token", "", needsToken, "", 204},
	{"GET", "/v2/organizations", "read_organizations", needsToken, "", 200},
	{"GET", surfaceOrganization, "read_organizations", needsMember, "", 200},
	{"GET", surfaceOrganization + "/rate_limit", "", needsMember, "", 200},
	{"GET", surfaceOrganization + "/emojis", "", needsMember, "", 200},
	{"GET", surfaceOrganization + "/usage", "read_organizations", needsMember, "", 200},
	{"GET", surfaceOrganization + "/audit_events", "read_audit_events", needsAdmin, "", 200},
	{"GET", surfaceOrganization + "/audit_events/{id}", "read_audit_events", needsAdmin, "", 200},

	{"GET", surfaceClusters, "read_clusters", needsMember, "", 200},
	{"POST", surfaceClusters, "write_clusters", needsMember, `{"name": "New"}`, 201},
	{"GET", surfaceCluster, "read_clusters", needsMember, "", 200},
	{"PUT", surfaceCluster, "write_clusters", needsMember, `{"name": "Changed"}`, 200},
	{"PATCH", surfaceCluster, "write_clusters", needsMember, `{"name": "Changed"}`, 200},
	{"DELETE", surfaceCluster, "write_clusters", needsMember, "", 204},

	{"GET", surfaceCluster + "/queues", "read_clusters", needsMember, "", 200},
	{"POST", surfaceCluster + "/queues", "write_clusters", needsManager, `{"key": "new"}`, 201},
	{"GET", surfaceQueue, "read_clusters", needsMember, "", 200},
	{"GET", surfaceQueue + "/metrics", "read_clusters", needsMember, "", 200},
	{"PUT", surfaceQueue, "write_clusters", needsManager, `{"description": "Changed"}`, 200},
	{"PATCH", surfaceQueue, "write_clusters", needsManager, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceQueue, "write_clusters", needsManager, "", 204},
	{"POST", surfaceQueue + "/pause_dispatch", "write_clusters", needsManager, `{"note": "Broken"}`, 200},
	{"POST", surfaceQueue + "/resume_dispatch", "write_clusters", needsManager, "", 200},

	{"GET", surfaceCluster + "/tokens", "read_clusters", needsManager, "", 200},
	{"POST", surfaceCluster + "/tokens", "write_clusters", needsManager, `{"description": "New"}`, 201},
	{"GET", surfaceToken, "read_clusters", needsManager, "", 200},
	{"PUT", surfaceToken, "write_clusters", needsManager, `{"description": "Changed"}`, 200},
	{"PATCH", surfaceToken, "write_clusters", needsManager, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceToken, "write_clusters", needsManager, "", 204},

	{"GET", surfaceCluster + "/secrets", "read_secrets_details", needsManager, "", 200},
	{"POST", surfaceCluster + "/secrets", "write_secrets", needsManager, `{"key": "NEW", "value": "hunter2"}`, 201},
	{"GET", surfaceSecret, "read_secrets_details", needsManager, "", 200},
	{"PUT", surfaceSecret, "write_secrets", needsManager, `{"description": "Changed"}`, 200},
	{"PATCH", surfaceSecret, "write_secrets", needsManager, `{"description": "Changed"}`, 200},
	{"PUT", surfaceSecret + "/value", "write_secrets", needsManager, `{"value": "hunter3"}`, 204},
	{"DELETE", surfaceSecret, "write_secrets", needsManager, "", 204},

	{"GET", surfaceCluster + "/maintainers", "read_clusters", needsMember, "", 200},
	{"POST", surfaceCluster + "/maintainers", "write_clusters", needsManager, surfaceNewMaintainer, 201},
	{"GET", surfaceMaintainer, "read_clusters", needsMember, "", 200},
	{"DELETE", surfaceMaintainer, "write_clusters", needsManager, "", 204},

	{"GET", surfaceCluster + "/cache-registries", "read_clusters", needsManager, "", 200},
	{"POST", surfaceCluster + "/cache-registries", "write_clusters", needsManager, `{"name": "New"}`, 201},
	{"GET", surfaceRegistry, "read_clusters", needsManager, "", 200},
	{"PATCH", surfaceRegistry, "write_clusters", needsManager, `{"name": "Changed"}`, 200},
	{"DELETE", surfaceRegistry, "write_clusters", needsManager, "", 204},

	{"GET", surfacePipelines, "read_pipelines", needsMember, "", 200},
	{"POST", surfacePipelines, "write_pipelines", needsMember, `{"name": "New", "repository": "git@example.com:acme/new.git"}`, 201},
	{"GET", surfacePipeline, "read_pipelines", needsMember, "", 200},
	{"PATCH", surfacePipeline, "write_pipelines", needsAdmin, `{"description": "Changed"}`, 200},
	{"DELETE", surfacePipeline, "write_pipelines", needsAdmin, "", 204},
	{"POST", surfacePipeline + "/archive", "write_pipelines", needsAdmin, "", 200},
	{"POST", surfacePipeline + "/unarchive", "write_pipelines", needsAdmin, "", 200},

	{"GET", "/v2/builds", "read_builds", needsToken, "", 200},
	{"GET", surfaceOrganization + "/builds", "read_builds", needsMember, "", 200},
	{"GET", surfaceBuilds, "read_builds", needsMember, "", 200},
	{"POST", surfaceBuilds, "write_builds", needsMember, `{"commit": "HEAD", "branch": "main"}`, 201},
	{"GET", surfaceBuild, "read_builds", needsMember, "", 200},
	{"PUT", surfaceBuild + "/cancel", "write_builds", needsMember, "", 200},
	{"PUT", surfaceBuild + "/rebuild", "write_builds", needsMember, "", 200},
	{"GET", surfaceBuild + "/artifacts", "read_artifacts", needsMember, "", 200},
	{"GET", surfaceBuild + "/annotations", "read_builds", needsMember, "", 200},
	{"POST", surfaceBuild + "/annotations", "write_builds", needsMember, `{"body": "New"}`, 201},
	{"DELETE", surfaceBuild + "/annotations/{annotation}", "write_builds", needsMember, "", 204},
	{"PUT", surfaceBuild + "/retry_failed_jobs", "write_builds", needsMember, `{"states": "failed"}`, 202},
	{"GET", surfaceBuild + "/jobs", "read_builds", needsMember, "", 200},
	{"GET", surfaceBuildJob, "read_builds", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/env", "read_job_env", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/env.txt", "read_job_env", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/log", "read_build_logs", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/log.txt", "read_build_logs", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/log.html", "read_build_logs", needsMember, "", 200},
	{"DELETE", surfaceBuildJob + "/log", "write_build_logs", needsMember, "", 204},
	{"GET", surfaceBuildJob + "/artifacts", "read_artifacts", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/annotations", "read_builds", needsMember, "", 200},
	{"POST", surfaceBuildJob + "/annotations", "write_builds", needsMember, `{"body": "New"}`, 201},
	{"DELETE", surfaceBuildJob + "/annotations/{annotation}", "write_builds", needsMember, "", 204},
	{"GET", surfaceBuildJob + "/artifacts/{artifact}", "read_artifacts", needsMember, "", 200},
	{"GET", surfaceBuildJob + "/artifacts/{artifact}/download", "read_artifacts", needsMember, "", 302},
	{"DELETE", surfaceBuildJob + "/artifacts/{artifact}", "write_artifacts", needsMember, "", 204},
	{"PUT", surfaceBuildJob + "/retry", "write_builds", needsMember, "", 200},
	{"PUT", surfaceBuildJob + "/reprioritize", "write_builds", needsMember, `{"priority": 5}`, 200},
	{"PUT", surfaceBuildJob + "/unblock", "write_builds", needsMember, `{"fields": {}}`, 200},
	{"GET", surfaceJob, "read_builds", needsMember, "", 200},
	{"GET", surfaceJob + "/env", "read_job_env", needsMember, "", 200},
	{"GET", surfaceJob + "/env.txt", "read_job_env", needsMember, "", 200},
	{"GET", surfaceJob + "/log", "read_build_logs", needsMember, "", 200},
	{"GET", surfaceJob + "/log.txt", "read_build_logs", needsMember, "", 200},
	{"GET", surfaceJob + "/log.html", "read_build_logs", needsMember, "", 200},
	{"DELETE", surfaceJob + "/log", "write_build_logs", needsMember, "", 204},
	{"GET", surfaceJob + "/artifacts", "read_artifacts", needsMember, "", 200},
	{"GET", surfaceJob + "/annotations", "read_builds", needsMember, "", 200},
	{"POST", surfaceJob + "/annotations", "write_builds", needsMember, `{"body": "New"}`, 201},
	{"DELETE", surfaceJob + "/annotations/{annotation}", "write_builds", needsMember, "", 204},
	{"GET", surfaceJob + "/artifacts/{artifact}", "read_artifacts", needsMember, "", 200},
	{"GET", surfaceJob + "/artifacts/{artifact}/download", "read_artifacts", needsMember, "", 302},
	{"DELETE", surfaceJob + "/artifacts/{artifact}", "write_artifacts", needsMember, "", 204},
	{"PUT", surfaceJob + "/retry", "write_builds", needsMember, "", 200},
	{"PUT", surfaceJob + "/reprioritize", "write_builds", needsMember, `{"priority": 5}`, 200},
	{"PUT", surfaceJob + "/unblock", "write_builds", needsMember, `{"fields": {}}`, 200},
	{"GET", surfaceBuild + "/step-uploads", "read_builds", needsMember, "", 200},
	{"GET", surfaceUpload, "read_builds", needsMember, "", 200},

	{"GET", surfaceOrganization + "/agents", "read_agents", needsMember, "", 200},
	{"GET", surfaceAgent, "read_agents", needsMember, "", 200},
	{"PUT", surfaceAgent + "/stop", "write_agents", needsManager, `{"force": false}`, 204},
	{"PUT", surfaceAgent + "/pause", "write_agents", needsManager, `{"note": "Broken"}`, 204},
	{"PUT", surfaceAgent + "/resume", "write_agents", needsManager, "", 204},

	{"PATCH", surfaceOrganization, "write_organizations", needsAdmin, `{"name": "Changed"}`, 200},
	{"GET", surfaceOrganization + "/api-settings", "read_organization_settings", needsAdmin, "", 200},
	{"PATCH", surfaceOrganization + "/api-settings", "write_organization_settings", needsAdmin, `{"restrict_user_api_token_creation": true}`, 200},
	{"GET", surfaceOrganization + "/pipeline-settings", "read_organization_settings", needsAdmin, "", 200},
	{"PATCH", surfaceOrganization + "/pipeline-settings", "write_organization_settings", needsAdmin, `{"default_branch": "trunk"}`, 200},
	{"PUT", surfaceOrganization + "/pipeline-settings/public-pipelines", "write_organization_settings", needsAdmin, "", 200},
	{"DELETE", surfaceOrganization + "/pipeline-settings/public-pipelines", "write_organization_settings", needsAdmin, "", 204},
	{"GET", surfaceCluster + "/network_ranges", "read_clusters", needsManager, "", 200},
	{"GET", surfaceOrganization + "/members", "read_organizations", needsMember, "", 200},
	{"GET", surfaceMember, "read_organizations", needsMember, "", 200},
	{"PATCH", surfaceMember, "write_organizations", needsAdmin, `{"role": "admin"}`, 200},
	{"DELETE", surfaceMember, "write_organizations", needsAdmin, "", 204},

	{"GET", surfaceInvitations, "read_organization_invitations", needsAdmin, "", 200},
	{"POST", surfaceInvitations, "write_organization_invitations", needsAdmin, `{"emails": ["new@example.com"]}`, 201},
	{"GET", surfaceInvitation, "read_organization_invitations", needsAdmin, "", 200},
	{"DELETE", surfaceInvitation, "write_organization_invitations", needsAdmin, "", 204},

	{"GET", surfaceTeams, "read_teams", needsMember, "", 200},
	{"POST", surfaceTeams, "write_teams", needsAdmin, `{"name": "New"}`, 201},
	{"GET", surfaceTeam, "read_teams", needsMember, "", 200},
	{"PATCH", surfaceTeam, "write_teams", needsManager, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceTeam, "write_teams", needsAdmin, "", 204},

	{"GET", surfaceTeam + "/members", "read_teams", needsMember, "", 200},
	{"POST", surfaceTeam + "/members", "write_teams", needsManager, `{"user_id": "` + testkit.MemberID + `"}`, 201},
	{"GET", surfaceTeamMember, "read_teams", needsMember, "", 200},
	{"PATCH", surfaceTeamMember, "write_teams", needsManager, `{"role": "member"}`, 200},
	{"DELETE", surfaceTeamMember, "write_teams", needsManager, "", 204},

	{"GET", surfaceTeam + "/pipelines", "read_teams", needsMember, "", 200},
	{"POST", surfaceTeam + "/pipelines", "write_teams", needsPipelineManager, `{"pipeline_id": "` + surfaceSharedPipeline + `"}`, 201},
	{"GET", surfaceTeamPipeline, "read_teams", needsMember, "", 200},
	{"PATCH", surfaceTeamPipeline, "write_teams", needsPipelineManager, `{"access_level": "build_and_read"}`, 200},
	{"DELETE", surfaceTeamPipeline, "write_teams", needsPipelineManager, "", 204},

	{"PUT", surfaceBanner, "write_organizations", needsAdmin, `{"message": "Hello"}`, 200},
	{"GET", surfaceBanner, "read_organizations", needsMember, "", 200},
	{"DELETE", surfaceBanner, "write_organizations", needsAdmin, "", 204},

	{"GET", surfaceRules, "read_rules", needsMember, "", 200},
	{"POST", surfaceRules, "write_rules", needsAdmin, surfaceNewRule, 201},
	{"GET", surfaceRule, "read_rules", needsMember, "", 200},
	{"DELETE", surfaceRule, "write_rules", needsAdmin, "", 204},

	{"GET", surfaceTemplates, "read_pipeline_templates", needsMember, "", 200},
	{"POST", surfaceTemplates, "write_pipeline_templates", needsAdmin, `{"name": "New", "configuration": "steps: [wait]"}`, 201},
	{"GET", surfaceTemplate, "read_pipeline_templates", needsMember, "", 200},
	{"PATCH", surfaceTemplate, "write_pipeline_templates", needsAdmin, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceTemplate, "write_pipeline_templates", needsAdmin, "", 204},

	{"GET", surfaceSchedules, "read_pipelines", needsMember, "", 200},
	{"POST", surfaceSchedules, "write_pipelines", needsAdmin, `{"cronline": "@daily"}`, 201},
	{"GET", surfaceSchedule, "read_pipelines", needsMember, "", 200},
	{"PUT", surfaceSchedule, "write_pipelines", needsAdmin, `{"label": "Changed"}`, 200},
	{"PATCH", surfaceSchedule, "write_pipelines", needsAdmin, `{"label": "Changed"}`, 200},
	{"DELETE", surfaceSchedule, "write_pipelines", needsAdmin, "", 204},

	{"GET", surfaceTriggers, "read_pipelines", needsAdmin, "", 200},
	{"POST", surfaceTriggers, "write_pipelines", needsAdmin, surfaceNewTrigger, 201},
	{"GET", surfaceTrigger, "read_pipelines", needsAdmin, "", 200},
	{"PATCH", surfaceTrigger, "write_pipelines", needsAdmin, `{"label": "Changed"}`, 200},
	{"DELETE", surfaceTrigger, "write_pipelines", needsAdmin, "", 204},

	{"GET", surfaceConnections, "read_organization_repository_connections", needsAdmin, "", 200},
	{"POST", surfaceConnections, "write_organizations", needsAdmin, surfaceNewConnection, 201},
	{"GET", surfaceConnection, "read_organization_repository_connections", needsAdmin, "", 200},
	{"PATCH", surfaceConnection, "write_organizations", needsAdmin, `{"display_name": "Changed"}`, 200},
	{"DELETE", surfaceConnection, "write_organizations", needsAdmin, "", 204},
	{"GET", surfaceConnection + "/repositories", "read_organization_repository_connections", needsAdmin, "", 200},
	{"POST", surfacePipeline + "/webhook", "write_pipelines", needsAdmin, "", 201},

	{"GET", surfaceServices, "read_notification_services", needsAdmin, "", 200},
	{"POST", surfaceServices, "write_notification_services", needsAdmin, surfaceNewService, 201},
	{"GET", surfaceService, "read_notification_services", needsAdmin, "", 200},
	{"PATCH", surfaceService, "write_notification_services", needsAdmin, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceService, "write_notification_services", needsAdmin, "", 204},
	{"PUT", surfaceService + "/enable", "write_notification_services", needsAdmin, "", 200},
	{"PUT", surfaceService + "/disable", "write_notification_services", needsAdmin, "", 200},

	{"GET", surfacePortals, "read_portals", needsAdmin, "", 200},
	{"POST", surfacePortals, "write_portals", needsAdmin, `{"name": "New", "query": "{ viewer { id } }"}`, 201},
	{"GET", surfacePortal, "read_portals", needsAdmin, "", 200},
	{"PATCH", surfacePortal, "write_portals", needsAdmin, `{"description": "Changed"}`, 200},
	{"PUT", surfacePortal, "write_portals", needsAdmin, `{"description": "Changed"}`, 200},
	{"DELETE", surfacePortal, "write_portals", needsAdmin, "", 204},
	{"GET", surfacePortal + "/tokens", "read_portals", needsAdmin, "", 200},
	{"POST", surfacePortal + "/tokens", "write_portals", needsAdmin, `{"description": "New"}`, 201},
	{"DELETE", surfacePortalToken, "write_portals", needsAdmin, "", 204},
	{"GET", surfacePortal + "/secrets", "read_portals", needsAdmin, "", 200},
	{"POST", surfacePortal + "/secrets", "write_portals", needsAdmin, `{"description": "New"}`, 201},
	{"DELETE", surfacePortalSecret, "write_portals", needsAdmin, "", 204},
}

func (e surfaceEndpoint) String() string { return e.method + " " + e.path }

// inCluster reports whether the operation is about a cluster or what is below it.
func (e surfaceEndpoint) inCluster() bool { return strings.HasPrefix(e.path, surfaceCluster) }

// parent returns what the operation is about, or about something below: a cluster, a team, or neither.
func (e surfaceEndpoint) parent() string {
	switch {
	case e.inCluster():
		return "cluster"
	case strings.HasPrefix(e.path, surfaceTeam):
		return "team"
	}
	return ""
}

// collection returns the name of what {id}, {pipeline} or {portal} is one of, or "". What belongs to a portal has none.
func (e surfaceEndpoint) collection() string {
	before, _, found := strings.Cut(strings.NewReplacer("{pipeline}", "{id}", "{portal}", "{id}").Replace(e.path), "/{id}")
	if !found || strings.HasPrefix(e.path, surfacePortal+"/") {
		return ""
	}
	name := before[strings.LastIndexByte(before, '/')+1:]
	if e.parent() == "team" {
		return "team " + name
	}
	return name
}

// single reports whether the operation reads one thing.
func (e surfaceEndpoint) single() bool {
	return e.method == "GET" && e.needs != needsNothing && (strings.HasSuffix(e.path, "}") || e.path == "/v2/user" || e.path == "/v2/access-token")
}

// allows reports whether the operation is open to a person of the fixture, in a cluster that target made.
func (e surfaceEndpoint) allows(email string) bool {
	switch email {
	case "admin@example.com":
		return true
	case "member@example.com":
		return e.needs < needsManager
	default: // the maintainer and the teammate
		return e.needs < needsAdmin
	}
}

// acts reports whether the operation is a POST that does something to a thing.
func (e surfaceEndpoint) acts() bool {
	return e.method == "POST" && (strings.HasSuffix(e.path, "_dispatch") || strings.HasSuffix(e.path, "archive"))
}

// writes reports whether the operation is a PUT, a PATCH or a DELETE.
func (e surfaceEndpoint) writes() bool { return e.method != "GET" && e.method != "POST" }

// isOfBuilds reports whether the operation is about a build, or about what runs it: that is no configuration.
func (e surfaceEndpoint) isOfBuilds() bool {
	return strings.HasPrefix(e.path, surfaceBuild) || strings.HasPrefix(e.path, surfaceJob) || strings.HasPrefix(e.path, surfaceAgent)
}

// isOfAgents reports whether the operation is about an agent. Its changes are answered with 204.
func (e surfaceEndpoint) isOfAgents() bool { return strings.HasPrefix(e.path, surfaceAgent) }

// answersOtherwise reports whether a success has another status than those of its method: it may have nothing to show, or is a redirect.
func (e surfaceEndpoint) answersOtherwise() bool {
	return e.isOfAgents() || strings.HasSuffix(e.path, "/retry_failed_jobs") || strings.HasSuffix(e.path, "/value") || strings.HasSuffix(e.path, "/download")
}

// maxBody is how many bytes a request may have.
func (e surfaceEndpoint) maxBody() int {
	if strings.HasSuffix(e.path, "/annotations") {
		return 4 << 20
	}
	return 1 << 20
}

// isOfLogs reports whether the operation is about a log, which is written as it is read: it has no ETag.
func (e surfaceEndpoint) isOfLogs() bool {
	return strings.HasSuffix(e.path, "/log") || strings.HasSuffix(e.path, "/log.txt") || strings.HasSuffix(e.path, "/log.html")
}

// conditional reports whether the operation changes something that can be read, and so has an ETag. A banner is replaced whole, and has none.
func (e surfaceEndpoint) conditional() bool {
	return e.writes() && !e.isOfLogs() && e.path != surfaceBanner && slices.ContainsFunc(surface, func(other surfaceEndpoint) bool { return other.method == "GET" && other.path == e.path })
}

// everyEndpoint returns the operations, after comparing them with those that the API describes.
func everyEndpoint(t testing.TB, s *testkit.Server) []surfaceEndpoint {
	t.Helper()
	described := map[string]bool{}
	for path, item := range s.Get("", "/v2/openapi.json").Want(t, 200).Object()["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				described[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	for _, e := range surface {
		if !described[e.String()] {
			t.Errorf("%s is not described", e)
		}
		delete(described, e.String())
	}
	for _, endpoint := range slices.Sorted(maps.Keys(described)) {
		t.Errorf("%s is missing in these tests", endpoint)
	}
	return surface
}

// endpointsWith returns the operations that fit.
func endpointsWith(fits func(surfaceEndpoint) bool) []surfaceEndpoint {
	return slices.DeleteFunc(slices.Clone(surface), func(e surfaceEndpoint) bool { return !fits(e) })
}

// at returns the operation's path with the names filled in; without id, a path to the collection stays one. For what is
// about a team, parent is the team; the cluster Maintained then stands for the team Platform.
func (e surfaceEndpoint) at(organization, parent, id string) string {
	team := parent
	if parent == testkit.MaintainedID {
		team = testkit.TeamID
	}
	return strings.NewReplacer("{org}", organization, "{cluster}", parent, "{team}", team, "{id}", id, "{uuid}", id, "{pipeline}", id, "{portal}", id, "{number}", "1", "{artifact}", id, "{annotation}", id).Replace(e.path)
}

// target makes what the operation is about, and returns its path. The cluster is a new one that the maintainer and
// the team maintain.
func (e surfaceEndpoint) target(t testing.TB, s *testkit.Server) string {
	t.Helper()
	switch {
	case strings.HasPrefix(e.path, surfaceBuild), strings.HasPrefix(e.path, surfaceJob):
		return e.buildTarget(t, s)
	case strings.HasPrefix(e.path, surfaceAgent):
		return e.agentTarget(t, s)
	case e.path == surfaceRules, e.path == surfaceRule, e.path == surfaceTemplate:
		return e.startTarget(t, s)
	case strings.HasPrefix(e.path, surfaceService):
		services := surfaceEndpoint{path: surfaceServices}.at(testkit.Organization, "", "")
		made := surfaceMade(t, s, services, surfaceNewService)
		if strings.HasSuffix(e.path, "/enable") {
			s.Put(testkit.AdminToken, services+"/"+made+"/disable", nil).Want(t, 200)
		}
		return e.at(testkit.Organization, "", made)
	case strings.HasPrefix(e.path, surfaceConnections):
		connections := surfaceDisconnect(t, s)
		if e.path == surfaceConnections {
			return connections
		}
		other := strings.Replace(surfaceNewConnection, surfaceHost.URL, surfaceHost.URL+"/"+domain.NewID[string](), 1)
		return e.at(testkit.Organization, "", surfaceMade(t, s, connections, other))
	case strings.HasPrefix(e.path, surfacePipelines):
		return e.pipelineTarget(t, s)
	case strings.HasPrefix(e.path, surfaceTeams):
		return e.teamTarget(t, s)
	case strings.HasPrefix(e.path, surfacePortals):
		return e.portalTarget(t, s)
	case e.path == surfaceInvitation:
		made := s.Post(testkit.AdminToken, "/v2/organizations/"+testkit.Organization+"/invitations", `{"emails": ["fresh@example.com"]}`).Want(t, 201)
		return e.at(testkit.Organization, "", made.List()[0]["id"].(string))
	case e.path == surfaceMember:
		return e.at(testkit.Organization, "", surfaceMadeMember(t, s))
	case e.path == surfaceBanner:
		s.Put(testkit.AdminToken, e.at(testkit.Organization, "", ""), `{"message": "Fresh"}`).Want(t, 200)
	case e.path == surfaceOrganization:
		testkit.Change(t, s.DB, `UPDATE organizations SET name = 'Acme Inc' WHERE slug = 'acme-inc'`)
	}
	if !e.inCluster() && e.collection() == "" {
		return e.at(testkit.Organization, "", "")
	}
	cluster := surfaceMade(t, s, "/v2/organizations/"+testkit.Organization+"/clusters",
		`{"name": "Fresh", "maintainers": [{"user": "`+testkit.MaintainerID+`"}, {"team": "`+testkit.TeamID+`"}]}`)
	if e.collection() == "audit_events" {
		events := s.Get(surfaceTokenOf(t, s, "admin@example.com", nil), "/v2/organizations/"+testkit.Organization+"/audit_events").Want(t, 200)
		return e.at(testkit.Organization, "", events.List()[0]["uuid"].(string))
	}
	if e.collection() == "" {
		return e.at(testkit.Organization, cluster, "")
	}
	collection := e.collection()
	bodies := map[string]string{
		"queues":           `{"key": "fresh"}`,
		"tokens":           `{"description": "Fresh"}`,
		"secrets":          `{"key": "FRESH", "value": "hunter2"}`,
		"maintainers":      `{"user": "` + testkit.AdminID + `"}`,
		"cache-registries": `{"name": "Fresh"}`,
	}
	id := surfaceMade(t, s, testkit.ClusterPath(cluster, collection), bodies[collection])
	if strings.HasSuffix(e.path, "/resume_dispatch") {
		s.Post(testkit.AdminToken, testkit.ClusterPath(cluster, collection, id, "pause_dispatch"), nil).Want(t, 200)
	}
	return e.at(testkit.Organization, cluster, id)
}

// pipelineTarget is target for operations on pipelines, whose slugs are unique in the organization.
func (e surfaceEndpoint) pipelineTarget(t testing.TB, s *testkit.Server) string {
	t.Helper()
	pipelines := surfaceEndpoint{path: surfacePipelines}.at(testkit.Organization, "", "")
	hasFresh := s.Get(testkit.AdminToken, pipelines+"/fresh").Status == 200
	if e.path == surfaceSchedule && hasFresh && len(s.Get(testkit.AdminToken, pipelines+"/fresh/schedules?per_page=100").List()) < 100 { // another schedule of it stays
		return pipelines + "/fresh/schedules/" + surfaceMade(t, s, pipelines+"/fresh/schedules", `{"cronline": "@daily"}`)
	}
	if e.path == surfaceTrigger && hasFresh && len(s.Get(testkit.AdminToken, pipelines+"/fresh/triggers").Object()["items"].([]any)) < 10 { // another trigger of it stays
		return pipelines + "/fresh/triggers/" + surfaceMade(t, s, pipelines+"/fresh/triggers", surfaceNewTrigger)
	}
	for _, slug := range []string{"new", "fresh"} {
		if s.Get(testkit.AdminToken, pipelines+"/"+slug).Status == 200 {
			s.Delete(testkit.AdminToken, pipelines+"/"+slug).Want(t, 204)
		}
	}
	repository := "git@example.com:acme/fresh.git"
	if strings.HasSuffix(e.path, "/webhook") {
		surfaceMade(t, s, surfaceDisconnect(t, s), surfaceNewConnection)
		repository = surfaceHost.URL + "/acme/fresh.git"
	}
	surfaceMade(t, s, pipelines, `{"name": "Fresh", "repository": "`+repository+`", "configuration": "steps: [{command: make}]"}`)
	if strings.HasSuffix(e.path, "/unarchive") {
		s.Post(testkit.AdminToken, pipelines+"/fresh/archive", nil).Want(t, 200)
	}
	if e.path == surfaceTrigger {
		return pipelines + "/fresh/triggers/" + surfaceMade(t, s, pipelines+"/fresh/triggers", surfaceNewTrigger)
	}
	if e.path == surfaceSchedule {
		return pipelines + "/fresh/schedules/" + surfaceMade(t, s, pipelines+"/fresh/schedules", `{"cronline": "@daily"}`)
	}
	return e.at(testkit.Organization, "", "fresh")
}

// surfaceDisconnect removes the organization's connection with the host, if there is one.
func surfaceDisconnect(t testing.TB, s *testkit.Server) (connections string) {
	t.Helper()
	connections = surfaceEndpoint{path: surfaceConnections}.at(testkit.Organization, "", "")
	for _, c := range s.Get(testkit.AdminToken, connections).Want(t, 200).List() {
		if c["display_name"] == surfaceHost.URL {
			s.Delete(testkit.AdminToken, connections+"/"+c["id"].(string)).Want(t, 204)
		}
	}
	return connections
}

// startTarget is target for operations on rules and templates.
func (e surfaceEndpoint) startTarget(t testing.TB, s *testkit.Server) string {
	t.Helper()
	surfaceEndpoint{path: surfacePipelines}.pipelineTarget(t, s) // with which the rules about it go
	list := surfaceEndpoint{path: strings.TrimSuffix(e.path, "/{uuid}")}.at(testkit.Organization, "", "")
	body := map[bool]string{true: surfaceNewRule, false: `{"name": "Fresh", "configuration": "steps: [wait]", "available": true}`}[strings.HasPrefix(e.path, surfaceRules)]
	if e.path == surfaceRules {
		return list
	}
	return list + "/" + s.Post(testkit.AdminToken, list, body).Want(t, 201).Text("uuid")
}

// buildTarget is target for operations on builds and their jobs: of a build of a new pipeline. Its first job has failed, if it is to be retried or its log deleted.
func (e surfaceEndpoint) buildTarget(t testing.TB, s *testkit.Server) string {
	t.Helper()
	e.pipelineTarget(t, s)
	pipeline := surfaceEndpoint{path: surfacePipeline}.at(testkit.Organization, "", "fresh")
	steps := "steps: [{command: make, agents: {queue: default}}]"
	if strings.HasSuffix(e.path, "/unblock") {
		steps = "steps: [{block: Go on}]"
	}
	s.Patch(testkit.AdminToken, pipeline, `{"cluster_id": "`+testkit.MaintainedID+`", "configuration": "`+steps+`"}`).Want(t, 200)
	// What other jobs wait in the queue is in the way.
	testkit.Exec(t, s.DB, `UPDATE job_runs SET state = 'canceled', list_state = 'canceled' WHERE state = 'scheduled'`)
	build := s.Post(testkit.AdminToken, pipeline+"/builds", `{"commit": "HEAD", "branch": "main"}`).Want(t, 201)
	id, _ := jobsIn(build)[0]["id"].(string)
	artifact, annotation := "", ""
	switch {
	case strings.HasSuffix(e.path, "/{annotation}"):
		list := strings.TrimSuffix(e.path, "/{annotation}")
		list = strings.NewReplacer("{org}", testkit.Organization, "{pipeline}", "fresh", "{number}", "1", "{id}", id).Replace(list)
		annotation = s.Post(testkit.AdminToken, list, `{"body": "Fresh"}`).Want(t, 201).Text("id")
	case strings.Contains(e.path, "/{artifact}"):
		artifact = newRunner(t, s, "Fresh").take().store("fresh.txt", "fresh")
	case strings.HasSuffix(e.path, "/retry"), e.method == "DELETE":
		newRunner(t, s, "Fresh").take().finish(1)
	case strings.HasPrefix(e.path, surfaceUpload):
		var err error
		if id, err = newRunner(t, s, "Fresh").take().upload(`{"steps": [{"command": "test"}]}`, false); err != nil {
			t.Fatal(err)
		}
	}
	return strings.NewReplacer("{org}", testkit.Organization, "{pipeline}", "fresh", "{number}", "1", "{id}", id, "{artifact}", artifact, "{annotation}", annotation).Replace(e.path)
}

// agentTarget is target for operations on agents: of a new one of the cluster Maintained.
func (e surfaceEndpoint) agentTarget(t testing.TB, s *testkit.Server) string {
	t.Helper()
	agent := newRunner(t, s, "Fresh")
	if strings.HasSuffix(e.path, "/resume") {
		s.Put(testkit.AdminToken, surfaceEndpoint{path: surfaceAgent}.at(testkit.Organization, "", agent.ID)+"/pause", nil).Want(t, 204)
	}
	return e.at(testkit.Organization, "", agent.ID)
}

// portalTarget is target for operations on portals, whose slugs are unique in the organization.
func (e surfaceEndpoint) portalTarget(t testing.TB, s *testkit.Server) string {
	t.Helper()
	portals := surfaceEndpoint{path: surfacePortals}.at(testkit.Organization, "", "")
	for _, slug := range []string{"new", "fresh"} {
		if s.Get(testkit.AdminToken, portals+"/"+slug).Status == 200 {
			s.Delete(testkit.AdminToken, portals+"/"+slug).Want(t, 204)
		}
	}
	surfaceMade(t, s, portals, `{"name": "Fresh", "query": "{ viewer { id } }"}`)
	path, id := strings.Replace(e.path, "{portal}", "fresh", 1), ""
	if made, _, found := strings.Cut(path, "/{id}"); found {
		id = surfaceMade(t, s, surfaceEndpoint{path: made}.at(testkit.Organization, "", ""), `{}`)
	}
	return surfaceEndpoint{path: path}.at(testkit.Organization, "", id)
}

// teamTarget is target for operations on teams. The team is a new one that the maintainer and the teammate maintain.
func (e surfaceEndpoint) teamTarget(t testing.TB, s *testkit.Server) string {
	t.Helper()
	s.Bootstrap(`organizations: [{slug: acme-inc, name: Acme Inc, pipelines: [{id: ` + surfaceSharedPipeline + `, name: Shared, repository: x}]}]`)
	teams := surfaceEndpoint{path: surfaceTeams}.at(testkit.Organization, "", "")
	if err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`DELETE FROM teams WHERE slug = 'new'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	made := func(access string) string {
		team := surfaceMade(t, s, teams, `{"name": "`+domain.NewID[string]()+`"}`) // their slugs are unique
		for _, user := range []string{testkit.MaintainerID, testkit.TeammateID} {
			s.Post(testkit.AdminToken, teams+"/"+team+"/members", `{"user_id": "`+user+`", "role": "maintainer"}`).Want(t, 201)
		}
		if access != "" {
			s.Post(testkit.AdminToken, teams+"/"+team+"/pipelines", `{"pipeline_id": "`+surfaceSharedPipeline+`", "access_level": "`+access+`"}`).Want(t, 201)
		}
		return team
	}
	switch e.collection() {
	case "team members":
		return e.at(testkit.Organization, made(""), testkit.TeammateID)
	case "team pipelines":
		made("manage_build_and_read")
		return e.at(testkit.Organization, made("read_only"), surfaceSharedPipeline)
	default:
		made("manage_build_and_read")
		return e.at(testkit.Organization, made(""), "")
	}
}

// surfaceMadeMember makes a user who is a member of the organization and returns their id.
func surfaceMadeMember(t testing.TB, s *testkit.Server) string {
	t.Helper()
	email := string(domain.NewID[domain.UserID]()) + "@example.com"
	user, err := s.Service.CreateUser(t.Context(), authz.OperatorActor(), domain.UserInput{Email: email, Name: "Fresh"})
	if err == nil {
		err = s.Service.AddMember(t.Context(), authz.OperatorActor(), testkit.Organization, email, domain.RoleMember)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(user.ID)
}

// surfaceMade makes a thing as the administrator and returns its id.
func surfaceMade(t testing.TB, s *testkit.Server, path, body string) string {
	t.Helper()
	answer := s.Post(testkit.AdminToken, path, body).Want(t, 201)
	id := answer.Text("id") + answer.Text("uuid")
	if id == "" {
		t.Fatalf("no id: %s", answer)
	}
	return id
}

// call sends the operation's good request to a path that target or at returned.
func (e surfaceEndpoint) call(s *testkit.Server, token, path string) *testkit.Answer {
	return s.Do(e.request(token, path))
}

func (e surfaceEndpoint) request(token, path string) testkit.Request {
	request := testkit.Request{Method: e.method, Path: path, Token: token}
	if e.body != "" {
		request.Body = e.body
	}
	return request
}

// surfaceTokenOf makes an API access token of a user of Organization, with all scopes, and returns its value.
func surfaceTokenOf(t testing.TB, s *testkit.Server, email string, change func(*domain.APITokenInput)) string {
	t.Helper()
	in := domain.APITokenInput{User: email, Description: "a test's", Organizations: []string{testkit.Organization}}
	for _, scope := range domain.AllScopes {
		in.Scopes = append(in.Scopes, string(scope))
	}
	if change != nil {
		change(&in)
	}
	_, value, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), in)
	if err != nil {
		t.Fatal(err)
	}
	return value.Reveal()
}

func withoutScopes(in *domain.APITokenInput) { in.Scopes = nil }

// surfaceAPI returns another API on the server's service, to be called without a connection.
func surfaceAPI(s *testkit.Server, change func(*rest.Options)) *rest.API {
	o := rest.Options{Settings: httpcall.Settings{Now: s.Clock.Now}, Service: s.Service, Agents: s.Agents, Builds: s.Builds, Logs: s.Logs, Artifacts: s.Artifacts, Starts: s.Starts, Notices: s.Notices, BaseURL: s.URL}
	if change != nil {
		change(&o)
	}
	return rest.New(o)
}

// surfaceServed calls an API without a connection. The headers are names and values in turn.
func surfaceServed(api http.Handler, method, target, body, from string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	if body != "" {
		request.Body = io.NopCloser(strings.NewReader(body))
	}
	request.RemoteAddr = from
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	return answer
}
