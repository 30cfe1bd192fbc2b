// Package rest serves the REST API, version 2: its endpoints, with the types of their bodies and answers. Each calls
// one operation of the service; internal/endpoint does the rest. It imports internal/service, internal/endpoint,
// internal/httpcall, internal/authz and internal/domain of ours.
package rest

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/endpoint/openapi"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/service/notices"
	"penstock/internal/service/starts"
)

// Options configures the API.
type Options struct {
	httpcall.Settings
	Service           *service.Service
	Agents            *agents.Service
	Builds            *builds.Service
	Logs              *logs.Service
	Artifacts         *artifacts.Service
	Starts            *starts.Service
	Notices           *notices.Service
	BaseURL           string // without a slash at the end
	Version           string // of the product, for the API description
	MetaWebhookIPs    []string
	RateLimitREST     int // requests a minute an organization; 0: no limit
	RateLimitRESTUser int // requests a minute a user; 0: no limit
	// GraphQLUse returns how much of its limit for GraphQL an organization has used.
	GraphQLUse func(domain.OrganizationID) httpcall.LimitUse
}

const (
	scheme  = "Bearer"
	maxBody = 1 << 20
)

// API is the handler of everything below /v2.
type API struct {
	Options
	handler           http.Handler
	organizationLimit *httpcall.Limiter
	userLimit         *httpcall.Limiter
	// What describes the API, and how that is sent, is made when it is first asked for.
	description     func() *openapi.Document
	descriptionJSON func() []byte
}

// New returns the API.
func New(o Options) *API {
	if o.GraphQLUse == nil {
		o.GraphQLUse = func(domain.OrganizationID) httpcall.LimitUse { return httpcall.LimitUse{} }
	}
	a := &API{Options: o, organizationLimit: httpcall.NewLimiter("rest", "RateLimit-", o.RateLimitREST, time.Minute),
		userLimit: httpcall.NewLimiter("rest_user", "RateLimit-User-", o.RateLimitRESTUser, time.Minute)}
	endpoints := a.endpoints()
	a.handler = endpoint.New(endpoint.Options{
		Settings: o.Settings,
		BaseURL:  o.BaseURL,
		Scheme:   scheme,
		NewActor: func(token string, address netip.Addr) authz.Actor {
			return authz.TokenActor(authz.REST, token, address)
		},
		Admit: o.Service.Admit,
		Unauthenticated: "Authentication required. Please supply a valid API Access Token: " + o.BaseURL +
			"/docs#authentication",
		MaxBody:           maxBody,
		CrossOrigin:       true,
		OrganizationLimit: a.organizationLimit,
		UserLimit:         a.userLimit,
	}, endpoints)
	a.description = sync.OnceValue(func() *openapi.Document { return a.describe(endpoints) })
	a.descriptionJSON = sync.OnceValue(func() []byte { return openapi.Marshal(a.description()) })
	return a
}

// Description returns the API's description of itself.
func (a *API) Description() *openapi.Document { return a.description() }

// ServeHTTP answers a request, always in JSON.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Admit finds out who sends a request that is none of the API, but has a token of it, and counts it against their rate
// limits.
func (a *API) Admit(ctx context.Context, c *httpcall.Call, actor authz.Actor, organization string) error {
	admitted, err := a.Service.Admit(ctx, actor, organization)
	if err != nil && admitted.User == "" {
		return err
	}
	if admitted.Organization == "" {
		organization = ""
	}
	if err := c.RecordCaller(admitted.User, organization); err != nil {
		return err
	}
	if admitted.Organization == "" {
		return cmp.Or(a.userLimit.CountRequest(string(admitted.User), c.Start, c.Header), err)
	}
	return cmp.Or(a.organizationLimit.CountRequest(string(admitted.Organization), c.Start, c.Header),
		a.userLimit.CountRequest(string(admitted.User), c.Start, c.Header), err)
}

// The paths of what belongs to something.
const (
	inOrganization = "/v2/organizations/{" + endpoint.OrganizationParameter + "}"
	inCluster      = inOrganization + "/clusters/{cluster}"
	inPipeline     = inOrganization + "/pipelines/{pipeline}"
	inTeam         = inOrganization + "/teams/{team}"
	inPortal       = inOrganization + "/portals/{portal}"
)

// endpoints returns the whole API.
func (a *API) endpoints() []endpoint.Endpoint {
	return slices.Concat(
		a.rootEndpoints(),
		a.identityEndpoints(),
		a.clusterEndpoints(),
		a.queueEndpoints(),
		a.agentTokenEndpoints(),
		a.clusterSecretEndpoints(),
		a.maintainerEndpoints(),
		a.cacheRegistryEndpoints(),
		a.auditEventEndpoints(),
		a.pipelineEndpoints(),
		a.buildEndpoints(),
		a.jobEndpoints(),
		a.logEndpoints(),
		a.artifactEndpoints(),
		a.annotationEndpoints(),
		a.stepUploadEndpoints(),
		a.agentEndpoints(),
		a.organizationSettingsEndpoints(),
		a.organizationBannerEndpoints(),
		a.rateLimitEndpoints(),
		a.emojiEndpoints(),
		a.settingsEndpoints(),
		a.memberEndpoints(),
		a.invitationEndpoints(),
		a.teamEndpoints(),
		a.teamMemberEndpoints(),
		a.teamPipelineEndpoints(),
		a.usageEndpoints(),
		a.portalEndpoints(),
		a.ruleEndpoints(),
		a.pipelineTemplateEndpoints(),
		a.pipelineScheduleEndpoints(),
		a.pipelineTriggerEndpoints(),
		a.repositoryConnectionEndpoints(),
		a.notificationServiceEndpoints(),
	)
}

// now returns the present time.
func (a *API) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

// readBody returns the request's body as the input of an operation, which convert makes of it.
func readBody[B, T any](c *endpoint.Call, convert func(B) T) core.Input[T] {
	return core.Sent(endpoint.ReadBody(c, convert))
}

// requireMatch returns the precondition that the request's If-Match states: that the thing is as the caller has seen
// it, in one of the ways in which it is shown.
func requireMatch[V, A any](c *endpoint.Call, shown ...func(V) A) *core.Precondition[V] {
	matches := endpoint.MatchTag(c, shown...)
	if matches == nil {
		return nil
	}
	return core.Expect(matches, errStale)
}

var errStale = domain.NewError(domain.PreconditionFailed, "The resource has changed since you last read it. Read it "+
	"again and retry with its new ETag.")
