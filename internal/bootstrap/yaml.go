package bootstrap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

const sizeLimit = 1 << 20 // bytes

// unsupportedSyntax does not show the name at fault: that may be what YAML sees in an unquoted password.
const unsupportedSyntax = "anchors, aliases and tags are not supported (quote a value that begins with &, * or !)"

// YAML ends an unquoted value at a brace inside { } or [ ], so variables go past the library with noncharacters in
// place of their braces. The file itself may not have these.
var (
	variable      = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	hiddenBraces  = []byte("\uFDD0${1}\uFDD1")
	restoreBraces = strings.NewReplacer("\uFDD0", "${", "\uFDD1", "}")
)

// parseYAML returns the root of the one document that source holds, or nil if it holds none.
func parseYAML(source []byte) (*yaml.Node, []Fault) {
	if len(source) > sizeLimit {
		return nil, []Fault{{Reason: fmt.Sprintf("is larger than %d bytes", sizeLimit)}}
	}
	if i := bytes.IndexFunc(source, isForbidden); i >= 0 {
		line := 1 + bytes.Count(source[:i], []byte("\n"))
		return nil, []Fault{{Line: line, Reason: "must be UTF-8 text without control characters"}}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(variable.ReplaceAll(source, hiddenBraces)))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, []Fault{syntaxFault(err)}
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, []Fault{{Line: second.Line, Reason: "must hold a single YAML document"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, []Fault{syntaxFault(err)}
	}
	if root := first.Content[0]; !isNull(root) {
		return root, nil
	}
	return nil, nil
}

// isForbidden reports whether the library would refuse r without saying where, or parseYAML has its own use for it.
// The replacement character stands for bytes that are not UTF-8.
func isForbidden(r rune) bool {
	return r == unicode.ReplacementChar || unicode.Is(unicode.Noncharacter_Code_Point, r) ||
		unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r)
}

// syntaxFault returns the fault that an error of the library describes.
func syntaxFault(err error) Fault {
	e, ok := errors.AsType[*yaml.LoadError](err)
	switch {
	case !ok:
		return Fault{Reason: "cannot be read as YAML"}
	case strings.HasPrefix(e.Message, "unknown anchor "):
		return Fault{Line: e.Mark.Line, Reason: unsupportedSyntax}
	case strings.HasPrefix(e.ContextMsg, "while parsing a flow "), strings.HasPrefix(e.ContextMsg,
		"while scanning a quoted "):
		return Fault{Line: e.ContextMark.Line, Reason: e.Message} // it may lack its end: where it begins says more
	default:
		return Fault{Line: e.Mark.Line, Reason: e.Message}
	}
}
