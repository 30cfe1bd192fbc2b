package endpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

var varyByToken = []string{"Authorization"}

// writeTag sets the answer's ETag, and reports whether the caller has just this answer already.
func (c *Call) writeTag(body []byte) (known bool) {
	tag := entityTag(body)
	c.Header["Etag"] = []string{tag}
	c.Header["Vary"] = varyByToken
	return c.isRead() && matchesTag(c.headerList("If-None-Match"), tag)
}

// entityTag returns the tag of a representation: a hash of its bytes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	tag := make([]byte, 34)
	tag[0], tag[33] = '"', '"'
	hex.Encode(tag[1:33], sum[:16])
	return string(tag)
}

// matchesTag reports whether a list of entity tags, as If-Match and If-None-Match have it, names tag.
func matchesTag(list, tag string) bool {
	for candidate := range strings.SplitSeq(list, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
			return true
		}
	}
	return false
}

// MatchTag returns whether a thing is as the caller has seen it, by the request's If-Match, in one of the ways in which
// it is shown. It is nil for a request that has none.
func MatchTag[V, A any](c *Call, shown ...func(V) A) func(V) bool {
	list := c.headerList("If-Match")
	if list == "" {
		return nil
	}
	return func(v V) bool {
		for _, show := range shown {
			if body, err := appendJSON(nil, show(v)); err == nil && matchesTag(list, entityTag(body)) {
				return true
			}
		}
		return false
	}
}
