package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/backup"
	"penstock/internal/blob"
	"penstock/internal/db"
	"penstock/internal/testkit"
	"penstock/internal/testkit/s3server"
)

func openDirectory(t testing.TB, root string) *blob.Directory {
	t.Helper()
	d, err := blob.OpenDirectory(root)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func openBucket(t testing.TB, server *s3server.Server, bucket string) *blob.S3 {
	t.Helper()
	server.MakeBucket(t, bucket)
	s, err := blob.OpenS3(blob.S3Options{Endpoint: server.Endpoint, Region: s3server.Region, Bucket: bucket,
		AccessKeyID: s3server.AccessKeyID, SecretKey: s3server.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sampleBlobs are objects, some of which look like lines of a backup.
func sampleBlobs(t testing.TB) map[string]string {
	t.Helper()
	large := make([]byte, 3<<20+17)
	if _, err := rand.NewChaCha8([32]byte{1}).Read(large); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"logs/o1/empty":      "",
		"logs/o1/hello":      "hello\nworld\n",
		"logs/o1/no-end":     "no line feed",
		"logs/o2/feed":       "\n",
		"logs/o2/like-blob":  `{"blob":"logs/o1/hello","size":5}` + "\nother\n" + `{"blobs":{"objects":0,"bytes":0},"sha256":""}` + "\n",
		"artifacts/o1/large": string(large),
	}
}

func putBlobs(t testing.TB, s blob.Store, objects map[string]string) {
	t.Helper()
	for key, content := range objects {
		if _, err := s.Put(t.Context(), key, strings.NewReader(content), int64(len(content))); err != nil {
			t.Fatal(err)
		}
	}
}

func storedBlobs(t testing.TB, s blob.Store) map[string]string {
	t.Helper()
	objects := map[string]string{}
	for info, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		content, err := s.Get(t.Context(), info.Key, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			t.Fatal(err)
		}
		objects[info.Key] = string(all)
	}
	return objects
}

func backUpWithBlobs(t testing.TB, d *db.DB, s blob.Store) ([]byte, backup.Summary) {
	t.Helper()
	var file bytes.Buffer
	done := 0
	summary, err := backup.WriteWithBlobs(t.Context(), d, s, &file, func() error { done++; return nil })
	if err != nil || done != 1 {
		t.Fatalf("%v; the database was done %d times", err, done)
	}
	return file.Bytes(), summary
}

// restoreTo restores a backup to a database and a store.
func restoreTo(t testing.TB, d *db.DB, s blob.Store, file []byte, replace bool) (backup.Summary, error) {
	t.Helper()
	return backup.RestoreWithBlobs(t.Context(), d, opener(file), func() (blob.Store, error) { return s, nil }, replace)
}

func TestLogsAndArtifactsAreBackedUpAndComeBack(t *testing.T) {
	t.Parallel()
	server := s3server.Start(t)
	bucket := openBucket(t, server, "source")
	directory := openDirectory(t, t.TempDir())
	for _, c := range []struct {
		name, engine string
		from, to     blob.Store
	}{
		{"from a directory to a bucket", "sqlite", directory, openBucket(t, server, "target")},
		{"from a bucket to a directory", "sqlite", bucket, openDirectory(t, t.TempDir())},
		{"on PostgreSQL", "postgres", openDirectory(t, t.TempDir()), openDirectory(t, t.TempDir())},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects := sampleBlobs(t)
			source, target := testkit.OpenDB(t, c.engine), testkit.OpenDB(t, c.engine)
			fill(t, source)
			putBlobs(t, c.from, objects)
			if upload, err := c.from.BeginUpload(t.Context(), "artifacts/o1/begun"); err != nil {
				t.Fatal(err)
			} else if _, err := c.from.PutPart(t.Context(), "artifacts/o1/begun", upload, 1, strings.NewReader("x"), 1); err != nil {
				t.Fatal(err)
			}
			file, taken := backUpWithBlobs(t, source, c.from)
			var size int64
			for _, content := range objects {
				size += int64(len(content))
			}
			want := backup.BlobSummary{Objects: int64(len(objects)), Bytes: size}
			if taken.Blobs == nil || *taken.Blobs != want {
				t.Errorf("the backup says %+v; want %+v", taken.Blobs, want)
			}
			header, _, _ := strings.Cut(unzip(t, file), "\n")
			if !strings.Contains(header, `"version":2`) || !strings.Contains(header, `"blobs":"included"`) {
				t.Errorf("the header says %s", header)
			}
			// What is there and not in the backup stays.
			putBlobs(t, c.to, map[string]string{"logs/o9/other": "stays", "logs/o1/hello": "replaced"})
			objects["logs/o9/other"] = "stays"
			restored, err := restoreTo(t, target, c.to, file, true)
			if err != nil {
				t.Fatal(err)
			}
			if restored.Blobs == nil || *restored.Blobs != want || !maps.Equal(restored.Rows, taken.Rows) {
				t.Errorf("restored %+v; want %+v", restored, taken)
			}
			if got := storedBlobs(t, c.to); !maps.Equal(got, objects) {
				t.Errorf("there are %d objects; want %d, the same", len(got), len(objects))
			}
			if content(t, target) != content(t, source) {
				t.Error("the database holds something else")
			}
		})
	}
}

func TestABackupSaysThatBlobsAreNotIncluded(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	file, taken := takeBackup(t, d)
	header, _, _ := strings.Cut(unzip(t, file), "\n")
	// It is of the first version: older binaries can restore it.
	if taken.Blobs != nil || !strings.Contains(header, `"version":1`) || !strings.Contains(header, `"blobs":"not included"`) {
		t.Errorf("%+v, %s", taken, header)
	}
	restored, err := backup.RestoreWithBlobs(t.Context(), d, opener(file), func() (blob.Store, error) { return nil, errors.New("it was opened") }, true)
	if err != nil || restored.Blobs != nil {
		t.Errorf("%+v, %v", restored, err)
	}
}

func TestABackupWithBlobsNeedsAPlaceForThem(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	fill(t, d)
	file, _ := backUpWithBlobs(t, d, openDirectory(t, t.TempDir()))
	before := content(t, d)
	if _, err := backup.Restore(t.Context(), d, opener(file), true); !errors.Is(err, backup.ErrNoPlace) {
		t.Error(err)
	}
	if content(t, d) != before {
		t.Error("the database was changed")
	}
}

// No prefix of a backup passes, and no changed bit unless what it holds is the same; nothing is stored of a bad one.
func TestRestoreSeesTruncationsAndChangesAmongBlobs(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	source := openDirectory(t, t.TempDir())
	objects := sampleBlobs(t)
	objects["artifacts/o1/large"] = objects["artifacts/o1/large"][:3000]
	putBlobs(t, source, objects)
	good, _ := backUpWithBlobs(t, d, source)
	bare, _ := takeBackup(t, d)
	for n := len(bare) - 200; n < len(good); n += 7 {
		target := openDirectory(t, t.TempDir())
		if _, err := restoreTo(t, d, target, good[:n], true); !errors.Is(err, backup.ErrBadFile) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(good), err)
		}
		changed := bytes.Clone(good)
		changed[n] ^= 1 << (n % 8)
		_, err := restoreTo(t, d, target, changed, true)
		switch {
		case err == nil && unzip(t, changed) != unzip(t, good):
			t.Fatalf("byte %d changed: not seen", n)
		case err != nil && !errors.Is(err, backup.ErrBadFile):
			t.Fatalf("byte %d changed: %v", n, err)
		case err != nil && len(storedBlobs(t, target)) > 0:
			t.Fatalf("byte %d changed: something was stored", n)
		}
	}
}

// resealBlobs makes a backup of a text whose logs and artifacts were changed.
func resealBlobs(t *testing.T, file []byte, old, new string) []byte {
	t.Helper()
	text := unzip(t, file)
	if !strings.Contains(text, old) {
		t.Fatalf("the backup has no %s", old)
	}
	text = strings.Replace(text, old, new, 1)
	at := strings.LastIndex(text, `,"sha256":"`)
	start := strings.LastIndexByte(text[:at], '\n') + 1
	sum := sha256.Sum256([]byte(text[:start]))
	return zip(t, text[:at]+`,"sha256":"`+hex.EncodeToString(sum[:])+"\"}\n")
}

func TestBadBlobsOfABackupAreRefused(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	source := openDirectory(t, t.TempDir())
	putBlobs(t, source, map[string]string{"logs/o1/hello": "hello"})
	good, _ := backUpWithBlobs(t, d, source)
	if _, err := restoreTo(t, d, openDirectory(t, t.TempDir()), resealBlobs(t, good, "hello\n", "world\n"), true); err != nil {
		t.Fatalf("what was sealed again is not taken: %v", err)
	}
	root := filepath.Join(t.TempDir(), "blobs")
	target := openDirectory(t, root)
	for _, c := range []struct{ old, new, want string }{
		{`"logs/o1/hello"`, `"../../hello"`, "not a key"},
		{`"logs/o1/hello"`, `"/etc/passwd"`, "not a key"},
		{`"size":5`, `"size":-5`, "-5 bytes"},
		{`"size":5`, `"size":4`, "more than 4 bytes"},
		{`"size":5`, `"size":6`, ""},
		{`"size":5`, `"size":9223372036854775807`, "truncated"},
		{`"size":5`, `"size":5,"mode":511`, "mode"},
		{`"objects":1`, `"objects":2`, "counts"},
		{`"bytes":5`, `"bytes":4`, "counts"},
		{`"version":2`, `"version":3`, "version 3"},
		{`"version":2`, `"version":1`, ""},
		{"hello\n", "hello\n\n", ""},
	} {
		_, err := restoreTo(t, d, target, resealBlobs(t, good, c.old, c.new), true)
		if !errors.Is(err, backup.ErrBadFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.new, err, c.want)
		}
	}
	if left := storedBlobs(t, target); len(left) > 0 {
		t.Errorf("stored %v", left)
	}
	if beside, err := os.ReadDir(filepath.Dir(root)); err != nil || len(beside) != 1 {
		t.Errorf("beside the directory there is %v, %v", beside, err)
	}
}

func TestBlobsAreNotStoredForADatabaseThatIsNotEmpty(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		source, target := openDirectory(t, t.TempDir()), openDirectory(t, t.TempDir())
		putBlobs(t, source, map[string]string{"logs/o1/hello": "hello"})
		fill(t, d)
		file, _ := backUpWithBlobs(t, d, source)
		if _, err := restoreTo(t, d, target, file, false); !errors.Is(err, backup.ErrNotEmpty) {
			t.Error(err)
		}
		if left := storedBlobs(t, target); len(left) > 0 {
			t.Errorf("stored %v", left)
		}
	})
}

func TestTheDatabaseIsUntouchedIfBlobsCannotBeStored(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	source := openDirectory(t, t.TempDir())
	putBlobs(t, source, map[string]string{"logs/o1/hello": "hello"})
	file, _ := backUpWithBlobs(t, d, source)
	fill(t, d)
	before := content(t, d)
	root := t.TempDir()
	target := openDirectory(t, root)
	if err := os.RemoveAll(filepath.Join(root, ".temporary")); err != nil {
		t.Fatal(err)
	}
	if _, err := restoreTo(t, d, target, file, true); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if content(t, d) != before {
		t.Error("the database was changed")
	}
}

// vanishing is a store in which somebody deletes each second object before it is read.
type vanishing struct {
	*blob.Directory
	reads int
}

func (v *vanishing) Get(ctx context.Context, key string, offset, length int64) (*blob.Content, error) {
	if v.reads++; v.reads%2 == 0 {
		if err := v.Delete(ctx, key); err != nil {
			return nil, err
		}
	}
	return v.Directory.Get(ctx, key, offset, length)
}

func TestObjectsThatAreDeletedDuringABackupAreLeftOut(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	source, target := openDirectory(t, t.TempDir()), openDirectory(t, t.TempDir())
	putBlobs(t, source, sampleBlobs(t))
	file, taken := backUpWithBlobs(t, d, &vanishing{Directory: source})
	if taken.Blobs.Objects != 3 {
		t.Errorf("%+v", taken.Blobs)
	}
	if _, err := restoreTo(t, d, target, file, true); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(storedBlobs(t, target), storedBlobs(t, source)) {
		t.Error("other objects came back")
	}
}

func TestABackupOfBlobsThatCannotBeReadFails(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	root := filepath.Join(t.TempDir(), "blobs")
	source := openDirectory(t, root)
	putBlobs(t, source, sampleBlobs(t))
	failure := errors.New("the reader is gone")
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		ctx       context.Context
		meanwhile func() error
		want      error
	}{
		{t.Context(), func() error { return failure }, failure},
		{ctx, func() error { cancel(); return nil }, context.Canceled},
		{t.Context(), func() error { return os.Rename(root, root+"-away") }, os.ErrNotExist},
	} {
		if _, err := backup.WriteWithBlobs(c.ctx, d, source, io.Discard, c.meanwhile); !errors.Is(err, c.want) {
			t.Errorf("%v; want %v", err, c.want)
		}
	}
}
