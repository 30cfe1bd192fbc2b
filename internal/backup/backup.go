// Package backup writes all that a database holds to a file, the same for both engines, with logs and artifacts if they
// are wanted, and restores it. It imports db and blob only.
package backup

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/blob"
	"penstock/internal/db"
)

// A backup is gzip over lines of JSON, the same for both engines:
//
//	{"format":"penstock backup","version":1,"schema":1,"engine":"sqlite","taken_at":"2026-10-03T09:00:00Z", …}
//	{"table":"users","columns":["id","email","password_hash"]}
//	["0199…","admin@example.com",null]
//	{"rows":{"users":1},"sha256":"…"}
//
// A BIGINT is a number, a BOOLEAN true or false, a text a string, bytes a string of base64. The last line has the
// number of rows of each table and the SHA-256 of all lines before it.
//
// A backup with logs and artifacts is of version 2, and goes on after that. Each begins with a line, which its bytes
// follow as they are, and a line feed. The very last line has how many they are and the SHA-256 of everything before
// it:
//
//	{"blob":"logs/0199…/0199…","size":5}
//	hello
//	{"blobs":{"objects":1,"bytes":5},"sha256":"…"}
const (
	formatName       = "penstock backup"
	formatVersion    = 1 // without logs and artifacts
	formatWithBlobs  = 2 // with them
	blobsIncluded    = "included"
	blobsNotIncluded = "not included"
	maxLine          = 16 << 20 // bytes; bounds the memory that a file can ask for
	tablePrefix      = `{"table":`
	blobPrefix       = `{"blob":`
)

type (
	headerLine struct {
		Format  string    `json:"format"`
		Version int       `json:"version"`
		Schema  int64     `json:"schema"`
		Engine  string    `json:"engine"`
		TakenAt time.Time `json:"taken_at"`
		Blobs   string    `json:"blobs"` // absent in backups of before there were any
	}
	tableLine struct {
		Table   string   `json:"table"`
		Columns []string `json:"columns"`
	}
	trailerLine struct {
		Rows   map[string]int64 `json:"rows"`
		SHA256 string           `json:"sha256"`
	}
	blobLine struct {
		Blob string `json:"blob"`
		Size int64  `json:"size"`
	}
	blobsTrailerLine struct {
		Blobs  BlobSummary `json:"blobs"`
		SHA256 string      `json:"sha256"`
	}
)

// Summary says what a backup holds.
type Summary struct {
	Schema  int64 // the version of the schema that the rows are of
	Engine  string
	TakenAt time.Time
	Rows    map[string]int64 // how many rows each table has
	Blobs   *BlobSummary     // nil: logs and artifacts are not included
}

// BlobSummary says how many logs and artifacts a backup holds.
type BlobSummary struct {
	Objects int64 `json:"objects"`
	Bytes   int64 `json:"bytes"`
}

// ErrBadFile means that a file is not a whole and unaltered backup of a format that this binary knows.
var ErrBadFile = errors.New("not a usable backup")

// Write writes all that the database holds to w, as one state of it, while others go on reading and
// writing. It writes as it reads, so that w's pace is its pace, and on SQLite the write-ahead log cannot
// be reused before it ends. What was written before an error is not a backup: Restore refuses it.
//
// Returns db.ErrNewerSchema if the database is ahead of this binary, and w's errors. A text that is not
// valid UTF-8 is an error too, since not every engine could take it back.
func Write(ctx context.Context, d *db.DB, w io.Writer) (Summary, error) {
	s, f, err := writeDatabase(ctx, d, w, formatVersion)
	if err != nil {
		return Summary{}, err
	}
	return s, f.close()
}

// WriteWithBlobs does as Write does, and then writes the objects of a store, all that there are by then. So what the
// database refers to is there too, unless it was deleted meanwhile. It calls databaseDone in between: w's pace does not
// matter to the database any more.
func WriteWithBlobs(ctx context.Context, d *db.DB, store blob.Store, w io.Writer, databaseDone func() error) (
	Summary, error) {
	s, f, err := writeDatabase(ctx, d, w, formatWithBlobs)
	if err == nil {
		err = databaseDone()
	}
	if err != nil {
		return Summary{}, err
	}
	s.Blobs = &BlobSummary{}
	if err := f.writeBlobs(ctx, store, s.Blobs); err != nil {
		return Summary{}, err
	}
	return s, f.close()
}

// writeDatabase writes the part of a backup that has the database.
func writeDatabase(ctx context.Context, d *db.DB, w io.Writer, version int) (s Summary, f *fileWriter, err error) {
	err = d.ReadAll(ctx, func(tx *db.Tx) (err error) {
		f = newFileWriter(w)
		s, err = writeAll(tx, f, version)
		return err
	})
	return s, f, err
}

func writeAll(tx *db.Tx, f *fileWriter, format int) (Summary, error) {
	if err := tx.LiftTimeLimits(); err != nil {
		return Summary{}, err
	}
	tables, version, err := tx.Tables()
	switch {
	case err != nil:
		return Summary{}, err
	case version == 0:
		return Summary{}, errors.New("the database has no schema yet; run penstock migrate")
	case version > db.Latest():
		return Summary{}, db.ErrNewerSchema
	}
	// PostgreSQL would show a table that a migration changes meanwhile as it then is, or empty,
	// whatever the transaction's snapshot.
	if err := tx.LockTables(tables, db.LockDefinition); err != nil {
		return Summary{}, err
	}
	s := Summary{Schema: version, Engine: tx.Engine(), TakenAt: time.Now().UTC().Truncate(time.Second),
		Rows: map[string]int64{}}
	header := headerLine{formatName, format, s.Schema, s.Engine, s.TakenAt, blobsNotIncluded}
	if format == formatWithBlobs {
		header.Blobs = blobsIncluded
	}
	if err := f.writeObject(header); err != nil {
		return Summary{}, err
	}
	for _, t := range tables {
		if s.Rows[t.Name], err = writeTable(tx, t, f); err != nil {
			return Summary{}, fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return s, f.writeObject(trailerLine{s.Rows, f.sum()})
}

func writeTable(tx *db.Tx, t db.Table, f *fileWriter) (rows int64, err error) {
	for _, c := range t.Columns {
		switch c.Type {
		case "text", "bigint", "boolean", "bytes":
		default:
			return 0, fmt.Errorf("column %s is of type %s, which a backup cannot hold", c.Name, c.Type)
		}
	}
	if err := f.writeObject(tableLine{t.Name, t.ColumnNames()}); err != nil {
		return 0, err
	}
	err = tx.Query("SELECT "+db.QuoteAll(t.ColumnNames())+" FROM "+db.Quote(t.Name), func(r *db.Row) error {
		rows++
		if err := tx.Context().Err(); err != nil {
			return err
		}
		return f.writeRow(t.Columns, r)
	})
	return rows, err
}

type fileWriter struct {
	out  *bufio.Writer
	gzip *gzip.Writer
	hash hash.Hash
	line []byte

	copied []byte // of an object
}

func newFileWriter(w io.Writer) *fileWriter {
	out := bufio.NewWriterSize(w, 64<<10)
	return &fileWriter{out: out, gzip: gzip.NewWriter(out), hash: sha256.New()}
}

func (b *fileWriter) writeObject(v any) error {
	line, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return b.write(append(line, '\n'))
}

func (b *fileWriter) writeRow(columns []db.Column, r *db.Row) (err error) {
	b.line = append(b.line[:0], '[')
	for i, c := range columns {
		if i > 0 {
			b.line = append(b.line, ',')
		}
		if b.line, err = appendValue(b.line, c, r); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	b.line = append(b.line, "]\n"...)
	return b.write(b.line)
}

func appendValue(line []byte, c db.Column, r *db.Row) ([]byte, error) {
	if r.Null() {
		r.Skip(1)
		return append(line, "null"...), nil
	}
	switch c.Type {
	case "bigint":
		return strconv.AppendInt(line, r.Int(), 10), nil
	case "boolean":
		return strconv.AppendBool(line, r.Bool()), nil
	case "bytes":
		return append(base64.StdEncoding.AppendEncode(append(line, '"'), r.Bytes()), '"'), nil
	}
	return jsontext.AppendQuote(line, r.Text())
}

func (b *fileWriter) write(line []byte) error {
	if len(line) > maxLine {
		return fmt.Errorf("a row of %d bytes is more than a backup can hold", len(line))
	}
	b.hash.Write(line)
	_, err := b.gzip.Write(line)
	return err
}

// sum returns the checksum of what has been written.
func (b *fileWriter) sum() string { return hex.EncodeToString(b.hash.Sum(nil)) }

func (b *fileWriter) close() error {
	if err := b.gzip.Close(); err != nil {
		return err
	}
	return b.out.Flush()
}

// writeBlobs writes the objects of a store, and counts them.
func (b *fileWriter) writeBlobs(ctx context.Context, store blob.Store, count *BlobSummary) error {
	for info, err := range store.List(ctx, "") {
		if err != nil {
			return err
		}
		size, err := b.writeBlob(ctx, store, info.Key)
		if errors.Is(err, blob.ErrNotFound) { // it was deleted meanwhile
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", info.Key, err)
		}
		count.Objects++
		count.Bytes += size
	}
	return b.writeObject(blobsTrailerLine{*count, b.sum()})
}

func (b *fileWriter) writeBlob(ctx context.Context, store blob.Store, key string) (size int64, err error) {
	content, err := store.Get(ctx, key, 0, -1)
	if err != nil {
		return 0, err
	}
	defer func() { _ = content.Close() }()
	if err := b.writeObject(blobLine{key, content.Size}); err != nil {
		return 0, err
	}
	if b.copied == nil {
		b.copied = make([]byte, 128<<10)
	}
	for {
		n, err := content.Read(b.copied)
		size += int64(n)
		if err := b.write(b.copied[:n]); err != nil {
			return 0, err
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return 0, fmt.Errorf("it cannot be read: %w", err)
		}
	}
	if size != content.Size {
		return 0, fmt.Errorf("%d bytes were read instead of %d", size, content.Size)
	}
	return size, b.write([]byte{'\n'})
}
