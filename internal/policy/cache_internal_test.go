package policy

import (
	"strconv"
	"strings"
	"testing"
)

// What is remembered does not show in the package's behaviour, so these tests look inside.
func TestCachesForgetTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	cache, made := newRecentCache[int, string](2), 0
	find := func(key int) string {
		return cache.find(key, func() (string, bool) {
			made++
			return strconv.Itoa(key), key > 0
		})
	}
	for _, step := range []struct{ key, made int }{{1, 1}, {2, 2}, {1, 2}, {2, 2}, {1, 2}, {3, 3}, {1, 3}, {2, 4}, {-1, 5}, {-1, 6}, {2, 6}, {1, 6}, {3, 7}} {
		if got := find(step.key); got != strconv.Itoa(step.key) || made != step.made {
			t.Errorf("%d is %s, and %d were made instead of %d", step.key, got, made, step.made)
		}
	}
	for i := range 100 {
		find(i + 1)
	}
	if len(cache.perKey) != 2 || cache.recent.Len() != 2 {
		t.Errorf("the cache holds %d keys and %d values", len(cache.perKey), cache.recent.Len())
	}
}

func TestConditionsAreCompiledOnce(t *testing.T) {
	t.Parallel()
	first, _ := compileRemembered("1 == 1")
	if again, problems := compileRemembered("1 == 1"); first == nil || again != first || problems != nil {
		t.Errorf("%v, then %v, %q", first, again, problems)
	}
	for range 2 {
		if compiled, problems := compileRemembered("entry.x"); compiled != nil || problems == nil {
			t.Errorf("got %v, %q", compiled, problems)
		}
	}
}

// TestDecisionsAreRememberedByWhatTheyDependOn changes each claim of a job: the decision may be another one where the policy looks at the claim.
func TestDecisionsAreRememberedByWhatTheyDependOn(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	job := Claims{OrganizationSlug: "o", PipelineSlug: "p", BuildNumber: 1, BuildBranch: "main", BuildTag: text("t"), BuildCommit: "c", StepKey: text("k"), JobID: "j", AgentID: "a", BuildSource: "s", RunnerEnvironment: "r"}
	changed := map[string]Claims{}
	for i := range claimTable {
		other := job
		switch claim := &claimTable[i]; {
		case claim.number != nil:
			*claim.number(&other) = 2
		case claim.text != nil:
			*claim.text(&other) = "other"
		default:
			*claim.nullable(&other) = nil
		}
		changed[claimTable[i].name] = other
	}
	for document, uses := range map[string]string{
		`{"rules":[{"effect":"allow","action":["save"],"when":"claims.build_tag == \"t\" && claims.build_number < 2"}]}`: "build_number build_tag",
		`{"save":{"scopes":{"branch":true}},"rules":[{"effect":"allow","action":["save"]}]}`:                             "build_branch",
		`{"save":{"scopes":{"pipeline":true}},"rules":[{"effect":"allow","action":["save"]}]}`:                           "pipeline_slug",
		`{"restore":{"scopes":[{"build":"$current"}]},"rules":[{"effect":"allow","action":["save"]}]}`:                   "build_number",
		`{"rules":[{"effect":"allow","action":["save"],"when":"[1].exists(x, claims.job_id == \"j\")"}]}`:                "job_id",
		`{"rules":[{"effect":"allow","action":["save"],"when":"claims == claims"}]}`:                                     strings.Join(claimNames, " "),
		`{"rules":[{"effect":"allow","action":["save"]}]}`:                                                               "",
	} {
		policy, faults := Parse([]byte(document))
		if faults != nil {
			t.Fatal(faults)
		}
		key, _ := policy.keyOf(Save, &job)
		var differs []string
		for i := range claimTable {
			name, other := claimTable[i].name, changed[claimTable[i].name]
			if otherKey, _ := policy.keyOf(Save, &other); otherKey != key {
				differs = append(differs, name)
			}
			if got, want := Decide(policy, Save, other), policy.decide(Save, &other); got.String() != want.String() {
				t.Errorf("%s with another %s: %s, not %s", document, name, got.String(), want.String())
			}
		}
		if got := strings.Join(differs, " "); got != uses {
			t.Errorf("%s depends on %q, not %q", document, got, uses)
		}
	}
	long := job
	long.BuildBranch = strings.Repeat("b", maxKeyBytes)
	policy, _ := Parse([]byte(`{"save":{"scopes":{"branch":true}}}`))
	if _, isShort := policy.keyOf(Save, &long); isShort {
		t.Error("a decision is remembered by a long text")
	}
}

func TestStoredPoliciesAreRemembered(t *testing.T) {
	t.Parallel()
	first, faults := ParseStored(unrestrictedPolicy)
	again, _ := ParseStored(unrestrictedPolicy)
	if first == nil || faults != nil || string(again.Normal()) != unrestrictedPolicy {
		t.Errorf("%v, then %v: %s", first, again, faults)
	}
	if parsed, faults := ParseStored(`{"rules":1}`); parsed != nil || faults == nil {
		t.Errorf("%v without faults", parsed)
	}
}
