package logs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"strconv"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// LogChunk is a piece of a log, as an agent sends it.
type LogChunk struct {
	Sequence int64  // from 1
	Offset   int64  // of its first byte in the log
	Size     int64  // bytes, before they were compressed
	Content  []byte // compressed with gzip
}

// minChunkCount is what a small piece is counted as: a row takes room too.
const minChunkCount = 512 // bytes

// Refusals of pieces of logs.
var (
	errNotGzip    = domain.NewError(domain.Malformed, "The body must be a piece of the log, compressed with gzip")
	errLogEnded   = domain.NewError(domain.Unauthenticated, "The job has ended: it can't add to its log")
	errNotStarted = domain.NewError(domain.Invalid, "This job has no log, as it has not been started")
)

// AddLogChunk stores a piece of the log of the caller's job, durably. One that is there already, that comes after the
// log was packed, or that would make it too long, changes nothing.
//
// Returns Unauthenticated for another piece once the agent has finished the job, Invalid for numbers that no piece has,
// and Malformed for a content that is not what they say.
func (s *Service) AddLogChunk(ctx context.Context, actor authz.Actor, id string, c LogChunk) error {
	if err := core.RequireCredential(actor, authz.JobToken); err != nil {
		return err
	}
	faulty := c.check() // is shown only to those whose token is good
	return core.RepeatDo(ctx, func() error { return s.addLogChunk(ctx, actor, id, c, faulty) })
}

func (s *Service) addLogChunk(ctx context.Context, actor authz.Actor, id string, c LogChunk, faulty error) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		log, found, err := tx.JobLogByToken(actor.Credential.Hash)
		if err != nil {
			return err
		}
		if err := checkJobLog(tx, log, found, id); err != nil {
			return err
		}
		counted := max(c.Size, minChunkCount)
		switch {
		case faulty != nil:
			return faulty
		case log.Place != domain.LogInChunks:
			return nil
		case log.State.HasEnded() && !log.MayBeGivenUp():
			return checkRepeatedChunk(tx, log.JobID, c.Sequence)
		case c.Offset+c.Size > domain.MaxLogSize || log.Size+counted > domain.MaxLogSize:
			return recordLongLog(tx, log)
		}
		// The log's row is locked by its count: nobody seals the log before the piece is there.
		isOpen, err := tx.CountLog(log.JobID, counted)
		if err != nil || !isOpen {
			return err
		}
		added, err := tx.InsertChunk(log.JobID, store.ChunkPlace{Sequence: c.Sequence, Offset: c.Offset, Size: c.Size},
			c.Content)
		if err == nil && !added { // it was there
			_, err = tx.CountLog(log.JobID, -counted)
		}
		return err
	})
}

// checkJobLog returns why the job that a token is for may not add to the log of the job that a call names.
func checkJobLog(tx store.Tx, log store.JobLog, found bool, id string) error {
	if err := core.CheckJobToken(tx, found, log.State, log.TokenUntil); err != nil {
		return err
	}
	switch {
	case string(log.JobID) != id:
		return core.ErrOtherJob
	// another agent may yet run it, and number its pieces from 1
	case log.State == flow.Assigned || log.State == flow.Accepted:
		return errNotStarted
	}
	return nil
}

// checkRepeatedChunk returns why a piece of the log of a job that its agent has finished is not accepted: agents send
// all pieces before that, so that it can only be one that is there already.
func checkRepeatedChunk(tx store.Tx, job domain.JobID, sequence int64) error {
	found, err := tx.HasChunk(job, sequence)
	if err == nil && !found {
		return errLogEnded
	}
	return err
}

// recordLongLog records, once, that not all of a log was stored.
func recordLongLog(tx store.Tx, log store.JobLog) error {
	noted, err := tx.HasJobEvent(log.JobID, flow.EventLogTooLong)
	if err != nil || noted {
		return err
	}
	now, err := tx.Now()
	if err != nil {
		return err
	}
	now = now.Truncate(time.Millisecond)
	return tx.InsertJobEvents([]domain.JobEvent{{JobID: log.JobID, Type: flow.EventLogTooLong, At: now}})
}

// check returns what is wrong with a piece. It reads the content and keeps nothing of it.
func (c LogChunk) check() error {
	switch {
	case c.Sequence < 1:
		return domain.InvalidError("`sequence` is invalid: it must be a whole number of at least 1")
	case c.Offset < 0:
		return domain.InvalidError("`offset` is invalid: it must be a whole number of at least 0")
	case c.Size < 1 || c.Size > domain.MaxChunkSize:
		return domain.InvalidError("`size` is invalid: it must be a whole number from 1 to " +
			strconv.Itoa(domain.MaxChunkSize))
	case c.Offset > 1<<62 || c.Sequence > 1<<62: // what is stored can be added to
		return domain.InvalidError("`offset` is invalid: it is too large")
	case int64(len(c.Content)) > c.Size+c.Size/8+4<<10:
		return errNotGzip // it hides something else
	}
	size := int64(0)
	err := decompress(c.Content, func(in io.Reader) (err error) {
		size, err = io.Copy(io.Discard, io.LimitReader(in, c.Size+1))
		return err
	})
	if err != nil {
		return errNotGzip.Because(err)
	}
	if size != c.Size {
		return domain.NewError(domain.Malformed, "`size` is not the size of the content")
	}
	return nil
}

var decompressors sync.Pool // of *gzip.Reader, which are large

// decompress calls fn with what was compressed.
func decompress(content []byte, fn func(io.Reader) error) (err error) {
	r, _ := decompressors.Get().(*gzip.Reader)
	if r == nil {
		r = new(gzip.Reader)
	}
	defer decompressors.Put(r)
	if err := r.Reset(bytes.NewReader(content)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return fn(r)
}

// maxHeaderTimes is how many times of headers are kept of a log.
const maxHeaderTimes = 2_000

// SaveHeaderTimes stores when headers of the log of the caller's job were written, by their numbers, besides those that
// it has.
//
// Returns Invalid for what is no number or no time.
func (s *Service) SaveHeaderTimes(ctx context.Context, actor authz.Actor, id string, times map[string]string) error {
	if err := core.RequireCredential(actor, authz.JobToken); err != nil {
		return err
	}
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		log, found, err := tx.JobLogByToken(actor.Credential.Hash)
		if err != nil {
			return err
		}
		if err := checkJobLog(tx, log, found, id); err != nil {
			return err
		}
		for number, at := range times {
			if _, err := strconv.ParseUint(number, 10, 32); err != nil {
				return domain.InvalidError("`header_times` is invalid: " + strconv.Quote(number) + " is not the number of a header")
			}
			if _, err := time.Parse(time.RFC3339, at); err != nil {
				return domain.InvalidError("`header_times` is invalid: " + strconv.Quote(at) +
					" is not a time such as 2006-01-02T15:04:05Z")
			}
		}
		if _, _, err := tx.LockJobLog(log.JobID); err != nil {
			return err
		}
		all, err := tx.HeaderTimes(log.JobID)
		if err != nil {
			return err
		}
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, times)
		maps.DeleteFunc(all, func(number, _ string) bool {
			n, err := strconv.ParseUint(number, 10, 32)
			return err != nil || n >= maxHeaderTimes
		})
		return tx.SetHeaderTimes(log.JobID, all)
	})
}
