package rest_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

const portalsPath = "/v2/organizations/" + testkit.Organization + "/portals"

func createdPortal(t testing.TB, s *testkit.Server, name string) *testkit.Answer {
	t.Helper()
	return s.Post(testkit.AdminToken, portalsPath, `{"name": "`+name+`", "query": "{ viewer { id } }"}`).Want(t, 201)
}

func TestPortalFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		created := s.Post(testkit.AdminToken, portalsPath, `{"name": "  Build Counts ", "description": "For the screen", "query": "{ viewer { id } }",
			"allowed_ip_addresses": "10.0.0.0/8   2001:db8::/32", "slug": null, "uuid": 1, "unknown": {}}`).Want(t, 201)
		shown := `{
			"uuid": "ID", "slug": "build-counts", "organization_uuid": "ORGANIZATION", "name": "Build Counts", "description": "For the screen",
			"query": "{ viewer { id } }", "allowed_ip_addresses": "10.0.0.0/8 2001:db8::/32", "user_invokable": false, "created_at": "2026-05-03T04:17:55.867Z", "created_by": CREATOR TOKEN}`
		pairs := []string{
			"ID", created.Text("uuid"), "ORGANIZATION", s.Get(testkit.AdminToken, "/v2/organizations/acme-inc").Text("id"),
			"CREATOR", string(s.Get(testkit.AdminToken, "/v2/user").Body),
		}
		wantExactly(t, created.Object(), shown, append(pairs, "TOKEN", `, "token": "`+created.Text("token")+`"`)...)
		pairs = append(pairs, "TOKEN", "")
		path := portalsPath + "/build-counts"
		wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.AdminToken, portalsPath).Want(t, 200).List(), `[`+shown+`]`, pairs...)

		for _, change := range []struct{ body, shown string }{
			{`{"name": "Counts"}`, `{"name": "Counts", "description": "For the screen", "query": "{ viewer { id } }"}`},
			{`{"query": "query A { viewer { id } }"}`, `{"name": "Counts", "query": "query A { viewer { id } }"}`},
			{`{"description": "", "allowed_ip_addresses": ""}`, `{"description": "", "allowed_ip_addresses": ""}`},
			{`{"description": null, "allowed_ip_addresses": null}`, `{"description": null, "allowed_ip_addresses": null}`},
			{`{}`, `{"name": "Counts", "description": null, "slug": "build-counts"}`},
			{`{"user_invokable": true}`, `{"user_invokable": true, "name": "Counts"}`},
			{`{"user_invokable": false, "slug": "build-counts"}`, `{"user_invokable": false, "slug": "build-counts"}`},
		} {
			s.Put(testkit.AdminToken, path, change.body).Want(t, 200) // the same
			changed := s.Patch(testkit.AdminToken, path, change.body).Want(t, 200)
			wantMembers(t, changed, change.shown)
			wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object(), string(changed.Body))
		}
		wantMembers(t, createdPortal(t, s, "Plain"), `{"description": null, "allowed_ip_addresses": null}`)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No portal found")
		s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No portal found")
		given := s.Post(testkit.AdminToken, portalsPath, `{"name": "Test Portal", "slug": "test-portal-1-x", "user_invokable": true, "query": "{ viewer { id } }"}`).Want(t, 201)
		wantMembers(t, given, `{"slug": "test-portal-1-x", "user_invokable": true}`)
		wantMembers(t, s.Get(testkit.AdminToken, portalsPath+"/test-portal-1-x").Want(t, 200), `{"slug": "test-portal-1-x", "user_invokable": true}`)
	})
}

func TestPortalSlugStaysWhenTheNameChanges(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		createdPortal(t, s, "First")
		wantMembers(t, s.Patch(testkit.AdminToken, portalsPath+"/first", `{"name": "Second"}`).Want(t, 200), `{"name": "Second", "slug": "first"}`)
		s.Get(testkit.AdminToken, portalsPath+"/second").WantMessage(t, 404, "No portal found")
		for _, name := range []string{"First", "FIRST!"} {
			s.Post(testkit.AdminToken, portalsPath, `{"name": "`+name+`", "query": "{ viewer { id } }"}`).WantMessage(t, 422, "Validation failed: Slug has already been taken")
		}
		createdPortal(t, s, "Second") // the name is free
		s.Patch(testkit.AdminToken, portalsPath+"/second", `{"name": "First"}`).Want(t, 200)

		// Another slug is taken as it is given, if it is free.
		s.Patch(testkit.AdminToken, portalsPath+"/second", `{"slug": "first"}`).WantMessage(t, 422, "Validation failed: Slug has already been taken")
		for _, slug := range []string{"", "Upper", "a--b", "-a", "a b", strings.Repeat("x", 101)} {
			s.Patch(testkit.AdminToken, portalsPath+"/second", `{"slug": "`+slug+`"}`).WantMessage(t, 422, "Validation failed: Slug must be 1 to 100 lower-case letters and digits, with single hyphens inside")
		}
		wantMembers(t, s.Patch(testkit.AdminToken, portalsPath+"/second", `{"slug": "third"}`).Want(t, 200), `{"slug": "third"}`)
		s.Patch(testkit.AdminToken, portalsPath+"/third", `{"slug": "second"}`).Want(t, 200)

		// Slugs of one organization are not those of another.
		elsewhere := surfaceTokenOf(t, s, "outsider@example.com", func(in *domain.APITokenInput) { in.Organizations = []string{testkit.ElsewhereSlug} })
		s.Post(elsewhere, "/v2/organizations/elsewhere/portals", `{"name": "First", "query": "{ viewer { id } }"}`).Want(t, 201)
		s.Get(elsewhere, "/v2/organizations/elsewhere/portals/second").WantMessage(t, 404, "No portal found")
		won := 0
		for _, answer := range atOnce(s, slices.Repeat([]testkit.Request{{Method: "POST", Path: portalsPath, Body: `{"name": "Once", "query": "{ viewer { id } }"}`}}, 8)...) {
			if answer.Status == 201 {
				won++
			} else {
				answer.WantMessage(t, 422, "Validation failed: Slug has already been taken")
			}
		}
		if won != 1 {
			t.Errorf("%d were made", won)
		}
	})
}

func TestPortalFieldsAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		createdPortal(t, s, "First")
		long := strings.Repeat("é", 256)
		for body, reasons := range map[string]string{
			`{"name": "", "query": ""}`:                           "Query can't be blank, Name can't be blank",
			`{"name": null, "query": null}`:                       "Query can't be blank, Name can't be blank",
			`{"name": " \t", "query": " \n"}`:                     "Query can't be blank, Name can't be blank",
			`{"name": "` + long + `"}`:                            "Name is too long (maximum is 255 characters)",
			`{"description": "a\u0000b"}`:                         "Description must be valid UTF-8 without NUL",
			`{"query": "{ a }\u0000"}`:                            "Query must be valid UTF-8 without NUL",
			`{"allowed_ip_addresses": "10.0.0.0/33"}`:             `Allowed IP addresses are not valid: "10.0.0.0/33" is not a CIDR address`,
			`{"allowed_ip_addresses": "` + ips(25) + `"}`:         "Allowed IP addresses are not valid: at most 24 CIDR addresses can be given",
			`{"query": "` + strings.Repeat("a", 256<<10+1) + `"}`: "Query is too long (maximum is 256 KiB)",
		} {
			wantUnchanged(t, s, portalsPath+"/first", func() {
				s.Patch(testkit.AdminToken, portalsPath+"/first", body).WantMessage(t, 422, "Validation failed: "+reasons)
			})
		}
		s.Post(testkit.AdminToken, portalsPath, `{}`).WantMessage(t, 422, "Validation failed: Name can't be blank, Query can't be blank")
		s.Post(testkit.AdminToken, portalsPath, `{"name": null, "query": null}`).WantMessage(t, 422, "Validation failed: Query can't be blank, Name can't be blank")
		s.Post(testkit.AdminToken, portalsPath, `{"name": "***", "query": "{ viewer { id } }"}`).WantMessage(t, 422, "Validation failed: Name must contain a letter or digit, for its slug")
		s.Post(testkit.AdminToken, portalsPath, `{"name": "Largest", "query": "`+strings.Repeat(" ", 256<<10-len("{ __typename }"))+`{ __typename }", "allowed_ip_addresses": "`+ips(24)+`"}`).Want(t, 201)
	})
}

func ips(n int) string { return strings.TrimSpace(strings.Repeat("192.0.2.1 ", n)) }

func TestPortalsAreListedByName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		wantExactly(t, s.Get(testkit.AdminToken, portalsPath).Want(t, 200).List(), `[]`)
		for _, name := range []string{"zebra", "Apple", "10", "apple pie", "Éclair"} {
			createdPortal(t, s, name)
		}
		wantOrder(t, s, portalsPath, "name", "10", "Apple", "apple pie", "zebra", "Éclair")
		page := s.Get(testkit.AdminToken, portalsPath+"?per_page=2&page=2").Want(t, 200)
		if link := page.Header.Get("Link"); !strings.Contains(link, `page=3&per_page=2>; rel="next"`) || !strings.Contains(link, `rel="prev"`) {
			t.Errorf("Link is %s", link)
		}
		for path, want := range map[string]int{portalsPath: 5, portalsPath + "/apple/tokens": 1, portalsPath + "/apple/secrets": 0} {
			if n := len(s.Get(testkit.AdminToken, path).Want(t, 200).List()); n != want {
				t.Errorf("%d in %s", n, path)
			}
			s.Get(testkit.AdminToken, path+"?page=0").Want(t, 400)
			wantExactly(t, s.Get(testkit.AdminToken, path+"?page=9").Want(t, 200).List(), `[]`)
			before := s.DB.Statements()
			s.Get(testkit.AdminToken, path).Want(t, 200)
			if n := s.DB.Statements() - before; n > 3 { // identity, total, rows
				t.Errorf("%s took %d statements", path, n)
			}
		}
	})
}

// TestPortalQueryMustBeGood has documents checked as a server does.
func TestPortalQueryMustBeGood(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var checked atomic.Int64
		api := surfaceAPI(s, func(o *rest.Options) {
			o.Service = service.New(service.Options{Core: core.New(core.Options{DB: s.DB, Now: s.Clock.Now}), CheckDocument: func(query string) error {
				checked.Add(1)
				switch query {
				case "unknown":
					return errors.New(`Cannot query field "a" on type "Query".`)
				case "long":
					return errors.New(strings.Repeat("ä", 10_000))
				case "costly":
					return errors.New("Query has complexity of 251503, which exceeds max complexity of 50000")
				}
				return nil
			}})
		})
		send := func(token, method, path, body string) *httptest.ResponseRecorder {
			return surfaceServed(api, method, path, body, conventionsFrom, "Authorization", "Bearer "+token, "Content-Type", "application/json")
		}
		createdPortal(t, s, "First")
		for query, reason := range map[string]string{
			"unknown": `Query is not valid: Cannot query field \"a\" on type \"Query\".`,
			"costly":  "Query has complexity of 251503, which exceeds max complexity of 50000",
			"long":    "Query is not valid: " + strings.Repeat("ä", 500),
		} {
			for method, path := range map[string]string{"POST": portalsPath, "PATCH": portalsPath + "/first"} {
				answer := send(testkit.AdminToken, method, path, `{"name": "Good", "query": "`+query+`"}`)
				if want := `{"message":"Validation failed: ` + reason + `"}`; answer.Code != 422 || answer.Body.String() != want {
					t.Errorf("%s of %s: %d %s", method, query, answer.Code, answer.Body)
				}
			}
		}
		if answer := send(testkit.AdminToken, "POST", portalsPath, `{"name": "", "query": "unknown"}`); !strings.HasSuffix(answer.Body.String(), `\"Query\"., Name can't be blank"}`) {
			t.Errorf("%s", answer.Body)
		}
		wantMembers(t, s.Get(testkit.AdminToken, portalsPath+"/first"), `{"name": "First", "query": "{ viewer { id } }"}`)

		// Those who may not store one cannot have one checked, nor is one that is not sent.
		before := checked.Load()
		for _, token := range []string{testkit.MemberToken, testkit.OutsiderToken, testkit.ReadOnlyToken, "x"} {
			send(token, "POST", portalsPath, `{"name": "Good", "query": "good"}`)
			send(token, "PATCH", portalsPath+"/first", `{"query": "good"}`)
		}
		send(testkit.AdminToken, "PATCH", portalsPath+"/missing", `{"query": "good"}`)
		send(testkit.AdminToken, "PATCH", portalsPath+"/first", `{"name": "Renamed"}`)
		send(testkit.AdminToken, "PATCH", portalsPath+"/first", `{"query": 1}`)
		if n := checked.Load() - before; n != 0 {
			t.Errorf("%d documents were checked", n)
		}
		if answer := send(testkit.AdminToken, "PATCH", portalsPath+"/first", `{"query": "good"}`); answer.Code != 200 || checked.Load() != before+1 {
			t.Errorf("%d, checked %d times", answer.Code, checked.Load()-before)
		}
	})
}

// portalRuns returns how a portal answers who has that token.
func portalRuns(t testing.TB, s *testkit.Server, slug, token string) error {
	t.Helper()
	_, err := s.Service.PortalDocument(t.Context(), authz.PortalActor(token, netip.Addr{}), domain.PortalRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: slug})
	return err
}

func TestPortalTokensAndSecrets(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		portal := createdPortal(t, s, "First")
		createdPortal(t, s, "Other")
		creator := string(s.Get(testkit.AdminToken, "/v2/user").Body)
		for _, c := range []struct{ collection, member, shape, thing, expiry string }{
			{"tokens", "token", `^pnp_[0-9A-Za-z]{46}$`, "portal token", `"expires_at": null,`},
			{"secrets", "secret", `^pns_[0-9A-Za-z]{46}$`, "portal secret", ""},
		} {
			path := portalsPath + "/first/" + c.collection
			for _, item := range s.Get(testkit.AdminToken, path).Want(t, 200).List() { // the portal's first token
				if c.collection == "tokens" && portalRuns(t, s, "first", portal.Text("token")) != nil {
					t.Error("the first token is worth nothing")
				}
				s.Delete(testkit.AdminToken, path+"/"+item["uuid"].(string)).Want(t, 204)
			}
			created := s.Post(testkit.AdminToken, path, `{"description": "For CI", "unknown": 1, "token": "x", "secret": "x"}`).Want(t, 201)
			value := created.Text(c.member)
			if !regexp.MustCompile(c.shape).MatchString(value) {
				t.Fatalf("%q is no %s", value, c.thing)
			}
			shown := `{"uuid": "` + created.Text("uuid") + `", "description": "For CI", ` + c.expiry +
				` "created_at": "` + s.Clock.Now().Format(domain.TimestampLayout) + `", "created_by": ` + creator + `}`
			wantMembers(t, created, shown)
			wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).List(), `[`+shown+`]`)
			if everything := everythingStored(t, s); strings.Contains(everything, value) || !strings.Contains(everything, domain.HashToken(value)) {
				t.Errorf("of a %s something else than the hash is stored", c.thing)
			}
			s.Clock.Advance(time.Second)
			second := s.Do(testkit.Request{Method: "POST", Path: path, Token: testkit.AdminToken}).Want(t, 201) // without a body
			wantMembers(t, second, `{"description": ""}`)
			wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, path).List(), "uuid"), `["`+created.Text("uuid")+`", "`+second.Text("uuid")+`"]`)

			for _, id := range []string{unknownUUID, portal.Text("uuid"), "x", "%00"} {
				s.Delete(testkit.AdminToken, path+"/"+id).WantMessage(t, 404, "No "+c.thing+" found")
			}
			s.Delete(testkit.AdminToken, portalsPath+"/other/"+c.collection+"/"+created.Text("uuid")).WantMessage(t, 404, "No "+c.thing+" found")
			s.Delete(testkit.AdminToken, portalsPath+"/missing/"+c.collection+"/"+created.Text("uuid")).WantMessage(t, 404, "No portal found")
			s.Post(testkit.AdminToken, portalsPath+"/missing/"+c.collection, `{}`).WantMessage(t, 404, "No portal found")
			s.Get(testkit.AdminToken, portalsPath+"/missing/"+c.collection).WantMessage(t, 404, "No portal found")
			s.Get(testkit.AdminToken, path+"/"+created.Text("uuid")).Want(t, 405)
			stale := testkit.Request{Method: "DELETE", Path: path + "/" + created.Text("uuid"), Token: testkit.AdminToken, Header: map[string]string{"If-Match": `"stale"`}}
			s.Do(stale).Want(t, 412)
			s.Delete(testkit.AdminToken, path+"/"+created.Text("uuid")).Want(t, 204)
			s.Delete(testkit.AdminToken, path+"/"+created.Text("uuid")).WantMessage(t, 404, "No "+c.thing+" found")
			s.Post(testkit.AdminToken, path, `{"description": "a\u0000b"}`).WantMessage(t, 422, "Validation failed: Description must be valid UTF-8 without NUL")
		}
	})
}

func TestPortalTokensExpireAndSeveralLive(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		first, tokens := createdPortal(t, s, "First").Text("token"), portalsPath+"/first/tokens"
		for _, expiry := range []string{"tomorrow", "2026-05-03T04:27:55.866Z", "2025-01-01T00:00:00Z"} {
			s.Post(testkit.AdminToken, tokens, `{"expires_at": "`+expiry+`"}`).Want(t, 422)
		}
		expiring := s.Post(testkit.AdminToken, tokens, `{"expires_at": "2026-05-03T06:27:55.8679+02:00"}`).Want(t, 201)
		wantMembers(t, expiring, `{"expires_at": "2026-05-03T04:27:55.867Z"}`)
		for _, token := range []string{first, expiring.Text("token")} {
			if err := portalRuns(t, s, "first", token); err != nil {
				t.Error(err)
			}
		}
		s.Clock.Advance(10 * time.Minute)
		if err := portalRuns(t, s, "first", expiring.Text("token")); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("an expired token: %v", err)
		}
		if err := portalRuns(t, s, "first", first); err != nil {
			t.Error(err)
		}
		if list := s.Get(testkit.AdminToken, tokens).Want(t, 200).List(); len(list) != 1 {
			t.Errorf("%v are listed", list)
		}
	})
}

func TestAPortalHasAtMostTwoSecrets(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for round := range rounds {
			name := fmt.Sprintf("round-%d", round)
			createdPortal(t, s, name)
			secrets, made := portalsPath+"/"+name+"/secrets", 0
			for _, answer := range atOnce(s, slices.Repeat([]testkit.Request{{Method: "POST", Path: secrets, Body: `{}`}}, 4)...) {
				if answer.Status == 201 {
					made++
				} else {
					answer.WantMessage(t, 422, "Validation failed: A portal can have at most two secrets")
				}
			}
			list := s.Get(testkit.AdminToken, secrets).Want(t, 200).List()
			if made != 2 || len(list) != 2 {
				t.Errorf("%d secrets were made, %d are there", made, len(list))
			}
			s.Delete(testkit.AdminToken, secrets+"/"+list[0]["uuid"].(string)).Want(t, 204)
			s.Post(testkit.AdminToken, secrets, `{}`).Want(t, 201)
			s.Post(testkit.AdminToken, secrets, `{}`).Want(t, 422)
		}
	})
}

// TestPortalCredentialsAreWorthNothingOnREST sends a portal's token, an ephemeral one and a secret to every operation.
func TestPortalCredentialsAreWorthNothingOnREST(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		portal := createdPortal(t, s, "First")
		secret := s.Post(testkit.AdminToken, portalsPath+"/first/secrets", `{}`).Want(t, 201).Text("secret")
		ephemeral, _, err := s.Service.CreateEphemeralPortalToken(t.Context(), authz.Actor{Surface: authz.Portal},
			domain.PortalRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: "first"},
			domain.PortalGrant{GrantType: domain.Some("client_credentials"), ClientID: portal.Text("uuid"), Secret: domain.Secret(secret)})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.needs != needsNothing }) {
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			for _, token := range []string{portal.Text("token"), ephemeral.Reveal(), secret} {
				e.call(s, token, path).Want(t, 401)
			}
		}
		if err := portalRuns(t, s, "first", secret); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("a secret is a token: %v", err)
		}
	})
}

func TestPortalAuditEvents(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		before := len(auditEvents(t, s, ""))
		portal := createdPortal(t, s, "First")
		path := portalsPath + "/first"
		s.Patch(testkit.AdminToken, path, `{"query": "{ viewer { __typename } }"}`).Want(t, 200)
		token := s.Post(testkit.AdminToken, path+"/tokens", `{"description": "CI", "expires_at": "2026-06-01T00:00:00Z"}`).Want(t, 201)
		secret := s.Post(testkit.AdminToken, path+"/secrets", `{"description": "CD"}`).Want(t, 201)
		s.Delete(testkit.AdminToken, path+"/tokens/"+token.Text("uuid")).Want(t, 204)
		s.Delete(testkit.AdminToken, path+"/secrets/"+secret.Text("uuid")).Want(t, 204)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		events := auditEvents(t, s, "")
		events = events[:len(events)-before]
		slices.Reverse(events)
		wantExactly(t, testkit.Column(events, "type"), `["PORTAL_CREATED", "PORTAL_UPDATED", "PORTAL_TOKEN_CREATED", "PORTAL_SECRET_CREATED",
			"PORTAL_TOKEN_DELETED", "PORTAL_SECRET_DELETED", "PORTAL_DELETED"]`)
		ofPortal, ofToken := `{"type": "PORTAL", "uuid": "`+portal.Text("uuid")+`", "name": "First"}`, `{"type": "PORTAL_TOKEN", "uuid": "`+token.Text("uuid")+`", "name": "CI"}`
		for i, subject := range []string{ofPortal, ofPortal, ofToken, ofPortal, ofToken, ofPortal, ofPortal} {
			wantExactly(t, events[i]["subject"], subject)
		}
		tokenFacts := `{"portal_id": "` + portal.Text("uuid") + `", "description": "CI", "expires_at": "2026-06-01T00:00:00.000Z"}`
		secretFacts := `{"secret_id": "` + secret.Text("uuid") + `", "description": "CD"}`
		wantExactly(t, events[2]["data"], `{"after": `+tokenFacts+`}`)
		wantExactly(t, events[3]["data"], `{"after": `+secretFacts+`}`)
		wantExactly(t, events[4]["data"], `{"before": `+tokenFacts+`}`)
		wantExactly(t, events[5]["data"], `{"before": `+secretFacts+`}`)
		made := events[0]["data"].(map[string]any)["after"].(map[string]any)
		if made["token"] == nil || made["query_sha256"] != domain.HashToken("{ viewer { id } }") || made["slug"] != "first" {
			t.Errorf("a new portal is recorded as %v", made)
		}
		text := string(asJSON(t, events))
		for _, value := range []string{portal.Text("token"), token.Text("token"), secret.Text("secret")} {
			if value == "" || strings.Contains(text, value) || strings.Contains(text, domain.HashToken(value)) {
				t.Errorf("%q is in the events", value)
			}
		}
	})
}

// TestPortalsAreEmpoweredWithTheScopeForGraphQL: a token that may write portals alone would else be worth all of its administrator's rights.
func TestPortalsAreEmpoweredWithTheScopeForGraphQL(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const refusal = "Your access token doesn't have the graphql scope"
		only := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.Scopes = []string{"read_portals", "write_portals"} })
		both := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.Scopes = []string{"read_portals", "write_portals", "graphql"} })
		graphQL := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.Scopes = []string{"graphql"} })
		path := portalsPath + "/first"
		const body = `{"name": "First", "query": "{ viewer { id } }"}`
		s.Post(only, portalsPath, body).WantMessage(t, 403, refusal)
		s.Post(only, portalsPath, `{"name": ""}`).WantMessage(t, 403, refusal) // before what was sent is looked at
		s.Post(graphQL, portalsPath, body).WantMessage(t, 403, "Your access token doesn't have the write_portals scope")
		s.Post(both, portalsPath, body).Want(t, 201)
		wantUnchanged(t, s, path, func() {
			for _, change := range []string{`{"query": "{ viewer { user { id } } }"}`, `{"name": "Other", "query": "query A { viewer { id } }"}`} {
				s.Patch(only, path, change).WantMessage(t, 403, refusal)
				s.Put(only, path, change).WantMessage(t, 403, refusal)
			}
			s.Post(only, path+"/tokens", `{}`).WantMessage(t, 403, refusal)
			s.Post(only, path+"/secrets", `{}`).WantMessage(t, 403, refusal)
		})
		// What gives a portal nothing more needs no more.
		s.Put(only, path, `{"name": "Renamed", "query": "{ viewer { id } }", "description": "same query", "user_invokable": false, "allowed_ip_addresses": null}`).Want(t, 200)
		s.Patch(only, path, `{"allowed_ip_addresses": "10.0.0.0/8"}`).Want(t, 200)
		wantUnchanged(t, s, path, func() {
			for _, change := range []string{`{"user_invokable": true}`, `{"allowed_ip_addresses": null}`, `{"allowed_ip_addresses": ""}`, `{"allowed_ip_addresses": "10.0.0.0/8 ::1"}`} {
				s.Patch(only, path, change).WantMessage(t, 403, refusal)
			}
		})
		s.Patch(both, path, `{"user_invokable": true, "allowed_ip_addresses": "10.0.0.0/8 127.0.0.1"}`).Want(t, 200)
		s.Patch(only, path, `{"user_invokable": true, "allowed_ip_addresses": "127.0.0.1/32 10.0.0.0/16"}`).Want(t, 200)
		s.Patch(only, path, `{"user_invokable": false}`).Want(t, 200)
		s.Patch(both, path, `{"allowed_ip_addresses": null}`).Want(t, 200)
		token := s.Post(both, path+"/tokens", `{}`).Want(t, 201).Text("uuid")
		secret := s.Post(both, path+"/secrets", `{}`).Want(t, 201).Text("uuid")
		s.Patch(both, path, `{"query": "query A { viewer { id } }"}`).Want(t, 200)
		s.Delete(only, path+"/tokens/"+token).Want(t, 204)
		s.Delete(only, path+"/secrets/"+secret).Want(t, 204)
		s.Delete(only, path).Want(t, 204)
	})
}
