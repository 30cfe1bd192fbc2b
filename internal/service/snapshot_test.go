package service_test

import (
	"net/netip"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/read"
	"penstock/internal/testkit"
)

// TestACountThatFailsIsNoCount asks twice for the count of a list that cannot be read: a table of it is gone.
func TestACountThatFailsIsNoCount(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		actor := authz.TokenActor(authz.GraphQL, testkit.AdminToken, netip.MustParseAddr("127.0.0.1"))
		if err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`DROP TABLE pipeline_tags`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		filter := domain.PipelineFilter{Tags: []string{"a"}}
		asked := 0
		err := s.Reader.Snapshot(t.Context(), actor, func(r *read.Snapshot) error {
			o, err := r.OrganizationBySlug(testkit.Organization)
			if err != nil {
				return err
			}
			pipelines, err := r.PipelinesOf([]*read.Organization{o}, filter, domain.ByName, false, read.ConnectionPart{})
			if err != nil {
				return err
			}
			for range 2 {
				if n, err := pipelines[0].Count(); err == nil {
					t.Errorf("there are %d pipelines", n)
				}
				asked++
			}
			return nil
		})
		if asked < 2 {
			t.Errorf("it was asked for %d counts: %v", asked, err)
		}
	})
}

// TestReadingsTakeManyIDs asks for more than one statement could take.
func TestReadingsTakeManyIDs(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		actor := authz.TokenActor(authz.GraphQL, testkit.AdminToken, netip.MustParseAddr("127.0.0.1"))
		err := s.Reader.Snapshot(t.Context(), actor, func(r *read.Snapshot) error {
			o, err := r.OrganizationBySlug(testkit.Organization)
			if err != nil {
				return err
			}
			organizations := make([]domain.OrganizationID, 40_000)
			memberships := make([]domain.MembershipKey, 2000)
			for i := range organizations {
				organizations[i] = domain.NewID[domain.OrganizationID]()
			}
			for i := range memberships {
				memberships[i] = domain.MembershipKey{Organization: organizations[i], User: domain.NewID[domain.UserID]()}
			}
			last := len(memberships) - 1
			memberships[last] = domain.MembershipKey{Organization: o.ID, User: testkit.MemberID}
			organizations = append(organizations, o.ID)
			reached, err := r.Organizations(organizations)
			if err != nil {
				return err
			}
			if reached[0] != nil || reached[len(reached)-1] == nil {
				t.Errorf("of the organizations, %v and %v are reached", reached[0], reached[len(reached)-1])
			}
			members, err := r.MembersOf(memberships)
			if err != nil {
				return err
			}
			if members[0] != nil || members[last] == nil || members[last].UserID != testkit.MemberID {
				t.Errorf("of the members, %v and %v are found", members[0], members[last])
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
