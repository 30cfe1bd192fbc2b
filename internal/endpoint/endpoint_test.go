package endpoint_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/httpcall"
)

type greetingBody struct {
	Name domain.Optional[string] `json:"name"`
}

type greetingAnswer struct {
	Greeting string `json:"greeting"`
}

// newAgentAPI returns an API that is unlike the REST API: another scheme and other limits, and not for scripts of other sites.
func newAgentAPI(allowed int) *endpoint.API {
	errUnknown := domain.NewError(domain.Unauthenticated, "unknown")
	admit := func(_ context.Context, actor authz.Actor, _ string) (authz.Admission, error) {
		if actor.Credential.Hash != domain.HashToken("good") {
			return authz.Admission{}, errUnknown
		}
		return authz.Admission{User: "user"}, nil
	}
	return endpoint.New(endpoint.Options{
		BaseURL: "http://localhost", Scheme: "Token", Unauthenticated: "Send an agent token", MaxBody: 64,
		NewActor: func(token string, address netip.Addr) authz.Actor {
			return authz.TokenActor(authz.REST, token, address)
		},
		Admit:     admit,
		UserLimit: httpcall.NewLimiter("agent", "RateLimit-Agent-", allowed, time.Minute),
	}, []endpoint.Endpoint{{
		Method: http.MethodPost, Alias: http.MethodPut, Path: "/v3/{agent}/greet", Body: greetingBody{}, StrictBody: true, Status: http.StatusCreated,
		Handle: func(c *endpoint.Call) (any, error) {
			name, err := endpoint.ReadBody(c, func(b greetingBody) string { return b.Name.Value })
			return greetingAnswer{c.Path("agent") + " greets " + name}, err
		},
	}})
}

func send(api http.Handler, method, path, authorization, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", authorization)
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	return answer
}

func TestAnotherAPIIsServedItsOwnWay(t *testing.T) {
	t.Parallel()
	api := newAgentAPI(0)
	for _, c := range []struct {
		method, path, authorization, body string
		status                            int
		want                              string
	}{
		{"POST", "/v3/a/greet", "Token good", `{"name":"b"}`, 201, `{"greeting":"a greets b"}`},
		{"PUT", "/v3/a/greet", "token good", `{"name":"b"}`, 201, `{"greeting":"a greets b"}`},
		{"POST", "/v3/a/greet", "Bearer good", `{"name":"b"}`, 401, `{"message":"Send an agent token"}`},
		{"POST", "/v3/a/greet", "Token bad", `{"name":"b"}`, 401, `{"message":"Send an agent token"}`},
		{"POST", "/v3/a/greet", "Token good", `{"name":"` + strings.Repeat("b", 64) + `"}`, 413, `{"message":"The body is too large: at most 64 bytes is accepted"}`},
		{"POST", "/v3/a/greet", "Token good", `{"more":1}`, 422, `{"message":"Validation failed: more is not a field that can be set"}`},
		{"OPTIONS", "/v3/a/greet", "", "", 405, `{"message":"Method not allowed. Allowed here: POST, PUT"}`},
		{"GET", "/v3/nothing", "", "", 404, `{"message":"Not found"}`},
	} {
		answer := send(api, c.method, c.path, c.authorization, c.body)
		if answer.Code != c.status || answer.Body.String() != c.want {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.authorization, answer.Code, answer.Body, c.status, c.want)
		}
		if answer.Header().Get("Access-Control-Allow-Origin") != "" || answer.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s %s: %v", c.method, c.path, answer.Header())
		}
		if challenge := answer.Header().Get("WWW-Authenticate"); (challenge == "Token") != (c.status == 401) {
			t.Errorf("%s %s: WWW-Authenticate is %q", c.method, c.path, challenge)
		}
	}
}

func TestAnotherAPIHasItsOwnLimits(t *testing.T) {
	t.Parallel()
	api := newAgentAPI(1)
	for _, want := range []int{201, 429} {
		answer := send(api, "POST", "/v3/a/greet", "Token good", `{"name":"b"}`)
		if answer.Code != want || answer.Header().Get("RateLimit-Agent-Limit") != "1" {
			t.Errorf("%d %v, want %d", answer.Code, answer.Header(), want)
		}
	}
}
