package service_test

import (
	"cmp"
	"context"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// permissionActors are the columns of the matrix: nobody; tokens with all scopes of a member, a maintainer of the
// cluster, a member of a team that maintains it, an administrator, and an administrator of another organization;
// tokens of the administrator with all read scopes, with all write scopes, without organizations, and revoked; and
// an operator's command.
const permissionActors = "nobody member maintainer teammate admin outsider reads writes ungranted revoked operator"

// The rows that occur often.
const (
	//                    nobody member maintainer teammate admin outsider reads writes ungranted revoked operator
	everyone           = "ok     ok     ok         ok       ok    ok       ok    ok     ok        ok      ok"
	operatorsOnly      = "deny   deny   deny       deny     deny  deny     deny  deny   deny      deny    ok"
	ownToken           = "anon   ok     ok         ok       ok    ok       ok    ok     ok        anon    anon"
	usesGraphQL        = "anon   ok     ok         ok       ok    ok       scope scope  ok        anon    anon"
	ownThingsRead      = "anon   ok     ok         ok       ok    ok       ok    scope  ok        anon    anon"
	membersUse         = "anon   ok     ok         ok       ok    none     ok    ok     none      anon    anon"
	membersRead        = "anon   ok     ok         ok       ok    none     ok    scope  none      anon    anon"
	membersWrite       = "anon   ok     ok         ok       ok    none     scope ok     none      anon    anon"
	managersRead       = "anon   deny   ok         ok       ok    none     ok    scope  none      anon    anon"
	managersWrite      = "anon   deny   ok         ok       ok    none     scope ok     none      anon    anon"
	teamRead           = "anon   hidden ok         ok       ok    none     ok    scope  none      anon    anon"
	administratorRead  = "anon   deny   deny       deny     ok    none     ok    scope  none      anon    anon"
	administratorWrite = "anon   deny   deny       deny     ok    none     scope ok     none      anon    anon"

	everyonesRefusal  = "anon anon anon anon anon anon anon anon anon anon anon"
	everyoneFindsNone = "lost lost lost lost lost lost lost lost lost lost lost"

	// What lets a portal do more: its scope is not enough.
	administratorEmpowers = "anon deny deny deny ok none scope scope none anon anon"
	// What members do with portals, with tokens and at a browser only.
	membersInvoke  = "anon ok ok ok ok none scope scope none anon anon"
	browsersInvoke = "anon deny deny deny deny none scope scope none anon anon"

	teamMaintainersWrite       = "anon deny   ok deny ok none scope ok none anon anon"
	secretTeamMaintainersWrite = "anon hidden ok deny ok none scope ok none anon anon"
	pipelineManagersWrite      = "anon ok     deny ok ok none scope ok none anon anon"
)

// permissionTarget is what the calls are about: a new cluster that the maintainer and the team maintain, and what is in it.
type permissionTarget struct {
	domain.ClusterRef
	queue, pausedQueue, token, secret, maintainer, registry, event string
	apiToken                                                       string // the administrator's; not an actor's

	// Teams in which the maintainer is one and the teammate a member. The first may manage the pipeline.
	team, secretTeam domain.TeamRef
	teamPipeline     string
	joined           string // a user who is a member
	invitation       string

	// Pipelines that the member made, for a team of the teammate.
	pipeline, archivedPipeline domain.PipelineRef
	pipelineTokens             domain.Pipeline

	// A build of the pipeline, with a job that an agent runs, and that has been tried before.
	build, job, retriedJob, jobEvent, agent, annotation, artifact string

	cacheEntry string // of the registry

	rule, template, schedule string
	unclustered, banner      string

	// A portal with what belongs to it, and who uses it.
	portal                    domain.PortalRef
	portalToken, portalSecret string
	ownPortalToken            string // the administrator's
	portalActor               authz.Actor
	portalGrant               domain.PortalGrant
	portalCode                domain.PortalCode
}

// permissionCase is a row of the matrix.
type permissionCase struct {
	method    string
	outcomes  string
	call      func(ctx context.Context, s *service.Service, actor authz.Actor, at permissionTarget) error
	settings  string // of the organization; empty: the usual ones
	teams     bool   // the target has teams, and what goes with them
	pipelines bool   // the target has pipelines
	portals   bool   // the target has a portal
	portal    string // what comes of a call by a portal, if portalOutcome does not know
	session   string // what comes of a call by the signed-in administrator, if sessionOutcome does not know
	visitor   string // what comes of a call by a browser in which nobody is signed in, if visitorOutcome does not know
}

// sessionOutcome returns what comes of a call by the signed-in administrator: what comes of one with a token that has all scopes.
func (c permissionCase) sessionOutcome() string {
	return cmp.Or(c.session, strings.Fields(c.outcomes)[slices.Index(strings.Fields(permissionActors), "admin")])
}

// visitorOutcome returns what comes of a call by a browser in which nobody is signed in: what comes of one by nobody.
func (c permissionCase) visitorOutcome() string {
	return cmp.Or(c.visitor, strings.Fields(c.outcomes)[slices.Index(strings.Fields(permissionActors), "nobody")])
}

// portalOutcome returns what comes of a call by a portal of the organization: there it has an administrator's rights, and
// elsewhere it is nobody.
func (c permissionCase) portalOutcome() string {
	names, outcomes := strings.Fields(permissionActors), strings.Fields(c.outcomes)
	switch {
	case c.portal != "":
		return c.portal
	case outcomes[slices.Index(names, "outsider")] == "none":
		return outcomes[slices.Index(names, "admin")]
	}
	return outcomes[slices.Index(names, "nobody")]
}

const (
	usualSettings          = `cluster_writes = 'members', maintainers_can_destroy_cache_registries = true, members_can_create_pipelines = true`
	managersChangeClusters = `cluster_writes = 'managers'`
	adminsDestroy          = `maintainers_can_destroy_cache_registries = false`
	adminsCreatePipelines  = `members_can_create_pipelines = false`
)

var permissionCases = []permissionCase{
	{method: "Ready", outcomes: everyone, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.Ready(ctx, a)
	}},
	{method: "User", outcomes: ownThingsRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.User(ctx, a)
		return err
	}},
	{method: "AccessToken", outcomes: ownToken, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, _, err := s.AccessToken(ctx, a)
		return err
	}},
	{method: "RevokeAccessToken", outcomes: ownToken, session: "anon", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.RevokeAccessToken(ctx, a, nil)
	}},
	{
		method: "Admit", outcomes: "anon ok ok ok ok ok ok ok ok anon ok", portal: "ok", visitor: "ok",
		call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
			_, err := s.Admit(ctx, a, at.Organization.Slug)
			return err
		},
	},
	{method: "CheckGraphQL", outcomes: usesGraphQL, portal: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.CheckGraphQL(ctx, a)
	}},
	{method: "Organizations", outcomes: ownThingsRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.Organizations(ctx, a, onePage)
		return err
	}},
	{method: "Organization", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Organization(ctx, a, at.Organization.Slug)
		return err
	}},

	{method: "Emojis", outcomes: membersUse, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Emojis(ctx, a, at.Organization.Slug)
		return err
	}},
	{method: "LimitedOrganization", outcomes: membersUse, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.LimitedOrganization(ctx, a, at.Organization.Slug)
		return err
	}},
	{method: "Clusters", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Clusters(ctx, a, at.Organization.Slug, onePage)
		return err
	}},
	{method: "Cluster", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Cluster(ctx, a, at.ClusterRef)
		return err
	}},
	{method: "CreateCluster", outcomes: membersWrite, call: createsCluster},
	{method: "CreateCluster", outcomes: administratorWrite, call: createsCluster, settings: managersChangeClusters},
	{method: "UpdateCluster", outcomes: membersWrite, call: renamesCluster},
	{method: "UpdateCluster", outcomes: managersWrite, call: renamesCluster, settings: managersChangeClusters},
	{method: "UpdateCluster", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateCluster(ctx, a, at.ClusterRef, core.Value(domain.ClusterPatch{DefaultCacheRegistryID: domain.Some(at.registry)}), nil)
		return err
	}},
	{method: "DeleteCluster", outcomes: membersWrite, call: deletesCluster},
	{method: "DeleteCluster", outcomes: managersWrite, call: deletesCluster, settings: managersChangeClusters},

	{method: "Queues", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Queues(ctx, a, at.ClusterRef, onePage)
		return err
	}},
	{method: "Queue", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Queue(ctx, a, at.ClusterRef, at.queue)
		return err
	}},
	{method: "CreateQueue", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CreateQueue(ctx, a, at.ClusterRef, core.Value(domain.QueueInput{Key: domain.Some("another")}))
		return err
	}},
	{method: "UpdateQueue", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateQueue(ctx, a, at.ClusterRef, at.queue, core.Value(domain.QueueInput{QueueSettingsInput: domain.QueueSettingsInput{Description: domain.Some("Changed")}}), nil)
		return err
	}},
	{method: "PauseQueue", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.PauseQueue(ctx, a, at.ClusterRef, at.queue, core.Value(domain.Some("why")))
		return err
	}},
	{method: "ResumeQueue", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.ResumeQueue(ctx, a, at.ClusterRef, at.pausedQueue)
		return err
	}},
	{method: "DeleteQueue", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeleteQueue(ctx, a, at.ClusterRef, at.queue, nil)
	}},

	{method: "AgentTokens", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AgentTokens(ctx, a, at.ClusterRef, onePage)
		return err
	}},
	{method: "AgentToken", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AgentToken(ctx, a, at.ClusterRef, at.token)
		return err
	}},
	{method: "CreateAgentToken", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreateAgentToken(ctx, a, at.ClusterRef, core.Value(domain.AgentTokenInput{Description: domain.Some("another")}))
		return err
	}},
	{method: "UpdateAgentToken", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateAgentToken(ctx, a, at.ClusterRef, at.token, core.Value(domain.AgentTokenInput{Description: domain.Some("Changed")}), nil)
		return err
	}},
	{method: "DeleteAgentToken", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeleteAgentToken(ctx, a, at.ClusterRef, at.token, nil)
	}},

	{method: "ClusterSecrets", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.ClusterSecrets(ctx, a, at.ClusterRef, onePage)
		return err
	}},
	{method: "ClusterSecret", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.ClusterSecret(ctx, a, at.ClusterRef, at.secret)
		return err
	}},
	{method: "CreateClusterSecret", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CreateClusterSecret(ctx, a, at.ClusterRef, core.Value(domain.ClusterSecretInput{Key: domain.Some("ANOTHER"), Value: domain.Some(domain.Secret("x"))}))
		return err
	}},
	{method: "UpdateClusterSecret", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateClusterSecret(ctx, a, at.ClusterRef, at.secret, core.Value(domain.ClusterSecretInput{Description: domain.Some("Changed")}), nil)
		return err
	}},
	{method: "SetClusterSecretValue", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.SetClusterSecretValue(ctx, a, at.ClusterRef, at.secret, core.Value(domain.Some(domain.Secret("changed"))), nil)
		return err
	}},
	{method: "DeleteClusterSecret", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeleteClusterSecret(ctx, a, at.ClusterRef, at.secret, nil)
	}},

	{method: "Maintainers", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Maintainers(ctx, a, at.ClusterRef, onePage)
		return err
	}},
	{method: "Maintainer", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Maintainer(ctx, a, at.ClusterRef, at.maintainer)
		return err
	}},
	{method: "AddMaintainer", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AddMaintainer(ctx, a, at.ClusterRef, core.Value(domain.MaintainerInput{User: domain.Some(testkit.MemberID)}))
		return err
	}},
	{method: "RemoveMaintainer", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.RemoveMaintainer(ctx, a, at.ClusterRef, at.maintainer, nil)
	}},

	{method: "NetworkRanges", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.NetworkRanges(ctx, a, at.ClusterRef)
		return err
	}},
	{method: "CacheRegistries", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CacheRegistries(ctx, a, at.ClusterRef, domain.CursorPage{Size: 10})
		return err
	}},
	{method: "CacheRegistry", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CacheRegistry(ctx, a, at.ClusterRef, at.registry)
		return err
	}},
	{method: "CreateCacheRegistry", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CreateCacheRegistry(ctx, a, at.ClusterRef, core.Value(domain.CacheRegistryInput{Name: domain.Some("Another")}))
		return err
	}},
	{method: "UpdateCacheRegistry", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateCacheRegistry(ctx, a, at.ClusterRef, at.registry, core.Value(domain.CacheRegistryInput{Name: domain.Some("Changed")}), nil)
		return err
	}},
	{method: "SetCacheStore", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.SetCacheStore(ctx, a, at.ClusterRef, at.registry, core.Value(domain.CacheStoreInput{URL: domain.Some("s3://bucket/prefix")}), nil)
		return err
	}},
	{method: "CacheEntries", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CacheEntries(ctx, a, at.ClusterRef, at.registry, domain.CursorPage{Size: 10})
		return err
	}},
	{method: "CacheActivity", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CacheActivity(ctx, a, at.ClusterRef, at.registry)
		return err
	}},
	{method: "CacheEntry", outcomes: managersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CacheEntry(ctx, a, at.ClusterRef, at.registry, at.cacheEntry)
		return err
	}},
	{method: "DeleteCacheEntry", outcomes: managersWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeleteCacheEntry(ctx, a, at.ClusterRef, at.registry, at.cacheEntry)
	}},
	{method: "DeleteCacheRegistry", outcomes: managersWrite, call: deletesCacheRegistry},
	{method: "DeleteCacheRegistry", outcomes: administratorWrite, call: deletesCacheRegistry, settings: adminsDestroy},

	{method: "Pipelines", outcomes: membersRead, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Pipelines(ctx, a, at.Organization.Slug, domain.PipelineFilter{}, onePage)
		return err
	}},
	{method: "Pipeline", outcomes: membersRead, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Pipeline(ctx, a, at.pipeline)
		return err
	}},
	{method: "CheckConfiguration", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CheckConfiguration(ctx, a, at.Organization, "steps: []")
		return err
	}},
	{method: "CreatePipeline", outcomes: membersWrite, call: createsPipeline},
	{method: "CreatePipeline", outcomes: administratorWrite, call: createsPipeline, settings: adminsCreatePipelines},
	{method: "UpdatePipeline", outcomes: pipelineManagersWrite, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdatePipeline(ctx, a, at.pipeline, core.Value(domain.PipelineInput{LookInput: domain.LookInput{Description: domain.Some("Changed")}}), nil)
		return err
	}},
	{method: "ArchivePipeline", outcomes: pipelineManagersWrite, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.ArchivePipeline(ctx, a, at.pipeline)
		return err
	}},
	{method: "UnarchivePipeline", outcomes: pipelineManagersWrite, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UnarchivePipeline(ctx, a, at.archivedPipeline)
		return err
	}},
	{method: "FavoritePipeline", outcomes: membersRead, pipelines: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.FavoritePipeline(ctx, a, at.pipeline, true)
		return err
	}},
	{method: "DeletePipeline", outcomes: pipelineManagersWrite, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.DeletePipeline(ctx, a, at.pipeline, nil)
		return err
	}},

	{method: "AuditEvents", outcomes: administratorRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AuditEvents(ctx, a, at.Organization.Slug, domain.AuditFilter{}, domain.CursorPage{Size: 10})
		return err
	}},
	{method: "AuditEvent", outcomes: administratorRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AuditEvent(ctx, a, at.Organization.Slug, at.event)
		return err
	}},

	{method: "UpdateOrganization", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateOrganization(ctx, a, at.Organization, core.Value(domain.OrganizationPatch{Name: domain.Some("Changed " + at.ID)}), nil)
		return err
	}},
	{method: "OrganizationSettings", outcomes: administratorRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.OrganizationSettings(ctx, a, at.Organization)
		return err
	}},
	{method: "UpdateOrganizationSettings", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateOrganizationSettings(ctx, a, at.Organization, core.Value(domain.OrganizationPatch{DefaultBranch: domain.Some("trunk")}), nil)
		return err
	}},
	{method: "OrganizationTokens", outcomes: administratorRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.OrganizationTokens(ctx, a, at.Organization.Slug, onePage)
		return err
	}},
	{method: "CreateUnclusteredToken", outcomes: administratorWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreateUnclusteredToken(ctx, a, at.Organization, core.Value(domain.UnclusteredTokenInput{Description: domain.Some("New")}))
		return err
	}},
	{method: "RevokeUnclusteredToken", outcomes: administratorWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.RevokeUnclusteredToken(ctx, a, at.Organization, at.unclustered, "Lost")
		return err
	}},
	{method: "SavedViews", outcomes: membersRead, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.SavedViews(ctx, a, at.Organization)
		return err
	}},
	{method: "SaveView", outcomes: membersRead, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.SaveView(ctx, a, at.Organization, domain.SavedViewInput{Name: "Main", Query: "branch=main"})
		return err
	}},
	{method: "RemoveView", outcomes: membersRead, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.SaveView(ctx, a, at.Organization, domain.SavedViewInput{Name: "Main", Query: "branch=main"})
		if err == nil {
			_, err = s.RemoveView(ctx, a, at.Organization, "Main")
		}
		return err
	}},
	{method: "OrganizationBanner", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.OrganizationBanner(ctx, a, at.Organization)
		return err
	}},
	{method: "SetOrganizationBanner", outcomes: administratorWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.SetOrganizationBanner(ctx, a, at.Organization, core.Value(domain.OrganizationBannerInput{Message: domain.Some("New")}))
		return err
	}},
	{method: "DeleteOrganizationBanner", outcomes: administratorWrite, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.DeleteOrganizationBanner(ctx, a, at.Organization)
		return err
	}},
	{method: "RevokeOrganizationToken", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.RevokeOrganizationToken(ctx, a, at.Organization, at.apiToken)
	}},

	{method: "Members", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Members(ctx, a, at.Organization.Slug, onePage)
		return err
	}},
	{method: "Member", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Member(ctx, a, at.Organization.Slug, at.joined)
		return err
	}},
	{method: "UpdateMember", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateMember(ctx, a, at.Organization, at.joined, core.Value(domain.MemberInput{Role: domain.Some("admin")}), nil)
		return err
	}},
	{method: "RemoveMember", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.RemoveMember(ctx, a, at.Organization, at.joined, nil)
		return err
	}},

	{method: "Invitations", outcomes: administratorRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Invitations(ctx, a, at.Organization.Slug, domain.CursorPage{Size: 10})
		return err
	}},
	{method: "Invitation", outcomes: administratorRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Invitation(ctx, a, at.Organization, at.invitation)
		return err
	}},
	{method: "CreateInvitations", outcomes: administratorWrite, teams: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CreateInvitations(ctx, a, at.Organization, core.Value(domain.InvitationInput{Emails: domain.Some([]string{"invited@example.com"})}))
		return err
	}},
	{method: "ResendInvitation", outcomes: administratorWrite, teams: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.ResendInvitation(ctx, a, at.Organization, at.invitation)
		return err
	}},
	{method: "RevokeInvitation", outcomes: administratorWrite, teams: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.RevokeInvitation(ctx, a, at.Organization, at.invitation, nil)
		return err
	}},
	{method: "MailInvitations", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.MailInvitations(ctx, a, func(context.Context, domain.InvitationMail) error { return nil })
		return err
	}},

	{method: "Teams", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Teams(ctx, a, at.Organization.Slug, "", onePage)
		return err
	}},
	{method: "Team", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Team(ctx, a, at.team)
		return err
	}},
	{method: "Team", outcomes: teamRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Team(ctx, a, at.secretTeam)
		return err
	}},
	{method: "CreateTeam", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.CreateTeam(ctx, a, at.Organization, core.Value(domain.TeamInput{Name: domain.Some("New " + at.ID)}))
		return err
	}},
	{method: "UpdateTeam", outcomes: teamMaintainersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateTeam(ctx, a, at.team, core.Value(domain.TeamInput{Description: domain.Some("Changed")}), nil)
		return err
	}},
	{method: "UpdateTeam", outcomes: secretTeamMaintainersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateTeam(ctx, a, at.secretTeam, core.Value(domain.TeamInput{Description: domain.Some("Changed")}), nil)
		return err
	}},
	{method: "DeleteTeam", outcomes: administratorWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.DeleteTeam(ctx, a, at.team, nil)
		return err
	}},
	{method: "TeamMembers", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamMembers(ctx, a, at.team, onePage)
		return err
	}},
	{method: "TeamMembers", outcomes: teamRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamMembers(ctx, a, at.secretTeam, onePage)
		return err
	}},
	{method: "TeamMember", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamMember(ctx, a, at.team, testkit.TeammateID)
		return err
	}},
	{method: "TeamMember", outcomes: teamRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamMember(ctx, a, at.secretTeam, testkit.TeammateID)
		return err
	}},
	{method: "AddTeamMember", outcomes: teamMaintainersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AddTeamMember(ctx, a, at.team, core.Value(domain.TeamMemberInput{UserID: domain.Some(testkit.MemberID)}))
		return err
	}},
	{method: "UpdateTeamMember", outcomes: teamMaintainersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateTeamMember(ctx, a, at.team, testkit.TeammateID, core.Value(domain.TeamMemberInput{Role: domain.Some("maintainer")}), nil)
		return err
	}},
	{method: "RemoveTeamMember", outcomes: teamMaintainersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.RemoveTeamMember(ctx, a, at.team, testkit.TeammateID, nil)
		return err
	}},
	{method: "TeamPipelines", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamPipelines(ctx, a, at.team, onePage)
		return err
	}},
	{method: "TeamPipelines", outcomes: teamRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamPipelines(ctx, a, at.secretTeam, onePage)
		return err
	}},
	{method: "TeamPipeline", outcomes: membersRead, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.TeamPipeline(ctx, a, at.team, at.teamPipeline)
		return err
	}},
	{method: "AddTeamPipeline", outcomes: managersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.AddTeamPipeline(ctx, a, domain.TeamRef{Organization: at.Organization, ID: testkit.TeamID}, core.Value(domain.TeamPipelineInput{PipelineID: domain.Some(at.teamPipeline)}))
		return err
	}},
	{method: "UpdateTeamPipeline", outcomes: managersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateTeamPipeline(ctx, a, at.team, at.teamPipeline, core.Value(domain.TeamPipelineInput{AccessLevel: domain.Some("read_only")}), nil)
		return err
	}},
	{method: "RemoveTeamPipeline", outcomes: managersWrite, teams: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.RemoveTeamPipeline(ctx, a, at.team, at.teamPipeline, nil)
		return err
	}},

	{method: "Portals", outcomes: administratorRead, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Portals(ctx, a, at.Organization.Slug, onePage)
		return err
	}},
	{method: "Portal", outcomes: administratorRead, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Portal(ctx, a, at.portal)
		return err
	}},
	{method: "CreatePortal", outcomes: administratorEmpowers, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreatePortal(ctx, a, at.Organization.Slug, core.Value(domain.PortalInput{Name: domain.Some("New " + at.ID), Query: domain.Some("{ __typename }")}))
		return err
	}},
	{method: "UpdatePortal", outcomes: administratorEmpowers, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdatePortal(ctx, a, at.portal, core.Value(domain.PortalInput{Query: domain.Some("{ changed: __typename }")}), nil)
		return err
	}},
	{method: "DeletePortal", outcomes: administratorWrite, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeletePortal(ctx, a, at.portal, nil)
	}},
	{method: "PortalTokens", outcomes: administratorRead, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.PortalTokens(ctx, a, at.portal, onePage)
		return err
	}},
	{method: "MemberPortalTokens", outcomes: administratorRead, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.MemberPortalTokens(ctx, a, at.portal, onePage)
		return err
	}},
	{method: "CreatePortalToken", outcomes: administratorEmpowers, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreatePortalToken(ctx, a, at.portal, core.Value(domain.PortalTokenInput{}))
		return err
	}},
	{method: "DeletePortalToken", outcomes: administratorWrite, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeletePortalToken(ctx, a, at.portal, at.portalToken, nil)
	}},
	{method: "PortalSecrets", outcomes: administratorRead, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.PortalSecrets(ctx, a, at.portal, onePage)
		return err
	}},
	{method: "CreatePortalSecret", outcomes: administratorEmpowers, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreatePortalSecret(ctx, a, at.portal, core.Value(domain.PortalSecretInput{}))
		return err
	}},
	{method: "DeletePortalSecret", outcomes: administratorWrite, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.DeletePortalSecret(ctx, a, at.portal, at.portalSecret, nil)
	}},
	// Of the portal itself, which no other can be.
	{method: "PortalDocument", outcomes: everyonesRefusal, portals: true, portal: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		if a.Surface == authz.Portal {
			a = at.portalActor
		}
		_, err := s.PortalDocument(ctx, a, at.portal)
		return err
	}},
	{method: "PortalDocument", outcomes: everyonesRefusal, portals: true, portal: "anon", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.PortalDocument(ctx, a, at.portal)
		return err
	}},
	// Whoever knows a pipeline's token may, and nobody else.
	{method: "PipelineBadge", outcomes: everyone, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.PipelineBadge(ctx, a, at.pipelineTokens.BadgeToken, "", "")
		return err
	}},
	{method: "PipelineBadge", outcomes: everyoneFindsNone, pipelines: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.PipelineBadge(ctx, a, at.pipelineTokens.WebhookToken.Reveal(), "", "")
		return err
	}},
	// Whoever knows the secret may, and nobody else.
	{method: "CreateEphemeralPortalToken", outcomes: everyone, portals: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreateEphemeralPortalToken(ctx, a, at.portal, at.portalGrant)
		return err
	}},
	{method: "CreateEphemeralPortalToken", outcomes: everyonesRefusal, portals: true, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		at.portalGrant.Secret += "x"
		_, _, err := s.CreateEphemeralPortalToken(ctx, a, at.portal, at.portalGrant)
		return err
	}},
	{method: "InvokablePortals", outcomes: membersInvoke, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.InvokablePortals(ctx, a, at.Organization.Slug, onePage)
		return err
	}},
	{method: "InvokablePortal", outcomes: membersInvoke, portals: true, portal: "deny", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.InvokablePortal(ctx, a, at.portal)
		return err
	}},
	{method: "BeginPortalRun", outcomes: browsersInvoke, portals: true, portal: "deny", session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.BeginPortalRun(ctx, a, at.portal, true)
		return err
	}},
	{
		method: "BeginPortalRun", outcomes: "anon deny deny deny deny none scope deny none anon anon", portals: true, portal: "deny", session: "ok",
		call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
			_, err := s.BeginPortalRun(ctx, a, at.portal, false)
			return err
		},
	},
	{method: "AuthorizePortalCode", outcomes: browsersInvoke, portals: true, portal: "deny", session: "ok", call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.AuthorizePortalCode(ctx, a, at.portal, at.portalCode)
	}},
	{method: "PortalDocuments", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PortalDocuments(ctx, a)
		return err
	}},
	{method: "PrunePortalTokens", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PrunePortalTokens(ctx, a)
		return err
	}},

	{method: "CreateUser", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.CreateUser(ctx, a, domain.UserInput{Email: "new@example.com", Name: "New"})
		return err
	}},
	{method: "SetPassword", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.SetPassword(ctx, a, "member@example.com", "long enough")
	}},
	{method: "DisableUser", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.DisableUser(ctx, a, "outsider@example.com")
		if err != nil && strings.Contains(err.Error(), "is the last administrator of elsewhere") {
			return nil // an operator is told so
		}
		return err
	}},
	{method: "EnableUser", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.EnableUser(ctx, a, "member@example.com")
	}},
	{method: "CreateOrganization", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.CreateOrganization(ctx, a, domain.OrganizationInput{Slug: "new", Name: "New"})
		return err
	}},
	{method: "AddMember", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.AddMember(ctx, a, at.Organization.Slug, "outsider@example.com", domain.RoleAdmin)
	}},
	{method: "CreateAPIToken", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, _, err := s.CreateAPIToken(ctx, a, domain.APITokenInput{User: "admin@example.com", Description: "new", Organizations: []string{at.Organization.Slug}})
		return err
	}},
	{method: "APITokens", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.APITokens(ctx, a, domain.APITokenFilter{})
		return err
	}},
	{method: "RevokeAPIToken", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		return s.RevokeAPIToken(ctx, a, at.apiToken)
	}},
	{method: "StoreTokenUses", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		return s.StoreTokenUses(ctx, a)
	}},
	{method: "RevokeInactiveTokens", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.RevokeInactiveTokens(ctx, a)
		return err
	}},
	{method: "PruneAuditEvents", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PruneAuditEvents(ctx, a)
		return err
	}},
	{method: "Usage", outcomes: membersRead, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.Usage(ctx, a, at.Organization.Slug)
		return err
	}},
	{method: "ExplainUsage", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.ExplainUsage(ctx, a, at.Organization.Slug, "", true)
		return err
	}},
	{method: "PruneActivity", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PruneActivity(ctx, a)
		return err
	}},
	{method: "UpdateBilling", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
		_, err := s.UpdateBilling(ctx, a, at.Organization.Slug, domain.BillingPatch{Plan: domain.Some("annual")})
		return err
	}},
	{method: "PostponedItems", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.PostponedItems(ctx, a)
		return err
	}},
	{method: "ReleaseItems", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.ReleaseItems(ctx, a, "", "")
		return err
	}},
	{method: "WatchPostponedItems", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.WatchPostponedItems(ctx, a)
		return err
	}},
	{method: "SyncGitMirrors", outcomes: operatorsOnly, call: func(ctx context.Context, s *service.Service, a authz.Actor, _ permissionTarget) error {
		_, err := s.SyncGitMirrors(ctx, a)
		return err
	}},
}

var onePage = domain.Page{Number: 1, Size: 10}

func createsCluster(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
	_, err := s.CreateCluster(ctx, a, at.Organization, core.Value(domain.ClusterInput{Name: domain.Some("New")}))
	return err
}

func createsPipeline(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
	_, err := s.CreatePipeline(ctx, a, at.Organization, core.Value(domain.PipelineInput{Name: domain.Some("New " + at.ID), Repository: domain.Some("r")}))
	return err
}

func renamesCluster(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
	_, err := s.UpdateCluster(ctx, a, at.ClusterRef, core.Value(domain.ClusterPatch{Name: domain.Some("Changed")}), nil)
	return err
}

func deletesCluster(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
	return s.DeleteCluster(ctx, a, at.ClusterRef, nil)
}

func deletesCacheRegistry(ctx context.Context, s *service.Service, a authz.Actor, at permissionTarget) error {
	return s.DeleteCacheRegistry(ctx, a, at.ClusterRef, at.registry, nil)
}

// TestEveryOperationIsInThePermissionMatrix fails for an operation that no row calls, or none refuses.
func TestEveryOperationIsInThePermissionMatrix(t *testing.T) {
	t.Parallel()
	outcomes := map[string]string{}
	for _, c := range permissionCases {
		outcomes[c.method] += " " + c.outcomes + " " + c.portalOutcome() + " " + c.sessionOutcome() + " " + c.visitorOutcome()
	}
	operations := reflect.TypeFor[*service.Service]()
	for method := range operations.Methods() {
		if method.Type.NumIn() < 3 || method.Type.In(1) != reflect.TypeFor[context.Context]() || method.Type.In(2) != reflect.TypeFor[authz.Actor]() {
			t.Errorf("%s does not begin with a context and an actor", method.Name)
		}
	}
	testkit.CheckMethods(t, operations, outcomes, allowedElsewhere, "Ready") // which anyone may ask
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	// A few rows share a database: a new one for each takes longer, and so does comparing all that many leave in one.
	for cases := range slices.Chunk(permissionCases, 6) {
		t.Run(cases[0].method+" to "+cases[len(cases)-1].method, func(t *testing.T) {
			t.Parallel()
			testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
				for _, c := range cases {
					t.Run(strings.TrimSpace(c.method+" "+c.settings), func(t *testing.T) { c.run(t, s) })
				}
			})
		})
	}
}

// run makes the calls that are to be refused, which must not change anything, and then the others, each on a
// target of its own.
func (c permissionCase) run(t *testing.T, s *testkit.Server) {
	names, outcomes := strings.Fields(permissionActors), strings.Fields(c.outcomes)
	if len(names) != len(outcomes) {
		t.Fatalf("%d outcomes for %d actors", len(outcomes), len(names))
	}
	names = append(names, "portal", "session", "visitor")
	outcomes = append(outcomes, c.portalOutcome(), c.sessionOutcome(), c.visitorOutcome())
	actors := s.PermissionActors(t)
	testkit.Change(t, s.DB, `UPDATE organizations SET `+usualSettings)
	if c.settings != "" {
		testkit.Change(t, s.DB, `UPDATE organizations SET `+c.settings)
	}
	call := func(name, outcome string, at permissionTarget) {
		t.Helper()
		testkit.CheckOutcome(t, c.method+" by "+name, c.call(t.Context(), s.Service, actors[name], at), outcome)
	}
	target := c.target(t, s, actors["admin"])
	before := testkit.PermissionRows(t, s.DB)
	for i, name := range names {
		if outcomes[i] != "ok" {
			call(name, outcomes[i], target)
		}
	}
	testkit.CheckSameRows(t, "a refused "+c.method, before, testkit.PermissionRows(t, s.DB))
	reads := outcomes[slices.Index(names, "reads")] == "ok" && outcomes[slices.Index(names, "writes")] == "scope"
	for i, name := range names {
		if outcomes[i] != "ok" {
			continue
		}
		if !reads { // the target may be another one now, and the administrator's token revoked
			target = c.target(t, s, s.PermissionToken(t, "admin@example.com", testkit.Organization, ""))
		}
		call(name, "ok", target)
	}
}

// target makes what a call is about.
func (c permissionCase) target(t *testing.T, s *testkit.Server, admin authz.Actor) permissionTarget {
	t.Helper()
	at := permissionTargetOf(t, s, admin)
	if c.teams {
		at.addTeams(t, s, admin)
	}
	if c.pipelines {
		at.addPipelines(t, s)
	}
	if c.portals {
		at.addPortal(t, s, admin)
	}
	return at
}

func permissionTargetOf(t *testing.T, s *testkit.Server, admin authz.Actor) permissionTarget {
	t.Helper()
	ctx, svc := t.Context(), s.Service
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cluster, err := svc.CreateCluster(ctx, admin, domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.ClusterInput{
		Name: domain.Some("Target"),
		Maintainers: domain.Some([]domain.MaintainerInput{
			{User: domain.Some(testkit.MaintainerID)}, {Team: domain.Some(testkit.TeamID)}, {User: domain.Some(testkit.AdminID)},
		}),
	}))
	must(err)
	at := permissionTarget{ClusterRef: domain.ClusterRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, ID: string(cluster.ID)}}
	for _, m := range cluster.Maintainers {
		if m.User != nil && m.User.ID == testkit.AdminID {
			at.maintainer = string(m.ID)
		}
	}
	queue, err := svc.CreateQueue(ctx, admin, at.ClusterRef, core.Value(domain.QueueInput{Key: domain.Some("target")}))
	must(err)
	paused, err := svc.CreateQueue(ctx, admin, at.ClusterRef, core.Value(domain.QueueInput{Key: domain.Some("paused")}))
	must(err)
	_, err = svc.PauseQueue(ctx, admin, at.ClusterRef, string(paused.ID), core.Value(domain.Optional[string]{}))
	must(err)
	token, _, err := svc.CreateAgentToken(ctx, admin, at.ClusterRef, core.Value(domain.AgentTokenInput{Description: domain.Some("target")}))
	must(err)
	secret, err := svc.CreateClusterSecret(ctx, admin, at.ClusterRef, core.Value(domain.ClusterSecretInput{Key: domain.Some("TARGET"), Value: domain.Some(domain.Secret("x"))}))
	must(err)
	registry, err := svc.CreateCacheRegistry(ctx, admin, at.ClusterRef, core.Value(domain.CacheRegistryInput{Name: domain.Some("Target")}))
	must(err)
	events, err := svc.AuditEvents(ctx, admin, testkit.Organization, domain.AuditFilter{}, domain.CursorPage{Size: 1})
	must(err)
	apiToken, _, err := svc.CreateAPIToken(ctx, authz.OperatorActor(), domain.APITokenInput{
		User: "admin@example.com", Description: "target", Organizations: []string{testkit.Organization},
	})
	must(err)
	at.queue, at.pausedQueue, at.token, at.secret, at.registry = string(queue.ID), string(paused.ID), string(token.ID), string(secret.ID), string(registry.ID)
	at.event, at.apiToken = string(events.Items[0].ID), string(apiToken.ID)
	unclustered, _, err := svc.CreateUnclusteredToken(ctx, admin, at.Organization, core.Value(domain.UnclusteredTokenInput{}))
	must(err)
	banner, err := svc.SetOrganizationBanner(ctx, admin, at.Organization, core.Value(domain.OrganizationBannerInput{Message: domain.Some("target")}))
	must(err)
	at.unclustered, at.banner = string(unclustered.ID), string(banner.ID)
	at.cacheEntry = domain.NewID[string]()
	testkit.Exec(t, s.DB, `INSERT INTO cache_entries (id, set_id, hash, scope_pipeline, scope_branch, scope_build, target_paths, cache_key, blobs, platform, size, job_id,
		created_at, restores, expires_at) VALUES ($1, $2, $1, '', '', '', '["a"]', '[{"value":"k"}]', '[]', '', 1, '', 1, 0, 2)`, at.cacheEntry, at.registry)
	return at
}

// addTeams makes what the calls about teams, members and the organization's tokens are about.
func (at *permissionTarget) addTeams(t *testing.T, s *testkit.Server, admin authz.Actor) {
	t.Helper()
	ctx, svc, operator := t.Context(), s.Service, authz.OperatorActor()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for target, privacy := range map[*domain.TeamRef]string{&at.team: "visible", &at.secretTeam: "secret"} {
		team, err := svc.CreateTeam(ctx, admin, at.Organization, core.Value(domain.TeamInput{
			Name: domain.Some(privacy + " " + at.ID), Privacy: domain.Some(privacy),
		}))
		must(err)
		*target = domain.TeamRef{Organization: at.Organization, ID: string(team.ID)}
		for user, role := range map[string]string{testkit.MaintainerID: "maintainer", testkit.TeammateID: "member"} {
			_, err := svc.AddTeamMember(ctx, admin, *target, core.Value(domain.TeamMemberInput{UserID: domain.Some(user), Role: domain.Some(role)}))
			must(err)
		}
	}
	pipeline, err := svc.CreatePipeline(ctx, admin, at.Organization, core.Value(domain.PipelineInput{
		Name: domain.Some("Of a team " + at.ID), Repository: domain.Some("git@example.com:acme/web.git"), Teams: domain.Some([]domain.PipelineTeamInput{{ID: at.team.ID, AccessLevel: domain.PipelineManageBuildAndRead}}),
	}))
	must(err)
	user, err := svc.CreateUser(ctx, operator, domain.UserInput{Email: at.ID + "@example.com", Name: "Joined"})
	must(err)
	must(svc.AddMember(ctx, operator, at.Organization.Slug, user.Email, domain.RoleMember))
	at.teamPipeline, at.joined = string(pipeline.ID), string(user.ID)
	invited, err := svc.CreateInvitations(ctx, admin, at.Organization, core.Value(domain.InvitationInput{
		Emails: domain.Some([]string{"target@example.com"}), Teams: domain.Some([]domain.InvitationTeamInput{{ID: at.team.ID}}),
	}))
	must(err)
	at.invitation = string(invited[0].ID)
}

// addPipelines makes what the calls about pipelines are about.
func (at *permissionTarget) addPipelines(t *testing.T, s *testkit.Server) {
	t.Helper()
	member := s.PermissionToken(t, "member@example.com", testkit.Organization, "")
	for name, target := range map[string]*domain.PipelineRef{"Target": &at.pipeline, "Archived": &at.archivedPipeline} {
		p, err := s.Service.CreatePipeline(t.Context(), member, at.Organization, core.Value(domain.PipelineInput{
			Name: domain.Some(name + " " + at.ID), Repository: domain.Some("r"), Teams: domain.Some([]domain.PipelineTeamInput{{ID: testkit.TeamID, AccessLevel: domain.PipelineManageBuildAndRead}}),
		}))
		if err != nil {
			t.Fatal(err)
		}
		*target, at.pipelineTokens = domain.PipelineRef{Organization: at.Organization, Slug: p.Slug}, p.Pipeline
	}
	if _, err := s.Service.ArchivePipeline(t.Context(), member, at.archivedPipeline); err != nil {
		t.Fatal(err)
	}
}

// addPortal makes what the calls about portals are about.
func (at *permissionTarget) addPortal(t *testing.T, s *testkit.Server, admin authz.Actor) {
	t.Helper()
	ctx, svc := t.Context(), s.Service
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	portal, value, err := svc.CreatePortal(ctx, admin, at.Organization.Slug, core.Value(domain.PortalInput{
		Name: domain.Some("Target " + at.ID), Query: domain.Some("{ __typename }"), UserInvokable: domain.Some(true),
	}))
	must(err)
	at.portal = domain.PortalRef{Organization: at.Organization, Slug: portal.Slug}
	at.portalActor = authz.PortalActor(value.Reveal(), netip.MustParseAddr("192.0.2.1"))
	tokens, err := svc.PortalTokens(ctx, admin, at.portal, onePage)
	must(err)
	secret, secretValue, err := svc.CreatePortalSecret(ctx, admin, at.portal, core.Value(domain.PortalSecretInput{}))
	must(err)
	at.portalToken, at.portalSecret = string(tokens.Items[0].ID), string(secret.ID)
	_, err = svc.BeginPortalRun(ctx, s.PermissionSession(t, "admin@example.com"), at.portal, true)
	must(err)
	own, err := svc.MemberPortalTokens(ctx, admin, at.portal, onePage)
	must(err)
	at.ownPortalToken = string(own.Items[0].ID)
	at.portalCode, _, _ = domain.NewPortalCode(at.portal, s.Clock.Now())
	at.portalGrant = domain.PortalGrant{GrantType: domain.Some("client_credentials"), ClientID: string(portal.ID), Secret: secretValue}
}
