package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// An upload is a folder, .uploads/artifacts,a,b,<id> for the object artifacts/a/b. A part of it is a file
// <number>-<SHA-256>. Who changes the folder has it locked.

// BeginUpload makes a folder.
func (d *Directory) BeginUpload(_ context.Context, key string) (upload string, err error) {
	if err := CheckKey(key); err != nil {
		return "", err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	name := d.uploadPath(key, id)
	if err := os.Mkdir(name, 0o700); err != nil {
		return "", fmt.Errorf("begin to upload %s: %w", key, err)
	}
	if err := syncDir(filepath.Dir(name)); err != nil {
		return "", fmt.Errorf("begin to upload %s: %w", key, err)
	}
	return id.String(), nil
}

func (d *Directory) uploadPath(key string, id uuid.UUID) string {
	return filepath.Join(d.path(uploadsFolder), strings.ReplaceAll(key, "/", ",")+","+id.String())
}

// parseUpload is the opposite of uploadPath: it reads the name of a folder.
func parseUpload(name string) (u Upload, ok bool) {
	at := strings.LastIndexByte(name, ',')
	if at < 0 {
		return Upload{}, false
	}
	id, err := uuid.Parse(name[at+1:])
	u = Upload{Key: strings.ReplaceAll(name[:at], ",", "/"), ID: id.String(),
		Started: time.Unix(id.Time().UnixTime()).UTC()}
	return u, err == nil && id.Version() == 7 && CheckKey(u.Key) == nil
}

// withUpload runs fn with the folder of an upload, locked.
func (d *Directory) withUpload(ctx context.Context, key, upload string, fn func(folder string) error) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	id, err := uuid.Parse(upload)
	if err != nil {
		return ErrUploadNotFound
	}
	folder, err := os.Open(d.uploadPath(key, id))
	if err != nil {
		return d.orUploadNotFound(err)
	}
	defer func() { _ = folder.Close() }() // which unlocks it
	if err := lock(ctx, folder); err != nil {
		return err
	}
	if !isNamed(folder) { // it ended while we waited
		return d.orUploadNotFound(fs.ErrNotExist)
	}
	return fn(folder.Name())
}

func (d *Directory) orUploadNotFound(err error) error {
	if err = d.orNotFound(err); errors.Is(err, ErrNotFound) {
		return ErrUploadNotFound
	}
	return err
}

// PutPart stores a part in a file.
func (d *Directory) PutPart(ctx context.Context, key, upload string, number int, content io.Reader,
	size int64) (tag string, err error) {
	if err := checkPart(number, size); err != nil {
		return "", err
	}
	// Before anything is read.
	if err := d.withUpload(ctx, key, upload, func(string) error { return nil }); err != nil {
		return "", fmt.Errorf("store part %d of %s: %w", number, key, err)
	}
	from, err := openSource(ctx, content, size)
	if err != nil {
		return "", err
	}
	f, err := d.createTemporary()
	if err != nil {
		return "", fmt.Errorf("store part %d of %s: %w", number, key, err)
	}
	defer f.discard()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, sum), from); err != nil {
		return "", fmt.Errorf("store part %d of %s: %w", number, key, from.close(err))
	}
	tag = hex.EncodeToString(sum.Sum(nil))
	err = f.Sync()
	if err == nil {
		err = d.withUpload(ctx, key, upload, func(folder string) error { return placePart(f, folder, number, tag) })
	}
	if err != nil {
		return "", fmt.Errorf("store part %d of %s: %w", number, key, err)
	}
	return tag, nil
}

// placePart puts a file, which is complete, in the place of the part that has its number.
func placePart(f *temporary, folder string, number int, tag string) error {
	name := partName(number, tag)
	if err := f.rename(filepath.Join(folder, name)); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if other, _, ok := parsePart(entry.Name()); ok && other == number && entry.Name() != name {
			if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return syncDir(folder)
}

func partName(number int, tag string) string { return fmt.Sprintf("%05d-%s", number, tag) }

func parsePart(name string) (number int, tag string, ok bool) {
	digits, tag, ok := strings.Cut(name, "-")
	number, err := strconv.Atoi(digits)
	return number, tag, ok && err == nil
}

// CompleteUpload copies the parts into one file.
func (d *Directory) CompleteUpload(ctx context.Context, key, upload string, parts []Part) (size int64, err error) {
	sorted, err := sortParts(parts)
	if err == nil {
		err = d.withUpload(ctx, key, upload, func(folder string) error {
			if err := checkParts(folder, sorted); err != nil {
				return err
			}
			if size, err = d.assemble(ctx, key, folder, sorted); err != nil {
				return err
			}
			return d.removeUpload(folder)
		})
	}
	if err != nil {
		return 0, fmt.Errorf("complete the upload of %s: %w", key, err)
	}
	return size, nil
}

// checkParts returns ErrPart unless the parts are in the folder and none but the last is too small.
func checkParts(folder string, parts []Part) error {
	for i, part := range parts {
		if strings.ContainsFunc(part.Tag, isForeign) {
			return fmt.Errorf("%w: part %d has another tag than %q", ErrPart, part.Number, part.Tag)
		}
		info, err := os.Lstat(filepath.Join(folder, partName(part.Number, part.Tag)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: part %d is missing, or has another tag than %q", ErrPart, part.Number, part.Tag)
		case err != nil:
			return err
		case i < len(parts)-1 && info.Size() < MinPartSize:
			return fmt.Errorf("%w: part %d has %d bytes; all but the last must have %d", ErrPart, part.Number, info.Size(),
				MinPartSize)
		}
	}
	return nil
}

// assemble makes an object of parts. File systems that can share blocks between files do not copy them.
func (d *Directory) assemble(ctx context.Context, key, folder string, parts []Part) (size int64, err error) {
	f, err := d.createTemporary()
	if err != nil {
		return 0, err
	}
	defer f.discard()
	for _, part := range parts {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		from, _, err := openRegular(filepath.Join(folder, partName(part.Number, part.Tag)))
		if err != nil {
			return 0, err
		}
		n, err := io.Copy(f.File, from)
		size += n
		if err := errors.Join(err, from.Close()); err != nil {
			return 0, err
		}
	}
	return size, d.place(f, key)
}

// removeUpload removes an upload at once: whoever asks finds all of it, or nothing.
func (d *Directory) removeUpload(folder string) error {
	trash := filepath.Join(d.path(temporaryFolder), filepath.Base(folder))
	if err := os.Rename(folder, trash); err != nil {
		return err
	}
	if err := syncDir(d.path(uploadsFolder)); err != nil {
		return err
	}
	_ = os.RemoveAll(trash) // what is left is swept when the directory is opened
	return nil
}

// AbortUpload removes the folder.
func (d *Directory) AbortUpload(ctx context.Context, key, upload string) error {
	err := d.withUpload(ctx, key, upload, d.removeUpload)
	if err != nil && !errors.Is(err, ErrUploadNotFound) {
		return fmt.Errorf("abort the upload of %s: %w", key, err)
	}
	return nil
}

// ListUploads lists the folders.
func (d *Directory) ListUploads(ctx context.Context, prefix string) iter.Seq2[Upload, error] {
	return func(yield func(Upload, error) bool) {
		prefix, err := checkPrefix(prefix)
		if err != nil {
			yield(Upload{}, err)
			return
		}
		entries, err := os.ReadDir(d.path(uploadsFolder))
		if err != nil {
			yield(Upload{}, fmt.Errorf("list uploads: %w", err))
			return
		}
		for _, entry := range entries {
			u, ok := parseUpload(entry.Name())
			if !ok || !strings.HasPrefix(u.Key, prefix) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(Upload{}, err)
				return
			}
			if !yield(u, nil) {
				return
			}
		}
	}
}
