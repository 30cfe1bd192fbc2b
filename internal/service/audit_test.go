package service_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/testkit"
)

// withoutEvents are the operations that may change something without an event.
var withoutEvents = map[string]string{
	"CreateUser":           "a user belongs to no organization yet",
	"FavoritePipeline":     "favourites",
	"SaveView":             "for the actor alone",
	"RemoveView":           "for the actor alone",
	"StoreTokenUses":       "last use",
	"RevokeInactiveTokens": "there is none here that was not used for long; TestInactiveTokensAreRevokedEveryHour has some",
	"PruneAuditEvents":     "takes events away",
	"PruneActivity":        "takes away what is counted already",
	"PrunePortalTokens":    "had expired",
	"SyncGitMirrors":       "tells another service what is stored",
	"ReleaseItems":         "work of the installation",
	"SignInWithOIDC":       "sign-in",
	"SignOut":              "sign-out",
	"SignOutEverywhere":    "sign-out",
	"EndSession":           "sign-out",
	"PruneSessions":        "had expired",
	"PruneIdempotencyKeys": "had expired",
	"OpenSetup":            "there is no organization yet",
}

// allowed returns somebody who may do what the case is about, and a target for it.
func (c permissionCase) allowed(t *testing.T, s *testkit.Server) (authz.Actor, permissionTarget) {
	t.Helper()
	testkit.Change(t, s.DB, `UPDATE organizations SET `+usualSettings)
	if c.settings != "" {
		testkit.Change(t, s.DB, `UPDATE organizations SET `+c.settings)
	}
	admin := s.PermissionToken(t, "admin@example.com", testkit.Organization, "")
	target := c.target(t, s, admin)
	if c.outcomes == operatorsOnly {
		return authz.OperatorActor(), target
	}
	if c.outcomes == everyonesRefusal {
		return target.portalActor, target
	}
	if !strings.Contains(c.outcomes, "ok") {
		return s.PermissionSession(t, "admin@example.com"), target
	}
	return admin, target
}

// auditedChange returns the events, and the other rows, that one state of the database has and the other has not.
func auditedChange(before, after []string) (events, others []string) {
	for _, rows := range [][2][]string{{before, after}, {after, before}} {
		for _, row := range rows[1] {
			if _, found := slices.BinarySearch(rows[0], row); found {
				continue
			}
			if strings.HasPrefix(row, "audit_events ") {
				events = append(events, row)
			} else {
				others = append(others, row)
			}
		}
	}
	return events, others
}

// changing matches the operations that change something.
var changing = regexp.MustCompile(`^(Add|Archive|AuthorizePortalCode|BeginPortalRun|Create|Delete|Pause|Remove|Resend|Resume|Revoke|Set|Unarchive|Update)`)

// TestEveryChangeLeavesOneEvent makes every call of the permission matrix that is allowed. One that changes anything leaves one
// event; one that does not leaves none. While events cannot be stored, nothing is changed.
func TestEveryChangeLeavesOneEvent(t *testing.T) {
	t.Parallel()
	for cases := range slices.Chunk(permissionCases, 6) { // as in TestPermissionMatrix
		t.Run(cases[0].method+" to "+cases[len(cases)-1].method, func(t *testing.T) {
			t.Parallel()
			testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
				for _, c := range cases {
					if withoutEvents[c.method] == "" && (strings.Contains(c.outcomes, "ok") || c.portalOutcome() == "ok" || c.sessionOutcome() == "ok") {
						c.leavesOneEvent(t, s)
					}
				}
			})
		})
	}
}

func (c permissionCase) leavesOneEvent(t *testing.T, s *testkit.Server) {
	t.Helper()
	actor, at := c.allowed(t, s)
	before := testkit.PermissionRows(t, s.DB)
	auditRename(t, s, "audit_events", "elsewhere")
	err := c.call(t.Context(), s.Service, actor, at)
	auditRename(t, s, "elsewhere", "audit_events")
	if _, others := auditedChange(before, testkit.PermissionRows(t, s.DB)); len(others) > 0 {
		t.Errorf("%s without its event (%v) changed %s", c.method, err, others)
	}
	if err := c.call(t.Context(), s.Service, actor, at); err != nil {
		t.Errorf("%s: %v", c.method, err)
	}
	events, others := auditedChange(before, testkit.PermissionRows(t, s.DB))
	want := 0
	if changing.MatchString(c.method) {
		want = 1
	}
	if (len(others) > 0) != (want > 0) || len(events) != want {
		t.Errorf("%s changed %d rows and left %d events: %s", c.method, len(others), len(events), events)
	}
}

func auditRename(t *testing.T, s *testkit.Server, from, to string) {
	t.Helper()
	if err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`ALTER TABLE ` + from + ` RENAME TO ` + to)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// TestBootstrapLeavesAnEventForEachItem leaves users and activity out, which are no organization's configuration.
func TestBootstrapLeavesAnEventForEachItem(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.apply(declared)
		events := `SELECT type || ' ' || CAST(count(*) AS TEXT) FROM audit_events WHERE actor_type = 'OPERATOR' GROUP BY type ORDER BY type`
		want := strings.Join([]string{
			"API_ACCESS_TOKEN_CREATED 2", // one token in two organizations, one in none
			"CACHE_REGISTRY_CREATED 2", "CLUSTER_CREATED 2", "CLUSTER_PERMISSION_CREATED 2", "CLUSTER_QUEUE_CREATED 3", "ORGANIZATION_CREATED 2",
			"ORGANIZATION_MEMBER_CREATED 3", "PIPELINE_CREATED 2", "TEAM_CREATED 1", "TEAM_MEMBER_CREATED 2",
		}, "\n")
		s.expect(want, events)
		s.expect("Admin\nAdmin\nDev", `SELECT subject_name FROM audit_events WHERE type = 'ORGANIZATION_MEMBER_CREATED' ORDER BY subject_name`)
		s.apply(declared)
		s.expect(want, events)
		// What is there already leaves none, nor does the registry that comes with its cluster.
		s.apply(`organizations: [{slug: acme-inc, name: Acme Inc, members: [{user: dev@example.com}], teams: [{name: Platform}],
			clusters: [{name: With its registry, cache_registries: [{name: Default}]}]}]`)
		s.expect(strings.Replace(want, "CLUSTER_CREATED 2", "CLUSTER_CREATED 3", 1), events)
	})
}
