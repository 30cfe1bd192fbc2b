package service_test

import (
	"testing"

	"penstock/internal/testkit"
)

// TestBootstrapAddsToWhatIsThereInTheFilesOrder has new items for clusters, default teams and usage against the order of their ids.
func TestBootstrapAddsToWhatIsThereInTheFilesOrder(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		testkit.Change(t, s.DB, `UPDATE teams SET is_default_team = TRUE`)
		added := `
users: [{email: new@example.com, name: New}]
organizations:
  - slug: elsewhere
    name: Elsewhere
    members: [{user: new@example.com}]
    clusters:
      - {name: Made, queues: [{key: first}]}
      - {name: Elsewhere, queues: [{key: new}, {key: newer}], cache_registries: [{name: New}], maintainers: [{user: new@example.com}]}
  - slug: acme-inc
    name: Acme Inc
    members: [{user: new@example.com}, {user: outsider@example.com}]
    clusters: [{name: Maintained, queues: [{key: new}]}]
    pipelines: [{name: New, repository: x, cluster: Maintained}]
  - {slug: child, name: Child, billing_parent: elsewhere}
activity:
  - {organization: elsewhere, user: new@example.com, on: 2026-05-02}
  - {organization: acme-inc, user: new@example.com, on: 2026-05-02}
  - {organization: elsewhere, user: outsider@example.com, on: 2026-05-02}
`
		s.Bootstrap(added)
		for query, want := range map[string]int64{
			`SELECT count(*) FROM cluster_queues WHERE key <> 'default'`:                                4,
			`SELECT count(*) FROM team_members`:                                                         3,
			`SELECT count(*) FROM activity_days`:                                                        3,
			`SELECT count(*) FROM cluster_maintainers WHERE cluster_id = '` + testkit.ElsewhereID + `'`: 1,
		} {
			if n := countOf(t, s.DB, query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
	})
}
