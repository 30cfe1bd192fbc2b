package clients_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// commandLine runs commands of bk.
type commandLine struct {
	*site
	binary string
	input  string // what the next command reads
	tally  tally
}

// run runs a command, whose first words name it, and returns what it printed.
func (c *commandLine) run(name string, args ...string) string {
	c.t.Helper()
	command := exec.CommandContext(c.t.Context(), c.binary, append(strings.Fields(name), args...)...)
	command.Dir = c.dir
	command.Env = c.environment("CI=true", "TERM=dumb", "BUILDKITE_ORGANIZATION_SLUG=acme-inc",
		"BUILDKITE_REST_API_ENDPOINT="+c.server, "BUILDKITE_GRAPHQL_ENDPOINT="+c.server+"/v1", "BUILDKITE_HOST="+c.server)
	command.Stdin = strings.NewReader(c.input)
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if err != nil {
		err = fmt.Errorf("%w: %s%s", err, stdout.String(), stderr.String())
	}
	c.tally.add(c.t, name, err)
	return stdout.String()
}

// create runs a command that makes something and returns its id.
func (c *commandLine) create(name string, args ...string) string {
	c.t.Helper()
	output := c.run(name, append(args, "-o", "json")...)
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(output), &made); err != nil || made.ID == "" {
		c.t.Fatalf("%s printed %q: %v", name, output, err)
	}
	return made.ID
}

func (c *commandLine) want(output, text string) {
	c.t.Helper()
	if !strings.Contains(output, text) {
		c.t.Errorf("%q is not in %q", text, output)
	}
}

// TestCommandLine runs every command of bk that needs neither a terminal, a Mac nor the public service.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	binary := program(t, "BK")
	c := &commandLine{site: newSite(t), binary: binary}
	c.configure()
	c.clusters()
	c.pipelines()
	c.builds()
	c.agents()
	c.run("package push", "registry", "--file-path", c.file("package.deb", "content"))
	c.run("auth logout", "--org", "acme-inc")
	c.tally.report(t, "package push")
}

// file writes a file and returns its path.
func (c *commandLine) file(name, content string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func (c *commandLine) configure() {
	c.run("version")
	c.run("auth login", "--org", "acme-inc", "--token", programToken, "--credential-store", "shm")
	c.want(c.run("auth status"), "acme-inc")
	c.run("auth switch", "acme-inc")
	c.want(c.run("auth token"), programToken)
	c.want(c.run("whoami"), "admin@example.com")
	c.run("use", "acme-inc")
	c.want(c.run("organization list"), "acme-inc")
	c.run("config set", "output_format", "json")
	c.want(c.run("config get", "output_format"), "json")
	c.run("config list")
	c.run("config unset", "output_format")
	c.run("user invite", "grace@example.com")
	c.want(c.run("api", "/pipelines/web"), "Web")
}

func (c *commandLine) clusters() {
	c.want(c.run("cluster list"), "Machines")
	cluster := c.create("cluster create", "--name", "More", "--emoji", ":rocket:", "--color", "#FF0000")
	c.want(c.run("cluster view", cluster), "More")
	queue := c.create("queue create", cluster, "--key", "linux", "--retry-agent-affinity", "prefer-different")
	c.want(c.run("queue list", cluster), "linux")
	c.want(c.run("queue view", cluster, queue), "linux")
	c.run("queue update", cluster, queue, "--description", "Linux machines")
	c.run("queue pause", cluster, queue, "--note", "Until noon")
	c.run("queue resume", cluster, queue)
	c.run("cluster update", cluster, "--name", "Others", "--default-queue-id", queue)
	maintainer := c.create("maintainer create", cluster, "--team", teamID)
	c.want(c.run("maintainer list", cluster), maintainer)
	c.run("maintainer delete", cluster, maintainer, "--yes")
	secret := c.create("secret create", "--cluster-uuid", cluster, "--key", "A_SECRET", "--value", "hidden", "--description", "One")
	c.want(c.run("secret list", "--cluster-uuid", cluster), "A_SECRET")
	c.want(c.run("secret get", "--cluster-uuid", cluster, "--secret-id", secret), "A_SECRET")
	c.run("secret update", "--cluster-uuid", cluster, "--secret-id", secret, "--description", "Two")
	c.run("secret delete", "--cluster-uuid", cluster, "--secret-id", secret, "--yes")
	c.send("PUT", "clusters/"+cluster, map[string]any{"default_queue_id": nil})
	c.run("queue delete", cluster, queue, "--yes")
	c.run("cluster delete", cluster, "--yes")
	team := c.create("team create", "Readers", "--privacy", "visible")
	c.want(c.run("team list"), "Readers")
	c.want(c.run("team view", team), "Readers")
	c.run("team update", team, "--name", "Writers")
	c.run("team delete", team, "--yes")
}

func (c *commandLine) pipelines() {
	c.want(c.run("pipeline list"), "Web")
	c.want(c.run("pipeline view", "acme-inc/web"), "Web")
	c.run("pipeline create", "Docs", "--repository", "git@example.com:acme/docs.git", "--description", "Pages", "--cluster-uuid", c.cluster)
	c.run("pipeline copy", "acme-inc/web", "--target", "Copied", "--cluster-uuid", c.cluster)
	c.run("pipeline validate", "--file", c.file("pipeline.yml", "steps: [{command: make}]\n"))
	c.want(c.run("browse", "1", "--pipeline", "acme-inc/web", "--no-browser"), "acme-inc/web/builds/1")
}

func (c *commandLine) builds() {
	const of = "--pipeline=acme-inc/web"
	c.want(c.run("build list", of), "First")
	c.want(c.run("build view", "1", of), "First")
	c.want(c.run("job log", c.passed), "hello from the agent")
	c.want(c.run("job list", of, "--build", "1"), c.passed)
	c.want(c.run("artifacts list", "1", of), "out.txt")
	c.run("artifacts download", c.artifact, "--build", "1", of)
	c.run("build download", "1", of)
	c.run("job retry", c.failed)
	c.run("job unblock", c.gate, "--data", "{}", "--yes")
	c.run("build rebuild", "1", of)
	c.send("POST", "clusters/"+c.cluster+"/queues/"+c.queue+"/pause_dispatch", map[string]any{})
	number, job := c.newBuild()
	c.run("job reprioritize", job, "5")
	c.run("job cancel", job, "--yes")
	c.run("build cancel", number, of, "--yes")
	c.run("build create", of, "--branch", "main", "--message", "By hand", "--yes")
	c.run("build watch", number, of)
}

func (c *commandLine) agents() {
	c.want(c.run("agent list"), "machine")
	c.want(c.run("agent view", c.agent), "machine")
	c.run("agent pause", c.agent, "--note", "Until noon")
	c.run("agent resume", c.agent)
	c.input = c.agent + "\n"
	c.run("agent stop", "--force", "--yes")
	c.input = ""
}
