package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"penstock/internal/blob"
	"penstock/internal/config"
	"penstock/internal/domain"
)

// The variables that programs of S3-compatible stores have their keys in.
const (
	accessKeyVariable    = "AWS_ACCESS_KEY_ID"
	secretKeyVariable    = "AWS_SECRET_ACCESS_KEY"
	sessionTokenVariable = "AWS_SESSION_TOKEN"
)

// OpenBlobs opens the place where logs and artifacts are stored, and makes the directory if it is one. Whether a bucket
// can be reached is not known yet. An error says what to change.
func OpenBlobs(cfg config.Config) (blob.Store, error) {
	place := cfg.BlobPlace()
	if place.Directory != "" {
		d, err := blob.OpenDirectory(place.Directory)
		if err != nil {
			return nil, fmt.Errorf("the directory of logs and artifacts cannot be used; name another, or a bucket, with "+
				"--blobs: %w", err)
		}
		return d, nil
	}
	o := blob.S3Options{Endpoint: place.Endpoint, Region: place.Region, Bucket: place.Bucket, Prefix: place.Prefix,
		AccessKeyID:  os.Getenv(accessKeyVariable),
		SecretKey:    domain.Secret(os.Getenv(secretKeyVariable)),
		SessionToken: domain.Secret(os.Getenv(sessionTokenVariable))}
	if o.AccessKeyID == "" || o.SecretKey == "" {
		return nil, fmt.Errorf("the keys of the bucket %s are missing; give them by %s and %s", place.Bucket,
			accessKeyVariable, secretKeyVariable)
	}
	return blob.OpenS3(o)
}

// OpenExistingBlobs does as OpenBlobs does, but returns an error if there is nothing yet, or it cannot be reached: a
// wrong setting is not taken for a place where nothing is kept.
func OpenExistingBlobs(ctx context.Context, cfg config.Config) (blob.Store, error) {
	place := cfg.BlobPlace()
	if place.Directory != "" && !blob.HasDirectory(place.Directory) {
		return nil, fmt.Errorf("no logs and artifacts are kept in %s; name the server's place with --blobs", place.Directory)
	}
	store, err := OpenBlobs(cfg)
	if err != nil {
		return nil, err
	}
	if err := store.Ready(ctx); err != nil {
		return nil, fmt.Errorf("the logs and artifacts in %s cannot be reached; name the server's place with --blobs: %w",
			place, err)
	}
	return store, nil
}

// openBlobs opens the place where this server stores logs and artifacts.
func (s *server) openBlobs(ctx context.Context) (err error) {
	if s.blobs, err = OpenBlobs(s.Config); err != nil {
		return err
	}
	if s.Config.Database != "" && s.Config.Blobs == "" {
		s.logger.WarnContext(ctx, "logs and artifacts are kept on this machine; servers that share the database need a "+
			"bucket, or a directory that they share: "+
			"name it with --blobs", "directory", s.Config.BlobPlace().Directory)
	}
	if err := s.readyBlobs(ctx); err != nil {
		s.logger.ErrorContext(ctx, "logs and artifacts cannot be stored", "error", errors.Unwrap(err))
	}
	return nil
}

// readyBlobs returns a blobsUnready unless logs and artifacts can be stored.
func (s *server) readyBlobs(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := s.blobs.Ready(ctx); err != nil {
		return &blobsUnready{fmt.Errorf("%s: %w", s.Config.BlobPlace(), err)}
	}
	return nil
}

// blobsUnready means that logs and artifacts cannot be stored.
type blobsUnready struct{ cause error }

func (u *blobsUnready) Error() string { return blobsUnreadyReason + " (" + u.cause.Error() + ")" }
func (u *blobsUnready) Unwrap() error { return u.cause }

const blobsUnreadyReason = "Logs and artifacts cannot be stored."

// rememberedCheck is a check whose result is good for a while. It is not safe for concurrent use.
type rememberedCheck struct {
	check func(context.Context) error
	good  time.Duration
	at    time.Time // when it was last checked
	err   error
}

// run returns the result, of just now or of a while ago.
func (c *rememberedCheck) run(ctx context.Context) error {
	if now := time.Now(); c.at.IsZero() || now.Sub(c.at) >= c.good {
		c.err, c.at = c.check(ctx), now
	}
	return c.err
}
