package graph

import (
	"context"

	"penstock/internal/gql"
	"penstock/internal/service/read"
)

// edge is an item of a connection.
type edge[T any] struct {
	connection *read.Connection[T]
	item       T
}

// pager is what PageInfo reads of a connection.
type pager interface {
	StartCursor() *string
	EndCursor() *string
	HasNextPage() (bool, error)
	HasPreviousPage() (bool, error)
}

func bindPageInfo(b *gql.Builder) {
	gql.DeclareObject[pager](b, "PageInfo")
	bindNullableText(b, "PageInfo.startCursor", pager.StartCursor)
	bindNullableText(b, "PageInfo.endCursor", pager.EndCursor)
	gql.BindColumn(b, "PageInfo.hasNextPage", askEach(pager.HasNextPage), gql.AppendBool)
	gql.BindColumn(b, "PageInfo.hasPreviousPage", askEach(pager.HasPreviousPage), gql.AppendBool)
}

// askEach asks each connection. The first reads what its siblings are asked for too.
func askEach[C, V any](ask func(C) (V, error)) func(context.Context, []C, gql.Args) ([]V, error) {
	return func(_ context.Context, connections []C, _ gql.Args) ([]V, error) {
		values, errs := make([]V, len(connections)), make(gql.Errors, len(connections))
		failed := false
		for i, c := range connections {
			values[i], errs[i] = ask(c)
			failed = failed || errs[i] != nil
		}
		if failed {
			return values, errs
		}
		return values, nil
	}
}

// bindConnection binds the type of a connection, <name>Connection, and that of its edges, <name>Edge.
func bindConnection[T any](b *gql.Builder, name string) {
	bindConnectionOf(b, name, func(_ context.Context, items []T) ([]T, error) { return items, nil })
}

// bindConnectionOf is bindConnection for items that are not the nodes themselves.
func bindConnectionOf[T, N any](b *gql.Builder, name string, nodes func(context.Context, []T) ([]N, error)) {
	type connection = *read.Connection[T]
	connectionType, edgeType := name+"Connection", name+"Edge"
	gql.DeclareObject[connection](b, connectionType)
	gql.DeclareObject[*edge[T]](b, edgeType)
	gql.BindColumn(b, connectionType+".count", askEach(connection.Count), gql.AppendInt)
	gql.BindObjects(b, connectionType+".edges", askEach(func(c connection) ([]*edge[T], error) {
		items, err := c.Items()
		edges := make([]edge[T], len(items))
		pointers := make([]*edge[T], len(items))
		for i, item := range items {
			edges[i] = edge[T]{c, item}
			pointers[i] = &edges[i]
		}
		return pointers, err
	}))
	gql.BindObjects(b, connectionType+".nodes", func(ctx context.Context, connections []connection, args gql.Args) ([][]N,
		error) {
		return askEach(func(c connection) ([]N, error) {
			items, err := c.Items()
			if err != nil {
				return nil, err
			}
			if items == nil {
				items = []T{}
			}
			return nodes(ctx, items)
		})(ctx, connections, args)
	})
	gql.BindObject(b, connectionType+".pageInfo", askEach(func(c connection) (pager, error) {
		_, err := c.Items()
		return c, err
	}))
	bindText(b, edgeType+".cursor", func(e *edge[T]) string { return e.connection.Cursor(e.item) })
	gql.BindObject(b, edgeType+".node", func(ctx context.Context, edges []*edge[T], _ gql.Args) ([]N, error) {
		items := make([]T, len(edges))
		for i, e := range edges {
			items[i] = e.item
		}
		return nodes(ctx, items)
	})
}

// bindCountBound binds what a connection says of its count that stops early.
func bindCountBound[T any](b *gql.Builder, name string) {
	gql.BindColumn(b, name+"Connection.countIsBounded", askEach((*read.Connection[T]).CountIsBounded), gql.AppendBool)
}

// selectsOnly reports whether no other fields than these are asked for of a connection's nodes.
func selectsOnly(ctx context.Context, fields ...string) bool {
	return gql.SelectsOnly(ctx, "nodes", fields...) && gql.SelectsOnly(ctx, "edges.node", fields...)
}

// connectionPart reads the arguments that every connection has.
func connectionPart(args gql.Args) read.ConnectionPart {
	part := read.ConnectionPart{After: args.String("after"), Before: args.String("before")}
	if n, state := gql.Arg[int64](args, "first"); state == gql.Given {
		part.First = &n
	}
	if n, state := gql.Arg[int64](args, "last"); state == gql.Given {
		part.Last = &n
	}
	return part
}

// bindConnectionField binds a field that is a connection below each of its parents.
func bindConnectionField[P, T any](b *gql.Builder, field string, connect func(*read.Snapshot, []P,
	gql.Args) ([]*read.Connection[T], error)) {
	gql.BindObject(b, field, withChecks(func(ctx context.Context, parents []P, args gql.Args) ([]*read.Connection[T],
		error) {
		return connect(readingOf(ctx), parents, args)
	}))
}

// withChecks wraps connect: it fails the connections that cannot be read, or all of them if a list in the arguments is
// too long. What is selected of the others is expected to be read.
func withChecks[P, T any](connect func(context.Context, []P, gql.Args) ([]*read.Connection[T], error)) func(
	context.Context, []P, gql.Args) ([]*read.Connection[T], error) {
	return func(ctx context.Context, parents []P, args gql.Args) ([]*read.Connection[T], error) {
		if err := checkLists(args); err != nil {
			return nil, err
		}
		connections, err := connect(ctx, parents, args)
		if err != nil {
			return nil, err
		}
		read.Expect(connections, gql.Selects(ctx, "edges", "nodes", "pageInfo"), gql.Selects(ctx, "count", "countIsBounded"))
		return askEach(func(c *read.Connection[T]) (*read.Connection[T], error) {
			if c == nil {
				return nil, nil
			}
			return c, c.Err()
		})(ctx, connections, args)
	}
}

// bindNewEdge binds a field of a payload that has what was made as an item of the list that it is in now.
func bindNewEdge[T any](b *gql.Builder, field string, item func(*payload) T,
	list func(*read.Snapshot, *payload) (*read.Connection[T], error)) {
	gql.BindEachObject(b, field, func(ctx context.Context, p *payload, _ gql.Args) (*edge[T], error) {
		connection, err := list(readingOf(ctx), p)
		if err != nil || connection == nil {
			return nil, err
		}
		return &edge[T]{connection, item(p)}, nil
	})
}

func firstOf[T any](values []T, err error) (value T, _ error) {
	if err != nil {
		return value, err
	}
	return values[0], nil
}
