package httpcall

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"net/netip"
	"strings"
)

// RequestID returns the id that the request brings, if it is one that can be logged, or a new one.
func RequestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && len(id) <= 100 && strings.Trim(id, requestIDCharacters) == "" {
		return id
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

const requestIDCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:"

// ClientAddress returns the address that the request came from: the connection's, or, as far as trusted
// proxies vouch for it, the one they saw.
func ClientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	address := peerAddress(r)
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	if len(trusted) == 0 || forwarded == "" {
		return address
	}
	hops := strings.Split(forwarded, ",")
	for i := len(hops) - 1; i >= 0 && isTrusted(address, trusted); i-- {
		// One that cannot be read is nobody's: the proxy's own may be allowed more than its clients.
		address = parseHop(strings.TrimSpace(hops[i]))
	}
	return address
}

// peerAddress returns the address that the connection came from; the zero Addr if there is none.
func peerAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap()
}

// parseHop reads an address, with or without a port. It returns the zero Addr for anything else.
func parseHop(s string) netip.Addr {
	if peer, err := netip.ParseAddrPort(s); err == nil {
		return peer.Addr().Unmap()
	}
	address, _ := netip.ParseAddr(s)
	return address.Unmap()
}

func isTrusted(address netip.Addr, trusted []netip.Prefix) bool {
	for _, prefix := range trusted {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// HasUncleanPath reports whether the request's path has empty segments, or dots for segments: a ServeMux would redirect
// it, with a page and without the base URL's path. Escaped slashes and dots are part of a segment's text.
func HasUncleanPath(r *http.Request) bool {
	path := r.URL.EscapedPath()
	return !strings.HasPrefix(path, "/") || strings.Contains(path, "//") || strings.Contains(path, "/./") ||
		strings.Contains(path, "/../") ||
		strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/..")
}

// SafePath returns a request's path as it may be logged and traced. Addresses of pipelines have a secret in them, and
// callers get addresses wrong: so all is hidden that stands below what such an address begins with, and elsewhere every
// word that is long enough for a secret.
func SafePath(path string) string {
	begin := len(path) - len(strings.TrimLeft(path, "/."))
	first, below, _ := strings.Cut(path[begin:], "/")
	if below != "" && (strings.EqualFold(first, "deliver") || strings.EqualFold(first, "badges")) {
		return path[:len(path)-len(below)] + hiddenWord
	}
	var safe strings.Builder
	rest := 0 // where that begins which is not in safe yet
	for i := 0; i < len(path); {
		end := i
		for end < len(path) && isWordByte(path[end]) {
			end++
		}
		if end-i >= minSecretLength {
			safe.WriteString(path[rest:i] + hiddenWord)
			rest = end
		}
		i = end + 1
	}
	if rest == 0 {
		return path
	}
	return safe.String() + path[rest:]
}

const (
	hiddenWord      = "{token}"
	minSecretLength = 30 // shorter than any secret, longer than a part of an id
)

// isWordByte reports whether a byte can be part of a secret. A percent sign begins one that was escaped twice.
func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '%'
}

// Token returns the token that the request carries under the scheme, such as Bearer; "" for none. A request with
// several credentials has none: someone in between may have looked at another of them.
func Token(r *http.Request, scheme string) string {
	credentials := r.Header["Authorization"]
	if len(credentials) != 1 {
		return ""
	}
	given, token, _ := strings.Cut(credentials[0], " ")
	if !strings.EqualFold(given, scheme) {
		return ""
	}
	return strings.TrimSpace(token)
}

// UserAgent returns what the caller's program calls itself.
func UserAgent(r *http.Request) string { return strings.ToValidUTF8(r.UserAgent(), "?") }
