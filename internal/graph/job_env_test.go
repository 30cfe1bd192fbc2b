package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// TestEnvOfJobs asks as the documentation of the interface does.
func TestEnvOfJobs(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		builtPipeline(t, s, "web", `steps: [{command: make, key: make, env: {STEP: "1"}}, {command: make, parallelism: 101}, wait]`, nil)
		newBuild(t, s, "web", fields{"env": fields{"BUILD": "two words"}})
		const document = `query ($slug: ID!, $first: Int!) { build(slug: $slug) { message jobs(first: $first) { edges { node { ... on JobTypeCommand { uuid label env } } } } } }`
		last := strings.Replace(document, "jobs(first: $first)", "jobs(last: $first)", 1) // the step that is the first
		edges := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, last, fields{"slug": "acme-inc/web/1", "first": 10})), "build", "jobs", "edges").([]any)
		for _, edge := range edges {
			node := dig(t, edge, "node").(item)
			var got []string
			for _, line := range node["env"].([]any) {
				got = append(got, line.(string))
			}
			byREST := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/jobs/"+textAt(node, "uuid")+"/env").Want(t, 200).Object()["env"].(map[string]any)
			var want []string
			for name, value := range byREST {
				want = append(want, fmt.Sprint(name, "=", value))
			}
			slices.Sort(want)
			slices.Sort(got)
			if len(want) < 20 || !slices.Equal(got, want) {
				t.Fatalf("the environment is\n%s, not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if first := fmt.Sprint(edges[len(edges)-1]); !strings.Contains(first, " STEP=1") || !strings.Contains(first, "BUILD=two words") {
			t.Errorf("the first job's environment is %v", first)
		}
		many := s.GraphQL(testkit.AdminToken, document, fields{"slug": "acme-inc/web/1", "first": 500})
		if !strings.Contains(string(many.Body), "The environment of at most 100 jobs can be read at once") {
			t.Errorf("of too many jobs: %.300s", many.Body)
		}
	})
}
