package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"penstock/docs"
)

// Our own files, and those that others wrote, which `make assets` puts there. Without the latter, pages work all the
// same.
//
//go:embed static assets/dist
var assetFiles embed.FS

// assets are the files that pages use, by name. Each is read when it is first needed.
type assets struct{ files map[string]func() asset }

type asset struct {
	hash, mediaType string
	plain, zipped   []byte
}

func newAssets() *assets {
	a := &assets{files: map[string]func() asset{}}
	for _, from := range []struct {
		files embed.FS
		dir   string
	}{{assetFiles, "static"}, {assetFiles, "assets/dist"}, {docs.Files, "."}} {
		err := fs.WalkDir(from.files, from.dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) == "" || path.Ext(name) == ".md" {
				return err
			}
			a.files[strings.TrimPrefix(name, from.dir+"/")] = sync.OnceValue(func() asset { return newAsset(from.files, name) })
			return nil
		})
		if err != nil {
			panic(err) // they are part of the binary
		}
	}
	return a
}

func newAsset(files embed.FS, name string) asset {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is part of the binary
	}
	sum := sha256.Sum256(content)
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is one
	_, _ = w.Write(content)
	_ = w.Close()
	return asset{hash: hex.EncodeToString(sum[:8]), mediaType: mediaType(name), plain: content, zipped: zipped.Bytes()}
}

func mediaType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return mime.TypeByExtension(path.Ext(name))
	}
}

// assetURL returns the address of a file, which changes with its content, or "" if there is none.
func (s *Site) assetURL(name string) string {
	file := s.assets.files[name]
	if file == nil {
		return ""
	}
	return s.prefix + "/assets/" + file().hash + "/" + name
}

// assetRoute is the pattern of the files' addresses.
const assetRoute = "/assets/{hash}/{name...}"

func (s *Site) serveAsset(w http.ResponseWriter, r *http.Request) {
	find := s.assets.files[r.PathValue("name")]
	if find == nil || find().hash != r.PathValue("hash") {
		s.serveUnknown(w, r)
		return
	}
	file := find()
	c := s.NewCall(assetRoute, w, r)
	status := http.StatusOK
	defer func() { s.Observe(assetRoute, r.Method, status, s.Now().Sub(c.Start)) }()
	s.setSecurityHeaders(c.Header)
	if err := c.ReserveAnswer(0); err != nil { // all callers are sent the same bytes
		var message string
		status, message = c.Explain(err)
		c.Write(status, "text/plain; charset=utf-8", []byte(message))
		return
	}
	content := file.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		content = file.zipped
		c.Header.Set("Content-Encoding", "gzip")
	}
	c.Header.Set("Cache-Control", "public, max-age=31536000, immutable")
	c.Header.Set("Vary", "Accept-Encoding")
	c.Write(status, file.mediaType, content)
}
