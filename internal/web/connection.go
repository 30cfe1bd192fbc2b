package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

// requestedPart is the part of a list that the address asks for: what comes after a cursor, or before it.
func (c *call) requestedPart() read.ConnectionPart {
	size := int64(pageSize)
	if before := c.query("before"); before != "" {
		return read.ConnectionPart{Last: &size, Before: before}
	}
	return read.ConnectionPart{First: &size, After: c.query("after")}
}

// nameOrders are the orders of lists of things that have names.
var nameOrders = []orderOption{
	{option{Value: "NAME", Label: "By name"}, domain.ByName},
	{option{Value: "RECENTLY_CREATED", Label: "Newest first"}, domain.RecentlyCreated},
}

// orderOption is an order that a list's page offers.
type orderOption struct {
	option
	Order domain.Order
}

// requestedOrder is the one of those orders that the address asks for; anything else is the first.
func (c *call) requestedOrder(orders []orderOption) domain.Order {
	for _, o := range orders {
		if o.Value == c.query("order") {
			return o.Order
		}
	}
	return orders[0].Order
}

// readOrganization runs fn with what the user sees of the organization that the page is about.
func (c *call) readOrganization(fn func(*read.Snapshot, *read.Organization) error) error {
	return c.Reader.Snapshot(c.ctx(), c.actor(), func(r *read.Snapshot) error {
		organization, err := r.OrganizationBySlug(c.organization())
		if err == nil && organization == nil {
			err = domain.Missing("organization")
		}
		if err != nil {
			return err
		}
		return fn(r, organization)
	})
}

// readList returns the part of a connection that was asked for, and the frame of the list that it is a part of.
func readList[T any](c *call, noun, plural string, connection *read.Connection[T]) (items []T, l listFrame, err error) {
	l = c.baseList(noun, plural)
	if items, err = connection.Items(); err != nil {
		return nil, l, err
	}
	if l.Total, err = connection.Count(); err != nil {
		return nil, l, err
	}
	before, err := connection.HasPreviousPage()
	if err != nil {
		return nil, l, err
	}
	after, err := connection.HasNextPage()
	if cursor := connection.StartCursor(); before && cursor != nil {
		l.Prev = c.withQuery(map[string]string{"before": *cursor, "after": ""})
	}
	if cursor := connection.EndCursor(); after && cursor != nil {
		l.Next = c.withQuery(map[string]string{"after": *cursor, "before": ""})
	}
	return items, l, err
}
