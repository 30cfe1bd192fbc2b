package web

import (
	"fmt"
	"regexp"
	"strings"

	"penstock/internal/domain"
)

// badgeTheme is the colors of a badge.
type badgeTheme struct{ passing, failing, unknown, label, text, status string }

var (
	defaultBadge = badgeTheme{"1b6b3a", "b3261e", "6b7280", "374151", "fff", "fff"}
	badgeThemes  = map[string]badgeTheme{
		"slack":     {"2e7d32", "c62828", "9a9a9a", "3f0e40", "fff", "fff"},
		"github":    {"1a7f37", "cf222e", "6e7781", "24292f", "fff", "fff"},
		"saturn":    {"7a8f00", "b34700", "8a7f6d", "3b2f20", "fff", "fff"},
		"flickr":    {"0063dc", "ff0084", "8c8c8c", "212124", "fff", "fff"},
		"solarized": {"859900", "dc322f", "93a1a1", "073642", "eee8d5", "fdf6e3"},
		"mono":      {"ffffff", "000000", "cccccc", "666666", "fff", "777"},
	}
	badgeColor = regexp.MustCompile(`^(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
)

// readBadgeTheme returns the colors of a theme: its name, or colors for passing, failing and unknown, the label, its
// text and the text of the status. What is no theme is the default one.
func readBadgeTheme(theme string) badgeTheme {
	if named, found := badgeThemes[theme]; found {
		return named
	}
	colors := strings.Split(theme, ",")
	if len(colors) < 3 || len(colors) > 6 {
		return defaultBadge
	}
	chosen := defaultBadge
	for i, color := range colors {
		if !badgeColor.MatchString(color) {
			return defaultBadge
		}
		*[]*string{&chosen.passing, &chosen.failing, &chosen.unknown, &chosen.label, &chosen.text, &chosen.status}[i] = color
	}
	if len(colors) == 5 {
		chosen.status = chosen.text
	}
	return chosen
}

// BadgeLook is how a badge looks: what its address asks for.
type BadgeLook struct {
	Style string // square or flat-square; others: with round corners
	Theme string // a name, or colors
}

// Badge draws the picture that says how a pipeline's builds go. It has no name in it, so that it reveals nothing else
// away.
func Badge(state domain.BadgeState, look BadgeLook) string {
	theme, corner := readBadgeTheme(look.Theme), 3
	if look.Style == "square" || look.Style == "flat-square" {
		corner = 0
	}
	color := map[domain.BadgeState]string{domain.BadgePassing: theme.passing, domain.BadgeFailing: theme.failing,
		domain.BadgeUnknown: theme.unknown}[state]
	const font = `font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"`
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" width="98" height="20" role="img" aria-label="build: %[1]s"><title>build: %[1]s</title>`+
			`<clipPath id="r"><rect width="98" height="20" rx="%[7]d"/></clipPath>`+
			`<g clip-path="url(#r)"><rect width="36" height="20" fill="#%[4]s"/>`+
			`<rect x="36" width="62" height="20" fill="#%[2]s"/></g>`+
			`<text x="18" y="14" %[3]s fill="#%[5]s">build</text><text x="67" y="14" %[3]s fill="#%[6]s">%[1]s</text></svg>`,
		state, color, font, theme.label, theme.text, theme.status, corner)
}
