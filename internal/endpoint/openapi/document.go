// Package openapi describes an API of internal/endpoint, as OpenAPI 3.1: its table of endpoints becomes a Document,
// which is served as JSON and drawn as pages. It imports internal/endpoint of ours.
package openapi

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is an OpenAPI document, as far as APIs of ours need it. Something with a Ref is nothing else: what is meant
// is among the Components, under the same name.
type Document struct {
	OpenAPI    string         `json:"openapi"`
	Info       Info           `json:"info"`
	Servers    []Server       `json:"servers"`
	Tags       []Tag          `json:"tags"`
	Paths      Map[*PathItem] `json:"paths"`
	Components Components     `json:"components"`
}

// Info says what the document is about.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"` // Markdown
}

// Server is where the API is.
type Server struct {
	URL string `json:"url"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// PathItem is a path with its operations, by their methods in lower case.
type PathItem struct {
	Parameters []*Parameter
	Operations Map[*Operation]
}

// MarshalJSONTo writes the operations beside the parameters.
func (p *PathItem) MarshalJSONTo(out *jsontext.Encoder) error {
	var members Map[any]
	if p.Parameters != nil {
		members.add("parameters", p.Parameters)
	}
	for _, operation := range p.Operations {
		members.add(operation.Name, operation.Value)
	}
	return members.MarshalJSONTo(out)
}

// Operation is what a method does on a path.
type Operation struct {
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Tags        []string              `json:"tags"`
	Security    []map[string][]string `json:"security"`
	Parameters  []*Parameter          `json:"parameters,omitzero"`
	RequestBody *RequestBody          `json:"requestBody,omitzero"`
	Responses   Map[*Response]        `json:"responses"` // by status
}

// Parameter is a part of the path, the query or the headers of a request.
type Parameter struct {
	Ref         string  `json:"$ref,omitzero"`
	Name        string  `json:"name,omitzero"`
	In          string  `json:"in,omitzero"`
	Description string  `json:"description,omitzero"`
	Required    bool    `json:"required,omitzero"`
	Schema      *Schema `json:"schema,omitzero"`
}

// DescribePathParameter returns a part of a path, which is a text of that format; "" for any.
func DescribePathParameter(name, format, doc string) *Parameter {
	return &Parameter{Name: name, In: "path", Description: doc, Required: true,
		Schema: &Schema{Type: Types{"string"}, Format: format}}
}

// RequestBody is the body of a request.
type RequestBody struct {
	Required bool               `json:"required,omitzero"`
	Content  Map[ContentSchema] `json:"content"` // by media type
}

// Response is an answer.
type Response struct {
	Ref         string             `json:"$ref,omitzero"`
	Description string             `json:"description,omitzero"`
	Headers     Map[*Header]       `json:"headers,omitzero"`
	Content     Map[ContentSchema] `json:"content,omitzero"` // by media type; nil: none
}

// Header is a header of an answer.
type Header struct {
	Ref         string  `json:"$ref,omitzero"`
	Description string  `json:"description,omitzero"`
	Required    bool    `json:"required,omitzero"`
	Schema      *Schema `json:"schema,omitzero"`
}

// JSON is the media type of JSON.
const JSON = "application/json"

// ContentSchema says what a body is in a media type.
type ContentSchema struct {
	Schema *Schema `json:"schema"`
}

// Components are what others refer to.
type Components struct {
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
	Parameters      Map[*Parameter]           `json:"parameters"`
	Headers         Map[*Header]              `json:"headers"`
	Responses       Map[*Response]            `json:"responses"`
	Schemas         Map[*Schema]              `json:"schemas"`
}

// SecurityScheme is a way to prove who asks.
type SecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

// Schema says what a value can be.
type Schema struct {
	Ref                  string       `json:"$ref,omitzero"`
	Type                 Types        `json:"type,omitzero"`
	Format               string       `json:"format,omitzero"`
	Pattern              string       `json:"pattern,omitzero"`
	Enum                 []string     `json:"enum,omitzero"`
	Minimum              int          `json:"minimum,omitzero"`
	Maximum              int          `json:"maximum,omitzero"`
	Default              int          `json:"default,omitzero"`
	MinLength            int          `json:"minLength,omitzero"`
	MaxLength            int          `json:"maxLength,omitzero"`
	Items                *Schema      `json:"items,omitzero"`
	MinItems             int          `json:"minItems,omitzero"`
	MaxItems             int          `json:"maxItems,omitzero"`
	UniqueItems          bool         `json:"uniqueItems,omitzero"`
	PropertyNames        *Schema      `json:"propertyNames,omitzero"`
	AnyOf                []*Schema    `json:"anyOf,omitzero"`
	Description          string       `json:"description,omitzero"`
	Properties           Map[*Schema] `json:"properties,omitzero"`
	Required             []string     `json:"required,omitzero"`
	OneOf                []*Schema    `json:"oneOf,omitzero"`
	AdditionalProperties any          `json:"additionalProperties,omitzero"` // false, or a *Schema; nil: any
}

// Types are the JSON types that a value can have.
type Types []string

// MarshalJSONTo writes a single type without a list around it.
func (t Types) MarshalJSONTo(out *jsontext.Encoder) error {
	if len(t) == 1 {
		return json.MarshalEncode(out, t[0])
	}
	return json.MarshalEncode(out, []string(t))
}

// OrNull returns the schema of what the schema allows, or null.
func (s *Schema) OrNull() *Schema {
	// A list of values would have to name null too.
	if s.Type == nil || s.Enum != nil {
		return &Schema{AnyOf: []*Schema{s, {Type: Types{"null"}}}}
	}
	nullable := *s
	nullable.Type = append(slices.Clone(s.Type), "null")
	return &nullable
}

// WithDescription returns the schema with what it is about.
func (s *Schema) WithDescription(description string) *Schema {
	described := *s
	described.Description = description
	return &described
}

// Map is a JSON object whose members keep their order.
type Map[T any] []Member[T]

// Member is a member of a Map.
type Member[T any] struct {
	Name  string
	Value T
}

func (m *Map[T]) add(name string, value T) { *m = append(*m, Member[T]{name, value}) }

// Find returns the member with that name, or the zero value.
func (m Map[T]) Find(name string) (value T) {
	for _, member := range m {
		if member.Name == name {
			return member.Value
		}
	}
	return value
}

// MarshalJSONTo writes the object.
func (m Map[T]) MarshalJSONTo(out *jsontext.Encoder) error {
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, member := range m {
		if err := out.WriteToken(jsontext.String(member.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(out, member.Value); err != nil {
			return err
		}
	}
	return out.WriteToken(jsontext.EndObject)
}

// Marshal returns the document as JSON, always the same for the same document.
func Marshal(d *Document) []byte {
	text, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		panic(err) // it is made of the program's own values
	}
	return text
}
