package rest_test

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// TestNothingStaleIsRemembered asks for the same things until every connection remembers them, has them changed, by the server and by
// another process, and asks again.
func TestNothingStaleIsRemembered(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, where := range []string{"in the server", "in another process"} {
			t.Run(engine+" "+where, func(t *testing.T) {
				t.Parallel()
				options := testkit.NewDatabase(t, engine)
				s := testkit.NewServer(t, openForTest(t, options), testkit.ServerOptions{})
				changing := s.DB
				if where == "in another process" {
					changing = openForTest(t, options)
				}
				wantNothingStale(t, s, service.New(service.Options{Core: core.New(core.Options{DB: changing, Now: s.Clock.Now})}), changing)
			})
		}
	}
}

func openForTest(t *testing.T, options db.Options) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func wantNothingStale(t *testing.T, s *testkit.Server, changes *service.Service, changing *db.DB) {
	t.Helper()
	cluster := testkit.ClusterPath(testkit.MaintainedID)
	paths := []string{clustersPath, clustersPath + "?page=1&per_page=100", cluster, "/v2/organizations/acme-inc"}
	// ask asks every connection three times: the third time all is remembered.
	ask := func(token string, status int) (last []string) {
		t.Helper()
		for range 3 * s.DB.Readers() {
			last = nil
			for _, path := range paths {
				last = append(last, string(s.Get(token, path).Want(t, status).Body))
			}
		}
		return last
	}
	operator := authz.OperatorActor()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		must(changing.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(sql, args...)
			return err
		}))
	}

	revoked := surfaceTokenOf(t, s, "admin@example.com", nil)
	ask(revoked, 200)
	must(changes.RevokeAPIToken(t.Context(), operator, revoked))
	ask(revoked, 401)

	expiring := surfaceTokenOf(t, s, "admin@example.com", nil)
	exec(`UPDATE api_tokens SET expires_at = $1 WHERE hash = $2`, db.Micros(s.Clock.Now().Add(time.Hour)), domain.HashToken(expiring))
	ask(expiring, 200)
	s.Clock.Advance(time.Hour - time.Millisecond)
	ask(expiring, 200)
	s.Clock.Advance(time.Millisecond)
	ask(expiring, 401)

	// An administrator who becomes a member manages clusters no longer, and vice versa.
	isManaged := func(want bool) {
		t.Helper()
		if got := strings.Contains(ask(testkit.MemberToken, 200)[2], "default_cache_registry_uuid"); got != want {
			t.Errorf("managed: %v, want %v", got, want)
		}
	}
	isManaged(false)
	exec(`UPDATE organization_members SET role = 'admin' WHERE user_id = (SELECT id FROM users WHERE email = 'member@example.com')`)
	isManaged(true)
	exec(`UPDATE organization_members SET role = 'member' WHERE user_id = (SELECT id FROM users WHERE email = 'member@example.com')`)
	isManaged(false)

	ask(testkit.AdminToken, 200)
	exec(`UPDATE clusters SET description = 'As it is now' WHERE id = $1`, testkit.MaintainedID)
	for i, body := range ask(testkit.AdminToken, 200)[:3] {
		if !strings.Contains(body, "As it is now") {
			t.Errorf("%s is as it was: %s", paths[i], body)
		}
	}

	exec(`UPDATE organizations SET allowed_api_ip_addresses = '10.0.0.0/8' WHERE slug = 'acme-inc'`)
	ask(testkit.AdminToken, 403)
	exec(`UPDATE organizations SET allowed_api_ip_addresses = '' WHERE slug = 'acme-inc'`)

	ask(testkit.MemberToken, 200)
	exec(`DELETE FROM organization_members WHERE user_id = (SELECT id FROM users WHERE email = 'member@example.com')`)
	ask(testkit.MemberToken, 404)
}
