package flow

import (
	"fmt"
	"slices"
	"strings"
)

// AgentState is where an agent stands.
type AgentState string

// The states of agents. A paused agent is in one of them too.
const (
	AgentNeverConnected AgentState = "never_connected"
	AgentConnected      AgentState = "connected"
	AgentDisconnected   AgentState = "disconnected"
	AgentStopping       AgentState = "stopping"
	AgentStopped        AgentState = "stopped"
	AgentLost           AgentState = "lost"
)

// AgentCause is what changes an agent.
type AgentCause string

// What changes agents.
const (
	AgentConnects    AgentCause = "connects"
	AgentDisconnects AgentCause = "disconnects"
	AgentIsStopped   AgentCause = "is stopped"
	AgentIsSilent    AgentCause = "is silent"
	AgentIsHeard     AgentCause = "is heard"
)

var agentTransitions = map[AgentCause]map[AgentState]AgentState{
	AgentConnects: {
		AgentNeverConnected: AgentConnected, AgentConnected: AgentConnected, AgentLost: AgentConnected,
		AgentStopping: AgentStopping,
	},
	AgentDisconnects: {
		AgentNeverConnected: AgentDisconnected, AgentConnected: AgentDisconnected, AgentLost: AgentDisconnected,
		AgentDisconnected: AgentDisconnected,
		AgentStopping:     AgentStopped, AgentStopped: AgentStopped,
	},
	AgentIsStopped: {AgentConnected: AgentStopping, AgentStopping: AgentStopping},
	AgentIsSilent:  {AgentNeverConnected: AgentLost, AgentConnected: AgentLost, AgentStopping: AgentLost},
	AgentIsHeard:   {AgentConnected: AgentConnected, AgentStopping: AgentStopping, AgentLost: AgentConnected},
}

// Next returns the state that an agent gets by a cause, or an error if it cannot happen to one in that state.
func (s AgentState) Next(cause AgentCause) (AgentState, error) {
	next, ok := agentTransitions[cause][s]
	if !ok {
		return s, fmt.Errorf("an agent that is %s cannot change because it %s", s, cause)
	}
	return next, nil
}

// MeetsRules says whether an agent with those tags, such as queue=linux, may run a job with those rules. A rule without
// a value, or with an asterisk, wants any value.
func MeetsRules(tags, rules []string) bool {
	for _, rule := range rules {
		if !slices.ContainsFunc(tags, func(tag string) bool { return meetsRule(tag, rule) }) {
			return false
		}
	}
	return true
}

func meetsRule(tag, rule string) bool {
	key, wanted, _ := strings.Cut(rule, "=")
	name, value, _ := strings.Cut(tag, "=")
	return name == key && (wanted == "" || wanted == "*" || wanted == value)
}
