package service_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// TestTokenUsesThatCannotBeStoredAreKept has a use that is stored only after a later one, which the organization would take for
// the first in too long.
func TestTokenUsesThatCannotBeStoredAreKept(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		testkit.Change(t, s.DB, `UPDATE organizations SET revoke_inactive_tokens_after_days = 1`)
		use := func(from string) {
			t.Helper()
			if _, err := s.Service.User(t.Context(), authz.TokenActor(authz.REST, testkit.MemberToken, netip.MustParseAddr(from))); err != nil {
				t.Fatal(err)
			}
		}
		unable, cancel := context.WithCancel(t.Context())
		cancel()
		s.Clock.Advance(time.Hour)
		use("192.0.2.1")
		first := s.Clock.Now()
		for range 2 {
			if err := s.Service.StoreTokenUses(unable, authz.OperatorActor()); err == nil {
				t.Fatal("it was stored")
			}
		}
		if at, _ := tokenUsed(t, s); at != nil {
			t.Fatalf("stored: %v", at)
		}
		s.Clock.Advance(24 * time.Hour)
		use("192.0.2.2")
		if err := s.Service.StoreTokenUses(unable, authz.OperatorActor()); err == nil {
			t.Fatal("it was stored")
		}
		if err := s.Service.StoreTokenUses(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		if at, from := tokenUsed(t, s); at == nil || !at.Equal(first.Add(24*time.Hour)) || from != "192.0.2.2" {
			t.Errorf("used %v from %s", at, from)
		}
		actor := authz.TokenActor(authz.REST, testkit.MemberToken, home)
		if _, err := s.Service.Clusters(t.Context(), actor, testkit.Organization, onePage); err != nil {
			t.Errorf("the token has lost the organization: %v", err)
		}
	})
}

func TestManyTokenUsesAreStored(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const tokens = 501
		for range tokens {
			_, value, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), domain.APITokenInput{User: "member@example.com", Description: "many"})
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.Service.AccessToken(t.Context(), authz.TokenActor(authz.REST, value.Reveal(), home)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Service.StoreTokenUses(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		var stored int64
		if err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
			_, err := tx.One(`SELECT count(*) FROM api_tokens WHERE description = 'many' AND last_used_at IS NOT NULL`, func(r *db.Row) { stored = r.Int() })
			return err
		}); err != nil || stored != tokens {
			t.Errorf("%d are stored: %v", stored, err)
		}
	})
}
