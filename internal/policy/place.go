package policy

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Place is a part of a document. Lines and columns count from 1, columns in characters.
type Place struct {
	Start, End   int // bytes
	Line, Column int // of Start
}

// LocateFaults returns where in the document each of its faults is, as Parse found them. A fault of something that is
// missing is where it would belong, and one of the document itself at its start.
func LocateFaults(document []byte, faults Faults) []Place {
	if len(faults) == 0 {
		return nil
	}
	l := locator{document: document, spans: map[string]span{}}
	if len(document) <= MaxDocumentBytes {
		l.decoder = newDecoder(document)
		l.readValue("", l.nextStart(), 0)
	}
	places := make([]Place, len(faults))
	for i, fault := range faults {
		places[i] = l.locate(fault)
	}
	return places
}

// span is from where to where a value goes, in bytes.
type span struct{ start, end int }

// locator walks a document and records where its values are, by the paths that the reader uses.
type locator struct {
	document []byte
	decoder  *jsontext.Decoder
	spans    map[string]span
	broken   *span // where the JSON syntax ends
}

// readValue records the next value, which begins at start, and returns false if there is none. A member begins with its
// name. What is nested deeper than any policy is skipped.
func (l *locator) readValue(path string, start, depth int) bool {
	const deepest = 6
	switch kind := l.decoder.PeekKind(); {
	case depth > deepest:
		l.isFine(l.decoder.SkipValue())
	case kind == '{':
		l.readToken()
		for l.broken == nil && l.decoder.PeekKind() != '}' {
			start := l.nextStart()
			name, ok := l.readToken()
			if !ok || !l.readValue(memberPath(path, name.String()), start, depth+1) {
				break
			}
		}
		l.readToken()
	case kind == '[':
		l.readToken()
		for i := 0; l.broken == nil && l.decoder.PeekKind() != ']'; i++ {
			if !l.readValue(elementPath(path, i), l.nextStart(), depth+1) {
				break
			}
		}
		l.readToken()
	default:
		l.readToken()
	}
	l.spans[path] = span{start, int(l.decoder.InputOffset())}
	return l.broken == nil
}

// readToken reads a token. Names are good only until the next is read.
func (l *locator) readToken() (jsontext.Token, bool) {
	if l.broken != nil {
		return jsontext.Token{}, false
	}
	token, err := l.decoder.ReadToken()
	return token, l.isFine(err)
}

// isFine records an error, and reports whether there is none.
func (l *locator) isFine(err error) bool {
	if err == nil {
		return true
	}
	at := len(l.document)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = min(int(syntax.ByteOffset), at)
	}
	l.broken = &span{at, at}
	return false
}

// nextStart is where the next token begins.
func (l *locator) nextStart() int {
	at := int(l.decoder.InputOffset())
	for at < len(l.document) && strings.IndexByte(" \t\r\n,:", l.document[at]) >= 0 {
		at++
	}
	return at
}

func (l *locator) locate(fault Fault) Place {
	found, ok := l.spans[fault.Path]
	for path := fault.Path; !ok && path != ""; found, ok = l.spans[path] {
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	switch {
	case l.broken != nil:
		found = *l.broken
	case fault.Path == "":
		found = span{}
	default:
		found = l.narrowToText(found, fault.Message)
	}
	line := 1 + strings.Count(string(l.document[:found.start]), "\n")
	begin := 1 + strings.LastIndexByte(string(l.document[:found.start]), '\n')
	return Place{Start: found.start, End: found.end, Line: line, Column: 1 + utf8.RuneCount(l.document[begin:found.start])}
}

// conditionPlace is how describePosition ends a message about a condition.
var conditionPlace = regexp.MustCompile(` \(at ([0-9]{1,6}):([0-9]{1,6})\)$`)

// narrowToText narrows the place of a condition to that within its text of which the message speaks.
func (l *locator) narrowToText(whole span, message string) span {
	found := conditionPlace.FindStringSubmatch(message)
	if found == nil {
		return whole
	}
	line, _ := strconv.Atoi(found[1])
	column, _ := strconv.Atoi(found[2])
	_, rest, named := strings.Cut(string(l.document[whole.start:whole.end]), ":") // the name is when
	literal := strings.TrimLeft(rest, " \t\r\n")
	if !named || literal == "" || literal[0] != '"' {
		return whole
	}
	at := whole.end - len(literal) + 1
	for at < whole.end-1 && (line > 1 || column > 1) {
		character, size := literalCharacter(l.document[at:whole.end])
		if at += size; character == '\n' {
			line--
		} else if line == 1 {
			column--
		}
	}
	return span{at, whole.end}
}

// literalCharacter returns the first character of the inside of a JSON string, and how many bytes it is written with.
func literalCharacter(text []byte) (character rune, size int) {
	if text[0] != '\\' {
		return utf8.DecodeRune(text)
	}
	switch {
	case len(text) >= 12 && text[1] == 'u' && (text[2]|0x20) == 'd' && strings.IndexByte("89abAB", text[3]) >= 0:
		return utf8.RuneError, 12 // a pair of surrogates
	case len(text) >= 6 && text[1] == 'u':
		code, _ := strconv.ParseUint(string(text[2:6]), 16, 32)
		return rune(code), 6
	case len(text) >= 2 && text[1] == 'n':
		return '\n', 2
	default:
		return utf8.RuneError, min(2, len(text))
	}
}
