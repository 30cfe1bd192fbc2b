package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var annotationRows = tableOf("annotations", "an", func(c *columns, a *domain.Annotation) {
	mapAnnotation(c, a)
	mapText(c, "body", &a.Body)
	mapRendered(c, a)
})

// mapRendered names the columns of what annotations look like.
func mapRendered(c *columns, a *domain.Annotation) {
	mapText(c, "body_html", &a.HTML)
	mapTime(c, "rendered_at", &a.RenderedAt)
}

// mapAnnotation names the columns of annotations but for their bodies, which can be long.
func mapAnnotation(c *columns, a *domain.Annotation) {
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
	mapTime(c, "updated_at", &a.UpdatedAt)
}

// AnnotationRows are annotations.
var AnnotationRows = annotationsWith(selecting(annotationRows.visit))

var annotationRowsWithoutBody = annotationsWith(selecting(func(c *columns, a *domain.Annotation) {
	c.prefix = "an."
	mapAnnotation(c, a)
}))

var annotationRowsOnlyHTML = annotationsWith(selecting(func(c *columns, a *domain.Annotation) {
	c.prefix = "an."
	mapAnnotation(c, a)
	mapRendered(c, a)
	c.prefix = ""
	mapText(c, "CASE WHEN an.rendered_at = an.updated_at THEN '' ELSE an.body END", &a.Body)
}))

func annotationsWith(items selection[domain.Annotation]) Rows[*domain.Annotation] {
	return Rows[*domain.Annotation]{
		items: pointersTo(items), tables: `annotations an`, joins: `JOIN builds b ON b.id = an.build_id`,
		id:           textKey(`an.id`, func(a *domain.Annotation) string { return string(a.ID) }),
		organization: `b.organization_id`,
	}
}

// AnnotationsOfBuilds lists the annotations of builds and of their jobs, in the order in which they were made unless
// another one is asked for.
func AnnotationsOfBuilds(filter domain.AnnotationFilter, order domain.Order) List[*domain.Annotation] {
	return annotationsOf("annotations of a build", `an.build_id`, `builds`, filter, order)
}

// AnnotationsOfJobs lists the annotations that are shown with jobs, in the order in which they were made unless another
// one is asked for.
func AnnotationsOfJobs(filter domain.AnnotationFilter, order domain.Order) List[*domain.Annotation] {
	l := annotationsOf("annotations of a job", `an.scope_id`, `jobs`, filter, order)
	l.scans = true // a job has few
	return l
}

func annotationsOf(name, parent, parents string, filter domain.AnnotationFilter,
	order domain.Order) List[*domain.Annotation] {
	rows := AnnotationRows
	switch {
	case filter.WithoutBody:
		rows = annotationRowsWithoutBody
	case filter.OnlyHTML:
		rows = annotationRowsOnlyHTML
	}
	filter.WithoutBody, filter.OnlyHTML = false, false // it is the same list, with the same cursors
	l := newList(rows, name, parent, parents, filter, order)
	created := timeKey(`an.created_at`, func(a *domain.Annotation) time.Time { return a.CreatedAt })
	switch order {
	case domain.RecentlyCreated:
		l.sortBy(created)
		l.descending = true
	case domain.ByPriority:
		l.sortBy(Key[*domain.Annotation]{column: clauseOf(`an.priority`), isNumber: true,
			value: func(a *domain.Annotation) any { return a.Priority }}, created)
		l.descending = true
		l.scans = true
	default:
		l.sortBy(created)
	}
	whereOneOf(&l, `an.scope`, filter.Scopes)
	whereOneOf(&l, `an.style`, filter.Styles)
	return l
}

// AnnotationIn returns the annotation of a build or a job that has a context.
func (tx Tx) AnnotationIn(scopeID, context string) (domain.Annotation, bool, error) {
	return selectOne(tx, annotationRows.read, `SELECT `+annotationRows.columns+
		` FROM annotations an WHERE an.scope_id = $1 AND an.context = $2`, scopeID, context)
}

// AnnotationStats returns how many annotations a build and its jobs have, and how many bytes their bodies have, or
// these as HTML if that is more.
func (tx Tx) AnnotationStats(build domain.BuildID) (count, size int64, err error) {
	_, err = tx.One(`SELECT count(*), COALESCE(CAST(sum(octet_length(body)) AS BIGINT), 0),
		COALESCE(CAST(sum(octet_length(body_html)) AS BIGINT), 0)
		FROM annotations WHERE build_id = $1`, func(r *db.Row) { count, size = r.Int(), max(r.Int(), r.Int()) }, build)
	return count, size, err
}

// UnrenderedAnnotations returns annotations whose bodies are still to be rendered, the newest first.
func (tx Tx) UnrenderedAnnotations(limit int) ([]domain.Annotation, error) {
	return selectAll(tx, annotationRows.read, `SELECT `+annotationRows.columns+` FROM annotations an
		WHERE an.rendered_at <> an.updated_at
		ORDER BY an.id DESC LIMIT $1`, limit)
}

// SetAnnotationHTML stores what the body of an annotation looks like, unless it has changed since.
func (tx Tx) SetAnnotationHTML(a domain.Annotation) error {
	return tx.exec(`UPDATE annotations SET body_html = $1, rendered_at = updated_at WHERE id = $2 AND body = $3`, a.HTML,
		a.ID, a.Body)
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
