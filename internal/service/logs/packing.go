package logs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

const (
	packsAtOnce  = 4
	logsAtOnce   = 100
	chunksAtOnce = 100 // that are deleted in one transaction: on SQLite, all others wait for it
)

// AwaitLogs waits until a job may have ended whose log can be packed, and no longer than some time.
func (s *Service) AwaitLogs(ctx context.Context, timeout time.Duration) {
	select {
	case <-ctx.Done():
	case <-s.core.LogEnded:
	case <-time.After(timeout):
	}
}

// PackLogs makes one object of each log of a job that has ended: at once if its agent has said how it ended and nothing
// of the log is missing, and otherwise when nothing more of it can come. Several nodes may do so at the same time.
func (s *Service) PackLogs(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	if s.blobs == nil {
		return nil
	}
	var last domain.JobID
	for {
		var late time.Time
		logs, err := core.FindItems(ctx, s.core, func(tx store.Tx, now time.Time) ([]store.JobLog, error) {
			late = now.Add(-domain.JobTokenGrace)
			return tx.LogsToPack(now, last, late, logsAtOnce)
		})
		if err != nil {
			return err
		}
		work := core.Items[store.JobLog]{Kind: store.PackLogs, ID: func(l store.JobLog) string { return string(l.JobID) },
			Do:       core.OneByOne(func(ctx context.Context, l store.JobLog) error { return s.packLog(ctx, l, late) }),
			Parallel: packsAtOnce}
		if _, err := work.Run(ctx, s.core, logs); err != nil || len(logs) < logsAtOnce {
			return err
		}
		last = logs[len(logs)-1].JobID
	}
}

// packLog takes the log of a job that has ended as far as it can be taken. Whatever is broken off can be done again:
//  1. It is sealed, so that no piece comes any more: whoever packs it makes the same object
//     of it. A small one stays as it is.
//  2. The object is stored.
//  3. The log is marked as an object, and the pieces are deleted; many of them in several transactions.
func (s *Service) packLog(ctx context.Context, log store.JobLog, late time.Time) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("pack the log of job %s: %w", log.JobID, err)
		}
	}()
	if log.Place == domain.LogPacked {
		return s.deletePieces(ctx, log.JobID, log.Size)
	}
	var text *logText
	err = s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		text, err = findLogText(tx, log.JobID)
		return err
	})
	if err != nil {
		return err
	}
	if log.Place == domain.LogInChunks {
		if !text.isWhole() && log.FinishedAt.After(late) {
			return nil
		}
		place := domain.LogSealed
		if text.size <= s.inRows {
			place = domain.LogInRows
		}
		if sealed, err := s.sealLog(ctx, log, place); err != nil || !sealed || place == domain.LogInRows {
			return err
		}
	}
	if text.size > 0 {
		content := &piecesReader{ctx: ctx, service: s, job: log.JobID, text: text}
		_, err := s.blobs.Put(ctx, domain.LogKey(log.OrganizationID, log.JobID), content, text.size)
		if errors.Is(err, errPiecesGone) {
			return nil // somebody else has packed it, or it was deleted
		}
		if err != nil {
			return core.ErrStorage.Because(err)
		}
	}
	return s.switchToObject(ctx, log, text.size)
}

// sealLog lets no more pieces be added to a log, unless one was since it was read.
func (s *Service) sealLog(ctx context.Context, log store.JobLog, place domain.LogPlace) (sealed bool, err error) {
	err = s.core.Store.Write(ctx, func(tx store.Tx) (err error) {
		sealed, err = tx.SealLog(log, place)
		return err
	})
	return sealed, err
}

// switchToObject records that a log is an object, which is there, and deletes its pieces.
func (s *Service) switchToObject(ctx context.Context, log store.JobLog, size int64) error {
	isPacked := false
	err := s.core.Store.Write(ctx, func(tx store.Tx) error {
		isPacked = false
		now, found, err := tx.LockJobLog(log.JobID)
		if err != nil {
			return err
		}
		switch {
		case !found || now.Place == domain.LogDeleted: // it came too late
			return deleteLogObject(tx, log)
		case now.Place != domain.LogSealed: // somebody else was faster
			return nil
		}
		deleted, err := tx.DeleteChunks(log.JobID, chunksAtOnce)
		if err != nil {
			return err
		}
		place := domain.LogInBlob
		if isPacked = deleted == chunksAtOnce; isPacked {
			place = domain.LogPacked
		}
		return tx.SetLogPlace(log.JobID, place, size)
	})
	if err != nil || !isPacked {
		return err
	}
	return s.deletePieces(ctx, log.JobID, size)
}

// deleteLogObject lets the object that is a log be deleted.
func deleteLogObject(tx store.Tx, log store.JobLog) error {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	return tx.DeleteBlobLater(domain.LogKey(log.OrganizationID, log.JobID), now)
}

// deletePieces deletes the pieces of a log that is an object.
func (s *Service) deletePieces(ctx context.Context, job domain.JobID, size int64) error {
	for {
		more := false
		err := s.core.Store.Write(ctx, func(tx store.Tx) error {
			log, found, err := tx.LockJobLog(job)
			if more = found && log.Place == domain.LogPacked; err != nil || !more {
				return err
			}
			deleted, err := tx.DeleteChunks(job, chunksAtOnce)
			if more = deleted == chunksAtOnce; err != nil || more {
				return err
			}
			return tx.SetLogPlace(job, domain.LogInBlob, size)
		})
		if err != nil || !more {
			return err
		}
	}
}
