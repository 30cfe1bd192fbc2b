package builds_test

import (
	"context"
	"net/url"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// endWatch ends what was watched.
func endWatch(w builds.Watch, err error) error {
	if err == nil {
		w.Stop()
	}
	return err
}

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
var permissionCases = []permissionCase{

	// What people ask for.
	{method: "Builds", people: ownRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.Builds(ctx, a, domain.BuildFilter{}, builds.BuildParts{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "OrganizationBuilds", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OrganizationBuilds(ctx, a, at.pipeline.Organization, domain.BuildFilter{}, builds.BuildParts{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "Feed", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Feed(ctx, a, domain.PipelineRef{Organization: at.pipeline.Organization}, "")
		return err
	}},
	{method: "Feed", people: membersRead, programs: noProgram, repeats: true, names: "pipeline", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Feed(ctx, a, at.pipeline, "main")
		return err
	}},
	{method: "PipelineBuilds", people: membersRead, programs: noProgram, repeats: true, names: "pipeline", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.PipelineBuilds(ctx, a, at.pipeline, domain.BuildFilter{}, builds.BuildParts{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "Build", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Build(ctx, a, at.build, builds.BuildParts{})
		return err
	}},
	{method: "BuildPage", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.BuildPage(ctx, a, at.build, builds.PageLimits{Steps: 1, Annotations: 1, Artifacts: 1})
		return err
	}},
	{method: "ChangedBuild", people: buildersOnly, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ChangedBuild(ctx, a, at.build)
		return err
	}},
	{method: "Jobs", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Jobs(ctx, a, at.build, domain.JobFilter{}, domain.CursorPage{Size: 10})
		return err
	}},
	{method: "Job", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Job(ctx, a, at.job)
		return err
	}},
	{method: "StackNotifications", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StackNotifications(ctx, a, at.job)
		return err
	}},
	{method: "ChangedJob", people: membersWrite, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ChangedJob(ctx, a, at.job)
		return err
	}},
	{method: "JobEnv", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.JobEnv(ctx, a, at.job)
		return err
	}},
	{method: "ReadLog", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ReadLog(ctx, a, at.job)
		return err
	}},
	{method: "DeleteLog", people: buildersOnly, programs: noProgram, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.DeleteLog(ctx, a, at.bad)
	}},
	{method: "Artifacts", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Artifacts(ctx, a, at.build, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "JobArtifacts", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.JobArtifacts(ctx, a, at.job, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "Artifact", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Artifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact})
		return err
	}},
	{method: "DownloadArtifact", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.DownloadArtifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact})
		return err
	}},
	{method: "ReportTicket", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, _, err := s.ReportTicket(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact})
		return err
	}},
	{method: "OpenArtifact", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenArtifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact})
		return err
	}},
	{method: "DeleteArtifact", people: buildersOnly, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.DeleteArtifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact}, nil)
		return err
	}},
	{method: "BuildAnnotations", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.BuildAnnotations(ctx, a, at.build, domain.AnnotationFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "JobAnnotations", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.JobAnnotations(ctx, a, at.job, domain.AnnotationFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "AnnotateBuild", people: buildersOnly, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.AnnotateBuild(ctx, a, at.build, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
		return err
	}},
	{method: "AnnotateJob", people: buildersOnly, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.AnnotateJob(ctx, a, at.job, core.Sent(domain.AnnotationInput{Body: "x"}, nil))
		return err
	}},
	{method: "DeleteAnnotation", people: buildersOnly, programs: noProgram, prepare: withAnnotation, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.DeleteAnnotation(ctx, a, domain.AnnotationRef{Build: &at.build, ID: at.annotation})
		return err
	}},
	{method: "StepUploads", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StepUploads(ctx, a, at.build, domain.StepUploadFilter{}, domain.CursorPage{Size: 10})
		return err
	}},
	{method: "StepUpload", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StepUpload(ctx, a, at.build, at.upload)
		return err
	}},
	{method: "CreateBuild", people: buildersOnly, programs: noProgram, repeats: true, names: "pipeline", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CreateBuild(ctx, a, at.pipeline, domain.SourceAPI, core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main"}))
		return err
	}},
	{method: "CancelBuild", people: buildersOnly, programs: noProgram, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CancelBuild(ctx, a, at.build)
		return err
	}},
	{method: "RebuildBuild", people: buildersOnly, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.RebuildBuild(ctx, a, at.build, domain.SourceAPI)
		return err
	}},
	{method: "RetryFailedJobs", people: buildersOnly, programs: noProgram, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, _, err := s.RetryFailedJobs(ctx, a, at.build, core.Value([]string{}))
		return err
	}},
	{method: "RetryJob", people: buildersOnly, programs: noProgram, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.RetryJob(ctx, a, at.bad)
		return err
	}},
	{method: "CancelJob", people: buildersOnly, programs: noProgram, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CancelJob(ctx, a, at.job)
		return err
	}},
	{method: "ReprioritizeJob", people: buildersOnly, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ReprioritizeJob(ctx, a, at.free, core.Value(domain.Some(int64(7))))
		return err
	}},
	{method: "UnblockJob", people: buildersOnly, programs: noProgram, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.UnblockJob(ctx, a, at.block, builds.UnblockInput{})
		return err
	}},
	{method: "UnblockJob", people: votersOnly, programs: noProgram, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.UnblockJob(ctx, a, at.vote, builds.UnblockInput{})
		return err
	}},
	{method: "Agents", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Agents(ctx, a, at.pipeline.Organization, domain.AgentFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "Agent", people: membersRead, programs: noProgram, repeats: true, names: "agent", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Agent(ctx, a, at.agent)
		return err
	}},
	{method: "StopManagedAgent", people: managersOnly, programs: noProgram, names: "agent", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StopManagedAgent(ctx, a, at.agent, core.Value(domain.Some(true)))
		return err
	}},
	{method: "PauseManagedAgent", people: managersOnly, programs: noProgram, names: "agent", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.PauseManagedAgent(ctx, a, at.agent, core.Value(domain.AgentPause{}))
		return err
	}},
	{method: "ResumeManagedAgent", people: managersOnly, programs: noProgram, names: "agent", prepare: withPauses, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ResumeManagedAgent(ctx, a, at.agent)
		return err
	}},

	// What agents ask for, of themselves. Who may have no job is given none.
	{method: "IdentifyProgram", people: noPeople, programs: livePrograms, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.IdentifyProgram(ctx, a)
		return err
	}},
	{method: "RegisterAgent", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.RegisterAgent(ctx, a, builds.Registration{Name: "new"})
		return err
	}},
	{method: "AgentTokenInfo", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.AgentTokenInfo(ctx, a)
		return err
	}},
	{method: "ClusterStats", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, _, err := s.ClusterStats(ctx, a)
		return err
	}},
	{method: "RegisterStack", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := newStack(ctx, s, a)
		return err
	}},
	{method: "DeregisterStack", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		return s.DeregisterStack(ctx, a, key)
	}},
	{method: "ScheduledJobsOfStack", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		_, err = s.ScheduledJobsOfStack(ctx, a, key, "_default", 10, builds.WaitingJob{})
		return err
	}},
	{method: "ReserveJobs", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		_, err = s.ReserveJobs(ctx, a, key, []string{at.free.ID}, time.Minute)
		return err
	}},
	{method: "JobStatesOfStack", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		_, err = s.JobStatesOfStack(ctx, a, key, []string{at.free.ID})
		return err
	}},
	{method: "NotifyOfJobs", people: noPeople, programs: registrations, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		_, err = s.NotifyOfJobs(ctx, a, key, nil)
		return err
	}},
	{method: "JobOfStack", people: noPeople, programs: clusterOfStack, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		_, err = s.JobOfStack(ctx, a, key, at.free.ID)
		return err
	}},
	{method: "FinishStackJob", people: noPeople, programs: clusterOfStack, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		key, err := newStack(ctx, s, a)
		if err != nil {
			return err
		}
		return s.FinishStackJob(ctx, a, key, at.free.ID, -1, "")
	}},
	{method: "ConnectAgent", people: noPeople, programs: agents, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.ConnectAgent(ctx, a)
	}},
	{method: "PingAgent", people: noPeople, programs: agents, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.PingAgent(ctx, a)
		return err
	}},
	{method: "HeartbeatAgent", people: noPeople, programs: agents, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.HeartbeatAgent(ctx, a)
	}},
	{method: "AgentStatus", people: noPeople, programs: agents, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.AgentStatus(ctx, a)
		return err
	}},
	{method: "AssignJobs", people: noPeople, programs: waitingAgents, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.AssignJobs(ctx, at.queue, []authz.Actor{a})
		return err
	}},
	{method: "DisconnectAgent", people: noPeople, programs: leavingAgents, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.DisconnectAgent(ctx, a)
	}},
	{method: "StopAgent", people: noPeople, programs: agentsAndJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.StopAgent(ctx, a, true)
	}},
	{method: "PauseAgent", people: noPeople, programs: liveJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.PauseAgent(ctx, a, nil, nil)
	}},
	{method: "ResumeAgent", people: noPeople, programs: liveJobs, prepare: withPauses, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.ResumeAgent(ctx, a)
	}},
	{method: "AcceptJob", people: noPeople, programs: assignedAgent, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.AcceptJob(ctx, a, at.assigned)
		return err
	}},
	{method: "AcquireJob", people: noPeople, programs: freeAgent, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.AcquireJob(ctx, a, at.free.ID)
		return err
	}},

	// What jobs ask for: the job itself, then each with its own id.
	{method: "StartJob", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.StartJob(ctx, a, at.job.ID)
	}},
	{method: "FinishJob", people: noPeople, programs: theJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.FinishJob(ctx, a, at.job.ID, builds.Finish{})
	}},
	{method: "FinishJob", people: noPeople, programs: ownJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.FinishJob(ctx, a, at.requireJob[a.Credential.Hash], builds.Finish{})
	}},
	{method: "AddLogChunk", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.AddLogChunk(ctx, a, at.job.ID, builds.LogChunk{Sequence: 1, Size: 4, Content: zip("text")})
	}},
	{method: "AddLogChunk", people: noPeople, programs: uploadingJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.AddLogChunk(ctx, a, at.requireJob[a.Credential.Hash], builds.LogChunk{Sequence: 1, Size: 4, Content: zip("text")})
	}},
	{method: "SaveHeaderTimes", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.SaveHeaderTimes(ctx, a, at.job.ID, map[string]string{"0": "2026-01-02T03:04:05Z"})
	}},
	{method: "SaveHeaderTimes", people: noPeople, programs: ownJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.SaveHeaderTimes(ctx, a, at.requireJob[a.Credential.Hash], map[string]string{"0": "2026-01-02T03:04:05Z"})
	}},
	{method: "CreateArtifacts", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CreateArtifacts(ctx, a, at.job.ID, builds.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{{Path: "a", FileSize: 1, SHA1Sum: strings.Repeat("a", 40)}}})
		return err
	}},
	{method: "CreateArtifacts", people: noPeople, programs: uploadingJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CreateArtifacts(ctx, a, at.requireJob[a.Credential.Hash], builds.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{{Path: "a", FileSize: 1, SHA1Sum: strings.Repeat("a", 40)}}})
		return err
	}},
	{method: "JobState", people: noPeople, programs: theJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.JobState(ctx, a, at.job.ID)
		return err
	}},
	{method: "JobState", people: noPeople, programs: liveJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.JobState(ctx, a, at.requireJob[a.Credential.Hash])
		return err
	}},
	{method: "PromiseFailure", people: noPeople, programs: theJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.PromiseFailure(ctx, a, at.job.ID, 3)
	}},
	{method: "PromiseFailure", people: noPeople, programs: liveJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.PromiseFailure(ctx, a, at.requireJob[a.Credential.Hash], 3)
	}},
	{method: "SetJobTimeout", people: noPeople, programs: theJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.SetJobTimeout(ctx, a, at.job.ID, 20)
	}},
	{method: "SetJobTimeout", people: noPeople, programs: liveJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.SetJobTimeout(ctx, a, at.requireJob[a.Credential.Hash], 20)
	}},
	{method: "UploadPipeline", people: noPeople, programs: theJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.UploadPipeline(ctx, a, at.job.ID, builds.Upload{ID: domain.NewID[string](), Document: []byte(`{"steps": ["wait"]}`)})
		return err
	}},
	{method: "UploadPipeline", people: noPeople, programs: liveJobs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.UploadPipeline(ctx, a, at.requireJob[a.Credential.Hash], builds.Upload{ID: domain.NewID[string](), Document: []byte(`{"steps": ["wait"]}`)})
		return err
	}},
	{method: "UploadPipeline", people: noPeople, programs: ownUploadIDs, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.UploadPipeline(ctx, a, at.requireJob[a.Credential.Hash], builds.Upload{ID: at.upload, Document: []byte(`{"steps": ["wait"]}`)})
		return err
	}},
	{method: "StepUploadOf", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StepUploadOf(ctx, a, at.job.ID, at.upload)
		return err
	}},
	{method: "StepUploadOf", people: noPeople, programs: ownUploads, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StepUploadOf(ctx, a, at.requireJob[a.Credential.Hash], at.upload)
		return err
	}},
	{method: "UpdateArtifacts", people: noPeople, programs: theJob, prepare: withStored, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.UpdateArtifacts(ctx, a, at.job.ID, []builds.ArtifactChange{{ID: at.artifact, State: domain.ArtifactFinished}})
	}},
	{method: "UpdateArtifacts", people: noPeople, programs: ownArtifacts, prepare: withStored, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.UpdateArtifacts(ctx, a, at.requireJob[a.Credential.Hash], []builds.ArtifactChange{{ID: at.artifact, State: domain.ArtifactFinished}})
	}},

	// What jobs ask for of other jobs and builds of their cluster.
	{method: "SetMetaData", people: noPeople, programs: clusterOfJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.SetMetaData(ctx, a, builds.Target{Job: at.job.ID}, map[string]string{"a": "b", "c": "d"})
	}},
	{method: "SetMetaData", people: noPeople, programs: clusterOfBuild, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.SetMetaData(ctx, a, builds.Target{Build: at.buildID}, map[string]string{"a": "b", "c": "d"})
	}},
	{method: "MetaData", people: noPeople, programs: clusterOfJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, _, err := s.MetaData(ctx, a, builds.Target{Job: at.job.ID}, "k")
		return err
	}},
	{method: "MetaData", people: noPeople, programs: clusterOfBuild, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, _, err := s.MetaData(ctx, a, builds.Target{Build: at.buildID}, "k")
		return err
	}},
	{method: "MetaDataKeys", people: noPeople, programs: clusterOfJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.MetaDataKeys(ctx, a, builds.Target{Job: at.job.ID})
		return err
	}},
	{method: "MetaDataKeys", people: noPeople, programs: clusterOfBuild, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.MetaDataKeys(ctx, a, builds.Target{Build: at.buildID})
		return err
	}},
	{method: "Annotate", people: noPeople, programs: clusterOfJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.Annotate(ctx, a, at.job.ID, domain.AnnotationInput{Context: "new", Body: "Text"})
	}},
	{method: "Annotate", people: noPeople, programs: clusterOfJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.Annotate(ctx, a, at.job.ID, domain.AnnotationInput{Context: "new", Body: "Text", Scope: domain.ScopeOfJob})
	}},
	{method: "RemoveAnnotation", people: noPeople, programs: clusterOfJob, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.RemoveAnnotation(ctx, a, at.job.ID, "there", "")
	}},
	{method: "SearchArtifacts", people: noPeople, programs: clusterOfBuild, repeats: true, prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.SearchArtifacts(ctx, a, at.buildID, "*", domain.ArtifactSearch{State: domain.ArtifactFinished})
		return err
	}},

	// What jobs ask for of their build.
	{method: "ExportStep", people: noPeople, programs: ownBuild, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ExportStep(ctx, a, "free", at.buildID, "label", "")
		return err
	}},
	{method: "ExportStep", people: noPeople, programs: ownSteps, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ExportStep(ctx, a, at.stepID, "", "label", "")
		return err
	}},
	{method: "UpdateStep", people: noPeople, programs: ownBuild, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.UpdateStep(ctx, a, "free", builds.StepUpdate{Build: at.buildID, Attribute: "label", Value: "Changed"})
	}},
	{method: "UpdateStep", people: noPeople, programs: ownSteps, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.UpdateStep(ctx, a, at.stepID, builds.StepUpdate{Build: "", Attribute: "label", Value: "Changed"})
	}},
	{method: "CancelStep", people: noPeople, programs: ownBuild, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CancelStep(ctx, a, "free", at.buildID, true, 0)
		return err
	}},
	{method: "CancelStep", people: noPeople, programs: ownSteps, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CancelStep(ctx, a, at.stepID, "", true, 0)
		return err
	}},
	{method: "CancelOwnBuild", people: noPeople, programs: ownBuild, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.CancelOwnBuild(ctx, a, at.buildID)
	}},
	{method: "QueueHistory", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.QueueHistory(ctx, a, domain.ClusterRef{Organization: at.pipeline.Organization, ID: testkit.MaintainedID}, testkit.QueueID, domain.LastDay)
		return err
	}},
	{method: "QueueMetrics", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.QueueMetrics(ctx, a, domain.ClusterRef{Organization: at.pipeline.Organization, ID: testkit.MaintainedID}, testkit.QueueID)
		return err
	}},
	{method: "StacksOfQueue", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StacksOfQueue(ctx, a, domain.ClusterRef{Organization: at.pipeline.Organization, ID: testkit.MaintainedID}, testkit.QueueID)
		return err
	}},
	{method: "WatchBuild", people: membersRead, programs: noProgram, repeats: true, names: "build", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return endWatch(s.WatchBuild(ctx, a, at.build))
	}},
	{method: "WatchPipelineBuilds", people: membersRead, programs: noProgram, repeats: true, names: "pipeline", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return endWatch(s.WatchPipelineBuilds(ctx, a, at.pipeline))
	}},
	{method: "WatchOrganizationBuilds", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return endWatch(s.WatchOrganizationBuilds(ctx, a, at.pipeline.Organization))
	}},
	{method: "WatchAgents", people: membersRead, programs: noProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return endWatch(s.WatchAgents(ctx, a, at.pipeline.Organization))
	}},
	{method: "CacheDecisions", people: membersRead, programs: noProgram, repeats: true, names: "job", call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.CacheDecisions(ctx, a, at.job)
		return err
	}},
	{method: "Artifacts", people: membersRead, programs: noProgram, repeats: true, names: "build", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Artifacts(ctx, a, at.build, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "JobArtifacts", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.JobArtifacts(ctx, a, at.job, domain.ArtifactFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{method: "Artifact", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.Artifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact})
		return err
	}},
	{method: "DownloadArtifact", people: membersRead, programs: noProgram, repeats: true, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.DownloadArtifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact})
		return err
	}},
	{method: "DeleteArtifact", people: buildersOnly, programs: noProgram, names: "job", prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.DeleteArtifact(ctx, a, domain.ArtifactRef{Job: at.job, ID: at.artifact}, nil)
		return err
	}},

	// What jobs ask for of themselves only.
	{method: "IdentifyJob", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.IdentifyJob(ctx, a, at.job.ID, domain.IdentityInput{})
		return err
	}},
	{method: "IdentifyJob", people: noPeople, programs: liveJobs, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.IdentifyJob(ctx, a, at.requireJob[a.Credential.Hash], domain.IdentityInput{})
		return err
	}},
	{method: "ReadSecret", people: noPeople, programs: theJob, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ReadSecret(ctx, a, at.job.ID, "KEY")
		if err != nil && err.Error() == "No secret found" { // they may ask
			return nil
		}
		return err
	}},
	{method: "ReadSecret", people: noPeople, programs: liveJobs, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ReadSecret(ctx, a, at.requireJob[a.Credential.Hash], "KEY")
		if err != nil && err.Error() == "No secret found" { // they may ask
			return nil
		}
		return err
	}},
	{method: "IdentityKeys", people: everyone, programs: anyProgram, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.IdentityKeys(ctx, a)
		return err
	}},

	// What jobs ask of the cache registries of their cluster.
	{method: "CacheRegistry", people: noPeople, programs: cacheUsers, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.CacheRegistry(ctx, a, "ruby-gems")
		return err
	}},
	{method: "SaveCache", people: noPeople, programs: cacheUsers, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.SaveCache(ctx, a, "ruby-gems", cachedAddress, cachedContent)
		return err
	}},
	{method: "PeekCache", people: noPeople, programs: cacheUsers, repeats: true, prepare: withCache, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.PeekCache(ctx, a, "ruby-gems", cachedAddress)
		return err
	}},
	{method: "RetrieveCache", people: noPeople, programs: cacheUsers, repeats: true, prepare: withCache, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		_, err := s.RetrieveCache(ctx, a, "ruby-gems", cachedAddress)
		return err
	}},
	{method: "ExpireCache", people: noPeople, programs: cacheUsers, prepare: withCache, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.ExpireCache(ctx, a, "ruby-gems", cachedAddress)
	}},
	{method: "CommitCache", people: noPeople, programs: ownCacheUpload, prepare: withCache, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		return s.CommitCache(ctx, a, "ruby-gems", at.cacheUpload)
	}},

	// What a ticket is enough for.
	{method: "OpenUpload", people: everyone, programs: anyProgram, repeats: true, prepare: withArtifacts, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenUpload(ctx, a, at.batch.Ticket, "a.txt")
		return err
	}},
	{method: "OpenUpload", people: badTicket, programs: badTickets, repeats: true, prepare: withArtifacts, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenUpload(ctx, a, at.batch.Ticket+"x", "a.txt")
		return err
	}},
	{method: "OpenPart", people: everyone, programs: anyProgram, repeats: true, prepare: withArtifacts, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		ticket, err := url.QueryUnescape(at.part)
		if err == nil {
			_, err = s.OpenPart(ctx, a, at.parted, 1, ticket)
		}
		return err
	}},
	{method: "OpenPart", people: badTicket, programs: badTickets, repeats: true, prepare: withArtifacts, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		ticket, err := url.QueryUnescape(at.part)
		if err == nil {
			_, err = s.OpenPart(ctx, a, at.parted, 2, ticket)
		}
		return err
	}},
	{method: "StoreUpload", people: everyone, programs: anyProgram, prepare: withArtifacts, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		pending, err := s.OpenUpload(ctx, a, at.batch.Ticket, "a.txt")
		if err == nil {
			_, err = s.StoreUpload(ctx, a, pending, strings.NewReader(at.content))
		}
		return err
	}},
	{method: "StoreUpload", people: tooLate, programs: tooLateForAny, prepare: withGivenUp, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.StoreUpload(ctx, a, at.pending, strings.NewReader(at.content))
		return err
	}},
	{method: "OpenDownload", people: everyone, programs: anyProgram, repeats: true, prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenDownload(ctx, a, at.artifact, at.download)
		return err
	}},
	{method: "OpenDownload", people: badTicket, programs: badTickets, repeats: true, prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenDownload(ctx, a, at.artifact, at.part)
		return err
	}},
	{method: "OpenReportFile", people: everyone, programs: anyProgram, repeats: true, prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenReportFile(ctx, a, at.job.ID, at.report, "a.txt")
		return err
	}},
	{method: "OpenReportFile", people: badTicket, programs: badTickets, repeats: true, prepare: withFinished, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.OpenReportFile(ctx, a, at.job.ID, at.download, "a.txt")
		return err
	}},

	// What the server does besides requests.
	{method: "SaveHeartbeats", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.SaveHeartbeats(ctx, a)
	}},
	{method: "EventViews", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, _, err := s.EventViews(ctx, a, domain.EventSubject{Build: domain.BuildID(at.buildID)})
		return err
	}},
	{method: "EventAgent", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, _, err := s.EventAgent(ctx, a, domain.EventSubject{})
		return err
	}},
	{method: "VariablesOf", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.VariablesOf(ctx, a, domain.BuildID(at.buildID))
		return err
	}},
	{method: "SweepArtifacts", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.SweepArtifacts(ctx, a)
	}},
	{method: "DeleteBlobs", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.DeleteBlobs(ctx, a)
	}},
	{method: "DeleteOldBuilds", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.DeleteOldBuilds(ctx, a)
	}},
	{method: "PackLogs", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.PackLogs(ctx, a)
	}},
	{method: "TimeOutJobs", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.TimeOutJobs(ctx, a)
	}},
	{method: "EndReservations", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.EndReservations(ctx, a)
	}},
	{method: "RequeueJobs", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.RequeueJobs(ctx, a)
	}},
	{method: "EndGraces", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.EndGraces(ctx, a)
	}},
	{method: "ReleaseGroups", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.ReleaseGroups(ctx, a)
	}},
	{method: "LoseAgents", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.LoseAgents(ctx, a)
	}},
	{method: "SignOff", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.SignOff(ctx, a)
	}},
	{method: "ExpireJobs", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.ExpireJobs(ctx, a)
	}},
	{method: "SampleQueues", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.SampleQueues(ctx, a)
	}},
	{method: "StoreCacheUses", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.StoreCacheUses(ctx, a)
	}},
	{method: "ReadTestReports", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.ReadTestReports(ctx, a)
	}},
	{method: "RenderAnnotations", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.RenderAnnotations(ctx, a)
	}},
	{method: "SweepCaches", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.SweepCaches(ctx, a)
	}},
	{method: "RotateIdentityKeys", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		return s.RotateIdentityKeys(ctx, a)
	}},
	{method: "RunTasks", people: operatorOnly, programs: deniedPrograms, call: func(ctx context.Context, s *builds.Service, a authz.Actor, _ *permissionTarget) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel() // it goes on until then
		return s.RunTasks(ctx, a)
	}},
	{method: "ReadyRules", people: operatorOnly, programs: deniedPrograms, repeats: true, call: func(ctx context.Context, s *builds.Service, a authz.Actor, at *permissionTarget) error {
		_, err := s.ReadyRules(ctx, a, at.queue)
		return err
	}},
}
