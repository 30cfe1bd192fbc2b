package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) organizationSettingsEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodPatch, Path: inOrganization, Operation: "updateOrganization",
			Summary: "Changes an organization's name and settings. Everything is stored, or nothing. Administrators only.",
			Scope:   domain.ScopeWriteOrganizations, Body: organizationBody{}, Answer: administeredOrganizationAnswer{},
			Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				organization, err := a.Service.UpdateOrganization(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, organizationBody.input),
					requireMatch(c, a.showFullOrganization))
				return a.showFullOrganization(organization), err
			},
		},
	}
}

type organizationBody struct {
	Name     domain.Optional[string]                   `json:"name" nullable:"false" doc:"1 to 255 characters. The slug stays."`
	Settings domain.Optional[organizationSettingsBody] `json:"settings" nullable:"false" strict:"true" doc:"What to change of the settings. What is left out stays as it is."`
}

type organizationSettingsBody struct {
	ClusterWrites                        domain.Optional[string] `json:"cluster_writes" nullable:"false" enum:"members,managers" doc:"Who may create, change and delete clusters: members for every member, managers for administrators and each cluster's maintainers."`
	MaintainersCanDestroyCacheRegistries domain.Optional[bool]   `json:"maintainers_can_destroy_cache_registries" nullable:"false" doc:"Whether maintainers of a cluster may delete its cache registries."`
	MembersCanCreatePipelines            domain.Optional[bool]   `json:"members_can_create_pipelines" nullable:"false" doc:"Whether every member may create pipelines, rather than administrators only."`
	DefaultClusterID                     domain.Optional[string] `json:"default_cluster_id" format:"uuid" doc:"The cluster of new pipelines, one of the organization. Null for none."`
	AllowedAPIIPAddresses                domain.Optional[string] `json:"allowed_api_ip_addresses" doc:"CIDRs that requests can come from, separated by spaces. Must include the caller's own address. Empty or null for all."`
	RevokeInactiveTokensAfterDays        domain.Optional[int64]  `json:"revoke_inactive_tokens_after_days" nullable:"false" doc:"After how many days without use an access token loses the organization, at most 36500. 0 for never."`
	AuditRetentionDays                   domain.Optional[int64]  `json:"audit_retention_days" nullable:"false" doc:"How many days audit events are kept, at most 36500. 0 means forever."`
	RestrictUserAPITokenCreation         domain.Optional[bool]   `json:"restrict_user_api_token_creation" nullable:"false" doc:"Whether only administrators may create access tokens that reach the organization."`
	MembersCanCreatePublicPipelines      domain.Optional[bool]   `json:"members_can_create_public_pipelines" nullable:"false" doc:"Whether every member may make pipelines public, rather than administrators only."`
	DefaultBranch                        domain.Optional[string] `json:"default_branch" doc:"The default branch of new pipelines that name none. Null for none."`
	DefaultTimeoutInMinutes              domain.Optional[int64]  `json:"default_timeout_in_minutes" doc:"How many minutes a command may run if its step says nothing, for new pipelines that do not say. Null for none."`
	MaximumTimeoutInMinutes              domain.Optional[int64]  `json:"maximum_timeout_in_minutes" doc:"The longest time that a pipeline can give its commands, in minutes. Null or 0 for any."`
	ScheduledJobExpiryInMinutes          domain.Optional[int64]  `json:"scheduled_job_expiry_in_minutes" doc:"After how many minutes a job expires that nobody has taken. Null for never."`
	BuildRetentionDays                   domain.Optional[int64]  `json:"build_retention_days" doc:"After how many days finished builds are deleted, with their jobs, logs and artifacts: 30 to 365. Null for never."`
}

func (b organizationBody) input() domain.OrganizationPatch {
	settings := b.Settings.Value
	return domain.OrganizationPatch{
		Name:                                 b.Name,
		ClusterWrites:                        settings.ClusterWrites,
		MaintainersCanDestroyCacheRegistries: settings.MaintainersCanDestroyCacheRegistries,
		MembersCanCreatePipelines:            settings.MembersCanCreatePipelines,
		DefaultClusterID:                     settings.DefaultClusterID,
		AllowedAPIIPAddresses:                settings.AllowedAPIIPAddresses,
		RevokeInactiveTokensAfterDays:        settings.RevokeInactiveTokensAfterDays,
		AuditRetentionDays:                   settings.AuditRetentionDays,
		RestrictUserAPITokenCreation:         settings.RestrictUserAPITokenCreation,
		MembersCanCreatePublicPipelines:      settings.MembersCanCreatePublicPipelines,
		DefaultBranch:                        settings.DefaultBranch,
		DefaultTimeoutInMinutes:              settings.DefaultTimeoutInMinutes,
		MaximumTimeoutInMinutes:              settings.MaximumTimeoutInMinutes,
		ScheduledJobExpiryInMinutes:          settings.ScheduledJobExpiryInMinutes,
		BuildRetentionDays:                   settings.BuildRetentionDays,
	}
}

// administeredOrganizationAnswer is an organization as its administrators see it; others do not get the settings.
type administeredOrganizationAnswer struct {
	organizationAnswer `json:",inline"`
	Settings           *organizationSettingsAnswer `json:"settings,omitzero" doc:"What administrators chose. Only shown to them."`
}

type organizationSettingsAnswer struct {
	ClusterWrites                        domain.ClusterWrites `json:"cluster_writes" enum:"members,managers" doc:"Who may create, change and delete clusters."`
	MaintainersCanDestroyCacheRegistries bool                 `json:"maintainers_can_destroy_cache_registries" doc:"Whether maintainers of a cluster may delete its cache registries."`
	MembersCanCreatePipelines            bool                 `json:"members_can_create_pipelines" doc:"Whether every member may create pipelines."`
	DefaultClusterID                     *domain.ClusterID    `json:"default_cluster_id" format:"uuid" doc:"The cluster of new pipelines. Null for none."`
	AllowedAPIIPAddresses                string               `json:"allowed_api_ip_addresses" doc:"CIDRs that requests may come from. Empty for all."`
	RevokeInactiveTokensAfterDays        int64                `json:"revoke_inactive_tokens_after_days" doc:"After how many days without use an access token loses the organization. 0 for never."`
	AuditRetentionDays                   int64                `json:"audit_retention_days" doc:"How many days audit events are kept. 0 means forever."`
	RestrictUserAPITokenCreation         bool                 `json:"restrict_user_api_token_creation" doc:"Whether only administrators may create access tokens that reach the organization."`
	MembersCanCreatePublicPipelines      bool                 `json:"members_can_create_public_pipelines" doc:"Whether every member may make pipelines public, rather than administrators only."`
	DefaultBranch                        *string              `json:"default_branch" doc:"The default branch of new pipelines that name none. Null for none."`
	DefaultTimeoutInMinutes              *int64               `json:"default_timeout_in_minutes" doc:"How many minutes a command may run if its step says nothing, for new pipelines that do not say. Null for none."`
	MaximumTimeoutInMinutes              *int64               `json:"maximum_timeout_in_minutes" doc:"The longest time that a pipeline can give its commands, in minutes. Null or 0 for any."`
	ScheduledJobExpiryInMinutes          *int64               `json:"scheduled_job_expiry_in_minutes" doc:"After how many minutes a job expires that nobody has taken. Null for never."`
	BuildRetentionDays                   *int64               `json:"build_retention_days" doc:"After how many days finished builds are deleted. Null for never."`
}

// showFullOrganization returns how an organization is shown to the caller when they get or update it.
func (a *API) showFullOrganization(o domain.OrganizationView) administeredOrganizationAnswer {
	answer := administeredOrganizationAnswer{organizationAnswer: a.showOrganization(o.Organization)}
	if o.Administered {
		answer.Settings = &organizationSettingsAnswer{
			ClusterWrites:                        o.Settings.ClusterWrites,
			MaintainersCanDestroyCacheRegistries: o.Settings.MaintainersCanDestroyCacheRegistries,
			MembersCanCreatePipelines:            o.Settings.MembersCanCreatePipelines,
			DefaultClusterID:                     o.Settings.DefaultClusterID,
			AllowedAPIIPAddresses:                o.Settings.AllowedAPIIPAddresses,
			RevokeInactiveTokensAfterDays:        o.Settings.RevokeInactiveTokensAfterDays,
			AuditRetentionDays:                   o.Settings.AuditRetentionDays,
			RestrictUserAPITokenCreation:         o.Settings.RestrictUserAPITokenCreation,
			MembersCanCreatePublicPipelines:      o.Settings.PublicPipelinesEnabledAt != nil,
			DefaultBranch:                        o.Settings.DefaultBranch,
			DefaultTimeoutInMinutes:              o.Settings.DefaultTimeoutInMinutes,
			MaximumTimeoutInMinutes:              o.Settings.MaximumTimeoutInMinutes,
			ScheduledJobExpiryInMinutes:          o.Settings.ScheduledJobExpiryInMinutes,
			BuildRetentionDays:                   o.Settings.BuildRetentionDays,
		}
	}
	return answer
}
