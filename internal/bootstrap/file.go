// Package bootstrap reads the bootstrap file: the YAML in which an operator declares what an installation is
// to hold from its first start. docs/bootstrap.md describes the format.
package bootstrap

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"penstock/internal/domain"
)

// Parse reads a bootstrap file of at most 1 MiB. The name is for errors only; getenv returns the value of an
// environment variable and whether it is set, as os.LookupEnv does. A file that declares nothing is good.
//
// It checks keys and types. Whether values follow the rules, and whether what they refer to exists, is found out by who
// applies the file.
//
// The error is an *Error with every fault found, unless the file is not YAML: then it has the first.
func Parse(name string, source []byte, getenv func(string) (string, bool)) (*File, error) {
	file := &File{Name: name, lines: map[string]int{}}
	root, faults := parseYAML(source)
	if root != nil {
		d := decoder{file: file, getenv: getenv}
		d.decode("", root, reflect.ValueOf(file).Elem())
		faults = d.faults
	}
	if len(faults) > 0 {
		return nil, &Error{File: name, Faults: faults}
	}
	return file, nil
}

// Fault is one thing that is wrong with a bootstrap file.
type Fault struct {
	Line   int    // 0: the file as a whole
	Path   string // such as organizations[0].members[1].role; empty: the file as a whole
	Reason string // never shows a password or a token
}

// Error says everything that is wrong with a bootstrap file.
type Error struct {
	File   string
	Faults []Fault
}

// Error returns a line of text a fault, in the order of the file's lines, each with the file and the line:
//
//	bootstrap.yaml:12: organizations[0].members[1]: unknown key "rol" (allowed: user, role)
func (e *Error) Error() string {
	faults := slices.SortedStableFunc(slices.Values(e.Faults), func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	lines := make([]string, len(faults))
	for i, f := range faults {
		place := e.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", e.File, f.Line)
		}
		if f.Path != "" {
			place += ": " + f.Path
		}
		lines[i] = place + ": " + f.Reason
	}
	return strings.Join(lines, "\n")
}

// File is what a bootstrap file declares. Its items refer to users by email address, to organizations and teams by
// slug, and to clusters by name. Each has the path of where it is declared, such as organizations[0].members[1].
type File struct {
	Name          string          // as Parse was given it
	Users         []*User         `yaml:"users"`
	Organizations []*Organization `yaml:"organizations"`
	Tokens        []*Token        `yaml:"tokens"`
	Activity      []*Activity     `yaml:"activity"`

	lines map[string]int // of all that stands in the file, by path
}

// Fault returns that something is wrong with what stands at path. It has the line of that, or else of what it is in.
func (f *File) Fault(path, reason string) Fault {
	for within := path; within != ""; within = within[:max(0, strings.LastIndexAny(within, ".["))] {
		if line := f.lines[within]; line > 0 {
			return Fault{Line: line, Path: path, Reason: reason}
		}
	}
	return Fault{Line: 1, Path: path, Reason: reason}
}

// User is a person who can sign in.
type User struct {
	Path     string
	Email    string        `yaml:"email,required"`
	Name     string        `yaml:"name,required"`
	Password domain.Secret `yaml:"password"`
	ID       string        `yaml:"id"`
}

// Organization is an organization with what belongs to it.
type Organization struct {
	Path          string
	Slug          string       `yaml:"slug,required"`
	Name          string       `yaml:"name,required"`
	ID            string       `yaml:"id"`
	Subscription  Subscription `yaml:"subscription"`
	BillingParent string       `yaml:"billing_parent"`
	Settings      Settings     `yaml:"settings"`
	Members       []*Member    `yaml:"members"`
	Teams         []*Team      `yaml:"teams"`
	Clusters      []*Cluster   `yaml:"clusters"`
	Pipelines     []*Pipeline  `yaml:"pipelines"`
}

// Subscription says how an organization's usage is billed.
type Subscription struct {
	Plan   domain.Plan `yaml:"plan"`
	Anchor string      `yaml:"anchor"`
}

// Settings are those of an organization.
type Settings struct {
	ClusterWrites                        *string `yaml:"cluster_writes"`
	MaintainersCanDestroyCacheRegistries *bool   `yaml:"maintainers_can_destroy_cache_registries"`
	MembersCanCreatePipelines            *bool   `yaml:"members_can_create_pipelines"`
	DefaultCluster                       string  `yaml:"default_cluster"`
	AllowedAPIIPAddresses                *string `yaml:"allowed_api_ip_addresses"`
	RevokeInactiveTokensAfterDays        *int64  `yaml:"revoke_inactive_tokens_after_days"`
	AuditRetentionDays                   *int64  `yaml:"audit_retention_days"`
	RestrictUserAPITokenCreation         *bool   `yaml:"restrict_user_api_token_creation"`
	DefaultBranch                        *string `yaml:"default_branch"`
	DefaultTimeoutInMinutes              *int64  `yaml:"default_timeout_in_minutes"`
	MaximumTimeoutInMinutes              *int64  `yaml:"maximum_timeout_in_minutes"`
	ScheduledJobExpiryInMinutes          *int64  `yaml:"scheduled_job_expiry_in_minutes"`
	BuildRetentionDays                   *int64  `yaml:"build_retention_days"`
	MembersCanCreatePublicPipelines      *bool   `yaml:"members_can_create_public_pipelines"`
}

// Member is a user's membership of an organization.
type Member struct {
	Path string
	User string      `yaml:"user,required"`
	Role domain.Role `yaml:"role"` // default: member
}

// Team is a team of an organization.
type Team struct {
	Path    string
	Name    string        `yaml:"name,required"`
	Slug    string        `yaml:"slug"` // default: made of the name
	ID      string        `yaml:"id"`
	Members []*TeamMember `yaml:"members"`
}

// TeamMember is the membership of a team of one of its organization's members.
type TeamMember struct {
	Path string
	User string          `yaml:"user,required"`
	Role domain.TeamRole `yaml:"role"` // default: member
}

// Cluster is a cluster with what belongs to it.
type Cluster struct {
	Path            string
	Name            string           `yaml:"name,required"`
	ID              string           `yaml:"id"`
	Description     *string          `yaml:"description"`
	Emoji           *string          `yaml:"emoji"`
	Color           *string          `yaml:"color"`
	Maintainers     []*Maintainer    `yaml:"maintainers"`
	Queues          []*Queue         `yaml:"queues"`
	CacheRegistries []*CacheRegistry `yaml:"cache_registries"`
}

// Maintainer is a member or a team that maintains a cluster: one of User and Team is set.
type Maintainer struct {
	Path string
	User string `yaml:"user"`
	Team string `yaml:"team"`
}

// Queue is a queue of a cluster.
type Queue struct {
	Path         string
	Key          string        `yaml:"key,required"`
	ID           string        `yaml:"id"`
	Default      bool          `yaml:"default"`
	HostedAgents *HostedAgents `yaml:"hosted_agents"`
}

// HostedAgents are those of a queue.
type HostedAgents struct {
	InstanceShape string `yaml:"instance_shape,required"`
}

// CacheRegistry is a cache registry of a cluster.
type CacheRegistry struct {
	Path        string
	Name        string  `yaml:"name,required"`
	ID          string  `yaml:"id"`
	Description *string `yaml:"description"`
	Emoji       *string `yaml:"emoji"`
	Color       *string `yaml:"color"`
	Policy      []byte  `yaml:"policy"` // as JSON; nil: not given
	Default     bool    `yaml:"default"`
}

// Pipeline is a pipeline of an organization.
type Pipeline struct {
	Path       string
	Name       string `yaml:"name,required"`
	Slug       string `yaml:"slug"` // default: made of the name
	ID         string `yaml:"id"`
	Repository string `yaml:"repository,required"`
	Cluster    string `yaml:"cluster"`
}

// Token is an API access token.
type Token struct {
	Path          string
	User          string        `yaml:"user,required"`
	Token         domain.Secret `yaml:"token,required"`
	Description   string        `yaml:"description"`
	Organizations []string      `yaml:"organizations"`
	Scopes        []string      `yaml:"scopes"`
	GraphQL       bool          `yaml:"graphql"`
}

// Activity is one day on which a user used an organization. The same day may be declared again.
type Activity struct {
	Path         string
	Organization string    `yaml:"organization,required"`
	User         string    `yaml:"user,required"`
	On           time.Time `yaml:"on,required"` // a day, at 00:00 UTC
}
