package domain

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// maxShownUpload is how long an upload may be to be shown as YAML.
const maxShownUpload = 256 << 10 // bytes

// Shorten leaves out what was uploaded if it is too long to be shown.
func (u *StepUpload) Shorten() {
	if len(u.Document) > maxShownUpload {
		u.Document = "null"
	}
}

// YAML returns what was uploaded as YAML; false if it is too long for that, or was never JSON.
func (u StepUpload) YAML() (string, bool) {
	if len(u.Document) > maxShownUpload {
		return "", false
	}
	in := jsontext.NewDecoder(strings.NewReader(u.Document))
	node, err := readYAMLNode(in)
	if err != nil {
		return "", false
	}
	text, err := yaml.Dump(node)
	return string(text), err == nil
}

// readYAMLNode reads the next value of a JSON text. The members of objects keep their order.
func readYAMLNode(in *jsontext.Decoder) (*yaml.Node, error) {
	token, err := in.ReadToken()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}
	switch token.Kind() {
	case '"':
		node.Tag = "!!str"
	case '0':
		node.Tag = "!!float"
		if !strings.ContainsAny(node.Value, ".eE") {
			node.Tag = "!!int"
		}
	case 't', 'f':
		node.Tag = "!!bool"
	case 'n':
		node.Tag = "!!null"
	default: // an object or a list
		node = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		end := jsontext.Kind(']')
		if token.Kind() == '{' {
			node.Kind, node.Tag, end = yaml.MappingNode, "!!map", '}'
		}
		for in.PeekKind() != end {
			item, err := readYAMLNode(in)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, item)
		}
		if _, err := in.ReadToken(); err != nil {
			return nil, err
		}
	}
	return node, nil
}
