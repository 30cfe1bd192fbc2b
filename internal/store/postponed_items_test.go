package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestPostponedItemsAreLeftOut fails for a kind of work whose statement finds items again that were postponed.
func TestPostponedItemsAreLeftOut(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds, leftOut := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "ItemKind" {
					kinds[n.Names[0].Name] = true
				}
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.Ident)
				if !ok || called.Name != "ifDue" {
					return true
				}
				if kind, ok := n.Args[0].(*ast.Ident); ok {
					leftOut[kind.Name] = true
				}
			}
			return true
		})
	}
	for kind := range kinds {
		if !leftOut[kind] {
			t.Errorf("no statement has ifDue(%s, …) in its condition: items that were postponed are found again at once", kind)
		}
	}
	if len(kinds) < 10 {
		t.Errorf("only %d kinds were found", len(kinds))
	}
}
