package agents_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/matrix"
)

// withPauses pauses all agents.
func withPauses(t *testing.T, w *matrix.World, _ *matrix.Target) {
	t.Helper()
	testkit.Change(t, w.DB, `UPDATE agents SET paused_at = $1, paused_timeout = 5`, time.Now().UnixMicro())
}

var permissions = matrix.Suite{Service: reflect.TypeFor[*agents.Service](), Cases: []matrix.Case{

	// What people ask for.
	{Method: "Agents", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Agents.Agents(ctx, a, at.Pipeline.Organization, domain.AgentFilter{}, domain.Page{Number: 1, Size: 10})
		return err
	}},
	{Method: "Agent", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Names: "agent", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Agents.Agent(ctx, a, at.Agent)
		return err
	}},
	{Method: "WatchAgents", People: matrix.MembersRead, Programs: matrix.NoProgram, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		return matrix.EndWatch(w.Agents.WatchAgents(ctx, a, at.Pipeline.Organization))
	}},
	{Method: "StopManagedAgent", People: matrix.ManagersOnly, Programs: matrix.NoProgram, Names: "agent", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Agents.StopManagedAgent(ctx, a, at.Agent, core.Value(domain.Some(true)))
		return err
	}},
	{Method: "PauseManagedAgent", People: matrix.ManagersOnly, Programs: matrix.NoProgram, Names: "agent", Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Agents.PauseManagedAgent(ctx, a, at.Agent, core.Value(domain.AgentPause{}))
		return err
	}},
	{Method: "ResumeManagedAgent", People: matrix.ManagersOnly, Programs: matrix.NoProgram, Names: "agent", Prepare: withPauses, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, err := w.Agents.ResumeManagedAgent(ctx, a, at.Agent)
		return err
	}},

	// What agents and their jobs ask for.
	{Method: "IdentifyProgram", People: matrix.NoPeople, Programs: matrix.LivePrograms, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Agents.IdentifyProgram(ctx, a)
		return err
	}},
	{Method: "RegisterAgent", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Agents.RegisterAgent(ctx, a, agents.Registration{Name: "new"})
		return err
	}},
	{Method: "AgentTokenInfo", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, err := w.Agents.AgentTokenInfo(ctx, a)
		return err
	}},
	{Method: "ClusterStats", People: matrix.NoPeople, Programs: matrix.Registrations, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		_, _, err := w.Agents.ClusterStats(ctx, a)
		return err
	}},
	{Method: "ConnectAgent", People: matrix.NoPeople, Programs: matrix.AnyAgent, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.ConnectAgent(ctx, a)
	}},
	{Method: "HeartbeatAgent", People: matrix.NoPeople, Programs: matrix.AnyAgent, Repeats: true, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.HeartbeatAgent(ctx, a)
	}},
	{Method: "DisconnectAgent", People: matrix.NoPeople, Programs: matrix.LeavingAgents, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.DisconnectAgent(ctx, a)
	}},
	{Method: "StopAgent", People: matrix.NoPeople, Programs: matrix.AgentsAndJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.StopAgent(ctx, a, true)
	}},
	{Method: "PauseAgent", People: matrix.NoPeople, Programs: matrix.LiveJobs, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.PauseAgent(ctx, a, nil, nil)
	}},
	{Method: "ResumeAgent", People: matrix.NoPeople, Programs: matrix.LiveJobs, Prepare: withPauses, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.ResumeAgent(ctx, a)
	}},

	// What the server does besides requests.
	{Method: "SaveHeartbeats", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.SaveHeartbeats(ctx, a)
	}},
	{Method: "LoseAgents", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.LoseAgents(ctx, a)
	}},
	{Method: "SignOff", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, _ *matrix.Target) error {
		return w.Agents.SignOff(ctx, a)
	}},
	{Method: "EventAgent", People: matrix.OperatorOnly, Programs: matrix.DeniedPrograms, Call: func(ctx context.Context, w *matrix.World, a authz.Actor, at *matrix.Target) error {
		_, _, err := w.Agents.EventAgent(ctx, a, domain.EventSubject{})
		return err
	}},
}, WithoutActor: map[string]string{"SetReady": "the server calls it once"}}

func TestEveryMethodHasCases(t *testing.T) {
	t.Parallel()
	permissions.CheckMethods(t)
}

func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	permissions.Run(t)
}
