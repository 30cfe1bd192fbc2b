package rest_test

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// pageLists are the paths of the lists that are paged by numbers.
func pageLists() map[string]string {
	return map[string]string{
		"organizations": "/v2/organizations",
		"clusters":      "/v2/organizations/acme-inc/clusters",
		"queues":        testkit.ClusterPath(testkit.MaintainedID, "queues"),
		"tokens":        testkit.ClusterPath(testkit.MaintainedID, "tokens"),
		"maintainers":   testkit.ClusterPath(testkit.MaintainedID, "maintainers"),
	}
}

// eachFullServer runs fn on servers on which each list has n things; their names sort in the order of creation.
func eachFullServer(t *testing.T, n int, fn func(t *testing.T, s *testkit.Server, token string)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{})
		var users, members, organizations, clusters, queues, maintainers, slugs strings.Builder
		for i := range n {
			fmt.Fprintf(&users, "  - {email: u%03d@example.com, name: U}\n", i)
			fmt.Fprintf(&members, "      - {user: u%03d@example.com, role: member}\n", i)
			fmt.Fprintf(&organizations, "  - {slug: o%03d, name: O%03d, members: [{user: admin@example.com, role: admin}]}\n", i, i)
			if i > 0 { // the fixture has one
				fmt.Fprintf(&clusters, "      - {name: N%03d}\n", i)
				fmt.Fprintf(&queues, "{key: n%03d}, ", i)
			}
			if i > 1 { // the fixture has two; only operators may go beyond 100
				fmt.Fprintf(&maintainers, "{user: u%03d@example.com}, ", i)
			}
			fmt.Fprintf(&slugs, "o%03d, ", i)
		}
		s.Bootstrap("users:\n" + users.String() + "organizations:\n" + organizations.String() +
			"  - slug: acme-inc\n    name: Acme Inc\n    members:\n" + members.String() +
			"    clusters:\n      - {name: Maintained, queues: [" + queues.String() + "], maintainers: [" + maintainers.String() + "]}\n" + clusters.String() +
			"tokens:\n  - {user: admin@example.com, token: token-for-many-organizations, description: x, organizations: [" + slugs.String() + "], scopes: [read_organizations]}\n")
		for i := range n {
			surfaceMade(t, s, testkit.ClusterPath(testkit.MaintainedID, "tokens"), fmt.Sprintf(`{"description": "T%03d"}`, i))
		}
		fn(t, s, "token-for-many-organizations")
	})
}

// pageToken returns the token that reads a list.
func pageToken(list, many string) string {
	if list == "organizations" {
		return many
	}
	return testkit.AdminToken
}

func TestPageListsAreArrays(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		empty := testkit.ClusterPath(surfaceMade(t, s, pageLists()["clusters"], `{"name": "Empty"}`))
		for list, path := range pageLists() {
			if body := string(s.Get(testkit.AdminToken, path).Want(t, 200).Body); !strings.HasPrefix(body, "[") {
				t.Errorf("%s: %s", list, body)
			}
		}
		for _, below := range []string{"/queues", "/tokens", "/maintainers"} {
			answer := s.Get(testkit.AdminToken, empty+below).Want(t, 200)
			if string(answer.Body) != "[]" || answer.Header.Get("Link") != "" {
				t.Errorf("Link %q: %s", answer.Header.Get("Link"), answer)
			}
		}
		if answer := s.Get(testkit.UngrantedToken, "/v2/organizations").Want(t, 200); string(answer.Body) != "[]" {
			t.Errorf("%s", answer)
		}
	})
}

func TestListClustersInPages(t *testing.T) {
	eachFullServer(t, 7, func(t *testing.T, s *testkit.Server, many string) {
		for list, path := range pageLists() {
			token := pageToken(list, many)
			whole := s.Get(token, path).Want(t, 200).List()
			if len(whole) != 7 {
				t.Errorf("%s has %d items", list, len(whole))
			}
			ids := testkit.Column(whole, "id")
			var seen []any
			for page := 1; page <= 3; page++ {
				part := s.Get(token, fmt.Sprintf("%s?per_page=3&page=%d", path, page)).Want(t, 200).List()
				if want := min(3, 7-3*(page-1)); len(part) != want {
					t.Errorf("%s: page %d has %d items, not %d", list, page, len(part), want)
				}
				seen = append(seen, testkit.Column(part, "id")...)
			}
			if !slices.Equal(seen, ids) {
				t.Errorf("%s: the pages have %v, not %v", list, seen, ids)
			}
			if first := s.Get(token, path+"?per_page=3").List(); !slices.Equal(testkit.Column(first, "id"), ids[:3]) {
				t.Errorf("%s: page 1 is not the default", list)
			}
		}
	})
}

func TestPerPageDefaultsAndCap(t *testing.T) {
	eachFullServer(t, 101, func(t *testing.T, s *testkit.Server, many string) {
		for list, path := range pageLists() {
			for query, want := range map[string]int{"": 30, "?page=1": 30, "?per_page=1": 1, "?per_page=99": 99, "?per_page=100": 100,
				"?per_page=101": 100, "?per_page=2147483647": 100, "?per_page=1000&page=2": 1} {
				if got := len(s.Get(pageToken(list, many), path+query).Want(t, 200).List()); got != want {
					t.Errorf("%s%s has %d items, not %d", list, query, got, want)
				}
			}
		}
	})
}

func TestBadPageNumbersAreRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, path := range pageLists() {
			for _, number := range []string{
				"", "0", "-1", "-0", "1.5", "1e3", "0x10", "one", "%201", "1%20", "1,000", "1_000", "NaN", "%00", "%FF", "٣", "null", "1;2",
				"2147483649", "4294967297", "9223372036854775807", "9223372036854775808", "99999999999999999999999999",
			} {
				s.Get(testkit.AdminToken, path+"?page="+number).Want(t, 400)
				s.Get(testkit.AdminToken, path+"?per_page="+number).Want(t, 400)
			}
			s.Get(testkit.AdminToken, path+"?page").Want(t, 400)
			s.Get(testkit.AdminToken, path+"?page=%zz").Want(t, 400)
			// The largest number is no trouble.
			if answer := s.Get(testkit.AdminToken, path+"?page=2147483647&per_page=2147483647").Want(t, 200); string(answer.Body) != "[]" {
				t.Errorf("%s", answer)
			}
		}
	})
}

func TestListPagesPastTheEndAreEmpty(t *testing.T) {
	eachFullServer(t, 4, func(t *testing.T, s *testkit.Server, many string) {
		for list, path := range pageLists() {
			for _, page := range []string{"3", "4", "1000"} {
				answer := s.Get(pageToken(list, many), path+"?per_page=2&page="+page).Want(t, 200)
				if string(answer.Body) != "[]" {
					t.Errorf("%s", answer)
				}
				if got := pageLinks(t, answer); got["first"] != "1" || got["prev"] != "2" || got["next"] != "" {
					t.Errorf("%v: %s", got, answer)
				}
			}
		}
	})
}

// pageLink is a link in the form that RFC 8288 gives it.
var pageLink = regexp.MustCompile(`^<([^<>,"\s]+)>; rel="(first|prev|next|last)"$`)

// pageLinks returns the numbers of the pages that an answer's Link header names.
func pageLinks(t *testing.T, a *testkit.Answer) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for rel, link := range pageLinkURLs(t, a) {
		pages[rel] = link.Query().Get("page")
	}
	return pages
}

func pageLinkURLs(t *testing.T, a *testkit.Answer) map[string]*url.URL {
	t.Helper()
	headers := a.Header.Values("Link")
	if len(headers) > 1 {
		t.Errorf("%d Link headers: %s", len(headers), a)
	}
	links := map[string]*url.URL{}
	if len(headers) == 0 {
		return links
	}
	for link := range strings.SplitSeq(headers[0], ", ") {
		match := pageLink.FindStringSubmatch(link)
		if match == nil {
			t.Fatalf("not a link: %s", link)
		}
		if links[match[2]] != nil {
			t.Errorf("two links are %s: %s", match[2], headers[0])
		}
		parsed, err := url.Parse(match[1])
		if err != nil {
			t.Fatal(err)
		}
		links[match[2]] = parsed
	}
	return links
}

func TestLinkHeaderNamesThePagesThatExist(t *testing.T) {
	eachFullServer(t, 7, func(t *testing.T, s *testkit.Server, many string) {
		for list, path := range pageLists() {
			for query, want := range map[string]string{
				"":                    "map[]",
				"?per_page=7":         "map[]",
				"?per_page=3":         "map[last:3 next:2]",
				"?per_page=3&page=1":  "map[last:3 next:2]",
				"?per_page=3&page=2":  "map[first:1 last:3 next:3 prev:1]",
				"?per_page=3&page=3":  "map[first:1 prev:2]",
				"?per_page=6&page=2":  "map[first:1 prev:1]",
				"?per_page=7&page=2":  "map[first:1 prev:1]",
				"?per_page=3&page=50": "map[first:1 prev:3]",
			} {
				answer := s.Get(pageToken(list, many), path+query).Want(t, 200)
				if got := fmt.Sprint(pageLinks(t, answer)); got != want {
					t.Errorf("%s%s: %s, not %s", list, query, got, want)
				}
			}
			// Following next visits everything once, and prev leads back.
			var ids []any
			at := path + "?per_page=2"
			for at != "" {
				answer := s.Get(pageToken(list, many), at).Want(t, 200)
				ids = append(ids, testkit.Column(answer.List(), "id")...)
				links := pageLinkURLs(t, answer)
				if at = ""; links["next"] != nil {
					at = links["next"].String()
				} else if back := s.Get(pageToken(list, many), links["prev"].String()).Want(t, 200).List(); !slices.Equal(testkit.Column(back, "id"), ids[4:6]) {
					t.Errorf("%s: prev leads to %v", list, testkit.Column(back, "id"))
				}
			}
			if whole := testkit.Column(s.Get(pageToken(list, many), path).List(), "id"); !slices.Equal(ids, whole) {
				t.Errorf("%s: following next visits %v, not %v", list, ids, whole)
			}
		}
	})
}

func TestLinkHeaderKeepsOtherParameters(t *testing.T) {
	eachFullServer(t, 3, func(t *testing.T, s *testkit.Server, many string) {
		const others = `a=1%2C2&a=3&b=%3C%3E%22%3B+%25&%C3%BC=%F0%9F%9A%80&c=x,y&d=%FF%00&e=%0D%0ASet-Cookie:+x&empty=`
		want, err := url.ParseQuery(others)
		if err != nil {
			t.Fatal(err)
		}
		for list, path := range pageLists() {
			answer := s.Get(pageToken(list, many), path+"?"+others+"&per_page=1&page=2").Want(t, 200)
			links := pageLinkURLs(t, answer)
			if len(links) != 4 {
				t.Errorf("%v: %s", links, answer)
			}
			for rel, link := range links {
				got := link.Query()
				got.Del("page")
				if got.Get("per_page") != "1" || link.Path != path {
					t.Errorf("%s of %s is %s", rel, list, link)
				}
				if got.Del("per_page"); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s of %s has %v, not %v", rel, list, got, want)
				}
			}
		}
	})
}

// TestDeepPagesFollowChanges reads all pages of lists, so that places in them are remembered, and again after each kind of change: in the
// server and by another one.
func TestDeepPagesFollowChanges(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		other := service.New(service.Options{Core: core.New(core.Options{DB: s.DB, Now: s.Clock.Now})})
		for n := range 12 {
			surfaceMade(t, s, clustersPath, fmt.Sprintf(`{"name": "Fleet %02d"}`, n))
			createdPipeline(t, s, fmt.Sprintf("Product %02d", n))
		}
		wantPages := func(what string) {
			t.Helper()
			for _, path := range []string{clustersPath, pipelinesPath} {
				whole := testkit.Column(s.Get(testkit.AdminToken, path+"?per_page=100").Want(t, 200).List(), "name")
				var seen []any
				for page := 1; len(seen) < len(whole); page++ {
					part := s.Get(testkit.AdminToken, fmt.Sprintf("%s?per_page=2&page=%d", path, page)).Want(t, 200).List()
					if len(part) == 0 {
						break
					}
					seen = append(seen, testkit.Column(part, "name")...)
				}
				if !slices.Equal(seen, whole) {
					t.Errorf("%s: the pages of %s have %v, not %v", what, path, seen, whole)
				}
			}
		}
		wantPages("at first")
		wantPages("remembered")
		ids := map[string]string{}
		for _, cluster := range s.Get(testkit.AdminToken, clustersPath+"?per_page=100").List() {
			ids[cluster["name"].(string)] = cluster["id"].(string)
		}
		s.Put(testkit.AdminToken, testkit.ClusterPath(ids["Fleet 01"]), `{"name": "Zeppelins"}`).Want(t, 200)
		s.Patch(testkit.AdminToken, pipelinesPath+"/product-01", `{"name": "Zeppelin"}`).Want(t, 200)
		wantPages("renamed")
		s.Delete(testkit.AdminToken, testkit.ClusterPath(ids["Fleet 02"])).Want(t, 204)
		s.Delete(testkit.AdminToken, pipelinesPath+"/product-02").Want(t, 204)
		wantPages("deleted")
		surfaceMade(t, s, clustersPath, `{"name": "Abacuses"}`)
		createdPipeline(t, s, "Abacus")
		wantPages("made")
		actor := authz.TokenActor(authz.REST, testkit.AdminToken, netip.IPv6Loopback())
		renamed := core.Sent(domain.ClusterPatch{Name: domain.Some("Yachts")}, nil)
		if _, err := other.UpdateCluster(t.Context(), actor, domain.ClusterRef{Organization: domain.OrganizationRef{Slug: "acme-inc"},
			ID: ids["Fleet 03"]}, renamed, nil); err != nil {
			t.Fatal(err)
		}
		wantPages("renamed by another server")
	})
}
