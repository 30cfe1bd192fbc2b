package web

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestColorsThatTheStylesheetHasNoClassFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                         "plain",
		"\x1b[31mred\x1b[0m":            "\x1b[31mred\x1b[0m",
		"\x1b[1;38;5;208mx":             "\x1b[1;38;5;208mx",
		"\x1b[38;2;255;0;0mx":           "\x1b[38;5;196;49mx",
		"\x1b[48;2;8;8;8mx":             "\x1b[39;48;5;232mx",
		"\x1b[38;2;128;128;128mx":       "\x1b[38;5;244;49mx",
		"\x1b[7mx\x1b[0my":              "\x1b[38;5;234;48;5;252mx\x1b[0;39;49my",
		"\x1b[31;7mx\x1b[27my":          "\x1b[38;5;234;41mx\x1b[31;49my",
		"\x1b[97;44mx\x1b[7my":          "\x1b[97;44mx\x1b[34;107my",
		"\x1b[7m\x1b[38;2;0;255;0mx":    "\x1b[38;5;234;48;5;252m\x1b[38;5;234;48;5;46mx",
		"\x1b[38;2;1mx":                 "\x1b[38;2;1mx",
		"\x1b[2Ax\x1b[38;2;255;255":     "\x1b[2Ax\x1b[38;2;255;255",
		"\x1b[48;5;300mx\x1b[7m\x1b[mz": "\x1b[48;5;300mx\x1b[38;5;44;48;5;252m\x1b[0;39;49mz",
	} {
		var colors logColors
		if got := string(colors.adapt([]byte(text))); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzColors(f *testing.F) {
	for _, seed := range []string{"\x1b[7;38;2;1;2;3mx", "\x1b[38;5m\x1b[;;48;2;m", "\x1b[38;2;999;-1;70000000000000000000mx"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var colors logColors
		adapted := colors.adapt(text)
		if got, want := string(appendPlain(nil, adapted)), string(appendPlain(nil, text)); got != want {
			t.Errorf("%q says %q, not %q", adapted, got, want)
		}
	})
}

func TestLogLinesAreShownAsTerminalsDo(t *testing.T) {
	t.Parallel()
	const text = "+++ Tests\n\x1b[38;2;90;160;255mblue\x1b[0m \x1b[7mturned\x1b[0m\n\x1b[90m^^^ +++\x1b[0m\n^^^ +++\nsaid ^^^ +++\n"
	log := logSource{int64(len(text)), func(_ context.Context, from, length int64) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text[from : from+length])), nil
	}}
	var x logIndex
	if err := x.extend(t.Context(), log); err != nil {
		t.Fatal(err)
	}
	lines, err := x.renderLines(t.Context(), log, 0, 5, maxRendered)
	if err != nil || len(lines) != 5 {
		t.Fatal(lines, err)
	}
	for _, class := range []string{"term-fgx75", "term-bgx252"} {
		if !strings.Contains(string(lines[1].HTML), class) {
			t.Errorf("%s has no %s", lines[1].HTML, class)
		}
	}
	for i, hidden := range []bool{false, false, true, true, false} {
		if lines[i].Hidden != hidden {
			t.Errorf("line %d is hidden: %v", i+1, lines[i].Hidden)
		}
	}
}
