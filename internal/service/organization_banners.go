package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// OrganizationBanner returns what an organization says on top of its pages.
//
// Returns NotFound if it says nothing.
func (s *Service) OrganizationBanner(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	domain.OrganizationBanner, error) {
	return core.View(ctx, s.core, actor, organization, s.findBanner(actor, organization))
}

func (s *Service) findBanner(actor authz.Actor, organization domain.OrganizationRef) func(store.Tx) (
	domain.OrganizationBanner, error) {
	return func(tx store.Tx) (domain.OrganizationBanner, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.ReadOrganization)
		if err != nil {
			return domain.OrganizationBanner{}, err
		}
		banner, found, err := tx.OrganizationBanner(in.Organization.ID)
		if err == nil && !found {
			err = domain.Missing("organization banner")
		}
		return banner, err
	}
}

// SetOrganizationBanner changes what an organization says on top of its pages.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) SetOrganizationBanner(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.OrganizationBannerInput]) (domain.OrganizationBanner, error) {
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (banner domain.OrganizationBanner, err error) {
		in, err := s.core.LockOrganization(tx, actor, organization, authz.UpdateOrganization)
		if err != nil {
			return banner, err
		}
		banner, found, err := tx.OrganizationBanner(in.Organization.ID)
		if err != nil {
			return banner, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return banner, err
		}
		before, now := core.FactsOfBanner(banner), s.core.Clock()
		banner.Apply(given, now, &faults)
		if err := faults.Err(); err != nil {
			return banner, err
		}
		author := core.AuthorOf(actor, &in)
		if found {
			if err := tx.UpdateOrganizationBanner(banner); err != nil {
				return banner, err
			}
			return banner, s.core.Record(tx, author, domain.OrganizationBannerUpdated, core.BannerSubject(banner), before,
				core.FactsOfBanner(banner))
		}
		banner.ID, banner.OrganizationID, banner.CreatedAt = domain.NewID[domain.OrganizationBannerID](), in.Organization.ID,
			now
		if err := tx.InsertOrganizationBanner(banner); err != nil {
			return banner, err
		}
		return banner, s.core.Record(tx, author, domain.OrganizationBannerCreated, core.BannerSubject(banner), nil,
			core.FactsOfBanner(banner))
	})
}

// DeleteOrganizationBanner lets an organization say nothing on top of its pages, and returns what it said.
//
// Returns Forbidden unless actor administers the organization, and NotFound if there is no banner.
func (s *Service) DeleteOrganizationBanner(ctx context.Context, actor authz.Actor,
	organization domain.OrganizationRef) (domain.OrganizationBanner, error) {
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (banner domain.OrganizationBanner, err error) {
		in, err := s.core.LockOrganization(tx, actor, organization, authz.UpdateOrganization)
		if err != nil {
			return banner, err
		}
		banner, found, err := tx.OrganizationBanner(in.Organization.ID)
		if err == nil && !found {
			err = domain.Missing("organization banner")
		}
		if err != nil {
			return banner, err
		}
		if err := tx.DeleteOrganizationBanner(banner.ID); err != nil {
			return banner, err
		}
		return banner, s.core.Record(tx, core.AuthorOf(actor, &in), domain.OrganizationBannerDeleted,
			core.BannerSubject(banner), core.FactsOfBanner(banner), nil)
	})
}
