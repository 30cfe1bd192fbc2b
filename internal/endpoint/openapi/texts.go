package openapi

import (
	"math"
	"net/http"
	"strconv"

	"penstock/internal/endpoint"
)

// commonParameters are those that internal/endpoint reads itself.
var commonParameters = []struct {
	key string // among the components; empty: its name
	Parameter
}{
	{"", Parameter{Name: "page", In: "query", Schema: &Schema{Type: Types{"integer"}, Minimum: 1, Maximum: math.MaxInt32,
		Default: 1},
		Description: "Which page to return. A page past the end is empty."}},
	{"", Parameter{Name: "per_page", In: "query", Schema: &Schema{Type: Types{"integer"}, Minimum: 1,
		Maximum: math.MaxInt32, Default: endpoint.DefaultPageSize},
		Description: "How many items a page has. More than " + strconv.Itoa(endpoint.MaxPageSize) + " means " +
			strconv.Itoa(endpoint.MaxPageSize) + "."}},
	{"cursor_per_page", Parameter{Name: "per_page", In: "query", Schema: &Schema{Type: Types{"integer"}, Minimum: 1,
		Maximum: endpoint.MaxPageSize, Default: endpoint.DefaultPageSize},
		Description: "How many items to return."}},
	{"", Parameter{Name: "after", In: "query", Schema: &Schema{Type: Types{"string"}, MinLength: 1},
		Description: "A cursor from the `links` of a response: return the items after it. Cannot be combined with before."}},
	{"", Parameter{Name: "before", In: "query", Schema: &Schema{Type: Types{"string"}, MinLength: 1},
		Description: "A cursor from the `links` of a response: return the items before it. Cannot be combined with after."}},
	{"", Parameter{Name: "If-Match", In: "header", Schema: &Schema{Type: Types{"string"}},
		Description: "Only make the change if the resource's ETag is one of these."}},
	{"", Parameter{Name: "If-None-Match", In: "header", Schema: &Schema{Type: Types{"string"}},
		Description: "Answer with 304 and no body if the resource's ETag is one of these."}},
	{"", Parameter{Name: "Range", In: "header", Schema: &Schema{Type: Types{"string"}, Pattern: `^bytes=-\d+$`},
		Description: "Answer with so many bytes of the end of the text: `bytes=-1000`. Only of plain text."}},
	{"", Parameter{Name: endpoint.IdempotencyHeader, In: "header", Schema: &Schema{Type: Types{"string"}, MinLength: 1,
		MaxLength: endpoint.MaxIdempotencyKey},
		Description: "A key of your choice for this request. For a day, the same request with the same key and token is " +
			"answered as it was the first time, and nothing is made twice. " +
			"With the key of another request it is refused with 422. A request that failed can be sent again with its key."}},
}

type header struct{ name, kind, doc string }

var headers = []header{
	{"X-Request-Id", "string", "Names the request in the server's log. A request can bring its own: at most 100 " +
		"letters, digits, -, _, . and :."},
	{"ETag", "string", "Names this state of the resource, for If-Match and If-None-Match."},
	{"Link", "string", "The URLs of the first, prev, next and last page, where there are such: `<url>; rel=\"next\"`, " +
		"with commas between."},
	{"Location", "string", "Where to go on: an address that needs no token."},
	{"Content-Range", "string", "Which part of the text this is, and how long the whole is: `bytes 4000-4999/5000`."},
	{"Retry-After", "integer", "How many seconds to wait before the next attempt."},
	{endpoint.ReplayedHeader, "string", "Is true if the request was carried out before under its Idempotency-Key: the " +
		"answer is the one that it got then."},
	{"WWW-Authenticate", "string", "Always Bearer."},
	{"RateLimit-Scope", "string", "The name of the limit on the organization's requests. Where there is no such limit, " +
		"these headers are absent."},
	{"RateLimit-Limit", "integer", "How many requests the organization may make a minute."},
	{"RateLimit-Remaining", "integer", "How many of them are left."},
	{"RateLimit-Reset", "integer", "In how many seconds they are all there again."},
	{"RateLimit-User-Scope", "string", "The name of the limit on the user's requests. Where there is no such limit, " +
		"these headers are absent."},
	{"RateLimit-User-Limit", "integer", "How many requests the user may make a minute."},
	{"RateLimit-User-Remaining", "integer", "How many of them are left."},
	{"RateLimit-User-Reset", "integer", "In how many seconds they are all there again."},
}

var (
	organizationLimitHeaders = []string{"RateLimit-Scope", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}
	userLimitHeaders         = []string{"RateLimit-User-Scope", "RateLimit-User-Limit", "RateLimit-User-Remaining",
		"RateLimit-User-Reset"}
)

// commonResponse is a response that many operations share.
type commonResponse struct {
	status  int
	doc     string
	headers []string // besides those of every answer
	answer  any
}

func commonResponses(maxBody int64) []commonResponse {
	return []commonResponse{
		{http.StatusNotModified, "The resource's ETag is one of those in If-None-Match.", []string{"ETag"}, nil},
		{http.StatusBadRequest, "The request can't be read: the body is not a JSON object, or a query parameter has a " +
			"value that it can't have.", nil, endpoint.ErrorAnswer{}},
		{http.StatusUnauthorized, "The token is missing, unknown, expired or revoked.", []string{"WWW-Authenticate"},
			endpoint.ErrorAnswer{}},
		{http.StatusForbidden, "The token does not have the scope, its user does not have the permission, or the caller's " +
			"address is not allowed.", nil, endpoint.ErrorAnswer{}},
		{http.StatusNotFound, "Something that the path names does not exist, or the caller may not know that it does.", nil,
			endpoint.ErrorAnswer{}},
		{http.StatusConflict, "A request with this Idempotency-Key is still running, or has created a secret, which is not " +
			"shown again. The message names what it created.", nil, endpoint.ErrorAnswer{}},
		{http.StatusPreconditionFailed, "The resource's ETag is none of those in If-Match. Nothing was changed.", nil,
			endpoint.ErrorAnswer{}},
		{http.StatusRequestEntityTooLarge, "The body is longer than " + endpoint.FormatSize(maxBody) +
			", or than the operation says.", nil, endpoint.ErrorAnswer{}},
		{http.StatusUnsupportedMediaType, "The body's Content-Type is not application/json.", nil, endpoint.ErrorAnswer{}},
		{http.StatusRequestedRangeNotSatisfiable, "The text is empty, or nothing of it was asked for.",
			[]string{"Content-Range"}, endpoint.ErrorAnswer{}},
		{http.StatusUnprocessableEntity, "The request can be read, but what it asks for can't be done. The message says " +
			"why. Nothing was changed.", nil, endpoint.ErrorAnswer{}},
		{http.StatusLocked, "It can't be done yet. Try again later.", nil, endpoint.ErrorAnswer{}},
		{http.StatusTooManyRequests, "The organization or the user has made too many requests.", []string{"Retry-After"},
			endpoint.LimitAnswer{}},
		{http.StatusInternalServerError, "Something went wrong on the server's side.", nil, endpoint.ErrorAnswer{}},
		{http.StatusServiceUnavailable, "The server cannot do this right now. It is safe to retry.", []string{"Retry-After"},
			endpoint.ErrorAnswer{}},
		{http.StatusGatewayTimeout, "The database broke off: the change may have been made, or not. Look before you make " +
			"it again.", nil, endpoint.ErrorAnswer{}},
	}
}
