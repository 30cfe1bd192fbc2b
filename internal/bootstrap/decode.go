package bootstrap

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"penstock/internal/policy"
)

// decoder reads YAML into the types of this package. The library's own decoder would show values in its errors, which
// may be secrets, and does not know what a variable is.
type decoder struct {
	file   *File // gets the lines
	getenv func(string) (string, bool)
	faults []Fault
}

func (d *decoder) fault(path, format string, args ...any) {
	d.faults = append(d.faults, d.file.Fault(path, fmt.Sprintf(format, args...)))
}

// decode reads what node, at path, holds into target.
func (d *decoder) decode(path string, node *yaml.Node, target reflect.Value) {
	before, isOptional := len(d.faults), target.Kind() == reflect.Pointer
	if isOptional {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	kind, read := yaml.ScalarNode, d.decodeScalar
	switch {
	case target.Type() == policyType:
		kind, read = yaml.MappingNode, d.decodePolicy
	case target.Kind() == reflect.Slice:
		kind, read = yaml.SequenceNode, d.decodeList
	case target.Kind() == reflect.Struct && target.Type() != dayType:
		kind, read = yaml.MappingNode, d.decodeMapping
	}
	switch {
	case !d.isSupported(path, node):
	case node.Kind != kind:
		d.fault(path, "must be %s, not %s", kindNames[kind], kindNames[node.Kind])
	default:
		read(path, node, target)
	}
	if target.Kind() == reflect.String && target.Len() == 0 && !isOptional && len(d.faults) == before {
		d.fault(path, "must not be empty")
	}
}

var kindNames = map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list",
	yaml.ScalarNode: "a single value"}

func (d *decoder) isSupported(path string, node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode || node.Anchor != "" || node.Style&yaml.TaggedStyle != 0 {
		d.fault(path, unsupportedSyntax)
		return false
	}
	return true
}

// isNull reports whether node is null, or nothing at all.
func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == "!!null" && node.Style&yaml.TaggedStyle == 0 && node.Anchor == ""
}

// decodeMapping reads the values of node's keys into those fields of a struct that have the keys as tags. It sets
// target's Path, if it has one.
func (d *decoder) decodeMapping(path string, node *yaml.Node, target reflect.Value) {
	if field := target.FieldByName("Path"); field.IsValid() {
		field.SetString(path)
	}
	entries := d.entries(path, node)
	var keys []string
	for i := range target.NumField() {
		key, option, _ := strings.Cut(target.Type().Field(i).Tag.Get("yaml"), ",")
		if key == "" {
			continue
		}
		keys = append(keys, key)
		j := slices.IndexFunc(entries, func(e entry) bool { return e.key == key })
		isGiven := j >= 0 && d.decodeField(join(path, key), entries[j].value, target.Field(i))
		if !isGiven && option == "required" {
			d.fault(path, "missing key %q", key)
		}
	}
	for _, e := range entries {
		if !slices.Contains(keys, e.key) {
			d.faultKey(path, e.line, "unknown key"+shownKey(e.key)+" (allowed: "+strings.Join(keys, ", ")+")")
		}
	}
}

// decodeField is decode for the value of a key, which may be left out. It reports whether it is there.
func (d *decoder) decodeField(path string, node *yaml.Node, target reflect.Value) (isGiven bool) {
	mayBeEmpty := target.Kind() == reflect.Struct || target.Kind() == reflect.Slice
	switch {
	case !isNull(node):
		d.decode(path, node, target)
	case node.Value != "" || mayBeEmpty:
		return false
	default:
		d.fault(path, "has no value (quote a value that begins with #)")
	}
	return true
}

type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// entries returns what a mapping holds, in its order, and records the lines.
func (d *decoder) entries(path string, node *yaml.Node) (entries []entry) {
	seen := map[string]bool{}
	for pair := range slices.Chunk(node.Content, 2) {
		e := entry{restoreBraces.Replace(pair[0].Value), pair[0].Line, pair[1]}
		switch {
		case pair[0].Kind != yaml.ScalarNode:
			d.faultKey(path, e.line, "a key must be text")
		case seen[e.key]:
			d.faultKey(path, e.line, "duplicate key"+shownKey(e.key))
		default:
			seen[e.key] = true
			d.file.lines[join(path, e.key)] = e.line
			entries = append(entries, e)
		}
	}
	return entries
}

// faultKey records what is wrong with a key of the mapping at path.
func (d *decoder) faultKey(path string, line int, reason string) {
	d.faults = append(d.faults, Fault{Line: line, Path: path, Reason: reason})
}

// shownKey returns a key as a fault shows it: not at all if it cannot be one, because it may then be a secret
// that lacks the space after its key's colon.
func shownKey(key string) string {
	if !keyName.MatchString(key) {
		return ""
	}
	return " " + strconv.Quote(key)
}

var keyName = regexp.MustCompile(`^[A-Za-z_-]{1,60}$`)

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

func (d *decoder) decodeList(path string, node *yaml.Node, target reflect.Value) {
	target.Set(reflect.MakeSlice(target.Type(), len(node.Content), len(node.Content)))
	seen := map[string]bool{}
	for i, item := range node.Content {
		itemPath, value := d.itemPath(path, i, item), target.Index(i)
		d.decode(itemPath, item, value)
		if value.Kind() == reflect.String && seen[value.String()] {
			d.fault(itemPath, "is there already")
		}
		seen[value.String()] = true
	}
}

// itemPath returns the path of an item of the list at path, and records its line.
func (d *decoder) itemPath(path string, index int, item *yaml.Node) string {
	path += "[" + strconv.Itoa(index) + "]"
	d.file.lines[path] = item.Line
	return path
}

// decodePolicy reads a policy into JSON.
func (d *decoder) decodePolicy(path string, node *yaml.Node, target reflect.Value) {
	before := len(d.faults)
	document := d.appendJSON(nil, path, node)
	if len(d.faults) > before {
		return // it may not even be JSON
	}
	target.SetBytes(document)
	_, faults := policy.Parse(document)
	for _, f := range faults {
		d.fault(strings.TrimSuffix(join(path, f.Path), "."), "%s", f.Message)
	}
}

const pathLimit = 1000 // bytes; what is nested so deeply is no policy

// appendJSON appends a part of a policy to dst. A single value is text, unless it is true, false or null without
// quotes.
func (d *decoder) appendJSON(dst []byte, path string, node *yaml.Node) []byte {
	if !d.isSupported(path, node) {
		return dst
	}
	if len(path) > pathLimit {
		d.fault(path[:pathLimit], "is nested too deeply")
		return dst
	}
	switch node.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i, e := range d.entries(path, node) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, e.key), ':')
			dst = d.appendJSON(dst, join(path, e.key), e.value)
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range node.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.appendJSON(dst, d.itemPath(path, i, item), item)
		}
		return append(dst, ']')
	}
	text, _ := d.text(path, node)
	switch {
	case isNull(node):
		return append(dst, "null"...)
	case node.Style == 0 && isBoolean(text):
		return append(dst, strings.ToLower(text)...)
	default:
		return appendText(dst, text)
	}
}

func appendText(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // fails on invalid UTF-8 only, which text is not
	return dst
}
