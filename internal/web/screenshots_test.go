package web_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

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
	example, err := os.ReadFile("testdata/screenshots.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.Bootstrap(string(example))
	browser := chromium.Start(t, chromium.DejaVu)
	tab := s.tabOf(t, browser, "admin@example.com")
	const (
		organization = "/organizations/river-works"
		cluster      = organization + "/clusters/0190a000-0000-7000-8000-000000000121"
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
		if len(picture) > 80_000 {
			t.Errorf("%s has %d bytes", name, len(picture))
		}
	}
	shoot("overview", "light", 1200, 800, organization)
	shoot("cluster-dark", "dark", 1200, 800, cluster)
	shoot("policy", "light", 1200, 1080, registry+"/policy")
	shoot("usage-dark", "dark", 1200, 1060, organization+"/usage")
	run := chromedp.CSS(".graphiql-execute-button")
	shoot("console", "light", 1200, 800, organization+"/graphql", chromedp.Click(run),
		chromedp.WaitVisible(chromedp.JSPath(`[...document.querySelectorAll(".graphiql-response .cm-string")].find(e => e.textContent.includes("Backend"))`)))
	shoot("phone", "light", 390, 800, organization+"/clusters")
}

// shrink makes a picture small: it keeps the colours that it has most of, and takes the nearest of them for the others.
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
	palette := color.Palette(colors[:min(len(colors), 256)])
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
