package builds

import (
	"context"
	"reflect"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// makeBuild creates a build for another area of the service.
func (s *Service) makeBuild(ctx context.Context, read func(store.Tx) (core.WantedBuild, bool, error),
	create func(core.PlannedBuild) error) error {
	return s.withPlan(ctx, func() (p *plannedBuild, err error) {
		err = s.core.Store.Read(ctx, func(tx store.Tx) error {
			p = &plannedBuild{refusal: errPlanStale}
			wanted, isWanted, err := read(tx)
			if err != nil || !isWanted {
				return err
			}
			var faults domain.Faults
			wanted.Check(&faults)
			if err := faults.Err(); err != nil {
				return err
			}
			p, err = readForPlan(tx, wanted.Pipeline, wantedBuild(wanted))
			return err
		})
		return p, err
	}, func(p *plannedBuild) error {
		return create(func(tx store.Tx, wanted core.WantedBuild) (domain.Build, func(), error) {
			if !reflect.DeepEqual(wantedBuild(wanted), p.newBuild) {
				return domain.Build{}, nil, errPlanStale
			}
			e := s.core.NewEffects()
			b, err := s.createBuild(tx, e, wanted.Pipeline, p)
			return b, func() { s.core.PublishEffects(e) }, err
		})
	})
}

func wantedBuild(w core.WantedBuild) newBuild {
	return newBuild{BuildInput: w.BuildInput, source: w.Source, creator: w.Creator}
}
