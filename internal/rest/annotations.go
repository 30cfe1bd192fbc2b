package rest

import (
	"cmp"
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/core"
)

// maxAnnotation is how long a request may be that has the longest annotation in it, as JSON.
const maxAnnotation = 4 << 20 // bytes

func (a *API) annotationEndpoints() []endpoint.Endpoint {
	ofBuild := []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inBuild + "/annotations", Operation: "listBuildAnnotations",
			Summary: "Lists the annotations of a build, in the order in which they were made.",
			Scope:   domain.ScopeReadBuilds, Answer: []annotationAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: append([]endpoint.QueryParameter{{Name: "scope", Doc: "build for the annotations of the build itself, " +
				"which is the default, job for those of its jobs, and all for both."}}, annotationQuery...),
			Handle: func(c *endpoint.Call) (any, error) {
				query, queryErr := c.Query()
				scopes, err := domain.ParseAnnotationScopes(cmp.Or(query.Get("scope"), string(domain.ScopeOfBuild)))
				queryErr = cmp.Or(queryErr, err)
				return answerAnnotations(c, queryErr, func(filter domain.AnnotationFilter, page domain.Page) (
					domain.Paged[*domain.Annotation], error) {
					filter.Scopes = scopes
					return a.Builds.BuildAnnotations(c.Context(), c.Actor(), buildRef(c), filter, page)
				})
			},
		},
		{
			Method: http.MethodPost, Path: inBuild + "/annotations", Operation: "annotateBuild",
			Summary: "Creates an annotation of a build, or changes the one that has its context.",
			Scope:   domain.ScopeWriteBuilds, Body: annotationBody{}, MaxBody: maxAnnotation, Answer: annotationAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Builds.AnnotateBuild(c.Context(), c.Actor(), buildRef(c), readAnnotation(c))
				return answerAnnotation(&v, err)
			},
		},
		{
			Method: http.MethodDelete, Path: inBuild + "/annotations/{annotation}", Operation: "deleteBuildAnnotation",
			Summary: "Deletes an annotation of a build, or of one of its jobs.",
			Scope:   domain.ScopeWriteBuilds, Status: http.StatusNoContent,
			Handle: func(c *endpoint.Call) (any, error) {
				ref := buildRef(c)
				_, err := a.Builds.DeleteAnnotation(c.Context(), c.Actor(), domain.AnnotationRef{Build: &ref,
					ID: c.Path("annotation")})
				return nil, err
			},
		},
	}
	return append(append(ofBuild, a.jobAnnotationEndpoints(jobInBuild, "BuildJob")...), a.jobAnnotationEndpoints(jobAlone,
		"Job")...)
}

// jobAnnotationEndpoints are about the annotations of a job that a path names, in operations whose names have a noun
// for it.
func (a *API) jobAnnotationEndpoints(job, noun string) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: job + "/annotations", Operation: "list" + noun + "Annotations",
			Summary: "Lists the annotations of a job, in the order in which they were made.",
			Scope:   domain.ScopeReadBuilds, Answer: []annotationAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: annotationQuery,
			Handle: func(c *endpoint.Call) (any, error) {
				_, queryErr := c.Query()
				return answerAnnotations(c, queryErr, func(filter domain.AnnotationFilter, page domain.Page) (
					domain.Paged[*domain.Annotation], error) {
					return a.Builds.JobAnnotations(c.Context(), c.Actor(), jobRef(c), filter, page)
				})
			},
		},
		{
			Method: http.MethodPost, Path: job + "/annotations", Operation: "annotate" + noun,
			Summary: "Creates an annotation of a job, or changes the one that has its context.",
			Scope:   domain.ScopeWriteBuilds, Body: annotationBody{}, MaxBody: maxAnnotation, Answer: annotationAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Builds.AnnotateJob(c.Context(), c.Actor(), jobRef(c), readAnnotation(c))
				return answerAnnotation(&v, err)
			},
		},
		{
			Method: http.MethodDelete, Path: job + "/annotations/{annotation}", Operation: "delete" + noun + "Annotation",
			Summary: "Deletes an annotation of a job.",
			Scope:   domain.ScopeWriteBuilds, Status: http.StatusNoContent,
			Handle: func(c *endpoint.Call) (any, error) {
				ref := jobRef(c)
				_, err := a.Builds.DeleteAnnotation(c.Context(), c.Actor(), domain.AnnotationRef{Job: &ref,
					ID: c.Path("annotation")})
				return nil, err
			},
		},
	}
}

var annotationQuery = []endpoint.QueryParameter{{Name: "omit_body", Doc: "true to leave out the bodies."}}

// answerAnnotations answers with a page of a list of annotations.
func answerAnnotations(c *endpoint.Call, queryErr error, list func(domain.AnnotationFilter, domain.Page) (
	domain.Paged[*domain.Annotation], error)) (any, error) {
	show, filter := showAnnotation, domain.AnnotationFilter{OnlyHTML: true}
	if query, err := c.Query(); err == nil && isTrue(query, "omit_body") {
		show, filter.WithoutBody = showAnnotationHead, true
	}
	return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[*domain.Annotation], error) {
		paged, err := list(filter, page)
		return paged, cmp.Or(err, queryErr)
	}, show)
}

func answerAnnotation(v *domain.Annotation, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return showAnnotation(v), nil
}

type annotationBody struct {
	Body     domain.Optional[string] `json:"body" doc:"The text, in Markdown: at most 1 MiB. Of HTML in it, what only says how text looks is kept. Required for a new annotation."`
	Context  domain.Optional[string] `json:"context" doc:"Its identity among the annotations of its build or job: at most 100 characters, by default default. An annotation with the same context is changed."`
	Style    domain.Optional[string] `json:"style" doc:"How it looks: default, info, warning, error or success."`
	Priority domain.Optional[int64]  `json:"priority" doc:"Its position, from 1 to 10; 10 comes first. By default 3."`
	Append   domain.Optional[bool]   `json:"append" doc:"Whether to append the body to the existing one instead of replacing it."`
}

func readAnnotation(c *endpoint.Call) core.Input[domain.AnnotationInput] {
	return readBody(c, func(b annotationBody) domain.AnnotationInput {
		in := domain.AnnotationInput{Body: b.Body.Value, Context: b.Context.Value, Style: b.Style.Value,
			Append: b.Append.Value, Priority: b.Priority.Value}
		if b.Priority.HasValue() && in.Priority == 0 {
			in.Priority = -1 // which is refused; 0 would leave it as it is
		}
		return in
	})
}

type annotationAnswer struct {
	ID        domain.AnnotationID    `json:"id" format:"uuid" doc:"The annotation's UUID."`
	Context   string                 `json:"context" doc:"Its identity among the annotations of its build or job."`
	Style     string                 `json:"style" enum:"default,info,warning,error,success" doc:"How it looks."`
	Scope     domain.AnnotationScope `json:"scope" enum:"build,job" doc:"Whether it is shown with the build or with a job."`
	JobID     *domain.JobID          `json:"job_id" format:"uuid" doc:"The job that made it or that it is shown with. Null if a person made it for the build."`
	Priority  int64                  `json:"priority" doc:"Its position: 10 comes first."`
	BodyHTML  *string                `json:"body_html" doc:"The text as HTML, in which nothing can do anything. Null with omit_body, and for a large one in a list that would be too large otherwise."`
	CreatedAt endpoint.Timestamp     `json:"created_at" doc:"When it was made."`
	UpdatedAt endpoint.Timestamp     `json:"updated_at" doc:"When it was changed last."`
}

func showAnnotation(v *domain.Annotation) annotationAnswer {
	answer := showAnnotationHead(v)
	body := v.ShownHTML()
	answer.BodyHTML = &body
	return answer
}

// maxListedBody is how many bytes of HTML an annotation shows in a list that would be too large otherwise.
const maxListedBody = 64 << 10

// Shorten leaves out a body that is large.
func (a *annotationAnswer) Shorten() {
	if a.BodyHTML != nil && len(*a.BodyHTML) > maxListedBody {
		a.BodyHTML = nil
	}
}

// showAnnotationHead shows an annotation without its body.
func showAnnotationHead(v *domain.Annotation) annotationAnswer {
	return annotationAnswer{
		ID: v.ID, Context: v.Context, Style: v.Style, Scope: v.Scope, JobID: v.JobID, Priority: v.Priority,
		CreatedAt: endpoint.Timestamp(v.CreatedAt), UpdatedAt: endpoint.Timestamp(v.UpdatedAt),
	}
}
