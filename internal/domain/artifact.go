package domain

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of artifacts. What agents store elsewhere counts only as one of a job's artifacts.
const (
	MaxArtifactSize     = 10 << 30 // bytes
	MaxFormArtifactSize = 5 << 30  // bytes that are uploaded at once, not in parts
	MaxArtifactsSize    = 50 << 30 // bytes of a job
	MaxArtifactsOfJob   = 5_000
	MaxArtifactBatch    = 30 // announced together

	maxArtifactPath = 1_024 // bytes; earlier releases took longer ones
	maxArtifactText = 4_096 // bytes of an address, or of what else is said of an artifact

	// Larger artifacts are uploaded in parts, none of which is larger than a part.
	minPartedSize = 100 << 20
	maxPartSize   = 64 << 20
)

// ArtifactUploadTime is how long an artifact may take to be uploaded.
const ArtifactUploadTime = 24 * time.Hour

// ArtifactState is where an artifact stands.
type ArtifactState string

// The states of artifacts.
const (
	ArtifactNew      ArtifactState = "new" // it is being uploaded
	ArtifactError    ArtifactState = "error"
	ArtifactFinished ArtifactState = "finished"
	ArtifactDeleted  ArtifactState = "deleted"
	ArtifactExpired  ArtifactState = "expired"
)

// ArtifactStates are all states of artifacts.
var ArtifactStates = []ArtifactState{ArtifactNew, ArtifactError, ArtifactFinished, ArtifactDeleted, ArtifactExpired}

// Artifact is a file that a job has made.
type Artifact struct {
	ID                ArtifactID
	OrganizationID    OrganizationID
	BuildID           BuildID
	JobID             JobID
	BatchID           string // it was announced with others under this id, which the agent chose
	Path              string // below the directory that the job ran in
	AbsolutePath      string
	GlobPath          string
	FileSize          int64
	SHA1Sum           string // as the agent says; "": it does not
	SHA256Sum         string // as the agent says; "": it does not
	ContentType       string
	UploadDestination string // where the agent stores it; "": with us
	URL               string // of what the agent stores
	CreatedAt         time.Time

	MultipartID *string // of the upload in parts; nil: it is uploaded whole
	Stored      bool    // all of it has arrived
	State       ArtifactState
	FinishedAt  *time.Time
	ExpiresAt   *time.Time
}

// ArtifactKeys is what the keys of all artifacts are below.
const ArtifactKeys = "artifacts"

// Key is what the content is stored under.
func (a *Artifact) Key() string {
	return ArtifactKeys + "/" + string(a.OrganizationID) + "/" + string(a.ID)
}

// IsOurs reports whether the content is with us, and not where the agent stores it.
func (a *Artifact) IsOurs() bool { return a.UploadDestination == "" }

// Parts returns how many parts an artifact has that is uploaded in parts: agents make them equally large, up to a byte.
// 1 if it is small enough to be uploaded whole.
func (a *Artifact) Parts() int {
	if a.FileSize <= minPartedSize {
		return 1
	}
	return int((a.FileSize + maxPartSize - 1) / maxPartSize)
}

// PartSize returns how many bytes a part has.
func (a *Artifact) PartSize(number int) int64 {
	parts := int64(a.Parts())
	size := a.FileSize / parts
	if int64(number) <= a.FileSize%parts {
		size++
	}
	return size
}

// Split returns the directory of the path, and the name of the file. Agents on Windows have backslashes in paths.
func (a *Artifact) Split() (directory, name string) {
	at := strings.LastIndexByte(slashed(a.Path), '/')
	if at < 0 {
		return ".", a.Path
	}
	return a.Path[:at], a.Path[at+1:]
}

// SlashedPath returns the path with slashes, whatever system the agent runs on.
func (a *Artifact) SlashedPath() string { return slashed(a.Path) }

// slashed returns a path with slashes for the backslashes that agents on Windows write.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, `/`) }

const artifactKeyLimit = 500 // bytes, so that it fits an index

// ArtifactPathKey returns the key that a path is sorted and looked for by: the beginning of it.
func ArtifactPathKey(path string) string { return truncate(slashed(path), artifactKeyLimit) }

// MimeType returns the type that the agent says the content has.
func (a *Artifact) MimeType() string {
	if a.ContentType == "" {
		return "application/octet-stream"
	}
	return a.ContentType
}

// harmlessTypes are types of content that no browser runs. Those that end in a slash stand for all below.
var harmlessTypes = []string{
	"audio/", "video/", "font/", "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
	"image/tiff", "text/plain", "text/csv",
	"application/json", "application/zip", "application/gzip", "application/x-gzip", "application/x-tar",
	"application/zstd", "application/x-xz",
}

// ServedType returns the type that the content is sent with: browsers must not run what a job has made as if it were
// ours.
func (a *Artifact) ServedType() string {
	given, _, _ := strings.Cut(strings.ToLower(a.ContentType), ";")
	given = strings.TrimSpace(given)
	harmless := slices.ContainsFunc(harmlessTypes, func(t string) bool {
		return given == t || strings.HasSuffix(t, "/") && strings.HasPrefix(given, t) && isToken(given[len(t):])
	})
	switch {
	case !harmless:
		return "application/octet-stream"
	case strings.HasPrefix(given, "text/"):
		return given + "; charset=utf-8"
	}
	return given
}

// isToken reports whether a text can be a part of a media type.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != '+' && r != '_'
	})
}

// ArtifactInput is what an agent says of a file that it is about to upload.
type ArtifactInput struct {
	Path         string
	AbsolutePath string
	GlobPath     string
	FileSize     int64
	SHA1Sum      string
	SHA256Sum    string
	ContentType  string
	URL          string // where it will be, if not with us
}

// Check returns what is wrong with an artifact that is uploaded to a destination; nil if nothing is.
func (in *ArtifactInput) Check(destination string) error {
	for name, value := range map[string]string{
		"upload_destination": destination, "path": in.Path, "absolute_path": in.AbsolutePath, "glob_path": in.GlobPath,
		"url": in.URL, "content_type": in.ContentType,
	} {
		most := maxArtifactText
		if name == "path" {
			most = maxArtifactPath
		}
		if len(value) > most || !ValidText(value) {
			return NewError(Invalid, "Artifact "+name+" is too long (maximum is "+strconv.Itoa(most)+
				" bytes), or not valid text")
		}
	}
	switch {
	case in.Path == "":
		return NewError(Invalid, "Artifact path can't be blank")
	case in.FileSize < 0:
		return NewError(Invalid, "Artifact file_size must not be negative")
	case !isSum(in.SHA1Sum, 40):
		return NewError(Invalid, "Artifact sha1sum must be 40 hexadecimal digits")
	case !isSum(in.SHA256Sum, 64):
		return NewError(Invalid, "Artifact sha256sum must be 64 hexadecimal digits")
	}
	return nil
}

// isSum reports whether a text is a checksum of that many digits, or empty.
func isSum(s string, digits int) bool {
	_, err := hex.DecodeString(s)
	return s == "" || len(s) == digits && err == nil
}

// Refusals of artifacts that are too large or too many.
var (
	ErrArtifactTooLarge = NewError(Forbidden, "The artifact is too large: at most 10 GiB can be uploaded")
	ErrFormTooLarge     = NewError(Forbidden, "The artifact is too large: at most 5 GiB can be uploaded by an agent "+
		"that does not upload in parts")
	ErrTooManyArtifacts  = NewError(Forbidden, "The job has too many artifacts: at most 5,000 can be uploaded")
	ErrArtifactsTooLarge = NewError(Forbidden, "The job's artifacts are too large: at most 50 GiB can be uploaded")
	ErrArtifactBatch     = NewError(Invalid, "artifacts must list 1 to 30 artifacts")
	ErrArtifactBatchID   = NewError(Invalid, "id must be a UUID")
)

// CheckSize returns why an artifact is too large, unless the agent stores it itself.
func (a *Artifact) CheckSize() error {
	switch {
	case !a.IsOurs():
		return nil
	case a.FileSize > MaxArtifactSize:
		return ErrArtifactTooLarge
	case a.FileSize > MaxFormArtifactSize && a.MultipartID == nil:
		return ErrFormTooLarge
	}
	return nil
}

// ArtifactPattern is what a search for artifacts names: a path in which * stands for any text, slashes among it.
// Directories that are written as **/ may be missing. Backslashes, which agents on Windows write, are taken for
// slashes.
type ArtifactPattern struct {
	text  string
	first string // what a path begins with
	rest  []wildPart
}

// wildPart is a wildcard with the text that follows it.
type wildPart struct {
	text        string
	directories bool // the wildcard stands for whole directories, or for none
}

const (
	maxArtifactPattern   = 1_024 // bytes
	maxArtifactWildcards = 20
)

// ParseArtifactPattern reads a pattern.
//
// Returns Malformed for one that is too long or no text.
func ParseArtifactPattern(text string) (ArtifactPattern, error) {
	if text == "" || len(text) > maxArtifactPattern || !ValidText(text) {
		return ArtifactPattern{}, NewError(Malformed, "query must be a path of at most "+strconv.Itoa(maxArtifactPattern)+
			" bytes, in which * stands for any text")
	}
	p := ArtifactPattern{text: slashed(text)}
	first, wild, isWild := strings.Cut(p.text, "*")
	p.first = first
	for before := first; isWild; {
		after := strings.TrimLeft(wild, "*")
		isDouble := len(after) < len(wild)
		next := wildPart{directories: isDouble && strings.HasPrefix(after, "/") &&
			(before == "" || strings.HasSuffix(before, "/"))}
		if next.directories {
			after = after[1:]
		}
		next.text, wild, isWild = strings.Cut(after, "*")
		before = next.text
		if last := len(p.rest) - 1; next.directories && last >= 0 && p.rest[last].text == "" {
			p.rest[last].text = next.text // **/**/ is **/
			continue
		}
		p.rest = append(p.rest, next)
	}
	if len(p.rest) > maxArtifactWildcards {
		return p, NewError(Malformed, "query has too many wildcards (maximum is "+strconv.Itoa(maxArtifactWildcards)+")")
	}
	return p, nil
}

// Matches reports whether a path is one that the pattern names. It takes as many steps as path and pattern have
// characters, not their product: the first place where the text after a wildcard stands is as good as any later one, so
// that each is looked for once.
func (p ArtifactPattern) Matches(path string) bool {
	left, ok := strings.CutPrefix(slashed(path), p.first)
	if !ok || len(p.rest) == 0 {
		return ok && left == ""
	}
	last := len(p.rest) - 1
	for _, part := range p.rest[:last] {
		if part.directories {
			if _, after, found := strings.Cut("/"+left, "/"+part.text); found {
				left = after
				continue
			}
			return false
		}
		_, after, found := strings.Cut(left, part.text)
		if !found {
			return false
		}
		left = after
	}
	if end := p.rest[last]; end.directories {
		return strings.HasSuffix("/"+left, "/"+end.text)
	}
	return strings.HasSuffix(left, p.rest[last].text)
}

// String returns the pattern.
func (p ArtifactPattern) String() string { return p.text }

// KeyBeginning returns what the keys begin with of all paths that the pattern names.
func (p ArtifactPattern) KeyBeginning() string {
	beginning, _, _ := strings.Cut(p.text, "*")
	return ArtifactPathKey(beginning)
}

// IsPlain reports whether the pattern names one path.
func (p ArtifactPattern) IsPlain() bool { return !strings.Contains(p.text, "*") }

// ArtifactSearch is what a job looks for among the artifacts of a build.
type ArtifactSearch struct {
	Pattern           ArtifactPattern
	Scope             string // the id of a job, or the key or the label of a step; "": all
	State             ArtifactState
	IncludeRetried    bool // artifacts of attempts that were retried, too
	IncludeDuplicates bool // all that have the same path, not only the newest
}

// ArtifactView is an artifact with what is shown along with it.
type ArtifactView struct {
	Artifact
	OrganizationSlug string
	PipelineSlug     string
	BuildNumber      int64
}

// ArtifactRef names an artifact as callers do: below its job, or by its id in the organization, if the job has no id.
type ArtifactRef struct {
	Job JobRef
	ID  string
}

// ArtifactFilter chooses artifacts. The zero value chooses all.
type ArtifactFilter struct {
	States []ArtifactState // any of them
	Path   *string         // in which * stands for any text
}

// Check returns what is wrong with the filter.
func (f *ArtifactFilter) Check() error {
	if f.Path == nil {
		return nil
	}
	return checkPatterns("path", *f.Path)
}

const (
	maxListWildcards = 20    // in the patterns of one list: each is looked for in each item
	maxListPattern   = 255   // bytes of a pattern with wildcards: each is compared with each character
	maxListText      = 4_096 // bytes of one without
)

// checkPatterns returns Malformed for patterns that would be looked for too long.
func checkPatterns(name string, patterns ...string) error {
	wildcards := 0
	for _, pattern := range patterns {
		found := strings.Count(pattern, "*")
		wildcards += found
		switch {
		case found > 0 && len(pattern) > maxListPattern:
			return NewError(Malformed, name+" is too long (maximum is "+strconv.Itoa(maxListPattern)+" bytes with wildcards)")
		case len(pattern) > maxListText:
			return NewError(Malformed, name+" is too long (maximum is "+strconv.Itoa(maxListText)+" bytes)")
		}
	}
	if wildcards > maxListWildcards {
		return NewError(Malformed, name+" has too many wildcards (maximum is "+strconv.Itoa(maxListWildcards)+")")
	}
	return nil
}

// ParseArtifactStates returns the states of artifacts that callers name so.
//
// Returns Malformed for a name that none has.
func ParseArtifactStates(names []string) (states []ArtifactState, err error) {
	for _, name := range names {
		if !slices.Contains(ArtifactStates, ArtifactState(name)) {
			valid := make([]string, len(ArtifactStates))
			for i, state := range ArtifactStates {
				valid[i] = string(state)
			}
			return nil, NewError(Malformed, "state must be one of "+strings.Join(valid, ", "))
		}
		states = append(states, ArtifactState(name))
	}
	return states, nil
}
