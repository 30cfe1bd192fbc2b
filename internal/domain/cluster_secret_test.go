package domain_test

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
)

func TestSecretPoliciesSayWhichJobsMayRead(t *testing.T) {
	t.Parallel()
	job := domain.SecretClaims{
		domain.ClaimPipelineSlug: {"web"}, domain.ClaimBuildBranch: {"release/1.0"}, domain.ClaimBuildSource: {"ui"}, domain.ClaimClusterQueueKey: {""},
		domain.ClaimBuildCreatorTeam: {"platform", "0190a000-0000-7000-8000-000000000011"},
	}
	for policy, want := range map[string]bool{
		"- pipeline_slug: web":                                  true,
		"- pipeline_slug: Web":                                  false,
		"- pipeline_slug: web\n  build_branch: main":            false,
		"- pipeline_slug: web\n  build_branch: release/1.0":     true,
		"- pipeline_slug: api\n- build_source: ui":              true,
		"- pipeline_slug: [api, web]":                           true,
		"- pipeline_slug: [api, shop]":                          false,
		"- build_branch: release/*":                             true,
		"- build_branch: '*/1.*'":                               true,
		"- build_branch: '*'":                                   true,
		"- build_branch: '*1.0*1.0'":                            false,
		"- build_branch: release/1.0*0":                         false,
		"- build_branch: re*1.0*":                               true,
		"- build_creator_team: platform":                        true,
		"- build_creator_team: [0190a000-*]":                    true,
		"- build_creator: '*'":                                  false, // nobody made it
		"- cluster_queue_key: '*'":                              false,
		`[{"pipeline_slug": ["web"]}]`:                          true,
		"# who may\n- pipeline_slug: web # and nobody else\n":   true,
		"- {pipeline_slug: api}\n- {pipeline_slug: [x, \"*\"]}": true,
	} {
		parsed, err := domain.ParseSecretPolicy(policy)
		if err != nil || parsed.Allows(job) != want {
			t.Errorf("%s: %t, %v", policy, parsed.Allows(job), err)
		}
	}
	if !domain.SecretPolicy(nil).Allows(nil) {
		t.Error("without a policy, all may")
	}
}

func TestBadSecretPoliciesAreRefused(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{
		"[]":                                     "it must be a list of rules",
		"web":                                    "it must be a list of rules",
		"pipeline_slug: web":                     "it must be a list of rules",
		"# nothing":                              "it must be a list of rules",
		"- {}":                                   "line 1: a rule must be a map of claims",
		"- web":                                  "line 1: a rule must be a map of claims",
		"- pipeline_slug: web\n- branch: main":   `line 2: "branch" is no claim; there are pipeline_id, `,
		"- pipeline_slug: []":                    "line 1: pipeline_slug must have a text or a list of texts",
		"- pipeline_slug:":                       "line 1: pipeline_slug must have",
		"- pipeline_slug: ''":                    "line 1: pipeline_slug must have",
		"- pipeline_slug: {a: b}":                "line 1: pipeline_slug must have",
		"- pipeline_slug: [[web]]":               "line 1: pipeline_slug must have",
		"- &a {pipeline_slug: web}\n- *a":        "line 2: a rule must be a map of claims",
		"- pipeline_slug: a\n  pipeline_slug: b": "pipeline_slug",
		"- pipeline_slug: [":                     "line ",
		"- pipeline_slug: \xff":                  "it must be valid UTF-8",
		"- pipeline_slug: " + strings.Repeat("a", 10_000): "it is too long",
		strings.Repeat("[", 1000):                         "",
	} {
		if _, err := domain.ParseSecretPolicy(policy); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", policy, err, want)
		}
	}
}

func TestKeysAndValuesOfSecrets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value, want string }{
		{"A", "x", ""},
		{"a_1B", strings.Repeat("é", 4096), ""},
		{strings.Repeat("k", 255), "x", ""},
		{"", "", "Validation failed: Key can't be blank, Value can't be blank"},
		{"1A", "x", "Validation failed: Key can only contain letters, digits and underscores, and must begin with a letter"},
		{"A-B", "x", "Validation failed: Key can only contain letters, digits and underscores, and must begin with a letter"},
		{"A\n", "x", "Validation failed: Key can only contain letters, digits and underscores, and must begin with a letter"},
		{"_A", "x", "Validation failed: Key can only contain letters, digits and underscores, and must begin with a letter"},
		{"BUILDKITE_TOKEN", "x", "Validation failed: Key can't begin with buildkite or bk"},
		{"bk_token", "x", "Validation failed: Key can't begin with buildkite or bk"},
		{strings.Repeat("k", 256), "x", "Validation failed: Key is too long (maximum is 255 characters)"},
		{"A", strings.Repeat("é", 4096) + "x", "Validation failed: Value is too long (maximum is 8192 bytes)"},
		{"A", "a\x00b", "Validation failed: Value must be valid UTF-8 without NUL"},
	} {
		var faults domain.Faults
		_, value := domain.NewClusterSecret(domain.ClusterSecretInput{Key: domain.Some(c.key), Value: domain.Some(domain.Secret(c.value))}, "c", time.Now(), &faults)
		got := ""
		if err := faults.Err(); err != nil {
			got = err.Error()
		}
		if got != c.want || value.Reveal() != c.value {
			t.Errorf("%.20q, %.20q: %s, want %s", c.key, c.value, got, c.want)
		}
	}
}
