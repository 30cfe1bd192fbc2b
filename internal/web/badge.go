package web

import (
	"fmt"

	"penstock/internal/domain"
)

// badgeColors are the colors of a badge's state.
var badgeColors = map[domain.BadgeState]string{domain.BadgeUnknown: "#6b7280", domain.BadgePassing: "#1b6b3a", domain.BadgeFailing: "#b3261e"}

// Badge draws the picture that says how a pipeline's builds go. It has no name in it, so that it gives nothing else away.
func Badge(state domain.BadgeState) string {
	const font = `font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle" fill="#fff"`
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="98" height="20" role="img" aria-label="build: %[1]s"><title>build: %[1]s</title>`+
		`<rect width="36" height="20" fill="#374151"/><rect x="36" width="62" height="20" fill="%[2]s"/>`+
		`<text x="18" y="14" %[3]s>build</text><text x="67" y="14" %[3]s>%[1]s</text></svg>`, state, badgeColors[state], font)
}
