package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

var errNoAnnotation = domain.Missing("annotation")

// BuildAnnotations returns a page of those annotations of a build and of its jobs that the filter chooses, in the order in which they were made.
func (s *Service) BuildAnnotations(ctx context.Context, actor authz.Actor, ref domain.BuildRef, filter domain.AnnotationFilter, page domain.Page) (domain.Paged[*domain.Annotation], error) {
	return core.View(ctx, s.core, actor, organizationOfBuild(ref), func(tx store.Tx) (paged domain.Paged[*domain.Annotation], err error) {
		in, err := s.inBuild(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return paged, err
		}
		limitReading(tx)
		return store.AnnotationsOfBuilds(filter, domain.FirstCreated).ReadShallowPage(tx, store.ViewerOf(&in.Identity), string(in.BuildID), page, maxListDepth)
	})
}

// JobAnnotations returns a page of the annotations that are shown with a job, in the order in which they were made.
func (s *Service) JobAnnotations(ctx context.Context, actor authz.Actor, ref domain.JobRef, filter domain.AnnotationFilter, page domain.Page) (domain.Paged[*domain.Annotation], error) {
	return core.View(ctx, s.core, actor, organizationOfJob(ref), func(tx store.Tx) (paged domain.Paged[*domain.Annotation], err error) {
		in, err := s.inJob(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return paged, err
		}
		limitReading(tx)
		return store.AnnotationsOfJobs(filter, domain.FirstCreated).ReadShallowPage(tx, store.ViewerOf(&in.Identity), string(in.JobID), page, maxListDepth)
	})
}

// AnnotateBuild makes an annotation of a build, or changes the one that has its context.
//
// Returns Invalid if the annotation cannot be so.
func (s *Service) AnnotateBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef, input core.Input[domain.AnnotationInput]) (domain.Annotation, error) {
	return create(ctx, s, actor, organizationOfBuild(ref), func(tx store.Tx) (InBuild, error) {
		return s.inBuild(tx, actor, ref, authz.WriteBuild)
	}, func(tx store.Tx, in InBuild, e *effects) (domain.Annotation, error) {
		return annotateFor(tx, e, in.BuildID, "", domain.ScopeOfBuild, input)
	})
}

// AnnotateJob makes an annotation of a job, or changes the one that has its context.
//
// Returns Invalid if the annotation cannot be so.
func (s *Service) AnnotateJob(ctx context.Context, actor authz.Actor, ref domain.JobRef, input core.Input[domain.AnnotationInput]) (domain.Annotation, error) {
	return create(ctx, s, actor, organizationOfJob(ref), func(tx store.Tx) (InJob, error) {
		return s.inJob(tx, actor, ref, authz.WriteBuild)
	}, func(tx store.Tx, in InJob, e *effects) (domain.Annotation, error) {
		return annotateFor(tx, e, in.BuildID, in.JobID, domain.ScopeOfJob, input)
	})
}

// annotateFor is annotate for what a person sends.
func annotateFor(tx store.Tx, e *effects, build domain.BuildID, job domain.JobID, scope domain.AnnotationScope, input core.Input[domain.AnnotationInput]) (domain.Annotation, error) {
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err == nil {
		err = faults.Err()
	}
	if err != nil {
		return domain.Annotation{}, err
	}
	given.Scope = scope
	return annotate(tx, e, build, job, given)
}

// inAnnotation finds the annotation that ref names, and that the actor may do the action.
func (s *Service) inAnnotation(tx store.Tx, actor authz.Actor, ref domain.AnnotationRef, action authz.Action) (domain.Annotation, error) {
	a, found, err := tx.Annotation(lookupID[domain.AnnotationID](ref.ID))
	if err != nil {
		return a, err
	}
	if ref.Job != nil {
		in, err := s.inJob(tx, actor, *ref.Job, action)
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
	in, err := s.inBuild(tx, actor, build, action)
	if err == nil && (!found || a.BuildID != in.BuildID) || ref.Build == nil && domain.CodeOf(err) == domain.NotFound {
		err = errNoAnnotation
	}
	return a, err
}

// organizationOfAnnotation returns the organization that a reference to an annotation names.
func organizationOfAnnotation(ref domain.AnnotationRef) domain.OrganizationRef {
	switch {
	case ref.Job != nil:
		return organizationOfJob(*ref.Job)
	case ref.Build != nil:
		return organizationOfBuild(*ref.Build)
	}
	return domain.OrganizationRef{Of: domain.ThingRef{Kind: domain.AnnotationThing, ID: ref.ID}}
}

// DeleteAnnotation deletes an annotation, and returns it as it was.
func (s *Service) DeleteAnnotation(ctx context.Context, actor authz.Actor, ref domain.AnnotationRef) (domain.Annotation, error) {
	var made *effects
	a, err := core.Change(ctx, s.core, actor, organizationOfAnnotation(ref), func(tx store.Tx) (domain.Annotation, error) {
		made = newEffects()
		a, err := s.inAnnotation(tx, actor, ref, authz.WriteBuild)
		if err != nil {
			return a, err
		}
		made.builds[a.BuildID] = true
		return a, tx.DeleteAnnotation(a.ID)
	})
	if err == nil {
		s.tell(made)
	}
	return a, err
}
