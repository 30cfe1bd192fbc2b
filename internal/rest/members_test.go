package rest_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const membersPath = "/v2/organizations/" + testkit.Organization + "/members"

// storedText returns a text that a query of the database finds.
func storedText(t testing.TB, s *testkit.Server, query string, args ...any) (text string) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		found, err := tx.One(query, func(r *db.Row) { text = r.Text() }, args...)
		if err == nil && !found {
			err = fmt.Errorf("no rows")
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

func TestMemberFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		member := s.Get(testkit.TeammateToken, membersPath+"/"+testkit.MemberID).Want(t, 200)
		membership := storedText(t, s, `SELECT id FROM organization_members WHERE user_id = $1`, testkit.MemberID)
		wantExactly(t, member.Object(), `{
			"id": "USER", "graphql_id": "UGID", "name": "Member", "email": "member@example.com", "avatar_url": "BASE/avatars/USER.svg", "role": "member",
			"sso_mode": "optional", "membership_id": "MEMBERSHIP", "membership_graphql_id": "MGID", "created_at": "2026-05-03T04:17:55.867Z",
			"url": "BASE/v2/organizations/acme-inc/members/USER"}`,
			"UGID", globalID("User", testkit.MemberID), "USER", testkit.MemberID,
			"MEMBERSHIP", membership, "MGID", globalID("OrganizationMember", membership), "BASE", s.URL)
		wantMembers(t, s.Get(testkit.MemberToken, membersPath+"/"+testkit.AdminID).Want(t, 200), `{"role": "admin"}`)
		for _, id := range []string{testkit.OutsiderID, unknownUUID, membership, "x", "%00", "%FF"} {
			s.Get(testkit.AdminToken, membersPath+"/"+id).WantMessage(t, 404, "No organization member found")
		}
	})
}

func TestMembersAreListedByName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`
users: [{email: a@example.com, name: zoe}, {email: b@example.com, name: ANNA}, {email: c@example.com, name: Member}]
organizations: [{slug: acme-inc, name: Acme Inc, members: [{user: a@example.com}, {user: b@example.com}, {user: c@example.com}]}]`)
		list := s.Get(testkit.MemberToken, membersPath).Want(t, 200).List()
		wantExactly(t, testkit.Column(list, "name"), `["Admin", "ANNA", "Maintainer", "Member", "Member", "Teammate", "zoe"]`)
		if list[3]["id"].(string) > list[4]["id"].(string) {
			t.Error("members of the same name are not ordered by id")
		}
		wantExactly(t, list[0], string(s.Get(testkit.MemberToken, membersPath+"/"+testkit.AdminID).Body))
		page := s.Get(testkit.MemberToken, membersPath+"?per_page=3&page=3").Want(t, 200)
		wantExactly(t, testkit.Column(page.List(), "name"), `["zoe"]`)
		if link := page.Header.Get("Link"); !strings.Contains(link, `page=2&per_page=3>; rel="prev"`) || strings.Contains(link, "next") {
			t.Errorf("Link is %s", link)
		}
	})
}

func TestUpdateMember(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := membersPath + "/" + testkit.MemberID
		administers := func(status int) {
			t.Helper()
			s.Get(testkit.MemberToken, "/v2/organizations/acme-inc/audit_events").Want(t, status)
		}
		administers(403)
		promoted := s.Patch(testkit.AdminToken, path, `{"role": "admin", "name": "Other", "unknown": 1}`).Want(t, 200)
		wantMembers(t, promoted, `{"role": "admin", "name": "Member"}`)
		wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object(), string(promoted.Body))
		administers(200) // at once
		s.Patch(testkit.AdminToken, path, `{"role": "member"}`).Want(t, 200)
		administers(403)
		wantUnchanged(t, s, path, func() {
			s.Patch(testkit.AdminToken, path, `{}`).Want(t, 200)
			for _, body := range []string{`{"role": "owner"}`, `{"role": null}`, `{"role": ""}`, `{"role": "Admin"}`} {
				s.Patch(testkit.AdminToken, path, body).WantMessage(t, 422, "Validation failed: Role must be admin or member")
			}
			s.Patch(testkit.AdminToken, path, `{"role": 1}`).WantMessage(t, 422, "Validation failed: role must be a string")
			s.Patch(testkit.MaintainerToken, path, `{"role": "admin"}`).WantMessage(t, 403, "Forbidden")
			s.Patch(testkit.MemberToken, path, `{"role": "admin"}`).WantMessage(t, 403, "Forbidden")
			s.Delete(testkit.MemberToken, path).WantMessage(t, 403, "Forbidden")
		})
		s.Patch(testkit.AdminToken, membersPath+"/"+testkit.OutsiderID, `{"role": "admin"}`).WantMessage(t, 404, "No organization member found")
		s.Delete(testkit.AdminToken, membersPath+"/"+testkit.OutsiderID).WantMessage(t, 404, "No organization member found")
	})
}

func TestNobodyChangesOrRemovesThemself(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := membersPath + "/" + testkit.AdminID
		refused := func() {
			t.Helper()
			s.Patch(testkit.AdminToken, path, `{"role": "member"}`).WantMessage(t, 422, "Validation failed: You can't change your own role")
			s.Delete(testkit.AdminToken, path).WantMessage(t, 422, "You can't remove yourself from the organization")
			s.Patch(testkit.AdminToken, path, `{"role": "admin"}`).Want(t, 200) // that is no change
		}
		refused() // as the last administrator
		s.Patch(testkit.AdminToken, membersPath+"/"+testkit.MemberID, `{"role": "admin"}`).Want(t, 200)
		refused()
		// Another administrator may.
		s.Patch(testkit.MemberToken, path, `{"role": "member"}`).Want(t, 200)
		s.Delete(testkit.MemberToken, path).Want(t, 204)
		s.Delete(testkit.MemberToken, membersPath+"/"+testkit.MemberID).WantMessage(t, 422, "You can't remove yourself from the organization")
	})
}

// heldUp sends requests at once. Where transactions run beside each other, none of them can change a member before all
// of them have begun: the rows are locked until as many wait.
func heldUp(t testing.TB, s *testkit.Server, requests ...testkit.Request) []*testkit.Answer {
	t.Helper()
	if s.DB.Engine() == "sqlite" {
		return atOnce(s, requests...)
	}
	var answers []*testkit.Answer
	var sent sync.WaitGroup
	err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(`UPDATE organization_members SET role = role`); err != nil {
			return err
		}
		sent.Go(func() { answers = atOnce(s, requests...) })
		deadline := time.Now().Add(time.Minute)
		for storedNumber(t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) < int64(len(requests)) {
			if time.Now().After(deadline) {
				return errors.New("not all requests wait for the rows")
			}
		}
		return nil
	})
	sent.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// TestTwoAdministratorsAgainstEachOtherLeaveOne lets the last two administrators demote or remove each other at once.
func TestTwoAdministratorsAgainstEachOtherLeaveOne(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		tokens := [2]string{testkit.AdminToken, testkit.MemberToken}
		users := [2]string{testkit.AdminID, testkit.MemberID}
		emails := [2]string{"admin@example.com", "member@example.com"}
		demote := testkit.Request{Method: "PATCH", Body: `{"role": "member"}`}
		remove := testkit.Request{Method: "DELETE"}
		attacks := [][2]testkit.Request{{demote, demote}, {remove, remove}, {demote, remove}, {remove, demote}}
		s.Patch(tokens[0], membersPath+"/"+users[1], `{"role": "admin"}`).Want(t, 200)
		for round := range rounds {
			attack := attacks[round%len(attacks)]
			for i := range attack {
				attack[i].Token, attack[i].Path = tokens[i], membersPath+"/"+users[1-i]
			}
			answers := heldUp(t, s, attack[0], attack[1])
			winner := 0
			if answers[1].Status < 300 {
				winner = 1
			}
			loser := answers[1-winner]
			switch {
			case answers[winner].Status != 200 && answers[winner].Status != 204:
				t.Fatalf("nobody won: %v", answers)
			case loser.Status == 403 && loser.Message() == "Forbidden", loser.Status == 404 && loser.Message() == "No organization found":
			default:
				t.Fatalf("the second was not refused: %v", answers)
			}
			if n := storedNumber(t, s, `SELECT count(*) FROM organization_members m JOIN organizations o ON o.id = m.organization_id
				WHERE o.slug = 'acme-inc' AND m.role = 'admin'`); n != 1 {
				t.Fatalf("%d administrators are left: %v", n, answers)
			}
			// The loser becomes an administrator again, by the winner's hand or, if they were removed, an operator's.
			if loser.Status == 404 {
				if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", emails[1-winner], domain.RoleAdmin); err != nil {
					t.Fatal(err)
				}
				tokens[1-winner] = surfaceTokenOf(t, s, emails[1-winner], nil)
			} else {
				s.Patch(tokens[winner], membersPath+"/"+users[1-winner], `{"role": "admin"}`).Want(t, 200)
			}
		}
	})
}

func TestRemovingAMemberEndsTheirRightsAtOnceAndForGood(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, leaving := range []struct{ token, id, email string }{
			{testkit.TeammateToken, testkit.TeammateID, "teammate@example.com"},
			{testkit.MaintainerToken, testkit.MaintainerID, "maintainer@example.com"},
		} {
			s.Get(leaving.token, testkit.ClusterPath(testkit.MaintainedID, "tokens")).Want(t, 200)
			s.Delete(testkit.AdminToken, membersPath+"/"+leaving.id).Want(t, 204)
			gone := func() {
				t.Helper()
				s.Get(leaving.token, clustersPath).WantMessage(t, 404, "No organization found")
				s.Get(leaving.token, "/v2/organizations/acme-inc").WantMessage(t, 404, "No organization found")
				wantExactly(t, s.Get(leaving.token, "/v2/organizations").Want(t, 200).List(), `[]`)
				s.Get(leaving.token, "/v2/user").Want(t, 200) // elsewhere the token stays good
			}
			gone()
			s.Get(testkit.AdminToken, membersPath+"/"+leaving.id).WantMessage(t, 404, "No organization member found")
			s.Delete(testkit.AdminToken, membersPath+"/"+leaving.id).WantMessage(t, 404, "No organization member found")

			if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", leaving.email, domain.RoleMember); err != nil {
				t.Fatal(err)
			}
			gone() // the old token's grant does not come back
			fresh := surfaceTokenOf(t, s, leaving.email, nil)
			s.Get(fresh, testkit.ClusterPath(testkit.MaintainedID, "tokens")).WantMessage(t, 403, "Forbidden")
		}
		wantExactly(t, s.Get(testkit.AdminToken, teamsPath+"/"+testkit.TeamID+"/members").List(), `[]`)
		wantExactly(t, s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Object()["maintainers"].(map[string]any)["users"], `[]`)
	})
}
