package web

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"penstock/internal/domain"
)

// Avatar returns the picture at /avatars/{user id}.svg: a pattern that is drawn from the id alone, so that it needs no
// sign-in, reveals nothing, and looks the same everywhere. It reports whether there is one at that path.
func Avatar(path string) (svg string, ok bool) {
	name, ok := strings.CutPrefix(path, "/avatars/")
	if !ok {
		return "", false
	}
	if name, ok = strings.CutSuffix(name, ".svg"); !ok {
		return "", false
	}
	id, ok := domain.ParseID[domain.UserID](name)
	if !ok {
		return "", false
	}
	return drawAvatar(id), true
}

// drawAvatar draws a grid of five by five cells, mirrored, in a color of its own.
func drawAvatar(id domain.UserID) string {
	sum := sha256.Sum256([]byte(id))
	var svg strings.Builder
	fmt.Fprintf(&svg,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" width="84" height="84" role="img" aria-label="Avatar">`+
			`<rect width="7" height="7" fill="hsl(%d 45%% 92%%)"/><path fill="hsl(%d 55%% 42%%)" d="`, int(sum[0])*360/256,
		int(sum[0])*360/256)
	for cell := range 15 {
		if sum[1+cell]%2 == 0 {
			continue
		}
		column, row := cell%3, cell/3
		fmt.Fprintf(&svg, "M%d %dh1v1h-1z", 1+column, 1+row)
		if column < 2 {
			fmt.Fprintf(&svg, "M%d %dh1v1h-1z", 5-column, 1+row)
		}
	}
	svg.WriteString(`"/></svg>`)
	return svg.String()
}
