package rest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// permissionRace is a change that takes a permission away while a request that depends on it waits for a row.
type permissionRace struct {
	row     string          // "table id" of the row that the late request waits for
	change  testkit.Request // sent as the administrator unless it has a token
	status  int             // of the change
	behind  bool            // the change waits for the same row, and the late request behind it
	changes string          // the tables whose rows the change replaces
	late    testkit.Request
	refused int // the status of the late request
	undo    *testkit.Request
}

// run holds the row, sends both requests, and lets the row go once they wait. The late request must be refused and change
// nothing. SQLite has one writer: there the requests come one after the other.
func (r permissionRace) run(t *testing.T, s *testkit.Server) {
	t.Helper()
	if r.change.Token == "" {
		r.change.Token = testkit.AdminToken
	}
	for _, token := range []string{r.change.Token, r.late.Token} {
		s.Get(token, organizationPath).Want(t, 200) // that they use it today is recorded now
	}
	before := testkit.Rows(t, s.DB)
	var changed, refused *testkit.Answer
	if s.DB.Engine() == "sqlite" {
		changed, refused = s.Do(r.change), s.Do(r.late)
	} else {
		changed, refused = r.race(t, s)
	}
	changed.Want(t, r.status)
	refused.Want(t, r.refused)
	wantNewRowsIn(t, before, testkit.Rows(t, s.DB), r.changes+" audit_events")
	if r.undo != nil {
		r.undo.Token = testkit.AdminToken
		if answer := s.Do(*r.undo); answer.Status >= 300 {
			t.Fatalf("the change is not undone: %s", answer)
		}
	}
}

func (r permissionRace) race(t *testing.T, s *testkit.Server) (changed, refused *testkit.Answer) {
	t.Helper()
	change, late := make(chan *testkit.Answer, 1), make(chan *testkit.Answer, 1)
	table, id, _ := strings.Cut(r.row, " ")
	err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		found, err := tx.One(`SELECT 1 FROM `+table+` WHERE id = $1`+tx.ForUpdate(), func(*db.Row) {}, id)
		if err != nil || !found {
			return errors.Join(err, errors.New("there is no such row"))
		}
		waiting := int64(0)
		if r.behind {
			go func() { change <- s.Do(r.change) }()
			waiting++
			awaitWaiting(t, s, waiting)
		}
		go func() { late <- s.Do(r.late) }()
		awaitWaiting(t, s, waiting+1)
		if !r.behind {
			change <- s.Do(r.change)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", r.row, err)
	}
	return <-change, <-late
}

// awaitWaiting returns once so many transactions wait for locks.
func awaitWaiting(t *testing.T, s *testkit.Server, n int64) {
	t.Helper()
	deadline := time.Now().Add(9 * time.Second) // after ten they would not wait any longer
	for storedNumber(t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) != n {
		if time.Now().After(deadline) {
			t.Fatalf("not %d transactions wait", n)
		}
	}
}

// wantNewRowsIn checks that all rows that are new or changed are in those tables, and that one audit event is: every change
// leaves one.
func wantNewRowsIn(t *testing.T, before, after []string, tables string) {
	t.Helper()
	events := 0
	for _, row := range after {
		if _, found := slices.BinarySearch(before, row); found {
			continue
		}
		table, _, _ := strings.Cut(row, " ")
		if table == "audit_events" {
			events++
		}
		if !slices.Contains(strings.Fields(tables), table) {
			t.Errorf("a refused request left %s", row)
		}
	}
	if events > 1 {
		t.Errorf("%d audit events of one change", events)
	}
}

func settingsChange(settings string) testkit.Request {
	return testkit.Request{Method: "PATCH", Path: organizationPath, Body: `{"settings": {` + settings + `}}`}
}

func undoSettings(settings string) *testkit.Request {
	undo := settingsChange(settings)
	return &undo
}

// TestARemovedMaintainersWaitingRequestIsRefused removes a maintainer whose request waits for the cluster.
func TestARemovedMaintainersWaitingRequestIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		s.Do(testkit.Request{Method: "PATCH", Path: organizationPath, Token: testkit.AdminToken, Body: `{"settings": {"cluster_writes": "managers"}}`}).Want(t, 200)
		token := createdID(t, s, cluster+"/tokens", `{"description": "Agents"}`)
		queue := createdQueue(t, s, testkit.MaintainedID, "other")
		team := storedText(t, s, `SELECT id FROM cluster_maintainers WHERE team_id IS NOT NULL`)
		for _, late := range []testkit.Request{
			{Method: "POST", Path: "/maintainers", Body: `{"user": "` + testkit.MemberID + `"}`},
			{Method: "POST", Path: "/maintainers", Body: `{"user": "` + testkit.MaintainerID + `"}`},
			{Method: "DELETE", Path: "/maintainers/" + team},
			{Method: "POST", Path: "/tokens", Body: `{"description": "Late"}`},
			{Method: "PATCH", Path: "/tokens/" + token, Body: `{"description": "Late"}`},
			{Method: "DELETE", Path: "/tokens/" + token},
			{Method: "POST", Path: "/queues", Body: `{"key": "late"}`},
			{Method: "PATCH", Path: "/queues/" + queue, Body: `{"description": "Late"}`},
			{Method: "POST", Path: "/queues/" + queue + "/pause_dispatch"},
			{Method: "DELETE", Path: "/queues/" + queue},
			{Method: "POST", Path: "/cache-registries", Body: `{"name": "Late"}`},
			{Method: "PATCH", Path: "/cache-registries/" + testkit.RegistryID, Body: `{"name": "Late"}`},
			{Method: "DELETE", Path: "/cache-registries/" + testkit.RegistryID},
			{Method: "PATCH", Path: "", Body: `{"name": "Late"}`},
			{Method: "DELETE", Path: ""},
		} {
			late.Path, late.Token = cluster+late.Path, testkit.MaintainerToken
			maintainer := storedText(t, s, `SELECT id FROM cluster_maintainers WHERE user_id = '`+testkit.MaintainerID+`'`)
			permissionRace{
				row:    "clusters " + testkit.MaintainedID,
				change: testkit.Request{Method: "DELETE", Path: cluster + "/maintainers/" + maintainer}, status: 204, behind: true,
				late: late, refused: 403,
				undo: &testkit.Request{Method: "POST", Path: cluster + "/maintainers", Body: `{"user": "` + testkit.MaintainerID + `"}`},
			}.run(t, s)
		}
	})
}

// TestAWaitingRequestIsRefusedWhateverTookThePermission ends the permission elsewhere than in the row that is waited for.
func TestAWaitingRequestIsRefusedWhateverTookThePermission(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster, row := testkit.ClusterPath(testkit.MaintainedID), "clusters "+testkit.MaintainedID
		add := testkit.Request{Method: "POST", Path: cluster + "/tokens", Body: `{"description": "Late"}`}
		as := func(token string, request testkit.Request) testkit.Request {
			request.Token = token
			return request
		}
		team := teamsPath + "/" + testkit.TeamID + "/members"
		for _, race := range []permissionRace{
			{
				row: row, change: testkit.Request{Method: "DELETE", Path: team + "/" + testkit.TeammateID}, status: 204,
				late: as(testkit.TeammateToken, add), refused: 403,
				undo: &testkit.Request{Method: "POST", Path: team, Body: `{"user_id": "` + testkit.TeammateID + `"}`},
			},
			{
				row: row, change: settingsChange(`"cluster_writes": "managers"`), status: 200, changes: "organizations",
				late: as(testkit.MemberToken, testkit.Request{Method: "PATCH", Path: cluster, Body: `{"name": "Late"}`}), refused: 403,
				undo: undoSettings(`"cluster_writes": "members"`),
			},
			{
				row: row, change: as(testkit.TeammateToken, testkit.Request{Method: "DELETE", Path: "/v2/access-token"}), status: 204, changes: "api_tokens",
				late: as(testkit.TeammateToken, add), refused: 401,
			},
			{
				row: row, change: testkit.Request{Method: "DELETE", Path: membersPath + "/" + testkit.MaintainerID}, status: 204,
				late: as(testkit.MaintainerToken, add), refused: 404,
			},
		} {
			race.run(t, s)
		}
	})
}

// TestWhoLosesAPipelineDoesNotGiveItToTeams takes the manage access of a team away while its member's request waits.
func TestWhoLosesAPipelineDoesNotGiveItToTeams(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := createdPipelineOf(t, s, testkit.AdminToken, "Web")
		manage := `"access_level": "manage_build_and_read"`
		own := teamsPath + "/" + testkit.TeamID + "/pipelines"
		s.Post(testkit.AdminToken, own, `{"pipeline_id": "`+pipeline+`", `+manage+`}`).Want(t, 201)
		other := createdID(t, s, teamsPath, `{"name": "Other", "privacy": "visible", "is_default_team": false, "default_member_role": "member"}`)
		lose := testkit.Request{Method: "PATCH", Path: own + "/" + pipeline, Body: `{"access_level": "read_only"}`}
		regain := &testkit.Request{Method: "PATCH", Path: own + "/" + pipeline, Body: `{` + manage + `}`}
		for _, race := range []permissionRace{
			{
				row: "teams " + other, change: lose, undo: regain,
				late: testkit.Request{Method: "POST", Path: teamsPath + "/" + other + "/pipelines", Body: `{"pipeline_id": "` + pipeline + `"}`},
			},
			{row: "teams " + testkit.TeamID, behind: true, change: lose, undo: regain, late: *regain},
			{
				row: "teams " + testkit.TeamID, behind: true, change: lose, undo: regain,
				late: testkit.Request{Method: "DELETE", Path: own + "/" + pipeline},
			},
		} {
			race.status, race.changes, race.refused, race.late.Token = 200, "team_pipelines", 403, testkit.TeammateToken
			race.run(t, s)
		}
	})
}

// TestNothingIsCreatedOrDeletedAfterTheRightIsLost takes a right of all members away while a member's request waits for what
// its new thing refers to, or for the organization.
func TestNothingIsCreatedOrDeletedAfterTheRightIsLost(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization := storedText(t, s, `SELECT id FROM organizations WHERE slug = 'acme-inc'`)
		cluster := createdCluster(t, s)
		pipeline := func(property string) testkit.Request {
			return testkit.Request{Method: "POST", Path: pipelinesPath, Body: `{"name": "Late", "repository": "x", ` + property + `}`}
		}
		noPipelines, pipelines := settingsChange(`"members_can_create_pipelines": false`), undoSettings(`"members_can_create_pipelines": true`)
		noClusters, clusters := settingsChange(`"cluster_writes": "managers"`), undoSettings(`"cluster_writes": "members"`)
		for _, race := range []permissionRace{
			{row: "teams " + testkit.TeamID, change: noPipelines, undo: pipelines, late: pipeline(`"team_uuids": ["` + testkit.TeamID + `"]`)},
			{row: "clusters " + cluster, change: noPipelines, undo: pipelines, late: pipeline(`"cluster_id": "` + cluster + `"`)},
			{
				row: "teams " + testkit.TeamID, change: noClusters, undo: clusters,
				late: testkit.Request{Method: "POST", Path: clustersPath, Body: `{"name": "Late", "maintainers": [{"team": "` + testkit.TeamID + `"}]}`},
			},
			{
				row: "organizations " + organization, behind: true, change: noClusters, undo: clusters,
				late: testkit.Request{Method: "DELETE", Path: testkit.ClusterPath(cluster)},
			},
		} {
			race.status, race.changes, race.refused, race.late.Token = 200, "organizations", 403, testkit.MemberToken
			race.run(t, s)
		}
	})
}
