package service

import (
	"context"
	"slices"
	"strconv"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// SavedViews returns the views of an organization's builds that the actor has saved, the oldest first.
//
// Returns Forbidden to a portal, which has none.
func (s *Service) SavedViews(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	[]domain.SavedView, error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) ([]domain.SavedView, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.SaveView)
		if err != nil {
			return nil, err
		}
		return tx.SavedViews(in.Organization.ID, in.User.ID)
	})
}

// SaveView saves a view of an organization's builds for the actor, in the place of one with its name or its filter. It
// leaves no audit event.
//
// Returns Forbidden to a portal, and Invalid if the actor has too many views.
func (s *Service) SaveView(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input domain.SavedViewInput) (domain.SavedView, error) {
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (view domain.SavedView, err error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.SaveView)
		if err != nil {
			return view, err
		}
		var faults domain.Faults
		view = domain.NewSavedView(input, in.Organization.ID, in.User.ID, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return view, err
		}
		others, err := tx.SavedViews(in.Organization.ID, in.User.ID)
		if err != nil {
			return view, err
		}
		left := len(others)
		for _, other := range others {
			if other.Name != view.Name && other.Query != view.Query {
				continue
			}
			if err := tx.DeleteSavedView(other); err != nil {
				return view, err
			}
			left--
		}
		if left >= domain.MaxSavedViews {
			return view, domain.NewError(domain.Invalid, "You can save "+strconv.Itoa(domain.MaxSavedViews)+
				" views of an organization's builds. Remove one first.")
		}
		return view, tx.SetSavedView(view)
	})
}

// RemoveView removes the view of an organization's builds that the actor has saved under a name. It leaves no audit
// event.
//
// Returns Forbidden to a portal, and NotFound if there is no such view.
func (s *Service) RemoveView(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, name string) (
	domain.SavedView, error) {
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (view domain.SavedView, err error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.SaveView)
		if err != nil {
			return view, err
		}
		views, err := tx.SavedViews(in.Organization.ID, in.User.ID)
		if err != nil {
			return view, err
		}
		at := slices.IndexFunc(views, func(v domain.SavedView) bool { return v.Name == name })
		if at < 0 {
			return view, domain.Missing("saved view")
		}
		return views[at], tx.DeleteSavedView(views[at])
	})
}
