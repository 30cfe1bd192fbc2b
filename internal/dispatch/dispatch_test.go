package dispatch_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/apply"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/wake"
)

const (
	cluster    = "0190a000-0000-7000-8000-000000000021"
	adminToken = "token-of-the-administrator"
	patience   = 30 * time.Second
)

const fixture = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + cluster + `, name: Main, queues: [{key: default, default: true}]}]
tokens:
  - {user: admin@example.com, token: ` + adminToken + `, description: all, organizations: [acme-inc], scopes: [write_clusters, write_pipelines, write_builds]}
`

var (
	organization = domain.OrganizationRef{Slug: "acme-inc"}
	localhost    = netip.MustParseAddr("127.0.0.1")
	admin        = authz.TokenActor(authz.REST, adminToken, localhost)
)

// node is a server with a Dispatcher.
type node struct {
	t          *testing.T
	service    *service.Service
	agents     *agents.Service
	builds     *builds.Service
	dispatcher *dispatch.Dispatcher
	token      authz.Actor // an agent token
	pipelines  int
}

func eachNode(t *testing.T, fn func(t *testing.T, n *node)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		logger := slog.New(slog.DiscardHandler)
		shared := core.New(core.Options{DB: d, Logger: logger})
		file, err := bootstrap.Parse("test.yaml", []byte(fixture), func(string) (string, bool) { return "", false })
		if err == nil {
			_, err = apply.File(t.Context(), shared, authz.OperatorActor(), file)
		}
		if err != nil {
			t.Fatal(err)
		}
		waker := wake.New(d, logger)
		ctx, cancel := context.WithCancel(context.Background())
		var ended sync.WaitGroup
		ended.Go(func() { waker.Run(ctx) })
		t.Cleanup(func() { cancel(); ended.Wait() })
		n := &node{t: t, service: service.New(service.Options{Core: shared})}
		shared.Publish = waker.Publish
		n.agents = agents.New(shared)
		n.builds = builds.New(builds.Options{Core: shared})
		n.agents.SetReady(time.Now().Add(-time.Hour))
		n.dispatcher = dispatch.New(n.builds, waker, logger)
		_, value, err := n.service.CreateAgentToken(t.Context(), admin, domain.ClusterRef{Organization: organization, ID: cluster},
			core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
		if err != nil {
			t.Fatal(err)
		}
		n.token = authz.AgentActor(authz.AgentToken, value.Reveal(), localhost)
		fn(t, n)
	})
}

// connect connects a new agent, and returns it and the situation it is in.
func (n *node) connect(name, priority string, tags ...string) (authz.Actor, builds.AgentStatus) {
	n.t.Helper()
	made, err := n.agents.RegisterAgent(n.t.Context(), n.token, agents.Registration{Name: name, Version: "3.138.1", Priority: priority, MetaData: tags})
	if err != nil {
		n.t.Fatal(err)
	}
	actor := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), localhost)
	if err := n.agents.ConnectAgent(n.t.Context(), actor); err != nil {
		n.t.Fatal(err)
	}
	situation, err := n.builds.AgentStatus(n.t.Context(), actor)
	if err != nil || situation.Queue == nil {
		n.t.Fatalf("%s waits for no queue: %v", name, err)
	}
	return actor, situation
}

// wait lets a new agent wait for a job.
func (n *node) wait(name, priority string, tags ...string) *dispatch.Waiter {
	n.t.Helper()
	w := n.dispatcher.Wait(n.connect(name, priority, tags...))
	n.t.Cleanup(w.Leave)
	return w
}

// build creates a build of steps and returns the ids of its jobs.
func (n *node) build(steps string) (jobs map[domain.JobID]bool) {
	n.t.Helper()
	n.pipelines++
	name := fmt.Sprintf("pipeline-%d", n.pipelines)
	_, err := n.service.CreatePipeline(n.t.Context(), admin, organization, core.Value(domain.PipelineInput{Name: domain.Some(name),
		Repository: domain.Some("r"), ClusterID: domain.Some(cluster), Configuration: domain.Some(steps)}))
	if err != nil {
		n.t.Fatal(err)
	}
	b, err := n.builds.CreateBuild(n.t.Context(), admin, domain.PipelineRef{Organization: organization, Slug: name}, domain.SourceAPI,
		core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main"}))
	if err != nil {
		n.t.Fatal(err)
	}
	jobs = map[domain.JobID]bool{}
	for _, j := range b.Jobs {
		jobs[j.ID] = true
	}
	return jobs
}

// wantJob waits until an agent gets one of the jobs, which is taken out of them.
func (n *node) wantJob(w *dispatch.Waiter, jobs map[domain.JobID]bool) {
	n.t.Helper()
	select {
	case job := <-w.Jobs():
		if !jobs[job] {
			n.t.Errorf("the agent got the job %s, of %v", job, jobs)
		}
		delete(jobs, job)
	case <-time.After(patience):
		n.t.Fatal("the agent got no job")
	}
}

func (n *node) wantNoJob(w *dispatch.Waiter) {
	n.t.Helper()
	select {
	case job := <-w.Jobs():
		n.t.Errorf("the agent got the job %s", job)
	default:
	}
}

func TestWhoWaitsGetsAJobThatComes(t *testing.T) {
	t.Parallel()
	eachNode(t, func(_ *testing.T, n *node) {
		first := n.wait("first", "")
		n.wantJob(first, n.build("steps: [{command: a}]"))
		waiting := n.build("steps: [{command: a}]")
		n.wantJob(n.wait("second", ""), waiting) // which was there before it
		n.wantNoJob(first)                       // who does not wait any more
	})
}

func TestTheBestAgentGetsTheJob(t *testing.T) {
	t.Parallel()
	eachNode(t, func(_ *testing.T, n *node) {
		low, high, unfit := n.wait("low", "1"), n.wait("high", "5"), n.wait("unfit", "9", "os=mac")
		rules := "steps: [{command: a, agents: {os: '*'}}]"
		n.wantJob(unfit, n.build(rules))
		n.wantNoJob(low)
		n.wantNoJob(high)
		n.wantJob(high, n.build("steps: [{command: a}]"))
		n.wantNoJob(low)
	})
}

func TestWhoLeftGetsNothing(t *testing.T) {
	t.Parallel()
	eachNode(t, func(_ *testing.T, n *node) {
		gone := n.wait("gone", "5")
		stays := n.wait("stays", "1")
		gone.Leave()
		gone.Leave() // which changes nothing
		n.wantJob(stays, n.build("steps: [{command: a}]"))
		n.wantNoJob(gone)
	})
}

// More agents and jobs than are assigned in one transaction.
func TestACrowdGetsItsJobs(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		const agents = 40
		var waiters []*dispatch.Waiter
		for i := range agents {
			waiters = append(waiters, n.wait(fmt.Sprint("agent-", i), ""))
		}
		jobs := n.build(fmt.Sprintf("steps: [{command: a, parallelism: %d}]", agents))
		for _, w := range waiters {
			n.wantJob(w, jobs)
		}
		if len(jobs) > 0 {
			t.Errorf("jobs that nobody got: %v", jobs)
		}
	})
}

func TestAnAgentThatAsksTwiceHoldsUpNoJob(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		jobs := n.build("steps: [{command: a, parallelism: 3}]")
		first, situation := n.connect("first", "")
		second, _ := n.connect("second", "")
		assigned, err := n.builds.AssignJobs(t.Context(), *situation.Queue, []authz.Actor{first, first, second})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range assigned {
			delete(jobs, id)
		}
		inOrder := slices.Sorted(maps.Keys(jobs)) // ids grow
		if len(jobs) != 1 || assigned[0] == "" || assigned[2] == "" || assigned[2] > inOrder[0] {
			t.Errorf("of three jobs %q were assigned, and %q was left", assigned, inOrder)
		}
	})
}
