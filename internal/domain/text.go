package domain

import (
	"net/mail"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

const (
	nameLimit     = 255 // characters
	queueKeyLimit = 100 // characters
	emojiLimit    = 100 // characters between the colons
	emailLimit    = 254 // bytes, RFC 5321's limit on a path without its brackets

	// sortKeyLimit is in bytes. A name as long as a name can be fits, and PostgreSQL refuses to index much more
	// than 2600: one character can fold to eighteen.
	sortKeyLimit = 4 * nameLimit
)

var (
	caseFolder      = cases.Fold() // stateless
	colorPattern    = regexp.MustCompile(`^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)
	emojiPattern    = regexp.MustCompile(`^:([\pL\pM\pN_+.-]+):(?::skin-tone-[1-6]:)?$`)
	queueKeyPattern = regexp.MustCompile(`^[0-9A-Za-z_-]*$`)
)

// ValidText reports whether s can be stored: valid UTF-8 without a NUL.
func ValidText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// SortKey returns the key by whose bytes names are sorted. Names that differ only in case or in how Unicode
// spells the same characters (composed or not, full width, ligatures) have the same key. It is at most 1020 bytes long.
func SortKey(name string) string {
	// Folding needs normalized text to see the same letters, and may leave text that is not normalized.
	key := norm.NFKC.String(caseFolder.String(norm.NFKC.String(name)))
	return truncate(key, sortKeyLimit)
}

// CheckName returns s without the white space around it. It adds a fault, worded with label, unless that is valid
// text of 1 to 255 characters, on one line.
func CheckName(field, label, s string, faults *Faults) string {
	s = strings.TrimSpace(s)
	if s == "" {
		faults.Add(field, label+" can't be blank")
		return s
	}
	return CheckLine(field, label, s, nameLimit, faults)
}

// CheckLine is CheckText for what is on one line.
func CheckLine(field, label, s string, limit int, faults *Faults) string {
	if ValidText(s) && strings.ContainsFunc(s, breaksLine) {
		faults.Add(field, label+" can't contain line breaks or control characters")
		return s
	}
	return CheckText(field, label, s, limit, faults)
}

// breaksLine reports whether a character is a control character or one of Unicode's own line breaks.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// CheckText returns s. It adds a fault, worded with label, unless s is valid text of at most limit characters.
func CheckText(field, label, s string, limit int, faults *Faults) string {
	switch {
	case !ValidText(s):
		faults.Add(field, label+" must be valid UTF-8 without NUL")
	case utf8.RuneCountInString(s) > limit:
		faults.Add(field, tooLongReason(label, limit))
	}
	return s
}

// CheckColor adds a fault unless s is empty, or # and 3 or 6 hexadecimal digits.
func CheckColor(field, s string, faults *Faults) {
	if s != "" && !colorPattern.MatchString(s) {
		faults.Add(field, "Color must be # and 3 or 6 hexadecimal digits")
	}
}

// CheckEmoji adds a fault unless s is empty, or a short name between colons such as :rocket: or :+1:, which
// :skin-tone-1: to :skin-tone-6: may follow.
func CheckEmoji(field, s string, faults *Faults) {
	if s == "" {
		return
	}
	match := emojiPattern.FindStringSubmatch(s)
	if match == nil || utf8.RuneCountInString(match[1]) > emojiLimit {
		faults.Add(field, "Emoji must be a name between colons, such as :rocket:")
	}
}

// CheckQueueKey adds a fault unless s is 1 to 100 ASCII letters, digits, hyphens and underscores.
func CheckQueueKey(field, s string, faults *Faults) {
	switch {
	case s == "":
		faults.Add(field, "Key can't be blank")
	case !queueKeyPattern.MatchString(s):
		faults.Add(field, "Key can only contain letters, digits, - and _")
	case len(s) > queueKeyLimit:
		faults.Add(field, tooLongReason("Key", queueKeyLimit))
	}
}

// CheckEmail returns s without the white space around it. It adds a fault unless that is a bare email address of at
// most 254 bytes. The address need not have a dot in its domain: root@localhost is one.
func CheckEmail(field, s string, faults *Faults) string {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		faults.Add(field, "Email can't be blank")
	case len(s) > emailLimit:
		faults.Add(field, tooLongReason("Email", emailLimit))
	case !isBareAddress(s):
		faults.Add(field, "Email must be an email address")
	}
	return s
}

// EmailKey returns the form in which email addresses are compared: without white space around it, and with
// ASCII letters in lower case. Other letters stay, because some of them (the Kelvin sign, the dotted capital I)
// have an ASCII letter as their lower case, and would make one person's address equal another's.
func EmailKey(s string) string {
	return LowerASCII(strings.TrimSpace(s))
}

// LowerASCII returns s with its ASCII letters in lower case, which is what lower() does on both engines.
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

func isBareAddress(s string) bool {
	// mail.ParseAddress takes any character beyond ASCII, also invisible ones and spaces.
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

func tooLongReason(label string, limit int) string {
	return label + " is too long (maximum is " + strconv.Itoa(limit) + " characters)"
}

// quoteStart returns the beginning of s in quotes, for a reason that repeats what was sent.
func quoteStart(s string) string {
	const limit = 60
	if len(s) > limit {
		s = truncate(s, limit) + "…"
	}
	return strconv.Quote(s)
}

// truncate returns s, or as many of its first limit bytes as hold whole characters.
func truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
