package graph

import (
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

type banner = *domain.OrganizationBanner

func bindBanners(b *gql.Builder) {
	gql.DeclareObject[banner](b, "OrganizationBanner")
	bindIDs(b, "OrganizationBanner", func(o banner) domain.OrganizationBannerID { return o.ID })
	bindText(b, "OrganizationBanner.message", func(o banner) string { return o.Message })
	bindConnection[banner](b, "OrganizationBanner")
	bindConnectionField(b, "Organization.banners", func(r *read.Snapshot, os []organization, args gql.Args) (
		[]*read.Connection[banner], error) {
		return r.OrganizationBannersOf(os, connectionPart(args))
	})

	mutation(b, "organizationBannerUpsert", "OrganizationBannerUpsertPayload", func(c change) (*payload, error) {
		set, err := c.service.SetOrganizationBanner(c.ctx, c.actor, c.organization("organizationId"),
			core.Value(domain.OrganizationBannerInput{Message: optional[string](c.input, "message")}))
		return &payload{banner: &set}, err
	})
	bindPart(b, "OrganizationBannerUpsertPayload.banner", func(p *payload) banner { return p.banner })

	mutation(b, "organizationBannerDelete", "OrganizationBannerDeletePayload", func(c change) (*payload, error) {
		deleted, err := c.service.DeleteOrganizationBanner(c.ctx, c.actor, c.organization("organizationId"))
		return &payload{deleted: domain.GraphQLID("OrganizationBanner", deleted.ID)}, err
	})
	deletedField(b, "OrganizationBannerDeletePayload.deletedBannerId")
}
