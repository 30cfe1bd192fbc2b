package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

// pipelineWebhook is a webhook at the host of a pipeline's repository, seen by one who may change the pipeline.
type pipelineWebhook struct {
	domain.PipelineWebhook
	pipeline pipeline
	url      string
}

// webhookTypes are the types of webhooks.
var webhookTypes = []string{"RepositoryProviderGithubWebhook", "RepositoryProviderGithubEnterpriseWebhook"}

func bindPipelineWebhooks(b *gql.Builder, baseURL string) {
	gql.DeclareAbstract(b, "RepositoryProviderWebhook", (*pipelineWebhook).typeName)
	for _, typeName := range webhookTypes {
		gql.DeclareObject[*pipelineWebhook](b, typeName)
		bindText(b, typeName+".externalId", func(w *pipelineWebhook) string { return w.ExternalID })
		bindText(b, typeName+".url", func(w *pipelineWebhook) string { return w.url })
		bindPart(b, typeName+".provider", func(w *pipelineWebhook) *repositoryProvider {
			return &repositoryProvider{w.pipeline, w.pipeline.Provider()}
		})
	}
	mutation(b, "pipelineCreateWebhook", "PipelineCreateWebhookPayload", func(c change) (*payload, error) {
		made, err := c.starts.CreatePipelineWebhook(c.ctx, c.actor, c.pipeline())
		if err != nil {
			return nil, err
		}
		setup, err := c.service.Pipeline(c.ctx, c.actor, c.pipeline())
		return &payload{pipeline: &setup, webhook: &pipelineWebhook{made, &setup, baseURL + "/deliver/" +
			setup.WebhookToken.Reveal()}}, err
	})
	pipelineField(b, "PipelineCreateWebhookPayload.pipeline")
	gql.BindLeaf(b, "PipelineCreateWebhookPayload.pipelineID", func(dst []byte, p *payload) []byte {
		return appendID(dst, "Pipeline", p.pipeline.ID)
	})
	bindPart(b, "PipelineCreateWebhookPayload.webhook", func(p *payload) *pipelineWebhook { return p.webhook })
	mutation(b, "pipelineDeleteWebhook", "PipelineDeleteWebhookPayload", func(c change) (*payload, error) {
		deleted, err := c.starts.DeletePipelineWebhook(c.ctx, c.actor, c.pipeline(),
			optional[string](c.input, "repository").Value)
		return &payload{webhook: &pipelineWebhook{PipelineWebhook: deleted}}, err
	})
	bindText(b, "PipelineDeleteWebhookPayload.deletedWebhookExternalId",
		func(p *payload) string { return p.webhook.ExternalID })
	bindReference(b, "PipelineDeleteWebhookPayload.pipeline", func(p *payload) domain.PipelineID {
		return p.webhook.PipelineID
	}, (*read.Snapshot).Pipelines)
	changingPipeline(b, "pipelineRotateWebhookURL", "PipelineRotateWebhookURLPayload",
		func(c change, ref domain.PipelineRef) (domain.PipelineView, error) {
			return c.starts.RotateWebhookURL(c.ctx, c.actor, ref)
		})
}

func (w *pipelineWebhook) typeName() string {
	if known := w.pipeline.Provider(); known != nil && known.ID == "github" {
		return webhookTypes[0]
	}
	return webhookTypes[1]
}
