package rest_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"penstock/internal/backup"
	"penstock/internal/testkit"
)

func TestAgentTokenLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		tokens := testkit.ClusterPath(testkit.MaintainedID, "tokens")
		wantExactly(t, s.Get(testkit.AdminToken, tokens).Want(t, 200).List(), `[]`)
		token := s.Post(testkit.MaintainerToken, tokens,
			`{"description": "Office agents", "allowed_ip_addresses": "10.0.0.0/8 2001:db8::/32", "expires_at": "2026-06-01T00:00:00Z"}`).Want(t, 201)
		path := tokens + "/" + token.Text("id")
		shown := `{
			"id": "ID",
			"graphql_id": "GLOBAL",
			"description": "Office agents",
			"allowed_ip_addresses": "10.0.0.0/8 2001:db8::/32",
			"expires_at": "2026-06-01T00:00:00.000Z",
			"url": "BASE` + path + `",
			"cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER",
			"created_at": "2026-05-03T04:17:55.867Z",
			"created_by": CREATOR
		}`
		pairs := []string{
			"GLOBAL", globalID("ClusterToken", token.Text("id")), "ID", token.Text("id"), "BASE", s.URL, "CLUSTER", testkit.MaintainedID,
			"CREATOR", string(s.Get(testkit.MaintainerToken, "/v2/user").Body),
		}
		wantMembers(t, token, shown, pairs...)
		wantExactly(t, s.Get(testkit.TeammateToken, path).Want(t, 200).Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.AdminToken, tokens).Want(t, 200).List(), `[`+shown+`]`, pairs...)

		for _, change := range []struct{ method, body, shown string }{
			{"PUT", `{"description": "Put"}`, `{"description": "Put", "allowed_ip_addresses": "10.0.0.0/8 2001:db8::/32"}`},
			{"PATCH", `{"allowed_ip_addresses": "192.0.2.1"}`, `{"description": "Put", "allowed_ip_addresses": "192.0.2.1"}`},
			{"PUT", `{"allowed_ip_addresses": ""}`, `{"description": "Put", "allowed_ip_addresses": ""}`},
			{"PATCH", `{"description": "Patched", "allowed_ip_addresses": null}`, `{"description": "Patched", "allowed_ip_addresses": null}`},
			{"PUT", `{}`, `{"description": "Patched", "allowed_ip_addresses": null}`},
		} {
			answer := s.Do(testkit.Request{Method: change.method, Path: path, Token: testkit.AdminToken, Body: change.body}).Want(t, 200)
			wantMembers(t, answer, change.shown)
			wantExactly(t, s.Get(testkit.AdminToken, path).Object(), string(answer.Body))
		}

		foreign := testkit.ClusterPath(createdCluster(t, s), "tokens", token.Text("id"))
		s.Get(testkit.AdminToken, foreign).WantMessage(t, 404, "No cluster token found")
		s.Delete(testkit.AdminToken, foreign).WantMessage(t, 404, "No cluster token found")
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No cluster token found")
		s.Put(testkit.AdminToken, path, `{}`).WantMessage(t, 404, "No cluster token found")
		s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No cluster token found")
		wantExactly(t, s.Get(testkit.AdminToken, tokens).Want(t, 200).List(), `[]`)
		wantTrueCounters(t, s)
	})
}

func TestAgentTokenNeedsADescription(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		tokens := testkit.ClusterPath(testkit.MaintainedID, "tokens")
		path := tokens + "/" + createdID(t, s, tokens, `{"description": "Agents"}`)
		wantUnchanged(t, s, path, func() {
			for _, description := range []string{`null`, `""`, `" \n"`} {
				s.Post(testkit.AdminToken, tokens, `{"description": `+description+`}`).WantMessage(t, 422, "Validation failed: Description can't be blank")
				s.Patch(testkit.AdminToken, path, `{"description": `+description+`}`).WantMessage(t, 422, "Validation failed: Description can't be blank")
			}
			s.Post(testkit.AdminToken, tokens, `{}`).WantMessage(t, 422, "Validation failed: Description can't be blank")
			s.Post(testkit.AdminToken, tokens, `{"description": 7}`).WantMessage(t, 422, "Validation failed: description must be a string")
		})
		wantTrueCounters(t, s)
	})
}

func TestAgentTokenValueIsShownOnce(t *testing.T) {
	t.Parallel()
	shape := regexp.MustCompile(`^pnc_[0-9A-Za-z]{46}$`)
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		tokens := testkit.ClusterPath(testkit.MaintainedID, "tokens")
		token := s.Post(testkit.AdminToken, tokens, `{"description": "Agents"}`).Want(t, 201)
		value, path := token.Text("token"), tokens+"/"+token.Text("id")
		if !shape.MatchString(value) {
			t.Fatalf("%q is no token", value)
		}
		for _, answer := range []*testkit.Answer{
			s.Get(testkit.AdminToken, path), s.Get(testkit.AdminToken, tokens), s.Put(testkit.AdminToken, path, `{"description": "Changed"}`),
		} {
			answer.Want(t, 200)
			if body := string(answer.Body); strings.Contains(body, value) || strings.Contains(body, `"token"`) {
				t.Errorf("the value is shown again: %s", answer)
			}
		}
		if again := s.Post(testkit.AdminToken, tokens, `{"description": "Agents"}`).Text("token"); again == value {
			t.Error("two tokens have one value")
		}
	})
}

func TestTokenValuesAreNotStored(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agentToken := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), `{"description": "Agents"}`).Want(t, 201).Text("token")
		everything := everythingStored(t, s)
		for _, value := range []string{agentToken, testkit.AdminToken} {
			sum := sha256.Sum256([]byte(value))
			if !strings.Contains(everything, hex.EncodeToString(sum[:])) {
				t.Errorf("the hash of %s is not stored", value)
			}
			if strings.Contains(everything, value) {
				t.Errorf("%s is stored", value)
			}
		}
	})
}

// everythingStored returns the content of the whole database as text.
func everythingStored(t testing.TB, s *testkit.Server) string {
	t.Helper()
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), s.DB, &file); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAgentTokenAddresses(t *testing.T) {
	t.Parallel()
	cidrs := func(n int) string { return strings.TrimSpace(strings.Repeat("192.0.2.0/24 ", n)) }
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		tokens := testkit.ClusterPath(testkit.MaintainedID, "tokens")
		path := tokens + "/" + createdID(t, s, tokens, `{"description": "Agents"}`)
		for given, shown := range map[string]string{
			`"10.0.0.0/8"`:                     `"10.0.0.0/8"`,
			`"10.0.0.0/8 2001:db8::/32"`:       `"10.0.0.0/8 2001:db8::/32"`,
			`"  10.0.0.0/8   2001:db8::/32\n"`: `"10.0.0.0/8 2001:db8::/32"`,
			`"192.0.2.7"`:                      `"192.0.2.7"`,
			`"` + cidrs(24) + `"`:              `"` + cidrs(24) + `"`,
			`""`:                               `""`,
			`null`:                             `null`,
		} {
			want := `{"allowed_ip_addresses": ` + shown + `}`
			wantMembers(t, s.Post(testkit.AdminToken, tokens, `{"description": "Agents", "allowed_ip_addresses": `+given+`}`).Want(t, 201), want)
			wantMembers(t, s.Put(testkit.AdminToken, path, `{"allowed_ip_addresses": `+given+`}`).Want(t, 200), want)
		}
		wantUnchanged(t, s, path, func() {
			for _, given := range []string{
				`"` + cidrs(25) + `"`, `"10.0.0.0/33"`, `"10.0.0.0/8,192.0.2.0/24"`, `"10.0.0.0/8 office"`, `"10.0.0"`, `["10.0.0.0/8"]`, `7`,
			} {
				s.Post(testkit.AdminToken, tokens, `{"description": "Agents", "allowed_ip_addresses": `+given+`}`).Want(t, 422)
				s.Put(testkit.AdminToken, path, `{"description": "Changed", "allowed_ip_addresses": `+given+`}`).Want(t, 422)
			}
		})
	})
}

func TestAgentTokenExpiry(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		tokens := testkit.ClusterPath(testkit.MaintainedID, "tokens")
		in := func(d time.Duration) string { return `"` + s.Clock.Now().Add(d).Format(time.RFC3339Nano) + `"` }
		for _, expiry := range []string{in(10*time.Minute - time.Millisecond), in(0), in(-time.Hour)} {
			s.Post(testkit.AdminToken, tokens, `{"description": "Agents", "expires_at": `+expiry+`}`).
				WantMessage(t, 422, "Validation failed: Expires at must be at least 10 minutes from now")
		}
		for _, expiry := range []string{`"tomorrow"`, `"2027-01"`, `""`, `1893456000`} {
			s.Post(testkit.AdminToken, tokens, `{"description": "Agents", "expires_at": `+expiry+`}`).Want(t, 422)
		}
		for expiry, want := range map[string]string{"2027-01-31": "2027-01-31T00:00:00.000Z", "2027-01-31T12:30:00": "2027-01-31T12:30:00.000Z", "2027-01-31T12:30+01:00": "2027-01-31T11:30:00.000Z"} {
			wantMembers(t, s.Post(testkit.AdminToken, tokens, `{"description": "Agents", "expires_at": "`+expiry+`"}`).Want(t, 201), `{"expires_at": "`+want+`"}`)
		}
		wantMembers(t, s.Post(testkit.AdminToken, tokens, `{"description": "Agents", "expires_at": `+in(10*time.Minute)+`}`).Want(t, 201),
			`{"expires_at": "2026-05-03T04:27:55.867Z"}`)

		eternal := tokens + "/" + createdID(t, s, tokens, `{"description": "Agents", "expires_at": null}`)
		wantMembers(t, s.Put(testkit.AdminToken, eternal, `{"expires_at": null}`).Want(t, 200), `{"expires_at": null}`)
		mortal := tokens + "/" + createdID(t, s, tokens, `{"description": "Agents", "expires_at": "2027-01-31T12:00:00+02:00"}`)
		for _, same := range []string{`"2027-01-31T10:00:00.000Z"`, `"2027-01-31T12:00:00+02:00"`} {
			wantMembers(t, s.Put(testkit.AdminToken, mortal, `{"expires_at": `+same+`}`).Want(t, 200), `{"expires_at": "2027-01-31T10:00:00.000Z"}`)
		}
		for path, others := range map[string][]string{
			eternal: {`"2027-01-31T10:00:00Z"`},
			mortal:  {`null`, `"2027-01-31T10:00:00.001Z"`, `"2028-01-31T10:00:00Z"`},
		} {
			wantUnchanged(t, s, path, func() {
				for _, other := range others {
					s.Put(testkit.AdminToken, path, `{"description": "Changed", "expires_at": `+other+`}`).
						WantMessage(t, 422, "Validation failed: Expires at can't be changed")
				}
			})
		}
		// The same value is accepted although it is no longer ten minutes ahead.
		s.Clock.Advance(366 * 24 * time.Hour)
		s.Put(testkit.AdminToken, mortal, `{"expires_at": "2027-01-31T10:00:00.000Z"}`).Want(t, 200)
	})
}
