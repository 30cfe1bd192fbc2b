package agent

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Command is a subcommand of the agent, as jobs run them: meta-data get, artifact upload.
type Command struct {
	Args     []string
	Endpoint string
	Token    string   // of a job
	Env      []string // KEY=value, besides PATH and HOME
	Dir      string   // empty: an empty directory
	Stdin    string
}

// Result is what a subcommand wrote, and how it ended.
type Result struct {
	Stdout, Stderr string
	ExitCode       int
}

// Run runs a subcommand of the agent outside of any job.
func Run(t testing.TB, c Command) Result {
	t.Helper()
	home := newHome(t)
	if c.Dir == "" {
		c.Dir = home
	}
	env := append([]string{"BUILDKITE_AGENT_NO_COLOR=true"}, c.Env...)
	if c.Endpoint != "" {
		env = append(env, "BUILDKITE_AGENT_ENDPOINT="+c.Endpoint)
	}
	if c.Token != "" {
		env = append(env, "BUILDKITE_AGENT_ACCESS_TOKEN="+c.Token)
	}
	command := exec.CommandContext(t.Context(), Binary(t), c.Args...)
	command.Dir, command.Env, command.Stdin = c.Dir, environment(home, env), strings.NewReader(c.Stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), ExitCode: command.ProcessState.ExitCode()}
}
