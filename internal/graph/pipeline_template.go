package graph

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

type pipelineTemplate = *domain.PipelineTemplateView

func bindPipelineTemplates(b *gql.Builder) {
	gql.DeclareObject[pipelineTemplate](b, "PipelineTemplate")
	bindIDs(b, "PipelineTemplate", func(t pipelineTemplate) domain.PipelineTemplateID { return t.ID })
	bindText(b, "PipelineTemplate.name", func(t pipelineTemplate) string { return t.Name })
	bindNullableText(b, "PipelineTemplate.description", func(t pipelineTemplate) *string { return t.Description })
	bindText(b, "PipelineTemplate.configuration", func(t pipelineTemplate) string { return t.Configuration })
	bindBool(b, "PipelineTemplate.available", func(t pipelineTemplate) bool { return t.Available })
	bindTime(b, "PipelineTemplate.createdAt", func(t pipelineTemplate) time.Time { return t.CreatedAt })
	bindPart(b, "PipelineTemplate.createdBy", func(t pipelineTemplate) *domain.User { return t.CreatedBy })
	bindTime(b, "PipelineTemplate.updatedAt", func(t pipelineTemplate) time.Time { return t.UpdatedAt })
	bindPart(b, "PipelineTemplate.updatedBy", func(t pipelineTemplate) *domain.User { return t.UpdatedBy })
	bindConnection[pipelineTemplate](b, "PipelineTemplate")
	bindConnectionField(b, "Organization.pipelineTemplates", func(r *read.Snapshot, os []organization, args gql.Args) (
		[]*read.Connection[pipelineTemplate], error) {
		return r.PipelineTemplatesOf(os, orderArg(args, domain.ByName), connectionPart(args))
	})
	bindReference(b, "Pipeline.pipelineTemplate", templateOfPipeline, (*read.Snapshot).PipelineTemplates)
	bindReference(b, "PipelineCreatePayload.pipelineTemplate", func(p *payload) domain.PipelineTemplateID {
		return templateOfPipeline(p.pipeline)
	}, (*read.Snapshot).PipelineTemplates)
	gql.BindEachObject(b, "Query.pipelineTemplate", func(ctx context.Context, _ gql.Root, args gql.Args) (pipelineTemplate,
		error) {
		return findByID(args.String("uuid"), readingOf(ctx).PipelineTemplates)
	})
}

func templateOfPipeline(p pipeline) domain.PipelineTemplateID { return valueOrEmpty(p.TemplateID) }

func bindPipelineTemplateMutations(b *gql.Builder) {
	mutation(b, "pipelineTemplateCreate", "PipelineTemplateCreatePayload", func(c change) (*payload, error) {
		made, err := c.starts.CreatePipelineTemplate(c.ctx, c.actor, c.organization("organizationId"),
			core.Value(templateInput(c.input)))
		return &payload{template: &made}, err
	})
	bindPart(b, "PipelineTemplateCreatePayload.pipelineTemplate", func(p *payload) pipelineTemplate { return p.template })

	mutation(b, "pipelineTemplateUpdate", "PipelineTemplateUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.starts.UpdatePipelineTemplate(c.ctx, c.actor, c.organization("organizationId"), c.template(),
			core.Value(templateInput(c.input)), nil)
		return &payload{template: &changed}, err
	})
	bindPart(b, "PipelineTemplateUpdatePayload.pipelineTemplate", func(p *payload) pipelineTemplate { return p.template })

	mutation(b, "pipelineTemplateDelete", "PipelineTemplateDeletePayload", func(c change) (*payload, error) {
		err := c.starts.DeletePipelineTemplate(c.ctx, c.actor, c.organization("organizationId"), c.template(), nil)
		return &payload{deleted: c.input.String("id")}, err
	})
	deletedField(b, "PipelineTemplateDeletePayload.deletedPipelineTemplateId")
}

// template returns the id of the template that the input names.
func (c change) template() string { return c.thing("id", "PipelineTemplate", domain.TemplateThing).ID }

func templateInput(input gql.Args) domain.PipelineTemplateInput {
	return domain.PipelineTemplateInput{Name: optional[string](input, "name"), Description: optional[string](input,
		"description"),
		Configuration: optional[string](input, "configuration"), Available: optional[bool](input, "available")}
}
