// Package seal encrypts what is stored and must not be read by everybody who can read the database, or a copy of it:
// values of secrets and private keys. It uses AES-256 in Galois/Counter Mode, so that what was changed is refused and
// never read as something else. It imports nothing of ours.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// keySize is the length of a key, in bytes.
const keySize = 32

// IDLength is how many characters the id of a key has.
const IDLength = 16

var (
	// ErrUnknownKey means that something was sealed with a key that the ring does not have.
	ErrUnknownKey = errors.New("it was encrypted with a key that is not given")
	// ErrDamaged means that something was changed since it was sealed, or is something else.
	ErrDamaged = errors.New("it was changed since it was encrypted, or belongs elsewhere")
)

// Keyring holds the keys of an installation. The first one seals, and each one opens what it has sealed. A nil Keyring
// has none.
type Keyring struct{ keys []key }

type key struct {
	id   string
	aead cipher.AEAD
}

// Generate returns a new key as text, the way Parse reads it.
func Generate() string {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // it never fails
	return base64.StdEncoding.EncodeToString(secret)
}

// Parse reads keys: 32 random bytes in base64 each, with white space between them. What follows a # on a line is a
// comment. An error does not repeat what it is about.
func Parse(text string) (*Keyring, error) {
	var ring Keyring
	n := 0
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for word := range strings.FieldsSeq(line) {
			n++
			secret, err := base64.StdEncoding.Strict().DecodeString(word)
			if err != nil || len(secret) != keySize {
				return nil, fmt.Errorf("key %d is not %d bytes in base64, as openssl rand -base64 %d prints them", n, keySize,
					keySize)
			}
			k, err := newKey(secret)
			if err != nil {
				return nil, err
			}
			ring.keys = append(ring.keys, k)
		}
	}
	if n == 0 {
		return nil, errors.New("there is no key")
	}
	return &ring, nil
}

func newKey(secret []byte) (key, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("id of a penstock key"))
	return key{hex.EncodeToString(mac.Sum(nil))[:IDLength], aead}, nil
}

// ID returns the id of the key that seals, which reveals nothing of the key.
func (r *Keyring) ID() string { return r.keys[0].id }

// Has reports whether the ring has the key with that id.
func (r *Keyring) Has(id string) bool { return r.find(id) != nil }

func (r *Keyring) find(id string) *key {
	if r == nil {
		return nil
	}
	i := slices.IndexFunc(r.keys, func(k key) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return &r.keys[i]
}

// Seal encrypts a text. It can be opened only as what it is about: whoever writes to the database cannot put it in
// another's place.
func (r *Keyring) Seal(text, about string) string {
	k := r.keys[0]
	sealed := k.aead.Seal(nil, nil, []byte(text), []byte(about)) //nolint:gosec // it chooses a random nonce itself
	return k.id + "." + base64.RawStdEncoding.EncodeToString(sealed)
}

// KeyID returns the id of the key that something was sealed with.
func KeyID(sealed string) string {
	id, _, _ := strings.Cut(sealed, ".")
	return id
}

// Open returns what was sealed.
//
// Returns ErrUnknownKey if the ring lacks the key, and ErrDamaged if it is not what was sealed.
func (r *Keyring) Open(sealed, about string) (string, error) {
	id, encoded, _ := strings.Cut(sealed, ".")
	k := r.find(id)
	if k == nil {
		return "", ErrUnknownKey
	}
	encrypted, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return "", ErrDamaged
	}
	text, err := k.aead.Open(nil, nil, encrypted, []byte(about))
	if err != nil {
		return "", ErrDamaged
	}
	return string(text), nil
}
