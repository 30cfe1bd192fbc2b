package service

import "penstock/internal/domain"

// What audit events say of things: what can be configured, and no secret.

type clusterFacts struct {
	Name                        string                 `json:"name"`
	Description                 *string                `json:"description"`
	Emoji                       *string                `json:"emoji"`
	Color                       *string                `json:"color"`
	DefaultQueueID              *domain.QueueID        `json:"default_queue_id"`
	DefaultCacheRegistryUUID    domain.CacheRegistryID `json:"default_cache_registry_uuid"`
	HostedGitMirrorEnabled      bool                   `json:"hosted_git_mirror_enabled"`
	HostedContainerCacheEnabled bool                   `json:"hosted_container_cache_enabled"`
	Maintainers                 []maintainerFacts      `json:"maintainers,omitzero"`
}

func factsOfCluster(c domain.Cluster) clusterFacts {
	return clusterFacts{
		Name:                        c.Name,
		Description:                 c.Description,
		Emoji:                       c.Emoji,
		Color:                       c.Color,
		DefaultQueueID:              c.DefaultQueueID,
		DefaultCacheRegistryUUID:    c.DefaultCacheRegistryID,
		HostedGitMirrorEnabled:      c.HostedGitMirrorEnabled,
		HostedContainerCacheEnabled: c.HostedContainerCacheEnabled,
	}
}

func clusterSubject(c domain.Cluster) domain.AuditSubject {
	return domain.Subject(domain.ClusterSubject, c.ID, c.Name)
}

type maintainerFacts struct {
	ClusterID domain.ClusterID `json:"cluster_id"`
	User      string           `json:"user,omitzero"`
	Team      string           `json:"team,omitzero"`
}

func factsOfMaintainer(m domain.Maintainer) maintainerFacts {
	facts := maintainerFacts{ClusterID: m.ClusterID}
	if m.User != nil {
		facts.User = string(m.User.ID)
	}
	if m.Team != nil {
		facts.Team = string(m.Team.ID)
	}
	return facts
}

func maintainerSubject(m domain.Maintainer) domain.AuditSubject {
	name := ""
	if m.User != nil {
		name = m.User.Name
	} else if m.Team != nil {
		name = m.Team.Name
	}
	return domain.Subject(domain.ClusterPermissionSubject, m.ID, name)
}

type queueFacts struct {
	ClusterID          domain.ClusterID          `json:"cluster_id"`
	Key                string                    `json:"key"`
	Description        *string                   `json:"description"`
	RetryAgentAffinity domain.RetryAgentAffinity `json:"retry_agent_affinity"`
	DispatchPaused     bool                      `json:"dispatch_paused"`
	DispatchPausedNote *string                   `json:"dispatch_paused_note"`
	InstanceShape      string                    `json:"instance_shape,omitzero"`
	AgentImageRef      *string                   `json:"agent_image_ref,omitzero"`
	MacOSVersion       *string                   `json:"macos_version,omitzero"`
	XcodeVersion       *string                   `json:"xcode_version,omitzero"`
}

func factsOfQueue(q domain.Queue) queueFacts {
	facts := queueFacts{ClusterID: q.ClusterID, Key: q.Key, Description: q.Description, RetryAgentAffinity: q.RetryAgentAffinity}
	if q.Paused != nil {
		facts.DispatchPaused, facts.DispatchPausedNote = true, q.Paused.Note
	}
	if h := q.Hosted; h != nil {
		facts.InstanceShape, facts.AgentImageRef, facts.MacOSVersion, facts.XcodeVersion = h.Shape.Name, h.AgentImageRef, h.MacOSVersion, h.XcodeVersion
	}
	return facts
}

func queueSubject(q domain.Queue) domain.AuditSubject {
	return domain.Subject(domain.ClusterQueueSubject, q.ID, q.Key)
}

type agentTokenFacts struct {
	ClusterID          domain.ClusterID `json:"cluster_id"`
	Description        string           `json:"description"`
	AllowedIPAddresses *string          `json:"allowed_ip_addresses"`
	ExpiresAt          string           `json:"expires_at,omitzero"`
}

func factsOfAgentToken(t domain.AgentToken) agentTokenFacts {
	facts := agentTokenFacts{ClusterID: t.ClusterID, Description: t.Description, AllowedIPAddresses: t.AllowedIPAddresses}
	if t.ExpiresAt != nil {
		facts.ExpiresAt = t.ExpiresAt.Format(domain.TimestampLayout)
	}
	return facts
}

func agentTokenSubject(t domain.AgentToken) domain.AuditSubject {
	return domain.Subject(domain.ClusterTokenSubject, t.ID, t.Description)
}

type cacheRegistryFacts struct {
	ClusterID   domain.ClusterID `json:"cluster_id"`
	Name        string           `json:"name"`
	Slug        string           `json:"slug"`
	Description *string          `json:"description"`
	Emoji       *string          `json:"emoji"`
	Color       *string          `json:"color"`
	Policy      *string          `json:"policy"`
}

func factsOfCacheRegistry(r domain.CacheRegistry) cacheRegistryFacts {
	return cacheRegistryFacts{
		ClusterID: r.ClusterID, Name: r.Name, Slug: r.Slug, Description: r.Description, Emoji: r.Emoji, Color: r.Color, Policy: r.Policy,
	}
}

func cacheRegistrySubject(r domain.CacheRegistry) domain.AuditSubject {
	return domain.Subject(domain.CacheRegistrySubject, r.ID, r.Name)
}

type memberFacts struct {
	User domain.UserID `json:"user"`
	Role domain.Role   `json:"role"`
}

type apiTokenFacts struct {
	User               domain.UserID `json:"user"`
	Description        string        `json:"description"`
	Scopes             string        `json:"scopes"`
	AllowedIPAddresses string        `json:"allowed_ip_addresses"`
	ExpiresAt          string        `json:"expires_at,omitzero"`
}

func factsOfAPIToken(t domain.APIToken, user domain.UserID) apiTokenFacts {
	facts := apiTokenFacts{User: user, Description: t.Description, Scopes: t.Scopes.String(), AllowedIPAddresses: t.AllowedIPAddresses}
	if t.ExpiresAt != nil {
		facts.ExpiresAt = t.ExpiresAt.Format(domain.TimestampLayout)
	}
	return facts
}

func apiTokenSubject(t domain.APIToken) domain.AuditSubject {
	return domain.Subject(domain.APIAccessTokenSubject, t.ID, t.Description)
}
