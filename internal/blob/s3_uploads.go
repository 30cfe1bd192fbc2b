package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/minio/minio-go/v7"
)

// BeginUpload begins a multipart upload.
func (s *S3) BeginUpload(ctx context.Context, key string) (upload string, err error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	upload, err = s.client.NewMultipartUpload(ctx, s.bucket, s.prefix+key, minio.PutObjectOptions{})
	if err != nil {
		return "", fmt.Errorf("begin to upload %s: %w", key, s.explain(err))
	}
	return upload, nil
}

// checkUpload returns ErrUploadNotFound for what is no id of an upload of any store.
func checkUpload(upload string) error {
	if upload == "" || strings.ContainsFunc(upload, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ErrUploadNotFound
	}
	return nil
}

// PutPart stores a part with one request.
func (s *S3) PutPart(ctx context.Context, key, upload string, number int, content io.Reader,
	size int64) (tag string, err error) {
	if err := errors.Join(CheckKey(key), checkPart(number, size)); err != nil {
		return "", err
	}
	if err := checkUpload(upload); err != nil {
		return "", fmt.Errorf("store part %d of %s: %w", number, key, err)
	}
	from, err := openSource(ctx, content, size)
	if err != nil {
		return "", err
	}
	sum := knownSum(size)
	part, err := s.client.PutObjectPart(ctx, s.bucket, s.prefix+key, upload, number, from, size,
		minio.PutObjectPartOptions{Sha256Hex: sum, DisableContentSha256: sum != ""})
	if err := from.close(s.explain(err)); err != nil {
		return "", fmt.Errorf("store part %d of %s: %w", number, key, err)
	}
	return part.ETag, nil
}

// CompleteUpload completes a multipart upload.
func (s *S3) CompleteUpload(ctx context.Context, key, upload string, parts []Part) (int64, error) {
	if err := CheckKey(key); err != nil {
		return 0, err
	}
	sorted, err := sortParts(parts)
	if err == nil {
		err = checkUpload(upload)
	}
	var info Info
	if err == nil {
		info, err = s.complete(ctx, key, upload, sorted)
	}
	if err != nil {
		return 0, fmt.Errorf("complete the upload of %s: %w", key, err)
	}
	return info.Size, nil
}

func (s *S3) complete(ctx context.Context, key, upload string, parts []Part) (Info, error) {
	listed := make([]minio.CompletePart, len(parts))
	for i, part := range parts {
		listed[i] = minio.CompletePart{PartNumber: part.Number, ETag: part.Tag}
	}
	_, err := s.client.CompleteMultipartUpload(ctx, s.bucket, s.prefix+key, upload, listed, minio.PutObjectOptions{})
	if err != nil {
		return Info{}, s.explain(err)
	}
	info, err := s.stat(ctx, key)
	if errors.Is(err, ErrNotFound) {
		// Some stores answer that all is well while they still complete it for another caller.
		return Info{}, ErrUploadNotFound
	}
	return info, err
}

// AbortUpload aborts a multipart upload.
func (s *S3) AbortUpload(ctx context.Context, key, upload string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	if checkUpload(upload) != nil {
		return nil //nolint:nilerr // no upload has that id
	}
	err := s.explain(s.client.AbortMultipartUpload(ctx, s.bucket, s.prefix+key, upload))
	if err != nil && !errors.Is(err, ErrUploadNotFound) {
		return fmt.Errorf("abort the upload of %s: %w", key, err)
	}
	return nil
}

// ListUploads asks for multipart uploads, a page at a time.
func (s *S3) ListUploads(ctx context.Context, prefix string) iter.Seq2[Upload, error] {
	return func(yield func(Upload, error) bool) {
		prefix, err := checkPrefix(prefix)
		if err != nil {
			yield(Upload{}, err)
			return
		}
		var keyMarker, uploadMarker string
		for {
			page, err := s.client.ListMultipartUploads(ctx, s.bucket, s.prefix+prefix, keyMarker, uploadMarker, "", 0)
			if err != nil {
				yield(Upload{}, fmt.Errorf("list uploads: %w", s.explain(err)))
				return
			}
			for _, u := range page.Uploads {
				key := strings.TrimPrefix(u.Key, s.prefix)
				if CheckKey(key) == nil && !yield(Upload{Key: key, ID: u.UploadID, Started: u.Initiated}, nil) {
					return
				}
			}
			if !page.IsTruncated {
				return
			}
			keyMarker, uploadMarker = page.NextKeyMarker, page.NextUploadIDMarker
		}
	}
}
