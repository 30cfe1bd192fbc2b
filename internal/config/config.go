// Package config holds the server's settings and the flags that set them. Every flag of every command
// has an environment variable too: --base-url is PENSTOCK_BASE_URL. A flag wins over its variable, a
// variable over the default, and an empty variable counts as none. The package imports internal/domain of ours.
package config

import (
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
)

// Config is the settings of a server. The zero Config is not valid; Default is.
type Config struct {
	Listen   string    // host:port; port 0 takes a free one
	Data     string    // SQLite's directory
	Database SecretURL // a postgres:// URL, which replaces SQLite; empty: none
	Blobs    string    // where logs and artifacts are stored: a directory, or an s3:// URL; empty: blobs in Data
	// that has the keys which secrets are encrypted with; empty: penstock.key in Data, or none on PostgreSQL
	EncryptionKeyFile  string
	EncryptionKey      domain.Secret
	BaseURL            string    // empty: http:// and the address listened on
	Bootstrap          string    // file; empty: none
	HostedAgentsURL    SecretURL // empty: none
	OIDCIssuer         string    // of the OpenID Connect provider that users can sign in at; empty: none
	OIDCClientID       string
	OIDCClientSecret   domain.Secret
	OIDCAllowedDomains []string // of email addresses whose people become users by signing in there
	OIDCOrganization   string   // that they join, by its slug
	OIDCRole           string   // in it
	SMTPAddress        string   // host:port of the server that mail is sent by; empty: none
	SMTPTLS            string   // SMTPStartTLS, SMTPTLS or SMTPNoTLS
	SMTPUser           string   // empty: the server wants none
	SMTPPassword       domain.Secret
	SMTPFrom           string         // whom mail is from
	OutboundAllow      []netip.Prefix // addresses inside that members may name
	OutboundCA         string         // file of certificates that are trusted besides the system's; empty: none
	TrustedProxies     []netip.Prefix // whose X-Forwarded-For is believed
	LogLevel           slog.Level
	LogFormat          string // LogText or LogJSON
	RateLimitREST      int    // requests a minute and organization; 0: no limit
	RateLimitRESTUser  int    // requests a minute and user; 0: no limit
	MetaWebhookIPs     []string
	// agents learn of jobs at once, by a request that stays open; otherwise they ask every few seconds
	Streaming    bool
	MaxInFlight  int           // requests served at once; more are refused
	UsageTimeout time.Duration // for counting an organization's users, and for recording one

	RateLimitGraphQL     int // complexity in five minutes and organization; 0: no limit
	RateLimitGraphQLUser int // complexity in five minutes and user; 0: no limit
	MaxGraphQLAnswer     int // bytes

	ActivityRetentionDays int // how long days of activity are kept; 0: forever

	ShutdownDelay   time.Duration // between turning unready and closing the listener
	ShutdownTimeout time.Duration // for the requests in flight
}

// The values of Config.LogFormat.
const (
	LogText = "text"
	LogJSON = "json"
)

// The values of Config.SMTPTLS.
const (
	SMTPStartTLS = "starttls"
	SMTPTLS      = "tls"
	SMTPNoTLS    = "none"
)

// Default returns the settings of a server that has none of its own.
func Default() Config {
	return Config{
		Listen:           "127.0.0.1:8080",
		Data:             "./penstock-data",
		LogLevel:         slog.LevelInfo,
		LogFormat:        LogText,
		OIDCRole:         string(domain.RoleMember),
		SMTPTLS:          SMTPStartTLS,
		MetaWebhookIPs:   []string{"127.0.0.1/32"},
		Streaming:        true,
		MaxInFlight:      1024,
		UsageTimeout:     5 * time.Second,
		MaxGraphQLAnswer: 8 << 20,
		ShutdownTimeout:  30 * time.Second,
	}
}

// DatabaseFlags adds the flags that say where the database is.
func (c *Config) DatabaseFlags(f *Flags) {
	f.Text(&c.Data, "data", "DIR", "directory of the SQLite database and of other files of the server")
	f.Secret(&c.Database, "database", "URL", "PostgreSQL database, as postgres://user:password@host/name; replaces "+
		"SQLite. "+
		"Set it with the variable: other users of the machine can see command lines")
}

// ListenFlags adds the flags that every kind of server has.
func (c *Config) ListenFlags(f *Flags) {
	f.Text(&c.Listen, "listen", "HOST:PORT", "address to listen on; port 0 takes a free one")
	f.Level(&c.LogLevel, "log-level", "debug, info, warn or error")
	f.Text(&c.LogFormat, "log-format", "FORMAT", "text or json; logs go to standard error")
}

// ServeFlags adds the flags that only a real server has.
func (c *Config) ServeFlags(f *Flags) {
	f.Text(&c.BaseURL, "base-url", "URL", "URL under which clients reach the server. If it has a path, requests are "+
		"accepted with and without it, because a proxy may strip it. "+
		"If unset, http:// and the address of --listen")
	f.Text(&c.Bootstrap, "bootstrap", "FILE", "YAML file of what to create; each item is applied only once")
	f.Secret(&c.HostedAgentsURL, "hosted-agents-url", "URL", "hosted-agent service that receives git mirror settings. "+
		"If unset, they are only stored")
	f.Text(&c.OIDCIssuer, "oidc-issuer", "URL", "issuer of the OpenID Connect provider for single sign-on. "+
		"It must verify email addresses, which identify users. The callback is BASE-URL/sign-in/oidc/callback")
	f.Text(&c.OIDCClientID, "oidc-client-id", "ID", "client ID of this installation at the provider")
	f.Hidden(&c.OIDCClientSecret, "oidc-client-secret", "SECRET", "client secret. "+
		"Set it with the variable: other users of the machine can see command lines")
	f.List(&c.OIDCAllowedDomains, "oidc-allowed-domains", "DOMAINS", "email domains, such as example.com. People with "+
		"such an address become users, and members of "+
		"--oidc-organization, when they first sign in. If unset, only existing users can sign in")
	f.Text(&c.OIDCOrganization, "oidc-organization", "SLUG", "organization that new users join")
	f.Text(&c.OIDCRole, "oidc-role", "ROLE", "role of new users in it: member or admin")
	f.Text(&c.SMTPAddress, "smtp-address", "HOST:PORT", "mail server for invitations, such as smtp.example.com:587. If "+
		"unset, no mail is sent")
	f.Text(&c.SMTPTLS, "smtp-tls", "MODE", "starttls, which refuses a mail server that cannot encrypt; tls, usually on "+
		"port 465; "+
		"or none, which lets others on the network read the links")
	f.Text(&c.SMTPUser, "smtp-user", "NAME", "user name for the mail server. If unset, Penstock does not authenticate")
	f.Hidden(&c.SMTPPassword, "smtp-password", "PASSWORD", "password for the mail server. "+
		"Set it with the variable: other users of the machine can see command lines")
	f.Text(&c.SMTPFrom, "smtp-from", "ADDRESS", "sender of mails, such as penstock@example.com or 'Penstock "+
		"<penstock@example.com>'")
	f.Prefixes(&c.OutboundAllow, "outbound-allow", "addresses inside your network that members of organizations may "+
		"name, such as those of repository hosts, "+
		"as addresses or CIDRs. If unset, loopback, private and link-local addresses are refused")
	f.Text(&c.OutboundCA, "outbound-ca", "FILE", "PEM certificates to trust, besides the system's, where members of "+
		"organizations name a server")
	f.Prefixes(&c.TrustedProxies, "trusted-proxies", "reverse proxies whose X-Forwarded-For header is trusted, as "+
		"addresses or CIDRs")
	f.Int(&c.RateLimitREST, "rate-limit-rest", "REST requests per minute for each organization; 0 means no limit")
	f.Int(&c.RateLimitRESTUser, "rate-limit-rest-user", "REST requests per minute for each user; 0 means no limit")
	f.Int(&c.RateLimitGraphQL, "rate-limit-graphql", "GraphQL complexity in five minutes for each organization; 0 means "+
		"no limit")
	f.Int(&c.RateLimitGraphQLUser, "rate-limit-graphql-user", "GraphQL complexity in five minutes for each user; 0 "+
		"means no limit")
	f.Int(&c.MaxGraphQLAnswer, "max-graphql-answer", "maximum size of a GraphQL response, in bytes; larger ones fail")
	f.List(&c.MetaWebhookIPs, "meta-webhook-ips", "CIDRS", "addresses that webhooks come from, for GET /v2/meta")
	f.Bool(&c.Streaming, "streaming", "send jobs to agents at once, over a request that stays open. With "+
		"--streaming=false, agents ask every few seconds instead")
	f.Int(&c.MaxInFlight, "max-in-flight", "number of requests served at once; others get a 503 response")
	f.Duration(&c.UsageTimeout, "usage-timeout", "how long counting an organization's users may take before the "+
		"response is 503")
	f.Int(&c.ActivityRetentionDays, "activity-retention-days", "days to keep the records of who was active, "+
		"at least "+strconv.Itoa(domain.MinActivityRetentionDays)+" (seven months); 0 means forever")
	f.Duration(&c.ShutdownDelay, "shutdown-delay", "how long to keep serving after a signal to stop, while /readyz "+
		"is 503, "+
		"so that load balancers notice")
	f.Duration(&c.ShutdownTimeout, "shutdown-timeout", "how long requests in flight then have to finish")
}

// Validate returns a *Fault for the first setting that cannot be used.
func (c *Config) Validate() error {
	for _, check := range []struct {
		setting string
		reason  string
	}{
		{"listen", listenFault(c.Listen)},
		{"data", dataFault(c.Data, c.Database)},
		{"database", databaseFault(c.Database)},
		{"blobs", blobsFault(c.Blobs)},
		{"encryption-key", encryptionKeyFault(c.EncryptionKey, c.EncryptionKeyFile)},
		{"base-url", baseURLFault(c.BaseURL)},
		{"hosted-agents-url", hostedAgentsFault(c.HostedAgentsURL)},
		{"oidc-issuer", oidcIssuerFault(c.OIDCIssuer)},
		{"oidc-client-id", oidcClientFault(c.OIDCClientID, c.OIDCIssuer)},
		{"oidc-client-secret", oidcSecretFault(c.OIDCClientSecret, c.OIDCIssuer)},
		{"oidc-allowed-domains", domainsFault(c.OIDCAllowedDomains, c.OIDCIssuer)},
		{"oidc-organization", joiningFault(c.OIDCOrganization, c.OIDCAllowedDomains)},
		{"oidc-role", roleFault(c.OIDCRole)},
		{"smtp-address", smtpAddressFault(c.SMTPAddress)},
		{"smtp-tls", smtpTLSFault(c.SMTPTLS)},
		{"smtp-user", c.smtpUserFault()},
		{"smtp-password", c.smtpPasswordFault()},
		{"smtp-from", c.smtpFromFault()},
		{"log-format", logFormatFault(c.LogFormat)},
		{"rate-limit-rest", belowFault(c.RateLimitREST, 0)},
		{"rate-limit-rest-user", belowFault(c.RateLimitRESTUser, 0)},
		{"rate-limit-graphql", belowFault(c.RateLimitGraphQL, 0)},
		{"rate-limit-graphql-user", belowFault(c.RateLimitGraphQLUser, 0)},
		{"max-graphql-answer", belowFault(c.MaxGraphQLAnswer, 1<<10)},
		{"meta-webhook-ips", addressesFault(c.MetaWebhookIPs)},
		{"max-in-flight", belowFault(c.MaxInFlight, 1)},
		{"usage-timeout", shortFault(c.UsageTimeout)},
		{"activity-retention-days", retentionFault(c.ActivityRetentionDays)},
		{"shutdown-delay", negativeFault(c.ShutdownDelay)},
		{"shutdown-timeout", negativeFault(c.ShutdownTimeout)},
	} {
		if check.reason != "" {
			return &Fault{Setting: check.setting, Reason: check.reason}
		}
	}
	return nil
}

func listenFault(address string) string {
	_, port, err := net.SplitHostPort(address)
	if n, portErr := strconv.Atoi(port); err != nil || portErr != nil || n < 0 || n > 65535 {
		return fmt.Sprintf("must be a host and a port, such as 127.0.0.1:8080, not %q", address)
	}
	return ""
}

func dataFault(dir string, database SecretURL) string {
	if dir == "" && database == "" {
		return "must name a directory, or --database a PostgreSQL database"
	}
	return ""
}

func databaseFault(database SecretURL) string {
	if database == "" {
		return ""
	}
	text := database.Reveal()
	_, err := url.Parse(text)
	several := strings.Contains(text, ",") // hosts, each with its port, which is no URL to package url
	if scheme, _, _ := strings.Cut(text, "://"); scheme != "postgres" && scheme != "postgresql" || err != nil && !several {
		return "must be a postgres:// URL, such as postgres://user:password@host/name; " +
			"special characters in the password are percent-encoded"
	}
	return ""
}

func baseURLFault(base string) string {
	if base == "" {
		return ""
	}
	u, err := url.Parse(base)
	if err != nil || !isHTTP(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Sprintf("must be an http:// or https:// URL of a host and perhaps a path, such as "+
			"https://ci.example.com, not %q", base)
	}
	return ""
}

func hostedAgentsFault(service SecretURL) string {
	if service == "" {
		return ""
	}
	if u, err := url.Parse(service.Reveal()); err != nil || !isHTTP(u) || u.RawQuery != "" || u.Fragment != "" {
		return "must be an http:// or https:// URL without query, such as http://127.0.0.1:9000"
	}
	return ""
}

func oidcIssuerFault(issuer string) string {
	if issuer == "" {
		return ""
	}
	if u, err := url.Parse(issuer); err != nil || !isHTTP(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Sprintf("must be an https:// URL, such as https://accounts.example.com, not %q", issuer)
	}
	return ""
}

func oidcClientFault(id, issuer string) string {
	switch {
	case issuer != "" && id == "":
		return "must be given with --oidc-issuer"
	case issuer == "" && id != "":
		return "has no effect without --oidc-issuer"
	}
	return ""
}

func oidcSecretFault(secret domain.Secret, issuer string) string {
	if issuer == "" && secret != "" {
		return "has no effect without --oidc-issuer"
	}
	return ""
}

func domainsFault(domains []string, issuer string) string {
	if issuer == "" && len(domains) > 0 {
		return "has no effect without --oidc-issuer"
	}
	for _, name := range domains {
		if strings.ContainsAny(name, "@*/") || !strings.Contains(name, ".") {
			return fmt.Sprintf("must be whole domains, such as example.com, not %q", name)
		}
	}
	return ""
}

func joiningFault(organization string, domains []string) string {
	switch {
	case len(domains) > 0 && !domain.ValidSlug(organization):
		return "must be the slug of an organization with --oidc-allowed-domains"
	case len(domains) == 0 && organization != "":
		return "has no effect without --oidc-allowed-domains"
	}
	return ""
}

func roleFault(role string) string {
	if role != string(domain.RoleMember) && role != string(domain.RoleAdmin) {
		return fmt.Sprintf("must be member or admin, not %q", role)
	}
	return ""
}

func smtpAddressFault(address string) string {
	host, port, err := net.SplitHostPort(address)
	if n, portErr := strconv.Atoi(port); address != "" && (err != nil || portErr != nil || host == "" || n < 1 ||
		n > 65535) {
		return fmt.Sprintf("must be a host and a port, such as smtp.example.com:587, not %q", address)
	}
	return ""
}

func smtpTLSFault(mode string) string {
	if mode != SMTPStartTLS && mode != SMTPTLS && mode != SMTPNoTLS {
		return fmt.Sprintf("must be starttls, tls or none, not %q", mode)
	}
	return ""
}

func (c *Config) smtpUserFault() string {
	switch host, _, _ := net.SplitHostPort(c.SMTPAddress); {
	case c.SMTPUser == "":
		return ""
	case c.SMTPAddress == "":
		return "has no effect without --smtp-address"
	case c.SMTPTLS == SMTPNoTLS && host != "localhost" && host != "127.0.0.1" && host != "::1":
		return "and its password are told to another machine only with --smtp-tls starttls or tls"
	}
	return ""
}

func (c *Config) smtpPasswordFault() string {
	if (c.SMTPPassword == "") != (c.SMTPUser == "") {
		return "must be given together with --smtp-user"
	}
	return ""
}

func (c *Config) smtpFromFault() string {
	if c.SMTPAddress == "" {
		if c.SMTPFrom != "" {
			return "has no effect without --smtp-address"
		}
		return ""
	}
	if _, err := mail.ParseAddress(c.SMTPFrom); err != nil {
		return fmt.Sprintf("must be an email address with --smtp-address, such as penstock@example.com, not %q", c.SMTPFrom)
	}
	return ""
}

func isHTTP(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func logFormatFault(format string) string {
	if format != LogText && format != LogJSON {
		return fmt.Sprintf("must be text or json, not %q", format)
	}
	return ""
}

func addressesFault(addresses []string) string {
	for _, text := range addresses {
		if _, err := parsePrefix(text); err != nil {
			return err.Error()
		}
	}
	return ""
}

func belowFault(n, least int) string {
	if n < least {
		return fmt.Sprintf("must be a whole number from %d, not %d", least, n)
	}
	return ""
}

func shortFault(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("must be at least 1ms, not %s", d)
	}
	return ""
}

// retentionFault refuses to delete what a figure is still made of.
func retentionFault(days int) string {
	if days != 0 && (days < domain.MinActivityRetentionDays || days > domain.MaxSettingDays) {
		return fmt.Sprintf("must be 0, or from %d to %d, not %d", domain.MinActivityRetentionDays, domain.MaxSettingDays,
			days)
	}
	return ""
}

func negativeFault(d time.Duration) string {
	if d < 0 {
		return fmt.Sprintf("must not be negative, as %s is", d)
	}
	return ""
}

func joinPrefixes(prefixes []netip.Prefix) string {
	texts := make([]string, len(prefixes))
	for i, p := range prefixes {
		texts[i] = p.String()
	}
	return strings.Join(texts, ",")
}

// LogValue returns every setting under its flag's name, without secrets.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("listen", c.Listen),
		slog.String("data", c.Data),
		slog.String("database", c.Database.String()),
		slog.String("blobs", c.Blobs),
		slog.String("encryption-key-file", c.EncryptionKeyFile),
		slog.String("encryption-key", showIfSet(c.EncryptionKey)),
		slog.String("base-url", c.BaseURL),
		slog.String("bootstrap", c.Bootstrap),
		slog.String("hosted-agents-url", c.HostedAgentsURL.String()),
		slog.String("oidc-issuer", c.OIDCIssuer),
		slog.String("oidc-client-id", c.OIDCClientID),
		slog.String("oidc-client-secret", showIfSet(c.OIDCClientSecret)),
		slog.String("oidc-allowed-domains", strings.Join(c.OIDCAllowedDomains, ",")),
		slog.String("oidc-organization", c.OIDCOrganization),
		slog.String("oidc-role", c.OIDCRole),
		slog.String("smtp-address", c.SMTPAddress),
		slog.String("smtp-tls", c.SMTPTLS),
		slog.String("smtp-user", c.SMTPUser),
		slog.String("smtp-password", showIfSet(c.SMTPPassword)),
		slog.String("smtp-from", c.SMTPFrom),
		slog.String("outbound-allow", joinPrefixes(c.OutboundAllow)),
		slog.String("outbound-ca", c.OutboundCA),
		slog.String("trusted-proxies", joinPrefixes(c.TrustedProxies)),
		slog.String("log-level", strings.ToLower(c.LogLevel.String())),
		slog.String("log-format", c.LogFormat),
		slog.Int("rate-limit-rest", c.RateLimitREST),
		slog.Int("rate-limit-rest-user", c.RateLimitRESTUser),
		slog.Int("rate-limit-graphql", c.RateLimitGraphQL),
		slog.Int("rate-limit-graphql-user", c.RateLimitGraphQLUser),
		slog.Int("max-graphql-answer", c.MaxGraphQLAnswer),
		slog.String("meta-webhook-ips", strings.Join(c.MetaWebhookIPs, ",")),
		slog.Bool("streaming", c.Streaming),
		slog.Int("max-in-flight", c.MaxInFlight),
		slog.Duration("usage-timeout", c.UsageTimeout),
		slog.Int("activity-retention-days", c.ActivityRetentionDays),
		slog.Duration("shutdown-delay", c.ShutdownDelay),
		slog.Duration("shutdown-timeout", c.ShutdownTimeout),
	)
}

// showIfSet reports whether there is a secret.
func showIfSet(secret domain.Secret) string {
	if secret == "" {
		return ""
	}
	return secret.String()
}

// String returns what LogValue does, as name=value with spaces between.
func (c Config) String() string {
	attrs := c.LogValue().Group()
	words := make([]string, len(attrs))
	for i, a := range attrs {
		words[i] = a.Key + "=" + a.Value.String()
	}
	return strings.Join(words, " ")
}
