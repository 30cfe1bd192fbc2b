package core

import (
	"context"
	"sync"
	"time"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// blockedUse is an agent, or a token that an agent is to register with, that was used from an address that the token is
// not good for.
type blockedUse struct {
	agent        domain.AgentID // "": the token
	token        domain.AgentTokenID
	organization domain.OrganizationID
	cluster      domain.ClusterID
	address      string
}

const (
	blockedInterval = 10 * time.Minute // for which this server does not publish the same again
	maxBlocked      = 1_000            // that are remembered
)

// blockedUses are what others are to be notified of.
type blockedUses struct {
	mutex   sync.Mutex
	seen    map[blockedUse]time.Time
	waiting []blockedUse
}

// recordBlocked records that something was used from an address that it is not good for, if anybody is notified of
// that.
func (c *Core) recordBlocked(use blockedUse) {
	if c.Events == nil || !c.Events.NotifiesOfBlocks() {
		return
	}
	b := &c.blocked
	b.mutex.Lock()
	defer b.mutex.Unlock()
	now := time.Now()
	for other, at := range b.seen {
		if now.Sub(at) > blockedInterval {
			delete(b.seen, other)
		}
	}
	if _, told := b.seen[use]; told || len(b.seen) >= maxBlocked {
		return
	}
	if b.seen == nil {
		b.seen = map[blockedUse]time.Time{}
	}
	b.seen[use] = now
	b.waiting = append(b.waiting, use)
}

// PublishBlocked publishes what was used from addresses that it is not good for.
func (c *Core) PublishBlocked(ctx context.Context) error {
	c.blocked.mutex.Lock()
	waiting := c.blocked.waiting
	c.blocked.waiting = nil
	c.blocked.mutex.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	return c.WriteAndPublish(ctx, func(tx store.Tx, e *Effects) error {
		for _, use := range waiting {
			told := Blocked{OrganizationID: use.organization, ClusterID: use.cluster, TokenID: use.token,
				Address: use.address}
			if use.agent != "" {
				agent, found, err := tx.Agent(use.agent)
				if err != nil {
					return err
				}
				if !found {
					continue
				}
				told.Agent = &agent
				if agent.TokenID != nil {
					told.TokenID = *agent.TokenID
				}
			}
			noticed, err := e.Events.AgentBlocked(tx, told)
			if err != nil {
				return err
			}
			e.HasNotice = e.HasNotice || noticed
		}
		return nil
	})
}
