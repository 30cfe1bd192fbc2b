package builds

import (
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// makeBuild creates a build for another area of the service.
func (s *Service) makeBuild(tx store.Tx, p domain.Pipeline, n core.NewBuild) (domain.Build, func(), error) {
	var faults domain.Faults
	n.Check(&faults)
	if err := faults.Err(); err != nil {
		return domain.Build{}, nil, err
	}
	e := s.newEffects()
	b, err := s.createBuild(tx, e, p, newBuild{BuildInput: n.BuildInput, source: n.Source, creator: n.Creator})
	return b, func() { s.tell(e) }, err
}
