package endpoint

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
)

// Timestamp is a time as it is shown: UTC, with milliseconds.
type Timestamp time.Time

const timestampLayout = `"` + domain.TimestampLayout + `"`

// MarshalJSONTo writes the time.
func (t Timestamp) MarshalJSONTo(out *jsontext.Encoder) error {
	return out.WriteValue(time.Time(t).UTC().AppendFormat(out.AvailableBuffer(), timestampLayout))
}

// NullTimestamp returns a time that can be null.
func NullTimestamp(t *time.Time) *Timestamp {
	if t == nil {
		return nil
	}
	shown := Timestamp(*t)
	return &shown
}
