// Package loops runs what a server does besides answering requests: loops that call the service, started and
// stopped together. It imports internal/service, internal/authz and internal/domain of ours.
package loops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/logs"
	"penstock/internal/service/notices"
	"penstock/internal/service/starts"
)

// Loop is one thing that is done again and again.
type Loop struct {
	Name  string
	Every time.Duration // the pause between two runs
	Run   func(context.Context) error
	// Last says that the loop holds something that must not be lost: when the loops are stopped, a run is
	// not broken off, and there is one more.
	Last bool
}

// SendInvitation mails an invitation.
type SendInvitation = func(context.Context, domain.InvitationMail) error

// ForService returns the loops of a service; hosted says whether it has a hosted-agent service to keep in step, send
// mails invitations (nil: nobody does), and setAside is called with how many items of each kind of work are set aside.
func ForService(s *service.Service, hosted bool, send SendInvitation, setAside func(map[string]int64)) []Loop {
	actor := authz.OperatorActor()
	loops := []Loop{
		{Name: "store_token_uses", Every: time.Second, Last: true, Run: func(ctx context.Context) error {
			return s.StoreTokenUses(ctx, actor)
		}},
		{Name: "revoke_inactive_tokens", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.RevokeInactiveTokens(ctx, actor)
			return err
		}},
		{Name: "prune_audit_events", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PruneAuditEvents(ctx, actor)
			return err
		}},
		{Name: "prune_activity", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PruneActivity(ctx, actor)
			return err
		}},
		{Name: "prune_sessions", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PruneSessions(ctx, actor)
			return err
		}},
		{Name: "prune_idempotency_keys", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PruneIdempotencyKeys(ctx, actor)
			return err
		}},
		{Name: "prune_portal_tokens", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PrunePortalTokens(ctx, actor)
			return err
		}},
		{Name: "watch_postponed_items", Every: time.Minute, Run: func(ctx context.Context) error {
			counts, err := s.WatchPostponedItems(ctx, actor)
			if err == nil {
				setAside(counts)
			}
			return err
		}},
	}
	if hosted {
		loops = append(loops, Loop{Name: "sync_git_mirrors", Every: time.Second, Run: func(ctx context.Context) error {
			_, err := s.SyncGitMirrors(ctx, actor)
			return err
		}})
	}
	if send != nil {
		loops = append(loops, Loop{Name: "mail_invitations", Every: 2 * time.Second, Run: func(ctx context.Context) error {
			_, err := s.MailInvitations(ctx, actor, send)
			return err
		}})
	}
	return loops
}

// packInterval is how often logs are looked for that nothing was said of: other nodes' that were stopped, and those of
// which something is missing.
const packInterval = 5 * time.Second

// lapseInterval is how often it is looked for jobs and agents whose time is over.
const lapseInterval = 2 * time.Second

// asOperator returns what runs an operation as an operator.
func asOperator(run func(context.Context, authz.Actor) error) func(context.Context) error {
	return func(ctx context.Context) error { return run(ctx, authz.OperatorActor()) }
}

// ForAgents returns the loops of agents.
func ForAgents(s *agents.Service) []Loop {
	return []Loop{
		{Name: "save_heartbeats", Every: 10 * time.Second, Last: true, Run: asOperator(s.SaveHeartbeats)},
		{Name: "lose_agents", Every: lapseInterval, Run: asOperator(s.LoseAgents)},
	}
}

// ForBuilds returns the loops of builds and jobs.
func ForBuilds(s *builds.Service) []Loop {
	return []Loop{
		{Name: "run_build_tasks", Every: time.Second, Run: asOperator(s.RunTasks)},
		{Name: "time_out_jobs", Every: lapseInterval, Run: asOperator(s.TimeOutJobs)},
		{Name: "requeue_jobs", Every: lapseInterval, Run: asOperator(s.RequeueJobs)},
		{Name: "end_reservations", Every: lapseInterval, Run: asOperator(s.EndReservations)},
		{Name: "end_graces", Every: lapseInterval, Run: asOperator(s.EndGraces)},
		{Name: "release_groups", Every: lapseInterval, Run: asOperator(s.ReleaseGroups)},
		{Name: "render_annotations", Every: 5 * time.Second, Run: asOperator(s.RenderAnnotations)},
		{Name: "delete_old_builds", Every: 10 * time.Minute, Run: asOperator(s.DeleteOldBuilds)},
		{Name: "rotate_identity_keys", Every: 10 * time.Minute, Run: asOperator(s.RotateIdentityKeys)},
		{Name: "expire_jobs", Every: time.Minute, Run: asOperator(s.ExpireJobs)},
		{Name: "sample_queues", Every: time.Minute, Run: asOperator(s.SampleQueues)},
	}
}

// ForLogs returns the loops of logs.
func ForLogs(s *logs.Service) []Loop {
	return []Loop{
		{Name: "pack_logs", Every: 100 * time.Millisecond, Run: func(ctx context.Context) error {
			s.AwaitLogs(ctx, packInterval)
			return s.PackLogs(ctx, authz.OperatorActor())
		}},
	}
}

// ForArtifacts returns the loops of artifacts, and of objects beside the database.
func ForArtifacts(s *artifacts.Service) []Loop {
	return []Loop{
		{Name: "read_test_reports", Every: 2 * time.Second, Run: asOperator(s.ReadTestReports)},
		{Name: "sweep_artifacts", Every: 10 * time.Minute, Run: asOperator(s.SweepArtifacts)},
		{Name: "delete_blobs", Every: time.Minute, Run: asOperator(s.DeleteBlobs)},
	}
}

// ForCaches returns the loops of caches.
func ForCaches(s *caches.Service) []Loop {
	return []Loop{
		{Name: "store_cache_notes", Every: time.Second, Last: true, Run: asOperator(s.StoreCacheUses)},
		{Name: "sweep_caches", Every: time.Minute, Run: asOperator(s.SweepCaches)},
	}
}

// ForStarts returns the loops of what starts builds.
func ForStarts(s *starts.Service) []Loop {
	actor := authz.OperatorActor()
	return []Loop{
		{Name: "create_scheduled_builds", Every: 5 * time.Second, Run: func(ctx context.Context) error {
			return s.CreateScheduledBuilds(ctx, actor)
		}},
		{Name: "prune_deliveries", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PruneDeliveries(ctx, actor)
			return err
		}},
	}
}

// ForNotices returns the loops of what goes out.
func ForNotices(s *notices.Service) []Loop {
	actor := authz.OperatorActor()
	return []Loop{
		{Name: "send_notices", Every: time.Second, Run: func(ctx context.Context) error { return s.SendNotices(ctx, actor) }},
		{Name: "follow_services", Every: time.Second, Run: func(ctx context.Context) error {
			return s.FollowServices(ctx, actor)
		}},
		{Name: "prune_notices", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PruneNotices(ctx, actor)
			return err
		}},
	}
}

// Options configures Start.
type Options struct {
	Logger *slog.Logger
	// Observe, if set, is called with every run and its error.
	Observe func(loop string, err error)
}

// Running is a set of loops that have been started.
type Running struct {
	options Options
	loops   []Loop
	ended   sync.WaitGroup
	stop    context.CancelFunc // ends the loops
	abandon context.CancelFunc // breaks off the runs that stop does not
}

// Start starts the loops, each in a goroutine of its own, so that a slow one does not hold up the others. What
// fails is run again; its error is logged when it changes, not at every run.
func Start(o Options, loops []Loop) *Running {
	if o.Observe == nil {
		o.Observe = func(string, error) {}
	}
	abandoned, abandon := context.WithCancel(context.Background())
	stopped, stop := context.WithCancel(abandoned)
	r := &Running{options: o, loops: loops, stop: stop, abandon: abandon}
	for _, loop := range loops {
		ctx := stopped
		if loop.Last {
			ctx = abandoned
		}
		r.ended.Go(func() { r.repeat(ctx, stopped.Done(), loop) })
	}
	return r
}

// Stop ends the loops and runs those that ask for it a last time. It waits for all of that, but breaks it
// off when ctx is done.
func (r *Running) Stop(ctx context.Context) {
	defer context.AfterFunc(ctx, r.abandon)()
	r.stop()
	r.ended.Wait()
	for _, loop := range r.loops {
		if !loop.Last {
			continue
		}
		if err := r.run(ctx, loop); err != nil {
			r.log(ctx, "the last run of a loop failed", loop, err)
		}
	}
	r.abandon()
}

func (r *Running) repeat(ctx context.Context, stopped <-chan struct{}, loop Loop) {
	failure := ""
	for {
		err := r.run(ctx, loop)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && err.Error() != failure:
			failure = err.Error()
			r.log(ctx, "a loop fails; it will be run again", loop, err)
		case err == nil && failure != "":
			failure = ""
			r.options.Logger.InfoContext(ctx, "a loop works again", "loop", loop.Name)
		}
		select {
		case <-stopped:
			return
		case <-time.After(loop.Every):
		}
	}
}

func (r *Running) log(ctx context.Context, message string, loop Loop, err error) {
	attrs := []slog.Attr{slog.String("loop", loop.Name), slog.String("error", domain.Explain(err))}
	if p, ok := errors.AsType[*panicError](err); ok {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	r.options.Logger.LogAttrs(ctx, slog.LevelError, message, attrs...)
}

type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

func (r *Running) run(ctx context.Context, loop Loop) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p, debug.Stack()}
		}
		r.options.Observe(loop.Name, err)
	}()
	return loop.Run(ctx)
}
