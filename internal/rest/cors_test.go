package rest_test

import (
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// corsAnswers returns an answer of each kind.
func corsAnswers(t *testing.T, s *testkit.Server) (answers []*testkit.Answer) {
	t.Helper()
	for _, e := range surface {
		path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
		answers = append(answers, e.call(s, "", path), s.Do(testkit.Request{Method: "PROPFIND", Path: path}))
		if e.method != "DELETE" {
			answers = append(answers, e.call(s, testkit.AdminToken, path))
		}
	}
	user := s.Get(testkit.AdminToken, "/v2/user")
	notModified := s.Do(testkit.Request{Method: "GET", Path: "/v2/user", Token: testkit.AdminToken,
		Header: map[string]string{"If-None-Match": user.Header.Get("ETag")}}).Want(t, 304)
	deleted := s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 204)
	return append(answers, notModified, deleted, s.Get("", "/v2/nothing"), s.Get("", "/v2//nothing"))
}

func TestCORS(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		exposed := []string{"Link", "ETag", "Retry-After", "X-Request-Id", "Idempotency-Replayed",
			"RateLimit-Scope", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
			"RateLimit-User-Scope", "RateLimit-User-Limit", "RateLimit-User-Remaining", "RateLimit-User-Reset"}
		slices.Sort(exposed)
		for _, answer := range corsAnswers(t, s) {
			if got := answer.Header.Values("Access-Control-Allow-Origin"); len(got) != 1 || got[0] != "*" {
				t.Errorf("Access-Control-Allow-Origin is %q: %s", got, answer)
			}
			got := corsList(answer, "Access-Control-Expose-Headers")
			if !slices.Equal(got, exposed) {
				t.Errorf("Access-Control-Expose-Headers is %q: %s", got, answer)
			}
			if answer.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("credentials are let through: %s", answer)
			}
		}
	})
}

func corsList(a *testkit.Answer, header string) []string {
	list := strings.Split(a.Header.Get(header), ", ")
	slices.Sort(list)
	return list
}

func TestCORSPreflight(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range surface {
			// A browser sends neither the token nor the body along, and what is asked about need not exist.
			answer := s.Do(testkit.Request{Method: "OPTIONS", Path: e.at("nowhere", "nothing", "nothing"), Header: map[string]string{
				"Origin": "https://app.example.com", "Access-Control-Request-Method": e.method, "Access-Control-Request-Headers": "authorization,content-type",
			}}).Want(t, 204)
			if got := answer.Header.Get("Access-Control-Allow-Origin"); got != "*" {
				t.Errorf("Access-Control-Allow-Origin is %q: %s", got, answer)
			}
			if got := corsList(answer, "Access-Control-Allow-Methods"); !slices.Contains(got, e.method) {
				t.Errorf("Access-Control-Allow-Methods is %q: %s", got, answer)
			}
			if got := answer.Header.Get("Access-Control-Allow-Headers"); got != "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key" {
				t.Errorf("Access-Control-Allow-Headers is %q: %s", got, answer)
			}
		}
	})
}

func TestCookiesDoNotAuthenticate(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, name := range []string{"token", "session", "penstock_session", "access_token", "Authorization", "__Host-session"} {
			for _, value := range []string{testkit.AdminToken, "Bearer " + testkit.AdminToken} {
				answer := s.Do(testkit.Request{Method: "GET", Path: "/v2/user", Header: map[string]string{"Cookie": name + "=" + value}}).Want(t, 401)
				if answer.Header.Get("Set-Cookie") != "" {
					t.Errorf("a cookie is set: %s", answer)
				}
			}
		}
	})
}
