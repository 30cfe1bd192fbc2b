package domain

// ClusterView is a cluster with what is shown along with it.
type ClusterView struct {
	Cluster
	OrganizationSlug string
	CreatedBy        *User
	Maintainers      []Maintainer
	Managed          bool // the caller may manage the cluster
}

// QueueView is a queue with what is shown along with it.
type QueueView struct {
	Queue
	OrganizationSlug string
	CreatedBy        *User
	PausedBy         *User
}

// AgentTokenView is an agent token with what is shown along with it.
type AgentTokenView struct {
	AgentToken
	OrganizationSlug string
	CreatedBy        *User
}

// CacheRegistryView is a registry with what is shown along with it.
type CacheRegistryView struct {
	CacheRegistry
	OrganizationSlug string
	Default          bool // the cluster's default registry
}
