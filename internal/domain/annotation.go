package domain

import "penstock/internal/markdown"

// AnnotationRef names an annotation as callers do: below its build, below the job that it is shown with, or by its id
// alone.
type AnnotationRef struct {
	Build *BuildRef
	Job   *JobRef
	ID    string
}

// AnnotationFilter chooses annotations. The zero value chooses all.
type AnnotationFilter struct {
	Scopes      []AnnotationScope // any of them; nil: all
	Styles      []string          // any of them; nil: all
	WithoutBody bool              // their bodies are not read, nor what these look like
	// of bodies is read what they look like; those that are not rendered yet are read themselves
	OnlyHTML bool
}

// SetHTML says what the body looks like as it is now.
func (a *Annotation) SetHTML(html string) { a.HTML, a.RenderedAt = html, a.UpdatedAt }

// ShownHTML returns what the body looks like: as it was written until it has been rendered.
func (a *Annotation) ShownHTML() string {
	if a.RenderedAt.Equal(a.UpdatedAt) {
		return a.HTML
	}
	return markdown.Plain(a.Body)
}

// ParseAnnotationScopes returns the scopes that callers name so: nil for all.
//
// Returns Malformed for a name that none has.
func ParseAnnotationScopes(name string) ([]AnnotationScope, error) {
	switch scope := AnnotationScope(name); scope {
	case ScopeOfBuild, ScopeOfJob:
		return []AnnotationScope{scope}, nil
	case "all":
		return nil, nil
	}
	return nil, NewError(Malformed, "scope must be build, job or all")
}
