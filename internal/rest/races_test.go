package rest_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"penstock/internal/testkit"
)

// rounds is how often two requests race: each round can go either way.
const rounds = 8

// atOnce sends all requests at the same time, as the administrator unless they have a token, and returns their answers.
func atOnce(s *testkit.Server, requests ...testkit.Request) []*testkit.Answer {
	answers := make([]*testkit.Answer, len(requests))
	start := make(chan struct{})
	var sent sync.WaitGroup
	for i, request := range requests {
		request.Token = cmp.Or(request.Token, testkit.AdminToken)
		sent.Go(func() {
			<-start
			answers[i] = s.Do(request)
		})
	}
	close(start)
	sent.Wait()
	return answers
}

// wantTrueCounters checks that the stored counters equal what they count.
func wantTrueCounters(t testing.TB, s *testkit.Server) {
	t.Helper()
	for counter, query := range map[string]string{
		"clusters": `SELECT count(*) FROM organizations o WHERE (SELECT COALESCE(sum(n.clusters), 0) FROM organization_counts n WHERE n.organization_id = o.id)
			<> (SELECT count(*) FROM clusters c WHERE c.organization_id = o.id)`,
		"pipelines": `SELECT count(*) FROM organizations o WHERE (SELECT COALESCE(sum(n.pipelines), 0) FROM organization_counts n WHERE n.organization_id = o.id)
			<> (SELECT count(*) FROM pipelines p WHERE p.organization_id = o.id)`,
		"archived_pipelines": `SELECT count(*) FROM organizations o WHERE (SELECT COALESCE(sum(n.archived_pipelines), 0) FROM organization_counts n WHERE n.organization_id = o.id)
			<> (SELECT count(*) FROM pipelines p WHERE p.organization_id = o.id AND p.archived_at IS NOT NULL)`,
		"queues_count": `SELECT count(*) FROM clusters c
			WHERE c.queues_count <> (SELECT count(*) FROM cluster_queues q WHERE q.cluster_id = c.id)`,
		"hosted_queues_count": `SELECT count(*) FROM clusters c
			WHERE c.hosted_queues_count <> (SELECT count(*) FROM cluster_queues q WHERE q.cluster_id = c.id AND q.instance_shape IS NOT NULL)`,
	} {
		if n := storedNumber(t, s, query); n != 0 {
			t.Errorf("%s is wrong in %d rows", counter, n)
		}
	}
}

// wantEither checks that the answers have one of the allowed combinations of statuses.
func wantEither(t testing.TB, answers []*testkit.Answer, allowed ...[]int) {
	t.Helper()
	statuses := make([]int, len(answers))
	for i, answer := range answers {
		statuses[i] = answer.Status
	}
	if !slices.ContainsFunc(allowed, func(a []int) bool { return slices.Equal(a, statuses) }) {
		t.Errorf("statuses %v, want one of %v: %v", statuses, allowed, answers)
	}
}

func TestThingsCreatedAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var requests []testkit.Request
		for i := range 8 {
			requests = append(requests,
				testkit.Request{Method: "POST", Path: clustersPath, Body: `{"name": "Same", "maintainers": [{"user": "` + testkit.MemberID + `"}]}`},
				testkit.Request{Method: "POST", Path: testkit.ClusterPath(testkit.MaintainedID, "queues"), Body: fmt.Sprintf(`{"key": "plain-%d"}`, i)},
				testkit.Request{Method: "POST", Path: testkit.ClusterPath(testkit.MaintainedID, "queues"), Body: strings.Replace(hostedQueue, `"hosted"`, fmt.Sprintf(`"hosted-%d"`, i), 1)},
				testkit.Request{Method: "POST", Path: testkit.ClusterPath(testkit.MaintainedID, "tokens"), Body: `{"description": "Same"}`},
			)
		}
		ids := map[string]bool{}
		for _, answer := range atOnce(s, requests...) {
			ids[answer.Want(t, 201).Text("id")] = true
		}
		if len(ids) != len(requests) {
			t.Errorf("%d ids of %d things", len(ids), len(requests))
		}
		for path, want := range map[string]int{
			clustersPath: 1 + 8,
			testkit.ClusterPath(testkit.MaintainedID, "queues"): 1 + 16,
			testkit.ClusterPath(testkit.MaintainedID, "tokens"): 8,
		} {
			if n := len(s.Get(testkit.AdminToken, path).Want(t, 200).List()); n != want {
				t.Errorf("%d of %d in %s", n, want, path)
			}
		}
		wantTrueCounters(t, s)
	})
}

// Whoever reads the counts while they change reads what is there.
func TestCountsAreExactWhileThingsChange(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var writers sync.WaitGroup
		for worker := range 12 {
			writers.Go(func() {
				for round := range 4 {
					cluster := createdID(t, s, clustersPath, `{"name": "Same"}`)
					slug := fmt.Sprintf("pipeline-%d-%d", worker, round)
					s.Post(testkit.AdminToken, pipelinesPath, `{"name": "`+slug+`", "repository": "r"}`).Want(t, 201)
					s.Post(testkit.AdminToken, pipelinesPath+"/"+slug+"/archive", nil).Want(t, 200)
					if round%2 == 0 {
						s.Post(testkit.AdminToken, pipelinesPath+"/"+slug+"/unarchive", nil).Want(t, 200)
					}
					if round > 0 {
						s.Delete(testkit.AdminToken, testkit.ClusterPath(cluster)).Want(t, 204)
						s.Delete(testkit.AdminToken, pipelinesPath+"/"+slug).Want(t, 204)
					}
				}
			})
		}
		changed := make(chan struct{})
		go func() {
			writers.Wait()
			close(changed)
		}()
		for reading := true; reading; {
			select {
			case <-changed:
				reading = false
			default:
			}
			wantTrueCounters(t, s)
		}
		if n := storedNumber(t, s, `SELECT CAST(sum(clusters) AS BIGINT) FROM organization_counts`); n < 12 {
			t.Errorf("%d clusters are counted", n)
		}
	})
}

// Of several that can't all be right, one succeeds and the others are told why they do not.
func TestExactlyOneOfManyAtOnceWins(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		token := createdID(t, s, cluster+"/tokens", `{"description": "Agents"}`)
		hosted := createdID(t, s, cluster+"/queues", hostedQueue)
		seen := map[string]string{"If-Match": s.Get(testkit.AdminToken, cluster).Header.Get("ETag")}
		for _, race := range []struct {
			request   testkit.Request
			won, lost int
			message   string
		}{
			{testkit.Request{Method: "PUT", Path: cluster, Body: `{"name": "Once"}`, Header: seen}, 200, 412, ""},
			{testkit.Request{Method: "POST", Path: cluster + "/queues", Body: `{"key": "same"}`}, 201, 422, "Validation failed: Key has already been taken"},
			{testkit.Request{Method: "POST", Path: cluster + "/cache-registries", Body: `{"name": "Same"}`}, 201, 422, ""},
			{testkit.Request{Method: "POST", Path: cluster + "/maintainers", Body: `{"user": "` + testkit.MemberID + `"}`}, 201, 422, "Validation failed: Maintainer has already been added"},
			{testkit.Request{Method: "POST", Path: cluster + "/queues/" + testkit.QueueID + "/pause_dispatch"}, 200, 422, "Cluster queue is already paused"},
			{testkit.Request{Method: "POST", Path: cluster + "/queues/" + testkit.QueueID + "/resume_dispatch"}, 200, 422, "Cluster queue is not paused"},
			{testkit.Request{Method: "DELETE", Path: cluster + "/tokens/" + token}, 204, 404, "No cluster token found"},
			{testkit.Request{Method: "DELETE", Path: cluster + "/queues/" + hosted}, 204, 404, "No cluster queue found"},
			{testkit.Request{Method: "DELETE", Path: cluster}, 204, 404, "No cluster found"},
		} {
			winners := 0
			for _, answer := range atOnce(s, slices.Repeat([]testkit.Request{race.request}, 8)...) {
				if answer.Status == race.won {
					winners++
				} else if answer.Want(t, race.lost); race.message != "" {
					answer.WantMessage(t, race.lost, race.message)
				}
			}
			if winners != 1 {
				t.Errorf("%d of %s %s succeeded", winners, race.request.Method, race.request.Path)
			}
			wantTrueCounters(t, s)
		}
	})
}

// Whichever of two updates comes last, none is mixed with the other.
func TestUpdatesOfTheSameFieldsAtOnceAreNotMixed(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		first := `{"name": "First", "description": "First", "emoji": ":one:", "color": "#111", "default_queue_id": "` + testkit.QueueID + `"}`
		second := `{"name": "Second", "description": "Second", "emoji": ":two:", "color": "#222", "default_queue_id": null}`
		for range rounds {
			answers := atOnce(s, testkit.Request{Method: "PUT", Path: path, Body: first}, testkit.Request{Method: "PUT", Path: path, Body: second})
			wantMembers(t, answers[0].Want(t, 200), first)
			wantMembers(t, answers[1].Want(t, 200), second)
			last := s.Get(testkit.AdminToken, path).Want(t, 200)
			if last.Text("name") == "First" {
				wantMembers(t, last, first)
			} else {
				wantMembers(t, last, second)
			}
		}
	})
}

func TestChangesOfDifferentFieldsAtOnceAreAllKept(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for round := range rounds {
			path := testkit.ClusterPath(createdHostedCluster(t, s))
			queue := createdID(t, s, path+"/queues", `{"key": "default"}`)
			registry := s.Post(testkit.AdminToken, path+"/cache-registries", `{"name": "Other"}`).Want(t, 201).Text("uuid")
			changes := []string{
				fmt.Sprintf(`{"name": "Name %d"}`, round), `{"description": "Described"}`, `{"emoji": ":eyes:"}`, `{"color": "#123456"}`,
				`{"default_queue_id": "` + queue + `"}`, `{"default_cache_registry_uuid": "` + registry + `"}`,
				`{"hosted_git_mirror_enabled": true}`, `{"hosted_container_cache_enabled": false}`,
			}
			requests := []testkit.Request{
				{Method: "POST", Path: path + "/queues", Body: strings.Replace(hostedQueue, `"hosted"`, `"second"`, 1)},
				{Method: "POST", Path: path + "/tokens", Body: `{"description": "Agents"}`},
				{Method: "POST", Path: path + "/maintainers", Body: `{"user": "` + testkit.MemberID + `"}`},
			}
			for _, change := range changes {
				requests = append(requests, testkit.Request{Method: "PATCH", Path: path, Body: change})
			}
			for _, answer := range atOnce(s, requests...) {
				if answer.Status != 200 && answer.Status != 201 {
					t.Errorf("refused: %s", answer)
				}
			}
			cluster := s.Get(testkit.AdminToken, path).Want(t, 200)
			for _, change := range changes {
				wantMembers(t, cluster, change)
			}
		}
		wantTrueCounters(t, s)
	})
}

func TestDeletingAClusterAgainstChangesOfIt(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for range rounds {
			path := testkit.ClusterPath(createdHostedCluster(t, s))
			answers := atOnce(s,
				testkit.Request{Method: "PUT", Path: path, Body: `{"name": "Changed", "hosted_git_mirror_enabled": true}`},
				testkit.Request{Method: "POST", Path: path + "/queues", Body: `{"key": "late"}`},
				testkit.Request{Method: "POST", Path: path + "/tokens", Body: `{"description": "Late"}`},
				testkit.Request{Method: "POST", Path: path + "/cache-registries", Body: `{"name": "Late"}`},
				testkit.Request{Method: "POST", Path: path + "/maintainers", Body: `{"user": "` + testkit.MemberID + `"}`},
				testkit.Request{Method: "DELETE", Path: path},
			)
			for i, success := range []int{200, 201, 201, 201, 201, 204} {
				if a := answers[i]; a.Status != success {
					a.WantMessage(t, 404, "No cluster found")
				}
			}
			answers[5].Want(t, 204)
			s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No cluster found")
		}
		for _, part := range []string{"cluster_queues", "cluster_agent_tokens", "cluster_maintainers", "cache_registries"} {
			if n := storedNumber(t, s, `SELECT count(*) FROM `+part+` WHERE cluster_id NOT IN (SELECT id FROM clusters)`); n != 0 {
				t.Errorf("%d %s of no cluster", n, part)
			}
		}
		wantTrueCounters(t, s)
	})
}

func TestDeletingTheQueueThatBecomesTheDefault(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		for range rounds {
			queue := createdQueue(t, s, testkit.MaintainedID, "passing")
			wantEither(t, atOnce(s,
				testkit.Request{Method: "PUT", Path: path, Body: `{"default_queue_id": "` + queue + `"}`},
				testkit.Request{Method: "DELETE", Path: path + "/queues/" + queue},
			), []int{200, 204}, []int{422, 204})
			wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"default_queue_id": null}`)
		}
		wantTrueCounters(t, s)
	})
}

func TestDeletingTheCacheRegistryThatBecomesTheDefault(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		for range rounds {
			before := defaultRegistry(t, s, testkit.MaintainedID)
			registry := s.Post(testkit.AdminToken, path+"/cache-registries", `{"name": "Passing"}`).Want(t, 201).Text("uuid")
			answers := atOnce(s,
				testkit.Request{Method: "PUT", Path: path, Body: `{"default_cache_registry_uuid": "` + registry + `"}`},
				testkit.Request{Method: "DELETE", Path: path + "/cache-registries/" + registry},
			)
			wantEither(t, answers, []int{200, 422}, []int{422, 204})
			if answers[0].Status == 200 {
				s.Put(testkit.AdminToken, path, `{"default_cache_registry_uuid": "`+before+`"}`).Want(t, 200)
				s.Delete(testkit.AdminToken, path+"/cache-registries/"+registry).Want(t, 204)
			}
			if now := defaultRegistry(t, s, testkit.MaintainedID); now != before {
				t.Errorf("the default is %s, not %s", now, before)
			}
		}
	})
}

func TestLastHostedQueueGoesWhileAnotherComes(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(createdCluster(t, s))
		queue := createdID(t, s, path+"/queues", hostedQueue)
		for round := range rounds {
			answers := atOnce(s,
				testkit.Request{Method: "DELETE", Path: path + "/queues/" + queue},
				testkit.Request{Method: "POST", Path: path + "/queues", Body: strings.Replace(hostedQueue, `"hosted"`, fmt.Sprintf(`"hosted-%d"`, round), 1)},
			)
			wantEither(t, answers, []int{204, 201})
			wantMembers(t, s.Get(testkit.AdminToken, path), `{"hosted_container_cache_enabled": true}`)
			queue = answers[1].Text("id")
		}
		wantTrueCounters(t, s)
	})
}
