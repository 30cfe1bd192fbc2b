package domain

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

const (
	minPassword   = 8    // characters: NIST's advice
	passwordLimit = 1024 // bytes
)

// CheckNewPassword adds a fault if the password is too short or too long for a user to be given it.
func CheckNewPassword(field string, password Secret, faults *Faults) {
	switch {
	case utf8.RuneCountInString(password.Reveal()) < minPassword:
		faults.Add(field, "Password is too short (minimum is "+strconv.Itoa(minPassword)+" characters)")
	case len(password) > passwordLimit:
		faults.Add(field, tooLongReason("Password", passwordLimit))
	}
}

// passwordHash is an argon2id hash with what it was made with.
type passwordHash struct {
	memory  uint32 // KiB
	rounds  uint32
	threads uint8
	salt    []byte
	sum     []byte
}

// defaultPasswordHash has the parameters of new hashes, OWASP's advice for argon2id, and matches no password.
func defaultPasswordHash() passwordHash {
	return passwordHash{memory: 19 * 1024, rounds: 2, threads: 1, salt: make([]byte, 16), sum: make([]byte, 32)}
}

// HashPassword returns the form in which a password is stored: an argon2id hash with its parameters and its
// salt in one text. It returns an Invalid error if the password is empty or over 1024 bytes.
func HashPassword(password Secret) (string, error) {
	var faults Faults
	switch {
	case password == "":
		faults.Add("password", "Password can't be blank")
	case len(password) > passwordLimit:
		faults.Add("password", tooLongReason("Password", passwordLimit))
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	h := defaultPasswordHash()
	_, _ = rand.Read(h.salt) // never fails
	h.sum = h.sumOf(password)
	return h.String(), nil
}

// CheckPassword reports whether encoded, which HashPassword made, is of password. Text that is not such a hash
// is of no password, and takes as long to refuse: pass "" for a user who does not exist.
func CheckPassword(encoded string, password Secret) bool {
	if len(password) > passwordLimit {
		return false
	}
	h, ok := parsePasswordHash(encoded)
	if !ok {
		h = defaultPasswordHash()
	}
	return subtle.ConstantTimeCompare(h.sumOf(password), h.sum) == 1 && ok
}

// sumOf returns the sum of password under h's parameters and salt.
func (h passwordHash) sumOf(password Secret) []byte {
	return argon2.IDKey([]byte(password.Reveal()), h.salt, h.rounds, h.memory, h.threads, uint32(len(h.sum)))
}

// String returns the hash in PHC's string format.
func (h passwordHash) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.rounds, h.threads,
		b64.EncodeToString(h.salt), b64.EncodeToString(h.sum))
}

// parsePasswordHash reads what String writes, unless its parameters are useless or so large that one check
// could stop the server.
func parsePasswordHash(encoded string) (h passwordHash, ok bool) {
	parts := strings.Split(encoded, "$")
	if len(encoded) > 256 || len(parts) != 6 {
		return h, false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.rounds, &h.threads); err != nil {
		return h, false
	}
	var saltErr, sumErr error
	h.salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
	h.sum, sumErr = base64.RawStdEncoding.DecodeString(parts[5])
	ok = saltErr == nil && sumErr == nil &&
		isWithin(h.memory, 8, 64*1024) && isWithin(h.rounds, 1, 10) && isWithin(h.threads, 1, 4) &&
		isWithin(len(h.salt), 8, 64) && isWithin(len(h.sum), 16, 64) &&
		h.String() == encoded
	return h, ok
}

func isWithin[T int | uint8 | uint32](n, low, high T) bool { return low <= n && n <= high }
