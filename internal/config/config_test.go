package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/config"
	"penstock/internal/domain"
)

// parse reads a command line and an environment as the serve command does.
func parse(args []string, environment map[string]string) (config.Config, error) {
	cfg, flags := config.Default(), config.NewFlags()
	cfg.ListenFlags(flags)
	cfg.DatabaseFlags(flags)
	cfg.BlobFlags(flags)
	cfg.EncryptionFlags(flags)
	cfg.ServeFlags(flags)
	_, err := flags.Parse(args, func(name string) (string, bool) { value, ok := environment[name]; return value, ok })
	if err == nil {
		err = flags.Attribute(cfg.Validate())
	}
	return cfg, err
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	cfg, err := parse(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Listen != "127.0.0.1:8080" || cfg.Data != "./penstock-data" || cfg.LogLevel != slog.LevelInfo ||
		!slices.Equal(cfg.MetaWebhookIPs, []string{"127.0.0.1/32"}) || cfg.RateLimitREST != 0 {
		t.Errorf("defaults are %s", cfg)
	}
}

// samples has a good value for each flag, other than the default.
var samples = map[string]string{
	"listen": "0.0.0.0:9", "data": "/d", "database": "postgres://h/n", "blobs": "s3://b-1/p?region=r", "encryption-key-file": "/k", "encryption-key": "[redacted]",
	"base-url": "https://ci.example.com", "bootstrap": "b.yaml",
	"hosted-agents-url": "http://h:1", "trusted-proxies": "10.0.0.0/8,192.0.2.1/32", "log-level": "debug", "log-format": "json",
	"rate-limit-graphql": "20000", "rate-limit-graphql-user": "5000", "max-graphql-answer": "1048576",
	"rate-limit-rest": "60", "rate-limit-rest-user": "30", "meta-webhook-ips": "192.0.2.0/24", "max-in-flight": "7", "streaming": "false",
	"oidc-issuer": "https://accounts.example.com", "oidc-client-id": "penstock", "oidc-client-secret": "[redacted]",
	"oidc-allowed-domains": "example.com,corp.example", "oidc-organization": "acme-inc", "oidc-role": "admin",
	"smtp-address": "smtp.example.com:587", "smtp-tls": "tls", "smtp-user": "penstock", "smtp-password": "[redacted]", "smtp-from": "penstock@example.com",
	"outbound-allow": "10.0.0.0/8,192.0.2.1/32", "outbound-ca": "/ca.pem", "usage-timeout": "250ms", "activity-retention-days": "400", "shutdown-delay": "1s", "shutdown-timeout": "2m0s",
}

// together has the other flags that a flag means something with only.
var together = map[string][]string{
	"oidc-issuer":          {"--oidc-client-id=penstock"},
	"oidc-client-id":       {"--oidc-issuer=https://accounts.example.com"},
	"oidc-client-secret":   {"--oidc-issuer=https://accounts.example.com", "--oidc-client-id=penstock"},
	"oidc-allowed-domains": {"--oidc-issuer=https://accounts.example.com", "--oidc-client-id=penstock", "--oidc-organization=acme-inc"},
	"smtp-address":         {"--smtp-from=penstock@example.com"},
	"smtp-user":            {"--smtp-address=smtp.example.com:587", "--smtp-from=penstock@example.com", "--smtp-password=hunter2"},
	"smtp-password":        {"--smtp-address=smtp.example.com:587", "--smtp-from=penstock@example.com", "--smtp-user=penstock"},
	"smtp-from":            {"--smtp-address=smtp.example.com:587"},
	"oidc-organization":    {"--oidc-issuer=https://accounts.example.com", "--oidc-client-id=penstock", "--oidc-allowed-domains=example.com"},
}

// shown returns a setting as a configuration prints it.
func shown(t *testing.T, cfg config.Config, setting string) string {
	t.Helper()
	for _, attr := range cfg.LogValue().Group() {
		if attr.Key == setting {
			return attr.Value.String()
		}
	}
	t.Fatalf("%s is not printed", setting)
	return ""
}

func TestEveryFieldHasAFlagAVariableAndIsPrinted(t *testing.T) {
	t.Parallel()
	if fields := reflect.TypeFor[config.Config]().NumField(); fields != len(samples) {
		t.Fatalf("Config has %d fields, samples %d", fields, len(samples))
	}
	for name, value := range samples {
		byFlag, err := parse(append([]string{"--" + name + "=" + value}, together[name]...), map[string]string{config.Variable(name): "overridden"})
		if err != nil {
			t.Error(err)
		}
		byVariable, err := parse(together[name], map[string]string{config.Variable(name): value})
		if err != nil {
			t.Error(err)
		}
		if got := shown(t, byFlag, name); got != value {
			t.Errorf("--%s=%s shows as %q", name, value, got)
		}
		if got := shown(t, byVariable, name); got != value {
			t.Errorf("%s=%s shows as %q", config.Variable(name), value, got)
		}
		if reflect.DeepEqual(byFlag, config.Default()) {
			t.Errorf("--%s changes nothing", name)
		}
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args     []string
		variable string
		want     string
	}{
		{nil, "", "127.0.0.1:8080"},
		{nil, "127.0.0.1:1", "127.0.0.1:1"},
		{[]string{"--listen", "127.0.0.1:2"}, "127.0.0.1:1", "127.0.0.1:2"},
		{[]string{"-listen=127.0.0.1:2"}, "", "127.0.0.1:2"},
	} {
		cfg, err := parse(c.args, map[string]string{"PENSTOCK_LISTEN": c.variable})
		if err != nil || cfg.Listen != c.want {
			t.Errorf("%v with %q gives %q, %v; want %q", c.args, c.variable, cfg.Listen, err, c.want)
		}
	}
}

func TestFaultsNameWhatWasGivenAndWhatToChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flag, value, want string }{
		{"listen", "8080", "must be a host and a port"},
		{"listen", "127.0.0.1:http", "must be a host and a port"},
		{"listen", "127.0.0.1:65536", "must be a host and a port"},
		{"database", "mysql://root:hunter2@h/n", "must be a postgres:// URL"},
		{"database", "postgres://root:hunter2%@h/n", "must be a postgres:// URL"},
		{"blobs", "http://u:hunter2@h/n", "must be a directory, or a bucket"},
		{"blobs", "s3:bucket", "must be a directory, or a bucket"},
		{"blobs", "s3://", "must be a directory, or a bucket"},
		{"blobs", "s3://%zz?hunter2", "must be a directory, or a bucket"},
		{"blobs", "s3://key:hunter2@bucket?region=r", "must not hold keys"},
		{"blobs", "s3://bucket", "must say the bucket's region"},
		{"blobs", "s3://bucket?region=r&secret=hunter2", "takes after its ? only region and endpoint"},
		{"blobs", "s3://bucket?region=r&region=s", "takes after its ? only region and endpoint"},
		{"blobs", "s3://bucket?region=r#hunter2", "takes after its ? only region and endpoint"},
		{"blobs", "s3://Bucket?region=r", "must name a bucket"},
		{"blobs", "s3://b?region=r", "must name a bucket"},
		{"blobs", "s3://bucket:80?region=r", "must name a bucket"},
		{"blobs", "s3://bucket/a/../b?region=r", "must have a prefix"},
		{"blobs", "s3://bucket/a//b?region=r", "must have a prefix"},
		{"blobs", "s3://bucket/a b?region=r", "must have a prefix"},
		{"blobs", "s3://bucket?endpoint=s3.example.com", "must have the http:// or https:// URL"},
		{"blobs", "s3://bucket?endpoint=https://u:hunter2@s3.example.com", "must have the http:// or https:// URL"},
		{"blobs", "s3://bucket?endpoint=https://s3.example.com/path", "must have the http:// or https:// URL"},
		{"base-url", "ci.example.com", "must be an http:// or https:// URL"},
		{"base-url", "https://ci.example.com/?x=1", "must be an http:// or https:// URL"},
		{"hosted-agents-url", "ftp://h:hunter2@h", "must be an http:// or https:// URL"},
		{"trusted-proxies", "10.0.0.0/8,all", `not "all"`},
		{"log-level", "loud", "must be debug, info, warn or error"},
		{"log-format", "xml", "must be text or json"},
		{"rate-limit-rest", "many", "must be a whole number"},
		{"rate-limit-rest", "-1", "must be a whole number from 0"},
		{"rate-limit-rest-user", "-1", "must be a whole number from 0"},
		{"meta-webhook-ips", "nowhere", "must be CIDRs or addresses"},
		{"max-in-flight", "0", "must be a whole number from 1"},
		{"oidc-issuer", "accounts.example.com", "must be an https:// URL"},
		{"oidc-client-id", "penstock", "has no effect without --oidc-issuer"},
		{"oidc-client-secret", "hunter2", "has no effect without --oidc-issuer"},
		{"smtp-address", "smtp.example.com", "must be a host and a port"},
		{"smtp-address", ":587", "must be a host and a port"},
		{"smtp-address", "smtp.example.com:0", "must be a host and a port"},
		{"smtp-tls", "ssl", "must be starttls, tls or none"},
		{"smtp-user", "penstock", "has no effect without --smtp-address"},
		{"smtp-password", "hunter2", "must be given together with --smtp-user"},
		{"smtp-from", "penstock@example.com", "has no effect without --smtp-address"},
		{"usage-timeout", "0s", "must be at least 1ms"},
		{"activity-retention-days", "214", "must be 0, or from 215 to 36500"},
		{"activity-retention-days", "-1", "must be 0, or from 215 to 36500"},
		{"activity-retention-days", "36501", "must be 0, or from 215 to 36500"},
		{"shutdown-timeout", "30", "must be a number and a unit"},
		{"shutdown-delay", "-1s", "must not be negative"},
	} {
		_, byFlag := parse([]string{"--" + c.flag + "=" + c.value}, nil)
		_, byVariable := parse(nil, map[string]string{config.Variable(c.flag): c.value})
		for name, err := range map[string]error{"--" + c.flag: byFlag, config.Variable(c.flag): byVariable} {
			fault, ok := errors.AsType[*config.Fault](err)
			if !ok || !strings.HasPrefix(err.Error(), name+" ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: %v, want that it %s", name, c.value, err, c.want)
			} else if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s %s: the fault shows a secret or has several lines: %v", name, c.value, fault)
			}
		}
	}
}

func TestAnIssuerNeedsAClientID(t *testing.T) {
	t.Parallel()
	if _, err := parse([]string{"--oidc-issuer=https://accounts.example.com"}, nil); err == nil || err.Error() != "--oidc-client-id must be given with --oidc-issuer" {
		t.Error(err)
	}
}

func TestMailNeedsASenderAndKeepsItsPasswordSafe(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--smtp-address=smtp.example.com:587":                                                                  "--smtp-from must be an email address",
		"--smtp-address=smtp.example.com:587 --smtp-from=nobody":                                               "--smtp-from must be an email address",
		"--smtp-address=smtp.example.com:587 --smtp-from=a@b.c\r\nX":                                           "--smtp-from must be an email address",
		"--smtp-address=smtp.example.com:25 --smtp-from=a@b.c --smtp-tls=none --smtp-user=u --smtp-password=p": "--smtp-user and its password are told",
		"--smtp-address=smtp.example.com:25 --smtp-from=a@b.c --smtp-user=u":                                   "--smtp-password must be given",
		"--smtp-address=127.0.0.1:25 --smtp-from=a@b.c --smtp-tls=none --smtp-user=u --smtp-password=p":        "",
		"--smtp-address=smtp.example.com:25 --smtp-from=a@b.c --smtp-tls=none":                                 "",
	} {
		_, err := parse(strings.Split(args, " "), nil)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestGoodValues(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{
		"--listen=:8080", "--listen=[::1]:0", "--listen=localhost:8080",
		"--database=postgresql:///n?host=/run/postgresql", "--database=postgres://u:p@a:5432,b:5432/n",
		"--base-url=http://localhost:8080/", "--base-url=https://example.com/penstock",
		"--trusted-proxies=10.0.0.1 2001:db8::/32", "--meta-webhook-ips=", "--shutdown-timeout=0s",
	} {
		if _, err := parse([]string{arg}, nil); err != nil {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

func TestASecretIsNeverShown(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                                    "",
		"postgres://u:hunter2@h:5432/n":       "postgres://u:xxxxx@h:5432/n",
		"postgres://h/n?password=hunter2":     "postgres://h/n?password=xxxxx",
		"postgres://h/n?sslpassword=hunter2":  "postgres://h/n?sslpassword=xxxxx",
		"postgres:///n?host=%2Frun":           "postgres:///n?host=%2Frun",
		"postgres://u:hunter2@h:bad port/n":   "xxxxx",
		"hunter2:":                            "xxxxx",
		"http://u:hunter2@agents.example.com": "http://u:xxxxx@agents.example.com",
	} {
		s := config.SecretURL(url)
		if s.Reveal() != url || s.String() != want {
			t.Errorf("%q reveals %q and shows %q, want %q", url, s.Reveal(), s.String(), want)
		}
		cfg := config.Default()
		cfg.Database, cfg.HostedAgentsURL, cfg.OIDCClientSecret, cfg.SMTPPassword = s, s, domain.Secret(url), domain.Secret(url)
		encoded, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, nil))
		logger.Info("x", "config", cfg, "url", s)
		for _, text := range []string{
			cfg.String(), fmt.Sprintf("%v %+v %s %q %x %d", cfg, cfg, s, s, s, s), fmt.Sprintf("%#v", s), string(encoded), log.String(),
		} {
			if strings.Contains(text, "hunter2") || strings.Contains(text, "68756e746572") {
				t.Errorf("%q shows in %s", url, text)
			}
		}
	}
}

func TestBlobPlaces(t *testing.T) {
	t.Parallel()
	for blobs, want := range map[string]config.BlobPlace{
		"":                    {Directory: "/var/lib/penstock/blobs"},
		"/srv/blobs":          {Directory: "/srv/blobs"},
		"blobs":               {Directory: "blobs"},
		"./s3":                {Directory: "./s3"},
		"C:blobs":             {Directory: "C:blobs"},
		"s3://b-1?region=r-1": {Bucket: "b-1", Region: "r-1"},
		"s3://bucket/one/Two_3.x/?endpoint=http://127.0.0.1:7070/":                  {Bucket: "bucket", Prefix: "one/Two_3.x", Region: "us-east-1", Endpoint: "http://127.0.0.1:7070"},
		"s3://bucket.example.com/?region=garage&endpoint=https://s3.example.com":    {Bucket: "bucket.example.com", Region: "garage", Endpoint: "https://s3.example.com"},
		"s3://bucket?endpoint=https%3A%2F%2Fs3.example.com%3A8443&region=us-west-2": {Bucket: "bucket", Region: "us-west-2", Endpoint: "https://s3.example.com:8443"},
	} {
		cfg, err := parse([]string{"--data=/var/lib/penstock", "--blobs=" + blobs}, nil)
		if got := cfg.BlobPlace(); err != nil || got != want {
			t.Errorf("%q is %+v, %v; want %+v", blobs, got, err, want)
		}
	}
	for place, want := range map[config.BlobPlace]string{
		{Directory: "/srv/blobs"}: "/srv/blobs", {Bucket: "bucket", Prefix: "one/two", Region: "r"}: "s3://bucket/one/two",
	} {
		if place.String() != want {
			t.Errorf("%+v shows as %s; want %s", place, place, want)
		}
	}
	if cfg, err := parse([]string{"--data=", "--database=postgres://h/n"}, nil); err != nil || cfg.BlobPlace().Directory != "blobs" {
		t.Errorf("%+v, %v", cfg.BlobPlace(), err)
	}
}
