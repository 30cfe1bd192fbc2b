package chromium

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"penstock/internal/testkit/checkout"
	"penstock/internal/testkit/node"
)

// Font is a family of fonts from npm: what a page measures depends on it.
type Font struct{ family, mono, dir string }

// DejaVu is wide, Noto is narrow and high.
var (
	DejaVu = Font{"DejaVu Sans", "DejaVu Sans Mono", "dejavu-fonts-ttf/ttf"}
	Noto   = Font{"Noto Sans", "Noto Sans", "@expo-google-fonts/noto-sans"}
)

// configure installs the font and returns the path of a fontconfig file that knows no other.
func (f Font) configure(t testing.TB) string {
	t.Helper()
	packages, err := checkout.Path("internal", "testkit", "chromium", "fonts")
	if err != nil {
		t.Fatal(err)
	}
	node.Install(t, packages)
	dir := t.TempDir()
	file := filepath.Join(dir, "fonts.conf")
	text := fmt.Sprintf(`<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>%s</dir>
  <cachedir>%s</cachedir>
  <alias binding="same"><family>monospace</family><prefer><family>%s</family></prefer></alias>
  <match><edit name="family" mode="append_last"><string>%s</string></edit></match>
</fontconfig>
`, filepath.Join(packages, "node_modules", f.dir), dir, f.mono, f.family)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
