package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says which of our packages each package may import: imports point only downwards, and a surface imports
// neither the store nor another surface.
var rooms = map[string][]string{
	"policy":    {},
	"domain":    {"policy"},
	"authz":     {"domain"},
	"hosted":    {"domain"},
	"bootstrap": {"domain", "policy"},
	"db":        {},
	"backup":    {"db"},
	"store":     {"db", "authz", "domain"},
	"service":   {"store", "db", "authz", "domain", "policy", "bootstrap", "hosted"},
	"loops":     {"service", "authz", "domain"},
	"endpoint":  {"httpcall", "authz", "domain"},
	"rest":      {"service", "endpoint", "httpcall", "authz", "domain"},
	"gql":       {},
	"graph":     {"gql", "service", "httpcall", "authz", "domain"},
	"web":       {"service", "endpoint", "httpcall", "authz", "domain", "policy"},
	"httpcall":  {"domain"},
	"config":    {"domain"},
	"server":    {"rest", "graph", "web", "httpcall", "loops", "service", "config", "bootstrap", "hosted", "db", "authz", "domain"},
	"testkit":   {"backup", "rest", "graph", "httpcall", "service", "bootstrap", "hosted", "db", "authz", "domain"},
	"bench":     {"rest", "graph", "httpcall", "gql", "service", "policy", "db", "authz", "domain"},
}

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room := strings.Split(filepath.ToSlash(file), "/")[0]
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s: the room %s is not in the list; say what it may import", file, room)
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
			if target, _, _ := strings.Cut(below, "/"); ours && target != room && !slices.Contains(allowed, target) {
				t.Errorf("%s imports %s; %s may import %v", file, imported, room, allowed)
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
