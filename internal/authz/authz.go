// Package authz decides who may do what: a table of actions, and a function that looks into it. It
// does no I/O; the service passes it the facts, read in the transaction that they are used in. It
// imports only internal/domain of ours.
package authz

import (
	"net/netip"

	"penstock/internal/domain"
)

// Surface is the way by which a request came.
type Surface string

// The surfaces.
const (
	REST     Surface = "rest"
	GraphQL  Surface = "graphql"
	Portal   Surface = "portal"
	Web      Surface = "web"
	AgentAPI Surface = "agent"
	Operator Surface = "operator" // a command run by someone who can open the database
)

// CredentialKind is what a request proves with who asks.
type CredentialKind int

// The kinds of credentials.
const (
	APIToken CredentialKind = iota
	Session
	PortalToken
	AgentToken   // with which an agent registers
	AgentSession // of an agent that has registered
	JobToken     // of a job while an agent runs it
)

// Credential is a secret's hash. The zero Credential proves nothing.
type Credential struct {
	Kind CredentialKind
	Hash string
}

// Actor is who asks, as the request shows it: a credential that is yet to be verified, and where it
// came from. The zero Actor may do nothing.
type Actor struct {
	Surface    Surface
	Credential Credential
	Address    netip.Addr
	UserAgent  string

	Idempotency *Idempotency // nil: the request is carried out each time it is sent
}

// OperatorActor is the actor of an operator's command.
func OperatorActor() Actor { return Actor{Surface: Operator} }

// TokenActor is the actor of a request that carries an API token's value.
func TokenActor(surface Surface, value string, address netip.Addr) Actor {
	return Actor{Surface: surface, Credential: Credential{APIToken, domain.HashToken(value)}, Address: address}
}

// SessionActor is the actor of a signed-in user's request, with the value of the session's cookie.
func SessionActor(value string, address netip.Addr) Actor {
	return Actor{Surface: Web, Credential: Credential{Session, domain.HashToken(value)}, Address: address}
}

// VisitorActor is the actor of a browser's request that carries no session.
func VisitorActor(address netip.Addr) Actor { return Actor{Surface: Web, Address: address} }

// PortalActor is the actor of a request to a portal that carries a portal token's value.
func PortalActor(value string, address netip.Addr) Actor {
	return Actor{Surface: Portal, Credential: Credential{PortalToken, domain.HashToken(value)}, Address: address}
}

// AgentActor is the actor of a request to the agent API, with the value of one of its three kinds of tokens.
func AgentActor(kind CredentialKind, value string, address netip.Addr) Actor {
	return Actor{Surface: AgentAPI, Credential: Credential{kind, domain.HashToken(value)}, Address: address}
}

// Agent is an agent as a caller. It belongs to a cluster, and is no member of the cluster's organization.
type Agent struct {
	ID      domain.AgentID // "" while it registers
	Cluster domain.ClusterID
}

// Job is a job as a caller: what an agent runs calls with the job's token.
type Job struct {
	ID      domain.JobID
	Agent   domain.AgentID
	Cluster domain.ClusterID
}

// CallerKind is what a caller is.
type CallerKind int

// The kinds of callers.
const (
	UserCaller CallerKind = iota + 1
	PortalCaller
	AgentCaller
	JobCaller
)

// Identity is who an actor proved to be, and what they are in the organization that the request is about.
type Identity struct {
	Token        domain.APIToken     // of a session or a portal: what it has of one
	User         domain.User         // zero for a portal, unless a user runs it as themself
	Disabled     bool                // the user may not use the installation
	Portal       domain.PortalActor  // zero but for a portal
	Agent        Agent               // zero but for an agent
	Job          Job                 // zero but for a job
	Organization domain.Organization // zero when the request is about none, or it does not exist
	Role         domain.Role         // in the organization; "" for no member
	Granted      bool                // the token was granted the organization
}

// Kind returns what the caller is; 0 for nobody.
func (id *Identity) Kind() CallerKind {
	switch {
	case id.Job.ID != "":
		return JobCaller
	case id.Agent.Cluster != "":
		return AgentCaller
	case id.Portal.ID != "":
		return PortalCaller
	case id.User.ID != "":
		return UserCaller
	}
	return 0
}

// Admin reports whether the identity administers the organization.
func (id *Identity) Admin() bool { return id.Role == domain.RoleAdmin }

// Person returns the user who acts; nil for a portal that no user runs as themself.
func (id *Identity) Person() *domain.User {
	if id.User.ID == "" {
		return nil
	}
	return &id.User
}

// Creator returns who is to be named as the maker of what the identity makes: the user, or who made the portal; nil if
// they are gone.
func (id *Identity) Creator() *domain.User {
	if person := id.Person(); person != nil {
		return person
	}
	return id.Portal.Creator
}

// CreatorID returns the id of the Creator; "" for nobody.
func (id *Identity) CreatorID() domain.UserID {
	if creator := id.Creator(); creator != nil {
		return creator.ID
	}
	return ""
}

// Admission is who sends a request, as far as that is known before its operation runs.
type Admission struct {
	User         domain.UserID         // "" for a portal
	Organization domain.OrganizationID // "" if the request is about none, or one that they do not belong to
}

// Action is something that a caller can ask for.
type Action int

// The actions.
const (
	UseGraphQL Action = iota + 1
	ReadUser
	ReadAccessToken
	RevokeAccessToken
	ReadOrganization
	ReadRateLimit
	ReadEmojis
	ReadUsage
	ReadCluster
	SeeClusterManagement // the hosted-agent and default registry fields
	CreateCluster
	UpdateCluster
	SetDefaultCacheRegistry
	DeleteCluster
	ReadQueue
	WriteQueue
	ReadAgentToken
	WriteAgentToken
	ReadUnclusteredToken
	WriteUnclusteredToken
	ReadClusterSecret // without its value, which only jobs get
	WriteClusterSecret
	ReadMaintainer
	WriteMaintainer
	ReadNetworkRange
	ReadCacheRegistry
	WriteCacheRegistry
	DestroyCacheRegistry
	ReadAuditEvent
	ReadPipeline
	CreatePipeline
	WritePipeline
	ReadPipelineTrigger
	PublishPipeline // make one, or make it, public
	FavoritePipeline
	ReadPipelineTemplate // those that are not available: administrators only
	WritePipelineTemplate
	ReadRule
	WriteRule
	ReadTeam
	CreateTeam
	UpdateTeam
	DeleteTeam
	WriteTeamMember
	WriteTeamPipeline
	ReadMember
	WriteMember
	ReadInvitation
	WriteInvitation
	UpdateOrganization
	SeeOrganizationSettings
	ReadOrganizationSettings
	UpdateOrganizationSettings
	ReadOrganizationToken
	RevokeOrganizationToken
	ReadPortal
	WritePortal
	InvokePortal // as oneself, one that members may
	ReadBuild
	WriteBuild // create, cancel, rebuild, retry, annotate
	SaveView   // of builds, for oneself
	UnblockJob // also for who a block names
	ReadBuildLog
	DeleteBuildLog
	ReadJobEnv
	ReadArtifact
	DeleteArtifact
	ReadAgent
	WriteAgent
	ReadConnection // with hosts of repositories
	WriteConnection
	ReadService // of notifications
	WriteService
	ReadNotice    // what went out
	WriteNotice   // send it again
	ManageAccount // one's own: name, password, sessions, API access tokens
)

// rule says which scope a token needs for an action, and which users and portals may do it. Agents and jobs do nothing
// that is in the table for people.
type rule struct {
	scope domain.Scope
	may   func(*Identity, Facts) bool
}

// Facts is what a decision depends on besides the identity: what the user is to the thing that the action is about.
type Facts struct {
	Maintainer      bool // the user, or a team of theirs, maintains the cluster
	ManagesPipeline bool // the user created the pipeline, or a team of theirs has manage access to it
	BuildsPipeline  bool // the user created the pipeline, a team of theirs may build it, or no team has access to it
	TeamPrivacy     domain.TeamPrivacy
	TeamRole        domain.TeamRole // of the user in the team; "" for no member
}

var rules = map[Action]rule{
	UseGraphQL:                 {domain.ScopeGraphQL, anyone},
	ReadUser:                   {domain.ScopeReadUser, anyone},
	ReadAccessToken:            {"", anyone},
	RevokeAccessToken:          {"", anyone},
	ReadOrganization:           {domain.ScopeReadOrganizations, anyone},
	ReadRateLimit:              {"", anyone},
	ReadEmojis:                 {"", anyone},
	ReadUsage:                  {domain.ScopeReadOrganizations, anyone},
	ReadCluster:                {domain.ScopeReadClusters, anyone},
	SeeClusterManagement:       {"", manager},
	CreateCluster:              {domain.ScopeWriteClusters, clusterCreator},
	UpdateCluster:              {domain.ScopeWriteClusters, clusterWriter},
	SetDefaultCacheRegistry:    {domain.ScopeWriteClusters, manager},
	DeleteCluster:              {domain.ScopeWriteClusters, clusterWriter},
	ReadQueue:                  {domain.ScopeReadClusters, anyone},
	WriteQueue:                 {domain.ScopeWriteClusters, manager},
	ReadAgentToken:             {domain.ScopeReadClusters, manager},
	WriteAgentToken:            {domain.ScopeWriteClusters, manager},
	ReadUnclusteredToken:       {domain.ScopeReadClusters, admin},
	WriteUnclusteredToken:      {domain.ScopeWriteClusters, admin},
	ReadClusterSecret:          {domain.ScopeReadSecrets, manager},
	WriteClusterSecret:         {domain.ScopeWriteSecrets, manager},
	ReadMaintainer:             {domain.ScopeReadClusters, anyone},
	WriteMaintainer:            {domain.ScopeWriteClusters, manager},
	ReadNetworkRange:           {domain.ScopeReadClusters, manager},
	ReadCacheRegistry:          {domain.ScopeReadClusters, manager},
	WriteCacheRegistry:         {domain.ScopeWriteClusters, manager},
	DestroyCacheRegistry:       {domain.ScopeWriteClusters, registryDestroyer},
	ReadAuditEvent:             {domain.ScopeReadAuditEvents, admin},
	ReadPipeline:               {domain.ScopeReadPipelines, anyone},
	CreatePipeline:             {domain.ScopeWritePipelines, pipelineCreator},
	WritePipeline:              {domain.ScopeWritePipelines, pipelineManager},
	ReadPipelineTrigger:        {domain.ScopeReadPipelines, pipelineManager},
	PublishPipeline:            {domain.ScopeWritePipelines, pipelinePublisher},
	FavoritePipeline:           {domain.ScopeReadPipelines, user},
	ReadPipelineTemplate:       {domain.ScopeReadPipelineTemplates, anyone},
	WritePipelineTemplate:      {domain.ScopeWritePipelineTemplates, admin},
	ReadRule:                   {domain.ScopeReadRules, anyone},
	WriteRule:                  {domain.ScopeWriteRules, admin},
	ReadTeam:                   {domain.ScopeReadTeams, teamReader},
	CreateTeam:                 {domain.ScopeWriteTeams, admin},
	UpdateTeam:                 {domain.ScopeWriteTeams, teamMaintainer},
	DeleteTeam:                 {domain.ScopeWriteTeams, admin},
	WriteTeamMember:            {domain.ScopeWriteTeams, teamMaintainer},
	WriteTeamPipeline:          {domain.ScopeWriteTeams, pipelineManager},
	ReadMember:                 {domain.ScopeReadOrganizations, anyone},
	WriteMember:                {domain.ScopeWriteOrganizations, admin},
	ReadInvitation:             {domain.ScopeReadInvitations, admin},
	WriteInvitation:            {domain.ScopeWriteInvitations, portalAdmin},
	UpdateOrganization:         {domain.ScopeWriteOrganizations, admin},
	SeeOrganizationSettings:    {"", admin},
	ReadOrganizationSettings:   {domain.ScopeReadOrganizationSettings, admin},
	UpdateOrganizationSettings: {domain.ScopeWriteOrganizationSettings, admin},
	ReadOrganizationToken:      {domain.ScopeReadOrganizations, admin},
	RevokeOrganizationToken:    {domain.ScopeWriteOrganizations, admin},
	ReadPortal:                 {domain.ScopeReadPortals, portalAdmin},
	WritePortal:                {domain.ScopeWritePortals, portalAdmin},
	ReadBuild:                  {domain.ScopeReadBuilds, anyone},
	WriteBuild:                 {domain.ScopeWriteBuilds, pipelineBuilder},
	SaveView:                   {domain.ScopeReadBuilds, user},
	UnblockJob:                 {domain.ScopeWriteBuilds, anyone},
	ReadBuildLog:               {domain.ScopeReadBuildLogs, anyone},
	DeleteBuildLog:             {domain.ScopeWriteBuildLogs, pipelineBuilder},
	ReadJobEnv:                 {domain.ScopeReadJobEnv, anyone},
	ReadArtifact:               {domain.ScopeReadArtifacts, anyone},
	DeleteArtifact:             {domain.ScopeWriteArtifacts, pipelineBuilder},
	ReadAgent:                  {domain.ScopeReadAgents, anyone},
	WriteAgent:                 {domain.ScopeWriteAgents, manager},
	ReadConnection:             {domain.ScopeReadConnections, admin},
	WriteConnection:            {domain.ScopeWriteOrganizations, admin},
	ReadService:                {domain.ScopeReadServices, admin},
	WriteService:               {domain.ScopeWriteServices, admin},
	ReadNotice:                 {domain.ScopeReadOrganizations, admin},
	WriteNotice:                {domain.ScopeWriteOrganizations, admin},
	ManageAccount:              {"", anyone},
	InvokePortal:               {domain.ScopeGraphQL, noPortal},
}

func anyone(*Identity, Facts) bool { return true }

// user is anyone but a portal.
func user(id *Identity, _ Facts) bool { return id.User.ID != "" }

func admin(id *Identity, _ Facts) bool { return id.Admin() }

func manager(id *Identity, f Facts) bool { return id.Admin() || f.Maintainer }

func clusterCreator(id *Identity, _ Facts) bool {
	return id.Admin() || id.Organization.Settings.ClusterWrites == domain.ClusterWritesMembers
}

func clusterWriter(id *Identity, f Facts) bool {
	return manager(id, f) || id.Organization.Settings.ClusterWrites == domain.ClusterWritesMembers
}

func registryDestroyer(id *Identity, f Facts) bool {
	return id.Admin() || f.Maintainer && id.Organization.Settings.MaintainersCanDestroyCacheRegistries
}

func pipelineCreator(id *Identity, _ Facts) bool {
	return id.Admin() || id.Organization.Settings.MembersCanCreatePipelines
}

func pipelinePublisher(id *Identity, _ Facts) bool {
	return id.Admin() || id.Organization.Settings.PublicPipelinesEnabledAt != nil
}

func pipelineManager(id *Identity, f Facts) bool { return id.Admin() || f.ManagesPipeline }

// pipelineBuilder is who may create builds of a pipeline, and change them.
func pipelineBuilder(id *Identity, f Facts) bool {
	return id.Admin() || f.BuildsPipeline || f.ManagesPipeline
}

func teamReader(id *Identity, f Facts) bool {
	return id.Admin() || f.TeamPrivacy == domain.TeamVisible || f.TeamRole != ""
}

func teamMaintainer(id *Identity, f Facts) bool {
	return id.Admin() || f.TeamRole == domain.TeamRoleMaintainer
}

// portalAdmin is an administrator, and no portal with the rights of one: it would outlive its own end.
func portalAdmin(id *Identity, _ Facts) bool { return id.Admin() && id.Portal.ID == "" }

// noPortal is every member, and no portal.
func noPortal(id *Identity, _ Facts) bool { return id.Portal.ID == "" }

// ErrForbidden is the refusal of an action that the caller has no permission for.
var ErrForbidden = domain.NewError(domain.Forbidden, "Forbidden")

// CheckScope returns a Forbidden error that names the scope if the actor's token lacks the one that the action needs.
// Who uses GraphQL needs the scope for that and no other; sessions and portals have no scopes.
func CheckScope(a Actor, id *Identity, action Action) error {
	scope := rules[action].scope
	switch {
	case a.Credential.Kind != APIToken:
		return nil
	case a.Surface == GraphQL:
		scope = domain.ScopeGraphQL
	}
	if scope == "" || id.Token.Scopes.Has(scope) {
		return nil
	}
	return domain.NewError(domain.Forbidden, "Your access token doesn't have the "+string(scope)+" scope")
}

// Check returns ErrForbidden unless the identity, a member of its organization, may do the action. It
// does not look at scopes.
func Check(id *Identity, action Action, on Facts) error {
	r, ok := rules[action]
	person := id.Kind() == UserCaller || id.Kind() == PortalCaller
	if !ok || !person || !r.may(id, on) {
		return ErrForbidden
	}
	return nil
}

// CheckOperator returns ErrForbidden unless the actor is an operator's command.
func CheckOperator(a Actor) error {
	if a.Surface != Operator {
		return ErrForbidden
	}
	return nil
}

// CheckBrowser returns ErrForbidden unless the request came from a browser, signed in or not.
func CheckBrowser(a Actor) error {
	if a.Surface != Web {
		return ErrForbidden
	}
	return nil
}

// CheckSession returns ErrForbidden unless the actor is a signed-in user, at a browser: a token must not do what makes
// tokens.
func CheckSession(a Actor) error {
	if a.Surface != Web || a.Credential.Kind != Session {
		return ErrForbidden
	}
	return nil
}
