package web_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

var anyLink = regexp.MustCompile(`<a [^>]*href="(/[^"#]*)`)

// TestLinksLeadSomewhere follows every link that a page shows to who has few rights: none leads to a page that refuses them.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, email := range []string{"member@example.com", "maintainer@example.com"} {
		t.Run(email, func(t *testing.T) {
			t.Parallel()
			eachSite(t, func(t *testing.T, s *site) {
				s.Post(testkit.AdminToken, "/v2"+acme+"/pipelines", map[string]any{
					"name": "Reachable", "repository": "git@example.com:acme/web.git", "cluster_id": testkit.MaintainedID, "configuration": "steps: []",
				}).Want(t, http.StatusCreated)
				b := s.signedIn(email)
				from := map[string]string{acme: ""}
				for todo := []string{acme}; len(todo) > 0 && len(from) < 400; {
					path := todo[0]
					todo = todo[1:]
					a := b.get(path)
					switch a.Status {
					case http.StatusForbidden, http.StatusNotFound:
						t.Errorf("%s leads to %s, which is answered with %d", from[path], path, a.Status)
						continue
					case http.StatusOK:
					default:
						continue
					}
					for _, found := range anyLink.FindAllStringSubmatch(a.Body, -1) {
						to := html.UnescapeString(found[1])
						if _, known := from[to]; !known && strings.HasPrefix(to, acme) && !strings.Contains(to, "?") {
							from[to] = path
							todo = append(todo, to)
						}
					}
				}
				if len(from) < 15 {
					t.Errorf("only %d pages were found", len(from))
				}
			})
		})
	}
}

// TestRefusalsSayWhoCanHelp looks at pages that a plain member may not use.
func TestRefusalsSayWhoCanHelp(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		for path, said := range map[string]string{
			acme + "/settings":      "Only administrators of Acme Inc can do this.",
			acme + "/audit":         "Only administrators of Acme Inc can do this.",
			acme + "/new-portal":    "Only administrators of Acme Inc can do this.",
			theCluster + "/tokens":  "Only this cluster's maintainers and administrators of Acme Inc can do this.",
			theCluster + "/secrets": "Only this cluster's maintainers and administrators of Acme Inc can do this.",
		} {
			checkMarkup(t, b.get(path).want(t, http.StatusForbidden, "No permission", said, `<a class="button" href="`+acme+`/members">See members and their roles</a>`))
		}
	})
}
