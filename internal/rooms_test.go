package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says which of our packages each package may import: imports point only downwards, a surface imports neither the store nor
// another surface, and areas of the service import its core, never each other. A room is a folder; what is not in the list belongs to
// the room above it. "service/..." stands for the service and all of its areas.
var rooms = map[string][]string{
	"pattern":          {},
	"policy":           {"pattern"},
	"seal":             {},
	"markdown":         {},
	"steps":            {"pattern"},
	"cron":             {},
	"domain":           {"markdown", "policy", "steps", "cron"},
	"authz":            {"domain"},
	"hosted":           {"domain"},
	"mailer":           {"domain"},
	"bootstrap":        {"domain", "policy"},
	"db":               {},
	"blob":             {"domain"},
	"wake":             {"db"},
	"backup":           {"db", "blob"},
	"store":            {"db", "authz", "domain", "policy", "steps"},
	"service/core":     {"store", "db", "seal", "authz", "domain"},
	"service/read":     {"service/core", "store", "authz", "domain"},
	"service/apply":    {"service/core", "store", "db", "authz", "domain", "bootstrap"},
	"service/starts":   {"service/core", "store", "authz", "domain"},
	"service/builds":   {"service/core", "store", "db", "blob", "authz", "domain", "markdown", "policy", "steps"},
	"service":          {"service/core", "store", "authz", "domain", "hosted"},
	"dispatch":         {"service/builds", "wake", "authz", "domain"},
	"loops":            {"service/...", "authz", "domain"},
	"httpcall":         {"domain"},
	"endpoint":         {"httpcall", "authz", "domain"},
	"endpoint/openapi": {"endpoint", "domain"},
	"agentapi":         {"service/builds", "dispatch", "wake", "httpcall", "authz", "domain"},
	"rest":             {"service/...", "endpoint", "endpoint/openapi", "httpcall", "authz", "domain"},
	"gql":              {},
	"graph":            {"gql", "service/...", "httpcall", "authz", "domain"},
	"web":              {"service/...", "endpoint/openapi", "httpcall", "markdown", "authz", "domain", "policy"},
	"config":           {"domain"},
	"server": {
		"rest", "graph", "web", "agentapi", "dispatch", "httpcall", "endpoint/openapi", "loops", "service/...", "config", "bootstrap", "hosted", "mailer", "backup", "blob", "wake", "db", "seal", "authz", "domain",
	},
	"testkit":          {"testkit/used", "backup", "rest", "graph", "httpcall", "service/...", "bootstrap", "hosted", "blob", "db", "seal", "authz", "domain"},
	"testkit/agent":    {"testkit/checkout", "testkit/used"},
	"testkit/checkout": {},
	"testkit/chromium": {"testkit/checkout", "testkit/node", "testkit/used"},
	"testkit/node":     {"testkit/used"},
	"testkit/s3server": {"testkit/checkout", "testkit/used"},
	"testkit/used":     {},
	"bench":            {"bench/load", "rest", "graph", "web", "agentapi", "dispatch", "wake", "httpcall", "gql", "service/...", "policy", "db", "authz", "domain"},
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
				t.Errorf("%s imports %s; %s may import %v", file, imported, room, rooms[room])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSurfacesNeverActAsAnOperator keeps requests from being given an operator's rights.
func TestSurfacesNeverActAsAnOperator(t *testing.T) {
	t.Parallel()
	for _, room := range []string{"rest", "graph", "web", "endpoint", "httpcall", "gql"} {
		files, err := filepath.Glob(room + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(room, files, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			var refuse func(ast.Node) bool
			refuse = func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr: // a table of surfaces may have operators among its keys
					ast.Inspect(n.Value, refuse)
					return false
				case *ast.SelectorExpr:
					if from, ok := n.X.(*ast.Ident); ok && from.Name == "authz" && strings.HasPrefix(n.Sel.Name, "Operator") {
						t.Errorf("%s uses authz.%s; operators' work is started in server, loops and cmd", file, n.Sel.Name)
					}
				}
				return true
			}
			ast.Inspect(parsed, refuse)
		}
	}
}
