package rest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/service/logs"
	"penstock/internal/testkit"
)

// write adds a piece to the log of a job.
func (j running) write(sequence, offset int64, text string) {
	j.r.t.Helper()
	var content bytes.Buffer
	w := gzip.NewWriter(&content)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	err := j.r.s.Logs.AddLogChunk(j.r.t.Context(), j.token, j.ID, logs.LogChunk{Sequence: sequence, Offset: offset, Size: int64(len(text)), Content: content.Bytes()})
	if err != nil {
		j.r.t.Fatal(err)
	}
}

// startedJob returns a job that runs, and its path below its build.
func startedJob(t *testing.T, s *testkit.Server) (running, string) {
	t.Helper()
	agent := newRunner(t, s, "Runner") // and the default queue of the cluster
	build := createdBuild(t, s, createdBuilt(t, s, "Web", "steps: [{command: make}]"))
	j := agent.take()
	return j, pathOf(s, build) + "/jobs/" + j.ID
}

func packLogs(t *testing.T, s *testkit.Server) {
	t.Helper()
	if err := s.Logs.PackLogs(t.Context(), authz.OperatorActor()); err != nil {
		t.Fatal(err)
	}
}

const loggedText = "\x1b_bk;t=1700000000123\a~~~ Preparing\n" +
	"\x1b_bk;t=1700000000200\aplain <b>line</b> \"quoted\" \\ \x1b[32mgreen\x1b[0m ü\xff\n" +
	"\x1b_bk;t=1700000000300\a\x1b[33m--- :test_tube: Test\x1b[0m\n" +
	"\x1b_bk;t=1700000000400\a---no header\n" +
	"\x1b_bk;t=1700000000500\a+++ Upload\r\nlast, without a line end"

func TestALogAsJSON(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		half := int64(strings.Index(loggedText, "ü") + 1) // inside of a character
		j.write(2, half, loggedText[half:])
		j.write(1, 0, loggedText[:half])
		check := func(path string) {
			t.Helper()
			answer := s.Get(testkit.AdminToken, path+"/log").Want(t, 200)
			want := map[string]any{"url": s.URL + path + "/log", "content": strings.ReplaceAll(loggedText, "\xff", "\uFFFD"), "size": float64(len(loggedText)),
				"header_times": []any{1700000000123000000.0, 1700000000300000000.0, 1700000000500000000.0}}
			if got := answer.Object(); !reflect.DeepEqual(got, want) {
				t.Errorf("%v, not %v", got, want)
			}
			if !strings.Contains(string(answer.Body), `"header_times":[1700000000123000000,1700000000300000000,1700000000500000000]`) {
				t.Errorf("the times are no whole numbers: %s", answer.Body)
			}
		}
		check(path)
		j.finish(0)
		packLogs(t, s)
		check(path)
		check("/v2/organizations/acme-inc/jobs/" + j.ID)
		s.Get(testkit.AdminToken, strings.Replace(path, "/builds/1/", "/builds/2/", 1)+"/log").WantMessage(t, 404, "No build found")
	})
}

func TestHeaderTimesThatTheAgentTells(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		j.write(1, 0, "--- one\n--- two\n")
		times := map[string]string{"1": "2026-01-02T03:04:05.000000002Z", "0": "2026-01-02T03:04:05.000000001Z", "10": "2026-01-02T03:04:05.00000001Z"}
		if err := s.Logs.SaveHeaderTimes(t.Context(), j.token, j.ID, times); err != nil {
			t.Fatal(err)
		}
		if body := string(s.Get(testkit.AdminToken, path+"/log").Want(t, 200).Body); !strings.HasSuffix(body, `"header_times":[1767323045000000001,1767323045000000002,1767323045000000010]}`) {
			t.Error(body)
		}
	})
}

func TestALogAsText(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		ask := func(path, accept, asked string) *testkit.Answer {
			return s.Do(testkit.Request{Method: "GET", Path: path, Token: testkit.AdminToken, Header: map[string]string{"Accept": accept, "Range": asked}})
		}
		empty := ask(path+"/log", "text/plain", "").Want(t, 200)
		if len(empty.Body) > 0 || empty.Header.Get("Content-Length") != "0" {
			t.Errorf("an empty log: %s", empty)
		}
		if a := ask(path+"/log.txt", "", "bytes=-5"); a.Status != 416 || a.Header.Get("Content-Range") != "bytes */0" {
			t.Errorf("the end of nothing: %s", a)
		}
		j.write(1, 0, loggedText)
		size := len(loggedText)
		check := func() {
			t.Helper()
			for _, c := range []struct{ path, accept string }{{"/log", "text/plain"}, {"/log", "text/plain; charset=utf-8, */*"}, {"/log.txt", ""}, {"/log.txt", "application/json"}} {
				a := ask(path+c.path, c.accept, "").Want(t, 200)
				if string(a.Body) != loggedText || a.Header.Get("Content-Type") != "text/plain; charset=utf-8" || a.Header.Get("Content-Length") != fmt.Sprint(size) {
					t.Errorf("%v: %s %v", c, a, a.Header)
				}
			}
			for last, want := range map[int]int{1: 1, 10: 10, size: size, size + 1: size, 1 << 60: size} {
				a := ask(path+"/log.txt", "", fmt.Sprintf("bytes=-%d", last)).Want(t, 206)
				said := fmt.Sprintf("bytes %d-%d/%d", size-want, size-1, size)
				if string(a.Body) != loggedText[size-want:] || a.Header.Get("Content-Range") != said {
					t.Errorf("the last %d: %s %s, not %s", last, a, a.Header.Get("Content-Range"), said)
				}
			}
			for _, asked := range []string{"bytes=0-5", "bytes=5-", "bytes=-5,-6", "bytes=--5", "bytes=-", "lines=-5", "bytes=-x", "bytes=-99999999999999999999"} {
				ask(path+"/log.txt", "", asked).WantMessage(t, 400, "Range can only ask for the end of a log, such as bytes=-1000")
			}
			if a := ask(path+"/log.txt", "", "bytes=-0"); a.Status != 416 || a.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", size) {
				t.Errorf("nothing: %s", a)
			}
			ask(path+"/log", "", "bytes=0-5").Want(t, 200) // JSON has no ranges
			head := s.Do(testkit.Request{Method: "HEAD", Path: path + "/log.txt", Token: testkit.AdminToken})
			if head.Status != 200 || head.Header.Get("Content-Length") != fmt.Sprint(size) {
				t.Errorf("HEAD: %s %v", head, head.Header)
			}
		}
		check()
		j.finish(0)
		packLogs(t, s)
		check()
	})
}

func TestALongLogIsStreamed(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		var text strings.Builder
		for i := 0; text.Len() < 12<<20; i++ {
			fmt.Fprintf(&text, "\x1b_bk;t=%d\aline %d\n", 1700000000000+i, i)
		}
		const size = 4 << 20
		for i := 0; i*size < text.Len(); i++ {
			j.write(int64(i+1), int64(i*size), text.String()[i*size:min((i+1)*size, text.Len())])
		}
		for range 2 {
			if a := s.Get(testkit.AdminToken, path+"/log.txt").Want(t, 200); string(a.Body) != text.String() {
				t.Errorf("as text: %d bytes, not %d", len(a.Body), text.Len())
			}
			if a := s.Get(testkit.AdminToken, path+"/log").Want(t, 200); a.Text("content") != text.String() {
				t.Errorf("as JSON: %d bytes, not %d", len(a.Text("content")), text.Len())
			}
			html := string(s.Get(testkit.AdminToken, path+"/log.html").Want(t, 200).Body)
			note := fmt.Sprintf("<p>The log has %d bytes. These are the last %d; log.txt has all of them.</p>\n", text.Len(), 8<<20)
			last := fmt.Sprintf("line %d", strings.Count(text.String(), "\n")-1)
			if !strings.HasPrefix(html, note) || !strings.HasSuffix(html, last) || strings.Contains(html, "line 10\n") {
				t.Errorf("as HTML: %.200q … %.100q", html, html[max(0, len(html)-100):])
			}
			j.finish(0)
			packLogs(t, s)
		}
	})
}

func TestALogAsHTML(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		j.write(1, 0, loggedText+"\n<script>alert(1)</script>\n\x1b]8;;javascript:alert(1)\alink\x1b]8;;\a")
		for _, c := range []struct{ path, accept string }{{"/log.html", ""}, {"/log", "text/html"}, {"/log", "text/html,application/xhtml+xml,*/*;q=0.8"}} {
			a := s.Do(testkit.Request{Method: "GET", Path: path + c.path, Token: testkit.AdminToken, Header: map[string]string{"Accept": c.accept}}).Want(t, 200)
			html := string(a.Body)
			if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || !strings.Contains(a.Header.Get("Content-Security-Policy"), "sandbox") {
				t.Errorf("%v", a.Header)
			}
			for _, want := range []string{`<time datetime="2023-11-14T22:13:20.123Z">`, `<span class="term-fg32">green</span>`, "plain &lt;b&gt;line", "--- :test_tube: Test"} {
				if !strings.Contains(html, want) {
					t.Errorf("%q is not in %s", want, html)
				}
			}
			for _, harmful := range []string{"<script", "<b>", "javascript:"} {
				if strings.Contains(html, harmful) {
					t.Errorf("%q is in %s", harmful, html)
				}
			}
		}
	})
}

func TestDeletingALog(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		j, path := startedJob(t, s)
		j.write(1, 0, "secret")
		s.Delete(testkit.AdminToken, path+"/log").WantMessage(t, 422, "The log of a job can only be deleted when the job has ended")
		j.finish(0)
		s.Delete(testkit.AdminToken, path+"/log").Want(t, 204)
		s.Delete(testkit.AdminToken, path+"/log").Want(t, 204)
		for _, kind := range []string{"/log", "/log.txt", "/log.html"} {
			s.Get(testkit.AdminToken, path+kind).WantMessage(t, 404, "The log of this job was deleted")
		}
		for _, method := range []string{"PUT", "POST"} {
			s.Do(testkit.Request{Method: method, Path: path + "/log", Token: testkit.AdminToken}).Want(t, 405)
		}
		s.Delete(testkit.AdminToken, path+"/log.txt").Want(t, 405)
	})
}
