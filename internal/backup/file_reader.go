package backup

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/blob"
)

// fileReader reads a backup line by line and checks it on the way. Only when nextTable has returned
// false are all rows known to be good, and only when nextBlob has, all logs and artifacts.
type fileReader struct {
	ctx     context.Context // a reader lives no longer than the call that has the context
	raw     *bufio.Reader   // the file
	in      *bufio.Reader   // what it holds
	hash    hash.Hash
	json    jsontext.Decoder
	line    []byte
	lines   int
	table   tableLine // the current one
	row     []any
	summary Summary

	blobs BlobSummary // those that were read
	blob  blobLine    // the current one
	left  int64       // bytes of it
	begun bool        // there is a current one
}

func newFileReader(ctx context.Context, r io.Reader) (*fileReader, error) {
	b := &fileReader{ctx: ctx, raw: bufio.NewReader(r), hash: sha256.New()}
	unzipped, err := gzip.NewReader(b.raw)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: the file is empty", ErrBadFile)
	}
	if err != nil {
		return nil, b.readError(err)
	}
	unzipped.Multistream(false) // what follows is looked at in the end
	b.in = bufio.NewReaderSize(unzipped, 64<<10)
	if err := b.readLine(); err != nil {
		return nil, err
	}
	var h headerLine
	if err := json.Unmarshal(b.line, &h); err != nil || h.Format != formatName {
		return nil, fmt.Errorf("%w: the file is something else", ErrBadFile)
	}
	if h.Version != formatVersion && h.Version != formatWithBlobs {
		return nil, fmt.Errorf("%w: its format is version %d, this binary knows %d and %d", ErrBadFile, h.Version,
			formatVersion, formatWithBlobs)
	}
	if h.Schema < 1 {
		return nil, b.altered(fmt.Errorf("there is no schema version %d", h.Schema))
	}
	b.hash.Write(b.line)
	b.summary = Summary{Schema: h.Schema, Engine: h.Engine, TakenAt: h.TakenAt, Rows: map[string]int64{}}
	if h.Version == formatWithBlobs {
		b.summary.Blobs = &b.blobs
	}
	return b, nil
}

// nextTable goes to the next table, whose rows nextRow then returns. It returns false at the end, when all of the file
// has been checked, or all before its logs and artifacts. The table before must have been read to its last row.
func (b *fileReader) nextTable() (bool, error) {
	if err := b.readLine(); err != nil {
		return false, err
	}
	if !bytes.HasPrefix(b.line, []byte(tablePrefix)) {
		return false, b.end()
	}
	b.hash.Write(b.line)
	b.table = tableLine{}
	if err := json.Unmarshal(b.line, &b.table, json.RejectUnknownMembers(true)); err != nil {
		return false, b.altered(err)
	}
	if _, again := b.summary.Rows[b.table.Table]; again {
		return false, b.altered(fmt.Errorf("table %s comes twice", b.table.Table))
	}
	b.summary.Rows[b.table.Table] = 0
	return true, nil
}

// nextRow returns the values (string, int64, bool or nil) of the table's next row, or nil after its
// last. They are good until the next call.
func (b *fileReader) nextRow() ([]any, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	first, err := b.in.Peek(1)
	if err != nil {
		return nil, b.readError(err)
	}
	if first[0] != '[' {
		return nil, nil
	}
	if err := b.readLine(); err != nil {
		return nil, err
	}
	b.hash.Write(b.line)
	if err := b.parseRow(); err != nil {
		return nil, b.altered(err)
	}
	b.summary.Rows[b.table.Table]++
	return b.row, nil
}

func (b *fileReader) parseRow() error {
	b.row = b.row[:0]
	b.json.Reset(bytes.NewBuffer(b.line))
	if _, err := b.json.ReadToken(); err != nil {
		return err
	}
	for {
		token, err := b.json.ReadToken()
		if err != nil {
			return err
		}
		switch token.Kind() {
		case 'n':
			b.row = append(b.row, nil)
		case 't', 'f':
			b.row = append(b.row, token.Bool())
		case '"':
			b.row = append(b.row, token.String())
		case '0':
			n, err := strconv.ParseInt(token.String(), 10, 64)
			if err != nil {
				return err
			}
			b.row = append(b.row, n)
		case ']':
			if len(b.row) != len(b.table.Columns) {
				return fmt.Errorf("%d values for %d columns", len(b.row), len(b.table.Columns))
			}
			if _, err := b.json.ReadToken(); !errors.Is(err, io.EOF) {
				return errors.New("more than one row")
			}
			return nil
		default:
			return fmt.Errorf("%s is not a value", token)
		}
	}
}

// end checks the last line of the tables, which has just been read, and that the file ends with it, unless it has logs
// and artifacts.
func (b *fileReader) end() error {
	var t trailerLine
	if err := json.Unmarshal(b.line, &t, json.RejectUnknownMembers(true)); err != nil {
		return b.altered(err)
	}
	if err := b.checkSum(t.SHA256); err != nil {
		return err
	}
	if !maps.Equal(t.Rows, b.summary.Rows) {
		return fmt.Errorf("%w: the file was altered: its row counts are wrong", ErrBadFile)
	}
	if b.summary.Blobs != nil {
		b.hash.Write(b.line)
		return nil
	}
	return b.endFile()
}

// checkSum checks the checksum of what has been read.
func (b *fileReader) checkSum(want string) error {
	if want != hex.EncodeToString(b.hash.Sum(nil)) {
		return fmt.Errorf("%w: the file was altered: its checksum is wrong", ErrBadFile)
	}
	return nil
}

// endFile checks that nothing follows.
func (b *fileReader) endFile() error {
	// Only a read to the end checks the sum that gzip has of its own.
	if _, err := b.in.ReadByte(); err == nil {
		return fmt.Errorf("%w: the file was altered: something follows its end", ErrBadFile)
	} else if !errors.Is(err, io.EOF) {
		return b.readError(err)
	}
	if _, err := b.raw.ReadByte(); err == nil {
		return fmt.Errorf("%w: the file was altered: something follows its end", ErrBadFile)
	} else if !errors.Is(err, io.EOF) {
		return b.readError(err)
	}
	return nil
}

// nextBlob goes to the next log or artifact, whose bytes Read then returns. It returns false at the end, when all of
// the file has been checked. The tables, and what came before, must have been read.
func (b *fileReader) nextBlob() (bool, error) {
	if b.begun {
		if err := b.endBlob(); err != nil {
			return false, err
		}
	}
	if err := b.readLine(); err != nil {
		return false, err
	}
	if !bytes.HasPrefix(b.line, []byte(blobPrefix)) {
		return false, b.endBlobs()
	}
	b.hash.Write(b.line)
	b.blob = blobLine{}
	err := json.Unmarshal(b.line, &b.blob, json.RejectUnknownMembers(true))
	if err == nil {
		err = blob.CheckKey(b.blob.Blob)
	}
	if err == nil && b.blob.Size < 0 {
		err = fmt.Errorf("it has %d bytes", b.blob.Size)
	}
	if err != nil {
		return false, b.altered(err)
	}
	b.begun, b.left = true, b.blob.Size
	b.blobs.Objects++
	b.blobs.Bytes += b.blob.Size
	return true, nil
}

// Read reads bytes of the current log or artifact.
func (b *fileReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.hash.Write(p[:n])
	b.left -= int64(n)
	if err != nil {
		return n, b.readError(err)
	}
	return n, nil
}

// endBlob reads what is left of the current log or artifact, and its line feed.
func (b *fileReader) endBlob() error {
	if _, err := io.Copy(io.Discard, b); err != nil {
		return err
	}
	end, err := b.in.ReadByte()
	if err != nil {
		return b.readError(err)
	}
	b.hash.Write([]byte{end})
	if end != '\n' {
		return b.altered(fmt.Errorf("%s has more than %d bytes", b.blob.Blob, b.blob.Size))
	}
	b.begun = false
	return nil
}

// endBlobs checks the last line of all, which has just been read, and that the file ends with it.
func (b *fileReader) endBlobs() error {
	var t blobsTrailerLine
	if err := json.Unmarshal(b.line, &t, json.RejectUnknownMembers(true)); err != nil {
		return b.altered(err)
	}
	if err := b.checkSum(t.SHA256); err != nil {
		return err
	}
	if t.Blobs != b.blobs {
		return fmt.Errorf("%w: the file was altered: its counts of logs and artifacts are wrong", ErrBadFile)
	}
	return b.endFile()
}

// skipAll reads, and so checks, all of the file.
func (b *fileReader) skipAll() error {
	if err := b.skipTables(); err != nil || b.summary.Blobs == nil {
		return err
	}
	for {
		if more, err := b.nextBlob(); err != nil || !more {
			return err
		}
	}
}

func (b *fileReader) skipTables() error {
	for {
		more, err := b.nextTable()
		if err != nil || !more {
			return err
		}
		if err := b.skipRows(); err != nil {
			return err
		}
	}
}

func (b *fileReader) skipRows() error {
	for {
		row, err := b.nextRow()
		if err != nil || row == nil {
			return err
		}
	}
}

// readLine reads the next line, with its end.
func (b *fileReader) readLine() error {
	b.line = b.line[:0]
	for {
		part, err := b.in.ReadSlice('\n')
		b.line = append(b.line, part...)
		switch {
		case err == nil:
			b.lines++
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return b.readError(err)
		case len(b.line) > maxLine:
			return b.altered(errors.New("too long"))
		}
	}
}

func (b *fileReader) altered(err error) error {
	return fmt.Errorf("%w: the file was altered: line %d: %w", ErrBadFile, b.lines, err)
}

// readError distinguishes a bad file from one that cannot be read.
func (b *fileReader) readError(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the file is truncated: it ends after line %d", ErrBadFile, b.lines)
	case errors.Is(err, gzip.ErrHeader) && b.lines == 0:
		return fmt.Errorf("%w: the file is something else", ErrBadFile)
	case corrupt, errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: the file was altered: after line %d: %w", ErrBadFile, b.lines, err)
	}
	return err
}
