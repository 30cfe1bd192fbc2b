// Package blob stores streams of bytes under keys: logs of finished jobs, and artifacts. They are files of a directory,
// or objects of an S3-compatible store. It imports only internal/domain of ours.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
)

// Store has objects. A key names one, such as logs/<organization>/<job>: see CheckKey. All methods may be called at
// the same time, for the same key too, by several nodes that share the store.
//
// Besides the errors that a method names, it returns ErrKey for a key that is none, the context's error, and the
// storage's own: the errno of a full disk, or what the S3 store answered.
type Store interface {
	// Put stores content under a key, in the place of what is there, and returns how many bytes it has. size is how many
	// it should have; -1 if that is not known. Content is stored as it is read, never held in memory whole. The object is
	// there, and durable, when Put returns, and not before: readers see the whole of the old one or the whole of the new
	// one, and after an error the old one.
	//
	// Returns ErrSize if content has another size, and a *ContentError if it cannot be read.
	Put(ctx context.Context, key string, content io.Reader, size int64) (int64, error)

	// Get opens length bytes of an object from offset on, fewer if it ends before; a length of -1 is all the rest. An
	// object that is replaced or deleted meanwhile is read as it was, or reading fails.
	//
	// Returns ErrNotFound, and ErrRange if the object ends before offset.
	Get(ctx context.Context, key string, offset, length int64) (*Content, error)

	// Stat describes an object. Returns ErrNotFound.
	Stat(ctx context.Context, key string) (Info, error)

	// Delete deletes an object. That there is none is no error.
	Delete(ctx context.Context, key string) error

	// List lists the objects whose keys are below a prefix, such as logs or logs/<organization>, in no particular order;
	// all, if it is empty. Those that come or go meanwhile may be listed or not. An error is the last item.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]

	// BeginUpload begins the upload of an object in parts, and returns the id of the upload. Nothing is there under the
	// key before CompleteUpload.
	BeginUpload(ctx context.Context, key string) (upload string, err error)

	// PutPart stores a part of an upload, durably, in the place of the one that has its number, from 1 to MaxParts. Parts
	// come in any order, also at the same time. The tag that it returns is what CompleteUpload wants for this content: the
	// value of an ETag header without its quotes.
	//
	// Returns ErrUploadNotFound, ErrPart for an impossible number or size (it must be known), ErrSize, and a
	// *ContentError.
	PutPart(ctx context.Context, key, upload string, number int, content io.Reader, size int64) (tag string, err error)

	// CompleteUpload makes an object of the parts of an upload, by their numbers, in whichever order they are listed, and
	// returns its size. The upload is then gone, and so are parts that were not listed. All parts but the last have
	// MinPartSize or more.
	//
	// Returns ErrUploadNotFound if there is no such upload. It may have been completed by another call, or still be: then
	// Stat knows the object, or will soon. (Some S3 stores remember for a while what they completed, and answer again as
	// they did.) Returns ErrPart if a part is missing, has another tag, is too small or is listed twice; the upload then
	// goes on.
	CompleteUpload(ctx context.Context, key, upload string, parts []Part) (int64, error)

	// AbortUpload removes an upload and its parts. That there is none is no error.
	AbortUpload(ctx context.Context, key, upload string) error

	// ListUploads lists the uploads that were neither completed nor aborted, of keys below a prefix, as List does.
	ListUploads(ctx context.Context, prefix string) iter.Seq2[Upload, error]

	// Ready returns why objects cannot be stored now.
	Ready(ctx context.Context) error
}

// The limits of uploads in parts, which S3 has.
const (
	MaxParts    = 10_000
	MinPartSize = 5 << 20 // bytes, of all parts but the last
	MaxPartSize = 5 << 30 // bytes
)

// Info describes an object.
type Info struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Content is what was asked for of an object, to be read and closed.
type Content struct {
	io.ReadCloser
	Length int64 // how many bytes can be read
	Size   int64 // how many the whole object has
}

// WriteTo copies what can be read to w. The kernel copies a file to a connection by itself.
func (c *Content) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, c.ReadCloser) }

// Upload is the upload of an object in parts.
type Upload struct {
	Key     string
	ID      string
	Started time.Time
}

// Part names a part of an upload, with the tag that PutPart returned, with or without quotes around it.
type Part struct {
	Number int
	Tag    string
}

// What goes wrong; errors.Is finds it in the errors that are returned.
var (
	ErrNotFound       = errors.New("there is no such object")
	ErrUploadNotFound = errors.New("there is no such upload")
	ErrKey            = errors.New("not a key of an object")
	ErrRange          = errors.New("the object ends before that")
	ErrSize           = errors.New("the content has not the size that was announced")
	ErrPart           = errors.New("the parts are not those of the upload")
)

// ContentError means that content could not be read, which is not the storage's fault.
type ContentError struct{ Err error }

func (e *ContentError) Error() string { return "the content cannot be read: " + e.Err.Error() }

// Unwrap returns the error of the content's reader.
func (e *ContentError) Unwrap() error { return e.Err }

// maxKey leaves room for what a directory adds to a key in the name of a file.
const maxKey = 200

// CheckKey returns ErrKey unless a key is segments with slashes between them, each of lower-case letters, digits,
// hyphens, underscores and dots, and none that begins with a dot. A key that others have as their beginning, up to a
// slash, cannot be stored in a directory.
func CheckKey(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("%w: it has %d bytes, more than %d", ErrKey, len(key), maxKey)
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment[0] == '.' || strings.ContainsFunc(segment, isForeign) {
			return fmt.Errorf("%w: %q", ErrKey, key)
		}
	}
	return nil
}

// isForeign reports whether no key has that character. Capitals would make two keys one on some file systems.
func isForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}

// checkPrefix returns what the keys below a prefix begin with: nothing, or something that ends in a slash.
func checkPrefix(prefix string) (string, error) {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return "", nil
	}
	return prefix + "/", CheckKey(prefix)
}

// checkPart returns ErrPart for a number or a size that no part has.
func checkPart(number int, size int64) error {
	switch {
	case number < 1 || number > MaxParts:
		return fmt.Errorf("%w: part %d is not from 1 to %d", ErrPart, number, MaxParts)
	case size < 0:
		return fmt.Errorf("%w: part %d must say how many bytes it has", ErrPart, number)
	case size > MaxPartSize:
		return fmt.Errorf("%w: part %d has %d bytes, more than %d", ErrPart, number, size, int64(MaxPartSize))
	}
	return nil
}

// sortParts returns the parts in the order of their numbers, with bare tags.
func sortParts(parts []Part) ([]Part, error) {
	sorted := slices.Clone(parts)
	slices.SortFunc(sorted, func(a, b Part) int { return a.Number - b.Number })
	for i := range sorted {
		if err := checkPart(sorted[i].Number, 0); err != nil {
			return nil, err
		}
		if i > 0 && sorted[i].Number == sorted[i-1].Number {
			return nil, fmt.Errorf("%w: part %d is listed twice", ErrPart, sorted[i].Number)
		}
		sorted[i].Tag = strings.Trim(sorted[i].Tag, `"`)
	}
	if len(sorted) == 0 {
		return nil, fmt.Errorf("%w: none is listed", ErrPart)
	}
	return sorted, nil
}
