package steps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"unicode/utf8"

	pipeline "github.com/buildkite/go-pipeline"
	"github.com/buildkite/go-pipeline/warning"
	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/limit"
)

// MaxConfiguration is how many bytes a configuration has at most.
const MaxConfiguration = 256 << 10

// Limits on a configuration. Reading YAML takes up to a thousand times the memory of its text where every second
// character begins a new value, and time that grows with the square of the number of %TAG directives.
const (
	maxYAMLMarks  = 20_000 // roughly: what can begin a value is counted
	maxYAMLDepth  = 100
	maxYAMLTags   = 20
	maxYAMLValues = 20_000  // each as often as aliases stand for it
	maxYAMLTexts  = 1 << 20 // bytes, likewise
)

// CheckYAML returns a fault if a configuration is not YAML, or more of it than can be read safely. Aliases are not
// followed.
func CheckYAML(configuration string) error {
	switch {
	case !utf8.ValidString(configuration) || strings.Contains(configuration, "\x00"):
		return Fault("Configuration must be valid UTF-8 without NUL")
	case len(configuration) > MaxConfiguration:
		return Fault("Configuration is too long (maximum is 256 KiB)")
	case countAny(configuration, ",[{-?\n") > maxYAMLMarks:
		return Fault("Configuration has too many values (maximum is about 20,000)")
	case strings.Count(configuration, "%TAG") > maxYAMLTags:
		return Fault("Configuration has too many %TAG directives (maximum is 20)")
	}
	if reason := findYAMLFault(configuration); reason != "" {
		return faultf("Configuration is not valid YAML: %s", reason)
	}
	return nil
}

// findYAMLFault returns where and why a text is not YAML, or "" if it is.
func findYAMLFault(text string) string {
	// The library does not say where.
	if i := strings.IndexFunc(text, isForbiddenInYAML); i >= 0 {
		lines := strings.Split(text[:i], "\n")
		return describePosition(len(lines), len([]rune(lines[len(lines)-1]))+1, "control characters are not allowed")
	}
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(limit.New(limit.DepthValue(maxYAMLDepth))))
	for err == nil {
		err = loader.Load(new(yaml.Node)) // the next document
	}
	if errors.Is(err, io.EOF) {
		return ""
	}
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		return describePosition(e.Mark.Line, e.Mark.Column, e.Message)
	}
	return err.Error()
}

func describePosition(line, column int, reason string) string {
	return fmt.Sprintf("line %d, column %d: %s", line, column, reason)
}

func isForbiddenInYAML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF'
}

// countAny returns how many bytes of s are among those of chars.
func countAny(s, chars string) (n int) {
	for i := range len(s) {
		if strings.IndexByte(chars, s[i]) >= 0 {
			n++
		}
	}
	return n
}

// Environment is what variables of a configuration are filled in from.
type Environment map[string]string

// maxFilledIn is how many bytes variables may add to a configuration: one that the top of a definition sets can have
// others in it, each as often as it likes.
const maxFilledIn = 4 << 20

// boundedEnvironment is an environment that counts what was filled in from it.
type boundedEnvironment struct {
	variables Environment
	filledIn  int
}

// Get returns a variable's value, until all of them are too much.
func (e *boundedEnvironment) Get(name string) (string, bool) {
	value, ok := e.variables[name]
	if e.filledIn += len(value); e.filledIn > maxFilledIn {
		return "", false
	}
	return value, ok
}

// Set sets a variable, which the top of a definition can do.
func (e *boundedEnvironment) Set(name, value string) { e.variables[name] = value }

// FromYAML turns a pipeline's configuration into the JSON that an agent would upload for it, with variables filled in
// from env. It reads the document as agents do.
func FromYAML(configuration string, env Environment) ([]byte, error) {
	p, err := readYAML(configuration)
	if err != nil {
		return nil, err
	}
	bounded := &boundedEnvironment{variables: maps.Clone(env)}
	if bounded.variables == nil {
		bounded.variables = Environment{}
	}
	err = p.Interpolate(bounded, false)
	if bounded.filledIn > maxFilledIn {
		return nil, faultf("Configuration has variables that fill in more than %d MiB", maxFilledIn>>20)
	}
	if err != nil {
		return nil, faultf("Configuration has variables that cannot be filled in: %s", err)
	}
	return writeJSON(p)
}

// readYAML reads the first document of a configuration as agents do. One that says nothing is a pipeline without steps.
func readYAML(configuration string) (*pipeline.Pipeline, error) {
	if err := CheckYAML(configuration); err != nil {
		return nil, err
	}
	root, err := findRoot(configuration)
	if err != nil {
		return nil, err
	}
	if root == nil || root.Kind == yaml.ScalarNode {
		return &pipeline.Pipeline{Steps: pipeline.Steps{}}, nil
	}
	if err := checkShape(root); err != nil {
		return nil, err
	}
	p, err := pipeline.Parse(strings.NewReader(configuration))
	if err != nil && warning.As(err) == nil { // what it warns of, Parse refuses in better words
		return nil, faultf("Configuration is not a pipeline: %s", err)
	}
	return p, nil
}

func writeJSON(p *pipeline.Pipeline) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		return nil, faultf("Configuration is not a pipeline: %s", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// findRoot returns what the first document of a configuration has, or nil. It refuses a document that is larger than it
// looks: aliases can stand for a thousand times their length.
func findRoot(text string) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err != nil {
		return nil, faultf("Configuration is not valid YAML: %s", err)
	}
	var document yaml.Node
	if err := loader.Load(&document); err != nil || len(document.Content) == 0 {
		return nil, nil //nolint:nilerr // there is none: what is wrong with YAML was found before
	}
	if _, err := (nodeCounter{}).count(&document); err != nil {
		return nil, err
	}
	return followAlias(document.Content[0]), nil
}

func followAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// checkShape says in better words than the library what cannot be steps.
func checkShape(root *yaml.Node) error {
	list := root
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "steps" {
			list = followAlias(root.Content[i+1])
		}
	}
	if list.Kind != yaml.SequenceNode {
		if list == root || list.ShortTag() == "!!null" {
			return nil
		}
		return Fault("Configuration steps must be a list")
	}
	for i, item := range list.Content {
		if item = followAlias(item); item.Kind != yaml.MappingNode && item.ShortTag() != "!!str" {
			return notAStep(stepPlace("steps", i))
		}
	}
	return nil
}

func stepPlace(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

func notAStep(place string) error {
	return faultf("Configuration %s must be a mapping, wait, block or input", place)
}

// size is how much a part of a document is, with its aliases followed.
type size struct{ values, bytes int }

// nodeCounter has the sizes of what was counted. An anchor that is being counted has none.
type nodeCounter map[*yaml.Node]size

func (c nodeCounter) count(n *yaml.Node) (total size, err error) {
	n = followAlias(n)
	if total, ok := c[n]; ok {
		if total.values == 0 {
			return total, faultf("Configuration has an anchor that contains itself: %q", n.Anchor)
		}
		return total, nil
	}
	c[n] = size{}
	total = size{1, len(n.Value)}
	for i, child := range n.Content {
		of, err := c.count(child)
		if err != nil {
			return total, err
		}
		if total.bytes += of.bytes; n.Kind != yaml.MappingNode || i%2 > 0 {
			total.values += of.values
		}
		switch {
		case total.values > maxYAMLValues:
			return total, Fault("Configuration has too many steps and values, where its aliases are followed (maximum is " +
				"about 20,000)")
		case total.bytes > maxYAMLTexts:
			return total, Fault("Configuration has more than 1 MiB of texts, where its aliases are followed")
		}
	}
	c[n] = total
	return total, nil
}
