package agentapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func newStack(w *running.Server, key string) {
	w.T.Helper()
	w.Send("POST", "stacks/register", w.Token, map[string]any{"key": key, "type": "custom", "queue_key": "_default", "metadata": map[string]string{"a": "b"}}).Want(w.T, 201)
}

func reserve(w *running.Server, stack string, ids ...string) *testkit.Answer {
	w.T.Helper()
	return w.Send("PUT", "stacks/"+stack+"/scheduled-jobs/batch-reserve", w.Token, map[string]any{"job_uuids": ids})
}

func reservedIn(a *testkit.Answer) (ids []string) {
	list, _ := a.Object()["reserved"].([]any)
	for _, id := range list {
		ids = append(ids, id.(string))
	}
	return ids
}

func TestStacksReserveJobs(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		for name, body := range map[string]map[string]any{
			"key":       {"key": "a b", "type": "custom", "queue_key": "_default"},
			"type":      {"key": "k", "type": "vm", "queue_key": "_default"},
			"queue_key": {"key": "k", "type": "custom", "queue_key": "none"},
			"metadata":  {"key": "k", "type": "custom", "queue_key": "_default", "metadata": map[string]string{"x": strings.Repeat("y", 257)}},
		} {
			if a := w.Send("POST", "stacks/register", w.Token, body).Want(t, 422); name != "queue_key" && !strings.Contains(a.Message(), "`"+name+"`") {
				t.Errorf("a bad %s is refused with %s", name, a.Message())
			}
		}
		newStack(w, "one")
		again := w.Send("POST", "stacks/register", w.Token, map[string]any{"key": "one", "type": "kubernetes", "queue_key": "default", "metadata": map[string]string{}}).Want(t, 200)
		if again.Text("state") != "connected" || again.Text("cluster_queue_key") != "default" || again.Text("type") != "kubernetes" {
			t.Errorf("the stack is %s", again.Body)
		}
		elsewhere := w.NewAgentToken(running.SecondCluster, domain.AgentTokenInput{})
		w.Send("POST", "stacks/register", elsewhere, map[string]any{"key": "one", "type": "custom", "queue_key": "_default"}).Want(t, 422)
		w.Send("GET", "stacks/one/scheduled-jobs?queue_key=_default", elsewhere, nil).Want(t, 404)
		w.Send("GET", "stacks/one/scheduled-jobs?queue_key=_default", "none", nil).Want(t, 401)
		w.Send("GET", "stacks/none/scheduled-jobs?queue_key=_default", w.Token, nil).Want(t, 404)
		w.Send("GET", "stacks/one/scheduled-jobs?queue_key=_default&limit=1001", w.Token, nil).Want(t, 422)
		w.Send("GET", "stacks/one/scheduled-jobs?queue_key=_default&after=x", w.Token, nil).Want(t, 422)

		b := w.BuildOf(`steps: [{label: a, key: first, command: echo a}, {label: b, command: echo b}, {label: c, command: echo c}]`)
		page := w.Send("GET", "stacks/one/scheduled-jobs?queue_key=_default&limit=2", w.Token, nil).Want(t, 200).Object()
		info := page["page_info"].(map[string]any)
		if jobs := page["jobs"].([]any); len(jobs) != 2 || info["has_next_page"] != true || jobs[0].(map[string]any)["step"].(map[string]any)["key"] != "first" {
			t.Errorf("the page is %v", page)
		}
		rest := w.Send("GET", fmt.Sprintf("stacks/one/scheduled-jobs?queue_key=_default&limit=2&after=%s", info["end_cursor"]), w.Token, nil).Want(t, 200).Object()
		if jobs := rest["jobs"].([]any); len(jobs) != 1 || rest["page_info"].(map[string]any)["has_next_page"] != false {
			t.Errorf("the next page is %v", rest)
		}

		first, second := w.Job(b, "a").ID, w.Job(b, "b").ID
		if got := reservedIn(reserve(w, "one", first, second, "none").Want(t, 200)); len(got) != 2 {
			t.Errorf("%v are reserved", got)
		}
		newStack(w, "two")
		if got := reservedIn(reserve(w, "two", first).Want(t, 200)); len(got) != 0 {
			t.Errorf("another stack reserves %v", got)
		}
		if got := reservedIn(reserve(w, "one", first).Want(t, 200)); len(got) != 1 {
			t.Error("a reservation is not extended")
		}
		w.WantJob(first, "reserved")
		reserve(w, "one").Want(t, 422)
		w.Send("PUT", "stacks/one/scheduled-jobs/batch-reserve", w.Token, map[string]any{"job_uuids": []string{first}, "reservation_expiry_seconds": 3601}).Want(t, 422)

		// Reserved jobs are not given to others, and are counted.
		a := w.NewAgent()
		w.Send("GET", "ping", a.Session, nil).Want(t, 200)
		w.WantJob(first, "reserved")
		w.WantJob(second, "reserved")
		if got := w.Send("GET", "stacks/one/jobs/"+first, w.Token, nil).Want(t, 200).Object(); got["command"] != "echo a" || got["env"].(map[string]any)["BUILDKITE_JOB_ID"] != first {
			t.Errorf("the job is %v", got)
		}
		states := w.Send("POST", "stacks/one/jobs/get-states", w.Token, map[string]any{"job_uuids": []string{first, "none"}}).Want(t, 200).Object()["states"].(map[string]any)
		if len(states) != 1 || states[first] != "reserved" {
			t.Errorf("the states are %v", states)
		}
		notified := w.Send("POST", "stacks/one/notifications", w.Token, map[string]any{"notifications": []map[string]any{
			{"job_uuid": first, "detail": "Pod created"}, {"job_uuid": "none", "detail": "x"}, {"job_uuid": first, "detail": ""}}}).Want(t, 200)
		if got := string(notified.Body); !strings.Contains(got, `"indexes":[1]`) || !strings.Contains(got, `"indexes":[2]`) {
			t.Errorf("notifications are answered with %s", got)
		}

		// One cannot be started; another stack cannot say so.
		w.Send("POST", "stacks/two/jobs/"+second+"/finish", w.Token, map[string]any{"detail": "x"}).Want(t, 422)
		w.Send("POST", "stacks/one/jobs/"+second+"/finish", w.Token, map[string]any{"exit_status": 0}).Want(t, 422)
		w.Send("POST", "stacks/one/jobs/"+second+"/finish", w.Token, map[string]any{"detail": "No such image"}).Want(t, 200)
		w.WantJob(second, "finished")
		if got := w.Text(`SELECT signal_reason || ' ' || exit_status || ' ' || detail FROM job_runs WHERE job_id = $1`, second); got != "stack_error -1 No such image" {
			t.Errorf("the job ended with %s", got)
		}
		w.Send("POST", "stacks/one/jobs/"+second+"/finish", w.Token, map[string]any{"detail": "x"}).Want(t, 404)

		// An agent of the stack acquires the other.
		started := w.NewAgentWith(func() map[string]any { r := running.Registration(); r["ignore_in_dispatches"] = true; return r }())
		taken := w.Send("PUT", "jobs/"+first+"/acquire", started.Session, nil).Want(t, 200)
		w.Send("PUT", "jobs/"+first+"/start", taken.Text("token"), map[string]any{}).Want(t, 200)
		if got := w.Events(first); got != "SCHEDULED RESERVED STACK_NOTIFICATION ACCEPTED STARTED" {
			t.Errorf("the events are %s", got)
		}
		if got := w.Text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE reserved_until IS NOT NULL OR reserved_by IS NOT NULL`); got != "0" {
			t.Errorf("%s jobs are still reserved", got)
		}
		w.Send("POST", "stacks/one/deregister", w.Token, nil).Want(t, 204)
	})
}

// Two controllers reserve at once, and one dies with what it has: nothing is reserved twice, and all comes back.
func TestReservationsOfADeadStackEnd(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		newStack(w, "one")
		newStack(w, "two")
		b := w.BuildOf(`steps: [{label: a, command: echo, parallelism: 200}]`)
		var ids []string
		for _, j := range w.Jobs(b) {
			ids = append(ids, j.ID)
		}
		var both sync.WaitGroup
		answers := map[string]*testkit.Answer{}
		var mutex sync.Mutex
		for _, stack := range []string{"one", "two"} {
			both.Go(func() {
				answer := reserve(w, stack, ids...)
				mutex.Lock()
				answers[stack] = answer
				mutex.Unlock()
			})
		}
		both.Wait()
		one, two := reservedIn(answers["one"]), reservedIn(answers["two"])
		seen := map[string]bool{}
		for _, id := range append(one, two...) {
			if seen[id] {
				t.Errorf("job %s is reserved twice", id)
			}
			seen[id] = true
		}
		reserve(w, "one", ids...)
		if got := w.Text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE state = 'reserved'`); got != "200" {
			t.Errorf("%s jobs are reserved", got)
		}
		testkit.Change(t, w.DB, `UPDATE job_runs SET reserved_until = 1 WHERE state = 'reserved'`)
		w.EndOverdue()
		if got := w.Text(`SELECT CAST(count(*) AS TEXT) FROM ready_jobs`) + " " + w.Text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE state = 'scheduled' AND reserved_by IS NULL`); got != "200 200" {
			t.Errorf("after the reservations, %s jobs wait", got)
		}
		if got := w.Events(ids[0]); got != "SCHEDULED RESERVED RESERVED_EXPIRED" {
			t.Errorf("the events are %s", got)
		}
	})
}

func TestStacksHaveLimits(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		newStack(w, "one")
		refused := false
		for range 200 {
			a := w.Send("GET", "stacks/one/scheduled-jobs?queue_key=_default", w.Token, nil)
			if a.Header.Get("RateLimit-Limit") != "10" || a.Header.Get("RateLimit-Scope") != "scheduled_jobs" {
				t.Fatalf("the limit is %v", a.Header)
			}
			if a.Status == 429 {
				refused = a.Header.Get("Retry-After") == "1" && a.Text("scope") == "scheduled_jobs"
				break
			}
		}
		if !refused {
			t.Error("no request is refused")
		}
	})
}
