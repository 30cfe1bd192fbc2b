package graph

import (
	"context"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

type schedule = *domain.PipelineScheduleView

func bindPipelineSchedules(b *gql.Builder) {
	gql.DeclareObject[schedule](b, "PipelineSchedule")
	bindIDs(b, "PipelineSchedule", func(s schedule) domain.PipelineScheduleID { return s.ID })
	bindText(b, "PipelineSchedule.label", func(s schedule) string { return s.Label })
	bindText(b, "PipelineSchedule.cronline", func(s schedule) string { return s.Cronline })
	bindNullableText(b, "PipelineSchedule.message", func(s schedule) *string { return s.Message })
	bindText(b, "PipelineSchedule.commit", func(s schedule) string { return s.Commit })
	bindText(b, "PipelineSchedule.branch", schedule.ShownBranch)
	bindBool(b, "PipelineSchedule.enabled", func(s schedule) bool { return s.Enabled })
	gql.BindLeaf(b, "PipelineSchedule.env", func(dst []byte, s schedule) []byte {
		return appendTexts(dst, envLines(s.Env))
	})
	bindNullableTime(b, "PipelineSchedule.nextBuildAt", func(s schedule) *time.Time { return s.NextBuildAt })
	bindNullableTime(b, "PipelineSchedule.failedAt", func(s schedule) *time.Time { return s.FailedAt })
	bindNullableText(b, "PipelineSchedule.failedMessage", func(s schedule) *string { return s.FailedMessage })
	bindTime(b, "PipelineSchedule.createdAt", func(s schedule) time.Time { return s.CreatedAt })
	bindPart(b, "PipelineSchedule.createdBy", func(s schedule) *domain.User { return s.CreatedBy })
	bindReference(b, "PipelineSchedule.pipeline", func(s schedule) domain.PipelineID {
		return s.PipelineID
	}, (*read.Snapshot).Pipelines)
	bindConnectionField(b, "PipelineSchedule.builds", func(r *read.Snapshot, schedules []schedule, args gql.Args) (
		[]*read.Connection[build], error) {
		return r.BuildsOfSchedules(schedules, connectionPart(args))
	})
	bindPermissions(b, "PipelineSchedule", "PipelineSchedulePermissions", map[string]func(*read.Snapshot,
		[]schedule) ([]bool, error){
		"pipelineScheduleDelete": permitOnSchedules, "pipelineScheduleUpdate": permitOnSchedules,
	})
	bindConnection[schedule](b, "PipelineSchedule")
	bindConnectionField(b, "Pipeline.schedules", func(r *read.Snapshot, pipelines []pipeline, args gql.Args) (
		[]*read.Connection[schedule], error) {
		return r.PipelineSchedulesOf(pipelines, connectionPart(args))
	})
	gql.BindEachObject(b, "Query.pipelineSchedule", func(ctx context.Context, _ gql.Root, args gql.Args) (schedule,
		error) {
		organization, rest, _ := strings.Cut(args.String("slug"), "/")
		slug, uuid, _ := strings.Cut(rest, "/")
		found, err := findByID(uuid, readingOf(ctx).PipelineSchedules)
		if err != nil || found == nil || found.OrganizationSlug != organization || found.PipelineSlug != slug {
			return nil, err
		}
		return found, nil
	})
}

func permitOnSchedules(r *read.Snapshot, schedules []schedule) ([]bool, error) {
	ids := make([]domain.PipelineID, len(schedules))
	for i, s := range schedules {
		ids[i] = s.PipelineID
	}
	pipelines, err := r.Pipelines(ids)
	if err != nil {
		return nil, err
	}
	return r.PipelinePermitted(pipelines, authz.WritePipeline)
}

func bindPipelineScheduleMutations(b *gql.Builder) {
	mutation(b, "pipelineScheduleCreate", "PipelineScheduleCreatePayload", func(c change) (*payload, error) {
		pipeline := c.thing("pipelineID", "Pipeline", domain.PipelineThing)
		ref := domain.PipelineRef{Organization: domain.OrganizationRef{Of: pipeline}, ID: domain.PipelineID(pipeline.ID)}
		made, err := c.starts.CreatePipelineSchedule(c.ctx, c.actor, ref, scheduleInput(c.input))
		return &payload{schedule: &made}, err
	})
	schedulePipelineField(b, "PipelineScheduleCreatePayload.pipeline")
	bindNewEdge(b, "PipelineScheduleCreatePayload.pipelineScheduleEdge", func(p *payload) schedule { return p.schedule },
		func(r *read.Snapshot, p *payload) (*read.Connection[schedule], error) {
			pipelines, err := r.Pipelines([]domain.PipelineID{p.schedule.PipelineID})
			if err != nil {
				return nil, err
			}
			return firstOf(r.PipelineSchedulesOf(pipelines, read.ConnectionPart{}))
		})

	mutation(b, "pipelineScheduleUpdate", "PipelineScheduleUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.starts.UpdatePipelineSchedule(c.ctx, c.actor, c.schedule(), scheduleInput(c.input), nil)
		return &payload{schedule: &changed}, err
	})
	bindPart(b, "PipelineScheduleUpdatePayload.pipelineSchedule", func(p *payload) schedule { return p.schedule })

	mutation(b, "pipelineScheduleDelete", "PipelineScheduleDeletePayload", func(c change) (*payload, error) {
		deleted, err := c.starts.DeletePipelineSchedule(c.ctx, c.actor, c.schedule(), nil)
		return &payload{deleted: c.input.String("id"), schedule: &deleted}, err
	})
	deletedField(b, "PipelineScheduleDeletePayload.deletedPipelineScheduleID")
	schedulePipelineField(b, "PipelineScheduleDeletePayload.pipeline")
}

func schedulePipelineField(b *gql.Builder, field string) {
	bindReference(b, field, func(p *payload) domain.PipelineID {
		return p.schedule.PipelineID
	}, (*read.Snapshot).Pipelines)
}

// schedule returns the schedule that the input names.
func (c change) schedule() domain.PipelineScheduleRef {
	thing := c.thing("id", "PipelineSchedule", domain.ScheduleThing)
	return domain.PipelineScheduleRef{Pipeline: domain.PipelineRef{Organization: domain.OrganizationRef{Of: thing}},
		ID: thing.ID}
}

func scheduleInput(input gql.Args) core.Input[domain.PipelineScheduleInput] {
	var faults domain.Faults
	in := domain.PipelineScheduleInput{
		Label: optional[string](input, "label"), Cronline: optional[string](input, "cronline"),
		Message: optional[string](input, "message"),
		Commit:  optional[string](input, "commit"), Branch: optional[string](input, "branch"), Enabled: optional[bool](input,
			"enabled"),
	}
	if lines := optional[string](input, "env"); lines.Given {
		in.Env = domain.Some(domain.ParseEnvLines(lines.Value, &faults))
	}
	return core.Sent(in, faults.Err())
}
