package domain_test

import (
	"testing"
	"time"

	"penstock/internal/domain"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-05-03T04:17:55.867Z":      "2026-05-03T04:17:55.867Z",
		"2026-05-03T06:17:55+02:00":     "2026-05-03T04:17:55Z",
		"2026-05-03T04:17:55":           "2026-05-03T04:17:55Z",
		"2026-05-03T04:17:55.867":       "2026-05-03T04:17:55.867Z",
		"2026-05-03T04:17Z":             "2026-05-03T04:17:00Z",
		"2026-05-03T04:17":              "2026-05-03T04:17:00Z",
		"2026-05-03":                    "2026-05-03T00:00:00Z",
		"":                              "",
		"yesterday":                     "",
		"2026-13-01":                    "",
		"2026-02-30T00:00:00Z":          "",
		"20260503":                      "",
		"0000-01-01T00:00:00Z":          "",
		"2026-05-03T04:17:55Z and more": "",
		"9999-12-31T23:59:59-01:00":     "",
	} {
		at, ok := domain.ParseTime(text)
		got := ""
		if ok {
			got = at.Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
