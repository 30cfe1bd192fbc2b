// Package graph serves the GraphQL API: the schema, its binding to what the service lets a caller see and do, and the
// HTTP endpoints of it and of portals. It imports internal/gql, internal/service, internal/httpcall, internal/markdown,
// internal/authz and internal/domain of ours.
package graph

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
	"penstock/internal/service/starts"
)

//go:embed schema/*.graphqls
var schemaFiles embed.FS

// Schema returns the text of the schema.
func Schema() string {
	names, err := fs.Glob(schemaFiles, "schema/*.graphqls")
	if err != nil {
		panic(err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := schemaFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// Options configures the API.
type Options struct {
	httpcall.Settings
	Service   *service.Service
	Agents    *agents.Service
	Builds    *builds.Service
	Artifacts *artifacts.Service
	Starts    *starts.Service
	Reader    *read.Reader
	BaseURL   string // without a slash at the end
	// MaxAnswer is how many bytes an answer may have; 0: 8 MiB.
	MaxAnswer int
	// RateLimit and RateLimitUser are how much complexity an organization and a user may use in five minutes; 0: no limit.
	RateLimit, RateLimitUser int
}

const (
	// DefaultMaxAnswer is Options.MaxAnswer unless that says otherwise.
	DefaultMaxAnswer = 8 << 20
	// documentTimeout is how long a document may run.
	documentTimeout = 10 * time.Second
	// maxStatements is how many statements the fields of a query, or of what a mutation selects, may need.
	maxStatements = 200
	// readPerAnswer is how many bytes may be read for each byte that an answer may have: things are read whole.
	readPerAnswer = 4
)

// API runs GraphQL documents.
type API struct {
	Options
	executor func() *gql.Executor // made with the schema when the first document comes
	turns    *turns
	limits   limits
}

// New returns the API.
func New(o Options) *API {
	o.Settings = o.WithDefaults()
	o.MaxAnswer = cmp.Or(o.MaxAnswer, DefaultMaxAnswer)
	a := &API{Options: o, turns: newTurns(o.Reader.Places()), limits: newLimits(o)}
	a.executor = sync.OnceValue(a.newExecutor)
	return a
}

// newExecutor binds the schema. That every field is bound depends on the program alone, so tests have seen it.
func (a *API) newExecutor() *gql.Executor {
	schema, err := bindSchema(a.BaseURL)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return gql.NewExecutor(schema, gql.Options{
		Timeout:   documentTimeout,
		MaxAnswer: a.MaxAnswer,
		Around:    a.runInSnapshot,
		Present:   a.present,
		EndsRequest: func(err error) bool {
			return domain.CodeOf(err) == domain.TooLarge || domain.CodeOf(err) == domain.RateLimited
		},
		Panicked: func(ctx context.Context, value any, stack []byte) {
			a.Logger.ErrorContext(ctx, "panic", requestIDAttr(ctx), slog.Any("panic", value),
				slog.String("stack", string(stack)))
		},
	})
}

// bindSchema binds the schema to what the service knows.
func bindSchema(baseURL string) (*gql.Schema, error) {
	b := gql.NewBuilder(Schema())
	b.DeclareScalar("DateTime", parseDateTime)
	for _, scalar := range []string{"JSON", "YAML", "PipelineSelector", "TeamSelector", "UserSelector"} {
		b.DeclareScalar(scalar, parseText)
	}
	bindQuery(b)
	bindPageInfo(b)
	bindPermission(b)
	bindUsers(b, baseURL)
	bindOrganizations(b)
	bindOrganizationMutations(b)
	bindInvitations(b)
	bindInvitationMutations(b)
	bindPortals(b)
	bindClusters(b)
	bindClusterMutations(b)
	bindPipelines(b, baseURL)
	bindAbsentTypes(b)
	bindPipelineSchedules(b)
	bindPipelineScheduleMutations(b)
	bindPipelineTemplates(b)
	bindUnclusteredTokens(b)
	bindBanners(b)
	bindPipelineTemplateMutations(b)
	bindRules(b)
	bindRuleMutations(b)
	bindPipelineMutations(b)
	bindTeams(b)
	bindTeamMutations(b)
	bindAuditEvents(b)
	bindBuilds(b, baseURL)
	bindBuildMutations(b)
	bindJobs(b, baseURL)
	bindJobMutations(b)
	bindAnnotations(b)
	bindAnnotationMutations(b)
	bindArtifacts(b)
	bindAgents(b)
	bindAgentMutations(b)
	return b.Build()
}

//go:generate env PENSTOCK_UPDATE=1 go test -count=1 -run TestPublishedSchemaIsCurrent .

// PublishedSchema returns the schema as it is published, in docs/schema.graphql.
func PublishedSchema() (string, error) {
	schema, err := bindSchema("")
	if err != nil {
		return "", err
	}
	return schema.String(), nil
}

// runInSnapshot runs the fields of a document in one snapshot, so that they see one state of the database.
func (a *API) runInSnapshot(ctx context.Context, run func(context.Context) error) error {
	limit := read.Limit{Statements: maxStatements, Bytes: readPerAnswer * int64(a.MaxAnswer)}
	return a.Reader.LimitedSnapshot(ctx, requestOf(ctx).actor, limit, func(r *read.Snapshot) error {
		return run(context.WithValue(ctx, readingKey{}, r))
	})
}

// Run runs a document in the name of an actor, whose limit is not looked at, and who need not wait for others.
//
// Returns RateLimited if an organization has used up its limit.
func (a *API) Run(ctx context.Context, actor authz.Actor, r gql.Request) (*gql.Result, error) {
	return a.execute(ctx, actor, a.newSpending(""), r)
}

// run runs the document of a request in flight.
//
// Returns Unavailable if too many others run, and RateLimited if the caller or an organization has used up a limit.
func (a *API) run(ctx context.Context, actor authz.Actor, turn *turn, s *spending, r gql.Request) (*gql.Result, error) {
	if err := s.checkCaller(); err != nil {
		return nil, err
	}
	end, err := turn.acquireRunning(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return a.execute(ctx, actor, s, r)
}

func (a *API) execute(ctx context.Context, actor authz.Actor, s *spending, r gql.Request) (*gql.Result, error) {
	asked := &request{a.Service, a.Agents, a.Builds, a.Artifacts, a.Starts, actor, a.BaseURL}
	ctx = core.OnEnter(context.WithValue(ctx, requestKey{}, asked), s.enter)
	result := a.executor().Execute(ctx, r)
	s.charge(result.Actual)
	if err := s.refusal(result.Operation); err != nil {
		return nil, err
	}
	return result, nil
}

// CheckDocument returns what is wrong with a document that is to be stored, if anything.
func (a *API) CheckDocument(query string) error {
	operations, errs := a.executor().Check(query)
	switch {
	case len(errs) > 0:
		return errs[0]
	case len(operations) == 0:
		return errors.New("the document has no operation")
	}
	return nil
}

// Operations returns the names of a document's operations, "" for one without; none of a document that the schema does
// not accept.
func (a *API) Operations(query string) (names []string) {
	operations, _ := a.executor().Check(query)
	for _, operation := range operations {
		names = append(names, operation.Name)
	}
	return names
}

// ExampleVariables returns variables with which an operation of an organization's portal could be run, as a JSON
// object; empty if there is no such operation.
func (a *API) ExampleVariables(organization, query, operation string) string {
	return a.executor().ExampleVariables(query, operation, map[string]string{
		"slug": organization, "org": organization, "organization": organization, "organizationSlug": organization,
		"name": "Example", "description": "What it is for", "branch": "main", "commit": "HEAD", "message": "Fix the tests",
		"key": "default", "emoji": ":rocket:",
		"color": "#a9cce3", "after": "", "before": "", "search": "",
	})
}

// CheckPortals returns an error that names the portals whose stored documents the schema does not accept.
func (a *API) CheckPortals(documents []domain.PortalDocument) error {
	var errs []error
	for _, d := range documents {
		if err := a.CheckDocument(d.Query); err != nil {
			errs = append(errs, errors.New("the portal "+d.Organization+"/"+d.Slug+" has a document that the schema does not "+
				"accept: "+err.Error()))
		}
	}
	return errors.Join(errs...)
}

const internalMessage = "Internal server error"

// present returns what a caller sees of an error. Only errors of the domain are theirs to know.
func (a *API) present(ctx context.Context, err error) string {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return e.Error()
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		a.Logger.ErrorContext(ctx, "internal error", requestIDAttr(ctx), slog.Any("error", err))
	}
	return internalMessage
}
