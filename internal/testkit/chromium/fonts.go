package chromium

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"penstock/internal/testkit/checkout"
	"penstock/internal/testkit/node"
)

// Font is a family of fonts, from npm unless it has no directory: what a page measures depends on it.
type Font struct{ family, mono, dir string }

// DejaVu is wide, Noto is narrow and high. Inter is what pictures are taken with: the machine has it, and emoji.
var (
	DejaVu = Font{"DejaVu Sans", "DejaVu Sans Mono", "dejavu-fonts-ttf/ttf"}
	Noto   = Font{"Noto Sans", "Noto Sans", "@expo-google-fonts/noto-sans"}
	Inter  = Font{"Inter", "DejaVu Sans Mono", ""}
)

// configure installs the font and returns the path of a fontconfig file that knows no other; of one that the machine has, a file that prefers it.
func (f Font) configure(t testing.TB) string {
	t.Helper()
	if f.dir == "" {
		return writeConfiguration(t, fmt.Sprintf(`  <include>/etc/fonts/fonts.conf</include>
  <alias binding="strong"><family>system-ui</family><prefer><family>%[1]s</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>%[1]s</family></prefer></alias>
  <alias binding="strong"><family>monospace</family><prefer><family>%[2]s</family></prefer></alias>
`, f.family, f.mono))
	}
	packages, err := checkout.Path("internal", "testkit", "chromium", "fonts")
	if err != nil {
		t.Fatal(err)
	}
	node.Install(t, packages)
	return writeConfiguration(t, fmt.Sprintf(`  <dir>%s</dir>
  <cachedir>%s</cachedir>
  <alias binding="same"><family>monospace</family><prefer><family>%s</family></prefer></alias>
  <match><edit name="family" mode="append_last"><string>%s</string></edit></match>
`, filepath.Join(packages, "node_modules", f.dir), t.TempDir(), f.mono, f.family))
}

// writeConfiguration writes a fontconfig file and returns its path.
func writeConfiguration(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fonts.conf")
	text = "<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">\n<fontconfig>\n" + text + "</fontconfig>\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
