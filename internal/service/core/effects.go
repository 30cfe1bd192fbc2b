package core

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Effects is what others learn once a transaction is durable.
type Effects struct {
	Queues  map[domain.QueueID]bool // that have a job for an agent now
	Agents  map[domain.AgentID]bool // whose state or job has changed
	Builds  map[domain.BuildID]bool // that have changed
	HasTask bool
	HasLog  bool // a job has ended that may have one

	HasNotice bool // there is a notice to send

	Pipelines map[domain.PipelineID]domain.OrganizationID // that have a new build, or one in another state
	Fleets    map[domain.OrganizationID]bool              // whose agents have changed, or what waits for them

	Events BuildEvents // is called when builds change; nil: nothing is
}

// NewEffects returns the effects of a transaction that has changed nothing yet.
func (c *Core) NewEffects() *Effects {
	return &Effects{Events: c.Events, Queues: map[domain.QueueID]bool{}, Agents: map[domain.AgentID]bool{},
		Builds:    map[domain.BuildID]bool{},
		Pipelines: map[domain.PipelineID]domain.OrganizationID{}, Fleets: map[domain.OrganizationID]bool{}}
}

// ChangeAgent adds that an agent has changed, for itself and for those who watch its organization.
func (e *Effects) ChangeAgent(a *domain.Agent) {
	e.Agents[a.ID] = true
	e.Fleets[a.OrganizationID] = true
}

// PublishEffects wakes those whom a change concerns.
func (c *Core) PublishEffects(e *Effects) {
	for id := range e.Queues {
		c.Publish(QueueTopic(id))
	}
	for id := range e.Agents {
		c.Publish(AgentTopic(id))
	}
	for id := range e.Builds {
		c.Publish(BuildTopic(id))
	}
	for id, organization := range e.Pipelines {
		c.Publish(PipelineTopic(id))
		c.Publish(OrganizationTopic(organization))
	}
	for id := range e.Fleets {
		c.Publish(FleetTopic(id))
	}
	if e.HasNotice {
		c.Publish(NoticesTopic)
	}
	if e.HasTask {
		c.TaskAdded.Send()
	}
	if e.HasLog {
		c.LogEnded.Send()
	}
}

// Signal wakes a loop of this server. It holds one value at most: who waits looks at all there is to do.
type Signal chan struct{}

// Send sends a value, unless there is one.
func (s Signal) Send() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// WriteAndPublish runs fn in a transaction, and publishes its effects once it is durable.
func (c *Core) WriteAndPublish(ctx context.Context, fn func(tx store.Tx, e *Effects) error) error {
	var made *Effects
	err := c.Store.Write(ctx, func(tx store.Tx) error {
		made = c.NewEffects() // fn may be run again
		return fn(tx, made)
	})
	if err == nil {
		c.PublishEffects(made)
	}
	return err
}

// CreateAndPublish is Create for what has effects, which it publishes once the transaction is durable.
func CreateAndPublish[P, T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef,
	permit func(store.Tx) (P, error), fn func(store.Tx, P, *Effects) (T, error)) (value T, err error) {
	var made *Effects
	value, err = Create(ctx, c, actor, organization, permit, func(tx store.Tx, permitted P) (T, error) {
		made = c.NewEffects()
		return fn(tx, permitted, made)
	})
	if err == nil && made != nil {
		c.PublishEffects(made)
	}
	return value, err
}
