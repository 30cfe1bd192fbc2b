package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// AgentTokens returns a page of a cluster's agent tokens, the oldest first.
func (s *Service) AgentTokens(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.Page) (domain.Paged[domain.AgentTokenView], error) {
	return view(ctx, s, func(tx store.Tx) (paged domain.Paged[domain.AgentTokenView], err error) {
		in, err := s.inCluster(tx, actor, ref, authz.ReadAgentToken)
		if err != nil {
			return paged, err
		}
		paged.Total = in.Cluster.AgentTokensCount
		paged.Items, err = tx.AgentTokens(in.Cluster.ID, page)
		for i := range paged.Items {
			paged.Items[i].OrganizationSlug = in.Organization.Slug
		}
		return paged, err
	})
}

// AgentToken returns an agent token of a cluster.
func (s *Service) AgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string) (domain.AgentTokenView, error) {
	return view(ctx, s, func(tx store.Tx) (domain.AgentTokenView, error) {
		in, err := s.inCluster(tx, actor, ref, authz.ReadAgentToken)
		if err != nil {
			return domain.AgentTokenView{}, err
		}
		return agentTokenIn(tx, in, id)
	})
}

func agentTokenIn(tx store.Tx, in store.InCluster, id string) (domain.AgentTokenView, error) {
	t, found, err := tx.AgentToken(in.Cluster.ID, lookupID[domain.AgentTokenID](id))
	if err == nil && !found {
		err = domain.Missing("cluster token")
	}
	t.OrganizationSlug = in.Organization.Slug
	return t, err
}

// CreateAgentToken makes an agent token and returns it with its value, which cannot be had again.
func (s *Service) CreateAgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	input Input[domain.AgentTokenInput]) (token domain.AgentTokenView, value domain.Secret, err error) {
	value = domain.NewTokenValue(domain.AgentTokenKind)
	token, err = change(ctx, s, func(tx store.Tx) (domain.AgentTokenView, error) {
		in, c, err := s.lockCluster(tx, actor, ref, authz.WriteAgentToken, nil)
		if err != nil {
			return domain.AgentTokenView{}, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
		if err != nil {
			return domain.AgentTokenView{}, err
		}
		t := domain.NewAgentToken(given, c.ID, s.clock(), &faults)
		if err := faults.Err(); err != nil {
			return domain.AgentTokenView{}, err
		}
		if err := tx.InsertAgentToken(t, domain.HashToken(value.Reveal()), in.User.ID); err != nil {
			return domain.AgentTokenView{}, err
		}
		c.AgentTokensCount++
		if err := tx.UpdateCluster(c); err != nil {
			return domain.AgentTokenView{}, err
		}
		return domain.AgentTokenView{AgentToken: t, OrganizationSlug: in.Organization.Slug, CreatedBy: in.Creator()},
			s.record(tx, by(actor, &in.Identity), domain.ClusterTokenCreated, agentTokenSubject(t), nil, factsOfAgentToken(t))
	})
	return token, value, err
}

// UpdateAgentToken applies input to an agent token and returns its new state.
func (s *Service) UpdateAgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input Input[domain.AgentTokenInput], expected Precondition[domain.AgentTokenView]) (domain.AgentTokenView, error) {
	return change(ctx, s, func(tx store.Tx) (domain.AgentTokenView, error) {
		in, _, err := s.lockCluster(tx, actor, ref, authz.WriteAgentToken, nil)
		if err != nil {
			return domain.AgentTokenView{}, err
		}
		t, err := agentTokenIn(tx, in, id)
		if err != nil {
			return t, err
		}
		if err := expected.check(t); err != nil {
			return t, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
		if err != nil {
			return t, err
		}
		before := factsOfAgentToken(t.AgentToken)
		t.Apply(given, &faults)
		if err := faults.Err(); err != nil {
			return t, err
		}
		if err := tx.UpdateAgentToken(t.AgentToken); err != nil {
			return t, err
		}
		return t, s.record(tx, by(actor, &in.Identity), domain.ClusterTokenUpdated, agentTokenSubject(t.AgentToken), before, factsOfAgentToken(t.AgentToken))
	})
}

// DeleteAgentToken revokes an agent token: no agent can connect with it any more.
func (s *Service) DeleteAgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string, expected Precondition[domain.AgentTokenView]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		in, c, err := s.lockCluster(tx, actor, ref, authz.WriteAgentToken, nil)
		if err != nil {
			return err
		}
		t, err := agentTokenIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.check(t); err != nil {
			return err
		}
		c.AgentTokensCount--
		if err := tx.UpdateCluster(c); err != nil {
			return err
		}
		if err := tx.DeleteAgentToken(t.ID); err != nil {
			return err
		}
		return s.record(tx, by(actor, &in.Identity), domain.ClusterTokenDeleted, agentTokenSubject(t.AgentToken), factsOfAgentToken(t.AgentToken), nil)
	})
}
