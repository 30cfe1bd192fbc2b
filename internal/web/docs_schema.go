package web

import (
	"regexp"
	"strings"
)

// definition is a type of the GraphQL schema.
type definition struct {
	Kind, Name, Description string
	Text                    string // as it stands in the schema
}

var definitionStart = regexp.MustCompile(`^(type|interface|enum|input|union|scalar) (\w+)`)

// schema reads the GraphQL schema once. It is empty if there is none.
func (s *Site) schema() []definition {
	s.schemaOnce.Do(func() { s.schemaRead = definitionsOf(s.GraphQLSchema) })
	return s.schemaRead
}

// definitionsOf splits a schema into its definitions: each begins a line, and its description stands in the line
// before.
func definitionsOf(schema string) (definitions []definition) {
	description := ""
	for line := range strings.Lines(schema) {
		found := definitionStart.FindStringSubmatch(line)
		switch {
		case found != nil:
			definitions = append(definitions, definition{Kind: found[1], Name: found[2], Description: strings.Trim(description,
				"\" \n"), Text: line})
			description = ""
		case strings.HasPrefix(line, `"`):
			description = line
		case len(definitions) > 0 && strings.TrimSpace(line) != "":
			definitions[len(definitions)-1].Text += line
		}
	}
	return definitions
}

type docsSchemaView struct{ Kinds []schemaKind }

// schemaKind is the types of one kind.
type schemaKind struct {
	Title string
	Types []definition
}

var schemaKinds = []struct{ kind, title string }{
	{"type", "Types"}, {"interface", "Interfaces"}, {"union", "Unions"}, {"enum", "Enumerations"}, {"input", "Inputs"},
	{"scalar", "Scalars"},
}

func showSchema(c *call) (*reply, error) {
	var view docsSchemaView
	for _, k := range schemaKinds {
		one := schemaKind{Title: k.title}
		for _, d := range c.schema() {
			if d.Kind == k.kind {
				one.Types = append(one.Types, d)
			}
		}
		if len(one.Types) > 0 {
			view.Kinds = append(view.Kinds, one)
		}
	}
	if len(view.Kinds) == 0 {
		return nil, errNoSuchDocument
	}
	return c.show(c.docsFrame("docs_schema", "GraphQL schema", "graphql", view)), nil
}

type docsTypeView struct {
	definition
	Mentions []string // the types that it names
}

var wordPattern = regexp.MustCompile(`\w+`)

func showSchemaType(c *call) (*reply, error) {
	known := map[string]bool{}
	for _, d := range c.schema() {
		known[d.Name] = true
	}
	for _, d := range c.schema() {
		if d.Name != c.R.PathValue("type") {
			continue
		}
		view := docsTypeView{definition: d}
		known[d.Name] = false
		for _, name := range wordPattern.FindAllString(d.Text, -1) {
			if known[name] {
				known[name] = false
				view.Mentions = append(view.Mentions, name)
			}
		}
		return c.show(c.docsFrame("docs_type", d.Name, "graphql", view)), nil
	}
	return nil, errNoSuchDocument
}
