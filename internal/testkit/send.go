package testkit

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Send sends a request to an address, with a body, which is JSON if there is one, and headers, each with its value. Redirects are
// followed.
func Send(t testing.TB, method, address, content string, header ...string) Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if content != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer := Answer{Status: resp.StatusCode, Header: resp.Header}
	if answer.Body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return answer
}
