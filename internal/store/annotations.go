package store

import "penstock/internal/domain"

var annotationRows = tableOf("annotations", "an", func(c *columns, a *domain.Annotation) {
	mapText(c, "id", &a.ID)
	mapText(c, "build_id", &a.BuildID)
	mapNullText(c, "job_id", &a.JobID)
	mapText(c, "scope", &a.Scope)
	mapText(c, "scope_id", &a.ScopeID)
	mapText(c, "context", &a.Context)
	mapTime(c, "created_at", &a.CreatedAt)
	c.changing()
	mapText(c, "style", &a.Style)
	mapInt(c, "priority", &a.Priority)
	mapText(c, "body", &a.Body)
	mapTime(c, "updated_at", &a.UpdatedAt)
})

// AnnotationIn returns the annotation of a build or a job that has a context.
func (tx Tx) AnnotationIn(scopeID, context string) (domain.Annotation, bool, error) {
	return selectOne(tx, annotationRows.read, `SELECT `+annotationRows.columns+` FROM annotations an WHERE an.scope_id = $1 AND an.context = $2`, scopeID, context)
}

// InsertAnnotation stores a new annotation.
func (tx Tx) InsertAnnotation(a domain.Annotation) error { return annotationRows.insert(tx.exec, a) }

// UpdateAnnotation stores the changed state of an annotation.
func (tx Tx) UpdateAnnotation(a domain.Annotation) error { return annotationRows.update(tx.exec, a) }

// DeleteAnnotation deletes an annotation.
func (tx Tx) DeleteAnnotation(id domain.AnnotationID) error {
	return tx.exec(`DELETE FROM annotations WHERE id = $1`, id)
}

// Annotation returns an annotation.
func (tx Tx) Annotation(id domain.AnnotationID) (domain.Annotation, bool, error) {
	return selectOne(tx, annotationRows.read, `SELECT `+annotationRows.columns+` FROM annotations an WHERE an.id = $1`, id)
}
