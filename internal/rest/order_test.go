package rest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// wantOrder checks the order of a list by one of its members, whole and in pages of one.
func wantOrder(t *testing.T, s *testkit.Server, path, member string, want ...string) {
	t.Helper()
	var inPages []any
	for page := range want {
		inPages = append(inPages, testkit.Column(s.Get(testkit.AdminToken, fmt.Sprintf("%s?per_page=1&page=%d", path, page+1)).Want(t, 200).List(), member)...)
	}
	for how, got := range map[string][]any{
		"whole":    testkit.Column(s.Get(testkit.AdminToken, path+"?per_page=100").Want(t, 200).List(), member),
		"in pages": inPages,
	} {
		if !slices.EqualFunc(got, want, func(g any, w string) bool { return g == w }) {
			t.Errorf("%s the order is %q, want %q", how, got, want)
		}
	}
}

func TestClustersAreOrderedByNameThenID(t *testing.T) {
	t.Parallel()
	id := func(n int) string { return fmt.Sprintf("0190a000-0000-7000-8000-0000000001%02d", n) }
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var clusters strings.Builder
		for i, name := range []string{"zebra", "Éclair", "apple", "Zoo", "APPLE", "apple pie", "éclair", "Apple", "_", "10", "9", "mAINTAINED"} {
			fmt.Fprintf(&clusters, "      - {id: %s, name: %q}\n", id(50-i), name) // later ones have lower ids
		}
		s.Bootstrap("organizations:\n  - slug: acme-inc\n    name: Acme Inc\n    clusters:\n" + clusters.String())
		wantOrder(t, s, clustersPath, "name",
			"10", "9", "_", "Apple", "APPLE", "apple", "apple pie", "Maintained", "mAINTAINED", "zebra", "Zoo", "éclair", "Éclair")
		// Another name is another place, at once.
		s.Patch(testkit.AdminToken, testkit.ClusterPath(id(48)), `{"name": "ZZ"}`).Want(t, 200)
		wantOrder(t, s, clustersPath, "name",
			"10", "9", "_", "Apple", "APPLE", "apple pie", "Maintained", "mAINTAINED", "zebra", "Zoo", "ZZ", "éclair", "Éclair")
	})
}

func TestQueuesAreOrderedByKey(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, key := range []string{"b", "ab", "Z", "_", "a", "-", "aB", "B", "0", "a-b", "10", "9", "DEFAULT"} {
			createdQueue(t, s, testkit.MaintainedID, key)
		}
		wantOrder(t, s, testkit.ClusterPath(testkit.MaintainedID, "queues"), "key",
			"-", "0", "10", "9", "B", "DEFAULT", "Z", "_", "a", "a-b", "aB", "ab", "b", "default")
	})
}
