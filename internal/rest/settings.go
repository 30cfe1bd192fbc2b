package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/core"
)

const (
	apiSettings      = inOrganization + "/api-settings"
	pipelineSettings = inOrganization + "/pipeline-settings"
	publicPipelines  = pipelineSettings + "/public-pipelines"
)

// settingsEndpoints serve parts of an organization's settings under the names that clients know.
func (a *API) settingsEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: apiSettings, Operation: "getAPISettings",
			Summary: "Gets an organization's API settings. Administrators only.",
			Scope:   domain.ScopeReadOrganizationSettings, Answer: apiSettingsAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				o, err := a.Service.OrganizationSettings(c.Context(), c.Actor(), organizationRef(c))
				return a.showAPISettings(o), err
			},
		},
		{
			Method: http.MethodPatch, Path: apiSettings, Operation: "updateAPISettings",
			Summary: "Changes an organization's API settings. Everything is stored, or nothing. Administrators only.",
			Scope:   domain.ScopeWriteOrganizationSettings, Body: apiSettingsBody{}, StrictBody: true,
			Answer: apiSettingsAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				o, err := a.Service.UpdateOrganizationSettings(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, apiSettingsBody.input),
					requireMatch(c, a.showAPISettings))
				return a.showAPISettings(o), err
			},
		},
		{
			Method: http.MethodGet, Path: pipelineSettings, Operation: "getPipelineSettings",
			Summary: "Gets an organization's pipeline settings. Administrators only.",
			Scope:   domain.ScopeReadOrganizationSettings, Answer: pipelineSettingsAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				o, err := a.Service.OrganizationSettings(c.Context(), c.Actor(), organizationRef(c))
				return a.showPipelineSettings(o), err
			},
		},
		{
			Method: http.MethodPatch, Path: pipelineSettings, Operation: "updatePipelineSettings",
			Summary: "Changes an organization's pipeline settings. Everything is stored, or nothing. Administrators only.",
			Scope:   domain.ScopeWriteOrganizationSettings, Body: pipelineSettingsBody{}, StrictBody: true,
			Answer: pipelineSettingsAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				o, err := a.Service.UpdateOrganizationSettings(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, pipelineSettingsBody.input),
					requireMatch(c, a.showPipelineSettings))
				return a.showPipelineSettings(o), err
			},
		},
		{
			Method: http.MethodPut, Path: publicPipelines, Operation: "enablePublicPipelines",
			Summary: "Lets every member make pipelines public. Administrators only.",
			Scope:   domain.ScopeWriteOrganizationSettings, Answer: pipelineSettingsAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				o, err := a.setPublicPipelines(c, true)
				return a.showPipelineSettings(o), err
			},
		},
		{
			Method: http.MethodDelete, Path: publicPipelines, Operation: "disablePublicPipelines",
			Summary: "Lets only administrators make pipelines public. Those that are public stay so. Administrators only.",
			Scope:   domain.ScopeWriteOrganizationSettings, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.setPublicPipelines(c, false)
				return nil, err
			},
		},
	}
}

func (a *API) setPublicPipelines(c *endpoint.Call, enabled bool) (domain.OrganizationView, error) {
	return a.Service.UpdateOrganizationSettings(c.Context(), c.Actor(), organizationRef(c),
		core.Value(domain.OrganizationPatch{MembersCanCreatePublicPipelines: domain.Some(enabled)}),
		requireMatch(c, a.showPipelineSettings))
}

type apiSettingsBody struct {
	AllowedIPAddresses            domain.Optional[string] `json:"allowed_ip_addresses" doc:"CIDRs that requests can come from, separated by spaces. Must include the caller's own address. Null or empty for all."`
	RevokeInactiveTokensAfterDays domain.Optional[int64]  `json:"revoke_inactive_tokens_after_days" doc:"After how many days without use an access token loses the organization: 30, 60, 90, 180 or 365. Null for never."`
	RestrictUserAPITokenCreation  domain.Optional[bool]   `json:"restrict_user_api_token_creation" nullable:"false" doc:"Whether only administrators may create access tokens that reach the organization. Existing tokens stay."`
}

func (b apiSettingsBody) input() domain.OrganizationPatch {
	return domain.OrganizationPatch{
		AllowedAPIIPAddresses:         b.AllowedIPAddresses,
		RevokeInactiveTokensAfterDays: b.RevokeInactiveTokensAfterDays,
		RestrictUserAPITokenCreation:  b.RestrictUserAPITokenCreation,
		Alone:                         true,
	}
}

type apiSettingsAnswer struct {
	URL                           string              `json:"url" format:"uri" doc:"The settings in this API."`
	AllowedIPAddresses            *string             `json:"allowed_ip_addresses" doc:"CIDRs that requests can come from, separated by spaces. Null for all."`
	RevokeInactiveTokensAfterDays *int64              `json:"revoke_inactive_tokens_after_days" doc:"After how many days without use an access token loses the organization. Null for never."`
	RestrictUserAPITokenCreation  bool                `json:"restrict_user_api_token_creation" doc:"Whether only administrators may create access tokens that reach the organization."`
	Features                      apiSettingsFeatures `json:"features" doc:"Which of the settings the organization can use."`
}

type apiSettingsFeatures struct {
	APIIPAllowList             bool `json:"api_ip_allow_list" doc:"Always true."`
	InactiveAPITokenRevocation bool `json:"inactive_api_token_revocation" doc:"Always true."`
}

func (a *API) showAPISettings(o domain.OrganizationView) apiSettingsAnswer {
	answer := apiSettingsAnswer{
		URL:                          a.BaseURL + "/v2/organizations/" + o.Slug + "/api-settings",
		RestrictUserAPITokenCreation: o.Settings.RestrictUserAPITokenCreation,
		Features:                     apiSettingsFeatures{true, true},
	}
	if addresses := o.Settings.AllowedAPIIPAddresses; addresses != "" {
		answer.AllowedIPAddresses = &addresses
	}
	if days := o.Settings.RevokeInactiveTokensAfterDays; days != 0 {
		answer.RevokeInactiveTokensAfterDays = &days
	}
	return answer
}

type pipelineSettingsBody struct {
	DefaultBranch               domain.Optional[string] `json:"default_branch" doc:"The default branch of new pipelines that name none, at most 255 characters. Null for none."`
	DefaultClusterID            domain.Optional[string] `json:"default_cluster_id" format:"uuid" doc:"The cluster of new pipelines, one of the organization. Null for none."`
	DefaultTimeoutInMinutes     domain.Optional[int64]  `json:"default_timeout_in_minutes" doc:"How many minutes a command may run if its step says nothing, for new pipelines that do not say. At most 525600. Null for none."`
	MaximumTimeoutInMinutes     domain.Optional[int64]  `json:"maximum_timeout_in_minutes" doc:"The longest time that a pipeline can give its commands, in minutes, at most 525600. Null or 0 for any."`
	ScheduledJobExpiryInMinutes domain.Optional[int64]  `json:"scheduled_job_expiry_in_minutes" doc:"After how many minutes a job expires that nobody has taken, at most 525600. Null for never."`
}

func (b pipelineSettingsBody) input() domain.OrganizationPatch {
	return domain.OrganizationPatch{
		DefaultBranch:               b.DefaultBranch,
		DefaultClusterID:            b.DefaultClusterID,
		DefaultTimeoutInMinutes:     b.DefaultTimeoutInMinutes,
		MaximumTimeoutInMinutes:     b.MaximumTimeoutInMinutes,
		ScheduledJobExpiryInMinutes: b.ScheduledJobExpiryInMinutes,
		Alone:                       true,
	}
}

type pipelineSettingsAnswer struct {
	URL                         string               `json:"url" format:"uri" doc:"The settings in this API."`
	DefaultBranch               *string              `json:"default_branch" doc:"The default branch of new pipelines that name none. Null for none."`
	DefaultClusterID            *domain.ClusterID    `json:"default_cluster_id" format:"uuid" doc:"The cluster of new pipelines. Null for none."`
	DefaultTimeoutInMinutes     *int64               `json:"default_timeout_in_minutes" doc:"How many minutes a command may run if its step says nothing, for new pipelines that do not say. Null for none."`
	MaximumTimeoutInMinutes     *int64               `json:"maximum_timeout_in_minutes" doc:"The longest time that a pipeline can give its commands, in minutes. Null or 0 for any."`
	ScheduledJobExpiryInMinutes *int64               `json:"scheduled_job_expiry_in_minutes" doc:"After how many minutes a job expires that nobody has taken. Null for never."`
	HostedAgentsTerminalAccess  featureAnswer        `json:"hosted_agents_terminal_access" doc:"Not served here: always disabled."`
	PublicPipelineCreation      featureAnswer        `json:"public_pipeline_creation" doc:"Whether every member may make pipelines public, rather than administrators only."`
	AdvancedQueueMetrics        queueMetricsAnswer   `json:"advanced_queue_metrics" doc:"Not served here: always disabled."`
	BuildExports                buildExportsSettings `json:"build_exports" doc:"Not served here: always disabled."`
}

type featureAnswer struct {
	Enabled   bool                `json:"enabled" doc:"Whether it is enabled."`
	EnabledAt *endpoint.Timestamp `json:"enabled_at" doc:"When it was enabled. Null if it is not."`
	EnabledBy *enablerAnswer      `json:"enabled_by" doc:"Who enabled it. Null if it is not enabled, or they are gone."`
}

type enablerAnswer struct {
	ID   domain.UserID `json:"id" format:"uuid" doc:"The user's UUID."`
	Name string        `json:"name" doc:"The user's name."`
}

type queueMetricsAnswer struct {
	featureAnswer    `json:",inline"`
	DisableSupported bool `json:"disable_supported" doc:"Always false."`
}

type buildExportsSettings struct {
	Available           bool     `json:"available" doc:"Always false."`
	Enabled             bool     `json:"enabled" doc:"Always false."`
	Location            *string  `json:"location" doc:"Always null."`
	StrategyID          *string  `json:"strategy_id" doc:"Always null."`
	SupportedStrategies []string `json:"supported_strategies" doc:"Always empty."`
}

func (a *API) showPipelineSettings(o domain.OrganizationView) pipelineSettingsAnswer {
	s := o.Settings
	answer := pipelineSettingsAnswer{
		URL:                         a.BaseURL + "/v2/organizations/" + o.Slug + "/pipeline-settings",
		DefaultBranch:               s.DefaultBranch,
		DefaultClusterID:            s.DefaultClusterID,
		DefaultTimeoutInMinutes:     s.DefaultTimeoutInMinutes,
		MaximumTimeoutInMinutes:     s.MaximumTimeoutInMinutes,
		ScheduledJobExpiryInMinutes: s.ScheduledJobExpiryInMinutes,
		PublicPipelineCreation: featureAnswer{Enabled: s.PublicPipelinesEnabledAt != nil,
			EnabledAt: endpoint.NullTimestamp(s.PublicPipelinesEnabledAt)},
		BuildExports: buildExportsSettings{SupportedStrategies: []string{}},
	}
	if by := o.PublicPipelinesEnabledBy; by != nil {
		answer.PublicPipelineCreation.EnabledBy = &enablerAnswer{by.ID, by.Name}
	}
	return answer
}
