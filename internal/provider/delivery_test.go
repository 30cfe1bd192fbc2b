package provider_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/provider"
)

// readFile reads a delivery: its headers, and its body.
func readFile(t testing.TB, name string) (http.Header, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".http"))
	if err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(bytes.NewReader(text))
	header, err := textproto.NewReader(reader).ReadMIMEHeader()
	if err != nil {
		t.Fatal(name, err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return http.Header(header), body
}

// show returns an event in a line.
func show(e provider.Event) string {
	line := fmt.Sprintf("%s %s", e.Host, e.Kind)
	add := func(name, value string) {
		if value != "" {
			line += " " + name + "=" + value
		}
	}
	add("branch", e.Branch)
	add("tag", e.Tag)
	add("commit", e.Commit[:min(4, len(e.Commit))])
	add("message", strings.SplitN(e.Message, "\n", 2)[0])
	add("author", e.Author.Email)
	add("pusher", e.Pusher)
	if e.IsNew {
		line += " new"
	}
	if r := e.Request; r != nil {
		line += fmt.Sprintf(" #%s %s base=%s labels=%s", r.ID, r.Action, r.Base, strings.Join(r.Labels, ","))
		add("from", r.Repository)
		if r.IsFork {
			line += " fork of " + r.ForkOwner
		}
		if r.Draft {
			line += " draft"
		}
		if r.IsClosed {
			line += " closed"
		}
	}
	if q := e.MergeQueue; q != nil {
		line += fmt.Sprintf(" base=%s@%.4s", q.BaseBranch, q.BaseCommit)
	}
	return line
}

func TestDeliveriesAreRead(t *testing.T) {
	t.Parallel()
	const (
		pushed = " commit=1111 message=Add a page author=ada@example.com pusher=ada@example.com"
		pull   = "github pull request branch=feature/x commit=1111 message=A pull request #7 "
		own    = " from=https://github.com/acme/web.git"
		merge  = "gitlab pull request branch=feature/x commit=1111 message=A merge request author=ada@example.com #7 "
		lab    = " from=https://gitlab.com/acme/web.git"
	)
	files, err := filepath.Glob("testdata/*.http")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"github_ping":                          "github ping",
		"github_push":                          "github push branch=main" + pushed,
		"github_push_form":                     "github push branch=main" + pushed,
		"github_enterprise_push":               "github_enterprise push branch=main" + pushed,
		"github_push_new_branch":               "github push branch=feature/x" + pushed + " new",
		"github_push_deleted_branch":           "github branch deleted branch=feature/x commit=0000 pusher=ada@example.com",
		"github_push_tag":                      "github tag branch=v1.0 tag=v1.0" + pushed + " new",
		"github_push_deleted_tag":              "github tag deleted branch=v1.0 commit=0000 pusher=ada@example.com",
		"github_push_skipped":                  "github push branch=main commit=1111 message=Fix words [skip ci] author=ada@example.com pusher=ada@example.com",
		"github_push_notes":                    "github other commit=1111 pusher=ada@example.com",
		"github_pull_request_opened":           pull + "opened base=main labels=bug,ui" + own,
		"github_pull_request_synchronize":      pull + "synchronize base=main labels=" + own,
		"github_pull_request_fork_opened":      pull + "opened base=main labels= from=https://github.com/mallory/web.git fork of mallory",
		"github_pull_request_fork_synchronize": pull + "synchronize base=main labels= from=https://github.com/mallory/web.git fork of mallory",
		"github_pull_request_fork_gone":        pull + "opened base=main labels= fork of ",
		"github_pull_request_closed":           pull + "closed base=main labels=" + own + " closed",
		"github_pull_request_reopened":         pull + "reopened base=main labels=" + own,
		"github_pull_request_ready":            pull + "ready_for_review base=main labels=" + own,
		"github_pull_request_draft":            pull + "converted_to_draft base=main labels=" + own + " draft",
		"github_pull_request_labeled":          pull + "labeled base=main labels=bug" + own,
		"github_pull_request_unlabeled":        pull + "unlabeled base=main labels=" + own,
		"github_pull_request_edited":           pull + "edited base=main labels=" + own,
		"github_pull_request_base_changed":     pull + "base_changed base=main labels=" + own,
		"github_pull_request_review_requested": pull + "review_requested base=main labels=" + own,
		"github_pull_request_dequeued":         pull + "dequeued base=main labels=" + own,
		"github_pull_request_skipped":          "github pull request branch=feature/x commit=1111 message=Words only [ci skip] #7 opened base=main labels=" + own,
		"github_pull_request_assigned":         pull + " base=main labels=" + own,
		"github_merge_group":                   "github merge group branch=gh-readonly-queue/main/pr-7-2222222222222222222222222222222222222222 commit=1111 message=Add a page author=ada@example.com base=main@2222",
		"github_merge_group_destroyed":         "github merge group destroyed branch=gh-readonly-queue/main/pr-7-2222222222222222222222222222222222222222 commit=1111 message=Add a page author=ada@example.com base=main@2222",
		"github_issues":                        "github other",
		"github_broken":                        "broken",
		"github_empty":                         "broken",
		"gitea_push":                           "gitea push branch=main" + pushed,
		"gitea_push_new_branch":                "gitea push branch=feature/x" + pushed + " new",
		"gitea_create_branch":                  "gitea push branch=feature/x commit=1111 new",
		"gitea_create_tag":                     "gitea tag branch=v1.0 tag=v1.0 commit=1111 new",
		"gitea_delete_branch":                  "gitea branch deleted branch=feature/x",
		"gitea_pull_request_opened":            "gitea pull request branch=feature/x commit=1111 message=A pull request #7 opened base=main labels= from=https://git.example.com/acme/web.git",
		"gitea_pull_request_fork_synchronized": "gitea pull request branch=feature/x commit=1111 message=A pull request #7 synchronize base=main labels= from=https://git.example.com/mallory/web.git fork of mallory",
		"gitea_pull_request_label":             "gitea pull request branch=feature/x commit=1111 message=A pull request #7 labeled base=main labels=bug from=https://git.example.com/acme/web.git",
		"gitlab_push":                          "gitlab push branch=main" + pushed,
		"gitlab_push_deleted_branch":           "gitlab branch deleted branch=feature/x commit=0000 pusher=ada@example.com",
		"gitlab_tag":                           "gitlab tag branch=v1.0 tag=v1.0" + pushed + " new",
		"gitlab_merge_request_open":            merge + "opened base=main labels=bug" + lab,
		"gitlab_merge_request_update":          merge + "synchronize base=main labels=" + lab,
		"gitlab_merge_request_fork_update":     merge + "synchronize base=main labels= from=https://gitlab.com/mallory/web.git fork of mallory",
		"gitlab_merge_request_ready":           merge + "ready_for_review base=main labels=" + lab,
		"gitlab_merge_request_labels":          merge + "labeled base=main labels=" + lab,
		"gitlab_merge_request_base":            merge + "base_changed base=main labels=" + lab,
		"gitlab_merge_request_merge":           merge + "closed base=main labels=" + lab + " closed",
		"gitlab_note":                          "gitlab other",
		"bitbucket_push":                       "bitbucket push branch=main commit=1111 message=Add a page author=ada@example.com",
		"bitbucket_tag":                        "bitbucket tag branch=v1.0 tag=v1.0 commit=1111 message=Add a page author=ada@example.com",
		"bitbucket_deleted_branch":             "bitbucket branch deleted branch=feature/x",
		"bitbucket_pull_request_created":       "bitbucket pull request branch=feature/x commit=1111 message=A pull request #7 opened base=main labels= from=https://bitbucket.org/acme/web",
		"bitbucket_pull_request_fork_updated":  "bitbucket pull request branch=feature/x commit=1111 message=A pull request #7 synchronize base=main labels= from=https://bitbucket.org/mallory/web fork of mallory",
		"bitbucket_pull_request_fulfilled":     "bitbucket pull request branch=feature/x commit=1111 message=A pull request #7 closed base=main labels= from=https://bitbucket.org/acme/web closed",
		"bitbucket_server_push":                "bitbucket_server push branch=main commit=1111 author=ada@example.com pusher=ada@example.com",
		"bitbucket_server_deleted_branch":      "bitbucket_server branch deleted branch=feature/x commit=0000 author=ada@example.com pusher=ada@example.com",
		"bitbucket_server_pull_request_opened": "bitbucket_server pull request branch=feature/x commit=1111 message=A pull request #7 opened base=main labels=",
		"bitbucket_server_ping":                "bitbucket_server ping",
		"unknown":                              "unknown",
	}
	if len(files) != len(want) {
		t.Errorf("%d files, %d expectations", len(files), len(want))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".http")
		header, body := readFile(t, name)
		e, err := provider.Read(header, body)
		got := show(e)
		switch {
		case errors.Is(err, provider.ErrBroken):
			got = "broken"
		case errors.Is(err, provider.ErrUnknownHost):
			got = "unknown"
		case err != nil:
			got = err.Error()
		case e.DeliveryID == "" || e.Name == "" || e.Kind != provider.Ping && e.Repository == "":
			t.Errorf("%s: no id, name or repository: %+v", name, e)
		}
		if got != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name])
		}
	}
}

func TestSignaturesAreChecked(t *testing.T) {
	t.Parallel()
	const secret, body = "It's a Secret to Everybody", "Hello, World!"
	const sum = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" // as GitHub documents it
	for _, c := range []struct {
		header map[string]string
		want   bool
	}{
		{map[string]string{"X-Hub-Signature-256": "sha256=" + sum}, true},
		{map[string]string{"X-Hub-Signature": "sha256=" + sum}, true},
		{map[string]string{"X-Gitea-Signature": sum}, true},
		{map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": secret}, true},
		{map[string]string{}, false},
		{map[string]string{"X-Hub-Signature-256": "sha256="}, false},
		{map[string]string{"X-Hub-Signature-256": "sha256=" + strings.Repeat("0", 64)}, false},
		{map[string]string{"X-Hub-Signature-256": "sha1=" + sum}, false},
		{map[string]string{"X-Hub-Signature-256": "sha256=zz"}, false},
		{map[string]string{"X-Hub-Signature-256": "sha256=00", "X-Gitea-Signature": sum}, false},
		{map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "other"}, false},
		{map[string]string{"X-Gitlab-Event": "Push Hook"}, false},
		{map[string]string{"X-Gitlab-Token": secret}, false},
	} {
		header := http.Header{}
		for name, value := range c.header {
			header.Set(name, value)
		}
		if got := provider.CheckSignature(header, []byte(body), secret); got != c.want {
			t.Errorf("%v: %t", c.header, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"github_push", "github_pull_request_opened", "gitea_create_branch", "gitlab_merge_request_open", "bitbucket_push", "bitbucket_server_push"} {
		header, body := readFile(f, name)
		f.Add(header.Get("X-GitHub-Event"), header.Get("X-Gitlab-Event"), header.Get("X-Event-Key"), body)
	}
	f.Fuzz(func(t *testing.T, hub, lab, bucket string, body []byte) {
		header := http.Header{}
		header.Set("X-GitHub-Event", hub)
		header.Set("X-Gitlab-Event", lab)
		header.Set("X-Event-Key", bucket)
		e, err := provider.Read(header, body)
		if err == nil && e.Kind == provider.PullRequest && (e.Request == nil || e.Commit == "") {
			t.Errorf("%+v", e)
		}
	})
}
