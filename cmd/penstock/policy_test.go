package main

import (
	"strings"
	"testing"
)

const testClaims = `{"organization_slug": "acme-inc", "pipeline_slug": "web", "build_number": 7, "build_branch": "main", "build_tag": null,
	"build_commit": "4f2a9c1", "step_key": null, "job_id": "j1", "agent_id": "a1", "build_source": "webhook", "runner_environment": "self-hosted"}`

func TestPolicyCheck(t *testing.T) {
	t.Parallel()
	mainOnly := `{"rules": [{"effect": "allow", "action": "save", "when": "claims.build_branch == 'main'"}]}`
	claims := write(t, "claims.json", testClaims)
	for name, c := range map[string]struct {
		policy, action, claims string
		code                   int
		stdout, stderr         string
	}{
		"allowed":          {mainOnly, "save", claims, 0, "save allowed: ", ""},
		"denied":           {mainOnly, "restore", claims, 1, "restore denied: ", ""},
		"null, save":       {"null", "save", claims, 1, "save denied: there is no policy", ""},
		"null, restore":    {" null\n", "restore", claims, 1, "restore denied: there is no policy", ""},
		"invalid policy":   {`{"rules": [{"effect": "maybe", "action": "save"}]}`, "save", claims, 2, "", "rules[0].effect must be allow or deny"},
		"no JSON":          {"rules", "save", claims, 2, "", "policy"},
		"invalid claims":   {mainOnly, "save", write(t, "bad.json", "{}"), 2, "", "organization_slug"},
		"claims not there": {mainOnly, "save", "/nowhere", 2, "", "/nowhere"},
		"unknown action":   {mainOnly, "delete", claims, 2, "", "--action must be save or restore"},
		"claims not named": {mainOnly, "save", "", 2, "", "--claims"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, penstock(t, nil, "policy", "check", write(t, "policy.json", c.policy), "--action", c.action, "--claims", c.claims))
			if r.code != c.code || !strings.HasPrefix(r.stdout, c.stdout) || c.stdout == "" && r.stdout != "" || !strings.Contains(r.stderr, c.stderr) {
				t.Errorf("%v", r)
			}
		})
	}
	cmd := penstock(t, nil, "policy", "check", "-", "--action", "save", "--claims", claims)
	cmd.Stdin = strings.NewReader(mainOnly)
	if r := run(t, cmd); r.code != 0 {
		t.Errorf("from stdin: %v", r)
	}
}
