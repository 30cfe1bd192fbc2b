package logs

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Refusals to read or delete logs.
var (
	errLogDeleted = domain.NewError(domain.NotFound, "The log of this job was deleted")
	errLogGone    = domain.NewError(domain.NotFound, "The log of this job no longer exists")
	errLogGrows   = domain.NewError(domain.Invalid, "The log of a job can only be deleted when the job has ended")
	errLogAway    = domain.UnavailableError("The log can't be read now. Please retry.", time.Second, nil)
)

// Log is a job's log, as it was when it was asked for. Its parts are read with Open.
type Log struct {
	Size        int64
	Settled     int64       // of its beginning: what does not change any more
	HasEnded    bool        // the job has
	HeaderTimes []time.Time // when its headers were written, if its lines do not say so

	service *Service
	log     store.JobLog
	text    *logText // nil: it is an object
}

// ReadLog returns the log of a job.
//
// Returns NotFound if it was deleted.
func (s *Service) ReadLog(ctx context.Context, actor authz.Actor, ref domain.JobRef) (*Log, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) (*Log, error) {
		log, err := s.findLog(tx, actor, ref)
		if err != nil {
			return nil, err
		}
		l := &Log{Size: log.Size, HasEnded: log.State.HasEnded(), service: s, log: log}
		if !log.Place.IsObject() {
			if l.text, err = findLogText(tx, log.JobID); err != nil {
				return nil, err
			}
			l.Size = l.text.size
		}
		l.Settled = l.settled()
		times, err := tx.HeaderTimes(log.JobID)
		l.HeaderTimes = sortHeaderTimes(times)
		return l, err
	})
}

// UseProcessors runs fn, which renders a part of the log, as soon as it is the organization's turn.
//
// Returns Unavailable if that takes too long, and fn's error.
func (l *Log) UseProcessors(ctx context.Context, fn func() error) error {
	return l.service.core.Processors.Use(ctx, l.log.OrganizationID, fn)
}

// settled returns how much of the log's beginning does not change any more: what has come without a gap, and all of it
// once the job has ended.
func (l *Log) settled() int64 {
	switch {
	case l.text == nil || l.HasEnded || len(l.text.spans) == 0:
		return l.Size
	case l.text.spans[0].from > 0:
		return 0
	}
	return l.text.spans[0].to
}

// findLog finds a log that the actor may read.
func (s *Service) findLog(tx store.Tx, actor authz.Actor, ref domain.JobRef) (store.JobLog, error) {
	in, err := s.core.InJob(tx, actor, ref, authz.ReadBuildLog)
	if err != nil {
		return store.JobLog{}, err
	}
	log, found, err := tx.JobLog(in.JobID)
	switch {
	case err != nil:
	case !found:
		err = core.ErrNoJob
	case log.Place == domain.LogDeleted:
		err = errLogDeleted
	}
	return log, err
}

// sortHeaderTimes returns times in the order of the numbers of their headers.
func sortHeaderTimes(perNumber map[string]string) []time.Time {
	type header struct {
		number uint64
		at     time.Time
	}
	var all []header
	for number, at := range perNumber {
		n, err := strconv.ParseUint(number, 10, 32)
		parsed, timeErr := time.Parse(time.RFC3339, at)
		if err == nil && timeErr == nil {
			all = append(all, header{n, parsed})
		}
	}
	slices.SortFunc(all, func(a, b header) int { return int(a.number) - int(b.number) })
	times := make([]time.Time, len(all))
	for i, h := range all {
		times[i] = h.at
	}
	return times
}

// Open opens a part of the log, to be read and closed. It is never held in memory whole.
//
// Returns NotFound or Unavailable if it cannot be read.
func (l *Log) Open(ctx context.Context, from, length int64) (io.ReadCloser, error) {
	r := &logReader{ctx: ctx, log: l, at: from, end: min(from+length, l.Size)}
	switch {
	case r.at >= r.end:
	case l.text != nil:
		r.pieces = &piecesReader{ctx: ctx, service: l.service, job: l.log.JobID, text: l.text, at: from}
	default:
		return r, r.openObject()
	}
	return r, nil
}

// logReader reads a part of a log from the pieces, and goes on with the object if the log is packed meanwhile.
type logReader struct {
	ctx     context.Context // a reader lives no longer than the call that has the context
	log     *Log
	at, end int64
	pieces  *piecesReader // nil: not from there any more
	object  *blob.Content // nil: not opened yet
}

// Read reads from the log.
func (r *logReader) Read(p []byte) (n int, err error) {
	if r.at >= r.end {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.end-r.at)]
	if r.pieces != nil {
		n, err = r.pieces.Read(p)
		r.at += int64(n)
		if !errors.Is(err, errPiecesGone) {
			return n, err
		}
		r.pieces = nil
	}
	if r.object == nil {
		if err := r.openObject(); err != nil {
			return 0, err
		}
	}
	n, err = r.object.Read(p)
	r.at += int64(n)
	if errors.Is(err, io.EOF) && r.at < r.end {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// openObject opens the object that the log is.
func (r *logReader) openObject() error {
	if r.log.service.blobs == nil {
		return errLogAway
	}
	content, err := r.log.service.blobs.Get(r.ctx, domain.LogKey(r.log.log.OrganizationID, r.log.log.JobID), r.at,
		r.end-r.at)
	switch {
	case err == nil:
		r.object = content
	case errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrRange):
		return errLogGone.Because(err)
	case r.ctx.Err() == nil:
		return errLogAway.Because(err)
	}
	return err
}

// Close ends reading.
func (r *logReader) Close() error {
	r.end = 0
	if r.object == nil {
		return nil
	}
	return r.object.Close()
}

// DeleteLog deletes the log of a job that has ended. Again, it changes nothing.
//
// Returns Invalid while the job has not ended.
func (s *Service) DeleteLog(ctx context.Context, actor authz.Actor, ref domain.JobRef) error {
	log, err := core.Change(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) (store.JobLog, error) {
		in, err := s.core.InJob(tx, actor, ref, authz.DeleteBuildLog)
		if err != nil {
			return store.JobLog{}, err
		}
		log, found, err := tx.LockJobLog(in.JobID)
		switch {
		case err != nil:
			return log, err
		case !found:
			return log, core.ErrNoJob
		case !log.State.HasEnded():
			return log, errLogGrows
		case !log.HasStarted: // it has none, and may yet be run
			return log, nil
		}
		if err := tx.SetLogPlace(log.JobID, domain.LogDeleted, 0); err != nil {
			return log, err
		}
		if err := tx.SetHeaderTimes(log.JobID, map[string]string{}); err != nil {
			return log, err
		}
		for deleted := int64(chunksAtOnce); deleted == chunksAtOnce; {
			if deleted, err = tx.DeleteChunks(log.JobID, chunksAtOnce); err != nil {
				return log, err
			}
		}
		return log, deleteLogObject(tx, log)
	})
	if err != nil || s.blobs == nil {
		return err
	}
	// At once, if that can be. Otherwise it is done as soon as it can.
	if err := s.blobs.Delete(ctx, domain.LogKey(log.OrganizationID, log.JobID)); err != nil {
		s.core.Logger.WarnContext(ctx, "the log of a job could not be deleted at once", "job", log.JobID, "error",
			domain.Explain(err))
	}
	return nil
}
