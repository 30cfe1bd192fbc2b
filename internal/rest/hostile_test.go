package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/bootstrap"
	"penstock/internal/config"
	"penstock/internal/server"
	"penstock/internal/testkit"
)

// hostilePatience is how long an answer may take before it is called a hang.
const hostilePatience = 30 * time.Second

// eachHostileServer runs fn with the address of a whole server, as `penstock serve` runs it, on each engine.
func eachHostileServer(t *testing.T, fn func(t *testing.T, address string)) {
	t.Helper()
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			database := testkit.NewDatabase(t, engine)
			c := config.Default()
			if c.Data = database.Dir; database.URL != "" {
				c.Database = config.SecretURL(database.URL)
			}
			hostileRun(t, c, listener)
			fn(t, listener.Addr().String())
		})
	}
}

// hostileRun runs a server filled with the fixture until the test ends.
func hostileRun(t *testing.T, c config.Config, listener net.Listener) {
	t.Helper()
	c.LogLevel = 100
	declared, err := bootstrap.Parse("fixture", []byte(testkit.Fixture), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- server.Run(ctx, server.Options{
			Config: c, Stdout: io.Discard, Stderr: io.Discard, Listener: listener, Declared: declared, Ready: func(string) { close(ready) },
		})
	}()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// hostileAnswer is an answer as it came over the connection.
type hostileAnswer struct {
	status int
	header http.Header
	body   string
	err    error
}

// hostileSend writes text to a new connection and reads one answer.
func hostileSend(address, text string) (a hostileAnswer) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return hostileAnswer{err: err}
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetDeadline(time.Now().Add(hostilePatience))
	go func() { _, _ = io.WriteString(connection, text) }() // the answer may come before all of it is read
	return hostileRead(bufio.NewReader(connection), text)
}

func hostileRead(in *bufio.Reader, request string) (a hostileAnswer) {
	method, _, _ := strings.Cut(request, " ")
	response, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return hostileAnswer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return hostileAnswer{response.StatusCode, response.Header, string(body), err}
}

// check tells what is wrong with the answer, if it is to be one of the API with that status.
func (a hostileAnswer) check(status int) error {
	media, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	var object map[string]any
	switch {
	case a.err != nil:
		return a.err
	case a.status != status:
		return fmt.Errorf("status %d: %.300s", a.status, a.body)
	case a.header.Get("X-Request-Id") == "":
		return fmt.Errorf("no X-Request-Id: %v", a.header)
	case status == http.StatusNoContent || status == http.StatusNotModified:
		return nil
	case media != "application/json":
		return fmt.Errorf("of type %s: %.300s", media, a.body)
	case status >= 400 && (json.Unmarshal([]byte(a.body), &object) != nil || object["message"] == ""):
		return fmt.Errorf("no message: %.300s", a.body)
	case len(a.body) > 64<<10:
		return fmt.Errorf("%d bytes long: %.300s", len(a.body), a.body)
	}
	return nil
}

// hostileHeaders are the usual ones.
const hostileHeaders = "Host: example.com\r\nAuthorization: Bearer " + testkit.AdminToken + "\r\n"

// hostileCases sends each text, and expects an answer with the status that it stands under.
func hostileCases(t *testing.T, address string, cases map[int][]string) {
	t.Helper()
	for status, texts := range cases {
		for _, text := range texts {
			if err := hostileSend(address, text).check(status); err != nil {
				t.Errorf("%.200q, to be answered with %d: %v", text, status, err)
			}
		}
	}
	hostileStillServes(t, address)
}

// hostileStillServes checks that the server does its work, and that the fixture is as it was.
func hostileStillServes(t *testing.T, address string) {
	t.Helper()
	for _, path := range []string{testkit.ClusterPath(testkit.MaintainedID), testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID)} {
		if err := hostileSend(address, "GET "+path+" HTTP/1.1\r\n"+hostileHeaders+"\r\n").check(200); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

func TestHostilePaths(t *testing.T) {
	eachHostileServer(t, func(t *testing.T, address string) {
		get := func(paths ...string) (texts []string) {
			for _, path := range paths {
				texts = append(texts, "GET "+path+" HTTP/1.1\r\n"+hostileHeaders+"\r\n")
			}
			return texts
		}
		clusters, cluster := "/v2/organizations/acme-inc/clusters", testkit.ClusterPath(testkit.MaintainedID)
		hostileCases(t, address, map[int][]string{
			404: get("//", "///", "//v2/user", "/v2//user", "/v2///user", "/v2/./user", "/v2/../v2/user", "/../v2/user", "/v2/user/..", "/v2/user/.",
				"/v2/user//", "/v2/user/../user", "/%76%32/%2e%2e/v2/user", "/v2/%2e/user", "/v2/%2e%2e/v2/user", "/v2/%2E%2E/v2/user", "/v2/..%2fuser",
				"/v2/%2e%2e%2fuser", "/v2%2fuser", "/v2/user%2f", "/v2/user%00", "/v2/user%00.json", "/%00", "/v2/\xff\xfe", "/v2/%ff", "/v2/%c0%ae%c0%ae/user", "/v2/user;a=b",
				"/v2/user%3fa=b", "/v2/user#a", "/v2/user%20", "/v2/user%0a", "/V2/user", "/v2/USER", `/v2\user`, "/v2/user%5c", "*", "/v3", "/portal",
				"/v2/organizations//clusters", "/v2/organizations/./clusters", "/v2/organizations/../user", "/v2/organizations/%2e%2e/user",
				"/v2/organizations/elsewhere%2f..%2facme-inc/clusters", "/v2/organizations/elsewhere/../acme-inc/clusters",
				"/v2/organizations/acme-inc%2fclusters", "/v2/organizations/acme-inc%2Fclusters/"+testkit.MaintainedID, "/v2/organizations/acme-inc%00/clusters",
				"/v2/organizations/%00", "/v2/organizations/%ff/clusters", "/v2/organizations/'%20OR%20'1'='1/clusters", "/v2/organizations/%25/clusters", "/v2/organizations/_/clusters",
				clusters+"/%00", clusters+"/"+testkit.MaintainedID+"%00", clusters+"/"+testkit.MaintainedID+"%2fqueues", clusters+"/%ff", clusters+"/..", clusters+"/%2e%2e",
				clusters+"/"+testkit.ElsewhereID, clusters+"/{cluster}", clusters+"/null", clusters+"/*", cluster+"/queues/%00", cluster+"/queues/"+testkit.QueueID+"%2f..%2f"+testkit.QueueID,
				cluster+"/queues/"+testkit.QueueID+"/pause_dispatch/..", cluster+"/tokens/"+testkit.QueueID, cluster+"/cache-registries/default",
				"/"+strings.Repeat("a", 60_000), "/v2/"+strings.Repeat("a/", 30_000), "/v2/organizations/"+strings.Repeat("a", 60_000), clusters+"/"+strings.Repeat("0", 60_000),
				clusters+"/"+strings.Repeat("%00", 20_000), "/v2/organizations"+strings.Repeat("/..", 10_000)),
			200: get("/v2/user?", "/v2/user?/../", "/v2/us%65r", "/v2/organizations/acme%2Dinc/clusters", "/v2/user?a=%00&b=%ff&;&%zz", "/v2/user?"+strings.Repeat("a", 50_000)),
			400: get(clusters+"?page=%00", clusters+"?page=\xff", clusters+"?per_page=%ff", clusters+"?page=-1", clusters+"?page=99999999999999999999", clusters+"?page=1;per_page=1",
				clusters+"?%zz", clusters+"?per_page=0", clusters+"?page="+strings.Repeat("9", 50_000),
				cluster+"/cache-registries?after=%00", cluster+"/cache-registries?before=%ff", cluster+"/cache-registries?after=a&before=b", cluster+"/cache-registries?per_page=101",
				cluster+"/cache-registries?per_page=-9223372036854775808", cluster+"/cache-registries?after="+strings.Repeat("A", 50_000)),
		})
	})
}

func TestHostileRequestLines(t *testing.T) {
	eachHostileServer(t, func(t *testing.T, address string) {
		hostileCases(t, address, map[int][]string{
			405: {
				"FOO /v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"get /v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"TRACE /v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"CONNECT /v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"PROPFIND /v2/user HTTP/1.1\r\n" + hostileHeaders + "Content-Length: 3\r\n\r\nabc",
				strings.Repeat("X", 50_000) + " /v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
			},
			404: {
				"CONNECT example.com:443 HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"OPTIONS * HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"GET * HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"GET http://example.com HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"GET http://example.com//v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"DELETE /v2/organizations/acme-inc/clusters/..%2f..%2facme-inc HTTP/1.1\r\n" + hostileHeaders + "\r\n",
			},
			200: {
				"GET /v2/user HTTP/1.0\r\nAuthorization: Bearer " + testkit.AdminToken + "\r\n\r\n",
				"GET /v2/user HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\nAuthorization: Bearer " + testkit.AdminToken + "\r\n\r\n",
				"GET /v2/user HTTP/1.1\r\nHost:\r\nAuthorization: Bearer " + testkit.AdminToken + "\r\n\r\n",
				"GET http://evil.example/v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
				"GET https://user:password@evil.example:99/v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n",
			},
			401: {
				"GET http://" + testkit.AdminToken + ":@example.com/v2/user HTTP/1.1\r\nHost: example.com\r\n\r\n",
				"GET /v2/user HTTP/1.0\r\n\r\n",
			},
		})
		// Whatever the caller calls the server, its answers have its own name.
		for _, request := range []string{
			"GET /v2/user HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: evil\r\nAuthorization: Bearer " + testkit.AdminToken + "\r\n\r\n",
			"GET http://evil.example/v2/organizations/acme-inc/clusters?per_page=1 HTTP/1.1\r\n" + hostileHeaders + "\r\n",
			"GET http://evil.example/v2/user HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		} {
			if a := hostileSend(address, request); a.err != nil || strings.Contains(a.body, "evil") || strings.Contains(fmt.Sprint(a.header), "evil") {
				t.Errorf("%q: %+v", request, a)
			}
		}
	})
}

// TestUnreadableRequestsAreRefused sends what never gets as far as the API: net/http answers it, and ends the connection.
func TestUnreadableRequestsAreRefused(t *testing.T) {
	eachHostileServer(t, func(t *testing.T, address string) {
		for text, status := range map[string]int{
			"nonsense\r\n\r\n":                                                                                      400,
			"GET /v2/user\r\n\r\n":                                                                                  400,
			"GET v2 HTTP/1.1\r\n" + hostileHeaders + "\r\n":                                                         400,
			"GET /v2/%zz HTTP/1.1\r\n" + hostileHeaders + "\r\n":                                                    400,
			"GET /v2/a b HTTP/1.1\r\n" + hostileHeaders + "\r\n":                                                    400,
			"GET /v2/\x00 HTTP/1.1\r\n" + hostileHeaders + "\r\n":                                                   400,
			"G@T /v2/user HTTP/1.1\r\n" + hostileHeaders + "\r\n":                                                   400,
			"GET /v2/user HTTP/1.1\r\n\r\n":                                                                         400, // no Host
			"GET /v2/user HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                                   400,
			"GET /v2/user HTTP/1.1\r\nHost: a b\r\n\r\n":                                                            400,
			"GET /v2/user HTTP/1.1\r\n" + hostileHeaders + "X: a\x00b\r\n\r\n":                                      400,
			"GET /v2/user HTTP/1.1\r\n" + hostileHeaders + "X y: a\r\n\r\n":                                         400,
			"GET /v2/user HTTP/1.1\r\n" + hostileHeaders + "X : a\r\n\r\n":                                          400,
			"GET /v2/user HTTP/1.1\r\n" + hostileHeaders + "no colon\r\n\r\n":                                       400,
			"GET /v2/user HTTP/2.0\r\n" + hostileHeaders + "\r\n":                                                   505,
			"POST /v2/user HTTP/1.1\r\n" + hostileHeaders + "Content-Length: -1\r\n\r\n":                            400,
			"POST /v2/user HTTP/1.1\r\n" + hostileHeaders + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab":      400,
			"POST /v2/user HTTP/1.1\r\n" + hostileHeaders + "Transfer-Encoding: gzip\r\n\r\n":                       501,
			"GET /v2/user HTTP/1.1\r\n" + hostileHeaders + "X: " + strings.Repeat("a", 80<<10) + "\r\n\r\n":         431,
			"GET /v2/user HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + strings.Repeat("a", 80<<10) + "\r\n\r\n": 431,
			"GET /v2/user HTTP/1.1\r\n" + hostileHeaders + strings.Repeat("X: a\r\n", 20_000) + "\r\n":              431,
			"GET /" + strings.Repeat("a", 80<<10) + " HTTP/1.1\r\n" + hostileHeaders + "\r\n":                       431,
		} {
			a := hostileSend(address, text)
			if a.err != nil || a.status != status || len(a.body) > 200 || strings.Contains(a.body, ".go") {
				t.Errorf("%.200q, to be answered with %d: %+v", text, status, a)
			}
		}
		hostileStillServes(t, address)
	})
}

func TestHostileHeaders(t *testing.T) {
	eachHostileServer(t, func(t *testing.T, address string) {
		with := func(headers string) string {
			return "GET /v2/user HTTP/1.1\r\n" + hostileHeaders + headers + "\r\n\r\n"
		}
		as := func(authorization string) string {
			return "GET /v2/user HTTP/1.1\r\nHost: example.com\r\n" + authorization + "\r\n\r\n"
		}
		create := func(headers string) string {
			return "POST /v2/organizations/acme-inc/clusters HTTP/1.1\r\n" + hostileHeaders + headers + "\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"name\": \"New\"}"
		}
		hostileCases(t, address, map[int][]string{
			200: {
				with("X-Request-Id: \xff\xfe"), with("X-Request-Id: " + strings.Repeat("a", 60_000)), with("User-Agent: \xff"), with("Cookie: \xff=\xff; ;;;="),
				with("If-None-Match: " + strings.Repeat(",", 60_000)), with("If-None-Match: \xff"), with("If-Match: \xff"), with("Accept: nothing/at-all;q=x"),
				with("X-Forwarded-For: " + strings.Repeat("1.2.3.4,", 7_000)), with("Range: bytes=0-1"), with("Accept-Encoding: gzip, br, \xff"), with("Origin: null"),
				with(strings.Repeat("X: a\r\n", 1000) + "X: a"), with("Content-Type: \xff"), with("Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk"),
				with("X-HTTP-Method-Override: DELETE"), with("X-Original-URL: /v2/meta"),
			},
			201: { // what is stored of them must be storable
				create("User-Agent: \xff\xfe\xed\xa0\x80"), create("User-Agent: " + strings.Repeat("\xff", 50_000)), create("User-Agent: a\tb"), create("X-Forwarded-For: \xff"),
				create("If-Match: *"), create("Content-Encoding: identity"),
			},
			401: {
				as("Authorization: Bearer " + strings.Repeat("a", 60_000)), as("Authorization: Bearer \xff\xfe"), as("Authorization: Bearer " + testkit.AdminToken + "\xff"),
				as("Authorization: " + strings.Repeat(" ", 50_000)), as("Authorization: Bearer"), as("Authorization:"),
				as("Authorization: Bearer " + testkit.AdminToken + "\r\nAuthorization: Bearer " + testkit.AdminToken),
				as("Authorization: Bearer " + testkit.MemberToken + "\r\nauthorization: Bearer " + testkit.AdminToken),
				as("Authorization: Basic x\r\nAuthorization: Bearer " + testkit.AdminToken), as("Authorization:\r\nAuthorization: Bearer " + testkit.AdminToken),
				as("Authorization: Bearer\r\n " + testkit.AdminToken + "\r\n x"), // folded
			},
		})
	})
}

func TestHostileBodies(t *testing.T) {
	eachHostileServer(t, func(t *testing.T, address string) {
		post := func(path, body string) string {
			return fmt.Sprintf("POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, hostileHeaders, len(body), body)
		}
		clusters, cluster := "/v2/organizations/acme-inc/clusters", testkit.ClusterPath(testkit.MaintainedID)
		registries, queues, tokens := cluster+"/cache-registries", cluster+"/queues", cluster+"/tokens"
		deep := func(before, open, inside, shut, after string) string {
			return before + strings.Repeat(open, 100_000) + inside + strings.Repeat(shut, 100_000) + after
		}
		raw := func(headers, body string) string {
			return "POST " + clusters + " HTTP/1.1\r\n" + hostileHeaders + "Content-Type: application/json\r\n" + headers + "\r\n\r\n" + body
		}
		cases := map[int][]string{
			400: {
				post(clusters, deep("", "[", "", "]", "")), post(clusters, deep("", `{"a":`, "1", "}", "")), post(clusters, deep(`{"name": "a", "x": `, "[", "", "]", "}")),
				post(registries, deep(`{"name": "a", "policy": `, "[", "", "]", "}")), post(registries, deep(`{"name": "a", "policy": `, `{"save":`, "1", "}", "}")),
				post(queues, deep(`{"key": "a", "hosted_agents": `, `{"":`, "1", "}", "}")), post(clusters, strings.Repeat("[", 1<<20)), post(clusters, strings.Repeat(`{"a":`, 200_000)),
				post(clusters, strings.Repeat(`"`, 1<<20)), post(clusters, strings.Repeat("\\", 1<<20)), post(clusters, strings.Repeat("\x00", 1<<20)), post(clusters, strings.Repeat("\xff", 1<<20)),
				post(clusters, `{"name": "a", "name": "b"}`), post(registries, `{"name": "a", "`+strings.Repeat("x", 500_000)+`": 1, "`+strings.Repeat("x", 500_000)+`": 1}`),
				post(clusters, "\x1f\x8b\x08\x00\x00\x00\x00\x00"),
				raw("Transfer-Encoding: chunked", "nonsense\r\n"), raw("Transfer-Encoding: chunked", "5\r\n{\"a\r\n-1\r\n"), raw("Transfer-Encoding: chunked", "0\r\n\r\n"),
				raw("Transfer-Encoding: chunked", "fffffffffffffffff\r\n{"), raw("Content-Length: 0", ""), raw("Content-Encoding: gzip\r\nContent-Length: 2", "\x1f\x8b"),
			},
			413: {
				post(clusters, `{"name": "`+strings.Repeat("a", 1<<20)+`"}`), post(registries, strings.Repeat("[", 3<<20)), post(queues, strings.Repeat(" ", 5<<20)),
				raw("Content-Length: 999999999999999", strings.Repeat(" ", 2<<20)), raw("Transfer-Encoding: chunked", strings.Repeat("10000\r\n"+strings.Repeat(" ", 1<<16)+"\r\n", 32)),
			},
			422: {
				post(clusters, `{"name": "`+strings.Repeat("a", 1<<20-20)+`"}`), post(clusters, `{"name": "a", "description": "`+strings.Repeat("ü", 400_000)+`"}`),
				post(clusters, `{"name": "a", "emoji": "`+strings.Repeat(":", 1<<19)+`"}`), post(clusters, `{"name": "a", "color": "`+strings.Repeat("#", 1<<19)+`"}`),
				post(clusters, `{"name": "a", "maintainers": [`+strings.Repeat("1,", 500_000)+`1]}`), post(clusters, `{"name": "a", "maintainers": [`+strings.Repeat("{},", 300_000)+`{}]}`),
				post(clusters, `{"name": "a", "maintainers": [`+strings.Repeat(`{"user": 1, "team": 1},`, 40_000)+`{}]}`),
				post(registries, `{"name": "`+strings.Repeat("é", 500_000)+`"}`), post(registries, `{"name": "a", "`+strings.Repeat("x", 1<<19)+`": 1}`),
				post(registries, `{"name": "a"`+hostileMembers(70_000)+`}`), post(registries, `{"name": "a", "policy": {"rules": [`+strings.Repeat("1,", 30_000)+`1]}}`),
				post(registries, `{"name": "a", "policy": {"x": 1`+hostileMembers(5_000)+`}}`), post(registries, `{"name": "a", "policy": "`+strings.Repeat("x", 1<<19)+`"}`),
				post(registries, `{"name": "a", "policy": {"restore": {"scopes": [`+strings.Repeat("{},", 20_000)+`1]}}}`),
				post(registries, `{"name": "a", "policy": {"rules": [{"effect": "allow", "action": "save", "when": "`+strings.Repeat("(", 2000)+`"}]}}`),
				post(registries, `{"name": "a", "policy": {"rules": [{"effect": "allow", "action": [`+strings.Repeat(`"save",`, 9_000)+`"save"]}]}}`),
				post(queues, `{"key": "`+strings.Repeat("k", 1<<19)+`"}`), post(queues, `{"key": "a", "hosted_agents": {"instance_shape": "`+strings.Repeat("k", 1<<19)+`"}}`),
				post(tokens, `{"description": "`+strings.Repeat("k", 1<<19)+`"}`), post(tokens, `{"description": "a", "allowed_ip_addresses": "`+strings.Repeat("1.1.1.1 ", 100_000)+`"}`),
				post(tokens, `{"description": "a", "allowed_ip_addresses": "`+strings.Repeat("9", 1<<19)+`"}`), post(tokens, `{"description": "a", "expires_at": "`+strings.Repeat("9", 1<<19)+`"}`),
				post(tokens, `{"description": "a", "expires_at": "99999-01-01T00:00:00Z"}`), post(tokens, `{"description": "a", "expires_at": "9999-12-31T23:59:60Z"}`),
			},
			201: { // odd, and not wrong
				post(clusters, `{"name": "a", "x": 1e999999, "y": `+strings.Repeat("9", 100_000)+`}`), post(clusters, `{"name": "a"`+hostileMembers(70_000)+`}`),
				post(clusters, `{"name": "a", "x": `+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`), post(clusters, `{"name": "`+strings.Repeat("\U0001f680", 255)+`"}`),
				post(clusters, `{"name": "`+strings.Repeat("ﷺ", 255)+`"}`), // each folds to eighteen letters
				post(registries, `{"name": "`+strings.Repeat("ﷺ", 254)+`a"}`), post(clusters, `{"name": "a", "maintainers": []}`),
				post(tokens, `{"description": "a", "expires_at": "9999-12-31T23:59:59.999999999Z"}`), post(clusters, "{\"name\": \"'; DROP TABLE clusters; --\"}"),
			},
		}
		hostileCases(t, address, cases)

		// The same from a stranger is not looked at.
		for _, texts := range cases {
			text := strings.Replace(texts[0], testkit.AdminToken, "token-that-nobody-has-made", 1)
			hostileCases(t, address, map[int][]string{401: {text}})
		}
	})
}

// hostileMembers returns the JSON of n members that nobody knows.
func hostileMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `, "x%d": 1`, i)
	}
	return b.String()
}

// TestBrokenOffRequestsLeaveNothing ends connections in the middle of requests.
func TestBrokenOffRequestsLeaveNothing(t *testing.T) {
	eachHostileServer(t, func(t *testing.T, address string) {
		const body = `{"name": "Broken off", "description": "................................................................"}`
		whole := fmt.Sprintf("POST /v2/organizations/acme-inc/clusters HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", hostileHeaders, len(body), body)
		var all sync.WaitGroup
		for cut := 0; cut < len(whole); cut += 7 {
			all.Go(func() {
				connection, err := net.Dial("tcp", address)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.WriteString(connection, whole[:cut])
				_ = connection.Close()
			})
		}
		all.Wait()
		hostileStillServes(t, address)
		list := hostileSend(address, "GET /v2/organizations/acme-inc/clusters HTTP/1.1\r\n"+hostileHeaders+"\r\n")
		if err := list.check(200); err != nil || strings.Contains(list.body, "Broken off") {
			t.Errorf("%v: %s", err, list.body)
		}
	})
}

// TestSlowClientsAreBounded has clients that send and read as slowly as they can. Time passes at once in its bubble,
// on SQLite and connections that are not the system's.
func TestSlowClientsAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c := config.Default()
		c.Data = dir
		listener := newHostilePipes()
		hostileRun(t, c, listener)
		whole := "POST /v2/organizations/acme-inc/clusters HTTP/1.1\r\n" + hostileHeaders + "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat(" ", 100_000)
		withinBody := whole[:len(whole)-99_000]
		for what, limit := range map[string]time.Duration{
			"":                                    3 * time.Minute, // connected, and silent
			"P":                                   11 * time.Second,
			whole[:100]:                           11 * time.Second, // within the headers
			withinBody:                            31 * time.Second,
			"GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n": 3 * time.Minute, // keeps its connection, idle
		} {
			start := time.Now()
			connection := listener.dial()
			closed := make(chan struct{})
			var answer strings.Builder
			go func() {
				_, _ = io.Copy(&answer, connection)
				close(closed)
			}()
			_, _ = io.WriteString(connection, what)
			<-closed
			if what == withinBody && !strings.HasPrefix(answer.String(), "HTTP/1.1 400 ") {
				t.Errorf("a body that comes too slowly is answered with %s", &answer)
			}
			if took := time.Since(start); took > limit {
				t.Errorf("%.60q: the connection lived for %s", what, took)
			}
			_ = connection.Close()
		}
		// A byte a second is no way to keep a connection either, and neither is not reading the answer.
		for what, drip := range map[string]string{"headers": whole[:200], "body": whole} {
			start := time.Now()
			connection := listener.dial()
			go func() { _, _ = io.Copy(io.Discard, connection) }()
			for _, b := range []byte(drip) {
				if _, err := connection.Write([]byte{b}); err != nil {
					break
				}
				if b == ' ' && what == "body" || what == "headers" {
					<-time.After(time.Second)
				}
			}
			if took := time.Since(start); took > 40*time.Second {
				t.Errorf("dripping %s: the connection lived for %s", what, took)
			}
			_ = connection.Close()
		}
		start := time.Now()
		connection := listener.dial()
		for {
			if _, err := io.WriteString(connection, "GET /v2/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
				break
			}
		}
		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("not reading: the connection lived for %s", took)
		}
		_ = connection.Close()
	})
}

// hostilePipes is a listener whose connections are pipes in memory.
type hostilePipes struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func newHostilePipes() *hostilePipes {
	return &hostilePipes{connections: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *hostilePipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *hostilePipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *hostilePipes) Addr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.1:8080"))
}

func (l *hostilePipes) dial() net.Conn {
	client, server := net.Pipe()
	_ = client.SetDeadline(time.Now().Add(time.Hour)) // longer than anything may take
	l.connections <- server
	return client
}
