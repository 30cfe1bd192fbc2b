package web

import (
	"bytes"
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
	lines, err := x.renderLines(t.Context(), log, from-1, int64(len(want)), maxRendered)
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
	if n := x.lines(); n != 8 {
		t.Errorf("%d lines", n)
	}
	x.wantLines(t, log, 1, "plain &amp; &lt;b&gt;", `<span class="term-fg31">red</span>`, `<span class="term-fg31">still red</span>`, "100%", "ONE", "TWO",
		`<a rel="external noreferrer" href="https://example.com/?a=1&amp;b=2">link</a> <a>bad</a> <a>ours</a>`, "not yet end")
	lines, err := x.renderLines(t.Context(), log, 1, 1, maxRendered)
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
	if n := x.lines(); n != lines {
		t.Errorf("%d lines", n)
	}
	x.wantLines(t, log, 1, "line 1", "line 2")
	x.wantLines(t, log, 702, `<span class="term-fg32">line 702</span>`)
	x.wantLines(t, log, 9_999, `<span class="term-fg32">line 9999</span>`, `<span class="term-fg32">line 10000</span>`)
	x.wantLines(t, log, 12_347, `<span class="term-fg32">line 12347</span>`)
	x.wantLines(t, log, lines, `<span class="term-fg32">line 20000</span>`)
	if found, err := x.renderLines(t.Context(), log, 12_345, 1, maxRendered); err != nil || len(found) != 1 || len(found[0].HTML) > maxLine+100 {
		t.Errorf("a line that is too long: %d %v", len(found), err)
	}
	if most := len(whole)/bytesPerPoint + 1; len(x.points) > most || len(x.points) < 4 {
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
	found, more, err := x.searchLines(t.Context(), log, logSearch{Text: "ERROR"})
	if err != nil || !more || len(found) != maxFoundLines || found[0].Number != 2 || found[0].Text != "Error: x" || found[1].Number != 4 {
		t.Errorf("found %d %v %v", len(found), more, err)
	}
	if found, more, err = x.searchLines(t.Context(), log, logSearch{Text: "nothing"}); err != nil || more || len(found) > 0 {
		t.Errorf("found %v %v %v", found, more, err)
	}
}

// longLog is a log of a million lines, of which none is held in memory. It counts what is read of it.
type longLog struct {
	lines int64
	read  int64 // bytes
}

const (
	millionLines = 1_000_000
	longLineText = "\x1b_bk;t=1700000000000\x07\x1b[32mPASS\x1b[0m \x1b[2mfile_0000000.test.ts\x1b[22m took 123 ms\r\n"
	longLine     = int64(len(longLineText))
)

// ReadAt reads a part of the log. Every 50,000th line is a header.
func (l *longLog) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		at := offset + int64(n)
		line := at / longLine
		text := []byte(longLineText)
		if line%50_000 == 0 {
			copy(text, "\x1b[90m--- group x\x1b[0m"+strings.Repeat(" ", 20))
		}
		for i, rest := bytes.Index(text, []byte(".test"))-1, line+1; rest > 0; i, rest = i-1, rest/10 {
			text[i] = byte('0' + rest%10)
		}
		n += copy(p[n:], text[at%longLine:])
	}
	l.read += int64(n)
	return n, nil
}

func (l *longLog) source() logSource {
	return logSource{l.lines * longLine, func(_ context.Context, from, length int64) (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(l, from, length)), nil
	}}
}

// wantRead checks that no more than so many bytes of the log were read since the last time.
func (l *longLog) wantRead(t *testing.T, what string, most int64) {
	t.Helper()
	if l.read > most {
		t.Errorf("%s: %d bytes of the log were read, not %d at most", what, l.read, most)
	}
	l.read = 0
}

func TestAMillionLinesAreIndexedOnceAndReadInParts(t *testing.T) {
	t.Parallel()
	long := &longLog{lines: millionLines - 10}
	var x logIndex
	if err := x.extend(t.Context(), long.source()); err != nil {
		t.Fatal(err)
	}
	long.wantRead(t, "the index", long.source().size)
	long.lines = millionLines // it grows
	log := long.source()
	if err := x.extend(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	long.wantRead(t, "the index of what was added", 10*longLine)
	if n, groups := x.lines(), len(x.headers); n != millionLines || groups != 20 {
		t.Errorf("%d lines in %d groups", n, groups)
	}
	if most := log.size/bytesPerPoint + 1; int64(len(x.points)) > most {
		t.Errorf("the index has %d points, not %d at most", len(x.points), most)
	}
	for _, from := range []int64{0, 1, 49_999, 500_000, 899_999, millionLines - 500} {
		lines, err := x.renderLines(t.Context(), log, from, 500, maxRendered)
		if err != nil || len(lines) != 500 || lines[0].Number != from+1 || lines[499].Number != from+500 {
			t.Fatalf("from %d on: %d lines, %v", from, len(lines), err)
		}
		if want := fmt.Sprintf("file_%07d.test.ts", from+500); !strings.Contains(string(lines[499].HTML), want) {
			t.Errorf("line %d is %q", from+500, lines[499].HTML)
		}
		long.wantRead(t, "500 lines", bytesPerPoint+500*longLine+maxLineBuffer)
	}
	found, more, err := x.searchLines(t.Context(), log, logSearch{Text: "FILE_1000000"})
	if err != nil || more || len(found) != 1 || found[0].Number != millionLines {
		t.Errorf("found %v %v %v", found, more, err)
	}
	long.wantRead(t, "a search", log.size)
}

func TestReadersShareAnIndexThatGrows(t *testing.T) {
	t.Parallel()
	var all logIndexes
	long := &longLog{lines: 100_000}
	before, err := all.of("job").read(t.Context(), long.source())
	if err != nil {
		t.Fatal(err)
	}
	short := long.source()
	long.wantRead(t, "the first reader", short.size)
	long.lines *= 2
	if _, err := all.of("job").read(t.Context(), long.source()); err != nil {
		t.Fatal(err)
	}
	long.wantRead(t, "the second reader", short.size)
	if before.lines() != 100_000 || len(before.headers) != 2 {
		t.Errorf("what the first reader has became %d lines in %d groups", before.lines(), len(before.headers))
	}
	before.wantLines(t, short, 100_001) // none
}

func TestALineThatIsWrittenAMillionTimesIsShownAsItIsInTheEnd(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("begin\n")
	for i := range millionLines {
		fmt.Fprintf(&b, "\r\x1b[32m%7d of 1000000\x1b[0m", i+1)
	}
	growing := b.String()
	var x logIndex
	for _, part := range []int{1000, 64 << 10, 1 << 20, 1<<20 + 9, len(growing) / 2, len(growing)} { // while it has not ended
		x.extendTo(t, growing[:part])
	}
	log := x.extendTo(t, growing)
	x.wantLines(t, log, 1, "begin", `<span class="term-fg32">1000000 of 1000000</span>`)
	if n := x.lines(); n != 2 {
		t.Errorf("%d lines", n)
	}
	log = x.extendTo(t, growing+"\r\n--- end\nlast")
	x.wantLines(t, log, 1, "begin", `<span class="term-fg32">1000000 of 1000000</span>`, "--- end", "last")
	if len(x.headers) != 1 || x.headers[0].line != 2 {
		t.Errorf("the headers are %v", x.headers)
	}
}

func TestLinesThatAreWrittenAgainAreShownAsTheyAreInTheEnd(t *testing.T) {
	t.Parallel()
	for _, updates := range []int{3, 5_000, 100_000} {
		var b strings.Builder
		for i := range 1_000 {
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
		b.WriteString("one\ntwo\nthree\n")
		for i := range updates {
			fmt.Fprintf(&b, "\x1b[3A\x1b[2K\rone %d\n\x1b[2K\rtwo %d\n\x1b[2K\rthree %d\n", i+1, i+1, i+1)
		}
		b.WriteString("after\n\n")
		var x logIndex
		log := x.extendTo(t, b.String())
		if n := x.lines(); n != 1_005 {
			t.Fatalf("%d lines", n)
		}
		last := func(what string) string { return fmt.Sprintf("%s %d", what, updates) }
		x.wantLines(t, log, 1_000, "line 1000", last("one"), last("two"), last("three"), "after", "")
	}
}

func TestVeryLongLinesAreCut(t *testing.T) {
	t.Parallel()
	var x logIndex
	long := strings.Repeat("abcdefghij", 2<<20)
	log := x.extendTo(t, "begin\n"+long+"\nbetween\n"+long+"\nend\n"+long)
	lines, err := x.renderLines(t.Context(), log, 0, 6, maxRendered)
	if err != nil || len(lines) != 6 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	for i, want := range []string{"begin", "", "between", "", "end", ""} {
		html := string(lines[i].HTML)
		if want != "" && html != want || want == "" && (!strings.HasSuffix(html, lineCut) || len(html) > maxLine+len(lineCut)) {
			t.Errorf("line %d has %d bytes, want %q", i+1, len(html), want)
		}
	}
	var many strings.Builder // of a page, not all
	for range 100 {
		many.WriteString(long[:maxLine/2] + "\n")
	}
	var y logIndex
	log = y.extendTo(t, many.String())
	if lines, err := y.renderLines(t.Context(), log, 10, 50, 1<<20); err != nil || len(lines) != 32 {
		t.Errorf("%d lines in a MiB: %v", len(lines), err)
	}
}
