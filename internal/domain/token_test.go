package domain_test

import (
	"hash/crc32"
	"regexp"
	"testing"

	"penstock/internal/domain"
)

// tokenChecksum returns what scanners expect at the end of a token that begins so: its CRC-32 in six digits to the base 62.
func tokenChecksum(beginning string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum, text := crc32.ChecksumIEEE([]byte(beginning)), ""
	for range 6 {
		text, sum = string(digits[sum%62])+text, sum/62
	}
	return text
}

func TestNewTokenValue(t *testing.T) {
	t.Parallel()
	if sum := tokenChecksum("pnu_0123456789abcdefghijABCDEFGHIJ0123456789"); sum != "3ZhpwT" { // as scanners have it
		t.Fatal(sum)
	}
	for _, kind := range []domain.TokenKind{domain.UserTokenKind, domain.AgentTokenKind, domain.PortalTokenKind, domain.PortalSecretKind} {
		shape := regexp.MustCompile("^" + string(kind) + "[0-9A-Za-z]{46}$")
		seen := map[string]bool{}
		for range 200 {
			value := domain.NewTokenValue(kind).Reveal()
			if !shape.MatchString(value) || seen[value] {
				t.Fatalf("NewTokenValue(%s) gave %q", kind, value)
			}
			seen[value] = true
			if sum := tokenChecksum(value[:44]); value[44:] != sum {
				t.Fatalf("NewTokenValue(%s) gave %q, whose checksum is %s", kind, value, sum)
			}
		}
	}
}

func TestTokenValuesUseEveryCharacter(t *testing.T) {
	t.Parallel()
	const tokens = 2000
	counts := map[rune]int{}
	for range tokens {
		for _, r := range domain.NewTokenValue(domain.UserTokenKind).Reveal()[4:44] {
			counts[r]++
		}
	}
	// About 1290 each with a deviation of 36; a plain modulo would make eight of them 1562.
	if len(counts) != 62 {
		t.Errorf("%d characters in use, want 62", len(counts))
	}
	for r, n := range counts {
		if mean := tokens * 40 / 62; n < mean-220 || n > mean+220 {
			t.Errorf("%q came %d times, want about %d", r, n, mean)
		}
	}
}

func TestHashToken(t *testing.T) {
	t.Parallel()
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := domain.HashToken("abc"); got != want {
		t.Errorf("HashToken(abc) = %s, want %s", got, want)
	}
}
