package web

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

// textSource is a log that is a text.
func textSource(text string) logSource {
	return logSource{int64(len(text)), func(_ context.Context, from, length int64) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text[from:min(from+length, int64(len(text)))])), nil
	}}
}

// extendTo extends an index to a text, and returns the text as a log.
func (x *logIndex) extendTo(t *testing.T, text string) logSource {
	t.Helper()
	log := textSource(text)
	if err := x.extend(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	return log
}

// wantLines checks what is shown of a log from a line on, which is counted from 1.
func (x *logIndex) wantLines(t *testing.T, log logSource, from int64, want ...string) {
	t.Helper()
	lines, err := x.renderLines(t.Context(), log, from-1, int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines from %d on, want %d: %v", len(lines), from, len(want), lines)
	}
	for i, line := range lines {
		if line.Number != from+int64(i) || string(line.HTML) != want[i] {
			t.Errorf("line %d is %d: %q, want %q", from+int64(i), line.Number, line.HTML, want[i])
		}
	}
}

func TestLinesAreRenderedAsATerminalShowsThem(t *testing.T) {
	t.Parallel()
	text := "plain & <b>\n" +
		"\x1b_bk;t=1700000000123\x07\x1b[31mred\n" + // the colour goes on
		"still red\x1b[0m\n" +
		"10%\r90%\r100%\n" +
		"one\ntwo\n\x1b[2A\x1b[2KONE\n\x1b[2KTWO\n" + // written again
		"\x1b]8;;https://example.com/?a=1&b=2\x07link\x1b]8;;\x07 \x1b]8;;javascript:alert(1)\x07bad\x1b]8;;\x07 \x1b]8;;/sign-out\x07ours\x1b]8;;\x07\n" +
		"not yet end"
	var x logIndex
	log := x.extendTo(t, text)
	if n := x.lines(log); n != 8 {
		t.Errorf("%d lines", n)
	}
	x.wantLines(t, log, 1, "plain &amp; &lt;b&gt;", `<span class="term-fg31">red</span>`, `<span class="term-fg31">still red</span>`, "100%", "ONE", "TWO",
		`<a rel="external noreferrer" href="https://example.com/?a=1&amp;b=2">link</a> <a>bad</a> <a>ours</a>`, "not yet end")
	lines, err := x.renderLines(t.Context(), log, 1, 1)
	if err != nil || lines[0].At.UnixMilli() != 1700000000123 {
		t.Errorf("the time of a line is %v %v", lines, err)
	}
	log = x.extendTo(t, "\x1b]1338;url=https://example.com/x.png;alt=a <picture>\x07\n")
	x.wantLines(t, log, 1, "a &lt;picture&gt;")
}

func TestAnyPartOfALongLogIsRendered(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	const lines = 20_000
	for i := range lines {
		switch i {
		case 700:
			b.WriteString("\x1b[32mgreen from here\n")
		case 12_345:
			fmt.Fprintf(&b, "%s\n", strings.Repeat("x", 3<<20)) // longer than what is rendered at once
		default:
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
	}
	whole := b.String()
	var x logIndex
	for _, end := range []int{10, 5_000, 5_003, 100_000, len(whole)} { // as it grows
		x.extendTo(t, whole[:end])
	}
	log := x.extendTo(t, whole)
	if n := x.lines(log); n != lines {
		t.Errorf("%d lines", n)
	}
	x.wantLines(t, log, 1, "line 1", "line 2")
	x.wantLines(t, log, 702, `<span class="term-fg32">line 702</span>`)
	x.wantLines(t, log, 9_999, `<span class="term-fg32">line 9999</span>`, `<span class="term-fg32">line 10000</span>`)
	x.wantLines(t, log, 12_347, `<span class="term-fg32">line 12347</span>`)
	x.wantLines(t, log, lines, `<span class="term-fg32">line 20000</span>`)
	if found, err := x.renderLines(t.Context(), log, 12_345, 1); err != nil || len(found) != 1 || len(found[0].HTML) > maxRendered+100 {
		t.Errorf("a line that is too long: %d %v", len(found), err)
	}
	if len(x.points) < lines/linesPerPoint || len(x.points) > 2*lines/linesPerPoint {
		t.Errorf("%d points", len(x.points))
	}

	shorter := x.extendTo(t, "another\n") // such as one that was deleted
	x.wantLines(t, shorter, 1, "another")
}

func TestHeadersBeginGroups(t *testing.T) {
	t.Parallel()
	var x logIndex
	x.extendTo(t, "before\n~~~ Preparing\nx\n\x1b_bk;t=1700000000000\x07\x1b[90m--- :hammer: Build\x1b[0m\nx\n---no header\n+++ Tests\n--- Upload\n^^^ +++\n--- not whole")
	got := ""
	for _, h := range x.headers {
		got += fmt.Sprintf("%d%c%s/%v ", h.line, h.kind, h.title, h.at.Unix() == 1700000000)
	}
	if want := "1~Preparing/false 3-🔨 Build/true 6+Tests/false 7+Upload/false "; got != want {
		t.Errorf("the headers are %q, want %q", got, want)
	}
}

func TestLogIsSearched(t *testing.T) {
	t.Parallel()
	var x logIndex
	log := x.extendTo(t, "one\n\x1b[31mE\x1b[0mrror: x\nthree\n"+strings.Repeat("error again\n", maxFoundLines))
	found, more, err := x.searchLines(t.Context(), log, "ERROR")
	if err != nil || !more || len(found) != maxFoundLines || found[0].Number != 2 || found[0].Text != "Error: x" || found[1].Number != 4 {
		t.Errorf("found %d %v %v", len(found), more, err)
	}
	if found, more, err = x.searchLines(t.Context(), log, "nothing"); err != nil || more || len(found) > 0 {
		t.Errorf("found %v %v %v", found, more, err)
	}
}
