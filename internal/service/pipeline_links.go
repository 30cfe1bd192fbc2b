package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
)

// PipelineBadge returns what the badge of the pipeline with that token says of a branch's builds, or of a step of the
// last one; "" is the default branch. Whoever knows the token may see it.
//
// Returns NotFound if no pipeline has the token.
func (s *Service) PipelineBadge(ctx context.Context, _ authz.Actor, token, branch, step string) (
	badge domain.BadgeState, err error) {
	for _, name := range []*string{&branch, &step} {
		if !domain.ValidText(*name) {
			*name = "?" // which none is called
		}
	}
	err = s.findByToken(ctx, token, func(tx store.Tx, token string) (bool, error) {
		build, state, found, err := tx.LastOutcome(token, branch)
		if step != "" && err == nil && build != "" {
			state, err = tx.StepOutcome(build, step)
		}
		switch state {
		case flow.BuildPassed:
			badge = domain.BadgePassing
		case flow.BuildFailed, flow.BuildFailing:
			badge = domain.BadgeFailing
		default:
			badge = domain.BadgeUnknown
		}
		return found, err
	})
	return badge, err
}

func (s *Service) findByToken(ctx context.Context, token string, has func(store.Tx, string) (bool, error)) error {
	if token == "" || !domain.ValidText(token) {
		return domain.Missing("pipeline")
	}
	return s.core.Store.Read(ctx, func(tx store.Tx) error {
		found, err := has(tx, token)
		if err == nil && !found {
			err = domain.Missing("pipeline")
		}
		return err
	})
}
