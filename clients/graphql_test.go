package clients_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	genqlient "github.com/Khan/genqlient/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"penstock/clients/graphql"
)

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestGeneratedClient runs operations of a client that github.com/Khan/genqlient made against a server, as a team's tool would.
func TestGeneratedClient(t *testing.T) {
	server := startServer(t)
	client := genqlient.NewClient(server+"/v1", &http.Client{Transport: bearer(graphqlToken)})
	viewer, err := graphql.Viewer(t.Context(), client)
	ok(t, err)
	same(t, "the name", viewer.Viewer.User.Name, "Admin")
	same(t, "the number of organizations", viewer.Viewer.Organizations.Count, 1)
	same(t, "the organization", viewer.Viewer.Organizations.Nodes[0].Slug, org)
	c := generated{client, viewer.Viewer.Organizations.Nodes[0].Id}
	t.Run("clusters", c.clusters)
	t.Run("queues", c.queues)
	t.Run("pipelines", c.pipelines)
	t.Run("teams", c.teams)
	t.Run("audit events", c.auditEvents)
	t.Run("errors", func(t *testing.T) { c.errors(t, server) })
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func of[T any](v T) *T { return &v }

// generated is the client, and the organization that it is used in.
type generated struct {
	genqlient.Client
	organization string
}

func (c generated) cluster(t *testing.T) graphql.CreateClusterClusterCreateClusterCreatePayloadCluster {
	t.Helper()
	made, err := graphql.CreateCluster(t.Context(), c, graphql.ClusterCreateInput{
		OrganizationId: c.organization, Name: t.Name(), Description: of("D"), Color: of("#abc"), ClientMutationId: of("mine"),
	})
	ok(t, err)
	same(t, "the client's id", *made.ClusterCreate.ClientMutationId, "mine")
	return made.ClusterCreate.Cluster
}

func (c generated) clusters(t *testing.T) {
	made := c.cluster(t)
	same(t, "the description", *made.Description, "D")
	same(t, "the emoji", made.Emoji, nil)
	changed, err := graphql.UpdateCluster(t.Context(), c, graphql.ClusterUpdateInput{OrganizationId: c.organization, Id: made.Id, Emoji: of(":rocket:")})
	ok(t, err)
	cluster := changed.ClusterUpdate.Cluster
	same(t, "the emoji", *cluster.Emoji, ":rocket:")
	same(t, "the description, which was sent as null,", cluster.Description, nil)
	same(t, "the color, which was left out,", *cluster.Color, "#abc")
	same(t, "the name, which was left out,", cluster.Name, t.Name())
	node, err := graphql.Node(t.Context(), c, made.Id)
	ok(t, err)
	read, isCluster := (*node.Node).(*graphql.NodeNodeCluster)
	same(t, "whether the node is a cluster", isCluster, true)
	same(t, "the name", read.Name, t.Name())
	deleted, err := graphql.DeleteCluster(t.Context(), c, c.organization, made.Id)
	ok(t, err)
	same(t, "the id", deleted.ClusterDelete.DeletedClusterId, made.Id)
	node, err = graphql.Node(t.Context(), c, made.Id)
	ok(t, err)
	same(t, "what is deleted", node.Node, nil)
}

func (c generated) queues(t *testing.T) {
	cluster := c.cluster(t)
	version := graphql.HostedAgentMacOSVersionSequoia
	made, err := graphql.CreateQueue(t.Context(), c, c.organization, cluster.Id, "mac", &graphql.HostedAgentsQueueSettingsCreateInput{
		InstanceShape:    graphql.HostedAgentInstanceShapeNameMacosArm64M46x28,
		PlatformSettings: &graphql.HostedAgentsPlatformSettingsInput{Macos: &graphql.HostedAgentsMacosPlatformSettingsInput{MacosVersion: &version}},
	})
	ok(t, err)
	queue := made.ClusterQueueCreate.ClusterQueue
	same(t, "whether it is hosted", queue.Hosted, true)
	same(t, "the shape", *queue.HostedAgents.InstanceShape.Name, graphql.HostedAgentInstanceShapeNameMacosArm64M46x28)
	same(t, "the kind of machine", *queue.HostedAgents.InstanceShape.MachineType, graphql.HostedAgentMachineTypeMacos)
	plain, err := graphql.CreateQueue(t.Context(), c, c.organization, cluster.Id, "plain", nil)
	ok(t, err)
	same(t, "hosted agents of a plain queue", plain.ClusterQueueCreate.ClusterQueue.HostedAgents, nil)
	before := time.Now().Add(-time.Minute)
	paused, err := graphql.PauseQueue(t.Context(), c, queue.Id, of("Moving"))
	ok(t, err)
	same(t, "the note", *paused.ClusterQueuePauseDispatch.Queue.DispatchPausedNote, "Moving")
	same(t, "who paused it", paused.ClusterQueuePauseDispatch.Queue.DispatchPausedBy.Name, "Admin")
	if at := *paused.ClusterQueuePauseDispatch.Queue.DispatchPausedAt; at.Before(before) || at.After(before.Add(time.Hour)) {
		t.Errorf("it was paused at %s", at)
	}
	expiry := time.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	token, err := graphql.CreateAgentToken(t.Context(), c, c.organization, cluster.Id, "CI", &expiry)
	ok(t, err)
	same(t, "the expiry", *token.ClusterAgentTokenCreate.ClusterAgentToken.ExpiresAt, expiry)
	same(t, "the value's beginning", strings.HasPrefix(token.ClusterAgentTokenCreate.TokenValue, "pnc_"), true)
	registry, err := graphql.CreateRegistry(t.Context(), c, c.organization, cluster.Id, "Ruby gems", of(`{}`))
	ok(t, err)
	same(t, "the policy", *registry.CacheRegistryCreate.CacheRegistry.Policy, `{"save":{"scopes":{}},"restore":{"scopes":[]},"rules":[]}`)
}

func (c generated) pipelines(t *testing.T) {
	cluster := c.cluster(t)
	team, err := graphql.CreateTeam(t.Context(), c, c.organization, "Owners", graphql.TeamPrivacyVisible)
	ok(t, err)
	names := []string{}
	for i := range 7 {
		name := fmt.Sprintf("Pipeline %d", i)
		level := graphql.PipelineAccessLevelsBuildAndRead
		made, err := graphql.CreatePipeline(t.Context(), c, c.organization, name, "git@example.com:acme/web.git", &cluster.Id,
			[]graphql.PipelineTeamAssignmentInput{{Id: team.TeamCreate.TeamEdge.Node.Id, AccessLevel: &level}})
		ok(t, err)
		pipeline := made.PipelineCreate.Pipeline
		same(t, "the slug", pipeline.Slug, fmt.Sprintf("pipeline-%d", i))
		same(t, "the cluster", pipeline.Cluster.Name, t.Name())
		same(t, "the visibility", pipeline.Visibility, graphql.PipelineVisibilityPrivate)
		same(t, "the team's access", pipeline.Teams.Nodes[0].AccessLevel, level)
		names = append(names, name)
	}
	// Pages, as the interface describes them.
	order, first := graphql.PipelineOrdersName, 3
	var after *string
	for page := 0; ; page++ {
		read, err := graphql.Pipelines(t.Context(), c, org, &first, after, &order)
		ok(t, err)
		pipelines := read.Organization.Pipelines
		same(t, "the count", pipelines.Count, 7)
		for _, edge := range pipelines.Edges {
			same(t, "the name", edge.Node.Name, names[0])
			names = names[1:]
		}
		if !pipelines.PageInfo.HasNextPage {
			same(t, "the number of the last page", page, 2)
			break
		}
		after = pipelines.PageInfo.EndCursor
	}
	same(t, "what was not read", len(names), 0)
	all, err := graphql.Pipelines(t.Context(), c, org, nil, nil, nil)
	ok(t, err)
	last := all.Organization.Pipelines.Edges[0].Node // the latest
	node, err := graphql.Node(t.Context(), c, last.Id)
	ok(t, err)
	pipeline, isPipeline := (*node.Node).(*graphql.NodeNodePipeline)
	same(t, "whether the node is a pipeline", isPipeline, true)
	same(t, "the node's fields", pipeline.Slug, "pipeline-6")
	archived, err := graphql.ArchivePipeline(t.Context(), c, last.Id)
	ok(t, err)
	same(t, "whether it is archived", archived.PipelineArchive.Pipeline.Archived, true)
}

func (c generated) teams(t *testing.T) {
	made, err := graphql.CreateTeam(t.Context(), c, c.organization, "Fearless Frontenders", graphql.TeamPrivacySecret)
	ok(t, err)
	team := made.TeamCreate.TeamEdge.Node
	same(t, "the slug", team.Slug, "fearless-frontenders")
	same(t, "the privacy", team.Privacy, graphql.TeamPrivacySecret)
	role := graphql.TeamMemberRoleMaintainer
	added, err := graphql.AddTeamMember(t.Context(), c, team.Id, globalID("User", otherID), &role)
	ok(t, err)
	same(t, "the role", added.TeamMemberCreate.TeamMemberEdge.Node.Role, role)
	same(t, "the member", added.TeamMemberCreate.TeamMemberEdge.Node.User.Email, "member@example.com")
}

func (c generated) auditEvents(t *testing.T) {
	from := time.Now().Add(-time.Hour)
	read, err := graphql.AuditEvents(t.Context(), c, org, &from, []graphql.AuditEventType{graphql.AuditEventTypeTeamCreated, graphql.AuditEventTypePipelineCreated})
	ok(t, err)
	events := read.Organization.AuditEvents.Nodes
	if len(events) < 9 {
		t.Fatalf("only %d events", len(events))
	}
	same(t, "the latest", events[0].Type, graphql.AuditEventTypeTeamCreated)
	same(t, "its actor", *events[0].Actor.Name, "Admin")
	context, isAPI := (*events[0].Context).(*graphql.AuditEventsOrganizationAuditEventsOrganizationAuditEventConnectionNodesAuditEventContextAuditAPIContext)
	same(t, "whether it came through the API", isAPI, true)
	same(t, "from where", *context.RequestIpAddress, "127.0.0.1")
}

func (c generated) errors(t *testing.T, server string) {
	_, err := graphql.CreateCluster(t.Context(), c, graphql.ClusterCreateInput{OrganizationId: c.organization})
	var failures gqlerror.List
	if !errors.As(err, &failures) || len(failures) != 1 {
		t.Fatalf("the error is %v", err)
	}
	same(t, "the message", failures[0].Message, "Validation failed: Name can't be blank")
	same(t, "the path", failures[0].Path.String(), "clusterCreate")
	_, err = graphql.Viewer(t.Context(), genqlient.NewClient(server+"/v1", &http.Client{Transport: bearer("x")}))
	var refused *genqlient.HTTPError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v", err)
	}
	same(t, "the status", refused.StatusCode, http.StatusUnauthorized)
	same(t, "the message's beginning", strings.HasPrefix(refused.Response.Errors[0].Message, "Authentication required."), true)
}

func globalID(typeName, uuid string) string {
	return base64.StdEncoding.EncodeToString([]byte(typeName + "---" + uuid))
}
