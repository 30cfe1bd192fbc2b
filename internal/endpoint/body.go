package endpoint

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
)

// Body types are structs whose fields are domain.Optional, named by their json tags. Such a field is
// absent, null, or of the type that it has room for: a string, a boolean, a whole number (an int64), a list, an
// object (a struct), an object of strings (a map), or any JSON (jsontext.Value).

// maxItems is the most that a list or a map of a body may hold, so that a small body cannot take much memory.
const maxItems = 1_000

// ReadBody reads the request's body, as its endpoint says, and returns what convert makes of it, as far as it could be
// read, and what is wrong with it. That is for the operation to report, once the caller's permission is established.
func ReadBody[B, T any](c *Call, convert func(B) T) (T, error) {
	body, err := decodeBody[B](c)
	c.bodyErr = err
	return convert(body), err
}

func decodeBody[B any](c *Call) (body B, err error) {
	source, err := c.ReadBody(cmp.Or(c.endpoint.MaxBody, c.api.MaxBody))
	c.recordRequest(source)
	contentType := c.R.Header.Get("Content-Type")
	switch empty := err == nil && len(source) == 0; {
	case empty && c.endpoint.OptionalBody:
		return body, nil
	case empty && contentType == "":
		return body, errNoBody
	}
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "application/json" {
		return body, domain.NewError(domain.UnsupportedMedia, "The Content-Type must be application/json")
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return body, domain.NewError(domain.TooLarge, "The body is too large: at most "+FormatSize(tooLarge.Limit)+
			" is accepted")
	}
	if err != nil {
		return body, err
	}
	d := decoder{strict: c.endpoint.StrictBody}
	if err := d.decodeDocument(source, reflect.ValueOf(&body).Elem()); err != nil {
		return body, err
	}
	return body, d.faults.Err()
}

// FormatSize returns a number of bytes in words, such as 1 MiB.
func FormatSize(bytes int64) string {
	switch {
	case bytes%(1<<20) == 0:
		return strconv.FormatInt(bytes>>20, 10) + " MiB"
	case bytes%(1<<10) == 0:
		return strconv.FormatInt(bytes>>10, 10) + " KiB"
	default:
		return strconv.FormatInt(bytes, 10) + " bytes"
	}
}

var (
	errNoBody   = domain.NewError(domain.Malformed, "The request needs a body: a JSON object")
	errNoObject = domain.NewError(domain.Malformed, "The body must be a JSON object")
)

// decoder fills body structs from JSON and collects every fault.
type decoder struct {
	strict bool
	faults domain.Faults
}

func (d *decoder) decodeDocument(source []byte, into reflect.Value) error {
	// Invalid UTF-8 is let through here and found again in the member that has it.
	in := jsontext.NewDecoder(bytes.NewReader(source), jsontext.AllowInvalidUTF8(true))
	value, err := in.ReadValue()
	if err != nil {
		return explainSyntax(err)
	}
	if value.Kind() != '{' {
		return errNoObject
	}
	value = value.Clone()
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return domain.NewError(domain.Malformed, "The body must be a single JSON object")
	}
	d.decodeObject(value, into, "")
	return nil
}

func explainSyntax(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return domain.NewError(domain.Malformed, "The body has a member twice: "+shorten(string(syntax.JSONPointer)))
	} else if ok {
		return domain.NewError(domain.Malformed, "The body is not valid JSON at byte "+strconv.FormatInt(syntax.ByteOffset,
			10))
	}
	return domain.NewError(domain.Malformed, "The body is not valid JSON")
}

// maxFaults bounds the answer to a body in which everything is wrong.
const maxFaults = 100

// addFault records what is wrong with the member at path, unless enough is wrong already.
func (d *decoder) addFault(path, reason string) {
	if len(d.faults) < maxFaults {
		d.faults.Add(path, shorten(path)+" "+reason)
	}
}

// shorten returns the beginning of a path that the caller chose, as text that can be shown.
func shorten(path string) string {
	const limit = 100
	if len(path) > limit {
		path = path[:limit] + "…"
	}
	return strings.ToValidUTF8(path, "\uFFFD")
}

// decodeObject fills a struct from an object that is known to be valid JSON.
func (d *decoder) decodeObject(value jsontext.Value, into reflect.Value, path string) {
	fields := fieldsOf(into.Type())
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
	_, _ = in.ReadToken()
	for in.PeekKind() != '}' {
		token, err := in.ReadToken()
		if err != nil {
			return
		}
		name := token.String()
		member, err := in.ReadValue()
		if err != nil {
			return
		}
		at := joinPath(path, name)
		if index, ok := fields[name]; ok {
			below := decoder{strict: d.strict || into.Type().FieldByIndex(index).Tag.Get("strict") == "true", faults: d.faults}
			below.decodeOptional(member, into.FieldByIndex(index), at)
			d.faults = below.faults
		} else if d.strict {
			d.addFault(at, "is not a field that can be set")
		}
	}
}

// decodeOptional fills a domain.Optional.
func (d *decoder) decodeOptional(value jsontext.Value, into reflect.Value, path string) {
	ok := true
	if value.Kind() == 'n' {
		into.FieldByName("Null").SetBool(true)
	} else {
		ok = d.decodeValue(value, into.FieldByName("Value"), path)
	}
	into.FieldByName("Given").SetBool(ok)
}

func (d *decoder) decodeValue(value jsontext.Value, into reflect.Value, path string) bool {
	wrong := func(what string) bool {
		d.addFault(path, "must be "+what)
		return false
	}
	switch {
	case into.Type() == rawType:
		into.SetBytes(value.Clone())
	case into.Type() == textsType:
		switch value.Kind() {
		case '"':
			into.Set(reflect.ValueOf(make(Texts, 1)))
			return d.decodeValue(value, into.Index(0), path)
		case '[':
			return d.decodeList(value, into, path)
		}
		return wrong("a string, or an array of strings")
	case into.Kind() == reflect.String:
		if value.Kind() != '"' {
			return wrong("a string")
		}
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil || !utf8.Valid(text) {
			return wrong("valid UTF-8 text")
		}
		into.SetString(string(text))
	case into.Kind() == reflect.Bool:
		if value.Kind() != 't' && value.Kind() != 'f' {
			return wrong("true or false")
		}
		into.SetBool(value.Kind() == 't')
	case into.Kind() == reflect.Int64:
		number, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return wrong("a whole number")
		}
		into.SetInt(number)
	case into.Kind() == reflect.Slice:
		if value.Kind() != '[' {
			return wrong("an array")
		}
		return d.decodeList(value, into, path)
	case into.Kind() == reflect.Map:
		if value.Kind() != '{' {
			return wrong("an object")
		}
		return d.decodeMap(value, into, path)
	case into.Kind() == reflect.Struct:
		if value.Kind() != '{' {
			return wrong("an object")
		}
		before := len(d.faults)
		d.decodeObject(value, into, path)
		return len(d.faults) == before
	}
	return true
}

func (d *decoder) decodeList(value jsontext.Value, into reflect.Value, path string) (ok bool) {
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
	_, _ = in.ReadToken()
	ok = true
	for i := 0; in.PeekKind() != ']'; i++ {
		if i == maxItems {
			return d.addTooMany(path)
		}
		item, err := in.ReadValue()
		if err != nil {
			return false
		}
		element := reflect.New(into.Type().Elem()).Elem()
		ok = d.decodeValue(item, element, path+"["+strconv.Itoa(i)+"]") && ok
		into.Set(reflect.Append(into, element))
	}
	return ok
}

func (d *decoder) addTooMany(path string) bool {
	d.faults.Add(path, path+" must have at most "+strconv.Itoa(maxItems)+" items")
	return false
}

// decodeMap fills a map whose keys are strings.
func (d *decoder) decodeMap(value jsontext.Value, into reflect.Value, path string) (ok bool) {
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
	_, _ = in.ReadToken()
	into.Set(reflect.MakeMap(into.Type()))
	ok = true
	for in.PeekKind() != '}' {
		if into.Len() == maxItems {
			return d.addTooMany(path)
		}
		var name string
		key, err := in.ReadValue()
		if err != nil {
			return false
		}
		ok = d.decodeValue(key, reflect.ValueOf(&name).Elem(), path) && ok
		item, err := in.ReadValue()
		if err != nil {
			return false
		}
		element := reflect.New(into.Type().Elem()).Elem()
		ok = d.decodeValue(item, element, joinPath(path, name)) && ok
		into.SetMapIndex(reflect.ValueOf(name), element)
	}
	return ok
}

// Texts is what callers send as a text, or as a list of texts.
type Texts []string

var (
	rawType    = reflect.TypeFor[jsontext.Value]()
	textsType  = reflect.TypeFor[Texts]()
	fieldCache sync.Map // reflect.Type → map[string][]int
)

// fieldsOf returns the index of each field of a body struct by its name in JSON.
func fieldsOf(t reflect.Type) map[string][]int {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.(map[string][]int)
	}
	fields := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			fields[f.Tag.Get("json")] = f.Index
		}
	}
	fieldCache.Store(t, fields)
	return fields
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
