package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// AgentTokens returns a page of a cluster's agent tokens, the oldest first.
func (s *Service) AgentTokens(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.Page) (
	domain.Paged[domain.AgentTokenView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (paged domain.Paged[domain.AgentTokenView],
		err error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadAgentToken)
		if err != nil {
			return paged, err
		}
		paged, err = readPage(tx, &in.Identity, store.AgentTokensOf(), in.Cluster.ID, page)
		for i := range paged.Items {
			paged.Items[i].OrganizationSlug = in.Organization.Slug
		}
		return paged, err
	})
}

// AgentToken returns an agent token of a cluster.
func (s *Service) AgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.AgentTokenView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findAgentToken(actor, ref, id, authz.ReadAgentToken))
}

func (s *Service) findAgentToken(actor authz.Actor, ref domain.ClusterRef, id string, action authz.Action) func(
	store.Tx) (domain.AgentTokenView, error) {
	return func(tx store.Tx) (domain.AgentTokenView, error) {
		in, err := s.core.InCluster(tx, actor, ref, action)
		if err != nil {
			return domain.AgentTokenView{}, err
		}
		return agentTokenIn(tx, in, id)
	}
}

func agentTokenIn(tx store.Tx, in store.InCluster, id string) (domain.AgentTokenView, error) {
	t, found, err := tx.AgentToken(in.Cluster.ID, core.LookupID[domain.AgentTokenID](id))
	if err == nil && !found {
		err = domain.Missing("cluster token")
	}
	t.OrganizationSlug = in.Organization.Slug
	return t, err
}

// CreateAgentToken makes an agent token and returns it with its value, which cannot be had again.
func (s *Service) CreateAgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	input core.Input[domain.AgentTokenInput]) (token domain.AgentTokenView, value domain.Secret, err error) {
	value = domain.NewTokenValue(domain.AgentTokenKind)
	permit := s.permitInCluster(actor, ref, authz.WriteAgentToken)
	made, err := core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in lockedCluster) (issued core.Issued[domain.AgentTokenView], err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return issued, err
			}
			t := domain.NewAgentToken(given, in.locked.ID, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return issued, err
			}
			if err := tx.InsertAgentToken(t, domain.HashToken(value.Reveal()), in.CreatorID()); err != nil {
				return issued, err
			}
			view := domain.AgentTokenView{AgentToken: t, OrganizationSlug: in.Organization.Slug, CreatedBy: in.Creator()}
			return core.Issued[domain.AgentTokenView]{Thing: view, Value: value, Name: "agent token " + string(t.ID)},
				s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterTokenCreated, core.AgentTokenSubject(t), nil,
					core.FactsOfAgentToken(t))
		})
	return made.Thing, made.Value, err
}

// UpdateAgentToken applies input to an agent token and returns its new state.
func (s *Service) UpdateAgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input core.Input[domain.AgentTokenInput], expected *core.Precondition[domain.AgentTokenView]) (domain.AgentTokenView,
	error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findAgentToken(actor, ref, id,
		authz.WriteAgentToken))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.AgentTokenView, error) {
		in, _, err := s.core.LockCluster(tx, actor, ref, authz.WriteAgentToken)
		if err != nil {
			return domain.AgentTokenView{}, err
		}
		t, err := agentTokenIn(tx, in, id)
		if err != nil {
			return t, err
		}
		if err := expected.Check(t); err != nil {
			return t, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return t, err
		}
		before := core.FactsOfAgentToken(t.AgentToken)
		t.Apply(given, &faults)
		if err := faults.Err(); err != nil {
			return t, err
		}
		if err := tx.UpdateAgentToken(t.AgentToken); err != nil {
			return t, err
		}
		return t, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterTokenUpdated,
			core.AgentTokenSubject(t.AgentToken), before, core.FactsOfAgentToken(t.AgentToken))
	})
}

// DeleteAgentToken revokes an agent token: no agent can connect with it any more.
func (s *Service) DeleteAgentToken(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.AgentTokenView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findAgentToken(actor, ref, id,
		authz.WriteAgentToken))
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, _, err := s.core.LockCluster(tx, actor, ref, authz.WriteAgentToken)
		if err != nil {
			return err
		}
		t, err := agentTokenIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.Check(t); err != nil {
			return err
		}
		if err := tx.DeleteAgentToken(t.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterTokenDeleted,
			core.AgentTokenSubject(t.AgentToken), core.FactsOfAgentToken(t.AgentToken), nil)
	})
}
