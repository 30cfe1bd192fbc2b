package bootstrap

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"penstock/internal/domain"
)

const (
	maxDays         = domain.MaxSettingDays
	variablePattern = `[A-Za-z_][A-Za-z0-9_]*`
)

var (
	variableName = regexp.MustCompile(`^` + variablePattern + `$`)
	keyName      = regexp.MustCompile(`^[A-Za-z_-]{1,60}$`)
	pathStep     = regexp.MustCompile(`[A-Za-z0-9_]+|"(?:[^"\\]|\\.)*"`)
)

// reader has what the values of one file share: where variables come from, and what was found so far.
type reader struct {
	getenv     func(string) (string, bool)
	faults     []Fault
	references []Reference
	ids        map[any]int // the line of each id; ids of different types are different keys
}

// value is a node of the file with the path that names it. The zero value is one that is absent or already at
// fault: what is read from it is zero, without a fault.
type value struct {
	*reader
	node *yaml.Node
	path string
}

func (v value) given() bool { return v.node != nil }

func (v value) fault(format string, args ...any) {
	v.faults = append(v.faults, Fault{Line: v.node.Line, Path: v.path, Reason: fmt.Sprintf(format, args...)})
}

func (v value) place() Place { return Place{v.node.Line, v.path} }

// isAtFault reports whether something is wrong with v, or with what is in it.
func (v value) isAtFault() bool {
	return slices.ContainsFunc(v.faults, func(f Fault) bool {
		rest, within := strings.CutPrefix(f.Path, v.path)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// isMarked reports whether v is an alias, or has an anchor or a tag.
func (v value) isMarked() bool {
	return v.node.Kind == yaml.AliasNode || v.node.Anchor != "" || v.node.Style&yaml.TaggedStyle != 0
}

// isNull reports whether v is null, or nothing at all.
func (v value) isNull() bool {
	return v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!null" && !v.isMarked()
}

// is reports whether v is of the given kind, and adds a fault unless it is. An empty list or mapping may be null.
func (v value) is(kind yaml.Kind) bool {
	switch {
	case !v.given():
		return false
	case v.isMarked():
		v.fault(unsupportedSyntax)
		return false
	case v.isNull() && kind == yaml.ScalarNode:
		v.fault("has no value (quote a value that begins with #)")
		return false
	case v.isNull():
		return true
	case v.node.Kind != kind:
		v.fault("must be %s, not %s", kindName(kind), kindName(v.node.Kind))
		return false
	}
	return true
}

func kindName(kind yaml.Kind) string {
	switch kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a single value"
	}
}

// entry is a key of a mapping with its value.
type entry struct {
	key   value // its path is that of the mapping
	value value
}

func (e entry) name() string { return e.key.node.Value }

// entries returns what a mapping holds, in its order. It adds a fault for each key that is not text or that is
// there already, and leaves it out.
func (v value) entries() []entry {
	if !v.is(yaml.MappingNode) {
		return nil
	}
	var entries []entry
	seen := map[string]bool{}
	for pair := range slices.Chunk(v.node.Content, 2) {
		key := value{v.reader, pair[0], v.path}
		name := key.node.Value
		switch {
		case key.node.Kind != yaml.ScalarNode, key.isMarked():
			key.fault("a key must be text")
		case key.node.Tag == "!!merge":
			key.fault("merge keys (<<) are not supported")
		case seen[name]:
			key.fault("duplicate key%s", shownKey(name))
		default:
			val := value{v.reader, pair[1], strings.TrimPrefix(v.path+"."+name, ".")}
			if val.isNull() {
				val.node.Line = key.node.Line // what is not there has the line of what follows
			}
			entries = append(entries, entry{key, val})
			seen[name] = true
		}
	}
	return entries
}

// shownKey returns a key as a fault shows it: not at all if it cannot be one, because it may then be a secret
// that lacks the space after its key's colon.
func shownKey(name string) string {
	if !keyName.MatchString(name) {
		return ""
	}
	return " " + strconv.Quote(name)
}

// mapping is a value that has keys.
type mapping struct {
	value
	values map[string]value // nil if the value is none
}

// mapping returns v's values by their keys. It adds a fault for each key that is not among the given ones.
func (v value) mapping(keys ...string) mapping {
	if !v.is(yaml.MappingNode) {
		return mapping{}
	}
	values := map[string]value{}
	for _, e := range v.entries() {
		if !slices.Contains(keys, e.name()) {
			e.key.fault("unknown key%s (allowed: %s)", shownKey(e.name()), strings.Join(keys, ", "))
			continue
		}
		values[e.name()] = e.value
	}
	return mapping{v, values}
}

// get returns the value of a key that need not be there.
func (m mapping) get(key string) value {
	v := m.values[key]
	if v.given() && v.isNull() && v.node.Value != "" {
		return value{}
	}
	return v
}

// need returns the value of a key, and adds a fault if it is not there.
func (m mapping) need(key string) value {
	v := m.get(key)
	if m.values != nil && !v.given() {
		m.fault("missing key %q", key)
	}
	return v
}

// slugFor returns the slug that m gives, or else the one made of name.
func (m mapping) slugFor(name string) string {
	if v := m.get("slug"); v.given() {
		return v.slug()
	}
	slug := domain.Slug(name)
	if slug == "" && name != "" {
		m.get("name").fault("must have a letter or digit to make a slug of")
	}
	return slug
}

// items returns the values in a list.
func (v value) items() []value {
	if !v.is(yaml.SequenceNode) {
		return nil
	}
	items := make([]value, len(v.node.Content))
	for i, node := range v.node.Content {
		items[i] = value{v.reader, node, fmt.Sprintf("%s[%d]", v.path, i)}
	}
	return items
}

// list returns the items of a list, each as read returns it. It adds a fault for each item whose identity an
// earlier one has; an empty identity is none.
func list[T any](v value, read func(value) T, identity func(T) string) []T {
	var items []T
	lines := map[string]int{}
	for _, item := range v.items() {
		t := read(item)
		items = append(items, t)
		key := identity(t)
		if line := lines[key]; line > 0 {
			item.fault("is already declared on line %d", line)
		} else if key != "" {
			lines[key] = item.node.Line
		}
	}
	return items
}

// optional returns v as read returns it, if it was given.
func optional[T any](v value, read func(value) T) domain.Optional[T] {
	if !v.given() {
		return domain.Optional[T]{}
	}
	return domain.Some(read(v))
}

// scalar returns the text of a single value with its variables replaced; ok is false if there is none.
func (v value) scalar() (text string, ok bool) {
	if !v.is(yaml.ScalarNode) {
		return "", false
	}
	text, err := expand(v.node.Value, v.getenv)
	if err != nil {
		v.fault("%v", err)
		return "", false
	}
	if !domain.ValidText(text) {
		v.fault("must be valid UTF-8 without NUL")
		return "", false
	}
	return text, true
}

// expand replaces each ${NAME} in s by the variable's value, and each $${ by ${.
func expand(s string, getenv func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		if !found {
			b.WriteString(s)
			return b.String(), nil
		}
		if before, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(before + "${")
			s = after
			continue
		}
		b.WriteString(before)
		name, after, closed := strings.Cut(after, "}")
		if !closed || !variableName.MatchString(name) {
			return "", errors.New("${ must begin a variable such as ${NAME} (write $${ for a literal ${)")
		}
		variable, set := getenv(name)
		if !set {
			return "", fmt.Errorf("environment variable %s is not set", name)
		}
		b.WriteString(variable)
		s = after
	}
}

// text returns a text of any length.
func (v value) text() string {
	text, _ := v.scalar()
	return text
}

// nonEmpty returns a text that has at least one character.
func (v value) nonEmpty() string {
	text, ok := v.scalar()
	if ok && text == "" {
		v.fault("must not be empty")
	}
	return text
}

// checked returns a text as check returns it, unless check finds faults, which are v's then.
func (v value) checked(check func(text string, faults *domain.Faults) string) string {
	text, ok := v.scalar()
	if !ok {
		return ""
	}
	var faults domain.Faults
	text = check(text, &faults)
	for _, f := range faults {
		v.fault("%s", f.Reason)
	}
	if len(faults) > 0 {
		return ""
	}
	return text
}

func (v value) name() string {
	return v.checked(func(s string, faults *domain.Faults) string { return domain.Name("name", "Name", s, faults) })
}

func (v value) email() string {
	return v.checked(func(s string, faults *domain.Faults) string { return domain.Email("email", s, faults) })
}

func (v value) slug() string {
	slug, ok := v.scalar()
	if ok && !domain.ValidSlug(slug) {
		v.fault("must be a slug: 1 to 100 of a-z and 0-9, with single hyphens inside")
		return ""
	}
	return slug
}

// oneOf returns a text that is among the given ones.
func oneOf[T ~string](v value, allowed ...T) T {
	text, ok := v.scalar()
	if ok && !slices.Contains(allowed, T(text)) {
		names := make([]string, len(allowed))
		for i, name := range allowed {
			names[i] = string(name)
		}
		v.fault("must be one of %s", strings.Join(names, ", "))
		return ""
	}
	return T(text)
}

func (v value) instanceShape() string {
	name, ok := v.scalar()
	if _, exists := domain.InstanceShapeByName(name); ok && !exists {
		v.fault("must be one of %s", domain.InstanceShapeNames())
	}
	return name
}

// identifier returns an id, and adds a fault if another thing of the same kind has it.
func identifier[T ~string](v value) T {
	text, ok := v.scalar()
	if !ok {
		return ""
	}
	id, ok := domain.ParseID[T](text)
	if !ok {
		v.fault("must be a UUID")
		return ""
	}
	if line := v.ids[id]; line > 0 {
		v.fault("is already used on line %d", line)
		return ""
	}
	v.ids[id] = v.node.Line
	return id
}

func (v value) boolean() bool {
	text, ok := v.scalar()
	switch strings.ToLower(text) {
	case "true":
		return true
	case "false":
		return false
	}
	if ok {
		v.fault("must be true or false")
	}
	return false
}

func (v value) days() int64 {
	text, ok := v.scalar()
	days, err := strconv.ParseInt(text, 10, 64)
	if ok && (err != nil || days < 0 || days > maxDays) {
		v.fault("must be a number of days from 0 to %d", maxDays)
		return 0
	}
	return days
}

func (v value) date() time.Time {
	text, ok := v.scalar()
	date, err := time.Parse(domain.DateLayout, text)
	if ok && err != nil {
		v.fault("must be a date such as 2026-01-31")
	}
	return date
}

// addresses returns CIDRs with single spaces between them.
func (v value) addresses() string {
	return v.checked(func(s string, faults *domain.Faults) string {
		return domain.APIAddresses("addresses", s, faults).String()
	})
}

// appendJSON appends the JSON of v to dst. Faults below v have v's path.
func (v value) appendJSON(dst []byte) []byte {
	switch {
	case v.node.Kind == yaml.MappingNode:
		dst = append(dst, '{')
		for i, e := range v.entries() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, e.name()), ':')
			dst = value{v.reader, e.value.node, v.path}.appendJSON(dst)
		}
		return append(dst, '}')
	case v.node.Kind == yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range v.items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value{v.reader, item.node, v.path}.appendJSON(dst)
		}
		return append(dst, ']')
	case v.isNull():
		return append(dst, "null"...)
	}
	text, ok := v.scalar()
	quoted := v.node.Style != 0
	switch {
	case !ok:
		return dst
	case v.node.Tag == "!!int", v.node.Tag == "!!float":
		v.fault("must not have a number (quote it if it is text)")
		return dst
	case v.node.Tag == "!!bool", !quoted && (text == "true" || text == "false"): // the latter from a variable
		return append(dst, strings.ToLower(text)...)
	default:
		return appendText(dst, text)
	}
}

// lineBelow returns the line of what a policy.Fault's path such as rules[2].action names below node, or else of
// the last thing on the way there.
func lineBelow(node *yaml.Node, path string) int {
	line := node.Line
	for _, step := range pathStep.FindAllString(path, -1) {
		if name, err := strconv.Unquote(step); err == nil {
			step = name
		}
		var next *yaml.Node
		switch node.Kind {
		case yaml.MappingNode:
			for pair := range slices.Chunk(node.Content, 2) {
				if pair[0].Value == step {
					line, next = pair[0].Line, pair[1]
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i < len(node.Content) {
				next = node.Content[i]
				line = next.Line
			}
		}
		if next == nil {
			break
		}
		node = next
	}
	return line
}

func appendText(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // fails on invalid UTF-8 only, which text is not
	return dst
}
