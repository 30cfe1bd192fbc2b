package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"penstock/internal/domain"
)

// logIndex says where the lines of a log are, and which of them are headers, so that any part of a long log can be
// shown without reading all that comes before it. It grows with the log, each byte of which is read once, and stays
// small: it has no more than a point for bytesPerPoint.
type logIndex struct {
	size    int64  // bytes that were read
	begun   int64  // where the line begins that was read last
	begin   []byte // of that line, if it has not ended
	scanner lineScanner
	points  []logPoint  // in their order; the first is the beginning
	headers []logHeader // in their order
}

// sharedIndex is the index of a log that several readers look at.
type sharedIndex struct {
	mutex sync.Mutex
	index logIndex
}

// read extends the index to what the log has now, and returns it as it is then. Those who come meanwhile wait, and need
// not read the same again.
func (s *sharedIndex) read(ctx context.Context, log logSource) (*logIndex, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := s.index.extend(ctx, log); err != nil {
		return nil, err
	}
	x := s.index // its points do not change any more, and nobody else uses its scanner
	x.headers = slices.Clone(x.headers)
	return &x, nil
}

// logSource is a log that can be read in parts.
type logSource struct {
	size int64 // of what does not change any more
	open func(ctx context.Context, from, length int64) (io.ReadCloser, error)
}

// logPoint is a place where reading can begin: after a line, or in a long line after the cursor has gone back to the
// line's beginning.
type logPoint struct {
	offset int64
	line   int64  // on which the cursor is there, counted from 0
	style  string // the escape sequences that hold there
}

// logHeader is a line that begins a group.
type logHeader struct {
	line  int64
	kind  byte // the character that it begins with: - is shown closed, + open, ~ closed and less
	title string
	at    time.Time // zero: not known
}

const (
	bytesPerPoint  = 64 << 10
	maxLogHeaders  = 10_000
	maxHeaderStart = 1_024 // bytes of a line in which a header is looked for
	maxLineBuffer  = 64 << 10
	windowHeight   = 100 // lines that a program can go back
	maxStyle       = 256 // bytes
	maxEscape      = 64  // bytes of an escape sequence
	escape         = 0x1b
)

// lineScanner counts the lines of a log as a terminal shows them.
type lineScanner struct {
	line    int64 // on which the terminal's last line is
	back    int64 // how many lines the cursor is above it
	style   []byte
	pending []byte // an escape sequence that has not ended
}

// scan reads a part of a line, without its line break.
func (s *lineScanner) scan(part []byte) {
	if len(s.pending) > 0 {
		part = slices.Concat(s.pending, part)
		s.pending = nil
	}
	for {
		i := bytes.IndexByte(part, escape)
		if i < 0 {
			return
		}
		part = part[i:]
		length := sequenceLength(part)
		if length == 0 && len(part) < maxEscape {
			s.pending = bytes.Clone(part)
			return
		}
		if length > 2 {
			s.apply(part[:length])
		}
		part = part[max(1, length):]
	}
}

// endLine follows a line break.
func (s *lineScanner) endLine() {
	s.pending = nil
	if s.back > 0 {
		s.back--
	} else {
		s.line++
	}
}

// sequenceLength returns how long the control sequence is that a text begins with, such as ESC [31m: 1 if it is none,
// and 0 if it has not ended.
func sequenceLength(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != '[' {
		return 1
	}
	for i, b := range text[2:] {
		switch {
		case b >= '0' && b <= '9' || b == ';' || b == '?':
		case b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z':
			return i + 3
		default:
			return 1
		}
	}
	return 0
}

// apply follows a control sequence.
func (s *lineScanner) apply(sequence []byte) {
	parameters, code := sequence[2:len(sequence)-1], sequence[len(sequence)-1]
	if bytes.HasPrefix(parameters, []byte("?")) {
		return
	}
	switch code {
	case 'A', 'F':
		s.back = min(s.back+countOf(parameters), s.line, windowHeight-1)
	case 'B', 'E':
		s.back = max(0, s.back-countOf(parameters))
	case 'm':
		switch {
		case len(parameters) == 0 || string(parameters) == "0":
			s.style = s.style[:0]
		case bytes.HasPrefix(parameters, []byte("0;")) || len(s.style)+len(sequence) > maxStyle:
			s.style = append(s.style[:0], sequence...)
		default:
			s.style = append(s.style, sequence...)
		}
	}
}

// countOf returns how many lines a sequence moves by.
func countOf(parameters []byte) int64 {
	count, err := strconv.ParseInt(string(parameters), 10, 32)
	if err != nil {
		return 1
	}
	return count
}

var (
	lineTime   = regexp.MustCompile(`\x1b_bk;t=(\d{1,15})\x07`)
	headerLine = regexp.MustCompile(`^\r?(---|\+\+\+|~~~)[ \t]+(.*)`)
	openBefore = regexp.MustCompile(`^\r?\^\^\^[ \t]+\+\+\+`)
)

// appendPlain appends what a line of a log says to text: the line without its control sequences, its time and its line
// break.
func appendPlain(text, line []byte) []byte {
	line = bytes.TrimRight(line, "\r\n")
	for {
		i := bytes.IndexByte(line, escape)
		if i < 0 {
			return append(text, line...)
		}
		text, line = append(text, line[:i]...), line[i:]
		skipped := skippedLength(line)
		if skipped == 0 {
			text, skipped = append(text, escape), 1
		}
		line = line[skipped:]
	}
}

// skippedLength returns how long what a text begins with is that is not shown, a control sequence or a time; 0: there
// is none.
func skippedLength(text []byte) int {
	if bytes.HasPrefix(text, []byte("\x1b_bk;")) {
		return bytes.IndexByte(text[:min(len(text), maxEscape)], 0x07) + 1
	}
	if length := sequenceLength(text); length > 2 {
		return length
	}
	return 0
}

// mayBeHeader reports whether the first character that a line shows is one that headers begin with.
func mayBeHeader(line []byte) bool {
	for len(line) > 0 {
		switch line[0] {
		case '-', '+', '~', '^':
			return true
		case '\r':
			line = line[1:]
		default:
			skipped := skippedLength(line)
			if skipped == 0 {
				return false
			}
			line = line[skipped:]
		}
	}
	return false
}

// recordHeader records a line if it begins a group.
func (x *logIndex) recordHeader(line []byte) {
	line = line[:min(len(line), maxHeaderStart)]
	if !mayBeHeader(line) || len(x.headers) == maxLogHeaders {
		return
	}
	plain := appendPlain(nil, line)
	if openBefore.Match(plain) && len(x.headers) > 0 {
		x.headers[len(x.headers)-1].kind = '+'
		return
	}
	found := headerLine.FindSubmatch(plain)
	if found == nil {
		return
	}
	h := logHeader{line: x.scanner.line, kind: found[1][0], title: replaceEmoji(strings.ToValidUTF8(string(found[2]),
		"\uFFFD"))}
	if at := lineTime.FindSubmatch(line); at != nil {
		if milliseconds, err := strconv.ParseInt(string(at[1]), 10, 64); err == nil {
			h.at = time.UnixMilli(milliseconds).UTC()
		}
	}
	x.headers = append(x.headers, h)
}

// extend reads what the log has got since.
func (x *logIndex) extend(ctx context.Context, log logSource) error {
	if log.size < x.size { // it is another one now
		*x = logIndex{}
	}
	if len(x.points) == 0 {
		x.points = []logPoint{{}}
	}
	if log.size == x.size {
		return nil
	}
	in, err := log.open(ctx, x.size, log.size-x.size)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	reader := bufio.NewReaderSize(in, maxLineBuffer)
	for {
		part, err := reader.ReadSlice('\n')
		x.add(part)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// add reads a part of the log that follows: a line, or a part of one.
func (x *logIndex) add(part []byte) {
	line, ends := bytes.CutSuffix(part, []byte("\n"))
	for len(line) > 0 {
		some := line[:x.findReturn(line)]
		x.scanner.scan(some)
		if len(some) < len(line) && x.scanner.back == 0 {
			x.points = append(x.points, logPoint{x.size + int64(len(some)), x.scanner.line, string(x.scanner.style)})
		}
		x.size += int64(len(some))
		line = line[len(some):]
	}
	switch {
	case !ends:
		x.begin = append(x.begin, part[:min(len(part), maxHeaderStart-len(x.begin))]...)
		return
	case len(x.begin) > 0:
		x.begin = append(x.begin, part[:min(len(part), maxHeaderStart-len(x.begin))]...)
		x.recordHeader(x.begin)
		x.begin = x.begin[:0]
	default:
		x.recordHeader(part)
	}
	x.scanner.endLine()
	x.size++
	x.begun = x.size
	if x.scanner.back == 0 && x.size-x.points[len(x.points)-1].offset >= bytesPerPoint {
		x.points = append(x.points, logPoint{x.size, x.scanner.line, string(x.scanner.style)})
	}
}

// findReturn returns how much of a part of a long line comes before the next point in it: where the cursor goes back to
// the line's beginning. It is all of the part if there is none, or if none is due.
func (x *logIndex) findReturn(part []byte) int {
	due := max(x.begun, x.points[len(x.points)-1].offset) + bytesPerPoint - x.size
	if due >= int64(len(part)) {
		return len(part)
	}
	for at := int(max(0, due)); ; {
		i := bytes.IndexByte(part[at:], '\r')
		at += i + 1
		if i < 0 || at == len(part) { // at the end, it may belong to the line break
			return len(part)
		}
		if part[at] != '\r' {
			return at
		}
	}
}

// pointBefore returns which point is the last at or before a line.
func (x *logIndex) pointBefore(line int64) int {
	return sort.Search(len(x.points), func(i int) bool { return x.points[i].line > line }) - 1
}

// lines returns how many lines the log has.
func (x *logIndex) lines() int64 {
	if x.size > x.begun {
		return x.scanner.line + 1 // the last has not ended
	}
	return x.scanner.line
}

// logIndexes are the indexes of logs that were looked at lately.
type logIndexes struct {
	mutex sync.Mutex
	jobs  map[domain.JobID]*sharedIndex
	used  []domain.JobID // the one that was used last is the last
}

const maxLogIndexes = 64

// of returns the index of a job's log.
func (all *logIndexes) of(id domain.JobID) *sharedIndex {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	if all.jobs == nil {
		all.jobs = map[domain.JobID]*sharedIndex{}
	}
	x := all.jobs[id]
	if x == nil {
		x = &sharedIndex{}
		all.jobs[id] = x
		if len(all.used) == maxLogIndexes {
			delete(all.jobs, all.used[0])
			all.used = all.used[1:]
		}
	} else {
		all.used = slices.DeleteFunc(all.used, func(used domain.JobID) bool { return used == id })
	}
	all.used = append(all.used, id)
	return x
}
