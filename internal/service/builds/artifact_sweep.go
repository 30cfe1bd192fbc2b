package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// sweptAtOnce is how many artifacts or objects are swept up together.
const sweptAtOnce = 500

// SweepArtifacts gives up artifacts that were not uploaded in time, and lets those expire that have been kept for long enough.
func (s *Service) SweepArtifacts(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	err := s.endArtifacts(ctx, domain.ArtifactNew, domain.ArtifactError, func(tx store.Tx, now time.Time) ([]domain.ArtifactID, error) {
		return tx.UnfinishedArtifacts(now.Add(-domain.ArtifactUploadTime), sweptAtOnce)
	})
	if err != nil {
		return err
	}
	err = s.endArtifacts(ctx, domain.ArtifactFinished, domain.ArtifactExpired, func(tx store.Tx, now time.Time) ([]domain.ArtifactID, error) {
		return tx.ExpiredArtifacts(now, sweptAtOnce)
	})
	if err != nil {
		return err
	}
	return s.abortLeftUploads(ctx)
}

// endArtifacts moves the artifacts that find returns from one state to another, in which their content is not needed, until there are none.
func (s *Service) endArtifacts(ctx context.Context, from, to domain.ArtifactState, find func(store.Tx, time.Time) ([]domain.ArtifactID, error)) error {
	for {
		var ended []domain.Artifact
		more := false
		err := s.write(ctx, func(tx store.Tx, e *effects) error {
			ended = nil
			now, err := tx.Now()
			if err != nil {
				return err
			}
			ids, err := find(tx, now)
			if err != nil {
				return err
			}
			more = len(ids) == sweptAtOnce
			found, err := tx.ArtifactsForUpdate(ids)
			if err != nil {
				return err
			}
			for i := range found {
				if found[i].State != from {
					continue
				}
				if err := endArtifact(tx, &found[i], to, now); err != nil {
					return err
				}
				ended = append(ended, found[i])
				e.builds[found[i].BuildID] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.abortUploads(ctx, ended)
		if !more {
			return nil
		}
	}
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

// abortLeftUploads removes uploads that no artifact knows, or not any more: all that began longer ago than an upload may take.
func (s *Service) abortLeftUploads(ctx context.Context) error {
	before := time.Now().Add(-domain.ArtifactUploadTime - time.Hour) // the store has a clock of its own
	for upload, err := range s.blobs.ListUploads(ctx, domain.ArtifactKeys) {
		if err != nil {
			return err
		}
		if upload.Started.After(before) {
			continue
		}
		if err := s.blobs.AbortUpload(ctx, upload.Key, upload.ID); err != nil {
			return err
		}
	}
	return nil
}

// DeleteBlobs deletes the objects beside the database that nothing in it needs any more.
func (s *Service) DeleteBlobs(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	for {
		var keys []string
		err := s.core.Store.Read(ctx, func(tx store.Tx) error {
			now, err := tx.Now()
			if err != nil {
				return err
			}
			keys, err = tx.BlobDeletions(now, sweptAtOnce)
			return err
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, key := range keys {
			if err := s.blobs.Delete(ctx, key); err != nil {
				return err
			}
		}
		err = s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.ForgetBlobDeletions(keys) })
		if err != nil || len(keys) < sweptAtOnce {
			return err
		}
	}
}
