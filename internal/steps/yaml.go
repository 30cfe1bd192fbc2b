package steps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	pipeline "github.com/buildkite/go-pipeline"
	"github.com/buildkite/go-pipeline/warning"
	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/limit"
)

const (
	maxYAMLDepth = 100
	maxYAMLSize  = 2 << 20 // bytes of texts, and some for each value; aliases counted as often as they stand for something
	valueSize    = 16
)

// Environment is what variables of a configuration are filled in from.
type Environment map[string]string

// Get returns a variable's value.
func (e Environment) Get(name string) (string, bool) {
	value, ok := e[name]
	return value, ok
}

// Set sets a variable, which the top of a definition can do.
func (e Environment) Set(name, value string) { e[name] = value }

// FromYAML turns a pipeline's configuration into the JSON that an agent would upload for it, with variables filled in from env. It reads the
// document as agents do.
func FromYAML(configuration string, env Environment) ([]byte, error) {
	if err := boundYAML(configuration); err != nil {
		return nil, err
	}
	p, err := pipeline.Parse(strings.NewReader(configuration))
	if err != nil && warning.As(err) == nil { // what it warns of, Parse refuses in better words
		return nil, faultf("The configuration is not a pipeline: %s", err)
	}
	if err := p.Interpolate(env, false); err != nil {
		return nil, faultf("The configuration's variables cannot be filled in: %s", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		return nil, faultf("The configuration is not a pipeline: %s", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// boundYAML refuses a document that is larger than it looks: aliases can stand for a thousand times their length.
func boundYAML(text string) error {
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(limit.New(limit.DepthValue(maxYAMLDepth))))
	var document yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	if err != nil {
		return faultf("The configuration is not valid YAML: %s", err)
	}
	counter := nodeCounter{counted: map[*yaml.Node]int{}}
	if _, err := counter.count(&document); err != nil {
		return faultf("The configuration is not valid YAML: %s", err)
	}
	return nil
}

type nodeCounter struct{ counted map[*yaml.Node]int } // an anchor that is being counted has 0

var errTooLarge = errors.New("its aliases make it too large")

func (c *nodeCounter) count(n *yaml.Node) (total int, err error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if total, ok := c.counted[n]; ok {
		if total == 0 {
			return 0, fmt.Errorf("the anchor %q contains itself", n.Anchor)
		}
		return total, nil
	}
	c.counted[n] = 0
	total = valueSize + len(n.Value)
	for _, child := range n.Content {
		of, err := c.count(child)
		if err != nil {
			return 0, err
		}
		if total += of; total > maxYAMLSize {
			return 0, errTooLarge
		}
	}
	c.counted[n] = total
	return total, nil
}
