package domain

// AnnotationRef names an annotation as callers do: below its build, below the job that it is shown with, or by its id alone.
type AnnotationRef struct {
	Build *BuildRef
	Job   *JobRef
	ID    string
}

// AnnotationFilter chooses annotations. The zero value chooses all.
type AnnotationFilter struct {
	Scope       AnnotationScope // "": any
	WithoutBody bool            // their bodies are not read
}

// ParseAnnotationScope returns the scope that callers name so: "" for all.
//
// Returns Malformed for a name that none has.
func ParseAnnotationScope(name string) (AnnotationScope, error) {
	switch scope := AnnotationScope(name); scope {
	case ScopeOfBuild, ScopeOfJob:
		return scope, nil
	case "all":
		return "", nil
	}
	return "", NewError(Malformed, "scope must be build, job or all")
}
