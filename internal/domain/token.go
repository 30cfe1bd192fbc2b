package domain

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// TokenKind says what a token authenticates. It is what the values of its tokens begin with.
type TokenKind string

// The kinds of tokens.
const (
	UserTokenKind    TokenKind = "pnu_"
	AgentTokenKind   TokenKind = "pnc_"
	PortalTokenKind  TokenKind = "pnp_"
	PortalSecretKind TokenKind = "pns_"
	SessionTokenKind TokenKind = "pna_" // of an agent that has registered
	JobTokenKind     TokenKind = "pnj_" // of a job while an agent runs it
	TriggerTokenKind TokenKind = "pnt_" // in the address of a pipeline's trigger
)

const (
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLength   = 40
	checksumLength = 6 // the least that holds 32 bits
)

// NewTokenValue returns a new token value: the kind, 40 random base62 characters, and 6 that check them.
func NewTokenValue(kind TokenKind) Secret {
	value := string(kind) + randomBase62(randomLength)
	return Secret(value + checksum(value))
}

// IsTokenValue reports whether a value could be one of a kind: it has the length, and its last characters check the
// others.
func IsTokenValue(kind TokenKind, value string) bool {
	checked := len(kind) + randomLength
	return strings.HasPrefix(value, string(kind)) && len(value) == checked+checksumLength &&
		checksum(value[:checked]) == value[checked:]
}

// HashToken returns the form in which a token is stored and looked up: its SHA-256 in lower-case hexadecimal.
// Token values are long and random, so no salt and no slow hash is needed.
func HashToken(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])
}

func randomBase62(n int) string {
	const fair = 256 - 256%len(base62) // bytes from here on would favour the first characters
	out := make([]byte, 0, n)
	var random [64]byte
	for {
		_, _ = rand.Read(random[:]) // never fails
		for _, b := range random {
			if int(b) >= fair {
				continue
			}
			out = append(out, base62[int(b)%len(base62)])
			if len(out) == n {
				return string(out)
			}
		}
	}
}

// checksum returns the CRC-32 of s in base62.
func checksum(s string) string {
	var out [checksumLength]byte
	sum := crc32.ChecksumIEEE([]byte(s))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(out[:])
}
