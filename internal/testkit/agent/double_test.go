package agent_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	registrationToken = "registration-token"
	sessionToken      = "session-token"
	jobToken          = "job-token"
	streamPath        = "/agentedge.v1.AgentEdgeService/StreamPings"
)

// double answers an agent as a server does whose jobs are all handed to the first agent that asks, and records what it is asked.
type double struct {
	t       *testing.T
	server  *httptest.Server
	streams bool // answers StreamPings

	mutex   sync.Mutex
	changed *sync.Cond
	calls   []call
	agents  int
	jobs    map[string]map[string]any // what accepting each is answered with
	waiting []string                  // their ids, while nobody has them
	logs    map[string][]byte
	closed  bool
}

// call is a request as it came; its body was decompressed.
type call struct {
	method, path, query, protocol string
	header                        http.Header
	body                          string
}

func (c call) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s%s %s\n", c.method, c.path, c.query, c.protocol)
	_ = c.header.Write(&b)
	return b.String() + "\n" + c.body
}

func startDouble(t *testing.T, streams bool) *double {
	t.Helper()
	d := &double{t: t, streams: streams, jobs: map[string]map[string]any{}, logs: map[string][]byte{}}
	d.changed = sync.NewCond(&d.mutex)
	d.server = httptest.NewServer(d)
	t.Cleanup(func() {
		d.mutex.Lock()
		d.closed = true
		d.changed.Broadcast()
		d.mutex.Unlock()
		d.server.Close()
		for _, c := range d.recorded() {
			t.Logf("%s", c)
		}
	})
	return d
}

func (d *double) endpoint() string { return d.server.URL + "/v3" }

// addJob adds a job that runs a command in a checkout, and returns its id.
func (d *double) addJob(repository, commit, command string) string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	id := fmt.Sprintf("0190a000-0000-7000-8000-%012d", len(d.jobs)+1)
	d.jobs[id] = map[string]any{
		"id": id, "state": "accepted", "token": jobToken,
		"chunks_max_size_bytes": 100_000, "chunks_interval_seconds": 1, "log_max_size_bytes": 1 << 30,
		"step": map[string]any{"command": command},
		"env": map[string]string{
			"CI": "true", "BUILDKITE": "true", "BUILDKITE_JOB_ID": id, "BUILDKITE_REPO": repository, "BUILDKITE_COMMIT": commit, "BUILDKITE_BRANCH": "main",
			"BUILDKITE_AGENT_NAME": "runner", "BUILDKITE_ORGANIZATION_SLUG": "acme-inc", "BUILDKITE_PIPELINE_SLUG": "web", "BUILDKITE_PIPELINE_PROVIDER": "git",
			"BUILDKITE_COMMAND": command,
		},
	}
	d.waiting = append(d.waiting, id)
	d.changed.Broadcast()
	return id
}

// takeJob returns the next job that waits, "" if none does.
func (d *double) takeJob() (id string) {
	if len(d.waiting) > 0 {
		id, d.waiting = d.waiting[0], d.waiting[1:]
	}
	return id
}

func (d *double) recorded() []call {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return slices.Clone(d.calls)
}

func (d *double) logOf(job string) string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return string(d.logs[job])
}

func (d *double) count(method, path string) (n int) {
	for _, c := range d.recorded() {
		if c.method == method && c.path == path {
			n++
		}
	}
	return n
}

// waitFor waits for a call of a path below the endpoint, with any method if that is empty, and returns the first.
func (d *double) waitFor(method, path string) (found call) {
	d.t.Helper()
	eventually(d.t, "a call of "+path, func() bool {
		calls := d.recorded()
		i := slices.IndexFunc(calls, func(c call) bool { return c.path == path && (method == "" || c.method == method) })
		if i >= 0 {
			found = calls[i]
		}
		return i >= 0
	})
	return found
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		d.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	path := strings.TrimPrefix(r.URL.Path, "/v3")
	query := r.URL.Query()
	d.mutex.Lock()
	c := call{method: r.Method, path: path, protocol: r.Proto, header: r.Header.Clone(), body: string(body)}
	if r.URL.RawQuery != "" {
		c.query = "?" + r.URL.RawQuery
	}
	d.calls = append(d.calls, c)
	d.mutex.Unlock()

	if path == streamPath {
		d.stream(w)
		return
	}
	if path == "/register" && r.Header.Get("Authorization") != "Token "+registrationToken {
		answer(w, http.StatusUnauthorized, map[string]any{"message": "Invalid agent token"})
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case path == "/register":
		d.agents++
		var asked struct {
			Name     string
			MetaData []string `json:"meta_data"`
		}
		_ = json.Unmarshal(body, &asked)
		answer(w, http.StatusOK, map[string]any{"id": fmt.Sprintf("0190a000-0000-7000-8000-1%011d", d.agents), "name": asked.Name, "access_token": sessionToken,
			"ping_interval": 1, "job_status_interval": 1, "heartbeat_interval": 1, "meta_data": asked.MetaData})
	case path == "/ping":
		if id := d.takeJob(); id != "" {
			answer(w, http.StatusOK, map[string]any{"job": map[string]any{"id": id}})
			return
		}
		answer(w, http.StatusOK, map[string]any{})
	case path == "/heartbeat":
		var sent map[string]any
		_ = json.Unmarshal(body, &sent)
		sent["received_at"] = sent["sent_at"]
		answer(w, http.StatusOK, sent)
	case len(parts) == 3 && parts[2] == "accept":
		answer(w, http.StatusOK, d.jobs[parts[1]])
	case len(parts) == 2 && parts[0] == "jobs":
		answer(w, http.StatusOK, map[string]any{"state": "running"})
	case len(parts) == 3 && parts[2] == "chunks":
		if query.Get("size") != fmt.Sprint(len(body)) {
			d.t.Errorf("a chunk of %d bytes came with %s", len(body), r.URL.RawQuery)
		}
		d.logs[parts[1]] = append(d.logs[parts[1]], body...)
		answer(w, http.StatusOK, map[string]any{})
	case len(parts) == 4 && parts[2] == "data" && parts[3] == "exists":
		answer(w, http.StatusOK, map[string]any{"exists": false})
	default: // connect, disconnect, stop, start, finish, data/set
		answer(w, http.StatusOK, map[string]any{})
	}
}

// stream answers StreamPings, by gRPC: a message for each job, after one that says that there is none yet.
func (d *double) stream(w http.ResponseWriter) {
	if !d.streams {
		answer(w, http.StatusNotFound, map[string]any{"message": "Not found"})
		return
	}
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status")
	defer w.Header().Set("Grpc-Status", "4") // deadline exceeded: the agent comes again
	const resume, jobAssigned = 2, 5
	sendMessage(w, field(resume, nil))
	for {
		d.mutex.Lock()
		for len(d.waiting) == 0 && !d.closed {
			d.changed.Wait()
		}
		id := d.takeJob()
		d.mutex.Unlock()
		if id == "" {
			return
		}
		sendMessage(w, field(jobAssigned, field(1, field(1, []byte(id)))))
	}
}

// field encodes a field of a protobuf message that has bytes, fewer than 128.
func field(number int, value []byte) []byte {
	return append([]byte{byte(number<<3 | 2), byte(len(value))}, value...)
}

func sendMessage(w http.ResponseWriter, message []byte) {
	head := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))) // not compressed
	_, _ = w.Write(append(head, message...))
	_ = http.NewResponseController(w).Flush()
}

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		return body, err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
