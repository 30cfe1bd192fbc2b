package domain

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxRepository  = 2_000
	maxBranch      = 255
	maxPatterns    = 10_000
	maxTags        = 50
	maxTag         = 100
	maxVariables   = 200
	maxVariable    = 10_000
	maxEnv         = 64 << 10 // bytes of all names and values: pages show them
	maxStepTimeout = 525_600  // minutes: a year
	maxTeams       = 100
	maxBuildNumber = 1_000_000_000
)

// PipelineVisibility says who is to see a pipeline.
type PipelineVisibility string

// The values of PipelineVisibility.
const (
	PipelinePrivate PipelineVisibility = "private" // the organization's members
	PipelinePublic  PipelineVisibility = "public"  // meant for everybody; for now shown to the members only, too
)

// Pipeline is what an organization builds from a repository.
type Pipeline struct {
	ID             PipelineID
	OrganizationID OrganizationID
	Slug           string
	Name           string
	Repository     string
	ClusterID      *ClusterID // nil: it belongs to none
	Configuration  string     // YAML
	Steps          string     // what is shown of it: a JSON list; "" if it was not stored
	Visibility     PipelineVisibility
	Tags           []string // nil: none
	Look
	Env map[string]string // nil: none
	PipelineBuildSettings
	PipelineJobSettings
	ProviderSettings map[string]any // texts and flags by their names; nil: none
	CloneMirrorURL   *string
	TemplateID       *PipelineTemplateID // that it follows; nil: none
	ConnectionID     *ConnectionID       // with the host of its repository; nil: none that is known
	NextBuildNumber  int64
	BadgeToken       string // who knows it sees the badge
	WebhookToken     Secret // who knows it can deliver events
	CreatedAt        time.Time
	ArchivedAt       *time.Time
}

// NewWebhookToken returns a token for the address of a pipeline's webhook.
func NewWebhookToken() Secret { return Secret(randomBase62(randomLength)) }

// BadgeState is what a pipeline's badge says of its builds.
type BadgeState string

// What badges say.
const (
	BadgeUnknown BadgeState = "unknown" // no build has ended yet
	BadgePassing BadgeState = "passing"
	BadgeFailing BadgeState = "failing"
)

// PipelineRef names a pipeline as callers do.
type PipelineRef struct {
	Organization OrganizationRef
	Slug         string
	ID           PipelineID // instead of the slug, which another pipeline may have by then
}

// PipelineInput is what a caller sends to make or change a pipeline.
type PipelineInput struct {
	Name Optional[string]
	Slug Optional[string] // null: made of the name
	// a name that is given makes the slug, also if it is the one from before
	SlugOfName    bool
	Repository    Optional[string]
	ClusterID     Optional[string] // "" is null
	Configuration Optional[string]
	Steps         Optional[[]jsontext.Value] // instead of a configuration
	shownSteps    string
	Visibility    Optional[string]
	Tags          Optional[[]string]
	LookInput
	Env Optional[map[string]string]
	PipelineBuildSettingsInput
	PipelineJobSettingsInput
	ProviderSettings   Optional[[]byte]  // JSON
	CloneMirrorURL     Optional[string]  // "" is null
	PipelineTemplateID Optional[string]  // "" is null
	Template           *PipelineTemplate // that the id names; nil: none
	NextBuildNumber    Optional[int64]
	Archived           Optional[bool]                // only to change one
	Teams              Optional[[]PipelineTeamInput] // only to make one
}

// Refusals to archive and to unarchive.
const (
	PipelineAlreadyArchived = "Pipeline is already archived"
	PipelineNotArchived     = "Pipeline is not archived"
)

// BlankPipeline returns a pipeline with the defaults of a new one.
func BlankPipeline() Pipeline {
	p := Pipeline{Visibility: PipelinePrivate}
	setDefaults(PipelineSettings, &p)
	return p
}

// NewPipeline returns the pipeline that the input describes, in no cluster. The caller finds its cluster and calls
// ReadDefinition.
func NewPipeline(in PipelineInput, organization OrganizationID, now time.Time, faults *Faults) Pipeline {
	p := BlankPipeline()
	p.ID, p.OrganizationID, p.NextBuildNumber, p.CreatedAt = NewID[PipelineID](), organization, 1, now
	p.BadgeToken, p.WebhookToken = randomBase62(randomLength), NewWebhookToken()
	in.Name.requireIn("name", "Name", faults)
	in.Repository.requireIn("repository", "Repository", faults)
	in.Name, in.Repository, in.Visibility = in.Name.UnlessNull(), in.Repository.UnlessNull(), in.Visibility.UnlessNull()
	LeaveOutNulls(PipelineSettings, &in)
	in.NextBuildNumber = in.NextBuildNumber.UnlessNull()
	in.Teams = Optional[[]PipelineTeamInput]{} // the caller stores them
	p.Apply(in, faults)
	return p
}

// Apply makes the changes of the input. The caller finds its new cluster and calls ReadDefinition. A new name makes a
// new slug, unless one is given.
func (p *Pipeline) Apply(in PipelineInput, faults *Faults) {
	if in.Name.Given {
		if name := CheckName("name", "Name", in.Name.Value, faults); name != p.Name || in.SlugOfName {
			p.Name, p.Slug = name, MakeSlug(name)
		}
	}
	p.applySlug(in, faults)
	p.applyProviderSettings(in, faults)
	p.applyRepository(in, faults)
	p.applyDefinition(in, faults)
	if in.Visibility.Given {
		p.Visibility = PipelineVisibility(in.Visibility.Value)
		if p.Visibility != PipelinePrivate && p.Visibility != PipelinePublic {
			faults.Add("visibility", "Visibility must be private or public")
		}
	}
	if in.Tags.Given {
		checkTags(in.Tags.Value, faults)
		p.Tags = append([]string(nil), in.Tags.Value...)
	}
	if in.Env.Given {
		if !maps.Equal(in.Env.Value, p.Env) { // one from before there was a bound may stay
			checkEnv(in.Env.Value, faults)
		}
		p.Env = nil
		if len(in.Env.Value) > 0 {
			p.Env = in.Env.Value
		}
	}
	applyLook(in.LookInput, &p.Look, faults)
	applySettings(PipelineSettings, &in, p, faults)
	applyCloneMirrorURL(in.CloneMirrorURL, &p.CloneMirrorURL, faults)
	if in.Teams.HasValue() {
		faults.Add("teams", "teams can only be given for a new pipeline")
	}
	if in.NextBuildNumber.Given {
		if in.NextBuildNumber.Value < p.NextBuildNumber || in.NextBuildNumber.Value > maxBuildNumber {
			faults.Add("next_build_number", "Next build number must not be less than it is, or more than 1000000000")
		}
		p.NextBuildNumber = in.NextBuildNumber.Value
	}
}

func (p *Pipeline) applyRepository(in PipelineInput, faults *Faults) {
	repository := strings.TrimSpace(in.Repository.Value)
	switch {
	case !in.Repository.Given || repository == p.Repository && repository != "":
	case repository == "":
		faults.Add("repository", "Repository can't be blank")
	default:
		p.Repository = CheckLine("repository", "Repository", repository, maxRepository, faults)
	}
}

// NoPipelineTemplate is the fault of a pipeline that is to follow a template which there is not, or not for the caller.
const NoPipelineTemplate = "No pipeline template found"

// InvalidSlug is the fault of a slug that a caller chose.
const InvalidSlug = "Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside"

// applySlug sets the slug that is given, or checks the one that was made of a new name.
func (p *Pipeline) applySlug(in PipelineInput, faults *Faults) {
	switch {
	case in.Slug.HasValue():
		if p.Slug = in.Slug.Value; !ValidSlug(p.Slug) {
			faults.Add("slug", InvalidSlug)
		}
	case in.Slug.Null:
		p.Slug = MakeSlug(p.Name)
		requireSlug(p.Slug, faults)
	case in.Name.Given:
		requireSlug(p.Slug, faults)
	}
}

// applyCloneMirrorURL sets the address that agents clone from first. It is shown to all members, so it must not hold a
// secret.
func applyCloneMirrorURL(given Optional[string], target **string, faults *Faults) {
	const field, label = "clone_mirror_url", "Clone mirror URL"
	if given.Value = strings.TrimSpace(given.Value); given.Given && given.Value == "" {
		given = Null[string]()
	}
	if given.HasValue() && (*target == nil || given.Value != **target) { // one from before may stay
		CheckLine(field, label, given.Value, maxRepository, faults)
		checkCloneMirrorURL(field, label, given.Value, faults)
	}
	given.ApplyTo(target)
}

// cloneSchemes are the protocols by which agents reach another machine. file:// and ext:: would reach what is on their
// own.
var cloneSchemes = []string{"http", "https", "ssh", "git", "git+ssh"}

func checkCloneMirrorURL(field, label, given string, faults *Faults) {
	scheme, address, isURL := strings.Cut(given, "://")
	if !isURL {
		scheme, address = "", given
	}
	user, _, named := strings.Cut(address, "@")
	if strings.ContainsAny(given, "?#") || named && (strings.HasPrefix(LowerASCII(scheme), "http") ||
		strings.Contains(user, ":")) {
		faults.Add(field, label+" must have no credentials, no ? and no #")
		return
	}
	host, path, hasPath := strings.Cut(address, ":") // as in git@example.com:acme/web.git
	if isURL {
		host, path, hasPath = strings.Cut(address, "/")
	}
	if isURL && !slices.Contains(cloneSchemes, LowerASCII(scheme)) || !hasPath || host == "" || path == "" ||
		strings.HasPrefix(host, "-") || strings.Contains(host, "/") || LowerASCII(host) == "file" ||
		strings.HasPrefix(path, ":") {
		faults.Add(field, label+" must name a repository on a server, such as https://example.com/acme/web.git or "+
			"git@example.com:acme/web.git")
	}
}

func applyText(field, label string, given Optional[string], limit int, target **string, faults *Faults) {
	if given.HasValue() {
		CheckText(field, label, given.Value, limit, faults)
	}
	given.ApplyTo(target)
}

// applyLine is applyText for what is on one line. What was stored before that was asked for may stay.
func applyLine(field, label string, given Optional[string], limit int, target **string, faults *Faults) {
	if given.HasValue() && (*target == nil || given.Value != **target) {
		CheckLine(field, label, given.Value, limit, faults)
	}
	given.ApplyTo(target)
}

// applyTimeout sets a number of minutes. 0 is kept, and means no limit, as nil does.
func applyTimeout(field, label string, given Optional[int64], target **int64, faults *Faults) {
	if given.Value < 0 || given.Value > maxStepTimeout {
		faults.Add(field, label+" must be a number of minutes from 0 to 525600")
	}
	given.ApplyTo(target)
}

// checkTags records the first fault of a pipeline's tags.
func checkTags(tags []string, faults *Faults) {
	if len(tags) > maxTags {
		faults.Add("tags", "Tags are too many (maximum is 50)")
	}
	for _, tag := range tags {
		switch {
		case faults.Has("tags"):
			return
		case strings.TrimSpace(tag) == "":
			faults.Add("tags", "Tags can't be blank")
		default:
			CheckText("tags", "Tag", tag, maxTag, faults)
		}
	}
}

// checkEnv records the first fault of a pipeline's environment variables.
func checkEnv(env map[string]string, faults *Faults) { checkEnvAs("env", "Env", env, faults) }

// checkEnvAs is checkEnv for variables that are in another field.
func checkEnvAs(field, label string, env map[string]string, faults *Faults) {
	if len(env) > maxVariables {
		faults.Add(field, label+" has too many variables (maximum is 200)")
	}
	size := 0
	for name, value := range env {
		size += len(name) + len(value)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case faults.Has(field):
			return
		case name == "" || strings.ContainsAny(name, "= \t\r\n") || !ValidText(name) ||
			utf8.RuneCountInString(name) > nameLimit:
			faults.Add(field, label+" must have names of 1 to 255 characters without spaces and =")
		default:
			CheckText(field, label+" "+name, env[name], maxVariable, faults)
		}
	}
	if size > maxEnv && !faults.Has(field) {
		faults.Add(field, label+" is too large (maximum is 65536 bytes of names and values)")
	}
}

// PipelineTeamInput is a team that is to have access to a new pipeline.
type PipelineTeamInput struct {
	ID          string
	AccessLevel PipelineAccessLevel
}

// PipelineTeams returns which teams are to have which access to a new pipeline. Of several for the same team, the last
// counts.
func PipelineTeams(given Optional[[]PipelineTeamInput], faults *Faults) map[TeamID]PipelineAccessLevel {
	if len(given.Value) > maxTeams {
		faults.Add("team_uuids", "Teams are too many (maximum is 100)")
		return nil
	}
	teams := make(map[TeamID]PipelineAccessLevel, len(given.Value))
	for _, team := range given.Value {
		id, ok := ParseID[TeamID](team.ID)
		if !ok {
			FaultPipelineTeam(faults)
			return nil
		}
		if !team.AccessLevel.isKnown() {
			faults.Add("teams", "teams must have an access level of read_only, build_and_read or manage_build_and_read")
		}
		teams[id] = team.AccessLevel
	}
	return teams
}

// FaultPipelineTeam records that a team given for a pipeline is not one of the organization's.
func FaultPipelineTeam(faults *Faults) {
	faults.Add("team_uuids", "team_uuids must be the UUIDs of teams in this organization")
}

// FaultPipelineCluster records that the cluster given for a pipeline is not one of the organization's.
func FaultPipelineCluster(faults *Faults) {
	faults.Add("cluster_id", "cluster_id must be the UUID of a cluster in this organization")
}

// PipelineFilter chooses among an organization's pipelines. What is absent chooses all.
type PipelineFilter struct {
	Archived       *bool
	Unclustered    bool // only those that belong to no cluster
	Cluster        *ClusterID
	Repository     *string
	Favorite       *bool  // of who asks
	Name           string // a part of the name, in any case
	RepositoryPart string // a part of the repository, in any case
	Text           string // a part of the name or the repository, in any case
	Tags           []string
	Team           *TeamID
	TeamSlug       *string    // of a team of the organization
	NotTeam        *TeamID    // only those that the team has no access to
	CreatedFrom    *time.Time // inclusive
	CreatedTo      *time.Time // exclusive
}

// MatchesNothing reports whether no pipeline can match, because no name or repository can hold such text.
func (f PipelineFilter) MatchesNothing() bool {
	return !ValidText(f.Name) || utf8.RuneCountInString(f.Name) > nameLimit ||
		!ValidText(f.RepositoryPart) || utf8.RuneCountInString(f.RepositoryPart) > maxRepository
}

// KnownTotal returns how many of an organization's pipelines the filter chooses, if the organization's counts say so.
func (f PipelineFilter) KnownTotal(counts OrganizationCounts) (total int64, known bool) {
	archived := f.Archived
	f.Archived = nil
	switch {
	case !reflect.ValueOf(f).IsZero():
		return 0, false
	case archived == nil:
		return counts.Pipelines, true
	case *archived:
		return counts.ArchivedPipelines, true
	}
	return counts.Pipelines - counts.ArchivedPipelines, true
}

// Provider is the service that hosts a repository.
type Provider struct {
	ID         string // such as github
	Repository string // what the repository is called there, such as acme/web
	URL        string // where people find it
}

var providersByHost = map[string]string{"github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket"}

// RedactedRepository returns the address of the repository without credentials: for http, the name of a user may be one
// too.
func (p *Pipeline) RedactedRepository() string {
	scheme, rest, isURL := strings.Cut(p.Repository, "://")
	if !isURL {
		return p.Repository // a path, or git@example.com:acme/web.git
	}
	authority, path, hasPath := strings.Cut(rest, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return p.Repository
	}
	user, _, hasPassword := strings.Cut(authority[:at], ":")
	switch {
	case strings.HasPrefix(strings.ToLower(scheme), "http"):
		user = "***"
	case hasPassword:
		user += ":***"
	}
	redacted := scheme + "://" + user + authority[at:]
	if hasPath {
		redacted += "/" + path
	}
	return redacted
}

// Provider returns the service that hosts the pipeline's repository, or nil if it is not a known one.
func (p *Pipeline) Provider() *Provider {
	host, path, _ := strings.Cut(p.Repository, ":") // as in git@example.com:acme/web.git
	if u, err := url.Parse(p.Repository); err == nil && u.Host != "" {
		host, path = u.Hostname(), u.Path
	}
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	id := providersByHost[host]
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if id == "" || path == "" {
		return nil
	}
	return &Provider{ID: id, Repository: path, URL: "https://" + host + "/" + path}
}
