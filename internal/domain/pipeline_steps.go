package domain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// maxShownSteps bounds what aliases in a configuration can make of it: every text and step that is looked at counts.
const maxShownSteps = 20_000

// maxShownBytes bounds the texts that are shown, each as often as aliases stand for it.
const maxShownBytes = 1 << 20

// ReadDefinition checks the configuration of the input or, if the steps are given as a list, makes one of them, and notes which steps
// are shown of it. As it takes long, it is to be done before a transaction that others wait for.
func (in *PipelineInput) ReadDefinition(faults *Faults) {
	if in.Steps.HasValue() {
		in.readSteps(faults)
		return
	}
	before := len(*faults)
	if in.CheckConfiguration(faults); len(*faults) > before {
		return
	}
	shown, err := ShowSteps(in.Configuration.Value)
	if err != nil {
		faults.Add("configuration", "Configuration "+err.Error())
	}
	in.shownSteps = shown
}

func (in *PipelineInput) readSteps(faults *Faults) {
	size := 0
	for _, step := range in.Steps.Value {
		size += len(step)
	}
	switch {
	case in.Configuration.HasValue():
		faults.Add("steps", "Steps and configuration can't both be given")
		return
	case size > maxConfiguration:
		faults.Add("steps", "Steps are too long (maximum is 256 KiB)")
		return
	}
	steps := make([]any, len(in.Steps.Value))
	for i, given := range in.Steps.Value {
		var step any
		if err := json.Unmarshal(given, &step); err != nil {
			faults.Add("steps", fmt.Sprintf("steps[%d] must be valid UTF-8, without the same member twice", i))
			return
		}
		switch step := step.(type) {
		case string:
			steps[i] = step
		case map[string]any:
			steps[i] = configuredStep(step)
		default:
			faults.Add("steps", fmt.Sprintf("steps[%d] must be an object or a string", i))
			return
		}
	}
	text, err := yaml.Dump(map[string]any{"steps": steps})
	if err != nil {
		faults.Add("steps", "Steps can't be written as YAML")
		return
	}
	made := PipelineInput{Configuration: Some(string(text))}
	if made.ReadDefinition(faults); made.shownSteps == "" {
		return
	}
	shown, err := json.Marshal(in.Steps.Value)
	if err != nil {
		faults.Add("steps", "Steps must be valid JSON")
		return
	}
	in.Configuration, in.shownSteps = made.Configuration, string(shown)
}

// configuredStep returns a step of a list as a configuration has it: lists have other names for some things.
func configuredStep(given map[string]any) any {
	step := map[string]any{}
	for name, value := range given {
		if value != nil {
			step[name] = plainNumbers(value)
		}
	}
	kind := step["type"]
	switch kind {
	case "waiter", "wait":
		delete(step, "type")
		step["wait"] = nil
	case "manual", "block":
		delete(step, "type")
		rename(step, "label", "block")
		rename(step, "name", "block")
		if _, labelled := step["block"]; !labelled {
			step["block"] = nil
		}
	case "trigger":
		delete(step, "type")
		rename(step, "trigger_project_slug", "trigger")
		rename(step, "trigger_async", "async")
		build, _ := step["build"].(map[string]any)
		if build == nil {
			build = map[string]any{}
		}
		for _, name := range []string{"message", "commit", "branch", "env"} {
			if value, ok := step["trigger_"+name]; ok {
				build[name] = value
				delete(step, "trigger_"+name)
			}
		}
		if len(build) > 0 {
			step["build"] = build
		}
	case "script", nil:
		delete(step, "type")
		rename(step, "name", "label")
		rename(step, "agent_query_rules", "agents")
	}
	rename(step, "branch_configuration", "branches")
	return step
}

// rename gives a member another name, unless there is one with that name.
func rename(step map[string]any, from, to string) {
	if value, ok := step[from]; ok && step[to] == nil {
		step[to] = value
		delete(step, from)
	}
}

// plainNumbers writes whole numbers without a point or an exponent.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plainNumbers(v[name])
		}
	}
	return value
}

// ShowSteps returns the steps of a configuration that CheckConfiguration has nothing against, as a JSON list in the form that clients
// know. It is a summary: the configuration says all.
func ShowSteps(configuration string) (string, error) {
	loader, err := yaml.NewLoader(strings.NewReader(configuration))
	if err != nil {
		return "", err
	}
	var document yaml.Node
	if err := loader.Load(&document); err != nil || len(document.Content) == 0 {
		return "[]", nil //nolint:nilerr // it is empty: what is wrong with YAML is found before it is stored
	}
	s := stepShower{}
	root := follow(document.Content[0])
	if root.Kind == yaml.MappingNode {
		root = s.members(root)["steps"]
	}
	if root == nil || root.Kind == yaml.ScalarNode {
		return "[]", nil
	}
	shown := s.showAll(root, "steps", false)
	if s.err != nil {
		return "", s.err
	}
	text, err := json.Marshal(shown, json.Deterministic(true))
	return string(text), err
}

// stepShower makes what is shown of steps, and counts how much it has looked at.
type stepShower struct {
	seen  int
	bytes int
	err   error
}

func (s *stepShower) fail(format string, arguments ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, arguments...)
	}
}

// count reports whether there may be more to look at.
func (s *stepShower) count() bool {
	if s.seen++; s.seen > maxShownSteps {
		s.fail("has too many steps and values, where its aliases are followed (maximum is about 20,000)")
	}
	return s.err == nil
}

// take returns a text that is shown, and counts its bytes.
func (s *stepShower) take(n *yaml.Node) string {
	if s.bytes += len(n.Value); s.bytes > maxShownBytes {
		s.fail("has more than 1 MiB of texts, where its aliases are followed")
		return ""
	}
	return n.Value
}

// follow returns the node that an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// members returns the members of a mapping, and those that it merges.
func (s *stepShower) members(n *yaml.Node) map[string]*yaml.Node {
	members := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content) && s.count(); i += 2 {
		name, value := follow(n.Content[i]), follow(n.Content[i+1])
		if name.Value != "<<" {
			members[name.Value] = value
			continue
		}
		merged := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			merged = value.Content
		}
		for _, m := range merged {
			if m = follow(m); m.Kind != yaml.MappingNode {
				continue
			}
			for j := 0; j+1 < len(m.Content) && s.count(); j += 2 { // what they merge themselves is left out
				if key := follow(m.Content[j]).Value; members[key] == nil {
					members[key] = follow(m.Content[j+1])
				}
			}
		}
	}
	return members
}

func (s *stepShower) showAll(list *yaml.Node, place string, inGroup bool) []any {
	shown := []any{}
	if list == nil || list.Kind != yaml.SequenceNode {
		s.fail("%s must be a list", place)
		return shown
	}
	for i, n := range list.Content {
		if !s.count() {
			break
		}
		shown = append(shown, s.show(follow(n), place+"["+strconv.Itoa(i)+"]", inGroup))
	}
	return shown
}

func (s *stepShower) show(n *yaml.Node, place string, inGroup bool) map[string]any {
	m := map[string]*yaml.Node{}
	switch n.Kind {
	case yaml.ScalarNode:
		if !slices.Contains([]string{"wait", "waiter", "block", "manual", "input"}, n.Value) {
			s.fail("%s must be a mapping, wait, block or input", place)
		}
		m[n.Value] = &yaml.Node{}
	case yaml.MappingNode:
		m = s.members(n)
	default:
		s.fail("%s must be a mapping, wait, block or input", place)
	}
	kind := ""
	if m["type"] != nil {
		kind = m["type"].Value
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return m[name] != nil || kind == name })
	}
	label := s.text(first(m, "label", "name"), " ")
	switch {
	case has("wait", "waiter"):
		return map[string]any{"type": "waiter"}
	case has("block", "manual", "input"):
		if text := s.text(first(m, "block", "manual", "input"), " "); text != nil && text != "" {
			label = text
		}
		return map[string]any{"type": "manual", "label": label}
	case has("trigger"):
		return map[string]any{"type": "trigger", "label": label, "pipeline": s.text(m["trigger"], " "), "branch_configuration": s.text(m["branches"], " ")}
	case has("group") && inGroup:
		s.fail("%s must not be a group in a group", place)
		return nil
	case has("group"):
		if text := s.text(m["group"], " "); text != nil && text != "" {
			label = text
		}
		return map[string]any{"type": "group", "name": label, "steps": s.showAll(m["steps"], place+".steps", true)}
	}
	return map[string]any{
		"type": "script", "name": label,
		"command":              s.text(first(m, "command", "commands"), "\n"),
		"artifact_paths":       s.text(first(m, "artifact_paths", "artifacts"), ";"),
		"branch_configuration": s.text(first(m, "branches", "branch_configuration"), " "),
		"env":                  s.texts(m["env"]),
		"timeout_in_minutes":   number(first(m, "timeout_in_minutes", "timeout")),
		"agent_query_rules":    s.rules(first(m, "agents", "agent_query_rules")),
		"concurrency":          number(m["concurrency"]),
		"parallelism":          number(m["parallelism"]),
	}
}

// first returns the first of the members that there is.
func first(m map[string]*yaml.Node, names ...string) *yaml.Node {
	for _, name := range names {
		if m[name] != nil {
			return m[name]
		}
	}
	return nil
}

// text returns a text, or the texts of a list joined; nil for anything else.
func (s *stepShower) text(n *yaml.Node, between string) any {
	switch {
	case n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null":
		return nil
	case n.Kind == yaml.ScalarNode:
		return s.take(n)
	case n.Kind != yaml.SequenceNode:
		return nil
	}
	var parts []string
	for _, item := range n.Content {
		if item = follow(item); s.count() && item.Kind == yaml.ScalarNode {
			parts = append(parts, s.take(item))
		}
	}
	return strings.Join(parts, between)
}

// texts returns the texts of a mapping.
func (s *stepShower) texts(n *yaml.Node) map[string]string {
	texts := map[string]string{}
	if n != nil && n.Kind == yaml.MappingNode {
		for name, value := range s.members(n) {
			if value.Kind == yaml.ScalarNode {
				texts[name] = s.take(value)
			}
		}
	}
	return texts
}

// rules returns which agents a step asks for, a list of name=value.
func (s *stepShower) rules(n *yaml.Node) []string {
	rules := []string{}
	if n != nil && n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			if item = follow(item); s.count() && item.Kind == yaml.ScalarNode {
				rules = append(rules, s.take(item))
			}
		}
	}
	for name, value := range s.texts(n) {
		rules = append(rules, name+"="+value)
	}
	slices.Sort(rules)
	return rules
}

// number returns a whole number; nil for anything else.
func number(n *yaml.Node) any {
	if n == nil || n.Kind != yaml.ScalarNode {
		return nil
	}
	value, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		return nil
	}
	return value
}

// ShownSteps returns the pipeline's steps as a JSON list. Those of a release that did not store them are made of the configuration.
func (p *Pipeline) ShownSteps() jsontext.Value {
	if p.Steps != "" {
		return jsontext.Value(p.Steps)
	}
	shown, err := ShowSteps(p.Configuration)
	if err != nil {
		return jsontext.Value("[]")
	}
	return jsontext.Value(shown)
}

// HasMoreThanSteps reports whether a configuration says more than a list of steps can.
func HasMoreThanSteps(configuration string) bool {
	var document yaml.Node
	loader, err := yaml.NewLoader(strings.NewReader(configuration))
	if err != nil || loader.Load(&document) != nil || len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(document.Content[0].Content); i += 2 {
		if document.Content[0].Content[i].Value != "steps" {
			return true
		}
	}
	return false
}
