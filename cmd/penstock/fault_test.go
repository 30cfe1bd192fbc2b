package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A fault test writes to the built server from several connections while something goes wrong, and then compares all that the server
// shows with what it acknowledged. `make faults` runs longer ones than `make test`, and prints a table: tests whose names begin with
// TestFault.

// longFaults is set by `make faults`.
var longFaults = os.Getenv("PENSTOCK_FAULTS") != ""

// rounds returns how often a fault is to happen.
func rounds(short, long int) int {
	if longFaults {
		return long
	}
	return short
}

// ledger has the history of every write to a server, and of nobody else's.
type ledger struct {
	t      *testing.T
	server atomic.Pointer[process] // where writers write to: another one after a restart
	gone   atomic.Pointer[process] // one that nobody can connect to any more
	keyed  bool                    // creates have an Idempotency-Key, and are repeated until they are answered
	client *http.Client

	failed atomic.Bool // set: what is sent from now on must not be acknowledged

	mutex    sync.Mutex
	lines    map[string]*line // by the cluster's name
	answers  map[string]int   // by status; "none" if there was none
	tooLate  int              // acknowledged although failed was set
	after    int              // answers to what was sent since failed was set
	faults   int
	problems map[string]int // lost, doubled, …
}

// line is what one writer knows of a cluster that is its own.
type line struct {
	possible []string // descriptions that it may have; absent: it may not exist
	deleted  bool     // that was acknowledged
}

const absent = ""

func newLedger(t *testing.T) *ledger {
	t.Helper()
	l := &ledger{
		t: t, lines: map[string]*line{}, answers: map[string]int{}, problems: map[string]int{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: patience},
	}
	t.Cleanup(l.client.CloseIdleConnections)
	return l
}

// during lets writers write to the server until fn returns and each of them has had its last answer.
func (l *ledger) during(server *process, fn func()) {
	l.server.Store(server)
	var writers sync.WaitGroup
	stop := make(chan struct{})
	for range 8 {
		writers.Go(func() {
			for goesOn(stop, 0) {
				l.writeLine(stop)
			}
		})
	}
	defer writers.Wait()
	defer close(stop)
	fn()
}

// goesOn returns false once the channel is closed, and otherwise true, after a pause.
func goesOn(stop <-chan struct{}, pause time.Duration) bool {
	select {
	case <-stop:
		return false
	case <-time.After(pause):
		return true
	}
}

var clusterCount atomic.Int64

// writeLine creates a cluster, changes it a few times, and deletes every other one, as long as it knows what became of each step.
func (l *ledger) writeLine(stop <-chan struct{}) {
	name := fmt.Sprintf("Cluster %d", clusterCount.Add(1))
	own := &line{possible: []string{absent}}
	l.mutex.Lock()
	l.lines[name] = own
	l.mutex.Unlock()

	body, done := l.change(stop, own, "created", http.MethodPost, clusters, fmt.Sprintf(`{"name": %q, "description": "created"}`, name), strings.ReplaceAll(name, " ", "-"))
	var cluster struct {
		ID string `json:"id"`
	}
	if !done || json.Unmarshal(body, &cluster) != nil {
		return
	}
	path := clusters + "/" + cluster.ID
	for i := range rand.IntN(3) {
		value := fmt.Sprint("changed ", i)
		if _, done = l.change(stop, own, value, http.MethodPatch, path, fmt.Sprintf(`{"description": %q}`, value), ""); !done {
			return
		}
	}
	if rand.IntN(2) == 0 {
		_, own.deleted = l.change(stop, own, absent, http.MethodDelete, path, "", "")
	}
}

// change sends a request that brings a cluster to a value, does as the answer tells, and notes what may have become of it. It reports
// whether the change was acknowledged.
func (l *ledger) change(stop <-chan struct{}, own *line, value, method, path, content, key string) (body []byte, done bool) {
	before := own.possible
	for open := true; open; open = goesOn(stop, 10*time.Millisecond) {
		late := l.failed.Load()
		status, body, err := l.send(method, path, content, key)
		if errors.Is(err, syscall.ECONNREFUSED) {
			continue
		}
		l.note(status, late)
		switch {
		case err != nil, status == http.StatusGatewayTimeout:
			own.possible = append(slices.Clone(before), value) // nobody knows
			if !l.keyed || key == "" {
				return nil, false
			}
		case status/100 == 2:
			own.possible = []string{value}
			return body, true
		case status == http.StatusServiceUnavailable: // it was not done, and can be repeated
		case status == http.StatusConflict && l.keyed && key != "": // the first one runs still
		default:
			l.t.Errorf("%s %s: %d %s", method, path, status, body)
			return nil, false
		}
	}
	return nil, false
}

func (l *ledger) send(method, path, content, key string) (status int, body []byte, err error) {
	server := l.server.Load()
	if server == l.gone.Load() {
		return 0, nil, syscall.ECONNREFUSED // another test's server may have its port by now
	}
	req, err := http.NewRequestWithContext(l.t.Context(), method, server.url+path, strings.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	if content != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if l.keyed && key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := l.client.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		l.gone.Store(server)
	}
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if body, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, err // in the middle of an answer
	}
	return resp.StatusCode, body, nil
}

func (l *ledger) note(status int, late bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case status == 0:
		l.answers["none"]++
	case status/100 == 2:
		l.answers["2xx"]++
		if late {
			l.tooLate++
		}
	default:
		l.answers[fmt.Sprint(status)]++
	}
	if late {
		l.after++
	}
}

func (l *ledger) count(answer string) int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.answers[answer]
}

// more waits until there are so many more of an answer.
func (l *ledger) more(answer string, n int) {
	l.t.Helper()
	want := l.count(answer) + n
	eventually(l.t, fmt.Sprintf("%d more answers %s", n, answer), func() bool { return l.count(answer) >= want })
}

// read expects that clusters can be listed.
func (l *ledger) read() {
	l.t.Helper()
	if status, body, err := l.send(http.MethodGet, clusters, "", ""); err != nil || status != http.StatusOK {
		l.t.Errorf("a read: %d %s %v", status, body, err)
	}
}

// awaitReadiness waits until /readyz answers with the status and a text.
func (p *process) awaitReadiness(status int, text string) {
	p.t.Helper()
	eventually(p.t, fmt.Sprintf("/readyz is %d with %s", status, text), func() bool {
		got, body := p.get("/readyz", "")
		return got == status && strings.Contains(body, text)
	})
}

// shownCluster is a cluster as it is listed.
type shownCluster struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// compare lists everything, and compares it with the history.
func (l *ledger) compare(server *process) {
	l.t.Helper()
	l.server.Store(server)
	shown := map[string][]shownCluster{}
	for page := 1; ; page++ {
		list := l.list(page)
		for _, cluster := range list {
			shown[cluster.Name] = append(shown[cluster.Name], cluster)
		}
		if len(list) < 100 {
			break
		}
	}
	for name := range shown {
		if l.lines[name] == nil {
			l.problem("phantom", name)
		}
	}
	for name, own := range l.lines {
		found := shown[name]
		if kind := own.judge(found); kind != "" {
			l.problem(kind, name, found, own.possible)
		} else if len(found) == 1 {
			l.checkWhole(found[0])
		}
	}
}

// judge returns what is wrong with what is shown of a cluster.
func (own *line) judge(found []shownCluster) string {
	shown := absent
	if len(found) > 0 {
		shown = found[0].Description
	}
	switch {
	case len(found) > 1:
		return "doubled"
	case slices.Contains(own.possible, shown):
		return ""
	case own.deleted:
		return "resurrected"
	case slices.Equal(own.possible, []string{absent}): // every answer said that it was not made
		return "phantom"
	}
	return "lost" // or an older value
}

func TestTheCheckerOfFaultsSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	made, changed := shownCluster{Description: "created"}, shownCluster{Description: "changed"}
	for _, test := range []struct {
		own   line
		found []shownCluster
		want  string
	}{
		{line{possible: []string{"changed"}}, []shownCluster{changed}, ""},
		{line{possible: []string{"changed"}}, nil, "lost"},
		{line{possible: []string{"changed"}}, []shownCluster{made}, "lost"},
		{line{possible: []string{"created", "changed"}}, []shownCluster{made}, ""},
		{line{possible: []string{"created", "changed"}}, []shownCluster{changed}, ""},
		{line{possible: []string{"created", absent}}, nil, ""},
		{line{possible: []string{"created"}}, []shownCluster{made, made}, "doubled"},
		{line{possible: []string{absent}}, nil, ""},
		{line{possible: []string{absent}}, []shownCluster{made}, "phantom"},
		{line{possible: []string{absent}, deleted: true}, []shownCluster{changed}, "resurrected"},
	} {
		if got := test.own.judge(test.found); got != test.want {
			t.Errorf("%v, and %v is shown: %q, want %q", test.own, test.found, got, test.want)
		}
	}
}

// list returns a page of the list of clusters. Whether there is a next one follows from a counter, which must be right.
func (l *ledger) list(page int) (list []shownCluster) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, fmt.Sprintf("%s%s?per_page=100&page=%d", l.server.Load().url, clusters, page), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	resp, err := l.client.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil || resp.StatusCode != http.StatusOK {
		l.t.Fatalf("page %d: %s %v", page, resp.Status, err)
	}
	if next := strings.Contains(resp.Header.Get("Link"), `rel="next"`); next && len(list) < 100 {
		l.problem("torn", fmt.Sprintf("page %d has %d clusters, and there is a next page", page, len(list)))
	}
	return list
}

// checkWhole checks that a cluster has the one registry that it was made with, as its default.
func (l *ledger) checkWhole(cluster shownCluster) {
	l.t.Helper()
	status, body, err := l.send(http.MethodGet, clusters+"/"+cluster.ID+"/cache-registries", "", "")
	var registries struct {
		Items []struct {
			Default bool `json:"default"`
		} `json:"items"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &registries) != nil || len(registries.Items) != 1 || !registries.Items[0].Default {
		l.problem("torn", cluster, status, string(body), err)
	}
}

func (l *ledger) problem(kind string, about ...any) {
	l.t.Helper()
	if l.problems[kind]++; l.problems[kind] <= 5 {
		l.t.Errorf("%s: %v", kind, about)
	}
}

// report adds a row to the table, and expects that writes were acknowledged and that nothing but this was answered.
func (l *ledger) report(fault string, answers ...string) {
	l.t.Helper()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for answer, n := range l.answers {
		if !slices.Contains(answers, answer) && answer != "2xx" {
			l.t.Errorf("%d answers were %s", n, answer)
		}
	}
	if l.answers["2xx"] == 0 {
		l.t.Error("nothing was acknowledged")
	}
	engine := "SQLite"
	if strings.Contains(strings.ToLower(l.t.Name()), "postgres") {
		engine = "PostgreSQL"
	}
	row := fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d |", fault, engine, l.faults, l.answers["2xx"], l.answers["503"], l.answers["504"], l.answers["none"])
	for _, kind := range problemKinds {
		row += fmt.Sprintf(" %d |", l.problems[kind])
	}
	faultTable.mutex.Lock()
	defer faultTable.mutex.Unlock()
	faultTable.rows = append(faultTable.rows, row)
	l.t.Log(row)
}

var problemKinds = []string{"lost", "doubled", "phantom", "resurrected", "torn"}

var faultTable struct {
	mutex sync.Mutex
	rows  []string
}

// printFaultTable prints what the fault tests found.
func printFaultTable() {
	if !longFaults || len(faultTable.rows) == 0 {
		return
	}
	fmt.Println("| fault | engine | times | acknowledged | 503 | 504 | no answer | " + strings.Join(problemKinds, " | ") + " |")
	fmt.Println(strings.Repeat("|---", 7+len(problemKinds)) + "|")
	for _, row := range faultTable.rows {
		fmt.Println(row)
	}
}
