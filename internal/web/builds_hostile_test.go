package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

// TestHostileBuilds writes an attack into what those who start builds, agents and jobs can write, and looks at the pages that show it.
func TestHostileBuilds(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		quoted, err := json.Marshal(attack)
		s.must(err)
		steps := strings.ReplaceAll(`steps:
  - {label: ATTACK, command: ATTACK, key: first}
  - group: ATTACK
    steps: [{label: ATTACK, command: x, parallelism: 2, agents: {"x": ATTACK}}]
  - {label: ATTACK, command: x, skip: "x<script>alert(1)</script>"}
  - block: ATTACK
    prompt: ATTACK
    submit: ATTACK
    depends_on: []
    fields:
      - {text: ATTACK, key: name, hint: ATTACK, default: ATTACK}
      - {select: ATTACK, key: channel, options: [{label: ATTACK, value: ATTACK}]}
`, "ATTACK", string(quoted))
		token := s.agentToken()
		pipeline := s.pipelineWith("Hostile", "hostile-builds", steps)
		made := s.Post(testkit.AdminToken, pipeline+"/builds", map[string]any{"commit": "HEAD", "branch": "main", "message": attack, "env": map[string]any{"A": attack},
			"meta_data": map[string]any{attack: attack}, "author": map[string]any{"name": attack, "email": "x@example.com"}}).Want(t, http.StatusCreated)
		testkit.Change(t, s.DB, `UPDATE builds SET branch = $1, tag = $1, commit_sha = $1, author_name = $1, author_email = $1 WHERE id = $2`, attack, made.Text("id"))
		build := "/acme-inc/hostile-builds/builds/1"

		w := s.connectWorker(token, attack, "queue=default", "x="+attack)
		job := w.take()
		job.write("--- " + attack + "\n" + attack + "\n\x1b]8;;javascript:alert(1)\alink\x1b]8;;\a\n\x1b]1339;url=javascript:alert(1);content=" + attack + "\a\n\x1b]1338;url=javascript:alert(1);alt=" + attack + "\a\n" +
			"\x1b]1337;File=name=eA==;inline=1;width=\"><script>alert(1)</script>:PHN2Zz4=\a\n")
		job.upload("x", "a"+attack)
		job.annotate("error", attack)
		job.annotate("info", "["+attack+"](javascript:alert(1)) ![x](javascript:alert(1)) <svg onload=alert(1)> <math><mtext></p><script>alert(1)</script>")
		s.Put(testkit.AdminToken, "/v2"+acme+"/agents/"+w.ID+"/pause", map[string]any{"note": attack}).Want(t, http.StatusNoContent)
		block := ""
		for _, j := range s.Get(testkit.AdminToken, "/v2"+acme+"/pipelines/hostile-builds/builds/1").Want(t, http.StatusOK).Object()["jobs"].([]any) {
			if j := j.(map[string]any); j["type"] == "manual" {
				block = j["id"].(string)
			}
		}
		b := s.signedIn("admin@example.com")
		look := func() {
			t.Helper()
			for path, times := range map[string]int{
				build:                                 8,
				build + "/jobs/" + job.ID:             3,
				build + "/jobs/" + block + "/unblock": 4,
				build + "/cancel":                     0,
				acme + "/pipelines/hostile-builds":    1,
				acme + "/agents":                      1,
				acme + "/agents/" + w.ID:              4,
				acme + "/agents/" + w.ID + "/stop":    1,
				acme:                                  1,
			} {
				b.get(path).want(t, http.StatusOK).wantHarmless(t, times)
			}
		}
		look()
		s.must(s.Builds.FinishJob(t.Context(), job.token, job.ID, builds.Finish{ExitStatus: 1, Signal: "SIGTERM"}))
		testkit.Change(t, s.DB, `UPDATE job_runs SET signal_reason = $1, signal = $1, detail = $1 WHERE job_id = $2`, attack, job.ID)
		look()
	})
}
