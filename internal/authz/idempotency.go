package authz

import (
	"crypto/sha256"
	"encoding/hex"

	"penstock/internal/domain"
)

// Idempotency is what a request says that is to be carried out once, however often its caller sends it.
type Idempotency struct {
	key      string        // that the caller chose
	token    domain.Secret // that the caller sent
	request  string        // a hash of what is asked for
	Replayed bool          // set if the request was carried out before: the answer is the first one's
}

// NewIdempotency returns what a request with a key says, of a caller with a token.
func NewIdempotency(key string, token domain.Secret) *Idempotency {
	return &Idempotency{key: key, token: token}
}

// SetRequest records what the request asks for.
func (i *Idempotency) SetRequest(method, target string, body []byte) {
	hash := sha256.New()
	for _, part := range []string{i.token.Reveal(), method, target} {
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	hash.Write(body)
	i.request = hex.EncodeToString(hash.Sum(nil))
}

// Request returns a hash of what is asked for. Who does not have the token cannot find out by it what a body may have
// been, such as a secret's value.
func (i *Idempotency) Request() string { return i.request }

// ID names the key of this caller, without telling either.
func (i *Idempotency) ID() string {
	sum := sha256.Sum256([]byte(domain.HashToken(i.token.Reveal()) + "\x00" + i.key))
	return hex.EncodeToString(sum[:])
}
