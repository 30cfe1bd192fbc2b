package rest_test

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

const conventionsFrom = "192.0.2.1:1234"

func TestAPIRootNeedsNoToken(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		root := s.Get("", "/v2").Want(t, 200)
		if root.Message() == "" || root.Object()["timestamp"] != float64(s.Clock.Now().Unix()) || len(root.Object()) != 2 {
			t.Errorf("%s", root)
		}
	})
}

func TestSuccessStatuses(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range surface {
			token := surfaceTokenOf(t, s, "admin@example.com", nil)
			path := e.target(t, s)
			answer := e.call(s, token, path).Want(t, e.status)
			switch {
			case e.method == "DELETE" && (answer.Status != 204 || len(answer.Body) > 0 || answer.Header.Get("Content-Type") != ""):
				t.Errorf("a DELETE without a bare 204: %s", answer)
			case e.method == "POST" && !e.acts() && answer.Status != 201,
				e.method != "DELETE" && e.method != "POST" && answer.Status != 200 && !e.answersOtherwise():
				t.Errorf("%s", answer)
			case e.method != "GET" && e.method != "DELETE" && e.path != surfaceInvitations && !e.answersOtherwise() && answer.Text("id")+answer.Text("uuid")+answer.Text("url")+answer.Text("user_id")+answer.Text("pipeline_id") == "":
				t.Errorf("an answer without the object: %s", answer)
			}
		}
	})
}

func TestEveryErrorIsJSONWithAMessage(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		seen := map[int]bool{}
		expect := func(status int, request testkit.Request) {
			t.Helper()
			answer := s.Do(request).Want(t, status)
			seen[answer.Status] = true
			media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
			if members := answer.Object(); media != "application/json" || answer.Message() == "" || len(members) != 1 {
				t.Errorf("%s: %s", media, answer)
			}
		}
		for _, e := range surface {
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			expect(405, testkit.Request{Method: "PROPFIND", Path: path, Token: testkit.AdminToken})
			if e.needs == needsNothing {
				continue
			}
			expect(401, e.request("", path))
			if strings.Contains(e.path, "{org}") {
				expect(404, e.request(testkit.AdminToken, e.at("nowhere", testkit.MaintainedID, testkit.QueueID)))
			}
			if e.scope != "" {
				expect(403, e.request(surfaceTokenOf(t, s, "admin@example.com", withoutScopes), path))
			}
			if e.body == "" {
				continue
			}
			for status, change := range map[int]func(*testkit.Request){
				400: func(r *testkit.Request) { r.Body = "{" },
				413: func(r *testkit.Request) { r.Body = strings.Repeat(" ", e.maxBody()+1) },
				415: func(r *testkit.Request) { r.Header = map[string]string{"Content-Type": "text/plain"} },
				422: func(r *testkit.Request) { r.Body = surfaceWrongTypes },
				412: func(r *testkit.Request) { r.Header = map[string]string{"If-Match": `"stale"`} },
			} {
				if status == 412 && !e.conditional() {
					continue
				}
				request := e.request(testkit.AdminToken, e.target(t, s))
				change(&request)
				expect(status, request)
			}
		}
		expect(404, testkit.Request{Method: "GET", Path: "/v2/nothing"})
		expect(422, testkit.Request{Method: "DELETE", Token: testkit.AdminToken, Path: defaultRegistryOf(t, s)})
		for _, status := range []int{400, 401, 403, 404, 405, 412, 413, 415, 422} {
			if !seen[status] {
				t.Errorf("no answer was a %d", status)
			}
		}
	})
}

// defaultRegistryOf returns the path of the default registry of the cluster Maintained.
func defaultRegistryOf(t *testing.T, s *testkit.Server) string {
	t.Helper()
	url := s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 200).Text("default_cache_registry_url")
	return strings.TrimPrefix(url, s.URL)
}

func TestUnknownPathIsNotFoundInJSON(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		paths := []string{"/", "/v2/", "/v2/nothing", "/v22", "/V2", "/v2/organizations/acme-inc/nothing"}
		for _, e := range surface {
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			paths = append(paths, path+"/", path+"/nothing/at/all")
		}
		for _, path := range paths {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"} {
				for _, token := range []string{"", testkit.AdminToken} {
					s.Do(testkit.Request{Method: method, Path: path, Token: token}).WantMessage(t, 404, "Not found")
				}
			}
		}
	})
}

func TestWrongMethodIsAnsweredWithAllow(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		allowed := map[string][]string{}
		for _, e := range surface {
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			allowed[path] = append(allowed[path], e.method)
		}
		for path, methods := range allowed {
			methods = append(methods, "OPTIONS")
			if slices.Contains(methods, "GET") {
				methods = append(methods, "HEAD")
			}
			slices.Sort(methods)
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "get"} {
				if slices.Contains(methods, method) {
					continue
				}
				answer := s.Do(testkit.Request{Method: method, Path: path}).Want(t, 405)
				allow := strings.Split(answer.Header.Get("Allow"), ", ")
				slices.Sort(allow)
				if !slices.Equal(allow, methods) {
					t.Errorf("Allow is %v, not %v: %s", allow, methods, answer)
				}
			}
		}
	})
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceTokenOf(t, s, "admin@example.com", nil)
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.method == "GET" }) {
			path := e.target(t, s)
			get := s.Get(token, path).Want(t, e.status)
			head := s.Do(testkit.Request{Method: "HEAD", Path: path, Token: token}).Want(t, e.status)
			for _, name := range []string{"Content-Type", "ETag", "Link", "Vary"} {
				if head.Header.Get(name) != get.Header.Get(name) {
					t.Errorf("%s: %s is %q, not %q", head, name, head.Header.Get(name), get.Header.Get(name))
				}
			}
			length := head.Header.Get("Content-Length")
			if len(head.Body) > 0 || length != fmt.Sprint(len(get.Body)) && (length != "" || !e.isOfLogs()) {
				t.Errorf("%s: of length %s, not %d", head, head.Header.Get("Content-Length"), len(get.Body))
			}
			if e.needs != needsNothing {
				s.Do(testkit.Request{Method: "HEAD", Path: path}).Want(t, 401)
			}
		}
	})
}

func TestTooLargeBodyIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.body != "" }) {
			path := e.target(t, s)
			request := e.request(testkit.AdminToken, path)
			limit := 1
			if strings.HasSuffix(e.path, "/annotations") {
				limit = 4
			}
			request.Body = e.body + strings.Repeat(" ", limit<<20+1-len(e.body))
			s.Do(request).WantMessage(t, 413, fmt.Sprintf("The body is too large: at most %d MiB is accepted", limit))
			request.Body = e.body + strings.Repeat(" ", limit<<20-len(e.body))
			s.Do(request).Want(t, e.status)
		}
	})
}

// TestPanicShowsNoInternals panics in the transactions that read and write, and in front of them.
func TestPanicShowsNoInternals(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const secret = "pq: password of the database"
		panicking := true
		now := func() time.Time {
			if panicking {
				panic(secret)
			}
			return s.Clock.Now()
		}
		var log strings.Builder
		inside := surfaceAPI(s, func(o *rest.Options) {
			o.Service = service.New(service.Options{Core: core.New(core.Options{DB: s.DB, Now: now})})
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		outside := surfaceAPI(s, func(o *rest.Options) { o.Service = nil })
		clusters := "/v2/organizations/acme-inc/clusters"
		authorization := []string{"Authorization", "Bearer " + testkit.AdminToken, "Content-Type", "application/json"}
		for range 20 { // more often than there are connections
			for _, api := range []*rest.API{inside, outside} {
				for _, answer := range []interface{ Result() *http.Response }{
					surfaceServed(api, "GET", clusters, "", conventionsFrom, authorization...),
					surfaceServed(api, "GET", "/v2/user", "", conventionsFrom, authorization...),
					surfaceServed(api, "POST", clusters, `{"name": "New"}`, conventionsFrom, authorization...),
				} {
					result := answer.Result()
					var body map[string]any
					err := json.UnmarshalRead(result.Body, &body)
					_ = result.Body.Close()
					if err != nil {
						t.Fatal(err)
					}
					if result.StatusCode != http.StatusInternalServerError || body["message"] != "Something went wrong on our side. Please try again." || len(body) != 1 ||
						result.Header.Get("Content-Type") != "application/json; charset=utf-8" || result.Header.Get("X-Request-Id") == "" {
						t.Errorf("%d %v %v", result.StatusCode, result.Header, body)
					}
				}
			}
		}
		if !strings.Contains(log.String(), secret) || !strings.Contains(log.String(), "conventions_test.go") {
			t.Errorf("the log has no trace of it: %.500s", log.String())
		}
		panicking = false
		if answer := surfaceServed(inside, "POST", clusters, `{"name": "New"}`, conventionsFrom, authorization...); answer.Code != 201 {
			t.Errorf("after the panics: %d %s", answer.Code, answer.Body)
		}
	})
}

func TestEveryAnswerHasARequestID(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		seen := map[string]bool{}
		note := func(a *testkit.Answer) {
			t.Helper()
			id := a.Header.Get("X-Request-Id")
			if len(a.Header.Values("X-Request-Id")) != 1 || id == "" || seen[id] {
				t.Errorf("X-Request-Id is %q: %s", id, a)
			}
			seen[id] = true
		}
		for _, e := range surface {
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			for _, token := range []string{"", "wrong", testkit.ReadOnlyToken, testkit.MemberToken} {
				if e.path == "/v2/access-token" && e.method == "DELETE" {
					token = ""
				}
				note(e.call(s, token, path))
			}
			note(s.Do(testkit.Request{Method: "OPTIONS", Path: path}))
			note(s.Do(testkit.Request{Method: "PROPFIND", Path: path}))
		}
		note(s.Get("", "/v2/nothing"))
		note(s.Get("", "/v2//organizations"))
		user := s.Get(testkit.AdminToken, "/v2/user")
		note(user)
		note(s.Do(testkit.Request{Method: "GET", Path: "/v2/user", Token: testkit.AdminToken,
			Header: map[string]string{"If-None-Match": user.Header.Get("ETag")}}).Want(t, 304))

		echo := func(id string) string {
			return s.Do(testkit.Request{Method: "GET", Path: "/v2", Header: map[string]string{"X-Request-Id": id}}).Header.Get("X-Request-Id")
		}
		if got := echo("a-Caller.s:own_1"); got != "a-Caller.s:own_1" {
			t.Errorf("the caller's id came back as %q", got)
		}
		for _, id := range []string{`"><script>`, "a b", "ü", strings.Repeat("x", 101), "a\tb", "{}"} {
			if got := echo(id); got == id || got == "" {
				t.Errorf("the id %q came back as %q", id, got)
			}
		}
	})
}

func TestOrganizationIsAddressedBySlug(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc").Want(t, 200)
		for _, other := range []string{
			organization.Text("id"), organization.Text("graphql_id"), "Acme%20Inc", "ACME-INC", "Acme-Inc", "acme-inc%20", "acme_inc", "-acme-inc",
		} {
			for _, below := range []string{"", "/clusters", "/clusters/" + testkit.MaintainedID} {
				s.Get(testkit.AdminToken, "/v2/organizations/"+other+below).WantMessage(t, 404, "No organization found")
			}
		}
	})
}

func TestAPIHasNoCacheEntries(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(surfaceEndpoint.inCluster) {
			for _, word := range []string{"entries", "entry", "save", "restore", "download", "upload"} {
				if strings.Contains(e.path, word) {
					t.Errorf("%s", e)
				}
			}
		}
		registry := testkit.ClusterPath(testkit.MaintainedID, "cache-registries", testkit.RegistryID)
		for _, below := range []string{"/entries", "/entries/1", "/save", "/restore", "/peek", "/commit", "/retrieve", "/store"} {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
				s.Do(testkit.Request{Method: method, Path: registry + below, Token: testkit.AdminToken}).WantMessage(t, 404, "Not found")
			}
		}
	})
}

// TestEveryURLInAnAnswerBeginsWithTheBaseURL takes a base URL that is not the address listened on.
func TestEveryURLInAnAnswerBeginsWithTheBaseURL(t *testing.T) {
	t.Parallel()
	const base = "https://penstock.example.com/base"
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{REST: func(o *rest.Options) { o.BaseURL = base }})
		token, urls := surfaceTokenOf(t, s, "admin@example.com", nil), 0
		check := func(at, text string) {
			if !strings.HasPrefix(text, base+"/") && !strings.HasPrefix(text, base+"?") {
				t.Errorf("%s: %s", at, text)
			}
			urls++
		}
		for _, e := range surface {
			if e.path == "/v2/openapi.json" || e.path == "/v2/access-token" {
				continue
			}
			path := e.target(t, s)
			if strings.Contains(e.path, "{cluster}") {
				cluster := strings.Split(path, "/")[5]
				queue := surfaceMade(t, s, testkit.ClusterPath(cluster, "queues"), `{"key": "another"}`)
				s.Patch(testkit.AdminToken, testkit.ClusterPath(cluster), `{"default_queue_id": "`+queue+`"}`).Want(t, 200)
			}
			if e.method == "GET" {
				path += "?per_page=1"
			}
			answer := e.call(s, token, path).Want(t, e.status)
			for _, link := range regexp.MustCompile(`<([^>]*)>`).FindAllStringSubmatch(answer.Header.Get("Link"), -1) {
				check(e.String(), link[1])
			}
			var body any
			_ = json.Unmarshal(answer.Body, &body)
			conventionsTexts(body, "", func(at, text string) {
				if slices.Contains([]string{".host.url", ".display_name", ".settings.url"}, at) {
					return // which callers chose
				}
				if at == ".endpoint_url" { // which the service made
					text = strings.Replace(text, s.URL, base, 1)
				}
				if strings.HasPrefix(text, "http") || strings.HasSuffix(at, "url") || strings.HasPrefix(at, ".links.") {
					check(e.String()+at, text)
				}
				if strings.Contains(text, s.URL) {
					t.Errorf("%s%s: %s", e, at, text)
				}
			})
		}
		if urls < 50 {
			t.Errorf("only %d URLs were seen", urls)
		}
		s.Get("", "/v2/user").WantMessage(t, 401,
			"Authentication required. Please supply a valid API Access Token: "+base+"/docs#authentication")
	})
}

// TestURLsInAnswersLeadToTheirThings follows every URL of the API, with the rights of who was shown it.
func TestURLsInAnswersLeadToTheirThings(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceTokenOf(t, s, "maintainer@example.com", nil)
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		s.Patch(token, cluster, `{"default_queue_id": "`+testkit.QueueID+`"}`).Want(t, 200)
		agents := surfaceMade(t, s, cluster+"/tokens", `{"description": "CI"}`)
		leads := func(from *testkit.Answer, member, to, id string) {
			t.Helper()
			if got := s.Get(token, from.Text(member)).Want(t, 200); from.Text(member) != s.URL+to || got.Text("id")+got.Text("uuid") != id {
				t.Errorf("%s of %s leads to %s", member, from, got)
			}
		}
		registry := s.Get(token, cluster+"/cache-registries/"+testkit.RegistryID).Want(t, 200)
		s.Patch(token, cluster, `{"default_cache_registry_uuid": "`+testkit.RegistryID+`"}`).Want(t, 200)
		shown := s.Get(token, cluster).Want(t, 200)
		leads(shown, "url", cluster, testkit.MaintainedID)
		leads(shown, "default_queue_url", cluster+"/queues/"+testkit.QueueID, testkit.QueueID)
		leads(shown, "default_cache_registry_url", cluster+"/cache-registries/"+testkit.RegistryID, testkit.RegistryID)
		if queues := s.Get(token, shown.Text("queues_url")).Want(t, 200).List(); len(queues) != 1 || queues[0]["id"] != testkit.QueueID {
			t.Errorf("queues_url leads to %v", queues)
		}
		for thing, id := range map[string]string{"queues": testkit.QueueID, "tokens": agents} {
			one := s.Get(token, cluster+"/"+thing+"/"+id).Want(t, 200)
			leads(one, "url", cluster+"/"+thing+"/"+id, id)
			leads(one, "cluster_url", cluster, testkit.MaintainedID)
		}
		leads(registry, "url", cluster+"/cache-registries/"+testkit.RegistryID, testkit.RegistryID)
		leads(registry, "cluster_url", cluster, testkit.MaintainedID)
		organization := s.Get(token, "/v2/organizations/acme-inc").Want(t, 200)
		leads(organization, "url", "/v2/organizations/acme-inc", organization.Text("id"))
		if clusters := s.Get(token, organization.Text("clusters_url")).Want(t, 200).List(); len(clusters) != 1 || clusters[0]["id"] != testkit.MaintainedID {
			t.Errorf("clusters_url leads to %v", clusters)
		}
	})
}

// conventionsTexts visits every text in a JSON value, with its path.
func conventionsTexts(value any, at string, visit func(at, text string)) {
	switch value := value.(type) {
	case string:
		visit(at, value)
	case []any:
		for _, item := range value {
			conventionsTexts(item, at+"[]", visit)
		}
	case map[string]any:
		for name, member := range value {
			conventionsTexts(member, at+"."+name, visit)
		}
	}
}

func TestGraphQLIDsNameTypeAndUUID(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceMade(t, s, testkit.ClusterPath(testkit.MaintainedID, "tokens"), `{"description": "CI"}`)
		cluster := s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 200).Object()
		maintainers := cluster["maintainers"].(map[string]any)
		for kind, object := range map[string]map[string]any{
			"Cluster":      cluster,
			"ClusterQueue": s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID)).Object(),
			"ClusterToken": s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens", token)).Object(),
			"Organization": s.Get(testkit.AdminToken, "/v2/organizations/acme-inc").Object(),
			"User":         s.Get(testkit.AdminToken, "/v2/user").Object(),
			"Team":         maintainers["teams"].([]any)[0].(map[string]any)["actor"].(map[string]any),
		} {
			conventionsWantGraphQLID(t, kind, object)
		}
		conventionsWantGraphQLID(t, "User", cluster["created_by"].(map[string]any))
		conventionsWantGraphQLID(t, "User", maintainers["users"].([]any)[0].(map[string]any)["actor"].(map[string]any))
	})
}

func conventionsWantGraphQLID(t *testing.T, kind string, object map[string]any) {
	t.Helper()
	id, _ := object["id"].(string)
	if want := base64.StdEncoding.EncodeToString([]byte(kind + "---" + id)); id == "" || object["graphql_id"] != want {
		t.Errorf("%s: id %q, graphql_id %v", kind, id, object["graphql_id"])
	}
}

// TestTimestampsAreUTCWithMilliseconds has a clock elsewhere that shows nanoseconds.
func TestTimestampsAreUTCWithMilliseconds(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		now := time.Date(2026, 12, 31, 23, 59, 59, 70_999_999, time.FixedZone("", -9*3600-1800))
		const want = "2027-01-01T09:29:59.070Z"
		api := surfaceAPI(s, func(o *rest.Options) {
			o.Service = service.New(service.Options{Core: core.New(core.Options{DB: s.DB, Now: func() time.Time { return now }})})
		})
		do := func(method, path, body string) map[string]any {
			t.Helper()
			answer := surfaceServed(api, method, path, body, conventionsFrom, "Authorization", "Bearer "+testkit.AdminToken, "Content-Type", "application/json")
			var object map[string]any
			if err := json.Unmarshal(answer.Body.Bytes(), &object); err != nil || answer.Code >= 300 {
				t.Fatalf("%s %s: %d %s", method, path, answer.Code, answer.Body)
			}
			return object
		}
		cluster := do("POST", "/v2/organizations/acme-inc/clusters", `{"name": "New"}`)
		path := testkit.ClusterPath(cluster["id"].(string))
		queue := do("POST", path+"/queues", `{"key": "new"}`)
		paused := do("POST", path+"/queues/"+queue["id"].(string)+"/pause_dispatch", `{}`)
		token := do("POST", path+"/tokens", `{"description": "New", "expires_at": "2027-06-01T01:30:00.123456+02:00"}`)
		registry := do("POST", path+"/cache-registries", `{"name": "New"}`)
		for _, c := range []struct{ got, want any }{
			{cluster["created_at"], want},
			{do("GET", path, "")["created_at"], want},
			{queue["created_at"], want},
			{paused["dispatch_paused_at"], want},
			{do("GET", path+"/queues/"+queue["id"].(string), "")["dispatch_paused_at"], want},
			{token["created_at"], want},
			{token["expires_at"], "2027-05-31T23:30:00.123Z"},
			{do("GET", path+"/tokens/"+token["id"].(string), "")["expires_at"], "2027-05-31T23:30:00.123Z"},
			{registry["created_at"], want},
			{registry["updated_at"], want},
			{do("GET", "/v2/user", "")["created_at"], "2026-05-03T04:17:55.867Z"},
			{do("GET", "/v2/access-token", "")["created_at"], "2026-05-03T04:17:55.867Z"},
			{do("GET", "/v2/organizations/acme-inc", "")["created_at"], "2026-05-03T04:17:55.867Z"},
		} {
			if c.got != c.want {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		}
	})
}
