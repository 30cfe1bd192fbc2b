package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// An attack is run against the built server while an innocent caller of another organization goes on working. That caller must be
// answered, and the server's memory must stay within its bound. How much slower the innocent caller's requests get is printed, never
// asserted. `make attacks` runs longer and larger attacks than `make test`: tests whose names begin with TestAttack.

// attackMemory is what the server's resident memory must stay within, in MiB. docs/operations.md says what it is made of.
const attackMemory = 1400

// attackersFile has an attacker, who is an ordinary member of one organization, and an innocent caller in another.
const attackersFile = `
users:
  - {email: admin@example.com, name: Admin}
  - {email: attacker@example.com, name: Attacker}
  - {email: innocent@example.com, name: Innocent}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}, {user: attacker@example.com}]
  - slug: bravo
    name: Bravo
    members: [{user: innocent@example.com, role: admin}]
tokens:
  - {user: attacker@example.com, token: ${ATTACKER}, description: Tests, organizations: [acme-inc], scopes: [ALL_SCOPES]}
  - {user: innocent@example.com, token: ${INNOCENT}, description: Tests, organizations: [bravo], scopes: [ALL_SCOPES]}
`

const (
	attackScopes  = "read_user, read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds, read_organizations, graphql"
	attackerToken = "a-token-of-a-member-who-means-harm"
	innocentToken = "a-token-of-somebody-in-another-organization"
)

// siege is a server under attack.
type siege struct {
	*process
	address string // host:port
	long    bool   // `make attacks`
	cluster string // the path of the innocent caller's cluster
	failed  atomic.Int64
}

// besiege starts a server with these flags, prepares the attack, and runs it for some seconds beside the innocent caller. The attack
// ends when its context does. Prepare may be nil.
func besiege(t *testing.T, flags []string, prepare func(*siege), attack func(context.Context, *siege)) {
	t.Helper()
	file := strings.ReplaceAll(attackersFile, "ALL_SCOPES", attackScopes)
	args := append(with("serve --log-level error --trusted-proxies 127.0.0.1 --bootstrap", write(t, "bootstrap.yaml", file)), flags...)
	besiegeCommand(t, penstock(t, attackEnvironment(), args...), prepare, attack)
}

func attackEnvironment() []string {
	return []string{"PENSTOCK_LISTEN=127.0.0.1:0", "ATTACKER=" + attackerToken, "INNOCENT=" + innocentToken}
}

func besiegeCommand(t *testing.T, cmd *exec.Cmd, prepare func(*siege), attack func(context.Context, *siege)) {
	t.Helper()
	s := &siege{process: startCommand(t, cmd), long: os.Getenv("PENSTOCK_ATTACKS") != ""}
	s.address = strings.TrimPrefix(s.url, "http://")
	s.cluster = "/v2/organizations/bravo/clusters/" + s.create(innocentToken, "/v2/organizations/bravo/clusters", `{"name": "Main"}`).ID
	if prepare != nil {
		prepare(s)
	}
	length := 2 * time.Second
	if s.long {
		length = 20 * time.Second
	}
	quiet := s.work(t.Context(), 50)

	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var attackers sync.WaitGroup
	attackers.Go(func() { attack(ctx, s) })
	memory := make(chan int, 1)
	go func() { memory <- s.watchMemory(ctx) }()
	besieged := s.work(ctx, math.MaxInt)
	attackers.Wait()
	peak := <-memory

	t.Logf("%d requests of the innocent caller; their time is that of a quiet server × %.1f (median), × %.1f (95th percentile, %v); memory %d MiB at most",
		len(besieged), ratio(besieged, quiet, .5), ratio(besieged, quiet, .95), percentile(besieged, .95).Round(time.Millisecond), peak)
	if failed := s.failed.Load(); failed > 0 || len(besieged) == 0 {
		t.Errorf("%d of %d requests of the innocent caller failed", failed, len(besieged))
	}
	if peak > attackMemory && !raced {
		t.Errorf("the server took %d MiB, more than %d", peak, attackMemory)
	}
}

// work runs the innocent caller until it has sent so many requests or the context ends, and returns how long each took. It is a
// process of its own, so that it waits for the server and not for the attackers' processor time.
func (s *siege) work(ctx context.Context, most int) (took []time.Duration) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), innocentVariable+"="+jsonOf(innocent{URL: s.url, Cluster: s.cluster, Most: most}))
	stop, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	end := context.AfterFunc(ctx, func() { _ = stop.Close() })
	defer end()
	out, err := cmd.Output()
	var done innocentWork
	if err == nil {
		err = json.Unmarshal(out, &done)
	}
	if err != nil {
		s.t.Fatalf("the innocent caller: %v %s", err, out)
	}
	s.failed.Add(int64(done.Failed))
	for _, failure := range done.Failures {
		s.t.Log(failure)
	}
	for _, nanoseconds := range done.Took {
		took = append(took, time.Duration(nanoseconds))
	}
	return took
}

// innocentVariable is the environment variable that makes this program the innocent caller.
const innocentVariable = "PENSTOCK_INNOCENT_CALLER"

// innocent is a caller who sends at most so many requests, one after the other, until its standard input ends.
type innocent struct {
	URL, Cluster string
	Most         int
}

// innocentWork is what became of an innocent caller's requests.
type innocentWork struct {
	Took     []int64 // nanoseconds
	Failed   int
	Failures []string // the first of them
}

// run sends the requests. Each comes on a connection of its own, as those of a load balancer's probe and of a command do.
func (i innocent) run(until context.Context) (done innocentWork) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	requests := []struct{ method, path, body string }{
		{http.MethodGet, "/v2/organizations/bravo/clusters", ""},
		{http.MethodPost, "/v1", `{"query": "{organization(slug: \"bravo\") {name clusters(first: 5) {nodes {name}}}}"}`},
		{http.MethodPatch, i.Cluster, `{"description": "Changed"}`},
		{http.MethodGet, "/healthz", ""},
		{http.MethodGet, "/sign-in", ""},
	}
	for n := 0; n < i.Most && until.Err() == nil; n++ {
		r := requests[n%len(requests)]
		begun := time.Now()
		status, err := sendAs(client, innocentToken, r.method, i.URL+r.path, r.body)
		done.Took = append(done.Took, time.Since(begun).Nanoseconds())
		if err != nil || status != http.StatusOK {
			if done.Failed++; done.Failed <= 5 {
				done.Failures = append(done.Failures, fmt.Sprintf("%s %s: %d %v", r.method, r.path, status, err))
			}
		}
	}
	return done
}

// runInnocent is this program as the innocent caller.
func runInnocent(settings string) int {
	var i innocent
	if err := json.Unmarshal([]byte(settings), &i); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	until, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the attack ends
		stop()
	}()
	fmt.Println(jsonOf(i.run(until)))
	return 0
}

// created is what tests know of something that they have created.
type created struct {
	ID, Slug string
	Number   int
	Jobs     []struct{ ID string }
}

// create sends a request that creates something, before the attack.
func (s *siege) create(token, path, body string) (made created) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusCreated {
		err = json.Unmarshal(answer, &made, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil || resp.StatusCode != http.StatusCreated {
		s.t.Fatalf("POST %s: %d %s %v", path, resp.StatusCode, answer, err)
	}
	return made
}

// sendAs sends a request with a JSON body, reads the answer and returns its status.
func sendAs(client *http.Client, token, method, url, body string) (status int, err error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", "203.0.113.9") // attackers come from another address
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// many runs fn so many times at once until the attack ends. In `make test` there are at most a hundred.
func (s *siege) many(ctx context.Context, n int, fn func(ctx context.Context)) {
	if !s.long {
		n = min(n, 100)
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for ctx.Err() == nil {
				fn(ctx)
			}
		})
	}
	wg.Wait()
}

// hold sends the text on a connection of its own and keeps the connection, reading a few bytes a second, until the server ends it or
// the attack does.
func (s *siege) hold(ctx context.Context, text string) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer func() { _ = conn.Close() }()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	_, err = io.WriteString(conn, text)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		<-tick.C
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err = conn.Read(make([]byte, 1))
	}
}

// attackerRequest returns a request of the attacker as it goes over the wire.
func attackerRequest(method, path, body string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: penstock\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, attackerToken, len(body), body)
}

// watchMemory returns the most resident memory that the server had until the context's end, in MiB.
func (s *siege) watchMemory(ctx context.Context) (peak int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		peak = max(peak, residentMemory(s.cmd.Process.Pid))
		<-tick.C
	}
	return peak
}

// residentMemory returns a process's resident memory in MiB; 0 where the system does not tell.
func residentMemory(pid int) int {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	line, _, _ := strings.Cut(after, "\n")
	kib, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(line, "kB")))
	return kib >> 10
}

func percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[int(p*float64(len(sorted)-1))]
}

func ratio(besieged, quiet []time.Duration, p float64) float64 {
	return float64(percentile(besieged, p)) / float64(max(1, percentile(quiet, p)))
}
