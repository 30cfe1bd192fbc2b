package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/service/core"
)

// repeatChange is changeJob for a change that may be made twice.
func (s *Service) repeatChange(ctx context.Context, actor authz.Actor, id string,
	fn func(*change, *jobChange) error) error {
	return core.RepeatDo(ctx, func() error { return s.changeJob(ctx, actor, id, fn) })
}
