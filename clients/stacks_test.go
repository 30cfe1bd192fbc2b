package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/buildkite/stacksapi"
)

// sendJSON sends a request and returns its answer's members.
func sendJSON(t *testing.T, method, address, authorization string, body any) map[string]any {
	t.Helper()
	var members map[string]any
	_ = json.Unmarshal(sendBody(t, method, address, authorization, body), &members) // some answers are lists
	return members
}

// readList returns the items of a list.
func readList(t *testing.T, address, authorization string) []map[string]any {
	t.Helper()
	var items []map[string]any
	if err := json.Unmarshal(sendBody(t, http.MethodGet, address, authorization, nil), &items); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return items
}

func sendBody(t *testing.T, method, address, authorization string, body any) []byte {
	t.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, address, response.StatusCode, text, err)
	}
	return text
}

// TestStacks drives the public client of stacks: two controllers share the jobs of a queue.
func TestStacks(t *testing.T) {
	t.Parallel()
	const jobs = 100
	server := startServer(t)
	acme := server + "/v2/organizations/acme-inc"
	as := func(token string) string { return "Bearer " + token }
	cluster := sendJSON(t, "POST", acme+"/clusters", as(token), map[string]any{"name": "Fleet"})["id"].(string)
	queue := sendJSON(t, "POST", acme+"/clusters/"+cluster+"/queues", as(token), map[string]any{"key": "default"})["id"].(string)
	sendJSON(t, "PUT", acme+"/clusters/"+cluster, as(token), map[string]any{"default_queue_id": queue})
	agentToken := sendJSON(t, "POST", acme+"/clusters/"+cluster+"/tokens", as(token), map[string]any{"description": "Stacks"})["token"].(string)
	sendJSON(t, "POST", acme+"/pipelines", as(pipelineToken), map[string]any{"name": "Fleet", "repository": "git@example.com:acme/fleet.git", "cluster_id": cluster,
		"configuration": fmt.Sprintf("steps: [{key: many, command: make, parallelism: %d}]", jobs)})
	sendJSON(t, "POST", acme+"/pipelines/fleet/builds", as(stackToken), map[string]any{"commit": "HEAD", "branch": "main"})

	base, err := url.Parse(server + "/v3/")
	if err != nil {
		t.Fatal(err)
	}
	client, err := stacksapi.NewClient(agentToken, stacksapi.WithBaseURL(base))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	var waiting []string
	for _, key := range []string{"one", "two"} {
		stack, _, err := client.RegisterStack(ctx, stacksapi.RegisterStackRequest{Key: key, Type: stacksapi.StackTypeCustom, QueueKey: stacksapi.DefaultQueue, Metadata: map[string]string{"v": "1"}})
		if err != nil || stack.State != stacksapi.StackStateConnected || stack.ClusterQueueKey != "default" || stack.LastConnectedOn == nil {
			t.Fatalf("the stack is %+v: %v", stack, err)
		}
	}
	list := stacksapi.ListScheduledJobsRequest{StackKey: "one", ClusterQueueKey: stacksapi.DefaultQueue, PageSize: 40}
	for {
		page, _, err := client.ListScheduledJobs(ctx, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range page.Jobs {
			if j.Step.Key != "many" || j.Pipeline.Slug != "fleet" || j.Build.Number != 1 || j.ScheduledAt.IsZero() {
				t.Fatalf("the job is %+v", j)
			}
			waiting = append(waiting, j.ID)
		}
		if !page.PageInfo.HasNextPage {
			break
		}
		list.StartCursor = page.PageInfo.EndCursor
	}
	if slices.Sort(waiting); len(slices.Compact(waiting)) != jobs {
		t.Fatalf("%d jobs wait", len(waiting))
	}

	// Both reserve all at once: each job is one's.
	var reserved [2][]string
	var both sync.WaitGroup
	for i, key := range []string{"one", "two"} {
		both.Go(func() {
			answer, _, err := client.BatchReserveJobs(ctx, stacksapi.BatchReserveJobsRequest{StackKey: key, JobUUIDs: waiting})
			if err != nil || len(answer.Reserved)+len(answer.NotReserved) != jobs {
				t.Errorf("the answer is %+v: %v", answer, err)
				return
			}
			reserved[i] = answer.Reserved
		})
	}
	both.Wait()
	all := slices.Concat(reserved[0], reserved[1])
	if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != len(all) || len(all) == 0 {
		t.Fatalf("the stacks have reserved %d and %d jobs", len(reserved[0]), len(reserved[1]))
	}
	key, mine := "one", reserved[0]
	if len(mine) < 2 {
		key, mine = "two", reserved[1]
	}
	states, _, err := client.GetJobStates(ctx, stacksapi.GetJobStatesRequest{StackKey: key, JobUUIDs: mine})
	if err != nil || len(states.States) != len(mine) || states.States[mine[0]] != "reserved" {
		t.Fatalf("the states are %v: %v", states, err)
	}
	job, _, err := client.GetJob(ctx, stacksapi.GetJobRequest{StackKey: key, JobUUID: mine[0]})
	if err != nil || job.Command != "make" || job.Env["BUILDKITE_JOB_ID"] != mine[0] {
		t.Fatalf("the job is %+v: %v", job, err)
	}
	said, _, err := client.CreateStackNotifications(ctx, stacksapi.CreateStackNotificationsRequest{StackKey: key, Notifications: []stacksapi.StackNotification{{JobUUID: mine[0], Detail: "Pod created"}}})
	if err != nil || len(said.Errors) != 0 {
		t.Fatalf("the notification gets %+v: %v", said, err)
	}

	// An agent acquires one, and another cannot be started.
	session := sendJSON(t, "POST", server+"/v3/register", "Token "+agentToken, map[string]any{"name": "pod", "ignore_in_dispatches": true})["access_token"].(string)
	sendJSON(t, "POST", server+"/v3/connect", "Token "+session, nil)
	taken := sendJSON(t, "PUT", server+"/v3/jobs/"+mine[0]+"/acquire", "Token "+session, nil)["token"].(string)
	sendJSON(t, "PUT", server+"/v3/jobs/"+mine[0]+"/start", "Token "+taken, map[string]any{})
	sendJSON(t, "PUT", server+"/v3/jobs/"+mine[0]+"/finish", "Token "+taken, map[string]any{"exit_status": "0"})
	if _, err := client.FinishJob(ctx, stacksapi.FinishJobRequest{StackKey: key, JobUUID: mine[1], Detail: "No such image"}); err != nil {
		t.Fatal(err)
	}
	states, _, err = client.GetJobStates(ctx, stacksapi.GetJobStatesRequest{StackKey: key, JobUUIDs: mine[:2]})
	if err != nil || states.States[mine[0]] != "finished" || states.States[mine[1]] != "finished" {
		t.Errorf("the states are %v: %v", states, err)
	}
	if _, err := client.DeregisterStack(ctx, key); err != nil {
		t.Error(err)
	}
}
