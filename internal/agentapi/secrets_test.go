package agentapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// newSecret creates a secret of a cluster.
func newSecret(w *running.Server, cluster, key, value, policy string) domain.ClusterSecretView {
	w.T.Helper()
	s, err := w.Service.CreateClusterSecret(w.T.Context(), running.Admin, running.ClusterRef(cluster), core.Value(domain.ClusterSecretInput{
		Key: domain.Some(key), Value: domain.Some(domain.Secret(value)), Policy: domain.Some(policy)}))
	if err != nil {
		w.T.Fatal(err)
	}
	return s
}

func TestJobsReadSecretsOfTheirCluster(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		made := newSecret(w, running.Cluster, "S", "hunter2 \"'\n", "")
		newSecret(w, running.Cluster, "MAIN", "x", "- build_branch: main\n  build_source: api\n  build_creator: admin@example.com\n  cluster_queue_key: default\n  pipeline_slug: pipeline-*")
		newSecret(w, running.Cluster, "RELEASE", "x", "- build_branch: release/*\n- build_creator_team: release")
		newSecret(w, running.SecondCluster, "ELSEWHERE", "x", "")
		b := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		j, neighbour := w.NewAgent().StartJobWith("a"), w.NewAgent().StartJobWith("b")
		answer := w.Send("GET", "jobs/"+j.ID+"/secrets?key=S", j.Token, nil).Want(t, http.StatusOK)
		if got := answer.Object(); got["key"] != "S" || got["value"] != "hunter2 \"'\n" || got["uuid"] != string(made.ID) || len(got) != 3 {
			t.Errorf("%s", answer)
		}
		w.Send("GET", "jobs/"+j.ID+"/secrets?key=MAIN", j.Token, nil).Want(t, http.StatusOK)
		w.Send("GET", "jobs/"+j.ID+"/secrets?key=RELEASE", j.Token, nil).WantMessage(t, http.StatusForbidden, "The policy of this secret does not allow this job to read it")
		for _, key := range []string{"ELSEWHERE", "s", "", "%00", "%FF"} {
			w.Send("GET", "jobs/"+j.ID+"/secrets?key="+key, j.Token, nil).WantMessage(t, http.StatusNotFound, "No secret found")
		}
		// Nobody reads one in another's name, nor once the job has ended.
		w.Send("GET", "jobs/"+neighbour.ID+"/secrets?key=S", j.Token, nil).WantMessage(t, http.StatusForbidden, "This token is for another job")
		w.Send("GET", "jobs/"+j.ID+"/secrets?key=S", j.Agent.Session, nil).Want(t, http.StatusUnauthorized)
		w.Send("POST", "jobs/"+neighbour.ID+"/oidc/tokens", j.Token, nil).WantMessage(t, http.StatusForbidden, "This token is for another job")
		j.Finish(0).Want(t, http.StatusOK)
		w.Send("GET", "jobs/"+j.ID+"/secrets?key=S", j.Token, nil).Want(t, http.StatusUnauthorized)
		w.Send("POST", "jobs/"+j.ID+"/oidc/tokens", j.Token, nil).Want(t, http.StatusUnauthorized)
		w.WantStates(b, "a=finished b=running")
		if got := w.Text(`SELECT COUNT(*) || '' FROM audit_events WHERE type = 'SECRET_READ' AND actor_type = 'AGENT' AND data LIKE $1 AND data NOT LIKE '%hunter2%'`,
			"%"+j.ID+"%"); got != "2" {
			t.Errorf("%s reads are recorded", got)
		}
		if read, err := w.Service.ClusterSecret(w.T.Context(), running.Admin, running.ClusterRef(running.Cluster), string(made.ID)); err != nil || read.LastReadAt == nil {
			t.Errorf("it was read last at %v, %v", read.LastReadAt, err)
		}
	})
}

func TestASecretThatWasChangedInTheDatabaseIsNotRead(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		newSecret(w, running.Cluster, "A", "of A", "")
		newSecret(w, running.Cluster, "B", "of B", "")
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJobWith("a")
		testkit.Exec(t, w.DB, `UPDATE cluster_secrets SET sealed_value = (SELECT sealed_value FROM cluster_secrets WHERE key = 'B') WHERE key = 'A'`)
		answer := testkit.Send(t, http.MethodGet, w.URL+"/v3/jobs/"+j.ID+"/secrets?key=A", "", "Authorization", "Token "+j.Token)
		if answer.Status != http.StatusInternalServerError || strings.Contains(string(answer.Body), "of B") {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	})
}

// claimsOf reads a token without checking it.
func claimsOf(t *testing.T, token string) (claims map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no token", token)
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestTheIdentityOfAJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		b := w.BuildOf("steps: [{command: c, label: a, key: k}]")
		j := w.NewAgent().StartJobWith("a")
		request := func(body any) map[string]any {
			t.Helper()
			return claimsOf(t, w.Send("POST", "jobs/"+j.ID+"/oidc/tokens", j.Token, body).Want(t, http.StatusOK).Text("token"))
		}
		var first sync.WaitGroup // all make the first key, and one of them is first
		for range 4 {
			first.Go(func() { w.Send("POST", "jobs/"+j.ID+"/oidc/tokens", j.Token, nil).Want(t, http.StatusOK) })
		}
		first.Wait()
		claims := request(nil)
		want := map[string]any{
			"iss": w.URL, "aud": w.URL + "/acme-inc", "sub": "organization:acme-inc:pipeline:pipeline-1:ref:refs/heads/main:commit:HEAD:step:k",
			"organization_slug": "acme-inc", "pipeline_slug": "pipeline-1", "build_number": float64(b.Number), "build_branch": "main", "build_tag": nil, "build_commit": "HEAD",
			"step_key": "k", "job_id": j.ID, "agent_id": w.Text(`SELECT agent_id FROM job_runs WHERE job_id = $1`, j.ID), "build_source": "api", "runner_environment": "self-hosted",
		}
		for name, value := range want {
			if got, found := claims[name]; !found || got != value {
				t.Errorf("%s is %v, want %v", name, got, value)
			}
		}
		if len(claims) != len(want)+4 || claims["jti"] == request(nil)["jti"] || claims["exp"].(float64)-claims["iat"].(float64) != 300 || claims["nbf"] != claims["iat"] {
			t.Errorf("the claims are %v", claims)
		}
		claims = request(map[string]any{"audience": "sts.example.com", "lifetime": 7200, "claims": []string{"organization_id", "pipeline_id", "build_id", "cluster_id", "cluster_name",
			"queue_id", "queue_key", "agent_tag:queue", "agent_tag:none"}, "aws_session_tags": []string{"build_number", "build_tag", "queue_key"}, "subject_claim": "pipeline_id"})
		pipeline := w.Text(`SELECT pipeline_id FROM builds WHERE id = $1`, b.ID)
		tags, _ := json.Marshal(claims["https://aws.amazon.com/tags"])
		if claims["aud"] != "sts.example.com" || claims["sub"] != pipeline || claims["pipeline_id"] != pipeline || claims["cluster_name"] != "Main" || claims["queue_key"] != "default" ||
			claims["cluster_id"] != running.Cluster || claims["build_id"] != string(b.ID) || claims["exp"].(float64)-claims["iat"].(float64) != 7200 ||
			string(tags) != `{"principal_tags":{"build_number":["1"],"build_tag":[""],"queue_key":["default"]},"transitive_tag_keys":["build_number","build_tag","queue_key"]}` {
			t.Errorf("the claims are %v, %s", claims, tags)
		}
		for body, message := range map[string]string{
			`{"lifetime": 7201}`:                "Validation failed: Lifetime must be from 1 to 7200 seconds",
			`{"lifetime": -1}`:                  "Validation failed: Lifetime must be from 1 to 7200 seconds",
			`{"subject_claim": "build_branch"}`: "Validation failed: Subject claim must be one of organization_id, pipeline_id, cluster_id, queue_id, build_id, job_id, agent_id",
			`{"aws_session_tags": ["x"]}`:       `Validation failed: Session tag "x" is no claim`,
			`{"claims": ["agent_tag:"]}`:        `Validation failed: Claim "agent_tag:" is unknown; there are organization_id, pipeline_id, build_id, cluster_id, cluster_name, queue_id, queue_key and agent_tag:NAME`,
		} {
			w.Send("POST", "jobs/"+j.ID+"/oidc/tokens", j.Token, json.RawMessage(body)).WantMessage(t, http.StatusUnprocessableEntity, message)
		}
		w.Send("POST", "jobs/"+j.ID+"/oidc/tokens", j.Token, json.RawMessage(`{"claims": "x"}`)).Want(t, http.StatusBadRequest)
		if keys, err := w.Builds.IdentityKeys(context.Background(), running.Admin); err != nil || len(keys) != 1 {
			t.Errorf("there are %d keys, %v", len(keys), err)
		}
	})
}

func TestAJobThatHasNotStartedIsNotIdentified(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		j := w.NewAgent().StartJobWith("a")
		testkit.Exec(t, w.DB, `UPDATE job_runs SET state = 'accepted', list_state = 'with_agent'`)
		w.Send("POST", "jobs/"+j.ID+"/oidc/tokens", j.Token, nil).WantMessage(t, http.StatusUnprocessableEntity, "Only a running job can be identified")
	})
}
