package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// watchedAPI returns an API that writes its warnings and errors to log, and sends the status of each answer.
func watchedAPI(s *testkit.Server, log io.Writer, change func(*rest.Options)) (*rest.API, <-chan int) {
	statuses := make(chan int, 100)
	return surfaceAPI(s, func(o *rest.Options) {
		o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		o.Observe = func(_, _ string, status int, _ time.Duration) { statuses <- status }
		if change != nil {
			change(o)
		}
	}), statuses
}

func TestABodyThatBreaksOffIsMalformed(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var log strings.Builder
		api, statuses := watchedAPI(s, &log, nil)
		server := httptest.NewServer(api)
		defer server.Close()
		for _, c := range []struct {
			path, token, message string
			status               int
		}{
			{clustersPath, testkit.AdminToken, "The body can't be read", 400},
			{testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID, "pause_dispatch"), testkit.AdminToken, "The body can't be read", 400},
			{clustersPath, "token-that-nobody-has", "Authentication required. Please supply a valid API Access Token: " + s.URL + "/docs#authentication", 401},
		} {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", c.path, c.token)
			_ = conn.(*net.TCPConn).CloseWrite()
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			_ = conn.Close()
			if observed := <-statuses; resp.StatusCode != c.status || observed != c.status || string(body) != `{"message":"`+c.message+`"}` {
				t.Errorf("%s: %s %s, counted as %d", c.path, resp.Status, body, observed)
			}
		}
		if log.Len() > 0 {
			t.Errorf("the log has %s", &log)
		}
	})
}

func TestClientsThatGoAwayAreNoServerErrors(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, request := range []struct{ method, path, body string }{
			{"GET", clustersPath, ""},
			{"GET", "/v2/user", ""},
			{"GET", organizationPath + "/usage", ""},
			{"POST", clustersPath, `{"name": "Left behind"}`},
			{"DELETE", testkit.ClusterPath(testkit.MaintainedID), ""},
		} {
			var log strings.Builder
			ctx, leave := context.WithCancel(t.Context())
			api, statuses := watchedAPI(s, &log, func(o *rest.Options) {
				o.Service = service.New(service.Options{Core: core.New(core.Options{DB: s.DB, Now: func() time.Time {
					leave() // within the operation
					return s.Clock.Now()
				}})})
			})
			r := httptest.NewRequest(request.method, request.path, strings.NewReader(request.body)).WithContext(ctx)
			r.Header.Set("Authorization", "Bearer "+testkit.AdminToken)
			r.Header.Set("Content-Type", "application/json")
			api.ServeHTTP(httptest.NewRecorder(), r)
			if status := <-statuses; status >= 500 || log.Len() > 0 {
				t.Errorf("%s %s is counted as %d, and the log has %s", request.method, request.path, status, &log)
			}
		}
	})
}
