package starts

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/provider"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// Refusals of deliveries.
var (
	errSignature = domain.NewError(domain.Forbidden, "The signature is missing or wrong: the webhook at the repository "+
		"host must have the webhook secret of the connection")
	errLarge = domain.NewError(domain.Invalid, "The delivery is larger than 5 MB")
)

// keptHeaders are the headers of a delivery that say what it is.
var keptHeaders = []string{
	"Content-Type", "X-GitHub-Event", "X-GitHub-Delivery", "X-GitHub-Enterprise-Host", "X-Gitea-Event",
	"X-Gitea-Event-Type", "X-Gitea-Delivery",
	"X-Forgejo-Event", "X-Forgejo-Delivery", "X-Gitlab-Event", "X-Gitlab-Event-UUID", "Idempotency-Key", "X-Event-Key",
	"X-Request-UUID", "X-Request-Id",
}

// Delivered is what became of a delivery.
type Delivered struct {
	Outcome string        // in words
	Build   *domain.Build // nil: none was made
}

// received is a delivery that was read.
type received struct {
	pipeline     domain.Pipeline
	organization domain.Organization
	connection   *domain.RepositoryConnection
	event        provider.Event
	headers      map[string]string
	body         []byte // compressed
	isRepeated   bool   // a person asks to build it again
}

// Deliver takes an event of the host of a pipeline's repository. Whoever knows the token may deliver; where the
// connection with the host has a webhook secret, the delivery must be signed with it.
//
// Returns NotFound if no pipeline has the token, Forbidden for a wrong signature, and Malformed for what no known host
// sends.
func (s *Service) Deliver(ctx context.Context, _ authz.Actor, token domain.Secret, header http.Header, body []byte) (
	Delivered, error) {
	r, secret, err := s.findDelivered(ctx, token)
	if err != nil {
		return Delivered{}, err
	}
	if len(body) > domain.MaxDelivery {
		return Delivered{}, errLarge
	}
	r.headers = storedHeaders(header)
	if r.body, err = core.Pack(provider.Payload(header, body)); err != nil {
		return Delivered{}, err
	}
	if secret != "" && !provider.CheckSignature(header, body, secret.Reveal()) {
		r.event.Name = "?"
		return Delivered{}, s.refuse(ctx, r, "refused: signature", errSignature)
	}
	if r.event, err = provider.Read(header, body); err != nil {
		return Delivered{}, s.refuse(ctx, r, "refused: "+err.Error(), domain.NewError(domain.Malformed, err.Error()))
	}
	return s.process(ctx, r)
}

// findDelivered returns what a delivery with a token is for, and the secret that it must be signed with.
func (s *Service) findDelivered(ctx context.Context, token domain.Secret) (
	r received, secret domain.Secret, err error) {
	if token == "" || !domain.ValidText(token.Reveal()) {
		return r, "", domain.Missing("pipeline")
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		var found bool
		if r.pipeline, found, err = tx.PipelineByWebhookToken(token.Reveal()); err != nil {
			return err
		}
		if !found {
			return domain.Missing("pipeline")
		}
		return s.findConnection(tx, &r, &secret)
	})
	return r, secret, err
}

// findConnection finds the connection of a delivery's pipeline, and its webhook secret.
func (s *Service) findConnection(tx store.Tx, r *received, secret *domain.Secret) error {
	var err error
	if r.organization, _, err = tx.OrganizationByID(r.pipeline.OrganizationID); err != nil {
		return err
	}
	connections, err := tx.RepositoryConnections(r.pipeline.OrganizationID)
	if err != nil {
		return err
	}
	if r.connection, _ = domain.ConnectionOf(connections, r.pipeline.Repository); r.connection == nil {
		return nil
	}
	*secret, err = s.secretOf(tx, r.connection.ID, store.ConnectionWebhookSecret)
	return err
}

func storedHeaders(header http.Header) map[string]string {
	kept := map[string]string{}
	for _, name := range keptHeaders {
		if value := header.Get(name); value != "" && len(value) <= 200 && domain.ValidText(value) {
			kept[name] = value
		}
	}
	return kept
}

// refuse stores that a delivery was refused, and returns why.
func (s *Service) refuse(ctx context.Context, r received, outcome string, refusal error) error {
	err := s.core.Store.Write(ctx, func(tx store.Tx) error {
		if err := tx.LockPipeline(r.pipeline.ID); err != nil {
			return err
		}
		r.event.DeliveryID = "" // the true one may come yet
		return s.insertDelivery(tx, r, outcome, nil)
	})
	if err != nil {
		return err
	}
	return refusal
}

// process does what an event is for.
func (s *Service) process(ctx context.Context, r received) (Delivered, error) {
	decided, err := s.decide(ctx, &r)
	if err != nil {
		return Delivered{}, err
	}
	done, err := s.apply(ctx, r, decided)
	if code := domain.CodeOf(err); code != domain.Invalid && code != domain.Malformed && code != domain.Conflict {
		return done, err
	}
	// The build was refused, such as for a configuration that is none. The host has done its part.
	decided.build, decided.ignored = nil, "failed: "+err.Error()
	return s.apply(ctx, r, decided)
}

// decide says what is to be done about a delivery. That takes no locks: patterns and conditions are members' own.
func (s *Service) decide(ctx context.Context, r *received) (decision, error) {
	if r.event.Kind == provider.Push {
		err := s.core.Store.Read(ctx, func(tx store.Tx) error {
			known, err := tx.PullRequestOf(r.pipeline.ID, r.event.Branch)
			if known != nil {
				r.event.Request = &provider.Request{PullRequest: *known, Action: provider.Synchronized}
			}
			return err
		})
		if err != nil {
			return decision{}, err
		}
	}
	var decided decision
	err := s.core.Processors.Use(ctx, r.pipeline.OrganizationID, func() error {
		decided = applyFilter(steps.NewWork(ctx), &r.pipeline, r.organization, decide(&r.pipeline, r.event))
		return nil
	})
	return decided, err
}

// apply does what was decided about a delivery, and stores it, in one transaction. The steps of its build are planned
// before.
func (s *Service) apply(ctx context.Context, r received, d decision) (done Delivered, err error) {
	publish := func() {}
	err = s.core.MakeBuild(ctx, func(tx store.Tx) (core.WantedBuild, bool, error) {
		if d.build == nil {
			return core.WantedBuild{}, false, nil
		}
		return wantedByDelivery(tx, r, d)
	}, func(create core.PlannedBuild) error {
		return s.core.Store.Write(ctx, func(tx store.Tx) error {
			done = Delivered{Outcome: d.ignored}
			isKnown, err := s.prepare(tx, r)
			if err != nil || isKnown {
				done.Outcome = "ignored: it came before"
				return err
			}
			if publish, err = start(tx, r, d, create, &done); err != nil {
				return err
			}
			if err := cancelBranch(tx, r.pipeline.ID, d.cancelBranch, &done); err != nil {
				return err
			}
			return s.insertDelivery(tx, r, done.Outcome, done.Build)
		})
	})
	if err == nil {
		publish()
	}
	return done, err
}

// prepare locks the pipeline of a delivery, and stores what the delivery says of the repository, unless the delivery
// came before.
func (s *Service) prepare(tx store.Tx, r received) (isKnown bool, err error) {
	if err := tx.LockPipeline(r.pipeline.ID); err != nil {
		return false, err
	}
	p, found, err := tx.PipelineByID(r.pipeline.ID)
	if err != nil {
		return false, err
	}
	if !found {
		return false, domain.Missing("pipeline")
	}
	if id := r.event.DeliveryID; id != "" && !r.isRepeated {
		if known, err := tx.HasDelivery(p.ID, id); err != nil || known {
			return known, err
		}
	}
	if err := s.linkPipeline(tx, &p, r.connection); err != nil {
		return false, err
	}
	return false, s.storePullRequest(tx, r)
}

// linkPipeline records which connection a pipeline's repository is at, if that was not known.
func (s *Service) linkPipeline(tx store.Tx, p *domain.Pipeline, c *domain.RepositoryConnection) error {
	var id domain.ConnectionID
	if c != nil {
		id = c.ID
	}
	if p.ConnectionID == nil && id == "" || p.ConnectionID != nil && *p.ConnectionID == id {
		return nil
	}
	if p.ConnectionID = nil; id != "" {
		p.ConnectionID = &id
	}
	return tx.LinkPipeline(p.ID, id)
}

// storePullRequest stores what the open pull request of a branch of the pipeline's own repository is.
func (s *Service) storePullRequest(tx store.Tx, r received) error {
	e := r.event
	if e.Kind != provider.PullRequest || e.Request.IsFork || !isOfRepository(&r.pipeline, e.Repository) {
		return nil
	}
	now, err := tx.Now()
	if err != nil {
		return err
	}
	if e.Request.IsClosed || e.Request.Action == provider.Closed {
		return tx.SetPullRequest(r.pipeline.ID, e.Branch, nil, now)
	}
	return tx.SetPullRequest(r.pipeline.ID, e.Branch, &e.Request.PullRequest, now)
}

// wantedByDelivery returns the build that was decided on.
func wantedByDelivery(tx store.Tx, r received, d decision) (wanted core.WantedBuild, found bool, err error) {
	if wanted.Pipeline, found, err = tx.PipelineByID(r.pipeline.ID); err != nil || !found {
		return wanted, false, err
	}
	wanted.BuildInput, wanted.Source = *d.build, domain.SourceWebhook
	if r.event.Pusher != "" && domain.ValidText(r.event.Pusher) {
		member, _, err := tx.MemberByEmail(r.organization.Slug, r.event.Pusher)
		if err != nil {
			return wanted, false, err
		}
		wanted.Creator = member.ID
	}
	return wanted, true, nil
}

// start creates the build that was decided on, unless there is one.
func start(tx store.Tx, r received, d decision, create core.PlannedBuild, done *Delivered) (publish func(), err error) {
	publish = func() {}
	if d.build == nil {
		return publish, nil
	}
	if d.skipKnown && !r.isRepeated {
		if known, err := tx.HasBuildOf(r.pipeline.ID, d.build.Commit, d.build.Branch); err != nil || known {
			done.Outcome = "ignored: this commit of the branch has a build"
			return publish, err
		}
	}
	wanted, _, err := wantedByDelivery(tx, r, d)
	if err != nil {
		return publish, err
	}
	build, publish, err := create(tx, wanted)
	if err != nil {
		return publish, err
	}
	done.Build, done.Outcome = &build, fmt.Sprintf("built #%d", build.Number)
	return publish, nil
}

// maxCanceled is how many builds of a deleted branch are canceled.
const maxCanceled = 100

// cancelBranch has the builds of a deleted branch canceled that are not over.
func cancelBranch(tx store.Tx, pipeline domain.PipelineID, branch string, done *Delivered) error {
	if branch == "" {
		return nil
	}
	open, err := tx.OpenBuildsOfBranch(pipeline, branch, maxCanceled)
	if err != nil || len(open) == 0 {
		return err
	}
	for _, id := range open {
		if err := tx.InsertTask(store.Task{ID: domain.NewID[string](), Kind: store.TaskBranchDeleted, Build: id},
			0); err != nil {
			return err
		}
	}
	done.Outcome = fmt.Sprintf("canceled %d builds of %s", len(open), branch)
	return nil
}

// insertDelivery stores a delivery and what became of it. The transaction has locked the pipeline.
func (s *Service) insertDelivery(tx store.Tx, r received, outcome string, build *domain.Build) error {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	d := domain.Delivery{ID: domain.NewIDAt[domain.DeliveryID](now), PipelineID: r.pipeline.ID, ReceivedAt: now,
		Headers: r.headers, Outcome: shorten(outcome),
		Event: shorten(strings.TrimSpace(r.event.Name + " " + r.event.Action))}
	if id := r.event.DeliveryID; id != "" && !r.isRepeated && len(id) <= 200 && domain.ValidText(id) {
		d.ExternalID = &id
	}
	if build != nil {
		d.BuildID = &build.ID
	}
	return tx.InsertDelivery(d, r.body)
}

// shorten returns the beginning of a text, as it can be stored.
func shorten(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if runes := []rune(text); len(runes) > 300 {
		text = string(runes[:300]) + "…"
	}
	return text
}

// Deliveries returns the last deliveries for a pipeline, the newest first.
func (s *Service) Deliveries(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	[]domain.DeliveryView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) ([]domain.DeliveryView, error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return nil, err
		}
		return tx.Deliveries(in.Pipeline.ID, domain.MaxDeliveries)
	})
}

// Delivery returns a delivery for a pipeline with its body.
func (s *Service) Delivery(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	id string) (d domain.DeliveryView, body string, err error) {
	d, packed, err := s.findDelivery(ctx, actor, ref, id, authz.WritePipeline)
	if err != nil {
		return d, "", err
	}
	text, err := core.Unpack(packed)
	return d, string(text), err
}

func (s *Service) findDelivery(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, id string,
	action authz.Action) (d domain.DeliveryView, body []byte, err error) {
	_, err = core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (struct{}, error) {
		in, err := s.core.InPipeline(tx, actor, ref, action)
		if err != nil {
			return struct{}{}, err
		}
		var found bool
		d, body, found, err = tx.Delivery(in.Pipeline.ID, core.LookupID[domain.DeliveryID](id))
		if err == nil && !found {
			err = domain.Missing("delivery")
		}
		return struct{}{}, err
	})
	return d, body, err
}

// RepeatDelivery does again what a delivery was for, as the pipeline is now.
func (s *Service) RepeatDelivery(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	id string) (Delivered, error) {
	d, packed, err := s.findDelivery(ctx, actor, ref, id, authz.WriteBuild)
	if err != nil {
		return Delivered{}, err
	}
	if strings.HasPrefix(d.Outcome, "refused: ") {
		return Delivered{}, domain.NewError(domain.Invalid, "A delivery that was refused can't be built")
	}
	if d.TriggerID != nil {
		return s.repeatTriggered(ctx, d, packed)
	}
	body, err := core.Unpack(packed)
	if err != nil {
		return Delivered{}, err
	}
	header := http.Header{}
	for name, value := range d.Headers {
		header.Set(name, value)
	}
	header.Set("Content-Type", "application/json") // the body is JSON, whatever it came as
	r := received{headers: d.Headers, body: packed, isRepeated: true}
	if r.event, err = provider.Read(header, body); err != nil {
		return Delivered{}, domain.NewError(domain.Invalid, err.Error())
	}
	var ignored domain.Secret
	_, err = core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (struct{}, error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.WriteBuild)
		r.pipeline = in.Pipeline.Pipeline
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.findConnection(tx, &r, &ignored)
	})
	if err != nil {
		return Delivered{}, err
	}
	return s.process(ctx, r)
}

// PruneDeliveries deletes old deliveries. Operators only.
func (s *Service) PruneDeliveries(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
		now, err := tx.Now()
		if err != nil {
			return 0, err
		}
		return tx.PruneDeliveries(now.Add(-domain.DeliveryRetention), core.PruneBatch)
	})
}
