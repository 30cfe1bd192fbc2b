package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// CreateUnclusteredToken makes an agent token of no cluster and returns it with its value, which cannot be had again.
// Agents register with it into the organization's default cluster.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) CreateUnclusteredToken(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.UnclusteredTokenInput]) (token domain.UnclusteredTokenView, value domain.Secret, err error) {
	value = domain.NewTokenValue(domain.AgentTokenKind)
	permit := func(tx store.Tx) (authz.Identity, error) {
		return s.core.InOrganization(tx, actor, organization, authz.WriteUnclusteredToken)
	}
	made, err := core.Create(ctx, s.core, actor, organization, permit,
		func(tx store.Tx, id authz.Identity) (issued core.Issued[domain.UnclusteredTokenView], err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return issued, err
			}
			t := domain.NewUnclusteredToken(given, id.Organization.ID, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return issued, err
			}
			if err := tx.InsertUnclusteredToken(t, domain.HashToken(value.Reveal()), id.CreatorID()); err != nil {
				return issued, err
			}
			view := domain.UnclusteredTokenView{UnclusteredToken: t, OrganizationSlug: id.Organization.Slug,
				CreatedBy: id.Creator()}
			return core.Issued[domain.UnclusteredTokenView]{Thing: view, Value: value, Name: "agent token " + string(t.ID)},
				s.core.Record(tx, core.AuthorOf(actor, &id), domain.AgentTokenCreated, core.UnclusteredTokenSubject(t), nil,
					core.FactsOfUnclusteredToken(t))
		})
	return made.Thing, made.Value, err
}

// RevokeUnclusteredToken ends an agent token of no cluster, for a reason: no agent can connect with it any more, and
// those that have are refused.
//
// Returns Forbidden unless actor administers the organization, and Invalid for a token that was revoked before.
func (s *Service) RevokeUnclusteredToken(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id, reason string) (domain.UnclusteredTokenView, error) {
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (view domain.UnclusteredTokenView, err error) {
		in, err := s.core.LockOrganization(tx, actor, organization, authz.WriteUnclusteredToken)
		if err != nil {
			return view, err
		}
		view, found, err := tx.UnclusteredToken(in.Organization.ID, core.LookupID[domain.UnclusteredTokenID](id))
		if err == nil && !found {
			err = domain.Missing("agent token")
		}
		if err != nil {
			return view, err
		}
		before := core.FactsOfUnclusteredToken(view.UnclusteredToken)
		var faults domain.Faults
		view.Revoke(reason, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return view, err
		}
		if err := tx.RevokeUnclusteredToken(view.UnclusteredToken, in.CreatorID()); err != nil {
			return view, err
		}
		view.RevokedBy = in.Creator()
		return view, s.core.Record(tx, core.AuthorOf(actor, &in), domain.AgentTokenRevoked,
			core.UnclusteredTokenSubject(view.UnclusteredToken),
			before, core.FactsOfUnclusteredToken(view.UnclusteredToken))
	})
}
