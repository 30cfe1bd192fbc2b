package httpcall

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// A body that is read as it comes has no bound on its time: of each part, the caller must send all in time. So a slow
// one can send a large body, and one that sends hardly anything is left.
const (
	maxUploadStall = 30 * time.Second // for a part
	maxUploadTime  = 24 * time.Hour   // for all of it
	answerTime     = 60 * time.Second // to read the answer to it, as for others
)

// BodyStream is the body of a request that is read as it comes, and never held whole. Until it is known who sends it,
// little of it is read.
type BodyStream struct {
	call    *Call
	control *http.ResponseController
	limit   int64 // bytes that may be read
	read    int64
	renewAt int64     // how many bytes must have been read for the caller to be given more time
	endAt   time.Time // when the caller must have sent all that is allowed
	ended   bool      // all of the body was read
}

// OpenBody begins to read the body as it comes. While the caller sends it, the request takes no place of others. Close
// must follow.
//
// Returns Unavailable if too many requests of the caller's are in flight.
func (c *Call) OpenBody() (*BodyStream, error) {
	b := &BodyStream{call: c, control: http.NewResponseController(c.W), limit: maxStrangersBody,
		endAt: time.Now().Add(maxStrangersTime)}
	if err := c.awaitBody(); err != nil {
		return nil, err
	}
	return b, nil
}

// Allow lets the body have that many bytes in all. It must be known who sends it.
func (b *BodyStream) Allow(bytes int64) {
	b.limit, b.renewAt, b.endAt = bytes, b.read, b.call.Start.Add(maxUploadTime)
}

// Read reads from the body.
//
// Returns an *http.MaxBytesError for one that is too large, and ErrBodyBrokenOff.
func (b *BodyStream) Read(p []byte) (int, error) {
	if b.read >= b.renewAt {
		b.renewAt = b.read + partSize
		_ = b.control.SetReadDeadline(b.call.connection.readDeadline(b.endAt))
	}
	if int64(len(p)) > b.limit-b.read+1 { // one more shows that there is more
		p = p[:b.limit-b.read+1]
	}
	n, err := b.call.R.Body.Read(p)
	b.read += int64(n)
	switch {
	case b.read > b.limit:
		return 0, &http.MaxBytesError{Limit: b.limit}
	case errors.Is(err, io.EOF):
		b.ended = true
		return n, io.EOF
	case err != nil:
		return n, ErrBodyBrokenOff
	}
	return n, nil
}

// Close ends reading. The caller is given time to read the answer.
func (b *BodyStream) Close() {
	_ = b.call.connection.endBody() // an answer to so much work needs no place
	_ = b.control.SetWriteDeadline(time.Now().Add(answerTime))
	if !b.ended {
		_ = b.call.endConnection(nil)
		return
	}
	_ = b.control.SetReadDeadline(time.Time{}) // only the connection's end is looked for
}

// readDeadline returns until when the caller must have sent the next part.
func (c *connection) readDeadline(last time.Time) time.Time {
	deadline := time.Now().Add(maxUploadStall)
	if last.Before(deadline) {
		deadline = last
	}
	if c == nil {
		return deadline
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	if c.caller == "" {
		return time.Unix(1, 0) // it was given up
	}
	if stopAt := c.limits.stopAt; !stopAt.IsZero() && stopAt.Before(deadline) {
		return stopAt
	}
	return deadline
}

// OpenAnswer returns what an answer is written to that may be very long and is not held whole. While the caller reads
// it, the request takes no place of others.
//
// Returns Unavailable if the caller has too many answers to read.
func (c *Call) OpenAnswer() (http.ResponseWriter, error) {
	if err := c.ReserveAnswer(partSize); err != nil {
		return nil, err
	}
	return &answerStream{c, http.NewResponseController(c.W)}, nil
}

type answerStream struct {
	call    *Call
	control *http.ResponseController
}

// Header returns the header of the answer.
func (a *answerStream) Header() http.Header { return a.call.Header }

// WriteHeader begins the answer.
func (a *answerStream) WriteHeader(status int) {
	if a.call.status == 0 {
		a.call.status = status
		a.call.W.WriteHeader(status)
	}
}

// Write writes a part of the answer, which the caller must read in time.
func (a *answerStream) Write(part []byte) (written int, err error) {
	a.WriteHeader(http.StatusOK)
	for len(part) > 0 && err == nil {
		var n int
		_ = a.control.SetWriteDeadline(a.call.connection.writeDeadline())
		n, err = a.call.W.Write(part[:min(len(part), partSize)])
		part, written = part[n:], written+n
	}
	a.call.size += written
	return written, err
}
