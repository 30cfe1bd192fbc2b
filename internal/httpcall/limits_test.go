package httpcall_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

const patience = 30 * time.Second

// limited is a server with limits, whose handler says what it is doing.
type limited struct {
	t      *testing.T
	limits *httpcall.Limits
	server *httptest.Server
	begun  chan struct{} // gets one for each request that is worked on
	end    chan struct{} // lets one end
}

// newLimited starts a server. A request names its caller in the header User; /work is worked on until it is let go, /document
// too, which reads, /answer has an
// answer of 8 MiB, and everything else returns its body.
func newLimited(t *testing.T, places int, bytes int64, connections int) *limited {
	t.Helper()
	s := &limited{t: t, limits: httpcall.NewLimits(places, bytes, connections), begun: make(chan struct{}, 100), end: make(chan struct{})}
	settings := httpcall.Settings{}.WithDefaults()
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.limits.End(r.Context())
		c := settings.NewCall("/", w, r)
		defer c.Finish(nil)
		fail := func(err error) {
			status, message := c.Explain(err)
			c.Write(status, "text/plain", []byte(message))
		}
		if !s.limits.Begin(r.Context(), r.URL.Path == "/urgent") {
			c.Write(http.StatusServiceUnavailable, "text/plain", []byte("no place"))
			return
		}
		if user := r.Header.Get("User"); user != "" {
			if err := c.RecordCaller(domain.UserID(user), ""); err != nil {
				fail(err)
				return
			}
		}
		switch r.URL.Path {
		case "/document":
			leave, err := httpcall.AcquireTurn(r.Context())
			if err != nil {
				fail(err)
				return
			}
			defer leave()
			s.begun <- struct{}{}
			<-s.end
			c.Write(http.StatusOK, "text/plain", nil)
		case "/work":
			s.begun <- struct{}{}
			<-s.end
			c.Write(http.StatusOK, "text/plain", nil)
		case "/answer":
			s.answer(&c, fail)
		default:
			body, err := c.ReadBody(1 << 20)
			if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
				err = domain.NewError(domain.TooLarge, "too large")
			}
			if err != nil {
				fail(err)
				return
			}
			c.Write(http.StatusOK, "text/plain", body)
		}
	}))
	s.server.Config.ConnContext, s.server.Config.ConnState = s.limits.AddConnection, s.limits.TrackConnection
	s.server.Start()
	t.Cleanup(s.server.Close)
	return s
}

func (s *limited) answer(c *httpcall.Call, fail func(error)) {
	const size = 8 << 20
	if err := c.ReserveAnswer(size); err != nil {
		fail(err)
		return
	}
	s.begun <- struct{}{}
	c.Write(http.StatusOK, "text/plain", make([]byte, size))
}

// send sends a request and returns its status, and why if it was refused.
func (s *limited) send(method, path, user, body string) (status int, text string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("User", user)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	content, _ := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" && string(content) != "no place" {
		s.t.Errorf("%s %s: nothing says when to retry", method, path)
	}
	return resp.StatusCode, string(content)
}

// dial sends the text on a connection of its own, which reads little.
func (s *limited) dial(text string) net.Conn {
	s.t.Helper()
	conn, err := new(net.Dialer).DialContext(s.t.Context(), "tcp", s.server.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

func (s *limited) eventually(what string, condition func() bool) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !condition(); <-tick.C {
		if time.Now().After(deadline) {
			s.t.Fatalf("not within the time limit: %s", what)
		}
	}
}

func TestABodyThatIsAwaitedTakesNoPlace(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 4, 1<<20, 100)
	var slow []net.Conn
	for _, user := range []string{"a", "b", "c", "d", "e", "f"} {
		slow = append(slow, s.dial("POST / HTTP/1.1\r\nHost: x\r\nUser: "+user+"\r\nContent-Length: 5\r\n\r\nhal"))
	}
	s.eventually("all are in flight", func() bool { return s.limits.InFlight() == 6 })
	if status, text := s.send("POST", "/", "innocent", "hello"); status != http.StatusOK || text != "hello" {
		t.Errorf("%d %s", status, text)
	}
	for _, conn := range slow {
		_, _ = io.WriteString(conn, "lo")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%v %v", resp, err)
			continue
		}
		_ = resp.Body.Close()
	}
}

func TestOneCallerHasAQuarter(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 8, 1<<20, 100)
	for range 2 {
		s.dial("POST /work HTTP/1.1\r\nHost: x\r\nUser: greedy\r\nContent-Length: 0\r\n\r\n")
		<-s.begun
	}
	if status, text := s.send("POST", "/", "greedy", ""); status != http.StatusServiceUnavailable || !strings.Contains(text, "You have too many requests") {
		t.Errorf("the third at once: %d %s", status, text)
	}
	if status, text := s.send("POST", "/", "innocent", ""); status != http.StatusOK {
		t.Errorf("another caller: %d %s", status, text)
	}
	// Those of whom nothing is known are told apart by their addresses.
	for range 2 {
		s.dial("GET /work HTTP/1.1\r\nHost: x\r\n\r\n")
		<-s.begun
	}
	if status, text := s.send("POST", "/", "", "x"); status != http.StatusOK {
		t.Errorf("who only works is known by nothing: %d %s", status, text)
	}
	s.end <- struct{}{}
	s.end <- struct{}{}
	s.end <- struct{}{}
	s.end <- struct{}{}
	s.eventually("there is room again", func() bool { status, _ := s.send("POST", "/", "greedy", ""); return status == http.StatusOK })
}

// TestHalfABodyKeepsNobodyOut sends halves of bodies from an address until it has all that it may have.
func TestHalfABodyKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 8, 64<<20, 100)
	var slow []net.Conn
	for i := range 2 {
		slow = append(slow, s.dial("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhal"))
		s.eventually("the body is awaited", func() bool { return s.limits.InFlight() == int64(i+1) })
	}
	for range 3 {
		if status, text := s.send("GET", "/answer", "", ""); status != http.StatusOK {
			t.Errorf("who sends no body: %d %s", status, text)
		}
	}
	if status, text := s.send("POST", "/", "", "x"); status != http.StatusOK {
		t.Errorf("a whole body: %d %s", status, text)
	}
	// The oldest was ended for it, and the other is still awaited.
	resp, err := http.ReadResponse(bufio.NewReader(slow[0]), nil)
	if err != nil || resp.StatusCode != http.StatusBadRequest || !resp.Close {
		t.Fatalf("the oldest: %v %v", resp, err)
	}
	_ = resp.Body.Close()
	_, _ = io.WriteString(slow[1], "lo")
	if resp, err = http.ReadResponse(bufio.NewReader(slow[1]), nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the other: %v %v", resp, err)
	}
	_ = resp.Body.Close()
	s.eventually("nothing is in flight", func() bool { return s.limits.InFlight() == 0 && s.limits.BytesHeld() == 0 })
	// Those who are known are not ended.
	for range 2 {
		s.dial("POST / HTTP/1.1\r\nHost: x\r\nUser: known\r\nContent-Length: 5\r\n\r\nhal")
	}
	s.eventually("both are awaited", func() bool { return s.limits.InFlight() == 2 })
	for range 20 {
		if status, _ := s.send("POST", "/", "known", "x"); status != http.StatusServiceUnavailable {
			t.Fatalf("a third of a known caller is answered with %d", status)
		}
	}
}

func TestPlacesAreForEverybody(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 1, 1<<20, 100)
	s.dial("POST /work HTTP/1.1\r\nHost: x\r\nUser: a\r\nContent-Length: 0\r\n\r\n")
	<-s.begun
	if status, text := s.send("POST", "/", "b", ""); status != http.StatusServiceUnavailable || text != "no place" {
		t.Errorf("%d %s", status, text)
	}
	close(s.end)
}

func TestReadsOfACallerTakeTurns(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 100, 1<<20, 100)
	for range 6 {
		s.dial("GET /work HTTP/1.1\r\nHost: x\r\nUser: a\r\n\r\n")
	}
	s.eventually("all are in flight", func() bool { return s.limits.InFlight() == 6 })
	s.eventually("four are worked on", func() bool { return len(s.begun) == 4 })
	for worked := 5; worked <= 6; worked++ {
		s.end <- struct{}{}
		s.eventually("the next is worked on", func() bool { return len(s.begun) == worked })
	}
	close(s.end)
	s.eventually("all are done", func() bool { return s.limits.InFlight() == 0 })
}

// Others find a processor while one caller reads much.
func TestReadsOfACallerLeaveProcessorsToOthers(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 100, 1<<20, 100)
	wantWorkedOn := min(4, max(1, runtime.GOMAXPROCS(0)/2))
	s.send("POST", "/", "b", "")
	for range 3 {
		s.dial("GET /work HTTP/1.1\r\nHost: x\r\nUser: a\r\n\r\n")
		s.dial("POST /document HTTP/1.1\r\nHost: x\r\nUser: a\r\nContent-Length: 0\r\n\r\n")
	}
	s.eventually("all are in flight", func() bool { return s.limits.InFlight() == 6 })
	s.eventually("some are worked on", func() bool { return len(s.begun) == wantWorkedOn })
	for range 5 {
		s.send("GET", "/", "b", "")
	}
	if worked := len(s.begun); worked != wantWorkedOn {
		t.Errorf("%d reads are worked on at once, want %d", worked, wantWorkedOn)
	}
	close(s.end)
	s.eventually("all are done", func() bool { return s.limits.InFlight() == 0 })
}

func TestBytesOfAnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 100, 40<<20, 100) // 10 MiB a caller, and four answers in all
	for i, user := range []string{"a", "b", "c", "d"} {
		s.dial("POST /answer HTTP/1.1\r\nHost: x\r\nUser: " + user + "\r\nContent-Length: 0\r\n\r\n")
		<-s.begun
		want := "You have too many requests"
		if i == 3 {
			s.dial("POST /answer HTTP/1.1\r\nHost: x\r\nUser: e\r\nContent-Length: 0\r\n\r\n")
			<-s.begun
			want = "overloaded"
		}
		if status, text := s.send("POST", "/answer", user, ""); status != http.StatusServiceUnavailable || !strings.Contains(text, want) {
			t.Errorf("a second answer of %s: %d %s", user, status, text)
		}
	}
	if held := s.limits.BytesHeld(); held != 40<<20 {
		t.Errorf("%d bytes are held", held)
	}
	if status, text := s.send("POST", "/", "innocent", "hello"); status != http.StatusOK || text != "hello" {
		t.Errorf("a small request: %d %s", status, text)
	}
	s.limits.StopWaiting(0)
	s.eventually("the answers that nobody reads are given up", func() bool { return s.limits.BytesHeld() == 0 && s.limits.InFlight() == 0 })
}

func TestBytesOfBodiesAreBounded(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 100, 1<<20, 100)
	large := strings.Repeat("x", 200<<10)
	s.dial("POST / HTTP/1.1\r\nHost: x\r\nUser: a\r\nContent-Length: 300000\r\n\r\n" + large)
	s.eventually("it is counted", func() bool { return s.limits.BytesHeld() >= 200<<10 })
	if status, text := s.send("POST", "/", "a", large); status != http.StatusServiceUnavailable || !strings.Contains(text, "You have too many requests") {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := s.send("POST", "/", "b", large); status != http.StatusOK {
		t.Errorf("another caller: %d", status)
	}
	s.limits.StopWaiting(0)
	s.eventually("the body that does not come is given up", func() bool { return s.limits.BytesHeld() == 0 && s.limits.InFlight() == 0 })
}

func TestBodiesOfStrangersAreShortAndComeSoon(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 100, 1<<20, 100)
	for size, want := range map[int]int{16 << 10: http.StatusOK, 16<<10 + 1: http.StatusRequestEntityTooLarge} {
		if status, _ := s.send("POST", "/", "", strings.Repeat("x", size)); status != want {
			t.Errorf("%d bytes: %d, want %d", size, status, want)
		}
	}
	begun := time.Now()
	resp, err := http.ReadResponse(bufio.NewReader(s.dial("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhal")), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest || !resp.Close || time.Since(begun) < 4*time.Second {
		t.Errorf("%s after %v", resp.Status, time.Since(begun))
	}
}

// TestARequestIsNotCancelledByTheTimeForItsBody has a request of a stranger, whose body had to come soon.
func TestARequestIsNotCancelledByTheTimeForItsBody(t *testing.T) {
	t.Parallel()
	limits := httpcall.NewLimits(10, 1<<20, 10)
	settings := httpcall.Settings{}.WithDefaults()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := settings.NewCall("/", w, r)
		defer c.Finish(nil)
		if _, err := c.ReadBody(100); err != nil {
			t.Error(err)
		}
		select {
		case <-r.Context().Done():
			t.Error(context.Cause(r.Context()))
		case <-time.After(6 * time.Second): // the time for the body is 5 s
		}
		c.Write(http.StatusOK, "text/plain", nil)
	}))
	server.Config.ConnContext, server.Config.ConnState = limits.AddConnection, limits.TrackConnection
	server.Start()
	defer server.Close()
	resp, err := http.Post(server.URL, "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
}

func TestSilentConnectionsMakeRoom(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 100, 1<<20, 3)
	s.dial("POST /work HTTP/1.1\r\nHost: x\r\nUser: a\r\nContent-Length: 0\r\n\r\n")
	<-s.begun
	first := s.dial("")
	second := s.dial("")
	third := s.dial("")
	if _, err := first.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the oldest silent connection: %v", err)
	}
	for _, conn := range []net.Conn{third, second} {
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nUser: b\r\nContent-Length: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("a connection that was left: %v", err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("a connection that was left: %v", resp)
		}
	}
	close(s.end)
}

// TestUrgentRequestsFindAPlaceAmongACrowd fills all places that others may have.
func TestUrgentRequestsFindAPlaceAmongACrowd(t *testing.T) {
	t.Parallel()
	s := newLimited(t, 16, 1<<20, 100)
	for i := range 14 {
		s.dial("POST /work HTTP/1.1\r\nHost: x\r\nUser: agent " + strconv.Itoa(i) + "\r\nContent-Length: 0\r\n\r\n")
		<-s.begun
	}
	for range 3 {
		if status, text := s.send("POST", "/", "one more", ""); status != http.StatusServiceUnavailable || text != "no place" {
			t.Errorf("one more: %d %s", status, text)
		}
		if status, text := s.send("POST", "/urgent", "accepting", "x"); status != http.StatusOK {
			t.Errorf("an urgent one: %d %s", status, text)
		}
	}
	close(s.end)
}
