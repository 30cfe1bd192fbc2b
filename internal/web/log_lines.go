package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"html"
	"html/template"
	"io"
	"regexp"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	terminal "github.com/buildkite/terminal-to-html/v3"
)

// logLine is a line of a log as it is shown.
type logLine struct {
	Number int64 // counted from 1
	At     time.Time
	HTML   template.HTML
	Hit    bool // it has what is searched for
	Picked bool // it is one of the lines that the address asks for
	Hidden bool // it is no text, but opens the group before it
}

// To is the address of the line.
func (l logLine) To() string { return lineLink(l.Number) }

const (
	maxRendered = 1 << 20  // bytes of a log that are rendered at once; lines that come after are left for another time
	maxLine     = 64 << 10 // bytes of a line that are shown; of one that is written again and again, the last ones
	lineCut     = " … the raw log has the rest of this line"
)

// renderLines returns lines of a log, from one that is counted from 0 on: so many, or fewer if they would be more than
// a number of bytes.
func (x *logIndex) renderLines(ctx context.Context, log logSource, from, count int64, limit int) ([]logLine, error) {
	screen, err := terminal.NewScreen()
	if err != nil {
		return nil, err
	}
	r := &lineRenderer{x: x, log: log, screen: screen, end: from + count}
	defer r.close()
	above, err := r.begin(ctx, from)
	if err != nil {
		return nil, err
	}
	for r.read < limit || r.scanner.line <= from {
		more, err := r.renderLine(ctx)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	texts := strings.Split(screen.AsHTML(), "\n")
	lines := make([]logLine, max(0, min(count, r.lines()-from)))
	for i := range lines {
		text := "" // lines at the end that nothing was written to are not on the screen
		if above+i < len(texts) {
			text = texts[above+i]
		}
		lines[i] = newLogLine(from+int64(i)+1, text)
	}
	return lines, nil
}

// lineRenderer writes lines of a log to a screen. It leaves out what is not seen in the end: most of a very long line,
// and most of what is written to the same lines again and again.
type lineRenderer struct {
	x       *logIndex
	log     logSource
	screen  *terminal.Screen
	scanner lineScanner
	end     int64 // line before which it ends
	in      io.ReadCloser
	buffer  *bufio.Reader
	offset  int64
	read    int  // bytes
	isOpen  bool // the last line has not ended
	colors  logColors
}

// write writes to the screen, in colors that pages have.
func (r *lineRenderer) write(text []byte) { _, _ = r.screen.Write(r.colors.adapt(text)) }

// lines returns up to which line the log was rendered.
func (r *lineRenderer) lines() int64 {
	if r.isOpen {
		return r.scanner.line + 1
	}
	return r.scanner.line
}

func (r *lineRenderer) close() {
	if r.in != nil {
		_ = r.in.Close()
	}
}

// begin goes to the beginning of a line, and returns how many lines the screen has above it.
func (r *lineRenderer) begin(ctx context.Context, from int64) (above int, err error) {
	point := r.x.points[r.x.pointBefore(from)]
	if err := r.jump(ctx, point); err != nil {
		return 0, err
	}
	r.scanner.line, r.scanner.style = point.line, []byte(point.style)
	for r.scanner.line < from {
		part, err := r.buffer.ReadSlice('\n')
		r.offset += int64(len(part))
		r.scanner.scan(part)
		switch {
		case err == nil:
			r.scanner.endLine()
		case errors.Is(err, io.EOF):
			return 0, nil // it has no such line
		case !errors.Is(err, bufio.ErrBufferFull):
			return 0, err
		}
	}
	above = int(min(from, windowHeight-1)) // lines that a program can go back to
	r.write(append(bytes.Repeat([]byte("\n"), above), r.scanner.style...))
	return above, nil
}

// jump goes on at a point.
func (r *lineRenderer) jump(ctx context.Context, point logPoint) (err error) {
	r.close()
	if r.in, err = r.log.open(ctx, point.offset, r.log.size-point.offset); err != nil {
		return err
	}
	r.buffer, r.offset = bufio.NewReaderSize(r.in, maxLineBuffer/2), point.offset
	r.write([]byte("\x1b[0m" + point.style))
	return nil
}

// renderLine renders a line, or what follows of one, and reports whether there is more to render.
func (r *lineRenderer) renderLine(ctx context.Context) (more bool, err error) {
	for length := 0; ; {
		part, err := r.buffer.ReadSlice('\n')
		r.offset += int64(len(part))
		r.scanner.scan(part)
		switch {
		case length < maxLine:
			r.write(bytes.ReplaceAll(part, []byte{0}, nil))
			r.read += len(part)
		case err == nil:
			_, _ = r.screen.Write([]byte("\n"))
		}
		wasLong := length >= maxLine
		length += len(part)
		r.isOpen = err != nil && length > 0
		switch {
		case err == nil:
			r.scanner.endLine()
			if r.scanner.line >= r.end {
				return false, nil
			}
			return true, r.skipSameLine(ctx)
		case errors.Is(err, io.EOF):
			return false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		case length >= maxLine && !wasLong && r.scanner.back == 0:
			if jumped, err := r.skipLine(ctx); jumped || err != nil {
				return r.scanner.line < r.end, err
			}
		}
	}
}

// skipSameLine goes to the last of the points that have the present line, if that is far away.
func (r *lineRenderer) skipSameLine(ctx context.Context) error {
	last := r.x.points[r.x.pointBefore(r.scanner.line)]
	if r.scanner.back > 0 || last.line != r.scanner.line || last.offset < r.offset+maxRendered/2 {
		return nil
	}
	return r.jump(ctx, last)
}

// skipLine goes to where a long line that has not ended was last written again, or to the line after it. It reports
// whether there is such a point.
func (r *lineRenderer) skipLine(ctx context.Context) (bool, error) {
	if last := r.x.points[r.x.pointBefore(r.scanner.line)]; last.line == r.scanner.line && last.offset > r.offset {
		_, _ = r.screen.Write([]byte("\r"))
		return true, r.jump(ctx, last)
	}
	_, _ = r.screen.Write([]byte(lineCut))
	next := sort.Search(len(r.x.points), func(i int) bool { return r.x.points[i].offset > r.offset })
	if next == len(r.x.points) || r.x.points[next].line != r.scanner.line+1 {
		return false, nil
	}
	_, _ = r.screen.Write([]byte("\n"))
	r.scanner.endLine()
	r.isOpen = false
	return true, r.jump(ctx, r.x.points[next])
}

var (
	renderedTime  = regexp.MustCompile(`^<time datetime="([^"]*)">[^<]*</time>`)
	renderedLink  = regexp.MustCompile(`<a href="([^"]*)">`)
	renderedImage = regexp.MustCompile(`<img [^>]*>`)
	imageText     = regexp.MustCompile(`alt="([^"]*)"`)
	renderedTag   = regexp.MustCompile(`<[^>]*>`)
	openedBefore  = regexp.MustCompile(`^(<[^>]*>)*\^\^\^[ \t]+\+\+\+[ \t]*(<[^>]*>)*$`)
)

// newLogLine returns a line of what the terminal shows. Its text is escaped already; links lead to the web only, and
// pictures are left out.
func newLogLine(number int64, text string) logLine {
	line := logLine{Number: number}
	if found := renderedTime.FindStringSubmatch(text); found != nil {
		line.At, _ = time.Parse(time.RFC3339, found[1])
		text = text[len(found[0]):]
	}
	text = renderedLink.ReplaceAllStringFunc(text, func(link string) string {
		to := html.UnescapeString(renderedLink.FindStringSubmatch(link)[1])
		if !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "http://") {
			return "<a>"
		}
		return `<a rel="external noreferrer" href="` + html.EscapeString(to) + `">`
	})
	text = renderedImage.ReplaceAllStringFunc(text, func(image string) string {
		if found := imageText.FindStringSubmatch(image); found != nil {
			return found[1] // is escaped
		}
		return ""
	})
	line.Hidden = openedBefore.MatchString(text)
	line.HTML = template.HTML(text) //nolint:gosec // the renderer escapes what the log says, and links were checked above
	return line
}

// escapedSlash writes the renderer does what html.EscapeString escapes in another way, or not at all.
var escapedSlash = strings.NewReplacer("/", "&#47;", "&#34;", "&quot;")

// markHits marks what is searched for in lines, in any case. Where its colors change within it, the line alone is
// marked.
func markHits(lines []logLine, text string) {
	if text == "" {
		return
	}
	wanted := regexp.MustCompile("(?i)" + escapedSlash.Replace(regexp.QuoteMeta(html.EscapeString(text))))
	for i := range lines {
		source := string(lines[i].HTML)
		if !wanted.MatchString(renderedTag.ReplaceAllString(source, "")) {
			continue
		}
		lines[i].Hit = true
		var b strings.Builder
		for {
			at := strings.IndexByte(source, '<')
			if at < 0 {
				at = len(source)
			}
			b.WriteString(wanted.ReplaceAllString(source[:at], "<mark>$0</mark>"))
			end := strings.IndexByte(source[at:], '>')
			if end < 0 {
				b.WriteString(source[at:])
				break
			}
			b.WriteString(source[at : at+end+1])
			source = source[at+end+1:]
		}
		lines[i].HTML = template.HTML(b.String()) //nolint:gosec // as before, with marks
	}
}

// foundLine is a line of a log in which something was searched for.
type foundLine struct {
	Number  int64
	Text    string
	To      string
	Current bool // the address asks for it
}

const (
	maxFoundLines = 100
	maxFoundText  = 300
)

// searchLines returns the first lines of a log that have what is searched for. More: there are others, or it was not
// searched to its end.
func (x *logIndex) searchLines(ctx context.Context, log logSource, search logSearch) (
	found []foundLine, more bool, err error) {
	in, err := log.open(ctx, 0, log.size)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = in.Close() }()
	wanted := bytes.ToLower([]byte(search.Text))
	began := time.Now()
	reader := bufio.NewReaderSize(in, maxLineBuffer)
	var scanner lineScanner
	var plain, lower []byte
	wasFound := false // in the present line
	for {
		part, err := reader.ReadSlice('\n')
		scanner.scan(part)
		plain = appendPlain(plain[:0], part)
		if search.expr != nil && time.Since(began) > maxSearchTime {
			return found, true, nil
		}
		if !wasFound && search.matches(plain, &lower, wanted) {
			if len(found) == maxFoundLines {
				return found, true, nil
			}
			shown := strings.ToValidUTF8(string(plain[:min(len(plain), maxFoundText)]), "")
			found = append(found, foundLine{Number: scanner.line - scanner.back + 1, Text: shown})
			wasFound = true
		}
		switch {
		case err == nil:
			scanner.endLine()
			wasFound = false
		case errors.Is(err, io.EOF):
			return found, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return found, false, err
		}
	}
}

// lowerText returns a text in lower case, in a buffer that is empty.
func lowerText(buffer, text []byte) []byte {
	buffer = append(buffer, text...)
	for i, b := range buffer {
		if b >= utf8.RuneSelf {
			return append(buffer[:0], bytes.ToLower(text)...)
		}
		if b >= 'A' && b <= 'Z' {
			buffer[i] = b + 'a' - 'A'
		}
	}
	return buffer
}
