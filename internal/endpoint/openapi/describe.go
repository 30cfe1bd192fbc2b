package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

// The schemas of bodies and answers are made from their types. What a type cannot say, the tags of its
// fields do:
//
//	doc       what the property is
//	input     in a body: what it can be, after the doc
//	format    as in JSON Schema
//	pattern   in a body: as in JSON Schema
//	enum      the values that it can have, with commas between
//	required  in a body: "true", or "create" if only operations that create something need it
//	nullable  in a body: "false" if it can be left out but not be null; in an answer: "true" if raw JSON, or a list of a
//	          lenient API, can be null
//	oneOf     in a body: "true" for properties of which exactly one is to be given
//	managed   in an answer: "true" if only those who may manage the cluster see it
//	schema    of raw JSON: which of the written schemas it follows

// API is what a description is made from.
type API struct {
	Title          string
	Version        string
	Introduction   string // what a reader sees first; Markdown
	BaseURL        string
	Security       SecurityScheme
	MaxBody        int64 // bytes
	Lenient        bool  // it is served as endpoint.Options.Lenient says
	Endpoints      []endpoint.Endpoint
	Areas          []Area
	PathParameters []*Parameter
	SchemaDocs     map[string]string  // what the schemas are, by their names
	WrittenSchemas map[string]*Schema // those that no type says
	Texts          map[string]string  // of headers and common responses that are others than usual, by their names
	LimitAnswer    any                // to who has made too many requests; nil: an endpoint.LimitAnswer
}

// Area is a part of an API, by which its operations are grouped: what is at its path, and below. One without a Doc is
// another path of the area of that name.
type Area struct{ Path, Name, Doc string }

// Describe returns the description of an API, always the same for the same API.
func Describe(a API) *Document {
	d := describer{API: a, components: map[string]component{}, referred: map[string]bool{}}
	document := &Document{
		OpenAPI: "3.1.0",
		Info:    Info{Title: a.Title, Version: a.Version, Description: a.Introduction},
		Servers: []Server{{a.BaseURL}},
		Paths:   d.paths(),
	}
	document.Components = Components{
		SecuritySchemes: map[string]SecurityScheme{"token": a.Security},
		Parameters:      d.parameters(),
		Responses:       d.commonResponses(),
		Headers:         d.headers(), // which the responses refer to
	}
	for _, area := range a.Areas {
		if area.Doc != "" {
			document.Tags = append(document.Tags, Tag{area.Name, area.Doc})
		}
	}
	document.Components.Schemas = d.schemas()
	return document
}

// describer describes endpoints and collects the schemas that they use.
type describer struct {
	API
	components map[string]component // by name
	referred   map[string]bool      // what the description refers to
}

type component struct {
	of     reflect.Type
	in     role
	schema *Schema
}

// role is what a type is used for.
type role int

const (
	inAnswer role = iota
	inBody
	inStrictBody
)

// referTo returns the address of a component, which is described for that.
func (d *describer) referTo(kind, name string) string {
	address := addressOf(kind, name)
	d.referred[address] = true
	return address
}

func addressOf(kind, name string) string { return "#/components/" + kind + "/" + name }

func newContent(schema *Schema) Map[ContentSchema] {
	return Map[ContentSchema]{{JSON, ContentSchema{schema}}}
}

// newOtherContent returns a body in each of the media types: a text, or bytes that no schema describes.
func newOtherContent(media []string) (content Map[ContentSchema]) {
	for _, m := range media {
		schema := new(Schema)
		if strings.HasPrefix(m, "text/") {
			schema.Type = Types{"string"}
		}
		content.add(m, ContentSchema{schema})
	}
	return content
}

func (d *describer) paths() (paths Map[*PathItem]) {
	for i := range d.Endpoints {
		e := &d.Endpoints[i]
		item := paths.Find(e.Path)
		if item == nil {
			item = &PathItem{Parameters: d.referToPathParameters(e.Path)}
			paths.add(e.Path, item)
		}
		for _, method := range e.Methods() {
			item.Operations.add(strings.ToLower(method), d.operation(e, method))
		}
	}
	return paths
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

func (d *describer) referToPathParameters(path string) (references []*Parameter) {
	for _, match := range pathParameter.FindAllStringSubmatch(path, -1) {
		references = append(references, &Parameter{Ref: d.referTo("parameters", match[1])})
	}
	return references
}

func (d *describer) operation(e *endpoint.Endpoint, method string) *Operation {
	name, needs, security := e.Operation, "Any token will do.", []map[string][]string{{"token": {}}}
	if method != e.Method {
		name += "With" + method[:1] + strings.ToLower(method[1:])
	}
	switch {
	case e.Open:
		needs, security = cmp.Or(e.Needs, "Needs no token."), []map[string][]string{}
	case e.Needs != "":
		needs = e.Needs
	case e.Scope != "":
		needs, security = "Needs a token with the `"+string(e.Scope)+"` scope.",
			[]map[string][]string{{"token": {string(e.Scope)}}}
	}
	if e.Alias != "" && !isRead(e.Alias) {
		needs += " " + strings.Join(e.Methods(), " and ") + " do the same: what is left out stays as it is."
	}
	if e.MaxBody != 0 {
		needs += " The body is at most " + endpoint.FormatSize(e.MaxBody) + " long."
	}
	operation := &Operation{
		ID:          name,
		Summary:     e.Summary,
		Description: needs,
		Tags:        []string{d.areaOf(e.Path).Name},
		Security:    security,
		Parameters:  d.operationParameters(e, method),
		Responses:   d.responses(e, method),
	}
	if e.Body != nil {
		operation.RequestBody = &RequestBody{Required: !e.OptionalBody && !d.Lenient, Content: newContent(d.bodySchema(e))}
	}
	if e.Media != nil {
		operation.RequestBody = &RequestBody{Required: true, Content: newOtherContent(e.Media)}
	}
	return operation
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

func (d *describer) operationParameters(e *endpoint.Endpoint, method string) (parameters []*Parameter) {
	var names []string
	switch e.List {
	case endpoint.PageList:
		names = []string{"page", "per_page"}
	case endpoint.CursorList:
		names = []string{"cursor_per_page", "after", "before"}
	case endpoint.NoList:
	}
	if e.Tagged && method == http.MethodGet {
		names = append(names, "If-None-Match")
	}
	if slices.Contains(e.Errors, http.StatusPreconditionFailed) {
		names = append(names, "If-Match")
	}
	if e.Creates() {
		names = append(names, endpoint.IdempotencyHeader)
	}
	if slices.Contains(e.Texts, "text/plain") {
		names = append(names, "Range")
	}
	for _, name := range names {
		parameters = append(parameters, &Parameter{Ref: d.referTo("parameters", name)})
	}
	for _, q := range e.Query {
		parameters = append(parameters, &Parameter{Name: q.Name, In: "query", Description: q.Doc,
			Schema: &Schema{Type: Types{"string"}}})
	}
	return parameters
}

func (d *describer) bodySchema(e *endpoint.Endpoint) *Schema {
	t, in := reflect.TypeOf(e.Body), inBody
	if e.StrictBody {
		in = inStrictBody
	}
	schema := d.schema(t, in)
	for _, f := range reflect.VisibleFields(t) {
		if e.Status == http.StatusCreated && f.Tag.Get("required") == "create" {
			schema.Required = append(schema.Required, f.Tag.Get("json"))
		}
	}
	return schema
}

func (d *describer) responses(e *endpoint.Endpoint, method string) (responses Map[*Response]) {
	names := []string{"X-Request-Id"}
	if e.Tagged {
		names = append(names, "ETag")
	}
	if e.List == endpoint.PageList {
		names = append(names, "Link")
	}
	if e.Status == http.StatusFound {
		names = append(names, "Location")
	}
	if e.Creates() {
		names = append(names, endpoint.ReplayedHeader)
	}
	if strings.Contains(e.Path, "{org}") {
		names = append(names, organizationLimitHeaders...)
	}
	switch {
	case d.Lenient && slices.Contains(e.Errors, http.StatusTooManyRequests):
		names = append(names, organizationLimitHeaders...)
	case !d.Lenient && !e.Open:
		names = append(names, userLimitHeaders...)
	}
	success := &Response{Description: http.StatusText(e.Status) + ".", Headers: d.referToHeaders(names)}
	if e.Answer != nil {
		success.Content = newContent(d.schema(reflect.TypeOf(e.Answer), inAnswer))
	}
	success.Content = append(success.Content, newOtherContent(e.Texts)...)
	responses.add(strconv.Itoa(e.Status), success)
	if e.OtherStatus != 0 {
		other := *success
		other.Description = http.StatusText(e.OtherStatus) + "."
		responses.add(strconv.Itoa(e.OtherStatus), &other)
	}
	if slices.Contains(e.Texts, "text/plain") {
		responses.add(strconv.Itoa(http.StatusPartialContent),
			&Response{Description: "The end of the text, as Range asks for it.",
				Headers: d.referToHeaders(append(names, "Content-Range")), Content: newOtherContent([]string{"text/plain"})})
	}
	for _, status := range d.otherStatuses(e, method) {
		responses.add(strconv.Itoa(status), &Response{Ref: d.referTo("responses", responseName(status))})
	}
	return responses
}

// otherStatuses returns the statuses besides success that the endpoint can answer with, in order.
func (d *describer) otherStatuses(e *endpoint.Endpoint, method string) []int {
	statuses := append([]int{http.StatusInternalServerError}, e.Errors...)
	if !e.Open {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable)
	}
	if !e.Open && !d.Lenient {
		statuses = append(statuses, http.StatusTooManyRequests)
	}
	if !isRead(method) {
		statuses = append(statuses, http.StatusGatewayTimeout)
	}
	if strings.Contains(e.Path, "{") {
		statuses = append(statuses, http.StatusNotFound)
	}
	if e.List != endpoint.NoList {
		statuses = append(statuses, http.StatusBadRequest)
	}
	if e.Body != nil || e.Media != nil || e.Creates() {
		statuses = append(statuses, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
			http.StatusUnprocessableEntity)
	}
	if !d.Lenient && (e.Body != nil || e.Creates()) {
		statuses = append(statuses, http.StatusUnsupportedMediaType)
	}
	if e.Creates() {
		statuses = append(statuses, http.StatusConflict)
	}
	if slices.Contains(e.Texts, "text/plain") {
		statuses = append(statuses, http.StatusBadRequest, http.StatusRequestedRangeNotSatisfiable)
	}
	if e.Tagged && method == http.MethodGet {
		statuses = append(statuses, http.StatusNotModified)
	}
	slices.Sort(statuses)
	return slices.DeleteFunc(slices.Compact(statuses), func(status int) bool { return status == e.Status })
}

func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func (d *describer) commonResponses() (responses Map[*Response]) {
	for _, common := range commonResponses(d.MaxBody) {
		name := responseName(common.status)
		if !d.referred[addressOf("responses", name)] {
			continue
		}
		names := append([]string{"X-Request-Id"}, common.headers...)
		switch {
		case d.Lenient && common.status == http.StatusUnauthorized:
			names = names[:1]
		case d.Lenient && common.status == http.StatusTooManyRequests:
			names = append(names, organizationLimitHeaders...)
			common.answer = cmp.Or(d.LimitAnswer, common.answer)
		case !d.Lenient && common.status != http.StatusUnauthorized:
			names = slices.Concat(names, organizationLimitHeaders, userLimitHeaders)
		}
		response := &Response{Description: cmp.Or(d.Texts[name], common.doc), Headers: d.referToHeaders(names)}
		if common.answer != nil {
			response.Content = newContent(d.schema(reflect.TypeOf(common.answer), inAnswer))
		}
		responses.add(name, response)
	}
	return responses
}

func (d *describer) referToHeaders(names []string) (references Map[*Header]) {
	for _, name := range names {
		references.add(name, &Header{Ref: d.referTo("headers", name)})
	}
	return references
}

func (d *describer) headers() (described Map[*Header]) {
	for _, h := range headers {
		if d.referred[addressOf("headers", h.name)] {
			described.add(h.name, &Header{Description: cmp.Or(d.Texts[h.name], h.doc),
				Required: h.name == "X-Request-Id", Schema: &Schema{Type: Types{h.kind}}})
		}
	}
	return described
}

func (d *describer) parameters() (described Map[*Parameter]) {
	for _, p := range d.PathParameters {
		described.add(p.Name, p)
	}
	for _, p := range commonParameters {
		if key := cmp.Or(p.key, p.Name); d.referred[addressOf("parameters", key)] {
			described.add(key, &p.Parameter)
		}
	}
	return described
}

// areaOf returns the area with the longest path that path is, or is below.
func (d *describer) areaOf(path string) (found Area) {
	for _, a := range d.Areas {
		if strings.HasPrefix(path+"/", a.Path+"/") && len(a.Path) > len(found.Path) {
			found = a
		}
	}
	return found
}

// isRaw reports whether a type is any JSON.
func isRaw(t reflect.Type) bool {
	return t == reflect.TypeFor[jsontext.Value]() || t == reflect.TypeFor[json.RawMessage]()
}

// schema returns the schema of a type: of a struct a reference to its component.
func (d *describer) schema(t reflect.Type, in role) *Schema {
	switch {
	case t == reflect.TypeFor[endpoint.Timestamp](), t == reflect.TypeFor[time.Time]():
		return &Schema{Type: Types{"string"}, Format: "date-time"}
	case isRaw(t):
		return &Schema{Type: Types{"object"}}
	case t == reflect.TypeFor[endpoint.Texts]():
		text := &Schema{Type: Types{"string"}}
		return &Schema{AnyOf: []*Schema{text, {Type: Types{"array"}, Items: text}}}
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.component(t, in)
	case reflect.Slice:
		return &Schema{Type: Types{"array"}, Items: d.schema(t.Elem(), in)}
	case reflect.Map:
		return &Schema{Type: Types{"object"}, AdditionalProperties: d.schema(t.Elem(), in)}
	case reflect.String:
		return &Schema{Type: Types{"string"}}
	case reflect.Bool:
		return &Schema{Type: Types{"boolean"}}
	case reflect.Int, reflect.Int64:
		return &Schema{Type: Types{"integer"}}
	case reflect.Float64:
		return &Schema{Type: Types{"number"}}
	case reflect.Interface:
		return new(Schema)
	default:
		panic("openapi: " + t.String() + " cannot be described")
	}
}

func (d *describer) component(t reflect.Type, in role) *Schema {
	name := schemaName(t.Name())
	reference := &Schema{Ref: d.referTo("schemas", name)}
	if made, ok := d.components[name]; ok {
		if made.of != t || made.in != in {
			panic(fmt.Sprintf("openapi: %v and %v are both described as %s, or one of them in two roles", made.of, t, name))
		}
		return reference
	}
	schema := &Schema{Type: Types{"object"}, Description: d.SchemaDocs[name]}
	d.components[name] = component{of: t, in: in, schema: schema} // its own fields may refer to it
	for _, f := range reflect.VisibleFields(t) {
		property, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if property == "" {
			continue // embedded: its fields are visible themselves
		}
		schema.Properties.add(property, d.property(f, in))
		if in != inAnswer && f.Tag.Get("required") == "true" || in == inAnswer && option != "omitzero" &&
			f.Tag.Get("managed") == "" {
			schema.Required = append(schema.Required, property)
		}
		if f.Tag.Get("oneOf") != "" {
			schema.OneOf = append(schema.OneOf, &Schema{Required: []string{property}})
		}
	}
	if in != inBody {
		schema.AdditionalProperties = false
	}
	return reference
}

func (d *describer) property(f reflect.StructField, in role) *Schema {
	t, tag, doc, nullable := f.Type, f.Tag, f.Tag.Get("doc"), false
	switch optional := optionalOf(t); {
	case in != inAnswer && optional != nil:
		t = optional
		if input := tag.Get("input"); input != "" {
			doc += " " + input
		}
		nullable = tag.Get("required") == "" && tag.Get("oneOf") == "" && tag.Get("nullable") != "false"
	case t.Kind() == reflect.Pointer:
		t = t.Elem()
		nullable = !strings.HasSuffix(tag.Get("json"), ",omitzero")
	case in == inAnswer:
		nullable = tag.Get("nullable") == "true"
	}
	var schema *Schema
	if written := tag.Get("schema"); written != "" {
		d.components[written] = component{schema: d.WrittenSchemas[written]}
		schema = &Schema{Ref: d.referTo("schemas", written)}
	} else {
		schema = d.schema(t, in)
	}
	schema.Format = cmp.Or(tag.Get("format"), schema.Format)
	if in != inAnswer {
		schema.Pattern = tag.Get("pattern")
	}
	if values := tag.Get("enum"); values != "" {
		schema.Enum = strings.Split(values, ",")
	}
	if nullable {
		schema = schema.OrNull()
	}
	if in == inAnswer && tag.Get("managed") != "" {
		doc += " Only shown to those who may manage the cluster."
	}
	return schema.WithDescription(doc)
}

// optionalOf returns the type that a domain.Optional has room for; nil if t is none.
func optionalOf(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || t.PkgPath() != reflect.TypeFor[domain.Optional[bool]]().PkgPath() ||
		!strings.HasPrefix(t.Name(), "Optional[") {
		return nil
	}
	value, _ := t.FieldByName("Value")
	return value.Type
}

func (d *describer) schemas() (schemas Map[*Schema]) {
	for name, made := range d.components {
		schemas.add(name, made.schema)
	}
	slices.SortFunc(schemas, func(a, b Member[*Schema]) int { return strings.Compare(a.Name, b.Name) })
	return schemas
}

// schemaName returns what the schema of a type is called: Cluster for clusterAnswer, ClusterCreateBody for
// clusterCreateBody, CacheRegistryCursor for CursorAnswer[cacheRegistryAnswer].
func schemaName(goName string) string {
	if outer, inner, generic := strings.Cut(strings.TrimSuffix(goName, "]"), "["); generic {
		return schemaName(inner[strings.LastIndexByte(inner, '.')+1:]) + schemaName(outer)
	}
	name := strings.TrimSuffix(goName, "Answer")
	return strings.ToUpper(name[:1]) + name[1:]
}
