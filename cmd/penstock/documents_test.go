package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"penstock/docs"
)

var updateDocuments = flag.Bool("update", false, "write the answers that the documents' commands got into them")

// TestCommandsOfDocuments runs the commands of each document in their order, as a reader would: every block of sh in one shell. A block of
// JSON below one is what its last command printed. A block that names a file after its language is that file.
func TestCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "../../README.md", "../../CONTRIBUTING.md") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			runDocument(t, path)
		})
	}
}

func runDocument(t *testing.T, path string) {
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := codeBlocks(string(source))
	dir, data := t.TempDir(), t.TempDir()
	base := "http://" + freeAddress(t)
	atHome := strings.NewReplacer(docs.Base, base, "/var/lib/penstock", data)
	script := documentPrelude
	for i, b := range blocks {
		switch {
		case b.language == "sh":
			script += fmt.Sprintf("{\n%s} >%d.out\n", atHome.Replace(b.text), i)
		case strings.Contains(b.file, "."):
			if err := os.WriteFile(filepath.Join(dir, b.file), []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if script == documentPrelude {
		return
	}
	fixture, err := filepath.Abs("testdata/documents.yaml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PENSTOCK="+binary, "ROOT="+root, "FIXTURE="+fixture, "DATA="+data, "BASE="+base,
		"TOKEN="+testToken, "PASSWORD=a good long password", "STARTS_ITSELF="+strconv.FormatBool(strings.Contains(script, "penstock serve") || strings.Contains(script, "penstock demo")))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	back := strings.NewReplacer(base, docs.Base, data, "/var/lib/penstock", strings.TrimPrefix(base, "http://"), strings.TrimPrefix(docs.Base, "https://"))
	updated := string(source)
	for i, b := range blocks {
		if b.language != "json" || b.file != "" || i == 0 || blocks[i-1].language != "sh" {
			continue
		}
		printed, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.out", i-1)))
		if err != nil {
			t.Fatal(err)
		}
		var got, shown any
		if err := json.Unmarshal([]byte(back.Replace(string(printed))), &got); err != nil {
			t.Errorf("line %d: %v in %s", b.line, err, printed)
			continue
		}
		if err := json.Unmarshal([]byte(b.text), &shown); err != nil && !*updateDocuments {
			t.Errorf("line %d: %v", b.line, err)
		}
		if reflect.DeepEqual(withoutChance(got), withoutChance(shown)) {
			continue
		}
		var text bytes.Buffer
		if err := json.Indent(&text, []byte(back.Replace(strings.TrimSpace(string(printed)))), "", "  "); err != nil {
			t.Fatal(err)
		}
		answer := tokenValue.ReplaceAllString(text.String(), "${1}"+strings.Repeat("x", 46))
		if !*updateDocuments {
			t.Errorf("line %d shows another answer than: %s\nThe flag -update writes it there.", b.line, answer)
		}
		updated = strings.Replace(updated, "```json\n"+b.text+"```", "```json\n"+answer+"\n```", 1)
	}
	if *updateDocuments && updated != string(source) {
		if err := os.WriteFile(path, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// documentPrelude makes commands of documents fail aloud, runs a server with example data unless the document starts one, and only
// looks whether a target of make exists.
const documentPrelude = `
set -euo pipefail
curl() { command curl --silent --show-error --fail-with-body "$@"; }
make() { command make --silent --dry-run -C "$ROOT" "$@" >/dev/null; }
serve() {
  command "$PENSTOCK" serve "$@" --listen "${BASE#http://}" >serve.out 2>serve.err &
  server=$!
  trap 'kill "$server"; wait "$server" || true' EXIT
  until grep -q 'is ready' serve.out; do
    if ! kill -0 "$server"; then cat serve.err >&2; exit 1; fi
    sleep 0.05
  done
}
penstock() {
  if [[ $1 == serve ]]; then serve "${@:2}"
  elif [[ $1 == demo ]]; then exec "$PENSTOCK" "$@" # in the background, where what kills it must find it
  else "$PENSTOCK" "$@"; fi
}
bin/penstock() { penstock "$@"; }
printf %s "$PASSWORD" >password.txt
if [[ $STARTS_ITSELF == false ]]; then
  serve --data "$DATA" --base-url "$BASE" --bootstrap "$FIXTURE"
fi
`

// codeBlock is a block of code between fences.
type codeBlock struct {
	language string
	file     string // "": none
	text     string
	line     int
}

func codeBlocks(source string) (blocks []codeBlock) {
	var open *codeBlock
	for i, line := range strings.SplitAfter(source, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			open = &codeBlock{line: i + 1}
			open.language, open.file, _ = strings.Cut(fence, " ")
		case isFence:
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line
		}
	}
	return blocks
}

// byChance matches what differs by run, day or machine: ids, times, dates, tokens, and the version of curl in its User-Agent.
var byChance = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\b\d{4}-\d\d-\d\d(T[\d:.]+Z|\b)|\bpn[a-z]_\w+|\bcurl/[\w.-]+|[A-Za-z0-9+/_-]{40,}=*`)

// tokenValue matches a token.
var tokenValue = regexp.MustCompile(`\b(pn[a-z]_)\w{46}`)

// withoutChance returns a JSON value without what differs by run, day or machine.
func withoutChance(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			value[key] = withoutChance(member)
		}
	case []any:
		for i, member := range value {
			value[i] = withoutChance(member)
		}
	case string:
		return byChance.ReplaceAllString(value, "*")
	}
	return value
}

func TestAnswersOfDocumentsDifferByChance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		shown, got string
		same       bool
	}{
		{"2026-11-15", "2027-01-01", true},
		{"2026-11-15T21:34:43.458Z", "2027-01-01T00:00:00.001Z", true},
		{"curl/7.88.1", "curl/8.15.0-DEV", true},
		{"0190a1b2-0000-7000-8000-000000000001", "01a1e150-003d-7000-8000-2d1b6543454e", true},
		{"pnc_" + strings.Repeat("x", 46), "pnc_" + strings.Repeat("y", 46), true},
		{"2026-11-15", "", false},
		{"2026-11-15", "2026-11", false},
		{"2026-11-15", "2026-11-15T21:34:43.458", false},
		{"curl/7.88.1", "wget/7.88.1", false},
		{"Acme", "Acme Inc", false},
	} {
		shown, got := map[string]any{"list": []any{test.shown}}, map[string]any{"list": []any{test.got}}
		if same := reflect.DeepEqual(withoutChance(shown), withoutChance(got)); same != test.same {
			t.Errorf("%q and %q are the same: %t", test.shown, test.got, same)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
