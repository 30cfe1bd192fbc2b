package agentapi

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/builds"
)

func (a *API) dataEndpoints() []endpoint.Endpoint {
	all := []endpoint.Endpoint{
		{
			Method: http.MethodPost, Path: inJob + "/data/set", Operation: "setMetaData",
			Summary: "Sets a value of a build's meta-data.", Needs: needsJob,
			Body: metaDataBody{}, MaxBody: mediumBody, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.setMetaData,
		},
		{
			Method: http.MethodPost, Path: inJob + "/data/set-batch", Operation: "setMetaDataBatch",
			Summary: "Sets several values of a build's meta-data.", Needs: needsJob,
			Body: metaDataBatchBody{}, MaxBody: mediumBody, Answer: emptyAnswer{}, Status: http.StatusOK,
			Handle: a.setMetaDataBatch,
		},
		{
			Method: http.MethodPost, Path: inJob + "/annotations", Operation: "annotate",
			Summary: "Annotates a build or a job.", Needs: needsJob,
			Body: annotationBody{}, MaxBody: mediumBody, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.annotate,
		},
		{
			Method: http.MethodDelete, Path: inJob + "/annotations/{context}", Operation: "removeAnnotation",
			Summary: "Removes an annotation of a build or a job.", Needs: needsJob,
			Query: []endpoint.QueryParameter{{Name: "scope",
				Doc: "Whose annotation it is: build, which is the default, or job."}},
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: []int{http.StatusUnprocessableEntity},
			Handle: a.removeAnnotation,
		},
		{
			Method: http.MethodPost, Path: inStep + "/export", Operation: "exportStep",
			Summary: "Shows an attribute of a step.", Needs: needsJob,
			Body: exportStepBody{}, Answer: outputAnswer{}, Status: http.StatusOK, Handle: a.exportStep,
		},
		{
			Method: http.MethodPut, Path: inStep, Operation: "updateStep",
			Summary: "Changes an attribute of a step.", Needs: needsJob,
			Body: stepBody{}, MaxBody: mediumBody, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.updateStep,
		},
		{
			Method: http.MethodPost, Path: inStep + "/cancel", Operation: "cancelStep",
			Summary: "Cancels the jobs of a step.", Needs: needsJob,
			Body: cancelStepBody{}, Answer: canceledAnswer{}, Status: http.StatusOK, Handle: a.cancelStep,
		},
		{
			Method: http.MethodPost, Path: inBuild + "/cancel", Operation: "cancelBuild",
			Summary: "Cancels the build that a job belongs to.", Needs: needsJob,
			Answer: canceledAnswer{}, Status: http.StatusOK, Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				return canceledAnswer{c.PathText("id")}, a.Builds.CancelOwnBuild(c.Context(), c.Actor(), c.PathText("id"))
			},
		},
	}
	all = append(all, a.metaDataEndpoints(inJob, "OfJob", "of the build that a job belongs to",
		func(c *endpoint.Call) builds.Target { return builds.Target{Job: c.PathText("id")} })...)
	return append(all, a.metaDataEndpoints(inBuild, "OfBuild", "of a build",
		func(c *endpoint.Call) builds.Target { return builds.Target{Build: c.PathText("id")} })...)
}

// metaDataEndpoints read the meta-data of a target, which is named by an operation's suffix and in the summaries.
func (a *API) metaDataEndpoints(path, suffix, whose string, target func(*endpoint.Call) builds.Target,
) []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodPost, Path: path + "/data/get", Operation: "getMetaData" + suffix,
			Summary: "Shows a value of the meta-data " + whose + ".", Needs: needsJob,
			Body: metaDataKeyBody{}, Answer: metaDataAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return a.getMetaData(c, target(c)) },
		},
		{
			Method: http.MethodPost, Path: path + "/data/exists", Operation: "hasMetaData" + suffix,
			Summary: "Says whether the meta-data " + whose + " has a key.", Needs: needsJob,
			Body: metaDataKeyBody{}, Answer: existsAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return a.hasMetaData(c, target(c)) },
		},
		{
			Method: http.MethodPost, Path: path + "/data/keys", Operation: "listMetaDataKeys" + suffix,
			Summary: "Lists the keys of the meta-data " + whose + ".", Needs: needsJob,
			Answer: []string{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				keys, err := a.Builds.MetaDataKeys(c.Context(), c.Actor(), target(c))
				if keys == nil {
					keys = []string{}
				}
				return keys, err
			},
		},
	}
}

// metaDataBody is a value with its key.
type metaDataBody struct {
	Key   string `json:"key" required:"true" doc:"The key."`
	Value string `json:"value" required:"true" doc:"The value."`
}

func (a *API) setMetaData(c *endpoint.Call) (any, error) {
	var in metaDataBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Builds.SetMetaData(c.Context(), c.Actor(), builds.Target{Job: c.PathText("id")},
		map[string]string{in.Key: in.Value})
}

// maxBatch is how many values can be set together.
const maxBatch = 1_000

type metaDataBatchBody struct {
	Items []metaDataBody `json:"items" required:"true" doc:"The values with their keys, at most 1,000."`
}

func (a *API) setMetaDataBatch(c *endpoint.Call) (any, error) {
	var in metaDataBatchBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if len(in.Items) > maxBatch {
		return nil, domain.NewError(domain.Invalid, "`items` is invalid: there are more than 1000")
	}
	values := make(map[string]string, len(in.Items))
	for _, item := range in.Items {
		values[item.Key] = item.Value
	}
	return nil, a.Builds.SetMetaData(c.Context(), c.Actor(), builds.Target{Job: c.PathText("id")}, values)
}

type metaDataKeyBody struct {
	Key string `json:"key" required:"true" doc:"The key."`
}

type metaDataAnswer struct {
	Key   string `json:"key" doc:"The key."`
	Value string `json:"value" doc:"The value."`
}

func (a *API) findMetaData(c *endpoint.Call, target builds.Target) (answer metaDataAnswer, found bool, err error) {
	var in metaDataKeyBody
	if err := c.Decode(&in); err != nil {
		return answer, false, err
	}
	answer.Key = in.Key
	answer.Value, found, err = a.Builds.MetaData(c.Context(), c.Actor(), target, in.Key)
	return answer, found, err
}

func (a *API) getMetaData(c *endpoint.Call, target builds.Target) (any, error) {
	answer, found, err := a.findMetaData(c, target)
	if err == nil && !found {
		err = domain.NewError(domain.NotFound, `No key "`+answer.Key+`" found`)
	}
	return answer, err
}

type existsAnswer struct {
	Exists bool `json:"exists" doc:"Whether there is a value."`
}

func (a *API) hasMetaData(c *endpoint.Call, target builds.Target) (any, error) {
	_, found, err := a.findMetaData(c, target)
	return existsAnswer{found}, err
}

type annotationBody struct {
	Body     string `json:"body" doc:"The text, in Markdown."`
	Context  string `json:"context" doc:"What tells it from other annotations."`
	Style    string `json:"style" doc:"How it is shown: default, info, success, warning or error."`
	Append   bool   `json:"append" doc:"Whether the text is added to the one that is there."`
	Priority int64  `json:"priority" doc:"From 1 to 10: those with a higher one are shown first."`
	Scope    string `json:"scope" doc:"Whose annotation it is: build, which is the default, or job."`
}

func (a *API) annotate(c *endpoint.Call) (any, error) {
	var in annotationBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Builds.Annotate(c.Context(), c.Actor(), c.PathText("id"), domain.AnnotationInput{Body: in.Body,
		Context: in.Context, Style: in.Style,
		Append: in.Append, Priority: in.Priority, Scope: domain.AnnotationScope(in.Scope)})
}

func (a *API) removeAnnotation(c *endpoint.Call) (any, error) {
	return nil, a.Builds.RemoveAnnotation(c.Context(), c.Actor(), c.PathText("id"), c.PathText("context"),
		domain.AnnotationScope(c.R.URL.Query().Get("scope")))
}

type exportStepBody struct {
	Attribute string `json:"attribute" doc:"Which attribute; all of them unless it is given."`
	Build     string `json:"build_id" doc:"The UUID of the build that the step belongs to, if it is named by its key."`
	Format    string `json:"format" doc:"How it is shown: string or json."`
}

type outputAnswer struct {
	Output string `json:"output" doc:"The attribute."`
}

func (a *API) exportStep(c *endpoint.Call) (any, error) {
	var in exportStepBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	output, err := a.Builds.ExportStep(c.Context(), c.Actor(), c.PathText("id"), in.Build, in.Attribute, in.Format)
	return outputAnswer{output}, err
}

type stepBody struct {
	ID        string `json:"idempotency_uuid" doc:"What names the change: the same one again changes nothing."`
	Build     string `json:"build_id" doc:"The UUID of the build that the step belongs to, if it is named by its key."`
	Attribute string `json:"attribute" required:"true" doc:"Which attribute."`
	Value     string `json:"value" doc:"Its new value."`
	Append    bool   `json:"append" doc:"Whether the value is added to the one that is there."`
}

func (a *API) updateStep(c *endpoint.Call) (any, error) {
	var in stepBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Builds.UpdateStep(c.Context(), c.Actor(), c.PathText("id"), builds.StepUpdate{ID: in.ID,
		Build: in.Build, Attribute: in.Attribute, Value: in.Value, Append: in.Append})
}

type cancelStepBody struct {
	Build string `json:"build_id" doc:"The UUID of the build that the step belongs to, if it is named by its key."`
	Force bool   `json:"force" doc:"Whether jobs that do not end in time are given up."`
	Grace int64  `json:"force_grace_period" doc:"How many seconds they have."`
}

// canceledAnswer names what was canceled.
type canceledAnswer struct {
	UUID string `json:"uuid" format:"uuid" doc:"The UUID of what was canceled."`
}

func (a *API) cancelStep(c *endpoint.Call) (any, error) {
	var in cancelStepBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	step, err := a.Builds.CancelStep(c.Context(), c.Actor(), c.PathText("id"), in.Build, in.Force, in.Grace)
	return canceledAnswer{string(step.ID)}, err
}
