package clients_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/buildkite/stacksapi"
)

// fleet is a queue with jobs that controllers start agents for.
type fleet struct {
	t          *testing.T
	server     string
	agentToken string
	client     *stacksapi.Client

	mu   sync.Mutex
	runs map[string]int // how many times a job was run
}

func newFleet(t *testing.T, jobs int) *fleet {
	t.Helper()
	f := &fleet{t: t, server: startServer(t), runs: map[string]int{}}
	acme := f.server + "/v2/organizations/acme-inc"
	cluster := sendJSON(t, "POST", acme+"/clusters", "Bearer "+token, map[string]any{"name": "Fleet"})["id"].(string)
	queue := sendJSON(t, "POST", acme+"/clusters/"+cluster+"/queues", "Bearer "+token, map[string]any{"key": "default"})["id"].(string)
	sendJSON(t, "PUT", acme+"/clusters/"+cluster, "Bearer "+token, map[string]any{"default_queue_id": queue})
	f.agentToken = sendJSON(t, "POST", acme+"/clusters/"+cluster+"/tokens", "Bearer "+token, map[string]any{"description": "Stacks"})["token"].(string)
	sendJSON(t, "POST", acme+"/pipelines", "Bearer "+pipelineToken, map[string]any{"name": "Fleet", "repository": "git@example.com:acme/fleet.git", "cluster_id": cluster,
		"configuration": fmt.Sprintf("steps: [{key: many, command: make, parallelism: %d}]", jobs)})
	sendJSON(t, "POST", acme+"/pipelines/fleet/builds", "Bearer "+stackToken, map[string]any{"commit": "HEAD", "branch": "main"})
	base, err := url.Parse(f.server + "/v3/")
	if err != nil {
		t.Fatal(err)
	}
	if f.client, err = stacksapi.NewClient(f.agentToken, stacksapi.WithBaseURL(base)); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fleet) register(key string) {
	f.t.Helper()
	if _, _, err := f.client.RegisterStack(f.t.Context(), stacksapi.RegisterStackRequest{Key: key, Type: stacksapi.StackTypeKubernetes, QueueKey: stacksapi.DefaultQueue,
		Metadata: map[string]string{"version": "1"}}); err != nil {
		f.t.Fatal(err)
	}
}

// reserve reserves up to so many of the jobs that wait.
func (f *fleet) reserve(ctx context.Context, key string, most, seconds int) ([]string, error) {
	page, _, err := f.client.ListScheduledJobs(ctx, stacksapi.ListScheduledJobsRequest{StackKey: key, ClusterQueueKey: stacksapi.DefaultQueue, PageSize: most})
	if err != nil || len(page.Jobs) == 0 {
		return nil, err
	}
	ids := make([]string, len(page.Jobs))
	for i, j := range page.Jobs {
		ids[i] = j.ID
	}
	answer, _, err := f.client.BatchReserveJobs(ctx, stacksapi.BatchReserveJobsRequest{StackKey: key, JobUUIDs: ids, ReservationExpirySeconds: seconds})
	if err != nil {
		return nil, err
	}
	return answer.Reserved, nil
}

// run does what an agent does that is started for a job.
func (f *fleet) run(id string) {
	session := sendJSON(f.t, "POST", f.server+"/v3/register", "Token "+f.agentToken, map[string]any{"name": "pod-" + id, "ignore_in_dispatches": true})["access_token"].(string)
	sendJSON(f.t, "POST", f.server+"/v3/connect", "Token "+session, nil)
	job := sendJSON(f.t, "PUT", f.server+"/v3/jobs/"+id+"/acquire", "Token "+session, nil)["token"].(string)
	sendJSON(f.t, "PUT", f.server+"/v3/jobs/"+id+"/start", "Token "+job, map[string]any{})
	f.mu.Lock()
	f.runs[id]++
	f.mu.Unlock()
	sendJSON(f.t, "PUT", f.server+"/v3/jobs/"+id+"/finish", "Token "+job, map[string]any{"exit_status": "0"})
	sendJSON(f.t, "POST", f.server+"/v3/disconnect", "Token "+session, nil)
}

func (f *fleet) ran() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.runs)
}

// control lists, reserves and runs jobs until as many have run as there are.
func (f *fleet) control(key string, jobs int) {
	ctx, cancel := context.WithTimeout(f.t.Context(), 2*time.Minute)
	defer cancel()
	for f.ran() < jobs {
		ids, err := f.reserve(ctx, key, 50, 60)
		if err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				f.t.Errorf("%s: %d of %d jobs have run", key, f.ran(), jobs)
				return
			}
			continue // too many requests in a second
		}
		var agents sync.WaitGroup
		slots := make(chan struct{}, 8)
		for _, id := range ids {
			slots <- struct{}{}
			agents.Go(func() {
				defer func() { <-slots }()
				f.run(id)
			})
		}
		agents.Wait()
	}
}

// TestControllers has three controllers start 500 jobs. One dies while it holds 200 of them.
func TestControllers(t *testing.T) {
	t.Parallel()
	const jobs, held = 500, 200
	f := newFleet(t, jobs)
	f.register("dead")
	ids, err := f.reserve(t.Context(), "dead", held, 3)
	if err != nil || len(ids) != held {
		t.Fatalf("%d jobs are reserved: %v", len(ids), err)
	}
	var controllers sync.WaitGroup
	for n := range 2 {
		key := "alive-" + strconv.Itoa(n)
		f.register(key)
		controllers.Go(func() { f.control(key, jobs) })
	}
	controllers.Wait()
	if len(f.runs) != jobs {
		t.Errorf("%d of %d jobs have run", len(f.runs), jobs)
	}
	for id, times := range f.runs {
		if times != 1 {
			t.Errorf("job %s has run %d times", id, times)
		}
	}
	build := sendJSON(t, "GET", f.server+"/v2/organizations/acme-inc/pipelines/fleet/builds/1", "Bearer "+stackToken, nil)
	if build["state"] != "passed" {
		t.Errorf("the build is %v", build["state"])
	}
	for _, key := range []string{"alive-0", "alive-1"} {
		if _, err := f.client.DeregisterStack(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
}
