package rest

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:generate env PENSTOCK_UPDATE=1 go test -count=1 -run TestOpenAPIIsCurrent .

// The schemas of bodies and answers are made from their types. What a type cannot say, the tags of its
// fields do:
//
//	doc       what the property is
//	format    as in JSON Schema
//	pattern   as in JSON Schema
//	enum      the values that it can have, with commas between
//	required  in a body: "true", or "create" if only operations that create something need it
//	nullable  in a body: "false" if it can be left out but not be null; in an answer: "true" if raw JSON can be null
//	oneOf     in a body: "true" for properties of which exactly one is to be given
//	managed   in an answer: "true" if only those who may manage the cluster see it
//	schema    of raw JSON: which of writtenSchemas it follows
//
// What a schema as a whole is, schemaDocs says.

// describe returns the description of the API: an OpenAPI 3.1 document in JSON, always the same for the same
// base URL and version.
func describe(a *API) []byte {
	d := describer{components: map[string]component{}}
	text, err := json.Marshal(object{
		{"openapi", "3.1.0"},
		{"info", object{{"title", "Penstock REST API"}, {"version", a.Version}, {"description", introduction}}},
		{"servers", []object{{{"url", a.BaseURL}}}},
		{"tags", tags()},
		{"paths", d.paths()},
		{"components", object{
			{"securitySchemes", object{{"token", object{
				{"type", "http"}, {"scheme", "bearer"}, {"description", "An API access token. Each operation says which scope it needs."},
			}}}},
			{"parameters", describeParameters()},
			{"headers", describeHeaders()},
			{"responses", d.commonResponses()},
			{"schemas", d.schemas()},
		}},
	})
	if err != nil {
		panic(err) // it is made of the program's own values
	}
	return text
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo writes the object.
func (o object) MarshalJSONTo(out *jsontext.Encoder) error {
	if err := out.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := out.WriteToken(jsontext.String(m.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(out, m.value); err != nil {
			return err
		}
	}
	return out.WriteToken(jsontext.EndObject)
}

func reference(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

func jsonContent(schema object) object {
	return object{{"application/json", object{{"schema", schema}}}}
}

// describer describes endpoints and collects the schemas that they use.
type describer struct {
	components map[string]component // by name
}

type component struct {
	of     reflect.Type
	in     role
	schema object
}

// role is what a type is used for.
type role int

const (
	inAnswer role = iota
	inBody
	inStrictBody
)

func (d *describer) paths() object {
	var paths object
	for _, e := range endpoints() {
		i := slices.IndexFunc(paths, func(m member) bool { return m.name == e.path })
		if i < 0 {
			i = len(paths)
			paths = append(paths, member{e.path, pathParameters(e.path)})
		}
		item := paths[i].value.(object)
		for _, method := range e.methods {
			item = append(item, member{strings.ToLower(method), d.operation(e, method)})
		}
		paths[i].value = item
	}
	return paths
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

func pathParameters(path string) object {
	var references []object
	for _, match := range pathParameter.FindAllStringSubmatch(path, -1) {
		references = append(references, reference("parameters", match[1]))
	}
	if references == nil {
		return nil
	}
	return object{{"parameters", references}}
}

func (d *describer) operation(e *endpoint, method string) object {
	name, needs, security := e.operation, "Any token will do.", []object{{{"token", []string{}}}}
	if method != e.methods[0] {
		name += "With" + method[:1] + strings.ToLower(method[1:])
	}
	switch {
	case e.open:
		needs, security = "Needs no token.", []object{}
	case e.scope != "":
		needs, security = "Needs a token with the `"+e.scope+"` scope.", []object{{{"token", []string{e.scope}}}}
	}
	if len(e.methods) > 1 {
		needs += " " + strings.Join(e.methods, " and ") + " do the same: what is left out stays as it is."
	}
	operation := object{
		{"operationId", name},
		{"summary", e.summary},
		{"description", needs},
		{"tags", []string{areaOf(e.path).name}},
		{"security", security},
	}
	if parameters := e.parameters(method); parameters != nil {
		operation = append(operation, member{"parameters", parameters})
	}
	if e.body != nil {
		operation = append(operation, member{"requestBody", object{
			{"required", !e.optional},
			{"content", jsonContent(d.body(e))},
		}})
	}
	return append(operation, member{"responses", d.responses(e, method)})
}

func (e *endpoint) parameters(method string) (references []object) {
	var names []string
	switch e.list {
	case pageList:
		names = []string{"page", "per_page"}
	case cursorList:
		names = []string{"cursor_per_page", "after", "before"}
	case noList:
	}
	if e.tagged && method == http.MethodGet {
		names = append(names, "If-None-Match")
	}
	if slices.Contains(e.errors, http.StatusPreconditionFailed) {
		names = append(names, "If-Match")
	}
	for _, name := range names {
		references = append(references, reference("parameters", name))
	}
	for _, q := range e.query {
		references = append(references, object{
			{"name", q.name}, {"in", "query"}, {"description", q.doc}, {"schema", object{{"type", "string"}}},
		})
	}
	return references
}

func (d *describer) body(e *endpoint) object {
	t, in := reflect.TypeOf(e.body), inBody
	if e.strict {
		in = inStrictBody
	}
	schema := d.schema(t, in)
	var required []string
	for _, f := range reflect.VisibleFields(t) {
		if e.status == http.StatusCreated && f.Tag.Get("required") == "create" {
			required = append(required, f.Tag.Get("json"))
		}
	}
	if required != nil {
		schema = append(schema, member{"required", required})
	}
	return schema
}

func (d *describer) responses(e *endpoint, method string) object {
	names := []string{"X-Request-Id"}
	if e.tagged {
		names = append(names, "ETag")
	}
	if e.list == pageList {
		names = append(names, "Link")
	}
	if strings.HasPrefix(e.path, inOrganization) {
		names = append(names, organizationLimitHeaders...)
	}
	if !e.open {
		names = append(names, userLimitHeaders...)
	}
	success := object{{"description", http.StatusText(e.status) + "."}, {"headers", headerReferences(names)}}
	if e.answer != nil {
		success = append(success, member{"content", jsonContent(d.schema(reflect.TypeOf(e.answer), inAnswer))})
	}
	responses := object{{strconv.Itoa(e.status), success}}
	for _, status := range e.otherStatuses(method) {
		responses = append(responses, member{strconv.Itoa(status), reference("responses", responseName(status))})
	}
	return responses
}

// otherStatuses returns the statuses besides success that the endpoint can answer with, in order.
func (e *endpoint) otherStatuses(method string) []int {
	statuses := append([]int{http.StatusInternalServerError}, e.errors...)
	if !e.open {
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable)
	}
	if strings.Contains(e.path, "{") {
		statuses = append(statuses, http.StatusNotFound)
	}
	if e.list != noList {
		statuses = append(statuses, http.StatusBadRequest)
	}
	if e.body != nil {
		statuses = append(statuses, http.StatusBadRequest, http.StatusRequestEntityTooLarge,
			http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	if e.tagged && method == http.MethodGet {
		statuses = append(statuses, http.StatusNotModified)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

func responseName(status int) string { return strings.ReplaceAll(http.StatusText(status), " ", "") }

func (d *describer) commonResponses() object {
	var responses object
	for _, r := range commonResponses {
		names := append([]string{"X-Request-Id"}, r.headers...)
		if r.status != http.StatusUnauthorized {
			names = slices.Concat(names, organizationLimitHeaders, userLimitHeaders)
		}
		response := object{{"description", r.doc}, {"headers", headerReferences(names)}}
		if r.answer != nil {
			response = append(response, member{"content", jsonContent(d.schema(reflect.TypeOf(r.answer), inAnswer))})
		}
		responses = append(responses, member{responseName(r.status), response})
	}
	return responses
}

func headerReferences(names []string) (references object) {
	for _, name := range names {
		references = append(references, member{name, reference("headers", name)})
	}
	return references
}

func describeHeaders() (described object) {
	for _, h := range headers {
		described = append(described, member{h.name, object{
			{"description", h.doc}, {"required", h.name == "X-Request-Id"}, {"schema", object{{"type", h.kind}}},
		}})
	}
	return described
}

func describeParameters() (described object) {
	for _, p := range parameters {
		described = append(described, member{p.key, object{
			{"name", strings.TrimPrefix(p.key, "cursor_")}, {"in", p.in}, {"description", p.doc}, {"required", p.in == "path"}, {"schema", p.schema},
		}})
	}
	return described
}

func tags() (tags []object) {
	for _, a := range areas {
		tags = append(tags, object{{"name", a.name}, {"description", a.doc}})
	}
	return tags
}

// areaOf returns the area with the longest path that path is, or is below.
func areaOf(path string) (found area) {
	for _, a := range areas {
		if strings.HasPrefix(path+"/", a.path+"/") && len(a.path) > len(found.path) {
			found = a
		}
	}
	return found
}

// schema returns the schema of a type: of a struct a reference to its component.
func (d *describer) schema(t reflect.Type, in role) object {
	switch {
	case t == reflect.TypeFor[timestamp]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case t == rawType:
		return object{{"type", "object"}}
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.component(t, in)
	case reflect.Slice:
		return object{{"type", "array"}, {"items", d.schema(t.Elem(), in)}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", d.schema(t.Elem(), in)}}
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	default:
		panic("rest: " + t.String() + " cannot be described")
	}
}

func (d *describer) component(t reflect.Type, in role) object {
	name := schemaName(t.Name())
	if made, ok := d.components[name]; ok {
		if made.of != t || made.in != in {
			panic(fmt.Sprintf("rest: %v and %v are both described as %s, or one of them in two roles", made.of, t, name))
		}
		return reference("schemas", name)
	}
	d.components[name] = component{of: t, in: in} // its own fields may refer to it
	var properties object
	var required []string
	var oneOf []object
	for _, f := range reflect.VisibleFields(t) {
		property, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if property == "" {
			continue // embedded: its fields are visible themselves
		}
		properties = append(properties, member{property, d.property(f, in)})
		if in != inAnswer && f.Tag.Get("required") == "true" || in == inAnswer && option != "omitzero" && f.Tag.Get("managed") == "" {
			required = append(required, property)
		}
		if f.Tag.Get("oneOf") != "" {
			oneOf = append(oneOf, object{{"required", []string{property}}})
		}
	}
	schema := objectSchema(schemaDocs[name], properties, required)
	if oneOf != nil {
		schema = append(schema, member{"oneOf", oneOf})
	}
	if in != inBody {
		schema = append(schema, member{"additionalProperties", false})
	}
	d.components[name] = component{of: t, in: in, schema: schema}
	return reference("schemas", name)
}

func objectSchema(doc string, properties object, required []string) object {
	schema := object{{"type", "object"}, {"description", doc}, {"properties", properties}}
	if required != nil {
		schema = append(schema, member{"required", required})
	}
	return schema
}

func (d *describer) property(f reflect.StructField, in role) object {
	t, tag, doc, nullable := f.Type, f.Tag, f.Tag.Get("doc"), false
	switch {
	case in != inAnswer: // a domain.Optional
		value, _ := t.FieldByName("Value")
		t = value.Type
		nullable = tag.Get("required") == "" && tag.Get("oneOf") == "" && tag.Get("nullable") != "false"
	case t.Kind() == reflect.Pointer:
		t = t.Elem()
		nullable = !strings.HasSuffix(tag.Get("json"), ",omitzero")
	case t == rawType:
		nullable = tag.Get("nullable") == "true"
	}
	var schema object
	if written := tag.Get("schema"); written != "" {
		d.components[written] = component{schema: writtenSchemas[written]}
		schema = reference("schemas", written)
	} else {
		schema = d.schema(t, in)
	}
	for _, keyword := range []string{"format", "pattern"} {
		if value := tag.Get(keyword); value != "" {
			schema = append(schema, member{keyword, value})
		}
	}
	if values := tag.Get("enum"); values != "" {
		schema = append(schema, member{"enum", strings.Split(values, ",")})
	}
	if nullable {
		schema = orNull(schema)
	}
	if tag.Get("managed") != "" {
		doc += " Only shown to those who may manage the cluster."
	}
	return append(schema, member{"description", doc})
}

func orNull(schema object) object {
	// A list of values would have to name null too.
	if schema[0].name != "type" || schema[len(schema)-1].name == "enum" {
		return object{{"anyOf", []object{schema, {{"type", "null"}}}}}
	}
	schema[0].value = []any{schema[0].value, "null"}
	return schema
}

func (d *describer) schemas() object {
	var schemas object
	for _, name := range slices.Sorted(maps.Keys(d.components)) {
		schemas = append(schemas, member{name, d.components[name].schema})
	}
	return schemas
}

// schemaName returns what the schema of a type is called: Cluster for clusterAnswer, ClusterCreateBody for
// clusterCreateBody, CacheRegistryCursor for cursorAnswer[cacheRegistryAnswer].
func schemaName(goName string) string {
	if outer, inner, generic := strings.Cut(strings.TrimSuffix(goName, "]"), "["); generic {
		return schemaName(inner[strings.LastIndexByte(inner, '.')+1:]) + schemaName(outer)
	}
	name := strings.TrimSuffix(goName, "Answer")
	return strings.ToUpper(name[:1]) + name[1:]
}

// introduction is what a reader of the description is told first. It is Markdown.
const introduction = `The REST API of Penstock, a self-hosted control plane for build pipelines.

**Authentication.** Requests carry an API access token: ` + "`Authorization: Bearer <token>`" + `. A token reaches the organizations
that it was granted, as long as its user is a member of them.

**Bodies and answers** are JSON. A body needs ` + "`Content-Type: application/json`" + ` and is at most 1 MiB long. Members that an
operation does not know are ignored, except where its body allows no others. Ids are UUIDs. Times are UTC with
milliseconds: ` + "`2026-05-03T04:17:55.867Z`" + `. HEAD is answered wherever GET is.

**Errors** are JSON objects with a ` + "`message`" + `, also for a path that does not exist (404) and for a method that a path does not
have (405, with ` + "`Allow`" + `). What is checked, in this order: the token, the organization, the token's scope, the things that
the path names and the permission on them, and the body last.

**Lists** come in pages. Follow the URLs of the ` + "`Link`" + ` header, or of ` + "`links`" + ` in the answer, to get to the others.

**Changes** can be made conditional: an ` + "`If-Match`" + ` header with the ` + "`ETag`" + ` of what was read refuses the change with 412 if
someone else has changed it since. ` + "`If-None-Match`" + ` saves reading again what is still the same.
`

// area is a part of the API, by which its operations are grouped.
type area struct{ path, name, doc string }

var areas = []area{
	{"/v2", "API", "The API itself."},
	{"/v2/user", "User", "The user that a token acts as."},
	{"/v2/access-token", "Access token", "The token that a request is made with."},
	{"/v2/organizations", "Organizations", "Organizations have members, and everything else belongs to one."},
	{inOrganization + "/clusters", "Clusters", "A cluster is an isolated set of agents and pipelines within an organization."},
	{inCluster + "/queues", "Queues", "Agents of a cluster take jobs from its queues."},
	{inCluster + "/tokens", "Agent tokens", "Agents connect to a cluster with one of its tokens. Only those who may manage the cluster see them."},
	{inCluster + "/maintainers", "Maintainers", "Maintainers of a cluster are users and teams who may manage it, besides the organization's administrators."},
	{inCluster + "/cache-registries", "Cache registries", "Jobs of a cluster save and restore cache entries in its registries. " +
		"Only those who may manage the cluster see them. Public preview."},
	{inOrganization + "/pipelines", "Pipelines", "A pipeline is what an organization builds from a repository."},
	{inOrganization + "/members", "Members", "Users who belong to an organization."},
	{inOrganization + "/teams", "Teams", "A team is a group of an organization's members. It can maintain clusters, and have access to pipelines."},
	{inTeam + "/members", "Team members", "Users who belong to a team."},
	{inTeam + "/pipelines", "Team pipelines", "Pipelines that a team has access to."},
	{inOrganization + "/portals", "Portals", "A portal gives those with one of its tokens GraphQL access that is restricted to the operations of one stored document. " +
		"Only administrators see portals."},
	{inPortal + "/tokens", "Portal tokens", "A portal is used with one of its tokens. Several can live at once, so that one can take another's place."},
	{inPortal + "/secrets", "Portal secrets", "With a secret of a portal, ephemeral tokens of the portal can be made."},
	{inOrganization + "/audit_events", "Audit events", "Every change of configuration leaves an audit event. Only administrators see them."},
}

var parameters = []struct {
	key    string // its name; of two with the same name, the one of cursor lists has a prefix
	in     string
	schema object
	doc    string
}{
	{"org", "path", object{{"type", "string"}}, "The organization's slug."},
	{"cluster", "path", object{{"type", "string"}, {"format", "uuid"}}, "The cluster's UUID."},
	{"pipeline", "path", object{{"type", "string"}}, "The pipeline's slug."},
	{"team", "path", object{{"type", "string"}, {"format", "uuid"}}, "The team's UUID."},
	{"portal", "path", object{{"type", "string"}}, "The portal's slug."},
	{"id", "path", object{{"type", "string"}, {"format", "uuid"}}, "The item's UUID, as the list of such items has it."},
	{"page", "query", object{{"type", "integer"}, {"minimum", 1}, {"maximum", math.MaxInt32}, {"default", 1}},
		"Which page to answer with. A page past the end is empty."},
	{"per_page", "query", object{{"type", "integer"}, {"minimum", 1}, {"maximum", math.MaxInt32}, {"default", defaultPageSize}},
		"How many items a page has. More than " + strconv.Itoa(maxPageSize) + " means " + strconv.Itoa(maxPageSize) + "."},
	{"cursor_per_page", "query", object{{"type", "integer"}, {"minimum", 1}, {"maximum", maxPageSize}, {"default", defaultPageSize}},
		"How many items to answer with."},
	{"after", "query", object{{"type", "string"}, {"minLength", 1}},
		"A cursor, as `links` in an answer have them: answer with the items after it. Not together with before."},
	{"before", "query", object{{"type", "string"}, {"minLength", 1}},
		"A cursor, as `links` in an answer have them: answer with the items before it. Not together with after."},
	{"If-Match", "header", object{{"type", "string"}}, "Only make the change if the resource's ETag is one of these."},
	{"If-None-Match", "header", object{{"type", "string"}}, "Answer with 304 and no body if the resource's ETag is one of these."},
}

type header struct{ name, kind, doc string }

var headers = []header{
	{"X-Request-Id", "string", "Names the request in the server's log. A request can bring its own: at most 100 letters, digits, -, _, . and :."},
	{"ETag", "string", "Names this state of the resource, for If-Match and If-None-Match."},
	{"Link", "string", "The URLs of the first, prev, next and last page, where there are such: `<url>; rel=\"next\"`, with commas between."},
	{"Retry-After", "integer", "How many seconds to wait before the next attempt."},
	{"WWW-Authenticate", "string", "Always Bearer."},
	{"RateLimit-Scope", "string", "The name of the limit on the organization's requests. Where there is no such limit, these headers are absent."},
	{"RateLimit-Limit", "integer", "How many requests the organization may make a minute."},
	{"RateLimit-Remaining", "integer", "How many of them are left."},
	{"RateLimit-Reset", "integer", "In how many seconds they are all there again."},
	{"RateLimit-User-Scope", "string", "The name of the limit on the user's requests. Where there is no such limit, these headers are absent."},
	{"RateLimit-User-Limit", "integer", "How many requests the user may make a minute."},
	{"RateLimit-User-Remaining", "integer", "How many of them are left."},
	{"RateLimit-User-Reset", "integer", "In how many seconds they are all there again."},
}

var (
	organizationLimitHeaders = []string{"RateLimit-Scope", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}
	userLimitHeaders         = []string{"RateLimit-User-Scope", "RateLimit-User-Limit", "RateLimit-User-Remaining", "RateLimit-User-Reset"}
)

// commonResponses are those that many operations share, by status.
var commonResponses = []struct {
	status  int
	doc     string
	headers []string // besides those of every answer
	answer  any
}{
	{http.StatusNotModified, "The resource's ETag is one of those in If-None-Match.", []string{"ETag"}, nil},
	{http.StatusBadRequest, "The request can't be read: the body is not a JSON object, or a query parameter has a value that it can't have.", nil, errorAnswer{}},
	{http.StatusUnauthorized, "There is no token, or it is unknown, expired or revoked.", []string{"WWW-Authenticate"}, errorAnswer{}},
	{http.StatusForbidden, "The token does not have the scope, its user does not have the permission, or the caller's address is not allowed.", nil, errorAnswer{}},
	{http.StatusNotFound, "Something that the path names does not exist, or the caller may not know that it does.", nil, errorAnswer{}},
	{http.StatusPreconditionFailed, "The resource's ETag is none of those in If-Match. Nothing was changed.", nil, errorAnswer{}},
	{http.StatusRequestEntityTooLarge, "The body is longer than 1 MiB.", nil, errorAnswer{}},
	{http.StatusUnsupportedMediaType, "The body's Content-Type is not application/json.", nil, errorAnswer{}},
	{http.StatusUnprocessableEntity, "The request can be read, but what it asks for can't be done. The message says why. Nothing was changed.", nil, errorAnswer{}},
	{http.StatusTooManyRequests, "The organization or the user has made too many requests.", []string{"Retry-After"}, limitAnswer{}},
	{http.StatusInternalServerError, "Something went wrong on the server's side.", nil, errorAnswer{}},
	{http.StatusServiceUnavailable, "This can't be done now. A retry is safe.", []string{"Retry-After"}, errorAnswer{}},
}

// schemaDocs says what the schemas are, by their names.
var schemaDocs = map[string]string{
	"AccessToken":              "An API access token, without its value.",
	"AccessTokenUser":          "The user that a token acts as.",
	"AdministeredOrganization": "An organization, as its administrators see it; others see less.",
	"AgentToken":               "A token that agents connect to a cluster with, without its value.",
	"AgentTokenBody":           "What an agent token is to be.",
	"AuditActor":               "Who made a change.",
	"AuditContext":             "How the request that made a change came.",
	"AuditEvent":               "A record of a change, made together with it.",
	"AuditEventCursor":         "A part of a list of audit events.",
	"AuditSubject":             "What was changed.",
	"CacheRegistry":            "A registry in which jobs save and restore cache entries.",
	"CacheRegistryCreateBody":  "What a new cache registry is to be.",
	"CacheRegistryCursor":      "A part of a list of cache registries.",
	"CacheRegistryUpdateBody":  "What to change of a cache registry.",
	"Cluster":                  "A cluster, as lists and the answer to its creation show it.",
	"ClusterCreateBody":        "What a new cluster is to be.",
	"ClusterMaintainers":       "A cluster's maintainers.",
	"ClusterUpdateBody":        "What to change of a cluster.",
	"CursorLinks":              "The URLs of this part of a list and of its neighbours.",
	"Error":                    "What every error is answered with, except for an exceeded rate limit.",
	"HostedAgents":             "The machines that serve a queue with hosted agents.",
	"HostedAgentsBody":         "Which machines are to serve a queue.",
	"InstanceShape":            "A kind of machine.",
	"Limit":                    "What a request over a rate limit is answered with.",
	"LinuxSettings":            "What Linux machines run.",
	"LinuxSettingsBody":        "What Linux machines are to run.",
	"MacOSSettings":            "What macOS machines run.",
	"MacOSSettingsBody":        "What macOS machines are to run.",
	"Maintainer":               "A user or team that may manage a cluster.",
	"MaintainerActor":          "The user or team that a maintainer is.",
	"MaintainerBody":           "Who is to be a maintainer: either a user or a team.",
	"ManagedCluster":           "A cluster, as those who may manage it see it; others see less.",
	"Member":                   "A user who belongs to an organization.",
	"MemberBody":               "What to change of a member.",
	"Meta":                     "What is good to know about this installation.",
	"NewAgentToken":            "An agent token with its value.",
	"NewPortal":                "A portal with the value of its first token.",
	"NewPortalSecret":          "A portal's secret with its value.",
	"NewPortalToken":           "A portal token with its value.",
	"NewTeamMemberBody":        "Who is to be a member of a team.",
	"NewTeamPipelineBody":      "Which pipeline a team is to have access to.",
	"Organization":             "An organization, as lists show it.",
	"OrganizationBody":         "What to change of an organization.",
	"OrganizationSettings":     "What an organization's administrators chose.",
	"OrganizationSettingsBody": "What to change of an organization's settings.",
	"PauseBody":                "Why a queue is paused.",
	"Pipeline":                 "A pipeline.",
	"PipelineBody":             "What to change of a pipeline.",
	"PipelineCreateBody":       "What a new pipeline is to be.",
	"PlatformSettings":         "What a queue's machines run: an object for their operating system.",
	"PlatformSettingsBody":     "What a queue's machines are to run. Only their own operating system can be given.",
	"Portal":                   "A GraphQL document whose operations can be run with a portal token.",
	"PortalBody":               "What a portal is to be.",
	"PortalSecret":             "A secret with which ephemeral tokens of a portal are made, without its value.",
	"PortalSecretBody":         "What a portal's secret is to be.",
	"PortalToken":              "A token that a portal is used with, without its value.",
	"PortalTokenBody":          "What a portal token is to be.",
	"Provider":                 "The service that hosts a repository.",
	"ProviderSettings":         "What is known of a repository at the service that hosts it.",
	"Queue":                    "A queue of a cluster.",
	"QueueBody":                "What a queue is to be.",
	"Root":                     "A sign of life.",
	"Team":                     "A group of an organization's members.",
	"TeamBody":                 "What a team is to be.",
	"TeamMember":               "A user who belongs to a team.",
	"TeamMemberBody":           "What to change of a team's member.",
	"TeamPipeline":             "A pipeline that a team has access to.",
	"Usage":                    "How many users an organization is billed for.",
	"TeamPipelineBody":         "What to change of a team's access to a pipeline.",
	"User":                     "A user.",
}

// writtenSchemas are those that no type says, by their names.
var writtenSchemas = map[string]object{
	"CachePolicy":     policySchema(inAnswer),
	"CachePolicyBody": policySchema(inStrictBody),
}

// policySchema returns the schema of a cache policy: as it can be sent, or in its normalized form.
func policySchema(in role) object {
	documented := func(doc string, schema object) object {
		return append(slices.Clone(schema), member{"description", doc})
	}
	closed := func(doc string, required []string, properties object) object {
		return append(objectSchema(doc, properties, required), member{"additionalProperties", false})
	}
	either := func(values ...string) object { return object{{"type", "string"}, {"enum", values}} }
	scopes := func(value object) object {
		return object{{"type", "object"}, {"propertyNames", either("branch", "build", "pipeline")}, {"additionalProperties", value}}
	}
	text, oneAction := object{{"type", "string"}}, either("save", "restore")
	actions := object{{"type", "array"}, {"items", oneAction}, {"minItems", 1}, {"uniqueItems", true}}
	members, scopesMember := []string{"save", "restore", "rules"}, []string{"scopes"}
	doc := "A cache policy in its normalized form."
	if in != inAnswer {
		text = orNull(text)
		actions = object{{"anyOf", []object{oneAction, actions}}}
		members, scopesMember = nil, nil
		doc = "A cache policy, at most 64 KiB long."
	}
	rule := closed("A rule of the policy.", []string{"effect", "action"}, object{
		{"name", documented("What the rule is called.", text)},
		{"effect", documented("Whether the rule allows or denies.", either("allow", "deny"))},
		{"action", documented("What the rule allows or denies.", actions)},
		{"when", documented("A condition in CEL on entry and claims, at most 2 KB long. Without one, the rule holds always.", text)},
	})
	return closed(doc, members, object{
		{"save", closed("What becomes of an entry that a job saves.", scopesMember, object{
			{"scopes", documented("By what the entry is kept apart from others: true for the job's own branch, build or pipeline.",
				scopes(object{{"type", "boolean"}}))},
		})},
		{"restore", closed("Which entries a job is offered to restore.", scopesMember, object{
			{"scopes", object{
				{"type", "array"},
				{"description", "Those with these scopes, tried in this order. The value `$current` is the job's own branch, build or pipeline."},
				{"items", scopes(object{{"type", "string"}, {"pattern", `^([^$]|\$current$)`}})},
			}},
		})},
		{"rules", object{
			{"type", "array"},
			{"description", "From the top, the first rule for an action whose condition is true decides. Without one, it is denied."},
			{"items", rule},
			{"maxItems", 100},
		}},
	})
}
