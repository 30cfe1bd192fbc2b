package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says which of our packages each package may import: imports point only downwards, a surface imports neither the store nor
// another surface, and areas of the service import its core, never each other. A room is a folder; what is not in the list belongs to
// the room above it. "service/..." stands for the service and all of its areas.
var rooms = map[string][]string{
	"pattern":           {},
	"junit":             {},
	"policy":            {"pattern"},
	"seal":              {},
	"markdown":          {},
	"steps":             {"pattern"},
	"cron":              {},
	"flow":              {"steps"},
	"domain":            {"flow", "markdown", "policy", "steps", "cron"},
	"authz":             {"domain"},
	"hosted":            {"domain"},
	"mailer":            {"domain"},
	"outbound":          {},
	"provider":          {"domain"},
	"bootstrap":         {"domain", "policy"},
	"db":                {},
	"blob":              {"domain"},
	"wake":              {"db"},
	"backup":            {"db", "blob"},
	"store":             {"db", "authz", "domain", "flow", "policy", "steps"},
	"service/core":      {"store", "db", "seal", "authz", "domain", "flow", "steps"},
	"service/read":      {"service/core", "store", "authz", "domain"},
	"service/apply":     {"service/core", "store", "db", "authz", "domain", "bootstrap"},
	"service/notices":   {"service/core", "store", "provider", "authz", "domain", "flow", "steps"},
	"service/starts":    {"service/core", "store", "provider", "steps", "authz", "domain"},
	"service/builds":    {"service/core", "store", "db", "authz", "domain", "flow", "markdown", "steps"},
	"service/agents":    {"service/core", "store", "authz", "domain", "flow"},
	"service/logs":      {"service/core", "store", "blob", "authz", "domain", "flow"},
	"service/artifacts": {"service/core", "store", "blob", "authz", "domain", "junit"},
	"service/caches":    {"service/core", "store", "authz", "domain", "policy"},
	"service":           {"service/core", "store", "authz", "domain", "flow", "hosted"},
	"dispatch":          {"service/core", "service/builds", "wake", "authz", "domain", "flow"},
	"loops":             {"service/...", "authz", "domain"},
	"httpcall":          {"domain"},
	"endpoint":          {"httpcall", "authz", "domain"},
	"endpoint/openapi":  {"endpoint", "domain"},
	"agentapi":          {"service/core", "service/builds", "service/agents", "service/logs", "service/artifacts", "service/caches", "dispatch", "wake", "endpoint", "endpoint/openapi", "httpcall", "authz", "domain"},
	"rest":              {"service/...", "provider", "endpoint", "endpoint/openapi", "httpcall", "authz", "domain", "flow"},
	"gql":               {},
	"graph":             {"gql", "service/...", "httpcall", "authz", "domain", "flow"},
	"web":               {"service/...", "endpoint/openapi", "httpcall", "markdown", "pattern", "authz", "domain", "flow", "policy"},
	"config":            {"domain"},
	"server": {
		"rest", "graph", "web", "agentapi", "dispatch", "httpcall", "endpoint/openapi", "loops", "service/...", "config", "bootstrap", "hosted", "mailer", "outbound", "backup", "blob", "wake", "db", "seal", "authz", "domain",
	},
	"testkit":          {"testkit/used", "backup", "rest", "graph", "httpcall", "service/...", "outbound", "bootstrap", "hosted", "blob", "store", "db", "seal", "authz", "domain"},
	"testkit/forge":    {"testkit/used"},
	"testkit/running":  {"testkit", "agentapi", "loops", "dispatch", "httpcall", "wake", "bootstrap", "service/...", "blob", "db", "seal", "authz", "domain"},
	"testkit/matrix":   {"testkit", "service/...", "db", "authz", "domain"},
	"testkit/agent":    {"testkit/checkout", "testkit/used"},
	"testkit/checkout": {},
	"testkit/chromium": {"testkit/checkout", "testkit/node", "testkit/used"},
	"testkit/node":     {"testkit/used"},
	"testkit/s3server": {"testkit/checkout", "testkit/used"},
	"testkit/used":     {},
	"bench":            {"bench/load", "rest", "graph", "web", "agentapi", "dispatch", "wake", "httpcall", "gql", "service/...", "policy", "store", "outbound", "seal", "db", "authz", "domain"},
	"bench/load":       {},
}

// roomOf returns the room that a folder below internal belongs to.
func roomOf(folder string) (string, bool) {
	for ; folder != "."; folder = path.Dir(folder) {
		if _, known := rooms[folder]; known {
			return folder, true
		}
	}
	return "", false
}

func mayImport(room, imported string) bool {
	return slices.ContainsFunc(rooms[room], func(allowed string) bool {
		below, all := strings.CutSuffix(allowed, "/...")
		return imported == allowed || all && (imported == below || strings.HasPrefix(imported, below+"/"))
	})
}

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room, known := roomOf(path.Dir(filepath.ToSlash(file)))
		if !known {
			t.Errorf("%s is in no room of the list; say what it may import", file)
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			below, ours := strings.CutPrefix(imported, "penstock/internal/")
			if !ours {
				continue
			}
			target, known := roomOf(below)
			if !known || target != room && !mayImport(room, target) {
				t.Errorf("%s imports %s, and %s may import only %v: see \"The rule\" in CONTRIBUTING.md", file, imported, room, rooms[room])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// surfaces are the rooms that answer requests. None of them acts as an operator, or imports another surface.
var surfaces = []string{"rest", "graph", "web", "agentapi"}

// TestSurfacesNeverActAsAnOperator keeps requests from being given an operator's rights.
func TestSurfacesNeverActAsAnOperator(t *testing.T) {
	t.Parallel()
	for _, room := range append([]string{"endpoint", "httpcall", "gql"}, surfaces...) {
		files := 0
		err := filepath.WalkDir(room, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			files++
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err == nil {
				refuseOperators(t, file, parsed)
			}
			return err
		})
		if err != nil || files == 0 {
			t.Errorf("%s has %d files: %v", room, files, err)
		}
	}
}

func refuseOperators(t *testing.T, file string, parsed *ast.File) {
	t.Helper()
	var refuse func(ast.Node) bool
	refuse = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr: // a table of surfaces may have operators among its keys
			ast.Inspect(n.Value, refuse)
			return false
		case *ast.SelectorExpr:
			if from, ok := n.X.(*ast.Ident); ok && from.Name == "authz" && strings.HasPrefix(n.Sel.Name, "Operator") {
				t.Errorf("%s uses authz.%s; operators' work is started in server, loops, dispatch and cmd", file, n.Sel.Name)
			}
		}
		return true
	}
	ast.Inspect(parsed, refuse)
}

// TestTheLinterKnowsAllSurfaces compares the linter's rule about surfaces with the rooms.
func TestTheLinterKnowsAllSurfaces(t *testing.T) {
	t.Parallel()
	settings, err := os.ReadFile("../.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, surface := range surfaces {
		if rule := "{pkg: penstock/internal/" + surface + ", desc: a surface never imports another}"; !strings.Contains(string(settings), rule) {
			t.Errorf(".golangci.yml lacks %s", rule)
		}
		for _, other := range surfaces {
			if other != surface && mayImport(surface, other) {
				t.Errorf("%s may import %s; a surface never imports another", surface, other)
			}
		}
	}
}

// TestContributingListsEveryRoom compares the table in CONTRIBUTING.md with the rooms, and these with the folders.
func TestContributingListsEveryRoom(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, name := range regexp.MustCompile("`internal/([a-z0-9/]+)`").FindAllStringSubmatch(first, -1) {
			if strings.HasPrefix(line, "| `internal/") {
				listed[name[1]] = true
			}
		}
	}
	for room := range rooms {
		if _, err := os.Stat(room); err != nil {
			t.Errorf("there is no room %s: %v", room, err)
		}
		// What only tests use is listed with its first folder.
		top, _, below := strings.Cut(room, "/")
		if !listed[room] && (!below || top != "testkit" && top != "bench" || !listed[top]) {
			t.Errorf("CONTRIBUTING.md does not list internal/%s", room)
		}
	}
	for room := range listed {
		if _, known := rooms[room]; !known && room != "scenarios" {
			t.Errorf("CONTRIBUTING.md lists internal/%s, which is no room", room)
		}
	}
	if !listed["scenarios"] { // not a room of its own
		t.Error("CONTRIBUTING.md does not list internal/scenarios")
	}
}
