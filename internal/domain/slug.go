package domain

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const slugLimit = 100

// slugLetters spells the letters that have no decomposition.
var slugLetters = map[rune]string{'ß': "ss", 'æ': "ae", 'ø': "o", 'ł': "l", 'đ': "d", 'þ': "th"}

// MakeSlug returns the slug made of name: its letters and digits in a-z and 0-9, every run of other characters one
// hyphen, none at the ends, at most 100 characters. It returns "" if the name leaves nothing.
func MakeSlug(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(name) {
		if b.Len() >= slugLimit {
			break
		}
		if unicode.Is(unicode.M, r) {
			continue
		}
		r = unicode.ToLower(r)
		letters := slugLetters[r]
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			letters = string(r)
		}
		if letters == "" {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteString(letters)
	}
	return strings.TrimSuffix(truncate(b.String(), slugLimit), "-")
}

// requireSlug records a fault of the name if it leaves nothing for a slug.
func requireSlug(slug string, faults *Faults) {
	if slug == "" && !faults.Has("name") {
		faults.Add("name", "Name must contain a letter or digit, for its slug")
	}
}

// ValidSlug reports whether s is a slug: 1 to 100 of a-z and 0-9, with single hyphens inside.
func ValidSlug(s string) bool { return s != "" && len(s) <= slugLimit && MakeSlug(s) == s }
