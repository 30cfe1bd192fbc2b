package clients_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/buildkite/go-buildkite/v4"
)

const org = "acme-inc"

// TestPublicGoClient runs github.com/buildkite/go-buildkite against a server, as a team's script would.
func TestPublicGoClient(t *testing.T) {
	client, err := buildkite.NewOpts(buildkite.WithBaseURL(startServer(t)), buildkite.WithTokenAuth(token))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("identity", func(t *testing.T) { identity(t, client) })
	t.Run("clusters", func(t *testing.T) { clusters(t, client) })
	t.Run("pages", func(t *testing.T) { pages(t, client) })
	t.Run("queues", func(t *testing.T) { queues(t, client) })
	t.Run("tokens", func(t *testing.T) { tokens(t, client) })
	t.Run("maintainers", func(t *testing.T) { maintainers(t, client) })
	t.Run("errors", func(t *testing.T) { failures(t, client) })
	t.Run("revoke", func(t *testing.T) { revoke(t, client) })
}

// must returns a call's value and fails the test if it failed or had another status.
func must[T any](t *testing.T, status int) func(T, *buildkite.Response, error) T {
	return func(value T, resp *buildkite.Response, err error) T {
		t.Helper()
		done(t, status)(resp, err)
		return value
	}
}

func done(t *testing.T, status int) func(*buildkite.Response, error) {
	return func(resp *buildkite.Response, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != status {
			t.Fatalf("answered %s, want %d", resp.Status, status)
		}
	}
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// newCluster makes a cluster for a test.
func newCluster(t *testing.T, client *buildkite.Client) buildkite.Cluster {
	t.Helper()
	return must[buildkite.Cluster](t, 201)(client.Clusters.Create(t.Context(), org, buildkite.ClusterCreate{Name: t.Name()}))
}

func identity(t *testing.T, client *buildkite.Client) {
	user := must[buildkite.User](t, 200)(client.User.CurrentUser(t.Context()))
	same(t, "the user's e-mail", user.Email, "admin@example.com")
	access := must[buildkite.AccessToken](t, 200)(client.AccessTokens.Get(t.Context()))
	same(t, "the token's description", access.Description, "Public client")
	same(t, "the token's scopes", strings.Join(access.Scopes, " "), "read_clusters write_clusters read_organizations read_user")
	same(t, "the token's user", access.User.Email, "admin@example.com")
	organizations := must[[]buildkite.Organization](t, 200)(client.Organizations.List(t.Context(), nil))
	same(t, "the number of organizations", len(organizations), 1)
	organization := must[buildkite.Organization](t, 200)(client.Organizations.Get(t.Context(), org))
	same(t, "the organization's name", organization.Name, "Acme Inc")
	same(t, "the organization", organization.ID, organizations[0].ID)
	meta := must[buildkite.Meta](t, 200)(client.Meta.Get(t.Context()))
	same(t, "the webhooks' address", strings.Join(meta.WebhookIPs, " "), "127.0.0.1/32")
}

func clusters(t *testing.T, client *buildkite.Client) {
	created := must[buildkite.Cluster](t, 201)(client.Clusters.Create(t.Context(), org, buildkite.ClusterCreate{
		Name: "Open Source", Description: "A place for safely running our open source builds", Emoji: ":technologist:", Color: "#FFE0F1",
		Maintainers: []buildkite.ClusterMaintainer{{UserID: otherID}, {TeamID: teamID}},
	}))
	same(t, "the name", created.Name, "Open Source")
	same(t, "the default queue", created.DefaultQueueID, "")
	same(t, "the creator", created.CreatedBy.Email, "admin@example.com")
	same(t, "the maintaining user", created.Maintainers.Users[0].Actor.ID, otherID)
	same(t, "the maintaining team", created.Maintainers.Teams[0].Actor.Slug, "platform")
	if created.CreatedAt == nil || created.CreatedAt.IsZero() {
		t.Error("there is no time of creation")
	}
	read := must[buildkite.Cluster](t, 200)(client.Clusters.Get(t.Context(), org, created.ID))
	same(t, "the description", read.Description, "A place for safely running our open source builds")
	same(t, "the global id", read.GraphQLID, created.GraphQLID)
	queue := must[buildkite.ClusterQueue](t, 201)(client.ClusterQueues.Create(t.Context(), org, created.ID, buildkite.ClusterQueueCreate{Key: "default"}))
	updated := must[buildkite.Cluster](t, 200)(client.Clusters.Update(t.Context(), org, created.ID,
		buildkite.ClusterUpdate{Name: "Closed Source", DefaultQueueID: queue.ID}))
	same(t, "the new name", updated.Name, "Closed Source")
	same(t, "the emoji", updated.Emoji, ":technologist:")
	same(t, "the default queue", updated.DefaultQueueID, queue.ID)
	same(t, "the default queue's address", updated.DefaultQueueURL, queue.URL)
	done(t, 204)(client.Clusters.Delete(t.Context(), org, created.ID))
	_, _, err := client.Clusters.Get(t.Context(), org, created.ID)
	refused(t, err, 404, "No cluster found")
}

func pages(t *testing.T, client *buildkite.Client) {
	const count = 7
	for i := range count {
		must[buildkite.Cluster](t, 201)(client.Clusters.Create(t.Context(), org, buildkite.ClusterCreate{Name: fmt.Sprintf("Paged %d", i)}))
	}
	seen := map[string]bool{}
	options := &buildkite.ClustersListOptions{ListOptions: buildkite.ListOptions{PerPage: 3}}
	for {
		list, resp, err := client.Clusters.List(t.Context(), org, options)
		done(t, 200)(resp, err)
		for _, c := range list {
			if seen[c.ID] {
				t.Errorf("%s is on two pages", c.Name)
			}
			seen[c.ID] = true
		}
		if resp.NextPage == 0 {
			break
		}
		options.Page = resp.NextPage
	}
	if len(seen) < count {
		t.Errorf("the pages have %d clusters", len(seen))
	}
}

func queues(t *testing.T, client *buildkite.Client) {
	cluster := newCluster(t, client)
	created := must[buildkite.ClusterQueue](t, 201)(client.ClusterQueues.Create(t.Context(), org, cluster.ID,
		buildkite.ClusterQueueCreate{Key: "linux", Description: "Linux machines", RetryAgentAffinity: buildkite.RetryAgentAffinityPreferDifferent}))
	same(t, "the affinity", created.RetryAgentAffinity, buildkite.RetryAgentAffinityPreferDifferent)
	updated := must[buildkite.ClusterQueue](t, 200)(client.ClusterQueues.Update(t.Context(), org, cluster.ID, created.ID,
		buildkite.ClusterQueueUpdate{Description: "More Linux machines"}))
	same(t, "the description", updated.Description, "More Linux machines")
	same(t, "the affinity", updated.RetryAgentAffinity, buildkite.RetryAgentAffinityPreferDifferent)
	paused := must[buildkite.ClusterQueue](t, 200)(client.ClusterQueues.Pause(t.Context(), org, cluster.ID, created.ID, buildkite.ClusterQueuePause{Note: "Maintenance"}))
	same(t, "paused", paused.DispatchPaused, true)
	same(t, "the note", paused.DispatchPausedNote, "Maintenance")
	same(t, "who paused it", paused.DispatchPausedBy.Email, "admin@example.com")
	done(t, 200)(client.ClusterQueues.Resume(t.Context(), org, cluster.ID, created.ID))
	read := must[buildkite.ClusterQueue](t, 200)(client.ClusterQueues.Get(t.Context(), org, cluster.ID, created.ID))
	same(t, "paused", read.DispatchPaused, false)
	list := must[[]buildkite.ClusterQueue](t, 200)(client.ClusterQueues.List(t.Context(), org, cluster.ID, nil))
	same(t, "the number of queues", len(list), 1)
	done(t, 204)(client.ClusterQueues.Delete(t.Context(), org, cluster.ID, created.ID))
}

func tokens(t *testing.T, client *buildkite.Client) {
	cluster := newCluster(t, client)
	created := must[buildkite.ClusterToken](t, 201)(client.ClusterTokens.Create(t.Context(), org, cluster.ID,
		buildkite.ClusterTokenCreateUpdate{Description: "Agents", AllowedIPAddresses: "10.0.0.0/8 192.0.2.0/24"}))
	if !strings.HasPrefix(created.Token, "pnc_") {
		t.Errorf("the token is %q", created.Token)
	}
	updated := must[buildkite.ClusterToken](t, 200)(client.ClusterTokens.Update(t.Context(), org, cluster.ID, created.ID,
		buildkite.ClusterTokenCreateUpdate{Description: "Fewer agents", AllowedIPAddresses: "10.0.0.0/8"}))
	same(t, "the description", updated.Description, "Fewer agents")
	read := must[buildkite.ClusterToken](t, 200)(client.ClusterTokens.Get(t.Context(), org, cluster.ID, created.ID))
	same(t, "the addresses", read.AllowedIPAddresses, "10.0.0.0/8")
	same(t, "the value, the second time", read.Token, "")
	list := must[[]buildkite.ClusterToken](t, 200)(client.ClusterTokens.List(t.Context(), org, cluster.ID, nil))
	same(t, "the number of tokens", len(list), 1)
	done(t, 204)(client.ClusterTokens.Delete(t.Context(), org, cluster.ID, created.ID))
}

func maintainers(t *testing.T, client *buildkite.Client) {
	cluster := newCluster(t, client)
	user := must[buildkite.ClusterMaintainerEntry](t, 201)(client.ClusterMaintainers.Create(t.Context(), org, cluster.ID, buildkite.ClusterMaintainer{UserID: otherID}))
	same(t, "the actor's type", user.Actor.Type, "user")
	team := must[buildkite.ClusterMaintainerEntry](t, 201)(client.ClusterMaintainers.Create(t.Context(), org, cluster.ID, buildkite.ClusterMaintainer{TeamID: teamID}))
	same(t, "the actor's type", team.Actor.Type, "team")
	list := must[[]buildkite.ClusterMaintainerEntry](t, 200)(client.ClusterMaintainers.List(t.Context(), org, cluster.ID, nil))
	same(t, "the number of maintainers", len(list), 2)
	read := must[buildkite.ClusterMaintainerEntry](t, 200)(client.ClusterMaintainers.Get(t.Context(), org, cluster.ID, team.ID))
	same(t, "the team", read.Actor.ID, teamID)
	done(t, 204)(client.ClusterMaintainers.Delete(t.Context(), org, cluster.ID, user.ID))
	_, _, err := client.ClusterMaintainers.Create(t.Context(), org, cluster.ID, buildkite.ClusterMaintainer{TeamID: teamID})
	refused(t, err, 422, "Validation failed: Maintainer has already been added")
}

func failures(t *testing.T, client *buildkite.Client) {
	_, _, err := client.Clusters.List(t.Context(), "no-such-org", nil)
	refused(t, err, 404, "No organization found")
	_, _, err = client.Clusters.Create(t.Context(), org, buildkite.ClusterCreate{Name: "x", Color: "red"})
	refused(t, err, 422, "Validation failed: Color must be # and 3 or 6 hexadecimal digits")
}

func revoke(t *testing.T, client *buildkite.Client) {
	done(t, 204)(client.AccessTokens.Revoke(t.Context()))
	_, _, err := client.User.CurrentUser(context.WithoutCancel(t.Context()))
	var failure *buildkite.ErrorResponse
	if !errors.As(err, &failure) || failure.Response.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the revocation: %v", err)
	}
}

func refused(t *testing.T, err error, status int, message string) {
	t.Helper()
	var failure *buildkite.ErrorResponse
	if !errors.As(err, &failure) {
		t.Fatalf("want %d: %v", status, err)
	}
	same(t, "the status", failure.Response.StatusCode, status)
	same(t, "the message", failure.Message, message)
}
