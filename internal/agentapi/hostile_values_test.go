package agentapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// hostileValues are JSON values that some member of some body may be wrong about.
var hostileValues = []string{
	`null`, `true`, `-1`, `0`, `1.5`, `1e400`, `2147483648`, `9223372036854775807`, `9223372036854775808`, `""`, `" "`, `"\u0000"`, `"\ud800"`, `"\u202e\u0085\u2028\r\n\t"`,
	`"` + strings.Repeat("x", 20_000) + `"`, `"-9223372036854775809"`, `"1e400"`, `"*"`, `"/"`, `"../../etc/passwd"`, `"0000-00-00"`, `"javascript:alert(1)"`, `"$current"`, `"%"`, `"["`,
	`[]`, `[null]`, `[[]]`, `[{}]`, `["\u0000"]`, `[1e400]`, strings.Repeat("[", 300) + strings.Repeat("]", 300), `{}`, `{"": ""}`, `{"a": null}`, `{"\u0000": "\u0000"}`, `{"a": {"a": [1]}}`,
	`{"1": "\u0000"}`, `{"-1": "2026-01-01T00:00:00Z"}`, strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300),
}

const hostilePlace = "PLACE OF THE VALUE"

// withPlaces returns the JSON of value as often as it has members and elements, each time with hostilePlace in place of another of them.
func withPlaces(t *testing.T, value any) (texts []string) {
	t.Helper()
	var visit func(part any, put func(any))
	visit = func(part any, put func(any)) {
		put(hostilePlace)
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		put(part)
		switch p := part.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(p)) {
				visit(p[name], func(other any) { p[name] = other })
			}
		case []any:
			for i := range p {
				visit(p[i], func(other any) { p[i] = other })
			}
		}
	}
	visit(value, func(other any) { value = other })
	return texts
}

// TestHostileValuesAreNoFaultsOfTheServer sends every value in every place of every body that agents send. World.send fails for every answer that is a fault of
// the server, or not JSON.
func TestHostileValuesAreNoFaultsOfTheServer(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a, key: a}, {command: c, label: b, key: b}, {command: c, label: last, key: last}]")
		a := w.NewAgent()
		j := a.StartJob()
		job := "jobs/" + j.ID
		entry := `"target_paths": ["node_modules"], "cache_key": [{"value": "v1", "mandatory": true}]`
		digest := strings.Repeat("ab", 32)
		artifact := `{"path": "a.txt", "absolute_path": "/a.txt", "glob_path": "*.txt", "file_size": 1, "sha1sum": "` + digest[:40] + `", "sha256sum": "` + digest + `", "content_type": "text/plain"}`
		var sample testkit.Sample
		for _, call := range []struct{ method, path, token, body string }{
			{"POST", "register", w.Token, `{"name": "n", "hostname": "h", "os": "linux", "arch": "amd64", "script_eval_enabled": true, "ignore_in_dispatches": false, "priority": "1", "version": "3",
				"build": "1", "meta_data": ["queue=default"], "pid": 1, "machine_id": "m", "features": ["f"]}`},
			{"POST", "heartbeat", a.Session, `{"sent_at": "2026-01-01T00:00:00Z"}`},
			{"POST", "pause", j.Token, `{"note": "n", "timeout_in_minutes": 5}`},
			{"PUT", job, j.Token, `{"timeout": "5", "timeout_in_minutes": "5"}`},
			{"PUT", job + "/start", j.Token, `{"started_at": "2026-01-01T00:00:00Z"}`},
			{"PUT", job + "/promise_failure", j.Token, `{"exit_status": 0, "reason": "r"}`},
			{"POST", job + "/header_times", j.Token, `{"header_times": {"0": "2026-01-01T00:00:00Z"}}`},
			{"POST", job + "/pipelines", j.Token, `{"uuid": "", "pipeline": {"steps": [{"command": "c", "key": "k", "label": "l", "agents": {"queue": "q"}, "env": {"A": "b"}, "plugins": [{"p#v1": {"a": 1}}],
				"matrix": {"setup": {"a": ["b"]}, "adjustments": [{"with": {"a": "c"}, "skip": true}]}, "retry": {"automatic": [{"exit_status": 1, "limit": 2}], "manual": {"allowed": true}},
				"soft_fail": [{"exit_status": 1}], "timeout_in_minutes": 5, "concurrency": 1, "concurrency_group": "g", "concurrency_method": "eager", "priority": 1, "artifact_paths": ["a"],
				"secrets": [{"key": "S", "environment_variable": "S"}], "cache": {"paths": ["a"], "size": "20g"}, "checkout": {"depth": 1}, "signature": {"algorithm": "a", "value": "v"}},
				{"block": "b", "fields": [{"select": "s", "key": "f", "options": [{"label": "l", "value": "v"}]}], "allowed_teams": ["t"]}, {"trigger": "t", "build": {"meta_data": {"a": "b"}, "env": {"A": "b"}}},
				{"group": "g", "steps": [{"wait": null, "continue_on_failure": true}]}, {"command": "c", "parallelism": 2, "depends_on": [{"step": "k", "allow_failure": true}], "if": "build.branch == 'x'"}],
				"env": {"A": "b"}, "notify": [{"slack": "s"}], "agents": {"queue": "q"}, "priority": 1, "image": "i"}, "replace": "no"}`},
			{"POST", job + "/data/set", j.Token, `{"key": "k", "value": "v"}`},
			{"POST", job + "/data/set-batch", j.Token, `{"items": [{"key": "k", "value": "v"}]}`},
			{"POST", job + "/data/get", j.Token, `{"key": "k"}`},
			{"POST", job + "/data/exists", j.Token, `{"key": "k"}`},
			{"POST", job + "/annotations", j.Token, `{"body": "b", "context": "c", "style": "info", "append": true, "priority": 3, "scope": "job"}`},
			{"POST", job + "/artifacts", j.Token, `{"id": "i", "artifacts": [` + artifact + `], "upload_destination": "s3://b", "multipart_supported": true}`},
			{"PUT", job + "/artifacts", j.Token, `{"artifacts": [{"id": "i", "state": "finished", "multipart_etags": [{"part_number": 1, "etag": "e"}]}]}`},
			{"POST", job + "/oidc/tokens", j.Token, `{"audience": "a", "lifetime": 300, "claims": ["organization_id"], "aws_session_tags": ["organization_slug"], "subject_claim": "pipeline_id"}`},
			{"POST", "steps/b/export", j.Token, `{"attribute": "label", "build_id": "", "format": "string"}`},
			{"PUT", "steps/b", j.Token, `{"idempotency_uuid": "i", "build_id": "", "attribute": "notify", "value": "[]", "append": true}`},
			{"PUT", "steps/b", j.Token, `{"attribute": "priority", "value": "1"}`},
			{"PUT", "steps/b", j.Token, `{"attribute": "parallelism", "value": "1"}`},
			{"POST", "cache_registries/~/peek", j.Token, `{` + entry + `}`},
			{"POST", "cache_registries/~/retrieve", j.Token, `{` + entry + `}`},
			{"PUT", "cache_registries/~/store", j.Token, `{` + entry + `, "blobs": [{"digest": {"algorithm": "sha256", "value": "` + digest + `"}, "file_size": 1, "compression": "zip"}], "platform": "linux/amd64"}`},
			{"PUT", "cache_registries/~/commit", j.Token, `{"upload_id": "u", "e_tags": [{"a": 1}]}`},
			{"POST", "cache_registries/~/expire", j.Token, `{` + entry + `}`},
			{"POST", "steps/last/cancel", j.Token, `{"build_id": "", "force": true, "force_grace_period": 10}`},
		} {
			var value any
			if err := json.Unmarshal([]byte(call.body), &value); err != nil {
				t.Fatalf("%s: %v", call.path, err)
			}
			for _, text := range withPlaces(t, value) {
				for _, hostile := range hostileValues {
					if !sample.Has() {
						continue
					}
					body := strings.Replace(text, `"`+hostilePlace+`"`, hostile, 1)
					if strings.HasSuffix(call.path, "/pipelines") {
						body = strings.Replace(body, `"uuid":""`, `"uuid":"`+domain.NewID[string]()+`"`, 1)
						body = strings.Replace(body, `"replace":"no"`, `"replace":false`, 1)
					}
					if status := w.Send(call.method, call.path, call.token, body).Status; status == http.StatusUnauthorized {
						t.Fatalf("%s %s with %.300s ends the job's token", call.method, call.path, body)
					}
				}
			}
		}
		for _, path := range []string{job + "/chunks?sequence=%s&offset=%s&size=%s", "builds/x/artifacts/search?query=%s&scope=%s&state=%s", job + "/secrets?key=%s%s%s"} {
			for _, value := range []string{"", "-1", "0", "1.5", "9223372036854775807", "9223372036854775808", "\x00", "\xff", "*", "[", strings.Repeat("*", 3_000)} {
				method := http.MethodGet
				if strings.Contains(path, "chunks") {
					method = http.MethodPost
				}
				w.Send(method, strings.ReplaceAll(path, "%s", url.QueryEscape(value)), j.Token, nil)
			}
		}
		w.WantJob(j.ID, "running")
		j.Finish(0).Want(t, http.StatusOK)
	})
}
