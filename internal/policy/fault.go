package policy

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault is one thing that is wrong with a document.
type Fault struct {
	// Path is the place in the document, such as rules[2].action; empty for the document itself.
	Path string
	// Message continues the sentence that Path begins, such as "must be save or restore".
	Message string
}

// String returns the sentence of Path and Message.
func (f Fault) String() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + " " + f.Message
}

// Faults is everything that is wrong with a document, in the order of the document; nil when
// nothing is.
type Faults []Fault

// String returns the faults' sentences, joined with commas.
func (f Faults) String() string {
	sentences := make([]string, len(f))
	for i, fault := range f {
		sentences[i] = fault.String()
	}
	return strings.Join(sentences, ", ")
}

// maxFaults bounds the answer to a document that is wrong everywhere. A last fault then says that
// there are more.
const maxFaults = 100

func (f *Faults) add(path, format string, args ...any) {
	switch {
	case len(*f) < maxFaults:
		*f = append(*f, Fault{Path: path, Message: fmt.Sprintf(format, args...)})
	case len(*f) == maxFaults:
		*f = append(*f, Fault{Message: fmt.Sprintf("has more faults than these %d", maxFaults)})
	}
}

// isFull reports that further faults would not be shown.
func (f Faults) isFull() bool { return len(f) > maxFaults }

// memberPath is the path of an object's member. Names that are not plain words are quoted, and long
// ones cut short, since they are the user's.
func memberPath(parent, name string) string {
	if !isPlainWord(name) {
		return parent + "[" + quote(name) + "]"
	}
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// elementPath is the path of an array's element.
func elementPath(parent string, index int) string {
	return parent + "[" + strconv.Itoa(index) + "]"
}

func isPlainWord(name string) bool {
	if name == "" || len(name) > maxQuoted {
		return false
	}
	for _, r := range name {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return true
}

// maxQuoted and maxShown bound how much of a user's text a message repeats.
const (
	maxQuoted = 60
	maxShown  = 300
)

// quote returns text in double quotes, without control characters and cut to maxQuoted bytes.
func quote(text string) string { return strconv.Quote(truncate(text, maxQuoted)) }

// toOneLine returns a text from elsewhere (a library's error) without control characters and cut to
// maxShown bytes, fit for a terminal and for a message.
func toOneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, truncate(text, maxShown))
}

// truncate shortens text to at most limit bytes of whole characters, and marks that it did.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// joinWithOr writes a choice in English: "a", "a or b", "a, b or c".
func joinWithOr(choices []string) string { return joinInEnglish(choices, "or") }

// joinWithAnd writes a list in English: "a", "a and b", "a, b and c".
func joinWithAnd(items []string) string { return joinInEnglish(items, "and") }

func joinInEnglish(items []string, conjunction string) string {
	last := len(items) - 1
	if last <= 0 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " " + conjunction + " " + items[last]
}
