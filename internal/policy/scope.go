package policy

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// scope is one of the dimensions in which cache entries are kept apart.
type scope string

const (
	branchScope   scope = "branch"
	buildScope    scope = "build"
	pipelineScope scope = "pipeline"
)

// valueFor returns the value that $current takes for a job: the pipeline's slug, the build's branch, or
// the build's number as decimal text.
func (s scope) valueFor(job *Claims) string {
	switch s {
	case pipelineScope:
		return job.PipelineSlug
	case branchScope:
		return job.BuildBranch
	case buildScope:
		return strconv.FormatInt(job.BuildNumber, 10)
	default:
		return ""
	}
}

// claimName returns the name of the claim that valueFor reads.
func (s scope) claimName() string {
	switch s {
	case pipelineScope:
		return "pipeline_slug"
	case branchScope:
		return "build_branch"
	case buildScope:
		return "build_number"
	default:
		return ""
	}
}

// Entry is the scopes of a cache entry. An empty field means that the entry is not scoped by it;
// conditions see null there.
type Entry struct {
	Pipeline string
	Branch   string
	Build    string
}

func (e *Entry) set(s scope, value string) {
	switch s {
	case pipelineScope:
		e.Pipeline = value
	case branchScope:
		e.Branch = value
	case buildScope:
		e.Build = value
	}
}

// String returns the scopes that are set as a JSON object, {} for an unscoped entry.
func (e Entry) String() string {
	text := []byte{'{'}
	for _, field := range [...]struct {
		scope scope
		value string
	}{{pipelineScope, e.Pipeline}, {branchScope, e.Branch}, {buildScope, e.Build}} {
		if field.value == "" {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = appendText(text, string(field.scope))
		text = append(text, ':')
		text = appendText(text, field.value)
	}
	return string(append(text, '}'))
}

// appendText appends text as a JSON string. Invalid UTF-8, which no parsed document has, becomes
// replacement characters.
func appendText(to []byte, text string) []byte {
	to, _ = jsontext.AppendQuote(to, text)
	return to
}
