package domain

import (
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ServiceProvider is a kind of notification service.
type ServiceProvider string

// The kinds of notification services.
const (
	WebhookService ServiceProvider = "webhook"
	SlackService   ServiceProvider = "slack"
	EmailService   ServiceProvider = "email"
)

// serviceNames are what people call the kinds of notification services.
var serviceNames = map[ServiceProvider]string{WebhookService: "Webhook", SlackService: "Slack", EmailService: "Email"}

// Name is what people call the provider.
func (p ServiceProvider) Name() string { return serviceNames[p] }

// ServiceScope says which builds a notification service is about.
type ServiceScope string

// The scopes of notification services.
const (
	AllBuilds        ServiceScope = "all"
	BuildsOfPipeline ServiceScope = "some_projects"
	BuildsOfTeams    ServiceScope = "some_teams"
	BuildsOfClusters ServiceScope = "some_clusters"
)

// Events that webhooks are sent.
const (
	EventPing           = "ping"
	EventBuildScheduled = "build.scheduled"
	EventBuildRunning   = "build.running"
	EventBuildFailing   = "build.failing"
	EventBuildFinished  = "build.finished"
	EventBuildSkipped   = "build.skipped"
	EventJobScheduled   = "job.scheduled"
	EventJobStarted     = "job.started"
	EventJobFinished    = "job.finished"
	EventJobActivated   = "job.activated"
	EventJobPromised    = "job.promised_exit_status"

	EventAgentConnected    = "agent.connected"
	EventAgentLost         = "agent.lost"
	EventAgentDisconnected = "agent.disconnected"
	EventAgentStopping     = "agent.stopping"
	EventAgentStopped      = "agent.stopped"
	EventAgentBlocked      = "agent.blocked"
	EventTokenBlocked      = "cluster_token.registration_blocked"
)

// ServiceEvents are the events that a webhook can ask for. It is sent a ping whenever its settings change.
var ServiceEvents = []string{
	EventPing, EventBuildScheduled, EventBuildRunning, EventBuildFailing, EventBuildFinished, EventBuildSkipped,
	EventJobScheduled, EventJobStarted, EventJobFinished, EventJobActivated, EventJobPromised,
	EventAgentConnected, EventAgentLost, EventAgentDisconnected, EventAgentStopping, EventAgentStopped, EventAgentBlocked,
	EventTokenBlocked,
}

// defaultServiceEvents are for a webhook that names none.
var defaultServiceEvents = []string{EventBuildScheduled, EventBuildRunning, EventBuildFinished}

// What people are notified of by chat and mail.
const (
	ToldPassed    = "build_passed"
	ToldFixed     = "build_fixed" // it passed after one of the branch that failed
	ToldFailed    = "build_failed"
	ToldBlocked   = "build_blocked"
	ToldCanceled  = "build_canceled"
	ToldFailing   = "build_failing"
	ToldActivated = "job_activated"
)

// ServiceStates are what people can be notified of.
var ServiceStates = []string{ToldPassed, ToldFixed, ToldFailed, ToldBlocked, ToldCanceled, ToldFailing, ToldActivated}

// The values of ServiceSettings.TokenMode.
const (
	TokenInHeader    = "token"
	TokenInSignature = "signature"
)

// ServiceSettings are a provider's own, without secrets.
type ServiceSettings struct {
	URL       string   `json:"url,omitzero"` // of a webhook
	TokenMode string   `json:"token_mode,omitzero"`
	Events    []string `json:"events,omitzero"`
	Channel   string   `json:"channel,omitzero"`
	Theme     string   `json:"theme,omitzero"`
	Addresses []string `json:"addresses,omitzero"`
}

// ServiceSecrets are a provider's own secrets.
type ServiceSecrets struct {
	URL   string `json:"url,omitzero"` // of a chat, which whoever knows it can write to
	Token string `json:"token,omitzero"`
}

// NotificationService is where an organization sends how its builds go.
type NotificationService struct {
	ID             NotificationServiceID
	OrganizationID OrganizationID
	Provider       ServiceProvider
	CreatedAt      time.Time

	Description string
	Enabled     bool
	Scope       ServiceScope
	ScopeIDs    []string
	Branches    string   // patterns; "": all
	BuildStates []string // that people are notified of
	Settings    ServiceSettings
	UpdatedAt   time.Time
}

// NotificationServiceView is a service as administrators see it.
type NotificationServiceView struct {
	NotificationService
	Token            Secret // of a webhook
	OrganizationSlug string
	CreatedBy        *User
}

// NotificationServiceInput is what a caller sends to make or change a service.
type NotificationServiceInput struct {
	Provider    Optional[string]
	Description Optional[string]
	Scope       Optional[string]
	ScopeIDs    Optional[[]string]
	Branches    Optional[string]
	BuildStates map[string]Optional[bool]

	URL       Optional[string]
	Token     Optional[string]
	TokenMode Optional[string]
	Events    Optional[[]string]
	TLSVerify Optional[bool]
	Version   Optional[int64]
	Channel   Optional[string]
	Theme     Optional[string]
	Addresses Optional[[]string]
}

// Limits of notification services.
const (
	MaxNotificationServices = 100 // an organization
	maxServiceURL           = 2_000
	maxServiceToken         = 255
	maxServiceScopes        = 100
	maxServiceText          = 255
	maxServiceBranches      = 1_000
	maxServiceAddresses     = 50
	webhookVersion          = 3
)

// NewServiceOf returns what a service of a kind is like unless its input says otherwise.
func NewServiceOf(provider ServiceProvider) NotificationService {
	s := NotificationService{Provider: provider, Enabled: true, Scope: AllBuilds, BuildStates: []string{ToldPassed,
		ToldFixed, ToldFailed}}
	switch provider {
	case WebhookService:
		s.Settings = ServiceSettings{TokenMode: TokenInHeader, Events: defaultServiceEvents}
	case SlackService:
		s.Settings.Theme = "text"
	case EmailService:
	}
	return s
}

// NewNotificationService returns the service that an input describes, and its secrets.
func NewNotificationService(in NotificationServiceInput, organization OrganizationID, now time.Time, faults *Faults) (
	NotificationService, ServiceSecrets) {
	s := NewServiceOf(ServiceProvider(in.Provider.Value))
	s.ID, s.OrganizationID, s.CreatedAt = NewID[NotificationServiceID](), organization, now
	if s.Provider.Name() == "" {
		faults.Add("provider", "Provider must be webhook, slack or email")
		return s, ServiceSecrets{}
	}
	if s.Provider != EmailService {
		in.URL.requireIn("settings", "Settings url", faults)
	} else if !in.Addresses.Given {
		faults.Add("settings", "Settings addresses can't be blank")
	}
	var secrets ServiceSecrets
	s.Apply(in, &secrets, now, faults)
	return s, secrets
}

// Apply makes the changes of the input.
func (s *NotificationService) Apply(in NotificationServiceInput, secrets *ServiceSecrets, now time.Time,
	faults *Faults) {
	s.UpdatedAt = now
	if in.Provider.HasValue() && in.Provider.Value != string(s.Provider) {
		faults.Add("provider", "Provider can't be changed")
	}
	if in.Description.Given {
		s.Description = strings.TrimSpace(in.Description.Value)
		checkLine("description", "Description", s.Description, maxServiceText, faults)
	}
	if in.Branches.Given {
		s.Branches = strings.TrimSpace(in.Branches.Value)
		checkLine("branch_configuration", "Branch configuration", s.Branches, maxServiceBranches, faults)
	}
	s.applyScope(in, faults)
	for _, state := range ServiceStates {
		if wanted := in.BuildStates[state]; wanted.HasValue() {
			s.BuildStates = slices.DeleteFunc(slices.Clone(s.BuildStates), func(other string) bool { return other == state })
			if wanted.Value {
				s.BuildStates = append(s.BuildStates, state)
			}
		}
	}
	s.applySettings(in, secrets, faults)
}

func (s *NotificationService) applyScope(in NotificationServiceInput, faults *Faults) {
	if in.Scope.HasValue() {
		s.Scope = ServiceScope(in.Scope.Value)
		if !slices.Contains([]ServiceScope{AllBuilds, BuildsOfPipeline, BuildsOfTeams, BuildsOfClusters}, s.Scope) {
			faults.Add("scope", "Scope must be all, some_projects, some_teams or some_clusters")
		}
		if !in.ScopeIDs.Given {
			s.ScopeIDs = nil
		}
	}
	if in.ScopeIDs.Given {
		s.ScopeIDs = slices.Compact(slices.Sorted(slices.Values(in.ScopeIDs.Value)))
	}
	switch {
	case len(s.ScopeIDs) > maxServiceScopes:
		faults.Add("scope_uuids", "Scope uuids can be at most 100")
	case s.Scope == AllBuilds && len(s.ScopeIDs) > 0:
		faults.Add("scope_uuids", "Scope uuids must be empty for the scope all")
	case s.Scope != AllBuilds && len(s.ScopeIDs) == 0:
		faults.Add("scope_uuids", "Scope uuids can't be blank for the scope "+string(s.Scope))
	}
}

// settingsOf are the settings that a provider has.
var settingsOf = map[ServiceProvider][]string{
	WebhookService: {"url", "token", "token_mode", "events", "tls_verify", "version"},
	SlackService:   {"url", "channel", "theme"},
	EmailService:   {"addresses"},
}

func (s *NotificationService) applySettings(in NotificationServiceInput, secrets *ServiceSecrets, faults *Faults) {
	given := map[string]bool{
		"url": in.URL.HasValue(), "token": in.Token.Given, "token_mode": in.TokenMode.HasValue(),
		"events": in.Events.HasValue(), "tls_verify": in.TLSVerify.HasValue(),
		"version": in.Version.HasValue(), "channel": in.Channel.Given, "theme": in.Theme.HasValue(),
		"addresses": in.Addresses.HasValue(),
	}
	for _, name := range []string{"url", "token", "token_mode", "events", "tls_verify", "version", "channel", "theme",
		"addresses"} {
		if given[name] && !slices.Contains(settingsOf[s.Provider], name) {
			faults.Add("settings", "Settings "+name+" is not one of "+string(s.Provider)+", which has "+
				strings.Join(settingsOf[s.Provider], ", "))
			return
		}
	}
	if given["url"] {
		address := CheckServiceURL("settings", "Settings url", in.URL.Value, faults)
		if s.Provider == WebhookService {
			s.Settings.URL = address
		} else {
			secrets.URL = address
		}
	}
	if given["token"] {
		secrets.Token = in.Token.Value
		if len(secrets.Token) > maxServiceToken || !isHeaderText(secrets.Token) {
			faults.Add("settings", "Settings token must be at most 255 printable characters without spaces")
		}
	}
	s.applyChoices(in, given, faults)
}

func (s *NotificationService) applyChoices(in NotificationServiceInput, given map[string]bool, faults *Faults) {
	if given["token_mode"] {
		if s.Settings.TokenMode = in.TokenMode.Value; s.Settings.TokenMode != TokenInHeader &&
			s.Settings.TokenMode != TokenInSignature {
			faults.Add("settings", "Settings token_mode must be token or signature")
		}
	}
	if given["events"] {
		s.Settings.Events = slices.Compact(slices.Sorted(slices.Values(in.Events.Value)))
		for _, event := range s.Settings.Events {
			if !slices.Contains(ServiceEvents, event) {
				faults.Add("settings", "Settings events must be some of "+strings.Join(ServiceEvents, ", "))
				break
			}
		}
	}
	if given["tls_verify"] && !in.TLSVerify.Value {
		faults.Add("settings", "Settings tls_verify must be true: certificates are always checked. The operator can name a "+
			"private authority with --outbound-ca")
	}
	if given["version"] && in.Version.Value != webhookVersion {
		faults.Add("settings", "Settings version must be 3")
	}
	if given["channel"] {
		s.Settings.Channel = in.Channel.Value
		checkLine("settings", "Settings channel", s.Settings.Channel, maxServiceText, faults)
	}
	if given["theme"] {
		if s.Settings.Theme = in.Theme.Value; s.Settings.Theme != "text" && s.Settings.Theme != "emoji" {
			faults.Add("settings", "Settings theme must be text or emoji")
		}
	}
	if given["addresses"] {
		s.Settings.Addresses = slices.Compact(slices.Sorted(slices.Values(in.Addresses.Value)))
		if n := len(s.Settings.Addresses); n == 0 || n > maxServiceAddresses {
			faults.Add("settings", "Settings addresses must be 1 to 50")
		}
		for _, address := range s.Settings.Addresses {
			if !IsMailAddress(address) {
				faults.Add("settings", "Settings addresses must be email addresses such as ada@example.com")
				break
			}
		}
	}
}

// IsMailAddress reports whether a text is an address without a name before it.
func IsMailAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text && len(text) <= 254 && isHeaderText(text)
}

// CheckServiceURL returns an address that is posted to.
func CheckServiceURL(field, label, given string, faults *Faults) string {
	u, err := url.Parse(given)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Fragment != "" || len(given) > maxServiceURL || !isHeaderText(given) {
		faults.Add(field, label+" must begin with https:// or http://, without a user name")
	}
	return given
}
