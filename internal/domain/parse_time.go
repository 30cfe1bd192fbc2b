package domain

import "time"

// ParseTime reads a time in ISO 8601. A date alone is its midnight, and what names no zone is UTC.
func ParseTime(text string) (at time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			at = at.UTC()
			return at, at.Year() >= 1 && at.Year() <= 9999
		}
	}
	return time.Time{}, false
}
