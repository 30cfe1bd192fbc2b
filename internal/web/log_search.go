package web

import (
	"bytes"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strings"
	"time"

	"penstock/internal/pattern"
)

// logSearch is what a log is searched for.
type logSearch struct {
	Text   string
	Regexp bool   // the text is a regular expression
	Case   bool   // capitals matter
	Fault  string // why it can't be searched for; empty: it can
	expr   *regexp.Regexp
}

const (
	maxSearchSize = 500             // instructions of an expression
	maxSearchTime = 5 * time.Second // that a regular expression is searched for
	maxMarks      = 50              // in a part of a line
)

// logSearch returns what the address searches the log for.
func (c *call) logSearch() logSearch {
	s := logSearch{Text: c.query("search"), Regexp: c.query("regexp") != "", Case: c.query("case") != ""}
	if s.Text == "" || !s.Regexp {
		return s
	}
	source := s.Text
	if !s.Case {
		source = "(?i)" + source
	}
	if _, err := pattern.Compile(source, pattern.Limits{Bytes: 300, Instructions: maxSearchSize, Classes: 5}); err != nil {
		s.Fault = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return s
	}
	s.expr = regexp.MustCompile(source)
	return s
}

// query returns the search as the beginning of an address.
func (s logSearch) query() string {
	q := "?search=" + url.QueryEscape(s.Text)
	if s.Regexp {
		q += "&regexp=1"
	}
	if s.Case {
		q += "&case=1"
	}
	return q
}

// matches reports whether a line has what is searched for. Lower is a buffer.
func (s logSearch) matches(line []byte, lower *[]byte, wanted []byte) bool {
	switch {
	case s.expr != nil:
		return s.expr.Match(line)
	case s.Case:
		return bytes.Contains(line, []byte(s.Text))
	}
	*lower = lowerText((*lower)[:0], line)
	return bytes.Contains(*lower, wanted)
}

// mark marks what is searched for in lines. Where its colors change within it, the line alone is marked.
func (s logSearch) mark(lines []logLine) {
	switch {
	case s.Text == "" || s.Fault != "":
	case s.expr == nil && !s.Case:
		markHits(lines, s.Text)
	default:
		expr := s.expr
		if expr == nil {
			expr = regexp.MustCompile(regexp.QuoteMeta(s.Text))
		}
		for i := range lines {
			markMatches(&lines[i], expr)
		}
	}
}

// markMatches marks what an expression finds in a line.
func markMatches(line *logLine, expr *regexp.Regexp) {
	source := string(line.HTML)
	if !expr.MatchString(html.UnescapeString(renderedTag.ReplaceAllString(source, ""))) {
		return
	}
	line.Hit = true
	var b strings.Builder
	for source != "" {
		at := strings.IndexByte(source, '<')
		if at < 0 {
			at = len(source)
		}
		text, last := html.UnescapeString(source[:at]), 0
		for _, found := range expr.FindAllStringIndex(text, maxMarks) {
			if found[0] == found[1] {
				continue
			}
			b.WriteString(html.EscapeString(text[last:found[0]]) + "<mark>" + html.EscapeString(text[found[0]:found[1]]) +
				"</mark>")
			last = found[1]
		}
		b.WriteString(html.EscapeString(text[last:]))
		end := strings.IndexByte(source[at:], '>')
		if end < 0 {
			break
		}
		b.WriteString(source[at : at+end+1])
		source = source[at+end+1:]
	}
	line.HTML = template.HTML(b.String()) //nolint:gosec // its text is escaped, and its tags are those that it had
}
