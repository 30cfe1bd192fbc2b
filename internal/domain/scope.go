package domain

import (
	"slices"
	"strings"
)

// Scope is a right that an API access token can be given.
type Scope string

// The scopes that guard something.
const (
	ScopeGraphQL                Scope = "graphql"
	ScopeWriteArtifacts         Scope = "write_artifacts"
	ScopeReadArtifacts          Scope = "read_artifacts"
	ScopeReadJobEnv             Scope = "read_job_env"
	ScopeWriteBuildLogs         Scope = "write_build_logs"
	ScopeReadBuildLogs          Scope = "read_build_logs"
	ScopeWriteBuilds            Scope = "write_builds"
	ScopeReadBuilds             Scope = "read_builds"
	ScopeWriteAgents            Scope = "write_agents"
	ScopeReadAgents             Scope = "read_agents"
	ScopeReadAuditEvents        Scope = "read_audit_events"
	ScopeReadClusters           Scope = "read_clusters"
	ScopeReadOrganizations      Scope = "read_organizations"
	ScopeReadInvitations        Scope = "read_organization_invitations"
	ScopeReadServices           Scope = "read_notification_services"
	ScopeWriteServices          Scope = "write_notification_services"
	ScopeReadConnections        Scope = "read_organization_repository_connections"
	ScopeReadPipelines          Scope = "read_pipelines"
	ScopeReadPipelineTemplates  Scope = "read_pipeline_templates"
	ScopeWritePipelineTemplates Scope = "write_pipeline_templates"

	ScopeReadPortals Scope = "read_portals"
	ScopeReadRules   Scope = "read_rules"
	ScopeReadSecrets Scope = "read_secrets_details"

	ScopeReadOrganizationSettings  Scope = "read_organization_settings"
	ScopeWriteOrganizationSettings Scope = "write_organization_settings"

	ScopeReadTeams          Scope = "read_teams"
	ScopeReadUser           Scope = "read_user"
	ScopeWriteClusters      Scope = "write_clusters"
	ScopeWriteOrganizations Scope = "write_organizations"
	ScopeWriteInvitations   Scope = "write_organization_invitations"
	ScopeWritePipelines     Scope = "write_pipelines"
	ScopeWritePortals       Scope = "write_portals"
	ScopeWriteRules         Scope = "write_rules"
	ScopeWriteSecrets       Scope = "write_secrets"
	ScopeWriteTeams         Scope = "write_teams"
)

// AllScopes lists the scopes that a token can have, in the order of APIAccessTokenScopes in the GraphQL schema.
var AllScopes = []Scope{
	"delete_packages",
	"delete_registries",
	ScopeGraphQL,
	ScopeReadAgents,
	ScopeReadArtifacts,
	ScopeReadAuditEvents,
	ScopeReadBuilds,
	ScopeReadBuildLogs,
	ScopeReadClusters,
	"read_deployables",
	"read_events",
	ScopeReadJobEnv,
	ScopeReadServices,
	ScopeReadOrganizations,
	ScopeReadInvitations,
	ScopeReadConnections,
	ScopeReadOrganizationSettings,
	"read_packages",
	ScopeReadPipelines,
	ScopeReadPipelineTemplates,
	ScopeReadPortals,
	"read_registries",
	ScopeReadRules,
	ScopeReadSecrets,
	"read_suites",
	ScopeReadTeams,
	"read_test_plan",
	"read_test_pool",
	ScopeReadUser,
	ScopeWriteAgents,
	ScopeWriteArtifacts,
	ScopeWriteBuilds,
	ScopeWriteBuildLogs,
	ScopeWriteClusters,
	"write_deployables",
	ScopeWriteServices,
	ScopeWriteOrganizations,
	ScopeWriteInvitations,
	ScopeWriteOrganizationSettings,
	"write_packages",
	ScopeWritePipelines,
	ScopeWritePipelineTemplates,
	ScopeWritePortals,
	"write_registries",
	ScopeWriteRules,
	ScopeWriteSecrets,
	"write_suites",
	ScopeWriteTeams,
	"write_test_plan",
}

// Scopes is the set of scopes of a token. The zero value is empty.
type Scopes struct {
	text string // the scopes, with single spaces between them
}

// ParseScopes returns the set of the named scopes, in the order given. It adds a fault for each name that is
// not a scope.
func ParseScopes(names []string, field string, faults *Faults) Scopes {
	var kept []string
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		if !slices.Contains(AllScopes, Scope(name)) {
			faults.Add(field, "Scope "+quoteStart(name)+" is unknown")
			continue
		}
		kept = append(kept, name)
	}
	return Scopes{strings.Join(kept, " ")}
}

// ScopesFromText returns the set that String wrote. It does not check it.
func ScopesFromText(text string) Scopes { return Scopes{text} }

// Has reports whether scope is in the set.
func (s Scopes) Has(scope Scope) bool {
	for name, rest := "", s.text; rest != ""; {
		name, rest, _ = strings.Cut(rest, " ")
		if name == string(scope) {
			return true
		}
	}
	return false
}

// List returns the scopes in the order in which they were given. It is never nil.
func (s Scopes) List() []Scope {
	list := []Scope{}
	for name := range strings.FieldsSeq(s.text) {
		list = append(list, Scope(name))
	}
	return list
}

// String returns the scopes with single spaces between them: the form in which they are stored.
func (s Scopes) String() string { return s.text }
