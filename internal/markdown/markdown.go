// Package markdown turns Markdown into HTML: that of our own documents, and that of users, in which nothing can do
// harm. It imports nothing of ours.
package markdown

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds of what a text may become.
const (
	// MaxHTML is how many bytes of HTML a text may become.
	MaxHTML = 4 << 20
	// MaxTableCells is how many cells the tables of a text may have together: every row has as many as its head.
	MaxTableCells = 50_000

	maxEscapedPipes = 1_000 // \| in tables: each is compared with each cell that has one
)

// What is wrong with a text that becomes too much.
var (
	ErrTables = errors.New("has tables that are too large (maximum is 50,000 cells in all: columns times rows)")
	ErrSize   = errors.New("becomes too much HTML (maximum is 4 MiB)")
)

var (
	documents = sync.OnceValue(func() goldmark.Markdown {
		return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	})
	texts = sync.OnceValue(func() goldmark.Markdown {
		return goldmark.New(goldmark.WithExtensions(extension.Strikethrough),
			goldmark.WithParserOptions(
				parser.WithInlineParsers(util.Prioritized(delimiterLimit{}, 0)),
				parser.WithParagraphTransformers(util.Prioritized(tableLimit{extension.NewTableParagraphTransformer()}, 200)),
				parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0))),
			goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe(),
				renderer.WithNodeRenderers(util.Prioritized(extension.NewTableHTMLRenderer(), 500))))
	})
)

// RenderDocument returns the HTML of a text of ours, whose headings have ids. HTML in it is left out.
func RenderDocument(source string) string {
	var b bytes.Buffer
	if err := documents().Convert([]byte(source), &b); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.String()
}

// Render returns the HTML of a text that anybody may have written. Of HTML in it, a few elements are kept that only say
// how text looks; links lead to other sites or to artifacts, and run nothing. Every element that begins in it ends in
// it.
//
// Returns ErrTables or ErrSize if the text would become too much, and the context's error once that is done.
func Render(ctx context.Context, source string) (safe string, err error) {
	defer func() {
		if p := recover(); p != nil {
			stopped, ok := p.(stopped)
			if !ok {
				panic(p)
			}
			err = stopped.error
		}
	}()
	flat := []byte(flatten(source))
	pc := parser.NewContext()
	pc.Set(contextKey, ctx)
	document := texts().Parser().Parse(text.NewReader(flat), parser.WithContext(pc))
	if tables, ok := pc.Get(tablesKey).(*tables); ok && tables.refused {
		return "", ErrTables
	}
	if err := checkLinks(document); err != nil {
		return "", err
	}
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	for block := document.FirstChild(); block != nil; block = block.NextSibling() {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := texts().Renderer().Render(out, flat, block); err != nil {
			panic(err) // a buffer takes everything
		}
		if b.Len() > MaxHTML {
			return "", ErrSize
		}
	}
	safe = sanitize(b.String())
	if len(safe) > MaxHTML {
		return "", ErrSize
	}
	return safe, nil
}

var contextKey = parser.NewContextKey()

// stopped is what a text's parser panics with once nobody waits for it.
type stopped struct{ error }

// stopIfDone ends the parsing of a text that nobody waits for.
func stopIfDone(pc parser.Context) {
	if ctx, ok := pc.Get(contextKey).(context.Context); ok && ctx.Err() != nil {
		panic(stopped{ctx.Err()})
	}
}

// Plain returns the HTML of a text that is shown as it was written.
func Plain(source string) string {
	if source == "" {
		return ""
	}
	return "<pre>" + html.EscapeString(source) + "</pre>\n"
}

// checkLinks returns ErrSize if the addresses and titles of links are too long together: a definition can be long, and
// be used by many.
func checkLinks(document ast.Node) error {
	size := 0
	return ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch link := n.(type) {
		case *ast.Link:
			size += len(link.Destination) + len(link.Title)
		case *ast.Image:
			size += len(link.Destination) + len(link.Title)
		}
		if size > MaxHTML {
			return ast.WalkStop, ErrSize
		}
		return ast.WalkContinue, nil
	})
}

// tableLimit makes tables of paragraphs while they are small enough.
type tableLimit struct{ parser.ParagraphTransformer }

var tablesKey = parser.NewContextKey()

// tables is how much the tables of a text have so far.
type tables struct {
	cells, escaped int
	refused        bool
}

// Transform makes a table of a paragraph that is one.
func (l tableLimit) Transform(node *ast.Paragraph, in text.Reader, pc parser.Context) {
	stopIfDone(pc)
	seen, ok := pc.Get(tablesKey).(*tables)
	if !ok {
		seen = new(tables)
		pc.Set(tablesKey, seen)
	}
	cells, escaped := tableBounds(node.Lines(), in.Source())
	seen.cells += cells
	seen.escaped += escaped
	seen.refused = seen.refused || seen.cells > MaxTableCells || seen.escaped > maxEscapedPipes
	if !seen.refused {
		l.ParagraphTransformer.Transform(node, in, pc)
	}
}

// tableBounds returns how many cells and how many escaped pipes the table of a paragraph has at most. Which line
// follows its head is for the parser to say: it passes over lines that only look so.
func tableBounds(lines *text.Segments, source []byte) (cells, escaped int) {
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		below := line.Value(source)
		if len(bytes.Trim(below, "-|: \t\r\n")) > 0 || !bytes.ContainsRune(below, '-') {
			continue
		}
		head := lines.At(i - 1)
		cells = max(cells, columns(head.Value(source)), columns(below)*(lines.Len()-i))
	}
	if cells == 0 {
		return 0, 0
	}
	for i := range lines.Len() {
		line := lines.At(i)
		escaped += bytes.Count(line.Value(source), []byte(`\|`))
	}
	return cells, escaped
}

// columns returns how many cells a line has.
func columns(line []byte) int { return bytes.Count(bytes.Trim(line, "| \t\r\n"), []byte("|")) + 1 }

// maxDepth is how many quotations, lists and elements may stand in each other. More would take more memory than the
// text.
const maxDepth = 40

// Bounds of the lines of a text, each of which would take time by the square of their number.
const (
	// columns before what begins a quotation or an item of a list: each that it stands in indents it further
	maxIndent      = 100
	maxBlankLines  = 20  // after each other: each is looked at for all lists that it may belong to
	maxDefinitions = 100 // of links in one paragraph
)

// flatten returns a text in which no line stands in more quotations and lists than may stand in each other, and in
// which there are not too many lines of a kind after each other.
func flatten(source string) string {
	var b strings.Builder
	blank, definitions := 0, 0
	for line := range strings.Lines(source) {
		at := nesting(line)
		switch {
		case strings.TrimSpace(line) == "":
			definitions = 0
			if blank++; blank > maxBlankLines {
				continue
			}
		case at < 0: // what follows is text
			at = -at
			line = line[:at] + `\` + line[at:]
			fallthrough
		default:
			blank = 0
			if definitions++; at == len(line) || line[at] != '[' {
				definitions = 0
			}
			if definitions > maxDefinitions {
				definitions = 1
				b.WriteByte('\n') // another paragraph
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// nesting returns where a line's own text begins, after the markers of quotations and lists that it stands in; less
// than 0 if these are more than may stand in each other.
func nesting(line string) (at int) {
	markers, indent := 0, 0
	for at < len(line) && strings.IndexByte(">-*+ \t0123456789.)", line[at]) >= 0 {
		switch {
		case strings.IndexByte(">-*+.)", line[at]) >= 0:
			markers++
		case line[at] == '\t':
			indent += 4
		default:
			indent++
		}
		if at++; markers > maxDepth || markers > 0 && indent > maxIndent {
			break
		}
	}
	if (markers > maxDepth || markers > 0 && indent > maxIndent) && !isRule(line) {
		return -at
	}
	return at
}

// isRule reports whether a line has one sign alone: it is a rule, or below a heading.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return strings.Trim(line, line[:1]) == "" && line[0] != '>'
}

// delimiterLimit takes delimiters for text once a paragraph has many of them: to find out which belong together takes
// time by the square of their number. So it does with the beginnings of HTML, each of whose ends may be looked for in
// all that follows.
type delimiterLimit struct{}

const (
	maxDelimiters = 400
	maxTags       = 4_000
)

var delimitersKey = parser.NewContextKey()

// delimiters is how many of them a block has so far.
type delimiters struct {
	block       ast.Node
	count, tags int
}

// Trigger returns the delimiters.
func (delimiterLimit) Trigger() []byte { return []byte("*_~![]`<") }

// Parse takes the delimiter for text, or leaves it to others.
func (delimiterLimit) Parse(block ast.Node, in text.Reader, pc parser.Context) ast.Node {
	stopIfDone(pc)
	seen, ok := pc.Get(delimitersKey).(*delimiters)
	if !ok || seen.block != block {
		seen = &delimiters{block: block}
		pc.Set(delimitersKey, seen)
	}
	line, segment := in.PeekLine()
	counted, most := &seen.count, maxDelimiters
	if line[0] == '<' {
		counted, most = &seen.tags, maxTags
	}
	if *counted++; *counted <= most {
		return nil
	}
	in.Advance(1)
	return ast.NewTextSegment(segment.WithStop(segment.Start + 1))
}
