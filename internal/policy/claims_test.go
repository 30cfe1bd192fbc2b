package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"penstock/internal/policy"
)

const claimsDocument = `{
	"organization_slug": "acme-inc", "pipeline_slug": "web", "build_number": 17, "build_branch": "feature/x",
	"build_tag": null, "build_commit": "0123456789abcdef0123456789abcdef01234567", "step_key": "test",
	"job_id": "0192f1a0-0000-7000-8000-000000000001", "agent_id": "0192f1a0-0000-7000-8000-000000000002",
	"build_source": "webhook", "runner_environment": "self-hosted"
}`

func TestParseClaims(t *testing.T) {
	t.Parallel()
	claims, faults := policy.ParseClaims([]byte(claimsDocument))
	if faults != nil {
		t.Fatal(faults)
	}
	if want := testClaims(); !reflect.DeepEqual(claims, want) {
		t.Fatalf("got %+v, want %+v", claims, want)
	}
	if faults := claims.Validate(); faults != nil {
		t.Fatalf("parsed claims are not valid: %s", faults)
	}
	without, faults := policy.ParseClaims([]byte(strings.Replace(claimsDocument, `"build_tag": null,`, ``, 1)))
	if faults != nil || without.BuildTag != nil {
		t.Fatalf("without build_tag: %+v, %s", without, faults)
	}
	tagged, faults := policy.ParseClaims([]byte(strings.Replace(claimsDocument, `"build_tag": null`, `"build_tag": "v1"`, 1)))
	if faults != nil || tagged.BuildTag == nil || *tagged.BuildTag != "v1" {
		t.Fatalf("with build_tag: %+v, %s", tagged, faults)
	}
}

func TestParseClaimsRefuses(t *testing.T) {
	t.Parallel()
	change := func(old, new string) string {
		changed := strings.Replace(claimsDocument, old, new, 1)
		if changed == claimsDocument {
			t.Fatalf("%s is not in the document", old)
		}
		return changed
	}
	const (
		text     = "must be a string that is not empty"
		number   = "build_number must be a whole number from 1"
		nullable = "must be null or a string that is not empty"
		allowed  = " is not allowed; use organization_slug, pipeline_slug, build_number, build_branch, build_tag, build_commit, " +
			"step_key, job_id, agent_id, build_source or runner_environment"
	)
	tests := []struct {
		document string
		faults   []string
	}{
		{`[]`, []string{"must be a JSON object"}},
		{`"{}"`, []string{"must be a JSON object"}},
		{`{}{}`, []string{"must be one JSON object with nothing after it"}},
		{strings.Repeat(" ", 64<<10) + `{}`, []string{"must be at most 64 KiB"}},
		{`{}`, []string{
			"organization_slug " + text, "pipeline_slug " + text, number, "build_branch " + text, "build_commit " + text,
			"job_id " + text, "agent_id " + text, "build_source " + text, "runner_environment " + text,
		}},
		{change(`"web"`, `null`), []string{"pipeline_slug " + text}},
		{change(`"web"`, `""`), []string{"pipeline_slug " + text}},
		{change(`"web"`, `"a\u0000"`), []string{"pipeline_slug must not contain NUL"}},
		{change(`"web"`, "\"\xff\""), []string{"pipeline_slug must be valid JSON (byte 54: invalid UTF-8)"}},
		{change(`"web"`, `"`+strings.Repeat("x", 4097)+`"`), []string{"pipeline_slug must be at most 4 KiB"}},
		{change(`17`, `"17"`), []string{number}},
		{change(`17`, `0`), []string{number}},
		{change(`17`, `-1`), []string{number}},
		{change(`17`, `1.5`), []string{number}},
		{change(`17`, `1e3`), []string{number}},
		{change(`17`, `9223372036854775808`), []string{number}},
		{change(`17`, `null`), []string{number}},
		{change(`"test"`, `""`), []string{"step_key " + nullable}},
		{change(`"test"`, `1`), []string{"step_key " + nullable}},
		{change(`"build_tag"`, `"tag"`), []string{"tag" + allowed}},
		{change(`"build_tag"`, `"step_key"`), []string{"step_key must appear only once"}},
		{change(`"web"`, `[1,{"a":2}], "x": {}, "y": [[]]`), []string{"pipeline_slug " + text, "x" + allowed, "y" + allowed}},
	}
	for _, test := range tests {
		_, faults := policy.ParseClaims([]byte(test.document))
		t.Run(faults.String(), func(t *testing.T) {
			t.Parallel()
			expectFaults(t, faults, test.faults)
		})
	}
}

func TestClaimsValidate(t *testing.T) {
	t.Parallel()
	empty := ""
	tests := []struct {
		change func(*policy.Claims)
		faults []string
	}{
		{func(*policy.Claims) {}, nil},
		{func(c *policy.Claims) { c.StepKey = nil }, nil},
		{func(c *policy.Claims) { c.BuildBranch = strings.Repeat("x", 4096) }, nil},
		{func(c *policy.Claims) { c.BuildBranch = strings.Repeat("x", 4097) }, []string{"build_branch must be at most 4 KiB"}},
		{func(c *policy.Claims) { c.BuildBranch = "" }, []string{"build_branch must be a string that is not empty"}},
		{func(c *policy.Claims) { c.BuildBranch = "\xff" }, []string{"build_branch must be valid UTF-8"}},
		{func(c *policy.Claims) { c.BuildBranch = "a\x00" }, []string{"build_branch must not contain NUL"}},
		{func(c *policy.Claims) { c.BuildTag = &empty }, []string{"build_tag must be null or a string that is not empty"}},
		{func(c *policy.Claims) { c.BuildNumber = 0 }, []string{"build_number must be a whole number from 1"}},
	}
	for _, test := range tests {
		claims := testClaims()
		test.change(&claims)
		expectFaults(t, claims.Validate(), test.faults)
	}
}
