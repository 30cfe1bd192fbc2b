package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/testkit/agent"
)

// writeHome writes a file into the home of an agent, where its jobs find it.
func writeHome(t testing.TB, a *agent.Agent, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.Home, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readHome reads a file that a job wrote there.
func readHome(t testing.TB, a *agent.Agent, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(a.Home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// awaitHome waits for a file that a job writes there, with something in it.
func awaitHome(t testing.TB, a *agent.Agent, name string) (text string) {
	t.Helper()
	eventually(t, "a job writes "+name, func() bool {
		bytes, err := os.ReadFile(filepath.Join(a.Home, name))
		text = string(bytes)
		return err == nil && strings.HasSuffix(text, "\n")
	})
	return text
}

// waitForGo is a command that ends once its agent's home has a file go.
const waitForGo = `'until [ -e "$$HOME/go" ]; do sleep 0.1; done'`

// inOrder says whether each of the times is there and none is before the one in front of it.
func inOrder(times ...*time.Time) bool {
	return !slices.Contains(times, nil) && slices.IsSortedFunc(times, func(a, b *time.Time) int { return a.Compare(*b) })
}

// 1
func TestACommandRuns(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{})
		b := s.run(`steps: [{label: a, command: echo hi}]`).await("passed")
		wantStates(t, b, "a passed")
		j := b.job("a")
		if j.exit() != "0" || j.Agent == nil || j.Agent.Name != "runner-1" {
			t.Errorf("%+v", j)
		}
		if !inOrder(b.CreatedAt, b.ScheduledAt, j.CreatedAt, j.ScheduledAt, j.RunnableAt, b.StartedAt, j.StartedAt, j.FinishedAt, b.FinishedAt) {
			t.Errorf("the times are not in order: %+v", b)
		}
		if log := s.logOf(j.ID); !strings.Contains(log, "hi\r\n") {
			t.Errorf("the log is %q", log)
		}
	})
}

// 2
func TestACommandFails(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{PingMode: "poll-only"})
		b := s.run(`steps: [{label: a, command: exit 7}]`).await("failed")
		if j := b.job("a"); j.State != "failed" || j.exit() != "7" {
			t.Errorf("%+v", b)
		}
	})
}

// 3
func TestStepsAreUploaded(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		repository, commit := agent.Repository(t, map[string]string{
			".buildkite/pipeline.yml": "checkout: {skip: true}\nsteps: [{label: one, command: echo 1}, {label: two, command: echo 2}, {label: three, command: echo 3}]\n",
		})
		a := s.startAgent(agent.Options{})
		b := s.createBuild(s.createPipelineOf(repository,
			`steps: [{label: upload, command: ["buildkite-agent pipeline upload", `+waitForGo+`]}, {label: last, command: echo 4, checkout: {skip: true}}]`), "message", `""`)
		b.awaitJob("one", "waiting")
		wantStates(t, b.read(), "upload running, one waiting, two waiting, three waiting, last scheduled")
		writeHome(t, a, "go", "")
		now := b.await("passed")
		wantStates(t, now, "upload passed, one passed, two passed, three passed, last passed")
		if got := now.MetaData["buildkite:git:commit"]; !strings.HasPrefix(got, "commit "+commit) {
			t.Errorf("the commit is %q, want %s", got, commit)
		}
		if now.Commit != commit || now.Message != "First commit" || now.Author == nil || now.Author.Name != "Author" || now.Author.Email != "author@example.com" {
			t.Errorf("the build is of %s %q by %+v", now.Commit, now.Message, now.Author)
		}
		if !inOrder(now.job("upload").FinishedAt, now.job("one").RunnableAt) {
			t.Errorf("%+v", now)
		}
	})
}

// 4
func TestAFailureStopsWhatIsBehindAWait(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{Spawn: 2})
		const steps = `steps: [{label: a, command: exit 1}, {label: b, command: echo b}, %s, {label: c, command: echo c}]`
		stopped, goesOn := s.run(fmt.Sprintf(steps, "wait")), s.run(fmt.Sprintf(steps, "{wait: ~, continue_on_failure: true}"))
		wantStates(t, stopped.await("failed"), "a failed, b passed, waiter waiting_failed, c waiting_failed")
		wantStates(t, goesOn.await("failed"), "a failed, b passed, waiter passed, c passed")
		held := s.run(`steps: [{label: a, command: echo a}, {block: Go}, {label: f, command: exit 1, depends_on: ~}]`).await("failed")
		if wantStates(t, held, "a passed, Go blocked, f failed"); !held.Blocked || held.FailingAt == nil {
			t.Errorf("a build that waits for a person and has a failed job is %+v", held)
		}
	})
}

// 6
func TestSoftFailures(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{Spawn: 2})
		const steps = `steps: [{label: a, command: exit %d, soft_fail: [{exit_status: 3}]}, wait, {label: b, command: echo b}]`
		soft, hard := s.run(fmt.Sprintf(steps, 3)), s.run(fmt.Sprintf(steps, 4))
		passed := soft.await("passed")
		wantStates(t, passed, "a failed, waiter passed, b passed")
		if j := passed.job("a"); !j.SoftFailed || j.exit() != "3" {
			t.Errorf("%+v", j)
		}
		failed := hard.await("failed")
		wantStates(t, failed, "a failed, waiter waiting_failed, b waiting_failed")
		if j := failed.job("a"); j.SoftFailed || j.exit() != "4" {
			t.Errorf("%+v", j)
		}
		canceled := s.run(`steps: [{label: a, key: a, command: sleep 300, soft_fail: true}, {label: b, depends_on: ~, command: "buildkite-agent step cancel --step a"}, wait, {label: c, command: echo c}]`).
			await("passed")
		wantStates(t, canceled, "a canceled, b passed, waiter passed, c passed")
		if j := canceled.job("a"); !j.SoftFailed {
			t.Errorf("%+v", j)
		}
	})
}

// 7
func TestAutomaticRetries(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{})
		b := s.run(`steps: [{label: a, command: "test $$BUILDKITE_RETRY_COUNT = 5", retry: {automatic: {exit_status: 1, limit: 2}}}]`).await("failed")
		wantStates(t, b, "a failed, a failed, a failed")
		for i, j := range b.Jobs {
			last := i == len(b.Jobs)-1
			if j.RetriesCount != i || j.Retried == last || !last && j.RetriedInJobID != b.Jobs[i+1].ID || j.exit() != "1" {
				t.Errorf("%d: %+v", i, j)
			}
		}
		passed := s.run(`steps: [{label: a, command: "test $$BUILDKITE_RETRY_COUNT = 1", retry: {automatic: true}}]`).await("passed")
		wantStates(t, passed, "a failed, a passed")
		writtenOut := s.run(`steps: [{label: a, command: "test $$BUILDKITE_RETRY_COUNT = 1", retry: {automatic: [{exit_status: "*", signal: "*", signal_reason: "*", limit: 1}]}}]`)
		wantStates(t, writtenOut.await("passed"), "a failed, a passed")
	})
}

// 8
func TestParallelJobsAndMatrix(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{Spawn: 2})
		parallel := s.run(`steps: [{label: p, parallelism: 5, command: 'buildkite-agent meta-data set "p$$BUILDKITE_PARALLEL_JOB" "$$BUILDKITE_PARALLEL_JOB_COUNT"'}]`)
		matrix := s.run(`
steps:
  - label: "m {{matrix.os}} {{matrix.size}}"
    command: 'buildkite-agent meta-data set "$$SYSTEM" "$$(buildkite-agent meta-data get "$$SYSTEM" --default "")+" && buildkite-agent meta-data set "{{matrix.os}}-{{matrix.size}}" "$$SYSTEM"'
    env: {SYSTEM: "on {{matrix.os}}"}
    matrix:
      setup: {os: [linux, mac], size: ["1", "2", "3"]}
      adjustments: [{with: {os: mac, size: "2"}, skip: true}]
`)
		now := parallel.await("passed")
		for i, j := range now.Jobs {
			if j.ParallelGroupIndex == nil || *j.ParallelGroupIndex != i || *j.ParallelGroupTotal != 5 || now.MetaData[fmt.Sprint("p", i)] != "5" {
				t.Errorf("%d: %+v, %v", i, j, now.MetaData)
			}
		}
		if len(now.Jobs) != 5 {
			t.Errorf("%s", now)
		}
		now = matrix.await("passed")
		ran := 0
		for _, system := range []string{"linux", "mac"} {
			for size := range 3 {
				name := fmt.Sprintf("m %s %d", system, size+1)
				value, set := now.MetaData[fmt.Sprintf("%s-%d", system, size+1)]
				if skipped := system == "mac" && size == 1; skipped == set || set && value != "on "+system {
					t.Errorf("%s: %s, %v", name, now.job(name).State, now.MetaData)
				}
				if now.job(name).State == "passed" {
					ran++
				}
			}
		}
		if ran != 5 {
			t.Errorf("%s", now)
		}
	})
}

// 9
func TestDependencies(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{Spawn: 2})
		b := s.run(`
steps:
  - {label: d, key: d, command: echo d, depends_on: [b, c, x]}
  - {label: b, key: b, command: echo b, depends_on: a}
  - {label: c, key: c, command: echo c, depends_on: a}
  - {label: x, key: x, command: echo x, depends_on: a, if: build.branch == "other"}
  - {label: a, key: a, command: echo a}
`).await("passed")
		wantStates(t, b, "d passed, b passed, c passed, x broken, a passed")
		for _, middle := range []string{"b", "c"} {
			if !inOrder(b.job("a").FinishedAt, b.job(middle).StartedAt, b.job(middle).FinishedAt, b.job("d").StartedAt) {
				t.Errorf("%s is not between a and d: %+v", middle, b)
			}
		}
	})
}

// 10
func TestBadUploadsAreRefused(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{})
		refused := map[string][2]string{
			"property": {`{"steps": [{"command": "x", "agent": "y"}]}`, "`agent` is not a valid property on the `command` step, perhaps you meant `agents`?"},
			"unknown":  {`{"steps": [{"command": "x", "surprise": "y"}]}`, "`surprise` is not a valid property on the `command` step. Please check the documentation to get a full list of supported properties."},
			"twice":    {`{"steps": [{"command": "x", "key": "k"}, {"command": "y", "key": "k"}]}`, `The key "k" has already been used by another step in this build`},
			"used":     {`{"steps": [{"command": "x", "key": "uploader"}]}`, `The key "uploader" has already been used by another step in this build`},
			"many":     {`{"steps": [{"command": "x", "parallelism": 501}]}`, "The number of jobs in this upload exceeds your organization limit of 500."},
			"kind":     {`{"steps": [{"label": "foo"}]}`, "Step is missing a type"},
		}
		script := ""
		for name, r := range refused {
			writeHome(t, a, name+".json", r[0])
			script += fmt.Sprintf("buildkite-agent pipeline upload --no-color \"$HOME/%[1]s.json\" >\"$HOME/%[1]s.out\" 2>&1; echo \"exit $?\" >>\"$HOME/%[1]s.out\"\n", name)
		}
		writeHome(t, a, "script.sh", script)
		b := s.run(`steps: [{label: a, key: uploader, command: 'sh "$$HOME/script.sh"'}]`).await("passed")
		wantStates(t, b, "a passed")
		for name, r := range refused {
			output := readHome(t, a, name+".out")
			if !strings.Contains(output, r[1]) || !strings.HasSuffix(output, "exit 1\n") {
				t.Errorf("%s: the agent wrote\n%s\nwant %s", name, output, r[1])
			}
		}
	})
}

// 12
func TestMetaDataAndAnnotations(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{})
		writeHome(t, a, "long", strings.Repeat("ä", 50_000))
		writeHome(t, a, "too-long", strings.Repeat("a", 110_000))
		writeHome(t, a, "body", strings.Repeat("b", 1<<20-10))
		writeHome(t, a, "more", strings.Repeat("c", 100))
		writeHome(t, a, "script.sh", `
set -ex
buildkite-agent meta-data set release 1.2
test "$(buildkite-agent meta-data get release)" = 1.2
test "$(buildkite-agent meta-data get from-the-start)" = yes
buildkite-agent meta-data exists release
! buildkite-agent meta-data exists nothing
! buildkite-agent meta-data get nothing
test "$(buildkite-agent meta-data get nothing --default some)" = some
buildkite-agent meta-data set long <"$HOME/long"
buildkite-agent meta-data get long >"$HOME/long-again"
! buildkite-agent meta-data set long <"$HOME/too-long"
buildkite-agent meta-data keys >"$HOME/keys"
buildkite-agent annotate "one " --context notes --style info
buildkite-agent annotate "two" --context notes --append
buildkite-agent annotate "gone" --context gone
buildkite-agent annotation remove --context gone
buildkite-agent annotate --context big <"$HOME/body"
! buildkite-agent annotate --context big --append <"$HOME/more"
`)
		b := s.createBuild(s.createPipeline(`steps: [{label: a, command: 'sh "$$HOME/script.sh" >"$$HOME/out" 2>&1'}]`), "meta_data", `{"from-the-start": "yes"}`)
		eventually(t, "the build ends", func() bool { return b.read().FinishedAt != nil })
		now := b.read()
		if now.State != "passed" {
			t.Fatalf("%s\n%s", now, readHome(t, a, "out"))
		}
		if now.MetaData["release"] != "1.2" || now.MetaData["long"] != strings.Repeat("ä", 50_000) || readHome(t, a, "long-again") != now.MetaData["long"] {
			t.Errorf("%s", now)
		}
		if keys := strings.Fields(readHome(t, a, "keys")); !slices.Equal(keys, []string{"from-the-start", "long", "release"}) {
			t.Errorf("the keys are %v", keys)
		}
		bodies := s.texts(`SELECT context, body FROM annotations WHERE build_id = $1 ORDER BY context`, now.ID)
		if want := []string{"big", strings.Repeat("b", 1<<20-10), "notes", "one two"}; !slices.Equal(bodies, want) {
			t.Errorf("the annotations are %.200v", bodies)
		}
	})
}
