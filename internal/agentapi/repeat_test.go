package agentapi_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/agentapi"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// TestCallsThatAgentsDoNotRepeatAreRepeatedInside cuts the commit of each of them, loses its answer, and breaks all connections.
func TestCallsThatAgentsDoNotRepeatAreRepeatedInside(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(p *testkit.PostgresProxy){
		"a commit never arrives":   func(p *testkit.PostgresProxy) { p.Fail(testkit.LoseCommit, 1) },
		"two commits never arrive": func(p *testkit.PostgresProxy) { p.Fail(testkit.LoseCommit, 2) },
		"an answer is lost":        func(p *testkit.PostgresProxy) { p.Fail(testkit.LoseCommitAnswer, 1) },
		"connections are broken":   (*testkit.PostgresProxy).Drop,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
			d, err := db.Open(t.Context(), db.Options{URL: proxy.URL, Application: "penstock test"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			w := running.NewNode(t, d, running.Options{})
			w.Bootstrap()
			w.Token = w.NewAgentToken(running.Cluster, domain.AgentTokenInput{})
			b := w.BuildOf("steps: [{command: c, label: a}]")
			a := w.NewAgent()
			id := a.Ping()
			cut(proxy)
			j := a.Accept(id)
			cut(proxy)
			j.Start().Want(t, http.StatusOK)
			cut(proxy)
			a.Post("heartbeat", nil).Want(t, http.StatusOK)
			cut(proxy)
			j.Chunk(1, 0, "text").Want(t, http.StatusOK)
			cut(proxy)
			j.Finish(0).Want(t, http.StatusOK)
			if events := w.Events(id); events != "SCHEDULED ASSIGNED ACCEPTED STARTED FINISHED" {
				t.Error(events)
			}
			w.WantBuild(b, "passed")
			if left := proxy.Left(); left > 0 {
				t.Errorf("%d faults did not happen", left)
			}
		})
	}
}

func TestUrgentCalls(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]bool{
		"POST /v3/heartbeat": true, "PUT /v3/jobs/1/accept": true, "PUT /v3/jobs/1/start": true, "PUT /v3/jobs/1/finish": true, "POST /v3/jobs/1/chunks": true,
		"GET /v3/ping": false, "GET /v3/heartbeat": false, "GET /v3/jobs/1": false, "POST /v3/jobs/1/artifacts": false, "PUT /v2/jobs/1/accept": false,
		"PUT /accept": false, "POST /v3/register": false, "PUT /v3/jobs/1/2/accept": false,
	} {
		method, path, _ := strings.Cut(call, " ")
		r, err := http.NewRequestWithContext(t.Context(), method, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if agentapi.IsUrgent(r) != want {
			t.Errorf("%s: urgent is to be %v", call, want)
		}
	}
}
