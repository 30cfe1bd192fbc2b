package config

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

// SecretURL is a URL that may hold a password. Printed, logged or encoded it shows xxxxx in its place.
type SecretURL string

const hiddenPassword = "xxxxx"

// Reveal returns the URL as it was given.
func (s SecretURL) Reveal() string { return string(s) }

// String returns the URL without its password, or only xxxxx if it is not clear where one would be.
func (s SecretURL) String() string {
	if s == "" {
		return ""
	}
	u, err := url.Parse(string(s))
	if err != nil || u.Host == "" && u.Path == "" {
		return hiddenPassword
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if query.Has(name) {
			query.Set(name, hiddenPassword)
			u.RawQuery = query.Encode()
		}
	}
	return u.Redacted()
}

// GoString returns what String does.
func (s SecretURL) GoString() string { return s.String() }

// Format writes what String returns, whatever the verb.
func (s SecretURL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue returns what String does.
func (s SecretURL) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText returns what String does; JSON encoders use it too.
func (s SecretURL) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
