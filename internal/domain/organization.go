package domain

import "time"

// Role is what a member is in an organization.
type Role string

// The roles.
const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
)

// ClusterWrites says who may change an organization's clusters.
type ClusterWrites string

// The values of ClusterWrites.
const (
	ClusterWritesMembers  ClusterWrites = "members"  // every member
	ClusterWritesManagers ClusterWrites = "managers" // administrators, and each cluster's maintainers
)

// Plan is how an organization's usage is counted.
type Plan string

// The plans.
const (
	PlanMonthly Plan = "monthly"
	PlanAnnual  Plan = "annual"
)

// Layouts of dates and times as they are shown; times are UTC.
const (
	DateLayout      = "2006-01-02"
	TimestampLayout = "2006-01-02T15:04:05.000Z"
)

// Organization owns clusters, teams and pipelines, and has members.
type Organization struct {
	ID              OrganizationID
	Slug            string
	Name            string
	CreatedAt       time.Time
	Plan            Plan
	BillingAnchor   string // a date, in DateLayout
	BillingParentID *OrganizationID
	Settings        OrganizationSettings
}

// OrganizationCounts is how many things an organization has.
type OrganizationCounts struct {
	Clusters          int64
	Pipelines         int64 // archived ones among them
	ArchivedPipelines int64

	// How often the lists of clusters and pipelines, or their order, have changed.
	ClusterChanges, PipelineChanges int64
}

// LivePipelines returns how many pipelines are not archived.
func (c OrganizationCounts) LivePipelines() int64 { return c.Pipelines - c.ArchivedPipelines }

// CountedOrganization is an organization with how many things it has.
type CountedOrganization struct {
	Organization
	Counts OrganizationCounts
}

// OrganizationSettings are the choices that an organization's administrators make.
type OrganizationSettings struct {
	ClusterWrites                        ClusterWrites
	MaintainersCanDestroyCacheRegistries bool
	MembersCanCreatePipelines            bool
	DefaultClusterID                     *ClusterID
	AllowedAPIIPAddresses                string // CIDRs, spaces between; empty: all
	RevokeInactiveTokensAfterDays        int64  // 0: never
	AuditRetentionDays                   int64  // 0: forever
	RestrictUserAPITokenCreation         bool   // only administrators make tokens that reach the organization

	// For new pipelines that say nothing else; nil: none.
	DefaultBranch           *string
	DefaultTimeoutInMinutes *int64

	MaximumTimeoutInMinutes     *int64     // that a pipeline can be given; nil or 0: any
	ScheduledJobExpiryInMinutes *int64     // after which a job that waits expires; nil: never
	BuildRetentionDays          *int64     // after which a finished build is deleted; nil: never
	PublicPipelinesEnabledAt    *time.Time // since when members may make public pipelines; nil: only administrators may
	PublicPipelinesEnabledBy    *UserID
}

// NewOrganization returns an organization with the default settings, on the monthly plan from today.
func NewOrganization(slug, name string, now time.Time) Organization {
	return Organization{
		ID:            NewID[OrganizationID](),
		Slug:          slug,
		Name:          name,
		CreatedAt:     now,
		Plan:          PlanMonthly,
		BillingAnchor: now.UTC().Format(DateLayout),
		Settings: OrganizationSettings{
			ClusterWrites:                        ClusterWritesMembers,
			MaintainersCanDestroyCacheRegistries: true,
			MembersCanCreatePipelines:            true,
		},
	}
}
