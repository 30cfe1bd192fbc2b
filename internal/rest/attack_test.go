package rest_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/testkit"
)

// What an attack once showed stays shown here.

// Nobody's body is read: it would take memory and time, and a body that never comes would hold a place.
func TestABodyIsReadOnlyFromThoseWithAToken(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for token, status := range map[string]int{"": 401, "token-that-nobody-has": 401} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute)) // the answer comes although the body does not
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", clustersPath, token)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			_ = conn.Close()
			if resp.StatusCode != status {
				t.Errorf("%q: %s", token, resp.Status)
			}
		}
	})
}

// A small body cannot ask for much memory.
func TestListsInBodiesAreBounded(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		many := strings.Repeat("{},", 300_000)
		s.Post(testkit.AdminToken, clustersPath, `{"name": "x", "maintainers": [`+strings.TrimSuffix(many, ",")+`]}`).Want(t, 422)
		var env strings.Builder
		for i := range 50_000 {
			fmt.Fprintf(&env, `"k%d":"",`, i)
		}
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines",
			`{"name": "x", "repository": "r", "env": {`+strings.TrimSuffix(env.String(), ",")+`}}`).
			WantMessage(t, 422, "Validation failed: env must have at most 1000 items")
	})
}
