package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"penstock/internal/domain"
)

// S3Options says where an S3-compatible store is, and who we are.
type S3Options struct {
	Endpoint     string // its URL, such as https://s3.example.com; empty: Amazon's, of the region
	Region       string
	Bucket       string // which must exist
	Prefix       string // of all keys, without a slash at its end; several installations can share a bucket
	AccessKeyID  string
	SecretKey    domain.Secret
	SessionToken domain.Secret  // of temporary keys; empty: none
	Roots        *x509.CertPool // who vouches for the store; nil: whom the system trusts
}

// S3 is a Store of the objects of a bucket.
type S3 struct {
	client minio.Core
	bucket string
	prefix string // empty, or with a slash at its end
}

var _ Store = (*S3)(nil)

const (
	// maxRetries is how often a request is tried, if its body can be sent again.
	maxRetries = 3
	// peekSize is how much of content is read to see whether it needs more than one request, if its size is not known.
	peekSize = 1 << 20
	// partSize is how much of content is held in memory if its size is not known. A content has at most MaxParts of these.
	partSize = 16 << 20
)

// OpenS3 returns a store. It sends no request: Ready says whether the bucket can be reached.
func OpenS3(o S3Options) (*S3, error) {
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil {
		return nil, errors.New("the S3 store's endpoint is not a URL")
	}
	if o.Endpoint == "" {
		endpoint = &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	}
	secure := endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("the S3 store: %w", err)
	}
	if secure && o.Roots != nil {
		transport.TLSClientConfig.RootCAs = o.Roots
	}
	client, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds:      credentials.NewStaticV4(o.AccessKeyID, o.SecretKey.Reveal(), o.SessionToken.Reveal()),
		Secure:     secure,
		Transport:  transport,
		Region:     o.Region,
		MaxRetries: maxRetries,
	})
	if err != nil {
		return nil, fmt.Errorf("the S3 store: %w", err)
	}
	s := &S3{client: *client, bucket: o.Bucket, prefix: strings.Trim(o.Prefix, "/")}
	if s.prefix != "" {
		s.prefix += "/"
	}
	return s, nil
}

// Put stores an object with one request if its size is known, in parts otherwise.
func (s *S3) Put(ctx context.Context, key string, content io.Reader, size int64) (int64, error) {
	if err := CheckKey(key); err != nil {
		return 0, err
	}
	from, err := openSource(ctx, content, size)
	if err != nil {
		return 0, err
	}
	if size >= 0 && size <= MaxPartSize {
		err = s.putKnown(ctx, key, from, size)
	} else {
		size, err = s.putUnknown(ctx, key, from)
	}
	if err := from.close(s.explain(err)); err != nil {
		return 0, fmt.Errorf("store %s: %w", key, err)
	}
	return size, nil
}

// putKnown stores content of a known size.
func (s *S3) putKnown(ctx context.Context, key string, from io.Reader, size int64) error {
	sum := knownSum(size)
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+key, from, size, "", sum,
		minio.PutObjectOptions{DisableContentSha256: sum != ""})
	return err
}

// knownSum returns the SHA-256 of empty content. Without it the client would sign content in chunks, and send the last
// chunk after an empty body, which the store takes for another request.
func knownSum(size int64) string {
	if size > 0 {
		return ""
	}
	return hex.EncodeToString(sha256.New().Sum(nil))
}

// putUnknown stores content of a size that is not known, or too large for one request.
func (s *S3) putUnknown(ctx context.Context, key string, from io.Reader) (int64, error) {
	var first bytes.Buffer
	if _, err := io.CopyN(&first, from, peekSize); errors.Is(err, io.EOF) {
		size := int64(first.Len())
		return size, s.putKnown(ctx, key, bytes.NewReader(first.Bytes()), size)
	} else if err != nil {
		return 0, err
	}
	// If this fails, it aborts the upload.
	done, err := s.client.Client.PutObject(ctx, s.bucket, s.prefix+key, io.MultiReader(&first, from), -1,
		minio.PutObjectOptions{PartSize: partSize, NumThreads: 1})
	return done.Size, err
}

// Get asks for an object, or a range of it.
func (s *S3) Get(ctx context.Context, key string, offset, length int64) (*Content, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	c, err := s.get(ctx, key, offset, length)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return c, nil
}

func (s *S3) get(ctx context.Context, key string, offset, length int64) (*Content, error) {
	var o minio.GetObjectOptions
	switch {
	case offset < 0 || length < -1:
		_, err := boundRange(offset, length, 0)
		return nil, err
	case length == 0: // which a Range header cannot say
		return s.getNothing(ctx, key, offset)
	case length > 0 && length <= math.MaxInt64-offset:
		o.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	case offset > 0:
		o.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	body, info, header, err := s.client.GetObject(ctx, s.bucket, s.prefix+key, o)
	if minio.ToErrorResponse(err).Code == minio.InvalidRange {
		return s.getNothing(ctx, key, offset)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	size := info.Size
	if _, total, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
		size, err = strconv.ParseInt(total, 10, 64)
	}
	want, rangeErr := boundRange(offset, length, size)
	if err = errors.Join(err, rangeErr); err == nil && want != info.Size {
		err = fmt.Errorf("the S3 store sends %d bytes where %d were asked for", info.Size, want)
	}
	if err != nil {
		_ = body.Close()
		return nil, err
	}
	return &Content{ReadCloser: body, Length: want, Size: size}, nil
}

// getNothing returns no bytes of an object, unless it ends before offset.
func (s *S3) getNothing(ctx context.Context, key string, offset int64) (*Content, error) {
	info, err := s.stat(ctx, key)
	if err == nil {
		_, err = boundRange(offset, 0, info.Size)
	}
	if err != nil {
		return nil, err
	}
	return &Content{ReadCloser: http.NoBody, Size: info.Size}, nil
}

// Stat asks for the description of an object.
func (s *S3) Stat(ctx context.Context, key string) (Info, error) {
	if err := CheckKey(key); err != nil {
		return Info{}, err
	}
	info, err := s.stat(ctx, key)
	if err != nil {
		return Info{}, fmt.Errorf("look at %s: %w", key, err)
	}
	return info, nil
}

func (s *S3) stat(ctx context.Context, key string) (Info, error) {
	info, err := s.client.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
	if err = s.explain(err); errors.Is(err, ErrNotFound) {
		// The answer has no body that would distinguish a missing object from a missing bucket.
		if err := s.Ready(ctx); err != nil {
			return Info{}, err
		}
	}
	if err != nil {
		return Info{}, err
	}
	return Info{Key: key, Size: info.Size, Modified: info.LastModified}, nil
}

// Delete deletes an object.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	err := s.explain(s.client.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// List asks for objects, a page at a time.
func (s *S3) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		prefix, err := checkPrefix(prefix)
		if err != nil {
			yield(Info{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix,
			Recursive: true}) {
			if o.Err != nil {
				yield(Info{}, fmt.Errorf("list %s: %w", prefix, s.explain(o.Err)))
				return
			}
			key := strings.TrimPrefix(o.Key, s.prefix)
			if CheckKey(key) != nil {
				continue // it is not ours
			}
			if !yield(Info{Key: key, Size: o.Size, Modified: o.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Info{}, err)
		}
	}
}

// Ready returns why the bucket cannot be used.
func (s *S3) Ready(ctx context.Context) error {
	there, err := s.client.BucketExists(ctx, s.bucket)
	if err == nil && !there {
		return fmt.Errorf("the S3 store has no bucket %s", s.bucket)
	}
	return s.explain(err)
}

// explain returns ErrNotFound, ErrUploadNotFound or ErrPart if that is what an error means, and otherwise the error
// with the code that the store answered with.
func (s *S3) explain(err error) error {
	answer, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok || answer.Code == "" {
		return err
	}
	switch answer.Code {
	case minio.NoSuchKey:
		return ErrNotFound
	case minio.NoSuchUpload:
		return ErrUploadNotFound
	case minio.InvalidPart, minio.InvalidPartOrder, minio.EntityTooSmall:
		return fmt.Errorf("%w: %w", ErrPart, err)
	}
	return fmt.Errorf("the S3 store answered %s: %w", answer.Code, err)
}
