package domain_test

import (
	"testing"
	"time"

	"penstock/internal/domain"
)

func TestUnusedFor(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 5, 3, 4, 17, 55, 0, time.UTC)
	ago := func(d time.Duration) *time.Time {
		at := now.Add(-d)
		return &at
	}
	for _, c := range []struct {
		created, used *time.Time
		days          int64
		want          bool
	}{
		{ago(30 * day), nil, 30, true},
		{ago(30*day - 1), nil, 30, false},
		{ago(90 * day), ago(30 * day), 30, true},
		{ago(90 * day), ago(30*day - 1), 30, false},
		{ago(90 * day), ago(day), 1, true},
		{ago(90 * day), nil, 0, false}, // never
		{ago(99 * 365 * day), nil, domain.MaxSettingDays, false},
		{ago(101 * 365 * day), nil, domain.MaxSettingDays, true},
		{ago(-day), nil, 1, false}, // made on a machine whose clock is ahead
	} {
		token := domain.APIToken{CreatedAt: *c.created, LastUsedAt: c.used}
		if got := token.UnusedFor(c.days, now); got != c.want {
			t.Errorf("made %v, used %v, %d days: %v", c.created, c.used, c.days, got)
		}
	}
}
