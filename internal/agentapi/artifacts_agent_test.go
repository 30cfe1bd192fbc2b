package agentapi_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/testkit/agent"
	"penstock/internal/testkit/running"
)

// run runs a subcommand of the real agent in the name of the job.
func (j *artifactJob) run(dir string, args ...string) agent.Result {
	j.s.T.Helper()
	return agent.Run(j.s.T, agent.Command{Args: args, Endpoint: j.s.URL + "/v3", Token: j.token, Dir: dir,
		Env: []string{"BUILDKITE_JOB_ID=" + j.id, "BUILDKITE_BUILD_ID=" + j.build}})
}

func wantExit(t *testing.T, r agent.Result, code int) agent.Result {
	t.Helper()
	if r.ExitCode != code {
		t.Fatalf("it ended with %d, not %d:\n%s%s", r.ExitCode, code, r.Stdout, r.Stderr)
	}
	return r
}

// TestTheRealAgentUploadsAndDownloads has one job upload files, and another one download them.
func TestTheRealAgentUploadsAndDownloads(t *testing.T) {
	t.Parallel()
	eachArtifactServer(t, func(t *testing.T, s *artifactServer) {
		files := map[string][]byte{"empty": {}, "ü b.txt": []byte("umlaut\n"), "dist/large.bin": randomBytes(5, 200_000_000)}
		for i := range 62 {
			files[fmt.Sprintf("dist/%02d.log", i)] = []byte(fmt.Sprint("log ", i))
		}
		from, to := t.TempDir(), t.TempDir()
		for name, content := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(from, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		first, second := s.start(running.Cluster), s.start(running.Cluster)
		uploaded := wantExit(t, first.run(from, "artifact", "upload", "**/*"), 0)
		if batches := strings.Count(uploaded.Stderr+uploaded.Stdout, "Creating ("); batches != 3 {
			t.Errorf("%d batches:\n%s", batches, uploaded.Stderr)
		}
		if !strings.Contains(uploaded.Stderr+uploaded.Stdout, "part 3/3") {
			t.Errorf("the large file came not in 3 parts:\n%s", uploaded.Stderr)
		}
		wantExit(t, second.run(to, "artifact", "download", "*", ".", "--build", first.build), 0)
		for name, content := range files {
			got, err := os.ReadFile(filepath.Join(to, name))
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s has %d bytes, %v; want %d", name, len(got), err, len(content))
			}
		}
		searched := wantExit(t, second.run(to, "artifact", "search", "dist/*.log", "--build", first.build, "--format", `%p %s %j\n`), 0)
		if lines := strings.Count(searched.Stdout, " "+first.id+"\n"); lines != 62 || !strings.Contains(searched.Stdout, "dist/07.log 5 "+first.id+"\n") {
			t.Errorf("the search has %d lines:\n%s", lines, searched.Stdout)
		}
		sum1, sum256 := sha1.Sum(files["ü b.txt"]), sha256.Sum256(files["ü b.txt"])
		if got := wantExit(t, first.run(to, "artifact", "shasum", "ü b.txt"), 0); strings.TrimSpace(got.Stdout) != hex.EncodeToString(sum1[:]) {
			t.Errorf("the SHA-1 is said to be %s", got.Stdout)
		}
		if got := wantExit(t, first.run(to, "artifact", "shasum", "--sha256", "ü b.txt"), 0); strings.TrimSpace(got.Stdout) != hex.EncodeToString(sum256[:]) {
			t.Errorf("the SHA-256 is said to be %s", got.Stdout)
		}
		wantExit(t, first.run(to, "artifact", "shasum", "dist/*"), 1)
	})
}
