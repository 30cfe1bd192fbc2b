package scenarios

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit/agent"
)

// logOf returns the whole log of a job that has ended.
func (s *installation) logOf(job string) string {
	s.t.Helper()
	status, text := s.send(adminToken, http.MethodGet, acme+"/jobs/"+job+"/log.txt", "")
	if status != http.StatusOK {
		s.t.Fatalf("the log of job %s: %d %s", job, status, text)
	}
	return string(text)
}

// 1, 11: what agents send is kept as it was.
func TestArtifactsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, s *installation) {
		p := s.startProxy()
		a := s.startAgent(agent.Options{Endpoint: p.endpoint()})
		big := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
		writeHome(t, a, "big.bin", string(big))
		writeHome(t, a, "script.sh", `
set -ex
case "$1" in
up)
	mkdir -p "$HOME/files/many" && cd "$HOME/files"
	: >empty
	cp "$HOME/big.bin" big
	echo "äöü" >"ü b.txt"
	for i in $(seq 1 62); do echo "file $i" >"many/$i"; done
	buildkite-agent artifact upload '**/*'
	;;
down)
	mkdir "$HOME/again"
	buildkite-agent artifact download '**/*' "$HOME/again/"
	diff -r "$HOME/files" "$HOME/again"
	test "$(buildkite-agent artifact shasum big --sha256)" = "$(sha256sum <"$HOME/big.bin" | cut -d ' ' -f 1)"
	test "$(buildkite-agent artifact search 'many/*' --format '%p\n' | wc -l)" = 62
	! buildkite-agent artifact download 'nothing/*' "$HOME/again/"
	;;
esac
echo "done with $1"
`)
		b := s.run(`steps: [{label: up, command: 'sh "$$HOME/script.sh" up'}, wait, {label: down, command: 'sh "$$HOME/script.sh" down'}]`)
		eventually(t, "the build ends", func() bool { return b.read().FinishedAt != nil })
		now := b.read()
		for _, name := range []string{"up", "down"} {
			log := s.logOf(now.job(name).ID)
			if now.State != "passed" || strings.Count(log, "done with "+name) < 1 {
				t.Fatalf("%s\nthe log of %s:\n%s", now, name, log)
			}
		}
		if states := s.texts(`SELECT state FROM artifacts WHERE build_id = $1`, now.ID); len(states) != 65 {
			t.Errorf("there are %d artifacts", len(states))
		}
		if failed := s.texts(`SELECT job_id FROM job_runs WHERE build_id = $1 AND chunks_failed_count > 0`, now.ID); len(failed) > 0 {
			t.Errorf("parts of logs are missing: %v", failed)
		}
	})
}
