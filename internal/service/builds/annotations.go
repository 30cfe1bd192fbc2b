package builds

import (
	"cmp"
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/markdown"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

var errNoAnnotation = domain.Missing("annotation")

// BuildAnnotations returns a page of those annotations of a build and of its jobs that the filter chooses, in the order
// in which they were made.
func (s *Service) BuildAnnotations(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	filter domain.AnnotationFilter, page domain.Page) (domain.Paged[*domain.Annotation], error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref),
		func(tx store.Tx) (paged domain.Paged[*domain.Annotation], err error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
			if err != nil {
				return paged, err
			}
			core.LimitReading(tx)
			return store.AnnotationsOfBuilds(filter, domain.FirstCreated).ReadShallowPage(tx, store.ViewerOf(&in.Identity),
				string(in.BuildID), page, core.MaxListDepth)
		})
}

// JobAnnotations returns a page of the annotations that are shown with a job, in the order in which they were made.
func (s *Service) JobAnnotations(ctx context.Context, actor authz.Actor, ref domain.JobRef,
	filter domain.AnnotationFilter, page domain.Page) (domain.Paged[*domain.Annotation], error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref),
		func(tx store.Tx) (paged domain.Paged[*domain.Annotation],
			err error) {
			in, err := s.core.InJob(tx, actor, ref, authz.ReadBuild)
			if err != nil {
				return paged, err
			}
			core.LimitReading(tx)
			return store.AnnotationsOfJobs(filter, domain.FirstCreated).ReadShallowPage(tx, store.ViewerOf(&in.Identity),
				string(in.JobID), page, core.MaxListDepth)
		})
}

// AnnotateBuild makes an annotation of a build, or changes the one that has its context.
//
// Returns Invalid if the annotation cannot be so.
func (s *Service) AnnotateBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	input core.Input[domain.AnnotationInput]) (domain.Annotation, error) {
	return s.annotateFor(ctx, actor, core.OrganizationOfBuild(ref), domain.ScopeOfBuild, input,
		func(tx store.Tx) (annotationPlace, error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.WriteBuild)
			return annotationPlace{build: in.BuildID}, err
		})
}

// AnnotateJob makes an annotation of a job, or changes the one that has its context.
//
// Returns Invalid if the annotation cannot be so.
func (s *Service) AnnotateJob(ctx context.Context, actor authz.Actor, ref domain.JobRef,
	input core.Input[domain.AnnotationInput]) (domain.Annotation, error) {
	return s.annotateFor(ctx, actor, core.OrganizationOfJob(ref), domain.ScopeOfJob, input,
		func(tx store.Tx) (annotationPlace,
			error) {
			in, err := s.core.InJob(tx, actor, ref, authz.WriteBuild)
			return annotationPlace{in.BuildID, in.JobID}, err
		})
}

// annotateFor makes or changes an annotation for a person, at the place that permit finds for them.
func (s *Service) annotateFor(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	scope domain.AnnotationScope,
	input core.Input[domain.AnnotationInput], permit func(store.Tx) (annotationPlace, error)) (domain.Annotation, error) {
	var faults domain.Faults
	given, inputErr := input.Read(&faults)
	inputErr = cmp.Or(inputErr, faults.Err())
	given.Scope = scope
	var rendered renderedBody
	if inputErr == nil {
		var err error
		if rendered, err = s.renderBody(ctx, permit, given); err != nil {
			return domain.Annotation{}, err
		}
	}
	a, err := core.CreateAndPublish(ctx, s.core, actor, organization, permit, func(tx store.Tx, place annotationPlace,
		e *core.Effects) (domain.Annotation, error) {
		if inputErr != nil {
			return domain.Annotation{}, inputErr
		}
		return annotate(tx, e, place, given, rendered)
	})
	if err != nil {
		return a, err
	}
	return a, s.renderStored(ctx, &a, rendered.organization)
}

// renderedBody is what a body looks like, or why it cannot be shown.
type renderedBody struct {
	organization domain.OrganizationID
	body, html   string
	err          error
}

// setOn says what the body of an annotation looks like, if it is this one.
//
// Returns Invalid if the body would become too much.
func (r renderedBody) setOn(a *domain.Annotation) error {
	switch {
	case r.body != a.Body: // somebody else has appended to it meanwhile
		a.RenderedAt = time.Time{}
	case r.err != nil:
		return domain.InvalidError("Annotation body " + r.err.Error() + ". Shorten it, or upload it as an artifact and " +
			"link to that")
	default:
		a.SetHTML(r.html)
	}
	return nil
}

// renderBody renders the body that an annotation will have, outside of the transaction that stores it. Who may not make
// the annotation, or not so, gets nothing rendered: that transaction refuses them.
//
// Returns Unavailable if their organization has too many others to be rendered.
func (s *Service) renderBody(ctx context.Context, find func(store.Tx) (annotationPlace, error),
	in domain.AnnotationInput) (r renderedBody, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		place, err := find(tx)
		if err != nil {
			return err
		}
		build, _, err := tx.Build(place.build)
		if err != nil {
			return err
		}
		a, _, err := changedAnnotation(tx, place, in)
		r.organization, r.body = build.OrganizationID, a.Body
		return err
	})
	switch {
	case domain.CodeOf(err) != 0: // which the transaction that stores it says too, in its order
		return renderedBody{}, nil
	case err != nil:
		return r, err
	}
	err = s.renderInTurn(ctx, r.organization, len(r.body), func() error {
		r.html, r.err = markdown.Render(ctx, r.body)
		return ctx.Err()
	})
	return r, err
}

// renderStored renders the body of an annotation that was stored without, because somebody else had appended to it at
// the same time. What fails is done by RenderAnnotations.
func (s *Service) renderStored(ctx context.Context, a *domain.Annotation, organization domain.OrganizationID) error {
	if a.RenderedAt.Equal(a.UpdatedAt) {
		return nil
	}
	var html string
	err := s.renderInTurn(ctx, organization, len(a.Body), func() (err error) {
		html, err = renderOrPlain(ctx, a.Body)
		return err
	})
	if err != nil {
		return nil //nolint:nilerr // the annotation is stored
	}
	a.SetHTML(html)
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		e.Builds[a.BuildID] = true
		return tx.SetAnnotationHTML(*a)
	})
}

// renderOrPlain renders a body that is stored already: it is shown as it was written if it would become too much.
func renderOrPlain(ctx context.Context, body string) (string, error) {
	html, err := markdown.Render(ctx, body)
	if err != nil {
		html = markdown.Plain(body)
	}
	return html, ctx.Err()
}

// longText is how many bytes a text has that takes some time to render.
const longText = 16 << 10

// renderInTurn runs what renders a text of so many bytes, a long one as soon as it is the organization's turn.
func (s *Service) renderInTurn(ctx context.Context, organization domain.OrganizationID, size int,
	render func() error) error {
	if size < longText {
		return render()
	}
	return s.core.Processors.Use(ctx, organization, render)
}

const (
	renderBatch  = 16          // annotations whose bodies are rendered before they are stored
	recentChange = time.Minute // whoever looks at an annotation that was changed since sees that it looks different now
)

// RenderAnnotations renders the bodies of annotations that are not yet: those that two callers changed at once, and
// those that an earlier release has stored.
func (s *Service) RenderAnnotations(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	for {
		var found []domain.Annotation
		var now time.Time
		err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
			if found, err = tx.UnrenderedAnnotations(renderBatch); err == nil {
				now, err = tx.Now()
			}
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
		for i := range found {
			html, err := renderOrPlain(ctx, found[i].Body)
			if err != nil {
				return err
			}
			found[i].SetHTML(html)
		}
		err = s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
			for _, a := range found {
				if now.Sub(a.UpdatedAt) < recentChange {
					e.Builds[a.BuildID] = true
				}
				if err := tx.SetAnnotationHTML(a); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(found) < renderBatch {
			return err
		}
	}
}

// inAnnotation finds the annotation that ref names, and that the actor may do the action.
func (s *Service) inAnnotation(tx store.Tx, actor authz.Actor, ref domain.AnnotationRef, action authz.Action) (
	domain.Annotation, error) {
	a, found, err := tx.Annotation(core.LookupID[domain.AnnotationID](ref.ID))
	if err != nil {
		return a, err
	}
	if ref.Job != nil {
		in, err := s.core.InJob(tx, actor, *ref.Job, action)
		if err == nil && (!found || a.Scope != domain.ScopeOfJob || a.ScopeID != string(in.JobID)) {
			err = errNoAnnotation
		}
		return a, err
	}
	build := domain.BuildRef{ID: a.BuildID}
	if ref.Build != nil {
		build = *ref.Build
	} else if !found {
		build.ID = "none"
	}
	in, err := s.core.InBuild(tx, actor, build, action)
	if err == nil && (!found || a.BuildID != in.BuildID) || ref.Build == nil && domain.CodeOf(err) == domain.NotFound {
		err = errNoAnnotation
	}
	return a, err
}

// organizationOfAnnotation returns the organization that a reference to an annotation names.
func organizationOfAnnotation(ref domain.AnnotationRef) domain.OrganizationRef {
	switch {
	case ref.Job != nil:
		return core.OrganizationOfJob(*ref.Job)
	case ref.Build != nil:
		return core.OrganizationOfBuild(*ref.Build)
	}
	return domain.OrganizationRef{Of: domain.ThingRef{Kind: domain.AnnotationThing, ID: ref.ID}}
}

// DeleteAnnotation deletes an annotation, and returns it as it was.
func (s *Service) DeleteAnnotation(ctx context.Context, actor authz.Actor, ref domain.AnnotationRef) (
	domain.Annotation, error) {
	var made *core.Effects
	a, err := core.Change(ctx, s.core, actor, organizationOfAnnotation(ref), func(tx store.Tx) (domain.Annotation, error) {
		made = s.core.NewEffects()
		a, err := s.inAnnotation(tx, actor, ref, authz.WriteBuild)
		if err != nil {
			return a, err
		}
		made.Builds[a.BuildID] = true
		return a, tx.DeleteAnnotation(a.ID)
	})
	if err == nil {
		s.core.PublishEffects(made)
	}
	return a, err
}
