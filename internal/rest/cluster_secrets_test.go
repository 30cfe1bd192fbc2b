package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

func TestClusterSecretLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		secrets := testkit.ClusterPath(testkit.MaintainedID, "secrets")
		wantExactly(t, s.Get(testkit.AdminToken, secrets).Want(t, 200).List(), `[]`)
		secret := s.Post(testkit.MaintainerToken, secrets,
			`{"key": "DEPLOY_KEY", "value": "hunter2", "description": "For releases", "policy": "- build_branch: main\n"}`).Want(t, 201)
		path := secrets + "/" + secret.Text("id")
		shown := `{
			"id": "ID",
			"graphql_id": "GLOBAL",
			"key": "DEPLOY_KEY",
			"description": "For releases",
			"policy": "- build_branch: main\n",
			"url": "BASE` + path + `",
			"cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER",
			"created_at": "2026-05-03T04:17:55.867Z",
			"created_by": CREATOR,
			"updated_at": "2026-05-03T04:17:55.867Z",
			"updated_by": CREATOR,
			"last_read_at": null,
			"organization": {"id": "OWNER", "slug": "acme-inc", "url": "BASE/v2/organizations/acme-inc", "web_url": "BASE/organizations/acme-inc"}
		}`
		pairs := []string{
			"GLOBAL", globalID("Secret", secret.Text("id")), "ID", secret.Text("id"), "BASE", s.URL, "CLUSTER", testkit.MaintainedID,
			"CREATOR", string(s.Get(testkit.MaintainerToken, "/v2/user").Body), "OWNER", s.Get(testkit.AdminToken, "/v2/organizations/acme-inc").Text("id"),
		}
		wantExactly(t, secret.Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.TeammateToken, path).Want(t, 200).Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.AdminToken, secrets).Want(t, 200).List(), `[`+shown+`]`, pairs...)
		for _, change := range []struct{ method, body, shown string }{
			{"PUT", `{"description": "Put"}`, `{"description": "Put", "policy": "- build_branch: main\n"}`},
			{"PATCH", `{"policy": "- pipeline_slug: [web, api]"}`, `{"description": "Put", "policy": "- pipeline_slug: [web, api]"}`},
			{"PUT", `{"policy": " "}`, `{"policy": null}`},
			{"PATCH", `{"description": null}`, `{"description": null, "policy": null}`},
		} {
			wantMembers(t, s.Do(testkit.Request{Method: change.method, Path: path, Token: testkit.AdminToken, Body: change.body}).Want(t, 200), change.shown)
		}
		s.Put(testkit.AdminToken, path+"/value", `{"value": "hunter3"}`).Want(t, 204)
		foreign := testkit.ClusterPath(createdCluster(t, s), "secrets", secret.Text("id"))
		s.Get(testkit.AdminToken, foreign).WantMessage(t, 404, "No secret found")
		s.Put(testkit.AdminToken, foreign+"/value", `{"value": "x"}`).WantMessage(t, 404, "No secret found")
		s.Delete(testkit.AdminToken, foreign).WantMessage(t, 404, "No secret found")
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No secret found")
		want := `["SECRET_DELETED","SECRET_VALUE_UPDATED","SECRET_UPDATED","SECRET_UPDATED","SECRET_UPDATED","SECRET_UPDATED","SECRET_CREATED"]`
		if got := string(asJSON(t, testkit.Column(auditEvents(t, s, "subject_uuid="+secret.Text("id")), "type"))); got != want {
			t.Errorf("recorded: %s", got)
		}
	})
}

func TestSecretValuesAreNeitherShownNorStored(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		secrets := testkit.ClusterPath(testkit.MaintainedID, "secrets")
		const value, other = "correct-horse-battery", "staple-battery-horse"
		made := postWithKey(s, testkit.AdminToken, "the-key", secrets, `{"key": "A", "value": "`+value+`"}`).Want(t, 201)
		path := secrets + "/" + made.Text("id")
		s.Put(testkit.AdminToken, path+"/value", `{"value": "`+other+`"}`).Want(t, 204)
		shown := string(made.Body) + string(s.Get(testkit.AdminToken, path).Body) + string(s.Get(testkit.AdminToken, secrets).Body)
		for _, text := range []string{value, other} {
			if strings.Contains(shown+everythingStored(t, s), text) {
				t.Errorf("%s is shown or stored", text)
			}
		}
	})
}

func TestClusterSecretsAreChecked(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		secrets := testkit.ClusterPath(testkit.MaintainedID, "secrets")
		path := secrets + "/" + createdID(t, s, secrets, `{"key": "TAKEN", "value": "x"}`)
		wantUnchanged(t, s, path, func() {
			s.Post(testkit.AdminToken, secrets, `{"key": "TAKEN", "value": "y"}`).WantMessage(t, 422, "Validation failed: Key has already been taken")
			s.Post(testkit.AdminToken, secrets, `{}`).WantMessage(t, 422, "Validation failed: Key can't be blank, Value can't be blank")
			s.Post(testkit.AdminToken, secrets, `{"key": "buildkite_x", "value": "y"}`).WantMessage(t, 422, "Validation failed: Key can't begin with buildkite or bk")
			s.Post(testkit.AdminToken, secrets, `{"key": "A", "value": "`+strings.Repeat("x", 8193)+`"}`).
				WantMessage(t, 422, "Validation failed: Value is too long (maximum is 8192 bytes)")
			s.Patch(testkit.AdminToken, path, `{"policy": "web"}`).WantMessage(t, 422, "Validation failed: Policy is not valid: "+
				"it must be a list of rules, such as - build_branch: main; leave it out to let all jobs of the cluster")
			s.Put(testkit.AdminToken, path, `{"key": "OTHER"}`).WantMessage(t, 422, "The key parameter cannot be updated.")
			s.Put(testkit.AdminToken, path, `{"value": "y"}`).WantMessage(t, 422, "The value parameter cannot be updated here. Send it to the secret's value.")
			s.Put(testkit.AdminToken, path+"/value", `{"value": ""}`).WantMessage(t, 422, "Validation failed: Value can't be blank")
			s.Put(testkit.AdminToken, path+"/value", `{}`).WantMessage(t, 422, "Validation failed: Value can't be blank")
		})
		// Another cluster may have the same key, and keys differ by case.
		s.Post(testkit.AdminToken, testkit.ClusterPath(createdCluster(t, s), "secrets"), `{"key": "TAKEN", "value": "y"}`).Want(t, 201)
		s.Post(testkit.AdminToken, secrets, `{"key": "taken", "value": "y"}`).Want(t, 201)
	})
}

func TestSecretsNeedAnEncryptionKey(t *testing.T) {
	t.Parallel()
	s := testkit.NewServer(t, testkit.OpenDB(t, "sqlite"), testkit.ServerOptions{Core: func(o *core.Options) { o.Keyring = nil }})
	s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "secrets"), `{"key": "A", "value": "x"}`).WantMessage(t, 422,
		"This installation has no encryption key, so it can't keep secrets. An operator gives every server the same one with --encryption-key-file.")
}
