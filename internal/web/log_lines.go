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
	"strings"
	"time"

	terminal "github.com/buildkite/terminal-to-html/v3"
)

// logLine is a line of a log as it is shown.
type logLine struct {
	Number int64 // counted from 1
	At     time.Time
	HTML   template.HTML
}

// maxRendered is how many bytes of a log are rendered for one page. What a line has beyond is left out.
const maxRendered = 1 << 20

// renderLines returns lines of a log, from one that is counted from 0 on.
func (x *logIndex) renderLines(ctx context.Context, log logSource, from, count int64) ([]logLine, error) {
	point := x.pointBefore(from)
	in, err := log.open(ctx, point.offset, log.size-point.offset)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	screen, err := terminal.NewScreen()
	if err != nil {
		return nil, err
	}
	_, _ = screen.Write([]byte(point.style))
	scanner := lineScanner{line: point.line}
	reader := bufio.NewReaderSize(io.LimitReader(in, maxRendered), 32<<10)
	for scanner.line < from+count {
		part, err := reader.ReadSlice('\n')
		_, _ = screen.Write(bytes.ReplaceAll(part, []byte{0}, nil))
		scanner.scan(part, err == nil)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, err
		}
	}
	texts := strings.Split(screen.AsHTML(), "\n")
	first := from - point.line
	if first >= int64(len(texts)) || len(texts) == 1 && texts[0] == "" {
		return nil, nil
	}
	texts = texts[first:min(first+count, int64(len(texts)))]
	lines := make([]logLine, len(texts))
	for i, text := range texts {
		lines[i] = newLogLine(from+int64(i)+1, text)
	}
	return lines, nil
}

var (
	renderedTime  = regexp.MustCompile(`^<time datetime="([^"]*)">[^<]*</time>`)
	renderedLink  = regexp.MustCompile(`<a href="([^"]*)">`)
	renderedImage = regexp.MustCompile(`<img [^>]*>`)
	imageText     = regexp.MustCompile(`alt="([^"]*)"`)
)

// newLogLine returns a line of what the terminal shows. Its text is escaped already; links lead to the web only, and pictures are left out.
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
	line.HTML = template.HTML(text) //nolint:gosec // the renderer escapes what the log says, and links were checked above
	return line
}

// foundLine is a line of a log in which something was searched for.
type foundLine struct {
	Number int64
	Text   string
	To     string
}

const (
	maxFoundLines = 100
	maxFoundText  = 300
)

// searchLines returns the first lines of a log that have a text, in any case. More: there are others.
func (x *logIndex) searchLines(ctx context.Context, log logSource, text string) (found []foundLine, more bool, err error) {
	in, err := log.open(ctx, 0, log.size)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = in.Close() }()
	wanted := bytes.ToLower([]byte(text))
	reader := bufio.NewReaderSize(in, maxLineBuffer)
	var scanner lineScanner
	for {
		part, err := reader.ReadSlice('\n')
		if plain := plainLine(part); bytes.Contains(bytes.ToLower(plain), wanted) {
			if len(found) == maxFoundLines {
				return found, true, nil
			}
			shown := strings.ToValidUTF8(string(plain[:min(len(plain), maxFoundText)]), "")
			found = append(found, foundLine{Number: scanner.line - scanner.back + 1, Text: shown})
		}
		scanner.scan(part, err == nil)
		switch {
		case errors.Is(err, io.EOF):
			return found, false, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return found, false, err
		}
	}
}
