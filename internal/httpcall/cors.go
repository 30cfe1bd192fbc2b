package httpcall

import "net/http"

// ExposedHeaders are the headers of answers that scripts of other sites may read, on every surface that is open to
// them.
const ExposedHeaders = "Link, ETag, Retry-After, X-Request-Id, Idempotency-Replayed, " +
	"RateLimit-Scope, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
	"RateLimit-User-Scope, RateLimit-User-Limit, RateLimit-User-Remaining, RateLimit-User-Reset"

var anyOrigin = []string{"*"}

// AllowOtherSites lets scripts of all sites read the answer and the headers that are named, with commas between.
func (c *Call) AllowOtherSites(exposedHeaders string) {
	c.Header["Access-Control-Allow-Origin"] = anyOrigin
	c.Header["Access-Control-Expose-Headers"] = []string{exposedHeaders}
}

// AnswerPreflight answers a browser that asks what a script of another site may send. The methods have commas between.
func (c *Call) AnswerPreflight(methods string) {
	c.Header.Set("Allow", methods)
	c.Header.Set("Access-Control-Allow-Methods", methods)
	c.Header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key")
	c.Header.Set("Access-Control-Max-Age", "86400")
	c.Write(http.StatusNoContent, "", nil)
}
