package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// EventViews returns what an event is about, as it was then. The job is nil if it is about the build. Operators only.
func (s *Service) EventViews(ctx context.Context, actor authz.Actor, subject domain.EventSubject) (
	build domain.BuildView, job *domain.JobView, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return build, nil, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if build, err = readBuild(tx, subject.Build, BuildParts{MetaData: true}); err != nil || subject.Job == "" {
			return err
		}
		var found bool
		if job, found, err = tx.JobView(subject.Job); err == nil && !found {
			err = core.ErrNoJob
		}
		if err == nil {
			err = tx.AddToJobs([]*domain.JobView{job})
		}
		return err
	})
	build.State, build.StartedAt, build.FinishedAt = subject.State, subject.StartedAt, subject.FinishedAt
	if job != nil {
		job.State = subject.JobState
	}
	return build, job, err
}
