package rest

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
)

// encode writes an answer as JSON. Clusters, which are asked for most, are appended member by member, in a third of the
// time; a test holds that the outcome is the encoder's.
func encode(out *bytes.Buffer, answer any) error {
	switch a := answer.(type) {
	case clusterAnswer:
		out.Write(append(a.appendMembers(out.AvailableBuffer()), '}'))
	case managedClusterAnswer:
		out.Write(a.appendJSON(out.AvailableBuffer()))
	case []clusterAnswer:
		out.WriteByte('[')
		for i := range a {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(append(a[i].appendMembers(out.AvailableBuffer()), '}'))
		}
		out.WriteByte(']')
	default:
		return json.MarshalWrite(out, answer)
	}
	return nil
}

// appendMembers appends the object without its closing brace.
func (a *clusterAnswer) appendMembers(b []byte) []byte {
	b = appendText(append(b, `{"id":`...), a.ID)
	b = appendText(append(b, `,"graphql_id":`...), a.GraphQLID)
	b = appendNullText(append(b, `,"default_queue_id":`...), a.DefaultQueueID)
	b = appendText(append(b, `,"name":`...), a.Name)
	b = appendNullText(append(b, `,"description":`...), a.Description)
	b = appendNullText(append(b, `,"emoji":`...), a.Emoji)
	b = appendNullText(append(b, `,"color":`...), a.Color)
	b = append(b, `,"maintainers":{"users":`...)
	b = appendMaintainers(b, a.Maintainers.Users)
	b = append(b, `,"teams":`...)
	b = appendMaintainers(b, a.Maintainers.Teams)
	b = appendText(append(b, `},"url":`...), a.URL)
	b = appendText(append(b, `,"web_url":`...), a.WebURL)
	b = appendText(append(b, `,"queues_url":`...), a.QueuesURL)
	b = appendNullText(append(b, `,"default_queue_url":`...), a.DefaultQueueURL)
	b = a.CreatedAt.append(append(b, `,"created_at":`...))
	b = append(b, `,"created_by":`...)
	return a.CreatedBy.appendJSON(b)
}

func (a *managedClusterAnswer) appendJSON(b []byte) []byte {
	b = a.appendMembers(b)
	b = appendBool(append(b, `,"hosted_git_mirror_enabled":`...), a.HostedGitMirrorEnabled)
	b = appendBool(append(b, `,"hosted_container_cache_enabled":`...), a.HostedContainerCacheEnabled)
	b = appendText(append(b, `,"default_cache_registry_uuid":`...), a.DefaultCacheRegistryUUID)
	b = appendText(append(b, `,"default_cache_registry_url":`...), a.DefaultCacheRegistryURL)
	return append(b, '}')
}

func (a *userAnswer) appendJSON(b []byte) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = appendText(append(b, `{"id":`...), a.ID)
	b = appendText(append(b, `,"graphql_id":`...), a.GraphQLID)
	b = appendText(append(b, `,"name":`...), a.Name)
	b = appendText(append(b, `,"email":`...), a.Email)
	b = appendText(append(b, `,"avatar_url":`...), a.AvatarURL)
	b = a.CreatedAt.append(append(b, `,"created_at":`...))
	return append(b, '}')
}

func appendMaintainers(b []byte, maintainers []maintainerAnswer) []byte {
	b = append(b, '[')
	for i, m := range maintainers {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"id":`...), m.ID)
		b = appendText(append(b, `,"actor":{"id":`...), m.Actor.ID)
		b = appendText(append(b, `,"graphql_id":`...), m.Actor.GraphQLID)
		b = appendText(append(b, `,"name":`...), m.Actor.Name)
		if m.Actor.Email != "" {
			b = appendText(append(b, `,"email":`...), m.Actor.Email)
		}
		if m.Actor.Slug != "" {
			b = appendText(append(b, `,"slug":`...), m.Actor.Slug)
		}
		b = appendText(append(b, `,"type":`...), m.Actor.Type)
		b = append(b, "}}"...)
	}
	return append(b, ']')
}

func appendText[T ~string](b []byte, text T) []byte {
	if plain(string(text)) {
		return append(append(append(b, '"'), text...), '"')
	}
	b, _ = jsontext.AppendQuote(b, string(text)) // what is stored is valid UTF-8
	return b
}

// plain reports whether the text is written in JSON as it is.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func appendNullText[T ~string](b []byte, text *T) []byte {
	if text == nil {
		return append(b, "null"...)
	}
	return appendText(b, *text)
}

func appendBool(b []byte, value bool) []byte {
	if value {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// timestamp is a time as it is shown: UTC, with milliseconds.
type timestamp time.Time

const timestampLayout = `"` + domain.TimestampLayout + `"`

// MarshalJSONTo writes the time.
func (t timestamp) MarshalJSONTo(out *jsontext.Encoder) error {
	return out.WriteValue(t.append(out.AvailableBuffer()))
}

func nullTimestamp(t *time.Time) *timestamp {
	if t == nil {
		return nil
	}
	shown := timestamp(*t)
	return &shown
}

// append does what time.Time.AppendFormat does, without reading a layout each time.
func (t timestamp) append(b []byte) []byte {
	at := time.Time(t).UTC()
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	if year < 1000 || year > 9999 {
		return at.AppendFormat(b, timestampLayout)
	}
	b = append(b, '"', byte('0'+year/1000))
	b = append(b, byte('0'+year/100%10))
	b = appendTwo(b, year%100)
	b = appendTwo(append(b, '-'), int(month))
	b = appendTwo(append(b, '-'), day)
	b = appendTwo(append(b, 'T'), hour)
	b = appendTwo(append(b, ':'), minute)
	b = appendTwo(append(b, ':'), second)
	milliseconds := at.Nanosecond() / 1_000_000
	b = append(b, '.', byte('0'+milliseconds/100))
	b = appendTwo(b, milliseconds%100)
	return append(b, 'Z', '"')
}

func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
