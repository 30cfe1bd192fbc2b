package web_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

var pagerLink = regexp.MustCompile(`href="([^"]+)">(First|Previous|Next|Last)</a>`)

// pagerLinks returns where the links between the pages of a list lead, by what they say.
func (a *answer) pagerLinks() map[string]string {
	links := map[string]string{}
	for _, found := range pagerLink.FindAllStringSubmatch(a.Body, -1) {
		links[found[2]] = html.UnescapeString(found[1])
	}
	return links
}

// TestListsSayWhereTheirPagesAre goes through lists page by page: one that is read by cursors, and one by numbers.
func TestListsSayWhereTheirPagesAre(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		for i := range 65 {
			s.Post(testkit.AdminToken, "/v2"+acme+"/clusters", map[string]any{"name": fmt.Sprintf("Many %03d", i)}).Want(t, http.StatusCreated)
			s.Post(testkit.AdminToken, "/v2"+theCluster+"/tokens", map[string]any{"description": fmt.Sprintf("Many %03d", i)}).Want(t, http.StatusCreated)
		}
		b := s.signedIn("admin@example.com")
		for path, noun := range map[string]string{acme + "/clusters?search=many": "clusters", theCluster + "/tokens": "agent tokens"} {
			a := b.get(path).want(t, http.StatusOK, "1–30 of 65 "+noun, "Page 1 of 3")
			checkMarkup(t, a)
			links := a.pagerLinks()
			if links["First"] != "" || links["Previous"] != "" {
				t.Errorf("the first page of %s leads back to %v", path, links)
			}
			second := b.get(links["Next"]).want(t, http.StatusOK, "31–60 of 65 "+noun, "Page 2 of 3")
			third := b.get(second.pagerLinks()["Next"]).want(t, http.StatusOK, "61–65 of 65 "+noun, "Page 3 of 3", "Many 064")
			last := b.get(links["Last"]).want(t, http.StatusOK, "61–65 of 65 "+noun, "Page 3 of 3", "Many 064")
			if strings.Contains(last.Body, "Many 059") || last.pagerLinks()["Next"] != "" || last.pagerLinks()["Last"] != "" {
				t.Errorf("the last page of %s is %s", path, last.Body)
			}
			b.get(third.pagerLinks()["Previous"]).want(t, http.StatusOK, "31–60 of 65 "+noun, "Page 2 of 3", "Many 059")
			b.get(last.pagerLinks()["Previous"]).want(t, http.StatusOK, "31–60 of 65 "+noun, "Many 030", "Many 059")
			b.get(last.pagerLinks()["First"]).want(t, http.StatusOK, "1–30 of 65 "+noun, "Many 000")
		}
		one := b.get(acme+"/clusters?search=Many+033").want(t, http.StatusOK, "<p>1 cluster</p>")
		if strings.Contains(one.Body, "Page 1") {
			t.Errorf("a list of one page has links to others: %s", one.Body)
		}
		for _, odd := range []string{"last=0", "last=31", "last=x", "page=-1", "page=999&after=x"} {
			if a := b.get(acme + "/clusters?" + odd); a.Status >= http.StatusInternalServerError {
				t.Errorf("?%s is answered with %d", odd, a.Status)
			}
		}
	})
}
