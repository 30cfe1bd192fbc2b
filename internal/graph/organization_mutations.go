package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
)

func bindOrganizationMutations(b *gql.Builder) {
	mutation(b, "organizationApiIpAllowlistUpdate", "OrganizationAPIIPAllowlistUpdateMutationPayload",
		func(c change) (*payload, error) {
			return c.setting("organizationID", domain.OrganizationPatch{AllowedAPIIPAddresses: optional[string](c.input,
				"ipAddresses")})
		})
	organizationField(b, "OrganizationAPIIPAllowlistUpdateMutationPayload.organization")

	mutation(b, "organizationUpdate", "OrganizationUpdatePayload", func(c change) (*payload, error) {
		cluster, err := optionalID(c.input, "defaultClusterId", "Cluster", "cluster")
		changed, err := c.service.UpdateOrganization(c.ctx, c.actor, c.organization("organizationId"),
			core.Sent(domain.OrganizationPatch{
				Name:                                 optional[string](c.input, "name"),
				ClusterWrites:                        optionalEnum(c.input, "clusterWrites"),
				MaintainersCanDestroyCacheRegistries: optional[bool](c.input, "maintainersCanDestroyCacheRegistries"),
				MembersCanCreatePipelines:            optional[bool](c.input, "membersCanCreatePipelines"),
				DefaultClusterID:                     cluster,
				AllowedAPIIPAddresses:                optional[string](c.input, "allowedApiIpAddresses"),
				RevokeInactiveTokensAfterDays:        optional[int64](c.input, "revokeInactiveTokensAfterDays"),
				AuditRetentionDays:                   optional[int64](c.input, "auditRetentionDays"),
				RestrictUserAPITokenCreation:         optional[bool](c.input, "restrictUserApiTokenCreation"),
				MembersCanCreatePublicPipelines:      optional[bool](c.input, "membersCanCreatePublicPipelines"),
				DefaultBranch:                        optional[string](c.input, "defaultBranch"),
				DefaultTimeoutInMinutes:              optional[int64](c.input, "defaultTimeoutInMinutes"),
				MaximumTimeoutInMinutes:              optional[int64](c.input, "maximumTimeoutInMinutes"),
				ScheduledJobExpiryInMinutes:          optional[int64](c.input, "scheduledJobExpiryInMinutes"),
				BuildRetentionDays:                   optional[int64](c.input, "buildRetentionDays"),
			}, err), nil)
		return &payload{organization: changed.ID}, err
	})
	organizationField(b, "OrganizationUpdatePayload.organization")

	mutation(b, "organizationRevokeInactiveTokensAfterUpdate",
		"OrganizationRevokeInactiveTokensAfterUpdateMutationPayload", func(c change) (*payload, error) {
			period := c.input.Enum("revokeInactiveTokensAfter")
			for days, name := range inactivePeriods {
				if name == period {
					return c.setting("organizationId", domain.OrganizationPatch{RevokeInactiveTokensAfterDays: domain.Some(days)})
				}
			}
			return nil, domain.NewError(domain.Invalid, "Validation failed: revokeInactiveTokensAfter is unknown")
		})
	organizationField(b, "OrganizationRevokeInactiveTokensAfterUpdateMutationPayload.organization")

	mutation(b, "organizationApiAccessTokenRevoke", "OrganizationAPIAccessTokenRevokeMutationPayload",
		func(c change) (*payload, error) {
			given := c.input.String("apiAccessTokenId")
			// one of them is none
			id := globalID[string]("OrganizationAPIAccessToken", given) + globalID[string]("APIAccessToken", given)
			return &payload{deleted: given}, c.service.RevokeOrganizationToken(c.ctx, c.actor, c.organization("organizationId"),
				id)
		})
	deletedField(b, "OrganizationAPIAccessTokenRevokeMutationPayload.revokedApiAccessTokenId")

	mutation(b, "organizationMemberUpdate", "OrganizationMemberUpdatePayload", func(c change) (*payload, error) {
		changed, err := c.service.UpdateMember(c.ctx, c.actor, c.organizationOfMember(), "",
			core.Value(domain.MemberInput{Role: optionalEnum(c.input, "role"), SSOMode: optionalSSOMode(c.input)}), nil)
		return &payload{member: &changed}, err
	})
	bindPart(b, "OrganizationMemberUpdatePayload.organizationMember", func(p *payload) *domain.MemberView {
		return p.member
	})

	mutation(b, "organizationMemberDelete", "OrganizationMemberDeletePayload", func(c change) (*payload, error) {
		m, err := c.service.RemoveMember(c.ctx, c.actor, c.organizationOfMember(), "", nil)
		return &payload{deleted: c.input.String("id"), organization: m.OrganizationID, user: &m.User}, err
	})
	deletedField(b, "OrganizationMemberDeletePayload.deletedOrganizationMemberID")
	organizationField(b, "OrganizationMemberDeletePayload.organization")
	bindPart(b, "OrganizationMemberDeletePayload.user", func(p *payload) *domain.User { return p.user })
}

// optionalSSOMode reads the mode in the member sso of an input.
func optionalSSOMode(input gql.Args) domain.Optional[string] {
	if !input.Has("sso") {
		return domain.Optional[string]{}
	}
	if input.Null("sso") {
		return domain.Null[string]()
	}
	return optionalEnum(input.Object("sso"), "mode")
}

func (c change) setting(organization string, patch domain.OrganizationPatch) (*payload, error) {
	changed, err := c.service.UpdateOrganization(c.ctx, c.actor, c.organization(organization), core.Value(patch), nil)
	return &payload{organization: changed.ID}, err
}

func (c change) organizationOfMember() domain.OrganizationRef {
	return domain.OrganizationRef{Of: c.thing("id", "OrganizationMember", domain.MemberThing)}
}
