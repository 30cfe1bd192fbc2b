package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const platform = acme + "/teams/" + testkit.TeamID

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/teams":                                    {path: acme + "/teams", says: "Platform"},
	inOrganizationPath + "/teams/new":                                {path: acme + "/teams/new", says: "Privacy"},
	inOrganizationPath + "/teams/{team}":                             {path: platform, says: "teammate@example.com"},
	inOrganizationPath + "/teams/{team}/members/add":                 {path: platform + "/members/add", says: "maintainer@example.com"},
	inOrganizationPath + "/teams/{team}/members/{member}/remove":     {path: platform + "/members/" + testkit.TeammateID + "/remove", says: "Remove Teammate from the team"},
	inOrganizationPath + "/teams/{team}/pipelines":                   {path: platform + "/pipelines", says: "No pipelines yet"},
	inOrganizationPath + "/teams/{team}/pipelines/add":               {path: platform + "/pipelines/add", says: "git@example.com:acme/web.git"},
	inOrganizationPath + "/teams/{team}/pipelines/{pipeline}/remove": {path: platform + "/pipelines/" + pipelineID + "/remove", says: "No team pipeline found"},
	inOrganizationPath + "/teams/{team}/settings":                    {path: platform + "/settings", says: "Delete team"},
	inOrganizationPath + "/teams/{team}/delete":                      {path: platform + "/delete", says: "the team's 1 member"},
})

func TestTeamIsMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.submit(acme+"/teams/new", "name", "PLATFORM", "description", "kept", "privacy", "hidden", "default_member_role", "member").
			want(t, http.StatusUnprocessableEntity, "Privacy must be visible or secret", "\nkept</textarea>", `value="PLATFORM"`)
		b.submit(acme+"/teams/new", "name", "PLATFORM", "privacy", "visible", "default_member_role", "member").
			want(t, http.StatusUnprocessableEntity, domain.TeamSlugTaken("platform"))
		a := b.submit(acme+"/teams/new", "name", "Release", "description", "Ships it", "privacy", "visible", "default_member_role", "maintainer", "is_default_team", "on").
			want(t, http.StatusSeeOther)
		release := a.Header.Get("Location")
		b.get(release).want(t, http.StatusOK, "Team created.", "Release", "Ships it", "default", "No members yet")
		b.get(acme+"/teams?search=rele").want(t, http.StatusOK, ">Release</a>")
		b.get(acme+"/teams?search=nothing").want(t, http.StatusOK, "No teams found")

		b.submit(release+"/members/add", "user_id", testkit.MemberID, "role", "maintainer").wantRedirect(t, release+"/members/add")
		b.submit(release+"/members/add", "user_id", testkit.MemberID, "role", "member").want(t, http.StatusUnprocessableEntity, domain.RepeatedTeamMember)
		b.submit(release+"/members/add", "user_id", testkit.OutsiderID, "role", "member").want(t, http.StatusUnprocessableEntity, domain.NoSuchTeamMember)
		if body := b.get(release + "/members/add").Body; strings.Contains(body, "member@example.com") {
			t.Error("who belongs to the team can be added to it")
		}
		b.submitTo(release, release+"/members/"+testkit.MemberID, "role", "boss").want(t, http.StatusUnprocessableEntity, "Role must be maintainer or member")

		// A maintainer may change the team and its members, and may not delete it.
		maintainer := s.signedIn("member@example.com")
		maintainer.submit(release+"/settings", "name", "Releases", "privacy", "secret", "default_member_role", "member").wantRedirect(t, release+"/settings")
		maintainer.submit(release+"/members/add", "user_id", testkit.TeammateID, "role", "member").wantRedirect(t, release+"/members/add")
		maintainer.get(release+"/delete").want(t, http.StatusForbidden)
		maintainer.submitTo(release, release+"/delete").want(t, http.StatusForbidden)
		if body := maintainer.get(release + "/settings").Body; strings.Contains(body, "Delete team") {
			t.Error("deletion is offered to a maintainer")
		}

		// A secret team is there for its members and administrators only.
		stranger := s.signedIn("maintainer@example.com")
		for _, path := range []string{"", "/pipelines", "/settings", "/delete", "/members/add"} {
			stranger.get(release+path).want(t, http.StatusNotFound, "No team found")
		}
		stranger.submitTo(platform, release+"/members/"+testkit.MemberID, "role", "member").want(t, http.StatusNotFound)
		for _, path := range []string{"/teams", "/teams?search=Releases", "/members/" + testkit.MemberID, "/new-pipeline", "/pipelines/web/teams"} {
			if body := stranger.get(acme + path).Body; strings.Contains(body, "Releases") && !strings.Contains(path, "search") {
				t.Errorf("%s tells of a secret team", path)
			}
		}
		teammate := s.signedIn("teammate@example.com")
		teammate.get(release).want(t, http.StatusOK, "Releases", "secret", "Maintainer")
		teammate.get(release+"/settings").want(t, http.StatusForbidden)
		teammate.submitTo(release, release+"/members/"+testkit.MemberID, "role", "member").want(t, http.StatusForbidden)

		b.submitTo(release, release+"/members/"+testkit.MemberID, "role", "member").wantRedirect(t, release)
		maintainer.get(release+"/settings").want(t, http.StatusForbidden)
		b.submit(release+"/members/"+testkit.MemberID+"/remove").wantRedirect(t, release)
		maintainer.get(release).want(t, http.StatusNotFound)
		b.submit(release+"/delete").wantRedirect(t, acme+"/teams")
		b.get(release).want(t, http.StatusNotFound)
	})
}

func TestTeamPipelines(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, teammate := s.signedIn("admin@example.com"), s.signedIn("teammate@example.com")
		teammate.get(platform+"/pipelines/add").want(t, http.StatusOK, "You don't manage it")
		teammate.submitTo(platform, platform+"/pipelines/add", "pipeline_id", pipelineID, "access_level", "read_only").want(t, http.StatusForbidden)
		admin.submit(platform+"/pipelines/add", "pipeline_id", pipelineID, "access_level", "build_and_read").wantRedirect(t, platform+"/pipelines/add")
		admin.submit(platform+"/pipelines/add", "pipeline_id", pipelineID, "access_level", "read_only").want(t, http.StatusUnprocessableEntity, domain.RepeatedTeamPipeline)
		admin.get(platform+"/pipelines").want(t, http.StatusOK, ">Web</a>", `<option value="build_and_read" selected>`)
		if body := teammate.get(platform+"/pipelines").want(t, http.StatusOK, "Build and read").Body; strings.Contains(body, "Take away") {
			t.Error("a plain member is offered to change the access")
		}
		one := platform + "/pipelines/" + pipelineID
		teammate.submitTo(platform, one, "access_level", "manage_build_and_read").want(t, http.StatusForbidden)
		teammate.submitTo(platform, one+"/remove").want(t, http.StatusForbidden)
		admin.submitTo(platform, one, "access_level", "manage_build_and_read").wantRedirect(t, platform+"/pipelines")
		admin.submit(one+"/remove").wantRedirect(t, platform+"/pipelines")
		admin.get(platform+"/pipelines").want(t, http.StatusOK, "No pipelines yet")
	})
}
