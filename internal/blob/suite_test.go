package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"penstock/internal/blob"
	"penstock/internal/testkit/s3server"
)

// eachStore runs fn as a subtest on an empty store of each kind.
func eachStore(t *testing.T, fn func(t *testing.T, s blob.Store)) {
	t.Helper()
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		fn(t, openDirectory(t, t.TempDir()))
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		fn(t, openS3(t, s3server.Start(t)))
	})
}

// openS3 opens an empty bucket of a server.
func openS3(t *testing.T, server *s3server.Server) *blob.S3 {
	t.Helper()
	server.MakeBucket(t, "blobs")
	return openS3With(t, server, func(*blob.S3Options) {})
}

// openS3With opens a bucket of a server with other options.
func openS3With(t *testing.T, server *s3server.Server, change func(*blob.S3Options)) *blob.S3 {
	t.Helper()
	o := blob.S3Options{Endpoint: server.Endpoint, Region: s3server.Region, Bucket: "blobs", Prefix: "penstock/here",
		AccessKeyID: s3server.AccessKeyID, SecretKey: s3server.SecretKey, Roots: server.Roots}
	change(&o)
	s, err := blob.OpenS3(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openDirectory(t *testing.T, root string) *blob.Directory {
	t.Helper()
	d, err := blob.OpenDirectory(root)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// randomBytes returns bytes that look random, and are the same for the same seed.
func randomBytes(seed uint64, size int) []byte {
	all, err := io.ReadAll(io.LimitReader(rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}), int64(size)))
	if err != nil {
		panic(err)
	}
	return all
}

func mustPut(t *testing.T, s blob.Store, key string, content []byte) {
	t.Helper()
	n, err := s.Put(t.Context(), key, bytes.NewReader(content), int64(len(content)))
	if err != nil || n != int64(len(content)) {
		t.Fatalf("put %s: %d bytes, %v; want %d", key, n, err, len(content))
	}
}

// read returns a range of an object.
func read(t *testing.T, s blob.Store, key string, offset, length int64) (*blob.Content, []byte, error) {
	t.Helper()
	c, err := s.Get(t.Context(), key, offset, length)
	if err != nil {
		return nil, nil, err
	}
	all, err := io.ReadAll(c)
	if err := errors.Join(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	return c, all, nil
}

func wantObject(t *testing.T, s blob.Store, key string, want []byte) {
	t.Helper()
	c, got, err := read(t, s, key, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) || c.Length != int64(len(want)) || c.Size != int64(len(want)) {
		t.Fatalf("%s has %d bytes, said to be %d of %d; want %d, and these", key, len(got), c.Length, c.Size, len(want))
	}
	info, err := s.Stat(t.Context(), key)
	if err != nil || info.Key != key || info.Size != int64(len(want)) || time.Since(info.Modified).Abs() > time.Hour {
		t.Fatalf("stat %s: %+v, %v; want %d bytes, just now", key, info, err, len(want))
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v; want the error %q", what, err, want)
	}
}

func wantNone(t *testing.T, s blob.Store, key string) {
	t.Helper()
	_, err := s.Stat(t.Context(), key)
	wantError(t, "stat "+key, err, blob.ErrNotFound)
	_, _, err = read(t, s, key, 0, -1)
	wantError(t, "get "+key, err, blob.ErrNotFound)
}

// listed returns the keys below a prefix, sorted.
func listed(t *testing.T, s blob.Store, prefix string) []string {
	t.Helper()
	var keys []string
	for info, err := range s.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, info.Key)
	}
	slices.Sort(keys)
	return keys
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		for i, content := range [][]byte{{}, []byte("x"), randomBytes(1, 100_000), randomBytes(2, 9<<20), []byte("shorter")} {
			known, unknown := fmt.Sprintf("logs/known/%d", i), fmt.Sprintf("logs/unknown/%d", i)
			mustPut(t, s, known, content)
			mustPut(t, s, "logs/replaced", content)
			// A reader that says nothing of its size, and gives a byte at first.
			n, err := s.Put(t.Context(), unknown, io.MultiReader(iotest.OneByteReader(bytes.NewReader(content[:min(1, len(content))])),
				bytes.NewReader(content[min(1, len(content)):])), -1)
			if err != nil || n != int64(len(content)) {
				t.Fatalf("%d bytes, %v", n, err)
			}
			for _, key := range []string{known, unknown, "logs/replaced"} {
				wantObject(t, s, key, content)
			}
		}
	})
}

func TestRanges(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/digits", []byte("0123456789"))
		mustPut(t, s, "logs/empty", nil)
		for _, c := range []struct {
			key            string
			offset, length int64
			want           string
			err            error
		}{
			{"digits", 0, -1, "0123456789", nil},
			{"digits", 0, 10, "0123456789", nil},
			{"digits", 0, 1, "0", nil},
			{"digits", 3, 4, "3456", nil},
			{"digits", 3, -1, "3456789", nil},
			{"digits", 9, 1, "9", nil},
			{"digits", 8, 1 << 40, "89", nil},
			{"digits", 5, 0, "", nil},
			{"digits", 0, 0, "", nil},
			{"digits", 10, -1, "", nil},
			{"digits", 10, 5, "", nil},
			{"digits", 11, -1, "", blob.ErrRange},
			{"digits", 11, 0, "", blob.ErrRange},
			{"digits", 1 << 40, 3, "", blob.ErrRange},
			{"digits", -1, -1, "", blob.ErrRange},
			{"digits", 0, -2, "", blob.ErrRange},
			{"empty", 0, -1, "", nil},
			{"empty", 0, 0, "", nil},
			{"empty", 0, 7, "", nil},
			{"empty", 1, -1, "", blob.ErrRange},
			{"absent", 0, -1, "", blob.ErrNotFound},
			{"absent", 3, 4, "", blob.ErrNotFound},
			{"absent", 3, 0, "", blob.ErrNotFound},
		} {
			what := fmt.Sprintf("%d bytes of %s from %d", c.length, c.key, c.offset)
			content, got, err := read(t, s, "logs/"+c.key, c.offset, c.length)
			if c.err != nil {
				wantError(t, what, err, c.err)
				continue
			}
			if err != nil || string(got) != c.want || content.Length != int64(len(c.want)) || content.Size != map[string]int64{"digits": 10}[c.key] {
				t.Errorf("%s: %q, %+v, %v; want %q", what, got, content, err, c.want)
			}
		}
	})
}

func TestDelete(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/acme/job", []byte("hello"))
		mustPut(t, s, "logs/acme/other", []byte("stays"))
		for range 2 {
			if err := s.Delete(t.Context(), "logs/acme/job"); err != nil {
				t.Fatal(err)
			}
			wantNone(t, s, "logs/acme/job")
		}
		for _, never := range []string{"never", "logs/never/there", "logs/acme", "logs/acme/other/below"} {
			if err := s.Delete(t.Context(), never); err != nil {
				t.Errorf("%s: %v", never, err)
			}
			wantNone(t, s, never)
		}
		wantObject(t, s, "logs/acme/other", []byte("stays"))
	})
}

func TestList(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		if got := listed(t, s, ""); len(got) != 0 {
			t.Fatalf("an empty store lists %v", got)
		}
		all := []string{"artifacts/a/1", "artifacts/a/2", "logs/a/1", "logs/ab/1", "logs/b/2", "other"}
		for i, key := range all {
			mustPut(t, s, key, make([]byte, i))
		}
		upload, err := s.BeginUpload(t.Context(), "logs/a/begun")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutPart(t.Context(), "logs/a/begun", upload, 1, strings.NewReader("part"), 4); err != nil {
			t.Fatal(err)
		}
		for prefix, want := range map[string][]string{
			"": all, "logs": all[2:5], "logs/": all[2:5], "logs/a": all[2:3], "logs/a/": all[2:3], "log": nil, "logs/a/1": nil, "absent/here": nil, "artifacts": all[:2],
		} {
			if got := listed(t, s, prefix); !slices.Equal(got, want) {
				t.Errorf("below %q: %v; want %v", prefix, got, want)
			}
		}
		for info, err := range s.List(t.Context(), "") {
			if want := slices.Index(all, info.Key); err != nil || info.Size != int64(want) || time.Since(info.Modified).Abs() > time.Hour {
				t.Errorf("%+v, %v; want %d bytes", info, err, want)
			}
		}
		for range s.List(t.Context(), "") {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var last error
		for _, err := range s.List(ctx, "") {
			last = err
		}
		wantError(t, "a list that is given up", last, context.Canceled)
	})
}

// TestListOfManyObjects lists more than one portion, or one answer of S3, has.
func TestListOfManyObjects(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		var want []string
		for i := range 1100 {
			want = append(want, fmt.Sprintf("logs/a/%04d", i))
		}
		var each sync.WaitGroup
		for portion := range slices.Chunk(want, 275) {
			each.Go(func() {
				for _, key := range portion {
					if _, err := s.Put(t.Context(), key, strings.NewReader("x"), 1); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		each.Wait()
		if got := listed(t, s, "logs"); !slices.Equal(got, want) {
			t.Errorf("%d objects are listed; want %d", len(got), len(want))
		}
	})
}

// hostileKeys are no keys.
var hostileKeys = []string{
	"", "/", "//", ".", "..", "../x", "logs/../x", "logs/..", "logs/./x", "/logs/x", "logs/x/", "logs//x", "logs/.hidden", ".temporary/x", ".uploads/x",
	"logs/a\x00b", "logs/a\nb", `logs\..\x`, "logs/a b", "logs/Ü", "logs/%2e%2e/x", "LOGS/x", "logs/a,b", "logs/a:b", "~/x", "logs/\xff", strings.Repeat("x", 201),
}

func TestHostileKeys(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/x", []byte("hello"))
		upload, err := s.BeginUpload(t.Context(), "logs/x")
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range hostileKeys {
			_, err := s.Put(t.Context(), key, strings.NewReader("x"), 1)
			wantError(t, fmt.Sprintf("put %q", key), err, blob.ErrKey)
			_, err = s.Get(t.Context(), key, 0, -1)
			wantError(t, fmt.Sprintf("get %q", key), err, blob.ErrKey)
			_, err = s.Stat(t.Context(), key)
			wantError(t, fmt.Sprintf("stat %q", key), err, blob.ErrKey)
			wantError(t, fmt.Sprintf("delete %q", key), s.Delete(t.Context(), key), blob.ErrKey)
			_, err = s.BeginUpload(t.Context(), key)
			wantError(t, fmt.Sprintf("begin %q", key), err, blob.ErrKey)
			_, err = s.PutPart(t.Context(), key, upload, 1, strings.NewReader("x"), 1)
			wantError(t, fmt.Sprintf("put a part of %q", key), err, blob.ErrKey)
			_, err = s.CompleteUpload(t.Context(), key, upload, []blob.Part{{Number: 1, Tag: "x"}})
			wantError(t, fmt.Sprintf("complete %q", key), err, blob.ErrKey)
			wantError(t, fmt.Sprintf("abort %q", key), s.AbortUpload(t.Context(), key, upload), blob.ErrKey)
			if key == "" || key == "/" || key == "logs/x/" { // prefixes that are some
				continue
			}
			for _, err = range s.List(t.Context(), key) {
				wantError(t, fmt.Sprintf("list %q", key), err, blob.ErrKey)
			}
			for _, err = range s.ListUploads(t.Context(), key) {
				wantError(t, fmt.Sprintf("list uploads of %q", key), err, blob.ErrKey)
			}
		}
		if got := listed(t, s, ""); !slices.Equal(got, []string{"logs/x"}) {
			t.Errorf("there is %v", got)
		}
	})
}

func TestContentOfAnotherSize(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/old", []byte("old"))
		upload, err := s.BeginUpload(t.Context(), "logs/upload")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			has  int
			said int64
		}{{5, 4}, {5, 6}, {0, 1}, {1, 0}, {5, -2}, {100_000, 99_999}, {100_000, 100_001}, {6 << 20, 6<<20 - 1}} {
			what := fmt.Sprintf("%d bytes, said to be %d", c.has, c.said)
			for _, key := range []string{"logs/old", "logs/new"} {
				_, err := s.Put(t.Context(), key, bytes.NewReader(make([]byte, c.has)), c.said)
				wantError(t, what, err, blob.ErrSize)
				// A reader whose end is only seen by reading on.
				_, err = s.Put(t.Context(), key, iotest.HalfReader(bytes.NewReader(make([]byte, c.has))), c.said)
				wantError(t, what, err, blob.ErrSize)
			}
			if c.said >= 0 {
				_, err := s.PutPart(t.Context(), "logs/upload", upload, 1, bytes.NewReader(make([]byte, c.has)), c.said)
				wantError(t, what+", as a part", err, blob.ErrSize)
			}
		}
		wantObject(t, s, "logs/old", []byte("old"))
		wantNone(t, s, "logs/new")
	})
}

func TestContentThatCannotBeRead(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/old", []byte("old"))
		upload, err := s.BeginUpload(t.Context(), "logs/upload")
		if err != nil {
			t.Fatal(err)
		}
		broken := errors.New("the caller hung up")
		for _, before := range []int{0, 10, 1 << 20, 9 << 20} {
			content := func() io.Reader {
				return io.MultiReader(bytes.NewReader(make([]byte, before)), iotest.ErrReader(broken))
			}
			for _, size := range []int64{-1, 10 << 20} {
				for _, key := range []string{"logs/old", "logs/new"} {
					_, err := s.Put(t.Context(), key, content(), size)
					wantError(t, "put", err, broken)
					if _, ok := errors.AsType[*blob.ContentError](err); !ok {
						t.Errorf("%T %v is no ContentError", err, err)
					}
				}
			}
			_, err := s.PutPart(t.Context(), "logs/upload", upload, 1, content(), 10<<20)
			wantError(t, "put a part", err, broken)
		}
		wantObject(t, s, "logs/old", []byte("old"))
		wantNone(t, s, "logs/new")
	})
}

// TestReadersSeeNoHalf looks at an object while it is being stored.
func TestReadersSeeNoHalf(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/old", []byte("old"))
		content := randomBytes(3, 9<<20)
		for _, size := range []int64{-1, int64(len(content))} {
			for _, key := range []string{"logs/old", fmt.Sprintf("logs/new%d", size)} {
				reader, writer := io.Pipe()
				stored := make(chan error, 1)
				go func() {
					_, err := s.Put(t.Context(), key, reader, size)
					stored <- err
				}()
				if _, err := writer.Write(content[:8<<20]); err != nil {
					t.Fatal(err)
				}
				if key == "logs/old" {
					wantObject(t, s, key, []byte("old"))
				} else {
					wantNone(t, s, key)
				}
				if _, err := writer.Write(content[8<<20:]); err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(writer.Close(), <-stored); err != nil {
					t.Fatal(err)
				}
				wantObject(t, s, key, content)
			}
			mustPut(t, s, "logs/old", []byte("old"))
		}
	})
}

func TestPutThatIsGivenUp(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		mustPut(t, s, "logs/old", []byte("old"))
		for _, size := range []int64{-1, 10 << 20} {
			ctx, cancel := context.WithCancel(t.Context())
			content := io.MultiReader(bytes.NewReader(make([]byte, 8<<20)), readerFunc(func(p []byte) (int, error) {
				cancel()
				return copy(p, "more"), nil
			}))
			_, err := s.Put(ctx, "logs/old", content, size)
			wantError(t, "put", err, context.Canceled)
			cancel()
		}
		wantObject(t, s, "logs/old", []byte("old"))
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestConcurrentPutsOfOneKey has readers see one of what is stored, whole, whenever they look.
func TestConcurrentPutsOfOneKey(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		var versions [][]byte
		for i := range 4 {
			versions = append(versions, bytes.Repeat([]byte{byte('a' + i)}, 20_000+i*10_000))
		}
		mustPut(t, s, "logs/one", versions[0])
		var writers, readers sync.WaitGroup
		done := make(chan struct{})
		for _, version := range versions {
			writers.Go(func() {
				for range 10 {
					if _, err := s.Put(t.Context(), "logs/one", bytes.NewReader(version), int64(len(version))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 2 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					_, got, err := read(t, s, "logs/one", 0, -1)
					if err != nil || !slices.ContainsFunc(versions, func(v []byte) bool { return bytes.Equal(v, got) }) {
						t.Errorf("%d bytes, %v: none of what was stored", len(got), err)
						return
					}
				}
			})
		}
		writers.Wait()
		close(done)
		readers.Wait()
	})
}

// TestMemoryOfLargeObjects stores and reads 200 MB, and looks at the memory in use meanwhile. It runs alone.
func TestMemoryOfLargeObjects(t *testing.T) {
	const size, most = 200 << 20, 32 << 20
	eachStoreAlone(t, func(t *testing.T, s blob.Store) {
		memory := func() int64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := memory()
		for _, said := range []int64{-1, size} {
			watched := &watchedReader{every: 20 << 20, left: size, look: func() {
				if now := memory(); now-before > most {
					t.Errorf("%d bytes of memory are in use while an object is stored whose size is said to be %d", now-before, said)
				}
			}}
			if n, err := s.Put(t.Context(), "artifacts/large", watched, said); err != nil || n != size {
				t.Fatalf("%d bytes, %v", n, err)
			}
			content, err := s.Get(t.Context(), "artifacts/large", 0, -1)
			if err != nil {
				t.Fatal(err)
			}
			same := &watchedReader{every: 20 << 20, left: size, look: func() {
				if now := memory(); now-before > most {
					t.Errorf("%d bytes of memory are in use while an object is read", now-before)
				}
			}}
			wantSame(t, content, same)
			if err := content.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// watchedReader makes up content, and calls look now and then.
type watchedReader struct {
	every, read, left int64
	look              func()
}

func (r *watchedReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.left, 32<<10)]
	for i := range p {
		p[i] = byte((r.read + int64(i)) * 7 >> 3)
	}
	n := int64(len(p))
	if (r.read+n)/r.every > r.read/r.every {
		r.look()
	}
	r.read, r.left = r.read+n, r.left-n
	return len(p), nil
}

// wantSame compares two readers without holding what they have.
func wantSame(t *testing.T, got, want io.Reader) {
	t.Helper()
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for at := 0; ; {
		n, err := io.ReadFull(got, a)
		m, wantErr := io.ReadFull(want, b)
		if n != m || !bytes.Equal(a[:n], b[:m]) || !errors.Is(err, wantErr) {
			t.Fatalf("the content differs within %d bytes after byte %d: %d and %d, %v and %v", len(a), at, n, m, err, wantErr)
		}
		if err != nil {
			return
		}
		at += n
	}
}

// eachStoreAlone is eachStore, one after the other.
func eachStoreAlone(t *testing.T, fn func(t *testing.T, s blob.Store)) {
	t.Helper()
	t.Run("directory", func(t *testing.T) { fn(t, openDirectory(t, t.TempDir())) })
	t.Run("s3", func(t *testing.T) { fn(t, openS3(t, s3server.Start(t))) })
}

func TestReady(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s blob.Store) {
		if err := s.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		if got := listed(t, s, ""); len(got) != 0 {
			t.Errorf("it left %v", got)
		}
	})
}

func FuzzCheckKey(f *testing.F) {
	for _, key := range append(hostileKeys, "logs/a/b", "artifacts/0199a000-0000-7000-8000-000000000001/x.tar.gz", "a", "a/b_c/d-e") {
		f.Add(key)
	}
	root := f.TempDir()
	d, err := blob.OpenDirectory(root)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, key string) {
		err := blob.CheckKey(key)
		if strings.Contains("/"+key+"/", "/../") || strings.HasPrefix(key, "/") || strings.Contains(key, "/.") || strings.ContainsAny(key, "\x00\\,: ") {
			wantError(t, fmt.Sprintf("%q", key), err, blob.ErrKey)
		}
		_, statErr := d.Stat(t.Context(), key)
		if err == nil {
			wantError(t, fmt.Sprintf("%q", key), statErr, blob.ErrNotFound)
		} else {
			wantError(t, fmt.Sprintf("%q", key), statErr, blob.ErrKey)
		}
	})
}
