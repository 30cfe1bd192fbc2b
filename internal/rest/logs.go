package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	terminal "github.com/buildkite/terminal-to-html/v3"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/logs"
)

const (
	plainText = "text/plain"
	htmlText  = "text/html"
)

// maxHTML is how much of a log is made HTML of: the end of a longer one.
const maxHTML = 8 << 20 // bytes

func (a *API) logEndpoints() []endpoint.Endpoint {
	return append(a.oneLogEndpoints(jobInBuild, "BuildJob"), a.oneLogEndpoints(jobAlone, "Job")...)
}

// oneLogEndpoints are about the log of a job that a path names, in operations whose names end with a noun.
func (a *API) oneLogEndpoints(path, noun string) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: path + "/log", Operation: "getLogOf" + noun,
			Summary: "Gets the log of a job, even while it runs: as JSON, or as plain text or HTML if the Accept header asks " +
				"for it.",
			Scope: domain.ScopeReadBuildLogs, Answer: logAnswer{}, Texts: []string{plainText, htmlText}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return a.answerLog(c, acceptedLog(c)) },
		},
		{
			Method: http.MethodGet, Path: path + "/log.txt", Operation: "getLogTextOf" + noun,
			Summary: "Gets the log of a job as plain text, with its escape sequences.",
			Scope:   domain.ScopeReadBuildLogs, Texts: []string{plainText}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return a.answerLog(c, plainText) },
		},
		{
			Method: http.MethodGet, Path: path + "/log.html", Operation: "getLogHTMLOf" + noun,
			Summary: "Gets the log of a job as HTML. Of one with more than " + endpoint.FormatSize(maxHTML) + ", it is the end.",
			Scope:   domain.ScopeReadBuildLogs, Texts: []string{htmlText}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return a.answerLog(c, htmlText) },
		},
		{
			Method: http.MethodDelete, Path: path + "/log", Operation: "deleteLogOf" + noun,
			Summary: "Deletes the log of a job that has ended.",
			Scope:   domain.ScopeWriteBuildLogs, Status: http.StatusNoContent, Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) { return nil, a.Logs.DeleteLog(c.Context(), c.Actor(), jobRef(c)) },
		},
	}
}

// logAnswer is a log as JSON. It is only described by this: it is written as the log is read.
type logAnswer struct {
	URL         string  `json:"url" format:"uri" doc:"The log in this API."`
	Content     string  `json:"content" doc:"The log, with its escape sequences. What is no UTF-8 is replaced."`
	Size        int64   `json:"size" doc:"How many bytes the log has."`
	HeaderTimes []int64 `json:"header_times" doc:"When its headers were written, such as --- Test: nanoseconds since 1970."`
}

// acceptedLog returns the media type in which the caller wants a log.
func acceptedLog(c *endpoint.Call) string {
	for part := range strings.SplitSeq(strings.Join(c.R.Header.Values("Accept"), ","), ",") {
		media, _, _ := strings.Cut(part, ";")
		switch media = strings.ToLower(strings.TrimSpace(media)); media {
		case plainText, htmlText:
			return media
		case "application/json", "*/*":
			return ""
		}
	}
	return ""
}

// answerLog answers with a log in a media type; "" is JSON.
func (a *API) answerLog(c *endpoint.Call, media string) (any, error) {
	log, err := a.Logs.ReadLog(c.Context(), c.Actor(), jobRef(c))
	if err != nil {
		return nil, err
	}
	c.Header["Vary"] = []string{"Authorization, Accept"}
	c.Header["Cache-Control"] = []string{"private, no-cache"}
	c.Header["X-Content-Type-Options"] = []string{"nosniff"}
	switch media {
	case plainText:
		return answerLogText(c, log)
	case htmlText:
		return answerLogHTML(c, log)
	}
	in, err := log.Open(c.Context(), 0, log.Size)
	return &endpoint.Stream{ContentType: "application/json; charset=utf-8", Length: -1, Close: in.Close,
		Write: func(out io.Writer) error {
			return writeLogJSON(c.Context(), out, in, log, a.BaseURL+c.R.URL.EscapedPath())
		}}, err
}

// errRange is the refusal of what is not the end of a log.
var errRange = domain.NewError(domain.Malformed, "Range can only ask for the end of a log, such as bytes=-1000")

// answerLogText answers with a log as it is, or with its end.
func answerLogText(c *endpoint.Call, log *logs.Log) (any, error) {
	stream := &endpoint.Stream{ContentType: "text/plain; charset=utf-8", Length: log.Size}
	from := int64(0)
	if asked := c.R.Header.Get("Range"); asked != "" {
		digits, found := strings.CutPrefix(asked, "bytes=-")
		last, err := strconv.ParseUint(digits, 10, 62)
		if !found || err != nil {
			return nil, errRange
		}
		if log.Size == 0 || last == 0 {
			c.Header["Content-Range"] = []string{"bytes */" + strconv.FormatInt(log.Size, 10)}
			return answerEmptyRange(), nil
		}
		stream.Length = min(int64(last), log.Size)
		from = log.Size - stream.Length
		stream.Status = http.StatusPartialContent
		c.Header["Content-Range"] = []string{fmt.Sprintf("bytes %d-%d/%d", from, log.Size-1, log.Size)}
	}
	c.Header["Accept-Ranges"] = []string{"bytes"}
	in, err := log.Open(c.Context(), from, stream.Length)
	stream.Close = in.Close
	stream.Write = func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	}
	return stream, err
}

// answerEmptyRange is the answer to who asks for the end of nothing.
func answerEmptyRange() *endpoint.Stream {
	const body = `{"message":"There is nothing in this range of the log"}`
	return &endpoint.Stream{Status: http.StatusRequestedRangeNotSatisfiable,
		ContentType: "application/json; charset=utf-8", Length: int64(len(body)),
		Write: func(out io.Writer) error {
			_, err := io.WriteString(out, body)
			return err
		}}
}

// writeLogJSON writes a log as a JSON text.
func writeLogJSON(ctx context.Context, out io.Writer, in io.Reader, log *logs.Log, url string) error {
	var headers headerScanner
	var quoted quoter
	if _, err := io.WriteString(out, `{"url":`+quoteText(url)+`,"content":"`); err != nil {
		return err
	}
	err := renderParts(ctx, out, in, log, func(part []byte) []byte {
		headers.read(part)
		return quoted.quote(part)
	})
	if err != nil {
		return err
	}
	end := append(quoted.quoteRest(), `","size":`...)
	end = append(end, strconv.FormatInt(log.Size, 10)...)
	end = append(end, `,"header_times":[`...)
	times := log.HeaderTimes
	if len(times) == 0 {
		times = headers.times
	}
	for i, at := range times {
		if i > 0 {
			end = append(end, ',')
		}
		end = strconv.AppendInt(end, at.UnixNano(), 10)
	}
	_, err = out.Write(append(end, "]}"...))
	return err
}

func quoteText(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text) // what is no UTF-8 is replaced
	return string(quoted)
}

// renderParts reads a log, renders each part in turn with others' work, and writes what it becomes.
func renderParts(ctx context.Context, out io.Writer, in io.Reader, log *logs.Log,
	render func(part []byte) []byte) error {
	part := make([]byte, 32<<10)
	for {
		n, readErr := in.Read(part)
		var rendered []byte
		err := log.UseProcessors(ctx, func() error {
			rendered = render(part[:n])
			return nil
		})
		if err == nil {
			_, err = out.Write(rendered)
		}
		switch {
		case err != nil:
			return err
		case errors.Is(readErr, io.EOF):
			return nil
		case readErr != nil:
			return readErr
		}
	}
}

// quoter makes text the inside of a JSON string.
type quoter struct {
	rest   []byte // of a character that is not complete yet
	quoted []byte
}

// quote returns a part of the text, which may end inside of a character, as JSON. It is good until the next part.
func (q *quoter) quote(part []byte) []byte {
	text := part
	if len(q.rest) > 0 {
		text = slices.Concat(q.rest, part)
	}
	end := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if b := text[len(text)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-back:]) {
				end -= back
			}
			break
		}
	}
	quoted := q.quoteWhole(text[:end])
	q.rest = append([]byte(nil), text[end:]...)
	return quoted
}

// quoteRest returns what is left in the end.
func (q *quoter) quoteRest() []byte { return q.quoteWhole(q.rest) }

func (q *quoter) quoteWhole(text []byte) []byte {
	q.quoted, _ = jsontext.AppendQuote(q.quoted[:0], text) // what is no UTF-8 is replaced
	return q.quoted[1 : len(q.quoted)-1]
}

// headerScanner finds out when the headers of a log were written, which the beginnings of their lines say.
type headerScanner struct {
	times []time.Time
	line  []byte // its beginning
	ended bool   // as much of the line as matters was read
}

const (
	maxHeaderPrefix = 256 // bytes
	maxHeaderTimes  = 10_000
)

var (
	headerTime    = regexp.MustCompile(`\x1b_bk;t=(\d{1,15})\x07`)
	headerColours = regexp.MustCompile(`\x1b\[[;\d]*[mK]`)
	headerMark    = regexp.MustCompile(`^\r?(---|\+\+\+|~~~)\s`)
)

// read reads a part of the log.
func (s *headerScanner) read(part []byte) {
	for rest := part; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if !s.ended {
			s.line = append(s.line, line[:min(len(line), maxHeaderPrefix-len(s.line))]...)
			if s.ended = ended || len(s.line) == maxHeaderPrefix; s.ended {
				if ended {
					s.line = append(s.line, '\n')
				}
				s.recordTime()
			}
		}
		if ended {
			s.line, s.ended = s.line[:0], false
		}
		rest = after
	}
}

// recordTime records when the line was written, if it is a header.
func (s *headerScanner) recordTime() {
	found := headerTime.FindSubmatch(s.line)
	if found == nil || len(s.times) == maxHeaderTimes {
		return
	}
	if !headerMark.Match(headerColours.ReplaceAll(headerTime.ReplaceAll(s.line, nil), nil)) {
		return
	}
	if milliseconds, err := strconv.ParseInt(string(found[1]), 10, 64); err == nil {
		s.times = append(s.times, time.UnixMilli(milliseconds))
	}
}

// answerLogHTML answers with a log as HTML. Nothing in it may do anything: it is what a program wrote.
func answerLogHTML(c *endpoint.Call, log *logs.Log) (any, error) {
	c.Header["Content-Security-Policy"] = []string{"default-src 'none'; sandbox"}
	length := min(log.Size, maxHTML)
	in, err := log.Open(c.Context(), log.Size-length, length)
	return &endpoint.Stream{ContentType: "text/html; charset=utf-8", Length: -1, Close: in.Close,
		Write: func(out io.Writer) error {
			if length < log.Size {
				note := "<p>The log has " + strconv.FormatInt(log.Size, 10) + " bytes. These are the last " +
					strconv.FormatInt(length, 10) + "; log.txt has all of them.</p>\n"
				if _, err := io.WriteString(out, note); err != nil {
					return err
				}
			}
			return writeLogHTML(c.Context(), out, in, log)
		}}, err
}

// writeLogHTML writes a log as HTML, a line at a time.
func writeLogHTML(ctx context.Context, out io.Writer, in io.Reader, log *logs.Log) error {
	const columns, lines = 160, 300 // that a terminal can go back to
	screen, err := terminal.NewScreen(terminal.WithMaxSize(columns, lines))
	if err != nil {
		return err
	}
	var rendered bytes.Buffer
	screen.ScrollOutFunc = func(line string) { rendered.WriteString(line) }
	err = renderParts(ctx, out, in, log, func(part []byte) []byte {
		rendered.Reset()
		_, _ = screen.Write(part) // it takes everything
		return rendered.Bytes()
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, screen.AsHTML())
	return err
}
