package clients_test

import (
	"testing"

	"github.com/buildkite/go-buildkite/v4"
)

// TestPublicGoClientTeams does with teams and members what a script that sets an organization up would do.
func TestPublicGoClientTeams(t *testing.T) {
	client, err := buildkite.NewOpts(buildkite.WithBaseURL(startServer(t)), buildkite.WithTokenAuth(teamToken))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("teams", func(t *testing.T) { teams(t, client) })
	t.Run("team members", func(t *testing.T) { teamMembers(t, client) })
	t.Run("team pipelines", func(t *testing.T) { teamPipelines(t, client) })
	t.Run("members", func(t *testing.T) { members(t, client) })
}

func newTeam(t *testing.T, client *buildkite.Client) buildkite.Team {
	t.Helper()
	return must[buildkite.Team](t, 201)(client.Teams.CreateTeam(t.Context(), org, buildkite.CreateTeam{Name: t.Name()}))
}

func teams(t *testing.T, client *buildkite.Client) {
	created := must[buildkite.Team](t, 201)(client.Teams.CreateTeam(t.Context(), org, buildkite.CreateTeam{
		Name: "Fearless Frontenders", Description: "The front", Privacy: "secret", IsDefaultTeam: true, DefaultMemberRole: "maintainer", MembersCanCreatePipelines: true,
	}))
	same(t, "the slug", created.Slug, "fearless-frontenders")
	same(t, "the privacy", created.Privacy, "secret")
	same(t, "whether it is a default team", created.Default, true)
	same(t, "the default role", created.DefaultMemberRole, "maintainer")
	same(t, "whether members can create pipelines", created.MembersCanCreatePipelines, true)
	same(t, "the creator", created.CreatedBy.Email, "admin@example.com")
	read, err := client.Teams.GetTeam(t.Context(), org, created.ID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the global id", read.GraphQLID, created.GraphQLID)
	// The client sends every switch at every update.
	updated := must[buildkite.Team](t, 200)(client.Teams.UpdateTeam(t.Context(), org, created.ID, buildkite.CreateTeam{Name: "Backenders"}))
	same(t, "the new slug", updated.Slug, "backenders")
	same(t, "the description", updated.Description, "The front")
	same(t, "whether it is a default team", updated.Default, false)
	list := must[[]buildkite.Team](t, 200)(client.Teams.List(t.Context(), org, nil))
	same(t, "the number of teams", len(list), 2)
	list = must[[]buildkite.Team](t, 200)(client.Teams.List(t.Context(), org, &buildkite.TeamsListOptions{UserID: otherID}))
	same(t, "the number of the member's teams", len(list), 0)
	_, _, err = client.Teams.CreateTeam(t.Context(), org, buildkite.CreateTeam{Name: "Backenders"})
	refused(t, err, 422, "Validation failed: A team with the slug backenders already exists in this organization")
	done(t, 204)(client.Teams.DeleteTeam(t.Context(), org, created.ID))
	_, err = client.Teams.GetTeam(t.Context(), org, created.ID)
	refused(t, err, 404, "No team found")
}

func teamMembers(t *testing.T, client *buildkite.Client) {
	team := newTeam(t, client)
	added := must[buildkite.TeamMember](t, 201)(client.TeamMember.CreateTeamMember(t.Context(), org, team.ID, buildkite.CreateTeamMember{UserID: otherID, Role: "maintainer"}))
	same(t, "the user", added.ID, otherID)
	same(t, "the name", added.UserName, "Member")
	same(t, "the role", added.Role, "maintainer")
	updated := must[buildkite.TeamMember](t, 200)(client.TeamMember.UpdateTeamMember(t.Context(), org, team.ID, otherID, "member"))
	same(t, "the new role", updated.Role, "member")
	read, err := client.TeamMember.GetTeamMember(t.Context(), org, team.ID, otherID)
	if err != nil || read.CreatedAt.IsZero() {
		t.Fatalf("got %+v, %v", read, err)
	}
	list := must[[]buildkite.TeamMember](t, 200)(client.TeamMember.ListTeamMembers(t.Context(), org, team.ID, nil))
	same(t, "the number of members", len(list), 1)
	teams := must[[]buildkite.Team](t, 200)(client.Teams.List(t.Context(), org, &buildkite.TeamsListOptions{UserID: otherID}))
	same(t, "the member's team", teams[0].ID, team.ID)
	done(t, 204)(client.TeamMember.DeleteTeamMember(t.Context(), org, team.ID, otherID))
	_, err = client.TeamMember.GetTeamMember(t.Context(), org, team.ID, otherID)
	refused(t, err, 404, "No team member found")
}

func teamPipelines(t *testing.T, client *buildkite.Client) {
	team := newTeam(t, client)
	pipeline := must[buildkite.Pipeline](t, 201)(client.Pipelines.Create(t.Context(), org, buildkite.CreatePipeline{
		Name: "Shared", Repository: "git@example.com:acme/shared.git", Configuration: "steps: []",
	}))
	added := must[buildkite.TeamPipeline](t, 201)(client.TeamPipelines.Create(t.Context(), org, team.ID, buildkite.CreateTeamPipelines{PipelineID: pipeline.ID}))
	same(t, "the pipeline", added.ID, pipeline.ID)
	same(t, "the pipeline's address", added.URL, pipeline.URL)
	same(t, "the access", added.AccessLevel, "read_only")
	updated := must[buildkite.TeamPipeline](t, 200)(client.TeamPipelines.Update(t.Context(), org, team.ID, pipeline.ID, buildkite.UpdateTeamPipelines{AccessLevel: "manage_build_and_read"}))
	same(t, "the new access", updated.AccessLevel, "manage_build_and_read")
	read := must[buildkite.TeamPipeline](t, 200)(client.TeamPipelines.Get(t.Context(), org, team.ID, pipeline.ID))
	same(t, "the access", read.AccessLevel, "manage_build_and_read")
	list := must[[]buildkite.TeamPipeline](t, 200)(client.TeamPipelines.List(t.Context(), org, team.ID, nil))
	same(t, "the number of pipelines", len(list), 1)
	done(t, 204)(client.TeamPipelines.Delete(t.Context(), org, team.ID, pipeline.ID))
}

func members(t *testing.T, client *buildkite.Client) {
	list := must[[]buildkite.Member](t, 200)(client.Members.List(t.Context(), org, nil))
	same(t, "the number of members", len(list), 2)
	same(t, "the first", list[0].Name, "Admin")
	read := must[buildkite.Member](t, 200)(client.Members.Get(t.Context(), org, otherID))
	same(t, "the member", read.UUID, otherID)
	same(t, "the e-mail", read.Email, "member@example.com")
}
