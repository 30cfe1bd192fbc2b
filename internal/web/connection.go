package web

import (
	"strconv"

	"penstock/internal/domain"
	"penstock/internal/service/read"
)

// requestedPart is the part of a list that the address asks for: what comes after a cursor or before it, or the last
// items.
func (c *call) requestedPart() read.ConnectionPart {
	size := int64(pageSize)
	if last, err := strconv.ParseInt(c.query("last"), 10, 32); err == nil && last > 0 && last <= size {
		return read.ConnectionPart{Last: &last}
	}
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
	read.Expect([]*read.Connection[T]{connection}, true, true)
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
	if shown := int64(len(items)); shown > 0 {
		l.setPlace(c.firstOf(shown, l.Total, before, after), shown)
	}
	if cursor := connection.StartCursor(); before && cursor != nil {
		l.Start, l.Prev = c.partLink("", "", 1), c.partLink("before", *cursor, l.Page-1)
	}
	if cursor := connection.EndCursor(); after && cursor != nil {
		rest := (l.Total-1)%pageSize + 1
		l.Next, l.End = c.partLink("after", *cursor, l.Page+1), c.partLink("last", strconv.FormatInt(rest, 10), l.Pages)
	}
	return items, l, err
}

// firstOf returns the number of the first of the items that are shown. A cursor does not say it, but the page's number,
// which the links between pages carry along, does: unless the list has changed meanwhile, which the ends of the list
// show.
func (c *call) firstOf(shown, total int64, before, after bool) int64 {
	switch {
	case !before:
		return 1
	case !after:
		return max(1, total-shown+1)
	}
	return max(2, min((c.requestedPage().Number-1)*pageSize+1, total-shown))
}

// partLink returns the address of another part of the list: that which a cursor, or a number of last items, names.
func (c *call) partLink(name, value string, page int64) string {
	query := map[string]string{"after": "", "before": "", "last": "", "page": pageNumber(page)}
	if name != "" {
		query[name] = value
	}
	return c.withQuery(query)
}
