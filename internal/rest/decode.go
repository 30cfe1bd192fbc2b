package rest

import (
	"bytes"
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
	"penstock/internal/service"
)

const maxBody = 1 << 20

// Body types are structs whose fields are domain.Optional, named by their json tags. Such a field is
// absent, null, or of the type that it has room for: a string, a boolean, a whole number (an int64), a list, an
// object (a struct), an object of strings (a map), or any JSON (jsontext.Value).

// maxItems is the most that a list or a map of a body may hold, so that a small body cannot take much memory.
const maxItems = 1_000

// body reads the request's body, as its endpoint says, and returns it as the input that convert makes of it. It is read at once,
// but what is wrong with it is told only after the caller's permission is established.
func body[B, T any](c *call, convert func(B) T) service.Input[T] {
	// Who is nobody is not read from: a body takes memory and time. The operation refuses them.
	if _, _, err := c.api.Service.AccessToken(c.Context(), c.credential()); err != nil {
		c.Header["Connection"] = []string{"close"} // net/http would read the body before it answers
		var none T
		return service.Sent(none, err)
	}
	b, err := readBody[B](c)
	c.bodyErr = err
	return service.Sent(convert(b), err)
}

func readBody[B any](c *call) (b B, err error) {
	source, err := io.ReadAll(http.MaxBytesReader(c.W, c.R.Body, maxBody))
	contentType := c.R.Header.Get("Content-Type")
	switch empty := err == nil && len(source) == 0; {
	case empty && c.endpoint.optional:
		return b, nil
	case empty && contentType == "":
		return b, errNoBody
	}
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "application/json" {
		return b, domain.NewError(domain.UnsupportedMedia, "The Content-Type must be application/json")
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return b, domain.NewError(domain.TooLarge, "The body is too large: at most 1 MiB is accepted")
	}
	if err != nil {
		return b, domain.NewError(domain.Malformed, "The body can't be read")
	}
	d := decoder{strict: c.endpoint.strict}
	if err := d.document(source, reflect.ValueOf(&b).Elem()); err != nil {
		return b, err
	}
	return b, d.faults.Err()
}

var (
	errNoBody   = domain.NewError(domain.Malformed, "A body is needed: a JSON object")
	errNoObject = domain.NewError(domain.Malformed, "The body must be a JSON object")
)

// decoder fills body structs from JSON and collects every fault.
type decoder struct {
	strict bool
	faults domain.Faults
}

func (d *decoder) document(source []byte, into reflect.Value) error {
	// Invalid UTF-8 is let through here and found again in the member that has it.
	in := jsontext.NewDecoder(bytes.NewReader(source), jsontext.AllowInvalidUTF8(true))
	value, err := in.ReadValue()
	if err != nil {
		return malformed(err)
	}
	if value.Kind() != '{' {
		return errNoObject
	}
	value = value.Clone()
	if _, err := in.ReadToken(); !errors.Is(err, io.EOF) {
		return domain.NewError(domain.Malformed, "The body must be a single JSON object")
	}
	d.object(value, into, "")
	return nil
}

func malformed(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return domain.NewError(domain.Malformed, "The body has a member twice: "+shortened(string(syntax.JSONPointer)))
	} else if ok {
		return domain.NewError(domain.Malformed, "The body is not valid JSON at byte "+strconv.FormatInt(syntax.ByteOffset, 10))
	}
	return domain.NewError(domain.Malformed, "The body is not valid JSON")
}

// maxFaults bounds the answer to a body in which everything is wrong.
const maxFaults = 100

// fault records what is wrong with the member at path, unless enough is wrong already.
func (d *decoder) fault(path, reason string) {
	if len(d.faults) < maxFaults {
		d.faults.Add(path, shortened(path)+" "+reason)
	}
}

// shortened returns the beginning of a path that the caller chose, as text that can be shown.
func shortened(path string) string {
	const limit = 100
	if len(path) > limit {
		path = path[:limit] + "…"
	}
	return strings.ToValidUTF8(path, "\uFFFD")
}

// object fills a struct from an object that is known to be valid JSON.
func (d *decoder) object(value jsontext.Value, into reflect.Value, path string) {
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
		at := join(path, name)
		if index, ok := fields[name]; ok {
			d.optional(member, into.FieldByIndex(index), at)
		} else if d.strict {
			d.fault(at, "is not a field that can be set")
		}
	}
}

// optional fills a domain.Optional.
func (d *decoder) optional(value jsontext.Value, into reflect.Value, path string) {
	ok := true
	if value.Kind() == 'n' {
		into.FieldByName("Null").SetBool(true)
	} else {
		ok = d.value(value, into.FieldByName("Value"), path)
	}
	into.FieldByName("Given").SetBool(ok)
}

func (d *decoder) value(value jsontext.Value, into reflect.Value, path string) bool {
	wrong := func(what string) bool {
		d.fault(path, "must be "+what)
		return false
	}
	switch {
	case into.Type() == rawType:
		into.SetBytes(value.Clone())
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
		return d.list(value, into, path)
	case into.Kind() == reflect.Map:
		if value.Kind() != '{' {
			return wrong("an object")
		}
		return d.texts(value, into, path)
	case into.Kind() == reflect.Struct:
		if value.Kind() != '{' {
			return wrong("an object")
		}
		before := len(d.faults)
		d.object(value, into, path)
		return len(d.faults) == before
	}
	return true
}

func (d *decoder) list(value jsontext.Value, into reflect.Value, path string) (ok bool) {
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
	_, _ = in.ReadToken()
	ok = true
	for i := 0; in.PeekKind() != ']'; i++ {
		if i == maxItems {
			return d.tooMany(path)
		}
		item, err := in.ReadValue()
		if err != nil {
			return false
		}
		element := reflect.New(into.Type().Elem()).Elem()
		ok = d.value(item, element, path+"["+strconv.Itoa(i)+"]") && ok
		into.Set(reflect.Append(into, element))
	}
	return ok
}

func (d *decoder) tooMany(path string) bool {
	d.faults.Add(path, path+" must have at most "+strconv.Itoa(maxItems)+" items")
	return false
}

// texts fills a map of strings.
func (d *decoder) texts(value jsontext.Value, into reflect.Value, path string) (ok bool) {
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowInvalidUTF8(true))
	_, _ = in.ReadToken()
	texts, ok := map[string]string{}, true
	for in.PeekKind() != '}' {
		if len(texts) == maxItems {
			return d.tooMany(path)
		}
		var name, text string
		key, err := in.ReadValue()
		if err != nil {
			return false
		}
		ok = d.value(key, reflect.ValueOf(&name).Elem(), path) && ok
		item, err := in.ReadValue()
		if err != nil {
			return false
		}
		ok = d.value(item, reflect.ValueOf(&text).Elem(), join(path, name)) && ok
		texts[name] = text
	}
	into.Set(reflect.ValueOf(texts))
	return ok
}

var (
	rawType    = reflect.TypeFor[jsontext.Value]()
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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
