package web

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"penstock/internal/domain"
)

// logIndex says where the lines of a log are, and which of them are headers, so that any part of a long log can be shown without reading all
// that comes before it. It grows with the log.
type logIndex struct {
	mutex   sync.Mutex
	size    int64 // bytes that were read: whole lines
	scanner lineScanner
	points  []logPoint  // in their order; the first is the beginning
	headers []logHeader // in their order
}

// logSource is a log that can be read in parts.
type logSource struct {
	size int64 // of what does not change any more
	open func(ctx context.Context, from, length int64) (io.ReadCloser, error)
}

// logPoint is a place where reading can begin.
type logPoint struct {
	offset int64
	line   int64  // that begins there, counted from 0
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
	linesPerPoint  = 500
	bytesPerPoint  = 256 << 10
	maxLogHeaders  = 10_000
	maxHeaderStart = 1_024 // bytes of a line in which a header is looked for
	maxLineBuffer  = 256 << 10
	windowHeight   = 100 // lines that a program can go back
	maxStyle       = 256 // bytes
)

// lineScanner counts the lines of a log as a terminal shows them.
type lineScanner struct {
	line  int64 // on which the terminal's last line is
	back  int64 // how many lines the cursor is above it
	style string
}

var escapes = regexp.MustCompile(`\x1b\[([0-9;]*)([A-Za-z])`)

// scan reads a part of a line; ends: it is followed by a line break.
func (s *lineScanner) scan(part []byte, ends bool) {
	if bytes.IndexByte(part, 0x1b) >= 0 {
		for _, found := range escapes.FindAllSubmatch(part, -1) {
			s.apply(string(found[0]), string(found[1]), found[2][0])
		}
	}
	switch {
	case !ends:
	case s.back > 0:
		s.back--
	default:
		s.line++
	}
}

// apply follows an escape sequence.
func (s *lineScanner) apply(sequence, parameters string, code byte) {
	count, err := strconv.ParseInt(parameters, 10, 32)
	if err != nil {
		count = 1
	}
	switch code {
	case 'A', 'F':
		s.back = min(s.back+count, s.line, windowHeight-1)
	case 'B', 'E':
		s.back = max(0, s.back-count)
	case 'm':
		switch {
		case parameters == "" || parameters == "0":
			s.style = ""
		case strings.HasPrefix(parameters, "0;") || len(s.style)+len(sequence) > maxStyle:
			s.style = sequence
		default:
			s.style += sequence
		}
	}
}

var (
	lineTime   = regexp.MustCompile(`\x1b_bk;t=(\d{1,15})\x07`)
	lineColors = regexp.MustCompile(`\x1b\[[;?\d]*[A-Za-z]`)
	headerLine = regexp.MustCompile(`^\r?(---|\+\+\+|~~~)[ \t]+(.*)`)
	openBefore = regexp.MustCompile(`^\r?\^\^\^[ \t]+\+\+\+`)
)

// plainLine returns what a line of a log says, without its escape sequences.
func plainLine(line []byte) []byte {
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = lineColors.ReplaceAll(lineTime.ReplaceAll(line, nil), nil)
	}
	return bytes.TrimRight(line, "\r\n")
}

// noteHeader keeps a line if it begins a group.
func (x *logIndex) noteHeader(line []byte) {
	line = line[:min(len(line), maxHeaderStart)]
	if !bytes.ContainsAny(line, "-+~^") || len(x.headers) == maxLogHeaders {
		return
	}
	plain := plainLine(line)
	if openBefore.Match(plain) && len(x.headers) > 0 {
		x.headers[len(x.headers)-1].kind = '+'
		return
	}
	found := headerLine.FindSubmatch(plain)
	if found == nil {
		return
	}
	h := logHeader{line: x.scanner.line, kind: found[1][0], title: replaceEmoji(strings.ToValidUTF8(string(found[2]), "\uFFFD"))}
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
		x.size, x.scanner, x.points, x.headers = 0, lineScanner{}, nil, nil
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
	scanner, read, begins := x.scanner, x.size, true // of a line that has not ended, nothing is kept
	for {
		part, err := reader.ReadSlice('\n')
		read += int64(len(part))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			scanner.scan(part, false)
			begins = false
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if begins {
			x.noteHeader(part)
		}
		scanner.scan(part[:len(part)-1], true)
		begins = true
		x.scanner, x.size = scanner, read
		last := x.points[len(x.points)-1]
		if scanner.back == 0 && (scanner.line-last.line >= linesPerPoint || read-last.offset >= bytesPerPoint) {
			x.points = append(x.points, logPoint{read, scanner.line, scanner.style})
		}
	}
}

// pointBefore returns the last point at or before a line.
func (x *logIndex) pointBefore(line int64) logPoint {
	i, found := slices.BinarySearchFunc(x.points, line, func(p logPoint, line int64) int {
		return int(min(1, max(-1, p.line-line)))
	})
	if !found {
		i--
	}
	return x.points[max(0, i)]
}

// lines returns how many lines the log has.
func (x *logIndex) lines(log logSource) int64 {
	if log.size > x.size {
		return x.scanner.line + 1 // the last has not ended
	}
	return x.scanner.line
}

// logIndexes are the indexes of logs that were looked at lately.
type logIndexes struct {
	mutex sync.Mutex
	jobs  map[domain.JobID]*logIndex
	used  []domain.JobID // the one that was used last is the last
}

const maxLogIndexes = 64

// of returns the index of a job's log.
func (all *logIndexes) of(id domain.JobID) *logIndex {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	if all.jobs == nil {
		all.jobs = map[domain.JobID]*logIndex{}
	}
	x := all.jobs[id]
	if x == nil {
		x = &logIndex{}
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
