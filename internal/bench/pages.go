package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
	"penstock/internal/web"
)

// What the pages show, besides the log. Tests have fewer.
var (
	pagePipelines = 1_000
	pageAgents    = 1_000
	pageBuilds    = 10_000
	pageJobs      = 500 // of the build that is shown
	pageViews     = 20  // of each page in a round
)

const unservedPipeline = "unserved" // one step with pageJobs jobs that no agent runs

// measurePages measures the main pages of an installation that has much of everything, and a job whose log has so many lines: what a browser
// loads that has nothing yet, and how soon the page's first byte comes, beside a bare handler that sends as much.
func measurePages(ctx context.Context, engine string, lines int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	wideSteps := "steps: [{label: Test, command: make test, agents: {os: none}, parallelism: " + strconv.Itoa(pageJobs) + "}]"
	in, stop, err := newInstallation(ctx, d, nil)
	if err != nil {
		return err
	}
	defer stop()
	if err := seedPipelines(ctx, d, pagePipelines); err != nil {
		return err
	}
	if err := in.addAgents(ctx, pageAgents); err != nil {
		return err
	}
	if err := in.addBuilds(ctx, pageBuilds, pageBuilds/10); err != nil {
		return err
	}
	if err := in.addPipeline(ctx, unservedPipeline, wideSteps); err != nil {
		return err
	}
	if err := in.createBuild(ctx, unservedPipeline); err != nil {
		return err
	}
	job, err := in.writeLongLog(ctx, lines)
	if err != nil {
		return err
	}
	site, stop, err := in.servePages(ctx)
	if err != nil {
		return err
	}
	defer stop()
	const organization, builds = "/organizations/acme-inc", "/acme-inc/" + singlePipeline + "/builds"
	cluster, err := in.readText(ctx, `SELECT id FROM clusters`)
	if err != nil {
		return err
	}
	build, err := in.readText(ctx, `SELECT CAST(b.number AS TEXT) FROM jobs j JOIN builds b ON b.id = j.build_id WHERE j.id = $1`, job)
	if err != nil {
		return err
	}
	for _, page := range []struct{ name, path string }{
		{"home", organization},
		{"pipelines", organization + "/pipelines"},
		{"builds of a pipeline", organization + "/pipelines/" + singlePipeline},
		{fmt.Sprintf("build of %d jobs", pageJobs), "/acme-inc/" + unservedPipeline + "/builds/1"},
		{"all jobs of that build", "/acme-inc/" + unservedPipeline + "/builds/1?steps=all"},
		{"job with its log", builds + "/" + build + "/jobs/" + job},
		{"a line of the log", builds + "/" + build + "/jobs/" + job + "?line=" + strconv.Itoa(max(1, lines*9/10))},
		{"search in the log", builds + "/" + build + "/jobs/" + job + "?search=nowhere"},
		{"agents", organization + "/agents"},
		{"clusters", organization + "/clusters"},
		{"queue", organization + "/clusters/" + cluster + "/queues/" + string(in.queue)},
	} {
		line, err := site.measure(page.path)
		if err != nil {
			return fmt.Errorf("%s: %w", page.name, err)
		}
		fmt.Printf("%-9s %9d  page, %s: %s\n", engine, lines, page.name, line)
	}
	return nil
}

// addPipeline makes another pipeline.
func (in *installation) addPipeline(ctx context.Context, slug, steps string) error {
	in.pipeline[slug] = domain.NewID[domain.PipelineID]()
	return in.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO pipelines (id, organization_id, cluster_id, slug, name, name_key, repository, configuration, default_branch, tags, created_at, created_by)
			SELECT $1, organization_id, cluster_id, $2, $2, $2, repository, $3, default_branch, tags, created_at, created_by FROM pipelines WHERE id = $4`,
			in.pipeline[slug], slug, steps, in.pipeline[singlePipeline])
		return err
	})
}

func (in *installation) readText(ctx context.Context, sql string, args ...any) (text string, err error) {
	err = in.db.Read(ctx, func(tx *db.Tx) error {
		_, err := tx.One(sql, func(r *db.Row) { text = r.Text() }, args...)
		return err
	})
	return text, err
}

// writeLongLog has a job write a log as programs do, with colours, times and groups, and returns the job.
func (in *installation) writeLongLog(ctx context.Context, lines int) (job string, err error) {
	if err := in.createBuild(ctx, singlePipeline); err != nil {
		return "", err
	}
	_, err = in.withAgents(ctx, 1, func(_ int, a *agent) error {
		if job, err = a.ping(); err == nil {
			err = a.startJob(job)
		}
		var part bytes.Buffer
		sequence, offset := 0, 0
		send := func() {
			var packed bytes.Buffer
			out := gzip.NewWriter(&packed)
			_, _ = out.Write(part.Bytes())
			_ = out.Close()
			sequence++
			_, err = a.call(http.MethodPost, fmt.Sprintf("/v3/jobs/%s/chunks?sequence=%d&offset=%d&size=%d", job, sequence, offset, part.Len()), a.jobToken, packed.String())
			offset += part.Len()
			part.Reset()
		}
		for i := 0; i < lines && err == nil; i++ {
			fmt.Fprintf(&part, "\x1b_bk;t=%d\x07", 1_767_225_600_000+i*7)
			switch {
			case i%50_000 == 0:
				fmt.Fprintf(&part, "\x1b[90m--- :hammer: Group %d\x1b[0m\r\n", i/50_000)
			case i%3 == 0:
				fmt.Fprintf(&part, "\x1b[32mPASS\x1b[0m src/package%d/file_%d.test.ts \x1b[2m(%d ms)\x1b[22m\r\n", i%97, i, i%1000)
			default:
				fmt.Fprintf(&part, "  compiled module %d of the benchmark in %d ms\r\n", i, i%100)
			}
			if part.Len() >= chunkBytes-200 {
				send()
			}
		}
		if err == nil && part.Len() > 0 {
			send()
		}
		if err != nil {
			return err
		}
		return a.finishJob(job)
	})
	return job, err
}

// pageSite is the web interface, with a user who is signed in.
type pageSite struct {
	in      *installation
	address string
	session string
	loaded  map[string]int // bytes of files that pages use, by path
}

// servePages serves the web interface.
func (in *installation) servePages(ctx context.Context) (*pageSite, func(), error) {
	shared := core.New(core.Options{DB: in.db})
	svc := service.New(service.Options{Core: shared})
	session, err := svc.SignInWithOIDC(ctx, authz.VisitorActor(netip.IPv6Loopback()), domain.VerifiedClaims{Email: "bench@example.com", EmailVerified: true})
	if err != nil {
		return nil, nil, err
	}
	pages := web.New(web.Options{Settings: httpcall.Settings{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}, Service: svc, Agents: in.agents, Builds: in.builds, Logs: in.logs, Artifacts: in.artifacts, Caches: in.caches,
		Reader: read.New(shared), BaseURL: "http://penstock.example.com"})
	address, stop, err := load.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if svg, ok := web.Avatar(r.URL.Path); ok {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(w, svg)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	return &pageSite{in, address, session.Reveal(), map[string]int{}}, stop, err
}

// wire returns a request of the signed-in user's browser.
func (s *pageSite) wire(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: penstock.example.com\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nCookie: penstock_session=" + s.session +
		"; penstock_browser=" + strings.Repeat("b", 43) + "\r\n\r\n"
}

// usedFile finds the files that a page makes browsers load.
var usedFile = regexp.MustCompile(`<(?:link|script|img)[^>]* (?:href|src)="(/(?:assets|avatars)/[^"]+)"`)

// measure looks at a page as a browser does that has nothing of it yet, and as one that comes again.
func (s *pageSite) measure(path string) (string, error) {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	in := bufio.NewReaderSize(conn, 64<<10)
	start := time.Now()
	if _, _, err := s.view(conn, in, path); err != nil {
		return "", err
	}
	first := time.Since(start)
	statements := s.in.db.Statements()
	_, body, err := s.view(conn, in, path)
	if err != nil {
		return "", err
	}
	statements = s.in.db.Statements() - statements
	text, err := unzip(body)
	if err != nil {
		return "", err
	}
	all, requests := len(body), 1
	for _, found := range slices.Compact(slices.Sorted(slices.Values(usedFiles(text)))) {
		if _, known := s.loaded[found]; !known {
			_, file, err := s.view(conn, in, found)
			if err != nil {
				return "", err
			}
			s.loaded[found] = len(file)
		}
		all += s.loaded[found]
		requests++
	}
	ours, bare, err := s.firstBytes(path, len(body))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%.1f kB in %d requests, %.1f kB of them the page, which is %.1f kB unpacked, made with %d statements; the first byte comes after %s (%s the first time), a bare handler's after %s: a ratio of %.4f",
		float64(all)/1e3, requests, float64(len(body))/1e3, float64(len(text))/1e3, statements, ours.Round(10*time.Microsecond), first.Round(time.Millisecond),
		bare.Round(time.Microsecond), float64(bare)/float64(ours)), nil
}

func usedFiles(page []byte) (paths []string) {
	for _, found := range usedFile.FindAllSubmatch(page, -1) {
		paths = append(paths, string(found[1]))
	}
	return paths
}

func unzip(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	in, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// view asks for a path, and returns how soon the first byte came, and the answer as it was sent.
func (s *pageSite) view(conn net.Conn, in *bufio.Reader, path string) (time.Duration, []byte, error) {
	start := time.Now()
	if _, err := io.WriteString(conn, s.wire(path)); err != nil {
		return 0, nil, err
	}
	if _, err := in.Peek(1); err != nil {
		return 0, nil, err
	}
	took := time.Since(start)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is answered with %s", path, resp.Status)
	}
	return took, body, err
}

// firstBytes returns how soon the first byte of a page comes, and of a bare handler's answer that is as large, in turns: the medians.
func (s *pageSite) firstBytes(path string, size int) (ours, bare time.Duration, err error) {
	bareAddress, stop, err := load.Serve(load.Bare(http.StatusOK, size))
	if err != nil {
		return 0, 0, err
	}
	defer stop()
	var conns [2]net.Conn
	var readers [2]*bufio.Reader
	for i, address := range []string{s.address, bareAddress} {
		if conns[i], err = net.Dial("tcp", address); err != nil {
			return 0, 0, err
		}
		defer func() { _ = conns[i].Close() }()
		readers[i] = bufio.NewReaderSize(conns[i], 64<<10)
	}
	var times [2][]time.Duration
	for range pageViews * *rounds {
		for i := range conns {
			took, _, err := s.view(conns[i], readers[i], path)
			if err != nil {
				return 0, 0, err
			}
			times[i] = append(times[i], took)
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return times[0][len(times[0])/2], times[1][len(times[1])/2], nil
}
