package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// Jobs returns a part of those of a build's jobs that the filter chooses, in their order.
//
// Returns Malformed for a cursor that is not the list's own.
func (s *Service) Jobs(ctx context.Context, actor authz.Actor, ref domain.BuildRef, filter domain.JobFilter,
	page domain.CursorPage) (domain.CursorPaged[*domain.JobView], error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref),
		func(tx store.Tx) (paged domain.CursorPaged[*domain.JobView], err error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
			if err != nil {
				return paged, err
			}
			core.LimitReading(tx)
			paged, err = store.JobsOfBuilds(filter).ReadCursorPage(tx, store.ViewerOf(&in.Identity), string(in.BuildID), page)
			if err != nil {
				return paged, err
			}
			return paged, tx.AddToJobs(paged.Items)
		})
}

// Job returns a job.
func (s *Service) Job(ctx context.Context, actor authz.Actor, ref domain.JobRef) (domain.JobView, error) {
	return s.viewJob(ctx, actor, ref, authz.ReadBuild)
}

// ChangedJob returns a job to who may have changed it.
func (s *Service) ChangedJob(ctx context.Context, actor authz.Actor, ref domain.JobRef) (domain.JobView, error) {
	return s.viewJob(ctx, actor, ref, authz.UnblockJob)
}

func (s *Service) viewJob(ctx context.Context, actor authz.Actor, ref domain.JobRef, action authz.Action) (
	domain.JobView, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) (domain.JobView, error) {
		in, err := s.core.InJob(tx, actor, ref, action)
		if err != nil {
			return domain.JobView{}, err
		}
		v, found, err := tx.JobView(in.JobID)
		if err == nil && !found {
			err = core.ErrNoJob
		}
		if err == nil {
			err = tx.AddToJobs([]*domain.JobView{v})
		}
		return *v, err
	})
}

// JobEnv returns the variables that the agent of a job is given, or will be. Jobs that no agent runs have none.
func (s *Service) JobEnv(ctx context.Context, actor authz.Actor, ref domain.JobRef) (map[string]string, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) (map[string]string, error) {
		in, err := s.core.InJob(tx, actor, ref, authz.ReadJobEnv)
		if err != nil {
			return nil, err
		}
		return s.envOfJob(tx, in.JobID)
	})
}

func (s *Service) envOfJob(tx store.Tx, id domain.JobID) (map[string]string, error) {
	j, _, err := tx.Job(id)
	if err != nil || j.Kind != steps.Command {
		return map[string]string{}, err
	}
	b, _, err := tx.Build(j.BuildID)
	if err != nil {
		return nil, err
	}
	if j.AcceptedAt == nil { // what it will get
		j.UploadEnv = b.UploadEnv
	}
	step, _, err := tx.Step(j.StepID)
	if err != nil {
		return nil, err
	}
	var agent store.AgentSession // "" while there is none
	if j.AgentID != nil {
		a, _, err := tx.Agent(*j.AgentID)
		if err != nil {
			return nil, err
		}
		agent = store.AgentSession{Agent: a.ID, Name: a.Name, Tags: a.MetaData}
	}
	in, err := surroundingsOf(tx, b.ID)
	if err != nil {
		return nil, err
	}
	return s.environment(in, agent, j, b, step)
}

// StepUploads returns a part of those of a build's uploads that the filter chooses, the newest first, without what was
// uploaded.
//
// Returns Malformed for a cursor that is not the list's own.
func (s *Service) StepUploads(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	filter domain.StepUploadFilter,
	page domain.CursorPage) (domain.CursorPaged[*domain.StepUploadView], error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref),
		func(tx store.Tx) (paged domain.CursorPaged[*domain.StepUploadView], err error) {
			in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
			if err != nil {
				return paged, err
			}
			paged, err = store.StepUploadsOf(filter).ReadCursorPage(tx, store.ViewerOf(&in.Identity), string(in.BuildID), page)
			if err != nil {
				return paged, err
			}
			for _, u := range paged.Items {
				u.RejectionType = rejectionOf(u.StepUpload)
			}
			return paged, tx.AddCreatedJobs(in.BuildID, paged.Items)
		})
}

// StepUpload returns an upload to a build.
func (s *Service) StepUpload(ctx context.Context, actor authz.Actor, ref domain.BuildRef,
	id string) (domain.StepUploadView, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (v domain.StepUploadView,
		err error) {
		in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return v, err
		}
		u, found, err := tx.StepUpload(core.LookupID[domain.UploadID](id))
		if err != nil {
			return v, err
		}
		if !found || u.BuildID != in.BuildID {
			return v, domain.Missing("step upload")
		}
		v = domain.StepUploadView{StepUpload: u, DocumentSize: int64(len(u.Document)), RejectionType: rejectionOf(u)}
		return v, tx.AddCreatedJobs(in.BuildID, []*domain.StepUploadView{&v})
	})
}

// rejectionOf returns why an upload was refused; "" if it was applied.
func rejectionOf(u domain.StepUpload) domain.RejectionType {
	switch {
	case u.Applied:
		return ""
	case u.Message == string(errBuildOver):
		return domain.RejectedAsTooLate
	default:
		return domain.RejectedAsInvalid
	}
}
