package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// WatchBuild waits for a build to change.
func (s *Service) WatchBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef) (core.Watch, error) {
	return s.core.WatchTopic(ctx, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (string, error) {
		in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
		return core.BuildTopic(in.BuildID), err
	})
}

// WatchPipelineBuilds waits for a pipeline to have a new build, or one in another state.
func (s *Service) WatchPipelineBuilds(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	core.Watch, error) {
	return s.core.WatchTopic(ctx, actor, ref.Organization, func(tx store.Tx) (string, error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return "", err
		}
		return core.PipelineTopic(in.Pipeline.ID), nil
	})
}

// WatchOrganizationBuilds waits for an organization to have a new build, or one in another state.
func (s *Service) WatchOrganizationBuilds(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	core.Watch, error) {
	return s.core.WatchOrganization(ctx, actor, organization, authz.ReadBuild, core.OrganizationTopic)
}
