package web_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

var titleElement = regexp.MustCompile(`<title>(.*?)</title>`)

// TestTitlesAreDistinct looks at every page that there is: tabs of a browser can be told apart by what they say.
func TestTitlesAreDistinct(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		seen := map[string]string{}
		s.Post(testkit.AdminToken, "/v2"+acme+"/portals", map[string]any{"name": "Status", "query": "{ viewer { id } }"}).Want(t, http.StatusCreated)
		b := s.signedIn("admin@example.com")
		for _, c := range pageCases {
			a := b.get(c.path)
			found := titleElement.FindStringSubmatch(a.Body)
			if a.Status != http.StatusOK || found == nil {
				continue
			}
			path := strings.Replace(c.path, acme+"/pipelines/web/builds", "/acme-inc/web/builds", 1) // builds have two addresses
			if other, taken := seen[found[1]]; taken && other != path {
				t.Errorf("%s and %s are both called %q", other, path, found[1])
			}
			seen[found[1]] = path
			parts := strings.Split(strings.ToLower(found[1]), " · ")
			slices.Sort(parts)
			if len(slices.Compact(parts)) != strings.Count(found[1], " · ")+1 {
				t.Errorf("%s says something twice: %q", path, found[1])
			}
		}
		if len(seen) < 30 {
			t.Errorf("only %d pages are shown", len(seen))
		}
	})
}
