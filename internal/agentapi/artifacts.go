package agentapi

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"time"

	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service/artifacts"
)

const uploadPath = "artifacts/upload"

func (a *API) artifactEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodPost, path: "jobs/{id}/artifacts", maxBody: mediumBody, handle: createArtifacts},
		{method: http.MethodPut, path: "jobs/{id}/artifacts", maxBody: mediumBody, handle: updateArtifacts},
		{method: http.MethodGet, path: "builds/{id}/artifacts/search", handle: searchArtifacts},
		// What is signed, and needs no token.
		{method: http.MethodPost, path: uploadPath, handle: uploadArtifact},
		{method: http.MethodPut, path: "artifacts/{id}/parts/{number}", handle: uploadPart},
		{method: http.MethodGet, path: "artifacts/{id}/download", handle: downloadArtifact},
		{method: http.MethodHead, path: "artifacts/{id}/download", handle: downloadArtifact},
	}
}

// artifactBody is an artifact as agents announce it.
type artifactBody struct {
	Path         string `json:"path"`
	AbsolutePath string `json:"absolute_path"`
	GlobPath     string `json:"glob_path"`
	FileSize     int64  `json:"file_size"`
	SHA1Sum      string `json:"sha1sum"`
	SHA256Sum    string `json:"sha256sum"`
	ContentType  string `json:"content_type"`
	URL          string `json:"url"`
}

// uploadInstructions tell an agent how to upload artifacts: with a form, or in parts. In the form's fields, the agent
// puts the path of an artifact in the place of ${artifact:path}. The path of an action replaces that of its URL.
type uploadInstructions struct {
	Action  *uploadAction     `json:"action,omitempty"`
	Actions []uploadAction    `json:"actions,omitempty"`
	Data    map[string]string `json:"data,omitempty"`
}

type uploadAction struct {
	URL        string `json:"url"`
	Method     string `json:"method"`
	Path       string `json:"path,omitempty"`
	FileInput  string `json:"file_input,omitempty"`
	PartNumber int    `json:"part_number,omitempty"`
}

// The fields of the form.
const (
	tokenField = "token"
	pathField  = "path"
	fileField  = "file"
)

func createArtifacts(c *call) (any, error) {
	var in struct {
		ID                string         `json:"id"`
		Artifacts         []artifactBody `json:"artifacts"`
		UploadDestination string         `json:"upload_destination"`
		MultipartSupport  bool           `json:"multipart_supported"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	batch := artifacts.ArtifactBatch{ID: in.ID, UploadDestination: in.UploadDestination, InParts: in.MultipartSupport}
	for _, a := range in.Artifacts {
		batch.Artifacts = append(batch.Artifacts, domain.ArtifactInput{Path: a.Path, AbsolutePath: a.AbsolutePath,
			GlobPath: a.GlobPath, FileSize: a.FileSize,
			SHA1Sum: a.SHA1Sum, SHA256Sum: a.SHA256Sum, ContentType: a.ContentType, URL: a.URL})
	}
	made, err := c.api.Artifacts.CreateArtifacts(c.Context(), c.actor(), c.id("id"), batch)
	if err != nil {
		return nil, err
	}
	perArtifact := map[domain.ArtifactID]uploadInstructions{}
	for id, own := range made.Own {
		perArtifact[id] = c.instruct(own)
	}
	return map[string]any{
		"id": in.ID, "artifact_ids": made.IDs, "per_artifact_instructions": perArtifact,
		"upload_instructions": c.instruct(artifacts.ArtifactUpload{Ticket: made.Ticket, Path: "${artifact:path}"}),
	}, nil
}

// instruct returns how an artifact is uploaded.
func (c *call) instruct(upload artifacts.ArtifactUpload) uploadInstructions {
	if len(upload.Parts) > 0 {
		actions := make([]uploadAction, len(upload.Parts))
		for i, address := range upload.Parts {
			actions[i] = uploadAction{URL: address, Method: http.MethodPut, PartNumber: i + 1}
		}
		return uploadInstructions{Actions: actions}
	}
	base, err := url.Parse(c.api.BaseURL)
	if err != nil { // it was checked
		base = new(url.URL)
	}
	form := &uploadAction{URL: c.api.BaseURL, Method: http.MethodPost, Path: base.Path + "/v3/" + uploadPath,
		FileInput: fileField}
	return uploadInstructions{Action: form, Data: map[string]string{tokenField: upload.Ticket, pathField: upload.Path}}
}

func updateArtifacts(c *call) (any, error) {
	var in struct {
		Artifacts []struct {
			ID    string `json:"id"`
			State string `json:"state"`
			Parts []struct {
				PartNumber int    `json:"part_number"`
				ETag       string `json:"etag"`
			} `json:"multipart_etags"`
		} `json:"artifacts"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	changes := make([]artifacts.ArtifactChange, len(in.Artifacts))
	for i, a := range in.Artifacts {
		changes[i] = artifacts.ArtifactChange{ID: a.ID, State: domain.ArtifactState(a.State)}
		for _, part := range a.Parts {
			changes[i].Parts = append(changes[i].Parts, artifacts.ArtifactPart{Number: part.PartNumber, Tag: part.ETag})
		}
	}
	return nil, c.api.Artifacts.UpdateArtifacts(c.Context(), c.actor(), c.id("id"), changes)
}

// foundArtifact is an artifact as agents search for it.
type foundArtifact struct {
	ID                domain.ArtifactID    `json:"id"`
	JobID             domain.JobID         `json:"job_id"`
	State             domain.ArtifactState `json:"state"`
	Path              string               `json:"path"`
	AbsolutePath      string               `json:"absolute_path"`
	GlobPath          string               `json:"glob_path"`
	FileSize          int64                `json:"file_size"`
	SHA1Sum           string               `json:"sha1sum"`
	SHA256Sum         string               `json:"sha256sum"`
	ContentType       string               `json:"content_type"`
	URL               string               `json:"url"`
	UploadDestination string               `json:"upload_destination,omitempty"`
	CreatedAt         string               `json:"created_at"`
}

func searchArtifacts(c *call) (any, error) {
	if err := c.identify(); err != nil {
		return nil, err
	}
	leave, err := httpcall.AcquireTurn(c.Context()) // a build may have very many
	if err != nil {
		return nil, err
	}
	defer leave()
	query := c.R.URL.Query()
	search := domain.ArtifactSearch{
		Scope: query.Get("scope"), State: domain.ArtifactState(query.Get("state")),
		IncludeRetried: query.Get("include_retried_jobs") == "true", IncludeDuplicates: query.Get("include_duplicates") ==
			"true",
	}
	if search.State == "" {
		search.State = domain.ArtifactFinished
	}
	found, err := c.api.Artifacts.SearchArtifacts(c.Context(), c.actor(), c.id("id"), query.Get("query"), search)
	if err != nil {
		return nil, err
	}
	answer := make([]foundArtifact, len(found))
	for i, f := range found {
		answer[i] = foundArtifact{
			ID: f.ID, JobID: f.JobID, State: f.State, Path: f.Path, AbsolutePath: f.AbsolutePath, GlobPath: f.GlobPath,
			FileSize: f.FileSize, SHA1Sum: f.SHA1Sum,
			SHA256Sum: f.SHA256Sum, ContentType: f.ContentType, URL: f.DownloadURL, UploadDestination: f.UploadDestination,
			CreatedAt: f.CreatedAt.UTC().Format(time.RFC3339Nano),
		}
	}
	return answer, nil
}

// What a form has besides the file.
const (
	maxFields    = 20
	maxFieldSize = 8 << 10 // bytes
)

var (
	errNoForm     = domain.NewError(domain.UnsupportedMedia, "The body must be a form of type multipart/form-data")
	errForm       = domain.NewError(domain.Malformed, "The form can't be read")
	errFields     = domain.NewError(domain.Malformed, "The form has too many fields, or too large ones")
	errNoFile     = domain.NewError(domain.Malformed, "The form has no file; it must come last")
	errPartLength = domain.NewError(domain.Malformed, "The length of a part must be known, and be what was announced")
	errNoSuchPart = domain.NewError(domain.NotFound, "No part found")
)

// uploadArtifact stores the file of a form, as it comes. Fields come in any order, the file after them.
func uploadArtifact(c *call) (any, error) {
	kind, parameters, err := mime.ParseMediaType(c.R.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, errNoForm
	}
	body, err := c.OpenBody()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	form := multipart.NewReader(body, parameters["boundary"])
	fields, file, err := readFields(form)
	if err != nil {
		return nil, err
	}
	upload, err := c.api.Artifacts.OpenUpload(c.Context(), c.actor(), fields[tokenField], fields[pathField])
	if err != nil {
		return nil, err
	}
	if err := c.RecordProgram("job " + string(upload.Job)); err != nil {
		return nil, err
	}
	body.Allow(upload.Size + maxFields*maxFieldSize)
	if _, err := c.api.Artifacts.StoreUpload(c.Context(), c.actor(), upload, file); err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, body) // so that the connection can be used again
	return nil, err
}

// readFields returns the fields of a form, and the file that follows them.
func readFields(form *multipart.Reader) (fields map[string]string, file *multipart.Part, err error) {
	fields = map[string]string{}
	for range maxFields {
		part, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil, errNoFile
		case err != nil:
			return nil, nil, formError(err)
		case part.FormName() == fileField:
			return fields, part, nil
		}
		value, err := io.ReadAll(io.LimitReader(part, maxFieldSize+1))
		if err != nil {
			return nil, nil, formError(err)
		}
		if len(value) > maxFieldSize {
			return nil, nil, errFields
		}
		fields[part.FormName()] = string(value)
	}
	return nil, nil, errFields
}

// formError returns why a form can't be read.
func formError(err error) error {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return errFields
	}
	return errForm
}

// uploadPart stores a part of an artifact, as it comes.
func uploadPart(c *call) (any, error) {
	number, err := strconv.Atoi(c.Path("number"))
	if err != nil {
		return nil, errNoSuchPart
	}
	upload, err := c.api.Artifacts.OpenPart(c.Context(), c.actor(), c.id("id"), number, c.R.URL.Query().Get("ticket"))
	if err != nil {
		return nil, err
	}
	if c.R.ContentLength != upload.Size {
		return nil, errPartLength
	}
	if err := c.RecordProgram("job " + string(upload.Job)); err != nil {
		return nil, err
	}
	body, err := c.OpenBody()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	body.Allow(upload.Size)
	tag, err := c.api.Artifacts.StoreUpload(c.Context(), c.actor(), upload, body)
	if err != nil {
		return nil, err
	}
	c.Header.Set("ETag", `"`+tag+`"`)
	return nil, nil
}

// downloadArtifact sends the content of an artifact, or ranges of it. Browsers save it: they must not show what a job
// has made as ours.
func downloadArtifact(c *call) (any, error) {
	d, err := c.api.Artifacts.OpenDownload(c.Context(), c.actor(), c.id("id"), c.R.URL.Query().Get("ticket"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Content.Close() }() // it was only read
	if err := c.RecordProgram("downloads of build " + string(d.BuildID)); err != nil {
		return nil, err
	}
	w, err := c.OpenAnswer()
	if err != nil {
		return nil, err
	}
	_, name := d.Split()
	c.Header.Set("Content-Type", d.ServedType())
	c.Header.Set("Content-Disposition", attachment(name))
	c.Header.Set("X-Content-Type-Options", "nosniff")
	c.Header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	c.Header.Set("Referrer-Policy", "no-referrer")
	c.Header.Set("Cache-Control", "private, no-store")
	c.Header.Set("ETag", `"`+string(d.ID)+`"`)
	http.ServeContent(w, c.R, "", d.CreatedAt, d.Content)
	return answered{}, nil
}

// attachment returns a Content-Disposition for a file of that name.
func attachment(name string) string {
	name = path.Base(path.Clean("/" + name))
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" && name != "/" {
		return value
	}
	return "attachment"
}
