// Package junit reads reports of tests in the JUnit XML format, which anybody may have written: within bounds, and
// without what XML can refer to. It imports nothing of ours.
package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of reports.
const (
	MaxSize     = 10 << 20 // bytes of a file
	MaxCases    = 500      // that a report names; those that did not pass come first
	maxDepth    = 32
	maxElements = 500_000
	maxName     = 300       // bytes of a name
	maxMessage  = 1_000     // bytes
	maxDetail   = 4_000     // bytes
	maxDetails  = 256 << 10 // bytes of messages and details together; those that come after are left out
)

// Outcome is how a test ended.
type Outcome string

// The outcomes of tests.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Case is a test.
type Case struct {
	Name    string
	Suite   string // the class or the suite that it belongs to
	Outcome Outcome
	Took    time.Duration
	Message string // why it did not pass, in short
	Detail  string // and at length
}

// Report is what a file says.
type Report struct {
	Tests, Failed, Skipped int64
	Took                   time.Duration // of all tests together
	Cases                  []Case        // MaxCases at most: those that failed, then the others, the slowest first
}

// Read reads a report.
//
// It returns an error, to be shown to who wrote the file, for what is no JUnit XML, is too large or refers to entities.
func Read(in io.Reader) (Report, error) {
	content, err := io.ReadAll(io.LimitReader(in, MaxSize+1))
	switch {
	case err != nil:
		return Report{}, err
	case len(content) > MaxSize:
		return Report{}, &FormatError{fmt.Sprintf("it is larger than %d MiB", MaxSize>>20)}
	}
	r := reader{decoder: xml.NewDecoder(bytes.NewReader(content))}
	if err := r.read(); err != nil {
		return Report{}, err
	}
	return r.finish(), nil
}

// FormatError says what is wrong with a report.
type FormatError struct{ Reason string }

func (e *FormatError) Error() string { return e.Reason }

type reader struct {
	decoder  *xml.Decoder
	report   Report
	suites   []string // names of the suites that the present element is in
	elements int
	isReport bool
	failed   []Case
	others   []Case
}

func (r *reader) read() error {
	for depth := 0; ; {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			if !r.isReport {
				return &FormatError{"it has no testsuite"}
			}
			return nil
		}
		if err != nil {
			return asFormatError(err)
		}
		switch t := token.(type) {
		case xml.Directive:
			return &FormatError{"it has a document type, which is not read"}
		case xml.StartElement:
			if err := r.count(depth); err != nil {
				return err
			}
			switch t.Name.Local {
			case "testsuites", "testsuite":
				r.isReport = true
				r.suites = append(r.suites, attribute(t, "name"))
				depth++
			case "testcase":
				if !r.isReport {
					return &FormatError{"it has no testsuite"}
				}
				if err := r.readCase(t); err != nil {
					return err
				}
			default:
				if !r.isReport {
					return &FormatError{"it begins with " + cut(t.Name.Local, 40) + ", not with testsuites or testsuite"}
				}
				if err := r.skip(depth); err != nil {
					return err
				}
			}
		case xml.EndElement:
			depth--
			r.suites = r.suites[:len(r.suites)-1]
		}
	}
}

func (r *reader) count(depth int) error {
	r.elements++
	switch {
	case r.elements > maxElements:
		return &FormatError{"it has too many elements"}
	case depth >= maxDepth:
		return &FormatError{"its elements are nested too deep"}
	}
	return nil
}

// skip reads to the end of the present element.
func (r *reader) skip(depth int) error {
	for below := 1; below > 0; {
		token, err := r.decoder.Token()
		if err != nil {
			return asFormatError(err)
		}
		switch token.(type) {
		case xml.StartElement:
			if err := r.count(depth + below); err != nil {
				return err
			}
			below++
		case xml.EndElement:
			below--
		}
	}
	return nil
}

// readCase reads a test, whose first tag was read.
func (r *reader) readCase(start xml.StartElement) error {
	c := Case{Name: cut(attribute(start, "name"), maxName), Suite: cut(attribute(start, "classname"), maxName),
		Outcome: Passed, Took: seconds(attribute(start, "time"))}
	if c.Suite == "" && len(r.suites) > 0 {
		c.Suite = cut(r.suites[len(r.suites)-1], maxName)
	}
	if c.Name == "" {
		c.Name = "(no name)"
	}
	for {
		token, err := r.decoder.Token()
		if err != nil {
			return asFormatError(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := r.count(len(r.suites) + 1); err != nil {
				return err
			}
			detail, err := r.text(len(r.suites) + 2)
			if err != nil {
				return err
			}
			switch t.Name.Local {
			case "failure", "error":
				c.Outcome = Failed
				if c.Message == "" && c.Detail == "" {
					c.Message, c.Detail = cut(attribute(t, "message"), maxMessage), detail
				}
			case "skipped":
				if c.Outcome == Passed {
					c.Outcome, c.Message = Skipped, cut(attribute(t, "message"), maxMessage)
				}
			}
		case xml.EndElement:
			r.add(c)
			return nil
		}
	}
}

// text reads to the end of the present element, and returns the beginning of its text.
func (r *reader) text(depth int) (string, error) {
	var text []byte
	for below := 1; below > 0; {
		token, err := r.decoder.Token()
		if err != nil {
			return "", asFormatError(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := r.count(depth + below); err != nil {
				return "", err
			}
			below++
		case xml.EndElement:
			below--
		case xml.CharData:
			if len(text) < maxDetail {
				text = append(text, t[:min(len(t), maxDetail+utf8.UTFMax)]...)
			}
		}
	}
	return cut(strings.TrimSpace(string(text)), maxDetail), nil
}

func (r *reader) add(c Case) {
	r.report.Tests++
	r.report.Took += c.Took
	switch c.Outcome {
	case Failed:
		r.report.Failed++
		if len(r.failed) < MaxCases {
			r.failed = append(r.failed, c)
		}
		return
	case Skipped:
		r.report.Skipped++
	}
	c.Detail = ""
	if r.others = append(r.others, c); len(r.others) >= 4*MaxCases {
		r.trimToSlowest()
	}
}

func (r *reader) trimToSlowest() {
	slices.SortStableFunc(r.others, func(a, b Case) int { return int(max(-1, min(1, b.Took-a.Took))) })
	r.others = r.others[:min(len(r.others), MaxCases)]
}

func (r *reader) finish() Report {
	r.trimToSlowest()
	left := maxDetails
	for i := range r.failed {
		c := &r.failed[i]
		if left -= len(c.Message) + len(c.Detail); left < 0 {
			c.Message, c.Detail, left = "", "", 0
		}
	}
	r.report.Cases = slices.Concat(r.failed, r.others[:min(len(r.others), MaxCases-len(r.failed))])
	return r.report
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// seconds reads a length of time, which some write with commas between thousands.
func seconds(text string) time.Duration {
	value, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	const most = 366 * 24 * 3600
	if err != nil || math.IsNaN(value) || value < 0 || value > most {
		return 0
	}
	return time.Duration(value * float64(time.Second))
}

// cut returns as much of a text as so many bytes, without what databases do not store.
func cut(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
	if len(text) <= most {
		return text
	}
	text = text[:most]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "…"
}

func asFormatError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &FormatError{"it ends in the middle"}
	}
	return &FormatError{"it is not valid XML: " + cut(strings.TrimPrefix(err.Error(), "XML syntax error on "), 200)}
}
