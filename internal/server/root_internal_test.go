package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"penstock/internal/httpcall"
)

// Files go from the disk to the connection without a copy in between, and a long answer can have a deadline of its own.
func TestHandlersReachTheConnection(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		controller := http.NewResponseController(w)
		if err := controller.SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Errorf("an answer can't have a deadline of its own: %v", err)
		}
		if _, ok := w.(io.ReaderFrom); !ok {
			t.Errorf("%T hides io.ReaderFrom", w)
		}
		conn, _, err := controller.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if _, ok := conn.(*net.TCPConn); !ok {
			t.Errorf("the connection is a %T", conn)
		}
		_ = conn.Close()
	})
	server := httptest.NewServer(&root{pages: handler, limits: httpcall.NewLimits(1, 1, 1)})
	defer server.Close()
	if resp, err := http.Get(server.URL); err == nil {
		_ = resp.Body.Close()
		t.Error("the connection was not taken")
	}
}

// TestAnAcceptFindsAPlaceAmongPings fills the places with pings that take long.
func TestAnAcceptFindsAPlaceAmongPings(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	agents := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v3/ping" {
			begun <- struct{}{}
			<-end
		}
		w.WriteHeader(http.StatusOK)
	})
	const places, others = 16, 14
	limits := httpcall.NewLimits(places, 1<<20, 100)
	h := &root{surfaces: map[string]http.Handler{"v3": agents}, limits: limits, calls: httpcall.Settings{}.WithDefaults()}
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnContext, server.Config.ConnState = limits.AddConnection, limits.TrackConnection
	server.Start()
	defer server.Close()
	send := func(method, path string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		if err != nil {
			t.Error(err)
			return 0
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	var pings sync.WaitGroup
	for range others {
		pings.Go(func() { send(http.MethodGet, "/v3/ping") })
		<-begun
	}
	if status := send(http.MethodGet, "/v3/ping"); status != http.StatusServiceUnavailable {
		t.Errorf("one ping more: %d", status)
	}
	for _, call := range []string{"accept", "start", "finish"} {
		if status := send(http.MethodPut, "/v3/jobs/1/"+call); status != http.StatusOK {
			t.Errorf("%s among pings: %d", call, status)
		}
	}
	close(end)
	pings.Wait()
}
