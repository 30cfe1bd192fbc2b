package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"penstock/internal/agentapi"
	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/seal"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/wake"
)

// Tests have fewer.
var (
	busyAgents  = 64  // that run jobs
	busyBuilds  = 64  // whose jobs they run
	busyJobs    = 100 // of each build
	fewBuilds   = 4   // whose jobs they run then
	wideJobs    = 500 // of one step
	created     = 100 // builds that are created one after the other
	uploadSteps = 500
	uploaders   = 10
)

// installation is a server of the agent API, with agents that are connected.
type installation struct {
	db        *db.DB
	core      *core.Core
	waker     *wake.Waker
	agents    *agents.Service
	builds    *builds.Service
	caches    *caches.Service
	logs      *logs.Service
	artifacts *artifacts.Service
	address   string
	queue     domain.QueueID // of the agents
	other     domain.QueueID // that has no agents
	pipeline  map[string]domain.PipelineID
	sessions  []string         // the tokens of agents that are idle
	agentIDs  []domain.AgentID // theirs
	pushes    int              // for which builds were created
}

// The pipelines of an installation.
const (
	busyPipeline   = "busy"   // busyJobs jobs
	widePipeline   = "wide"   // one step with wideJobs jobs
	singlePipeline = "single" // one job
)

func pipelineSteps() map[string]string {
	return map[string]string{
		busyPipeline:   "steps:\n" + busySteps(),
		widePipeline:   fmt.Sprintf("steps:\n  - {label: Test, command: make test, parallelism: %d}\n", wideJobs),
		singlePipeline: "steps:\n  - {label: Test, command: make test}\n",
	}
}

// busySteps returns busyJobs steps. They are less and less urgent, so that agents take jobs of all builds in turns.
func busySteps() string {
	var steps strings.Builder
	for i := range busyJobs {
		fmt.Fprintf(&steps, "  - {label: Test, command: make test, priority: %d}\n", -i)
	}
	return steps.String()
}

// measureBuilds measures agents that are idle, agents that run jobs, and jobs that upload steps: first in an empty installation, and then in
// one that has many builds and many jobs of another queue that wait.
func measureBuilds(ctx context.Context, engine string, agents int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	in, stop, err := newInstallation(ctx, d, nil)
	if err != nil {
		return err
	}
	defer stop()
	if err := in.addAgents(ctx, agents); err != nil {
		return err
	}
	if err := in.measureAll(ctx, "", agents); err != nil || *finishedBuilds == 0 {
		return err
	}
	if err := in.addBuilds(ctx, *finishedBuilds, *waitingJobs); err != nil {
		return err
	}
	return in.measureAll(ctx, ", many", agents)
}

func (in *installation) measureAll(ctx context.Context, name string, agents int) error {
	c := comparison{in.db, in.address, agents}
	ping := load.Load{Request: func(n int64) string {
		return agentWire(http.MethodGet, "/v3/ping", in.sessions[n%int64(len(in.sessions))], "")
	}, Status: 200}
	if isWanted("ping") {
		if err := c.run(ctx, "ping"+name, ping); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name    string
		measure func(context.Context) (string, error)
	}{
		{"jobs", in.measureJobs}, {"jobs of few builds", in.measureJobsOfFewBuilds}, {"jobs of one build", in.measureJobsOfOneBuild},
		{"jobs with logs", in.measureJobsWithLogs}, {"dispatch", in.measureDispatch}, {"cancel", in.measureCancel}, {"uploads", in.measureUploads}, {"logs", in.measureLogs},
	} {
		if !isWanted(m.name) {
			continue
		}
		line, err := m.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Printf("%-9s %9d  %s%s: %s\n", in.db.Engine(), agents, m.name, name, line)
	}
	return nil
}

// newInstallation makes an organization with a cluster, two queues and pipelines, and serves the agent API.
//
// Events, if it is not nil, returns who is told how builds go.
func newInstallation(ctx context.Context, d *db.DB, events func(*installation) core.BuildEvents) (*installation, func(), error) {
	keys, err := seal.Parse(seal.Generate())
	if err != nil {
		return nil, nil, err
	}
	shared := core.New(core.Options{DB: d, Keyring: keys})
	if err := setUp(ctx, service.New(service.Options{Core: shared})); err != nil {
		return nil, nil, err
	}
	in := &installation{db: d, core: shared}
	if err := in.prepare(ctx); err != nil {
		return nil, nil, err
	}
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	waker := wake.New(d, logger)
	in.waker = waker
	shared.Publish, shared.Subscribe = waker.Publish, in.subscribe
	if events != nil {
		shared.Events = events(in)
	}
	in.logs = logs.New(logs.Options{Core: shared})
	in.artifacts = artifacts.New(artifacts.Options{Core: shared, BaseURL: "https://penstock.example.com"})
	in.caches = caches.New(shared)
	in.agents = agents.New(shared)
	in.builds = builds.New(builds.Options{Core: shared, BaseURL: "https://penstock.example.com"})
	api := agentapi.New(agentapi.Options{Settings: httpcall.Settings{Logger: logger}, Agents: in.agents, Builds: in.builds, Logs: in.logs, Caches: in.caches, BaseURL: "https://penstock.example.com",
		Waker: waker, Dispatcher: dispatch.New(in.builds, waker, logger)})
	mux := http.NewServeMux()
	mux.Handle("/v3/", api)
	mux.Handle(agentapi.StreamPath, api)
	address, stop, err := load.Serve(mux)
	if err != nil {
		return nil, nil, err
	}
	in.address = address
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { waker.Run(ctx) })
	running.Go(func() { _ = in.builds.RunTasks(ctx, authz.OperatorActor()) })
	return in, func() {
		stop()
		cancel()
		running.Wait()
	}, nil
}

// prepare makes what agents and builds belong to.
func (in *installation) prepare(ctx context.Context) error {
	clusters, err := seed(ctx, in.db, 1)
	if err != nil {
		return err
	}
	in.queue, in.other, in.pipeline = domain.NewID[domain.QueueID](), domain.NewID[domain.QueueID](), map[string]domain.PipelineID{}
	return in.db.Write(ctx, func(tx *db.Tx) error {
		run := func(sql string, args ...any) {
			if err == nil {
				_, err = tx.Exec(sql, args...)
			}
		}
		for key, id := range map[string]domain.QueueID{"default": in.queue, "other": in.other} {
			run(`INSERT INTO cluster_queues (id, cluster_id, key, retry_agent_affinity, created_at) VALUES ($1, $2, $3, 'prefer-warmest', 0)`, id, clusters[0], key)
		}
		run(`UPDATE clusters SET default_queue_id = $1, queues_count = 2`, in.queue)
		run(`INSERT INTO cluster_agent_tokens (id, cluster_id, hash, description, created_at) VALUES ($1, $2, $3, 'Benchmark', 0)`,
			domain.NewID[domain.AgentTokenID](), clusters[0], domain.HashToken(token))
		for slug, steps := range pipelineSteps() {
			in.pipeline[slug] = domain.NewID[domain.PipelineID]()
			run(`INSERT INTO pipelines (id, organization_id, cluster_id, slug, name, name_key, repository, configuration, default_branch, tags, created_at, created_by)
				SELECT $1, o.id, $2, $3, $3, $3, 'git@github.com:acme/benchmark.git', $4, 'main', '[]', 0, m.user_id
				FROM organizations o JOIN organization_members m ON m.organization_id = o.id`, in.pipeline[slug], clusters[0], slug, steps)
		}
		return err
	})
}

// addAgents makes agents that are connected.
func (in *installation) addAgents(ctx context.Context, agents int) error {
	const batch = 2_000
	for start := 0; start < agents; start += batch {
		end := min(start+batch, agents)
		for range end - start {
			in.agentIDs = append(in.agentIDs, domain.NewID[domain.AgentID]())
			in.sessions = append(in.sessions, domain.NewTokenValue(domain.SessionTokenKind).Reveal())
		}
		err := in.db.Write(ctx, func(tx *db.Tx) error {
			for i := start; i < end; i++ {
				if err := insertAgent(tx, in.agentIDs[i], in.queue, in.sessions[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return analyze(ctx, in.db)
}

func insertAgent(tx *db.Tx, id domain.AgentID, queue domain.QueueID, session string) error {
	_, err := tx.Exec(`INSERT INTO agents (id, organization_id, cluster_id, queue_id, token_id, name, hostname, os, arch, version, build, pid, machine_id, user_agent,
			ip_address, meta_data, features, script_eval_enabled, ignore_in_dispatches, session_hash, state, created_at, connected_at, force_stop, offers)
		SELECT $1, c.organization_id, c.id, q.id, t.id, 'agent-' || $1, 'builder', 'linux', 'amd64', '3.138.1', '1', 1, 'machine', 'buildkite-agent/3.138.1',
			'127.0.0.1', '["queue=default"]', '[]', TRUE, FALSE, $2, 'connected', 0, 0, FALSE, 0
		FROM cluster_queues q JOIN clusters c ON c.id = q.cluster_id JOIN cluster_agent_tokens t ON t.cluster_id = c.id WHERE q.id = $3`,
		id, domain.HashToken(session), queue)
	return err
}

// createBuild creates a build of a pipeline, as a user does.
func (in *installation) createBuild(ctx context.Context, pipeline string) error {
	actor := authz.TokenActor(authz.REST, token, netip.IPv6Loopback())
	ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: in.pipeline[pipeline]}
	_, err := in.builds.CreateBuild(ctx, actor, ref, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Benchmark"}))
	return err
}

// register registers an agent and connects it, as a real one does.
func (in *installation) register(ctx context.Context) (*agent, error) {
	a, err := dialAgent(ctx, in.address)
	if err != nil {
		return nil, err
	}
	if err := a.register(token); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// withAgents registers agents and runs fn with each of them at once.
func (in *installation) withAgents(ctx context.Context, n int, fn func(i int, a *agent) error) (time.Duration, error) {
	agents := make([]*agent, n)
	for i := range agents {
		a, err := in.register(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { _ = a.Close() }()
		agents[i] = a
	}
	var running sync.WaitGroup
	failures := make([]error, n)
	start := time.Now()
	for i, a := range agents {
		running.Go(func() { failures[i] = fn(i, a) })
	}
	running.Wait()
	took := time.Since(start)
	for _, a := range agents {
		if err := a.disconnect(); err != nil {
			return 0, err
		}
	}
	return took, errors.Join(failures...)
}

// isWanted reports whether the flags ask for a load with this name.
func isWanted(name string) bool { return strings.Contains(name, *only) }

// measureJobs has agents run the jobs of several builds, and returns how many a second went from assigned to finished.
func (in *installation) measureJobs(ctx context.Context) (string, error) {
	return in.measureJobsOf(ctx, busyPipeline, busyBuilds, busyJobs, (*agent).runJob)
}

func (in *installation) measureJobsOfFewBuilds(ctx context.Context) (string, error) {
	return in.measureJobsOf(ctx, busyPipeline, fewBuilds, busyJobs, (*agent).runJob)
}

func (in *installation) measureJobsOfOneBuild(ctx context.Context) (string, error) {
	return in.measureJobsOf(ctx, widePipeline, 1, wideJobs, (*agent).runJob)
}

// measureJobsWithLogs is measureJobs with what a real agent does besides: a heartbeat, a look at the job's state, and a piece of the log.
func (in *installation) measureJobsWithLogs(ctx context.Context) (string, error) {
	return in.measureJobsOf(ctx, busyPipeline, fewBuilds, busyJobs, (*agent).runJobWithLog)
}

func (in *installation) measureJobsOf(ctx context.Context, pipeline string, count, jobsOfEach int, run func(*agent, string) error) (string, error) {
	for range count {
		if err := in.createBuild(ctx, pipeline); err != nil {
			return "", err
		}
	}
	jobs := make([]int, busyAgents)
	statements, used := in.db.Statements(), load.ProcessorTime()
	took, err := in.withAgents(ctx, busyAgents, func(i int, a *agent) error {
		for {
			job, err := a.ping()
			if err != nil || job == "" {
				return err
			}
			if err := run(a, job); err != nil {
				return err
			}
			jobs[i]++
		}
	})
	if err != nil {
		return "", err
	}
	all := 0
	for _, n := range jobs {
		all += n
	}
	if want := count * jobsOfEach; all != want {
		return "", fmt.Errorf("%d jobs were run, not %d", all, want)
	}
	statements, used = in.db.Statements()-statements, load.ProcessorTime()-used
	return fmt.Sprintf("%.0f jobs a second from assigned to finished, by %d agents in %d builds; a job takes %.1f statements, and %s of processor time with the agent's",
		float64(all)/took.Seconds(), busyAgents, count, float64(statements)/float64(all), (used / time.Duration(all)).Round(time.Microsecond)), nil
}

// measureDispatch creates one build after another while agents wait for messages, and returns how long it takes from scheduled to accepted.
func (in *installation) measureDispatch(ctx context.Context) (string, error) {
	var before int64
	if err := in.readInt(ctx, &before, `SELECT COALESCE(max(runnable_at), 0) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE pipeline_id = $1`, in.pipeline[singlePipeline]); err != nil {
		return "", err
	}
	streaming, cancel := context.WithCancel(ctx)
	defer cancel()
	var creating, opening sync.WaitGroup
	var failure error
	finished := make(chan struct{}, created)
	opening.Add(busyAgents)
	creating.Go(func() {
		defer cancel()
		opening.Wait() // or the first jobs would wait for agents that have not come
		for range created {
			if failure = in.createBuild(ctx, singlePipeline); failure != nil {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
		for range created {
			select {
			case <-finished:
			case <-time.After(time.Minute):
				failure = errors.New("a job was not handed out within a minute")
				return
			}
		}
	})
	_, err := in.withAgents(ctx, busyAgents, func(_ int, a *agent) error {
		return a.stream(streaming, opening.Done, func(job string) error {
			err := a.runJob(job)
			finished <- struct{}{}
			return err
		})
	})
	creating.Wait()
	if err := errors.Join(err, failure); err != nil {
		return "", err
	}
	var times []int64
	err = in.db.Read(ctx, func(tx *db.Tx) error {
		return tx.Query(`SELECT accepted_at - runnable_at FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE pipeline_id = $1 AND runnable_at > $2 ORDER BY 1`, func(r *db.Row) error {
			times = append(times, r.Int())
			return nil
		}, in.pipeline[singlePipeline], before)
	})
	if err != nil || len(times) != created {
		return "", cmp.Or(err, fmt.Errorf("%d jobs were accepted, not %d", len(times), created))
	}
	micros := func(n int) time.Duration { return time.Duration(times[n]) * time.Microsecond }
	return fmt.Sprintf("%s from scheduled to accepted by an agent that streams (p99 %s)", micros(created/2), micros(created*99/100)), nil
}

// measureCancel creates a build with as many jobs as a build may have, and returns how long canceling it takes.
func (in *installation) measureCancel(ctx context.Context) (string, error) {
	actor := authz.TokenActor(authz.REST, token, netip.IPv6Loopback())
	pipeline := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: in.pipeline[widePipeline]}
	b, err := in.builds.CreateBuild(ctx, actor, pipeline, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main"}))
	if err != nil {
		return "", err
	}
	statements, start := in.db.Statements(), time.Now()
	if _, err := in.builds.CancelBuild(ctx, actor, domain.BuildRef{Pipeline: pipeline, Number: b.Number}); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s to cancel a build with %d jobs, in %d statements", time.Since(start).Round(time.Millisecond), wideJobs, in.db.Statements()-statements), nil
}

func (in *installation) readInt(ctx context.Context, to *int64, sql string, args ...any) error {
	return in.db.Read(ctx, func(tx *db.Tx) error {
		_, err := tx.One(sql, func(r *db.Row) { *to = r.Int() }, args...)
		return err
	})
}

// measureUploads has jobs upload 500 steps each at once, and returns how long the longest takes, and how long idle agents wait meanwhile.
func (in *installation) measureUploads(ctx context.Context) (string, error) {
	for range uploaders {
		if err := in.createBuild(ctx, singlePipeline); err != nil {
			return "", err
		}
	}
	// They are for agents with a tag that none has.
	document := `{"steps":[` + strings.Repeat(`{"command":"make test","label":"Test","agents":{"os":"none"}},`, uploadSteps-1) + `{"command":"make test","agents":{"os":"none"}}]}`
	pinging, cancel := context.WithCancel(ctx)
	defer cancel()
	var pings sync.WaitGroup
	var waits []time.Duration
	var failure error
	ready, begin := make(chan struct{}, uploaders), make(chan struct{})
	pings.Go(func() {
		for range uploaders {
			<-ready
		}
		close(begin)
		waits, failure = in.pingUntil(pinging)
	})
	longest := make([]time.Duration, uploaders)
	_, err := in.withAgents(ctx, uploaders, func(i int, a *agent) error {
		job, err := a.ping()
		if err == nil && job == "" {
			err = errors.New("there was no job to upload from")
		}
		if err == nil {
			err = a.startJob(job)
		}
		ready <- struct{}{}
		if err != nil {
			return err
		}
		<-begin
		start := time.Now()
		err = a.upload(job, document)
		longest[i] = time.Since(start)
		return errors.Join(err, a.finishJob(job))
	})
	cancel()
	pings.Wait()
	if err := errors.Join(err, failure); err != nil {
		return "", err
	}
	slices.Sort(waits)
	return fmt.Sprintf("%d uploads of %d jobs at once take %s at most; %d pings meanwhile %s (p99 %s)", uploaders, uploadSteps, slices.Max(longest).Round(time.Millisecond),
		len(waits), waits[len(waits)/2].Round(time.Microsecond), waits[len(waits)*99/100].Round(time.Microsecond)), nil
}

// pingUntil sends pings of idle agents one after the other, on a few connections, and returns how long each took.
func (in *installation) pingUntil(ctx context.Context) (waits []time.Duration, err error) {
	const clients = 4
	var running sync.WaitGroup
	var mutex sync.Mutex
	for i := range clients {
		running.Go(func() {
			a, failure := dialAgent(ctx, in.address)
			var own []time.Duration
			for n := i; failure == nil && ctx.Err() == nil; n += clients {
				a.session = in.sessions[n%len(in.sessions)]
				start := time.Now()
				_, failure = a.ping()
				own = append(own, time.Since(start))
			}
			mutex.Lock()
			defer mutex.Unlock()
			waits = append(waits, own...)
			if failure != nil && ctx.Err() == nil {
				err = failure
			}
			if a != nil {
				_ = a.Close()
			}
		})
	}
	running.Wait()
	return waits, err
}

// addBuilds adds builds that are over, with a step and a job each, and jobs of the other queue that wait for an agent.
func (in *installation) addBuilds(ctx context.Context, finished, waiting int) error {
	if err := in.addNumbered(ctx, 0, finished, "finished", in.queue); err != nil {
		return err
	}
	if err := in.addNumbered(ctx, finished, finished+waiting, "scheduled", in.other); err != nil {
		return err
	}
	return analyze(ctx, in.db)
}

// addNumbered is insertBuilds for many, in several transactions.
func (in *installation) addNumbered(ctx context.Context, from, to int, state string, queue domain.QueueID) error {
	const batch = 10_000
	for start := from; start < to; start += batch {
		if err := in.insertBuilds(ctx, start, min(start+batch, to), state, queue); err != nil {
			return err
		}
	}
	return nil
}

// insertBuilds stores builds with the numbers from and up to another, whose jobs are in a state.
func (in *installation) insertBuilds(ctx context.Context, from, to int, state string, queue domain.QueueID) error {
	var buildState, outcome = "passed", "passed"
	var finishedAt any = 2
	if state == "scheduled" {
		buildState, outcome, finishedAt = "scheduled", "", nil
	}
	id := func(kind int) string {
		return fmt.Sprintf(`'%08d-0000-7000-8000-' || substr('000000000000' || CAST(n.i AS TEXT), length(CAST(n.i AS TEXT)) + 1)`, kind)
	}
	const numbers = ` FROM pipelines p, (WITH RECURSIVE n(i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2) SELECT i FROM n) n WHERE p.id = $3`
	return in.db.WriteAlone(ctx, func(tx *db.Tx) error {
		for _, statement := range []struct {
			sql  string
			args []any
		}{
			{`INSERT INTO builds (id, organization_id, pipeline_id, cluster_id, number, source, message, commit_sha, branch, tag, env, author_name, author_email, creator_id,
					clean_checkout, ignore_branches, pull_request, trigger_depth, created_at, state, blocked_state, is_created, is_skipped, is_canceled, scheduled_at, started_at,
					finished_at, upload_env, uploads, jobs_made, jobs_count, jobs_moving, jobs_held, jobs_waiting, jobs_started, jobs_hard_failed, jobs_not_run)
				SELECT ` + id(1) + `, p.organization_id, p.id, p.cluster_id, n.i + 1000000, 'api', 'Benchmark', 'HEAD', 'main', '', '{}', '', '', p.created_by, FALSE, FALSE, 'null', 0, n.i,
					CAST($4 AS TEXT), '', TRUE, FALSE, FALSE, 1, 1, CAST($5 AS BIGINT), '{}', 0, 1, 1, 0, 0, 0, 1, 0, 0` + numbers, []any{buildState, finishedAt}},
			{`INSERT INTO build_steps (id, build_id, kind, label, position, source, definition, notify, updates, open_jobs, failed_jobs, canceled_jobs, open_children, failed_children,
					canceled_children, open_edges, held_edges, failed_edges)
				SELECT ` + id(2) + `, ` + id(1) + `, 'command', 'Test', '0', '{"command":"make test"}', '{}', '[]', '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0` + numbers, nil},
			{`INSERT INTO jobs (id, organization_id, pipeline_id, build_id, step_id, cluster_id, kind, command, agent_rules, rules_key, position, upload_index, matrix,
					soft_fail, parallel_index, retries_count, rule_uses, concurrency_limit, concurrency_method, created_at, queued_at)
				SELECT ` + id(3) + `, p.organization_id, p.id, ` + id(1) + `, ` + id(2) + `, p.cluster_id, 'command', 'make test', '[]', '', '0', 0, '{}', 'null', 0, 0,
					'[]', 0, '', n.i, n.i` + numbers, nil},
			{`INSERT INTO job_runs (job_id, organization_id, build_id, created_at, queued_at, queue_id, label, parallel_total, state, list_state, outcome, priority, token_hash,
					exit_status, promise_counts, soft_failed, scheduled_at, runnable_at, finished_at, upload_env, chunks_failed_count, acquired, events)
				SELECT ` + id(3) + `, p.organization_id, ` + id(1) + `, n.i, n.i, CAST($4 AS TEXT), 'Test', 0, CAST($5 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), 0,
					'hash of ' || CAST(n.i AS TEXT), 0, FALSE, FALSE, 1, 1, CAST($7 AS BIGINT), '{}', 0, FALSE, 'SCHEDULED 1'` + numbers, []any{queue, state, outcome, finishedAt}},
			{`INSERT INTO ready_jobs (queue_id, rules_key, place, scheduled_at, upload_index, job_id, agent_rules, runnable_at)
				SELECT jr.queue_id, j.rules_key, -jr.priority, jr.scheduled_at, j.upload_index, j.id, j.agent_rules, jr.runnable_at FROM jobs j JOIN job_runs jr ON jr.job_id = j.id
				WHERE jr.state = 'scheduled' AND jr.queue_id IS NOT NULL AND CAST($1 AS BIGINT) < CAST($2 AS BIGINT) AND CAST($3 AS TEXT) <> '' ON CONFLICT DO NOTHING`, nil},
		} {
			if _, err := tx.Exec(statement.sql, append([]any{from, to, in.pipeline[singlePipeline]}, statement.args...)...); err != nil {
				return err
			}
		}
		return nil
	})
}
