package agentapi_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit/running"
)

// TestHostileInput sends what no agent would. World.send fails for every answer that is a fault of the server, or not JSON.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a, key: a}, {command: c, label: b}]")
		a := w.NewAgent()
		j := a.StartJob()
		deep := strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)
		bodies := []string{
			"", "null", "[]", `"x"`, "1", "{", "{}}", `{"a":1`, deep, strings.Repeat("[", 5_000), "\x00", "\xff\xfe", `{"key":"` + "\xff" + `","value":"` + "\xff" + `"}`,
			`{"key":"a\u0000b","value":"a\u0000b","body":"\u0000","context":"\u0000","attribute":"\u0000","build_id":"\u0000"}`,
			`{"name":"\u0000","hostname":"\u0000","os":"\u0000","meta_data":["\u0000"]}`,
			`{"exit_status":"1","signal":"\u0000","signal_reason":"\u0000"}`,
			`{"exit_status":"99999999999999999999"}`, `{"exit_status":1}`, `{"exit_status":{}}`, `{"exit_status":null}`, `{"timeout":{}}`, `{"timeout":"\u0000"}`,
			`{"key":1,"value":2}`, `{"key":["a"]}`, `{"items":{}}`, `{"items":[1]}`, `{"items":[{"key":"\u0000","value":"x"}]}`, `{"force":"yes"}`, `{"note":1}`, `{"timeout_in_minutes":"x"}`,
			`{"timeout_in_minutes":99999999999999999999}`, `{"priority":"x"}`, `{"force_grace_period":1.5}`, `{"append":"x"}`,
			`{"uuid":"` + domain.NewID[string]() + `","pipeline":` + deep + `}`,
			`{"uuid":"` + domain.NewID[string]() + `","pipeline":{"steps":[{"command":"` + "\xff" + `"}]}}`,
			`{"uuid":"` + domain.NewID[string]() + `","pipeline":{"steps":[{"command":"c","label":"\u0000","key":"\u0000","env":{"\u0000":"\u0000"},"concurrency":1,"concurrency_group":"\u0000"}]}}`,
			`{"uuid":"` + domain.NewID[string]() + `","pipeline":{"steps":[{"command":"\ud800","label":"\udfff"}]}}`,
			`{"uuid":"\u0000","pipeline":{"steps":["wait"]}}`,
			`{"target_paths":["\u0000"],"cache_key":[{"value":"\u0000"}],"upload_id":"\u0000"}`, `{"target_paths":"a","cache_key":"k","upload_id":1}`,
			`{"target_paths":["a"],"cache_key":[{"value":"k","mandatory":"yes"}],"blobs":{}}`, `{"target_paths":[null],"cache_key":[null],"blobs":[null],"platform":null}`,
			`{"target_paths":["a"],"cache_key":[{"value":"k"}],"blobs":[{"digest":{"algorithm":"sha256","value":"\ud800"},"file_size":99999999999999999999}]}`,
		}
		refused := []struct{ method, path, token string }{
			{"POST", "register", w.Token},
			{"POST", "heartbeat", a.Session},
			{"POST", "pause", j.Token},
			{"PUT", "jobs/" + j.ID, j.Token},
			{"PUT", "jobs/" + j.ID + "/promise_failure", j.Token},
			{"POST", "jobs/" + j.ID + "/pipelines", j.Token},
			{"POST", "jobs/" + j.ID + "/data/set", j.Token},
			{"POST", "jobs/" + j.ID + "/data/set-batch", j.Token},
			{"POST", "jobs/" + j.ID + "/data/get", j.Token},
			{"POST", "jobs/" + j.ID + "/data/exists", j.Token},
			{"POST", "jobs/" + j.ID + "/annotations", j.Token},
			{"POST", "steps/a/export", j.Token},
			{"PUT", "steps/a", j.Token},
			{"POST", "cache_registries/~/peek", j.Token},
			{"PUT", "cache_registries/~/store", j.Token},
			{"PUT", "cache_registries/~/commit", j.Token},
			{"POST", "cache_registries/~/retrieve", j.Token},
			{"POST", "cache_registries/~/expire", j.Token},
		}
		for _, call := range refused {
			for _, body := range bodies {
				w.Send(call.method, call.path, call.token, body)
			}
			w.Send(call.method, call.path, call.token, strings.Repeat("x", 9<<20)).Want(t, http.StatusRequestEntityTooLarge)
			w.Send(call.method, call.path, "", strings.Repeat("x", 1<<20))
		}
		for _, body := range bodies {
			if status := j.Send(http.MethodPut, "/finish", body).Status; status < 400 {
				t.Errorf("%.200s ends a job", body)
			}
		}
		w.WantJob(j.ID, "running")
		j.Finish(0).Want(t, http.StatusOK)
	})
}

func TestHostilePaths(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a, key: a}]")
		a := w.NewAgent()
		j := a.StartJob()
		ids := []string{"", ".", "..", "%2E", "%2E%2E", "%2e%2e%2f", "a/b", "a%2Fb", "%2F", "%00", "%FF", "%ED%A0%80", "%25", "%2525", "x", strings.Repeat("x", 4000), "%C3%BC", "'", "%22;--", "*", "{id}",
			"0190A000-0000-7000-8000-000000000021", "{0190a000-0000-7000-8000-000000000021}", "0190a00000007000800000000000002", strings.ToUpper(j.ID) + "x"}
		for _, id := range ids {
			for _, call := range [][2]string{{"PUT", "jobs/ID/accept"}, {"PUT", "jobs/ID/acquire"}} {
				if status := w.Send(call[0], strings.Replace(call[1], "ID", id, 1), a.Session, nil).Status; status < 400 {
					t.Errorf("%s %s: %d", call, id, status)
				}
			}
			for _, call := range [][2]string{{"GET", "jobs/ID"}, {"PUT", "jobs/ID/start"}, {"PUT", "jobs/ID/finish"}, {"POST", "jobs/ID/pipelines"}, {"GET", "jobs/" + j.ID + "/pipelines/ID"},
				{"POST", "jobs/ID/data/keys"}, {"POST", "builds/ID/data/keys"}, {"POST", "builds/ID/cancel"}, {"POST", "steps/ID/export"}, {"PUT", "steps/ID"}, {"POST", "steps/ID/cancel"},
				{"DELETE", "jobs/" + j.ID + "/annotations/ID"}, {"DELETE", "jobs/" + j.ID + "/annotations/x?scope=ID"}, {"GET", "ID"}, {"GET", "jobs/ID/x"}, {"PATCH", "jobs/ID"},
				{"GET", "cache_registries/ID"}, {"POST", "cache_registries/ID/peek"}, {"PUT", "cache_registries/ID/store"}, {"PUT", "cache_registries/ID/commit"},
				{"POST", "cache_registries/ID/retrieve"}, {"POST", "cache_registries/ID/expire"}} {
				if strings.Contains(call[1], "?") && strings.Contains(id, "%ED") {
					continue
				}
				if status := w.Send(call[0], strings.Replace(call[1], "ID", id, 1), j.Token, nil).Status; status < 400 {
					t.Errorf("%s %s: %d", call, id, status)
				}
			}
		}
		for _, token := range []string{"%00", "x y", strings.Repeat("x", 10_000), "\xff", string(domain.JobTokenKind), string(domain.SessionTokenKind)} {
			w.Send("GET", "ping", token, nil).Want(t, http.StatusUnauthorized)
		}
		w.Send("GET", "metrics/queue?name=%00", w.Token, nil).Want(t, http.StatusNotFound)
		w.Send("DELETE", "register", w.Token, nil).WantMessage(t, http.StatusMethodNotAllowed, "Method not allowed")
		w.Send("GET", "nothing", w.Token, nil).WantMessage(t, http.StatusNotFound, "Not found")
		j.Finish(0).Want(t, http.StatusOK)
	})
}
