package agentapi

import (
	"net/http"
	"strconv"

	"penstock/internal/domain"
	"penstock/internal/service/logs"
)

func (a *API) logEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodPost, path: "jobs/{id}/chunks", maxBody: chunkBody, handle: addChunk},
		{method: http.MethodPost, path: "jobs/{id}/header_times", handle: saveHeaderTimes},
	}
}

// addChunk takes a piece of a log. Agents keep none of it once that is answered, and lose it at every error below 500:
// there is no rate limit.
func addChunk(c *call) (any, error) {
	if err := c.identify(); err != nil { // many agents may come from one address, and each has its own share
		return nil, err
	}
	content, err := c.readBody()
	if err != nil {
		return nil, err
	}
	chunk := logs.LogChunk{Content: content}
	query := c.R.URL.Query()
	for _, number := range []struct {
		name  string
		value *int64
	}{{"sequence", &chunk.Sequence}, {"offset", &chunk.Offset}, {"size", &chunk.Size}} {
		if *number.value, err = strconv.ParseInt(query.Get(number.name), 10, 64); err != nil {
			return nil, domain.NewError(domain.Invalid, "`"+number.name+"` is invalid: it must be a whole number")
		}
	}
	return nil, c.api.Logs.AddLogChunk(c.Context(), c.actor(), c.id("id"), chunk)
}

func saveHeaderTimes(c *call) (any, error) {
	var in struct {
		HeaderTimes map[string]string `json:"header_times"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Logs.SaveHeaderTimes(c.Context(), c.actor(), c.id("id"), in.HeaderTimes)
}
