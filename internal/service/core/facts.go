package core

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"penstock/internal/domain"
)

// What audit events say of things: what can be configured, and no secret.

// ClusterFacts is what events say of a cluster.
type ClusterFacts struct {
	Name                     string `json:"name"`
	domain.Look              `json:",inline"`
	DefaultQueueID           *domain.QueueID        `json:"default_queue_id"`
	DefaultCacheRegistryUUID domain.CacheRegistryID `json:"default_cache_registry_uuid"`
	domain.ClusterSettings   `json:",inline"`
	Maintainers              []MaintainerFacts `json:"maintainers,omitzero"`
}

// FactsOfCluster returns what events say of a cluster.
func FactsOfCluster(c domain.Cluster) ClusterFacts {
	return ClusterFacts{
		Name:                     c.Name,
		Look:                     c.Look,
		DefaultQueueID:           c.DefaultQueueID,
		DefaultCacheRegistryUUID: c.DefaultCacheRegistryID,
		ClusterSettings:          c.ClusterSettings,
	}
}

// ClusterSubject returns a cluster as the subject of an event.
func ClusterSubject(c domain.Cluster) domain.AuditSubject {
	return domain.Subject(domain.ClusterSubject, c.ID, c.Name)
}

// MaintainerFacts is what events say of a maintainer.
type MaintainerFacts struct {
	ClusterID domain.ClusterID `json:"cluster_id"`
	User      string           `json:"user,omitzero"`
	Team      string           `json:"team,omitzero"`
}

// FactsOfMaintainer returns what events say of a maintainer.
func FactsOfMaintainer(m domain.Maintainer) MaintainerFacts {
	facts := MaintainerFacts{ClusterID: m.ClusterID}
	if m.User != nil {
		facts.User = string(m.User.ID)
	}
	if m.Team != nil {
		facts.Team = string(m.Team.ID)
	}
	return facts
}

// MaintainerSubject returns a maintainer as the subject of an event.
func MaintainerSubject(m domain.Maintainer) domain.AuditSubject {
	name := ""
	if m.User != nil {
		name = m.User.Name
	} else if m.Team != nil {
		name = m.Team.Name
	}
	return domain.Subject(domain.ClusterPermissionSubject, m.ID, name)
}

// QueueFacts is what events say of a queue.
type QueueFacts struct {
	ClusterID            domain.ClusterID `json:"cluster_id"`
	Key                  string           `json:"key"`
	domain.QueueSettings `json:",inline"`
	DispatchPaused       bool    `json:"dispatch_paused"`
	DispatchPausedNote   *string `json:"dispatch_paused_note"`
	InstanceShape        string  `json:"instance_shape,omitzero"`
	AgentImageRef        *string `json:"agent_image_ref,omitzero"`
	MacOSVersion         *string `json:"macos_version,omitzero"`
	XcodeVersion         *string `json:"xcode_version,omitzero"`
}

// FactsOfQueue returns what events say of a queue.
func FactsOfQueue(q domain.Queue) QueueFacts {
	facts := QueueFacts{ClusterID: q.ClusterID, Key: q.Key, QueueSettings: q.QueueSettings}
	if q.Paused != nil {
		facts.DispatchPaused, facts.DispatchPausedNote = true, q.Paused.Note
	}
	if h := q.Hosted; h != nil {
		facts.InstanceShape, facts.AgentImageRef, facts.MacOSVersion, facts.XcodeVersion = h.Shape.Name, h.AgentImageRef,
			h.MacOSVersion, h.XcodeVersion
	}
	return facts
}

// QueueSubject returns a queue as the subject of an event.
func QueueSubject(q domain.Queue) domain.AuditSubject {
	return domain.Subject(domain.ClusterQueueSubject, q.ID, q.Key)
}

// AgentTokenFacts is what events say of an agent token.
type AgentTokenFacts struct {
	ClusterID          domain.ClusterID `json:"cluster_id"`
	Description        string           `json:"description"`
	AllowedIPAddresses *string          `json:"allowed_ip_addresses"`
	ExpiresAt          string           `json:"expires_at,omitzero"`
}

// FactsOfAgentToken returns what events say of an agent token.
func FactsOfAgentToken(t domain.AgentToken) AgentTokenFacts {
	facts := AgentTokenFacts{ClusterID: t.ClusterID, Description: t.Description, AllowedIPAddresses: t.AllowedIPAddresses}
	if t.ExpiresAt != nil {
		facts.ExpiresAt = t.ExpiresAt.Format(domain.TimestampLayout)
	}
	return facts
}

// AgentTokenSubject returns an agent token as the subject of an event.
func AgentTokenSubject(t domain.AgentToken) domain.AuditSubject {
	return domain.Subject(domain.ClusterTokenSubject, t.ID, t.Description)
}

// ClusterSecretFacts is what events say of a secret: never its value.
type ClusterSecretFacts struct {
	ClusterID   domain.ClusterID `json:"cluster_id"`
	Key         string           `json:"key"`
	Description *string          `json:"description"`
	Policy      *string          `json:"policy"`
}

// FactsOfClusterSecret returns what events say of a secret.
func FactsOfClusterSecret(s domain.ClusterSecret) ClusterSecretFacts {
	return ClusterSecretFacts{ClusterID: s.ClusterID, Key: s.Key, Description: s.Description, Policy: s.Policy}
}

// ClusterSecretSubject returns a secret as the subject of an event.
func ClusterSecretSubject(s domain.ClusterSecret) domain.AuditSubject {
	return domain.Subject(domain.SecretSubject, s.ID, s.Key)
}

// ConnectionFacts is what events say of a connection with a repository host: never its token.
type ConnectionFacts struct {
	Type        string `json:"type"`
	URL         string `json:"url"`
	DisplayName string `json:"display_name"`
	Login       string `json:"login"`
}

// FactsOfConnection returns what events say of a connection with a repository host.
func FactsOfConnection(c domain.RepositoryConnection) ConnectionFacts {
	return ConnectionFacts{Type: c.Type(), URL: c.URL, DisplayName: c.DisplayName, Login: c.Login}
}

// ConnectionSubject returns a connection with a repository host as the subject of an event.
func ConnectionSubject(c domain.RepositoryConnection) domain.AuditSubject {
	return domain.Subject(domain.ConnectionSubject, c.ID, c.DisplayName)
}

// NotificationServiceFacts is what events say of a notification service: never its secrets, nor an address, which may
// have some.
type NotificationServiceFacts struct {
	Provider    domain.ServiceProvider `json:"provider"`
	Description string                 `json:"description"`
	Enabled     bool                   `json:"enabled"`
	Scope       domain.ServiceScope    `json:"scope"`
	ScopeUUIDs  []string               `json:"scope_uuids"`
	Branches    string                 `json:"branch_configuration"`
	BuildStates []string               `json:"build_states"`
	Events      []string               `json:"events"`
}

// FactsOfNotificationService returns what events say of a notification service.
func FactsOfNotificationService(s domain.NotificationService) NotificationServiceFacts {
	return NotificationServiceFacts{Provider: s.Provider, Description: s.Description, Enabled: s.Enabled, Scope: s.Scope,
		ScopeUUIDs: s.ScopeIDs,
		Branches:   s.Branches, BuildStates: s.BuildStates, Events: s.Settings.Events}
}

// NotificationServiceSubject returns a notification service as the subject of an event.
func NotificationServiceSubject(s domain.NotificationService) domain.AuditSubject {
	return domain.Subject(domain.NotificationServiceSubject, s.ID, cmp.Or(s.Description, s.Provider.Name()))
}

// CacheRegistryFacts is what events say of a cache registry.
type CacheRegistryFacts struct {
	ClusterID   domain.ClusterID `json:"cluster_id"`
	Name        string           `json:"name"`
	Slug        string           `json:"slug"`
	domain.Look `json:",inline"`
	Policy      *string `json:"policy"`
	CacheStore  *string `json:"cache_store"`
}

// FactsOfCacheRegistry returns what events say of a cache registry.
func FactsOfCacheRegistry(r domain.CacheRegistry) CacheRegistryFacts {
	return CacheRegistryFacts{
		ClusterID: r.ClusterID, Name: r.Name, Slug: r.Slug, Look: r.Look, Policy: r.Policy,
		CacheStore: r.CacheStore,
	}
}

// CacheEntryFacts is what events say of a cache entry that was removed.
type CacheEntryFacts struct {
	Entry    domain.CacheEntryID `json:"cache_entry"`
	Scopes   string              `json:"cache_entry_scopes"`
	Key      []string            `json:"cache_entry_key"`
	Paths    []string            `json:"cache_entry_paths"`
	JobID    domain.JobID        `json:"cache_entry_job"`
	FileSize int64               `json:"cache_entry_size"`
}

// FactsOfCacheEntry returns what events say of a cache entry.
func FactsOfCacheEntry(e *domain.CacheEntry) CacheEntryFacts {
	facts := CacheEntryFacts{Entry: e.ID, Scopes: e.Scopes.String(), Paths: e.TargetPaths, JobID: e.JobID,
		FileSize: e.Size()}
	for _, part := range e.Key {
		facts.Key = append(facts.Key, part.Value)
	}
	return facts
}

// CacheRegistrySubject returns a cache registry as the subject of an event.
func CacheRegistrySubject(r domain.CacheRegistry) domain.AuditSubject {
	return domain.Subject(domain.CacheRegistrySubject, r.ID, r.Name)
}

// OrganizationFacts is what events say of an organization.
type OrganizationFacts struct {
	Name                                 string                 `json:"name"`
	Slug                                 string                 `json:"slug"`
	Plan                                 domain.Plan            `json:"plan"`
	BillingAnchor                        string                 `json:"billing_anchor"`
	BillingParent                        *domain.OrganizationID `json:"billing_parent"`
	ClusterWrites                        domain.ClusterWrites   `json:"cluster_writes"`
	MaintainersCanDestroyCacheRegistries bool                   `json:"maintainers_can_destroy_cache_registries"`
	MembersCanCreatePipelines            bool                   `json:"members_can_create_pipelines"`
	DefaultClusterID                     *domain.ClusterID      `json:"default_cluster_id"`
	AllowedAPIIPAddresses                string                 `json:"allowed_api_ip_addresses"`
	RevokeInactiveTokensAfterDays        int64                  `json:"revoke_inactive_tokens_after_days"`
	AuditRetentionDays                   int64                  `json:"audit_retention_days"`
	RestrictUserAPITokenCreation         bool                   `json:"restrict_user_api_token_creation"`
	DefaultBranch                        *string                `json:"default_branch"`
	DefaultTimeoutInMinutes              *int64                 `json:"default_timeout_in_minutes"`
	MaximumTimeoutInMinutes              *int64                 `json:"maximum_timeout_in_minutes"`
	ScheduledJobExpiryInMinutes          *int64                 `json:"scheduled_job_expiry_in_minutes"`
	BuildRetentionDays                   *int64                 `json:"build_retention_days"`
	MembersCanCreatePublicPipelines      bool                   `json:"members_can_create_public_pipelines"`
	Administrator                        domain.UserID          `json:"administrator,omitzero"` // of a new one
}

// FactsOfOrganization returns what events say of an organization.
func FactsOfOrganization(o domain.Organization) OrganizationFacts {
	return OrganizationFacts{
		Name:                                 o.Name,
		Slug:                                 o.Slug,
		Plan:                                 o.Plan,
		BillingAnchor:                        o.BillingAnchor,
		BillingParent:                        o.BillingParentID,
		ClusterWrites:                        o.Settings.ClusterWrites,
		MaintainersCanDestroyCacheRegistries: o.Settings.MaintainersCanDestroyCacheRegistries,
		MembersCanCreatePipelines:            o.Settings.MembersCanCreatePipelines,
		DefaultClusterID:                     o.Settings.DefaultClusterID,
		RestrictUserAPITokenCreation:         o.Settings.RestrictUserAPITokenCreation,
		DefaultBranch:                        o.Settings.DefaultBranch,
		DefaultTimeoutInMinutes:              o.Settings.DefaultTimeoutInMinutes,
		MaximumTimeoutInMinutes:              o.Settings.MaximumTimeoutInMinutes,
		ScheduledJobExpiryInMinutes:          o.Settings.ScheduledJobExpiryInMinutes,
		BuildRetentionDays:                   o.Settings.BuildRetentionDays,
		MembersCanCreatePublicPipelines:      o.Settings.PublicPipelinesEnabledAt != nil,
		AllowedAPIIPAddresses:                o.Settings.AllowedAPIIPAddresses,
		RevokeInactiveTokensAfterDays:        o.Settings.RevokeInactiveTokensAfterDays,
		AuditRetentionDays:                   o.Settings.AuditRetentionDays,
	}
}

// OrganizationSubject returns an organization as the subject of an event.
func OrganizationSubject(o domain.Organization) domain.AuditSubject {
	return domain.Subject(domain.OrganizationSubject, o.ID, o.Name)
}

// InvitationFacts is what events say of an invitation.
type InvitationFacts struct {
	Email   string                            `json:"email"`
	Role    domain.Role                       `json:"role"`
	SSOMode domain.SSOMode                    `json:"sso_mode"`
	Teams   map[domain.TeamID]domain.TeamRole `json:"teams,omitzero"`
	Expires string                            `json:"expires_at"`
	User    domain.UserID                     `json:"accepted_by,omitzero"`
}

// FactsOfInvitation returns what events say of an invitation.
func FactsOfInvitation(i domain.Invitation, teams []domain.InvitationTeam) InvitationFacts {
	facts := InvitationFacts{Email: i.Email, Role: i.Role, SSOMode: i.SSOMode,
		Expires: i.ExpiresAt.Format(domain.TimestampLayout)}
	for _, t := range teams {
		if facts.Teams == nil {
			facts.Teams = map[domain.TeamID]domain.TeamRole{}
		}
		facts.Teams[t.TeamID] = t.Role
	}
	return facts
}

// InvitationSubject returns an invitation as the subject of an event.
func InvitationSubject(i domain.Invitation) domain.AuditSubject {
	return domain.Subject(domain.InvitationSubject, i.ID, i.Email)
}

// MemberFacts is what events say of a member.
type MemberFacts struct {
	User    domain.UserID   `json:"user"`
	Role    domain.Role     `json:"role"`
	SSOMode domain.SSOMode  `json:"sso_mode"`
	Teams   []domain.TeamID `json:"teams,omitzero"` // that a new one joined
}

// FactsOfMember returns what events say of a member.
func FactsOfMember(m domain.Member) MemberFacts {
	return MemberFacts{User: m.UserID, Role: m.Role, SSOMode: m.SSOMode}
}

// MemberSubject returns a member as the subject of an event.
func MemberSubject(m domain.MemberView) domain.AuditSubject {
	return domain.Subject(domain.OrganizationMemberSubject, m.ID, m.User.Name)
}

// TeamFacts is what events say of a team.
type TeamFacts struct {
	Name                        string             `json:"name"`
	Slug                        string             `json:"slug"`
	Description                 *string            `json:"description"`
	Privacy                     domain.TeamPrivacy `json:"privacy"`
	IsDefaultTeam               bool               `json:"is_default_team"`
	DefaultMemberRole           domain.TeamRole    `json:"default_member_role"`
	MembersCanCreatePipelines   bool               `json:"members_can_create_pipelines"`
	MembersCanDeletePipelines   bool               `json:"members_can_delete_pipelines"`
	MembersCanCreateSuites      bool               `json:"members_can_create_suites"`
	MembersCanCreateRegistries  bool               `json:"members_can_create_registries"`
	MembersCanDestroyRegistries bool               `json:"members_can_destroy_registries"`
	MembersCanDestroyPackages   bool               `json:"members_can_destroy_packages"`
}

// FactsOfTeam returns what events say of a team.
func FactsOfTeam(t domain.Team) TeamFacts {
	return TeamFacts{
		Name: t.Name, Slug: t.Slug, Description: t.Description, Privacy: t.Privacy, IsDefaultTeam: t.IsDefaultTeam,
		DefaultMemberRole: t.DefaultMemberRole, MembersCanCreatePipelines: t.MembersCanCreatePipelines,
		MembersCanDeletePipelines:   t.MembersCanDeletePipelines,
		MembersCanCreateSuites:      t.MembersCanCreateSuites,
		MembersCanCreateRegistries:  t.MembersCanCreateRegistries,
		MembersCanDestroyRegistries: t.MembersCanDestroyRegistries,
		MembersCanDestroyPackages:   t.MembersCanDestroyPackages,
	}
}

// TeamSubject returns a team as the subject of an event.
func TeamSubject(t domain.Team) domain.AuditSubject {
	return domain.Subject(domain.TeamSubject, t.ID, t.Name)
}

// TeamMemberFacts is what events say of a team member.
type TeamMemberFacts struct {
	TeamID domain.TeamID   `json:"team_id"`
	User   domain.UserID   `json:"user"`
	Role   domain.TeamRole `json:"role"`
}

// FactsOfTeamMember returns what events say of a team member.
func FactsOfTeamMember(m domain.TeamMember) TeamMemberFacts {
	return TeamMemberFacts{TeamID: m.TeamID, User: m.UserID, Role: m.Role}
}

// TeamMemberSubject returns a team member as the subject of an event.
func TeamMemberSubject(m domain.TeamMemberView) domain.AuditSubject {
	return domain.Subject(domain.TeamMemberSubject, m.ID, m.User.Name)
}

// TeamPipelineFacts is what events say of a team pipeline.
type TeamPipelineFacts struct {
	TeamID      domain.TeamID              `json:"team_id"`
	PipelineID  domain.PipelineID          `json:"pipeline_id"`
	AccessLevel domain.PipelineAccessLevel `json:"access_level"`
}

// FactsOfTeamPipeline returns what events say of a team pipeline.
func FactsOfTeamPipeline(p domain.TeamPipeline) TeamPipelineFacts {
	return TeamPipelineFacts{TeamID: p.TeamID, PipelineID: p.PipelineID, AccessLevel: p.AccessLevel}
}

// TeamPipelineSubject returns a team pipeline as the subject of an event.
func TeamPipelineSubject(p domain.TeamPipelineView) domain.AuditSubject {
	return domain.Subject(domain.TeamPipelineSubject, p.ID, p.PipelineName)
}

// APITokenFacts is what events say of an API access token.
type APITokenFacts struct {
	User               domain.UserID `json:"user"`
	Description        string        `json:"description"`
	Scopes             string        `json:"scopes"`
	AllowedIPAddresses string        `json:"allowed_ip_addresses"`
	ExpiresAt          string        `json:"expires_at,omitzero"`
}

// FactsOfAPIToken returns what events say of an API access token.
func FactsOfAPIToken(t domain.APIToken, user domain.UserID) APITokenFacts {
	facts := APITokenFacts{User: user, Description: t.Description, Scopes: t.Scopes.String(),
		AllowedIPAddresses: t.AllowedIPAddresses}
	if t.ExpiresAt != nil {
		facts.ExpiresAt = t.ExpiresAt.Format(domain.TimestampLayout)
	}
	return facts
}

// APITokenSubject returns an API access token as the subject of an event.
func APITokenSubject(t domain.APIToken) domain.AuditSubject {
	return domain.Subject(domain.APIAccessTokenSubject, t.ID, t.Description)
}

// PipelineFacts is what events say of a pipeline.
type PipelineFacts struct {
	Name                         string                    `json:"name"`
	Slug                         string                    `json:"slug"`
	Repository                   string                    `json:"repository"` // without credentials
	ClusterID                    *domain.ClusterID         `json:"cluster_id"`
	ConfigurationSHA256          string                    `json:"configuration_sha256"` // it can be long
	Visibility                   domain.PipelineVisibility `json:"visibility"`
	Tags                         []string                  `json:"tags"`
	domain.Look                  `json:",inline"`
	Env                          []string `json:"env"` // names: a value may be a secret
	domain.PipelineBuildSettings `json:",inline"`
	domain.PipelineJobSettings   `json:",inline"`
	ProviderSettings             map[string]any  `json:"provider_settings"`
	CloneMirrorURL               *string         `json:"clone_mirror_url"`
	NextBuildNumber              int64           `json:"next_build_number"`
	Archived                     bool            `json:"archived"`
	Teams                        []domain.TeamID `json:"teams,omitzero"` // that may manage a new one

	// What is not shown, so that a change of it is seen.
	env        map[string]string
	repository string
}

// FactsOfPipeline returns what events say of a pipeline.
func FactsOfPipeline(p domain.Pipeline) PipelineFacts {
	return PipelineFacts{
		Name:                  p.Name,
		Slug:                  p.Slug,
		Repository:            withoutCredentials(p.Repository),
		ClusterID:             p.ClusterID,
		ConfigurationSHA256:   fmt.Sprintf("%x", sha256.Sum256([]byte(p.Configuration))),
		Visibility:            p.Visibility,
		Tags:                  p.Tags,
		Look:                  p.Look,
		Env:                   slices.Sorted(maps.Keys(p.Env)),
		PipelineBuildSettings: p.PipelineBuildSettings,
		PipelineJobSettings:   p.PipelineJobSettings,
		ProviderSettings:      p.ProviderSettings,
		CloneMirrorURL:        p.CloneMirrorURL,
		NextBuildNumber:       p.NextBuildNumber,
		Archived:              p.ArchivedAt != nil,
		env:                   p.Env,
		repository:            p.Repository,
	}
}

// withoutCredentials returns the address of a repository without what may be a secret: what stands before an @, unless
// it is only a name, as in git@example.com:acme/web.git, and what follows a ? or #.
func withoutCredentials(repository string) string {
	repository = repository[:strings.IndexAny(repository+"?", "?#")]
	scheme, rest, isURL := strings.Cut(repository, "://")
	if !isURL {
		scheme, rest = "", repository
	} else {
		scheme += "://"
	}
	user, address, found := cutLast(rest, "@")
	if !found || !isURL && !strings.Contains(user, ":") {
		return scheme + rest
	}
	return scheme + address
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// PipelineSubject returns a pipeline as the subject of an event.
func PipelineSubject(p domain.Pipeline) domain.AuditSubject {
	return domain.Subject(domain.PipelineSubject, p.ID, p.Name)
}

// PortalFacts is what events say of a portal.
type PortalFacts struct {
	Name               string               `json:"name"`
	Slug               string               `json:"slug"`
	Description        *string              `json:"description"`
	QuerySHA256        string               `json:"query_sha256"` // it can be long
	AllowedIPAddresses *string              `json:"allowed_ip_addresses"`
	UserInvokable      bool                 `json:"user_invokable"`
	Token              domain.PortalTokenID `json:"token,omitzero"` // that a new one was made with
}

// FactsOfPortal returns what events say of a portal.
func FactsOfPortal(p domain.Portal) PortalFacts {
	return PortalFacts{
		Name:               p.Name,
		Slug:               p.Slug,
		Description:        p.Description,
		QuerySHA256:        fmt.Sprintf("%x", sha256.Sum256([]byte(p.Query))),
		AllowedIPAddresses: p.AllowedIPAddresses,
		UserInvokable:      p.UserInvokable,
	}
}

// PortalSubject returns a portal as the subject of an event.
func PortalSubject(p domain.Portal) domain.AuditSubject {
	return domain.Subject(domain.PortalSubject, p.ID, p.Name)
}

// PortalTokenFacts is what events say of a portal token.
type PortalTokenFacts struct {
	PortalID    domain.PortalID        `json:"portal_id"`
	SecretID    *domain.PortalSecretID `json:"secret_id,omitzero"`
	UserID      *domain.UserID         `json:"user_id,omitzero"`
	Description string                 `json:"description"`
	ExpiresAt   string                 `json:"expires_at,omitzero"`
}

// FactsOfPortalToken returns what events say of a portal token.
func FactsOfPortalToken(t domain.PortalToken) PortalTokenFacts {
	facts := PortalTokenFacts{PortalID: t.PortalID, SecretID: t.SecretID, UserID: t.UserID, Description: t.Description}
	if t.ExpiresAt != nil {
		facts.ExpiresAt = t.ExpiresAt.Format(domain.TimestampLayout)
	}
	return facts
}

// PortalTokenSubject returns a portal token as the subject of an event.
func PortalTokenSubject(t domain.PortalToken) domain.AuditSubject {
	return domain.Subject(domain.PortalTokenSubject, t.ID, t.Description)
}

// PortalSecretFacts are of a secret; the subject of its events is the portal.
type PortalSecretFacts struct {
	SecretID    domain.PortalSecretID `json:"secret_id"`
	Description string                `json:"description"`
}

// FactsOfPortalSecret returns what events say of a portal secret.
func FactsOfPortalSecret(s domain.PortalSecret) PortalSecretFacts {
	return PortalSecretFacts{SecretID: s.ID, Description: s.Description}
}

// RuleFacts is what events say of a rule.
type RuleFacts struct {
	Type        domain.RuleType   `json:"type"`
	Description *string           `json:"description"`
	Source      domain.PipelineID `json:"source_pipeline"`
	Target      domain.PipelineID `json:"target_pipeline"`
	Conditions  []string          `json:"conditions"`
}

// FactsOfRule returns what events say of a rule.
func FactsOfRule(r domain.Rule) RuleFacts {
	return RuleFacts{Type: r.Type, Description: r.Description, Source: r.SourceID, Target: r.TargetID,
		Conditions: r.Conditions}
}

// RuleSubject returns a rule as the subject of an event.
func RuleSubject(r domain.Rule) domain.AuditSubject {
	return domain.Subject(domain.RuleSubject, r.ID, string(r.Type))
}

// PipelineScheduleFacts is what events say of a schedule.
type PipelineScheduleFacts struct {
	PipelineID domain.PipelineID `json:"pipeline_id"`
	Label      string            `json:"label"`
	Cronline   string            `json:"cronline"`
	Message    *string           `json:"message"`
	Commit     string            `json:"commit"`
	Branch     *string           `json:"branch"`
	Env        []string          `json:"env"` // names: a value may be a secret
	Enabled    bool              `json:"enabled"`
	env        map[string]string
}

// FactsOfPipelineSchedule returns what events say of a schedule.
func FactsOfPipelineSchedule(s domain.PipelineSchedule) PipelineScheduleFacts {
	return PipelineScheduleFacts{PipelineID: s.PipelineID, Label: s.Label, Cronline: s.Cronline, Message: s.Message,
		Commit: s.Commit, Branch: s.Branch,
		Env: slices.Sorted(maps.Keys(s.Env)), Enabled: s.Enabled, env: s.Env}
}

// PipelineScheduleSubject returns a schedule as the subject of an event.
func PipelineScheduleSubject(s domain.PipelineSchedule) domain.AuditSubject {
	return domain.Subject(domain.PipelineScheduleSubject, s.ID, s.Label)
}

// PipelineTriggerFacts is what events say of a trigger: never its address and its secret.
type PipelineTriggerFacts struct {
	PipelineID domain.PipelineID  `json:"pipeline_id"`
	Type       domain.TriggerType `json:"type"`
	Label      string             `json:"label"`
	Message    *string            `json:"message"`
	Commit     *string            `json:"commit"`
	Branch     *string            `json:"branch"`
	Env        []string           `json:"environment"` // names: a value may be a secret
	Verified   bool               `json:"verified"`
	NewSecret  bool               `json:"new_secret,omitzero"` // the secret was replaced
	Enabled    bool               `json:"enabled"`
	env        map[string]string
}

// FactsOfPipelineTrigger returns what events say of a trigger.
func FactsOfPipelineTrigger(t domain.PipelineTrigger) PipelineTriggerFacts {
	return PipelineTriggerFacts{PipelineID: t.PipelineID, Type: t.Type, Label: t.Label, Message: t.Message,
		Commit: t.Commit, Branch: t.Branch,
		Env: slices.Sorted(maps.Keys(t.Env)), Verified: t.SecretHint != nil, Enabled: t.Enabled, env: t.Env}
}

// PipelineTriggerSubject returns a trigger as the subject of an event.
func PipelineTriggerSubject(t domain.PipelineTrigger) domain.AuditSubject {
	return domain.Subject(domain.PipelineTriggerSubject, t.ID, t.Label)
}

// PipelineTemplateFacts is what events say of a pipeline template.
type PipelineTemplateFacts struct {
	Name          string  `json:"name"`
	Description   *string `json:"description"`
	Configuration string  `json:"configuration"`
	Available     bool    `json:"available"`
}

// FactsOfPipelineTemplate returns what events say of a pipeline template.
func FactsOfPipelineTemplate(t domain.PipelineTemplate) PipelineTemplateFacts {
	return PipelineTemplateFacts{Name: t.Name, Description: t.Description, Configuration: t.Configuration,
		Available: t.Available}
}

// PipelineTemplateSubject returns a pipeline template as the subject of an event.
func PipelineTemplateSubject(t domain.PipelineTemplate) domain.AuditSubject {
	return domain.Subject(domain.PipelineTemplateSubject, t.ID, t.Name)
}

// UnclusteredTokenFacts is what events say of an agent token of no cluster.
type UnclusteredTokenFacts struct {
	Description   *string `json:"description"`
	RevokedReason *string `json:"revoked_reason"`
}

// FactsOfUnclusteredToken returns what events say of an agent token of no cluster.
func FactsOfUnclusteredToken(t domain.UnclusteredToken) UnclusteredTokenFacts {
	return UnclusteredTokenFacts{Description: t.Description, RevokedReason: t.RevokedReason}
}

// UnclusteredTokenSubject returns an agent token of no cluster as the subject of an event.
func UnclusteredTokenSubject(t domain.UnclusteredToken) domain.AuditSubject {
	name := ""
	if t.Description != nil {
		name = *t.Description
	}
	return domain.Subject(domain.AgentTokenSubject, t.ID, name)
}

// BannerFacts is what events say of an organization's banner.
type BannerFacts struct {
	Message string `json:"message"`
}

// FactsOfBanner returns what events say of a banner.
func FactsOfBanner(b domain.OrganizationBanner) BannerFacts { return BannerFacts{Message: b.Message} }

// BannerSubject returns a banner as the subject of an event.
func BannerSubject(b domain.OrganizationBanner) domain.AuditSubject {
	return domain.Subject(domain.OrganizationBannerSubject, b.ID, "Banner")
}
