package starts

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/provider"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Refusals of deliveries to triggers.
var (
	errTriggerToken     = domain.NewError(domain.Malformed, "Invalid pipeline trigger token")
	errTriggerDisabled  = domain.NewError(domain.Forbidden, "Pipeline trigger is disabled")
	errTriggerMissing   = domain.NewError(domain.NotFound, "Pipeline trigger not found")
	errTriggerSignature = domain.NewError(domain.Forbidden, "The signature is missing or wrong: X-Hub-Signature-256 "+
		"must be made with the secret of the pipeline trigger")
	errTriggerBody = domain.NewError(domain.Malformed, "The body must be JSON")
)

// triggered is a delivery to a trigger.
type triggered struct {
	trigger    domain.PipelineTrigger
	headers    map[string]string
	externalID string // that the sender named it by; "": none
	body       []byte // compressed
	ignored    string // why no build is made, in words; "": one is
	isRepeated bool   // a person asks to build it again
}

// IsTriggerToken reports whether a token in an address is one of a trigger, and not of a pipeline's webhook.
func IsTriggerToken(token string) bool {
	return len(token) >= len(domain.TriggerTokenKind) && token[:len(domain.TriggerTokenKind)] == string(
		domain.TriggerTokenKind)
}

// DeliverToTrigger starts the build of the trigger whose address has the token. Whoever knows the token may; where the
// trigger has a secret, the delivery must be signed with it.
//
// Returns Malformed for what is no token of a trigger or no JSON, NotFound if no trigger has the token, Forbidden for
// one that is disabled and for a wrong signature, and Invalid with why no build can be made.
func (s *Service) DeliverToTrigger(ctx context.Context, _ authz.Actor, token domain.Secret, header http.Header,
	body []byte) (Delivered, error) {
	d := triggered{headers: storedHeaders(header)}
	secret, err := s.findTriggered(ctx, token, &d)
	if err != nil {
		return Delivered{}, err
	}
	if len(body) > domain.MaxDelivery {
		return Delivered{}, errLarge
	}
	payload := provider.Payload(header, body)
	if d.body, err = core.Pack(payload); err != nil {
		return Delivered{}, err
	}
	if d.trigger.SecretHint != nil && (secret == "" || !provider.CheckSignature(header, body, secret.Reveal())) {
		return Delivered{}, s.refuseTriggered(ctx, d, "refused: signature", errTriggerSignature)
	}
	if !jsontext.Value(payload).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return Delivered{}, s.refuseTriggered(ctx, d, "refused: the body is not JSON", errTriggerBody)
	}
	if d.trigger.Type == domain.GitHubTrigger {
		d.externalID = d.headers["X-GitHub-Delivery"]
		if d.headers["X-GitHub-Event"] == "ping" {
			d.ignored = "ignored: ping"
		}
	}
	return s.processTriggered(ctx, d)
}

// findTriggered returns the trigger whose address has a token, and the secret that deliveries must be signed with.
func (s *Service) findTriggered(ctx context.Context, token domain.Secret, d *triggered) (
	secret domain.Secret, err error) {
	if !domain.IsTokenValue(domain.TriggerTokenKind, token.Reveal()) {
		return "", errTriggerToken
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		trigger, found, err := tx.PipelineTriggerByToken(domain.HashToken(token.Reveal()))
		switch {
		case err != nil:
			return err
		case !found:
			return errTriggerMissing
		case !trigger.Enabled:
			return errTriggerDisabled
		}
		d.trigger = trigger
		id, sealed, found, err := tx.TriggerSecret(trigger.ID)
		if err != nil || !found {
			return err
		}
		secret, err = s.core.Open(sealed, store.AboutTrigger+id)
		return err
	})
	return secret, err
}

// refuseTriggered stores that a delivery was refused, and returns why.
func (s *Service) refuseTriggered(ctx context.Context, d triggered, outcome string, refusal error) error {
	d.ignored, d.externalID = outcome, "" // the true one may come yet
	if _, err := s.applyTriggered(ctx, d); err != nil {
		return err
	}
	return refusal
}

// processTriggered makes the build of a delivery, or stores why there is none.
func (s *Service) processTriggered(ctx context.Context, d triggered) (Delivered, error) {
	done, err := s.applyTriggered(ctx, d)
	if code := domain.CodeOf(err); code != domain.Invalid && code != domain.Malformed && code != domain.Conflict {
		return done, err
	}
	return Delivered{}, s.refuseTriggered(ctx, d, "failed: "+err.Error(), err)
}

// applyTriggered makes the build of a delivery, unless it is ignored, and stores the delivery, in one transaction. The
// steps of the build are planned before.
func (s *Service) applyTriggered(ctx context.Context, d triggered) (done Delivered, err error) {
	publish := func() {}
	err = s.core.MakeBuild(ctx, func(tx store.Tx) (core.WantedBuild, bool, error) {
		if d.ignored != "" {
			return core.WantedBuild{}, false, nil
		}
		return wantedByTrigger(tx, d)
	}, func(create core.PlannedBuild) error {
		return s.core.Store.Write(ctx, func(tx store.Tx) error {
			done, publish = Delivered{Outcome: d.ignored}, func() {}
			if err := tx.LockPipeline(d.trigger.PipelineID); err != nil {
				return err
			}
			wanted, found, err := wantedByTrigger(tx, d)
			if err != nil {
				return err
			}
			if !found {
				return errTriggerMissing
			}
			if isKnown, err := d.isKnown(tx); err != nil || isKnown {
				done.Outcome = "ignored: it came before"
				return err
			}
			if d.ignored == "" {
				var build domain.Build
				if build, publish, err = create(tx, wanted); err != nil {
					return err
				}
				done = Delivered{Outcome: fmt.Sprintf("built #%d", build.Number), Build: &build}
			}
			return insertTriggered(tx, d, done)
		})
	})
	if err == nil {
		publish()
	}
	return done, err
}

// wantedByTrigger returns the build that the trigger of a delivery wants, if there still is one.
func wantedByTrigger(tx store.Tx, d triggered) (wanted core.WantedBuild, found bool, err error) {
	now, found, err := tx.PipelineTrigger(d.trigger.PipelineID, d.trigger.ID)
	if err != nil || !found {
		return wanted, false, err
	}
	if !now.Enabled && !d.isRepeated {
		return wanted, false, errTriggerDisabled
	}
	if wanted.Pipeline, found, err = tx.PipelineByID(d.trigger.PipelineID); err != nil || !found {
		return wanted, false, err
	}
	wanted.BuildInput, wanted.Source = now.BuildInput(wanted.Pipeline), domain.SourceWebhook
	return wanted, true, nil
}

// isKnown reports whether a delivery came before.
func (d *triggered) isKnown(tx store.Tx) (bool, error) {
	if d.externalID == "" || d.isRepeated {
		return false, nil
	}
	return tx.HasDelivery(d.trigger.PipelineID, domain.TriggerDelivery(d.trigger.ID, d.externalID))
}

// insertTriggered stores a delivery and what became of it. The transaction has locked the pipeline.
func insertTriggered(tx store.Tx, d triggered, done Delivered) error {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	stored := domain.Delivery{ID: domain.NewIDAt[domain.DeliveryID](now), PipelineID: d.trigger.PipelineID,
		TriggerID: &d.trigger.ID, ReceivedAt: now, Headers: d.headers,
		Event: shorten("trigger: " + d.trigger.Label), Outcome: shorten(done.Outcome)}
	if d.externalID != "" && !d.isRepeated {
		id := domain.TriggerDelivery(d.trigger.ID, d.externalID)
		stored.ExternalID = &id
	}
	if done.Build != nil {
		stored.BuildID = &done.Build.ID
	}
	return tx.InsertDelivery(stored, d.body)
}

// repeatTriggered starts the build of a delivery to a trigger again, as the trigger is now.
func (s *Service) repeatTriggered(ctx context.Context, delivery domain.DeliveryView, body []byte) (Delivered, error) {
	d := triggered{headers: delivery.Headers, body: body, isRepeated: true}
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		found, isThere, err := tx.PipelineTrigger(delivery.PipelineID, *delivery.TriggerID)
		if err == nil && !isThere {
			err = domain.NewError(domain.Invalid, "The trigger that this came to was deleted")
		}
		d.trigger = found.PipelineTrigger
		return err
	})
	if err != nil {
		return Delivered{}, err
	}
	return s.processTriggered(ctx, d)
}
