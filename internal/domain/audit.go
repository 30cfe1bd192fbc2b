package domain

import (
	"slices"
	"time"
)

// AuditEventID identifies an audit event.
type AuditEventID string

// AuditEventType says what was done.
type AuditEventType string

// The types of events that are recorded.
const (
	AgentTokenCreated           AuditEventType = "AGENT_TOKEN_CREATED"
	AgentTokenRevoked           AuditEventType = "AGENT_TOKEN_REVOKED"
	APIAccessTokenCreated       AuditEventType = "API_ACCESS_TOKEN_CREATED"
	APIAccessTokenDeleted       AuditEventType = "API_ACCESS_TOKEN_DELETED"
	APIAccessTokenAccessRevoked AuditEventType = "API_ACCESS_TOKEN_ORGANIZATION_ACCESS_REVOKED"
	CacheRegistryCreated        AuditEventType = "CACHE_REGISTRY_CREATED"
	CacheRegistryDeleted        AuditEventType = "CACHE_REGISTRY_DELETED"
	CacheRegistryUpdated        AuditEventType = "CACHE_REGISTRY_UPDATED"
	ClusterCreated              AuditEventType = "CLUSTER_CREATED"
	ClusterDeleted              AuditEventType = "CLUSTER_DELETED"
	ClusterUpdated              AuditEventType = "CLUSTER_UPDATED"
	ClusterPermissionCreated    AuditEventType = "CLUSTER_PERMISSION_CREATED"
	ClusterPermissionDeleted    AuditEventType = "CLUSTER_PERMISSION_DELETED"
	ClusterQueueCreated         AuditEventType = "CLUSTER_QUEUE_CREATED"
	ClusterQueueDeleted         AuditEventType = "CLUSTER_QUEUE_DELETED"
	ClusterQueueUpdated         AuditEventType = "CLUSTER_QUEUE_UPDATED"
	ClusterTokenCreated         AuditEventType = "CLUSTER_TOKEN_CREATED"
	ClusterTokenDeleted         AuditEventType = "CLUSTER_TOKEN_DELETED"
	ClusterTokenUpdated         AuditEventType = "CLUSTER_TOKEN_UPDATED"
	OrganizationBannerCreated   AuditEventType = "ORGANIZATION_BANNER_CREATED"
	OrganizationBannerDeleted   AuditEventType = "ORGANIZATION_BANNER_DELETED"
	OrganizationBannerUpdated   AuditEventType = "ORGANIZATION_BANNER_UPDATED"
	OrganizationCreated         AuditEventType = "ORGANIZATION_CREATED"
	OrganizationUpdated         AuditEventType = "ORGANIZATION_UPDATED"
	InvitationAcceptedEvent     AuditEventType = "ORGANIZATION_INVITATION_ACCEPTED"
	InvitationCreatedEvent      AuditEventType = "ORGANIZATION_INVITATION_CREATED"
	InvitationResentEvent       AuditEventType = "ORGANIZATION_INVITATION_RESENT"
	InvitationRevokedEvent      AuditEventType = "ORGANIZATION_INVITATION_REVOKED"
	OrganizationMemberCreated   AuditEventType = "ORGANIZATION_MEMBER_CREATED"
	OrganizationMemberDeleted   AuditEventType = "ORGANIZATION_MEMBER_DELETED"
	OrganizationMemberUpdated   AuditEventType = "ORGANIZATION_MEMBER_UPDATED"
	OrganizationSecurityUpdated AuditEventType = "ORGANIZATION_SECURITY_SETTINGS_UPDATED"
	OrganizationBillingUpdated  AuditEventType = "ORGANIZATION_BILLING_SETTING_UPDATED"
	PipelineCreated             AuditEventType = "PIPELINE_CREATED"
	PipelineDeleted             AuditEventType = "PIPELINE_DELETED"
	PipelineUpdated             AuditEventType = "PIPELINE_UPDATED"
	PipelineScheduleCreated     AuditEventType = "PIPELINE_SCHEDULE_CREATED"
	PipelineScheduleDeleted     AuditEventType = "PIPELINE_SCHEDULE_DELETED"
	PipelineScheduleUpdated     AuditEventType = "PIPELINE_SCHEDULE_UPDATED"
	PipelineTemplateCreated     AuditEventType = "PIPELINE_TEMPLATE_CREATED"
	PipelineTemplateDeleted     AuditEventType = "PIPELINE_TEMPLATE_DELETED"
	PipelineTemplateUpdated     AuditEventType = "PIPELINE_TEMPLATE_UPDATED"
	PipelineTriggerCreated      AuditEventType = "PIPELINE_TRIGGER_CREATED"
	PipelineTriggerDeleted      AuditEventType = "PIPELINE_TRIGGER_DELETED"
	PipelineTriggerUpdated      AuditEventType = "PIPELINE_TRIGGER_UPDATED"
	PipelineVisibilityChanged   AuditEventType = "PIPELINE_VISIBILITY_CHANGED"
	PipelineWebhookRotated      AuditEventType = "PIPELINE_WEBHOOK_URL_ROTATED"
	PortalCreated               AuditEventType = "PORTAL_CREATED"
	PortalDeleted               AuditEventType = "PORTAL_DELETED"
	PortalUpdated               AuditEventType = "PORTAL_UPDATED"
	PortalSecretCreated         AuditEventType = "PORTAL_SECRET_CREATED"
	PortalSecretDeleted         AuditEventType = "PORTAL_SECRET_DELETED"
	PortalTokenCodeAuthorized   AuditEventType = "PORTAL_TOKEN_CODE_AUTHORIZED"
	PortalTokenCreated          AuditEventType = "PORTAL_TOKEN_CREATED"
	PortalTokenDeleted          AuditEventType = "PORTAL_TOKEN_DELETED"
	RuleCreated                 AuditEventType = "RULE_CREATED"
	RuleDeleted                 AuditEventType = "RULE_DELETED"
	RuleUpdated                 AuditEventType = "RULE_UPDATED"
	NotificationServiceCreated  AuditEventType = "NOTIFICATION_SERVICE_CREATED"
	NotificationServiceDeleted  AuditEventType = "NOTIFICATION_SERVICE_DELETED"
	NotificationServiceDisabled AuditEventType = "NOTIFICATION_SERVICE_DISABLED"
	NotificationServiceEnabled  AuditEventType = "NOTIFICATION_SERVICE_ENABLED"
	NotificationServiceUpdated  AuditEventType = "NOTIFICATION_SERVICE_UPDATED"
	ConnectionCreated           AuditEventType = "SCM_REPOSITORY_HOST_CREATED"
	ConnectionDeleted           AuditEventType = "SCM_REPOSITORY_HOST_DESTROYED"
	ConnectionUpdated           AuditEventType = "SCM_REPOSITORY_HOST_UPDATED"
	SecretCreated               AuditEventType = "SECRET_CREATED"
	SecretDeleted               AuditEventType = "SECRET_DELETED"
	SecretRead                  AuditEventType = "SECRET_READ"
	SecretUpdated               AuditEventType = "SECRET_UPDATED"
	SecretValueUpdated          AuditEventType = "SECRET_VALUE_UPDATED"
	TeamCreated                 AuditEventType = "TEAM_CREATED"
	TeamDeleted                 AuditEventType = "TEAM_DELETED"
	TeamUpdated                 AuditEventType = "TEAM_UPDATED"
	TeamMemberCreated           AuditEventType = "TEAM_MEMBER_CREATED"
	TeamMemberDeleted           AuditEventType = "TEAM_MEMBER_DELETED"
	TeamMemberUpdated           AuditEventType = "TEAM_MEMBER_UPDATED"
	TeamPipelineCreated         AuditEventType = "TEAM_PIPELINE_CREATED"
	TeamPipelineDeleted         AuditEventType = "TEAM_PIPELINE_DELETED"
	TeamPipelineUpdated         AuditEventType = "TEAM_PIPELINE_UPDATED"
	UserPasswordReset           AuditEventType = "USER_PASSWORD_RESET"
	UserUpdated                 AuditEventType = "USER_UPDATED"
)

// AuditEventTypes are all types of events that are recorded.
var AuditEventTypes = []AuditEventType{
	AgentTokenCreated,
	AgentTokenRevoked,
	APIAccessTokenCreated,
	APIAccessTokenDeleted,
	APIAccessTokenAccessRevoked,
	CacheRegistryCreated,
	CacheRegistryDeleted,
	CacheRegistryUpdated,
	ClusterCreated,
	ClusterDeleted,
	ClusterUpdated,
	ClusterPermissionCreated,
	ClusterPermissionDeleted,
	ClusterQueueCreated,
	ClusterQueueDeleted,
	ClusterQueueUpdated,
	ClusterTokenCreated,
	ClusterTokenDeleted,
	ClusterTokenUpdated,
	OrganizationBannerCreated,
	OrganizationBannerDeleted,
	OrganizationBannerUpdated,
	OrganizationCreated,
	OrganizationUpdated,
	InvitationAcceptedEvent,
	InvitationCreatedEvent,
	InvitationResentEvent,
	InvitationRevokedEvent,
	OrganizationMemberCreated,
	OrganizationMemberDeleted,
	OrganizationMemberUpdated,
	OrganizationSecurityUpdated,
	OrganizationBillingUpdated,
	PipelineCreated,
	PipelineDeleted,
	PipelineUpdated,
	PipelineScheduleCreated,
	PipelineScheduleDeleted,
	PipelineScheduleUpdated,
	PipelineTemplateCreated,
	PipelineTemplateDeleted,
	PipelineTemplateUpdated,
	PipelineTriggerCreated,
	PipelineTriggerDeleted,
	PipelineTriggerUpdated,
	PipelineVisibilityChanged,
	PipelineWebhookRotated,
	PortalCreated,
	PortalDeleted,
	PortalUpdated,
	PortalSecretCreated,
	PortalSecretDeleted,
	PortalTokenCodeAuthorized,
	PortalTokenCreated,
	PortalTokenDeleted,
	RuleCreated,
	RuleDeleted,
	RuleUpdated,
	NotificationServiceCreated,
	NotificationServiceDeleted,
	NotificationServiceDisabled,
	NotificationServiceEnabled,
	NotificationServiceUpdated,
	ConnectionCreated,
	ConnectionDeleted,
	ConnectionUpdated,
	SecretCreated,
	SecretDeleted,
	SecretRead,
	SecretUpdated,
	SecretValueUpdated,
	TeamCreated,
	TeamDeleted,
	TeamUpdated,
	TeamMemberCreated,
	TeamMemberDeleted,
	TeamMemberUpdated,
	TeamPipelineCreated,
	TeamPipelineDeleted,
	TeamPipelineUpdated,
	UserPasswordReset,
	UserUpdated,
}

// unrecordedEventTypes are the types of events that the interface knows and that are never recorded here.
var unrecordedEventTypes = []AuditEventType{
	"API_ACCESS_TOKEN_UPDATED",
	"ORGANIZATION_DELETED",
	"USER_API_ACCESS_TOKEN_ORGANIZATION_ACCESS_ADDED",
	"USER_API_ACCESS_TOKEN_ORGANIZATION_ACCESS_REMOVED",
	"USER_PASSWORD_RESET_REQUESTED",
}

// Known reports whether the interface has events of this type, recorded or not.
func (t AuditEventType) Known() bool {
	return slices.Contains(AuditEventTypes, t) || slices.Contains(unrecordedEventTypes, t)
}

// AuditSubjectType says what kind of thing something was done to.
type AuditSubjectType string

// The kinds of subjects.
const (
	AgentTokenSubject           AuditSubjectType = "AGENT_TOKEN"
	APIAccessTokenSubject       AuditSubjectType = "API_ACCESS_TOKEN"
	CacheRegistrySubject        AuditSubjectType = "CACHE_REGISTRY"
	ClusterSubject              AuditSubjectType = "CLUSTER"
	ClusterPermissionSubject    AuditSubjectType = "CLUSTER_PERMISSION"
	ClusterQueueSubject         AuditSubjectType = "CLUSTER_QUEUE"
	ClusterTokenSubject         AuditSubjectType = "CLUSTER_TOKEN"
	OrganizationBannerSubject   AuditSubjectType = "ORGANIZATION_BANNER"
	OrganizationSubject         AuditSubjectType = "ORGANIZATION"
	InvitationSubject           AuditSubjectType = "ORGANIZATION_INVITATION"
	OrganizationMemberSubject   AuditSubjectType = "ORGANIZATION_MEMBER"
	OrganizationSecuritySubject AuditSubjectType = "ORGANIZATION_SECURITY_SETTING"
	OrganizationBillingSubject  AuditSubjectType = "ORGANIZATION_BILLING_SETTING"
	PipelineSubject             AuditSubjectType = "PIPELINE"
	PipelineScheduleSubject     AuditSubjectType = "PIPELINE_SCHEDULE"
	PipelineTemplateSubject     AuditSubjectType = "PIPELINE_TEMPLATE"
	PipelineTriggerSubject      AuditSubjectType = "PIPELINE_TRIGGER"
	PortalSubject               AuditSubjectType = "PORTAL"
	PortalTokenSubject          AuditSubjectType = "PORTAL_TOKEN"
	RuleSubject                 AuditSubjectType = "RULE"
	NotificationServiceSubject  AuditSubjectType = "NOTIFICATION_SERVICE"
	ConnectionSubject           AuditSubjectType = "SCM_REPOSITORY_HOST"
	SecretSubject               AuditSubjectType = "SECRET"
	TeamSubject                 AuditSubjectType = "TEAM"
	TeamMemberSubject           AuditSubjectType = "TEAM_MEMBER"
	TeamPipelineSubject         AuditSubjectType = "TEAM_PIPELINE"
	UserSubject                 AuditSubjectType = "USER"
)

// AuditActorType says what kind of actor did something.
type AuditActorType string

// The kinds of actors. Operators are no users: they have access to the machine.
const (
	UserActor        AuditActorType = "USER"
	OperatorActor    AuditActorType = "OPERATOR"
	PortalAuditActor AuditActorType = "PORTAL"
	AgentAuditActor  AuditActorType = "AGENT" // which runs a job
)

// AuditActor is who did something, with the name they had then.
type AuditActor struct {
	Type AuditActorType
	ID   string // of an operator: empty
	Name string
}

// AuditSubject is what something was done to, with the name it had then.
type AuditSubject struct {
	Type AuditSubjectType
	ID   string
	Name string
}

// Subject returns the subject of that kind, id and name.
func Subject[T ~string](kind AuditSubjectType, id T, name string) AuditSubject {
	return AuditSubject{Type: kind, ID: string(id), Name: name}
}

// AuditContext says how a request came.
type AuditContext struct {
	Surface          string     `json:"surface"`
	Address          string     `json:"request_ip_address,omitzero"`
	UserAgent        string     `json:"request_user_agent,omitzero"`
	TokenID          APITokenID `json:"request_api_access_token_uuid,omitzero"`
	SessionCreatedAt time.Time  `json:"session_created_at,omitzero"`
}

// AuditEvent is a record of a change, made in the transaction that made the change.
type AuditEvent struct {
	ID             AuditEventID
	OrganizationID OrganizationID
	OccurredAt     time.Time
	Type           AuditEventType
	Actor          AuditActor
	Subject        AuditSubject
	Context        AuditContext
	Data           string // a JSON object with before, after or both; never a secret
}

// AuditFilter chooses among an organization's events. What is nil chooses all.
type AuditFilter struct {
	Types        []AuditEventType
	ActorTypes   []AuditActorType
	Actors       []string // ids
	SubjectTypes []AuditSubjectType
	Subjects     []string   // ids
	From         *time.Time // inclusive
	To           *time.Time // exclusive
}
