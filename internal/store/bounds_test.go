package store_test

import (
	"fmt"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

// pipelineWithBuilds returns the id of a new pipeline that has so many builds.
func pipelineWithBuilds(t *testing.T, s *testkit.Server, name string, builds int) string {
	t.Helper()
	made := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", fmt.Sprintf(`{"name": %q, "repository": "r", "cluster_id": %q,
		"configuration": "steps: [{command: make}]"}`, name, testkit.MaintainedID)).Want(t, 201)
	for i := range builds {
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/"+made.Text("slug")+"/builds",
			fmt.Sprintf(`{"commit": "HEAD", "branch": "main", "message": "Change %d"}`, i+1)).Want(t, 201)
	}
	return made.Text("id")
}

// TestLongListsAreCountedUpToALimit counts the builds and jobs of pipelines that have fewer than the limit, as many, and more.
func TestLongListsAreCountedUpToALimit(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		parents := []string{pipelineWithBuilds(t, s, "None", 0), pipelineWithBuilds(t, s, "Two", 2), pipelineWithBuilds(t, s, "Three", 3), pipelineWithBuilds(t, s, "Four", 4)}
		type bounded struct {
			count     int64
			isBounded bool
		}
		want := []bounded{{0, false}, {2, false}, {3, false}, {3, true}}
		check := func(name string, boundCount func(int64) (int64, bool), counts []int64, err error) {
			t.Helper()
			for i := range want {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				count, isBounded := boundCount(counts[i])
				if got := (bounded{count, isBounded}); got != want[i] {
					t.Errorf("%s of pipeline %d: %v, not %v", name, i, got, want[i])
				}
			}
		}
		err := store.New(s.DB).Read(t.Context(), func(tx store.Tx) error {
			builds := store.CountedUpTo(store.BuildsOfPipelines(domain.BuildFilter{}), 3)
			counts, err := builds.Count(tx, store.Viewer{}, parents)
			check("builds", builds.BoundCount, counts, err)
			one := store.CountedUpTo(store.BuildsOfPipelines(domain.BuildFilter{States: []flow.BuildState{flow.BuildScheduled}}), 3)
			counts, err = one.Count(tx, store.Viewer{}, parents)
			check("scheduled builds", one.BoundCount, counts, err)
			jobs := store.CountedUpTo(store.JobsOfPipelines(domain.JobSearch{}, domain.RecentlyCreated), 3)
			counts, err = jobs.Count(tx, store.Viewer{}, parents)
			check("jobs", jobs.BoundCount, counts, err)
			waiting := store.JobsOfPipelines(domain.JobSearch{States: []flow.JobState{flow.Scheduled}}, domain.RecentlyCreated)
			if counts, err := waiting.Count(tx, store.Viewer{}, parents); err != nil || counts[3] != 4 {
				t.Errorf("%v waiting jobs, %v", counts, err)
			}
			if n, isBounded := waiting.BoundCount(1_000_000); n != 1_000_000 || isBounded {
				t.Error("jobs that have not ended are not all counted")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestPartsOfLongLists reads the first of a pipeline's builds alone, as far as they are counted, and those with a text in their messages.
func TestPartsOfLongLists(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := pipelineWithBuilds(t, s, "Searched", 5)
		numbers := func(l store.List[*domain.BuildView], tx store.Tx) (found []int64) {
			paged, err := l.ReadShallowPage(tx, store.Viewer{}, pipeline, domain.Page{Number: 1, Size: 30}, 100)
			if err != nil || int(paged.Total) != len(paged.Items) {
				t.Errorf("%d of %d builds, %v", len(paged.Items), paged.Total, err)
			}
			for _, b := range paged.Items {
				found = append(found, b.Number)
			}
			return found
		}
		err := store.New(s.DB).Read(t.Context(), func(tx store.Tx) error {
			all := store.BuildsOfPipelines(domain.BuildFilter{})
			for first, want := range map[int64]string{1: "[5]", 3: "[5 4 3]", 5: "[5 4 3 2 1]", 6: "[5 4 3 2 1]"} {
				list, err := store.OnlyFirst(tx, all, store.Viewer{}, pipeline, first)
				if got := fmt.Sprint(numbers(list, tx)); err != nil || got != want {
					t.Errorf("the first %d are %s, not %s, %v", first, got, want, err)
				}
			}
			for depth, want := range map[int64]domain.Paged[any]{2: {Total: 2, IsLonger: true}, 4: {Total: 4, IsLonger: true}, 5: {Total: 5}, 6: {Total: 5}} {
				paged, err := all.ReadShallowPage(tx, store.Viewer{}, pipeline, domain.Page{Number: 1, Size: 2}, depth)
				if err != nil || len(paged.Items) != 2 || paged.Total != want.Total || paged.IsLonger != want.IsLonger {
					t.Errorf("%d items of %d, longer: %v, %v, not %v", len(paged.Items), paged.Total, paged.IsLonger, err, want)
				}
			}
			for text, want := range map[string]string{"change": "[5 4 3 2 1]", "CHANGE 2": "[2]", "nowhere": "[]", "%": "[]"} {
				list, err := tx.SearchMessages(store.Viewer{}, all, pipeline, text)
				if got := fmt.Sprint(numbers(list, tx)); err != nil || got != want {
					t.Errorf("%s finds %s, not %s, %v", text, got, want, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
