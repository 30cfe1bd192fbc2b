package artifacts_test

import (
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/core"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

func TestTickets(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		shared := core.New(core.Options{DB: d})
		newNode := func() *artifacts.Service { return artifacts.New(artifacts.Options{Core: shared}) }
		signing := func(s *artifacts.Service) store.SigningKey {
			t.Helper()
			key, err := s.SigningKey(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return key
		}
		check := func(what string, want domain.Code, subject, ticket string) {
			t.Helper()
			err := shared.Store.Read(t.Context(), func(tx store.Tx) error { return artifacts.CheckTicket(tx, artifacts.DownloadTicket, subject, ticket) })
			if domain.CodeOf(err) != want || want == 0 && err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		first := newNode()
		key := signing(first)
		if again, other := signing(first), signing(newNode()); again.ID != key.ID || other.Secret != key.Secret {
			t.Error("nodes sign with different keys")
		}
		soon := time.Now().Add(25 * time.Hour)
		ticket := artifacts.NewTicket(key, artifacts.DownloadTicket, "a", soon)
		check("a good ticket", 0, "a", ticket)
		check("of another subject", domain.Forbidden, "b", ticket)
		check("for another purpose", domain.Forbidden, "a", artifacts.NewTicket(key, artifacts.UploadTicket, "a", soon))
		check("after its end", domain.Forbidden, "a", artifacts.NewTicket(key, artifacts.DownloadTicket, "a", time.Now().Add(-time.Second)))
		check("of an unknown key", domain.Forbidden, "a", artifacts.NewTicket(store.SigningKey{ID: "x", Secret: key.Secret}, artifacts.DownloadTicket, "a", soon))
		check("signed with another secret", domain.Forbidden, "a", artifacts.NewTicket(store.SigningKey{ID: key.ID, Secret: "x"}, artifacts.DownloadTicket, "a", soon))
		for _, bad := range []string{"", ".", "..", "...", key.ID, key.ID + ".1.", key.ID + ".99999999999.", "\x00.99999999999.aa", ticket + "=", "x" + ticket} {
			check(bad, domain.Forbidden, "a", bad)
		}

		// A day later another key signs; what the first has signed is good as long as it says.
		d.AdvanceClock(24 * time.Hour)
		second := signing(newNode())
		if second.ID == key.ID {
			t.Error("a key signs for ever")
		}
		check("of the key before", 0, "a", ticket)
		check("of the new key", 0, "a", artifacts.NewTicket(second, artifacts.DownloadTicket, "a", soon))
		d.AdvanceClock(7 * 24 * time.Hour)
		third := signing(newNode())
		check("of a key that has ended", domain.Forbidden, "a", ticket)
		err := shared.Store.Read(t.Context(), func(tx store.Tx) error {
			_, found, err := tx.SigningKey(key.ID)
			if found || third.ID == key.ID {
				t.Error("a key stays that is of no use")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
