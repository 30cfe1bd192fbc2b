package rest_test

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// fuzzCheck fails unless an answer is one that a caller of the API may get.
func fuzzCheck(t *testing.T, request *http.Request, a *httptest.ResponseRecorder) {
	t.Helper()
	var value any
	media, _, _ := mime.ParseMediaType(a.Header().Get("Content-Type"))
	switch {
	case a.Code >= 500 || a.Code < 200 || a.Code >= 300 && a.Code < 400,
		a.Header().Get("X-Request-Id") == "",
		a.Code == http.StatusNoContent && a.Body.Len() > 0,
		a.Body.Len() > 0 && (media != "application/json" || json.Unmarshal(a.Body.Bytes(), &value) != nil),
		a.Body.Len() > 2<<20:
		t.Errorf("%s %s: %d %v %.1000s", request.Method, request.URL, a.Code, a.Header(), a.Body)
	}
	if object, _ := value.(map[string]any); a.Code >= 400 && a.Body.Len() > 0 {
		if message, _ := object["message"].(string); message == "" {
			t.Errorf("%s %s: %d without a message: %.1000s", request.Method, request.URL, a.Code, a.Body)
		}
	}
}

// FuzzBodies sends any bytes as the body of any operation that takes one.
func FuzzBodies(f *testing.F) {
	s := testkit.NewServer(f, testkit.OpenDB(f, "sqlite"), testkit.ServerOptions{})
	api := surfaceAPI(s, nil)
	operations := endpointsWith(takesBody)
	var paths []string
	for i, e := range operations {
		paths = append(paths, e.target(f, s))
		f.Add(uint8(i), []byte(e.body))
	}
	send := func(t *testing.T, method, path string, body []byte) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, path, bytes.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+testkit.AdminToken)
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		fuzzCheck(t, request, answer)
		return answer
	}
	f.Fuzz(func(t *testing.T, operation uint8, body []byte) {
		e, path := operations[int(operation)%len(operations)], paths[int(operation)%len(operations)]
		answer := send(t, e.method, path, body)
		if answer.Code >= 300 || answer.Code == http.StatusNoContent || strings.HasSuffix(path, "/invitations") || e.isOfBuilds() || e.path == surfaceBuilds { // which answer with a list, or with what moves on
			return
		}
		// What was stored can be read, and says of itself what the answer said.
		var stored map[string]any
		if err := json.Unmarshal(answer.Body.Bytes(), &stored); err != nil {
			t.Fatal(err)
		}
		thing, resume := strings.CutSuffix(path, "/pause_dispatch")
		if answer.Code == http.StatusCreated {
			if at, ok := stored["url"].(string); ok {
				thing = strings.TrimPrefix(at, s.URL)
			} else if id, ok := stored["id"].(string); ok {
				thing += "/" + id
			} else if slug, ok := stored["slug"].(string); ok {
				thing += "/" + slug
			} else {
				return // of portals' tokens and secrets there are only lists
			}
		}
		read := send(t, "GET", thing, nil)
		if read.Code != 200 || answer.Code == 200 && read.Body.String() != answer.Body.String() {
			t.Errorf("%s with %q answered\n%s\nand is\n%s", e, body, answer.Body, read.Body)
		}
		if resume {
			send(t, "POST", thing+"/resume_dispatch", nil)
		}
		if answer.Code == http.StatusCreated {
			if gone := send(t, "DELETE", thing, nil); gone.Code != 204 {
				t.Errorf("DELETE %s: %d %s", thing, gone.Code, gone.Body)
			}
		}
	})
}

// FuzzTargets sends requests with any method to any path and query.
func FuzzTargets(f *testing.F) {
	s := testkit.NewServer(f, testkit.OpenDB(f, "sqlite"), testkit.ServerOptions{})
	api := surfaceAPI(s, nil)
	token := surfaceTokenOf(f, s, "admin@example.com", func(in *domain.APITokenInput) {
		in.Scopes = slices.DeleteFunc(in.Scopes, func(scope string) bool { return !strings.HasPrefix(scope, "read_") })
	})
	f.Fuzz(func(t *testing.T, method, target, header string) {
		// As net/http reads a request line. What it refuses itself does not get here, nor what is no path.
		u, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(u.Path, "/") || method == "" || method == "DELETE" && u.Path == "/v2/access-token" {
			return
		}
		request := &http.Request{
			Method: method, URL: u, RequestURI: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "example.com", RemoteAddr: "192.0.2.1:1",
			Body: io.NopCloser(strings.NewReader("")),
			Header: http.Header{"Authorization": {"Bearer " + token}, "X-Request-Id": {header}, "If-None-Match": {header}, "If-Match": {header},
				"X-Forwarded-For": {header}, "User-Agent": {header}, "Content-Type": {header}},
		}
		request = request.WithContext(t.Context())
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		if answer.Code == http.StatusNotModified {
			return
		}
		fuzzCheck(t, request, answer)
		for name, values := range answer.Header() {
			if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
				t.Errorf("%s is %q", name, values)
			}
		}
	})
}

// FuzzCursors decodes any text as a cursor. One that is taken is the very one that was given out for its position, which is
// text that a database can look for.
func FuzzCursors(f *testing.F) {
	const list = "cache registries of " + testkit.MaintainedID
	s := testkit.NewServer(f, testkit.OpenDB(f, "sqlite"), testkit.ServerOptions{})
	api := surfaceAPI(s, nil)
	f.Fuzz(func(t *testing.T, cursor, position string) {
		if at, err := domain.DecodeCursor(list, cursor); err == nil && domain.EncodeCursor(list, at) != cursor {
			t.Errorf("%q is taken for %q", cursor, at)
		}
		given := domain.EncodeCursor(list, position)
		if at, err := domain.DecodeCursor(list, given); (err == nil) != domain.ValidText(position) || err == nil && at != position {
			t.Errorf("%q became %q: %v", position, at, err)
		}
		if at, err := domain.DecodeCursor(list+" ", given); err == nil {
			t.Errorf("%q of one list is taken for %q of another", given, at)
		}
		// A position in this list is a slug and an id.
		values, err := json.Marshal([]string{position, "x"})
		inList := domain.EncodeCursor(list, string(values))
		for _, c := range []string{cursor, given, inList} {
			for _, name := range []string{"after", "before"} {
				request := httptest.NewRequest(http.MethodGet, testkit.ClusterPath(testkit.MaintainedID, "cache-registries")+"?"+name+"="+url.QueryEscape(c), nil)
				request.Header.Set("Authorization", "Bearer "+testkit.AdminToken)
				answer := httptest.NewRecorder()
				api.ServeHTTP(answer, request)
				fuzzCheck(t, request, answer)
				if _, err := domain.DecodeCursor(list, c); err != nil && answer.Code == 200 {
					t.Errorf("%s=%q: %d %s", name, c, answer.Code, answer.Body)
				}
				if c == inList && err == nil && (answer.Code == 200) != !strings.Contains(position, "\x00") {
					t.Errorf("%s=%q of %s: %d %s", name, c, values, answer.Code, answer.Body)
				}
			}
		}
	})
}
