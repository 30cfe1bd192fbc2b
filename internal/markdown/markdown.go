// Package markdown turns Markdown into HTML: that of our own documents, and that of users, in which nothing can do harm. It imports nothing
// of ours.
package markdown

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var (
	documents = sync.OnceValue(func() goldmark.Markdown {
		return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	})
	texts = sync.OnceValue(func() goldmark.Markdown {
		return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough), goldmark.WithRendererOptions(html.WithUnsafe()),
			goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(delimiterLimit{}, 0))))
	})
)

// RenderDocument returns the HTML of a text of ours, whose headings have ids. HTML in it is left out.
func RenderDocument(source string) string { return convert(documents(), source) }

// Render returns the HTML of a text that anybody may have written. Of HTML in it, a few elements are kept that only say how text looks; links
// lead to other sites or to artifacts, and run nothing. Every element that begins in it ends in it.
func Render(source string) string {
	return sanitize(convert(texts(), flatten(source)))
}

func convert(markdown goldmark.Markdown, source string) string {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(source), &b); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.String()
}

// maxDepth is how many quotations, lists and elements may stand in each other. More would take more memory than the text.
const maxDepth = 40

// flatten returns a text in which no line begins with more markers of quotations and lists than may stand in each other.
func flatten(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		at, markers := 0, 0
		for at < len(line) && strings.IndexByte(">-*+ \t0123456789.)", line[at]) >= 0 {
			if strings.IndexByte(">-*+.)", line[at]) >= 0 {
				markers++
			}
			if at++; markers > maxDepth {
				break
			}
		}
		if markers > maxDepth && !isRule(line) {
			b.WriteString(line[:at])
			b.WriteByte('\\') // what follows is text
			line = line[at:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// isRule reports whether a line has one sign alone: it is a rule, or below a heading.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return strings.Trim(line, line[:1]) == "" && line[0] != '>'
}

// delimiterLimit takes delimiters for text once a paragraph has many of them: to find out which belong together takes time by the square of their number.
type delimiterLimit struct{}

const maxDelimiters = 400

var delimitersKey = parser.NewContextKey()

// delimiters is how many of them a block has so far.
type delimiters struct {
	block ast.Node
	count int
}

// Trigger returns the delimiters.
func (delimiterLimit) Trigger() []byte { return []byte("*_~![]") }

// Parse takes the delimiter for text, or leaves it to others.
func (delimiterLimit) Parse(block ast.Node, in text.Reader, pc parser.Context) ast.Node {
	seen, ok := pc.Get(delimitersKey).(*delimiters)
	if !ok || seen.block != block {
		seen = &delimiters{block: block}
		pc.Set(delimitersKey, seen)
	}
	if seen.count++; seen.count <= maxDelimiters {
		return nil
	}
	_, segment := in.PeekLine()
	in.Advance(1)
	return ast.NewTextSegment(segment.WithStop(segment.Start + 1))
}
