package blob_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/blob"
	"penstock/internal/testkit/s3server"
)

// wantNoMissing checks that each operation fails, and none by taking an object or an upload for missing, which would make somebody forget it.
func wantNoMissing(t *testing.T, s blob.Store, upload string) {
	t.Helper()
	failures := map[string]error{"ready": s.Ready(t.Context()), "delete": s.Delete(t.Context(), "logs/a/1"),
		"abort": s.AbortUpload(t.Context(), uploadKey, upload)}
	_, failures["put"] = s.Put(t.Context(), "logs/a/1", strings.NewReader("x"), 1)
	_, failures["put of unknown size"] = s.Put(t.Context(), "logs/a/1", strings.NewReader("x"), -1)
	_, failures["get"] = s.Get(t.Context(), "logs/a/1", 0, -1)
	_, failures["get nothing"] = s.Get(t.Context(), "logs/a/1", 0, 0)
	_, failures["stat"] = s.Stat(t.Context(), "logs/a/1")
	_, failures["begin"] = s.BeginUpload(t.Context(), uploadKey)
	_, failures["put a part"] = s.PutPart(t.Context(), uploadKey, upload, 1, strings.NewReader("x"), 1)
	_, failures["complete"] = s.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{{Number: 1, Tag: "0cc175b9c0f1b6a831c399e269772661"}})
	for _, err := range s.List(t.Context(), "") {
		failures["list"] = err
	}
	for _, err := range s.ListUploads(t.Context(), "") {
		failures["list uploads"] = err
	}
	if len(failures) != 13 {
		t.Errorf("nothing was listed, and there was no error: %v", failures)
	}
	for what, err := range failures {
		if err == nil || errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrUploadNotFound) || errors.Is(err, blob.ErrPart) {
			t.Errorf("%s: %v; want another error", what, err)
		}
		if err != nil && strings.Contains(err.Error(), s3server.SecretKey) {
			t.Errorf("%s: the error shows the secret key", what)
		}
	}
}

func TestS3ServerThatIsAway(t *testing.T) {
	t.Parallel()
	server := s3server.Start(t)
	s := openS3(t, server)
	mustPut(t, s, "logs/a/1", []byte("hello"))
	upload := begin(t, s, uploadKey)
	server.Stop()
	wantNoMissing(t, s, upload)
	server.Restart(t)
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	wantObject(t, s, "logs/a/1", []byte("hello"))
	if _, err := s.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{putPart(t, s, upload, 1, []byte("x"))}); err != nil {
		t.Error(err)
	}
}

func TestS3WrongSettings(t *testing.T) {
	t.Parallel()
	server := s3server.Start(t)
	upload := begin(t, openS3(t, server), uploadKey)
	for what, change := range map[string]func(*blob.S3Options){
		"no such bucket":     func(o *blob.S3Options) { o.Bucket = "others" },
		"no such access key": func(o *blob.S3Options) { o.AccessKeyID = "nobody" },
		"another secret key": func(o *blob.S3Options) { o.SecretKey = "wrong" },
		"another region":     func(o *blob.S3Options) { o.Region = "us-west-2" },
		"nobody there":       func(o *blob.S3Options) { o.Endpoint = "http://127.0.0.1:1" },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			wantNoMissing(t, openS3With(t, server, change), upload)
		})
	}
	if _, err := blob.OpenS3(blob.S3Options{Endpoint: "http://%zz", Bucket: "blobs"}); err == nil {
		t.Error("an endpoint that is no URL is taken")
	}
}

// TestS3Prefixes has two installations share a bucket.
func TestS3Prefixes(t *testing.T) {
	t.Parallel()
	server := s3server.Start(t)
	one := openS3(t, server)
	two := openS3With(t, server, func(o *blob.S3Options) { o.Prefix = "/penstock/here-too/" })
	bare := openS3With(t, server, func(o *blob.S3Options) { o.Prefix = "" })
	mustPut(t, one, "logs/a/1", []byte("of one"))
	mustPut(t, two, "logs/a/1", []byte("of two"))
	mustPut(t, bare, "logs/a/1", []byte("bare"))
	// What is not ours.
	server.PutObject(t, "blobs", "penstock/here/logs/README", "x")
	server.PutObject(t, "blobs", "penstock/here/folder/", "")
	for content, s := range map[string]*blob.S3{"of one": one, "of two": two, "bare": bare} {
		wantObject(t, s, "logs/a/1", []byte(content))
		if s != bare && !slices.Equal(listed(t, s, ""), []string{"logs/a/1"}) {
			t.Errorf("%s lists %v", content, listed(t, s, ""))
		}
	}
	for _, key := range []string{"penstock/here/logs/a/1", "penstock/here-too/logs/a/1", "logs/a/1"} {
		if all := server.Keys(t, "blobs"); !slices.Contains(all, key) {
			t.Errorf("there is no %s in %v", key, all)
		}
	}
	begin(t, one, uploadKey)
	if got := uploadsBelow(t, two, ""); len(got) != 0 {
		t.Errorf("another's uploads are listed: %v", got)
	}
}

// TestS3WithTLS stores over an encrypted connection, where contents are signed in another way.
func TestS3WithTLS(t *testing.T) {
	t.Parallel()
	server := s3server.StartTLS(t)
	s := openS3(t, server)
	for _, size := range []int{0, 1, 100_000, 5 << 20} {
		content := randomBytes(1, size)
		mustPut(t, s, "logs/known", content)
		wantObject(t, s, "logs/known", content)
		if _, err := s.Put(t.Context(), "logs/unknown", io.MultiReader(strings.NewReader(string(content))), -1); err != nil {
			t.Fatal(err)
		}
		wantObject(t, s, "logs/unknown", content)
		upload := begin(t, s, uploadKey)
		if _, err := s.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{putPart(t, s, upload, 1, content)}); err != nil {
			t.Fatal(err)
		}
		wantObject(t, s, uploadKey, content)
	}
	stranger := openS3With(t, server, func(o *blob.S3Options) { o.Roots = nil })
	if err := stranger.Ready(t.Context()); err == nil {
		t.Error("a certificate of nobody is taken")
	}
}

// TestS3ReadsNothingAfterwards has the store's answer come while the content is being read: it is the caller's again when Put returns.
func TestS3ReadsNothingAfterwards(t *testing.T) {
	t.Parallel()
	server := s3server.Start(t)
	s := openS3With(t, server, func(o *blob.S3Options) { o.Bucket = "others" })
	var reading atomic.Bool
	content := io.MultiReader(&watchedReader{every: 1 << 20, left: 1 << 20, look: func() {}}, readerFunc(func(p []byte) (int, error) {
		reading.Store(true)
		defer reading.Store(false)
		<-time.After(300 * time.Millisecond)
		return len(p), nil
	}))
	_, err := s.Put(t.Context(), "logs/a/1", content, 64<<20)
	if reading.Load() {
		t.Error("the content is still being read")
	}
	if err == nil || errors.Is(err, blob.ErrSize) { // which would be our own end of the content
		t.Errorf("%v; want that there is no such bucket, or that the connection was closed", err)
	}
}
