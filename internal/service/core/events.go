package core

import (
	"time"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// BuildEvents is called when builds change, in the transaction that stores it.
type BuildEvents interface {
	// BuildChanged is called when a build was created, and when it or its steps have changed. It reports whether there is
	// a notice to send: whoever calls it publishes NoticesTopic then, once the transaction is durable.
	BuildChanged(tx store.Tx, c BuildChange) (noticed bool, err error)

	// AgentChanged is called when an agent is in another state.
	AgentChanged(tx store.Tx, now *domain.Agent) (noticed bool, err error)

	// NotifiesOfBlocks reports whether anybody at all is notified of addresses that agent tokens are not good for.
	NotifiesOfBlocks() bool

	// AgentBlocked is called when an agent, or, if that is nil, a token was used from an address that the token is not
	// good for.
	AgentBlocked(tx store.Tx, b Blocked) (noticed bool, err error)
}

// Blocked is an agent or an agent token that was used from an address that the token is not good for.
type Blocked struct {
	OrganizationID domain.OrganizationID
	ClusterID      domain.ClusterID
	Agent          *domain.Agent
	TokenID        domain.AgentTokenID // "": of no cluster
	Address        string
}

// BuildChange is what a transaction has changed about a build.
type BuildChange struct {
	Before, Now *domain.Build // the same state before if the build is new
	IsNew       bool
	Jobs        []JobChange // in the order of their ids
	At          time.Time   // by the database's clock
}

// JobChange is what a transaction has changed about a job.
type JobChange struct {
	Before, Now *domain.Job
	IsNew       bool
}
