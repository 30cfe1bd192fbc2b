package logs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// logText says how the pieces of a log make up its text. Pieces that follow each other are a span; where something is
// missing between spans, the text has a mark. Of pieces that overlap, the one that begins first counts, and of those
// that begin together the first one.
type logText struct {
	spans []logSpan
	size  int64 // of the text
	end   int64 // of the pieces
}

// logSpan is a part of a log, by offsets of pieces.
type logSpan struct {
	from, to int64
	at       int64 // where it begins in the text
}

const (
	placesAtOnce = 1_000
	maxSpans     = 10_000  // what comes behind counts as missing
	piecesAtOnce = 1 << 20 // bytes of text that are read together
)

// missingMark is what the text has in the place of bytes that did not come.
func missingMark(bytes int64) string {
	return "\n[... " + strconv.FormatInt(bytes, 10) + " bytes of the log are missing ...]\n"
}

// isWhole reports whether nothing is missing in a log, as far as it has come.
func (t *logText) isWhole() bool {
	return len(t.spans) == 0 || len(t.spans) == 1 && t.spans[0].from == 0 && t.spans[0].to == t.end
}

// add adds a piece, which begins no earlier than the last one.
func (t *logText) add(p store.ChunkPlace) {
	last := len(t.spans) - 1
	switch {
	case p.End() <= t.end:
		return
	case last >= 0 && t.spans[last].to == t.end && p.Offset <= t.end:
		t.spans[last].to = p.End()
	case len(t.spans) < maxSpans:
		s := logSpan{from: p.Offset, to: p.End()}
		if last >= 0 {
			s.at = t.spans[last].at + t.spans[last].to - t.spans[last].from
		}
		if missing := p.Offset - t.end; missing > 0 {
			s.at += int64(len(missingMark(missing)))
		}
		t.spans = append(t.spans, s)
	}
	t.end = p.End()
}

// close finds out how long the text is.
func (t *logText) close() {
	t.size = 0
	if len(t.spans) == 0 {
		return
	}
	last := t.spans[len(t.spans)-1]
	t.size = last.at + last.to - last.from
	if last.to < t.end {
		t.size += int64(len(missingMark(t.end - last.to)))
	}
}

// part returns what follows in the text at a place: a mark, or some of a span.
func (t *logText) part(at int64) (mark string, from, to int64) {
	i, _ := slices.BinarySearchFunc(t.spans, at, func(s logSpan, at int64) int {
		return cmp.Compare(s.at+s.to-s.from, at+1)
	})
	before, after, begins := int64(0), t.end, t.size // of what may be missing here
	if i > 0 {
		before = t.spans[i-1].to
	}
	if i < len(t.spans) {
		s := t.spans[i]
		if at >= s.at {
			return "", s.from + at - s.at, s.to
		}
		after, begins = s.from, s.at
	}
	mark = missingMark(after - before)
	return mark[int64(len(mark))-(begins-at):], 0, 0
}

// findLogText reads where the pieces of a log belong.
func findLogText(tx store.Tx, job domain.JobID) (*logText, error) {
	t := new(logText)
	last := store.ChunkPlace{Offset: -1}
	for {
		places, err := tx.ChunksAfter(job, last, placesAtOnce)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			t.add(p)
		}
		if len(places) < placesAtOnce {
			t.close()
			return t, nil
		}
		last = places[len(places)-1]
	}
}

// logPiece is a piece of a log with its content.
type logPiece struct {
	store.ChunkPlace
	content []byte // compressed
}

// readPieces returns the pieces that have the part of a log from an offset on, one after the other, and about as many
// as are read together. There are none if that part has not come, or is not in pieces any more.
func readPieces(tx store.Tx, job domain.JobID, from, to int64) (pieces []logPiece, err error) {
	const some = 128
	places, err := tx.ChunksFrom(job, from, some)
	if err != nil {
		return nil, err
	}
	to = min(to, from+piecesAtOnce)
	for _, p := range places {
		if p.Offset > from || from >= to {
			break
		}
		if p.End() <= from {
			continue
		}
		content, found, err := tx.ChunkContent(job, p.Sequence)
		if err != nil || !found {
			return pieces, err
		}
		pieces = append(pieces, logPiece{p, content})
		from = p.End()
	}
	return pieces, nil
}

// appendPieces appends the part of a log from an offset on to text.
func appendPieces(text []byte, pieces []logPiece, from, to int64) ([]byte, error) {
	for _, p := range pieces {
		length := min(p.End(), to) - from
		err := decompress(p.content, func(in io.Reader) error {
			if _, err := io.CopyN(io.Discard, in, from-p.Offset); err != nil {
				return err
			}
			begin := len(text)
			text = append(text, make([]byte, length)...)
			_, err := io.ReadFull(in, text[begin:])
			return err
		})
		if err != nil {
			return text, err
		}
		from += length
	}
	return text, nil
}

// errPiecesGone means that a log is not in pieces any more.
var errPiecesGone = errors.New("the log is not in pieces any more")

// piecesReader reads the text of a log that is in pieces. It holds little of it at a time.
type piecesReader struct {
	ctx     context.Context // a reader lives no longer than the call that has the context
	service *Service
	job     domain.JobID
	text    *logText
	at      int64 // in the text
	kept    []byte
	next    []byte // of kept
}

// Read reads from the text. It returns errPiecesGone if the log is not in pieces any more.
func (r *piecesReader) Read(p []byte) (int, error) {
	if len(r.next) == 0 {
		if r.at >= r.text.size {
			return 0, io.EOF
		}
		if err := r.load(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.next)
	r.next = r.next[n:]
	r.at += int64(n)
	return n, nil
}

// load reads what follows.
func (r *piecesReader) load() error {
	mark, from, to := r.text.part(r.at)
	if mark != "" {
		r.next = []byte(mark)
		return nil
	}
	to = min(to, from+piecesAtOnce)
	var pieces []logPiece
	err := r.service.core.Store.Read(r.ctx, func(tx store.Tx) (err error) {
		pieces, err = readPieces(tx, r.job, from, to)
		return err
	})
	if err != nil {
		return err
	}
	if len(pieces) == 0 {
		return errPiecesGone
	}
	r.kept, err = appendPieces(r.kept[:0], pieces, from, to)
	r.next = r.kept
	return err
}
