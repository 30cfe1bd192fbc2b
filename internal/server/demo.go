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
	"sync"
	"syscall"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
)

//go:embed demo.yaml
var demoFile []byte

// Demo is Run on a temporary database with example data, which is removed at the end. It prints the address of the web
// interface with its sign-in, curl lines to try, and how to connect an agent. If the port is in use it takes a free
// one, and says so.
func Demo(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	var forgeErr error
	startForge := func(url string, token domain.Secret, cluster domain.ClusterID) {
		if o.Forge != "" {
			beside.Go(func() { forgeErr = runForge(ctx, o.Forge, url, token, cluster, o.Stdout, o.Stderr) })
		}
	}
	err := runThrowAway(ctx, "", o, func(dir string, o *Options) error { return prepareExamples(ctx, dir, o, startForge) })
	stop()
	beside.Wait()
	return errors.Join(err, forgeErr)
}

// DemoOf is Run on a database in memory with what a bootstrap file declares, and with nothing else. It is removed at
// the end.
func DemoOf(ctx context.Context, file string, o Options) (err error) {
	if o.Declared, err = readBootstrap("--file", file); err != nil {
		return err
	}
	place := memoryPlace()
	removeLeftovers(place)
	return runThrowAway(ctx, place, o, func(_ string, o *Options) (err error) {
		o.Listener, err = listen(ctx, o.Config.Listen)
		return err
	})
}

// demoPrefix is how the names of the data directories of demos begin. The process's number follows.
const demoPrefix = "penstock-demo-"

// memoryPlace returns where files are in memory, "" if there is no such place, or another was chosen.
func memoryPlace() string {
	const place = "/dev/shm"
	if info, err := os.Stat(place); os.Getenv("TMPDIR") != "" || err != nil || !info.IsDir() {
		return ""
	}
	return place
}

// removeLeftovers removes what demos left that were killed: memory is scarce.
func removeLeftovers(place string) {
	if place == "" {
		return
	}
	left, _ := filepath.Glob(filepath.Join(place, demoPrefix+"*-*"))
	for _, dir := range left {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), demoPrefix), "-")
		if pid, err := strconv.Atoi(number); err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir) // another's is left alone
		}
	}
}

// runThrowAway is Run in a data directory that is removed at the end, and with faults on command.
func runThrowAway(ctx context.Context, place string, o Options, prepare func(dir string, o *Options) error) (
	err error) {
	dir, err := os.MkdirTemp(place, demoPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return fmt.Errorf("make a temporary data directory; choose another place with TMPDIR: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.Config.Data, o.Wrap = dir, withFaults
	if err := o.Config.Validate(); err != nil {
		return err
	}
	if err := prepare(dir, &o); err != nil {
		return err
	}
	return Run(ctx, o)
}

// prepareExamples declares the example data. What starts a forge is called once the server is ready.
func prepareExamples(ctx context.Context, dir string, o *Options,
	startForge func(url string, token domain.Secret, cluster domain.ClusterID)) (err error) {
	token, cluster := domain.NewTokenValue(domain.UserTokenKind), domain.NewID[domain.ClusterID]()
	password := domain.NewSessionValue()[:12]
	o.Declared, err = bootstrap.Parse("demo.yaml", demoFile, func(name string) (string, bool) {
		if ago, found := strings.CutPrefix(name, "MONTH_"); found {
			return dayMonthsAgo(ago), true
		}
		value, ok := map[string]string{"TOKEN": token.Reveal(), "CLUSTER": string(cluster),
			"PASSWORD": password.Reveal()}[name]
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
	address := "http://" + reachableAddress(o.Config.Listen, o.Listener)
	agent := demoAgent{home: filepath.Join(dir, "agent"), endpoint: address + "/v3"}
	actor := authz.TokenActor(authz.REST, token.Reveal(), netip.IPv6Loopback())
	var agentToken domain.Secret
	o.Fill = func(ctx context.Context, areas Areas, d *db.DB) error {
		return runDemoBuilds(ctx, areas, d, actor, agentToken)
	}
	o.Prepare = func(ctx context.Context, svc *service.Service) error {
		ref := domain.ClusterRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: string(cluster)}
		_, value, err := svc.CreateAgentToken(ctx, actor, ref,
			core.Value(domain.AgentTokenInput{Description: domain.Some("Demo")}))
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
		agentToken = value
		return agent.writeConfiguration(value)
	}
	o.Ready = func(url string) {
		_, _ = fmt.Fprint(o.Stdout, demoText(url, password, token, cluster, agent))
		startForge(address, token, cluster)
	}
	if o.Forge != "" {
		o.Config.OutboundAllow = append(o.Config.OutboundAllow, netip.MustParsePrefix("127.0.0.0/8"))
	}
	return nil
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
	clusters, list := url+"/v2/organizations/acme-inc/clusters", url+"/v2/organizations/acme-inc/pipelines/web/builds"
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
		curl + "-H 'Content-Type: application/json' -d '{\"query\": \"{ organization(slug: \\\"acme-inc\\\") { name " +
			"pipelines { count } clusters(first: 10) { nodes { name queues(first: 10) { nodes { key } } } } } }\"}' " + url +
			"/v1",
		"",
		"Connect an agent to the cluster Open Source (in a checkout, make agent builds and starts one):",
		"  buildkite-agent start --config " + agent.configuration(),
		"",
		"Build the pipeline Web on it, then look at the build:",
		curl + "-H 'Content-Type: application/json' -d '{\"commit\": \"HEAD\", \"branch\": \"main\", \"message\": \"My " +
			"first build\"}' " + list,
		curl + "'" + list + "?per_page=1'",
		"",
	}, "\n") + "\n"
}
