package web_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

const status1 = acme + "/portals/status"

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/portals":                                       {path: acme + "/portals", says: "No portals yet"},
	inOrganizationPath + "/new-portal":                                    {path: acme + "/new-portal", says: "GraphQL document"},
	inOrganizationPath + "/portals/{portal}":                              {path: status1, says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/try":                          {path: status1 + "/try", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/codes/{code}":                 {path: status1 + "/codes/x", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/tokens":                       {path: status1 + "/tokens", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/tokens/new":                   {path: status1 + "/tokens/new", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/tokens/{token}/delete":        {path: status1 + "/tokens/x/delete", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/member-tokens":                {path: status1 + "/member-tokens", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/member-tokens/{token}/delete": {path: status1 + "/member-tokens/x/delete", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/secrets":                      {path: status1 + "/secrets", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/secrets/new":                  {path: status1 + "/secrets/new", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/secrets/{secret}/delete":      {path: status1 + "/secrets/x/delete", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/settings":                     {path: status1 + "/settings", says: "No portal found"},
	inOrganizationPath + "/portals/{portal}/delete":                       {path: status1 + "/delete", says: "No portal found"},
})

const portalQuery = "query Clusters { organization(slug: \"acme-inc\") { name } }\nquery Teams { viewer { id } }"

var portalValue = regexp.MustCompile(`pn[a-z]_[0-9A-Za-z]{46}`)

func TestPortals(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, func(o *web.Options) { o.Operations = documentsOf(t, o).Operations })
		b := s.signedIn("admin@example.com")
		b.submit(acme+"/new-portal", "name", "", "query", " ", "description", "kept", "allowed_ip_addresses", "nonsense").
			want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", "GraphQL document can't be blank", "\nkept</textarea>", `value="nonsense"`, `id="field-allowed_ip_addresses-error"`)
		a := b.create(acme+"/new-portal", "name", "Status", "description", "For the wall", "query", portalQuery, "allowed_ip_addresses", "192.0.2.0/24").want(t, http.StatusOK, "be able to see it again")
		first := portalValue.FindString(a.Body)
		if !strings.HasPrefix(first, "pnp_") {
			t.Fatalf("the first token is %q", first)
		}
		b.submit(acme+"/new-portal", "name", "status", "query", portalQuery).want(t, http.StatusUnprocessableEntity, "Name has already been taken", `id="field-name-error"`)
		b.get(acme+"/portals").want(t, http.StatusOK, ">Status</a>", "For the wall", "192.0.2.0/24")
		b.get(acme+"/portals?search=STAT&order=RECENTLY_CREATED").want(t, http.StatusOK, ">Status</a>")
		b.get(acme+"/portals?search=nothing").want(t, http.StatusOK, "No portals found")
		checkMarkup(t, b.get(status1).want(t, http.StatusOK, "For the wall", "Clusters", "Teams", "?operation_name=Clusters", "/portal/organizations/acme-inc/portals/status"))
		checkMarkup(t, b.get(status1+"/try").want(t, http.StatusOK, "Not available"))

		// Tokens: several live at once; a value is shown once.
		b.get(status1+"/tokens").want(t, http.StatusOK, "Created with the portal")
		second := portalValue.FindString(b.create(status1+"/tokens/new", "description", "Next", "expires_in", "30").want(t, http.StatusOK).Body)
		list := b.get(status1+"/tokens").want(t, http.StatusOK, "Next", "Created with the portal").Body
		if second == "" || strings.Contains(list, first) || strings.Contains(list, second) {
			t.Errorf("the list shows a value, or there was none: %s", list)
		}
		checkMarkup(t, b.get(status1+"/tokens"))
		b.submit(status1+"/tokens/new", "description", strings.Repeat("x", 10_001), "expires_in", "soon").want(t, http.StatusUnprocessableEntity, "Description is too long", "one of the choices")
		remove := regexp.MustCompile(status1 + `/tokens/[0-9a-f-]+/delete`).FindString(list)
		b.submit(remove).wantRedirect(t, status1+"/tokens")
		b.submitTo(status1+"/settings", remove).want(t, http.StatusNotFound, "No portal token found")
		if left := b.get(status1 + "/tokens").Body; strings.Contains(left, "Created with the portal") {
			t.Error("the deleted token is still there")
		}

		// Secrets: at most two.
		b.get(status1+"/secrets").want(t, http.StatusOK, "No secrets", "client_credentials")
		for _, description := range []string{"One", "Two"} {
			if value := portalValue.FindString(b.create(status1+"/secrets/new", "description", description).want(t, http.StatusOK).Body); value == "" {
				t.Error("no secret was shown")
			}
		}
		b.submit(status1+"/secrets/new", "description", "Three").want(t, http.StatusUnprocessableEntity, "at most two secrets", `value="Three"`)
		secrets := b.get(status1+"/secrets").want(t, http.StatusOK, "One", "Two")
		checkMarkup(t, secrets)
		remove = regexp.MustCompile(status1 + `/secrets/[0-9a-f-]+/delete`).FindString(secrets.Body)
		b.submit(remove).wantRedirect(t, status1+"/secrets")

		// Another name leaves the address as it is.
		b.resubmit(b.get(status1+"/settings").want(t, http.StatusOK, "Delete portal"), status1+"/settings", "name", "Wall", "allowed_ip_addresses", "").wantRedirect(t, status1)
		b.get(status1).want(t, http.StatusOK, "Wall", "anywhere")
		b.submit(status1+"/settings", "name", "", "query", "").want(t, http.StatusUnprocessableEntity, "Name can&#39;t be blank", "GraphQL document can't be blank")

		// They are for administrators.
		for _, email := range []string{"member@example.com", "maintainer@example.com"} {
			other := s.signedIn(email)
			other.get(acme+"/portals").want(t, http.StatusOK, "No portals for you")
			other.get(status1+"/try").want(t, http.StatusNotFound, "No portal found")
			for _, path := range []string{"/new-portal", "/portals/status", "/portals/status/tokens", "/portals/status/tokens/new", "/portals/status/secrets",
				"/portals/status/secrets/new", "/portals/status/settings", "/portals/status/delete"} {
				other.get(acme+path).want(t, http.StatusForbidden)
				if !strings.HasSuffix(path, "s") && !strings.HasSuffix(path, "/portals/status") || path == "/portals/status/settings" {
					other.submitTo(acme, acme+path, "name", "X", "query", portalQuery).want(t, http.StatusForbidden)
				}
			}
		}
		b.submit(status1+"/delete").wantRedirect(t, acme+"/portals")
		b.get(status1).want(t, http.StatusNotFound, "No portal found")
	})
}

// TestPortalsOfferVariables shows what an operation of a portal needs to be run, and runs it with just that.
func TestPortalsOfferVariables(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		b := s.signedIn("admin@example.com")
		b.get(acme+"/new-portal").want(t, http.StatusOK, `<option value="90" selected>In 90 days</option>`)
		b.submit(acme+"/new-portal", "name", "Many", "query", portalQuery, "expires_at", "soon").want(t, http.StatusUnprocessableEntity, "Expiry of the first token must be one of the choices")
		b.create(acme+"/new-portal", "name", "Many", "expires_at", "30", "query", `query Clusters($slug: ID!, $first: Int, $order: ClusterOrder = NAME) {
			organization(slug: $slug) { clusters(first: $first, order: $order) { nodes { name } } }
		}
		mutation Make($input: ClusterCreateInput!) { clusterCreate(input: $input) { cluster { name } } }`)
		const many = acme + "/portals/many"
		b.get(many+"/tokens").want(t, http.StatusOK, "Created with the portal", "in 30 days")
		b.get(many).want(t, http.StatusOK, `-d '{"slug": "acme-inc", "first": 10, "order": "NAME"}'`, "?operation_name=Clusters", "data-copy")
		try := b.get(many+"/try").want(t, http.StatusOK, "\n  \"slug\": \"acme-inc\",\n  \"first\": 10,\n  \"order\": \"NAME\"\n}</textarea>", `"name": "Example"`)
		b.resubmit(try, many+"/try").want(t, http.StatusOK, `"name": "Maintained"`)
	})
}

func TestTryPortal(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		var ran []string
		s := newSite(t, d, func(o *web.Options) {
			o.Operations = documentsOf(t, o).Operations
			o.RunPortal = func(_ context.Context, actor authz.Actor, ref domain.PortalRef, asSelf bool, operation string, variables []byte) ([]byte, error) {
				if actor.Surface != authz.Web || asSelf || ref != (domain.PortalRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "status"}) {
					t.Errorf("%v runs %v", actor, ref)
				}
				ran = append(ran, operation+" "+string(variables))
				if operation == "Teams" {
					return nil, domain.Faults{{Field: "operation_name", Reason: "It can't be run"}}.Err()
				}
				return []byte(`{"data":{"name":"<b>` + attack[:8] + `"}}`), nil
			}
		})
		b := s.signedIn("admin@example.com")
		b.create(acme+"/new-portal", "name", "Status", "query", portalQuery).want(t, http.StatusOK)
		b.get(status1+"/try").want(t, http.StatusOK, `<option value="Clusters" selected>`, `<option value="Teams">`, "for real", "query Clusters {")
		a := b.submit(status1+"/try", "operation_name", "Clusters", "variables", `{"a": [1]}`).want(t, http.StatusOK, "Response", "&lt;b&gt;", `{&#34;a&#34;: [1]}`)
		checkMarkup(t, a)
		b.submit(status1+"/try", "operation_name", "Clusters", "variables", "").want(t, http.StatusOK)
		b.submit(status1+"/try", "operation_name", "Clusters", "variables", "[1]").want(t, http.StatusUnprocessableEntity, "Variables must be a JSON object", "[1]")
		b.submit(status1+"/try", "operation_name", "Teams", "variables", "{}").want(t, http.StatusUnprocessableEntity, "It can&#39;t be run")
		s.signedIn("member@example.com").submitTo(acme, status1+"/try", "operation_name", "Clusters").want(t, http.StatusNotFound)
		if got := strings.Join(ran, "; "); got != `Clusters {"a": [1]}; Clusters {}; Teams {}` {
			t.Errorf("what ran was %s", got)
		}
	})
}

// TestTryingAPortalReachesItsOrganizationAlone has an administrator of two organizations try a portal whose document, which another
// administrator wrote, changes the other organization.
func TestTryingAPortalReachesItsOrganizationAlone(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), testkit.ElsewhereSlug, "admin@example.com", domain.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		b := s.signedIn("admin@example.com")
		elsewhere := s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere").Text("graphql_id")
		const document = `query Reach { viewer { user { name } } organization(slug: "elsewhere") { name } }
			mutation Make($organization: ID!) { clusterCreate(input: {organizationId: $organization, name: "Tried"}) { cluster { name createdBy { email } } } }`
		b.create(acme+"/new-portal", "name", "Status", "query", document, "user_invokable", "on").want(t, http.StatusOK)
		b.get(status1+"/try").want(t, http.StatusOK, "Reach", "clusterCreate", "Yourself")
		for as, viewer := range map[string]string{"portal": "&#34;viewer&#34;: null", "self": "&#34;name&#34;: &#34;Admin&#34;"} {
			b.submit(status1+"/try", "operation_name", "Reach", "run_as", as, "variables", "{}").want(t, http.StatusOK, viewer, "&#34;organization&#34;: null")
			b.submit(status1+"/try", "operation_name", "Make", "run_as", as, "variables", `{"organization": "`+elsewhere+`"}`).want(t, http.StatusOK, "No organization found")
		}
		b.submit(status1+"/try", "operation_name", "Make", "run_as", "portal", "variables", `{"organization": "`+organizationOf(t, s)+`"}`).want(t, http.StatusOK, "admin@example.com")
		if list := s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/clusters").List(); len(list) != 1 {
			t.Errorf("the other organization has %v", list)
		}
		// Who ran it is on record, and what it did is the portal's.
		events := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?per_page=2").List()
		for i, want := range []struct{ event, actor string }{{"CLUSTER_CREATED", "PORTAL"}, {"PORTAL_TOKEN_CREATED", "USER"}} {
			if events[i]["type"] != want.event || events[i]["actor"].(map[string]any)["type"] != want.actor {
				t.Errorf("event %d is %v", i, events[i])
			}
		}
		// It can be tried from where it can be used.
		testkit.Change(t, s.DB, `UPDATE portals SET allowed_ip_addresses = '192.0.2.0/24'`)
		b.submit(status1+"/try", "operation_name", "Reach", "run_as", "portal", "variables", "{}").want(t, http.StatusForbidden)
	})
}

// TestMembersRunPortalsAsThemselves, from the portal's page.
func TestMembersRunPortalsAsThemselves(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		b, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		const document = `query Who { viewer { user { email } } organization(slug: "acme-inc") { auditEvents { count } } }
			mutation Make($organization: ID!) { pipelineCreate(input: {organizationId: $organization, name: "Mine", repository: {url: "r"}}) { pipeline { createdBy { email } } } }`
		b.create(acme+"/new-portal", "name", "Status", "query", document).want(t, http.StatusOK)
		member.submitTo(acme, status1+"/try", "operation_name", "Who", "run_as", "self").want(t, http.StatusNotFound)
		b.resubmit(b.get(status1+"/settings"), status1+"/settings", "user_invokable", "on").wantRedirect(t, status1)
		checkMarkup(t, member.get(acme+"/portals").want(t, http.StatusOK, ">Status</a>", status1+"/try"))
		checkMarkup(t, member.get(status1+"/try").want(t, http.StatusOK, "query Who"))
		member.get(status1).want(t, http.StatusForbidden)
		member.submit(status1+"/try", "operation_name", "Who", "run_as", "self", "variables", "{}").want(t, http.StatusOK, "member@example.com", "&#34;auditEvents&#34;: null")
		member.submit(status1+"/try", "operation_name", "Who", "run_as", "portal", "variables", "{}").want(t, http.StatusForbidden)
		member.submit(status1+"/try", "operation_name", "Make", "run_as", "self", "variables", `{"organization": "`+organizationOf(t, s)+`"}`).want(t, http.StatusOK, "member@example.com")
		event := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?per_page=1").List()[0]
		if event["type"] != "PIPELINE_CREATED" || event["actor"].(map[string]any)["uuid"] != testkit.MemberID {
			t.Errorf("the event is %v", event)
		}
	})
}

// TestAuthorizePortalCode has a program ask for a code, and members authorize it or not.
func TestAuthorizePortalCode(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		b, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		b.create(acme+"/new-portal", "name", "Status", "query", portalQuery).want(t, http.StatusOK)
		code, _, _ := domain.NewPortalCode(domain.PortalRef{Organization: domain.OrganizationRef{Slug: "acme-inc"}, Slug: "status"}, s.Clock.Now())
		path := status1 + "/codes/" + string(code)
		for _, who := range []*browser{b, member} {
			who.get(path).want(t, http.StatusNotFound, "No portal found")
			who.submitTo("/account", path).want(t, http.StatusNotFound, "No portal found")
		}
		b.resubmit(b.get(status1+"/settings"), status1+"/settings", "user_invokable", "on").wantRedirect(t, status1)
		s.signedIn("outsider@example.com").get(path).want(t, http.StatusNotFound)
		s.browser().get(path).wantRedirect(t, "/sign-in?return_to="+url.QueryEscape(path))
		checkMarkup(t, member.get(path).want(t, http.StatusOK, string(code), "query Clusters", "Only continue if you just started this program"))
		member.submit(path).want(t, http.StatusOK, "Authorized. You can close this page.")
		b.submit(path).want(t, http.StatusUnprocessableEntity, "was used already")
		for _, bad := range []string{"x", "-", strings.Replace(string(code), "-", "0-", 1), string(code[:len(code)-1]), "zzzzzzz" + string(code[7:])} {
			member.submitTo("/account", status1+"/codes/"+bad).want(t, http.StatusUnprocessableEntity, "has expired")
		}
	})
}

// portalToken has a member authorize a program, and returns the program's token.
func portalToken(t *testing.T, s *site, member *browser) string {
	t.Helper()
	const portal = "/portal/organizations/acme-inc/portals/status"
	asked := s.Do(testkit.Request{Method: http.MethodPost, Path: portal + "/codes"}).Want(t, http.StatusOK)
	member.submit(status1+"/codes/"+asked.Text("code")).want(t, http.StatusOK, "Authorized. You can close this page.")
	return s.Do(testkit.Request{Method: http.MethodPost, Path: portal + "/tokens",
		Body: map[string]any{"grant_type": "device_code", "code": asked.Text("code"), "secret": asked.Text("secret")}}).Want(t, http.StatusOK).Text("token")
}

// TestMembersPortalTokensAreListed on the member's account page and on the portal's: each of them ends one there.
func TestMembersPortalTokensAreListed(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		admin, member, other := s.signedIn("admin@example.com"), s.signedIn("member@example.com"), s.signedIn("maintainer@example.com")
		admin.create(acme+"/new-portal", "name", attack, "query", portalQuery).want(t, http.StatusOK)
		testkit.Change(t, s.DB, `UPDATE portals SET slug = 'status', user_invokable = $1`, true)
		run := func(token string, status int) {
			t.Helper()
			s.Do(testkit.Request{Method: http.MethodPost, Path: "/portal/organizations/acme-inc/portals/status?operation_name=Clusters", Token: token, Body: "{}"}).Want(t, status)
		}
		member.get("/account/portal-tokens").want(t, http.StatusOK, "No portal tokens")
		admin.get(status1+"/member-tokens").want(t, http.StatusOK, "No members&#39; tokens")
		tokens := []string{portalToken(t, s, member), portalToken(t, s, member), portalToken(t, s, other)}
		for _, token := range tokens {
			run(token, http.StatusOK)
		}

		own := member.get("/account/portal-tokens").want(t, http.StatusOK, "2 tokens", "Acme Inc", status1+"/try")
		all := admin.get(status1+"/member-tokens").want(t, http.StatusOK, "3 tokens", "member@example.com", "maintainer@example.com")
		own.wantHarmless(t, 4)
		all.wantHarmless(t, 2)
		for _, page := range []*answer{own, all} {
			for _, token := range tokens {
				if strings.Contains(page.Body, token) {
					t.Error("a token's value is shown")
				}
			}
		}
		admin.get("/account/portal-tokens").want(t, http.StatusOK, "No portal tokens")
		member.get(status1+"/member-tokens").want(t, http.StatusForbidden)
		if page := admin.get(status1+"/tokens").want(t, http.StatusOK, status1+"/member-tokens").Body; strings.Contains(page, "Made with a code") {
			t.Error("members' tokens are among the portal's own")
		}

		// The member revokes the newer one of theirs. Others cannot.
		revoke := regexp.MustCompile(`/account/portal-tokens/[0-9a-f-]{36}/revoke`).FindString(own.Body)
		other.get(revoke).want(t, http.StatusNotFound, "No portal token found")
		other.submitTo("/account", revoke).want(t, http.StatusNotFound, "No portal token found")
		checkMarkup(t, member.get(revoke).want(t, http.StatusOK, "Revoke the token of"))
		run(tokens[1], http.StatusOK)
		member.submit(revoke).wantRedirect(t, "/account/portal-tokens")
		run(tokens[1], http.StatusUnauthorized)
		run(tokens[0], http.StatusOK)
		event := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/audit_events?per_page=1").List()[0]
		if event["type"] != "PORTAL_TOKEN_DELETED" || event["actor"].(map[string]any)["uuid"] != testkit.MemberID {
			t.Errorf("the event is %v", event)
		}

		// The administrator ends the newest, and then all.
		remove := regexp.MustCompile(status1 + `/member-tokens/[0-9a-f-]{36}/delete`).FindString(all.Body)
		member.submitTo("/account", remove).want(t, http.StatusForbidden)
		admin.submit(remove).wantRedirect(t, status1+"/member-tokens")
		run(tokens[2], http.StatusUnauthorized)
		run(tokens[0], http.StatusOK)
		settings := admin.get(status1+"/settings").want(t, http.StatusOK, "ends their tokens right away")
		admin.resubmit(settings, status1+"/settings", "user_invokable", "").wantRedirect(t, status1)
		run(tokens[0], http.StatusUnauthorized)
		member.get("/account/portal-tokens").want(t, http.StatusOK, "No portal tokens")
		if page := admin.get(status1).Body; strings.Contains(page, status1+"/member-tokens") {
			t.Error("there is a tab of what nobody can have")
		}
	})
}
