package notices

import (
	"slices"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// agentEvents are what webhooks are sent when an agent is in a new state.
var agentEvents = map[flow.AgentState]string{
	flow.AgentConnected: domain.EventAgentConnected, flow.AgentLost: domain.EventAgentLost,
	flow.AgentDisconnected: domain.EventAgentDisconnected,
	flow.AgentStopping:     domain.EventAgentStopping, flow.AgentStopped: domain.EventAgentStopped,
}

// AgentChanged writes what is to be sent about an agent. Where nobody is to be notified, that costs nothing.
func (s *Service) AgentChanged(tx store.Tx, now *domain.Agent) (noticed bool, err error) {
	subject := domain.EventSubject{Agent: now.ID, AgentState: now.State, Cluster: now.ClusterID}
	return s.writeAgentEvent(tx, now.OrganizationID, agentEvents[now.State], subject)
}

// AgentBlocked writes what is to be sent about an agent or a token that was used from an address that the token is not
// good for.
func (s *Service) AgentBlocked(tx store.Tx, b core.Blocked) (noticed bool, err error) {
	event, subject := domain.EventTokenBlocked, domain.EventSubject{Cluster: b.ClusterID, Token: b.TokenID,
		BlockedIP: b.Address}
	if b.Agent != nil {
		event, subject.Agent, subject.AgentState = domain.EventAgentBlocked, b.Agent.ID, b.Agent.State
	}
	if !subject.IsAboutAgents() { // a token of no cluster, which has no place in the event
		return false, nil
	}
	return s.writeAgentEvent(tx, b.OrganizationID, event, subject)
}

// writeAgentEvent writes an event for the webhooks that want it.
func (s *Service) writeAgentEvent(tx store.Tx, organization domain.OrganizationID, event string,
	subject domain.EventSubject) (noticed bool, err error) {
	known := s.listeners.Load()
	if known == nil || event == "" {
		return false, nil
	}
	subject.Owner = organization
	for _, l := range (*known)[organization] {
		if !l.subscribesToAgents(subject.Cluster) || !l.wants(event, "") {
			continue
		}
		at, err := tx.Now()
		if err != nil {
			return false, err
		}
		if err := writeEvent(tx, l.NotificationService, serviceEvent{Event: event, Subject: subject}, nil, at); err != nil {
			return false, err
		}
		noticed = true
	}
	return noticed, nil
}

// subscribesToAgents reports whether a listener is about the agents of a cluster. One that is about pipelines or teams
// is about none.
func (l *listener) subscribesToAgents(cluster domain.ClusterID) bool {
	return l.Scope == domain.AllBuilds || l.Scope == domain.BuildsOfClusters && l.covers[string(cluster)]
}

// NotifiesOfBlocks reports whether anybody at all is notified of addresses that agent tokens are not good for.
func (s *Service) NotifiesOfBlocks() bool { return s.notifiesOfBlocks.Load() }

// wantsBlocks reports whether a listener is notified of addresses that agent tokens are not good for.
func (l *listener) wantsBlocks() bool {
	return slices.ContainsFunc([]string{domain.EventAgentBlocked, domain.EventTokenBlocked},
		func(event string) bool { return l.wants(event, "") })
}
