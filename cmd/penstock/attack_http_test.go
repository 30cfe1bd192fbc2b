package main

import (
	"context"
	"testing"
)

func TestAttackUnfinishedHeaders(t *testing.T) {
	t.Parallel()
	besiege(t, nil, nil, func(ctx context.Context, s *siege) {
		s.many(ctx, 1100, func(ctx context.Context) { s.hold(ctx, "GET /sign-in HTTP/1.1\r\nHost: penstock\r\nX-") })
	})
}
