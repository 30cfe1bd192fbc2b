// Package jobs runs what a server does besides answering requests: loops that call the service, started and
// stopped together. It imports internal/service, internal/authz and internal/domain of ours.
package jobs

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
)

// Job is one thing that is done again and again.
type Job struct {
	Name  string
	Every time.Duration // the pause between two runs
	Run   func(context.Context) error
	// Last says that the job holds something that must not be lost: when the jobs are stopped, a run is
	// not broken off, and it is run once more.
	Last bool
}

// Of returns the jobs of a service; hosted says whether it has a hosted-agent service to keep in step.
func Of(s *service.Service, hosted bool) []Job {
	actor := authz.OperatorActor()
	jobs := []Job{
		{Name: "store_token_uses", Every: time.Second, Last: true, Run: func(ctx context.Context) error { return s.StoreTokenUses(ctx, actor) }},
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
		{Name: "prune_portal_tokens", Every: time.Hour, Run: func(ctx context.Context) error {
			_, err := s.PrunePortalTokens(ctx, actor)
			return err
		}},
	}
	if hosted {
		jobs = append(jobs, Job{Name: "sync_git_mirrors", Every: time.Second, Run: func(ctx context.Context) error {
			_, err := s.SyncGitMirrors(ctx, actor)
			return err
		}})
	}
	return jobs
}

// Options configures Start.
type Options struct {
	Logger *slog.Logger
	// Observe, if set, is told of every run and its error.
	Observe func(job string, err error)
}

// Running is a set of jobs that have been started.
type Running struct {
	options Options
	jobs    []Job
	loops   sync.WaitGroup
	stop    context.CancelFunc // ends the loops
	abandon context.CancelFunc // breaks off the runs that stop does not
}

// Start starts the jobs, each in a loop of its own, so that a slow one does not hold up the others. A job
// that fails is run again; its error is logged when it changes, not at every run.
func Start(o Options, jobs []Job) *Running {
	if o.Observe == nil {
		o.Observe = func(string, error) {}
	}
	abandoned, abandon := context.WithCancel(context.Background())
	stopped, stop := context.WithCancel(abandoned)
	r := &Running{options: o, jobs: jobs, stop: stop, abandon: abandon}
	for _, job := range jobs {
		ctx := stopped
		if job.Last {
			ctx = abandoned
		}
		r.loops.Go(func() { r.loop(ctx, stopped.Done(), job) })
	}
	return r
}

// Stop ends the loops and runs the jobs that ask for it a last time. It waits for all of that, but breaks it
// off when ctx is done.
func (r *Running) Stop(ctx context.Context) {
	defer context.AfterFunc(ctx, r.abandon)()
	r.stop()
	r.loops.Wait()
	for _, job := range r.jobs {
		if !job.Last {
			continue
		}
		if err := r.run(ctx, job); err != nil {
			r.log(ctx, "the last run of a job failed", job, err)
		}
	}
	r.abandon()
}

func (r *Running) loop(ctx context.Context, stopped <-chan struct{}, job Job) {
	failure := ""
	for {
		err := r.run(ctx, job)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && err.Error() != failure:
			failure = err.Error()
			r.log(ctx, "a job fails; it will be run again", job, err)
		case err == nil && failure != "":
			failure = ""
			r.options.Logger.InfoContext(ctx, "a job works again", "job", job.Name)
		}
		select {
		case <-stopped:
			return
		case <-time.After(job.Every):
		}
	}
}

func (r *Running) log(ctx context.Context, message string, job Job, err error) {
	attrs := []slog.Attr{slog.String("job", job.Name), slog.String("error", domain.Explain(err))}
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

func (r *Running) run(ctx context.Context, job Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p, debug.Stack()}
		}
		r.options.Observe(job.Name, err)
	}()
	return job.Run(ctx)
}
