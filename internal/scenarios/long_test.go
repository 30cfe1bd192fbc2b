//go:build scenarios

package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/config"
	"penstock/internal/testkit"
	"penstock/internal/testkit/agent"
)

// lostTime is how long it may take until the server has given up an agent.
const lostTime = 6 * time.Minute

// startInstallation starts one server that is a process of its own.
func startInstallation(t *testing.T, binary, engine string) (*installation, *process) {
	t.Helper()
	cfg := config.Default()
	cfg.Listen, cfg.Data, cfg.Database = freeAddress(t), t.TempDir(), config.SecretURL(testkit.NewDatabase(t, engine).URL)
	cfg.Bootstrap = filepath.Join(t.TempDir(), "bootstrap.yaml")
	if err := os.WriteFile(cfg.Bootstrap, []byte(bootstrapFile), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, binary, cfg)
	s := &installation{t: t, nodes: []*node{{t: t, cfg: cfg, url: "http://" + cfg.Listen}}}
	var made struct{ Token string }
	s.ask(http.MethodPost, inCluster+"/tokens", `{"description": "Agents"}`, http.StatusCreated, &made)
	s.agentToken = made.Token
	return s, p
}

// awaitEnd waits for a build that takes longer.
func (b build) awaitEnd(limit time.Duration) (now buildAnswer) {
	b.s.t.Helper()
	eventuallyWithin(b.s.t, limit, b.path+" ends", func() bool {
		now = b.read()
		return now.FinishedAt != nil
	})
	return now
}

// 24
func TestScenarioAnAgentDies(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, s *installation) {
		first := s.startAgent(agent.Options{Name: "first"})
		writeHome(t, first, "script.sh", "echo up >$HOME/up; sleep 600")
		b := s.run(`steps: [{label: a, command: 'sh "$$HOME/script.sh"', retry: {automatic: [{exit_status: -1, limit: 1}]}}]`)
		awaitHome(t, first, "up")
		second := s.startAgent(agent.Options{Name: "second", Endpoint: s.endpoint(1)})
		writeHome(t, second, "script.sh", "echo fine")
		killed := time.Now()
		first.Kill()
		now := b.awaitEnd(lostTime)
		if now.State != "passed" || len(now.Jobs) != 2 {
			t.Fatalf("%s", now)
		}
		lost, again := now.Jobs[0], now.Jobs[1]
		if lost.exit() != "-1" || !lost.Retried || lost.Agent.ConnectionState != "lost" || again.Agent.Name != "second" || again.RetriesCount != 1 {
			t.Errorf("%s, agents %+v and %+v", now, lost.Agent, again.Agent)
		}
		if got := s.events(lost.ID); !strings.Contains(got, "AGENT_LOST") {
			t.Errorf("what happened: %s", got)
		}
		took := lost.FinishedAt.Sub(killed)
		t.Logf("the agent was lost %s after it was killed", took.Round(time.Second))
		if took < 2*time.Minute {
			t.Error("that was too early")
		}
	})
}

// 26
func TestScenarioChunksCannotBeSent(t *testing.T) {
	t.Parallel()
	cut := time.Duration(setting(t, "PENSTOCK_SCENARIO_CUT", 300)) * time.Second
	eachEngine(t, func(t *testing.T, s *installation) {
		p := s.startProxy()
		a := s.startAgent(agent.Options{Endpoint: p.endpoint()})
		lines := int(cut.Seconds()) + 90
		writeHome(t, a, "script.sh", fmt.Sprintf(`echo up >$HOME/up; for i in $(seq 1 %d); do echo "line $i of job 0"; sleep 1; done`, lines))
		b := s.run(`steps: [{label: a, command: 'sh "$$HOME/script.sh"'}]`)
		awaitHome(t, a, "up")
		eventually(t, "a chunk was sent", func() bool { return p.count("chunks") > 0 })
		answer := func(handler http.HandlerFunc) {
			p.mutex.Lock()
			defer p.mutex.Unlock()
			p.answer["chunks"] = handler
		}
		answer(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		<-time.After(cut)
		var refused atomic.Int64
		var again sync.Map // which were refused: an agent that has tried for minutes does not try much more often
		answer(func(w http.ResponseWriter, r *http.Request) {
			if _, was := again.Load(r.URL.RawQuery); !was && rand.IntN(3) == 0 {
				again.Store(r.URL.RawQuery, true)
				refused.Add(1)
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			p.pass(w, r, p.servers[0], "chunks")
		})
		now := b.awaitEnd(10 * time.Minute)
		j := now.job("a")
		if now.State != "passed" {
			t.Fatalf("%s", now)
		}
		var found []string
		for _, match := range numberedLine.FindAllStringSubmatch(s.logOf(j.ID), -1) {
			found = append(found, match[1])
		}
		for n := range lines {
			if n >= len(found) || found[n] != strconv.Itoa(n+1) {
				t.Fatalf("the log has the lines %v", found)
			}
		}
		if failed := s.texts(`SELECT job_id FROM job_runs WHERE build_id = $1 AND chunks_failed_count > 0`, now.ID); len(failed) > 0 || refused.Load() == 0 {
			t.Errorf("parts of logs are missing: %v; %d chunks were refused", failed, refused.Load())
		}
		t.Logf("%d lines, no chunk for %s, then %d refused: the log is complete", lines, cut, refused.Load())
	})
}

// 32
func TestScenarioManyUploadsAtOnce(t *testing.T) {
	const uploads, jobs = 10, 500
	binary := buildBinary(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, _ := startInstallation(t, binary, engine)
			p := s.startProxy()
			a := s.startAgent(agent.Options{Endpoint: p.endpoint(), Spawn: uploads})
			var steps []string
			for i := range jobs {
				steps = append(steps, fmt.Sprintf(`{"label": "%d", "command": "true", "agents": {"queue": "other"}}`, i))
			}
			writeHome(t, a, "more.json", `{"steps": [`+strings.Join(steps, ",")+`]}`)
			writeHome(t, a, "up", "")
			writeHome(t, a, "script.sh", `echo up >>$HOME/up; while [ ! -e $HOME/go ]; do sleep 0.1; done; buildkite-agent pipeline upload $HOME/more.json`)
			pipeline := s.createPipeline(`steps: [{label: a, command: 'sh "$$HOME/script.sh"'}]`)
			var builds []build
			for range uploads {
				builds = append(builds, s.createBuild(pipeline))
			}
			eventually(t, "all jobs run", func() bool { return strings.Count(readHome(t, a, "up"), "up") == uploads })
			idle := s.newSession()
			times := p.timeCalls("pipelines")
			var pings []time.Duration
			done := make(chan struct{})
			var pinging sync.WaitGroup
			pinging.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					begun := time.Now()
					if a := idle.call(http.MethodGet, "ping"); a.status != http.StatusOK {
						t.Errorf("ping: %d %s", a.status, a.body)
						return
					}
					pings = append(pings, time.Since(begun))
				}
			})
			writeHome(t, a, "go", "")
			for _, b := range builds {
				b.awaitJob("a", "passed")
			}
			close(done)
			pinging.Wait()
			for _, b := range builds {
				if now := b.read(); len(now.Jobs) != jobs+1 {
					t.Errorf("%d jobs", len(now.Jobs))
				}
			}
			slices.Sort(pings)
			t.Logf("%s: %d uploads of %d jobs took the server %s; %d pings meanwhile, median %s, longest %s", engine, uploads, jobs, times(),
				len(pings), pings[len(pings)/2].Round(time.Microsecond), pings[len(pings)-1].Round(time.Microsecond))
		})
	}
}

// timeCalls notes from now on how long the server takes for calls with a name, and returns what tells it: the median and the longest.
func (p *proxy) timeCalls(name string) func() string {
	var mutex sync.Mutex
	var all []time.Duration
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.answer[name] = func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		p.pass(w, r, p.servers[0], name)
		mutex.Lock()
		defer mutex.Unlock()
		all = append(all, time.Since(begun))
	}
	return func() string {
		mutex.Lock()
		defer mutex.Unlock()
		slices.Sort(all)
		return fmt.Sprintf("%s at the median, %s at most, each", all[len(all)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
	}
}

// 32
func TestScenarioStepsAreReplacedWhileJobsRun(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		a := s.startAgent(agent.Options{Spawn: 2})
		writeHome(t, a, "more.json", `{"checkout": {"skip": true}, "steps": [{"label": "new", "command": "true"}]}`)
		writeHome(t, a, "runs.sh", `echo up >$HOME/up; while [ ! -e $HOME/go ]; do sleep 0.1; done`)
		writeHome(t, a, "replaces.sh", `while [ ! -e $HOME/up ]; do sleep 0.1; done; buildkite-agent pipeline upload --replace $HOME/more.json; echo >$HOME/go`)
		now := s.run(`
steps:
  - {label: runs, command: 'sh "$$HOME/runs.sh"'}
  - {label: replaces, command: 'sh "$$HOME/replaces.sh"'}
  - wait
  - {label: old, command: "true"}
  - {label: older, command: "true"}
`).await("passed")
		wantStates(t, now, "runs passed, replaces passed, new passed")
	})
}

var writesMetric = regexp.MustCompile(`(?m)^penstock_database_wait_seconds_count\{kind="write"\} (\S+)`)

// writes returns how many transactions of the server have written.
func (s *installation) writes() int {
	s.t.Helper()
	_, text := s.send(adminToken, http.MethodGet, "/metrics", "")
	match := writesMetric.FindSubmatch(text)
	if match == nil {
		s.t.Fatalf("no metric of writes in %.300s", text)
	}
	n, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return int(n)
}

// 33
func TestScenarioManyAgents(t *testing.T) {
	agents, idle, jobs := setting(t, "PENSTOCK_SCENARIO_AGENTS", 200), time.Duration(setting(t, "PENSTOCK_SCENARIO_IDLE", 120))*time.Second, setting(t, "PENSTOCK_SCENARIO_JOBS", 500)
	binary := buildBinary(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, server := startInstallation(t, binary, engine)
			for range agents / 50 {
				s.startAgent(agent.Options{Spawn: 50, Name: "runner-%random"})
			}
			connected := func() int {
				return len(s.texts(`SELECT id FROM agents WHERE state = 'connected'`))
			}
			eventuallyWithin(t, 5*time.Minute, "all agents are connected", func() bool { return connected() == agents/50*50 })
			before := s.writes()
			<-time.After(idle)
			written := s.writes() - before
			// Each heartbeat is kept with those of the last 10 seconds; what runs besides requests writes now and then.
			if most := int(idle.Seconds()); written > most {
				t.Errorf("%d transactions have written within %s", written, idle)
			}
			pipeline := s.createPipeline(fmt.Sprintf(`steps: [{label: a, command: "true", parallelism: %d}]`, min(jobs, 500)))
			begun := time.Now()
			var builds []build
			for range max(1, jobs/500) {
				builds = append(builds, s.createBuild(pipeline))
			}
			for _, b := range builds {
				now := b.awaitEnd(30 * time.Minute)
				if now.State != "passed" {
					t.Fatalf("%s", now.State)
				}
				counts := s.countEvents(now.Jobs)
				for _, j := range now.Jobs {
					for _, event := range []string{"ASSIGNED", "ACCEPTED", "STARTED", "FINISHED"} {
						if counts[j.ID+event] != 1 {
							t.Errorf("%s happened %d times to job %d", event, counts[j.ID+event], *j.ParallelGroupIndex)
						}
					}
				}
				late, last := 0, -1
				for _, text := range s.texts(`SELECT CAST(parallel_index AS TEXT) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE jobs.build_id = $1 ORDER BY job_runs.assigned_at, jobs.parallel_index`, now.ID) {
					index, err := strconv.Atoi(text)
					if err != nil {
						t.Fatal(err)
					}
					if index < last {
						late++
					}
					last = max(last, index)
				}
				if late > 0 {
					t.Errorf("%d jobs were handed out after others that stand behind them", late)
				}
			}
			t.Logf("%s: %d agents, %d writes within %s; then %d jobs in %s; the server's memory at most %s", engine, agents, written, idle, jobs,
				time.Since(begun).Round(time.Second), server.memory())
		})
	}
}

// memory returns the most memory that the process has used.
func (p *process) memory() string {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}

// 34
func TestScenarioLogsOfManyJobs(t *testing.T) {
	writers, seconds := setting(t, "PENSTOCK_SCENARIO_WRITERS", 20), setting(t, "PENSTOCK_SCENARIO_SECONDS", 30)
	binary := buildBinary(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, server := startInstallation(t, binary, engine)
			a := s.startAgent(agent.Options{Spawn: writers})
			// A line has 1,000 characters with its end, of which 8 say which it is.
			writeHome(t, a, "script.sh", fmt.Sprintf(`rest=$(head -c 991 /dev/zero | tr '\0' x)
n=0
while [ $n -lt %d ]; do
  seq -f "%%08.0f$rest" $((n*1000)) $((n*1000+999))
  n=$((n+1)); sleep 1
done`, seconds))
			b := s.run(fmt.Sprintf(`steps: [{label: a, command: 'sh "$$HOME/script.sh"', parallelism: %d}]`, writers))
			done := make(chan struct{})
			var readers sync.WaitGroup
			var reads, failures atomic.Int64
			for i := range max(1, writers/4) {
				readers.Go(func() {
					for {
						select {
						case <-done:
							return
						case <-time.After(500 * time.Millisecond):
						}
						status, body := s.readEnd(b, i)
						reads.Add(1)
						if status >= 500 {
							failures.Add(1)
							t.Errorf("a reader was answered %d %.200s", status, body)
							return
						}
					}
				})
			}
			now := b.awaitEnd(time.Duration(seconds)*time.Second + 10*time.Minute)
			close(done)
			readers.Wait()
			if now.State != "passed" {
				t.Fatalf("%s", now)
			}
			for _, j := range now.Jobs {
				next := 0
				for line := range strings.Lines(s.logOf(j.ID)) {
					if _, rest, found := strings.Cut(line, "\a"); found {
						line = rest
					}
					if len(line) > 900 {
						if line[:8] != fmt.Sprintf("%08d", next) {
							t.Fatalf("line %d of the log of job %d is %.20s", next, *j.ParallelGroupIndex, line)
						}
						next++
					}
				}
				if next != seconds*1000 {
					t.Errorf("the log of job %d has %d lines", *j.ParallelGroupIndex, next)
				}
			}
			if failed := s.texts(`SELECT job_id FROM job_runs WHERE build_id = $1 AND chunks_failed_count > 0`, now.ID); len(failed) > 0 {
				t.Errorf("parts of logs are missing: %v", failed)
			}
			t.Logf("%s: %d jobs wrote %d MB each in %s, %d reads of their ends meanwhile; the server's memory at most %s", engine, writers, seconds,
				now.FinishedAt.Sub(*now.StartedAt).Round(time.Second), reads.Load(), server.memory())
		})
	}
}

// readEnd reads the end of the log of one job of a build, as people who look at it do.
func (s *installation) readEnd(b build, index int) (int, string) {
	token := "Bearer " + adminToken
	send := func(path string, header ...string) (int, []byte) {
		req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url()+path, nil)
		if err != nil {
			s.t.Error(err)
			return 0, nil
		}
		req.Header.Set("Authorization", token)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			s.t.Error(err)
			return 0, nil
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			s.t.Error(err)
		}
		return resp.StatusCode, text
	}
	status, text := send(b.path + "/jobs?per_page=100")
	var jobs struct{ Items []struct{ ID string } }
	if status != http.StatusOK || json.Unmarshal(text, &jobs) != nil || index >= len(jobs.Items) {
		return status, string(text)
	}
	status, text = send(b.path+"/jobs/"+jobs.Items[index].ID+"/log", "Accept", "text/plain", "Range", "bytes=-65536")
	return status, string(text)
}

// 38
func TestScenarioABackupIsRestored(t *testing.T) {
	t.Parallel()
	binary := buildBinary(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, first := startInstallation(t, binary, engine)
			a := s.startAgent(agent.Options{Name: "old"})
			writeHome(t, a, "script.sh", "echo up >>$HOME/up; sleep 900")
			b := s.run(`steps: [{label: a, command: 'sh "$$HOME/script.sh"'}]`)
			awaitHome(t, a, "up")
			file := filepath.Join(t.TempDir(), "penstock.backup")
			penstock := func(args ...string) {
				t.Helper()
				command := exec.CommandContext(t.Context(), binary, args...)
				command.Env = first.command.Env
				if output, err := command.CombinedOutput(); err != nil {
					t.Fatalf("penstock %s: %v\n%s", args, err, output)
				}
			}
			penstock("backup", file, "--with-blobs")
			first.kill()
			penstock("restore", file, "--replace")
			startProcess(t, binary, s.nodes[0].cfg)
			a.Wait() // its session is over
			s.startAgent(agent.Options{Name: "new"})
			s.run(`steps: [{label: next, command: "true"}]`).await("passed")
			now := b.awaitEnd(lostTime)
			if j := now.job("a"); now.State != "failed" || j.exit() != "-1" || j.Agent.ConnectionState != "lost" {
				t.Errorf("%s, the agent is %+v", now, j.Agent)
			}
		})
	}
}

// countEvents returns how often each event happened to each job, by the job's id with the event behind it.
func (s *installation) countEvents(jobs []job) map[string]int {
	s.t.Helper()
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	counts := map[string]int{}
	for _, e := range testkit.JobEvents(s.t, s.open(), ids...) {
		counts[string(e.JobID)+string(e.Type)]++
	}
	return counts
}
