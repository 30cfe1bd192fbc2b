package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// TestHostileTextsInAnOrganization writes an attack into every field of an organization's pipelines, teams, members, portals and
// settings, and looks at all pages that show them.
func TestHostileTextsInAnOrganization(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		ctx, operator := t.Context(), authz.OperatorActor()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		user, err := s.Service.CreateUser(ctx, operator, domain.UserInput{Email: "o'reilly&co@example.com", Name: attack})
		must(err)
		must(s.Service.AddMember(ctx, operator, testkit.Organization, user.Email, domain.RoleAdmin))
		actor := s.actorOf(user.Email)
		actor.UserAgent = attack
		some := domain.Some[string]
		_, err = s.Service.UpdateOrganization(ctx, actor, domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.OrganizationPatch{Name: some(attack)}), nil)
		must(err)
		cluster, err := s.Service.CreateCluster(ctx, actor, domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.ClusterInput{Name: some(attack),
			Maintainers: domain.Some([]domain.MaintainerInput{{User: some(string(user.ID))}})}))
		must(err)
		team, err := s.Service.CreateTeam(ctx, actor, domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.TeamInput{Name: some(attack), Description: some(attack)}))
		must(err)
		teamRef := domain.TeamRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, ID: string(team.ID)}
		_, err = s.Service.AddTeamMember(ctx, actor, teamRef, core.Value(domain.TeamMemberInput{UserID: some(string(user.ID))}))
		must(err)
		p, err := s.Service.CreatePipeline(ctx, actor, domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.PipelineInput{
			Name: some(attack), Repository: some(attack), ClusterID: some(string(cluster.ID)), Configuration: some("x: |\n  " + attack),
			PipelineBuildSettingsInput: domain.PipelineBuildSettingsInput{
				DefaultBranch: some(attack), BranchConfiguration: some(attack), SkipQueuedBranchBuildsFilter: some(attack), CancelRunningBranchBuildsFilter: some(attack),
			},
			Tags: domain.Some([]string{attack[:90]}), Env: domain.Some(map[string]string{"<script>": attack}), LookInput: domain.LookInput{Description: some(attack), Emoji: some(":unknown_one:")},
			Teams: domain.Some([]domain.PipelineTeamInput{{ID: string(team.ID), AccessLevel: domain.PipelineManageBuildAndRead}}),
		}))
		must(err)
		portal, _, err := s.Service.CreatePortal(ctx, actor, testkit.Organization, core.Value(domain.PortalInput{Name: some(attack), Description: some(attack), Query: some("{ viewer { id } } # " + attack)}))
		must(err)
		portalRef := domain.PortalRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: portal.Slug}
		_, _, err = s.Service.CreatePortalToken(ctx, actor, portalRef, core.Value(domain.PortalTokenInput{Description: some(attack)}))
		must(err)
		_, _, err = s.Service.CreatePortalSecret(ctx, actor, portalRef, core.Value(domain.PortalSecretInput{Description: some(attack)}))
		must(err)
		token, _, err := s.Service.CreateOwnToken(ctx, actor, domain.APITokenInput{Description: attack, Organizations: []string{testkit.Organization}})
		must(err)

		b := s.signedIn(user.Email)
		pipelinePath, teamPath, portalPath := acme+"/pipelines/"+p.Slug, acme+"/teams/"+string(team.ID), acme+"/portals/"+portal.Slug
		for path, times := range map[string]int{
			acme + "/pipelines":                                         4, // the organization, the user, the name, the repository
			acme + "/new-pipeline":                                      4,
			pipelinePath:                                                8,
			pipelinePath + "/settings":                                  10,
			pipelinePath + "/teams":                                     4,
			pipelinePath + "/teams/add":                                 3,
			pipelinePath + "/archive":                                   3,
			pipelinePath + "/delete":                                    3,
			pipelinePath + "/teams/" + string(team.ID) + "/remove":      4,
			acme + "/teams":                                             4,
			teamPath:                                                    4,
			teamPath + "/members/add":                                   3,
			teamPath + "/members/" + string(user.ID) + "/remove":        4,
			teamPath + "/pipelines":                                     4,
			teamPath + "/pipelines/add":                                 3,
			teamPath + "/pipelines/" + string(p.ID) + "/remove":         4,
			teamPath + "/settings":                                      4,
			teamPath + "/delete":                                        3,
			acme + "/members":                                           3,
			acme + "/members/" + string(user.ID):                        5,
			acme + "/members/" + string(user.ID) + "/remove":            4,
			acme + "/usage":                                             2,
			acme + "/audit":                                             10,
			acme + "/portals":                                           4,
			portalPath:                                                  5,
			portalPath + "/try":                                         4,
			portalPath + "/tokens":                                      4,
			portalPath + "/tokens/new":                                  3,
			portalPath + "/secrets":                                     4,
			portalPath + "/settings":                                    5,
			portalPath + "/delete":                                      3,
			acme + "/settings":                                          4,
			acme + "/tokens":                                            3,
			acme + "/tokens/" + string(token.ID) + "/revoke":            3,
			acme + "/pipelines?search=" + url.QueryEscape(attack):       5,
			acme + "/audit?actor=" + url.QueryEscape(attack):            3,
			teamPath + "/members/add?search=" + url.QueryEscape(attack): 3,
		} {
			b.get(path).wantHarmless(t, times)
		}
		for _, found := range auditLink.FindAllStringSubmatch(b.get(acme+"/audit").Body, -1) {
			b.get(found[1]).wantHarmless(t, 2)
		}

		// What was typed comes back, as text.
		for path, fields := range map[string][]string{
			acme + "/new-pipeline": {"name", "description", "repository", "configuration", "tags", "env", "branch_configuration"},
			acme + "/teams/new":    {"name", "description"},
			acme + "/new-portal":   {"name", "description", "query", "allowed_ip_addresses"},
			acme + "/settings":     {"name", "settings.allowed_api_ip_addresses"},
			portalPath + "/try":    {},
		} {
			var form []string
			for _, name := range fields {
				form = append(form, name, strings.Repeat(attack, 3)) // too long for a name
			}
			if len(form) > 0 {
				b.submit(path, form...).want(t, http.StatusUnprocessableEntity).wantHarmless(t, 3*len(fields))
			}
		}
		b.create(portalPath+"/tokens/new", "description", attack).want(t, http.StatusOK).wantHarmless(t, 3)
		b.create(portalPath+"/secrets/new", "description", attack).want(t, http.StatusOK).wantHarmless(t, 3)
	})
}

// postPaths are what takes a form here. None of it is done without the form's token.
var postPaths = []string{
	"/new-pipeline", "/check-steps", "/pipelines/web/settings", "/pipelines/web/favorite", "/pipelines/web/archive", "/pipelines/web/unarchive", "/pipelines/web/delete",
	"/pipelines/web/teams/add", "/pipelines/web/teams/" + testkit.TeamID, "/pipelines/web/teams/" + testkit.TeamID + "/remove",
	"/teams/new", "/teams/" + testkit.TeamID + "/members/add", "/teams/" + testkit.TeamID + "/members/" + testkit.TeammateID,
	"/teams/" + testkit.TeamID + "/members/" + testkit.TeammateID + "/remove", "/teams/" + testkit.TeamID + "/pipelines/add",
	"/teams/" + testkit.TeamID + "/pipelines/" + pipelineID, "/teams/" + testkit.TeamID + "/pipelines/" + pipelineID + "/remove",
	"/teams/" + testkit.TeamID + "/settings", "/teams/" + testkit.TeamID + "/delete",
	"/members/" + testkit.TeammateID, "/members/" + testkit.TeammateID + "/remove",
	"/settings", "/banner", "/tokens/x/revoke",
	"/new-portal", "/portals/status/try", "/portals/status/tokens/new", "/portals/status/tokens/x/delete", "/portals/status/secrets/new",
	"/portals/status/secrets/x/delete", "/portals/status/settings", "/portals/status/delete",
}

func TestNothingIsDoneWithoutAFormsToken(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		events := func() string {
			return strings.Join(regexp.MustCompile(`audit/[0-9a-f-]{36}`).FindAllString(b.get(acme+"/audit").Body, -1), " ")
		}
		before := events()
		other := s.signedIn("member@example.com").tokenOf(acme + "/new-pipeline")
		for _, path := range postPaths {
			for _, token := range []string{"", "x", other} {
				form := url.Values{"form_token": {token}, "name": {"X"}, "repository": {"x"}, "visibility": {"private"}, "role": {"admin"}, "query": {"{a}"},
					"access_level": {"read_only"}, "team_id": {testkit.TeamID}, "pipeline_id": {pipelineID}, "user_id": {testkit.MemberID}}
				b.send(http.MethodPost, acme+path, form, nil).want(t, http.StatusForbidden, "out of date")
			}
			b.send(http.MethodPost, acme+path, url.Values{"form_token": {b.tokenOf(acme)}}, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}).
				want(t, http.StatusForbidden, "another site")
		}
		if after := events(); after != before {
			t.Errorf("something was done: %s, then %s", before, after)
		}
	})
}

func TestBadAddressesInAnOrganization(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		for _, list := range []string{"/pipelines", "/pipelines/web/teams", "/pipelines/web/teams/add", "/teams", "/teams/" + testkit.TeamID, "/teams/" + testkit.TeamID + "/pipelines",
			"/teams/" + testkit.TeamID + "/members/add", "/teams/" + testkit.TeamID + "/pipelines/add", "/members", "/tokens", "/audit"} {
			b.get(acme+list+"?after=x").want(t, http.StatusBadRequest)
			b.get(acme+list+"?search=%00%ff&order=x&page=-1").want(t, http.StatusOK)
			s.signedIn("outsider@example.com").get(acme+list).want(t, http.StatusNotFound)
		}
		for _, path := range []string{"/pipelines/x", "/pipelines/%00", "/teams/x", "/teams/%00/settings", "/teams/" + testkit.ElsewhereID, "/members/x", "/members/%00", "/audit/x", "/audit/%00",
			"/tokens/x/revoke", "/portals/x", "/portals/%00/tokens", "/teams/" + testkit.TeamID + "/members/x/remove", "/teams/" + testkit.TeamID + "/pipelines/x/remove"} {
			b.get(acme+path).want(t, http.StatusNotFound)
		}
	})
}
