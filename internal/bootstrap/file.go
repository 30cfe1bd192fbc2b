// Package bootstrap reads the bootstrap file: the YAML in which an operator declares what an installation is
// to hold from its first start. Parse checks everything that can be checked without the database, and leaves the
// rest in File.Unresolved; it needs only internal/domain and internal/policy of ours.
//
// # Values
//
// The key decides how a single value is read, whether or not it is quoted: `name: 2026` is text, `graphql:
// "true"` is a boolean. A key whose value is written as null or ~ is as good as absent. A list or mapping may be
// left empty; a single value may not, because an unquoted value that begins with # is a comment to YAML.
// Anchors, aliases, merge keys and tags are refused.
//
// # Environment
//
// ${NAME} in a value (never in a key) is replaced by the environment variable of that name, which must be set.
// $${ stands for a literal ${. What is put in is text: it cannot add keys, items or further variables.
package bootstrap

import (
	"time"

	"penstock/internal/domain"
)

// File is what a bootstrap file declares. Each item has the place at which it is declared.
//
// Items refer to users by e-mail in the form of domain.EmailKey, to organizations and teams by slug, and to
// clusters by name. Single values that were not given are zero; domain.Optional is used where that is not enough.
type File struct {
	Name          string // the file's name, as Parse was given it
	Users         []User
	Organizations []Organization
	Tokens        []Token
	Activity      []Activity

	// Unresolved has the references to what the file does not declare, in the order of the file. Each is good if the
	// database has what it names, and is an error otherwise: see Reference.Fault.
	Unresolved []Reference
}

// User is a person who can sign in. It is recognised by domain.EmailKey of its e-mail.
type User struct {
	At       Place
	ID       domain.UserID
	Email    string
	Name     string
	Password domain.Secret // empty: none
}

// Organization is recognised by its slug.
type Organization struct {
	At            Place
	ID            domain.OrganizationID
	Slug          string
	Name          string
	Subscription  Subscription
	BillingParent string // slug
	Settings      Settings
	Members       []Member
	Teams         []Team
	Clusters      []Cluster
	Pipelines     []Pipeline
}

// Subscription says how an organization's usage is billed.
type Subscription struct {
	Plan   domain.Plan // monthly when not given
	Anchor time.Time   // a day, at 00:00 UTC; zero: the day on which the organization is made
}

// Settings are those of an organization. What was not given has the default that the contract names.
type Settings struct {
	ClusterWrites                        domain.Optional[domain.ClusterWrites]
	MaintainersCanDestroyCacheRegistries domain.Optional[bool]
	MembersCanCreatePipelines            domain.Optional[bool]
	DefaultCluster                       domain.Optional[string] // name
	AllowedAPIIPAddresses                domain.Optional[string] // CIDRs, single spaces between
	RevokeInactiveTokensAfterDays        domain.Optional[int64]
	AuditRetentionDays                   domain.Optional[int64]
}

// Member is a user's membership of an organization.
type Member struct {
	At   Place
	User string
	Role domain.Role // member when not given
}

// Team is recognised by its slug in its organization.
type Team struct {
	At      Place
	ID      domain.TeamID
	Name    string
	Slug    string // made of the name when not given
	Members []TeamMember
}

// TeamMember is the membership of a team of one of its organization's members.
type TeamMember struct {
	At   Place
	User string
	Role string // "maintainer" or "member"; "member" when not given
}

// Cluster is recognised by its name in its organization.
type Cluster struct {
	At              Place
	ID              domain.ClusterID
	Name            string
	Description     domain.Optional[string]
	Emoji           domain.Optional[string]
	Color           domain.Optional[string]
	Maintainers     []Maintainer
	Queues          []Queue         // at most one is the default
	CacheRegistries []CacheRegistry // at most one is the default
}

// Maintainer is a member or a team that maintains a cluster: one of User and Team is set.
type Maintainer struct {
	At   Place
	User string
	Team string // slug
}

// Queue is recognised by its key in its cluster.
type Queue struct {
	At            Place
	ID            domain.QueueID
	Key           string
	Default       bool
	InstanceShape string // name of the shape of its hosted agents; empty: it has none
}

// CacheRegistry is recognised by its slug in its cluster.
type CacheRegistry struct {
	At          Place
	ID          domain.CacheRegistryID
	Name        string
	Slug        string // made of the name
	Description domain.Optional[string]
	Emoji       domain.Optional[string]
	Color       domain.Optional[string]
	Policy      []byte // a valid policy in JSON, not normalized; nil: not given
	Default     bool
}

// Pipeline is recognised by its slug in its organization.
type Pipeline struct {
	At         Place
	ID         domain.PipelineID
	Name       string
	Slug       string // made of the name when not given
	Repository string
	Cluster    string // name; empty: not given
}

// Token is an API access token. It is recognised by its value.
type Token struct {
	At            Place
	User          string
	Value         domain.Secret
	Description   string
	Organizations []string      // slugs
	Scopes        domain.Scopes // with domain.ScopeGraphQL if graphql is true
}

// Activity is one day on which a user used an organization. The same day may be declared again.
type Activity struct {
	At           Place
	Organization string // slug
	User         string
	On           time.Time // a day, at 00:00 UTC
}
