package rest

import (
	"cmp"
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) artifactEndpoints() []endpoint.Endpoint {
	list := endpoint.Endpoint{
		Method: http.MethodGet, Path: inBuild + "/artifacts", Operation: "listBuildArtifacts",
		Summary: "Lists the artifacts of a build's jobs, by their paths.",
		Scope:   domain.ScopeReadArtifacts, Answer: []artifactAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
		Query: artifactQuery,
		Handle: func(c *endpoint.Call) (any, error) {
			return a.answerArtifacts(c, func(filter domain.ArtifactFilter, page domain.Page) (domain.Paged[*domain.ArtifactView],
				error) {
				return a.Artifacts.Artifacts(c.Context(), c.Actor(), buildRef(c), filter, page)
			})
		},
	}
	return append(append([]endpoint.Endpoint{list}, a.jobArtifactEndpoints(jobInBuild, "BuildJob")...),
		a.jobArtifactEndpoints(jobAlone, "Job")...)
}

// jobArtifactEndpoints are about the artifacts of a job that a path names, in operations whose names have a noun for
// it.
func (a *API) jobArtifactEndpoints(job, noun string) []endpoint.Endpoint {
	one := job + "/artifacts/{artifact}"
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: job + "/artifacts", Operation: "list" + noun + "Artifacts",
			Summary: "Lists a job's artifacts, by their paths.",
			Scope:   domain.ScopeReadArtifacts, Answer: []artifactAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: artifactQuery,
			Handle: func(c *endpoint.Call) (any, error) {
				return a.answerArtifacts(c, func(filter domain.ArtifactFilter, page domain.Page) (
					domain.Paged[*domain.ArtifactView], error) {
					return a.Artifacts.JobArtifacts(c.Context(), c.Actor(), jobRef(c), filter, page)
				})
			},
		},
		{
			Method: http.MethodGet, Path: one, Operation: "get" + noun + "Artifact", Summary: "Gets an artifact.",
			Scope: domain.ScopeReadArtifacts, Answer: artifactAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Artifacts.Artifact(c.Context(), c.Actor(), artifactRef(c))
				if err != nil {
					return nil, err
				}
				return a.showArtifact(v), nil
			},
		},
		{
			Method: http.MethodGet, Path: one + "/download", Operation: "download" + noun + "Artifact",
			Summary: "Redirects to an address at which the artifact's content is, for a minute and without a token.",
			Scope:   domain.ScopeReadArtifacts, Answer: downloadAnswer{}, Status: http.StatusFound,
			Handle: func(c *endpoint.Call) (any, error) {
				address, err := a.Artifacts.DownloadArtifact(c.Context(), c.Actor(), artifactRef(c))
				if err != nil {
					return nil, err
				}
				c.Header["Location"] = []string{address}
				c.Header["Cache-Control"] = []string{"no-store"}
				return downloadAnswer{address}, nil
			},
		},
		{
			Method: http.MethodDelete, Path: one, Operation: "delete" + noun + "Artifact",
			Summary: "Deletes the content of an artifact, and keeps its record.",
			Scope:   domain.ScopeWriteArtifacts, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Artifacts.DeleteArtifact(c.Context(), c.Actor(), artifactRef(c), requireMatch(c, a.showArtifact))
				return nil, err
			},
		},
	}
}

// artifactQuery is by what artifacts are chosen.
var artifactQuery = []endpoint.QueryParameter{
	{Name: "state[]", Doc: "Only artifacts in this state: new, error, finished, deleted or expired. Can be given " +
		"several times."},
	{Name: "path", Doc: "Only artifacts with this path, in which * stands for any text."},
}

// answerArtifacts answers with a page of a list of artifacts.
func (a *API) answerArtifacts(c *endpoint.Call, list func(domain.ArtifactFilter, domain.Page) (
	domain.Paged[*domain.ArtifactView], error)) (any, error) {
	filter, filterErr := readArtifactFilter(c)
	return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[*domain.ArtifactView], error) {
		paged, err := list(filter, page)
		return paged, cmp.Or(err, filterErr)
	}, a.showArtifact)
}

// readArtifactFilter reads which artifacts the request asks for.
func readArtifactFilter(c *endpoint.Call) (filter domain.ArtifactFilter, err error) {
	query, err := c.Query()
	if err != nil {
		return filter, err
	}
	names, err := readList(query, "state")
	if err != nil {
		return filter, err
	}
	states, err := domain.ParseArtifactStates(names)
	return domain.ArtifactFilter{States: states, Path: nullIfEmpty(query.Get("path"))}, err
}

func artifactRef(c *endpoint.Call) domain.ArtifactRef {
	return domain.ArtifactRef{Job: jobRef(c), ID: c.Path("artifact")}
}

type artifactAnswer struct {
	ID          domain.ArtifactID    `json:"id" format:"uuid" doc:"The artifact's UUID."`
	JobID       domain.JobID         `json:"job_id" format:"uuid" doc:"The job that made it."`
	URL         string               `json:"url" format:"uri" doc:"The artifact in this API."`
	DownloadURL string               `json:"download_url" format:"uri" doc:"Where to download its content, with a token."`
	State       domain.ArtifactState `json:"state" enum:"new,error,finished,deleted,expired" doc:"The state of the artifact. Only finished ones can be downloaded."`
	Path        string               `json:"path" doc:"The path of the file, below the directory that the job ran in."`
	Dirname     string               `json:"dirname" doc:"The directory in it. A dot for none."`
	Filename    string               `json:"filename" doc:"The name of the file in it."`
	MimeType    string               `json:"mime_type" doc:"The type of the content, as the agent guessed it."`
	FileSize    int64                `json:"file_size" doc:"How many bytes the file has."`
	GlobPath    *string              `json:"glob_path" doc:"Always null."`
	OldPath     *string              `json:"original_path" doc:"Always null."`
	SHA1Sum     *string              `json:"sha1sum" doc:"The SHA-1 of the content, in hexadecimal digits. Null if the agent did not say it."`
}

type downloadAnswer struct {
	URL string `json:"url" format:"uri" doc:"Where the content is, for a minute. The same as the header Location."`
}

func (a *API) showArtifact(v *domain.ArtifactView) artifactAnswer {
	url := a.buildURL(v.OrganizationSlug, v.PipelineSlug, v.BuildNumber) + "/jobs/" + string(v.JobID) + "/artifacts/" +
		string(v.ID)
	directory, name := v.Split()
	return artifactAnswer{
		ID: v.ID, JobID: v.JobID, URL: url, DownloadURL: url + "/download", State: v.State, Path: v.Path, Dirname: directory,
		Filename: name,
		MimeType: v.MimeType(), FileSize: v.FileSize, SHA1Sum: nullIfEmpty(v.SHA1Sum),
	}
}
