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
// Returns Forbidden unless actor administers the organization, and Invalid with one FieldError a bad field: a default cluster
// of another organization and addresses that would lock actor out are among them.
func (s *Service) UpdateOrganization(ctx context.Context, actor authz.Actor, ref domain.OrganizationRef,
	input core.Input[domain.OrganizationPatch], expected *core.Precondition[domain.OrganizationView]) (domain.OrganizationView, error) {
	expected = expected.Settle(ctx, s.core, actor, ref, s.findOrganization(actor, ref, authz.UpdateOrganization))
	return core.Change(ctx, s.core, actor, ref, func(tx store.Tx) (domain.OrganizationView, error) {
		id, err := s.core.LockOrganization(tx, actor, ref, authz.UpdateOrganization)
		if err != nil {
			return domain.OrganizationView{}, err
		}
		o := organizationView(&id)
		if err := expected.Check(o); err != nil {
			return o, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return o, err
		}
		before := o.Organization
		if cluster := o.Apply(given, actor.Address, &faults); cluster != nil {
			found, err := tx.HasCluster(o.ID, *cluster)
			if err != nil {
				return o, err
			}
			if !found {
				domain.FaultDefaultCluster(&faults)
			}
		}
		if err := faults.Err(); err != nil {
			return o, err
		}
		if err := tx.UpdateOrganization(o.Organization); err != nil {
			return o, err
		}
		event, subject := organizationChange(before, o.Organization)
		return o, s.core.Record(tx, core.AuthorOf(actor, &id), event, subject, core.FactsOfOrganization(before), core.FactsOfOrganization(o.Organization))
	})
}

func organizationView(id *authz.Identity) domain.OrganizationView {
	return domain.OrganizationView{
		Organization: id.Organization,
		Administered: authz.Check(id, authz.SeeOrganizationSettings, authz.Facts{}) == nil,
	}
}

// organizationChange says what kind of change was made, and to what. A change that is about security too is one of security.
func organizationChange(before, after domain.Organization) (domain.AuditEventType, domain.AuditSubject) {
	was, is := before.Settings, after.Settings
	if was.AllowedAPIIPAddresses != is.AllowedAPIIPAddresses || was.RevokeInactiveTokensAfterDays != is.RevokeInactiveTokensAfterDays ||
		was.AuditRetentionDays != is.AuditRetentionDays {
		return domain.OrganizationSecurityUpdated, domain.Subject(domain.OrganizationSecuritySubject, after.ID, after.Name)
	}
	return domain.OrganizationUpdated, core.OrganizationSubject(after)
}
