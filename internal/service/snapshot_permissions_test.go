package service_test

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/read"
	"penstock/internal/testkit"
)

// readingActors are the columns of the matrix of what is read: those of permissionActors that may read at all, a portal of the
// organization, and its administrator, signed in.
const readingActors = "member maintainer teammate admin outsider ungranted portal session"

// The rows that occur often.
const (
	//                   member maintainer teammate admin outsider ungranted portal session
	seenByMembers     = "yes    yes        yes      yes   no       no        yes    yes"
	seenByManagers    = "no     yes        yes      yes   no       no        yes    yes"
	seenByTeam        = "no     yes        yes      yes   no       no        yes    yes"
	seenByAdmins      = "no     no         no       yes   no       no        yes    yes"
	seenByPeople      = "yes    yes        yes      yes   yes      yes       no     yes"
	seenByAdminPeople = "no     no         no       yes   no       no        no     yes"
)

// targetConnection is a connection of the organization with a repository host, at which its pipeline has a webhook.
const targetConnection domain.ConnectionID = "0190a000-0000-7000-8000-00000000c0de"

// readingCase is a row of the matrix: a method, and who sees something by it.
type readingCase struct {
	method string
	seenBy string
	see    func(*read.Snapshot, permissionTarget) (bool, error)
}

var readingCases = []readingCase{
	{"User", seenByPeople, func(r *read.Snapshot, _ permissionTarget) (bool, error) { return r.User() != nil, nil }},
	{"OwnAddresses", seenByPeople, func(r *read.Snapshot, _ permissionTarget) (bool, error) {
		if r.User() == nil {
			return false, nil
		}
		return hasItems(r.OwnAddresses(false, read.ConnectionPart{}))
	}},
	{"Users", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Users([]domain.UserID{domain.UserID(at.joined)}))
	}},
	{"HavePassword", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) { // of users that were read
		users, err := r.Users([]domain.UserID{domain.UserID(at.joined)})
		if err != nil || users[0] == nil {
			return false, err
		}
		flags, err := r.HavePassword(users)
		return len(flags) == 1, err
	}},
	{"Tokens", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		if !usesOrganization(r) { // it is their own
			return false, nil
		}
		return finds(r.Tokens([]domain.APITokenID{domain.APITokenID(at.apiToken)}))
	}},
	{"UserIDByEmail", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		id, err := r.UserIDByEmail([]*read.Organization{o}, "member@example.com")
		return id == testkit.MemberID, err
	})},

	{"OrganizationBySlug", seenByMembers, inOrganization(func(*read.Snapshot, *read.Organization, permissionTarget) (bool, error) { return true, nil })},
	{"Organizations", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return finds(r.Organizations([]domain.OrganizationID{o.ID}))
	})},
	{"AccessibleOrganizations", seenByMembers, func(r *read.Snapshot, _ permissionTarget) (bool, error) {
		_, found, err := accessibleOrganization(r)
		return found, err
	}},
	{"Admitted", seenByMembers, func(r *read.Snapshot, _ permissionTarget) (bool, error) {
		membership, found, err := accessibleOrganization(r)
		if err != nil || !found {
			return false, err
		}
		return finds(r.Admitted([]*domain.Membership{membership}))
	}},
	{"OrganizationCounts", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		counts, err := r.OrganizationCounts([]*read.Organization{o})
		return err == nil && counts[0].Clusters > 0, err
	})},
	{"ActiveUsers", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		_, errs := r.ActiveUsers([]*read.Organization{o})
		return errs[0] == nil, nil
	})},
	{"OrganizationPermitted", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return allTrue(r.OrganizationPermitted([]*read.Organization{o}, authz.UpdateOrganization))
	})},

	{"Clusters", seenByMembers, inCluster(func(*read.Snapshot, *domain.ClusterView) (bool, error) { return true, nil })},
	{"ClustersOf", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.ClustersOf([]*read.Organization{o}, domain.ByName, read.ConnectionPart{})))
	})},
	{"ClustersNamed", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.ClustersNamed([]*read.Organization{o}, "target", domain.ByName, read.ConnectionPart{})))
	})},
	{"ClustersMaintainedBy", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.ClustersMaintainedBy([]*read.Organization{o}, testkit.MaintainerID, read.ConnectionPart{})))
	})},
	{"Maintainers", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Maintainers([]domain.MaintainerID{domain.MaintainerID(at.maintainer)}))
	}},
	{"MaintainersOf", seenByMembers, inCluster(func(r *read.Snapshot, c *domain.ClusterView) (bool, error) {
		return hasItems(only(r.MaintainersOf([]*domain.ClusterView{c}, read.ConnectionPart{})))
	})},
	{"AreManaged", seenByManagers, inCluster(func(r *read.Snapshot, c *domain.ClusterView) (bool, error) {
		return allTrue(r.AreManaged([]*domain.ClusterView{c}))
	})},
	{"AreDefaultRegistries", seenByMembers, inCluster(func(r *read.Snapshot, c *domain.ClusterView) (bool, error) { // of registries that were read
		return allTrue(r.AreDefaultRegistries([]*domain.CacheRegistry{{ID: c.DefaultCacheRegistryID, ClusterID: c.ID}}))
	})},
	{"Queues", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Queues([]domain.QueueID{domain.QueueID(at.queue)}))
	}},
	{"MetricsOfQueues", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) { // of queues that were read
		queues, err := r.Queues([]domain.QueueID{domain.QueueID(at.queue)})
		if err != nil || queues[0] == nil {
			return false, err
		}
		return finds(r.MetricsOfQueues(queues))
	}},
	{"QueuesOf", seenByMembers, inCluster(func(r *read.Snapshot, c *domain.ClusterView) (bool, error) {
		return hasItems(only(r.QueuesOf([]*domain.ClusterView{c}, domain.ByName, false, read.ConnectionPart{})))
	})},
	{"QueuesFound", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		found, err := r.QueuesFound(o, "", 100)
		return len(found) > 0, err
	})},
	{"PausedQueues", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		found, err := r.PausedQueues(o, 100)
		return len(found) > 0, err
	})},
	{"BuildsFound", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		found, err := r.BuildsFound(o, "1", 100)
		return len(found) > 0, err
	})},
	{"OwnBuilds", seenByAdminPeople, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) { // who made them
		found, err := r.OwnBuilds(o, 100)
		return len(found) > 0, err
	})},
	{"HasBuilds", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) { return r.HasBuilds(o) })},
	{"AgentTokens", seenByManagers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.AgentTokens([]domain.AgentTokenID{domain.AgentTokenID(at.token)}))
	}},
	{"UnclusteredTokens", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.UnclusteredTokens([]domain.UnclusteredTokenID{domain.UnclusteredTokenID(at.unclustered)}))
	}},
	{"UnclusteredTokensOf", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.UnclusteredTokensOf([]*read.Organization{o}, nil, read.ConnectionPart{})))
	})},
	{"OrganizationBanners", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.OrganizationBanners([]domain.OrganizationBannerID{domain.OrganizationBannerID(at.banner)}))
	}},
	{"OrganizationBannersOf", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.OrganizationBannersOf([]*read.Organization{o}, read.ConnectionPart{})))
	})},
	{"ClusterSecrets", seenByManagers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.ClusterSecrets([]domain.ClusterSecretID{domain.ClusterSecretID(at.secret)}))
	}},
	{"Rules", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Rules([]domain.RuleID{domain.RuleID(at.rule)}))
	}},
	{"RulesOf", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.RulesOf([]*read.Organization{o}, domain.RuleFilter{}, read.ConnectionPart{})))
	})},
	{"RepositoryConnections", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.RepositoryConnections([]domain.ConnectionID{targetConnection}))
	}},
	{"RepositoryConnectionsOf", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		found, err := r.RepositoryConnectionsOf([]*read.Organization{o})
		return err == nil && len(found[0]) == 1, err
	})},
	{"WebhooksOf", "yes no yes yes no no yes yes", inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return finds(r.WebhooksOf([]*domain.PipelineView{p}))
	})},
	{"PipelineTemplates", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) { // one that is not available
		return finds(r.PipelineTemplates([]domain.PipelineTemplateID{domain.PipelineTemplateID(at.template)}))
	}},
	{"PipelineTemplatesOf", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.PipelineTemplatesOf([]*read.Organization{o}, domain.ByName, read.ConnectionPart{})))
	})},
	{"PipelineSchedules", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.PipelineSchedules([]domain.PipelineScheduleID{domain.PipelineScheduleID(at.schedule)}))
	}},
	{"PipelineSchedulesOf", seenByMembers, inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return hasItems(only(r.PipelineSchedulesOf([]*domain.PipelineView{p}, read.ConnectionPart{})))
	})},
	{"SchedulesOfBuilds", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.SchedulesOfBuilds([]domain.BuildID{domain.BuildID(at.build)}))
	}},
	{"BuildsOfSchedules", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		found, err := r.PipelineSchedules([]domain.PipelineScheduleID{domain.PipelineScheduleID(at.schedule)})
		if err != nil || found[0] == nil {
			return false, err
		}
		return hasItems(only(r.BuildsOfSchedules(found, read.ConnectionPart{})))
	}},
	{"Invitations", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Invitations([]domain.InvitationID{domain.InvitationID(at.invitation)}))
	}},
	{"InvitationsOf", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.InvitationsOf([]*read.Organization{o}, domain.InvitationFilter{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"TeamsOfInvitations", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		found, err := r.Invitations([]domain.InvitationID{domain.InvitationID(at.invitation)})
		if err != nil || found[0] == nil {
			return false, err
		}
		return hasItems(only(r.TeamsOfInvitations(found, read.ConnectionPart{})))
	}},
	{"InvitationPermitted", seenByAdminPeople, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		found, err := r.Invitations([]domain.InvitationID{domain.InvitationID(at.invitation)})
		if err != nil || found[0] == nil {
			return false, err
		}
		return allTrue(r.InvitationPermitted(found, authz.WriteInvitation, domain.InvitationPending))
	}},
	{"AgentTokensMadeBy", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		return hasItems(only(r.AgentTokensMadeBy([]*read.Organization{o}, testkit.AdminID, read.ConnectionPart{})))
	})},
	{"PortalsKnownBy", seenByAdminPeople, inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		return hasItems(only(r.PortalsKnownBy([]*read.Organization{o}, testkit.AdminID, read.ConnectionPart{})))
	})},
	{"AgentTokensOf", seenByManagers, inCluster(func(r *read.Snapshot, c *domain.ClusterView) (bool, error) {
		return hasItems(only(r.AgentTokensOf([]*domain.ClusterView{c}, read.ConnectionPart{})))
	})},
	{"CacheRegistries", seenByManagers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.CacheRegistries([]domain.CacheRegistryID{domain.CacheRegistryID(at.registry)}))
	}},
	{"CacheRegistriesOf", seenByManagers, inCluster(func(r *read.Snapshot, c *domain.ClusterView) (bool, error) {
		return hasItems(only(r.CacheRegistriesOf([]*domain.ClusterView{c}, read.ConnectionPart{})))
	})},

	{"PipelineBySlug", seenByMembers, inPipeline(func(*read.Snapshot, *domain.PipelineView) (bool, error) { return true, nil })},
	{"Pipelines", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Pipelines([]domain.PipelineID{domain.PipelineID(at.teamPipeline)}))
	}},
	{"PipelinesOf", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.PipelinesOf([]*read.Organization{o}, domain.PipelineFilter{}, domain.ByName, false, read.ConnectionPart{})))
	})},
	{"PipelinePermitted", "yes no yes yes no no yes yes", inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return allTrue(r.PipelinePermitted([]*domain.PipelineView{p}, authz.WritePipeline))
	})},
	{"Favorites", "yes no no no no no no no", inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return allTrue(r.Favorites([]*domain.PipelineView{p}))
	})},
	{"MetricsOfPipelines", seenByMembers, inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return finds(r.MetricsOfPipelines([]*domain.PipelineView{p}))
	})},
	{"TeamsOfPipelines", seenByMembers, inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return hasItems(only(r.TeamsOfPipelines([]*domain.PipelineView{p}, "", domain.ByName, read.ConnectionPart{})))
	})},

	{"Teams", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Teams([]domain.TeamID{domain.TeamID(at.team.ID)}))
	}},
	{"Teams", seenByTeam, inSecretTeam(func(*read.Snapshot, *domain.TeamView) (bool, error) { return true, nil })},
	{"TeamBySlug", seenByTeam, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		team, err := r.TeamBySlug(at.Organization.Slug, "secret-"+at.ID)
		return team != nil, err
	}},
	{"TeamsOf", seenByTeam, inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		return hasItems(only(r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{Search: "secret " + at.ID}, domain.ByName, read.ConnectionPart{})))
	})},
	{"TeamPermitted", "no yes no yes no no yes yes", inSecretTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		return allTrue(r.TeamPermitted([]*domain.TeamView{t}, authz.UpdateTeam))
	})},
	{"MembersOfTeams", seenByTeam, inSecretTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		_, found, err := teamMember(r, t)
		return found, err
	})},
	{"TeamMembers", seenByTeam, inSecretTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		m, found, err := teamMember(r, t)
		if err != nil || !found {
			return false, err
		}
		return finds(r.TeamMembers([]domain.TeamMemberID{m.ID}))
	})},
	{"TeamMemberPermitted", "no yes no yes no no yes yes", inSecretTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		m, found, err := teamMember(r, t)
		if err != nil || !found {
			return false, err
		}
		return allTrue(r.TeamMemberPermitted([]*domain.TeamMemberView{m}))
	})},
	{"PipelinesOfTeams", seenByMembers, inTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		_, found, err := teamPipeline(r, t)
		return found, err
	})},
	{"TeamPipelines", seenByMembers, inTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		p, found, err := teamPipeline(r, t)
		if err != nil || !found {
			return false, err
		}
		return finds(r.TeamPipelines([]domain.TeamPipelineID{p.ID}))
	})},
	{"TeamPipelinePermitted", seenByManagers, inTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		p, found, err := teamPipeline(r, t)
		if err != nil || !found {
			return false, err
		}
		return allTrue(r.TeamPipelinePermitted([]*domain.TeamPipelineView{p}))
	})},
	{"TeamPipelineCreatePermitted", seenByMembers, inTeam(func(r *read.Snapshot, t *domain.TeamView) (bool, error) {
		return allTrue(r.TeamPipelineCreatePermitted([]*domain.TeamView{t}))
	})},

	{"MembersOf", seenByMembers, inMember(func(*read.Snapshot, *domain.MemberView) (bool, error) { return true, nil })},
	{"Members", seenByMembers, inMember(func(r *read.Snapshot, m *domain.MemberView) (bool, error) {
		return finds(r.Members([]domain.MemberID{m.ID}))
	})},
	{"MembersOfOrganizations", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.MembersOfOrganizations([]*read.Organization{o}, domain.MemberFilter{}, domain.ByName, read.ConnectionPart{})))
	})},
	{"MemberPermitted", seenByAdmins, inMember(func(r *read.Snapshot, m *domain.MemberView) (bool, error) {
		return allTrue(r.MemberPermitted([]*domain.MemberView{m}, authz.WriteMember))
	})},
	{"TeamsOfMembers", seenByTeam, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		o, err := r.OrganizationBySlug(at.Organization.Slug)
		if err != nil || o == nil {
			return false, err
		}
		members, err := r.MembersOf([]domain.MembershipKey{{Organization: o.ID, User: testkit.TeammateID}})
		if err != nil {
			return false, err
		}
		connections, err := r.TeamsOfMembers(members, domain.ByName, read.ConnectionPart{})
		if err != nil {
			return false, err
		}
		teams, err := connections[0].Items()
		return slices.ContainsFunc(teams, func(m *domain.TeamMemberView) bool { return string(m.TeamID) == at.secretTeam.ID }), err
	}},

	{"TokensOf", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.TokensOf([]*read.Organization{o}, domain.TokenFilter{}, read.ConnectionPart{})))
	})},
	{"PortalsOf", seenByAdminPeople, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.PortalsOf([]*read.Organization{o}, "", domain.ByName, read.ConnectionPart{})))
	})},
	{"Portals", seenByAdminPeople, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Portals([]domain.PortalID{domain.PortalID(at.portalGrant.ClientID)}))
	}},
	{"PortalTokensOf", seenByAdminPeople, inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		return hasItems(only(r.PortalTokensOf([]*domain.PortalView{targetPortal(o, at)}, read.ConnectionPart{})))
	})},
	{"PortalSecretsOf", seenByAdminPeople, inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		return hasItems(only(r.PortalSecretsOf([]*domain.PortalView{targetPortal(o, at)}, read.ConnectionPart{})))
	})},
	{"Builds", seenByMembers, inBuild(func(*read.Snapshot, *domain.BuildView) (bool, error) { return true, nil })},
	{"BuildByNumber", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		b, err := r.BuildByNumber(at.Organization.Slug, at.pipeline.Slug, 1)
		return b != nil, err
	}},
	{"BuildsOfPipelines", seenByMembers, inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return hasItems(only(r.BuildsOfPipelines([]*domain.PipelineView{p}, domain.BuildFilter{}, read.ConnectionPart{})))
	})},
	{"BuildsOfUsers", seenByMembers, func(r *read.Snapshot, _ permissionTarget) (bool, error) { // of a user who made builds here only
		return hasItems(only(r.BuildsOfUsers([]*domain.User{{ID: testkit.AdminID}}, domain.BuildFilter{}, read.ConnectionPart{})))
	}},
	{"MetaDataOf", seenByMembers, inBuild(func(r *read.Snapshot, b *domain.BuildView) (bool, error) {
		return hasItems(only(r.MetaDataOf([]*domain.BuildView{b}, read.ConnectionPart{})))
	})},
	{"Annotations", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Annotations([]domain.AnnotationID{domain.AnnotationID(at.annotation)}))
	}},
	{"AnnotationsOfBuilds", seenByMembers, inBuild(func(r *read.Snapshot, b *domain.BuildView) (bool, error) {
		return hasItems(only(r.AnnotationsOfBuilds([]*domain.BuildView{b}, domain.AnnotationFilter{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"AnnotationsOfJobs", seenByMembers, inJob(func(r *read.Snapshot, j *domain.JobView) (bool, error) {
		return hasItems(only(r.AnnotationsOfJobs([]*domain.JobView{j}, domain.AnnotationFilter{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"Artifacts", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.Artifacts([]domain.ArtifactID{domain.ArtifactID(at.artifact)}))
	}},
	{"ArtifactsOfJobs", seenByMembers, inJob(func(r *read.Snapshot, j *domain.JobView) (bool, error) {
		return hasItems(only(r.ArtifactsOfJobs([]*domain.JobView{j}, domain.ArtifactFilter{}, read.ConnectionPart{})))
	})},
	{"Jobs", seenByMembers, inJob(func(*read.Snapshot, *domain.JobView) (bool, error) { return true, nil })},
	{"JobsOfOrganizations", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.JobsOfOrganizations([]*read.Organization{o}, domain.JobSearch{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"JobsOfPipelines", seenByMembers, inPipeline(func(r *read.Snapshot, p *domain.PipelineView) (bool, error) {
		return hasItems(only(r.JobsOfPipelines([]*domain.PipelineView{p}, domain.JobSearch{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"JobsOfBuilds", seenByMembers, inBuild(func(r *read.Snapshot, b *domain.BuildView) (bool, error) {
		return hasItems(only(r.JobsOfBuilds([]*domain.BuildView{b}, domain.JobSearch{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"JobsOfAgents", seenByMembers, inAgent(func(r *read.Snapshot, a *domain.AgentView) (bool, error) {
		return hasItems(only(r.JobsOfAgents([]*domain.AgentView{a}, domain.JobSearch{}, domain.RecentlyCreated, read.ConnectionPart{})))
	})},
	{"StepsOfJobs", seenByMembers, inJob(func(r *read.Snapshot, j *domain.JobView) (bool, error) {
		return finds(r.StepsOfJobs([]*domain.JobView{j}))
	})},
	{"DependenciesOf", seenByMembers, inJob(func(r *read.Snapshot, j *domain.JobView) (bool, error) {
		steps, err := r.StepsOfJobs([]*domain.JobView{j})
		if err != nil {
			return false, err
		}
		return hasItems(only(r.DependenciesOf(steps, read.ConnectionPart{})))
	})},
	{"EnvOfJobs", seenByMembers, inJob(func(r *read.Snapshot, j *domain.JobView) (bool, error) {
		envs, err := r.EnvOfJobs([]*domain.JobView{j})
		return err == nil && len(envs[0]) > 0, err
	})},
	{"RetriersOf", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, func(r *read.Snapshot, j *domain.JobView) (bool, error) {
			return finds(r.RetriersOf([]*domain.JobView{j}))
		})(r.Jobs([]domain.JobID{domain.JobID(at.retriedJob)}))
	}},
	{"JobEvents", seenByMembers, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.JobEvents([]string{at.jobEvent}))
	}},
	{"EventsOfJobs", seenByMembers, inJob(func(r *read.Snapshot, j *domain.JobView) (bool, error) {
		return hasItems(only(r.EventsOfJobs([]*domain.JobView{j}, read.ConnectionPart{})))
	})},
	{"Agents", seenByMembers, inAgent(func(*read.Snapshot, *domain.AgentView) (bool, error) { return true, nil })},
	{"AgentsOf", seenByMembers, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.AgentsOf([]*read.Organization{o}, domain.AgentSearch{}, read.ConnectionPart{})))
	})},
	{"AgentPermitted", seenByManagers, inAgent(func(r *read.Snapshot, a *domain.AgentView) (bool, error) {
		return allTrue(r.AgentPermitted([]*domain.AgentView{a}, authz.WriteAgent))
	})},
	{"JobsWithAgents", seenByMembers, inAgent(func(r *read.Snapshot, a *domain.AgentView) (bool, error) {
		return finds(r.JobsWithAgents([]*domain.AgentView{a}))
	})},
	{"ArePaused", seenByMembers, inAgent(func(r *read.Snapshot, a *domain.AgentView) (bool, error) {
		paused, err := r.ArePaused([]*domain.AgentView{a})
		return err == nil && !paused[0], err
	})},
	{"AuditEvents", seenByAdmins, func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return finds(r.AuditEvents([]domain.AuditEventID{domain.AuditEventID(at.event)}))
	}},
	{"AuditEventsOf", seenByAdmins, inOrganization(func(r *read.Snapshot, o *read.Organization, _ permissionTarget) (bool, error) {
		return hasItems(only(r.AuditEventsOf([]*read.Organization{o}, domain.AuditFilter{}, read.ConnectionPart{})))
	})},
}

// TestEveryMethodThatReadsIsInThePermissionMatrix fails for a method of a reading that no row calls, or by which all see or none does.
func TestEveryMethodThatReadsIsInThePermissionMatrix(t *testing.T) {
	t.Parallel()
	seenBy := map[string]string{}
	for _, c := range readingCases {
		seenBy[c.method] += " " + c.seenBy
	}
	methods := reflect.TypeFor[*read.Snapshot]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		row := strings.Fields(seenBy[name])
		if !slices.Contains(row, "yes") || !slices.Contains(row, "no") {
			t.Errorf("no case shows who sees something by %s, and who does not", name)
		}
		delete(seenBy, name)
	}
	for method := range seenBy {
		t.Errorf("there is no %s", method)
	}
}

func TestReadingPermissionMatrix(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		actors := s.PermissionActors(t)
		at := permissionCase{teams: true, pipelines: true, portals: true}.target(t, s, actors["admin"])
		if _, err := s.Service.FavoritePipeline(t.Context(), actors["member"], at.pipeline, true); err != nil {
			t.Fatal(err)
		}
		at.addBuild(t, s)
		at.addStarts(t, s)
		for _, c := range readingCases {
			names, expected := strings.Fields(readingActors), strings.Fields(c.seenBy)
			if len(names) != len(expected) {
				t.Fatalf("%s: %d outcomes for %d actors", c.method, len(expected), len(names))
			}
			for i, name := range names {
				var saw bool
				err := s.Reader.Snapshot(t.Context(), actors[name], func(r *read.Snapshot) (err error) {
					saw, err = c.see(r, at)
					return err
				})
				if err != nil || saw != (expected[i] == "yes") {
					t.Errorf("%s by %s: %t, not %s; %v", c.method, name, saw, expected[i], err)
				}
			}
		}
	})
}

type seeing = func(*read.Snapshot, permissionTarget) (bool, error)

// inOrganization sees with the target's organization. Whoever may not use it sees nothing; so it is with the others below.
func inOrganization(see func(*read.Snapshot, *read.Organization, permissionTarget) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		o, err := r.OrganizationBySlug(at.Organization.Slug)
		if err != nil || o == nil {
			return false, err
		}
		return see(r, o, at)
	}
}

func usesOrganization(r *read.Snapshot) bool {
	o, err := r.OrganizationBySlug(testkit.Organization)
	return err == nil && o != nil
}

func accessibleOrganization(r *read.Snapshot) (*domain.Membership, bool, error) {
	connection, err := r.AccessibleOrganizations(read.ConnectionPart{})
	if err != nil {
		return nil, false, err
	}
	items, err := connection.Items()
	for _, m := range items {
		if m.Slug == testkit.Organization {
			return m, true, err
		}
	}
	return nil, false, err
}

// targetPortal is the target's portal, as whoever may read portals has it.
func targetPortal(o *read.Organization, at permissionTarget) *domain.PortalView {
	return &domain.PortalView{Portal: domain.Portal{ID: domain.PortalID(at.portalGrant.ClientID), OrganizationID: o.ID}}
}

func inCluster(see func(*read.Snapshot, *domain.ClusterView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, see)(r.Clusters([]domain.ClusterID{domain.ClusterID(at.ID)}))
	}
}

func inPipeline(see func(*read.Snapshot, *domain.PipelineView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		p, err := r.PipelineBySlug(at.Organization.Slug, at.pipeline.Slug)
		return with(r, see)([]*domain.PipelineView{p}, err)
	}
}

func inBuild(see func(*read.Snapshot, *domain.BuildView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, see)(r.Builds([]domain.BuildID{domain.BuildID(at.build)}))
	}
}

func inJob(see func(*read.Snapshot, *domain.JobView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, see)(r.Jobs([]domain.JobID{domain.JobID(at.job)}))
	}
}

func inAgent(see func(*read.Snapshot, *domain.AgentView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, see)(r.Agents([]domain.AgentID{domain.AgentID(at.agent)}))
	}
}

// addStarts adds a rule, a template that is not available, and a schedule, which is said to have created the build.
func (at *permissionTarget) addStarts(t *testing.T, s *testkit.Server) {
	t.Helper()
	acme := "/v2/organizations/" + testkit.Organization
	at.rule = s.Post(testkit.AdminToken, acme+"/rules", map[string]any{"type": "pipeline.trigger_build.pipeline",
		"value": map[string]any{"source_pipeline": at.pipeline.Slug, "target_pipeline": at.pipeline.Slug}}).Want(t, 201).Text("uuid")
	at.template = s.Post(testkit.AdminToken, acme+"/pipeline-templates", map[string]any{"name": "Target", "configuration": "steps: [wait]"}).Want(t, 201).Text("uuid")
	at.schedule = s.Post(testkit.AdminToken, acme+"/pipelines/"+at.pipeline.Slug+"/schedules", map[string]any{"cronline": "@daily"}).Want(t, 201).Text("id")
	testkit.Exec(t, s.DB, `INSERT INTO repository_connections (id, organization_id, kind, url, display_name, login, created_at, updated_at)
		SELECT $1, id, 'github', 'https://github.com', 'GitHub', '', 0, 0 FROM organizations WHERE slug = $2`, string(targetConnection), testkit.Organization)
	testkit.Exec(t, s.DB, `INSERT INTO pipeline_webhooks (pipeline_id, connection_id, repository, external_id, created_at) SELECT id, $1, 'a/b', '1', 0 FROM pipelines WHERE slug = $2`,
		string(targetConnection), at.pipeline.Slug)
	testkit.Exec(t, s.DB, `INSERT INTO scheduled_builds (build_id, schedule_id) VALUES ($1, $2)`, at.build, at.schedule)
}

// addBuild makes what the calls about builds are about: a job that waits for another one is run for the second time.
func (at *permissionTarget) addBuild(t *testing.T, s *testkit.Server) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cluster, pipeline := testkit.ClusterPath(at.ID), "/v2/organizations/"+testkit.Organization+"/pipelines/"+at.pipeline.Slug
	s.Patch(testkit.AdminToken, cluster, map[string]any{"default_queue_id": at.queue}).Want(t, 200)
	s.Patch(testkit.AdminToken, pipeline, map[string]any{"cluster_id": at.ID, "configuration": `steps: [{key: a, command: "true"}, {depends_on: a, command: "true"}]`}).Want(t, 200)
	token := s.Post(testkit.AdminToken, cluster+"/tokens", map[string]any{"description": "CI"}).Want(t, 201).Text("token")
	address := netip.MustParseAddr("192.0.2.1")
	made, err := s.Agents.RegisterAgent(t.Context(), authz.AgentActor(authz.AgentToken, token, address), agents.Registration{Name: "a", Hostname: "h", OS: "o", Arch: "a", Version: "1", Build: "1"})
	must(err)
	session := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), address)
	must(s.Agents.ConnectAgent(t.Context(), session))
	at.agent = string(made.Agent.ID)
	run := func() (id string, job authz.Actor) {
		ping, err := s.Builds.PingAgent(t.Context(), session)
		must(err)
		accepted, err := s.Builds.AcceptJob(t.Context(), session, string(ping.Job))
		must(err)
		job = authz.AgentActor(authz.JobToken, accepted.Token.Reveal(), address)
		must(s.Builds.StartJob(t.Context(), job, string(ping.Job)))
		return string(ping.Job), job
	}
	end := func(status int64) string {
		id, job := run()
		must(s.Builds.FinishJob(t.Context(), job, id, builds.Finish{ExitStatus: status}))
		return id
	}
	at.build = s.Post(testkit.AdminToken, pipeline+"/builds", map[string]any{"commit": "HEAD", "branch": "main", "meta_data": map[string]any{"k": "v"}}).Want(t, 201).Text("id")
	end(0)
	at.retriedJob = end(1)
	s.Put(testkit.AdminToken, pipeline+"/builds/1/retry_failed_jobs", nil).Want(t, 202)
	job, actor := run()
	at.job = job
	at.annotation = s.Post(testkit.AdminToken, "/v2/organizations/"+testkit.Organization+"/jobs/"+job+"/annotations", map[string]any{"body": "x"}).Want(t, 201).Text("id")
	announced, err := s.Artifacts.CreateArtifacts(t.Context(), actor, job, artifacts.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{{Path: "a", FileSize: 1, SHA1Sum: strings.Repeat("a", 40)}}})
	must(err)
	at.artifact = string(announced.IDs[0])
	at.jobEvent = testkit.JobEvents(t, s.DB, at.job)[0].ID
}

func inTeam(see func(*read.Snapshot, *domain.TeamView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, see)(r.Teams([]domain.TeamID{domain.TeamID(at.team.ID)}))
	}
}

func inSecretTeam(see func(*read.Snapshot, *domain.TeamView) (bool, error)) seeing {
	return func(r *read.Snapshot, at permissionTarget) (bool, error) {
		return with(r, see)(r.Teams([]domain.TeamID{domain.TeamID(at.secretTeam.ID)}))
	}
}

func inMember(see func(*read.Snapshot, *domain.MemberView) (bool, error)) seeing {
	return inOrganization(func(r *read.Snapshot, o *read.Organization, at permissionTarget) (bool, error) {
		return with(r, see)(r.MembersOf([]domain.MembershipKey{{Organization: o.ID, User: domain.UserID(at.joined)}}))
	})
}

// with sees with the first of the things, if there is one.
func with[T any](r *read.Snapshot, see func(*read.Snapshot, *T) (bool, error)) func([]*T, error) (bool, error) {
	return func(things []*T, err error) (bool, error) {
		if err != nil || things[0] == nil {
			return false, err
		}
		return see(r, things[0])
	}
}

func teamMember(r *read.Snapshot, team *domain.TeamView) (*domain.TeamMemberView, bool, error) {
	return firstItem(only(r.MembersOfTeams([]*domain.TeamView{team}, nil, "", domain.ByName, read.ConnectionPart{})))
}

func teamPipeline(r *read.Snapshot, team *domain.TeamView) (*domain.TeamPipelineView, bool, error) {
	return firstItem(only(r.PipelinesOfTeams([]*domain.TeamView{team}, "", domain.ByName, read.ConnectionPart{})))
}

func only[T any](connections []*read.Connection[T], err error) (*read.Connection[T], error) {
	if err != nil {
		return nil, err
	}
	return connections[0], nil
}

func firstItem[T any](connection *read.Connection[T], err error) (item T, found bool, _ error) {
	if err != nil || connection == nil {
		return item, false, err
	}
	items, err := connection.Items()
	if err != nil || len(items) == 0 {
		return item, false, err
	}
	return items[0], true, nil
}

func hasItems[T any](connection *read.Connection[T], err error) (bool, error) {
	_, found, err := firstItem(connection, err)
	return found, err
}

func finds[T any](things []*T, err error) (bool, error) { return err == nil && things[0] != nil, err }

func allTrue(flags []bool, err error) (bool, error) {
	return err == nil && !slices.Contains(flags, false), err
}

func TestSnapshotsAreForWhoMayUseGraphQL(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		actors := s.PermissionActors(t)
		names := append(strings.Fields(permissionActors), "portal", "session", "visitor")
		outcomes := append(strings.Fields(usesGraphQL), "ok", "ok", "anon")
		for i, name := range names {
			err := s.Reader.Snapshot(t.Context(), actors[name], func(*read.Snapshot) error { return nil })
			testkit.CheckOutcome(t, name, err, outcomes[i])
		}
	})
}
