package store

import (
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
)

// JobLog is what is known of a job's log, and of the job as far as calls about the log depend on it.
type JobLog struct {
	JobID          domain.JobID
	OrganizationID domain.OrganizationID
	State          flow.JobState
	HasStarted     bool
	TokenUntil     *time.Time
	ExitStatus     *int64
	FinishedAt     *time.Time
	Size           int64 // of the object; while the log is in chunks, what is counted for them
	Place          domain.LogPlace
}

// MayBeGivenUp says whether the job ended while its agent may still have had something to send, as that of an agent
// that is lost.
func (l *JobLog) MayBeGivenUp() bool { return l.ExitStatus == nil || *l.ExitStatus == -1 }

var jobLog = selecting(func(c *columns, l *JobLog) {
	mapText(c, "jr.job_id", &l.JobID)
	mapText(c, "jr.organization_id", &l.OrganizationID)
	mapText(c, "jr.state", &l.State)
	mapBool(c, "jr.started_at IS NOT NULL", &l.HasStarted)
	mapNullTime(c, "jr.token_until", &l.TokenUntil)
	mapNullInt(c, "jr.exit_status", &l.ExitStatus)
	mapNullTime(c, "jr.finished_at", &l.FinishedAt)
	mapInt(c, "COALESCE(jl.size, 0)", &l.Size)
	mapText(c, "COALESCE(jl.place, '')", &l.Place)
})

const jobLogTables = ` FROM job_runs jr LEFT JOIN job_logs jl ON jl.job_id = jr.job_id`

// JobLog returns what is known of a job's log.
func (tx Tx) JobLog(id domain.JobID) (JobLog, bool, error) {
	return selectOne(tx, jobLog.read, `SELECT `+jobLog.columns+jobLogTables+` WHERE jr.job_id = $1`, id)
}

// JobLogByToken is JobLog for the job that a token is for.
func (tx Tx) JobLogByToken(hash string) (JobLog, bool, error) {
	return selectOne(tx, jobLog.read, `SELECT `+jobLog.columns+jobLogTables+` WHERE jr.token_hash = $1`, hash)
}

// ChunkPlace is where a piece of a log belongs.
type ChunkPlace struct{ Sequence, Offset, Size int64 }

// End returns where the piece ends.
func (p ChunkPlace) End() int64 { return p.Offset + p.Size }

// InsertChunk stores a piece of a job's log, compressed, and reports whether it was not there yet.
func (tx Tx) InsertChunk(job domain.JobID, p ChunkPlace, content []byte) (bool, error) {
	changed, err := tx.Exec(
		`INSERT INTO job_log_chunks (job_id, sequence, byte_offset, size, content) VALUES ($1, $2, $3, $4, $5) ON CONFLICT
			DO NOTHING`,
		job, p.Sequence, p.Offset, p.Size, content)
	return changed > 0, err
}

// HasChunk reports whether a piece of a job's log is there.
func (tx Tx) HasChunk(job domain.JobID, sequence int64) (bool, error) {
	return tx.has(`SELECT 1 FROM job_log_chunks WHERE job_id = $1 AND sequence = $2`, job, sequence)
}

// CountLog adds to the size of a job's log, and reports whether more may be added: it is not sealed, and not too long.
// The log's row is locked then.
func (tx Tx) CountLog(job domain.JobID, bytes int64) (bool, error) {
	changed, err := tx.Exec(`INSERT INTO job_logs (job_id, size, place, header_times) VALUES ($1, $2, '', '{}')
		ON CONFLICT (job_id) DO UPDATE SET size = job_logs.size + excluded.size WHERE job_logs.place = ''
		AND job_logs.size + excluded.size <= $3`,
		job, bytes, domain.MaxLogSize)
	return changed > 0, err
}

// HasJobEvent reports whether something of a kind has happened to a job.
func (tx Tx) HasJobEvent(job domain.JobID, kind flow.JobEvent) (bool, error) {
	return tx.has(`SELECT 1 FROM job_events WHERE job_id = $1 AND type = $2 LIMIT 1`, job, string(kind))
}

// ChunksAfter returns where pieces of a job's log belong, in the order of their offsets, those at one offset by their
// sequence: the next few after a piece.
func (tx Tx) ChunksAfter(job domain.JobID, after ChunkPlace, limit int) ([]ChunkPlace, error) {
	return all(tx, scanChunkPlace, `SELECT sequence, byte_offset, size FROM job_log_chunks WHERE job_id = $1
		AND (byte_offset, sequence) > ($2, $3)
		ORDER BY byte_offset, sequence LIMIT $4`, job, after.Offset, after.Sequence, limit)
}

// ChunksFrom returns where the pieces of a job's log belong that have something of it from an offset on, in the same
// order.
func (tx Tx) ChunksFrom(job domain.JobID, from int64, limit int) ([]ChunkPlace, error) {
	return all(tx, scanChunkPlace, `SELECT sequence, byte_offset, size FROM job_log_chunks WHERE job_id = $1
		AND byte_offset > $2 AND byte_offset + size > $3
		ORDER BY byte_offset, sequence LIMIT $4`, job, from-domain.MaxChunkSize, from, limit)
}

func scanChunkPlace(r *db.Row) ChunkPlace { return ChunkPlace{r.Int(), r.Int(), r.Int()} }

// ChunkContent returns a piece of a job's log, compressed.
func (tx Tx) ChunkContent(job domain.JobID, sequence int64) (content []byte, found bool, err error) {
	return one(tx, func(r *db.Row) []byte {
		return r.Bytes()
	}, `SELECT content FROM job_log_chunks WHERE job_id = $1 AND sequence = $2`, job, sequence)
}

// DeleteChunks deletes some pieces of a job's log, and returns how many.
func (tx Tx) DeleteChunks(job domain.JobID, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM job_log_chunks WHERE job_id = $1 AND sequence IN
		(SELECT sequence FROM job_log_chunks WHERE job_id = $1 ORDER BY sequence LIMIT $2)`, job, limit)
}

// LogsToPack returns the logs of jobs that ran and ended, and whose place is not final yet, in the order of the jobs'
// ids: the next few after a log, or the first ones. Of the jobs that ended after late, those are left out that may have
// been given up and still send something.
func (tx Tx) LogsToPack(now time.Time, after domain.JobID, late time.Time, limit int) ([]JobLog, error) {
	return selectAll(tx, jobLog.read, logsToPack, after, db.Micros(late), limit, db.Micros(now))
}

var logsToPack = `SELECT ` + jobLog.columns + ` FROM job_logs jl JOIN job_runs jr ON jr.job_id = jl.job_id
	WHERE jl.place IN ('', 'sealed', 'packed') AND jl.job_id > $1 AND jr.finished_at IS NOT NULL
	AND jr.started_at IS NOT NULL
	AND (jl.place <> '' OR jr.finished_at <= $2 OR jr.exit_status <> -1)` +
	ifDue(PackLogs, "jl.job_id", "$4") + ` ORDER BY jl.job_id LIMIT $3`

// SealLog lets no more pieces be added to a job's log, and reports whether it is as it was read.
func (tx Tx) SealLog(l JobLog, place domain.LogPlace) (bool, error) {
	changed, err := tx.Exec(`UPDATE job_logs SET place = $1 WHERE job_id = $2 AND place = '' AND size = $3`, string(place),
		l.JobID, l.Size)
	return changed > 0, err
}

// SetLogPlace stores where a job's log is, and how long it is.
func (tx Tx) SetLogPlace(job domain.JobID, place domain.LogPlace, size int64) error {
	return tx.exec(`INSERT INTO job_logs (job_id, size, place, header_times) VALUES ($1, $2, $3, '{}')
		ON CONFLICT (job_id) DO UPDATE SET size = excluded.size, place = excluded.place`, job, size, string(place))
}

// HeaderTimes returns when the headers of a job's log were written, by their numbers.
func (tx Tx) HeaderTimes(job domain.JobID) (map[string]string, error) {
	times, _, err := selectOne(tx, func(c *columns, times *map[string]string) { mapJSON(c, "header_times", times) },
		`SELECT header_times FROM job_logs WHERE job_id = $1`, job)
	return times, err
}

// SetHeaderTimes stores when the headers of a job's log were written.
func (tx Tx) SetHeaderTimes(job domain.JobID, times map[string]string) error {
	text, err := json.Marshal(times, json.Deterministic(true))
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO job_logs (job_id, size, place, header_times) VALUES ($1, 0, '', $2)
		ON CONFLICT (job_id) DO UPDATE SET header_times = excluded.header_times`, job, string(text))
}
