package web

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/endpoint/openapi"
)

// reference is the REST reference: a page for each tag.
type reference struct {
	Introduction template.HTML
	Tags         []*referenceTag
}

type referenceTag struct {
	Name, Slug, Description string
	Operations              []referenceOperation
	Objects                 []referenceObject // that the operations take and answer
	Errors                  []referenceAnswer // that the operations can end with
}

type referenceOperation struct {
	ID, Method, Path, Summary string
	Needs                     template.HTML
	Request                   string // a command that calls it
	Parameters                []referenceProperty
	Body                      *referenceType // nil: none
	Answers                   []referenceAnswer
	Errors                    []referenceAnswer
}

type referenceAnswer struct {
	Status, Description string
	Type                *referenceType // nil: none
}

// referenceType is a type in words, with the object that it is about.
type referenceType struct {
	Before, Object, After string
}

type referenceObject struct {
	Name, Description string
	Example           string // as JSON
	Given             bool   // callers send it, and have to know what is required
	Properties        []referenceProperty
}

type referenceProperty struct {
	Name        string
	Type        referenceType
	Required    bool
	Description template.HTML
}

// reference returns the reference, which is made once. It is nil if the REST API is not described.
func (s *Site) reference() *reference {
	s.referenceOnce.Do(func() {
		if s.OpenAPI != nil {
			s.referenceRead = s.newReference(s.OpenAPI())
		}
	})
	return s.referenceRead
}

func (s *Site) newReference(d *openapi.Document) *reference {
	r := &reference{Introduction: s.documents()["rest"].Body}
	for _, tag := range d.Tags {
		r.Tags = append(r.Tags, &referenceTag{Name: tag.Name, Slug: domain.MakeSlug(tag.Name), Description: tag.Description})
	}
	for _, path := range d.Paths {
		for _, method := range path.Value.Operations {
			for _, tag := range r.Tags {
				if slices.Contains(method.Value.Tags, tag.Name) {
					tag.Operations = append(tag.Operations, s.newOperation(d, path.Name, method.Name, method.Value))
				}
			}
		}
	}
	for _, tag := range r.Tags {
		tag.Objects = objectsOf(d, tag.Operations)
		for _, operation := range tag.Operations {
			tag.Errors = append(tag.Errors, operation.Errors...)
		}
		slices.SortFunc(tag.Errors, func(a, b referenceAnswer) int { return strings.Compare(a.Status, b.Status) })
		tag.Errors = slices.CompactFunc(tag.Errors, func(a, b referenceAnswer) bool { return a.Status == b.Status })
	}
	return r
}

func (s *Site) newOperation(d *openapi.Document, path, method string, o *openapi.Operation) referenceOperation {
	operation := referenceOperation{ID: o.ID, Method: strings.ToUpper(method), Path: path, Summary: o.Summary,
		Needs:   renderInline(o.Description),
		Request: s.exampleRequest(d, path, method, o)}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters.Find(lastSegment(p.Ref))
		}
		if p.In == "query" {
			operation.Parameters = append(operation.Parameters, referenceProperty{Name: p.Name, Type: describeType(p.Schema),
				Description: renderInline(p.Description)})
		}
	}
	if o.RequestBody != nil {
		operation.Body = contentType(o.RequestBody.Content)
	}
	for _, answer := range o.Responses {
		response := answer.Value
		if response.Ref != "" {
			response = d.Components.Responses.Find(lastSegment(response.Ref))
		}
		shown := referenceAnswer{Status: answer.Name, Description: response.Description}
		if !strings.HasPrefix(answer.Name, "2") {
			operation.Errors = append(operation.Errors, shown)
			continue
		}
		shown.Type = contentType(response.Content)
		operation.Answers = append(operation.Answers, shown)
	}
	return operation
}

// contentType returns what a body is in the first of its media types.
func contentType(content openapi.Map[openapi.ContentSchema]) *referenceType {
	if len(content) == 0 {
		return nil
	}
	t := describeType(content[0].Value.Schema)
	return &t
}

// objectsOf returns the objects that operations name, and those that they name in turn.
func objectsOf(d *openapi.Document, operations []referenceOperation) (objects []referenceObject) {
	var names []string
	note := func(t *referenceType) {
		if t != nil && t.Object != "" && !slices.Contains(names, t.Object) {
			names = append(names, t.Object)
		}
	}
	for _, operation := range operations {
		note(operation.Body)
	}
	given := len(names)
	for _, operation := range operations {
		for _, answer := range operation.Answers {
			note(answer.Type)
		}
	}
	for i := 0; i < len(names); i++ { // it grows
		schema := d.Components.Schemas.Find(names[i])
		if schema == nil {
			continue
		}
		object := referenceObject{Name: names[i], Description: schema.Description, Properties: propertiesOf(schema, ""),
			Example: exampleOf(d, schema, false), Given: i < given}
		for _, p := range object.Properties {
			note(&p.Type)
		}
		for _, alternative := range slices.Concat(schema.AnyOf, schema.OneOf) {
			t := describeType(alternative)
			note(&t)
		}
		objects = append(objects, object)
	}
	return objects
}

// propertiesOf returns an object's properties, and after each one those of an object inside it, by their path.
func propertiesOf(schema *openapi.Schema, prefix string) (properties []referenceProperty) {
	for _, p := range schema.Properties {
		properties = append(properties, referenceProperty{
			Name: prefix + p.Name, Type: describeType(p.Value), Required: slices.Contains(schema.Required, p.Name),
			Description: renderInline(p.Value.Description),
		})
		properties = append(properties, propertiesOf(p.Value, prefix+p.Name+".")...)
		if p.Value.Items != nil {
			properties = append(properties, propertiesOf(p.Value.Items, prefix+p.Name+"[].")...)
		}
	}
	return properties
}

// describeType says what values a schema allows.
func describeType(schema *openapi.Schema) referenceType {
	switch {
	case schema.Ref != "":
		return referenceType{Object: lastSegment(schema.Ref)}
	case schema.Items != nil:
		t := describeType(schema.Items)
		t.Before = "list of " + t.Before
		return t
	case len(schema.AnyOf)+len(schema.OneOf) > 0 && len(schema.Properties) == 0:
		return describeEither(slices.Concat(schema.AnyOf, schema.OneOf))
	case len(schema.Enum) > 0:
		return referenceType{Before: strings.Join(schema.Enum, " or ")}
	}
	text := strings.Join(schema.Type, " or ")
	if schema.Format != "" {
		text = strings.Replace(text, "string", schema.Format, 1)
	}
	return referenceType{Before: text}
}

// describeEither says what values one of several schemas allows; the first object among them is the one that is named
// as such.
func describeEither(schemas []*openapi.Schema) (either referenceType) {
	for i, schema := range schemas {
		t := describeType(schema)
		if i > 0 {
			t.Before = " or " + t.Before
		}
		switch {
		case either.Object == "" && t.Object != "":
			either.Before, either.Object = either.Before+t.Before, t.Object
		case either.Object == "":
			either.Before += t.Before
		default:
			either.After += t.Before + t.Object
		}
	}
	return either
}

func lastSegment(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// renderInline turns a line of text into HTML; what stands between backquotes is code.
func renderInline(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String()) //nolint:gosec // it is escaped
}

type docsRESTView struct {
	*reference
	JSON    string // address of the description itself
	BaseURL string
}

func showRESTDocs(c *call) (*reply, error) {
	r := c.reference()
	if r == nil {
		return c.replyWithProblem(http.StatusNotFound, "The REST reference is not available here."), nil
	}
	return c.show(c.docsFrame("docs_rest", "REST", "rest", docsRESTView{r, c.link("v2", "openapi.json"), c.BaseURL})), nil
}

func showRESTTag(c *call) (*reply, error) {
	if r := c.reference(); r != nil {
		for _, tag := range r.Tags {
			if tag.Slug == c.R.PathValue("tag") {
				return c.show(c.docsFrame("docs_tag", tag.Name, "rest", tag)), nil
			}
		}
	}
	return nil, errNoSuchDocument
}
