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
	"penstock/internal/endpoint"
	"penstock/internal/httpcall"
	"penstock/internal/service/artifacts"
)

const (
	uploadPath  = root + "/artifacts/upload"
	inArtifact  = root + "/artifacts/{id}"
	binaryMedia = "application/octet-stream"
)

func (a *API) artifactEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodPost, Path: inJob + "/artifacts", Operation: "createArtifacts",
			Summary: "Announces artifacts of a job, and says how to upload them.", Needs: needsJob,
			Body: artifactsBody{}, MaxBody: mediumBody, Answer: createdArtifactsAnswer{}, Status: http.StatusOK,
			Handle: a.createArtifacts,
		},
		{
			Method: http.MethodPut, Path: inJob + "/artifacts", Operation: "updateArtifacts",
			Summary: "Says which artifacts of a job were uploaded.", Needs: needsJob,
			Body: artifactChangesBody{}, MaxBody: mediumBody, Answer: emptyAnswer{}, Status: http.StatusOK,
			Handle: a.updateArtifacts,
		},
		{
			Method: http.MethodGet, Path: inBuild + "/artifacts/search", Operation: "searchArtifacts",
			Summary: "Finds artifacts of a build by their paths.", Needs: needsJob,
			Query: []endpoint.QueryParameter{
				{Name: "query", Doc: "A pattern of paths, such as `**/*.zip`."},
				{Name: "scope", Doc: "The step or the job that made them: its UUID, key or name."},
				{Name: "state", Doc: "Their state; finished unless it is given."},
				{Name: "include_retried_jobs", Doc: "`true` for those of jobs that were retried too."},
				{Name: "include_duplicates", Doc: "`true` for all that have the same path, and not the newest alone."},
			},
			Answer: []foundArtifact{}, Status: http.StatusOK,
			Errors: []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, Handle: a.searchArtifacts,
		},
		{
			Method: http.MethodPost, Path: uploadPath, Operation: "uploadArtifact",
			Summary: "Uploads an artifact with the form that its announcement was answered with.",
			Open:    true, Needs: needsTicket, Media: []string{"multipart/form-data"},
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: []int{http.StatusForbidden, http.StatusNotFound,
				http.StatusUnsupportedMediaType, http.StatusServiceUnavailable}, Handle: a.uploadArtifact,
		},
		{
			Method: http.MethodPut, Path: inArtifact + "/parts/{number}", Operation: "uploadArtifactPart",
			Summary: "Uploads a part of an artifact.",
			Open:    true, Needs: needsTicket, Media: []string{binaryMedia},
			Query:  []endpoint.QueryParameter{{Name: "ticket", Doc: "What the address was signed with."}},
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: []int{http.StatusForbidden,
				http.StatusServiceUnavailable}, Handle: a.uploadPart,
		},
		{
			Method: http.MethodGet, Alias: http.MethodHead, Path: inArtifact + "/download", Operation: "downloadArtifact",
			Summary: "Downloads an artifact, or a range of it.",
			Open:    true, Needs: needsTicket, Texts: []string{binaryMedia},
			Query:  []endpoint.QueryParameter{{Name: "ticket", Doc: "What the address was signed with."}},
			Status: http.StatusOK, OtherStatus: http.StatusPartialContent, Errors: []int{http.StatusNotModified,
				http.StatusForbidden, http.StatusServiceUnavailable}, Handle: a.downloadArtifact,
		},
	}
}

type artifactsBody struct {
	ID                string         `json:"id" doc:"What names the announcement: the same one again changes nothing."`
	Artifacts         []artifactBody `json:"artifacts" required:"true" doc:"The artifacts."`
	UploadDestination string         `json:"upload_destination" doc:"Where the agent uploads them instead, such as a bucket."`
	MultipartSupport  bool           `json:"multipart_supported" doc:"Whether the agent can upload an artifact in parts."`
}

// artifactBody is an artifact as agents announce it.
type artifactBody struct {
	Path         string `json:"path" required:"true" doc:"The path that it is found by."`
	AbsolutePath string `json:"absolute_path" doc:"Where it is on the agent's host."`
	GlobPath     string `json:"glob_path" doc:"The pattern that it was found with."`
	FileSize     int64  `json:"file_size" doc:"How many bytes it has."`
	SHA1Sum      string `json:"sha1sum" doc:"The SHA-1 digest of its content."`
	SHA256Sum    string `json:"sha256sum" doc:"The SHA-256 digest of its content."`
	ContentType  string `json:"content_type" doc:"Its media type."`
	URL          string `json:"url" doc:"Where it is, if it is uploaded elsewhere."`
}

type createdArtifactsAnswer struct {
	ID          string                                   `json:"id" doc:"What names the announcement."`
	ArtifactIDs []domain.ArtifactID                      `json:"artifact_ids" nullable:"true" doc:"The UUIDs of the artifacts, in the order of the announcement."`
	PerArtifact map[domain.ArtifactID]uploadInstructions `json:"per_artifact_instructions" doc:"How those are uploaded that are so in another way, by their UUIDs."`
	Upload      uploadInstructions                       `json:"upload_instructions" doc:"How the others are uploaded."`
}

// uploadInstructions say how an agent is to upload artifacts: with a form, or in parts. In the form's fields, the agent
// puts the path of an artifact in the place of ${artifact:path}. The path of an action replaces that of its URL.
type uploadInstructions struct {
	Action  *uploadAction     `json:"action,omitzero" doc:"A request with a form. Absent if there are parts."`
	Actions []uploadAction    `json:"actions,omitzero" doc:"The requests with the parts. Absent if there is a form."`
	Data    map[string]string `json:"data,omitzero" doc:"The fields of the form; the path of the artifact takes the place of its placeholder."`
}

type uploadAction struct {
	URL        string `json:"url" doc:"Where the request goes."`
	Method     string `json:"method" doc:"Its method."`
	Path       string `json:"path,omitzero" doc:"The path that replaces the one of the URL."`
	FileInput  string `json:"file_input,omitzero" doc:"The field of the form that has the file."`
	PartNumber int    `json:"part_number,omitzero" doc:"The number of the part, from 1 on."`
}

// The fields of the form.
const (
	tokenField = "token"
	pathField  = "path"
	fileField  = "file"
)

func (a *API) createArtifacts(c *endpoint.Call) (any, error) {
	var in artifactsBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	batch := artifacts.ArtifactBatch{ID: in.ID, UploadDestination: in.UploadDestination, InParts: in.MultipartSupport}
	for _, file := range in.Artifacts {
		batch.Artifacts = append(batch.Artifacts, domain.ArtifactInput{Path: file.Path, AbsolutePath: file.AbsolutePath,
			GlobPath: file.GlobPath, FileSize: file.FileSize,
			SHA1Sum: file.SHA1Sum, SHA256Sum: file.SHA256Sum, ContentType: file.ContentType, URL: file.URL})
	}
	made, err := a.Artifacts.CreateArtifacts(c.Context(), c.Actor(), c.PathText("id"), batch)
	if err != nil {
		return nil, err
	}
	perArtifact := map[domain.ArtifactID]uploadInstructions{}
	for id, own := range made.Own {
		perArtifact[id] = a.instruct(own)
	}
	return createdArtifactsAnswer{
		ID: in.ID, ArtifactIDs: made.IDs, PerArtifact: perArtifact,
		Upload: a.instruct(artifacts.ArtifactUpload{Ticket: made.Ticket, Path: "${artifact:path}"}),
	}, nil
}

// instruct returns how an artifact is uploaded.
func (a *API) instruct(upload artifacts.ArtifactUpload) uploadInstructions {
	if len(upload.Parts) > 0 {
		actions := make([]uploadAction, len(upload.Parts))
		for i, address := range upload.Parts {
			actions[i] = uploadAction{URL: address, Method: http.MethodPut, PartNumber: i + 1}
		}
		return uploadInstructions{Actions: actions}
	}
	base, err := url.Parse(a.BaseURL)
	if err != nil { // it was checked
		base = new(url.URL)
	}
	form := &uploadAction{URL: a.BaseURL, Method: http.MethodPost, Path: base.Path + uploadPath, FileInput: fileField}
	return uploadInstructions{Action: form, Data: map[string]string{tokenField: upload.Ticket, pathField: upload.Path}}
}

type artifactChangesBody struct {
	Artifacts []artifactChangeBody `json:"artifacts" required:"true" doc:"The artifacts."`
}

type artifactChangeBody struct {
	ID    string             `json:"id" required:"true" format:"uuid" doc:"The artifact's UUID."`
	State string             `json:"state" required:"true" doc:"What became of it: finished or error."`
	Parts []artifactPartBody `json:"multipart_etags" doc:"The parts that it was uploaded in."`
}

type artifactPartBody struct {
	PartNumber int    `json:"part_number" doc:"The number of the part, from 1 on."`
	ETag       string `json:"etag" doc:"The ETag that its upload was answered with."`
}

func (a *API) updateArtifacts(c *endpoint.Call) (any, error) {
	var in artifactChangesBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	changes := make([]artifacts.ArtifactChange, len(in.Artifacts))
	for i, changed := range in.Artifacts {
		changes[i] = artifacts.ArtifactChange{ID: changed.ID, State: domain.ArtifactState(changed.State)}
		for _, part := range changed.Parts {
			changes[i].Parts = append(changes[i].Parts, artifacts.ArtifactPart{Number: part.PartNumber, Tag: part.ETag})
		}
	}
	return nil, a.Artifacts.UpdateArtifacts(c.Context(), c.Actor(), c.PathText("id"), changes)
}

// foundArtifact is an artifact as agents search for it.
type foundArtifact struct {
	ID                domain.ArtifactID    `json:"id" format:"uuid" doc:"The artifact's UUID."`
	JobID             domain.JobID         `json:"job_id" format:"uuid" doc:"The UUID of the job that made it."`
	State             domain.ArtifactState `json:"state" doc:"Its state."`
	Path              string               `json:"path" doc:"The path that it is found by."`
	AbsolutePath      string               `json:"absolute_path" doc:"Where it was on the agent's host."`
	GlobPath          string               `json:"glob_path" doc:"The pattern that it was found with."`
	FileSize          int64                `json:"file_size" doc:"How many bytes it has."`
	SHA1Sum           string               `json:"sha1sum" doc:"The SHA-1 digest of its content."`
	SHA256Sum         string               `json:"sha256sum" doc:"The SHA-256 digest of its content."`
	ContentType       string               `json:"content_type" doc:"Its media type."`
	URL               string               `json:"url" doc:"Where to download it: an address that needs no token."`
	UploadDestination string               `json:"upload_destination,omitzero" doc:"Where it is, if it was uploaded elsewhere."`
	CreatedAt         string               `json:"created_at" format:"date-time" doc:"When it was announced."`
}

func (a *API) searchArtifacts(c *endpoint.Call) (any, error) {
	if err := c.Identify(); err != nil {
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
	found, err := a.Artifacts.SearchArtifacts(c.Context(), c.Actor(), c.PathText("id"), query.Get("query"), search)
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
func (a *API) uploadArtifact(c *endpoint.Call) (any, error) {
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
	upload, err := a.Artifacts.OpenUpload(c.Context(), c.Actor(), fields[tokenField], fields[pathField])
	if err != nil {
		return nil, err
	}
	if err := c.RecordProgram("job " + string(upload.Job)); err != nil {
		return nil, err
	}
	body.Allow(upload.Size + maxFields*maxFieldSize)
	if _, err := a.Artifacts.StoreUpload(c.Context(), c.Actor(), upload, file); err != nil {
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
func (a *API) uploadPart(c *endpoint.Call) (any, error) {
	number, err := strconv.Atoi(c.Path("number"))
	if err != nil {
		return nil, errNoSuchPart
	}
	upload, err := a.Artifacts.OpenPart(c.Context(), c.Actor(), c.PathText("id"), number, c.R.URL.Query().Get("ticket"))
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
	tag, err := a.Artifacts.StoreUpload(c.Context(), c.Actor(), upload, body)
	if err != nil {
		return nil, err
	}
	c.Header.Set("ETag", `"`+tag+`"`)
	return nil, nil
}

// downloadArtifact sends the content of an artifact, or ranges of it. Browsers save it: they must not show what a job
// has made as ours.
func (a *API) downloadArtifact(c *endpoint.Call) (any, error) {
	d, err := a.Artifacts.OpenDownload(c.Context(), c.Actor(), c.PathText("id"), c.R.URL.Query().Get("ticket"))
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
	return endpoint.Written{}, nil
}

// attachment returns a Content-Disposition for a file of that name.
func attachment(name string) string {
	name = path.Base(path.Clean("/" + name))
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" && name != "/" {
		return value
	}
	return "attachment"
}
