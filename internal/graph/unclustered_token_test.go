package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/testkit"
)

func TestUnclusteredTokens(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization := globalID(t, s, testkit.Organization)
		const create = `mutation ($o: ID!, $d: String, $p: Boolean) { agentTokenCreate(input: {organizationID: $o, description: $d, public: $p}) {
			tokenValue organization { slug } agentTokenEdge { cursor node { id uuid description public token revokedAt createdBy { email } permissions { agentTokenRevoke { allowed } } } } } }`
		const revoke = `mutation ($id: ID!, $r: String!) { agentTokenRevoke(input: {id: $id, reason: $r}) { agentToken { uuid revokedAt revokedReason revokedBy { email } permissions { agentTokenRevoke { allowed } } } } }`
		made := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, create, fields{"o": organization, "d": "Fleet"})), "agentTokenCreate").(item)
		node := dig(t, made, "agentTokenEdge", "node").(item)
		wantEqual(t, node["description"], "Fleet")
		wantEqual(t, node["public"], false)
		wantEqual(t, node["token"], "")
		wantEqual(t, dig(t, node, "permissions", "agentTokenRevoke", "allowed"), true)
		value := textAt(made, "tokenValue")

		for _, refused := range []struct {
			token, document, refusal, field string
			variables                       fields
		}{
			{testkit.MaintainerToken, create, "Forbidden", "agentTokenCreate", fields{"o": organization}},
			{testkit.OutsiderToken, create, "No organization found", "agentTokenCreate", fields{"o": organization}},
			{testkit.AdminToken, create, "Validation failed: Public can't be true: agents are seen by the organization's members only", "agentTokenCreate", fields{"o": organization, "p": true}},
			{testkit.AdminToken, revoke, "Validation failed: Reason can't be blank", "agentTokenRevoke", fields{"id": node["id"], "r": " "}},
			{testkit.AdminToken, revoke, "No agent token found", "agentTokenRevoke", fields{"id": domain.GraphQLID("AgentToken", noSuchID), "r": "Gone"}},
			{testkit.MaintainerToken, revoke, "Forbidden", "agentTokenRevoke", fields{"id": node["id"], "r": "Mine"}},
		} {
			wantError(t, s.GraphQL(refused.token, refused.document, refused.variables), refused.refusal, refused.field)
		}

		// The provider finds it by the organization's slug and its UUID.
		find := func(token, slug string) any {
			return dig(t, wantData(t, s.GraphQL(token, `query ($slug: ID!) { agentToken(slug: $slug) { id description uuid } }`, fields{"slug": slug})), "agentToken")
		}
		uuid := textAt(node, "uuid")
		wantEqual(t, textAt(find(testkit.AdminToken, testkit.Organization+"/"+uuid).(item), "description"), "Fleet")
		wantEqual(t, find(testkit.AdminToken, "elsewhere/"+uuid), nil)
		wantEqual(t, find(testkit.MemberToken, testkit.Organization+"/"+uuid), nil)

		// Agents register into the default cluster, if there is one.
		registering := authz.AgentActor(authz.AgentToken, value, agentAddress)
		register := func() (agents.Registered, error) {
			return s.Agents.RegisterAgent(t.Context(), registering, agents.Registration{Name: "a"})
		}
		s.Patch(testkit.AdminToken, acme, fields{"settings": fields{"default_cluster_id": nil}}).Want(t, 200)
		if _, err := register(); domain.CodeOf(err) != domain.Invalid || !strings.Contains(err.Error(), "no default cluster") {
			t.Errorf("without a default cluster, registering gets %v", err)
		}
		agentTokenFor(t, s) // with a default queue
		s.Patch(testkit.AdminToken, acme, fields{"settings": fields{"default_cluster_id": testkit.MaintainedID}}).Want(t, 200)
		agent, err := register()
		if err != nil || agent.Agent.ClusterID != testkit.MaintainedID {
			t.Fatalf("the agent is of cluster %s: %v", agent.Agent.ClusterID, err)
		}
		session := authz.AgentActor(authz.AgentSession, agent.Session.Reveal(), agentAddress)
		if err := s.Agents.ConnectAgent(t.Context(), session); err != nil {
			t.Fatal(err)
		}

		list := func(token, filter string) any {
			return dig(t, wantData(t, s.GraphQL(token, `query ($slug: ID!) { organization(slug: $slug) { agentTokens(first: 10`+filter+`) { count edges { node { uuid } } } } }`,
				fields{"slug": testkit.Organization})), "organization", "agentTokens")
		}
		wantEqual(t, dig(t, list(testkit.AdminToken, ""), "count"), 1.0)
		wantEqual(t, dig(t, list(testkit.AdminToken, ", revoked: true"), "count"), 0.0)
		wantEqual(t, list(testkit.MemberToken, ""), nil)

		revoked := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, revoke, fields{"id": node["id"], "r": "Lost"})), "agentTokenRevoke", "agentToken").(item)
		wantEqual(t, revoked["revokedReason"], "Lost")
		wantError(t, s.GraphQL(testkit.AdminToken, revoke, fields{"id": node["id"], "r": "Again"}), "Validation failed: Agent token has already been revoked", "agentTokenRevoke")
		wantEqual(t, dig(t, list(testkit.AdminToken, ", revoked: true"), "count"), 1.0)
		wantEqual(t, dig(t, list(testkit.AdminToken, ", revoked: false"), "count"), 0.0)
		if _, err := register(); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("with a revoked token, registering gets %v", err)
		}
		if _, err := s.Builds.PingAgent(t.Context(), session); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("an agent whose token is revoked gets %v", err)
		}
	})
}

func TestOrganizationBanners(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization := globalID(t, s, testkit.Organization)
		const upsert = `mutation ($o: ID!, $m: String!) { organizationBannerUpsert(input: {organizationId: $o, message: $m}) { clientMutationId banner { id uuid message } } }`
		const remove = `mutation ($o: ID!) { organizationBannerDelete(input: {organizationId: $o}) { clientMutationId deletedBannerId } }`
		banners := func(token string) any {
			return dig(t, wantData(t, s.GraphQL(token, `query ($slug: ID!) { organization(slug: $slug) { banners(first: 1) { count edges { node { id uuid message } } } } }`,
				fields{"slug": testkit.Organization})), "organization", "banners")
		}
		wantEqual(t, dig(t, banners(testkit.MemberToken), "count"), 0.0)
		wantError(t, s.GraphQL(testkit.AdminToken, remove, fields{"o": organization}), "No organization banner found", "organizationBannerDelete")
		made := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, upsert, fields{"o": organization, "m": "Down at noon"})), "organizationBannerUpsert", "banner").(item)
		changed := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, upsert, fields{"o": organization, "m": "Down at one"})), "organizationBannerUpsert", "banner").(item)
		wantEqual(t, changed["id"], made["id"])
		wantEqual(t, dig(t, banners(testkit.MemberToken), "edges"), []any{item{"node": changed}})
		wantError(t, s.GraphQL(testkit.MemberToken, upsert, fields{"o": organization, "m": "Mine"}), "Forbidden", "organizationBannerUpsert")
		wantError(t, s.GraphQL(testkit.AdminToken, upsert, fields{"o": organization, "m": " "}), "Validation failed: Message can't be blank", "organizationBannerUpsert")
		wantError(t, s.GraphQL(testkit.MemberToken, remove, fields{"o": organization}), "Forbidden", "organizationBannerDelete")

		// REST has the same.
		wantEqual(t, s.Get(testkit.MemberToken, acme+"/banner").Want(t, 200).Text("message"), "Down at one")
		s.Put(testkit.AdminToken, acme+"/banner", fields{"message": "Up again"}).Want(t, 200)
		s.Put(testkit.AdminToken, acme+"/banner", fields{"message": ""}).Want(t, 422)
		s.Put(testkit.AdminToken, acme+"/banner", fields{}).Want(t, 422)
		wantEqual(t, dig(t, wantData(t, s.GraphQL(testkit.AdminToken, remove, fields{"o": organization})), "organizationBannerDelete", "deletedBannerId"), made["id"])
		s.Get(testkit.MemberToken, acme+"/banner").Want(t, 404)
		s.Delete(testkit.AdminToken, acme+"/banner").Want(t, 404)
	})
}
