package rest_test

import (
	"strings"
	"sync"
	"testing"

	"penstock/internal/testkit"
)

// etagChanges are the operations that change a single thing, by the operation that reads it.
func etagChange(e surfaceEndpoint) (surfaceEndpoint, bool) {
	for _, other := range surface {
		if other.path == e.path && (other.method == "PATCH" || other.method == "PUT") {
			return other, true
		}
	}
	return surfaceEndpoint{}, false
}

func etagOf(t *testing.T, a *testkit.Answer) string {
	t.Helper()
	tag := a.Header.Get("ETag")
	if len(tag) < 18 || !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) {
		t.Errorf("the tag is %q: %s", tag, a)
	}
	if got := a.Header.Values("Vary"); len(got) != 1 || got[0] != "Authorization" {
		t.Errorf("Vary is %q: %s", got, a)
	}
	return tag
}

func TestETagIsAHashOfTheBody(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceTokenOf(t, s, "admin@example.com", nil)
		bodies := map[string]string{} // by tag
		note := func(a *testkit.Answer) string {
			t.Helper()
			tag := etagOf(t, a)
			if body, seen := bodies[tag]; seen && body != string(a.Body) {
				t.Errorf("%s is the tag of two bodies:\n%s\n%s", tag, body, a.Body)
			}
			bodies[tag] = string(a.Body)
			return tag
		}
		for _, e := range endpointsWith(surfaceEndpoint.single) {
			path := e.target(t, s)
			first := note(s.Get(token, path).Want(t, 200))
			if again := note(s.Get(token, path)); again != first {
				t.Errorf("%s: the tag was %s, and is %s", e, first, again)
			}
			note(s.Get(token, e.target(t, s)))
			if change, ok := etagChange(e); ok {
				changed := note(change.call(s, token, path).Want(t, 200))
				if got := note(s.Get(token, path)); got != changed || changed == first {
					t.Errorf("%s: the tag was %s, became %s, and is %s", e, first, changed, got)
				}
			}
		}
		// Callers who are shown different things have different tags.
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		admin, member := note(s.Get(token, cluster)), note(s.Get(testkit.MemberToken, cluster))
		if admin == member {
			t.Error("a manager and a member have the same tag")
		}
		// The body of before has the tag of before.
		before := s.Get(token, cluster).Text("name")
		note(s.Put(token, cluster, `{"name": "Other"}`).Want(t, 200))
		if back := note(s.Put(token, cluster, `{"name": "`+before+`"}`).Want(t, 200)); back != admin {
			t.Errorf("the same body had the tag %s, and has %s", admin, back)
		}
		// A new thing has the tag that reading it shows.
		queue := s.Post(token, cluster+"/queues", `{"key": "new"}`).Want(t, 201)
		if got := note(s.Get(token, cluster+"/queues/"+queue.Text("id"))); got != note(queue) {
			t.Errorf("a new queue had the tag %s, and has %s", note(queue), got)
		}
	})
}

func TestIfNoneMatchIsNotModified(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceTokenOf(t, s, "admin@example.com", nil)
		for _, e := range endpointsWith(surfaceEndpoint.single) {
			path := e.target(t, s)
			tag := etagOf(t, s.Get(token, path).Want(t, 200))
			for list, status := range map[string]int{
				tag: 304, "W/" + tag: 304, "*": 304, `"other", ` + tag: 304, tag + `,"other"`: 304,
				`"other"`: 200, strings.Trim(tag, `"`): 200, `""`: 200, "nonsense, \"": 200, tag[:len(tag)-2] + `x"`: 200,
			} {
				for _, method := range []string{"GET", "HEAD"} {
					answer := s.Do(testkit.Request{Method: method, Path: path, Token: token, Header: map[string]string{"If-None-Match": list}}).Want(t, status)
					if etagOf(t, answer) != tag || status == 304 && (len(answer.Body) > 0 || answer.Header.Get("Content-Type") != "") {
						t.Errorf("If-None-Match %s: %v %s", list, answer.Header, answer)
					}
				}
			}
			two := surfaceServed(surfaceAPI(s, nil), "GET", path, "", conventionsFrom,
				"Authorization", "Bearer "+token, "If-None-Match", `"other"`, "If-None-Match", tag)
			if two.Code != 304 {
				t.Errorf("%s with two headers: %d", e, two.Code)
			}
			// The tag opens nothing.
			s.Do(testkit.Request{Method: "GET", Path: path, Header: map[string]string{"If-None-Match": tag}}).Want(t, 401)
			if change, ok := etagChange(e); ok {
				request := change.request(token, path)
				request.Header = map[string]string{"If-None-Match": tag}
				s.Do(request).Want(t, 200)
				s.Do(testkit.Request{Method: "GET", Path: path, Token: token, Header: map[string]string{"If-None-Match": tag}}).Want(t, 200)
			}
		}
	})
}

func TestStaleIfMatchIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(surfaceEndpoint.conditional) {
			token := surfaceTokenOf(t, s, "admin@example.com", nil)
			path := e.target(t, s)
			before := s.Get(token, path).Want(t, 200)
			tag := etagOf(t, before)
			send := func(list string) *testkit.Answer {
				request := e.request(token, path)
				request.Header = map[string]string{"If-Match": list}
				return s.Do(request)
			}
			for _, stale := range []string{`"other"`, `"other", "another"`, strings.Trim(tag, `"`), `""`, "nonsense", tag[:len(tag)-2] + `x"`} {
				send(stale).Want(t, 412)
			}
			if after := s.Get(token, path).Want(t, 200); string(after.Body) != string(before.Body) {
				t.Errorf("%s was\n%s\nand is\n%s", e, before.Body, after.Body)
			}
			// The tag grows stale with the thing.
			if change, ok := etagChange(e); ok {
				changed := change.request(token, path)
				changed.Body = strings.NewReplacer("Changed", "Changed again").Replace(change.body)
				s.Do(changed).Want(t, 200)
				send(tag).Want(t, 412)
				tag = etagOf(t, s.Get(token, path))
			}
			send(`"other", `+tag).Want(t, e.status)
			if e.method != "DELETE" {
				send("*").Want(t, e.status)
			}
		}
		// What its creation, and another caller's reading, showed of a cluster is good too.
		created := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/clusters", `{"name": "New"}`).Want(t, 201)
		path := testkit.ClusterPath(created.Text("id"))
		for _, token := range []string{testkit.AdminToken, testkit.MemberToken} {
			s.Do(testkit.Request{Method: "PATCH", Path: path, Token: token, Body: `{"name": "New"}`,
				Header: map[string]string{"If-Match": created.Header.Get("ETag")}}).Want(t, 200)
		}
		// A thing that is missing is missing, and a stranger learns nothing.
		missing := testkit.Request{Method: "DELETE", Path: testkit.ClusterPath("0190a000-0000-7000-8000-0000000000ff"), Token: testkit.AdminToken,
			Header: map[string]string{"If-Match": "*"}}
		s.Do(missing).Want(t, 404)
		stranger := missing
		stranger.Token, stranger.Path = testkit.OutsiderToken, path
		s.Do(stranger).Want(t, 404)
	})
}

func TestIfMatchLetsOneOfTwoWritersWin(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const writers = 8
		for _, e := range endpointsWith(surfaceEndpoint.conditional) {
			token := surfaceTokenOf(t, s, "admin@example.com", nil)
			path := e.target(t, s)
			tag := etagOf(t, s.Get(token, path).Want(t, 200))
			var statuses [writers]int
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range writers {
				all.Go(func() {
					<-start
					request := e.request(token, path)
					request.Header = map[string]string{"If-Match": tag}
					statuses[i] = s.Do(request).Status
				})
			}
			close(start)
			all.Wait()
			won := 0
			for _, status := range statuses {
				switch {
				case status == e.status:
					won++
				case status == 412, e.method == "DELETE" && (status == 404 || status == 401): // what is deleted is missing
				default:
					t.Errorf("%s: %v", e, statuses)
				}
			}
			if won != 1 {
				t.Errorf("%s: %d writers won: %v", e, won, statuses)
			}
		}
	})
}
