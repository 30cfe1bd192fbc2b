package domain_test

import (
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
)

// knownToken is written out so that a change of the checksum, which would orphan issued tokens, is seen.
const knownToken = "pnu_0123456789abcdefghijABCDEFGHIJ01234567893ZhpwT"

func TestNewTokenValue(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.TokenKind{domain.UserTokenKind, domain.AgentTokenKind, domain.PortalTokenKind, domain.PortalSecretKind} {
		shape := regexp.MustCompile("^" + string(kind) + "[0-9A-Za-z]{46}$")
		seen := map[string]bool{}
		for range 200 {
			value := domain.NewTokenValue(kind).Reveal()
			if !shape.MatchString(value) || seen[value] {
				t.Fatalf("NewTokenValue(%s) gave %q", kind, value)
			}
			seen[value] = true
			if got, ok := domain.TokenShape(value); !ok || got != kind {
				t.Fatalf("TokenShape(%q) = %q, %v", value, got, ok)
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

func TestTokenShape(t *testing.T) {
	t.Parallel()
	if kind, ok := domain.TokenShape(knownToken); !ok || kind != domain.UserTokenKind {
		t.Errorf("TokenShape(%q) = %q, %v", knownToken, kind, ok)
	}
	for _, value := range []string{
		"", "pnu_", "an-explicit-value-of-20-or-more-characters",
		knownToken[:49], knownToken + "0", " " + knownToken[1:],
		"pnc_" + knownToken[4:],
		"xxx_" + knownToken[4:],
		strings.Replace(knownToken, "a", "b", 1),
		strings.Replace(knownToken, "a", "-", 1),
		knownToken[:49] + "~",
	} {
		if kind, ok := domain.TokenShape(value); ok || kind != "" {
			t.Errorf("TokenShape(%q) = %q, %v", value, kind, ok)
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

func FuzzTokenShape(f *testing.F) {
	for _, s := range []string{"", knownToken, "pnc_" + knownToken[4:], strings.Repeat("0", 50), strings.Repeat("\xff", 50)} {
		f.Add(s)
	}
	shape := regexp.MustCompile("^pn[ucp]_[0-9A-Za-z]{46}$")
	f.Fuzz(func(t *testing.T, s string) {
		kind, ok := domain.TokenShape(s)
		if ok && (!shape.MatchString(s) || !strings.HasPrefix(s, string(kind))) || !ok && kind != "" {
			t.Errorf("TokenShape(%q) = %q, %v", s, kind, ok)
		}
	})
}
