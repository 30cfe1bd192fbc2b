package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Watch is what somebody waits for. Its channel gets a value when that may have changed, until Stop is called. It may
// miss a change: who waits looks every now and then besides.
type Watch struct {
	Changed <-chan struct{}
	Stop    func()
}

// watch waits for a topic, if who asks may.
func (s *Service) watch(topic string, err error) (Watch, error) {
	if err != nil {
		return Watch{}, err
	}
	changed, stop := s.core.Subscribe(topic)
	return Watch{changed, stop}, nil
}

// WatchBuild waits for a build to change.
func (s *Service) WatchBuild(ctx context.Context, actor authz.Actor, ref domain.BuildRef) (Watch, error) {
	return s.watch(core.View(ctx, s.core, actor, core.OrganizationOfBuild(ref), func(tx store.Tx) (string, error) {
		in, err := s.core.InBuild(tx, actor, ref, authz.ReadBuild)
		return core.BuildTopic(in.BuildID), err
	}))
}

// WatchPipelineBuilds waits for a pipeline to have a new build, or one in another state.
func (s *Service) WatchPipelineBuilds(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (Watch, error) {
	return s.watch(core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (string, error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return "", err
		}
		return core.PipelineTopic(in.Pipeline.ID), nil
	}))
}

// WatchOrganizationBuilds waits for an organization to have a new build, or one in another state.
func (s *Service) WatchOrganizationBuilds(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	Watch, error) {
	return s.watchOrganization(ctx, actor, organization, authz.ReadBuild, core.OrganizationTopic)
}

// WatchAgents waits for an organization's agents to change, or what waits for them.
func (s *Service) WatchAgents(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	Watch, error) {
	return s.watchOrganization(ctx, actor, organization, authz.ReadAgent, core.FleetTopic)
}

func (s *Service) watchOrganization(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	action authz.Action,
	topic func(domain.OrganizationID) string) (Watch, error) {
	return s.watch(core.View(ctx, s.core, actor, organization, func(tx store.Tx) (string, error) {
		id, err := s.core.InOrganization(tx, actor, organization, action)
		if err != nil {
			return "", err
		}
		return topic(id.Organization.ID), nil
	}))
}
