package domain

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ProviderKind is a kind of repository host.
type ProviderKind string

// The kinds of repository hosts.
const (
	GitHub           ProviderKind = "github"
	GitHubEnterprise ProviderKind = "github_enterprise"
	GitLab           ProviderKind = "gitlab"
	Bitbucket        ProviderKind = "bitbucket"
	BitbucketServer  ProviderKind = "bitbucket_server"
	Gitea            ProviderKind = "gitea"
)

// GitLabSelfManaged is how a GitLab other than gitlab.com is called over REST.
const GitLabSelfManaged = "gitlab_self_managed"

// ProviderKinds are all kinds of repository hosts.
var ProviderKinds = []ProviderKind{GitHub, GitHubEnterprise, GitLab, Bitbucket, BitbucketServer, Gitea}

// publicHosts are where people find the hosts that everybody uses.
var publicHosts = map[ProviderKind]string{GitHub: "https://github.com", GitLab: "https://gitlab.com",
	Bitbucket: "https://bitbucket.org"}

// RepositoryConnection connects an organization with a host of repositories.
type RepositoryConnection struct {
	ID             ConnectionID
	OrganizationID OrganizationID
	Kind           ProviderKind
	URL            string // where people find the host, without a slash at its end
	DisplayName    string
	Login          string     // whose token it is; "" if the host does not say
	RateLimit      *RateLimit // nil: the host did not say
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// RepositoryHost is where a repository is, as far as everybody who sees the repository may know.
type RepositoryHost struct {
	Kind ProviderKind // "": the organization is not connected with it
	URL  string
}

// RateLimit is how many requests a host takes, as it said last.
type RateLimit struct {
	Limit     int64     `json:"limit"`
	Used      int64     `json:"used"`
	Remaining int64     `json:"remaining"`
	ResetAt   time.Time `json:"reset_at"`
}

// WithoutCounts returns the connection without how many requests its host takes, which changes by itself.
func (c RepositoryConnection) WithoutCounts() RepositoryConnection {
	c.RateLimit = nil
	return c
}

// repositoryURL returns where people find a repository at the host.
func (c *RepositoryConnection) repositoryURL(name string) string {
	if project, slug, ok := strings.Cut(name, "/"); ok && c.Kind == BitbucketServer {
		return c.URL + "/projects/" + project + "/repos/" + slug
	}
	return c.URL + "/" + name
}

// Type is how REST calls the connection's kind.
func (c *RepositoryConnection) Type() string {
	if c.Kind == GitLab && c.URL != publicHosts[GitLab] {
		return GitLabSelfManaged
	}
	return string(c.Kind)
}

// ConnectionInput is what a caller sends to make or change a connection.
type ConnectionInput struct {
	Type          Optional[string]
	URL           Optional[string]
	DisplayName   Optional[string]
	Token         Optional[Secret]
	WebhookSecret Optional[Secret] // null: none
}

const (
	maxConnectionURL   = 500
	maxConnectionToken = 2_000
	minWebhookSecret   = 8
)

// NewConnection returns the connection that an input describes.
func NewConnection(in ConnectionInput, organization OrganizationID, now time.Time,
	faults *Faults) RepositoryConnection {
	c := RepositoryConnection{ID: NewID[ConnectionID](), OrganizationID: organization, CreatedAt: now}
	kind := ProviderKind(in.Type.Value)
	if in.Type.Value == GitLabSelfManaged {
		kind = GitLab
	}
	if !slices.Contains(ProviderKinds, kind) {
		faults.Add("type", "Type must be github, github_enterprise, gitlab, gitlab_self_managed, bitbucket, "+
			"bitbucket_server or gitea")
		return c
	}
	c.Kind = kind
	if in.Type.Value != GitLabSelfManaged && in.URL.Value == "" {
		in.URL = Some(publicHosts[kind])
	}
	in.Type = Optional[string]{}
	in.Token.requireIn("token", "Token", faults)
	if in.URL.Value == "" {
		faults.Add("host", "Host must have the url of the "+string(kind)+" server")
	}
	c.Apply(in, now, faults)
	if c.DisplayName == "" {
		c.DisplayName = c.URL
	}
	return c
}

// Apply makes the changes of the input. The caller stores the token and the webhook secret.
func (c *RepositoryConnection) Apply(in ConnectionInput, now time.Time, faults *Faults) {
	c.UpdatedAt = now
	if in.Type.HasValue() && in.Type.Value != c.Type() {
		faults.Add("type", "Type can't be changed")
	}
	if in.URL.Given && in.URL.Value != "" {
		c.URL = checkHostURL(c.Kind, in.URL.Value, faults)
	}
	if in.DisplayName.Given {
		c.DisplayName = in.DisplayName.Value
		if c.DisplayName != "" {
			c.DisplayName = CheckName("display_name", "Display name", c.DisplayName, faults)
		}
	}
	if token := in.Token.Value.Reveal(); in.Token.Given && (len(token) > maxConnectionToken || token != "" &&
		!isHeaderText(token)) {
		faults.Add("token", "Token must be at most 2,000 letters, digits and other printable characters without spaces")
	} else if in.Token.Given && token == "" && !faults.Has("token") {
		faults.Add("token", "Token can't be blank")
	}
	if secret := in.WebhookSecret.Value.Reveal(); in.WebhookSecret.HasValue() && (len(secret) < minWebhookSecret ||
		len(secret) > 255 || !isHeaderText(secret)) {
		faults.Add("webhook_secret", "Webhook secret must be 8 to 255 printable characters without spaces")
	}
}

// isHeaderText reports whether a text can be sent in a header.
func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// checkHostURL returns where people find a host.
func checkHostURL(kind ProviderKind, given string, faults *Faults) string {
	given = strings.TrimRight(strings.TrimSpace(given), "/")
	u, err := url.Parse(given)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || len(given) > maxConnectionURL || !ValidText(given) {
		faults.Add("host", "Host must have a url that begins with https:// or http://, without a user name and a query")
		return given
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if public := publicHosts[kind]; public != "" && kind != GitLab && u.String() != public {
		faults.Add("host", "Host must be "+public+" for this type")
	}
	return u.String()
}

// RepositoryAddress is where a repository is, whatever the form of its address.
type RepositoryAddress struct {
	Host string // without a port
	Port string // of http and https; "" for others
	Path string // without .git and slashes at its ends
}

// scpAddress matches addresses such as git@example.com:acme/web.git.
var scpAddress = regexp.MustCompile(`^(?:[^@/:]+@)?([^@/:]+|\[[0-9a-fA-F:.]+\]):([^:].*)$`)

// ParseRepository returns where a repository is; false if its address is none of a host.
func ParseRepository(address string) (at RepositoryAddress, ok bool) {
	if !strings.Contains(address, "://") {
		m := scpAddress.FindStringSubmatch(address)
		if m == nil {
			return at, false
		}
		at = RepositoryAddress{Host: strings.ToLower(strings.Trim(m[1], "[]")), Path: m[2]}
	} else {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" {
			return at, false
		}
		at = RepositoryAddress{Host: strings.ToLower(u.Hostname()), Path: u.Path}
		if scheme := strings.ToLower(u.Scheme); scheme == "http" || scheme == "https" {
			at.Port = u.Port()
			if at.Port == "" {
				at.Port = map[string]string{"http": "80", "https": "443"}[scheme]
			}
		}
	}
	at.Path = strings.TrimSuffix(strings.Trim(at.Path, "/"), ".git")
	return at, at.Path != ""
}

// RepositoryName returns what a repository is called at the connection's host; false if it is elsewhere. Addresses of
// ssh, scp's and https count alike: what is compared is the host and where the path begins.
func (c *RepositoryConnection) RepositoryName(address string) (string, bool) {
	at, ok := ParseRepository(address)
	if !ok {
		return "", false
	}
	u, err := url.Parse(c.URL)
	if err != nil || at.Host != u.Hostname() && (c.Kind != GitHub || at.Host != "ssh.github.com") {
		return "", false
	}
	if port := u.Port(); at.Port != "" {
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		if port != at.Port {
			return "", false
		}
	}
	name := at.Path
	if base := strings.Trim(u.Path, "/"); base != "" && at.Port != "" {
		if name, ok = strings.CutPrefix(at.Path, base+"/"); !ok {
			return "", false
		}
	}
	if c.Kind == BitbucketServer { // clones over https have scm before the project
		name = strings.TrimPrefix(name, "scm/")
	}
	return name, strings.Contains(name, "/")
}

// ConnectionOf returns the connection that a repository is at, with what it is called there; nil if there is none.
func ConnectionOf(connections []RepositoryConnection, address string) (*RepositoryConnection, string) {
	for i := range connections {
		if name, ok := connections[i].RepositoryName(address); ok {
			return &connections[i], name
		}
	}
	return nil, ""
}

// HostOf returns the host of an address, with its port.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.Port() == "" {
		return u.Hostname()
	}
	return net.JoinHostPort(u.Hostname(), u.Port())
}

// PipelineWebhook is a webhook that was made at a host for a pipeline.
type PipelineWebhook struct {
	PipelineID   PipelineID
	ConnectionID ConnectionID
	Repository   string
	ExternalID   string // at the host
	CreatedAt    time.Time
}

// MergeQueue is what a build of a merge queue is for.
type MergeQueue struct {
	BaseBranch string `json:"base_branch"`
	BaseCommit string `json:"base_commit"`
	HeadRef    string `json:"head_ref"`
	HeadCommit string `json:"head_commit"`
}

// BuildEvent is what was delivered that a build was made for.
type BuildEvent struct {
	Name       string      `json:"name"`
	Action     string      `json:"action,omitzero"`
	Refspec    string      `json:"refspec,omitzero"` // what agents fetch; "": the branch
	MergeQueue *MergeQueue `json:"merge_queue,omitzero"`
	IsFork     bool        `json:"fork,omitzero"`
}

// Publishing is where a build publishes how it goes.
type Publishing struct {
	ConnectionID     ConnectionID `json:"connection"`
	Repository       string       `json:"repository"` // its address
	Context          string       `json:"context"`
	PerStep          bool         `json:"per_step,omitzero"`
	BlockedAsPending bool         `json:"blocked_as_pending,omitzero"`
}

// Setting returns a flag of the pipeline's provider settings, or what it is by default.
func (p *Pipeline) Setting(name string) bool { return p.ProviderFlag(name) }

// TextSetting returns a text of the pipeline's provider settings.
func (p *Pipeline) TextSetting(name string) string {
	text, _ := p.ProviderSettings[name].(string)
	return text
}

// PublishingOf returns where a new build of the pipeline publishes how it goes; nil: nowhere.
func (p *Pipeline) PublishingOf(isPullRequest bool) *Publishing {
	if p.ConnectionID == nil || !p.Setting("publish_commit_status") {
		return nil
	}
	to := Publishing{ConnectionID: *p.ConnectionID, Repository: p.Repository,
		Context: p.TextSetting("commit_status_context"),
		PerStep: p.Setting("publish_commit_status_per_step"), BlockedAsPending: p.Setting("publish_blocked_as_pending")}
	if to.Context == "" {
		to.Context = "buildkite/" + p.Slug
	}
	if isPullRequest && p.Setting("separate_pull_request_statuses") {
		to.Context += "/pr"
	}
	return &to
}

// Delivery is what a host delivered for a pipeline.
type Delivery struct {
	ID         DeliveryID
	PipelineID PipelineID
	ReceivedAt time.Time
	Event      string  // such as push, or pull_request opened
	ExternalID *string // that the host assigned it
	Outcome    string  // in words
	BuildID    *BuildID
	TriggerID  *PipelineTriggerID // that it came to; nil: it is of the repository's host
	Headers    map[string]string  // those that say what it is
}

// DeliveryView is a delivery with the build that it made.
type DeliveryView struct {
	Delivery
	BuildNumber int64 // 0: none, or it is gone
}

// Limits of deliveries.
const (
	MaxDelivery       = 5 << 20 // bytes
	MaxDeliveries     = 100     // that are listed
	DeliveryRetention = 7 * 24 * time.Hour
)
