package store

import (
	"time"

	"penstock/internal/domain"
)

var (
	organizationBanners = tableOf("organization_banners", "ob", func(c *columns, b *domain.OrganizationBanner) {
		mapText(c, "id", &b.ID)
		mapText(c, "organization_id", &b.OrganizationID)
		mapTime(c, "created_at", &b.CreatedAt)
		c.changing()
		mapText(c, "message", &b.Message)
		mapTime(c, "updated_at", &b.UpdatedAt)
	})

	bannerView = selecting(func(c *columns, b *domain.OrganizationBanner) { organizationBanners.visit(c, b) })

	// OrganizationBannerRows are the banners of organizations.
	OrganizationBannerRows = Rows[*domain.OrganizationBanner]{
		items: pointersTo(bannerView), tables: `organization_banners ob`,
		id:           textKey(`ob.id`, func(b *domain.OrganizationBanner) string { return string(b.ID) }),
		organization: `ob.organization_id`,
	}
)

// OrganizationBannersOf lists the banners of organizations, each of which has one at most.
func OrganizationBannersOf() List[*domain.OrganizationBanner] {
	l := newList(OrganizationBannerRows, "organization banners", `ob.organization_id`, `organizations`)
	l.sortBy(timeKey(`ob.created_at`, func(b *domain.OrganizationBanner) time.Time { return b.CreatedAt }))
	return l
}

// OrganizationBanner returns the banner of an organization.
func (tx Tx) OrganizationBanner(organization domain.OrganizationID) (domain.OrganizationBanner, bool, error) {
	return selectOne(tx, organizationBanners.read, `SELECT `+organizationBanners.columns+
		` FROM organization_banners ob WHERE ob.organization_id = $1`, organization)
}

// InsertOrganizationBanner stores a new banner.
func (tx Tx) InsertOrganizationBanner(b domain.OrganizationBanner) error {
	return organizationBanners.insert(tx.exec, b)
}

// UpdateOrganizationBanner stores the banner's changed state.
func (tx Tx) UpdateOrganizationBanner(b domain.OrganizationBanner) error {
	return organizationBanners.update(tx.exec, b)
}

// DeleteOrganizationBanner deletes a banner.
func (tx Tx) DeleteOrganizationBanner(id domain.OrganizationBannerID) error {
	return tx.exec(`DELETE FROM organization_banners WHERE id = $1`, id)
}
