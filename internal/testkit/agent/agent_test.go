package agent_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"penstock/internal/testkit/agent"
)

// The tests of this package have a double of the server, which is in double_test.go: they are about the harness, not about the server.

const pinnedVersion = "3.138.1"

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatal(what + ": not within 30 seconds")
		}
	}
}

func TestTheAgentIsThePinnedOne(t *testing.T) {
	t.Parallel()
	result := agent.Run(t, agent.Command{Args: []string{"--version"}})
	if result.ExitCode != 0 || !strings.HasPrefix(result.Stdout, "buildkite-agent version "+pinnedVersion+"+") {
		t.Errorf("%+v", result)
	}
	if result := agent.Run(t, agent.Command{Args: []string{"no-such-command"}}); result.ExitCode != 1 || !strings.Contains(result.Stderr, "unknown subcommand") {
		t.Errorf("%+v", result)
	}
}

func TestTheAgentRunsAJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode           string
		streams, polls bool // the server can stream; the agent polls
	}{{"poll-only", true, true}, {"stream-only", true, false}, {"auto", true, false}, {"auto", false, true}} {
		t.Run(fmt.Sprintf("%s, streams: %t", c.mode, c.streams), func(t *testing.T) {
			t.Parallel()
			s := startDouble(t, c.streams)
			repository, commit := agent.Repository(t, map[string]string{"script.sh": "#!/bin/sh\necho \"it is $1\"\nbuildkite-agent meta-data set key value\n"})
			job := s.addJob(repository, commit, "./script.sh fine")
			a := agent.Start(t, agent.Options{Endpoint: s.endpoint(), Token: registrationToken, Name: "runner-%spawn", Tags: []string{"queue=default", "os=linux"},
				PingMode: c.mode, ExtraArgs: []string{"--log-level", "debug"}})
			finish := s.waitFor("PUT", "/jobs/"+job+"/finish")
			if !strings.Contains(finish.body, `"exit_status":"0"`) {
				t.Errorf("the job ended with %s; its log:\n%s", finish.body, s.logOf(job))
			}
			if log := s.logOf(job); !strings.Contains(log, "it is fine") {
				t.Errorf("the job's log:\n%s", log)
			}
			s.waitFor("POST", "/heartbeat")
			if code := a.Stop(); code != 0 {
				t.Errorf("exit status %d", code)
			}

			register := s.waitFor("POST", "/register")
			for _, want := range []string{`"name":"runner-1"`, `"meta_data":["queue=default","os=linux"]`, `"version":"` + pinnedVersion + `"`} {
				if !strings.Contains(register.body, want) {
					t.Errorf("%s is not in %s", want, register.body)
				}
			}
			for path, token := range map[string]string{
				"/register": registrationToken, "/connect": sessionToken, "/heartbeat": sessionToken, "/disconnect": sessionToken,
				"/jobs/" + job + "/accept": sessionToken, "/jobs/" + job + "/start": jobToken, "/jobs/" + job + "/chunks": jobToken,
				"/jobs/" + job + "/finish": jobToken, "/jobs/" + job + "/data/set": jobToken,
			} {
				if got := s.waitFor("", path).header.Get("Authorization"); got != "Token "+token {
					t.Errorf("%s came with %q", path, got)
				}
			}
			if pings := s.count("GET", "/ping"); (pings > 0) != c.polls {
				t.Errorf("%d pings", pings)
			}
			if streams := s.count("POST", streamPath); (streams > 0) != (c.mode != "poll-only") {
				t.Errorf("%d streams were asked for", streams)
			}
			if !strings.Contains(a.Log(), "Finished job") || strings.Contains(a.Log(), "\x1b[") {
				t.Errorf("the agent's log:\n%s", a.Log())
			}
		})
	}
}

func TestAProcessCanBeSeveralAgents(t *testing.T) {
	t.Parallel()
	s := startDouble(t, false)
	a := agent.Start(t, agent.Options{Endpoint: s.endpoint(), Token: registrationToken, Name: "many-%spawn", Spawn: 3})
	eventually(t, "three agents are connected", func() bool { return s.count("POST", "/connect") == 3 })
	for i := range 3 {
		name := fmt.Sprintf(`"name":"many-%d"`, i+1)
		if !slices.ContainsFunc(s.recorded(), func(c call) bool { return strings.Contains(c.body, name) }) {
			t.Errorf("%s has not registered", name)
		}
	}
	if code := a.Stop(); code != 0 || s.count("POST", "/disconnect") != 3 {
		t.Errorf("exit status %d, %d have disconnected", code, s.count("POST", "/disconnect"))
	}
}

func TestAnAgentThatIsRefusedEnds(t *testing.T) {
	t.Parallel()
	s := startDouble(t, false)
	a := agent.Start(t, agent.Options{Endpoint: s.endpoint(), Token: "wrong"})
	if code := a.Wait(); code == 0 {
		t.Error("exit status 0")
	}
}

// startEndlessJob starts an agent with a job that does not end, and returns the process of the job.
func startEndlessJob(t *testing.T, s *double) (a *agent.Agent, pid int) {
	t.Helper()
	repository, commit := agent.Repository(t, nil)
	s.addJob(repository, commit, `echo $$ >"$HOME/pid.new" && mv "$HOME/pid.new" "$HOME/pid" && sleep 600`)
	a = agent.Start(t, agent.Options{Endpoint: s.endpoint(), Token: registrationToken, PingMode: "poll-only"})
	eventually(t, "the job runs", func() bool {
		text, err := os.ReadFile(filepath.Join(a.Home, "pid"))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return a, pid
}

func wantEnded(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "the job's process has ended", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return syscall.Kill(pid, 0) == syscall.ESRCH || strings.Contains(string(stat), ") Z ") // nobody has asked yet how it ended
	})
}

func TestKillEndsTheJobToo(t *testing.T) {
	t.Parallel()
	s := startDouble(t, false)
	a, pid := startEndlessJob(t, s)
	a.Kill()
	wantEnded(t, pid)
	if s.count("POST", "/disconnect") != 0 {
		t.Error("it could say goodbye")
	}
}

func TestTheEndOfATestEndsAgentsAndJobs(t *testing.T) {
	t.Parallel()
	s := startDouble(t, false)
	var pid int
	var home string
	t.Run("inner", func(t *testing.T) {
		var a *agent.Agent
		a, pid = startEndlessJob(t, s)
		home = a.Home
	})
	wantEnded(t, pid)
	if s.count("POST", "/disconnect") != 1 {
		t.Error("it did not disconnect")
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("its home is left behind: %v", err)
	}
}

func TestSubcommandsRunOutsideOfJobs(t *testing.T) {
	t.Parallel()
	s := startDouble(t, false)
	result := agent.Run(t, agent.Command{Args: []string{"meta-data", "set", "key"}, Stdin: "value", Endpoint: s.endpoint(), Token: jobToken,
		Env: []string{"BUILDKITE_JOB_ID=a-job"}})
	if result.ExitCode != 0 {
		t.Errorf("%+v", result)
	}
	if set := s.waitFor(http.MethodPost, "/jobs/a-job/data/set"); !strings.Contains(set.body, `{"key":"key","value":"value"}`) {
		t.Errorf("sent %s", set.body)
	}
}

func TestRepositoriesCanBeCheckedOut(t *testing.T) {
	t.Parallel()
	files := map[string]string{".buildkite/pipeline.yml": "steps: []\n", "bin/run": "#!/bin/sh\necho ran\n"}
	url, commit := agent.Repository(t, files)
	dir := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "--branch", "main", url, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".buildkite", "pipeline.yml")); err != nil || string(text) != "steps: []\n" {
		t.Errorf("%q, %v", text, err)
	}
	if out, err := exec.Command(filepath.Join(dir, "bin", "run")).Output(); err != nil || string(out) != "ran\n" {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output(); err != nil || strings.TrimSpace(string(out)) != commit {
		t.Errorf("%q, %v", out, err)
	}
}
