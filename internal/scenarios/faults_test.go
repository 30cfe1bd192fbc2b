package scenarios

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"

	"penstock/internal/config"
	"penstock/internal/testkit/agent"
)

// proxy stands between agents and servers, and lets things go wrong there. Each request goes to the next server.
type proxy struct {
	t       *testing.T
	servers []*url.URL
	address string

	mutex  sync.Mutex
	next   int
	calls  map[string]int             // how many requests there were, by their names
	drops  map[string]int             // how many answers are still to be lost
	before map[string]func(id string) // called once, before a request is passed on, with the id in its path
	answer map[string]http.HandlerFunc
}

const streamName = "StreamPings"

// startProxy starts a proxy in front of all servers.
func (s *installation) startProxy() *proxy {
	s.t.Helper()
	p := &proxy{t: s.t, calls: map[string]int{}, drops: map[string]int{}, before: map[string]func(string){}, answer: map[string]http.HandlerFunc{}}
	for _, n := range s.nodes {
		server, err := url.Parse(n.url)
		if err != nil {
			s.t.Fatal(err)
		}
		p.servers = append(p.servers, server)
	}
	server := httptest.NewServer(p)
	s.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.address = server.URL
	return p
}

func (p *proxy) endpoint() string { return p.address + "/v3" }

// count returns how many requests there were whose path ends with a name.
func (p *proxy) count(name string) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.calls[name]
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	p.mutex.Lock()
	p.calls[name]++
	server := p.servers[p.next%len(p.servers)]
	p.next++
	before, answer := p.before[name], p.answer[name]
	delete(p.before, name)
	p.mutex.Unlock()
	switch {
	case answer != nil:
		answer(w, r)
		return
	case name == streamName:
		through := httputil.NewSingleHostReverseProxy(server)
		through.FlushInterval = -1
		through.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) } // an agent that goes away
		through.ServeHTTP(w, r)
		return
	case before != nil:
		before(path.Base(path.Dir(r.URL.Path)))
	}
	p.pass(w, r, server, name)
}

// pass passes a request on, and its answer back, unless that is to be lost.
func (p *proxy) pass(w http.ResponseWriter, r *http.Request, server *url.URL, name string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	forwarded := r.Clone(r.Context())
	forwarded.RequestURI, forwarded.URL.Scheme, forwarded.URL.Host, forwarded.Body = "", server.Scheme, server.Host, io.NopCloser(bytes.NewReader(body))
	response, err := http.DefaultTransport.RoundTrip(forwarded)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	p.mutex.Lock()
	lost := p.drops[name] > 0
	if lost {
		p.drops[name]--
	}
	p.mutex.Unlock()
	if lost || err != nil {
		panic(http.ErrAbortHandler) // ends the connection
	}
	for header, values := range response.Header {
		w.Header()[header] = values
	}
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(text)
}

// 27
func TestAnswersAreLost(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, s *installation) {
		p := s.startProxy()
		names := []string{"accept", "start", "pipelines", "finish"}
		for _, name := range names {
			p.drops[name] = 1
		}
		a := s.startAgent(agent.Options{Endpoint: p.endpoint()})
		writeHome(t, a, "more.json", `{"checkout": {"skip": true}, "steps": [{"label": "more", "command": "echo more", "key": "more"}]}`)
		b := s.run(`steps: [{label: a, command: 'buildkite-agent pipeline upload "$$HOME/more.json"'}]`).await("passed")
		wantStates(t, b, "a passed, more passed")
		for _, j := range b.Jobs {
			if got := s.events(j.ID); !strings.HasSuffix(got, "ASSIGNED ACCEPTED STARTED FINISHED") || strings.Count(got, "ACCEPTED") != 1 || strings.Count(got, "FINISHED") != 1 {
				t.Errorf("what happened to %s: %s", j.Name, got)
			}
		}
		if uploads := s.texts(`SELECT id FROM step_uploads WHERE build_id = $1`, b.ID); len(uploads) != 1 {
			t.Errorf("uploads: %v", uploads)
		}
		for _, name := range names {
			want := 3 // two jobs, and one repeated
			if name == "pipelines" {
				want = 2
			}
			if n := p.count(name); n != want {
				t.Errorf("%s was called %d times, want %d", name, n, want)
			}
		}
	})
}

// 28
func TestABuildIsCanceledWhileAnAgentTakesItsJob(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, s *installation) {
		for _, mode := range []string{"auto", "poll-only"} {
			for _, moment := range []string{"accept", "start"} {
				p := s.startProxy()
				b := s.run(`steps: [{label: a, command: echo never}]`)
				p.before[moment] = func(string) {
					if status, body := s.send(adminToken, http.MethodPut, b.path+"/cancel", ""); status != http.StatusOK {
						t.Errorf("cancel: %d %s", status, body)
					}
				}
				a := s.startAgent(agent.Options{Endpoint: p.endpoint(), PingMode: mode})
				now := b.await("canceled")
				if j := now.job("a"); j.StartedAt != nil {
					t.Errorf("%s, %s: it was started: %+v", mode, moment, j)
				}
				s.run(`steps: [{label: a, command: echo next}]`).await("passed")
				if n := p.count("accept"); n != 2 {
					t.Errorf("%s, %s: %d jobs were accepted", mode, moment, n)
				}
				if code := a.Stop(); code != 0 {
					t.Errorf("the agent ended with %d", code)
				}
			}
		}
	})
}

// session is an agent that a test itself is.
type session struct {
	s     *installation
	token string
}

// newSession registers and connects an agent.
func (s *installation) newSession() session {
	s.t.Helper()
	register := sendByHand(s.t, http.MethodPost, s.endpoint(0)+"/register", s.agentToken, `{"name": "by hand", "meta_data": ["queue=default"]}`)
	var made struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(register.body, &made); err != nil || register.status != http.StatusOK {
		s.t.Fatalf("register: %d %s", register.status, register.body)
	}
	own := session{s, made.Token}
	if connect := own.call(http.MethodPost, "connect"); connect.status/100 != 2 {
		s.t.Fatalf("connect: %d %s", connect.status, connect.body)
	}
	return own
}

// call calls the API of agents.
func (own session) call(method, path string) handAnswer {
	return sendByHand(own.s.t, method, own.s.endpoint(1)+"/"+path, own.token, "")
}

type handAnswer struct {
	status int
	body   []byte
}

// sendByHand sends a request as agents do. Other goroutines than the test's may use it.
func sendByHand(t testing.TB, method, address, token, body string) handAnswer {
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return handAnswer{}
	}
	req.Header.Set("Authorization", "Token "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return handAnswer{}
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return handAnswer{resp.StatusCode, text}
}

// 29
func TestTwoAgentsAcceptOneJob(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, s *installation) {
		p := s.startProxy()
		second := s.newSession()
		refuse := func(id string) {
			if a := second.call(http.MethodPut, "jobs/"+id+"/accept"); a.status != http.StatusUnprocessableEntity {
				t.Errorf("the second agent was answered %d %s", a.status, a.body)
			}
		}
		p.before["accept"], p.before["start"], p.before["finish"] = refuse, refuse, refuse
		b := s.run(`steps: [{label: a, command: echo a}]`)
		s.startAgent(agent.Options{Endpoint: p.endpoint()})
		now := b.await("passed")
		if j := now.job("a"); j.Agent.Name != "runner-1" {
			t.Errorf("%+v", j)
		}
		if got := s.events(now.job("a").ID); !strings.HasSuffix(got, "ASSIGNED ACCEPTED STARTED FINISHED") {
			t.Errorf("what happened: %s", got)
		}
	})
}

// 35
func TestPingsGoWrong(t *testing.T) {
	t.Parallel()
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>Sign in first</html>")
	}
	for name, answers := range map[string]map[string]http.HandlerFunc{
		"no streams":         {streamName: http.NotFound},
		"streams are cut":    {streamName: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		"a page for streams": {streamName: page},
		"a page for pings":   {streamName: http.NotFound, "ping": page},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "sqlite", 1)
			p := s.startProxy()
			p.answer = answers
			s.startAgent(agent.Options{Endpoint: p.endpoint()})
			if answers["ping"] != nil {
				eventually(t, "the agent has pinged", func() bool { return p.count("ping") >= 2 })
				p.mutex.Lock()
				p.answer = map[string]http.HandlerFunc{streamName: http.NotFound}
				p.mutex.Unlock()
			}
			s.run(`steps: [{label: a, command: echo a}]`).await("passed")
			if p.count("ping") == 0 {
				t.Error("the agent has not polled")
			}
		})
	}
}

func TestStreamingIsSwitchedOff(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", 1, func(cfg *config.Config) { cfg.Streaming = false })
	p := s.startProxy()
	s.startAgent(agent.Options{Endpoint: p.endpoint()})
	s.run(`steps: [{label: a, command: echo a}]`).await("passed")
	if p.count(streamName) == 0 || p.count("ping") == 0 {
		t.Errorf("the agent has tried to stream %d times, and polled %d times", p.count(streamName), p.count("ping"))
	}
}
