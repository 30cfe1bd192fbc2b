package graph_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// parsedSchema returns the schema's own definitions.
func parsedSchema(t *testing.T) []*ast.Definition {
	t.Helper()
	files, err := filepath.Glob("schema/*.graphqls")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	var sources []*ast.Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: file, Input: string(text)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		t.Fatal(err)
	}
	return definitions(schema)
}

func definitions(schema *ast.Schema) (own []*ast.Definition) {
	for _, d := range schema.Types {
		if !d.BuiltIn {
			d.Fields = slices.DeleteFunc(d.Fields, func(f *ast.FieldDefinition) bool { return strings.HasPrefix(f.Name, "__") })
			own = append(own, d)
		}
	}
	return own
}

var keywords = map[ast.DefinitionKind]string{
	ast.Object: "type", ast.Interface: "interface", ast.Union: "union", ast.Enum: "enum", ast.InputObject: "input",
}

// namesOf returns a line for everything in a definition that clients can name.
func namesOf(d *ast.Definition) []string {
	if d.Kind == ast.Scalar {
		return []string{"scalar " + d.Name}
	}
	var lines []string
	add := func(format string, arguments ...any) { lines = append(lines, fmt.Sprintf(format, arguments...)) }
	kind := keywords[d.Kind]
	for _, member := range d.Types {
		add("%s %s = %s", kind, d.Name, member)
	}
	for _, name := range d.Interfaces {
		add("%s %s implements %s", kind, d.Name, name)
	}
	for _, value := range d.EnumValues {
		add("%s %s.%s", kind, d.Name, value.Name)
	}
	for _, f := range d.Fields {
		add("%s %s.%s%s: %s%s", kind, d.Name, f.Name, argumentsOf(f), f.Type, defaulting(f.DefaultValue))
	}
	return lines
}

func argumentsOf(f *ast.FieldDefinition) string {
	if len(f.Arguments) == 0 {
		return ""
	}
	var list []string
	for _, a := range f.Arguments {
		list = append(list, fmt.Sprintf("%s: %s%s", a.Name, a.Type, defaulting(a.DefaultValue)))
	}
	slices.Sort(list)
	return "(" + strings.Join(list, ", ") + ")"
}

func defaulting(value *ast.Value) string {
	if value == nil {
		return ""
	}
	return " = " + value.String()
}

// TestSchemaKeepsNames compares the schema with the names that clients rely on. New names may join them, except for input
// fields that clients would have to know.
func TestSchemaKeepsNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	relied := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		relied[strings.TrimSpace(line)] = true
	}
	inputs := map[string]bool{} // that clients know
	for line := range relied {
		if name, isInput := strings.CutPrefix(line, "input "); isInput {
			inputs[name[:strings.IndexByte(name, '.')]] = true
		}
	}
	for _, d := range parsedSchema(t) {
		for _, name := range namesOf(d) {
			required := d.Kind == ast.InputObject && strings.HasSuffix(name, "!")
			if !relied[name] && required && inputs[d.Name] {
				t.Errorf("clients do not know that they must send %s", name)
			}
			delete(relied, name)
		}
	}
	for name := range relied {
		t.Errorf("the schema has no %s", name)
	}
}

// TestNamesThatAreMissingAreListed compares the schema with testdata/absent.txt: names that clients of this interface know and the schema lacks. A name that joins the
// schema moves from there to names.txt, which PENSTOCK_UPDATE=1 does, so that the list is always what is left to serve.
func TestNamesThatAreMissingAreListed(t *testing.T) {
	t.Parallel()
	served := map[string]bool{}
	for _, d := range parsedSchema(t) {
		for _, name := range namesOf(d) {
			served[name] = true
		}
	}
	read := func(file string) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	const absentFile, namesFile = "testdata/absent.txt", "testdata/names.txt"
	absent, names := read(absentFile), read(namesFile)
	joined := slices.DeleteFunc(slices.Clone(absent), func(name string) bool { return !served[name] })
	if os.Getenv("PENSTOCK_UPDATE") == "1" {
		absent = slices.DeleteFunc(absent, func(name string) bool { return served[name] })
		names = append(names, joined...)
		slices.Sort(names)
		for file, lines := range map[string][]string{absentFile: absent, namesFile: names} {
			if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	for _, name := range joined {
		t.Errorf("%s is served: run this test with PENSTOCK_UPDATE=1, so that it stays", name)
	}
	for _, name := range names {
		if slices.Contains(absent, name) {
			t.Errorf("%s is in both lists", name)
		}
	}
}

// TestSchemaIsDescribed checks that introspection explains everything but the arguments that Connection explains.
func TestSchemaIsDescribed(t *testing.T) {
	t.Parallel()
	wellKnown := []string{"first", "last", "after", "before", "input"}
	check := func(description, format string, names ...any) {
		if !strings.HasSuffix(description, ".") {
			t.Errorf(format+" has no description that is a sentence: %q", append(names, description)...)
		}
	}
	for _, d := range parsedSchema(t) {
		check(d.Description, "%s", d.Name)
		for _, f := range d.Fields {
			check(f.Description, "%s.%s", d.Name, f.Name)
			for _, a := range f.Arguments {
				if !slices.Contains(wellKnown, a.Name) {
					check(a.Description, "%s.%s(%s:)", d.Name, f.Name, a.Name)
				}
			}
		}
		for _, value := range d.EnumValues {
			if value.Description != "" {
				check(value.Description, "%s.%s", d.Name, value.Name)
			}
		}
	}
}
