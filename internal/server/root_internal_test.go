package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
