package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

func bindOrganizationMutations(b *gql.Builder) {
	mutation(b, "organizationApiIpAllowlistUpdate", "OrganizationAPIIPAllowlistUpdateMutationPayload", func(c change) (*payload, error) {
		return c.setting("organizationID", domain.OrganizationPatch{AllowedAPIIPAddresses: optional[string](c.input, "ipAddresses")})
	})
	organizationField(b, "OrganizationAPIIPAllowlistUpdateMutationPayload.organization")

	mutation(b, "organizationRevokeInactiveTokensAfterUpdate", "OrganizationRevokeInactiveTokensAfterUpdateMutationPayload", func(c change) (*payload, error) {
		period := c.input.Enum("revokeInactiveTokensAfter")
		for days, name := range inactivePeriods {
			if name == period {
				return c.setting("organizationId", domain.OrganizationPatch{RevokeInactiveTokensAfterDays: domain.Some(days)})
			}
		}
		return nil, domain.NewError(domain.Invalid, "Validation failed: revokeInactiveTokensAfter is unknown")
	})
	organizationField(b, "OrganizationRevokeInactiveTokensAfterUpdateMutationPayload.organization")

	mutation(b, "organizationApiAccessTokenRevoke", "OrganizationAPIAccessTokenRevokeMutationPayload", func(c change) (*payload, error) {
		o, err := c.theOrganization("organizationId")
		if err != nil {
			return nil, err
		}
		given := c.input.String("apiAccessTokenId")
		id := globalID[string]("OrganizationAPIAccessToken", given) + globalID[string]("APIAccessToken", given) // one of them is none
		return &payload{deleted: given}, c.service.RevokeOrganizationToken(c.ctx, c.actor, o.Slug, id)
	})
	deletedField(b, "OrganizationAPIAccessTokenRevokeMutationPayload.revokedApiAccessTokenId")

	mutation(b, "organizationMemberUpdate", "OrganizationMemberUpdatePayload", func(c change) (*payload, error) {
		m, err := c.theMember()
		if err != nil {
			return nil, err
		}
		changed, err := c.service.UpdateMember(c.ctx, c.actor, m.OrganizationSlug, string(m.UserID),
			core.Value(domain.MemberInput{Role: optionalEnum(c.input, "role")}), nil)
		return &payload{member: &changed}, err
	})
	bindPart(b, "OrganizationMemberUpdatePayload.organizationMember", func(p *payload) *domain.MemberView { return p.member })

	mutation(b, "organizationMemberDelete", "OrganizationMemberDeletePayload", func(c change) (*payload, error) {
		m, err := c.theMember()
		if err != nil {
			return nil, err
		}
		return &payload{deleted: c.input.String("id"), organization: m.OrganizationID, user: &m.User},
			c.service.RemoveMember(c.ctx, c.actor, m.OrganizationSlug, string(m.UserID), nil)
	})
	deletedField(b, "OrganizationMemberDeletePayload.deletedOrganizationMemberID")
	organizationField(b, "OrganizationMemberDeletePayload.organization")
	bindPart(b, "OrganizationMemberDeletePayload.user", func(p *payload) *domain.User { return p.user })
}

func (c change) setting(organization string, patch domain.OrganizationPatch) (*payload, error) {
	o, err := c.theOrganization(organization)
	if err != nil {
		return nil, err
	}
	_, err = c.service.UpdateOrganization(c.ctx, c.actor, o.Slug, core.Value(patch), nil)
	return &payload{organization: o.ID}, err
}

func (c change) theMember() (*domain.MemberView, error) {
	return the(c, "id", "OrganizationMember", "organization member", (*read.Snapshot).Members)
}
