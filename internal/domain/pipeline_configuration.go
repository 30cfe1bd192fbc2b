package domain

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/limit"
)

// Limits on a configuration. Reading YAML takes up to a thousand times the memory of its text where every second character
// begins a new value, and time that grows with the square of the number of %TAG directives.
const (
	maxConfiguration       = 256 << 10 // bytes
	maxConfigurationValues = 20_000    // roughly: what can begin one is counted
	maxConfigurationDepth  = 100
	maxConfigurationTags   = 20
)

// CheckConfiguration adds a fault if the input has a configuration that is not YAML, or more of it than can be read safely.
// Aliases are not followed. NewPipeline and Apply do not call it because it takes long: it is to be done before a
// transaction that others wait for.
func (in PipelineInput) CheckConfiguration(faults *Faults) {
	text := in.Configuration.Value
	refuse := func(reason string) { faults.Add("configuration", "Configuration "+reason) }
	switch {
	case !ValidText(text):
		refuse("must be valid UTF-8 without NUL")
	case len(text) > maxConfiguration:
		refuse("is too long (maximum is 256 KiB)")
	case countAny(text, ",[{-?\n") > maxConfigurationValues:
		refuse("has too many values (maximum is about 20,000)")
	case strings.Count(text, "%TAG") > maxConfigurationTags:
		refuse("has too many %TAG directives (maximum is 20)")
	default:
		if reason := yamlFault(text); reason != "" {
			refuse("is not valid YAML: " + reason)
		}
	}
}

// yamlFault returns where and why text is not YAML, or "" if it is.
func yamlFault(text string) string {
	// The library does not say where.
	if i := strings.IndexFunc(text, isForbiddenInYAML); i >= 0 {
		lines := strings.Split(text[:i], "\n")
		return describePosition(len(lines), len([]rune(lines[len(lines)-1]))+1, "control characters are not allowed")
	}
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(limit.New(limit.DepthValue(maxConfigurationDepth))))
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
