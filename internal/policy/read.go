package policy

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// reader walks a JSON document by the shape that its caller expects, and collects a fault wherever
// the document has another. Each reading method consumes exactly one value, right or wrong, so that
// the walk always goes on to the next fault.
type reader struct {
	decoder *jsontext.Decoder
	faults  Faults
	words   int // of the conditions so far
}

// newReader returns a reader of document, or faults if that is not one JSON object of allowed size.
// All JSON text behind a reader is known to be well-formed.
func newReader(document []byte) (*reader, Faults) {
	if len(document) > MaxDocumentBytes {
		return nil, Faults{{Message: "must be at most 64 KiB"}}
	}
	if start := bytes.TrimLeft(document, " \t\r\n"); len(start) == 0 || start[0] != '{' {
		return nil, Faults{{Message: "must be a JSON object"}}
	}
	check := newDecoder(document)
	if _, err := check.ReadValue(); err != nil {
		return nil, Faults{syntaxFault(err)}
	}
	if _, err := check.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, Faults{{Message: "must be one JSON object with nothing after it"}}
	}
	return &reader{decoder: newDecoder(document)}, nil
}

// newDecoder allows duplicate names because object reports them, with their place.
func newDecoder(document []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(document), jsontext.AllowDuplicateNames(true))
}

// syntaxFault describes an error of the JSON syntax, which includes invalid UTF-8 and nesting beyond
// what the decoder accepts.
func syntaxFault(err error) Fault {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return Fault{Message: "must be valid JSON: it ends too early"}
	}
	return Fault{
		Path: pathOf(syntax.JSONPointer),
		Message: "must be valid JSON (byte " + strconv.FormatInt(syntax.ByteOffset, 10) + ": " +
			toOneLine(syntax.Err.Error()) + ")",
	}
}

// pathOf turns a JSON pointer into a path. Policies are a few levels deep; deeper places are given by
// the level above.
func pathOf(pointer jsontext.Pointer) string {
	const levels = 6
	path, level := "", 0
	for token := range pointer.Tokens() {
		if level++; level > levels {
			break
		}
		// In the documents read here a number below a name is always an index.
		if index, err := strconv.ParseUint(token, 10, 31); err == nil && path != "" {
			path = elementPath(path, int(index))
		} else {
			path = memberPath(path, token)
		}
	}
	return path
}

// readObject reads an object with the given member names, calling read for each member to consume its
// value. It returns the names that were present, and false if the value is no object.
func (r *reader) readObject(path string, allowed []string, read func(name, path string)) (present []string, ok bool) {
	if !r.enter('{', path, "must be a JSON object") {
		return nil, false
	}
	for r.decoder.PeekKind() == '"' {
		name := r.readToken().String()
		at := memberPath(path, name)
		switch {
		case !slices.Contains(allowed, name):
			r.faults.add(at, "is not allowed; use %s", joinWithOr(allowed))
			r.skip()
		case slices.Contains(present, name):
			r.faults.add(at, "must appear only once")
			r.skip()
		default:
			present = append(present, name)
			read(name, at)
		}
	}
	r.readToken()
	return present, true
}

// readArray reads an array, calling read for each element to consume it, and faults with message if the
// value is no array. It returns the number of elements.
func (r *reader) readArray(path, message string, read func(index int, path string)) (length int) {
	if !r.enter('[', path, message) {
		return 0
	}
	for kind := r.decoder.PeekKind(); kind != ']' && kind != jsontext.KindInvalid; kind = r.decoder.PeekKind() {
		read(length, elementPath(path, length))
		length++
	}
	r.readToken()
	return length
}

// enter consumes the opening of an object or array, or the whole value with a fault if it is of
// another kind.
func (r *reader) enter(open jsontext.Kind, path, message string) bool {
	if r.decoder.PeekKind() != open {
		r.faults.add(path, "%s", message)
		r.skip()
		return false
	}
	r.readToken()
	return true
}

// readText reads a string, and faults with message if the value is of another kind.
func (r *reader) readText(path, message string) (text string, ok bool) {
	if r.decoder.PeekKind() != '"' {
		r.faults.add(path, "%s", message)
		r.skip()
		return "", false
	}
	text = r.readToken().String()
	if strings.ContainsRune(text, 0) {
		r.faults.add(path, "must not contain NUL")
		return "", false
	}
	return text, true
}

// readBoolean reads true or false.
func (r *reader) readBoolean(path string) bool {
	switch r.decoder.PeekKind() {
	case 't', 'f':
		return r.readToken().Bool()
	default:
		r.faults.add(path, "must be true or false")
		r.skip()
		return false
	}
}

// readInteger reads a whole number, written without a fraction or exponent.
func (r *reader) readInteger(path, message string) (number int64, ok bool) {
	if r.decoder.PeekKind() != '0' {
		r.faults.add(path, "%s", message)
		r.skip()
		return 0, false
	}
	number, err := strconv.ParseInt(r.readToken().String(), 10, 64)
	if err != nil {
		r.faults.add(path, "%s", message)
		return 0, false
	}
	return number, true
}

// readNull consumes a null, if that is the next value.
func (r *reader) readNull() bool {
	if r.decoder.PeekKind() != 'n' {
		return false
	}
	r.readToken()
	return true
}

// readToken and skip drop the decoder's error: newReader has read the same text without one.
func (r *reader) readToken() jsontext.Token {
	token, _ := r.decoder.ReadToken()
	return token
}

func (r *reader) skip() { _ = r.decoder.SkipValue() }
