package graph_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
	"penstock/internal/testkit"
)

// wantOnlyMessage checks that an answer has the status, and no more in it than one error's message.
func wantOnlyMessage(t *testing.T, a *testkit.Answer, status int, message string) {
	t.Helper()
	a.WantMessage(t, status, message)
	if failures, _ := a.Object()["errors"].([]any); len(a.Object()) != 1 || len(failures) != 1 || len(failures[0].(item)) != 1 {
		t.Errorf("want nothing but a message: %s", a)
	}
	if a.Header.Get("Content-Type") != "application/json; charset=utf-8" || a.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s has the headers %v", a, a.Header)
	}
}

const (
	badBody      = "The body must be a JSON object with a query, and may have variables and an operationName"
	badVariables = "The variables must be a JSON object, or a string that holds one"
)

func TestHTTPRequests(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		send := func(body string, header map[string]string) *testkit.Answer {
			return s.Do(testkit.Request{Method: http.MethodPost, Path: "/v1", Token: testkit.AdminToken, Body: body, Header: header})
		}
		const query = `"query": "query A($slug: ID = \"nothing\") { organization(slug: $slug) { slug } } query B { viewer { user { name } } }"`
		acme, nothing, viewer := `{"data":{"organization":{"slug":"acme-inc"}}}`, `{"data":{"organization":null}}`, `{"data":{"viewer":{"user":{"name":"Admin"}}}}`
		for body, want := range map[string]string{
			`{` + query + `, "operationName": "A", "variables": {"slug": "acme-inc"}}`:               acme,
			`{` + query + `, "operationName": "A", "variables": "{\"slug\": \"acme-inc\"}"}`:         acme,
			`{` + query + `, "operationName": "A", "variables": {"slug": "acme-inc", "more": [{}]}}`: acme,
			`{` + query + `, "operationName": "A", "variables": null}`:                               nothing,
			`{` + query + `, "operationName": "A", "variables": "null"}`:                             nothing,
			`{` + query + `, "operationName": "A", "variables": ""}`:                                 nothing,
			`{` + query + `, "operationName": "A", "variables": "{}"}`:                               nothing,
			`{` + query + `, "operationName": "A"}`:                                                  nothing,
			`{` + query + `, "operationName": "B", "extensions": {"x": 1}, "unknown": true}`:         viewer,
			`  {"query":"{ viewer { user { name } } }", "operationName": null}` + "\n":               viewer,
			`{"query":"{ viewer { user { name } } }", "operationName": ""}`:                          viewer,
			`{"query":"\ufeff{ viewer { user { name } } # é \ud83d\ude80\n }"}`:                      viewer,
			`{` + query + `}`:                                                           `{"errors":[{"message":"Must provide operation name if query contains multiple operations."}]}`,
			`{` + query + `, "operationName": "C"}`:                                     `{"errors":[{"message":"Unknown operation named \"C\"."}]}`,
			`{"query":"query A { viewer { id }", "x":1}`:                                "",
			`{"query":"{ nothing }"}`:                                                   "",
			`{"query":"subscription { x }"}`:                                            "",
			`{"query":"fragment F on Query { viewer { id } }"}`:                         "",
			`{"query":"query ($x: ID!) { node(id: $x) { id } }"}`:                       "",
			`{"query":"query ($x: ID!) { node(id: $x) { id } }", "variables":{"x":{}}}`: "",
		} {
			answer := send(body, nil)
			if want == "" {
				if failures, _ := answer.Object()["errors"].([]any); answer.Status != 200 || len(failures) == 0 || answer.Object()["data"] != nil {
					t.Errorf("%s → %s", body, answer)
				}
				continue
			}
			if answer.Status != 200 || string(answer.Body) != want || answer.Header.Get("Content-Type") != "application/json; charset=utf-8" {
				t.Errorf("%s → %s", body, answer)
			}
		}
		for body, message := range map[string]string{
			``: badBody, `[]`: badBody, `"x"`: badBody, `null`: badBody, `{`: badBody, `{"query": "{ viewer { id } }"} {}`: badBody,
			`[{"query": "{ viewer { id } }"}]`: badBody, `{"query": 1}`: badBody, `{"query": "{ viewer { id } }", "query": "{ viewer { id } }"}`: badBody,
			`{"query": "{ viewer { id } }", "operationName": 1}`: badBody, `{"query": "\ud800"}`: badBody, "{\"query\": \"\xff\"}": badBody,
			`{}`: "The body must have a query", `{"query": null}`: "The body must have a query", `{"query": ""}`: "The body must have a query",
			`{"query": "{ viewer { id } }", "variables": []}`:      badVariables,
			`{"query": "{ viewer { id } }", "variables": 1}`:       badVariables,
			`{"query": "{ viewer { id } }", "variables": true}`:    badVariables,
			`{"query": "{ viewer { id } }", "variables": "[]"}`:    badVariables,
			`{"query": "{ viewer { id } }", "variables": "1"}`:     badVariables,
			`{"query": "{ viewer { id } }", "variables": "{} {}"}`: badVariables,
			`{"query": "{ viewer { id } }", "variables": "junk"}`:  badVariables,
			`{"query": "{ viewer { id } }", "variables": "\"\""}`:  badVariables,
		} {
			wantOnlyMessage(t, send(body, nil), 400, message)
		}
		const good = `{"query": "{ __typename }"}`
		for media, status := range map[string]int{"application/json": 200, "application/json; charset=utf-8": 200, "APPLICATION/JSON": 200, "": 415, "text/plain": 415,
			"application/graphql": 415, "application/json, text/plain": 415, "application/graphql-response+json": 415, "multipart/form-data; boundary=x": 415} {
			answer := send(good, map[string]string{"Content-Type": media}).Want(t, status)
			if status == 415 {
				wantOnlyMessage(t, answer, 415, "The body must have the content type application/json")
			}
		}
		wantOnlyMessage(t, send(`{"query": "`+strings.Repeat(" ", 1<<20)+`"}`, nil), 413, "The body is larger than 1048576 bytes")
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, "QUERY"} {
			answer := s.Do(testkit.Request{Method: method, Path: "/v1?query=%7B__typename%7D", Token: testkit.AdminToken})
			if method != http.MethodHead {
				wantOnlyMessage(t, answer, 405, "Method not allowed. Send a POST request")
			}
			if answer.Status != 405 || answer.Header.Get("Allow") != "OPTIONS, POST" {
				t.Errorf("%s has Allow %q", answer, answer.Header.Get("Allow"))
			}
		}
		// What is asked for first decides: method, who asks, media type, body.
		wantOnlyMessage(t, s.Do(testkit.Request{Method: http.MethodPut, Path: "/v1"}), 405, "Method not allowed. Send a POST request")
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/v1", Body: "junk", Header: map[string]string{"Content-Type": "text/plain"}}).Want(t, 401)
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/v1", Token: testkit.ReadOnlyToken, Body: "junk", Header: map[string]string{"Content-Type": "text/plain"}}).Want(t, 403)
		send("junk", map[string]string{"Content-Type": "text/plain"}).Want(t, 415)
		if id := send(good, map[string]string{"X-Request-Id": "my-request.7"}).Header.Get("X-Request-Id"); id != "my-request.7" {
			t.Errorf("the request id became %q", id)
		}
		if id := send(good, map[string]string{"X-Request-Id": "my request"}).Header.Get("X-Request-Id"); id == "my request" || id == "" {
			t.Errorf("the request id is %q", id)
		}
	})
}

func TestCrossOriginRequests(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		preflight := s.Do(testkit.Request{Method: http.MethodOptions, Path: "/v1", Header: map[string]string{"Origin": "https://example.com",
			"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}}).Want(t, 204)
		for name, want := range map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "OPTIONS, POST", "Access-Control-Max-Age": "86400",
			"Access-Control-Allow-Headers": "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key", "Access-Control-Allow-Credentials": ""} {
			if got := preflight.Header.Get(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		const origin = "https://example.com"
		for _, answer := range []*testkit.Answer{preflight, s.GraphQL(testkit.AdminToken, `{ __typename }`, nil), s.GraphQL("", `{ __typename }`, nil),
			s.Do(testkit.Request{Method: http.MethodGet, Path: "/v1", Header: map[string]string{"Origin": origin}})} {
			if answer.Header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s has no Access-Control-Allow-Origin", answer)
			}
			exposed := strings.Split(answer.Header.Get("Access-Control-Expose-Headers"), ", ")
			for _, name := range []string{"Link", "ETag", "Retry-After", "X-Request-Id", "RateLimit-Scope", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
				"RateLimit-User-Scope", "RateLimit-User-Limit", "RateLimit-User-Remaining", "RateLimit-User-Reset", "RateLimit-Complexity-Requested", "RateLimit-Complexity-Actual"} {
				if !strings.Contains(", "+strings.Join(exposed, ", ")+", ", ", "+name+", ") {
					t.Errorf("%s does not expose %s", answer, name)
				}
			}
		}
	})
}

// Nothing but a bearer token of a user proves who asks here.
func TestOtherCredentialsAreWorthNothing(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		portal := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals", map[string]any{"name": "P", "query": "{ organization(slug: \"acme-inc\") { name } }"}).Want(t, 201)
		agent := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), map[string]any{"description": "d"}).Want(t, 201)
		testkit.Exec(t, s.DB, `INSERT INTO user_sessions (hash, id, user_id, address, user_agent, created_at, expires_at) VALUES ($1, 'session', $2, '127.0.0.1', '', 0, $3)`,
			domain.HashToken("value-of-a-session"), testkit.AdminID, int64(1)<<60)
		const query = `{"query": "{ viewer { id } }"}`
		for what, header := range map[string]map[string]string{
			"a portal's token":     {"Authorization": "Bearer " + portal.Text("token")},
			"an agent's token":     {"Authorization": "Bearer " + agent.Text("token")},
			"a session":            {"Authorization": "Bearer value-of-a-session"},
			"a session's cookie":   {"Cookie": "penstock_session=value-of-a-session; session=value-of-a-session; __Host-penstock_session=value-of-a-session"},
			"a token in a cookie":  {"Cookie": "Authorization=" + testkit.AdminToken + "; access_token=" + testkit.AdminToken},
			"a token as password":  {"Authorization": "Basic " + "YWRtaW46dG9rZW4tb2YtdGhlLWFkbWluaXN0cmF0b3I="},
			"a token in a header":  {"X-Api-Key": testkit.AdminToken},
			"a token with a space": {"Authorization": "Bearer " + testkit.AdminToken + " x"},
		} {
			answer := s.Do(testkit.Request{Method: http.MethodPost, Path: "/v1?access_token=" + testkit.AdminToken, Body: query, Header: header})
			if answer.Status != 401 {
				t.Errorf("%s: %s", what, answer)
			}
		}
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/portal/organizations/acme-inc/portals/p", Token: portal.Text("token")}).Want(t, 200)
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/portal/organizations/acme-inc/portals/p", Token: testkit.AdminToken}).Want(t, 401)
	})
}

func TestUnknownPathsBelowTheAddress(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		api := graph.New(graph.Options{Service: s.Service, Reader: s.Reader, BaseURL: s.URL})
		for _, path := range []string{"/v1/", "/v1/graphql", "/v1//"} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
				recorder := httptest.NewRecorder()
				api.ServeHTTP(recorder, httptest.NewRequest(method, path, nil))
				if recorder.Code != 404 || recorder.Body.String() != `{"errors":[{"message":"Not found"}]}` || recorder.Header().Get("X-Request-Id") == "" {
					t.Errorf("%s %s → %d %s", method, path, recorder.Code, recorder.Body)
				}
			}
		}
	})
}

// TestComplexity checks the figures that the contract names, and some more.
func TestComplexity(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		fillOrganization(t, s)
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": "Two", "repository": "r"}).Want(t, 201)
		for _, c := range []struct{ query, requested, actual string }{
			{`{ organization(slug: "acme-inc") { pipelines(first: 500) { edges { node { slug } } } } }`, "503", "5"},
			{`{ organization(slug: "acme-inc") { pipelines { edges { node { slug } } } } }`, "503", "5"},
			{`query { organization(slug: "acme-inc") { pipelines(last: 7) { count edges { cursor node { slug } } pageInfo { endCursor } } } }`, "11", "6"},
			{`{ organization(slug: "acme-inc") { pipelines(first: 7) { nodes { slug teams(first: 2) { nodes { team { id } } } } } } }`, "44", "8"},
			{`{ organization(slug: "nothing") { pipelines(first: 500) { edges { node { slug } } } } }`, "503", "0"},
			{`{ organization(slug: "acme-inc") { name uuid public } }`, "1", "1"},
			{`{ a: viewer { id } b: viewer { user { id } } }`, "3", "3"},
			{`{ __typename }`, "0", "0"},
			{`{ __schema { types { name fields { name } } } }`, "0", "0"},
		} {
			answer := s.GraphQL(testkit.AdminToken, c.query, nil)
			wantData(t, answer)
			if requested, actual := answer.Header.Get("RateLimit-Complexity-Requested"), answer.Header.Get("RateLimit-Complexity-Actual"); requested != c.requested || actual != c.actual {
				t.Errorf("%s costs %s, and really %s; want %s and %s", c.query, requested, actual, c.requested, c.actual)
			}
		}
		answer := s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { pipelines(first: 500) { edges { node { teams(first: 500) { edges { node { id } } } } } } } }`, nil)
		if want := `{"errors":[{"message":"Query has complexity of 251503, which exceeds max complexity of 50000"}]}`; answer.Status != 200 || string(answer.Body) != want ||
			answer.Header.Get("RateLimit-Complexity-Requested") != "251503" || answer.Header.Get("RateLimit-Complexity-Actual") != "0" {
			t.Errorf("%s %v", answer, answer.Header)
		}
		variable := s.GraphQL(testkit.AdminToken, `query ($n: Int) { organization(slug: "acme-inc") { pipelines(first: $n) { edges { node { teams(first: $n) { edges { node { id } } } } } } } }`, map[string]any{"n": 500})
		if string(variable.Body) != string(answer.Body) {
			t.Errorf("%s", variable)
		}
		least := s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { pipelines(first: 220) { edges { node { teams(first: 224) { edges { node { id } } } } } } } }`, nil)
		wantData(t, least) // 49,943
	})
}

// TestInternalErrorsAreLoggedWithTheRequest looks for the request's id in the log, and for the error's text only there.
func TestInternalErrorsAreLoggedWithTheRequest(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		fillOrganization(t, s)
		testkit.Exec(t, s.DB, `DROP TABLE pipeline_favorites`)
		var log bytes.Buffer
		api := graph.New(graph.Options{
			Settings: httpcall.Settings{Now: s.Clock.Now, Logger: slog.New(slog.NewTextHandler(&log, nil))}, Service: s.Service, Reader: s.Reader, BaseURL: s.URL})
		request := httptest.NewRequest(http.MethodPost, "/v1", strings.NewReader(`{"query": "{ pipeline(slug: \"acme-inc/web\") { favorite } }"}`))
		request.Header.Set("Authorization", "Bearer "+testkit.AdminToken)
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		api.ServeHTTP(recorder, request)
		if body := recorder.Body.String(); !strings.Contains(body, `"Internal server error"`) || strings.Contains(body, "pipeline_favorites") {
			t.Errorf("%d %s", recorder.Code, body)
		}
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `msg="internal error"`) && strings.Contains(line, "request_id="+recorder.Header().Get("X-Request-Id")+" ") && strings.Contains(line, "pipeline_favorites") {
				return
			}
		}
		t.Errorf("the log has %s", log.String())
	})
}

func TestCallersWhoGoAwayAreCountedAsGone(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var statuses []int
		var log bytes.Buffer
		ctx, leave := context.WithCancel(t.Context())
		now := func() time.Time {
			leave() // within the operation
			return s.Clock.Now()
		}
		shared := core.New(core.Options{DB: s.DB, Now: now})
		api := graph.New(graph.Options{Settings: httpcall.Settings{
			Logger:  slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Observe: func(_, _ string, status int, _ time.Duration) { statuses = append(statuses, status) },
		}, Service: service.New(service.Options{Core: shared}), Reader: read.New(shared), BaseURL: s.URL})
		request := httptest.NewRequest(http.MethodPost, "/v1", strings.NewReader(`{"query": "{ viewer { user { name } } }"}`)).WithContext(ctx)
		request.Header.Set("Authorization", "Bearer "+testkit.AdminToken)
		request.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(httptest.NewRecorder(), request)
		if !slices.Equal(statuses, []int{httpcall.StatusCallerGone}) || log.Len() > 0 {
			t.Errorf("counted as %v, and the log has %s", statuses, &log)
		}
	})
}
