package web

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/endpoint/openapi"
)

// maxExampleDepth is how many objects inside each other an example has.
const maxExampleDepth = 4

// exampleWriter writes JSON as a schema describes it.
type exampleWriter struct {
	document *openapi.Document
	brief    bool // only what has to be given, and little more
}

// exampleOf returns a value that a schema allows, as JSON with a line for each member.
func exampleOf(d *openapi.Document, schema *openapi.Schema, brief bool) string {
	var b strings.Builder
	exampleWriter{d, brief}.write(&b, "", schema, 0)
	return indentJSON([]byte(b.String()))
}

func (w exampleWriter) write(b *strings.Builder, name string, schema *openapi.Schema, depth int) {
	for schema != nil && schema.Ref != "" {
		schema = w.document.Components.Schemas.Find(lastSegment(schema.Ref))
	}
	if schema == nil || depth > maxExampleDepth {
		b.WriteString("null")
		return
	}
	switch either := slices.Concat(schema.AnyOf, schema.OneOf); {
	case len(schema.Properties) > 0:
		w.writeObject(b, schema, depth)
	case len(either) > 0:
		w.write(b, name, either[0], depth)
	case schema.Items != nil:
		b.WriteByte('[')
		w.write(b, name, schema.Items, depth+1)
		b.WriteByte(']')
	default:
		w.writePlain(b, name, schema)
	}
}

// maxBrief is how many members of an object a brief example has besides those that have to be given.
const maxBrief = 2

func (w exampleWriter) writeObject(b *strings.Builder, schema *openapi.Schema, depth int) {
	b.WriteByte('{')
	more, first := maxBrief, true
	for _, p := range schema.Properties {
		if w.brief && !slices.Contains(schema.Required, p.Name) {
			if more--; more < 0 || p.Name == "slug" {
				continue
			}
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		quoted, _ := jsontext.AppendQuote(nil, p.Name) // it is a name
		b.Write(quoted)
		b.WriteByte(':')
		w.write(b, p.Name, p.Value, depth+1)
	}
	b.WriteByte('}')
}

// exampleTexts are what members with these names have in examples.
var exampleTexts = map[string]string{
	"name": "Example", "description": "What it is for", "emoji": ":rocket:", "color": "#a9cce3", "slug": "example",
	"key": "default", "email": "ada@example.com",
	"repository": "git@example.com:acme/web.git", "branch": "main", "default_branch": "main", "commit": "HEAD",
	"message": "Fix the tests", "graphql_id": "Q2x1c3Rlci0tLTAx",
	"configuration": "steps:\n  - command: make test", "allowed_ip_addresses": "192.0.2.0/24",
}

func (w exampleWriter) writePlain(b *strings.Builder, name string, schema *openapi.Schema) {
	kind := ""
	if len(schema.Type) > 0 {
		kind = schema.Type[0]
	}
	text := exampleTexts[name]
	switch {
	case len(schema.Enum) > 0:
		text = schema.Enum[0]
	case kind == "boolean":
		b.WriteString("true")
		return
	case kind == "integer" || kind == "number":
		b.WriteString("1")
		return
	case kind == "object" || kind == "":
		b.WriteString("{}")
		return
	case kind == "null":
		b.WriteString("null")
		return
	case schema.Format == "uuid":
		text = "0190a1b2-0000-7000-8000-000000000001"
	case schema.Format == "date-time":
		text = "2026-01-31T12:00:00.000Z"
	case schema.Format == "date":
		text = "2026-01-31"
	case schema.Format == "uri" || strings.HasSuffix(name, "url"):
		text = "https://example.com/"
	case text == "":
		text = "…"
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		quoted = []byte("null")
	}
	b.Write(quoted)
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// exampleRequest returns a command that calls an operation.
func (s *Site) exampleRequest(d *openapi.Document, path, method string, o *openapi.Operation) string {
	path = pathParameter.ReplaceAllStringFunc(path, func(name string) string {
		if name == "{org}" {
			return "acme-inc"
		}
		return "$" + strings.ToUpper(name[1:len(name)-1])
	})
	var b strings.Builder
	b.WriteString("curl ")
	if method = strings.ToUpper(method); method != "GET" {
		b.WriteString("-X " + method + " ")
	}
	b.WriteString("\"" + s.BaseURL + path + "\" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	if o.RequestBody != nil {
		body := exampleOf(d, o.RequestBody.Content.Find(openapi.JSON).Schema, true)
		b.WriteString(" \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(body, "'", `'\\''`) + "'")
	}
	return b.String()
}
