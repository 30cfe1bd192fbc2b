package domain

import "time"

// timestampForms are the forms of ISO 8601 in which callers write times. Seconds may have a fraction in all of them.
var timestampForms = []string{
	time.RFC3339,
	"2006-01-02T15:04:05", // without a zone: UTC
	DateLayout,            // the beginning of the day in UTC
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z0700",
}

// ParseTimestamp reads a time that a caller wrote, and returns it in UTC. It reports whether it is one, of a year up to
// 9999.
func ParseTimestamp(text string) (time.Time, bool) {
	for _, form := range timestampForms {
		if at, err := time.Parse(form, text); err == nil {
			at = at.UTC()
			return at, at.Year() <= 9999
		}
	}
	return time.Time{}, false
}
