package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

// agent returns the agent that the input names.
func (c change) agent() domain.AgentRef {
	agent := c.thing("id", "Agent", domain.AgentThing)
	return domain.AgentRef{Organization: domain.OrganizationRef{Of: agent}, ID: agent.ID}
}

func bindAgentMutations(b *gql.Builder) {
	mutation(b, "agentPause", "AgentPausePayload", func(c change) (*payload, error) {
		pause := domain.AgentPause{Note: optional[string](c.input, "note"), TimeoutInMinutes: optional[int64](c.input,
			"timeoutInMinutes")}
		paused, err := c.agents.PauseManagedAgent(c.ctx, c.actor, c.agent(), core.Sent(pause, nil))
		return &payload{agent: paused}, err
	})
	mutation(b, "agentResume", "AgentResumePayload", func(c change) (*payload, error) {
		resumed, err := c.agents.ResumeManagedAgent(c.ctx, c.actor, c.agent())
		return &payload{agent: resumed}, err
	})
	mutation(b, "agentStop", "AgentStopPayload", func(c change) (*payload, error) {
		graceful, state := gql.Arg[bool](c.input, "graceful")
		force := domain.Some(state == gql.Given && !graceful) // null is the default
		stopped, err := c.agents.StopManagedAgent(c.ctx, c.actor, c.agent(), core.Sent(force, nil))
		return &payload{agent: stopped}, err
	})
	for _, payloadType := range []string{"AgentPausePayload", "AgentResumePayload", "AgentStopPayload"} {
		bindReference(b, payloadType+".agent", func(p *payload) domain.AgentID { return p.agent }, (*read.Snapshot).Agents)
	}
}
