package agentapi

import (
	"net/http"
	"strconv"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/logs"
)

func (a *API) logEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodPost, Path: inJob + "/chunks", Operation: "addLogChunk",
			Summary: "Stores a piece of a job's log.", Needs: needsJob,
			Media: []string{"application/octet-stream"}, MaxBody: chunkBody,
			Query: []endpoint.QueryParameter{
				{Name: "sequence", Doc: "The number of the piece, from 1 on."},
				{Name: "offset", Doc: "How many bytes of the log come before the piece."},
				{Name: "size", Doc: "How many bytes the piece has when it is unpacked."},
			},
			Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.addChunk,
		},
		{
			Method: http.MethodPost, Path: inJob + "/header_times", Operation: "saveHeaderTimes",
			Summary: "Says when the groups of a job's log began.", Needs: needsJob,
			Body: headerTimesBody{}, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.saveHeaderTimes,
		},
	}
}

// addChunk takes a piece of a log. Agents keep none of it once that is answered, and lose it at every error below 500:
// there is no rate limit.
func (a *API) addChunk(c *endpoint.Call) (any, error) {
	if err := c.Identify(); err != nil { // many agents may come from one address, and each has its own share
		return nil, err
	}
	content, err := c.ReadContent()
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
	return nil, a.Logs.AddLogChunk(c.Context(), c.Actor(), c.PathText("id"), chunk)
}

type headerTimesBody struct {
	HeaderTimes map[string]string `json:"header_times" doc:"The times, by the numbers of the groups, from 0 on."`
}

func (a *API) saveHeaderTimes(c *endpoint.Call) (any, error) {
	var in headerTimesBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Logs.SaveHeaderTimes(c.Context(), c.Actor(), c.PathText("id"), in.HeaderTimes)
}
