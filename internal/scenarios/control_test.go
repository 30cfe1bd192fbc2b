package scenarios

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"penstock/internal/testkit/agent"
)

// 17
func TestTimeouts(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{Spawn: 3})
		b := s.run(`
steps:
  - {label: sleeps, timeout_in_minutes: 1, command: 'echo up >"$$HOME/sleeps"; exec sleep 300'}
  - {label: deaf, timeout_in_minutes: 1, command: 'trap "" TERM; echo up >"$$HOME/deaf"; sleep 300'}
`)
		// The agent says -1 of whatever was told to end, also if it then ended well.
		polite := s.run(`steps: [{label: polite, timeout_in_minutes: 1, command: 'trap "echo bye >$$HOME/bye; exit 0" TERM; echo up >"$$HOME/polite"; sleep 300 & wait'}]`)
		for _, name := range []string{"sleeps", "deaf", "polite"} {
			awaitHome(t, a, name)
		}
		s.change(`UPDATE job_runs SET deadline = started_at WHERE state = 'running' AND deadline = started_at + 60000000`)
		now := b.await("failed")
		wantStates(t, now, "sleeps timed_out, deaf timed_out")
		// Which signal the agent names last of one that does not end by itself depends on how busy it is.
		for name, signals := range map[string]string{"sleeps": "SIGTERM", "deaf": "SIGTERM SIGKILL"} {
			if j := now.job(name); j.Signal == "" || !strings.Contains(signals, j.Signal) {
				t.Errorf("%s ended by %q: %+v", name, j.Signal, j)
			}
		}
		if j := polite.await("failed").job("polite"); j.exit() != "-1" || j.State != "timed_out" || readHome(t, a, "bye") != "bye\n" {
			t.Errorf("%+v", j)
		}
	})
}

// wantEnded waits until a process has ended.
func wantEnded(t testing.TB, pid int) {
	t.Helper()
	eventually(t, "the job's process has ended", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return syscall.Kill(pid, 0) == syscall.ESRCH || strings.Contains(string(stat), ") Z ")
	})
}

// 18
func TestBuildsAreCanceled(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{})
		running := s.run(`steps: [{label: a, command: 'echo $$$$ >"$$HOME/pid"; exec sleep 300'}, {label: b, command: echo b}, wait, {label: c, command: echo c}]`)
		pid, err := strconv.Atoi(strings.TrimSpace(awaitHome(t, a, "pid")))
		if err != nil {
			t.Fatal(err)
		}
		scheduled := s.run(`steps: [{label: a, command: echo a}]`)
		blocked := s.run(`steps: [{block: "Sure?"}, {label: a, command: echo a}]`)
		if now := blocked.read(); !now.Blocked {
			t.Errorf("%s", now)
		}
		scheduled.cancel()
		wantStates(t, scheduled.await("canceled"), "a canceled")
		blocked.cancel()
		wantStates(t, blocked.await("canceled"), "Sure? canceled, a canceled")
		running.cancel()
		if now := running.read(); now.State != "canceling" && now.State != "canceled" {
			t.Errorf("%s", now)
		}
		now := running.await("canceled")
		wantStates(t, now, "a canceled, b canceled, waiter canceled, c canceled")
		if j := now.job("a"); j.SignalReason != "cancel" {
			t.Errorf("%+v", j)
		}
		wantEnded(t, pid)
		s.run(`steps: [{label: a, command: echo next}]`).await("passed") // the agent is idle again
		status, body := s.send(adminToken, http.MethodPut, running.path+"/cancel", "")
		if status != http.StatusUnprocessableEntity {
			t.Errorf("canceled again: %d %s", status, body)
		}
	})
}

// 19
func TestWhatIsHandedOut(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{Tags: []string{"queue=default", "os=linux"}})
		b := s.run(`
steps:
  - {label: other tag, command: echo 1, agents: {os: windows}, priority: 9}
  - {label: other queue, command: echo 2, agents: {queue: other}, priority: 9}
  - {label: no such queue, command: echo 3, agents: {queue: missing}, priority: 9}
  - {label: fits, command: echo 4, agents: {os: "*"}}
`)
		b.awaitJob("fits", "passed")
		wantStates(t, b.read(), "other tag scheduled, other queue scheduled, no such queue scheduled, fits passed")
		b.cancel()

		// What would be handed out while the queue is paused would not come in the order of priority.
		s.ask(http.MethodPost, inCluster+"/queues/"+queueID+"/pause_dispatch", `{"dispatch_paused_note": "Maintenance"}`, http.StatusOK, nil)
		var held []build
		for _, priority := range []int{0, 1, 2} {
			held = append(held, s.run(fmt.Sprintf(`steps: [{label: a, command: echo 1, priority: %d}]`, priority)))
		}
		s.ask(http.MethodPost, inCluster+"/queues/"+queueID+"/resume_dispatch", "", http.StatusOK, nil)
		last, middle, first := held[0].await("passed"), held[1].await("passed"), held[2].await("passed")
		if !inOrder(first.job("a").StartedAt, middle.job("a").StartedAt, last.job("a").StartedAt) {
			t.Errorf("not in the order of priority: %s\n%s\n%s", first, middle, last)
		}
	})
}

// gate is a job that fails if another one with the same agent is in it.
const gate = `'mkdir "$$HOME/gate" || exit 9; sleep 0.2; rmdir "$$HOME/gate"'`

// 20
func TestConcurrencyGroups(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{Spawn: 3})
		ordered := s.createPipeline(`
steps:
  - {label: before, key: before, command: 'test -z "$$SLOW" || until [ -e "$$HOME/go" ]; do sleep 0.1; done'}
  - {label: gate, depends_on: before, concurrency: 1, concurrency_group: ordered, command: ` + gate + `}
`)
		builds := []build{s.createBuild(ordered, "env", `{"SLOW": "1"}`), s.createBuild(ordered), s.createBuild(ordered)}
		builds[1].awaitJob("before", "passed")
		builds[2].awaitJob("before", "passed")
		// The first one keeps its place although the others could go.
		for _, b := range builds[1:] {
			if j := b.read().job("gate"); j.StartedAt != nil {
				t.Errorf("%s has overtaken: %s", b.path, j)
			}
		}
		writeHome(t, a, "go", "")
		first, second, third := builds[0].await("passed"), builds[1].await("passed"), builds[2].await("passed")
		if !inOrder(first.job("gate").FinishedAt, second.job("gate").StartedAt, second.job("gate").FinishedAt, third.job("gate").StartedAt) {
			t.Errorf("not in order: %s\n%s\n%s", first, second, third)
		}

		gated := s.createPipeline(`
steps:
  - {label: enter, concurrency: 1, concurrency_group: gate, command: 'mkdir "$$HOME/inside" || exit 9'}
  - wait
  - {label: inside, command: sleep 0.2}
  - wait
  - {label: leave, concurrency: 1, concurrency_group: gate, command: 'rmdir "$$HOME/inside"'}
`)
		for _, b := range []build{s.createBuild(gated), s.createBuild(gated), s.createBuild(gated)} {
			b.await("passed")
		}

		holder := s.run(`steps: [{label: gate, concurrency: 1, concurrency_group: eager, concurrency_method: eager, command: 'until [ -e "$$HOME/open" ]; do sleep 0.1; done'}]`)
		holder.awaitJob("gate", "running")
		var waiting []build
		for _, priority := range []int{0, 1, 2} {
			waiting = append(waiting, s.run(fmt.Sprintf(
				`steps: [{label: gate, priority: %d, concurrency: 1, concurrency_group: eager, concurrency_method: eager, command: %s}]`, priority, gate)))
		}
		writeHome(t, a, "open", "")
		held, low, middle, high := holder.await("passed"), waiting[0].await("passed"), waiting[1].await("passed"), waiting[2].await("passed")
		if !inOrder(held.job("gate").FinishedAt, high.job("gate").StartedAt, high.job("gate").FinishedAt, middle.job("gate").StartedAt,
			middle.job("gate").FinishedAt, low.job("gate").StartedAt) {
			t.Errorf("not in the order of priority: %s\n%s\n%s", high, middle, low)
		}
	})
}

// 21
func TestAgentsThatRunOneJob(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		// It takes only what it was started for.
		first := s.startAgent(agent.Options{Name: "first", ExtraArgs: []string{"--disconnect-after-job"}})
		b := s.run(`steps: [{label: a, command: ` + waitForGo + `}, wait, {label: b, command: echo b, agents: {os: windows}}]`)
		b.awaitJob("a", "running")
		waits := b.read().job("b")
		acquirer := s.startAgent(agent.Options{Name: "acquirer", ExtraArgs: []string{"--acquire-job", waits.ID}})
		eventually(t, "the job is locked", func() bool {
			return strings.Contains(acquirer.Log(), "423") || strings.Contains(acquirer.Log(), "locked")
		})
		writeHome(t, first, "go", "")
		now := b.await("passed")
		if now.job("a").Agent.Name != "first" || now.job("b").Agent.Name != "acquirer" {
			t.Errorf("%+v", now)
		}
		if code := first.Wait(); code != 0 {
			t.Errorf("the agent that disconnects after a job ended with %d", code)
		}
		if code := acquirer.Wait(); code != 0 {
			t.Errorf("the agent that acquired a job ended with %d", code)
		}
		late := s.startAgent(agent.Options{Name: "late", ExtraArgs: []string{"--acquire-job", waits.ID}})
		if code := late.Wait(); code != 27 || !strings.Contains(late.Log(), "is no longer eligible to be assigned an agent") {
			t.Errorf("an agent that wants a job that is done ended with %d", code)
		}
	})
}

// agentState returns the state of the agent that ran the only job of a build.
func agentState(b build) string { return b.read().Jobs[0].Agent.ConnectionState }

// 22
func TestAgentsAreStopped(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		idle := s.startAgent(agent.Options{})
		before := s.run(`steps: [{label: a, command: echo a}]`)
		before.await("passed")
		if state := agentState(before); state != "connected" {
			t.Errorf("the agent is %s", state)
		}
		if code := idle.Stop(); code != 0 || agentState(before) != "stopped" {
			t.Errorf("the idle agent ended with %d and is %s", code, agentState(before))
		}

		busy := s.startAgent(agent.Options{})
		b := s.run(`steps: [{label: a, command: ` + waitForGo + `}]`)
		b.awaitJob("a", "running")
		busy.Signal(syscall.SIGTERM)
		eventually(t, "the agent is stopping", func() bool { return agentState(b) == "stopping" })
		writeHome(t, busy, "go", "")
		b.await("passed")
		if code := busy.Wait(); code != 0 || agentState(b) != "stopped" {
			t.Errorf("the busy agent ended with %d and is %s", code, agentState(b))
		}

		// A second signal ends the job too.
		hurried := s.startAgent(agent.Options{})
		b = s.run(`steps: [{label: a, command: 'echo up >"$$HOME/up"; exec sleep 300'}]`)
		awaitHome(t, hurried, "up")
		hurried.Signal(syscall.SIGTERM)
		eventually(t, "the agent is stopping", func() bool { return agentState(b) == "stopping" })
		hurried.Signal(syscall.SIGTERM)
		now := b.await("failed")
		if j := now.job("a"); j.SignalReason != "agent_stop" {
			t.Errorf("%+v", j)
		}
		if _, err := os.Stat(filepath.Join(hurried.Home, "up")); err != nil {
			t.Error(err)
		}
	})
}
