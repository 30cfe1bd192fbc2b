package notices_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/testkit"
)

const tokensPath = "/v2/organizations/acme-inc/clusters/" + testkit.MaintainedID + "/tokens"

// fleet registers agents with an agent token.
type fleet struct {
	*ear
	t     *testing.T
	token authz.Actor
}

func newFleet(t *testing.T, e *ear, body string) (f fleet, id string) {
	t.Helper()
	e.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID), map[string]any{"default_queue_id": testkit.QueueID}).Want(t, http.StatusOK)
	made := e.Post(testkit.AdminToken, tokensPath, body).Want(t, http.StatusCreated)
	return fleet{e, t, programActor(authz.AgentToken, made.Text("token"))}, made.Text("id")
}

func programActor(kind authz.CredentialKind, token string) authz.Actor {
	return authz.Actor{Surface: authz.AgentAPI, Credential: authz.Credential{Kind: kind, Hash: domain.HashToken(token)}, Address: netip.MustParseAddr("192.0.2.7")}
}

// connect registers and connects an agent, and returns its session.
func (f fleet) connect() (domain.AgentID, authz.Actor) {
	f.t.Helper()
	made, err := f.Agents.RegisterAgent(f.t.Context(), f.token, agents.Registration{Name: "a", Hostname: "h", Version: "3.100.0"})
	if err != nil {
		f.t.Fatal(err)
	}
	session := programActor(authz.AgentSession, made.Session.Reveal())
	if err := f.Agents.ConnectAgent(f.t.Context(), session); err != nil {
		f.t.Fatal(err)
	}
	return made.Agent.ID, session
}

type agentMessage struct {
	Event string
	Agent struct {
		ID    string
		Name  string
		State string `json:"connection_state"`
	}
	BlockedIP string `json:"blocked_ip"`
	Token     struct {
		ID  string
		URL string
	} `json:"cluster_token"`
	Sender struct{ Name string }
}

func TestWebhooksHearOfAgents(t *testing.T) {
	eachEar(t, func(t *testing.T, e *ear) {
		all := []string{"agent.connected", "agent.lost", "agent.disconnected", "agent.stopping", "agent.stopped", "agent.blocked", "cluster_token.registration_blocked"}
		hook := func(events []string, more map[string]any) {
			body := map[string]any{"provider": "webhook", "settings": map[string]any{"url": e.host.URL, "events": events}}
			for name, value := range more {
				body[name] = value
			}
			e.listen(body)
		}
		hook(all, map[string]any{"scope": "some_clusters", "scope_uuids": []string{testkit.MaintainedID}})
		hook([]string{"build.finished"}, nil)
		pipeline := e.Get(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/told").Want(t, http.StatusOK).Text("id")
		hook(all, map[string]any{"scope": "some_projects", "scope_uuids": []string{pipeline}}) // agents are of no pipeline
		e.awaitBodies(3)
		f, _ := newFleet(t, e, `{"description": "free"}`)
		id, session := f.connect()
		e.Put(testkit.AdminToken, "/v2/organizations/acme-inc/agents/"+string(id)+"/stop", `{"force": false}`).Want(t, http.StatusNoContent)
		if err := f.Agents.DisconnectAgent(t.Context(), session); err != nil {
			t.Fatal(err)
		}
		_, other := f.connect()
		if err := f.Agents.DisconnectAgent(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		_, _ = f.connect() // which is not heard of any more
		f.Agents.SetReady(f.Clock.Now().Add(-time.Hour))
		if err := f.Agents.SaveHeartbeats(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		loseSilentAgents(t, e)

		limited, tokenID := newFleet(t, e, `{"description": "limited"}`)
		blocked, blockedSession := limited.connect()
		e.Put(testkit.AdminToken, tokensPath+"/"+tokenID, `{"allowed_ip_addresses": "198.51.100.0/24"}`).Want(t, http.StatusOK)
		for range 3 { // it is told once
			if _, err := f.Builds.PingAgent(t.Context(), blockedSession); domain.CodeOf(err) != domain.Forbidden {
				t.Fatal(err)
			}
			if _, err := f.Agents.RegisterAgent(t.Context(), limited.token, agents.Registration{Name: "b"}); domain.CodeOf(err) != domain.Forbidden {
				t.Fatal(err)
			}
		}
		if err := f.Agents.SaveHeartbeats(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		want := []string{"ping", "ping", "ping", "agent.connected", "agent.stopping", "agent.stopped", "agent.connected", "agent.disconnected", "agent.connected", "agent.lost", "agent.connected",
			"agent.blocked", "cluster_token.registration_blocked"}
		e.awaitBodies(len(want))
		if got := e.events(); !slices.Equal(got, want) {
			t.Fatalf("heard %q", got)
		}
		messages := make([]agentMessage, len(want))
		for i := range messages {
			if err := json.Unmarshal([]byte(e.bodies[i]), &messages[i]); err != nil {
				t.Fatal(err)
			}
		}
		for i, state := range map[int]string{3: "connected", 4: "stopping", 5: "stopped", 7: "disconnected", 9: "lost"} {
			if m := messages[i]; m.Agent.State != state || m.Sender.Name == "" {
				t.Errorf("%s says that the agent is %s: %s", m.Event, m.Agent.State, e.bodies[i])
			}
		}
		if m := messages[11]; m.Agent.ID != string(blocked) || m.BlockedIP != "192.0.2.7" || m.Token.ID != tokenID || m.Token.URL != e.URL+tokensPath+"/"+tokenID {
			t.Errorf("the block is %s", e.bodies[11])
		}
		if m := messages[12]; m.Agent.ID != "" || m.BlockedIP != "192.0.2.7" || m.Token.ID != tokenID {
			t.Errorf("the block is %s", e.bodies[12])
		}
	})
}

// loseSilentAgents marks the agents as lost that were heard last long ago.
func loseSilentAgents(t *testing.T, e *ear) {
	t.Helper()
	err := e.DB.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE agent_heartbeats SET seen_at = seen_at - $1`, int64(time.Hour/time.Microsecond))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Agents.LoseAgents(t.Context(), authz.OperatorActor()); err != nil {
		t.Fatal(err)
	}
}

// TestWhatNobodyHearsOfCostsNothing counts the statements of a build and of an agent: without services and connections they are those of a server that
// cannot tell anybody, and a service that wants neither adds none to the agent's.
func TestWhatNobodyHearsOfCostsNothing(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		type cost struct{ build, agent int64 }
		measure := func(s *testkit.Server) (last cost) {
			t.Helper()
			f, _ := newFleet(t, &ear{Server: s, t: t}, `{"description": "free"}`)
			for range 2 { // what is read once is read by the first
				before := s.DB.Statements()
				build := s.Post(testkit.AdminToken, buildsPath, `{"commit": "HEAD", "branch": "main"}`).Want(t, http.StatusCreated)
				job := build.Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
				s.Put(testkit.AdminToken, build.Text("url")[len(s.URL):]+"/jobs/"+job+"/unblock", nil).Want(t, http.StatusOK)
				last.build = s.DB.Statements() - before
				before = s.DB.Statements()
				_, session := f.connect()
				if err := s.Agents.DisconnectAgent(t.Context(), session); err != nil {
					t.Fatal(err)
				}
				last.agent = s.DB.Statements() - before
			}
			return last
		}
		start := func(o testkit.ServerOptions, d *db.DB) *testkit.Server {
			s := testkit.NewServer(t, d, o)
			s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{
				"name": "told", "repository": "git@example.com:acme/told.git", "cluster_id": testkit.MaintainedID, "configuration": "steps: [{block: Go on, key: gate}]",
			}).Want(t, http.StatusCreated)
			return s
		}
		quiet := measure(start(testkit.ServerOptions{Quiet: true}, testkit.OpenDB(t, d.Engine())))
		s := start(testkit.ServerOptions{}, d)
		alone := measure(s)
		listen := func(events ...string) {
			t.Helper()
			s.Post(testkit.AdminToken, servicesPath, map[string]any{"provider": "webhook", "settings": map[string]any{"url": "https://example.com/hook", "events": events}}).Want(t, http.StatusCreated)
		}
		listen("build.skipped")
		unwanted := measure(s)
		listen("build.scheduled", "build.finished", "agent.connected", "agent.disconnected")
		wanted := measure(s)
		t.Logf("quiet %+v, alone %+v, a service that wants neither %+v, one that wants both %+v", quiet, alone, unwanted, wanted)
		if alone != quiet || unwanted != quiet || wanted.build <= quiet.build || wanted.agent <= quiet.agent {
			t.Errorf("quiet %+v, alone %+v, a service that wants neither %+v, one that wants both %+v", quiet, alone, unwanted, wanted)
		}
	})
}
