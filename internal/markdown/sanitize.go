package markdown

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// element says what an element may have.
type element struct {
	attributes []string
	within     []atom.Atom // it may only stand in one of these
	isEmpty    bool        // it has no end
}

// elements are those that are kept.
var elements = map[atom.Atom]element{
	atom.A: {attributes: []string{"href", "title"}}, atom.Img: {attributes: []string{"src", "alt", "title", "width",
		"height"}, isEmpty: true},
	atom.Br: {isEmpty: true}, atom.Hr: {isEmpty: true},
	atom.P: {}, atom.Div: {}, atom.Span: {}, atom.Blockquote: {}, atom.Pre: {}, atom.Code: {attributes: []string{"class"}},
	atom.H1: {}, atom.H2: {}, atom.H3: {}, atom.H4: {}, atom.H5: {}, atom.H6: {},
	atom.B: {}, atom.I: {}, atom.U: {}, atom.S: {}, atom.Em: {}, atom.Strong: {}, atom.Del: {}, atom.Ins: {}, atom.Sub: {},
	atom.Sup: {}, atom.Small: {},
	atom.Kbd: {}, atom.Samp: {}, atom.Var: {}, atom.Mark: {}, atom.Details: {attributes: []string{"open"}},
	atom.Summary: {within: []atom.Atom{atom.Details}},
	atom.Ul:      {}, atom.Ol: {attributes: []string{"start"}}, atom.Li: {within: []atom.Atom{atom.Ul, atom.Ol}},
	atom.Dl: {}, atom.Dt: {within: []atom.Atom{atom.Dl}}, atom.Dd: {within: []atom.Atom{atom.Dl}},
	atom.Table: {}, atom.Thead: {within: inTable}, atom.Tbody: {within: inTable}, atom.Tfoot: {within: inTable},
	atom.Tr: {within: inTable},
	atom.Th: {attributes: cellAttributes, within: inTable}, atom.Td: {attributes: cellAttributes, within: inTable},
	atom.Caption: {within: inTable},
}

var (
	inTable        = []atom.Atom{atom.Table}
	cellAttributes = []string{"align", "colspan", "rowspan"}
)

// unread are elements whose content is no text for people.
var unread = []atom.Atom{
	atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Iframe, atom.Noscript, atom.Noembed, atom.Noframes, atom.Xmp,
	atom.Plaintext,
}

// sanitizer writes the harmless part of HTML.
type sanitizer struct {
	out  strings.Builder
	open []atom.Atom // those that have begun and not ended
}

// sanitize returns the part of HTML that can do no harm: the elements above, in each other as they should be, and text.
func sanitize(source string) string {
	var s sanitizer
	in := html.NewTokenizer(strings.NewReader(source))
	for {
		switch in.Next() {
		case html.ErrorToken: // the end
			for len(s.open) > 0 {
				s.end()
			}
			return s.out.String()
		case html.TextToken:
			s.out.WriteString(html.EscapeString(in.Token().Data))
		case html.StartTagToken, html.SelfClosingTagToken:
			token := in.Token()
			if slices.Contains(unread, token.DataAtom) {
				in.Next() // its content is one token
				continue
			}
			s.begin(token)
		case html.EndTagToken:
			if name := in.Token().DataAtom; slices.Contains(s.open, name) {
				for s.open[len(s.open)-1] != name {
					s.end()
				}
				s.end()
			}
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// begin writes the beginning of an element, if it is kept.
func (s *sanitizer) begin(token html.Token) {
	kept, known := elements[token.DataAtom]
	misplaced := kept.within != nil && !slices.ContainsFunc(kept.within,
		func(a atom.Atom) bool { return slices.Contains(s.open, a) })
	if !known || misplaced || len(s.open) == maxDepth && !kept.isEmpty {
		return
	}
	s.out.WriteString("<" + token.DataAtom.String())
	for _, attribute := range token.Attr {
		if slices.Contains(kept.attributes, attribute.Key) && isHarmless(attribute) {
			s.out.WriteString(` ` + attribute.Key + `="` + html.EscapeString(attribute.Val) + `"`)
		}
	}
	switch {
	case token.DataAtom == atom.A:
		s.out.WriteString(` rel="nofollow noopener noreferrer"`)
	case token.DataAtom == atom.Img && !slices.ContainsFunc(token.Attr,
		func(a html.Attribute) bool { return a.Key == "alt" }):
		s.out.WriteString(` alt=""`) // without it, its address would be read out
	}
	s.out.WriteByte('>')
	if !kept.isEmpty {
		s.open = append(s.open, token.DataAtom)
	}
}

// end writes the end of the element that began last.
func (s *sanitizer) end() {
	last := len(s.open) - 1
	s.out.WriteString("</" + s.open[last].String() + ">")
	s.open = s.open[:last]
}

var (
	languageClass = regexp.MustCompile(`^language-[\w+#.-]{1,50}$`)
	smallNumber   = regexp.MustCompile(`^\d{1,4}$`)
)

// isHarmless reports whether an attribute that an element may have has a value that it may have.
func isHarmless(attribute html.Attribute) bool {
	switch value := attribute.Val; attribute.Key {
	case "href", "src":
		u, err := url.Parse(value)
		return err == nil && (slices.Contains([]string{"http", "https", "artifact"}, u.Scheme) && u.Opaque == "" ||
			u.Scheme == "mailto" && attribute.Key == "href")
	case "class":
		return languageClass.MatchString(value)
	case "align":
		return slices.Contains([]string{"left", "right", "center"}, value)
	case "width", "height", "start", "colspan", "rowspan":
		return smallNumber.MatchString(value)
	default: // alt, title, open
		return true
	}
}
