package core

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// What is not found.
var (
	ErrNoBuild = domain.Missing("build")
	ErrNoJob   = domain.Missing("job")
)

// InBuild is what a request about a build depends on.
type InBuild struct {
	store.InPipeline
	BuildID domain.BuildID
}

// InBuild finds the build that ref names, and that the actor may do the action.
func (c *Core) InBuild(tx store.Tx, actor authz.Actor, ref domain.BuildRef, action authz.Action) (
	in InBuild, err error) {
	pipeline := ref.Pipeline
	if ref.ID != "" {
		b, found, err := tx.Build(ref.ID)
		if err != nil {
			return in, err
		}
		pipeline = domain.PipelineRef{Organization: domain.OrganizationRef{Of: domain.ThingRef{Kind: domain.BuildThing,
			ID: string(ref.ID)}}, ID: b.PipelineID}
		if !found {
			pipeline.ID = "none"
		}
	}
	in.InPipeline, err = c.InPipeline(tx, actor, pipeline, action)
	if err != nil {
		return in, err
	}
	if ref.ID != "" {
		in.BuildID = ref.ID
		return in, nil
	}
	in.BuildID, err = findBuild(tx, in.Pipeline.ID, ref)
	return in, err
}

// findBuild returns the id of the pipeline's build that ref names by its number or its UUID.
func findBuild(tx store.Tx, pipeline domain.PipelineID, ref domain.BuildRef) (id domain.BuildID, err error) {
	var found bool
	if ref.UUID == "" {
		id, found, err = tx.BuildIDByNumber(pipeline, ref.Number)
	} else {
		var b domain.Build
		b, found, err = tx.Build(ref.UUID)
		id, found = b.ID, found && b.PipelineID == pipeline
	}
	if err == nil && !found {
		err = ErrNoBuild
	}
	return id, err
}

// InJob is what a request about a job depends on.
type InJob struct {
	InBuild
	JobID domain.JobID
}

// InJob finds the job that ref names, and that the actor may do the action.
func (c *Core) InJob(tx store.Tx, actor authz.Actor, ref domain.JobRef, action authz.Action) (in InJob, err error) {
	in.JobID = LookupID[domain.JobID](ref.ID)
	j, found, err := tx.Job(in.JobID)
	if err != nil {
		return in, err
	}
	if ref.Build != nil {
		if in.InBuild, err = c.InBuild(tx, actor, *ref.Build, action); err != nil {
			return in, err
		}
		if !found || j.BuildID != in.BuildID {
			return in, ErrNoJob
		}
		return in, nil
	}
	if !found { // who may not enter learns that, not that there is none
		if _, err := c.Enter(tx, actor, ref.Organization, action); err != nil {
			return in, err
		}
		return in, ErrNoJob
	}
	in.InPipeline, err = c.InPipeline(tx, actor, domain.PipelineRef{Organization: ref.Organization, ID: j.PipelineID},
		action)
	if domain.CodeOf(err) == domain.NotFound && in.Organization.ID != "" {
		return in, ErrNoJob
	}
	in.BuildID = j.BuildID
	return in, err
}

// OrganizationOfBuild returns the organization that a reference to a build names.
func OrganizationOfBuild(ref domain.BuildRef) domain.OrganizationRef {
	if ref.ID != "" {
		return domain.OrganizationRef{Of: domain.ThingRef{Kind: domain.BuildThing, ID: string(ref.ID)}}
	}
	return ref.Pipeline.Organization
}

// OrganizationOfJob is OrganizationOfBuild for a job.
func OrganizationOfJob(ref domain.JobRef) domain.OrganizationRef {
	if ref.Build != nil {
		return OrganizationOfBuild(*ref.Build)
	}
	return ref.Organization
}

// What is read at most for one answer.
const (
	MaxListDepth = 50_000 // things of a list that can be read by pages
	maxReadBytes = 48 << 20
)

// LimitReading bounds what a list takes of the server's memory.
func LimitReading(tx store.Tx) {
	over := domain.NewError(domain.Malformed, "This page is too large. Ask for fewer items with per_page")
	tx.SetLimit(store.Limit{Statements: 10_000, Bytes: maxReadBytes, OverStatements: over, OverBytes: over})
}
