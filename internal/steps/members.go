package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const minInt = math.MinInt32

// members reads members of an object. The first fault stays; what is read after it means nothing.
type members struct {
	of    object
	fault error
}

func (o object) has(name string) bool {
	raw, ok := o[name]
	return ok && string(bytes.TrimSpace(raw)) != "null"
}

func (m *members) refuse(name, reason string) { m.adopt(faultf("`%s` is invalid: %s", name, reason)) }

func (m *members) adopt(fault error) {
	if m.fault == nil {
		m.fault = fault
	}
}

// find returns the first of the names that the object has with a value other than null.
func (m *members) find(names ...string) (name string, raw json.RawMessage) {
	for _, name := range names {
		if m.of.has(name) {
			return name, m.of[name]
		}
	}
	return names[0], nil
}

// read reads a member of any type. Without it the target stays as it is.
func (m *members) read(name string, target any) {
	if !m.of.has(name) {
		return
	}
	if err := json.Unmarshal(m.of[name], target); err != nil {
		m.refuse(name, "it has the wrong type")
	}
}

// text reads a text. Numbers and booleans are texts too, as in YAML.
func (m *members) text(names ...string) string {
	name, raw := m.find(names...)
	if raw == nil {
		return ""
	}
	text, ok := scalar(raw)
	if !ok {
		m.refuse(name, "it is a text")
	}
	return text
}

// scalar returns a text, a number or a boolean as text.
func scalar(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return "", false
	}
	if raw[0] != '"' {
		return string(raw), true
	}
	var text string
	return text, json.Unmarshal(raw, &text) == nil
}

func (m *members) flag(name string) (is bool) {
	if raw, ok := m.of[name]; ok && m.of.has(name) {
		switch text, _ := scalar(raw); text {
		case "true":
			return true
		case "false":
		default:
			m.refuse(name, "it is true or false")
		}
	}
	return false
}

// number reads a whole number that is not less than least, or a text that is one. Without it nil.
func (m *members) number(name string, least int, aliases ...string) *int {
	name, raw := m.find(append([]string{name}, aliases...)...)
	if raw == nil {
		return nil
	}
	text, _ := scalar(raw)
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil || number < int64(least) {
		reason := "it is a whole number"
		if least > minInt {
			reason = fmt.Sprintf("it is a whole number of at least %d", least)
		}
		m.refuse(name, reason)
		return nil
	}
	n := int(number)
	return &n
}

func (m *members) parallelism() int {
	number := m.number("parallelism", 1)
	if number == nil {
		return 0
	}
	return min(*number, maxParallelism)
}

// list reads a list of texts, or one text.
func (m *members) list(names ...string) []string {
	name, raw := m.find(names...)
	if raw == nil {
		return nil
	}
	if text, ok := scalar(raw); ok {
		return []string{text}
	}
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		m.refuse(name, "it is a text or a list of texts")
		return nil
	}
	texts := make([]string, 0, len(all))
	for _, one := range all {
		text, ok := scalar(one)
		if !ok {
			m.refuse(name, "it is a text or a list of texts")
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

func (m *members) lines(names ...string) string { return strings.Join(m.list(names...), "\n") }

// words reads texts with spaces between words as the words.
func (m *members) words(name string) (words []string) {
	for _, text := range m.list(name) {
		words = append(words, strings.Fields(text)...)
	}
	return words
}

// texts reads an object of texts.
func (m *members) texts(name string) map[string]string {
	var values map[string]json.RawMessage
	m.read(name, &values)
	if values == nil {
		return nil
	}
	texts := make(map[string]string, len(values))
	for key, raw := range values {
		text, ok := scalar(raw)
		if !ok && string(bytes.TrimSpace(raw)) != "null" {
			m.refuse(name, fmt.Sprintf("%q is not a text", key))
			return nil
		}
		texts[key] = text
	}
	return texts
}

// agentRules reads an object such as {"queue": "linux"}, or a list such as ["queue=linux"], as the latter.
func (m *members) agentRules(names ...string) []string {
	name, raw := m.find(names...)
	if raw == nil {
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		rules := []string{}
		byName := m.texts(name)
		for _, key := range slices.Sorted(maps.Keys(byName)) {
			rules = append(rules, key+"="+byName[key])
		}
		return rules
	}
	rules := m.list(name)
	for _, rule := range rules {
		if key, _, ok := strings.Cut(rule, "="); !ok || key == "" {
			m.refuse(name, fmt.Sprintf("%q is not of the form key=value", rule))
		}
	}
	return rules
}

// skip reads whether a step is skipped, as the reason.
func (m *members) skip(name string) string {
	if !m.of.has(name) {
		return ""
	}
	switch text, ok := scalar(m.of[name]); {
	case !ok || len([]rune(text)) > MaxSkipLength:
		m.refuse(name, fmt.Sprintf("it is true, false, or a reason of at most %d characters", MaxSkipLength))
	case string(m.of[name]) == "true":
		return "skipped"
	case string(m.of[name]) != "false":
		return text
	}
	return ""
}

func (m *members) dependencies(raw json.RawMessage) (all []Dependency) {
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil
	}
	if text, ok := scalar(raw); ok {
		return []Dependency{{Step: text}}
	}
	const shape = "it is a key, or a list of keys and of objects with `step` and `allow_failure`"
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		m.refuse("depends_on", shape)
	}
	for _, one := range list {
		if text, ok := scalar(one); ok {
			all = append(all, Dependency{Step: text})
			continue
		}
		var o object
		if json.Unmarshal(one, &o) != nil {
			m.refuse("depends_on", shape)
			return nil
		}
		in := members{of: o}
		all = append(all, Dependency{Step: in.text("step"), AllowFailure: in.flag("allow_failure")})
		if in.fault != nil || !o.has("step") || len(o) > 2 {
			m.refuse("depends_on", shape)
			return nil
		}
	}
	return all
}

func (m *members) concurrency(s *Step) {
	limit := m.number("concurrency", 1)
	s.ConcurrencyGroup = m.text("concurrency_group")
	method := m.text("concurrency_method")
	switch {
	case limit == nil && s.ConcurrencyGroup != "":
		m.refuse("concurrency_group", "it needs `concurrency`")
	case limit != nil && s.ConcurrencyGroup == "":
		m.refuse("concurrency", "it needs `concurrency_group`")
	case len([]rune(s.ConcurrencyGroup)) > MaxGroupNameLength:
		m.refuse("concurrency_group", fmt.Sprintf("it is longer than %d characters", MaxGroupNameLength))
	case method != "" && limit == nil:
		m.refuse("concurrency_method", "it needs `concurrency`")
	case method != "" && method != string(Ordered) && method != string(Eager):
		m.refuse("concurrency_method", "it is ordered or eager")
	case limit != nil:
		s.Concurrency = *limit
		s.ConcurrencyMethod = Ordered
		if method != "" {
			s.ConcurrencyMethod = ConcurrencyMethod(method)
		}
	}
}

func (m *members) checkout(o object) (c Checkout) {
	in := members{of: o}
	flag := func(name string) *bool {
		if !o.has(name) {
			return nil
		}
		is := in.flag(name)
		return &is
	}
	c.Skip, c.Submodules, c.LFS = flag("skip"), flag("submodules"), flag("lfs")
	c.Depth = in.number("depth", 1)
	c.SSHSecret, c.CommitVerification = in.text("ssh_secret"), in.text("commit_verification")
	var flags, sparse object
	in.read("flags", &flags)
	in.read("sparse", &sparse)
	of := members{of: flags}
	join := func(name string) string { return strings.Join(of.list(name), " ") }
	c.CloneFlags, c.FetchFlags, c.CheckoutFlags, c.CleanFlags = join("clone"), join("fetch"), join("checkout"),
		join("clean")
	paths := members{of: sparse}
	c.SparsePaths = paths.list("paths")
	for _, fault := range []error{in.fault, of.fault, paths.fault} {
		if fault != nil {
			m.refuse("checkout", fault.Error())
		}
	}
	return c
}
