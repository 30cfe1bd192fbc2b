package domain

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is text that is never printed, logged or encoded: each of these writes [redacted] in its place.
// Two places go around that and show the text: package fmt in unexported fields, and encoding/json in the keys
// of maps.
type Secret string

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String returns [redacted].
func (Secret) String() string { return redacted }

// GoString returns [redacted].
func (Secret) GoString() string { return redacted }

// Format writes [redacted], whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue returns [redacted].
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns [redacted]; JSON and YAML encoders use it too.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
