package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Outline is what a configuration says without its variables filled in: enough to show it. Only a build, which has the
// variables, knows whether the rest of it is right.
type Outline struct {
	Steps   []OutlinedStep
	HasMore bool // than steps
}

// OutlinedStep is a step of an outline. What is not given, or has the wrong type, is nil.
type OutlinedStep struct {
	Kind          Kind
	Label         *string
	Command       *string
	Trigger       *string
	Branches      *string
	ArtifactPaths *string
	Env           map[string]string
	Agents        []string
	Timeout       *int64 // minutes
	Concurrency   *int64
	Parallelism   *int64
	Steps         []OutlinedStep // group
}

// ReadOutline reads a configuration as FromYAML does, and returns what can be said of it before it is built.
func ReadOutline(configuration string) (*Outline, error) {
	p, err := readYAML(configuration)
	if err != nil {
		return nil, err
	}
	document, err := writeJSON(p)
	if err != nil {
		return nil, err
	}
	var top object
	var all []json.RawMessage
	if json.Unmarshal(document, &top) != nil || json.Unmarshal(top["steps"], &all) != nil {
		return nil, Fault("Configuration steps must be a list")
	}
	work := NewWork(context.Background())
	outlined, err := work.outlineSteps(all, "steps", false)
	if err == nil && len(all) > 0 && !bytes.ContainsRune(document, '$') { // a build fills nothing in
		_, err = work.Parse(document)
	}
	if unreadable, ok := errors.AsType[unreadableStep](err); ok {
		err = faultf("Configuration has a step that can't run: %s%s", positionOf(configuration, unreadable.place),
			unreadable.fault)
	}
	return &Outline{Steps: outlined, HasMore: len(top) > 1}, err
}

// unreadableStep is the fault of a step that no build can run, whatever its variables are.
type unreadableStep struct {
	place string // steps[1].steps[0]
	fault error
}

func (u unreadableStep) Error() string { return u.place + ": " + u.fault.Error() }

var stepIndex = regexp.MustCompile(`steps\[(\d+)\]`)

// positionOf returns where in a configuration a step begins, as faults say it; "" if that is not known.
func positionOf(configuration, place string) string {
	node, err := findRoot(configuration)
	if err != nil {
		return ""
	}
	for _, found := range stepIndex.FindAllStringSubmatch(place, -1) {
		i, _ := strconv.Atoi(found[1]) // it is a number
		if node = stepAt(node, i); node == nil {
			return ""
		}
	}
	return describePosition(node.Line, node.Column, "")
}

// stepAt returns a step of what has some: a list, or a mapping with a member steps; nil if it has no such step.
func stepAt(node *yaml.Node, i int) *yaml.Node {
	if node == nil {
		return nil
	}
	for at := 0; node.Kind == yaml.MappingNode && at+1 < len(node.Content); at += 2 {
		if node.Content[at].Value == "steps" {
			node = followAlias(node.Content[at+1])
		}
	}
	if node.Kind != yaml.SequenceNode || i >= len(node.Content) {
		return nil
	}
	return followAlias(node.Content[i])
}

// checkPatterns returns a fault if a step has a regular expression that no build could use, whatever its variables are.
func (w *Work) checkPatterns(o object, place string) error {
	m := members{of: o}
	_, err := w.ParseCondition(m.text("if"))
	if w.isRefused(err) {
		return faultf("Configuration %s.if is invalid: %s", place, err)
	}
	var fields []object
	m.read("fields", &fields)
	for i, field := range fields {
		of := members{of: field}
		if _, err := w.compile(of.text("format")); w.isRefused(err) {
			return faultf("Configuration %s.fields[%d].format is invalid: %s", place, i, err)
		}
	}
	return w.err
}

// isRefused reports whether an error is about the size of a regular expression.
func (w *Work) isRefused(err error) bool {
	_, is := errors.AsType[patternFault](err)
	return is && w.err == nil
}

func (w *Work) outlineSteps(all []json.RawMessage, place string, inGroup bool) ([]OutlinedStep, error) {
	outlined := make([]OutlinedStep, 0, len(all))
	for i, source := range all {
		s, err := w.outlineStep(source, stepPlace(place, i), inGroup)
		if err != nil {
			return nil, err
		}
		outlined = append(outlined, s)
	}
	return outlined, nil
}

func (w *Work) outlineStep(source json.RawMessage, place string, inGroup bool) (s OutlinedStep, err error) {
	var word string
	if json.Unmarshal(source, &word) == nil {
		s.Kind = kindsByWord[word]
		if s.Kind != Wait && s.Kind != Block && s.Kind != Input {
			return s, notAStep(place)
		}
		return s, nil
	}
	var o object
	if json.Unmarshal(source, &o) != nil || o == nil {
		return s, notAStep(place)
	}
	if err := w.checkPatterns(o, place); err != nil {
		return s, err
	}
	if s.Kind, err = kindOf(o, source); err != nil {
		if !bytes.ContainsRune(source, '$') {
			return s, unreadableStep{place, err}
		}
		s.Kind = Command // what kind it is, variables may say
	}
	s.Label = o.outlineText(" ", "label", "name")
	switch s.Kind {
	case Block, Input:
		s.preferLabel(o.outlineText(" ", "block", "manual", "input"))
	case Trigger:
		s.Trigger, s.Branches = o.outlineText(" ", "trigger"), o.outlineText(" ", "branches")
	case Group:
		s.preferLabel(o.outlineText(" ", "group"))
		if inGroup {
			return s, faultf("Configuration %s must not be a group in a group", place)
		}
		var all []json.RawMessage
		if json.Unmarshal(o["steps"], &all) != nil || len(all) == 0 {
			return s, errGroupWithoutSteps
		}
		s.Steps, err = w.outlineSteps(all, place+".steps", true)
		return s, err
	case Command:
		s.outlineCommand(o)
	}
	return s, nil
}

// preferLabel takes another label if it says something.
func (s *OutlinedStep) preferLabel(other *string) {
	if other != nil && *other != "" {
		s.Label = other
	}
}

func (s *OutlinedStep) outlineCommand(o object) {
	s.Command = o.outlineText("\n", "command", "commands")
	s.ArtifactPaths = o.outlineText(";", "artifact_paths", "artifacts")
	s.Branches = o.outlineText(" ", "branches", "branch_configuration")
	m := members{of: o} // whose faults a build finds
	s.Env = m.texts("env")
	s.Agents = m.agentRules("agents", "agent_query_rules")
	s.Timeout = o.outlineNumber("timeout_in_minutes", "timeout")
	s.Concurrency, s.Parallelism = o.outlineNumber("concurrency"), o.outlineNumber("parallelism")
}

// outlineText returns a text, or texts with something between them; nil for anything else.
func (o object) outlineText(between string, names ...string) *string {
	m := members{of: o}
	texts := m.list(names...)
	if texts == nil {
		return nil
	}
	text := strings.Join(texts, between)
	return &text
}

// outlineNumber returns a whole number; nil for anything else.
func (o object) outlineNumber(names ...string) *int64 {
	m := members{of: o}
	number, err := strconv.ParseInt(m.text(names...), 10, 64)
	if err != nil {
		return nil
	}
	return &number
}
