package core

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Watch is what somebody waits for. Its channel gets a value when that may have changed, until Stop is called. It may
// miss a change: who waits looks every now and then besides.
type Watch struct {
	Changed <-chan struct{}
	Stop    func()
}

// WatchTopic waits for the topic that find returns, if who asks may.
func (c *Core) WatchTopic(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	find func(store.Tx) (string, error)) (Watch, error) {
	topic, err := View(ctx, c, actor, organization, find)
	if err != nil {
		return Watch{}, err
	}
	changed, stop := c.Subscribe(topic)
	return Watch{changed, stop}, nil
}

// WatchOrganization waits for a topic of an organization, if who asks may take the action in it.
func (c *Core) WatchOrganization(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	action authz.Action, topicOf func(domain.OrganizationID) string) (Watch, error) {
	return c.WatchTopic(ctx, actor, organization, func(tx store.Tx) (string, error) {
		id, err := c.InOrganization(tx, actor, organization, action)
		if err != nil {
			return "", err
		}
		return topicOf(id.Organization.ID), nil
	})
}
