package service_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// activeUsers returns who was active where and when: "slug day e-mail" or "slug day id", in order.
func activeUsers(t *testing.T, d *db.DB) (rows []string) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(`SELECT o.slug || ' ' || a.day || ' ' || COALESCE(u.email, a.user_id) FROM activity_days a
			JOIN organizations o ON o.id = a.organization_id LEFT JOIN users u ON u.id = a.user_id ORDER BY 1`,
			func(r *db.Row) error { rows = append(rows, r.Text()); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func wantActive(t *testing.T, d *db.DB, want ...string) {
	t.Helper()
	if got := activeUsers(t, d); strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("active are %q, want %q", got, want)
	}
}

func localActor(token string) authz.Actor {
	return authz.TokenActor(authz.REST, token, netip.MustParseAddr("127.0.0.1"))
}

func TestWhoseMembershipIsEstablishedIsActive(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		clusters := "/v2/organizations/acme-inc/clusters"
		// Nobody's activity: no token, no membership, no grant, no organization.
		s.Get("", clusters).Want(t, 401)
		s.Get("no-such-token", clusters).Want(t, 401)
		s.Get(testkit.OutsiderToken, clusters).Want(t, 404)
		s.Get(testkit.UngrantedToken, clusters).Want(t, 404)
		s.Get(testkit.MemberToken, "/v2/organizations/nowhere/clusters").Want(t, 404)
		s.Get(testkit.MemberToken, "/v2/user").Want(t, 200)
		s.Get(testkit.MemberToken, "/v2/organizations").Want(t, 200)
		wantActive(t, s.DB)

		// Whatever comes of the request.
		s.Get(testkit.WriteOnlyToken, clusters).Want(t, 403) // the administrator's, without the scope
		wantActive(t, s.DB, "acme-inc 2026-05-03 admin@example.com")
		s.Get(testkit.MemberToken, testkit.ClusterPath("0190a000-0000-7000-8000-00000000ffff")).Want(t, 404)
		s.Post(testkit.MaintainerToken, clusters, `{"name": ""}`).Want(t, 422)
		s.Delete(testkit.TeammateToken, "/v2/organizations/acme-inc/members/"+testkit.MemberID).Want(t, 403)
		wantActive(t, s.DB, "acme-inc 2026-05-03 admin@example.com", "acme-inc 2026-05-03 maintainer@example.com",
			"acme-inc 2026-05-03 member@example.com", "acme-inc 2026-05-03 teammate@example.com")
	})
}

func TestActivityIsOfAUTCDay(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		get := func() { s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/clusters").Want(t, 200) }
		get()
		s.Clock.Advance(time.Date(2026, 5, 3, 23, 59, 59, 999_000_000, time.UTC).Sub(s.Clock.Now()))
		get()
		wantActive(t, s.DB, "acme-inc 2026-05-03 member@example.com")
		s.Clock.Advance(time.Millisecond)
		get()
		wantActive(t, s.DB, "acme-inc 2026-05-03 member@example.com", "acme-inc 2026-05-04 member@example.com")
	})
}

// TestARefusedAddressIsActivity: the membership was established, whatever came of it. The token's own list is looked at before.
func TestARefusedAddressIsActivity(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '192.0.2.0/24'`)
		testkit.Change(t, s.DB, `UPDATE api_tokens SET allowed_ip_addresses = '192.0.2.0/24' WHERE user_id = $1`, testkit.MaintainerID)
		s.Get(testkit.MaintainerToken, "/v2/organizations/acme-inc/clusters").Want(t, 403)
		wantActive(t, s.DB)
		s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/clusters").Want(t, 403)
		wantActive(t, s.DB, "acme-inc 2026-05-03 member@example.com")
	})
}

func TestSignedInUsersAreActiveAndPortalsAreNot(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		testkit.Change(t, s.DB, `INSERT INTO portals (id, organization_id, slug, name, name_key, query, allowed_ip_addresses, created_at)
			SELECT 'p', id, 'p', 'P', 'p', '{}', '', 0 FROM organizations WHERE slug = 'acme-inc'`)
		testkit.Change(t, s.DB, `INSERT INTO portal_tokens (hash, id, portal_id, description, created_at) VALUES ($1, 'pt', 'p', '', 0)`, domain.HashToken("portal"))
		testkit.Change(t, s.DB, `INSERT INTO user_sessions (hash, id, user_id, address, user_agent, created_at, expires_at)
			VALUES ($1, 's', $2, '', '', 0, $3)`, domain.HashToken("session"), testkit.MemberID, db.Micros(s.Clock.Now().Add(time.Hour)))
		address := netip.MustParseAddr("127.0.0.1")
		if _, err := s.Service.Clusters(t.Context(), authz.PortalActor("portal", address), "acme-inc", onePage); err != nil {
			t.Fatal(err)
		}
		wantActive(t, s.DB)
		if _, err := s.Service.Clusters(t.Context(), authz.SessionActor("session", address), "acme-inc", onePage); err != nil {
			t.Fatal(err)
		}
		wantActive(t, s.DB, "acme-inc 2026-05-03 member@example.com")
	})
}

func TestOperatorsAreNobodysActivity(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, c := range permissionCases {
			if c.outcomes == operatorsOnly {
				_ = c.call(t.Context(), s.Service, authz.OperatorActor(), permissionTarget{ClusterRef: testkit.Maintained()})
			}
		}
		wantActive(t, s.DB)
	})
}

func TestLaterUsesOfADayCostNoStatement(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cost := func() int64 {
			before := s.DB.Statements()
			s.Get(testkit.MemberToken, "/v2/organizations/acme-inc").Want(t, 200)
			return s.DB.Statements() - before
		}
		if first := cost(); first < 5 {
			t.Errorf("the first use took %d statements, in which it cannot have been recorded", first)
		}
		for range 3 {
			if later := cost(); later > 1 {
				t.Errorf("a later use took %d statements", later)
			}
		}
		s.Clock.Advance(24 * time.Hour)
		if next := cost(); next < 5 {
			t.Errorf("the next day's first use took %d statements", next)
		}
	})
}

func TestActivityIsNotRecordedWhenThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{Core: func(o *core.Options) { o.UnrecordedActivity = true }})
		s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/clusters").Want(t, 200)
		wantActive(t, s.DB)
	})
}

// TestFirstUseIsStoredBeforeTheOperation takes the tables away, so that nothing can be recorded: nothing is done then either.
func TestFirstUseIsStoredBeforeTheOperation(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/clusters").Want(t, 200)
		for _, table := range []string{"activity_days", "usage_counts"} {
			auditRename(t, s, table, "elsewhere")
			before := testkit.PermissionRows(t, s.DB)
			for _, answer := range []*testkit.Answer{
				s.Post(testkit.MemberToken, "/v2/organizations/acme-inc/clusters", `{"name": "Not made"}`),
				s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/clusters"),
			} {
				answer.WantMessage(t, 503, "The service is temporarily unavailable. Please retry.")
				if answer.Header.Get("Retry-After") == "" {
					t.Errorf("no Retry-After: %s", answer)
				}
			}
			if made := testkit.RowsWithout(testkit.PermissionRows(t, s.DB), before); len(made) > 0 {
				t.Errorf("without the table %s this was made: %s", table, made)
			}
			s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/clusters", `{"name": "By one who is known"}`).Want(t, 201)
			auditRename(t, s, "elsewhere", table)
		}
		wantActive(t, s.DB, "acme-inc 2026-05-03 admin@example.com")
		s.Post(testkit.MemberToken, "/v2/organizations/acme-inc/clusters", `{"name": "Made"}`).Want(t, 201)
		wantActive(t, s.DB, "acme-inc 2026-05-03 admin@example.com", "acme-inc 2026-05-03 member@example.com")
	})
}

// TestStalledRecordingLeavesOthersAlone holds a lock on the table that is recorded in: those who are recorded already notice nothing.
func TestStalledRecordingLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "postgres")
	const limit = 300 * time.Millisecond
	s := testkit.NewServer(t, d, testkit.ServerOptions{Core: func(o *core.Options) { o.UsageTimeout = limit }})
	path := testkit.ClusterPath(testkit.MaintainedID)
	s.Get(testkit.AdminToken, path).Want(t, 200)
	whileLocked(t, d, "activity_days", func() {
		var strangers sync.WaitGroup
		for range 20 { // more than there are connections
			strangers.Go(func() {
				start := time.Now()
				s.Get(testkit.MemberToken, path).Want(t, 503)
				if took := time.Since(start); took < limit || took > 20*limit {
					t.Errorf("it took %s", took)
				}
			})
		}
		for range 20 {
			s.Get(testkit.AdminToken, path).Want(t, 200)
			s.Patch(testkit.AdminToken, path, `{"description": "Changed"}`).Want(t, 200)
		}
		strangers.Wait()
	})
	s.Get(testkit.MemberToken, path).Want(t, 200)
}

// whileLocked runs fn while another session holds a lock on a PostgreSQL table that nobody can even read beside.
func whileLocked(t *testing.T, d *db.DB, table string, fn func()) {
	t.Helper()
	locked, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- d.Write(context.WithoutCancel(t.Context()), func(tx *db.Tx) error {
			if _, err := tx.Exec(`LOCK TABLE ` + table + ` IN ACCESS EXCLUSIVE MODE`); err != nil {
				return err
			}
			close(locked)
			<-release
			return nil
		})
	}()
	select {
	case <-locked:
		fn()
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	case err := <-done:
		t.Fatal(err)
	}
}

// TestManyNodesCountAUserOnce lets nodes that know nothing of each other record the same users at the same moment, in two
// organizations with one parent.
func TestManyNodesCountAUserOnce(t *testing.T) {
	t.Parallel()
	const nodes, users = 6, 12
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			options := testkit.NewDatabase(t, engine)
			var services []*service.Service
			var shared *core.Core // the last one's
			var d *db.DB
			for range nodes {
				if d == nil || engine == "postgres" {
					var err error
					if d, err = db.Open(t.Context(), options); err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = d.Close() })
					if _, err := d.Migrate(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				shared = core.New(core.Options{DB: d, Now: testkit.NewClock().Now})
				services = append(services, service.New(service.Options{Core: shared}))
			}
			s := &operating{Service: services[0], core: shared, t: t, db: d, actor: authz.OperatorActor()}
			s.apply(manyUsers(users))
			var wg sync.WaitGroup
			for _, node := range services {
				for i := range users {
					for _, slug := range []string{"first", "second"} {
						wg.Go(func() {
							if _, err := node.Clusters(t.Context(), localActor(manyToken(i)), slug, onePage); err != nil {
								t.Error(err)
							}
						})
					}
				}
			}
			wg.Wait()
			for _, slug := range []string{"first", "second", "parent"} {
				e, err := s.ExplainUsage(t.Context(), s.actor, slug, "", false)
				if err != nil || e.ActiveUsers != users || *e.Served != users {
					t.Errorf("%s has %d active users, and %d are served (%v); want %d", slug, e.ActiveUsers, *e.Served, err, users)
				}
			}
		})
	}
}

func manyToken(i int) string { return fmt.Sprintf("token-of-user-number-%03d", i) }

// manyUsers declares users with tokens, members of the organizations first and second, whose billing parent is parent.
func manyUsers(n int) string {
	var users, members, tokens strings.Builder
	for i := range n {
		fmt.Fprintf(&users, "  - {email: user-%d@example.com, name: User}\n", i)
		fmt.Fprintf(&members, "      - {user: user-%d@example.com, role: member}\n", i)
		fmt.Fprintf(&tokens, "  - {user: user-%d@example.com, token: %s, organizations: [first, second], scopes: [read_clusters, read_organizations]}\n", i, manyToken(i))
	}
	return "users:\n" + users.String() + "organizations:\n  - {slug: parent, name: Parent}\n" +
		"  - slug: first\n    name: First\n    billing_parent: parent\n    members:\n" + members.String() +
		"  - slug: second\n    name: Second\n    billing_parent: parent\n    members:\n" + members.String() +
		"tokens:\n" + tokens.String()
}
