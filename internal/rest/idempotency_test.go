package rest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/testkit"
)

// postWithKey sends a POST request with an idempotency key.
func postWithKey(s *testkit.Server, token, key, path string, body any) *testkit.Answer {
	return s.Do(testkit.Request{Method: http.MethodPost, Path: path, Token: token, Body: body, Header: map[string]string{"Idempotency-Key": key}})
}

// wantReplay checks that an answer is the first one's again.
func wantReplay(t *testing.T, first, again *testkit.Answer) {
	t.Helper()
	again.Want(t, first.Status)
	if string(again.Body) != string(first.Body) || again.Header.Get("ETag") != first.Header.Get("ETag") {
		t.Errorf("answered\n%s\nand then\n%s", first.Body, again.Body)
	}
	if first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("Idempotency-Replayed is %q and then %q", first.Header.Get("Idempotency-Replayed"), again.Header.Get("Idempotency-Replayed"))
	}
}

// createRequests has a request for every operation that makes something, by its name in the description.
func createRequests(s *testkit.Server, t *testing.T) map[string][2]string {
	t.Helper()
	cluster := testkit.ClusterPath(testkit.MaintainedID)
	s.Post(testkit.AdminToken, organizationPath+"/portals", `{"name": "Opened", "query": "{ viewer { id } }"}`).Want(t, 201)
	pipeline := s.Post(testkit.AdminToken, organizationPath+"/pipelines", `{"name": "First", "repository": "git@example.com:a/b.git", "configuration": "steps: [{command: make, label: Make}, wait, {block: Go on}]"}`).Want(t, 201)
	const builds = organizationPath + "/pipelines/first/builds"
	s.Post(testkit.AdminToken, builds, `{"commit": "HEAD", "branch": "main"}`).Want(t, 201)
	hosted := surfaceEndpoint{path: surfacePipeline + "/webhook"}.pipelineTarget(t, s)
	job := s.Get(testkit.AdminToken, builds+"/1").Want(t, 200).Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
	const annotation = `{"body": "Once", "context": "once", "style": "info", "priority": 4}`
	return map[string][2]string{
		"annotateBuild":           {builds + "/1/annotations", annotation},
		"annotateBuildJob":        {builds + "/1/jobs/" + job + "/annotations", annotation},
		"annotateJob":             {organizationPath + "/jobs/" + job + "/annotations", annotation},
		"createCluster":           {clustersPath, `{"name": "Once", "description": "D", "emoji": ":eyes:", "color": "#123", "maintainers": [{"user": "` + testkit.MemberID + `"}, {"team": "` + testkit.TeamID + `"}]}`},
		"createClusterQueue":      {cluster + "/queues", `{"key": "once", "description": "D", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`},
		"createClusterToken":      {cluster + "/tokens", `{"description": "Once", "expires_at": "2099-01-01T00:00:00Z", "allowed_ip_addresses": "10.0.0.0/8 192.0.2.0/24"}`},
		"createClusterSecret":     {cluster + "/secrets", `{"key": "ONCE", "value": "hunter2", "description": "D", "policy": "- build_branch: main"}`},
		"createClusterMaintainer": {cluster + "/maintainers", `{"user": "` + testkit.MemberID + `"}`},
		"createCacheRegistry":     {cluster + "/cache-registries", `{"name": "Once"}`},
		"createPipeline":          {organizationPath + "/pipelines", `{"name": "Once", "repository": "git@example.com:a/b.git", "configuration": "steps: []", "tags": ["a", "b"], "env": {"A": "1"}}`},
		"createBuild":             {organizationPath + "/pipelines/first/builds", `{"commit": "HEAD", "branch": "main", "env": {"A": "1"}, "meta_data": {"k": "v"}, "pull_request_id": 7}`},
		"createRule": {organizationPath + "/rules", `{"type": "pipeline.trigger_build.pipeline", "description": "D", "value": {"source_pipeline": "first", "target_pipeline": "first",
			"conditions": ["source.build.branch == 'main'"]}}`},
		"createPipelineSchedule":     {organizationPath + "/pipelines/first/schedules", `{"label": "Once", "cronline": "@daily", "branch": "main", "env": {"A": "1"}}`},
		"createPipelineTrigger":      {organizationPath + "/pipelines/first/triggers", `{"type": "github", "label": "Once", "build": {"environment": {"A": "1"}}, "verification": {"strategy": "hmac", "secret": "a-good-secret"}}`},
		"createPipelineTemplate":     {organizationPath + "/pipeline-templates", `{"name": "Once", "description": "D", "configuration": "steps: [wait]", "available": true}`},
		"createNotificationService":  {organizationPath + "/services", `{"provider": "webhook", "description": "Once", "settings": {"url": "https://example.com/hook", "events": ["build.finished"]}}`},
		"createPipelineWebhook":      {hosted, ``},
		"createRepositoryConnection": {surfaceEndpoint{path: surfaceConnections}.at(testkit.Organization, "", ""), `{"type": "gitea", "host": {"url": "` + surfaceHost.URL + `/second"}, "token": "forge-token", "webhook_secret": "a-good-secret"}`},
		"createTeam":                 {organizationPath + "/teams", `{"name": "Once", "privacy": "secret", "is_default_team": false, "default_member_role": "member", "members_can_create_pipelines": true}`},
		"createTeamMember":           {organizationPath + "/teams/" + testkit.TeamID + "/members", `{"user_id": "` + testkit.MemberID + `", "role": "maintainer"}`},
		"createTeamPipeline":         {organizationPath + "/teams/" + testkit.TeamID + "/pipelines", `{"pipeline_id": "` + pipeline.Text("id") + `", "access_level": "read_only"}`},
		"createPortal":               {organizationPath + "/portals", `{"name": "Once", "query": "{ viewer { id } }"}`},
		"createInvitations":          {organizationPath + "/invitations", `{"emails": ["once@example.com"]}`},
		"createPortalToken":          {organizationPath + "/portals/opened/tokens", ``},
		"createPortalSecret":         {organizationPath + "/portals/opened/secrets", `{}`},
	}
}

// creatingOperations returns the names of the operations that take an idempotency key.
func creatingOperations(s *testkit.Server, t *testing.T) (names []string) {
	t.Helper()
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(s.Get("", "/v2/openapi.json").Want(t, 200).Body, &description); err != nil {
		t.Fatal(err)
	}
	for _, item := range description.Paths {
		var operation struct {
			OperationID string
			Responses   map[string]any
		}
		if json.Unmarshal(item["post"], &operation) == nil && operation.Responses["201"] != nil {
			names = append(names, operation.OperationID)
			if !strings.Contains(string(item["post"]), "/parameters/Idempotency-Key") {
				t.Errorf("%s takes no Idempotency-Key", operation.OperationID)
			}
		}
	}
	return names
}

func TestEveryCreateIsCarriedOutOnceUnderAKey(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		requests := createRequests(s, t)
		for _, name := range creatingOperations(s, t) {
			request, ok := requests[name]
			if !ok {
				t.Errorf("%s has no case here", name)
				continue
			}
			key := "key of " + name
			key = strings.ReplaceAll(key, " ", "-")
			post := func() *testkit.Answer {
				if request[1] == "" {
					return postWithKey(s, testkit.AdminToken, key, request[0], nil)
				}
				return postWithKey(s, testkit.AdminToken, key, request[0], request[1])
			}
			before := eventCount(t, s.DB)
			first := post().Want(t, 201)
			s.Clock.Advance(23 * time.Hour)
			object := first
			if name == "createInvitations" {
				object = &testkit.Answer{Body: first.Body[1 : len(first.Body)-1]} // of the only one
			}
			if secret := object.Text("token") + object.Text("secret") + object.Text("invitation_url") + object.Text("endpoint_url"); secret != "" {
				again := post().Want(t, 409)
				if id := cmp.Or(object.Text("slug"), object.Text("uuid"), object.Text("id")); !strings.Contains(again.Message(), id) || strings.Contains(string(again.Body), secret) {
					t.Errorf("%s: the second answer is %s", name, again.Body)
				}
			} else {
				wantReplay(t, first, post())
			}
			s.Clock.Advance(-23 * time.Hour)
			wanted := int64(1)
			if name == "createBuild" || name == "createPipelineWebhook" || strings.HasPrefix(name, "annotate") { // which change no configuration
				wanted = 0
			}
			if made := eventCount(t, s.DB) - before; made != wanted {
				t.Errorf("%s: %d audit events", name, made)
			}
			postWithKey(s, testkit.AdminToken, key, request[0]+"?a", request[1]).Want(t, 422)
		}
	})
}

func eventCount(t *testing.T, d *db.DB) (n int64) {
	t.Helper()
	if err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT count(*) FROM audit_events`, func(r *db.Row) { n = r.Int() })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func clustersNamed(t *testing.T, d *db.DB, name string) (n int64) {
	t.Helper()
	if err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT count(*) FROM clusters WHERE name = $1`, func(r *db.Row) { n = r.Int() }, name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAKeyIsGoodForOneRequestOfOneCaller(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const other = "The Idempotency-Key was used for another request"
		first := postWithKey(s, testkit.AdminToken, "k", clustersPath, `{"name": "Once"}`).Want(t, 201)
		postWithKey(s, testkit.AdminToken, "k", clustersPath, `{"name": "Other"}`).WantMessage(t, 422, other)
		postWithKey(s, testkit.AdminToken, "k", organizationPath+"/teams", `{"name": "Once"}`).WantMessage(t, 422, other)
		// Another caller's key is another key.
		if again := postWithKey(s, testkit.WriteOnlyToken, "k", clustersPath, `{"name": "Once"}`).Want(t, 201); again.Text("id") == first.Text("id") {
			t.Error("another caller was answered with the first one's cluster")
		}
		postWithKey(s, testkit.OutsiderToken, "k", clustersPath, `{"name": "Once"}`).Want(t, 404)
		if n := clustersNamed(t, s.DB, "Once"); n != 2 {
			t.Errorf("%d clusters", n)
		}
	})
}

func TestAFailedAttemptDoesNotPinItsKey(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID) + "/queues"
		postWithKey(s, testkit.AdminToken, "k", path, `{"key": "default"}`).Want(t, 422)
		postWithKey(s, testkit.AdminToken, "k", path, `{`).Want(t, 400)
		postWithKey(s, testkit.AdminToken, "k", path, `{"key": "other"}`).Want(t, 201)
		postWithKey(s, testkit.MemberToken, "k", path, `{"key": "members"}`).Want(t, 403)
		if _, err := s.Service.PruneIdempotencyKeys(t.Context(), authz.OperatorActor()); err != nil {
			t.Error(err)
		}
		if n := storedKeys(t, s.DB); n != 1 {
			t.Errorf("%d keys are stored", n)
		}
	})
}

func storedKeys(t *testing.T, d *db.DB) (n int64) {
	t.Helper()
	if err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT count(*) FROM idempotency_keys`, func(r *db.Row) { n = r.Int() })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestKeysExpireAfterADay(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		first := postWithKey(s, testkit.AdminToken, "k", clustersPath, `{"name": "Daily"}`).Want(t, 201)
		s.Clock.Advance(25 * time.Hour)
		// It is good again even before it was removed.
		second := postWithKey(s, testkit.AdminToken, "k", clustersPath, `{"name": "Daily"}`).Want(t, 201)
		if first.Text("id") == second.Text("id") || second.Header.Get("Idempotency-Replayed") != "" {
			t.Error("a key is remembered for more than a day")
		}
		s.Clock.Advance(25 * time.Hour)
		if n, err := s.Service.PruneIdempotencyKeys(t.Context(), authz.OperatorActor()); n != 1 || err != nil {
			t.Errorf("%d keys were removed, error %v", n, err)
		}
	})
}

func TestManyAtOnceUnderOneKeyMakeOneThing(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		var wg sync.WaitGroup
		answers := make([]*testkit.Answer, 12)
		for i := range answers {
			wg.Go(func() { answers[i] = postWithKey(s, testkit.AdminToken, "k", clustersPath, `{"name": "Raced"}`) })
		}
		wg.Wait()
		made := map[string]bool{}
		for _, a := range answers {
			if a.Status == http.StatusConflict {
				a.WantMessage(t, 409, "A request with this Idempotency-Key is still running")
				continue
			}
			made[string(a.Want(t, 201).Body)] = true
		}
		if len(made) != 1 {
			t.Errorf("there are %d answers", len(made))
		}
		if n := clustersNamed(t, s.DB, "Raced"); n != 1 {
			t.Errorf("%d clusters", n)
		}
	})
}

// While the first request with a key waits for the database, the second is refused at once.
func TestAKeyWhoseRequestRunsIsRefused(t *testing.T) {
	t.Parallel()
	s := testkit.NewServer(t, testkit.OpenDB(t, "sqlite"), testkit.ServerOptions{})
	s.Get(testkit.AdminToken, clustersPath).Want(t, 200) // records that the caller was active today, which would wait too
	locked, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.DB.Write(t.Context(), func(*db.Tx) error {
			close(locked)
			<-release
			return nil
		})
	}()
	<-locked
	answers := make(chan *testkit.Answer, 2)
	for range 2 {
		go func() { answers <- postWithKey(s, testkit.AdminToken, "k", clustersPath, `{"name": "Slow"}`) }()
	}
	(<-answers).WantMessage(t, 409, "A request with this Idempotency-Key is still running")
	close(release)
	(<-answers).Want(t, 201)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestKeysThatCannotBeKeysAreRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const refusal = "The Idempotency-Key must be one key of 1 to 255 visible ASCII characters"
		for _, key := range []string{strings.Repeat("k", 256), "a b", "é"} {
			postWithKey(s, testkit.AdminToken, key, clustersPath, `{"name": "Refused"}`).WantMessage(t, 400, refusal)
		}
		postWithKey(s, testkit.AdminToken, strings.Repeat("k", 255), clustersPath, `{"name": "Long"}`).Want(t, 201)
		if n := clustersNamed(t, s.DB, "Refused"); n != 0 {
			t.Errorf("%d clusters", n)
		}
	})
}

// What is stored of a request tells neither the key, nor the token, nor the secret that the answer had.
func TestStoredOutcomesHaveNoSecrets(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		made := postWithKey(s, testkit.AdminToken, "the-key", testkit.ClusterPath(testkit.MaintainedID)+"/tokens", `{"description": "Once"}`).Want(t, 201)
		if err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
			_, err := tx.One(`SELECT id, request, outcome FROM idempotency_keys`, func(r *db.Row) {
				row := fmt.Sprint(r.Text(), r.Text(), string(r.Bytes()))
				for _, secret := range []string{made.Text("token"), "the-key", testkit.AdminToken} {
					if secret == "" || strings.Contains(row, secret) {
						t.Errorf("%q is stored", secret)
					}
				}
			})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestARevokedTokenGetsNoAnswerAgain(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		postWithKey(s, testkit.WriteOnlyToken, "k", clustersPath, `{"name": "Once"}`).Want(t, 201)
		testkit.Exec(t, s.DB, `UPDATE api_tokens SET revoked_at = 1 WHERE description = 'writes'`)
		postWithKey(s, testkit.WriteOnlyToken, "k", clustersPath, `{"name": "Once"}`).Want(t, 401)
	})
}

// Who may no longer do something is refused as if they had not done it before: the first answer is not shown again.
func TestARepeatedRequestNeedsWhatItsOperationNeeds(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		requests, names := createRequests(s, t), creatingOperations(s, t)
		requests["createPublicPipeline"] = [2]string{organizationPath + "/pipelines", `{"name": "Seen", "repository": "git@example.com:a/b.git", "configuration": "steps: []", "visibility": "public"}`}
		names = append(names, "createPublicPipeline")
		post := func(name, key string) *testkit.Answer {
			if requests[name][1] == "" {
				return postWithKey(s, testkit.AdminToken, key, requests[name][0], nil)
			}
			return postWithKey(s, testkit.AdminToken, key, requests[name][0], requests[name][1])
		}
		for _, name := range names {
			post(name, name).Want(t, 201)
		}
		// wantRefused checks that a repeated request is answered like a new one, with a refusal.
		wantRefused := func(status int, names ...string) {
			t.Helper()
			for _, name := range names {
				first := post(name, "new-"+name).Want(t, status)
				if again := post(name, name).Want(t, status); again.Message() != first.Message() || again.Header.Get("Idempotency-Replayed") != "" {
					t.Errorf("%s: refused with %q, and %q when it comes again", name, first.Message(), again.Message())
				}
			}
		}
		setScopes := func(change string) {
			t.Helper()
			testkit.Change(t, s.DB, `UPDATE api_tokens SET scopes = `+change+` WHERE user_id = $1 AND description = 'all'`, testkit.AdminID)
		}
		setScopes(`replace(scopes, 'graphql', 'read_user')`)
		wantRefused(403, "createPortal", "createPortalToken", "createPortalSecret")
		setScopes(`'read_user'`)
		wantRefused(403, names...)
		setScopes(`'read_user graphql write_clusters write_pipelines write_teams write_organization_invitations write_portals'`)

		testkit.Change(t, s.DB, `UPDATE organization_members SET role = 'member' WHERE user_id = $1`, testkit.AdminID)
		wantRefused(403, "createPublicPipeline")
		testkit.Change(t, s.DB, `UPDATE pipelines SET created_by = $1`, testkit.MemberID) // whoever made one manages it
		testkit.Change(t, s.DB, `UPDATE organizations SET cluster_writes = 'managers', members_can_create_pipelines = $1 WHERE slug = 'acme-inc'`, false)
		wantRefused(403, names...)
		testkit.Change(t, s.DB, `UPDATE organization_members SET role = 'admin' WHERE user_id = $1`, testkit.AdminID)

		s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 204)
		s.Delete(testkit.AdminToken, organizationPath+"/portals/opened").Want(t, 204)
		wantRefused(404, "createClusterQueue", "createClusterToken", "createClusterMaintainer", "createCacheRegistry", "createPortalToken", "createPortalSecret")
		post("createCluster", "createCluster").Want(t, 201)
	})
}

// A client that obeys sends what failed again, with its key: nothing is made twice, although answers to commits are lost.
func TestNothingIsMadeTwiceAlthoughCommitsAreNotAnswered(t *testing.T) {
	t.Parallel()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	d, err := db.Open(t.Context(), db.Options{URL: proxy.URL, Application: "penstock test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	s := testkit.NewServer(t, d, testkit.ServerOptions{})
	s.Get(testkit.AdminToken, clustersPath).Want(t, 200)
	for i := range 10 {
		proxy.Fail(testkit.LoseCommitAnswer, 1)
		s.Post(testkit.AdminToken, clustersPath, `{"name": "Answered"}`).Want(t, 201)
		proxy.Fail(testkit.LoseCommit, 1)
		key := fmt.Sprint("key", i)
		if a := postWithKey(s, testkit.AdminToken, key, clustersPath, `{"name": "Retried"}`).Want(t, 503); a.Header.Get("Retry-After") == "" {
			t.Error("it is not said when to retry")
		}
		first := postWithKey(s, testkit.AdminToken, key, clustersPath, `{"name": "Retried"}`).Want(t, 201)
		wantReplay(t, first, postWithKey(s, testkit.AdminToken, key, clustersPath, `{"name": "Retried"}`))
	}
	for _, name := range []string{"Answered", "Retried"} {
		if n := clustersNamed(t, d, name); n != 10 {
			t.Errorf("%d clusters are called %s", n, name)
		}
	}
}

func TestAnUnknownOutcomeIsSaidToBeUnknown(t *testing.T) {
	t.Parallel()
	proxy := testkit.NewPostgresProxy(t, testkit.NewDatabase(t, "postgres").URL)
	d, err := db.Open(t.Context(), db.Options{URL: proxy.URL, Application: "penstock test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	s := testkit.NewServer(t, d, testkit.ServerOptions{})
	s.Get(testkit.AdminToken, clustersPath).Want(t, 200)
	proxy.Fail(testkit.LoseCommitAnswer, 1)
	proxy.Refuse()
	a := s.Post(testkit.AdminToken, clustersPath, `{"name": "Unknown"}`).WantMessage(t, 504,
		"The database broke off: the change may have been made, or not. Look before you make it again.")
	if a.Header.Get("Retry-After") != "" {
		t.Error("a retry is asked for")
	}
}
