package starts

import (
	"context"
	"errors"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/provider"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// WebhookSetup is how the webhook of a pipeline is set up.
type WebhookSetup struct {
	URL        string
	Connection *domain.RepositoryConnection // nil: the repository is at no host that the organization is connected with
	HasSecret  bool                         // deliveries must be signed
	Events     []string                     // to tick where it is made by hand
	Made       *domain.PipelineWebhook      // at the host; nil: not by this server
	Last       *domain.DeliveryView         // nil: nothing was delivered in the last days
}

// openPipeline is what a change of a pipeline's webhook depends on.
type openPipeline struct {
	pipeline   domain.Pipeline
	connection *domain.RepositoryConnection
	repository string // what it is called at the host
	token      domain.Secret
	secret     domain.Secret
	made       *domain.PipelineWebhook
}

func (s *Service) openPipeline(tx store.Tx, actor authz.Actor, ref domain.PipelineRef) (o openPipeline, err error) {
	in, err := s.core.InPipeline(tx, actor, ref, authz.WritePipeline)
	if err != nil {
		return o, err
	}
	o.pipeline = in.Pipeline.Pipeline
	connections, err := tx.RepositoryConnections(in.Organization.ID)
	if err != nil {
		return o, err
	}
	if made, found, err := tx.PipelineWebhook(o.pipeline.ID); err != nil {
		return o, err
	} else if found {
		o.made = &made
	}
	if o.connection, o.repository = domain.ConnectionOf(connections, o.pipeline.Repository); o.connection == nil {
		return o, nil
	}
	if o.token, err = s.secretOf(tx, o.connection.ID, store.ConnectionToken); err != nil {
		return o, err
	}
	o.secret, err = s.secretOf(tx, o.connection.ID, store.ConnectionWebhookSecret)
	return o, err
}

// PipelineWebhook returns how the webhook of a pipeline is set up, for those who may change the pipeline.
func (s *Service) PipelineWebhook(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	WebhookSetup, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (setup WebhookSetup, err error) {
		o, err := s.openPipeline(tx, actor, ref)
		if err != nil {
			return setup, err
		}
		setup = WebhookSetup{URL: s.deliverURL(o.pipeline), Connection: o.connection, HasSecret: o.secret != "", Made: o.made}
		if o.connection != nil {
			setup.Events = provider.WebhookEvents(o.connection.Kind)
		}
		last, found, err := tx.LastHostDelivery(o.pipeline.ID)
		if found {
			setup.Last = &last
		}
		return setup, err
	})
}

func (s *Service) deliverURL(p domain.Pipeline) string {
	return s.baseURL + "/deliver/" + p.WebhookToken.Reveal()
}

// CreatePipelineWebhook makes the webhook at the host of a pipeline's repository. One that this server made before is
// replaced.
//
// Returns Invalid if the organization is not connected with the host, or with what the host says.
func (s *Service) CreatePipelineWebhook(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	domain.PipelineWebhook, error) {
	o, err := s.viewPipeline(ctx, actor, ref)
	if err != nil {
		return domain.PipelineWebhook{}, err
	}
	if o.connection == nil {
		return domain.PipelineWebhook{}, domain.NewError(domain.Invalid, "The repository "+o.pipeline.Repository+
			" is at no host that the organization is connected with")
	}
	asking, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	client := s.clientOf(*o.connection, o.token)
	if o.made != nil && o.made.ConnectionID == o.connection.ID {
		if err := client.DeleteWebhook(asking, o.made.Repository, o.made.ExternalID); err != nil {
			return domain.PipelineWebhook{}, webhookFault(o, err)
		}
	}
	id, err := client.CreateWebhook(asking, o.repository, provider.Webhook{URL: s.deliverURL(o.pipeline),
		Secret: o.secret.Reveal()})
	if err != nil {
		return domain.PipelineWebhook{}, webhookFault(o, err)
	}
	made := domain.PipelineWebhook{PipelineID: o.pipeline.ID, ConnectionID: o.connection.ID, Repository: o.repository,
		ExternalID: id, CreatedAt: s.core.Clock()}
	permit := func(tx store.Tx) (store.InPipeline, error) {
		return s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
	}
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in store.InPipeline) (domain.PipelineWebhook, error) {
			if err := tx.InsertPipelineWebhook(made); err != nil {
				return made, err
			}
			return made, tx.LinkPipeline(in.Pipeline.ID, made.ConnectionID)
		})
}

func (s *Service) viewPipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (openPipeline, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (openPipeline, error) {
		o, err := s.openPipeline(tx, actor, ref)
		return o, err
	})
}

// webhookFault says what the host has against a webhook.
func webhookFault(o openPipeline, err error) error {
	reason := "The webhook of " + o.repository + " could not be changed at " + o.connection.URL + ": " + err.Error()
	if refused, ok := errors.AsType[*provider.Error](err); ok && (refused.Status == 403 || refused.Status == 404) {
		reason += ". The token must belong to an administrator of the repository"
	}
	return domain.NewError(domain.Invalid, reason)
}

// DeletePipelineWebhook deletes the webhook that this server made at the host of a pipeline's repository, and returns
// what it was. With a repository, only if it is there.
//
// Returns NotFound if it made none, and Invalid with what the host says.
func (s *Service) DeletePipelineWebhook(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	repository string) (domain.PipelineWebhook, error) {
	o, err := s.viewPipeline(ctx, actor, ref)
	if err != nil {
		return domain.PipelineWebhook{}, err
	}
	if o.made == nil || repository != "" && repository != o.made.Repository {
		return domain.PipelineWebhook{}, domain.Missing("webhook")
	}
	if o.connection != nil && o.made.ConnectionID == o.connection.ID {
		asking, cancel := context.WithTimeout(ctx, hostTimeout)
		defer cancel()
		if err := s.clientOf(*o.connection, o.token).DeleteWebhook(asking, o.made.Repository, o.made.ExternalID); err != nil {
			return domain.PipelineWebhook{}, webhookFault(o, err)
		}
	}
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineWebhook, error) {
		in, err := s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return domain.PipelineWebhook{}, err
		}
		return *o.made, tx.DeletePipelineWebhook(in.Pipeline.ID)
	})
}

// RotateWebhookURL changes the address of a pipeline's webhook. The old one is good no more; a webhook at the host
// has to be made again.
func (s *Service) RotateWebhookURL(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	domain.PipelineView, error) {
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineView, error) {
		in, err := s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return domain.PipelineView{}, err
		}
		in.Pipeline.WebhookToken = domain.NewWebhookToken()
		if err := tx.SetWebhookToken(in.Pipeline.ID, in.Pipeline.WebhookToken); err != nil {
			return domain.PipelineView{}, err
		}
		return in.Pipeline, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineWebhookRotated,
			core.PipelineSubject(in.Pipeline.Pipeline), nil, nil)
	})
}
