package web_test

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
)

// TestScreenshots takes the pictures that the README shows, for make screenshots.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PENSTOCK_SCREENSHOTS")
	if dir == "" {
		t.Skip("PENSTOCK_SCREENSHOTS is not set: make screenshots takes them")
	}
	s := newBrowserSite(t)
	s.Clock.Advance(time.Since(s.Clock.Now()))
	example, err := os.ReadFile("testdata/screenshots.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.Bootstrap(string(example))
	build, job := s.buildForPictures()
	browser := chromium.Start(t, chromium.Inter)
	tab := s.tabOf(t, browser, "admin@example.com")
	const (
		organization = "/organizations/river-works"
		cluster      = organization + "/clusters/" + picturedCluster
		registry     = cluster + "/registries/0190a000-0000-7000-8000-000000000141"
	)
	shoot := func(name, look string, width, height int64, path string, prepare ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		tab.Prefer(look)
		tab.Do(chromedp.EmulateViewport(width, height))
		tab.Open(path)
		tab.Do(prepare...)
		picture := shrink(t, chromium.Run(tab, chromedp.CaptureScreenshot()))
		if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d KB", name, len(picture)/1000)
		if len(picture) > 100_000 {
			t.Errorf("%s has %d bytes", name, len(picture))
		}
	}
	shoot("build", "light", 1280, 930, build)
	shoot("log-dark", "dark", 1280, 840, job)
	shoot("pipeline", "light", 1280, 840, organization+"/pipelines/web")
	shoot("queue-dark", "dark", 1280, 1020, cluster+"/queues/"+picturedQueue)
	shoot("overview", "light", 1280, 900, organization)
	shoot("policy", "light", 1280, 1080, registry+"/policy")
	run := chromedp.CSS(".graphiql-execute-button")
	shoot("console", "light", 1280, 800, organization+"/graphql", chromedp.Click(run),
		chromedp.WaitVisible(chromedp.JSPath(`[...document.querySelectorAll(".graphiql-response .cm-string")].find(e => e.textContent.includes("Backend"))`)))
	shoot("phone", "light", 390, 844, build)
}

// What testdata/screenshots.yaml has.
const (
	picturesToken   = "token-for-the-pictures"
	picturedCluster = "0190a000-0000-7000-8000-000000000121"
	picturedQueue   = "0190a000-0000-7000-8000-000000000131"
)

// picturedSteps are the steps of the build that the pictures show.
const picturedSteps = `
steps:
  - {label: ":hammer: Compile", key: compile, command: make build}
  - group: ":test_tube: Tests"
    depends_on: compile
    steps:
      - {label: Unit tests, command: make test}
      - {label: "Browser tests {{matrix}}", command: "make browser-test", matrix: [Chromium, Firefox, WebKit]}
  - {label: ":mag: Lint", command: make lint, depends_on: compile}
  - wait
  - {block: ":rocket: Deploy to production?", key: release}
  - {label: ":rocket: Deploy", command: make deploy}
`

// picturedLog is what the job wrote that failed.
const picturedLog = "~~~ Preparing working directory\nFetching main\n~~~ Restoring the cache of Go modules\nHit: go-mod-3f9c21 (184 MB)\n--- :hammer: Building the tests\n\x1b[90m$\x1b[0m go test -c ./...\n" +
	"+++ :test_tube: Running the tests\n\x1b[90m$\x1b[0m make test\n\x1b[32mok\x1b[0m    river/billing    \x1b[90m1.204s\x1b[0m\n\x1b[32mok\x1b[0m    river/catalog    \x1b[90m0.871s\x1b[0m\n" +
	"\x1b[31m--- FAIL: TestCartTotals (0.02s)\x1b[0m\n    \x1b[31m--- FAIL: TestCartTotals/with_tax (0.00s)\x1b[0m\n        cart_test.go:48: total is \x1b[1;31m41.40\x1b[0m, want \x1b[1;32m41.42\x1b[0m\n" +
	"\x1b[31mFAIL\x1b[0m  river/cart       \x1b[90m0.318s\x1b[0m\n\x1b[32mok\x1b[0m    river/checkout   \x1b[90m2.090s\x1b[0m\n\x1b[32mok\x1b[0m    river/inventory  \x1b[90m0.655s\x1b[0m\n" +
	"\x1b[33mwarning:\x1b[0m coverage of river/cart fell to \x1b[1m81.4%\x1b[0m\n\nSee \x1b]1339;url=https://example.com/coverage;content=the coverage report\a\n\x1b[31mmake: *** [test] Error 1\x1b[0m\n"

// buildForPictures makes builds of a pipeline as weeks of work would leave them, and returns the pages of the last one and of its job that failed.
func (s *site) buildForPictures() (build, failed string) {
	s.t.Helper()
	const web = "/v2/organizations/river-works/pipelines/web"
	token := s.Post(picturesToken, "/v2/organizations/river-works/clusters/"+picturedCluster+"/tokens", map[string]any{"description": "Machines"}).Want(s.t, http.StatusCreated).Text("token")
	var workers []*worker
	for i := range 4 {
		workers = append(workers, s.connectWorker(authz.AgentActor(authz.AgentToken, token, netip.MustParseAddr("192.0.2.7")), fmt.Sprintf("linux-%d", i+1), "queue=default"))
	}
	now := s.Clock.Now()
	create := func(branch, message string) float64 {
		return s.Post(picturesToken, web+"/builds", map[string]any{"commit": fmt.Sprintf("%x", sha1.Sum([]byte(message))), "branch": branch, "message": message}).
			Want(s.t, http.StatusCreated).Object()["number"].(float64)
	}
	s.Patch(picturesToken, web, map[string]any{"default_branch": "main", "configuration": "steps: [{label: Test, command: make test}]"}).Want(s.t, http.StatusOK)
	past := []string{"Show prices with tax", "Cache the catalogue", "Update dependencies", "Speed up the search", "Send receipts by mail", "Remember the cart", "Mend the login on phones"}
	for i := range 29 {
		branch := "main"
		if i%3 == 1 {
			branch = "feature/" + strings.ReplaceAll(strings.ToLower(past[i%len(past)]), " ", "-")
		}
		number := create(branch, past[i%len(past)])
		status := int64(0)
		if i%9 == 4 {
			status = 1
		}
		workers[0].take().finish(status)
		finished := now.Add(-time.Duration(29-i) * 47 * time.Minute)
		s.setTimes(number, finished.Add(-time.Duration(95+(i*37)%140)*time.Second), finished)
	}
	s.Patch(picturesToken, web, map[string]any{"configuration": picturedSteps}).Want(s.t, http.StatusOK)
	number := create("feature/totals", "Round totals of the cart to cents")
	build = fmt.Sprintf("/river-works/web/builds/%v", number)
	begun := now.Add(-5 * time.Minute)
	for i, ran := range []int{41, 74, 103, 126, 98, 22} { // seconds: Compile; Unit, three browsers, Lint
		job := workers[i%4].take()
		status, starts := int64(0), begun.Add(50*time.Second)
		switch i {
		case 0:
			starts = begun.Add(4 * time.Second)
		case 1:
			failed = build + "/jobs/" + job.ID
			job.write(picturedLog)
			job.upload("x", "coverage/index.html", "reports/unit.xml")
			job.annotate("error", "**1 of 348 tests failed**: `TestCartTotals/with_tax`: total is 41.40, want 41.42")
			job.annotate("warning", "Coverage of `river/cart` fell from 83.0 % to 81.4 %. See [the report](https://example.com/coverage).")
			status = 1
		}
		job.finish(status)
		testkit.Change(s.t, s.DB, `UPDATE job_runs SET runnable_at = $1, assigned_at = $2, accepted_at = $2, started_at = $2, finished_at = $3 WHERE job_id = $4`, starts.Add(-3*time.Second).UnixMicro(), starts.UnixMicro(),
			starts.Add(time.Duration(ran)*time.Second).UnixMicro(), job.ID)
	}
	s.setTimes(number, begun, begun.Add(180*time.Second))

	for i, pipeline := range []string{"api", "payments", "api", "payments"} {
		path := "/v2/organizations/river-works/pipelines/" + pipeline
		s.Patch(picturesToken, path, map[string]any{"configuration": `steps: [{label: ":package: Package", command: make}]`}).Want(s.t, http.StatusOK)
		s.Post(picturesToken, path+"/builds", map[string]any{"commit": "HEAD", "branch": "main", "message": past[i]}).Want(s.t, http.StatusCreated)
		if i < 3 {
			workers[i].take()
		}
	}
	const sinceThen = int64(134 * time.Second / time.Microsecond)
	testkit.Change(s.t, s.DB, `UPDATE job_runs SET created_at = created_at - $1, runnable_at = runnable_at - $1, started_at = started_at - $1 + 3000000 WHERE finished_at IS NULL`, sinceThen)
	testkit.Change(s.t, s.DB, `UPDATE builds SET created_at = created_at - $1, started_at = started_at - $1 WHERE finished_at IS NULL`, sinceThen)
	for i := range 96 {
		at := now.Truncate(domain.SampleInterval).Add(-time.Duration(95-i) * domain.SampleInterval)
		busy := int64(20 + 18*math.Sin(float64(i)/15) + 9*math.Sin(float64(i)/4)) // tenths of an agent, times 1.5
		testkit.Exec(s.t, s.DB, `INSERT INTO queue_samples (queue_id, began_at, samples, waiting, running, idle, started, median_wait, long_wait) VALUES ($1, $2, 15, $3, $4, $5, 9, $6, $7)`,
			picturedQueue, at.UnixMicro(), max(0, busy-22), max(0, busy), 60-max(0, busy), (2+max(0, busy)/6)*1_000_000, (6+max(0, busy))*1_000_000)
	}
	return build, failed
}

// setTimes says when the build of the pictures' pipeline with that number ran.
func (s *site) setTimes(number float64, started, finished time.Time) {
	s.t.Helper()
	testkit.Change(s.t, s.DB, `UPDATE builds SET created_at = $1, scheduled_at = $1, started_at = $2, finished_at = CASE WHEN finished_at IS NULL THEN NULL ELSE $3 END
		WHERE number = $4 AND pipeline_id = (SELECT id FROM pipelines WHERE slug = 'web' AND organization_id = (SELECT id FROM organizations WHERE slug = 'river-works'))`,
		started.Add(-6*time.Second).UnixMicro(), started.UnixMicro(), finished.UnixMicro(), int64(number))
}

// shrink makes a picture small: it keeps the colors that it has most of, and of the others those that are least like them, and takes the nearest for the
// rest.
func shrink(t *testing.T, picture []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	used := map[color.Color]int{}
	area := full.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			used[full.At(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(used), func(a, b color.Color) int { return cmp.Compare(used[b], used[a]) })
	palette := color.Palette(slices.Clone(colors[:min(len(colors), 200)]))
	unlike := make([]uint32, len(colors)) // how far each is from the nearest in the palette
	for i, c := range colors {
		unlike[i] = distance(c, palette.Convert(c))
	}
	for len(palette) < min(len(colors), 256) {
		farthest := 0
		for i := range colors {
			if unlike[i] > unlike[farthest] {
				farthest = i
			}
		}
		palette = append(palette, colors[farthest])
		for i, c := range colors {
			unlike[i] = min(unlike[i], distance(c, colors[farthest]))
		}
	}
	nearest := map[color.Color]uint8{}
	for _, c := range colors {
		nearest[c] = uint8(palette.Index(c))
	}
	reduced := image.NewPaletted(area, palette)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			reduced.SetColorIndex(x, y, nearest[full.At(x, y)])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduced); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// distance is how unlike two colors are.
func distance(a, b color.Color) (sum uint32) {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
		apart := (max(pair[0], pair[1]) - min(pair[0], pair[1])) >> 8
		sum += apart * apart
	}
	return sum
}
