package artifacts

import (
	"context"
	"errors"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// sweptAtOnce is how many artifacts or objects are swept up together.
const sweptAtOnce = 500

// SweepArtifacts fails artifacts that were not uploaded in time, and lets those expire that have been kept for long
// enough.
func (s *Service) SweepArtifacts(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return core.RunAll(ctx, s.expirePendingArtifacts, s.expireArtifacts, s.abortLeftUploads)
}

func (s *Service) expirePendingArtifacts(ctx context.Context) error {
	return core.RunPages(ctx, s.core, sweptAtOnce, func(tx store.Tx, now time.Time) ([]domain.ArtifactID, error) {
		return tx.UnfinishedArtifacts(now, now.Add(-domain.ArtifactUploadTime), sweptAtOnce)
	}, s.endArtifacts(store.GiveUpArtifacts, domain.ArtifactNew, domain.ArtifactError))
}

func (s *Service) expireArtifacts(ctx context.Context) error {
	return core.RunPages(ctx, s.core, sweptAtOnce, func(tx store.Tx, now time.Time) ([]domain.ArtifactID, error) {
		return tx.ExpiredArtifacts(now, sweptAtOnce)
	}, s.endArtifacts(store.ExpireArtifacts, domain.ArtifactFinished, domain.ArtifactExpired))
}

// endArtifacts is the work to move artifacts from one state to another, in which their content is not needed.
func (s *Service) endArtifacts(kind store.ItemKind, from, to domain.ArtifactState) core.Items[domain.ArtifactID] {
	return core.Items[domain.ArtifactID]{Kind: kind, ID: core.SameID[domain.ArtifactID], Batch: sweptAtOnce,
		Do: func(ctx context.Context, ids []domain.ArtifactID) error {
			var ended []domain.Artifact
			err := s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) (err error) {
				ended, err = endArtifactsOf(tx, e, ids, from, to)
				return err
			})
			if err == nil {
				s.abortUploads(ctx, ended)
			}
			return err
		}}
}

// endArtifactsOf moves those of the artifacts that are still in one state to another, and returns them as they were.
func endArtifactsOf(tx store.Tx, e *core.Effects, ids []domain.ArtifactID, from, to domain.ArtifactState) (
	ended []domain.Artifact, err error) {
	now, err := tx.Now()
	if err != nil {
		return nil, err
	}
	found, err := tx.ArtifactsForUpdate(ids)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].State != from {
			continue
		}
		if err := endArtifact(tx, &found[i], to, now); err != nil {
			return nil, err
		}
		ended = append(ended, found[i])
		e.Builds[found[i].BuildID] = true
	}
	return ended, nil
}

// endArtifact moves an artifact to a state in which its content is not needed.
func endArtifact(tx store.Tx, before *domain.Artifact, to domain.ArtifactState, now time.Time) error {
	after := *before
	after.State, after.MultipartID, after.Stored = to, nil, false
	if err := tx.UpdateArtifact(before, &after); err != nil {
		return err
	}
	if !before.IsOurs() {
		return nil
	}
	return tx.DeleteBlobLater(before.Key(), now)
}

// maxAbortErrors is after how many uploads that could not be aborted the rest is left for later.
const maxAbortErrors = 8

// abortLeftUploads removes uploads that no artifact knows, or not any more: all that began longer ago than an upload
// may take.
func (s *Service) abortLeftUploads(ctx context.Context) error {
	before := time.Now().Add(-domain.ArtifactUploadTime - time.Hour) // the store has a clock of its own
	var failures []error
	for upload, err := range s.blobs.ListUploads(ctx, domain.ArtifactKeys) {
		switch {
		case err != nil:
			return errors.Join(append(failures, err)...)
		case upload.Started.After(before):
			continue
		}
		if err := s.blobs.AbortUpload(ctx, upload.Key, upload.ID); err != nil {
			failures = append(failures, err)
		}
		if len(failures) == maxAbortErrors {
			break
		}
	}
	return errors.Join(failures...)
}

// DeleteBlobs deletes the objects beside the database that nothing in it needs any more.
func (s *Service) DeleteBlobs(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return core.RunPages(ctx, s.core, sweptAtOnce, func(tx store.Tx, now time.Time) ([]string, error) {
		return tx.BlobDeletions(now, sweptAtOnce)
	}, core.Items[string]{Kind: store.DeleteBlobs, ID: core.SameID[string], Batch: sweptAtOnce, Do: s.deleteBlobs})
}

func (s *Service) deleteBlobs(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if err := s.blobs.Delete(ctx, key); err != nil {
			return core.ErrStorage.Because(err)
		}
	}
	return s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.ForgetBlobDeletions(keys) })
}
