package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// UpdateOrganization applies input to an organization's name and settings and returns its new state.
//
// Returns Forbidden unless actor administers the organization, and Invalid with one FieldError a bad field: a default
// cluster of another organization and addresses that would lock actor out are among them.
func (s *Service) UpdateOrganization(ctx context.Context, actor authz.Actor, ref domain.OrganizationRef,
	input core.Input[domain.OrganizationPatch], expected *core.Precondition[domain.OrganizationView]) (
	domain.OrganizationView, error) {
	return s.updateOrganization(ctx, actor, ref, authz.UpdateOrganization, input, expected)
}

// OrganizationSettings returns an organization with its settings.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) OrganizationSettings(ctx context.Context, actor authz.Actor, ref domain.OrganizationRef) (
	domain.OrganizationView, error) {
	return core.View(ctx, s.core, actor, ref, s.findOrganization(actor, ref, authz.ReadOrganizationSettings))
}

// UpdateOrganizationSettings is UpdateOrganization for tokens that may change settings and nothing else of the
// organization.
func (s *Service) UpdateOrganizationSettings(ctx context.Context, actor authz.Actor, ref domain.OrganizationRef,
	input core.Input[domain.OrganizationPatch], expected *core.Precondition[domain.OrganizationView]) (
	domain.OrganizationView, error) {
	return s.updateOrganization(ctx, actor, ref, authz.UpdateOrganizationSettings, input, expected)
}

func (s *Service) updateOrganization(ctx context.Context, actor authz.Actor, ref domain.OrganizationRef,
	action authz.Action,
	input core.Input[domain.OrganizationPatch], expected *core.Precondition[domain.OrganizationView]) (
	domain.OrganizationView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref, s.findOrganization(actor, ref, action))
	return core.Change(ctx, s.core, actor, ref, func(tx store.Tx) (o domain.OrganizationView, err error) {
		id, err := s.core.LockOrganization(tx, actor, ref, action)
		if err != nil {
			return o, err
		}
		if o, err = viewOrganization(tx, &id); err != nil {
			return o, err
		}
		if err := expected.Check(o); err != nil {
			return o, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return o, err
		}
		before := o.Organization
		if cluster := o.Apply(given, domain.OrganizationEditor{Address: actor.Address, User: id.User.ID, At: s.core.Clock()},
			&faults); cluster != nil {
			found, err := tx.HasCluster(o.ID, *cluster)
			if err != nil {
				return o, err
			}
			if !found {
				given.FaultDefaultCluster(&faults)
			}
		}
		if err := faults.Err(); err != nil {
			return o, err
		}
		if err := tx.UpdateOrganization(o.Organization); err != nil {
			return o, err
		}
		id.Organization = o.Organization
		if o, err = viewOrganization(tx, &id); err != nil {
			return o, err
		}
		event, subject := organizationChange(before, o.Organization)
		return o, s.core.Record(tx, core.AuthorOf(actor, &id), event, subject, core.FactsOfOrganization(before),
			core.FactsOfOrganization(o.Organization))
	})
}

// viewOrganization returns the caller's organization as they see it.
func viewOrganization(tx store.Tx, id *authz.Identity) (view domain.OrganizationView, err error) {
	view.Organization = id.Organization
	view.Administered = authz.Check(id, authz.SeeOrganizationSettings, authz.Facts{}) == nil
	if by := id.Organization.Settings.PublicPipelinesEnabledBy; by != nil && view.Administered {
		user, found, err := tx.UserByID(*by)
		if err != nil {
			return view, err
		}
		if found {
			view.PublicPipelinesEnabledBy = &user
		}
	}
	return view, nil
}

// organizationChange says what kind of change was made, and to what. A change that is about security too is one of
// security.
func organizationChange(before, after domain.Organization) (domain.AuditEventType, domain.AuditSubject) {
	was, is := before.Settings, after.Settings
	if was.AllowedAPIIPAddresses != is.AllowedAPIIPAddresses ||
		was.RevokeInactiveTokensAfterDays != is.RevokeInactiveTokensAfterDays ||
		was.AuditRetentionDays != is.AuditRetentionDays ||
		was.RestrictUserAPITokenCreation != is.RestrictUserAPITokenCreation ||
		(was.PublicPipelinesEnabledAt == nil) != (is.PublicPipelinesEnabledAt == nil) {
		return domain.OrganizationSecurityUpdated, domain.Subject(domain.OrganizationSecuritySubject, after.ID, after.Name)
	}
	return domain.OrganizationUpdated, core.OrganizationSubject(after)
}
