// Package clients_test drives a running Penstock with clients that others wrote. It is a module of its own, so that
// the product does not depend on them.
package clients_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	token         = "token-of-a-public-client"
	pipelineToken = "token-for-pipelines-of-a-public-client"
	startsToken   = "token-for-what-starts-builds-elsewhere"
	teamToken     = "token-for-teams-of-a-public-client"
	fieldToken    = "token-for-every-field-of-a-public-client"
	stackToken    = "token-for-builds-of-a-public-client"
	graphqlToken  = "token-for-graphql-of-a-public-client"
	programToken  = "token-for-everything-that-programs-do"
	userID        = "0190a000-0000-7000-8000-000000000001"
	otherID       = "0190a000-0000-7000-8000-000000000002"
	teamID        = "0190a000-0000-7000-8000-000000000011"
)

const fixture = `
users:
  - {id: ` + userID + `, email: admin@example.com, name: Admin}
  - {id: ` + otherID + `, email: member@example.com, name: Member}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}, {user: member@example.com, role: member}]
    teams: [{id: ` + teamID + `, name: Platform, slug: platform}]
tokens:
  - user: admin@example.com
    token: ` + token + `
    description: Public client
    organizations: [acme-inc]
    scopes: [read_clusters, write_clusters, read_organizations, read_user]
  - user: admin@example.com
    token: ` + pipelineToken + `
    description: Public client, for pipelines
    organizations: [acme-inc]
    scopes: [write_clusters, read_pipelines, write_pipelines]
  - user: admin@example.com
    token: ` + startsToken + `
    description: Public client, for what starts builds
    organizations: [acme-inc]
    scopes: [read_pipelines, write_pipelines, read_rules, write_rules, read_pipeline_templates, write_pipeline_templates, read_builds, write_builds, write_organizations, read_notification_services, write_notification_services]
  - user: admin@example.com
    token: ` + teamToken + `
    description: Public client, for teams
    organizations: [acme-inc]
    scopes: [read_teams, write_teams, read_organizations, write_pipelines]
  - user: admin@example.com
    token: ` + fieldToken + `
    description: Public client, for every field
    organizations: [acme-inc]
    scopes: [read_clusters, write_clusters, read_pipelines, write_pipelines, read_teams, write_teams]
  - {user: admin@example.com, token: ` + stackToken + `, description: "Public client, for builds", organizations: [acme-inc], scopes: [read_builds, write_builds]}
  - {user: admin@example.com, token: ` + graphqlToken + `, description: "Public client, for GraphQL", organizations: [acme-inc], graphql: true}
  - user: admin@example.com
    token: ` + programToken + `
    description: Programs
    organizations: [acme-inc]
    graphql: true
    scopes: [read_agents, write_agents, read_artifacts, write_artifacts, read_builds, write_builds, read_build_logs, write_build_logs,
      read_clusters, write_clusters, read_job_env, read_organizations, write_organizations, read_organization_invitations, write_organization_invitations, read_pipelines, write_pipelines,
      read_pipeline_templates, write_pipeline_templates, read_rules, write_rules, read_secrets_details, write_secrets, read_teams, write_teams, read_user]
`

// startServer builds the product, starts it on an empty database, and returns its address.
func startServer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "penstock")
	build := exec.Command("go", "build", "-o", binary, "./cmd/penstock")
	build.Dir = ".."
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	file := filepath.Join(dir, "bootstrap.yaml")
	if err := os.WriteFile(file, []byte(fixture), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--bootstrap", file, "--log-level", "warn", "--outbound-allow", "127.0.0.0/8")
	serve.Stderr = t.Output()
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	ready, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("serve did not get ready: %v", err)
	}
	_, address, found := strings.Cut(strings.TrimSpace(ready), "http://")
	if !found {
		t.Fatalf("serve said %q", ready)
	}
	return "http://" + address
}
