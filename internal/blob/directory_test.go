package blob_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"penstock/internal/blob"
)

// Variables that make the test's binary another process that uses a directory.
const (
	childTask      = "PENSTOCK_TEST_BLOB_TASK"
	childDirectory = "PENSTOCK_TEST_BLOB_DIRECTORY"
)

var background = context.Background()

func TestMain(m *testing.M) {
	switch os.Getenv(childTask) {
	case "":
		os.Exit(m.Run())
	case "stall":
		stall(os.Getenv(childDirectory))
	case "no room":
		storeWithoutRoom(os.Getenv(childDirectory))
	}
}

// child returns the command that runs the test's binary with a task.
func child(t *testing.T, task, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childTask+"="+task, childDirectory+"="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

// filesOf returns the names of all files and folders below a directory, with their modes.
func filesOf(t *testing.T, root string) map[string]fs.FileMode {
	t.Helper()
	all := map[string]fs.FileMode{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		below, relErr := filepath.Rel(root, name)
		all[below] = info.Mode()
		return errors.Join(err, relErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFilesAreTheirOwners(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "new", "blobs")
	d := openDirectory(t, root)
	mustPut(t, d, "logs/acme/job", []byte("hello"))
	putPart(t, d, begin(t, d, uploadKey), 1, []byte("part"))
	names := filesOf(t, root)
	for name, mode := range names {
		want := fs.FileMode(0o600)
		if mode.IsDir() {
			want = 0o700
		}
		if mode.Perm() != want {
			t.Errorf("%s has mode %v; want %v", name, mode, want)
		}
	}
	for _, name := range []string{".", "logs", "logs/acme", "logs/acme/job"} {
		if _, ok := names[name]; !ok {
			t.Errorf("there is no %s in %v", name, names)
		}
	}
}

// wantNoTemporaryFiles checks that nothing was left.
func wantNoTemporaryFiles(t *testing.T, root string) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(root, ".temporary")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v: it should be empty", left, err)
	}
}

// stall stores an object, a part and a whole upload, none of which ever ends, and says so.
func stall(dir string) {
	d, err := blob.OpenDirectory(dir)
	if err != nil {
		panic(err)
	}
	stalled := func() io.Reader {
		return io.MultiReader(bytes.NewReader(make([]byte, 100_000)), readerFunc(func([]byte) (int, error) {
			fmt.Println("stalled")
			select {}
		}))
	}
	go func() { _, _ = d.Put(background, "logs/acme/job", stalled(), -1) }()
	_, _ = d.PutPart(background, uploadKey, os.Getenv("PENSTOCK_TEST_BLOB_UPLOAD"), 2, stalled(), 1<<20)
}

// TestLeftoversOfAKilledProcess kills a process while it stores.
func TestLeftoversOfAKilledProcess(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := openDirectory(t, root)
	mustPut(t, d, "logs/acme/job", []byte("before"))
	upload := begin(t, d, uploadKey)
	part := putPart(t, d, upload, 1, []byte("part"))

	cmd := child(t, "stall", root)
	cmd.Env = append(cmd.Env, "PENSTOCK_TEST_BLOB_UPLOAD="+upload)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range 2 {
		if !lines.Scan() {
			t.Fatal("the process ended", lines.Err())
		}
	}
	temporary := func() int {
		left, err := os.ReadDir(filepath.Join(root, ".temporary"))
		if err != nil {
			t.Fatal(err)
		}
		return len(left)
	}
	// While it lives, its files are not leftovers.
	openDirectory(t, root)
	if n := temporary(); n != 2 {
		t.Errorf("a living process has %d temporary files; want 2", n)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if n := temporary(); n != 2 {
		t.Errorf("a killed process left %d temporary files; want 2", n)
	}
	d = openDirectory(t, root)
	wantNoTemporaryFiles(t, root)
	wantObject(t, d, "logs/acme/job", []byte("before"))
	if _, err := d.CompleteUpload(t.Context(), uploadKey, upload, []blob.Part{part}); err != nil {
		t.Fatal(err)
	}
	wantObject(t, d, uploadKey, []byte("part"))
}

// TestRemovalThatWasInterrupted opens a directory in which the parts of an upload were being removed.
func TestRemovalThatWasInterrupted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := openDirectory(t, root)
	putPart(t, d, begin(t, d, uploadKey), 1, []byte("part"))
	uploads, err := filepath.Glob(filepath.Join(root, ".uploads", "*"))
	if err != nil || len(uploads) != 1 {
		t.Fatal(uploads, err)
	}
	if err := os.Rename(uploads[0], filepath.Join(root, ".temporary", filepath.Base(uploads[0]))); err != nil {
		t.Fatal(err)
	}
	openDirectory(t, root)
	wantNoTemporaryFiles(t, root)
}

// storeWithoutRoom stores more than files may have, and says what it is told.
func storeWithoutRoom(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	d, err := blob.OpenDirectory(dir)
	if err != nil {
		panic(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
		panic(err)
	}
	_, err = d.Put(background, "logs/acme/job", bytes.NewReader(make([]byte, 2<<20)), -1)
	fmt.Println(errors.Is(err, syscall.EFBIG), err)
	upload, err := d.BeginUpload(background, uploadKey)
	if err != nil {
		panic(err)
	}
	_, err = d.PutPart(background, uploadKey, upload, 1, bytes.NewReader(make([]byte, 2<<20)), 2<<20)
	fmt.Println(errors.Is(err, syscall.EFBIG), err)
}

// TestNoRoom has the storage's own error returned, nothing stored and nothing left.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := openDirectory(t, root)
	mustPut(t, d, "logs/acme/job", []byte("before"))
	out, err := child(t, "no room", root).Output()
	if err != nil || strings.Count(string(out), "true ") != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	wantNoTemporaryFiles(t, root)
	wantObject(t, d, "logs/acme/job", []byte("before"))
}

// TestDirectoryThatIsAway has a missing disk not taken for an empty store.
func TestDirectoryThatIsAway(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "blobs")
	d := openDirectory(t, root)
	mustPut(t, d, "logs/acme/job", []byte("hello"))
	upload := begin(t, d, uploadKey)
	if err := os.Rename(root, root+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(root, 0o700); err != nil { // a disk's mount point
		t.Fatal(err)
	}
	wantStorageError := func(what string, err error) {
		t.Helper()
		if err == nil || !errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrUploadNotFound) {
			t.Errorf("%s: %v; want that a file is missing", what, err)
		}
	}
	_, err := d.Stat(t.Context(), "logs/acme/job")
	wantStorageError("stat", err)
	_, err = d.Get(t.Context(), "logs/acme/job", 0, -1)
	wantStorageError("get", err)
	_, err = d.Put(t.Context(), "logs/acme/job", strings.NewReader("x"), 1)
	wantStorageError("put", err)
	wantStorageError("delete", d.Delete(t.Context(), "logs/acme/job"))
	_, err = d.BeginUpload(t.Context(), uploadKey)
	wantStorageError("begin", err)
	_, err = d.PutPart(t.Context(), uploadKey, upload, 1, strings.NewReader("x"), 1)
	wantStorageError("put a part", err)
	wantStorageError("abort", d.AbortUpload(t.Context(), uploadKey, upload))
	wantStorageError("ready", d.Ready(t.Context()))
	for _, err = range d.List(t.Context(), "logs") {
		wantStorageError("list", err)
	}
	wantStorageError("list", err)
	for _, err = range d.ListUploads(t.Context(), "") {
		wantStorageError("list uploads", err)
	}
	if left := filesOf(t, root); len(left) != 1 {
		t.Errorf("files were made: %v", left)
	}
	if err := errors.Join(os.Remove(root), os.Rename(root+"-away", root)); err != nil {
		t.Fatal(err)
	}
	wantObject(t, d, "logs/acme/job", []byte("hello"))
	mustPut(t, d, "logs/other/job", []byte("hello"))
}

// TestForeignFiles has files that are not ours left alone.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := openDirectory(t, root)
	mustPut(t, d, "logs/acme/job", []byte("hello"))
	for _, name := range []string{"README", "logs/.nfs0001", ".uploads/odd"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "logs", "passwd")); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, d, ""); len(got) != 1 {
		t.Errorf("there is %v", got)
	}
	if got := uploadsBelow(t, d, ""); len(got) != 0 {
		t.Errorf("there is %v", got)
	}
	wantNone(t, d, "logs/passwd")
}

// TestKeyBelowAnother has neither lost.
func TestKeyBelowAnother(t *testing.T) {
	t.Parallel()
	d := openDirectory(t, t.TempDir())
	mustPut(t, d, "logs/acme", []byte("a file"))
	if _, err := d.Put(t.Context(), "logs/acme/job", strings.NewReader("x"), 1); err == nil {
		t.Error("a file has become a folder")
	}
	mustPut(t, d, "logs/other/job", []byte("below"))
	if _, err := d.Put(t.Context(), "logs/other", strings.NewReader("x"), 1); err == nil {
		t.Error("a folder has become a file")
	}
	wantObject(t, d, "logs/acme", []byte("a file"))
	wantObject(t, d, "logs/other/job", []byte("below"))
}

// readFromWriter is a connection's side of io.Copy.
type readFromWriter struct{ from io.Reader }

func (*readFromWriter) Write([]byte) (int, error) { return 0, errors.New("it is copied by hand") }

func (w *readFromWriter) ReadFrom(r io.Reader) (int64, error) {
	w.from = r
	return io.Copy(io.Discard, r)
}

// TestFilesAreCopiedByTheKernel has a connection given a file with how much of it to send, which is what sendfile takes.
func TestFilesAreCopiedByTheKernel(t *testing.T) {
	t.Parallel()
	d := openDirectory(t, t.TempDir())
	mustPut(t, d, "logs/acme/job", []byte("0123456789"))
	content, err := d.Get(t.Context(), "logs/acme/job", 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	var w readFromWriter
	n, err := io.Copy(&w, content)
	limited, ok := w.from.(*io.LimitedReader)
	if err != nil || n != 5 || !ok {
		t.Fatalf("%d bytes, %v, from a %T", n, err, w.from)
	}
	if _, ok := limited.R.(*os.File); !ok {
		t.Errorf("a %T is copied", limited.R)
	}
}
