package builds

import (
	"testing"
	"time"

	"penstock/internal/store"
)

func TestIdentityKeysOverlap(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var keys []store.OIDCKey
	published := map[int64]time.Time{}
	for now := start; now.Before(start.Add(200 * 24 * time.Hour)); now = now.Add(time.Hour) {
		if next, due := nextIdentityKey(keys, now); due {
			keys = append(keys, next)
			published[next.Generation] = now
		}
		oldest := oldestIdentityKey(keys, now)
		for len(keys) > 0 && keys[0].Generation < oldest {
			if last := keys[1].SignsFrom; now.Sub(last) <= identityKeyStays {
				t.Fatalf("key %d is gone %s after it signed last", keys[0].Generation, now.Sub(last))
			}
			keys = keys[1:]
		}
		signing := signingIdentityKey(keys, now)
		if ahead := now.Sub(published[signing.Generation]); signing.Generation > 1 && ahead < identityKeyAhead {
			t.Fatalf("key %d signs %s after it was published", signing.Generation, ahead)
		}
		if now.Sub(signing.SignsFrom) > identityKeySigns+time.Hour || len(keys) > 2 {
			t.Fatalf("at %s key %d signs since %s, of %d", now, signing.Generation, signing.SignsFrom, len(keys))
		}
	}
	if len(published) != 7 {
		t.Errorf("%d keys were made", len(published))
	}
	// After a long silence, too, the next one is published before it signs.
	next, due := nextIdentityKey(keys, start.Add(1000*24*time.Hour))
	if !due || next.SignsFrom.Sub(next.CreatedAt) != identityKeyAhead {
		t.Errorf("%t, %+v", due, next)
	}
}
