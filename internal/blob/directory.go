package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Directory is a Store of files: the object logs/a/b is the file logs/a/b of the directory. Only their owner may read
// them. Several processes may share it.
type Directory struct {
	root   string
	synced sync.Map // folders that are known to last through a power failure
}

var _ Store = (*Directory)(nil)

// Folders of the directory that no key begins with. What is written gets its own name once it is complete.
const (
	temporaryFolder = ".temporary"
	uploadsFolder   = ".uploads"
)

// lockInterval is how often it is tried to get a lock that another has.
const lockInterval = 10 * time.Millisecond

// HasDirectory reports whether there is a directory that was opened as one before.
func HasDirectory(root string) bool {
	info, err := os.Stat(filepath.Join(root, temporaryFolder))
	return err == nil && info.IsDir()
}

// OpenDirectory opens a directory, makes it if it is missing, and removes what processes that were killed have left
// unfinished.
func OpenDirectory(root string) (*Directory, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	d := &Directory{root: root}
	for _, folder := range []string{temporaryFolder, uploadsFolder} {
		if err := d.makeFolder(folder); err != nil {
			return nil, err
		}
	}
	if err := syncDir(filepath.Dir(root)); err != nil && !errors.Is(err, fs.ErrPermission) { // it may be another's
		return nil, err
	}
	return d, d.sweep()
}

// Put stores content in a file.
func (d *Directory) Put(ctx context.Context, key string, content io.Reader, size int64) (int64, error) {
	if err := CheckKey(key); err != nil {
		return 0, err
	}
	from, err := openSource(ctx, content, size)
	if err != nil {
		return 0, err
	}
	f, err := d.createTemporary()
	if err != nil {
		return 0, fmt.Errorf("store %s: %w", key, err)
	}
	defer f.discard()
	if _, err := io.Copy(f, from); err != nil {
		return 0, fmt.Errorf("store %s: %w", key, from.close(err))
	}
	if err := d.place(f, key); err != nil {
		return 0, fmt.Errorf("store %s: %w", key, err)
	}
	return from.read, nil
}

// Get opens a file.
func (d *Directory) Get(_ context.Context, key string, offset, length int64) (*Content, error) {
	if err := CheckKey(key); err != nil {
		return nil, err
	}
	f, info, err := openRegular(d.path(key))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, d.orNotFound(err))
	}
	length, err = boundRange(offset, length, info.Size())
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return &Content{ReadCloser: &fileRange{io.LimitedReader{R: f, N: length}, f}, Length: length, Size: info.Size()}, nil
}

// fileRange reads some of a file.
type fileRange struct {
	io.LimitedReader
	io.Closer
}

// WriteTo hands the bare file to connections, which know what to do with one.
func (r *fileRange) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, &r.LimitedReader) }

// boundRange returns how many bytes of an object a range has.
func boundRange(offset, length, size int64) (int64, error) {
	if offset < 0 || length < -1 {
		return 0, fmt.Errorf("%w: there is no range of %d bytes from %d on", ErrRange, length, offset)
	}
	if offset > size {
		return 0, fmt.Errorf("%w: it has %d bytes, which are to be read from %d on", ErrRange, size, offset)
	}
	if length < 0 {
		return size - offset, nil
	}
	return min(length, size-offset), nil
}

// Stat describes a file.
func (d *Directory) Stat(_ context.Context, key string) (Info, error) {
	if err := CheckKey(key); err != nil {
		return Info{}, err
	}
	info, err := os.Lstat(d.path(key))
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Info{}, fmt.Errorf("look at %s: %w", key, d.orNotFound(err))
	}
	return Info{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil
}

// Delete removes a file. Folders stay, since others may be about to use them.
func (d *Directory) Delete(ctx context.Context, key string) error {
	if _, err := d.Stat(ctx, key); errors.Is(err, ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	name := d.path(key)
	if err := os.Remove(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	if err := syncDir(filepath.Dir(name)); err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// List lists files.
func (d *Directory) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		prefix, err := checkPrefix(prefix)
		if err != nil {
			yield(Info{}, err)
			return
		}
		d.list(ctx, prefix, yield)
	}
}

// list lists the files below a prefix. It reads names in portions: a folder may have very many.
func (d *Directory) list(ctx context.Context, prefix string, yield func(Info, error) bool) bool {
	folder, err := os.Open(d.path(prefix))
	if err != nil {
		if err = d.orNotFound(err); !errors.Is(err, ErrNotFound) {
			yield(Info{}, fmt.Errorf("list %s: %w", prefix, err))
			return false
		}
		return true
	}
	defer func() { _ = folder.Close() }()
	for {
		entries, err := folder.ReadDir(256)
		for _, entry := range entries {
			if err := ctx.Err(); err != nil {
				yield(Info{}, err)
				return false
			}
			if !d.listEntry(ctx, prefix, entry, yield) {
				return false
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ENOTDIR):
			return true
		case err != nil:
			yield(Info{}, fmt.Errorf("list %s: %w", prefix, err))
			return false
		}
	}
}

func (d *Directory) listEntry(ctx context.Context, prefix string, entry fs.DirEntry,
	yield func(Info, error) bool) bool {
	key := prefix + entry.Name()
	if CheckKey(key) != nil {
		return true // it is not ours
	}
	if entry.IsDir() {
		return d.list(ctx, key+"/", yield)
	}
	info, err := entry.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was just deleted
		return true
	case err != nil:
		yield(Info{}, fmt.Errorf("list %s: %w", prefix, err))
		return false
	case !info.Mode().IsRegular():
		return true
	}
	return yield(Info{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil)
}

// Ready returns why no file can be written.
func (d *Directory) Ready(context.Context) error {
	f, err := d.createTemporary()
	if err != nil {
		return err
	}
	defer f.discard()
	_, err = f.Write(make([]byte, 4<<10))
	return err
}

// path returns the name of the file, or of the folder, with that key.
func (d *Directory) path(key string) string { return filepath.Join(d.root, filepath.FromSlash(key)) }

// temporary is a file that is being written.
type temporary struct {
	*os.File
	renamed bool
}

// createTemporary creates a file that is to get its own name when it is complete. It is locked, so that it is not taken
// for a leftover.
func (d *Directory) createTemporary() (*temporary, error) {
	for {
		f, err := os.CreateTemp(d.path(temporaryFolder), "")
		if err != nil {
			return nil, err
		}
		t := &temporary{File: f}
		locked, err := tryLock(f)
		if err == nil && locked && isNamed(f) {
			return t, nil
		}
		t.discard()
		if err != nil {
			return nil, err
		}
		// Another process that was just opening the directory took it for a leftover.
	}
}

// discard closes a file, and removes it unless it has got its own name.
func (t *temporary) discard() {
	if !t.renamed {
		_ = os.Remove(t.Name())
	}
	_ = t.Close()
}

// rename moves a file, which is complete, to its own name. The caller makes the folder last.
func (t *temporary) rename(name string) error {
	err := os.Rename(t.Name(), name)
	t.renamed = err == nil
	return err
}

// place makes an object of a file that is complete. Both its content and its name last through a power failure.
func (d *Directory) place(f *temporary, key string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	folder := path.Dir(key)
	if err := d.makeFolder(folder); err != nil {
		return err
	}
	if err := f.rename(d.path(key)); err != nil {
		return err
	}
	return syncDir(d.path(folder))
}

// makeFolder makes a folder, and those above it, unless they are there.
func (d *Directory) makeFolder(folder string) error {
	if folder == "." {
		return nil
	}
	above := path.Dir(folder)
	if err := d.makeFolder(above); err != nil {
		return err
	}
	err := os.Mkdir(d.path(folder), 0o700)
	exists := errors.Is(err, fs.ErrExist)
	if err != nil && !exists {
		return err
	}
	// One that is there may have been made a moment ago, by somebody who has not yet come this far.
	if _, known := d.synced.Load(folder); known && exists {
		return nil
	}
	if err := syncDir(d.path(above)); err != nil {
		return err
	}
	d.synced.Store(folder, true)
	return nil
}

// sweep removes temporary files that nobody has locked, and uploads that are being removed.
func (d *Directory) sweep() error {
	left, err := os.ReadDir(d.path(temporaryFolder))
	if err != nil {
		return err
	}
	for _, entry := range left {
		name := filepath.Join(d.path(temporaryFolder), entry.Name())
		if entry.IsDir() {
			if err := os.RemoveAll(name); err != nil {
				return err
			}
			continue
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		locked, err := tryLock(f)
		if err == nil && locked && isNamed(f) { // it may have got its own name meanwhile, and another this one
			err = os.Remove(name)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// tryLock locks a file or a folder against other processes, and other openings of it in this one, and reports whether
// it could.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// lock locks a file or a folder once nobody else has it locked.
func lock(ctx context.Context, f *os.File) error {
	for {
		if locked, err := tryLock(f); err != nil || locked {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockInterval):
		}
	}
}

// isNamed reports whether an open file, or folder, still has the name that it was opened by.
func isNamed(f *os.File) bool {
	named, err := os.Lstat(f.Name())
	if err != nil {
		return false
	}
	is, err := f.Stat()
	return err == nil && os.SameFile(named, is)
}

// openRegular opens a regular file. A link that somebody put there is none.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, syscall.ELOOP) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// orNotFound returns ErrNotFound if that is what an error means. It is not if the whole directory is gone, such as a
// disk that is not mounted.
func (d *Directory) orNotFound(err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return err
	}
	if _, err := os.Stat(d.path(temporaryFolder)); err != nil {
		return err
	}
	return ErrNotFound
}

// syncDir makes new names in a folder last through a power failure.
func syncDir(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
