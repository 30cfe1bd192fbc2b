package builds_test

import (
	"context"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/matrix"
)

// newStack makes a stack of the cluster whose agent token the actor has, and returns its key.
func newStack(ctx context.Context, s *builds.Service, a authz.Actor) (string, error) {
	key := "stack" + strings.Trim(strings.ToLower(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, a.Credential.Hash)), "-")
	key = key[:min(len(key), 40)]
	if _, err := s.ScheduledJobsOfStack(ctx, a, key, "_default", 1, builds.WaitingJob{}); err == nil { // it is there
		return key, nil
	}
	_, _, err := s.RegisterStack(ctx, a, domain.StackInput{Key: key, Type: "custom", QueueKey: "_default"})
	return key, err
}

// permissionCases are the rows of the matrix.
var permissionCases = []matrix.Case{

	// What people ask for.
	{Method: "Builds", People: matrix.OwnRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Builds.Builds(ctx, a, domain.BuildFilter{}, builds.BuildParts{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "OrganizationBuilds", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.OrganizationBuilds(ctx, a, at.Pipeline.Organization, domain.BuildFilter{}, builds.BuildParts{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "Feed", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.Feed(ctx, a, domain.PipelineRef{Organization: at.Pipeline.Organization}, "")
		return err
	}},
	{Method: "Feed", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "pipeline", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.Feed(ctx, a, at.Pipeline, "main")
		return err
	}},
	{Method: "PipelineBuilds", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "pipeline", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.PipelineBuilds(ctx, a, at.Pipeline, domain.BuildFilter{}, builds.BuildParts{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "Build", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.Build(ctx, a, at.Build, builds.BuildParts{})
		return err
	}},
	{Method: "BuildPage", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.BuildPage(ctx, a, at.Build, builds.PageLimits{Steps: 1, Annotations: 1, Artifacts: 1})
		return err
	}},
	{Method: "ChangedBuild", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ChangedBuild(ctx, a, at.Build)
		return err
	}},
	{Method: "Jobs", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.Jobs(ctx, a, at.Build, domain.JobFilter{}, domain.CursorPage{Size: 10})
		return err
	}},
	{Method: "Job", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.Job(ctx, a, at.Job)
		return err
	}},
	{Method: "StackNotifications", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.StackNotifications(ctx, a, at.Job)
		return err
	}},
	{Method: "ChangedJob", People: matrix.MembersWrite, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ChangedJob(ctx, a, at.Job)
		return err
	}},
	{Method: "JobEnv", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.JobEnv(ctx, a, at.Job)
		return err
	}},
	{Method: "BuildAnnotations", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.BuildAnnotations(ctx, a, at.Build, domain.AnnotationFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "JobAnnotations", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.JobAnnotations(ctx, a, at.Job, domain.AnnotationFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "AnnotateBuild", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.AnnotateBuild(ctx, a, at.Build, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
		return err
	}},
	{Method: "AnnotateJob", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.AnnotateJob(ctx, a, at.Job, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
		return err
	}},
	{Method: "DeleteAnnotation", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Prepare: withAnnotation, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.DeleteAnnotation(ctx, a, domain.AnnotationRef{Build: &at.Build, ID: at.Annotation})
		return err
	}},
	{Method: "StepUploads", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.StepUploads(ctx, a, at.Build, domain.StepUploadFilter{}, domain.CursorPage{Size: 10})
		return err
	}},
	{Method: "StepUpload", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.StepUpload(ctx, a, at.Build, at.Upload)
		return err
	}},
	{Method: "CreateBuild", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "pipeline", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.CreateBuild(ctx, a, at.Pipeline, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main"}))
		return err
	}},
	{Method: "CancelBuild", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.CancelBuild(ctx, a, at.Build)
		return err
	}},
	{Method: "RebuildBuild", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.RebuildBuild(ctx, a, at.Build, domain.SourceAPI)
		return err
	}},
	{Method: "RetryFailedJobs", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, _, err := w.Builds.RetryFailedJobs(ctx, a, at.Build, core.Value([]string{}))
		return err
	}},
	{Method: "RetryJob", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.RetryJob(ctx, a, at.Bad)
		return err
	}},
	{Method: "CancelJob", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.CancelJob(ctx, a, at.Job)
		return err
	}},
	{Method: "ReprioritizeJob", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Repeats: true, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ReprioritizeJob(ctx, a, at.Free, core.Value(domain.Some(int64(7))))
		return err
	}},
	{Method: "UnblockJob", People: matrix.BuildersOnly, Programs: matrix.NoProgram, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.UnblockJob(ctx, a, at.Block, builds.UnblockInput{})
		return err
	}},
	{Method: "UnblockJob", People: matrix.VotersOnly, Programs: matrix.NoProgram, Names: "job", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.UnblockJob(ctx, a, at.Vote, builds.UnblockInput{})
		return err
	}},

	// What agents ask for, of themselves. Who may have no job is given none.
	{Method: "RegisterStack", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := newStack(ctx, w.Builds, a)
		return err
	}},
	{Method: "DeregisterStack", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		return w.Builds.DeregisterStack(ctx, a, key)
	}},
	{Method: "ScheduledJobsOfStack", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		_, err = w.Builds.ScheduledJobsOfStack(ctx, a, key, "_default", 10, builds.WaitingJob{})
		return err
	}},
	{Method: "ReserveJobs", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		_, err = w.Builds.ReserveJobs(ctx, a, key, []string{at.Free.ID}, time.Minute)
		return err
	}},
	{Method: "JobStatesOfStack", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		_, err = w.Builds.JobStatesOfStack(ctx, a, key, []string{at.Free.ID})
		return err
	}},
	{Method: "NotifyOfJobs", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		_, err = w.Builds.NotifyOfJobs(ctx, a, key, nil)
		return err
	}},
	{Method: "JobOfStack", People: matrix.NoPeople, Programs: matrix.ClusterOfStack, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		_, err = w.Builds.JobOfStack(ctx, a, key, at.Free.ID)
		return err
	}},
	{Method: "FinishStackJob", People: matrix.NoPeople, Programs: matrix.ClusterOfStack, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		key, err := newStack(ctx, w.Builds, a)
		if err != nil {
			return err
		}
		return w.Builds.FinishStackJob(ctx, a, key, at.Free.ID, -1, "")
	}},
	{Method: "PingAgent", People: matrix.NoPeople, Programs: matrix.AnyAgent, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Builds.PingAgent(ctx, a)
		return err
	}},
	{Method: "AgentStatus", People: matrix.NoPeople, Programs: matrix.AnyAgent, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Builds.AgentStatus(ctx, a)
		return err
	}},
	{Method: "AssignJobs", People: matrix.NoPeople, Programs: matrix.WaitingAgents, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.AssignJobs(ctx, at.Queue, []authz.Actor{a})
		return err
	}},
	{Method: "AcceptJob", People: matrix.NoPeople, Programs: matrix.AssignedAgent, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.AcceptJob(ctx, a, at.Assigned)
		return err
	}},
	{Method: "AcquireJob", People: matrix.NoPeople, Programs: matrix.FreeAgent, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.AcquireJob(ctx, a, at.Free.ID)
		return err
	}},

	// What jobs ask for: the job itself, then each with its own id.
	{Method: "StartJob", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.StartJob(ctx, a, at.Job.ID)
	}},
	{Method: "FinishJob", People: matrix.NoPeople, Programs: matrix.TheJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.FinishJob(ctx, a, at.Job.ID, builds.Finish{})
	}},
	{Method: "FinishJob", People: matrix.NoPeople, Programs: matrix.OwnJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.FinishJob(ctx, a, at.JobOf[a.Credential.Hash], builds.Finish{})
	}},
	{Method: "JobState", People: matrix.NoPeople, Programs: matrix.TheJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.JobState(ctx, a, at.Job.ID)
		return err
	}},
	{Method: "JobState", People: matrix.NoPeople, Programs: matrix.LiveJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.JobState(ctx, a, at.JobOf[a.Credential.Hash])
		return err
	}},
	{Method: "PromiseFailure", People: matrix.NoPeople, Programs: matrix.TheJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.PromiseFailure(ctx, a, at.Job.ID, 3)
	}},
	{Method: "PromiseFailure", People: matrix.NoPeople, Programs: matrix.LiveJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.PromiseFailure(ctx, a, at.JobOf[a.Credential.Hash], 3)
	}},
	{Method: "SetJobTimeout", People: matrix.NoPeople, Programs: matrix.TheJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.SetJobTimeout(ctx, a, at.Job.ID, 20)
	}},
	{Method: "SetJobTimeout", People: matrix.NoPeople, Programs: matrix.LiveJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.SetJobTimeout(ctx, a, at.JobOf[a.Credential.Hash], 20)
	}},
	{Method: "UploadPipeline", People: matrix.NoPeople, Programs: matrix.TheJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.UploadPipeline(ctx, a, at.Job.ID, builds.Upload{ID: domain.NewID[string](), Document: []byte(`{"steps": ["wait"]}`)})
		return err
	}},
	{Method: "UploadPipeline", People: matrix.NoPeople, Programs: matrix.LiveJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.UploadPipeline(ctx, a, at.JobOf[a.Credential.Hash], builds.Upload{ID: domain.NewID[string](), Document: []byte(`{"steps": ["wait"]}`)})
		return err
	}},
	{Method: "UploadPipeline", People: matrix.NoPeople, Programs: matrix.OwnUploadIDs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.UploadPipeline(ctx, a, at.JobOf[a.Credential.Hash], builds.Upload{ID: at.Upload, Document: []byte(`{"steps": ["wait"]}`)})
		return err
	}},
	{Method: "StepUploadOf", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.StepUploadOf(ctx, a, at.Job.ID, at.Upload)
		return err
	}},
	{Method: "StepUploadOf", People: matrix.NoPeople, Programs: matrix.OwnUploads, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.StepUploadOf(ctx, a, at.JobOf[a.Credential.Hash], at.Upload)
		return err
	}},

	// What jobs ask for of other jobs and builds of their cluster.
	{Method: "SetMetaData", People: matrix.NoPeople, Programs: matrix.ClusterOfJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.SetMetaData(ctx, a, builds.Target{Job: at.Job.ID}, map[string]string{"a": "b", "c": "d"})
	}},
	{Method: "SetMetaData", People: matrix.NoPeople, Programs: matrix.ClusterOfBuild, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.SetMetaData(ctx, a, builds.Target{Build: at.BuildID}, map[string]string{"a": "b", "c": "d"})
	}},
	{Method: "MetaData", People: matrix.NoPeople, Programs: matrix.ClusterOfJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, _, err := w.Builds.MetaData(ctx, a, builds.Target{Job: at.Job.ID}, "k")
		return err
	}},
	{Method: "MetaData", People: matrix.NoPeople, Programs: matrix.ClusterOfBuild, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, _, err := w.Builds.MetaData(ctx, a, builds.Target{Build: at.BuildID}, "k")
		return err
	}},
	{Method: "MetaDataKeys", People: matrix.NoPeople, Programs: matrix.ClusterOfJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.MetaDataKeys(ctx, a, builds.Target{Job: at.Job.ID})
		return err
	}},
	{Method: "MetaDataKeys", People: matrix.NoPeople, Programs: matrix.ClusterOfBuild, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.MetaDataKeys(ctx, a, builds.Target{Build: at.BuildID})
		return err
	}},
	{Method: "Annotate", People: matrix.NoPeople, Programs: matrix.ClusterOfJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.Annotate(ctx, a, at.Job.ID, domain.AnnotationInput{Context: "new", Body: "Text"})
	}},
	{Method: "Annotate", People: matrix.NoPeople, Programs: matrix.ClusterOfJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.Annotate(ctx, a, at.Job.ID, domain.AnnotationInput{Context: "new", Body: "Text", Scope: domain.ScopeOfJob})
	}},
	{Method: "RemoveAnnotation", People: matrix.NoPeople, Programs: matrix.ClusterOfJob, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.RemoveAnnotation(ctx, a, at.Job.ID, "there", "")
	}},

	// What jobs ask for of their build.
	{Method: "ExportStep", People: matrix.NoPeople, Programs: matrix.OwnBuild, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ExportStep(ctx, a, "free", at.BuildID, "label", "")
		return err
	}},
	{Method: "ExportStep", People: matrix.NoPeople, Programs: matrix.OwnSteps, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ExportStep(ctx, a, at.StepID, "", "label", "")
		return err
	}},
	{Method: "UpdateStep", People: matrix.NoPeople, Programs: matrix.OwnBuild, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.UpdateStep(ctx, a, "free", builds.StepUpdate{Build: at.BuildID, Attribute: "label", Value: "Changed"})
	}},
	{Method: "UpdateStep", People: matrix.NoPeople, Programs: matrix.OwnSteps, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.UpdateStep(ctx, a, at.StepID, builds.StepUpdate{Build: "", Attribute: "label", Value: "Changed"})
	}},
	{Method: "CancelStep", People: matrix.NoPeople, Programs: matrix.OwnBuild, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.CancelStep(ctx, a, "free", at.BuildID, true, 0)
		return err
	}},
	{Method: "CancelStep", People: matrix.NoPeople, Programs: matrix.OwnSteps, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.CancelStep(ctx, a, at.StepID, "", true, 0)
		return err
	}},
	{Method: "CancelOwnBuild", People: matrix.NoPeople, Programs: matrix.OwnBuild, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return w.Builds.CancelOwnBuild(ctx, a, at.BuildID)
	}},
	{Method: "QueueHistory", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.QueueHistory(ctx, a, domain.ClusterRef{Organization: at.Pipeline.Organization, ID: testkit.MaintainedID}, testkit.QueueID, domain.LastDay)
		return err
	}},
	{Method: "QueueMetrics", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.QueueMetrics(ctx, a, domain.ClusterRef{Organization: at.Pipeline.Organization, ID: testkit.MaintainedID}, testkit.QueueID)
		return err
	}},
	{Method: "StacksOfQueue", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.StacksOfQueue(ctx, a, domain.ClusterRef{Organization: at.Pipeline.Organization, ID: testkit.MaintainedID}, testkit.QueueID)
		return err
	}},
	{Method: "WatchBuild", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "build", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return matrix.EndWatch(w.Builds.WatchBuild(ctx, a, at.Build))
	}},
	{Method: "WatchPipelineBuilds", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "pipeline", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return matrix.EndWatch(w.Builds.WatchPipelineBuilds(ctx, a, at.Pipeline))
	}},
	{Method: "WatchOrganizationBuilds", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return matrix.EndWatch(w.Builds.WatchOrganizationBuilds(ctx, a, at.Pipeline.Organization))
	}},

	// What jobs ask for of themselves only.
	{Method: "IdentifyJob", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.IdentifyJob(ctx, a, at.Job.ID, domain.IdentityInput{})
		return err
	}},
	{Method: "IdentifyJob", People: matrix.NoPeople, Programs: matrix.LiveJobs, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.IdentifyJob(ctx, a, at.JobOf[a.Credential.Hash], domain.IdentityInput{})
		return err
	}},
	{Method: "ReadSecret", People: matrix.NoPeople, Programs: matrix.TheJob, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ReadSecret(ctx, a, at.Job.ID, "KEY")
		if err != nil && err.Error() == "No secret found" { // they may ask
			return nil
		}
		return err
	}},
	{Method: "ReadSecret", People: matrix.NoPeople, Programs: matrix.LiveJobs, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ReadSecret(ctx, a, at.JobOf[a.Credential.Hash], "KEY")
		if err != nil && err.Error() == "No secret found" { // they may ask
			return nil
		}
		return err
	}},
	{Method: "IdentityKeys", People: matrix.Everyone, Programs: matrix.AnyProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Builds.IdentityKeys(ctx, a)
		return err
	}},

	// What the server does besides requests.
	{Method: "EventViews", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, _, err := w.Builds.EventViews(ctx, a, domain.EventSubject{Build: domain.BuildID(at.BuildID)})
		return err
	}},
	{Method: "VariablesOf", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.VariablesOf(ctx, a, domain.BuildID(at.BuildID))
		return err
	}},
	{Method: "DeleteOldBuilds", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.DeleteOldBuilds(ctx, a)
	}},
	{Method: "TimeOutJobs", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.TimeOutJobs(ctx, a)
	}},
	{Method: "EndReservations", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.EndReservations(ctx, a)
	}},
	{Method: "RequeueJobs", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.RequeueJobs(ctx, a)
	}},
	{Method: "EndGraces", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.EndGraces(ctx, a)
	}},
	{Method: "ReleaseGroups", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.ReleaseGroups(ctx, a)
	}},
	{Method: "ExpireJobs", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.ExpireJobs(ctx, a)
	}},
	{Method: "SampleQueues", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.SampleQueues(ctx, a)
	}},
	{Method: "RenderAnnotations", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.RenderAnnotations(ctx, a)
	}},
	{Method: "RotateIdentityKeys", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Builds.RotateIdentityKeys(ctx, a)
	}},
	{Method: "RunTasks", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel() // it goes on until then
		return w.Builds.RunTasks(ctx, a)
	}},
	{Method: "ReadyRules", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Builds.ReadyRules(ctx, a, at.Queue)
		return err
	}},
}
