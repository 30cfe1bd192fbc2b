package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/outbound"
	"penstock/internal/service/core"
	"penstock/internal/service/notices"
	"penstock/internal/service/starts"
)

// toldBuilds is how many builds are measured in each way; tests have fewer.
var toldBuilds = 200

// cost is what something took of the database and the processors.
type cost struct {
	statements float64
	used       time.Duration
}

func (c cost) minus(other cost) cost {
	return cost{c.statements - other.statements, c.used - other.used}
}

func (c cost) dividedBy(n int) cost {
	return cost{c.statements / float64(n), c.used / time.Duration(n)}
}

func (c cost) String() string {
	return fmt.Sprintf("%.1f statements and %s of processor time", c.statements, c.used.Round(10*time.Microsecond))
}

// measureNotices measures what a delivery, an event for a webhook and a status at a commit cost a build, beside its job.
func measureNotices(ctx context.Context, engine string) error {
	const name = "notices"
	if !isWanted(name) {
		return nil
	}
	silent, err := measureSilent(ctx, engine)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	client, err := outbound.New(outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return err
	}
	var told *notices.Service
	in, stop, err := newInstallation(ctx, d, func(in *installation) core.BuildEvents {
		told = notices.New(notices.Options{Core: in.core, Client: client, BaseURL: "https://penstock.example.com", Render: renderNothing})
		return told
	})
	if err != nil {
		return err
	}
	defer stop()
	ear, err := newEar()
	if err != nil {
		return err
	}
	defer ear.stop()
	line, err := in.measureTold(ctx, silent, told, starts.New(starts.Options{Core: in.core, Client: client, BaseURL: "https://penstock.example.com"}), ear)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Printf("%-9s %9d  %s: %s\n", engine, toldBuilds, name, line)
	return nil
}

// measureSilent measures builds of a server that can tell nobody how they go.
func measureSilent(ctx context.Context, engine string) (cost, error) {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return cost{}, err
	}
	defer cleanup()
	in, stop, err := newInstallation(ctx, d, nil)
	if err != nil {
		return cost{}, err
	}
	defer stop()
	return in.costOfBuilds(ctx, in.createPushedBuild)
}

// renderNothing stands for what the REST API shows of a build.
func renderNothing(context.Context, domain.EventSubject) (domain.RenderedEvent, error) {
	return domain.RenderedEvent{Build: []byte(`{"number": 1}`), Pipeline: []byte(`{"slug": "single"}`)}, nil
}

// ear is a host that takes everything.
type ear struct {
	address string
	stop    func()
	mutex   sync.Mutex
	heard   int
}

func newEar() (*ear, error) {
	e := &ear{}
	address, stop, err := load.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		e.mutex.Lock()
		e.heard++
		e.mutex.Unlock()
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"login": "bench", "id": 1}`)
	}))
	e.address, e.stop = address, stop
	return e, err
}

// await waits until the ear has heard that many requests since it was asked last, and returns how many it has.
func (e *ear) await(ctx context.Context, n int) (int, error) {
	for deadline := time.Now().Add(time.Minute); ; {
		e.mutex.Lock()
		heard := e.heard
		e.mutex.Unlock()
		if heard >= n {
			return heard, nil
		}
		if time.Now().After(deadline) {
			return heard, fmt.Errorf("%d of %d requests came", heard, n)
		}
		select {
		case <-ctx.Done():
			return heard, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (in *installation) measureTold(ctx context.Context, silent cost, told *notices.Service, begun *starts.Service, e *ear) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	defer sending.Wait()
	defer cancel()
	sending.Go(func() { _ = told.SendNotices(ctx, authz.OperatorActor()) })
	alone, err := in.costOfBuilds(ctx, in.createPushedBuild)
	if err != nil {
		return "", err
	}

	actor, organization := authz.TokenActor(authz.REST, token, netip.IPv6Loopback()), domain.OrganizationRef{Slug: "acme-inc"}
	if _, err := told.CreateNotificationService(ctx, actor, organization, core.Value(domain.NotificationServiceInput{
		Provider: domain.Some(string(domain.WebhookService)), URL: domain.Some("http://" + e.address + "/hook")})); err != nil {
		return "", err
	}
	if _, err := e.await(ctx, 1); err != nil { // the ping
		return "", err
	}
	events, heardEvents, err := in.costOfTold(ctx, e, 3*toldBuilds, in.createPushedBuild) // scheduled, running, finished
	if err != nil {
		return "", err
	}
	if err := in.exec(ctx, `DELETE FROM notification_services`); err != nil {
		return "", err
	}
	if err := told.LoadListeners(ctx, authz.OperatorActor()); err != nil {
		return "", err
	}

	if _, err := begun.CreateRepositoryConnection(ctx, actor, organization, core.Value(domain.ConnectionInput{
		Type: domain.Some("gitea"), URL: domain.Some("http://" + e.address), Token: domain.Some(domain.Secret("a-token"))})); err != nil {
		return "", err
	}
	if err := in.exec(ctx, `UPDATE pipelines SET repository = $1, webhook_token = 'the-token-of-the-webhook', connection_id = (SELECT id FROM repository_connections) WHERE slug = $2`, "http://"+e.address+"/acme/web.git", singlePipeline); err != nil {
		return "", err
	}
	statuses, heardStatuses, err := in.costOfTold(ctx, e, toldBuilds, in.createPushedBuild) // of each build the last at least
	if err != nil {
		return "", err
	}
	delivered, _, err := in.costOfTold(ctx, e, toldBuilds, func(ctx context.Context, n int) error {
		header := http.Header{"X-Gitea-Event": {"push"}, "X-Gitea-Delivery": {strconv.Itoa(n)}, "Content-Type": {"application/json"}}
		_, err := begun.Deliver(ctx, authz.Actor{}, "the-token-of-the-webhook", header, []byte(pushOf(n)))
		return err
	})
	if err != nil {
		return "", err
	}
	perBuild := func(c cost) cost { return c.dividedBy(toldBuilds) }
	return fmt.Sprintf("a build with its job takes %s; where somebody could be told but nobody is, %s; an event sent to a webhook adds %s; a status published at a commit adds %s; "+
		"a build that a delivery creates takes %s with its statuses, beside %s of one that a person creates",
		perBuild(silent), perBuild(alone), events.minus(alone).dividedBy(heardEvents), statuses.minus(alone).dividedBy(heardStatuses), perBuild(delivered), perBuild(statuses)), nil
}

// costOfTold is costOfBuilds until as many requests came, and returns how many did.
func (in *installation) costOfTold(ctx context.Context, e *ear, want int, create func(context.Context, int) error) (c cost, heard int, err error) {
	e.mutex.Lock()
	before := e.heard
	e.mutex.Unlock()
	statements, used := in.db.Statements(), load.ProcessorTime()
	if _, err = in.costOfBuilds(ctx, create); err != nil {
		return c, 0, err
	}
	if heard, err = e.await(ctx, before+want); err != nil {
		return c, 0, err
	}
	return cost{float64(in.db.Statements() - statements), load.ProcessorTime() - used}, heard - before, nil
}

// costOfBuilds creates builds of one job one after the other, and lets an agent run them.
func (in *installation) costOfBuilds(ctx context.Context, create func(context.Context, int) error) (cost, error) {
	statements, used := in.db.Statements(), load.ProcessorTime()
	_, err := in.withAgents(ctx, 1, func(_ int, a *agent) error {
		for range toldBuilds {
			in.pushes++
			if err := create(ctx, in.pushes); err != nil {
				return err
			}
			job, err := a.ping()
			if err != nil {
				return err
			}
			if job == "" {
				return errors.New("there is no job")
			}
			if err := a.runJob(job); err != nil {
				return err
			}
		}
		return nil
	})
	return cost{float64(in.db.Statements() - statements), load.ProcessorTime() - used}, err
}

// commitOf is the commit of the nth build.
func commitOf(n int) string { return fmt.Sprintf("%040x", n) }

// createPushedBuild creates a build of a commit.
func (in *installation) createPushedBuild(ctx context.Context, n int) error {
	actor := authz.TokenActor(authz.REST, token, netip.IPv6Loopback())
	ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, ID: in.pipeline[singlePipeline]}
	_, err := in.builds.CreateBuild(ctx, actor, ref, domain.SourceAPI, core.Value(domain.BuildInput{Commit: commitOf(n), Branch: "main", Message: "Benchmark"}))
	return err
}

// pushOf is what Gitea delivers for the nth push.
func pushOf(n int) string {
	return strings.NewReplacer("COMMIT", commitOf(n), "BEFORE", commitOf(n-1)).Replace(`{"ref": "refs/heads/main", "before": "BEFORE", "after": "COMMIT", "total_commits": 1,
		"commits": [{"id": "COMMIT", "message": "Change it", "author": {"name": "Ada", "email": "ada@example.com"}}],
		"head_commit": {"id": "COMMIT", "message": "Change it", "author": {"name": "Ada", "email": "ada@example.com"}},
		"repository": {"full_name": "acme/web", "default_branch": "main"}, "sender": {"login": "ada"}}`)
}

func (in *installation) exec(ctx context.Context, sql string, args ...any) error {
	return in.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(sql, args...)
		return err
	})
}

func (in *installation) subscribe(topic string) (changed <-chan struct{}, stop func()) {
	subscription := in.waker.Subscribe(topic)
	return subscription.C, subscription.Close
}
