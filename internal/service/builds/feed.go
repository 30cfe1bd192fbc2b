package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// maxFeed is how many pipelines a feed has.
const maxFeed = 1_000

// Feed returns how the pipelines of an organization go, by name, or one of them; with a branch, its builds alone count.
func (s *Service) Feed(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, branch string) (
	projects []domain.FeedProject, err error) {
	if !domain.ValidText(branch) {
		branch = "?" // which none is called
	}
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) ([]domain.FeedProject, error) {
		if ref.Slug != "" {
			in, err := s.core.InPipeline(tx, actor, ref, authz.ReadBuild)
			if err != nil {
				return nil, err
			}
			return tx.Feed(in.Organization.ID, in.Pipeline.ID, branch, maxFeed)
		}
		id, err := s.core.InOrganization(tx, actor, ref.Organization, authz.ReadBuild)
		if err != nil {
			return nil, err
		}
		return tx.Feed(id.Organization.ID, "", branch, maxFeed)
	})
}
