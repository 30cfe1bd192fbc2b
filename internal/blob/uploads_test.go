package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/blob"
)

const uploadKey = "artifacts/acme/large"

func begin(t *testing.T, s blob.Store, key string) string {
	t.Helper()
	upload, err := s.BeginUpload(t.Context(), key)
	if err != nil || upload == "" {
		t.Fatalf("%q, %v", upload, err)
	}
	return upload
}

func putPart(t *testing.T, s blob.Store, upload string, number int, content []byte) blob.Part {
	t.Helper()
	tag, err := s.PutPart(t.Context(), uploadKey, upload, number, bytes.NewReader(content), int64(len(content)))
	if err != nil || tag == "" || strings.Contains(tag, `"`) {
		t.Fatalf("%q, %v", tag, err)
	}
	return blob.Part{Number: number, Tag: tag}
}

// uploadsBelow returns the uploads that are going on.
func uploadsBelow(t *testing.T, s blob.Store, prefix string) []blob.Upload {
	t.Helper()
	var all []blob.Upload
	for u, err := range s.ListUploads(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	return all
}

func TestUploadInParts(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		upload := begin(t, s, uploadKey)
		first, second, third := randomBytes(1, blob.MinPartSize), randomBytes(2, blob.MinPartSize+12345), randomBytes(3, 77)
		// In any order, with a gap in their numbers, some again, with other content or the same.
		parts := []blob.Part{putPart(t, s, upload, 7, third)}
		putPart(t, s, upload, 2, first)
		parts = append(parts, putPart(t, s, upload, 2, second), putPart(t, s, upload, 1, first))
		again := putPart(t, s, upload, 2, second)
		if again != parts[1] {
			t.Errorf("the same part has the tag %q, then %q", parts[1].Tag, again.Tag)
		}
		putPart(t, s, upload, 9, []byte("not listed"))
		wantNone(t, s, uploadKey)

		parts[2].Tag = `"` + parts[2].Tag + `"`
		want := slices.Concat(first, second, third)
		n, err := s.CompleteUpload(t.Context(), uploadKey, upload, parts)
		if err != nil || n != int64(len(want)) {
			t.Fatalf("%d bytes, %v; want %d", n, err, len(want))
		}
		wantObject(t, s, uploadKey, want)
		if left := uploadsBelow(t, s, ""); len(left) != 0 {
			t.Errorf("uploads go on: %v", left)
		}
		if n, err := s.CompleteUpload(t.Context(), uploadKey, upload, parts); err != nil || n != int64(len(want)) {
			wantError(t, "complete again", err, blob.ErrUploadNotFound)
		}
		_, err = s.PutPart(t.Context(), uploadKey, upload, 1, strings.NewReader("x"), 1)
		wantError(t, "a part too late", err, blob.ErrUploadNotFound)
		if err := s.AbortUpload(t.Context(), uploadKey, upload); err != nil {
			t.Error(err)
		}
		wantObject(t, s, uploadKey, want)
		// Another upload of the same key takes its place.
		upload = begin(t, s, uploadKey)
		if _, err := s.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{putPart(t, s, upload, 1, []byte("new"))}); err != nil {
			t.Fatal(err)
		}
		wantObject(t, s, uploadKey, []byte("new"))
	})
}

func TestUploadOfNothing(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		upload := begin(t, s, uploadKey)
		if n, err := s.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{putPart(t, s, upload, 1, nil)}); err != nil || n != 0 {
			t.Fatalf("%d bytes, %v", n, err)
		}
		wantObject(t, s, uploadKey, nil)
	})
}

func TestWrongParts(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		upload := begin(t, s, uploadKey)
		for _, c := range []struct {
			number int
			size   int64
		}{{0, 1}, {-1, 1}, {blob.MaxParts + 1, 1}, {1, -1}, {1, blob.MaxPartSize + 1}} {
			_, err := s.PutPart(t.Context(), uploadKey, upload, c.number, strings.NewReader("x"), c.size)
			wantError(t, fmt.Sprintf("part %d of %d bytes", c.number, c.size), err, blob.ErrPart)
		}
		small := putPart(t, s, upload, 1, []byte("small"))
		large := putPart(t, s, upload, 2, randomBytes(1, blob.MinPartSize))
		replaced := putPart(t, s, upload, 3, []byte("before"))
		last := putPart(t, s, upload, 3, []byte("after"))
		for what, parts := range map[string][]blob.Part{
			"none":              nil,
			"another tag":       {{Number: 2, Tag: small.Tag}},
			"no tag":            {{Number: 2}},
			"a hostile tag":     {{Number: 2, Tag: "../../" + large.Tag}},
			"a missing part":    {large, {Number: 4, Tag: last.Tag}},
			"a replaced part":   {large, replaced},
			"a part twice":      {large, large, last},
			"a small part":      {small, large},
			"impossible number": {{Number: 0, Tag: large.Tag}, large},
		} {
			_, err := s.CompleteUpload(t.Context(), uploadKey, upload, parts)
			wantError(t, what, err, blob.ErrPart)
			wantNone(t, s, uploadKey)
		}
		if _, err := s.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{large, last}); err != nil {
			t.Fatal(err)
		}
		wantObject(t, s, uploadKey, append(randomBytes(1, blob.MinPartSize), "after"...))
	})
}

func TestUnknownUploads(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		upload := begin(t, s, uploadKey)
		part := putPart(t, s, upload, 1, []byte("x"))
		aborted := begin(t, s, uploadKey)
		for range 2 {
			if err := s.AbortUpload(t.Context(), uploadKey, aborted); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct{ key, upload string }{
			{uploadKey, aborted}, {uploadKey + "2", upload}, {"artifacts/acme", upload}, {uploadKey, ""}, {uploadKey, "../" + upload}, {uploadKey, "no id"},
			{uploadKey, "0199a000-0000-7000-8000-000000000001"}, {uploadKey, "a\x00b/\n"},
		} {
			what := fmt.Sprintf("upload %q of %s", c.upload, c.key)
			_, err := s.PutPart(t.Context(), c.key, c.upload, 1, strings.NewReader("x"), 1)
			wantError(t, what+": put a part", err, blob.ErrUploadNotFound)
			_, err = s.CompleteUpload(t.Context(), c.key, c.upload, []blob.Part{part})
			wantError(t, what+": complete", err, blob.ErrUploadNotFound)
			if err := s.AbortUpload(t.Context(), c.key, c.upload); err != nil {
				t.Errorf("%s: abort: %v", what, err)
			}
		}
		if left := uploadsBelow(t, s, ""); len(left) != 1 || left[0].ID != upload {
			t.Errorf("the uploads %v go on; want %s", left, upload)
		}
	})
}

func TestListUploads(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		begun := map[string]string{}
		for _, key := range []string{"artifacts/a/1", "artifacts/a/1", "artifacts/ab/1", "logs/a/1"} {
			begun[begin(t, s, key)] = key
		}
		if len(begun) != 4 {
			t.Fatal("two uploads have the same id")
		}
		for prefix, want := range map[string]int{"": 4, "artifacts": 3, "artifacts/a": 2, "artifacts/a/": 2, "artifacts/a/1": 0, "logs": 1, "other": 0} {
			all := uploadsBelow(t, s, prefix)
			if len(all) != want {
				t.Errorf("%d uploads below %q; want %d", len(all), prefix, want)
			}
			for _, u := range all {
				if begun[u.ID] != u.Key || time.Since(u.Started).Abs() > time.Hour {
					t.Errorf("%+v; want the key %s, just now", u, begun[u.ID])
				}
			}
		}
	})
}

// TestConcurrentParts has the parts of an upload come at the same time, some of them several times.
func TestConcurrentParts(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		upload := begin(t, s, uploadKey)
		const count = 4
		parts := make([]blob.Part, count)
		var want []byte
		var each sync.WaitGroup
		for i := range count {
			content := randomBytes(uint64(i), blob.MinPartSize)
			want = append(want, content...)
			for again := range 2 {
				each.Go(func() {
					tag, err := s.PutPart(t.Context(), uploadKey, upload, i+1, bytes.NewReader(content), int64(len(content)))
					if err != nil {
						t.Error(err)
					}
					if again == 0 {
						parts[i] = blob.Part{Number: i + 1, Tag: tag}
					}
				})
			}
		}
		each.Wait()
		if _, err := s.CompleteUpload(t.Context(), uploadKey, upload, parts); err != nil {
			t.Fatal(err)
		}
		wantObject(t, s, uploadKey, want)
	})
}

// TestConcurrentCompletions has an upload completed several times at once, and aborted: whoever is told so has completed it.
func TestConcurrentCompletions(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		first, last := randomBytes(1, blob.MinPartSize), randomBytes(2, 100)
		for range 3 {
			upload := begin(t, s, uploadKey)
			parts := []blob.Part{putPart(t, s, upload, 1, first), putPart(t, s, upload, 2, last)}
			var completed atomic.Int64
			var each sync.WaitGroup
			for range 4 {
				each.Go(func() {
					_, err := s.CompleteUpload(t.Context(), uploadKey, upload, parts)
					switch {
					case err == nil:
						completed.Add(1)
					case !errors.Is(err, blob.ErrUploadNotFound):
						t.Error(err)
					}
				})
			}
			each.Wait()
			if completed.Load() == 0 {
				t.Error("nobody completed it")
			}
			wantObject(t, s, uploadKey, slices.Concat(first, last))
			if err := s.Delete(t.Context(), uploadKey); err != nil {
				t.Fatal(err)
			}
		}
	})
}
