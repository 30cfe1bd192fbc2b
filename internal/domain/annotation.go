package domain

// AnnotationRef names an annotation as callers do: below its build, below the job that it is shown with, or by its id alone.
type AnnotationRef struct {
	Build *BuildRef
	Job   *JobRef
	ID    string
}

// AnnotationFilter chooses annotations. The zero value chooses all.
type AnnotationFilter struct {
	Scopes      []AnnotationScope // any of them; nil: all
	Styles      []string          // any of them; nil: all
	WithoutBody bool              // their bodies are not read
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
