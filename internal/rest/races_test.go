package rest_test

import (
	"testing"

	"penstock/internal/testkit"
)

// wantTrueCounters checks that the stored counters equal what they count.
func wantTrueCounters(t testing.TB, s *testkit.Server) {
	t.Helper()
	for counter, query := range map[string]string{
		"clusters_count": `SELECT count(*) FROM organizations o
			WHERE o.clusters_count <> (SELECT count(*) FROM clusters c WHERE c.organization_id = o.id)`,
		"queues_count": `SELECT count(*) FROM clusters c
			WHERE c.queues_count <> (SELECT count(*) FROM cluster_queues q WHERE q.cluster_id = c.id)`,
		"hosted_queues_count": `SELECT count(*) FROM clusters c
			WHERE c.hosted_queues_count <> (SELECT count(*) FROM cluster_queues q WHERE q.cluster_id = c.id AND q.instance_shape IS NOT NULL)`,
		"agent_tokens_count": `SELECT count(*) FROM clusters c
			WHERE c.agent_tokens_count <> (SELECT count(*) FROM cluster_agent_tokens a WHERE a.cluster_id = c.id)`,
	} {
		if n := storedNumber(t, s, query); n != 0 {
			t.Errorf("%s is wrong in %d rows", counter, n)
		}
	}
}
