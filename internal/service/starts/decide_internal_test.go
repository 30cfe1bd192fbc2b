package starts

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/provider"
	"penstock/internal/steps"
)

// readEvent reads a delivery of the provider's tests.
func readEvent(t *testing.T, name string) provider.Event {
	t.Helper()
	text, err := os.ReadFile("../../provider/testdata/" + name + ".http")
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(bytes.NewReader(text))
	header, err := textproto.NewReader(reader).ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	e, err := provider.Read(http.Header(header), body)
	if err != nil {
		t.Fatal(name, err)
	}
	return e
}

type settings = map[string]any

func TestEachSettingDecides(t *testing.T) {
	t.Parallel()
	const built = "build"
	for _, c := range []struct {
		event    string
		settings settings
		branches string // the pipeline's filter
		want     string
	}{
		{"github_ping", nil, "", "ignored: ping"},
		{"github_issues", nil, "", "ignored: event issues"},
		{"github_push_notes", nil, "", "ignored: event push"},
		{"github_push", nil, "", built},
		{"github_enterprise_push", nil, "", built},
		{"gitlab_push", nil, "", built},
		{"bitbucket_push", nil, "", built},
		{"gitea_push", nil, "", built},
		{"gitea_create_branch", nil, "", "build unless known"},
		{"gitea_push_new_branch", nil, "", "build unless known"},
		{"github_push_new_branch", nil, "", built},
		{"github_push", settings{"trigger_mode": "none"}, "", "ignored: trigger mode none"},
		{"github_push", settings{"trigger_mode": "deployment"}, "", "ignored: trigger mode deployment"},
		{"github_push", settings{"build_branches": false}, "", "ignored: branches are not built"},
		{"github_push", settings{"skip_builds_for_existing_commits": true}, "", "build unless known"},
		{"github_push", nil, "main", built},
		{"github_push", nil, "release/*", "ignored: branch filter"},
		{"github_push", nil, "!main", "ignored: branch filter"},
		{"github_push_skipped", nil, "", "ignored: the commit's message says so"},
		{"github_push_deleted_branch", nil, "", "ignored: deleted branch"},
		{"github_push_deleted_branch", settings{"cancel_deleted_branch_builds": true}, "", "ignored: deleted branch, cancel feature/x"},
		{"gitea_delete_branch", settings{"cancel_deleted_branch_builds": true}, "", "ignored: deleted branch, cancel feature/x"},
		{"github_push_deleted_tag", settings{"build_tags": true}, "", "ignored: deleted tag"},
		{"github_push_tag", nil, "", "ignored: tags are not built"},
		{"github_push_tag", settings{"build_tags": true}, "", built},
		{"github_push_tag", settings{"build_tags": true}, "main", built},
		{"gitlab_tag", settings{"build_tags": true}, "", built},
		{"bitbucket_tag", settings{"build_tags": true}, "", built},
		{"gitea_create_tag", settings{"build_tags": true}, "", "build unless known"},
		{"github_pull_request_opened", nil, "", "build #7 unless known"},
		{"github_pull_request_opened", nil, "release/*", "build #7 unless known"},
		{"github_pull_request_opened", settings{"skip_pull_request_builds_for_existing_commits": false}, "", "build #7"},
		{"github_pull_request_opened", settings{"build_pull_requests": false}, "", "ignored: pull requests are not built"},
		{"github_pull_request_opened", settings{"pull_request_branch_filter_enabled": true, "pull_request_branch_filter_configuration": "release/*"}, "", "ignored: pull request branch filter"},
		{"github_pull_request_opened", settings{"pull_request_branch_filter_enabled": true, "pull_request_branch_filter_configuration": "feature/*"}, "", "build #7 unless known"},
		{"github_pull_request_opened", settings{"pull_request_branch_filter_configuration": "release/*"}, "", "build #7 unless known"},
		{"github_pull_request_opened", settings{"trigger_mode": "fork"}, "", "ignored: only forks are built"},
		{"github_pull_request_skipped", nil, "", "ignored: the pull request's title says so"},
		{"github_pull_request_synchronize", nil, "", "ignored: the push of these commits is built"},
		{"gitlab_merge_request_update", nil, "", "ignored: the push of these commits is built"},
		{"github_pull_request_fork_opened", nil, "", "ignored: forks are not built"},
		{"github_pull_request_fork_opened", settings{"build_pull_request_forks": true}, "", "build #7 of mallory:feature/x unless known"},
		{"github_pull_request_fork_opened", settings{"build_pull_request_forks": true, "prefix_pull_request_fork_branch_names": false}, "", "build #7 unless known"},
		{"github_pull_request_fork_synchronize", settings{"build_pull_request_forks": true}, "", "build #7 of mallory:feature/x unless known"},
		{"github_pull_request_fork_gone", nil, "", "ignored: forks are not built"},
		{"gitea_pull_request_fork_synchronized", settings{"build_pull_request_forks": true}, "", "build #7 of mallory:feature/x unless known"},
		{"gitlab_merge_request_fork_update", settings{"build_pull_request_forks": true}, "", "build #7 of mallory:feature/x unless known"},
		{"bitbucket_pull_request_fork_updated", settings{"build_pull_request_forks": true}, "", "build #7 of mallory:feature/x unless known"},
		{"github_pull_request_closed", nil, "", "ignored: the pull request is closed"},
		{"gitlab_merge_request_merge", nil, "", "ignored: the pull request is closed"},
		{"github_pull_request_reopened", nil, "", "ignored: pull requests that are reopened are not built"},
		{"github_pull_request_reopened", settings{"build_pull_request_reopened": true}, "", "build #7"},
		{"github_pull_request_ready", nil, "", "ignored: pull requests that are ready for review are not built"},
		{"github_pull_request_ready", settings{"build_pull_request_ready_for_review": true}, "", "build #7"},
		{"gitlab_merge_request_ready", settings{"build_pull_request_ready_for_review": true}, "", "build #7"},
		{"github_pull_request_draft", nil, "", "ignored: pull requests that are converted to draft are not built"},
		{"github_pull_request_draft", settings{"build_pull_request_converted_to_draft": true}, "", "build #7"},
		{"github_pull_request_labeled", nil, "", "ignored: pull requests that are labeled are not built"},
		{"github_pull_request_labeled", settings{"build_pull_request_labels_changed": true}, "", "build #7"},
		{"github_pull_request_unlabeled", settings{"build_pull_request_labels_changed": true}, "", "build #7"},
		{"gitea_pull_request_label", settings{"build_pull_request_labels_changed": true}, "", "build #7"},
		{"gitlab_merge_request_labels", settings{"build_pull_request_labels_changed": true}, "", "build #7"},
		{"github_pull_request_edited", settings{"build_pull_request_base_branch_changed": true}, "", "ignored: pull requests that are edited are not built"},
		{"github_pull_request_edited", settings{"build_pull_request_edited": true}, "", "build #7"},
		{"github_pull_request_base_changed", nil, "", "ignored: pull requests that are base changed are not built"},
		{"github_pull_request_base_changed", settings{"build_pull_request_base_branch_changed": true}, "", "build #7"},
		{"github_pull_request_base_changed", settings{"build_pull_request_edited": true}, "", "build #7"},
		{"gitlab_merge_request_base", settings{"build_pull_request_base_branch_changed": true}, "", "build #7"},
		{"github_pull_request_review_requested", settings{"build_pull_request_review_requested": true}, "", "build #7"},
		{"github_pull_request_dequeued", settings{"build_pull_request_dequeued": true}, "", "build #7"},
		{"github_pull_request_assigned", nil, "", "ignored: action assigned"},
		{"github_merge_group", nil, "", "ignored: merge groups are not built"},
		{"github_merge_group", settings{"build_merge_group_checks_requested": true}, "main", built},
		{"github_merge_group_destroyed", nil, "", "ignored: destroyed merge group"},
		{"github_merge_group_destroyed", settings{"cancel_when_merge_group_destroyed": true}, "",
			"ignored: destroyed merge group, cancel gh-readonly-queue/main/pr-7-2222222222222222222222222222222222222222"},
		{"github_push", settings{"filter_enabled": true, "filter_condition": `build.branch == "main" && build.source_event == "push"`}, "", built},
		{"github_push", settings{"filter_enabled": true, "filter_condition": `build.message =~ /^Remove/`}, "", "ignored: filter condition"},
		{"github_push", settings{"filter_enabled": false, "filter_condition": `false`}, "", built},
		{"github_pull_request_opened", settings{"filter_enabled": true, "filter_condition": `build.pull_request.base_branch == "main" && build.pull_request.labels includes "bug"`}, "", "build #7 unless known"},
		{"github_pull_request_fork_opened", settings{"build_pull_request_forks": true, "filter_enabled": true, "filter_condition": `!build.pull_request.repository.fork`}, "", "ignored: filter condition"},
	} {
		main := "main"
		p := &domain.Pipeline{Slug: "web", Repository: "git@example.com:acme/web.git", PipelineBuildSettings: domain.PipelineBuildSettings{DefaultBranch: &main}, ProviderSettings: c.settings}
		if c.branches != "" {
			p.BranchConfiguration = &c.branches
		}
		e := readEvent(t, c.event)
		d := applyFilter(steps.NewWork(t.Context()), p, domain.Organization{}, decide(p, e))
		if got := showDecision(d, e); got != c.want {
			t.Errorf("%s %v %s: %s, want %s", c.event, c.settings, c.branches, got, c.want)
		}
	}
}

func TestPullRequestsFromTheDefaultBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event, branch string
		settings      settings
		want          string
	}{
		{"github_pull_request_opened", "feature/x", nil, "build #7 unless known"},
		{"github_pull_request_opened", "feature/x", settings{"ignore_default_branch_pull_requests": true}, "ignored: pull requests from the default branch are not built"},
		{"github_pull_request_opened", "main", settings{"ignore_default_branch_pull_requests": true}, "build #7 unless known"},
		{"github_pull_request_fork_opened", "feature/x", settings{"ignore_default_branch_pull_requests": true, "build_pull_request_forks": true}, "build #7 of mallory:feature/x unless known"},
	} {
		p := &domain.Pipeline{Slug: "web", Repository: "git@example.com:acme/web.git", PipelineBuildSettings: domain.PipelineBuildSettings{DefaultBranch: &c.branch}, ProviderSettings: c.settings}
		e := readEvent(t, c.event)
		if got := showDecision(decide(p, e), e); got != c.want {
			t.Errorf("%s, default branch %s, %v: %s, want %s", c.event, c.branch, c.settings, got, c.want)
		}
	}
}

func showDecision(d decision, e provider.Event) string {
	text := d.ignored
	if b := d.build; b != nil {
		text = "build"
		if b.PullRequest != nil {
			text += " #" + b.PullRequest.ID
		}
		if b.Branch != e.Branch {
			text += " of " + b.Branch
		}
		if d.skipKnown {
			text += " unless known"
		}
	}
	if d.cancelBranch != "" {
		text += ", cancel " + d.cancelBranch
	}
	return text
}

func TestPushesToTheBranchOfAPullRequestAreItsBuilds(t *testing.T) {
	t.Parallel()
	e := readEvent(t, "github_push_new_branch")
	e.Request = &provider.Request{PullRequest: domain.PullRequest{ID: "7", Base: "main"}, Action: provider.Synchronized}
	p := &domain.Pipeline{Repository: "git@example.com:acme/web.git", ProviderSettings: settings{"build_branches": false}}
	if d := decide(p, e); d.build == nil || d.build.PullRequest == nil || d.build.PullRequest.ID != "7" {
		t.Errorf("%+v", d)
	}
	p.ProviderSettings = settings{"build_branches": false, "build_pull_requests": false}
	if d := decide(p, e); d.build != nil {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsFetchedForPullRequests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"gitea_pull_request_opened": "refs/pull/7/head", "gitlab_merge_request_open": "refs/merge-requests/7/head", "github_pull_request_opened": "", "github_push": "",
	} {
		if got := refspecOf(readEvent(t, name)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestOtherRepositoriesAndArchivedPipelinesAreNotBuilt(t *testing.T) {
	t.Parallel()
	e := readEvent(t, "github_push")
	for repository, want := range map[string]bool{
		"git@example.com:acme/web.git": true, "https://example.com/acme/web": true, "ssh://git@example.com:2222/Acme/Web.git": true, "https://example.com/git/acme/web.git": true,
		"git@example.com:acme/other.git": false, "git@example.com:xacme/web.git": false, "/srv/web.git": true,
	} {
		if d := decide(&domain.Pipeline{Repository: repository}, e); (d.build != nil) != want {
			t.Errorf("%s: %+v", repository, d)
		}
	}
	archived := domain.Pipeline{Repository: "git@example.com:acme/web.git", ArchivedAt: new(time.Time)}
	if d := decide(&archived, e); d.build != nil || !strings.Contains(d.ignored, "archived") {
		t.Errorf("%+v", d)
	}
}

func TestSkipMarks(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"[skip ci]", "[ci skip]", "[skip-ci]", "[ci-skip]", "[skip buildkite]", "[buildkite skip]", "[skip-buildkite]", "[buildkite-skip]", "[SKIP CI]"} {
		if !skipMark.MatchString("Change words\n\nmore " + mark + " words") {
			t.Error(mark)
		}
	}
	for _, text := range []string{"skip ci", "[skip]", "[skipci]", "[ci]", "[don't skip ci]"} {
		if skipMark.MatchString(text) {
			t.Error(text)
		}
	}
}
