package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// Who saves what somebody else has changed meanwhile is told so, and what they typed is kept.
func TestStaleFormsReplaceNothingUnasked(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		token, _ := s.Post(testkit.AdminToken, "/v2"+theCluster+"/tokens", map[string]any{"description": "First"}).Want(t, http.StatusCreated).Object()["id"].(string)
		s.Post(testkit.AdminToken, "/v2"+acme+"/portals", map[string]any{"name": "Status", "query": "{ viewer { id } }"}).Want(t, http.StatusCreated)
		for _, c := range []struct{ form, api, field string }{
			{theCluster + "/settings", "/v2" + theCluster, "description"},
			{theCluster + "/queues/" + testkit.QueueID + "/edit", "/v2" + theCluster + "/queues/" + testkit.QueueID, "description"},
			{theCluster + "/tokens/" + token + "/edit", "/v2" + theCluster + "/tokens/" + token, "description"},
			{theCluster + "/registries/" + testkit.RegistryID + "/settings", "/v2" + theCluster + "/cache-registries/" + testkit.RegistryID, "description"},
			{web1 + "/settings", "/v2" + web1, "description"},
			{acme + "/teams/" + testkit.TeamID + "/settings", "/v2" + acme + "/teams/" + testkit.TeamID, "description"},
			{acme + "/portals/status/settings", "/v2" + acme + "/portals/status", "description"},
			{acme + "/settings", "/v2" + acme, "name"},
		} {
			present := func() any { return s.Get(testkit.AdminToken, c.api).Want(t, http.StatusOK).Object()[c.field] }
			opened := b.get(c.form).want(t, http.StatusOK)
			s.Patch(testkit.AdminToken, c.api, map[string]any{c.field: "Theirs"}).Want(t, http.StatusOK)
			again := b.resubmit(opened, c.form, c.field, "Mine").want(t, http.StatusUnprocessableEntity, "changed this after you opened it", "Mine")
			if got := present(); got != "Theirs" {
				t.Errorf("%s: %v is stored", c.form, got)
			}
			// Whoever saves once more means it; and once it is saved, sending it twice does no harm.
			for range 2 {
				if a := b.resubmit(again, c.form, c.field, "Mine"); a.Status != http.StatusSeeOther {
					t.Errorf("%s, once more: %d: %s", c.form, a.Status, a.Body)
				}
			}
			if got := present(); got != "Mine" {
				t.Errorf("%s: %v is stored", c.form, got)
			}
		}
	})
}

// Trying a policy is no reason to forget which one was opened.
func TestStalePoliciesReplaceNothingUnasked(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		const form, api = theCluster + "/registries/" + testkit.RegistryID + "/policy", "/v2" + theCluster + "/cache-registries/" + testkit.RegistryID
		opened := b.get(form).want(t, http.StatusOK)
		s.Patch(testkit.AdminToken, api, map[string]any{"policy": nil}).Want(t, http.StatusOK)
		tried := b.resubmit(opened, form, "do", "test", "policy", "{}").want(t, http.StatusOK)
		again := b.resubmit(tried, form, "do", "save").want(t, http.StatusUnprocessableEntity, "changed this after you opened it")
		if body := string(s.Get(testkit.AdminToken, api).Body); !strings.Contains(body, `"policy":null`) {
			t.Errorf("stored is %s", body)
		}
		b.resubmit(again, form, "do", "save").wantRedirect(t, form)
	})
}

func TestAStaleCacheStoreReplacesNothingUnasked(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		const form = theCluster + "/registries/" + testkit.RegistryID + "/store"
		opened := b.get(form).want(t, http.StatusOK)
		b.resubmit(opened, form, "cache_store", "s3://theirs/x").wantRedirect(t, form)
		again := b.resubmit(opened, form, "cache_store", "s3://mine/x").want(t, http.StatusUnprocessableEntity, "changed this after you opened it", "s3://mine/x")
		b.get(form).want(t, http.StatusOK, "s3://theirs/x")
		b.resubmit(again, form, "cache_store", "s3://mine/x").wantRedirect(t, form)
		b.get(form).want(t, http.StatusOK, "s3://mine/x")
	})
}
