// Package server is the composition root: it puts the configuration, the database, the service, the surfaces,
// the loops, logs, metrics and traces together, and takes them apart in order. It may import everything of
// ours but cmd.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"penstock/internal/agentapi"
	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/bootstrap"
	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/hosted"
	"penstock/internal/httpcall"
	"penstock/internal/loops"
	"penstock/internal/mailer"
	"penstock/internal/outbound"
	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/apply"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/service/notices"
	"penstock/internal/service/read"
	"penstock/internal/service/starts"
	"penstock/internal/wake"
	"penstock/internal/web"
)

// Areas are the services that run builds.
type Areas struct {
	Agents    *agents.Service
	Builds    *builds.Service
	Logs      *logs.Service
	Artifacts *artifacts.Service
}

// Options is what Run needs.
type Options struct {
	Config   config.Config
	Version  string
	Stdout   io.Writer // gets one line when the server is ready
	Stderr   io.Writer // gets the logs
	Warnings []string  // found while the configuration was read; logged

	// Listener, if set, is listened on instead of Config.Listen. Run closes it.
	Listener net.Listener
	// Declared, if set, is applied instead of the file Config.Bootstrap.
	Declared *bootstrap.File
	// Prepare, if set, is called before requests are answered.
	Prepare func(context.Context, *service.Service) error
	// Forge, if set, is the folder of a Gitea that Demo runs beside the server.
	Forge string
	// Wrap, if set, is put around what answers requests.
	Wrap func(http.Handler) http.Handler
	// Fill, if set, is called after that, to make example builds.
	Fill func(context.Context, Areas, *db.DB) error
	// Ready, if set, is called after the line was printed, with the URL in it.
	Ready func(url string)
}

const (
	loopsTimeout = 5 * time.Second // for the loops to end
	flushTimeout = 5 * time.Second // for the last traces to be sent
	waitingGrace = 5 * time.Second // for callers to send what they began, and to read what they asked for
)

// Run runs a server until ctx is done. It then turns unready, stops accepting, finishes what is in flight,
// stops the loops, closes the database, and returns nil. An error says what to change.
func Run(ctx context.Context, o Options) (err error) {
	if o.Listener != nil {
		defer func() { _ = o.Listener.Close() }()
	}
	if err := o.Config.Validate(); err != nil {
		return err
	}
	boundMemory()
	traced, err := tracesWanted(os.LookupEnv)
	if err != nil {
		return err
	}
	s := &server{Options: o, metrics: newMetrics(o.Version), logger: newLogger(o.Stderr, o.Config, traced)}
	s.calls = httpcall.Settings{TrustedProxies: o.Config.TrustedProxies, Logger: s.logger,
		Observe: s.metrics.observeRequest}.WithDefaults()
	slog.SetDefault(s.logger)
	if traced {
		if s.tracing, err = newTracing(o.Version, s.logger); err != nil {
			return err
		}
	}
	defer s.flushTraces()
	for _, warning := range o.Warnings {
		s.logger.WarnContext(ctx, warning)
	}
	s.logger.InfoContext(ctx, "starting", "version", o.Version, "config", o.Config)

	if o.Declared == nil && o.Config.Bootstrap != "" {
		if s.Declared, err = readBootstrap("--bootstrap", o.Config.Bootstrap); err != nil {
			return err
		}
	}
	err = openDatabase(ctx, s.databaseOptions(), func(d *db.DB) error { return s.start(ctx, d) })
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		s.logger.InfoContext(ctx, "stopped before it was ready")
		return nil
	}
	return err
}

type server struct {
	Options
	logger    *slog.Logger
	calls     httpcall.Settings // what the calls of all surfaces share
	metrics   *metrics
	tracing   *tracing // nil: off
	documents *graph.API
	reader    *read.Reader
	waker     *wake.Waker
	agents    *agents.Service
	builds    *builds.Service
	logs      *logs.Service
	artifacts *artifacts.Service
	caches    *caches.Service
	starts    *starts.Service
	notices   *notices.Service
	api       *rest.API
	blobs     blob.Store // of logs and artifacts
}

func (s *server) databaseOptions() db.Options {
	o := databaseOptions(s.Config)
	o.Application = db.ServerApplication
	o.Exclusive = o.URL == "" // many nodes share a PostgreSQL
	o.Observe = s.metrics.observeWait
	o.Report = func(err error) {
		if err == nil {
			s.logger.Info("the database is back")
			return
		}
		s.logger.Error("the database cannot be relied on", "error", err)
	}
	return o
}

// start brings the database up to date, and serves.
func (s *server) start(ctx context.Context, d *db.DB) error {
	migrated, err := d.Migrate(ctx)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if migrated > 0 {
		s.logger.InfoContext(ctx, "migrated the database", "steps", migrated, "schema", db.Latest())
	}
	if int64(migrated) == db.Latest() {
		s.logger.WarnContext(ctx, "the database was empty: this is a new installation. If you expected data, check --data "+
			"and --database")
	}
	s.metrics.observeDatabase(d)
	if err := s.openBlobs(ctx); err != nil {
		return err
	}
	defer s.startWaker(ctx, d)()
	keyring, err := s.openKeyring(ctx, d)
	if err != nil {
		return err
	}
	shared := core.New(core.Options{DB: d, Keyring: keyring, Logger: s.logger, UsageTimeout: s.Config.UsageTimeout,
		Publish: s.waker.Publish, Subscribe: s.subscribe, ObserveItem: s.metrics.observeItem})
	s.reader = read.New(shared)
	o := service.Options{
		Core: shared,
		Joining: domain.SSOJoining{Domains: s.Config.OIDCAllowedDomains, Organization: s.Config.OIDCOrganization,
			Role: domain.Role(s.Config.OIDCRole)},
		ActivityRetentionDays: s.Config.ActivityRetentionDays,
	}
	o.SendsMail = s.Config.SMTPAddress != ""
	if url := s.Config.HostedAgentsURL; url != "" {
		o.Hosted = hosted.NewClient(url.Reveal())
	}
	// The GraphQL API needs the service, which needs it to check what portals are to run.
	o.CheckDocument = func(query string) error { return s.documents.CheckDocument(query) }
	svc := service.New(o)
	if s.Declared != nil {
		result, err := apply.File(ctx, shared, authz.OperatorActor(), s.Declared)
		if err != nil {
			return bootstrapError(err)
		}
		s.logger.InfoContext(ctx, "applied the bootstrap file", "made", result.Applied, "existing", result.Existing)
		for _, fault := range result.Skipped {
			s.logger.WarnContext(ctx, "skipped an item of the bootstrap file", "line", fault.Line, "item", fault.Path, "reason",
				fault.Reason)
		}
	}
	if s.Prepare != nil {
		if err := s.Prepare(ctx, svc); err != nil {
			return err
		}
	}
	listener := s.Listener
	if listener == nil {
		if listener, err = listen(ctx, s.Config.Listen); err != nil {
			return err
		}
	}
	url := "http://" + reachableAddress(s.Config.Listen, listener)
	base := cmp.Or(strings.TrimRight(s.Config.BaseURL, "/"), url)
	send, mail, err := s.newMailer(base)
	if err != nil {
		return err
	}
	client, err := outbound.New(outbound.Options{Allow: s.Config.OutboundAllow, CAFile: s.Config.OutboundCA,
		Proxy: http.ProxyFromEnvironment})
	if err != nil {
		return fmt.Errorf("the certificates cannot be read; check --outbound-ca: %w", err)
	}
	s.notices = notices.New(notices.Options{Core: shared, Client: client, BaseURL: base,
		Mail: mail,
		Render: func(ctx context.Context, subject domain.EventSubject) (domain.RenderedEvent, error) {
			return s.api.RenderEvent(ctx, authz.OperatorActor(), subject)
		}})
	shared.Events = s.notices
	if err := s.notices.LoadListeners(ctx, authz.OperatorActor()); err != nil {
		return err
	}
	s.logs = logs.New(logs.Options{Core: shared, Blobs: s.blobs})
	s.artifacts = artifacts.New(artifacts.Options{Core: shared, Blobs: s.blobs, BaseURL: base})
	s.caches = caches.New(shared)
	s.agents = agents.New(shared)
	s.builds = builds.New(builds.Options{Core: shared, BaseURL: base})
	notices.EvaluateWith(s.notices, s.builds.VariablesOf)
	if s.Fill != nil {
		if err := s.Fill(ctx, Areas{s.agents, s.builds, s.logs, s.artifacts}, d); err != nil {
			return err
		}
	}
	s.starts = starts.New(starts.Options{Core: shared, Client: client, BaseURL: base})
	all := slices.Concat(loops.ForService(svc, o.Hosted != nil, send, s.metrics.observeSetAside),
		loops.ForAgents(s.agents), loops.ForBuilds(s.builds), loops.ForLogs(s.logs), loops.ForArtifacts(s.artifacts),
		loops.ForCaches(s.caches),
		loops.ForStarts(s.starts), loops.ForNotices(s.notices))
	s.api = s.newAPI(base, svc)
	running := loops.Start(loops.Options{Logger: s.logger, Observe: s.metrics.observeLoop}, all)
	err = s.serve(ctx, listener, url, base, svc)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), loopsTimeout)
	defer cancel()
	running.Stop(stopping)
	if err := s.agents.SignOff(stopping, authz.OperatorActor()); err != nil {
		s.logger.WarnContext(ctx, "the server could not sign off; its agents are lost later if they are gone", "error", err)
	}
	return err
}

// startWaker connects this server to the others on its database, until the function that it returns is called.
func (s *server) startWaker(ctx context.Context, d *db.DB) (stop func()) {
	s.waker = wake.New(d, s.logger)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // until the last requests have been answered
	var ended sync.WaitGroup
	ended.Go(func() { s.waker.Run(ctx) })
	return func() {
		cancel()
		ended.Wait()
	}
}

// subscribe returns what gets a value when a topic is published, until stop is called.
func (s *server) subscribe(topic string) (changed <-chan struct{}, stop func()) {
	subscription := s.waker.Subscribe(topic)
	return subscription.C, subscription.Close
}

// newMailer returns what mails invitations, and what mails about builds; nil if nothing does. Why a mail could not be
// sent is logged: users see less.
func (s *server) newMailer(base string) (loops.SendInvitation, notices.SendMail, error) {
	if s.Config.SMTPAddress == "" {
		return nil, nil, nil
	}
	m, err := mailer.New(mailer.Options{Address: s.Config.SMTPAddress, TLS: s.Config.SMTPTLS, User: s.Config.SMTPUser,
		Password: s.Config.SMTPPassword, From: s.Config.SMTPFrom, BaseURL: base})
	return func(ctx context.Context, invitation domain.InvitationMail) error {
		err := m.SendInvitation(ctx, invitation)
		if err != nil {
			s.logger.WarnContext(ctx, "an invitation was not mailed", "error", domain.Explain(err))
		}
		return err
	}, m.Send, err
}

// serve answers requests until ctx is done and those in flight are finished. Clients on this machine reach it at url,
// all others at base.
func (s *server) serve(ctx context.Context, listener net.Listener, url, base string, svc *service.Service) error {
	if s.Config.BaseURL == "" && s.listensEverywhere() {
		s.logger.WarnContext(ctx, "URLs in answers begin with "+url+"; set --base-url to how clients reach the server")
	}
	if err := s.openGraphQL(ctx, base, svc); err != nil {
		return err
	}
	limits := s.newLimits(ctx)
	root := s.newHandler(base, svc, limits)
	var handler http.Handler = root
	if s.Wrap != nil {
		handler = s.Wrap(root)
	}
	// The times bound what a slow client can hold on to.
	httpServer := &http.Server{
		Handler:           handler,
		ConnContext:       limits.AddConnection,
		ConnState:         limits.TrackConnection,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// OPTIONS * is answered as any other path that does not exist.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- httpServer.Serve(listener) }()
	s.agents.SetReady(time.Now())
	s.logger.InfoContext(ctx, "ready", "listen", listener.Addr().String(), "base-url", base)
	if _, err := fmt.Fprintf(s.Stdout, "penstock is ready at %s\n", url); err != nil {
		s.logger.WarnContext(ctx, "the ready line could not be printed", "error", err)
	}
	if err := s.offerSetup(ctx, base, svc); err != nil {
		s.logger.WarnContext(ctx, "the link to set up the installation could not be made", "error", err)
	}
	if s.Ready != nil {
		s.Ready(url)
	}
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return s.shutDown(context.WithoutCancel(ctx), httpServer, root)
}

// openGraphQL makes the GraphQL API. It fails if what a portal runs does not fit the schema of this version.
func (s *server) openGraphQL(ctx context.Context, base string, svc *service.Service) error {
	s.documents = graph.New(graph.Options{
		Settings:  s.calls,
		Service:   svc,
		Agents:    s.agents,
		Builds:    s.builds,
		Artifacts: s.artifacts,
		Starts:    s.starts,
		Reader:    s.reader,
		BaseURL:   base,

		MaxAnswer:     s.Config.MaxGraphQLAnswer,
		RateLimit:     s.Config.RateLimitGraphQL,
		RateLimitUser: s.Config.RateLimitGraphQLUser,
	})
	documents, err := svc.PortalDocuments(ctx, authz.OperatorActor())
	if err != nil {
		return err
	}
	return s.documents.CheckPortals(documents)
}

// newAPI returns the REST API, which also writes what webhooks are sent.
func (s *server) newAPI(base string, svc *service.Service) *rest.API {
	return rest.New(rest.Options{
		Settings:          s.calls,
		Service:           svc,
		Agents:            s.agents,
		Builds:            s.builds,
		Logs:              s.logs,
		Artifacts:         s.artifacts,
		Starts:            s.starts,
		Notices:           s.notices,
		BaseURL:           base,
		Version:           s.Version,
		MetaWebhookIPs:    s.Config.MetaWebhookIPs,
		RateLimitREST:     s.Config.RateLimitREST,
		RateLimitRESTUser: s.Config.RateLimitRESTUser,
		GraphQLUse:        func(id domain.OrganizationID) httpcall.LimitUse { return s.documents.OrganizationUse(id) },
	})
}

// newHandler puts the surfaces together.
func (s *server) newHandler(base string, svc *service.Service, limits *httpcall.Limits) *root {
	pages := web.Options{
		Settings:      s.calls,
		Service:       svc,
		Agents:        s.agents,
		Builds:        s.builds,
		Logs:          s.logs,
		Artifacts:     s.artifacts,
		Caches:        s.caches,
		Starts:        s.starts,
		Notices:       s.notices,
		Reader:        s.reader,
		BaseURL:       base,
		OpenAPI:       s.api.Description,
		GraphQLSchema: graph.Schema(),
		RunPortal:     s.documents.RunPortal,
		Operations:    s.documents.Operations,
		Examples:      s.documents.ExampleVariables,
		GraphQL:       s.documents.Console,
		HostedAgents:  s.Config.HostedAgentsURL != "",
		SendsMail:     s.Config.SMTPAddress != "",
	}
	if s.Config.OIDCIssuer != "" {
		pages.OIDC = &web.OIDC{Issuer: s.Config.OIDCIssuer, ClientID: s.Config.OIDCClientID,
			ClientSecret: s.Config.OIDCClientSecret}
	}
	h := &root{stopping: make(chan struct{})}
	pages.Closing = h.stopping
	agentAPI := agentapi.New(agentapi.Options{Settings: s.calls, Agents: s.agents, Builds: s.builds, Logs: s.logs,
		Artifacts: s.artifacts, Caches: s.caches, BaseURL: base, Version: s.Version, Waker: s.waker,
		Dispatcher: dispatch.New(s.builds, s.waker, s.logger), Closing: h.stopping})
	links := pipelineLinks{service: svc, starts: s.starts, calls: s.calls}
	*h = root{
		prefix:   basePath(base),
		stopping: h.stopping,
		streams:  http.NotFoundHandler(),
		pages:    s.tracing.wrap(web.New(pages)),
		surfaces: map[string]http.Handler{
			"v1":     s.tracing.wrap(s.documents),
			"v2":     s.tracing.wrap(s.api),
			"portal": s.tracing.wrap(s.documents.Portals()),
			"v3":     s.tracing.wrap(agentAPI),

			"avatars": h.showPictures("/avatars/{id}", web.Avatar),
			"emojis":  h.showPictures("/emojis/{code}", web.EmojiPicture),
		},
		links:      map[string]answerToken{"badges": links.showBadge, "deliver": links.receiveDelivery},
		feeds:      &feeds{builds: s.builds, api: s.api, baseURL: base, calls: s.calls},
		identities: &identities{builds: s.builds, baseURL: base, calls: s.calls},
		metrics:    s.metrics.handler(),
		ready:      s.newReadiness(svc),
		calls:      s.calls,
		limits:     limits,
	}
	if s.Config.Streaming {
		h.streams = agentAPI
	}
	h.requireReserved()
	h.calls.Level = slog.LevelDebug // probes come every few seconds
	s.metrics.observeLimits(limits)
	return h
}

// blobsReadyFor is for how long it is not asked again whether logs and artifacts can be stored.
const blobsReadyFor = 10 * time.Second

// newReadiness returns a function that says why the server cannot work. It is not safe for concurrent use.
func (s *server) newReadiness(svc *service.Service) func(context.Context) error {
	blobs := &rememberedCheck{check: s.readyBlobs, good: blobsReadyFor}
	return func(ctx context.Context) error {
		if err := svc.Ready(ctx, authz.Actor{}); err != nil {
			return err
		}
		return blobs.run(ctx)
	}
}

// basePath returns the path of a base URL, which config has checked.
func basePath(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}

// offerSetup logs the link with which an installation without users is set up.
func (s *server) offerSetup(ctx context.Context, base string, svc *service.Service) error {
	link, err := svc.OpenSetup(ctx, authz.OperatorActor())
	if err != nil || link == "" {
		return err
	}
	address := base + web.SetupPath + link.Reveal()
	s.logger.WarnContext(ctx, "no users yet: open this link within a day to set up Penstock", "url", address)
	_, err = fmt.Fprintf(s.Stdout, "\n  Nobody can sign in yet. To set up Penstock, open this link within a day:\n\n "+
		" %s\n\n", address)
	return err
}

// shutDown turns unready, stops accepting, and waits for the requests in flight.
func (s *server) shutDown(ctx context.Context, httpServer *http.Server, h *root) error {
	s.logger.InfoContext(ctx, "stopping", "in_flight", h.limits.InFlight())
	h.draining.Store(true)
	if s.Config.ShutdownDelay > 0 {
		httpServer.SetKeepAlivesEnabled(false)
		<-time.After(s.Config.ShutdownDelay)
	}
	ctx, cancel := context.WithTimeout(ctx, s.Config.ShutdownTimeout)
	defer cancel()
	close(h.stopping)
	h.limits.StopWaiting(waitingGrace)
	if err := httpServer.Shutdown(ctx); err != nil {
		_ = httpServer.Close()
		return fmt.Errorf("requests were still in flight after %s and were broken off; give them more time with "+
			"--shutdown-timeout",
			s.Config.ShutdownTimeout)
	}
	s.logger.InfoContext(ctx, "stopped")
	return nil
}

// listensEverywhere reports whether the server listens on all addresses of the machine, none of which is its own.
func (s *server) listensEverywhere() bool {
	host, _, _ := net.SplitHostPort(s.Config.Listen)
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

func (s *server) flushTraces() {
	if s.tracing == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := s.tracing.provider.Shutdown(ctx); err != nil {
		s.logger.WarnContext(ctx, "the last traces were not sent", "error", err)
	}
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{Control: deferSilentConnections}).Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use; stop what listens there, or choose another port with --listen: %w", address,
			err)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s may not be listened on by this user; choose a port from 1024 with --listen: %w", address,
			err)
	default:
		return nil, fmt.Errorf("cannot listen on %s; choose an address of this machine with --listen: %w", address, err)
	}
}

// reachableAddress returns the address that clients on this machine reach the listener at: the configured host, and
// the port that it really has.
func reachableAddress(configured string, listener net.Listener) string {
	host, _, _ := net.SplitHostPort(configured)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if host == "" {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// readBootstrap reads the bootstrap file that a flag names.
func readBootstrap(flag, name string) (*bootstrap.File, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the bootstrap file cannot be read; check %s: %w", flag, err)
	}
	file, err := bootstrap.Parse(name, source, os.LookupEnv)
	if err != nil {
		return nil, bootstrapError(err)
	}
	return file, nil
}

// bootstrapError puts the faults, which have a line each, below a line of their own.
func bootstrapError(err error) error {
	return fmt.Errorf("the bootstrap file cannot be applied:\n%w", err)
}
