package blob

import (
	"context"
	"errors"
	"io"
)

// Reader reads an object, whole or in ranges. It asks the store for what is read, from the first byte of a range on.
type Reader struct {
	ctx    context.Context // a reader lives no longer than the call that has the context
	store  Store
	key    string
	size   int64
	offset int64
	open   *Content // at the offset; nil: nothing was read since the last Seek
}

var _ io.ReadSeekCloser = (*Reader)(nil)

// NewReader returns a reader of an object, which has that size.
func NewReader(ctx context.Context, store Store, key string, size int64) *Reader {
	return &Reader{ctx: ctx, store: store, key: key, size: size}
}

// Read reads from the offset on.
//
// Returns what Get does, and ErrSize if the object is not as large as it should be.
func (r *Reader) Read(p []byte) (int, error) {
	if r.offset >= r.size {
		return 0, io.EOF
	}
	if r.open == nil {
		open, err := r.store.Get(r.ctx, r.key, r.offset, -1)
		if err != nil {
			return 0, err
		}
		r.open = open
		if open.Size != r.size {
			return 0, ErrSize
		}
	}
	n, err := r.open.Read(p)
	r.offset += int64(n)
	if errors.Is(err, io.EOF) && r.offset < r.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

var errSeek = errors.New("there is nothing to read there")

// Seek sets the offset.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.offset
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errSeek
	}
	if offset != r.offset {
		_ = r.Close() // of what was only read
	}
	r.offset = offset
	return offset, nil
}

// Close ends reading.
func (r *Reader) Close() error {
	if r.open == nil {
		return nil
	}
	open := r.open
	r.open = nil
	return open.Close()
}
