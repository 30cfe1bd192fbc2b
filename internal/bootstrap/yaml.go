package bootstrap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

const sizeLimit = 1 << 20 // bytes

// unsupportedSyntax does not show the name at fault: that may be what YAML sees in an unquoted password.
const unsupportedSyntax = "anchors, aliases and tags are not supported (quote a value that begins with &, * or !)"

var (
	// YAML ends an unquoted value at a brace inside { } or [ ], so variables go past the library with
	// noncharacters in place of their braces. The file itself may not have these.
	variable  = regexp.MustCompile(`\$\{(` + variablePattern + `)\}`)
	marked    = []byte("\uFDD0${1}\uFDD1")
	unmarking = strings.NewReplacer("\uFDD0", "${", "\uFDD1", "}")
)

// parseYAML returns the root of the one document that source holds, or nil if it holds none.
func parseYAML(source []byte) (*yaml.Node, *Fault) {
	if len(source) > sizeLimit {
		return nil, &Fault{Reason: fmt.Sprintf("is larger than %d bytes", sizeLimit)}
	}
	if fault := checkCharacters(source); fault != nil {
		return nil, fault
	}
	decoder := yaml.NewDecoder(bytes.NewReader(variable.ReplaceAll(source, marked)))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxFault(err)
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		unmark(&first)
		return first.Content[0], nil
	case err != nil:
		return nil, syntaxFault(err)
	default:
		return nil, &Fault{Line: second.Line, Reason: "must hold a single YAML document"}
	}
}

// unmark gives the variables below node their braces back.
func unmark(node *yaml.Node) {
	node.Value = unmarking.Replace(node.Value)
	for _, child := range node.Content {
		unmark(child)
	}
}

// checkCharacters finds the characters that the library would refuse without saying where, and those that
// parseYAML has its own use for.
func checkCharacters(source []byte) *Fault {
	for i := 0; i < len(source); {
		r, size := utf8.DecodeRune(source[i:])
		broken := r == utf8.RuneError && size == 1
		control := unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r)
		if broken || control || unicode.Is(unicode.Noncharacter_Code_Point, r) {
			return &Fault{Line: lineAt(source, i), Reason: "must be UTF-8 text without control characters"}
		}
		i += size
	}
	return nil
}

// syntaxFault returns the fault that an error of the library tells of.
func syntaxFault(err error) *Fault {
	e, ok := errors.AsType[*yaml.LoadError](err)
	switch {
	case !ok:
		return &Fault{Reason: "cannot be read as YAML"}
	case strings.HasPrefix(e.Message, "unknown anchor "):
		return &Fault{Line: e.Mark.Line, Reason: unsupportedSyntax}
	case strings.HasPrefix(e.ContextMsg, "while parsing a flow "), strings.HasPrefix(e.ContextMsg, "while scanning a quoted "):
		return &Fault{Line: e.ContextMark.Line, Reason: e.Message} // it may lack its end: where it begins says more
	default:
		return &Fault{Line: e.Mark.Line, Reason: e.Message}
	}
}

// lineAt returns the number of the line that the byte at offset i is on.
func lineAt(source []byte, i int) int { return 1 + bytes.Count(source[:i], []byte("\n")) }
