package builds

import (
	"context"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// WriteBuilds runs fn in a transaction in which builds are started for other areas of the service, which have decided that they may be.
func (s *Service) WriteBuilds(ctx context.Context, fn func(tx store.Tx, start core.BuildStarter) error) error {
	return s.write(ctx, func(tx store.Tx, e *effects) error { return fn(tx, starter{s, e}) })
}

// starter starts builds in a transaction of another area.
type starter struct {
	service *Service
	effects *effects
}

func (s starter) StartBuild(tx store.Tx, p domain.Pipeline, input domain.BuildInput, source domain.BuildSource, creator domain.UserID) (domain.Build, error) {
	var faults domain.Faults
	input.Check(&faults)
	if err := faults.Err(); err != nil {
		return domain.Build{}, err
	}
	return s.service.createBuild(tx, s.effects, p, newBuild{BuildInput: input, source: source, creator: creator})
}

func (s starter) CancelBuild(tx store.Tx, id domain.BuildID, reason string) error {
	c, err := openBuild(tx, id, "", s.effects)
	if err != nil || c.build.State.HasEnded() {
		return err
	}
	if err := c.cancelAll(reason); err != nil {
		return err
	}
	return c.save()
}
