package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repository makes a git repository on this machine, whose branch main has one commit with these files, such as .buildkite/pipeline.yml,
// by their paths. Those that begin with #! can be executed. It returns the repository's URL and the commit's id.
func Repository(t testing.TB, files map[string]string) (url, commit string) {
	t.Helper()
	dir := t.TempDir()
	work, bare := filepath.Join(dir, "work"), filepath.Join(dir, "repository.git")
	git := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", args...)
		command.Dir = work
		command.Env = environment(dir, []string{
			"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Author", "GIT_AUTHOR_EMAIL=author@example.com",
			"GIT_COMMITTER_NAME=Author", "GIT_COMMITTER_EMAIL=author@example.com",
		})
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet", "--initial-branch=main")
	git("add", "--all")
	git("commit", "--quiet", "--allow-empty", "--message=First commit")
	git("clone", "--quiet", "--bare", work, bare)
	return "file://" + bare, git("rev-parse", "HEAD")
}
