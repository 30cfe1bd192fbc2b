package db

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
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A backup is gzip over lines of JSON, the same for both engines:
//
//	{"format":"penstock backup","version":1,"schema":1,"engine":"sqlite","taken_at":"2026-10-03T09:00:00Z"}
//	{"table":"users","columns":["id","email","password_hash"]}
//	["0199…","admin@example.com",null]
//	{"rows":{"users":1},"sha256":"…"}
//
// A BIGINT is a number, a BOOLEAN true or false, a TEXT a string. The last line has the number of rows
// of each table and the SHA-256 of all lines before it.
const (
	backupFormat  = "penstock backup"
	backupVersion = 1
	maxLine       = 16 << 20 // bytes; bounds the memory that a file can ask for
	tablePrefix   = `{"table":`
)

type (
	headerLine struct {
		Format  string    `json:"format"`
		Version int       `json:"version"`
		Schema  int64     `json:"schema"`
		Engine  string    `json:"engine"`
		TakenAt time.Time `json:"taken_at"`
	}
	tableLine struct {
		Table   string   `json:"table"`
		Columns []string `json:"columns"`
	}
	trailerLine struct {
		Rows   map[string]int64 `json:"rows"`
		SHA256 string           `json:"sha256"`
	}
)

// Summary says what a backup holds.
type Summary struct {
	Schema  int64 // the version of the schema that the rows are of
	Engine  string
	TakenAt time.Time
	Rows    map[string]int64 // how many rows each table has
}

// ErrBadBackup means that a file is not a whole and unaltered backup of a format that this binary knows.
var ErrBadBackup = errors.New("not a usable backup")

// Backup writes all that the database holds to w, as one state of it, while others go on reading and
// writing. It writes as it reads, so that w's pace is its pace, and on SQLite the write-ahead log cannot
// be reused before it ends. What was written before an error is not a backup: Restore refuses it.
//
// Returns ErrNewerSchema if the database is ahead of this binary, and w's errors. A text that is not
// valid UTF-8 is an error too, since not every engine could take it back.
func (d *DB) Backup(ctx context.Context, w io.Writer) (Summary, error) {
	var s Summary
	err := d.Read(ctx, func(tx *Tx) error {
		if err := tx.unhurried(); err != nil {
			return err
		}
		tables, version, err := tx.tables()
		if err != nil {
			return err
		}
		switch {
		case version == 0:
			return errors.New("the database has no schema yet; run penstock migrate")
		case version > Latest():
			return ErrNewerSchema
		}
		// PostgreSQL would show a table that a migration changes meanwhile as it then is, or empty,
		// whatever the transaction's snapshot.
		if err := tx.lock(tables, "ACCESS SHARE"); err != nil {
			return err
		}
		s = Summary{Schema: version, Engine: d.Engine(), TakenAt: time.Now().UTC().Truncate(time.Second), Rows: map[string]int64{}}
		b := newBackupWriter(w)
		if err := b.object(headerLine{backupFormat, backupVersion, s.Schema, s.Engine, s.TakenAt}); err != nil {
			return err
		}
		for _, t := range tables {
			if s.Rows[t.name], err = tx.backupTable(t, b); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
		}
		return b.finish(s.Rows)
	})
	if err != nil {
		return Summary{}, err
	}
	return s, nil
}

func (tx *Tx) backupTable(t table, b *backupWriter) (rows int64, err error) {
	for _, c := range t.columns {
		if c.kind != "text" && c.kind != "bigint" && c.kind != "boolean" {
			return 0, fmt.Errorf("column %s is of type %s, which a backup cannot hold", c.name, c.kind)
		}
	}
	if err := b.object(tableLine{t.name, t.columnNames()}); err != nil {
		return 0, err
	}
	err = tx.Query("SELECT "+quoteAll(t.columnNames())+" FROM "+quote(t.name), func(r *Row) error {
		rows++
		if err := tx.ctx.Err(); err != nil {
			return err
		}
		return b.row(t.columns, r)
	})
	return rows, err
}

type table struct {
	name    string
	columns []column
}

type column struct {
	name string
	kind string // text, bigint or boolean
}

func (t table) columnNames() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// tables returns the tables that migrations have made, those of a newer binary too, in that order, and the
// schema's version, which is 0 if there is none. What an operator keeps beside them is neither listed nor touched.
func (tx *Tx) tables() (tables []table, version int64, err error) {
	sql := `SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' ORDER BY t.name, c.cid`
	if tx.pg != nil {
		// Not information_schema, which leaves out what this user may not read.
		sql = `SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a
			JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
			ORDER BY c.relname, a.attnum`
	}
	found := map[string][]column{}
	err = tx.Query(sql, func(r *Row) error {
		name := r.Text()
		found[name] = append(found[name], column{r.Text(), strings.ToLower(r.Text())})
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if _, ok := found["schema_migrations"]; !ok {
		return nil, 0, nil
	}
	err = tx.Query(`SELECT version, made_tables FROM schema_migrations ORDER BY version`, func(r *Row) error {
		version = r.Int()
		for name := range strings.FieldsSeq(r.Text()) {
			if columns, ok := found[name]; ok {
				tables = append(tables, table{name, columns})
				delete(found, name)
			}
		}
		return nil
	})
	return tables, version, err
}

// unhurried lifts PostgreSQL's time limits, which are meant for a server's short transactions.
func (tx *Tx) unhurried() error {
	if tx.pg == nil {
		return nil
	}
	_, err := tx.Exec("SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
	return err
}

// lock locks the tables on PostgreSQL; on SQLite a transaction needs no more than it has.
func (tx *Tx) lock(tables []table, mode string) error {
	if tx.pg == nil || len(tables) == 0 {
		return nil
	}
	_, err := tx.Exec("LOCK TABLE " + quoteTables(tables) + " IN " + mode + " MODE")
	return err
}

func quote(name string) string { return `"` + name + `"` }

func quoteAll(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

func quoteTables(tables []table) string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	return quoteAll(names)
}

type backupWriter struct {
	out  *bufio.Writer
	gzip *gzip.Writer
	hash hash.Hash
	line []byte
}

func newBackupWriter(w io.Writer) *backupWriter {
	out := bufio.NewWriterSize(w, 64<<10)
	return &backupWriter{out: out, gzip: gzip.NewWriter(out), hash: sha256.New()}
}

func (b *backupWriter) object(v any) error {
	line, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return b.write(append(line, '\n'))
}

func (b *backupWriter) row(columns []column, r *Row) (err error) {
	line := b.line[:0]
	line = append(line, '[')
	for i, c := range columns {
		if i > 0 {
			line = append(line, ',')
		}
		switch {
		case r.Null():
			r.Skip(1)
			line = append(line, "null"...)
		case c.kind == "bigint":
			line = strconv.AppendInt(line, r.Int(), 10)
		case c.kind == "boolean":
			line = strconv.AppendBool(line, r.Bool())
		default:
			if line, err = jsontext.AppendQuote(line, r.Text()); err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
		}
	}
	line = append(line, "]\n"...)
	b.line = line
	return b.write(line)
}

func (b *backupWriter) write(line []byte) error {
	if len(line) > maxLine {
		return fmt.Errorf("a row of %d bytes is more than a backup can hold", len(line))
	}
	b.hash.Write(line)
	_, err := b.gzip.Write(line)
	return err
}

func (b *backupWriter) finish(rows map[string]int64) error {
	if err := b.object(trailerLine{rows, hex.EncodeToString(b.hash.Sum(nil))}); err != nil {
		return err
	}
	if err := b.gzip.Close(); err != nil {
		return err
	}
	return b.out.Flush()
}

// backupReader reads a backup line by line and checks it on the way. Only when nextTable has returned
// false is the whole of it known to be good.
type backupReader struct {
	ctx     context.Context
	in      *bufio.Reader
	hash    hash.Hash
	json    jsontext.Decoder
	line    []byte
	lines   int
	table   tableLine // the current one
	row     []any
	summary Summary
}

func newBackupReader(ctx context.Context, r io.Reader) (*backupReader, error) {
	b := &backupReader{ctx: ctx, hash: sha256.New()}
	unzipped, err := gzip.NewReader(r)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: the file is empty", ErrBadBackup)
	}
	if err != nil {
		return nil, b.readError(err)
	}
	b.in = bufio.NewReaderSize(unzipped, 64<<10)
	if err := b.readLine(); err != nil {
		return nil, err
	}
	var h headerLine
	if err := json.Unmarshal(b.line, &h); err != nil || h.Format != backupFormat {
		return nil, fmt.Errorf("%w: the file is something else", ErrBadBackup)
	}
	if h.Version != backupVersion {
		return nil, fmt.Errorf("%w: its format is version %d, this binary knows %d", ErrBadBackup, h.Version, backupVersion)
	}
	if h.Schema < 1 {
		return nil, b.altered(fmt.Errorf("there is no schema version %d", h.Schema))
	}
	b.hash.Write(b.line)
	b.summary = Summary{Schema: h.Schema, Engine: h.Engine, TakenAt: h.TakenAt, Rows: map[string]int64{}}
	return b, nil
}

// nextTable goes to the next table, whose rows nextRow then returns. It returns false at the end, when
// all of the file has been checked. The table before must have been read to its last row.
func (b *backupReader) nextTable() (bool, error) {
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
func (b *backupReader) nextRow() ([]any, error) {
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

func (b *backupReader) parseRow() error {
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

// end checks the last line, which has just been read, and that the file ends with it.
func (b *backupReader) end() error {
	var t trailerLine
	if err := json.Unmarshal(b.line, &t, json.RejectUnknownMembers(true)); err != nil {
		return b.altered(err)
	}
	if t.SHA256 != hex.EncodeToString(b.hash.Sum(nil)) {
		return fmt.Errorf("%w: the file was altered: its checksum is wrong", ErrBadBackup)
	}
	if !maps.Equal(t.Rows, b.summary.Rows) {
		return fmt.Errorf("%w: the file was altered: its row counts are wrong", ErrBadBackup)
	}
	// Only a read to the end checks the sum that gzip has of its own.
	if _, err := b.in.ReadByte(); err == nil {
		return fmt.Errorf("%w: the file was altered: something follows its end", ErrBadBackup)
	} else if !errors.Is(err, io.EOF) {
		return b.readError(err)
	}
	return nil
}

func (b *backupReader) skipAll() error {
	for {
		more, err := b.nextTable()
		if err != nil || !more {
			return err
		}
		for {
			row, err := b.nextRow()
			if err != nil {
				return err
			}
			if row == nil {
				break
			}
		}
	}
}

// readLine reads the next line, with its end.
func (b *backupReader) readLine() error {
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

func (b *backupReader) altered(err error) error {
	return fmt.Errorf("%w: the file was altered: line %d: %w", ErrBadBackup, b.lines, err)
}

// readError tells a bad file from one that cannot be read.
func (b *backupReader) readError(err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the file is truncated: it ends after line %d", ErrBadBackup, b.lines)
	case errors.Is(err, gzip.ErrHeader) && b.lines == 0:
		return fmt.Errorf("%w: the file is something else", ErrBadBackup)
	case corrupt, errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: the file was altered: after line %d: %w", ErrBadBackup, b.lines, err)
	}
	return err
}
