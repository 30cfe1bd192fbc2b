package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// source reads content for a store. It ends with an error unless the content has the size that was announced, and
// returns the last bytes only when it knows that no more follow: a store that has got as many bytes as it wants may
// look no further.
type source struct {
	ctx     context.Context // a source lives no longer than the call that has the context
	content io.Reader
	size    int64 // -1: not known

	mutex sync.Mutex // an HTTP client may go on reading when it has returned the answer
	read  int64
	err   error // why reading ended, if not at the end
}

var errSourceClosed = errors.New("the content is not read any more")

// openSource returns a source. It returns an error if the content is to be empty and is not.
func openSource(ctx context.Context, content io.Reader, size int64) (*source, error) {
	s := &source{ctx: ctx, content: content, size: size}
	if size < -1 {
		return nil, fmt.Errorf("%w: there are no %d bytes", ErrSize, size)
	}
	if size == 0 {
		return s, s.checkEnd()
	}
	return s, nil
}

// Read reads from the content.
func (s *source) Read(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return 0, s.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if s.read == s.size {
		return 0, io.EOF
	}
	n, err := s.content.Read(p)
	s.read += int64(n)
	ended := errors.Is(err, io.EOF)
	switch {
	case err != nil && !ended:
		s.err = &ContentError{err}
	case s.size >= 0 && s.read > s.size:
		s.err = fmt.Errorf("%w: %d bytes were announced, and more came", ErrSize, s.size)
	case s.size >= 0 && ended && s.read < s.size:
		s.err = fmt.Errorf("%w: %d bytes were announced, and %d came", ErrSize, s.size, s.read)
	case s.read == s.size && !ended:
		s.err = s.checkEnd()
	case ended:
		return n, io.EOF
	}
	if s.err != nil {
		return 0, s.err
	}
	return n, nil
}

// checkEnd returns an error unless the content has no more bytes.
func (s *source) checkEnd() error {
	var more [1]byte
	for {
		n, err := s.content.Read(more[:])
		switch {
		case n > 0:
			return fmt.Errorf("%w: %d bytes were announced, and more came", ErrSize, s.size)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &ContentError{err}
		}
	}
}

// close ends reading, and returns when nobody reads the content any more. It returns why reading failed, or else the
// storage's error.
func (s *source) close(storage error) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err != nil && !errors.Is(s.err, errSourceClosed) {
		return s.err
	}
	s.err = errSourceClosed
	return storage
}
