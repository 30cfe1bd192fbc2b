package domain

// ClusterView is a cluster with what is shown along with it.
type ClusterView struct {
	Cluster
	OrganizationSlug string
	CreatedBy        *User
	Maintainers      []Maintainer
	HadMaintainers   bool // it has, or once had, maintainers: few do
	Maintained       bool // the caller, or a team of theirs, maintains the cluster
	Managed          bool // the caller may manage the cluster; only known of one that was asked for by itself
	Writable         bool // the caller may change and delete the cluster; only known of one that was asked for by itself
}

// WithoutCounts returns the cluster without how much belongs to it, which no caller is shown as a part of it.
func (v ClusterView) WithoutCounts() ClusterView {
	v.QueuesCount, v.HostedQueuesCount = 0, 0
	return v
}

// OrganizationView is an organization with what the caller is to it.
type OrganizationView struct {
	Organization
	Administered bool // the caller may see and change its settings
	// PublicPipelinesEnabledBy is who let members make public pipelines; only known to who administers the organization.
	PublicPipelinesEnabledBy *User
}

// MemberView is a membership of an organization with what is shown along with it.
type MemberView struct {
	Member
	OrganizationSlug string
	User             User
	Disabled         bool // the user may not use the installation
	CreatedBy        *User
}

// TeamView is a team with what is shown along with it.
type TeamView struct {
	Team
	OrganizationSlug string
	CreatedBy        *User
}

// TeamMemberView is a membership of a team with what is shown along with it.
type TeamMemberView struct {
	TeamMember
	TeamName         string // only in lists
	OrganizationSlug string
	User             User
	CreatedBy        *User
}

// TeamPipelineView is a team's access to a pipeline with what is shown along with it.
type TeamPipelineView struct {
	TeamPipeline
	TeamName         string // only in lists
	OrganizationSlug string
	PipelineSlug     string
	PipelineName     string
	CreatedBy        *User
}

// QueueView is a queue with what is shown along with it.
type QueueView struct {
	Queue
	OrganizationSlug string
	CreatedBy        *User
	PausedBy         *User
}

// PipelineView is a pipeline with what is shown along with it.
type PipelineView struct {
	Pipeline
	OrganizationSlug string
	CreatedBy        *User
	ArchivedBy       *User
	Favorite         *bool // the caller's; nil: not looked up
	Writable         bool  // the caller may change the pipeline, with the token that they use; not known in snapshots
	Activity         PipelineActivity
	Host             RepositoryHost
}

// Provider returns the service that hosts the pipeline's repository: the one that the organization is connected with,
// or one that everybody uses. It is nil if it is neither.
func (v *PipelineView) Provider() *Provider {
	c := RepositoryConnection{Kind: v.Host.Kind, URL: v.Host.URL}
	name, ok := c.RepositoryName(v.Repository)
	if v.Host.Kind == "" || !ok {
		return v.Pipeline.Provider()
	}
	return &Provider{ID: string(v.Host.Kind), Repository: name, URL: c.repositoryURL(name)}
}

// ShownProviderSettings returns the settings as they are given, with defaults for those that are always shown, and what
// the repository is called at the service that hosts it.
func (v *PipelineView) ShownProviderSettings() map[string]any {
	return v.showProviderSettings(v.Provider())
}

// PipelineActivity is how many builds of a pipeline wait and run, with their command jobs. It is read only where it is
// asked for.
type PipelineActivity struct {
	ScheduledBuilds int64
	RunningBuilds   int64
	ScheduledJobs   int64
	RunningJobs     int64
	WaitingJobs     int64 // for other steps, people or places in a concurrency group
}

// WithoutCounts returns the view without what builds change all the time.
func (v PipelineView) WithoutCounts() PipelineView {
	v.NextBuildNumber, v.Activity = 0, PipelineActivity{}
	return v
}

// ShownRepository returns the address of the repository, with its credentials only for who may change it.
func (v *PipelineView) ShownRepository() string {
	if v.Writable {
		return v.Repository
	}
	return v.RedactedRepository()
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
	Destroyable      bool // the caller may delete it, if it is not the default
}

// PortalView is a portal with what is shown along with it.
type PortalView struct {
	Portal
	CreatedBy *User
}

// PortalTokenView is a portal token with what is shown along with it.
type PortalTokenView struct {
	PortalToken
	CreatedBy *User
}

// MemberPortalToken is a token with which a program runs a portal as a member, with what is shown along with it.
type MemberPortalToken struct {
	PortalToken
	User             User
	PortalName       string
	PortalSlug       string
	OrganizationID   OrganizationID
	OrganizationName string
	OrganizationSlug string
}

// PortalSecretView is a portal's secret with what is shown along with it.
type PortalSecretView struct {
	PortalSecret
	CreatedBy *User
}
