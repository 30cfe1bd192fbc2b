package agentapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// TestHostileStacks sends every value in every place of every body that stacks send, and strange keys and queries. World.send fails for every answer that is a
// fault of the server, or not JSON.
func TestHostileStacks(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		cluster := w.Text(`SELECT cluster_id FROM cluster_queues WHERE key = 'default' ORDER BY id LIMIT 1`)
		newStack(w, "one")
		w.BuildOf("steps: [{command: c, label: a, key: a}]")
		job := w.Text(`SELECT job_id FROM ready_jobs`)
		// Each token may send ten requests a second.
		sent, token := 0, w.Token
		send := func(method, path string, body any) *testkit.Answer {
			if sent++; sent%10 == 0 {
				token = w.NewAgentToken(cluster, domain.AgentTokenInput{})
			}
			a := w.Send(method, path, token, body)
			if a.Status == http.StatusTooManyRequests || a.Status == http.StatusUnauthorized {
				t.Fatalf("%s %s is answered with %d", method, path, a.Status)
			}
			return a
		}
		var sample testkit.Sample
		for _, call := range []struct{ method, path, body string }{
			{"POST", "register", `{"key": "two", "type": "custom", "queue_key": "_default", "metadata": {"a": "b"}}`},
			{"POST", "none/deregister", `{"a": 1}`},
			{"PUT", "one/scheduled-jobs/batch-reserve", `{"job_uuids": ["x"], "reservation_expiry_seconds": 60}`},
			{"POST", "one/jobs/get-states", `{"job_uuids": ["x"]}`},
			{"POST", "one/jobs/x/finish", `{"exit_status": -1, "detail": "d"}`},
			{"POST", "one/notifications", `{"notifications": [{"job_uuid": "x", "detail": "d", "timestamp": "2026-01-01T00:00:00Z"}]}`},
		} {
			var value any
			if err := json.Unmarshal([]byte(call.body), &value); err != nil {
				t.Fatal(err)
			}
			for _, text := range withPlaces(t, value) {
				for _, hostile := range hostileValues {
					if sample.Has() {
						send(call.method, "stacks/"+call.path, strings.Replace(text, `"`+hostilePlace+`"`, hostile, 1))
					}
				}
			}
			if large := send(call.method, "stacks/"+call.path, strings.Repeat("x", 9<<20)); !strings.HasSuffix(call.path, "deregister") { // which reads none
				large.Want(t, http.StatusRequestEntityTooLarge)
			}
			for _, body := range []string{"", "null", "[]", "1", "{", "\x00", "\xff\xfe", strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)} {
				send(call.method, "stacks/"+call.path, body)
			}
		}
		for _, id := range []string{".", "..", "%2E%2E", "a%2Fb", "%2F", "%00", "%FF", "%ED%A0%80", "%25", "none", strings.Repeat("x", 4000), "%C3%BC", "'", "%22;--", "*"} {
			for _, path := range []string{"stacks/ID/scheduled-jobs?queue_key=_default", "stacks/ID/jobs/" + job, "stacks/one/jobs/ID"} {
				if status := send("GET", strings.Replace(path, "ID", id, 1), nil).Status; status < 400 {
					t.Errorf("GET %s with %s: %d", path, id, status)
				}
			}
		}
		for _, value := range []string{"", "-1", "0", "1.5", "9223372036854775808", "\x00", "\xff", "*", strings.Repeat("*", 3_000)} {
			for _, query := range []string{"queue_key=_default&limit=%s", "queue_key=%s", "queue_key=_default&after=%s"} {
				send("GET", "stacks/one/scheduled-jobs?"+strings.Replace(query, "%s", url.QueryEscape(value), 1), nil)
			}
		}
		// Nothing of it did anything to the job.
		w.WantJob(job, "scheduled")
		if got := w.Events(job); got != "SCHEDULED" {
			t.Errorf("the events are %s", got)
		}
	})
}
