package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/policy"
	"penstock/internal/testkit"
)

// claims returns the fields of a job, some of them changed: names and values by turns.
func claims(changed ...string) []string {
	fields := []string{"asks", "save", "organization_slug", "acme-inc", "pipeline_slug", "web", "build_branch", "main", "build_tag", "", "build_number", "17",
		"build_commit", "5c1c7d0", "build_source", "webhook", "step_key", "", "runner_environment", "self-hosted", "job_id", "job", "agent_id", "agent"}
	for i := 0; i < len(changed); i += 2 {
		for j := 0; j < len(fields); j += 2 {
			if fields[j] == changed[i] {
				fields[j+1] = changed[i+1]
			}
		}
	}
	return fields
}

const branchPolicy = `{
  "save": {"scopes": {"branch": true}},
  "restore": {"scopes": [{"branch": "$current"}, {"branch": "main"}]},
  "rules": [
    {"name": "tags use main", "effect": "deny", "action": "restore", "when": "claims.build_tag != null && entry.branch != \"main\""},
    {"name": "branches", "effect": "allow", "action": ["restore", "save"], "when": "claims.build_branch.startsWith(\"v\") || entry.branch == \"main\""},
    {"effect": "allow", "action": "save"}
  ]
}`

func TestPoliciesAreEdited(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		const path = theRegistry + "/policy"
		b.get(path).want(t, http.StatusOK, "The policy is valid", "{&#34;effect&#34;: &#34;allow&#34;, &#34;action&#34;: [&#34;save&#34;]}", "Saved entries are shared by all jobs")

		broken := strings.Replace(branchPolicy, `"deny"`, `"dény"`, 1)
		b.submit(path, "do", "save", "policy", strings.ReplaceAll(broken, "\n", "\r\n")).want(t, http.StatusUnprocessableEntity,
			"The policy wasn't saved", "1 problem", "Line 5, column 31", "Rule 1: effect must be allow or deny", `data-line="5"`, "dény", "Unsaved changes")
		b.submit(path, "do", "check", "policy", broken).want(t, http.StatusOK, "Line 5, column 31", "Unsaved changes")
		b.submit(path, "do", "save", "policy", "{\n  \"rules\": [,]}").want(t, http.StatusUnprocessableEntity, "Line 2, column 13")
		b.submit(path, "do", "save", "policy", `{"rules": [{"effect": "allow", "action": "save", "when": "claims.branch == 'x'"}]}`).
			want(t, http.StatusUnprocessableEntity, "Line 1, column 65", "unknown attribute claims.branch")
		b.submit(path, "do", "save", "policy", strings.Repeat(" ", 1+policy.MaxDocumentBytes)+"{}").want(t, http.StatusUnprocessableEntity, "at most 64 KiB")
		b.submit(path, "do", "save", "policy", "{\x00\xff}").want(t, http.StatusUnprocessableEntity, "must be valid JSON")
		if p := s.registry(testkit.RegistryID).Policy; p == nil || *p != string(policy.Default().Normal()) {
			t.Errorf("what was refused is stored: %v", p)
		}

		// The normal form is shown before it is stored, and then is what is edited.
		b.submit(path, "do", "check", "policy", `{"rules": [{"effect": "allow", "action": "save", "when": "claims.build_branch == \"main\""}]}`).
			want(t, http.StatusOK, "The policy is valid", "rule 1 decides by the branch alone, whoever created the build")
		b.submit(path, "do", "check", "policy", branchPolicy).want(t, http.StatusOK, "The policy is valid", "[&#34;save&#34;, &#34;restore&#34;]", "entries of the branch main", "data-unsaved>")
		b.submit(path, "do", "save", "policy", branchPolicy).wantRedirect(t, path)
		a := b.get(path).want(t, http.StatusOK, "Policy saved.", "[&#34;save&#34;, &#34;restore&#34;]")
		if !strings.Contains(a.Body, "data-unsaved hidden>") {
			t.Error("what is stored is not what is shown")
		}
		b.get(theRegistry).want(t, http.StatusOK, "kept apart by branch", "tags use main")
		b.get(theCluster+"/registries").want(t, http.StatusOK, "3 rules")

		b.submit(path, "do", "save", "policy", " \n").wantRedirect(t, path)
		b.get(path).want(t, http.StatusOK, "nothing can be saved or restored")
		if s.registry(testkit.RegistryID).Policy != nil {
			t.Error("an empty policy is one")
		}
		for _, example := range []string{"share", "branches", "main"} {
			b.get(path+"?example="+example).want(t, http.StatusOK, "The policy is valid", "Unsaved changes")
		}
		b.get(path+"?example=none").want(t, http.StatusOK, "No policy")
	})
}

func TestPoliciesAreTried(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		const path = theRegistry + "/policy"
		try := func(document string, changed ...string) *answer {
			t.Helper()
			return b.submit(path, append([]string{"do", "test", "policy", document}, claims(changed...)...)...)
		}
		before := s.events()
		try(branchPolicy).want(t, http.StatusOK, "Allowed", "is not about save", "matches, and allows it", "not evaluated", `value="5c1c7d0"`)
		try(branchPolicy, "build_branch", "feature").want(t, http.StatusOK, "Allowed", "rule 3 allows it", "its condition is false")
		try(branchPolicy, "asks", "restore", "build_branch", "v1", "build_tag", "v1").want(t, http.StatusOK,
			"Allowed", "matches, and denies it", "{&#34;branch&#34;:&#34;v1&#34;}", "{&#34;branch&#34;:&#34;main&#34;}")
		try(branchPolicy, "asks", "restore", "build_branch", "v1").want(t, http.StatusOK, "Allowed")
		try(`{"rules": [{"effect": "deny", "action": "save", "when": "claims.build_tag.startsWith('v')"}]}`).want(t, http.StatusOK, "Denied", "denies it, because its condition fails")
		try(`{"rules": [{"effect": "allow", "action": "save", "when": "claims.build_tag.startsWith('v')"}]}`).want(t, http.StatusOK, "Denied", "does not match, because its condition fails")
		try(`{}`).want(t, http.StatusOK, "Denied", "no rule matches", "The policy has no rules")
		try(`{}`, "asks", "restore").want(t, http.StatusOK, "Denied", "restore.scopes offers no entry")
		try("").want(t, http.StatusOK, "Denied", "there is no policy")
		many := `{"restore": {"scopes": [` + strings.Repeat(`{},`, 5000) + `{}]}, "rules": [{"effect": "deny", "action": "restore"}]}`
		if a := try(many, "asks", "restore").want(t, http.StatusOK, "Denied", "more entries, all denied", "more</li>"); len(a.Body) > 100_000 {
			t.Errorf("many entries are shown in %d bytes", len(a.Body))
		}

		a := try(`{"rules": 1}`, "asks", "read", "build_number", "none", "pipeline_slug", "").want(t, http.StatusUnprocessableEntity,
			"can't be tested", "rules must be a JSON array", "Build number must be a whole number from 1", "Pipeline must be a string that is not empty", "Choose what the job wants to do")
		if strings.Contains(a.Body, "Denied") {
			t.Error("what has faults is decided")
		}
		if after := s.events(); after != before {
			t.Errorf("trying changed %d things", after-before)
		}
	})
}
