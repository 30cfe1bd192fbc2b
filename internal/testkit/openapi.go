package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const jsonType = "application/json"

// Contract is an OpenAPI 3.1 description that answers can be checked against. It is safe for concurrent use.
type Contract struct {
	operations []operation
}

// operation is what a description says of one method of one path.
type operation struct {
	method   string
	segments []string                      // of the path; a parameter is in braces
	bodies   map[string]*jsonschema.Schema // by status; nil for an answer that is not JSON
	texts    map[string][]string           // by status: media types besides JSON
}

// NewContract reads a description. It returns an error unless every reference in the answers that it describes
// leads somewhere and every schema is one.
func NewContract(document []byte) (*Contract, error) {
	const address = "https://example.com/openapi.json" // it is not fetched
	source, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the API description: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(address, source); err != nil {
		return nil, fmt.Errorf("read the API description: %w", err)
	}
	var description struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Responses map[string]answerDescription }
	}
	if err := json.Unmarshal(document, &description); err != nil {
		return nil, fmt.Errorf("read the API description: %w", err)
	}
	c := &Contract{}
	for path, item := range description.Paths {
		for method, source := range item {
			if method == "parameters" {
				continue
			}
			var said struct{ Responses map[string]answerDescription }
			if err := json.Unmarshal(source, &said); err != nil {
				return nil, fmt.Errorf("read the API description: %s %s: %w", method, path, err)
			}
			o := operation{strings.ToUpper(method), strings.Split(path, "/"), map[string]*jsonschema.Schema{}, map[string][]string{}}
			for status, answer := range said.Responses {
				at := "/paths/" + escapePointer(path) + "/" + method + "/responses/" + status
				if name, ok := strings.CutPrefix(answer.Ref, "#/components/responses/"); ok {
					at = "/components/responses/" + name
					if answer, ok = description.Components.Responses[name]; !ok {
						return nil, fmt.Errorf("read the API description: %s %s: there is no %s", method, path, at)
					}
				}
				o.bodies[status] = nil
				for media := range answer.Content {
					if media != jsonType {
						o.texts[status] = append(o.texts[status], media)
					}
				}
				if answer.Content == nil || answer.Content[jsonType] == nil && len(o.texts[status]) > 0 {
					continue
				}
				fragment := url.URL{Fragment: at + "/content/" + escapePointer(jsonType) + "/schema"}
				if o.bodies[status], err = compiler.Compile(address + fragment.String()); err != nil {
					return nil, fmt.Errorf("read the API description: %s %s: %w", method, path, err)
				}
			}
			c.operations = append(c.operations, o)
		}
	}
	return c, nil
}

// answerDescription is an answer in a description, or a reference to one.
type answerDescription struct {
	Ref     string `json:"$ref"`
	Content map[string]any
}

// escapePointer returns a member's name as a JSON pointer has it.
func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// Has reports whether the description has an operation of that method at that path.
func (c *Contract) Has(method, path string) bool {
	_, err := c.find(method, path)
	return err == nil
}

// CheckText returns an error that says what is wrong unless the description has an operation of that method at that path, which can answer with
// that status and a text of that media type.
func (c *Contract) CheckText(method, path string, status int, media string) error {
	o, err := c.find(method, path)
	if err == nil && !slices.Contains(o.texts[strconv.Itoa(status)], media) {
		err = fmt.Errorf("%s %s: the answer with status %d is not described as %s", method, path, status, media)
	}
	return err
}

// Check returns an error that says what is wrong unless the description has an operation of that method at
// that path (its query string does not matter), which can answer with that status and that body.
func (c *Contract) Check(method, path string, status int, body []byte) error {
	o, err := c.find(method, path)
	if err != nil {
		return err
	}
	schema, ok := o.bodies[strconv.Itoa(status)]
	answer := fmt.Sprintf("%s %s: the answer with status %d (%s)", method, path, status, http.StatusText(status))
	switch {
	case !ok:
		return fmt.Errorf("%s is not described", answer)
	case schema == nil && len(body) > 0:
		return fmt.Errorf("%s is described as one without a body, but has this one: %s", answer, body)
	case schema == nil:
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s is not JSON: %w: %s", answer, err, body)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s is not as described: %w\nthe body: %s", answer, err, body)
	}
	return nil
}

// find returns the operation whose path has the fewest parameters of those that fit.
func (c *Contract) find(method, path string) (found operation, err error) {
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	fewest := len(segments) + 1
	for _, o := range c.operations {
		parameters := 0
		fits := slices.EqualFunc(o.segments, segments, func(template, segment string) bool {
			if !strings.HasPrefix(template, "{") {
				return template == segment
			}
			parameters++
			return segment != ""
		})
		if fits && o.method == method && parameters < fewest {
			found, fewest = o, parameters
		}
	}
	if found.bodies == nil {
		return found, fmt.Errorf("%s %s is not described", method, path)
	}
	return found, nil
}
