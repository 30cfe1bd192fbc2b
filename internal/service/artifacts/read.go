package artifacts

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Artifacts returns a page of those of a build's artifacts that the filter chooses, by their paths.
func (s *Service) Artifacts(ctx context.Context, actor authz.Actor, ref domain.BuildRef, filter domain.ArtifactFilter,
	page domain.Page) (domain.Paged[*domain.ArtifactView], error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref),
		func(tx store.Tx) (paged domain.Paged[*domain.ArtifactView], err error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.ReadArtifact)
			if err != nil {
				return paged, err
			}
			if err := filter.Check(); err != nil {
				return paged, err
			}
			core.LimitReading(tx)
			return store.ArtifactsOfBuilds(filter).ReadShallowPage(tx, store.ViewerOf(&in.Identity), string(in.BuildID), page,
				core.MaxListDepth)
		})
}

// JobArtifacts returns a page of those of a job's artifacts that the filter chooses, by their paths.
func (s *Service) JobArtifacts(ctx context.Context, actor authz.Actor, ref domain.JobRef, filter domain.ArtifactFilter,
	page domain.Page) (domain.Paged[*domain.ArtifactView], error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref),
		func(tx store.Tx) (paged domain.Paged[*domain.ArtifactView], err error) {
			in, err := s.core.InJob(tx, actor, ref, authz.ReadArtifact)
			if err != nil {
				return paged, err
			}
			if err := filter.Check(); err != nil {
				return paged, err
			}
			core.LimitReading(tx)
			return store.ArtifactsOfJobs(filter).ReadShallowPage(tx, store.ViewerOf(&in.Identity), string(in.JobID), page,
				core.MaxListDepth)
		})
}

// inArtifact finds the artifact that ref names, and that the actor may do the action.
func (s *Service) inArtifact(tx store.Tx, actor authz.Actor, ref domain.ArtifactRef, action authz.Action) (
	domain.ArtifactID, error) {
	id := core.LookupID[domain.ArtifactID](ref.ID)
	a, found, err := tx.Artifact(id)
	if err != nil {
		return id, err
	}
	alone := ref.Job.ID == ""
	if alone {
		ref.Job.ID = string(a.JobID)
	}
	in, err := s.core.InJob(tx, actor, ref.Job, action)
	if err == nil && (!found || a.JobID != in.JobID) || alone && domain.CodeOf(err) == domain.NotFound {
		err = errNoArtifact
	}
	return id, err
}

// findArtifact returns what finds the artifact that ref names, if the actor may do the action.
func (s *Service) findArtifact(actor authz.Actor, ref domain.ArtifactRef, action authz.Action) func(store.Tx) (
	*domain.ArtifactView, error) {
	return func(tx store.Tx) (*domain.ArtifactView, error) {
		id, err := s.inArtifact(tx, actor, ref, action)
		if err != nil {
			return &domain.ArtifactView{}, err
		}
		v, found, err := tx.ArtifactView(id)
		if err == nil && !found {
			err = errNoArtifact
		}
		return v, err
	}
}

// Artifact returns an artifact.
func (s *Service) Artifact(ctx context.Context, actor authz.Actor, ref domain.ArtifactRef) (
	*domain.ArtifactView, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref.Job), s.findArtifact(actor, ref, authz.ReadArtifact))
}

// DownloadArtifact returns an address at which an artifact can be downloaded for a minute, by whoever has it.
//
// Returns NotFound if the artifact is not there, or not any more.
func (s *Service) DownloadArtifact(ctx context.Context, actor authz.Actor, ref domain.ArtifactRef) (string, error) {
	var now time.Time
	a, err := core.View(ctx, s.core, actor, core.OrganizationOfJob(ref.Job), func(tx store.Tx) (*domain.ArtifactView,
		error) {
		a, err := s.findArtifact(actor, ref, authz.ReadArtifact)(tx)
		if err != nil {
			return a, err
		}
		now, err = tx.Now()
		return a, err
	})
	if err != nil {
		return "", err
	}
	if a.State != domain.ArtifactFinished {
		return "", domain.NewError(domain.NotFound, "The artifact can't be downloaded: its state is "+string(a.State))
	}
	key, err := s.signingKey(ctx)
	if err != nil {
		return "", err
	}
	address := s.downloadURL(key, &a.Artifact, now.Add(userDownloadTime))
	if address == "" {
		return "", domain.NewError(domain.NotFound, "The artifact can't be downloaded: the agent that keeps it gave no "+
			"address of it")
	}
	return address, nil
}

// OpenArtifact returns an artifact with its content, to be read and closed.
//
// Returns NotFound if the content is not there any more, or is not with us.
func (s *Service) OpenArtifact(ctx context.Context, actor authz.Actor, ref domain.ArtifactRef) (Download, error) {
	a, err := s.Artifact(ctx, actor, ref)
	switch {
	case err != nil:
		return Download{}, err
	case a.State != domain.ArtifactFinished:
		return Download{}, domain.NewError(domain.NotFound, "The artifact can't be shown: its state is "+string(a.State))
	case !a.IsOurs():
		return Download{}, domain.NewError(domain.NotFound, "The artifact can't be shown: the agent keeps it in "+
			"another store")
	}
	return s.openContent(ctx, &a.Artifact)
}

// ReportTicket returns a ticket with which the artifacts of the job that stored one of them can be read by their paths
// for an hour, by whoever has it: a report whose scripts have no session loads the files beside it with no other
// credential. It returns the path of that one too.
func (s *Service) ReportTicket(ctx context.Context, actor authz.Actor, ref domain.ArtifactRef) (
	ticket, path string, err error) {
	var now time.Time
	a, err := core.View(ctx, s.core, actor, core.OrganizationOfJob(ref.Job), func(tx store.Tx) (*domain.ArtifactView,
		error) {
		a, err := s.findArtifact(actor, ref, authz.ReadArtifact)(tx)
		if err != nil {
			return a, err
		}
		now, err = tx.Now()
		return a, err
	})
	if err != nil {
		return "", "", err
	}
	key, err := s.signingKey(ctx)
	if err != nil {
		return "", "", err
	}
	return sign(key, reportTicket, string(a.JobID), now.Add(reportTime)), a.SlashedPath(), nil
}

// OpenReportFile returns the content of the newest artifact of a job with that path to whoever has a ticket for the
// job's reports.
//
// Returns Forbidden for a ticket that is not good, and NotFound if there is no such artifact with us.
func (s *Service) OpenReportFile(ctx context.Context, _ authz.Actor, jobID, ticket, path string) (Download, error) {
	var a domain.Artifact
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		job := core.LookupID[domain.JobID](jobID)
		if err := checkTicket(tx, reportTicket, string(job), ticket); err != nil {
			return err
		}
		if !domain.ValidText(path) {
			return errNoArtifact
		}
		found := false
		if a, found, err = tx.ArtifactAt(job, path); err == nil && !found {
			err = errNoArtifact
		}
		return err
	})
	if err != nil {
		return Download{}, err
	}
	return s.openContent(ctx, &a)
}

// ArtifactAddresses returns addresses at which artifacts, which the caller has read, can be downloaded for ten minutes
// by whoever has them: "" for what cannot be downloaded.
func (s *Service) ArtifactAddresses(ctx context.Context, artifacts []*domain.ArtifactView) ([]string, error) {
	key, err := s.signingKey(ctx)
	if err != nil {
		return nil, err
	}
	var now time.Time
	err = s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		now, err = tx.Now()
		return err
	})
	if err != nil {
		return nil, err
	}
	addresses := make([]string, len(artifacts))
	for i, a := range artifacts {
		if a.State == domain.ArtifactFinished {
			addresses[i] = s.downloadURL(key, &a.Artifact, now.Add(listedDownloadTime))
		}
	}
	return addresses, nil
}

// DeleteArtifact deletes the content of an artifact. That it was there stays known. Again, it changes nothing.
func (s *Service) DeleteArtifact(ctx context.Context, actor authz.Actor, ref domain.ArtifactRef,
	expected *core.Precondition[*domain.ArtifactView]) (*domain.ArtifactView, error) {
	find := s.findArtifact(actor, ref, authz.DeleteArtifact)
	expected = expected.Observe(ctx, s.core, actor, core.OrganizationOfJob(ref.Job), find)
	var deleted []domain.Artifact
	var made *core.Effects
	v, err := core.Change(ctx, s.core, actor, core.OrganizationOfJob(ref.Job), func(tx store.Tx) (*domain.ArtifactView,
		error) {
		deleted, made = nil, s.core.NewEffects()
		v, err := find(tx) // before anything is locked for them
		if err != nil {
			return v, err
		}
		locked, err := tx.ArtifactsForUpdate([]domain.ArtifactID{v.ID})
		if err != nil {
			return v, err
		}
		if v, err = find(tx); err == nil { // as it is now
			err = expected.Check(v)
		}
		if err != nil || v.State == domain.ArtifactDeleted || v.State == domain.ArtifactExpired {
			return v, err
		}
		now, err := tx.Now()
		if err != nil {
			return nil, err
		}
		if err := endArtifact(tx, &locked[0], domain.ArtifactDeleted, now); err != nil {
			return nil, err
		}
		deleted = locked
		made.Builds[v.BuildID] = true
		return find(tx)
	})
	if err == nil {
		s.abortUploads(ctx, deleted)
		s.core.PublishEffects(made)
	}
	return v, err
}
