package domain_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
)

func TestPassword(t *testing.T) {
	t.Parallel()
	const password = domain.Secret("correct horse é\x00")
	first, err := domain.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[0-9A-Za-z+/]{22}\$[0-9A-Za-z+/]{43}$`).MatchString(first) {
		t.Errorf("HashPassword gave %s", first)
	}
	second, err := domain.HashPassword(password)
	if err != nil || second == first {
		t.Errorf("a second hash is %s, %v", second, err)
	}
	if !domain.CheckPassword(first, password) || !domain.CheckPassword(second, password) {
		t.Error("the password is refused")
	}
	for _, wrong := range []domain.Secret{"", "correct horse", password + "x", domain.Secret(strings.Repeat("x", 1025))} {
		if domain.CheckPassword(first, wrong) {
			t.Errorf("%q is accepted", wrong.Reveal())
		}
	}
}

func TestHashPasswordRefuses(t *testing.T) {
	t.Parallel()
	for password, want := range map[domain.Secret]string{
		"":                                       "Validation failed: Password can't be blank",
		domain.Secret(strings.Repeat("x", 1025)): "Validation failed: Password is too long (maximum is 1024 characters)",
	} {
		encoded, err := domain.HashPassword(password)
		if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != domain.Invalid || err.Error() != want || encoded != "" {
			t.Errorf("HashPassword = %q, %v, want %s", encoded, err, want)
		}
	}
}

func TestCheckPasswordParameters(t *testing.T) {
	t.Parallel()
	// From the reference implementation: argon2 somesalt -id -t 2 -k 256 -p 1, of "password".
	const cheap = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if !domain.CheckPassword(cheap, "password") {
		t.Error("a hash with other parameters is refused")
	}
	swap := func(from, to string) string {
		if !strings.Contains(cheap, from) {
			t.Fatalf("%q is not in the hash", from)
		}
		return strings.Replace(cheap, from, to, 1)
	}
	for _, encoded := range []string{
		"", "$", "$$$$$", "password", cheap + "$", cheap + "=", cheap[1:], cheap + "\n", strings.Repeat("$", 300),
		swap("argon2id", "argon2i"), swap("v=19", "v=16"), swap("m=256", "m=0256"), swap("m=256", "m=+256"), swap("p=1", "p=1,x=1"),
		swap("m=256", "m=4294967295"), swap("m=256", "m=0"), swap("t=2", "t=0"), swap("t=2", "t=4000000000"), swap("p=1", "p=0"),
		swap("p=1", "p=255"), swap("p=1", "p=256"), swap("c29tZXNhbHQ", "c29t"), swap("c29tZXNhbHQ", "c29tZXNhbHR"), swap("c29tZXNhbHQ", "!"),
		swap("nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", ""), swap("nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "nf65"),
	} {
		if domain.CheckPassword(encoded, "password") {
			t.Errorf("%q is accepted", encoded)
		}
	}
}
