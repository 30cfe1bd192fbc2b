package server

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bootstrap"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
)

//go:embed demo.yaml
var demoFile []byte

// Demo is Run on a temporary database with example data, which is removed at the end. It prints the address of the web
// interface with its sign-in, curl lines to try, and how to connect an agent. If the port is in use it takes a free one, and says so.
func Demo(ctx context.Context, o Options) (err error) {
	dir, err := os.MkdirTemp("", "penstock-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary data directory; choose another place with TMPDIR: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.Config.Data = dir
	if err := o.Config.Validate(); err != nil {
		return err
	}
	token, cluster := domain.NewTokenValue(domain.UserTokenKind), domain.NewID[domain.ClusterID]()
	password := domain.NewSessionValue()[:12]
	o.Declared, err = bootstrap.Parse("demo.yaml", demoFile, func(name string) (string, bool) {
		if ago, found := strings.CutPrefix(name, "MONTH_"); found {
			return dayMonthsAgo(ago), true
		}
		value, ok := map[string]string{"TOKEN": token.Reveal(), "CLUSTER": string(cluster), "PASSWORD": password.Reveal()}[name]
		return value, ok
	})
	if err != nil {
		return fmt.Errorf("the example data: %w", err)
	}
	if o.Listener, err = listen(ctx, o.Config.Listen); errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(o.Config.Listen)
		_, _ = fmt.Fprintf(o.Stderr, "%s is in use, so a free port is taken.\n", o.Config.Listen)
		o.Listener, err = listen(ctx, net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return err
	}
	agent := demoAgent{home: filepath.Join(dir, "agent"), endpoint: "http://" + reachableAddress(o.Config.Listen, o.Listener) + "/v3"}
	o.Prepare = func(ctx context.Context, svc *service.Service) error {
		actor := authz.TokenActor(authz.REST, token.Reveal(), netip.IPv6Loopback())
		ref := domain.ClusterRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: string(cluster)}
		_, value, err := svc.CreateAgentToken(ctx, actor, ref, core.Value(domain.AgentTokenInput{Description: domain.Some("Demo")}))
		if err != nil {
			return fmt.Errorf("the example data: %w", err)
		}
		for slug, configuration := range demoPipelines {
			pipeline := domain.PipelineRef{Organization: ref.Organization, Slug: slug}
			input := core.Value(domain.PipelineInput{Configuration: domain.Some(configuration)})
			if _, err := svc.UpdatePipeline(ctx, actor, pipeline, input, nil); err != nil {
				return fmt.Errorf("the example data: %w", err)
			}
		}
		return agent.writeConfiguration(value)
	}
	o.Ready = func(url string) {
		_, _ = fmt.Fprint(o.Stdout, demoText(url, password, token, cluster, agent))
	}
	return Run(ctx, o)
}

// dayMonthsAgo returns a day of the month that was so many months ago.
func dayMonthsAgo(months string) string {
	n, _ := strconv.Atoi(months)
	year, month, _ := time.Now().UTC().Date()
	return time.Date(year, month-time.Month(n), 10, 0, 0, 0, 0, time.UTC).Format(domain.DateLayout)
}

// demoPipelines are the configurations of example pipelines. They need no repository.
var demoPipelines = map[string]string{
	"web": `checkout: {skip: true}
steps:
  - label: ":hammer: Build"
    key: build
    command: 'echo "--- Compiling"; sleep 1; echo "done"'
  - label: ":test_tube: Test"
    command: 'echo "Testing part $$BUILDKITE_PARALLEL_JOB of $$BUILDKITE_PARALLEL_JOB_COUNT"; sleep 1'
    parallelism: 3
    depends_on: build
  - wait
  - label: ":memo: Report"
    command: 'buildkite-agent meta-data set release "1.$$BUILDKITE_BUILD_NUMBER"; buildkite-agent annotate "All tests passed." --style success'
`,
	"docs": `checkout: {skip: true}
steps:
  - label: ":book: Render"
    command: 'echo "<h1>Docs</h1>" > index.html'
    artifact_paths: index.html
  - block: ":rocket: Publish?"
    fields:
      - {text: "Release notes", key: notes, required: false}
  - label: ":rocket: Publish"
    command: 'buildkite-agent artifact download index.html . && cat index.html'
`,
}

// demoAgent is an agent that can be connected to the demo. All that it writes is removed with the demo.
type demoAgent struct{ home, endpoint string }

func (a demoAgent) configuration() string { return filepath.Join(a.home, "buildkite-agent.cfg") }

// writeConfiguration writes the agent's configuration, with the token of its cluster in it.
func (a demoAgent) writeConfiguration(token domain.Secret) error {
	if err := os.Mkdir(a.home, 0o700); err != nil {
		return err
	}
	var text strings.Builder
	for _, setting := range [][2]string{
		{"endpoint", a.endpoint}, {"token", token.Reveal()}, {"name", "demo-%spawn"}, {"tags", "queue=default"},
		{"build-path", filepath.Join(a.home, "builds")}, {"hooks-path", filepath.Join(a.home, "hooks")},
		{"plugins-path", filepath.Join(a.home, "plugins")}, {"sockets-path", filepath.Join(a.home, "sockets")},
	} {
		fmt.Fprintf(&text, "%s=%q\n", setting[0], setting[1])
	}
	return os.WriteFile(a.configuration(), []byte(text.String()), 0o600)
}

func demoText(url string, password, token domain.Secret, cluster domain.ClusterID, agent demoAgent) string {
	clusters, builds := url+"/v2/organizations/acme-inc/clusters", url+"/v2/organizations/acme-inc/pipelines/web/builds"
	curl := "  curl -sS -H 'Authorization: Bearer " + token.Reveal() + "' "
	return strings.Join([]string{
		"",
		"Its database is temporary and is removed when it stops (Ctrl-C). Things to try:",
		"",
		"Look around in the browser, at " + url + "/",
		"  sign in as admin@example.com with the password " + password.Reveal(),
		"  (maintainer@example.com and member@example.com have the same password, and see less)",
		"",
		"List the clusters of the organization acme-inc:",
		curl + clusters,
		"",
		"Create a cluster:",
		curl + "-H 'Content-Type: application/json' -d '{\"name\": \"Staging\"}' " + clusters,
		"",
		"List the queues of the cluster Open Source:",
		curl + clusters + "/" + string(cluster) + "/queues",
		"",
		"Ask for several things at once, over GraphQL:",
		curl + "-H 'Content-Type: application/json' -d '{\"query\": \"{ organization(slug: \\\"acme-inc\\\") { name pipelines { count } clusters(first: 10) { nodes { name queues(first: 10) { nodes { key } } } } } }\"}' " + url + "/v1",
		"",
		"Connect an agent to the cluster Open Source (in a checkout, make agent builds and starts one):",
		"  buildkite-agent start --config " + agent.configuration(),
		"",
		"Build the pipeline Web on it, then look at the build:",
		curl + "-H 'Content-Type: application/json' -d '{\"commit\": \"HEAD\", \"branch\": \"main\", \"message\": \"My first build\"}' " + builds,
		curl + builds + "/1",
		"",
	}, "\n") + "\n"
}
