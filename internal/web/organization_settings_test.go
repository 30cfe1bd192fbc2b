package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/settings":              {path: acme + "/settings", says: "Keep audit events for"},
	inOrganizationPath + "/banner":                {path: acme + "/banner", says: "Leave it empty to remove the banner."},
	inOrganizationPath + "/tokens":                {path: acme + "/tokens", says: "read_portals"},
	inOrganizationPath + "/tokens/{token}/revoke": {path: acme + "/tokens/" + testkit.AdminID + "/revoke", says: "No API access token found"},
})

func TestOrganizationSettings(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		api := func() (string, map[string]any) {
			o := s.Get(testkit.AdminToken, "/v2"+acme).Want(t, http.StatusOK).Object()
			settings, _ := o["settings"].(map[string]any)
			name, _ := o["name"].(string)
			return name, settings
		}
		_, before := api()
		shown := b.get(acme + "/settings")
		b.resubmit(shown, acme+"/settings").wantRedirect(t, acme+"/settings")
		if _, after := api(); len(after) != len(before) {
			t.Errorf("the settings were %v and are %v", before, after)
		}
		b.submit(acme+"/settings", "name", "Acme & Co", "settings.cluster_writes", "managers", "settings.default_cluster_id", testkit.MaintainedID,
			"settings.allowed_api_ip_addresses", "127.0.0.0/8", "settings.revoke_inactive_tokens_after_days", "90", "settings.audit_retention_days", "365",
			"settings.default_branch", "trunk", "settings.default_timeout_in_minutes", "10", "settings.maximum_timeout_in_minutes", "60",
			"settings.scheduled_job_expiry_in_minutes", "1440", "settings.build_retention_days", "90", "settings.restrict_user_api_token_creation", "true", "settings.members_can_create_public_pipelines", "true").
			wantRedirect(t, acme+"/settings")
		b.get(acme+"/settings").want(t, http.StatusOK, "Settings saved.", `value="Acme &amp; Co"`)
		name, after := api()
		for key, want := range map[string]any{
			"cluster_writes": "managers", "default_cluster_id": testkit.MaintainedID, "allowed_api_ip_addresses": "127.0.0.0/8",
			"revoke_inactive_tokens_after_days": 90.0, "audit_retention_days": 365.0,
			"maintainers_can_destroy_cache_registries": false, "members_can_create_pipelines": false,
			"default_branch": "trunk", "default_timeout_in_minutes": 10.0, "maximum_timeout_in_minutes": 60.0, "scheduled_job_expiry_in_minutes": 1440.0, "build_retention_days": 90.0,
			"restrict_user_api_token_creation": true, "members_can_create_public_pipelines": true,
		} {
			if after[key] != want {
				t.Errorf("%s is %v, want %v", key, after[key], want)
			}
		}
		if name != "Acme & Co" || len(after) != 14 {
			t.Errorf("%s has the settings %v", name, after)
		}

		a := b.submit(acme+"/settings", "name", "", "settings.cluster_writes", "nobody", "settings.default_cluster_id", testkit.ElsewhereID,
			"settings.allowed_api_ip_addresses", "192.0.2.0/24", "settings.revoke_inactive_tokens_after_days", "some", "settings.audit_retention_days", "-3", "settings.default_timeout_in_minutes", "61", "settings.maximum_timeout_in_minutes", "60",
			"settings.scheduled_job_expiry_in_minutes", "soon", "settings.build_retention_days", "29").
			want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", "This choice must be", "must be the UUID of a cluster", "must include your own",
				"The time after which unused tokens are revoked must be a whole number", "The time to keep audit events must be a number of days", "The time after which builds are deleted must be a number of days from 30 to 365, or empty", "must not be more than", "The time after which waiting jobs expire must be a whole number", `value="192.0.2.0/24"`, `value="some"`, `value="-3"`)
		checkMarkup(t, a)
		member := s.signedIn("member@example.com")
		member.get(acme+"/settings").want(t, http.StatusForbidden)
		member.submitTo(acme, acme+"/settings", "name", "Mine").want(t, http.StatusForbidden)
		s.signedIn("outsider@example.com").get(acme+"/settings").want(t, http.StatusNotFound)
	})
}

func TestOrganizationTokens(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		s.Get(testkit.MemberToken, "/v2"+acme).Want(t, http.StatusOK)
		list := b.get(acme+"/tokens").want(t, http.StatusOK, "Member").Body
		row := regexp.MustCompile(`>Member</span>.*?href="([^"]+/revoke)"`).FindStringSubmatch(strings.ReplaceAll(list, "\n", " "))
		if row == nil {
			t.Fatalf("the member's token is not listed: %s", list)
		}
		for query, want := range map[string][2]bool{ // the member's, the administrator's that reads
			"": {true, true}, "?search=MEMBER": {true, false}, "?search=Reads": {false, true}, "?search=nothing": {false, false}, "?order=RECENTLY_CREATED": {true, true},
		} {
			body := b.get(acme+"/tokens"+query).want(t, http.StatusOK).Body
			if got := [2]bool{strings.Contains(body, ">Member</span>"), strings.Contains(body, ">reads<")}; got != want {
				t.Errorf("%s shows %v, want %v", query, got, want)
			}
		}
		member.get(acme+"/tokens").want(t, http.StatusForbidden)
		member.get(row[1]).want(t, http.StatusForbidden)
		member.submitTo(acme, row[1]).want(t, http.StatusForbidden)
		b.get(row[1]).want(t, http.StatusOK, "It keeps working elsewhere")
		b.submit(row[1]).wantRedirect(t, acme+"/tokens")
		s.Get(testkit.MemberToken, "/v2"+acme).Want(t, http.StatusNotFound)
		b.submitTo(acme, row[1]).want(t, http.StatusNotFound, "No API access token found")
	})
}

// What an organization says is on top of its pages, for its members only, and as text.
func TestBannersAreOnTopOfPages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		const message, shown = `Down at <b>noon</b>`, `Down at &lt;b&gt;noon&lt;/b&gt;`
		_, err := s.Service.SetOrganizationBanner(t.Context(), admin(), domain.OrganizationRef{Slug: testkit.Organization}, core.Value(domain.OrganizationBannerInput{Message: domain.Some(message)}))
		if err != nil {
			t.Fatal(err)
		}
		b := s.signedIn("member@example.com")
		b.get(acme+"/clusters").want(t, http.StatusOK, shown)
		if page := s.signedIn("outsider@example.com").get("/organizations/elsewhere/clusters"); strings.Contains(page.Body, "Down at") {
			t.Error("another organization shows the banner")
		}
	})
}

func TestBannersAreEdited(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.signedIn("member@example.com").get(acme+"/banner").want(t, http.StatusForbidden)
		b := s.signedIn("admin@example.com")
		b.get(acme+"/settings").want(t, http.StatusOK, `href="`+acme+`/banner"`)
		b.submit(acme+"/banner", "message", attack).wantRedirect(t, acme+"/banner")
		b.get(acme+"/banner").want(t, http.StatusOK, "Banner saved.").wantHarmless(t, 2)
		s.signedIn("member@example.com").get(acme+"/clusters").wantHarmless(t, 1)
		b.submit(acme+"/banner", "message", strings.Repeat("m", 2_001)).want(t, http.StatusUnprocessableEntity, "Message")
		for range 2 { // also if there is none
			b.submit(acme+"/banner", "message", " ").wantRedirect(t, acme+"/banner")
		}
		b.get(acme+"/banner").want(t, http.StatusOK, "Banner removed.")
		s.Get(testkit.AdminToken, "/v2"+acme+"/banner").Want(t, http.StatusNotFound)
	})
}
