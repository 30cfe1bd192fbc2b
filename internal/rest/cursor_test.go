package rest_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// filledRegistries makes registries until the cluster Maintained has those with the slugs default, r-01 to r-07 and
// ruby-gems, and returns the slugs.
func filledRegistries(t testing.TB, s *testkit.Server) []string {
	t.Helper()
	slugs := []string{"default"}
	for i := range 7 {
		slug := fmt.Sprintf("r-%02d", i+1)
		createdRegistry(t, s, slug)
		slugs = append(slugs, slug)
	}
	return append(slugs, "ruby-gems")
}

// linksOf returns a cursor list's links.
func linksOf(a *testkit.Answer) map[string]any {
	links, _ := a.Object()["links"].(map[string]any)
	return links
}

// follow gets the page that a link leads to.
func follow(t testing.TB, s *testkit.Server, a *testkit.Answer, rel string) *testkit.Answer {
	t.Helper()
	link, _ := linksOf(a)[rel].(string)
	if link == "" {
		t.Fatalf("there is no link %s: %s", rel, a)
	}
	return s.Get(testkit.AdminToken, link).Want(t, 200)
}

func slugsOf(a *testkit.Answer) []string {
	var slugs []string
	for _, slug := range testkit.Column(a.List(), "slug") {
		slugs = append(slugs, fmt.Sprint(slug))
	}
	return slugs
}

// cursorIn returns the cursor in a link.
func cursorIn(t testing.TB, a *testkit.Answer, rel, parameter string) string {
	t.Helper()
	link, _ := linksOf(a)[rel].(string)
	u, err := url.Parse(link)
	if err != nil || u.Query().Get(parameter) == "" {
		t.Fatalf("the link %s has no %s: %s", rel, parameter, a)
	}
	return u.Query().Get(parameter)
}

func TestCursorLinks(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		filledRegistries(t, s)
		has := func(a *testkit.Answer, want ...string) {
			t.Helper()
			var got []string
			for rel := range linksOf(a) {
				got = append(got, rel)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("links %v, want %v: %s", got, want, a)
			}
		}
		first := s.Get(testkit.AdminToken, registriesPath()+"?per_page=4&other=a,b").Want(t, 200)
		has(first, "next", "self")
		if self := linksOf(first)["self"]; self != s.URL+registriesPath()+"?other=a%2Cb&per_page=4" {
			t.Errorf("self is %v", self)
		}
		second := follow(t, s, first, "next")
		has(second, "first", "next", "prev", "self")
		third := follow(t, s, second, "next")
		has(third, "first", "prev", "self")
		if again := follow(t, s, third, "first"); !slices.Equal(slugsOf(again), slugsOf(first)) {
			t.Errorf("first leads to %v", slugsOf(again))
		}
		has(s.Get(testkit.AdminToken, registriesPath()+"?per_page=100").Want(t, 200), "self")
	})
}

func TestFollowingNextVisitsEverythingOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		all := filledRegistries(t, s)
		for _, size := range []int{1, 2, 3, 9} {
			page := s.Get(testkit.AdminToken, fmt.Sprintf("%s?per_page=%d", registriesPath(), size)).Want(t, 200)
			forward := slugsOf(page)
			for linksOf(page)["next"] != nil {
				page = follow(t, s, page, "next")
				forward = append(forward, slugsOf(page)...)
			}
			if !slices.Equal(forward, all) {
				t.Errorf("by %d forward: %v", size, forward)
			}
			backward := slugsOf(page)
			for linksOf(page)["prev"] != nil {
				page = follow(t, s, page, "prev")
				backward = append(slugsOf(page), backward...)
			}
			if !slices.Equal(backward, all) {
				t.Errorf("by %d backward: %v", size, backward)
			}
		}
	})
}

func TestCursorPerPage(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for i := range 100 {
			createdRegistry(t, s, fmt.Sprintf("Registry %03d", i))
		}
		for query, length := range map[string]int{"": 30, "?per_page=1": 1, "?per_page=100": 100} {
			if n := len(s.Get(testkit.AdminToken, registriesPath()+query).Want(t, 200).List()); n != length {
				t.Errorf("%q lists %d", query, n)
			}
		}
		for _, size := range []string{"0", "101", "-1", "x", "", "1.5", "99999999999999999999", "%00"} {
			s.Get(testkit.AdminToken, registriesPath()+"?per_page="+size).WantMessage(t, 400, "per_page must be a number from 1 to 100")
		}
		s.Get(testkit.MemberToken, registriesPath()+"?per_page=0").WantMessage(t, 403, "Forbidden")
	})
}

func TestCursorsWorkAsAfterAndBefore(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		filledRegistries(t, s)
		first := s.Get(testkit.AdminToken, registriesPath()+"?per_page=4").Want(t, 200)
		at := cursorIn(t, first, "next", "after") // of r-03
		after := s.Get(testkit.AdminToken, registriesPath()+"?per_page=2&after="+at).Want(t, 200)
		before := s.Get(testkit.AdminToken, registriesPath()+"?per_page=2&before="+at).Want(t, 200)
		if got := fmt.Sprint(slugsOf(before), slugsOf(after)); got != "[r-01 r-02] [r-04 r-05]" {
			t.Errorf("around r-03 lie %s", got)
		}
		end := s.Get(testkit.AdminToken, registriesPath()+"?per_page=100&after="+at).Want(t, 200)
		last := cursorIn(t, end, "prev", "before") // of r-04
		if got := slugsOf(s.Get(testkit.AdminToken, registriesPath()+"?per_page=1&after="+last).Want(t, 200)); fmt.Sprint(got) != "[r-05]" {
			t.Errorf("after r-04 lies %v", got)
		}
	})
}

func TestAfterAndBeforeExcludeEachOther(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		filledRegistries(t, s)
		at := cursorIn(t, s.Get(testkit.AdminToken, registriesPath()+"?per_page=4").Want(t, 200), "next", "after")
		s.Get(testkit.AdminToken, registriesPath()+"?after="+at+"&before="+at).WantMessage(t, 400, "after and before can't be given together")
	})
}

func TestDamagedCursorsAreRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		filledRegistries(t, s)
		at := cursorIn(t, s.Get(testkit.AdminToken, registriesPath()+"?per_page=4").Want(t, 200), "next", "after")
		flipped := "A" + at[1:]
		if at[0] == 'A' {
			flipped = "B" + at[1:]
		}
		for _, cursor := range []string{"", "x", flipped, at[:len(at)-1], at + "A", strings.ToLower(at) + "=", "%00", "%FF", "null"} {
			for _, parameter := range []string{"after", "before"} {
				a := s.Get(testkit.AdminToken, registriesPath()+"?"+parameter+"="+cursor).Want(t, 400)
				if !strings.Contains(a.Message(), "cursor") {
					t.Errorf("the message does not say what is wrong: %s", a)
				}
			}
		}
		elsewhere := testkit.ClusterPath(createdCluster(t, s), "cache-registries")
		s.Get(testkit.AdminToken, elsewhere+"?after="+at).Want(t, 400)
	})
}

func TestCursorSurvivesDeletionAndRenaming(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		filledRegistries(t, s)
		page := s.Get(testkit.AdminToken, registriesPath()+"?per_page=4").Want(t, 200) // default to r-03
		uuid := fmt.Sprint(page.List()[3]["uuid"])
		s.Patch(testkit.AdminToken, registriesPath(uuid), `{"name": "z last"}`).Want(t, 200)
		if got := fmt.Sprint(slugsOf(follow(t, s, page, "next"))); got != "[r-04 r-05 r-06 r-07]" {
			t.Errorf("after renaming the item at the cursor: %s", got)
		}
		s.Delete(testkit.AdminToken, registriesPath(uuid)).Want(t, 204)
		rest := follow(t, s, page, "next")
		if got := fmt.Sprint(slugsOf(rest)); got != "[r-04 r-05 r-06 r-07]" {
			t.Errorf("after deleting the item at the cursor: %s", got)
		}
		createdRegistry(t, s, "r-03")
		if got := fmt.Sprint(slugsOf(follow(t, s, rest, "prev"))); got != "[default r-01 r-02 r-03]" {
			t.Errorf("back again: %s", got)
		}
	})
}
