package agentapi

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
)

func (a *API) dataEndpoints() []endpoint {
	all := []endpoint{
		{method: http.MethodPost, path: "jobs/{id}/data/set", maxBody: mediumBody, handle: setMetaData},
		{method: http.MethodPost, path: "jobs/{id}/data/set-batch", maxBody: mediumBody, handle: setMetaDataBatch},
		{method: http.MethodPost, path: "jobs/{id}/annotations", maxBody: mediumBody, handle: annotate},
		{method: http.MethodDelete, path: "jobs/{id}/annotations/{context}", handle: removeAnnotation},
		{method: http.MethodPost, path: "steps/{id}/export", handle: exportStep},
		{method: http.MethodPut, path: "steps/{id}", maxBody: mediumBody, handle: updateStep},
		{method: http.MethodPost, path: "steps/{id}/cancel", handle: cancelStep},
		{method: http.MethodPost, path: "builds/{id}/cancel", handle: func(c *call) (any, error) {
			return map[string]string{"uuid": c.id("id")}, c.api.Builds.CancelOwnBuild(c.Context(), c.actor(), c.id("id"))
		}},
	}
	for _, kind := range []string{"jobs", "builds"} {
		target := func(c *call) builds.Target {
			if kind == "jobs" {
				return builds.Target{Job: c.id("id")}
			}
			return builds.Target{Build: c.id("id")}
		}
		all = append(all,
			endpoint{method: http.MethodPost, path: kind + "/{id}/data/get", handle: func(c *call) (any, error) {
				return getMetaData(c, target(c))
			}},
			endpoint{method: http.MethodPost, path: kind + "/{id}/data/exists", handle: func(c *call) (any, error) {
				return hasMetaData(c, target(c))
			}},
			endpoint{method: http.MethodPost, path: kind + "/{id}/data/keys", handle: func(c *call) (any, error) {
				keys, err := c.api.Builds.MetaDataKeys(c.Context(), c.actor(), target(c))
				if keys == nil {
					keys = []string{}
				}
				return keys, err
			}})
	}
	return all
}

// metaData is a value with its key.
type metaData struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func setMetaData(c *call) (any, error) {
	var in metaData
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Builds.SetMetaData(c.Context(), c.actor(), builds.Target{Job: c.id("id")},
		map[string]string{in.Key: in.Value})
}

// maxBatch is how many values can be set together.
const maxBatch = 1_000

func setMetaDataBatch(c *call) (any, error) {
	var in struct {
		Items []metaData `json:"items"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if len(in.Items) > maxBatch {
		return nil, domain.NewError(domain.Invalid, "`items` is invalid: there are more than 1000")
	}
	values := make(map[string]string, len(in.Items))
	for _, item := range in.Items {
		values[item.Key] = item.Value
	}
	return nil, c.api.Builds.SetMetaData(c.Context(), c.actor(), builds.Target{Job: c.id("id")}, values)
}

func findMetaData(c *call, target builds.Target) (in metaData, found bool, err error) {
	if err := c.decode(&in); err != nil {
		return in, false, err
	}
	in.Value, found, err = c.api.Builds.MetaData(c.Context(), c.actor(), target, in.Key)
	return in, found, err
}

func getMetaData(c *call, target builds.Target) (any, error) {
	in, found, err := findMetaData(c, target)
	if err == nil && !found {
		err = domain.NewError(domain.NotFound, `No key "`+in.Key+`" found`)
	}
	return in, err
}

func hasMetaData(c *call, target builds.Target) (any, error) {
	_, found, err := findMetaData(c, target)
	return map[string]bool{"exists": found}, err
}

func annotate(c *call) (any, error) {
	var in struct {
		Body     string `json:"body"`
		Context  string `json:"context"`
		Style    string `json:"style"`
		Append   bool   `json:"append"`
		Priority int64  `json:"priority"`
		Scope    string `json:"scope"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Builds.Annotate(c.Context(), c.actor(), c.id("id"), domain.AnnotationInput{Body: in.Body,
		Context: in.Context, Style: in.Style,
		Append: in.Append, Priority: in.Priority, Scope: domain.AnnotationScope(in.Scope)})
}

func removeAnnotation(c *call) (any, error) {
	return nil, c.api.Builds.RemoveAnnotation(c.Context(), c.actor(), c.id("id"), c.id("context"),
		domain.AnnotationScope(c.R.URL.Query().Get("scope")))
}

func exportStep(c *call) (any, error) {
	var in struct {
		Attribute string `json:"attribute"`
		Build     string `json:"build_id"`
		Format    string `json:"format"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	output, err := c.api.Builds.ExportStep(c.Context(), c.actor(), c.id("id"), in.Build, in.Attribute, in.Format)
	return map[string]string{"output": output}, err
}

func updateStep(c *call) (any, error) {
	var in struct {
		ID        string `json:"idempotency_uuid"`
		Build     string `json:"build_id"`
		Attribute string `json:"attribute"`
		Value     string `json:"value"`
		Append    bool   `json:"append"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Builds.UpdateStep(c.Context(), c.actor(), c.id("id"), builds.StepUpdate{ID: in.ID, Build: in.Build,
		Attribute: in.Attribute, Value: in.Value, Append: in.Append})
}

func cancelStep(c *call) (any, error) {
	var in struct {
		Build string `json:"build_id"`
		Force bool   `json:"force"`
		Grace int64  `json:"force_grace_period"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	step, err := c.api.Builds.CancelStep(c.Context(), c.actor(), c.id("id"), in.Build, in.Force, in.Grace)
	return map[string]string{"uuid": string(step.ID)}, err
}
