package endpoint_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

type lenientBody struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

type lenientAnswer struct {
	Name string `json:"name"`
	Nick string `json:"nick,omitzero"`
}

// newLenientAPI returns a lenient API that counts how often it identifies somebody.
func newLenientAPI(identified *int) *endpoint.API {
	greet := func(c *endpoint.Call) (any, error) {
		in := lenientBody{Name: "nobody"}
		if err := c.Decode(&in); err != nil {
			return nil, err
		}
		if in.Name == "new" {
			c.SetStatus(http.StatusCreated)
		}
		return lenientAnswer{Name: in.Name}, nil
	}
	return endpoint.New(endpoint.Options{
		Scheme: "Token", MaxBody: 20 << 10, Lenient: true, Unknown: "/v3/unknown",
		NewActor: func(token string, address netip.Addr) authz.Actor {
			return authz.AgentActor(authz.AgentToken, token, address)
		},
		Identify: func(_ context.Context, actor authz.Actor) (string, error) {
			*identified++
			if actor.Credential.Hash != domain.HashToken("good") {
				return "", domain.NewError(domain.Unauthenticated, "Who is it?")
			}
			return "it", nil
		},
	}, []endpoint.Endpoint{
		{Method: http.MethodPost, Path: "/v3/greet", Body: lenientBody{}, Status: http.StatusOK, OtherStatus: http.StatusCreated, Handle: greet},
		{Method: http.MethodPut, Path: "/v3/greet", Body: lenientBody{}, MaxBody: 10, Status: http.StatusOK, Handle: greet},
		{Method: http.MethodGet, Path: "/v3/nothing/{id}", Status: http.StatusOK, Handle: func(c *endpoint.Call) (any, error) {
			if c.PathText("id") == "" {
				return nil, domain.NewError(domain.NotFound, "No \xff found")
			}
			return nil, nil
		}},
		{Method: http.MethodDelete, Path: "/v3/nothing/{id}", Status: http.StatusNoContent, Handle: func(*endpoint.Call) (any, error) { return nil, nil }},
		{Method: http.MethodGet, Alias: http.MethodHead, Path: "/v3/file", Status: http.StatusOK, Handle: func(c *endpoint.Call) (any, error) {
			_, err := io.WriteString(c.W, "<file>")
			return endpoint.Written{}, err
		}},
		{Method: http.MethodPost, Path: "/raw", Status: http.StatusOK, Raw: func(c *endpoint.Call) {
			c.RecordStatus(http.StatusTeapot)
			c.W.WriteHeader(http.StatusTeapot)
		}},
		{Method: http.MethodGet, Path: "/v3/refused", Status: http.StatusOK, Handle: func(c *endpoint.Call) (any, error) { return nil, c.Identify() }},
		{Method: http.MethodGet, Path: "/v3/broken", Status: http.StatusOK, Handle: func(*endpoint.Call) (any, error) { return nil, errors.New("a secret") }},
	})
}

func TestALenientAPI(t *testing.T) {
	t.Parallel()
	identified := 0
	api := newLenientAPI(&identified)
	long := `{"name":"` + strings.Repeat("b", 17<<10) + `"}`
	for _, c := range []struct {
		method, path, authorization, body string
		status                            int
		want                              string // without the line break at the end of a success
		identified                        int
	}{
		{"POST", "/v3/greet", "", `{"name":"<b>","more":{"a":1}}`, 200, `{"name":"<b>"}`, 0},
		{"POST", "/v3/greet", "", `{"NAME":"b","name":"c"}`, 200, `{"name":"c"}`, 0},
		{"POST", "/v3/greet", "", `{"name":"new"}`, 201, `{"name":"new"}`, 0},
		{"POST", "/v3/greet", "", ``, 200, `{"name":"nobody"}`, 0},
		{"POST", "/v3/greet", "", `null`, 200, `{"name":"nobody"}`, 0},
		{"POST", "/v3/greet", "", `[]`, 400, `{"message":"The body must be a JSON object"}`, 0},
		{"POST", "/v3/greet", "", `{"name":1}`, 400, "{\"message\":\"`name` has the wrong type: number\"}", 0},
		{"POST", "/v3/greet", "", "{\"name\":\"\xff\"}", 400, `{"message":"The body must be valid UTF-8"}`, 0},
		{"POST", "/v3/greet", "", long, 401, `{"message":"Who is it?"}`, 1},
		{"POST", "/v3/greet", "Token good", long, 200, long, 1},
		{"POST", "/v3/greet", "Token good", `{"name":"` + strings.Repeat("b", 30<<10) + `"}`, 413, `{"message":"The body is too large: at most 20480 bytes are taken here"}`, 1},
		{"PUT", "/v3/greet", "", `{"name":"b"}`, 413, `{"message":"The body is too large: at most 10 bytes are taken here"}`, 0},
		{"GET", "/v3/nothing/a", "", "", 200, `{}`, 0},
		{"GET", "/v3/nothing/%FF", "", "", 404, `{"message":"No ` + "\ufffd" + ` found"}`, 0},
		{"DELETE", "/v3/nothing/a", "", "", 204, ``, 0},
		{"HEAD", "/v3/nothing/a", "", "", 405, `{"message":"Method not allowed"}`, 0},
		{"OPTIONS", "/v3/greet", "", "", 405, `{"message":"Method not allowed"}`, 0},
		{"GET", "/v3/file", "", "", 200, `<file>`, 0},
		{"PATCH", "/raw", "", "", 418, ``, 0},
		{"GET", "/v3/refused", "Bearer good", "", 401, `{"message":"Who is it?"}`, 1},
		{"GET", "/v3/broken", "", "", 500, `{"message":"Something went wrong on our side. Please try again."}`, 0},
		{"GET", "/v3/greet/more", "", "", 404, `{"message":"Not found"}`, 0},
		{"GET", "/v3//greet", "", "", 404, `{"message":"Not found"}`, 0},
	} {
		identified = 0
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Authorization", c.authorization)
		r.Header.Set("Content-Type", "text/plain")
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, r)
		if got := strings.TrimSuffix(answer.Body.String(), "\n"); answer.Code != c.status || got != c.want {
			t.Errorf("%s %s %.50s: %d %.200s, want %d %.200s", c.method, c.path, c.body, answer.Code, got, c.status, c.want)
		}
		if identified != c.identified {
			t.Errorf("%s %s %.50s: identified %d times, want %d", c.method, c.path, c.body, identified, c.identified)
		}
		for _, name := range []string{"Allow", "Www-Authenticate", "Etag", "Access-Control-Allow-Origin"} {
			if value := answer.Header().Get(name); value != "" {
				t.Errorf("%s %s: %s is %s", c.method, c.path, name, value)
			}
		}
	}
}
