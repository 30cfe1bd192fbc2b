package service_test

import (
	"net/netip"
	"sync"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// TestSavedViewsOfOneNameRace has one member save views under one name from several tabs at once: one of them is left.
func TestSavedViewsOfOneNameRace(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		actor := authz.TokenActor(authz.REST, testkit.AdminToken, netip.IPv6Loopback())
		organization := domain.OrganizationRef{Slug: testkit.Organization}
		var running sync.WaitGroup
		for _, branch := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			running.Go(func() {
				in := domain.SavedViewInput{Name: "Mine", Query: "branch=" + branch}
				if _, err := s.Service.SaveView(t.Context(), actor, organization, in); err != nil {
					t.Errorf("branch %s: %v", branch, err)
				}
			})
		}
		running.Wait()
		views, err := s.Service.SavedViews(t.Context(), actor, organization)
		if err != nil || len(views) != 1 || views[0].Name != "Mine" {
			t.Errorf("the views are %v, %v", views, err)
		}
	})
}
